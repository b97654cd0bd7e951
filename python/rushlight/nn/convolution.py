"""Convolution layers, with PyTorch's parameter names, shapes, defaults and initial values."""

from __future__ import annotations

from typing import Any

from rushlight import _core as rl
from rushlight._native import Tensor

from . import functional as F
from ._settings import count, draw, numbers
from .functional.conv import named_padding
from .module import Module
from .parameter import Parameter

__all__ = ["Conv1d", "Conv2d", "Conv3d"]


_MODES = ("zeros", "reflect", "replicate", "circular")


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
        padding_mode: str = "zeros",
        *,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        in_channels = count(name, "in_channels", in_channels)
        out_channels = count(name, "out_channels", out_channels)
        groups = count(name, "groups", groups)
        if groups < 1 or in_channels % groups or out_channels % groups:
            raise ValueError(
                f"{name}: {in_channels} input and {out_channels} output channels "
                f"cannot be split into {groups} groups"
            )
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size = numbers(name, "kernel_size", kernel_size, self.rank, 1)
        self.stride = numbers(name, "stride", stride, self.rank, 1)
        self.dilation = numbers(name, "dilation", dilation, self.rank, 1)
        self.padding: tuple[int, ...] | str
        if isinstance(padding, str):
            named_padding(name, padding, self.kernel_size, self.stride, self.dilation)
            self.padding = padding
        else:
            self.padding = numbers(name, "padding", padding, self.rank, 0)
        if padding_mode not in _MODES:
            raise ValueError(
                f"{name}: padding_mode {padding_mode!r} is none of {', '.join(map(repr, _MODES))}"
            )
        self.padding_mode = padding_mode
        shape = (out_channels, in_channels // groups, *self.kernel_size)
        self.weight = Parameter(rl.empty(shape, device=device, dtype=dtype))
        self.register_parameter(
            "bias", Parameter(rl.empty((out_channels,), device=device, dtype=dtype)) if bias else None
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws initial values for the parameters from the generator that `rushlight.manual_seed` seeds."""
        draw(self.weight, self.bias)

    def _padded(self, input: Tensor) -> tuple[Tensor, tuple[int, ...] | str]:
        """Return the padded input, and the padding that the op adds."""
        if self.padding_mode == "zeros":
            return input, self.padding
        sides = [(n, n) for n in self.padding if isinstance(n, int)]
        if isinstance(self.padding, str):
            both, more = named_padding(
                type(self).__name__, self.padding, self.kernel_size, self.stride, self.dilation
            )
            sides = [(n, n + end) for n, end in zip(both, more, strict=True)]
        ends = [n for pair in reversed(sides) for n in pair]
        return F.pad(input, ends, self.padding_mode), (0,) * self.rank

    def extra_repr(self) -> str:
        """Returns the channels, the kernel, and the settings that differ from the defaults.

        Returns
        -------
        str
            Text for the repr.
        """
        parts = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}"]
        for name, usual in (("stride", 1), ("padding", 0), ("dilation", 1)):
            value = getattr(self, name)
            if value != (usual,) * self.rank:
                parts.append(f"{name}={value!r}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        if self.bias is None:
            parts.append("bias=False")
        if self.padding_mode != "zeros":
            parts.append(f"padding_mode={self.padding_mode}")
        return ", ".join(parts)


class Conv1d(_Conv):
    """The cross-correlation along one axis, see `rushlight.nn.functional.conv1d`.

    Parameters
    ----------
    in_channels, out_channels
        Channels of input and output; both are multiples of `groups`.
    kernel_size
        Size of the kernel.
    stride, dilation
        Steps of the kernel, and between its elements.
    padding
        Zeros added at both ends, ``"valid"`` (none) or ``"same"`` (the output has the input's size).
    groups
        Number of blocks that the channels are split into; each output block sees one input block.
    bias
        Whether to add a bias.
    padding_mode
        ``"zeros"``, ``"reflect"``, ``"replicate"`` or ``"circular"``: the elements that padding adds.
    device, dtype
        Device and dtype of the parameters; the CPU and float32 by default.

    Raises
    ------
    ValueError
        If `groups` does not divide the channels, or a size is out of range.

    Attributes
    ----------
    weight
        Shape ``(out_channels, in_channels / groups, kernel_size)``, initially uniform in
        ``±1/sqrt(in_channels / groups * kernel_size)``.
    bias
        Shape ``(out_channels,)``, initially from the same distribution; or None.

    Examples
    --------
    >>> import rushlight as rl
    >>> layer = rl.nn.Conv1d(3, 8, 5, padding="same")
    >>> layer(rl.ones((2, 3, 16))).shape
    (2, 8, 16)
    """

    rank = 1
    ops = ("conv1d", "add")

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
        padding_mode: str = "zeros",
        *,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
            padding_mode,
            device=device,
            dtype=dtype,
        )

    def forward(self, input: Tensor) -> Tensor:
        """Convolves the input.

        Parameters
        ----------
        input
            Shape ``(N, in_channels, L)`` or ``(in_channels, L)``, of the dtype of the weight.

        Returns
        -------
        Tensor
            Shape ``(N, out_channels, L_out)`` or ``(out_channels, L_out)``.
        """
        padded, padding = self._padded(input)
        return F.conv1d(padded, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)


class Conv2d(_Conv):
    """The cross-correlation over two axes, see `rushlight.nn.functional.conv2d`.

    Parameters
    ----------
    in_channels, out_channels
        Channels of input and output; both are multiples of `groups`.
    kernel_size
        Size of the kernel, one number or one for each axis.
    stride, dilation
        Steps of the kernel, and between its elements, one number or one for each axis.
    padding
        Zeros added at both ends, one number or one for each axis, ``"valid"`` (none) or ``"same"`` (the
        output has the input's size).
    groups
        Number of blocks that the channels are split into; each output block sees one input block.
    bias
        Whether to add a bias.
    padding_mode
        ``"zeros"``, ``"reflect"``, ``"replicate"`` or ``"circular"``: the elements that padding adds.
    device, dtype
        Device and dtype of the parameters; the CPU and float32 by default.

    Raises
    ------
    ValueError
        If `groups` does not divide the channels, or a size is out of range.

    Attributes
    ----------
    weight
        Shape ``(out_channels, in_channels / groups, *kernel_size)``, initially uniform in
        ``±1/sqrt(in_channels / groups * kernel_height * kernel_width)``.
    bias
        Shape ``(out_channels,)``, initially from the same distribution; or None.

    Examples
    --------
    >>> import rushlight as rl
    >>> layer = rl.nn.Conv2d(3, 8, 3, stride=2, padding=1)
    >>> layer(rl.ones((2, 3, 16, 16))).shape
    (2, 8, 8, 8)
    """

    rank = 2
    ops = ("conv2d", "add")

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
        padding_mode: str = "zeros",
        *,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
            padding_mode,
            device=device,
            dtype=dtype,
        )

    def forward(self, input: Tensor) -> Tensor:
        """Convolves the input.

        Parameters
        ----------
        input
            Shape ``(N, in_channels, H, W)`` or ``(in_channels, H, W)``, of the dtype of the weight.

        Returns
        -------
        Tensor
            Shape ``(N, out_channels, H_out, W_out)`` or ``(out_channels, H_out, W_out)``.
        """
        padded, padding = self._padded(input)
        return F.conv2d(padded, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)


class Conv3d(_Conv):
    """The cross-correlation over three axes, see `rushlight.nn.functional.conv3d`.

    Parameters
    ----------
    in_channels, out_channels
        Channels of input and output; both are multiples of `groups`.
    kernel_size
        Size of the kernel, one number or one for each axis.
    stride, dilation
        Steps of the kernel, and between its elements, one number or one for each axis.
    padding
        Zeros added at both ends, one number or one for each axis, ``"valid"`` (none) or ``"same"`` (the
        output has the input's size).
    groups
        Number of blocks that the channels are split into; each output block sees one input block.
    bias
        Whether to add a bias.
    padding_mode
        ``"zeros"``, ``"reflect"``, ``"replicate"`` or ``"circular"``: the elements that padding adds.
    device, dtype
        Device and dtype of the parameters; the CPU and float32 by default.

    Raises
    ------
    ValueError
        If `groups` does not divide the channels, or a size is out of range.

    Attributes
    ----------
    weight
        Shape ``(out_channels, in_channels / groups, *kernel_size)``, initially uniform in
        ``±1/sqrt(in_channels / groups * kernel_depth * kernel_height * kernel_width)``.
    bias
        Shape ``(out_channels,)``, initially from the same distribution; or None.

    Examples
    --------
    >>> import rushlight as rl
    >>> layer = rl.nn.Conv3d(3, 8, 3, stride=2, padding=1)
    >>> layer(rl.ones((2, 3, 8, 8, 8))).shape
    (2, 8, 4, 4, 4)
    """

    rank = 3
    ops = ("conv3d", "add")

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
        padding_mode: str = "zeros",
        *,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
            padding_mode,
            device=device,
            dtype=dtype,
        )

    def forward(self, input: Tensor) -> Tensor:
        """Convolves the input.

        Parameters
        ----------
        input
            Shape ``(N, in_channels, D, H, W)`` or ``(in_channels, D, H, W)``, of the dtype of the weight.

        Returns
        -------
        Tensor
            Shape ``(N, out_channels, D_out, H_out, W_out)`` or ``(out_channels, D_out, H_out, W_out)``.
        """
        padded, padding = self._padded(input)
        return F.conv3d(padded, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)
