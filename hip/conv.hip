// conv: convolutions as tiled matrix products, whose right side is read through the windows. All three share one geometry:
// "input" is the side that the windows slide over, "output" the side with an element for each window. f32, f16 and bf16 are multiplied
// by atoms (conv_matrix.h) unless offsets or taps are too many, other dtypes and these cases by `tile_product`.
#include "conv_matrix.h"

#if defined(RL_T_IS_f32) || defined(RL_T_IS_f16) || defined(RL_T_IS_bf16)
#define RL_ATOMS 1
#else
#define RL_ATOMS 0
#endif

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

// One element of the output, over the taps inside the input, or over all, of which those outside meet 0. The row of the kernel is at `w0`.
template <bool ALL>
RL_DEV sum_t<RL_T> element(const ConvParams& p, const RL_T* w0, u64 batch, u64 group, const u64 (&o)[3]) {
    sum_t<RL_T> sum = 0;
    for (u64 c = 0; c < p.channels_in; c++) {
        const RL_T* w = w0 + (i64)(c * p.left.stride[1]);
        const RL_T* x = (const RL_T*)p.right.ptr + (i64)offset(p.right, batch, group * p.channels_in + c);
        u64 k[3], at[3];
        for (k[0] = 0; k[0] < p.kernel_size[0]; k[0]++) {
            const bool in0 = reach(p, 0, o, k, at);
            if (!ALL && !in0) continue;
            for (k[1] = 0; k[1] < p.kernel_size[1]; k[1]++) {
                const bool in1 = reach(p, 1, o, k, at) && in0;
                if (!ALL && !in1) continue;
                for (k[2] = 0; k[2] < p.kernel_size[2]; k[2]++) {
                    const bool in2 = reach(p, 2, o, k, at) && in1;
                    if (!ALL && !in2) continue;
                    const sum_t<RL_T> v = in2 ? to_sum<RL_T>(x[(i64)offset(p.right, at[0], at[1], at[2])]) : (sum_t<RL_T>)0;
                    sum = multiply_add(to_sum<RL_T>(w[(i64)offset(p.left, k[0], k[1], k[2])]), v, sum);
                }
            }
        }
    }
    return sum;
}

// The variant for groups of few channels, whose tiles would be nearly empty: one thread for each element.
RL_DEV void conv_direct(const ConvParams& p) {
    const u64 channels = p.groups * p.channels_out, n = p.batch * channels * volume(p.output_size);
    for (u64 e = global_thread(); e < n; e += p.element_blocks * RL_BLOCK) {
        u64 batch, channel, o[3], r;
        split5(e, channels, p.output_size, p.index64, batch, channel, o);
        const u64 group = div_mod(channel, p.channels_out, p.index64, r);
        const RL_T* w = (const RL_T*)p.left.ptr + (i64)(channel * p.left.stride[0]);
        ((RL_T*)p.out)[e] = from_sum<RL_T>(element<false>(p, w, batch, group, o));
    }
}

#if RL_ATOMS
// Windows, and taps of the kernel, as parts of the input's addresses.
RL_DEV Map windows_of(const ConvParams& p) {
    constexpr u32 SIZE = sizeof(RL_T);
    Map m = {};
    m.rest = (u32)p.right.stride[0] * SIZE;
    for (u32 d = 0; d < 3; d++) {
        const u32 step = (u32)p.right.stride[2 + d] * SIZE;
        m.size[d] = (u32)p.output_size[d];
        m.step[d] = (u32)p.stride[d] * step;
        m.first -= (u32)p.padding[d] * step;
        m.taps[d] = (u32)p.kernel_size[d];
        m.start[d] = 0u - (u32)p.padding[d];
        m.apart[d] = (u32)p.stride[d];
        m.tap[d] = (u32)p.dilation[d];
        m.limit[d] = (u32)p.input_size[d];
    }
    return m;
}
RL_DEV Map taps_of(const ConvParams& p) {
    constexpr u32 SIZE = sizeof(RL_T);
    Map m = {};
    m.rest = (u32)p.right.stride[1] * SIZE;
    for (u32 d = 0; d < 3; d++) {
        m.size[d] = m.taps[d] = (u32)p.kernel_size[d];
        m.step[d] = (u32)p.dilation[d] * (u32)p.right.stride[2 + d] * SIZE;
    }
    return m;
}
// Lines that lie one after the other, `step` elements apart.
RL_DEV Map lines_of(u64 step) {
    Map m = {{1, 1, 1}};
    m.rest = (u32)step * (u32)sizeof(RL_T);
    return m;
}
// Coordinates [rest, three sizes] of a tensor, with these strides.
RL_DEV Map elements_of(const u64 (&size)[3], u64 rest, const u64* stride) {
    Map m = {};
    m.rest = (u32)rest * (u32)sizeof(RL_T);
    for (u32 d = 0; d < 3; d++) {
        m.size[d] = (u32)size[d];
        m.step[d] = (u32)stride[d] * (u32)sizeof(RL_T);
    }
    return m;
}

