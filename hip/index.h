// index.h: index tensors of any index dtype, and how their ids are checked. The host's twins are in gpu/run/index.rs.
#pragma once
#include "fault.h"
#include "walk.h"

namespace rl {

// What is known of an index tensor.
struct Ids {
    Checker check;
    i64 skip;   // the id that names no place, by rule 1
    u64 size;   // of the dimension that ids name
    u32 kind;   // dtype: 0 u8, 1 i16, 2 i32, 3 u32, 4 i64
    u32 rule;   // 1: an id equal to `skip` names no place; 2: negative ids count from the end
};

// The branch is the same for all threads.
RL_DEV i64 read_id(const Ids& ids, u64 ptr, u64 at) {
    switch (ids.kind) {
        case 0: return ((const u8*)ptr)[(i64)at];
        case 1: return ((const i16*)ptr)[(i64)at];
        case 2: return ((const i32*)ptr)[(i64)at];
        case 3: return ((const u32*)ptr)[(i64)at];
        default: return ((const i64*)ptr)[(i64)at];
    }
}
// The place that the id at place `at` of the tensor names; an id that names none as it is.
RL_DEV i64 load_id(const Ids& ids, u64 ptr, u64 at) {
    const i64 id = read_id(ids, ptr, at);
    return ids.rule == 2 && id < 0 && id >= -(i64)ids.size ? id + (i64)ids.size : id;
}
// Whether an id is one to skip: then it counts as no fault even where it lies inside.
RL_DEV bool skipped(const Ids& ids, i64 id) { return ids.rule == 1 && id == ids.skip; }
RL_DEV bool inside(const Ids& ids, i64 id) { return (u64)id < ids.size; }

// --- picking: out[e] = x[base(e) + ids[e] step] ---

struct PickParams {
    u64 ptr[3];     // out, x, ids
    Walk<3> walk;   // over the output; x stands still in the dimension that ids name
    Ids ids;
    u64 step;       // x's stride in that dimension
    u64 inner, len; // e / inner % len is the id's row-major place
};

template <class W>
RL_DEV void pick(const PickParams& p) {
    const u64 step = (u64)p.walk.blocks * RL_BLOCK;
    for (u64 e = global_thread(); e < p.walk.n; e += step) {
        u64 at[3];
        places(p.walk, e, at);
        const i64 id = load_id(p.ids, p.ptr[2], at[2]);
        W v = {};
        if (!skipped(p.ids, id)) {
            if (inside(p.ids, id)) v = ((const W*)p.ptr[1])[(i64)(at[1] + (u64)id * p.step)];
            else report(p.ids.check, 1, e / p.inner % p.len, id, p.ids.size);
        }
        ((W*)p.ptr[0])[(i64)at[0]] = v;
    }
}

// --- spreading: put(target[line, ids[line, j]], source[line, j]) for j in order, on each line ---

struct SpreadParams {
    u64 ptr[3];     // target, source, ids
    Walk<3> lines;  // over the source's dimensions but the one that ids name
    Ids ids;
    u64 step[3];    // strides of that dimension
    u64 len;        // entries of a line
    u64 per;        // places of the target that a block (form l) or a thread (form t) owns
    u64 inner;      // lines between an id and the next, row-major; 0: all lines share their ids
};

RL_DEV void spread_fault(const SpreadParams& p, u64 line, u64 j, i64 id) {
    const u64 at = p.inner ? (line / p.inner * p.len + j) * p.inner + line % p.inner : j;
    report(p.ids.check, 1, at, id, p.ids.size);
}

// A thread has a line, and of it the places of its block's range: what is put to a place comes in order.
template <class O, class S, class F>
RL_DEV void spread_lines(const SpreadParams& p, F put) {
    constexpr u32 AHEAD = 8;
    const u64 lo = block_y() * p.per, step = (u64)p.lines.blocks * RL_BLOCK;
    for (u64 line = global_thread(); line < p.lines.n; line += step) {
        u64 at[3];
        places(p.lines, line, at);
        O* o = (O*)p.ptr[0] + (i64)at[0];
        const S* s = (const S*)p.ptr[1] + (i64)at[1];
        for (u64 first = 0; first < p.len; first += AHEAD) {
            i64 id[AHEAD];
            for (u32 k = 0; k < AHEAD; k++) {
                const u64 j = first + k;
                id[k] = j < p.len ? load_id(p.ids, p.ptr[2], at[2] + j * p.step[2]) : 0;
            }
            for (u32 k = 0; k < AHEAD; k++) {
                const u64 j = first + k;
                if (j >= p.len || skipped(p.ids, id[k])) continue;
                if (!inside(p.ids, id[k])) {
                    if (block_y() == 0) spread_fault(p, line, j, id[k]);
                } else if ((u64)id[k] - lo < p.per) {
                    put(o[(i64)((u64)id[k] * p.step[0])], s[(i64)(j * p.step[1])]);
                }
            }
        }
    }
}

// A block works on one line; a thread has a range of the line's places, reads all ids and takes those of its range.
template <class O, class S, class F>
RL_DEV void spread_targets(const SpreadParams& p, F put) {
    __shared__ i64 ids[RL_BLOCK];
    u64 at[3];
    places(p.lines, block_y(), at);
    O* o = (O*)p.ptr[0] + (i64)at[0];
    const S* s = (const S*)p.ptr[1] + (i64)at[1];
    const u64 lo = global_thread() * p.per;
    for (u64 first = 0; first < p.len; first += RL_BLOCK) {
        const u64 mine = first + thread();
        i64 id = -1;
        if (mine < p.len) {
            id = load_id(p.ids, p.ptr[2], at[2] + mine * p.step[2]);
            if (skipped(p.ids, id)) {
                id = -1;
            } else if (!inside(p.ids, id)) {
                if (block() == 0) spread_fault(p, block_y(), mine, id);
                id = -1;
            }
        }
        sync();
        ids[thread()] = id;
        sync();
        const u32 n = p.len - first < RL_BLOCK ? (u32)(p.len - first) : RL_BLOCK;
        for (u32 k = 0; k < n; k++) {
            const i64 j = ids[k];
            if (j >= 0 && (u64)j - lo < p.per) put(o[(i64)((u64)j * p.step[0])], s[(i64)((first + k) * p.step[1])]);
        }
    }
}

// --- adding by atomics: add(target[base(e) + ids[e] step], source[e]), a thread an element, in no order ---

// As for picking, but that the walk is over the source, and the target stands still in the dimension that ids name.
template <class O, class S, class F>
RL_DEV void spread_each(const PickParams& p, F add) {
    const u64 step = (u64)p.walk.blocks * RL_BLOCK;
    for (u64 e = global_thread(); e < p.walk.n; e += step) {
        u64 at[3];
        places(p.walk, e, at);
        const i64 id = load_id(p.ids, p.ptr[2], at[2]);
        if (skipped(p.ids, id)) continue;
        if (inside(p.ids, id)) add((O*)p.ptr[0] + (i64)(at[0] + (u64)id * p.step), ((const S*)p.ptr[1])[(i64)at[1]]);
        else report(p.ids.check, 1, e / p.inner % p.len, id, p.ids.size);
    }
}

}  // namespace rl
