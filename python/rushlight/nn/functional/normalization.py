"""Normalizations."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rushlight import _core as rl
from rushlight import _native
from rushlight._check import typed
from rushlight._native import Tensor

from ._arguments import check_dtypes, last_axes

__all__ = ["batch_norm", "group_norm", "instance_norm", "layer_norm", "rms_norm"]


def _several(op: str, what: str, input: Tensor, count: int) -> None:
    """Raise ValueError if a single value would be normalized, which would give 0; as in PyTorch."""
    if count == 1:
        raise ValueError(f"{op}: needs more than 1 value per {what}, got an input of shape {input.shape}")


def _channels(op: str, input: Tensor) -> int:
    if input.ndim < 2:
        raise ValueError(f"{op}: input has shape (n, c, ...), got {input.shape}")
    return input.shape[1]


@typed
def layer_norm(
    input: Tensor,
    normalized_shape: int | Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Returns `input` with mean 0 and variance 1 over the last axes, times `weight` plus `bias`.

    Parameters
    ----------
    input
        Shape ``(..., *normalized_shape)``.
    normalized_shape
        Sizes of the last axes, which are normalized together.
    weight, bias
        Shape ``normalized_shape``, of the dtype of `input`; or None.
    eps
        Added to the variance.

    Returns
    -------
    Tensor
        Shape and dtype of `input`.

    Raises
    ------
    TypeError
        If `input` and `weight` are of two floating-point dtypes.
    ValueError
        If `input`, `weight` or `bias` does not have the sizes of `normalized_shape`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.functional.layer_norm(rl.tensor([[1.0, 3.0], [10.0, 30.0]]), 2, eps=0.0).tolist()
    [[-1.0, 1.0], [-1.0, 1.0]]
    """
    dims = last_axes("layer_norm", input, normalized_shape, weight, bias)
    return _native._layer_norm(input, weight, bias, dims, eps)


@typed
def rms_norm(
    input: Tensor,
    normalized_shape: int | Sequence[int],
    weight: Tensor | None = None,
    eps: float | None = None,
) -> Tensor:
    """Returns `input` over the root of its mean square over the last axes, times `weight`.

    Parameters
    ----------
    input
        Shape ``(..., *normalized_shape)``.
    normalized_shape
        Sizes of the last axes, which are normalized together.
    weight
        Shape ``normalized_shape``, of the dtype of `input`; or None.
    eps
        Added to the mean square; the rounding error of the dtype if None.

    Returns
    -------
    Tensor
        Shape and dtype of `input`.

    Raises
    ------
    TypeError
        If `input` and `weight` are of two floating-point dtypes.
    ValueError
        If `input` or `weight` does not have the sizes of `normalized_shape`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.functional.rms_norm(rl.tensor([[3.0, 3.0], [-5.0, 5.0]]), 2, eps=0.0).tolist()
    [[1.0, 1.0], [-1.0, 1.0]]
    """
    dims = last_axes("rms_norm", input, normalized_shape, weight)
    if eps is None:
        eps = float(rl.finfo(input.dtype).eps)
    return _native._rms_norm(input, weight, dims, eps)


