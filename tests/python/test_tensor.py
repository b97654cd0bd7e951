"""The class `Tensor`: properties, operators, promotion, gradients, and Python's protocols."""

from __future__ import annotations

import inspect
import itertools
import os
import signal
import threading
import time
from typing import Any

import numpy as np
import pytest

import rushlight as rl

DTYPES = [rl.bool, *(getattr(rl, f"{s}int{b}") for s in ("", "u") for b in (8, 16, 32, 64))]
FLOATS = [rl.bfloat16, rl.float16, rl.float32, rl.float64]


def test_properties() -> None:
    """Shape, dtype and sizes."""
    t = rl.zeros(2, 3, dtype=rl.float16)
    assert (t.shape, t.ndim, t.size, t.itemsize, t.nbytes) == ((2, 3), 2, 6, 2, 12)
    assert t.dtype == rl.float16 == rl.f16
    assert str(t.device) == "cpu"
    assert t.device == rl.Device("cpu")
    assert t.T.shape == (3, 2)
    assert rl.zeros(2, 3, 4).mT.shape == (2, 4, 3)
    with pytest.raises(ValueError, match="rank 3"):
        rl.zeros(2, 3, 4).T  # noqa: B018
    assert t.__array_namespace__() is rl
    assert t.__array_priority__ == 1000


@pytest.mark.parametrize(
    ("data", "dtype", "shape"),
    [
        (1, "int64", ()),
        (1.0, "float32", ()),
        (True, "bool", ()),
        (1j, "complex64", ()),
        ([1, 2.5], "float32", (2,)),
        ([True, 2], "int64", (2,)),
        ([[1, 2], [3, 4]], "int64", (2, 2)),
        (((1.0,), (2.0,)), "float32", (2, 1)),
        ([], "float32", (0,)),
        ([[], []], "float32", (2, 0)),
        (range(3), "int64", (3,)),
        ([2**63], "uint64", (1,)),
        ([np.float64(1), np.float32(2)], "float64", (2,)),
        ([rl.ones(2), rl.zeros(2)], "float32", (2, 2)),
        ([np.arange(2), np.arange(2.0)], "float64", (2, 2)),
        ([rl.tensor(1), rl.tensor(2)], "int64", (2,)),
    ],
    ids=repr,
)
def test_from_data(data: Any, dtype: str, shape: tuple[int, ...]) -> None:
    """Nested sequences of numbers, arrays and tensors become tensors of the expected dtype."""
    t = rl.tensor(data)
    assert (t.dtype.name, t.shape) == (dtype, shape)


@pytest.mark.parametrize(
    ("data", "dtype", "error"),
    [
        ([[1], [2, 3]], None, ValueError),
        ([1, [2]], None, ValueError),
        ([[1], 2], None, ValueError),
        ("text", None, TypeError),
        pytest.param(object(), None, TypeError, id="object"),
        ([None], None, TypeError),
        (300, "uint8", OverflowError),
        (-1, "uint64", OverflowError),
        ([1, 2**64], None, OverflowError),
        (2**200, None, OverflowError),
        (1j, "float32", TypeError),
        (1, "float31", TypeError),
    ],
    ids=repr,
)
def test_bad_data(data: Any, dtype: str | None, error: type[Exception]) -> None:
    """Data that cannot become a tensor is an error of the right class."""
    with pytest.raises(error):
        rl.tensor(data, dtype=dtype)


def test_dtype_objects() -> None:
    """Names, aliases, equality and what is accepted for a dtype."""
    assert rl.float32 == rl.f32
    assert rl.float32 != rl.float64
    assert hash(rl.f32) == hash(rl.float32)
    assert repr(rl.bfloat16) == "rushlight.bfloat16"
    for given in ("float32", "f32", rl.float32, float, np.float32, np.dtype("float32")):
        assert rl.zeros(1, dtype=given).dtype == rl.float32
    assert rl.zeros(1, dtype=int).dtype == rl.int64
    assert rl.zeros(1, dtype=bool).dtype == rl.bool
    assert rl.float16.itemsize == 2


def test_promotion_follows_the_standard_and_torch() -> None:
    """Tensors are promoted by the array API's table, and as in PyTorch where the table is undefined."""
    for a, b in itertools.product(DTYPES, DTYPES):
        if "uint64" in (a.name, b.name) and "signed integer" in (a.kind, b.kind):
            with pytest.raises(TypeError, match="uint64"):
                rl.result_type(a, b)
            continue
        got = rl.result_type(a, b)
        assert got.name == np.result_type(a.name, b.name).name
        assert (rl.ones(2, dtype=a) * rl.ones(2, dtype=b)).dtype == got
    for i, f in itertools.product(DTYPES, FLOATS):
        assert rl.result_type(i, f) == f
        assert (rl.ones(1, dtype=i) + rl.ones(1, dtype=f)).dtype == f
    assert rl.result_type(rl.bfloat16, rl.float16) == rl.float32
    assert rl.result_type(rl.float16, rl.float32) == rl.float32
    with pytest.raises(TypeError, match="float8"):
        rl.result_type(rl.float8_e4m3fn, rl.float32)


