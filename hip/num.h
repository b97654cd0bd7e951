// num.h: element types, the types that ops compute in, conversions between dtypes, and arithmetic with the library's rules
// (docs/NUMERICS.md): integers wrap, x / 0 is 0 for integers, NaN wins in max and min, float -> int saturates.
#pragma once
#include "port.h"

namespace rl {

template <class A, class B>
struct same {
    static constexpr bool value = false;
};
template <class A>
struct same<A, A> {
    static constexpr bool value = true;
};

// The type that arithmetic on T is done in.
template <class T>
struct acc_of {
    using type = T;
};
template <>
struct acc_of<f16> {
    using type = f32;
};
template <>
struct acc_of<bf16> {
    using type = f32;
};
template <class T>
using acc_t = typename acc_of<T>::type;

template <class T>
struct is_float {
    static constexpr bool value = same<T, f32>::value || same<T, f64>::value;
};
template <class T>
struct is_signed {
    static constexpr bool value = same<T, i8>::value || same<T, i16>::value || same<T, i32>::value ||
                                  same<T, i64>::value || is_float<T>::value;
};
template <class T>
struct is_int {
    static constexpr bool value = same<T, u8>::value || same<T, i8>::value || same<T, u16>::value ||
                                  same<T, i16>::value || same<T, u32>::value || same<T, i32>::value ||
                                  same<T, u64>::value || same<T, i64>::value;
};

// --- narrow floats ---

RL_DEV f32 widen(bf16 v) { return bits_as<f32>((u32)v.bits << 16); }
RL_DEV f32 widen(f16 v) { return f16_to_f32(v); }

RL_DEV bf16 bf16_from_f32(f32 v) {
    const u32 b = bits_as<u32>(v);
    if (is_nan(v)) return bf16{(u16)((b >> 16) | 0x40u)};
    // Adds half a unit in the last place, or one bit less if the kept part is even, so that ties go to even.
    return bf16{(u16)((b + 0x7fffu + ((b >> 16) & 1u)) >> 16)};
}
// Converts f64 to f32, rounding to odd: the last bit is set if digits were lost, so rounding again to 16 bits rounds once.
RL_DEV f32 to_odd(f64 v) {
    if (is_nan(v)) return (f32)v;
    f32 r = (f32)v;
    if ((f64)r != v && !(bits_as<u32>(r) & 1u)) {
        const u32 b = bits_as<u32>(r);
        const bool up = fabs((f64)r) > fabs(v);
        r = bits_as<f32>(up ? b - 1u : b + 1u);
    }
    return r;
}

RL_DEV f32 f8_to_f32(f8e4m3 v) {
    const u32 sign = (u32)(v.bits & 0x80u) << 24, e = (v.bits >> 3) & 15u, m = v.bits & 7u;
    if (e == 15u && m == 7u) return bits_as<f32>(sign | 0x7fc00000u);
    if (e == 0u) {
        const f32 small = (f32)m * 0.001953125f;  // m * 2^-9
        return sign ? -small : small;
    }
    return bits_as<f32>(sign | ((e + 120u) << 23) | (m << 20));
}

// Rounds to nearest, ties to even; numbers that are too large become the largest, 448.
RL_DEV f8e4m3 f8_from_f64(f64 v) {
    const u8 sign = (u8)((bits_as<u64>(v) >> 56) & 0x80u);
    if (is_nan(v)) return f8e4m3{(u8)(sign | 0x7fu)};
    const f64 a = fabs(v);
    if (a >= 448.0) return f8e4m3{(u8)(sign | 0x7eu)};
    if (a < 0.015625) return f8e4m3{(u8)(sign | (u8)round_even(a * 512.0))};  // below 2^-6: steps of 2^-9
    i32 e = (i32)((bits_as<u64>(a) >> 52) & 0x7ffu) - 1023;
    const f64 step = bits_as<f64>((u64)(e - 3 + 1023) << 52);
    u32 q = (u32)round_even(a / step);  // q is 8 to 16; the division is exact
    if (q == 16u) {
        q = 8u;
        e++;
    }
    return f8e4m3{(u8)(sign | ((u32)(e + 7) << 3) | (q - 8u))};
}

// --- to and from the type ops compute in ---

template <class T>
RL_DEV T widen(T v) {
    return v;
}
RL_DEV f64 to_f64(bf16 v) { return (f64)widen(v); }
RL_DEV f64 to_f64(f16 v) { return (f64)widen(v); }
RL_DEV f64 to_f64(f8e4m3 v) { return (f64)f8_to_f32(v); }
template <class R>
RL_DEV f64 to_f64(complex<R> v) {
    return (f64)v.re;
}
template <class T>
RL_DEV f64 to_f64(T v) {
    return (f64)v;
}
template <class T>
struct narrow_to {
    static RL_FN T from(T v) { return v; }
};
template <>
struct narrow_to<f16> {
    static RL_FN f16 from(f32 v) { return f16_from_f32(v); }
};
template <>
struct narrow_to<bf16> {
    static RL_FN bf16 from(f32 v) { return bf16_from_f32(v); }
};
// acc(x) converts to the type that ops compute in, and from_acc<T>(a) rounds back, as in the CPU's kernels.
template <class T>
RL_DEV acc_t<T> acc(T v) {
    return widen(v);
}
template <class T>
RL_DEV T from_acc(acc_t<T> v) {
    return narrow_to<T>::from(v);
}

// --- arithmetic ---

template <class A>
struct unsigned_of {
    using type = A;
};
template <>
struct unsigned_of<i8> {
    using type = u8;
};
template <>
struct unsigned_of<i16> {
    using type = u16;
};
template <>
struct unsigned_of<i32> {
    using type = u32;
};
template <>
struct unsigned_of<i64> {
    using type = u64;
};

// Integers wrap: computed unsigned and wide enough that nothing overflows in `int`.
template <class A>
RL_DEV A add(A a, A b) {
    if constexpr (is_float<A>::value) return a + b;
    else return (A)(typename unsigned_of<A>::type)((u64)a + (u64)b);
}
template <class A>
RL_DEV A sub(A a, A b) {
    if constexpr (is_float<A>::value) return a - b;
    else return (A)(typename unsigned_of<A>::type)((u64)a - (u64)b);
}
template <class A>
RL_DEV A mul(A a, A b) {
    if constexpr (is_float<A>::value) return a * b;
    else return (A)(typename unsigned_of<A>::type)((u64)a * (u64)b);
}
template <class A>
RL_DEV A neg(A a) {
    if constexpr (is_float<A>::value) return -a;
    else return sub<A>((A)0, a);
}
template <class A>
RL_DEV bool nan(A a) {
    if constexpr (is_float<A>::value) return is_nan(a);
    else return false;
}
template <class A>
RL_DEV A div(A a, A b) {
    if constexpr (is_float<A>::value) {
#if defined(RL_CUDA)
        if constexpr (same<A, f32>::value) return __fdiv_rn(a, b);
        else return __ddiv_rn(a, b);
#else
        return a / b;
#endif
    } else {
        if (b == 0) return 0;
        if constexpr (is_signed<A>::value) {
            if (b == (A)-1) return neg(a);  // MIN / -1, the only quotient that overflows, wraps
        }
        return (A)(a / b);
    }
}
template <class A>
RL_DEV A int_rem(A a, A b) {
    if constexpr (is_signed<A>::value) {
        if (b == (A)-1) return 0;
    }
    return (A)(a % b);
}
// Remainder with the divisor's sign, as Python's %.
template <class A>
RL_DEV A rem(A a, A b) {
    if constexpr (is_float<A>::value) {
        const A r = fmod(a, b);
        if (is_nan(r)) return r;
        if (r != 0) return (r < 0) != (b < 0) ? r + b : r;
        return copysign((A)0, b);
    } else {
        if (b == 0) return 0;
        const A r = int_rem(a, b);
        return r != 0 && (r < 0) != (b < 0) ? add(r, b) : r;
    }
}
// Quotient rounded down, as Python's //.
template <class A>
RL_DEV A floor_div(A a, A b) {
    if constexpr (is_float<A>::value) {
        if (b == 0 || is_inf(a) || is_inf(b)) return floor(div(a, b));
        const A m = fmod(a, b);
        A q = div(a - m, b);
        if (m != 0 && (m < 0) != (b < 0)) q -= 1;
        if (q == 0) return copysign((A)0, div(a, b));
        const A f = floor(q);
        return q - f > (A)0.5 ? f + 1 : f;
    } else {
        if (b == 0) return 0;
        const A q = div(a, b);
        return int_rem(a, b) != 0 && (a < 0) != (b < 0) ? sub(q, (A)1) : q;
    }
}
template <class A>
RL_DEV A power(A a, A b) {
    if constexpr (is_float<A>::value) {
        return pow(a, b);
    } else {
        if (b < 0) {
            if (a == 1) return 1;
            if (is_signed<A>::value && a == (A)-1) return b % 2 == 0 ? (A)1 : a;
            return 0;
        }
        A r = 1;
        for (typename unsigned_of<A>::type e = b; e; e >>= 1) {
            if (e & 1) r = mul(r, a);
            a = mul(a, a);
        }
        return r;
    }
}
template <class A>
RL_DEV A maximum(A a, A b) {
    return nan(a) || a >= b ? a : b;
}
template <class A>
RL_DEV A minimum(A a, A b) {
    return nan(a) || a <= b ? a : b;
}
// Negative infinity.
template <class A>
RL_DEV A lowest() {
    if constexpr (same<A, f32>::value) return bits_as<f32>(0xff800000u);
    else return bits_as<f64>((u64)0xfff0000000000000ull);
}
template <class A>
RL_DEV A absolute(A a) {
    if constexpr (is_float<A>::value) return fabs(a);
    else return a < 0 ? neg(a) : a;
}
template <class A>
RL_DEV A sign(A a) {
    if constexpr (is_float<A>::value) return a > 0 ? (A)1 : a < 0 ? (A)-1 : is_nan(a) ? a : (A)0;
    else return a > 0 ? (A)1 : a < 0 ? neg((A)1) : (A)0;
}

// Returns the quotient and sets the remainder of indices, which fit in 32 bits unless `index64`.
RL_DEV u64 div_mod(u64 a, u64 b, bool index64, u64& remainder) {
    if (!index64) {
        const u32 q = (u32)a / (u32)b;
        remainder = (u32)a - q * (u32)b;
        return q;
    }
    const u64 q = a / b;
    remainder = a - q * b;
    return q;
}
// Does the same; takes the 32-bit path if both numbers fit in 32 bits.
RL_DEV u64 div_mod(u64 a, u64 b, u64& remainder) { return div_mod(a, b, ((a | b) >> 32) != 0, remainder); }

// --- conversions between dtypes: Rust's `as`, rounded once ---

// Truncates and saturates; NaN gives 0.
template <class I>
RL_DEV I int_from_f64(f64 v) {
    constexpr bool s = is_signed<I>::value;
    constexpr int bits = 8 * sizeof(I);
    constexpr I low = s ? (I)((u64)1 << (bits - 1)) : (I)0;
    constexpr I high = (I)~low;
    if (is_nan(v)) return 0;
    if (v <= (f64)low) return low;
    // The largest 64-bit integers round up to a power of two, which is out of range.
    if (v >= (f64)high) return high;
    return (I)v;
}
// Converts an integer to f64, rounding to odd, so that rounding again to fewer bits rounds once.
template <class I>
RL_DEV f64 f64_odd_from_int(I v) {
    const bool minus = v < 0;
    u64 m = minus ? (u64)0 - (u64)(i64)v : (u64)v;
    u32 shift = 0;
    u64 lost = 0;
    while (m >> 53) {
        lost |= m & 1u;
        m >>= 1;
        shift++;
    }
    const f64 r = (f64)(m | lost) * (f64)((u64)1 << shift);
    return minus ? -r : r;
}

template <class D>
struct from {
    static RL_FN D real(f64 v) { return int_from_f64<D>(v); }
    template <class I>
    static RL_FN D integer(I v) {
        return (D)v;
    }
};
template <>
struct from<boolean> {
    static RL_FN boolean real(f64 v) { return boolean{(u8)(v != 0)}; }
    template <class I>
    static RL_FN boolean integer(I v) {
        return boolean{(u8)(v != 0)};
    }
};
#define RL_FROM_FLOAT(D, narrow, exact)                 \
    template <>                                         \
    struct from<D> {                                    \
        static RL_FN D real(f64 v) { return narrow; }   \
        template <class I>                              \
        static RL_FN D integer(I i) {                   \
            return exact;                               \
        }                                               \
    };
RL_FROM_FLOAT(f64, v, (f64)i)
RL_FROM_FLOAT(f32, (f32)v, (f32)i)
RL_FROM_FLOAT(f16, f16_from_f32(to_odd(v)), real(f64_odd_from_int(i)))
RL_FROM_FLOAT(bf16, bf16_from_f32(to_odd(v)), real(f64_odd_from_int(i)))
RL_FROM_FLOAT(f8e4m3, f8_from_f64(v), real(f64_odd_from_int(i)))
RL_FROM_FLOAT(c64, (c64{(f32)v, 0.0f}), (c64{(f32)i, 0.0f}))
RL_FROM_FLOAT(c128, (c128{v, 0.0}), (c128{(f64)i, 0.0}))

template <class T>
struct is_complex {
    static constexpr bool value = same<T, c64>::value || same<T, c128>::value;
};
// Floats that f32 holds exactly. Casts between them round once without f64, which is slow on many targets.
template <class T>
struct is_f32_at_most {
    static constexpr bool value = same<T, f32>::value || same<T, f16>::value || same<T, bf16>::value;
};
// Complex numbers keep both parts as complex ones, and their real part otherwise.
template <class D, class S>
RL_DEV D convert(S v) {
    if constexpr (is_complex<S>::value && same<D, boolean>::value) return boolean{(u8)(v.re != 0 || v.im != 0)};
    else if constexpr (is_complex<S>::value && same<D, c64>::value) return c64{(f32)v.re, (f32)v.im};
    else if constexpr (is_complex<S>::value && same<D, c128>::value) return c128{(f64)v.re, (f64)v.im};
    else if constexpr (is_int<S>::value) return from<D>::integer(v);
    else if constexpr (same<S, boolean>::value) return from<D>::integer(v.bits);
    else if constexpr (is_f32_at_most<S>::value && same<D, f32>::value) return widen(v);
    else if constexpr (is_f32_at_most<S>::value && same<D, f16>::value) return f16_from_f32(widen(v));
    else if constexpr (is_f32_at_most<S>::value && same<D, bf16>::value) return bf16_from_f32(widen(v));
    else return from<D>::real(to_f64(v));
}

}  // namespace rl
