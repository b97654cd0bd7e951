// attention_gradient.h: the gradients of attention in f16 and bf16 by matrix units. A block computes those of ROWS queries, keys or
// values of a head (Part), a wave those of as many as an atom has columns, and goes over the other rows: keys and values, or the
// queries and gradients of all heads that share the keys. With S the scores, P their weights e^(S - stats), G the result's gradient:
//
//   queries: S = K Q^T, dP = V G^T, dS = P (dP - dot), dQ^T += K^T dS
//   keys:    S = Q K^T, dP = G V^T, dS as above,       dK^T += Q^T dS
//   values:  S = Q K^T,                                dV^T += G^T P
//
// Nothing is added by atomics; sums are in the order of the other rows.
//
// P and dS are rounded to the type. Of f16, P is multiplied by 2^15, and dS by a power of 2 for each own row, which follows the
// largest magnitude so far, so that small gradients keep their digits. If a result is not finite, the block computes its rows
// again by fused multiply-adds.
#pragma once
#include "attention_lanes.h"

namespace rl {

#if defined(RL_T_IS_f16) || defined(RL_T_IS_bf16)
enum class Part : u32 { QUERIES, KEYS, VALUES };

#if defined(RL_MFMA) || defined(RL_WMMA)
// The other rows in LDS at a time. Lanes of WMMA keep whole rows, those of MFMA half of them.
RL_DEV constexpr u32 other_rows(u32 d) { return d > (FastAtom<RL_T>::PACKS == 1 ? 64u : 32u) ? 32 : 64; }

// The rows of one head of queries, or of one head of keys, whose own and other rows have up to D elements.
template <u32 D, Part PART>
struct Gradient : Lanes<D, other_rows(D)> {
    static constexpr u32 OTHERS = other_rows(D);
    using Base = Lanes<D, OTHERS>;
    using typename Base::Atom;
    using typename Base::Sums;
    using Base::ACROSS, Base::DOWN, Base::STEPS, Base::LOG2_E, Base::WORDS, Base::lane, Base::upper, Base::wave, Base::own,
        Base::known;
    static constexpr bool OF_QUERIES = PART == Part::QUERIES, OF_VALUES = PART == Part::VALUES;
    static constexpr bool HALF = same<RL_T, f16>::value;
    // The other rows that S and dP take, those of the last product, and statistics of queries.
    static constexpr u32 SIZE = (OF_VALUES ? 2 : 3) * WORDS + (OF_QUERIES ? 0 : OTHERS / 2);
    // Whether the own rows stay in registers: two whole ones of 128 elements would take 128.
    static constexpr bool KEPT = D <= 64 || OF_VALUES || Atom::PACKS == 1;
    static constexpr f32 SHIFT = OF_VALUES && HALF ? 15.0f : 0.0f;
    static constexpr u32 ONE = 1u << 23;  // the lowest bit of an exponent

    const AttentionParams& p;
    const Span& in;
    u64 near, far;                                // the addresses of the own rows:
    Words first[KEPT ? STEPS : 1][Atom::PACKS];   // a query or key,
    Words second[KEPT ? STEPS : 1][Atom::PACKS];  // a gradient or value
    f32 base, dot;                                // of a query: the sum's logarithm, negative, and the other number
    f32 factor, inverse;                          // of f16: dS is multiplied by this power of 2
    f32 odd;                                      // of bf16: the sum of what was rounded, to find NaN
    Sums scores[ACROSS], products[OF_VALUES ? 1 : ACROSS], out[DOWN];

