"""Elementary functions of complex numbers: NumPy's values, the special values of C's Annex G, and slopes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import rushlight as rl
from compare import to_np

NAMES = ("complex64", "complex128")
# Functions and their slopes.
SLOPES = {
    "exp": lambda z: np.exp(z),
    "expm1": lambda z: np.exp(z),
    "log": lambda z: 1 / z,
    "log1p": lambda z: 1 / (1 + z),
    "log2": lambda z: 1 / (z * np.log(2)),
    "log10": lambda z: 1 / (z * np.log(10)),
    "sqrt": lambda z: 0.5 / np.sqrt(z),
    "sin": lambda z: np.cos(z),
    "cos": lambda z: -np.sin(z),
    "tan": lambda z: 1 / np.cos(z) ** 2,
    "sinh": lambda z: np.cosh(z),
    "cosh": lambda z: np.sinh(z),
    "tanh": lambda z: 1 / np.cosh(z) ** 2,
    "asin": lambda z: 1 / np.sqrt(1 - z * z),
    "acos": lambda z: -1 / np.sqrt(1 - z * z),
    "atan": lambda z: 1 / (1 + z * z),
    "asinh": lambda z: 1 / np.sqrt(1 + z * z),
    "acosh": lambda z: 1 / (np.sqrt(z - 1) * np.sqrt(z + 1)),
    "atanh": lambda z: 1 / (1 - z * z),
}
NUMPYS = {
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
}
EDGES = (0.0, -0.0, 1.0, -1.0, 0.5, -2.0, np.inf, -np.inf, np.nan)


def numpys(function: str, z: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return getattr(np, NUMPYS.get(function, function))(z)


def true_log1p(z: np.ndarray) -> np.ndarray:
    """NumPy adds 1 and loses small numbers."""
    x, y = z.real.astype(np.longdouble), z.imag.astype(np.longdouble)
    near = np.maximum(abs(x), abs(y)) < 0.25
    real = np.where(near, 0.5 * np.log1p(np.where(near, x * (2 + x) + y * y, 0)), np.log(np.hypot(1 + x, y)))
    return (real + 1j * np.arctan2(y, 1 + x)).astype(np.complex128)


def points(name: str) -> np.ndarray:
    """Numbers of all sizes, near the branch points, and on the cuts."""
    rng = np.random.default_rng(3)
    n = 400
    usual = rng.normal(size=n) * 3 + 1j * rng.normal(size=n) * 3
    sizes = 10.0 ** rng.uniform(-30, 30, (2, n)) * rng.choice([-1, 1], (2, n))
    steps = 10.0 ** rng.uniform(-12, -1, (2, n)) * rng.choice([-1, 1], (2, n))
    near = rng.choice([1, -1, 1j, -1j, 0.6 + 0.8j], n) + steps[0] + 1j * steps[1]
    cuts = np.concatenate([rng.normal(size=n) * 3 + 0j, 1j * rng.normal(size=n) * 3])
    cuts.imag[::2] = np.where(cuts.imag[::2] == 0, -0.0, cuts.imag[::2])
    return np.concatenate([usual, sizes[0] + 1j * sizes[1], near, cuts]).astype(name)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("function", SLOPES)
def test_values_are_numpys(function: str, name: str) -> None:
    z = points(name)
    got = to_np(getattr(rl, function)(rl.asarray(z)))
    assert got.dtype == name
    # (NumPy computes complex64 less exactly.)
    wide = z.astype(np.complex128)
    want = true_log1p(wide) if function == "log1p" else numpys(function, wide)
    eps, largest = np.finfo(name).eps, np.finfo(name).max
    fine = np.isfinite(want) & (abs(want) < largest)
    limit = 8 * eps
    error = abs(got.astype(np.complex128)[fine] - want[fine]) / np.maximum(
        abs(want[fine]), np.finfo(name).tiny
    )
    worst = int(np.argmax(error))
    assert error[worst] <= limit, (z[fine][worst], got[fine][worst], want[fine][worst], error[worst] / eps)


def same(got: complex, want: complex, sign_free: tuple[bool, bool]) -> bool:
    def part(g: float, w: float, free: bool) -> bool:
        if np.isnan(w) or np.isnan(g):
            return bool(np.isnan(w) and np.isnan(g))
        if np.signbit(g) != np.signbit(w) and not free:
            return False
        return bool(abs(g) == abs(w) or np.isclose(abs(g), abs(w), rtol=1e-6))

    return part(got.real, want.real, sign_free[0]) and part(got.imag, want.imag, sign_free[1])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("function", SLOPES)
def test_special_values_are_those_of_c(function: str, name: str) -> None:
    z = np.array([complex(a, b) for a, b in itertools.product(EDGES, EDGES)], name)
    got = to_np(getattr(rl, function)(rl.asarray(z)))
    want = numpys(function, z)
    for v, g, w in zip(z, got, want, strict=True):
        if function == "expm1" and np.isposinf(v.real) and (v.imag == 0 or not np.isfinite(v.imag)):
            # As the array API standard; NumPy has NaN in the imaginary part, or both.
            w = complex(np.inf, v.imag if v.imag == 0 else np.nan)
        if function == "expm1" and np.isneginf(v.real) and not np.isfinite(v.imag):
            w = -1 + 0j
        if function == "expm1" and np.isnan(v.real) and v.imag == 0:
            w = complex(v)
        if function == "expm1" and v == 0:
            w = complex(0.0, v.imag)
        # C leaves the signs of zeros and infinities open where the number or its angle is unknown.
        unknown = not (np.isfinite(v.real) and np.isfinite(v.imag))
        assert same(g, w, (unknown, unknown)), (function, v, g, w)


@pytest.mark.parametrize("function", SLOPES)
def test_gradients_are_slopes(function: str) -> None:
    z = np.array([0.3 + 0.4j, -0.7 + 1.5j, 2.5 - 0.25j, -1.5 - 2j])
    upstream = np.array([1, 1j, 2 - 1j, -0.5 + 3j])
    x = rl.tensor(z, requires_grad=True)
    getattr(rl, function)(x).backward(rl.tensor(upstream))
    assert x.grad is not None
    np.testing.assert_allclose(to_np(x.grad), upstream * np.conj(SLOPES[function](z)), rtol=1e-13)


@pytest.mark.parametrize("name", NAMES)
def test_inverse_roots(name: str) -> None:
    z = points(name)[:800]
    got = to_np(rl.rsqrt(rl.asarray(z)))
    np.testing.assert_allclose(
        got, (1 / np.sqrt(z.astype(np.complex128))).astype(name), rtol=8 * np.finfo(name).eps
    )


@pytest.mark.parametrize("name", NAMES)
def test_roots_at_the_ends_of_the_range(name: str) -> None:
    big, tiny = np.finfo(name).max, np.finfo(name).smallest_subnormal
    z = np.array(
        [complex(a, b) for a in (big, -big, tiny, -tiny, 0) for b in (big, -big, tiny, 3 * tiny)], name
    )
    got = to_np(rl.sqrt(rl.asarray(z)))
    want = np.sqrt(z.astype(np.clongdouble)).astype(name)
    np.testing.assert_allclose(got, want, rtol=8 * np.finfo(name).eps)


@pytest.mark.parametrize("name", NAMES)
def test_powers(name: str) -> None:
    z = np.array([1 + 2j, -0.5 + 0.25j, -2, 3j, 0.1 - 4j, 0], name)
    w = np.array([0.5 - 1j, 2 + 1j, 1.5, -0.5j, -2, 2], name)
    x, y = rl.asarray(z), rl.asarray(w)
    eps = np.finfo(name).eps
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(to_np(x**y), z**w, rtol=40 * eps)
        for e in (2, 3, 0, -1, -3, 0.5, 1.5, -0.75, 1 - 0.5j, 150):
            np.testing.assert_allclose(to_np(x[:-1] ** e), z[:-1] ** e, rtol=400 * eps, err_msg=str(e))
            np.testing.assert_allclose(to_np(rl.pow(x[:-1], e)), z[:-1] ** e, rtol=400 * eps)
        np.testing.assert_allclose(to_np(2**x), 2**z, rtol=40 * eps)
    # As NumPy: 1 for the exponent 0, NaN where 0 has no power.
    zero = to_np(rl.zeros(3, dtype=name) ** rl.tensor([0, 1 + 1j, -1], dtype=name))
    assert zero[0] == 1
    assert zero[1] == 0
    assert np.isnan(zero[2].real)
    np.testing.assert_array_equal(to_np(rl.tensor([1j, 2 + 1j], dtype=name) ** 2), [-1, 3 + 4j])


def test_gradients_of_powers() -> None:
    z, w = 1.5 - 0.5j, -0.75 + 2j
    x = rl.tensor([z, 0], dtype=rl.complex128, requires_grad=True)
    y = rl.tensor([w, 2], dtype=rl.complex128, requires_grad=True)
    (x**y).sum().backward(rl.tensor(1 + 0j, dtype=rl.complex128))
    assert x.grad is not None
    assert y.grad is not None
    np.testing.assert_allclose(to_np(x.grad), [np.conj(w * z ** (w - 1)), 0], rtol=1e-13)
    np.testing.assert_allclose(to_np(y.grad), [np.conj(z**w * np.log(z)), 0], rtol=1e-13)
    t = rl.tensor([z], dtype=rl.complex128, requires_grad=True)
    (t**-3).backward(rl.tensor([1 + 0j], dtype=rl.complex128))
    assert t.grad is not None
    np.testing.assert_allclose(to_np(t.grad), [np.conj(-3 * z**-4)], rtol=1e-13)


def drawn(name: str, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.asarray(rng.normal(size=(3, 4)) + 1j * rng.normal(size=(3, 4))).astype(name)


@pytest.mark.parametrize("name", NAMES)
def test_composed_functions_keep_imaginary_parts(name: str) -> None:
    z, w = drawn(name, 1), drawn(name, 2)
    x, y = rl.asarray(z), rl.asarray(w)
    bound = {"rtol": 2e-6 if name == "complex64" else 1e-13}
    for small in (1, 1e-3):
        np.testing.assert_allclose(to_np(rl.sinc(x * small)), np.sinc(z * small), **bound)
    np.testing.assert_allclose(to_np(rl.exp2(x)), np.exp2(z), **bound)
    np.testing.assert_allclose(to_np(rl.ldexp(x, rl.tensor(3))), z * 8, **bound)
    for got, want in zip(rl.gradient(x), np.gradient(z), strict=True):
        np.testing.assert_allclose(to_np(got), want, **bound)
    wide = z.astype(np.complex128) ** w.astype(np.complex128)
    np.testing.assert_allclose(to_np(rl.float_power(x, y)), wide, rtol=1e-13)
    np.testing.assert_allclose(to_np(rl.logaddexp(x, y)), np.log(np.exp(z) + np.exp(w)), **bound)
    assert rl.logaddexp(x, y).dtype == name
    far = rl.logaddexp(rl.tensor([1000 + 1j]), rl.tensor([1000 + 1j]))
    np.testing.assert_allclose(to_np(far), [1000 + np.log(2) + 1j])


def test_composed_functions_of_complex_numbers_have_gradients() -> None:
    x, y = (rl.asarray(drawn("complex128", seed)).requires_grad_() for seed in (3, 4))
    assert rl.autograd.gradcheck(rl.sinc, [x])
    assert rl.autograd.gradcheck(rl.exp2, [x])
    assert rl.autograd.gradcheck(rl.logaddexp, [x, y])


def test_the_angle_of_zero_has_a_gradient_of_zero() -> None:
    z = np.array([0j, 1 + 1j, complex(-0.0, 0.0), complex(-0.0, -0.0)])
    x = rl.asarray(z).requires_grad_()
    angles = rl.angle(x)
    np.testing.assert_array_equal(to_np(angles.detach()), np.angle(z))
    angles.sum().backward()
    assert x.grad is not None
    np.testing.assert_allclose(to_np(x.grad), [0, -0.5 + 0.5j, 0, 0])


def test_functions_of_real_numbers_refuse_complex_ones() -> None:
    x = rl.tensor([1 + 2j])
    for name in ("copysign", "hypot", "logaddexp2", "nextafter", "xlogy"):
        with pytest.raises(TypeError, match=f"^{name}: complex numbers are not supported, got complex64$"):
            getattr(rl, name)(x, x)
    for function, name in (
        (rl.special.xlog1py, "xlog1py"),
        (rl.special.zeta, "zeta"),
        (rl.mvlgamma, "mvlgamma"),
    ):
        with pytest.raises(TypeError, match=f"^{name}: complex numbers are not supported"):
            function(x, 1)


@pytest.mark.parametrize("name", NAMES)
def test_complex_numbers_are_added_at_indices(name: str) -> None:
    a, b, at = drawn(name, 5), drawn(name, 6), np.array([2, 0, 2])
    x, y, i = rl.asarray(a), rl.asarray(b), rl.asarray(at)
    rows = np.zeros_like(a)
    np.add.at(rows, at, b)
    wide = rl.asarray(np.repeat(at[:, None], 4, 1))
    same = {"rtol": 1e-5 if name == "complex64" else 1e-14}
    for got in (
        rl.index_add(x, 0, i, y),
        rl.scatter_add(x, 0, wide, y),
        rl.scatter_reduce(x, 0, wide, y, "sum"),
        rl.index_put(x, (i,), y, accumulate=True),
        rl.asarray(a, copy=True).index_add_(0, i, y),
        rl.asarray(a, copy=True).scatter_add_(0, wide, y),
    ):
        assert got.dtype == name
        np.testing.assert_allclose(to_np(got), a + rows, **same)
    np.testing.assert_allclose(to_np(rl.index_add(x, 0, i, y, alpha=2)), a + 2 * rows, **same)
    np.testing.assert_allclose(to_np(rl.graph.segment_sum(y, i)), rows[[0, 1, 2]], **same)
    mean = rl.scatter_reduce(x, 0, wide, y, "mean", include_self=False)
    np.testing.assert_allclose(to_np(mean)[2], (b[0] + b[2]) / 2, **same)
    np.testing.assert_allclose(to_np(rl.lerp(x, y, 0.25)), a + (b - a) * 0.25, **same)
    np.testing.assert_allclose(to_np(rl.lerp(x, y, rl.tensor(0.25))), a + (b - a) * 0.25, **same)


def test_sums_of_complex_numbers_at_indices_have_gradients() -> None:
    x, y = (rl.asarray(drawn("complex128", seed)).requires_grad_() for seed in (7, 8))
    i = rl.tensor([2, 0, 2])
    assert rl.autograd.gradcheck(lambda x, y: rl.index_add(x, 0, i, y), [x, y])
    assert rl.autograd.gradcheck(lambda y: rl.graph.segment_sum(y, i), [y])
    assert rl.autograd.gradcheck(lambda x, y: rl.lerp(x, y, 0.25), [x, y])


def test_sparse_matrices_of_complex_numbers() -> None:
    where, values = np.array([[0, 1, 1, 2, 0], [2, 0, 0, 1, 2]]), drawn("complex128", 9).ravel()[:5]
    dense = np.zeros((3, 4), complex)
    np.add.at(dense, tuple(where), values)
    x = rl.sparse_coo_tensor(rl.asarray(where), rl.asarray(values), (3, 4))
    np.testing.assert_allclose(to_np(x.to_dense()), dense)
    np.testing.assert_allclose(to_np(x.coalesce().to_dense()), dense)
    np.testing.assert_allclose(to_np(x.to_sparse_csr().to_dense()), dense)
