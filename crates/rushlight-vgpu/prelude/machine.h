// HIP's language on clang's builtins, for kernels compiled to AMD machine code without ROCm's headers.
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(n, ...) __attribute__((amdgpu_flat_work_group_size(1, n)))

typedef __SIZE_TYPE__ size_t;
struct dim3 {
    unsigned x, y, z;
};

#define RLV_DEV static __device__ __attribute__((always_inline)) inline
#define RLV_PLACE(type, fx, fy, fz)                                     \
    struct type {                                                       \
        __declspec(property(get = get_x)) unsigned x;                   \
        __declspec(property(get = get_y)) unsigned y;                   \
        __declspec(property(get = get_z)) unsigned z;                   \
        __device__ __attribute__((always_inline)) unsigned get_x() const { return fx; } \
        __device__ __attribute__((always_inline)) unsigned get_y() const { return fy; } \
        __device__ __attribute__((always_inline)) unsigned get_z() const { return fz; } \
    }
// Sizes come from the hidden arguments: counts of blocks (words at 0, 4, 8) and threads (halves at 12, 14, 16).
#define RLV_WORD(at) (((const __attribute__((address_space(4))) unsigned*)__builtin_amdgcn_implicitarg_ptr())[(at) / 4])
#define RLV_HALF(at) (((const __attribute__((address_space(4))) unsigned short*)__builtin_amdgcn_implicitarg_ptr())[(at) / 2])
RLV_PLACE(rlv_thread, __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(), __builtin_amdgcn_workitem_id_z());
RLV_PLACE(rlv_block, __builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(), __builtin_amdgcn_workgroup_id_z());
RLV_PLACE(rlv_sizes, RLV_HALF(12), RLV_HALF(14), RLV_HALF(16));
RLV_PLACE(rlv_counts, RLV_WORD(0), RLV_WORD(4), RLV_WORD(8));
static __device__ const rlv_thread threadIdx = {};
static __device__ const rlv_block blockIdx = {};
static __device__ const rlv_sizes blockDim = {};
static __device__ const rlv_counts gridDim = {};
#define warpSize ((int)__builtin_amdgcn_wavefrontsize())

RLV_DEV void __syncthreads() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
RLV_DEV void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
RLV_DEV void __threadfence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }

RLV_DEV unsigned __lane_id() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u)); }
RLV_DEV unsigned long long __ballot(int p) {
#if defined(__GFX9__)
    return __builtin_amdgcn_ballot_w64(p != 0);
#else
    return __builtin_amdgcn_ballot_w32(p != 0);
#endif
}
RLV_DEV int __any(int p) { return __ballot(p) != 0; }
RLV_DEV int __all(int p) { return __ballot(!p) == 0; }
RLV_DEV int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
RLV_DEV int __popc(unsigned v) { return __builtin_popcount(v); }

template <class T>
RLV_DEV T rlv_from(T v, int lane) {
    constexpr int words = (sizeof(T) + 3) / 4;
    int w[words] = {};
    __builtin_memcpy(w, &v, sizeof(T));
    for (int i = 0; i < words; i++) w[i] = __builtin_amdgcn_ds_bpermute(lane * 4, w[i]);
    __builtin_memcpy(&v, w, sizeof(T));
    return v;
}
template <class T>
RLV_DEV T __shfl(T v, int lane, int width = warpSize) {
    const int self = (int)__lane_id();
    return rlv_from(v, (lane & (width - 1)) + (self & ~(width - 1)));
}
template <class T>
RLV_DEV T __shfl_up(T v, unsigned n, int width = warpSize) {
    const int self = (int)__lane_id(), to = self - (int)n;
    return rlv_from(v, to < (self & ~(width - 1)) ? self : to);
}
template <class T>
RLV_DEV T __shfl_down(T v, unsigned n, int width = warpSize) {
    const int self = (int)__lane_id(), to = self + (int)n;
    return rlv_from(v, (self & (width - 1)) + (int)n >= width ? self : to);
}
template <class T>
RLV_DEV T __shfl_xor(T v, int mask, int width = warpSize) {
    const int self = (int)__lane_id(), to = self ^ mask;
    return rlv_from(v, to >= ((self + width) & ~(width - 1)) ? self : to);
}

#define RLV_ATOMIC(name, builtin, type) \
    RLV_DEV type name(type* p, type v) { return builtin(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
#define RLV_ATOMICS(type)                                  \
    RLV_ATOMIC(atomicAdd, __hip_atomic_fetch_add, type)    \
    RLV_ATOMIC(atomicMax, __hip_atomic_fetch_max, type)    \
    RLV_ATOMIC(atomicMin, __hip_atomic_fetch_min, type)    \
    RLV_ATOMIC(atomicAnd, __hip_atomic_fetch_and, type)    \
    RLV_ATOMIC(atomicOr, __hip_atomic_fetch_or, type)      \
    RLV_ATOMIC(atomicXor, __hip_atomic_fetch_xor, type)    \
    RLV_ATOMIC(atomicExch, __hip_atomic_exchange, type)    \
    RLV_DEV type atomicCAS(type* p, type old, type v) {    \
        __hip_atomic_compare_exchange_strong(p, &old, v, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); \
        return old;                                        \
    }
RLV_ATOMICS(int)
RLV_ATOMICS(unsigned)
RLV_ATOMICS(unsigned long long)
RLV_ATOMIC(atomicAdd, __hip_atomic_fetch_add, float)
RLV_ATOMIC(atomicAdd, __hip_atomic_fetch_add, double)