// Computes a tile of results again if one of them is not finite: calls each(row, column) for all. Units that take subnormal numbers as 0
// make an infinity times one of them NaN, and so does conv_transpose of an infinity times a tap without an element.
template <u32 SIDE, class Each>
RL_DEV void again_unless_finite(bool finite, u64 row0, u64 col0, u64 rows, u64 columns, const Each& each) {
    __shared__ u32 odd;
    sync();
    if (thread() == 0) odd = 0;
    sync();
    if (!finite) odd = 1;
    sync();
    if (odd == 0) return;
#pragma unroll 1
    for (u32 e = thread(); e < SIDE * SIDE; e += RL_BLOCK) {
        const u64 row = row0 + e / SIDE, column = col0 + e % SIDE;
        if (row < rows && column < columns) each(row, column);
    }
}
// Whether the results are those of fused multiply-adds, which need not be computed again.
constexpr bool EXACT = sizeof(RL_T) == 4;

// The result of conv: a row for each output channel of a group, a column for each window.
struct ConvResults {
    const ConvParams& p;
    u64 group, positions;
    bool& finite;
    struct Cells {
        u64 to, step;
        bool& finite;
        RL_FN void put(u32 rows, f32 sum) const {
            if constexpr (!EXACT) finite = finite && sum - sum == 0.0f;
            store((RL_T*)(to + rows * step), from_sum<RL_T>(sum));
        }
    };
    RL_FN Cells at(u64 row, u64 column) const {
        u64 o;
        const u64 batch = div_mod(column, positions, false, o), size = sizeof(RL_T);
        return {p.out + (((batch * p.groups + group) * p.channels_out + row) * positions + o) * size, hidden_uniform(positions * size), finite};
    }
};
// Puts the results of a tile, whose group's part of the kernel is at `w`.
template <class T, class Atom, u32 SIDE>
RL_DEV void put_conv(const ConvParams& p, const WaveTile<T, Atom, SIDE>& wave, u64 w, u64 group, u64 row0, u64 col0) {
    const u64 positions = volume(p.output_size), n = p.batch * positions;
    bool finite = true;
    const ConvResults results = {p, group, positions, finite};
    put_results(wave, row0, col0, p.channels_out, n, results);
    if constexpr (!EXACT) {
        again_unless_finite<SIDE>(finite, row0, col0, p.channels_out, n, [&](u64 row, u64 column) RL_INLINE {
            u64 o[3];
            const u64 batch = split3(column, p.output_size, false, o);
            const f32 sum = element<true>(p, (const RL_T*)w + (i64)(row * p.left.stride[0]), batch, group, o);
            store((RL_T*)results.at(row, column).to, from_sum<RL_T>(sum));
        });
    }
}

// Taps, and the channel innermost, as parts of the addresses of both sides: the inner index of products by packs of channels.
RL_DEV Map packs_of(const u64 (&taps)[3], u64 channels, u64 channel, const u32 (&step)[3]) {
    Map m = {{(u32)taps[1], (u32)taps[2], (u32)channels}};
    m.rest = step[0];
    m.step[0] = step[1];
    m.step[1] = step[2];
    m.step[2] = (u32)channel * (u32)sizeof(RL_T);
    for (u32 d = 0; d < 3; d++) m.taps[d] = (u32)taps[d];
    return m;
}

