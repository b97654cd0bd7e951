"""NumPy, DLPack, pickling and copying: what is shared, what is copied, what is refused."""

from __future__ import annotations

import copy
import gc
import io
import pickle
import weakref
import zlib
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from rushlight import _native

NUMPY_DTYPES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
]  # fmt: skip


@pytest.mark.parametrize("name", NUMPY_DTYPES)
def test_numpy_shares_memory_both_ways(name: str) -> None:
    """An array and its tensor are one memory, whichever came first."""
    a = np.array([[0, 1, 0], [1, 1, 0]]).astype(name)
    t = rl.asarray(a)
    assert t.dtype.name == name
    assert t.shape == (2, 3)
    a[0, 0] = 1
    assert t[0, 0].item() == 1
    back = t.numpy()
    assert back.dtype == a.dtype
    assert np.shares_memory(back, a)
    t[1, 2] = 1
    assert a[1, 2] == 1
    own = rl.ones(4, dtype=name)
    view = own.numpy()
    view[2] = 0
    assert own.tolist()[2] == 0


class Late:
    """A tensor as PyTorch's: `imag` of a conjugate is a view with a flag, which the export leaves out."""

    def __init__(self, data: Any, negative: bool) -> None:
        self.data, self.negative = data, negative

    def resolve_neg(self) -> Late:
        return Late(-self.data, False) if self.negative else self

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self.data.__dlpack__(**kwargs)

    def __dlpack_device__(self) -> Any:
        return self.data.__dlpack_device__()


@pytest.mark.parametrize("convert", [rl.asarray, rl.tensor, rl.from_dlpack])
def test_a_late_negation_is_done(convert: Any) -> None:
    data = np.array([2.0, -3.0])
    assert convert(Late(data, True)).tolist() == [-2.0, 3.0]
    assert convert(Late(data, False)).tolist() == [2.0, -3.0]
    assert rl.asarray(Late(data, False), copy=False).tolist() == [2.0, -3.0]
    with pytest.raises(BufferError, match="needs a copy"):
        rl.asarray(Late(data, True), copy=False)


@pytest.mark.parametrize("layout", ["transposed", "strided", "stretched", "rank0", "empty"])
def test_layouts_come_and_go(layout: str) -> None:
    """Arrays with strides of zero or more share their memory and keep their strides."""
    base = np.arange(24, dtype=np.int32).reshape(4, 6)
    a: Any = {
        "transposed": base.T,
        "strided": base[1::2, ::3],
        "stretched": np.broadcast_to(base[0], (3, 6)),
        "rank0": np.array(5, dtype=np.int32),
        "empty": base[:0],
    }[layout]
    t = rl.asarray(a)
    np.testing.assert_array_equal(t.numpy(), a)
    np.testing.assert_array_equal((t + 1).numpy(), a + 1)
    if a.size:
        assert np.shares_memory(t.numpy(), a)


def test_memory_that_cannot_be_shared_is_copied() -> None:
    """Negative strides, misaligned memory and other byte orders are copied, or refused with copy=False."""
    base = np.arange(8, dtype=np.float32)
    raw = np.frombuffer(b"\0" + base.tobytes(), dtype=np.uint8)[1:].view(np.float32)
    assert not raw.flags.aligned
    for a in (base[::-1], raw, base.astype(">f4"), base.reshape(2, 4)[:, ::-1]):
        t = rl.asarray(a)
        np.testing.assert_array_equal(t.numpy(), a)
        assert not np.shares_memory(t.numpy(), a)
        with pytest.raises(ValueError, match="copy"):
            rl.asarray(a, copy=False)
    assert not np.shares_memory(rl.tensor(base).numpy(), base)
    assert not np.shares_memory(rl.asarray(base, copy=True).numpy(), base)


def test_read_only_arrays_stay_as_they_are() -> None:
    """A read-only array is shared for reading, and copied before the first write."""
    a = np.arange(3, dtype=np.float32)
    a.flags.writeable = False
    t = rl.asarray(a)
    view = t.numpy()
    assert np.shares_memory(view, a)
    assert not view.flags.writeable
    t[0] = 9.0
    assert a.tolist() == [0, 1, 2]
    assert t.tolist() == [9, 1, 2]
    del t
    gc.collect()
    assert view.tolist() == [0, 1, 2]


