// walk.h: how a kernel finds the elements of its operands. The host collapses layouts and picks the form:
//   _c  all operands contiguous: 16-byte accesses where they are aligned
//   _s  any strides
#pragma once
#include "num.h"

namespace rl {

// Dimensions and strides of N operands, the output first, outermost dimension first, collapsed by the host. Strides
// are in elements of each operand; negative ones are counted modulo 2^64, as places are, so an index that is a place is
// made signed: `x[(i64)at]`. (An unsigned index tells the compiler that nothing lies before `x`.) The host's twin is
// gpu::launch::Walk.
template <int N>
struct Walk {
    u64 n;      // elements
    u32 rank;   // dimensions after collapsing
    u32 blocks; // blocks of the grid
    u32 wide;   // 1: places need 64 bits
    u32 vec;    // 1: every pointer is 16-byte aligned
    u64 dims[8];
    u64 strides[N][8];
};

// Pointers (offsets applied), then the walk, then the op's own numbers.
template <int N, class Extra>
struct Params {
    u64 ptr[N];
    Walk<N> walk;
    Extra extra;
};
struct Nothing {
    u64 unused;
};
using Params1 = Params<1, Nothing>;
using Params2 = Params<2, Nothing>;
using Params3 = Params<3, Nothing>;
using Params4 = Params<4, Nothing>;

template <class T, int N, class E>
RL_DEV T* out(const Params<N, E>& p) {
    return (T*)p.ptr[0];
}
template <class T, int N, class E>
RL_DEV const T* in(const Params<N, E>& p, int i) {
    return (const T*)p.ptr[i + 1];
}

// Places of element i in each operand.
template <int N>
RL_DEV void places(const Walk<N>& w, u64 i, u64 (&at)[N]) {
    for (int k = 0; k < N; k++) at[k] = 0;
    if (!w.wide) {
        u32 rest = (u32)i;
        for (int d = (int)w.rank - 1; d > 0; d--) {
            const u32 dim = (u32)w.dims[d], q = rest / dim, c = rest - q * dim;
            for (int k = 0; k < N; k++) at[k] += (u32)(c * (u32)w.strides[k][d]);
            rest = q;
        }
        for (int k = 0; k < N; k++) at[k] += (u32)(rest * (u32)w.strides[k][0]);
    } else {
        u64 rest = i;
        for (int d = (int)w.rank - 1; d > 0; d--) {
            const u64 dim = w.dims[d], q = rest / dim, c = rest - q * dim;
            for (int k = 0; k < N; k++) at[k] += c * w.strides[k][d];
            rest = q;
        }
        for (int k = 0; k < N; k++) at[k] += rest * w.strides[k][0];
    }
}

// V elements that are read and written as one.
template <class T, int V>
struct alignas(sizeof(T) * V) Pack {
    T v[V];
};

template <class A, class B>
struct wider {
    static constexpr int size = sizeof(A) > sizeof(B) ? sizeof(A) : sizeof(B);
};

// out[i] = f(in[i]), contiguous.
template <class O, class A, class E, class F>
RL_DEV void map1_c(const Params<2, E>& p, F f) {
    constexpr int V = 16 / wider<O, A>::size;
    const u64 step = (u64)p.walk.blocks * RL_BLOCK, n = p.walk.n;
    O* o = out<O>(p);
    const A* a = in<A>(p, 0);
    u64 tail = 0;
    if (p.walk.vec) {
        const u64 packs = n / V;
        for (u64 i = global_thread(); i < packs; i += step) {
            const Pack<A, V> x = ((const Pack<A, V>*)a)[i];
            Pack<O, V> y;
            for (int k = 0; k < V; k++) y.v[k] = f(x.v[k]);
            ((Pack<O, V>*)o)[i] = y;
        }
        tail = packs * V;
    }
    for (u64 i = tail + global_thread(); i < n; i += step) o[i] = f(a[i]);
}
// out[i] = f(in[i]), any strides.
template <class O, class A, class E, class F>
RL_DEV void map1_s(const Params<2, E>& p, F f) {
    const u64 step = (u64)p.walk.blocks * RL_BLOCK;
    for (u64 i = global_thread(); i < p.walk.n; i += step) {
        u64 at[2];
        places(p.walk, i, at);
        out<O>(p)[(i64)at[0]] = f(in<A>(p, 0)[(i64)at[1]]);
    }
}
// out[i] = f(in0[i], in1[i]), contiguous.
template <class O, class A, class B, class E, class F>
RL_DEV void map2_c(const Params<3, E>& p, F f) {
    constexpr int W = wider<O, A>::size > (int)sizeof(B) ? wider<O, A>::size : (int)sizeof(B);
    constexpr int V = 16 / W;
    const u64 step = (u64)p.walk.blocks * RL_BLOCK, n = p.walk.n;
    O* o = out<O>(p);
    const A* a = in<A>(p, 0);
    const B* b = in<B>(p, 1);
    u64 tail = 0;
    if (p.walk.vec) {
        const u64 packs = n / V;
        for (u64 i = global_thread(); i < packs; i += step) {
            const Pack<A, V> x = ((const Pack<A, V>*)a)[i];
            const Pack<B, V> y = ((const Pack<B, V>*)b)[i];
            Pack<O, V> z;
            for (int k = 0; k < V; k++) z.v[k] = f(x.v[k], y.v[k]);
            ((Pack<O, V>*)o)[i] = z;
        }
        tail = packs * V;
    }
    for (u64 i = tail + global_thread(); i < n; i += step) o[i] = f(a[i], b[i]);
}
template <class O, class A, class B, class E, class F>
RL_DEV void map2_s(const Params<3, E>& p, F f) {
    const u64 step = (u64)p.walk.blocks * RL_BLOCK;
    for (u64 i = global_thread(); i < p.walk.n; i += step) {
        u64 at[3];
        places(p.walk, i, at);
        out<O>(p)[(i64)at[0]] = f(in<A>(p, 0)[(i64)at[1]], in<B>(p, 1)[(i64)at[2]]);
    }
}
// out[i] = f(in0[i], in1[i], in2[i]), any strides (contiguous ones are strides too; rank 1 costs no division).
template <class O, class A, class B, class C, class E, class F>
RL_DEV void map3_s(const Params<4, E>& p, F f) {
    const u64 step = (u64)p.walk.blocks * RL_BLOCK;
    for (u64 i = global_thread(); i < p.walk.n; i += step) {
        u64 at[4];
        places(p.walk, i, at);
        out<O>(p)[(i64)at[0]] = f(in<A>(p, 0)[(i64)at[1]], in<B>(p, 1)[(i64)at[2]], in<C>(p, 2)[(i64)at[3]]);
    }
}
// out[i] = f(i), any strides: f sees the row-major number of the element.
template <class O, class E, class F>
RL_DEV void map0_s(const Params<1, E>& p, F f) {
    const u64 step = (u64)p.walk.blocks * RL_BLOCK;
    for (u64 i = global_thread(); i < p.walk.n; i += step) {
        u64 at[1];
        places(p.walk, i, at);
        out<O>(p)[(i64)at[0]] = f(i);
    }
}

}  // namespace rl

