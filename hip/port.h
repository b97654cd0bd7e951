// port.h: the only file that depends on the compiler. Kernels use the names below and nothing of HIP, CUDA or the host.
//
// Branches: AMD (hiprtc 5 to 7 and later, hipcc, or plain clang with no ROCm headers: compiler builtins only),
// NVIDIA (NVRTC), and the host (the virtual AMD GPU compiles the same text for the CPU and gives HIP's names).
#pragma once

#if defined(__CUDACC_RTC__) || defined(__CUDACC__)
#define RL_CUDA 1
#elif defined(__HIP_VGPU_HOST__)
#define RL_HOST 1
#elif defined(__AMDGCN__)
#define RL_AMD 1
#else
#error "port.h: unknown compiler; kernels are compiled by hiprtc, clang (amdgcn), NVRTC or the virtual GPU"
#endif

#if defined(RL_AMD) && !defined(__global__)
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(n) __attribute__((amdgpu_flat_work_group_size(1, n)))
#endif

#define RL_DEV static __device__ inline __attribute__((always_inline))
// RL_FN is RL_DEV without `static`, for members of structs.
#define RL_FN __device__ inline __attribute__((always_inline))
// RL_INLINE is the same for lambda functions: `[&](u32 i) RL_INLINE { .. }`. LLVM inlines nothing into functions of many blocks unless
// it must, and arrays that a call gets by reference lie in memory.
#if defined(RL_CUDA)
#define RL_INLINE
#else
#define RL_INLINE __attribute__((always_inline))
#endif

// Threads of a block, for nearly all kernels. Kernels never read the block or grid size: the block is this constant, and what a kernel needs of the grid
// is in its parameters.
#define RL_BLOCK 256
// Threads of the blocks of kernels that RL_KERNEL_WIDE defines.
#define RL_WIDE_BLOCK 1024

// RL_KERNEL(exp, contig)(Params p) { .. } defines the kernel exp_f32_contig when RL_T is f32, and
// RL_KERNEL_TO(cast, u8, contig) defines cast_f32_u8_contig.
#define RL_PASTE3_(a, b, c) a##_##b##_##c
#define RL_PASTE3(a, b, c) RL_PASTE3_(a, b, c)
#define RL_PASTE4_(a, b, c, d) a##_##b##_##c##_##d
#define RL_PASTE4(a, b, c, d) RL_PASTE4_(a, b, c, d)
#define RL_KERNEL(op, variant) extern "C" __global__ void __launch_bounds__(RL_BLOCK) RL_PASTE3(op, RL_T, variant)
#define RL_KERNEL_WIDE(op, variant) extern "C" __global__ void __launch_bounds__(RL_WIDE_BLOCK) RL_PASTE3(op, RL_T, variant)
#define RL_KERNEL_TO(op, other, variant) extern "C" __global__ void __launch_bounds__(RL_BLOCK) RL_PASTE4(op, RL_T, other, variant)

