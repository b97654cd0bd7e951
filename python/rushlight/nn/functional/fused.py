"""Sums, products and look-ups with the function behind them, in fewer passes over memory."""

from __future__ import annotations

from rushlight import _native
from rushlight._check import typed
from rushlight._native import Tensor

from .linear import linear

__all__ = [
    "bias_activation",
    "bias_dropout",
    "gemm_bias_gelu",
    "gemm_bias_relu",
    "gemm_bias_sigmoid",
    "gemm_bias_swish",
    "gemm_bias_tanh",
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


def _gemm(input: Tensor, weight: Tensor, bias: Tensor, activation: str) -> Tensor:
    return _native._bias_activation(linear(input, weight), bias, activation)


@typed
def gemm_bias_gelu(input: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Applies exact GELU to ``input @ weight.T + bias``: a matrix product and one more pass.

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
    >>> rl.nn.functional.gemm_bias_gelu(x, weight, rl.tensor([0.0, 0.5]))
    tensor([[ 2.9960, -0.1543]], dtype=float32, device='cpu')
    """
    return _gemm(input, weight, bias, "gelu")


@typed
def gemm_bias_relu(input: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Applies ReLU to ``input @ weight.T + bias``: a matrix product and one more pass.

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
    >>> rl.nn.functional.gemm_bias_relu(x, weight, rl.tensor([0.0, 0.5]))
    tensor([[3., 0.]], dtype=float32, device='cpu')
    """
    return _gemm(input, weight, bias, "relu")


@typed
def gemm_bias_sigmoid(input: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Applies the sigmoid function to ``input @ weight.T + bias``: a matrix product and one more pass.

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
    >>> rl.nn.functional.gemm_bias_sigmoid(x, weight, rl.tensor([0.0, 0.5]))
    tensor([[0.9526, 0.3775]], dtype=float32, device='cpu')
    """
    return _gemm(input, weight, bias, "sigmoid")


@typed
def gemm_bias_swish(input: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Applies SiLU, ``z * sigmoid(z)``, to ``input @ weight.T + bias``: a matrix product and one more pass.

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
    >>> rl.nn.functional.gemm_bias_swish(x, weight, rl.tensor([0.0, 0.5]))
    tensor([[ 2.8577, -0.1888]], dtype=float32, device='cpu')
    """
    return _gemm(input, weight, bias, "silu")


@typed
def gemm_bias_tanh(input: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Applies the hyperbolic tangent to ``input @ weight.T + bias``: a matrix product and one more pass.

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
    >>> rl.nn.functional.gemm_bias_tanh(x, weight, rl.tensor([0.0, 0.5]))
    tensor([[ 0.9951, -0.4621]], dtype=float32, device='cpu')
    """
    return _gemm(input, weight, bias, "tanh")
