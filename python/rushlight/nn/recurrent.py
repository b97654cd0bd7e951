"""Recurrent layers, with PyTorch's names, arguments, defaults, initial values and state."""

from __future__ import annotations

import math
import warnings
from typing import Any

from rushlight import _core as rl
from rushlight import _native
from rushlight._native import Tensor

from . import functional as F
from . import init
from ._settings import check_input, count, probability
from .module import Module
from .parameter import Parameter
from .utils.rnn import PackedSequence

__all__ = ["GRU", "LSTM", "RNN", "RNNBase"]

# Gates of a cell, by the name of its kind.
GATES = {"RNN_TANH": 1, "RNN_RELU": 1, "LSTM": 4, "GRU": 3}


class RNNBase(Module):
    """The common part of `RNN`, `LSTM` and `GRU`: weights of each layer and direction, and the run.

    One matrix product computes the contribution of a layer's inputs to the pre-activations, for the whole
    sequence. A step is then one product and the cell; the gradient of each weight is one product over all
    steps.

    Parameters
    ----------
    mode
        ``"RNN_TANH"``, ``"RNN_RELU"``, ``"LSTM"`` or ``"GRU"``.
    input_size
        Size of the last axis of the input.
    hidden_size
        Size of the hidden state.
    num_layers
        Number of layers; each takes the output of the one before.
    bias
        Whether there are biases.
    batch_first
        Whether input and output have shape ``(N, T, ...)`` in place of ``(T, N, ...)``.
    dropout
        Probability of dropping an element of the output of each layer except the last, in training.
    bidirectional
        Whether each layer also runs from the last step to the first.
    proj_size
        For ``"LSTM"`` the size that hidden states are projected to; 0 for none.
    device, dtype
        Device and dtype of the parameters; the CPU and float32 by default.

    Attributes
    ----------
    weight_ih_l[k], weight_hh_l[k]
        Weights of layer k for its input and its hidden state, of shapes ``(gates * hidden_size, ...)``; with
        ``_reverse`` behind the name those of the other direction. At first uniform in ±1/sqrt(hidden_size).
    bias_ih_l[k], bias_hh_l[k]
        Biases of shape ``(gates * hidden_size,)``, from the same distribution.
    weight_hr_l[k]
        With `proj_size`: shape ``(proj_size, hidden_size)``.

    Raises
    ------
    ValueError
        If a setting is out of its range, or the mode is unknown.

    Examples
    --------
    >>> import rushlight as rl
    >>> layer = rl.nn.RNNBase("GRU", 3, 4, num_layers=2)
    >>> [tuple(p.shape) for p in layer.parameters()][:4]
    [(12, 3), (12, 4), (12,), (12,)]
    """

    ops: tuple[str, ...] = ("matmul", "addmm", "lstm_cell", "gru_cell")

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        if mode not in GATES:
            raise ValueError(f"{name}: mode is RNN_TANH, RNN_RELU, LSTM or GRU, got {mode!r}")
        probability(name, dropout)
        self.mode, self.bias, self.batch_first = mode, bias, batch_first
        self.input_size = count(name, "input_size", input_size)
        self.hidden_size = count(name, "hidden_size", hidden_size)
        self.num_layers = count(name, "num_layers", num_layers)
        self.proj_size = count(name, "proj_size", proj_size)
        self.dropout, self.bidirectional = float(dropout), bidirectional
        if self.hidden_size < 1 or self.num_layers < 1:
            raise ValueError(f"{name}: hidden_size and num_layers are at least 1")
        if self.proj_size and mode != "LSTM":
            raise ValueError(f"{name}: only an LSTM has proj_size")
        if self.proj_size >= self.hidden_size:
            raise ValueError(f"{name}: proj_size {proj_size} is not below hidden_size {hidden_size}")
        if dropout > 0 and self.num_layers == 1:
            warnings.warn(
                f"{name}: dropout acts between layers, and num_layers is 1: nothing is dropped", stacklevel=3
            )
        gates, state = GATES[mode] * self.hidden_size, self.proj_size or self.hidden_size
        directions = 2 if bidirectional else 1
        for layer in range(self.num_layers):
            size = self.input_size if layer == 0 else state * directions
            for suffix in self._suffixes(layer):
                shapes: dict[str, tuple[int, ...]] = {"weight_ih": (gates, size), "weight_hh": (gates, state)}
                if bias:
                    shapes |= {"bias_ih": (gates,), "bias_hh": (gates,)}
                if self.proj_size:
                    shapes["weight_hr"] = (self.proj_size, self.hidden_size)
                for key, shape in shapes.items():
                    value = Parameter(rl.empty(shape, device=device, dtype=dtype))
                    self.register_parameter(key + suffix, value)
        self.reset_parameters()

    def _suffixes(self, layer: int) -> list[str]:
        return [f"_l{layer}", f"_l{layer}_reverse"][: 2 if self.bidirectional else 1]

    @property
    def all_weights(self) -> list[list[Tensor]]:
        """The parameters of each layer and direction.

        Returns
        -------
        list of list of Tensor
            Weights and biases, in the order of the state.
        """
        keys = [k for k in ("weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr") if self._has(k)]
        suffixes = [suffix for layer in range(self.num_layers) for suffix in self._suffixes(layer)]
        return [[getattr(self, key + suffix) for key in keys] for suffix in suffixes]

    def _has(self, key: str) -> bool:
        return bool(self.bias if key.startswith("bias") else self.proj_size if key == "weight_hr" else True)

    def reset_parameters(self) -> None:
        """Draws initial values for the parameters from the generator that `rushlight.manual_seed` seeds."""
        bound = 1 / math.sqrt(self.hidden_size)
        for value in self.parameters():
            init.uniform_(value, -bound, bound)

    def flatten_parameters(self) -> None:
        """Does nothing. In PyTorch this function joins the memory of the weights for cuDNN.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.nn.GRU(3, 4).flatten_parameters()
        """

    def _states(self, hx: Any, batch: int, batched: bool, order: Tensor | None, like: Tensor) -> list[Tensor]:
        """Return the first hidden states, and an LSTM's cell states, as (layers, batch, size)."""
        name = type(self).__name__
        directions = 2 if self.bidirectional else 1
        sizes = [self.proj_size or self.hidden_size]
        if self.mode == "LSTM":
            sizes.append(self.hidden_size)
        shapes = [(self.num_layers * directions, batch, size) for size in sizes]
        if hx is None:
            return [rl.zeros(shape, dtype=like.dtype, device=like.device) for shape in shapes]
        given = list(hx) if isinstance(hx, (tuple, list)) else [hx]
        if len(given) != len(shapes):
            raise ValueError(f"{name}: expected {len(shapes)} first states, got {len(given)}")
        found = []
        for state, shape in zip(given, shapes, strict=True):
            wanted = shape if batched else (shape[0], shape[2])
            if tuple(state.shape) != wanted:
                raise ValueError(f"{name}: a first state has shape {wanted}, got {tuple(state.shape)}")
            state = state if batched else rl.expand_dims(state, 1)
            found.append(state if order is None else rl.take(state, order, axis=1))
        return found

    def forward(self, input: Tensor | PackedSequence, hx: Any = None) -> tuple[Any, Any]:
        """Runs the layers over a sequence.

        Parameters
        ----------
        input
            Shape ``(T, N, input_size)``, with `batch_first` ``(N, T, input_size)``, for one sequence
            ``(T, input_size)``; or a packed sequence.
        hx
            The first hidden states, of shape ``(layers, N, size)``, where each direction counts; for an
            LSTM the tuple of hidden and cell states. Zeros if None. For one sequence without the axis ``N``.

        Returns
        -------
        tuple
            The hidden states of the last layer, of all steps, the directions side by side; and the last
            states of each layer, as `hx`.

        Raises
        ------
        ValueError
            If the shapes do not fit.
        """
        name = type(self).__name__
        order = back = None
        batched = True
        if isinstance(input, PackedSequence):
            data, order, back = input.data, input.sorted_indices, input.unsorted_indices
            sizes = [int(n) for n in input.batch_sizes.tolist()]
        else:
            if input.ndim not in (2, 3):
                raise ValueError(f"{name}: the input has 2 or 3 axes, got shape {tuple(input.shape)}")
            batched = input.ndim == 3
            steps = input if batched else rl.expand_dims(input, 1)
            if batched and self.batch_first:
                steps = rl.swapaxes(steps, 0, 1)
            length, batch, size = steps.shape
            if length == 0:
                raise ValueError(f"{name}: the sequence has no step, its shape is {tuple(input.shape)}")
            sizes = [batch] * length
            data = rl.reshape(steps, (length * batch, size))
        if data.shape[-1] != self.input_size:
            raise ValueError(
                f"{name}: the last axis of the input is input_size {self.input_size}, got {data.shape[-1]}"
            )
        check_input(name, data, self.weight_ih_l0)
        first = self._states(hx, sizes[0], batched, order, data)
        output, last = self._layers(data, sizes, first)
        if back is not None:
            last = [rl.take(state, back, axis=1) for state in last]
        if isinstance(input, PackedSequence):
            result: Any = PackedSequence(output, input.batch_sizes, order, back)
        else:
            result = rl.reshape(output, (len(sizes), sizes[0], output.shape[-1]))
            if not batched:
                result = rl.squeeze(result, 1)
            elif self.batch_first:
                result = rl.swapaxes(result, 0, 1)
        if not batched:
            last = [rl.squeeze(state, 1) for state in last]
        return result, tuple(last) if self.mode == "LSTM" else last[0]

    def _layers(self, data: Tensor, sizes: list[int], first: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
        """Run all layers; return the output of the last one, and the last states of each."""
        hidden: list[Tensor] = []
        cells: list[Tensor] = []
        for layer in range(self.num_layers):
            outputs = []
            for reverse, suffix in enumerate(self._suffixes(layer)):
                bias = of_hidden = None
                if self.bias:
                    bias, of_hidden = getattr(self, f"bias_ih{suffix}"), getattr(self, f"bias_hh{suffix}")
                    if self.mode != "GRU":
                        bias, of_hidden = bias + of_hidden, None
                gates = F.linear(data, getattr(self, f"weight_ih{suffix}"), bias)
                projection = getattr(self, f"weight_hr{suffix}") if self.proj_size else None
                at = len(hidden)
                cell = first[1][at] if self.mode == "LSTM" else None
                output, h, c = _native._recurrent(
                    self.mode,
                    gates,
                    sizes,
                    bool(reverse),
                    first[0][at],
                    cell,
                    getattr(self, f"weight_hh{suffix}"),
                    of_hidden,
                    projection,
                )
                outputs.append(output)
                hidden.append(h)
                if c is not None:
                    cells.append(c)
            data = rl.concat(outputs, axis=1) if len(outputs) > 1 else outputs[0]
            if self.dropout > 0 and layer + 1 < self.num_layers:
                data = F.dropout(data, self.dropout, self.training)
        return data, [rl.stack(states) for states in (hidden, cells) if states]

    def extra_repr(self) -> str:
        """Returns the settings.

        Returns
        -------
        str
            Text for the repr.
        """
        plain = {"num_layers": 1, "bias": True, "batch_first": False, "dropout": 0.0, "bidirectional": False}
        shown = {"proj_size": 0, **plain}
        texts = [f"{key}={getattr(self, key)}" for key, usual in shown.items() if getattr(self, key) != usual]
        return ", ".join([f"{self.input_size}, {self.hidden_size}", *texts])


class RNN(RNNBase):
    """Elman's recurrent layers: ``h' = tanh(W_ih x + b_ih + W_hh h + b_hh)``.

    Parameters
    ----------
    input_size, hidden_size, num_layers
        Sizes of input and hidden state, and number of layers.
    nonlinearity
        ``"tanh"`` or ``"relu"``.
    bias, batch_first, dropout, bidirectional, device, dtype
        As for `RNNBase`.

    Raises
    ------
    ValueError
        If a setting is out of its range.

    Attributes
    ----------
    weight_ih_l[k], weight_hh_l[k], bias_ih_l[k], bias_hh_l[k]
        As for `RNNBase`.

    Examples
    --------
    >>> import rushlight as rl
    >>> output, h = rl.nn.RNN(3, 4, num_layers=2)(rl.ones((5, 2, 3)))
    >>> output.shape, h.shape
    ((5, 2, 4), (2, 2, 4))
    """

    ops = ("matmul", "addmm", "tanh", "relu")

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"RNN: nonlinearity is 'tanh' or 'relu', got {nonlinearity!r}")
        mode, sizes = f"RNN_{nonlinearity.upper()}", (input_size, hidden_size, num_layers)
        super().__init__(mode, *sizes, bias, batch_first, dropout, bidirectional, 0, device, dtype)
        self.nonlinearity = nonlinearity


