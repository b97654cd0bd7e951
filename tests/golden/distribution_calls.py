"""More calls for calls.py: distributions and special functions."""

from __future__ import annotations

_D = "torch.distributions"
_TWO = f"[{_D}.AffineTransform(v, 2.0), {_D}.SigmoidTransform()]"

# A distribution, and a value of it.
_VALUES = {
    "Normal(x, p)": "y",
    "Normal(0.5, 2.0)": "x",
    "Laplace(x, p)": "y",
    "Cauchy(x, p)": "y",
    "Gumbel(x, p)": "y",
    "Uniform(-p, p)": "x.clamp(-0.3, 0.3)",
    "Exponential(p)": "p.flip(0)",
    "HalfNormal(p)": "p.flip(0)",
    "HalfCauchy(p)": "p.flip(0)",
    "LogNormal(x, p)": "p.flip(0)",
}
_DENSITIES = {
    "StudentT(p * 5, x, p)": "y",
    "Gamma(p * 3, p.flip(0))": "u",
    "Gamma(p * 3, 2.0)": "p.flip(1)",
    "Chi2(p * 3)": "u",
    "Beta(p * 3, p.flip(0))": "u",
    "Dirichlet(p)": "u / u.sum(1, keepdim=True)",
    "Bernoulli(u)": "j.float()",
    "Bernoulli(logits=x)": "j.float()",
    "Binomial(6, u)": "i.float()",
    "Binomial(torch.tensor(5), logits=x)": "i.float()",
    "Geometric(u)": "i.float()",
    "Geometric(logits=x)": "i.float()",
    "NegativeBinomial(p, u)": "i.float()",
    "NegativeBinomial(3.0, logits=x)": "i.float()",
    "Poisson(p)": "i.float()",
    "Categorical(u)": "j[0, :3]",
    "Categorical(logits=x)": "torch.tensor([[3], [0]])",
    "Categorical(logits=v)": "torch.tensor(2)",
    "OneHotCategorical(u)": "torch.eye(4)[:3]",
    "OneHotCategorical(logits=x)": "torch.eye(4)[:3]",
    "Multinomial(4, u)": "torch.tensor([1.0, 0.0, 1.0, 2.0])",
    "Multinomial(4, logits=x)": "torch.tensor([4.0, 0.0, 0.0, 0.0])",
    f"Independent({_D}.Normal(x, p), 1)": "y",
    f"Independent({_D}.Bernoulli(u), 2)": "j.float()",
    f"MixtureSameFamily({_D}.Categorical(u), {_D}.Normal(x, p))": "v[:3]",
    f"MixtureSameFamily({_D}.Categorical(v.exp()), {_D}.Independent({_D}.Normal(z, 1.0), 1))": "w",
    f"TransformedDistribution({_D}.Normal(x, p), {_TWO})": "u",
    f"TransformedDistribution({_D}.Normal(torch.zeros(1), 1.0), {_D}.AffineTransform(x, -p))": "y",
    f"TransformedDistribution({_D}.Normal(x, p), {_D}.TanhTransform())": "u",
    f"TransformedDistribution({_D}.Normal(x, p), {_D}.SoftplusTransform())": "u",
    f"TransformedDistribution({_D}.Exponential(p), {_D}.PowerTransform(2.0))": "u",
    f"TransformedDistribution({_D}.Normal(x, p), {_D}.ExpTransform().inv)": "x",
    f"TransformedDistribution({_D}.Normal(x, p), {_D}.IndependentTransform({_D}.ExpTransform(), 1))": "u",
}
_MOMENTS = {
    "Cauchy": (),
    "Categorical": ("mode",),
    "Transformed": (),
    "Chi2": ("mean", "variance"),
    "Multinomial": ("mean", "variance"),
    "Mixture": ("mean", "variance"),
    "HalfCauchy": ("mode",),
    "Uniform": ("mean", "variance", "stddev"),
}
_WITHOUT_ENTROPY = ("Transformed", "Mixture", "Poisson", "Negative", "Multinomial", "Binomial(torch")


def _of(name: str) -> tuple[str, ...]:
    return next(
        (v for k, v in _MOMENTS.items() if name.startswith(k)), ("mean", "mode", "variance", "stddev")
    )


