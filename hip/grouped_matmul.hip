// grouped_matmul: matrix products of groups of rows, or of groups of the inner dimension. A block finds its group by
// reading the ends of the groups, so that the host need not know them.
#include "gemm.h"
#include "params.h"

namespace rl {

// A matrix as a side of a product.
struct GroupSide {
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

// Returns the end of a group, clamped between the end of the group before and the size of the dimension.
RL_DEV u64 end_of(const GroupedParams& p, u64 group, u64 before, u64 limit) {
    const i64 end = ((const i32*)p.ends)[(i64)(group * p.ends_step)];
    const u64 to = end < 0 ? 0 : (u64)end;
    return to < before ? before : to > limit ? limit : to;
}

RL_DEV void product(const GroupedParams& p, const RL_T* left, const RL_T* right, RL_T* out, u64 rows, Span depth, u64 row0, u64 col0) {
    const GroupSide a = {left, p.left_strides.row, p.left_strides.column};
    const GroupSide b = {right, p.right_strides.column, p.right_strides.row};
    const auto offset_of = [](u64 column) { return column; };
    tile_product<sum_t<RL_T>>(a, b, rows, p.columns, depth, row0, col0, offset_of, [&](u64 row, u64 column, sum_t<RL_T> sum) {
        out[row * p.columns + column] = from_sum<RL_T>(sum);
    });
}

// For groups of rows: computes tile number `slot`, where the tiles of all groups are counted one group after the other.
RL_DEV void rows_of_slot(const GroupedParams& p, u64 slot) {
    u64 from = 0, to = 0, before = 0, group = 0;
    for (; group < p.groups; group++) {
        from = to;
        to = end_of(p, group, from, p.rows);
        const u64 tiles = (to - from + TILE - 1) / TILE;
        if (slot - before < tiles) break;
        before += tiles;
    }
    const u64 row0 = (slot - before) * TILE, col0 = (u64)block() * TILE;
    if (group < p.groups) {
        const RL_T* left = (const RL_T*)p.left + (i64)(from * p.left_strides.row);
        const RL_T* right = (const RL_T*)p.right + (i64)(group * p.right_step);
        product(p, left, right, (RL_T*)p.out + from * p.columns, to - from, {0, p.depth}, row0, col0);
        return;
    }
    // Rows behind the last group are set to 0.
    for (u32 e = thread(); e < TILE * TILE; e += RL_BLOCK) {
        const u64 row = to + row0 + e / TILE, column = col0 + e % TILE;
        if (row < p.rows && column < p.columns) ((RL_T*)p.out)[row * p.columns + column] = from_sum<RL_T>((sum_t<RL_T>)0);
    }
}

RL_DEV void grouped_matmul(const GroupedParams& p) {
    const u64 tiles = (p.rows + TILE - 1) / TILE;
    const u64 count = p.by_rows ? tiles + p.groups + 1 : p.groups;
    for (u64 slot = block_y(); slot < count; slot += p.shared_blocks) {
        if (p.by_rows) {
            rows_of_slot(p, slot);
            continue;
        }
        u64 from = 0, to = 0;
        for (u64 group = 0; group <= slot; group++) {
            from = to;
            to = end_of(p, group, from, p.depth);
        }
        const u64 across = (p.columns + TILE - 1) / TILE;
        const u64 row0 = block() / across * TILE, col0 = block() % across * TILE;
        RL_T* out = (RL_T*)p.out + slot * p.rows * p.columns;
        product(p, (const RL_T*)p.left, (const RL_T*)p.right, out, p.rows, {from, to}, row0, col0);
    }
}

}  // namespace rl

RL_KERNEL(grouped_matmul, tile)(rl::GroupedParams p) { rl::grouped_matmul(p); }
