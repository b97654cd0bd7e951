// fft: Fourier transforms of the complex numbers of a line. Lengths that are products of 2, 3, 5 and 7:
//   fft_roots   the roots of unity exp(-2 pi i k / n)
//   fft         one pass: transforms of `radix` elements in LDS. Stockham's order: after a pass with `done` elements before it, the
//               line holds transforms of done * radix elements, each with its elements side by side
// Other lengths become a convolution, which transforms of `length` elements compute (Bluestein: j k = (j^2 + k^2 - (k - j)^2) / 2):
//   fft_roots   the chirp exp(-pi i k^2 / n)
//   fft_wrap    the conjugate chirp, in both directions from element 0
//   fft_spread  the line times the chirp, and zeros
//   fft_product the transforms' product
//   fft_gather  the line's elements times the chirp
#include "complex.h"
#include "elementwise.h"

#if RL_COMPLEX
namespace rl {

using R = decltype(RL_T::re);

// Elements that a block transforms together, in twice as much LDS, and most transforms of a block.
constexpr u32 ELEMENTS = sizeof(RL_T) == 8 ? 1536 : 768, GROUP = RL_BLOCK;

RL_DEV RL_T scaled(RL_T v, R by) { return {v.re * by, v.im * by}; }
// i v, and -i v.
RL_DEV RL_T quarter(RL_T v, bool inverse) { return inverse ? RL_T{-v.im, v.re} : RL_T{v.im, -v.re}; }
// A root for the sign of the exponents.
RL_DEV RL_T signed_root(RL_T w, bool inverse) { return inverse ? conjugate(w) : w; }

// exp(-2 pi i k / n) for k < n, computed in f64: an eighth of a turn is reduced with integers, so x is exact but for two roundings.
RL_DEV RL_T root(u64 k, u64 n) {
    u64 rest;
    const u64 octant = div_mod(8 * k, n, rest);
    const bool back = octant & 1;
    const f64 x = div((f64)(back ? n - rest : rest), (f64)n) * 0.78539816339744830961566, z = x * x;
    const f64 sines[] = {1.0 / 355687428096000.0, 1.0 / -1307674368000.0, 1.0 / 6227020800.0, 1.0 / -39916800.0,
                         1.0 / 362880.0,          1.0 / -5040.0,          1.0 / 120.0,        1.0 / -6.0};
    const f64 cosines[] = {1.0 / -6402373705728000.0, 1.0 / 20922789888000.0, 1.0 / -87178291200.0,
                           1.0 / 479001600.0,         1.0 / -3628800.0,       1.0 / 40320.0,
                           1.0 / -720.0,              1.0 / 24.0,             1.0 / -2.0};
    f64 s = 0, c = 0;
    for (int i = 0; i < 8; i++) s = s * z + sines[i];
    for (int i = 0; i < 9; i++) c = c * z + cosines[i];
    s = x + x * (s * z);
    c = 1.0 + c * z;
    // The eighths 1, 2, 5 and 6 lie around the imaginary axis.
    const bool swapped = (octant + 1) & 2;
    const f64 re = swapped ? s : c, im = swapped ? c : s;
    const bool left = octant >= 2 && octant < 6, below = octant >= 4;
    return {(R)(left ? -re : re), (R)(below ? im : -im)};
}

// Transforms P elements, P odd: sums and differences of the elements j and P - j.
template <u32 P>
RL_DEV void transform_odd(RL_T (&v)[P], const f64 (&cosines)[P / 2], const f64 (&sines)[P / 2], bool inverse) {
    constexpr u32 H = P / 2;
    RL_T sums[H], turned[H];
#pragma unroll
    for (u32 j = 0; j < H; j++) {
        sums[j] = add(v[j + 1], v[P - 1 - j]);
        turned[j] = quarter(sub(v[j + 1], v[P - 1 - j]), inverse);
    }
    const RL_T first = v[0];
#pragma unroll
    for (u32 j = 0; j < H; j++) v[0] = add(v[0], sums[j]);
#pragma unroll
    for (u32 k = 1; k <= H; k++) {
        RL_T a = first, b = {0, 0};
#pragma unroll
        for (u32 j = 1; j <= H; j++) {
            const u32 m = j * k % P;
            const bool far = m > H;
            const u32 at = (far ? P - m : m) - 1;
            a = add(a, scaled(sums[j - 1], (R)cosines[at]));
            b = add(b, scaled(turned[j - 1], (R)(far ? -sines[at] : sines[at])));
        }
        v[k] = add(a, b);
        v[P - k] = sub(a, b);
    }
}
RL_DEV void transform(RL_T (&v)[3], bool inverse) {
    const f64 cosines[] = {-0.5}, sines[] = {0.86602540378443864676};
    transform_odd<3>(v, cosines, sines, inverse);
}
RL_DEV void transform(RL_T (&v)[5], bool inverse) {
    const f64 cosines[] = {0.30901699437494742410, -0.80901699437494742410};
    const f64 sines[] = {0.95105651629515357212, 0.58778525229247312917};
    transform_odd<5>(v, cosines, sines, inverse);
}
RL_DEV void transform(RL_T (&v)[7], bool inverse) {
    const f64 cosines[] = {0.62348980185873353053, -0.22252093395631440429, -0.90096886790241912624};
    const f64 sines[] = {0.78183148246802980871, 0.97492791218182360702, 0.43388373911755812048};
    transform_odd<7>(v, cosines, sines, inverse);
}
RL_DEV void transform(RL_T (&v)[2], bool) {
    const RL_T a = v[0];
    v[0] = add(a, v[1]);
    v[1] = sub(a, v[1]);
}
RL_DEV void transform(RL_T (&v)[4], bool inverse) {
    const RL_T a = add(v[0], v[2]), b = sub(v[0], v[2]), c = add(v[1], v[3]), d = quarter(sub(v[1], v[3]), inverse);
    v[0] = add(a, c);
    v[1] = add(b, d);
    v[2] = sub(a, c);
    v[3] = sub(b, d);
}
RL_DEV void transform(RL_T (&v)[8], bool inverse) {
    RL_T even[4] = {v[0], v[2], v[4], v[6]}, odd[4] = {v[1], v[3], v[5], v[7]};
    transform(even, inverse);
    transform(odd, inverse);
    // (1 - i) / sqrt 2 and (-1 - i) / sqrt 2, or their conjugates.
    const R half = (R)0.70710678118654752440;
    odd[1] = scaled(add(odd[1], quarter(odd[1], inverse)), half);
    odd[2] = quarter(odd[2], inverse);
    odd[3] = scaled(sub(quarter(odd[3], inverse), odd[3]), half);
#pragma unroll
    for (u32 k = 0; k < 4; k++) {
        v[k] = add(even[k], odd[k]);
        v[k + 4] = sub(even[k], odd[k]);
    }
}

// One step of the transforms in LDS, of `count` lines: transforms of P elements.
template <u32 P>
RL_DEV void step(const FftParams& p, const RL_T* from, RL_T* to, u32 count, u32 done) {
    const u32 length = (u32)p.radix, tasks = length / P;
    const u64 spacing = p.length / (done * P);
    const bool inverse = p.inverse;
    for (u32 e = thread(); e < count * tasks; e += RL_BLOCK) {
        const u32 line = e / tasks, j = e - line * tasks, block = j / done, at = j - block * done;
        RL_T v[P];
#pragma unroll
        for (u32 k = 0; k < P; k++) {
            v[k] = from[line * length + j + k * tasks];
            if (k > 0 && done > 1) {
                const RL_T w = ((const RL_T*)p.roots)[(u64)(at * k) * spacing];
                v[k] = mul(v[k], signed_root(w, inverse));
            }
        }
        transform(v, inverse);
#pragma unroll
        for (u32 k = 0; k < P; k++) to[line * length + (block * P + k) * done + at] = v[k];
    }
}

RL_DEV void pass(const FftParams& p) {
    __shared__ RL_T tile[2][ELEMENTS];
    __shared__ u64 starts[GROUP], ends[GROUP], turns[GROUP];
    const u32 me = thread(), length = (u32)p.radix;
    const u32 group = ELEMENTS / length < GROUP ? ELEMENTS / length : GROUP;
    // Transforms of this pass in a line, and of all lines.
    const u64 each = p.length / p.radix, total = p.lines * each;
    const u64 read = each * (p.first ? p.step : p.inner), write = p.done * p.inner;
    const u64 spacing = p.length / (p.done * p.radix);
    const bool rows_in = each == 1 && p.inner == 1, rows_out = p.done == 1 && p.inner == 1;
    const bool inverse = p.inverse;
    for (u64 b = (u64)block() * group; b < total; b += p.blocks * group) {
        const u32 count = (u32)(total - b < group ? total - b : group);
        if (me < count) {
            u64 beside, j, at;
            const u64 outer = div_mod(div_mod(b + me, p.inner, beside), each, j);
            const u64 block = div_mod(j, p.done, at);
            if (p.first) {
                u64 start[1];
                offsets(p.line_starts, outer * p.inner + beside, start);
                starts[me] = start[0] + j * p.step;
            } else {
                starts[me] = (outer * p.length + j) * p.inner + beside;
            }
            ends[me] = (outer * p.length + block * p.done * p.radix + at) * p.inner + beside;
            turns[me] = at * spacing;
        }
        sync();
        for (u32 e = me; e < count * length; e += RL_BLOCK) {
            const u32 q = e / (rows_in ? length : count), rest = e - q * (rows_in ? length : count);
            const u32 line = rows_in ? q : rest, r = rows_in ? rest : q;
            RL_T v = ((const RL_T*)p.input)[(i64)(starts[line] + r * read)];
            if (p.done > 1) v = mul(v, signed_root(((const RL_T*)p.roots)[turns[line] * r], inverse));
            tile[0][line * length + r] = v;
        }
        sync();
        u32 side = 0, done = 1;
#pragma unroll 1
        for (u64 factors = p.factors; factors; factors >>= 4) {
            const u32 factor = (u32)factors & 15;
            const RL_T* from = tile[side];
            RL_T* to = tile[side ^ 1];
            switch (factor) {
                case 2: step<2>(p, from, to, count, done); break;
                case 3: step<3>(p, from, to, count, done); break;
                case 4: step<4>(p, from, to, count, done); break;
                case 5: step<5>(p, from, to, count, done); break;
                case 7: step<7>(p, from, to, count, done); break;
                default: step<8>(p, from, to, count, done); break;
            }
            done *= factor;
            side ^= 1;
            sync();
        }
        for (u32 e = me; e < count * length; e += RL_BLOCK) {
            const u32 q = e / (rows_out ? length : count), rest = e - q * (rows_out ? length : count);
            const u32 line = rows_out ? q : rest, r = rows_out ? rest : q;
            RL_T v = tile[side][line * length + r];
            if (p.last) v = scaled(v, (R)p.scale);
            ((RL_T*)p.out)[ends[line] + r * write] = v;
        }
        sync();
    }
}

}  // namespace rl

