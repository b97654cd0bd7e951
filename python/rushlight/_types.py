"""Dtype objects and constants of the namespace."""

from __future__ import annotations

import builtins
import math
from typing import Final, TypeAlias

from ._native import DType, _dtype

__all__ = [
    "bf16",
    "bfloat16",
    "bool",
    "c64",
    "c128",
    "cdouble",
    "cfloat",
    "complex64",
    "complex128",
    "double",
    "dtype",
    "e",
    "f8e4m3",
    "f16",
    "f32",
    "f64",
    "float8_e4m3fn",
    "float16",
    "float32",
    "float64",
    "half",
    "i8",
    "i16",
    "i32",
    "i64",
    "inf",
    "int8",
    "int16",
    "int32",
    "int64",
    "long",
    "nan",
    "newaxis",
    "pi",
    "short",
    "u8",
    "u16",
    "u32",
    "u64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]

# PyTorch's and NumPy's name of the class: an annotation, the second argument of `isinstance`, and a call.
dtype: TypeAlias = DType

bool: Final[DType] = _dtype("bool")
int8: Final[DType] = _dtype("int8")
int16: Final[DType] = _dtype("int16")
int32: Final[DType] = _dtype("int32")
int64: Final[DType] = _dtype("int64")
uint8: Final[DType] = _dtype("uint8")
uint16: Final[DType] = _dtype("uint16")
uint32: Final[DType] = _dtype("uint32")
uint64: Final[DType] = _dtype("uint64")
float8_e4m3fn: Final[DType] = _dtype("float8_e4m3fn")
bfloat16: Final[DType] = _dtype("bfloat16")
float16: Final[DType] = _dtype("float16")
float32: Final[DType] = _dtype("float32")
float64: Final[DType] = _dtype("float64")
complex64: Final[DType] = _dtype("complex64")
complex128: Final[DType] = _dtype("complex128")

# PyTorch's names. `float` and `int` are names of the package, and not in the list for ``import *``, which
# would hide Python's own.
cdouble: Final[DType] = complex128
cfloat: Final[DType] = complex64
double: Final[DType] = float64
float: Final[DType] = float32
half: Final[DType] = float16
int: Final[DType] = int32
long: Final[DType] = int64
short: Final[DType] = int16

i8: Final[DType] = int8
i16: Final[DType] = int16
i32: Final[DType] = int32
i64: Final[DType] = int64
u8: Final[DType] = uint8
u16: Final[DType] = uint16
u32: Final[DType] = uint32
u64: Final[DType] = uint64
f8e4m3: Final[DType] = float8_e4m3fn
bf16: Final[DType] = bfloat16
f16: Final[DType] = float16
f32: Final[DType] = float32
f64: Final[DType] = float64
c64: Final[DType] = complex64
c128: Final[DType] = complex128

e: Final[builtins.float] = math.e
inf: Final[builtins.float] = math.inf
nan: Final[builtins.float] = math.nan
newaxis: Final[None] = None
pi: Final[builtins.float] = math.pi
