// upsample: resizing of images. One thread for each element of the output; source coordinates are computed in f64, as on
// the CPU. An element of a gradient is the sum over the elements of the resized image that read it, in row-major order.
#include "spatial.h"

namespace rl {

// --- nearest ---

#if RL_FLOAT || RL_WORD
// Returns the coordinate in the image that coordinate o of the resized image reads, in dimension d.
RL_DEV u64 nearest(const ResizeParams& p, int d, u64 o) {
    const u64 last = p.old_size[d] - 1;
    if (p.factor[d] > 0) {
        const f64 at = div((f64)o, p.factor[d]);
        return at < (f64)last ? (u64)at : last;
    }
    // floor(o i / size) without the product: i = q size + r, and o, r < size < 2^32.
    const u64 q = p.old_size[d] / p.new_size[d], r = p.old_size[d] % p.new_size[d];
    const u64 at = o * q + o * r / p.new_size[d];
    return at < last ? at : last;
}
#endif

// Returns the first of `size` positions for which a monotonic condition holds.
template <class F>
RL_DEV u64 first_position(u64 size, F holds) {
    u64 from = 0;
    while (from < size) {
        const u64 middle = from + (size - from) / 2;
        if (holds(middle)) size = middle;
        else from = middle + 1;
    }
    return from;
}

template <class F>
RL_DEV void each(const ResizeParams& p, const u64 (&size)[3], F f) {
    const u64 step = (u64)p.blocks * RL_BLOCK;
    for (u64 e = global_thread(); e < p.count; e += step) {
        u64 batch, channel, at[3];
        split5(e, p.channels, size, p.index64, batch, channel, at);
        f(e, (const RL_T*)p.input.ptr + (i64)offset(p.input, batch, channel), at);
    }
}

#if RL_WORD
RL_DEV void upsample_nearest(const ResizeParams& p) {
    each(p, p.new_size, [&](u64 e, const RL_T* x, const u64 (&at)[3]) {
        ((RL_T*)p.out)[e] = x[(i64)offset(p.input, nearest(p, 0, at[0]), nearest(p, 1, at[1]), nearest(p, 2, at[2]))];
    });
}
#endif

#if RL_FLOAT
RL_DEV void upsample_nearest_backward(const ResizeParams& p) {
    each(p, p.old_size, [&](u64 e, const RL_T* g, const u64 (&at)[3]) {
        u64 from[3], to[3];
        for (int d = 0; d < 3; d++) {
            from[d] = first_position(p.new_size[d], [&](u64 o) { return nearest(p, d, o) >= at[d]; });
            to[d] = first_position(p.new_size[d], [&](u64 o) { return nearest(p, d, o) > at[d]; });
        }
        acc_t<RL_T> sum = 0;
        for (u64 a = from[0]; a < to[0]; a++) {
            for (u64 b = from[1]; b < to[1]; b++) {
                for (u64 c = from[2]; c < to[2]; c++) sum = sum + acc<RL_T>(g[(i64)offset(p.input, a, b, c)]);
            }
        }
        ((RL_T*)p.out)[e] = from_acc<RL_T>(sum);
    });
}
#endif

// --- linear, in one to three dimensions ---

#if RL_NUMERIC
// The type of interpolation, f64 for integers, and the conversions to and from it.
template <class T, bool INT>
struct mix_of {
    using type = acc_t<T>;
    static RL_FN type load(T v) { return acc<T>(v); }
    static RL_FN T store(type v) { return from_acc<T>(v); }
};
template <class T>
struct mix_of<T, true> {
    using type = f64;
    static RL_FN f64 load(T v) { return (f64)v; }
    static RL_FN T store(f64 v) { return int_from_f64<T>(round_even(v)); }
};
using Mix = mix_of<RL_T, is_int<RL_T>::value>;
using Mixed = Mix::type;

// The two coordinates in the image around one of the resized image, and their weights.
struct Tap {
    u64 near, far;
    Mixed near_weight, far_weight;  
    bool near_only;         // the far element has weight 0
};
RL_DEV Tap tap(const ResizeParams& p, int d, u64 o) {
    const u64 last = p.old_size[d] - 1;
    const f64 position = (f64)o;
    f64 at;
    if (p.align_corners) at = p.new_size[d] > 1 ? div(position * (f64)last, (f64)(p.new_size[d] - 1)) : 0.0;
    else if (p.factor[d] > 0) at = div(position + 0.5, p.factor[d]) - 0.5;
    else at = div((position + 0.5) * (f64)p.old_size[d], (f64)p.new_size[d]) - 0.5;
    if (at < 0) at = 0;
    if (at > (f64)last) at = (f64)last;
    Tap t;
    t.near = (u64)at;
    t.far = t.near < last ? t.near + 1 : last;
    const f64 weight = at - (f64)t.near;
    t.near_weight = (Mixed)(1.0 - weight);
    t.far_weight = (Mixed)weight;
    t.near_only = weight == 0;
    return t;
}
// A far element of weight 0 is ignored, even if it is infinite.
RL_DEV Mixed mix(const Tap& t, Mixed near, Mixed far) { return t.near_only ? near : near * t.near_weight + far * t.far_weight; }

RL_DEV void upsample_bilinear(const ResizeParams& p) {
    each(p, p.new_size, [&](u64 e, const RL_T* x, const u64 (&at)[3]) {
        const Tap s = tap(p, 0, at[0]), r = tap(p, 1, at[1]), c = tap(p, 2, at[2]);
        const auto value = [&](u64 z, u64 y, u64 x0) { return Mix::load(x[(i64)offset(p.input, z, y, x0)]); };
        const auto row = [&](u64 z, u64 y) { return mix(c, value(z, y, c.near), value(z, y, c.far)); };
        const auto image = [&](u64 z) {
            const Mixed near = row(z, r.near);
            return r.near_only ? near : mix(r, near, row(z, r.far));
        };
        const Mixed near = image(s.near);
        ((RL_T*)p.out)[e] = Mix::store(s.near_only ? near : mix(s, near, image(s.far)));
    });
}
#endif

#if RL_FLOAT
RL_DEV void upsample_bilinear_backward(const ResizeParams& p) {
    each(p, p.old_size, [&](u64 e, const RL_T* g, const u64 (&at)[3]) {
        // The coordinates of the resized image whose near element is this element of the image or the one before.
        u64 from[3], to[3];
        for (int d = 0; d < 3; d++) {
            from[d] = first_position(p.new_size[d], [&](u64 o) { return tap(p, d, o).near + 1 >= at[d]; });
            to[d] = first_position(p.new_size[d], [&](u64 o) { return tap(p, d, o).near > at[d]; });
        }
        // Returns whether coordinate o of the resized image, in dimension d, reads this element of the image, and sets its
        // weight.
        const auto weighs = [&](const Tap& t, int d, Mixed& weight) {
            weight = t.near == at[d] ? t.near_weight : t.far_weight;
            return t.near == at[d] || (!t.near_only && t.far == at[d]);
        };
        Mixed sum = 0, image, row, column;
        for (u64 z = from[0]; z < to[0]; z++) {
            if (!weighs(tap(p, 0, z), 0, image)) continue;
            for (u64 y = from[1]; y < to[1]; y++) {
                if (!weighs(tap(p, 1, y), 1, row)) continue;
                for (u64 x = from[2]; x < to[2]; x++) {
                    if (!weighs(tap(p, 2, x), 2, column)) continue;
                    sum = sum + Mix::load(g[(i64)offset(p.input, z, y, x)]) * image * row * column;
                }
            }
        }
        ((RL_T*)p.out)[e] = from_acc<RL_T>(sum);
    });
}
#endif

}  // namespace rl

#if RL_WORD
// The kernel only moves values, so RL_T is the unsigned integer of their size (c128 for 16 bytes).
RL_KERNEL(upsample_nearest, strided)(rl::ResizeParams p) { rl::upsample_nearest(p); }
#endif
#if RL_NUMERIC
RL_KERNEL(upsample_bilinear, strided)(rl::ResizeParams p) { rl::upsample_bilinear(p); }
#endif
#if RL_FLOAT
RL_KERNEL(upsample_nearest_backward, strided)(rl::ResizeParams p) { rl::upsample_nearest_backward(p); }
RL_KERNEL(upsample_bilinear_backward, strided)(rl::ResizeParams p) { rl::upsample_bilinear_backward(p); }
#endif
