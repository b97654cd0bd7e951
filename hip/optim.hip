// optim: optimizer steps, each one pass over parameter, state and gradient in place. The formulas, and which operation
// rounds when, are the cards' (ops/sgd_step.rs, ops/adam_step.rs). After an index error nothing is changed.
#include "fault.h"
#include "walk.h"

namespace rl {

// The host's twins are in gpu::run::optim.
struct Sgd {
    f64 lr, momentum, rest, decay;
    u32 decays, first, nesterov, unused;
    Checker check;
};
struct Adam {
    f64 keep, w1, w2, root, rate, beta1, beta2, eps, decay;
    u32 decays, decoupled, near, unused;
    Checker check;
};
using SgdParams = Params<2, Sgd>;
using MomentumParams = Params<3, Sgd>;
using AdamParams = Params<4, Adam>;

#if RL_FLOAT
using A = acc_t<RL_T>;

// f(x): x holds the element of every operand, the gradient last; all but it are written back.
template <int N, class E, class F>
RL_DEV void update_c(const Params<N, E>& p, F f) {
    constexpr int V = 16 / sizeof(RL_T);
    using P = Pack<RL_T, V>;
    const u64 step = (u64)p.walk.blocks * RL_BLOCK, n = p.walk.n;
    u64 tail = 0;
    if (p.walk.vec) {
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
RL_DEV void update_s(const Params<N, E>& p, F f) {
    const u64 step = (u64)p.walk.blocks * RL_BLOCK;
    for (u64 i = global_thread(); i < p.walk.n; i += step) {
        u64 at[N];
        places(p.walk, i, at);
        A v[N];
        for (int k = 0; k < N; k++) v[k] = acc<RL_T>(((const RL_T*)p.ptr[k])[(i64)at[k]]);
        f(v);
        for (int k = 0; k < N - 1; k++) ((RL_T*)p.ptr[k])[(i64)at[k]] = from_acc<RL_T>(v[k]);
    }
}

// Param and gradient; with N = 3 the buffer is between them.
template <int N>
struct sgd {
    A lr, momentum, rest, decay;
    bool decays, first, nesterov;
    RL_FN sgd(const Sgd& s)
        : lr((A)s.lr), momentum((A)s.momentum), rest((A)s.rest), decay((A)s.decay), decays(s.decays != 0),
          first(s.first != 0), nesterov(s.nesterov != 0) {}
    RL_FN void operator()(A (&v)[N]) const {
        A d = v[N - 1];
        if (decays) d = d + decay * v[0];
        if constexpr (N == 3) {
            v[1] = first ? d : momentum * v[1] + rest * d;
            d = nesterov ? d + momentum * v[1] : v[1];
        }
        v[0] = v[0] - lr * d;
    }
};

struct adam {
    A keep, w1, w2, root, rate, beta1, beta2, eps, decay;
    bool decays, decoupled, near;
    RL_FN adam(const Adam& s)
        : keep((A)s.keep), w1((A)s.w1), w2((A)s.w2), root((A)s.root), rate((A)s.rate), beta1((A)s.beta1),
          beta2((A)s.beta2), eps((A)s.eps), decay((A)s.decay), decays(s.decays != 0), decoupled(s.decoupled != 0),
          near(s.near != 0) {}
    RL_FN void operator()(A (&x)[4]) const {
        A p = x[0], m = x[1], v = x[2], g = x[3];
        if (decays && decoupled) p = p * keep;
        else if (decays) g = g + decay * p;
        const A apart = g - m;
        m = near ? m + w1 * apart : g - apart * beta1;
        v = v * beta2 + (w2 * g) * g;
        const A d = div(sqrt(v), root) + eps;
        x[0] = p + div(rate * m, d);
        x[1] = m;
        x[2] = v;
    }
};
#endif

}  // namespace rl

RL_CHECK_PARAMS(rl::SgdParams, RL_SIZEOF_SgdParams);
RL_CHECK_PARAMS(rl::MomentumParams, RL_SIZEOF_MomentumParams);
RL_CHECK_PARAMS(rl::AdamParams, RL_SIZEOF_AdamParams);

#define RL_STEP(op, P, F)                                                   \
    RL_KERNEL(op, c)(P p) {                                                 \
        if (!rl::faulted(p.extra.check)) rl::update_c(p, F(p.extra));       \
    }                                                                       \
    RL_KERNEL(op, s)(P p) {                                                 \
        if (!rl::faulted(p.extra.check)) rl::update_s(p, F(p.extra));       \
    }

#if RL_FLOAT
RL_STEP(sgd_step, rl::SgdParams, rl::sgd<2>)
RL_STEP(momentum_step, rl::MomentumParams, rl::sgd<3>)
RL_STEP(adam_step, rl::AdamParams, rl::adam)
#endif
