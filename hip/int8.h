// int8.h: products of blocks of levels with blocks of 32 integers of 8 bits, and the tile in LDS that a block of threads multiplies.
//
// A block of x has 40 bytes: the scale (f32), the sum of its integers (i32), and the integers. Products of integers are added
// exactly, in 32 bits; each of a block's sums is multiplied by both scales and added in f32. Blocks b of a row are added in 8 lanes,
// b mod 8, which are folded at the end: the lanes, not the order of integers, decide the bits.
#pragma once
#include "blocks.h"
#include "mma.h"
#include "reduce.h"

namespace rl {

// Elements of a block, its words of 4 integers, its bytes, and lanes.
constexpr u32 INTS = 32, INT_WORDS = 8, INT_BYTES = 40, INT_LANES = 8;

// Returns whether a block of 32 elements has a scale for each half.
RL_DEV constexpr bool has_halves(BlockFormat f) { return f == BlockFormat::Q2K || f == BlockFormat::Q3K || f == BlockFormat::Q6K; }

// Words of 32 elements of a row of blocks, from memory.
struct LevelWords {
    u32 w[INT_WORDS][QUAD_WORDS];
};
// 32 levels as bytes, with the scale and the offset of each half.
struct Levels {
    u32 q[INT_WORDS];
    f32 scale[2], offset[2];
};

// Returns where block `b` of the row of blocks at `row` is, and the number of its first element there.
template <BlockFormat F>
RL_DEV u64 block_at(u64 row, u32 b, u32& first) {
    constexpr u32 EACH = block_size(F) / INTS;
    first = b % EACH * INTS;
    return row + (u64)(b / EACH) * block_bytes(F);
}
template <BlockFormat F>
RL_DEV void fetch_levels(u64 row, u32 b, LevelWords& words) {
    u32 first = 0;
    const u64 at = block_at<F>(row, b, first);
#pragma unroll
    for (u32 n = 0; n < INT_WORDS; n++) fetch_quad<F>(at, first + n * 4, INTS, words.w[n]);
    // Neighbouring words in loads of 16 bytes instead of those above, which nothing reads.
    constexpr u32 APART = levels_at(F, 16) - levels_at(F, 0);
#pragma unroll
    for (u32 half = 0; half < 2; half++) {
        u32 w[4], upper[4];
        load_unaligned<4>(at + levels_at(F, first) + half * APART, w);
        if constexpr (has_upper(F)) load_unaligned<4>(at + upper_at(F, first) + half * 16, upper);
#pragma unroll
        for (u32 n = 0; n < 4; n++) {
            words.w[half * 4 + n][0] = w[n];
            if constexpr (has_upper(F)) words.w[half * 4 + n][5] = upper[n];
        }
    }
}
template <BlockFormat F>
RL_DEV void read_levels(const LevelWords& words, u32 b, Levels& to) {
    constexpr u32 EACH = block_size(F) / INTS;
#pragma unroll
    for (u32 n = 0; n < INT_WORDS; n++) {
        f32 scale = 0, offset = 0;
        levels_of<F>(words.w[n], b % EACH * INTS + n * 4, to.q[n], scale, offset);
        if (n % 4 == 0) {
            to.scale[n / 4] = scale;
            to.offset[n / 4] = offset;
        }
    }
}
// Subtracts the center from each byte of a word of levels without signs.
template <BlockFormat F>
RL_DEV u32 centered(u32 q) {
    constexpr u32 CENTER = center_of(F) * 0x01010101u;
    if constexpr (CENTER == 0) return q;
    else return ((q | 0x80808080u) - CENTER) ^ 0x80808080u;
}

// A block of x.
struct Ints {
    f32 scale;
    i32 sum;
    u32 q[INT_WORDS];
};
RL_DEV void fetch_ints(u64 at, Ints& x) {
    u32 w[2 + INT_WORDS];
#pragma unroll
    for (u32 n = 0; n < 2 + INT_WORDS; n += 2) load_words<8>(at + 4 * n, w + n);
    x.scale = bits_as<f32>(w[0]);
    x.sum = (i32)w[1];
#pragma unroll
    for (u32 n = 0; n < INT_WORDS; n++) x.q[n] = w[2 + n];
}

// Adds the sums of products of a block to the partial sum of its lane. `s` are those of the levels, `x` of the integers of x alone.
template <bool HALVES, bool OFFSET>
RL_DEV f32 add_block(const f32 (&scale)[2], const f32 (&offset)[2], f32 x_scale, const i32 (&s)[2], const f32 (&x)[2], f32 sum) {
#pragma unroll
    for (u32 g = 0; g < (HALVES ? 2 : 1); g++) {
        sum = fma(mul(scale[g], x_scale), (f32)s[g], sum);
        if constexpr (OFFSET) sum = fma(mul(offset[g], x_scale), x[g], sum);
    }
    return sum;
}

// --- tiles ---

// A block of threads computes TILE_SIDE x TILE_SIDE results. In a step it has the blocks of all 8 lanes in LDS.
constexpr u32 TILE_SIDE = 32;
static_assert(TILE_SIDE * INT_LANES == RL_BLOCK, "a thread moves a block of each factor");

// The blocks of one lane and one factor: a row of 8 words of integers for each block, and COUNT numbers of each block: the scale and
// the sums of both halves of x, the scales and the offsets of levels. Neither reads of 16 bytes of rows nor writes of all lanes
// meet in a bank.
template <u32 COUNT>
struct LaneTile {
    Words packs[TILE_SIDE * INT_WORDS / 4];
    f32 numbers[COUNT][TILE_SIDE];
    u32 apart[4];

