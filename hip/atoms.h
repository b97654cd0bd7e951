// atoms.h: products of small matrices that the lanes of a wave compute together: by a matrix instruction where the target has one
// for the type, else by fused multiply-adds. An atom consists of
//
//   Element                elements in LDS
//   LANES, ROWS, COLUMNS   lanes that take part; the size of the result
//   SPAN, PACKS            packs of the inner dimension in a row of each factor; those of them that a lane reads
//   KEPT                   results of a lane
//   line_a(l), line_b(l)   the row of A and the column of B that lane l reads, and pack(l), the first of its packs
//   row(l), column(l)      where the first result of lane l is; the others are step(r) rows below
//   ORDERED                pack 2 s + h of a row holds the indices 8 s + 2 i + h, so that the instruction adds them in order
//   other(v)               of atoms on matrix units: the number of the lane with the same column in the other half of the wave
//   fragment(own, to)      of those of f16 and bf16: the packs of B that a lane reads, from one pack of each half's lane
//
// A row of a tile is 64 bytes of the inner dimension, 4 packs of 16 bytes. Two rows are a line of all 32 banks; packs are
// exchanged in each line, so that neither the reads of fragments nor the writes of loaded packs meet in a bank. For atoms of
// fewer than 16 rows a fifth pack, which is not used, does nearly the same, with addresses that differ by constants.
#pragma once
#include "num.h"

#if defined(RL_AMD) && defined(__has_builtin)
#if defined(__gfx90a__) || defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__) || defined(__gfx950__)
#define RL_MFMA 1
#elif defined(__GFX11__)
#if __has_builtin(__builtin_amdgcn_wmma_f32_16x16x16_f16_w32)
#define RL_WMMA 1
#endif
#endif
#endif

// Three waves in a SIMD of CDNA, so that the sums of large tiles stay in vector registers.
#if defined(RL_MFMA)
#define RL_WAVES __attribute__((amdgpu_waves_per_eu(3)))
#else
#define RL_WAVES
#endif

