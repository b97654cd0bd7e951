"""Functions of tensors for neural networks, with PyTorch's names and signatures.

`rushlight.functional` is the same module. Every function is differentiable in its
floating-point arguments unless it says otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import rushlight as rl
from rushlight import Tensor, _native

Size: TypeAlias = int | Sequence[int]
Reduction: TypeAlias = Literal["mean", "sum", "none"]

__all__ = [
    "avg_pool1d",
    "avg_pool2d",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "cross_entropy",
    "dropout",
    "elu",
    "embedding",
    "flatten",
    "gelu",
    "interpolate",
    "linear",
    "log_softmax",
    "max_pool1d",
    "max_pool2d",
    "mse_loss",
    "nll_loss",
    "one_hot",
    "relu",
    "sigmoid",
    "silu",
    "softmax",
    "tanh",
]


def _pair(op: str, name: str, value: Size, rank: int) -> tuple[int, ...]:
    """One number for every axis, or one per axis."""
    if isinstance(value, int):
        return (value,) * rank
    out = tuple(value)
    if len(out) == 1:
        return out * rank
    if len(out) != rank:
        raise ValueError(f"{op}: {name} is one number or {rank}, got {value!r}")
    return out


def check_reduction(op: str, reduction: str) -> None:
    """Raise ValueError unless `reduction` is "mean", "sum" or "none"."""
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{op}: reduction {reduction!r} is none of 'mean', 'sum', 'none'")


# Activations


def relu(input: Tensor) -> Tensor:
    """``max(x, 0)``; the derivative at 0 is 0."""
    return _native.relu(input)


def elu(input: Tensor, alpha: float = 1.0) -> Tensor:
    """``x`` where positive, else ``alpha * (exp(x) - 1)``."""
    return _native.elu(input, alpha)


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """``x * Phi(x)``, Phi being the normal distribution function.

    Parameters
    ----------
    input
        Any shape, floating point.
    approximate
        ``"none"`` computes Phi by erf, ``"tanh"`` by
        ``0.5 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3)))``.
    """
    if approximate == "none":
        return _native.gelu_erf(input)
    if approximate == "tanh":
        return _native.gelu(input)
    raise ValueError(f"gelu: approximate {approximate!r} is neither 'none' nor 'tanh'")


def silu(input: Tensor) -> Tensor:
    """``x * sigmoid(x)``."""
    return _native.silu(input)


def sigmoid(input: Tensor) -> Tensor:
    """``1 / (1 + exp(-x))``."""
    return _native.sigmoid(input)


def tanh(input: Tensor) -> Tensor:
    """Hyperbolic tangent."""
    return rl.tanh(input)


def softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """``exp(x) / sum(exp(x))`` along `dim`, computed without overflow.

    Parameters
    ----------
    input
        Any shape, floating point.
    dim
        The axis along which the result sums to 1.
    dtype
        Converts the input first.
    """
    return _native.softmax(input if dtype is None else input.astype(dtype), dim)


def log_softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """Logarithm of `softmax`, computed without underflow."""
    return _native.log_softmax(input if dtype is None else input.astype(dtype), dim)


def dropout(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """In training, zero each element with probability `p` and scale the others by ``1 / (1 - p)``.

    The mask comes from the generator that `rushlight.manual_seed` seeds.
    """
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout: p is a probability, got {p}")
    if not training or p == 0.0:
        return input
    # Drawn in float32, so that every dtype drops the same elements.
    kept = rl.greater_equal(rl.rand(input.shape, device=input.device), p)
    scale = 1.0 / (1.0 - p) if p < 1.0 else 0.0
    return input * (rl.astype(kept, input.dtype) * scale)


# Linear maps and tables


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``input @ weight.T + bias``.

    Parameters
    ----------
    input
        Shape ``(..., in_features)``.
    weight
        Shape ``(out_features, in_features)``.
    bias
        Shape ``(out_features,)``, or None.
    """
    if weight.ndim not in (1, 2):
        raise ValueError(f"linear: weight has rank 1 or 2, got shape {weight.shape}")
    if input.ndim == 0 or input.shape[-1] != weight.shape[-1]:
        raise ValueError(f"linear: the last axis of input {input.shape} and of weight {weight.shape} differ")
    if bias is not None and input.ndim == 2 and weight.ndim == 2:
        return _native.addmm(bias, input, weight.mT)
    out = rl.matmul(input, weight.mT if weight.ndim == 2 else weight)
    return out if bias is None else out + bias


