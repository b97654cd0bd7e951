// dequantize and qmatmul: the numbers of ggml's blocks, and products with them. Blocks of a row are neighbours in memory.
#include "blocks.h"
#include "mma.h"
#include "reduce.h"

namespace rl {

using A = acc_t<RL_T>;

RL_DEV u64 row_of(const QuantizedParams& p, u64 row) { return p.blocks + row * p.block_strides.row; }

// A thread for each quad.
struct Numbers {
    const QuantizedParams& p;
    template <BlockFormat F>
    RL_FN void run() const {
        constexpr u32 SIZE = block_size(F);
        const u64 step = (u64)p.grid * RL_BLOCK, quads = (p.depth + 3) / 4, count = p.columns * quads;
        for (u64 e = global_thread(); e < count; e += step) {
            u64 quad = 0;
            const u64 row = div_mod(e, quads, quad), k = quad * 4;
            const u64 out = p.out + (row * p.depth + k) * sizeof(RL_T);
            u32 w[QUAD_WORDS];
            f32 y[4];
            fetch_quad<F>(row_of(p, row) + k / SIZE * block_bytes(F), (u32)(k % SIZE), p.depth - k, w);
            numbers_of<F>(w, (u32)(k % SIZE), y);
            Pack<RL_T, 4> v;
            for (u32 n = 0; n < 4; n++) v.v[n] = from_acc<RL_T>((A)y[n]);
            if (!is_number(F) || p.depth % 4 == 0) {
                store_words(out, v);
            } else {
                for (u32 n = 0; n < 4; n++) {
                    if (k + n < p.depth) store((RL_T*)out + n, v.v[n]);
                }
            }
        }
    }
};

// Up to ROWS rows of x by rows of blocks, each of which 8 neighbouring threads take. The sums have 32 lanes: a thread has 4 of
// them, so that a quad is a product for each. Of quads in the same words the compiler loads the words once.
template <u32 ROWS>
struct Product {
    static constexpr u32 EACH = 4, THREADS = LANES / EACH;
    const QuantizedParams& p;

    // Reads a quad of a row of x at `at`. By blocks of many elements x is multiplied in whole packs: its rows are neighbours in
    // memory at addresses of packs.
    template <bool PACKS>
    RL_FN void quad(u64 at, u64 k, A (&x)[EACH]) const {
        RL_T v[EACH] = {};
        if constexpr (PACKS) {
            u32 w[sizeof(v) / 4];
            load_words<sizeof(v)>(at + k * sizeof(RL_T), w);
            RL_COPY(v, w, sizeof(v));
        } else {
#pragma unroll
            for (u32 n = 0; n < EACH; n++) {
                if (k + n < p.depth) v[n] = load((const RL_T*)(at + (k + n) * p.x_strides.column * sizeof(RL_T)));
            }
        }
#pragma unroll
        for (u32 n = 0; n < EACH; n++) x[n] = acc<RL_T>(v[n]);
    }

    // Adds the products of COUNT times 32 elements, from element i of the block at `at` on, which is element k of the row. All
    // loads come before the products, so that they are on their way together.
    template <BlockFormat F, u32 COUNT>
    RL_FN void add(u64 at, u32 i, u64 k, u32 rows, u64 x0, A (&sum)[ROWS][EACH]) const {
        constexpr u32 SIZE = block_size(F) < LANES ? LANES : block_size(F), BYTES = block_bytes(F) * (SIZE / block_size(F));
        const u32 first = lane32() % THREADS * EACH;
        u32 w[COUNT][QUAD_WORDS];
        A x[COUNT][ROWS][EACH];
#pragma unroll
        for (u32 g = 0; g < COUNT; g++) {
            fetch_quad<F>(at + g * LANES / SIZE * BYTES, i + g * LANES % SIZE + first, p.depth - k - g * LANES, w[g]);
#pragma unroll
            for (u32 r = 0; r < ROWS; r++) {
                if (r == 0 || r < rows) quad<!is_number(F)>(x0 + r * p.x_strides.row * sizeof(RL_T), k + g * LANES + first, x[g][r]);
            }
        }
        loads_first();
#pragma unroll
        for (u32 g = 0; g < COUNT; g++) {
            f32 y[EACH];
            numbers_of<F>(w[g], i + g * LANES % SIZE + first, y);
#pragma unroll
            for (u32 r = 0; r < ROWS; r++) {
                if (r > 0 && r >= rows) break;
#pragma unroll
                for (u32 n = 0; n < EACH; n++) {
                    if (!is_number(F) || k + g * LANES + first + n < p.depth) sum[r][n] = fma((A)y[n], x[g][r][n], sum[r][n]);
                }
            }
        }
    }