@typed
def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Returns `input` with mean 0 and variance 1 over groups of channels, times `weight` plus `bias`.

    Parameters
    ----------
    input
        Shape ``(n, c, ...)``.
    num_groups
        Number of groups of neighbouring channels; it divides ``c``.
    weight, bias
        Shape ``(c,)``, of the dtype of `input`; or None.
    eps
        Added to the variance.

    Returns
    -------
    Tensor
        Shape and dtype of `input`.

    Raises
    ------
    TypeError
        If `input` and `weight` are of two floating-point dtypes.
    ValueError
        If `num_groups` does not divide the channels, or a group of the batch has one value.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.tensor([[[1.0, 3.0], [10.0, 30.0]]])
    >>> rl.nn.functional.group_norm(x, 2, eps=0.0).tolist()
    [[[-1.0, 1.0], [-1.0, 1.0]]]
    """
    channels = _channels("group_norm", input)
    if num_groups < 1 or channels % num_groups:
        raise ValueError(f"group_norm: {num_groups} groups do not divide {channels} channels")
    _several("group_norm", "group", input, math.prod(input.shape) // num_groups)
    for parameter in (weight, bias):
        if parameter is not None:
            check_dtypes("group_norm", input, parameter)
    return _native._group_norm(input, weight, bias, num_groups, eps)


@typed
def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Returns `input` normalized for each channel: in training by the batch, else by running statistics.

    Parameters
    ----------
    input
        Shape ``(n, c, ...)``.
    running_mean, running_var
        Shape ``(c,)``. In training they are updated in place, if given; otherwise `input` is normalized by
        them.
    weight, bias
        Shape ``(c,)``, of the dtype of `input`; or None.
    training
        Whether to normalize by the mean and the variance of `input`.
    momentum
        Weight of the new statistics in the running ones. The running variance is divided by ``n - 1``.
    eps
        Added to the variance.

    Returns
    -------
    Tensor
        Shape and dtype of `input`.

    Raises
    ------
    TypeError
        If `input` and `weight` are of two floating-point dtypes.
    ValueError
        If a channel has one value in training, or running statistics are missing otherwise.

    Examples
    --------
    >>> import rushlight as rl
    >>> mean, var = rl.zeros(2), rl.ones(2)
    >>> x = rl.tensor([[1.0, 10.0], [3.0, 30.0]])
    >>> rl.nn.functional.batch_norm(x, mean, var, training=True, momentum=0.5, eps=0.0).tolist()
    [[-1.0, -1.0], [1.0, 1.0]]
    >>> mean.tolist(), var.tolist()
    ([1.0, 10.0], [1.5, 100.5])
    """
    channels = _channels("batch_norm", input)
    if (running_mean is None) != (running_var is None):
        raise ValueError("batch_norm: running_mean and running_var are given together, or neither")
    if not training and running_mean is None:
        raise ValueError("batch_norm: running_mean and running_var are needed outside of training")
    if training:
        _several("batch_norm", "channel", input, math.prod(input.shape) // max(channels, 1))
    for parameter in (weight, bias):
        if parameter is not None:
            check_dtypes("batch_norm", input, parameter)
    return _native._batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)


@typed
def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Returns `input` normalized for each channel of each sample.

    Parameters
    ----------
    input
        Shape ``(n, c, ...)``.
    running_mean, running_var
        Shape ``(c,)``. With `use_input_stats` they are updated in place, if given, by the averages over the
        samples; otherwise `input` is normalized by them.
    weight, bias
        Shape ``(c,)``, of the dtype of `input`; or None.
    use_input_stats
        Whether to normalize by the mean and the variance of `input`.
    momentum
        Weight of the new statistics in the running ones. The running variance is divided by ``n - 1``.
    eps
        Added to the variance.

    Returns
    -------
    Tensor
        Shape and dtype of `input`.

    Raises
    ------
    TypeError
        If `input` and `weight` are of two floating-point dtypes.
    ValueError
        If a channel of a sample has one value, or running statistics are missing that are needed.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.functional.instance_norm(rl.tensor([[[1.0, 3.0], [10.0, 30.0]]]), eps=0.0).tolist()
    [[[-1.0, 1.0], [-1.0, 1.0]]]
    """
    if not use_input_stats:
        return batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    channels = _channels("instance_norm", input)
    if (running_mean is None) != (running_var is None):
        raise ValueError("instance_norm: running_mean and running_var are given together, or neither")
    _several("instance_norm", "channel of a sample", input, math.prod(input.shape[2:]))
    for parameter in (weight, bias):
        if parameter is not None:
            check_dtypes("instance_norm", input, parameter)
    if running_mean is None or running_var is None:
        return _native._group_norm(input, weight, bias, channels, eps)
    return _native._instance_norm(input, running_mean, running_var, weight, bias, momentum, eps)
