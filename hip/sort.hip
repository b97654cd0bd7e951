// sort: the places of a line's elements in order; equal elements keep theirs, NaN is the greatest, -0 equals +0.
//   _g  lines of up to 32: a group of 32 threads a line, an element's place is the number of those before it
//   _b  tiles of 2048 elements of a line, each sorted in LDS by a bitonic network
//   _m  neighbouring sorted runs of a line merged in pairs; with w (_bw, _mw) places have 64 bits
#include "reduce.h"

namespace rl {

constexpr u32 TILE = 2048, SEGMENT = 8;

// The host's twin is gpu::run::sort::Order.
struct Order {
    u64 out, x;
    u64 keys, places;            // runs to merge, [lines][n]
    u64 new_keys, new_places;    // sorted or merged runs
    u64 lines, n, inner;
    u64 step;                    // between elements of a line of x
    u64 tiles;                   // of a line
    u64 run;                     // elements of a sorted run
    u64 last;                    // 1: what is written is the result
    u64 descending;
    u64 wide;                    // 1: the output is I64, else U32
    u64 blocks;
    Walk<1> kept;
};

template <u32 BYTES>
struct key_of_size {
    using type = u32;
};
template <>
struct key_of_size<8> {
    using type = u64;
};
using Key = key_of_size<sizeof(RL_T)>::type;

// A number in the order of the elements.
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

RL_DEV Key read_key(const Order& p, u64 at) {
    const Key k = key(((const RL_T*)p.x)[(i64)at]);
    return p.descending ? ~k : k;
}
RL_DEV u64 begin(const Order& p, u64 line) {
    const u64 outer = quotient(line, p.inner);
    return outer * p.n * p.inner + (line - outer * p.inner);
}
RL_DEV void put(const Order& p, u64 at, u64 place) {
    if (p.wide) ((u64*)p.out)[at] = place;
    else ((u32*)p.out)[at] = (u32)place;
}

RL_DEV void sort_groups(const Order& p) {
    const u32 lane = lane32(), n = (u32)p.n;
    for (u64 b = (u64)block() * GROUPS; b < p.lines; b += p.blocks * GROUPS) {
        const u64 line = b + thread() / LANES;
        const bool on = line < p.lines && lane < n;
        Key k = 0;
        if (on) {
            u64 at[1];
            places(p.kept, line, at);
            k = read_key(p, at[0] + lane * p.step);
        }
        u32 before = 0;
        for (u32 j = 0; j < n; j++) {
            const Key other = shfl(k, j);
            before += other < k || (other == k && j < lane);
        }
        if (on) put(p, begin(p, line) + before * p.inner, lane);
    }
}

template <class I>
RL_DEV void sort_tiles(const Order& p) {
    __shared__ Key keys[TILE];
    __shared__ u32 at[TILE];
    const u64 items = p.lines * p.tiles;
    for (u64 item = block(); item < items; item += p.blocks) {
        const u64 line = quotient(item, p.tiles), first = (item - line * p.tiles) * TILE;
        const u32 count = (u32)(p.n - first < TILE ? p.n - first : TILE);
        u32 size = 2;
        while (size < count) size *= 2;
        u64 from[1];
        places(p.kept, line, from);
        for (u32 i = thread(); i < size; i += RL_BLOCK) {
            // What fills the network up comes last, as its places are.
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
        const u64 to = p.last ? begin(p, line) : line * p.n;
        for (u32 i = thread(); i < count; i += RL_BLOCK) {
            if (p.last) {
                put(p, to + (first + i) * p.inner, first + at[i]);
            } else {
                ((Key*)p.new_keys)[to + first + i] = keys[i];
                ((I*)p.new_places)[to + first + i] = (I)(first + at[i]);
            }
        }
        sync();
    }
}

// Each thread finds where its segment of the merged runs begins in both, and merges that.
template <class I>
RL_DEV void merge_runs(const Order& p) {
    const u64 segments = (p.n + SEGMENT - 1) / SEGMENT, items = p.lines * segments;
    for (u64 item = global_thread(); item < items; item += p.blocks * RL_BLOCK) {
        const u64 line = quotient(item, segments), d = (item - line * segments) * SEGMENT;
        const u64 pair = quotient(d, 2 * p.run) * 2 * p.run;
        const u64 mid = pair + p.run < p.n ? pair + p.run : p.n, end = mid + p.run < p.n ? mid + p.run : p.n;
        const Key* keys = (const Key*)p.keys + line * p.n;
        const I* from = (const I*)p.places + line * p.n;
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
                put(p, out + (d + k) * p.inner, from[source]);
            } else {
                ((Key*)p.new_keys)[line * p.n + d + k] = keys[source];
                ((I*)p.new_places)[line * p.n + d + k] = from[source];
            }
            if (first) i++;
            else j++;
        }
    }
}

}  // namespace rl

RL_CHECK_PARAMS(rl::Order, RL_SIZEOF_Order);

RL_KERNEL(argsort, g)(rl::Order p) { rl::sort_groups(p); }
RL_KERNEL(argsort, b)(rl::Order p) { rl::sort_tiles<rl::u32>(p); }
RL_KERNEL(argsort, bw)(rl::Order p) { rl::sort_tiles<rl::u64>(p); }
RL_KERNEL(argsort, m)(rl::Order p) { rl::merge_runs<rl::u32>(p); }
RL_KERNEL(argsort, mw)(rl::Order p) { rl::merge_runs<rl::u64>(p); }