    RL_FN Words& pack(u32 row, u32 n) { return packs[row * 2 + (n ^ (row / 4 % 2))]; }
    RL_FN Words pack(u32 row, u32 n) const { return packs[row * 2 + (n ^ (row / 4 % 2))]; }
};
using XTile = LaneTile<3>;
using LevelTile = LaneTile<4>;
struct IntTiles {
    XTile x[INT_LANES];
    LevelTile levels[INT_LANES];
};

// The lane of the blocks that group `g` of 32 threads multiplies. Neighbouring groups have lanes that are added first.
RL_DEV constexpr u32 lane_of_group(u32 g) { return g / 2 + g % 2 * 4; }

struct IntFactor {
    u64 data, line;  // in bytes
    u64 first, lines;
    RL_FN u64 row(u32 r) const {
        // Rows outside of the matrix read the last one; their products are not stored.
        const u64 at = first + r;
        return data + (at < lines ? at : lines - 1) * line;
    }
};

// Atoms multiply the blocks of a lane:
//
//   THREADS           threads of a product
//   KEPT              results of a thread
//   BOTH              whether the threads of two neighbouring groups multiply the blocks of both groups' lanes, one after the other
//   word(n)           the position of word n of a block
//   row(t, r), column(t, r)   where result r of thread t is
//   add(x, levels, sums)      adds the products of the blocks of a lane

// 4 x 8 results of a thread, by dot products.
struct DotAtom {
    static constexpr u32 THREADS = 32, KEPT = 32;
    static constexpr bool BOTH = false;
    RL_FN static constexpr u32 word(u32 n) { return n; }
    RL_FN static u32 row(u32 t, u32 r) { return t / 4 + r / 8 * 8; }
    RL_FN static u32 column(u32 t, u32 r) { return t % 4 + r % 8 * 4; }

