"""Sparse gradients: what a table has in ``grad`` where its rows were looked up with ``sparse=True``."""

from __future__ import annotations

import weakref
from typing import Any

from rushlight import _core as rl
from rushlight import _native
from rushlight._native import Tensor

from .coo import COOTensor

__all__ = ["gradient", "looked_up", "set_gradient"]

# The sparse gradients of tensors that are alive, by the tensor's id.
_KEPT: dict[int, tuple[weakref.ref[Tensor], COOTensor]] = {}
# The attribute of the native class, which holds dense gradients.
_DENSE = vars(Tensor)["grad"]


def _kept(x: Tensor) -> COOTensor | None:
    found = _KEPT.get(id(x))
    return found[1] if found is not None and found[0]() is x else None


def gradient(x: Tensor) -> Tensor | COOTensor | None:
    """Return the gradient of a tensor; if it has a dense and a sparse part, their dense sum."""
    dense: Tensor | None = _DENSE.__get__(x)
    if not _KEPT or (sparse := _kept(x)) is None:
        return dense
    if dense is None:
        return sparse
    with rl.no_grad():
        set_gradient(x, sparse + dense)
    return _DENSE.__get__(x)  # type: ignore[no-any-return]


def set_gradient(x: Tensor, value: Any) -> None:
    """Set or drop the gradient of a tensor."""
    _KEPT.pop(id(x), None)
    if not isinstance(value, COOTensor):
        _DENSE.__set__(x, value)
        return
    if value.shape != x.shape or value.dtype != x.dtype or value.device != x.device:
        raise ValueError(
            f"grad: a gradient of shape {value.shape}, {value.dtype}, on {value.device} does not fit a "
            f"tensor of shape {x.shape}, {x.dtype}, on {x.device}"
        )
    _DENSE.__set__(x, None)
    key = id(x)
    _KEPT[key] = weakref.ref(x, lambda _: _KEPT.pop(key, None)), value


def looked_up(op: str, input: Tensor, weight: Tensor, padding_idx: int | None = None) -> Tensor:
    """Return rows of a table by index, for which the table's gradient is sparse."""
    if not (weight.requires_grad and rl.is_grad_enabled()):
        return _native._embedding(input, weight)
    if not weight.is_leaf:
        raise ValueError(f"{op}: sparse=True needs a table that is a leaf, such as a parameter")
    rows = _native._embedding(input, weight.detach()).requires_grad_()
    at = input.detach().reshape((-1,)).to(rl.int64)

    def collect(grad: Tensor) -> None:
        index, values = at, grad.detach().reshape((at.size, weight.shape[1]))
        if padding_idx is not None:
            kept = rl.nonzero(at != padding_idx)[0]
            index, values = index.index_select(0, kept), values.index_select(0, kept)
        new = COOTensor(index.reshape((1, -1)), values, weight.shape)
        old = _kept(weight)
        if old is not None:
            indices = rl.concat([old.indices(), new.indices()], axis=1)
            new = COOTensor(indices, rl.concat([old.values(), new.values()]), weight.shape)
        dense = _DENSE.__get__(weight)
        set_gradient(weight, new if dense is None else new + dense)

    rows.register_hook(collect)
    return rows.reshape(rows.shape)
