// upsample: planes resized. A thread makes one element of the output; where values come from is worked out in f64, as on
// every device. A gradient is gathered from the places that took its value, in row-major order.
#include "planes.h"

namespace rl {

struct ResizeParams {
    Planes x;            // what is read: the image, or the gradient of the resized one
    u64 out;
    u64 n, channels;     // elements of the kernel's output
    u64 i[3], o[3];      // old and new sizes
    f64 factor[3];       // 0 where only sizes were given
    u32 blocks;
    u32 wide;            // 1: places need 64 bits
    u32 align;           // bilinear: 1 if corners keep their places
    u32 unused;
};

// --- nearest ---

// The old place that place o of dimension d takes its value from.
RL_DEV u64 nearest(const ResizeParams& p, int d, u64 o) {
    const u64 last = p.i[d] - 1;
    if (p.factor[d] > 0) {
        const f64 at = div((f64)o, p.factor[d]);
        return at < (f64)last ? (u64)at : last;
    }
    // floor(o i / size) without the product: i = q size + r, and o, r < size < 2^32.
    const u64 q = p.i[d] / p.o[d], r = p.i[d] % p.o[d];
    const u64 at = o * q + o * r / p.o[d];
    return at < last ? at : last;
}

// The first of `size` places for which a condition holds that stays true once it is.
template <class F>
RL_DEV u64 first_place(u64 size, F holds) {
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
    for (u64 e = global_thread(); e < p.n; e += step) {
        u64 batch, channel, at[3];
        split5(e, p.channels, size, p.wide, batch, channel, at);
        f(e, (const RL_T*)p.x.ptr + (i64)place(p.x, batch, channel), at);
    }
}

RL_DEV void upsample_nearest(const ResizeParams& p) {
    each(p, p.o, [&](u64 e, const RL_T* x, const u64 (&at)[3]) {
        ((RL_T*)p.out)[e] = x[(i64)place(p.x, nearest(p, 0, at[0]), nearest(p, 1, at[1]), nearest(p, 2, at[2]))];
    });
}

#if RL_FLOAT
RL_DEV void upsample_nearest_backward(const ResizeParams& p) {
    each(p, p.i, [&](u64 e, const RL_T* g, const u64 (&at)[3]) {
        u64 from[3], to[3];
        for (int d = 0; d < 3; d++) {
            from[d] = first_place(p.o[d], [&](u64 o) { return nearest(p, d, o) >= at[d]; });
            to[d] = first_place(p.o[d], [&](u64 o) { return nearest(p, d, o) > at[d]; });
        }
        acc_t<RL_T> sum = 0;
        for (u64 a = from[0]; a < to[0]; a++) {
            for (u64 b = from[1]; b < to[1]; b++) {
                for (u64 c = from[2]; c < to[2]; c++) sum = sum + acc<RL_T>(g[(i64)place(p.x, a, b, c)]);
            }
        }
        ((RL_T*)p.out)[e] = from_acc<RL_T>(sum);
    });
}
#endif

// --- bilinear ---

#if RL_NUMERIC
// What is mixed, and how it rounds back: f64 for integers.
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

// The two old places around a new one, and their shares.
struct Tap {
    u64 near, far;
    Mixed share, rest;  // of the near and of the far one
    bool whole;         // the far one has none
};
RL_DEV Tap tap(const ResizeParams& p, int d, u64 o) {
    const u64 last = p.i[d] - 1;
    const f64 place = (f64)o;
    f64 at;
    if (p.align) at = p.o[d] > 1 ? div(place * (f64)last, (f64)(p.o[d] - 1)) : 0.0;
    else if (p.factor[d] > 0) at = div(place + 0.5, p.factor[d]) - 0.5;
    else at = div((place + 0.5) * (f64)p.i[d], (f64)p.o[d]) - 0.5;
    if (at < 0) at = 0;
    if (at > (f64)last) at = (f64)last;
    Tap t;
    t.near = (u64)at;
    t.far = t.near < last ? t.near + 1 : last;
    const f64 weight = at - (f64)t.near;
    t.share = (Mixed)(1.0 - weight);
    t.rest = (Mixed)weight;
    t.whole = weight == 0;
    return t;
}
// A far value without a share does not count, even if it is infinite.
RL_DEV Mixed mix(const Tap& t, Mixed near, Mixed far) { return t.whole ? near : near * t.share + far * t.rest; }

RL_DEV void upsample_bilinear(const ResizeParams& p) {
    each(p, p.o, [&](u64 e, const RL_T* x, const u64 (&at)[3]) {
        const Tap r = tap(p, 1, at[1]), c = tap(p, 2, at[2]);
        const auto value = [&](u64 y, u64 x0) { return Mix::load(x[(i64)place(p.x, 0, y, x0)]); };
        const auto row = [&](u64 y) { return mix(c, value(y, c.near), value(y, c.far)); };
        const Mixed near = row(r.near);
        ((RL_T*)p.out)[e] = Mix::store(r.whole ? near : mix(r, near, row(r.far)));
    });
}
#endif

#if RL_FLOAT
RL_DEV void upsample_bilinear_backward(const ResizeParams& p) {
    each(p, p.i, [&](u64 e, const RL_T* g, const u64 (&at)[3]) {
        // New places whose near place is this one or the one before.
        u64 from[3], to[3];
        for (int d = 1; d < 3; d++) {
            from[d] = first_place(p.o[d], [&](u64 o) { return tap(p, d, o).near + 1 >= at[d]; });
            to[d] = first_place(p.o[d], [&](u64 o) { return tap(p, d, o).near > at[d]; });
        }
        Mixed sum = 0;
        for (u64 y = from[1]; y < to[1]; y++) {
            const Tap r = tap(p, 1, y);
            const bool upper = r.near == at[1];
            if (!upper && (r.whole || r.far != at[1])) continue;
            for (u64 x = from[2]; x < to[2]; x++) {
                const Tap c = tap(p, 2, x);
                const bool left = c.near == at[2];
                if (!left && (c.whole || c.far != at[2])) continue;
                Mixed v = Mix::load(g[(i64)place(p.x, 0, y, x)]) * (upper ? r.share : r.rest);
                if (!c.whole) v = v * (left ? c.share : c.rest);
                sum = sum + v;
            }
        }
        ((RL_T*)p.out)[e] = from_acc<RL_T>(sum);
    });
}
#endif

}  // namespace rl

RL_CHECK_PARAMS(rl::ResizeParams, RL_SIZEOF_ResizeParams);

RL_KERNEL(upsample_nearest, s)(rl::ResizeParams p) { rl::upsample_nearest(p); }
#if RL_NUMERIC
RL_KERNEL(upsample_bilinear, s)(rl::ResizeParams p) { rl::upsample_bilinear(p); }
#endif
#if RL_FLOAT
RL_KERNEL(upsample_nearest_backward, s)(rl::ResizeParams p) { rl::upsample_nearest_backward(p); }
RL_KERNEL(upsample_bilinear_backward, s)(rl::ResizeParams p) { rl::upsample_bilinear_backward(p); }
#endif
