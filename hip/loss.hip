// loss: negative log likelihood and cross entropy with class targets, and their gradients. Scores are lines of classes, a
// line for each target; variants as in softmax.hip. Without a reduction the losses are written to the output. Otherwise
// pairs (loss, weight) are written to scratch memory. The last block adds those of up to 32,768 lines by the reduction tree, but in
// variant block; else loss_sum does.
#include "fault.h"
#include "line.h"

namespace rl {

// A loss, and its weight (1 without class weights), by whose sum a mean is divided.
template <class A>
struct Pair {
    A loss;
    f64 weight;
};

#if RL_FLOAT
using A = acc_t<RL_T>;

RL_DEV i64 load_target(const LossParams& p, u64 at) {
    switch (p.index_dtype) {
        case IndexDType::U8: return load((const u8*)p.targets + (i64)at);
        case IndexDType::I16: return load((const i16*)p.targets + (i64)at);
        case IndexDType::I32: return load((const i32*)p.targets + (i64)at);
        case IndexDType::U32: return load((const u32*)p.targets + (i64)at);
        default: return load((const i64*)p.targets + (i64)at);
    }
}

RL_DEV A class_weight(const LossParams& p, u64 c) { return acc<RL_T>(((const RL_T*)p.weights)[(i64)(c * p.weight_step)]); }

// Whether a target is neither ignored nor out of range.
RL_DEV bool counts(const LossParams& p, i64 t) { return t != p.ignore_index && (u64)t < p.classes; }

// Returns the class of a line; -1 if it is ignored, or out of range, which is reported.
RL_DEV i64 target_of(const LossParams& p, u64 line, u64 at, bool report_fault) {
    const i64 t = load_target(p, at);
    if (counts(p, t)) return t;
    if (t == p.ignore_index) return -1;
    if (report_fault) report(p.check, p.target_operand, line, t, p.classes);
    return -1;
}

RL_DEV void put(const LossParams& p, u64 line, i64 t, A loss) {
    if (p.pairs) ((Pair<A>*)p.pairs)[line] = Pair<A>{loss, t < 0 ? 0.0 : p.weighted ? (f64)class_weight(p, t) : 1.0};
    else ((RL_T*)p.out)[line] = from_acc<RL_T>(loss);
}

// Adds pairs; flag: the LossMode. Weights are added in the accumulation type.
struct LossSum : One {
    using C = Pair<A>;
    static constexpr bool FIRST = false, LINEAR = false;
    static RL_FN C zero() { return C{0, 0}; }
    // Both weights are numbers of the accumulation type, so their f64 sum, rounded to that type, is rounded once.
    static RL_FN C join(C a, C b) { return C{a.loss + b.loss, (f64)(A)(a.weight + b.weight)}; }
    static RL_FN void finish(LossMode mode, u64 out, C v) {
        const A d = (A)v.weight;
        if (mode == LossMode::Divisor) *(A*)out = d;
        else if (mode == LossMode::Sum) *(RL_T*)out = from_acc<RL_T>(v.loss);
        else *(RL_T*)out = from_acc<RL_T>(mode == LossMode::ByteMean && d == 0 ? d : div(v.loss, d));
    }
    static RL_FN void write(const ReduceParams<1>& p, u64, C v) { finish((LossMode)p.flag, p.out, v); }
};
// Without class weights the divisor is the number of targets.
struct LossCount : LossSum {
    static RL_FN C join(C a, C b) { return C{a.loss + b.loss, a.weight + b.weight}; }
};

// The last block adds the pairs of all blocks, unless later launches do (no counter). All threads call it.
template <u32 W>
RL_DEV void add_pairs(const LossParams& p) {
    if (!p.counter || !last_block(p.counter, p.blocks)) return;
    const Pair<A>* pairs = (const Pair<A>*)p.pairs;
    // Without class weights LossSum is as exact as LossCount: so few targets are counted exactly in every type.
    reduce_values<LossSum>(pairs, p.lines, Line<A, W>::GROUPS_OF_BLOCK, [&](Pair<A> v) RL_INLINE { LossSum::finish(p.mode, p.out, v); });
}

// -(v - l) w[c] for the score v above the peak and the logarithm l of the sum.
RL_DEV A nll(const LossParams& p, A v, A l, u64 c) {
    const A x = -(v - l);
    return p.weighted ? x * class_weight(p, c) : x;
}

RL_DEV A smoothed(const LossParams& p, A loss, A even) { return loss * (A)p.target_share + even * (A)p.uniform_share; }

template <u32 W>
RL_DEV void entropy_lines(const LossParams& p) {
    each_kept<A, W>(p, p.classes, [&](auto& line) RL_INLINE {
        u64 at[3];
        offsets(p.line_starts, line.index, at);
        const RL_T* x = (const RL_T*)p.scores + (i64)at[0];
        const auto read = [&]() RL_INLINE { if (line.again()) line.read(line.v, x, p.class_step, lowest<A>()); };
        const A m = line.read_peak(x, p.class_step);
        const A sum = line.template total_of<RawSum<A>>(
            read, [](auto) RL_INLINE {}, [&](u32 row, bool) RL_INLINE { return exp(line.v[row] = line.v[row] - m); });
        const A l = log(sum);
        A even = 0;
        if (p.smooth) {
            even = line.template total_of<RawSum<A>>(
                [&]() RL_INLINE {
                    read();
                    line.each([&](u32 row) RL_INLINE { line.v[row] = -((line.again() ? line.v[row] - m : line.v[row]) - l); });
                },
                [&](auto r) RL_INLINE {
                    if (!p.weighted) return;
                    RL_T w[RANGE];
                    line.load_range(r, w, (const RL_T*)p.weights, p.weight_step);
#pragma unroll
                    for (u32 k = 0; k < r.count; k++) {
                        line.v[r.first + k] = line.v[r.first + k] * acc<RL_T>(w[(r.first + k) % RANGE]);
                    }
                },
                [&](u32 row, bool has) RL_INLINE { return has ? line.v[row] : (A)0; });
        }
        if (line.leads()) {
            const i64 t = target_of(p, line.index, at[1], true);
            A loss = 0;
            if (t >= 0) {
                loss = nll(p, acc<RL_T>(load(x + (i64)(t * p.class_step))) - m, l, t);
                if (p.smooth) loss = smoothed(p, loss, even);
            }
            put(p, line.index, t, loss);
        }
    });
    // The compiler for gfx9 runs out of scalar registers in variant block.
    if constexpr (W != 8) add_pairs<W>(p);
}

// Returns the number of targets that count, of those that this thread reads.
template <class T, u32 THREADS>
RL_DEV u32 count_targets(const LossParams& p) {
    constexpr u32 AHEAD = 8;
    const T* targets = (const T*)p.targets;
    u32 n = 0;
#pragma unroll 1
    for (u64 first = thread(); first < p.lines; first += THREADS * AHEAD) {
        T t[AHEAD];
#pragma unroll
        for (u32 k = 0; k < AHEAD; k++) {
            const u64 line = first + k * THREADS;
            t[k] = load(targets + (i64)((line < p.lines ? line : first) * p.line_starts.strides[1][0]));
        }
#pragma unroll
        for (u32 k = 0; k < AHEAD; k++) n += first + k * THREADS < p.lines && counts(p, (i64)t[k]) ? 1 : 0;
    }
    return n;
}

// Returns the number that gradients of means are divided by, to all threads of the block. Without its address (`divisor`), the block
// counts the targets that are not ignored, which are evenly spaced.
template <u32 W>
RL_DEV A divisor_of(const LossParams& p) {
    if (p.mode == LossMode::Each || p.mode == LossMode::Sum) return (A)0;
    if (p.divisor) return *(const A*)p.divisor;
    constexpr u32 GROUPS_OF_BLOCK = Line<A, W>::GROUPS_OF_BLOCK, THREADS = GROUPS_OF_BLOCK * LANES;
    __shared__ u32 part[GROUPS_OF_BLOCK];
    u32 n = 0;
    switch (p.index_dtype) {
        case IndexDType::U8: n = count_targets<u8, THREADS>(p); break;
        case IndexDType::I16: n = count_targets<i16, THREADS>(p); break;
        case IndexDType::I32: n = count_targets<i32, THREADS>(p); break;
        case IndexDType::U32: n = count_targets<u32, THREADS>(p); break;
        default: n = count_targets<i64, THREADS>(p);
    }
    for (u32 half = LANES / 2; half > 0; half /= 2) n += shfl_xor(n, half);
    if (lane32() == 0) part[thread() / LANES] = n;
    sync();
    n = 0;
    for (u32 g = 0; g < GROUPS_OF_BLOCK; g++) n += part[g];
    return (A)(f64)n;
}

// Returns the factor of a line's gradient, where `d` is the divisor.
RL_DEV A coefficient(const LossParams& p, u64 at, A d) {
    const A g = acc<RL_T>(((const RL_T*)p.grad)[(i64)(p.mode == LossMode::Each ? at : 0)]);
    if (p.mode == LossMode::Each || p.mode == LossMode::Sum) return g;
    return p.mode == LossMode::ByteMean && d == 0 ? d : div(g, d);
}
RL_DEV A coefficient(const LossParams& p, u64 at) { return coefficient(p, at, p.divisor ? *(const A*)p.divisor : (A)0); }

// The gradient at class c of a line with target t, where q is its softmax.
RL_DEV A gradient(const LossParams& p, A q, u64 c, i64 t, A k) {
    A v = c == (u64)t ? q - (A)1 : q;
    if (p.weighted) v = v * class_weight(p, t);
    if (p.smooth) {
        const A all = p.weighted ? *(const A*)p.weight_total : (A)(f64)p.classes;
        const A u = p.weighted ? class_weight(p, c) : (A)1;
        v = v * (A)p.target_share + (q * all - u) * (A)p.uniform_share;
    }
    return v * k;
}

// Returns the offset of a line in the gradient, which is row-major.
RL_DEV u64 begin(const LossParams& p, u64 line) {
    if (p.inner == 1) return line * p.classes;
    u64 in;
    const u64 outer = div_mod(line, p.inner, in);
    return outer * p.classes * p.inner + in;
}

template <u32 W>
RL_DEV void backward_lines(const LossParams& p) {
    const A d = divisor_of<W>(p);
    each_kept<A, W>(p, p.classes, [&](auto& line) RL_INLINE {
        u64 at[3];
        offsets(p.line_starts, line.index, at);
        const RL_T* x = (const RL_T*)p.scores + (i64)at[0];
        const A m = line.read_peak(x, p.class_step);
        const auto read = [&]() RL_INLINE { if (line.again()) line.read(line.v, x, p.class_step, lowest<A>()); };
        const A s = line.template total_of<RawSum<A>>(
            read, [](auto) RL_INLINE {}, [&](u32 row, bool) RL_INLINE { return line.v[row] = exp(line.v[row] - m); });
        const i64 t = target_of(p, line.index, at[1], line.leads());
        const A k = coefficient(p, at[2], d);
        RL_T* out = (RL_T*)p.out + begin(p, line.index);
        line.each_round([&]() RL_INLINE {
            if (line.again()) {
                read();
                line.each([&](u32 row) RL_INLINE { line.v[row] = exp(line.v[row] - m); });
            }
            if (t < 0) {
                line.write(out, p.inner, [](u32) RL_INLINE { return (A)0; });
            } else if (p.weighted || p.smooth) {
                line.write_by_loop(out, p.inner, [&](A v, u64 c) RL_INLINE { return gradient(p, div(v, s), c, t, k); });
            } else {
                const u32 target = (u32)t - line.first;
                const u32 row_of = (target - lane32()) / LANES;
                const bool mine = target - lane32() < CHUNK && (target - lane32()) % LANES == 0;
                line.write(out, p.inner, [&](u32 row) RL_INLINE {
                    const A q = div(line.v[row], s);
                    return (mine && row == row_of ? q - (A)1 : q) * k;
                });
            }
        });
    });
}

// Calls f(line, offsets, class, offset in the gradient) for every score.
template <class F>
RL_DEV void each_score(const LossParams& p, F f) {
    const u64 total = p.lines * p.classes;
    for (u64 i = global_thread(); i < total; i += p.blocks * RL_BLOCK) {
        u64 in, k;
        const u64 row = div_mod(i, p.inner, in), outer = div_mod(row, p.classes, k);
        u64 at[3];
        const u64 line = outer * p.inner + in;
        offsets(p.line_starts, line, at);
        f(line, at, k, i);
    }
}
// Calls f(line, offsets) for every line.
template <class F>
RL_DEV void each_line(const LossParams& p, F f) {
    for (u64 i = global_thread(); i < p.lines; i += p.blocks * RL_BLOCK) {
        u64 at[3];
        offsets(p.line_starts, i, at);
        f(i, at);
    }
}

// Label smoothing's uniform part of each line's loss. aux: peaks, totals, weights (0: none); flag: the weights' stride.
struct Smooth : RawSum<RL_T> {
    A m, l;
    RL_FN void open(const ReduceParams<1>& p, u64 o) {
        m = ((const A*)p.aux[0])[o];
        l = log(((const A*)p.aux[1])[o]);
    }
    RL_FN A load(const ReduceParams<1>& p, const u64 (&at)[1], u64 i) const {
        const A v = -((acc<RL_T>(((const RL_T*)p.input[0])[(i64)at[0]]) - m) - l);
        return p.aux[2] ? v * acc<RL_T>(((const RL_T*)p.aux[2])[i * p.flag]) : v;
    }
};

#endif

}  // namespace rl

