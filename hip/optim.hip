// optim: optimizer steps, each one pass over parameter, state and gradient in place, and the unscaling and clipping of gradients
// before them. The op definitions (ops/sgd_step.rs, ops/adam_step.rs ..) have the formulas and the order of operations. After an
// index error a step changes nothing. Variants:
//   _table    several tensors, whose operands are contiguous
//   _strided  one tensor of any strides
#include "optim.h"

namespace rl {

#if RL_FLOAT
// v is the parameter and the gradient; with N = 3 the momentum buffer is between them.
template <int N>
struct sgd {
    A lr, momentum, undamped, weight_decay;
    bool decays, first, nesterov, maximize;
    RL_FN sgd(const SgdParams& s)
        : lr((A)s.lr), momentum((A)s.momentum), undamped((A)s.undamped), weight_decay((A)s.weight_decay), decays(s.decays != 0),
          first(s.first != 0), nesterov(s.nesterov != 0), maximize(s.maximize != 0) {}
    RL_FN void operator()(A (&v)[N]) const {
        A d = maximize ? -v[N - 1] : v[N - 1];
        if (decays) d = d + weight_decay * v[0];
        if constexpr (N == 3) {
            v[1] = first ? d : momentum * v[1] + undamped * d;
            d = nesterov ? d + momentum * v[1] : v[1];
        }
        v[0] = v[0] - lr * d;
    }
};

struct adam {
    A decay_factor, gradient_weight, square_weight, correction_root, negative_rate, beta1, beta2, eps, weight_decay;
    bool decays, decoupled, from_old, maximize;
    RL_FN adam(const AdamParams& s)
        : decay_factor((A)s.decay_factor), gradient_weight((A)s.gradient_weight), square_weight((A)s.square_weight),
          correction_root((A)s.correction_root), negative_rate((A)s.negative_rate), beta1((A)s.beta1),
          beta2((A)s.beta2), eps((A)s.eps), weight_decay((A)s.weight_decay), decays(s.decays != 0), decoupled(s.decoupled != 0),
          from_old(s.from_old != 0), maximize(s.maximize != 0) {}
    RL_FN void operator()(A (&x)[4]) const {
        A p = x[0], m = x[1], v = x[2], g = maximize ? -x[3] : x[3];
        if (decays && decoupled) p = p * decay_factor;
        else if (decays) g = g + weight_decay * p;
        const A difference = g - m;
        m = from_old ? m + gradient_weight * difference : g - difference * beta1;
        v = v * beta2 + (square_weight * g) * g;
        const A d = div(sqrt(v), correction_root) + eps;
        x[0] = p + div(negative_rate * m, d);
        x[1] = m;
        x[2] = v;
    }
};

// x is the parameter, the mean of squares, the mean of gradients and the momentum buffer as far as they exist, the gradient.
template <int N>
struct rmsprop {
    A lr, alpha, weight, eps, weight_decay, momentum;
    bool decays, centered, from_old, maximize;
    RL_FN rmsprop(const RmspropParams& s)
        : lr((A)s.lr), alpha((A)s.alpha), weight((A)s.weight), eps((A)s.eps), weight_decay((A)s.weight_decay),
          momentum((A)s.momentum), decays(s.decays != 0), centered(s.centered != 0), from_old(s.from_old != 0),
          maximize(s.maximize != 0) {}
    RL_FN void operator()(A (&x)[N]) const {
        A g = maximize ? -x[N - 1] : x[N - 1];
        if (decays) g = g + weight_decay * x[0];
        A square = x[1] * alpha + (weight * g) * g;
        x[1] = square;
        if (N == 5 || (N == 4 && centered)) {
            const A mean = x[2], difference = g - mean;
            x[2] = from_old ? mean + weight * difference : g - difference * alpha;
            square = square - x[2] * x[2];
        }
        const A d = sqrt(square) + eps;
        if (N == 5 || (N == 4 && !centered)) {
            x[N - 2] = x[N - 2] * momentum + div(g, d);
            x[0] = x[0] - lr * x[N - 2];
        } else {
            x[0] = x[0] + div(-lr * g, d);
        }
    }
};

struct adagrad {
    A negative_rate, eps, weight_decay;
    bool decays, maximize;
    RL_FN adagrad(const AdagradParams& s)
        : negative_rate((A)s.negative_rate), eps((A)s.eps), weight_decay((A)s.weight_decay), decays(s.decays != 0),
          maximize(s.maximize != 0) {}
    RL_FN void operator()(A (&x)[3]) const {
        A g = maximize ? -x[2] : x[2];
        if (decays) g = g + weight_decay * x[0];
        x[1] = x[1] + g * g;
        x[0] = x[0] + div(negative_rate * g, sqrt(x[1]) + eps);
    }
};

// The steps that begin with two betas.
struct moments : family_step {
    running first, second;
    A eps;
    RL_FN moments(const StepParams& s) : family_step(s), first(s.number[0]), second(s.number[1]), eps((A)s.number[2]) {}
};

struct amsgrad : moments {
    A root, rate;
    RL_FN amsgrad(const StepParams& s) : moments(s), root((A)s.number[3]), rate((A)s.number[4]) {}
    RL_FN void operator()(A (&x)[5]) const {
        const A g = open(x);
        x[1] = first.mean(x[1], g);
        x[2] = second.squares(x[2], g);
        x[3] = maximum(x[3], x[2]);
        x[0] = x[0] + div(rate * x[1], div(sqrt(x[3]), root) + eps);
    }
};

struct adamax : moments {
    A rate;
    RL_FN adamax(const StepParams& s) : moments(s), rate((A)s.number[3]) {}
    RL_FN void operator()(A (&x)[4]) const {
        const A g = open(x);
        x[1] = first.mean(x[1], g);
        x[2] = maximum(x[2] * second.keep, absolute(g) + eps);
        x[0] = x[0] + div(rate * x[1], x[2]);
    }
};

struct nadam : moments {
    A correction, gradient_rate, mean_rate;
    RL_FN nadam(const StepParams& s)
        : moments(s), correction((A)s.number[3]), gradient_rate((A)s.number[4]), mean_rate((A)s.number[5]) {}
    RL_FN void operator()(A (&x)[4]) const {
        const A g = open(x);
        x[1] = first.mean(x[1], g);
        x[2] = second.squares(x[2], g);
        const A d = sqrt(div(x[2], correction)) + eps;
        x[0] = x[0] + div(gradient_rate * g, d);
        x[0] = x[0] + div(mean_rate * x[1], d);
    }
};

struct radam : moments {
    A rate;
    bool rectified;
    RL_FN radam(const StepParams& s) : moments(s), rate((A)s.number[3]), rectified(s.number[4] != 0) {}
    RL_FN void operator()(A (&x)[4]) const {
        const A g = open(x);
        x[1] = first.mean(x[1], g);
        x[2] = second.squares(x[2], g);
        const A change = rate * x[1];
        x[0] = x[0] + (rectified ? div(change, sqrt(x[2]) + eps) : change);
    }
};

struct adadelta : family_step {
    running both;
    A eps, lr;
    RL_FN adadelta(const StepParams& s) : family_step(s), both(s.number[0]), eps((A)s.number[1]), lr((A)s.number[2]) {}
    RL_FN void operator()(A (&x)[4]) const {
        const A g = open(x);
        x[1] = both.squares(x[1], g);
        const A d = div(sqrt(x[2] + eps), sqrt(x[1] + eps)) * g;
        x[2] = both.squares(x[2], d);
        x[0] = x[0] - lr * d;
    }
};

struct rprop : family_step {
    A less, more, smallest, largest;
    RL_FN rprop(const StepParams& s)
        : family_step(s), less((A)s.number[0]), more((A)s.number[1]), smallest((A)s.number[2]), largest((A)s.number[3]) {}
    RL_FN void operator()(A (&x)[4]) const {
        const A g = open(x), agreement = g * x[1];
        const A factor = agreement > 0 ? more : agreement < 0 ? less : (A)1;
        x[2] = minimum(maximum(x[2] * factor, smallest), largest);
        x[1] = agreement < 0 ? (A)0 : g;
        x[0] = x[0] - sign(x[1]) * x[2];
    }
};

struct asgd : family_step {
    A eta, mu;
    bool first;
    RL_FN asgd(const StepParams& s) : family_step(s), eta((A)s.number[0]), mu((A)s.number[1]), first(s.number[1] == 1) {}
    RL_FN void operator()(A (&x)[3]) const {
        const A g = open(x);
        x[0] = x[0] - eta * g;
        x[1] = first ? x[0] : x[1] + (x[0] - x[1]) * mu;
    }
};

struct lion : family_step {
    running direction, kept;
    A lr;
    RL_FN lion(const StepParams& s) : family_step(s), direction(s.number[0]), kept(s.number[1]), lr((A)s.number[2]) {}
    RL_FN void operator()(A (&x)[3]) const {
        const A g = open(x);
        x[0] = x[0] - lr * sign(direction.mixed(x[1], g));
        x[1] = kept.mixed(x[1], g);
    }
};

struct clip {
    A min, max;
    RL_FN clip(const ClipParams& s) : min((A)s.min), max((A)s.max) {}
    RL_FN void operator()(A (&x)[1]) const { x[0] = minimum(maximum(x[0], min), max); }
};

struct unscale {
    A factor;
    A* found;
    RL_FN unscale(const UnscaleParams& s) : factor(*(const A*)s.factor), found((A*)s.found) {}
    RL_FN void operator()(A (&x)[1]) const {
        // Infinity and NaN minus themselves are NaN. All threads that write write the same.
        if (x[0] - x[0] != (A)0) *found = (A)1;
        x[0] = x[0] * factor;
    }
};
#endif

}  // namespace rl

