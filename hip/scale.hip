// scale: elementwise ops with numbers of their own: affine, powf, elu, addcmul, addcdiv, arange.
#include "walk.h"

namespace rl {

struct Line {
    f64 mul, add;
    u64 exact;  // integers: both are whole numbers, computed wrapping
};
struct Number {
    f64 value;
};
struct Range {
    u64 start, step;  // integers, wrapping
    f64 first, by;    // floats
};
using AffineParams = Params<2, Line>;
using NumberParams = Params<2, Number>;
using AddParams = Params<4, Number>;
using RangeParams = Params<1, Range>;

#if RL_NUMERIC
using A = acc_t<RL_T>;

// A number as the type computed in; a negative one wraps for unsigned integers.
RL_DEV A factor(f64 v) {
#if RL_FLOAT
    return (A)v;
#else
    return v < 0 ? neg(int_from_f64<A>(-v)) : int_from_f64<A>(v);
#endif
}

struct affine_fn {
    A mul, add;
    f64 rmul, radd;
    bool exact, shift;
    RL_FN RL_T operator()(RL_T x) const {
#if RL_FLOAT
        // Adding 0 would turn -0 into +0.
        const A y = acc<RL_T>(x) * mul;
        return from_acc<RL_T>(shift ? y + add : y);
#else
        return exact ? rl::add(rl::mul(x, mul), add) : int_from_f64<RL_T>((f64)x * rmul + radd);
#endif
    }
};
RL_DEV affine_fn affine_of(const AffineParams& p) {
    const Line& l = p.extra;
#if RL_FLOAT
    const A m = (A)l.mul, a = (A)l.add;
#else
    // Through i64, so that -1 works for unsigned integers too.
    const A m = (A)int_from_f64<i64>(l.mul), a = (A)int_from_f64<i64>(l.add);
#endif
    return affine_fn{m, a, l.mul, l.add, l.exact != 0, l.add != 0};
}

struct addcmul_fn {
    A value;
    RL_FN RL_T operator()(RL_T x, RL_T a, RL_T b) const {
        return from_acc<RL_T>(add(acc<RL_T>(x), mul(mul(value, acc<RL_T>(a)), acc<RL_T>(b))));
    }
};
#endif

#if RL_FLOAT
struct powf_fn {
    A e;
    RL_FN RL_T operator()(RL_T x) const { return from_acc<RL_T>(pow(acc<RL_T>(x), e)); }
};
struct elu_fn {
    A alpha;
    RL_FN RL_T operator()(RL_T x) const {
        const A v = acc<RL_T>(x);
        return from_acc<RL_T>(v > 0 ? v : expm1(v) * alpha);
    }
};
struct addcdiv_fn {
    A value;
    RL_FN RL_T operator()(RL_T x, RL_T a, RL_T b) const {
        return from_acc<RL_T>(acc<RL_T>(x) + div(value * acc<RL_T>(a), acc<RL_T>(b)));
    }
};
#endif

struct arange_fn {
    Range r;
    RL_FN RL_T operator()(u64 i) const {
#if RL_INT
        return (RL_T)(r.start + i * r.step);
#else
        return from<RL_T>::real(r.first + (f64)i * r.by);
#endif
    }
};

}  // namespace rl

RL_CHECK_PARAMS(rl::AffineParams, RL_SIZEOF_Affine);
RL_CHECK_PARAMS(rl::NumberParams, RL_SIZEOF_Number);
RL_CHECK_PARAMS(rl::AddParams, RL_SIZEOF_Add);
RL_CHECK_PARAMS(rl::RangeParams, RL_SIZEOF_Range);

#if RL_NUMERIC
RL_KERNEL(affine, c)(rl::AffineParams p) { rl::map1_c<rl::RL_T, rl::RL_T>(p, rl::affine_of(p)); }
RL_KERNEL(affine, s)(rl::AffineParams p) { rl::map1_s<rl::RL_T, rl::RL_T>(p, rl::affine_of(p)); }
RL_KERNEL(addcmul, s)(rl::AddParams p) {
    rl::map3_s<rl::RL_T, rl::RL_T, rl::RL_T, rl::RL_T>(p, rl::addcmul_fn{rl::factor(p.extra.value)});
}
#endif
#if RL_FLOAT
RL_KERNEL(powf, c)(rl::NumberParams p) { rl::map1_c<rl::RL_T, rl::RL_T>(p, rl::powf_fn{(rl::A)p.extra.value}); }
RL_KERNEL(powf, s)(rl::NumberParams p) { rl::map1_s<rl::RL_T, rl::RL_T>(p, rl::powf_fn{(rl::A)p.extra.value}); }
RL_KERNEL(elu, c)(rl::NumberParams p) { rl::map1_c<rl::RL_T, rl::RL_T>(p, rl::elu_fn{(rl::A)p.extra.value}); }
RL_KERNEL(elu, s)(rl::NumberParams p) { rl::map1_s<rl::RL_T, rl::RL_T>(p, rl::elu_fn{(rl::A)p.extra.value}); }
RL_KERNEL(addcdiv, s)(rl::AddParams p) {
    rl::map3_s<rl::RL_T, rl::RL_T, rl::RL_T, rl::RL_T>(p, rl::addcdiv_fn{rl::factor(p.extra.value)});
}
#endif
RL_KERNEL(arange, s)(rl::RangeParams p) { rl::map0_s<rl::RL_T>(p, rl::arange_fn{p.extra}); }
