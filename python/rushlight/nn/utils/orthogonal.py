"""Orthogonal weights: exponentials and Cayley maps of skew matrices, and products of reflections.

All of them are made of matrix products, so that they run, and have gradients, wherever products do.
"""

from __future__ import annotations

import math
from typing import Literal, get_args

from rushlight import _core as rl
from rushlight._native import Tensor

from ..functional._arguments import widened
from ..module import Module
from .parametrize import register_parametrization

__all__ = ["orthogonal"]

Map = Literal["matrix_exp", "cayley", "householder"]


def orthogonal(
    module: Module,
    name: str = "weight",
    orthogonal_map: Map | None = None,
    *,
    use_trivialization: bool = True,
) -> Module:
    """Makes a weight orthogonal: its columns are orthonormal, or its rows where it has fewer of them.

    Parameters
    ----------
    module
        The module that owns the weight.
    name
        Its name. A weight of more than two axes is a batch of matrices.
    orthogonal_map
        ``"matrix_exp"`` takes the exponential of a skew matrix, ``"cayley"`` the Cayley map
        ``(I - A/2)^-1 (I + A/2)`` of one, ``"householder"`` a product of reflections. By default
        ``"matrix_exp"`` for square matrices and ``"householder"`` for others.
    use_trivialization
        Whether the result is multiplied by a fixed matrix ``base``, the first value (Lezcano-Casado 2019).
        Without it only ``"householder"`` can be assigned to.

    Returns
    -------
    Module
        `module`. Its state has ``parametrizations.<name>.original`` and, with `use_trivialization`,
        ``parametrizations.<name>.0.base``. The first value is the weight, made orthogonal; for a map of a
        skew matrix without `use_trivialization` it is the map of the weight.

    Raises
    ------
    ValueError
        If the module has no such weight, its rank is below 2, or the map is unknown.

    Examples
    --------
    >>> import rushlight as rl
    >>> layer = rl.nn.utils.parametrizations.orthogonal(rl.nn.Linear(5, 3))
    >>> bool(rl.allclose(layer.weight @ layer.weight.mT, rl.eye(3), atol=1e-5))
    True
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"orthogonal: {type(module).__name__} has no parameter or buffer {name!r}")
    if weight.ndim < 2:
        raise ValueError(f"orthogonal: rank 2 or more is needed, got shape {weight.shape}")
    if orthogonal_map is None:
        orthogonal_map = "matrix_exp" if weight.shape[-2] == weight.shape[-1] else "householder"
    if orthogonal_map not in get_args(Map):
        raise ValueError(
            f"orthogonal: orthogonal_map is one of {', '.join(get_args(Map))}, got {orthogonal_map!r}"
        )
    made = _Orthogonal(weight, orthogonal_map, use_trivialization)
    return register_parametrization(module, name, made, unsafe=True)


class _Orthogonal(Module):
    """An orthogonal matrix of another matrix."""

    base: Tensor | None

    def __init__(self, weight: Tensor, kind: Map, use_trivialization: bool) -> None:
        super().__init__()
        self.shape = weight.shape
        self.kind = kind
        self.with_base = use_trivialization
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, weight: Tensor) -> Tensor:
        """Computes the orthogonal matrix."""
        low = weight.shape[-2] < weight.shape[-1]
        tall = widened(rl.matrix_transpose(weight) if low else weight)
        rows, columns = tall.shape[-2:]
        if self.kind == "householder":
            signs = rl.trunc(rl.sum(tall[..., :columns, :] * _eye(columns, tall), axis=-2, keepdims=True))
            out = _reflections(tall) * signs.detach()
        else:
            lower = rl.tril(tall)
            if rows > columns:
                empty = rl.zeros((*tall.shape[:-1], rows - columns), dtype=tall.dtype, device=tall.device)
                lower = rl.concat([lower, empty], axis=-1)
            skew = lower - rl.matrix_transpose(lower)
            out = (_exponential(skew) if self.kind == "matrix_exp" else _cayley(skew))[..., :columns]
        if self.with_base and self.base is not None:
            out = rl.matmul(widened(self.base), out)
        return (rl.matrix_transpose(out) if low else out).astype(weight.dtype)

    def right_inverse(self, value: Tensor) -> Tensor:
        """Returns the matrix that gives `value`, made orthogonal; sets the base."""
        if value.shape != self.shape:
            raise ValueError(f"orthogonal: a value of shape {value.shape} for a weight of {self.shape}")
        with rl.no_grad():
            low = value.shape[-2] < value.shape[-1]
            tall = widened(rl.matrix_transpose(value) if low else value)
            rows, columns = tall.shape[-2:]
            if self.with_base:
                if rows > columns:
                    shape = (*tall.shape[:-1], rows - columns)
                    more = rl.randn(shape, dtype=tall.dtype, device=tall.device)
                    tall = rl.concat([tall, more], axis=-1)
                self.base = _orthonormal(tall).astype(value.dtype)
                corner = rl.zeros(value.shape, dtype=value.dtype, device=value.device)
                return corner - rl.eye(*value.shape[-2:], dtype=value.dtype, device=value.device)
            if self.kind != "householder":
                raise NotImplementedError(
                    f"orthogonal: a weight of orthogonal_map={self.kind!r} cannot be assigned to without "
                    "use_trivialization"
                )
            vectors, signs = _factored(_orthonormal(tall))
            out = rl.tril(vectors, diagonal=-1)
            out = out + rl.eye(rows, columns, dtype=out.dtype, device=out.device) * signs[..., None, :]
            return (rl.matrix_transpose(out) if low else out).astype(value.dtype)


def _eye(size: int, like: Tensor) -> Tensor:
    return rl.eye(size, dtype=like.dtype, device=like.device)


def _size(matrix: Tensor) -> float:
    """The largest sum of magnitudes of a row."""
    return float(rl.max(rl.sum(rl.abs(matrix.detach()), axis=-1))) if matrix.numel() else 0.0


def _exponential(matrix: Tensor) -> Tensor:
    """The exponential: Taylor's series of degree 18 of a matrix scaled to size 1, then squared."""
    size = _size(matrix)
    if not math.isfinite(size):
        return matrix * math.nan
    halvings = max(0, math.ceil(math.log2(size))) if size > 0 else 0
    small = matrix / 2.0**halvings
    one = _eye(matrix.shape[-1], matrix)
    # The rest of the series is below 1/19! = 8e-18.
    out = rl.broadcast_to(one, matrix.shape)
    for term in range(18, 0, -1):
        out = one + rl.matmul(small, out) / term
    for _ in range(halvings):
        out = rl.matmul(out, out)
    return out


