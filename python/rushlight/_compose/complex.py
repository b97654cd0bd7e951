"""Complex numbers: their parts, and numbers made of parts."""

from __future__ import annotations

from collections.abc import Callable

from .. import _native as n
from .._check import typed
from .._native import Tensor

__all__ = ["complex", "conj", "imag", "polar", "real", "view_as_complex", "view_as_real"]


def is_complex(x: Tensor) -> bool:
    """Return whether the dtype is complex."""
    return x.dtype.is_complex


def by_parts(function: Callable[..., Tensor], *tensors: Tensor) -> Tensor:
    """Return the complex numbers whose parts a function gives for the parts of complex tensors."""
    return n._complex(*(function(*(part(x) for x in tensors)) for part in (n._real, n._imag)))


@typed
def real(x: Tensor, /) -> Tensor:
    """Returns the real part.

    Parameters
    ----------
    x
        Any shape and dtype.

    Returns
    -------
    Tensor
        float32 for a complex64 tensor, float64 for a complex128 one, and a copy; else `x` itself.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.real(rl.tensor([1 + 2j])).tolist()
    [1.0]
    """
    return n._real(x) if is_complex(x) else x


@typed
def imag(x: Tensor, /) -> Tensor:
    """Returns the imaginary part of a complex tensor.

    Parameters
    ----------
    x
        Any shape; complex.

    Returns
    -------
    Tensor
        float32 or float64, of the shape of `x`; a copy.

    Raises
    ------
    TypeError
        If `x` is not complex.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.imag(rl.tensor([1 + 2j])).tolist()
    [2.0]
    """
    if not is_complex(x):
        raise TypeError(f"imag is for complex tensors, not {x.dtype}")
    return n._imag(x)


@typed
def conj(x: Tensor, /) -> Tensor:
    """Returns the complex conjugate, which is `x` itself for a real tensor.

    Parameters
    ----------
    x
        Any shape and dtype.

    Returns
    -------
    Tensor
        A copy for a complex tensor, else `x` itself.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.conj(rl.tensor([1 + 2j])).tolist()
    [(1-2j)]
    """
    return n.conj_physical(x) if is_complex(x) else x


@typed
def complex(real: Tensor, imag: Tensor) -> Tensor:
    """Returns complex numbers made of their real and imaginary parts.

    Parameters
    ----------
    real, imag
        float32 or float64. They are promoted to one dtype and broadcast to one shape.

    Returns
    -------
    Tensor
        complex64 or complex128.

    Raises
    ------
    TypeError
        If the dtype is another one.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.complex(rl.tensor([1.0]), rl.tensor([2.0])).tolist()
    [(1+2j)]
    """
    return n._complex(real, imag)


@typed
def polar(abs: Tensor, angle: Tensor) -> Tensor:
    """Returns complex numbers made of their absolute values and angles: abs * (cos(angle) + i sin(angle)).

    Parameters
    ----------
    abs, angle
        float32 or float64; angles in radians. They are promoted to one dtype and broadcast to one shape.

    Returns
    -------
    Tensor
        complex64 or complex128.

    Raises
    ------
    TypeError
        If the dtype is another one.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.polar(rl.tensor([2.0]), rl.tensor([0.0])).tolist()
    [(2+0j)]
    """
    return n._complex(abs * n.cos(angle), abs * n.sin(angle))


@typed
def view_as_real(input: Tensor) -> Tensor:
    """Returns the real and the imaginary parts, as a new last dimension of size 2.

    Unlike PyTorch's, the result is a copy.

    Parameters
    ----------
    input
        Any shape; complex.

    Returns
    -------
    Tensor
        float32 or float64, of shape (.., 2).

    Raises
    ------
    TypeError
        If `input` is not complex.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.view_as_real(rl.tensor([1 + 2j])).tolist()
    [[1.0, 2.0]]
    """
    if not is_complex(input):
        raise TypeError(f"view_as_real is for complex tensors, not {input.dtype}")
    return n.stack([n._real(input), n._imag(input)], axis=-1)


@typed
def view_as_complex(input: Tensor) -> Tensor:
    """Returns complex numbers whose real and imaginary parts the last dimension holds.

    Unlike PyTorch's, the result is a copy.

    Parameters
    ----------
    input
        float32 or float64, of shape (.., 2).

    Returns
    -------
    Tensor
        complex64 or complex128, without the last dimension.

    Raises
    ------
    TypeError
        If the dtype is another one.
    ValueError
        If the last dimension does not have size 2.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.view_as_complex(rl.tensor([[1.0, 2.0]])).tolist()
    [(1+2j)]
    """
    if input.ndim == 0 or input.shape[-1] != 2:
        raise ValueError(f"view_as_complex: the last dimension must have size 2; the shape is {input.shape}")
    return n._complex(input[..., 0], input[..., 1])
