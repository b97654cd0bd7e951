"""Steps that are compositions of tensor ops: several launches per parameter."""

from __future__ import annotations

from typing import Any, ClassVar

from rushlight import _core as rl
from rushlight._native import Tensor

from .optimizer import Group, Optimizer

__all__ = ["Composed", "ensure", "flags", "mixed", "norm"]


class Composed(Optimizer):
    """The base of optimizers whose step is a composition of ops.

    A step runs in float32 or float64; then parameter and state are rounded once to the parameter's dtype. A
    subclass defines `_advance`, which returns the new parameter and replaces the entries of the state. It may
    not keep the gradient or the parameter itself in the state: both change later.
    """

    _zeros: ClassVar[tuple[str, ...]] = ()

    def _update(self, group: Group, param: Tensor, grad: Tensor, state: dict[str, Any]) -> None:
        self._begin(group, param, state)
        state["step"] += 1
        narrow = param.dtype in (rl.float16, rl.bfloat16)
        value, gradient, values = param.detach(), grad, state
        if narrow:
            value, gradient = value.to(rl.float32), gradient.to(rl.float32)
            values = {k: v.to(rl.float32) if isinstance(v, Tensor) else v for k, v in state.items()}
        param.copy_(self._advance(group, value, gradient, values))
        if narrow:
            for key, new in values.items():
                state[key] = new.to(param.dtype) if isinstance(new, Tensor) else new

    def _begin(self, group: Group, param: Tensor, state: dict[str, Any]) -> None:
        if not state:
            state["step"] = 0
            self._start(group, param.detach(), state)

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
