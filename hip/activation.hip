// activation: activation functions of one tensor, and gradients `grad f'(x)` of these and of unary ops. Two kernels (contig,
// strided) for each, named as the ops; v is the element, g the gradient, a and b are the op's numbers.
#include "activation.h"
#include "elementwise.h"

namespace rl {

using A = acc_t<RL_T>;

RL_DEV A clamped(A x, A low, A high) {
    if (x <= low) x = low;
    return x >= high ? high : x;
}
// relu6(x + 3) / 6.
RL_DEV A hard_sigmoid(A x) { return div(clamped(x + (A)3, (A)0, (A)6), (A)6); }
RL_DEV A soft_shrink(A x, A lambd) {
    if (x > lambd) return x - lambd;
    return x < -lambd ? x + lambd : x * (A)0;  // NaN stays
}
RL_DEV A hard_swish_grad(A x, A g) {
    if (x <= (A)-3) return 0;
    return x < (A)3 ? g * div(x + (A)1.5, (A)3) : g;
}
RL_DEV A soft_sign_grad(A x, A g) {
    const A d = (A)1 + absolute(x);  // divided twice, since its square could overflow
    return div(div(g, d), d);
}
// g factor e^z, in which no part is subnormal.
RL_DEV A exponential_grad(A z, A g, A factor) {
    const A half = exp(z * (A)0.5);
    return (g * half) * (half * factor);
}
constexpr f64 selu_scale = 1.0507009873554804935, selu_alpha = 1.6732632423543772848;

// x tanh(ln(1 + e^x)), with e = e^-|x|: the tanh is (1 + 2e) / (1 + 2e + 2e^2), and (e^2 + 2e) / (e^2 + 2e + 2) below 0.
RL_DEV A mish(A x) {
    if (!(x > -activation<A>::exp_limit)) {
        const A half = exp(x * (A)0.5);
        return (x * half) * half;
    }
    if (x > activation<A>::exp_limit) return x;
    const A e = exp_of_negative(-absolute(x));
    if (x > 0) return x * div((A)1 + (A)2 * e, (A)1 + (A)2 * e + (A)2 * e * e);
    const A n = fma(e, e, (A)2 * e);
    return x * div(n, n + (A)2);
}
// The slope is N / D^2: D = 1 + 2e + 2e^2 and N = (1 + 2e) D + 4 x e^2 (1 + e), and below 0 D = e^2 + 2e + 2 and
// N = e ((e + 2) D + 4 x (1 + e)).
RL_DEV A mish_grad(A x, A g) {
    x = within(x, (A)4 * activation<A>::exp_limit);
    const A half = exp(absolute(x) * (A)-0.5), e = half * half;
    if (x > 0) {
        const A p = (A)1 + (A)2 * e, d = (A)1 + (A)2 * e * ((A)1 + e);
        return g * div(p * d + (A)4 * x * e * e * ((A)1 + e), d * d);
    }
    const A p = e + (A)2, d = e * p + (A)2;
    return (g * half) * div(half * (p * d + (A)4 * x * ((A)1 + e)), d * d);
}
// x - tanh(x). Near 0, where it would cancel, by Lambert's continued fraction of tanh, as x N(x^2) / S(x^2).
RL_DEV A tanh_shrink(A x) {
    if (absolute(x) >= (A)1.5) return x - tanh(x);
    const A s = x * x;
    const A n = ((((A)65 * s + (A)42900) * s + (A)6891885) * s + (A)349188840) * s + (A)4583103525.0;
    const A d = (((((A)66 * s + (A)45045) * s + (A)7567560) * s + (A)413513100) * s + (A)6547290750.0) * s + (A)13749310575.0;
    return x * div(s * n, d);
}
RL_DEV A tanh_shrink_grad(A x, A g) {
    const A t = tanh(x);
    return (g * t) * t;
}
RL_DEV A log_sigmoid(A x) { return minimum(x, (A)0) - log1p(exp(-absolute(x))); }
// The slope is 1 / (1 + e^x).
RL_DEV A log_sigmoid_grad(A x, A g) {
    const A half = exp(absolute(x) * (A)-0.5), d = div((A)1, (A)1 + half * half);
    return x > 0 ? (g * half) * (half * d) : g * d;
}
// The slope is 1 / (1 + e^-z), z = beta x.
RL_DEV A softplus_grad(A x, A g, A beta, A threshold) {
    const A z = x * beta;
    if (z > threshold) return g;
    const A half = exp(absolute(z) * (A)-0.5), d = (A)1 + half * half;
    if (z > 0) return div(g, d);
    // z is an exponent, so its rounding error is corrected. (At infinity there is none.)
    const A low = is_inf(z) ? (A)0 : fma(x, beta, -z);
    return (g * half) * div(half + half * low, d);
}

}  // namespace rl

