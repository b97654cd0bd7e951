"""Sums, products and normalizations with the function before or behind them, in fewer passes over memory."""

from __future__ import annotations

from rushlight import _core as rl
from rushlight import _native
from rushlight._check import typed
from rushlight._native import Tensor
from rushlight._shared_docs import documented

from ._arguments import Size, check_dtypes, last_axes
from .linear import linear

__all__ = [
    "bias_activation",
    "bias_dropout",
    "embedding_rms_norm",
    "gemm_bias_gelu",
    "gemm_bias_relu",
    "gemm_bias_sigmoid",
    "gemm_bias_swish",
    "gemm_bias_tanh",
    "layernorm_gelu",
    "layernorm_relu",
    "residual_layernorm",
]


@typed
def bias_activation(input: Tensor, bias: Tensor, activation: str = "relu") -> Tensor:
    """Applies an activation to ``input + bias``, in one pass over memory.

    Parameters
    ----------
    input
        Any shape; a floating-point dtype.
    bias
        A tensor of the dtype of `input` that is broadcast to its shape.
    activation
        ``"relu"``, ``"gelu"``, ``"gelu_tanh"``, ``"sigmoid"``, ``"silu"`` or ``"tanh"``.

    Returns
    -------
    Tensor
        Shape and dtype of `input`. The sum is not rounded to float16 or bfloat16.

    Raises
    ------
    ValueError
        If the activation is unknown, or `bias` cannot be broadcast to the shape of `input`.
    TypeError
        If the dtypes differ.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> rl.nn.functional.bias_activation(x, rl.tensor([-2.0, 0.5]), "relu").tolist()
    [[0.0, 2.5], [1.0, 4.5]]
    """
    return _native._bias_activation(input, bias, activation)


