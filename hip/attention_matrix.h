// attention_matrix.h: the result of attention in f16 and bf16 by matrix units, and the statistics that its gradients need. A block
// computes ROWS queries of a head and goes over keys and values.
//
// Weights are rounded to the type. Those of f16 are multiplied by 2^15 (the largest becomes 2^15), since units flush numbers below
// 2^-14. If a result is not finite, the block computes its rows again by fused multiply-adds: units multiply weights of 0, too.
#pragma once
#include "attention_lanes.h"

namespace rl {

#if defined(RL_T_IS_f16) || defined(RL_T_IS_bf16)
#if defined(RL_MFMA) || defined(RL_WMMA)
// ROWS queries of a head, whose keys and values have up to D elements. Without VALUES, the sums of weights alone.
template <u32 D, bool VALUES>
struct Flash : Lanes<D, (D > 128 ? 32 : 64)> {
    static constexpr u32 KEYS = D > 128 ? 32 : 64;
    using Base = Lanes<D, KEYS>;
    using typename Base::Atom;
    using typename Base::Sums;
    using Base::ACROSS, Base::DOWN, Base::STEPS, Base::LOG2_E, Base::lane, Base::upper, Base::wave, Base::own, Base::known;
    static constexpr u32 SIZE = (VALUES ? 2 : 1) * Base::WORDS;
    // Whether the queries stay in registers. Else they are read for each step of keys, and have whole steps of 32 elements.
    static constexpr bool KEPT = D <= 128;
    static constexpr f32 SHIFT = VALUES && same<RL_T, f16>::value ? 15.0f : 0.0f;

    const AttentionParams& p;
    const Head& head;
    u64 q;          // the address of this lane's query
    Words kept[KEPT ? STEPS : 1][Atom::PACKS];
    f32 peak, sum;  // of this half's keys
    Sums scores[ACROSS], out[VALUES ? DOWN : 1];