def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None) -> Tensor:
    """Rows of `weight` by index.

    Parameters
    ----------
    input
        Indices of any shape and integer dtype, below ``weight.shape[0]``.
    weight
        Shape ``(rows, width)``.
    padding_idx
        A row that gets no gradient.

    Returns
    -------
    Tensor
        Shape ``(*input.shape, width)``.
    """
    out = _native.embedding(input, weight)
    if padding_idx is None:
        return out
    fixed = rl.expand_dims(rl.equal(input, padding_idx % weight.shape[0]), axis=-1)
    return rl.where(fixed, out.detach(), out)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """1 at the index along a new last axis, 0 elsewhere; int64, without a gradient.

    Parameters
    ----------
    tensor
        Indices of any shape and integer dtype.
    num_classes
        Size of the new axis; -1 takes the largest index plus 1.
    """
    if num_classes == -1:
        if tensor.size == 0:
            raise ValueError("one_hot: an empty tensor needs num_classes")
        num_classes = int(rl.max(tensor)) + 1
    return _native.one_hot(tensor, num_classes)


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Merge the axes from `start_dim` to `end_dim` into one."""
    rank = max(input.ndim, 1)
    shape = input.shape or (1,)
    for name, axis in (("start_dim", start_dim), ("end_dim", end_dim)):
        if not -rank <= axis < rank:
            raise IndexError(f"flatten: {name} {axis} is not an axis of shape {input.shape}")
    first, last = start_dim % rank, end_dim % rank
    if first > last:
        raise ValueError(f"flatten: start_dim {start_dim} lies behind end_dim {end_dim}")
    middle = math.prod(shape[first : last + 1])
    return rl.reshape(input, (*shape[:first], middle, *shape[last + 1 :]))


# Convolutions


def _conv(
    op: str,
    rank: int,
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Size,
    padding: Size | str,
    dilation: Size,
    groups: int,
) -> Tensor:
    steps, spread = _pair(op, "stride", stride, rank), _pair(op, "dilation", dilation, rank)
    if isinstance(padding, str):
        pads = _named_padding(op, padding, weight.shape[2:], steps, spread)
    else:
        pads = _pair(op, "padding", padding, rank)
    call = getattr(_native, op)
    out: Tensor = call(input, weight, bias, steps, pads, spread, groups)
    return out


def _named_padding(
    op: str, name: str, kernel: tuple[int, ...], stride: tuple[int, ...], dilation: tuple[int, ...]
) -> tuple[int, ...]:
    if name == "valid":
        return (0,) * len(kernel)
    if name != "same":
        raise ValueError(f"{op}: padding {name!r} is neither 'valid' nor 'same'")
    if any(s != 1 for s in stride):
        raise ValueError(f"{op}: padding 'same' needs stride 1, got {stride}")
    total = [d * (k - 1) for k, d in zip(kernel, dilation, strict=True)]
    if any(t % 2 for t in total):
        raise ValueError(f"{op}: padding 'same' of kernel {kernel} would differ between the two sides")
    return tuple(t // 2 for t in total)


def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Size = 1,
    padding: Size | str = 0,
    dilation: Size = 1,
    groups: int = 1,
) -> Tensor:
    """Cross-correlation along one axis.

    Parameters
    ----------
    input
        Shape ``(N, C, L)``, or ``(C, L)``.
    weight
        Shape ``(O, C / groups, K)``.
    bias
        Shape ``(O,)``, or None.
    stride, dilation
        Steps of the kernel and between its elements.
    padding
        Zeros added at both ends, ``"valid"`` or ``"same"``.
    groups
        Blocks into which the channels are split.

    Returns
    -------
    Tensor
        Shape ``(N, O, (L + 2 * padding - dilation * (K - 1) - 1) // stride + 1)``.
    """
    return _conv("conv1d", 1, input, weight, bias, stride, padding, dilation, groups)


def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Size = 1,
    padding: Size | str = 0,
    dilation: Size = 1,
    groups: int = 1,
) -> Tensor:
    """Cross-correlation over two axes: `conv1d` with ``(H, W)`` in place of ``L``.

    Examples
    --------
    >>> import rushlight as rl
    >>> x, w = rl.ones((1, 3, 8, 8)), rl.ones((4, 3, 3, 3))
    >>> rl.functional.conv2d(x, w, padding=1, stride=2).shape
    (1, 4, 4, 4)
    """
    return _conv("conv2d", 2, input, weight, bias, stride, padding, dilation, groups)


def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Size = 1,
    padding: Size | str = 0,
    dilation: Size = 1,
    groups: int = 1,
) -> Tensor:
    """Cross-correlation over three axes: `conv1d` with ``(D, H, W)`` in place of ``L``."""
    return _conv("conv3d", 3, input, weight, bias, stride, padding, dilation, groups)


def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Size = 1,
    padding: Size = 0,
    output_padding: Size = 0,
    groups: int = 1,
    dilation: Size = 1,
) -> Tensor:
    """Gradient of `conv1d` with respect to its input, as an op of its own.

    Parameters
    ----------
    input
        Shape ``(N, C, L)``.
    weight
        Shape ``(C, O / groups, K)``.
    bias
        Shape ``(O,)``, or None.
    stride, padding, dilation, groups
        Of the convolution that is turned round.
    output_padding
        Extra length at the end, below `stride` or `dilation`.

    Returns
    -------
    Tensor
        Length ``(L - 1) * stride - 2 * padding + dilation * (K - 1) + output_padding + 1``.
    """
    op = "conv_transpose1d"
    return _native.conv_transpose1d(
        input,
        weight,
        bias,
        _pair(op, "stride", stride, 1),
        _pair(op, "padding", padding, 1),
        _pair(op, "output_padding", output_padding, 1),
        groups,
        _pair(op, "dilation", dilation, 1),
    )


def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Size = 1,
    padding: Size = 0,
    output_padding: Size = 0,
    groups: int = 1,
    dilation: Size = 1,
) -> Tensor:
    """Gradient of `conv2d` with respect to its input: `conv_transpose1d` over two axes."""
    op = "conv_transpose2d"
    return _native.conv_transpose2d(
        input,
        weight,
        bias,
        _pair(op, "stride", stride, 2),
        _pair(op, "padding", padding, 2),
        _pair(op, "output_padding", output_padding, 2),
        groups,
        _pair(op, "dilation", dilation, 2),
    )


# Pooling and resizing


def max_pool1d(input: Tensor, kernel_size: Size, stride: Size | None = None, padding: Size = 0) -> Tensor:
    """Maximum of each window of the last axis; padding never wins, NaN does.

    The gradient goes to the first maximum of a window.
    """
    return _pool("max_pool1d", 1, input, kernel_size, stride, padding)


def max_pool2d(input: Tensor, kernel_size: Size, stride: Size | None = None, padding: Size = 0) -> Tensor:
    """Maximum of each window of the last two axes, as `max_pool1d`.

    Parameters
    ----------
    input
        Shape ``(N, C, H, W)``.
    kernel_size
        Height and width of the window.
    stride
        Its steps; the window's own size if None.
    padding
        Margin on each side, at most half the window.
    """
    return _pool("max_pool2d", 2, input, kernel_size, stride, padding)


def avg_pool1d(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    ceil_mode: Literal[False] = False,
    count_include_pad: bool = True,
) -> Tensor:
    """Mean of each window of the last axis, see `avg_pool2d`."""
    return _pool("avg_pool1d", 1, input, kernel_size, stride, padding, ceil_mode, count_include_pad)


def avg_pool2d(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    ceil_mode: Literal[False] = False,
    count_include_pad: bool = True,
) -> Tensor:
    """Mean of each window of the last two axes.

    Parameters
    ----------
    input
        Shape ``(N, C, H, W)``.
    kernel_size
        Height and width of the window.
    stride
        Its steps; the window's own size if None.
    padding
        Zeros on each side, at most half the window.
    ceil_mode
        Only False: incomplete windows are left out.
    count_include_pad
        Whether the added zeros count in the divisor.
    """
    return _pool("avg_pool2d", 2, input, kernel_size, stride, padding, ceil_mode, count_include_pad)


def _pool(
    op: str,
    rank: int,
    input: Tensor,
    kernel_size: Size,
    stride: Size | None,
    padding: Size,
    ceil_mode: bool = False,
    *more: Any,
) -> Tensor:
    if ceil_mode:
        raise NotImplementedError(f"{op}: ceil_mode is not there")
    window = _pair(op, "kernel_size", kernel_size, rank)
    steps = window if stride is None else _pair(op, "stride", stride, rank)
    pads = _pair(op, "padding", padding, rank)
    out: Tensor = getattr(_native, op)(input, window, steps, pads, *more)
    return out


def interpolate(
    input: Tensor,
    size: Size | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """Resize the axes after the first two.

    Parameters
    ----------
    input
        Shape ``(N, C, L)`` or ``(N, C, H, W)``; ``"bilinear"`` needs the latter.
    size
        The new lengths. Give this or `scale_factor`.
    scale_factor
        Factors of the lengths; the results are rounded down, and the factor itself (not the ratio
        of the lengths) maps positions, as in PyTorch.
    mode
        ``"nearest"`` or ``"bilinear"``.
    align_corners
        For ``"bilinear"``: whether the corner pixels keep their places.
    """
    rank = input.ndim - 2
    if rank not in (1, 2):
        raise ValueError(f"interpolate: rank 3 or 4 is needed, got shape {input.shape}")
    if (size is None) == (scale_factor is None):
        raise ValueError("interpolate: give size or scale_factor, one of them")
    lengths: tuple[int, ...] | None = None
    factors: tuple[float, ...] | None = None
    if size is not None:
        lengths = _pair("interpolate", "size", size, rank)
    elif isinstance(scale_factor, (int, float)):
        factors = (float(scale_factor),) * rank
    elif scale_factor is not None:
        factors = tuple(float(f) for f in scale_factor)
    if factors is not None and (len(factors) != rank or any(not 0 < f < math.inf for f in factors)):
        raise ValueError(f"interpolate: scale_factor is a positive number or {rank}, got {scale_factor!r}")
    if mode == "nearest":
        if align_corners is not None:
            raise ValueError("interpolate: align_corners goes with mode 'bilinear'")
        call = _native.upsample_nearest1d if rank == 1 else _native.upsample_nearest2d
        return call(input, lengths, factors)
    if mode == "bilinear":
        if rank != 2:
            raise ValueError(f"interpolate: 'bilinear' needs rank 4, got shape {input.shape}")
        return _native.upsample_bilinear2d(input, lengths, factors, bool(align_corners))
    raise ValueError(f"interpolate: mode {mode!r} is neither 'nearest' nor 'bilinear'")


# Losses


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    *,
    ignore_index: int = -100,
    reduction: Reduction = "mean",
) -> Tensor:
    """Negative log-likelihood of class indices.

    Parameters
    ----------
    input
        Log-probabilities ``(N, C)`` or ``(N, C, ...)``.
    target
        Class indices ``(N,)`` or ``(N, ...)`` of integer dtype.
    weight
        A factor for each class, shape ``(C,)``; the mean then divides by the sum of factors.
    ignore_index
        Targets equal to this count neither in the sum nor in the mean.
    reduction
        ``"mean"`` over the targets that count (NaN if there are none), ``"sum"``, or ``"none"``.

    Raises
    ------
    IndexError
        If a target is neither below ``C`` nor `ignore_index`.
    """
    check_reduction("nll_loss", reduction)
    return _native.nll_loss(input, target, weight, ignore_index, reduction)


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    *,
    ignore_index: int = -100,
    reduction: Reduction = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """``nll_loss(log_softmax(input, 1), target)`` as one op; arguments as `nll_loss`.

    `label_smoothing` is the share of each target that is spread over all classes evenly.

    Examples
    --------
    >>> import rushlight as rl
    >>> logits = rl.asarray([[2.0, 0.0], [0.0, 2.0]])
    >>> loss = rl.functional.cross_entropy(logits, rl.asarray([0, 1]))
    >>> round(float(loss), 4)
    0.1269
    """
    check_reduction("cross_entropy", reduction)
    return _native.cross_entropy(input, target, weight, ignore_index, reduction, label_smoothing)


def mse_loss(input: Tensor, target: Tensor, reduction: Reduction = "mean") -> Tensor:
    """Squared difference of two tensors of one shape."""
    check_reduction("mse_loss", reduction)
    if input.shape != target.shape:
        raise ValueError(f"mse_loss: shapes {input.shape} and {target.shape} differ")
    square = rl.square(input - target)
    if reduction == "none":
        return square
    return rl.mean(square) if reduction == "mean" else rl.sum(square)
