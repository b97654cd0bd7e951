// line.h: lines whose elements the threads of a block keep in registers. A group of 32 threads has a chunk of the reduction tree;
// thread `lane` holds its elements lane, lane + 32, .. as rows. W says how a block divides lines (LinePlan in gpu/run/softmax.rs):
//   1   a line of at most a chunk for each group
//   8   a line for `width` neighbouring groups: 2, 4 or 8
//   32  a line for a block of 32 groups, in several rounds if it has more chunks, of which each round reads its elements
// All threads of a block go through the same calls. A group beyond the last line repeats that line, and stores nothing.
#pragma once
#include "reduce.h"

namespace rl {

// Elements of a chunk that a thread holds, and the most of a range.
constexpr u32 ROWS = CHUNK / LANES, RANGE = 8;

// Neighbouring rows. Rows of one range differ modulo RANGE.
template <u32 FIRST, u32 N>
struct Rows {
    static constexpr u32 first = FIRST, count = N;
};

template <class A, u32 W>
struct Line {
    static constexpr u32 GROUPS_OF_BLOCK = W == 32 ? RL_WIDE_BLOCK / LANES : GROUPS;

    A v[ROWS];    // the thread's elements
    u64 index;    // index of the line
    u32 length;   // elements of the line
    u32 first;    // position of the group's first element in the line
    u32 count;    // elements of the group
    u32 rows;     // rows of the group
    u32 chunks;   // chunks of the line
    u32 width;    // groups of the line
    u32 rounds;   // chunks of a group
    u32 turn;     // which of two buffers in LDS the next exchange of groups uses
    bool on;      // whether the group is within the last line

    // Returns the lines of a block.
    static RL_FN u32 lines_of_block(u32 width) { return W == 1 ? GROUPS : W == 8 ? GROUPS >> shift(width) : 1; }
    // Returns the logarithm of a width.
    static RL_FN u32 shift(u32 width) { return width == 2 ? 1 : width == 4 ? 2 : 3; }

