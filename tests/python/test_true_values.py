"""Scalar functions on the CPU in f64 against true values, computed by mpmath with 50 digits.

The parity suite uses the CPU's f64 results as the true ones for narrower dtypes, so this file checks those
f64 results. The suite checks every device's f64 in the same way, at the points of ``true_table.py``.
"""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import mpmath
import pytest

import rushlight as rl
from rushlight import _native
from rushlight.nn import functional as F

mp = mpmath.mp.clone()
mp.dps = 50

Point = tuple[float, ...]
Function = Callable[..., Any]

SUITE = _native._Parity(0)
LEAST, NORMAL, LARGEST = math.ldexp(1, -1074), math.ldexp(1, -1022), math.ldexp(2 - 2**-52, 1023)


def _half_even(x: Any) -> Any:
    low = mp.floor(x)
    up = x - low > 0.5 or (x - low == 0.5 and int(low) % 2 == 1)
    return low + 1 if up else low


def _toward_zero(x: Any) -> Any:
    return mp.floor(x) if x > 0 else mp.ceil(x)


def _gelu_tanh(x: Any) -> Any:
    u = mp.sqrt(2 / mp.pi) * (x + mp.mpf("0.044715") * x**3)
    return x / (1 + mp.exp(-2 * u))


def _elu(alpha: float) -> Function:
    return lambda x: x if x > 0 else alpha * mp.expm1(x)


def _softplus(beta: float, threshold: float) -> Function:
    def call(x: Any) -> Any:
        # The op compares the rounded product with the threshold.
        if beta * float(x) > threshold:
            return x
        z = mp.mpf(beta) * x
        # For large exponents the result is below all f64 numbers, and mpmath raises OverflowError.
        rest = mp.log1p(mp.exp(-abs(z))) if abs(z) < 1e6 else mp.mpf(0)
        return (max(z, mp.mpf(0)) + rest) / beta

    return call


def _power(x: Any, y: Any) -> Any:
    if x == 0:
        return mp.mpf(0) if y > 0 else mp.mpf(1) if y == 0 else mp.inf
    if x < 0:
        return mp.nan if y != mp.floor(y) else (-1) ** int(y % 2) * _power(-x, y)
    # The exponent may be 1e300, times the logarithm of a number next to 1, which needs more digits.
    with mp.extradps(30):
        return mp.exp(y * mp.ln(x))


def _exactly(f: Function, extra: int) -> Function:
    """Return a function computed with more digits, against cancellation."""

    def call(*x: Any) -> Any:
        with mp.extradps(extra):
            return f(*x)

    return call


# By op: the functions of one argument, and of two.
_SAME_NAME = """
    exp expm1 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf sqrt floor ceil sign
    log1p log10
"""
ONE: dict[str, Function] = {name: getattr(mp, name) for name in _SAME_NAME.split()}
ONE |= {
    "log": mp.ln,
    "erfinv": lambda x: mp.erfinv(x) if abs(x) <= 1 else mp.nan,
    "log2": lambda x: mp.ln(x) / mp.ln(2),
    "rsqrt": lambda x: 1 / mp.sqrt(x),
    "reciprocal": lambda x: 1 / x,
    "square": lambda x: x * x,
    "abs": mp.fabs,
    "neg": lambda x: -x,
    "round": _half_even,
    "trunc": _toward_zero,
    "frac": _exactly(lambda x: x - _toward_zero(x), 300),
    "relu": lambda x: x if x > 0 else mp.mpf(0),
    "relu_squared": lambda x: x * x if x > 0 else mp.mpf(0),
    "sigmoid": lambda x: 1 / (1 + mp.exp(-x)),
    "silu": lambda x: x / (1 + mp.exp(-x)),
    "gelu": _gelu_tanh,
    # For smaller x the result is below all f64 numbers, and mpmath may raise OverflowError.
    "gelu_erf": lambda x: x * mp.erfc(-x / mp.sqrt(2)) / 2 if abs(x) < 99 else max(x, mp.mpf(0)),
}
TWO: dict[str, Function] = {
    "pow": _power,
    "atan2": mp.atan2,
    "hypot": lambda x, y: mp.sqrt(x * x + y * y),
    # (The exponential of a large number takes mpmath long; beyond 2,000 no float64 shows it.)
    "mul_sigmoid": lambda x, y: x if y > 2000 else mp.mpf(0) if y < -2000 else x / (1 + mp.exp(-y)),
    "logaddexp": _exactly(lambda x, y: max(x, y) + mp.log1p(mp.exp(-abs(x - y))), 30),
}
SELU = (mp.mpf("1.0507009873554804934193349852946"), mp.mpf("1.6732632423543772848170429916717"))


