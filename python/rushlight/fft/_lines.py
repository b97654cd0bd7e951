"""Transforms along one axis."""

from __future__ import annotations

from .. import _native as native
from .._compose.axes import axis_or_dim, one_axis
from .._native import Tensor
from ._parts import complexes, factor, inexact, length_of, sized, swapped


def _place(op: str, x: Tensor, axis: int, dim: int | None) -> int:
    if x.ndim == 0:
        raise IndexError(f"{op}: the input has rank 0, and a transform needs an axis")
    return one_axis(op, axis_or_dim(axis, dim, -1), x.ndim)


def line(op: str, x: Tensor, length: int | None, axis: int, norm: str | None, inverse: bool) -> Tensor:
    """Return the transform of complex numbers along an axis, which is not negative."""
    x = sized(op, x, axis, length)
    return native._fft(x, axis, inverse, factor(op, norm, x.shape[axis], inverse))


def real_line(op: str, x: Tensor, length: int | None, axis: int, norm: str | None) -> Tensor:
    """Return the first half of the transform of real numbers."""
    x = sized(op, x, axis, length)
    return native._rfft(x, axis, factor(op, norm, x.shape[axis], False))


def half_line(op: str, x: Tensor, length: int | None, axis: int, norm: str | None) -> Tensor:
    """Return the real numbers whose transform has this first half."""
    length = length_of(op, 2 * (x.shape[axis] - 1) if length is None else length, axis)
    x = sized(op, x, axis, length // 2 + 1)
    return native._irfft(x, length, axis, factor(op, norm, length, True))


def fft(
    x: Tensor,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = "backward",
    *,
    dim: int | None = None,
) -> Tensor:
    """Returns the discrete Fourier transform along an axis: ``sum(x[j] * exp(-2 pi i j k / n))`` for each k.

    Parameters
    ----------
    x
        Rank 1 or more; float32, float64 or complex. Integers are converted to float32.
    n
        The length of the transform: elements beyond it are left out, missing ones are 0. The size of the
        axis by
        default.
    axis, dim
        The axis, under either name; the last one by default.
    norm
        ``"backward"`` multiplies by 1, ``"ortho"`` by ``1 / sqrt(n)``, and ``"forward"`` by ``1 / n``.

    Returns
    -------
    Tensor
        complex64, or complex128 for float64 and complex128.

    Raises
    ------
    ValueError
        If the length is less than 1, or `norm` is another word.
    TypeError
        If the dtype is float16 or bfloat16.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.fft.fft(rl.tensor([1.0, 2.0, 3.0, 4.0])).tolist()
    [(10+0j), (-2+2j), (-2+0j), (-2-2j)]
    """
    z = complexes("fft", x)
    return line("fft", z, n, _place("fft", z, axis, dim), norm, False)


def ifft(
    x: Tensor,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = "backward",
    *,
    dim: int | None = None,
) -> Tensor:
    """Returns the inverse of `fft` along an axis: ``sum(x[k] * exp(2 pi i j k / n)) / n`` for each j.

    Parameters
    ----------
    x
        Rank 1 or more; float32, float64 or complex. Integers are converted to float32.
    n
        The length of the transform: elements beyond it are left out, missing ones are 0.
    axis, dim
        The axis, under either name; the last one by default.
    norm
        ``"backward"`` multiplies by ``1 / n``, ``"ortho"`` by ``1 / sqrt(n)``, and ``"forward"`` by 1.

    Returns
    -------
    Tensor
        complex64, or complex128 for float64 and complex128.

    Raises
    ------
    ValueError
        If the length is less than 1, or `norm` is another word.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.fft.ifft(rl.tensor([10 + 0j, -2 + 2j, -2 + 0j, -2 - 2j])).tolist()
    [(1+0j), (2+0j), (3+0j), (4+0j)]
    """
    z = complexes("ifft", x)
    return line("ifft", z, n, _place("ifft", z, axis, dim), norm, True)


def rfft(
    x: Tensor,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = "backward",
    *,
    dim: int | None = None,
) -> Tensor:
    """Returns the first ``n // 2 + 1`` elements of the transform of real numbers.

    The other elements are the conjugates of these.

    Parameters
    ----------
    x
        Rank 1 or more; float32 or float64. Integers are converted to float32.
    n
        The length of the transform: elements beyond it are left out, missing ones are 0.
    axis, dim
        The axis, under either name; the last one by default.
    norm
        ``"backward"`` multiplies by 1, ``"ortho"`` by ``1 / sqrt(n)``, and ``"forward"`` by ``1 / n``.

    Returns
    -------
    Tensor
        complex64 or complex128.

    Raises
    ------
    TypeError
        If `x` is complex, float16 or bfloat16.
    ValueError
        If the length is less than 1, or `norm` is another word.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.fft.rfft(rl.tensor([1.0, 2.0, 3.0, 4.0])).tolist()
    [(10+0j), (-2+2j), (-2+0j)]
    """
    x = inexact("rfft", x, real=True)
    return real_line("rfft", x, n, _place("rfft", x, axis, dim), norm)


def irfft(
    x: Tensor,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = "backward",
    *,
    dim: int | None = None,
) -> Tensor:
    """Returns the inverse of `rfft`: n real numbers from the first half of their transform.

    The imaginary part of the first element has no effect, nor has that of the last one if n is even.

    Parameters
    ----------
    x
        Rank 1 or more; complex. Real numbers are converted.
    n
        The length of the result, ``2 * (x.shape[axis] - 1)`` by default. Elements of `x` beyond ``n // 2 +
        1`` are
        left out, missing ones are 0.
    axis, dim
        The axis, under either name; the last one by default.
    norm
        ``"backward"`` multiplies by ``1 / n``, ``"ortho"`` by ``1 / sqrt(n)``, and ``"forward"`` by 1.

    Returns
    -------
    Tensor
        float32 or float64.

    Raises
    ------
    ValueError
        If the length is less than 1, or `norm` is another word.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.fft.irfft(rl.tensor([10 + 0j, -2 + 2j, -2 + 0j])).tolist()
    [1.0, 2.0, 3.0, 4.0]
    """
    z = complexes("irfft", x)
    return half_line("irfft", z, n, _place("irfft", z, axis, dim), norm)


def hfft(
    x: Tensor,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = "backward",
    *,
    dim: int | None = None,
) -> Tensor:
    """Returns the transform of a signal that is the conjugate of itself reversed: real numbers.

    Parameters
    ----------
    x
        The first ``n // 2 + 1`` elements of the signal: rank 1 or more; complex. Real numbers are converted.
    n
        The length of the result, ``2 * (x.shape[axis] - 1)`` by default.
    axis, dim
        The axis, under either name; the last one by default.
    norm
        ``"backward"`` multiplies by 1, ``"ortho"`` by ``1 / sqrt(n)``, and ``"forward"`` by ``1 / n``.

    Returns
    -------
    Tensor
        Real: float32 or float64.

    Raises
    ------
    ValueError
        If the length is less than 1, or `norm` is another word.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.fft.hfft(rl.tensor([1 + 0j, 2 + 1j, 3 + 0j])).tolist()
    [8.0, 0.0, 0.0, -4.0]
    """
    z = complexes("hfft", x).conj()
    return half_line("hfft", z, n, _place("hfft", z, axis, dim), swapped(norm))


def ihfft(
    x: Tensor,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = "backward",
    *,
    dim: int | None = None,
) -> Tensor:
    """Returns the inverse of `hfft`: the first ``n // 2 + 1`` elements of a signal whose transform is real.

    Parameters
    ----------
    x
        Rank 1 or more; float32 or float64. Integers are converted to float32.
    n
        The length of the transform: elements beyond it are left out, missing ones are 0.
    axis, dim
        The axis, under either name; the last one by default.
    norm
        ``"backward"`` multiplies by ``1 / n``, ``"ortho"`` by ``1 / sqrt(n)``, and ``"forward"`` by 1.

    Returns
    -------
    Tensor
        complex64 or complex128.

    Raises
    ------
    TypeError
        If `x` is complex, float16 or bfloat16.
    ValueError
        If the length is less than 1, or `norm` is another word.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.fft.ihfft(rl.tensor([8.0, 0.0, 0.0, -4.0])).tolist()
    [(1-0j), (2+1j), (3-0j)]
    """
    x = inexact("ihfft", x, real=True)
    return real_line("ihfft", x, n, _place("ihfft", x, axis, dim), swapped(norm)).conj()
