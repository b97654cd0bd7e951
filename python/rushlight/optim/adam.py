"""Adam and AdamW."""

from __future__ import annotations

from typing import Any

from rushlight import _core as rl
from rushlight import _native
from rushlight._native import Tensor

from .optimizer import Group, Optimizer, Params

__all__ = ["Adam", "AdamW"]


class Adam(Optimizer):
    """The optimizer Adam (Kingma, Ba 2014); a weight decay is added to the gradient.

    At step ``t``: ``m = b1 * m + (1 - b1) * g``, ``v = b2 * v + (1 - b2) * g**2`` and
    ``param -= lr / (1 - b1**t) * m / (sqrt(v / (1 - b2**t)) + eps)``.

    Parameters
    ----------
    params
        Tensors or groups, see `Optimizer`.
    lr, betas, eps, weight_decay
        The settings of the formula, ``betas`` being ``(b1, b2)``.

    Raises
    ------
    TypeError, ValueError
        If a setting is of another type or out of range.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.tensor([2.0], requires_grad=True)
    >>> optimizer = rl.optim.Adam([x], lr=0.5)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x.tolist()
    [1.5]
    """

    _decoupled = False

    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(
            params,
            {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay},
        )

    def _update(self, group: Group, param: Tensor, grad: Tensor, state: dict[str, Any]) -> None:
        if not state:
            state["step"] = 0
            state["exp_avg"] = rl.zeros_like(param.detach())
            state["exp_avg_sq"] = rl.zeros_like(param.detach())
        step = state["step"] + 1
        beta1, beta2 = group["betas"]
        call = _native.adamw_step if self._decoupled else _native.adam_step
        call(
            param,
            grad,
            state["exp_avg"],
            state["exp_avg_sq"],
            step=step,
            lr=group["lr"],
            beta1=beta1,
            beta2=beta2,
            eps=group["eps"],
            weight_decay=group["weight_decay"],
        )
        state["step"] = step


class AdamW(Adam):
    """The optimizer Adam with a weight decay that acts on the parameter itself (Loshchilov, Hutter 2017).

    Before the step of `Adam`, ``param *= 1 - lr * weight_decay``.

    Parameters
    ----------
    params
        Tensors or groups, see `Optimizer`.
    lr, betas, eps, weight_decay
        The settings of the formula, ``betas`` being ``(b1, b2)``.

    Raises
    ------
    TypeError, ValueError
        If a setting is of another type or out of range.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.tensor([2.0], requires_grad=True)
    >>> optimizer = rl.optim.AdamW([x], lr=0.5, weight_decay=0.0)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x.tolist()
    [1.5]
    """

    _decoupled = True

    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay)
