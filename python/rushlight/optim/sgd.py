"""Stochastic gradient descent."""

from __future__ import annotations

from typing import Any, ClassVar

from rushlight import _core as rl
from rushlight import _native
from rushlight._native import Tensor
from rushlight.sparse import COOTensor

from .optimizer import Group, Optimizer, Params, Row, alike

__all__ = ["SGD"]


class SGD(Optimizer):
    """The optimizer of gradient descent with momentum.

    With ``g = grad + weight_decay * param``, ``b = momentum * b + (1 - dampening) * g`` (the first
    step sets ``b = g``) and ``d = g + momentum * b`` if `nesterov`, else ``d = b``, a step is
    ``param -= lr * d``.

    Parameters
    ----------
    params
        Tensors or groups, see `Optimizer`.
    lr, momentum, dampening, weight_decay
        The settings of the formula.
    nesterov
        Whether to look ahead; needs a momentum and no dampening.
    maximize
        Whether to go uphill.
    foreach, fused
        Accepted as in PyTorch; a GPU updates up to 64 parameters in one launch anyway.
    differentiable
        Must be false.

    Raises
    ------
    TypeError, ValueError
        If a setting is of another type or out of range.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.asarray([2.0]).requires_grad_()
    >>> optimizer = rl.optim.SGD([x], lr=0.25)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x.tolist()
    [1.0]
    """

    _shaped: ClassVar[frozenset[str]] = frozenset({"momentum_buffer"})
    _by_rows: ClassVar[bool] = True

    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "dampening": dampening,
                "weight_decay": weight_decay,
                "nesterov": nesterov,
                "maximize": maximize,
                "foreach": foreach,
                "differentiable": differentiable,
                "fused": fused,
            },
        )

    def _check(self, group: Group) -> None:
        super()._check(group)
        if group["nesterov"] and (group["momentum"] <= 0 or group["dampening"] != 0):
            raise ValueError("SGD: nesterov needs a momentum above 0 and dampening 0")

    def _update_sparse(self, group: Group, param: Tensor, grad: COOTensor, state: dict[str, Any]) -> None:
        if group["momentum"] and not group["weight_decay"]:
            # The momentum of rows without a gradient moves them, too.
            self._update_all(group, [(param, grad.to_dense(), state)])
        else:
            super()._update_sparse(group, param, grad, state)

    def _update_all(self, group: Group, rows: list[Row]) -> None:
        momentum = group["momentum"]
        for first, some in alike(rows, lambda state: state.get("momentum_buffer") is None):
            if momentum and first:
                for param, _, state in some:
                    state["momentum_buffer"] = rl.zeros_like(param.detach())
            _native._sgd_steps(
                [param for param, _, _ in some],
                [grad for _, grad, _ in some],
                [state["momentum_buffer"] for _, _, state in some] if momentum else [],
                group["lr"],
                momentum,
                group["dampening"],
                group["weight_decay"],
                group["nesterov"],
                first,
                bool(group["maximize"]),
            )