    template <BlockFormat F>
    RL_FN void run() const {
        constexpr u32 SIZE = block_size(F) < LANES ? LANES : block_size(F), BYTES = block_bytes(F) * (SIZE / block_size(F));
        // Times 32 elements that are loaded together: there are registers for 8 of one row.
        constexpr u32 COUNT = ROWS == 1 && !is_number(F) ? 8 : 1, PART = COUNT * LANES < SIZE ? COUNT * LANES : SIZE;
        constexpr u32 AT_ONCE = RL_BLOCK / THREADS;
        const u64 parts = (p.rows + ROWS - 1) / ROWS, items = p.columns * parts;
        // (All threads of a group of 32 fold their lanes together.)
        for (u64 b = (u64)block() * AT_ONCE; b < items; b += (u64)p.grid * AT_ONCE) {
            const u64 e = b + thread() / THREADS;
            u64 column = 0, row = 0;
            A sum[ROWS][EACH] = {};
            if (e < items) {
                row = div_mod(e, p.columns, column) * ROWS;
                const u32 rows = p.rows - row < ROWS ? (u32)(p.rows - row) : ROWS;
                const u64 x0 = p.x + row * p.x_strides.row * sizeof(RL_T);
                u64 at = row_of(p, column), k = 0;
                if constexpr (COUNT * LANES > SIZE) {
#pragma unroll 1
                    for (; k + COUNT * LANES <= p.depth; k += COUNT * LANES) {
                        add<F, COUNT>(at, 0, k, rows, x0, sum);
                        at += COUNT * LANES / SIZE * BYTES;
                    }
                }
#pragma unroll 1
                for (; k < p.depth; k += SIZE) {
#pragma unroll 1
                    for (u32 i = 0; i < SIZE; i += PART) add<F, PART / LANES>(at, i, k + i, rows, x0, sum);
                    at += BYTES;
                }
            }
#pragma unroll
            for (u32 r = 0; r < ROWS; r++) {
                fold_lanes<Sum<RL_T>>(sum[r]);
                if (e < items && lane32() % THREADS == 0 && row + r < p.rows) {
                    store((RL_T*)p.out + (row + r) * p.columns + column, from_acc<RL_T>(sum[r][0]));
                }
            }
        }
    }
};

// The transpose of rows of blocks as a factor of a product by atoms.
struct Blocks {
    u64 data, line, lines, depth;
    BlockFormat format;
};

// Moves the numbers of blocks to LDS. The format is not a parameter of the type, so that all formats share the code of products.
template <class Atom, u32 SIDE>
struct BlockMover {
    using At = Tile<RL_T, Atom, SIDE>;
    static constexpr u32 EACH = At::EACH;
    static_assert(At::COUNT == 4, "a pack is a quad");
    BlockFormat format;
    u32 line, pack;
    u64 k, depth;    // the step's first element
    u64 row[EACH];   // of blocks
    u32 words[EACH][QUAD_WORDS];

    RL_FN BlockMover(const Blocks& b, u64 first) : format(b.format), line(thread() / 4), pack(thread() % 4), k(0), depth(b.depth) {
        for (u32 l = 0; l < EACH; l++) {
            // Rows outside of the matrix read the last one; their products are not stored.
            const u64 at = first + own(l);
            row[l] = b.data + (at < b.lines ? at : b.lines - 1) * b.line;
        }
    }
    RL_FN u32 own(u32 l) const { return line + l * (RL_BLOCK / 4); }

