// loss: negative log likelihood and cross entropy with class targets, and their gradients. Scores are lines of classes, a
// line an element of the targets; forms as in softmax.hip. Losses go to the output, or with what they are divided by to
// scratch memory as pairs, which loss_sum adds by the tree.
#include "fault.h"
#include "line.h"

namespace rl {

enum Mode : u32 { EACH = 0, MEAN = 1, SUM = 2, BYTE_MEAN = 3, DIVISOR = 4 };

// The host's twin is gpu::run::loss::Loss.
struct Loss {
    u64 out, x, target, weight, grad;
    u64 pairs;                  // losses go here unless it is 0
    u64 peak, total, even;      // of each line: the largest score, the sum of e^(x - peak), the smoothing's part
    u64 divisor, all;           // a number each: what gradients are divided by, the weights' sum
    u64 lines, classes, inner;
    u64 step, weight_step;      // between scores of a line, between weights
    i64 ignore;
    f64 rest, share;            // 1 - s and s / C for a smoothing s
    u32 index, mode, weighted, smooth;
    u64 blocks;
    Checker check;
    u64 operand;                // number of the target among the inputs
    Walk<3> kept;               // first scores of the lines, targets, gradients
};

// A loss and what it adds to the divisor: a weight, computed in the accumulation type, or 1.
template <class A>
struct Pair {
    A loss;
    f64 weight;
};

#if RL_FLOAT
using A = acc_t<RL_T>;

// An id of an index tensor; its dtype by number: gpu::run::loss::index_code.
RL_DEV i64 load_id(u64 ptr, u64 at, u32 dtype) {
    switch (dtype) {
        case 0: return ((const u8*)ptr)[(i64)at];
        case 1: return ((const i16*)ptr)[(i64)at];
        case 2: return ((const i32*)ptr)[(i64)at];
        case 3: return ((const u32*)ptr)[(i64)at];
        default: return ((const i64*)ptr)[(i64)at];
    }
}

RL_DEV A class_weight(const Loss& p, u64 c) { return acc<RL_T>(((const RL_T*)p.weight)[(i64)(c * p.weight_step)]); }

// The class of a line, or -1 where it is ignored or out of range, which is reported.
RL_DEV i64 target_of(const Loss& p, u64 line, u64 at, bool tell) {
    const i64 t = load_id(p.target, at, p.index);
    if (t == p.ignore) return -1;
    if (t >= 0 && (u64)t < p.classes) return t;
    if (tell) report(p.check, p.operand, line, t, p.classes);
    return -1;
}

RL_DEV void put(const Loss& p, u64 line, i64 t, A loss) {
    if (p.pairs) ((Pair<A>*)p.pairs)[line] = Pair<A>{loss, t < 0 ? 0.0 : p.weighted ? (f64)class_weight(p, t) : 1.0};
    else ((RL_T*)p.out)[line] = from_acc<RL_T>(loss);
}

// -(v - l) w[c] for the score v above the peak and the logarithm l of the sum.
RL_DEV A nll(const Loss& p, A v, A l, u64 c) {
    const A x = -(v - l);
    return p.weighted ? x * class_weight(p, c) : x;
}

RL_DEV A smoothed(const Loss& p, A loss, A even) { return loss * (A)p.rest + even * (A)p.share; }

template <u32 W>
RL_DEV void entropy_lines(const Loss& p) {
    using L = Line<A, W>;
    for (u64 b = (u64)block() * L::LINES; b < p.lines; b += p.blocks * L::LINES) {
        L line;
        u64 at[3] = {0, 0, 0};
        const bool on = line.open(b, p.lines, p.classes);
        if (on) places(p.kept, line.number, at);
        const RL_T* x = (const RL_T*)p.x + (i64)at[0];
        line.fill([&](u64 i) { return acc<RL_T>(x[(i64)(i * p.step)]); });
        const A m = line.peak();
        const A l = log(line.total([&](A& v, u64) { return exp(v = v - m); }));
        A even = 0;
        if (p.smooth) even = line.total([&](A& v, u64 c) { return nll(p, v, l, c); });
        if (on && thread() % (W * LANES) == 0) {
            const i64 t = target_of(p, line.number, at[1], true);
            A loss = 0;
            if (t >= 0) {
                loss = nll(p, acc<RL_T>(x[(i64)(t * p.step)]) - m, l, t);
                if (p.smooth) loss = smoothed(p, loss, even);
            }
            put(p, line.number, t, loss);
        }
    }
}

// What the gradient of a line is multiplied by.
RL_DEV A coefficient(const Loss& p, u64 at) {
    const A g = acc<RL_T>(((const RL_T*)p.grad)[(i64)(p.mode == EACH ? at : 0)]);
    if (p.mode == EACH || p.mode == SUM) return g;
    const A d = *(const A*)p.divisor;
    return p.mode == BYTE_MEAN && d == 0 ? d : div(g, d);
}

// The gradient at class c of a line with target t, where q is its softmax.
RL_DEV A gradient(const Loss& p, A q, u64 c, i64 t, A k) {
    A v = c == (u64)t ? q - (A)1 : q;
    if (p.weighted) v = v * class_weight(p, t);
    if (p.smooth) {
        const A all = p.weighted ? *(const A*)p.all : (A)(f64)p.classes;
        const A u = p.weighted ? class_weight(p, c) : (A)1;
        v = v * (A)p.rest + (q * all - u) * (A)p.share;
    }
    return v * k;
}

// Where a line begins in the scores' gradient, which is row-major.
RL_DEV u64 begin(const Loss& p, u64 line) {
    const u64 outer = quotient(line, p.inner);
    return outer * p.classes * p.inner + (line - outer * p.inner);
}

template <u32 W>
RL_DEV void backward_lines(const Loss& p) {
    using L = Line<A, W>;
    for (u64 b = (u64)block() * L::LINES; b < p.lines; b += p.blocks * L::LINES) {
        L line;
        u64 at[3] = {0, 0, 0};
        i64 t = -1;
        A k = 0;
        const bool on = line.open(b, p.lines, p.classes);
        if (on) {
            places(p.kept, line.number, at);
            t = target_of(p, line.number, at[1], thread() % (W * LANES) == 0);
            k = coefficient(p, at[2]);
        }
        const RL_T* x = (const RL_T*)p.x + (i64)at[0];
        line.fill([&](u64 i) { return acc<RL_T>(x[(i64)(i * p.step)]); });
        const A m = line.peak();
        const A s = line.total([&](A& v, u64) { return v = exp(v - m); });
        RL_T* out = (RL_T*)p.out + (on ? begin(p, line.number) : 0);
        line.each([&](A& v, u64 c) {
            out[c * p.inner] = from_acc<RL_T>(t < 0 ? (A)0 : gradient(p, div(v, s), c, t, k));
        });
    }
}

// f(line, places, class, place in the gradient) for every score.
template <class F>
RL_DEV void each_score(const Loss& p, F f) {
    const u64 total = p.lines * p.classes;
    for (u64 i = global_thread(); i < total; i += p.blocks * RL_BLOCK) {
        const u64 row = quotient(i, p.inner), in = i - row * p.inner, outer = quotient(row, p.classes);
        u64 at[3];
        const u64 line = outer * p.inner + in;
        places(p.kept, line, at);
        f(line, at, row - outer * p.classes, i);
    }
}
// f(line, places) for every line.
template <class F>
RL_DEV void each_line(const Loss& p, F f) {
    for (u64 i = global_thread(); i < p.lines; i += p.blocks * RL_BLOCK) {
        u64 at[3];
        places(p.kept, i, at);
        f(i, at);
    }
}

// The smoothing's part of each line; aux: peaks, totals, weights (0: none), and the flag is the weights' step.
struct Smooth : RawSum<RL_T> {
    A m, l;
    RL_FN void open(const Fold1& p, u64 o) {
        m = ((const A*)p.aux[0])[o];
        l = log(((const A*)p.aux[1])[o]);
    }
    RL_FN A load(const Fold1& p, const u64 (&at)[1], u64 i) const {
        const A v = -((acc<RL_T>(((const RL_T*)p.in[0])[(i64)at[0]]) - m) - l);
        return p.aux[2] ? v * acc<RL_T>(((const RL_T*)p.aux[2])[i * p.flag]) : v;
    }
};

// Pairs added up; the flag is the mode. Weights are added in the accumulation type.
struct LossSum : One {
    using C = Pair<A>;
    static constexpr bool FIRST = false, LINEAR = false;
    static RL_FN C zero() { return C{0, 0}; }
    // Two weights of the accumulation type, so rounding their f64 sum to it rounds once.
    static RL_FN C join(C a, C b) { return C{a.loss + b.loss, (f64)(A)(a.weight + b.weight)}; }
    static RL_FN void write(const Fold1& p, u64, C v) {
        const u32 mode = (u32)p.flag;
        const A d = (A)v.weight;
        if (mode == DIVISOR) *(A*)p.out = d;
        else if (mode == SUM) *(RL_T*)p.out = from_acc<RL_T>(v.loss);
        else *(RL_T*)p.out = from_acc<RL_T>(mode == BYTE_MEAN && d == 0 ? d : div(v.loss, d));
    }
};
// Without weights elements are counted.
struct LossCount : LossSum {
    static RL_FN C join(C a, C b) { return C{a.loss + b.loss, a.weight + b.weight}; }
};
#endif

}  // namespace rl