namespace rl {

using u8 = unsigned char;
using i8 = signed char;
using u16 = unsigned short;
using i16 = short;
using u32 = unsigned int;
using i32 = int;
using u64 = unsigned long long;
using i64 = long long;
using f32 = float;
using f64 = double;

static_assert(sizeof(u16) == 2 && sizeof(u32) == 4 && sizeof(u64) == 8, "integer sizes");

// Copies n bytes; n is a constant.
#if defined(RL_CUDA)
#define RL_COPY(to, from, n) memcpy(to, from, n)
#else
#define RL_COPY(to, from, n) __builtin_memcpy(to, from, n)
#endif

// Returns the bits of a value as another type of the same size.
template <class To, class From>
RL_DEV To bits_as(From v) {
    static_assert(sizeof(To) == sizeof(From), "sizes differ");
    To r;
    RL_COPY(&r, &v, sizeof(To));
    return r;
}

// Returns the element of type T that the first bytes of 16 hold; `low` are the first 8.
template <class T>
RL_DEV T element_of(u64 low, u64 high) {
    const u64 all[2] = {low, high};
    T r;
    RL_COPY(&r, all, sizeof(T));
    return r;
}

// --- device memory ---

// Loads from and stores to device memory that the compiler may move across accesses to LDS: on AMD an address of a generic pointer
// may lie in LDS, and a FLAT instruction, which such a pointer takes, counts as an access to both.
#if defined(RL_AMD)
#define RL_GLOBAL __attribute__((address_space(1)))
template <int BYTES>
struct device_word;
#define RL_WORD_OF(T)                                 \
    template <>                                       \
    struct device_word<sizeof(T)> {                       \
        typedef T __attribute__((may_alias)) type;    \
    };
RL_WORD_OF(u8)
RL_WORD_OF(u16)
RL_WORD_OF(u32)
RL_WORD_OF(u64)
template <class T>
RL_DEV T load(const T* p) {
    return bits_as<T>(*(const RL_GLOBAL typename device_word<sizeof(T)>::type*)p);
}
template <class T>
RL_DEV void store(T* p, T v) {
    using W = typename device_word<sizeof(T)>::type;
    *(RL_GLOBAL W*)p = bits_as<W>(v);
}
#else
#define RL_GLOBAL
template <class T>
RL_DEV T load(const T* p) {
    return *p;
}
template <class T>
RL_DEV void store(T* p, T v) {
    *p = v;
}
#endif

// Loads BYTES bytes, 2 or a multiple of 4, from an address that is aligned to them (of more than 16: to 16).
template <u32 BYTES>
RL_DEV void load_words(u64 at, u32* to) {
    if constexpr (BYTES == 2) {
        to[0] = load((const u16*)at);
    } else if constexpr (BYTES == 4) {
        to[0] = load((const u32*)at);
    } else if constexpr (BYTES > 16) {
        load_words<16>(at, to);
        load_words<BYTES - 16>(at + 16, to + 4);
    } else {
#if defined(RL_AMD)
        typedef u32 V __attribute__((ext_vector_type(BYTES / 4)));
        const V v = *(const RL_GLOBAL V*)at;
        for (u32 i = 0; i < BYTES / 4; i++) to[i] = v[i];
#else
        struct alignas(BYTES) V {
            u32 w[BYTES / 4];
        };
        const V v = *(const V*)at;
        for (u32 i = 0; i < BYTES / 4; i++) to[i] = v.w[i];
#endif
    }
}
// Stores a value of 8 bytes or more to an address that is aligned to its bytes (of more than 16: to 16).
template <class T>
RL_DEV void store_words(u64 at, const T& v) {
    constexpr u32 BYTES = sizeof(T) < 16 ? sizeof(T) : 16;
    static_assert(sizeof(T) % BYTES == 0, "parts of equal sizes");
    u32 w[sizeof(T) / 4];
    RL_COPY(w, &v, sizeof(T));
    for (u32 part = 0; part < sizeof(T) / BYTES; part++) {
#if defined(RL_AMD)
        typedef u32 V __attribute__((ext_vector_type(BYTES / 4)));
        V x;
        for (u32 i = 0; i < BYTES / 4; i++) x[i] = w[part * (BYTES / 4) + i];
        *(RL_GLOBAL V*)(at + part * BYTES) = x;
#else
        struct alignas(BYTES) V {
            u32 w[BYTES / 4];
        };
        V x;
        for (u32 i = 0; i < BYTES / 4; i++) x.w[i] = w[part * (BYTES / 4) + i];
        *(V*)(at + part * BYTES) = x;
#endif
    }
}
// Load 4 and 2 neighbouring bytes from any address. NVIDIA's instructions take aligned addresses alone.
RL_DEV u32 load_half(u64 at) {
#if defined(RL_AMD)
    typedef u16 W __attribute__((aligned(1), may_alias));
    return *(const RL_GLOBAL W*)at;
#elif defined(RL_CUDA)
    if (at % 2 == 0) return *(const u16*)at;
    return *(const u8*)at | (u32)*(const u8*)(at + 1) << 8;
#else
    u16 v;
    RL_COPY(&v, (const void*)at, 2);
    return v;
#endif
}
RL_DEV u32 load_word(u64 at) {
#if defined(RL_AMD)
    typedef u32 W __attribute__((aligned(1), may_alias));
    return *(const RL_GLOBAL W*)at;
#elif defined(RL_CUDA)
    if (at % 4 == 0) return *(const u32*)at;
    return load_half(at) | load_half(at + 2) << 16;
#else
    u32 v;
    RL_COPY(&v, (const void*)at, 4);
    return v;
#endif
}

// Loads neighbouring words from any address.
template <u32 WORDS>
RL_DEV void load_unaligned(u64 at, u32* to) {
#if defined(RL_AMD)
    typedef u32 V __attribute__((ext_vector_type(WORDS), aligned(1), may_alias));
    const V v = *(const RL_GLOBAL V*)at;
    for (u32 n = 0; n < WORDS; n++) to[n] = v[n];
#else
    for (u32 n = 0; n < WORDS; n++) to[n] = load_word(at + 4 * n);
#endif
}

// Return v, of which the compiler knows nothing. So it computes anew what follows from v, where it would else keep in registers
// what follows from an equal number elsewhere. `hidden_anew` is not moved out of loops; `hidden_uniform` neither, and is for a
// number that all threads of a wave share. (The virtual NVIDIA GPU knows the instruction.)
RL_DEV u32 hidden(u32 v) {
#if defined(RL_AMD)
    asm("" : "+v"(v));
#elif defined(RL_CUDA)
    asm("mov.b32 %0, %1;" : "=r"(v) : "r"(v));
#endif
    return v;
}
RL_DEV u32 hidden_anew(u32 v) {
#if defined(RL_AMD)
    asm volatile("" : "+v"(v));
#elif defined(RL_CUDA)
    asm volatile("mov.b32 %0, %1;" : "=r"(v) : "r"(v));
#endif
    return v;
}
RL_DEV u32 hidden_uniform(u32 v) {
#if defined(RL_AMD)
    v = __builtin_amdgcn_readfirstlane(v);
    asm volatile("" : "+s"(v));
#elif defined(RL_CUDA)
    asm volatile("mov.b32 %0, %1;" : "=r"(v) : "r"(v));
#endif
    return v;
}
RL_DEV u64 hidden_uniform(u64 v) {
#if defined(RL_AMD)
    const u32 low = __builtin_amdgcn_readfirstlane((u32)v), high = __builtin_amdgcn_readfirstlane((u32)(v >> 32));
    return (u64)high << 32 | low;
#elif defined(RL_CUDA)
    asm volatile("mov.b64 %0, %1;" : "=l"(v) : "l"(v));
#endif
    return v;
}

// Loads before it are issued before what follows; else the compiler may load where it needs the number, to save registers.
RL_DEV void loads_first() {
#if defined(RL_AMD) && defined(__has_builtin)
#if __has_builtin(__builtin_amdgcn_sched_barrier)
    __builtin_amdgcn_sched_barrier(0);
#endif
#endif
}

// --- indices of threads and blocks ---

#if defined(RL_AMD)
RL_DEV u32 thread() { return __builtin_amdgcn_workitem_id_x(); }
RL_DEV u32 block() { return __builtin_amdgcn_workgroup_id_x(); }
RL_DEV u32 block_y() { return __builtin_amdgcn_workgroup_id_y(); }
RL_DEV u32 block_z() { return __builtin_amdgcn_workgroup_id_z(); }
#else
RL_DEV u32 thread() { return threadIdx.x; }
RL_DEV u32 block() { return blockIdx.x; }
RL_DEV u32 block_y() { return blockIdx.y; }
RL_DEV u32 block_z() { return blockIdx.z; }
#endif
// Index of the thread in the grid's first dimension.
RL_DEV u64 global_thread() { return (u64)block() * RL_BLOCK + thread(); }

// --- threads together ---

// Barrier: waits for all threads of the block; orders memory of the block and the device. All threads must call it.
RL_DEV void sync() {
#if defined(RL_AMD)
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
#else
    __syncthreads();
#endif
}

// Lanes exchange values over a logical width of 32, on hardware of 32 and of 64 lanes alike: lane `src` (0..31) of
// the caller's own group of 32. All lanes of the group must take part.
RL_DEV u32 shfl_word(u32 v, u32 src) {
#if defined(RL_AMD)
    const u32 lane = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u));
    return (u32)__builtin_amdgcn_ds_bpermute((int)(((lane & ~31u) | (src & 31u)) * 4u), (int)v);
