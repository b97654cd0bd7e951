// layerwise: LARS and LAMB, whose rate depends on norms of whole tensors. ops/optimizer_step.rs has the formulas. A first pass
// writes two sums of squares for each chunk of 1024 elements: those of all chunks of the first number, then of the second one.
// accumulate_norm reduces them. The pass that updates reads the sums of the tensor, its last operand. Variants:
//   _norms    32 threads a chunk of several contiguous tensors
//   _row      32 threads a chunk of one tensor of any strides
//   _table    the update of several contiguous tensors
//   _strided  the update of one tensor of any strides
#include "optim.h"
#include "reduce.h"

namespace rl {

#if RL_FLOAT
// A step F of N operands has
//   pair(x, a, b)   the two numbers of an element whose squares are added
//   set(a, b)       takes the norms
//   f(x)            the update

// LARS: x is the parameter, with N = 3 the momentum buffer, and the gradient.
template <int COUNT>
struct lars : family_step {
    static constexpr int N = COUNT;
    A momentum, trust, eps, lr, ratio;
    bool first, nesterov;
    RL_FN lars(const StepParams& s)
        : family_step(s), momentum((A)s.number[0]), trust((A)s.number[N == 3 ? 1 : 0]), eps((A)s.number[N == 3 ? 2 : 1]),
          lr((A)s.number[N == 3 ? 3 : 2]), ratio((A)1), first(s.number[4] != 0), nesterov(s.number[5] != 0) {}
    RL_FN void pair(const A (&x)[N], A& a, A& b) const {
        a = x[0];
        b = x[N - 1];
    }
    RL_FN void set(A length, A slope) {
        if (!(length > 0 && slope > 0)) return;
        if (decays) slope = slope + weight_decay * length;
        ratio = div(length * trust, slope + eps);
    }
    RL_FN void operator()(A (&x)[N]) const {
        A d = open(x) * ratio;
        if constexpr (N == 3) {
            x[1] = first ? d : momentum * x[1] + d;
            d = nesterov ? d + momentum * x[1] : x[1];
        }
        x[0] = x[0] - lr * d;
    }
};

// LAMB: x is the parameter, the means of gradients and of squares, and the gradient.
struct lamb : family_step {
    static constexpr int N = 4;
    running first, second;
    A eps, root, rate, lr;
    RL_FN lamb(const StepParams& s)
        : family_step(s), first(s.number[0]), second(s.number[1]), eps((A)s.number[2]), root((A)s.number[3]),
          rate((A)s.number[4]), lr((A)s.number[5]) {}
    // Updates the means and returns the change.
    RL_FN A change(A (&x)[N]) const {
        const A g = maximize ? -x[3] : x[3];
        x[1] = first.mean(x[1], g);
        x[2] = second.squares(x[2], g);
        const A d = div(rate * x[1], div(sqrt(x[2]), root) + eps);
        return decays ? d + weight_decay * x[0] : d;
    }
    RL_FN void pair(A (&x)[N], A& a, A& b) const {
        a = x[0];
        b = change(x);
    }
    RL_FN void set(A length, A step) {
        if (length > 0 && step > 0) lr = lr * div(length, step);
    }
    RL_FN void operator()(A (&x)[N]) const {
        const A d = change(x);
        x[0] = x[0] * keep - lr * d;
    }
};

struct Added {
    using C = A;
    static RL_FN A join(A a, A b) { return a + b; }
};

// Adds the squares of a lane's elements of a chunk, folds the lanes and writes the chunk's two sums. load(i, x) loads element i.
// All threads of the block must call it.
template <class F, class L>
RL_DEV void sum_chunk(const F& f, u64 chunk, u64 n, A* out, L load) {
    constexpr int N = F::N, BATCH = 4;
    const u64 first = chunk * CHUNK;
    A a = 0, b = 0;
    if (first < n) {
        const u32 count = (u32)(n - first < CHUNK ? n - first : CHUNK);
        u32 i = lane32();
        for (; i + (BATCH - 1) * LANES < count; i += BATCH * LANES) {
            A x[BATCH][N];
#pragma unroll
            for (u32 k = 0; k < BATCH; k++) load(first + i + k * LANES, x[k]);
#pragma unroll
            for (u32 k = 0; k < BATCH; k++) {
                A one, two;
                f.pair(x[k], one, two);
                a = a + one * one;
                b = b + two * two;
            }
        }
#pragma unroll 1
        for (; i < count; i += LANES) {
            A x[N], one, two;
            load(first + i, x);
            f.pair(x, one, two);
            a = a + one * one;
            b = b + two * two;
        }
    }
    a = fold_group<Added>(a);
    b = fold_group<Added>(b);
    if (first < n && lane32() == 0) {
        out[chunk] = a;
        out[(n + CHUNK - 1) / CHUNK + chunk] = b;
    }
}

template <class F, int M>
RL_DEV void norms_of_table(const TableParams<M, StepParams>& p) {
    constexpr int N = F::N;
    const u32 t = table_entry(p);
    u64 ptr[N];
    for (int k = 0; k < N; k++) ptr[k] = p.ptr[t][k];
    const u64 chunk = (u64)(block() - p.first[t]) * GROUPS + thread() / LANES;
    sum_chunk(F(p.extra), chunk, p.count[t], (A*)p.ptr[t][N], [&](u64 i, A(&x)[N]) {
        for (int k = 0; k < N; k++) x[k] = acc<RL_T>(((const RL_T*)ptr[k])[i]);
    });
}

template <class F, int M>
RL_DEV void norms_of_rows(const ElementwiseParams<M, StepParams>& p) {
    constexpr int N = F::N;
    const u64 chunks = (p.iter.count + CHUNK - 1) / CHUNK, step = (u64)p.iter.blocks * GROUPS;
    for (u64 c = (u64)block() * GROUPS; c < chunks; c += step) {
        sum_chunk(F(p.extra), c + thread() / LANES, p.iter.count, (A*)p.ptr[N], [&](u64 i, A(&x)[N]) {
            u64 at[M];
            offsets(p.iter, i, at);
            for (int k = 0; k < N; k++) x[k] = acc<RL_T>(((const RL_T*)p.ptr[k])[(i64)at[k]]);
        });
    }
}

// Returns the step with the norms of a tensor.
template <class F>
RL_DEV F prepared(const StepParams& s, u64 sums) {
    F f(s);
    f.set(sqrt(((const A*)sums)[0]), sqrt(((const A*)sums)[1]));
    return f;
}
#endif

}  // namespace rl

