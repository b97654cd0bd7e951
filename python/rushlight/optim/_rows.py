"""Updates of the rows that a sparse gradient names."""

from __future__ import annotations

from typing import Any, ClassVar, TypeAlias

from rushlight._native import Tensor
from rushlight.sparse import COOTensor

__all__ = ["Group", "Row", "RowUpdates"]

Group: TypeAlias = dict[str, Any]
# A parameter, its gradient and its state.
Row: TypeAlias = tuple[Tensor, Tensor, dict[str, Any]]


class RowUpdates:
    """The part of `Optimizer` that takes sparse gradients."""

    # Keys of the state whose tensors have their parameter's shape: load_state_dict checks them.
    _shaped: ClassVar[frozenset[str]] = frozenset()

    # Whether a step leaves rows without a gradient as they are: then it takes those of a sparse one alone.
    _by_rows: ClassVar[bool] = False

    def _update_sparse(self, group: Group, param: Tensor, grad: COOTensor, state: dict[str, Any]) -> None:
        """Update the rows that a sparse gradient names, and their states."""
        name = type(self).__name__
        if not self._by_rows:
            raise RuntimeError(
                f"{name} does not support sparse gradients: use SGD, Adagrad or SparseAdam, or make the "
                "layer with sparse=False"
            )
        if group.get("weight_decay"):
            raise RuntimeError(f"{name}: weight_decay is not supported with sparse gradients")
        self._begin(group, param, state)
        grad = grad.coalesce()
        at = grad.indices()[0]
        parts = {k: v.index_select(0, at) if k in self._shaped else v for k, v in state.items()}
        rows = param.detach().index_select(0, at)
        self._update_all(group, [(rows, grad.values(), parts)])
        param.detach().index_copy_(0, at, rows)
        for key, value in parts.items():
            if key in self._shaped:
                state[key].index_copy_(0, at, value)
            else:
                state[key] = value

    def _begin(self, group: Group, param: Tensor, state: dict[str, Any]) -> None:
        """Make the first state of a parameter, if it has none."""

    def _update_all(self, group: Group, rows: list[Row]) -> None:
        raise NotImplementedError