def _within(low: float, high: float, f: Function) -> Function:
    """Return a function that is 0 below and x above two bounds (mpmath may raise OverflowError there)."""
    return lambda x: mp.mpf(0) if x < low else x if x > high else f(x)


def _slope_within(f: Function) -> Function:
    """Return a slope whose limits are 0 and 1."""
    return lambda x: mp.mpf(0) if x < -2000 else mp.mpf(1) if x > 2000 else f(x)


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + mp.exp(-x))


def _tanhshrink(x: Any) -> Any:
    if abs(x) < mp.mpf("1e-20"):
        return x**3 / 3
    with mp.extradps(60):
        return x - mp.tanh(x)


def _mish_slope(x: Any) -> Any:
    with mp.extradps(30):
        t = mp.tanh(mp.log1p(mp.exp(x)))
        return t + x * _sigmoid(x) * (1 - t * t)


def _gelu_tanh_slope(x: Any) -> Any:
    c, d = 2 * mp.sqrt(2 / mp.pi), mp.mpf("0.044715")
    s = _sigmoid(c * (x + d * x**3))
    return s * (1 + x * _sigmoid(-c * (x + d * x**3)) * c * (1 + 3 * d * x * x))


def _gelu_erf_slope(x: Any) -> Any:
    if abs(x) > 99:
        return mp.mpf(1 if x > 0 else 0)
    return mp.erfc(-x / mp.sqrt(2)) / 2 + x * mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)


# The activation family, with default numbers; ops of exact classes are missing.
ACTIVATIONS: dict[str, Function] = {
    "celu": _elu(1.0),
    "selu": lambda x: SELU[0] * (x if x > 0 else SELU[1] * mp.expm1(x)),
    "mish": _within(-2000, 2000, lambda x: x * mp.tanh(mp.log1p(mp.exp(x)))),
    "tanhshrink": _tanhshrink,
    "logsigmoid": lambda x: x if x < -2000 else mp.mpf(0) if x > 2000 else -mp.log1p(mp.exp(-x)),
}
# Slopes by the name of the function.
SLOPES: dict[str, Function] = {
    "celu": lambda x: mp.mpf(1) if x > 0 else mp.exp(max(x, mp.mpf(-2000))),
    "selu": lambda x: SELU[0] * (1 if x > 0 else SELU[1] * mp.exp(max(x, mp.mpf(-2000)))),
    "mish": _slope_within(_mish_slope),
    "tanhshrink": lambda x: mp.tanh(x) ** 2,
    "logsigmoid": lambda x: _slope_within(_sigmoid)(-x),
    "silu": _slope_within(lambda x: _sigmoid(x) * (1 + x * _sigmoid(-x))),
    "gelu": lambda x: mp.mpf(x > 0) if abs(x) > 99 else _gelu_tanh_slope(x),
    "gelu_erf": _gelu_erf_slope,
}
ROOTS = {"silu": -2.0, "mish": -2.0, "gelu": -1.0, "gelu_erf": -1.0}
"""Arguments above which a slope counts in units of the larger of itself and 1, since it changes its sign."""

ARITHMETIC = {
    *("add", "sub", "mul", "div", "complex", "remainder", "floor_divide", "maximum", "minimum", "prelu"),
}
"""Functions without a transcendental part; tests/cpu/exact.rs and the parity suite hold it exactly."""

PYTHON = {"gelu": "gelu_tanh", "neg": "negative"}
"""Names in Python, where they are others."""

# Functions of two tensors that Python composes of ops, with their bounds (docs/NUMERICS.md).
COMPOSED = {"hypot": ("ulps", 4.0), "logaddexp": ("arguments", 4.0)}

