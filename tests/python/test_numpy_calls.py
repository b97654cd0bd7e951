"""NumPy's own functions called on tensors, and reductions called as NumPy and PyTorch users write them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import rushlight as rl

A = np.arange(12.0).reshape(3, 4) ** 1.5


@pytest.mark.parametrize(
    "name", ["sum", "mean", "max", "min", "std", "var", "prod", "any", "all", "argmax", "argmin"]
)
def test_numpy_functions_take_tensors(name: str) -> None:
    call = getattr(np, name)
    x = rl.asarray(A)
    for kwargs in ({}, {"axis": 0}, {"axis": 1, "keepdims": True}):
        got = call(x, **kwargs)
        assert isinstance(got, rl.Tensor)
        np.testing.assert_allclose(got.numpy(), call(A, **kwargs), rtol=1e-12)


def test_numpy_functions_pass_their_options() -> None:
    x = rl.asarray(A.astype(np.float32))
    assert np.sum(x, dtype=rl.float64).dtype == rl.float64
    assert np.mean(x, dtype=rl.float64).dtype == rl.float64
    np.testing.assert_allclose(np.std(x, ddof=1).item(), np.std(A, ddof=1), rtol=1e-6)
    np.testing.assert_allclose(np.var(x, axis=0, correction=1).numpy(), np.var(A, axis=0, ddof=1), rtol=1e-5)
    with pytest.raises(TypeError, match="out"):
        np.sum(x, out=rl.zeros(()))
    with pytest.raises(TypeError, match="one parameter"):
        x.std(correction=1, ddof=1)


def test_axes_by_position() -> None:
    """`sum(x, 0)` as in NumPy and PyTorch, and a hint where several axes are given one by one."""
    x = rl.asarray(A)
    for name in ("sum", "mean", "max", "std", "prod", "any", "argmax", "logsumexp"):
        call = getattr(rl, name)
        if name != "max":  # by position PyTorch's max returns a pair: tests/python/test_pairs.py
            assert call(x, 1).shape == (3,)
        if name not in ("max", "std"):  # as for PyTorch's second argument of std
            assert call(x, 1, True).shape == (3, 1)
        assert call(x, axis=1, keepdims=True).shape == (3, 1)
    np.testing.assert_array_equal(rl.flip(x, 0).numpy(), np.flip(A, 0))
    np.testing.assert_array_equal(rl.sort(x, axis=0, descending=True).numpy(), -np.sort(-A, 0))
    np.testing.assert_array_equal(rl.argsort(x, 0).numpy(), np.argsort(A, 0))
    np.testing.assert_array_equal(rl.cumulative_sum(x, 1).numpy(), np.cumsum(A, 1))
    np.testing.assert_array_equal(rl.take(x, rl.asarray([1]), 0).numpy(), np.take(A, [1], 0))
    np.testing.assert_array_equal(rl.roll(x, 1, 0).numpy(), np.roll(A, 1, 0))
    np.testing.assert_array_equal(rl.repeat(x, 2, 0).numpy(), np.repeat(A, 2, 0))
    assert rl.count_nonzero(x, 0).tolist() == np.count_nonzero(A, 0).tolist()
    for call in (lambda: x.sum(0, 1), lambda: rl.max(x, 0, 1), lambda: x.std(0, 1)):
        with pytest.raises(TypeError, match=r"keepdims.*axis=\(0, 1\)"):
            call()


def test_gradient_of_the_deviation_of_equal_numbers_is_0() -> None:
    """As in PyTorch, the gradient is 0 where the derivative of the root is not defined."""
    x = rl.full((2, 3), 5.0, requires_grad=True)
    x.std(1).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [[0.0] * 3] * 2
    y = rl.tensor([[1.0, 1.0], [1.0, 3.0]], requires_grad=True)
    y.std(1).sum().backward()
    assert y.grad is not None
    assert y.grad.tolist() == [[0.0, 0.0], [-0.5, 0.5]]
    z = rl.full((4,), 2.0, requires_grad=True)
    z.var().backward()
    assert z.grad is not None
    assert z.grad.tolist() == [0.0] * 4
    assert rl.std(rl.tensor([1.0, rl.nan])).isnan().item()


SCALARS = [
    np.bool_(True), np.int8(2), np.int64(2), np.uint8(2), np.float16(2), np.float32(2), np.float64(2),
    np.longdouble(2),
]  # fmt: skip


@pytest.mark.parametrize("scalar", SCALARS, ids=lambda s: type(s).__name__)
def test_a_scalar_of_numpy_is_a_number_of_its_kind(scalar: Any) -> None:
    """As in PyTorch, a NumPy scalar does not widen the tensor's dtype, and moves to the tensor's device."""
    number = scalar.item() if not isinstance(scalar, np.longdouble) else float(scalar)
    for name in ("uint8", "int32", "float16", "float32", "float64", "bfloat16"):
        for device in ("cpu", "test:3"):
            x = rl.ones(3, dtype=name, device=device)
            calls: list[Any] = [
                lambda s, x=x: x * s,
                lambda s, x=x: x + s,
                lambda s, x=x: x == s,
                lambda s, x=x: rl.where(x == 1, x, s),
                lambda s, x=x: rl.maximum(x, s),
                lambda s, x=x: rl.clip(x, s, s),
                lambda s, x=x: s * x,
                lambda s, x=x: s - x * 3,
                lambda s, x=x: s <= x,
            ]
            for call in calls:
                got, want = call(scalar), call(number)
                assert (got.dtype, got.device, got.tolist()) == (want.dtype, want.device, want.tolist())
            assert rl.result_type(x, scalar) == rl.result_type(x, number)
    t = rl.zeros(2)
    t[0] = scalar
    t.fill_(scalar)
    assert t.tolist() == [float(scalar)] * 2


def test_a_scalar_of_numpy_keeps_its_dtype_in_a_new_tensor() -> None:
    """As in PyTorch: without another tensor the scalar's own dtype counts."""
    for scalar in SCALARS[:-1]:
        name = scalar.dtype.name
        assert rl.tensor(scalar).dtype == rl.asarray(scalar).dtype == rl.dtype(name)
        assert rl.tensor([scalar, scalar]).dtype == rl.dtype(name)
        assert rl.tensor([[scalar], [scalar]], dtype="float32").tolist() == [[float(scalar)]] * 2
    assert rl.tensor([1.5, np.float64(2)]).dtype == rl.float64
    assert rl.tensor([1, np.int8(2)]).dtype == rl.int64
    assert rl.tensor([np.int8(1), np.uint8(2)]).dtype == rl.int16
    assert rl.tensor([np.float64(0.1)]).item() == 0.1
    assert rl.full((2,), np.float64(1)).dtype == rl.float32
    with pytest.raises(TypeError, match=r"longdouble|float128"):
        rl.tensor(SCALARS[-1])
    for name in ("complex64", "complex128"):
        assert rl.tensor(np.dtype(name).type(1j)).dtype == name


