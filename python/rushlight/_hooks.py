"""Hooks: functions that the package calls at a fixed moment, and the handles that remove them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["Hooks", "RemovableHandle"]


class RemovableHandle:
    """A handle of a registered hook.

    Parameters
    ----------
    hooks
        The hooks, by number.
    number
        The number of this one.

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

    def __init__(self, hooks: dict[int, Callable[..., Any]], number: int) -> None:
        self._hooks, self._number = hooks, number

    def remove(self) -> None:
        """Removes the hook; a second call changes nothing.

        Examples
        --------
        >>> import rushlight as rl
        >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)])
        >>> optimizer.register_step_pre_hook(lambda *given: None).remove()
        """
        self._hooks.pop(self._number, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


class Hooks:
    """The hooks of one kind, in the order of their calls."""

    def __init__(self) -> None:
        self._hooks: dict[int, Callable[..., Any]] = {}
        self._next = 0

    def add(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Registers a hook, as the first one if `prepend`."""
        if not callable(hook):
            raise TypeError(f"a hook is a function, got {type(hook).__name__}")
        number, self._next = self._next, self._next + 1
        if prepend:
            others = dict(self._hooks)
            self._hooks.clear()
            self._hooks.update({number: hook, **others})
        else:
            self._hooks[number] = hook
        return RemovableHandle(self._hooks, number)

    def __iter__(self) -> Any:
        return iter(list(self._hooks.values()))
