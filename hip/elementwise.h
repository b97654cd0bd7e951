// elementwise.h: elementwise kernels over one to four operands of one shape. The host collapses layouts and picks the variant:
//   _contig   elements that follow one another in the last dimension, or one element for all of it: accesses of 16 bytes where
//             operands are aligned
//   _strided  any strides
#pragma once
#include "num.h"
#include "params.h"

namespace rl {

template <class T, int N, class E>
RL_DEV T* out(const ElementwiseParams<N, E>& p) {
    return (T*)p.ptr[0];
}
template <class T, int N, class E>
RL_DEV const T* in(const ElementwiseParams<N, E>& p, int i) {
    return (const T*)p.ptr[i + 1];
}

// Computes the offset of element i in each operand, where both fit in 32 bits.
template <int N>
RL_DEV void offsets32(const StridedIter<N>& w, u32 i, u64 (&at)[N]) {
    for (int k = 0; k < N; k++) at[k] = 0;
    for (int d = (int)w.rank - 1; d > 0; d--) {
        const u32 dim = (u32)w.dims[d], q = i / dim, c = i - q * dim;
        for (int k = 0; k < N; k++) at[k] += (u32)(c * (u32)w.strides[k][d]);
        i = q;
    }
    for (int k = 0; k < N; k++) at[k] += (u32)(i * (u32)w.strides[k][0]);
}
// Computes the offset of element i in each operand.
template <int N>
RL_DEV void offsets(const StridedIter<N>& w, u64 i, u64 (&at)[N]) {
    if (!w.index64) return offsets32(w, (u32)i, at);
    for (int k = 0; k < N; k++) at[k] = 0;
    for (int d = (int)w.rank - 1; d > 0; d--) {
        const u64 dim = w.dims[d], q = i / dim, c = i - q * dim;
        for (int k = 0; k < N; k++) at[k] += c * w.strides[k][d];
        i = q;
    }
    for (int k = 0; k < N; k++) at[k] += i * w.strides[k][0];
}

// V elements that are read and written in one access.
template <class T, int V>
struct alignas(sizeof(T) * V) Pack {
    T v[V];
};

template <class A, class B>
struct wider {
    static constexpr int size = sizeof(A) > sizeof(B) ? sizeof(A) : sizeof(B);
};

// Computes the offset in each operand of the first element of pack i, of V elements. The last dimension's stride is 1 or 0, and
// its size is a multiple of V, unless it is the only one; only then indices may need 64 bits.
template <int V, int N>
RL_DEV void pack_offsets(const StridedIter<N>& w, u64 i, u64 (&at)[N]) {
    if (w.rank > 1) return offsets32(w, (u32)i * V, at);
    for (int k = 0; k < N; k++) at[k] = w.strides[k][0] == 0 ? 0 : i * V;
}
// The stride of the last dimension: 1, or 0 of an operand with one element for all of it.
template <int N>
RL_DEV u64 inner_stride(const StridedIter<N>& w, int k) {
    return w.strides[k][w.rank - 1];
}
// Reads V elements of an operand, or repeats its element.
template <int V, class T>
RL_DEV Pack<T, V> read_pack(const T* p, u64 stride) {
    if (stride != 0) return *(const Pack<T, V>*)p;
    Pack<T, V> r;
    const T v = *p;
    for (int k = 0; k < V; k++) r.v[k] = v;
    return r;
}

// out[i] = f(in[i]), in packs.
template <class O, class A, class E, class F>
RL_DEV void map1_contig(const ElementwiseParams<2, E>& p, F f) {
    constexpr int V = 16 / wider<O, A>::size;
    const u64 step = (u64)p.iter.blocks * RL_BLOCK, n = p.iter.count, sa = inner_stride(p.iter, 1);
    O* o = out<O>(p);
    const A* a = in<A>(p, 0);
    u64 tail = 0;
    if (p.iter.aligned) {
        const u64 packs = n / V;
        for (u64 i = global_thread(); i < packs; i += step) {
            u64 at[2];
            pack_offsets<V>(p.iter, i, at);
            const Pack<A, V> x = read_pack<V>(a + (i64)at[1], sa);
            Pack<O, V> y;
            for (int k = 0; k < V; k++) y.v[k] = f(x.v[k]);
            *(Pack<O, V>*)(o + (i64)at[0]) = y;
        }
        tail = packs * V;
    }
    for (u64 i = tail + global_thread(); i < n; i += step) o[i] = f(a[i * sa]);
}
// out[i] = f(in[i]), any strides.
template <class O, class A, class E, class F>
RL_DEV void map1_strided(const ElementwiseParams<2, E>& p, F f) {
    const u64 step = (u64)p.iter.blocks * RL_BLOCK;
    for (u64 i = global_thread(); i < p.iter.count; i += step) {
        u64 at[2];
        offsets(p.iter, i, at);
        out<O>(p)[(i64)at[0]] = f(in<A>(p, 0)[(i64)at[1]]);
    }
}
// out[i] = f(in0[i], in1[i]), in packs.
template <class O, class A, class B, class E, class F>
RL_DEV void map2_contig(const ElementwiseParams<3, E>& p, F f) {
    constexpr int W = wider<O, A>::size > (int)sizeof(B) ? wider<O, A>::size : (int)sizeof(B);
    constexpr int V = 16 / W;
    const u64 step = (u64)p.iter.blocks * RL_BLOCK, n = p.iter.count;
    const u64 sa = inner_stride(p.iter, 1), sb = inner_stride(p.iter, 2);
    O* o = out<O>(p);
    const A* a = in<A>(p, 0);
    const B* b = in<B>(p, 1);
    u64 tail = 0;
    if (p.iter.aligned) {
        const u64 packs = n / V;
        for (u64 i = global_thread(); i < packs; i += step) {
            u64 at[3];
            pack_offsets<V>(p.iter, i, at);
            const Pack<A, V> x = read_pack<V>(a + (i64)at[1], sa);
            const Pack<B, V> y = read_pack<V>(b + (i64)at[2], sb);
            Pack<O, V> z;
            for (int k = 0; k < V; k++) z.v[k] = f(x.v[k], y.v[k]);
            *(Pack<O, V>*)(o + (i64)at[0]) = z;
        }
        tail = packs * V;
    }
    for (u64 i = tail + global_thread(); i < n; i += step) o[i] = f(a[i * sa], b[i * sb]);
}
template <class O, class A, class B, class E, class F>
RL_DEV void map2_strided(const ElementwiseParams<3, E>& p, F f) {
    const u64 step = (u64)p.iter.blocks * RL_BLOCK;
    for (u64 i = global_thread(); i < p.iter.count; i += step) {
        u64 at[3];
        offsets(p.iter, i, at);
        out<O>(p)[(i64)at[0]] = f(in<A>(p, 0)[(i64)at[1]], in<B>(p, 1)[(i64)at[2]]);
    }
}
// out[i] = f(in0[i], in1[i], in2[i]), in packs.
template <class O, class A, class B, class C, class E, class F>
RL_DEV void map3_contig(const ElementwiseParams<4, E>& p, F f) {
    constexpr int W = wider<O, A>::size > wider<B, C>::size ? wider<O, A>::size : wider<B, C>::size;
    constexpr int V = 16 / W;
    const u64 step = (u64)p.iter.blocks * RL_BLOCK, n = p.iter.count;
    const u64 sa = inner_stride(p.iter, 1), sb = inner_stride(p.iter, 2), sc = inner_stride(p.iter, 3);
    O* o = out<O>(p);
    const A* a = in<A>(p, 0);
    const B* b = in<B>(p, 1);
    const C* c = in<C>(p, 2);
    u64 tail = 0;
    if (p.iter.aligned) {
        const u64 packs = n / V;
        for (u64 i = global_thread(); i < packs; i += step) {
            u64 at[4];
            pack_offsets<V>(p.iter, i, at);
            const Pack<A, V> x = read_pack<V>(a + (i64)at[1], sa);
            const Pack<B, V> y = read_pack<V>(b + (i64)at[2], sb);
            const Pack<C, V> z = read_pack<V>(c + (i64)at[3], sc);
            Pack<O, V> r;
            for (int k = 0; k < V; k++) r.v[k] = f(x.v[k], y.v[k], z.v[k]);
            *(Pack<O, V>*)(o + (i64)at[0]) = r;
        }
        tail = packs * V;
    }
    for (u64 i = tail + global_thread(); i < n; i += step) o[i] = f(a[i * sa], b[i * sb], c[i * sc]);
}
// out[i] = f(in0[i], in1[i], in2[i]), any strides (contiguous ones are strides too; rank 1 costs no division).
template <class O, class A, class B, class C, class E, class F>
RL_DEV void map3_strided(const ElementwiseParams<4, E>& p, F f) {
    const u64 step = (u64)p.iter.blocks * RL_BLOCK;
    for (u64 i = global_thread(); i < p.iter.count; i += step) {
        u64 at[4];
        offsets(p.iter, i, at);
        out<O>(p)[(i64)at[0]] = f(in<A>(p, 0)[(i64)at[1]], in<B>(p, 1)[(i64)at[2]], in<C>(p, 2)[(i64)at[3]]);
    }
}
// out[i] = f(i), any strides; i is the row-major index of the element.
template <class O, class E, class F>
RL_DEV void map0_strided(const ElementwiseParams<1, E>& p, F f) {
    const u64 step = (u64)p.iter.blocks * RL_BLOCK;
    for (u64 i = global_thread(); i < p.iter.count; i += step) {
        u64 at[1];
        offsets(p.iter, i, at);
        out<O>(p)[(i64)at[0]] = f(i);
    }
}

// Returns the entry of a table of tensors that this block works on: the last one that begins at this block or before it.
template <int N, class E>
RL_DEV u32 table_entry(const TableParams<N, E>& p) {
    u32 t = 0;
    for (u32 half = 32; half > 0; half /= 2) {
        if (t + half < p.tensors && p.first[t + half] <= block()) t += half;
    }
    return t;
}

}  // namespace rl

// RL_EW1(exp, exp(v)): kernels exp_T_contig and exp_T_strided; v is the element in the type A that RL_T is computed in. The
// functors live in the namespace, so that its functions hide the compiler's functions of the same name.
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

// RL_EW2(add, add(a, b)): kernels add_T_contig and add_T_strided.
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

// The two kernels of a functor rl::OP_fn that needs no parameters.
#define RL_MAP1(op, O, X)                                                                    \
    RL_KERNEL(op, contig)(rl::ElementwiseParams<2, rl::NoParams> p) { rl::map1_contig<O, X>(p, rl::op##_fn()); }                  \
    RL_KERNEL(op, strided)(rl::ElementwiseParams<2, rl::NoParams> p) { rl::map1_strided<O, X>(p, rl::op##_fn()); }
#define RL_MAP2(op, O, X, Y)                                                                 \
    RL_KERNEL(op, contig)(rl::ElementwiseParams<3, rl::NoParams> p) { rl::map2_contig<O, X, Y>(p, rl::op##_fn()); }               \
    RL_KERNEL(op, strided)(rl::ElementwiseParams<3, rl::NoParams> p) { rl::map2_strided<O, X, Y>(p, rl::op##_fn()); }
