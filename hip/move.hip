// move: ops that only move elements. RL_T is the unsigned integer of the element's size, c128 for 16 bytes.
#include "elementwise.h"

namespace rl {

struct copy_fn {
    RL_FN RL_T operator()(RL_T v) const { return v; }
};



RL_DEV void fill_strided(const ElementwiseParams<1, FillParams>& p) {
    const RL_T v = element_of<RL_T>(p.extra.bits, p.extra.high);
    const u64 step = (u64)p.iter.blocks * RL_BLOCK;
    for (u64 i = global_thread(); i < p.iter.count; i += step) {
        u64 at[1];
        offsets(p.iter, i, at);
        out<RL_T>(p)[(i64)at[0]] = v;
    }
}

RL_DEV void triangle_strided(const ElementwiseParams<2, TriangleParams>& p) {
    const u64 step = (u64)p.iter.blocks * RL_BLOCK;
    for (u64 i = global_thread(); i < p.iter.count; i += step) {
        u64 at[2];
        offsets(p.iter, i, at);
        const i64 column = (i64)(i % p.extra.columns), row = (i64)(i / p.extra.columns % p.extra.rows);
        const i64 edge = row + p.extra.diagonal;
        const bool kept = p.extra.upper ? column >= edge : column <= edge;
        out<RL_T>(p)[(i64)at[0]] = kept ? in<RL_T>(p, 0)[(i64)at[1]] : RL_T{};
    }
}

template <class C>
struct where_fn {
    RL_FN RL_T operator()(C c, RL_T a, RL_T b) const { return c ? a : b; }
};

}  // namespace rl

RL_MAP1(copy, rl::RL_T, rl::RL_T)
RL_KERNEL(const_set, strided)(rl::ElementwiseParams<1, rl::FillParams> p) { rl::fill_strided(p); }
RL_KERNEL(triangle, strided)(rl::ElementwiseParams<2, rl::TriangleParams> p) { rl::triangle_strided(p); }

// The condition may have a dtype of another size; it is true if its word is not 0.
#define RL_WHERE(C) \
    RL_KERNEL_TO(where_cond, C, strided)(rl::ElementwiseParams<4, rl::NoParams> p) { rl::map3_strided<rl::RL_T, rl::C, rl::RL_T, rl::RL_T>(p, rl::where_fn<rl::C>()); }
RL_WHERE(u8)
RL_WHERE(u16)
RL_WHERE(u32)
RL_WHERE(u64)
