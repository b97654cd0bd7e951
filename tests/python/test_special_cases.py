"""The special cases of the array API standard, for every elementwise function, real and complex."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from compare import to_np
from special_cases import COMPLEX, POINTS, REAL

# Functions of complex numbers that follow from the rows of another: f(z) = -i g(i z), and cos(z) = cosh(i z).
TURNED = {"asin": "asinh", "atan": "atanh", "sin": "sinh", "tan": "tanh", "cos": "cosh"}
SCALED = {"log2": math.log(2), "log10": math.log(10)}
SYMMETRIC = "acos acosh asinh atanh cosh exp expm1 log log1p sinh sqrt tanh"
ODD = ("asinh", "atanh", "sinh", "tanh", "sign", "negative")
# Times that each case is an element of a vector, so that full and last steps of vectorized loops compute it.
COPIES = 3


def number(text: str) -> float:
    """Return a number of the tables; pi has a factor before it and a divisor behind it."""
    if "pi" not in text:
        return float(text)
    before, _, after = text.partition("pi")
    factor = {"": 1.0, "-": -1.0}.get(before) or float(before)
    return factor * math.pi / float(after.removeprefix("/") or 1)


def fits(got: Any, wanted: str, x: tuple[float, ...]) -> bool:
    """Return whether a number is the result of a row, where `x` are the arguments."""
    if wanted in ("true", "false"):
        return bool(got) is (wanted == "true")
    got = float(got)
    if wanted == "nan":
        return math.isnan(got)
    if "*" in wanted:
        size, part = wanted.split("*")
        turned = {"cos": math.cos, "sin": math.sin}[part](x[1])
        return abs(got) == float(size) and math.copysign(1, got) == math.copysign(1, turned)
    if wanted in ("x1", "x2"):
        same = x[int(wanted[1]) - 1]
        return math.isnan(got) if math.isnan(same) else str(got) == str(same)
    if wanted in ("+", "-"):
        return not math.isnan(got) and math.copysign(1, got) == number(wanted + "1")
    if wanted in ("0", "inf"):
        return abs(got) == float(wanted)
    if wanted.startswith("~"):
        got, wanted = abs(got), wanted[1:]
    want = number(wanted)
    if "pi" in wanted:
        return math.isclose(got, want, rel_tol=1e-6)
    return got == want and math.copysign(1, got) == math.copysign(1, want)


@dataclass
class Case:
    """One set of arguments and its results; `signs` and `scale` multiply the parts of the result first."""

    row: str
    x: tuple[float, ...]
    wanted: list[str]
    given: tuple[float, ...]
    signs: tuple[int, int] = (1, 1)
    scale: float = 1.0

    def holds(self, got: Any) -> bool:
        """Return whether a result is right: a number, a bool, or a complex number for two results."""
        if len(self.wanted) == 1:
            return fits(got, self.wanted[0], self.given)
        parts = [float(got.real) * self.signs[0], float(got.imag) * self.signs[1]]
        return all(fits(g * self.scale, w, self.given) for g, w in zip(parts, self.wanted, strict=True))


def rows(table: str, function: str) -> Iterator[tuple[str, list[str], list[str]]]:
    for line in table.strip().splitlines():
        names, conditions, wanted = line.split(" : ")
        if function in names.split():
            yield line, conditions.split(), wanted.split()


def points(conditions: list[str]) -> Iterator[tuple[float, ...]]:
    """Yield the arguments that meet the conditions; one that ends with = is equal to the first."""
    for x in itertools.product(*(POINTS[c.removesuffix("=")] for c in conditions)):
        if all(v == x[0] for v, c in zip(x, conditions, strict=True) if c.endswith("=")):
            yield x


def real_cases(function: str) -> list[Case]:
    return [Case(line, x, wanted, x) for line, c, wanted in rows(REAL, function) for x in points(c)]


def complex_cases(function: str) -> list[Case]:
    """Return the cases of the rows, and those that follow from them by symmetry."""
    origin = TURNED.get(function, "log" if function in SCALED else function)
    found = []
    for line, conditions, wanted in rows(COMPLEX, origin):
        for a, b in points(conditions):
            # The arguments of g, and the signs of the parts of its result.
            variants = [((a, b), (1, 1))]
            if origin in SYMMETRIC.split():
                variants += [((x, -y), (s, -t)) for (x, y), (s, t) in variants]
            if origin in (*ODD, "cosh"):
                odd = -1 if origin in ODD else 1
                variants += [((-x, -y), (odd * s, odd * t)) for (x, y), (s, t) in variants]
            for (x, y), (s, t) in variants:
                z = (y, -x) if function in TURNED else (x, y)
                case = Case(line, z, wanted, (a, b), (s, t), SCALED.get(function, 1.0))
                if function in TURNED and function != "cos":
                    # -i (c + i d) is d - i c.
                    case.wanted, case.signs = wanted[::-1], (t, -s)
                found.append(case)
    return found


def names(table: str) -> list[str]:
    return sorted({name for line in table.strip().splitlines() for name in line.split(" : ")[0].split()})


def results(function: str, cases: list[Case], dtype: str, device: str = "cpu") -> list[tuple[Case, Any]]:
    """Return the results of the cases, which are computed as elements of vectors, several times."""
    x = np.array([c.x for c in cases] * COPIES, PARTS.get(dtype, dtype))
    arguments = [np.ascontiguousarray(part) for part in x.T]
    if dtype in PARTS:
        parts = np.empty(len(x), dtype)
        parts.real, parts.imag = arguments
        arguments = [parts]
    got = to_np(getattr(rl, function)(*(rl.asarray(v, device=device) for v in arguments)).cpu())
    return list(zip(cases * COPIES, got, strict=True))


def wrong(function: str, cases: list[Case], dtype: str, device: str = "cpu") -> list[str]:
    """Return a line for each case that another result than the table's was found for."""
    found = results(function, cases, dtype, device)
    return [f"{function}{c.x} is {g}: {c.row}" for c, g in found if not c.holds(g)]