def test_numbers_are_weak() -> None:
    """A Python number takes the tensor's dtype unless its kind is higher."""
    for d in FLOATS:
        assert (rl.ones(1, dtype=d) + 1.5).dtype == d
        assert (2 * rl.ones(1, dtype=d)).dtype == d
    for d in DTYPES[1:]:
        assert (rl.ones(1, dtype=d) + 1).dtype == d
        assert (rl.ones(1, dtype=d) + True).dtype == d
        assert (rl.ones(1, dtype=d) * 1.5).dtype == rl.float32
        assert (rl.ones(1, dtype=d) / 2).dtype == rl.float32
    assert (rl.ones(1, dtype=rl.bool) + 1).dtype == rl.int64
    with pytest.raises(OverflowError, match="300"):
        rl.ones(1, dtype=rl.uint8) + 300


def test_operators() -> None:
    """Operators, reflected and in place, against NumPy."""
    a = np.array([[-7, 2, 3], [4, -5, 6]], dtype=np.int32)
    b = np.array([2, -3, 4], dtype=np.int32)
    x, y = rl.asarray(a, copy=True), rl.asarray(b, copy=True)
    for name in (
        "add",
        "sub",
        "mul",
        "floordiv",
        "mod",
        "and",
        "or",
        "xor",
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
        "ge",
    ):
        op = f"__{name}__"
        np.testing.assert_array_equal(getattr(x, op)(y).numpy(), getattr(a, op)(b))
        np.testing.assert_array_equal(getattr(x, op)(3).numpy(), getattr(a, op)(3))
    np.testing.assert_array_equal((10 - x).numpy(), 10 - a)
    np.testing.assert_array_equal((2 ** y.abs()).numpy(), 2 ** abs(b))
    np.testing.assert_allclose((1 / x).numpy(), (1 / a).astype(np.float32), rtol=1e-6)
    np.testing.assert_array_equal((x << 2 >> 1).numpy(), a << 2 >> 1)
    np.testing.assert_array_equal((-x).numpy(), -a)
    np.testing.assert_array_equal((~x).numpy(), ~a)
    np.testing.assert_array_equal((x @ y).numpy(), a @ b)
    np.testing.assert_array_equal((y @ x.T).numpy(), b @ a.T)
    assert (y @ y).item() == b @ b
    same = x
    x += 1
    x *= y
    assert same is x
    np.testing.assert_array_equal(x.numpy(), (a + 1) * b)
    with pytest.raises(TypeError, match="in-place"):
        x /= 2
    with pytest.raises(ValueError, match="in-place"):
        y += x
    assert (x == None) is False  # noqa: E711
    assert (x != "a") is True
    with pytest.raises(TypeError):
        x < "a"  # noqa: B015
    with pytest.raises(ValueError, match="shape mismatch in add"):
        rl.ones(2) + rl.ones(3)


def test_reductions_of_every_kind() -> None:
    """Axes, kept dimensions, aliases, and the dtypes of results."""
    a = np.random.default_rng(0).random((2, 3, 4)).astype(np.float32)
    t = rl.asarray(a)
    for axis in (None, 0, -1, (0, 2), (-1, 0), (0, 1, 2)):
        for keep in (False, True):
            for name in ("sum", "mean", "max", "min", "prod", "std", "var"):
                want = getattr(np, name)(a, axis=axis, keepdims=keep)
                np.testing.assert_allclose(
                    getattr(rl, name)(t, axis=axis, keepdims=keep).numpy(), want, rtol=1e-5
                )
                # Under `dim` these two give indices, too: tests/python/test_pairs.py.
                along = "axis" if name in ("max", "min") else "dim"
                got = getattr(t, name)(**{along: axis, "keepdim": keep})
                np.testing.assert_allclose(got.numpy(), want, rtol=1e-5)
    for axis in (None, 0, -1):
        np.testing.assert_array_equal(rl.argmax(t, axis=axis).numpy(), a.argmax(axis=axis))
        np.testing.assert_array_equal(t.argmin(axis).numpy(), a.argmin(axis=axis))
    assert t.argmax().dtype == rl.int64
    assert rl.sum(rl.ones(2, dtype=rl.uint8)).dtype == rl.uint64
    assert rl.sum(rl.ones(2, dtype=rl.int8)).dtype == rl.int64
    assert rl.sum(rl.full(1000, 255, dtype=rl.uint8)).item() == 255_000
    assert rl.ones(3, dtype=rl.bool).sum().item() == 3
    assert rl.sum(rl.ones(2), dtype=rl.float64).dtype == rl.float64
    assert rl.ones(3, dtype=rl.int32).mean().dtype == rl.float32
    assert (t > 2).any().dtype == rl.bool
    with pytest.raises(TypeError, match="axis and dim"):
        t.sum(axis=0, dim=0)
    with pytest.raises(TypeError, match="keepdims and keepdim"):
        t.sum(keepdims=True, keepdim=True)
    with pytest.raises(IndexError):
        t.sum(3)
    with pytest.raises(ValueError, match="twice"):
        t.sum((0, -3))
    with pytest.raises(ValueError, match="no elements"):
        rl.max(rl.zeros(0))
    assert rl.sum(rl.zeros(0)).item() == 0