// By packs of channels.
template <class Atom, u32 SIDE>
RL_DEV void conv_by_channels(const ConvParams& p) {
    using At = Tile<RL_T, Atom, SIDE>;
    __shared__ Words as[SIDE * At::ROW];
    __shared__ Words bs[SIDE * At::ROW];
    __shared__ Words table[4];
    constexpr u32 SIZE = sizeof(RL_T);
    const u64 positions = volume(p.output_size), n = p.batch * positions;
    // (An input without elements may have windows, of padding.)
    const u32 k = volume(p.input_size) ? (u32)(p.channels_in * volume(p.kernel_size)) : 0, steps = (k + At::DEEP - 1) / At::DEEP;
    const u32 across = (u32)((n + SIDE - 1) / SIDE);
    const u64 down = hidden_uniform(block() / across), row0 = down * SIDE, col0 = (block() - down * across) * SIDE;
    u32 of_input[3], of_kernel[3];
    for (u32 d = 0; d < 3; d++) {
        of_input[d] = (u32)p.dilation[d] * (u32)p.right.stride[2 + d] * SIZE;
        of_kernel[d] = (u32)p.left.stride[2 + d] * SIZE;
    }
    const Map windows = windows_of(p), packs = packs_of(p.kernel_size, p.channels_in, p.right.stride[1], of_input),
              kernel = packs_of(p.kernel_size, p.channels_in, 1, of_kernel);
    const u32 row = (u32)p.left.stride[0] * SIZE;
    for (u64 group = block_y(); group < p.groups; group += p.group_blocks) {
        const u64 w = p.left.ptr + group * p.channels_out * row, x = p.right.ptr + group * p.channels_in * p.right.stride[1] * SIZE;
        WaveTile<RL_T, Atom, SIDE> wave;
        if (steps > 0) {
            PackSteps<RL_T, Atom, SIDE> step = {{packs, kernel, k, table}, {w, row, row0, p.channels_out, table},
                                                {x, p.right.stride[1], windows, col0, n, table}};
            add_gathered(step, steps, as, bs, wave);
        }
        put_conv(p, wave, w, group, row0, col0);
    }
}

// Of any channels.
template <class Atom, u32 SIDE>
RL_DEV void conv_by_taps(const ConvParams& p) {
    using At = Tile<RL_T, Atom, SIDE>;
    using Kernel = Gathered<Elements, Elements, false>;
    using Input = Gathered<WindowsOf, Taps, true>;
    __shared__ Words as[SIDE * At::ROW];
    __shared__ Words bs[SIDE * At::ROW];
    __shared__ Words table_a[At::DEEP / 2];
    __shared__ Words table_b[At::DEEP / 2];
    const u64 positions = volume(p.output_size), n = p.batch * positions;
    // (An input without elements may have windows, of padding.)
    const u32 k = volume(p.input_size) ? (u32)(p.channels_in * volume(p.kernel_size)) : 0, steps = (k + At::DEEP - 1) / At::DEEP;
    const u32 across = (u32)((n + SIDE - 1) / SIDE);
    const u64 down = hidden_uniform(block() / across), row0 = down * SIDE, col0 = (block() - down * across) * SIDE;
    const auto& s = p.left.stride;
    for (u64 group = block_y(); group < p.groups; group += p.group_blocks) {
        const Kernel a = {p.left.ptr + group * p.channels_out * s[0] * sizeof(RL_T), p.channels_out, lines_of(s[0]),
                          elements_of(p.kernel_size, s[1], s + 2)};
        const Input b = {p.right.ptr + group * p.channels_in * p.right.stride[1] * sizeof(RL_T), n, windows_of(p), taps_of(p)};
        WaveTile<RL_T, Atom, SIDE> wave;
        if (steps > 0) {
            GatherSteps<GatherMover<Kernel, RL_T, Atom, SIDE>, GatherMover<Input, RL_T, Atom, SIDE>> step = {
                {a, row0, 0, k, table_a}, {b, col0, 0, k, table_b}};
            add_gathered(step, steps, as, bs, wave);
        }
        put_conv(p, wave, a.data, group, row0, col0);
    }
}
#endif

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

