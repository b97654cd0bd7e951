"""PyTorch's names of the classes of tensors by dtype: for annotations, `isinstance`, and to make tensors."""

from __future__ import annotations

from typing import Any

from .. import _native as n
from .. import _types as t
from .._native import DType, Tensor

__all__ = [
    "BFloat16Tensor",
    "BoolTensor",
    "ByteTensor",
    "CharTensor",
    "DoubleTensor",
    "FloatTensor",
    "HalfTensor",
    "IntTensor",
    "LongTensor",
    "ShortTensor",
]


class _ByDtype(type):
    """The class of the classes: they have no instances but tensors of their dtype."""

    dtype: DType

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance.dtype == cls.dtype

    def __call__(cls, *data: Any, device: Any = None) -> Any:
        """Make a tensor of data, or of sizes, whose elements are then 0."""
        if len(data) == 1 and not isinstance(data[0], int):
            return n.tensor(data[0], dtype=cls.dtype, device=device)
        return n.zeros(tuple(data), dtype=cls.dtype, device=device)


def _made(name: str, dtype: DType) -> Any:
    text = f"""Tensors of {dtype.name}, by PyTorch's name of their class.

    Examples
    --------
    >>> import rushlight as rl
    >>> isinstance(rl.{name}([1, 0]), rl.{name}), rl.{name}(2, 3).shape
    (True, (2, 3))
    """
    return _ByDtype(name, (), {"__doc__": text, "__module__": __name__, "dtype": dtype})


BFloat16Tensor = _made("BFloat16Tensor", t.bfloat16)
BoolTensor = _made("BoolTensor", t.bool)
ByteTensor = _made("ByteTensor", t.uint8)
CharTensor = _made("CharTensor", t.int8)
DoubleTensor = _made("DoubleTensor", t.float64)
FloatTensor = _made("FloatTensor", t.float32)
HalfTensor = _made("HalfTensor", t.float16)
IntTensor = _made("IntTensor", t.int32)
LongTensor = _made("LongTensor", t.int64)
ShortTensor = _made("ShortTensor", t.int16)
