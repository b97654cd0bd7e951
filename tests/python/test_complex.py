"""Complex numbers: NumPy's values, PyTorch's gradients (computed by hand), dtypes and conversions."""

from __future__ import annotations

import cmath
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from compare import to_np

NAMES = ("complex64", "complex128")
PARTS = {"complex64": "float32", "complex128": "float64"}


def draw(name: str, *shape: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(name)


def near(got: rl.Tensor, want: object, units: float = 4.0) -> None:
    have, want = to_np(got), np.asarray(want)
    assert have.dtype == want.dtype, (have.dtype, want.dtype)
    np.testing.assert_allclose(have, want, rtol=units * np.finfo(have.dtype).eps)


@pytest.mark.parametrize("name", NAMES)
def test_the_inverse_has_numpys_zeros(name: str) -> None:
    a = np.array([0.5, complex(0.5, -0.0), -4, 2j, complex(-0.0, 2), complex(np.inf, 0)], name)
    got = to_np(rl.reciprocal(rl.asarray(a)))
    want = np.reciprocal(a)
    np.testing.assert_array_equal(got, want)
    for part in ("real", "imag"):
        np.testing.assert_array_equal(np.signbit(getattr(got, part)), np.signbit(getattr(want, part)))


@pytest.mark.parametrize("name", NAMES)
def test_arithmetic_has_numpys_values(name: str) -> None:
    a, b = draw(name, 5, 7), draw(name, 5, 7, seed=1)
    x, y = rl.asarray(a), rl.asarray(b)
    # NumPy's own formulas, and so its bits.
    for got, want in ((x + y, a + b), (x - y, a - b), (-x, -a), (rl.conj(x), a.conj()), (x.conj(), a.conj())):
        np.testing.assert_array_equal(to_np(got), want)
    near(x * y, a * b, 16)
    near(x / y, a / b, 16)
    near(x.square(), a * a, 16)
    near(x**2, a * a, 16)
    near(rl.reciprocal(x), 1 / a, 16)
    near(rl.sgn(x), a / abs(a))
    near(abs(x), abs(a))
    near(rl.angle(x), np.angle(a))
    for got, want in ((x.real, a.real), (x.imag, a.imag), (rl.real(x), a.real), (rl.imag(x), a.imag)):
        assert got.dtype == PARTS[name]
        np.testing.assert_array_equal(to_np(got), want)
    # A view with steps, and a broadcast.
    near(x[:, ::2] + y[0, ::2], a[:, ::2] + b[0, ::2])


@pytest.mark.parametrize("name", NAMES)
def test_comparisons_and_tests(name: str) -> None:
    a = np.array([1 + 2j, complex("nan"), complex(float("inf"), float("nan")), 0, 3j], name)
    x = rl.asarray(a)
    np.testing.assert_array_equal(to_np(x == x), a == a)
    np.testing.assert_array_equal(to_np(x != x.conj()), a != a.conj())
    for mine, theirs in ((rl.isnan, np.isnan), (rl.isinf, np.isinf), (rl.isfinite, np.isfinite)):
        np.testing.assert_array_equal(to_np(mine(x)), theirs(a))
    np.testing.assert_array_equal(to_np(rl.logical_not(x)), np.logical_not(a))
    np.testing.assert_array_equal(to_np(rl.logical_and(x, x.conj())), np.logical_and(a, a))
    np.testing.assert_array_equal(to_np(x.bool()), a.astype(bool))
    for order in (rl.less, rl.greater_equal, rl.maximum):
        with pytest.raises(TypeError, match=r"dtype"):
            order(x, x)


@pytest.mark.parametrize("name", NAMES)
def test_reductions_and_products(name: str) -> None:
    a, b = draw(name, 3, 40, 5), draw(name, 3, 5, 4, seed=1)
    x, y = rl.asarray(a), rl.asarray(b)
    for axis in (None, 0, 1, 2, (0, 2)):
        near(x.sum(axis=axis), a.sum(axis=axis), 400)
        near(x.mean(axis=axis), a.mean(axis=axis), 400)
    near(x[:, :6].prod(axis=1), a[:, :6].prod(axis=1), 100)
    near(x @ y, a @ b, 400)
    near(rl.vdot(x[0, :, 0], x[1, :, 1]), np.vdot(a[0, :, 0], a[1, :, 1]), 400)
    np.testing.assert_array_equal(to_np(x[0].mH), a[0].conj().T)
    np.testing.assert_array_equal(to_np(rl.adjoint(x)), a.conj().swapaxes(1, 2))
    with pytest.raises(TypeError, match="dtype"):
        x.max()


@pytest.mark.parametrize("name", NAMES)
def test_truth_and_running_sums(name: str) -> None:
    a = np.array([[0, 1j, complex(0, np.nan)], [0, 0, -0.0], [1, 1 + 2j, -3j]], name)
    x = rl.asarray(a)
    for axis in (None, 0, 1):
        for mine, theirs in ((rl.any, np.any), (rl.all, np.all), (rl.count_nonzero, np.count_nonzero)):
            np.testing.assert_array_equal(to_np(mine(x, axis=axis)), theirs(a, axis=axis))
    assert x.any(dim=1, keepdim=True).shape == (3, 1)
    assert x.all().dtype == rl.bool
    b = draw(name, 4, 7)
    near(rl.cumulative_sum(rl.asarray(b), axis=1), np.cumsum(b, 1), 8)
    near(rl.asarray(b).cumsum(0), np.cumsum(b, 0), 8)
    first = rl.cumulative_sum(rl.asarray(b[0]), include_initial=True)
    near(first, np.concatenate([[0], np.cumsum(b[0])]).astype(name), 8)
    assert rl.cumulative_sum(rl.ones(3), dtype=name).tolist() == [1, 2, 3]
    near(rl.cumulative_prod(rl.asarray(b), axis=1), np.cumprod(b, 1), 60)


@pytest.mark.parametrize("name", NAMES)
def test_sets(name: str) -> None:
    """In NumPy's order: by the real, then by the imaginary part."""
    rng = np.random.default_rng(3)
    a = (rng.integers(-1, 2, (6, 5)) + 1j * rng.integers(-1, 2, (6, 5))).astype(name)
    a[0, :2] = complex(-0.0, 1), complex(0, -0.0)
    found = rl.unique_all(rl.asarray(a))
    want = np.unique(a, return_index=True, return_inverse=True, return_counts=True)
    for mine, theirs in zip(found, want, strict=True):
        np.testing.assert_array_equal(to_np(mine), theirs)
    assert rl.unique_counts(rl.asarray([complex(np.nan), complex(np.nan)])).counts.tolist() == [1, 1]
    b = np.array([1j, -1 - 1j, 7, complex(np.nan)], name)
    np.testing.assert_array_equal(to_np(rl.isin(rl.asarray(a), rl.asarray(b))), np.isin(a, b))
    assert rl.isin(rl.asarray(b), rl.asarray(b), invert=True).tolist() == [False, False, False, True]
    assert rl.isin(rl.asarray(b), 1j).tolist() == [True, False, False, False]


@pytest.mark.parametrize("name", NAMES)
def test_signs_rounding_and_sigmoid(name: str) -> None:
    a = np.append(draw(name, 50) * 3, np.array([0, 2.5 - 3.5j, 300j], name))
    x = rl.asarray(a)
    near(rl.sign(x), np.sign(a), 4)
    np.testing.assert_array_equal(to_np(rl.round(x)), np.round(a))
    near(rl.sigmoid(x), (1 / (1 + np.exp(-a.astype(np.complex128)))).astype(name), 30)
    # Far from 0, where exp(-z) or exp(z) overflows.
    far = rl.sigmoid(rl.tensor([-2000 + 1j, 2000 - 1j, -80 + 1j], dtype=name))
    near(far, np.array([0, 1, np.exp(-80 + 1j)], name), 8)


def test_gradients_of_running_sums_and_sigmoid() -> None:
    z = draw("complex128", 5)
    x = rl.asarray(z).requires_grad_()
    rl.cumulative_sum(x).real.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [5, 4, 3, 2, 1]
    y = rl.asarray(z).requires_grad_()
    y.sigmoid().imag.sum().backward()
    s = 1 / (1 + np.exp(-z))
    assert y.grad is not None
    # The conjugate of the derivative, times i for the imaginary part.
    near(y.grad, np.conj(s * (1 - s)) * 1j, 50)


def test_promotion() -> None:
    single, double = rl.tensor([1j]), rl.tensor([1j], dtype=rl.complex128)
    assert (single.dtype, double.dtype) == (rl.complex64, rl.complex128)
    for other in ("bool", "int64", "float16", "float32"):
        assert (single + rl.ones(1, dtype=other)).dtype == rl.complex64
    assert (single + rl.ones(1, dtype="float64")).dtype == rl.complex128
    assert (single + double).dtype == rl.complex128
    assert rl.result_type(rl.complex64, rl.float64) == rl.complex128
    # A Python number takes the precision of the tensor.
    assert (rl.ones(1) * 2j).dtype == (rl.ones(1, dtype=rl.int32) * 2j).dtype == rl.complex64
    assert (rl.ones(1, dtype=rl.float64) * 2j).dtype == (2j / double).dtype == rl.complex128
    assert (single * 2).dtype == (single + 1.5).dtype == rl.complex64
    assert (rl.tensor([1, 2]) + (1 + 2j)).tolist() == [2 + 2j, 3 + 2j]
    assert ((1 + 2j) - rl.tensor([1.0])).tolist() == [2j]


def test_python_numbers() -> None:
    z = rl.tensor(1 + 2j)
    assert (z.dtype, z.item(), complex(z), bool(z)) == (rl.complex64, 1 + 2j, 1 + 2j, True)
    assert rl.tensor([[1j, 2], [3.5, 4]], dtype=rl.complex128).tolist() == [[1j, 2], [3.5, 4]]
    full = rl.full((2,), 1 - 1j)
    assert (full.dtype, full.tolist()) == (rl.complex64, [1 - 1j, 1 - 1j])
    assert rl.zeros(2, dtype=rl.complex128).tolist() == [0, 0]
    assert rl.ones(1, dtype=rl.complex64).tolist() == [1]
    x = rl.zeros(3, dtype=rl.complex128)
    x[1] = 2 - 1e-9j
    assert x.tolist() == [0, 2 - 1e-9j, 0]
    text = "tensor([1.5-2.j], dtype=complex128, device='cpu')"
    assert repr(rl.tensor([1.5 - 2j], dtype="complex128")) == text
    # NaN has no sign.
    assert repr(rl.tensor([complex(0, float("-nan"))])).startswith("tensor([0.+nanj]")
    assert rl.is_complex(x)
    assert x.is_complex()
    assert rl.complex128.is_complex
    assert not rl.float32.is_complex
    assert not x.is_floating_point()
    with pytest.raises(TypeError, match="complex"):
        rl.tensor([1.0]).fill_(1j)
    assert rl.finfo(rl.complex128).dtype == rl.float64
    assert rl.isdtype(rl.complex128, "complex floating")
    assert (rl.c64, rl.c128, rl.cfloat, rl.cdouble) == (rl.complex64, rl.complex128) * 2


@pytest.mark.parametrize("name", NAMES)
def test_casts(name: str) -> None:
    a = draw(name, 4)
    x = rl.asarray(a)
    np.testing.assert_array_equal(to_np(x.to(PARTS[name])), a.real)
    for other in NAMES:
        np.testing.assert_array_equal(to_np(x.to(other)), a.astype(other))
    whole = rl.asarray(np.arange(4)).to(name)
    np.testing.assert_array_equal(to_np(whole), np.arange(4).astype(name))


@pytest.mark.parametrize("name", NAMES)
def test_parts_and_pairs(name: str) -> None:
    a = draw(name, 2, 3)
    x = rl.asarray(a)
    pairs = rl.view_as_real(x)
    np.testing.assert_array_equal(to_np(pairs), np.stack([a.real, a.imag], -1))
    np.testing.assert_array_equal(to_np(rl.view_as_complex(pairs)), a)
    np.testing.assert_array_equal(to_np(rl.complex(x.real, x.imag)), a)
    near(rl.polar(abs(x), rl.angle(x)), a, 40)
    with pytest.raises(ValueError, match="size 2"):
        rl.view_as_complex(x.real)
    with pytest.raises(TypeError, match="complex"):
        rl.view_as_real(x.real)
    with pytest.raises(TypeError, match="dtype"):
        rl.complex(rl.tensor([1]), rl.tensor([2]))
    with pytest.raises(AttributeError, match="complex"):
        _ = x.real.imag
    assert x.real.real.tolist() == x.real.tolist()


Function = Callable[..., rl.Tensor]


@pytest.mark.parametrize(
    ("function", "slope"),
    [
        # The slope is that of the analytic function; the gradient is the upstream one times its conjugate.
        (lambda z: z * (2 - 1j), lambda z: 2 - 1j),
        (lambda z: (1 + 1j) / z, lambda z: -(1 + 1j) / z**2),
        (lambda z: z.square(), lambda z: 2 * z),
        (lambda z: z * z * z, lambda z: 3 * z**2),
        (lambda z: rl.reciprocal(z), lambda z: -1 / z**2),
        (lambda z: -z, lambda z: -1),
        (lambda z: z - 3, lambda z: 1),
    ],
)
def test_gradients_of_analytic_functions(function: Function, slope: Callable[[complex], complex]) -> None:
    z, upstream = 0.5 - 1.25j, 1 + 0.5j
    x = rl.tensor([z], dtype=rl.complex128, requires_grad=True)
    function(x).backward(rl.tensor([upstream], dtype=rl.complex128))
    assert x.grad is not None
    assert x.grad.dtype == rl.complex128
    want = upstream * complex(slope(z)).conjugate()
    assert cmath.isclose(x.grad.item(), want, rel_tol=1e-14), (x.grad, want)


def test_gradients_of_real_functions() -> None:
    z = 3 - 4j
    for function, want in (
        (lambda x: abs(x), z / 5),
        (lambda x: x.real, 1),
        (lambda x: x.imag, 1j),
        (lambda x: (x * x.conj()).real, 2 * z),
        (lambda x: rl.angle(x), 1j * z / 25),
        (lambda x: rl.view_as_real(x).square().sum(), 2 * z),
        (lambda x: rl.complex(x.real, 2 * x.imag).real + x.imag, 1 + 1j),
        (lambda x: x.astype(rl.float64), 1),
        (lambda x: (rl.tensor([[1j]], dtype=rl.complex128) @ x.reshape((1, 1))).real, -1j),
    ):
        x = rl.tensor([z], dtype=rl.complex128, requires_grad=True)
        function(x).sum().backward()
        assert x.grad is not None
        assert cmath.isclose(x.grad.item(), want, rel_tol=1e-14), (x.grad, want)
    # A real leaf in a complex function has a real gradient.
    r = rl.tensor([2.0], requires_grad=True)
    abs(r * (3 + 4j)).sum().backward()
    assert r.grad is not None
    assert (r.grad.dtype, r.grad.tolist()) == (rl.float32, [5.0])
    x = rl.tensor([0j, 1j], requires_grad=True)
    abs(x).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [0, 1j]


def test_a_complex_result_needs_a_gradient_to_start_from() -> None:
    x = rl.tensor([1 + 1j], requires_grad=True)
    with pytest.raises(RuntimeError, match="complex"):
        x.square().sum().backward()


def test_a_step_of_descent() -> None:
    x = rl.tensor([2 + 2j, -1j], requires_grad=True)
    for _ in range(200):
        loss = (abs(x - (1 - 1j)) ** 2).sum()
        (g,) = rl.autograd.grad(loss, x)
        x = (x - 0.1 * g).detach().requires_grad_()
    near(x.detach(), np.full(2, 1 - 1j, np.complex64), 1e3)


def test_indexing_moves_complex_numbers() -> None:
    for name in NAMES:
        a = draw(name, 4, 6)
        x = rl.asarray(a)
        i = np.array([[2, 0, 3, 1, 1, 0]])
        np.testing.assert_array_equal(to_np(rl.gather(x, 0, rl.asarray(i))), np.take_along_axis(a, i, 0))
        chosen = rl.where(rl.asarray(a.real > 0), x, -x)
        np.testing.assert_array_equal(to_np(chosen), np.where(a.real > 0, a, -a))
        np.testing.assert_array_equal(to_np(rl.flip(x.mT, axis=0)), a.T[::-1])
        np.testing.assert_array_equal(to_np(rl.concat([x, x[:1]])), np.concatenate([a, a[:1]]))
        np.testing.assert_array_equal(to_np(rl.tril(x)), np.tril(a))
        np.testing.assert_array_equal(to_np(x[rl.asarray([3, 3])]), a[[3, 3]])
        leaf = x.detach().requires_grad_()
        leaf[rl.asarray([3, 3])].backward(rl.asarray(a[:2]))
        assert leaf.grad is not None
        near(leaf.grad[3], a[0] + a[1])


def test_exchange_and_files(tmp_path: Path) -> None:
    for name in NAMES:
        a = draw(name, 3, 2)
        x = rl.asarray(a)
        assert x.dtype == name
        a[0, 0] = 5
        assert x[0, 0].item() == 5, "the memory is shared"
        np.testing.assert_array_equal(np.from_dlpack(x), a)
        np.testing.assert_array_equal(to_np(rl.from_dlpack(a)), a)
        np.testing.assert_array_equal(to_np(pickle.loads(pickle.dumps(x))), a)
        rl.save(tmp_path / "x.npy", x)
        np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), a)
        np.testing.assert_array_equal(to_np(rl.load(tmp_path / "x.npy")), a)
        rl.save({"x": x}, tmp_path / "x.pt")
        np.testing.assert_array_equal(to_np(rl.load(tmp_path / "x.pt")["x"]), a)
    rl.save_file({"x": rl.tensor([1j])}, tmp_path / "x.safetensors")
    assert rl.load_file(tmp_path / "x.safetensors")["x"].tolist() == [1j]
    with pytest.raises(ValueError, match="complex128"):
        rl.save_file({"x": rl.zeros(1, dtype=rl.complex128)}, tmp_path / "y.safetensors")
    assert not (tmp_path / "y.safetensors").exists()


