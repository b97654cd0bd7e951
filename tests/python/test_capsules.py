"""DLPack capsules of a hand-written producer: each field is read, and each invalid value refused."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import rushlight as rl

CPU, METAL = 1, 8
INT, UINT, FLOAT, BOOL = 0, 1, 2, 6
READ_ONLY = 1


class Device(ctypes.Structure):
    _fields_ = (("kind", ctypes.c_int32), ("id", ctypes.c_int32))


class DataType(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class DLTensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", Device),
        ("ndim", ctypes.c_int32),
        ("dtype", DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Versioned(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", Deleter),
        ("flags", ctypes.c_uint64),
        ("tensor", DLTensor),
    )


class Legacy(ctypes.Structure):
    _fields_ = (("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", Deleter))


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
name_of = ctypes.pythonapi.PyCapsule_GetName
name_of.restype = ctypes.c_char_p
name_of.argtypes = (ctypes.py_object,)


class Producer:
    """A DLPack producer whose description of its memory tests can make wrong."""

    def __init__(
        self,
        memory: Any,
        shape: Sequence[int],
        strides: Sequence[int] | None,
        *,
        dtype: tuple[int, int, int] = (FLOAT, 32, 1),
        device: tuple[int, int] = (CPU, 0),
        offset: int = 0,
        version: tuple[int, int] = (1, 0),
        flags: int = 0,
        legacy: bool = False,
        null: bool = False,
    ) -> None:
        self.memory, self.device, self.deleted = memory, device, 0
        self.shape = (ctypes.c_int64 * len(shape))(*shape)
        self.strides = None if strides is None else (ctypes.c_int64 * len(strides))(*strides)
        tensor = DLTensor(
            None if null else memory.ctypes.data,
            Device(*device),
            len(shape),
            DataType(*dtype),
            self.shape,
            self.strides,
            offset,
        )
        self.delete = Deleter(self.count)
        self.managed: Any
        if legacy:
            self.managed = Legacy(tensor, None, self.delete)
        else:
            self.managed = Versioned(*version, None, self.delete, flags, tensor)
        name = b"dltensor" if legacy else b"dltensor_versioned"
        self.capsule = new_capsule(ctypes.addressof(self.managed), name, None)

    def count(self, _: Any) -> None:
        self.deleted += 1

    def __dlpack__(self, **_: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device


MEMORY = np.arange(24, dtype=np.float32)


@pytest.mark.parametrize("legacy", [False, True])
def test_offsets_and_strides_are_the_producers(legacy: bool) -> None:
    p = Producer(MEMORY, (2, 3), (1, 4), offset=8, legacy=legacy)
    t = rl.from_dlpack(p)
    assert t.tolist() == [[2.0, 6.0, 10.0], [3.0, 7.0, 11.0]]
    assert t.stride() == (1, 4)
    assert t.data_ptr() == MEMORY.ctypes.data + 8
    name = b"used_dltensor" if legacy else b"used_dltensor_versioned"
    assert name_of(p.capsule) == name
    part = t[1:]
    del t
    gc.collect()
    assert p.deleted == 0
    del part
    gc.collect()
    assert p.deleted == 1


def test_no_strides_mean_row_major() -> None:
    t = rl.from_dlpack(Producer(MEMORY, (2, 3), None))
    assert t.tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]


def test_read_only_memory_is_copied_before_a_write() -> None:
    memory = np.zeros(4, np.float32)
    t = rl.from_dlpack(Producer(memory, (4,), (1,), flags=READ_ONLY))
    t += 1.0
    assert t.tolist() == [1.0] * 4
    assert memory.tolist() == [0.0] * 4
    t = rl.from_dlpack(Producer(memory, (4,), (1,)))
    t += 1.0
    assert memory.tolist() == [1.0] * 4


def test_misaligned_memory_is_copied() -> None:
    memory = np.frombuffer(b"\0" + np.arange(4, dtype=np.float32).tobytes(), np.uint8).copy()
    p = Producer(memory, (4,), (1,), offset=1)
    t = rl.from_dlpack(p)
    assert t.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert t.data_ptr() % 4 == 0
    assert p.deleted == 1


def test_bools_of_other_bytes_become_bools() -> None:
    memory = np.array([0, 1, 7, 255], np.uint8)
    t = rl.from_dlpack(Producer(memory, (4,), (1,), dtype=(BOOL, 8, 1)))
    assert t.tolist() == [False, True, True, True]
    assert t.sum().item() == 3
    assert memory.tolist() == [0, 1, 7, 255]


WRONG: list[tuple[str, dict[str, Any], type[Exception], str]] = [
    ("version", {"version": (2, 0)}, BufferError, "version 2"),
    ("device", {"device": (METAL, 0)}, rl.DeviceError, "device 8"),
    ("lanes", {"dtype": (FLOAT, 32, 4)}, BufferError, "4 lanes"),
    ("code", {"dtype": (9, 32, 1)}, BufferError, "code 9"),
    ("bits", {"dtype": (FLOAT, 31, 1)}, BufferError, "31 bits"),
    ("negative", {"strides": (-1,)}, BufferError, "negative"),
    ("size", {"shape": (-4,)}, BufferError, "negative"),
    ("null", {"null": True}, BufferError, "null"),
    ("rank", {"shape": (1,) * 9, "strides": (1,) * 9}, BufferError, "8 dimensions"),
    ("reach", {"shape": (2**40, 2**40), "strides": (2**40, 1)}, BufferError, "too far"),
]


@pytest.mark.parametrize(("wrong", "error", "text"), [c[1:] for c in WRONG], ids=[c[0] for c in WRONG])
def test_wrong_descriptions_are_refused(wrong: dict[str, Any], error: type[Exception], text: str) -> None:
    given: dict[str, Any] = {"shape": (4,), "strides": (1,), **wrong}
    p = Producer(MEMORY, **given)
    with pytest.raises(error, match=text):
        rl.from_dlpack(p)


def test_an_exported_capsule_describes_its_tensor() -> None:
    """Reads every field of a capsule that Rushlight exports, as a consumer would."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    x = rl.arange(24, dtype=rl.int16).reshape((4, 6))
    t = x[1:, ::2].mT
    for version, name, kind in (((1, 0), b"dltensor_versioned", Versioned), (None, b"dltensor", Legacy)):
        capsule = t.__dlpack__(max_version=version)
        m = kind.from_address(get(capsule, name))
        d = m.tensor
        assert (d.device.kind, d.device.id, d.ndim) == (CPU, 0, 2)
        assert (d.dtype.code, d.dtype.bits, d.dtype.lanes) == (INT, 16, 1)
        assert [d.shape[i] for i in range(2)] == [3, 3]
        assert [d.strides[i] for i in range(2)] == [2, 6]
        assert d.data + d.byte_offset == x.data_ptr() + 6 * 2
    flags = [
        Versioned.from_address(get(c, b"dltensor_versioned")).flags
        for c in (
            t.__dlpack__(max_version=(1, 0)),
            t.__dlpack__(max_version=(1, 1), copy=True),
            rl.ones(1).expand(3).__dlpack__(max_version=(1, 0)),
        )
    ]
    # 1: read-only, 2: a copy. A stretched tensor names one element three times.
    assert flags == [0, 2, 1]
    with pytest.raises(BufferError, match="read-only"):
        rl.ones(1).expand(3).__dlpack__()
