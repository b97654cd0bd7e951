// reduce.h: the reduction tree of docs/NUMERICS.md, whatever the block, the wave or the layout. Elements are cut into
// chunks of 1024; element i of a chunk belongs to lane i % 32, a lane takes its elements in order, lanes are folded by
// halves. Further passes (variant partials) reduce the chunks' values in the same way. Variants:
//   _thread    a thread an output: up to 32 elements, evenly spaced
//   _row       32 threads a chunk: an output's elements are neighbours in memory
//   _column    32 outputs side by side, 8 threads each: outputs are neighbours in memory
//   _partials  32 threads a chunk of the values that an earlier pass wrote
#pragma once
#include "elementwise.h"

namespace rl {

constexpr u32 CHUNK = 1024, LANES = 32, GROUPS = RL_BLOCK / LANES;

// Steps through the elements of several reduced dimensions. A step within the innermost dimension needs no division.
template <int N>
struct Cursor {
    u64 at[N];
    u64 row, col;
    bool stale;

    RL_FN void start(const StridedIter<N>& w, u64 i) {
        const u64 inner = w.dims[w.rank - 1];
        row = div_mod(i, inner, col);
        stale = true;
    }
    RL_FN void seek(const StridedIter<N>& w, const u64 (&base)[N]) {
        if (!stale) return;
        stale = false;
        const int d = (int)w.rank - 1;
        for (int k = 0; k < N; k++) at[k] = base[k] + col * w.strides[k][d];
        u64 rest = row;
#pragma unroll 1
        for (int j = d - 1; j >= 0; j--) {
            u64 c;
            const u64 q = div_mod(rest, w.dims[j], c);
            for (int k = 0; k < N; k++) at[k] += c * w.strides[k][j];
            rest = q;
        }
    }
    RL_FN void next(const StridedIter<N>& w, u32 step) {
        const u32 d = w.rank - 1;
        const u64 inner = w.dims[d];
        col += step;
        for (int k = 0; k < N; k++) at[k] += step * w.strides[k][d];
        if (col >= inner) {
            row += div_mod(col, inner, col);
            stale = true;
        }
    }
};

// Computes the offsets of one element.
template <int N>
RL_DEV void offset(const StridedIter<N>& w, const u64 (&base)[N], u64 i, u64 (&at)[N]) {
    if (w.rank == 1) {
        for (int k = 0; k < N; k++) at[k] = base[k] + i * w.strides[k][0];
        return;
    }
    Cursor<N> c;
    c.start(w, i);
    c.seek(w, base);
    for (int k = 0; k < N; k++) at[k] = c.at[k];
}
template <int N>
RL_DEV void advance(const StridedIter<N>& w, u64 (&at)[N], u32 step) {
    for (int k = 0; k < N; k++) at[k] += step * w.strides[k][0];
}

// A reducer R is prepared for an output by open(p, o). It has
//   N, C             operands, and the type reduced in
//   FIRST            a lane starts from the chunk's first element, not from zero()
//   LINEAR           any order gives the same bits
//   load(p, at, i)   element i, at the offsets `at`
//   join(a, b)       the reduction of two values, of which a comes first
//   write(p, o, v)   writes the result of output o

// Folds the lanes, 32 or fewer, that neighbouring threads have, each thread EACH of them; the first of these threads gets the result,
// in v[0]. All threads of a group of 32 must call it.
template <class R, u32 ALL = LANES, u32 EACH, class C>
RL_DEV void fold_lanes(C (&v)[EACH]) {
#pragma unroll
    for (u32 half = ALL / 2; half >= EACH; half /= 2) {
#pragma unroll
        for (u32 i = 0; i < EACH; i++) v[i] = R::join(v[i], shfl_down(v[i], half / EACH));
    }
#pragma unroll
    for (u32 half = EACH / 2; half > 0; half /= 2) {
#pragma unroll
        for (u32 i = 0; i < half; i++) v[i] = R::join(v[i], v[i + half]);
    }
}
// Folds the lanes of a group of 32 threads; lane 0 gets the result.
template <class R>
RL_DEV typename R::C fold_group(typename R::C v) {
    typename R::C lanes[1] = {v};
    fold_lanes<R>(lanes);
    return lanes[0];
}

template <class R>
RL_DEV void reduce_rows(const typename R::P& p) {
    using C = typename R::C;
    const u32 lane = lane32(), group = thread() / LANES;
    const u64 items = p.outputs * p.chunks, step = (u64)p.blocks * GROUPS;
    for (u64 b = (u64)block() * GROUPS; b < items; b += step) {
        const u64 g = b + group;
        const bool on = g < items;
        u64 o = 0;
        C v = R::zero();
        R r;
        if (on) {
            u64 chunk = 0;
            o = p.chunks == 1 ? g : div_mod(g, p.chunks, chunk);
            const u64 first = chunk * CHUNK;
            const u32 count = (u32)(p.count - first < CHUNK ? p.count - first : CHUNK);
            u64 base[R::N];
            offsets(p.kept, o, base);
            r.open(p, o);
            u64 at[R::N];
            if (R::FIRST) {
                offset(p.reduced, base, first, at);
                v = r.load(p, at, first);
            }
            u32 i = lane;
            if (p.reduced.rank == 1) {
                for (int k = 0; k < R::N; k++) at[k] = base[k] + (first + lane) * p.reduced.strides[k][0];
                for (; i + 7 * LANES < count; i += 8 * LANES) {
                    C x[8];
#pragma unroll
                    for (u32 k = 0; k < 8; k++) {
                        x[k] = r.load(p, at, first + i + k * LANES);
                        advance(p.reduced, at, LANES);
                    }
#pragma unroll
                    for (u32 k = 0; k < 8; k++) v = R::join(v, x[k]);
                }
#pragma unroll 1
                for (; i < count; i += LANES) {
                    v = R::join(v, r.load(p, at, first + i));
                    advance(p.reduced, at, LANES);
                }
            } else {
                Cursor<R::N> c;
                c.start(p.reduced, first + lane);
#pragma unroll 1
                for (; i < count; i += LANES) {
                    c.seek(p.reduced, base);
                    v = R::join(v, r.load(p, c.at, first + i));
                    c.next(p.reduced, LANES);
                }
            }
        }
        v = fold_group<R>(v);
        if (on && lane == 0) {
            if (p.last) r.write(p, o, v);
            else ((C*)p.out)[g] = v;
        }
    }
}

template <class R>
RL_DEV void reduce_columns(const typename R::P& p) {
    using C = typename R::C;
    __shared__ C lanes[GROUPS][LANES];
    const u32 x = lane32(), part = thread() / LANES;
    const u64 across = (p.outputs + LANES - 1) / LANES, items = across * p.chunks;
    for (u64 item = block(); item < items; item += p.blocks) {
        u64 tile = item;
        const u64 k = p.chunks == 1 ? 0 : div_mod(item, across, tile), o = tile * LANES + x;
        const bool on = o < p.outputs;
        // The values of lanes part, part + 8, part + 16 and part + 24.
        C a[4];
        for (int j = 0; j < 4; j++) a[j] = R::zero();
        R r;
        if (on) {
            const u64 first = k * CHUNK;
            const u32 count = (u32)(p.count - first < CHUNK ? p.count - first : CHUNK);
            u64 base[R::N];
            offsets(p.kept, o, base);
            r.open(p, o);
            u64 at[R::N];
            if (R::FIRST) {
                offset(p.reduced, base, first, at);
                const C v = r.load(p, at, first);
                for (int j = 0; j < 4; j++) a[j] = v;
            }
            u32 i = part;
            if (p.reduced.rank == 1) {
                for (int k = 0; k < R::N; k++) at[k] = base[k] + (first + part) * p.reduced.strides[k][0];
                for (; i + 7 * GROUPS < count; i += 8 * GROUPS) {
                    C v[8];
#pragma unroll
                    for (u32 j = 0; j < 8; j++) {
                        v[j] = r.load(p, at, first + i + j * GROUPS);
                        advance(p.reduced, at, GROUPS);
                    }
#pragma unroll
                    for (u32 j = 0; j < 8; j++) a[j % 4] = R::join(a[j % 4], v[j]);
                }
#pragma unroll
                for (u32 j = 0; j < 7; j++) {
                    if (i < count) {
                        a[j % 4] = R::join(a[j % 4], r.load(p, at, first + i));
                        advance(p.reduced, at, GROUPS);
                        i += GROUPS;
                    }
                }
            } else {
                Cursor<R::N> c;
                c.start(p.reduced, first + part);
                // After each step the next lane's value is in a[0]; after four steps the order is the first one again.
#pragma unroll 1
                for (u32 turn = 0; i < count || turn % 4 != 0; turn++, i += GROUPS) {
                    C v = a[0];
                    if (i < count) {
                        c.seek(p.reduced, base);
                        v = R::join(v, r.load(p, c.at, first + i));
                        c.next(p.reduced, GROUPS);
                    }
                    a[0] = a[1];
                    a[1] = a[2];
                    a[2] = a[3];
                    a[3] = v;
                }
            }
        }
        C v = R::join(R::join(a[0], a[2]), R::join(a[1], a[3]));
        for (u32 half = GROUPS / 2; half > 0; half /= 2) {
            lanes[part][x] = v;
            sync();
            if (part < half) v = R::join(v, lanes[part + half][x]);
            sync();
        }
        if (on && part == 0) {
            if (p.last) r.write(p, o, v);
            else ((C*)p.out)[o * p.chunks + k] = v;
        }
    }
}

template <class R>
RL_DEV void reduce_threads(const typename R::P& p) {
    using C = typename R::C;
    const u32 n = (u32)p.count;
    for (u64 o = global_thread(); o < p.outputs; o += (u64)p.blocks * RL_BLOCK) {
        u64 base[R::N];
        offsets(p.kept, o, base);
        R r;
        r.open(p, o);
        C v = R::zero();
        if (R::FIRST) v = r.load(p, base, 0);
        if constexpr (R::LINEAR) {
            for (u32 i = 0; i < n; i++) {
                v = R::join(v, r.load(p, base, i));
                advance(p.reduced, base, 1);
            }
        } else {
            C lanes[LANES];
#pragma unroll
            for (u32 i = 0; i < LANES; i++) {
                lanes[i] = v;
                if (i < n) {
                    lanes[i] = R::join(v, r.load(p, base, i));
                    advance(p.reduced, base, 1);
                }
            }
#pragma unroll
            for (u32 half = LANES / 2; half > 0; half /= 2) {
#pragma unroll
                for (u32 i = 0; i < half; i++) lanes[i] = R::join(lanes[i], lanes[i + half]);
            }
            v = lanes[0];
        }
        r.write(p, o, v);
    }
}

// Returns true in the block that gets here last, of `blocks`, where all blocks' writes before this call can be read. All threads must
// call it. The counter (GpuDevice::counter) is 0 before and after the launch.
RL_DEV bool last_block(u64 counter, u64 blocks) {
    __shared__ u32 before;
    fence_device();
    sync();
    if (thread() == 0) before = atomic_next((u32*)counter);
    sync();
    if (before != blocks - 1) return false;
    if (thread() == 0) *(u32*)counter = 0;
    fence_device();
    return true;
}

// Reduces up to 32 chunks of values of R::C that lie side by side, by a block of `groups` groups of 32 threads; write(value) is
// called by one thread.
template <class R, class F>
RL_DEV void reduce_values(const typename R::C* values, u64 count, u32 groups, F write) {
    using C = typename R::C;
    __shared__ C part[LANES];
    const u32 lane = lane32(), group = thread() / LANES, chunks = (u32)((count + CHUNK - 1) / CHUNK);
#pragma unroll 1
    for (u32 start = 0; start < chunks; start += groups) {
        const u64 first = (u64)(start + group) * CHUNK;
        const u32 n = first >= count ? 0 : (u32)(count - first < CHUNK ? count - first : CHUNK);
        C v = R::zero();
#pragma unroll 1
        for (u32 i = lane; i < n; i += LANES) v = R::join(v, values[first + i]);
        v = fold_group<R>(v);
        if (lane == 0 && n > 0) part[start + group] = v;
    }
    sync();
    if (group > 0) return;
    C v = R::zero();
    if (lane < chunks) v = chunks == 1 ? C(part[lane]) : R::join(v, part[lane]);
    if (chunks > 1) v = fold_group<R>(v);
    if (lane == 0) write(v);
}

// A reducer whose elements are the partial values that a pass of R wrote.
template <class R>
struct Partials : R {
    RL_FN typename R::C load(const typename R::P& p, const u64 (&at)[R::N], u64) const {
        return ((const typename R::C*)p.input[0])[(i64)at[0]];
    }
};

// The common part of reducers of one operand.
struct One {
    using P = ReduceParams<1>;
    static constexpr int N = 1;
    RL_FN void open(const ReduceParams<1>&, u64) {}
};

template <class T>
struct Sum : One {
    using C = acc_t<T>;
    static constexpr bool FIRST = false, LINEAR = is_int<C>::value;
    RL_FN C load(const ReduceParams<1>& p, const u64 (&at)[1], u64) const { return acc<T>(((const T*)p.input[0])[(i64)at[0]]); }
    static RL_FN C zero() { return C{}; }
    static RL_FN C join(C a, C b) { return add(a, b); }
    static RL_FN void write(const ReduceParams<1>& p, u64 o, C v) { ((T*)p.out)[o] = from_acc<T>(v); }
};

// The sum, written in the type that is computed in.
template <class T>
struct RawSum : Sum<T> {
    using C = acc_t<T>;
    static RL_FN void write(const ReduceParams<1>& p, u64 o, C v) { ((C*)p.out)[o] = v; }
};

}  // namespace rl

// Defines the kernels of a reducer: those that read elements, and those that read the partial values of a pass.
#define RL_REDUCE_ROWS(op, R)                                              \
    RL_KERNEL(op, row)(R::P p) { rl::reduce_rows<R>(p); }                  \
    RL_KERNEL(op, partials)(R::P p) { rl::reduce_rows<rl::Partials<R>>(p); }
#define RL_REDUCE(op, R)                                                   \
    RL_KERNEL(op, thread)(R::P p) { rl::reduce_threads<R>(p); }            \
    RL_KERNEL(op, column)(R::P p) { rl::reduce_columns<R>(p); }            \
    RL_REDUCE_ROWS(op, R)
