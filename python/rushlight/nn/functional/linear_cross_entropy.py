"""The cross entropy of a linear map, without a matrix of all its logits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

from rushlight import _core as rl
from rushlight._check import typed
from rushlight._native import DType, Tensor
from rushlight.autograd import Function, grad, once_differentiable

from ._arguments import Reduction, check_reduction, widened
from .linear import linear
from .losses import cross_entropy

__all__ = ["LinearCrossEntropyOptions", "linear_cross_entropy"]

Policy = Literal["accurate", "balanced", "compact", "auto"]


@dataclass(frozen=True)
class LinearCrossEntropyOptions:
    """How `linear_cross_entropy` splits a batch, so that only the logits of one part exist at a time.

    Backward computes the logits of each part again; the loss can be differentiated once.

    Parameters
    ----------
    allow_retain_graph
        Accepted as in PyTorch: a second ``backward`` is always possible.
    batch_chunk_size
        Rows of the batch in one part; None leaves it to `chunking_method`.
    chunking_method
        ``"aspect_ratio"`` makes the logits of a part as large as the input, ``"aspect_ratio:N"`` an N-th of
        it; ``"auto"`` is ``"aspect_ratio:2"``. None with a `batch_chunk_size` of None is one part.
    acc_policy
        ``"compact"`` adds the gradients of the weight in the dtype of the input, the others in float32 where
        that is float16 or bfloat16.
    acc_dtype
        The dtype of these sums, instead of that of `acc_policy`.

    Raises
    ------
    ValueError
        If a setting is unknown, or a size is not positive.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.LinearCrossEntropyOptions(batch_chunk_size=16).batch_chunk_size
    16
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: Policy = "auto"
    acc_dtype: DType | None = None

    def __post_init__(self) -> None:
        size = self.batch_chunk_size
        if size is not None and (not isinstance(size, int) or size < 1):
            raise ValueError(
                f"LinearCrossEntropyOptions: batch_chunk_size is a positive integer, got {size!r}"
            )
        if self.chunking_method is not None and self._share() < 1:
            raise ValueError(
                "LinearCrossEntropyOptions: chunking_method is 'auto', 'aspect_ratio', 'aspect_ratio:N' or "
                f"None, got {self.chunking_method!r}"
            )
        if self.acc_policy not in get_args(Policy):
            raise ValueError(
                f"LinearCrossEntropyOptions: acc_policy is one of {', '.join(get_args(Policy))}, "
                f"got {self.acc_policy!r}"
            )
        if self.acc_dtype is not None and not rl.isdtype(self.acc_dtype, "real floating"):
            raise ValueError(
                f"LinearCrossEntropyOptions: acc_dtype is a floating-point dtype, got {self.acc_dtype}"
            )

    def _share(self) -> int:
        """The N of the method; 0 for a name that is unknown."""
        if self.chunking_method == "auto":
            return 2
        name, colon, number = str(self.chunking_method).partition(":")
        if name != "aspect_ratio" or (colon and not number.isdecimal()):
            return 0
        return int(number) if colon else 1

    def _rows(self, batch: int, features: int, classes: int) -> int:
        """Rows of the batch in one part."""
        if self.batch_chunk_size is not None:
            return self.batch_chunk_size
        if self.chunking_method is None or batch == 0:
            return max(batch, 1)
        parts = -(-classes // max(features, 1))
        rows = -(-batch // max(parts, 1))
        return max((1 << (rows - 1).bit_length()) // self._share(), 1)

    def _sums(self, dtype: DType) -> DType:
        """The dtype in which gradients of the weight are added."""
        if self.acc_dtype is not None:
            return self.acc_dtype
        halves = (rl.float16, rl.bfloat16)
        return rl.float32 if dtype in halves and self.acc_policy != "compact" else dtype


@typed
def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: Reduction = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: LinearCrossEntropyOptions | None = None,
) -> Tensor:
    """Returns ``cross_entropy(linear(input, linear_weight, linear_bias), target)``.

    Parameters
    ----------
    input
        Shape ``(N, F)`` or ``(F,)``, floating point.
    linear_weight
        Shape ``(C, F)``, or ``(C, ..., F)`` for logits ``(N, C, ...)``.
    target
        Class indices ``(N,)``, ``()`` or ``(N, ...)`` of an integer dtype; or probabilities of the shape of
        the logits.
    linear_bias
        Shape ``(C,)`` or ``(C, ...)``, like the weight without its last axis; or None.
    weight
        A factor for each class, shape ``(C,)``.
    reduction
        ``"mean"``, ``"sum"`` or ``"none"``, as of `cross_entropy`.
    ignore_index
        Class indices equal to this do not count; -100 if None. It must be None with probabilities.
    label_smoothing
        Share of each target, from 0 to 1, that goes to all classes evenly.
    options
        How the batch is split, so that the logits of one part exist at a time; None computes all of them.

    Returns
    -------
    Tensor
        A scalar; with ``reduction="none"`` the shape of the logits without their axis of classes.

    Raises
    ------
    ValueError
        If shapes do not fit, or an argument is unknown.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> x, weight, target = rl.ones((4, 3)), rl.zeros((10, 3)), rl.tensor([1, 5, 0, 9])
    >>> options = rl.nn.LinearCrossEntropyOptions(batch_chunk_size=2)
    >>> round(float(F.linear_cross_entropy(x, weight, target, options=options)), 4)
    2.3026
    """
    op = "linear_cross_entropy"
    check_reduction(op, reduction)
    if input.ndim not in (1, 2) or linear_weight.ndim < 2 or input.shape[-1:] != linear_weight.shape[-1:]:
        raise ValueError(f"{op}: shapes {input.shape} of input and {linear_weight.shape} of linear_weight")
    if input.ndim == 1 and linear_weight.ndim > 2:
        raise ValueError(f"{op}: a linear_weight of shape {linear_weight.shape} needs a batch of inputs")
    if linear_bias is not None and linear_bias.shape != linear_weight.shape[:-1]:
        raise ValueError(f"{op}: linear_bias {linear_bias.shape} for linear_weight {linear_weight.shape}")
    shares = target.dtype.is_floating_point
    if shares and ignore_index is not None:
        raise ValueError(f"{op}: ignore_index is {ignore_index} with a target of probabilities")
    ignored = -100 if ignore_index is None else ignore_index
    settings = weight, ignored, label_smoothing
    if options is None:
        return _loss(input, linear_weight, linear_bias, target, reduction, *settings)
    single = input.ndim == 1
    if single:
        input, target = rl.expand_dims(input, axis=0), rl.expand_dims(target, axis=0)
    classes = math.prod(linear_weight.shape[:-1])
    rows = options._rows(input.shape[0], input.shape[1], classes)
    how = "none" if reduction == "none" else "sum"
    sums = options._sums(linear_weight.dtype)
    out: Tensor = _Parts.apply(
        input, linear_weight, linear_bias, target, weight, (how, ignored, label_smoothing), rows, sums
    )
    if reduction == "none":
        return rl.squeeze(out, axis=0) if single else out
    return out / _count(target, weight, ignored, shares).astype(out.dtype) if reduction == "mean" else out


def _loss(
    input: Tensor,
    matrix: Tensor,
    bias: Tensor | None,
    target: Tensor,
    reduction: Reduction,
    weight: Tensor | None,
    ignored: int,
    smoothing: float,
) -> Tensor:
    flat = rl.reshape(matrix, (-1, matrix.shape[-1]))
    logits = linear(input, flat, None if bias is None else rl.reshape(bias, (-1,)))
    if matrix.ndim > 2:
        logits = rl.reshape(logits, (input.shape[0], *matrix.shape[:-1]))
    return cross_entropy(
        logits, target, weight, ignore_index=ignored, reduction=reduction, label_smoothing=smoothing
    )


def _count(target: Tensor, weight: Tensor | None, ignored: int, shares: bool) -> Tensor:
    """The divisor of the mean."""
    if shares:
        return rl.full((), target.numel() // target.shape[1], dtype=rl.float32, device=target.device)
    counts = target != ignored
    if weight is None:
        return rl.sum(counts)
    found = rl.take(weight.detach(), rl.reshape(rl.where(counts, target, 0), (-1,)), axis=0)
    return rl.sum(rl.where(rl.reshape(counts, (-1,)), found, 0.0))


class _Parts(Function):
    """The loss of a batch, one part after the other."""

    @staticmethod
    def forward(
        ctx: Any,
        input: Tensor,
        matrix: Tensor,
        bias: Tensor | None,
        target: Tensor,
        weight: Tensor | None,
        settings: tuple[Any, ...],
        rows: int,
        sums: DType,
    ) -> Tensor:
        ctx.save_for_backward(input, matrix, bias, target, weight)
        ctx.settings, ctx.rows, ctx.sums = settings, rows, sums
        how, *more = settings
        found = []
        for at in range(0, max(input.shape[0], 1), rows):
            part = slice(at, at + rows)
            found.append(_loss(input[part], matrix, bias, target[part], how, weight, *more))
        if how == "none":
            return rl.concat(found)
        return rl.sum(rl.stack([widened(loss) for loss in found])).astype(input.dtype)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, output: Tensor) -> Any:
        input, matrix, bias, target, weight = ctx.saved_tensors
        how, *more = ctx.settings
        leaves = [t.detach().requires_grad_() for t in (matrix, bias) if t is not None]
        totals = [rl.zeros(t.shape, dtype=ctx.sums, device=t.device) for t in leaves]
        leaf = leaves[1] if bias is not None else None
        rows = []
        for at in range(0, max(input.shape[0], 1), ctx.rows):
            part = slice(at, at + ctx.rows)
            with rl.enable_grad():
                x = input[part].detach().requires_grad_()
                loss = _loss(x, leaves[0], leaf, target[part], how, weight, *more)
                found = grad(loss, [x, *leaves], output[part] if how == "none" else output)
            rows.append(found[0])
            totals = [total + g.astype(ctx.sums) for total, g in zip(totals, found[1:], strict=True)]
        done = [total.astype(t.dtype) for total, t in zip(totals, leaves, strict=True)]
        of_matrix, of_bias = done if bias is not None else (done[0], None)
        return rl.concat(rows), of_matrix, of_bias, None, None, None, None, None
