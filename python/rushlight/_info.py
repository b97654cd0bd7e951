"""Dtype functions and what the namespace says of itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import _types as t
from . import cuda, rocm
from ._check import typed
from ._native import Device, DType, Tensor, _dtype, _promote, _supports

__all__ = ["astype", "can_cast", "devices", "dtype", "finfo", "iinfo", "isdtype", "result_type", "supports"]

_BY_KIND: dict[str, tuple[DType, ...]] = {
    "bool": (t.bool,),
    "signed integer": (t.int8, t.int16, t.int32, t.int64),
    "unsigned integer": (t.uint8, t.uint16, t.uint32, t.uint64),
    "real floating": (t.float32, t.float64),
    "complex floating": (t.complex64,),
}
_GROUPS: dict[str, tuple[str, ...]] = {
    "integral": ("signed integer", "unsigned integer"),
    "numeric": ("signed integer", "unsigned integer", "real floating", "complex floating"),
}


def _kinds(kind: str) -> tuple[str, ...]:
    if kind in _GROUPS:
        return _GROUPS[kind]
    if kind in _BY_KIND:
        return (kind,)
    raise ValueError(f"{kind!r} is no kind of dtype; use one of {[*_BY_KIND, *_GROUPS]}")


@typed
def astype(
    x: Tensor, dtype: DType | str, /, *, copy: bool = True, device: Device | str | None = None
) -> Tensor:
    """Convert a tensor to another dtype; ``copy=False`` gives the tensor itself where nothing changes."""
    return x.astype(dtype, copy=copy, device=device)


def dtype(name: DType | str, /) -> DType:
    """Return the dtype of a name, or the dtype itself."""
    return _dtype(name)


def result_type(*arrays_and_dtypes: Any) -> DType:
    """Return the dtype that tensors, dtypes and Python numbers meet in."""
    return _promote(*arrays_and_dtypes)


def can_cast(from_: DType | Tensor, to: DType, /) -> bool:
    """Tell whether promotion can turn one dtype into another."""
    source = from_.dtype if isinstance(from_, Tensor) else _dtype(from_)
    try:
        return _promote(source, to) == _dtype(to)
    except TypeError:
        return False


@typed
def isdtype(dtype: DType, kind: DType | str | tuple[DType | str, ...]) -> bool:
    """Tell whether a dtype is of a kind (such as ``"integral"``), or is one of several."""
    if isinstance(kind, tuple):
        return any(isdtype(dtype, k) for k in kind)
    if isinstance(kind, DType):
        return dtype == kind
    return dtype.kind in _kinds(kind)


@dataclass(frozen=True)
class finfo_object:
    """What `finfo` returns."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


@dataclass(frozen=True)
class iinfo_object:
    """What `iinfo` returns."""

    bits: int
    max: int
    min: int
    dtype: DType


# Significand bits (with the hidden one), largest exponent, largest value.
_FLOATS: dict[str, tuple[int, int]] = {
    "bfloat16": (8, 127),
    "float16": (11, 15),
    "float32": (24, 127),
    "float64": (53, 1023),
    "complex64": (24, 127),
}


def finfo(type: DType | Tensor, /) -> finfo_object:
    """Return the limits of a floating-point dtype."""
    dtype = type.dtype if isinstance(type, Tensor) else _dtype(type)
    if dtype == t.float8_e4m3fn:
        return finfo_object(8, 0.125, 448.0, -448.0, 2.0**-6, dtype)
    if dtype.name not in _FLOATS:
        raise TypeError(f"finfo is for floating-point dtypes, not {dtype}")
    digits, top = _FLOATS[dtype.name]
    largest = (2.0 - 2.0 ** (1 - digits)) * 2.0**top
    real = t.float32 if dtype == t.complex64 else dtype
    return finfo_object(8 * real.itemsize, 2.0 ** (1 - digits), largest, -largest, 2.0 ** (1 - top), real)


def iinfo(type: DType | Tensor, /) -> iinfo_object:
    """Return the limits of an integer dtype."""
    dtype = type.dtype if isinstance(type, Tensor) else _dtype(type)
    bits = 8 * dtype.itemsize
    if dtype.kind == "unsigned integer":
        return iinfo_object(bits, 2**bits - 1, 0, dtype)
    if dtype.kind == "signed integer":
        return iinfo_object(bits, 2 ** (bits - 1) - 1, -(2 ** (bits - 1)), dtype)
    raise TypeError(f"iinfo is for integer dtypes, not {dtype}")


def devices() -> tuple[Device, ...]:
    """Return the devices that can be used."""
    names = ["cpu"]
    names += [f"rocm:{i}" for i in range(rocm.device_count())]
    names += [f"cuda:{i}" for i in range(cuda.device_count())]
    return tuple(Device(name) for name in names)


# Functions of this namespace that are one op of another name.
_OPS: dict[str, str] = {
    "astype": "to_dtype",
    "bitwise_invert": "bitwise_not",
    "bitwise_left_shift": "left_shift",
    "bitwise_right_shift": "right_shift",
    "cat": "copy",
    "concat": "copy",
    "divide": "div",
    "embedding": "index_select",
    "equal": "eq",
    "greater": "gt",
    "greater_equal": "ge",
    "less": "lt",
    "less_equal": "le",
    "multiply": "mul",
    "negative": "neg",
    "not_equal": "ne",
    "stack": "copy",
    "subtract": "sub",
    "take": "index_select",
    "where": "where_cond",
}


def supports(op: str, dtype: DType | str, device: Device | str = "cpu", *, grad: bool = False) -> bool:
    """Tell whether a device runs an op on a dtype and, with ``grad=True``, gives a gradient for it.

    Parameters
    ----------
    op
        Name of the op, such as ``"matmul"``, as docs/OPS.md lists them, or of a function that is one, such as
        ``"where"``.
    dtype
        Of the values; ids and conditions may have any of theirs.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.supports("where", "float32", grad=True), rl.supports("softmax", "int64")
    (True, False)
    """
    return _supports(_OPS.get(op, op), dtype, device, grad)


class _Info:
    """What `__array_namespace_info__` returns."""

    def capabilities(self) -> dict[str, Any]:
        """Return what is optional in the standard and works here."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 8}

    def default_device(self) -> Device:
        """Return the device of tensors made without naming one."""
        return Device("cpu")

    def default_dtypes(self, *, device: Device | str | None = None) -> dict[str, DType]:
        """Return the dtypes of tensors made without naming one."""
        return {
            "real floating": t.float32,
            "complex floating": t.complex64,
            "integral": t.int64,
            "indexing": t.int64,
        }

    def devices(self) -> tuple[Device, ...]:
        """Return the devices that can be used."""
        return devices()

    def dtypes(
        self, *, device: Device | str | None = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, DType]:
        """Return the standard's dtypes by name, of some kinds or all."""
        kinds = (kind,) if isinstance(kind, str) else tuple(_BY_KIND) if kind is None else kind
        return {d.name: d for k in kinds for one in _kinds(k) for d in _BY_KIND[one]}


def __array_namespace_info__() -> _Info:
    """Return what the namespace says of itself."""
    return _Info()