#define RL_UPDATE(op, OUT, N, E, F, when)                                                                           \
    RL_KERNEL(op, table)(rl::TableParams<N, E> p) {                                                                 \
        if (when) rl::update_entry<OUT, N>(p, rl::table_entry(p), F(p.extra));                                      \
    }                                                                                                               \
    RL_KERNEL(op, strided)(rl::ElementwiseParams<N, E> p) {                                                         \
        if (when) rl::update_strided<OUT, N>(p, F(p.extra));                                                        \
    }
#define RL_STEP(op, N, E, F) RL_UPDATE(op, N - 1, N, E, F, !rl::faulted(p.extra.check))

#if RL_FLOAT
RL_STEP(sgd_step, 2, rl::SgdParams, rl::sgd<2>)
RL_STEP(momentum_step, 3, rl::SgdParams, rl::sgd<3>)
RL_STEP(adam_step, 4, rl::AdamParams, rl::adam)
RL_STEP(rmsprop_step, 3, rl::RmspropParams, rl::rmsprop<3>)
RL_STEP(rmsprop_state_step, 4, rl::RmspropParams, rl::rmsprop<4>)
RL_STEP(rmsprop_states_step, 5, rl::RmspropParams, rl::rmsprop<5>)
RL_STEP(adagrad_step, 3, rl::AdagradParams, rl::adagrad)
RL_STEP(amsgrad_step, 5, rl::StepParams, rl::amsgrad)
RL_STEP(adamax_step, 4, rl::StepParams, rl::adamax)
RL_STEP(nadam_step, 4, rl::StepParams, rl::nadam)
RL_STEP(radam_step, 4, rl::StepParams, rl::radam)
RL_STEP(adadelta_step, 4, rl::StepParams, rl::adadelta)
RL_STEP(rprop_step, 4, rl::StepParams, rl::rprop)
RL_STEP(asgd_step, 3, rl::StepParams, rl::asgd)
RL_STEP(lion_step, 3, rl::StepParams, rl::lion)
RL_UPDATE(clip_value, 1, 1, rl::ClipParams, rl::clip, true)
RL_UPDATE(unscale_and_check_finite, 1, 1, rl::UnscaleParams, rl::unscale, true)
#endif
