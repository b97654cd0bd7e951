// softmax: softmax and log_softmax and their gradients. Lines that are kept in registers take one launch (line.h): variant group
// of up to 1,024 elements, block of up to 8,192, wide of more, though of f64 those take reductions. Other lines, such as those that
// lie beside each other in memory, take reductions of the largest element (peak) and the sum (exps, dot, grads) of each line, and
// variant element writes one element a thread.
#include "line.h"

namespace rl {

#if RL_FLOAT
using A = acc_t<RL_T>;

struct Peak : One {
    using C = A;
    static constexpr bool FIRST = true, LINEAR = false;
    RL_FN C load(const ReduceParams<1>& p, const u64 (&at)[1], u64) const { return acc<RL_T>(((const RL_T*)p.input[0])[(i64)at[0]]); }
    static RL_FN C zero() { return 0; }
    static RL_FN C join(C a, C b) { return maximum(a, b); }
    static RL_FN void write(const ReduceParams<1>& p, u64 o, C v) { ((C*)p.out)[o] = v; }
};

struct Exps : RawSum<RL_T> {
    A m;
    RL_FN void open(const ReduceParams<1>& p, u64 o) { m = ((const A*)p.aux[0])[o]; }
    RL_FN A load(const ReduceParams<1>& p, const u64 (&at)[1], u64) const {
        return exp(acc<RL_T>(((const RL_T*)p.input[0])[(i64)at[0]]) - m);
    }
};

// The sum of g, or of g y.
template <bool Y>
struct Dot : RawSum<RL_T> {
    using P = ReduceParams<2>;
    static constexpr int N = 2;
    RL_FN void open(const ReduceParams<2>&, u64) {}
    RL_FN A load(const ReduceParams<2>& p, const u64 (&at)[2], u64) const {
        const A g = acc<RL_T>(((const RL_T*)p.input[0])[(i64)at[0]]);
        return Y ? g * acc<RL_T>(((const RL_T*)p.input[1])[(i64)at[1]]) : g;
    }
    static RL_FN void write(const ReduceParams<2>& p, u64 o, A v) { ((A*)p.out)[o] = v; }
};

// Returns the offset of a line in the output, which is row-major; its elements are `inner` apart.
RL_DEV u64 begin(const SoftmaxParams& p, u64 line) {
    if (p.inner == 1) return line * p.length;
    u64 in;
    const u64 outer = div_mod(line, p.inner, in);
    return outer * p.length * p.inner + in;
}

template <u32 W>
RL_DEV void softmax_lines(const SoftmaxParams& p) {
    const bool log_of = p.log;
    each_kept<A, W>(p, p.length, [&](auto& line) RL_INLINE {
        u64 at[2];
        offsets(p.line_starts, line.index, at);
        const RL_T* x = (const RL_T*)p.input + (i64)at[0];
        const auto read = [&]() RL_INLINE { line.read(line.v, x, p.step[0], lowest<A>()); };
        const A m = line.read_peak(x, p.step[0]);
        const auto term = [&](u32 row) RL_INLINE {
            const A d = line.v[row] - m, e = exp(d);
            line.v[row] = log_of ? d : e;
            return e;
        };
        const A s = line.template total_of<RawSum<A>>(
            [&]() RL_INLINE { if (line.again()) read(); }, [](auto) RL_INLINE {}, [&](u32 row, bool) RL_INLINE { return term(row); });
        RL_T* out = (RL_T*)p.out + begin(p, line.index);
        const A l = log_of ? log(s) : (A)0;
        line.each_round([&]() RL_INLINE {
            if (line.again()) {
                read();
                line.each([&](u32 row) RL_INLINE { term(row); });
            }
            if (log_of) line.write(out, p.inner, [&](u32 row) RL_INLINE { return line.v[row] - l; });
            else line.write(out, p.inner, [&](u32 row) RL_INLINE { return div(line.v[row], s); });
        });
    });
}

template <u32 W>
RL_DEV void backward_lines(const SoftmaxParams& p) {
    const bool log_of = p.log;
    each_kept<A, W>(p, p.length, [&](auto& line) RL_INLINE {
        u64 at[2];
        offsets(p.line_starts, line.index, at);
        const RL_T* g = (const RL_T*)p.input + (i64)at[0];
        const RL_T* y = (const RL_T*)p.forward + (i64)at[1];
        RL_T* out = (RL_T*)p.out + begin(p, line.index);
        const auto last = [&](A grad, A of, A sum) RL_INLINE { return log_of ? grad - exp(of) * sum : of * (grad - sum); };
        if constexpr (W == 32) {
            // Registers for one of the two: the output is read again, and the gradient too if there are several rounds.
            A part[RANGE];
            const auto read_part = [&](auto r) RL_INLINE {
                RL_T raw[RANGE];
                line.load_range(r, raw, y, p.step[1]);
#pragma unroll
                for (u32 k = 0; k < r.count; k++) part[(r.first + k) % RANGE] = acc<RL_T>(raw[(r.first + k) % RANGE]);
            };
            const A s = line.template total_of<RawSum<A>>(
                [&]() RL_INLINE { line.read(line.v, g, p.step[0], (A)0); }, read_part, [&](u32 row, bool has) RL_INLINE {
                    return !has ? (A)0 : log_of ? line.v[row] : line.v[row] * part[row % RANGE];
                });
            line.each_round([&]() RL_INLINE {
                if (line.again()) line.read(line.v, g, p.step[0], (A)0);
                line.ranges([&](auto r) RL_INLINE {
                    read_part(r);
#pragma unroll
                    for (u32 k = 0; k < r.count; k++) {
                        A& v = line.v[r.first + k];
                        v = last(v, part[(r.first + k) % RANGE], s);
                    }
                });
                line.write(out, p.inner, [&](u32 row) RL_INLINE { return line.v[row]; });
            });
        } else {
            A all[ROWS];
            line.read(line.v, g, p.step[0], (A)0);
            line.read(all, y, p.step[1], (A)0);
            const A s = line.total([&](u32 row, bool) RL_INLINE { return log_of ? line.v[row] : line.v[row] * all[row]; });
            if (log_of) line.write(out, p.inner, [&](u32 row) RL_INLINE { return line.v[row] - exp(all[row]) * s; });
            else line.write(out, p.inner, [&](u32 row) RL_INLINE { return all[row] * (line.v[row] - s); });
        }
    });
}

// Calls f(line, offsets of the line in input and forward, position in the line, offset in the output) for every element.
template <class F>
RL_DEV void each_element(const SoftmaxParams& p, F f) {
    const u64 total = p.lines * p.length;
    for (u64 i = global_thread(); i < total; i += p.blocks * RL_BLOCK) {
        u64 in, k;
        const u64 row = div_mod(i, p.inner, in), outer = div_mod(row, p.length, k);
        const u64 line = outer * p.inner + in;
        u64 at[2];
        offsets(p.line_starts, line, at);
        f(line, at, k, i);
    }
}
#endif

}  // namespace rl

