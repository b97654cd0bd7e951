// random: random numbers and dropout, bit for bit as in docs/NUMERICS.md: Philox4x32-10 with the key (seed, draw); one block of
// the generator makes a few neighbouring elements. Only + - * /, sqrt, shifts and conversions, which round correctly, are used.
#include "elementwise.h"
#include "philox.h"

#ifdef RL_T_IS_f8e4m3
#define RL_F8 1
#else
#define RL_F8 0
#endif

namespace rl {


RL_DEV Drawn philox(const RandomParams& d, u64 b) { return philox(d.seed, d.draw, b); }

#if !RL_BOOL
// Two words as one number, the first one low.
RL_DEV u64 pair(const Drawn& w, int j) { return (u64)w.w[2 * j] | (u64)w.w[2 * j + 1] << 32; }

#endif

#if RL_INT
// Returns the upper half of a product of 64 bits by 64.
RL_DEV u64 high_product(u64 a, u64 b) {
    const u64 al = (u32)a, ah = a >> 32, bl = (u32)b, bh = b >> 32;
    const u64 low = al * bl, m1 = ah * bl + (low >> 32), m2 = al * bh + (u32)m1;
    return ah * bh + (m1 >> 32) + (m2 >> 32);
}
#endif

// Writes block(0), block(1), .. to the elements in row-major order, K each.
template <int K, class T, class F>
RL_DEV void draw(const ElementwiseParams<1, RandomParams>& p, F block_of) {
    const u64 n = p.iter.count, blocks = (n + K - 1) / K;
    T* out = rl::out<T>(p);
    const bool packed = p.ptr[0] % sizeof(Pack<T, K>) == 0 && p.iter.rank == 1 && p.iter.strides[0][0] == 1;
    for (u64 b = global_thread(); b < blocks; b += (u64)p.iter.blocks * RL_BLOCK) {
        const Pack<T, K> v = block_of(b);
        if (packed && b * K + K <= n) {
            ((Pack<T, K>*)out)[b] = v;
            continue;
        }
        for (int j = 0; j < K; j++) {
            if (b * K + j < n) {
                u64 at[1];
                offsets(p.iter, b * K + j, at);
                out[(i64)at[0]] = v.v[j];
            }
        }
    }
}

#if RL_FLOAT || RL_F8

// A polynomial by Horner's rule from 0, the coefficients highest first.
template <class R, int K>
RL_DEV R horner(const R (&c)[K], R z) {
    R p = 0;
    for (int i = 0; i < K; i++) p = p * z + c[i];
    return p;
}

template <class R>
struct box;
template <>
struct box<f32> {
    using W = u32;
    using S = i32;
    static constexpr int bits = 32, mantissa = 23, bias = 127;
    static constexpr f32 ln2_high = 355.0f / 512.0f, ln2_low = -2.1219444e-4f, root2 = (f32)1.4142135623730951;
    static constexpr f32 half_turn = (f32)(3.141592653589793 / 2147483648.0), unit = 0.5f / 2147483648.0f;
    static RL_FN f32 ln_series(f32 z) {
        const f32 c[] = {2.0f / 9.0f, 2.0f / 7.0f, 2.0f / 5.0f, 2.0f / 3.0f};
        return horner(c, z);
    }
    static RL_FN f32 sin_series(f32 z) {
        const f32 c[] = {1.0f / 362880.0f, 1.0f / -5040.0f, 1.0f / 120.0f, 1.0f / -6.0f};
        return horner(c, z);
    }
    static RL_FN f32 cos_series(f32 z) {
        const f32 c[] = {1.0f / -3628800.0f, 1.0f / 40320.0f, 1.0f / -720.0f, 1.0f / 24.0f, 1.0f / -2.0f};
        return horner(c, z);
    }
};
template <>
struct box<f64> {
    using W = u64;
    using S = i64;
    static constexpr int bits = 64, mantissa = 52, bias = 1023;
    static constexpr f64 ln2_high = 0.6931471803691238, ln2_low = 1.9082149292705877e-10, root2 = 1.4142135623730951;
    static constexpr f64 half_turn = 3.141592653589793 / 9223372036854775808.0, unit = 0.5 / 9223372036854775808.0;
    static RL_FN f64 ln_series(f64 z) {
        const f64 c[] = {2.0 / 23.0, 2.0 / 21.0, 2.0 / 19.0, 2.0 / 17.0, 2.0 / 15.0, 2.0 / 13.0,
                         2.0 / 11.0, 2.0 / 9.0,  2.0 / 7.0,  2.0 / 5.0,  2.0 / 3.0};
        return horner(c, z);
    }
    static RL_FN f64 sin_series(f64 z) {
        const f64 c[] = {1.0 / 355687428096000.0, 1.0 / -1307674368000.0, 1.0 / 6227020800.0, 1.0 / -39916800.0,
                         1.0 / 362880.0,          1.0 / -5040.0,          1.0 / 120.0,        1.0 / -6.0};
        return horner(c, z);
    }
    static RL_FN f64 cos_series(f64 z) {
        const f64 c[] = {1.0 / -6402373705728000.0, 1.0 / 20922789888000.0, 1.0 / -87178291200.0,
                         1.0 / 479001600.0,         1.0 / -3628800.0,       1.0 / 40320.0,
                         1.0 / -720.0,              1.0 / 24.0,             1.0 / -2.0};
        return horner(c, z);
    }
};

// The natural logarithm of u in (0, 1].
template <class R>
RL_DEV R unit_ln(R u) {
    using B = box<R>;
    using W = typename B::W;
    const W b = bits_as<W>(u);
    R e = (R)((i32)(b >> B::mantissa) - B::bias);
    R m = bits_as<R>((b & (((W)1 << B::mantissa) - 1)) | (W)B::bias << B::mantissa);
    if (m > B::root2) {
        m = m * (R)0.5;
        e = e + 1;
    }
    const R s = div(m - 1, m + 1), z = s * s;
    const R series = s * 2 + s * (B::ln_series(z) * z);
    return e * B::ln2_high + (e * B::ln2_low + series);
}

// Two standard normal numbers of two words (Box and Muller 1958).
template <class R>
RL_DEV void normals(typename box<R>::W a, typename box<R>::W b, R& first, R& second) {
    using B = box<R>;
    using W = typename B::W;
    const R u = ((R)a + 1) * B::unit;
    const R r = sqrt(unit_ln(u) * (R)-2);
    const W q = (W)(b + ((W)1 << (B::bits - 3))) >> (B::bits - 2);
    const R x = (R)(typename B::S)(b - (q << (B::bits - 2))) * B::half_turn;
    const R z = x * x;
    const R sin = x + x * (B::sin_series(z) * z), cos = 1 + B::cos_series(z) * z;
    const R c = q == 0 ? cos : q == 1 ? -sin : q == 2 ? -cos : sin;
    const R s = q == 0 ? sin : q == 1 ? cos : q == 2 ? -sin : -cos;
    first = r * c;
    second = r * s;
}

#if !RL_F8
RL_DEV RL_T nearest(acc_t<RL_T> v) { return from_acc<RL_T>(v); }
RL_DEV acc_t<RL_T> value_of(RL_T v) { return acc<RL_T>(v); }
#else
RL_DEV RL_T nearest(f32 v) { return f8_from_f64((f64)v); }
RL_DEV f32 value_of(RL_T v) { return f8_to_f32(v); }
#endif

// Returns the next number of T below; not used for f32 and f64, whose results are not rounded to T.
template <class T>
RL_DEV T below(T t) {
    if constexpr (is_float<T>::value) {
        return t;
    } else {
        constexpr u32 sign = 1u << (8 * sizeof(T) - 1);
        const u32 b = t.bits;
        t.bits = (decltype(t.bits))(b == 0 ? sign | 1 : (b & sign) ? b + 1 : b - 1);
        return t;
    }
}

// Clamps the number between the ends, then rounds it down, so that no number rounds up to the upper end.
template <class R>
RL_DEV RL_T held(const RandomParams& d, R v) {
    const R least = (R)d.least, greatest = (R)d.greatest;
    v = v < least ? least : v > greatest ? greatest : v;
    const RL_T t = nearest(v);
    return value_of(t) <= v ? t : below(t);
}
#endif

}  // namespace rl

