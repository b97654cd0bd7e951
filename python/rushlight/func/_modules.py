"""Calls of a module with other parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rushlight._native import Tensor

if TYPE_CHECKING:
    from rushlight.nn import Module

__all__ = ["functional_call"]

Tensors = Mapping[str, Tensor]


def functional_call(
    module: Module,
    parameter_and_buffer_dicts: Tensors | Sequence[Tensors],
    args: Any = None,
    kwargs: Mapping[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Calls a module with the given tensors instead of its parameters and buffers.

    The module keeps its own: its loss becomes a function of a dict of tensors, for `grad`, `jacrev` and
    `hessian`. A buffer that the call changes, such as a running mean, is changed in the given tensor.

    Parameters
    ----------
    module
        The module.
    parameter_and_buffer_dicts
        Tensors by the names of `Module.named_parameters` and `named_buffers`; or several such dicts.
    args
        The positional arguments of the call, or one argument that is not a tuple.
    kwargs
        The keyword arguments.
    tie_weights
        Whether a tensor that the module has under several names is replaced under all of them by the tensor
        for one.
    strict
        Whether every parameter and buffer needs a tensor.

    Returns
    -------
    object
        The module's result.

    Raises
    ------
    AttributeError
        If a name is neither a parameter nor a buffer.
    RuntimeError
        If a tensor is missing and `strict` is set.
    TypeError
        If a value is not a tensor.
    ValueError
        If a name, or names of one tensor, are given twice.

    Examples
    --------
    >>> import rushlight as rl
    >>> layer, x = rl.nn.Linear(2, 1, bias=False), rl.tensor([1.0, 3.0])
    >>> loss = lambda tensors: rl.func.functional_call(layer, tensors, x).sum()
    >>> rl.func.grad(loss)({"weight": rl.zeros((1, 2))})
    {'weight': tensor([[1., 3.]], dtype=float32, device='cpu')}
    """
    given = _joined(parameter_and_buffer_dicts)
    own: dict[str, tuple[dict[str, Any], str]] = {}
    for prefix, part in module._walk("", recurse=True, once=False):
        for table in (part._parameters, part._buffers):
            own.update({prefix + name: (table, name) for name in table})
    for name, value in given.items():
        if name not in own:
            raise AttributeError(
                f"functional_call: {type(module).__name__} has neither a parameter nor a buffer {name!r}"
            )
        if not isinstance(value, Tensor):
            raise TypeError(f"functional_call: {name} is a Tensor, got {type(value).__name__}")
    slots = {name: (table, key, given[name]) for name, (table, key) in own.items() if name in given}
    if tie_weights:
        by_tensor = {id(table[key]): name for name, (table, key, _) in slots.items()}
        several = [name for name, (table, key, _) in slots.items() if by_tensor[id(table[key])] != name]
        if several:
            raise ValueError(
                f"functional_call: {', '.join(several)} are other names of tensors that are given, too; "
                "give one name for each, or pass tie_weights=False"
            )
        for name, (table, key) in own.items():
            first = by_tensor.get(id(table[key]))
            if table[key] is not None and first is not None:
                slots[name] = (table, key, given[first])
    missing = [name for name, (table, key) in own.items() if name not in slots and table[key] is not None]
    if strict and missing:
        raise RuntimeError(f"functional_call: {type(module).__name__} misses {', '.join(missing)}")
    positional = () if args is None else args if isinstance(args, tuple) else (args,)
    with _replaced(list(slots.values())):
        return module(*positional, **(kwargs or {}))


def _joined(dicts: Tensors | Sequence[Tensors]) -> dict[str, Tensor]:
    if isinstance(dicts, Mapping):
        return dict(dicts)
    found: dict[str, Tensor] = {}
    for each in dicts:
        twice = [name for name in each if name in found]
        if twice:
            raise ValueError(f"functional_call: {', '.join(twice)} are in two dicts")
        found.update(each)
    return found


@contextmanager
def _replaced(slots: Sequence[tuple[dict[str, Any], str, Tensor]]) -> Iterator[None]:
    """Put tensors into tables until the block ends."""
    before = [(table, name, table[name]) for table, name, _ in slots]
    for table, name, value in slots:
        table[name] = value
    try:
        yield
    finally:
        for table, name, value in before:
            table[name] = value
