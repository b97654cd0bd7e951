// norm: layer_norm, rms_norm, group_norm and their gradients, and normalizations that are fused with another op. Lines of up to 8,192
// elements that are evenly spaced in memory are kept in registers (line.h): variant group of up to 1,024 elements, block of more.
// Otherwise reductions compute what each line is normalized by (mean, scale, squares; for gradients also means), and variant
// element writes one element a thread.
#include "activation.h"
#include "index.h"
#include "line.h"
#include "norm.h"

namespace rl {

#if RL_FLOAT
// The numbers that a line is normalized by, adjacent in memory.
struct Scale {
    A mean, correction, scale;
    RL_FN A apply(A v) const { return ((v - mean) - correction) * scale; }
};

// Writes the mean of each line; `LineScale` writes the correction and the scale behind it.
struct Mean : RawSum<RL_T> {
    static RL_FN void write(const ReduceParams<1>& p, u64 o, A v) { ((A*)p.out)[3 * o] = div(v, (A)p.total); }
};

// Writes the correction and the scale of each line behind its mean.
struct LineScale : Pairs<1> {
    A mean;
    RL_FN void open(const ReduceParams<1>& p, u64 o) { mean = ((const A*)p.aux[0])[3 * o]; }
    RL_FN Pair load(const ReduceParams<1>& p, const u64 (&at)[1], u64) const {
        const A d = operand(p, 0, at[0]) - mean;
        return Pair{d, d * d};
    }
    static RL_FN void write(const ReduceParams<1>& p, u64 o, Pair v) {
        const A n = (A)p.total, correction = div(v.a, n);
        A* to = (A*)p.out + 3 * o;
        to[1] = correction;
        to[2] = inverse_root(div(spread(v.a, v.b, correction), n), (A)bits_as<f64>(p.flag));
    }
};

// Writes the scale of each line for rms_norm, which subtracts no mean.
struct Squares : RawSum<RL_T> {
    RL_FN A load(const ReduceParams<1>& p, const u64 (&at)[1], u64) const {
        const A v = operand(p, 0, at[0]);
        return v * v;
    }
    static RL_FN void write(const ReduceParams<1>& p, u64 o, A v) {
        ((Scale*)p.out)[o] = Scale{(A)0, (A)0, inverse_root(div(v, (A)p.total), (A)bits_as<f64>(p.flag))};
    }
};

// The means of h = g * weight and of h y, with y the normalized elements. Operands: input and gradient.
struct Means : Pairs<2> {
    Scale s;
    u64 weight;  // address of the line's first weight, or 0
    RL_FN void open(const ReduceParams<2>& p, u64 o) {
        s = ((const Scale*)p.aux[0])[o];
        u64 group;
        div_mod(o, p.aux[2], group);
        weight = p.aux[1] ? p.aux[1] + group * (p.total / p.aux[3]) * sizeof(RL_T) : 0;
    }
    RL_FN Pair load(const ReduceParams<2>& p, const u64 (&at)[2], u64 i) const {
        A h = operand(p, 1, at[1]);
        if (weight) h = h * acc<RL_T>(((const RL_T*)weight)[p.aux[3] == 1 ? i : i / p.aux[3]]);
        return Pair{h, h * s.apply(operand(p, 0, at[0]))};
    }
    static RL_FN void write(const ReduceParams<2>& p, u64 o, Pair v) {
        const A n = (A)p.total;
        ((Pair*)p.out)[o] = Pair{div(v.a, n), div(v.b, n)};
    }
};

// The sums of g y and of g over the elements that share a weight.
struct Weights : Pairs<2> {
    u64 group;
    RL_FN void open(const ReduceParams<2>& p, u64 o) { group = p.aux[1] == 1 ? 0 : o / p.aux[2]; }
    RL_FN Pair load(const ReduceParams<2>& p, const u64 (&at)[2], u64 i) const {
        const u64 line = (p.aux[3] == 1 ? i : i / p.aux[3]) * p.aux[1] + group;
        const A g = operand(p, 1, at[1]);
        return Pair{g * ((const Scale*)p.aux[0])[line].apply(operand(p, 0, at[0])), g};
    }
    static RL_FN void write(const ReduceParams<2>& p, u64 o, Pair v) {
        ((A*)p.out)[o] = v.a;
        if (p.flag) ((A*)p.out)[p.outputs + o] = v.b;
    }
};

// Returns the index of the weight of element i of a line.
RL_DEV u64 weight_of(const NormParams& p, u64 line, u64 i) {
    u64 group = 0;
    if (p.groups > 1) div_mod(line, p.groups, group);
    return group * p.per + (p.inner == 1 ? i : i / p.inner);
}

RL_DEV A weighted(const NormParams& p, A v, u64 at) { return p.weight ? v * acc<RL_T>(((const RL_T*)p.weight)[at]) : v; }

RL_DEV A finished(const NormParams& p, A v, u64 at) {
    v = weighted(p, v, at);
    return p.bias ? v + acc<RL_T>(((const RL_T*)p.bias)[at]) : v;
}

// Adds two sums at once.
struct Both : Pairs<1> {};

// Subtracts the mean from the line's elements, and returns their scale.
template <u32 W>
RL_DEV A scale_of(const NormParams& p, Line<A, W>& line) {
    const A n = (A)p.length, eps = (A)p.eps;
    if (!p.center) {
        return inverse_root(div(line.total([&](u32 row, bool) RL_INLINE { return line.v[row] * line.v[row]; }), n), eps);
    }
    const A mean = div(line.total([&](u32 row, bool) RL_INLINE { return line.v[row]; }), n);
    const Pair sums = line.template total_of<Both>([&](u32 row, bool has) RL_INLINE {
        const A d = line.v[row] = has ? line.v[row] - mean : (A)0;
        return Pair{d, d * d};
    });
    const A correction = div(sums.a, n);
    line.each([&](u32 row) RL_INLINE { line.v[row] = line.v[row] - correction; });
    return inverse_root(div(spread(sums.a, sums.b, correction), n), eps);
}

// Reads the weights, or biases, of the elements of a range.
template <u32 W, class R>
RL_DEV void read_weights(const NormParams& p, Line<A, W>& line, R r, u64 from, A (&to)[RANGE]) {
    const RL_T* w = (const RL_T*)from;
    if (p.groups == 1 && p.inner == 1) {
        RL_T raw[RANGE];
        line.load_range(r, raw, w, 1);
#pragma unroll
        for (u32 k = 0; k < r.count; k++) to[(r.first + k) % RANGE] = acc<RL_T>(raw[(r.first + k) % RANGE]);
        return;
    }
    u64 group = 0;
    if (p.groups > 1) div_mod(line.index, p.groups, group);
    w += group * p.per;
    // Element i has weight i / inner, and i + 32 that of 32 / inner more, or one more than that.
    const u32 inner = (u32)p.inner, more = LANES / inner, rest = LANES % inner;
    const u32 lane = hidden(lane32()), i = line.first + r.first * LANES + lane;
    u32 at = i / inner, part = i % inner;
#pragma unroll
    for (u32 k = 0; k < r.count; k++) {
        const u32 row = r.first + k;
        to[row % RANGE] = lane + row * LANES < line.count ? acc<RL_T>(load(w + at)) : (A)0;
        at += more;
        part += rest;
        if (part >= inner) {
            part -= inner;
            at++;
        }
    }
}

// Reads the line of this thread's group; returns the offset of its first element in `grad`.
template <u32 W>
RL_DEV u64 read_line(const NormParams& p, Line<A, W>& line) {
    u64 at[2];
    offsets(p.iter, line.index, at);
    line.read(line.v, (const RL_T*)p.input + (i64)at[0], p.step[0], (A)0);
    return at[1];
}

// Calls f(element, its weight or bias) for elements v of a line.
template <u32 W, class F>
RL_DEV void each_weighted(const NormParams& p, Line<A, W>& line, u64 from, A (&v)[ROWS], F f) {
    if (!from) return;
    line.ranges([&](auto r) RL_INLINE {
        A weight[RANGE];
        read_weights(p, line, r, from, weight);
#pragma unroll
        for (u32 k = 0; k < r.count; k++) v[r.first + k] = f(v[r.first + k], weight[(r.first + k) % RANGE]);
    });
}

// Normalizes the line that was read, but for the writing.
template <u32 W>
RL_DEV void norm_line(const NormParams& p, Line<A, W>& line) {
    const A scale = scale_of(p, line);
    line.each([&](u32 row) RL_INLINE { line.v[row] = line.v[row] * scale; });
    each_weighted(p, line, p.weight, line.v, [](A v, A w) RL_INLINE { return v * w; });
    each_weighted(p, line, p.bias, line.v, [](A v, A w) RL_INLINE { return v + w; });
}

template <u32 W>
RL_DEV void plain_lines(const NormParams& p) {
    each_kept<A, W>(p, p.length, [&](auto& line) RL_INLINE {
        read_line(p, line);
        norm_line(p, line);
        line.write((RL_T*)p.out + line.index * p.length, 1, [&](u32 row) RL_INLINE { return line.v[row]; });
    });
}

// As read_line; an index out of range gives zeros.
template <u32 W>
RL_DEV void read_fused(const FusedNormParams& f, Line<A, W>& line) {
    const NormParams& p = f.norm;
    u64 at[2];
    offsets(p.iter, line.index, at);
    const RL_T* x = (const RL_T*)p.input + (i64)at[0];
    bool valid = true;
    if (f.source == NormSource::Rows) {
        const i64 row = load_index(f.index, at[1]);
        valid = inside(f.index, row);
        if (valid) x += (i64)((u64)row * f.index_step);
        else if (line.leads()) report(f.index.check, 1, line.index, row, f.index.size);
    }
    if (valid) line.read(line.v, x, p.step[0], (A)0);
    else line.each([&](u32 row) RL_INLINE { line.v[row] = (A)0; });
    if (f.source != NormSource::Sum) return;
    const RL_T* y = (const RL_T*)p.grad + (i64)at[1];
    line.ranges([&](auto r) RL_INLINE {
        RL_T other[RANGE];
        line.load_range(r, other, y, p.step[1]);
        const u32 lane = hidden(lane32());
#pragma unroll
        for (u32 k = 0; k < r.count; k++) {
            const u32 row = r.first + k;
            const RL_T sum = from_acc<RL_T>(line.v[row] + acc<RL_T>(other[row % RANGE]));
            line.v[row] = lane + row * LANES < line.count ? acc<RL_T>(sum) : (A)0;
        }
    });
}

template <u32 W>
RL_DEV void fused_lines(const FusedNormParams& f) {
    const NormParams& p = f.norm;
    each_kept<A, W>(p, p.length, [&](auto& line) RL_INLINE {
        read_fused(f, line);
        norm_line(p, line);
        RL_T* out = (RL_T*)p.out + line.index * p.length;
        if (f.activation == NormActivation::Gelu) {
            line.write_by_loop(out, 1, [](A v, u64) RL_INLINE { return gaussian_linear_erf(v); });
        } else {
            line.write(out, 1, [&](u32 row) RL_INLINE { return f.activation == NormActivation::Relu ? maximum(line.v[row], (A)0) : line.v[row]; });
        }
    });
}

template <u32 W>
RL_DEV void backward_lines(const NormParams& p) {
    each_kept<A, W>(p, p.length, [&](auto& line) RL_INLINE {
        const u64 at = read_line(p, line);
        A g[ROWS];
        line.read(g, (const RL_T*)p.grad + (i64)at, p.step[1], (A)0);
        const A scale = scale_of(p, line), n = (A)p.length;
        each_weighted(p, line, p.weight, g, [](A v, A w) RL_INLINE { return v * w; });
        const Pair sums = line.template total_of<Both>([&](u32 row, bool has) RL_INLINE {
            line.v[row] = line.v[row] * scale;
            return has ? Pair{g[row], g[row] * line.v[row]} : Pair{(A)0, (A)0};
        });
        const A mean = p.center ? div(sums.a, n) : (A)0, along = div(sums.b, n);
        line.write((RL_T*)p.out + line.index * p.length, 1,
                   [&](u32 row) RL_INLINE { return ((g[row] - mean) - line.v[row] * along) * scale; });
    });
}

RL_DEV A activated(NormActivation kind, A v) {
    if (kind == NormActivation::Relu) return maximum(v, (A)0);
    return kind == NormActivation::Gelu ? gaussian_linear_erf(v) : v;
}

// Calls f(line, position in the line, offsets in input and gradient, offset in the output) for every element.
template <class F>
RL_DEV void each_element(const NormParams& p, F f) {
    const u64 total = p.lines * p.length;
    for (u64 i = global_thread(); i < total; i += p.blocks * RL_BLOCK) {
        u64 k, at[2];
        const u64 line = div_mod(i, p.length, k);
        offsets(p.iter, i, at);
        f(line, k, at, i);
    }
}

template <class Last>
RL_DEV void norm_elements(const NormParams& p, Last last) {
    each_element(p, [&](u64 line, u64 k, const u64 (&at)[2], u64 i) {
        const A v = ((const Scale*)p.scales)[line].apply(acc<RL_T>(((const RL_T*)p.input)[(i64)at[0]]));
        ((RL_T*)p.out)[i] = from_acc<RL_T>(last(finished(p, v, weight_of(p, line, k))));
    });
}
#endif

}  // namespace rl

