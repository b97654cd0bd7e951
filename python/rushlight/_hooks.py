"""Hooks: functions that the package calls at a fixed moment, and the handles that remove them."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

__all__ = ["Functions", "GradientHandle", "Hooks", "RemovableHandle"]

Hook = TypeVar("Hook")
_numbers = itertools.count()


class Hooks(Generic[Hook]):
    """The hooks of one kind, in the order in which they are called."""

    def __init__(self) -> None:
        self._hooks: dict[int, Hook] = {}

    def add(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Registers a hook as the last one, or as the first."""
        handle = RemovableHandle(self)
        added = {handle.id: hook}
        self._hooks = {**added, **self._hooks} if prepend else {**self._hooks, **added}
        return handle

    def discard(self, number: int) -> None:
        """Removes the hook of a handle, if it is registered."""
        self._hooks.pop(number, None)

    def __iter__(self) -> Iterator[Hook]:
        return iter(list(self._hooks.values()))

    def __bool__(self) -> bool:
        return bool(self._hooks)

    def __len__(self) -> int:
        return len(self._hooks)


class Functions(Hooks[Callable[..., Any]]):
    """Hooks that are plain functions."""

    def add(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Registers a function as the last one, or as the first."""
        if not callable(hook):
            raise TypeError(f"a hook is a function, got {type(hook).__name__}")
        return super().add(hook, prepend)


class RemovableHandle:
    """The registration of a hook. As a context manager it removes the hook at the end of the block.

    Parameters
    ----------
    hooks
        The hooks among which it is registered; the handle does not keep them alive.

    Examples
    --------
    >>> import rushlight as rl
    >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)])
    >>> handle = optimizer.register_step_post_hook(lambda optimizer, args, kwargs: print("stepped"))
    >>> optimizer.step()
    stepped
    >>> handle.remove()
    >>> optimizer.step()
    """

    def __init__(self, hooks: Hooks[Any]) -> None:
        self.id = next(_numbers)
        self._hooks = weakref.ref(hooks)

    def remove(self) -> None:
        """Removes the hook; a second call changes nothing.

        Examples
        --------
        >>> import rushlight as rl
        >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)])
        >>> optimizer.register_step_pre_hook(lambda *given: None).remove()
        """
        hooks = self._hooks()
        if hooks is not None:
            hooks.discard(self.id)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


class GradientHandle(RemovableHandle):
    """The registration of a hook of a tensor, which the tensor's node in the gradient graph holds."""

    def __init__(self, native: Any) -> None:
        self.id = next(_numbers)
        self._native = native

    def remove(self) -> None:
        """Removes the hook; a second call changes nothing."""
        self._native.remove()