    template <bool HALVES, bool OFFSET>
    RL_FN static void add(const XTile& xs, const LevelTile& levels, f32 (&sums)[KEPT]) {
        const u32 t = thread() % THREADS;
        Words x[4][2];
        f32 of_x[4][3];
#pragma unroll
        for (u32 i = 0; i < 4; i++) {
            for (u32 n = 0; n < 2; n++) x[i][n] = xs.pack(row(t, i * 8), n);
            for (u32 n = 0; n < (OFFSET ? 3 : 1); n++) of_x[i][n] = xs.numbers[n][row(t, i * 8)];
        }
#pragma unroll
        for (u32 j = 0; j < 8; j++) {
            const u32 line = column(t, j);
            const Words w[2] = {levels.pack(line, 0), levels.pack(line, 1)};
            f32 scale[2] = {}, offset[2] = {};
            for (u32 g = 0; g < (HALVES ? 2 : 1); g++) {
                scale[g] = levels.numbers[g][line];
                if constexpr (OFFSET) offset[g] = levels.numbers[2 + g][line];
            }
#pragma unroll
            for (u32 i = 0; i < 4; i++) {
                i32 s[2] = {0, 0};
#pragma unroll
                for (u32 n = 0; n < INT_WORDS; n++) {
                    s[HALVES ? n / 4 : 0] = dot4(w[n / 4].w[n % 4], x[i][n / 4].w[n % 4], s[HALVES ? n / 4 : 0]);
                }
                const f32 of_both[2] = {OFFSET ? of_x[i][1] : 0.0f, OFFSET ? of_x[i][2] : 0.0f};
                sums[i * 8 + j] = add_block<HALVES, OFFSET>(scale, offset, of_x[i][0], s, of_both, sums[i * 8 + j]);
            }
        }
    }
};

#if defined(RL_MFMA)
typedef i32 i32x16 __attribute__((ext_vector_type(16)));

// 32 x 32 results of a wave of 64. Half h of the wave has words h, 2 + h, .. of a row, which are neighbours in LDS.
struct IntMfma {
    static constexpr u32 THREADS = 64, KEPT = 16;
    static constexpr bool BOTH = true;
    RL_FN static constexpr u32 word(u32 n) { return n % 2 * 4 + n / 2; }
    RL_FN static u32 row(u32 t, u32 r) { return t / 32 * 4 + 8 * (r / 4) + r % 4; }
    RL_FN static u32 column(u32 t, u32) { return t % 32; }

    // Multiplies half of a block (HALVES), or a whole one.
    template <bool HALVES>
    RL_FN static i32x16 products(const Words& x, const Words& w, u32 g) {
        i32x16 s = {};
#if defined(__gfx90a__)
#pragma unroll
        for (u32 n = 0; n < (HALVES ? 2 : 4); n++) {
            s = __builtin_amdgcn_mfma_i32_32x32x8i8((i32)x.w[2 * g + n], (i32)w.w[2 * g + n], s, 0, 0, 0);
        }
#else
#pragma unroll
        for (u32 n = 0; n < (HALVES ? 2 : 4); n += 2) {
            const u64 a = x.w[2 * g + n] | (u64)x.w[2 * g + n + 1] << 32, b = w.w[2 * g + n] | (u64)w.w[2 * g + n + 1] << 32;
            s = __builtin_amdgcn_mfma_i32_32x32x16_i8((i64)a, (i64)b, s, 0, 0, 0);
        }
#endif
        return s;
    }
    template <bool HALVES, bool OFFSET>
    RL_FN static void add(const XTile& xs, const LevelTile& levels, f32 (&sums)[KEPT]) {
        const u32 t = thread() % THREADS, half = t / 32, line = t % 32;
        const Words x = xs.pack(line, half), w = levels.pack(line, half);
#pragma unroll
        for (u32 g = 0; g < (HALVES ? 2 : 1); g++) {
            const i32x16 s = products<HALVES>(x, w, g);
            const f32 scale = levels.numbers[g][line], offset = OFFSET ? levels.numbers[2 + g][line] : 0.0f;
#pragma unroll
            for (u32 r = 0; r < KEPT; r++) {
                const f32 x_scale = xs.numbers[0][row(t, r)];
                sums[r] = fma(mul(scale, x_scale), (f32)s[r], sums[r]);
                if constexpr (OFFSET) sums[r] = fma(mul(offset, x_scale), xs.numbers[1 + g][row(t, r)], sums[r]);
            }
        }
    }
};
using IntAtom = IntMfma;
#elif defined(RL_WMMA)
typedef i32 i32x4 __attribute__((ext_vector_type(4)));
typedef i32 i32x8 __attribute__((ext_vector_type(8)));

// 2 x 2 products of 16 x 16 results of a wave of 32, whose halves read the same rows.
struct IntWmma {
    static constexpr u32 THREADS = 32, KEPT = 32;
    static constexpr bool BOTH = false;
    RL_FN static constexpr u32 word(u32 n) { return n; }
    RL_FN static u32 row(u32 t, u32 r) { return r / 16 * 16 + r % 8 * 2 + t / 16; }
    RL_FN static u32 column(u32 t, u32 r) { return r / 8 % 2 * 16 + t % 16; }

