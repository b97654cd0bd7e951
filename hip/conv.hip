// conv: convolutions as products in tiles, whose right side is read through the windows. One geometry for the three:
// "input" is the side the windows slide over, "output" the one with a place for each window.
#include "gemm.h"
#include "planes.h"

namespace rl {

struct ConvParams {
    Planes a, b;             // conv: kernel, input; transposed: kernel, output; weight gradient: output's, input
    u64 out;
    u64 batch, groups;
    u64 ci, co;              // channels of a group
    u64 i[3], o[3], k[3];    // sizes of input, output and kernel
    u64 s[3], p[3], d[3];    // stride, padding, dilation
    u64 phases[3];           // conv_transpose: strides, at most the sizes
    u64 sums, slices;        // conv_weight_grad: sums of the slices, where there are several
    u64 grid_y, grid_z;      // blocks of the grid that take the groups and the phases in turn
    u64 wide;                // 1: places need 64 bits
};

RL_DEV u64 volume(const u64 (&v)[3]) { return v[0] * v[1] * v[2]; }

// Offsets and three coordinates.
struct Spot {
    u64 base;
    i64 at[3];
};

// Where a window sees the kernel's place k of dimension d, if that lies inside the input.
RL_DEV bool reach(const ConvParams& p, int d, const u64 (&o)[3], const u64 (&k)[3], u64 (&at)[3]) {
    at[d] = o[d] * p.s[d] + k[d] * p.d[d] - p.p[d];  // below 0: beyond any size
    return at[d] < p.i[d];
}
// The window that sees the input's place i at the kernel's place k, if there is one.
RL_DEV bool source(const ConvParams& p, int d, const u64 (&i)[3], const u64 (&k)[3], u64 (&at)[3]) {
    const u64 from = i[d] + p.p[d], off = k[d] * p.d[d];
    u64 rest = 0;
    at[d] = from >= off ? divide(from - off, p.s[d], true, rest) : p.o[d];
    return at[d] < p.o[d] && rest == 0;
}

// --- conv: kernel [co, ci k] times windows [ci k, batch o] ---

struct ConvKernel {
    using Outer = u64;
    using Inner = u64;
    static constexpr bool checked = false;
    const ConvParams& p;
    u64 group;
    RL_FN u64 outer(u64 r) const { return (group * p.co + r) * p.a.stride[0]; }
    RL_FN u64 inner(u64 k) const {
        u64 at[3];
        const u64 c = split3(k, p.k, p.wide, at);
        return c * p.a.stride[1] + place(p.a, at[0], at[1], at[2]);
    }
    RL_FN sum_t<RL_T> at(u64 o, u64 i) const { return to_sum<RL_T>(((const RL_T*)p.a.ptr)[(i64)(o + i)]); }
    RL_FN bool along() const { return true; }
};

// What a window sees at a place of the kernel; 0 outside.
struct Windows {
    using Outer = Spot;
    using Inner = Spot;
    const ConvParams& p;
    u64 group;
    RL_FN Spot window(u64 o) const {
        u64 at[3];
        Spot w;
        const u64 n = split3(o, p.o, p.wide, at);
        w.base = n * p.b.stride[0];
        for (int d = 0; d < 3; d++) w.at[d] = (i64)(at[d] * p.s[d]) - (i64)p.p[d];
        return w;
    }
    RL_FN Spot tap(u64 k) const {
        u64 at[3];
        Spot t;
        const u64 c = split3(k, p.k, p.wide, at);
        t.base = (group * p.ci + c) * p.b.stride[1];
        for (int d = 0; d < 3; d++) t.at[d] = (i64)(at[d] * p.d[d]);
        return t;
    }
    RL_FN sum_t<RL_T> at(const Spot& x, const Spot& y) const {
        u64 from = x.base + y.base;
        for (int d = 0; d < 3; d++) {
            const u64 at = (u64)(x.at[d] + y.at[d]);
            if (at >= p.i[d]) return (sum_t<RL_T>)0;
            from += at * p.b.stride[2 + d];
        }
        return to_sum<RL_T>(((const RL_T*)p.b.ptr)[(i64)from]);
    }
};
struct ConvInput : Windows {
    static constexpr bool checked = false;
    RL_FN Spot outer(u64 o) const { return window(o); }
    RL_FN Spot inner(u64 k) const { return tap(k); }
    RL_FN bool along() const { return false; }
};

RL_DEV void conv(const ConvParams& p) {
    const u64 places = volume(p.o), m = p.co, n = p.batch * places, k = p.ci * volume(p.k);
    const u64 across = (n + TILE - 1) / TILE;
    const u64 row0 = block() / across * TILE, col0 = block() % across * TILE;
    for (u64 group = block_y(); group < p.groups; group += p.grid_y) {
        const ConvKernel a = {p, group};
        const ConvInput b = {{p, group}};
        RL_T* out = (RL_T*)p.out;
        const auto where = [&](u64 column) {
            u64 o;
            const u64 batch = divide(column, places, p.wide, o);
            return (batch * p.groups + group) * p.co * places + o;
        };
        tile_product<sum_t<RL_T>>(a, b, m, n, {0, k}, row0, col0, where, [&](u64 row, u64 at, sum_t<RL_T> sum) {
            out[at + row * places] = from_sum<RL_T>(sum);
        });
    }
}

// Groups of few channels leave a tile empty: a thread makes one element, of the taps inside the input.
RL_DEV void conv_direct(const ConvParams& p) {
    const u64 channels = p.groups * p.co, n = p.batch * channels * volume(p.o);
    for (u64 e = global_thread(); e < n; e += p.grid_z * RL_BLOCK) {
        u64 batch, channel, o[3], r;
        split5(e, channels, p.o, p.wide, batch, channel, o);
        const u64 group = divide(channel, p.co, p.wide, r);
        sum_t<RL_T> sum = 0;
        for (u64 c = 0; c < p.ci; c++) {
            const RL_T* w = (const RL_T*)p.a.ptr + (i64)place(p.a, channel, c);
            const RL_T* x = (const RL_T*)p.b.ptr + (i64)place(p.b, batch, group * p.ci + c);
            u64 k[3], at[3];
            for (k[0] = 0; k[0] < p.k[0]; k[0]++) {
                if (!reach(p, 0, o, k, at)) continue;
                for (k[1] = 0; k[1] < p.k[1]; k[1]++) {
                    if (!reach(p, 1, o, k, at)) continue;
                    for (k[2] = 0; k[2] < p.k[2]; k[2]++) {
                        if (!reach(p, 2, o, k, at)) continue;
                        const sum_t<RL_T> v = to_sum<RL_T>(x[(i64)place(p.b, at[0], at[1], at[2])]);
                        sum = multiply_add(to_sum<RL_T>(w[(i64)place(p.a, k[0], k[1], k[2])]), v, sum);
                    }
                }
            }
        }
        ((RL_T*)p.out)[e] = from_sum<RL_T>(sum);
    }
}

// --- conv_transpose: kernel [ci, co k] times what the output gives [co k, batch i] ---
//
// Places of the input whose distance is a multiple of the stride see the same places of the kernel: such a phase is
// worked on alone, so that nothing is multiplied with the gaps between windows.

struct Phase {
    u64 first[3];  // the phase: the first place
    u64 count[3];  // its places
    u64 k0[3], step[3], taps[3];  // places of the kernel that it sees
    i64 q0[3], dq[3];             // output place of (place t, tap j): t + q0 - j dq
};

// All threads of the block call it: thread d works out dimension d. Registers would take three times the code, for numbers
// that are the same for all threads.
RL_DEV void phase_of(const ConvParams& p, u64 number, Phase& f) {
    sync();
    const u32 d = thread();
    if (d < 3) {
        for (u32 later = 2; later > d; later--) number /= p.phases[later];
        const u64 first = number % p.phases[d], s = p.s[d], at = first + p.p[d];
        // k d = first + p (mod s): the step between solutions is s / gcd(s, d).
        u64 a = s, b = p.d[d] % s;
        while (b) {
            const u64 r = a % b;
            a = b;
            b = r;
        }
        const u64 step = s / a;
        u64 k = 0;
        while (k < step && k < p.k[d] && (at % s + s - k * p.d[d] % s) % s != 0) k++;
        const bool any = k < step && k < p.k[d];
        f.first[d] = first;
        f.count[d] = first < p.i[d] ? (p.i[d] - first + s - 1) / s : 0;
        f.step[d] = step;
        f.k0[d] = k;
        f.taps[d] = any ? (p.k[d] - k + step - 1) / step : 0;
        f.q0[d] = any ? ((i64)at - (i64)(k * p.d[d])) / (i64)s : 0;
        f.dq[d] = (i64)(step * p.d[d] / s);
    }
    sync();
}

struct SpreadKernel {
    using Outer = u64;
    using Inner = u64;
    static constexpr bool checked = is_float<sum_t<RL_T>>::value;
    const ConvParams& p;
    const Phase& f;
    u64 group;
    RL_FN u64 outer(u64 c) const { return c * p.a.stride[1]; }
    RL_FN u64 inner(u64 k) const {
        u64 at[3];
        const u64 r = group * p.co + split3(k, f.taps, p.wide, at);
        for (int d = 0; d < 3; d++) at[d] = f.k0[d] + at[d] * f.step[d];
        return r * p.a.stride[0] + place(p.a, at[0], at[1], at[2]);
    }
    RL_FN sum_t<RL_T> at(u64 o, u64 i) const { return to_sum<RL_T>(((const RL_T*)p.a.ptr)[(i64)(o + i)]); }
    RL_FN bool along() const { return false; }
};

struct SpreadOutput {
    using Outer = Spot;
    using Inner = Spot;
    static constexpr bool checked = false;
    const ConvParams& p;
    const Phase& f;
    u64 group;
    RL_FN Spot outer(u64 t) const {
        u64 at[3];
        Spot s;
        s.base = split3(t, f.count, p.wide, at) * p.b.stride[0];
        for (int d = 0; d < 3; d++) s.at[d] = (i64)at[d] + f.q0[d];
        return s;
    }
    RL_FN Spot inner(u64 k) const {
        u64 at[3];
        Spot s;
        s.base = (group * p.co + split3(k, f.taps, p.wide, at)) * p.b.stride[1];
        for (int d = 0; d < 3; d++) s.at[d] = (i64)at[d] * f.dq[d];
        return s;
    }
    RL_FN bool inside(const Spot& x, const Spot& y) const {
        bool in = true;
        for (int d = 0; d < 3; d++) in = in && (u64)(x.at[d] - y.at[d]) < p.o[d];
        return in;
    }
    RL_FN sum_t<RL_T> at(const Spot& x, const Spot& y) const {
        if (!inside(x, y)) return (sum_t<RL_T>)0;
        const u64 from = place(p.b, (u64)(x.at[0] - y.at[0]), (u64)(x.at[1] - y.at[1]), (u64)(x.at[2] - y.at[2]));
        return to_sum<RL_T>(((const RL_T*)p.b.ptr)[(i64)(x.base + y.base + from)]);
    }
    RL_FN bool along() const { return false; }
};

RL_DEV void conv_transpose(const ConvParams& p) {
    __shared__ Phase f;
    for (u64 number = block_z(); number < volume(p.phases); number += p.grid_z) {
        phase_of(p, number, f);
        const u64 m = p.ci, n = p.batch * volume(f.count), k = p.co * volume(f.taps);
        const u64 across = (n + TILE - 1) / TILE;
        // The whole block goes on: phases have different numbers of places.
        if (n == 0 || block() / across * TILE >= m) continue;
        const u64 row0 = block() / across * TILE, col0 = block() % across * TILE;
        for (u64 group = block_y(); group < p.groups; group += p.grid_y) {
            const SpreadKernel a = {p, f, group};
            const SpreadOutput b = {p, f, group};
            RL_T* out = (RL_T*)p.out;
            const auto where = [&](u64 column) {
                u64 at[3];
                const u64 batch = split3(column, f.count, p.wide, at);
                for (int d = 0; d < 3; d++) at[d] = f.first[d] + at[d] * p.s[d];
                const u64 plane = (batch * p.groups + group) * p.ci;
                return ((plane * p.i[0] + at[0]) * p.i[1] + at[1]) * p.i[2] + at[2];
            };
            tile_product<sum_t<RL_T>>(a, b, m, n, {0, k}, row0, col0, where, [&](u64 row, u64 at, sum_t<RL_T> sum) {
                out[at + row * volume(p.i)] = from_sum<RL_T>(sum);
            });
        }
    }
}

RL_DEV void conv_transpose_direct(const ConvParams& p) {
    const u64 channels = p.groups * p.ci, n = p.batch * channels * volume(p.i);
    for (u64 e = global_thread(); e < n; e += p.grid_z * RL_BLOCK) {
        u64 batch, channel, i[3], c;
        split5(e, channels, p.i, p.wide, batch, channel, i);
        const u64 group = divide(channel, p.ci, p.wide, c);
        sum_t<RL_T> sum = 0;
        for (u64 r = group * p.co; r < (group + 1) * p.co; r++) {
            const RL_T* w = (const RL_T*)p.a.ptr + (i64)place(p.a, r, c);
            const RL_T* y = (const RL_T*)p.b.ptr + (i64)place(p.b, batch, r);
            u64 k[3], at[3];
            for (k[0] = 0; k[0] < p.k[0]; k[0]++) {
                if (!source(p, 0, i, k, at)) continue;
                for (k[1] = 0; k[1] < p.k[1]; k[1]++) {
                    if (!source(p, 1, i, k, at)) continue;
                    for (k[2] = 0; k[2] < p.k[2]; k[2]++) {
                        if (!source(p, 2, i, k, at)) continue;
                        const sum_t<RL_T> v = to_sum<RL_T>(y[(i64)place(p.b, at[0], at[1], at[2])]);
                        sum = multiply_add(to_sum<RL_T>(w[(i64)place(p.a, k[0], k[1], k[2])]), v, sum);
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
    RL_FN u64 outer(u64 r) const { return (group * p.co + r) * p.a.stride[1]; }
    RL_FN u64 inner(u64 o) const {
        u64 at[3];
        const u64 n = split3(o, p.o, p.wide, at);
        return n * p.a.stride[0] + place(p.a, at[0], at[1], at[2]);
    }
    RL_FN sum_t<RL_T> at(u64 o, u64 i) const { return to_sum<RL_T>(((const RL_T*)p.a.ptr)[(i64)(o + i)]); }
    RL_FN bool along() const { return true; }
};
struct WeightInput : Windows {
    static constexpr bool checked = false;
    RL_FN Spot outer(u64 k) const { return tap(k); }
    RL_FN Spot inner(u64 o) const { return window(o); }
    RL_FN bool along() const { return true; }
};

#if RL_FLOAT
// The inner dimension is long and the result small: blocks take slices of it, whose sums are added in order by
// conv_weight_grad_end.
RL_DEV void conv_weight_grad(const ConvParams& p) {
    const u64 m = p.co, n = p.ci * volume(p.k), k = p.batch * volume(p.o);
    const u64 across = (n + TILE - 1) / TILE;
    const u64 row0 = block() / across * TILE, col0 = block() % across * TILE;
    const u64 slice = block_z(), each = (k + p.slices - 1) / p.slices;
    const u64 from = slice * each, to = from + each < k ? from + each : k;
    for (u64 group = block_y(); group < p.groups; group += p.grid_y) {
        const OutputGrad a = {p, group};
        const WeightInput b = {{p, group}};
        const auto where = [](u64 column) { return column; };
        tile_product<sum_t<RL_T>>(a, b, m, n, {from, to}, row0, col0, where, [&](u64 row, u64 column, sum_t<RL_T> sum) {
            const u64 at = (group * p.co + row) * n + column;
            if (p.slices == 1) ((RL_T*)p.out)[at] = from_sum<RL_T>(sum);
            else ((sum_t<RL_T>*)p.sums)[slice * p.groups * m * n + at] = sum;
        });
    }
}
RL_DEV void conv_weight_grad_end(const ConvParams& p) {
    const u64 n = p.groups * p.co * p.ci * volume(p.k);
    for (u64 i = global_thread(); i < n; i += p.grid_z * RL_BLOCK) {
        sum_t<RL_T> sum = 0;
        for (u64 slice = 0; slice < p.slices; slice++) sum = sum + ((const sum_t<RL_T>*)p.sums)[slice * n + i];
        ((RL_T*)p.out)[i] = from_sum<RL_T>(sum);
    }
}
#endif

}  // namespace rl

RL_CHECK_PARAMS(rl::ConvParams, RL_SIZEOF_ConvParams);

RL_KERNEL(conv, s)(rl::ConvParams p) { rl::conv(p); }
RL_KERNEL(conv, d)(rl::ConvParams p) { rl::conv_direct(p); }
RL_KERNEL(conv_transpose, s)(rl::ConvParams p) { rl::conv_transpose(p); }
RL_KERNEL(conv_transpose, d)(rl::ConvParams p) { rl::conv_transpose_direct(p); }
#if RL_FLOAT
RL_KERNEL(conv_weight_grad, s)(rl::ConvParams p) { rl::conv_weight_grad(p); }
RL_KERNEL(conv_weight_grad, end)(rl::ConvParams p) { rl::conv_weight_grad_end(p); }
#endif
