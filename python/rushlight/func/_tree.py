"""Tensors in tuples, lists and dicts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from rushlight._native import Tensor

__all__ = ["leaves", "mapped", "refilled"]


def leaves(tree: Any) -> Iterator[Tensor]:
    """Return the tensors of a tree, in order."""
    if isinstance(tree, Tensor):
        yield tree
    elif isinstance(tree, (tuple, list)):
        for item in tree:
            yield from leaves(item)
    elif isinstance(tree, dict):
        for item in tree.values():
            yield from leaves(item)
    elif tree is not None:
        raise TypeError(f"expected a Tensor, or tuples, lists and dicts of them, got {type(tree).__name__}")


def mapped(function: Callable[[Tensor], Any], tree: Any) -> Any:
    """Return the tree with each tensor replaced by the function's result."""
    if isinstance(tree, Tensor):
        return function(tree)
    if isinstance(tree, tuple):
        items = [mapped(function, item) for item in tree]
        return type(tree)(*items) if hasattr(tree, "_fields") else tuple(items)
    if isinstance(tree, list):
        return [mapped(function, item) for item in tree]
    if isinstance(tree, dict):
        return {key: mapped(function, item) for key, item in tree.items()}
    return tree


def refilled(tree: Any, items: Iterator[Any]) -> Any:
    """Return the tree with its tensors replaced by `items`, in order."""
    return mapped(lambda _: next(items), tree)
