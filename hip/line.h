// line.h: lines whose elements the threads of a block keep in registers. A group of 32 threads has a chunk of the reduction tree;
// thread `lane` holds its elements lane, lane + 32, .. as rows. W says how a block divides lines:
//   1   a line of at most a chunk for each group
//   8   a line for `width` neighbouring groups, 2, 4 or 8
// All threads of a block go through the same calls. A group beyond the last line repeats that line, and stores nothing.
#pragma once
#include "reduce.h"

namespace rl {

// Elements of a chunk that a thread holds.
constexpr u32 ROWS = CHUNK / LANES;

// Neighbouring rows.
template <u32 FIRST, u32 N>
struct Rows {
    static constexpr u32 first = FIRST, count = N;
};

template <class A, u32 W>
struct Line {
    A v[ROWS];   // the thread's elements
    u64 index;   // index of the line
    u32 first;   // position of the group's first element in the line
    u32 count;   // elements of the group
    u32 rows;    // rows of the group
    u32 chunks;  // chunks of the line
    u32 width;   // groups of the line
    bool on;     // whether the group has a line of its own
    u32 turn;    // which of two places in LDS the next exchange of groups uses

    // Returns the lines of a block.
    static RL_FN u32 lines_of_block(u32 width) { return W == 1 ? GROUPS : GROUPS / width; }

    // Opens the line of this thread's group, where the block starts with line b of n elements.
    RL_FN void open(u64 b, u64 lines, u64 n, u32 groups_of_line) {
        const u32 group = thread() / LANES;
        turn = 0;
        if (W == 1) {
            index = b + group;
            first = 0;
            count = (u32)n;
            chunks = width = 1;
        } else {
            width = groups_of_line;
            index = b + group / width;
            first = group % width * CHUNK;
            count = first >= n ? 0 : (u32)(n - first < CHUNK ? n - first : CHUNK);
            chunks = (u32)((n + CHUNK - 1) / CHUNK);
        }
        rows = (count + LANES - 1) / LANES;
        on = index < lines;
        if (!on) index = lines - 1;
    }
    // Returns the position in the line of the thread's element of a row.
    RL_FN u32 place(u32 row) const { return first + row * LANES + lane32(); }

    // Calls f(Rows) for ranges of rows, as far as the group has rows. Of the last range it may have a part.
    template <class F>
    RL_FN void ranges(F f) {
        if (rows == 0) return;
        f(Rows<0, 1>{});
        if (rows <= 1) return;
        f(Rows<1, 1>{});
        if (rows <= 2) return;
        f(Rows<2, 2>{});
        if (rows <= 4) return;
        f(Rows<4, 4>{});
        if (rows <= 8) return;
        f(Rows<8, 8>{});
        if (rows <= 16) return;
        f(Rows<16, 8>{});
        if (rows <= 24) return;
        f(Rows<24, 8>{});
    }
    // Calls f(row, whether the thread has an element of it) for the rows of the ranges.
    template <class F>
    RL_FN void each(F f) {
        const u32 lane = hidden(lane32());
        ranges([&](auto r) {
#pragma unroll
            for (u32 k = 0; k < r.count; k++) f(r.first + k, lane + (r.first + k) * LANES < count);
        });
    }
    // Whether all threads have elements of these rows, and they are neighbours in memory.
    template <class R>
    RL_FN bool dense(R r, u64 step) {
        return step == 1 && (r.first + r.count) * LANES <= count;
    }
    // Reads elements that are `step` apart to `to`. Threads without an element get `rest`.
    template <class T>
    RL_FN void read(A (&to)[ROWS], const T* x, u64 step, A rest) {
        const u32 lane = hidden(lane32());
        const T* mine = x + (i64)((first + lane) * step);
        ranges([&](auto r) {
            if (dense(r, step)) {
#pragma unroll
                for (u32 k = 0; k < r.count; k++) to[r.first + k] = acc<T>(load(mine + (r.first + k) * LANES));
            } else {
#pragma unroll
                for (u32 k = 0; k < r.count; k++) {
                    const u32 row = r.first + k;
                    to[row] = lane + row * LANES < count ? acc<T>(load(mine + (i64)(row * LANES * step))) : rest;
                }
            }
        });
    }
    // Writes value(row) to elements that are `step` apart.
    template <class T, class F>
    RL_FN void write(T* out, u64 step, F value) {
        if (!on) return;
        const u32 lane = hidden(lane32());
        T* mine = out + (i64)((first + lane) * step);
        ranges([&](auto r) {
            if (dense(r, step)) {
#pragma unroll
                for (u32 k = 0; k < r.count; k++) store(mine + (r.first + k) * LANES, from_acc<T>(value(r.first + k)));
            } else {
#pragma unroll
                for (u32 k = 0; k < r.count; k++) {
                    const u32 row = r.first + k;
                    if (lane + row * LANES < count) store(mine + (i64)(row * LANES * step), from_acc<T>(value(row)));
                }
            }
        });
    }

    // Gives the values of the line's groups, of lane 0 each, to lanes of each of its groups. Other lanes get `rest`.
    template <class C>
    RL_FN C of_groups(C v, C rest) {
        __shared__ C part[2][GROUPS];
        const u32 lane = lane32(), group = thread() / LANES;
        if (lane == 0) part[turn][group] = v;
        sync();
        if (lane < chunks) rest = part[turn][group / width * width + lane];
        turn ^= 1;
        return rest;
    }
    // Returns the largest of the threads' values to all threads of the line; NaN if one is NaN.
    RL_FN A peak(A m) {
        m = largest(m);
        return W == 1 ? m : largest(of_groups(m, lowest<A>()));
    }
    static RL_FN A largest(A m) {
#pragma unroll
        for (u32 half = LANES / 2; half > 0; half /= 2) m = maximum(m, shfl_xor(m, half));
        return m;
    }
    // Returns the line's largest element to all threads; NaN if the line holds one. Threads without an element hold -inf.
    RL_FN A peak() {
        A m = lowest<A>();
        each([&](u32 row, bool) { m = maximum(m, v[row]); });
        return peak(m);
    }
    // Returns the sum by the reduction tree of f(row, whether the thread has an element of it) to all threads. f gives 0
    // for threads without an element.
    template <class R, class F>
    RL_FN typename R::C total_of(F f) {
        using C = typename R::C;
        C s = R::zero();
        each([&](u32 row, bool has) { s = R::join(s, f(row, has)); });
        s = fold_group<R>(s);
        if constexpr (W > 1) {
            const C part = of_groups(s, R::zero());
            s = chunks > 1 ? fold_group<R>(R::join(R::zero(), part)) : part;
        }
        return shfl(s, 0);
    }
    template <class F>
    RL_FN A total(F f) {
        return total_of<RawSum<A>>(f);
    }
};

}  // namespace rl
