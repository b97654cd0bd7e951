// blocks.h: ggml's blocks of quantized numbers, read by quads: 4 neighbouring elements, whose levels are the 4 bytes of a word or
// bits of them. fetch_quad loads the words that a quad needs, numbers_of computes the numbers, each operation rounded as on the
// CPU, so that words can be on their way while the thread computes something else. Loads that quads of a block share are the
// same instruction to the compiler, which does them once.
#pragma once
#include "num.h"
#include "params.h"

namespace rl {

// Words of a quad.
constexpr u32 QUAD_WORDS = 6;

RL_DEV constexpr bool is_number(BlockFormat f) {
    return f == BlockFormat::F32 || f == BlockFormat::F16 || f == BlockFormat::BF16;
}
// Elements of a block.
RL_DEV constexpr u32 block_size(BlockFormat f) {
    if (is_number(f)) return 1;
    return f == BlockFormat::Q4_0 || f == BlockFormat::Q4_1 || f == BlockFormat::Q5_0 || f == BlockFormat::Q5_1 ||
                   f == BlockFormat::Q8_0 || f == BlockFormat::Q8_1
               ? 32
               : 256;
}
// Bytes of a block.
RL_DEV constexpr u32 block_bytes(BlockFormat f) {
    switch (f) {
        case BlockFormat::F32: return 4;
        case BlockFormat::F16: return 2;
        case BlockFormat::BF16: return 2;
        case BlockFormat::Q4_0: return 18;
        case BlockFormat::Q4_1: return 20;
        case BlockFormat::Q5_0: return 22;
        case BlockFormat::Q5_1: return 24;
        case BlockFormat::Q8_0: return 34;
        case BlockFormat::Q8_1: return 36;
        case BlockFormat::Q2K: return 84;
        case BlockFormat::Q3K: return 110;
        case BlockFormat::Q4K: return 144;
        case BlockFormat::Q5K: return 176;
        case BlockFormat::Q6K: return 210;
        case BlockFormat::Q8K: return 292;
    }
    return 0;
}

// Returns where the levels of element i are in a block, and where their upper bits are in a type that has_upper.
RL_DEV constexpr u32 levels_at(BlockFormat f, u32 i) {
    switch (f) {
        case BlockFormat::Q4_0: return 2 + i % 16;
        case BlockFormat::Q4_1: return 4 + i % 16;
        case BlockFormat::Q5_0: return 6 + i % 16;
        case BlockFormat::Q5_1: return 8 + i % 16;
        case BlockFormat::Q8_0: return 2 + i;
        case BlockFormat::Q2K: return 16 + i / 128 * 32 + i % 32;
        case BlockFormat::Q3K: return 32 + i / 128 * 32 + i % 32;
        case BlockFormat::Q4K: return 16 + i / 64 * 32 + i % 32;
        case BlockFormat::Q5K: return 48 + i / 64 * 32 + i % 32;
        case BlockFormat::Q6K: return i / 128 * 64 + i % 64;
        default: return 4 + i;  // Q8_1, Q8K
    }
}
RL_DEV constexpr bool has_upper(BlockFormat f) { return f == BlockFormat::Q3K || f == BlockFormat::Q5K || f == BlockFormat::Q6K; }
RL_DEV constexpr u32 upper_at(BlockFormat f, u32 i) {
    if (f == BlockFormat::Q3K) return i % 32;
    return f == BlockFormat::Q5K ? 16 + i % 32 : 128 + i / 128 * 32 + i % 32;
}

// Loads the words of elements i to i + 3 of the block at `at`. i is a multiple of 4. Of numbers, which are blocks of one element, i
// counts elements from `at` on, and those past the first `count` are 0.
template <BlockFormat F>
RL_DEV void fetch_quad(u64 at, u32 i, u64 count, u32 (&w)[QUAD_WORDS]) {
    using B = BlockFormat;
    if constexpr (is_number(F)) {
#pragma unroll
        for (u32 n = 0; n < 4; n++) {
            w[n] = 0;
            if (i + n < count) {
                if constexpr (F == B::F32) w[n] = load_word(at + (i + n) * 4);
                else w[n] = load_half(at + (i + n) * 2);
            }
        }
    } else {
        w[0] = load_word(at + levels_at(F, i));
        if constexpr (has_upper(F)) w[5] = load_word(at + upper_at(F, i));
        if constexpr (F == B::Q4_0 || F == B::Q8_0 || F == B::Q8_1) {
            w[1] = load_half(at);
        } else if constexpr (F == B::Q4_1 || F == B::Q8K) {
            w[1] = load_word(at);
        } else if constexpr (F == B::Q5_0) {
            w[1] = load_half(at);
            w[2] = load_word(at + 2);
        } else if constexpr (F == B::Q5_1) {
            w[1] = load_word(at);
            w[2] = load_word(at + 4);
        } else if constexpr (F == B::Q2K) {
            w[1] = load_word(at + 80);
            w[2] = load_word(at + i / 64 * 4);
        } else if constexpr (F == B::Q3K) {
            w[1] = load_half(at + 108);
            w[2] = load_word(at + 96 + i / 64 % 2 * 4);
            w[3] = load_word(at + 104);
        } else if constexpr (F == B::Q4K || F == B::Q5K) {
            w[1] = load_word(at);
            for (u32 n = 0; n < 3; n++) w[2 + n] = load_word(at + 4 + 4 * n);
        } else {
            static_assert(F == B::Q6K, "a type without a layout");
            w[1] = load_half(at + 208);
            w[2] = load_word(at + 192 + i / 64 * 4);
        }
    }
}

// Returns byte n of a word as a number.
RL_DEV f32 byte_of(u32 w, u32 n) { return (f32)(w >> (8 * n) & 255u); }
RL_DEV f32 signed_byte_of(u32 w, u32 n) { return (f32)(i32)(i8)(w >> (8 * n)); }
RL_DEV f32 low_half(u32 w) { return f16_to_f32(f16{(u16)w}); }
RL_DEV f32 high_half(u32 w) { return f16_to_f32(f16{(u16)(w >> 16)}); }
// Returns bits i to i + 3 of a word, one in each byte.
RL_DEV u32 bits_to_bytes(u32 w, u32 i) { return (w >> i & 15u) * 0x00204081u & 0x01010101u; }

// Numbers are scale * (level - center) + offset: types have a center, or an offset, or signed levels.
RL_DEV constexpr bool has_signs(BlockFormat f) { return f == BlockFormat::Q8_0 || f == BlockFormat::Q8_1 || f == BlockFormat::Q8K; }
RL_DEV constexpr bool has_offset(BlockFormat f) {
    return f == BlockFormat::Q4_1 || f == BlockFormat::Q5_1 || f == BlockFormat::Q2K || f == BlockFormat::Q4K || f == BlockFormat::Q5K;
}
RL_DEV constexpr u32 center_of(BlockFormat f) {
    if (f == BlockFormat::Q4_0) return 8;
    if (f == BlockFormat::Q5_0) return 16;
    return f == BlockFormat::Q3K ? 4 : f == BlockFormat::Q6K ? 32 : 0;
}

// Computes the levels of the quad whose words are `w`, one in each byte of `q`.
template <BlockFormat F>
RL_DEV void levels_of(const u32 (&w)[QUAD_WORDS], u32 i, u32& q, f32& scale, f32& offset) {
    using B = BlockFormat;
    q = w[0];
    scale = offset = 0;
    if constexpr (F == B::Q4_0 || F == B::Q4_1 || F == B::Q5_0 || F == B::Q5_1) {
        q = q >> (i / 16 * 4) & 0x0f0f0f0fu;
        if constexpr (F == B::Q5_0 || F == B::Q5_1) q |= bits_to_bytes(w[2], i) << 4;
        scale = low_half(w[1]);
        offset = high_half(w[1]);
    } else if constexpr (F == B::Q8_0 || F == B::Q8_1 || F == B::Q8K) {
        scale = F == B::Q8K ? bits_as<f32>(w[1]) : low_half(w[1]);
    } else if constexpr (F == B::Q2K) {
        const u32 both = w[2] >> (i / 16 % 4 * 8);
        q = q >> (i / 32 % 4 * 2) & 0x03030303u;
        scale = mul(low_half(w[1]), (f32)(both & 15u));
        offset = -mul(high_half(w[1]), (f32)(both >> 4 & 15u));
    } else if constexpr (F == B::Q3K) {
        const u32 s = i / 16, low = w[2] >> (s % 4 * 8 + s / 8 * 4) & 15u, high = w[3] >> (s % 4 * 8 + s / 4 * 2) & 3u;
        q = (q >> (i / 32 % 4 * 2) & 0x03030303u) | (w[5] >> (i / 32) & 0x01010101u) << 2;
        scale = mul(low_half(w[1]), (f32)((i32)(low | high << 4) - 32));
    } else if constexpr (F == B::Q4K || F == B::Q5K) {
        // Scales and minima of 6 bits. Those of the last four groups have their upper two bits beside the first ones.
        const u32 s = i / 32, a = w[2] >> (s % 4 * 8), b = w[3] >> (s % 4 * 8), c = w[4] >> (s % 4 * 8);
        const u32 d = s < 4u ? a & 63u : (c & 15u) | (a >> 6 & 3u) << 4;
        const u32 m = s < 4u ? b & 63u : (c >> 4 & 15u) | (b >> 6 & 3u) << 4;
        q = q >> (s % 2 * 4) & 0x0f0f0f0fu;
        if constexpr (F == B::Q5K) q |= (w[5] >> s & 0x01010101u) << 4;
        scale = mul(low_half(w[1]), (f32)d);
        offset = -mul(high_half(w[1]), (f32)m);
    } else if constexpr (F == B::Q6K) {
        q = (q >> (i / 64 % 2 * 4) & 0x0f0f0f0fu) | (w[5] >> (i / 32 % 4 * 2) & 0x03030303u) << 4;
        scale = mul(low_half(w[1]), signed_byte_of(w[2] >> (i / 16 % 4 * 8), 0));
    }
}

// Computes the numbers of the quad whose words are `w`.
template <BlockFormat F>
RL_DEV void numbers_of(const u32 (&w)[QUAD_WORDS], u32 i, f32 (&y)[4]) {
    using B = BlockFormat;
    u32 q = 0;
    f32 scale = 0, offset = 0;
    levels_of<F>(w, i, q, scale, offset);
#pragma unroll
    for (u32 n = 0; n < 4; n++) {
        if constexpr (F == B::F32) y[n] = bits_as<f32>(w[n]);
        else if constexpr (F == B::F16) y[n] = low_half(w[n]);
        else if constexpr (F == B::BF16) y[n] = bits_as<f32>(w[n] << 16);
        else if constexpr (has_signs(F)) y[n] = mul(scale, signed_byte_of(q, n));
        else if constexpr (has_offset(F)) y[n] = mul(scale, byte_of(q, n)) + offset;
        else y[n] = mul(scale, byte_of(q, n) - (f32)center_of(F));
    }
}

// Calls call.run<F>() for the type of blocks.
template <class Call>
RL_DEV void by_format(BlockFormat format, Call call) {
#define RL_FORMAT(f) \
    case BlockFormat::f: return call.template run<BlockFormat::f>();
    switch (format) {
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