@typed
def bias_dropout(input: Tensor, bias: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Drops elements of ``input + bias``, in one pass over memory: see `dropout`.

    Parameters
    ----------
    input
        Any shape; a floating-point dtype.
    bias
        A tensor of the dtype of `input` that is broadcast to its shape.
    p
        Probability of dropping an element.
    training
        Whether elements are dropped; else the result is the sum.

    Returns
    -------
    Tensor
        Shape and dtype of `input`.

    Raises
    ------
    ValueError
        If `p` is not a probability, or `bias` cannot be broadcast to the shape of `input`.
    TypeError
        If the dtypes differ.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> rl.nn.functional.bias_dropout(x, rl.tensor([1.0, 2.0]), training=False).tolist()
    [[2.0, 4.0], [4.0, 6.0]]
    """
    return _native._bias_dropout(input, bias, p, training)


_PRODUCT = """
Parameters
----------
input
    Shape ``(..., in_features)``.
weight
    Shape ``(out_features, in_features)``, of the dtype of `input`.
bias
    Shape ``(out_features,)``, of the dtype of `input`.

Returns
-------
Tensor
    Shape ``(..., out_features)``.

Raises
------
TypeError
    If the dtypes differ.
ValueError
    If the shapes do not fit.

Examples
--------
>>> import rushlight as rl
>>> x, weight = rl.tensor([[1.0, 2.0]]), rl.tensor([[1.0, 1.0], [1.0, -1.0]])
>>> rl.nn.functional.{name}(x, weight, rl.tensor([0.0, 0.5]))
tensor({result}, dtype=float32, device='cpu')
"""

_LINES = """
Parameters
----------
input
    Shape ``(..., *normalized_shape)``.
normalized_shape
    Sizes of the last axes, which are normalized together.
weight, bias
    Shape ``normalized_shape``, of the dtype of `input`; or None.
eps
    Added to the variance.

Returns
-------
Tensor
    Shape and dtype of `input`. The argument of the function is not rounded to float16 or bfloat16.

Raises
------
TypeError
    If `input` and `weight` are of two floating-point dtypes.
ValueError
    If `input`, `weight` or `bias` does not have the sizes of `normalized_shape`.

Examples
--------
>>> import rushlight as rl
>>> rl.nn.functional.{name}(rl.tensor([[1.0, 3.0]]), 2, eps=0.0)
tensor({result}, dtype=float32, device='cpu')
"""


def _gemm(input: Tensor, weight: Tensor, bias: Tensor, activation: str) -> Tensor:
    return _native._bias_activation(linear(input, weight), bias, activation)


@documented(_PRODUCT, result="[[ 2.9960, -0.1543]]")
@typed
def gemm_bias_gelu(input: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Applies exact GELU to ``input @ weight.T + bias``: a matrix product and one more pass."""
    return _gemm(input, weight, bias, "gelu")


@documented(_PRODUCT, result="[[3., 0.]]")
@typed
def gemm_bias_relu(input: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Applies ReLU to ``input @ weight.T + bias``: a matrix product and one more pass."""
    return _gemm(input, weight, bias, "relu")


@documented(_PRODUCT, result="[[0.9526, 0.3775]]")
@typed
def gemm_bias_sigmoid(input: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Applies the sigmoid function to ``input @ weight.T + bias``: a matrix product and one more pass."""
    return _gemm(input, weight, bias, "sigmoid")


@documented(_PRODUCT, result="[[ 2.8577, -0.1888]]")
@typed
def gemm_bias_swish(input: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Applies SiLU, or swish, to ``input @ weight.T + bias``: a matrix product and one more pass."""
    return _gemm(input, weight, bias, "silu")


@documented(_PRODUCT, result="[[ 0.9951, -0.4621]]")
@typed
def gemm_bias_tanh(input: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Applies the hyperbolic tangent to ``input @ weight.T + bias``: a matrix product and one more pass."""
    return _gemm(input, weight, bias, "tanh")


@documented(_LINES, result="[[-0.1587,  0.8413]]")
@typed
def layernorm_gelu(
    input: Tensor,
    normalized_shape: Size,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Applies exact GELU to `layer_norm`, in one pass over memory."""
    dims = last_axes("layernorm_gelu", input, normalized_shape, weight, bias)
    return _native._layernorm_gelu(input, weight, bias, dims, eps)


@documented(_LINES, result="[[0., 1.]]")
@typed
def layernorm_relu(
    input: Tensor,
    normalized_shape: Size,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Applies ReLU to `layer_norm`, in one pass over memory."""
    dims = last_axes("layernorm_relu", input, normalized_shape, weight, bias)
    return _native._layernorm_relu(input, weight, bias, dims, eps)


@typed
def residual_layernorm(
    input: Tensor,
    residual: Tensor,
    normalized_shape: Size,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Returns `layer_norm` of ``input + residual``, in one pass over memory.

    Parameters
    ----------
    input
        Shape ``(..., *normalized_shape)``.
    residual
        A tensor of the dtype of `input` that is broadcast to its shape.
    normalized_shape
        Sizes of the last axes, which are normalized together.
    weight, bias
        Shape ``normalized_shape``, of the dtype of `input`; or None.
    eps
        Added to the variance.

    Returns
    -------
    Tensor
        Shape and dtype of `input`. The sum is rounded to the dtype, so the result has the bits of
        ``layer_norm(input + residual, ...)``.

    Raises
    ------
    TypeError
        If the tensors are of two floating-point dtypes.
    ValueError
        If `residual` cannot be broadcast to the shape of `input`, or `input`, `weight` or `bias` does not
        have the sizes of `normalized_shape`.

    Examples
    --------
    >>> import rushlight as rl
    >>> x, residual = rl.tensor([[1.0, 3.0], [30.0, 10.0]]), rl.tensor([4.0, 0.0])
    >>> rl.nn.functional.residual_layernorm(x, residual, 2, eps=0.0).tolist()
    [[1.0, -1.0], [1.0, -1.0]]
    """
    dims = last_axes("residual_layernorm", input, normalized_shape, weight, bias)
    check_dtypes("residual_layernorm", input, residual)
    if residual.shape != input.shape:
        residual = rl.broadcast_to(residual, input.shape)
    return _native._residual_layernorm(input, residual, weight, bias, dims, eps)


@typed
def embedding_rms_norm(
    input: Tensor,
    weight: Tensor,
    norm_weight: Tensor | None = None,
    eps: float | None = None,
) -> Tensor:
    """Returns `rms_norm` of the rows of a table that `embedding` gives, in one pass over memory.

    Parameters
    ----------
    input
        Indices of any shape, from 0 to ``weight.shape[0] - 1``; int16, int32, int64, uint8 or uint32.
    weight
        The table, of shape ``(rows, width)``.
    norm_weight
        Shape ``(width,)``, of the dtype of the table; or None.
    eps
        Added to the mean square; the rounding error of the dtype if None.

    Returns
    -------
    Tensor
        Shape ``(*input.shape, width)``, the dtype of the table.

    Raises
    ------
    TypeError
        If the indices are not integers of these dtypes, or the table and `norm_weight` are of two
        floating-point dtypes.
    ValueError
        If the table does not have 2 axes, or `norm_weight` is not of their width.
    IndexError
        If an index is out of range.

    Examples
    --------
    >>> import rushlight as rl
    >>> table = rl.tensor([[3.0, 3.0], [-5.0, 5.0]])
    >>> rl.nn.functional.embedding_rms_norm(rl.tensor([1, 0]), table, eps=0.0).tolist()
    [[-1.0, 1.0], [1.0, 1.0]]
    """
    if weight.ndim != 2:
        raise ValueError(f"embedding_rms_norm: the table has shape {weight.shape}, not 2 axes")
    last_axes("embedding_rms_norm", weight, weight.shape[1], norm_weight)
    if eps is None:
        eps = float(rl.finfo(weight.dtype).eps)
    rows = _native._embedding_rms_norm(weight, input.reshape(-1), norm_weight, eps)
    return rows.reshape((*input.shape, weight.shape[1]))
