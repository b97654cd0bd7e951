// upsample: resizing of images. Source coordinates are computed in f64, as on the CPU, once for each coordinate of the resized
// image in each dimension: a kernel OP_taps writes them to a table. An element of a gradient is the sum over the elements of the
// resized image that read it, in row-major order.
#include "elementwise.h"
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

// Returns the part of a table of coordinates that dimension d has.
template <class E>
RL_DEV const E* taps_of(const ResizeParams& p, int d) {
    u64 first = 0;
    for (int k = 0; k < d; k++) first += p.new_size[k];
    return (const E*)p.taps + first;
}
// Writes f(dimension, coordinate) for each coordinate of the resized image, dimension by dimension.
template <class E, class F>
RL_DEV void write_taps(const ResizeParams& p, F f) {
    const u64 step = (u64)p.blocks * RL_BLOCK, n = p.new_size[0] + p.new_size[1] + p.new_size[2];
    for (u64 i = global_thread(); i < n; i += step) {
        u64 o = i;
        int d = 0;
        while (o >= p.new_size[d]) o -= p.new_size[d++];
        ((E*)p.taps)[i] = f(d, o);
    }
}

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

// Returns the offset of a coordinate.
RL_DEV u64 along(const ResizeParams& p, int d, u64 i) {
    const u64 stride = p.input.stride[2 + d];
    return p.index64 ? i * stride : (u64)((u32)i * (u32)stride);
}

// Calls f(element, batch and channel's part of the input, coordinates) for the elements of the image.
template <class F>
RL_DEV void each(const ResizeParams& p, F f) {
    const u64 step = (u64)p.blocks * RL_BLOCK;
    for (u64 e = global_thread(); e < p.count; e += step) {
        u64 batch, channel, at[3];
        split5(e, p.channels, p.old_size, p.index64, batch, channel, at);
        f(e, (const RL_T*)p.input.ptr + (i64)offset(p.input, batch, channel), at);
    }
}

#if RL_WORD || RL_NUMERIC
// Elements of the output that a thread computes, which follow one another.
constexpr u32 SEVERAL = sizeof(RL_T) >= 16 ? 1 : sizeof(RL_T) == 8 ? 2 : sizeof(RL_T) == 4 ? 4 : 8;
// Computes the elements of the resized image. `row(part of the input, coordinates)`, for the coordinates of the first dimensions,
// returns a function of the last one.
template <class F>
RL_DEV void resize(const ResizeParams& p, F row) {
    const u64 step = (u64)p.blocks * RL_BLOCK, width = p.new_size[2], parts = (width + SEVERAL - 1) / SEVERAL;
    const u64 sizes[3] = {p.new_size[0], p.new_size[1], parts}, n = p.count / width * parts;
    const bool packs = p.aligned && width % SEVERAL == 0;
    for (u64 i = global_thread(); i < n; i += step) {
        u64 batch, channel, at[3];
        split5(i, p.channels, sizes, p.index64, batch, channel, at);
        const auto element = row((const RL_T*)p.input.ptr + (i64)offset(p.input, batch, channel), at);
        const u64 first = at[2] * SEVERAL;
        RL_T* out = (RL_T*)p.out + ((batch * p.channels + channel) * sizes[0] + at[0]) * sizes[1] * width + at[1] * width + first;
        if (packs) {
            Pack<RL_T, SEVERAL> all;
            for (u32 k = 0; k < SEVERAL; k++) all.v[k] = element(first + k);
            *(Pack<RL_T, SEVERAL>*)out = all;
        } else {
            for (u32 k = 0; k < SEVERAL && first + k < width; k++) out[k] = element(first + k);
        }
    }
}
#endif

#if RL_WORD
RL_DEV void upsample_nearest(const ResizeParams& p) {
    const u64 *z = taps_of<u64>(p, 0), *y = taps_of<u64>(p, 1), *x = taps_of<u64>(p, 2);
    resize(p, [&](const RL_T* plane, const u64 (&at)[3]) {
        const RL_T* line = plane + (i64)(along(p, 0, z[at[0]]) + along(p, 1, y[at[1]]));
        return [=, &p](u64 o) { return line[(i64)along(p, 2, x[o])]; };
    });
}
#endif

