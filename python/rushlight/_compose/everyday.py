"""Elementwise functions and questions about tensors, by PyTorch's names."""

from __future__ import annotations

import builtins
import math

from .. import _native as n
from .. import _types as t
from .._check import typed
from .._native import DType, Tensor
from .axes import Number
from .complex import imag, real
from .elementwise import _floats
from .precision import widened

__all__ = [
    "angle",
    "exp2",
    "float_power",
    "get_device",
    "heaviside",
    "is_complex",
    "is_floating_point",
    "is_nonzero",
    "is_same_size",
    "is_signed",
    "isreal",
    "ldexp",
    "logaddexp2",
    "promote_types",
    "sgn",
    "sinc",
    "spherical_bessel_j0",
]


def _real(input: Tensor) -> Tensor:
    """Return a floating-point or complex tensor; integers and bools are converted to the default dtype."""
    kept = input.dtype.is_floating_point or input.dtype.is_complex
    return input if kept else input.astype(n.get_default_dtype())


@typed
def exp2(input: Tensor) -> Tensor:
    """Returns 2 to the power of each element.

    Parameters
    ----------
    input
        Any shape.

    Returns
    -------
    Tensor
        Of the shape of `input`; integers give the default dtype.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.exp2(rl.tensor([0.0, 3.0])).tolist()
    [1.0, 8.0]
    """
    return n.pow(2.0, _real(input))


@typed
def sinc(input: Tensor) -> Tensor:
    """Returns ``sin(pi * x) / (pi * x)``, and 1 at 0.

    Parameters
    ----------
    input
        Any shape.

    Returns
    -------
    Tensor
        Of the shape of `input`; integers give the default dtype.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.sinc(rl.tensor([0.0])).tolist()
    [1.0]
    """
    x = _real(input)
    # float16 and bfloat16 are computed in float32 and rounded once.
    wide = widened(x)
    return _sine_quotient(wide * math.pi, _sine_of_half_turns(wide)).to(x.dtype)


def _sine_of_half_turns(x: Tensor) -> Tensor | None:
    """Return ``sin(pi * x)`` of real numbers, without the whole half turns, which rounding would change."""
    if not x.dtype.is_floating_point:
        return None
    whole = n.round(x.detach())
    sign = 1 - 2 * (whole - 2 * n.floor(whole * 0.5))
    return sign * n.sin((x - whole) * math.pi)


def _sine_quotient(y: Tensor, sine: Tensor | None = None) -> Tensor:
    """Return ``sin(y) / y``, where the sine may be given."""
    near = n.abs(y) < 0.5
    # Near 0 the Taylor series, whose gradient loses no digits; the quotient is taken at 1 there.
    far, square = n.where(near, 1.0, y), n.where(near, y * y, 0.0)
    series = n.ones_like(y)
    for k in range(14, 0, -2):
        series = 1 - square * series / (k * (k + 1))
    return n.where(near, series, (n.sin(far) if sine is None else sine) / far)


@typed
def spherical_bessel_j0(input: Tensor) -> Tensor:
    """Returns the spherical Bessel function of order 0, ``sin(x) / x``, and 1 at 0.

    Parameters
    ----------
    input
        Any shape and real dtype.

    Returns
    -------
    Tensor
        Of the dtype of `input`, the default dtype for integers; 0 at infinity.

    Raises
    ------
    TypeError
        If the dtype is complex.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.special.spherical_bessel_j0(rl.tensor([0.0, 1.0]))
    tensor([1.0000, 0.8415], dtype=float32, device='cpu')
    """
    if input.dtype.is_complex:
        raise TypeError(f"spherical_bessel_j0: complex numbers are not supported, got {input.dtype}")
    x = _real(input)
    infinite = n.isinf(x)
    found = _sine_quotient(n.where(infinite, 0.0, widened(x)))
    return n.where(infinite, 0.0, found).to(x.dtype)


