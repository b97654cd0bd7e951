"""Losses."""

from __future__ import annotations

from rushlight import _core as rl
from rushlight import _native
from rushlight._check import typed
from rushlight._native import Tensor

from ._arguments import Reduction, check_reduction

__all__ = [
    "cross_entropy",
    "mse_loss",
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
        Log-probabilities ``(N, C)`` or ``(N, C, ...)``, floating point.
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
    return _native._nll_loss(input, target, weight, ignore_index, reduction)


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
        Logits ``(N, C)`` or ``(N, C, ...)``, floating point.
    target
        Class indices ``(N,)`` or ``(N, ...)`` of an integer dtype.
    weight
        A factor for each class, shape ``(C,)``; the mean then divides by the sum of the factors.
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
    return _native._cross_entropy(input, target, weight, ignore_index, reduction, label_smoothing)


@typed
def mse_loss(input: Tensor, target: Tensor, reduction: Reduction = "mean") -> Tensor:
    """Returns the squared difference of two tensors.

    Parameters
    ----------
    input, target
        Of one shape, floating point.
    reduction
        ``"mean"``, ``"sum"``, or ``"none"``.

    Returns
    -------
    Tensor
        A scalar; with ``reduction="none"`` the shape of `input`.

    Raises
    ------
    ValueError
        If the shapes differ, or `reduction` is unknown.

    Examples
    --------
    >>> import rushlight as rl
    >>> float(rl.nn.functional.mse_loss(rl.zeros(2), rl.tensor([1.0, 3.0])))
    5.0
    """
    check_reduction("mse_loss", reduction)
    if input.shape != target.shape:
        raise ValueError(f"mse_loss: shapes {input.shape} and {target.shape} differ")
    square = rl.square(input - target)
    if reduction == "none":
        return square
    return rl.mean(square) if reduction == "mean" else rl.sum(square)
