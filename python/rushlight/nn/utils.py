"""Helpers for training."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from rushlight import _core as rl
from rushlight._native import Tensor

__all__ = ["clip_grad_norm_"]


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
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
        Whether a norm that is NaN or infinite raises instead of spreading.

    Returns
    -------
    Tensor
        The norm before scaling, a scalar in float32 or a wider dtype.

    Raises
    ------
    TypeError
        If `parameters` holds something else than tensors.
    ValueError
        If `norm_type` is not positive.
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
    if not isinstance(parameters, Iterable):
        kind = type(parameters).__name__
        raise TypeError(f"clip_grad_norm_: parameters is a Tensor or an iterable of Tensors, got {kind}")
    found = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    for p in found:
        if not isinstance(p, Tensor):
            raise TypeError(f"clip_grad_norm_: a parameter is a {type(p).__name__}, not a Tensor")
    grads = [p.grad for p in found if p.grad is not None]
    if norm_type <= 0:
        raise ValueError(f"clip_grad_norm_: norm_type {norm_type} is not positive")
    if not grads:
        return rl.asarray(0.0)
    with rl.no_grad():
        total = _norm(grads, norm_type)
        if error_if_nonfinite and not bool(rl.isfinite(total)):
            raise RuntimeError(f"clip_grad_norm_: the norm of the gradients is {float(total)}")
        # Branch-free, so that no device has to wait for the host: the factor is at most 1.
        factor = rl.minimum(max_norm / (total + 1e-6), rl.ones_like(total))
        for grad in grads:
            grad.copy_(grad * factor.astype(grad.dtype).to(device=grad.device))
    return total


def _norm(grads: list[Tensor], order: float) -> Tensor:
    parts: list[Tensor] = []
    for grad in grads:
        wide = rl.astype(grad, rl.float32) if grad.dtype in (rl.float16, rl.bfloat16) else grad
        if order == 2.0:
            parts.append(rl.sum(wide * wide))
        elif order != float("inf"):
            parts.append(rl.sum(rl.abs(wide) ** order))
        elif wide.size:
            parts.append(rl.max(rl.abs(wide)))
    if order == float("inf"):
        return reduce(rl.maximum, parts) if parts else rl.asarray(0.0)
    total = reduce(rl.add, parts)
    return rl.sqrt(total) if order == 2.0 else total ** (1 / order)