    template <bool HALVES, bool OFFSET>
    RL_FN static void add(const XTile& xs, const LevelTile& levels, f32 (&sums)[KEPT]) {
        const u32 t = thread() % THREADS, line = t % 16;
#pragma unroll
        for (u32 i = 0; i < 2; i++) {
#pragma unroll
            for (u32 j = 0; j < 2; j++) {
                const u32 own_row = i * 16 + line, own_column = j * 16 + line;
                i32x8 s = {};
#pragma unroll
                for (u32 g = 0; g < 2; g++) {
                    if constexpr (HALVES) s = i32x8{};
                    s = __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(true, bits_as<i32x4>(xs.pack(own_row, g)), true,
                                                                   bits_as<i32x4>(levels.pack(own_column, g)), s, false);
                    if constexpr (!HALVES) {
                        if (g == 0) continue;
                    }
                    const u32 part = HALVES ? g : 0;
                    const f32 scale = levels.numbers[part][own_column], offset = OFFSET ? levels.numbers[2 + part][own_column] : 0.0f;
#pragma unroll
                    for (u32 r = 0; r < 8; r++) {
                        const u32 further = row(t, i * 16 + r);
                        const f32 x_scale = xs.numbers[0][further];
                        f32& sum = sums[i * 16 + j * 8 + r];
                        sum = fma(mul(scale, x_scale), (f32)s[r], sum);
                        if constexpr (OFFSET) sum = fma(mul(offset, x_scale), xs.numbers[1 + part][further], sum);
                    }
                }
            }
        }
    }
};
using IntAtom = IntWmma;
#else
using IntAtom = DotAtom;
#endif

// Moves this thread's block of x and its block of levels to LDS. Neighbouring threads move neighbouring blocks of a row.
template <class Atom>
struct IntMover {
    u64 x_row, row;
    u32 line, b, blocks;  // the row of the tile, the block that is moved next, and those of a row
    XTile* x_tile;
    LevelTile* level_tile;
    BlockFormat format;

