// spatial.h: tensors [batch, channels, ..] with one to three spatial dimensions, always taken as three (gpu/run/spatial.rs).
#pragma once
#include "num.h"
#include "params.h"

namespace rl {

RL_DEV u64 offset(const SpatialTensor& p, u64 batch, u64 channel) { return batch * p.stride[0] + channel * p.stride[1]; }
RL_DEV u64 offset(const SpatialTensor& p, u64 a, u64 b, u64 c) { return a * p.stride[2] + b * p.stride[3] + c * p.stride[4]; }

// Splits a row-major index of [rest, three sizes] into coordinates `at`; returns the rest.
RL_DEV u64 split3(u64 i, const u64 (&size)[3], bool index64, u64 (&at)[3]) {
    i = div_mod(i, size[2], index64, at[2]);
    i = div_mod(i, size[1], index64, at[1]);
    return div_mod(i, size[0], index64, at[0]);
}
// Splits a row-major index of [batch, channels, three sizes].
RL_DEV void split5(u64 i, u64 channels, const u64 (&size)[3], bool index64, u64& batch, u64& channel, u64 (&at)[3]) {
    batch = div_mod(split3(i, size, index64, at), channels, index64, channel);
}

}  // namespace rl