RL_KERNEL(fft, tile)(rl::FftParams p) { rl::pass(p); }

RL_KERNEL(fft_roots, contig)(rl::FftParams p) {
    for (rl::u64 k = rl::global_thread(); k < p.length; k += p.blocks * RL_BLOCK) {
        rl::u64 square = k;
        if (p.chirp) rl::div_mod(k * k, 2 * p.length, square);
        ((rl::RL_T*)p.out)[k] = rl::root(square, p.chirp ? 2 * p.length : p.length);
    }
}

RL_KERNEL(fft_wrap, contig)(rl::FftParams p) {
    for (rl::u64 k = rl::global_thread(); k < p.length; k += p.blocks * RL_BLOCK) {
        rl::RL_T v = {0, 0};
        const rl::u64 back = p.length - k, at = k < p.count ? k : back;
        if (at < p.count) v = rl::conjugate(rl::signed_root(((const rl::RL_T*)p.roots)[at], p.inverse));
        ((rl::RL_T*)p.out)[k] = v;
    }
}

RL_KERNEL(fft_spread, strided)(rl::FftParams p) {
    for (rl::u64 e = rl::global_thread(); e < p.lines * p.length; e += p.blocks * RL_BLOCK) {
        rl::u64 k, start[1];
        const rl::u64 line = rl::div_mod(e, p.length, k);
        rl::RL_T v = {0, 0};
        if (k < p.count) {
            rl::offsets(p.line_starts, line, start);
            v = ((const rl::RL_T*)p.input)[(rl::i64)(start[0] + k * p.step)];
            v = rl::mul(v, rl::signed_root(((const rl::RL_T*)p.roots)[k], p.inverse));
        }
        ((rl::RL_T*)p.out)[e] = v;
    }
}

RL_KERNEL(fft_product, contig)(rl::FftParams p) {
    for (rl::u64 e = rl::global_thread(); e < p.lines * p.length; e += p.blocks * RL_BLOCK) {
        rl::u64 k;
        rl::div_mod(e, p.length, k);
        rl::RL_T* v = (rl::RL_T*)p.out + e;
        *v = rl::mul(*v, ((const rl::RL_T*)p.input)[k]);
    }
}

RL_KERNEL(fft_gather, contig)(rl::FftParams p) {
    for (rl::u64 e = rl::global_thread(); e < p.lines * p.count; e += p.blocks * RL_BLOCK) {
        rl::u64 beside, k;
        const rl::u64 outer = rl::div_mod(rl::div_mod(e, p.inner, beside), p.count, k);
        const rl::RL_T v = ((const rl::RL_T*)p.input)[(outer * p.inner + beside) * p.length + k];
        const rl::RL_T w = rl::signed_root(((const rl::RL_T*)p.roots)[k], p.inverse);
        ((rl::RL_T*)p.out)[e] = rl::scaled(rl::mul(v, w), (rl::R)p.scale);
    }
}
#endif
