"""Smooth activations, gated and random ones."""

from __future__ import annotations

from typing import Any

from rushlight import _core as rl
from rushlight import _native
from rushlight._check import typed
from rushlight._native import Tensor

from ._arguments import placed, widened
from .activations import softmax

__all__ = [
    "celu",
    "glu",
    "gumbel_softmax",
    "logsigmoid",
    "mish",
    "selu",
    "softmin",
    "softsign",
    "tanhshrink",
]


@typed
def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Returns ``x`` where positive, else ``alpha * (exp(x / alpha) - 1)``.

    Parameters
    ----------
    input
        Any shape; floating point.
    alpha
        The negative of the limit for small ``x``, not 0.
    inplace
        Whether the result also replaces the values of `input`.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Raises
    ------
    ValueError
        If `alpha` is 0.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.celu(rl.tensor([-1000.0, 2.0]), 0.5).tolist()
    [-0.5, 2.0]
    """
    return placed(input, _native._celu(input, alpha), inplace)


@typed
def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """Returns `elu` with the slope and limit that keep mean 0 and variance 1 (Klambauer et al. 2017).

    Parameters
    ----------
    input
        Any shape; floating point.
    inplace
        Whether the result also replaces the values of `input`.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> [round(v, 4) for v in F.selu(rl.tensor([-1000.0, 1.0])).tolist()]
    [-1.7581, 1.0507]
    """
    return placed(input, _native._selu(input), inplace)


@typed
def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """Returns ``x * tanh(log(1 + exp(x)))``.

    Parameters
    ----------
    input
        Any shape; floating point.
    inplace
        Whether the result also replaces the values of `input`.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.mish(rl.tensor([0.0, 100.0])).tolist()
    [0.0, 100.0]
    """
    return placed(input, _native._mish(input), inplace)


@typed
def softsign(input: Tensor) -> Tensor:
    """Returns ``x / (1 + |x|)``.

    Parameters
    ----------
    input
        Any shape; floating point.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.softsign(rl.tensor([-1.0, 3.0])).tolist()
    [-0.5, 0.75]
    """
    return _native._softsign(input)


@typed
def tanhshrink(input: Tensor) -> Tensor:
    """Returns ``x - tanh(x)``.

    Parameters
    ----------
    input
        Any shape; floating point.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.tanhshrink(rl.tensor([0.0, 100.0])).tolist()
    [0.0, 99.0]
    """
    return _native._tanhshrink(input)


@typed
def logsigmoid(input: Tensor) -> Tensor:
    """Returns ``log(sigmoid(x))``, computed without overflow or underflow.

    Parameters
    ----------
    input
        Any shape; floating point.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> F.logsigmoid(rl.tensor([-1000.0, 1000.0])).tolist()
    [-1000.0, 0.0]
    """
    return _native._logsigmoid(input)


@typed
def glu(input: Tensor, dim: int = -1) -> Tensor:
    """Returns ``a * sigmoid(b)``, `a` and `b` being the halves of `input` along an axis.

    Parameters
    ----------
    input
        Rank 1 or more; floating point.
    dim
        The axis; its length is even.

    Returns
    -------
    Tensor
        Of half the length along `dim`.

    Raises
    ------
    ValueError
        If there is no such axis, or its length is odd.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.functional.glu(rl.tensor([3.0, 0.0])).tolist()
    [1.5]
    """
    if input.ndim == 0 or not -input.ndim <= dim < input.ndim or input.shape[dim] % 2:
        raise ValueError(f"glu: shape {input.shape} has no axis {dim} of an even length")
    half = input.shape[dim] // 2
    a, b = input.narrow(dim % input.ndim, 0, half), input.narrow(dim % input.ndim, half, half)
    return _native._mul_sigmoid(a, b)


@typed
def softmin(input: Tensor, dim: int | None = None, dtype: Any = None) -> Tensor:
    """Returns the softmax of ``-x`` along an axis.

    Parameters
    ----------
    input
        Any shape; floating point.
    dim
        The axis; None takes the default axis of `softmax`.
    dtype
        Converts the input first.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.functional.softmin(rl.zeros(2), dim=0).tolist()
    [0.5, 0.5]
    """
    return softmax(-input if dtype is None else -input.astype(dtype), dim)


@typed
def gumbel_softmax(
    logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """Returns a sample of the Gumbel-softmax distribution, which is differentiable.

    Parameters
    ----------
    logits
        Unnormalized log-probabilities; floating point.
    tau
        The temperature.
    hard
        Whether the result is one-hot; its gradient is that of the soft sample.
    eps
        Not used, as in PyTorch.
    dim
        The axis along which the result sums to 1.

    Returns
    -------
    Tensor
        Of the shape and dtype of `logits`.

    Examples
    --------
    >>> import rushlight as rl
    >>> sample = rl.nn.functional.gumbel_softmax(rl.zeros((2, 5)), hard=True)
    >>> sample.sum(dim=-1).tolist()
    [1.0, 1.0]
    """
    uniform = rl.rand(logits.shape, dtype=widened(logits).dtype, device=logits.device)
    # 1 - u is in (0, 1], whose logarithm is finite.
    noise = -rl.log(rl.maximum(-rl.log(1 - uniform), rl.finfo(uniform.dtype).smallest_normal))
    soft = softmax((logits + noise.astype(logits.dtype)) / tau, dim)
    if not hard:
        return soft
    axis = dim % logits.ndim
    best = rl.expand_dims(rl.argmax(soft.detach(), axis=axis), axis=axis)
    count = rl.arange(logits.shape[axis], device=logits.device)
    shape = tuple(-1 if i == axis else 1 for i in range(logits.ndim))
    one = (rl.reshape(count, shape) == best).astype(soft.dtype)
    return one - soft.detach() + soft
