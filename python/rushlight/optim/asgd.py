"""ASGD: averaged stochastic gradient descent."""

from __future__ import annotations

from typing import Any, ClassVar

from rushlight._native import Tensor

from ._composed import Composed, decayed, flags
from .optimizer import Group, Params

__all__ = ["ASGD"]


class ASGD(Composed):
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
        Accepted as in PyTorch, without effect.
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
    _zeros: ClassVar[tuple[str, ...]] = ("ax",)
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

    def _advance(self, group: Group, p: Tensor, g: Tensor, state: dict[str, Any]) -> Tensor:
        lr, step = float(group["lr"]), state["step"]
        eta, mu = state.get("eta", lr), state.get("mu", 1.0)
        p, g = decayed(group, p, g)
        p = p * (1 - group["lambd"] * eta) - g * eta
        mean = state["ax"]
        # A new tensor in both cases: the caller writes `p` into the parameter only.
        state["ax"] = p + 0.0 if mu == 1 else mean + (p - mean) * mu
        state["eta"] = lr / (1 + group["lambd"] * lr * step) ** group["alpha"]
        state["mu"] = 1 / max(1.0, step - group["t0"])
        return p
