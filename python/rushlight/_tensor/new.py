"""Methods that make tensors of the dtype and device of another one."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

from .. import _native as n
from .._check import several
from .._native import Device, DType, Tensor

__all__ = [
    "new_empty",
    "new_full",
    "new_ones",
    "new_tensor",
    "new_zeros",
]


def sizes_of(op: str, sizes: tuple[Any, ...]) -> tuple[int, ...]:
    """Return sizes that are given as one sequence or as separate integers."""
    return several(sizes[0] if len(sizes) == 1 else sizes, f"{op}: a size")


def new_zeros(
    self: Tensor,
    *size: int | Sequence[int],
    dtype: DType | str | None = None,
    device: Device | str | None = None,
    requires_grad: builtins.bool = False,
) -> Tensor:
    """Returns a tensor of zeros of the dtype and device of this one.

    Parameters
    ----------
    *size
        The shape, as one sequence or as separate integers.
    dtype, device
        Others than those of the tensor.
    requires_grad
        Whether gradients are recorded for the result.

    Returns
    -------
    Tensor
        A new tensor.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.tensor([1, 2]).new_zeros(2, 2).tolist()
    [[0, 0], [0, 0]]
    """
    return new_full(
        self, sizes_of("new_zeros", size), 0, dtype=dtype, device=device, requires_grad=requires_grad
    )


def new_ones(
    self: Tensor,
    *size: int | Sequence[int],
    dtype: DType | str | None = None,
    device: Device | str | None = None,
    requires_grad: builtins.bool = False,
) -> Tensor:
    """Returns a tensor of ones of the dtype and device of this one.

    Parameters
    ----------
    *size
        The shape, as one sequence or as separate integers.
    dtype, device
        Others than those of the tensor.
    requires_grad
        Whether gradients are recorded for the result.

    Returns
    -------
    Tensor
        A new tensor.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.tensor([1.0]).new_ones((2,)).tolist()
    [1.0, 1.0]
    """
    return new_full(
        self, sizes_of("new_ones", size), 1, dtype=dtype, device=device, requires_grad=requires_grad
    )


def new_empty(
    self: Tensor,
    *size: int | Sequence[int],
    dtype: DType | str | None = None,
    device: Device | str | None = None,
    requires_grad: builtins.bool = False,
) -> Tensor:
    """Returns a tensor of unspecified values of the dtype and device of this one.

    Parameters
    ----------
    *size
        The shape, as one sequence or as separate integers.
    dtype, device
        Others than those of the tensor.
    requires_grad
        Whether gradients are recorded for the result.

    Returns
    -------
    Tensor
        A new tensor.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.tensor([1.0]).new_empty(2, 3).shape
    (2, 3)
    """
    return n.empty(
        sizes_of("new_empty", size),
        dtype=dtype or self.dtype,
        device=device or self.device,
        requires_grad=requires_grad,
    )


def new_full(
    self: Tensor,
    size: int | Sequence[int],
    fill_value: complex,
    *,
    dtype: DType | str | None = None,
    device: Device | str | None = None,
    requires_grad: builtins.bool = False,
) -> Tensor:
    """Returns a tensor of one value of the dtype and device of this one.

    Parameters
    ----------
    size
        The shape.
    fill_value
        The value of every element.
    dtype, device
        Others than those of the tensor.
    requires_grad
        Whether gradients are recorded for the result.

    Returns
    -------
    Tensor
        A new tensor.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.tensor([1.0]).new_full((2,), 5).tolist()
    [5.0, 5.0]
    """
    return n.full(
        size,
        fill_value,
        dtype=dtype or self.dtype,
        device=device or self.device,
        requires_grad=requires_grad,
    )


def new_tensor(
    self: Tensor,
    data: Any,
    *,
    dtype: DType | str | None = None,
    device: Device | str | None = None,
    requires_grad: builtins.bool = False,
) -> Tensor:
    """Copies data into a tensor of the dtype and device of this one.

    Parameters
    ----------
    data
        Numbers, nested sequences, an array or a tensor.
    dtype, device
        Others than those of the tensor.
    requires_grad
        Whether gradients are recorded for the result.

    Returns
    -------
    Tensor
        A new tensor.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.tensor([1.0]).new_tensor([1, 2]).dtype
    rushlight.float32
    """
    return n.tensor(
        data, dtype=dtype or self.dtype, device=device or self.device, requires_grad=requires_grad
    )
