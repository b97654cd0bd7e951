// pooling: max and average pooling. One thread for each element of the output; a gradient is the sum over the windows that hold
// its element, in row-major order. For max_pool_backward, max_pool_indices first writes the index of each window's maximum.
#include "spatial.h"

namespace rl {

// A box of coordinates: from the first to one past the last, in steps, in each dimension.
struct Box {
    u64 from[3], to[3], step[3];
};

// Returns the part of window `o` that is inside the input.
RL_DEV Box window(const PoolParams& p, const u64 (&o)[3]) {
    Box w;
    for (int d = 0; d < 3; d++) {
        w.step[d] = p.dilation[d];
        if (p.adaptive) {
            w.from[d] = o[d] * p.input_size[d] / p.output_size[d];
            w.to[d] = ((o[d] + 1) * p.input_size[d] + p.output_size[d] - 1) / p.output_size[d];
            continue;
        }
        const u64 from = o[d] * p.stride[d], to = from + (p.kernel_size[d] - 1) * p.dilation[d] + 1;
        w.from[d] = from - p.padding[d];
        if (from < p.padding[d]) {
            // The first of its elements behind the padding.
            const u64 before = p.padding[d] - from;
            w.from[d] = (before + p.dilation[d] - 1) / p.dilation[d] * p.dilation[d] - before;
        }
        w.to[d] = to > p.padding[d] ? to - p.padding[d] : 0;
        if (w.to[d] > p.input_size[d]) w.to[d] = p.input_size[d];
    }
    return w;
}
// Calls f(coordinates) for a box, row-major.
template <class F>
RL_DEV void for_each_in(const Box& w, F f) {
    for (u64 a = w.from[0]; a < w.to[0]; a += w.step[0]) {
        for (u64 b = w.from[1]; b < w.to[1]; b += w.step[1]) {
            for (u64 c = w.from[2]; c < w.to[2]; c += w.step[2]) f(a, b, c);
        }
    }
}

// Coordinates and value of a window's first maximum, or of its first NaN if it holds one. An address could not replace the
// coordinates: with a stride of 0 several elements share an address.
struct Largest {
    u64 at[3];
    acc_t<RL_T> value;
};
RL_DEV Largest largest(const PoolParams& p, const RL_T* x, const Box& w) {
    Largest l = {{w.from[0], w.from[1], w.from[2]}, acc<RL_T>(x[(i64)offset(p.input, w.from[0], w.from[1], w.from[2])])};
    for_each_in(w, [&](u64 a, u64 b, u64 c) {
        const acc_t<RL_T> v = acc<RL_T>(x[(i64)offset(p.input, a, b, c)]);
        if (v > l.value || (nan(v) && !nan(l.value))) l = {{a, b, c}, v};
    });
    return l;
}

#if RL_FLOAT
// The windows that hold an element of the input, or step over it.
RL_DEV Box windows(const PoolParams& p, const u64 (&i)[3]) {
    Box w;
    for (int d = 0; d < 3; d++) {
        w.step[d] = 1;
        if (p.adaptive) {
            w.from[d] = i[d] * p.output_size[d] / p.input_size[d];
            w.to[d] = ((i[d] + 1) * p.output_size[d] + p.input_size[d] - 1) / p.input_size[d];
            continue;
        }
        const u64 at = i[d] + p.padding[d], span = (p.kernel_size[d] - 1) * p.dilation[d] + 1;
        w.from[d] = at >= span ? (at - span) / p.stride[d] + 1 : 0;
        w.to[d] = at / p.stride[d] + 1;
        if (w.to[d] > p.output_size[d]) w.to[d] = p.output_size[d];
    }
    return w;
}

// The divisor of the mean of window o, whose part inside the input is w.
RL_DEV acc_t<RL_T> divisor(const PoolParams& p, const u64 (&o)[3], const Box& w) {
    if (p.divisor) return (acc_t<RL_T>)(f64)p.divisor;
    u64 n = 1;
    for (int d = 0; d < 3; d++) {
        u64 length = w.to[d] - w.from[d];
        if (p.count_padding) {
            length = p.input_size[d] + 2 * p.padding[d] - o[d] * p.stride[d];
            if (length > p.kernel_size[d]) length = p.kernel_size[d];
        }
        n *= length;
    }
    return (acc_t<RL_T>)(f64)n;
}
#endif

// Calls f(element, batch, channel, coordinates) for the elements of an output of these sizes.
template <class F>
RL_DEV void each(const PoolParams& p, const u64 (&size)[3], F f) {
    const u64 step = (u64)p.blocks * RL_BLOCK;
    for (u64 e = global_thread(); e < p.count; e += step) {
        u64 batch, channel, at[3];
        split5(e, p.channels, size, p.index64, batch, channel, at);
        f(e, batch, channel, at);
    }
}

RL_DEV void max_pool(const PoolParams& p) {
    each(p, p.output_size, [&](u64 e, u64 batch, u64 channel, const u64 (&at)[3]) {
        const RL_T* x = (const RL_T*)p.input.ptr + (i64)offset(p.input, batch, channel);
        ((RL_T*)p.out)[e] = from_acc<RL_T>(largest(p, x, window(p, at)).value);
    });
}

RL_DEV void max_pool_indices(const PoolParams& p) {
    each(p, p.output_size, [&](u64 e, u64 batch, u64 channel, const u64 (&at)[3]) {
        const RL_T* x = (const RL_T*)p.input.ptr + (i64)offset(p.input, batch, channel);
        const Largest l = largest(p, x, window(p, at));
        ((i64*)p.out)[e] = (i64)((l.at[0] * p.input_size[1] + l.at[1]) * p.input_size[2] + l.at[2]);
    });
}

#if RL_FLOAT
RL_DEV void max_pool_backward(const PoolParams& p) {
    each(p, p.input_size, [&](u64 e, u64 batch, u64 channel, const u64 (&at)[3]) {
        const RL_T* g = (const RL_T*)p.grad.ptr + (i64)offset(p.grad, batch, channel);
        const i64* indices = (const i64*)p.indices + (batch * p.channels + channel) * p.output_size[0] * p.output_size[1] * p.output_size[2];
        const i64 mine = (i64)((at[0] * p.input_size[1] + at[1]) * p.input_size[2] + at[2]);
        acc_t<RL_T> sum = 0;
        for_each_in(windows(p, at), [&](u64 a, u64 b, u64 c) {
            if (indices[(a * p.output_size[1] + b) * p.output_size[2] + c] == mine) sum = sum + acc<RL_T>(g[(i64)offset(p.grad, a, b, c)]);
        });
        ((RL_T*)p.out)[e] = from_acc<RL_T>(sum);
    });
}

RL_DEV void avg_pool(const PoolParams& p) {
    each(p, p.output_size, [&](u64 e, u64 batch, u64 channel, const u64 (&at)[3]) {
        const RL_T* x = (const RL_T*)p.input.ptr + (i64)offset(p.input, batch, channel);
        const Box w = window(p, at);
        acc_t<RL_T> sum = 0;
        for_each_in(w, [&](u64 a, u64 b, u64 c) { sum = sum + acc<RL_T>(x[(i64)offset(p.input, a, b, c)]); });
        ((RL_T*)p.out)[e] = from_acc<RL_T>(div(sum, divisor(p, at, w)));
    });
}

RL_DEV void avg_pool_backward(const PoolParams& p) {
    each(p, p.input_size, [&](u64 e, u64 batch, u64 channel, const u64 (&at)[3]) {
        const RL_T* g = (const RL_T*)p.grad.ptr + (i64)offset(p.grad, batch, channel);
        acc_t<RL_T> sum = 0;
        for_each_in(windows(p, at), [&](u64 a, u64 b, u64 c) {
            const u64 o[3] = {a, b, c};
            sum = sum + div(acc<RL_T>(g[(i64)offset(p.grad, a, b, c)]), divisor(p, o, window(p, o)));
        });
        ((RL_T*)p.out)[e] = from_acc<RL_T>(sum);
    });
}
#endif

}  // namespace rl

RL_KERNEL(max_pool, strided)(rl::PoolParams p) { rl::max_pool(p); }
RL_KERNEL(max_pool_indices, strided)(rl::PoolParams p) { rl::max_pool_indices(p); }
#if RL_FLOAT
RL_KERNEL(max_pool_backward, strided)(rl::PoolParams p) { rl::max_pool_backward(p); }
RL_KERNEL(avg_pool, strided)(rl::PoolParams p) { rl::avg_pool(p); }
RL_KERNEL(avg_pool_backward, strided)(rl::PoolParams p) { rl::avg_pool_backward(p); }
#endif
