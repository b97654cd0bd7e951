// mma.h: matrix products in square tiles over atoms (atoms.h).
#pragma once
#include "atoms.h"
#include "gemm.h"

namespace rl {

// --- from memory to LDS ---

// A matrix as a factor: `line` elements from one row of A (column of B) to the next, `inner` from one index of the inner
// dimension to the next.
struct Factor {
    u64 data, line, inner, lines;
};

// Returns the bits of an element in LDS, from those in memory.
template <class T, class E>
RL_DEV u32 converted(u32 bits) {
    if constexpr (sizeof(T) == sizeof(E)) return bits;
    else return bits_as<u32>(acc<T>(bits_as<T>((u16)bits)));
}

// How a thread loads packs: each of neighbours in the inner dimension, several of neighbours in the other one, or elements.
enum Way : u32 { Along, Across, Single };

// Where the packs of a tile of SIDE rows are, in memory and in LDS. A thread moves EACH of them in a step of DEEP indices.
template <class T, class Atom, u32 SIDE>
struct Tile {
    using Element = typename Atom::Element;
    static constexpr u32 EACH = SIDE * 4 / RL_BLOCK, SIZE = sizeof(T), COUNT = 16 / sizeof(Element), DEEP = 4 * COUNT;
    static constexpr bool SMALL = Atom::ROWS % 16 != 0;
    static constexpr u32 ROW = SMALL ? 5 : 4;

    // Index `i` of pack `c`.
    RL_FN static u32 index(u32 c, u32 i) {
        if constexpr (Atom::ORDERED) return 8 * (c / 2) + 2 * i + c % 2;
        else return c * COUNT + i;
    }
    // The index of a pack in the tile. A row that is 16 further (any, for small atoms) adds ROW for each row.
    RL_FN static u32 place(u32 line, u32 pack) {
        if constexpr (SMALL) return line * ROW + pack;
        else return place_of(line, pack);
    }
    // Stores a pack of neighbours in the inner dimension.
    RL_FN static void put(Words* tile, u32 line, u32 pack, const Words& v) {
        if constexpr (Atom::ORDERED) {
            // Indices 4 q to 4 q + 3: even ones go to one pack, odd ones to the next.
#pragma unroll
            for (u32 h = 0; h < 2; h++) {
                u32* to = tile[place(line, pack / 2 * 2 + h)].w + pack % 2 * 2;
                to[0] = v.w[h];
                to[1] = v.w[h + 2];
            }
        } else {
            tile[place(line, pack)] = v;
        }
    }
};
template <class At>
RL_DEV Way way_of(const Factor& f) {
    // Offsets in a tile take 32 bits.
    constexpr u64 FAR = 1u << 20;
    constexpr u32 COUNT = At::COUNT, EACH = At::EACH, SIZE = At::SIZE;
    if (f.inner == 1 && f.line < FAR && f.line % COUNT == 0 && f.data % (COUNT * SIZE) == 0) return Along;
    if (f.line == 1 && f.inner < FAR && f.inner % EACH == 0 && f.lines % EACH == 0 && f.data % (EACH * SIZE) == 0) return Across;
    return Single;
}

// Moves whole packs of one factor.
template <class T, class Atom, u32 SIDE, Way WAY>
struct Mover {
    using At = Tile<T, Atom, SIDE>;
    static constexpr u32 EACH = At::EACH, SIZE = At::SIZE, COUNT = At::COUNT;
    u32 line, pack;  // of the first pack
    u32 inner;
    u64 base, step;    // in bytes: the tile's first element, and the distance to the next step's
    u32 offset[EACH];  // of the packs (Across: of the first one)
    u32 raw[EACH * COUNT];

    RL_FN Mover(const Factor& f, u64 first) : inner((u32)f.inner) {
        const u32 t = thread();
        base = hidden_uniform(f.data + first * f.line * SIZE);
        step = hidden_uniform(f.inner * (At::DEEP * SIZE));
        line = WAY == Along ? t / 4 : t % (SIDE / EACH) * EACH;
        pack = WAY == Along ? t % 4 : t / (SIDE / EACH);
        for (u32 l = 0; l < EACH; l++) {
            // Rows outside of the matrix read another one; their products are not stored.
            const u64 rest = f.lines - first;
            const u32 at = WAY == Along ? at_most(own(l), rest - 1) : at_most(line, rest - EACH);
            offset[l] = WAY == Along ? (at * (u32)f.line + pack * COUNT) * SIZE : (at + At::index(pack, 0) * inner) * SIZE;
        }
    }
    RL_FN static u32 at_most(u32 v, u64 most) { return v < most ? v : (u32)most; }
    // Row of the tile of pack `l`.
    RL_FN u32 own(u32 l) const { return WAY == Along ? line + l * (RL_BLOCK / 4) : line + l; }

