"""Running logarithms of sums of exponentials."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _native as n
from .. import _types as t
from .._check import typed
from .._grad import no_grad
from .._native import Tensor
from .axes import given_axis, one_axis
from .elementwise import logaddexp

__all__ = ["logcumsumexp"]


def _scanned(x: Tensor, at: int) -> Tensor:
    """Return the result without a gradient; after step k each entry is that of the last 2**k elements."""
    size, reach = x.shape[at], 1
    while reach < size:
        later, earlier = x.narrow(at, reach, size - reach), x.narrow(at, 0, size - reach)
        x = n.concat((x.narrow(at, 0, reach), logaddexp(later, earlier)), at)
        reach *= 2
    return x


@typed
def logcumsumexp(
    input: Tensor,
    dim: int | None = None,
    *,
    axis: int | None = None,
) -> Tensor:
    """Returns running values of ``log(sum(exp(x)))`` along an axis, without overflow.

    Parameters
    ----------
    input
        Floating point, rank 1 or more.
    dim, axis
        The axis, by either name.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`. No gradient flows from a result that is minus infinity.

    Raises
    ------
    TypeError
        If the dtype is not floating point.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.logcumsumexp(rl.tensor([-rl.inf, 1000.0, -1000.0]), 0).tolist()
    [-inf, 1000.0, 1000.0]
    """
    dim = given_axis("logcumsumexp", dim, axis)
    if not input.dtype.is_floating_point:
        raise TypeError(f"logcumsumexp: expected a floating-point dtype, got {input.dtype}; use .float()")
    at = one_axis("logcumsumexp", dim, input.ndim)
    # float16 and bfloat16 are computed in float32 and rounded once.
    x = input.astype(t.float32) if input.dtype.itemsize < 4 else input
    with no_grad():
        y = _scanned(x.detach(), at).astype(input.dtype)
    if not (n.is_grad_enabled() and input.requires_grad):
        return y

    def back(ctx: Any, saved: Sequence[Tensor], grads: Sequence[Tensor]) -> list[Tensor | None]:
        # Element j gets the sum of g[i] exp(x[j] - y[i]) over i >= j: also by running sums of exponentials,
        # apart for gradients above and below 0.
        x, y = (v.astype(t.float32) if v.dtype.itemsize < 4 else v for v in saved)
        parts = []
        for g in (grads[0].astype(x.dtype), -grads[0].astype(x.dtype)):
            counts = n.logical_and(g > 0, y != -t.inf)
            logs = n.log(n.where(counts, g, 1.0)) - n.where(counts, y, 0.0)
            terms = n.flip(n.where(counts, logs, -t.inf), axis=at)
            parts.append(n.exp(x + n.flip(logcumsumexp(terms, at), axis=at)))
        return [(parts[0] - parts[1]).astype(input.dtype)]

    return n._apply("logcumsumexpBackward", back, object(), [input], [y], [], [input, y], False)[0]
