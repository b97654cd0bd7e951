"""Transposed convolution layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight import _core as rl
from rushlight._native import Tensor

from . import functional as F
from ._settings import count, draw, numbers
from .functional._arguments import Size
from .module import Module
from .parameter import Parameter

__all__ = [
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
]


class _Transposed(Module):
    rank = 0

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size,
        stride: Size,
        padding: Size,
        output_padding: Size,
        groups: int,
        bias: bool,
        dilation: Size,
        padding_mode: str,
        device: Any,
        dtype: Any,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        if padding_mode != "zeros":
            raise ValueError(f"{name}: padding_mode is 'zeros', got {padding_mode!r}")
        self.in_channels = count(name, "in_channels", in_channels)
        self.out_channels = count(name, "out_channels", out_channels)
        self.groups = count(name, "groups", groups)
        if self.groups < 1 or self.in_channels % self.groups or self.out_channels % self.groups:
            raise ValueError(
                f"{name}: {in_channels} input and {out_channels} output channels "
                f"cannot be split into {groups} groups"
            )
        self.kernel_size = numbers(name, "kernel_size", kernel_size, self.rank, 1)
        self.stride = numbers(name, "stride", stride, self.rank, 1)
        self.padding = numbers(name, "padding", padding, self.rank, 0)
        self.output_padding = numbers(name, "output_padding", output_padding, self.rank, 0)
        self.dilation = numbers(name, "dilation", dilation, self.rank, 1)
        self.padding_mode = padding_mode
        shape = (self.in_channels, self.out_channels // self.groups, *self.kernel_size)
        self.weight = Parameter(rl.empty(shape, device=device, dtype=dtype))
        self.register_parameter(
            "bias", Parameter(rl.empty((self.out_channels,), device=device, dtype=dtype)) if bias else None
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws initial values for the parameters from the generator that `rushlight.manual_seed` seeds."""
        draw(self.weight, self.bias)

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """Convolves the input.

        Parameters
        ----------
        input
            Shape ``(N, in_channels, ...)`` or ``(in_channels, ...)``, of the dtype of the weight.
        output_size
            The lengths of the result, or its whole shape, instead of `output_padding`.

        Returns
        -------
        Tensor
            Shape ``(N, out_channels, ...)`` or ``(out_channels, ...)``.

        Raises
        ------
        ValueError
            If `output_size` is not within one stride of the shortest result.
        """
        more = self.output_padding
        if output_size is not None:
            wanted = tuple(output_size)[-self.rank :]
            least = [
                (n - 1) * s - 2 * p + d * (k - 1) + 1
                for n, s, p, d, k in zip(
                    input.shape[-self.rank :],
                    self.stride,
                    self.padding,
                    self.dilation,
                    self.kernel_size,
                    strict=True,
                )
            ]
            more = tuple(w - n for w, n in zip(wanted, least, strict=True))
            if any(not 0 <= m < s for m, s in zip(more, self.stride, strict=True)):
                raise ValueError(
                    f"{type(self).__name__}: output_size {wanted} is not within one stride of {least}"
                )
        return self._run(input, more)

    def _run(self, input: Tensor, output_padding: tuple[int, ...]) -> Tensor:
        raise NotImplementedError

    def extra_repr(self) -> str:
        """Returns the channels, the kernel, and the settings that differ from the defaults.

        Returns
        -------
        str
            Text for the repr.
        """
        parts = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}"]
        parts.append(f"stride={self.stride}")
        for name, usual in (("padding", 0), ("dilation", 1), ("output_padding", 0)):
            if getattr(self, name) != (usual,) * self.rank:
                parts.append(f"{name}={getattr(self, name)}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        if self.bias is None:
            parts.append("bias=False")
        return ", ".join(parts)


class ConvTranspose1d(_Transposed):
    """The transposed convolution over one axis.

    See `rushlight.nn.functional.conv_transpose1d`.

    Parameters
    ----------
    in_channels, out_channels
        Channels of input and output; both are multiples of `groups`.
    kernel_size
        Size of the kernel.
    stride, padding, dilation
        Of the convolution that is transposed.
    output_padding
        Extra length at the end.
    groups
        Number of blocks that the channels are split into.
    bias
        Whether to add a bias.
    padding_mode
        Only ``"zeros"``.
    device, dtype
        Device and dtype of the parameters; the CPU and float32 by default.

    Raises
    ------
    ValueError
        If `groups` does not divide the channels, or a setting is out of range.

    Attributes
    ----------
    weight
        Shape ``(in_channels, out_channels / groups, *kernel_size)``, initially uniform as in PyTorch: the
        bound is one over the root of ``out_channels / groups`` times the size of the kernel.
    bias
        Shape ``(out_channels,)``, initially from the same distribution; or None.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.ConvTranspose1d(3, 8, 2, stride=2)(rl.ones((2, 3, 4))).shape
    (2, 8, 8)
    """

    rank = 1
    ops = ("conv_transpose1d", "add")

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size,
        stride: Size = 1,
        padding: Size = 0,
        output_padding: Size = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Size = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            output_padding,
            groups,
            bias,
            dilation,
            padding_mode,
            device,
            dtype,
        )

    def _run(self, input: Tensor, output_padding: tuple[int, ...]) -> Tensor:
        return F.conv_transpose1d(
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            output_padding,
            self.groups,
            self.dilation,
        )


