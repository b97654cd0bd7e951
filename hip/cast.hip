// cast: from RL_T to every other dtype, in one unit. (A cast to the same dtype is a copy.)
#include "elementwise.h"

namespace rl {
template <class D>
struct cast_to {
    RL_FN D operator()(RL_T v) const { return convert<D>(v); }
};
}  // namespace rl

#define RL_CAST(D)                                                                                  \
    RL_KERNEL_TO(cast, D, contig)(rl::ElementwiseParams<2, rl::NoParams> p) {                       \
        rl::map1_contig<rl::D, rl::RL_T>(p, rl::cast_to<rl::D>());                                  \
    }                                                                                               \
    RL_KERNEL_TO(cast, D, strided)(rl::ElementwiseParams<2, rl::NoParams> p) {                      \
        rl::map1_strided<rl::D, rl::RL_T>(p, rl::cast_to<rl::D>());                                 \
    }

#ifndef RL_T_IS_boolean
RL_CAST(boolean)
#endif
#ifndef RL_T_IS_u8
RL_CAST(u8)
#endif
#ifndef RL_T_IS_i8
RL_CAST(i8)
#endif
#ifndef RL_T_IS_u16
RL_CAST(u16)
#endif
#ifndef RL_T_IS_i16
RL_CAST(i16)
#endif
#ifndef RL_T_IS_u32
RL_CAST(u32)
#endif
#ifndef RL_T_IS_i32
RL_CAST(i32)
#endif
#ifndef RL_T_IS_u64
RL_CAST(u64)
#endif
#ifndef RL_T_IS_i64
RL_CAST(i64)
#endif
#ifndef RL_T_IS_f8e4m3
RL_CAST(f8e4m3)
#endif
#ifndef RL_T_IS_bf16
RL_CAST(bf16)
#endif
#ifndef RL_T_IS_f16
RL_CAST(f16)
#endif
#ifndef RL_T_IS_f32
RL_CAST(f32)
#endif
#ifndef RL_T_IS_f64
RL_CAST(f64)
#endif
#ifndef RL_T_IS_c64
RL_CAST(c64)
#endif
#ifndef RL_T_IS_c128
RL_CAST(c128)
#endif
