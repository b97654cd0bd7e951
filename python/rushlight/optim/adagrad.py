"""Adagrad, Adadelta and RMSprop: steps divided by the root of a mean of squares."""

from __future__ import annotations

from typing import Any, ClassVar

from rushlight import _core as rl
from rushlight import _native
from rushlight._native import Tensor

from ._composed import ensure, flags
from ._fused import Fused, Numbers, decays
from .optimizer import Group, Optimizer, Params, Row, alike

__all__ = ["Adadelta", "Adagrad", "RMSprop"]


class Adagrad(Optimizer):
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
    >>> optimizer = rl.optim.Adagrad([x], lr=0.5)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> round(x.item(), 4)
    1.5
    """

    _shaped: ClassVar[frozenset[str]] = frozenset({"sum"})
    _by_rows: ClassVar[bool] = True
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

    def _begin(self, group: Group, param: Tensor, state: dict[str, Any]) -> None:
        if not state:
            state["step"] = 0
            state["sum"] = rl.full_like(param.detach(), float(group["initial_accumulator_value"]))

    def _update_all(self, group: Group, rows: list[Row]) -> None:
        for param, _, state in rows:
            self._begin(group, param, state)
        for before, some in alike(rows, lambda state: state["step"]):
            step = before + 1
            _native._adagrad_steps(
                [param for param, _, _ in some],
                [grad for _, grad, _ in some],
                [state["sum"] for _, _, state in some],
                step,
                group["lr"],
                group["lr_decay"],
                group["weight_decay"],
                group["eps"],
                bool(group["maximize"]),
            )
            for _, _, state in some:
                state["step"] = step


class Adadelta(Fused):
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
    >>> optimizer = rl.optim.Adadelta([x])
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> round(x.item(), 4)
    1.9968
    """

    _shaped: ClassVar[frozenset[str]] = frozenset({"square_avg", "acc_delta"})
    _step: ClassVar[str] = "adadelta_step"
    _states: ClassVar[tuple[str, ...]] = ("square_avg", "acc_delta")
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

    def _numbers_of(self, group: Group, now: dict[str, Any]) -> Numbers:
        return (group["rho"], group["eps"], group["lr"]), decays(group)


class RMSprop(Optimizer):
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

    def _update_all(self, group: Group, rows: list[Row]) -> None:
        keys = ["square_avg"]
        keys += ["momentum_buffer"] if group["momentum"] else []
        keys += ["grad_avg"] if group["centered"] else []
        for param, _, state in rows:
            state["step"] = state.get("step", 0) + 1
            for key in keys:
                if key not in state:
                    state[key] = rl.zeros_like(param.detach())
        _native._rmsprop_steps(
            [param for param, _, _ in rows],
            [grad for _, grad, _ in rows],
            [state["square_avg"] for _, _, state in rows],
            [state["grad_avg"] for _, _, state in rows] if group["centered"] else [],
            [state["momentum_buffer"] for _, _, state in rows] if group["momentum"] else [],
            group["lr"],
            group["alpha"],
            group["eps"],
            group["weight_decay"],
            group["momentum"],
            bool(group["centered"]),
            bool(group["maximize"]),
        )
