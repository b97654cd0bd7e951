// grid_sample: images and volumes sampled at given positions, and the gradients. Coordinates are computed from the grid in
// f64, as on the CPU; the weights of a position are rounded to the accumulation type.
#include "spatial.h"

namespace rl {

using A = acc_t<RL_T>;

// Brings a coordinate inside of the image; `slope` is multiplied by the derivative.
RL_DEV f64 clipped(f64 at, f64 last, f64& slope) {
    if (at > 0 && at < last) return at;
    slope = 0;
    return at >= last && last > 0 ? last : 0;
}
RL_DEV f64 padded(const GridSampleParams& p, u64 size, f64 at, f64& slope) {
    if (p.padding == SampleEdge::Zeros) return at;
    const f64 last = (f64)(size - 1);
    if (p.padding == SampleEdge::Border) return clipped(at, last, slope);
    // The image is mirrored at the centres of its first and last element, or at their outer borders.
    const f64 low = p.unit == SampleScale::Edges ? -0.5 : 0.0, span = p.unit == SampleScale::Edges ? (f64)size : last;
    if (span == 0) {
        slope = 0;
        return 0;
    }
    f64 off = at - low;
    if (at < low) {
        off = low - at;
        slope = -slope;
    }
    const f64 flips = floor(div(off, span)), rest = off - flips * span;
    if (flips == 2.0 * floor(flips * 0.5)) return clipped(rest + low, last, slope);
    slope = -slope;
    return clipped(span - rest + low, last, slope);
}

// One coordinate of a position: the element before it, the distance from that element, and the derivative of the coordinate
// with respect to the grid's number.
struct Coordinate {
    f64 low, t, slope;
};
RL_DEV Coordinate coordinate(const GridSampleParams& p, u64 size, f64 v) {
    const f64 n = (f64)size;
    f64 at = v, slope = 1;
    if (p.unit == SampleScale::Edges) {
        at = ((v + 1.0) * n - 1.0) / 2.0;
        slope = n / 2.0;
    } else if (p.unit == SampleScale::Centers) {
        at = (v + 1.0) / 2.0 * (n - 1.0);
        slope = (n - 1.0) / 2.0;
    }
    // A position beyond this coordinate, or NaN, is outside of every image.
    if (!(fabs(at) < 1073741824.0)) {
        at = -100.0;
        slope = 0;
    }
    if (p.taps != 4) at = padded(p, size, at, slope);
    const f64 low = p.taps == 1 ? round_even(at) : floor(at);
    return Coordinate{low, at - low, slope};
}

// An element that a position reads along one dimension: its index (outside of the dimension if the position reads no
// element), its weight, and the derivative of the weight with respect to the grid's number.
struct Tap {
    u64 at;
    f64 weight, slope;
};
RL_DEV u64 index_of(f64 at, u64 size) { return at >= 0 && at < (f64)size ? (u64)at : size; }

// Weights of cubic convolution with a = -0.75 for a distance below 1, and for one from 1 to 2.
RL_DEV f64 cubic_near(f64 x) { return (1.25 * x - 2.25) * x * x + 1.0; }
RL_DEV f64 cubic_far(f64 x) { return ((-0.75 * x + 3.75) * x - 6.0) * x + 3.0; }
RL_DEV f64 cubic_near_slope(f64 x) { return (3.75 * x - 4.5) * x; }
RL_DEV f64 cubic_far_slope(f64 x) { return (-2.25 * x + 7.5) * x - 6.0; }

RL_DEV Tap tap(const GridSampleParams& p, u64 size, const Coordinate& c, u32 k) {
    if (p.taps == 1) return Tap{index_of(c.low, size), 1.0, 0.0};
    if (p.taps == 2) {
        if (k == 0) return Tap{index_of(c.low, size), 1.0 - c.t, -c.slope};
        return Tap{index_of(c.low + 1.0, size), c.t, c.slope};
    }
    f64 unused = 1, weight, slope;
    const f64 at = padded(p, size, c.low - 1.0 + (f64)k, unused), u = 1.0 - c.t;
    if (k == 0) {
        weight = cubic_far(c.t + 1.0);
        slope = cubic_far_slope(c.t + 1.0);
    } else if (k == 1) {
        weight = cubic_near(c.t);
        slope = cubic_near_slope(c.t);
    } else if (k == 2) {
        weight = cubic_near(u);
        slope = -cubic_near_slope(u);
    } else {
        weight = cubic_far(u + 1.0);
        slope = -cubic_far_slope(u + 1.0);
    }
    return Tap{index_of(at, size), weight, slope * c.slope};
}

// Returns which number of a position in the grid is the coordinate in dimension d: pixel indices are in the order of the
// dimensions, other coordinates in the order x, y, z.
RL_DEV u32 number_of(const GridSampleParams& p, u32 d) { return p.unit == SampleScale::Pixels ? d + p.dims - 3 : 2 - d; }

// A position of a sample: its coordinate in each of three dimensions.
struct Position {
    Coordinate c[3];
};
RL_DEV Position position(const GridSampleParams& p, u64 batch, const u64 (&at)[3]) {
    Position r;
    const RL_T* g = (const RL_T*)p.grid + (i64)(batch * p.grid_stride[0] + at[0] * p.grid_stride[1] + at[1] * p.grid_stride[2] + at[2] * p.grid_stride[3]);
    for (u32 d = 0; d < 3; d++) {
        if (d >= 3 - p.dims) r.c[d] = coordinate(p, p.size[d], (f64)acc<RL_T>(g[(i64)(number_of(p, d) * p.grid_stride[4])]));
        else r.c[d] = Coordinate{0, 0, 0};
    }
    return r;
}
RL_DEV Tap tap_of(const GridSampleParams& p, const Position& r, u32 d, u32 k) {
    return d < 3 - p.dims ? Tap{0, 1.0, 0.0} : tap(p, p.size[d], r.c[d], k);
}
// Calls f(taps) for the elements of a plane that a position reads, row-major.
template <class F>
RL_DEV void each_tap(const GridSampleParams& p, const Position& r, F f) {
    const u32 depth = p.dims == 3 ? p.taps : 1;
    for (u32 i = 0; i < depth; i++) {
        const Tap a = tap_of(p, r, 0, i);
        if (a.at >= p.size[0]) continue;
        for (u32 j = 0; j < p.taps; j++) {
            const Tap b = tap_of(p, r, 1, j);
            if (b.at >= p.size[1]) continue;
            for (u32 k = 0; k < p.taps; k++) {
                const Tap c = tap_of(p, r, 2, k);
                if (c.at < p.size[2]) f(a, b, c);
            }
        }
    }
}

// The number of channels that a thread samples at its position.
#define RL_CHANNELS 4u

RL_DEV void grid_sample(const GridSampleParams& p) {
    const u64 step = (u64)p.blocks * RL_BLOCK, parts = (p.channels + RL_CHANNELS - 1) / RL_CHANNELS;
    const u64 plane = p.sampled[0] * p.sampled[1] * p.sampled[2];
    for (u64 e = global_thread(); e < p.count; e += step) {
        u64 batch, part, at[3];
        split5(e, parts, p.sampled, p.index64, batch, part, at);
        const Position r = position(p, batch, at);
        const u64 first = part * RL_CHANNELS;
        const RL_T* x = (const RL_T*)p.input.ptr + (i64)offset(p.input, batch, first);
        A sum[RL_CHANNELS] = {};
        each_tap(p, r, [&](const Tap& a, const Tap& b, const Tap& c) {
            const A weight = (A)(a.weight * b.weight * c.weight);
            const u64 from = offset(p.input, a.at, b.at, c.at);
            for (u32 k = 0; k < RL_CHANNELS; k++) {
                if (first + k < p.channels) sum[k] = sum[k] + acc<RL_T>(x[(i64)(from + k * p.input.stride[1])]) * weight;
            }
        });
        RL_T* out = (RL_T*)p.out + (batch * p.channels + first) * plane + (at[0] * p.sampled[1] + at[1]) * p.sampled[2] + at[2];
        for (u32 k = 0; k < RL_CHANNELS; k++) {
            if (first + k < p.channels) out[k * plane] = from_acc<RL_T>(sum[k]);
        }
    }
}

// One block for each sample of the batch and part of its channels. The threads list the next 256 pairs of a position and an
// element that it reads. Then each thread adds the pairs of the elements that it owns, so the terms of an element are added
// in the order of the list.
RL_DEV void grid_sample_input_grad(const GridSampleParams& p) {
    __shared__ u64 element[RL_BLOCK];
    __shared__ A weights[RL_BLOCK];
    __shared__ A grads[RL_CHANNELS][RL_BLOCK];
    const u64 parts = (p.channels + RL_CHANNELS - 1) / RL_CHANNELS, plane = p.size[0] * p.size[1] * p.size[2];
    const u64 batch = block() / parts, first = block() % parts * RL_CHANNELS;
    const u64 positions = p.sampled[0] * p.sampled[1] * p.sampled[2];
    const u32 depth = p.dims == 3 ? p.taps : 1, each = depth * p.taps * p.taps, me = thread();
    A* out = (A*)p.out + (batch * p.channels + first) * plane;
    for (u32 k = 0; k < RL_CHANNELS; k++) {
        if (first + k >= p.channels) break;
        for (u64 e = me; e < plane; e += RL_BLOCK) out[k * plane + e] = 0;
    }
    for (u64 start = 0; start < positions * each; start += RL_BLOCK) {
        const u64 mine = start + me;
        u64 to = plane;
        if (mine < positions * each) {
            u64 which, at[3];
            const u64 place = div_mod(mine, each, which);
            split3(place, p.sampled, (place >> 32) != 0, at);
            const Position r = position(p, batch, at);
            const u32 k = (u32)which;
            const Tap a = tap_of(p, r, 0, k / p.taps / p.taps), b = tap_of(p, r, 1, k / p.taps % p.taps), c = tap_of(p, r, 2, k % p.taps);
            if (a.at < p.size[0] && b.at < p.size[1] && c.at < p.size[2]) {
                to = (a.at * p.size[1] + b.at) * p.size[2] + c.at;
                weights[me] = (A)(a.weight * b.weight * c.weight);
                const RL_T* g = (const RL_T*)p.grad.ptr + (i64)(offset(p.grad, batch, first) + offset(p.grad, at[0], at[1], at[2]));
                for (u32 j = 0; j < RL_CHANNELS; j++) {
                    if (first + j < p.channels) grads[j][me] = acc<RL_T>(g[(i64)(j * p.grad.stride[1])]);
                }
            }
        }
        element[me] = to;
        sync();
        for (u32 k = 0; k < RL_BLOCK; k++) {
            const u64 e = element[k];
            if (e >= plane || (u32)e % RL_BLOCK != me) continue;
            for (u32 j = 0; j < RL_CHANNELS; j++) {
                if (first + j < p.channels) out[j * plane + e] = out[j * plane + e] + grads[j][k] * weights[k];
            }
        }
        sync();
    }
}

RL_DEV void grid_sample_grid_grad(const GridSampleParams& p) {
    const u64 step = (u64)p.blocks * RL_BLOCK;
    for (u64 e = global_thread(); e < p.count; e += step) {
        u64 at[3];
        const u64 batch = split3(e, p.sampled, p.index64, at);
        A sum[3] = {};
        if (p.taps != 1) {
            const Position r = position(p, batch, at);
            const RL_T* x = (const RL_T*)p.input.ptr + (i64)offset(p.input, batch, 0);
            const RL_T* g = (const RL_T*)p.grad.ptr + (i64)(offset(p.grad, batch, 0) + offset(p.grad, at[0], at[1], at[2]));
            each_tap(p, r, [&](const Tap& a, const Tap& b, const Tap& c) {
                const RL_T* v = x + (i64)offset(p.input, a.at, b.at, c.at);
                A products = 0;
                for (u64 k = 0; k < p.channels; k++) {
                    products = products + acc<RL_T>(v[(i64)(k * p.input.stride[1])]) * acc<RL_T>(g[(i64)(k * p.grad.stride[1])]);
                }
                sum[0] = sum[0] + products * (A)(a.slope * b.weight * c.weight);
                sum[1] = sum[1] + products * (A)(a.weight * b.slope * c.weight);
                sum[2] = sum[2] + products * (A)(a.weight * b.weight * c.slope);
            });
        }
        RL_T* out = (RL_T*)p.out + e * p.dims;
        out[number_of(p, 2)] = from_acc<RL_T>(sum[2]);
        out[number_of(p, 1)] = from_acc<RL_T>(sum[1]);
        if (p.dims == 3) out[number_of(p, 0)] = from_acc<RL_T>(sum[0]);
    }
}

}  // namespace rl

RL_KERNEL(grid_sample, strided)(rl::GridSampleParams p) { rl::grid_sample(p); }
RL_KERNEL(grid_sample_input_grad, block)(rl::GridSampleParams p) { rl::grid_sample_input_grad(p); }
RL_KERNEL(grid_sample_grid_grad, strided)(rl::GridSampleParams p) { rl::grid_sample_grid_grad(p); }
