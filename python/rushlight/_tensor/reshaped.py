"""Methods that change the shape of the tensor itself."""

from __future__ import annotations

from collections.abc import Sequence

from .._compose.axes import all_axes
from .._native import Tensor

__all__ = [
    "squeeze_",
    "swapaxes_",
    "swapdims_",
    "t_",
    "transpose_",
    "unsqueeze_",
]


def _reshaped(name: str, self: Tensor, view: Tensor) -> Tensor:
    """Give a tensor another shape, over the same memory."""
    if self.requires_grad:
        raise RuntimeError(
            f"{name}: the shape of a tensor that requires a gradient cannot change in place; "
            f"write x = x.{name.removesuffix('_')}(..)"
        )
    self.data = view
    return self


def unsqueeze_(self: Tensor, dim: int) -> Tensor:
    """Inserts an axis of size 1 into the tensor itself.

    Parameters
    ----------
    dim
        The index of the new axis.

    Returns
    -------
    Tensor
        The tensor itself.

    Raises
    ------
    IndexError
        If the axis is out of range.
    RuntimeError
        If the tensor requires a gradient.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.ones(3)
    >>> x.unsqueeze_(0) is x, x.shape
    (True, (1, 3))
    """
    return _reshaped("unsqueeze_", self, self.unsqueeze(dim))


def squeeze_(self: Tensor, dim: int | Sequence[int] | None = None) -> Tensor:
    """Removes axes of size 1 from the tensor itself.

    Parameters
    ----------
    dim
        The axes; all of size 1 if None. Others stay, as in PyTorch.

    Returns
    -------
    Tensor
        The tensor itself.

    Raises
    ------
    IndexError
        If an axis is out of range.
    RuntimeError
        If the tensor requires a gradient.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.ones((1, 3, 1)).squeeze_().shape
    (3,)
    """
    if dim is None:
        return _reshaped("squeeze_", self, self.squeeze())
    axes = tuple(a for a in all_axes("squeeze_", dim, self.ndim) if self.shape[a] == 1)
    return _reshaped("squeeze_", self, self.squeeze(axes))


def t_(self: Tensor) -> Tensor:
    """Transposes a matrix itself; a vector or a scalar stays as it is.

    Returns
    -------
    Tensor
        The tensor itself.

    Raises
    ------
    ValueError
        If the rank is more than 2.
    RuntimeError
        If the tensor requires a gradient.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.ones((2, 3)).t_().shape
    (3, 2)
    """
    return _reshaped("t_", self, self.t())


def transpose_(self: Tensor, dim0: int, dim1: int) -> Tensor:
    """Exchanges two axes of the tensor itself.

    Parameters
    ----------
    dim0, dim1
        The axes.

    Returns
    -------
    Tensor
        The tensor itself.

    Raises
    ------
    IndexError
        If an axis is out of range.
    RuntimeError
        If the tensor requires a gradient.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.ones((2, 3, 4)).transpose_(0, 2).shape
    (4, 3, 2)
    """
    return _reshaped("transpose_", self, self.transpose(dim0, dim1))


swapaxes_ = transpose_
swapdims_ = transpose_
