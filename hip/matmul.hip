// matmul: batches of matrix products of any strides, and addmm, which adds a matrix to the product.
#include "gemm.h"
#include "elementwise.h"

namespace rl {

// A matrix as a side of a product.
struct StridedSide {
    using Outer = u64;
    using Inner = u64;
    static constexpr bool checked = false;
    const RL_T* data;
    u64 outer_step, inner_step;
    RL_FN u64 outer(u64 i) const { return i * outer_step; }
    RL_FN u64 inner(u64 k) const { return k * inner_step; }
    RL_FN sum_t<RL_T> at(u64 o, u64 i) const { return to_sum<RL_T>(data[(i64)(o + i)]); }
    RL_FN bool inner_contiguous() const { return inner_step <= outer_step; }
};

template <class End>
RL_DEV void matmul(const MatMulParams& p) {
    const u64 across = (p.columns + TILE - 1) / TILE;
    const u64 row0 = block() / across * TILE, col0 = block() % across * TILE;
    for (u64 batch = block_y(); batch < p.batch.count; batch += p.batch_blocks) {
        u64 at[3];
        offsets(p.batch, batch, at);
        const StridedSide a = {(const RL_T*)p.left + (i64)at[1], p.left_strides.row, p.left_strides.column};
        const StridedSide b = {(const RL_T*)p.right + (i64)at[2], p.right_strides.column, p.right_strides.row};
        RL_T* out = (RL_T*)p.out + (i64)at[0];
        const End end = {p};
        const auto offset_of = [](u64 column) { return column; };
        tile_product<sum_t<RL_T>>(a, b, p.rows, p.columns, {0, p.depth}, row0, col0, offset_of, [&](u64 row, u64 column, sum_t<RL_T> sum) {
            out[row * p.columns + column] = from_sum<RL_T>(end.of(row, column, sum));
        });
    }
}

struct AsIs {
    const MatMulParams& p;
    RL_FN sum_t<RL_T> of(u64, u64, sum_t<RL_T> sum) const { return sum; }
};

// beta addend + alpha sum, each operation rounded.
struct AddTo {
    using S = sum_t<RL_T>;
    const MatMulParams& p;
    RL_FN S factor(u64 whole, f64 real) const {
        if constexpr (is_float<S>::value) return (S)real;
        else return (S)whole;
    }
    RL_FN S of(u64 row, u64 column, S sum) const {
        if (!p.unit_alpha) sum = sum * factor(p.int_alpha, p.float_alpha);
        if (p.beta_kind == BetaKind::Zero) return sum;
        S x = to_sum<RL_T>(((const RL_T*)p.addend)[row * p.addend_strides.row + column * p.addend_strides.column]);
        if (p.beta_kind == BetaKind::Other) x = x * factor(p.int_beta, p.float_beta);
        return x + sum;
    }
};

}  // namespace rl

RL_KERNEL(matmul, tile)(rl::MatMulParams p) { rl::matmul<rl::AsIs>(p); }
RL_KERNEL(addmm, tile)(rl::MatMulParams p) { rl::matmul<rl::AddTo>(p); }
