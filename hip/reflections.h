// Householder's reflections `x - tau v (v . x)`, of which decompositions of matrices consist. A block of threads works on one
// matrix. Of complex numbers the sums have the conjugate of v, and a decomposition applies the conjugate of tau.
#pragma once
#include "complex.h"
#include "elementwise.h"

namespace rl {

// Elements of matrices, and their parts.
using E = RL_T;
template <class T>
struct part_of {
    using type = T;
};
template <class R>
struct part_of<complex<R>> {
    using type = R;
};
using A = part_of<E>::type;
constexpr u32 LANES = 32, LINES = RL_BLOCK / LANES;

RL_DEV A nan_value() { return lowest<A>() - lowest<A>(); }
RL_DEV A least_normal() { return sizeof(A) == 4 ? (A)0x1p-126 : (A)0x1p-1022; }
RL_DEV A epsilon() { return sizeof(A) == 4 ? (A)0x1p-23 : (A)0x1p-52; }

// Operations on real numbers and on complex ones, as in the CPU's `Scalar`.
RL_DEV A re_of(A x) { return x; }
RL_DEV A im_of(A) { return 0; }
RL_DEV A conj(A x) { return x; }
RL_DEV A scaled(A x, A by) { return x * by; }
RL_DEV A over(A x, A by) { return div(x, by); }
RL_DEV A plus(A a, A b) { return a + b; }
RL_DEV A times(A a, A b) { return a * b; }
RL_DEV A minus(A x) { return -x; }
RL_DEV A size_of(A x) { return fabs(x); }
RL_DEV A to_positive(A x) { return x < 0 ? (A)-1 : (A)1; }
#if RL_COMPLEX
RL_DEV A re_of(E x) { return x.re; }
RL_DEV A im_of(E x) { return x.im; }
RL_DEV E conj(E x) { return conjugate(x); }
RL_DEV E scaled(E x, A by) { return {x.re * by, x.im * by}; }
RL_DEV E over(E x, A by) { return {div(x.re, by), div(x.im, by)}; }
RL_DEV E plus(E a, E b) { return add(a, b); }
RL_DEV E times(E a, E b) { return mul(a, b); }
RL_DEV E minus(E x) { return neg(x); }
RL_DEV A size_of(E x) { return fma(x.re, x.re, x.im * x.im); }
RL_DEV E to_positive(E x) {
    const A size = sqrt(size_of(x));
    return size == 0 ? E{1, 0} : over(conj(x), size);
}
RL_DEV E fma(E a, E b, E c) {
    return {fma(-a.im, b.im, fma(a.re, b.re, c.re)), fma(a.im, b.re, fma(a.re, b.im, c.im))};
}
RL_DEV E real(A x) { return {x, 0}; }
// The number whose product with another one is the quotient by x.
RL_DEV E divisor_of(E x) {
    const A square = size_of(x);
    return {div(x.re, square), div(-x.im, square)};
}
RL_DEV E quotient(E x, E divisor) { return mul(x, divisor); }
RL_DEV E nan_element() { return {nan_value(), nan_value()}; }
RL_DEV bool is_zero(E x) { return x.re == 0 && x.im == 0; }
#else
RL_DEV E real(A x) { return x; }
RL_DEV E divisor_of(E x) { return x; }
RL_DEV E quotient(E x, E divisor) { return div(x, divisor); }
RL_DEV E nan_element() { return nan_value(); }
RL_DEV bool is_zero(E x) { return x == 0; }
#endif

// A vector, in steps.
struct Vector {
    E* data;
    u64 step;
    RL_FN E& operator[](u64 i) const { return data[i * step]; }
};

// Folds 32 numbers as the reduction tree does.
RL_DEV E fold_lanes(E* lanes) {
    for (u32 half = LANES / 2; half > 0; half /= 2) {
        for (u32 l = 0; l < half; l++) lanes[l] = plus(lanes[l], lanes[l + half]);
    }
    return lanes[0];
}

// Returns the sum of products of the first vector's conjugate and the second vector to all threads, which all call it.
RL_DEV E dot(Vector x, Vector y, u64 count) {
    __shared__ E lanes[LANES];
    __shared__ E result;
    const u64 me = thread();
    sync();
    if (me < LANES) {
        E sum = real(0);
        for (u64 i = me; i < count; i += LANES) sum = fma(conj(x[i]), y[i], sum);
        lanes[me] = sum;
    }
    sync();
    if (me == 0) result = fold_lanes(lanes);
    sync();
    return result;
}

// Returns the largest magnitude of a part of a vector's elements to all threads; those that are NaN are passed over.
template <class V>
RL_DEV A largest(V x, u64 count) {
    __shared__ A sizes[RL_BLOCK];
    const u64 me = thread();
    A most = 0;
    for (u64 i = me; i < count; i += RL_BLOCK) {
        const A a = fabs(re_of(x[i])), b = fabs(im_of(x[i]));
        if (a > most) most = a;
        if (b > most) most = b;
    }
    sync();
    sizes[me] = most;
    sync();
    for (u32 half = RL_BLOCK / 2; half > 0; half /= 2) {
        if (me < half && sizes[me + half] > sizes[me]) sizes[me] = sizes[me + half];
        sync();
    }
    return sizes[0];
}

// Divides a matrix by its largest part if squares of such elements may leave the range, and returns the divisor; NaN if an
// element is infinite or NaN.
RL_DEV A scale_of(E* a, u64 count) {
    __shared__ u32 odd;
    const u64 me = thread();
    const A safe = (A)0x1p40;
    const A most = largest(a, count);
    if (me == 0) odd = 0;
    sync();
    for (u64 e = me; e < count; e += RL_BLOCK) {
        if (re_of(a[e]) - re_of(a[e]) != 0 || im_of(a[e]) - im_of(a[e]) != 0) odd = 1;
    }
    sync();
    const bool bad = odd != 0;
    sync();
    if (bad) return nan_value();
    const A scale = most == 0 || (most <= safe && most * safe >= 1) ? (A)1 : most;
    for (u64 e = me; e < count; e += RL_BLOCK) a[e] = over(a[e], scale);
    sync();
    return scale;
}

// Reflections: their vectors, which are adjacent, each of `height` elements, and tau. That of reflection k begins at row k + offset.
struct Reflections {
    E* v;
    E* tau;
    u64 height;
    u64 count;
    u64 offset;