    // Opens the line of this thread's group, where the block starts with line b of n elements.
    RL_FN void open(u64 b, u64 lines, u64 n, u32 groups_of_line) {
        const u32 group = thread() / LANES;
        turn = 0;
        length = hidden_uniform((u32)n);
        width = W == 8 ? groups_of_line : W;
        chunks = W == 1 ? 1 : (length + CHUNK - 1) / CHUNK;
        rounds = W == 32 ? (chunks + W - 1) / W : 1;
        index = W == 32 ? b : b + (W == 1 ? group : group >> shift(width));
        on = index < lines;
        if (!on) index = lines - 1;
        go(0);
    }
    // Turns to the chunk of a round.
    RL_FN void go(u32 round) {
        first = W == 1 ? 0 : (round * W + (thread() / LANES & (width - 1))) * CHUNK;
        count = W == 1 ? length : first >= length ? 0 : length - first < CHUNK ? length - first : CHUNK;
        rows = (count + LANES - 1) / LANES;
    }
    // Calls f() for each round.
    template <class F>
    RL_FN void each_round(F f) {
        if constexpr (W == 32) {
#pragma unroll 1
            for (u32 round = 0; round < rounds; round++) {
                go(round);
                f();
            }
        } else {
            f();
        }
    }
    // Whether the elements must be read again, since there are several rounds.
    RL_FN bool again() const { return W == 32 && rounds > 1; }
    // Whether the thread is the first one of its line.
    RL_FN bool leads() const { return on && (thread() & (width * LANES - 1)) == 0; }

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
    // Calls f(row) for the rows of the ranges.
    template <class F>
    RL_FN void each(F f) {
        ranges([&](auto r) RL_INLINE {
#pragma unroll
            for (u32 k = 0; k < r.count; k++) f(r.first + k);
        });
    }
    // Whether all threads have elements of these rows, and they are neighbours in memory.
    template <class R>
    RL_FN bool dense(R r, u64 step) {
        return step == 1 && (r.first + r.count) * LANES <= count;
    }
    // Loads the elements of a range, which are `step` apart, to to[row % N]. Threads without an element get another one of the group.
    template <class T, u32 N, class R>
    RL_FN void load_range(R r, T (&to)[N], const T* x, u64 step) {
        const u32 lane = hidden(lane32());
        x += (i64)(first * step);
        if (dense(r, step)) {
#pragma unroll
            for (u32 k = 0; k < r.count; k++) to[(r.first + k) % N] = load(x + lane + (r.first + k) * LANES);
        } else {
#pragma unroll
            for (u32 k = 0; k < r.count; k++) {
                const u32 i = lane + (r.first + k) * LANES;
                to[(r.first + k) % N] = load(x + (i64)((i < count ? i : count - 1) * step));
            }
        }
    }
    // Reads elements that are `step` apart. Threads without an element get `rest`. All loads start before the first one is waited for:
    // the bits of narrow types stand in `to` until then.
    template <class T>
    RL_FN void read(A (&to)[ROWS], const T* x, u64 step, A rest) {
        ranges([&](auto r) RL_INLINE {
            T raw[RANGE];
            load_range(r, raw, x, step);
#pragma unroll
            for (u32 k = 0; k < r.count; k++) to[r.first + k] = held(raw[(r.first + k) % RANGE]);
        });
        ranges([&](auto r) RL_INLINE {
            const u32 lane = hidden(lane32());
            if ((r.first + r.count) * LANES <= count) {
#pragma unroll
                for (u32 k = 0; k < r.count; k++) to[r.first + k] = acc<T>(taken<T>(to[r.first + k]));
            } else {
#pragma unroll
                for (u32 k = 0; k < r.count; k++) {
                    const u32 row = r.first + k;
                    to[row] = lane + row * LANES < count ? acc<T>(taken<T>(to[row])) : rest;
                }
            }
        });
    }
    template <class T>
    static RL_FN A held(T v) {
        if constexpr (sizeof(T) == sizeof(A)) return v;
        else return bits_as<A>((u32)v.bits);
    }
    template <class T>
    static RL_FN T taken(A v) {
        if constexpr (sizeof(T) == sizeof(A)) return v;
        else return T{(u16)bits_as<u32>(v)};
    }
    // Writes value(row) to elements that are `step` apart.
    template <class T, class F>
    RL_FN void write(T* out, u64 step, F value) {
        if (!on) return;
        ranges([&](auto r) RL_INLINE {
            const u32 lane = hidden(lane32());
            T* mine = out + (i64)((first + lane) * step);
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
    // Writes value(v, position in the line) for the elements v. For long functions: its code is not repeated for each row, for which some rows at a
    // time go through LDS.
    template <class T, class F>
    RL_FN void write_by_loop(T* out, u64 step, F value) {
        constexpr u32 AHEAD = W == 32 ? 4 : 8;
        __shared__ A hold[AHEAD][GROUPS_OF_BLOCK * LANES];
        if (!on) return;
        const u32 me = thread();
#pragma unroll 1
        for (u32 start = 0; start < rows; start += AHEAD) {
            each([&](u32 row) RL_INLINE {
                if (row / AHEAD * AHEAD == start) hold[row % AHEAD][me] = v[row];
            });
            u64 i = first + start * LANES + lane32();
#pragma unroll 1
            for (u32 k = 0; k < AHEAD && i - first < count; k++, i += LANES) {
                store(out + (i64)(i * step), from_acc<T>(value(hold[k][me], i)));
            }
        }
    }

    // Gives the values of the line's groups, of lane 0 each, to lanes of each of its groups. Other lanes get `rest`.
    template <class C>
    RL_FN C of_groups(C v, C rest) {
        __shared__ C part[2][GROUPS_OF_BLOCK];
        const u32 lane = lane32(), group = thread() / LANES;
        if (lane == 0) part[turn][group] = v;
        sync();
        if (lane < chunks && lane < width) rest = part[turn][(group & ~(width - 1)) + lane];
        turn ^= 1;
        return rest;
    }
    // Reads the line's elements and returns the largest number to all threads. NaN is left out, unlike in a reduction: what is computed
    // from the line is NaN anyway, by its sum. Threads without an element hold -inf.
    template <class T>
    RL_FN A read_peak(const T* x, u64 step) {
        A m = lowest<A>();
        each_round([&]() RL_INLINE {
            read(v, x, step, lowest<A>());
            each([&](u32 row) RL_INLINE { m = larger(m, v[row]); });
        });
        m = largest(m);
        return W == 1 ? m : largest(of_groups(m, lowest<A>()));
    }
    static RL_FN A larger(A a, A b) { return b > a ? b : a; }
    static RL_FN A largest(A m) {
#pragma unroll
        for (u32 half = LANES / 2; half > 0; half /= 2) m = larger(m, shfl_xor(m, half));
        return m;
    }
    // Returns the sum by the reduction tree of f(row, whether the thread has an element of it) to all threads. f gives 0 for threads
    // without an element. before_round() and before(Rows) are called before the calls of a round and a range.
    template <class R, class Q, class P, class F>
    RL_FN typename R::C total_of(Q before_round, P before, F f) {
        using C = typename R::C;
        C all = R::zero();
        each_round([&]() RL_INLINE {
            before_round();
            C s = R::zero();
            ranges([&](auto r) RL_INLINE {
                before(r);
                const u32 lane = hidden(lane32());
#pragma unroll
                for (u32 k = 0; k < r.count; k++) s = R::join(s, f(r.first + k, lane + (r.first + k) * LANES < count));
            });
            s = fold_group<R>(s);
            if (W < 32) all = s;
            else if (count > 0) all = R::join(all, s);
        });
        if constexpr (W == 8) {
            const C part = of_groups(all, R::zero());
            all = chunks > 1 ? fold_group<R>(R::join(R::zero(), part)) : part;
        }
        if constexpr (W == 32) all = fold_group<R>(of_groups(all, R::zero()));
        return shfl(all, 0);
    }
    template <class R, class F>
    RL_FN typename R::C total_of(F f) {
        return total_of<R>([]() RL_INLINE {}, [](auto) RL_INLINE {}, f);
    }
    template <class F>
    RL_FN A total(F f) {
        return total_of<RawSum<A>>(f);
    }
};

// Calls f(line) for the lines of this block, p.width groups for each of p.lines lines of n elements.
template <class A, u32 W, class P, class F>
RL_DEV void each_kept(const P& p, u64 n, F f) {
    using L = Line<A, W>;
    const u32 width = (u32)p.width, step = L::lines_of_block(width);
    for (u64 b = (u64)block() * step; b < p.lines; b += p.blocks * step) {
        L line;
        line.open(b, p.lines, n, width);
        f(line);
    }
}

}  // namespace rl