def test_composed_functions_keep_both_parts() -> None:
    z = np.array([1 + 1j, 2 - 3j, -1 + 0.5j])
    x = rl.asarray(z)
    near(rl.cumulative_prod(x), np.cumprod(z))
    near(rl.cov(rl.stack([x, x * 2j])), np.cov(np.stack([z, z * 2j])), 8)
    holes = rl.tensor([complex(np.nan, 1), complex(2, np.inf)], dtype=rl.complex128)
    assert rl.nan_to_num(holes, posinf=7.0).tolist() == [1j, 2 + 7j]


@pytest.mark.parametrize("name", NAMES)
def test_spreads_are_real(name: str) -> None:
    z = draw(name, 5, 4)
    x = rl.asarray(z)
    for axis in (None, 0, (0, 1)):
        for correction in (0, 1):
            near(rl.var(x, axis=axis, correction=correction), np.var(z, axis=axis, ddof=correction))
            near(rl.std(x, axis=axis, correction=correction), np.std(z, axis=axis, ddof=correction))
    near(x.std(axis=1, keepdims=True), np.std(z, axis=1, keepdims=True))
    spread, middle = rl.var_mean(x, 1, correction=0)
    near(spread, np.var(z, axis=1))
    near(middle, np.mean(z, axis=1), 16)
    assert rl.std(rl.asarray(np.full(3, 0.1 + 0.7j).astype(name))).item() == 0
    assert np.isnan(rl.var(rl.zeros(0, dtype=getattr(rl, name))).item())