#if RL_FLOAT || RL_F8
RL_KERNEL(rand, strided)(rl::ElementwiseParams<1, rl::RandomParams> p) {
    using namespace rl;
    const RandomParams& d = p.extra;
    if constexpr (same<RL_T, f64>::value) {
        draw<2, RL_T>(p, [&](u64 b) {
            const Drawn w = philox(d, b);
            Pack<RL_T, 2> v;
            for (int j = 0; j < 2; j++) {
                const f64 u = (f64)(pair(w, j) >> 11) * (1.0 / 9007199254740992.0);
                v.v[j] = held(d, d.shift + d.scale * u);
            }
            return v;
        });
    } else {
        const f32 low = (f32)d.shift, width = (f32)d.scale;
        draw<4, RL_T>(p, [&](u64 b) {
            const Drawn w = philox(d, b);
            Pack<RL_T, 4> v;
            for (int j = 0; j < 4; j++) v.v[j] = held(d, low + width * ((f32)(w.w[j] >> 8) * (1.0f / 16777216.0f)));
            return v;
        });
    }
}
RL_KERNEL(randn, strided)(rl::ElementwiseParams<1, rl::RandomParams> p) {
    using namespace rl;
    const RandomParams& d = p.extra;
    if constexpr (same<RL_T, f64>::value) {
        draw<2, RL_T>(p, [&](u64 b) {
            const Drawn w = philox(d, b);
            Pack<RL_T, 2> v;
            f64 z[2];
            normals<f64>(pair(w, 0), pair(w, 1), z[0], z[1]);
            for (int j = 0; j < 2; j++) v.v[j] = nearest(d.shift + d.scale * z[j]);
            return v;
        });
    } else {
        const f32 mean = (f32)d.shift, std = (f32)d.scale;
        draw<4, RL_T>(p, [&](u64 b) {
            const Drawn w = philox(d, b);
            Pack<RL_T, 4> v;
            f32 z[4];
            normals<f32>(w.w[0], w.w[1], z[0], z[1]);
            normals<f32>(w.w[2], w.w[3], z[2], z[3]);
            for (int j = 0; j < 4; j++) v.v[j] = nearest(mean + std * z[j]);
            return v;
        });
    }
}
#endif

