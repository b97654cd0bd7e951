// bias_activation: an activation of the sum of two tensors, and its gradient. A bias is broadcast by strides of 0.
#include "activation.h"
#include "elementwise.h"

namespace rl {

#if RL_FLOAT
using A = acc_t<RL_T>;

RL_DEV A activated(ActivationKind kind, A z) {
    switch (kind) {
        case ActivationKind::Relu: return maximum(z, (A)0);
        case ActivationKind::Gelu: return gaussian_linear_erf(z);
        case ActivationKind::GeluTanh: return gaussian_linear_tanh(z);
        case ActivationKind::Sigmoid: return logistic(z);
        case ActivationKind::Silu: return sigmoid_linear(z);
        default: return tanh(z);
    }
}

// Clamps z to [-most, most], outside of which the derivative equals its limit. NaN stays.
RL_DEV A within(A z, A most) { return maximum(minimum(z, most), -most); }

RL_DEV A slope(ActivationKind kind, A z) {
    const A one = 1;
    if (kind == ActivationKind::Relu) return is_nan(z) ? z : z > 0 ? one : (A)0;
    if (kind == ActivationKind::Gelu) {
        z = within(z, (A)40);
        return (A)0.5 * erfc(-z * activation<A>::root) + z * (exp(z * z * (A)-0.5) * (A)0.3989422804014327);
    }
    if (kind == ActivationKind::GeluTanh) {
        z = within(z, (A)40);
        const A linear = activation<A>::linear, cubic = (A)0.044715;
        const A s = logistic(linear * (z + cubic * z * z * z));
        return s + z * (s * (one - s)) * (linear * (one + (A)3 * cubic * z * z));
    }
    if (kind == ActivationKind::Tanh) {
        const A t = tanh(z);
        return one - t * t;
    }
    const bool silu = kind == ActivationKind::Silu;
    if (silu) z = within(z, activation<A>::exp_limit);
    const A s = logistic(z);
    return silu ? s * (one + z * (one - s)) : s * (one - s);
}

struct bias_activation_fn {
    ActivationKind kind;
    RL_FN RL_T operator()(RL_T x, RL_T bias) const {
        return from_acc<RL_T>(activated(kind, acc<RL_T>(x) + acc<RL_T>(bias)));
    }
};
struct bias_activation_backward_fn {
    ActivationKind kind;
    RL_FN RL_T operator()(RL_T g, RL_T x, RL_T bias) const {
        return from_acc<RL_T>(acc<RL_T>(g) * slope(kind, acc<RL_T>(x) + acc<RL_T>(bias)));
    }
};
#endif

}  // namespace rl

#if RL_FLOAT
RL_KERNEL(bias_activation, strided)(rl::ElementwiseParams<3, rl::ActivationParams> p) {
    rl::map2_strided<rl::RL_T, rl::RL_T, rl::RL_T>(p, rl::bias_activation_fn{p.extra.kind});
}
RL_KERNEL(bias_activation_backward, strided)(rl::ElementwiseParams<4, rl::ActivationParams> p) {
    rl::map3_strided<rl::RL_T, rl::RL_T, rl::RL_T, rl::RL_T>(p, rl::bias_activation_backward_fn{p.extra.kind});
}
#endif
