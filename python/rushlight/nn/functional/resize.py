"""Resizing of signals, images and volumes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real

from rushlight import _core as rl
from rushlight import _native
from rushlight._check import typed
from rushlight._native import Tensor

from ._arguments import Size, per_axis, widened
from .adaptive_pool import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d

__all__ = ["interpolate"]

# The modes for each number of resized axes; some modes support one number only.
_MODES = {
    1: ("nearest", "nearest-exact", "area", "linear"),
    2: ("nearest", "nearest-exact", "area", "bilinear", "bicubic"),
    3: ("nearest", "nearest-exact", "area", "trilinear"),
}
# The functions of each number of axes: size or factors, one of them None.
_NEAREST = {1: _native.upsample_nearest1d, 2: _native.upsample_nearest2d, 3: _native._upsample_nearest3d}
_LINEAR = {1: _native._upsample_linear1d, 2: _native.upsample_bilinear2d, 3: _native._upsample_trilinear3d}
_SMOOTH = ("linear", "bilinear", "bicubic", "trilinear")


def check_mode(op: str, mode: str) -> None:
    """Raise ValueError for a mode that no number of axes has."""
    every = sorted({m for modes in _MODES.values() for m in modes})
    if mode not in every:
        raise ValueError(f"{op}: mode {mode!r} is none of {', '.join(map(repr, every))}")


@typed
def interpolate(
    input: Tensor,
    size: Size | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """Resizes the axes after the first two.

    Parameters
    ----------
    input
        Shape ``(N, C, L)``, ``(N, C, H, W)`` or ``(N, C, D, H, W)``. Floating point.
    size
        The new lengths. Give this or `scale_factor`.
    scale_factor
        Factors of the lengths; the results are rounded down, and the factor itself (not the ratio
        of the lengths) maps positions, as in PyTorch.
    mode
        ``"nearest"``, ``"nearest-exact"`` (rounds positions of centres), ``"area"`` (adaptive mean),
        ``"linear"`` (rank 3), ``"bilinear"`` or ``"bicubic"`` (rank 4), ``"trilinear"`` (rank 5).
    align_corners
        For the last four: whether the corner elements keep their positions.
    recompute_scale_factor
        Whether the ratio of the lengths maps positions instead of the factor.
    antialias
        For ``"bilinear"`` and ``"bicubic"``: whether a filter of the width of the new pixels is used where
        the image becomes smaller.

    Returns
    -------
    Tensor
        Shape ``(N, C, *lengths)``, of the dtype of `input`.

    Raises
    ------
    ValueError
        If the rank, the mode or the sizes are not supported.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.tensor([[[1.0, 2.0]]])
    >>> rl.nn.functional.interpolate(x, scale_factor=2).tolist()
    [[[1.0, 1.0, 2.0, 2.0]]]
    >>> rl.nn.functional.interpolate(x, size=3, mode="linear", align_corners=True).tolist()
    [[[1.0, 1.5, 2.0]]]
    """
    rank = input.ndim - 2
    if rank not in _MODES:
        raise ValueError(f"interpolate: rank 3 or 4 or 5 is needed, got shape {input.shape}")
    if mode not in _MODES[rank]:
        check_mode("interpolate", mode)
        wanted = next(r for r, modes in _MODES.items() if mode in modes) + 2
        raise ValueError(f"interpolate: {mode!r} needs rank {wanted}, got shape {input.shape}")
    if mode not in _SMOOTH and align_corners is not None:
        raise ValueError(f"interpolate: align_corners goes with modes {', '.join(map(repr, _SMOOTH))}")
    if antialias and mode not in ("bilinear", "bicubic"):
        raise ValueError("interpolate: antialias goes with modes 'bilinear' and 'bicubic'")
    lengths, factors = _sizes(input, size, scale_factor, rank)
    if recompute_scale_factor:
        if factors is None:
            raise ValueError("interpolate: recompute_scale_factor goes with scale_factor")
        factors = None
    if mode == "area":
        pool = (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d)[rank - 1]
        return pool(input, lengths)
    if mode == "nearest":
        return _NEAREST[rank](input, None if factors else lengths, factors)
    if mode.endswith("linear") and not antialias:
        return _LINEAR[rank](input, None if factors else lengths, factors, bool(align_corners))
    out = input if mode == "nearest-exact" else widened(input)
    for i, length in enumerate(lengths):
        if min(length, input.shape[2 + i]) < 1:
            raise ValueError(f"interpolate: cannot resize {input.shape} to {lengths}")
        factor = None if factors is None else factors[i]
        out = _along(out, 2 + i, length, factor, mode, bool(align_corners), antialias)
    return out.astype(input.dtype)


def _sizes(
    input: Tensor, size: Size | None, scale_factor: float | Sequence[float] | None, rank: int
) -> tuple[tuple[int, ...], tuple[float, ...] | None]:
    """Return the new lengths, and the factors if they were given."""
    if size is not None and scale_factor is None:
        return per_axis("interpolate", "size", size, rank), None
    if size is not None or scale_factor is None:
        raise ValueError("interpolate: give size or scale_factor, one of them")
    if isinstance(scale_factor, (int, float, Real)):
        factors = (float(scale_factor),) * rank
    else:
        factors = tuple(float(f) for f in scale_factor)
    if len(factors) != rank or any(not 0 < f < math.inf for f in factors):
        raise ValueError(
            f"interpolate: scale_factor is a positive number, or one for each of {rank} axes, "
            f"got {scale_factor!r}"
        )
    return tuple(math.floor(n * f) for n, f in zip(input.shape[2:], factors, strict=True)), factors


def _along(
    x: Tensor, axis: int, length: int, factor: float | None, mode: str, corners: bool, antialias: bool
) -> Tensor:
    """Resize one axis."""
    old = x.shape[axis]
    scale = old / length if factor is None else 1 / factor
    if mode == "nearest-exact":
        # Positions are computed in float32, as in PyTorch.
        at = rl.floor(
            (rl.arange(length, dtype=rl.float32, device="cpu") + 0.5)
            * rl.asarray(scale, dtype=rl.float32, device="cpu")
        )
        return rl.take(x, rl.minimum(at.astype(rl.int64), old - 1).to(device=x.device), axis=axis)
    if corners:
        scale = (old - 1) / (length - 1) if length > 1 else 0.0
    if antialias:
        taps = [_filtered(i, old, scale, mode == "bicubic") for i in range(length)]
    else:
        taps = [_taps(i, old, scale, corners) for i in range(length)]
    most = max(len(tap) for tap in taps)
    full = [[*tap, *[(0, 0.0)] * (most - len(tap))] for tap in taps]
    index = rl.asarray([[at for at, _ in row] for row in full], dtype=rl.int64, device=x.device)
    weight = rl.asarray([[w for _, w in row] for row in full], dtype=x.dtype, device=x.device)
    weight = rl.reshape(weight, (length, most) + (1,) * (x.ndim - 1 - axis))
    return rl.sum(rl.take(x, index, axis=axis) * weight, axis=axis + 1)


def _taps(i: int, old: int, scale: float, corners: bool) -> list[tuple[int, float]]:
    """Return the elements and weights from which cubic convolution computes element i."""
    at = i * scale if corners else (i + 0.5) * scale - 0.5
    first = math.floor(at)
    return [(min(max(first + j, 0), old - 1), _cubic(at - (first + j), -0.75)) for j in range(-1, 3)]


def _filtered(i: int, old: int, scale: float, cubic: bool) -> list[tuple[int, float]]:
    """Return the same for a filter that is stretched where the image becomes smaller."""
    stretch = max(scale, 1.0)
    support = (2.0 if cubic else 1.0) * stretch
    centre = scale * (i + 0.5)
    first, last = max(int(centre - support + 0.5), 0), min(int(centre + support + 0.5), old)
    distances = [(j - centre + 0.5) / stretch for j in range(first, last)]
    weights = [_cubic(d, -0.5) if cubic else max(1 - abs(d), 0.0) for d in distances]
    total = sum(weights)
    return [(first + j, w / total if total else 0.0) for j, w in enumerate(weights)]


def _cubic(distance: float, a: float) -> float:
    """Return the values of the cubic convolution kernel (Keys 1981)."""
    d = abs(distance)
    if d <= 1:
        return ((a + 2) * d - (a + 3)) * d * d + 1
    return (((d - 5) * d + 8) * d - 4) * a if d < 2 else 0.0
