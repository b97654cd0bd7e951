"""Adafactor: second moments kept as a row and a column."""

from __future__ import annotations

from typing import Any, ClassVar

from rushlight import _core as rl
from rushlight._native import Tensor

from ._composed import Composed, ensure, norm
from .optimizer import Group, Params

__all__ = ["Adafactor"]


class Adafactor(Composed):
    """The optimizer Adafactor (Shazeer, Stern 2018), whose state of a matrix is one row and one column.

    At step ``t`` the means of squares move by ``t**beta2_decay`` towards the gradient's: for two or more
    dimensions those of rows and of columns, whose product over their mean estimates the square ``s`` of each
    element. The gradient over ``sqrt(s)`` is divided by ``max(1, rms / d)`` of itself and multiplied by
    ``max(eps[1], rms(param)) * min(lr, 1 / sqrt(t))``; before, ``param *= 1 - lr * weight_decay``.

    Parameters
    ----------
    params
        Tensors or groups, see `Optimizer`.
    lr
        The largest relative step.
    beta2_decay
        The exponent of the formula.
    eps
        The least square, whose default None is the dtype's ``eps``, and the least size of a parameter.
    d
        The largest root mean square of a step.
    weight_decay
        See the formula.
    foreach
        Accepted as in PyTorch, without effect.
    maximize
        Whether to go uphill.

    Raises
    ------
    TypeError, ValueError
        If a setting is of another type or out of range.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.tensor([2.0], requires_grad=True)
    >>> optimizer = rl.optim.Adafactor([x], lr=0.25)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> round(x.item(), 4)
    1.5
    """

    _shaped: ClassVar[frozenset[str]] = frozenset({"variance"})

    def __init__(
        self,
        params: Params,
        lr: float = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "beta2_decay": beta2_decay,
                "eps": eps,
                "d": d,
                "weight_decay": weight_decay,
                "foreach": foreach,
                "maximize": maximize,
            },
        )

    def _check(self, group: Group) -> None:
        super()._check({key: value for key, value in group.items() if key != "eps"})
        least, size = group["eps"]
        ensure("Adafactor", least is None or least >= 0, f"eps[0] {least} is negative")
        ensure("Adafactor", size >= 0, f"eps[1] {size} is negative")
        ensure("Adafactor", group["d"] >= 1, f"d {group['d']} is below 1")
        ensure("Adafactor", group["beta2_decay"] <= 0, f"beta2_decay {group['beta2_decay']} is above 0")

    def _start(self, group: Group, param: Tensor, state: dict[str, Any]) -> None:
        if param.ndim > 1:
            shape = param.shape
            state["row_var"] = rl.zeros((*shape[:-1], 1), dtype=param.dtype, device=param.device)
            state["col_var"] = rl.zeros((*shape[:-2], 1, shape[-1]), dtype=param.dtype, device=param.device)
        else:
            state["variance"] = rl.zeros_like(param)

    def _advance(self, group: Group, p: Tensor, g: Tensor, state: dict[str, Any]) -> Tensor:
        least, size = group["eps"]
        least = float(rl.finfo(p.dtype).eps) if least is None else least
        lr, step = float(group["lr"]), state["step"]
        new = step ** group["beta2_decay"]
        length: Tensor = rl.maximum(norm(p) / p.numel() ** 0.5, rl.full_like(norm(p), size))
        rate: Tensor = length * min(lr, 1 / step**0.5)
        if group["weight_decay"]:
            p = p * (1 - lr * group["weight_decay"])
        square = g * g
        if p.ndim > 1:
            row, column = state["row_var"], state["col_var"]
            row = state["row_var"] = row + (rl.mean(square, axis=-1, keepdims=True) - row) * new
            column = state["col_var"] = column + (rl.mean(square, axis=-2, keepdims=True) - column) * new
            estimate = row * column / rl.clip(rl.mean(row, axis=-2, keepdims=True), least, None)
        else:
            old = state["variance"]
            estimate = state["variance"] = old + (square - old) * new
        change: Tensor = g * rl.rsqrt(rl.clip(estimate, least * least, None))
        bound: float = p.numel() ** 0.5 * group["d"]
        excess = norm(change) / bound
        return p - change * (rate / rl.maximum(excess, rl.ones_like(excess)))
