// gemm.h: tiled matrix products. The factors are two `sides`, so that matrices of any strides, and the windows of a convolution,
// are read in place:
//
//   Outer outer(i)        computed once for row (column) i
//   Inner inner(k)        computed for index k of the inner dimension
//   S at(outer, inner)    the element
//   bool inner_contiguous()  whether neighbours in k are neighbours in memory
#pragma once
#include "num.h"

namespace rl {

// The type in which products of T are summed: f32 for narrow floats; for integers an unsigned type, which wraps, of enough
// bits.
template <class T, bool INT, bool WIDE>
struct sum_of {
    using type = acc_t<T>;
};
template <class T>
struct sum_of<T, true, false> {
    using type = u32;
};
template <class T>
struct sum_of<T, true, true> {
    using type = u64;
};
template <class T>
using sum_t = typename sum_of<T, is_int<T>::value, (sizeof(T) > 4)>::type;

template <class T>
RL_DEV sum_t<T> to_sum(T v) {
    if constexpr (is_int<T>::value) return (sum_t<T>)v;
    else return acc<T>(v);
}
template <class T>
RL_DEV T from_sum(sum_t<T> v) {
    if constexpr (is_int<T>::value) return (T)v;
    else return from_acc<T>(v);
}
template <class S>
RL_DEV S multiply_add(S a, S b, S c) {
    if constexpr (is_float<S>::value) return fma(a, b, c);
    else return a * b + c;
}

// A block computes TILE x TILE results, a thread EACH x EACH of them; DEPTH steps of the inner dimension are in LDS.
constexpr u32 TILE = 64, DEPTH = 16, EACH = 4, ACROSS = TILE / EACH;
// The number of steps of the inner dimension that are unrolled. Sums of integers may be reordered, so with more steps the
// compiler for gfx9 would hold all their products at once, in 300 registers and more.
template <class S>
constexpr u32 TOGETHER = is_float<S>::value ? 4 : 1;
static_assert(ACROSS * ACROSS == RL_BLOCK && TILE * DEPTH == EACH * RL_BLOCK, "a thread loads EACH elements of a side");

// The part of one side that a thread loads into LDS.
template <class S, class Side>
struct Loader {
    typename Side::Outer outer[EACH];
    u32 row[EACH], depth[EACH];
    bool in[EACH];

    RL_FN Loader(const Side& side, u64 first, u64 n) {
        const u32 t = thread();
        for (u32 l = 0; l < EACH; l++) {
            row[l] = side.inner_contiguous() ? t / DEPTH + l * (RL_BLOCK / DEPTH) : t % TILE;
            depth[l] = side.inner_contiguous() ? t % DEPTH : t / TILE + l * (RL_BLOCK / TILE);
            in[l] = first + row[l] < n;
            outer[l] = side.outer(in[l] ? first + row[l] : 0);
        }
    }
    // Loads this thread's part of the tile into LDS. Returns whether all its elements were finite.
    RL_FN bool load(const Side& side, S (&tile)[DEPTH][TILE + 4], u64 k0, u64 k) {
        bool finite = true;
        for (u32 l = 0; l < EACH; l++) {
            const u64 at = k0 + depth[l];
            const S v = in[l] && at < k ? side.at(outer[l], side.inner(at)) : (S)0;
            if constexpr (Side::checked) finite = finite && v - v == (S)0;
            tile[depth[l]][row[l]] = v;
        }
        return finite;
    }
};

// A part of the inner dimension.
struct Span {
    u64 from, to;
};

// Computes rows row0.. and columns col0.. of the m x n product of two sides, and calls put(row, offset_of(column), sum) for each. All threads of
// the block call it. The sum over the part `k` of the inner dimension is in order, in one fused chain.
//
// If `A::checked`, B has elements out of bounds (padding; see `B::inside`), which are read as 0. Adding them changes
// nothing unless A holds an infinity or NaN; steps that meet such an element test each element of B and skip the padding.
template <class S, class A, class B, class Offset, class Put>
RL_DEV void tile_product(const A& a, const B& b, u64 m, u64 n, Span k, u64 row0, u64 col0, const Offset& offset_of,
                         const Put& put) {
    __shared__ S as[DEPTH][TILE + 4];
    __shared__ S bs[DEPTH][TILE + 4];
    __shared__ u64 odd;  // 1 + the last step that met an element that is not finite
    const u32 tx = thread() % ACROSS, ty = thread() / ACROSS;
    S sum[EACH][EACH];
    for (u32 i = 0; i < EACH; i++) {
        for (u32 j = 0; j < EACH; j++) sum[i][j] = (S)0;
    }
    Loader<S, A> load_a(a, row0, m);
    Loader<S, B> load_b(b, col0, n);
    if constexpr (A::checked) {
        sync();
        if (thread() == 0) odd = 0;
    }
    for (u64 k0 = k.from; k0 < k.to; k0 += DEPTH) {
        sync();
        const bool finite = load_a.load(a, as, k0, k.to);
        load_b.load(b, bs, k0, k.to);
        if constexpr (A::checked) {
            if (!finite) odd = k0 + 1;
        }
        sync();
        if constexpr (A::checked) {
            if (odd == k0 + 1) {
                for (u32 kk = 0; kk < DEPTH && k0 + kk < k.to; kk++) {
                    // This loop is unrolled because dynamic indexing would spill `sum` to scratch memory.
#pragma unroll
                    for (u32 j = 0; j < EACH; j++) {
                        const u64 column = col0 + tx + j * ACROSS;
                        if (column >= n || !b.inside(b.outer(column), b.inner(k0 + kk))) continue;
#pragma unroll
                        for (u32 i = 0; i < EACH; i++) {
                            sum[i][j] = multiply_add(as[kk][ty * EACH + i], bs[kk][tx + j * ACROSS], sum[i][j]);
                        }
                    }
                }
                continue;
            }
        }
#pragma unroll TOGETHER<S>
        for (u32 kk = 0; kk < DEPTH; kk++) {
            S x[EACH], y[EACH];
            for (u32 i = 0; i < EACH; i++) x[i] = as[kk][ty * EACH + i];
            for (u32 j = 0; j < EACH; j++) y[j] = bs[kk][tx + j * ACROSS];
            for (u32 i = 0; i < EACH; i++) {
                for (u32 j = 0; j < EACH; j++) sum[i][j] = multiply_add(x[i], y[j], sum[i][j]);
            }
        }
    }
    // Unrolled, as above.
#pragma unroll
    for (u32 j = 0; j < EACH; j++) {
        const u64 column = col0 + tx + j * ACROSS;
        if (column >= n) continue;
        const u64 at = offset_of(column);
#pragma unroll
        for (u32 i = 0; i < EACH; i++) {
            const u64 row = row0 + ty * EACH + i;
            if (row < m) put(row, at, sum[i][j]);
        }
    }
}

}  // namespace rl
