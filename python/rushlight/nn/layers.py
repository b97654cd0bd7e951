"""Layers, with PyTorch's parameter names, shapes, defaults and first values."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import rushlight as rl
from rushlight import Tensor
from rushlight._check import integer

from . import functional as F
from . import init
from .functional.arguments import per_axis
from .functional.conv import named_padding
from .module import Module
from .parameter import Parameter


class Linear(Module):
    """``x @ weight.T + bias``.

    Parameters
    ----------
    in_features, out_features
        Sizes of the last axis of input and output.
    bias
        Whether to add a bias.
    device, dtype
        Where and how the parameters are stored.

    Attributes
    ----------
    weight
        Shape ``(out_features, in_features)``, at first uniform in ``±1/sqrt(in_features)``.
    bias
        Shape ``(out_features,)``, at first from the same distribution; or None.
    """

    # The last one where input, weight and bias have one dtype.
    ops = ("matmul", "add", "addmm")

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        *,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in_features = _count("Linear", "in_features", in_features)
        self.out_features = out_features = _count("Linear", "out_features", out_features)
        self.weight = Parameter(rl.empty((out_features, self.in_features), device=device, dtype=dtype))
        self.register_parameter(
            "bias", Parameter(rl.empty((out_features,), device=device, dtype=dtype)) if bias else None
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new first values."""
        _draw(self.weight, self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """Map ``(..., in_features)`` to ``(..., out_features)``."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Sizes, and whether there is a bias."""
        return f"{self.in_features}, {self.out_features}, bias={self.bias is not None}"


class _Conv(Module):
    rank = 0

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] | str = 0,
        dilation: int | tuple[int, ...] = 1,
        groups: int = 1,
        bias: bool = True,
        *,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        in_channels = _count(name, "in_channels", in_channels)
        out_channels = _count(name, "out_channels", out_channels)
        groups = _count(name, "groups", groups)
        if groups < 1 or in_channels % groups or out_channels % groups:
            raise ValueError(
                f"{name}: {in_channels} input and {out_channels} output channels "
                f"cannot be split into {groups} groups"
            )
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size = _numbers(name, "kernel_size", kernel_size, self.rank, 1)
        self.stride = _numbers(name, "stride", stride, self.rank, 1)
        self.dilation = _numbers(name, "dilation", dilation, self.rank, 1)
        self.padding: tuple[int, ...] | str
        if isinstance(padding, str):
            named_padding(name, padding, self.kernel_size, self.stride, self.dilation)
            self.padding = padding
        else:
            self.padding = _numbers(name, "padding", padding, self.rank, 0)
        shape = (out_channels, in_channels // groups, *self.kernel_size)
        self.weight = Parameter(rl.empty(shape, device=device, dtype=dtype))
        self.register_parameter(
            "bias", Parameter(rl.empty((out_channels,), device=device, dtype=dtype)) if bias else None
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new first values."""
        _draw(self.weight, self.bias)

    def extra_repr(self) -> str:
        """Channels, kernel, and what differs from the defaults."""
        parts = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}"]
        for name, usual in (("stride", 1), ("padding", 0), ("dilation", 1)):
            value = getattr(self, name)
            if value != (usual,) * self.rank:
                parts.append(f"{name}={value!r}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        if self.bias is None:
            parts.append("bias=False")
        return ", ".join(parts)


class Conv1d(_Conv):
    """Cross-correlation along one axis, see `rushlight.nn.functional.conv1d`.

    Attributes
    ----------
    weight
        Shape ``(out_channels, in_channels / groups, kernel_size)``, at first uniform in
        ``±1/sqrt(in_channels / groups * kernel_size)``.
    bias
        Shape ``(out_channels,)``, at first from the same distribution; or None.
    """

    rank = 1
    ops = ("conv1d", "add")

    def forward(self, input: Tensor) -> Tensor:
        """Map ``(N, in_channels, L)`` to ``(N, out_channels, L_out)``."""
        return F.conv1d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)


class Conv2d(_Conv):
    """Cross-correlation over two axes, see `rushlight.nn.functional.conv2d`.

    Attributes
    ----------
    weight
        Shape ``(out_channels, in_channels / groups, *kernel_size)``, at first uniform in
        ``±1/sqrt(in_channels / groups * kernel_height * kernel_width)``.
    bias
        Shape ``(out_channels,)``, at first from the same distribution; or None.
    """

    rank = 2
    ops = ("conv2d", "add")

    def forward(self, input: Tensor) -> Tensor:
        """Map ``(N, in_channels, H, W)`` to ``(N, out_channels, H_out, W_out)``."""
        return F.conv2d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)


class Embedding(Module):
    """Rows of a table by index.

    Attributes
    ----------
    weight
        Shape ``(num_embeddings, embedding_dim)``, at first standard normal; row `padding_idx` is 0.
    """

    ops = ("index_select",)

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        *,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        num_embeddings = _count("Embedding", "num_embeddings", num_embeddings)
        embedding_dim = _count("Embedding", "embedding_dim", embedding_dim)
        if padding_idx is not None and not -num_embeddings <= padding_idx < num_embeddings:
            raise ValueError(f"Embedding: padding_idx {padding_idx} is not a row of {num_embeddings}")
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = None if padding_idx is None else padding_idx % num_embeddings
        shape = (num_embeddings, embedding_dim)
        self.weight = Parameter(rl.empty(shape, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new first values."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with rl.no_grad():
                row = self.weight.detach()
                row[self.padding_idx] = 0.0

    def forward(self, input: Tensor) -> Tensor:
        """Map indices of any shape to ``(*shape, embedding_dim)``."""
        return F.embedding(input, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        """Sizes of the table."""
        end = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{end}"


class ReLU(Module):
    """``max(x, 0)``."""

    ops = ("relu",)

    def forward(self, input: Tensor) -> Tensor:
        """Apply to every element."""
        return F.relu(input)


class GELU(Module):
    """``x * Phi(x)``; `approximate` is ``"none"`` (erf) or ``"tanh"``."""

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate
        self.ops = ("gelu" if approximate == "tanh" else "gelu_erf",)

    def forward(self, input: Tensor) -> Tensor:
        """Apply to every element."""
        return F.gelu(input, self.approximate)

    def extra_repr(self) -> str:
        """Which formula."""
        return f"approximate={self.approximate!r}"


class SiLU(Module):
    """``x * sigmoid(x)``."""

    ops = ("silu",)

    def forward(self, input: Tensor) -> Tensor:
        """Apply to every element."""
        return F.silu(input)


class Tanh(Module):
    """Hyperbolic tangent."""

    ops = ("tanh",)

    def forward(self, input: Tensor) -> Tensor:
        """Apply to every element."""
        return F.tanh(input)


class Sigmoid(Module):
    """``1 / (1 + exp(-x))``."""

    ops = ("sigmoid",)

    def forward(self, input: Tensor) -> Tensor:
        """Apply to every element."""
        return F.sigmoid(input)


class Softmax(Module):
    """``exp(x) / sum(exp(x))`` along an axis."""

    ops = ("softmax",)

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Apply along `dim`."""
        return F.softmax(input, self.dim)

    def extra_repr(self) -> str:
        """The axis."""
        return f"dim={self.dim}"


class LogSoftmax(Softmax):
    """Logarithm of the softmax along an axis."""

    ops = ("log_softmax",)

    def forward(self, input: Tensor) -> Tensor:
        """Apply along `dim`."""
        return F.log_softmax(input, self.dim)


class Dropout(Module):
    """In training, zero each element with probability `p` and scale the others by ``1 / (1 - p)``."""

    ops = ("dropout",)

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        if not isinstance(p, (int, float, Real)):
            raise TypeError(f"Dropout: p is a number, got {p!r}")
        if not 0.0 <= p <= 1.0:
            raise ValueError(f"Dropout: p is a probability, got {p}")
        self.p = p

    def forward(self, input: Tensor) -> Tensor:
        """Drop elements in training, return the input otherwise."""
        return F.dropout(input, self.p, self.training)

    def extra_repr(self) -> str:
        """The probability."""
        return f"p={self.p}"


class Flatten(Module):
    """Merge the axes from `start_dim` to `end_dim` into one."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Tensor) -> Tensor:
        """Reshape."""
        return F.flatten(input, self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """The axes."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class _Pool2d(Module):
    def __init__(
        self,
        kernel_size: int | tuple[int, int],
        stride: int | tuple[int, int] | None = None,
        padding: int | tuple[int, int] = 0,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        for what, value, least in (
            ("kernel_size", kernel_size, 1),
            ("stride", self.stride, 1),
            ("padding", padding, 0),
        ):
            _numbers(type(self).__name__, what, value, 2, least)

    def extra_repr(self) -> str:
        """Window, step and padding."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxPool2d(_Pool2d):
    """Maximum of each window of the last two axes."""

    ops = ("max_pool2d",)

    def forward(self, input: Tensor) -> Tensor:
        """Map ``(N, C, H, W)`` to ``(N, C, H_out, W_out)``."""
        return F.max_pool2d(input, self.kernel_size, self.stride, self.padding)


class AvgPool2d(_Pool2d):
    """Mean of each window of the last two axes."""

    ops = ("avg_pool2d",)

    def __init__(
        self,
        kernel_size: int | tuple[int, int],
        stride: int | tuple[int, int] | None = None,
        padding: int | tuple[int, int] = 0,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__(kernel_size, stride, padding)
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        """Map ``(N, C, H, W)`` to ``(N, C, H_out, W_out)``."""
        return F.avg_pool2d(input, self.kernel_size, self.stride, self.padding, False, self.count_include_pad)


def _draw(weight: Tensor, bias: Tensor | None) -> None:
    init.kaiming_uniform_(weight, a=math.sqrt(5))
    if bias is not None:
        fan_in, _ = init.fans(weight)
        bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0.0
        init.uniform_(bias, -bound, bound)


def _count(layer: str, name: str, value: int) -> int:
    """A size as an int; the error names the layer and the size."""
    count = integer(value)
    if count is None:
        raise TypeError(f"{layer}: {name} is an integer, got {value!r}")
    if count < 0:
        raise ValueError(f"{layer}: {name} is {value}, and may not be negative")
    return count


def _numbers(layer: str, name: str, value: int | tuple[int, ...], rank: int, least: int) -> tuple[int, ...]:
    """One number for every axis, or one per axis, none below `least`."""
    numbers = per_axis(layer, name, value, rank)
    if any(number < least for number in numbers):
        raise ValueError(f"{layer}: {name} {value!r} is below {least}")
    return numbers
