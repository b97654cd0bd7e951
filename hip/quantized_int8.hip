// quantize_int8 and qmatmul_int8: rows in 8 bits, and their products with ggml's blocks, whose levels are multiplied as integers.
#include "int8.h"

namespace rl {

// 8 neighbouring threads take a block of 32 elements, each of them 4. `columns` is the number of blocks of a row.
struct Quantizer {
    const QuantizedParams& p;

    RL_FN void run() const {
        constexpr u32 AT_ONCE = RL_BLOCK / INT_LANES;
        const u64 items = p.rows * p.columns;
        const u32 t = thread() % INT_LANES;
        // (All threads of a group of 32 exchange values.)
        for (u64 b = (u64)block() * AT_ONCE; b < items; b += (u64)p.grid * AT_ONCE) {
            const u64 e = b + thread() / INT_LANES;
            f32 x[4] = {};
            if (e < items) {
                u64 column = 0;
                const u64 row = div_mod(e, p.columns, column);
                RL_T v[4];
                u32 w[sizeof(v) / 4];
                load_words<sizeof(v)>(p.x + (row * p.x_strides.row + column * INTS + t * 4) * sizeof(RL_T), w);
                RL_COPY(v, w, sizeof(v));
                for (u32 n = 0; n < 4; n++) x[n] = (f32)acc<RL_T>(v[n]);
            }
            // As bits, magnitudes are ordered like numbers, and NaN is the largest.
            u32 most = 0;
            for (u32 n = 0; n < 4; n++) {
                const u32 bits = bits_as<u32>(x[n]) & 0x7fffffffu;
                most = bits > most ? bits : most;
            }
            for (u32 mask = 4; mask > 0; mask /= 2) {
                const u32 other = shfl_xor(most, mask);
                most = other > most ? other : most;
            }
            const bool finite = most < 0x7f800000u;
            f32 scale = finite ? div(bits_as<f32>(most), 127.0f) : 0.0f;
            if (scale < 1.17549435e-38f) scale = 0.0f;
            const f32 by = scale > 0.0f ? div(1.0f, scale) : 0.0f;
            u32 q = 0;
            for (u32 n = 0; n < 4; n++) {
                const f32 level = by > 0.0f ? round_even(mul(x[n], by)) : 0.0f;
                const f32 inside = level > 127.0f ? 127.0f : level < -127.0f ? -127.0f : level;
                q |= ((u32)(i32)inside & 255u) << (8 * n);
            }
            i32 sum = dot4(q, 0x01010101u, 0);
            for (u32 mask = 4; mask > 0; mask /= 2) sum += shfl_xor(sum, mask);
            if (e < items) {
                const u64 to = p.out + e * INT_BYTES;
                store((u32*)(to + 8) + t, q);
                if (t == 0) {
                    const u32 head[2] = {finite ? bits_as<u32>(scale) : 0x7fc00000u, (u32)sum};
                    store_words(to, head);
                }
            }
        }
    }
};

// One row of x, or up to ROWS of its rows, by rows of blocks, each of which 8 neighbouring threads take: a thread for each lane.
template <u32 ROWS>
struct IntProduct {
    const QuantizedParams& p;

    // Adds the products of COUNT blocks of the lane, from block b on. All loads come before the products.
    template <BlockFormat F, u32 COUNT>
    RL_FN void add(u64 blocks, u32 b, u32 rows, u64 x0, f32 (&sum)[ROWS]) const {
        constexpr bool HALVES = has_halves(F), OFFSET = has_offset(F);
        LevelWords words[COUNT];
        Ints x[COUNT];
#pragma unroll
        for (u32 c = 0; c < COUNT; c++) {
            fetch_levels<F>(blocks, b + c * INT_LANES, words[c]);
            fetch_ints(x0 + (u64)(b + c * INT_LANES) * INT_BYTES, x[c]);
        }
        loads_first();
#pragma unroll
        for (u32 c = 0; c < COUNT; c++) {
            Levels levels;
            read_levels<F>(words[c], b + c * INT_LANES, levels);
            // Many rows share centered levels. One row subtracts the centers' share of the sums.
            if constexpr (ROWS > 1) {
                for (u32 n = 0; n < INT_WORDS; n++) levels.q[n] = centered<F>(levels.q[n]);
            }
#pragma unroll
            for (u32 r = 0; r < ROWS; r++) {
                if (r > 0 && r >= rows) break;
                if (r > 0) fetch_ints(x0 + r * p.x_strides.row + (u64)(b + c * INT_LANES) * INT_BYTES, x[c]);
                sum[r] = product<F>(levels, x[c], sum[r]);
            }
        }
    }

