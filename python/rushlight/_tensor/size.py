"""The attributes `shape` and `size`; the latter is a number in NumPy and a method in PyTorch."""

from __future__ import annotations

import math
from typing import overload

from .._compose.axes import one_axis
from .._native import Tensor

__all__ = ["Count", "Size"]


class Size(tuple[int, ...]):
    """Sizes of the axes of a tensor: a tuple, with PyTorch's method for the number of elements.

    Its slices and sums are plain tuples.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.Size([2, 3]) == rl.ones((2, 3)).shape == (2, 3)
    True
    """

    __slots__ = ()

    def numel(self) -> int:
        """Returns the number of elements of a tensor of this shape.

        Returns
        -------
        int
            The product of the sizes.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.ones((2, 3)).shape.numel()
        6
        """
        return math.prod(self)


class Count(int):
    """Number of elements, as NumPy's ``x.size``; called it gives the sizes, as PyTorch's ``x.size()``.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.ones((2, 3))
    >>> x.size, x.size(), x.size(0), x.size(-1)
    (6, (2, 3), 2, 3)
    """

    _shape: Size

    @overload
    def __call__(self, dim: None = None) -> Size: ...

    @overload
    def __call__(self, dim: int) -> int: ...

    def __call__(self, dim: int | None = None) -> Size | int:
        """Return the sizes of all axes, or of one."""
        shape = self._shape
        if dim is None:
            return shape
        return shape[one_axis("size", dim, len(shape))]

    def __reduce__(self) -> tuple[type[int], tuple[int]]:
        """Pickle as the number."""
        return int, (int(self),)


# The native property, a plain tuple.
Tensor._sizes = Tensor.shape  # type: ignore[attr-defined]


def shape_of(x: Tensor) -> Size:
    """Sizes of the dimensions, as a tuple.

    Examples
    --------
    >>> rl.ones((2, 3)).shape
    (2, 3)
    """
    return Size(x._sizes)  # type: ignore[attr-defined]


def size_of(x: Tensor) -> Count:
    """Number of elements; called, as in ``x.size()`` and ``x.size(0)``, it gives the sizes.

    Examples
    --------
    >>> rl.ones((2, 3)).size, rl.ones((2, 3)).size(0)
    (6, 2)
    """
    out = Count(x.numel())
    out._shape = x.shape
    return out
