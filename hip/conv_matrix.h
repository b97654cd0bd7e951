// conv_matrix.h: convolutions as products by atoms (mma.h), without a matrix of windows in memory. A factor is gathered: each of its
// elements lies at the sum of an offset of its line and one of its inner index. Offsets of lines are computed once; those of the
// inner indices of a step are computed by one thread each, without divisions, and kept in LDS for the whole block.
#pragma once
#include "mma.h"
#include "spatial.h"

namespace rl {

// Part of an address: bytes, modulo 2^32, and bits. The element of a line and an inner index that have a bit in common is 0. Each
// tap of the kernel has a bit, which taps set, and windows that reach out of the input there. Those of two more bits say that a line
// or an inner index is outside of the matrix.
struct Part {
    u32 offset, bits;
};
constexpr u32 OF_LINE = 1u << 31, OF_INNER = 1u << 30, NOTHING = ~0u;

// The meaning of an index's coordinates: elements, all of which there are, taps, taps and a channel, or windows.
enum Kind : u32 { Elements, Taps, TapsOfPack, WindowsOf };

// Maps an index of [rest, three sizes] to its part of an address.
struct Map {
    u32 size[3];
    u32 first, rest, step[3];  // the offset: of index 0, and for each coordinate
    u32 taps[3];               // of the kernel
    u32 start[3], apart[3], tap[3], limit[3];  // WindowsOf: window w meets `start + w apart + t tap` at tap t, which is below `limit` inside

    template <Kind KIND>
    RL_FN Part part(u32 from, const u32 (&at)[3], u32 own) const {
        Part x = {first + from * rest, own};
        u32 bit = 1;
#pragma unroll
        for (u32 d = 0; d < 3; d++) {
            x.offset += at[d] * step[d];
            if constexpr (KIND == Taps) x.bits |= bit << at[d];
            if constexpr (KIND == TapsOfPack) x.bits |= bit << (d == 0 ? from : at[d - 1]);
            if constexpr (KIND == WindowsOf) {
                u32 met = start[d] + at[d] * apart[d];  // (a negative coordinate wraps to a number above any size)
#pragma unroll 1
                for (u32 t = 0; t < taps[d]; t++) {
                    if (met >= limit[d]) x.bits |= bit << t;
                    met += tap[d];
                }
            }
            bit <<= taps[d];
        }
        return x;
    }
};

// Coordinates of an index, which moves on by steps.
struct Walk {
    u32 rest, at[3], by_rest, by[3];

    RL_FN Walk(const Map& m, u32 first, u32 each) {
        rest = split(m, first, at);
        by_rest = split(m, each, by);
    }
    RL_FN static u32 split(const Map& m, u32 i, u32 (&at)[3]) {
        for (u32 d = 3; d-- > 0;) {
            const u32 q = i / m.size[d];
            at[d] = i - q * m.size[d];
            i = q;
        }
        return i;
    }
    RL_FN void advance(const Map& m) {
        u32 carry = 0;
#pragma unroll
        for (u32 d = 3; d-- > 0;) {
            at[d] += by[d] + carry;
            carry = at[d] >= m.size[d] ? 1 : 0;
            at[d] -= carry ? m.size[d] : 0;
        }
        rest += by_rest + carry;
    }
};

// Returns the part of line `at`.
template <Kind KIND>
RL_DEV Part line_at(const Map& map, u64 at, u64 lines) {
    u32 c[3];
    const u32 of = Walk::split(map, at < lines ? (u32)at : 0, c);
    Part x = map.template part<KIND>(of, c, OF_LINE);
    if (at >= lines) x.bits = NOTHING;
    return x;
}

// A factor of a product. ACROSS: threads side by side load neighbouring lines, else neighbouring inner indices.
template <Kind LINE, Kind INNER, bool ACROSS_>
struct Gathered {
    static constexpr Kind LINES = LINE, INNERS = INNER;
    static constexpr bool ACROSS = ACROSS_;
    u64 data, lines;
    Map line, inner;
};

template <class G, class T, class Atom, u32 SIDE>
struct GatherMover {
    using At = Tile<T, Atom, SIDE>;
    static constexpr u32 EACH = At::EACH, SIZE = At::SIZE, COUNT = At::COUNT, LINES = G::ACROSS ? 1 : EACH;
    const Map& map;
    Words* table;  // of the inner indices of a step, by packs: two parts in 16 bytes
    Walk walk;     // this thread's entry
    u32 rest;      // inner indices that come after those of the table, and this thread's one
    u64 base;
    Part lines[LINES];
    u32 raw[EACH * COUNT];
    bool in[EACH * COUNT];

