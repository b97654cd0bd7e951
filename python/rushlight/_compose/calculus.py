"""Integrals and derivatives along axes, by PyTorch's names."""

from __future__ import annotations

import builtins
from collections.abc import Sequence

from .. import _native as n
from .._check import typed
from .._native import Tensor
from .axes import all_axes, axis_or_dim, one_axis
from .everyday import _real
from .sets import cumsum, diff

__all__ = ["cumulative_trapezoid", "gradient", "trapezoid"]


def _areas(op: str, y: Tensor, x: Tensor | None, dx: float | None, dim: int) -> tuple[Tensor, int]:
    """Return the areas between neighbouring points, and the axis."""
    at = one_axis(op, dim, y.ndim)
    if x is not None and dx is not None:
        raise ValueError(f"{op}: x and dx are two descriptions of the steps; give one")
    count = builtins.max(0, y.shape[at] - 1)
    head, tail = y.narrow(at, 0, count), y.narrow(at, y.shape[at] - count, count)
    middle = (head + tail) / 2
    if x is None:
        return middle * (1.0 if dx is None else dx), at
    if x.ndim == 1:
        x = n.reshape(x, (x.size,) + (1,) * (y.ndim - 1 - at))
    steps = diff(x, axis=at - y.ndim)
    if steps.shape[at - y.ndim] != count:
        raise ValueError(f"{op}: shapes {x.shape} and {y.shape} differ in the axis of integration")
    return middle * steps, at


def trapezoid(
    y: Tensor,
    x: Tensor | None = None,
    *,
    dx: float | None = None,
    dim: int = -1,
    axis: int | None = None,
) -> Tensor:
    """Integrates along an axis by the trapezoidal rule.

    Parameters
    ----------
    y
        The values.
    x
        The points: a vector, or a tensor that broadcasts to `y`.
    dx
        The distance of the points, instead of `x`; 1 by default.
    dim, axis
        The axis, by either name.

    Returns
    -------
    Tensor
        The shape of `y` without the axis.

    Raises
    ------
    ValueError
        If both `x` and `dx` are given, or the sizes differ.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.trapezoid(rl.tensor([1.0, 3.0]), rl.tensor([0.0, 2.0])).item()
    4.0
    """
    dim = axis_or_dim(dim, axis, -1)
    areas, at = _areas("trapezoid", y, x, dx, dim)
    return n.sum(areas, axis=at)


def cumulative_trapezoid(
    y: Tensor,
    x: Tensor | None = None,
    *,
    dx: float | None = None,
    dim: int = -1,
    axis: int | None = None,
) -> Tensor:
    """Integrates along an axis up to each point but the first, by the trapezoidal rule.

    Parameters
    ----------
    y
        The values.
    x
        The points: a vector, or a tensor that broadcasts to `y`.
    dx
        The distance of the points, instead of `x`; 1 by default.
    dim, axis
        The axis, by either name.

    Returns
    -------
    Tensor
        The shape of `y` with one entry less along the axis.

    Raises
    ------
    ValueError
        If both `x` and `dx` are given, or the sizes differ.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.cumulative_trapezoid(rl.tensor([1.0, 3.0, 3.0])).tolist()
    [2.0, 5.0]
    """
    dim = axis_or_dim(dim, axis, -1)
    areas, at = _areas("cumulative_trapezoid", y, x, dx, dim)
    return cumsum(areas, at)


Step = Tensor | float


def _derivative(x: Tensor, at: int, spacing: Step, order: int) -> Tensor:
    """Return the differences along one axis, given the distance of the points or their coordinates."""
    size = x.shape[at]

    def part(start: int, length: int = 1) -> Tensor:
        return x.narrow(at, start, length)

    def step(start: int, length: int = 1) -> Step:
        if not isinstance(spacing, Tensor):
            return spacing
        steps = diff(spacing).narrow(0, start, length)
        return n.reshape(steps, (length,) + (1,) * (x.ndim - 1 - at))

    def edge(points: Sequence[Tensor], first: Step, second: Step) -> Tensor:
        # The derivative at the first of three points, exact for parabolas.
        a, b, c = points
        whole = first + second
        slopes = b * (whole / (first * second)) - c * (first / (second * whole))
        return slopes - a * ((first + whole) / (first * whole))

    inner = size - 2
    parts = []
    if inner > 0:
        left, right = step(0, inner), step(1, inner)
        rise, fall = (part(2, inner) - part(1, inner)) / right, (part(1, inner) - part(0, inner)) / left
        parts = [(fall * right + rise * left) / (left + right)]
    if order == 1:
        head, tail = (part(1) - part(0)) / step(0), (part(size - 1) - part(size - 2)) / step(size - 2)
    else:
        head = edge([part(0), part(1), part(2)], step(0), step(1))
        tail = -edge([part(size - 1), part(size - 2), part(size - 3)], step(size - 2), step(size - 3))
    return n.concat((head, *parts, tail), at)


@typed
def gradient(
    input: Tensor,
    *,
    spacing: float | Sequence[float] | Sequence[Tensor] = 1,
    dim: int | Sequence[int] | None = None,
    edge_order: int = 1,
) -> tuple[Tensor, ...]:
    """Estimates derivatives by differences: central ones, and one-sided ones at the edges.

    Parameters
    ----------
    input
        Values of a function at points of a grid; integers are converted to the default dtype.
    spacing
        The distance of the points: one number, or for each axis a number or a vector of coordinates.
    dim
        The axes; all if None.
    edge_order
        1 or 2: the order of accuracy at the edges.

    Returns
    -------
    tuple of Tensor
        The derivative along each of the axes, of the shape of `input`.

    Raises
    ------
    ValueError
        If an axis has fewer than ``edge_order + 1`` points, `edge_order` is another number, or the number of
        spacings or coordinates does not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.gradient(rl.tensor([0.0, 1.0, 4.0, 9.0]))[0].tolist()
    [1.0, 2.0, 4.0, 5.0]
    """
    if edge_order not in (1, 2):
        raise ValueError(f"gradient: edge_order is 1 or 2, got {edge_order}")
    axes = list(range(input.ndim)) if dim is None else all_axes("gradient", dim, input.ndim)
    each: list[Step] = [spacing] * len(axes) if isinstance(spacing, (int, float)) else list(spacing)
    if len(each) != len(axes):
        raise ValueError(f"gradient: {len(each)} spacings for {len(axes)} axes")
    out = []
    for at, h in zip(axes, each, strict=True):
        size = input.shape[at]
        if size < edge_order + 1:
            raise ValueError(f"gradient: axis {at} has {size} points, and needs {edge_order + 1}")
        if isinstance(h, Tensor) and h.shape != (size,):
            raise ValueError(f"gradient: axis {at} has {size} points, and coordinates of shape {h.shape}")
        out.append(_derivative(_real(input), at, h if isinstance(h, Tensor) else float(h), edge_order))
    return tuple(out)