#elif defined(RL_CUDA)
    return __shfl_sync(0xffffffffu, v, (int)src, 32);
#else
    return __shfl(v, (int)src, 32);
#endif
}
// Lane in the group of 32. Blocks are one-dimensional.
RL_DEV u32 lane32() { return thread() & 31u; }

template <class T>
RL_DEV T shfl(T v, u32 src) {
    static_assert(sizeof(T) <= 16, "too large to shuffle");
    constexpr int words = (sizeof(T) + 3) / 4;
    u32 w[words] = {};
    RL_COPY(w, &v, sizeof(T));
    for (int i = 0; i < words; i++) w[i] = shfl_word(w[i], src);
    T r;
    RL_COPY(&r, w, sizeof(T));
    return r;
}
template <class T>
RL_DEV T shfl_xor(T v, u32 mask) {
    return shfl(v, lane32() ^ mask);
}
// Returns the value of the lane whose number is greater by `n`; the last `n` lanes of the group get their own value.
template <class T>
RL_DEV T shfl_down(T v, u32 n) {
    const u32 l = lane32();
    return shfl(v, l + n < 32u ? l + n : l);
}

#if defined(RL_AMD) && defined(__has_builtin)
#if (defined(__GFX11__) || defined(__GFX12__)) && __has_builtin(__builtin_amdgcn_sudot4)
#define RL_SUDOT4 1
#elif defined(__gfx906__) || defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx940__) || defined(__gfx941__) || \
    defined(__gfx942__) || defined(__gfx950__) || defined(__gfx9_4_generic__) || defined(__gfx1030__) || \
    defined(__gfx1031__) || defined(__gfx1032__) || defined(__gfx1034__) || defined(__gfx10_3_generic__)
