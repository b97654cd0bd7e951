"""ASGD: averaged stochastic gradient descent."""

from __future__ import annotations

from typing import Any, ClassVar

from rushlight._native import Tensor

from ._composed import flags
from ._fused import Fused, Numbers
from .optimizer import Group, Params

__all__ = ["ASGD"]


class ASGD(Fused):
    """The optimizer of averaged gradient descent (Polyak, Juditsky 1992).

    At step ``t`` with ``g = grad + weight_decay * param``: ``param = (1 - lambd * eta) * param - eta * g``
    and ``eta = lr / (1 + lambd * lr * t)**alpha`` for the next one. ``state[param]["ax"]`` is the parameter,
    and from step `t0` on the mean of those since.

    Parameters
    ----------
    params
        Tensors or groups, see `Optimizer`.
    lr, lambd, alpha, t0, weight_decay
        The settings of the formula.
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
    >>> optimizer = rl.optim.ASGD([x], lr=0.125)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> round(x.item(), 4)
    1.5
    """

    _shaped: ClassVar[frozenset[str]] = frozenset({"ax"})
    _step: ClassVar[str] = "asgd_step"
    _states: ClassVar[tuple[str, ...]] = ("ax",)
    _counters: ClassVar[tuple[str, ...]] = ("eta", "mu")
    _numbers: ClassVar[tuple[str, ...]] = (
        "lambd",
        "t0",
    )

    def __init__(
        self,
        params: Params,
        lr: float = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0.0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "lambd": lambd,
                "alpha": alpha,
                "t0": t0,
                "weight_decay": weight_decay,
                **flags(foreach, maximize, differentiable, capturable),
            },
        )

    def _start(self, group: Group, param: Tensor, state: dict[str, Any]) -> None:
        super()._start(group, param, state)
        state["eta"], state["mu"] = float(group["lr"]), 1.0

    def _numbers_of(self, group: Group, now: dict[str, Any]) -> Numbers:
        lr, lambd, (eta, mu) = float(group["lr"]), group["lambd"], (now["eta"], now["mu"])
        now["eta"] = lr / (1 + lambd * lr * now["step"]) ** group["alpha"]
        now["mu"] = 1 / max(1.0, now["step"] - group["t0"])
        return (eta, mu), (1 - lambd * eta, float(group["weight_decay"]))
