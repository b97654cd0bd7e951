"""Adamax, NAdam and RAdam: variants of Adam."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from rushlight import _core as rl
from rushlight._native import Tensor

from ._composed import Composed, decayed, flags, mixed
from .optimizer import Group, Params

__all__ = ["Adamax", "NAdam", "RAdam"]


class Adamax(Composed):
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
    >>> optimizer = rl.optim.Adamax([x], lr=0.5)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> round(x.item(), 4)
    1.5
    """

    _shaped: ClassVar[frozenset[str]] = frozenset({"exp_avg", "exp_inf"})
    _zeros: ClassVar[tuple[str, ...]] = (
        "exp_avg",
        "exp_inf",
    )

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

    def _advance(self, group: Group, p: Tensor, g: Tensor, state: dict[str, Any]) -> Tensor:
        beta1, beta2 = group["betas"]
        p, g = decayed(group, p, g)
        m = state["exp_avg"] = mixed(state["exp_avg"], g, beta1)
        top = state["exp_inf"] = rl.maximum(state["exp_inf"] * beta2, rl.abs(g) + group["eps"])
        return rl.addcdiv(p, m, top, value=-float(group["lr"]) / (1 - beta1 ** state["step"]))


class NAdam(Composed):
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
    >>> optimizer = rl.optim.NAdam([x], lr=0.5)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> round(x.item(), 4)
    1.4718
    """

    _shaped: ClassVar[frozenset[str]] = frozenset({"exp_avg", "exp_avg_sq"})
    _zeros: ClassVar[tuple[str, ...]] = (
        "exp_avg",
        "exp_avg_sq",
    )
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

    def _advance(self, group: Group, p: Tensor, g: Tensor, state: dict[str, Any]) -> Tensor:
        beta1, beta2 = group["betas"]
        step, lr = state["step"], float(group["lr"])
        now, after = (beta1 * (1 - 0.5 * 0.96 ** (t * group["momentum_decay"])) for t in (step, step + 1))
        product = state["mu_product"] = state.get("mu_product", 1.0) * now
        p, g = decayed(group, p, g, group["decoupled_weight_decay"])
        m = state["exp_avg"] = mixed(state["exp_avg"], g, beta1)
        v = state["exp_avg_sq"] = mixed(state["exp_avg_sq"], g * g, beta2)
        divisor = rl.sqrt(v / (1 - beta2**step)) + group["eps"]
        p = rl.addcdiv(p, g, divisor, value=-lr * (1 - now) / (1 - product))
        return rl.addcdiv(p, m, divisor, value=-lr * after / (1 - product * after))


class RAdam(Composed):
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
    >>> optimizer = rl.optim.RAdam([x], lr=0.125)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> round(x.item(), 4)
    1.5
    """

    _shaped: ClassVar[frozenset[str]] = frozenset({"exp_avg", "exp_avg_sq"})
    _zeros: ClassVar[tuple[str, ...]] = (
        "exp_avg",
        "exp_avg_sq",
    )

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

    def _advance(self, group: Group, p: Tensor, g: Tensor, state: dict[str, Any]) -> Tensor:
        beta1, beta2 = group["betas"]
        step = state["step"]
        rate: float = -float(group["lr"]) / (1 - beta1**step)
        p, g = decayed(group, p, g, group["decoupled_weight_decay"])
        m = state["exp_avg"] = mixed(state["exp_avg"], g, beta1)
        v = state["exp_avg_sq"] = mixed(state["exp_avg_sq"], g * g, beta2)
        most = 2 / (1 - beta2) - 1
        length = most - 2 * step * beta2**step / (1 - beta2**step)
        if length <= 5:
            return p + m * rate
        ratio = (length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length)
        factor = math.sqrt(ratio) * math.sqrt(1 - beta2**step)
        return rl.addcdiv(p, m, rl.sqrt(v) + group["eps"], value=rate * factor)
