"""Rows of tables by index."""

from __future__ import annotations

import math

from rushlight import _core as rl
from rushlight import _native
from rushlight._check import typed
from rushlight._native import Tensor
from rushlight.sparse._base import starts_of
from rushlight.sparse._gradients import looked_up

from ._norm import vector_norm

__all__ = ["embedding", "embedding_bag", "one_hot"]


@typed
def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Returns rows of a table by index.

    Parameters
    ----------
    input
        Indices of any shape and integer dtype, from 0 to ``weight.shape[0] - 1``.
    weight
        Shape ``(rows, width)``.
    padding_idx
        A row that gets no gradient.
    max_norm
        The rows that are used are first scaled, in place, so that their norm is at most this; None for no
        limit.
    norm_type
        The order of that norm.
    scale_grad_by_freq
        Whether the gradient of a row is divided by the number of its uses.
    sparse
        Whether the gradient of `weight`, a leaf, is sparse, for `SGD`, `Adagrad` or `SparseAdam`: a
        `rushlight.sparse.COOTensor` that holds the rows that are used.

    Returns
    -------
    Tensor
        Shape ``(*input.shape, width)``.

    Raises
    ------
    IndexError
        If an index is out of range.
    ValueError
        If `sparse` is set and `weight` is not a leaf.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> table = rl.tensor([[0.0, 1.0], [2.0, 3.0]])
    >>> F.embedding(rl.tensor([1, 0]), table).tolist()
    [[2.0, 3.0], [0.0, 1.0]]
    """
    if max_norm is not None:
        _limit(input, weight, max_norm, norm_type)
    fixed = None if padding_idx is None else padding_idx % weight.shape[0]
    out = looked_up("embedding", input, weight, fixed) if sparse else _native._embedding(input, weight)
    if scale_grad_by_freq:
        out = _shared(out, input, weight.shape[0])
    if fixed is None:
        return out
    return rl.where(rl.expand_dims(rl.equal(input, fixed), axis=-1), out.detach(), out)


@typed
def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Returns sums, means or maxima of rows of a table, over bags of indices.

    Parameters
    ----------
    input
        Indices ``(bags, size)``, or ``(total,)`` with `offsets`.
    weight
        Shape ``(rows, width)``.
    offsets
        Where each bag begins in `input` of one axis; the first is 0.
    max_norm
        The rows that are used are first scaled, in place, so that their norm is at most this; None for no
        limit.
    norm_type
        The order of that norm.
    scale_grad_by_freq
        Whether the gradient of a row is divided by the number of its uses.
    mode
        ``"sum"``, ``"mean"`` or ``"max"``.
    sparse
        Whether the gradient of `weight`, a leaf, is sparse, for `SGD`, `Adagrad` or `SparseAdam`: a
        `rushlight.sparse.COOTensor` that holds the rows that are used.
    per_sample_weights
        Factors of the shape of `input`, with ``mode="sum"``.
    include_last_offset
        Whether the last offset is the end of the last bag.
    padding_idx
        A row that counts as absent from each bag.

    Returns
    -------
    Tensor
        Shape ``(bags, width)``; 0 for an empty bag.

    Raises
    ------
    ValueError
        If shapes or settings do not fit, or `sparse` is set and `weight` is not a leaf.
    IndexError
        If an index is out of range.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> table = rl.tensor([[0.0, 1.0], [2.0, 3.0]])
    >>> F.embedding_bag(rl.tensor([[1, 0], [1, 1]]), table, mode="sum").tolist()
    [[2.0, 4.0], [4.0, 6.0]]
    """
    if mode not in ("sum", "mean", "max"):
        raise ValueError(f"embedding_bag: mode {mode!r} is none of 'sum', 'mean', 'max'")
    if per_sample_weights is not None and (mode != "sum" or per_sample_weights.shape != input.shape):
        raise ValueError("embedding_bag: per_sample_weights go with mode 'sum' and have the shape of input")
    bag, bags = _bags(input, offsets, include_last_offset)
    flat = rl.reshape(input, (-1,)).astype(rl.int64)
    if max_norm is not None:
        _limit(flat, weight, max_norm, norm_type)
    shares = None if per_sample_weights is None else rl.reshape(per_sample_weights, (-1,))[: bag.size]
    flat = flat[: bag.size]
    if padding_idx is not None:
        kept = rl.nonzero(flat != padding_idx % weight.shape[0])[0]
        flat, bag = rl.take(flat, kept, axis=0), rl.take(bag, kept, axis=0)
        shares = None if shares is None else rl.take(shares, kept, axis=0)
    dtype, device = weight.dtype, weight.device
    if mode == "max" or sparse or scale_grad_by_freq:
        rows = looked_up("embedding_bag", flat, weight) if sparse else _native._embedding(flat, weight)
        if scale_grad_by_freq:
            rows = _shared(rows, flat, weight.shape[0])
        if mode == "max":
            return _bag_max(rows, bag, bags)
        if shares is not None:
            rows = rows * rl.expand_dims(shares, axis=1)
        total = rl.index_add(rl.zeros((bags, rows.shape[1]), dtype=dtype, device=device), 0, bag, rows)
    else:
        # The bags are the rows of a sparse matrix, so the rows of the table are not copied.
        shares = rl.ones(flat.shape, dtype=dtype, device=device) if shares is None else shares
        total = _native._csr_matmul(shares, weight, starts_of(bag, bags), flat)
    if mode == "sum":
        return total
    ones = rl.ones(bag.shape, dtype=dtype, device=device)
    count = rl.index_add(rl.zeros((bags,), dtype=dtype, device=device), 0, bag, ones)
    return total / rl.expand_dims(rl.maximum(count, 1.0), axis=1)


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
    IndexError
        If an index is negative, or not below `num_classes`.
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
        least = int(rl.min(tensor))
        if least < 0:
            raise IndexError(f"one_hot: class {least} is negative; classes are numbers from 0")
        num_classes = int(rl.max(tensor)) + 1
    return _native._one_hot(tensor, num_classes)