#if RL_INT
// For ranges of up to 2^32 numbers.
RL_KERNEL(randint, strided)(rl::ElementwiseParams<1, rl::RandomParams> p) {
    using namespace rl;
    const RandomParams& d = p.extra;
    draw<2, RL_T>(p, [&](u64 b) {
        const Drawn w = philox(d, b);
        Pack<RL_T, 2> v;
        for (int j = 0; j < 2; j++) v.v[j] = (RL_T)(d.int_low + high_product(pair(w, j), d.int_span));
        return v;
    });
}
#if RL_BYTES == 8
// For larger ranges.
RL_KERNEL(randint_large, strided)(rl::ElementwiseParams<1, rl::RandomParams> p) {
    using namespace rl;
    const RandomParams& d = p.extra;
    draw<1, RL_T>(p, [&](u64 b) {
        const Drawn w = philox(d, b);
        const u64 low = pair(w, 0), high = pair(w, 1);
        u64 v = high;
        if (d.int_span != 0) {
            const u64 carried = high * d.int_span + high_product(low, d.int_span);
            v = high_product(high, d.int_span) + (carried < high * d.int_span ? 1 : 0);
        }
        return Pack<RL_T, 1>{{(RL_T)(d.int_low + v)}};
    });
}
#endif
#endif

#if RL_NUMERIC || RL_BOOL
RL_KERNEL(bernoulli, strided)(rl::ElementwiseParams<1, rl::RandomParams> p) {
    using namespace rl;
    const RandomParams& d = p.extra;
    draw<4, RL_T>(p, [&](u64 b) {
        const Drawn w = philox(d, b);
        Pack<RL_T, 4> v;
        for (int j = 0; j < 4; j++) {
            const bool yes = w.w[j] < d.threshold;
#if RL_BOOL
            v.v[j] = boolean{(u8)yes};
#else
            v.v[j] = from_acc<RL_T>((acc_t<RL_T>)(yes ? 1 : 0));
#endif
        }
        return v;
    });
}
#endif

#if RL_FLOAT
RL_KERNEL(dropout, strided)(rl::ElementwiseParams<2, rl::RandomParams> p) {
    using namespace rl;
    using A = acc_t<RL_T>;
    using P = Pack<RL_T, 4>;
    const RandomParams& d = p.extra;
    const A keep = (A)d.scale;
    const u64 n = p.iter.count, blocks = (n + 3) / 4;
    RL_T* o = out<RL_T>(p);
    const RL_T* x = in<RL_T>(p, 0);
    const bool packed = (p.ptr[0] | p.ptr[1]) % sizeof(P) == 0 && p.iter.rank == 1 && p.iter.strides[0][0] == 1 &&
                        p.iter.strides[1][0] == 1;
    for (u64 b = global_thread(); b < blocks; b += (u64)p.iter.blocks * RL_BLOCK) {
        const Drawn w = philox(d, b);
        if (packed && b * 4 + 4 <= n) {
            P v = ((const P*)x)[b];
            for (int j = 0; j < 4; j++) v.v[j] = from_acc<RL_T>(acc<RL_T>(v.v[j]) * (w.w[j] < d.threshold ? keep : (A)0));
            ((P*)o)[b] = v;
            continue;
        }
        for (int j = 0; j < 4; j++) {
            if (b * 4 + j < n) {
                u64 at[2];
                offsets(p.iter, b * 4 + j, at);
                o[(i64)at[0]] = from_acc<RL_T>(acc<RL_T>(x[(i64)at[1]]) * (w.w[j] < d.threshold ? keep : (A)0));
            }
        }
    }
}
// Computes dropout of x + bias; the sum is not rounded before. Each thread draws for four neighbouring elements.
RL_KERNEL(bias_dropout, strided)(rl::ElementwiseParams<3, rl::RandomParams> p) {
    using namespace rl;
    using A = acc_t<RL_T>;
    const RandomParams& d = p.extra;
    const A keep = (A)d.scale;
    const u64 n = p.iter.count, blocks = (n + 3) / 4;
    for (u64 b = global_thread(); b < blocks; b += (u64)p.iter.blocks * RL_BLOCK) {
        const Drawn w = philox(d, b);
        for (int j = 0; j < 4; j++) {
            if (b * 4 + j < n) {
                u64 at[3];
                offsets(p.iter, b * 4 + j, at);
                const A v = acc<RL_T>(in<RL_T>(p, 0)[(i64)at[1]]) + acc<RL_T>(in<RL_T>(p, 1)[(i64)at[2]]);
                out<RL_T>(p)[(i64)at[0]] = from_acc<RL_T>(v * (w.w[j] < d.threshold ? keep : (A)0));
            }
        }
    }
}
#endif