// RL_EW1(exp, exp(v)): kernels exp_T_c and exp_T_s; v is the element in the type A that RL_T computes in. The functors
// live in the namespace, so that its functions hide the compiler's of the same name.
#define RL_EW1(op, expr)                                                                     \
    namespace rl {                                                                           \
    struct op##_fn {                                                                         \
        using A = acc_t<RL_T>;                                                               \
        RL_FN RL_T operator()(RL_T x) const {                                                \
            const A v = acc<RL_T>(x);                                                        \
            return from_acc<RL_T>((A)(expr));                                                \
        }                                                                                    \
    };                                                                                       \
    }                                                                                        \
    RL_MAP1(op, rl::RL_T, rl::RL_T)

// RL_EW2(add, add(a, b)): kernels add_T_c and add_T_s.
#define RL_EW2(op, expr)                                                                     \
    namespace rl {                                                                           \
    struct op##_fn {                                                                         \
        using A = acc_t<RL_T>;                                                               \
        RL_FN RL_T operator()(RL_T x, RL_T y) const {                                        \
            const A a = acc<RL_T>(x), b = acc<RL_T>(y);                                      \
            return from_acc<RL_T>((A)(expr));                                                \
        }                                                                                    \
    };                                                                                       \
    }                                                                                        \
    RL_MAP2(op, rl::RL_T, rl::RL_T, rl::RL_T)

// The two kernels of a functor rl::OP_fn without numbers of its own.
#define RL_MAP1(op, O, X)                                                                    \
    RL_KERNEL(op, c)(rl::Params2 p) { rl::map1_c<O, X>(p, rl::op##_fn()); }                  \
    RL_KERNEL(op, s)(rl::Params2 p) { rl::map1_s<O, X>(p, rl::op##_fn()); }
#define RL_MAP2(op, O, X, Y)                                                                 \
    RL_KERNEL(op, c)(rl::Params3 p) { rl::map2_c<O, X, Y>(p, rl::op##_fn()); }               \
    RL_KERNEL(op, s)(rl::Params3 p) { rl::map2_s<O, X, Y>(p, rl::op##_fn()); }