#if RL_FLOAT
RL_DEV void upsample_nearest_backward(const ResizeParams& p) {
    each(p, [&](u64 e, const RL_T* g, const u64 (&at)[3]) {
        u64 from[3], to[3];
        for (int d = 0; d < 3; d++) {
            const u64* nearest = taps_of<u64>(p, d);
            from[d] = first_position(p.new_size[d], [&](u64 o) { return nearest[o] >= at[d]; });
            to[d] = first_position(p.new_size[d], [&](u64 o) { return nearest[o] > at[d]; });
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

// The first of the two coordinates in the image around one of the resized image, and the weights of both. If the second one's
// weight is 0, its element is ignored, even if that is infinite.
struct Tap {
    u64 near;
    Mixed near_weight, far_weight;
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
    const f64 weight = at - (f64)t.near;
    t.near_weight = (Mixed)(1.0 - weight);
    t.far_weight = (Mixed)weight;
    return t;
}
// Returns the second coordinate around one of the resized image.
RL_DEV u64 far(const ResizeParams& p, int d, const Tap& t) { return t.near + 1 < p.old_size[d] ? t.near + 1 : t.near; }
RL_DEV Mixed mix(const Tap& t, Mixed near, Mixed far) {
    return t.far_weight == 0 ? near : near * t.near_weight + far * t.far_weight;
}

RL_DEV void upsample_bilinear(const ResizeParams& p) {
    const Tap *zs = taps_of<Tap>(p, 0), *ys = taps_of<Tap>(p, 1), *xs = taps_of<Tap>(p, 2);
    resize(p, [&](const RL_T* plane, const u64 (&at)[3]) {
        const Tap z = zs[at[0]], y = ys[at[1]];
        const u64 image[2] = {along(p, 0, z.near), along(p, 0, far(p, 0, z))};
        const u64 line[2] = {along(p, 1, y.near), along(p, 1, far(p, 1, y))};
        return [=, &p](u64 o) {
            const Tap x = xs[o];
            const u64 column[2] = {along(p, 2, x.near), along(p, 2, far(p, 2, x))};
            const auto value = [&](int i, int j) {
                const RL_T* from = plane + (i64)(image[i] + line[j]);
                return mix(x, Mix::load(from[(i64)column[0]]), Mix::load(from[(i64)column[1]]));
            };
            const auto whole = [&](int i) {
                const Mixed near = value(i, 0);
                return y.far_weight == 0 ? near : mix(y, near, value(i, 1));
            };
            const Mixed near = whole(0);
            return Mix::store(z.far_weight == 0 ? near : mix(z, near, whole(1)));
        };
    });
}
#endif

#if RL_FLOAT
RL_DEV void upsample_bilinear_backward(const ResizeParams& p) {
    const Tap* taps[3] = {taps_of<Tap>(p, 0), taps_of<Tap>(p, 1), taps_of<Tap>(p, 2)};
    each(p, [&](u64 e, const RL_T* g, const u64 (&at)[3]) {
        // The coordinates of the resized image whose near element is this element of the image or the one before.
        u64 from[3], to[3];
        for (int d = 0; d < 3; d++) {
            from[d] = first_position(p.new_size[d], [&](u64 o) { return taps[d][o].near + 1 >= at[d]; });
            to[d] = first_position(p.new_size[d], [&](u64 o) { return taps[d][o].near > at[d]; });
        }
        // Returns whether coordinate o of the resized image, in dimension d, reads this element of the image, and sets its
        // weight.
        const auto weighs = [&](u64 o, int d, Mixed& weight) {
            const Tap t = taps[d][o];
            weight = t.near == at[d] ? t.near_weight : t.far_weight;
            return t.near == at[d] || (t.far_weight != 0 && far(p, d, t) == at[d]);
        };
        Mixed sum = 0, image, row, column;
        for (u64 z = from[0]; z < to[0]; z++) {
            if (!weighs(z, 0, image)) continue;
            for (u64 y = from[1]; y < to[1]; y++) {
                if (!weighs(y, 1, row)) continue;
                for (u64 x = from[2]; x < to[2]; x++) {
                    if (!weighs(x, 2, column)) continue;
                    sum = sum + Mix::load(g[(i64)offset(p.input, z, y, x)]) * image * row * column;
                }
            }
        }
        ((RL_T*)p.out)[e] = from_acc<RL_T>(sum);
    });
}
#endif

}  // namespace rl

#if RL_WORD || RL_FLOAT
RL_KERNEL(upsample_nearest, taps)(rl::ResizeParams p) {
    rl::write_taps<rl::u64>(p, [&](int d, rl::u64 o) { return rl::nearest(p, d, o); });
}
#endif
#if RL_WORD
// The kernel only moves values, so RL_T is the unsigned integer of their size (c128 for 16 bytes).
RL_KERNEL(upsample_nearest, strided)(rl::ResizeParams p) { rl::upsample_nearest(p); }
#endif
#if RL_NUMERIC
RL_KERNEL(upsample_bilinear, taps)(rl::ResizeParams p) {
    rl::write_taps<rl::Tap>(p, [&](int d, rl::u64 o) { return rl::tap(p, d, o); });
}
RL_KERNEL(upsample_bilinear, strided)(rl::ResizeParams p) { rl::upsample_bilinear(p); }
#endif
#if RL_FLOAT
RL_KERNEL(upsample_nearest_backward, strided)(rl::ResizeParams p) { rl::upsample_nearest_backward(p); }
RL_KERNEL(upsample_bilinear_backward, strided)(rl::ResizeParams p) { rl::upsample_bilinear_backward(p); }
#endif