class ConvTranspose2d(_Transposed):
    """The transposed convolution over two axes.

    See `rushlight.nn.functional.conv_transpose2d`.

    Parameters
    ----------
    in_channels, out_channels
        Channels of input and output; both are multiples of `groups`.
    kernel_size
        Size of the kernel, one number or one for each axis.
    stride, padding, dilation
        Of the convolution that is transposed, one number or one for each axis.
    output_padding
        Extra length at the end, one number or one for each axis.
    groups
        Number of blocks that the channels are split into.
    bias
        Whether to add a bias.
    padding_mode
        Only ``"zeros"``.
    device, dtype
        Device and dtype of the parameters; the CPU and float32 by default.

    Raises
    ------
    ValueError
        If `groups` does not divide the channels, or a setting is out of range.

    Attributes
    ----------
    weight
        Shape ``(in_channels, out_channels / groups, *kernel_size)``, initially uniform as in PyTorch: the
        bound is one over the root of ``out_channels / groups`` times the size of the kernel.
    bias
        Shape ``(out_channels,)``, initially from the same distribution; or None.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.ConvTranspose2d(3, 8, 2, stride=2)(rl.ones((2, 3, 4, 4))).shape
    (2, 8, 8, 8)
    """

    rank = 2
    ops = ("conv_transpose2d", "add")

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size,
        stride: Size = 1,
        padding: Size = 0,
        output_padding: Size = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Size = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            output_padding,
            groups,
            bias,
            dilation,
            padding_mode,
            device,
            dtype,
        )

    def _run(self, input: Tensor, output_padding: tuple[int, ...]) -> Tensor:
        return F.conv_transpose2d(
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            output_padding,
            self.groups,
            self.dilation,
        )


class ConvTranspose3d(_Transposed):
    """The transposed convolution over three axes.

    See `rushlight.nn.functional.conv_transpose3d`.

    Parameters
    ----------
    in_channels, out_channels
        Channels of input and output; both are multiples of `groups`.
    kernel_size
        Size of the kernel, one number or one for each axis.
    stride, padding, dilation
        Of the convolution that is transposed, one number or one for each axis.
    output_padding
        Extra length at the end, one number or one for each axis.
    groups
        Number of blocks that the channels are split into.
    bias
        Whether to add a bias.
    padding_mode
        Only ``"zeros"``.
    device, dtype
        Device and dtype of the parameters; the CPU and float32 by default.

    Raises
    ------
    ValueError
        If `groups` does not divide the channels, or a setting is out of range.

    Attributes
    ----------
    weight
        Shape ``(in_channels, out_channels / groups, *kernel_size)``, initially uniform as in PyTorch: the
        bound is one over the root of ``out_channels / groups`` times the size of the kernel.
    bias
        Shape ``(out_channels,)``, initially from the same distribution; or None.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.ConvTranspose3d(3, 8, 2, stride=2)(rl.ones((2, 3, 4, 4, 4))).shape
    (2, 8, 8, 8, 8)
    """

    rank = 3
    ops = ("conv_transpose3d", "add")

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size,
        stride: Size = 1,
        padding: Size = 0,
        output_padding: Size = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Size = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            output_padding,
            groups,
            bias,
            dilation,
            padding_mode,
            device,
            dtype,
        )

    def _run(self, input: Tensor, output_padding: tuple[int, ...]) -> Tensor:
        return F.conv_transpose3d(
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            output_padding,
            self.groups,
            self.dilation,
        )
