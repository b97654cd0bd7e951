// sort: argsort of lines. Equal elements keep their order, NaN is the greatest, -0 equals +0.
//   _group   lines of up to 32 elements: 32 threads a line; an element's position is the number of elements before it
//   _tile    tiles of 2048 elements, each sorted in LDS by a bitonic network
//   _merge   pairs of neighbouring sorted runs merged
//   _tile64, _merge64  the same with 64-bit positions
#include "reduce.h"

namespace rl {

constexpr u32 TILE = 2048, SEGMENT = 8;

template <u32 BYTES>
struct key_of_size {
    using type = u32;
};
template <>
struct key_of_size<8> {
    using type = u64;
};
using Key = key_of_size<sizeof(RL_T)>::type;

// Returns an unsigned key in the order of the elements.
RL_DEV Key key(RL_T v) {
    [[maybe_unused]] constexpr Key top = (Key)1 << (8 * sizeof(Key) - 1);
#if RL_BOOL
    return v.bits != 0;
#elif RL_FLOAT
    const acc_t<RL_T> a = acc<RL_T>(v) + 0;  // -0 becomes 0
    if (is_nan(a)) return ~(Key)0;
    const Key b = bits_as<Key>(a);
    return b & top ? ~b : b | top;
#elif RL_SIGNED
    return (Key)v ^ top;
#else
    return (Key)v;
#endif
}

RL_DEV Key read_key(const SortParams& p, u64 at) {
    const Key k = key(((const RL_T*)p.input)[(i64)at]);
    return p.descending ? ~k : k;
}
RL_DEV u64 begin(const SortParams& p, u64 line) {
    u64 in;
    const u64 outer = div_mod(line, p.inner, in);
    return outer * p.count * p.inner + in;
}
// Writes the position of the element of a rank in a line whose output begins at `at`.
RL_DEV void put(const SortParams& p, u64 at, u64 rank, u64 position) {
    if (rank - p.start >= p.count) return;
    at += (rank - p.start) * p.inner;
    if (p.output64) ((u64*)p.out)[at] = position;
    else ((u32*)p.out)[at] = (u32)position;
}

RL_DEV void sort_groups(const SortParams& p) {
    const u32 lane = lane32(), n = (u32)p.length;
    for (u64 b = (u64)block() * GROUPS; b < p.lines; b += p.blocks * GROUPS) {
        const u64 line = b + thread() / LANES;
        const bool on = line < p.lines && lane < n;
        Key k = 0;
        if (on) {
            u64 at[1];
            offsets(p.line_starts, line, at);
            k = read_key(p, at[0] + lane * p.step);
        }
        u32 before = 0;
        for (u32 j = 0; j < n; j++) {
            const Key other = shfl(k, j);
            before += other < k || (other == k && j < lane);
        }
        if (on) put(p, begin(p, line), before, lane);
    }
}

template <class I>
RL_DEV void sort_tiles(const SortParams& p) {
    __shared__ Key keys[TILE];
    __shared__ u32 at[TILE];
    const u64 items = p.lines * p.tiles;
    for (u64 item = block(); item < items; item += p.blocks) {
        u64 tile;
        const u64 line = div_mod(item, p.tiles, tile), first = tile * TILE;
        const u32 count = (u32)(p.length - first < TILE ? p.length - first : TILE);
        u32 size = 2;
        while (size < count) size *= 2;
        u64 from[1];
        offsets(p.line_starts, line, from);
        for (u32 i = thread(); i < size; i += RL_BLOCK) {
            // The padding elements of the sorting network have the greatest keys and positions, so they come last.
            keys[i] = i < count ? read_key(p, from[0] + (first + i) * p.step) : ~(Key)0;
            at[i] = i;
        }
        sync();
        for (u32 whole = 2; whole <= size; whole *= 2) {
            for (u32 half = whole / 2; half > 0; half /= 2) {
                for (u32 t = thread(); t < size / 2; t += RL_BLOCK) {
                    const u32 i = 2 * t - (t & (half - 1)), j = i + half;
                    const Key a = keys[i], b = keys[j];
                    const u32 x = at[i], y = at[j];
                    const bool after = a > b || (a == b && x > y);
                    if (after == ((i & whole) == 0)) {
                        keys[i] = b;
                        keys[j] = a;
                        at[i] = y;
                        at[j] = x;
                    }
                }
                sync();
            }
        }
        const u64 to = p.last ? begin(p, line) : line * p.length;
        for (u32 i = thread(); i < count; i += RL_BLOCK) {
            if (p.last) {
                put(p, to, first + i, first + at[i]);
            } else {
                ((Key*)p.new_keys)[to + first + i] = keys[i];
                ((I*)p.new_positions)[to + first + i] = (I)(first + at[i]);
            }
        }
        sync();
    }
}

// Each thread finds where its segment of the merged run begins in both runs, and merges the segment.
template <class I>
RL_DEV void merge_runs(const SortParams& p) {
    const u64 segments = (p.length + SEGMENT - 1) / SEGMENT, items = p.lines * segments;
    for (u64 item = global_thread(); item < items; item += p.blocks * RL_BLOCK) {
        u64 segment, in_pair;
        const u64 line = div_mod(item, segments, segment), d = segment * SEGMENT;
        const u64 pair = div_mod(d, 2 * p.run, in_pair) * 2 * p.run;
        const u64 mid = pair + p.run < p.length ? pair + p.run : p.length, end = mid + p.run < p.length ? mid + p.run : p.length;
        const Key* keys = (const Key*)p.keys + line * p.length;
        const I* from = (const I*)p.positions + line * p.length;
        const Key* a = keys + pair;
        const Key* b = keys + mid;
        const u64 na = mid - pair, nb = end - mid, skip = d - pair;
        u64 low = skip > nb ? skip - nb : 0, high = skip < na ? skip : na;
        while (low < high) {
            const u64 m = (low + high) / 2;
            if (a[m] <= b[skip - 1 - m]) low = m + 1;
            else high = m;
        }
        u64 i = low, j = skip - low;
        const u64 out = begin(p, line);
        for (u32 k = 0; k < SEGMENT && i + j < na + nb; k++) {
            const bool first = j >= nb || (i < na && a[i] <= b[j]);
            const u64 source = first ? pair + i : mid + j;
            if (p.last) {
                put(p, out, d + k, from[source]);
            } else {
                ((Key*)p.new_keys)[line * p.length + d + k] = keys[source];
                ((I*)p.new_positions)[line * p.length + d + k] = from[source];
            }
            if (first) i++;
            else j++;
        }
    }
}

}  // namespace rl

RL_KERNEL(argsort, group)(rl::SortParams p) { rl::sort_groups(p); }
RL_KERNEL(argsort, tile)(rl::SortParams p) { rl::sort_tiles<rl::u32>(p); }
RL_KERNEL(argsort, tile64)(rl::SortParams p) { rl::sort_tiles<rl::u64>(p); }
RL_KERNEL(argsort, merge)(rl::SortParams p) { rl::merge_runs<rl::u32>(p); }
RL_KERNEL(argsort, merge64)(rl::SortParams p) { rl::merge_runs<rl::u64>(p); }