def test_gradients_of_spreads_and_sums_of_exponentials() -> None:
    z = rl.asarray(draw("complex128", 4, 3, seed=3)).requires_grad_()
    for call in (
        lambda z: rl.var(z, axis=0),
        lambda z: rl.std(z, axis=1, correction=1),
        lambda z: rl.logsumexp(z, 1),
    ):
        assert rl.autograd.gradcheck(call, z)


def test_gradcheck_compares_both_parts() -> None:
    class Square(rl.autograd.Function):
        """The square with the gradient ``g * 2 z``, which is right for real numbers alone."""

        @staticmethod
        def forward(ctx: Any, z: rl.Tensor) -> rl.Tensor:
            ctx.save_for_backward(z)
            return z * z

        @staticmethod
        def backward(ctx: Any, g: rl.Tensor) -> rl.Tensor:
            return g * 2 * ctx.saved_tensors[0]

    z = rl.tensor([1 + 2j, 3 - 1j], dtype=rl.complex128, requires_grad=True)
    assert rl.autograd.gradcheck(lambda z: z * z, z)
    with pytest.raises(rl.autograd.GradcheckError, match="output 0 by element 0"):
        rl.autograd.gradcheck(Square.apply, z)
    assert not rl.autograd.gradcheck(lambda z: Square.apply(z).real, z, raise_exception=False)


