"""Named tuples that functions return."""

from __future__ import annotations

from typing import NamedTuple

from ._native import Tensor

__all__ = ["Histogram", "MinMax", "ValuesIndices"]


class ValuesIndices(NamedTuple):
    """Values and their indices: the result of `max`, `min` and `sort` with ``dim=``, as in PyTorch.

    Parameters
    ----------
    values
        The elements, of the input's dtype.
    indices
        Their positions along the axis, int64, of the same shape.

    Examples
    --------
    >>> import rushlight as rl
    >>> values, indices = rl.tensor([[3.0, 1.0], [2.0, 5.0]]).max(1)
    >>> values.tolist(), indices.tolist()
    ([3.0, 5.0], [0, 1])
    """

    values: Tensor
    indices: Tensor


class MinMax(NamedTuple):
    """The smallest and the largest elements: the result of `aminmax`.

    Parameters
    ----------
    min
        The smallest elements.
    max
        The largest, in the same shape.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.aminmax(rl.tensor([2, 1, 3])).max.item()
    3
    """

    min: Tensor
    max: Tensor


class Histogram(NamedTuple):
    """Sums in intervals: the result of `histogram`.

    Parameters
    ----------
    hist
        The sum of each interval.
    bin_edges
        The edges, one more than there are intervals.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.histogram(rl.tensor([1.0, 3.0, 3.0]), bins=2).hist.tolist()
    [1.0, 2.0]
    """

    hist: Tensor
    bin_edges: Tensor
