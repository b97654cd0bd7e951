"""Switches the recording of gradients."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Generator, Sequence
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from ._native import Tensor, _grad, _reaches_others, _set_grad_enabled, is_grad_enabled, zeros_like

__all__ = ["enable_grad", "inference_mode", "no_grad", "set_grad_enabled"]

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
        if inspect.isgeneratorfunction(function):
            return _resumed(function, enabled)

        @functools.wraps(function)
        def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
            with _Switch(enabled):
                return function(*args, **kwargs)

        return wrapped


def _resumed(function: Callable[P, Any], enabled: bool) -> Callable[P, Any]:
    """Decorate a generator function: the switch applies while the generator runs, not between its values."""

    @functools.wraps(function)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> Generator[Any, Any, Any]:
        generator = function(*args, **kwargs)
        resume: Callable[[], Any] = lambda: next(generator)  # noqa: E731
        while True:
            try:
                with _Switch(enabled):
                    value = resume()
            except StopIteration as end:
                return end.value
            try:
                sent = yield value
            except GeneratorExit:
                with _Switch(enabled):
                    generator.close()
                raise
            except BaseException as error:
                resume = functools.partial(generator.throw, error)
            else:
                resume = functools.partial(generator.send, sent)

    return wrapped


class no_grad(_Switch):
    """Records no gradients: a context manager, ``with rl.no_grad():``, and a decorator, ``@rl.no_grad()``.

    Results of ops inside have ``requires_grad=False``. The switch applies to the calling thread only. A
    decorated generator function runs with it, and the code that takes its values without.

    Parameters
    ----------
    orig_func
        The function where the decorator has no parentheses: ``@rl.no_grad``.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.ones(2, requires_grad=True)
    >>> with rl.no_grad():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    def __new__(cls, orig_func: Any = None) -> Any:
        """Make the switch, or decorate a function."""
        return super().__new__(cls) if orig_func is None else cls()(orig_func)

    def __init__(self, orig_func: None = None) -> None:
        super().__init__(False)


class enable_grad(_Switch):
    """Records gradients again inside `no_grad`: a context manager and a decorator.

    Parameters
    ----------
    orig_func
        The function where the decorator has no parentheses: ``@rl.enable_grad``.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.ones(2, requires_grad=True)
    >>> with rl.no_grad(), rl.enable_grad():
    ...     y = x * 2
    >>> y.requires_grad
    True
    """

    def __new__(cls, orig_func: Any = None) -> Any:
        """Make the switch, or decorate a function."""
        return super().__new__(cls) if orig_func is None else cls()(orig_func)

    def __init__(self, orig_func: None = None) -> None:
        super().__init__(True)


class inference_mode(_Switch):
    """Runs a model without gradients: a context manager and a decorator, like `no_grad`.

    Tensors made inside are ordinary ones: later ops may record gradients for them, where PyTorch raises an
    error.

    Parameters
    ----------
    mode
        Whether recording is off; with False nothing changes. A function is decorated without arguments, too:
        ``@rl.inference_mode``.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.ones(2, requires_grad=True)
    >>> with rl.inference_mode():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    def __new__(cls, mode: Any = True) -> Any:
        """Make the switch, or decorate a function."""
        if callable(mode):
            return cls()(mode)
        return super().__new__(cls)

    def __init__(self, mode: Any = True) -> None:
        super().__init__(is_grad_enabled() and not mode)


class set_grad_enabled(_Switch):
    """Sets whether gradients are recorded: immediately, or as a context manager until the block ends.

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


def tracked_alias(x: Tensor) -> Tensor:
    """Return an alias of `x` to differentiate by: a node of the graph of `x` if recorded, else a leaf."""
    if is_grad_enabled() and x.requires_grad:
        return x.reshape(x.shape)
    return x.detach().requires_grad_()


def gradients_of(value: Tensor, inputs: Sequence[Tensor]) -> tuple[Tensor, list[Tensor]]:
    """Return `value` and its gradients with respect to tensors of `tracked_alias`.

    They are parts of a graph if gradients are recorded and the value depends on further tensors that require
    a gradient. The gradient of an input that `value` does not depend on is zero.
    """
    if not value.requires_grad:
        return value, [zeros_like(x.detach()) for x in inputs]
    nested = is_grad_enabled() and _reaches_others([value], inputs)
    grads = _grad([value], inputs, [None], nested)
    found = [zeros_like(x.detach()) if g is None else g for x, g in zip(inputs, grads, strict=True)]
    return value if nested else value.detach(), found
