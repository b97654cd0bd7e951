// reduce: sums, products and means by the tree, for the dtype RL_T. sum64 and prod64 reduce integers in 64 bits (I64 and U64
// have the same bits).
#include "complex.h"
#include "reduce.h"

#if RL_NUMERIC || RL_COMPLEX
namespace rl {
using Total = Sum<RL_T>;

struct Product : Total {
    static RL_FN C zero() { return one<C>(); }
    static RL_FN C join(C a, C b) { return mul(a, b); }
};
}  // namespace rl

RL_REDUCE(sum, rl::Total)
RL_REDUCE(prod, rl::Product)
#endif

#if RL_FLOAT || RL_COMPLEX
namespace rl {
struct Mean : Total {
    static RL_FN void write(const ReduceParams<1>& p, u64 o, C v) {
        ((RL_T*)p.out)[o] = from_acc<RL_T>(divided(v, p.total));
    }
};
}  // namespace rl
RL_REDUCE(mean, rl::Mean)
#endif

#if RL_INT
namespace rl {
struct Sum64 : One {
    using C = u64;
    static constexpr bool FIRST = false, LINEAR = true;
    RL_FN C load(const ReduceParams<1>& p, const u64 (&at)[1], u64) const { return (u64)((const RL_T*)p.input[0])[(i64)at[0]]; }
    static RL_FN C zero() { return 0; }
    static RL_FN C join(C a, C b) { return a + b; }
    static RL_FN void write(const ReduceParams<1>& p, u64 o, C v) { ((u64*)p.out)[o] = v; }
};
struct Product64 : Sum64 {
    static RL_FN C zero() { return 1; }
    static RL_FN C join(C a, C b) { return a * b; }
};
}  // namespace rl
RL_REDUCE(sum64, rl::Sum64)
RL_REDUCE(prod64, rl::Product64)
#endif