#define RL_SDOT4 1
#endif
#endif
// Adds the products of the signed bytes of a and b to c, which wraps.
RL_DEV i32 dot4(u32 a, u32 b, i32 c) {
#if defined(RL_SUDOT4)
    return __builtin_amdgcn_sudot4(true, (i32)a, true, (i32)b, c, false);
#elif defined(RL_SDOT4)
    return __builtin_amdgcn_sdot4((i32)a, (i32)b, c, false);
#elif defined(RL_CUDA)
    return __dp4a((i32)a, (i32)b, c);
#else
#if defined(RL_AMD)
    // Else the compiler keeps the bytes of many factors in registers.
    b = hidden_anew(b);
#endif
    for (u32 n = 0; n < 4; n++) c = (i32)((u32)c + (u32)((i32)(i8)(a >> (8 * n)) * (i32)(i8)(b >> (8 * n))));
    return c;
#endif
}

// Traps. Marks unreachable code.
RL_DEV void trap() {
#if defined(RL_CUDA)
    __trap();
#else
    __builtin_trap();
#endif
}

// --- atomics on device memory, relaxed, visible to the whole device ---

template <class T>
RL_DEV T atomic_cas(T* p, T expected, T desired) {
#if defined(RL_AMD)
    __hip_atomic_compare_exchange_strong(p, &expected, desired, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                         __HIP_MEMORY_SCOPE_AGENT);
    return expected;
#elif defined(RL_CUDA)
    return atomicCAS(p, expected, desired);
#else
    __atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
#endif
}
// Atomic add. The order is unspecified, so float results may vary.
#if defined(RL_AMD)
#define RL_ATOMIC_ADD(T) \
    RL_DEV void atomic_add(T* p, T v) { __hip_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
#else
#define RL_ATOMIC_ADD(T) \
    RL_DEV void atomic_add(T* p, T v) { atomicAdd(p, v); }
#endif
RL_ATOMIC_ADD(u32)
RL_ATOMIC_ADD(u64)
RL_ATOMIC_ADD(f32)
RL_ATOMIC_ADD(f64)
// Adds 1 and returns the number before.
RL_DEV u32 atomic_next(u32* p) {
#if defined(RL_AMD)
    return __hip_atomic_fetch_add(p, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
#else
    return atomicAdd(p, 1u);
#endif
}
// Orders the thread's accesses before and after it, as the whole device sees them.
RL_DEV void fence_device() {
#if defined(RL_AMD)
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
#else
    __threadfence();
#endif
}
RL_DEV void fence_system() {
#if defined(RL_AMD)
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "");
#else
    __threadfence_system();
#endif
}

// --- 16-bit floats, held as bits ---

struct f16 {
    u16 bits;
};
struct bf16 {
    u16 bits;
};
struct f8e4m3 {
    u8 bits;
};
// A complex number, aligned as its parts are on the host.
template <class R>
struct complex {
    R re, im;
};
using c64 = complex<f32>;
using c128 = complex<f64>;
struct boolean {
    u8 bits;
};

RL_DEV f32 f16_to_f32(f16 h) {
#if defined(RL_CUDA)
    f32 r;
    asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(h.bits));
    return r;
#else
    return (f32)bits_as<_Float16>(h.bits);
#endif
}
// Rounds to nearest, ties to even, once.
RL_DEV f16 f16_from_f32(f32 v) {
#if defined(RL_CUDA)
    f16 r;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r.bits) : "f"(v));
    return r;
