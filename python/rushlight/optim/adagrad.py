"""Adagrad, Adadelta and RMSprop: steps divided by the root of a mean of squares."""

from __future__ import annotations

from typing import Any, ClassVar

from rushlight import _core as rl
from rushlight._native import Tensor

from ._composed import Composed, decayed, ensure, flags, mixed
from .optimizer import Group, Params

__all__ = ["Adadelta", "Adagrad", "RMSprop"]


class Adagrad(Composed):
    """The optimizer Adagrad (Duchi, Hazan, Singer 2011).

    At step ``t``: ``g = grad + weight_decay * param``, ``s += g**2`` and
    ``param -= lr / (1 + (t - 1) * lr_decay) * g / (sqrt(s) + eps)``.

    Parameters
    ----------
    params
        Tensors or groups, see `Optimizer`.
    lr, lr_decay, weight_decay, eps
        The settings of the formula.
    initial_accumulator_value
        The first value of ``s``.
    foreach, fused
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
    >>> optimizer = rl.optim.Adagrad([x], lr=0.5)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> round(x.item(), 4)
    1.5
    """

    _shaped: ClassVar[frozenset[str]] = frozenset({"sum"})
    _numbers: ClassVar[tuple[str, ...]] = (
        "lr_decay",
        "initial_accumulator_value",
    )

    def __init__(
        self,
        params: Params,
        lr: float = 1e-2,
        lr_decay: float = 0.0,
        weight_decay: float = 0.0,
        initial_accumulator_value: float = 0.0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "lr_decay": lr_decay,
                "eps": eps,
                "weight_decay": weight_decay,
                "initial_accumulator_value": initial_accumulator_value,
                "fused": fused,
                **flags(foreach, maximize, differentiable),
            },
        )

    def _start(self, group: Group, param: Tensor, state: dict[str, Any]) -> None:
        state["sum"] = rl.full_like(param, float(group["initial_accumulator_value"]))

    def _advance(self, group: Group, p: Tensor, g: Tensor, state: dict[str, Any]) -> Tensor:
        p, g = decayed(group, p, g)
        rate = float(group["lr"]) / (1 + (state["step"] - 1) * group["lr_decay"])
        total = state["sum"] = state["sum"] + g * g
        return rl.addcdiv(p, g, rl.sqrt(total) + group["eps"], value=-rate)


class Adadelta(Composed):
    """The optimizer Adadelta (Zeiler 2012), which needs no learning rate.

    With ``g = grad + weight_decay * param``: ``s = rho * s + (1 - rho) * g**2``,
    ``d = sqrt(a + eps) / sqrt(s + eps) * g``, ``a = rho * a + (1 - rho) * d**2`` and ``param -= lr * d``.

    Parameters
    ----------
    params
        Tensors or groups, see `Optimizer`.
    lr, rho, eps, weight_decay
        The settings of the formula; ``0 <= rho <= 1``.
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
    >>> optimizer = rl.optim.Adadelta([x])
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> round(x.item(), 4)
    1.9968
    """

    _shaped: ClassVar[frozenset[str]] = frozenset({"square_avg", "acc_delta"})
    _zeros: ClassVar[tuple[str, ...]] = (
        "square_avg",
        "acc_delta",
    )
    _numbers: ClassVar[tuple[str, ...]] = ("rho",)

    def __init__(
        self,
        params: Params,
        lr: float = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0.0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "rho": rho,
                "eps": eps,
                "weight_decay": weight_decay,
                **flags(foreach, maximize, differentiable, capturable),
            },
        )

    def _check(self, group: Group) -> None:
        super()._check(group)
        ensure("Adadelta", group["rho"] <= 1, f"rho {group['rho']} is above 1")

    def _advance(self, group: Group, p: Tensor, g: Tensor, state: dict[str, Any]) -> Tensor:
        p, g = decayed(group, p, g)
        rho, eps = group["rho"], group["eps"]
        square = state["square_avg"] = mixed(state["square_avg"], g * g, rho)
        change = rl.sqrt(state["acc_delta"] + eps) / rl.sqrt(square + eps) * g
        state["acc_delta"] = mixed(state["acc_delta"], change * change, rho)
        return p - change * float(group["lr"])


class RMSprop(Composed):
    """The optimizer RMSprop (Hinton 2012; centered: Graves 2013).

    With ``g = grad + weight_decay * param``: ``s = alpha * s + (1 - alpha) * g**2``; `centered` subtracts
    from ``s`` the square of the mean of gradients, formed alike. Then ``d = g / (sqrt(s) + eps)``; with a
    momentum ``b = momentum * b + d`` and ``param -= lr * b``, else ``param -= lr * d``.

    Parameters
    ----------
    params
        Tensors or groups, see `Optimizer`.
    lr, alpha, eps, weight_decay, momentum
        The settings of the formula.
    centered
        Whether ``s`` is a variance.
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
    >>> optimizer = rl.optim.RMSprop([x], lr=0.05)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> round(x.item(), 4)
    1.5
    """

    _shaped: ClassVar[frozenset[str]] = frozenset({"square_avg", "momentum_buffer", "grad_avg"})
    _numbers: ClassVar[tuple[str, ...]] = ("alpha",)

    def __init__(
        self,
        params: Params,
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "alpha": alpha,
                "eps": eps,
                "centered": centered,
                "weight_decay": weight_decay,
                **flags(foreach, maximize, differentiable, capturable),
            },
        )

    def _start(self, group: Group, param: Tensor, state: dict[str, Any]) -> None:
        state["square_avg"] = rl.zeros_like(param)
        if group["momentum"]:
            state["momentum_buffer"] = rl.zeros_like(param)
        if group["centered"]:
            state["grad_avg"] = rl.zeros_like(param)

    def _advance(self, group: Group, p: Tensor, g: Tensor, state: dict[str, Any]) -> Tensor:
        p, g = decayed(group, p, g)
        lr, alpha = float(group["lr"]), group["alpha"]
        spread = state["square_avg"] = mixed(state["square_avg"], g * g, alpha)
        if group["centered"]:
            mean = state["grad_avg"] = mixed(state["grad_avg"], g, alpha)
            spread = spread - mean * mean
        divisor = rl.sqrt(spread) + group["eps"]
        if not group["momentum"]:
            return rl.addcdiv(p, g, divisor, value=-lr)
        buffer: Tensor = state["momentum_buffer"] * group["momentum"] + g / divisor
        state["momentum_buffer"] = buffer
        return p - buffer * lr