    // Loads the next step's packs.
    RL_FN void load() {
        if constexpr (WAY == Along) {
#pragma unroll
            for (u32 l = 0; l < EACH; l++) {
                // The offset is hidden, so that the address is the sum of a scalar and a 32-bit number where the load takes it.
                offset[l] = hidden_anew(offset[l]);
                load_words<COUNT * SIZE>(base + offset[l], raw + l * COUNT);
            }
        } else {
            offset[0] = hidden_anew(offset[0]);
#pragma unroll
            for (u32 i = 0; i < COUNT; i++) {
                load_words<EACH * SIZE>(hidden_uniform(base + At::index(0, i) * SIZE * inner) + offset[0], raw + i * EACH);
            }
        }
        base += step;
    }

    // Returns the bits of element i of pack l.
    RL_FN u32 element(u32 l, u32 i) const {
        if constexpr (WAY == Along) {
            if constexpr (SIZE == 4) return raw[l * COUNT + i];
            else return converted<T, typename At::Element>(raw[l * COUNT + i / 2] >> (16 * (i % 2)) & 0xffffu);
        } else {
            if constexpr (SIZE == 4) return raw[i * EACH + l];
            else return converted<T, typename At::Element>(raw[i * EACH] >> (16 * l) & 0xffffu);
        }
    }
    // Stores them into LDS.
    RL_FN void store(Words* tile) const {
#pragma unroll
        for (u32 l = 0; l < EACH; l++) {
            Words v = {};
#pragma unroll
            for (u32 i = 0; i < COUNT; i++) {
                if constexpr (COUNT == 4) v.w[i] = element(l, i);
                else if constexpr (WAY == Along) v.w[i / 2] = raw[l * COUNT + i / 2];
                else v.w[i / 2] |= element(l, i) << (16 * (i % 2));
            }
            if constexpr (WAY == Along) At::put(tile, own(l), pack, v);
            else tile[At::place(own(l), pack)] = v;
        }
    }
};

// Moves a step of one factor by elements. Those outside of the matrix are 0.
template <class T, class Atom, u32 SIDE>
RL_DEV void move_elements(const Factor& f, u64 first, u64 k0, u64 k, Words* tile) {
    using At = Tile<T, Atom, SIDE>;
    const u32 t = thread();
    const bool across = f.line == 1 && f.inner != 1;
#pragma unroll 1
    for (u32 l = 0; l < At::EACH; l++) {
        const u32 line = across ? t % SIDE : t / 4 + l * (RL_BLOCK / 4), pack = across ? t / SIDE + l * (RL_BLOCK / SIDE) : t % 4;
        const u64 row = first + line, start = k0 + At::index(pack, 0);
        const u64 from = f.data + (row * f.line + start * f.inner) * At::SIZE, step = f.inner * At::SIZE;
        u32 all[At::COUNT];
#pragma unroll
        for (u32 i = 0; i < At::COUNT; i++) {
            all[i] = 0;
            if (row < f.lines && start + At::index(0, i) < k) load_words<At::SIZE>(from + At::index(0, i) * step, all + i);
        }
        Words v = {};
#pragma unroll
        for (u32 i = 0; i < At::COUNT; i++) {
            if constexpr (At::COUNT == 4) v.w[i] = converted<T, typename At::Element>(all[i]);
            else v.w[i / 2] |= all[i] << (16 * (i % 2));
        }
        tile[At::place(line, pack)] = v;
    }
}

// The part of a tile of SIDE x SIDE results that a wave computes: I x J atoms from row `top` and column `left` on.
template <class T, class Atom, u32 SIDE>
struct WaveTile {
    using At = Tile<T, Atom, SIDE>;
    static constexpr u32 WAVES = RL_BLOCK / Atom::LANES, HIGH = SIDE / (WAVES / 2), WIDE = SIDE / 2;
    static constexpr u32 I = HIGH / Atom::ROWS, J = WIDE / Atom::COLUMNS;
    u32 lane, top, left;
    typename Atom::Sums sums[I][J];

