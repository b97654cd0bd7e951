// index_add: index_add and scatter_add. Variants row and target add in row-major order, variant atomic in no order. f16 and
// bf16 are added in f32: the target is then a copy of the base in f32 (`widen`), which is rounded once at the end
// (`narrow`).
#include "index.h"

namespace rl {
struct plus_fn {
    RL_FN void operator()(acc_t<RL_T>& o, RL_T v) const { o = add(o, acc<RL_T>(v)); }
};
// The hardware has atomics of 4 and 8 bytes; smaller integers are always added in order.
#define RL_HALF (RL_FLOAT && RL_BYTES == 2)
#if RL_HALF || RL_BYTES >= 4
struct atomic_plus_fn {
    template <class A>
    RL_FN void operator()(A* o, RL_T v) const {
        const A x = acc<RL_T>(v);
        if constexpr (is_float<A>::value) atomic_add(o, x);
        else if constexpr (sizeof(A) == 8) atomic_add((u64*)o, (u64)x);
        else atomic_add((u32*)o, (u32)x);
    }
};
#endif
#if RL_HALF
struct widen_fn {
    RL_FN acc_t<RL_T> operator()(RL_T v) const { return acc<RL_T>(v); }
};
struct narrow_fn {
    RL_FN RL_T operator()(acc_t<RL_T> v) const { return from_acc<RL_T>(v); }
};
#endif
}  // namespace rl

#define RL_SCATTER_ADD(op)                                                          \
    RL_KERNEL(op, row)(rl::ScatterParams p) {                                       \
        rl::scatter_rows<rl::acc_t<rl::RL_T>, rl::RL_T>(p, rl::plus_fn());          \
    }                                                                               \
    RL_KERNEL(op, target)(rl::ScatterParams p) {                                    \
        rl::scatter_targets<rl::acc_t<rl::RL_T>, rl::RL_T>(p, rl::plus_fn());       \
    }
RL_SCATTER_ADD(index_add)
RL_SCATTER_ADD(scatter_add)

#if RL_HALF || RL_BYTES >= 4
#define RL_ATOMIC_SCATTER_ADD(op)                                                           \
    RL_KERNEL(op, atomic)(rl::GatherParams p) {                                             \
        rl::scatter_elements<rl::acc_t<rl::RL_T>, rl::RL_T>(p, rl::atomic_plus_fn());       \
    }
RL_ATOMIC_SCATTER_ADD(index_add)
RL_ATOMIC_SCATTER_ADD(scatter_add)
#endif

#if RL_HALF
RL_MAP1(widen, rl::acc_t<rl::RL_T>, rl::RL_T)
RL_MAP1(narrow, rl::RL_T, rl::acc_t<rl::RL_T>)
#endif