def test_an_array_changes_in_place() -> None:
    """`array += tensor` changes the array and does not rebind the name to a new tensor."""
    a = np.ones((2, 3), np.float32)
    b = a
    a += rl.ones(3)
    a *= rl.full((2, 1), 3.0)
    a -= rl.tensor(1.0)
    assert a is b
    assert a.tolist() == [[5.0] * 3] * 2
    c = np.arange(3)
    c <<= rl.tensor([1, 1, 1])
    assert c.tolist() == [0, 2, 4]
    with pytest.raises(TypeError, match="float"):
        c += rl.tensor([0.5, 0.5, 0.5])
    with pytest.raises(RuntimeError, match="requires a gradient"):
        a += rl.ones(3, requires_grad=True)
    with pytest.raises(TypeError, match="not on the CPU"):
        a += rl.ones(3, device="test:1")
    with pytest.raises(ValueError, match="broadcast"):
        a += rl.ones(4)
    assert b.tolist() == [[5.0] * 3] * 2


def test_numpys_operators_give_tensors_and_its_functions_arrays() -> None:
    a, t = np.array([1.0, 4.0]), rl.tensor([2.0, 2.0], dtype="float64")
    both = [
        (a + t, [3, 6]), (a - t, [-1, 2]), (a * t, [2, 8]), (a / t, [0.5, 2]), (a // t, [0, 2]),
        (a % t, [1, 0]), (a**t, [1, 16]), (a @ t, 10), (a < t, [True, False]), (a >= t, [False, True]),
        (a == t, [False, False]), (a != t, [True, True]), (np.add(a, t), [3, 6]), (np.add(t, a), [3, 6]),
    ]  # fmt: skip
    for got, want in both:
        assert isinstance(got, rl.Tensor)
        assert got.tolist() == want
    for got in (np.sqrt(t), np.hypot(a, t), np.add.reduce(t), np.add.outer(a, t)):
        assert not isinstance(got, rl.Tensor)
    x = rl.ones(2, requires_grad=True)
    (np.array([1.0, 2.0], np.float32) * x).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [1.0, 2.0]
    with pytest.raises(TypeError, match="out is a Tensor"):
        np.add(a, a, out=t)


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64", "int32", "uint8"])
def test_a_stretched_element_reduces_like_its_copies(name: str) -> None:
    """The result has the same bits as with copies, and takes constant time."""
    x = rl.tensor([0.1, 3.7] if "float" in name else [3, 5], dtype=name)
    for n in (1024, 1025, 2047, 5000, 2**20, 2**20 + 1, 2**20 + 1024 * 7 + 5, 3 * 2**20 - 1):
        far, near = x[:1].expand(n), x[:1].expand(n).contiguous()
        rows = x.reshape((2, 1)).expand(2, n)
        for op in (rl.sum, rl.prod, rl.max, rl.min, rl.any, rl.all, rl.argmax, rl.argmin):
            assert op(far).tolist() == op(near).tolist(), (op, n)
        assert rl.sum(rows, axis=1).tolist() == rl.sum(rows.contiguous(), axis=1).tolist(), n
        if "float" in name:
            assert rl.mean(far).tolist() == rl.mean(near).tolist(), n


def test_a_reduction_of_2_to_the_36_copies_ends() -> None:
    x = rl.ones(1).expand(2**36)
    assert x.sum().item() == 2.0**36
    assert x.mean().item() == x.max().item() == 1.0
    assert rl.tensor([3]).expand(2**36).sum().item() == 3 * 2**36
    assert rl.tensor([rl.nan]).expand(2**36).argmax().item() == 0
    rows = rl.tensor([[1.0], [2.0]]).expand(2, 2**36)
    assert rows.sum(axis=1).tolist() == [2.0**36, 2.0**37]


def test_einsum_takes_diagonals() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.standard_normal((3, 3)), rng.standard_normal((3, 3, 2, 3))
    c = rng.standard_normal((2, 4))
    cases: list[tuple[str, list[Any]]] = [
        ("ii", [a]), ("ii->i", [a]), ("ii->", [a]), ("iijk->jk", [b]), ("iiji->ij", [b]), ("iiji", [b]),
        ("ii,ij->j", [a, a]), ("iiji,jk->ki", [b, c]), ("ii,jj->ij", [a, a]),
    ]  # fmt: skip
    for equation, operands in cases:
        got = rl.einsum(equation, *[rl.asarray(o) for o in operands])
        np.testing.assert_allclose(got.numpy(), np.einsum(equation, *operands), rtol=1e-12, atol=1e-12)
    x = rl.asarray(a).requires_grad_()
    rl.einsum("ii", x).backward()
    assert x.grad is not None
    assert x.grad.tolist() == np.eye(3).tolist()
    with pytest.raises(ValueError, match="axis 'i' has sizes"):
        rl.einsum("ii", rl.ones((2, 3)))


def test_axis_and_dim_are_one_parameter() -> None:
    x = rl.asarray(A)
    functions: dict[str, Any] = {
        **{n: getattr(rl, n) for n in ("sum", "mean", "max", "prod", "any", "argmax", "std", "logsumexp")},
        **{n: getattr(rl, n) for n in ("softmax", "log_softmax", "sort", "argsort", "flip", "count_nonzero")},
        **{n: getattr(rl, n) for n in ("cumulative_sum", "cumulative_prod", "diff", "cumsum")},
        "take": lambda x, **k: rl.take(x, rl.tensor([1]), **k),
        "take_along_axis": lambda x, **k: rl.take_along_axis(x, rl.tensor([[1]]), **k),
        "roll": lambda x, **k: rl.roll(x, 1, **k),
        "repeat": lambda x, **k: rl.repeat(x, 2, **k),
        "F.softmax": rl.functional.softmax,
        "F.log_softmax": rl.functional.log_softmax,
        "x.softmax": lambda x, **k: x.softmax(**k),
        "concat": lambda x, **k: rl.concat([x, x], **k),
        "stack": lambda x, **k: rl.stack([x, x], **k),
        "cat": lambda x, **k: rl.cat([x, x], **k),
        "split": lambda x, **k: rl.split(x, 1, **k)[0],
        "chunk": lambda x, **k: rl.chunk(x, 2, **k)[0],
        "unstack": lambda x, **k: rl.unstack(x, **k)[0],
        "squeeze": lambda x, **k: rl.squeeze(x[:1, :1], **k),
        "expand_dims": rl.expand_dims,
    }
    for name, call in functions.items():
        for place in (0, 1):
            by_dim = call(x, dim=place)
            if name in ("max", "sort"):  # these return PyTorch's pair
                by_dim = by_dim.values
            assert call(x, axis=place).tolist() == by_dim.tolist(), name
        with pytest.raises(TypeError, match=r"one parameter|two values"):
            call(x, axis=1, dim=1)
    with pytest.raises(TypeError, match=r"softmax.*misses.*dim"):
        rl.softmax(x)


def test_nonzero_of_an_empty_tensor() -> None:
    """As in NumPy: an error over an empty axis, an empty result over another axis."""
    for name in ("argmin", "argmax"):
        for shape in ((0, 3), (0,), (2, 0)):
            empty = np.ones(shape)
            for axis in (None, *range(len(shape))):
                call = getattr(np, name)
                try:
                    want = call(empty, axis=axis).tolist()
                except ValueError:
                    with pytest.raises(ValueError, match=name):
                        getattr(rl, name)(rl.asarray(empty), axis=axis)
                else:
                    assert getattr(rl, name)(rl.asarray(empty), axis=axis).tolist() == want


def test_gelu_is_one_function() -> None:
    """As in PyTorch, gelu is exact, or the tanh variant on request, under every name."""
    x = rl.linspace(-3, 3, 13)
    exact = [0.5 * v * (1 + math.erf(v / math.sqrt(2))) for v in x.tolist()]
    tanh = [0.5 * v * (1 + math.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3))) for v in x.tolist()]
    for call in (rl.gelu, rl.Tensor.gelu, rl.functional.gelu, lambda x, *a: rl.nn.GELU(*a)(x)):
        np.testing.assert_allclose(call(x).numpy(), exact, atol=2e-6)
        np.testing.assert_allclose(call(x, "none").numpy(), exact, atol=2e-6)
        np.testing.assert_allclose(call(x, "tanh").numpy(), tanh, atol=2e-6)
    assert np.max(np.abs(np.array(exact) - np.array(tanh))) > 1e-4
    np.testing.assert_array_equal(rl.gelu_tanh(x).numpy(), rl.gelu(x, "tanh").numpy())
    np.testing.assert_array_equal(rl.gelu_erf(x).numpy(), rl.gelu(x, approximate="none").numpy())


@pytest.mark.parametrize("shape", [(5,), (2, 5), (2, 3, 5), (0, 3, 5)])
@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_linear_of_half_floats_rounds_once(name: str, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(5)
    x, w = rl.asarray(rng.standard_normal(shape)).to(name), rl.asarray(rng.standard_normal((4, 5))).to(name)
    # The sums are near 0, so that a rounding of the product before the sum would show.
    exact = x.double() @ w.mT.double()
    bias = -exact.reshape((-1, 4))[0].to(name) if exact.size else rl.zeros(4, dtype=name)
    got = rl.functional.linear(x, w, bias)
    assert got.shape == (*shape[:-1], 4)
    want = (exact + bias.double()).float()
    step = 2.0**-11 if name == "float16" else 2.0**-8
    limit = 1.01 * step * rl.abs(want) + 4e-6
    assert rl.all(rl.abs(got.float() - want) <= limit).item()
