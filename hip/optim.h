// optim.h: loops of optimizer steps over the elements of parameter, state and gradient, and what the family of
// ops/optimizer_step.rs has in common. A file that includes it has kernels for float dtypes only.
#pragma once
#include "fault.h"
#include "elementwise.h"

namespace rl {

#if RL_FLOAT
using A = acc_t<RL_T>;

// Calls f(x) for each element of entry t of a table, where x holds the element of the first N operands, of which the first OUT
// are written back.
template <int OUT, int N, int M, class E, class F>
RL_DEV void update_entry(const TableParams<M, E>& p, u32 t, F f) {
    constexpr int V = 16 / sizeof(RL_T);
    using P = Pack<RL_T, V>;
    const u32 first = p.first[t], end = t + 1 < p.tensors ? p.first[t + 1] : p.blocks;
    const u64 start = (u64)(block() - first) * RL_BLOCK + thread(), step = (u64)(end - first) * RL_BLOCK;
    const u64 n = p.count[t];
    u64 ptr[N], bits = 0, tail = 0;
    for (int k = 0; k < N; k++) {
        ptr[k] = p.ptr[t][k];
        bits |= ptr[k];
    }
    if (bits % 16 == 0) {
        const u64 packs = n / V;
        for (u64 i = start; i < packs; i += step) {
            P x[N];
            for (int k = 0; k < N; k++) x[k] = ((const P*)ptr[k])[i];
            for (int j = 0; j < V; j++) {
                A v[N];
                for (int k = 0; k < N; k++) v[k] = acc<RL_T>(x[k].v[j]);
                f(v);
                for (int k = 0; k < OUT; k++) x[k].v[j] = from_acc<RL_T>(v[k]);
            }
            for (int k = 0; k < OUT; k++) ((P*)ptr[k])[i] = x[k];
        }
        tail = packs * V;
    }
    for (u64 i = tail + start; i < n; i += step) {
        A v[N];
        for (int k = 0; k < N; k++) v[k] = acc<RL_T>(((const RL_T*)ptr[k])[i]);
        f(v);
        for (int k = 0; k < OUT; k++) ((RL_T*)ptr[k])[i] = from_acc<RL_T>(v[k]);
    }
}

// Same for one tensor of any strides.
template <int OUT, int N, int M, class E, class F>
RL_DEV void update_strided(const ElementwiseParams<M, E>& p, F f) {
    const u64 step = (u64)p.iter.blocks * RL_BLOCK;
    for (u64 i = global_thread(); i < p.iter.count; i += step) {
        u64 at[M];
        offsets(p.iter, i, at);
        A v[N];
        for (int k = 0; k < N; k++) v[k] = acc<RL_T>(((const RL_T*)p.ptr[k])[(i64)at[k]]);
        f(v);
        for (int k = 0; k < OUT; k++) ((RL_T*)p.ptr[k])[(i64)at[k]] = from_acc<RL_T>(v[k]);
    }
}

// The family of ops/optimizer_step.rs: x is the parameter, the states in the order of the op, the gradient.
struct family_step {
    A keep, weight_decay;
    bool decays, maximize;
    RL_FN family_step(const StepParams& s)
        : keep((A)s.keep), weight_decay((A)s.weight_decay), decays(s.decays != 0), maximize(s.maximize != 0) {}
    // The gradient to use; the parameter decays.
    template <int N>
    RL_FN A open(A (&x)[N]) const {
        const A g = maximize ? -x[N - 1] : x[N - 1], p = x[0];
        x[0] = p * keep;
        return decays ? g + weight_decay * p : g;
    }
};

// A running mean, of which each value replaces the part 1 - keep.
struct running {
    A keep, weight;
    bool from_old;
    RL_FN running(f64 share) : keep((A)share), weight((A)(1.0 - share)), from_old(1.0 - share < 0.5) {}
    RL_FN A mean(A m, A g) const {
        const A difference = g - m;
        return from_old ? m + weight * difference : g - difference * keep;
    }
    RL_FN A squares(A v, A g) const { return v * keep + (weight * g) * g; }
    RL_FN A mixed(A m, A g) const { return m * keep + g * weight; }
};
#endif

}  // namespace rl
