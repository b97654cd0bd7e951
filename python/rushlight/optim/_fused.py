"""Steps of the family `optimizer_step`: few passes over memory, on a GPU few launches for many parameters."""

from __future__ import annotations

from typing import Any, ClassVar, TypeAlias

from rushlight import _core as rl
from rushlight import _native
from rushlight._native import Tensor

from .optimizer import Group, Optimizer, Row, alike

__all__ = ["Fused", "Numbers", "decays", "run"]

# The numbers of an op, then the factor of the parameter and that of the parameter in the gradient.
Numbers: TypeAlias = tuple[tuple[float, ...], tuple[float, float]]


def decays(group: Group, decoupled: bool = False) -> tuple[float, float]:
    """Return the factor of the parameter, and that of the parameter in the gradient."""
    rate = float(group["weight_decay"])
    return (1 - float(group["lr"]) * rate, 0.0) if decoupled else (1.0, rate)


def run(
    step: str,
    keys: tuple[str, ...],
    group: Group,
    rows: list[Row],
    numbers: Numbers,
) -> None:
    """Run a step on parameters whose numbers are equal; `keys` are the states in the order of the op."""
    own, decay = numbers
    _native._optimizer_steps(
        step,
        [param for param, _, _ in rows],
        [grad for _, grad, _ in rows],
        [[state[key] for _, _, state in rows] for key in keys],
        [float(number) for number in own],
        *decay,
        bool(group["maximize"]),
    )


class Fused(Optimizer):
    """The base of optimizers whose step is an op of the family.

    A subclass names the op and its states, and `_numbers_of` computes the numbers of a step on the host, in
    float64, so that they are the same for every device.
    """

    _step: ClassVar[str]
    _states: ClassVar[tuple[str, ...]]
    # Numbers of the state besides the step: parameters that have the same ones are updated together.
    _counters: ClassVar[tuple[str, ...]] = ()

    def _update_all(self, group: Group, rows: list[Row]) -> None:
        for param, _, state in rows:
            if not state:
                state["step"] = 0
                self._start(group, param.detach(), state)
        counters = ("step", *self._counters)
        for values, some in alike(rows, lambda state: tuple(state[key] for key in counters)):
            now = dict(zip(counters, values, strict=True))
            now["step"] += 1
            run(self._step, self._states, group, some, self._numbers_of(group, now))
            for _, _, state in some:
                state.update(now)

    def _start(self, group: Group, param: Tensor, state: dict[str, Any]) -> None:
        """Make the first state of a parameter."""
        for key in self._states:
            state[key] = rl.zeros_like(param)

    def _numbers_of(self, group: Group, now: dict[str, Any]) -> Numbers:
        """Return the numbers of a step; `now` holds the counters, with the new step; others may advance."""
        raise NotImplementedError(f"{type(self).__name__} has no _numbers_of()")