    RL_FN IntMover(const IntFactor& x, const IntFactor& w, BlockFormat f, u32 count, IntTiles& tiles)
        : line(thread() / INT_LANES), b(thread() % INT_LANES), blocks(count), format(f) {
        x_row = x.row(line);
        row = w.row(line);
        x_tile = tiles.x + b;
        level_tile = tiles.levels + b;
    }
    template <class Tile>
    RL_FN void put(Tile& to, const u32 (&q)[INT_WORDS]) const {
        Words v[2];
#pragma unroll
        for (u32 n = 0; n < INT_WORDS; n++) v[Atom::word(n) / 4].w[Atom::word(n) % 4] = q[n];
        for (u32 n = 0; n < 2; n++) to.pack(line, n) = v[n];
    }
    struct Move {
        const IntMover& m;
        template <BlockFormat F>
        RL_FN void run() const {
            if constexpr (!is_number(F)) {
                constexpr bool HALVES = has_halves(F), OFFSET = has_offset(F);
                Ints x;
                LevelWords words;
                Levels levels;
                fetch_ints(m.x_row + (u64)m.b * INT_BYTES, x);
                fetch_levels<F>(m.row, m.b, words);
                loads_first();
                m.put(*m.x_tile, x.q);
                m.x_tile->numbers[0][m.line] = x.scale;
                if constexpr (OFFSET) {
                    i32 of_x[2] = {HALVES ? 0 : x.sum, 0};
                    for (u32 n = 0; HALVES && n < INT_WORDS; n++) of_x[n / 4] = dot4(x.q[n], 0x01010101u, of_x[n / 4]);
                    for (u32 g = 0; g < (HALVES ? 2 : 1); g++) m.x_tile->numbers[1 + g][m.line] = (f32)of_x[g];
                }
                read_levels<F>(words, m.b, levels);
                for (u32 n = 0; n < INT_WORDS; n++) levels.q[n] = centered<F>(levels.q[n]);
                m.put(*m.level_tile, levels.q);
                for (u32 g = 0; g < (HALVES ? 2 : 1); g++) {
                    m.level_tile->numbers[g][m.line] = levels.scale[g];
                    if constexpr (OFFSET) m.level_tile->numbers[2 + g][m.line] = levels.offset[g];
                }
            }
        }
    };
    RL_FN void move() {
        if (b < blocks) by_format(format, Move{*this});
        b += INT_LANES;
    }
};

template <class Atom, bool HALVES, bool OFFSET>
RL_DEV void add_tile(const IntTiles& tiles, u32 left, f32 (&sums)[Atom::BOTH ? 2 : 1][Atom::KEPT]) {
    const u32 group = thread() / 32;
#pragma unroll
    for (u32 set = 0; set < (Atom::BOTH ? 2 : 1); set++) {
        const u32 lane = lane_of_group(Atom::BOTH ? group / 2 * 2 + set : group);
        if (lane < left) Atom::template add<HALVES, OFFSET>(tiles.x[lane], tiles.levels[lane], sums[set]);
    }
}

// Computes the TILE_SIDE x TILE_SIDE results from row x.first and column w.first on, and calls put(row of the tile, column, sum) for
// those inside of the matrix. All threads of the block call it. `blocks` are those of a row.
template <class Atom, class Put>
RL_DEV void int_product(const IntFactor& x, const IntFactor& w, BlockFormat format, u32 blocks, const Put& put) {
    constexpr u32 SETS = Atom::BOTH ? 2 : 1;
    __shared__ IntTiles tiles;
    f32 sums[SETS][Atom::KEPT];
#pragma unroll
    for (u32 s = 0; s < SETS; s++) {
#pragma unroll
        for (u32 r = 0; r < Atom::KEPT; r++) sums[s][r] = 0.0f;
    }
    IntMover<Atom> mover(x, w, format, blocks, tiles);
    const bool halves = has_halves(format), offset = has_offset(format);
#pragma unroll 1
    for (u32 b = 0; b < blocks; b += INT_LANES) {
        sync();
        mover.move();
        sync();
        const u32 left = blocks - b;
        if (halves && offset) add_tile<Atom, true, true>(tiles, left, sums);
        else if (halves) add_tile<Atom, true, false>(tiles, left, sums);
        else if (offset) add_tile<Atom, false, true>(tiles, left, sums);
        else add_tile<Atom, false, false>(tiles, left, sums);
    }
    // Lanes l and l + 4 are added first. Then threads take elements, whose four sums are neighbours' in LDS.
    constexpr u32 RESULTS = TILE_SIDE * TILE_SIDE;
    static_assert(4 * RESULTS * sizeof(f32) <= sizeof(IntTiles), "sums of four lanes fit");
    f32 *all = (f32*)&tiles, *quarter = all + thread() / 64 * RESULTS;
    const u32 t = thread() % Atom::THREADS;
    // (Asked anew after each barrier: the host's compiler would else copy barriers into both branches.)
    const auto upper = []() RL_INLINE { return thread() / 32 % 2 == 1; };
    sync();
    if constexpr (!Atom::BOTH) {
        if (upper()) {
#pragma unroll
            for (u32 r = 0; r < Atom::KEPT; r++) quarter[Atom::row(t, r) * TILE_SIDE + Atom::column(t, r)] = sums[0][r];
        }
        sync();
    }
    if (Atom::BOTH || !upper()) {
#pragma unroll
        for (u32 r = 0; r < Atom::KEPT; r++) {
            f32& to = quarter[Atom::row(t, r) * TILE_SIDE + Atom::column(t, r)];
            to = Sum<f32>::join(sums[0][r], Atom::BOTH ? sums[SETS - 1][r] : to);
        }
    }
    sync();
#pragma unroll
    for (u32 n = 0; n < RESULTS / RL_BLOCK; n++) {
        const u32 at = thread() + n * RL_BLOCK, row = at / TILE_SIDE, column = at % TILE_SIDE;
        f32 lanes[4];
        for (u32 l = 0; l < 4; l++) lanes[l] = all[l * RESULTS + at];
        for (u32 half = 2; half > 0; half /= 2) {
            for (u32 l = 0; l < half; l++) lanes[l] = Sum<f32>::join(lanes[l], lanes[l + half]);
        }
        if (x.first + row < x.lines && w.first + column < w.lines) put(x.first + row, w.first + column, lanes[0]);
    }
}

}  // namespace rl
