"""PyTorch's decorators of its compilers, which return functions and modules unchanged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

__all__ = [
    "compile",
    "export",
    "ignore",
    "is_scripting",
    "is_tracing",
    "script",
    "script_if_tracing",
    "trace",
    "unused",
]

F = TypeVar("F")


def compile(
    model: Any = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: Any = "inductor",
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    disable: bool = False,
) -> Any:
    """Returns a function or module unchanged: nothing is compiled. As a decorator it takes the options first.

    Parameters
    ----------
    model
        The function or module; None to get a decorator.
    fullgraph, dynamic, backend, mode, options, disable
        Accepted as in PyTorch, without effect.

    Returns
    -------
    object
        `model`, or the decorator.

    Raises
    ------
    TypeError
        If `model` cannot be called.

    Examples
    --------
    >>> import rushlight as rl
    >>> @rl.compile(mode="reduce-overhead")
    ... def double(x):
    ...     return x * 2
    >>> double(rl.ones(1)).item()
    2.0
    """
    if model is None:
        return lambda given: compile(given)
    if not callable(model):
        raise TypeError(f"compile takes a function or a module, got {type(model).__name__}")
    return model


def script(obj: F, *args: Any, **kwargs: Any) -> F:
    """Returns a function, class or module unchanged.

    Parameters
    ----------
    obj
        The function, class or module.
    *args, **kwargs
        Accepted as in PyTorch, without effect.

    Returns
    -------
    object
        `obj`.

    Examples
    --------
    >>> import rushlight as rl
    >>> @rl.jit.script
    ... def double(x):
    ...     return x * 2
    >>> double(rl.ones(1)).item()
    2.0
    """
    return obj


def trace(func: F, example_inputs: Any = None, *args: Any, **kwargs: Any) -> F:
    """Returns a function or module unchanged: both sides of a condition stay.

    Parameters
    ----------
    func
        The function or module.
    example_inputs, *args, **kwargs
        Accepted as in PyTorch, without effect.

    Returns
    -------
    object
        `func`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.jit.trace(rl.nn.ReLU(), rl.ones(1))(rl.tensor([-1.0])).item()
    0.0
    """
    return func


def script_if_tracing(fn: F) -> F:
    """Returns a function unchanged.

    Parameters
    ----------
    fn
        The function.

    Returns
    -------
    object
        `fn`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.jit.script_if_tracing(abs)(-1)
    1
    """
    return fn


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """Returns a method unchanged; a decorator with or without parentheses.

    Parameters
    ----------
    drop
        The method; or an option of PyTorch, without effect.
    **kwargs
        Accepted as in PyTorch, without effect.

    Returns
    -------
    object
        The method, or the decorator.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.jit.ignore(abs)(-1), rl.jit.ignore(drop=True)(abs)(-1)
    (1, 1)
    """
    return drop if callable(drop) else script


def unused(fn: F) -> F:
    """Returns a method unchanged.

    Parameters
    ----------
    fn
        The method.

    Returns
    -------
    object
        `fn`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.jit.unused(abs)(-1)
    1
    """
    return fn


def export(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a method unchanged.

    Parameters
    ----------
    fn
        The method.

    Returns
    -------
    callable
        `fn`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.jit.export(abs)(-1)
    1
    """
    return fn


def is_scripting() -> bool:
    """Returns False: nothing is compiled.

    Returns
    -------
    bool
        False.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.jit.is_scripting()
    False
    """
    return False


def is_tracing() -> bool:
    """Returns False: nothing is traced.

    Returns
    -------
    bool
        False.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.jit.is_tracing()
    False
    """
    return False
