// matmul: batches of products of matrices of any strides, and addmm, which ends in another way.
#include "gemm.h"
#include "walk.h"

namespace rl {

// A matrix, and the strides of its rows and columns.
struct Strides {
    u64 row, column;
};

struct MatMulParams {
    u64 ptr[4];      // out, lhs, rhs, x (addmm)
    Walk<3> batch;   // over the batch dimensions: out, lhs, rhs
    Strides of[3];   // lhs, rhs, x
    u64 m, n, k;
    u64 batches;     // of the grid's second dimension
    u64 alpha, beta; // addmm: the factors as whole numbers of RL_T, for integers
    f64 falpha, fbeta;
    u32 unit_alpha;  // 1: alpha is 1
    u32 kind_beta;   // 0: x is not read; 1: beta is 1; 2: any
};

// A matrix as a side of a product: outer dimension, inner dimension.
struct Strided {
    using Outer = u64;
    using Inner = u64;
    static constexpr bool checked = false;
    const RL_T* data;
    u64 outer_step, inner_step;
    RL_FN u64 outer(u64 i) const { return i * outer_step; }
    RL_FN u64 inner(u64 k) const { return k * inner_step; }
    RL_FN sum_t<RL_T> at(u64 o, u64 i) const { return to_sum<RL_T>(data[(i64)(o + i)]); }
    RL_FN bool along() const { return inner_step <= outer_step; }
};

template <class End>
RL_DEV void matmul(const MatMulParams& p) {
    const u64 across = (p.n + TILE - 1) / TILE;
    const u64 row0 = block() / across * TILE, col0 = block() % across * TILE;
    for (u64 batch = block_y(); batch < p.batch.n; batch += p.batches) {
        u64 at[3];
        places(p.batch, batch, at);
        const Strided a = {(const RL_T*)p.ptr[1] + (i64)at[1], p.of[0].row, p.of[0].column};
        const Strided b = {(const RL_T*)p.ptr[2] + (i64)at[2], p.of[1].column, p.of[1].row};
        RL_T* out = (RL_T*)p.ptr[0] + (i64)at[0];
        const End end = {p};
        const auto where = [](u64 column) { return column; };
        tile_product<sum_t<RL_T>>(a, b, p.m, p.n, {0, p.k}, row0, col0, where, [&](u64 row, u64 column, sum_t<RL_T> sum) {
            out[row * p.n + column] = from_sum<RL_T>(end.of(row, column, sum));
        });
    }
}

struct AsIs {
    const MatMulParams& p;
    RL_FN sum_t<RL_T> of(u64, u64, sum_t<RL_T> sum) const { return sum; }
};

// beta x + alpha sum, each operation rounded.
struct AddTo {
    using S = sum_t<RL_T>;
    const MatMulParams& p;
    RL_FN S factor(u64 whole, f64 real) const {
        if constexpr (is_float<S>::value) return (S)real;
        else return (S)whole;
    }
    RL_FN S of(u64 row, u64 column, S sum) const {
        if (!p.unit_alpha) sum = sum * factor(p.alpha, p.falpha);
        if (p.kind_beta == 0) return sum;
        S x = to_sum<RL_T>(((const RL_T*)p.ptr[3])[row * p.of[2].row + column * p.of[2].column]);
        if (p.kind_beta == 2) x = x * factor(p.beta, p.fbeta);
        return x + sum;
    }
};

}  // namespace rl

RL_CHECK_PARAMS(rl::MatMulParams, RL_SIZEOF_MatMulParams);

RL_KERNEL(matmul, s)(rl::MatMulParams p) { rl::matmul<rl::AsIs>(p); }
RL_KERNEL(addmm, s)(rl::MatMulParams p) { rl::matmul<rl::AddTo>(p); }