def test_memory_lives_as_long_as_anyone_needs_it() -> None:
    """A view keeps its tensor's memory, and a tensor its array."""
    view = rl.arange(1000).numpy()
    gc.collect()
    [rl.zeros(1000, dtype=rl.int64) for _ in range(8)]
    assert view[-1] == 999

    class Array(np.ndarray):
        """An array class that supports weak references, so that tests see when the array is freed."""

    a = np.arange(4.0).view(Array)
    watch = weakref.ref(a)
    t = rl.asarray(a)
    part = t[1:]
    del a, t
    gc.collect()
    assert watch() is not None
    assert part.tolist() == [1, 2, 3]
    del part
    gc.collect()
    assert watch() is None


def test_numpy_refuses_gradients() -> None:
    """A tensor in a gradient graph becomes an array only when forced."""
    x = rl.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="detach"):
        x.numpy()
    with pytest.raises(RuntimeError, match="detach"):
        np.asarray(x)
    assert x.numpy(force=True).tolist() == [1, 1]


def test_array_protocol() -> None:
    """``np.asarray`` with a dtype and with ``copy``."""
    t = rl.arange(3)
    assert np.asarray(t).dtype == np.int64
    assert np.asarray(t, dtype=np.float32).dtype == np.float32
    assert np.exp(rl.zeros(2)).tolist() == [1, 1]
    with pytest.raises(ValueError, match="copy"):
        t.__array__(np.float64, copy=False)
    assert not np.shares_memory(np.array(t, copy=True), t.numpy())


def test_operators_with_arrays() -> None:
    """Either side may be an array; the result is a tensor."""
    a, t = np.ones(3, dtype=np.float32), rl.ones(3)
    for out in (a + t, t + a, np.float32(1) + t, a * t - a):
        assert isinstance(out, rl.Tensor)
        assert out.dtype == rl.float32


def test_half_brain_floats() -> None:
    """bfloat16 goes through ml_dtypes where that is installed."""
    ml = pytest.importorskip("ml_dtypes")
    a = np.array([1.5, -2.0], dtype=ml.bfloat16)
    t = rl.asarray(a)
    assert t.dtype == rl.bfloat16
    assert t.tolist() == [1.5, -2.0]
    assert t.numpy().dtype == a.dtype
    assert t.float().numpy().tolist() == [1.5, -2.0]


@pytest.mark.parametrize("name", NUMPY_DTYPES)
def test_dlpack_both_ways(name: str) -> None:
    """NumPy and rushlight share memory through DLPack."""
    a = np.array([[0, 1], [1, 1]]).astype(name)
    t = rl.from_dlpack(a)
    assert t.dtype.name == name
    np.testing.assert_array_equal(np.from_dlpack(t), a)
    assert np.shares_memory(np.from_dlpack(t.mT), a)


def test_dlpack_rules() -> None:
    """Versions, flags, devices, streams and refusals."""
    t = rl.arange(4, dtype=rl.float32)
    assert t.__dlpack_device__() == (1, 0)
    assert "dltensor_versioned" in repr(t.__dlpack__(max_version=(1, 0)))
    assert '"dltensor"' in repr(t.__dlpack__())
    a = np.from_dlpack(t)
    assert a.flags.writeable
    a[0] = 5
    assert t[0].item() == 5
    with pytest.raises(BufferError, match="detach"):
        rl.ones(2, requires_grad=True).__dlpack__()
    with pytest.raises(BufferError):
        t.__dlpack__(stream=1)
    with pytest.raises(BufferError):
        t.__dlpack__(dl_device=(2, 0))
    copied = np.from_dlpack(t, copy=True)
    copied[1] = 9
    assert t[1].item() == 1
    fixed = np.arange(3.0)
    fixed.flags.writeable = False
    ro = rl.from_dlpack(fixed) if hasattr(np.ndarray, "__dlpack__") else rl.asarray(fixed)
    assert not np.from_dlpack(ro).flags.writeable
    with pytest.raises(BufferError, match="read-only"):
        ro.__dlpack__()
    with pytest.raises(TypeError):
        rl.from_dlpack(object())


def test_dlpack_capsules_are_used_once() -> None:
    """A capsule is consumed by its first reader, and freed if nobody reads it."""

    class Once:
        """Hands out one capsule again and again."""

        def __init__(self) -> None:
            self.capsule = rl.ones(3).__dlpack__(max_version=(1, 0))

        def __dlpack__(self, **kwargs: Any) -> Any:
            return self.capsule

    once = Once()
    assert rl.from_dlpack(once).tolist() == [1, 1, 1]
    with pytest.raises(TypeError, match="unused"):
        rl.from_dlpack(once)
    gc.collect()
    before = rl.memory_stats()["live"]
    for _ in range(100):
        rl.ones(1000).__dlpack__()
        rl.from_dlpack(rl.ones(1000))
    gc.collect()
    assert rl.memory_stats()["live"] == before


