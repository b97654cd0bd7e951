"""Linear maps and tables."""

from __future__ import annotations

import math

from rushlight import _core as rl
from rushlight import _native
from rushlight._check import typed
from rushlight._native import Tensor

from ._arguments import check_dtypes

__all__ = [
    "embedding",
    "flatten",
    "linear",
    "one_hot",
]


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
    if weight.ndim not in (1, 2):
        raise ValueError(f"linear: weight has rank 1 or 2, got shape {weight.shape}")
    if input.ndim == 0 or input.shape[-1] != weight.shape[-1]:
        raise ValueError(f"linear: the last axis of input {input.shape} and of weight {weight.shape} differ")
    check_dtypes("linear", input, weight)
    if bias is not None and bias.ndim == weight.ndim - 1 and input.dtype == weight.dtype == bias.dtype:
        # In one op, which rounds once.
        lead, last = input.shape[:-1], input.shape[-1]
        rows = input if input.ndim == 2 else rl.reshape(input, (math.prod(lead), last))
        out = _native.addmm(bias, rows, weight.mT if weight.ndim == 2 else rl.expand_dims(weight, 1))
        return out if out.ndim == input.ndim == weight.ndim else rl.reshape(out, lead + weight.shape[:-1])
    out = rl.matmul(input, weight.mT if weight.ndim == 2 else weight)
    return out if bias is None else out + bias


@typed
def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None) -> Tensor:
    """Returns rows of a table by index.

    Parameters
    ----------
    input
        Indices of any shape and integer dtype, from 0 to ``weight.shape[0] - 1``.
    weight
        Shape ``(rows, width)``.
    padding_idx
        A row that gets no gradient.

    Returns
    -------
    Tensor
        Shape ``(*input.shape, width)``.

    Raises
    ------
    IndexError
        If an index is out of range.

    Examples
    --------
    >>> import rushlight as rl
    >>> table = rl.tensor([[0.0, 1.0], [2.0, 3.0]])
    >>> rl.nn.functional.embedding(rl.tensor([1, 0]), table).tolist()
    [[2.0, 3.0], [0.0, 1.0]]
    """
    out = _native._embedding(input, weight)
    if padding_idx is None:
        return out
    fixed = rl.expand_dims(rl.equal(input, padding_idx % weight.shape[0]), axis=-1)
    return rl.where(fixed, out.detach(), out)


@typed
def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Returns 1 at the index along a new last axis, 0 elsewhere; without a gradient.

    Parameters
    ----------
    tensor
        Indices of any shape and integer dtype.
    num_classes
        Size of the new axis; -1 takes the largest index plus 1.

    Returns
    -------
    Tensor
        int64, shape ``(*tensor.shape, num_classes)``.

    Raises
    ------
    TypeError
        If `tensor` is not of an integer dtype.
    ValueError
        If `num_classes` is -1 and there are no elements.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.functional.one_hot(rl.tensor([0, 2])).tolist()
    [[1, 0, 0], [0, 0, 1]]
    """
    if num_classes == -1:
        if not tensor.dtype.kind.endswith("integer"):
            raise TypeError(f"one_hot: classes are integers, not {tensor.dtype}")
        if tensor.size == 0:
            raise ValueError("one_hot: an empty tensor needs num_classes")
        num_classes = int(rl.max(tensor)) + 1
    return _native._one_hot(tensor, num_classes)


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
