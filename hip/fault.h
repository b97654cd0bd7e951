// fault.h: how a kernel tells that an index is out of range. It skips the element and notes the first such index of the
// device in a page of host memory; the host makes the error of it (gpu/fault.rs).
#pragma once
#include "port.h"

namespace rl {

// In a kernel's parameters; its twin is gpu::fault::Checker.
struct Checker {
    u64 page;    // words in host memory: state (2: complete), launch, operand, position, value, size
    u64 flag;    // a word of device memory: not 0 once a fault was noted
    u64 launch;  // number of this launch
};

// Notes index `value`, found at row-major place `position` of operand `operand`, of a dimension of `size`.
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

// Whether a fault was noted before: optimizer steps then change nothing.
RL_DEV bool faulted(const Checker& c) { return *(volatile u64*)c.flag != 0; }

}  // namespace rl