def _limit(input: Tensor, weight: Tensor, max_norm: float, norm_type: float) -> None:
    """Scale, in place, the rows that are used."""
    with rl.no_grad():
        used = rl.unique_values(rl.reshape(input, (-1,)).astype(rl.int64))
        rows = rl.take(weight.detach(), used, axis=0)
        norms = vector_norm(rows, norm_type, 1, True)
        table = weight.detach()
        table[used] = rl.where(norms > max_norm, rows * (max_norm / (norms + 1e-7)), rows)


def _shared(rows: Tensor, input: Tensor, count: int) -> Tensor:
    """Return the rows; the gradient of each is divided by the number of its uses."""
    flat = rl.reshape(input, (-1,)).astype(rl.int64)
    ones = rl.ones(flat.shape, dtype=rows.dtype, device=rows.device)
    uses = rl.index_add(rl.zeros((count,), dtype=rows.dtype, device=rows.device), 0, flat, ones)
    share = rows / rl.reshape(rl.take(uses, flat, axis=0), (*input.shape, 1))
    return rows.detach() + (share - share.detach())


def _bags(input: Tensor, offsets: Tensor | None, include_last: bool) -> tuple[Tensor, int]:
    """Return the bag of each index, and the number of bags."""
    if input.ndim == 2:
        if offsets is not None:
            raise ValueError("embedding_bag: offsets go with an input of rank 1")
        bags, size = input.shape
        return rl.repeat(rl.arange(bags, device=input.device), size), bags
    if input.ndim != 1 or offsets is None or offsets.ndim != 1:
        raise ValueError(f"embedding_bag: rank 2, or rank 1 with offsets, is needed, got shape {input.shape}")
    starts, total = offsets.detach().astype(rl.int64), input.shape[0]
    if include_last:
        starts, last = starts[:-1], starts[-1:]
    else:
        last = rl.asarray([total], dtype=rl.int64, device=input.device)
    ends = rl.concat([starts[1:], last]) if starts.size else starts
    wrong = rl.any(ends < starts) if starts.size else False
    if starts.size and (int(starts[0]) != 0 or bool(wrong) or int(ends[-1]) > total):
        raise ValueError(f"embedding_bag: offsets {offsets.tolist()} do not rise from 0 to {total}")
    bag = rl.repeat_interleave(rl.arange(starts.size, dtype=rl.int64, device=input.device), ends - starts)
    return bag, starts.size


def _bag_max(rows: Tensor, bag: Tensor, bags: int) -> Tensor:
    """Return the maximum of the rows of each bag; 0 for an empty bag."""
    owners = bag.tolist()
    members: list[list[int]] = [[] for _ in range(bags)]
    for at, owner in enumerate(owners):
        members[owner].append(at)
    most = max((len(m) for m in members), default=0)
    if most == 0:
        return rl.zeros((bags, rows.shape[1]), dtype=rows.dtype, device=rows.device)
    # Empty slots point to a row of -inf behind the others, and empty bags to one of 0.
    low = rl.full((1, rows.shape[1]), -math.inf, dtype=rows.dtype, device=rows.device)
    table = rl.concat([rows, low, rl.zeros_like(low)], axis=0)
    fill, empty = rows.shape[0], rows.shape[0] + 1
    index = [m + [fill if m else empty] * (most - len(m)) for m in members]
    return rl.max(rl.take(table, rl.asarray(index, dtype=rl.int64, device=rows.device), axis=0), axis=1)
