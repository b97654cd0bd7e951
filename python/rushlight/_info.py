"""Functions of dtypes, and the inspection functions of the array API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import _types as t
from . import cuda, rocm
from ._check import typed
from ._native import (
    Device,
    DType,
    Tensor,
    _dtype,
    _promote,
    _supports,
    get_default_device,
    get_default_dtype,
)

__all__ = ["astype", "can_cast", "devices", "finfo", "iinfo", "isdtype", "result_type", "supports"]

_BY_KIND: dict[str, tuple[DType, ...]] = {
    "bool": (t.bool,),
    "signed integer": (t.int8, t.int16, t.int32, t.int64),
    "unsigned integer": (t.uint8, t.uint16, t.uint32, t.uint64),
    "real floating": (t.float32, t.float64),
    "complex floating": (t.complex64, t.complex128),
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
    raise ValueError(f"{kind!r} is not a kind of dtype; use one of {[*_BY_KIND, *_GROUPS]}")


@typed
def astype(
    x: Tensor, dtype: DType | str, /, *, copy: bool = True, device: Device | str | None = None
) -> Tensor:
    """Converts a tensor to another dtype.

    Parameters
    ----------
    x
        Any shape and dtype.
    dtype
        The dtype, or its name.
    copy
        Whether to copy even if nothing changes; with False the tensor itself is then returned.
    device
        The device of the result; that of `x` by default.

    Returns
    -------
    Tensor
        Of the shape of `x`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.astype(rl.tensor([1.5, -1.5]), rl.int32).tolist()
    [1, -1]
    """
    return x.astype(dtype, copy=copy, device=device)


def result_type(*arrays_and_dtypes: Any) -> DType:
    """Returns the dtype that arguments are promoted to.

    Parameters
    ----------
    *arrays_and_dtypes
        Tensors, dtypes and Python numbers.

    Returns
    -------
    DType
        By the promotion table of the array API.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.result_type(rl.float16, rl.float32)
    rushlight.float32
    """
    return _promote(*arrays_and_dtypes)


def can_cast(from_: DType | Tensor, to: DType, /) -> bool:
    """Returns whether promotion can convert one dtype to another.

    Parameters
    ----------
    from_
        A dtype, or a tensor of it.
    to
        The other dtype.

    Returns
    -------
    bool
        False where a value could be lost.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.can_cast(rl.int8, rl.int16), rl.can_cast(rl.int16, rl.int8)
    (True, False)
    """
    source = from_.dtype if isinstance(from_, Tensor) else _dtype(from_)
    try:
        return _promote(source, to) == _dtype(to)
    except TypeError:
        return False


@typed
def isdtype(dtype: DType, kind: DType | str | tuple[DType | str, ...]) -> bool:
    """Returns whether a dtype is of a kind.

    Parameters
    ----------
    dtype
        The dtype.
    kind
        A kind such as ``"integral"`` or ``"real floating"``, a dtype, or a tuple of them.

    Returns
    -------
    bool
        Whether the dtype is of one of the kinds.

    Raises
    ------
    ValueError
        If the name of a kind is unknown.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.isdtype(rl.int8, "integral")
    True
    """
    if isinstance(kind, tuple):
        return any(isdtype(dtype, k) for k in kind)
    if isinstance(kind, DType):
        return dtype == kind
    return dtype.kind in _kinds(kind)


@dataclass(frozen=True)
class finfo_object:
    """The result of `finfo`.

    Parameters
    ----------
    bits
        Bits of a number; of one part for a complex dtype.
    eps
        Difference between 1 and the next number.
    max, min
        The largest and the smallest number.
    smallest_normal
        The smallest positive number of full precision.
    dtype
        The dtype, that of the parts for a complex one.
    """

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


@dataclass(frozen=True)
class iinfo_object:
    """The result of `iinfo`.

    Parameters
    ----------
    bits
        Bits of a number.
    max, min
        The largest and the smallest number.
    dtype
        The dtype.
    """

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
    "complex128": (53, 1023),
}


def finfo(type: DType | Tensor, /) -> finfo_object:
    """Returns the limits of a floating-point dtype.

    Parameters
    ----------
    type
        The dtype, or a tensor of it.

    Returns
    -------
    finfo_object
        ``bits``, ``eps``, ``max``, ``min``, ``smallest_normal`` and ``dtype``.

    Raises
    ------
    TypeError
        If the dtype is not floating point.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.finfo(rl.float16).max
    65504.0
    """
    dtype = type.dtype if isinstance(type, Tensor) else _dtype(type)
    if dtype == t.float8_e4m3fn:
        return finfo_object(8, 0.125, 448.0, -448.0, 2.0**-6, dtype)
    if dtype.name not in _FLOATS:
        raise TypeError(f"finfo is for floating-point dtypes, not {dtype}")
    digits, top = _FLOATS[dtype.name]
    largest = (2.0 - 2.0 ** (1 - digits)) * 2.0**top
    real = {t.complex64: t.float32, t.complex128: t.float64}.get(dtype, dtype)
    return finfo_object(8 * real.itemsize, 2.0 ** (1 - digits), largest, -largest, 2.0 ** (1 - top), real)


def iinfo(type: DType | Tensor, /) -> iinfo_object:
    """Returns the limits of an integer dtype.

    Parameters
    ----------
    type
        The dtype, or a tensor of it.

    Returns
    -------
    iinfo_object
        ``bits``, ``max``, ``min`` and ``dtype``.

    Raises
    ------
    TypeError
        If the dtype is not an integer one.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.iinfo(rl.int8).max
    127
    """
    dtype = type.dtype if isinstance(type, Tensor) else _dtype(type)
    bits = 8 * dtype.itemsize
    if dtype.kind == "unsigned integer":
        return iinfo_object(bits, 2**bits - 1, 0, dtype)
    if dtype.kind == "signed integer":
        return iinfo_object(bits, 2 ** (bits - 1) - 1, -(2 ** (bits - 1)), dtype)
    raise TypeError(f"iinfo is for integer dtypes, not {dtype}")


def devices() -> tuple[Device, ...]:
    """Returns the devices that can be used.

    Returns
    -------
    tuple of Device
        The CPU first.

    Examples
    --------
    >>> import rushlight as rl
    >>> str(rl.devices()[0])
    'cpu'
    """
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
    """Returns whether a device runs an op on a dtype.

    Parameters
    ----------
    op
        Name of the op, such as ``"matmul"``, as docs/OPS.md lists them, or of a function that is one op, such
        as ``"where"``.
    dtype
        Of the values; indices and conditions may have any of theirs.
    device
        The device, or its name.
    grad
        Whether the op must have a gradient, too.

    Returns
    -------
    bool
        False for an unsupported dtype.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.supports("where", "float32", grad=True), rl.supports("softmax", "int64")
    (True, False)
    """
    return _supports(_OPS.get(op, op), dtype, device, grad)


class _Info:
    """The result of `__array_namespace_info__`."""

    def capabilities(self) -> dict[str, Any]:
        """Returns the optional features of the standard that are supported.

        Returns
        -------
        dict
            By name.
        """
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 8}

    def default_device(self) -> Device:
        """Returns the device of tensors made without naming one.

        Returns
        -------
        Device
            The default device.
        """
        return get_default_device()

    def default_dtypes(self, *, device: Device | str | None = None) -> dict[str, DType]:
        """Returns the dtypes of tensors made without naming one.

        Parameters
        ----------
        device
            Not used: all devices have the same.

        Returns
        -------
        dict of str to DType
            By kind.
        """
        real = get_default_dtype()
        return {
            "real floating": real,
            "complex floating": t.complex128 if real == t.float64 else t.complex64,
            "integral": t.int64,
            "indexing": t.int64,
        }

    def devices(self) -> tuple[Device, ...]:
        """Returns the devices that can be used.

        Returns
        -------
        tuple of Device
            As `rushlight.devices`.
        """
        return devices()

    def dtypes(
        self, *, device: Device | str | None = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, DType]:
        """Returns the dtypes of the standard by name.

        Parameters
        ----------
        device
            Not used: all devices have the same.
        kind
            The kinds to return; None for all.

        Returns
        -------
        dict of str to DType
            By name.
        """
        kinds = (kind,) if isinstance(kind, str) else tuple(_BY_KIND) if kind is None else kind
        return {d.name: d for k in kinds for one in _kinds(k) for d in _BY_KIND[one]}


def __array_namespace_info__() -> _Info:
    """Returns the properties of this namespace, as the array API asks for.

    Returns
    -------
    object
        With the methods ``capabilities``, ``default_device``, ``default_dtypes``, ``devices`` and ``dtypes``.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.__array_namespace_info__().default_dtypes()["real floating"]
    rushlight.float32
    """
    return _Info()
