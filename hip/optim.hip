// optim: optimizer steps, each one pass over parameter, state and gradient in place. The op definitions (ops/sgd_step.rs,
// ops/adam_step.rs) have the formulas and the order of operations. After an index error a step changes nothing.
#include "fault.h"
#include "elementwise.h"

namespace rl {


#if RL_FLOAT
using A = acc_t<RL_T>;

// Calls f(x), where x holds the element of every operand, the gradient last; all but the gradient are written back.
template <int N, class E, class F>
RL_DEV void update_contig(const ElementwiseParams<N, E>& p, F f) {
    constexpr int V = 16 / sizeof(RL_T);
    using P = Pack<RL_T, V>;
    const u64 step = (u64)p.iter.blocks * RL_BLOCK, n = p.iter.count;
    u64 tail = 0;
    if (p.iter.aligned) {
        const u64 packs = n / V;
        for (u64 i = global_thread(); i < packs; i += step) {
            P x[N];
            for (int k = 0; k < N; k++) x[k] = ((const P*)p.ptr[k])[i];
            for (int j = 0; j < V; j++) {
                A v[N];
                for (int k = 0; k < N; k++) v[k] = acc<RL_T>(x[k].v[j]);
                f(v);
                for (int k = 0; k < N - 1; k++) x[k].v[j] = from_acc<RL_T>(v[k]);
            }
            for (int k = 0; k < N - 1; k++) ((P*)p.ptr[k])[i] = x[k];
        }
        tail = packs * V;
    }
    for (u64 i = tail + global_thread(); i < n; i += step) {
        A v[N];
        for (int k = 0; k < N; k++) v[k] = acc<RL_T>(((const RL_T*)p.ptr[k])[i]);
        f(v);
        for (int k = 0; k < N - 1; k++) ((RL_T*)p.ptr[k])[i] = from_acc<RL_T>(v[k]);
    }
}
template <int N, class E, class F>
RL_DEV void update_strided(const ElementwiseParams<N, E>& p, F f) {
    const u64 step = (u64)p.iter.blocks * RL_BLOCK;
    for (u64 i = global_thread(); i < p.iter.count; i += step) {
        u64 at[N];
        offsets(p.iter, i, at);
        A v[N];
        for (int k = 0; k < N; k++) v[k] = acc<RL_T>(((const RL_T*)p.ptr[k])[(i64)at[k]]);
        f(v);
        for (int k = 0; k < N - 1; k++) ((RL_T*)p.ptr[k])[(i64)at[k]] = from_acc<RL_T>(v[k]);
    }
}

// v is the parameter and the gradient; with N = 3 the momentum buffer is between them.
template <int N>
struct sgd {
    A lr, momentum, undamped, weight_decay;
    bool decays, first, nesterov;
    RL_FN sgd(const SgdParams& s)
        : lr((A)s.lr), momentum((A)s.momentum), undamped((A)s.undamped), weight_decay((A)s.weight_decay), decays(s.decays != 0),
          first(s.first != 0), nesterov(s.nesterov != 0) {}
    RL_FN void operator()(A (&v)[N]) const {
        A d = v[N - 1];
        if (decays) d = d + weight_decay * v[0];
        if constexpr (N == 3) {
            v[1] = first ? d : momentum * v[1] + undamped * d;
            d = nesterov ? d + momentum * v[1] : v[1];
        }
        v[0] = v[0] - lr * d;
    }
};

struct adam {
    A decay_factor, gradient_weight, square_weight, correction_root, negative_rate, beta1, beta2, eps, weight_decay;
    bool decays, decoupled, from_old;
    RL_FN adam(const AdamParams& s)
        : decay_factor((A)s.decay_factor), gradient_weight((A)s.gradient_weight), square_weight((A)s.square_weight),
          correction_root((A)s.correction_root), negative_rate((A)s.negative_rate), beta1((A)s.beta1),
          beta2((A)s.beta2), eps((A)s.eps), weight_decay((A)s.weight_decay), decays(s.decays != 0), decoupled(s.decoupled != 0),
          from_old(s.from_old != 0) {}
    RL_FN void operator()(A (&x)[4]) const {
        A p = x[0], m = x[1], v = x[2], g = x[3];
        if (decays && decoupled) p = p * decay_factor;
        else if (decays) g = g + weight_decay * p;
        const A difference = g - m;
        m = from_old ? m + gradient_weight * difference : g - difference * beta1;
        v = v * beta2 + (square_weight * g) * g;
        const A d = div(sqrt(v), correction_root) + eps;
        x[0] = p + div(negative_rate * m, d);
        x[1] = m;
        x[2] = v;
    }
};
#endif

}  // namespace rl

#define RL_STEP(op, N, E, F)                                                \
    RL_KERNEL(op, contig)(rl::ElementwiseParams<N, E> p) {                  \
        if (!rl::faulted(p.extra.check)) rl::update_contig(p, F(p.extra));  \
    }                                                                       \
    RL_KERNEL(op, strided)(rl::ElementwiseParams<N, E> p) {                 \
        if (!rl::faulted(p.extra.check)) rl::update_strided(p, F(p.extra)); \
    }

#if RL_FLOAT
RL_STEP(sgd_step, 2, rl::SgdParams, rl::sgd<2>)
RL_STEP(momentum_step, 3, rl::SgdParams, rl::sgd<3>)
RL_STEP(adam_step, 4, rl::AdamParams, rl::adam)
#endif