    RL_FN WaveTile() {
        const u32 wave = thread() / Atom::LANES;
        lane = thread() % Atom::LANES;
        top = wave / 2 * HIGH;
        left = wave % 2 * WIDE;
#pragma unroll
        for (u32 i = 0; i < I; i++) {
#pragma unroll
            for (u32 j = 0; j < J; j++) {
#pragma unroll
                for (u32 r = 0; r < Atom::KEPT; r++) sums[i][j].v[r] = 0.0f;
            }
        }
    }
    // Adds the products of the packs in LDS.
    RL_FN void add(const Words* as, const Words* bs) {
        // Fused multiply-adds of all packs at once would need their fragments in registers at once.
        constexpr u32 TOGETHER = At::SMALL ? 1 : 4;
#pragma unroll TOGETHER
        for (u32 s = 0; s < 4; s += Atom::SPAN) {
            const u32 pack = s + Atom::pack(lane);
            Words x[I][Atom::PACKS];
#pragma unroll
            for (u32 i = 0; i < I; i++) read(as, top + Atom::line_a(lane), pack, i * Atom::ROWS, x[i]);
            // One column of atoms after the other, so that few fragments of B are in registers.
#pragma unroll
            for (u32 j = 0; j < J; j++) {
                Words y[Atom::PACKS];
                read(bs, left + Atom::line_b(lane), pack, j * Atom::COLUMNS, y);
#pragma unroll
                for (u32 i = 0; i < I; i++) Atom::multiply(x[i], y, sums[i][j]);
            }
        }
    }
    // Reads the packs of a fragment whose row is `further` rows below `line`.
    RL_FN static void read(const Words* tile, u32 line, u32 pack, u32 further, Words* to) {
#pragma unroll
        for (u32 p = 0; p < Atom::PACKS; p++) to[p] = tile[At::place(line, pack + p) + further * At::ROW];
    }
};

// Calls put.at(row, column).put(further rows, sum) for each result of a wave that is inside of a product of `rows` x `columns`. The
// tile of the block is at row0, col0.
template <class T, class Atom, u32 SIDE, class Put>
RL_DEV void put_results(const WaveTile<T, Atom, SIDE>& wave, u64 row0, u64 col0, u64 rows, u64 columns, const Put& put) {
    // Hidden from the compiler, which would compute all addresses of results before the loops and keep them in registers.
    const u32 own = hidden_anew(wave.lane);
    const bool inside = row0 + SIDE <= rows && col0 + SIDE <= columns;
#pragma unroll
    for (u32 i = 0; i < wave.I; i++) {
#pragma unroll
        for (u32 j = 0; j < wave.J; j++) {
            const u64 row = row0 + wave.top + i * Atom::ROWS + Atom::row(own);
            const u64 column = col0 + wave.left + j * Atom::COLUMNS + Atom::column(own);
            const auto cells = put.at(row, column);
#pragma unroll
            for (u32 r = 0; r < Atom::KEPT; r++) {
                const u32 further = Atom::step(r);
                if (inside || (row + further < rows && column < columns)) cells.put(further, wave.sums[i][j].v[r]);
            }
        }
    }
}

// How the packs of a factor are moved to LDS: `type` is the mover.
template <class F, class T, class Atom, u32 SIDE, Way WAY>
struct mover_of;
template <class T, class Atom, u32 SIDE, Way WAY>
struct mover_of<Factor, T, Atom, SIDE, WAY> {
    using type = Mover<T, Atom, SIDE, WAY>;
};

// Adds the products of `steps` whole steps. The packs of the next one are on their way during the products of each.
template <Way A, Way B, class FactorB, class T, class Atom, u32 SIDE>
RL_DEV void add_steps(const Factor& a, const FactorB& b, u64 row0, u64 col0, u32 steps, Words* as, Words* bs,
                      WaveTile<T, Atom, SIDE>& wave) {
    Mover<T, Atom, SIDE, A> move_a(a, row0);
    typename mover_of<FactorB, T, Atom, SIDE, B>::type move_b(b, col0);
    move_a.load();
    move_b.load();
    for (u32 next = 1;; next++) {
        sync();
        move_a.store(as);
        move_b.store(bs);
        sync();
        if (next < steps) {
            move_a.load();
            move_b.load();
        }
        wave.add(as, bs);
        if (next >= steps) break;
    }
}

// Computes the tile of SIDE x SIDE results at row0, col0 of the product of A (its rows are lines) and B (its columns are), and
// calls put.at(row, column).put(further rows, sum) for each. All threads of the block call it. B is a Factor, or another matrix
// whose packs are neighbours in the inner dimension, with `lines`, a mover and functions `way_of` and `move_elements`.
template <class T, class Atom, u32 SIDE, class FactorB, class Put>
RL_DEV void mma_product(const Factor& a, const FactorB& b, u64 k, u64 row0, u64 col0, const Put& put) {
    using At = Tile<T, Atom, SIDE>;
    __shared__ Words as[SIDE * At::ROW];
    __shared__ Words bs[SIDE * At::ROW];
    WaveTile<T, Atom, SIDE> wave;
    const Way way_a = way_of<At>(a), way_b = way_of<At>(b);
    const u32 whole = way_a == Single || way_b == Single ? 0 : (u32)(k / At::DEEP);
    if (whole > 0) {
        if (way_a == Along && way_b == Along) {
            add_steps<Along, Along>(a, b, row0, col0, whole, as, bs, wave);
        } else if constexpr (same<FactorB, Factor>::value) {
            if (way_a == Along) add_steps<Along, Across>(a, b, row0, col0, whole, as, bs, wave);
            else if (way_b == Along) add_steps<Across, Along>(a, b, row0, col0, whole, as, bs, wave);
            else add_steps<Across, Across>(a, b, row0, col0, whole, as, bs, wave);
        } else {
            add_steps<Across, Along>(a, b, row0, col0, whole, as, bs, wave);
        }
    }
    const u32 steps = (u32)((k + At::DEEP - 1) / At::DEEP);
    for (u32 step = whole; step < steps; step++) {
        const u64 k0 = (u64)step * At::DEEP;
        sync();
        move_elements<T, Atom, SIDE>(a, row0, k0, k, as);
        move_elements<T, Atom, SIDE>(b, col0, k0, k, bs);
        sync();
        wave.add(as, bs);
    }
    put_results(wave, row0, col0, a.lines, b.lines, put);
}

}  // namespace rl
