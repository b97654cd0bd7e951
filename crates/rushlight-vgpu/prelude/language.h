// The HIP language for a C++ compiler that targets the host: qualifiers, built-in variables, barriers, wave
// operations. Included before every kernel file. It uses no system header, so none needs to be installed.
#pragma clang system_header

// --- the interface to the runtime; engine/types.rs, block.rs and module.rs define the same structs ---

struct __rlv_dim {
    unsigned x, y, z;
};
struct __rlv_ctx;
struct __rlv_api {
    // op 0: the value of lane `src`; op 1: one bit for each lane with value != 0.
    unsigned long long (*wave)(__rlv_ctx*, unsigned op, unsigned long long value, unsigned src, const void* site);
    // op 0: plain; 1: the number of threads with value != 0.
    unsigned (*barrier)(__rlv_ctx*, unsigned op, unsigned value, const void* site);
    void (*fail)(__rlv_ctx*, unsigned kind, const char* text, const char* file, int line);
};
struct __rlv_ctx {
    __rlv_dim tid, bid, bdim, gdim;
    unsigned lane, wave;
    void* lds;
    const __rlv_api* api;
};

// Each thread of a block has a separate stack, aligned to its size, with the context in the uppermost bytes.
static inline __attribute__((always_inline)) __rlv_ctx* __rlv_self() {
    __UINTPTR_TYPE__ sp;
    __asm__("mov %%rsp, %0" : "=r"(sp));
    return (__rlv_ctx*)((sp | (__RLV_STACK__ - 1)) + 1 - 256);
}

// Sites are return addresses: `convergent` keeps the compiler from splitting one call into several, `nomerge` from
// merging several into one. (clang drops `noinline` next to `noduplicate`.) Without `optnone` it inspects the
// function, finds nothing convergent in it, and drops that attribute too.
#define __RLV_MEET static __attribute__((noinline, optnone, convergent, nomerge, not_tail_called, unused))
__RLV_MEET unsigned long long __rlv_wave(unsigned op, unsigned long long value, unsigned src) {
    __rlv_ctx* c = __rlv_self();
    return c->api->wave(c, op, value, src, __builtin_return_address(0));
}
__RLV_MEET unsigned __rlv_barrier(unsigned op, unsigned value) {
    __rlv_ctx* c = __rlv_self();
    return c->api->barrier(c, op, value, __builtin_return_address(0));
}
static inline void* __rlv_dyn_lds() { return __rlv_self()->lds; }
template <class T>
struct __rlv_dyn {
    operator T*() const { return (T*)__rlv_dyn_lds(); }
};

// --- qualifiers; __global__, __shared__ and __launch_bounds__ are markers that the rewriter replaces ---

#define __global__ __rlv_global__
#define __shared__ __rlv_shared__
#define __launch_bounds__(...) __rlv_launch_bounds__(__VA_ARGS__)
#define __device__
#define __host__
#define __constant__ __attribute__((used))
#define __managed__ __attribute__((used))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __hip_shared__ __rlv_shared__

// --- built-in variables ---

typedef __rlv_dim __rlv_uint3;
#define threadIdx (__rlv_self()->tid)
#define blockIdx (__rlv_self()->bid)
#define blockDim (__rlv_self()->bdim)
#define gridDim (__rlv_self()->gdim)
// Not a constant expression, as in HIP 7.
static inline int __rlv_wave_size() { return __HIP_VGPU_WAVE__; }
#define warpSize (__rlv_wave_size())
#define __builtin_amdgcn_wavefrontsize() ((unsigned)__rlv_wave_size())

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

// --- barriers and fences ---

#define __syncthreads() ((void)__rlv_barrier(0, 0))
#define __syncthreads_count(p) ((int)__rlv_barrier(1, (p) ? 1u : 0u))
#define __syncthreads_or(p) ((int)(__rlv_barrier(1, (p) ? 1u : 0u) != 0))
#define __syncthreads_and(p) ((int)(__rlv_barrier(1, (p) ? 0u : 1u) == 0))
#define __builtin_amdgcn_s_barrier() __syncthreads()
#define __syncwarp(...) ((void)__rlv_wave(1, 0, 0))
#define __builtin_amdgcn_wave_barrier() ((void)__rlv_wave(1, 0, 0))
#define __builtin_amdgcn_fence(...) __atomic_thread_fence(__ATOMIC_SEQ_CST)
static inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

