// rotary_embedding: pairs of elements rotated by angles; a thread computes whole pairs.
#include "elementwise.h"

#if RL_FLOAT
RL_KERNEL(rotary_embedding, strided)(rl::ElementwiseParams<4, rl::RotaryParams> p) {
    using namespace rl;
    using A = acc_t<RL_T>;
    const RL_T* x = in<RL_T>(p, 0);
    for (u64 i = global_thread(); i < p.iter.count; i += (u64)p.iter.blocks * RL_BLOCK) {
        u64 at[4];
        offsets(p.iter, i, at);
        const A a = acc<RL_T>(x[(i64)at[1]]), b = acc<RL_T>(x[(i64)(at[1] + p.extra.step)]);
        const A c = acc<RL_T>(in<RL_T>(p, 1)[(i64)at[2]]), s = acc<RL_T>(in<RL_T>(p, 2)[(i64)at[3]]);
        const A sin = p.extra.inverse ? -s : s;
        out<RL_T>(p)[(i64)at[0]] = from_acc<RL_T>(a * c - b * sin);
        out<RL_T>(p)[(i64)(at[0] + p.extra.out_step)] = from_acc<RL_T>(a * sin + b * c);
    }
}
#endif
