"""Checks of arguments that several functions share."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sequence
from typing import Literal, ParamSpec, TypeAlias

from rushlight import _core as rl
from rushlight import _native
from rushlight._check import integers
from rushlight._compose.precision import widened as widened
from rushlight._native import Tensor

P = ParamSpec("P")
Size: TypeAlias = int | Sequence[int]
Reduction: TypeAlias = Literal["mean", "sum", "none"]


def per_axis(op: str, name: str, value: Size, rank: int) -> tuple[int, ...]:
    """Return one number per axis, given as one number for all axes or one per axis."""
    out = integers(value, f"{op}: {name}")
    if isinstance(out, int):
        return (out,) * rank
    if len(out) == 1:
        return out * rank
    if len(out) != rank:
        raise ValueError(f"{op}: {name} is one number, or one for each of {rank} axes, got {out}")
    return out


def check_reduction(op: str, reduction: str) -> None:
    """Raise ValueError unless `reduction` is "mean", "sum" or "none"."""
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{op}: reduction {reduction!r} is none of 'mean', 'sum', 'none'")


def check_dtypes(op: str, input: Tensor, weight: Tensor) -> None:
    """Raise TypeError where a floating-point input and weight have different dtypes, as in PyTorch."""
    if input.dtype != weight.dtype and input.dtype.is_floating_point and weight.dtype.is_floating_point:
        raise TypeError(
            f"{op}: the input is {input.dtype} and the weight {weight.dtype}; convert one, as in "
            f"input.to(weight.dtype) or model.to(rl.{input.dtype})"
        )


def last_axes(op: str, input: Tensor, normalized_shape: Size, *parameters: Tensor | None) -> int:
    """The number of the last axes of `input`, which have the shape given, as the parameters do."""
    shape = integers(normalized_shape, f"{op}: normalized_shape")
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if not shape or input.shape[-len(shape) :] != shape:
        raise ValueError(f"{op}: the last axes of input {input.shape} are not normalized_shape {shape}")
    for parameter in parameters:
        if parameter is not None:
            check_dtypes(op, input, parameter)
            if parameter.shape != shape:
                raise ValueError(f"{op}: weight and bias have shape {shape}, got {parameter.shape}")
    return len(shape)


def placed(input: Tensor, output: Tensor, inplace: bool) -> Tensor:
    """Return the output; with `inplace` it is first written to the input."""
    return input.copy_(output) if inplace else output


def rounded_once(function: Callable[P, Tensor]) -> Callable[P, Tensor]:
    """Decorate a function to compute float16 and bfloat16 in float32 and to round the result once."""

    @functools.wraps(function)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> Tensor:
        given = [x for x in (*args, *kwargs.values()) if isinstance(x, Tensor) and x.dtype.is_floating_point]
        if not given or not any(x.dtype in (rl.float16, rl.bfloat16) for x in given):
            return function(*args, **kwargs)
        dtype = rl.result_type(*given)
        call: Callable[..., Tensor] = function
        wide = [widened(x) if isinstance(x, Tensor) else x for x in args]
        named = {key: widened(x) if isinstance(x, Tensor) else x for key, x in kwargs.items()}
        return call(*wide, **named).astype(dtype)

    return wrapped


def clamp_min(input: Tensor, least: float) -> Tensor:
    """Return ``max(x, least)``; where both are equal the derivative is 1, as in PyTorch."""
    return rl.where(input < least, least, input)


def reduce(losses: Tensor, reduction: str) -> Tensor:
    """Return the mean or the sum of losses, or the losses themselves."""
    if reduction == "none":
        return losses
    return rl.mean(losses) if reduction == "mean" else rl.sum(losses)


def pointwise_loss(
    kind: str,
    input: Tensor,
    target: Tensor,
    reduction: str,
    parameter: float = 1.0,
    weight: Tensor | None = None,
) -> Tensor:
    """Return the losses of the elements by the op of this kind, weighted and reduced."""
    if weight is None:
        return _native._pointwise_loss(input, target, kind, parameter, reduction)
    return _weighted_loss(input, target, weight, kind, parameter, reduction)


@rounded_once
def _weighted_loss(
    input: Tensor, target: Tensor, weight: Tensor, kind: str, parameter: float, reduction: str
) -> Tensor:
    return reduce(_native._pointwise_loss(input, target, kind, parameter) * weight, reduction)


def matched(op: str, input: Tensor, target: Tensor) -> None:
    """Warn where a target of another shape is broadcast, and raise ValueError where that is impossible."""
    if input.shape == target.shape:
        return
    broadcastable(op, input=input, target=target)
    shape = rl.broadcast_shapes(input.shape, target.shape)
    warnings.warn(
        f"{op}: input has shape {input.shape} and target {target.shape}; they are broadcast to {shape}, "
        "which is seldom meant: give them the same shape",
        UserWarning,
        stacklevel=4,
    )


def broadcastable(op: str, **tensors: Tensor | None) -> None:
    """Raise a ValueError that names the arguments unless their shapes broadcast."""
    given = {name: x.shape for name, x in tensors.items() if x is not None}
    try:
        rl.broadcast_shapes(*given.values())
    except ValueError:
        shapes = ", ".join(f"{name} {shape}" for name, shape in given.items())
        raise ValueError(f"{op}: the shapes of {shapes} do not broadcast") from None


def same_shape(op: str, input: Tensor, target: Tensor) -> None:
    """Raise ValueError unless the shapes are equal."""
    if input.shape != target.shape:
        raise ValueError(f"{op}: shapes {input.shape} and {target.shape} differ")
