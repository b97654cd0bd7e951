// norm.h: code that the normalizations share: sums of two numbers at once, and the arithmetic of a variance.
#pragma once
#include "reduce.h"

namespace rl {

#if RL_FLOAT
using A = acc_t<RL_T>;

RL_DEV A inverse_root(A variance, A eps) { return div((A)1, sqrt(variance + eps)); }

// Returns the sum of squared differences from the mean. `sum` and `squares` are the sums of the differences from the
// rounded mean and of their squares; `correction` is the mean of these differences.
RL_DEV A spread(A sum, A squares, A correction) { return maximum(squares - sum * correction, (A)0); }

// Two sums at once.
struct Pair {
    A a, b;
};
template <int OPERANDS>
struct Pairs {
    using P = ReduceParams<OPERANDS>;
    using C = Pair;
    static constexpr int N = OPERANDS;
    static constexpr bool FIRST = false, LINEAR = false;
    static RL_FN C zero() { return Pair{(A)0, (A)0}; }
    static RL_FN C join(C x, C y) { return Pair{x.a + y.a, x.b + y.b}; }
};

template <int OPERANDS>
RL_DEV A operand(const ReduceParams<OPERANDS>& p, int k, u64 at) {
    return acc<RL_T>(((const RL_T*)p.input[k])[(i64)at]);
}
#endif

}  // namespace rl