    RL_FN static u32 own() { return At::index(thread() % At::DEEP / COUNT, thread() % COUNT); }
    RL_FN GatherMover(const G& g, u64 first, u32 from, u32 to, Words* t) : map(g.inner), table(t), walk(g.inner, from + own(), At::DEEP), rest(to - from) {
        base = hidden_uniform(g.data);
        for (u32 l = 0; l < LINES; l++) lines[l] = line_at<G::LINES>(g.line, first + line(l), g.lines);
        fill();
        sync();
    }
    RL_FN u32 line(u32 l) const { return G::ACROSS ? thread() % SIDE : thread() / 4 + l * (RL_BLOCK / 4); }
    RL_FN u32 pack(u32 l) const { return G::ACROSS ? thread() / SIDE + l * (RL_BLOCK / SIDE) : thread() % 4; }

    // Writes the table of the next step.
    RL_FN void fill() {
        if (thread() < At::DEEP) {
            Part x = map.template part<G::INNERS>(walk.rest, walk.at, OF_INNER);
            if (own() >= rest) x.bits = NOTHING;
            u32* own = table[thread() / 2].w + thread() % 2 * 2;
            own[0] = x.offset;
            own[1] = x.bits;
            walk.advance(map);
        }
        rest = rest > At::DEEP ? rest - At::DEEP : 0;
    }
    // Loads the elements of the table's step.
    RL_FN void load() {
#pragma unroll
        for (u32 l = 0; l < EACH; l++) {
            const Part& y = lines[G::ACROSS ? 0 : l];
#pragma unroll
            for (u32 i = 0; i < COUNT; i++) {
                const Words x = table[(pack(l) * COUNT + i) / 2];
                in[l * COUNT + i] = (x.w[i % 2 * 2 + 1] & y.bits) == 0;
                load_words<SIZE>(base + (in[l * COUNT + i] ? x.w[i % 2 * 2] + y.offset : 0), raw + l * COUNT + i);
            }
        }
    }
    RL_FN void store(Words* tile) {
#pragma unroll
        for (u32 l = 0; l < EACH; l++) {
            Words v = {};
#pragma unroll
            for (u32 i = 0; i < COUNT; i++) {
                const u32 bits = in[l * COUNT + i] ? raw[l * COUNT + i] : 0;
                if constexpr (COUNT == 4) v.w[i] = converted<T, typename At::Element>(bits);
                else v.w[i / 2] |= bits << (16 * (i % 2));
            }
            tile[At::place(line(l), pack(l))] = v;
        }
        fill();
    }
};

// Both sides of a product of gathered factors.
template <class A, class B>
struct GatherSteps {
    A a;
    B b;
    RL_FN void load() {
        a.load();
        b.load();
    }
    RL_FN void store(Words* as, Words* bs) {
        a.store(as);
        b.store(bs);
    }
};

// --- packs of channels ---
//
// The inner index of these products is [taps, channels], and the channels, a multiple of 8, lie side by side in a copy of the
// convolution's kernel. So the elements of a pack have one tap: they are inside of the other side or not together, and the distance
// between them is the same everywhere.

// The table of a step's packs, each of which one thread computes.
template <class At>
struct PackTable {
    const Map& map;
    const Map& kernel;
    Words* table;
    Walk walk;
    u32 left;  // inner indices from this step on

    // The first index of a pack in the gathered side and in the copy of the kernel, of which the first is ordered as the atom wants it.
    RL_FN static u32 own() { return At::index(thread() % 4, 0); }
    RL_FN PackTable(const Map& m, const Map& w, u32 k, Words* t) : map(m), kernel(w), table(t), walk(m, own(), At::DEEP), left(k) {
        fill();
        sync();
    }
    RL_FN void fill() {
        if (thread() < 4) {
            const Part x = map.template part<TapsOfPack>(walk.rest, walk.at, OF_INNER), y = kernel.template part<Elements>(walk.rest, walk.at, 0);
            Words w = {};
            w.w[0] = x.offset;
            w.w[1] = own() < left ? x.bits : NOTHING;
            w.w[2] = y.offset + (thread() * At::COUNT - own()) * At::SIZE;
            table[thread()] = w;
            walk.advance(map);
        }
        left = left > At::DEEP ? left - At::DEEP : 0;
    }
};

// Loads the packs of the copy of the kernel.
template <class T, class Atom, u32 SIDE>
struct KernelMover {
    using At = Tile<T, Atom, SIDE>;
    static constexpr u32 EACH = At::EACH, SIZE = At::SIZE, COUNT = At::COUNT;
    u64 base;
    const Words* table;
    u32 offset[EACH], raw[EACH * COUNT];
    bool in;