# Two roundings, of 1 / sqrt(x).
STEPS = {"rsqrt": 1.5}


@dataclass(frozen=True)
class Excess:
    """A function whose error exceeds the bound of its class at some points."""

    units: float
    """The most that it is off, in units in the last place."""
    at: Point
    """Where it is."""
    libm: Function | None = None
    """The function of the machine's C library, if that is where it comes from: not every machine's is off."""


HARDEST = 6381956970095103 * 2.0**797
"""Next to a multiple of pi / 2 as no other number of f64 is."""

KNOWN: dict[str, Excess] = {
    # glibc 2.36.
    "cos": Excess(7.96, (HARDEST,), math.cos),
    "tan": Excess(14.37, (HARDEST,), math.tan),
}


def _near(c: float) -> Iterator[float]:
    """Give numbers next to one and at growing distances."""
    yield c
    for way in (-math.inf, math.inf):
        x = c
        for _ in range(2):
            x = math.nextafter(x, way)
            yield x
    for k in range(3, 52, 8):
        yield from (c * (1 + 2.0**-k), c * (1 - 2.0**-k))


# Numbers near which functions have branches, zeros and the ends of their range.
CENTRES = [1.0, 2.0, 0.5, math.e, math.log(2), math.sqrt(0.5), 0.84375, 1.25, 2.24, 1 / 0.35]
CENTRES += [5.92, 9.0, 19.0, 27.2, 37.5]
CENTRES += [708.3964185322641, 709.782712893384, 710.475860073944, 745.133219101941]
CENTRES += [k * math.pi / 2 for k in (0.5, 1, 2, 3, 4, 11, 22, 710)]
CENTRES += [1e22, HARDEST]


@functools.cache
def points() -> list[Point]:
    draw = random.Random(1)
    found = [draw.uniform(-10, 10) for _ in range(150)] + [draw.uniform(-1, 1) for _ in range(100)]
    edges = [0.0, LEAST, 3 * LEAST, NORMAL - LEAST, NORMAL, LARGEST, math.nextafter(LARGEST, 0)]
    edges += [math.ldexp(1 + draw.random(), k) for k in range(-1074, 1023, 16)]
    edges += [x for c in CENTRES for x in _near(c)]
    return [(x,) for x in dict.fromkeys([*found, *edges, *(-x for x in edges)])]


def _power_points(draw: random.Random) -> Iterator[Point]:
    for _ in range(250):
        x = math.ldexp(1 + draw.random(), draw.randint(-1074, 1022))
        # The result is anywhere in the range, and at its ends.
        for bits in (draw.uniform(-1074, 1024), draw.choice([-1074.5, -1022.0, 1023.99, 1.0])):
            yield x, bits / math.log2(x) if math.log2(x) else 0.5
        yield draw.uniform(0.1, 10), draw.uniform(-20, 20)
        yield -draw.uniform(0.1, 10), float(draw.randint(-40, 40))
        k = draw.randint(5, 52)
        yield 1 + draw.choice([-1, 1]) * 2.0**-k, draw.uniform(-1, 1) * 2.0 ** (k + 8)
    yield from (
        (-2.0, 0.5),
        (0.0, 2.0),
        (0.0, -1.0),
        (LEAST, 0.5),
        (LARGEST, -1.0),
        (LARGEST, 1.0),
        (3.0, 0.0),
    )


def _pair_points(draw: random.Random) -> Iterator[Point]:
    sizes = [LEAST, 3 * LEAST, NORMAL, LARGEST, 1.0, math.pi]
    for _ in range(300):
        sign = draw.choice([(1, 1), (1, -1), (-1, 1), (-1, -1)])
        yield draw.uniform(-10, 10), draw.uniform(-10, 10)
        k = draw.randint(-1074, 1022)
        near = min(max(k + draw.randint(-60, 60), -1074), 1022)
        yield sign[0] * math.ldexp(1 + draw.random(), k), sign[1] * math.ldexp(1 + draw.random(), near)
        yield sign[0] * draw.choice(sizes), sign[1] * math.ldexp(1 + draw.random(), draw.randint(-1074, 1022))
        x = draw.uniform(0.1, 10)
        yield sign[0] * x, sign[1] * math.nextafter(x, draw.choice([0.0, 99.0]))
    yield from ((a * s, b * t) for a in sizes for b in sizes for s in (1, -1) for t in (1, -1))