@pytest.mark.parametrize("name", [*NUMPY_DTYPES, "bfloat16", "float8_e4m3fn"])
def test_pickle_and_copies(name: str) -> None:
    """Pickles and copies hold the same elements in separate memory."""
    t = rl.asarray([[0, 1], [1, 1]], dtype=name)[:, ::-1]
    for twin in (pickle.loads(pickle.dumps(t)), copy.deepcopy(t)):
        assert twin.dtype == t.dtype
        assert twin.tolist() == t.tolist()
        twin[0, 0] = 0
        assert t[0, 0].item() == 1
    same = copy.copy(t)
    same[0, 0] = 0
    assert t[0, 0].item() == 0


def test_pickle_keeps_leaves() -> None:
    """A leaf comes back as a leaf; dtypes and devices pickle too."""
    x = rl.ones(2, requires_grad=True)
    assert pickle.loads(pickle.dumps(x)).requires_grad
    assert copy.deepcopy(x).requires_grad
    with pytest.raises(RuntimeError, match="leaf"):
        copy.deepcopy(x * 2)
    assert pickle.loads(pickle.dumps(rl.bfloat16)) == rl.bfloat16
    assert pickle.loads(pickle.dumps(x.device)) == x.device


def test_other_devices_cost_a_copy() -> None:
    """A tensor on another device is converted to NumPy only on request, and to DLPack with a copy."""
    t = rl.arange(3, device="test:0")
    assert str(t.device) == "test:0"
    with pytest.raises(TypeError, match="cpu"):
        t.numpy()
    assert t.cpu().numpy().tolist() == [0, 1, 2]
    assert t.numpy(force=True).tolist() == [0, 1, 2]
    assert (t + 1)[1:].tolist() == [2, 3]
    with pytest.raises(rl.DeviceError):
        t + rl.arange(3)


def test_memory_that_consumers_hold_outlives_the_tensor() -> None:
    """Memory lives on even if a write moves the tensor away from read-only memory that a consumer still
    uses."""
    seen = np.from_dlpack(rl.arange(1000))
    junk = [rl.zeros(1000, dtype=rl.int64) for _ in range(8)]
    assert seen.tolist() == list(range(1000))

    class Array(np.ndarray):
        """An array class that supports weak references, so that tests see when the array is freed."""

    a = np.zeros(1000).view(Array)
    a.flags.writeable = False
    watch = weakref.ref(a)
    t = rl.asarray(a)
    views = [np.from_dlpack(t), t.numpy()]
    del a
    t += 1
    gc.collect()
    assert watch() is not None
    assert t.sum().item() == 1000
    assert all(v.sum() == 0 for v in views)
    del views
    gc.collect()
    assert watch() is None
    del junk


def test_bools_and_steps_that_are_none_of_ours() -> None:
    """Bools with bytes other than 0 and 1, and strides that are not multiples of the element size, are
    copied."""
    odd = np.array([0, 1, 2, 255], np.uint8).view(np.bool_)
    t = rl.asarray(odd)
    assert t.astype("uint8").tolist() == [0, 1, 1, 1]
    assert t.sum().item() == 3
    rows = np.zeros(4, dtype=[("value", "<f4"), ("flag", "u1")])
    rows["value"] = [1, 2, 3, 4]
    assert rl.asarray(rows["value"]).tolist() == [1, 2, 3, 4]
    with pytest.raises(ValueError, match="copy"):
        rl.asarray(rows["value"], copy=False)


def test_buffers_are_given_as_they_are_asked_for() -> None:
    """A request for plain bytes needs a row-major tensor; a request to write to read-only memory is an
    error."""
    t = rl.arange(6, dtype=rl.int32).reshape((2, 3))
    memory = _native._Memory
    assert zlib.crc32(memory(t)) == zlib.crc32(t.numpy())
    with pytest.raises(BufferError, match="contiguous"):
        zlib.crc32(memory(t.mT))
    assert io.BytesIO(b"\1\0\0\0").readinto(memory(t)) == 4
    assert t[0, 0].item() == 1
    assert memoryview(memory(t.mT)).shape == (3, 2)
    assert memoryview(memory(t.mT)).strides == (4, 12)
    fixed = np.zeros(4, np.int32)
    fixed.flags.writeable = False
    with pytest.raises((BufferError, TypeError), match="read"):
        io.BytesIO(b"\1" * 16).readinto(memory(rl.asarray(fixed)))
    assert fixed.tolist() == [0] * 4
