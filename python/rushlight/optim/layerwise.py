"""LARS and LAMB: the length of a step in proportion to the length of its parameter."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from rushlight import _core as rl

from ._composed import ensure, flags
from ._fused import Fused, Numbers, decays, run
from .optimizer import Group, Optimizer, Params, Row, alike

__all__ = ["LAMB", "LARS"]


class LARS(Optimizer):
    """The optimizer LARS: momentum with a rate per parameter (You, Gitman, Ginsburg 2017).

    With ``r = trust_coefficient * |param| / (|grad| + weight_decay * |param| + eps)``, or 1 where a norm is
    0: ``b = momentum * b + r * (grad + weight_decay * param)`` (the first step sets ``b`` to the second
    term), ``d = r * (grad + weight_decay * param) + momentum * b`` if `nesterov`, else ``d = b``, and ``param
    -= lr * d``.

    Parameters
    ----------
    params
        Tensors or groups, see `Optimizer`.
    lr, momentum, weight_decay, trust_coefficient, eps
        The settings of the formula.
    nesterov
        Whether to look ahead; needs a momentum.
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
    >>> optimizer = rl.optim.LARS([x], lr=1.0, trust_coefficient=0.25)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> round(x.item(), 4)
    1.5
    """

    _shaped: ClassVar[frozenset[str]] = frozenset({"momentum_buffer"})
    _numbers: ClassVar[tuple[str, ...]] = ("trust_coefficient",)

    def __init__(
        self,
        params: Params,
        lr: float = 0.1,
        momentum: float = 0.9,
        weight_decay: float = 0.0,
        trust_coefficient: float = 1e-3,
        eps: float = 1e-8,
        nesterov: bool = False,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "weight_decay": weight_decay,
                "trust_coefficient": trust_coefficient,
                "eps": eps,
                "nesterov": nesterov,
                **flags(foreach, maximize, differentiable),
            },
        )

    def _check(self, group: Group) -> None:
        super()._check(group)
        ensure("LARS", not group["nesterov"] or group["momentum"] > 0, "nesterov needs a momentum above 0")

    def _update_all(self, group: Group, rows: list[Row]) -> None:
        momentum, rates = float(group["momentum"]), (group["trust_coefficient"], group["eps"], group["lr"])
        for first, some in alike(rows, lambda state: state.get("momentum_buffer") is None):
            if momentum:
                if first:
                    for param, _, state in some:
                        state["momentum_buffer"] = rl.zeros_like(param.detach())
                numbers = momentum, *rates, float(first), float(group["nesterov"])
                run("lars_momentum_step", ("momentum_buffer",), group, some, (numbers, decays(group)))
            else:
                run("lars_step", (), group, some, (rates, decays(group)))
            for _, _, state in some:
                state["step"] = state.get("step", 0) + 1


class LAMB(Fused):
    """The optimizer LAMB: Adam with a rate per parameter (You and others 2019).

    With Adam's means ``m`` and ``v`` at step ``t``: ``u = m / (1 - b1**t) / (sqrt(v / (1 - b2**t)) + eps) +
    weight_decay * param`` and ``param -= lr * |param| / |u| * u``, where the ratio is 1 if a norm is 0.

    Parameters
    ----------
    params
        Tensors or groups, see `Optimizer`.
    lr, betas, eps, weight_decay
        The settings of the formula, ``betas`` being ``(b1, b2)``.
    bias_correction
        Whether to divide by ``1 - b1**t`` and ``1 - b2**t``.
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
    >>> optimizer = rl.optim.LAMB([x], lr=0.25)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> round(x.item(), 4)
    1.5
    """

    _shaped: ClassVar[frozenset[str]] = frozenset({"exp_avg", "exp_avg_sq"})
    _step: ClassVar[str] = "lamb_step"
    _states: ClassVar[tuple[str, ...]] = ("exp_avg", "exp_avg_sq")

    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-6,
        weight_decay: float = 0.0,
        bias_correction: bool = True,
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
                "eps": eps,
                "weight_decay": weight_decay,
                "bias_correction": bias_correction,
                **flags(foreach, maximize, differentiable),
            },
        )

    def _numbers_of(self, group: Group, now: dict[str, Any]) -> Numbers:
        beta1, beta2 = group["betas"]
        root, rate = 1.0, 1.0
        if group["bias_correction"]:
            root, rate = math.sqrt(1 - beta2 ** now["step"]), 1 / (1 - beta1 ** now["step"])
        return (beta1, beta2, group["eps"], root, rate, group["lr"]), decays(group)
