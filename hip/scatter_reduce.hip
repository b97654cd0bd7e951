// scatter_reduce: products and extremes of elements with the same index. Variants row and target combine in row-major order,
// variant atomic in no order, which changes neither extremes nor products of integers. f16 and bf16 are combined in a copy in
// f32, as sums are (hip/index_add.hip).
#include "index.h"

namespace rl {
using Wide = acc_t<RL_T>;

RL_DEV bool sign_bit(f32 v) { return bits_as<u32>(v) >> 31; }
RL_DEV bool sign_bit(f64 v) { return bits_as<u64>(v) >> 63; }
template <class A>
RL_DEV bool sign_bit(A) {
    return false;
}

struct prod_fn {
    RL_FN Wide operator()(Wide o, Wide v) const { return mul(o, v); }
};
// Of two zeros, which are equal, 0 is the larger one.
struct max_fn {
    RL_FN Wide operator()(Wide o, Wide v) const { return v > o || nan(v) || (v == o && sign_bit(o)) ? v : o; }
};
struct min_fn {
    RL_FN Wide operator()(Wide o, Wide v) const { return v < o || nan(v) || (v == o && sign_bit(v)) ? v : o; }
};

template <class F>
struct combine_fn {
    RL_FN void operator()(Wide& o, RL_T v) const { o = F()(o, acc<RL_T>(v)); }
};
// The hardware has atomics of 4 and 8 bytes; smaller integers are always combined in order.
#define RL_ATOMIC (RL_FLOAT || RL_BYTES >= 4)
#if RL_ATOMIC
template <u32 BYTES>
struct word_of {
    using type = u32;
};
template <>
struct word_of<8> {
    using type = u64;
};
template <class F>
struct atomic_combine_fn {
    template <class A>
    RL_FN void operator()(A* o, RL_T v) const {
        using Bits = typename word_of<sizeof(A)>::type;
        Bits* p = (Bits*)o;
        Bits old = *(volatile Bits*)p;
        for (;;) {
            const Bits next = bits_as<Bits>(F()(bits_as<A>(old), acc<RL_T>(v)));
            if (next == old) return;
            const Bits found = atomic_cas(p, old, next);
            if (found == old) return;
            old = found;
        }
    }
};
#endif
}  // namespace rl

#define RL_SCATTER_REDUCE(op, F)                                                          \
    RL_KERNEL(op, row)(rl::ScatterParams p) {                                             \
        rl::scatter_rows<rl::Wide, rl::RL_T>(p, rl::combine_fn<F>());                     \
    }                                                                                     \
    RL_KERNEL(op, target)(rl::ScatterParams p) {                                          \
        rl::scatter_targets<rl::Wide, rl::RL_T>(p, rl::combine_fn<F>());                  \
    }
RL_SCATTER_REDUCE(scatter_prod, rl::prod_fn)
RL_SCATTER_REDUCE(scatter_max, rl::max_fn)
RL_SCATTER_REDUCE(scatter_min, rl::min_fn)

#if RL_ATOMIC
#define RL_ATOMIC_SCATTER_REDUCE(op, F)                                                   \
    RL_KERNEL(op, atomic)(rl::GatherParams p) {                                           \
        rl::scatter_elements<rl::Wide, rl::RL_T>(p, rl::atomic_combine_fn<F>());          \
    }
RL_ATOMIC_SCATTER_REDUCE(scatter_max, rl::max_fn)
RL_ATOMIC_SCATTER_REDUCE(scatter_min, rl::min_fn)
#if !RL_FLOAT
RL_ATOMIC_SCATTER_REDUCE(scatter_prod, rl::prod_fn)
#endif
#endif
