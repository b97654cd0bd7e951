"""Element-wise ops and reductions with their NumPy counterparts, dtypes and domains."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.special as special

import rushlight as rl
from compare import ALL, FLOAT, INT, NUMERIC, Array
from rushlight import functional as F

Draw = Callable[[np.random.Generator, tuple[int, ...]], Array]


def normal(scale: float = 2.0) -> Draw:
    return lambda rng, shape: rng.normal(size=shape) * scale


def between(low: float, high: float) -> Draw:
    return lambda rng, shape: rng.uniform(low, high, size=shape)


def ints(low: int, high: int) -> Draw:
    return lambda rng, shape: rng.integers(low, high, size=shape)


def away(low: float, high: float) -> Draw:
    """Magnitudes in low..high with random signs."""
    return lambda rng, shape: rng.uniform(low, high, size=shape) * rng.choice([-1, 1], size=shape)


def halves(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return np.asarray(rng.integers(-9, 10, size=shape) * 0.5)


@dataclass(frozen=True)
class Elementwise:
    """An op on one or two tensors of one shape."""

    name: str
    call: Callable[..., rl.Tensor]
    reference: Callable[..., Any]
    """On float64 (float dtypes) or on arrays of the dtype itself (the others)."""
    dtypes: tuple[str, ...]
    domains: tuple[Draw, ...]
    allowed: float = 0.0
    """Units in the last place for float32 and float64; narrower dtypes get at most 1."""
    result: str | None = None
    """Dtype of the result if it is not the operands'."""
    int_domains: tuple[Draw, ...] = field(default=())


def _unary() -> list[Elementwise]:
    rows: list[Elementwise] = []
    positive, unit = between(0.05, 30), between(-0.95, 0.95)
    for name, reference, domain, allowed in [
        ("acos", np.arccos, unit, 4),
        ("acosh", np.arccosh, between(1.05, 50), 4),
        ("asin", np.arcsin, unit, 4),
        ("asinh", np.arcsinh, normal(5), 4),
        ("atan", np.arctan, normal(5), 4),
        ("atanh", np.arctanh, unit, 4),
        ("cos", np.cos, normal(10), 4),
        ("cosh", np.cosh, normal(3), 4),
        ("erf", special.erf, normal(2), 4),
        ("erfinv", special.erfinv, unit, 8),
        ("exp", np.exp, normal(3), 4),
        ("expm1", np.expm1, normal(2), 4),
        ("log", np.log, positive, 4),
        ("log1p", np.log1p, between(-0.9, 30), 4),
        ("log2", np.log2, positive, 4),
        ("log10", np.log10, positive, 4),
        ("reciprocal", lambda x: 1 / x, away(0.1, 20), 0),
        ("rsqrt", lambda x: 1 / np.sqrt(x), positive, 1),
        ("sin", np.sin, normal(10), 4),
        ("sinh", np.sinh, normal(3), 4),
        ("sqrt", np.sqrt, positive, 0),
        ("tan", np.tan, between(-1.4, 1.4), 4),
        ("tanh", np.tanh, normal(2), 4),
        ("frac", lambda x: x - np.trunc(x), normal(20), 0),
    ]:
        rows.append(Elementwise(name, getattr(rl, name), reference, FLOAT, (domain,), allowed))
    for name, call, reference, domain in [
        ("sigmoid", F.sigmoid, special.expit, normal(4)),
        ("silu", F.silu, lambda x: x * special.expit(x), normal(4)),
        ("gelu", F.gelu, lambda x: x * special.ndtr(x), between(-1, 6)),
        (
            "gelu_tanh",
            lambda x: F.gelu(x, "tanh"),
            lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
            between(-1, 6),
        ),
        ("elu", F.elu, lambda x: np.where(x > 0, x, np.expm1(x)), normal(3)),
        ("softplus", F.softplus, lambda x: np.where(x > 20, x, np.logaddexp(x, 0)), normal(9)),
    ]:
        rows.append(Elementwise(name, call, reference, FLOAT, (domain,), 6))
    wholes = (ints(-100, 100),)
    for name, reference in [
        ("abs", np.abs),
        ("negative", np.negative),
        ("positive", np.positive),
        ("sign", np.sign),
        ("square", np.square),
    ]:
        call = getattr(rl, name)
        rows.append(Elementwise(name, call, reference, NUMERIC, (normal(20),), int_domains=wholes))
    for name, reference in [
        ("ceil", np.ceil),
        ("floor", np.floor),
        ("round", np.round),
        ("trunc", np.trunc),
    ]:
        call = getattr(rl, name)
        rows.append(Elementwise(name, call, reference, NUMERIC, (halves,), int_domains=wholes))
    rows.append(
        Elementwise(
            "relu",
            F.relu,
            lambda x: np.maximum(x, x.dtype.type(0)),
            NUMERIC,
            (normal(20),),
            int_domains=wholes,
        )
    )
    squared = lambda x: np.maximum(x, x.dtype.type(0)) ** 2  # noqa: E731
    rows.append(Elementwise("relu_squared", rl.relu_squared, squared, FLOAT, (normal(20),)))
    for name, reference in [
        ("isfinite", np.isfinite),
        ("isinf", np.isinf),
        ("isnan", np.isnan),
    ]:
        rows.append(
            Elementwise(
                name,
                getattr(rl, name),
                reference,
                NUMERIC,
                (_spiked,),
                result="bool",
                int_domains=wholes,
            )
        )
    rows.append(Elementwise("signbit", rl.signbit, np.signbit, FLOAT, (_spiked,), result="bool"))
    rows.append(
        Elementwise("bitwise_invert", rl.bitwise_invert, np.invert, (*INT, "bool"), (), int_domains=wholes)
    )
    rows.append(Elementwise("logical_not", rl.logical_not, np.logical_not, ("bool",), (), result="bool"))
    return rows


