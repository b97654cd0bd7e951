// move: ops that only move elements, for words of their size: RL_T is u8, u16, u32 or u64.
#include "walk.h"

RL_CHECK_PARAMS(rl::Params2, RL_SIZEOF_Params2);
RL_CHECK_PARAMS(rl::Params4, RL_SIZEOF_Params4);

namespace rl {

struct copy_fn {
    RL_FN RL_T operator()(RL_T v) const { return v; }
};

// const_set: the value's bits.
struct Value {
    u64 bits;
};
using FillParams = Params<1, Value>;

// tril, triu: the last two dimensions, the diagonal, and which side.
struct Edge {
    u64 rows, columns;
    i64 diagonal;
    u64 upper;
};
using TriangleParams = Params<2, Edge>;

RL_DEV void fill_s(const FillParams& p) {
    const RL_T v = (RL_T)p.extra.bits;
    const u64 step = (u64)p.walk.blocks * RL_BLOCK;
    for (u64 i = global_thread(); i < p.walk.n; i += step) {
        u64 at[1];
        places(p.walk, i, at);
        out<RL_T>(p)[(i64)at[0]] = v;
    }
}

RL_DEV void triangle_s(const TriangleParams& p) {
    const u64 step = (u64)p.walk.blocks * RL_BLOCK;
    for (u64 i = global_thread(); i < p.walk.n; i += step) {
        u64 at[2];
        places(p.walk, i, at);
        const i64 column = (i64)(i % p.extra.columns), row = (i64)(i / p.extra.columns % p.extra.rows);
        const i64 edge = row + p.extra.diagonal;
        const bool kept = p.extra.upper ? column >= edge : column <= edge;
        out<RL_T>(p)[(i64)at[0]] = kept ? in<RL_T>(p, 0)[(i64)at[1]] : (RL_T)0;
    }
}

template <class C>
struct where_fn {
    RL_FN RL_T operator()(C c, RL_T a, RL_T b) const { return c ? a : b; }
};

}  // namespace rl

RL_CHECK_PARAMS(rl::FillParams, RL_SIZEOF_Fill);
RL_CHECK_PARAMS(rl::TriangleParams, RL_SIZEOF_Triangle);

RL_MAP1(copy, rl::RL_T, rl::RL_T)
RL_KERNEL(const_set, s)(rl::FillParams p) { rl::fill_s(p); }
RL_KERNEL(triangle, s)(rl::TriangleParams p) { rl::triangle_s(p); }

// The condition by its own size: it holds where its word is not 0.
#define RL_WHERE(C) \
    RL_KERNEL_TO(where_cond, C, s)(rl::Params4 p) { rl::map3_s<rl::RL_T, rl::C, rl::RL_T, rl::RL_T>(p, rl::where_fn<rl::C>()); }
RL_WHERE(u8)
RL_WHERE(u16)
RL_WHERE(u32)
RL_WHERE(u64)
