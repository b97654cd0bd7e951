"""Switches of PyTorch that programs set: kept, so that they read back, and checked."""

from __future__ import annotations

import types
from typing import Any

__all__ = ["Switches", "one_of"]


def one_of(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    """Raise ValueError unless a text is one of those allowed."""
    if value not in allowed:
        raise ValueError(f"{name}: expected one of {', '.join(map(repr, allowed))}, got {value!r}")


def check(owner: str, name: str, value: Any, switches: dict[str, Any]) -> None:
    """Raise TypeError or ValueError if a switch gets a value of another kind."""
    if name not in switches:
        return
    before = switches[name]
    if isinstance(before, tuple):
        one_of(f"{owner}.{name}", value, before)
    elif not isinstance(value, type(before)):
        raise TypeError(f"{owner}.{name} is a {type(before).__name__}, got {type(value).__name__} {value!r}")


class Switches(types.ModuleType):
    """The class of a module whose switches are checked when they are set.

    The module's `_SWITCHES` has a value of the kind of each, or a tuple of texts that are allowed.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        check(self.__name__, name, value, self._SWITCHES)
        super().__setattr__(name, value)
