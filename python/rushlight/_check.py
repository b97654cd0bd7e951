"""Checks of arguments, and errors that name the one of another type."""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

from ._native import DType, Tensor

P = ParamSpec("P")
R = TypeVar("R")

# Classes that an annotation names.
_TYPES: Mapping[str, type] = {"Tensor": Tensor, "str": str, "DType": DType}


def integer(value: Any) -> int | None:
    """`value` as an int if it is one integer, NumPy's too, and None otherwise."""
    try:
        return operator.index(value)
    except TypeError:
        return None


def integers(value: Any, what: str) -> int | tuple[int, ...]:
    """One integer, or several as a tuple; a TypeError that begins with `what` for anything else."""
    one = integer(value)
    if one is not None:
        return one
    try:
        # A tensor's values in one go.
        return tuple(operator.index(v) for v in (value.tolist() if isinstance(value, Tensor) else value))
    except TypeError:
        kind = type(value).__name__
    raise TypeError(f"{what} is an integer or a sequence of integers, got {kind}")


def several(value: Any, what: str) -> tuple[int, ...]:
    """One integer or several, as a tuple; errors as of `integers`."""
    found = integers(value, what)
    return (found,) if isinstance(found, int) else found


def typed(function: Callable[P, R]) -> Callable[P, R]:
    """Name the function and the argument where one lacks what a tensor has; a right call costs nothing."""

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


def _wrong(function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str | None:
    """Which argument is of another type than its annotation, in words."""
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