@pytest.mark.parametrize("name", NAMES)
def test_logsumexp_of_large_numbers(name: str) -> None:
    z = draw(name, 4, 3)
    near(rl.logsumexp(rl.asarray(z), 1), np.log(np.sum(np.exp(z), axis=1)), 16)
    near(rl.logsumexp(rl.asarray(z) + 1000, 0), np.log(np.sum(np.exp(z), axis=0)) + 1000, 4)
    lost = rl.logsumexp(rl.tensor([complex(-np.inf, 0)] * 2, dtype=getattr(rl, name)), 0)
    assert lost.real.item() == -np.inf


@pytest.mark.parametrize("name", NAMES)
def test_added_products(name: str) -> None:
    c, a, b = draw(name, 2), draw(name, 2, 3, seed=1), draw(name, 3, 2, seed=2)
    x, y, z = rl.asarray(c), rl.asarray(a), rl.asarray(b)
    near(rl.addmm(x, y, z), c + a @ b, 16)
    near(x.addmm(y, z, beta=0.5, alpha=-2.0), 0.5 * c - 2 * (a @ b), 16)
    near(rl.addmm(x * np.nan, y, z, beta=0), a @ b, 16)
    near(rl.baddbmm(x, y[None], z[None], beta=2, alpha=3), 2 * c + 3 * (a @ b)[None], 16)
    near(rl.addmv(x, y, z[:, 0]), c + a @ b[:, 0], 16)
    with pytest.raises(ValueError, match="shape mismatch in matmul"):
        rl.addmm(x, y, y)
    if name == "complex128":
        leaves = [rl.asarray(v).requires_grad_() for v in (c, a, b)]
        assert rl.autograd.gradcheck(lambda *v: rl.addmm(*v, beta=2.0, alpha=3.0), leaves)


