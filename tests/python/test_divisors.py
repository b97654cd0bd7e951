"""`gcd`, `lcm` and `frexp`: NumPy's results for all dtypes."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rushlight as rl

RNG = np.random.default_rng(12)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"])
@pytest.mark.parametrize("name", ["gcd", "lcm"])
def test_divisors(name: str, dtype: str) -> None:
    info = np.iinfo(dtype)
    ends = np.array([0, 1, 2, 6, info.max, info.max - 1, info.min, info.min + 1], dtype)
    a, b = ends[:, None], ends[None]
    drawn = RNG.integers(info.min, info.max, 200, dtype, endpoint=True)
    small = RNG.integers(0, 100, 200).astype(dtype)
    for x, y in ((a, b), (drawn, drawn[::-1].copy()), (drawn, small), (small, small[::-1].copy())):
        with np.errstate(all="ignore"):
            want = getattr(np, name)(x, y)
        got = getattr(rl, name)(rl.asarray(x), rl.asarray(y))
        assert got.dtype == getattr(rl, dtype)
        np.testing.assert_array_equal(got.numpy(), want)


def test_divisors_of_numbers_and_in_place() -> None:
    x = rl.tensor([12, 18, -7])
    assert x.gcd(rl.tensor([8])).tolist() == [4, 2, 1]
    assert rl.gcd(x, 4).tolist() == [4, 2, 1]
    assert rl.lcm(4, x).tolist() == [12, 36, 28]
    assert x.lcm_(rl.tensor([8])).tolist() == [24, 72, 56]
    assert x.gcd_(rl.tensor([9])) is x
    assert x.tolist() == [3, 9, 1]
    assert rl.gcd(rl.zeros((2, 0), dtype=rl.int32), 3).shape == (2, 0)
    # Neighbours of the Fibonacci sequence take the most steps.
    assert rl.gcd(rl.tensor([7540113804746346429]), rl.tensor([4660046610375530309])).tolist() == [1]


@pytest.mark.parametrize("name", ["gcd", "lcm"])
def test_errors(name: str) -> None:
    function = getattr(rl, name)
    with pytest.raises(TypeError, match=f"^{name}: expected integers, got float32"):
        function(rl.ones(2), rl.ones(2))
    with pytest.raises(TypeError, match=f"^{name}: expected integers, got bool"):
        function(rl.tensor([True]), rl.tensor([True]))
    with pytest.raises(TypeError, match="expected a tensor, got the numbers"):
        function(4, 6)
    with pytest.raises(ValueError, match="do not stretch to one shape"):
        function(rl.ones(2, dtype=rl.int64), rl.ones(3, dtype=rl.int64))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_mantissas_and_exponents(dtype: str) -> None:
    info = np.finfo(dtype)
    low, high = int(np.log2(float(info.smallest_subnormal))), int(info.maxexp)
    powers = np.ldexp(1.0, np.arange(low, high)).astype(dtype)
    drawn = RNG.uniform(0.5, 1, powers.size).astype(dtype) * powers
    edges = np.array([0, -0.0, info.max, info.smallest_subnormal, info.smallest_normal], dtype)
    near = np.concatenate([np.nextafter(powers, np.array(0, dtype)), np.nextafter(powers[:-1], info.max)])
    for x in (powers, drawn, -drawn, edges, near.astype(dtype)):
        mantissa, exponent = rl.frexp(rl.asarray(x))
        want = np.frexp(x)
        assert exponent.dtype == rl.int32
        np.testing.assert_array_equal(mantissa.numpy(), want[0])
        np.testing.assert_array_equal(np.signbit(mantissa.numpy()), np.signbit(want[0]))
        np.testing.assert_array_equal(exponent.numpy(), want[1])
    found = rl.tensor([math.inf, -math.inf, math.nan], dtype=getattr(rl, dtype)).frexp()
    np.testing.assert_array_equal(found.mantissa.tolist(), [math.inf, -math.inf, math.nan])
    assert found.exponent.tolist() == [0, 0, 0]


def test_frexp_of_other_dtypes_and_its_gradient() -> None:
    found = rl.frexp(rl.tensor([6, -1]))
    assert (found.mantissa.tolist(), found.exponent.tolist()) == ([0.75, -0.5], [3, 1])
    assert rl.frexp(rl.tensor([3.0], dtype=rl.bfloat16)).mantissa.dtype == rl.bfloat16
    x = rl.tensor([6.0, 0.125, 0.0], requires_grad=True)
    rl.frexp(x).mantissa.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [2**-3, 2**2, 1.0]
    with pytest.raises(TypeError, match=r"^frexp: complex numbers are not supported"):
        rl.frexp(rl.tensor([1j]))
