// csr_matmul and sampled_matmul: a sparse matrix times a dense one, and elements of a product of dense matrices.
#include "index.h"
#include "reduce.h"

namespace rl {

using A = acc_t<RL_T>;

// Returns whether an index is to be read; reports one that is out of range.
RL_DEV bool valid(const IndexTensor& index, u64 operand, u64 position, i64 at) {
    if (skipped(index, at)) return false;
    if (inside(index, at)) return true;
    report(index.check, operand, position, at, index.size);
    return false;
}

// Loads a start of a row; 0 if it is out of range.
RL_DEV u64 start_of(const SparseParams& p, u64 row) {
    const i64 at = load_index(p.first, row * p.first_step);
    return inside(p.first, at) ? (u64)at : 0;
}

// A thread for each element of the result; neighbours have neighbouring columns. The entries of a row are added in order.
RL_DEV void csr_matmul(const SparseParams& p) {
    const u64 step = p.blocks * RL_BLOCK;
    for (u64 k = global_thread(); k < p.starts; k += step) valid(p.first, 2, k, load_index(p.first, k * p.first_step));
    for (u64 k = global_thread(); k < p.entries; k += step) valid(p.second, 3, k, load_index(p.second, k * p.second_step));
    for (u64 e = global_thread(); e < p.count; e += step) {
        u64 column = 0;
        const u64 row = div_mod(e, p.width, column);
        const u64 from = start_of(p, row), to = start_of(p, row + 1);
        const RL_T* dense = (const RL_T*)p.b + (i64)(column * p.b_strides.column);
        A sum = 0;
        for (u64 k = from; k < to; k++) {
            const i64 at = load_index(p.second, k * p.second_step);
            if (skipped(p.second, at) || !inside(p.second, at)) continue;
            const A value = acc<RL_T>(((const RL_T*)p.a)[(i64)(k * p.a_strides.column)]);
            sum = sum + mul(value, acc<RL_T>(dense[(i64)((u64)at * p.b_strides.row)]));
        }
        ((RL_T*)p.out)[e] = from_acc<RL_T>(sum);
    }
}

// A group of 32 lanes for each element of the result.
RL_DEV void sampled_matmul(const SparseParams& p) {
    const u32 lane = lane32();
    const u64 step = p.blocks * (RL_BLOCK / LANES), group = (u64)block() * (RL_BLOCK / LANES) + thread() / LANES;
    for (u64 k = group; k < p.count; k += step) {
        const i64 row = load_index(p.first, k * p.first_step), column = load_index(p.second, k * p.second_step);
        const bool rows = valid(p.first, 2, k, row), columns = valid(p.second, 3, k, column);
        A sum = 0;
        if (rows && columns) {
            const RL_T* a = (const RL_T*)p.a + (i64)((u64)row * p.a_strides.row);
            const RL_T* b = (const RL_T*)p.b + (i64)((u64)column * p.b_strides.row);
            for (u64 i = lane; i < p.width; i += LANES) {
                const A x = acc<RL_T>(a[(i64)(i * p.a_strides.column)]);
                sum = sum + mul(x, acc<RL_T>(b[(i64)(i * p.b_strides.column)]));
            }
        }
        sum = fold_group<Sum<RL_T>>(sum);
        if (lane == 0) ((RL_T*)p.out)[k] = from_acc<RL_T>(sum);
    }
}

}  // namespace rl

RL_KERNEL(csr_matmul, row)(rl::SparseParams p) { rl::csr_matmul(p); }
RL_KERNEL(sampled_matmul, row)(rl::SparseParams p) { rl::sampled_matmul(p); }
