"""Rprop and Lion: steps from the signs of gradients."""

from __future__ import annotations

from typing import Any, ClassVar

from rushlight import _core as rl
from rushlight._native import Tensor

from ._composed import ensure, flags
from ._fused import Fused, Numbers, decays
from .optimizer import Group, Params

__all__ = ["Lion", "Rprop"]


class Rprop(Fused):
    """The optimizer Rprop (Riedmiller, Braun 1993), for full batches.

    Each element has a step size, first `lr`. Where the gradient's sign is the last one's, it is multiplied by
    ``etas[1]``, where it changed by ``etas[0]``, and kept between `step_sizes`; the element moves by it
    against the sign, or stays where the sign changed.

    Parameters
    ----------
    params
        Tensors or groups, see `Optimizer`.
    lr
        The first step size.
    etas
        The factors, ``0 < etas[0] < 1 < etas[1]``.
    step_sizes
        The least and the largest step size.
    foreach
        Accepted as in PyTorch; a GPU updates up to 64 parameters in one launch anyway.
    maximize
        Whether to go uphill.
    capturable, differentiable
        Must be false.

    Raises
    ------
    TypeError, ValueError
        If a setting is of another type or out of range.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.tensor([2.0], requires_grad=True)
    >>> optimizer = rl.optim.Rprop([x], lr=0.5)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> round(x.item(), 4)
    1.5
    """

    _shaped: ClassVar[frozenset[str]] = frozenset({"prev", "step_size"})
    _step: ClassVar[str] = "rprop_step"
    _states: ClassVar[tuple[str, ...]] = ("prev", "step_size")

    def __init__(
        self,
        params: Params,
        lr: float = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50.0),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "etas": etas,
                "step_sizes": step_sizes,
                **flags(foreach, maximize, differentiable, capturable),
            },
        )

    def _check(self, group: Group) -> None:
        super()._check(group)
        low, high = group["etas"]
        ensure("Rprop", 0 < low < 1 < high, f"etas {group['etas']} are not a number below and one above 1")

    def _start(self, group: Group, param: Tensor, state: dict[str, Any]) -> None:
        state["prev"] = rl.zeros_like(param)
        state["step_size"] = rl.full_like(param, float(group["lr"]))

    def _numbers_of(self, group: Group, now: dict[str, Any]) -> Numbers:
        return (*group["etas"], *group["step_sizes"]), (1.0, 0.0)


class Lion(Fused):
    """The optimizer Lion (Chen and others 2023).

    ``param *= 1 - lr * weight_decay``, ``param -= lr * sign(b1 * m + (1 - b1) * grad)``, then
    ``m = b2 * m + (1 - b2) * grad``.

    Parameters
    ----------
    params
        Tensors or groups, see `Optimizer`.
    lr, betas, weight_decay
        The settings of the formula, ``betas`` being ``(b1, b2)``. A good `lr` is 3 to 10 times smaller than
        AdamW's.
    foreach
        Accepted as in PyTorch; a GPU updates up to 64 parameters in one launch anyway.
    maximize
        Whether to go uphill.
    differentiable
        Must be false.

    Raises
    ------
    TypeError, ValueError
        If a setting is of another type or out of range.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.tensor([2.0], requires_grad=True)
    >>> optimizer = rl.optim.Lion([x], lr=0.5)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> round(x.item(), 4)
    1.5
    """

    _shaped: ClassVar[frozenset[str]] = frozenset({"exp_avg"})
    _step: ClassVar[str] = "lion_step"
    _states: ClassVar[tuple[str, ...]] = ("exp_avg",)

    def __init__(
        self,
        params: Params,
        lr: float = 1e-4,
        betas: tuple[float, float] = (0.9, 0.99),
        weight_decay: float = 0.0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "weight_decay": weight_decay,
                **flags(foreach, maximize, differentiable),
            },
        )

    def _numbers_of(self, group: Group, now: dict[str, Any]) -> Numbers:
        return (*group["betas"], group["lr"]), decays(group, decoupled=True)
