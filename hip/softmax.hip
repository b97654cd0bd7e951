// softmax: softmax and log_softmax and their gradients. Lines of up to some thousand elements that lie together are read once
// (form g: a line a group, form b: a line a block). Else reductions give the largest elements (peak) and the sums
// (exps, dot, grads) of all lines, and form e works element by element.
#include "line.h"

namespace rl {

// The host's twin is gpu::run::softmax::Lines.
struct Lines {
    u64 out, x, y;  // gradients: x is the output's gradient, y the output
    u64 peak, total;
    u64 lines, n, inner;
    u64 step[2];    // between the elements of a line
    u64 log;
    u64 blocks;
    Walk<2> kept;   // first elements of the lines in x and y
};

#if RL_FLOAT
using A = acc_t<RL_T>;

struct Peak : One {
    using C = A;
    static constexpr bool FIRST = true, LINEAR = false;
    RL_FN C load(const Fold1& p, const u64 (&at)[1], u64) const { return acc<RL_T>(((const RL_T*)p.in[0])[(i64)at[0]]); }
    static RL_FN C zero() { return 0; }
    static RL_FN C join(C a, C b) { return maximum(a, b); }
    static RL_FN void write(const Fold1& p, u64 o, C v) { ((C*)p.out)[o] = v; }
};

struct Exps : RawSum<RL_T> {
    A m;
    RL_FN void open(const Fold1& p, u64 o) { m = ((const A*)p.aux[0])[o]; }
    RL_FN A load(const Fold1& p, const u64 (&at)[1], u64) const {
        return exp(acc<RL_T>(((const RL_T*)p.in[0])[(i64)at[0]]) - m);
    }
};

// The sum of g, or of g y.
template <bool Y>
struct Dot : RawSum<RL_T> {
    using P = Fold2;
    static constexpr int N = 2;
    RL_FN void open(const Fold2&, u64) {}
    RL_FN A load(const Fold2& p, const u64 (&at)[2], u64) const {
        const A g = acc<RL_T>(((const RL_T*)p.in[0])[(i64)at[0]]);
        return Y ? g * acc<RL_T>(((const RL_T*)p.in[1])[(i64)at[1]]) : g;
    }
    static RL_FN void write(const Fold2& p, u64 o, A v) { ((A*)p.out)[o] = v; }
};

// Where the elements of a line begin in the output, which is row-major; they are `inner` apart.
RL_DEV u64 begin(const Lines& p, u64 line) {
    const u64 outer = quotient(line, p.inner);
    return outer * p.n * p.inner + (line - outer * p.inner);
}

template <u32 W>
RL_DEV void softmax_lines(const Lines& p) {
    using L = Line<A, W>;
    for (u64 b = (u64)block() * L::LINES; b < p.lines; b += p.blocks * L::LINES) {
        L line;
        u64 at[2] = {0, 0}, to = 0;
        if (line.open(b, p.lines, p.n)) {
            places(p.kept, line.number, at);
            to = begin(p, line.number);
        }
        const RL_T* x = (const RL_T*)p.x + (i64)at[0];
        line.fill([&](u64 i) { return acc<RL_T>(x[(i64)(i * p.step[0])]); });
        const A m = line.peak();
        RL_T* out = (RL_T*)p.out + to;
        if (p.log) {
            const A l = log(line.total([&](A& v, u64) { return exp(v = v - m); }));
            line.each([&](A& v, u64 i) { out[i * p.inner] = from_acc<RL_T>(v - l); });
        } else {
            const A s = line.total([&](A& v, u64) { return v = exp(v - m); });
            line.each([&](A& v, u64 i) { out[i * p.inner] = from_acc<RL_T>(div(v, s)); });
        }
    }
}

template <u32 W>
RL_DEV void backward_lines(const Lines& p) {
    using L = Line<A, W>;
    for (u64 b = (u64)block() * L::LINES; b < p.lines; b += p.blocks * L::LINES) {
        L line;
        u64 at[2] = {0, 0}, to = 0;
        if (line.open(b, p.lines, p.n)) {
            places(p.kept, line.number, at);
            to = begin(p, line.number);
        }
        const RL_T* g = (const RL_T*)p.x + (i64)at[0];
        const RL_T* y = (const RL_T*)p.y + (i64)at[1];
        line.fill([&](u64 i) { return acc<RL_T>(g[(i64)(i * p.step[0])]); });
        RL_T* out = (RL_T*)p.out + to;
        // The output is read twice; the second time it comes from a cache.
        const auto value = [&](u64 i) { return acc<RL_T>(y[(i64)(i * p.step[1])]); };
        if (p.log) {
            const A s = line.total([&](A& v, u64) { return v; });
            line.each([&](A& v, u64 i) { out[i * p.inner] = from_acc<RL_T>(v - exp(value(i)) * s); });
        } else {
            const A s = line.total([&](A& v, u64 i) { return v * value(i); });
            line.each([&](A& v, u64 i) { out[i * p.inner] = from_acc<RL_T>(value(i) * (v - s)); });
        }
    }
}

// f(line, places of the line in x and y, place in the line, place in the output) for every element.
template <class F>
RL_DEV void each_element(const Lines& p, F f) {
    const u64 total = p.lines * p.n;
    for (u64 i = global_thread(); i < total; i += p.blocks * RL_BLOCK) {
        const u64 row = quotient(i, p.inner), in = i - row * p.inner, outer = quotient(row, p.n);
        const u64 line = outer * p.inner + in, k = row - outer * p.n;
        u64 at[2];
        places(p.kept, line, at);
        f(line, at, k, i);
    }
}
#endif

}  // namespace rl

