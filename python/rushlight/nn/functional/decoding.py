"""Decoding of sequences: the most probable path through states."""

from __future__ import annotations

from rushlight import _core as rl
from rushlight._check import typed
from rushlight._native import Tensor

__all__ = ["viterbi_decode"]


@typed
def viterbi_decode(
    potentials: Tensor, transitions: Tensor, lengths: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Returns the sequence of states with the largest score, for each of several sequences (Viterbi 1967).

    The score of a path s is the sum of ``potentials[t, s[t]]`` over all steps and of ``transitions[s[t], s[t
    + 1]]`` over all pairs of steps. The steps are computed one after the other, all sequences and states of a
    step at once.

    Parameters
    ----------
    potentials
        Scores of the states, of a float dtype: shape ``(batch, steps, states)``.
    transitions
        Scores of the pairs of states: shape ``(states, states)``, from row to column.
    lengths
        The number of steps of each sequence, at least 1: shape ``(batch,)``; None for all.

    Returns
    -------
    tuple[Tensor, Tensor]
        The scores of the best paths, of shape ``(batch,)``, and the paths, int64 of shape ``(batch, steps)``,
        with 0 behind the end of a sequence. Of equal scores the lower state wins. The scores have gradients.

    Raises
    ------
    ValueError
        If the shapes do not fit, there is no step, or a length is out of range.

    Examples
    --------
    >>> import rushlight as rl
    >>> potentials = rl.tensor([[[1.0, 0.0], [0.0, 3.0], [2.0, 0.0]]])
    >>> score, path = rl.functional.viterbi_decode(potentials, rl.tensor([[0.0, -1.0], [-1.0, 0.0]]))
    >>> score.tolist(), path.tolist()
    ([4.0], [[0, 1, 0]])
    """
    if potentials.ndim != 3 or transitions.shape != (potentials.shape[2],) * 2 or 0 in potentials.shape[1:]:
        raise ValueError(
            f"viterbi_decode: potentials of shape {potentials.shape} and transitions of shape "
            f"{transitions.shape} do not fit (batch, steps, states) and (states, states)"
        )
    batch, steps, _ = potentials.shape
    if lengths is not None and (
        lengths.shape != (batch,) or bool(rl.any(rl.logical_or(lengths < 1, lengths > steps)))
    ):
        raise ValueError(f"viterbi_decode: lengths must be {batch} numbers from 1 to {steps}")
    score = potentials[:, 0]
    before: list[Tensor] = []
    same = rl.arange(transitions.shape[0], device=potentials.device)
    for step in range(1, steps):
        each = score.unsqueeze(2) + transitions
        came = rl.argmax(each, axis=1)
        new = rl.take_along_axis(each, came.unsqueeze(1), axis=1).squeeze(1) + potentials[:, step]
        if lengths is not None:
            # Behind its end a sequence keeps its scores, and each state comes from itself.
            runs = (lengths > step).unsqueeze(1)
            new = rl.where(runs, new, score)
            came = rl.where(runs, came, same)
        score = new
        before.append(came)
    state = rl.argmax(score, axis=1, keepdims=True)
    best = rl.take_along_axis(score, state, axis=1).squeeze(1)
    path = [state]
    for came in reversed(before):
        state = rl.take_along_axis(came, state, axis=1)
        path.append(state)
    states = rl.concat(path[::-1], axis=1)
    if lengths is not None:
        inside = rl.arange(steps, device=states.device) < lengths.unsqueeze(1)
        states = rl.where(inside, states, rl.zeros_like(states))
    return best, states
