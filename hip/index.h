// index.h: index tensors of any index dtype, and the kernels that gather and scatter by them (gpu/run/index.rs).
#pragma once
#include "elementwise.h"
#include "fault.h"

namespace rl {

// Reads an index in its own dtype. The branch is the same for all threads.
RL_DEV i64 read_index(const IndexTensor& index, u64 at) {
    switch (index.dtype) {
        case IndexDType::U8: return ((const u8*)index.ptr)[(i64)at];
        case IndexDType::I16: return ((const i16*)index.ptr)[(i64)at];
        case IndexDType::I32: return ((const i32*)index.ptr)[(i64)at];
        case IndexDType::U32: return ((const u32*)index.ptr)[(i64)at];
        default: return ((const i64*)index.ptr)[(i64)at];
    }
}
// Loads the index at offset `at`; wraps a negative one if the mode allows it; returns an invalid one unchanged.
RL_DEV i64 load_index(const IndexTensor& index, u64 at) {
    const i64 value = read_index(index, at);
    const bool wraps = index.mode == IndexMode::FromEnd && value < 0 && value >= -(i64)index.size;
    return wraps ? value + (i64)index.size : value;
}
// Returns whether an index means that its element is skipped. Such an index is not an error, and it is skipped even if it
// is less than the size.
RL_DEV bool skipped(const IndexTensor& index, i64 value) {
    return index.mode == IndexMode::MaxSkips && value == index.skip;
}
RL_DEV bool inside(const IndexTensor& index, i64 value) { return (u64)value < index.size; }

// --- gather: target[e] = source[offset(e) + index[e] * index_step] ---

template <class W>
RL_DEV void gather(const GatherParams& p) {
    const u64 step = (u64)p.iter.blocks * RL_BLOCK;
    for (u64 e = global_thread(); e < p.iter.count; e += step) {
        u64 at[3];
        offsets(p.iter, e, at);
        const i64 index = load_index(p.index, at[2]);
        W v = {};
        if (!skipped(p.index, index)) {
            if (inside(p.index, index)) v = ((const W*)p.source)[(i64)(at[1] + (u64)index * p.index_step)];
            else report(p.index.check, 1, e / p.inner % p.length, index, p.index.size);
        }
        ((W*)p.target)[(i64)at[0]] = v;
    }
}

// --- scatter in order: put(target[line, index[line, j]], source[line, j]) for j in order, on each line ---

RL_DEV void report_scatter_fault(const ScatterParams& p, u64 line, u64 j, i64 index) {
    const u64 at = p.inner ? (line / p.inner * p.length + j) * p.inner + line % p.inner : j;
    report(p.index.check, 1, at, index, p.index.size);
}

// One thread for each line and range of targets (the grid's second dimension), so writes to an element are in order.
template <class O, class S, class F>
RL_DEV void scatter_rows(const ScatterParams& p, F put) {
    constexpr u32 AHEAD = 8;
    const u64 lo = block_y() * p.targets_each, step = (u64)p.lines.blocks * RL_BLOCK;
    for (u64 line = global_thread(); line < p.lines.count; line += step) {
        u64 at[3];
        offsets(p.lines, line, at);
        O* o = (O*)p.target + (i64)at[0];
        const S* s = (const S*)p.source + (i64)at[1];
        for (u64 first = 0; first < p.length; first += AHEAD) {
            i64 index[AHEAD];
            for (u32 k = 0; k < AHEAD; k++) {
                const u64 j = first + k;
                index[k] = j < p.length ? load_index(p.index, at[2] + j * p.index_step) : 0;
            }
            for (u32 k = 0; k < AHEAD; k++) {
                const u64 j = first + k;
                if (j >= p.length || skipped(p.index, index[k])) continue;
                if (!inside(p.index, index[k])) {
                    if (block_y() == 0) report_scatter_fault(p, line, j, index[k]);
                } else if ((u64)index[k] - lo < p.targets_each) {
                    put(o[(i64)((u64)index[k] * p.target_step)], s[(i64)(j * p.source_step)]);
                }
            }
        }
    }
}

// One block for each line; a thread owns a range of the line's targets, reads all indices and handles those in its range.
template <class O, class S, class F>
RL_DEV void scatter_targets(const ScatterParams& p, F put) {
    __shared__ i64 indices[RL_BLOCK];
    u64 at[3];
    offsets(p.lines, block_y(), at);
    O* o = (O*)p.target + (i64)at[0];
    const S* s = (const S*)p.source + (i64)at[1];
    const u64 lo = global_thread() * p.targets_each;
    for (u64 first = 0; first < p.length; first += RL_BLOCK) {
        const u64 mine = first + thread();
        i64 index = -1;
        if (mine < p.length) {
            index = load_index(p.index, at[2] + mine * p.index_step);
            if (skipped(p.index, index)) {
                index = -1;
            } else if (!inside(p.index, index)) {
                if (block() == 0) report_scatter_fault(p, block_y(), mine, index);
                index = -1;
            }
        }
        sync();
        indices[thread()] = index;
        sync();
        const u32 n = p.length - first < RL_BLOCK ? (u32)(p.length - first) : RL_BLOCK;
        for (u32 k = 0; k < n; k++) {
            const i64 j = indices[k];
            if (j >= 0 && (u64)j - lo < p.targets_each) {
                put(o[(i64)((u64)j * p.target_step)], s[(i64)((first + k) * p.source_step)]);
            }
        }
    }
}

// --- scatter by atomics: add(target[offset(e) + index[e] * index_step], source[e]), in no order ---

// One thread for each element of the source. The target has stride 0 in the indexed dimension.
template <class O, class S, class F>
RL_DEV void scatter_elements(const GatherParams& p, F add) {
    const u64 step = (u64)p.iter.blocks * RL_BLOCK;
    for (u64 e = global_thread(); e < p.iter.count; e += step) {
        u64 at[3];
        offsets(p.iter, e, at);
        const i64 index = load_index(p.index, at[2]);
        if (skipped(p.index, index)) continue;
        if (inside(p.index, index)) {
            add((O*)p.target + (i64)(at[0] + (u64)index * p.index_step), ((const S*)p.source)[(i64)at[1]]);
        } else report(p.index.check, 1, e / p.inner % p.length, index, p.index.size);
    }
}

}  // namespace rl
