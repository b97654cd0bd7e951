"""Limits of gradients."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import reduce
from typing import Any

from rushlight import _core as rl
from rushlight import _native
from rushlight._by_place import by_place
from rushlight._check import check_number
from rushlight._native import Tensor
from rushlight.sparse import COOTensor

from ..functional._arguments import widened
from ..functional._norm import vector_norm

__all__ = ["clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm"]


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scales gradients in place so that their joint norm is at most `max_norm`.

    Parameters
    ----------
    parameters
        Tensors whose ``grad`` is scaled; those without one are left out.
    max_norm
        The bound.
    norm_type
        The norm's order; ``inf`` takes the largest magnitude.
    error_if_nonfinite
        Whether a norm that is NaN or infinite is an error; otherwise the gradients become NaN or 0.
    foreach
        Accepted as in PyTorch; the result does not depend on it.

    Returns
    -------
    Tensor
        The norm before scaling, a scalar in float32 or a wider dtype.

    Raises
    ------
    TypeError
        If `parameters` holds something else than tensors.
    ValueError
        If `norm_type` is NaN.
    RuntimeError
        If the norm is not finite and `error_if_nonfinite` is set.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.zeros(2, requires_grad=True)
    >>> x.grad = rl.tensor([3.0, 4.0])
    >>> float(rl.nn.utils.clip_grad_norm_([x], 1.0)), round(float(x.grad[1]), 3)
    (5.0, 0.8)
    """
    check_number(max_norm, "clip_grad_norm_: max_norm")
    grads = _grads("clip_grad_norm_", parameters)
    total = _total("clip_grad_norm_", grads, norm_type, error_if_nonfinite)
    _scale(grads, max_norm, total)
    return total


def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    total_norm: Tensor,
    foreach: bool | None = None,
) -> None:
    """Scales gradients in place by ``max_norm / total_norm`` where that is below 1.

    Parameters
    ----------
    parameters
        Tensors whose ``grad`` is scaled; those without one are left out.
    max_norm
        The bound.
    total_norm
        The norm, as `get_total_norm` returns it.
    foreach
        Accepted as in PyTorch; the result does not depend on it.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.zeros(2, requires_grad=True)
    >>> x.grad = rl.tensor([3.0, 4.0])
    >>> rl.nn.utils.clip_grads_with_norm_(x, 1.0, rl.tensor(5.0))
    >>> round(float(x.grad[1]), 3)
    0.8
    """
    check_number(max_norm, "clip_grads_with_norm_: max_norm")
    _scale(_grads("clip_grads_with_norm_", parameters), max_norm, total_norm)


def clip_grad_value_(
    parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None
) -> None:
    """Limits the elements of gradients in place to ``[-clip_value, clip_value]``.

    Parameters
    ----------
    parameters
        Tensors whose ``grad`` is limited; those without one are left out.
    clip_value
        The bound.
    foreach
        Accepted as in PyTorch; the result does not depend on it.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.zeros(2, requires_grad=True)
    >>> x.grad = rl.tensor([-3.0, 0.5])
    >>> rl.nn.utils.clip_grad_value_(x, 1.0)
    >>> x.grad.tolist()
    [-1.0, 0.5]
    """
    check_number(clip_value, "clip_grad_value_: clip_value")
    bound = float(clip_value)
    grads = _grads("clip_grad_value_", parameters)
    with rl.no_grad():
        _native._clip_values(grads, -bound, bound)


def get_total_norm(
    tensors: Tensor | Iterable[Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Returns the joint norm of tensors.

    Parameters
    ----------
    tensors
        The tensors, such as gradients.
    norm_type
        The norm's order; ``inf`` takes the largest magnitude.
    error_if_nonfinite
        Whether a norm that is NaN or infinite is an error.
    foreach
        Accepted as in PyTorch; the result does not depend on it.

    Returns
    -------
    Tensor
        The norm, a scalar in float32 or a wider dtype.

    Examples
    --------
    >>> import rushlight as rl
    >>> float(rl.nn.utils.get_total_norm([rl.tensor([3.0]), rl.tensor([4.0])]))
    5.0
    """
    found = _listed("get_total_norm", "tensors", tensors)
    return _total("get_total_norm", found, norm_type, error_if_nonfinite)


def _listed(op: str, name: str, tensors: Tensor | Iterable[Tensor]) -> list[Tensor]:
    if not isinstance(tensors, Iterable):
        kind = type(tensors).__name__
        raise TypeError(f"{op}: {name} is a Tensor or an iterable of Tensors, got {kind}")
    found = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    for p in found:
        if not isinstance(p, Tensor):
            raise TypeError(f"{op}: a parameter is a {type(p).__name__}, not a Tensor")
    return found


def _grads(op: str, parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    found = []
    for p in _listed(op, "parameters", parameters):
        grad: Any = p.grad
        if isinstance(grad, COOTensor):
            # Each row once, as the norm and the limits are of sums.
            grad = grad.coalesce()
            p.grad = grad
            grad = grad.values()
        if grad is not None:
            found.append(grad)
    return found


def _total(op: str, grads: list[Tensor], norm_type: float, error_if_nonfinite: bool) -> Tensor:
    norm_type = float(norm_type)
    if math.isnan(norm_type):
        raise ValueError(f"{op}: norm_type is NaN")
    if not grads:
        return rl.asarray(0.0)
    with rl.no_grad():
        total = _norm(grads, norm_type)
        if error_if_nonfinite and not bool(rl.isfinite(total)):
            raise RuntimeError(f"{op}: the norm of the gradients is {float(total)}")
    return total


def _scale(grads: list[Tensor], max_norm: float, total: Tensor) -> None:
    with rl.no_grad():
        # Branch-free, so that no device has to wait for the host: the factor is at most 1.
        factor = rl.minimum(max_norm / (total + 1e-6), rl.ones_like(total))
        for (device, dtype), some in by_place(grads).items():
            # Whether one was infinite is not read.
            found = rl.zeros((), dtype=dtype, device=device)
            _native._unscale_and_check_finite(some, found, factor.to(device=device, dtype=dtype))


def _norm(grads: list[Tensor], order: float) -> Tensor:
    if order <= 0:
        # The norm of the norms, as in PyTorch; the orders above 0 need no root in between.
        norms = [vector_norm(rl.reshape(widened(grad), (-1,)), order, 0, False) for grad in grads]
        return vector_norm(rl.stack([norm.to(norms[0].device) for norm in norms]), order, 0, False)
    parts = []
    for (device, dtype), some in by_place(grads).items():
        part = rl.zeros((), dtype=dtype, device=device)
        _native._accumulate_norms(part, some, order)
        parts.append(part)
    total = reduce(rl.maximum if order == math.inf else rl.add, [part.to(parts[0].device) for part in parts])
    if order in (1.0, math.inf):
        return total
    return rl.sqrt(total) if order == 2.0 else total ** (1 / order)
