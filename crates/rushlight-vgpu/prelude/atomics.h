// Atomic operations of HIP, also on memory that other host threads access: blocks run on several cores.
#pragma clang system_header

template <class T, class F>
__RLV_INLINE T __rlv_update(T* p, F next) {
    T old, now;
    __atomic_load(p, &old, __ATOMIC_RELAXED);
    do {
        now = next(old);
    } while (!__atomic_compare_exchange(p, &old, &now, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
}

#define __RLV_ATOMIC_INT(T)                                                                                          \
    __RLV_INLINE T atomicAdd(T* p, T v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }                       \
    __RLV_INLINE T atomicSub(T* p, T v) { return __atomic_fetch_sub(p, v, __ATOMIC_RELAXED); }                       \
    __RLV_INLINE T atomicAnd(T* p, T v) { return __atomic_fetch_and(p, v, __ATOMIC_RELAXED); }                       \
    __RLV_INLINE T atomicOr(T* p, T v) { return __atomic_fetch_or(p, v, __ATOMIC_RELAXED); }                         \
    __RLV_INLINE T atomicXor(T* p, T v) { return __atomic_fetch_xor(p, v, __ATOMIC_RELAXED); }                       \
    __RLV_INLINE T atomicExch(T* p, T v) { return __atomic_exchange_n(p, v, __ATOMIC_RELAXED); }                     \
    __RLV_INLINE T atomicMax(T* p, T v) { return __rlv_update(p, [=](T o) { return o < v ? v : o; }); }              \
    __RLV_INLINE T atomicMin(T* p, T v) { return __rlv_update(p, [=](T o) { return v < o ? v : o; }); }              \
    __RLV_INLINE T atomicCAS(T* p, T expected, T desired) {                                                          \
        __atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);               \
        return expected;                                                                                             \
    }
__RLV_ATOMIC_INT(int)
__RLV_ATOMIC_INT(unsigned)
__RLV_ATOMIC_INT(unsigned long long)
__RLV_ATOMIC_INT(long long)
__RLV_ATOMIC_INT(unsigned long)
__RLV_INLINE unsigned atomicInc(unsigned* p, unsigned v) {
    return __rlv_update(p, [=](unsigned o) { return o >= v ? 0u : o + 1; });
}
__RLV_INLINE unsigned atomicDec(unsigned* p, unsigned v) {
    return __rlv_update(p, [=](unsigned o) { return o == 0 || o > v ? v : o - 1; });
}
#define __RLV_ATOMIC_FLOAT(T)                                                                                 \
    __RLV_INLINE T atomicAdd(T* p, T v) { return __rlv_update(p, [=](T o) { return o + v; }); }               \
    __RLV_INLINE T atomicSub(T* p, T v) { return __rlv_update(p, [=](T o) { return o - v; }); }               \
    __RLV_INLINE T atomicMax(T* p, T v) { return __rlv_update(p, [=](T o) { return o < v ? v : o; }); }       \
    __RLV_INLINE T atomicMin(T* p, T v) { return __rlv_update(p, [=](T o) { return v < o ? v : o; }); }       \
    __RLV_INLINE T atomicExch(T* p, T v) { return __rlv_update(p, [=](T) { return v; }); }                    \
    __RLV_INLINE T unsafeAtomicAdd(T* p, T v) { return atomicAdd(p, v); }                                     \
    __RLV_INLINE T safeAtomicAdd(T* p, T v) { return atomicAdd(p, v); }                                       \
    __RLV_INLINE void atomicAddNoRet(T* p, T v) { (void)atomicAdd(p, v); }
__RLV_ATOMIC_FLOAT(float)
__RLV_ATOMIC_FLOAT(double)
#define atomicAdd_system atomicAdd
#define atomicCAS_system atomicCAS
#define atomicExch_system atomicExch
#define atomicMax_system atomicMax
#define atomicMin_system atomicMin

// Clang's scoped atomics; the host has one scope.
#ifndef __HIP_MEMORY_SCOPE_SINGLETHREAD
#define __HIP_MEMORY_SCOPE_SINGLETHREAD 1
#define __HIP_MEMORY_SCOPE_WAVEFRONT 2
#define __HIP_MEMORY_SCOPE_WORKGROUP 3
#define __HIP_MEMORY_SCOPE_AGENT 4
#define __HIP_MEMORY_SCOPE_SYSTEM 5
#endif
#define __hip_atomic_load(p, order, scope) __atomic_load_n(p, order)
#define __hip_atomic_store(p, v, order, scope) __atomic_store_n(p, v, order)
#define __hip_atomic_exchange(p, v, order, scope) __atomic_exchange_n(p, v, order)
#define __hip_atomic_compare_exchange_strong(p, e, d, ok, no, scope) __atomic_compare_exchange_n(p, e, d, false, ok, no)
#define __hip_atomic_compare_exchange_weak(p, e, d, ok, no, scope) __atomic_compare_exchange_n(p, e, d, true, ok, no)
#define __hip_atomic_fetch_add(p, v, order, scope) atomicAdd(p, v)
#define __hip_atomic_fetch_and(p, v, order, scope) __atomic_fetch_and(p, v, order)
#define __hip_atomic_fetch_or(p, v, order, scope) __atomic_fetch_or(p, v, order)
#define __hip_atomic_fetch_xor(p, v, order, scope) __atomic_fetch_xor(p, v, order)
#define __hip_atomic_fetch_max(p, v, order, scope) atomicMax(p, v)
#define __hip_atomic_fetch_min(p, v, order, scope) atomicMin(p, v)
