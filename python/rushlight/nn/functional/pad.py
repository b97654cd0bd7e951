"""Padding."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rushlight import _core as rl
from rushlight._check import integers, typed
from rushlight._native import Tensor

__all__ = [
    "pad",
]


@typed
def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """Adds elements at the ends of the last axes, or removes some.

    Parameters
    ----------
    input
        Any shape and dtype that has the axes.
    pad
        Numbers of elements before and behind the last axis, then the last but one, and so on; a negative one
        removes.
    mode
        ``"constant"``, ``"reflect"`` (mirrors without repeating the end), ``"replicate"`` (repeats it) or
        ``"circular"`` (continues at the other end).
    value
        The element that ``"constant"`` adds; 0 if None.

    Returns
    -------
    Tensor
        Of the dtype of `input`.

    Raises
    ------
    ValueError
        If the numbers do not fit the shape, or the mode is unknown.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> x = rl.tensor([1, 2, 3])
    >>> F.pad(x, (1, 2)).tolist(), F.pad(x, (2, 1), "reflect").tolist()
    ([0, 1, 2, 3, 0, 0], [3, 2, 1, 2, 3, 2])
    """
    found = integers(pad, "pad: pad")
    sides = (found, found) if isinstance(found, int) else found
    if len(sides) % 2 or len(sides) > 2 * input.ndim:
        raise ValueError(f"pad: a pair of numbers for each of up to {input.ndim} axes is needed, got {sides}")
    if mode not in ("constant", "reflect", "replicate", "circular"):
        raise ValueError(f"pad: mode {mode!r} is none of 'constant', 'reflect', 'replicate', 'circular'")
    if mode != "constant" and value:
        raise ValueError(f"pad: value goes with mode 'constant', not {mode!r}")
    for i in range(len(sides) // 2):
        axis, before, after = input.ndim - 1 - i, sides[2 * i], sides[2 * i + 1]
        if before == after == 0:
            continue
        if mode == "constant":
            input = _constant(input, axis, before, after, 0 if value is None else value)
        else:
            positions = _POSITIONS[mode](input.shape[axis], before, after)
            input = rl.take(input, rl.asarray(positions, dtype=rl.int64, device=input.device), axis=axis)
    return input


def _constant(input: Tensor, axis: int, before: int, after: int, value: float) -> Tensor:
    length = input.shape[axis]
    start, end = max(-before, 0), length - max(-after, 0)
    if end < start:
        raise ValueError(f"pad: ({before}, {after}) removes more than the {length} elements of axis {axis}")
    parts = [input if (start, end) == (0, length) else input.narrow(axis, start, end - start)]
    for added, at in ((before, 0), (after, 2)):
        if added > 0:
            shape = (*input.shape[:axis], added, *input.shape[axis + 1 :])
            full = rl.full(shape, value, dtype=input.dtype, device=input.device)
            parts.insert(at, full)
    return parts[0] if len(parts) == 1 else rl.concat(parts, axis=axis)


def _reflect(length: int, before: int, after: int) -> list[int]:
    if max(before, after) >= length:
        raise ValueError(f"pad: mode 'reflect' adds fewer than {length} elements, not {before} and {after}")
    last = length - 1
    return [last - abs(last - abs(i)) for i in _range(length, before, after)]


def _replicate(length: int, before: int, after: int) -> list[int]:
    if length == 0:
        raise ValueError("pad: mode 'replicate' needs an element")
    return [min(max(i, 0), length - 1) for i in _range(length, before, after)]


def _circular(length: int, before: int, after: int) -> list[int]:
    # As in PyTorch, what is removed does not come back at the other end.
    first, last = max(-before, 0), length - max(-after, 0)
    kept = last - first
    if max(before, after) > kept:
        raise ValueError(f"pad: mode 'circular' adds at most the {kept} elements, not {before} and {after}")
    return [first + i % kept for i in range(-max(before, 0), kept + max(after, 0))]


def _range(length: int, before: int, after: int) -> range:
    if length + before + after < 0:
        raise ValueError(f"pad: ({before}, {after}) removes more than {length} elements")
    return range(-before, length + after)


# The position in the input of each element of the output.
_POSITIONS: dict[str, Callable[[int, int, int], list[int]]] = {
    "reflect": _reflect,
    "replicate": _replicate,
    "circular": _circular,
}
