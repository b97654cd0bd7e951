// activation.h: sigmoid, SiLU, GELU and their gradients, and the inverse of erf, of f32 and f64, within a few units in the last
// place down to the ends of the range.
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

// e^x for -80 <= x <= 0, within 1.1 units in the last place on every GPU, for results to which several errors add up: the compilers'
// own functions of f32 differ, up to 2 units. x is n ln 2 + r, and e^r a polynomial of degree 6.
RL_DEV f32 exp_of_negative(f32 x) {
    const f32 n = round_even(x * 1.44269504f), r = fma(n, -1.42860677e-06f, fma(n, -0.693145752f, x));
    f32 p = fma(0.00139505055f, r, 0.0083688982f);
    p = fma(fma(fma(p, r, 0.041666206f), r, 0.16666518f), r, 0.5f);
    return (1.0f + fma(r * r, p, r)) * bits_as<f32>((u32)((i32)n + 127) << 23);
}
RL_DEV f64 exp_of_negative(f64 x) { return exp(x); }

// 1 / (1 + e^-x), and e^x where e^-x would be infinite.
template <class A>
RL_DEV A logistic(A x) {
    return x > -activation<A>::exp_limit ? div((A)1, (A)1 + exp(-x)) : exp(x);
}
// x / (1 + e^-y), and x e^y, in which no factor is subnormal, where e^-y would be infinite.
template <class A>
RL_DEV A mul_logistic(A x, A y) {
    if (y > -activation<A>::exp_limit) return div(x, (A)1 + exp(-y));
    const A half = exp(y * (A)0.5);
    return (x * half) * half;
}
template <class A>
RL_DEV A sigmoid_linear(A x) {
    return mul_logistic(x, x);
}
// v = 2 sqrt(2/pi) (x + 0.044715 x^3), with its rounding error v_low.
template <class A>
RL_DEV A gaussian_exponent(A x, A& v_low) {
    using C = activation<A>;
    const A s = x * x, s_low = fma(x, x, -s);
    const A t = C::cubic * s, t_low = fma(C::cubic, s, -t) + (C::cubic * s_low + C::cubic_low * s);
    const A w = C::linear + t, b = w - C::linear;
    const A w_low = ((C::linear - (w - b)) + (t - b)) + (t_low + C::linear_low);
    const A v = x * w;
    v_low = fma(x, w, -v) + x * w_low;
    return v;
}
// 0.5 x (1 + tanh(u)), u = sqrt(2/pi) (x + 0.044715 x^3), Hendrycks and Gimpel 2016. It is computed as x / (1 + e^-v) for v
// = 2 u, which does not cancel below 0. Since v is an exponent, its rounding error v_low is corrected.
template <class A>
RL_DEV A gaussian_linear_tanh(A x) {
    using C = activation<A>;
    if (x > 30) return x;
    if (x < -30) return x * (A)0;  // NaN for -infinity
    A v_low;
    const A v = gaussian_exponent(x, v_low);
    if (v > -C::exp_limit) {
        const A e = exp(-v);
        return div(x, (A)1 + (e - e * v_low));
    }
    const A half = exp(v * (A)0.5);
    return (x * half * ((A)1 + v_low)) * half;
}
// 1 - 1 / x^2 + 3 / x^4 - .., for the square s of x.
template <class A>
RL_DEV A gaussian_tail(A s) {
    const A y = div((A)1, s);
    A series = 1;
    for (int k = 13; k > 0; k -= 2) series = (A)1 - (A)k * y * series;
    return series;
}
// x Phi(x) between the tail and -1, where erfc of f32 is not accurate enough: e^(-x^2 / 2) times a polynomial of (a - 3) / (a + 3),
// a = -x, to 2^-29.6. For f64 it is 0.5 x erfc(-x / sqrt(2)), corrected for the rounding error of erfc's argument by the
// logarithmic derivative of erfc, which is near -(z + sqrt(z^2 + 1.6)).
RL_DEV f32 gaussian_side(f32 x) {
    const f32 s = x * x, s_low = fma(x, x, -s), u = div(-x - 3.0f, 3.0f - x);
    constexpr f32 c[9] = {-0.000576021674f, -3.14942299e-05f, 0.0039821039f, -0.00174135983f, -0.0288611352f,
                          0.0913771093f,    -0.139657199f,    0.109875858f,  0.364541858f};
    f32 p = c[0];
    for (int k = 1; k < 9; k++) p = fma(p, u, c[k]);
    const f32 e = exp_of_negative(s * -0.5f);
    return -p * (e - e * (s_low * 0.5f));
}
RL_DEV f64 gaussian_side(f64 x) {
    using C = activation<f64>;
    const f64 z = -x * C::root, z_low = fma(-x, C::root, -z) - x * C::root_low, q = erfc(z);
    return 0.5 * x * (q - q * z_low * (z + sqrt(z * z + 1.6)));
}
// x Phi(x), by erfc below 0, where 1 + erf would cancel.
template <class A>
RL_DEV A gaussian_linear_erf(A x) {
    using C = activation<A>;
    if (!(x < -1)) return (A)0.5 * x * erfc(-x * C::root);
    if (x < -40) return x * (A)0;
    if (x > C::tail) return gaussian_side(x);
    // -phi(x) (1 - 1 / x^2 + 3 / x^4 - ..), in which no factor is subnormal.
    const A s = x * x, s_low = fma(x, x, -s), half = exp(s * (A)-0.25);
    return -(half * ((A)0.3989422804014327 * gaussian_tail(s) * ((A)1 - s_low * (A)0.5))) * half;
}

