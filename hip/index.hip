// index: index_select, gather and scatter. Values only move, so RL_T is the unsigned integer of the element's size (c128 for 16
// bytes).
#include "index.h"

RL_KERNEL(index_select, strided)(rl::GatherParams p) { rl::gather<rl::RL_T>(p); }
// Moves packs of 16 bytes; the iteration's dimensions and strides count packs.
RL_KERNEL(index_select, vector)(rl::GatherParams p) { rl::gather<rl::Pack<rl::RL_T, 16 / sizeof(rl::RL_T)>>(p); }
RL_KERNEL(gather, strided)(rl::GatherParams p) { rl::gather<rl::RL_T>(p); }

namespace rl {
struct put_fn {
    RL_FN void operator()(RL_T& o, RL_T v) const { o = v; }
};
}  // namespace rl

RL_KERNEL(scatter, row)(rl::ScatterParams p) { rl::scatter_rows<rl::RL_T, rl::RL_T>(p, rl::put_fn()); }
RL_KERNEL(scatter, target)(rl::ScatterParams p) { rl::scatter_targets<rl::RL_T, rl::RL_T>(p, rl::put_fn()); }

#if RL_BYTES == 1
// Only checks the indices, for calls that move no element. The kernel does not depend on RL_T, so it is compiled for one
// dtype only.
RL_KERNEL(check_index, strided)(rl::GatherParams p) {
    const rl::u64 step = (rl::u64)p.iter.blocks * RL_BLOCK;
    for (rl::u64 e = rl::global_thread(); e < p.iter.count; e += step) {
        rl::u64 at[3];
        rl::offsets(p.iter, e, at);
        const rl::i64 index = rl::load_index(p.index, at[2]);
        if (!rl::skipped(p.index, index) && !rl::inside(p.index, index)) rl::report(p.index.check, 1, e, index, p.index.size);
    }
}
#endif