def _cayley(skew: Tensor) -> Tensor:
    """(I - A/2)^-1 (I + A/2) of a skew matrix A, by Newton's iteration for the inverse.

    The singular values of M = I - A/2 are at least 1 and at most s = 1 + size(A)/2, so X = M^T / s^2 has
    ``|I - X M| <= 1 - 1/s^2``, and each step X (2 I - M X) squares that.
    """
    one = _eye(skew.shape[-1], skew)
    matrix = one - skew / 2
    largest = 1 + _size(skew) / 2
    if not math.isfinite(largest):
        return skew * math.nan
    digits = 40.0 if skew.dtype == rl.float64 else 20.0
    steps = math.ceil(math.log2(digits * largest**2)) + 1
    with rl.no_grad():
        inverse = rl.matrix_transpose(matrix) / largest**2
        for _ in range(steps):
            inverse = rl.matmul(inverse, 2 * one - rl.matmul(matrix, inverse))
    # Recorded: from the inverse, k steps have the right derivatives up to order 2^k - 1.
    for _ in range(2):
        inverse = rl.matmul(inverse, 2 * one - rl.matmul(matrix, inverse))
    return rl.matmul(inverse, one + skew / 2)


def _reflections(tall: Tensor) -> Tensor:
    """The first columns of the product of the reflections whose vectors are below the diagonal.

    A product of reflections is I - V T V^T with T upper triangular; the T of two products side by side is
    ``[[T1, -T1 V1^T V2 T2], [0, T2]]``, so blocks of all columns join level by level.
    """
    rows, columns = tall.shape[-2:]
    vectors = rl.tril(tall, diagonal=-1) + rl.eye(rows, columns, dtype=tall.dtype, device=tall.device)
    lead = tall.shape[:-2]
    scale = 2 / rl.sum(vectors * vectors, axis=-2)
    width = 1 << max(columns - 1, 0).bit_length()
    padded = vectors
    if width > columns:
        # Vectors of zeros, which reflect nothing.
        padded = rl.concat(
            [vectors, rl.zeros((*lead, rows, width - columns), dtype=tall.dtype, device=tall.device)], axis=-1
        )
        none = rl.zeros((*lead, width - columns), dtype=tall.dtype, device=tall.device)
        scale = rl.concat([scale, none], axis=-1)
    products = rl.matmul(rl.matrix_transpose(padded), padded)
    blocks = rl.reshape(scale, (*lead, width, 1, 1))
    half = 1
    while half < width:
        pairs = rl.reshape(blocks, (*lead, width // half // 2, 2, half, half))
        first, second = pairs[..., 0, :, :], pairs[..., 1, :, :]
        grid = rl.reshape(products, (*lead, width // half // 2, 2 * half, width // half // 2, 2 * half))
        # The blocks on the diagonal.
        between = rl.stack([grid[..., i, :half, i, half:] for i in range(width // half // 2)], axis=len(lead))
        corner = -rl.matmul(rl.matmul(first, between), second)
        top = rl.concat([first, corner], axis=-1)
        bottom = rl.concat([rl.zeros_like(second), second], axis=-1)
        blocks = rl.concat([top, bottom], axis=-2)
        half *= 2
    joined = rl.reshape(blocks, (*lead, width, width))[..., :columns, :columns]
    below = rl.matmul(joined, rl.matrix_transpose(vectors[..., :columns, :]))
    return rl.eye(rows, columns, dtype=tall.dtype, device=tall.device) - rl.matmul(vectors, below)


def _orthonormal(tall: Tensor) -> Tensor:
    """The Q of QR with a positive diagonal of R: Gram's and Schmidt's method, twice for the rounding."""
    columns = rl.matrix_transpose(tall).astype(rl.float64)
    done = columns[..., :0, :]
    for i in range(columns.shape[-2]):
        row = columns[..., i : i + 1, :]
        for _ in range(2):
            row = row - rl.matmul(rl.matmul(row, rl.matrix_transpose(done)), done)
        done = rl.concat([done, row / rl.sqrt(rl.sum(row * row, axis=-1, keepdims=True))], axis=-2)
    return rl.matrix_transpose(done).astype(tall.dtype)


def _factored(q: Tensor) -> tuple[Tensor, Tensor]:
    """The vectors of the reflections that give an orthonormal matrix, and the signs of its columns."""
    rows, columns = q.shape[-2:]
    rest, vectors, signs = q.astype(rl.float64), [], []
    for i in range(columns):
        column = rest[..., :, i]
        below = rl.arange(rows, device=q.device) >= i
        column = rl.where(below, column, 0.0)
        head = column[..., i : i + 1]
        length = rl.sqrt(rl.sum(column * column, axis=-1, keepdims=True))
        # The sign that does not cancel.
        sign = rl.where(head > 0, -1.0, 1.0)
        first = head - sign * length
        vector = rl.where(rl.arange(rows, device=q.device) == i, 1.0, column / first)
        scale = 2 / rl.sum(vector * vector, axis=-1, keepdims=True)
        inner = rl.matmul(vector[..., None, :], rest)
        rest = rest - (scale * vector)[..., :, None] * inner
        vectors.append(vector)
        signs.append(sign)
    dtype = q.dtype
    return rl.stack(vectors, axis=-1).astype(dtype), rl.concat(signs, axis=-1).astype(dtype)