def _spiked(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    value = rng.normal(size=shape)
    for special_value, share in ((np.nan, 0.2), (np.inf, 0.1), (-np.inf, 0.1), (-0.0, 0.1)):
        value[rng.random(shape) < share] = special_value
    return np.asarray(value)


def _binary() -> list[Elementwise]:
    rows: list[Elementwise] = []
    small, nonzero = ints(-11, 12), ints(1, 12)
    pairs = (normal(3), normal(3))
    for name, reference in [
        ("add", np.add),
        ("subtract", np.subtract),
        ("multiply", np.multiply),
        ("maximum", np.maximum),
        ("minimum", np.minimum),
    ]:
        call = getattr(rl, name)
        rows.append(Elementwise(name, call, reference, NUMERIC, pairs, int_domains=(small, small)))
    divisor = (normal(9), away(0.4, 5))
    rows.append(Elementwise("divide", rl.divide, np.divide, FLOAT, divisor))
    for name, reference in [("floor_divide", np.floor_divide), ("remainder", np.remainder)]:
        call = getattr(rl, name)
        rows.append(Elementwise(name, call, reference, NUMERIC, divisor, int_domains=(small, nonzero)))
    rows.append(
        Elementwise(
            "pow",
            rl.pow,
            np.power,
            NUMERIC,
            (between(0.3, 4), between(-3, 3)),
            4,
            int_domains=(ints(0, 4), ints(0, 4)),
        )
    )
    rows.append(Elementwise("atan2", rl.atan2, np.arctan2, FLOAT, pairs, 4))
    rows.append(Elementwise("hypot", rl.hypot, np.hypot, FLOAT, pairs, 4))
    rows.append(Elementwise("copysign", rl.copysign, np.copysign, FLOAT, pairs))
    rows.append(
        Elementwise("logaddexp", rl.logaddexp, np.logaddexp, FLOAT, (between(0, 9), between(0, 9)), 6)
    )
    for name, reference in [
        ("equal", np.equal),
        ("not_equal", np.not_equal),
        ("less", np.less),
        ("less_equal", np.less_equal),
        ("greater", np.greater),
        ("greater_equal", np.greater_equal),
    ]:
        call = getattr(rl, name)
        ties = (halves, halves)
        rows.append(
            Elementwise(name, call, reference, NUMERIC, ties, result="bool", int_domains=(small, small))
        )
    for name, reference in [
        ("bitwise_and", np.bitwise_and),
        ("bitwise_or", np.bitwise_or),
        ("bitwise_xor", np.bitwise_xor),
    ]:
        call = getattr(rl, name)
        wholes = (ints(-100, 100), ints(-100, 100))
        rows.append(Elementwise(name, call, reference, (*INT, "bool"), (), int_domains=wholes))
    for name, reference in [
        ("bitwise_left_shift", np.left_shift),
        ("bitwise_right_shift", np.right_shift),
    ]:
        call = getattr(rl, name)
        shifts = (ints(-100, 100), ints(0, 7))
        rows.append(Elementwise(name, call, reference, INT, (), int_domains=shifts))
    for name, reference in [
        ("logical_and", np.logical_and),
        ("logical_or", np.logical_or),
        ("logical_xor", np.logical_xor),
    ]:
        call = getattr(rl, name)
        rows.append(Elementwise(name, call, reference, ("bool",), (), result="bool"))
    return rows


UNARY = _unary()
BINARY = _binary()


@dataclass(frozen=True)
class Reduction:
    """An op over some axes."""

    name: str
    call: Callable[..., rl.Tensor]
    reference: Callable[..., Any]
    dtypes: tuple[str, ...]
    allowed: float
    """Relative to the sum of magnitudes, in units of the dtype's epsilon."""
    axes: tuple[Any, ...] = (None, 0, 1, -1, (0, 2), (0, 1, 2))
    result: str | None = None
    empty: bool = True
    """Whether the reduction of no elements has a result."""


# As in the array API, small integers are summed in int64 or uint64.
def widened(name: str) -> str:
    if name in ("int8", "int16", "int32"):
        return "int64"
    return "uint64" if name in ("uint8", "uint16", "uint32") else name


def logsumexp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return SciPy's result. SciPy fails on several axes of an empty array, where only the shape matters."""
    reduce = np.sum if x.size == 0 else special.logsumexp
    return reduce(x, axis=axis, keepdims=keepdims)


ONE = (None, 0, 1, -1)
REDUCTIONS = [
    Reduction("sum", rl.sum, np.sum, NUMERIC, 4, result="widened"),
    Reduction("prod", rl.prod, np.prod, NUMERIC, 8, result="widened"),
    Reduction("mean", rl.mean, np.mean, FLOAT, 4, empty=False),
    Reduction("max", rl.max, np.max, NUMERIC, 0, empty=False),
    Reduction("min", rl.min, np.min, NUMERIC, 0, empty=False),
    Reduction("var", rl.var, np.var, FLOAT, 16, empty=False),
    Reduction("std", rl.std, np.std, FLOAT, 16, empty=False),
    Reduction("logsumexp", rl.logsumexp, logsumexp, FLOAT, 16, empty=False),
    Reduction("any", rl.any, np.any, ALL, 0, result="bool"),
    Reduction("all", rl.all, np.all, ALL, 0, result="bool"),
    Reduction("count_nonzero", rl.count_nonzero, np.count_nonzero, ALL, 0, result="int64"),
    Reduction("argmax", rl.argmax, np.argmax, NUMERIC, 0, ONE, result="int64", empty=False),
    Reduction("argmin", rl.argmin, np.argmin, NUMERIC, 0, ONE, result="int64", empty=False),
]
