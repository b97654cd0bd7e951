// matmul: batches of matrix products of any strides, and addmm, which adds a matrix to the product.
#include "mma.h"
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
            out[row * p.columns + column] = from_sum<RL_T>(end.of(end.at(row, column), sum));
        });
    }
}

struct AsIs {
    const MatMulParams& p;
    RL_FN u64 at(u64, u64) const { return 0; }
    RL_FN u64 step() const { return 0; }
    RL_FN sum_t<RL_T> of(u64, sum_t<RL_T> sum) const { return sum; }
};

// beta addend + alpha sum, each operation rounded.
struct AddTo {
    using S = sum_t<RL_T>;
    const MatMulParams& p;
    RL_FN S factor(u64 whole, f64 real) const {
        if constexpr (is_float<S>::value) return (S)real;
        else return (S)whole;
    }
    // The address of the summand's element, and the distance to the next row in bytes.
    RL_FN u64 at(u64 row, u64 column) const {
        return p.addend + (row * p.addend_strides.row + column * p.addend_strides.column) * sizeof(RL_T);
    }
    RL_FN u64 step() const { return p.addend_strides.row * sizeof(RL_T); }
    RL_FN S of(u64 at, S sum) const {
        if (!p.unit_alpha) sum = sum * factor(p.int_alpha, p.float_alpha);
        if (p.beta_kind == BetaKind::Zero) return sum;
        S x = to_sum<RL_T>(*(const RL_T*)at);
        if (p.beta_kind == BetaKind::Other) x = x * factor(p.int_beta, p.float_beta);
        return x + sum;
    }
};

// The output of a product by atoms.
template <class End>
struct Output {
    const MatMulParams& p;
    const End end;
    u64 data;
    struct Cells {
        const Output& o;
        u64 to, step, addend, addend_step;
        RL_FN void put(u32 rows, sum_t<RL_T> sum) const {
            store((RL_T*)(to + rows * step), from_sum<RL_T>(o.end.of(addend + rows * addend_step, sum)));
        }
    };
    RL_FN Cells at(u64 row, u64 column) const {
        const u64 size = sizeof(RL_T);
        return {*this, data + (row * p.columns + column) * size, hidden_uniform(p.columns * size), end.at(row, column),
                hidden_uniform(end.step())};
    }
};

// As `matmul`, by atoms.
template <class Atom, u32 SIDE, class End>
RL_DEV void matmul_by(const MatMulParams& p) {
    const u32 across = (u32)((p.columns + SIDE - 1) / SIDE);
    const u64 down = hidden_uniform(block() / across), row0 = down * SIDE, col0 = (block() - down * across) * SIDE;
    for (u64 batch = block_y(); batch < p.batch.count; batch += p.batch_blocks) {
        u64 at[3];
        offsets(p.batch, batch, at);
        const u64 size = sizeof(RL_T);
        // The distance from a single row to the next does not matter; 0 suits the loads of packs.
        const Factor a = {p.left + at[1] * size, p.rows == 1 ? 0 : p.left_strides.row, p.left_strides.column, p.rows};
        const Factor b = {p.right + at[2] * size, p.columns == 1 ? 0 : p.right_strides.column, p.right_strides.row, p.columns};
        mma_product<RL_T, Atom, SIDE>(a, b, p.depth, row0, col0, Output<End>{p, End{p}, p.out + at[0] * size});
    }
}

}  // namespace rl

// Variants: `tile` adds in the order of the inner dimension, one rounding for each product; `matrix` is for f16 and bf16 and uses
// the matrix units where there are any, with their rounding; `large` has larger tiles, for f32 of the first kind.
#define RL_PRODUCT(variant, atom, side)                                                           \
    RL_KERNEL(matmul, variant)(rl::MatMulParams p) RL_WAVES;                                      \
    RL_KERNEL(addmm, variant)(rl::MatMulParams p) RL_WAVES;                                       \
    RL_KERNEL(matmul, variant)(rl::MatMulParams p) { rl::matmul_by<atom, side, rl::AsIs>(p); }    \
    RL_KERNEL(addmm, variant)(rl::MatMulParams p) { rl::matmul_by<atom, side, rl::AddTo>(p); }
#if defined(RL_T_IS_f32)
RL_PRODUCT(tile, rl::ExactAtom, 64)
RL_PRODUCT(large, rl::ExactAtom, 128)
#elif defined(RL_T_IS_f16) || defined(RL_T_IS_bf16)
RL_PRODUCT(tile, rl::ExactAtom, 64)
RL_PRODUCT(matrix, rl::FastAtom<rl::RL_T>, 64)
RL_PRODUCT(large, rl::FastAtom<rl::RL_T>, 128)
#else
RL_KERNEL(matmul, tile)(rl::MatMulParams p) { rl::matmul<rl::AsIs>(p); }
RL_KERNEL(addmm, tile)(rl::MatMulParams p) { rl::matmul<rl::AddTo>(p); }
#endif