RL_CHECK_PARAMS(rl::Fold1, RL_SIZEOF_Fold1);
RL_CHECK_PARAMS(rl::Fold2, RL_SIZEOF_Fold2);
RL_CHECK_PARAMS(rl::Lines, RL_SIZEOF_Lines);

#if RL_FLOAT
RL_REDUCE(peak, rl::Peak)
RL_REDUCE(exps, rl::Exps)
RL_REDUCE(dot, rl::Dot<true>)
RL_REDUCE(grads, rl::Dot<false>)

RL_KERNEL(softmax, g)(rl::Lines p) { rl::softmax_lines<1>(p); }
RL_KERNEL(softmax, b)(rl::Lines p) { rl::softmax_lines<8>(p); }
RL_KERNEL(softmax, e)(rl::Lines p) {
    using namespace rl;
    each_element(p, [&](u64 line, const u64 (&at)[2], u64 k, u64 i) {
        const A v = acc<RL_T>(((const RL_T*)p.x)[(i64)(at[0] + k * p.step[0])]) - ((const A*)p.peak)[line];
        const A s = ((const A*)p.total)[line];
        ((RL_T*)p.out)[i] = from_acc<RL_T>(p.log ? v - rl::log(s) : div(rl::exp(v), s));
    });
}
RL_KERNEL(softmax_backward, g)(rl::Lines p) { rl::backward_lines<1>(p); }
RL_KERNEL(softmax_backward, b)(rl::Lines p) { rl::backward_lines<8>(p); }
RL_KERNEL(softmax_backward, e)(rl::Lines p) {
    using namespace rl;
    each_element(p, [&](u64 line, const u64 (&at)[2], u64 k, u64 i) {
        const A g = acc<RL_T>(((const RL_T*)p.x)[(i64)(at[0] + k * p.step[0])]);
        const A y = acc<RL_T>(((const RL_T*)p.y)[(i64)(at[1] + k * p.step[1])]);
        const A s = ((const A*)p.total)[line];
        ((RL_T*)p.out)[i] = from_acc<RL_T>(p.log ? g - rl::exp(y) * s : y * (g - s));
    });
}
#endif
