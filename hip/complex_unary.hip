// complex_unary: elementary functions of complex numbers, in the precision of their parts. Special values are those of C's
// Annex G, and an error counts in units of the absolute value (docs/NUMERICS.md). Two kernels (contig, strided) for each op.
#include "complex.h"
#include "elementwise.h"

#if RL_COMPLEX
namespace rl {
using Part = decltype(RL_T::re);

constexpr bool wide = same<Part, f64>::value;
// From here on 1 is nothing beside the square of a number.
constexpr Part large = wide ? (Part)268435456.0 : (Part)16384.0;
// From here on e^-x is nothing beside e^x.
constexpr Part steep = wide ? (Part)22.0 : (Part)11.0;
// e^x is finite up to here.
constexpr Part most = wide ? (Part)709.0 : (Part)88.0;
// The squares of smaller numbers lose digits, or are 0.
constexpr Part least = wide ? (Part)1e-150 : (Part)1e-18;
constexpr Part ln2 = (Part)0.69314718055994530942, ln10 = (Part)2.30258509299404568402;
constexpr Part half_pi = (Part)1.57079632679489661923, quarter_pi = (Part)0.78539816339744830962;

RL_DEV Part infinity() { return -lowest<Part>(); }
RL_DEV Part not_a_number() { return infinity() - infinity(); }
RL_DEV bool is_finite(Part v) { return !is_nan(v) && !is_inf(v); }

// Both numbers times e^x, also where e^x alone would overflow.
RL_DEV RL_T exp_times(Part x, Part a, Part b) {
    if (x > most) {
        const Part half = exp(x * (Part)0.5);
        return {a * half * half, b * half * half};
    }
    const Part e = exp(x);
    return {e * a, e * b};
}

RL_DEV RL_T complex_exp(RL_T z) {
    if (z.im == 0) return {exp(z.re), z.im};
    if (!is_finite(z.im)) {
        if (!is_inf(z.re)) return {not_a_number(), not_a_number()};
        if (z.re > 0) return {z.re, not_a_number()};
        return {0, copysign((Part)0, z.im)};
    }
    return exp_times(z.re, cos(z.im), sin(z.im));
}

RL_DEV RL_T complex_expm1(RL_T z) {
    // (The array API asks for 0 also where the real part is -0.)
    if (z.im == 0) return {expm1(z.re) + 0, z.im};
    if (!is_finite(z.im) || !is_finite(z.re) || z.re > most - 1) {
        const RL_T e = complex_exp(z);
        return {e.re - 1, e.im};
    }
    const Part e = expm1(z.re), s = sin(z.im * (Part)0.5);
    return {e * cos(z.im) - 2 * s * s, (e + 1) * sin(z.im)};
}

// The logarithm of the absolute value, which may itself be out of range.
RL_DEV Part log_of_magnitude(RL_T z) {
    const Part a = fabs(z.re), b = fabs(z.im);
    if (is_inf(a) || is_inf(b)) return infinity();
    const bool swapped = a < b;
    const Part most_of = swapped ? b : a, rest = swapped ? a : b;
    if (most_of == 0 && rest == 0) return lowest<Part>();
    const Part ratio = div(rest, most_of);
    return log(most_of) + (Part)0.5 * log1p(ratio * ratio);
}

RL_DEV RL_T complex_log(RL_T z) { return {log_of_magnitude(z), atan2(z.im, z.re)}; }
RL_DEV RL_T complex_log_to(Part base, RL_T z) {
    const RL_T l = complex_log(z);
    return {div(l.re, base), div(l.im, base)};
}

RL_DEV RL_T complex_log1p(RL_T z) {
    if (fabs(z.re) < (Part)0.5 && fabs(z.im) < (Part)0.5) {
        const Part excess = z.re * (2 + z.re) + z.im * z.im;
        return {(Part)0.5 * log1p(excess), atan2(z.im, 1 + z.re)};
    }
    return complex_log({1 + z.re, z.im});
}

RL_DEV RL_T complex_sinh(RL_T z) {
    if (z.im == 0) return {sinh(z.re), z.im};
    if (!is_finite(z.im)) {
        const bool stays = z.re == 0 || is_inf(z.re);
        return {stays ? z.re : not_a_number(), not_a_number()};
    }
    const Part s = sin(z.im), c = cos(z.im);
    if (fabs(z.re) > steep) {
        const RL_T e = exp_times(fabs(z.re), (Part)0.5 * c, (Part)0.5 * s);
        return {z.re < 0 ? -e.re : e.re, e.im};
    }
    return {sinh(z.re) * c, cosh(z.re) * s};
}

RL_DEV RL_T complex_cosh(RL_T z) {
    if (z.im == 0) return {cosh(z.re), copysign((Part)0, z.re) * z.im};
    if (!is_finite(z.im)) {
        return {is_inf(z.re) ? infinity() : not_a_number(), z.re == 0 ? z.re : not_a_number()};
    }
    const Part s = sin(z.im), c = cos(z.im);
    if (fabs(z.re) > steep) {
        const RL_T e = exp_times(fabs(z.re), (Part)0.5 * c, (Part)0.5 * s);
        return {e.re, z.re < 0 ? -e.im : e.im};
    }
    return {cosh(z.re) * c, sinh(z.re) * s};
}

// Kahan's formula (Branch cuts for complex elementary functions, 1987).
RL_DEV RL_T complex_tanh(RL_T z) {
    if (is_nan(z.re)) return {z.re, z.im == 0 ? z.im : not_a_number()};
    if (is_inf(z.re)) return {copysign((Part)1, z.re), copysign((Part)0, z.im)};
    if (!is_finite(z.im)) return {z.re == 0 ? z.re : not_a_number(), not_a_number()};
    if (fabs(z.re) > steep) {
        const Part e = exp(-2 * fabs(z.re));
        return {copysign((Part)1, z.re), 4 * sin(z.im) * cos(z.im) * e};
    }
    const Part t = tan(z.im), b = 1 + t * t, s = sinh(z.re), d = 1 + b * s * s;
    return {div(b * sqrt(1 + s * s) * s, d), div(t, d)};
}

RL_DEV bool is_large(RL_T z) { return fabs(z.re) > large || fabs(z.im) > large; }

// The formulas of the next three functions are Kahan's, too.
RL_DEV RL_T complex_asinh(RL_T z) {
    if (is_nan(z.re) && z.im == 0) return z;
    if (is_large(z)) {
        return {copysign(log_of_magnitude(z) + ln2, z.re), atan2(z.im, fabs(z.re))};
    }
    const RL_T below = root(RL_T{1 - z.im, z.re}), above = root(RL_T{1 + z.im, -z.re});
    return {asinh(below.im * above.re - below.re * above.im),
            atan2(z.im, below.re * above.re - below.im * above.im)};
}

RL_DEV RL_T complex_acosh(RL_T z) {
    if (is_nan(z.im) && z.re == 0) return {not_a_number(), half_pi};
    if (is_large(z)) return {log_of_magnitude(z) + ln2, atan2(z.im, z.re)};
    const RL_T below = root(RL_T{z.re - 1, z.im}), above = root(RL_T{z.re + 1, z.im});
    return {asinh(below.re * above.re + below.im * above.im), 2 * atan2(below.im, above.re)};
}

RL_DEV RL_T complex_acos(RL_T z) {
    if (is_nan(z.im) && z.re == 0) return {half_pi, not_a_number()};
    if (is_large(z)) {
        return {atan2(fabs(z.im), z.re), -copysign(log_of_magnitude(z) + ln2, z.im)};
    }
    const RL_T below = root(RL_T{1 - z.re, -z.im}), above = root(RL_T{1 + z.re, z.im});
    return {2 * atan2(below.re, above.re), asinh(above.re * below.im - above.im * below.re)};
}

RL_DEV RL_T complex_atanh(RL_T z) {
    const Part x = fabs(z.re), y = fabs(z.im);
    Part re = 0, im = half_pi;
    if (is_inf(x) || is_inf(y)) {
        if (is_nan(y)) im = y;
    } else if (is_nan(y)) {
        return {x == 0 ? z.re : not_a_number(), not_a_number()};
    } else if (is_large(z)) {
        // pi / 2 i + 1 / z.
        const bool swapped = x < y;
        const Part most_of = swapped ? y : x, ratio = div(swapped ? x : y, most_of);
        const Part by = 1 + ratio * ratio;
        re = div(div(swapped ? ratio : (Part)1, most_of), by);
        im = half_pi - div(div(swapped ? (Part)1 : ratio, most_of), by);
    } else if (x == 1 && y < least) {
        re = (Part)0.5 * (ln2 - log(y));
        im = y == 0 ? (Part)0 : quarter_pi;
    } else {
        const Part d = 1 - x;
        re = (Part)0.25 * log1p(div(4 * x, d * d + y * y));
        im = (Part)0.5 * atan2(2 * y, d * (1 + x) - y * y);
    }
    return {copysign(re, z.re), copysign(im, z.im)};
}

// i z, and -i w: functions of angles are hyperbolic ones of i z.
RL_DEV RL_T turned(RL_T z) { return {-z.im, z.re}; }
RL_DEV RL_T turned_back(RL_T w) { return {w.im, -w.re}; }
}  // namespace rl

RL_EW1(exp, complex_exp(v))
RL_EW1(expm1, complex_expm1(v))
RL_EW1(log, complex_log(v))
RL_EW1(log1p, complex_log1p(v))
RL_EW1(log2, complex_log_to(ln2, v))
RL_EW1(log10, complex_log_to(ln10, v))
RL_EW1(sinh, complex_sinh(v))
RL_EW1(cosh, complex_cosh(v))
RL_EW1(tanh, complex_tanh(v))
RL_EW1(sin, turned_back(complex_sinh(turned(v))))
RL_EW1(cos, complex_cosh(turned(v)))
RL_EW1(tan, turned_back(complex_tanh(turned(v))))
RL_EW1(asinh, complex_asinh(v))
RL_EW1(acosh, complex_acosh(v))
RL_EW1(atanh, complex_atanh(v))
RL_EW1(asin, turned_back(complex_asinh(turned(v))))
RL_EW1(acos, complex_acos(v))
RL_EW1(atan, turned_back(complex_atanh(turned(v))))
RL_EW1(sqrt, root(v))
RL_EW1(rsqrt, inverse(root(v)))
#endif