@typed
def sgn(input: Tensor) -> Tensor:
    """Returns the signs of the elements: -1, 0 or 1. Of complex numbers it is x / abs(x), and 0 for 0.

    Parameters
    ----------
    input
        Any shape; integer, floating point or complex.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.sgn(rl.tensor([-2.0, 0.0, 3.0])).tolist()
    [-1.0, 0.0, 1.0]
    """
    return n._sgn(input) if input.dtype.is_complex else n.sign(input)


@typed
def angle(input: Tensor, *, deg: builtins.bool = False) -> Tensor:
    """Returns the angles of numbers in the complex plane in radians, in [-pi, pi].

    Parameters
    ----------
    input
        Any shape and dtype. The angle of a real number is pi if it is negative, otherwise 0.
    deg
        Whether the angles are in degrees.

    Returns
    -------
    Tensor
        Of the shape of `input` and the dtype of the parts; integers give the default dtype. NaN for NaN. The
        gradient at 0 is 0.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.angle(rl.tensor([2.0, -1.0])).tolist()
    [0.0, 3.1415927410125732]
    """
    if deg:
        return angle(input) * (180 / math.pi)
    if input.dtype.is_complex:
        y, x = imag(input), real(input)
        if not (n.is_grad_enabled() and input.requires_grad):
            return n.atan2(y, x)
        # The angle of 0 has no derivative; its gradient is 0, as in PyTorch.
        zero = input == 0
        known = n.atan2(y.detach(), x.detach())
        return n.where(zero, known, n.atan2(n.where(zero, 0.0, y), n.where(zero, 1.0, x)))
    x = _real(input)
    return n.where(n.isnan(x), x, n.where(x < 0, n.full_like(x, math.pi), n.zeros_like(x)))


@typed
def heaviside(input: Tensor, values: Tensor) -> Tensor:
    """Returns 0 for negative elements, 1 for positive ones, and a given number for 0.

    Parameters
    ----------
    input
        Any shape; integer or floating point.
    values
        The numbers for 0; a tensor of the same dtype that broadcasts.

    Returns
    -------
    Tensor
        Of the broadcast shape and the dtype of `input`.

    Raises
    ------
    TypeError
        If the dtypes differ.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.heaviside(rl.tensor([-1.0, 0.0, 2.0]), rl.tensor(0.5)).tolist()
    [0.0, 0.5, 1.0]
    """
    if input.dtype != values.dtype:
        raise TypeError(f"heaviside: expected one dtype, got {input.dtype} and {values.dtype}")
    return n.where(input == 0, values, (input > 0).astype(input.dtype))


