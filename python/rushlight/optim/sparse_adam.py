"""Adam for gradients most of whose rows are zero."""

from __future__ import annotations

from typing import Any, ClassVar

from rushlight import _core as rl
from rushlight._native import Tensor
from rushlight.sparse import COOTensor

from ._composed import Composed, ensure
from .optimizer import Group, Params

__all__ = ["SparseAdam"]


class SparseAdam(Composed):
    """The optimizer Adam that leaves rows without a gradient as they are, for embeddings.

    At step ``t``, in rows in which ``g`` has an element other than 0: ``m = b1 * m + (1 - b1) * g``,
    ``v = b2 * v + (1 - b2) * g**2`` and ``param -= lr * sqrt(1 - b2**t) / (1 - b1**t) * m / (sqrt(v) +
    eps)``. A row is an index of the first dimension. Means and parameters of other rows keep their values.

    Parameters
    ----------
    params
        Tensors or groups, see `Optimizer`.
    lr, betas, eps
        The settings of the formula, ``betas`` being ``(b1, b2)``.
    maximize
        Whether to go uphill.

    Raises
    ------
    TypeError, ValueError
        If a setting is of another type or out of range.

    Notes
    -----
    A sparse gradient (``rl.nn.Embedding(.., sparse=True)``) names the rows to update, as in PyTorch. Of a
    dense gradient, which PyTorch's optimizer refuses, rows that are exactly 0 are left out.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.tensor([[2.0], [3.0]], requires_grad=True)
    >>> optimizer = rl.optim.SparseAdam([x], lr=0.5)
    >>> (x[0] * x[0]).sum().backward()
    >>> optimizer.step()
    >>> x.tolist()
    [[1.5], [3.0]]
    """

    _shaped: ClassVar[frozenset[str]] = frozenset({"exp_avg", "exp_avg_sq"})
    _zeros: ClassVar[tuple[str, ...]] = ("exp_avg", "exp_avg_sq")
    _by_rows: ClassVar[bool] = True
    # Whether a sparse gradient has named the rows of this step, also those whose gradient is 0.
    _named = False

    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})

    def _check(self, group: Group) -> None:
        super()._check(group)
        ensure("SparseAdam", float(group["lr"]) > 0, f"lr {group['lr']} is not above 0")
        ensure("SparseAdam", float(group["eps"]) > 0, f"eps {group['eps']} is not above 0")

    def _update_sparse(self, group: Group, param: Tensor, grad: COOTensor, state: dict[str, Any]) -> None:
        self._named = True
        try:
            super()._update_sparse(group, param, grad, state)
        finally:
            self._named = False

    def _advance(self, group: Group, p: Tensor, g: Tensor, state: dict[str, Any]) -> Tensor:
        (beta1, beta2), step = group["betas"], state["step"]
        rows = rl.asarray(True, device=p.device) if self._named else g != 0
        if not self._named and g.ndim > 1:
            rows = rl.any(rows, axis=tuple(range(1, g.ndim)), keepdims=True)
        m, v = state["exp_avg"], state["exp_avg_sq"]
        m = state["exp_avg"] = rl.where(rows, m + (g - m) * (1 - beta1), m)
        v = state["exp_avg_sq"] = rl.where(rows, v + (g * g - v) * (1 - beta2), v)
        rate = float(group["lr"]) * (1 - beta2**step) ** 0.5 / (1 - beta1**step)
        return rl.where(rows, rl.addcdiv(p, m, rl.sqrt(v) + group["eps"], value=-rate), p)
