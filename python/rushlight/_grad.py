"""Switching gradients on and off, and functions with gradients."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from ._native import Tensor, _set_grad_enabled, is_grad_enabled

__all__ = ["enable_grad", "no_grad", "set_grad_enabled", "value_and_grad"]

P = ParamSpec("P")
R = TypeVar("R")


class _Switch:
    """A context manager, and a decorator, that sets whether gradients are recorded."""

    def __init__(self, enabled: bool) -> None:
        self._enabled = enabled
        self._local = threading.local()

    def __enter__(self) -> None:
        before: list[bool] = self._local.__dict__.setdefault("before", [])
        before.append(_set_grad_enabled(self._enabled))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _set_grad_enabled(self._local.before.pop())

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        enabled = self._enabled

        @functools.wraps(function)
        def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
            with _Switch(enabled):
                return function(*args, **kwargs)

        return wrapped


class no_grad(_Switch):
    """Record no gradients: ``with rl.no_grad(): ...`` or ``@rl.no_grad()``."""

    def __init__(self) -> None:
        super().__init__(False)


class enable_grad(_Switch):
    """Record gradients again, inside `no_grad`."""

    def __init__(self) -> None:
        super().__init__(True)


class set_grad_enabled(_Switch):
    """Record gradients or not, at once and until the ``with`` block ends."""

    def __init__(self, mode: bool) -> None:
        super().__init__(mode)
        self._first = _set_grad_enabled(mode)
        self._entered = False

    def __enter__(self) -> None:
        before: list[bool] = self._local.__dict__.setdefault("before", [])
        before.append(is_grad_enabled() if self._entered else self._first)
        self._entered = True
        _set_grad_enabled(self._enabled)


def value_and_grad(
    function: Callable[..., Tensor], argnums: int | Sequence[int] = 0
) -> Callable[..., tuple[Tensor, Any]]:
    """Make a function that returns `function`'s value and its gradient.

    Parameters
    ----------
    function
        Returns a tensor of one element.
    argnums
        Positions of the tensor arguments to differentiate by; several give a tuple of gradients.
    """
    places = (argnums,) if isinstance(argnums, int) else tuple(argnums)

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> tuple[Tensor, Any]:
        leaves = list(args)
        for place in places:
            leaves[place] = args[place].detach().requires_grad_()
        with enable_grad():
            value = function(*leaves, **kwargs)
        if value.requires_grad:
            value.backward()
        grads = tuple(
            leaves[place].grad if leaves[place].grad is not None else (leaves[place].detach() * 0)
            for place in places
        )
        return value.detach(), grads[0] if isinstance(argnums, int) else grads

    return wrapped
