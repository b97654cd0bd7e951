// unary: two kernels (contig, strided) for each op of the family, for the dtype RL_T, named as the ops.
#include "activation.h"
#include "elementwise.h"

namespace rl {

#if RL_FLOAT
using A = acc_t<RL_T>;

// A polynomial, coefficients from the highest order on.
template <int N>
RL_FN A polynomial(A x, const f64 (&c)[N]) {
    A p = (A)c[0];
    for (int i = 1; i < N; i++) p = mul(p, x) + (A)c[i];
    return p;
}

// The inverse of erf by quotients of polynomials (Wichura 1988, algorithm AS 241).
RL_FN A error_inverse(A x) {
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
#endif

}  // namespace rl

#if RL_FLOAT
RL_EW1(exp, exp(v))
RL_EW1(log, log(v))
RL_EW1(log1p, log1p(v))
RL_EW1(expm1, expm1(v))
RL_EW1(log2, log2(v))
RL_EW1(log10, log10(v))
RL_EW1(sin, sin(v))
RL_EW1(cos, cos(v))
RL_EW1(tan, tan(v))
RL_EW1(asin, asin(v))
RL_EW1(acos, acos(v))
RL_EW1(atan, atan(v))
RL_EW1(sinh, sinh(v))
RL_EW1(cosh, cosh(v))
RL_EW1(tanh, tanh(v))
RL_EW1(asinh, asinh(v))
RL_EW1(acosh, acosh(v))
RL_EW1(atanh, atanh(v))
RL_EW1(erf, erf(v))
RL_EW1(erfinv, error_inverse(v))
RL_EW1(sqrt, sqrt(v))
RL_EW1(rsqrt, div((A)1, sqrt(v)))
RL_EW1(reciprocal, div((A)1, v))
RL_EW1(floor, floor(v))
RL_EW1(ceil, ceil(v))
RL_EW1(trunc, trunc(v))
RL_EW1(round, round_even(v))
RL_EW1(frac, v - trunc(v))
RL_EW1(sigmoid, logistic(v))
RL_EW1(silu, sigmoid_linear(v))
RL_EW1(relu_squared, mul(maximum(v, (A)0), maximum(v, (A)0)))
RL_EW1(gelu, gaussian_linear_tanh(v))
RL_EW1(gelu_erf, gaussian_linear_erf(v))
#endif

#if RL_NUMERIC
RL_EW1(square, mul(v, v))
RL_EW1(abs, absolute(v))
RL_EW1(neg, neg(v))
RL_EW1(sign, sign(v))
RL_EW1(relu, maximum(v, (A)0))
#endif

#if RL_INT
RL_EW1(bitwise_not, ~v)
#endif
#if RL_BOOL
namespace rl {
struct bitwise_not_fn {
    RL_FN boolean operator()(boolean v) const { return boolean{(u8)(v.bits == 0)}; }
};
}  // namespace rl
RL_MAP1(bitwise_not, rl::boolean, rl::boolean)
#endif
