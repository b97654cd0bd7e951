"""An LSTM whose products are convolutions."""

from __future__ import annotations

import math
from typing import Any

from rushlight import _core as rl
from rushlight import _native
from rushlight._native import Tensor

from . import functional as F
from . import init
from ._settings import count, numbers
from .functional._arguments import Size
from .module import Module
from .parameter import Parameter

__all__ = ["ConvLSTM"]


class ConvLSTM(Module):
    """A convolutional LSTM over sequences of images (Shi et al. 2015), without peepholes.

    The gates are ``conv(x, weight_ih) + bias + conv(h, weight_hh)``, and the cell is that of `LSTM`, for each
    pixel. The inputs of all steps are convolved at once. PyTorch has no such layer.

    Parameters
    ----------
    in_channels, hidden_channels
        Channels of the images and of the states.
    kernel_size
        Sizes of the kernels, which are odd: states keep the size of the images.
    bias
        Whether there is a bias.
    batch_first
        Whether input and output have shape ``(N, T, ...)`` in place of ``(T, N, ...)``.
    device, dtype
        Device and dtype of the parameters; the CPU and float32 by default.

    Raises
    ------
    ValueError
        If a size is negative or a kernel is of even size.

    Attributes
    ----------
    weight_ih, weight_hh
        Shapes ``(4 * hidden_channels, channels, *kernel_size)``, initially uniform in
        ±1/sqrt(hidden_channels * kernel elements).
    bias
        Shape ``(4 * hidden_channels,)``, from the same distribution; or None.

    Examples
    --------
    >>> import rushlight as rl
    >>> output, (h, c) = rl.nn.ConvLSTM(1, 2, 3)(rl.ones((5, 3, 1, 8, 8)))
    >>> output.shape, h.shape
    ((5, 3, 2, 8, 8), (3, 2, 8, 8))
    """

    ops = ("conv2d", "lstm_cell")
    weight_ih: Tensor
    weight_hh: Tensor
    bias: Tensor | None

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        kernel_size: Size,
        bias: bool = True,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in_channels = count("ConvLSTM", "in_channels", in_channels)
        self.hidden_channels = count("ConvLSTM", "hidden_channels", hidden_channels)
        self.kernel_size = numbers("ConvLSTM", "kernel_size", kernel_size, 2, 1)
        self.batch_first = batch_first
        if any(size % 2 == 0 for size in self.kernel_size):
            raise ValueError(f"ConvLSTM: kernels have odd sizes, got {kernel_size!r}")
        rows = 4 * self.hidden_channels
        for key, channels in (("ih", self.in_channels), ("hh", self.hidden_channels)):
            value = Parameter(rl.empty((rows, channels, *self.kernel_size), device=device, dtype=dtype))
            self.register_parameter(f"weight_{key}", value)
        vector = Parameter(rl.empty((rows,), device=device, dtype=dtype)) if bias else None
        self.register_parameter("bias", vector)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws initial values for the parameters from the generator that `rushlight.manual_seed` seeds."""
        bound = 1 / math.sqrt(max(self.hidden_channels * math.prod(self.kernel_size), 1))
        for value in self.parameters():
            init.uniform_(value, -bound, bound)

    def forward(
        self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Runs over a sequence of images.

        Parameters
        ----------
        input
            Shape ``(T, N, in_channels, height, width)``, with `batch_first` ``(N, T, ...)``.
        hx
            Hidden and cell state, each of shape ``(N, hidden_channels, height, width)``; zeros if None.

        Returns
        -------
        tuple
            The hidden states of all steps, and the last hidden and cell state.

        Raises
        ------
        ValueError
            If the shapes do not fit.
        """
        if input.ndim != 5 or input.shape[2] != self.in_channels:
            raise ValueError(
                f"ConvLSTM: the input has 5 axes and {self.in_channels} channels, got {tuple(input.shape)}"
            )
        steps = rl.swapaxes(input, 0, 1) if self.batch_first else input
        length, batch, _, height, width = steps.shape
        if length == 0:
            raise ValueError(f"ConvLSTM: the sequence has no step, its shape is {tuple(input.shape)}")
        state = (batch, self.hidden_channels, height, width)
        zeros = None if hx is not None else rl.zeros(state, dtype=input.dtype, device=input.device)
        h, c = (zeros, zeros) if hx is None else hx
        if h is None or c is None or tuple(h.shape) != state or tuple(c.shape) != state:
            raise ValueError(f"ConvLSTM: the states have shape {state}")
        padding = [size // 2 for size in self.kernel_size]
        images = rl.reshape(steps, (length * batch, self.in_channels, height, width))
        gates = F.conv2d(images, self.weight_ih, self.bias, padding=padding)
        size = self.hidden_channels * height * width
        by_step = rl.unstack(rl.reshape(gates, (length, batch, 4, size)))
        flat, outputs = rl.reshape(c, (batch, size)), []
        for now in by_step:
            more = F.conv2d(h, self.weight_hh, padding=padding)
            row, flat = _native._lstm_cell(now + rl.reshape(more, (batch, 4, size)), flat)
            h = rl.reshape(row, state)
            outputs.append(h)
        output = rl.stack(outputs, axis=1 if self.batch_first else 0)
        return output, (h, rl.reshape(flat, state))

    def extra_repr(self) -> str:
        """Returns the settings.

        Returns
        -------
        str
            Text for the repr.
        """
        return f"{self.in_channels}, {self.hidden_channels}, kernel_size={self.kernel_size}"
