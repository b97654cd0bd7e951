// recurrent: the pointwise parts of the steps of LSTM and GRU, and their gradients. One thread for each element of the
// state. All operands are iterated over the dimensions of the state; the gates of an element are `step` elements apart.
#include "activation.h"
#include "elementwise.h"

namespace rl {

#if RL_FLOAT
using A = acc_t<RL_T>;

// Calls f(offsets of the element in each operand) for every element of the state.
template <int N, class F>
RL_DEV void each_element(const ElementwiseParams<N, CellParams>& p, F f) {
    const u64 step = (u64)p.iter.blocks * RL_BLOCK;
    for (u64 i = global_thread(); i < p.iter.count; i += step) {
        u64 at[N];
        offsets(p.iter, i, at);
        f(at);
    }
}

template <int N>
RL_DEV A value(const ElementwiseParams<N, CellParams>& p, int k, u64 at) {
    return acc<RL_T>(((const RL_T*)p.ptr[k])[(i64)at]);
}
template <int N>
RL_DEV void store(const ElementwiseParams<N, CellParams>& p, u64 at, u64 part, A v) {
    ((RL_T*)p.ptr[0])[(i64)(at + part * p.extra.out_step)] = from_acc<RL_T>(v);
}

// The gates of an LSTM after their activations, from operand k.
struct Lstm {
    A i, f, g, o;
    template <int N>
    RL_FN Lstm(const ElementwiseParams<N, CellParams>& p, int k, u64 at) {
        const u64 step = p.extra.step[0];
        i = logistic(value(p, k, at));
        f = logistic(value(p, k, at + step));
        g = tanh(value(p, k, at + 2 * step));
        o = logistic(value(p, k, at + 3 * step));
    }
    // The new state as it is stored.
    RL_FN RL_T state(A c) const { return from_acc<RL_T>(f * c + i * g); }
};

// The gates of a GRU after their activations, from operands k and k + 1, and the pre-activation that the reset gate
// multiplies.
struct Gru {
    A r, z, n, hidden;
    template <int N>
    RL_FN Gru(const ElementwiseParams<N, CellParams>& p, int k, u64 x, u64 y) {
        const u64 a = p.extra.step[0], b = p.extra.step[1];
        r = logistic(value(p, k, x) + value(p, k + 1, y));
        z = logistic(value(p, k, x + a) + value(p, k + 1, y + b));
        hidden = value(p, k + 1, y + 2 * b);
        n = tanh(value(p, k, x + 2 * a) + r * hidden);
    }
};
#endif

}  // namespace rl

#if RL_FLOAT
// Operands: the new h and c, adjacent in one tensor; gates; c.
RL_KERNEL(lstm_cell, strided)(rl::ElementwiseParams<3, rl::CellParams> p) {
    using namespace rl;
    each_element(p, [&](const u64 (&at)[3]) {
        const Lstm x(p, 1, at[1]);
        const A c = acc<RL_T>(x.state(value(p, 2, at[2])));
        store(p, at[0], 0, x.o * rl::tanh(c));
        store(p, at[0], 1, c);
    });
}
// Operands: the gradients of the gates and of c side by side, dh, dc, gates, c.
RL_KERNEL(lstm_cell_backward, strided)(rl::ElementwiseParams<5, rl::CellParams> p) {
    using namespace rl;
    each_element(p, [&](const u64 (&at)[5]) {
        const Lstm x(p, 3, at[3]);
        const A dh = value(p, 1, at[1]), c = value(p, 4, at[4]), one = 1;
        const A t = rl::tanh(acc<RL_T>(x.state(c)));
        const A s = value(p, 2, at[2]) + dh * x.o * (one - t * t);
        store(p, at[0], 0, s * x.g * (x.i * (one - x.i)));
        store(p, at[0], 1, s * c * (x.f * (one - x.f)));
        store(p, at[0], 2, s * x.i * (one - x.g * x.g));
        store(p, at[0], 3, dh * t * (x.o * (one - x.o)));
        store(p, at[0], 4, s * x.f);
    });
}
// Operands: h', x, y, h.
RL_KERNEL(gru_cell, strided)(rl::ElementwiseParams<4, rl::CellParams> p) {
    using namespace rl;
    each_element(p, [&](const u64 (&at)[4]) {
        const Gru g(p, 1, at[1], at[2]);
        store(p, at[0], 0, g.n + g.z * (value(p, 3, at[3]) - g.n));
    });
}
// Operands: the gradients of x, y and h side by side, dh, x, y, h.
RL_KERNEL(gru_cell_backward, strided)(rl::ElementwiseParams<5, rl::CellParams> p) {
    using namespace rl;
    each_element(p, [&](const u64 (&at)[5]) {
        const Gru g(p, 2, at[2], at[3]);
        const A dh = value(p, 1, at[1]), h = value(p, 4, at[4]), one = 1;
        const A dn = dh * (one - g.z) * (one - g.n * g.n);
        const A dr = dn * g.hidden * (g.r * (one - g.r));
        const A dz = dh * (h - g.n) * (g.z * (one - g.z));
        store(p, at[0], 0, dr);
        store(p, at[0], 1, dz);
        store(p, at[0], 2, dn);
        store(p, at[0], 3, dr);
        store(p, at[0], 4, dz);
        store(p, at[0], 5, dn * g.r);
        store(p, at[0], 6, dh * g.z);
    });
}
#endif
