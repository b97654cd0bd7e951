// activation.h: sigmoid, SiLU and GELU of f32 and f64, within a few units in the last place down to the ends of the range.
#pragma once
#include "num.h"

namespace rl {

// Constants of f32 and f64. A pair is a number and the part of its digits that the type cannot hold.
template <class A>
struct activation;
template <>
struct activation<f32> {
    // e^80 is finite, and 1 + e^80 is e^80.
    static constexpr f32 exp_limit = 80.0f;
    // At and below this argument the asymptotic series of the normal distribution's tail is accurate enough.
    static constexpr f32 tail = -10.0f;
    static constexpr f32 linear = 1.5957691669464111f, linear_low = -4.534068054340423e-08f;
    static constexpr f32 cubic = 0.07135481387376785f, cubic_low = 2.3988324659995897e-09f;
    static constexpr f32 root = 0.7071067690849304f, root_low = 1.2101617485882343e-08f;
};
template <>
struct activation<f64> {
    static constexpr f64 exp_limit = 700.0;
    static constexpr f64 tail = -30.0;
    static constexpr f64 linear = 1.5957691216057308, linear_low = -9.96930880911092e-17;
    static constexpr f64 cubic = 0.07135481627260025, cubic_low = -6.175149918155315e-19;
    static constexpr f64 root = 0.7071067811865476, root_low = -4.833646656726457e-17;
};

// 1 / (1 + e^-x), and e^x where e^-x would be infinite.
template <class A>
RL_DEV A logistic(A x) {
    return x > -activation<A>::exp_limit ? div((A)1, (A)1 + exp(-x)) : exp(x);
}
// x / (1 + e^-x), and x e^x, in which no factor is subnormal, where e^-x would be infinite.
template <class A>
RL_DEV A sigmoid_linear(A x) {
    if (x > -activation<A>::exp_limit) return div(x, (A)1 + exp(-x));
    const A half = exp(x * (A)0.5);
    return (x * half) * half;
}
// 0.5 x (1 + tanh(u)), u = sqrt(2/pi) (x + 0.044715 x^3), Hendrycks and Gimpel 2016. It is computed as x / (1 + e^-v) for v
// = 2 u, which does not cancel below 0. Since v is an exponent, its rounding error v_low is corrected.
template <class A>
RL_DEV A gaussian_linear_tanh(A x) {
    using C = activation<A>;
    if (x > 30) return x;
    if (x < -30) return x * (A)0;  // NaN for -infinity
    const A s = x * x, s_low = fma(x, x, -s);
    const A t = C::cubic * s, t_low = fma(C::cubic, s, -t) + (C::cubic * s_low + C::cubic_low * s);
    const A w = C::linear + t, b = w - C::linear;
    const A w_low = ((C::linear - (w - b)) + (t - b)) + (t_low + C::linear_low);
    const A v = x * w, v_low = fma(x, w, -v) + x * w_low;
    if (v > -C::exp_limit) {
        const A e = exp(-v);
        return div(x, (A)1 + (e - e * v_low));
    }
    const A half = exp(v * (A)0.5);
    return (x * half * ((A)1 + v_low)) * half;
}
// x Phi(x), by erfc below 0, where 1 + erf would cancel.
template <class A>
RL_DEV A gaussian_linear_erf(A x) {
    using C = activation<A>;
    if (!(x < -1)) return (A)0.5 * x * erfc(-x * C::root);
    if (x < -40) return x * (A)0;
    if (x > C::tail) {
        const A z = -x * C::root, z_low = fma(-x, C::root, -z) - x * C::root_low, q = erfc(z);
        // Corrects the rounding error of z by the logarithmic derivative of erfc, which is near -(z + sqrt(z^2 + 1.6)).
        return (A)0.5 * x * (q - q * z_low * (z + sqrt(z * z + (A)1.6)));
    }
    // -phi(x) (1 - 1 / x^2 + 3 / x^4 - ..), in which no factor is subnormal.
    const A s = x * x, s_low = fma(x, x, -s), y = div((A)1, s), half = exp(s * (A)-0.25);
    A series = 1;
    for (int k = 13; k > 0; k -= 2) series = (A)1 - (A)k * y * series;
    return -(half * ((A)0.3989422804014327 * series * ((A)1 - s_low * (A)0.5))) * half;
}

}  // namespace rl