// RL_ACTIVATION(mish, mish(v)): kernels mish_T_contig and mish_T_strided.
#define RL_ACTIVATION(op, expr)                                                              \
    namespace rl {                                                                           \
    struct op##_fn {                                                                         \
        A a, b;                                                                              \
        RL_FN RL_T operator()(RL_T x) const {                                                \
            const A v = acc<RL_T>(x);                                                        \
            return from_acc<RL_T>((A)(expr));                                                \
        }                                                                                    \
    };                                                                                       \
    }                                                                                        \
    RL_KERNEL(op, contig)(rl::ElementwiseParams<2, rl::ActivationNumbers> p) {               \
        rl::map1_contig<rl::RL_T, rl::RL_T>(p, rl::op##_fn{(rl::A)p.extra.a, (rl::A)p.extra.b});   \
    }                                                                                        \
    RL_KERNEL(op, strided)(rl::ElementwiseParams<2, rl::ActivationNumbers> p) {              \
        rl::map1_strided<rl::RL_T, rl::RL_T>(p, rl::op##_fn{(rl::A)p.extra.a, (rl::A)p.extra.b});  \
    }
// RL_GRADIENT(mish_backward, mish_grad(v, g)): kernels mish_backward_T_contig and mish_backward_T_strided.
#define RL_GRADIENT(op, expr)                                                                \
    namespace rl {                                                                           \
    struct op##_fn {                                                                         \
        A a, b;                                                                              \
        RL_FN RL_T operator()(RL_T x, RL_T grad) const {                                     \
            const A v = acc<RL_T>(x), g = acc<RL_T>(grad);                                   \
            return from_acc<RL_T>((A)(expr));                                                \
        }                                                                                    \
    };                                                                                       \
    }                                                                                        \
    RL_KERNEL(op, contig)(rl::ElementwiseParams<3, rl::ActivationNumbers> p) {               \
        rl::map2_contig<rl::RL_T, rl::RL_T, rl::RL_T>(p, rl::op##_fn{(rl::A)p.extra.a, (rl::A)p.extra.b});   \
    }                                                                                        \
    RL_KERNEL(op, strided)(rl::ElementwiseParams<3, rl::ActivationNumbers> p) {              \
        rl::map2_strided<rl::RL_T, rl::RL_T, rl::RL_T>(p, rl::op##_fn{(rl::A)p.extra.a, (rl::A)p.extra.b});  \
    }

RL_ACTIVATION(relu6, clamped(v, a, b))
RL_ACTIVATION(hardtanh, clamped(v, a, b))
RL_ACTIVATION(leaky_relu, v > 0 ? v : v * a)
RL_ACTIVATION(celu, v > 0 ? v : expm1(div(v, a)) * a)
RL_ACTIVATION(selu, v > 0 ? v * (A)selu_scale : expm1(v) * (A)(selu_scale * selu_alpha))
RL_ACTIVATION(mish, mish(v))
RL_ACTIVATION(hardswish, v * hard_sigmoid(v))
RL_ACTIVATION(hardsigmoid, hard_sigmoid(v))
RL_ACTIVATION(threshold, v <= a ? b : v)
RL_ACTIVATION(softshrink, soft_shrink(v, a))
RL_ACTIVATION(hardshrink, v >= -a && v <= a ? (A)0 : v)
RL_ACTIVATION(tanhshrink, tanh_shrink(v))
RL_ACTIVATION(softsign, div(v, (A)1 + absolute(v)))
RL_ACTIVATION(logsigmoid, log_sigmoid(v))

RL_GRADIENT(relu_backward, v <= 0 ? (A)0 : g)
RL_GRADIENT(relu_squared_backward, g * (maximum(v, (A)0) * (A)2))
RL_GRADIENT(sigmoid_backward, logistic_grad(v, g))
RL_GRADIENT(tanh_backward, tanh_grad(v, g))
RL_GRADIENT(silu_backward, sigmoid_linear_grad(v, g))
RL_GRADIENT(gelu_backward, gaussian_linear_tanh_grad(v, g))
RL_GRADIENT(gelu_erf_backward, gaussian_linear_erf_grad(v, g))
RL_GRADIENT(elu_backward, v > 0 ? g : exponential_grad(v, g, a))
RL_GRADIENT(softplus_backward, softplus_grad(v, g, a, b))
RL_GRADIENT(relu6_backward, v <= a || v >= b ? (A)0 : g)
RL_GRADIENT(hardtanh_backward, v <= a || v >= b ? (A)0 : g)
RL_GRADIENT(leaky_relu_backward, v > 0 ? g : g * a)
RL_GRADIENT(celu_backward, v > 0 ? g : exponential_grad(div(v, a), g, (A)1))
RL_GRADIENT(selu_backward, v > 0 ? g * (A)selu_scale : exponential_grad(v, g, (A)(selu_scale * selu_alpha)))
RL_GRADIENT(mish_backward, mish_grad(v, g))
RL_GRADIENT(hardswish_backward, hard_swish_grad(v, g))
RL_GRADIENT(hardsigmoid_backward, v > (A)-3 && v < (A)3 ? div(g, (A)6) : (A)0)
RL_GRADIENT(threshold_backward, v <= a ? (A)0 : g)
RL_GRADIENT(softshrink_backward, v >= -a && v <= a ? (A)0 : g)
RL_GRADIENT(hardshrink_backward, v >= -a && v <= a ? (A)0 : g)
RL_GRADIENT(tanhshrink_backward, tanh_shrink_grad(v, g))
RL_GRADIENT(softsign_backward, soft_sign_grad(v, g))
RL_GRADIENT(logsigmoid_backward, log_sigmoid_grad(v, g))
