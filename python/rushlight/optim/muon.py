"""Muon: momentum made orthogonal."""

from __future__ import annotations

from typing import Any, ClassVar

from rushlight import _core as rl
from rushlight._native import Tensor

from ._composed import Composed, ensure, mixed, norm
from .optimizer import Group, Params

__all__ = ["Muon"]


class Muon(Composed):
    """The optimizer Muon (Jordan 2024), for the matrices of hidden layers.

    ``b = momentum * b + (1 - momentum) * grad``, looked ahead by `nesterov`; the step is the nearest
    orthogonal matrix of ``b`` by `ns_steps` Newton-Schulz iterations in bfloat16 times a rate, after ``param
    *= 1 - lr * weight_decay``.

    Parameters
    ----------
    params
        Tensors or groups, see `Optimizer`.
    lr, weight_decay, momentum
        The settings of the formula.
    nesterov
        Whether to look ahead.
    ns_coefficients
        The three coefficients of an iteration.
    eps
        The least norm of ``b``.
    ns_steps
        Number of iterations, below 100.
    adjust_lr_fn
        The rate: ``"original"`` (or None) multiplies `lr` by ``sqrt(max(1, rows / columns))``,
        ``"match_rms_adamw"`` by ``0.2 * sqrt(max(rows, columns))``.

    Raises
    ------
    TypeError, ValueError
        If a setting is of another type or out of range.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.ones((2, 3), requires_grad=True)
    >>> optimizer = rl.optim.Muon([x], lr=0.5)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> bool((x < 1).all())
    True
    """

    _shaped: ClassVar[frozenset[str]] = frozenset({"momentum_buffer"})
    _zeros: ClassVar[tuple[str, ...]] = ("momentum_buffer",)

    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "weight_decay": weight_decay,
                "momentum": momentum,
                "nesterov": nesterov,
                "ns_coefficients": ns_coefficients,
                "eps": eps,
                "ns_steps": ns_steps,
                "adjust_lr_fn": adjust_lr_fn,
            },
        )

    def _check(self, group: Group) -> None:
        super()._check(group)
        ensure("Muon", len(group["ns_coefficients"]) == 3, "ns_coefficients are three numbers")
        ensure("Muon", group["ns_steps"] < 100, f"ns_steps {group['ns_steps']} is not below 100")
        known = group["adjust_lr_fn"] in (None, "original", "match_rms_adamw")
        ensure(
            "Muon", known, f"adjust_lr_fn {group['adjust_lr_fn']!r} is not 'original' or 'match_rms_adamw'"
        )
        for param in group["params"]:
            ensure(
                "Muon", param.ndim == 2, f"a parameter has {param.ndim} dimensions, not 2; use AdamW for it"
            )

    def _begin(self, group: Group, param: Tensor, state: dict[str, Any]) -> None:
        super()._begin(group, param, state)
        # PyTorch's states have no count, which no formula here reads.
        state.setdefault("step", 0)

    def _advance(self, group: Group, p: Tensor, g: Tensor, state: dict[str, Any]) -> Tensor:
        rows, columns = p.shape
        buffer = state["momentum_buffer"] = mixed(state["momentum_buffer"], g, group["momentum"])
        change = mixed(g, buffer, 1 - group["momentum"]) if group["nesterov"] else buffer
        change = _orthogonal(change, group["ns_coefficients"], group["ns_steps"], group["eps"])
        if group["adjust_lr_fn"] == "match_rms_adamw":
            factor = 0.2 * max(rows, columns) ** 0.5
        else:
            factor = max(1.0, rows / columns) ** 0.5
        if group["weight_decay"]:
            p = p * (1 - float(group["lr"]) * group["weight_decay"])
        rate: float = float(group["lr"]) * factor
        return p - change.to(p.dtype) * rate


def _orthogonal(x: Tensor, coefficients: tuple[float, float, float], steps: int, eps: float) -> Tensor:
    """Return nearly the orthogonal factor of a matrix's polar decomposition, in bfloat16."""
    a, b, c = coefficients
    x = x.to(rl.bfloat16)
    tall = x.shape[0] > x.shape[1]
    x = x.mT if tall else x
    length = norm(x.to(rl.float32)).to(rl.bfloat16)
    x = x / rl.clip(length, eps, None)
    for _ in range(steps):
        gram = x @ x.mT
        polynomial = rl.addmm(gram, gram, gram, beta=b, alpha=c)
        x = rl.addmm(x, polynomial, x, beta=a)
    return x.mT if tall else x
