"""Named tuples that functions return."""

from __future__ import annotations

from typing import NamedTuple

from ._native import Tensor

__all__ = ["ValuesIndices"]


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


class _Size(int):
    """The number of elements. A call, as PyTorch's ``x.size()``, is an error that names `shape`."""

    def __call__(self, *args: object) -> None:
        dim = f"[{args[0]}]" if args else ""
        raise TypeError(
            "Tensor.size is the number of elements, as in NumPy, and not callable; "
            f"use x.shape{dim} for PyTorch's x.size({', '.join(map(str, args))})"
        )

    def __reduce__(self) -> tuple[type[int], tuple[int]]:
        return int, (int(self),)