// --- wave operations ---

#define __RLV_INLINE static inline __attribute__((always_inline, unused))
__RLV_INLINE unsigned __lane_id() { return __rlv_self()->lane; }
#define __builtin_amdgcn_mbcnt_lo(mask, base) \
    ((unsigned)__builtin_popcount((unsigned)(mask) & (unsigned)((1ull << (__lane_id() > 31 ? 32 : __lane_id())) - 1)) + (base))
#define __builtin_amdgcn_mbcnt_hi(mask, base) \
    ((__lane_id() > 32 ? (unsigned)__builtin_popcount((unsigned)(mask) & ((1u << (__lane_id() - 32)) - 1)) : 0u) + (base))
#define __ballot(p) (__rlv_wave(1, (p) ? 1 : 0, 0))
#define __ballot64(p) __ballot(p)
#define __any(p) ((int)(__rlv_wave(1, (p) ? 1 : 0, 0) != 0))
#define __all(p) ((int)(__rlv_wave(1, (p) ? 0 : 1, 0) == 0))
#define __activemask() (__rlv_wave(1, 1, 0))

template <class T>
__RLV_INLINE unsigned long long __rlv_bits(T v) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 2, "a shuffle takes values of 2, 4 or 8 bytes");
    unsigned long long r = 0;
    __builtin_memcpy(&r, &v, sizeof(T));
    return r;
}
template <class T>
__RLV_INLINE T __rlv_from(unsigned long long b) {
    T v;
    __builtin_memcpy(&v, &b, sizeof(T));
    return v;
}
// Returns the lane that HIP's four shuffles read from, for a logical width.
__RLV_INLINE unsigned __rlv_src(int lane, int width) {
    int self = (int)__lane_id();
    return (unsigned)((self & ~(width - 1)) + (lane & (width - 1)));
}
__RLV_INLINE unsigned __rlv_src_up(unsigned n, int width) {
    int self = (int)__lane_id(), first = self & ~(width - 1), from = self - (int)n;
    return (unsigned)(from < first ? self : from);
}
__RLV_INLINE unsigned __rlv_src_down(unsigned n, int width) {
    int self = (int)__lane_id(), within = self & (width - 1);
    return (unsigned)(within + (int)n >= width ? self : self + (int)n);
}
__RLV_INLINE unsigned __rlv_src_xor(int mask, int width) {
    int self = (int)__lane_id(), from = self ^ mask;
    return (unsigned)(from >= ((self + width) & ~(width - 1)) ? self : from);
}
#ifdef __RLV_CUDA__
// NVIDIA's: a mask of 32 bits, which must contain every active lane, and no variant without a mask.
#define __RLV_SHUFFLE(name, by, src)                                                             \
    template <class M, class T>                                                                  \
    __RLV_INLINE T name##_sync(M mask, T v, by n, int width = warpSize) {                        \
        static_assert(sizeof(M) == 4, "the mask of a _sync operation has 32 bits");              \
        if (!((unsigned)mask >> __lane_id() & 1)) __rlv_fail(2, "a lane that is missing from its mask", __FILE__, __LINE__); \
        return __rlv_from<T>(__rlv_wave(0, __rlv_bits(v), src(n, width)));                       \
    }
static inline void __rlv_fail(unsigned kind, const char* text, const char* file, int line);
#else
#define __RLV_SHUFFLE(name, by, src)                                                             \
    template <class T>                                                                           \
    __RLV_INLINE T name(T v, by n, int width = warpSize) {                                       \
        return __rlv_from<T>(__rlv_wave(0, __rlv_bits(v), src(n, width)));                       \
    }                                                                                            \
    template <class M, class T>                                                                  \
    __RLV_INLINE T name##_sync(M, T v, by n, int width = warpSize) {                             \
        static_assert(sizeof(M) == 8, "the mask of a _sync operation has 64 bits");              \
        return __rlv_from<T>(__rlv_wave(0, __rlv_bits(v), src(n, width)));                       \
    }