#define RL_LAYERWISE(op, M, F)                                                                                           \
    RL_KERNEL(op, norms)(rl::TableParams<M, rl::StepParams> p) { rl::norms_of_table<F>(p); }                             \
    RL_KERNEL(op, row)(rl::ElementwiseParams<M, rl::StepParams> p) { rl::norms_of_rows<F>(p); }                          \
    RL_KERNEL(op, table)(rl::TableParams<M, rl::StepParams> p) {                                                         \
        if (rl::faulted(p.extra.check)) return;                                                                          \
        const rl::u32 t = rl::table_entry(p);                                                                            \
        rl::update_entry<M - 2, M - 1>(p, t, rl::prepared<F>(p.extra, p.ptr[t][M - 1]));                                 \
    }                                                                                                                    \
    RL_KERNEL(op, strided)(rl::ElementwiseParams<M, rl::StepParams> p) {                                                 \
        if (rl::faulted(p.extra.check)) return;                                                                          \
        rl::update_strided<M - 2, M - 1>(p, rl::prepared<F>(p.extra, p.ptr[M - 1]));                                     \
    }

#if RL_FLOAT
RL_LAYERWISE(lars_step, 3, rl::lars<2>)
RL_LAYERWISE(lars_momentum_step, 4, rl::lars<3>)
RL_LAYERWISE(lamb_step, 5, rl::lamb)
#endif