    RL_FN KernelMover(u64 data, u32 row, u64 first, u64 lines, const Words* t) : base(hidden_uniform(data)), table(t) {
        for (u32 l = 0; l < EACH; l++) {
            // Rows outside of the matrix read the last one; their products are not stored.
            const u64 at = first + line(l);
            offset[l] = (u32)(at < lines ? at : lines - 1) * row;
        }
    }
    RL_FN static u32 line(u32 l) { return thread() / 4 + l * (RL_BLOCK / 4); }
    RL_FN void load() {
        const Words x = table[thread() % 4];
        in = (x.w[1] & OF_LINE) == 0;
#pragma unroll
        for (u32 l = 0; l < EACH; l++) load_words<COUNT * SIZE>(base + (in ? x.w[2] + offset[l] : 0), raw + l * COUNT);
    }
    RL_FN void store(Words* tile) const {
#pragma unroll
        for (u32 l = 0; l < EACH; l++) {
            Words v;
#pragma unroll
            for (u32 i = 0; i < 4; i++) {
                u32 bits;
                if constexpr (SIZE == 4 || COUNT == 8) bits = raw[l * COUNT + i];
                else bits = converted<T, typename At::Element>(raw[l * COUNT + i / 2] >> (16 * (i % 2)) & 0xffffu);
                v.w[i] = in ? bits : 0;
            }
            At::put(tile, line(l), thread() % 4, v);
        }
    }
};

// Gathers the packs of the other side. Threads side by side load neighbouring lines.
template <class T, class Atom, u32 SIDE>
struct PackMover {
    using At = Tile<T, Atom, SIDE>;
    static constexpr u32 EACH = At::EACH, SIZE = At::SIZE, COUNT = At::COUNT;
    u64 base[COUNT];  // of each element of a pack
    const Words* table;
    Part line;
    u32 raw[EACH * COUNT];
    bool in[EACH];

    RL_FN PackMover(u64 data, u64 channel, const Map& map, u64 first, u64 lines, const Words* t) : table(t) {
        for (u32 i = 0; i < COUNT; i++) base[i] = hidden_uniform(data + At::index(0, i) * channel * SIZE);
        line = line_at<WindowsOf>(map, first + thread() % SIDE, lines);
    }
    RL_FN static u32 pack(u32 l) { return thread() / SIDE + l * (RL_BLOCK / SIDE); }
    RL_FN void load() {
#pragma unroll
        for (u32 l = 0; l < EACH; l++) {
            const Words x = table[pack(l)];
            in[l] = (x.w[1] & line.bits) == 0;
            const u32 at = in[l] ? x.w[0] + line.offset : 0;
#pragma unroll
            for (u32 i = 0; i < COUNT; i++) load_words<SIZE>(base[i] + at, raw + l * COUNT + i);
        }
    }
    RL_FN void store(Words* tile) const {
#pragma unroll
        for (u32 l = 0; l < EACH; l++) {
            Words v;
#pragma unroll
            for (u32 i = 0; i < 4; i++) {
                u32 bits;
                if constexpr (COUNT == 4) bits = converted<T, typename At::Element>(raw[l * COUNT + i]);
                else bits = raw[l * COUNT + 2 * i] | raw[l * COUNT + 2 * i + 1] << 16;
                v.w[i] = in[l] ? bits : 0;
            }
            tile[At::place(thread() % SIDE, pack(l))] = v;
        }
    }
};

// Both sides of a product by packs of channels.
template <class T, class Atom, u32 SIDE>
struct PackSteps {
    using At = Tile<T, Atom, SIDE>;
    PackTable<At> table;
    KernelMover<T, Atom, SIDE> a;
    PackMover<T, Atom, SIDE> b;
    RL_FN void load() {
        a.load();
        b.load();
    }
    RL_FN void store(Words* as, Words* bs) {
        a.store(as);
        b.store(bs);
        table.fill();
    }
};

// Adds the products of `steps` steps, at least one. The packs of the next one are on their way during the products of each; after the last one
// comes a step of zeros, which is not stored.
template <class Steps, class T, class Atom, u32 SIDE>
RL_DEV void add_gathered(Steps& step, u32 steps, Words* as, Words* bs, WaveTile<T, Atom, SIDE>& wave) {
    step.load();
    // (Another product may have used the tiles.)
    sync();
    step.store(as, bs);
    for (;;) {
        sync();
        step.load();
        loads_first();
        wave.add(as, bs);
        if (--steps == 0) break;
        sync();
        step.store(as, bs);
    }
}

}  // namespace rl
