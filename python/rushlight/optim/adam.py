"""Adam and AdamW."""

from __future__ import annotations

from typing import ClassVar

from rushlight import _core as rl
from rushlight import _native

from ._fused import decays, run
from .optimizer import Group, Optimizer, Params, Row, alike

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
    amsgrad
        Whether ``v / (1 - b2**t)`` is replaced by its largest value so far.
    foreach, fused
        Accepted as in PyTorch; a GPU updates up to 64 parameters in one launch anyway.
    maximize
        Whether to go uphill.
    capturable, differentiable
        Must be false.
    decoupled_weight_decay
        Whether the weight decay acts on the parameter, as in `AdamW`.

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

    _shaped: ClassVar[frozenset[str]] = frozenset({"exp_avg", "exp_avg_sq", "max_exp_avg_sq"})

    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "amsgrad": amsgrad,
                "maximize": maximize,
                "foreach": foreach,
                "capturable": capturable,
                "differentiable": differentiable,
                "fused": fused,
                "decoupled_weight_decay": decoupled_weight_decay,
            },
        )

    def _update_all(self, group: Group, rows: list[Row]) -> None:
        for param, _, state in rows:
            if not state:
                state["step"] = 0
                state["exp_avg"] = rl.zeros_like(param.detach())
                state["exp_avg_sq"] = rl.zeros_like(param.detach())
            if group["amsgrad"] and "max_exp_avg_sq" not in state:
                state["max_exp_avg_sq"] = rl.zeros_like(param.detach())
        beta1, beta2 = group["betas"]
        for before, some in alike(rows, lambda state: state["step"]):
            step = before + 1
            if group["amsgrad"]:
                own = (
                    beta1,
                    beta2,
                    group["eps"],
                    (1 - beta2**step) ** 0.5,
                    -float(group["lr"]) / (1 - beta1**step),
                )
                keys = ("exp_avg", "exp_avg_sq", "max_exp_avg_sq")
                decay = decays(group, group["decoupled_weight_decay"])
                run("amsgrad_step", keys, group, some, (own, decay))
            else:
                _native._adam_steps(
                    [param for param, _, _ in some],
                    [grad for _, grad, _ in some],
                    [state["exp_avg"] for _, _, state in some],
                    [state["exp_avg_sq"] for _, _, state in some],
                    step,
                    group["lr"],
                    beta1,
                    beta2,
                    group["eps"],
                    group["weight_decay"],
                    bool(group["decoupled_weight_decay"]),
                    bool(group["maximize"]),
                )
            for _, _, state in some:
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
    amsgrad
        Whether ``v / (1 - b2**t)`` is replaced by its largest value so far.
    foreach, fused
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
    >>> optimizer = rl.optim.AdamW([x], lr=0.5, weight_decay=0.0)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x.tolist()
    [1.5]
    """

    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )
