"""Elementwise functions that are composed of others, and PyTorch's names for some."""

from __future__ import annotations

from .. import _native as n
from .. import _types as t
from .._check import typed
from .._native import DType, Tensor
from ..return_types import Frexp
from .axes import Number, device_of
from .shapes import broadcast_arrays

__all__ = [
    "copysign",
    "frexp",
    "hypot",
    "logaddexp",
    "nextafter",
    "signbit",
]


def _floats(op: str, x1: Tensor | Number, x2: Tensor | Number) -> tuple[Tensor, Tensor]:
    """Convert both arguments to floating-point tensors of one dtype."""
    dtype = n._promote(x1, x2)
    if dtype.is_complex:
        raise TypeError(f"{op}: complex numbers are not supported, got {dtype}")
    if not dtype.is_floating_point:
        dtype = t.float32
    return _of_dtype(dtype, x1, x2)


def _of_dtype(dtype: DType, x1: Tensor | Number, x2: Tensor | Number) -> tuple[Tensor, Tensor]:
    """Convert both arguments to tensors of a dtype."""
    device = device_of(x1, x2)

    def convert(x: Tensor | Number) -> Tensor:
        if isinstance(x, Tensor):
            return x.to(dtype)
        return n.full((), x, dtype=dtype, device=device)

    return convert(x1), convert(x2)


_SIGN_BITS: dict[str, DType] = {
    "float16": t.int16,
    "bfloat16": t.int16,
    "float32": t.int32,
    "float64": t.int64,
}


def _reread(x: Tensor, dtype: DType) -> Tensor:
    """Return the memory of a CPU tensor, in row-major order, as a vector of another dtype."""
    memory = n._Memory(x.contiguous())
    return n.frombuffer(memoryview(memory).cast("B") if x.size else b"", dtype)


def _bits(x: Tensor) -> Tensor:
    """Return a floating-point tensor's bits as signed integers of its width."""
    host = x.detach().cpu().contiguous()
    if x.dtype == t.bfloat16:
        # The upper half of a float32.
        whole = _reread(host.astype(t.float32), t.int32)
        bits = (whole >> 16).astype(t.int16)
    else:
        bits = _reread(host, _SIGN_BITS[x.dtype.name])
    return n.reshape(bits, x.shape).to(x.device)


@typed
def signbit(x: Tensor, /) -> Tensor:
    """Returns where the sign is minus, also of -0.0 and of negative NaN.

    Parameters
    ----------
    x
        Any shape; integer or floating point.

    Returns
    -------
    Tensor
        bool, of the shape of `x`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.signbit(rl.tensor([-0.0, 0.0])).tolist()
    [True, False]
    """
    if not x.dtype.is_floating_point:
        return x < 0
    return _bits(x) < 0


@typed
def copysign(x1: Tensor | Number, x2: Tensor | Number, /) -> Tensor:
    """Returns the magnitude of ``x1`` with the sign of ``x2``.

    Parameters
    ----------
    x1, x2
        Tensors, or one tensor and a number; shapes broadcast.

    Returns
    -------
    Tensor
        Of the broadcast shape; the promoted dtype, or float32 for integers.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.copysign(rl.tensor([1.0, -2.0]), -0.0).tolist()
    [-1.0, -2.0]
    """
    a, b = _floats("copysign", x1, x2)
    size = n.abs(a)
    return n.where(signbit(b), -size, size)


@typed
def nextafter(x1: Tensor | Number, x2: Tensor | Number, /) -> Tensor:
    """Returns the next representable number from ``x1`` towards ``x2``.

    Parameters
    ----------
    x1, x2
        float32 or float64 tensors, or one tensor and a number; shapes broadcast.

    Returns
    -------
    Tensor
        Of the broadcast shape and the promoted dtype.

    Raises
    ------
    TypeError
        If the promoted dtype is neither float32 nor float64.

    Examples
    --------
    >>> import rushlight as rl
    >>> bool((rl.nextafter(rl.ones(1), rl.tensor([2.0])) > 1).all())
    True
    """
    a, b = broadcast_arrays(*_floats("nextafter", x1, x2))
    if a.dtype not in (t.float32, t.float64):
        raise TypeError(f"nextafter is for float32 and float64, not {a.dtype}")
    bits = _bits(a)
    grows = (b > a) == (a > 0)
    step = n.where(grows, bits + 1, bits - 1)
    tiny = n.where(b > 0, n.ones_like(bits), n.full_like(bits, 1 - 2 ** (8 * a.dtype.itemsize - 1)))
    out = n.where(a == 0, tiny, step)
    moved = _reread(out.cpu(), a.dtype)
    moved = n.reshape(moved, a.shape).to(a.device)
    moved = n.where(a == b, b, moved)
    return n.where(n.logical_or(n.isnan(a), n.isnan(b)), a + b, moved)


@typed
def hypot(x1: Tensor | Number, x2: Tensor | Number, /) -> Tensor:
    """Returns ``sqrt(x1**2 + x2**2)`` without overflow of the squares.

    Parameters
    ----------
    x1, x2
        Tensors, or one tensor and a number; shapes broadcast.

    Returns
    -------
    Tensor
        Of the broadcast shape; the promoted dtype, or float32 for integers.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.hypot(rl.tensor([3.0]), rl.tensor([4.0])).tolist()
    [5.0]
    """
    a, b = _floats("hypot", x1, x2)
    # The absolute value of complex numbers is computed in this way.
    if a.dtype.itemsize >= 4:
        return n.abs(n._complex(a, b))
    return n.abs(n._complex(a.to(t.float32), b.to(t.float32))).to(a.dtype)


@typed
def logaddexp(x1: Tensor | Number, x2: Tensor | Number, /) -> Tensor:
    """Returns ``log(exp(x1) + exp(x2))`` without overflow.

    Parameters
    ----------
    x1, x2
        Tensors, or one tensor and a number; shapes broadcast.

    Returns
    -------
    Tensor
        Of the broadcast shape; the promoted dtype, or float32 for integers. Of complex numbers the logarithm
        whose imaginary part is near that of the argument with the larger real part.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.logaddexp(rl.tensor([1000.0]), rl.tensor([-1000.0])).tolist()
    [1000.0]
    """
    dtype = n._promote(x1, x2)
    if dtype.is_complex:
        z, w = _of_dtype(dtype, x1, x2)
        first = n._real(z) >= n._real(w)
        larger, other = n.where(first, z, w), n.where(first, w, z)
        return larger + n.log1p(n.exp(n.where(z == w, 0.0, other - larger)))
    a, b = _floats("logaddexp", x1, x2)
    high = n.maximum(a, b)
    # Equal infinities would give inf - inf.
    gap = n.where(a == b, n.zeros_like(high), -n.abs(a - b))
    return high + n.log1p(n.exp(gap))


@typed
def frexp(input: Tensor) -> Frexp:
    """Returns mantissas and exponents of 2, whose products ``mantissa * 2**exponent`` are the elements.

    Parameters
    ----------
    input
        Any shape and real dtype.

    Returns
    -------
    Frexp
        `mantissa`, from 0.5 to below 1 in absolute value, of the dtype of `input` (the default dtype for
        integers), and int32 `exponent`. Zeros, infinities and NaN stay, with the exponent 0.

    Raises
    ------
    TypeError
        If the dtype is complex.

    Examples
    --------
    >>> import rushlight as rl
    >>> mantissa, exponent = rl.frexp(rl.tensor([6.0, -0.25]))
    >>> mantissa.tolist(), exponent.tolist()
    ([0.75, -0.5], [3, -1])
    """
    if input.dtype.is_complex:
        raise TypeError(f"frexp: complex numbers are not supported, got {input.dtype}")
    x = input if input.dtype.is_floating_point else input.astype(n.get_default_dtype())
    size = n.abs(x.detach()).astype(t.float64)
    plain = n.logical_or(size == 0, n.logical_not(n.isfinite(size)))
    size = n.where(plain, 0.5, size)
    # Subnormal numbers are scaled first. The logarithm is rounded, so the mantissa is checked.
    small = size < 2.0**-1022
    size = n.where(small, size * 2.0**54, size)
    exponent = n.floor(n.log2(size)) + 1
    first, second = _power_of_two(-exponent)
    mantissa = size * first * second
    exponent = exponent + n.where(mantissa >= 1, 1.0, n.where(mantissa < 0.5, -1.0, 0.0))
    exponent = n.where(small, exponent - 54, exponent)
    first, second = (factor.astype(x.dtype) for factor in _power_of_two(-exponent))
    return Frexp(x * first * second, exponent.astype(t.int32))


def _power_of_two(exponent: Tensor) -> tuple[Tensor, Tensor]:
    """Return two powers of 2, of which the product may be out of range."""
    half = n.floor(exponent / 2)
    return n.pow(2.0, half), n.pow(2.0, exponent - half)
