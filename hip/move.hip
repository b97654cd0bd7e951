// move: ops that only move elements. RL_T is the unsigned integer of the element's size, c128 for 16 bytes.
#include "elementwise.h"

namespace rl {

struct copy_fn {
    RL_FN RL_T operator()(RL_T v) const { return v; }
};

// Copies planes of which the elements of a column follow one another in the input, and those of a row in the output, tile by tile
// through LDS, so that both are read and written in runs. p.iter has the dimensions outside of the planes.
RL_DEV void copy_tile(const ElementwiseParams<2, PlaneParams>& p) {
    constexpr u32 SIDE = sizeof(RL_T) == 1 ? 64 : 32, LINES = RL_BLOCK / SIDE;
    // (The odd length keeps the elements of a column in different banks.)
    __shared__ RL_T tile[SIDE][SIDE + 1];
    const PlaneParams& e = p.extra;
    const u32 x = thread() % SIDE, y = thread() / SIDE;
    for (u64 t = block(); t < p.iter.count * e.tiles; t += p.iter.blocks) {
        const u64 plane = t / e.tiles;
        const u32 in_plane = (u32)(t - plane * e.tiles), across = (u32)e.tiles_across;
        const u64 row = (u64)(in_plane / across) * SIDE, column = (u64)(in_plane % across) * SIDE;
        u64 at[2];
        offsets(p.iter, plane, at);
        const RL_T* a = in<RL_T>(p, 0) + (i64)(at[1] + row + column * e.input_step);
        RL_T* o = out<RL_T>(p) + (i64)(at[0] + row * e.output_step + column);
        const u64 rows = e.rows - row, columns = e.columns - column;
        RL_T v[SIDE / LINES];
        for (u32 k = 0; k < SIDE / LINES; k++) {
            const u32 c = y + k * LINES;
            if (x < rows && c < columns) v[k] = a[(i64)(x + c * e.input_step)];
        }
        for (u32 k = 0; k < SIDE / LINES; k++) tile[y + k * LINES][x] = v[k];
        sync();
        for (u32 k = 0; k < SIDE / LINES; k++) {
            const u32 r = y + k * LINES;
            if (r < rows && x < columns) o[(i64)(r * e.output_step + x)] = tile[x][r];
        }
        sync();
    }
}

RL_DEV void fill_strided(const ElementwiseParams<1, FillParams>& p) {
    const RL_T v = element_of<RL_T>(p.extra.bits, p.extra.high);
    const u64 step = (u64)p.iter.blocks * RL_BLOCK;
    for (u64 i = global_thread(); i < p.iter.count; i += step) {
        u64 at[1];
        offsets(p.iter, i, at);
        out<RL_T>(p)[(i64)at[0]] = v;
    }
}

RL_DEV void triangle_strided(const ElementwiseParams<2, TriangleParams>& p) {
    const u64 step = (u64)p.iter.blocks * RL_BLOCK;
    for (u64 i = global_thread(); i < p.iter.count; i += step) {
        u64 at[2];
        offsets(p.iter, i, at);
        const i64 column = (i64)(i % p.extra.columns), row = (i64)(i / p.extra.columns % p.extra.rows);
        const i64 edge = row + p.extra.diagonal;
        const bool kept = p.extra.upper ? column >= edge : column <= edge;
        out<RL_T>(p)[(i64)at[0]] = kept ? in<RL_T>(p, 0)[(i64)at[1]] : RL_T{};
    }
}

template <class C>
struct where_fn {
    RL_FN RL_T operator()(C c, RL_T a, RL_T b) const { return c ? a : b; }
};

}  // namespace rl

RL_MAP1(copy, rl::RL_T, rl::RL_T)
RL_KERNEL(copy, tile)(rl::ElementwiseParams<2, rl::PlaneParams> p) { rl::copy_tile(p); }
RL_KERNEL(const_set, strided)(rl::ElementwiseParams<1, rl::FillParams> p) { rl::fill_strided(p); }
RL_KERNEL(triangle, strided)(rl::ElementwiseParams<2, rl::TriangleParams> p) { rl::triangle_strided(p); }

// The condition may have a dtype of another size; it is true if its word is not 0.
#define RL_WHERE(C) \
    RL_KERNEL_TO(where_cond, C, strided)(rl::ElementwiseParams<4, rl::NoParams> p) { rl::map3_strided<rl::RL_T, rl::C, rl::RL_T, rl::RL_T>(p, rl::where_fn<rl::C>()); }
RL_WHERE(u8)
RL_KERNEL_TO(where_cond, u8, contig)(rl::ElementwiseParams<4, rl::NoParams> p) { rl::map3_contig<rl::RL_T, rl::u8, rl::RL_T, rl::RL_T>(p, rl::where_fn<rl::u8>()); }
RL_WHERE(u16)
RL_WHERE(u32)
RL_WHERE(u64)