namespace rl {

// 16 bytes of LDS.
struct alignas(16) Words {
    u32 w[4];
};

// Fused multiply-adds in the order of the inner dimension. 32 lanes whatever the wave: they exchange nothing.
struct FmaAtom {
    using Element = f32;
    static constexpr u32 LANES = 32, ROWS = 4, COLUMNS = 8, SPAN = 1, PACKS = 1, KEPT = 1;
    static constexpr bool ORDERED = false;
    struct Sums {
        f32 v[1];
    };
    RL_FN static u32 line_a(u32 l) { return l / 8; }
    RL_FN static u32 line_b(u32 l) { return l % 8; }
    RL_FN static u32 pack(u32) { return 0; }
    RL_FN static u32 row(u32 l) { return l / 8; }
    RL_FN static u32 column(u32 l) { return l % 8; }
    RL_FN static constexpr u32 step(u32) { return 0; }
    RL_FN static void multiply(const Words* a, const Words* b, Sums& sums) {
        for (u32 i = 0; i < 4; i++) sums.v[0] = fma(bits_as<f32>(a->w[i]), bits_as<f32>(b->w[i]), sums.v[0]);
    }
};

#if defined(RL_MFMA)
typedef f32 f32x16 __attribute__((ext_vector_type(16)));
typedef _Float16 f16x4 __attribute__((ext_vector_type(4)));
typedef i16 i16x4 __attribute__((ext_vector_type(4)));

// 32 x 32 results in waves of 64: A's row is l % 32, B's column too; the halves of the wave have different packs.
struct Mfma {
    static constexpr u32 LANES = 64, ROWS = 32, COLUMNS = 32, SPAN = 2, PACKS = 1, KEPT = 16;
    struct Sums {
        f32x16 v;
    };
    RL_FN static u32 line_a(u32 l) { return l % 32; }
    RL_FN static u32 line_b(u32 l) { return l % 32; }
    RL_FN static u32 pack(u32 l) { return l / 32; }
    RL_FN static u32 row(u32 l) { return l / 32 * 4; }
    RL_FN static u32 column(u32 l) { return l % 32; }
    RL_FN static constexpr u32 step(u32 r) { return 8 * (r / 4) + r % 4; }
    RL_FN static u32 other(u32 v) { return (u32)__builtin_amdgcn_ds_bpermute((i32)((thread() ^ 32u) % 64 * 4), (i32)v); }
    // Each half reads its own pack.
    RL_FN static void fragment(const Words& own, Words* to) { to[0] = own; }
};

// Each instruction adds two products in order, those of the lower half of the wave first.
struct MfmaF32 : Mfma {
    using Element = f32;
    static constexpr bool ORDERED = true;
    RL_FN static void multiply(const Words* a, const Words* b, Sums& sums) {
        for (u32 i = 0; i < 4; i++) {
            sums.v = __builtin_amdgcn_mfma_f32_32x32x2f32(bits_as<f32>(a->w[i]), bits_as<f32>(b->w[i]), sums.v, 0, 0, 0);
        }
    }
};

// Two instructions for the 16 indices of the packs of both halves, in any order.
template <class T>
struct MfmaHalf : Mfma {
    using Element = T;
    static constexpr bool ORDERED = false;
    RL_FN static void multiply(const Words* a, const Words* b, Sums& sums) {
        for (u32 i = 0; i < 2; i++) {
            const u64 x = (u64)a->w[2 * i] | (u64)a->w[2 * i + 1] << 32, y = (u64)b->w[2 * i] | (u64)b->w[2 * i + 1] << 32;
            if constexpr (same<T, f16>::value) {
                sums.v = __builtin_amdgcn_mfma_f32_32x32x8f16(bits_as<f16x4>(x), bits_as<f16x4>(y), sums.v, 0, 0, 0);
            } else {
                sums.v = __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(bits_as<i16x4>(x), bits_as<i16x4>(y), sums.v, 0, 0, 0);
            }
        }
    }
};
template <class T>
using FastAtom = MfmaHalf<T>;
using ExactAtom = MfmaF32;
#elif defined(RL_WMMA)
typedef f32 f32x8 __attribute__((ext_vector_type(8)));
typedef _Float16 f16x16 __attribute__((ext_vector_type(16)));
typedef i16 i16x16 __attribute__((ext_vector_type(16)));

struct EightWords {
    u32 w[8];
};

// 16 x 16 results in waves of 32, both halves of which read the same rows.
template <class T>
struct Wmma {
    using Element = T;
    static constexpr u32 LANES = 32, ROWS = 16, COLUMNS = 16, SPAN = 2, PACKS = 2, KEPT = 8;
    static constexpr bool ORDERED = false;
    struct Sums {
        f32x8 v;
    };
    RL_FN static u32 line_a(u32 l) { return l % 16; }
    RL_FN static u32 line_b(u32 l) { return l % 16; }
    RL_FN static u32 pack(u32) { return 0; }
    RL_FN static u32 row(u32 l) { return l / 16; }
    RL_FN static u32 column(u32 l) { return l % 16; }
    RL_FN static constexpr u32 step(u32 r) { return 2 * r; }
    RL_FN static u32 other(u32 v) { return (u32)__builtin_amdgcn_permlanex16(v, v, 0x76543210, 0xfedcba98, false, false); }
    // Both halves read both packs.
    RL_FN static void fragment(const Words& own, Words* to) {
        const bool upper = thread() % 32 >= 16;
        for (u32 i = 0; i < 4; i++) {
            const u32 more = other(own.w[i]);
            to[0].w[i] = upper ? more : own.w[i];
            to[1].w[i] = upper ? own.w[i] : more;
        }
    }
    RL_FN static void multiply(const Words* a, const Words* b, Sums& sums) {
        EightWords x, y;
        for (u32 i = 0; i < 8; i++) {
            x.w[i] = a[i / 4].w[i % 4];
            y.w[i] = b[i / 4].w[i % 4];
        }
        if constexpr (same<T, f16>::value) {
            sums.v = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(bits_as<f16x16>(x), bits_as<f16x16>(y), sums.v);
        } else {
            sums.v = __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(bits_as<i16x16>(x), bits_as<i16x16>(y), sums.v);
        }
    }
};
template <class T>
using FastAtom = Wmma<T>;
using ExactAtom = FmaAtom;
#else
template <class T>
using FastAtom = FmaAtom;
using ExactAtom = FmaAtom;
#endif

// The index of a pack in a tile of rows of 4 packs. A row that is 16 further adds 64.
RL_DEV u32 place_of(u32 line, u32 pack) { return line / 2 * 8 + ((line % 2 * 4 + pack) ^ (line / 2 % 8)); }

}  // namespace rl
