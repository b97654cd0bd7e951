// cast: from RL_T to every other dtype, in one unit.
#include "walk.h"

RL_CHECK_PARAMS(rl::Params2, RL_SIZEOF_Params2);

namespace rl {
template <class D>
struct cast_to {
    RL_FN D operator()(RL_T v) const { return convert<D>(v); }
};
}  // namespace rl

#define RL_CAST(D)                                                                                          \
    RL_KERNEL_TO(cast, D, c)(rl::Params2 p) { rl::map1_c<rl::D, rl::RL_T>(p, rl::cast_to<rl::D>()); }       \
    RL_KERNEL_TO(cast, D, s)(rl::Params2 p) { rl::map1_s<rl::D, rl::RL_T>(p, rl::cast_to<rl::D>()); }

RL_CAST(boolean)
RL_CAST(u8)
RL_CAST(i8)
RL_CAST(u16)
RL_CAST(i16)
RL_CAST(u32)
RL_CAST(i32)
RL_CAST(u64)
RL_CAST(i64)
RL_CAST(f8e4m3)
RL_CAST(bf16)
RL_CAST(f16)
RL_CAST(f32)
RL_CAST(f64)
RL_CAST(c64)