def test_one_element_protocols() -> None:
    """bool, int, float, complex, index, len, iteration, contains, format."""
    assert float(rl.tensor(1.5)) == 1.5
    assert int(rl.tensor([3.7])) == 3
    assert complex(rl.tensor(2j)) == 2j
    assert bool(rl.tensor(True)) is True
    assert [10, 20, 30][rl.tensor(1)] == 20
    assert f"{rl.tensor(1.23456):.2f}" == "1.23"
    assert len(rl.zeros(3, 2)) == 3
    assert [r.tolist() for r in rl.tensor([[1], [2]])] == [[1], [2]]
    assert 2 in rl.tensor([1, 2])
    assert 5 not in rl.tensor([1, 2])
    assert rl.zeros(2, 0).tolist() == [[], []]
    for bad in (bool, float, int):
        with pytest.raises(ValueError, match="one element"):
            bad(rl.zeros(2))
    for call in (lambda: len(rl.tensor(1)), lambda: iter(rl.tensor(1)), lambda: [1][rl.tensor(0.0)]):
        with pytest.raises(TypeError):
            call()
    x = rl.zeros(2)
    assert len({x, x, rl.zeros(2)}) == 2


def test_repr() -> None:
    """The text has the elements, dtype and device, and leaves out the middle of large tensors."""
    assert repr(rl.tensor([1, 2])) == "tensor([1, 2], dtype=int64, device='cpu')"
    assert repr(rl.tensor([[1.0, 2.5]])) == "tensor([[1.0000, 2.5000]], dtype=float32, device='cpu')"
    assert repr(rl.tensor([1.0, float("nan")])) == "tensor([ 1., nan], dtype=float32, device='cpu')"
    assert repr(rl.tensor(True)) == "tensor(True, dtype=bool, device='cpu')"
    assert repr(rl.zeros(0)) == "tensor([], dtype=float32, device='cpu')"
    assert "requires_grad=True" in repr(rl.ones(1, requires_grad=True))
    assert "e-08" in repr(rl.tensor([1e-8, 1.0]))
    big = repr(rl.zeros(100, 100))
    assert "..." in big
    assert big.count("0.") == 36


def test_gradients_gather_in_leaves() -> None:
    """``backward`` adds to ``.grad``; ``no_grad`` and ``detach`` stop it."""
    x = rl.tensor([1.0, 2.0], requires_grad=True)
    assert x.is_leaf
    for _ in range(2):
        (x**3).sum().backward()
    assert x.grad.tolist() == [6, 24]
    x.grad = None
    assert x.grad is None
    y = x * 2
    assert y.requires_grad
    assert not y.is_leaf
    with pytest.raises(RuntimeError, match="gradient argument"):
        y.backward()
    y.backward(rl.tensor([1.0, 10.0]))
    assert x.grad.tolist() == [2, 20]
    with pytest.raises(RuntimeError, match="does not require"):
        y.detach().sum().backward()
    with rl.no_grad():
        assert not (x * 2).requires_grad
        assert not rl.is_grad_enabled()
        with rl.enable_grad():
            assert (x * 2).requires_grad

    @rl.no_grad()
    def double(v: rl.Tensor) -> rl.Tensor:
        return v * 2

    assert not double(x).requires_grad
    assert rl.is_grad_enabled()
    value, grad = rl.value_and_grad(lambda v: (v * v).sum())(rl.tensor([3.0]))
    assert (value.item(), grad.tolist()) == (9, [6])