@typed
def logaddexp2(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """Returns ``log2(2**input + 2**other)`` without overflow.

    Parameters
    ----------
    input, other
        Tensors, or one tensor and a number; shapes broadcast.

    Returns
    -------
    Tensor
        Of the broadcast shape; the promoted dtype, or float32 for integers.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.logaddexp2(rl.tensor([3.0, 1000.0]), rl.tensor([3.0, -1000.0])).tolist()
    [4.0, 1000.0]
    """
    a, b = _floats("logaddexp2", input, other)
    dtype = a.dtype
    a, b = widened(a), widened(b)
    # Equal infinities would give inf - inf.
    gap = n.where(a == b, n.zeros_like(a), -n.abs(a - b))
    out = n.maximum(a, b) + n.log1p(n.pow(2.0, gap)) * (1 / math.log(2))
    return out.to(dtype)


@typed
def float_power(input: Tensor | Number, exponent: Tensor | Number) -> Tensor:
    """Raises to a power in float64.

    Parameters
    ----------
    input, exponent
        Tensors, or one tensor and a number; shapes broadcast.

    Returns
    -------
    Tensor
        float64, or complex128 for complex numbers; of the broadcast shape.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.float_power(rl.tensor([2, 3]), -1.0).tolist()[0]
    0.5
    """
    dtype = t.complex128 if n._promote(input, exponent).is_complex else t.float64
    x, y = (v.astype(dtype) if isinstance(v, Tensor) else v for v in (input, exponent))
    return n.pow(x, y)


@typed
def ldexp(input: Tensor, other: Tensor | Number) -> Tensor:
    """Returns ``input * 2**other``.

    Parameters
    ----------
    input
        Any shape.
    other
        The exponents, usually integers; shapes broadcast.

    Returns
    -------
    Tensor
        Of the broadcast shape; floating point.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.ldexp(rl.tensor([1.0, 3.0]), rl.tensor([1, -1])).tolist()
    [2.0, 1.5]
    """
    return _real(input) * (exp2(other) if isinstance(other, Tensor) else 2.0**other)


@typed
def isreal(input: Tensor) -> Tensor:
    """Returns where elements have no imaginary part.

    Parameters
    ----------
    input
        Any shape and dtype.

    Returns
    -------
    Tensor
        bool, of the shape of `input`; True for every real number.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.isreal(rl.tensor([1.0, 2.0])).tolist()
    [True, True]
    """
    return imag(input) == 0 if input.dtype.is_complex else n.ones_like(input, dtype=t.bool)


@typed
def is_floating_point(input: Tensor) -> builtins.bool:
    """Returns whether the dtype is a real floating-point one.

    Parameters
    ----------
    input
        Any tensor.

    Returns
    -------
    bool
        True for float16, bfloat16, float32, float64 and float8_e4m3fn.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.is_floating_point(rl.ones(2)), rl.is_floating_point(rl.tensor([1]))
    (True, False)
    """
    return input.is_floating_point()


@typed
def is_complex(input: Tensor) -> builtins.bool:
    """Returns whether the dtype is complex.

    Parameters
    ----------
    input
        Any tensor.

    Returns
    -------
    bool
        True for complex64 and complex128.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.is_complex(rl.ones(2))
    False
    """
    return input.dtype.is_complex


@typed
def is_signed(input: Tensor) -> builtins.bool:
    """Returns whether the dtype has negative numbers.

    Parameters
    ----------
    input
        Any tensor.

    Returns
    -------
    bool
        False for bool and unsigned integers.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.is_signed(rl.tensor([1])), rl.is_signed(rl.tensor([True]))
    (True, False)
    """
    return input.dtype.kind not in ("bool", "unsigned integer")


@typed
def is_nonzero(input: Tensor) -> builtins.bool:
    """Returns whether the only element is not zero.

    Parameters
    ----------
    input
        A tensor of one element.

    Returns
    -------
    bool
        Whether the element differs from 0.

    Raises
    ------
    ValueError
        If there are several elements, or none.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.is_nonzero(rl.tensor([3.0]))
    True
    """
    if input.size != 1:
        raise ValueError(f"is_nonzero: expected a tensor of one element, got shape {input.shape}")
    return builtins.bool((input != 0).item())


@typed
def is_same_size(input: Tensor, other: Tensor) -> builtins.bool:
    """Returns whether two tensors have the same shape.

    Parameters
    ----------
    input, other
        Tensors of any dtypes.

    Returns
    -------
    bool
        Whether the shapes are equal.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.is_same_size(rl.ones(2), rl.ones(3))
    False
    """
    return input.shape == other.shape


@typed
def get_device(input: Tensor) -> int:
    """Returns the number of the GPU that a tensor is on.

    Parameters
    ----------
    input
        Any tensor.

    Returns
    -------
    int
        The number of the GPU; -1 for a tensor on the CPU.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.get_device(rl.ones(2))
    -1
    """
    index = input.device.index
    return -1 if index is None else index


def promote_types(type1: DType | str, type2: DType | str) -> DType:
    """Returns the dtype that two dtypes are promoted to.

    Parameters
    ----------
    type1, type2
        The dtypes, or their names.

    Returns
    -------
    DType
        As `result_type` of both.

    Raises
    ------
    TypeError
        If one is not a dtype, or the two are not promoted.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.promote_types(rl.int32, rl.float16)
    rushlight.float16
    """
    return n._promote(n._dtype(type1), n._dtype(type2))
