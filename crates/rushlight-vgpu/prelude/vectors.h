// Vector types of HIP: float4, int2, .. with their make_ functions and componentwise operators.
#pragma clang system_header

#define __RLV_VEC(T, name, size)                                                          \
    struct alignas(sizeof(T)) name##1 { T x; };                                           \
    struct alignas(2 * sizeof(T)) name##2 { T x, y; };                                    \
    struct name##3 { T x, y, z; };                                                        \
    struct alignas(4 * sizeof(T) > 16 ? 16 : 4 * sizeof(T)) name##4 { T x, y, z, w; };    \
    __RLV_INLINE name##1 make_##name##1(T x) { return {x}; }                              \
    __RLV_INLINE name##2 make_##name##2(T x, T y) { return {x, y}; }                      \
    __RLV_INLINE name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }              \
    __RLV_INLINE name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }      \
    __RLV_VEC_OP(T, name, +)                                                              \
    __RLV_VEC_OP(T, name, -)                                                              \
    __RLV_VEC_OP(T, name, *)                                                              \
    __RLV_VEC_OP(T, name, /)
#define __RLV_VEC_OP(T, name, op)                                                                              \
    __RLV_INLINE name##2 operator op(name##2 a, name##2 b) { return {(T)(a.x op b.x), (T)(a.y op b.y)}; }      \
    __RLV_INLINE name##3 operator op(name##3 a, name##3 b) {                                                   \
        return {(T)(a.x op b.x), (T)(a.y op b.y), (T)(a.z op b.z)};                                            \
    }                                                                                                          \
    __RLV_INLINE name##4 operator op(name##4 a, name##4 b) {                                                   \
        return {(T)(a.x op b.x), (T)(a.y op b.y), (T)(a.z op b.z), (T)(a.w op b.w)};                           \
    }
__RLV_VEC(signed char, char, 1)
__RLV_VEC(unsigned char, uchar, 1)
__RLV_VEC(short, short, 2)
__RLV_VEC(unsigned short, ushort, 2)
__RLV_VEC(int, int, 4)
__RLV_VEC(unsigned, uint, 4)
__RLV_VEC(long, long, 8)
__RLV_VEC(unsigned long, ulong, 8)
__RLV_VEC(long long, longlong, 8)
__RLV_VEC(unsigned long long, ulonglong, 8)
__RLV_VEC(float, float, 4)
__RLV_VEC(double, double, 8)
