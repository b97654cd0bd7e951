"""The attributes `shape` and `size`; the latter is a number in NumPy and a method in PyTorch."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import SupportsIndex, overload

from .._check import integers
from .._compose.axes import one_axis
from .._native import Tensor

__all__ = ["Count", "Size"]


class Size(tuple[int, ...]):
    """Sizes of the axes of a tensor: a tuple, with PyTorch's method for the number of elements.

    Its slices, and sums with tuples, are sizes, too.

    Parameters
    ----------
    sizes
        Integers.

    Raises
    ------
    TypeError
        If one is not an integer.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.Size([2, 3]) == rl.ones((2, 3)).shape == (2, 3)
    True
    >>> rl.Size([2, 3])[1:].numel()
    3
    """

    __slots__ = ()

    def __new__(cls, sizes: Iterable[SupportsIndex] = ()) -> Size:
        if isinstance(sizes, str):
            raise TypeError(f"Size: the sizes are integers, got {sizes!r}")
        given = integers(sizes, "Size: a size")
        if isinstance(given, int):
            raise TypeError(f"Size: the sizes are a sequence of integers, got {given}")
        return _made(cls, [int(v) for v in given])

    @overload
    def __getitem__(self, key: SupportsIndex) -> int: ...

    @overload
    def __getitem__(self, key: slice) -> Size: ...

    def __getitem__(self, key: SupportsIndex | slice) -> int | Size:
        """Return one size, or those of a slice."""
        found = tuple.__getitem__(self, key)
        return _made(Size, found) if isinstance(found, tuple) else found

    def __add__(self, other: tuple[int, ...]) -> Size:  # type: ignore[override]
        """Return the sizes of both, one after the other."""
        return _made(Size, tuple.__add__(self, other)) if isinstance(other, tuple) else NotImplemented

    def __radd__(self, other: tuple[int, ...]) -> Size:
        """Return the sizes of both, one after the other."""
        return _made(Size, tuple.__add__(other, self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, count: SupportsIndex) -> Size:
        """Return the sizes repeated."""
        return _made(Size, tuple.__mul__(self, count))

    __rmul__ = __mul__

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


# Makes sizes of integers, without a check.
_made = tuple.__new__

# The native property, a plain tuple.
Tensor._sizes = Tensor.shape  # type: ignore[attr-defined]


def shape_of(x: Tensor) -> Size:
    """Sizes of the dimensions, as a tuple.

    Examples
    --------
    >>> rl.ones((2, 3)).shape
    (2, 3)
    """
    return _made(Size, x._sizes)  # type: ignore[attr-defined]


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
