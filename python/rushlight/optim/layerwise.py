"""LARS and LAMB: the length of a step in proportion to the length of its parameter.

Norms of whole tensors come before the update, so a step is several launches per parameter.
"""

from __future__ import annotations

from typing import Any, ClassVar

from rushlight import _core as rl
from rushlight import _native
from rushlight._native import Tensor

from ._composed import Composed, decayed, ensure, flags, norm
from .optimizer import Group, Params

__all__ = ["LAMB", "LARS"]

# A step whose powers of any beta below 1 are 0 in float64.
_LATE = 2**62


class LARS(Composed):
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
        Accepted as in PyTorch, without effect.
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

    def _advance(self, group: Group, p: Tensor, g: Tensor, state: dict[str, Any]) -> Tensor:
        length, slope = norm(p), norm(g)
        rate = length * group["trust_coefficient"] / (slope + length * group["weight_decay"] + group["eps"])
        rate = rl.where(rl.logical_and(length > 0, slope > 0), rate, rl.ones_like(rate))
        change = decayed(group, p, g) * rate
        momentum = group["momentum"]
        if momentum:
            buffer = change
            if "momentum_buffer" in state:
                buffer = state["momentum_buffer"] * momentum + change
            state["momentum_buffer"] = buffer
            change = change + buffer * momentum if group["nesterov"] else buffer
        return p - change * float(group["lr"])


class LAMB(Composed):
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
        Accepted as in PyTorch, without effect.
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
    _zeros: ClassVar[tuple[str, ...]] = (
        "exp_avg",
        "exp_avg_sq",
    )

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

    def _advance(self, group: Group, p: Tensor, g: Tensor, state: dict[str, Any]) -> Tensor:
        beta1, beta2 = group["betas"]
        # Adam's step of a parameter at 0 with the rate 1 is the negative change; the means are updated in
        # the same pass.
        change = rl.zeros_like(p)
        _native.adam_step(
            change,
            g,
            state["exp_avg"],
            state["exp_avg_sq"],
            # The powers of the betas vanish at a late step, so nothing is corrected.
            step=state["step"] if group["bias_correction"] else _LATE,
            lr=1.0,
            beta1=beta1,
            beta2=beta2,
            eps=group["eps"],
            weight_decay=0.0,
        )
        change = decayed(group, p, -change)
        length, step = norm(p), norm(change)
        ratio = rl.where(rl.logical_and(length > 0, step > 0), length / step, rl.ones_like(step))
        return p - change * ratio * float(group["lr"])
