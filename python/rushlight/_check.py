"""Errors of arguments of another type."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

from ._native import DType, Tensor

P = ParamSpec("P")
R = TypeVar("R")

# What an annotation alone asks for.
_TYPES: Mapping[str, type] = {"Tensor": Tensor, "str": str, "DType": DType}


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
        wanted = _TYPES.get(parameter.annotation)
        values = value if parameter.kind is inspect.Parameter.VAR_POSITIONAL else (value,)
        for v in values:
            if wanted is not None and not isinstance(v, wanted):
                kind = type(v).__name__
                return f"{function.__name__}: {name} is a {wanted.__name__}, got {kind}"
    return None
