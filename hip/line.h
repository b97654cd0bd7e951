// line.h: lines that are read once and kept in LDS; a thread stores and reads only its own elements. Either every group
// of 32 threads has one line (W = 1), or each group of a block has a chunk of one line (W = 8). All threads
// of a block go through the same calls; a group without a line has no elements.
#pragma once
#include "reduce.h"

namespace rl {

// The number of elements of type A that a group keeps. A block uses at most 32 KiB of LDS for them and for the reductions.
// The host has the same numbers (LinePlan::of in gpu/run/softmax.rs).
template <class A>
struct Kept {
    static constexpr u32 each = sizeof(A) == 4 ? 992 : 480;
};

template <class A, u32 W>
struct Line {
    A* x;        // the thread's elements `lane + 32 j` of the group's
    u64 index;   // index of the line
    u64 first;   // position of the group's first element in the line
    u32 count;   // elements of the group
    u32 chunks;  // chunks of the line

    // Lines per block and step.
    static constexpr u32 LINES = GROUPS / W;

    // Opens the line of this thread's group, where the block starts with line b. Returns false if the group has no line.
    RL_FN bool open(u64 b, u64 lines, u64 n) {
        __shared__ A hold[GROUPS * Kept<A>::each];
        const u32 group = thread() / LANES;
        x = hold + group * (W == 1 ? Kept<A>::each : CHUNK) + lane32();
        index = W == 1 ? b + group : b;
        first = W == 1 ? 0 : (u64)group * CHUNK;
        const bool on = index < lines;
        count = !on || first >= n ? 0 : (u32)(n - first < CHUNK ? n - first : CHUNK);
        chunks = (u32)((n + CHUNK - 1) / CHUNK);
        return on;
    }
    // Calls f(v, i) for the thread's elements v, at position i of the line.
    template <class F>
    RL_FN void each(F f) {
        for (u32 i = lane32(); i < count; i += LANES) f(x[i - lane32()], first + i);
    }
    // Reads the elements: value(i) is the element at position i of the line.
    template <class F>
    RL_FN void fill(F value) {
#pragma unroll 4
        for (u32 i = lane32(); i < count; i += LANES) x[i - lane32()] = value(first + i);
    }
    // Returns the line's largest element to all threads; NaN if the line holds one.
    RL_FN A peak() {
        A m = lowest<A>();
        each([&](A& v, u64) { m = maximum(m, v); });
        for (u32 half = LANES / 2; half > 0; half /= 2) m = maximum(m, shfl_xor(m, half));
        if constexpr (W > 1) {
            __shared__ A part[GROUPS];
            if (lane32() == 0) part[thread() / LANES] = m;
            sync();
            m = part[0];
            for (u32 g = 1; g < chunks; g++) m = maximum(m, part[g]);
            sync();
        }
        return m;
    }
    // Returns the sum of f(v, i) by the reduction tree to all threads.
    template <class F>
    RL_FN A total(F f) {
        A s = (A)0;
        each([&](A& v, u64 i) { s = s + f(v, i); });
        s = fold_group<RawSum<A>>(s);
        if constexpr (W > 1) {
            __shared__ A part[GROUPS];
            const u32 lane = lane32();
            if (lane == 0) part[thread() / LANES] = s;
            sync();
            if (chunks > 1) s = fold_group<RawSum<A>>(lane < chunks ? (A)0 + part[lane] : (A)0);
            else s = part[0];
            sync();
        }
        return shfl(s, 0);
    }
};

}  // namespace rl
