"""Losses."""

from __future__ import annotations

from rushlight import _core as rl
from rushlight import _native
from rushlight._check import typed
from rushlight._native import Tensor

from ._arguments import Reduction, check_reduction, reduce

__all__ = [
    "cross_entropy",
    "nll_loss",
]


@typed
def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    *,
    ignore_index: int = -100,
    reduction: Reduction = "mean",
) -> Tensor:
    """Returns the negative log-likelihood of class indices.

    Parameters
    ----------
    input
        Log-probabilities ``(N, C)``, ``(N, C, ...)`` or ``(C,)``, floating point.
    target
        Class indices ``(N,)`` or ``(N, ...)`` of an integer dtype.
    weight
        A factor for each class, shape ``(C,)``; the mean then divides by the sum of the factors.
    ignore_index
        Targets equal to this count neither in the sum nor in the mean.
    reduction
        ``"mean"`` over the targets that count (NaN if there are none), ``"sum"``, or ``"none"``.

    Returns
    -------
    Tensor
        A scalar of the dtype of `input`; with ``reduction="none"`` the shape of `target`.

    Raises
    ------
    IndexError
        If a target is neither below ``C`` nor `ignore_index`.
    ValueError
        If shapes do not fit, or `reduction` is unknown.

    Examples
    --------
    >>> import rushlight as rl
    >>> log_probabilities = rl.tensor([[-0.5, -1.0]])
    >>> float(rl.nn.functional.nll_loss(log_probabilities, rl.tensor([1])))
    1.0
    """
    check_reduction("nll_loss", reduction)
    if input.ndim != 1:
        return _native._nll_loss(input, target, weight, ignore_index, reduction)
    rows, at = rl.expand_dims(input, axis=0), rl.expand_dims(target, axis=0)
    out = _native._nll_loss(rows, at, weight, ignore_index, reduction)
    return rl.squeeze(out, axis=0) if reduction == "none" else out


@typed
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    *,
    ignore_index: int = -100,
    reduction: Reduction = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Returns ``nll_loss(log_softmax(input, 1), target)``, computed as one op.

    Parameters
    ----------
    input
        Logits ``(N, C)``, ``(N, C, ...)`` or ``(C,)``, floating point.
    target
        Class indices ``(N,)`` or ``(N, ...)`` of an integer dtype; or probabilities of the shape of `input`.
    weight
        A factor for each class, shape ``(C,)``; with class indices the mean then divides by the sum of
        the factors.
    ignore_index
        Targets equal to this count neither in the sum nor in the mean.
    reduction
        ``"mean"`` over the targets that count (NaN if there are none), ``"sum"``, or ``"none"``.
    label_smoothing
        Share of each target, from 0 to 1, that goes to all classes evenly.

    Returns
    -------
    Tensor
        A scalar of the dtype of `input`; with ``reduction="none"`` the shape of `target`.

    Raises
    ------
    IndexError
        If a target is neither below ``C`` nor `ignore_index`.
    TypeError
        If a floating-point target does not have the shape of `input`.
    ValueError
        If shapes do not fit, or `reduction` is unknown.

    Examples
    --------
    >>> import rushlight as rl
    >>> logits = rl.asarray([[2.0, 0.0], [0.0, 2.0]])
    >>> loss = rl.nn.functional.cross_entropy(logits, rl.asarray([0, 1]))
    >>> round(float(loss), 4)
    0.1269
    """
    check_reduction("cross_entropy", reduction)
    batched = input.ndim > 1
    if target.dtype.is_floating_point and target.shape != input.shape:
        raise TypeError(
            f"cross_entropy: a target of {target.dtype} holds probabilities and has the shape of the input, "
            f"{input.shape}, got {target.shape}; class indices are integers, as of target.long()"
        )
    if not batched:
        input, target = rl.expand_dims(input, axis=0), rl.expand_dims(target, axis=0)
    if target.dtype.is_floating_point:
        out = _of_probabilities(input, target, weight, reduction, label_smoothing)
    else:
        out = _native._cross_entropy(input, target, weight, ignore_index, reduction, label_smoothing)
    return out if batched or reduction != "none" else rl.squeeze(out, axis=0)


def _of_probabilities(
    input: Tensor, target: Tensor, weight: Tensor | None, reduction: str, smoothing: float
) -> Tensor:
    if not 0.0 <= smoothing <= 1.0:
        raise ValueError(f"cross_entropy: label_smoothing {smoothing} is not in [0, 1]")
    if smoothing:
        target = target * (1 - smoothing) + smoothing / input.shape[1]
    terms = _native.log_softmax(input, 1) * target
    if weight is not None:
        terms = terms * rl.reshape(weight, (-1,) + (1,) * (input.ndim - 2))
    losses = -rl.sum(terms, axis=1)
    return reduce(losses, reduction)