    RL_FN Gradient(const AttentionParams& params, const Head& head)
        : Base(head.span.row0, OF_QUERIES ? head.span.queries : head.span.keys), p(params), in(head.span) {
        const u64 row = known + (OF_QUERIES ? in.query : in.key);
        near = OF_QUERIES ? row_of_head(p.q, p.q_strides, head.batch, head.head, row)
                          : row_of_head(p.k, p.k_strides, head.batch, head.group, row);
        far = OF_QUERIES ? row_of_head(p.grad, p.grad_strides, head.batch, head.head, row)
                         : row_of_head(p.v, p.v_strides, head.batch, head.group, row);
        if constexpr (KEPT) this->load_own(near, (u32)p.depth, 0, first);
        if constexpr (KEPT && !OF_VALUES) this->load_own(far, (u32)p.width, 0, second);
        if constexpr (OF_QUERIES) {
            const u64 stats = p.stats + (head.stats + known) * 4;
            base = negative(load((const f32*)stats));
            dot = load((const f32*)(stats + p.batch * p.heads * p.queries * 4));
        }
        factor = 1.0f;
        inverse = 1.0f;
        if constexpr (HALF && !OF_VALUES) {
            factor = bits_as<f32>((127 + 100) * ONE);
            inverse = bits_as<f32>((127 - 100) * ONE);
        }
        odd = 0.0f;
#pragma unroll
        for (u32 i = 0; i < DOWN; i++) Base::clear(out[i]);
    }
    RL_FN static u64 row_of_head(u64 data, const u64 (&strides)[4], u64 batch, u64 head, u64 row) {
        return data + (batch * strides[0] + head * strides[1] + row * strides[2]) * 2;
    }
    // A query without keys has an infinite logarithm, and weights of 0 nevertheless.
    RL_FN static f32 negative(f32 stat) { return stat == lowest<f32>() ? 0.0f : -stat; }

