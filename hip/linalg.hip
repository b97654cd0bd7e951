// Factorizations of matrices and solutions of triangular systems, for f32 and f64; orders of rows, for integers. A block of threads
// works on one matrix (on some columns of a solution) in the memory of the output, which is row-major. Each element is changed by
// one fma for each term, in the order of the terms, and by one division, as on the CPU: the bits are equal.
#include "elementwise.h"

namespace rl {

#if RL_FLOAT
using A = RL_T;

RL_DEV A nan_value() { return lowest<A>() - lowest<A>(); }

// The first element of a matrix of an operand.
RL_DEV const A* matrix_of(u64 address, const StridedIter<1>& starts, u64 matrix) {
    u64 at[1];
    offsets(starts, matrix, at);
    return (const A*)address + (i64)at[0];
}
RL_DEV A element(const A* x, const MatrixStrides& strides, u64 row, u64 column) {
    return x[(i64)(row * strides.row + column * strides.column)];
}

RL_DEV void cholesky(const LinalgParams& p) {
    const u64 n = p.rows, me = thread();
    for (u64 matrix = block(); matrix < p.matrices; matrix += p.blocks) {
        const A* x = matrix_of(p.a, p.a_starts, matrix);
        A* out = (A*)p.out + matrix * n * n;
        for (u64 e = me; e < n * n; e += RL_BLOCK) {
            const u64 i = e / n, j = e % n;
            out[e] = j <= i ? element(x, p.a_strides, i, j) : (A)0;
        }
        sync();
        for (u64 k = 0; k < n; k++) {
            const A square = out[k * n + k];
            const A root = square > 0 ? sqrt(square) : nan_value();
            sync();
            if (me == 0) out[k * n + k] = root;
            for (u64 i = k + 1 + me; i < n; i += RL_BLOCK) out[i * n + k] = div(out[i * n + k], root);
            sync();
            const u64 left = n - k - 1;
            for (u64 e = me; e < left * left; e += RL_BLOCK) {
                const u64 i = k + 1 + e / left, j = k + 1 + e % left;
                if (j <= i) out[i * n + j] = fma(-out[i * n + k], out[j * n + k], out[i * n + j]);
            }
            sync();
        }
    }
}

// Finds the first of the largest elements of column k from row k on. An element k that is NaN stays; others that are NaN are passed
// over. All threads of the block call it.
RL_DEV u64 pivot_of(const A* out, u64 m, u64 n, u64 k) {
    __shared__ A sizes[RL_BLOCK];
    __shared__ u64 rows[RL_BLOCK];
    const u32 me = thread();
    A size = (A)-1;
    u64 row = m;
    for (u64 i = k + me; i < m; i += RL_BLOCK) {
        const A other = fabs(out[i * n + k]);
        if (other > size) {
            size = other;
            row = i;
        }
    }
    sizes[me] = size;
    rows[me] = row;
    sync();
    for (u32 half = RL_BLOCK / 2; half > 0; half /= 2) {
        if (me < half) {
            const A other = sizes[me + half];
            if (other > sizes[me] || (other == sizes[me] && rows[me + half] < rows[me])) {
                sizes[me] = other;
                rows[me] = rows[me + half];
            }
        }
        sync();
    }
    const u64 found = rows[0];
    const bool stays = is_nan(out[k * n + k]);
    sync();
    return stays ? k : found;
}

RL_DEV void lu_factor(const LinalgParams& p) {
    const u64 m = p.rows, n = p.columns, me = thread();
    for (u64 matrix = block(); matrix < p.matrices; matrix += p.blocks) {
        const A* x = matrix_of(p.a, p.a_starts, matrix);
        A* out = (A*)p.out + matrix * (m + 1) * n;
        for (u64 e = me; e < m * n; e += RL_BLOCK) out[e] = element(x, p.a_strides, e / n, e % n);
        for (u64 j = me; j < n; j += RL_BLOCK) out[m * n + j] = 0;
        sync();
        for (u64 k = 0; k < m && k < n; k++) {
            const u64 pivot = pivot_of(out, m, n, k);
            if (me == 0) out[m * n + k] = (A)pivot;
            if (pivot != k) {
                for (u64 j = me; j < n; j += RL_BLOCK) {
                    const A upper = out[k * n + j];
                    out[k * n + j] = out[pivot * n + j];
                    out[pivot * n + j] = upper;
                }
            }
            sync();
            const A divisor = out[k * n + k];
            if (divisor != 0) {
                for (u64 i = k + 1 + me; i < m; i += RL_BLOCK) out[i * n + k] = div(out[i * n + k], divisor);
            }
            sync();
            const u64 columns = n - k - 1;
            for (u64 e = me; e < (m - k - 1) * columns; e += RL_BLOCK) {
                const u64 i = k + 1 + e / columns, j = k + 1 + e % columns;
                out[i * n + j] = fma(-out[i * n + k], out[k * n + j], out[i * n + j]);
            }
            sync();
        }
    }
}

// A block solves for some columns, of which each belongs to the threads of one remainder.
RL_DEV void solve_triangular(const LinalgParams& p) {
    const u64 n = p.rows, tiles = (p.columns + p.width - 1) / p.width;
    const u64 lane = thread() % p.width, group = thread() / p.width, groups = RL_BLOCK / p.width;
    for (u64 item = block(); item < p.matrices * tiles; item += p.blocks) {
        const u64 matrix = item / tiles, column = item % tiles * p.width + lane;
        const bool on = column < p.columns;
        const A* a = matrix_of(p.a, p.a_starts, matrix);
        const A* b = matrix_of(p.b, p.b_starts, matrix);
        A* out = (A*)p.out + matrix * n * p.columns + column;
        for (u64 i = group; i < n && on; i += groups) out[i * p.columns] = element(b, p.b_strides, i, column);
        sync();
        for (u64 step = 0; step < n; step++) {
            const u64 k = p.upper ? n - 1 - step : step;
            A x = 0;
            if (on) {
                x = out[k * p.columns];
                if (!p.unit) x = div(x, element(a, p.a_strides, k, k));
            }
            sync();
            if (on && group == 0) out[k * p.columns] = x;
            for (u64 other = step + 1 + group; other < n && on; other += groups) {
                const u64 i = p.upper ? n - 1 - other : other;
                A* to = out + i * p.columns;
                *to = fma(-element(a, p.a_strides, i, k), x, *to);
            }
            sync();
        }
    }
}
#endif

#if RL_INT
// A thread for each order.
RL_DEV void pivots_to_permutation(const LinalgParams& p) {
    for (u64 item = global_thread(); item < p.matrices; item += p.blocks * RL_BLOCK) {
        u64 at[1];
        offsets(p.a_starts, item, at);
        const RL_T* pivots = (const RL_T*)p.a + (i64)at[0];
        i64* out = (i64*)p.out + item * p.rows;
        for (u64 i = 0; i < p.rows; i++) out[i] = (i64)i;
        for (u64 k = 0; k < p.columns; k++) {
            const i64 pivot = (i64)pivots[(i64)(k * p.a_strides.column)];
            if (pivot < 1 || pivot > (i64)p.rows) continue;
            const i64 other = pivot - 1;
            const i64 row = out[k];
            out[k] = out[other];
            out[other] = row;
        }
    }
}
#endif

}  // namespace rl

#if RL_FLOAT
RL_KERNEL(cholesky, block)(rl::LinalgParams p) { rl::cholesky(p); }
RL_KERNEL(lu_factor, block)(rl::LinalgParams p) { rl::lu_factor(p); }
RL_KERNEL(solve_triangular, block)(rl::LinalgParams p) { rl::solve_triangular(p); }
#endif
#if RL_INT
RL_KERNEL(pivots_to_permutation, thread)(rl::LinalgParams p) { rl::pivots_to_permutation(p); }
#endif
