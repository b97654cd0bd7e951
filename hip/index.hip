// index: values picked and put by ids. They only move, so RL_T is the unsigned integer of the element's size.
#include "index.h"

RL_CHECK_PARAMS(rl::PickParams, RL_SIZEOF_PickParams);
RL_CHECK_PARAMS(rl::SpreadParams, RL_SIZEOF_SpreadParams);

// Form v moves 16 bytes at a time: the walk counts packs.
#define RL_PICK(op)                                                                              \
    RL_KERNEL(op, s)(rl::PickParams p) { rl::pick<rl::RL_T>(p); }                                \
    RL_KERNEL(op, v)(rl::PickParams p) { rl::pick<rl::Pack<rl::RL_T, 16 / sizeof(rl::RL_T)>>(p); }
RL_PICK(index_select)
RL_PICK(gather)

namespace rl {
struct put_fn {
    RL_FN void operator()(RL_T& o, RL_T v) const { o = v; }
};
}  // namespace rl

RL_KERNEL(scatter, l)(rl::SpreadParams p) { rl::spread_lines<rl::RL_T, rl::RL_T>(p, rl::put_fn()); }
RL_KERNEL(scatter, t)(rl::SpreadParams p) { rl::spread_targets<rl::RL_T, rl::RL_T>(p, rl::put_fn()); }

// Only checks the ids, where there is nothing to move.
RL_KERNEL(ids, s)(rl::PickParams p) {
    const rl::u64 step = (rl::u64)p.walk.blocks * RL_BLOCK;
    for (rl::u64 e = rl::global_thread(); e < p.walk.n; e += step) {
        rl::u64 at[3];
        rl::places(p.walk, e, at);
        const rl::i64 id = rl::load_id(p.ids, p.ptr[2], at[2]);
        if (!rl::skipped(p.ids, id) && !rl::inside(p.ids, id)) rl::report(p.ids.check, 1, e, id, p.ids.size);
    }
}
