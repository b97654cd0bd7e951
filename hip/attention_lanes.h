// attention_lanes.h: what attention's kernels on matrix units have in common (attention_matrix.h, attention_gradient.h). A block has ROWS
// rows of a head, of queries or of keys, and a wave as many of them as an atom has columns. Atoms multiply the other rows, which are
// in LDS, by these, so that a lane has its own row's scores, weights and results, 8 neighbours at a time: numbers 16 s + 8 h to
// 16 s + 8 h + 7 of an atom's rows, with h the lane's half of the wave. These are one pack of the next product's factor, so weights
// stay in registers. The other rows are in LDS in the layout of other products (atoms.h).
#pragma once
#include "atoms.h"
#include "attention.h"

// Two waves in a SIMD of CDNA.
#if defined(RL_MFMA)
#define RL_UNIT_WAVES __attribute__((amdgpu_waves_per_eu(2)))
#else
#define RL_UNIT_WAVES
#endif

namespace rl {

#if defined(RL_T_IS_f16) || defined(RL_T_IS_bf16)
// A block's own rows.
constexpr u32 ROWS = 128;

#if defined(RL_MFMA) || defined(RL_WMMA)
constexpr u32 PACK = 8;  // elements

// The row of an atom's product that holds number n of its rows in the order above.
template <class Atom>
RL_DEV u32 row_of(u32 n) {
    return n % 16 / PACK * Atom::row(Atom::LANES / 2) + Atom::step(n / 16 * PACK + n % PACK);
}
// The same in a tile of several atoms.
template <class Atom>
RL_DEV u32 line_of(u32 n) {
    return n / Atom::ROWS * Atom::ROWS + row_of<Atom>(n % Atom::ROWS);
}

// Moves OTHERS rows of up to D elements to LDS, in tiles of 32 elements.
template <class Atom, u32 D, u32 OTHERS>
struct RowMover {
    static constexpr u32 ACROSS = RL_BLOCK / OTHERS, EACH = D / PACK / ACROSS;
    u64 base;             // of the next rows
    u32 step, row, most;  // bytes from one row to the next; this thread's row; the last pack
    Words raw[EACH];

    RL_FN RowMover(u64 data, u64 row_step, u32 depth)
        : base(hidden_uniform(data)), step((u32)row_step * 2 & 0xffffffu), row(thread() / ACROSS), most((depth - PACK) * 2) {}
    // Loads rows, of which `rest` + 1 are left. Elements after the last one are others, whose products with 0 add nothing.
    RL_FN void load(u32 rest) {
        const u32 from = (row < rest ? row : rest) * step;
#pragma unroll
        for (u32 n = 0; n < EACH; n++) {
            const u32 pack = (thread() % ACROSS + n * ACROSS) * (PACK * 2);
            load_words<16>(base + hidden_anew(from + (pack < most ? pack : most)), raw[n].w);
        }
        base += (u64)step * OTHERS;
    }
    RL_FN void store(Words* tiles) const {
        const u32 line = line_of<Atom>(row);
#pragma unroll
        for (u32 n = 0; n < EACH; n++) {
            const u32 pack = thread() % ACROSS + n * ACROSS;
            tiles[pack / 4 * (OTHERS * 4) + place_of(line, pack % 4)] = raw[n];
        }
    }
};

template <u32 BYTES>
struct bits_of;
template <>
struct bits_of<2> {
    using type = u16;
};
template <>
struct bits_of<4> {
    using type = u32;
};
template <>
struct bits_of<8> {
    using type = u64;
};

// Moves OTHERS rows of up to D elements to LDS, transposed, in tiles of 32 rows.
template <class Atom, u32 D, u32 OTHERS>
struct ColumnMover {
    static constexpr u32 EACH = D * OTHERS / PACK / RL_BLOCK, ACROSS = D / EACH;
    // Neighbours of a row, in one register or pair: the compiler would wait for words of a pair to move them.
    using Raw = typename bits_of<EACH * 2>::type;
    u64 base;
    u32 step, column, pack, first;  // bytes between rows; this thread's first column and pack of rows; the column's offset
    Raw raw[PACK];

