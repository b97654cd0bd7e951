"""Padding."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight import _native
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
    if mode != "constant" and value:
        raise ValueError(f"pad: value goes with mode 'constant', not {mode!r}")
    return _native._pad(input, sides, mode, 0 if value is None else value)