_PAIRS = [
    ("Normal(x, p)", "Normal(y, 2.0)"),
    ("LogNormal(x, p)", "LogNormal(y, 2.0)"),
    ("Bernoulli(u)", "Bernoulli(logits=x)"),
    ("Binomial(3, u)", "Binomial(3, logits=x)"),
    ("Categorical(u)", "Categorical(logits=x)"),
    ("OneHotCategorical(u)", "OneHotCategorical(logits=x)"),
    ("Geometric(u)", "Geometric(u.flip(0))"),
    ("Poisson(p)", "Poisson(p.flip(0))"),
    ("Beta(p * 3, p)", "Beta(p, p.flip(0))"),
    ("Dirichlet(p)", "Dirichlet(p.flip(0))"),
    ("Gamma(p * 3, p)", "Gamma(p, p.flip(0))"),
    ("Exponential(p)", "Gamma(p, p.flip(0))"),
    ("Gamma(p * 2, p)", "Exponential(p.flip(0))"),
    ("Exponential(p)", "Exponential(p.flip(0))"),
    ("Laplace(x, p)", "Laplace(y, 2.0)"),
    ("HalfNormal(p)", "HalfNormal(p.flip(0))"),
    ("Gumbel(x, p)", "Gumbel(y, 2.0)"),
    ("Cauchy(x, p)", "Cauchy(y, 2.0)"),
    ("Uniform(-p, p)", "Uniform(-p - 1, p + 2)"),
    ("Uniform(-p, p)", "Normal(x, 2.0)"),
    ("Normal(x, p)", "Laplace(y, 2.0)"),
    ("Normal(x, p)", "Gumbel(y, 2.0)"),
    ("Laplace(x, p)", "Normal(y, 2.0)"),
    ("Gumbel(x, p)", "Normal(y, 2.0)"),
    (f"Independent({_D}.Normal(x, p), 1)", f"Independent({_D}.Normal(y, 1.0), 1)"),
]
_SPECIAL = """
torch.lgamma(p)
p.digamma()
torch.polygamma(1, p)
p.polygamma(3)
torch.mvlgamma(p + 2, 3)
torch.erfc(x)
torch.i0(x)
torch.special.i0e(x)
torch.special.i1(x)
torch.special.i1e(x)
torch.special.entr(u)
torch.special.erfcx(x)
torch.special.expit(x)
torch.special.gammaln(p)
torch.special.log_ndtr(x)
torch.special.ndtr(x)
torch.special.ndtri(u)
torch.special.xlog1py(x, p)
torch.special.xlogy(x, p)
torch.special.zeta(p.detach() + 1.5, u.detach())
torch.special.multigammaln(p + 1, 2)
torch.special.logsumexp(x, 1)
torch.special.softmax(x, 1)
torch.special.log_softmax(x, 0)
p.clone().lgamma_()
p.clone().digamma_()
x.clone().erfc_()
x.clone().i0_()
p.clone().polygamma_(1)
""".strip().splitlines()

DISTRIBUTION_CALLS = [
    *(f"{_D}.{d}.log_prob({x})" for d, x in (_VALUES | _DENSITIES).items()),
    # PyTorch finds some values of Gumbel outside of the support of the numbers that it draws them from.
    *(f"{_D}.{d}.cdf({x})" for d, x in _VALUES.items() if not d.startswith("Gumbel")),
    *(f"{_D}.{d}.icdf(u)" for d in _VALUES),
    *(f"{_D}.{d}.{m}" for d in _VALUES | _DENSITIES for m in _of(d)),
    *(f"{_D}.{d}.entropy()" for d in _VALUES | _DENSITIES if not d.startswith(_WITHOUT_ENTROPY)),
    *(f"{_D}.kl_divergence({_D}.{a}, {_D}.{b})" for a, b in _PAIRS),
    f"{_D}.Bernoulli(u).enumerate_support()",
    f"{_D}.Categorical(u).enumerate_support(expand=False)",
    f"{_D}.OneHotCategorical(u).enumerate_support()",
    f"{_D}.Binomial(3, u).enumerate_support()",
    f"{_D}.Normal(v, 1.0).expand((3, 4)).log_prob(x)",
    f"{_D}.Dirichlet(p).expand((2, 3)).mean",
    f"{_D}.Independent({_D}.Normal(v, 1.0), 1).expand((3,)).log_prob(x)",
    f"{_D}.TransformedDistribution({_D}.Normal(x, p), [{_D}.AffineTransform(0.5, -2.0)]).cdf(y)",
    f"{_D}.TransformedDistribution({_D}.Normal(x, p), [{_D}.AffineTransform(0.5, -2.0)]).icdf(u)",
    f"{_D}.MixtureSameFamily({_D}.Categorical(u), {_D}.Normal(x, p)).cdf(v[:3])",
    *_SPECIAL,
]
