"""Normalization over neighbouring channels."""

from __future__ import annotations

import math

from rushlight import _core as rl
from rushlight._check import typed
from rushlight._native import Tensor

from ._arguments import widened
from .pad import pad
from .pool import avg_pool2d

__all__ = [
    "local_response_norm",
]


@typed
def local_response_norm(
    input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Tensor:
    """Divides by a power of the mean square of neighbouring channels (Krizhevsky et al. 2012).

    Parameters
    ----------
    input
        Shape ``(N, C, ...)``, rank 3 or more; floating point.
    size
        Number of neighbouring channels.
    alpha, beta, k
        The divisor is ``(k + alpha * mean) ** beta``; channels beyond the ends count as 0.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Raises
    ------
    ValueError
        If the rank is below 3, or `size` is not positive.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.local_response_norm(rl.zeros((1, 2, 3)), 2).tolist()
    [[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]]
    """
    if input.ndim < 3 or size < 1:
        raise ValueError(f"local_response_norm: size {size} does not fit the shape {input.shape}")
    wide = widened(input)
    batch, channels = input.shape[:2]
    rest = math.prod(input.shape[2:])
    square = rl.reshape(wide * wide, (batch, 1, channels, rest))
    mean = avg_pool2d(pad(square, (0, 0, size // 2, (size - 1) // 2)), (size, 1), stride=1)
    divisor = rl.pow(rl.reshape(mean, input.shape) * alpha + k, beta)
    return (wide / divisor).astype(input.dtype)
