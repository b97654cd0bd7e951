// complex: elementwise ops on complex numbers, and `complex`, which joins parts of the dtype RL_T. Two kernels (contig, strided)
// for each op, named as the ops.
#include "complex.h"
#include "elementwise.h"

#if RL_FLOAT
namespace rl {
struct complex_fn {
    RL_FN complex<RL_T> operator()(RL_T re, RL_T im) const { return {re, im}; }
};
}  // namespace rl
RL_MAP2(complex, rl::complex<rl::RL_T>, rl::RL_T, rl::RL_T)
#endif

#if RL_COMPLEX
namespace rl {
using Part = decltype(RL_T::re);
RL_DEV bool is_zero(RL_T v) { return v.re == 0 && v.im == 0; }
}  // namespace rl

RL_EW2(add, add(a, b))
RL_EW2(sub, sub(a, b))
RL_EW2(mul, mul(a, b))
RL_EW2(div, div(a, b))
RL_EW1(neg, neg(v))
RL_EW1(conj_physical, conjugate(v))
RL_EW1(square, mul(v, v))
RL_EW1(reciprocal, inverse(v))
RL_EW1(sgn, direction(v))

// RL_PART(op, expr): a function of the number v whose result is real.
#define RL_PART(op, expr)                                                  \
    namespace rl {                                                         \
    struct op##_fn {                                                       \
        RL_FN Part operator()(RL_T v) const { return expr; }               \
    };                                                                     \
    }                                                                      \
    RL_MAP1(op, rl::Part, rl::RL_T)
RL_PART(abs, magnitude(v))
RL_PART(real, v.re)
RL_PART(imag, v.im)

// Bytes of 0 and 1, which serve as bool and as u8.
#define RL_TEST1(op, expr)                                                 \
    namespace rl {                                                         \
    struct op##_fn {                                                       \
        RL_FN u8 operator()(RL_T a) const { return (u8)(expr); }           \
    };                                                                     \
    }                                                                      \
    RL_MAP1(op, rl::u8, rl::RL_T)
#define RL_TEST2(op, expr)                                                 \
    namespace rl {                                                         \
    struct op##_fn {                                                       \
        RL_FN u8 operator()(RL_T a, RL_T b) const { return (u8)(expr); }   \
    };                                                                     \
    }                                                                      \
    RL_MAP2(op, rl::u8, rl::RL_T, rl::RL_T)
RL_TEST2(eq, a.re == b.re && a.im == b.im)
RL_TEST2(ne, a.re != b.re || a.im != b.im)
RL_TEST1(isnan, is_nan(a.re) || is_nan(a.im))
RL_TEST1(isinf, is_inf(a.re) || is_inf(a.im))
RL_TEST1(isfinite, !(is_nan(a.re) || is_nan(a.im) || is_inf(a.re) || is_inf(a.im)))
RL_TEST1(logical_not, is_zero(a))
RL_TEST2(logical_and, !is_zero(a) && !is_zero(b))
RL_TEST2(logical_or, !is_zero(a) || !is_zero(b))
RL_TEST2(logical_xor, is_zero(a) != is_zero(b))

namespace rl {
// x * mul + add with real numbers. Adding 0 would turn -0 into 0, so nothing is added then.
struct affine_fn {
    Part mul, add;
    bool adds;
    RL_FN RL_T operator()(RL_T v) const {
        const Part re = v.re * mul;
        return {adds ? re + add : re, v.im * mul};
    }
    static RL_FN affine_fn of(const AffineParams& p) { return {(Part)p.mul, (Part)p.add, p.add != 0}; }
};
}  // namespace rl
RL_KERNEL(affine, contig)(rl::ElementwiseParams<2, rl::AffineParams> p) { rl::map1_contig<rl::RL_T, rl::RL_T>(p, rl::affine_fn::of(p.extra)); }
RL_KERNEL(affine, strided)(rl::ElementwiseParams<2, rl::AffineParams> p) { rl::map1_strided<rl::RL_T, rl::RL_T>(p, rl::affine_fn::of(p.extra)); }
#endif