RL_CHECK_PARAMS(rl::Fold1, RL_SIZEOF_Fold1);
RL_CHECK_PARAMS(rl::Loss, RL_SIZEOF_Loss);

#if RL_FLOAT
RL_REDUCE(smooth, rl::Smooth)
RL_KERNEL(loss_sum, v)(rl::Fold1 p) { rl::reduce_rows<rl::Values<rl::LossSum>>(p); }
RL_KERNEL(loss_count, v)(rl::Fold1 p) { rl::reduce_rows<rl::Values<rl::LossCount>>(p); }
RL_REDUCE_ROWS(weight_sum, r, v, rl::RawSum<rl::RL_T>)

RL_KERNEL(nll_loss, e)(rl::Loss p) {
    using namespace rl;
    each_line(p, [&](u64 line, const u64 (&at)[3]) {
        const i64 t = target_of(p, line, at[1], true);
        A v = 0;
        if (t >= 0) {
            v = -acc<RL_T>(((const RL_T*)p.x)[(i64)(at[0] + t * p.step)]);
            if (p.weighted) v = v * class_weight(p, t);
        }
        put(p, line, t, v);
    });
}
RL_KERNEL(cross_entropy, g)(rl::Loss p) { rl::entropy_lines<1>(p); }
RL_KERNEL(cross_entropy, b)(rl::Loss p) { rl::entropy_lines<8>(p); }
RL_KERNEL(cross_entropy, e)(rl::Loss p) {
    using namespace rl;
    each_line(p, [&](u64 line, const u64 (&at)[3]) {
        const i64 t = target_of(p, line, at[1], true);
        A loss = 0;
        if (t >= 0) {
            const A v = acc<RL_T>(((const RL_T*)p.x)[(i64)(at[0] + t * p.step)]) - ((const A*)p.peak)[line];
            loss = nll(p, v, rl::log(((const A*)p.total)[line]), t);
            if (p.smooth) loss = smoothed(p, loss, ((const A*)p.even)[line]);
        }
        put(p, line, t, loss);
    });
}
// Pairs without losses: what the gradients are divided by.
RL_KERNEL(class_weights, e)(rl::Loss p) {
    using namespace rl;
    each_line(p, [&](u64 line, const u64 (&at)[3]) { put(p, line, target_of(p, line, at[1], true), (A)0); });
}
RL_KERNEL(nll_loss_backward, e)(rl::Loss p) {
    using namespace rl;
    each_score(p, [&](u64 line, const u64 (&at)[3], u64 c, u64 i) {
        const i64 t = target_of(p, line, at[1], c == 0);
        A v = 0;
        if (c == (u64)t) {
            v = -coefficient(p, at[2]);
            if (p.weighted) v = v * class_weight(p, t);
        }
        ((RL_T*)p.out)[i] = from_acc<RL_T>(v);
    });
}
RL_KERNEL(cross_entropy_backward, g)(rl::Loss p) { rl::backward_lines<1>(p); }
RL_KERNEL(cross_entropy_backward, b)(rl::Loss p) { rl::backward_lines<8>(p); }
RL_KERNEL(cross_entropy_backward, e)(rl::Loss p) {
    using namespace rl;
    each_score(p, [&](u64 line, const u64 (&at)[3], u64 c, u64 i) {
        const i64 t = target_of(p, line, at[1], c == 0);
        A v = 0;
        if (t >= 0) {
            const A x = acc<RL_T>(((const RL_T*)p.x)[(i64)(at[0] + c * p.step)]) - ((const A*)p.peak)[line];
            v = gradient(p, div(rl::exp(x), ((const A*)p.total)[line]), c, t, coefficient(p, at[2]));
        }
        ((RL_T*)p.out)[i] = from_acc<RL_T>(v);
    });
}
#endif
