// conv: convolutions as tiled matrix products, whose right side is read through the windows. All three share one geometry:
// "input" is the side that the windows slide over, "output" the side with an element for each window.
#include "gemm.h"
#include "spatial.h"

namespace rl {

RL_DEV u64 volume(const u64 (&v)[3]) { return v[0] * v[1] * v[2]; }

// An offset, and three spatial coordinates.
struct Coord {
    u64 base;
    i64 at[3];
};

// Sets the input coordinate that output window `o` meets at tap `k` of dimension d; returns whether it is inside the input.
RL_DEV bool reach(const ConvParams& p, int d, const u64 (&o)[3], const u64 (&k)[3], u64 (&at)[3]) {
    at[d] = o[d] * p.stride[d] + k[d] * p.dilation[d] - p.padding[d];  // a negative coordinate wraps to a number above any size
    return at[d] < p.input_size[d];
}
// Sets the window that meets input coordinate `i` at tap `k` of dimension d; returns whether there is one.
RL_DEV bool source(const ConvParams& p, int d, const u64 (&i)[3], const u64 (&k)[3], u64 (&at)[3]) {
    const u64 from = i[d] + p.padding[d], off = k[d] * p.dilation[d];
    u64 remainder = 0;
    at[d] = from >= off ? div_mod(from - off, p.stride[d], true, remainder) : p.output_size[d];
    return at[d] < p.output_size[d] && remainder == 0;
}

// --- conv: kernel [co, ci k] times windows [ci k, batch o] ---

struct ConvKernel {
    using Outer = u64;
    using Inner = u64;
    static constexpr bool checked = false;
    const ConvParams& p;
    u64 group;
    RL_FN u64 outer(u64 r) const { return (group * p.channels_out + r) * p.left.stride[0]; }
    RL_FN u64 inner(u64 k) const {
        u64 at[3];
        const u64 c = split3(k, p.kernel_size, p.index64, at);
        return c * p.left.stride[1] + offset(p.left, at[0], at[1], at[2]);
    }
    RL_FN sum_t<RL_T> at(u64 o, u64 i) const { return to_sum<RL_T>(((const RL_T*)p.left.ptr)[(i64)(o + i)]); }
    RL_FN bool inner_contiguous() const { return true; }
};

// The input element that a window meets at a tap; 0 outside of the input.
struct Windows {
    using Outer = Coord;
    using Inner = Coord;
    const ConvParams& p;
    u64 group;
    RL_FN Coord window(u64 o) const {
        u64 at[3];
        Coord w;
        const u64 n = split3(o, p.output_size, p.index64, at);
        w.base = n * p.right.stride[0];
        for (int d = 0; d < 3; d++) w.at[d] = (i64)(at[d] * p.stride[d]) - (i64)p.padding[d];
        return w;
    }
    RL_FN Coord tap(u64 k) const {
        u64 at[3];
        Coord t;
        const u64 c = split3(k, p.kernel_size, p.index64, at);
        t.base = (group * p.channels_in + c) * p.right.stride[1];
        for (int d = 0; d < 3; d++) t.at[d] = (i64)(at[d] * p.dilation[d]);
        return t;
    }
    RL_FN sum_t<RL_T> at(const Coord& x, const Coord& y) const {
        u64 from = x.base + y.base;
        for (int d = 0; d < 3; d++) {
            const u64 at = (u64)(x.at[d] + y.at[d]);
            if (at >= p.input_size[d]) return (sum_t<RL_T>)0;
            from += at * p.right.stride[2 + d];
        }
        return to_sum<RL_T>(((const RL_T*)p.right.ptr)[(i64)from]);
    }
};
struct ConvInput : Windows {
    static constexpr bool checked = false;
    RL_FN Coord outer(u64 o) const { return window(o); }
    RL_FN Coord inner(u64 k) const { return tap(k); }
    RL_FN bool inner_contiguous() const { return false; }
};

RL_DEV void conv(const ConvParams& p) {
    const u64 positions = volume(p.output_size), m = p.channels_out, n = p.batch * positions, k = p.channels_in * volume(p.kernel_size);
    const u64 across = (n + TILE - 1) / TILE;
    const u64 row0 = block() / across * TILE, col0 = block() % across * TILE;
    for (u64 group = block_y(); group < p.groups; group += p.group_blocks) {
        const ConvKernel a = {p, group};
        const ConvInput b = {{p, group}};
        RL_T* out = (RL_T*)p.out;
        const auto offset_of = [&](u64 column) {
            u64 o;
            const u64 batch = div_mod(column, positions, p.index64, o);
            return (batch * p.groups + group) * p.channels_out * positions + o;
        };
        tile_product<sum_t<RL_T>>(a, b, m, n, {0, k}, row0, col0, offset_of, [&](u64 row, u64 at, sum_t<RL_T> sum) {
            out[at + row * positions] = from_sum<RL_T>(sum);
        });
    }
}

// The variant for groups of few channels, whose tiles would be nearly empty: one thread for each element sums over the taps
// inside the input.
RL_DEV void conv_direct(const ConvParams& p) {
    const u64 channels = p.groups * p.channels_out, n = p.batch * channels * volume(p.output_size);
    for (u64 e = global_thread(); e < n; e += p.element_blocks * RL_BLOCK) {
        u64 batch, channel, o[3], r;
        split5(e, channels, p.output_size, p.index64, batch, channel, o);
        const u64 group = div_mod(channel, p.channels_out, p.index64, r);
        sum_t<RL_T> sum = 0;
        for (u64 c = 0; c < p.channels_in; c++) {
            const RL_T* w = (const RL_T*)p.left.ptr + (i64)offset(p.left, channel, c);
            const RL_T* x = (const RL_T*)p.right.ptr + (i64)offset(p.right, batch, group * p.channels_in + c);
            u64 k[3], at[3];
            for (k[0] = 0; k[0] < p.kernel_size[0]; k[0]++) {
                if (!reach(p, 0, o, k, at)) continue;
                for (k[1] = 0; k[1] < p.kernel_size[1]; k[1]++) {
                    if (!reach(p, 1, o, k, at)) continue;
                    for (k[2] = 0; k[2] < p.kernel_size[2]; k[2]++) {
                        if (!reach(p, 2, o, k, at)) continue;
                        const sum_t<RL_T> v = to_sum<RL_T>(x[(i64)offset(p.right, at[0], at[1], at[2])]);
                        sum = multiply_add(to_sum<RL_T>(w[(i64)offset(p.left, k[0], k[1], k[2])]), v, sum);
                    }
                }
            }
        }
        ((RL_T*)p.out)[e] = from_sum<RL_T>(sum);
    }
}

// --- conv_transpose: kernel [ci, co k] times the output's elements [co k, batch i] ---
//
// Input coordinates whose distance is a multiple of the stride meet the same taps of the kernel. Each such phase is a
// separate product with its own size, so that nothing is multiplied with the gaps between windows.

struct Phase {
    u64 first[3];  // first input coordinate of the phase
    u64 count[3];  // its coordinates
    u64 first_tap[3], tap_step[3], taps[3];  // taps that it meets
    i64 first_output[3], output_step[3];             // coordinate t meets output t + first_output - j output_step at tap j
};

// Computes the phase into LDS; all threads of the block call it, and thread d computes dimension d. If each thread computed
// all dimensions in registers, the code would be three times as long, for numbers that are the same for all threads.
RL_DEV void phase_of(const ConvParams& p, u64 number, Phase& f) {
    sync();
    const u32 d = thread();
    if (d < 3) {
        for (u32 later = 2; later > d; later--) number /= p.phases[later];
        const u64 first = number % p.phases[d], s = p.stride[d], at = first + p.padding[d];
        // k d = first + p (mod s): the step between solutions is s / gcd(s, d).
        u64 a = s, b = p.dilation[d] % s;
        while (b) {
            const u64 r = a % b;
            a = b;
            b = r;
        }
        const u64 step = s / a;
        u64 k = 0;
        while (k < step && k < p.kernel_size[d] && (at % s + s - k * p.dilation[d] % s) % s != 0) k++;
        const bool any = k < step && k < p.kernel_size[d];
        f.first[d] = first;
        f.count[d] = first < p.input_size[d] ? (p.input_size[d] - first + s - 1) / s : 0;
        f.tap_step[d] = step;
        f.first_tap[d] = k;
        f.taps[d] = any ? (p.kernel_size[d] - k + step - 1) / step : 0;
        f.first_output[d] = any ? ((i64)at - (i64)(k * p.dilation[d])) / (i64)s : 0;
        f.output_step[d] = (i64)(step * p.dilation[d] / s);
    }
    sync();
}

struct TransposedKernel {
    using Outer = u64;
    using Inner = u64;
    static constexpr bool checked = is_float<sum_t<RL_T>>::value;
    const ConvParams& p;
    const Phase& f;
    u64 group;
    RL_FN u64 outer(u64 c) const { return c * p.left.stride[1]; }
    RL_FN u64 inner(u64 k) const {
        u64 at[3];
        const u64 r = group * p.channels_out + split3(k, f.taps, p.index64, at);
        for (int d = 0; d < 3; d++) at[d] = f.first_tap[d] + at[d] * f.tap_step[d];
        return r * p.left.stride[0] + offset(p.left, at[0], at[1], at[2]);
    }
    RL_FN sum_t<RL_T> at(u64 o, u64 i) const { return to_sum<RL_T>(((const RL_T*)p.left.ptr)[(i64)(o + i)]); }
    RL_FN bool inner_contiguous() const { return false; }
};

struct TransposedOutput {
    using Outer = Coord;
    using Inner = Coord;
    static constexpr bool checked = false;
    const ConvParams& p;
    const Phase& f;
    u64 group;
    RL_FN Coord outer(u64 t) const {
        u64 at[3];
        Coord s;
        s.base = split3(t, f.count, p.index64, at) * p.right.stride[0];
        for (int d = 0; d < 3; d++) s.at[d] = (i64)at[d] + f.first_output[d];
        return s;
    }
    RL_FN Coord inner(u64 k) const {
        u64 at[3];
        Coord s;
        s.base = (group * p.channels_out + split3(k, f.taps, p.index64, at)) * p.right.stride[1];
        for (int d = 0; d < 3; d++) s.at[d] = (i64)at[d] * f.output_step[d];
        return s;
    }
    RL_FN bool inside(const Coord& x, const Coord& y) const {
        bool in = true;
        for (int d = 0; d < 3; d++) in = in && (u64)(x.at[d] - y.at[d]) < p.output_size[d];
        return in;
    }
    RL_FN sum_t<RL_T> at(const Coord& x, const Coord& y) const {
        if (!inside(x, y)) return (sum_t<RL_T>)0;
        const u64 from = offset(p.right, (u64)(x.at[0] - y.at[0]), (u64)(x.at[1] - y.at[1]), (u64)(x.at[2] - y.at[2]));
        return to_sum<RL_T>(((const RL_T*)p.right.ptr)[(i64)(x.base + y.base + from)]);
    }
    RL_FN bool inner_contiguous() const { return false; }
};

RL_DEV void conv_transpose(const ConvParams& p) {
    __shared__ Phase f;
    for (u64 number = block_z(); number < volume(p.phases); number += p.phase_blocks) {
        phase_of(p, number, f);
        const u64 m = p.channels_in, n = p.batch * volume(f.count), k = p.channels_out * volume(f.taps);
        const u64 across = (n + TILE - 1) / TILE;
        // Phases have different sizes. The condition is the same for all threads of the block, so all of them skip.
        if (n == 0 || block() / across * TILE >= m) continue;
        const u64 row0 = block() / across * TILE, col0 = block() % across * TILE;
        for (u64 group = block_y(); group < p.groups; group += p.group_blocks) {
            const TransposedKernel a = {p, f, group};
            const TransposedOutput b = {p, f, group};
            RL_T* out = (RL_T*)p.out;
            const auto offset_of = [&](u64 column) {
                u64 at[3];
                const u64 batch = split3(column, f.count, p.index64, at);
                for (int d = 0; d < 3; d++) at[d] = f.first[d] + at[d] * p.stride[d];
                const u64 plane = (batch * p.groups + group) * p.channels_in;
                return ((plane * p.input_size[0] + at[0]) * p.input_size[1] + at[1]) * p.input_size[2] + at[2];
            };
            tile_product<sum_t<RL_T>>(a, b, m, n, {0, k}, row0, col0, offset_of, [&](u64 row, u64 at, sum_t<RL_T> sum) {
                out[at + row * volume(p.input_size)] = from_sum<RL_T>(sum);
            });
        }
    }
}

RL_DEV void conv_transpose_direct(const ConvParams& p) {
    const u64 channels = p.groups * p.channels_in, n = p.batch * channels * volume(p.input_size);
    for (u64 e = global_thread(); e < n; e += p.element_blocks * RL_BLOCK) {
        u64 batch, channel, i[3], c;
        split5(e, channels, p.input_size, p.index64, batch, channel, i);
        const u64 group = div_mod(channel, p.channels_in, p.index64, c);
        sum_t<RL_T> sum = 0;
        for (u64 r = group * p.channels_out; r < (group + 1) * p.channels_out; r++) {
            const RL_T* w = (const RL_T*)p.left.ptr + (i64)offset(p.left, r, c);
            const RL_T* y = (const RL_T*)p.right.ptr + (i64)offset(p.right, batch, r);
            u64 k[3], at[3];
            for (k[0] = 0; k[0] < p.kernel_size[0]; k[0]++) {
                if (!source(p, 0, i, k, at)) continue;
                for (k[1] = 0; k[1] < p.kernel_size[1]; k[1]++) {
                    if (!source(p, 1, i, k, at)) continue;
                    for (k[2] = 0; k[2] < p.kernel_size[2]; k[2]++) {
                        if (!source(p, 2, i, k, at)) continue;
                        const sum_t<RL_T> v = to_sum<RL_T>(y[(i64)offset(p.right, at[0], at[1], at[2])]);
                        sum = multiply_add(to_sum<RL_T>(w[(i64)offset(p.left, k[0], k[1], k[2])]), v, sum);
                    }
                }
            }
        }
        ((RL_T*)p.out)[e] = from_sum<RL_T>(sum);
    }
}

// --- conv_weight_grad: the output's gradient [co, batch o] times windows [batch o, ci k] ---

struct OutputGrad {
    using Outer = u64;
    using Inner = u64;
    static constexpr bool checked = false;
    const ConvParams& p;
    u64 group;
    RL_FN u64 outer(u64 r) const { return (group * p.channels_out + r) * p.left.stride[1]; }
    RL_FN u64 inner(u64 o) const {
        u64 at[3];
        const u64 n = split3(o, p.output_size, p.index64, at);
        return n * p.left.stride[0] + offset(p.left, at[0], at[1], at[2]);
    }
    RL_FN sum_t<RL_T> at(u64 o, u64 i) const { return to_sum<RL_T>(((const RL_T*)p.left.ptr)[(i64)(o + i)]); }
    RL_FN bool inner_contiguous() const { return true; }
};
struct WeightInput : Windows {
    static constexpr bool checked = false;
    RL_FN Coord outer(u64 k) const { return tap(k); }
    RL_FN Coord inner(u64 o) const { return window(o); }
    RL_FN bool inner_contiguous() const { return true; }
};

#if RL_FLOAT
// The inner dimension is long and the result small: blocks take slices of it, whose sums conv_weight_grad_finish adds in order.
RL_DEV void conv_weight_grad(const ConvParams& p) {
    const u64 m = p.channels_out, n = p.channels_in * volume(p.kernel_size), k = p.batch * volume(p.output_size);
    const u64 across = (n + TILE - 1) / TILE;
    const u64 row0 = block() / across * TILE, col0 = block() % across * TILE;
    const u64 slice = block_z(), each = (k + p.slices - 1) / p.slices;
    const u64 from = slice * each, to = from + each < k ? from + each : k;
    for (u64 group = block_y(); group < p.groups; group += p.group_blocks) {
        const OutputGrad a = {p, group};
        const WeightInput b = {{p, group}};
        const auto offset_of = [](u64 column) { return column; };
        tile_product<sum_t<RL_T>>(a, b, m, n, {from, to}, row0, col0, offset_of, [&](u64 row, u64 column, sum_t<RL_T> sum) {
            const u64 at = (group * p.channels_out + row) * n + column;
            if (p.slices == 1) ((RL_T*)p.out)[at] = from_sum<RL_T>(sum);
            else ((sum_t<RL_T>*)p.partial_sums)[slice * p.groups * m * n + at] = sum;
        });
    }
}
RL_DEV void conv_weight_grad_finish(const ConvParams& p) {
    const u64 n = p.groups * p.channels_out * p.channels_in * volume(p.kernel_size);
    for (u64 i = global_thread(); i < n; i += p.element_blocks * RL_BLOCK) {
        sum_t<RL_T> sum = 0;
        for (u64 slice = 0; slice < p.slices; slice++) sum = sum + ((const sum_t<RL_T>*)p.partial_sums)[slice * n + i];
        ((RL_T*)p.out)[i] = from_sum<RL_T>(sum);
    }
}
#endif

}  // namespace rl

RL_KERNEL(conv, tile)(rl::ConvParams p) { rl::conv(p); }
RL_KERNEL(conv, direct)(rl::ConvParams p) { rl::conv_direct(p); }
RL_KERNEL(conv_transpose, tile)(rl::ConvParams p) { rl::conv_transpose(p); }
RL_KERNEL(conv_transpose, direct)(rl::ConvParams p) { rl::conv_transpose_direct(p); }
#if RL_FLOAT
RL_KERNEL(conv_weight_grad, tile)(rl::ConvParams p) { rl::conv_weight_grad(p); }
RL_KERNEL(conv_weight_grad, finish)(rl::ConvParams p) { rl::conv_weight_grad_finish(p); }
#endif
