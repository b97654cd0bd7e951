// complex.h: arithmetic of complex numbers (docs/NUMERICS.md). Each operation on the parts is rounded once.
#pragma once
#include "num.h"

namespace rl {

template <class R>
RL_DEV complex<R> add(complex<R> a, complex<R> b) {
    return {a.re + b.re, a.im + b.im};
}
template <class R>
RL_DEV complex<R> sub(complex<R> a, complex<R> b) {
    return {a.re - b.re, a.im - b.im};
}
template <class R>
RL_DEV complex<R> mul(complex<R> a, complex<R> b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class R>
RL_DEV complex<R> neg(complex<R> a) {
    return {-a.re, -a.im};
}
template <class R>
RL_DEV complex<R> conjugate(complex<R> a) {
    return {a.re, -a.im};
}

// Smith's method: the divisor's smaller part is divided by the larger one first.
template <class R>
RL_DEV complex<R> div(complex<R> a, complex<R> b) {
    if (b.re == 0 && b.im == 0) return {div(a.re, fabs(b.re)), div(a.im, fabs(b.re))};
    if (fabs(b.re) >= fabs(b.im)) {
        const R ratio = div(b.im, b.re), by = b.re + b.im * ratio;
        return {div(a.re + a.im * ratio, by), div(a.im - a.re * ratio, by)};
    }
    const R ratio = div(b.re, b.im), by = b.re * ratio + b.im;
    return {div(a.re * ratio + a.im, by), div(a.im * ratio - a.re, by)};
}

// 1 / v, without the terms of a numerator's imaginary part, which compilers for AMD fold to another sign of zero.
template <class R>
RL_DEV complex<R> inverse(complex<R> v) {
    if (v.re == 0 && v.im == 0) return {div((R)1, fabs(v.re)), div((R)0, fabs(v.re))};
    if (fabs(v.re) >= fabs(v.im)) {
        const R ratio = div(v.im, v.re), by = v.re + v.im * ratio;
        return {div((R)1, by), div(-ratio, by)};
    }
    const R ratio = div(v.re, v.im), by = v.re * ratio + v.im;
    return {div(ratio, by), div((R)-1, by)};
}

// The absolute value: infinite if a part is, even if the other one is NaN.
template <class R>
RL_DEV R magnitude(complex<R> v) {
    const R a = fabs(v.re), b = fabs(v.im);
    if (is_inf(a)) return a;
    if (is_inf(b)) return b;
    const bool swapped = a < b;
    const R large = swapped ? b : a, small = swapped ? a : b;
    if (large == 0) return large + small;
    const R ratio = div(small, large);
    return large * sqrt((R)1 + ratio * ratio);
}

// Powers of 4 by which `root` multiplies large numbers and small ones, and what the root is multiplied by then.
template <class R>
struct root_scale;
template <>
struct root_scale<f32> {
    static constexpr f32 many = 8.5070587e37f, few = 9.8607613e-32f, up = 16777216.0f, after_up = 2.44140625e-4f;
};
template <>
struct root_scale<f64> {
    static constexpr f64 many = 4.4942328371557893e307, few = 1.0020841800044864e-292, up = 18014398509481984.0,
                         after_up = 7.450580596923828e-9;
};

// The square root whose real part is not negative.
template <class R>
RL_DEV complex<R> root(complex<R> v) {
    using S = root_scale<R>;
    R a = fabs(v.re), b = fabs(v.im);
    if (is_inf(b)) return {b, v.im};
    if (is_inf(a)) {
        const R zero = is_nan(v.im) ? v.im : (R)0;
        if (v.re > 0) return {a, copysign(zero, v.im)};
        return {zero, copysign(a, v.im)};
    }
    if (a == 0 && b == 0) return {0, v.im};
    const R size = a < b || is_nan(a) ? b : a;
    const bool is_many = size >= S::many, is_few = size < S::few;
    const R scale = is_many ? (R)0.0625 : is_few ? S::up : (R)1, back = is_many ? (R)4 : is_few ? S::after_up : (R)1;
    a *= scale;
    b *= scale;
    R t = sqrt((a + magnitude(complex<R>{a, b})) * (R)0.5);
    const R other = div(b, t + t) * back;
    t *= back;
    if (v.re >= 0) return {t, copysign(other, v.im)};
    return {other, copysign(t, v.im)};
}

// v / |v|, and 0 for 0.
template <class R>
RL_DEV complex<R> direction(complex<R> v) {
    R size = magnitude(v);
    if (size == 0) return {0, 0};
    if (is_inf(size) && !is_inf(v.re) && !is_inf(v.im)) {
        // (NaN has no infinite magnitude unless the other part is infinite.)
        v = {v.re * (R)0.5, v.im * (R)0.5};
        size = magnitude(v);
    }
    return {div(v.re, size), div(v.im, size)};
}

// 1, and a value divided by a count.
template <class A>
RL_DEV A one() {
    if constexpr (is_complex<A>::value) return {1, 0};
    else return (A)1;
}
template <class A>
RL_DEV A divided(A v, u64 n) {
    return div(v, (A)(f64)n);
}
template <class R>
RL_DEV complex<R> divided(complex<R> v, u64 n) {
    return {divided(v.re, n), divided(v.im, n)};
}

}  // namespace rl
