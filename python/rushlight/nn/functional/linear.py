"""Linear and bilinear maps."""

from __future__ import annotations

import math

from rushlight import _core as rl
from rushlight import _native
from rushlight._check import typed
from rushlight._native import Tensor

from ._arguments import check_dtypes

__all__ = ["bilinear", "flatten", "linear"]


@typed
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Returns ``input @ weight.T + bias``.

    Parameters
    ----------
    input
        Shape ``(..., in_features)``.
    weight
        Shape ``(out_features, in_features)`` or ``(in_features,)``, of the dtype of `input`.
    bias
        Shape ``(out_features,)``, or None.

    Returns
    -------
    Tensor
        Shape ``(..., out_features)``; with a bias of the same dtype it is computed in one op, which rounds
        once.

    Raises
    ------
    TypeError
        If `input` and `weight` are of two floating-point dtypes.
    ValueError
        If the last axes differ.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.functional.linear(rl.ones((3, 4)), rl.ones((2, 4)), rl.ones(2)).tolist()
    [[5.0, 5.0], [5.0, 5.0], [5.0, 5.0]]
    """
    sizes, of = input.shape, weight.shape
    rank = len(of)
    if rank not in (1, 2):
        raise ValueError(f"linear: weight has rank 1 or 2, got shape {of}")
    if not sizes or sizes[-1] != of[-1]:
        raise ValueError(f"linear: the last axis of input {sizes} and of weight {of} differ")
    check_dtypes("linear", input, weight)
    if bias is not None and bias.ndim == rank - 1 and input.dtype == weight.dtype == bias.dtype:
        # Computed by one op, which rounds once.
        flat = len(sizes) == 2
        rows = input if flat else rl.reshape(input, (math.prod(sizes[:-1]), sizes[-1]))
        out = _native.addmm(bias, rows, weight.mT if rank == 2 else rl.expand_dims(weight, 1))
        return out if flat and rank == 2 else rl.reshape(out, sizes[:-1] + of[:-1])
    out = rl.matmul(input, weight.mT if rank == 2 else weight)
    return out if bias is None else out + bias


@typed
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Returns ``input1 @ weight[o] @ input2 + bias[o]`` for each output o.

    Parameters
    ----------
    input1, input2
        Shapes ``(..., in1)`` and ``(..., in2)`` with the same leading axes; floating point.
    weight
        Shape ``(out, in1, in2)``.
    bias
        Shape ``(out,)``, or None.

    Returns
    -------
    Tensor
        Shape ``(..., out)``.

    Raises
    ------
    ValueError
        If shapes do not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.bilinear(rl.ones((3, 2)), rl.ones((3, 4)), rl.ones((5, 2, 4))).shape
    (3, 5)
    """
    lead = input1.shape[:-1]
    if (
        weight.ndim != 3
        or input2.shape[:-1] != lead
        or weight.shape[1:] != (input1.shape[-1], input2.shape[-1])
    ):
        raise ValueError(f"bilinear: weight {weight.shape} does not fit {input1.shape} and {input2.shape}")
    check_dtypes("bilinear", input1, weight)
    a = rl.reshape(input1, (math.prod(lead), input1.shape[-1]))
    b = rl.reshape(input2, (math.prod(lead), input2.shape[-1]))
    # (out, N, in2)
    left = rl.matmul(a, weight)
    out = rl.reshape(rl.sum(left * b, axis=-1).T, (*lead, weight.shape[0]))
    return out if bias is None else out + bias


@typed
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Merges the axes from `start_dim` to `end_dim` into one.

    Parameters
    ----------
    input
        Any shape and dtype.
    start_dim, end_dim
        The first and the last axis; negative ones count from the end.

    Returns
    -------
    Tensor
        The same elements; rank 1 or more.

    Raises
    ------
    IndexError
        If an axis is out of range.
    ValueError
        If `start_dim` lies behind `end_dim`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.functional.flatten(rl.ones((2, 3, 4)), 1).shape
    (2, 12)
    """
    rank = max(input.ndim, 1)
    shape = input.shape or (1,)
    for name, axis in (("start_dim", start_dim), ("end_dim", end_dim)):
        if not -rank <= axis < rank:
            raise IndexError(f"flatten: {name} {axis} is not an axis of shape {input.shape}")
    first, last = start_dim % rank, end_dim % rank
    if first > last:
        raise ValueError(f"flatten: start_dim {start_dim} lies behind end_dim {end_dim}")
    middle = math.prod(shape[first : last + 1])
    return rl.reshape(input, (*shape[:first], middle, *shape[last + 1 :]))