#else
#if defined(RL_AMD)
    // LLVM converts a rounded product to fma_mix(a, b, +0), which loses the sign of zeros. The empty asm statement hides
    // the product from it.
    asm("" : "+v"(v));
#endif
    return f16{bits_as<u16>((_Float16)v)};
#endif
}

// --- mathematics: f32 and f64 ---

#if defined(RL_AMD)
#define RL_OCML1(name)                                   \
    extern "C" __device__ f32 __ocml_##name##_f32(f32);  \
    extern "C" __device__ f64 __ocml_##name##_f64(f64);
#define RL_OCML2(name)                                       \
    extern "C" __device__ f32 __ocml_##name##_f32(f32, f32); \
    extern "C" __device__ f64 __ocml_##name##_f64(f64, f64);
RL_OCML1(exp) RL_OCML1(exp2) RL_OCML1(expm1) RL_OCML1(log) RL_OCML1(log1p) RL_OCML1(log2) RL_OCML1(log10)
RL_OCML1(sin) RL_OCML1(cos) RL_OCML1(tan) RL_OCML1(asin) RL_OCML1(acos) RL_OCML1(atan) RL_OCML1(sinh) RL_OCML1(cosh)
RL_OCML1(tanh) RL_OCML1(asinh) RL_OCML1(acosh) RL_OCML1(atanh) RL_OCML1(erf) RL_OCML1(erfc)
RL_OCML2(pow) RL_OCML2(fmod)
RL_OCML2(atan2)
#define RL_MATH1(name)                                                \
    RL_DEV f32 name(f32 v) { return __ocml_##name##_f32(v); }         \
    RL_DEV f64 name(f64 v) { return __ocml_##name##_f64(v); }
#define RL_MATH2(name)                                                \
    RL_DEV f32 name(f32 a, f32 b) { return __ocml_##name##_f32(a, b); } \
    RL_DEV f64 name(f64 a, f64 b) { return __ocml_##name##_f64(a, b); }
#elif defined(RL_CUDA)
#define RL_MATH1(name)                              \
    RL_DEV f32 name(f32 v) { return ::name##f(v); } \
    RL_DEV f64 name(f64 v) { return ::name(v); }
#define RL_MATH2(name)                                      \
    RL_DEV f32 name(f32 a, f32 b) { return ::name##f(a, b); } \
    RL_DEV f64 name(f64 a, f64 b) { return ::name(a, b); }
#else
#define RL_MATH1(name)                                        \
    RL_DEV f32 name(f32 v) { return __builtin_##name##f(v); } \
    RL_DEV f64 name(f64 v) { return __builtin_##name(v); }
#define RL_MATH2(name)                                                \
    RL_DEV f32 name(f32 a, f32 b) { return __builtin_##name##f(a, b); } \
    RL_DEV f64 name(f64 a, f64 b) { return __builtin_##name(a, b); }
#endif
RL_MATH1(exp)
RL_MATH1(expm1)
RL_MATH1(log)
RL_MATH1(log1p)
RL_MATH1(log2)
RL_MATH1(log10)
RL_MATH1(sin)
RL_MATH1(cos)
RL_MATH1(tan)
RL_MATH1(asin)
RL_MATH1(acos)
RL_MATH1(atan)
RL_MATH1(sinh)
RL_MATH1(cosh)
RL_MATH1(tanh)
RL_MATH1(asinh)
RL_MATH1(acosh)
RL_MATH1(atanh)
RL_MATH1(erf)
RL_MATH1(erfc)
RL_MATH2(pow)
RL_MATH2(fmod)
RL_MATH2(atan2)

// Correctly rounded: one instruction on every target, or an exact expansion.
#if defined(RL_CUDA)
#define RL_EXACT1(name, f32fn, f64fn)            \
    RL_DEV f32 name(f32 v) { return ::f32fn(v); } \
    RL_DEV f64 name(f64 v) { return ::f64fn(v); }
RL_EXACT1(sqrt, __fsqrt_rn, __dsqrt_rn)
RL_EXACT1(floor, floorf, floor)
RL_EXACT1(ceil, ceilf, ceil)
RL_EXACT1(trunc, truncf, trunc)
RL_EXACT1(round_even, rintf, rint)
RL_EXACT1(fabs, fabsf, fabs)
RL_DEV f32 copysign(f32 a, f32 b) { return ::copysignf(a, b); }
RL_DEV f64 copysign(f64 a, f64 b) { return ::copysign(a, b); }
RL_DEV f32 fma(f32 a, f32 b, f32 c) { return ::fmaf(a, b, c); }
RL_DEV f64 fma(f64 a, f64 b, f64 c) { return ::fma(a, b, c); }
#else
#define RL_EXACT1(name, fn)                                 \
    RL_DEV f32 name(f32 v) { return __builtin_##fn##f(v); } \
    RL_DEV f64 name(f64 v) { return __builtin_##fn(v); }
#if defined(RL_AMD) && __clang_major__ < 19
// Older AMD compilers emit one instruction for the builtin, which does not round correctly, and their library's f32
// function is wrong by one ulp for some values. The f64 root has more than twice the digits, so rounding it to f32 is
// correct.
RL_OCML1(sqrt)
RL_DEV f32 sqrt(f32 v) { return (f32)__ocml_sqrt_f64((f64)v); }
RL_DEV f64 sqrt(f64 v) { return __ocml_sqrt_f64(v); }
#else
RL_EXACT1(sqrt, sqrt)
#endif
RL_EXACT1(floor, floor)
RL_EXACT1(ceil, ceil)
RL_EXACT1(trunc, trunc)
RL_EXACT1(round_even, rint)
RL_EXACT1(fabs, fabs)
RL_DEV f32 copysign(f32 a, f32 b) { return __builtin_copysignf(a, b); }
RL_DEV f64 copysign(f64 a, f64 b) { return __builtin_copysign(a, b); }
RL_DEV f32 fma(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
RL_DEV f64 fma(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }
#endif

// 2^v, a rounding error from it or less, and 0 for results below 2^-126.
RL_DEV f32 exp2_unit(f32 v) {
#if defined(RL_AMD) && defined(__has_builtin)
#if __has_builtin(__builtin_amdgcn_exp2f)
    return __builtin_amdgcn_exp2f(v);
#else
    return __ocml_exp2_f32(v);
#endif
#elif defined(RL_CUDA)
    return ::exp2f(v);
#else
    return __builtin_exp2f(v);
#endif
}
// The larger number, or the one that is not NaN.
RL_DEV f32 larger(f32 a, f32 b) {
#if defined(RL_AMD)
    // The compiler for gfx9 adds an instruction for each argument of its maximum, which may be a signalling NaN.
    return __builtin_amdgcn_fmed3f(a, b, __builtin_inff());
#else
    return b > a ? b : a;
#endif
}

// Comparisons that no compiler flag may fold.
RL_DEV bool is_nan(f32 v) { return (bits_as<u32>(v) & 0x7fffffffu) > 0x7f800000u; }
RL_DEV bool is_nan(f64 v) { return (bits_as<u64>(v) & 0x7fffffffffffffffull) > 0x7ff0000000000000ull; }
RL_DEV bool is_inf(f32 v) { return (bits_as<u32>(v) & 0x7fffffffu) == 0x7f800000u; }
RL_DEV bool is_inf(f64 v) { return (bits_as<u64>(v) & 0x7fffffffffffffffull) == 0x7ff0000000000000ull; }

}  // namespace rl
