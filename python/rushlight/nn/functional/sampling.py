"""Images and volumes sampled at given positions."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight import _core as rl
from rushlight import _native
from rushlight._check import several, typed
from rushlight._native import Tensor

__all__ = [
    "affine_grid",
    "grid_sample",
]


@typed
def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """Samples images or volumes at given positions.

    The gradient of `input` has the same bits in every run and on every device. Positions are in float64.

    Parameters
    ----------
    input
        Shape ``(N, C, H, W)`` or ``(N, C, D, H, W)``, floating point.
    grid
        Positions, shape ``(N, H_out, W_out, 2)`` with coordinates x and y, or ``(N, D_out, H_out, W_out, 3)``
        with x, y and z; -1 and 1 are the ends of an axis. The dtype of `input`.
    mode
        ``"bilinear"`` (trilinear for volumes), ``"nearest"`` or, for images, ``"bicubic"``.
    padding_mode
        Values outside: ``"zeros"``, ``"border"`` (the nearest element) or ``"reflection"``.
    align_corners
        Whether -1 and 1 are the centres of the first and the last element; else (None too) their outer edges.

    Returns
    -------
    Tensor
        Shape ``(N, C, H_out, W_out)`` or ``(N, C, D_out, H_out, W_out)``, of the dtype of `input`.

    Raises
    ------
    ValueError
        If shapes do not fit, `input` is empty, or a mode is unknown.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> x = rl.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
    >>> F.grid_sample(x, rl.tensor([[[[0.0, 0.0], [0.5, 0.0]]]]), align_corners=False).tolist()
    [[[[2.5, 3.0]]]]
    """
    unit = "centers" if align_corners else "edges"
    return _native._grid_sample(input, grid, mode, padding_mode, unit)


@typed
def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """Returns the positions of an affine map, for `grid_sample`.

    Parameters
    ----------
    theta
        Matrices of shape ``(N, 2, 3)`` for images or ``(N, 3, 4)`` for volumes, floating point.
    size
        Shape of the samples, ``(N, C, H, W)`` or ``(N, C, D, H, W)``.
    align_corners
        Whether -1 and 1 are the centres of the first and the last element; else (None too) their outer edges.

    Returns
    -------
    Tensor
        Shape ``(N, H, W, 2)`` or ``(N, D, H, W, 3)``, of the dtype of `theta`.

    Raises
    ------
    ValueError
        If `theta` or `size` has another shape.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> theta = rl.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    >>> F.affine_grid(theta, (1, 1, 1, 2), align_corners=False).tolist()
    [[[[-0.5, 0.0], [0.5, 0.0]]]]
    """
    sizes = several(size, "affine_grid: size")
    rank = len(sizes) - 2
    if rank not in (2, 3) or theta.shape != (sizes[0], rank, rank + 1) or min(sizes[2:]) < 1:
        raise ValueError(f"affine_grid: theta {theta.shape} does not fit the size {sizes}")
    lengths = sizes[2:]
    lines = []
    for i, length in enumerate(reversed(lengths)):
        end = 1.0 if align_corners else (length - 1) / length
        line = rl.linspace(-end, end, length, dtype=theta.dtype, device=theta.device)
        # The position of a single element is 0, the middle.
        line = line if length > 1 else line * 0.0
        shape = [1] * rank
        shape[rank - 1 - i] = length
        lines.append(rl.broadcast_to(rl.reshape(line, shape), lengths))
    lines.append(rl.ones(lengths, dtype=theta.dtype, device=theta.device))
    base = rl.reshape(rl.stack(lines, axis=-1), (1, -1, rank + 1))
    base = rl.broadcast_to(base, (sizes[0], *base.shape[1:]))
    return rl.reshape(rl.matmul(base, rl.matrix_transpose(theta)), (sizes[0], *lengths, rank))
