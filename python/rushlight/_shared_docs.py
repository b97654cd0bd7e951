"""Sections of docstrings that several functions share."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def documented(sections: str, **values: str) -> Callable[[F], F]:
    """Append sections to the docstring of a function, which has the summary.

    In their text ``{name}`` is the function's name, and other names in braces are those of `values`.
    """

    def complete(function: F) -> F:
        shared = sections.format(name=function.__name__, **values)
        function.__doc__ = f"{inspect.getdoc(function)}\n{shared}"
        return function

    return complete
