"""Checks of arguments, with errors that name the argument of a wrong type."""

from __future__ import annotations

import functools
import inspect
import operator
import re
from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any, ParamSpec, TypeVar

from ._native import DType, Tensor

P = ParamSpec("P")
R = TypeVar("R")

# Classes that an annotation names.
_TYPES: Mapping[str, type] = {"Tensor": Tensor, "str": str, "DType": DType}


def integer(value: Any) -> int | None:
    """Return `value` as an int if it is one integer (also of NumPy), and None otherwise."""
    try:
        return operator.index(value)
    except TypeError:
        return None


def one_integer(value: Any, what: str, *, or_bool: bool = True) -> int:
    """Return one integer; anything else is a TypeError that begins with `what`."""
    found = integer(value)
    if found is None or (isinstance(value, bool) and not or_bool):
        raise TypeError(f"{what} is an integer, got {type(value).__name__} {value!r}")
    return found


def integers(value: Any, what: str) -> int | tuple[int, ...]:
    """Return one integer, or several as a tuple; anything else is a TypeError that begins with `what`."""
    one = integer(value)
    if one is not None:
        return one
    try:
        # A tensor's values in one go.
        return tuple(operator.index(v) for v in (value.tolist() if isinstance(value, Tensor) else value))
    except TypeError:
        kind = type(value).__name__
    raise TypeError(f"{what} is an integer or a sequence of integers, got {kind}")


def check_number(value: Any, what: str) -> None:
    """Raise TypeError, with a text that begins with `what`, unless `value` is a number or a tensor of one."""
    if isinstance(value, Real) or (isinstance(value, Tensor) and value.numel() == 1):
        return
    raise TypeError(f"{what} is a number, got {type(value).__name__} {value!r}")


def several(value: Any, what: str) -> tuple[int, ...]:
    """Return one integer or several as a tuple; errors are those of `integers`."""
    found = integers(value, what)
    return (found,) if isinstance(found, int) else found


def typed(function: Callable[P, R]) -> Callable[P, R]:
    """Make an AttributeError that an argument of a wrong type caused a TypeError that names it."""

    @functools.wraps(function)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except AttributeError:
            wrong = _wrong(function, args, kwargs)
            if wrong is None:
                raise
        raise TypeError(wrong)

    return wrapped


def renamed(*names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let errors of the functions with these names speak of the decorated function, which the user called."""
    inner = re.compile(rf"\b({'|'.join(names)})\b")

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                return function(*args, **kwargs)
            except (IndexError, TypeError, ValueError) as error:
                error.args = (inner.sub(function.__name__, str(error)),)
                raise

        return wrapped

    return decorate


def _wrong(function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str | None:
    """Describe the argument whose type is not that of its annotation."""
    signature = inspect.signature(function)
    for name, value in signature.bind(*args, **kwargs).arguments.items():
        parameter = signature.parameters[name]
        text = str(parameter.annotation)
        wanted = _TYPES.get(text.removesuffix(" | None"))
        if wanted is None or (value is None and text.endswith(" | None")):
            continue
        values = value if parameter.kind is inspect.Parameter.VAR_POSITIONAL else (value,)
        for v in values:
            if not isinstance(v, wanted):
                kind = type(v).__name__
                return f"{function.__name__}: {name} is a {wanted.__name__}, got {kind}"
    return None
