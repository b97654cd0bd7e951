// binary: two kernels (contig, strided) for each op of the family, for the dtype RL_T, named as the ops.
#include "activation.h"
#include "elementwise.h"

#if RL_NUMERIC
RL_EW2(add, add(a, b))
RL_EW2(sub, sub(a, b))
RL_EW2(mul, mul(a, b))
RL_EW2(div, div(a, b))
RL_EW2(pow, power(a, b))
RL_EW2(remainder, rem(a, b))
RL_EW2(floor_divide, floor_div(a, b))
RL_EW2(maximum, maximum(a, b))
RL_EW2(minimum, minimum(a, b))
#endif

#if RL_FLOAT
RL_EW2(atan2, atan2(a, b))
RL_EW2(prelu, a > 0 ? a : a * b)
RL_EW2(mul_sigmoid, mul_logistic(a, b))
#endif

#if RL_INT
RL_EW2(bitwise_and, a & b)
RL_EW2(bitwise_or, a | b)
RL_EW2(bitwise_xor, a ^ b)
// A shift by a negative count or by at least the number of bits gives 0; a right shift gives the sign.
#define RL_OUT(b) ((b) < 0 || (u64)(b) >= 8 * sizeof(A))
RL_EW2(left_shift, RL_OUT(b) ? (A)0 : (A)((typename unsigned_of<A>::type)a << b))
RL_EW2(right_shift, RL_OUT(b) ? (a < 0 ? (A)~(A)0 : (A)0) : (A)(a >> b))
#endif

#if RL_BOOL
#define RL_LOGIC(op, expr)                                                                  \
    namespace rl {                                                                           \
    struct op##_fn {                                                                         \
        RL_FN boolean operator()(boolean a, boolean b) const { return boolean{(u8)(expr)}; } \
    };                                                                                       \
    }                                                                                        \
    RL_MAP2(op, rl::boolean, rl::boolean, rl::boolean)
RL_LOGIC(bitwise_and, (a.bits & b.bits) & 1)
RL_LOGIC(bitwise_or, (a.bits | b.bits) & 1)
RL_LOGIC(bitwise_xor, (a.bits ^ b.bits) & 1)
#endif