// Clamps x to [-most, most], outside of which a slope equals its limit. NaN stays.
template <class A>
RL_DEV A within(A x, A most) {
    return maximum(minimum(x, most), -most);
}
// The gradients are g f'(x), in which no factor is subnormal; those of sigmoid and tanh are computed from the result y.
template <class A>
RL_DEV A logistic_grad(A y, A g) {
    return g * (y * ((A)1 - y));
}
template <class A>
RL_DEV A tanh_grad(A y, A g) {
    return g * (((A)1 - y) * ((A)1 + y));
}
// s (1 + x (1 - s)), s the sigmoid of x.
template <class A>
RL_DEV A sigmoid_linear_grad(A x, A g) {
    x = within(x, (A)4 * activation<A>::exp_limit);
    const A half = exp(absolute(x) * (A)-0.5), e = half * half, d = div((A)1, (A)1 + e);
    if (x > 0) return g * (d * ((A)1 + x * (e * d)));
    return (g * half) * (half * d * ((A)1 + x * d));
}
// s (1 + x (1 - s) v'), s the sigmoid of v.
template <class A>
RL_DEV A gaussian_linear_tanh_grad(A x, A g) {
    if (x > 30) return g;
    if (x < -30) return g * (A)0;
    A v_low;
    const A v = gaussian_exponent(x, v_low), dv = activation<A>::linear + (A)3 * (activation<A>::cubic * (x * x));
    const A half = exp(absolute(v) * (A)-0.5), corrected = half - half * (v > 0 ? v_low : -v_low);
    const A e = half * corrected, d = div((A)1, (A)1 + e);
    if (v > 0) return g * (d * ((A)1 + x * (e * d) * dv));
    return (g * half) * (corrected * d * ((A)1 + x * d * dv));
}
// Phi(x) + x phi(x).
template <class A>
RL_DEV A gaussian_linear_erf_grad(A x, A g) {
    using C = activation<A>;
    if (x > 40) return g;
    if (x < -40) return g * (A)0;
    const A s = x * x;
    if (!(x < -1)) return g * ((A)0.5 * erfc(-x * C::root) + x * (exp(s * (A)-0.5) * (A)0.3989422804014327));
    const A s_low = fma(x, x, -s), half = exp(s * (A)-0.25);
    const A density = half * (A)0.3989422804014327 * ((A)1 - s_low * (A)0.5);
    if (x > C::tail) return g * (div(gaussian_linear_erf(x), x) + x * (half * density));
    return (g * half) * (density * (x - div(gaussian_tail(s), x)));
}

// A polynomial, coefficients from the highest order on.
template <class A, int N>
RL_DEV A polynomial(A x, const f64 (&c)[N]) {
    A p = (A)c[0];
    for (int i = 1; i < N; i++) p = mul(p, x) + (A)c[i];
    return p;
}

// The inverse of erf by quotients of polynomials (Wichura 1988, algorithm AS 241).
template <class A>
RL_DEV A error_inverse(A x) {
    const A a = absolute(x), root = (A)0.70710678118654752440;
    A value, sign = x < (A)0 ? (A)-1 : (A)1;
    if (a <= (A)0.85) {
        const A q = mul((A)0.5, x), r = (A)0.180625 - mul(q, q);
        constexpr f64 above[] = {2509.0809287301227, 33430.57558358813, 67265.7709270087, 45921.95393154987, 13731.69376550946, 1971.5909503065513, 133.14166789178438, 3.3871328727963665};
        constexpr f64 below[] = {5226.495278852854, 28729.085735721943, 39307.89580009271, 21213.794301586597, 5394.196021424751, 687.1870074920579, 42.31333070160091, 1.0};
        return mul(mul(q, root), div(polynomial(r, above), polynomial(r, below)));
    }
    if (a == (A)1) return div(sign, (A)0);
    const A r = sqrt(-log(mul((A)0.5, (A)1 - a)));
    if (r > (A)5) {
        constexpr f64 above[] = {2.0103343992922881e-07, 2.7115555687434876e-05, 0.0012426609473880784, 0.026532189526576124, 0.29656057182850487, 1.7848265399172913, 5.463784911164114, 6.657904643501103};
        constexpr f64 below[] = {2.0442631033899397e-15, 1.421511758316446e-07, 1.8463183175100548e-05, 0.0007868691311456133, 0.014875361290850615, 0.1369298809227358, 0.599832206555888, 1.0};
        value = div(polynomial(r - (A)5, above), polynomial(r - (A)5, below));
    } else {
        constexpr f64 above[] = {0.0007745450142783414, 0.022723844989269184, 0.2417807251774506, 1.2704582524523684, 3.6478483247632045, 5.769497221460691, 4.630337846156546, 1.4234371107496835};
        constexpr f64 below[] = {1.0507500716444169e-09, 0.0005475938084995345, 0.015198666563616457, 0.14810397642748008, 0.6897673349851, 1.6763848301838038, 2.053191626637759, 1.0};
        value = div(polynomial(r - (A)1.6, above), polynomial(r - (A)1.6, below));
    }
    return mul(mul(value, root), sign);
}

}  // namespace rl
