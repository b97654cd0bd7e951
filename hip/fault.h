// fault.h: reports of indices out of range. A kernel skips the element and writes the index to a page of host memory, from which
// the host makes the error (gpu/fault.rs). Of several in a launch the first one stays, whichever block runs first.
#pragma once
#include "params.h"

namespace rl {

// Reports index `value`, which is element `position` (row-major) of operand `operand`, for a dimension of `size`.
RL_DEV void report(const Checker& c, u64 operand, u64 position, i64 value, u64 size) {
    u64* flag = (u64*)c.flag;
    volatile u64* w = (volatile u64*)c.page;
    // The flag is 0 before the first report, 2 while a thread writes the page, and 1 after. Threads of a wave wait for each other
    // at the end of the loop's body, so the one that writes is not kept waiting by the others.
    for (bool done = false; !done;) {
        const u64 seen = *(volatile u64*)flag;
        if (seen == 1 && (w[1] != c.launch || w[3] <= position)) {
            done = true;
        } else if (seen != 2 && atomic_cas(flag, seen, (u64)2) == seen) {
            if (seen == 0 || (w[1] == c.launch && w[3] > position)) {
                w[1] = c.launch;
                w[2] = operand;
                w[3] = position;
                w[4] = (u64)value;
                w[5] = size;
                fence_system();
                w[0] = 2;
                fence_system();
            }
            atomic_cas(flag, (u64)2, (u64)1);
            done = true;
        }
    }
}

// Returns whether a fault was reported before. If so, optimizer steps change nothing.
RL_DEV bool faulted(const Checker& c) { return *(volatile u64*)c.flag != 0; }

}  // namespace rl
