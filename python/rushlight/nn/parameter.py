"""Trainable tensors."""

from __future__ import annotations

from typing import Any

from rushlight import _core as rl
from rushlight._native import Tensor

__all__ = ["Buffer", "Parameter"]


class Parameter(Tensor):
    """A tensor that a `Module` registers when it is assigned to an attribute.

    It shares memory with the tensor it is made of. An op on it returns a plain `Tensor`.

    Parameters
    ----------
    data
        The initial value: a tensor, or anything `rushlight.asarray` takes; an empty tensor if None.
    requires_grad
        Whether `backward` fills ``grad``.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.Parameter(rl.zeros(2)).requires_grad
    True
    """

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Parameter:
        """Make a leaf that shares the memory of `data`."""
        tensor = _tensor(data)
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


class Buffer(Tensor):
    """A tensor that a `Module` registers as a buffer when it is assigned to an attribute.

    Parameters
    ----------
    data
        The value: a tensor, or anything `rushlight.asarray` takes; an empty tensor if None.
    persistent
        Whether `Module.state_dict` holds it.

    Examples
    --------
    >>> import rushlight as rl
    >>> module = rl.nn.Module()
    >>> module.mean = rl.nn.Buffer(rl.zeros(2))
    >>> list(module.state_dict())
    ['mean']
    """

    persistent: bool

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Buffer:
        """Make a tensor that shares the memory of `data`."""
        made = super().__new__(cls, _tensor(data).detach())
        made.persistent = persistent
        return made

    def __repr__(self) -> str:
        return f"Buffer({super().__repr__()})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _buffer, (self.detach(), self.persistent)

    def __copy__(self) -> Buffer:
        return Buffer(self, persistent=self.persistent)

    def __deepcopy__(self, memo: dict[int, Any]) -> Buffer:
        made = Buffer(self.detach().clone(), persistent=self.persistent)
        memo[id(self)] = made
        return made


def _buffer(data: Tensor, persistent: bool) -> Buffer:
    return Buffer(data, persistent=persistent)


def _tensor(data: Any) -> Tensor:
    if data is None:
        return rl.empty((0,))
    return data if isinstance(data, Tensor) else rl.asarray(data)
