"""Switches the recording of gradients, and makes functions that return gradients."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from ._native import Tensor, _set_grad_enabled, is_grad_enabled, zeros_like

__all__ = ["enable_grad", "no_grad", "set_grad_enabled", "value_and_grad"]

_NESTED = (
    "value_and_grad: a gradient has no gradient yet, so a function that is being differentiated cannot call "
    "value_and_grad on what depends on its arguments; write the derivative as an expression and "
    "differentiate that, or detach() what is a constant"
)
# The tensors that the calls of `value_and_grad` under way on this thread differentiate by.
_under_way = threading.local()

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
    """Records no gradients: a context manager, ``with rl.no_grad():``, and a decorator, ``@rl.no_grad()``.

    Results of ops inside have ``requires_grad=False``. The switch is of the calling thread.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.ones(2, requires_grad=True)
    >>> with rl.no_grad():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    def __init__(self) -> None:
        super().__init__(False)


class enable_grad(_Switch):
    """Records gradients again inside `no_grad`: a context manager and a decorator.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.ones(2, requires_grad=True)
    >>> with rl.no_grad(), rl.enable_grad():
    ...     y = x * 2
    >>> y.requires_grad
    True
    """

    def __init__(self) -> None:
        super().__init__(True)


class set_grad_enabled(_Switch):
    """Records gradients or not: at once, and as a context manager until the block ends.

    Parameters
    ----------
    mode
        Whether ops record gradients.

    Examples
    --------
    >>> import rushlight as rl
    >>> training = False
    >>> with rl.set_grad_enabled(training):
    ...     rl.is_grad_enabled()
    False
    """

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
    """Makes a function that returns `function`'s value and its gradient.

    Parameters
    ----------
    function
        Returns a tensor of one element.
    argnums
        Positions of the floating-point tensor arguments to differentiate by; several give a tuple of
        gradients.

    Returns
    -------
    callable
        Takes the arguments of `function` and returns ``(value, gradient)``, both detached. A gradient has the
        shape and dtype of its argument, and is zero where the value does not depend on it.

    Raises
    ------
    RuntimeError
        When the result is called: if `function` itself differentiates what depends on its arguments, by
        `value_and_grad` or ``backward()``. A gradient has no gradient yet.

    Examples
    --------
    >>> import rushlight as rl
    >>> square = rl.value_and_grad(lambda x: (x * x).sum())
    >>> value, gradient = square(rl.tensor([1.0, 2.0]))
    >>> float(value), gradient.tolist()
    (5.0, [2.0, 4.0])
    """
    positions = (argnums,) if isinstance(argnums, int) else tuple(argnums)

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> tuple[Tensor, Any]:
        outer: list[Tensor] = _under_way.__dict__.setdefault("leaves", [])
        if is_grad_enabled() and any(_depends(args[i], outer) for i in positions):
            raise RuntimeError(_NESTED)
        given = list(args)
        for i in positions:
            given[i] = args[i].detach().requires_grad_()
        leaves = [given[i] for i in positions]
        outer.extend(leaves)
        try:
            with enable_grad():
                value = function(*given, **kwargs)
        finally:
            del outer[len(outer) - len(leaves) :]
        if any(leaf.grad is not None for leaf in leaves):
            raise RuntimeError(
                "value_and_grad: the function called backward() on what depends on its arguments"
            )
        if value.requires_grad:
            value.backward()
        if any(leaf.grad is not None for leaf in outer):
            raise RuntimeError(_NESTED)
        grads = tuple(zeros_like(leaf.detach()) if leaf.grad is None else leaf.grad for leaf in leaves)
        return value.detach(), grads[0] if isinstance(argnums, int) else grads

    return wrapped


def _depends(argument: Any, leaves: Sequence[Tensor]) -> bool:
    """Whether an argument may have been computed from one of the leaves."""
    if not leaves or not isinstance(argument, Tensor) or not argument.requires_grad:
        return False
    return not argument.is_leaf or any(argument is leaf for leaf in leaves)
