"""Adamax, NAdam and RAdam: variants of Adam."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from rushlight._native import Tensor

from ._composed import flags
from ._fused import Fused, Numbers, decays
from .optimizer import Group, Params

__all__ = ["Adamax", "NAdam", "RAdam"]


class Adamax(Fused):
    """The optimizer Adamax, Adam with the largest gradient instead of squares (Kingma, Ba 2014).

    With ``g = grad + weight_decay * param``: ``m = b1 * m + (1 - b1) * g``, ``u = max(b2 * u, abs(g) + eps)``
    and at step ``t`` ``param -= lr / (1 - b1**t) * m / u``.

    Parameters
    ----------
    params
        Tensors or groups, see `Optimizer`.
    lr, betas, eps, weight_decay
        The settings of the formula, ``betas`` being ``(b1, b2)``.
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
    >>> optimizer = rl.optim.Adamax([x], lr=0.5)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> round(x.item(), 4)
    1.5
    """

    _shaped: ClassVar[frozenset[str]] = frozenset({"exp_avg", "exp_inf"})
    _step: ClassVar[str] = "adamax_step"
    _states: ClassVar[tuple[str, ...]] = ("exp_avg", "exp_inf")

    def __init__(
        self,
        params: Params,
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                **flags(foreach, maximize, differentiable, capturable),
            },
        )

    def _numbers_of(self, group: Group, now: dict[str, Any]) -> Numbers:
        beta1, beta2 = group["betas"]
        rate = -float(group["lr"]) / (1 - beta1 ** now["step"])
        return (beta1, beta2, group["eps"], rate), decays(group)


class NAdam(Fused):
    """The optimizer NAdam, Adam with Nesterov momentum (Dozat 2016).

    Adam's means ``m`` and ``v`` of the gradient ``g`` and its square; ``mu(t) = b1 * (1 - 0.96**(t *
    momentum_decay) / 2)``, ``P`` the product of ``mu(1) .. mu(t)``, ``d = sqrt(v / (1 - b2**t)) + eps`` and
    ``param -= lr * ((1 - mu(t)) / (1 - P) * g / d + mu(t + 1) / (1 - P * mu(t + 1)) * m / d)``.

    Parameters
    ----------
    params
        Tensors or groups, see `Optimizer`.
    lr, betas, eps, weight_decay, momentum_decay
        The settings of the formula, ``betas`` being ``(b1, b2)``.
    decoupled_weight_decay
        Whether the weight decay acts on the parameter, as in `AdamW`, instead of the gradient.
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
    >>> optimizer = rl.optim.NAdam([x], lr=0.5)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> round(x.item(), 4)
    1.4718
    """

    _shaped: ClassVar[frozenset[str]] = frozenset({"exp_avg", "exp_avg_sq"})
    _step: ClassVar[str] = "nadam_step"
    _states: ClassVar[tuple[str, ...]] = ("exp_avg", "exp_avg_sq")
    _counters: ClassVar[tuple[str, ...]] = ("mu_product",)
    _numbers: ClassVar[tuple[str, ...]] = ("momentum_decay",)

    def __init__(
        self,
        params: Params,
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        capturable: bool = False,
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
                "momentum_decay": momentum_decay,
                "decoupled_weight_decay": decoupled_weight_decay,
                **flags(foreach, maximize, differentiable, capturable),
            },
        )

    def _start(self, group: Group, param: Tensor, state: dict[str, Any]) -> None:
        super()._start(group, param, state)
        state["mu_product"] = 1.0

    def _numbers_of(self, group: Group, now: dict[str, Any]) -> Numbers:
        beta1, beta2 = group["betas"]
        step, lr = now["step"], float(group["lr"])
        mu, after = (beta1 * (1 - 0.5 * 0.96 ** (t * group["momentum_decay"])) for t in (step, step + 1))
        product = now["mu_product"] = now["mu_product"] * mu
        rates = -lr * (1 - mu) / (1 - product), -lr * after / (1 - product * after)
        decay = decays(group, group["decoupled_weight_decay"])
        return (beta1, beta2, group["eps"], 1 - beta2**step, *rates), decay


class RAdam(Fused):
    """The optimizer RAdam, Adam whose first steps are rectified (Liu and others 2019).

    With Adam's means ``m`` and ``v`` at step ``t``, ``R = 2 / (1 - b2) - 1`` and ``r = R - 2 * t * b2**t / (1
    - b2**t)``: while ``r <= 5``, ``param -= lr * m / (1 - b1**t)``; then this step is multiplied by ``sqrt((r
    - 4) * (r - 2) * R / ((R - 4) * (R - 2) * r)) * sqrt(1 - b2**t) / (sqrt(v) + eps)``.

    Parameters
    ----------
    params
        Tensors or groups, see `Optimizer`.
    lr, betas, eps, weight_decay
        The settings of the formula, ``betas`` being ``(b1, b2)``.
    decoupled_weight_decay
        Whether the weight decay acts on the parameter, as in `AdamW`, instead of the gradient.
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
    >>> optimizer = rl.optim.RAdam([x], lr=0.125)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> round(x.item(), 4)
    1.5
    """

    _shaped: ClassVar[frozenset[str]] = frozenset({"exp_avg", "exp_avg_sq"})
    _step: ClassVar[str] = "radam_step"
    _states: ClassVar[tuple[str, ...]] = ("exp_avg", "exp_avg_sq")

    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        capturable: bool = False,
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
                "decoupled_weight_decay": decoupled_weight_decay,
                **flags(foreach, maximize, differentiable, capturable),
            },
        )

    def _numbers_of(self, group: Group, now: dict[str, Any]) -> Numbers:
        beta1, beta2 = group["betas"]
        step = now["step"]
        rate = -float(group["lr"]) / (1 - beta1**step)
        most = 2 / (1 - beta2) - 1
        length = most - 2 * step * beta2**step / (1 - beta2**step)
        rectified = length > 5
        if rectified:
            ratio = (length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length)
            rate *= math.sqrt(ratio) * math.sqrt(1 - beta2**step)
        decay = decays(group, group["decoupled_weight_decay"])
        return (beta1, beta2, group["eps"], rate, rectified), decay
