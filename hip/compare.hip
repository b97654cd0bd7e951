// compare: comparisons and predicates of RL_T. Outputs are bytes of 0 and 1, which serve as bool and as u8.
#include "elementwise.h"

namespace rl {
#if RL_BOOL
using Key = u8;
RL_DEV Key key(boolean v) { return v.bits; }
#else
using Key = acc_t<RL_T>;
RL_DEV Key key(RL_T v) { return acc<RL_T>(v); }
#endif
}  // namespace rl

#define RL_PREDICATE1(op, expr)                                     \
    namespace rl {                                                  \
    struct op##_fn {                                                \
        RL_FN u8 operator()(RL_T x) const {                         \
            const Key a = key(x);                                   \
            return (u8)(expr);                                      \
        }                                                           \
    };                                                              \
    }                                                               \
    RL_MAP1(op, rl::u8, rl::RL_T)
#define RL_PREDICATE2(op, expr)                                     \
    namespace rl {                                                  \
    struct op##_fn {                                                \
        RL_FN u8 operator()(RL_T x, RL_T y) const {                 \
            const Key a = key(x), b = key(y);                       \
            return (u8)(expr);                                      \
        }                                                           \
    };                                                              \
    }                                                               \
    RL_MAP2(op, rl::u8, rl::RL_T, rl::RL_T)

RL_PREDICATE2(eq, a == b)
RL_PREDICATE2(ne, a != b)
RL_PREDICATE2(le, a <= b)
RL_PREDICATE2(ge, a >= b)
RL_PREDICATE2(lt, a < b)
RL_PREDICATE2(gt, a > b)

RL_PREDICATE1(logical_not, a == 0)
RL_PREDICATE2(logical_and, a != 0 && b != 0)
RL_PREDICATE2(logical_or, a != 0 || b != 0)
RL_PREDICATE2(logical_xor, (a != 0) != (b != 0))

#if RL_FLOAT
RL_PREDICATE1(isnan, is_nan(a))
RL_PREDICATE1(isinf, is_inf(a))
RL_PREDICATE1(isfinite, !is_nan(a) && !is_inf(a))
#else
// For other dtypes the predicates are constant: all numbers are finite.
RL_PREDICATE1(isnan, ((void)a, 0))
RL_PREDICATE1(isinf, ((void)a, 0))
RL_PREDICATE1(isfinite, ((void)a, 1))
#endif
