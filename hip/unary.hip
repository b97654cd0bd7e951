// unary: two kernels (contig, strided) for each op of the family, for the dtype RL_T, named as the ops.
#include "activation.h"
#include "elementwise.h"

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