#if RL_FLOAT
RL_REDUCE_ROWS(norm_mean, rl::Mean)
RL_REDUCE_ROWS(norm_scale, rl::LineScale)
RL_REDUCE_ROWS(norm_squares, rl::Squares)
RL_REDUCE_ROWS(norm_means, rl::Means)
RL_REDUCE(norm_weight_grad, rl::Weights)

RL_KERNEL(norm, group)(rl::NormParams p) { rl::plain_lines<1>(p); }
RL_KERNEL(norm, block)(rl::NormParams p) { rl::plain_lines<8>(p); }
RL_KERNEL(norm, element)(rl::NormParams p) {
    rl::norm_elements(p, [](rl::A v) { return v; });
}
RL_KERNEL(norm_fused, group)(rl::FusedNormParams p) { rl::fused_lines<1>(p); }
RL_KERNEL(norm_fused, block)(rl::FusedNormParams p) { rl::fused_lines<8>(p); }
RL_KERNEL(norm_fused, element)(rl::FusedNormParams p) {
    rl::norm_elements(p.norm, [&](rl::A v) { return rl::activated(p.activation, v); });
}
RL_KERNEL(norm_backward, group)(rl::NormParams p) { rl::backward_lines<1>(p); }
RL_KERNEL(norm_backward, block)(rl::NormParams p) { rl::backward_lines<8>(p); }
RL_KERNEL(norm_backward, element)(rl::NormParams p) {
    using namespace rl;
    each_element(p, [&](u64 line, u64 k, const u64 (&at)[2], u64 i) {
        const Scale s = ((const Scale*)p.scales)[line];
        const Pair m = ((const Pair*)p.means)[line];
        const A y = s.apply(acc<RL_T>(((const RL_T*)p.input)[(i64)at[0]]));
        const A h = weighted(p, acc<RL_T>(((const RL_T*)p.grad)[(i64)at[1]]), weight_of(p, line, k));
        ((RL_T*)p.out)[i] = from_acc<RL_T>(((p.center ? h - m.a : h) - y * m.b) * s.scale);
    });
}
#endif