    RL_FN E* vector(u64 k) const { return v + k * height + k + offset; }
    // The elements that these take.
    RL_FN u64 room() const { return count * (height + 1); }
};

// Makes reflection k of a vector x (of its conjugate), whose inverse changes it to a real number times a unit vector. Returns
// that number to all threads.
RL_DEV A reflection_of(const Reflections& all, u64 k, Vector x, u64 count, bool conjugate) {
    __shared__ E tau, divisor;
    __shared__ A beta;
    const u64 me = thread();
    E* v = all.vector(k);
    const A scale = largest(x, count);
    if (scale != 0) {
        for (u64 i = me; i < count; i += RL_BLOCK) v[i] = over(conjugate ? conj(x[i]) : x[i], scale);
    }
    const A tail = scale != 0 ? re_of(dot({v + 1, 1}, {v + 1, 1}, count - 1)) : (A)0;
    if (me == 0) {
        tau = real(0);
        divisor = real(1);
        beta = re_of(x[0]);
        if (scale != 0 && (tail != 0 || im_of(v[0]) != 0)) {
            const E y = v[0];
            A square = tail;
            if constexpr (is_complex<E>::value) square = fma(im_of(y), im_of(y), tail);
            const A norm = sqrt(fma(re_of(y), re_of(y), square));
            const A change = copysign((A)1, re_of(y)) < 0 ? norm : -norm;
            const A real_tau = div(change - re_of(y), change);
#if RL_COMPLEX
            tau = {real_tau, div(-y.im, change)};
#else
            tau = real_tau;
#endif
            beta = change * scale;
            divisor = divisor_of(plus(y, real(-change)));
        }
        all.tau[k] = tau;
    }
    sync();
    for (u64 i = me; i < count; i += RL_BLOCK) {
        v[i] = i == 0 ? real(1) : is_zero(tau) ? real(0) : quotient(v[i], divisor);
    }
    const A found = beta;
    sync();
    return found;
}

// Changes a column by a reflection; `step` is the distance of its elements.
RL_DEV void reflect(const E* v, E tau, Vector x, u64 count) {
    E sum = real(0);
    for (u64 i = 0; i < count; i++) sum = fma(conj(v[i]), x[i], sum);
    sum = times(tau, sum);
    for (u64 i = 0; i < count; i++) x[i] = fma(minus(v[i]), sum, x[i]);
}

// Writes the first columns of the product of all reflections, row-major.
RL_DEV void product_of(const Reflections& all, u64 columns, E* out) {
    for (u64 j = thread(); j < columns; j += RL_BLOCK) {
        for (u64 i = 0; i < all.height; i++) out[i * columns + j] = real(i == j ? 1 : 0);
        for (u64 left = all.count; left > 0; left--) {
            const u64 k = left - 1, start = k + all.offset;
            if (start > j || is_zero(all.tau[k])) continue;
            reflect(all.vector(k), all.tau[k], {out + start * columns + j, columns}, all.height - start);
        }
    }
    sync();
}

// Returns the first element of a matrix of the input.
RL_DEV const E* matrix_of(const DecomposeParams& p, u64 matrix) {
    u64 at[1];
    offsets(p.a_starts, matrix, at);
    return (const E*)p.a + (i64)at[0];
}
RL_DEV E element(const E* x, const MatrixStrides& strides, u64 row, u64 column) {
    return x[(i64)(row * strides.row + column * strides.column)];
}

RL_DEV void fill_nan(E* out, u64 count) {
    for (u64 e = thread(); e < count; e += RL_BLOCK) out[e] = nan_element();
    sync();
}

}  // namespace rl
