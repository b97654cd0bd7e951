// pointwise_loss: a loss of each element of an input and a target, the sum or mean of the losses (by the reduction tree), and
// the gradients. Compiled for the dtype RL_T.
#include "activation.h"
#include "reduce.h"

namespace rl {

#if RL_FLOAT
using A = acc_t<RL_T>;

// max(log, -100): the least logarithm of a probability, as in PyTorch.
RL_DEV A limited(A log) { return maximum(log, (A)-100); }

// ln(1 + e^-|x|).
RL_DEV A softness(A x) { return log1p(exp(-absolute(x))); }

// Stirling's approximation of ln(t!), and its derivative; 0 up to 1. The constant is ln(2 pi).
RL_DEV A stirling(A t) {
    if (t <= 1) return 0;
    const A l = log(t);
    return t * l - t + (A)0.5 * ((A)1.8378770664093453 + l);
}
RL_DEV A stirling_slope(A t) { return t <= 1 ? (A)0 : log(t) + div((A)0.5, t); }

RL_DEV A loss(LossKind kind, A p, A x, A t) {
    switch (kind) {
        case LossKind::Mse: return (x - t) * (x - t);
        case LossKind::L1: return absolute(x - t);
        case LossKind::SmoothL1:
        case LossKind::Huber: {
            const A size = absolute(x - t), m = size < p ? size : p;
            return (kind == LossKind::Huber ? m : div(m, p)) * (size - (A)0.5 * m);
        }
        case LossKind::Bce: return (t - 1) * limited(log1p(-x)) - t * limited(log(x));
        case LossKind::BceWithLogits: return (1 - t) * x - ((x < 0 ? x : (A)0) - softness(x));
        case LossKind::KlDiv: return (t == 0 ? (A)0 : t * log(t)) - t * x;
        case LossKind::KlDivLog: return exp(t) * (t - x);
        case LossKind::PoissonNll: return x - t * log(x + p);
        case LossKind::PoissonNllLog: return exp(x) - t * x;
        case LossKind::PoissonNllFull: return x - t * log(x + p) + stirling(t);
        case LossKind::PoissonNllLogFull: return exp(x) - t * x + stirling(t);
        case LossKind::SoftMargin: {
            const A z = t * x;
            return (z < 0 ? -z : (A)0) + softness(z);
        }
        case LossKind::HingeEmbedding: {
            const A far = p - x < 0 ? (A)0 : p - x;
            return (t == 1 ? (A)0 : far) + (t == -1 ? (A)0 : x);
        }
        default: {
            const A u = p - t * x;
            return u < 0 ? (A)0 : u;
        }
    }
}

// The derivative by x.
RL_DEV A slope(LossKind kind, A p, A x, A t) {
    switch (kind) {
        case LossKind::Mse: return (A)2 * (x - t);
        case LossKind::L1: return sign(x - t);
        case LossKind::SmoothL1:
        case LossKind::Huber: {
            const A d = x - t, m = d > p ? p : d < -p ? -p : d;
            return kind == LossKind::Huber ? m : div(m, p);
        }
        case LossKind::Bce: return div(x - t, maximum((1 - x) * x, (A)1e-12));
        case LossKind::BceWithLogits: {
            const A e = exp(-absolute(x)), tail = div(e, 1 + e);
            return x >= 0 ? (1 - t) - tail : tail - t;
        }
        case LossKind::KlDiv: return -t;
        case LossKind::KlDivLog: return -exp(t);
        case LossKind::PoissonNll:
        case LossKind::PoissonNllFull: return 1 - div(t, x + p);
        case LossKind::PoissonNllLog:
        case LossKind::PoissonNllLogFull: return exp(x) - t;
        case LossKind::SoftMargin: return -t * logistic(-(t * x));
        case LossKind::HingeEmbedding: return (t == -1 ? (A)0 : (A)1) + (t != 1 && p - x >= 0 ? (A)-1 : (A)0);
        default: return p - t * x >= 0 ? -t : (A)0;
    }
}

// The derivative by t.
RL_DEV A target_slope(LossKind kind, A p, A x, A t) {
    switch (kind) {
        case LossKind::Mse:
        case LossKind::L1:
        case LossKind::SmoothL1:
        case LossKind::Huber: return slope(kind, p, t, x);  // with x and t exchanged
        case LossKind::Bce: return log1p(-x) - log(x);
        case LossKind::BceWithLogits:
        case LossKind::PoissonNllLog: return -x;
        case LossKind::KlDiv: return (t == 0 ? (A)0 : log(t) + 1) - x;
        case LossKind::KlDivLog: return exp(t) * (t - x + 1);
        case LossKind::PoissonNll: return -log(x + p);
        case LossKind::PoissonNllFull: return stirling_slope(t) - log(x + p);
        case LossKind::PoissonNllLogFull: return stirling_slope(t) - x;
        case LossKind::SoftMargin: return -x * logistic(-(t * x));
        case LossKind::HingeEmbedding: return 0;
        default: return p - t * x >= 0 ? -x : (A)0;
    }
}

struct pointwise_loss_fn {
    LossKind kind;
    A p;
    RL_FN RL_T operator()(RL_T x, RL_T t) const { return from_acc<RL_T>(loss(kind, p, acc<RL_T>(x), acc<RL_T>(t))); }
};
struct pointwise_loss_backward_fn {
    LossKind kind;
    bool of_target;
    A p, scale;
    RL_FN RL_T operator()(RL_T grad, RL_T input, RL_T target) const {
        const A x = acc<RL_T>(input), t = acc<RL_T>(target);
        return from_acc<RL_T>(acc<RL_T>(grad) * scale * (of_target ? target_slope(kind, p, x, t) : slope(kind, p, x, t)));
    }
};
// The sum of the losses, or their mean. aux: the kind, and the parameter's bits; flag: 1 for the mean.
struct LossSum : Sum<RL_T> {
    using P = ReduceParams<2>;
    static constexpr int N = 2;
    LossKind kind;
    A parameter;
    RL_FN void open(const P& p, u64) {
        kind = (LossKind)p.aux[0];
        parameter = (A)bits_as<f64>(p.aux[1]);
    }
    RL_FN A load(const P& p, const u64 (&at)[2], u64) const {
        const RL_T x = ((const RL_T*)p.input[0])[(i64)at[0]], t = ((const RL_T*)p.input[1])[(i64)at[1]];
        return loss(kind, parameter, acc<RL_T>(x), acc<RL_T>(t));
    }
    static RL_FN void write(const P& p, u64 o, A v) {
        ((RL_T*)p.out)[o] = from_acc<RL_T>(p.flag ? div<A>(v, (A)(f64)p.total) : v);
    }
};
RL_DEV pointwise_loss_fn loss_of(const PointwiseLossParams& p) { return pointwise_loss_fn{p.kind, (A)p.parameter}; }
#endif

}  // namespace rl

#if RL_FLOAT
RL_KERNEL(pointwise_loss, contig)(rl::ElementwiseParams<3, rl::PointwiseLossParams> p) {
    rl::map2_contig<rl::RL_T, rl::RL_T, rl::RL_T>(p, rl::loss_of(p.extra));
}
RL_KERNEL(pointwise_loss, strided)(rl::ElementwiseParams<3, rl::PointwiseLossParams> p) {
    rl::map2_strided<rl::RL_T, rl::RL_T, rl::RL_T>(p, rl::loss_of(p.extra));
}
RL_KERNEL(pointwise_loss_backward, strided)(rl::ElementwiseParams<4, rl::PointwiseLossParams> p) {
    const rl::pointwise_loss_backward_fn f{p.extra.kind, p.extra.of_target != 0, (rl::A)p.extra.parameter, (rl::A)p.extra.scale};
    rl::map3_strided<rl::RL_T, rl::RL_T, rl::RL_T, rl::RL_T>(p, f);
}
RL_REDUCE_ROWS(pointwise_loss_sum, rl::LossSum)
#endif