PARTS = {"complex64": "float32", "complex128": "float64"}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("function", names(REAL))
def test_real_numbers(function: str, dtype: str) -> None:
    assert wrong(function, real_cases(function), dtype) == []


@pytest.mark.parametrize("dtype", PARTS)
@pytest.mark.parametrize("function", [*names(COMPLEX), *TURNED, *SCALED])
def test_complex_numbers(function: str, dtype: str) -> None:
    assert wrong(function, complex_cases(function), dtype) == []


def test_every_elementwise_function_has_rows() -> None:
    elementwise = """
    abs acos acosh add asin asinh atan atan2 atanh ceil conj copysign cos cosh divide equal exp expm1 floor
    floor_divide greater greater_equal hypot imag isfinite isinf isnan less less_equal log log10 log1p log2
    logaddexp logical_and logical_not logical_or logical_xor maximum minimum multiply negative nextafter
    not_equal pow real remainder round sign signbit sin sinh sqrt subtract tan tanh trunc
    """
    assert set(elementwise.split()) == {*names(REAL), *names(COMPLEX), *TURNED, *SCALED}
    parts = "abs acos acosh asinh atanh conj cosh exp expm1 imag isfinite isinf isnan log log1p negative real"
    assert {*parts.split(), "round", "sign", "sinh", "sqrt", "tanh"} == set(names(COMPLEX))


@pytest.mark.parametrize("function", ["add", "subtract"])
def test_parts_of_complex_numbers_are_added_apart(function: str) -> None:
    x = np.array(list(itertools.product(POINTS["any"], POINTS["any"]))).T
    z, w = (np.empty(x.shape[1], np.complex128) for _ in "zw")
    z.real, z.imag = x
    w.real, w.imag = x[::-1]
    got = to_np(getattr(rl, function)(rl.asarray(z), rl.asarray(w)))
    for part, (a, b) in ((got.real, x), (got.imag, x[::-1])):
        want = to_np(getattr(rl, function)(rl.asarray(a), rl.asarray(b)))
        np.testing.assert_array_equal(part, want)
        np.testing.assert_array_equal(np.signbit(part[want == 0]), np.signbit(want[want == 0]))