#if RL_FLOAT
RL_REDUCE(smooth, rl::Smooth)
RL_KERNEL(loss_sum, partials)(rl::ReduceParams<1> p) { rl::reduce_rows<rl::Partials<rl::LossSum>>(p); }
RL_KERNEL(loss_count, partials)(rl::ReduceParams<1> p) { rl::reduce_rows<rl::Partials<rl::LossCount>>(p); }
RL_REDUCE_ROWS(weight_sum, rl::RawSum<rl::RL_T>)

RL_KERNEL(nll_loss, element)(rl::LossParams p) {
    using namespace rl;
    each_line(p, [&](u64 line, const u64 (&at)[3]) {
        const i64 t = target_of(p, line, at[1], true);
        A v = 0;
        if (t >= 0) {
            v = -acc<RL_T>(((const RL_T*)p.scores)[(i64)(at[0] + t * p.class_step)]);
            if (p.weighted) v = v * class_weight(p, t);
        }
        put(p, line, t, v);
    });
    add_pairs<1>(p);
}
RL_KERNEL(cross_entropy, group)(rl::LossParams p) { rl::entropy_lines<1>(p); }
RL_KERNEL(cross_entropy, block)(rl::LossParams p) { rl::entropy_lines<8>(p); }
#if RL_BYTES < 8
RL_KERNEL_WIDE(cross_entropy, wide)(rl::LossParams p) { rl::entropy_lines<32>(p); }
#endif
RL_KERNEL(cross_entropy, element)(rl::LossParams p) {
    using namespace rl;
    each_line(p, [&](u64 line, const u64 (&at)[3]) {
        const i64 t = target_of(p, line, at[1], true);
        A loss = 0;
        if (t >= 0) {
            const A v = acc<RL_T>(((const RL_T*)p.scores)[(i64)(at[0] + t * p.class_step)]) - ((const A*)p.peak)[line];
            loss = nll(p, v, rl::log(((const A*)p.total)[line]), t);
            if (p.smooth) loss = smoothed(p, loss, ((const A*)p.smoothing)[line]);
        }
        put(p, line, t, loss);
    });
    add_pairs<1>(p);
}
// Writes pairs with weights only, from which the divisor of the gradients is computed.
RL_KERNEL(class_weights, element)(rl::LossParams p) {
    using namespace rl;
    each_line(p, [&](u64 line, const u64 (&at)[3]) { put(p, line, target_of(p, line, at[1], true), (A)0); });
    add_pairs<1>(p);
}
RL_KERNEL(nll_loss_backward, element)(rl::LossParams p) {
    using namespace rl;
    each_score(p, [&](u64 line, const u64 (&at)[3], u64 c, u64 i) {
        const i64 t = target_of(p, line, at[1], c == 0);
        A v = 0;
        if (c == (u64)t) {
            v = -coefficient(p, at[2]);
            if (p.weighted) v = v * class_weight(p, t);
        }
        ((RL_T*)p.out)[i] = from_acc<RL_T>(v);
    });
}
RL_KERNEL(cross_entropy_backward, group)(rl::LossParams p) { rl::backward_lines<1>(p); }
RL_KERNEL(cross_entropy_backward, block)(rl::LossParams p) { rl::backward_lines<8>(p); }
#if RL_BYTES < 8
RL_KERNEL_WIDE(cross_entropy_backward, wide)(rl::LossParams p) { rl::backward_lines<32>(p); }
#endif
RL_KERNEL(cross_entropy_backward, element)(rl::LossParams p) {
    using namespace rl;
    each_score(p, [&](u64 line, const u64 (&at)[3], u64 c, u64 i) {
        const i64 t = target_of(p, line, at[1], c == 0);
        A v = 0;
        if (t >= 0) {
            const A x = acc<RL_T>(((const RL_T*)p.scores)[(i64)(at[0] + c * p.class_step)]) - ((const A*)p.peak)[line];
            v = gradient(p, div(rl::exp(x), ((const A*)p.total)[line]), c, t, coefficient(p, at[2]));
        }
        ((RL_T*)p.out)[i] = from_acc<RL_T>(v);
    });
}
#endif
