"""The CTC loss, of label sequences without a given alignment."""

from __future__ import annotations

from rushlight import _core as rl
from rushlight._check import typed
from rushlight._native import Tensor

from ._arguments import Reduction, check_reduction, reduce, rounded_once

__all__ = ["ctc_loss"]

# Stands for the logarithm of 0: its exponential is 0, and the difference of two of them is not NaN.
_NEVER = -1e30


@typed
@rounded_once
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor | tuple[int, ...],
    target_lengths: Tensor | tuple[int, ...],
    blank: int = 0,
    reduction: Reduction = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Returns the negative log-likelihood of label sequences over all alignments (Graves et al. 2006).

    Parameters
    ----------
    log_probs
        Log-probabilities ``(T, N, C)`` or ``(T, C)``, as `log_softmax` returns them.
    targets
        Labels ``(N, S)``, or all of them in one axis, or ``(S,)`` without a batch; never `blank`.
    input_lengths, target_lengths
        The length of each sequence in `log_probs` and in `targets`.
    blank
        The index of the blank label.
    reduction
        ``"mean"`` (each loss divided by its target's length, then the mean), ``"sum"``, or ``"none"``.
    zero_infinity
        Whether the loss of a sequence that is too short for its target is 0 instead of infinite.

    Returns
    -------
    Tensor
        A scalar; with ``reduction="none"`` shape ``(N,)``, or no axis without a batch.

    Raises
    ------
    ValueError
        If shapes or lengths do not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> even = rl.zeros((2, 1, 2)).log_softmax(2)
    >>> loss = rl.nn.functional.ctc_loss(even, rl.tensor([[1]]), (2,), (1,))
    >>> round(float(loss), 4)  # Three of the four alignments.
    0.2877
    """
    check_reduction("ctc_loss", reduction)
    single = log_probs.ndim == 2
    probs = rl.expand_dims(log_probs, axis=1) if single else log_probs
    if probs.ndim != 3:
        raise ValueError(f"ctc_loss: log_probs has rank 2 or 3, got shape {log_probs.shape}")
    steps, batch, classes = probs.shape
    lengths, sizes = _lengths(input_lengths), _lengths(target_lengths)
    rows = _rows(targets, sizes)
    if len(lengths) != batch or len(sizes) != batch or len(rows) != batch:
        raise ValueError(f"ctc_loss: {len(lengths)} and {len(sizes)} lengths for a batch of {batch}")
    if any(not 0 <= n <= steps for n in lengths) or not 0 <= blank < classes:
        raise ValueError(f"ctc_loss: lengths {lengths} and blank {blank} do not fit {log_probs.shape}")
    wrong = [label for row in rows for label in row if not 0 <= label < classes]
    if wrong:
        raise IndexError(f"ctc_loss: target {wrong[0]} is not one of the {classes} classes of log_probs")
    losses = _losses(probs, rows, lengths, blank)
    losses = rl.where(losses.detach() > -_NEVER / 2, 0.0 if zero_infinity else rl.inf, losses)
    if reduction == "mean":
        by = [max(size, 1) for size in sizes]
        return rl.mean(losses / rl.asarray(by, dtype=losses.dtype, device=losses.device))
    return rl.squeeze(losses, axis=0) if single and reduction == "none" else reduce(losses, reduction)


def _lengths(given: Tensor | tuple[int, ...]) -> list[int]:
    found = given.tolist() if isinstance(given, Tensor) else list(given)
    return [int(n) for n in found] if isinstance(found, list) else [int(found)]


def _rows(targets: Tensor, sizes: list[int]) -> list[list[int]]:
    """Return the labels of each sequence."""
    found = targets.tolist()
    if targets.ndim == 2:
        if any(size > targets.shape[1] for size in sizes):
            raise ValueError(f"ctc_loss: target lengths {sizes} do not fit targets {targets.shape}")
        return [row[:size] for row, size in zip(found, sizes, strict=False)]
    if targets.ndim != 1 or sum(sizes) > len(found):
        raise ValueError(f"ctc_loss: target lengths {sizes} do not fit targets {targets.shape}")
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    return [found[end - size : end] for end, size in zip(ends, sizes, strict=True)]


def _losses(probs: Tensor, rows: list[list[int]], lengths: list[int], blank: int) -> Tensor:
    """Compute the forward recursion over the labels with blanks between them, for all sequences at once."""
    dtype, device = probs.dtype, probs.device
    batch, width = len(rows), 2 * max((len(row) for row in rows), default=0) + 1
    labels, skips, last = [], [], []
    for row in rows:
        spread = [blank] * width
        spread[1 : 2 * len(row) : 2] = row
        labels.append(spread)
        # A label may follow the one before the blank if they differ.
        skips.append([s > 1 and spread[s] not in (blank, spread[s - 2]) for s in range(width)])
        last.append([s in (2 * len(row), 2 * len(row) - 1) for s in range(width)])
    index = rl.asarray(labels, dtype=rl.int64, device=device)
    skip = rl.asarray(skips, dtype=rl.bool, device=device)
    ends = rl.asarray(last, dtype=rl.bool, device=device)
    first = rl.asarray([[s < 2 for s in range(width)]] * batch, dtype=rl.bool, device=device)
    never = rl.full((batch, 2), _NEVER, dtype=dtype, device=device)
    # The state before the first step is at the blank before the first label.
    state = rl.full((batch, width), _NEVER, dtype=dtype, device=device)
    begun = rl.asarray(
        [[0.0 if s == 0 else _NEVER for s in range(width)]] * batch, dtype=dtype, device=device
    )
    totals = rl.where(ends, begun, _NEVER)
    for step in range(max(lengths, default=0)):
        here = rl.gather(probs[step], 1, index)
        if step == 0:
            state = rl.where(first, here, _NEVER)
        else:
            padded = rl.concat([never, state], axis=1)
            one = padded.narrow(1, 1, width)
            two = rl.where(skip, padded.narrow(1, 0, width), _NEVER)
            state = rl.logsumexp(rl.stack([state, one, two], axis=0), axis=0) + here
        state = rl.maximum(state, _NEVER)
        live = rl.asarray([[n == step + 1] for n in lengths], dtype=rl.bool, device=device)
        totals = rl.where(live & ends, state, rl.where(live, _NEVER, totals))
    return -rl.logsumexp(totals, axis=1)
