// Mathematical functions and bit operations that HIP provides without an include. libm computes them.
#pragma clang system_header

#define __RLV_MATH1(name)                                                                     \
    extern "C" double name(double) noexcept;                                                  \
    extern "C" float name##f(float) noexcept;                                                 \
    __RLV_INLINE float name(float v) { return name##f(v); }
#define __RLV_MATH2(name)                                                                     \
    extern "C" double name(double, double) noexcept;                                          \
    extern "C" float name##f(float, float) noexcept;                                          \
    __RLV_INLINE float name(float a, float b) { return name##f(a, b); }
__RLV_MATH1(exp) __RLV_MATH1(exp2) __RLV_MATH1(expm1) __RLV_MATH1(log) __RLV_MATH1(log2) __RLV_MATH1(log10)
__RLV_MATH1(log1p) __RLV_MATH1(logb) __RLV_MATH1(sin) __RLV_MATH1(cos) __RLV_MATH1(tan) __RLV_MATH1(asin)
__RLV_MATH1(acos) __RLV_MATH1(atan) __RLV_MATH1(sinh) __RLV_MATH1(cosh) __RLV_MATH1(tanh) __RLV_MATH1(asinh)
__RLV_MATH1(acosh) __RLV_MATH1(atanh) __RLV_MATH1(erf) __RLV_MATH1(erfc) __RLV_MATH1(tgamma) __RLV_MATH1(lgamma)
__RLV_MATH1(sqrt) __RLV_MATH1(cbrt) __RLV_MATH1(floor) __RLV_MATH1(ceil) __RLV_MATH1(trunc) __RLV_MATH1(round)
__RLV_MATH1(rint) __RLV_MATH1(nearbyint) __RLV_MATH1(fabs) __RLV_MATH1(j0) __RLV_MATH1(j1) __RLV_MATH1(y0)
__RLV_MATH1(y1)
__RLV_MATH2(pow) __RLV_MATH2(fmod) __RLV_MATH2(atan2) __RLV_MATH2(hypot) __RLV_MATH2(fmin) __RLV_MATH2(fmax)
__RLV_MATH2(fdim) __RLV_MATH2(copysign) __RLV_MATH2(remainder) __RLV_MATH2(nextafter)
extern "C" double fma(double, double, double) noexcept;
extern "C" float fmaf(float, float, float) noexcept;
__RLV_INLINE float fma(float a, float b, float c) { return fmaf(a, b, c); }
extern "C" double ldexp(double, int) noexcept;
extern "C" float ldexpf(float, int) noexcept;
extern "C" double frexp(double, int*) noexcept;
extern "C" float frexpf(float, int*) noexcept;
extern "C" double modf(double, double*) noexcept;
extern "C" float modff(float, float*) noexcept;
extern "C" void sincos(double, double*, double*) noexcept;
extern "C" void sincosf(float, float*, float*) noexcept;
extern "C" int ilogb(double) noexcept;
extern "C" int ilogbf(float) noexcept;
extern "C" long lrint(double) noexcept;
extern "C" long lrintf(float) noexcept;
extern "C" long long llrint(double) noexcept;
extern "C" long long llrintf(float) noexcept;
extern "C" long lround(double) noexcept;
extern "C" long lroundf(float) noexcept;
extern "C" long long llround(double) noexcept;
extern "C" long long llroundf(float) noexcept;
extern "C" void* memcpy(void*, const void*, __SIZE_TYPE__) noexcept;
extern "C" void* memset(void*, int, __SIZE_TYPE__) noexcept;
__RLV_INLINE float ldexp(float v, int e) { return ldexpf(v, e); }

__RLV_INLINE float rsqrtf(float v) { return 1.0f / sqrtf(v); }
__RLV_INLINE double rsqrt(double v) { return 1.0 / sqrt(v); }
__RLV_INLINE float rsqrt(float v) { return rsqrtf(v); }
__RLV_INLINE float rcbrtf(float v) { return 1.0f / cbrtf(v); }
__RLV_INLINE double rcbrt(double v) { return 1.0 / cbrt(v); }
__RLV_INLINE float exp10f(float v) { return (float)pow(10.0, (double)v); }
__RLV_INLINE double exp10(double v) { return pow(10.0, v); }
__RLV_INLINE double normcdf(double v) { return 0.5 * erfc(-v * 0.70710678118654752440); }
__RLV_INLINE float normcdff(float v) { return (float)normcdf((double)v); }
__RLV_INLINE double sinpi(double v) { return sin(3.14159265358979323846 * fmod(v, 2.0)); }
__RLV_INLINE double cospi(double v) { return cos(3.14159265358979323846 * fmod(v, 2.0)); }
__RLV_INLINE float sinpif(float v) { return (float)sinpi((double)v); }
__RLV_INLINE float cospif(float v) { return (float)cospi((double)v); }

#define __RLV_CLASS(T)                                                  \
    __RLV_INLINE bool isnan(T v) { return __builtin_isnan(v); }         \
    __RLV_INLINE bool isinf(T v) { return __builtin_isinf(v); }         \
    __RLV_INLINE bool isfinite(T v) { return __builtin_isfinite(v); }   \
    __RLV_INLINE bool signbit(T v) { return __builtin_signbit(v) != 0; }
__RLV_CLASS(float)
__RLV_CLASS(double)

// The fast functions are the accurate ones here.
__RLV_INLINE float __expf(float v) { return expf(v); }
__RLV_INLINE float __exp10f(float v) { return exp10f(v); }
__RLV_INLINE float __logf(float v) { return logf(v); }
__RLV_INLINE float __log2f(float v) { return log2f(v); }
__RLV_INLINE float __log10f(float v) { return log10f(v); }
__RLV_INLINE float __sinf(float v) { return sinf(v); }
__RLV_INLINE float __cosf(float v) { return cosf(v); }
__RLV_INLINE float __tanf(float v) { return tanf(v); }
__RLV_INLINE float __powf(float a, float b) { return powf(a, b); }
__RLV_INLINE float __fdividef(float a, float b) { return a / b; }
__RLV_INLINE float __saturatef(float v) { return v >= 0.0f ? (v <= 1.0f ? v : 1.0f) : 0.0f; }
__RLV_INLINE float __fadd_rn(float a, float b) { return a + b; }
__RLV_INLINE float __fsub_rn(float a, float b) { return a - b; }
__RLV_INLINE float __fmul_rn(float a, float b) { return a * b; }
__RLV_INLINE float __fdiv_rn(float a, float b) { return a / b; }
__RLV_INLINE float __fsqrt_rn(float v) { return sqrtf(v); }
__RLV_INLINE float __frsqrt_rn(float v) { return 1.0f / sqrtf(v); }
__RLV_INLINE float __frcp_rn(float v) { return 1.0f / v; }
__RLV_INLINE float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
__RLV_INLINE double __dadd_rn(double a, double b) { return a + b; }
__RLV_INLINE double __dsub_rn(double a, double b) { return a - b; }
__RLV_INLINE double __dmul_rn(double a, double b) { return a * b; }
__RLV_INLINE double __ddiv_rn(double a, double b) { return a / b; }
__RLV_INLINE double __dsqrt_rn(double v) { return sqrt(v); }
__RLV_INLINE double __fma_rn(double a, double b, double c) { return fma(a, b, c); }

#define __RLV_MINMAX(T)                                            \
    __RLV_INLINE T min(T a, T b) { return b < a ? b : a; }         \
    __RLV_INLINE T max(T a, T b) { return a < b ? b : a; }
__RLV_MINMAX(int)
__RLV_MINMAX(unsigned)
__RLV_MINMAX(long)
__RLV_MINMAX(unsigned long)
__RLV_MINMAX(long long)
__RLV_MINMAX(unsigned long long)
__RLV_INLINE float min(float a, float b) { return fminf(a, b); }
__RLV_INLINE float max(float a, float b) { return fmaxf(a, b); }
__RLV_INLINE double min(double a, double b) { return fmin(a, b); }
__RLV_INLINE double max(double a, double b) { return fmax(a, b); }
__RLV_INLINE int abs(int v) { return v < 0 ? -v : v; }
__RLV_INLINE long abs(long v) { return v < 0 ? -v : v; }
__RLV_INLINE long long abs(long long v) { return v < 0 ? -v : v; }
__RLV_INLINE float abs(float v) { return fabsf(v); }
__RLV_INLINE double abs(double v) { return fabs(v); }

#define __RLV_CAST(name, To, From)                          \
    __RLV_INLINE To name(From v) {                          \
        static_assert(sizeof(To) == sizeof(From), #name);   \
        To r;                                               \
        __builtin_memcpy(&r, &v, sizeof r);                 \
        return r;                                           \
    }
__RLV_CAST(__float_as_int, int, float)
__RLV_CAST(__float_as_uint, unsigned, float)
__RLV_CAST(__int_as_float, float, int)
__RLV_CAST(__uint_as_float, float, unsigned)
__RLV_CAST(__double_as_longlong, long long, double)
__RLV_CAST(__longlong_as_double, double, long long)
__RLV_INLINE float __int2float_rn(int v) { return (float)v; }
__RLV_INLINE float __uint2float_rn(unsigned v) { return (float)v; }
__RLV_INLINE int __float2int_rz(float v) { return (int)v; }
__RLV_INLINE int __float2int_rn(float v) { return (int)rintf(v); }
__RLV_INLINE unsigned __float2uint_rz(float v) { return (unsigned)v; }

__RLV_INLINE int __popc(unsigned v) { return __builtin_popcount(v); }
__RLV_INLINE int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
__RLV_INLINE int __clz(int v) { return v ? __builtin_clz((unsigned)v) : 32; }
__RLV_INLINE int __clzll(long long v) { return v ? __builtin_clzll((unsigned long long)v) : 64; }
__RLV_INLINE int __dp4a(int a, int b, int c) {
    for (int n = 0; n < 32; n += 8) c = (int)((unsigned)c + (unsigned)((signed char)(a >> n) * (signed char)(b >> n)));
    return c;
}
__RLV_INLINE int __ffs(int v) { return __builtin_ffs(v); }
__RLV_INLINE int __ffsll(long long v) { return __builtin_ffsll(v); }
__RLV_INLINE unsigned __brev(unsigned v) { return __builtin_bitreverse32(v); }
__RLV_INLINE unsigned long long __brevll(unsigned long long v) { return __builtin_bitreverse64(v); }
__RLV_INLINE unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
__RLV_INLINE int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
__RLV_INLINE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
__RLV_INLINE long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
__RLV_INLINE int __mul24(int a, int b) { return (int)((unsigned)((a << 8) >> 8) * (unsigned)((b << 8) >> 8)); }
__RLV_INLINE unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) {
    return (unsigned)(((((unsigned long long)hi << 32) | lo) << (n & 31)) >> 32);
}
__RLV_INLINE unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) {
    return (unsigned)((((unsigned long long)hi << 32) | lo) >> (n & 31));
}

// --- 16-bit floats: conversions that an old C library may lack; rounding to nearest even ---

extern "C" {
__attribute__((weak, visibility("hidden"))) __bf16 __truncsfbf2(float v) {
    unsigned u;
    __builtin_memcpy(&u, &v, 4);
    unsigned short h = v != v ? (unsigned short)(u >> 16 | 0x40) : (unsigned short)((u + 0x7fffu + (u >> 16 & 1)) >> 16);
    __bf16 r;
    __builtin_memcpy(&r, &h, 2);
    return r;
}
// Rounds to an odd float first, so that rounding again is correct.
static inline float __rlv_odd(double v) {
    float f = (float)v;
    unsigned u;
    __builtin_memcpy(&u, &f, 4);
    if (v == v && (double)f != v && !(u & 1)) u += (((double)f < v) == (v > 0)) ? 1u : -1u;
    __builtin_memcpy(&f, &u, 4);
    return f;
}
__attribute__((weak, visibility("hidden"))) __bf16 __truncdfbf2(double v) { return __truncsfbf2(__rlv_odd(v)); }
__attribute__((weak, visibility("hidden"))) _Float16 __truncsfhf2(float v) {
    unsigned u;
    __builtin_memcpy(&u, &v, 4);
    unsigned sign = u >> 16 & 0x8000, mag = u & 0x7fffffff, h;
    if (mag > 0x7f800000) {
        h = 0x7e00 | (mag >> 13 & 0x3ff);
    } else if (mag >= 0x477ff000) {
        h = 0x7c00;
    } else if (mag >= 0x38800000) {
        h = (mag - 0x38000000 + 0xfff + (mag >> 13 & 1)) >> 13;
    } else if (mag < 0x33000000) {
        h = 0;
    } else {
        unsigned shift = 126 - (mag >> 23), man = (mag & 0x7fffff) | 0x800000;
        unsigned kept = man >> shift, rest = man & ((1u << shift) - 1), half = 1u << (shift - 1);
        h = kept + (rest > half || (rest == half && (kept & 1)));
    }
    unsigned short bits = (unsigned short)(sign | h);
    _Float16 r;
    __builtin_memcpy(&r, &bits, 2);
    return r;
}
__attribute__((weak, visibility("hidden"))) _Float16 __truncdfhf2(double v) { return __truncsfhf2(__rlv_odd(v)); }
__attribute__((weak, visibility("hidden"))) float __extendhfsf2(_Float16 v) {
    unsigned short b;
    __builtin_memcpy(&b, &v, 2);
    unsigned sign = (unsigned)(b & 0x8000) << 16, e = b >> 10 & 31, m = b & 0x3ff, u;
    if (e == 31) {
        u = sign | 0x7f800000 | m << 13 | (m ? 0x400000 : 0);
    } else if (e) {
        u = sign | (e + 112) << 23 | m << 13;
    } else {
        float f = (float)m * 5.9604644775390625e-8f;
        __builtin_memcpy(&u, &f, 4);
        u |= sign;
    }
    float r;
    __builtin_memcpy(&r, &u, 4);
    return r;
}
}

// --- NVIDIA's instructions: `asm("cvt.f32.f16 %0, %1;" : "=f"(a) : "h"(b))` is rewritten to a call of the function here ---

#ifdef __RLV_CUDA__
__RLV_INLINE float __rlv_ptx_cvt_f32_f16(unsigned short v) {
    _Float16 h;
    __builtin_memcpy(&h, &v, 2);
    return (float)h;
}
__RLV_INLINE unsigned __rlv_ptx_mov_b32(unsigned v) { return v; }
__RLV_INLINE unsigned long long __rlv_ptx_mov_b64(unsigned long long v) { return v; }
__RLV_INLINE unsigned short __rlv_ptx_cvt_rn_f16_f32(float v) {
    _Float16 h = (_Float16)v;
    unsigned short r;
    __builtin_memcpy(&r, &h, 2);
    return r;
}
#endif
