// batch_norm: batch normalization of [N, C, ..] and its gradients: reductions over the elements of each channel, and one thread
// for each element.
#include "norm.h"

namespace rl {

#if RL_FLOAT
struct Mean : RawSum<RL_T> {
    static RL_FN void write(const ReduceParams<1>& p, u64 o, A v) { ((A*)p.out)[o] = div(v, (A)p.total); }
};

// The corrected mean and the variance, as two rows.
struct Stats : Pairs<1> {
    A mean;
    RL_FN void open(const ReduceParams<1>& p, u64 o) { mean = ((const A*)p.aux[0])[o]; }
    RL_FN Pair load(const ReduceParams<1>& p, const u64 (&at)[1], u64) const {
        const A d = operand(p, 0, at[0]) - mean;
        return Pair{d, d * d};
    }
    static RL_FN void write(const ReduceParams<1>& p, u64 o, Pair v) {
        const A n = (A)p.total, correction = div(v.a, n);
        A* out = (A*)p.out;
        out[o] = ((const A*)p.aux[0])[o] + correction;
        out[p.outputs + o] = div(spread(v.a, v.b, correction), n);
    }
};

// The sums of g y and of g, as two rows.
struct Weights : Pairs<2> {
    A mean, root;
    RL_FN void open(const ReduceParams<2>& p, u64 o) {
        mean = ((const A*)p.aux[0])[o];
        root = inverse_root(((const A*)p.aux[1])[o], (A)bits_as<f64>(p.flag));
    }
    RL_FN Pair load(const ReduceParams<2>& p, const u64 (&at)[2], u64) const {
        const A g = operand(p, 1, at[1]);
        return Pair{g * ((operand(p, 0, at[0]) - mean) * root), g};
    }
    static RL_FN void write(const ReduceParams<2>& p, u64 o, Pair v) {
        ((A*)p.out)[o] = v.a;
        ((A*)p.out)[p.outputs + o] = v.b;
    }
};

// Calls f(channel, offsets in input and gradient, offset in the output) for every element of the output.
template <class F>
RL_DEV void each_element(const BatchNormParams& p, F f) {
    for (u64 i = global_thread(); i < p.iter.count; i += (u64)p.iter.blocks * RL_BLOCK) {
        u64 rest, channel, at[2];
        div_mod(div_mod(i, p.inner, rest), p.channels, channel);
        offsets(p.iter, i, at);
        f(channel, at, i);
    }
}

RL_DEV A root_of(const BatchNormParams& p, u64 channel) { return inverse_root(((const A*)p.var)[channel], (A)p.eps); }
RL_DEV A weighted(const BatchNormParams& p, A root, u64 channel) {
    return p.weight ? root * acc<RL_T>(((const RL_T*)p.weight)[channel]) : root;
}
#endif

}  // namespace rl

#if RL_FLOAT
RL_REDUCE(batch_norm_mean, rl::Mean)
RL_REDUCE(batch_norm_stats, rl::Stats)
RL_REDUCE(batch_norm_weight_grad, rl::Weights)

RL_KERNEL(batch_norm, element)(rl::BatchNormParams p) {
    using namespace rl;
    each_element(p, [&](u64 c, const u64 (&at)[2], u64 i) {
        const A d = acc<RL_T>(((const RL_T*)p.input)[(i64)at[0]]) - ((const A*)p.mean)[c];
        const A v = d * weighted(p, root_of(p, c), c);
        ((RL_T*)p.out)[i] = from_acc<RL_T>(p.bias ? v + acc<RL_T>(((const RL_T*)p.bias)[c]) : v);
    });
}
RL_KERNEL(batch_norm_backward, element)(rl::BatchNormParams p) {
    using namespace rl;
    each_element(p, [&](u64 c, const u64 (&at)[2], u64 i) {
        const A n = (A)p.count, root = root_of(p, c);
        const A y = (acc<RL_T>(((const RL_T*)p.input)[(i64)at[0]]) - ((const A*)p.mean)[c]) * root;
        const A g = acc<RL_T>(((const RL_T*)p.grad)[(i64)at[1]]) - div(((const A*)p.sums)[p.channels + c], n);
        const A along = div(((const A*)p.sums)[c], n);
        ((RL_T*)p.out)[i] = from_acc<RL_T>((g - y * along) * weighted(p, root, c));
    });
}
#endif
