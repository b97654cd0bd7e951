// cumsum: running sums along a dimension, added one after the other, so that the bits are the same on every device.
//   _thread  a thread a line: lines are neighbours in memory
//   _tile    32 lines a block, 64 elements of each at a time in LDS: elements are neighbours
//   _block   a line a block, 2048 elements at a time
#include "reduce.h"

namespace rl {

RL_DEV u64 begin(const CumSumParams& p, u64 line) {
    u64 in;
    const u64 outer = div_mod(line, p.inner, in);
    return outer * p.length * p.inner + in;
}
RL_DEV u64 nth(const CumSumParams& p, u64 i) { return p.reverse ? p.length - 1 - i : i; }

#if RL_NUMERIC
using A = acc_t<RL_T>;

RL_DEV void scan_threads(const CumSumParams& p) {
    for (u64 line = global_thread(); line < p.lines; line += p.blocks * RL_BLOCK) {
        u64 at[1];
        offsets(p.line_starts, line, at);
        const RL_T* x = (const RL_T*)p.input + (i64)at[0];
        RL_T* out = (RL_T*)p.out + begin(p, line);
        A s = 0;
        u64 i = 0;
        for (; i + 8 <= p.length; i += 8) {
            RL_T v[8];
            for (int j = 0; j < 8; j++) v[j] = x[(i64)(nth(p, i + j) * p.step)];
            for (int j = 0; j < 8; j++) {
                s = add<A>(s, acc<RL_T>(v[j]));
                out[nth(p, i + j) * p.inner] = from_acc<RL_T>(s);
            }
        }
        for (; i < p.length; i++) {
            s = add<A>(s, acc<RL_T>(x[(i64)(nth(p, i) * p.step)]));
            out[nth(p, i) * p.inner] = from_acc<RL_T>(s);
        }
    }
}

template <u32 LINES>
RL_DEV void scan_tiles(const CumSumParams& p) {
    constexpr u32 WIDTH = 2048 / LINES;
    __shared__ A tile[LINES][WIDTH + 1];
    __shared__ u64 from[LINES], to[LINES];
    const u32 me = thread();
    for (u64 b = (u64)block() * LINES; b < p.lines; b += p.blocks * LINES) {
        const u32 lines = (u32)(p.lines - b < LINES ? p.lines - b : LINES);
        if (me < lines) {
            u64 at[1];
            offsets(p.line_starts, b + me, at);
            from[me] = at[0];
            to[me] = begin(p, b + me);
        }
        sync();
        A s = 0;
        for (u64 t = 0; t < p.length; t += WIDTH) {
            const u32 count = (u32)(p.length - t < WIDTH ? p.length - t : WIDTH);
            for (u32 e = me; e < 2048; e += RL_BLOCK) {
                const u32 l = e / WIDTH, k = e % WIDTH;
                if (l < lines && k < count)
                    tile[l][k] = acc<RL_T>(((const RL_T*)p.input)[(i64)(from[l] + nth(p, t + k) * p.step)]);
            }
            sync();
            if (me < lines) {
#pragma unroll 8
                for (u32 k = 0; k < count; k++) tile[me][k] = s = add<A>(s, tile[me][k]);
            }
            sync();
            for (u32 e = me; e < 2048; e += RL_BLOCK) {
                const u32 l = e / WIDTH, k = e % WIDTH;
                if (l < lines && k < count)
                    ((RL_T*)p.out)[to[l] + nth(p, t + k) * p.inner] = from_acc<RL_T>(tile[l][k]);
            }
            sync();
        }
    }
}
#endif

}  // namespace rl

#if RL_NUMERIC
RL_KERNEL(cumsum, thread)(rl::CumSumParams p) { rl::scan_threads(p); }
RL_KERNEL(cumsum, tile)(rl::CumSumParams p) { rl::scan_tiles<32>(p); }
RL_KERNEL(cumsum, block)(rl::CumSumParams p) { rl::scan_tiles<1>(p); }
#endif