def test_gradient_rules_of_use() -> None:
    """Only floats require gradients; leaves stay as they are; gradients have the leaf's shape and dtype."""
    with pytest.raises(RuntimeError, match="floating-point"):
        rl.ones(2, dtype=rl.int64, requires_grad=True)
    x = rl.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="leaf"):
        x += 1
    with rl.no_grad():
        x += 1
    assert x.tolist() == [2, 2]
    with pytest.raises(ValueError, match="shape"):
        x.grad = rl.ones(3)
    with pytest.raises(TypeError, match="dtype"):
        x.grad = rl.ones(2, dtype=rl.float64)
    y = x * x
    x.data.fill_(5.0)
    with pytest.raises(RuntimeError, match="changed in place"):
        y.sum().backward()
    assert x.grad is None
    assert x.detach().requires_grad_().requires_grad


def test_in_place_methods() -> None:
    """``copy_``, ``fill_`` and ``zero_`` change the memory and return the tensor."""
    t = rl.ones(2, 2)
    view = t[0]
    assert t.fill_(3).sum().item() == 12
    assert view.tolist() == [3, 3]
    assert t.copy_(rl.tensor([1, 2])) is t
    assert t.tolist() == [[1, 2], [1, 2]]
    assert t.zero_().tolist() == [[0, 0], [0, 0]]
    with pytest.raises(ValueError, match="more than once"):
        rl.broadcast_to(rl.ones(1), (3,)).fill_(2)


def test_devices() -> None:
    """The error of a missing device says what to do."""
    for name in ("rocm:0", "hip", "cuda:1", "tpu", "cpu:1"):
        with pytest.raises(rl.DeviceError, match=r"(?i)cpu|install"):
            rl.zeros(1, device=name)
    assert not rl.rocm.is_available()
    assert rl.cuda.device_count() == 0
    assert issubclass(rl.DeviceError, RuntimeError)
    assert rl.Device("cpu") in rl.devices()


def test_sizes_that_overflow() -> None:
    """An absurd shape is an error, not an abort."""
    for shape in ((2**62, 2**62), (2**40, 2**30), (2**63 - 1,)):
        with pytest.raises((ValueError, MemoryError)):
            rl.zeros(shape)
    with pytest.raises(ValueError, match="negative"):
        rl.zeros(-1)
    with pytest.raises(ValueError, match="too large"):
        rl.zeros(2**70)
    with pytest.raises(TypeError):
        rl.zeros(1.5)
    with pytest.raises(ValueError, match="more than"):
        rl.zeros((1,) * 9)


def test_signatures_can_be_read() -> None:
    """``inspect.signature`` and docstrings work for all public functions."""
    for name in dir(rl):
        f = getattr(rl, name)
        if callable(f) and not name.startswith("_") and not inspect.isclass(f):
            inspect.signature(f)
            assert f.__doc__, name
    for name in dir(rl.Tensor):
        if not name.startswith("_"):
            assert getattr(rl.Tensor, name).__doc__, name


def test_threads() -> None:
    """Results do not depend on the number of threads, nor on the calling thread."""
    t = rl.randn(300_000)
    before = rl.get_num_threads()
    want = t.sum().item()
    try:
        for n in (1, 2, 5):
            rl.set_num_threads(n)
            assert rl.get_num_threads() == n
            assert t.sum().item() == want
    finally:
        rl.set_num_threads(before)
    out: list[float] = []
    workers = [threading.Thread(target=lambda: out.append((t * 2).sum().item())) for _ in range(4)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    assert len(set(out)) == 1
    with pytest.raises(ValueError, match="4096"):
        rl.set_num_threads(0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_use_after_fork() -> None:
    """A forked child process starts its own threads."""
    t = rl.ones(1_000_000)
    assert t.sum().item() == 1_000_000
    pid = os.fork()
    if pid == 0:
        os._exit(0 if (t * 2).sum().item() == 2_000_000 else 1)
    for _ in range(200):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            break
        time.sleep(0.1)
    else:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        pytest.fail("the child hangs")
    assert os.waitstatus_to_exitcode(status) == 0


def test_ctrl_c_between_operations() -> None:
    """An interrupt ends a loop of operations."""
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    t = rl.ones(1000)
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012
        for _ in range(100_000_000):
            t = t + 1


def test_memory_is_given_back() -> None:
    """A training step frees all memory that it allocated."""
    w = rl.randn(50, 50, requires_grad=True)

    def step() -> None:
        w.grad = None
        ((w @ w) ** 2).sum().backward()

    for _ in range(3):
        step()
    before = rl.memory_stats()["live"]
    for _ in range(20):
        step()
    assert rl.memory_stats()["live"] == before