def _logarithm_points(draw: random.Random) -> Iterator[Point]:
    for _ in range(400):
        # Pairs with e^x + e^y next to 1, whose logarithm is next to 0.
        y = -draw.uniform(0.01, 40)
        yield math.log1p(-math.exp(y)), y
        yield math.log1p(-math.exp(y)) * (1 + 2.0 ** -draw.randint(5, 50)), y


def pairs(name: str) -> list[Point]:
    draw = random.Random(2)
    if name == "pow":
        return list(_power_points(draw))
    found = list(_pair_points(draw))
    return found + list(_logarithm_points(draw)) if name == "logaddexp" else found


def unit(t: Any) -> Any:
    """One in the last place of a number of its size."""
    exponent = int(mp.frexp(t)[1]) - 1 if t else -1022
    return mp.ldexp(1, min(max(exponent, -1022), 1023) - 52)


def off(got: float, true: Any) -> float:
    """Return the error of a result in units in the last place. An infinity is a unit past the largest
    number."""
    if isinstance(true, mp.mpc) or mp.isnan(true):
        return 0.0 if math.isnan(got) else math.inf
    if math.isnan(got):
        return math.inf
    past = mp.mpf(LARGEST) + unit(LARGEST)
    true = min(max(true, -past), past)
    return float(abs(min(max(mp.mpf(got), -past), past) - true) / unit(true))


def true_value(f: Function, point: Point) -> Any:
    try:
        return f(*map(mp.mpf, point))
    except ZeroDivisionError:
        return mp.inf


def class_of(op: str) -> tuple[str, float]:
    cases = SUITE.cases()
    kind, units = next(
        SUITE.bound(i, "f64")
        for i, (_, name, _, dtype, run) in enumerate(cases)
        if (name, dtype, run) == (op, "f64", "forward")
    )
    return kind, STEPS.get(op, 0.5) if kind == "exact" else units


def held(name: str, call: Function, f: Function, where: list[Point], kind: str, units: float) -> None:
    """Check a function against true values at some points, by the bound of its class."""
    known = KNOWN.get(name)
    if known:
        where = [*where, known.at]
    columns = [rl.tensor(list(column), dtype="float64") for column in zip(*where, strict=True)]
    found = [(p, got, true_value(f, p)) for p, got in zip(where, call(*columns).tolist(), strict=True)]
    largest = mp.mpf(1) if kind == "scaled" else mp.mpf(0)
    if kind in ("scaled", "arguments"):
        # Units of the largest of the result and 1 (which a tensor's largest result may be), or the arguments.
        for p, got, true in found:
            size = max([largest, abs(true), *(map(abs, p) if kind == "arguments" else ())])
            assert got == true or abs(got - true) <= units * unit(size), (name, p, got, true)
        if kind == "arguments":
            return
        # For a tensor of one element, a bound of N rounding errors is up to 2 N units in the last place.
        units *= 2
    worst, at = max((off(got, true), p) for p, got, true in found)
    print(f"{name}: {worst:.4g} of {units} units at {at}")
    if known and known.libm and off(known.libm(*known.at), true_value(f, known.at)) <= units:
        known = None
    if known is None:
        assert worst <= units, f"{name}{at} is {worst} units off"
        return
    error = off(
        call(*(rl.tensor([x], dtype="float64") for x in known.at)).tolist()[0], true_value(f, known.at)
    )
    assert error > units, f"{name}{known.at} is {error} units off, within its bound: take it off the list"
    assert worst <= known.units, f"{name}{at} is {worst} units off, more than the list says"


@pytest.mark.parametrize("name", sorted(ONE))
def test_functions_of_one_argument(name: str) -> None:
    held(name, getattr(rl, PYTHON.get(name, name)), ONE[name], points(), *class_of(name))


@pytest.mark.parametrize("name", sorted(ACTIVATIONS))
def test_activations(name: str) -> None:
    held(name, getattr(F, name), ACTIVATIONS[name], points(), *class_of(name))


