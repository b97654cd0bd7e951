// index_add: values added at places that ids name, in row-major order; form `a`, of numbers of 4 and 8 bytes: by atomics.
// f16 and bf16 are added in f32: the target is then a copy of the base in f32 (`widen`), rounded once at the end
// (`narrow`).
#include "index.h"

RL_CHECK_PARAMS(rl::SpreadParams, RL_SIZEOF_SpreadParams);
RL_CHECK_PARAMS(rl::PickParams, RL_SIZEOF_PickParams);
RL_CHECK_PARAMS(rl::Params2, RL_SIZEOF_Params2);

namespace rl {
struct plus_fn {
    RL_FN void operator()(acc_t<RL_T>& o, RL_T v) const { o = add(o, acc<RL_T>(v)); }
};
struct atomic_plus_fn {
    template <class A>
    RL_FN void operator()(A* o, RL_T v) const {
        const A x = acc<RL_T>(v);
        if constexpr (is_float<A>::value) atomic_add(o, x);
        else if constexpr (sizeof(A) == 8) atomic_add((u64*)o, (u64)x);
        else if constexpr (sizeof(A) == 4) atomic_add((u32*)o, (u32)x);
        else trap();  // not launched: these have the other forms
    }
};
struct widen_fn {
    RL_FN acc_t<RL_T> operator()(RL_T v) const { return acc<RL_T>(v); }
};
struct narrow_fn {
    RL_FN RL_T operator()(acc_t<RL_T> v) const { return from_acc<RL_T>(v); }
};
}  // namespace rl

#define RL_SPREAD(op)                                                                        \
    RL_KERNEL(op, l)(rl::SpreadParams p) {                                                   \
        rl::spread_lines<rl::acc_t<rl::RL_T>, rl::RL_T>(p, rl::plus_fn());                   \
    }                                                                                        \
    RL_KERNEL(op, t)(rl::SpreadParams p) {                                                   \
        rl::spread_targets<rl::acc_t<rl::RL_T>, rl::RL_T>(p, rl::plus_fn());                 \
    }                                                                                        \
    RL_KERNEL(op, a)(rl::PickParams p) {                                                     \
        rl::spread_each<rl::acc_t<rl::RL_T>, rl::RL_T>(p, rl::atomic_plus_fn());             \
    }
RL_SPREAD(index_add)
RL_SPREAD(scatter_add)

RL_MAP1(widen, rl::acc_t<rl::RL_T>, rl::RL_T)
RL_MAP1(narrow, rl::RL_T, rl::acc_t<rl::RL_T>)