    RL_FN Flash(const AttentionParams& params, const Head& h) : Base(h.span.row0, h.span.queries), p(params), head(h) {
        q = row(p.q, p.q_strides);
        if constexpr (KEPT) this->load_own(q, (u32)p.depth, 0, kept);
        peak = lowest<f32>();
        sum = 0.0f;
        if constexpr (VALUES) {
#pragma unroll
            for (u32 i = 0; i < DOWN; i++) Base::clear(out[i]);
        }
    }
    // The address of this lane's row.
    RL_FN u64 row(u64 data, const u64 (&strides)[4]) const {
        return data + (head.batch * strides[0] + head.head * strides[1] + (head.span.query + known) * strides[2]) * 2;
    }
    // Multiplies the keys in LDS by the queries.
    RL_FN void multiply_keys(const Words* keys) {
#pragma unroll
        for (u32 a = 0; a < ACROSS; a++) Base::clear(scores[a]);
        if constexpr (KEPT) this->multiply(keys, kept, scores);
        else this->multiply_far(keys, q, (u32)p.depth, scores);
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
            if constexpr (VALUES) {
#pragma unroll
                for (u32 i = 0; i < DOWN; i++) {
#pragma unroll
                    for (u32 r = 0; r < Atom::KEPT; r++) out[i].v[r] = out[i].v[r] * less;
                }
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
    // Goes over the keys.
    RL_FN void run(Words* lds) {
        const Span& in = head.span;
        Words *keys = lds, *values = lds + Base::WORDS;
        const u64 end = in.keys_end(p);
        const i64 all = (i64)in.keys;
        // The keys of the wave's first query, of this lane's and of the wave's last one.
        const i64 least = keys_of(wave), allowed = keys_of(own);
        const i64 most = wave < in.queries ? keys_of(wave + Atom::COLUMNS - 1) : 0;
        RowMover<Atom, D, KEYS> move_k(start(p.k, p.k_strides), p.k_strides[2], (u32)p.depth);
        ColumnMover<Atom, D, KEYS> move_v(start(p.v, p.v_strides), p.v_strides[2], (u32)p.width);
        const auto load_from = [&](u64 k0) RL_INLINE {
            const u64 rest = (u64)all - 1 - k0;
            const u32 near = hidden_uniform(rest < KEYS ? (u32)rest : KEYS);
            move_k.load(near);
            if constexpr (VALUES) move_v.load(near);
        };
        if (end > 0) load_from(0);
        for (u64 k0 = 0; k0 < end; k0 += KEYS) {
            sync();
            move_k.store(keys);
            if constexpr (VALUES) move_v.store(values);
            sync();
            if (k0 + KEYS < end) load_from(k0 + KEYS);
            if ((i64)k0 >= most) continue;
            multiply_keys(keys);
            if (p.bias || p.mask) this->template mask<2>(p, head, k0, in.keys, scores);
            if ((i64)(k0 + KEYS) > least) this->cut(k0, allowed, scores);
            weigh();
            if constexpr (VALUES) this->add(values, scores, out);
        }
        sum = sum + bits_as<f32>(Atom::other(bits_as<u32>(sum)));
    }
    RL_FN u64 start(u64 data, const u64 (&strides)[4]) const {
        return data + (head.batch * strides[0] + head.group * strides[1] + head.span.key * strides[2]) * 2;
    }
    // The number of keys that query i may attend to.
    RL_FN i64 keys_of(u64 i) const { return head.span.keys_of(p, i); }
    // Whether all results of the block are finite.
    RL_FN bool all_finite(Words* lds) const {
        return this->finite(lds, sum, out, head.span.queries, VALUES ? hidden_uniform((u32)p.width) : 0);
    }
    // The product of this lane's result with its gradient, of which the halves of the wave add every other pack.
    RL_FN f32 dot() const {
        const u64 g = row(p.grad, p.grad_strides), y = row(p.result, p.result_strides);
        const u32 width = hidden_uniform((u32)p.width);
        f32 all = 0.0f;
        for (u32 c = upper * PACK; c < width; c += 2 * PACK) {
            Words a, b;
            load_words<16>(g + c * 2, a.w);
            load_words<16>(y + c * 2, b.w);
            for (u32 n = 0; n < PACK; n++) {
                const u32 low = n % 2 * 16;
                all = fma(acc<RL_T>(RL_T{(u16)(a.w[n / 2] >> low)}), acc<RL_T>(RL_T{(u16)(b.w[n / 2] >> low)}), all);
            }
        }
        // Hidden, as the compiler may move the exchange to where only half of the lanes are left.
        return all + bits_as<f32>(hidden_anew(Atom::other(bits_as<u32>(all))));
    }
    RL_FN void store_statistics() const {
        const f32 product = dot();
        if (own >= head.span.queries || upper != 0) return;
        const u64 to = p.out + (head.stats + own) * 4;
        const f32 largest = p.bias ? peak : peak * (f32)p.scale;
        rl::store((f32*)to, sum == 0.0f ? lowest<f32>() : largest + log(sum));
        rl::store((f32*)(to + p.batch * p.heads * p.queries * 4), product);
    }
    RL_FN void store_result() const {
        if (own >= head.span.queries) return;
        const u32 width = hidden_uniform((u32)p.width);
        this->store(p.out + (head.stats + own) * width * 2, out, width, sum == 0.0f ? 0.0f : div(1.0f, sum));
    }
};
#endif

// Computes ROWS queries by fused multiply-adds.
RL_DEV void attend_exactly(const AttentionParams& p, Shared& s, const Span& in, u64 b, u64 h) {
    each_tile(s, in, in.queries, p.width, [&](const Span& tile, u64 column, u32& step) RL_INLINE {
        attend(p, s, Head(p, tile, b, h), column, step);
    });
}

template <u32 D, bool VALUES>
RL_DEV constexpr u32 flash_size() {
    constexpr u32 LEAST = (sizeof(Shared) + 15) / 16;
#if defined(RL_MFMA) || defined(RL_WMMA)
    if (Flash<D, VALUES>::SIZE > LEAST) return Flash<D, VALUES>::SIZE;
#endif
    return LEAST;
}

template <u32 D>
RL_DEV void attend_all(const AttentionParams& p) {
    __shared__ Words lds[flash_size<D, true>()];
    check_offsets(p);
    const Span in = Span(p, block(), false, ROWS).uniform();
    if (in.row0 >= in.queries) return;
#if defined(RL_MFMA) || defined(RL_WMMA)
    bool all = true;
    each_head(p, p.heads, [&](u64 b, u64 h) RL_INLINE {
        const Head head(p, in, b, h);
        Flash<D, true> flash(p, head);
        flash.run(lds);
        all = flash.all_finite(lds) && all;
        flash.store_result();
    });
    if (all) return;
#endif
    // Not in the loop above, whose registers its addresses would take.
    each_head(p, p.heads, [&](u64 b, u64 h) RL_INLINE { attend_exactly(p, *(Shared*)lds, in, b, h); });
}

template <u32 D>
RL_DEV void statistics_all(const AttentionParams& p) {
    __shared__ Words lds[flash_size<D, false>()];
    check_offsets(p);
    const Span in = Span(p, block(), false, ROWS).uniform();
    if (in.row0 >= in.queries) return;
#if defined(RL_MFMA) || defined(RL_WMMA)
    bool all = true;
    each_head(p, p.heads, [&](u64 b, u64 h) RL_INLINE {
        const Head head(p, in, b, h);
        Flash<D, false> flash(p, head);
        flash.run(lds);
        all = flash.all_finite(lds) && all;
        flash.store_statistics();
    });
    if (all) return;
#endif
    each_head(p, p.heads, [&](u64 b, u64 h) RL_INLINE {
        Shared& s = *(Shared*)lds;
        each_tile(s, in, in.queries, 1, [&](const Span& tile, u64, u32& step) RL_INLINE {
            statistics(p, s, Head(p, tile, b, h), step);
        });
    });
}
#endif

}  // namespace rl
