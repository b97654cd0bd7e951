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

RL_DEV A activation_grad(ActivationKind kind, A z, A g) {
    switch (kind) {
        case ActivationKind::Relu: return z <= 0 ? (A)0 : g;
        case ActivationKind::Gelu: return gaussian_linear_erf_grad(z, g);
        case ActivationKind::GeluTanh: return gaussian_linear_tanh_grad(z, g);
        case ActivationKind::Sigmoid: return logistic_grad(logistic(z), g);
        case ActivationKind::Silu: return sigmoid_linear_grad(z, g);
        default: return tanh_grad(tanh(z), g);
    }
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
        return from_acc<RL_T>(activation_grad(kind, acc<RL_T>(x) + acc<RL_T>(bias), acc<RL_T>(g)));
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
