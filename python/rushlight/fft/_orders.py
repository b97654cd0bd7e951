"""Frequencies of the elements of a transform, and their order."""

from __future__ import annotations

from collections.abc import Sequence

from .. import _native as native
from .. import _types as t
from .._check import one_integer
from .._compose.axes import all_axes, axis_or_dim
from .._compose.shapes import roll
from .._native import Device, DType, Tensor


def _spaced(
    op: str, n: int, d: float, first: int, count: int, dtype: DType | str | None, device: Device | str | None
) -> Tensor:
    one_integer(n, f"{op}: n", or_bool=False)
    if n < 1:
        raise ValueError(f"{op}: n is {n}, and at least 1 is possible")
    numbers = native.arange(first, first + count, dtype=t.float64, device=device)
    return (numbers / (n * d)).astype(native.get_default_dtype() if dtype is None else dtype)


def fftfreq(
    n: int,
    d: float = 1.0,
    *,
    dtype: DType | str | None = None,
    device: Device | str | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Returns the frequencies of the elements of `fft`: ``0, 1, .., -2, -1`` divided by ``n * d``.

    Parameters
    ----------
    n
        The length of the transform.
    d
        The distance between samples of the signal.
    dtype
        The default dtype (float32, unless it was changed) by default.
    device
        The CPU by default.
    requires_grad
        Whether operations on the result are recorded.

    Returns
    -------
    Tensor
        Shape ``(n,)``. The second half has the negative frequencies.

    Raises
    ------
    ValueError
        If n is less than 1.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.fft.fftfreq(4).tolist()
    [0.0, 0.25, -0.5, -0.25]
    """
    return ifftshift(_spaced("fftfreq", n, d, -(n // 2), n, dtype, device)).requires_grad_(requires_grad)


def rfftfreq(
    n: int,
    d: float = 1.0,
    *,
    dtype: DType | str | None = None,
    device: Device | str | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Returns the frequencies of the elements of `rfft`: ``0, 1, .., n // 2`` divided by ``n * d``.

    Parameters
    ----------
    n
        The length of the transform.
    d
        The distance between samples of the signal.
    dtype
        The default dtype (float32, unless it was changed) by default.
    device
        The CPU by default.
    requires_grad
        Whether operations on the result are recorded.

    Returns
    -------
    Tensor
        Shape ``(n // 2 + 1,)``.

    Raises
    ------
    ValueError
        If n is less than 1.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.fft.rfftfreq(4).tolist()
    [0.0, 0.25, 0.5]
    """
    return _spaced("rfftfreq", n, d, 0, n // 2 + 1, dtype, device).requires_grad_(requires_grad)


def _shifted(
    op: str, x: Tensor, axes: Sequence[int] | int | None, dim: Sequence[int] | int | None, back: bool
) -> Tensor:
    if not isinstance(x, Tensor):
        raise TypeError(f"{op}: the input is a Tensor, got {type(x).__name__}")
    axes = axis_or_dim(axes, dim, None)
    found = list(range(x.ndim)) if axes is None else all_axes(op, axes, x.ndim)
    return roll(x, [-(x.shape[a] // 2) if back else x.shape[a] // 2 for a in found], found) if found else x


def fftshift(
    x: Tensor,
    /,
    axes: Sequence[int] | int | None = None,
    *,
    dim: Sequence[int] | int | None = None,
) -> Tensor:
    """Moves frequency 0 to the middle of the axes.

    Parameters
    ----------
    x
        Any shape and dtype.
    axes, dim
        The axes, under either name; all of them by default.

    Returns
    -------
    Tensor
        Of the shape and dtype of `x`.

    Raises
    ------
    TypeError
        If `x` is not a tensor.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.fft.fftshift(rl.fft.fftfreq(4)).tolist()
    [-0.5, -0.25, 0.0, 0.25]
    """
    return _shifted("fftshift", x, axes, dim, False)


def ifftshift(
    x: Tensor,
    /,
    axes: Sequence[int] | int | None = None,
    *,
    dim: Sequence[int] | int | None = None,
) -> Tensor:
    """Moves frequency 0 from the middle of the axes to their beginning: the inverse of `fftshift`.

    Parameters
    ----------
    x
        Any shape and dtype.
    axes, dim
        The axes, under either name; all of them by default.

    Returns
    -------
    Tensor
        Of the shape and dtype of `x`.

    Raises
    ------
    TypeError
        If `x` is not a tensor.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.fft.ifftshift(rl.tensor([-0.5, -0.25, 0.0, 0.25])).tolist()
    [0.0, 0.25, -0.5, -0.25]
    """
    return _shifted("ifftshift", x, axes, dim, True)
