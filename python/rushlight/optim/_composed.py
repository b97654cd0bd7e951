"""Steps that are compositions of tensor ops: several launches per parameter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, TypeAlias

from rushlight import _core as rl
from rushlight._native import Tensor

from .optimizer import Group, Optimizer

__all__ = ["Composed", "composed", "decayed", "ensure", "flags", "mixed", "norm"]

Step: TypeAlias = Callable[[Group, Tensor, Tensor, dict[str, Any]], Tensor]


def composed(step: Step, group: Group, param: Tensor, grad: Tensor, state: dict[str, Any]) -> None:
    """Run a step in float32 or float64, then round parameter and state once to the parameter's dtype."""
    narrow = param.dtype in (rl.float16, rl.bfloat16)
    value, gradient, values = param.detach(), grad, state
    if narrow:
        value, gradient = value.to(rl.float32), gradient.to(rl.float32)
        values = {k: v.to(rl.float32) if isinstance(v, Tensor) else v for k, v in state.items()}
    param.copy_(step(group, value, gradient, values))
    if narrow:
        for key, new in values.items():
            state[key] = new.to(param.dtype) if isinstance(new, Tensor) else new


class Composed(Optimizer):
    """The base of optimizers whose step is a composition of ops.

    A subclass defines `_advance`, which returns the new parameter and replaces the entries of the state. It
    may not keep the gradient or the parameter itself in the state: both change later.
    """

    _zeros: ClassVar[tuple[str, ...]] = ()

    def _update(self, group: Group, param: Tensor, grad: Tensor, state: dict[str, Any]) -> None:
        if not state:
            state["step"] = 0
            self._start(group, param.detach(), state)
        state["step"] += 1
        composed(self._advance, group, param, grad, state)

    def _start(self, group: Group, param: Tensor, state: dict[str, Any]) -> None:
        """Make the first state of a parameter."""
        for key in self._zeros:
            state[key] = rl.zeros_like(param)

    def _advance(self, group: Group, p: Tensor, g: Tensor, state: dict[str, Any]) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} has no _advance()")


def flags(
    foreach: bool | None, maximize: bool, differentiable: bool, capturable: bool | None = None
) -> dict[str, Any]:
    """Return the settings that most optimizers of PyTorch share."""
    out: dict[str, Any] = {"foreach": foreach, "maximize": maximize, "differentiable": differentiable}
    return out if capturable is None else {**out, "capturable": capturable}


def decayed(group: Group, p: Tensor, g: Tensor, decoupled: bool = False) -> tuple[Tensor, Tensor]:
    """Return parameter and gradient after the weight decay."""
    rate = group["weight_decay"]
    if not rate:
        return p, g
    return (p * (1 - float(group["lr"]) * rate), g) if decoupled else (p, g + p * rate)


def mixed(old: Tensor, new: Tensor, beta: float) -> Tensor:
    """Return ``beta * old + (1 - beta) * new``."""
    return old * beta + new * (1 - beta)


def norm(x: Tensor) -> Tensor:
    """Return the Euclidean norm, a scalar."""
    return rl.sqrt(rl.sum(x * x))


def ensure(name: str, condition: bool, text: str) -> None:
    """Raise ValueError for a setting out of range."""
    if not condition:
        raise ValueError(f"{name}: {text}")
