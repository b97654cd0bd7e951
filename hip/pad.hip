// pad: elements added at the ends of dimensions. One thread for each element of the result; a gradient is the sum over the
// elements that copied its element, in row-major order.
#include "num.h"
#include "params.h"

namespace rl {

#if RL_WORD
// Returns the index in the input of index `o` of the result, in dimension `d`. It is outside of the input where a constant
// is added.
RL_DEV i64 source(const PadParams& p, int d, u64 o) {
    const i64 at = (i64)o - p.before[d], last = (i64)p.size[d] - 1;
    switch (p.kind) {
        case PadKind::Constant: return at;
        case PadKind::Reflect: return at < 0 ? -at : at > last ? 2 * last - at : at;
        case PadKind::Replicate: return at < 0 ? 0 : at > last ? last : at;
        default: {
            // Circular padding at one end repeats each kept element at most once, so one addition or subtraction wraps the
            // index.
            const i64 first = (i64)p.first[d], kept = (i64)p.kept[d];
            return at < first ? at + kept : at >= first + kept ? at - kept : at;
        }
    }
}

RL_DEV void pad(const PadParams& p) {
    const u64 step = (u64)p.blocks * RL_BLOCK;
    for (u64 e = global_thread(); e < p.count; e += step) {
        u64 rest = e, at = 0;
        bool inside = true;
        for (int d = (int)p.rank - 1; d >= 0; d--) {
            u64 o;
            rest = div_mod(rest, p.padded[d], p.index64, o);
            const i64 i = source(p, d, o);
            inside = inside && (u64)i < p.size[d];
            at += (u64)i * p.stride[d];
        }
        ((RL_T*)p.out)[e] = inside ? ((const RL_T*)p.input)[(i64)at] : element_of<RL_T>(p.value, p.value_high);
    }
}
#endif

#if RL_FLOAT
// The indices of the result that copy an index of the input, in order. There are `count` of them: `at[k]`, or `at[0] + k`
// if they are consecutive.
struct Copies {
    i64 at[3];
    u64 count;
    bool run;
};
RL_DEV Copies copies(const PadParams& p, int d, u64 old) {
    const i64 i = (i64)old, before = p.before[d], last = (i64)p.size[d] - 1, padded = (i64)p.padded[d];
    Copies c = {{0, 0, 0}, 0, false};
    if (p.kind == PadKind::Replicate) {
        i64 from = i == 0 ? 0 : before + i, to = i == last ? padded : before + i + 1;
        if (from < 0) from = 0;
        if (to > padded) to = padded;
        c.at[0] = from;
        c.count = to > from ? (u64)(to - from) : 0;
        c.run = true;
        return c;
    }
    i64 o[3] = {-1, before + i, -1};
    if (p.kind == PadKind::Reflect) {
        if (i != 0) o[0] = before - i;
        if (i != last) o[2] = before + 2 * last - i;
    } else {
        const i64 first = (i64)p.first[d], kept = (i64)p.kept[d];
        if (i < first || i >= first + kept) return c;
        o[0] = before + i - kept;
        o[2] = before + i + kept;
    }
    for (int k = 0; k < 3; k++) {
        if (o[k] < 0 || o[k] >= padded) continue;
        if (c.count == 0) c.at[0] = o[k];
        else if (c.count == 1) c.at[1] = o[k];
        else c.at[2] = o[k];
        c.count++;
    }
    return c;
}

RL_DEV void pad_backward(const PadParams& p) {
    const u64 step = (u64)p.blocks * RL_BLOCK;
    for (u64 e = global_thread(); e < p.count; e += step) {
        u64 rest = e, total = 1;
        for (int d = (int)p.rank - 1; d >= 0; d--) {
            u64 i;
            rest = div_mod(rest, p.size[d], p.index64, i);
            total *= copies(p, d, i).count;
        }
        acc_t<RL_T> sum = 0;
        for (u64 k = 0; k < total; k++) {
            u64 which = k, at = 0;
            rest = e;
            for (int d = (int)p.rank - 1; d >= 0; d--) {
                u64 i, one;
                rest = div_mod(rest, p.size[d], p.index64, i);
                const Copies c = copies(p, d, i);
                which = div_mod(which, c.count, p.index64, one);
                const i64 o = c.run ? c.at[0] + (i64)one : one == 0 ? c.at[0] : one == 1 ? c.at[1] : c.at[2];
                at += (u64)o * p.stride[d];
            }
            sum = sum + acc<RL_T>(((const RL_T*)p.input)[(i64)at]);
        }
        ((RL_T*)p.out)[e] = from_acc<RL_T>(sum);
    }
}
#endif

}  // namespace rl

#if RL_WORD
// The kernel only moves values, so RL_T is the unsigned integer of their size.
RL_KERNEL(pad, strided)(rl::PadParams p) { rl::pad(p); }
#endif
#if RL_FLOAT
RL_KERNEL(pad_backward, strided)(rl::PadParams p) { rl::pad_backward(p); }
#endif