    RL_FN ColumnMover(u64 data, u64 row_step, u32 width)
        : base(hidden_uniform(data)), step((u32)row_step * 2 & 0xffffffu), column(thread() % ACROSS * EACH),
          pack(thread() / ACROSS) {
        // Columns after the last one are others, whose results are not stored.
        first = (column < width - EACH ? column : width - EACH) * 2;
    }
    RL_FN void load(u32 rest) {
        // Computed anew, so that the rows do not stay in registers.
        const u32 from = hidden_anew(pack) % (OTHERS / PACK) * PACK;
#pragma unroll
        for (u32 e = 0; e < PACK; e++) {
            const u32 row = from + e;
            raw[e] = rl::load((const Raw*)(base + (first + (row < rest ? row : rest) * step)));
        }
        base += (u64)step * OTHERS;
    }
    RL_FN void store(Words* tiles) const {
#pragma unroll
        for (u32 l = 0; l < EACH; l++) {
            Words v;
#pragma unroll
            for (u32 i = 0; i < PACK / 2; i++) {
                const u32 low = (u32)(raw[2 * i] >> (16 * l)), high = (u32)(raw[2 * i + 1] >> (16 * l));
                v.w[i] = (low & 0xffffu) | high << 16;
            }
            tiles[pack / 4 * (D * 4) + place_of(line_of<Atom>(column + l), pack % 4)] = v;
        }
    }
};

// Two weights as elements, rounded to nearest even. A NaN may become another number of bf16: callers add the weights, and look at the sum.
RL_DEV u32 weights_of(f32 low, f32 high) {
    if constexpr (same<RL_T, f16>::value) {
        typedef _Float16 Pair __attribute__((ext_vector_type(2)));
        return bits_as<u32>(Pair{(_Float16)low, (_Float16)high});
    } else {
        const u32 a = bits_as<u32>(low), b = bits_as<u32>(high);
        return (a + 0x7fffu + (a >> 16 & 1u)) >> 16 | ((b + 0x7fffu + (b >> 16 & 1u)) & 0xffff0000u);
    }
}

// A block's ROWS rows, of up to D elements, and OTHERS other rows at a time.
template <u32 D, u32 OTHERS>
struct Lanes {
    using Atom = FastAtom<RL_T>;
    using Sums = typename Atom::Sums;
    static constexpr u32 ACROSS = OTHERS / Atom::ROWS, DOWN = D / Atom::ROWS, STEPS = D / 16;
    static constexpr u32 WORDS = OTHERS * D / PACK;  // of LDS, of the other rows
    static constexpr f32 LOG2_E = 1.44269504f;
    static_assert(ROWS == RL_BLOCK / Atom::LANES * Atom::COLUMNS && Atom::SPAN == 2, "shapes of atoms");

    u32 lane, upper;  // and whether it is in the wave's upper half
    u64 wave, own;    // the wave's first row; this lane's
    u64 known;        // the same, at most the last one: rows after it are that one, and their results are not stored

    RL_FN Lanes(u64 first, u64 rows) {
        // Hidden, so that nothing that follows from it stays in registers from one head to the next.
        lane = hidden_anew(thread()) % Atom::LANES;
        upper = lane / (Atom::LANES / 2);
        wave = first + hidden_uniform(thread() / Atom::LANES * Atom::COLUMNS);
        own = wave + Atom::column(lane);
        known = own < rows ? own : rows - 1;
    }
    RL_FN static void clear(Sums& sums) {
#pragma unroll
        for (u32 r = 0; r < Atom::KEPT; r++) sums.v[r] = 0.0f;
    }
    // The n-th pack of its row that this lane reads in a step.
    RL_FN u32 pack_of(u32 s, u32 n) const { return 2 * s + Atom::pack(lane) + n; }
    // Loads SOME steps of a row of `elements`, from step s0 on. Elements after the last one are 0.
    template <u32 SOME>
    RL_FN void load_own(u64 row, u32 elements, u32 s0, Words (&to)[SOME][Atom::PACKS]) const {
#pragma unroll
        for (u32 s = 0; s < SOME; s++) {
#pragma unroll
            for (u32 n = 0; n < Atom::PACKS; n++) {
                const u32 pack = pack_of(s0 + s, n);
                // Rows of more than 128 elements have whole pairs of steps.
                if constexpr (D <= 128) to[s][n] = {};
                if (D > 128 || pack * PACK < elements) load_words<16>(row + pack * (PACK * 2), to[s][n].w);
            }
        }
    }
    // Reads a fragment of A: the rows of atom `i` of a tile, packs 2 s and 2 s + 1 of each.
    RL_FN void fragment(const Words* tiles, u32 lines, u32 i, u32 s, Words* to) const {
#pragma unroll
        for (u32 n = 0; n < Atom::PACKS; n++) {
            const u32 place = place_of(Atom::line_a(lane), s % 2 * 2 + Atom::pack(lane) + n);
            to[n] = tiles[place + s / 2 * lines * 4 + i * Atom::ROWS * 4];
        }
    }
    // The number of score r of atom a among the other rows, less PACK in the upper half.
    RL_FN static constexpr u32 number_of(u32 a, u32 r) { return a * Atom::ROWS + r / PACK * 16 + r % PACK; }
    // The column of result r of atom i.
    RL_FN static u32 column(u32 i, u32 r, u32 upper) { return number_of(i, r) + upper * PACK; }

