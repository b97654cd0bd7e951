"""Trainable tensors."""

from __future__ import annotations

from typing import Any

from rushlight import _core as rl
from rushlight._native import Tensor

__all__ = ["Parameter"]


class Parameter(Tensor):
    """A tensor that a `Module` registers when it is assigned to an attribute.

    It shares memory with the tensor it is made of. An op on it returns a plain `Tensor`.

    Parameters
    ----------
    data
        The first value: a tensor, or anything `rushlight.asarray` takes.
    requires_grad
        Whether `backward` fills ``grad``.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.Parameter(rl.zeros(2)).requires_grad
    True
    """

    def __new__(cls, data: Any, requires_grad: bool = True) -> Parameter:
        """Make a leaf of the values of `data`."""
        tensor = data if isinstance(data, Tensor) else rl.asarray(data)
        made = super().__new__(cls, tensor.detach())
        made.requires_grad_(requires_grad)
        return made

    def __repr__(self) -> str:
        return f"Parameter({super().__repr__()})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Parameter, (self.detach(), self.requires_grad)

    def __copy__(self) -> Parameter:
        return Parameter(self, self.requires_grad)

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        made = Parameter(self.detach().clone(), self.requires_grad)
        memo[id(self)] = made
        return made
