"""Transforms along several axes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .. import _native as native
from .._compose.axes import axis_or_dim
from .._native import Tensor
from ._parts import complexes, factor, inexact, length_of, places, sized, swapped

Axes = Sequence[int] | int | None
LAST_TWO = (-2, -1)


def _along(op: str, x: Tensor, s: Axes, axes: Axes, norm: str | None, inverse: bool) -> Tensor:
    """Return the transform of complex numbers; the last of the transforms multiplies by the factor."""
    found, lengths = places(op, x, s, axes)
    for axis, length in zip(found, lengths, strict=True):
        x = sized(op, x, axis, length)
    by = factor(op, norm, math.prod(x.shape[a] for a in found), inverse)
    for i, axis in enumerate(reversed(found), 1):
        x = native._fft(x, axis, inverse, by if i == len(found) else 1.0)
    return x


def _of_real(op: str, x: Tensor, s: Axes, axes: Axes, norm: str | None) -> Tensor:
    """Return the half of the transform of real numbers."""
    found, lengths = places(op, x, s, axes)
    if not found:
        raise ValueError(f"{op}: a transform of real numbers needs at least 1 axis")
    for axis, length in zip(found, lengths, strict=True):
        x = sized(op, x, axis, length)
    by = factor(op, norm, math.prod(x.shape[a] for a in found), False)
    *others, last = found
    z = native._rfft(x, last, 1.0 if others else by)
    for i, axis in enumerate(reversed(others), 1):
        z = native._fft(z, axis, False, by if i == len(others) else 1.0)
    return z


def _to_real(op: str, z: Tensor, s: Axes, axes: Axes, norm: str | None) -> Tensor:
    """Return the real numbers whose transform has this half."""
    found, lengths = places(op, z, s, axes)
    if not found:
        raise ValueError(f"{op}: a transform to real numbers needs at least 1 axis")
    *others, last = found
    length = length_of(op, 2 * (z.shape[last] - 1) if lengths[-1] is None else lengths[-1], last)
    for axis, size in zip(others, lengths[:-1], strict=True):
        z = sized(op, z, axis, size)
    z = sized(op, z, last, length // 2 + 1)
    by = factor(op, norm, length * math.prod(z.shape[a] for a in others), True)
    for axis in others:
        z = native._fft(z, axis, True, 1.0)
    return native._irfft(z, length, last, by)


def fftn(
    x: Tensor,
    /,
    s: Axes = None,
    axes: Axes = None,
    norm: str | None = "backward",
    *,
    dim: Axes = None,
) -> Tensor:
    """Returns the discrete Fourier transform along several axes.

    Parameters
    ----------
    x
        Any shape; float32, float64 or complex. Integers are converted to float32.
    s
        Lengths of the transforms: elements beyond them are left out, missing ones are 0, and -1 keeps the
        size.
    axes, dim
        The axes, under either name; by default all of them, or the last ones if `s` is given.
    norm
        ``"backward"`` multiplies by 1, ``"ortho"`` by one over the root of the number of elements, and
        ``"forward"`` by
        one over their number.

    Returns
    -------
    Tensor
        complex64, or complex128 for float64 and complex128.

    Raises
    ------
    ValueError
        If a length is less than 1, the numbers of lengths and axes differ, or `norm` is another word.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.fft.fftn(rl.tensor([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [[(10+0j), (-2+0j)], [(-4+0j), 0j]]
    """
    return _along("fftn", complexes("fftn", x), s, axis_or_dim(axes, dim, None), norm, False)


def ifftn(
    x: Tensor,
    /,
    s: Axes = None,
    axes: Axes = None,
    norm: str | None = "backward",
    *,
    dim: Axes = None,
) -> Tensor:
    """Returns the inverse of `fftn`.

    Parameters
    ----------
    x
        Any shape; float32, float64 or complex. Integers are converted to float32.
    s
        Lengths of the transforms: elements beyond them are left out, missing ones are 0, and -1 keeps the
        size.
    axes, dim
        The axes, under either name; by default all of them, or the last ones if `s` is given.
    norm
        ``"backward"`` divides by the number of elements, ``"ortho"`` by its root, and ``"forward"`` by 1.

    Returns
    -------
    Tensor
        complex64, or complex128 for float64 and complex128.

    Raises
    ------
    ValueError
        If a length is less than 1, the numbers of lengths and axes differ, or `norm` is another word.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.fft.ifftn(rl.tensor([[10.0, -2.0], [-4.0, 0.0]])).real.tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    return _along("ifftn", complexes("ifftn", x), s, axis_or_dim(axes, dim, None), norm, True)


def rfftn(
    x: Tensor,
    /,
    s: Axes = None,
    axes: Axes = None,
    norm: str | None = "backward",
    *,
    dim: Axes = None,
) -> Tensor:
    """Returns the transform of real numbers along several axes, of which the last one keeps its first half.

    Parameters
    ----------
    x
        Any shape; float32 or float64. Integers are converted to float32.
    s
        Lengths of the transforms: elements beyond them are left out, missing ones are 0, and -1 keeps the
        size.
    axes, dim
        The axes, under either name; by default all of them, or the last ones if `s` is given.
    norm
        ``"backward"`` multiplies by 1, ``"ortho"`` by one over the root of the number of elements, and
        ``"forward"`` by
        one over their number.

    Returns
    -------
    Tensor
        complex64 or complex128; the last of the axes has ``n // 2 + 1`` elements.

    Raises
    ------
    ValueError
        If a length is less than 1, the numbers of lengths and axes differ, or `norm` is another word.
    TypeError
        If `x` is complex, float16 or bfloat16.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.fft.rfftn(rl.ones((2, 4))).real.tolist()
    [[8.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    return _of_real("rfftn", inexact("rfftn", x, real=True), s, axis_or_dim(axes, dim, None), norm)


def irfftn(
    x: Tensor,
    /,
    s: Axes = None,
    axes: Axes = None,
    norm: str | None = "backward",
    *,
    dim: Axes = None,
) -> Tensor:
    """Returns the inverse of `rfftn`: real numbers.

    Parameters
    ----------
    x
        Any shape; complex. Real numbers are converted.
    s
        Lengths of the result along the axes; -1 keeps the size. The last one is twice the size less 2 by
        default.
    axes, dim
        The axes, under either name; by default all of them, or the last ones if `s` is given.
    norm
        ``"backward"`` divides by the number of elements, ``"ortho"`` by its root, and ``"forward"`` by 1.

    Returns
    -------
    Tensor
        Real: float32 or float64.

    Raises
    ------
    ValueError
        If a length is less than 1, the numbers of lengths and axes differ, or `norm` is another word.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.fft.irfftn(rl.fft.rfftn(rl.tensor([[1.0, 2.0], [3.0, 4.0]]))).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    return _to_real("irfftn", complexes("irfftn", x), s, axis_or_dim(axes, dim, None), norm)


def hfftn(
    x: Tensor,
    /,
    s: Axes = None,
    axes: Axes = None,
    norm: str | None = "backward",
    *,
    dim: Axes = None,
) -> Tensor:
    """Returns the transform along several axes of a signal that is the conjugate of itself reversed.

    Parameters
    ----------
    x
        Any shape; complex. Real numbers are converted.
    s
        Lengths of the result along the axes; -1 keeps the size. The last one is twice the size less 2 by
        default.
    axes, dim
        The axes, under either name; by default all of them, or the last ones if `s` is given.
    norm
        ``"backward"`` multiplies by 1, ``"ortho"`` by one over the root of the number of elements, and
        ``"forward"`` by
        one over their number.

    Returns
    -------
    Tensor
        Real: float32 or float64.

    Raises
    ------
    ValueError
        If a length is less than 1, the numbers of lengths and axes differ, or `norm` is another word.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.fft.hfftn(rl.fft.ihfftn(rl.tensor([[1.0, 2.0], [3.0, 4.0]]))).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    return _to_real("hfftn", complexes("hfftn", x).conj(), s, axis_or_dim(axes, dim, None), swapped(norm))


def ihfftn(
    x: Tensor,
    /,
    s: Axes = None,
    axes: Axes = None,
    norm: str | None = "backward",
    *,
    dim: Axes = None,
) -> Tensor:
    """Returns the inverse of `hfftn`.

    Parameters
    ----------
    x
        Any shape; float32 or float64. Integers are converted to float32.
    s
        Lengths of the transforms: elements beyond them are left out, missing ones are 0, and -1 keeps the
        size.
    axes, dim
        The axes, under either name; by default all of them, or the last ones if `s` is given.
    norm
        ``"backward"`` divides by the number of elements, ``"ortho"`` by its root, and ``"forward"`` by 1.

    Returns
    -------
    Tensor
        complex64 or complex128; the last of the axes has ``n // 2 + 1`` elements.

    Raises
    ------
    ValueError
        If a length is less than 1, the numbers of lengths and axes differ, or `norm` is another word.
    TypeError
        If `x` is complex, float16 or bfloat16.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.fft.ihfftn(rl.ones((2, 4))).real.tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    return _of_real(
        "ihfftn", inexact("ihfftn", x, real=True), s, axis_or_dim(axes, dim, None), swapped(norm)
    ).conj()


def fft2(
    x: Tensor,
    /,
    s: Axes = None,
    axes: Axes = LAST_TWO,
    norm: str | None = "backward",
    *,
    dim: Axes = None,
) -> Tensor:
    """Returns the discrete Fourier transform along two axes: `fftn` of the last two by default.

    Parameters
    ----------
    x
        Any shape; float32, float64 or complex. Integers are converted to float32.
    s
        Lengths of the transforms: elements beyond them are left out, missing ones are 0, and -1 keeps the
        size.
    axes, dim
        The two axes, under either name; the last two by default.
    norm
        ``"backward"`` multiplies by 1, ``"ortho"`` by one over the root of the number of elements, and
        ``"forward"`` by
        one over their number.

    Returns
    -------
    Tensor
        complex64, or complex128 for float64 and complex128.

    Raises
    ------
    ValueError
        If a length is less than 1, the numbers of lengths and axes differ, or `norm` is another word.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.fft.fft2(rl.tensor([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [[(10+0j), (-2+0j)], [(-4+0j), 0j]]
    """
    return _along("fft2", complexes("fft2", x), s, axis_or_dim(axes, dim, LAST_TWO), norm, False)


def ifft2(
    x: Tensor,
    /,
    s: Axes = None,
    axes: Axes = LAST_TWO,
    norm: str | None = "backward",
    *,
    dim: Axes = None,
) -> Tensor:
    """Returns the inverse of `fft2`.

    Parameters
    ----------
    x
        Any shape; float32, float64 or complex. Integers are converted to float32.
    s
        Lengths of the transforms: elements beyond them are left out, missing ones are 0, and -1 keeps the
        size.
    axes, dim
        The two axes, under either name; the last two by default.
    norm
        ``"backward"`` divides by the number of elements, ``"ortho"`` by its root, and ``"forward"`` by 1.

    Returns
    -------
    Tensor
        complex64, or complex128 for float64 and complex128.

    Raises
    ------
    ValueError
        If a length is less than 1, the numbers of lengths and axes differ, or `norm` is another word.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.fft.ifft2(rl.tensor([[10.0, -2.0], [-4.0, 0.0]])).real.tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    return _along("ifft2", complexes("ifft2", x), s, axis_or_dim(axes, dim, LAST_TWO), norm, True)


def rfft2(
    x: Tensor,
    /,
    s: Axes = None,
    axes: Axes = LAST_TWO,
    norm: str | None = "backward",
    *,
    dim: Axes = None,
) -> Tensor:
    """Returns the transform of real numbers along two axes, of which the last one keeps its first half.

    Parameters
    ----------
    x
        Any shape; float32 or float64. Integers are converted to float32.
    s
        Lengths of the transforms: elements beyond them are left out, missing ones are 0, and -1 keeps the
        size.
    axes, dim
        The two axes, under either name; the last two by default.
    norm
        ``"backward"`` multiplies by 1, ``"ortho"`` by one over the root of the number of elements, and
        ``"forward"`` by
        one over their number.

    Returns
    -------
    Tensor
        complex64 or complex128; the last of the axes has ``n // 2 + 1`` elements.

    Raises
    ------
    ValueError
        If a length is less than 1, the numbers of lengths and axes differ, or `norm` is another word.
    TypeError
        If `x` is complex, float16 or bfloat16.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.fft.rfft2(rl.ones((2, 4))).real.tolist()
    [[8.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    return _of_real("rfft2", inexact("rfft2", x, real=True), s, axis_or_dim(axes, dim, LAST_TWO), norm)


def irfft2(
    x: Tensor,
    /,
    s: Axes = None,
    axes: Axes = LAST_TWO,
    norm: str | None = "backward",
    *,
    dim: Axes = None,
) -> Tensor:
    """Returns the inverse of `rfft2`: real numbers.

    Parameters
    ----------
    x
        Any shape; complex. Real numbers are converted.
    s
        Lengths of the result along the axes; -1 keeps the size. The last one is twice the size less 2 by
        default.
    axes, dim
        The two axes, under either name; the last two by default.
    norm
        ``"backward"`` divides by the number of elements, ``"ortho"`` by its root, and ``"forward"`` by 1.

    Returns
    -------
    Tensor
        Real: float32 or float64.

    Raises
    ------
    ValueError
        If a length is less than 1, the numbers of lengths and axes differ, or `norm` is another word.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.fft.irfft2(rl.fft.rfft2(rl.tensor([[1.0, 2.0], [3.0, 4.0]]))).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    return _to_real("irfft2", complexes("irfft2", x), s, axis_or_dim(axes, dim, LAST_TWO), norm)


def hfft2(
    x: Tensor,
    /,
    s: Axes = None,
    axes: Axes = LAST_TWO,
    norm: str | None = "backward",
    *,
    dim: Axes = None,
) -> Tensor:
    """Returns the transform along two axes of a signal that is the conjugate of itself reversed.

    Parameters
    ----------
    x
        Any shape; complex. Real numbers are converted.
    s
        Lengths of the result along the axes; -1 keeps the size. The last one is twice the size less 2 by
        default.
    axes, dim
        The two axes, under either name; the last two by default.
    norm
        ``"backward"`` multiplies by 1, ``"ortho"`` by one over the root of the number of elements, and
        ``"forward"`` by
        one over their number.

    Returns
    -------
    Tensor
        Real: float32 or float64.

    Raises
    ------
    ValueError
        If a length is less than 1, the numbers of lengths and axes differ, or `norm` is another word.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.fft.hfft2(rl.fft.ihfft2(rl.tensor([[1.0, 2.0], [3.0, 4.0]]))).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    return _to_real("hfft2", complexes("hfft2", x).conj(), s, axis_or_dim(axes, dim, LAST_TWO), swapped(norm))


def ihfft2(
    x: Tensor,
    /,
    s: Axes = None,
    axes: Axes = LAST_TWO,
    norm: str | None = "backward",
    *,
    dim: Axes = None,
) -> Tensor:
    """Returns the inverse of `hfft2`.

    Parameters
    ----------
    x
        Any shape; float32 or float64. Integers are converted to float32.
    s
        Lengths of the transforms: elements beyond them are left out, missing ones are 0, and -1 keeps the
        size.
    axes, dim
        The two axes, under either name; the last two by default.
    norm
        ``"backward"`` divides by the number of elements, ``"ortho"`` by its root, and ``"forward"`` by 1.

    Returns
    -------
    Tensor
        complex64 or complex128; the last of the axes has ``n // 2 + 1`` elements.

    Raises
    ------
    ValueError
        If a length is less than 1, the numbers of lengths and axes differ, or `norm` is another word.
    TypeError
        If `x` is complex, float16 or bfloat16.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.fft.ihfft2(rl.ones((2, 4))).real.tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    return _of_real(
        "ihfft2", inexact("ihfft2", x, real=True), s, axis_or_dim(axes, dim, LAST_TWO), swapped(norm)
    ).conj()
