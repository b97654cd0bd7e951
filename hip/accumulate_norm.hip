// accumulate_norm: the sum of |x|^order over the elements of each of several tensors, by the reduction tree, added to a scalar
// in the order of the tensors; accumulate_peak: the largest |x|. Variants:
//   _table     32 threads a chunk of several contiguous tensors
//   _row       32 threads a chunk of one tensor of any strides
//   _partials  32 threads a chunk of the values that an earlier pass of _row wrote
//   _finish    adds the tensors' values to the scalar
#include "reduce.h"

#if RL_FLOAT
namespace rl {
using A = acc_t<RL_T>;

template <bool PEAK>
struct Magnitudes : One {
    using C = A;
    static constexpr bool FIRST = false, LINEAR = false;
    A order;
    RL_FN void open(const ReduceParams<1>& p, u64) { order = (A)bits_as<f64>(p.flag); }
    RL_FN C term(RL_T x) const {
        const A v = absolute(acc<RL_T>(x));
        if (PEAK || order == (A)1) return v;
        return order == (A)2 ? v * v : pow(v, order);
    }
    RL_FN C load(const ReduceParams<1>& p, const u64 (&at)[1], u64) const { return term(((const RL_T*)p.input[0])[(i64)at[0]]); }
    static RL_FN C zero() { return (C)0; }
    static RL_FN C join(C a, C b) { return PEAK ? maximum(a, b) : a + b; }
    static RL_FN void write(const ReduceParams<1>& p, u64 o, C v) { ((C*)p.out)[o] = v; }
};

template <class R>
RL_DEV void chunks_of_table(const TableParams<2, ScalarParams>& p) {
    const u32 t = table_entry(p), lane = lane32();
    const u64 chunk = (u64)(block() - p.first[t]) * GROUPS + thread() / LANES, first = chunk * CHUNK, n = p.count[t];
    R r;
    r.order = (A)p.extra.value;
    A v = R::zero();
    if (first < n) {
        const u32 count = (u32)(n - first < CHUNK ? n - first : CHUNK);
        const RL_T* x = (const RL_T*)p.ptr[t][0] + first;
        u32 i = lane;
        for (; i + 7 * LANES < count; i += 8 * LANES) {
            RL_T e[8];
#pragma unroll
            for (u32 k = 0; k < 8; k++) e[k] = x[i + k * LANES];
#pragma unroll
            for (u32 k = 0; k < 8; k++) v = R::join(v, r.term(e[k]));
        }
#pragma unroll 1
        for (; i < count; i += LANES) v = R::join(v, r.term(x[i]));
    }
    v = fold_group<R>(v);
    if (first < n && lane == 0) ((A*)p.ptr[t][1])[chunk] = v;
}

template <class R>
RL_DEV void add_values(const NormTotalParams& p) {
    __shared__ A part[RL_BLOCK];
    A* out = (A*)p.total;
    A total = *out;
    for (u64 first = 0; first < p.count; first += RL_BLOCK) {
        const u64 left = p.count - first;
        if (thread() < left) part[thread()] = ((const A*)p.values)[first + thread()];
        sync();
        if (thread() == 0) {
            for (u32 i = 0; i < RL_BLOCK && i < left; i++) total = R::join(total, part[i]);
        }
        sync();
    }
    if (thread() == 0) *out = total;
}
}  // namespace rl

#define RL_NORM(op, PEAK)                    \
    RL_REDUCE_ROWS(op, rl::Magnitudes<PEAK>) \
    RL_KERNEL(op, table)(rl::TableParams<2, rl::ScalarParams> p) { rl::chunks_of_table<rl::Magnitudes<PEAK>>(p); }

RL_NORM(accumulate_norm, false)
RL_NORM(accumulate_peak, true)

// The scalar and the values have the type that is computed in.
#if RL_BYTES >= 4
RL_KERNEL(accumulate_norm, finish)(rl::NormTotalParams p) { rl::add_values<rl::Magnitudes<false>>(p); }
RL_KERNEL(accumulate_peak, finish)(rl::NormTotalParams p) { rl::add_values<rl::Magnitudes<true>>(p); }
#endif
#endif