def test_power_zero_stays_in_the_graph() -> None:
    z = rl.tensor([1 + 2j, 0j, complex(np.nan, 1)], requires_grad=True)
    out = z**0
    assert out.tolist() == [1, 1, 1]
    out.real.sum().backward()
    assert z.grad is not None
    assert z.grad.tolist() == [0, 0, 0]


def test_convolutions_refuse_complex_numbers() -> None:
    x = rl.ones((1, 1, 4), dtype=rl.complex64)
    with pytest.raises(TypeError, match="unsupported dtype complex64 for op conv1d"):
        rl.nn.functional.conv1d(x, x)


def test_complex_numbers_are_drawn_and_spaced() -> None:
    got = rl.linspace(1 - 2j, 3 + 4j, 5)
    assert got.dtype == rl.complex64
    np.testing.assert_allclose(got.numpy(), np.linspace(1 - 2j, 3 + 4j, 5), rtol=1e-6)
    got = rl.linspace(0, 2j, 4, endpoint=False, dtype=rl.complex128)
    np.testing.assert_allclose(got.numpy(), np.linspace(0, 2j, 4, endpoint=False), rtol=1e-15)
    with pytest.raises(TypeError, match="linspace: complex ends need a complex dtype, not float32"):
        rl.linspace(0, 1j, 3, dtype=rl.float32)
    rl.manual_seed(1)
    for dtype in (rl.complex64, rl.complex128):
        x = rl.randn(20000, dtype=dtype)
        assert x.dtype == dtype
        z = x.numpy()
        # Of 20,000 numbers, means have a deviation of 0.005 for a part and 0.007 for a square.
        assert abs(z.mean()) < 0.04
        assert abs((z.real**2).mean() - 0.5) < 0.04
        assert abs((z.imag**2).mean() - 0.5) < 0.04
        assert abs((z.real * z.imag).mean()) < 0.03
        u = rl.rand((4, 5), dtype=dtype).numpy()
        assert u.shape == (4, 5)
        assert ((u.real >= 0) & (u.real < 1) & (u.imag >= 0) & (u.imag < 1)).all()
