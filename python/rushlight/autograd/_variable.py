"""PyTorch's older name of a tensor."""

from __future__ import annotations

from typing import Any

from rushlight._native import Tensor

__all__ = ["Variable"]


def Variable(data: Tensor, requires_grad: bool = False, volatile: Any = None) -> Tensor:
    """Returns a leaf over the memory of a tensor, as old programs for PyTorch make them.

    Parameters
    ----------
    data
        The tensor.
    requires_grad
        Whether the leaf requires a gradient.
    volatile
        Accepted as in PyTorch, without effect.

    Returns
    -------
    Tensor
        The leaf.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.autograd.Variable(rl.ones(2), requires_grad=True).requires_grad
    True
    """
    return data.detach().requires_grad_(requires_grad)
