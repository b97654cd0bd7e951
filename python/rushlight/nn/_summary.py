"""A table of a network's layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight._grad import no_grad
from rushlight._native import Tensor

from .module import Module

__all__ = ["summary"]


def summary(model: Module, *inputs: Any) -> str:
    """Returns a table of a network's layers: names, classes, shapes of results, numbers of parameters.

    With inputs the network runs once, in evaluation mode and without gradients, so that its buffers stay as
    they are. A parameter that several layers share counts once, in the first of them.

    Parameters
    ----------
    model
        The network.
    *inputs
        Arguments of a call, from which shapes come; without them the table has no shapes.

    Returns
    -------
    str
        One line for each module that has parameters or no modules inside, and the totals.

    Raises
    ------
    TypeError
        If `model` is not a module.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight import nn
    >>> print(nn.summary(nn.Sequential(nn.Linear(3, 4), nn.ReLU()), rl.ones((2, 3))))
    name  class   result  parameters
    0     Linear  (2, 4)          16
    1     ReLU    (2, 4)           0
    16 parameters, 16 of them trainable, 64 bytes; 0 bytes of buffers
    """
    if not isinstance(model, Module):
        raise TypeError(f"summary: expected a Module, got {type(model).__name__}")
    shapes = _shapes(model, inputs) if inputs else {}
    rows = [("name", "class", "result", "parameters")]
    seen: set[int] = set()
    for name, module in model.named_modules():
        own = [p for p in module.parameters(recurse=False) if id(p) not in seen]
        seen.update(id(p) for p in own)
        if own or not any(True for _ in module.children()):
            count = sum(p.numel() for p in own)
            rows.append((name or "(model)", type(module).__name__, shapes.get(id(module), ""), f"{count:,}"))
    if not inputs:
        rows = [(name, kind, "", count) for name, kind, _, count in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    lines = []
    for name, kind, shape, number in rows:
        cells = [name.ljust(widths[0]), kind.ljust(widths[1])]
        cells += [shape.ljust(widths[2])] if inputs else []
        lines.append("  ".join([*cells, number.rjust(widths[3])]))
    parameters = list(model.parameters())
    total = sum(p.numel() for p in parameters)
    trained = sum(p.numel() for p in parameters if p.requires_grad)
    size, kept = sum(p.nbytes for p in parameters), sum(b.nbytes for b in model.buffers())
    lines.append(
        f"{total:,} parameters, {trained:,} of them trainable, {size:,} bytes; {kept:,} bytes of buffers"
    )
    return "\n".join(lines)


def _shapes(model: Module, inputs: tuple[Any, ...]) -> dict[int, str]:
    """Return the shape of each module's last result, by `id(module)`."""
    found: dict[int, str] = {}

    def recorder(module: Module) -> Callable[..., None]:
        def record(_: Module, args: Any, output: Any) -> None:
            found[id(module)] = _shape(output)

        return record

    modules = [module for _, module in model.named_modules()]
    modes = [module.training for module in modules]
    handles = [module.register_forward_hook(recorder(module)) for module in modules]
    try:
        model.eval()
        with no_grad():
            model(*inputs)
    finally:
        for handle in handles:
            handle.remove()
        for module, mode in zip(modules, modes, strict=True):
            module.training = mode
    return found


def _shape(output: Any) -> str:
    if isinstance(output, Tensor):
        return str(output.shape)
    if isinstance(output, (tuple, list)):
        return ", ".join(_shape(part) for part in output)
    return type(output).__name__
