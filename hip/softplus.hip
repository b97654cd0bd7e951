// softplus: ln(1 + e^(beta x)) / beta, and x above a threshold. Compiled for the dtype RL_T.
#include "elementwise.h"

namespace rl {

using A = acc_t<RL_T>;

struct softplus_fn {
    A beta, threshold;
    RL_FN RL_T operator()(RL_T element) const {
        const A x = acc<RL_T>(element), z = x * beta;
        if (z > threshold) return element;
        // beta x may overflow although the result does not; e^-z is then 0, and the result x.
        if (z > 0) return from_acc<RL_T>(x + div(log1p(exp(-z)), beta));
        // z is an exponent, so its rounding error is corrected. (At infinity there is none.)
        const A low = is_inf(z) ? (A)0 : fma(x, beta, -z);
        if (z > -limit()) {
            const A e = exp(z);
            return from_acc<RL_T>(div(log1p(e + e * low), beta));
        }
        // e^z / beta, in which no factor is subnormal.
        const A half = exp(z * (A)0.5), rest = div(half, beta);
        return from_acc<RL_T>(half * (rest + rest * low));
    }
    // Below minus this limit e^x is nearly subnormal.
    static RL_FN A limit() { return sizeof(A) == 4 ? 80 : 700; }
};
RL_DEV softplus_fn softplus_of(const SoftplusParams& p) { return softplus_fn{(A)p.beta, (A)p.threshold}; }

}  // namespace rl

RL_KERNEL(softplus, contig)(rl::ElementwiseParams<2, rl::SoftplusParams> p) { rl::map1_contig<rl::RL_T, rl::RL_T>(p, rl::softplus_of(p.extra)); }
RL_KERNEL(softplus, strided)(rl::ElementwiseParams<2, rl::SoftplusParams> p) { rl::map1_strided<rl::RL_T, rl::RL_T>(p, rl::softplus_of(p.extra)); }