    // Multiplies the other rows in LDS by SOME steps of the lanes' own.
    template <u32 SOME>
    RL_FN void multiply(const Words* tiles, const Words (&row)[SOME][Atom::PACKS], Sums (&sums)[ACROSS]) const {
#pragma unroll
        for (u32 s = 0; s < SOME; s++) {
#pragma unroll
            for (u32 a = 0; a < ACROSS; a++) {
                Words x[Atom::PACKS];
                fragment(tiles, OTHERS, a, s, x);
                Atom::multiply(x, row[s], sums[a]);
            }
        }
    }
    // The same with all steps of the row at an address, two of which are in registers at a time.
    RL_FN void multiply_far(const Words* tiles, u64 row, u32 elements, Sums (&sums)[ACROSS]) const {
#pragma unroll 1
        for (u32 s = 0; s * 16 < elements; s += 2) {
            Words some[2][Atom::PACKS];
            load_own(row, elements, s, some);
            multiply(tiles + s / 2 * (OTHERS * 4), some, sums);
        }
    }
    // Adds the transposed rows in LDS times their weights.
    RL_FN void add(const Words* tiles, const Sums (&weights)[ACROSS], Sums (&sums)[DOWN]) const {
#pragma unroll
        for (u32 s = 0; s < OTHERS / 16; s++) {
            const auto& from = weights[s * 16 / Atom::ROWS].v;
            const u32 r = s * PACK % Atom::KEPT;
            Words half, y[Atom::PACKS];
#pragma unroll
            for (u32 i = 0; i < PACK / 2; i++) half.w[i] = weights_of(from[r + 2 * i], from[r + 2 * i + 1]);
            Atom::fragment(half, y);
#pragma unroll
            for (u32 i = 0; i < DOWN; i++) {
                Words x[Atom::PACKS];
                fragment(tiles, D, i, s, x);
                Atom::multiply(x, y, sums[i]);
            }
        }
    }
    // Adds the bias and excludes others by the mask. OWN is the dimension of a lane's own row in them: 2 of queries, 3 of keys;
    // `first` is the first of the other rows in LDS, of `others` in all.
    template <u32 OWN>
    RL_FN void mask(const AttentionParams& p, const Head& head, u64 first, u64 others, Sums (&scores)[ACROSS]) const {
        constexpr u32 OTHER = 5 - OWN;
        const u64 rest = others - 1 - first;
        // Rows after the last one are that one; they are excluded later.
        const u32 last = rest < OTHERS ? (u32)rest : OTHERS;
        if (p.bias) {
            const u64 at = p.bias + (head.bias + known * p.bias_strides[OWN] + first * p.bias_strides[OTHER]) * 2;
            const u32 step = (u32)p.bias_strides[OTHER] * 2 & 0xffffffu;
            each_score(last, scores, [&](u32 n, f32 v) RL_INLINE {
                return v * (f32)p.scale + acc<RL_T>(load((const RL_T*)(at + n * step)));
            });
        }
        if (p.mask) {
            const u64 at = p.mask + (head.mask + known * p.mask_strides[OWN] + first * p.mask_strides[OTHER]);
            const u32 step = (u32)p.mask_strides[OTHER] & 0xffffffu;
            each_score(last, scores, [&](u32 n, f32 v) RL_INLINE { return load((const u8*)(at + n * step)) ? v : lowest<f32>(); });
        }
    }
    // Calls f(number among the other rows, at most `most`; score) for the scores and takes the results.
    template <class F>
    RL_FN void each_score(u32 most, Sums (&scores)[ACROSS], F f) const {
        const u32 last = hidden_anew(most);
#pragma unroll
        for (u32 a = 0; a < ACROSS; a++) {
#pragma unroll
            for (u32 r = 0; r < Atom::KEPT; r++) {
                const u32 n = number_of(a, r) + upper * PACK;
                scores[a].v[r] = f(n < last ? n : last, scores[a].v[r]);
                // Few loads at a time: all at once would take registers that the loop over the other rows needs.
                if (r % PACK == PACK - 1) loads_first();
            }
        }
    }
    // `limit - first` as a number among the other rows less that of this lane's half.
    RL_FN u32 near(u64 first, i64 limit) const {
        const i64 rest = limit - (i64)first - (i64)(upper * PACK);
        return hidden_anew(rest < 0 ? 0 : rest > (i64)OTHERS ? OTHERS : (u32)rest);
    }
    // Excludes others from `limit` on.
    RL_FN void cut(u64 first, i64 limit, Sums (&scores)[ACROSS]) const {
        const u32 allowed = near(first, limit);
#pragma unroll
        for (u32 a = 0; a < ACROSS; a++) {
#pragma unroll
            for (u32 r = 0; r < Atom::KEPT; r++) {
                if (number_of(a, r) >= allowed) scores[a].v[r] = lowest<f32>();
            }
        }
    }
    // Excludes others before `start`.
    RL_FN void cut_before(u64 first, i64 start, Sums (&scores)[ACROSS]) const {
        const u32 excluded = near(first, start);
#pragma unroll
        for (u32 a = 0; a < ACROSS; a++) {
#pragma unroll
            for (u32 r = 0; r < Atom::KEPT; r++) {
                if (number_of(a, r) < excluded) scores[a].v[r] = lowest<f32>();
            }
        }
    }
    // Whether the block's results in the first `columns`, and `odd`, are finite. Rows from `rows` on do not count.
    template <u32 SOME>
    RL_FN bool finite(Words* lds, f32 odd, const Sums (&sums)[SOME], u64 rows, u32 columns) const {
        odd = odd * 0.0f;
        const u32 first = hidden_anew(upper);
#pragma unroll
        for (u32 i = 0; i < SOME; i++) {
#pragma unroll
            for (u32 r = 0; r < Atom::KEPT; r++) {
                if (column(i, r - r % PACK, first) < columns) odd = fma(sums[i].v[r], 0.0f, odd);
            }
        }
        // The lanes that store a number all store the same one: the compiler may join two stores of a lane.
        u32* bad = lds->w;
        sync();
        if (thread() == 0) *bad = 0;
        sync();
        if (own < rows && odd != 0.0f) *bad = 1;
        sync();
        const u32 any = *bad;
        sync();
        return hidden_uniform(any) == 0;
    }
    // Stores the first `columns` results times `factor` to the row at an address.
    RL_FN void store(u64 row, const Sums (&sums)[DOWN], u32 columns, f32 factor) const {
        const u32 first = hidden_anew(upper);
#pragma unroll
        for (u32 i = 0; i < DOWN; i++) {
#pragma unroll
            for (u32 r = 0; r < Atom::KEPT; r += PACK) {
                if (column(i, r, first) >= columns) continue;
                Words v;
#pragma unroll
                for (u32 n = 0; n < PACK / 2; n++) {
                    const u32 low = from_acc<RL_T>(sums[i].v[r + 2 * n] * factor).bits;
                    v.w[n] = low | (u32)from_acc<RL_T>(sums[i].v[r + 2 * n + 1] * factor).bits << 16;
                }
                store_words(row + column(i, r, first) * 2, v);
            }
        }
    }
};
#endif

// Calls f(span of a tile, column, step) for the tiles of ROWS rows, of `rows` in all.
template <class F>
RL_DEV void each_tile(Shared& s, Span in, u64 rows, u64 columns, F f) {
    u32 step = 0;
    sync();
    if (thread() == 0) s.odd = 0;
    sync();
    in.side = TILE;
    for (u32 part = 0; part < ROWS / TILE && in.row0 < rows; part++) {
        for (u64 column = 0; column < columns; column += TILE) f(in, column, step);
        in.row0 += TILE;
    }
}
#endif

}  // namespace rl
