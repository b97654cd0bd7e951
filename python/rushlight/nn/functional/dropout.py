"""Dropout of elements and channels."""

from __future__ import annotations

import math

from rushlight import _core as rl
from rushlight import _native
from rushlight._check import check_number, typed
from rushlight._native import Tensor

from ._arguments import placed, widened

__all__ = [
    "alpha_dropout",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "feature_alpha_dropout",
]

# The limit of selu for small x: -alpha * scale.
_LIMIT = -1.7580993408473766


@typed
def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes elements at random in training, and scales the others by ``1 / (1 - p)``.

    The mask comes from the generator that `rushlight.manual_seed` seeds.

    Parameters
    ----------
    input
        Any shape; floating point.
    p
        Probability of an element to be zeroed.
    training
        Whether dropout is active; otherwise the input is returned.
    inplace
        Whether the result also replaces the values of `input`.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Raises
    ------
    ValueError
        If `p` is not in [0, 1].

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.dropout(rl.ones(3), 0.5, training=False).tolist()
    [1.0, 1.0, 1.0]
    """
    check_number(p, "dropout: p")
    if not isinstance(input, Tensor):
        raise TypeError(f"dropout: input is a Tensor, got {type(input).__name__}")
    if not training and 0.0 <= p <= 1.0:
        return input
    return placed(input, _native._dropout(input, p, training), inplace)


@typed
def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes whole channels at random in training, and scales the others by ``1 / (1 - p)``.

    Parameters
    ----------
    input
        Shape ``(N, C, L)`` or ``(C, L)``; floating point.
    p
        Probability of a channel to be zeroed.
    training
        Whether dropout is active; otherwise the input is returned.
    inplace
        Whether the result also replaces the values of `input`.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Raises
    ------
    ValueError
        If `p` is not in [0, 1], or the rank is not one of these.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> out = F.dropout1d(rl.ones((2, 3, 4)))
    >>> {float(channel.sum()) for channel in out.reshape(6, -1)} <= {0.0, 8.0}
    True
    """
    return _channels("dropout1d", 1, input, p, training, inplace)


@typed
def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes whole channels at random in training, and scales the others by ``1 / (1 - p)``.

    Parameters
    ----------
    input
        Shape ``(N, C, H, W)``; floating point.
    p
        Probability of a channel to be zeroed.
    training
        Whether dropout is active; otherwise the input is returned.
    inplace
        Whether the result also replaces the values of `input`.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Raises
    ------
    ValueError
        If `p` is not in [0, 1], or the rank is not one of these.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> out = F.dropout2d(rl.ones((2, 3, 4, 4)))
    >>> {float(channel.sum()) for channel in out.reshape(6, -1)} <= {0.0, 32.0}
    True
    """
    return _channels("dropout2d", 2, input, p, training, inplace)


@typed
def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes whole channels at random in training, and scales the others by ``1 / (1 - p)``.

    Parameters
    ----------
    input
        Shape ``(N, C, D, H, W)`` or ``(C, D, H, W)``; floating point.
    p
        Probability of a channel to be zeroed.
    training
        Whether dropout is active; otherwise the input is returned.
    inplace
        Whether the result also replaces the values of `input`.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Raises
    ------
    ValueError
        If `p` is not in [0, 1], or the rank is not one of these.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> out = F.dropout3d(rl.ones((2, 3, 4, 4, 4)))
    >>> {float(channel.sum()) for channel in out.reshape(6, -1)} <= {0.0, 128.0}
    True
    """
    return _channels("dropout3d", 3, input, p, training, inplace)


@typed
def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Sets elements to the limit of `selu` at random, and keeps mean and variance (Klambauer et al. 2017).

    Parameters
    ----------
    input
        Any shape; floating point.
    p
        Probability of an element to be set.
    training
        Whether dropout is active; otherwise the input is returned.
    inplace
        Whether the result also replaces the values of `input`.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Raises
    ------
    ValueError
        If `p` is not in [0, 1].

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.alpha_dropout(rl.ones(3)).tolist()
    [1.0, 1.0, 1.0]
    """
    return _alpha("alpha_dropout", input, input.shape, p, training, inplace)


@typed
def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Sets whole channels to the limit of `selu` at random, and keeps mean and variance.

    Parameters
    ----------
    input
        Shape ``(N, C, ...)``; floating point.
    p
        Probability of a channel to be set.
    training
        Whether dropout is active; otherwise the input is returned.
    inplace
        Whether the result also replaces the values of `input`.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Raises
    ------
    ValueError
        If `p` is not in [0, 1], or the rank is below 2.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.feature_alpha_dropout(rl.ones((1, 2, 2))).tolist()
    [[[1.0, 1.0], [1.0, 1.0]]]
    """
    if input.ndim < 2:
        raise ValueError(f"feature_alpha_dropout: rank 2 or more is needed, got shape {input.shape}")
    shape = input.shape[:2] + (1,) * (input.ndim - 2)
    return _alpha("feature_alpha_dropout", input, shape, p, training, inplace)


def _check(op: str, p: float) -> None:
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"{op}: p is a probability, got {p}")


def _channels(op: str, rank: int, input: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    _check(op, p)
    # dropout2d reads rank 3 as (N, C, L), as PyTorch does.
    batched = rank + 2 if rank != 2 else 3 if input.ndim == 3 else 4
    if input.ndim not in (batched, rank + 1):
        raise ValueError(f"{op}: rank {rank + 1} or {rank + 2} is needed, got shape {input.shape}")
    if not training:
        return input
    lead = 2 if input.ndim == batched else 1
    shape = input.shape[:lead] + (1,) * (input.ndim - lead)
    mask = _native._dropout(rl.ones(shape, dtype=input.dtype, device=input.device), p, True)
    return placed(input, input * mask, inplace)


def _alpha(op: str, input: Tensor, shape: tuple[int, ...], p: float, training: bool, inplace: bool) -> Tensor:
    _check(op, p)
    if not training or p == 0.0:
        return input
    if p == 1.0:
        return placed(input, input * 0, inplace)
    kept = rl.bernoulli(rl.full(shape, 1 - p, dtype=rl.float32, device=input.device))
    kept = kept.astype(widened(input).dtype)
    scale = 1 / math.sqrt((1 - p) * (1 + p * _LIMIT**2))
    out = scale * (widened(input) * kept + _LIMIT * (1 - kept)) - scale * p * _LIMIT
    return placed(input, out.astype(input.dtype), inplace)
