// planes.h: tensors [batch, channels, ..] with one to three spatial sizes, always taken as three. The host's twins are in
// gpu/run/planes.rs.
#pragma once
#include "num.h"

namespace rl {

// Where the elements of a tensor are: strides of batch, channel and the three spatial dimensions, in elements.
struct Planes {
    u64 ptr;
    u64 stride[5];
};
RL_DEV u64 place(const Planes& p, u64 batch, u64 channel) { return batch * p.stride[0] + channel * p.stride[1]; }
RL_DEV u64 place(const Planes& p, u64 a, u64 b, u64 c) { return a * p.stride[2] + b * p.stride[3] + c * p.stride[4]; }

// Quotient and rest, in 32 bits where that is enough.
RL_DEV u64 divide(u64 a, u64 b, bool wide, u64& rest) {
    if (!wide) {
        const u32 q = (u32)a / (u32)b;
        rest = (u32)a - q * (u32)b;
        return q;
    }
    const u64 q = a / b;
    rest = a - q * b;
    return q;
}
// Number i of a box of three sizes, row-major; what is left over is returned.
RL_DEV u64 split3(u64 i, const u64 (&size)[3], bool wide, u64 (&at)[3]) {
    i = divide(i, size[2], wide, at[2]);
    i = divide(i, size[1], wide, at[1]);
    return divide(i, size[0], wide, at[0]);
}
// Number i of [batch, channels, three sizes].
RL_DEV void split5(u64 i, u64 channels, const u64 (&size)[3], bool wide, u64& batch, u64& channel, u64 (&at)[3]) {
    batch = divide(split3(i, size, wide, at), channels, wide, channel);
}

}  // namespace rl