class LSTM(RNNBase):
    """Long short-term memory (Hochreiter and Schmidhuber 1997), with forget gates.

    ``c' = sigmoid(f) * c + sigmoid(i) * tanh(g)`` and ``h' = sigmoid(o) * tanh(c')``, where ``i``, ``f``,
    ``g`` and ``o`` are the four parts of ``W_ih x + b_ih + W_hh h + b_hh``.

    Parameters
    ----------
    input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional
        As for `RNNBase`.
    proj_size
        Size that hidden states are projected to, ``h' = W_hr (sigmoid(o) * tanh(c'))``; 0 for none.
    device, dtype
        Device and dtype of the parameters; the CPU and float32 by default.

    Raises
    ------
    ValueError
        If a setting is out of its range.

    Attributes
    ----------
    weight_ih_l[k], weight_hh_l[k], bias_ih_l[k], bias_hh_l[k], weight_hr_l[k]
        As for `RNNBase`.

    Examples
    --------
    >>> import rushlight as rl
    >>> output, (h, c) = rl.nn.LSTM(3, 4, bidirectional=True)(rl.ones((5, 2, 3)))
    >>> output.shape, h.shape, c.shape
    ((5, 2, 8), (2, 2, 4), (2, 2, 4))
    """

    ops = ("matmul", "addmm", "lstm_cell")

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        sizes = (input_size, hidden_size, num_layers)
        super().__init__("LSTM", *sizes, bias, batch_first, dropout, bidirectional, proj_size, device, dtype)


class GRU(RNNBase):
    """Gated recurrent units (Cho et al. 2014), with the reset gate behind the matrix product.

    ``h' = (1 - z) * n + z * h`` with ``n = tanh(W_in x + b_in + r * (W_hn h + b_hn))``, where ``r`` and ``z``
    are sigmoids of the first two of the three parts of ``W_ih x + b_ih + W_hh h + b_hh``.

    Parameters
    ----------
    input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, device, dtype
        As for `RNNBase`.

    Raises
    ------
    ValueError
        If a setting is out of its range.

    Attributes
    ----------
    weight_ih_l[k], weight_hh_l[k], bias_ih_l[k], bias_hh_l[k]
        As for `RNNBase`.

    Examples
    --------
    >>> import rushlight as rl
    >>> output, h = rl.nn.GRU(3, 4, batch_first=True)(rl.ones((2, 5, 3)))
    >>> output.shape, h.shape
    ((2, 5, 4), (1, 2, 4))
    """

    ops = ("matmul", "addmm", "gru_cell")

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        sizes = (input_size, hidden_size, num_layers)
        super().__init__("GRU", *sizes, bias, batch_first, dropout, bidirectional, 0, device, dtype)
