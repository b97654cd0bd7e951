"""The attribute `size`, which is a number in NumPy and a method in PyTorch."""

from __future__ import annotations

from typing import overload

from .._compose.axes import one_axis
from .._native import Tensor

__all__ = ["Size"]


class Size(int):
    """Number of elements, as NumPy's ``x.size``; called it gives the sizes, as PyTorch's ``x.size()``.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.ones((2, 3))
    >>> x.size, x.size(), x.size(0), x.size(-1)
    (6, (2, 3), 2, 3)
    """

    _shape: tuple[int, ...]

    @overload
    def __call__(self, dim: None = None) -> tuple[int, ...]: ...

    @overload
    def __call__(self, dim: int) -> int: ...

    def __call__(self, dim: int | None = None) -> int | tuple[int, ...]:
        """Return the sizes of all axes, or of one."""
        shape = self._shape
        if dim is None:
            return shape
        return shape[one_axis("size", dim, len(shape))]

    def __reduce__(self) -> tuple[type[int], tuple[int]]:
        """Pickle as the number."""
        return int, (int(self),)


def size_of(x: Tensor) -> Size:
    """Number of elements; called, as in ``x.size()`` and ``x.size(0)``, it gives the sizes.

    Examples
    --------
    >>> rl.ones((2, 3)).size, rl.ones((2, 3)).size(0)
    (6, 2)
    """
    out = Size(x.numel())
    out._shape = x.shape
    return out