#if RL_FLOAT
RL_REDUCE(peak, rl::Peak)
RL_REDUCE(exps, rl::Exps)
RL_REDUCE(dot, rl::Dot<true>)
RL_REDUCE(grads, rl::Dot<false>)

RL_KERNEL(softmax, group)(rl::SoftmaxParams p) { rl::softmax_lines<1>(p); }
RL_KERNEL(softmax, block)(rl::SoftmaxParams p) { rl::softmax_lines<8>(p); }
#if RL_BYTES < 8
RL_KERNEL_WIDE(softmax, wide)(rl::SoftmaxParams p) { rl::softmax_lines<32>(p); }
#endif
RL_KERNEL(softmax, element)(rl::SoftmaxParams p) {
    using namespace rl;
    each_element(p, [&](u64 line, const u64 (&at)[2], u64 k, u64 i) {
        const A v = acc<RL_T>(((const RL_T*)p.input)[(i64)(at[0] + k * p.step[0])]) - ((const A*)p.peak)[line];
        const A s = ((const A*)p.total)[line];
        ((RL_T*)p.out)[i] = from_acc<RL_T>(p.log ? v - rl::log(s) : div(rl::exp(v), s));
    });
}
RL_KERNEL(softmax_backward, group)(rl::SoftmaxParams p) { rl::backward_lines<1>(p); }
RL_KERNEL(softmax_backward, block)(rl::SoftmaxParams p) { rl::backward_lines<8>(p); }
#if RL_BYTES < 8
RL_KERNEL_WIDE(softmax_backward, wide)(rl::SoftmaxParams p) { rl::backward_lines<32>(p); }
#endif
RL_KERNEL(softmax_backward, element)(rl::SoftmaxParams p) {
    using namespace rl;
    each_element(p, [&](u64 line, const u64 (&at)[2], u64 k, u64 i) {
        const A g = acc<RL_T>(((const RL_T*)p.input)[(i64)(at[0] + k * p.step[0])]);
        const A y = acc<RL_T>(((const RL_T*)p.forward)[(i64)(at[1] + k * p.step[1])]);
        const A s = ((const A*)p.total)[line];
        ((RL_T*)p.out)[i] = from_acc<RL_T>(p.log ? g - rl::exp(y) * s : y * (g - s));
    });
}
#endif
