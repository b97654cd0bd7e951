// attention_matrix.h: the result of attention in f16 and bf16 by matrix units. A block computes ROWS queries of a head, a wave as many
// as an atom has columns. Atoms multiply keys by queries and values by weights, so that a lane has its query's scores, weights and
// results, 8 neighbours at a time: numbers 16 s + 8 h to 16 s + 8 h + 7 of an atom's rows, with h the lane's half of the wave. These
// are one pack of the next product's factor, so weights stay in registers. Keys and values are in LDS, in the layout of other
// products (atoms.h).
//
// Weights are rounded to the type. Those of f16 are multiplied by 2^15 (the largest becomes 2^15), since units flush numbers below
// 2^-14. If a result is not finite, the block computes its rows again by fused multiply-adds: units multiply weights of 0, too.
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
// Queries of a block.
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

// Moves KEYS keys of up to D elements to LDS, in tiles of 32 elements.
template <class Atom, u32 D, u32 KEYS>
struct KeyMover {
    static constexpr u32 ACROSS = RL_BLOCK / KEYS, EACH = D / PACK / ACROSS;
    u64 base;             // of the next keys
    u32 step, row, most;  // bytes from one key to the next; this thread's key; the last pack
    Words raw[EACH];

    RL_FN KeyMover(u64 data, u64 row_step, u32 depth)
        : base(hidden_uniform(data)), step((u32)row_step * 2 & 0xffffffu), row(thread() / ACROSS), most((depth - PACK) * 2) {}
    // Loads keys, of which `rest` + 1 are left. Elements after the last one are others, whose products with 0 add nothing.
    RL_FN void load(u32 rest) {
        const u32 from = (row < rest ? row : rest) * step;
#pragma unroll
        for (u32 n = 0; n < EACH; n++) {
            const u32 pack = (thread() % ACROSS + n * ACROSS) * (PACK * 2);
            load_words<16>(base + hidden_anew(from + (pack < most ? pack : most)), raw[n].w);
        }
        base += (u64)step * KEYS;
    }
    RL_FN void store(Words* tiles) const {
        const u32 line = line_of<Atom>(row);
#pragma unroll
        for (u32 n = 0; n < EACH; n++) {
            const u32 pack = thread() % ACROSS + n * ACROSS;
            tiles[pack / 4 * (KEYS * 4) + place_of(line, pack % 4)] = raw[n];
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

// Moves KEYS values of up to D elements to LDS, transposed, in tiles of 32 keys.
template <class Atom, u32 D, u32 KEYS>
struct ValueMover {
    static constexpr u32 EACH = D * KEYS / PACK / RL_BLOCK, ACROSS = D / EACH;
    // Neighbours of a row, in one register or pair: the compiler would wait for words of a pair to move them.
    using Raw = typename bits_of<EACH * 2>::type;
    u64 base;
    u32 step, column, pack, first;  // bytes between values; this thread's first column and pack of keys; the column's offset
    Raw raw[PACK];

    RL_FN ValueMover(u64 data, u64 row_step, u32 width)
        : base(hidden_uniform(data)), step((u32)row_step * 2 & 0xffffffu), column(thread() % ACROSS * EACH),
          pack(thread() / ACROSS) {
        // Columns after the last one are others, whose results are not stored.
        first = (column < width - EACH ? column : width - EACH) * 2;
    }
    RL_FN void load(u32 rest) {
        // Computed anew, so that the rows do not stay in registers.
        const u32 from = hidden_anew(pack) % (KEYS / PACK) * PACK;
#pragma unroll
        for (u32 e = 0; e < PACK; e++) {
            const u32 row = from + e;
            raw[e] = rl::load((const Raw*)(base + (first + (row < rest ? row : rest) * step)));
        }
        base += (u64)step * KEYS;
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

// Two weights as elements, rounded to nearest even. A NaN may become another number: the sum of weights is NaN then.
RL_DEV u32 weights_of(f32 low, f32 high) {
    if constexpr (same<RL_T, f16>::value) {
        typedef _Float16 Pair __attribute__((ext_vector_type(2)));
        return bits_as<u32>(Pair{(_Float16)low, (_Float16)high});
    } else {
        const u32 a = bits_as<u32>(low), b = bits_as<u32>(high);
        return (a + 0x7fffu + (a >> 16 & 1u)) >> 16 | ((b + 0x7fffu + (b >> 16 & 1u)) & 0xffff0000u);
    }
}

// ROWS queries of a head, whose keys and values have up to D elements.
template <u32 D>
struct Flash {
    using Atom = FastAtom<RL_T>;
    static constexpr u32 KEYS = D > 128 ? 32 : 64, ACROSS = KEYS / Atom::ROWS, DOWN = D / Atom::ROWS, STEPS = D / 16;
    static constexpr u32 KEY_WORDS = KEYS * D / PACK, SIZE = 2 * KEY_WORDS;
    // Whether the queries stay in registers. Else they are read for each step of keys, and have whole steps of 32 elements.
    static constexpr bool KEPT = D <= 128;
    static constexpr f32 LOG2_E = 1.44269504f, SHIFT = same<RL_T, f16>::value ? 15.0f : 0.0f;
    static_assert(ROWS == RL_BLOCK / Atom::LANES * Atom::COLUMNS && Atom::SPAN == 2, "shapes of atoms");

    const AttentionParams& p;
    const Head& head;
    u32 lane, upper;  // and whether it is in the wave's upper half
    u64 wave, query;  // the wave's first query; this lane's
    u64 q;            // its address
    Words kept[KEPT ? STEPS : 1][Atom::PACKS];
    f32 peak, sum;    // of this half's keys
    typename Atom::Sums scores[ACROSS], out[DOWN];

    RL_FN Flash(const AttentionParams& params, const Head& h) : p(params), head(h) {
        const Span& in = head.span;
        // Hidden, so that nothing that follows from it stays in registers from one head to the next.
        lane = hidden_anew(thread()) % Atom::LANES;
        upper = lane / (Atom::LANES / 2);
        wave = in.row0 + hidden_uniform(thread() / Atom::LANES * Atom::COLUMNS);
        query = wave + Atom::column(lane);
        // Queries after the last one are that one; their results are not stored.
        const u64 known = query < in.queries ? query : in.queries - 1;
        q = p.q + (head.batch * p.q_strides[0] + head.head * p.q_strides[1] + (in.query + known) * p.q_strides[2]) * 2;
        if constexpr (KEPT) {
#pragma unroll
            for (u32 s = 0; s < STEPS; s++) {
#pragma unroll
                for (u32 n = 0; n < Atom::PACKS; n++) {
                    // Elements after the last one are 0.
                    kept[s][n] = {};
                    if (pack_of(s, n) * PACK < (u32)p.depth) load_words<16>(q + pack_of(s, n) * (PACK * 2), kept[s][n].w);
                }
            }
        }
        peak = lowest<f32>();
        sum = 0.0f;
#pragma unroll
        for (u32 i = 0; i < DOWN; i++) clear(out[i]);
    }
    RL_FN static void clear(typename Atom::Sums& sums) {
#pragma unroll
        for (u32 r = 0; r < Atom::KEPT; r++) sums.v[r] = 0.0f;
    }
    // The n-th pack of its query that this lane reads in a step.
    RL_FN u32 pack_of(u32 s, u32 n) const { return 2 * s + Atom::pack(lane) + n; }
    // Reads a fragment of A: the rows of atom `i` of a tile, packs 2 s and 2 s + 1 of each.
    RL_FN void fragment(const Words* tiles, u32 lines, u32 i, u32 s, Words* to) const {
#pragma unroll
        for (u32 n = 0; n < Atom::PACKS; n++) {
            const u32 place = place_of(Atom::line_a(lane), s % 2 * 2 + Atom::pack(lane) + n);
            to[n] = tiles[place + s / 2 * lines * 4 + i * Atom::ROWS * 4];
        }
    }
    // The number of score r of atom a among the keys, less PACK in the upper half.
    RL_FN static constexpr u32 key_of(u32 a, u32 r) { return a * Atom::ROWS + r / PACK * 16 + r % PACK; }

    // Multiplies the keys in LDS by the queries.
    RL_FN void multiply(const Words* keys) {
#pragma unroll
        for (u32 a = 0; a < ACROSS; a++) clear(scores[a]);
        if constexpr (KEPT) {
            multiply_some<STEPS>(keys, kept);
        } else {
            // Two steps of keys and queries in registers at a time.
#pragma unroll 1
            for (u32 s = 0; s < (u32)p.depth / 16; s += 2) {
                Words some[2][Atom::PACKS];
                for (u32 i = 0; i < 2; i++) {
                    for (u32 n = 0; n < Atom::PACKS; n++) load_words<16>(q + pack_of(s + i, n) * (PACK * 2), some[i][n].w);
                }
                multiply_some<2>(keys + s / 2 * (KEYS * 4), some);
            }
        }
    }
    template <u32 SOME>
    RL_FN void multiply_some(const Words* keys, const Words (&queries)[SOME][Atom::PACKS]) {
#pragma unroll
        for (u32 s = 0; s < SOME; s++) {
#pragma unroll
            for (u32 a = 0; a < ACROSS; a++) {
                Words x[Atom::PACKS];
                fragment(keys, KEYS, a, s, x);
                Atom::multiply(x, queries[s], scores[a]);
            }
        }
    }
    // Adds the bias and excludes keys by the mask.
    RL_FN void mask(u64 k0) {
        const Span& in = head.span;
        const u64 row = query < in.queries ? query : in.queries - 1, rest = in.keys - 1 - k0;
        // Keys after the last one are that one; they are excluded later.
        const u32 last = rest < KEYS ? (u32)rest : KEYS;
        if (p.bias) {
            const u64 at = p.bias + (head.bias + row * p.bias_strides[2] + k0 * p.bias_strides[3]) * 2;
            const u32 step = (u32)p.bias_strides[3] * 2 & 0xffffffu;
            each_score(last, [&](u32 n, f32 v) RL_INLINE {
                return v * (f32)p.scale + acc<RL_T>(load((const RL_T*)(at + n * step)));
            });
        }
        if (p.mask) {
            const u64 at = p.mask + (head.mask + row * p.mask_strides[2] + k0 * p.mask_strides[3]);
            const u32 step = (u32)p.mask_strides[3] & 0xffffffu;
            each_score(last, [&](u32 n, f32 v) RL_INLINE { return load((const u8*)(at + n * step)) ? v : lowest<f32>(); });
        }
    }
    // Calls f(number among the keys, at most `most`; score) for the scores and takes the results.
    template <class F>
    RL_FN void each_score(u32 most, F f) {
        const u32 last = hidden_anew(most);
#pragma unroll
        for (u32 a = 0; a < ACROSS; a++) {
#pragma unroll
            for (u32 r = 0; r < Atom::KEPT; r++) {
                const u32 n = key_of(a, r) + upper * PACK;
                scores[a].v[r] = f(n < last ? n : last, scores[a].v[r]);
                // Few loads at a time: all at once would take registers that the loop over the keys needs.
                if (r % PACK == PACK - 1) loads_first();
            }
        }
    }
    // Excludes keys from `limit` on.
    RL_FN void cut(u64 k0, i64 limit) {
        const i64 rest = limit - (i64)k0 - (i64)(upper * PACK);
        const u32 allowed = hidden_anew(rest < 0 ? 0 : rest > (i64)KEYS ? KEYS : (u32)rest);
#pragma unroll
        for (u32 a = 0; a < ACROSS; a++) {
#pragma unroll
            for (u32 r = 0; r < Atom::KEPT; r++) {
                if (key_of(a, r) >= allowed) scores[a].v[r] = lowest<f32>();
            }
        }
    }
    // Makes weights of the scores.
    RL_FN void weigh() {
        const f32 factor = p.bias ? LOG2_E : (f32)p.scale * LOG2_E;
        f32 largest = peak;
#pragma unroll
        for (u32 a = 0; a < ACROSS; a++) {
#pragma unroll
            for (u32 r = 0; r < Atom::KEPT; r++) largest = larger(largest, scores[a].v[r]);
        }
        largest = larger(largest, bits_as<f32>(Atom::other(bits_as<u32>(largest))));
        // A query may have no keys yet.
        const f32 base = largest == lowest<f32>() ? 0.0f : largest * factor;
        if (largest != peak) {
            const f32 less = exp2_unit(fma(peak, factor, -base));
            sum = sum * less;
#pragma unroll
            for (u32 i = 0; i < DOWN; i++) {
#pragma unroll
                for (u32 r = 0; r < Atom::KEPT; r++) out[i].v[r] = out[i].v[r] * less;
            }
            peak = largest;
        }
        const f32 shift = SHIFT - base;
#pragma unroll
        for (u32 a = 0; a < ACROSS; a++) {
#pragma unroll
            for (u32 r = 0; r < Atom::KEPT; r++) {
                scores[a].v[r] = exp2_unit(fma(scores[a].v[r], factor, shift));
                sum = sum + scores[a].v[r];
            }
        }
    }
    // Adds the weights times the values in LDS.
    RL_FN void add(const Words* values) {
#pragma unroll
        for (u32 s = 0; s < KEYS / 16; s++) {
            const auto& from = scores[s * 16 / Atom::ROWS].v;
            const u32 r = s * PACK % Atom::KEPT;
            Words own, y[Atom::PACKS];
#pragma unroll
            for (u32 i = 0; i < PACK / 2; i++) own.w[i] = weights_of(from[r + 2 * i], from[r + 2 * i + 1]);
            Atom::fragment(own, y);
#pragma unroll
            for (u32 i = 0; i < DOWN; i++) {
                Words x[Atom::PACKS];
                fragment(values, D, i, s, x);
                Atom::multiply(x, y, out[i]);
            }
        }
    }
    // Goes over the keys.
    RL_FN void run(Words* lds) {
        const Span& in = head.span;
        Words *keys = lds, *values = lds + KEY_WORDS;
        const u64 end = in.keys_end(p);
        const i64 all = (i64)in.keys;
        // The keys of the wave's first query, of this lane's and of the wave's last one.
        const i64 least = keys_of(wave), own = keys_of(query), most = wave < in.queries ? keys_of(wave + Atom::COLUMNS - 1) : 0;
        KeyMover<Atom, D, KEYS> move_k(start(p.k, p.k_strides), p.k_strides[2], (u32)p.depth);
        ValueMover<Atom, D, KEYS> move_v(start(p.v, p.v_strides), p.v_strides[2], (u32)p.width);
        const auto load_from = [&](u64 k0) RL_INLINE {
            const u64 rest = (u64)all - 1 - k0;
            const u32 near = hidden_uniform(rest < KEYS ? (u32)rest : KEYS);
            move_k.load(near);
            move_v.load(near);
        };
        if (end > 0) load_from(0);
        for (u64 k0 = 0; k0 < end; k0 += KEYS) {
            sync();
            move_k.store(keys);
            move_v.store(values);
            sync();
            if (k0 + KEYS < end) load_from(k0 + KEYS);
            if ((i64)k0 >= most) continue;
            multiply(keys);
            if (p.bias || p.mask) mask(k0);
            if ((i64)(k0 + KEYS) > least) cut(k0, own);
            weigh();
            add(values);
        }
    }
    RL_FN u64 start(u64 data, const u64 (&strides)[4]) const {
        return data + (head.batch * strides[0] + head.group * strides[1] + head.span.key * strides[2]) * 2;
    }
    // The number of keys that query i may attend to.
    RL_FN i64 keys_of(u64 i) const {
        const Span& in = head.span;
        const i64 end = (i64)i + in.diagonal + 1;
        return !p.causal || end > (i64)in.keys ? (i64)in.keys : end;
    }
    // Whether all results of the block are finite.
    RL_FN bool finite(Words* lds) {
        sum = sum + bits_as<f32>(Atom::other(bits_as<u32>(sum)));
        f32 odd = sum * 0.0f;
        const u32 width = hidden_uniform((u32)p.width), first = hidden_anew(upper);
#pragma unroll
        for (u32 i = 0; i < DOWN; i++) {
#pragma unroll
            for (u32 r = 0; r < Atom::KEPT; r++) {
                if (column(i, r - r % PACK, first) < width) odd = fma(out[i].v[r], 0.0f, odd);
            }
        }
        // A word for each wave.
        constexpr u32 WAVES = RL_BLOCK / Atom::LANES;
        u32 *all = lds->w, *own = all + thread() / Atom::LANES;
        sync();
        *own = 0;
        if (query < head.span.queries && odd != 0.0f) *own = 1;
        sync();
        u32 bad = 0;
#pragma unroll
        for (u32 n = 0; n < WAVES; n++) bad |= all[n];
        sync();
        return hidden_uniform(bad) == 0;
    }
    // The column of result r of atom i.
    RL_FN static u32 column(u32 i, u32 r, u32 upper) { return i * Atom::ROWS + r / PACK * 16 + upper * PACK + r % PACK; }
    RL_FN void store() const {
        if (query >= head.span.queries) return;
        const f32 factor = sum == 0.0f ? 0.0f : div(1.0f, sum);
        const u32 width = hidden_uniform((u32)p.width), first = hidden_anew(upper);
        const u64 row = p.out + (head.stats + query) * width * 2;
#pragma unroll
        for (u32 i = 0; i < DOWN; i++) {
#pragma unroll
            for (u32 r = 0; r < Atom::KEPT; r += PACK) {
                if (column(i, r, first) >= width) continue;
                Words v;
#pragma unroll
                for (u32 n = 0; n < PACK / 2; n++) {
                    const u32 low = from_acc<RL_T>(out[i].v[r + 2 * n] * factor).bits;
                    v.w[n] = low | (u32)from_acc<RL_T>(out[i].v[r + 2 * n + 1] * factor).bits << 16;
                }
                store_words(row + column(i, r, first) * 2, v);
            }
        }
    }
};
#endif

// Computes ROWS queries by fused multiply-adds.
RL_DEV void attend_exactly(const AttentionParams& p, Shared& s, const Head& head) {
    u32 step = 0;
    sync();
    if (thread() == 0) s.odd = 0;
    sync();
    Span in = head.span;
    in.side = TILE;
    for (u32 part = 0; part < ROWS / TILE && in.row0 < in.queries; part++) {
        const Head own(p, in, head.batch, head.head);
        for (u64 column = 0; column < p.width; column += TILE) attend(p, s, own, column, step);
        in.row0 += TILE;
    }
}

template <u32 D>
RL_DEV void attend_all(const AttentionParams& p) {
    constexpr u32 LEAST = (sizeof(Shared) + 15) / 16;
#if defined(RL_MFMA) || defined(RL_WMMA)
    constexpr u32 SIZE = Flash<D>::SIZE > LEAST ? Flash<D>::SIZE : LEAST;
#else
    constexpr u32 SIZE = LEAST;
#endif
    __shared__ Words lds[SIZE];
    check_offsets(p);
    const Span in = Span(p, block(), false, ROWS).uniform();
    if (in.row0 >= in.queries) return;
#if defined(RL_MFMA) || defined(RL_WMMA)
    bool all = true;
    each_head(p, p.heads, [&](u64 b, u64 h) RL_INLINE {
        const Head head(p, in, b, h);
        Flash<D> flash(p, head);
        flash.run(lds);
        all = flash.finite(lds) && all;
        flash.store();
    });
    if (all) return;
#endif
    // Not in the loop above, whose registers its addresses would take.
    each_head(p, p.heads, [&](u64 b, u64 h) RL_INLINE { attend_exactly(p, *(Shared*)lds, Head(p, in, b, h)); });
}
#endif

}  // namespace rl
