// pooling: max and average pooling. One thread for each element of the output; a gradient is the sum over the windows that hold
// its element, in row-major order. For max_pool_backward, max_pool_indices first writes the index of each window's maximum.
#include "spatial.h"

namespace rl {

// I is the type of indices and sizes: u32 where all of them fit, which takes far fewer instructions, else u64.

// A box of coordinates: from the first to one past the last, in steps, in each dimension.
template <class I>
struct Box {
    I from[3], to[3], step[3];
};

// Returns the offset of an element of a plane.
template <class I>
RL_DEV I offset_in(const SpatialTensor& p, I a, I b, I c) {
    return a * (I)p.stride[2] + b * (I)p.stride[3] + c * (I)p.stride[4];
}

// Returns the part of window `o` that is inside the input.
template <class I>
RL_DEV Box<I> window(const PoolParams& p, const I (&o)[3]) {
    Box<I> w;
    for (int d = 0; d < 3; d++) {
        const I in = (I)p.input_size[d], out = (I)p.output_size[d], dilation = (I)p.dilation[d], padding = (I)p.padding[d];
        w.step[d] = dilation;
        if (p.adaptive) {
            w.from[d] = o[d] * in / out;
            w.to[d] = ((o[d] + 1) * in + out - 1) / out;
            continue;
        }
        const I from = o[d] * (I)p.stride[d], to = from + ((I)p.kernel_size[d] - 1) * dilation + 1;
        w.from[d] = from - padding;
        if (from < padding) {
            // The first of its elements behind the padding.
            const I before = padding - from;
            w.from[d] = dilation == 1 ? 0 : (before + dilation - 1) / dilation * dilation - before;
        }
        w.to[d] = to > padding ? to - padding : 0;
        if (w.to[d] > in) w.to[d] = in;
    }
    return w;
}
// Calls f(coordinates) for a box, row-major.
template <class I, class F>
RL_DEV void for_each_in(const Box<I>& w, F f) {
    for (I a = w.from[0]; a < w.to[0]; a += w.step[0]) {
        for (I b = w.from[1]; b < w.to[1]; b += w.step[1]) {
            for (I c = w.from[2]; c < w.to[2]; c += w.step[2]) f(a, b, c);
        }
    }
}

// Coordinates and value of a window's first maximum, or of its first NaN if it holds one. An address could not replace the
// coordinates: with a stride of 0 several elements share an address.
template <class I>
struct Largest {
    I at[3];
    acc_t<RL_T> value;
};
template <class I>
RL_DEV Largest<I> largest(const PoolParams& p, const RL_T* x, const Box<I>& w) {
    Largest<I> l = {{w.from[0], w.from[1], w.from[2]}, acc<RL_T>(x[offset_in<I>(p.input, w.from[0], w.from[1], w.from[2])])};
    for_each_in(w, [&](I a, I b, I c) {
        const acc_t<RL_T> v = acc<RL_T>(x[offset_in<I>(p.input, a, b, c)]);
        if (v > l.value || (nan(v) && !nan(l.value))) l = {{a, b, c}, v};
    });
    return l;
}

#if RL_FLOAT
// The windows that hold an element of the input, or step over it.
template <class I>
RL_DEV Box<I> windows(const PoolParams& p, const I (&i)[3]) {
    Box<I> w;
    for (int d = 0; d < 3; d++) {
        const I in = (I)p.input_size[d], out = (I)p.output_size[d], stride = (I)p.stride[d];
        w.step[d] = 1;
        if (p.adaptive) {
            w.from[d] = i[d] * out / in;
            w.to[d] = ((i[d] + 1) * out + in - 1) / in;
            continue;
        }
        const I at = i[d] + (I)p.padding[d], span = ((I)p.kernel_size[d] - 1) * (I)p.dilation[d] + 1;
        w.from[d] = at >= span ? (at - span) / stride + 1 : 0;
        w.to[d] = at / stride + 1;
        if (w.to[d] > out) w.to[d] = out;
    }
    return w;
}

// The divisor of the mean of window o, whose part inside the input is w.
template <class I>
RL_DEV acc_t<RL_T> divisor(const PoolParams& p, const I (&o)[3], const Box<I>& w) {
    if (p.divisor) return (acc_t<RL_T>)(f64)p.divisor;
    I n = 1;
    for (int d = 0; d < 3; d++) {
        I length = w.to[d] - w.from[d];
        if (p.count_padding) {
            length = (I)p.input_size[d] + 2 * (I)p.padding[d] - o[d] * (I)p.stride[d];
            if (length > (I)p.kernel_size[d]) length = (I)p.kernel_size[d];
        }
        n *= length;
    }
    return sizeof(I) == 4 ? (acc_t<RL_T>)n : (acc_t<RL_T>)(f64)n;
}
#endif

// Calls f(element, batch, channel, coordinates) for the elements of an output of these sizes.
template <class I, class F>
RL_DEV void each(const PoolParams& p, const u64 (&size)[3], F f) {
    const u64 step = (u64)p.blocks * RL_BLOCK;
    for (u64 e = global_thread(); e < p.count; e += step) {
        u64 batch, channel, at[3];
        split5(e, p.channels, size, sizeof(I) == 8, batch, channel, at);
        f(e, batch, channel, {(I)at[0], (I)at[1], (I)at[2]});
    }
}

template <class I>
RL_DEV void max_pool(const PoolParams& p) {
    each<I>(p, p.output_size, [&](u64 e, u64 batch, u64 channel, const I (&at)[3]) {
        const RL_T* x = (const RL_T*)p.input.ptr + (i64)offset(p.input, batch, channel);
        ((RL_T*)p.out)[e] = from_acc<RL_T>(largest(p, x, window(p, at)).value);
    });
}

template <class I>
RL_DEV void max_pool_indices(const PoolParams& p) {
    each<I>(p, p.output_size, [&](u64 e, u64 batch, u64 channel, const I (&at)[3]) {
        const RL_T* x = (const RL_T*)p.input.ptr + (i64)offset(p.input, batch, channel);
        const Largest<I> l = largest(p, x, window(p, at));
        ((i64*)p.out)[e] = (i64)((l.at[0] * (I)p.input_size[1] + l.at[1]) * (I)p.input_size[2] + l.at[2]);
    });
}

#if RL_FLOAT
template <class I>
RL_DEV void max_pool_backward(const PoolParams& p) {
    each<I>(p, p.input_size, [&](u64 e, u64 batch, u64 channel, const I (&at)[3]) {
        const RL_T* g = (const RL_T*)p.grad.ptr + (i64)offset(p.grad, batch, channel);
        const I rows = (I)p.output_size[1], columns = (I)p.output_size[2];
        const i64* indices = (const i64*)p.indices + (batch * p.channels + channel) * p.output_size[0] * rows * columns;
        const i64 mine = (i64)((at[0] * (I)p.input_size[1] + at[1]) * (I)p.input_size[2] + at[2]);
        acc_t<RL_T> sum = 0;
        for_each_in(windows(p, at), [&](I a, I b, I c) {
            if (indices[(a * rows + b) * columns + c] == mine) sum = sum + acc<RL_T>(g[offset_in<I>(p.grad, a, b, c)]);
        });
        ((RL_T*)p.out)[e] = from_acc<RL_T>(sum);
    });
}

template <class I>
RL_DEV void avg_pool(const PoolParams& p) {
    each<I>(p, p.output_size, [&](u64 e, u64 batch, u64 channel, const I (&at)[3]) {
        const RL_T* x = (const RL_T*)p.input.ptr + (i64)offset(p.input, batch, channel);
        const Box<I> w = window(p, at);
        acc_t<RL_T> sum = 0;
        for_each_in(w, [&](I a, I b, I c) { sum = sum + acc<RL_T>(x[offset_in<I>(p.input, a, b, c)]); });
        ((RL_T*)p.out)[e] = from_acc<RL_T>(div(sum, divisor(p, at, w)));
    });
}

template <class I>
RL_DEV void avg_pool_backward(const PoolParams& p) {
    each<I>(p, p.input_size, [&](u64 e, u64 batch, u64 channel, const I (&at)[3]) {
        const RL_T* g = (const RL_T*)p.grad.ptr + (i64)offset(p.grad, batch, channel);
        acc_t<RL_T> sum = 0;
        for_each_in(windows(p, at), [&](I a, I b, I c) {
            const I o[3] = {a, b, c};
            sum = sum + div(acc<RL_T>(g[offset_in<I>(p.grad, a, b, c)]), divisor(p, o, window(p, o)));
        });
        ((RL_T*)p.out)[e] = from_acc<RL_T>(sum);
    });
}
#endif

}  // namespace rl

#define RL_POOL(op)                                                   \
    RL_KERNEL(op, strided)(rl::PoolParams p) {                        \
        if (p.index64) rl::op<rl::u64>(p);                            \
        else rl::op<rl::u32>(p);                                      \
    }
RL_POOL(max_pool)
RL_POOL(max_pool_indices)
#if RL_FLOAT
RL_POOL(max_pool_backward)
RL_POOL(avg_pool)
RL_POOL(avg_pool_backward)
#endif
