// Arranges matrices for a vendor's library of decompositions, whose matrices are column-major, and its results for our ops.
#include "reflections.h"

namespace rl {

// Writes matrices column-major. Elements that are infinite or NaN become 0, because a library's loops may not end with them.
// Words of `state`: the first one counts if there was such an element or one beyond 2^40; one for each matrix if it has an
// element of 2^-40 or more, so that squares of most elements do not vanish.
RL_DEV void load(const SolverParams& p) {
    const u64 size = p.rows * p.columns;
    const A most = (A)0x1p40, least = (A)0x1p-40;
    u32* state = (u32*)p.state;
    for (u64 e = global_thread(); e < p.matrices * size; e += p.blocks * RL_BLOCK) {
        const u64 matrix = e / size, i = e % size % p.rows, j = e % size / p.rows;
        u64 at[1];
        offsets(p.starts, matrix, at);
        const E* x = (const E*)p.from + (i64)at[0];
        // Of a Hermitian matrix the lower triangle counts.
        const bool above = p.part == SolverPart::Lower && i < j;
        E value = above ? element(x, p.strides, j, i) : element(x, p.strides, i, j);
        if (above || p.conjugate) value = conj(value);
        if (p.part == SolverPart::Lower && i == j) value = real(re_of(value));
        const A a = fabs(re_of(value)), b = fabs(im_of(value));
        if (!(a <= most && b <= most)) {
            state[0] = 1;
            value = real(0);
        }
        if (a >= least || b >= least) state[1 + matrix] = 1;
        ((E*)p.out)[matrix * p.out_stride + e % size] = value;
    }
}

// Writes for each of `count` vectors of `rows` elements the number by which the first of its largest elements becomes positive.
RL_DEV void signs(const SolverParams& p) {
    for (u64 e = global_thread(); e < p.matrices * p.count; e += p.blocks * RL_BLOCK) {
        const E* x = (const E*)p.from + e / p.count * p.from_stride;
        E most = real(0);
        for (u64 i = 0; i < p.rows; i++) {
            E value = element(x, p.strides, i, e % p.count);
            if (p.conjugate) value = conj(value);
            if (size_of(value) > size_of(most)) most = value;
        }
        ((E*)p.out)[e] = to_positive(most);
    }
}

// Writes matrices of a library row-major, or one triangle. The first `count` columns (rows) are multiplied by their signs (by the
// conjugates of these), if there are any.
RL_DEV void store(const SolverParams& p) {
    const u64 size = p.rows * p.columns;
    const E* all = (const E*)p.signs;
    for (u64 e = global_thread(); e < p.matrices * size; e += p.blocks * RL_BLOCK) {
        const u64 matrix = e / size, i = e % size / p.columns, j = e % size % p.columns;
        E value = element((const E*)p.from + matrix * p.from_stride, p.strides, i, j);
        if (p.conjugate) value = conj(value);
        if (p.part == SolverPart::Upper && j < i) value = real(0);
        if (p.part == SolverPart::Lower && j > i) value = real(0);
        const u64 line = p.by_row ? i : j;
        if (all && line < p.count) {
            const E sign = all[matrix * p.count + line];
            value = times(value, p.by_row ? conj(sign) : sign);
        }
        ((E*)p.out)[matrix * p.out_stride + e % size] = value;
    }
}

// Writes `count` real numbers for each matrix, and zeros up to `columns`.
RL_DEV void values(const SolverParams& p) {
    for (u64 e = global_thread(); e < p.matrices * p.columns; e += p.blocks * RL_BLOCK) {
        const u64 matrix = e / p.columns, j = e % p.columns, from = matrix * p.count + j;
        E value = real(0);
        if (j < p.count) {
            // Pivots are numbers of rows from 1 on.
            if (p.pivot_bytes == 4) value = real((A)(((const i32*)p.from)[from] - 1));
            else if (p.pivot_bytes == 8) value = real((A)(((const i64*)p.from)[from] - 1));
            else value = real(((const A*)p.from)[from]);
        }
        ((E*)p.out)[matrix * p.out_stride + j] = value;
    }
}

}  // namespace rl

RL_KERNEL(solver_load, thread)(rl::SolverParams p) { rl::load(p); }
RL_KERNEL(solver_signs, thread)(rl::SolverParams p) { rl::signs(p); }
RL_KERNEL(solver_store, thread)(rl::SolverParams p) { rl::store(p); }
RL_KERNEL(solver_values, thread)(rl::SolverParams p) { rl::values(p); }