@pytest.mark.parametrize("alpha", [2.0, 1e-3, 0.3])
def test_celu(alpha: float) -> None:
    def true(x: Any) -> Any:
        return x if x > 0 else alpha * mp.expm1(x / mp.mpf(alpha))

    held("celu", functools.partial(F.celu, alpha=alpha), true, points(), *class_of("celu"))


@pytest.mark.parametrize("name", sorted(SLOPES))
def test_gradients_of_activations(name: str) -> None:
    """Each is within 16 units of the true slope; near a root, within 16 units of 1."""
    functions: dict[str, Function] = {
        "gelu": functools.partial(F.gelu, approximate="tanh"),
        "gelu_erf": F.gelu,
    }
    where = points()
    x = rl.tensor([at for (at,) in where], dtype="float64", requires_grad=True)
    functions.get(name, getattr(F, name, None))(x).sum().backward()
    assert x.grad is not None
    for (at,), got in zip(where, x.grad.tolist(), strict=True):
        true = true_value(SLOPES[name], (at,))
        if at > ROOTS.get(name, math.inf):
            assert abs(got - true) <= 16 * unit(max(abs(true), mp.mpf(1))), (at, got, true)
        else:
            assert off(got, true) <= 16, (at, got, true)


@pytest.mark.parametrize("alpha", [1.0, 2.0, 1e-3])
def test_elu(alpha: float) -> None:
    held("elu", functools.partial(rl.elu, alpha=alpha), _elu(alpha), points(), *class_of("elu"))


@pytest.mark.parametrize("threshold", [20.0, 1.0, math.inf])
@pytest.mark.parametrize("beta", [1.0, 0.3, -2.0, 1e-3, 1e30, 1e-30])
def test_softplus(beta: float, threshold: float) -> None:
    def call(x: rl.Tensor) -> rl.Tensor:
        return F.softplus(x, beta, threshold)

    held("softplus", call, _softplus(beta, threshold), points(), *class_of("softplus"))


@pytest.mark.parametrize("threshold", [20.0, 1.0, math.inf])
@pytest.mark.parametrize("beta", [1.0, 0.3, -2.0])
def test_gradient_of_softplus(beta: float, threshold: float) -> None:
    # (The exponent, beta x, is rounded: a unit of it is as many units of the result as it is large.)
    where = [x for (x,) in points() if abs(beta * x) < 30]
    x = rl.tensor(where, dtype="float64", requires_grad=True)
    F.softplus(x, beta, threshold).sum().backward()
    assert x.grad is not None
    for at, got in zip(where, x.grad.tolist(), strict=True):
        past = beta * at > threshold
        true = mp.mpf(1) if past else 1 / (1 + mp.exp(-beta * mp.mpf(at)))
        assert got == 1 if past else off(got, true) <= 4 + abs(beta * at), (at, got, true)


@pytest.mark.parametrize("exponent", [0.5, -0.5, 1 / 3, 3.0, -7.0, 100.5])
def test_powf(exponent: float) -> None:
    true = mp.mpf(exponent)
    held("powf", lambda x: x**exponent, lambda x: _power(x, true), points(), *class_of("powf"))


@pytest.mark.parametrize("name", sorted(TWO))
def test_functions_of_two_arguments(name: str) -> None:
    kind, units = COMPOSED[name] if name in COMPOSED else class_of(name)
    function = getattr(rl, name, None) or getattr(rl._native, f"_{name}")
    held(name, function, TWO[name], pairs(name), kind, units)


def test_every_function_is_held() -> None:
    of = {
        family: {name for _, name, f, dtype, _ in SUITE.cases() if f == family and dtype == "f64"}
        for family in ("unary", "binary", "activation")
    }
    assert of["unary"] == set(ONE)
    assert of["binary"] == ARITHMETIC | (set(TWO) - set(COMPOSED))
    assert {name for name in of["activation"] if class_of(name)[0] == "ulps"} == set(ACTIVATIONS)


def test_table_of_the_parity_suite_is_current() -> None:
    import true_table

    assert true_table.PATH.read_text() == true_table.table(), "run python tests/python/true_table.py"
