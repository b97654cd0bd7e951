// fault.h: reports of indices out of range. A kernel skips the element and, if no other fault is reported yet, writes the
// index to a page of host memory, from which the host makes the error (gpu/fault.rs).
#pragma once
#include "params.h"

namespace rl {

// Reports index `value`, which is element `position` (row-major) of operand `operand`, for a dimension of `size`.
RL_DEV void report(const Checker& c, u64 operand, u64 position, i64 value, u64 size) {
    if (atomic_cas((u64*)c.flag, (u64)0, (u64)1) != 0) return;
    volatile u64* w = (volatile u64*)c.page;
    w[1] = c.launch;
    w[2] = operand;
    w[3] = position;
    w[4] = (u64)value;
    w[5] = size;
    fence_system();
    w[0] = 2;
}

// Returns whether a fault was reported before. If so, optimizer steps change nothing.
RL_DEV bool faulted(const Checker& c) { return *(volatile u64*)c.flag != 0; }

}  // namespace rl
