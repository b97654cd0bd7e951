// pool: windows over planes. A thread makes one element of the output; a gradient is gathered from the windows that hold
// its place, in their row-major order. For max_pool_backward form `f` of max_pool first notes which place each window has
// its value from.
#include "planes.h"

namespace rl {

struct PoolParams {
    Planes x, g;            // the input; the gradient of the output
    u64 out;
    u64 first;              // max_pool_backward: the number in its plane of each window's place
    u64 n, channels;        // elements of the kernel's output
    u64 i[3], o[3];         // sizes of the input and of the output of pooling
    u64 k[3], s[3], p[3];   // window, stride, padding
    u32 blocks;
    u32 wide;               // 1: places need 64 bits
    u32 pad;                // avg_pool: 1 if padding counts
    u32 unused;
};

// From a place to one past another, in each dimension.
struct Box {
    u64 from[3], to[3];
};

// The part of a window inside the input.
RL_DEV Box window(const PoolParams& p, const u64 (&o)[3]) {
    Box w;
    for (int d = 0; d < 3; d++) {
        const u64 from = o[d] * p.s[d], to = from + p.k[d];
        w.from[d] = from > p.p[d] ? from - p.p[d] : 0;
        w.to[d] = to > p.p[d] ? to - p.p[d] : 0;
        if (w.to[d] > p.i[d]) w.to[d] = p.i[d];
    }
    return w;
}
// Calls f(place) for the places of a box, row-major.
template <class F>
RL_DEV void walk(const Box& w, F f) {
    for (u64 a = w.from[0]; a < w.to[0]; a++) {
        for (u64 b = w.from[1]; b < w.to[1]; b++) {
            for (u64 c = w.from[2]; c < w.to[2]; c++) f(a, b, c);
        }
    }
}

// A window's first place with its largest value (its first NaN if it holds one), and that value. No address is kept:
// where a stride is 0 several places have one.
struct Largest {
    u64 at[3];
    acc_t<RL_T> value;
};
RL_DEV Largest largest(const PoolParams& p, const RL_T* x, const Box& w) {
    Largest l = {{w.from[0], w.from[1], w.from[2]}, acc<RL_T>(x[(i64)place(p.x, w.from[0], w.from[1], w.from[2])])};
    walk(w, [&](u64 a, u64 b, u64 c) {
        const acc_t<RL_T> v = acc<RL_T>(x[(i64)place(p.x, a, b, c)]);
        if (v > l.value || (nan(v) && !nan(l.value))) l = {{a, b, c}, v};
    });
    return l;
}

#if RL_FLOAT
// The windows that hold a place of the input.
RL_DEV Box windows(const PoolParams& p, const u64 (&i)[3]) {
    Box w;
    for (int d = 0; d < 3; d++) {
        const u64 at = i[d] + p.p[d];
        w.from[d] = at >= p.k[d] ? (at - p.k[d]) / p.s[d] + 1 : 0;
        w.to[d] = at / p.s[d] + 1;
        if (w.to[d] > p.o[d]) w.to[d] = p.o[d];
    }
    return w;
}

// What the mean of a window divides by.
RL_DEV acc_t<RL_T> divisor(const PoolParams& p, const Box& w) {
    u64 n = p.k[0] * p.k[1] * p.k[2];
    if (!p.pad) n = (w.to[0] - w.from[0]) * (w.to[1] - w.from[1]) * (w.to[2] - w.from[2]);
    return (acc_t<RL_T>)(f64)n;
}
#endif

// Calls f(element, batch, channel, place) for the elements of an output of these sizes.
template <class F>
RL_DEV void each(const PoolParams& p, const u64 (&size)[3], F f) {
    const u64 step = (u64)p.blocks * RL_BLOCK;
    for (u64 e = global_thread(); e < p.n; e += step) {
        u64 batch, channel, at[3];
        split5(e, p.channels, size, p.wide, batch, channel, at);
        f(e, batch, channel, at);
    }
}

RL_DEV void max_pool(const PoolParams& p) {
    each(p, p.o, [&](u64 e, u64 batch, u64 channel, const u64 (&at)[3]) {
        const RL_T* x = (const RL_T*)p.x.ptr + (i64)place(p.x, batch, channel);
        ((RL_T*)p.out)[e] = from_acc<RL_T>(largest(p, x, window(p, at)).value);
    });
}

#if RL_FLOAT
RL_DEV void max_pool_first(const PoolParams& p) {
    each(p, p.o, [&](u64 e, u64 batch, u64 channel, const u64 (&at)[3]) {
        const RL_T* x = (const RL_T*)p.x.ptr + (i64)place(p.x, batch, channel);
        const Largest l = largest(p, x, window(p, at));
        ((u64*)p.out)[e] = (l.at[0] * p.i[1] + l.at[1]) * p.i[2] + l.at[2];
    });
}

RL_DEV void max_pool_backward(const PoolParams& p) {
    each(p, p.i, [&](u64 e, u64 batch, u64 channel, const u64 (&at)[3]) {
        const RL_T* g = (const RL_T*)p.g.ptr + (i64)place(p.g, batch, channel);
        const u64* first = (const u64*)p.first + (batch * p.channels + channel) * p.o[0] * p.o[1] * p.o[2];
        const u64 mine = (at[0] * p.i[1] + at[1]) * p.i[2] + at[2];
        acc_t<RL_T> sum = 0;
        walk(windows(p, at), [&](u64 a, u64 b, u64 c) {
            if (first[(a * p.o[1] + b) * p.o[2] + c] == mine) sum = sum + acc<RL_T>(g[(i64)place(p.g, a, b, c)]);
        });
        ((RL_T*)p.out)[e] = from_acc<RL_T>(sum);
    });
}

RL_DEV void avg_pool(const PoolParams& p) {
    each(p, p.o, [&](u64 e, u64 batch, u64 channel, const u64 (&at)[3]) {
        const RL_T* x = (const RL_T*)p.x.ptr + (i64)place(p.x, batch, channel);
        const Box w = window(p, at);
        acc_t<RL_T> sum = 0;
        walk(w, [&](u64 a, u64 b, u64 c) { sum = sum + acc<RL_T>(x[(i64)place(p.x, a, b, c)]); });
        ((RL_T*)p.out)[e] = from_acc<RL_T>(div(sum, divisor(p, w)));
    });
}

RL_DEV void avg_pool_backward(const PoolParams& p) {
    each(p, p.i, [&](u64 e, u64 batch, u64 channel, const u64 (&at)[3]) {
        const RL_T* g = (const RL_T*)p.g.ptr + (i64)place(p.g, batch, channel);
        acc_t<RL_T> sum = 0;
        walk(windows(p, at), [&](u64 a, u64 b, u64 c) {
            const u64 o[3] = {a, b, c};
            sum = sum + div(acc<RL_T>(g[(i64)place(p.g, a, b, c)]), divisor(p, window(p, o)));
        });
        ((RL_T*)p.out)[e] = from_acc<RL_T>(sum);
    });
}
#endif

}  // namespace rl

RL_CHECK_PARAMS(rl::PoolParams, RL_SIZEOF_PoolParams);

RL_KERNEL(max_pool, s)(rl::PoolParams p) { rl::max_pool(p); }
#if RL_FLOAT
RL_KERNEL(max_pool, f)(rl::PoolParams p) { rl::max_pool_first(p); }
RL_KERNEL(max_pool_backward, s)(rl::PoolParams p) { rl::max_pool_backward(p); }
RL_KERNEL(avg_pool, s)(rl::PoolParams p) { rl::avg_pool(p); }
RL_KERNEL(avg_pool_backward, s)(rl::PoolParams p) { rl::avg_pool_backward(p); }
#endif