    // Makes P or dS of the scores and products. `stats` are those of the other rows, in LDS.
    RL_FN void weigh(const Words* stats) {
        const f32 scale = p.bias ? 1.0f : (f32)p.scale;
        f32 largest = 0.0f;
#pragma unroll
        for (u32 a = 0; a < ACROSS; a++) {
#pragma unroll
            for (u32 r0 = 0; r0 < Atom::KEPT; r0 += PACK) {
                f32 less[PACK], dots[PACK];
                if constexpr (!OF_QUERIES) {
                    const Words* from = stats + (Base::number_of(a, r0) + upper * PACK) / 4;
#pragma unroll
                    for (u32 n = 0; n < PACK; n++) {
                        less[n] = bits_as<f32>(from[n / 4].w[n % 4]);
                        if constexpr (!OF_VALUES) dots[n] = bits_as<f32>(from[OTHERS / 4 + n / 4].w[n % 4]);
                    }
                }
#pragma unroll
                for (u32 n = 0; n < PACK; n++) {
                    f32 w = fma(scores[a].v[r0 + n], scale, OF_QUERIES ? base : less[n]);
                    w = exp2_unit(OF_VALUES && HALF ? fma(w, LOG2_E, SHIFT) : w * LOG2_E);
                    if constexpr (!OF_VALUES) w = w * (products[a].v[r0 + n] - (OF_QUERIES ? dot : dots[n]));
                    if constexpr (HALF && !OF_VALUES) largest = larger(largest, fabs(w));
                    if constexpr (!HALF) odd = odd + w;
                    scores[a].v[r0 + n] = w;
                }
            }
        }
        if constexpr (HALF && !OF_VALUES) {
            largest = larger(largest, bits_as<f32>(Atom::other(bits_as<u32>(largest))));
            if (largest >= inverse * 32768.0f) rescale(largest);
#pragma unroll
            for (u32 a = 0; a < ACROSS; a++) {
#pragma unroll
                for (u32 r = 0; r < Atom::KEPT; r++) scores[a].v[r] = scores[a].v[r] * factor;
            }
        }
    }
    // Takes a factor that makes `largest` a number from 2^13 on, less than 2^14.
    RL_FN void rescale(f32 largest) {
        const u32 exponent = bits_as<u32>(largest) & 255u * ONE;
        factor = bits_as<f32>((2 * 127 + 13) * ONE - exponent);
        const f32 less = factor * inverse;
        inverse = bits_as<f32>(exponent - 13 * ONE);
#pragma unroll
        for (u32 i = 0; i < DOWN; i++) {
#pragma unroll
            for (u32 r = 0; r < Atom::KEPT; r++) out[i].v[r] = out[i].v[r] * less;
        }
    }
    // Goes over the other rows of a head.
    RL_FN void run(const Head& head, Words* lds) {
        Words *one = lds, *two = one + WORDS, *last = lds + (OF_VALUES ? 1 : 2) * WORDS;
        Words* stats = last + WORDS;
        const u64 others = OF_QUERIES ? in.keys : in.queries;
        const u64 begin = OF_QUERIES ? 0 : in.first_query(p), end = OF_QUERIES ? in.keys_end(p) : in.queries;
        if (begin >= end) return;
        // Of the other rows, those of this lane's, of the wave's first own row and of its last one.
        const u64 later = wave + Atom::COLUMNS - 1;
        const i64 from = OF_QUERIES ? 0 : in.queries_before(p, own), to = OF_QUERIES ? in.keys_of(p, own) : (i64)others;
        const i64 from_all = OF_QUERIES ? 0 : in.queries_before(p, later), from_any = OF_QUERIES ? 0 : in.queries_before(p, wave);
        const i64 to_all = OF_QUERIES ? in.keys_of(p, wave) : (i64)others;
        const bool outside = wave >= (OF_QUERIES ? in.queries : in.keys);
        const i64 to_any = outside ? 0 : OF_QUERIES ? in.keys_of(p, later) : (i64)others;
        const u32 depth = (u32)p.depth, width = (u32)p.width;
        const u64 b = head.batch, row = begin + (OF_QUERIES ? in.key : in.query);
        const u64 a_step = OF_QUERIES ? p.k_strides[2] : p.q_strides[2], b_step = OF_QUERIES ? p.v_strides[2] : p.grad_strides[2];
        const u64 a = OF_QUERIES ? row_of_head(p.k, p.k_strides, b, head.group, row) : row_of_head(p.q, p.q_strides, b, head.head, row);
        const u64 g = OF_QUERIES ? row_of_head(p.v, p.v_strides, b, head.group, row)
                                 : row_of_head(p.grad, p.grad_strides, b, head.head, row);
        RowMover<Atom, D, OTHERS> move_one(a, a_step, depth), move_two(g, b_step, width);
        ColumnMover<Atom, D, OTHERS> move_last(OF_VALUES ? g : a, OF_VALUES ? b_step : a_step, OF_VALUES ? width : depth);
        // Threads load a number each: first the logarithms, then the others.
        f32 stat = 0.0f;
        const u64 numbers = p.stats + (head.stats + (thread() / OTHERS % 2) * (p.batch * p.heads * p.queries)) * 4;
        const auto load_from = [&](u64 at) RL_INLINE {
            const u64 rest = others - 1 - at;
            const u32 some = hidden_uniform(rest < OTHERS ? (u32)rest : OTHERS);
            move_one.load(some);
            if constexpr (!OF_VALUES) move_two.load(some);
            move_last.load(some);
            if constexpr (!OF_QUERIES) {
                const u32 n = thread() % OTHERS;
                stat = load((const f32*)(numbers + (at + (n < some ? n : some)) * 4));
            }
        };
        load_from(begin);
        for (u64 at = begin; at < end; at += OTHERS) {
            sync();
            move_one.store(one);
            if constexpr (!OF_VALUES) move_two.store(two);
            move_last.store(last);
            if constexpr (!OF_QUERIES) {
                const f32 v = thread() < OTHERS ? negative(stat) : stat;
                if (thread() < 2 * OTHERS) stats[thread() / 4].w[thread() % 4] = bits_as<u32>(v);
            }
            sync();
            if (at + OTHERS < end) load_from(at + OTHERS);
            if ((i64)at >= to_any || (i64)(at + OTHERS) <= from_any) continue;
#pragma unroll
            for (u32 n = 0; n < ACROSS; n++) Base::clear(scores[n]);
            if constexpr (KEPT) this->multiply(one, first, scores);
            else this->multiply_far(one, near, depth, scores);
            if constexpr (!OF_VALUES) {
#pragma unroll
                for (u32 n = 0; n < ACROSS; n++) Base::clear(products[n]);
                if constexpr (KEPT) this->multiply(two, second, products);
                else this->multiply_far(two, far, width, products);
            }
            if (p.bias || p.mask) this->template mask<OF_QUERIES ? 2 : 3>(p, head, at, others, scores);
            if ((i64)(at + OTHERS) > to_all) this->cut(at, to, scores);
            if ((i64)at < from_all) this->cut_before(at, from, scores);
            weigh(stats);
            this->add(last, scores, out);
        }
    }
    RL_FN u32 columns() const { return hidden_uniform((u32)(OF_VALUES ? p.width : p.depth)); }
    // Whether all results of the block are finite.
    RL_FN bool all_finite(Words* lds) const {
        return this->finite(lds, odd, out, OF_QUERIES ? in.queries : in.keys, columns());
    }
    // Stores the rows of a head; `rows` is the number of rows before the span's first one.
    RL_FN void store_result(u64 rows) const {
        if (own >= (OF_QUERIES ? in.queries : in.keys)) return;
        const u64 size = OF_QUERIES ? p.depth : p.depth + p.width;
        const f32 scale = !OF_VALUES ? (f32)p.scale * inverse : HALF ? 1.0f / 32768.0f : 1.0f;
        this->store(p.out + ((rows + own) * size + (OF_VALUES ? p.depth : 0)) * 2, out, columns(), scale);
    }
};
#endif

template <u32 D, Part PART>
RL_DEV constexpr u32 gradient_size() {
    constexpr u32 LEAST = (sizeof(Shared) + 15) / 16;
#if defined(RL_MFMA) || defined(RL_WMMA)
    if (Gradient<D, PART>::SIZE > LEAST) return Gradient<D, PART>::SIZE;
#endif
    return LEAST;
}

// Computes ROWS queries, keys or values of each head. Returns whether all results are finite.
template <u32 D, Part PART>
RL_DEV bool on_units(const AttentionParams& p, const Span& in, Words* lds) {
    bool all = false;
#if defined(RL_MFMA) || defined(RL_WMMA)
    constexpr bool OF_QUERIES = PART == Part::QUERIES;
    all = true;
    each_head(p, OF_QUERIES ? p.heads : p.groups, [&](u64 b, u64 h) RL_INLINE {
        const u64 shared_by = OF_QUERIES ? 1 : p.heads / p.groups;
        const Head head(p, in, b, h * shared_by);
        Gradient<D, PART> sum(p, head);
#pragma unroll 1
        for (u64 n = 0; n < shared_by; n++) sum.run(Head(p, in, b, h * shared_by + n), lds);
        all = sum.all_finite(lds) && all;
        sum.store_result(OF_QUERIES ? head.stats : (b * p.groups + h) * p.keys + in.key);
    });
#endif
    return all;
}

template <u32 D>
RL_DEV void query_grad_all(const AttentionParams& p) {
    __shared__ Words lds[gradient_size<D, Part::QUERIES>()];
    check_offsets(p);
    const Span in = Span(p, block(), false, ROWS).uniform();
    if (in.row0 >= in.queries || on_units<D, Part::QUERIES>(p, in, lds)) return;
    Shared& s = *(Shared*)lds;
    each_head(p, p.heads, [&](u64 b, u64 h) RL_INLINE {
        each_tile(s, in, in.queries, p.depth, [&](const Span& tile, u64 column, u32& step) RL_INLINE {
            query_grad(p, s, Head(p, tile, b, h), column, step);
        });
    });
}

// Blocks of even numbers compute keys, others values.
template <u32 D>
RL_DEV void key_grad_all(const AttentionParams& p) {
    __shared__ Words lds[gradient_size<D, Part::KEYS>()];
    check_offsets(p);
    const bool of_keys = block() % 2 == 0;
    const Span in = Span(p, block() / 2, true, ROWS).uniform();
    if (in.row0 >= in.keys || (of_keys ? on_units<D, Part::KEYS>(p, in, lds) : on_units<D, Part::VALUES>(p, in, lds))) return;
    Shared& s = *(Shared*)lds;
    each_head(p, p.groups, [&](u64 b, u64 group) RL_INLINE {
        each_tile(s, in, in.keys, of_keys ? p.depth : p.width, [&](const Span& tile, u64 column, u32& step) RL_INLINE {
            key_grad(p, s, tile, b, group, of_keys, column, step);
        });
    });
}
#endif

}  // namespace rl
