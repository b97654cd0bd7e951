"""Batch normalization of an evaluated model as a part of the layer before it."""

from __future__ import annotations

import copy
from typing import TypeVar

from rushlight import _core as rl
from rushlight._native import Tensor

from ..batch_normalization import BatchNorm1d, BatchNorm2d, BatchNorm3d
from ..layers import Linear
from ..module import Module
from ..parameter import Parameter

__all__ = ["fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"]

M = TypeVar("M", bound=Module)
BatchNorm = BatchNorm1d | BatchNorm2d | BatchNorm3d


def fuse_conv_bn_eval(conv: M, bn: BatchNorm, transpose: bool = False) -> M:
    """Returns a convolution that does what a convolution and a batch normalization do one after the other.

    Parameters
    ----------
    conv
        The convolution, in evaluation mode.
    bn
        The batch normalization, in evaluation mode and with running statistics.
    transpose
        Whether the weight's output channels are its second axis, as those of transposed convolutions are.

    Returns
    -------
    Module
        A copy of `conv` with other parameters.

    Raises
    ------
    ValueError
        If a module is in training mode, or there are no running statistics.

    Examples
    --------
    >>> import rushlight as rl
    >>> conv, bn = rl.nn.Conv2d(3, 4, 3).eval(), rl.nn.BatchNorm2d(4).eval()
    >>> fused, x = rl.nn.utils.fuse_conv_bn_eval(conv, bn), rl.ones((1, 3, 5, 5))
    >>> bool(rl.allclose(fused(x), bn(conv(x)), atol=1e-6))
    True
    """
    mean, var = _statistics("fuse_conv_bn_eval", conv, bn)
    fused = copy.deepcopy(conv)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight, fused.bias, mean, var, bn.eps, bn.weight, bn.bias, transpose
    )
    return fused


def fuse_conv_bn_weights(
    conv_w: Tensor,
    conv_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
    transpose: bool = False,
) -> tuple[Parameter, Parameter]:
    """Returns weight and bias of a convolution that a batch normalization follows, with both in one.

    Parameters
    ----------
    conv_w
        The weight, with the output channels as its first axis; as its second with `transpose`.
    conv_b
        The bias, or None.
    bn_rm, bn_rv
        Running mean and variance, shape ``(C,)``.
    bn_eps
        The number that is added to the variance.
    bn_w, bn_b
        Factor and summand of the batch normalization, shape ``(C,)``; 1 and 0 if None.
    transpose
        Whether the output channels are the second axis of the weight.

    Returns
    -------
    tuple of (Parameter, Parameter)
        Weight and bias, of the dtypes of `conv_w` and of `conv_b` (`conv_w` where that is None).

    Examples
    --------
    >>> import rushlight as rl
    >>> w, b = rl.nn.utils.fuse_conv_bn_weights(
    ...     rl.ones((1, 1, 1)), None, rl.tensor([2.0]), rl.tensor([0.25]), 0.0, None, None
    ... )
    >>> w.tolist(), b.tolist()
    ([[[2.0]]], [-4.0])
    """
    channels = 1 if transpose else 0
    shape = tuple(-1 if axis == channels else 1 for axis in range(conv_w.ndim))
    return _fused(conv_w, conv_b, shape, bn_rm, bn_rv, bn_eps, bn_w, bn_b)


def fuse_linear_bn_eval(linear: Linear, bn: BatchNorm) -> Linear:
    """Returns a `Linear` that does what a linear map and a batch normalization do one after the other.

    Parameters
    ----------
    linear
        The linear map, in evaluation mode.
    bn
        The batch normalization of the map's outputs, in evaluation mode and with running statistics; or of
        one channel.

    Returns
    -------
    Linear
        A copy of `linear` with other parameters.

    Raises
    ------
    ValueError
        If a module is in training mode, there are no running statistics, or sizes differ.

    Examples
    --------
    >>> import rushlight as rl
    >>> linear, bn = rl.nn.Linear(3, 4).eval(), rl.nn.BatchNorm1d(4).eval()
    >>> fused, x = rl.nn.utils.fuse_linear_bn_eval(linear, bn), rl.ones((2, 3))
    >>> bool(rl.allclose(fused(x), bn(linear(x)), atol=1e-6))
    True
    """
    mean, var = _statistics("fuse_linear_bn_eval", linear, bn)
    if bn.num_features not in (1, linear.out_features):
        raise ValueError(
            f"fuse_linear_bn_eval: {linear.out_features} outputs of linear for {bn.num_features} features"
        )
    fused = copy.deepcopy(linear)
    one = rl.ones((), dtype=mean.dtype, device=mean.device)
    scale, shift = one if bn.weight is None else bn.weight, one * 0 if bn.bias is None else bn.bias
    fused.weight, fused.bias = fuse_linear_bn_weights(
        fused.weight, fused.bias, mean, var, bn.eps, scale, shift
    )
    return fused


def fuse_linear_bn_weights(
    linear_w: Tensor,
    linear_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor,
    bn_b: Tensor,
) -> tuple[Parameter, Parameter]:
    """Returns weight and bias of a linear map that a batch normalization follows, with both in one.

    Parameters
    ----------
    linear_w
        The weight, shape ``(C, in)``.
    linear_b
        The bias, or None.
    bn_rm, bn_rv
        Running mean and variance, shape ``(C,)``.
    bn_eps
        The number that is added to the variance.
    bn_w, bn_b
        Factor and summand of the batch normalization, shape ``(C,)``.

    Returns
    -------
    tuple of (Parameter, Parameter)
        Weight and bias, of the dtypes of `linear_w` and of `linear_b` (`linear_w` where that is None).

    Examples
    --------
    >>> import rushlight as rl
    >>> one = rl.ones(1)
    >>> w, b = rl.nn.utils.fuse_linear_bn_weights(rl.ones((1, 1)), None, one * 2, one, 0.0, one * 3, one)
    >>> w.tolist(), b.tolist()
    ([[3.0]], [-5.0])
    """
    return _fused(linear_w, linear_b, (-1, 1), bn_rm, bn_rv, bn_eps, bn_w, bn_b)


def _statistics(op: str, module: Module, bn: BatchNorm) -> tuple[Tensor, Tensor]:
    if module.training or bn.training:
        raise ValueError(f"{op}: the modules are in training mode; call eval() first")
    if bn.running_mean is None or bn.running_var is None:
        raise ValueError(f"{op}: the batch normalization has no running statistics")
    return bn.running_mean, bn.running_var


def _fused(
    weight: Tensor,
    bias: Tensor | None,
    shape: tuple[int, ...],
    mean: Tensor,
    var: Tensor,
    eps: float,
    factor: Tensor | None,
    summand: Tensor | None,
) -> tuple[Parameter, Parameter]:
    with rl.no_grad():
        scale = rl.rsqrt(var + eps)
        if factor is not None:
            scale = scale * factor
        shift = -mean * scale if bias is None else (bias - mean) * scale
        if summand is not None:
            shift = shift + summand
        new = (weight * rl.reshape(scale, shape)).astype(weight.dtype)
        shift = rl.broadcast_to(shift, (weight.shape[shape.index(-1)],)).clone()
        shift = shift.astype(weight.dtype if bias is None else bias.dtype)
    of_bias = weight.requires_grad if bias is None else bias.requires_grad
    return Parameter(new, weight.requires_grad), Parameter(shift, of_bias)