#endif
__RLV_SHUFFLE(__shfl, int, __rlv_src)
__RLV_SHUFFLE(__shfl_up, unsigned, __rlv_src_up)
__RLV_SHUFFLE(__shfl_down, unsigned, __rlv_src_down)
__RLV_SHUFFLE(__shfl_xor, int, __rlv_src_xor)
#define __ballot_sync(mask, p) __ballot(p)
#define __any_sync(mask, p) __any(p)
#define __all_sync(mask, p) __all(p)
// Lane index times 4, any lane of the wave, no width.
#define __builtin_amdgcn_ds_bpermute(addr, v) \
    ((int)__rlv_wave(0, (unsigned)(v), ((unsigned)(addr) >> 2) & (unsigned)(warpSize - 1)))
#define __builtin_amdgcn_readfirstlane(v) __rlv_first((int)(v))
__RLV_INLINE int __rlv_first(int v) {
    unsigned long long active = __rlv_wave(1, 1, 0);
    return (int)__rlv_wave(0, (unsigned)v, (unsigned)__builtin_ctzll(active));
}

// --- time, output, failures ---

static inline long long clock64() { return (long long)__builtin_ia32_rdtsc(); }
static inline long long clock() { return clock64(); }
static inline long long wall_clock64() { return clock64(); }
extern "C" int printf(const char*, ...) __attribute__((format(printf, 1, 2)));
#define assert(e) ((e) ? (void)0 : __rlv_fail(1, #e, __FILE__, __LINE__))
#define __trap() __rlv_fail(2, "__trap()", __FILE__, __LINE__)
#define abort() __rlv_fail(2, "abort()", __FILE__, __LINE__)
static inline void __rlv_fail(unsigned kind, const char* text, const char* file, int line) {
    __rlv_ctx* c = __rlv_self();
    c->api->fail(c, kind, text, file, line);
}

// --- the description of each kernel for the runtime ---

struct __rlv_record {
    const char* name;
    void* address;
    void (*thunk)(void**);
    unsigned args, max_threads;
    const unsigned* sizes;     // size | alignment << 24
    const unsigned char* pointers;
    unsigned long long object;  // size of a variable; 0 for a kernel
};
template <class T> struct __rlv_bare { typedef T type; };
template <class T> struct __rlv_bare<const T> { typedef T type; };
template <class T> struct __rlv_pointer { enum { value = 0 }; };
template <class T> struct __rlv_pointer<T*> { enum { value = 1 }; };
template <int... I> struct __rlv_seq {};
template <class T, T... I> struct __rlv_ints { typedef __rlv_seq<(int)I...> type; };
template <int N> using __rlv_upto = typename __make_integer_seq<__rlv_ints, int, N>::type;

template <class F, F f> struct __rlv_kernel;
template <class... A, void (*f)(A...)>
struct __rlv_kernel<void (*)(A...), f> {
    static constexpr unsigned sizes[sizeof...(A) + 1] = {(unsigned)(sizeof(A) | alignof(A) << 24)..., 0};
    static constexpr unsigned char pointers[sizeof...(A) + 1] = {__rlv_pointer<typename __rlv_bare<A>::type>::value..., 0};
    template <int... I>
    static inline __attribute__((always_inline)) void call(void** p, __rlv_seq<I...>) {
        (void)p;
        f(*(typename __rlv_bare<A>::type*)p[I]...);
    }
    static void thunk(void** p) { call(p, __rlv_upto<sizeof...(A)>()); }
    static constexpr __rlv_record record(const char* name, unsigned max) {
        return {name, (void*)f, thunk, sizeof...(A), max, sizes, pointers, 0};
    }
};
template <class... A, void (*f)(A...)>
constexpr unsigned __rlv_kernel<void (*)(A...), f>::sizes[sizeof...(A) + 1];
template <class... A, void (*f)(A...)>
constexpr unsigned char __rlv_kernel<void (*)(A...), f>::pointers[sizeof...(A) + 1];
template <class T, T* v>
struct __rlv_kernel<T*, v> {
    static constexpr __rlv_record record(const char* name, unsigned) {
        return {name, (void*)v, nullptr, 0, 0, nullptr, nullptr, sizeof(T)};
    }
};
