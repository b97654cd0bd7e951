// scale: elementwise ops with numbers as parameters: affine, powf, elu, addcmul, addcdiv, clamp, lerp, arange.
#include "elementwise.h"

namespace rl {

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
RL_DEV affine_fn affine_of(const ElementwiseParams<2, AffineParams>& p) {
    const AffineParams& l = p.extra;
#if RL_FLOAT
    const A m = (A)l.mul, a = (A)l.add;
#else
    // Through i64, so that -1 works for unsigned integers too.
    const A m = (A)int_from_f64<i64>(l.mul), a = (A)int_from_f64<i64>(l.add);
#endif
    return affine_fn{m, a, l.mul, l.add, l.exact != 0, l.add != 0};
}

// Returns the number with these bits.
RL_DEV A bound(u64 bits) {
    RL_T v;
    RL_COPY(&v, &bits, sizeof(v));
    return acc<RL_T>(v);
}
struct clamp_fn {
    A low, high;
    RL_FN RL_T operator()(RL_T x) const { return from_acc<RL_T>(minimum(maximum(acc<RL_T>(x), low), high)); }
};
RL_DEV clamp_fn clamp_of(const ClampParams& p) { return clamp_fn{bound(p.min), bound(p.max)}; }

struct clamp_tensor_fn {
    RL_FN RL_T operator()(RL_T x, RL_T low, RL_T high) const {
        return from_acc<RL_T>(minimum(maximum(acc<RL_T>(x), acc<RL_T>(low)), acc<RL_T>(high)));
    }
};

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
struct clamp_backward_fn {
    A low, high;
    RL_FN RL_T operator()(RL_T x, RL_T g) const {
        const A v = acc<RL_T>(x);
        return v >= low && v <= high ? g : from_acc<RL_T>((A)0);
    }
};
RL_DEV clamp_backward_fn clamp_backward_of(const ClampParams& p) { return clamp_backward_fn{bound(p.min), bound(p.max)}; }

// x + weight (end - x), from the nearer end.
RL_DEV RL_T interpolated(RL_T x, RL_T end, A weight) {
    const A a = acc<RL_T>(x), b = acc<RL_T>(end), step = b - a;
    return from_acc<RL_T>(fabs(weight) < (A)0.5 ? a + weight * step : b - step * ((A)1 - weight));
}
struct lerp_scalar_fn {
    A weight;
    RL_FN RL_T operator()(RL_T x, RL_T end) const { return interpolated(x, end, weight); }
};
struct lerp_fn {
    RL_FN RL_T operator()(RL_T x, RL_T end, RL_T weight) const { return interpolated(x, end, acc<RL_T>(weight)); }
};
struct addcdiv_fn {
    A value;
    RL_FN RL_T operator()(RL_T x, RL_T a, RL_T b) const {
        return from_acc<RL_T>(acc<RL_T>(x) + div(value * acc<RL_T>(a), acc<RL_T>(b)));
    }
};
#endif

struct arange_fn {
    ArangeParams r;
    RL_FN RL_T operator()(u64 i) const {
#if RL_INT
        return (RL_T)(r.start + i * r.step);
#else
        return from<RL_T>::real(r.float_start + (f64)i * r.float_step);
#endif
    }
};

}  // namespace rl

#if RL_NUMERIC
RL_KERNEL(affine, contig)(rl::ElementwiseParams<2, rl::AffineParams> p) { rl::map1_contig<rl::RL_T, rl::RL_T>(p, rl::affine_of(p)); }
RL_KERNEL(affine, strided)(rl::ElementwiseParams<2, rl::AffineParams> p) { rl::map1_strided<rl::RL_T, rl::RL_T>(p, rl::affine_of(p)); }
RL_KERNEL(addcmul, strided)(rl::ElementwiseParams<4, rl::ScalarParams> p) {
    rl::map3_strided<rl::RL_T, rl::RL_T, rl::RL_T, rl::RL_T>(p, rl::addcmul_fn{rl::factor(p.extra.value)});
}
RL_KERNEL(clamp_tensor, strided)(rl::ElementwiseParams<4, rl::NoParams> p) {
    rl::map3_strided<rl::RL_T, rl::RL_T, rl::RL_T, rl::RL_T>(p, rl::clamp_tensor_fn());
}
RL_KERNEL(clamp, contig)(rl::ElementwiseParams<2, rl::ClampParams> p) { rl::map1_contig<rl::RL_T, rl::RL_T>(p, rl::clamp_of(p.extra)); }
RL_KERNEL(clamp, strided)(rl::ElementwiseParams<2, rl::ClampParams> p) { rl::map1_strided<rl::RL_T, rl::RL_T>(p, rl::clamp_of(p.extra)); }
#endif
#if RL_FLOAT
RL_KERNEL(clamp_backward, contig)(rl::ElementwiseParams<3, rl::ClampParams> p) {
    rl::map2_contig<rl::RL_T, rl::RL_T, rl::RL_T>(p, rl::clamp_backward_of(p.extra));
}
RL_KERNEL(clamp_backward, strided)(rl::ElementwiseParams<3, rl::ClampParams> p) {
    rl::map2_strided<rl::RL_T, rl::RL_T, rl::RL_T>(p, rl::clamp_backward_of(p.extra));
}
RL_KERNEL(lerp_scalar, contig)(rl::ElementwiseParams<3, rl::ScalarParams> p) {
    rl::map2_contig<rl::RL_T, rl::RL_T, rl::RL_T>(p, rl::lerp_scalar_fn{(rl::A)p.extra.value});
}
RL_KERNEL(lerp_scalar, strided)(rl::ElementwiseParams<3, rl::ScalarParams> p) {
    rl::map2_strided<rl::RL_T, rl::RL_T, rl::RL_T>(p, rl::lerp_scalar_fn{(rl::A)p.extra.value});
}
RL_KERNEL(lerp, strided)(rl::ElementwiseParams<4, rl::NoParams> p) {
    rl::map3_strided<rl::RL_T, rl::RL_T, rl::RL_T, rl::RL_T>(p, rl::lerp_fn());
}
RL_KERNEL(powf, contig)(rl::ElementwiseParams<2, rl::ScalarParams> p) { rl::map1_contig<rl::RL_T, rl::RL_T>(p, rl::powf_fn{(rl::A)p.extra.value}); }
RL_KERNEL(powf, strided)(rl::ElementwiseParams<2, rl::ScalarParams> p) { rl::map1_strided<rl::RL_T, rl::RL_T>(p, rl::powf_fn{(rl::A)p.extra.value}); }
RL_KERNEL(elu, contig)(rl::ElementwiseParams<2, rl::ScalarParams> p) { rl::map1_contig<rl::RL_T, rl::RL_T>(p, rl::elu_fn{(rl::A)p.extra.value}); }
RL_KERNEL(elu, strided)(rl::ElementwiseParams<2, rl::ScalarParams> p) { rl::map1_strided<rl::RL_T, rl::RL_T>(p, rl::elu_fn{(rl::A)p.extra.value}); }
RL_KERNEL(addcdiv, strided)(rl::ElementwiseParams<4, rl::ScalarParams> p) {
    rl::map3_strided<rl::RL_T, rl::RL_T, rl::RL_T, rl::RL_T>(p, rl::addcdiv_fn{rl::factor(p.extra.value)});
}
#endif
RL_KERNEL(arange, strided)(rl::ElementwiseParams<1, rl::ArangeParams> p) { rl::map0_strided<rl::RL_T>(p, rl::arange_fn{p.extra}); }
