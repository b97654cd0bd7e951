// dequantize and qmatmul: the numbers of ggml's blocks, and products with them. Blocks are read byte by byte, because they are
// not aligned, and a view of them may have any strides.
#include "num.h"
#include "params.h"

namespace rl {

using A = acc_t<RL_T>;

// A row of blocks.
struct Bytes {
    const u8* data;
    i64 step;
    RL_FN u32 at(u64 i) const { return data[(i64)i * step]; }
    RL_FN i32 signed_at(u64 i) const { return (i32)(i8)at(i); }
    RL_FN u32 word(u64 i) const { return at(i) | at(i + 1) << 8; }
    RL_FN f32 half(u64 i) const { return f16_to_f32(f16{(u16)word(i)}); }
    RL_FN f32 single(u64 i) const { return bits_as<f32>(word(i) | word(i + 2) << 16); }
};

// Returns the scale (or the minimum) of 6 bits of group s of a Q4K or Q5K block, whose 12 bytes of scales begin at b.
RL_DEV u32 six_bits(const Bytes& x, u64 b, u32 s, bool min) {
    const u32 first = min ? 4u : 0u;
    if (s < 4u) return x.at(b + first + s) & 63u;
    const u32 low = x.at(b + s + 4u);
    return (min ? low >> 4 : low & 15u) | x.at(b + first + s - 4u) >> 6 << 4;
}

// Returns element k of a row of blocks: each operation rounded, as on the CPU.
template <BlockFormat F>
RL_DEV f32 element(const Bytes& x, u64 k) {
    if constexpr (F == BlockFormat::F32) return x.single(k * 4);
    else if constexpr (F == BlockFormat::F16) return x.half(k * 2);
    else if constexpr (F == BlockFormat::BF16) return bits_as<f32>(x.word(k * 2) << 16);
    else if constexpr (F == BlockFormat::Q4_0 || F == BlockFormat::Q4_1) {
        constexpr bool min = F == BlockFormat::Q4_1;
        const u64 b = k / 32 * (min ? 20 : 18);
        const u32 i = k % 32, q = x.at(b + (min ? 4 : 2) + i % 16) >> i / 16 * 4 & 15u;
        if constexpr (min) return mul((f32)q, x.half(b)) + x.half(b + 2);
        else return mul((f32)((i32)q - 8), x.half(b));
    } else if constexpr (F == BlockFormat::Q5_0 || F == BlockFormat::Q5_1) {
        constexpr bool min = F == BlockFormat::Q5_1;
        constexpr u32 head = min ? 4 : 2;
        const u64 b = k / 32 * (min ? 24 : 22);
        const u32 i = k % 32, high = x.at(b + head + i / 8) >> i % 8 & 1u;
        const u32 q = (x.at(b + head + 4 + i % 16) >> i / 16 * 4 & 15u) | high << 4;
        if constexpr (min) return mul((f32)q, x.half(b)) + x.half(b + 2);
        else return mul((f32)((i32)q - 16), x.half(b));
    } else if constexpr (F == BlockFormat::Q8_0) {
        const u64 b = k / 32 * 34;
        return mul((f32)x.signed_at(b + 2 + k % 32), x.half(b));
    } else if constexpr (F == BlockFormat::Q8_1) {
        const u64 b = k / 32 * 36;
        return mul((f32)x.signed_at(b + 4 + k % 32), x.half(b));
    } else if constexpr (F == BlockFormat::Q8K) {
        const u64 b = k / 256 * 292;
        return mul(x.single(b), (f32)x.signed_at(b + 4 + k % 256));
    } else if constexpr (F == BlockFormat::Q2K) {
        const u64 b = k / 256 * 84;
        const u32 i = k % 256, scale = x.at(b + i / 16);
        const u32 q = x.at(b + 16 + i / 128 * 32 + i % 32) >> i % 128 / 32 * 2 & 3u;
        const f32 d = mul(x.half(b + 80), (f32)(scale & 15u)), m = mul(x.half(b + 82), (f32)(scale >> 4));
        return mul(d, (f32)q) - m;
    } else if constexpr (F == BlockFormat::Q3K) {
        const u64 b = k / 256 * 110;
        const u32 i = k % 256, s = i / 16;
        const u32 low = x.at(b + 96 + s % 8) >> s / 8 * 4 & 15u, high = x.at(b + 104 + s % 4) >> s / 4 * 2 & 3u;
        const u32 two = x.at(b + 32 + i / 128 * 32 + i % 32) >> i % 128 / 32 * 2 & 3u;
        const u32 q = two | (x.at(b + i % 32) >> i / 32 & 1u) << 2;
        return mul(mul(x.half(b + 108), (f32)((i32)(low | high << 4) - 32)), (f32)((i32)q - 4));
    } else if constexpr (F == BlockFormat::Q4K || F == BlockFormat::Q5K) {
        constexpr bool five = F == BlockFormat::Q5K;
        const u64 b = k / 256 * (five ? 176 : 144);
        const u32 i = k % 256, s = i / 32;
        u32 q = x.at(b + (five ? 48 : 16) + i / 64 * 32 + i % 32) >> i / 32 % 2 * 4 & 15u;
        if constexpr (five) q |= (x.at(b + 16 + i % 32) >> s & 1u) << 4;
        const f32 d = mul(x.half(b), (f32)six_bits(x, b + 4, s, false));
        return mul(d, (f32)q) - mul(x.half(b + 2), (f32)six_bits(x, b + 4, s, true));
    } else {
        static_assert(F == BlockFormat::Q6K, "a type without a formula");
        const u64 b = k / 256 * 210;
        const u32 i = k % 256, half = i / 128, group = i % 128 / 32;
        const u32 low = x.at(b + half * 64 + group % 2 * 32 + i % 32) >> group / 2 * 4 & 15u;
        const u32 high = x.at(b + 128 + half * 32 + i % 32) >> group * 2 & 3u;
        return mul(mul(x.half(b + 208), (f32)x.signed_at(b + 192 + i / 16)), (f32)((i32)(low | high << 4) - 32));
    }
}

RL_DEV Bytes row_of(const QuantizedParams& p, u64 row) {
    return {(const u8*)p.blocks + (i64)(row * p.block_strides.row), (i64)p.block_strides.column};
}

// A thread for each element.
struct Numbers {
    template <BlockFormat F>
    static RL_FN void run(const QuantizedParams& p) {
        const u64 step = (u64)p.grid * RL_BLOCK, count = p.columns * p.depth;
        for (u64 e = global_thread(); e < count; e += step) {
            u64 k = 0;
            const u64 row = div_mod(e, p.depth, k);
            ((RL_T*)p.out)[e] = from_acc<RL_T>((A)element<F>(row_of(p, row), k));
        }
    }
};

// A group of 32 lanes for ROWS rows of x and a row of blocks: lane l takes products l, l + 32, .., each number of the blocks for all
// rows, and the lanes are folded.
template <u32 ROWS>
struct Product {
    template <BlockFormat F>
    static RL_FN void run(const QuantizedParams& p) {
        constexpr u32 LANES = 32, GROUPS = RL_BLOCK / LANES;
        const u64 step = (u64)p.grid * GROUPS, parts = (p.rows + ROWS - 1) / ROWS;
        for (u64 e = (u64)block() * GROUPS + thread() / LANES; e < p.columns * parts; e += step) {
            u64 column = 0;
            const u64 row0 = div_mod(e, p.columns, column) * ROWS;
            const Bytes weights = row_of(p, column);
            const RL_T* x = (const RL_T*)p.x + (i64)(row0 * p.x_strides.row);
            A sum[ROWS];
            for (u32 r = 0; r < ROWS; r++) sum[r] = 0;
            for (u64 k = lane32(); k < p.depth; k += LANES) {
                const A w = (A)element<F>(weights, k);
                const i64 at = (i64)(k * p.x_strides.column);
#pragma unroll
                for (u32 r = 0; r < ROWS; r++) {
                    if (row0 + r < p.rows) sum[r] = fma(w, acc<RL_T>(x[(i64)(r * p.x_strides.row) + at]), sum[r]);
                }
            }
#pragma unroll
            for (u32 r = 0; r < ROWS; r++) {
                for (u32 half = LANES / 2; half > 0; half /= 2) sum[r] = sum[r] + shfl_down(sum[r], half);
                if (lane32() == 0 && row0 + r < p.rows) ((RL_T*)p.out)[(row0 + r) * p.columns + column] = from_acc<RL_T>(sum[r]);
            }
        }
    }
};

// Calls the function of the blocks' type.
template <class Function>
RL_DEV void by_format(const QuantizedParams& p) {
#define RL_FORMAT(f) \
    case BlockFormat::f: return Function::template run<BlockFormat::f>(p);
    switch (p.format) {
        RL_FORMAT(F32)
        RL_FORMAT(F16)
        RL_FORMAT(BF16)
        RL_FORMAT(Q4_0)
        RL_FORMAT(Q4_1)
        RL_FORMAT(Q5_0)
        RL_FORMAT(Q5_1)
        RL_FORMAT(Q8_0)
        RL_FORMAT(Q8_1)
        RL_FORMAT(Q2K)
        RL_FORMAT(Q3K)
        RL_FORMAT(Q4K)
        RL_FORMAT(Q5K)
        RL_FORMAT(Q6K)
        RL_FORMAT(Q8K)
    }
#undef RL_FORMAT
}

}  // namespace rl

RL_KERNEL(dequantize, element)(rl::QuantizedParams p) { rl::by_format<rl::Numbers>(p); }
RL_KERNEL(qmatmul, row)(rl::QuantizedParams p) { rl::by_format<rl::Product<1>>(p); }
RL_KERNEL(qmatmul, tile)(rl::QuantizedParams p) { rl::by_format<rl::Product<8>>(p); }
