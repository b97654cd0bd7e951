"""One step of recurrent networks, with PyTorch's names, arguments, defaults, initial values and state."""

from __future__ import annotations

import math
from typing import Any

from rushlight import _core as rl
from rushlight import _native
from rushlight._native import Tensor

from . import functional as F
from . import init
from ._settings import check_input, count
from .module import Module
from .parameter import Parameter

__all__ = ["GRUCell", "LSTMCell", "RNNCell", "RNNCellBase"]


class RNNCellBase(Module):
    """The common part of `RNNCell`, `LSTMCell` and `GRUCell`: the weights.

    Parameters
    ----------
    input_size, hidden_size
        Sizes of the last axis of the input and of the hidden state.
    bias
        Whether there are biases.
    num_chunks
        Number of gates.
    device, dtype
        Device and dtype of the parameters; the CPU and float32 by default.

    Raises
    ------
    ValueError
        If a size is negative.

    Attributes
    ----------
    weight_ih, weight_hh
        Shapes ``(num_chunks * hidden_size, input_size)`` and ``(num_chunks * hidden_size, hidden_size)``, at
        first uniform in ±1/sqrt(hidden_size).
    bias_ih, bias_hh
        Shape ``(num_chunks * hidden_size,)``, from the same distribution; or None.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.RNNCellBase(3, 4, True, 2).weight_ih.shape
    (8, 3)
    """

    weight_ih: Tensor
    weight_hh: Tensor
    bias_ih: Tensor | None
    bias_hh: Tensor | None

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.input_size = count(name, "input_size", input_size)
        self.hidden_size = count(name, "hidden_size", hidden_size)
        self.bias = bias
        rows = count(name, "num_chunks", num_chunks) * self.hidden_size
        shapes = {"ih": (rows, self.input_size), "hh": (rows, self.hidden_size)}
        for key, shape in shapes.items():
            value = Parameter(rl.empty(shape, device=device, dtype=dtype))
            self.register_parameter(f"weight_{key}", value)
        for key in shapes:
            vector = Parameter(rl.empty((rows,), device=device, dtype=dtype)) if bias else None
            self.register_parameter(f"bias_{key}", vector)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws initial values for the parameters from the generator that `rushlight.manual_seed` seeds."""
        bound = 1 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0.0
        for value in self.parameters():
            init.uniform_(value, -bound, bound)

    def _checked(self, input: Tensor, *states: Tensor | None) -> list[Tensor]:
        """Check the shapes; return the states, zeros in place of None."""
        name = type(self).__name__
        if input.ndim not in (1, 2) or input.shape[-1] != self.input_size:
            raise ValueError(
                f"{name}: the input has shape (N, {self.input_size}) or ({self.input_size},), "
                f"got {tuple(input.shape)}"
            )
        check_input(name, input, self.weight_ih)
        wanted = (*input.shape[:-1], self.hidden_size)
        for state in states:
            if state is not None and tuple(state.shape) != wanted:
                raise ValueError(f"{name}: a state has shape {wanted}, got {tuple(state.shape)}")
        return [
            rl.zeros(wanted, dtype=input.dtype, device=input.device) if state is None else state
            for state in states
        ]

    def _gates(self, values: Tensor, count: int) -> Tensor:
        """Give each gate an axis."""
        return rl.reshape(values, (*values.shape[:-1], count, self.hidden_size))

    def extra_repr(self) -> str:
        """Returns the settings.

        Returns
        -------
        str
            Text for the repr.
        """
        text = f"{self.input_size}, {self.hidden_size}"
        return text if self.bias else f"{text}, bias={self.bias}"


class RNNCell(RNNCellBase):
    """A step of Elman's network: ``h' = tanh(W_ih x + b_ih + W_hh h + b_hh)``.

    Parameters
    ----------
    input_size, hidden_size
        Sizes of the last axis of the input and of the hidden state.
    bias
        Whether there are biases.
    nonlinearity
        ``"tanh"`` or ``"relu"``.
    device, dtype
        Device and dtype of the parameters; the CPU and float32 by default.

    Raises
    ------
    ValueError
        If a size is negative, or the nonlinearity is unknown.

    Attributes
    ----------
    weight_ih, weight_hh, bias_ih, bias_hh
        As for `RNNCellBase`, with one gate.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.RNNCell(3, 4)(rl.ones((2, 3))).shape
    (2, 4)
    """

    ops = ("matmul", "addmm", "tanh", "relu")

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"RNNCell: nonlinearity is 'tanh' or 'relu', got {nonlinearity!r}")
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """Takes a step.

        Parameters
        ----------
        input
            Shape ``(N, input_size)`` or ``(input_size,)``.
        hx
            The hidden state, of shape ``(N, hidden_size)`` or ``(hidden_size,)``; zeros if None.

        Returns
        -------
        Tensor
            The new hidden state.

        Raises
        ------
        ValueError
            If the shapes do not fit.
        """
        (h,) = self._checked(input, hx)
        x = F.linear(input, self.weight_ih, self.bias_ih) + F.linear(h, self.weight_hh, self.bias_hh)
        return F.tanh(x) if self.nonlinearity == "tanh" else F.relu(x)


class LSTMCell(RNNCellBase):
    """A step of an LSTM, see `rushlight.nn.LSTM`.

    Parameters
    ----------
    input_size, hidden_size
        Sizes of the last axis of the input and of the states.
    bias
        Whether there are biases.
    device, dtype
        Device and dtype of the parameters; the CPU and float32 by default.

    Raises
    ------
    ValueError
        If a size is negative.

    Attributes
    ----------
    weight_ih, weight_hh, bias_ih, bias_hh
        As for `RNNCellBase`, with four gates: input, forget, cell, output.

    Examples
    --------
    >>> import rushlight as rl
    >>> h, c = rl.nn.LSTMCell(3, 4)(rl.ones((2, 3)))
    >>> h.shape, c.shape
    ((2, 4), (2, 4))
    """

    ops = ("matmul", "addmm", "lstm_cell")

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        """Takes a step.

        Parameters
        ----------
        input
            Shape ``(N, input_size)`` or ``(input_size,)``.
        hx
            Hidden state and cell state of shape ``(N, hidden_size)`` or ``(hidden_size,)``; zeros if None.

        Returns
        -------
        tuple of (Tensor, Tensor)
            The new hidden state and the new cell state.

        Raises
        ------
        ValueError
            If the shapes do not fit.
        """
        h, c = self._checked(input, *((None, None) if hx is None else hx))
        x = F.linear(input, self.weight_ih, self.bias_ih) + F.linear(h, self.weight_hh, self.bias_hh)
        return _native._lstm_cell(self._gates(x, 4), c)


class GRUCell(RNNCellBase):
    """A step of a GRU, see `rushlight.nn.GRU`.

    Parameters
    ----------
    input_size, hidden_size
        Sizes of the last axis of the input and of the hidden state.
    bias
        Whether there are biases.
    device, dtype
        Device and dtype of the parameters; the CPU and float32 by default.

    Raises
    ------
    ValueError
        If a size is negative.

    Attributes
    ----------
    weight_ih, weight_hh, bias_ih, bias_hh
        As for `RNNCellBase`, with three gates: reset, update, new.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.GRUCell(3, 4)(rl.ones((2, 3))).shape
    (2, 4)
    """

    ops = ("matmul", "addmm", "gru_cell")

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """Takes a step.

        Parameters
        ----------
        input
            Shape ``(N, input_size)`` or ``(input_size,)``.
        hx
            The hidden state, of shape ``(N, hidden_size)`` or ``(hidden_size,)``; zeros if None.

        Returns
        -------
        Tensor
            The new hidden state.

        Raises
        ------
        ValueError
            If the shapes do not fit.
        """
        (h,) = self._checked(input, hx)
        x, y = F.linear(input, self.weight_ih, self.bias_ih), F.linear(h, self.weight_hh, self.bias_hh)
        return _native._gru_cell(self._gates(x, 3), self._gates(y, 3), h)