@pytest.mark.parametrize("function", ["reciprocal", "square"])
def test_functions_that_are_operations(function: str) -> None:
    x = np.array(POINTS["any"])
    one = rl.asarray(x)
    want = rl.divide(1.0, one) if function == "reciprocal" else rl.multiply(one, one)
    np.testing.assert_array_equal(to_np(getattr(rl, function)(one)), to_np(want))
    np.testing.assert_array_equal(np.signbit(to_np(getattr(rl, function)(one))), np.signbit(to_np(want)))


def test_reductions() -> None:
    none = rl.zeros((0,))
    for function in (rl.mean, rl.std, rl.var):
        assert math.isnan(function(none).item())
        assert math.isnan(function(rl.tensor([1.0, math.nan])).item())
    assert math.isnan(rl.var(rl.ones(2), correction=2).item())
    mean = rl.mean(rl.tensor([complex(math.nan, 1), complex(2, 1)])).item()
    assert math.isnan(mean.real)
    assert mean.imag == 1
    assert (rl.sum(none).item(), rl.prod(none).item()) == (0.0, 1.0)
    for function in (rl.max, rl.min, rl.sum, rl.prod):
        assert math.isnan(function(rl.tensor([1.0, math.nan, math.inf])).item())
    assert rl.cumulative_sum(rl.tensor([math.inf, 1.0, -math.inf])).tolist()[:2] == [math.inf, math.inf]
    assert math.isnan(rl.cumulative_prod(rl.tensor([math.inf, 0.0])).tolist()[1])
    low, high, nan = rl.tensor(0.0), rl.tensor(1.0), rl.tensor(math.nan)
    for given in ((nan, low, high), (high, nan, high), (high, low, nan)):
        assert math.isnan(rl.clip(*given).item())


def altered(got: Any) -> Any:
    """Return a wrong result: a number for NaN, NaN for a number, the other truth."""
    if isinstance(got, bool | np.bool_):
        return not got
    if isinstance(got, np.complexfloating):
        return complex(altered(got.real), altered(got.imag))
    return 0.125 if math.isnan(got) else math.nan


@pytest.mark.parametrize("function", sorted({*names(REAL), *names(COMPLEX), *TURNED}))
def test_wrong_values_are_found(function: str) -> None:
    """Each case fails for another value, and where its result has a sign, for the other sign."""
    for make, dtype in ((real_cases, "float64"), (complex_cases, "complex128")):
        cases = make(function)
        if not cases:
            continue
        for case, got in results(function, cases, dtype):
            assert not case.holds(altered(got)), case
            signed = [w[0] in "+-" or "pi" in w[:4] for w in case.wanted]
            if signed[0] and "|" not in case.wanted[0] and "~" not in case.wanted[0]:
                other = complex(-got.real, got.imag) if isinstance(got, np.complexfloating) else -got
                assert not case.holds(other), case


def test_gradients_of_angles_at_the_origin_are_zero() -> None:
    y = rl.tensor([0.0, -0.0, 1.0, 1e-30], dtype=rl.float64, requires_grad=True)
    x = rl.tensor([0.0, -0.0, 0.0, 0.0], dtype=rl.float64, requires_grad=True)
    rl.atan2(y, x).sum().backward()
    assert y.grad is not None
    assert x.grad is not None
    assert y.grad.tolist() == [0.0, 0.0, 0.0, 0.0]
    np.testing.assert_allclose(x.grad.tolist(), [0.0, 0.0, -1.0, -1e30], rtol=1e-15)


def test_gradient_of_a_remainder_by_infinity() -> None:
    """The remainder of 1 by minus infinity is that of the quotient -1, though `floor_divide` gives -0."""
    for dtype in (rl.float16, rl.bfloat16, rl.float32, rl.float64):
        x = rl.tensor([1.0, 1.0, -1.0, 7.0], dtype=dtype, requires_grad=True)
        y = rl.tensor([-rl.inf, rl.inf, rl.inf, 2.0], dtype=dtype, requires_grad=True)
        out = x % y
        assert out.tolist() == [-rl.inf, 1.0, rl.inf, 1.0]
        out.sum().backward()
        assert y.grad is not None
        assert y.grad.tolist() == [1.0, 0.0, 1.0, -3.0]