    template <BlockFormat F>
    RL_FN static f32 product(const Levels& levels, const Ints& x, f32 sum) {
        constexpr bool HALVES = has_halves(F), OFFSET = has_offset(F);
        constexpr u32 CENTER = center_of(F);
        i32 s[2] = {0, 0}, of_both[2] = {x.sum, 0};
        if constexpr (HALVES && OFFSET) {
            of_both[0] = 0;
            for (u32 n = 0; n < INT_WORDS; n++) of_both[n / 4] = dot4(x.q[n], 0x01010101u, of_both[n / 4]);
        } else if constexpr (CENTER > 0 && ROWS == 1) {
            constexpr u32 MINUS = (256u - CENTER) * 0x01010101u;
            for (u32 n = 0; n < INT_WORDS; n++) s[HALVES ? n / 4 : 0] = dot4(x.q[n], MINUS, s[HALVES ? n / 4 : 0]);
        }
#pragma unroll
        for (u32 n = 0; n < INT_WORDS; n++) s[HALVES ? n / 4 : 0] = dot4(levels.q[n], x.q[n], s[HALVES ? n / 4 : 0]);
        const f32 of_x[2] = {(f32)of_both[0], (f32)of_both[1]};
        return add_block<HALVES, OFFSET>(levels.scale, levels.offset, x.scale, s, of_x, sum);
    }

    template <BlockFormat F>
    RL_FN void run() const {
        if constexpr (!is_number(F)) {
            // Blocks of a lane that are loaded together: there are registers for 2 of one row.
            constexpr u32 AT_ONCE = RL_BLOCK / INT_LANES, COUNT = ROWS == 1 ? 2 : 1;
            const u64 parts = (p.rows + ROWS - 1) / ROWS, items = p.columns * parts;
            const u32 blocks = (u32)(p.depth / INTS);
            // (All threads of a group of 32 fold their lanes together.)
            for (u64 g = (u64)block() * AT_ONCE; g < items; g += (u64)p.grid * AT_ONCE) {
                const u64 e = g + thread() / INT_LANES;
                u64 column = 0, row = 0;
                f32 sum[ROWS] = {};
                if (e < items) {
                    if constexpr (ROWS == 1) column = e;
                    else row = div_mod(e, p.columns, column) * ROWS;
                    const u32 rows = p.rows - row < ROWS ? (u32)(p.rows - row) : ROWS;
                    const u64 x0 = p.x + row * p.x_strides.row, at = p.blocks + column * p.block_strides.row;
                    u32 b = thread() % INT_LANES;
                    if constexpr (COUNT > 1) {
#pragma unroll 1
                        for (; b + (COUNT - 1) * INT_LANES < blocks; b += COUNT * INT_LANES) add<F, COUNT>(at, b, rows, x0, sum);
                    }
#pragma unroll 1
                    for (; b < blocks; b += INT_LANES) add<F, 1>(at, b, rows, x0, sum);
                }
#pragma unroll
                for (u32 r = 0; r < ROWS; r++) {
                    f32 lane[1] = {sum[r]};
                    fold_lanes<Sum<f32>, INT_LANES>(lane);
                    if (e < items && thread() % INT_LANES == 0 && row + r < p.rows) {
                        store((RL_T*)p.out + (row + r) * p.columns + column, from_acc<RL_T>((acc_t<RL_T>)lane[0]));
                    }
                }
            }
        }
    }
};

RL_DEV void int_product_by_tiles(const QuantizedParams& p) {
    const u32 across = (u32)((p.columns + TILE_SIDE - 1) / TILE_SIDE), down = block() / across;
    const IntFactor x = {p.x, p.x_strides.row, (u64)down * TILE_SIDE, p.rows};
    const IntFactor w = {p.blocks, p.block_strides.row, (u64)(block() - down * across) * TILE_SIDE, p.columns};
    int_product<IntAtom>(x, w, p.format, (u32)(p.depth / INTS), [&](u64 row, u64 column, f32 sum) RL_INLINE {
        store((RL_T*)p.out + row * p.columns + column, from_acc<RL_T>((acc_t<RL_T>)sum));
    });
}

}  // namespace rl

RL_KERNEL(quantize_int8, element)(rl::QuantizedParams p) { rl::Quantizer{p}.run(); }
RL_KERNEL(qmatmul_int8, row)(rl::QuantizedParams p) { rl::by_format(p.format, rl::IntProduct<1>{p}); }
RL_KERNEL(qmatmul_int8, tile)(rl::QuantizedParams p) { rl::by_format(p.format, rl::IntProduct<8>{p}); }
RL_KERNEL(qmatmul_int8, large)(rl::QuantizedParams p) { rl::int_product_by_tiles(p); }