// One element of the input, over the taps that have a window. The group's part of the kernel is at `first`.
RL_DEV sum_t<RL_T> transposed_element(const ConvParams& p, const RL_T* first, u64 batch, u64 group, u64 c, const u64 (&i)[3]) {
    sum_t<RL_T> sum = 0;
    for (u64 r = 0; r < p.channels_out; r++) {
        const RL_T* w = first + (i64)offset(p.left, r, c);
        const RL_T* y = (const RL_T*)p.right.ptr + (i64)offset(p.right, batch, group * p.channels_out + r);
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
    return sum;
}

RL_DEV void conv_transpose_direct(const ConvParams& p) {
    const u64 channels = p.groups * p.channels_in, n = p.batch * channels * volume(p.input_size);
    for (u64 e = global_thread(); e < n; e += p.element_blocks * RL_BLOCK) {
        u64 batch, channel, i[3], c;
        split5(e, channels, p.input_size, p.index64, batch, channel, i);
        const u64 group = div_mod(channel, p.channels_in, p.index64, c);
        const RL_T* first = (const RL_T*)p.left.ptr + (i64)(group * p.channels_out * p.left.stride[0]);
        ((RL_T*)p.out)[e] = from_sum<RL_T>(transposed_element(p, first, batch, group, c, i));
    }
}

#if RL_ATOMS
// The result of conv_transpose: a row for each input channel of a group, a column for each input coordinate of a phase.
struct PhaseResults {
    const ConvParams& p;
    const Phase& f;
    u64 group;
    bool& finite;
    struct Cells {
        u64 to, step;
        bool& finite;
        RL_FN void put(u32 rows, f32 sum) const {
            finite = finite && sum - sum == 0.0f;
            store((RL_T*)(to + rows * step), from_sum<RL_T>(sum));
        }
    };
    RL_FN u64 split(u64 column, u64 (&at)[3]) const {
        const u64 batch = split3(column, f.count, false, at);
        for (int d = 0; d < 3; d++) at[d] = f.first[d] + at[d] * p.stride[d];
        return batch;
    }
    RL_FN u64 address(u64 batch, u64 row, const u64 (&at)[3]) const {
        const u64 plane = (batch * p.groups + group) * p.channels_in + row;
        return p.out + (((plane * p.input_size[0] + at[0]) * p.input_size[1] + at[1]) * p.input_size[2] + at[2]) * sizeof(RL_T);
    }
    RL_FN Cells at(u64 row, u64 column) const {
        u64 at[3];
        const u64 batch = split(column, at);
        return {address(batch, row, at), hidden_uniform(volume(p.input_size) * sizeof(RL_T)), finite};
    }
};

// Input coordinates, and taps of the phase, as parts of the output's addresses; taps as parts of the kernel's.
struct PhaseMaps {
    Map inputs, packs, kernel;
};
RL_DEV void maps_of(const ConvParams& p, const Phase& f, PhaseMaps& maps) {
    constexpr u32 SIZE = sizeof(RL_T);
    Map inputs = {}, packs = {{(u32)f.taps[1], (u32)f.taps[2], (u32)p.channels_out}}, kernel = packs;
    inputs.rest = (u32)p.right.stride[0] * SIZE;
    packs.step[2] = (u32)p.right.stride[1] * SIZE;
    kernel.step[2] = SIZE;
    for (u32 d = 0; d < 3; d++) {
        const u32 step = (u32)p.right.stride[2 + d] * SIZE, of_kernel = (u32)p.left.stride[2 + d] * SIZE;
        inputs.size[d] = (u32)f.count[d];
        inputs.step[d] = step;
        inputs.first += (u32)f.first_output[d] * step;
        inputs.taps[d] = packs.taps[d] = kernel.taps[d] = (u32)f.taps[d];
        inputs.start[d] = (u32)f.first_output[d];
        inputs.apart[d] = 1;
        inputs.tap[d] = 0u - (u32)f.output_step[d];
        inputs.limit[d] = (u32)p.output_size[d];
        const u32 back = inputs.tap[d] * step, on = (u32)f.tap_step[d] * of_kernel;
        kernel.first += (u32)f.first_tap[d] * of_kernel;
        (d == 0 ? packs.rest : packs.step[d - 1]) = back;
        (d == 0 ? kernel.rest : kernel.step[d - 1]) = on;
    }
    maps = {inputs, packs, kernel};
}

// By packs of output channels. Taps without a window are multiplied by 0. That is the same as leaving them out unless the kernel holds
// an infinity or NaN, so a tile whose results are not all finite is computed again element by element.
template <class Atom, u32 SIDE>
RL_DEV void conv_transpose_by_channels(const ConvParams& p) {
    using At = Tile<RL_T, Atom, SIDE>;
    __shared__ Phase f;
    __shared__ PhaseMaps maps;
    __shared__ Words as[SIDE * At::ROW];
    __shared__ Words bs[SIDE * At::ROW];
    __shared__ Words table[4];
    constexpr u32 SIZE = sizeof(RL_T);
    for (u64 number = block_z(); number < volume(p.phases); number += p.phase_blocks) {
        phase_of(p, number, f);
        const u64 n = p.batch * volume(f.count);
        const u32 k = hidden_uniform(volume(p.output_size) ? (u32)(p.channels_out * volume(f.taps)) : 0), steps = (k + At::DEEP - 1) / At::DEEP;
        const u32 across = hidden_uniform((u32)((n + SIDE - 1) / SIDE));
        // Phases have different sizes. The condition is the same for all threads of the block, so all of them skip.
        if (n == 0 || block() / across * SIDE >= p.channels_in) continue;
        const u64 down = hidden_uniform(block() / across), row0 = down * SIDE, col0 = (block() - down * across) * SIDE;
        if (thread() == 0) maps_of(p, f, maps);
        sync();
        const u32 row = (u32)p.left.stride[1] * SIZE;
        for (u64 group = block_y(); group < p.groups; group += p.group_blocks) {
            const u64 w = p.left.ptr + group * p.channels_in * row, y = p.right.ptr + group * p.channels_out * p.right.stride[1] * SIZE;
            WaveTile<RL_T, Atom, SIDE> wave;
            bool finite = true;
            if (steps > 0) {
                PackSteps<RL_T, Atom, SIDE> step = {{maps.packs, maps.kernel, k, table}, {w, row, row0, p.channels_in, table},
                                                    {y, p.right.stride[1], maps.inputs, col0, n, table}};
                add_gathered(step, steps, as, bs, wave);
            }
            const PhaseResults results = {p, f, group, finite};
            put_results(wave, row0, col0, p.channels_in, n, results);
            again_unless_finite<SIDE>(finite, row0, col0, p.channels_in, n, [&](u64 r, u64 column) RL_INLINE {
                u64 at[3];
                const u64 batch = results.split(column, at);
                const f32 sum = transposed_element(p, (const RL_T*)w, batch, group, r, at);
                store((RL_T*)results.address(batch, r, at), from_sum<RL_T>(sum));
            });
        }
    }
}
#endif

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
#if RL_ATOMS
// The same by atoms.
struct WeightResults {
    const ConvParams& p;
    u64 group, slice, m, n;
    bool& finite;
    struct Cells {
        const ConvParams& p;
        u64 to, partial, step;
        bool& finite;
        RL_FN void put(u32 rows, f32 sum) const {
            if constexpr (!EXACT) finite = finite && sum - sum == 0.0f;
            if (p.slices == 1) store((RL_T*)p.out + to + rows * step, from_sum<RL_T>(sum));
            else store((f32*)p.partial_sums + partial + rows * step, sum);
        }
    };
    RL_FN Cells at(u64 row, u64 column) const {
        const u64 to = (group * m + row) * n + column;
        return {p, to, slice * p.groups * m * n + to, hidden_uniform(n), finite};
    }
};
template <class Atom, u32 SIDE>
RL_DEV void conv_weight_grad_by_taps(const ConvParams& p) {
    using At = Tile<RL_T, Atom, SIDE>;
    using Grad = Gathered<Elements, Elements, false>;
    using Input = Gathered<Taps, WindowsOf, false>;
    __shared__ Words as[SIDE * At::ROW];
    __shared__ Words bs[SIDE * At::ROW];
    __shared__ Words table_a[At::DEEP / 2];
    __shared__ Words table_b[At::DEEP / 2];
    const u64 m = p.channels_out, n = p.channels_in * volume(p.kernel_size), k = p.batch * volume(p.output_size);
    const u32 across = (u32)((n + SIDE - 1) / SIDE);
    const u64 down = hidden_uniform(block() / across), row0 = down * SIDE, col0 = (block() - down * across) * SIDE;
    const u64 slice = block_z(), each = (k + p.slices - 1) / p.slices, from = slice * each;
    const u64 to = from + each < k ? from + each : k;
    const u32 steps = from < to && volume(p.input_size) ? (u32)((to - from + At::DEEP - 1) / At::DEEP) : 0;
    const auto& g = p.left.stride;
    for (u64 group = block_y(); group < p.groups; group += p.group_blocks) {
        const Grad a = {p.left.ptr + group * m * g[1] * sizeof(RL_T), m, lines_of(g[1]), elements_of(p.output_size, g[0], g + 2)};
        const Input b = {p.right.ptr + group * p.channels_in * p.right.stride[1] * sizeof(RL_T), n, taps_of(p), windows_of(p)};
        WaveTile<RL_T, Atom, SIDE> wave;
        if (steps > 0) {
            GatherSteps<GatherMover<Grad, RL_T, Atom, SIDE>, GatherMover<Input, RL_T, Atom, SIDE>> step = {
                {a, row0, (u32)from, (u32)to, table_a}, {b, col0, (u32)from, (u32)to, table_b}};
            add_gathered(step, steps, as, bs, wave);
        }
        bool finite = true;
        const WeightResults results = {p, group, slice, m, n, finite};
        put_results(wave, row0, col0, m, n, results);
        if constexpr (!EXACT) {
            again_unless_finite<SIDE>(finite, row0, col0, m, n, [&](u64 row, u64 column) RL_INLINE {
                const OutputGrad left = {p, group};
                const WeightInput right = {{p, group}};
                const u64 of_row = left.outer(row);
                const Coord of_column = right.outer(column);
                f32 sum = 0.0f;
#pragma unroll 1
                for (u64 i = from; i < to; i++) sum = fma(left.at(of_row, left.inner(i)), right.at(of_column, right.inner(i)), sum);
                results.at(row, column).put(0, sum);
            });
        }
    }
}
#endif
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

// Variants as those of matmul, for channels in packs of 8: `matrix` and `large` use the matrix units of f16 and bf16 where there are
// any; so does `gather`, for any channels and for gradients of the kernel. For f32 they add in the order of the inner dimension. `tile` does for all dtypes, by
// fused multiply-adds.
#define RL_CONVOLUTION(op, variant, by, atom, side, waves) \
    RL_KERNEL(op, variant)(rl::ConvParams p) waves;        \
    RL_KERNEL(op, variant)(rl::ConvParams p) { rl::op##_##by<atom, side>(p); }
// (Sums and addresses of large tiles do not fit in the registers of a third of a SIMD.)
#define RL_CONVOLUTIONS(atom)                                               \
    RL_CONVOLUTION(conv, matrix, by_channels, atom, 64, RL_WAVES)           \
    RL_CONVOLUTION(conv, large, by_channels, atom, 128, )                   \
    RL_CONVOLUTION(conv, gather, by_taps, atom, 64, RL_WAVES)               \
    RL_CONVOLUTION(conv_transpose, matrix, by_channels, atom, 64, RL_WAVES) \
    RL_CONVOLUTION(conv_transpose, large, by_channels, atom, 128, )         \
    RL_CONVOLUTION(conv_weight_grad, gather, by_taps, atom, 64, RL_WAVES)
#if defined(RL_T_IS_f32)
RL_CONVOLUTIONS(rl::ExactAtom)
#elif RL_ATOMS
RL_CONVOLUTIONS(rl::FastAtom<rl::RL_T>)
#endif