    struct Load {
        BlockMover& m;
        template <BlockFormat F>
        RL_FN void run() const {
            constexpr u32 SIZE = block_size(F) < At::DEEP ? At::DEEP : block_size(F), BYTES = block_bytes(F) * (SIZE / block_size(F));
            const u64 block = m.k / SIZE, first = block * SIZE;
#pragma unroll
            for (u32 l = 0; l < EACH; l++) {
                fetch_quad<F>(m.row[l] + block * BYTES, (u32)(m.k - first) + m.pack * 4, m.depth - first, m.words[l]);
            }
        }
    };
    RL_FN void load() {
        by_format(format, Load{*this});
        k += At::DEEP;
    }

    struct Store {
        const BlockMover& m;
        Words* tile;
        template <BlockFormat F>
        RL_FN void run() const {
            constexpr u32 SIZE = block_size(F) < At::DEEP ? At::DEEP : block_size(F);
            const u32 i = (u32)((m.k - At::DEEP) % SIZE) + m.pack * 4;
#pragma unroll
            for (u32 l = 0; l < EACH; l++) {
                f32 y[4];
                numbers_of<F>(m.words[l], i, y);
                Words v;
                for (u32 n = 0; n < 4; n++) v.w[n] = bits_as<u32>(y[n]);
                At::put(tile, m.own(l), m.pack, v);
            }
        }
    };
    // Stores the packs that were loaded.
    RL_FN void store(Words* tile) const { by_format(format, Store{*this, tile}); }
};

template <class Atom, u32 SIDE, Way WAY>
struct mover_of<Blocks, RL_T, Atom, SIDE, WAY> {
    using type = BlockMover<Atom, SIDE>;
};
template <class At>
RL_DEV Way way_of(const Blocks&) {
    return Along;
}
template <class T, class Atom, u32 SIDE>
RL_DEV void move_elements(const Blocks& b, u64 first, u64 k0, u64, Words* tile) {
    BlockMover<Atom, SIDE> mover(b, first);
    mover.k = k0;
    mover.load();
    mover.store(tile);
}

struct Results {
    const QuantizedParams& p;
    struct Cells {
        u64 to, step;
        RL_FN void put(u32 rows, A sum) const { store((RL_T*)(to + rows * step), from_acc<RL_T>(sum)); }
    };
    RL_FN Cells at(u64 row, u64 column) const {
        const u64 size = sizeof(RL_T);
        return {p.out + (row * p.columns + column) * size, hidden_uniform(p.columns * size)};
    }
};

// A tile of SIDE x SIDE results, in the order of the inner dimension.
template <u32 SIDE>
RL_DEV void product_by_tiles(const QuantizedParams& p) {
    const u32 across = (u32)((p.columns + SIDE - 1) / SIDE);
    const u64 down = hidden_uniform(block() / across), row0 = down * SIDE, col0 = (block() - down * across) * SIDE;
    const Factor x = {p.x, p.x_strides.row, p.x_strides.column, p.rows};
    const Blocks blocks = {p.blocks, p.block_strides.row, p.columns, p.depth, p.format};
    mma_product<RL_T, ExactAtom, SIDE>(x, blocks, p.depth, row0, col0, Results{p});
}

}  // namespace rl

RL_KERNEL(dequantize, element)(rl::QuantizedParams p) { rl::by_format(p.format, rl::Numbers{p}); }
RL_KERNEL(qmatmul, row)(rl::QuantizedParams p) { rl::by_format(p.format, rl::Product<1>{p}); }
RL_KERNEL(qmatmul, tile)(rl::QuantizedParams p) { rl::by_format(p.format, rl::Product<8>{p}); }
#if !defined(RL_T_IS_f64)
RL_KERNEL(qmatmul, large)(rl::QuantizedParams p) RL_WAVES;
RL_KERNEL(qmatmul, large)(rl::QuantizedParams p) { rl::product_by_tiles<64>(p); }
#endif
