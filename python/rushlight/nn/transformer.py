"""Transformer layers, with PyTorch's names, defaults, initial values and state."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

from rushlight import _core as rl
from rushlight._native import Tensor

from . import functional as F
from . import init
from ._settings import count
from .attention import MultiheadAttention
from .containers import ModuleList
from .dropout import Dropout
from .functional.attention import check_masks
from .layers import Linear
from .module import Module
from .normalization import LayerNorm

__all__ = [
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]

Activation = Callable[[Tensor], Tensor]


def _activation(layer: str, activation: str | Activation) -> Activation:
    """Return the activation function with a name."""
    if callable(activation):
        return activation
    known: dict[str, Activation] = {"relu": F.relu, "gelu": F.gelu}
    if activation not in known:
        raise ValueError(f"{layer}: activation is 'relu', 'gelu' or a function, got {activation!r}")
    return known[activation]


def _copies(module: Module, number: int) -> ModuleList:
    return ModuleList([copy.deepcopy(module) for _ in range(number)])


class _Block(Module):
    """The common part of encoder and decoder layers."""

    self_attn: MultiheadAttention
    multihead_attn: MultiheadAttention
    linear1: Linear
    dropout: Dropout
    linear2: Linear
    norm_first: bool

    def _feed_forward(self, x: Tensor, last: Dropout) -> Tensor:
        y: Tensor = last(self.linear2(self.dropout(self.activation(self.linear1(x)))))
        return y

    def _residual(self, x: Tensor, norm: LayerNorm, part: Activation) -> Tensor:
        """Add the result of a part to its input, with the normalization before or after the part."""
        return x + part(norm(x)) if self.norm_first else norm(x + part(x))

    def _attend(
        self,
        attention: MultiheadAttention,
        last: Dropout,
        memory: Tensor | None,
        masks: dict[str, Any],
        prefix: str,
    ) -> Activation:
        """Return attention to the input, or to `memory`, as a function; errors name masks with a prefix."""

        def run(x: Tensor) -> Tensor:
            others = x if memory is None else memory
            if x.ndim == others.ndim and x.ndim in (2, 3):
                first = int(attention.batch_first and x.ndim == 3)
                batch = x.shape[1 - first] if x.ndim == 3 else None
                sizes = (x.shape[first], others.shape[first], batch)
                both = (masks["attn_mask"], masks["key_padding_mask"])
                names = (f"{prefix}_mask", f"{prefix}_key_padding_mask")
                check_masks(type(self).__name__, sizes, attention.num_heads, both, names)
            y: Tensor = last(attention(x, others, others, need_weights=False, **masks)[0])
            return y

        return run


def _masks(mask: Tensor | None, padding: Tensor | None, causal: bool) -> dict[str, Any]:
    return {"attn_mask": mask, "key_padding_mask": padding, "is_causal": causal}


class TransformerEncoderLayer(_Block):
    """Self-attention, then two linear maps, each added to its input and normalized (Vaswani et al. 2017).

    Parameters
    ----------
    d_model
        Size of the last axis.
    nhead
        Number of heads.
    dim_feedforward
        Size between the linear maps.
    dropout
        Probability of dropout, of each part.
    activation
        "relu", "gelu", or a function between the linear maps.
    layer_norm_eps
        Added to variances.
    batch_first
        Whether inputs have shape ``(N, S, E)`` in place of ``(S, N, E)``.
    norm_first
        Whether parts normalize their input in place of the sum.
    bias
        Whether linear maps and normalizations have a bias.
    device, dtype
        Device and dtype of the parameters; the CPU and float32 by default.

    Examples
    --------
    >>> import rushlight as rl
    >>> layer = rl.nn.TransformerEncoderLayer(8, 2, 16)
    >>> layer(rl.ones((5, 3, 8))).shape
    (5, 3, 8)
    """

    ops = ("attention", "addmm", "layer_norm", "dropout")

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        made: dict[str, Any] = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout, bias=bias, batch_first=batch_first, **made
        )
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **made)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **made)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, bias=bias, **made)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, bias=bias, **made)
        self.dropout1, self.dropout2 = Dropout(dropout), Dropout(dropout)
        self.activation = _activation("TransformerEncoderLayer", activation)

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """Computes the layer.

        Parameters
        ----------
        src
            Shape ``(S, N, E)``, ``(N, S, E)`` if `batch_first`, or ``(S, E)``.
        src_mask
            Shape ``(S, S)`` or ``(N * nhead, S, S)``: True excludes, numbers are added.
        src_key_padding_mask
            Shape ``(N, S)`` or ``(S,)``: True excludes, numbers are added.
        is_causal
            Whether `src_mask` excludes exactly the later positions.

        Returns
        -------
        Tensor
            Shape and dtype of `src`.
        """
        masks = _masks(src_mask, src_key_padding_mask, is_causal)
        x = self._residual(src, self.norm1, self._attend(self.self_attn, self.dropout1, None, masks, "src"))
        return self._residual(x, self.norm2, lambda x: self._feed_forward(x, self.dropout2))


class TransformerDecoderLayer(_Block):
    """Attention to the input and to an encoder's result, then two linear maps, each added and normalized.

    Parameters
    ----------
    d_model
        Size of the last axis.
    nhead
        Number of heads.
    dim_feedforward
        Size between the linear maps.
    dropout
        Probability of dropout, of each part.
    activation
        "relu", "gelu", or a function between the linear maps.
    layer_norm_eps
        Added to variances.
    batch_first
        Whether inputs have shape ``(N, T, E)`` in place of ``(T, N, E)``.
    norm_first
        Whether parts normalize their input in place of the sum.
    bias
        Whether linear maps and normalizations have a bias.
    device, dtype
        Device and dtype of the parameters; the CPU and float32 by default.

    Examples
    --------
    >>> import rushlight as rl
    >>> layer = rl.nn.TransformerDecoderLayer(8, 2, 16)
    >>> layer(rl.ones((5, 3, 8)), rl.ones((7, 3, 8))).shape
    (5, 3, 8)
    """

    ops = ("attention", "addmm", "layer_norm", "dropout")

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        made: dict[str, Any] = {"device": device, "dtype": dtype}
        heads: dict[str, Any] = {"dropout": dropout, "bias": bias, "batch_first": batch_first, **made}
        self.self_attn = MultiheadAttention(d_model, nhead, **heads)
        self.multihead_attn = MultiheadAttention(d_model, nhead, **heads)
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **made)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **made)
        self.norm_first = norm_first
        self.norm1, self.norm2, self.norm3 = (
            LayerNorm(d_model, layer_norm_eps, bias=bias, **made) for _ in range(3)
        )
        self.dropout1, self.dropout2, self.dropout3 = (Dropout(dropout) for _ in range(3))
        self.activation = _activation("TransformerDecoderLayer", activation)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Computes the layer.

        Parameters
        ----------
        tgt
            Shape ``(T, N, E)``, ``(N, T, E)`` if `batch_first`, or ``(T, E)``.
        memory
            The encoder's result, shape ``(S, N, E)``, ``(N, S, E)`` or ``(S, E)``.
        tgt_mask, memory_mask
            Shapes ``(T, T)`` and ``(T, S)``, or with ``N * nhead`` before: True excludes, numbers are added.
        tgt_key_padding_mask, memory_key_padding_mask
            Shapes ``(N, T)`` and ``(N, S)``, or without N: True excludes, numbers are added.
        tgt_is_causal, memory_is_causal
            Whether the masks exclude exactly what follows.

        Returns
        -------
        Tensor
            Shape and dtype of `tgt`.
        """
        own = _masks(tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        others = _masks(memory_mask, memory_key_padding_mask, memory_is_causal)
        x = self._residual(tgt, self.norm1, self._attend(self.self_attn, self.dropout1, None, own, "tgt"))
        outer = self._attend(self.multihead_attn, self.dropout2, memory, others, "memory")
        x = self._residual(x, self.norm2, outer)
        return self._residual(x, self.norm3, lambda x: self._feed_forward(x, self.dropout3))


class TransformerEncoder(Module):
    """Several copies of an encoder layer, one after the other.

    Parameters
    ----------
    encoder_layer
        The layer that is copied, with its values.
    num_layers
        Number of copies.
    norm
        Normalization of the result, or None.
    enable_nested_tensor, mask_check
        Not used; PyTorch's arguments.

    Examples
    --------
    >>> import rushlight as rl
    >>> encoder = rl.nn.TransformerEncoder(rl.nn.TransformerEncoderLayer(8, 2, 16), 2)
    >>> encoder(rl.ones((5, 3, 8))).shape
    (5, 3, 8)
    """

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.num_layers = count("TransformerEncoder", "num_layers", num_layers)
        self.layers = _copies(encoder_layer, self.num_layers)
        self.norm = norm
        self.enable_nested_tensor, self.mask_check = enable_nested_tensor, mask_check

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        """Computes the layers.

        Parameters
        ----------
        src
            Shape ``(S, N, E)``, or as the layers take it.
        mask
            Shape ``(S, S)`` or ``(N * nhead, S, S)``: True excludes, numbers are added.
        src_key_padding_mask
            Shape ``(N, S)`` or ``(S,)``: True excludes, numbers are added.
        is_causal
            Whether `mask` excludes exactly the later positions.

        Returns
        -------
        Tensor
            Shape and dtype of `src`.
        """
        for layer in self.layers:
            src = layer(src, mask, src_key_padding_mask, bool(is_causal))
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(Module):
    """Several copies of a decoder layer, one after the other.

    Parameters
    ----------
    decoder_layer
        The layer that is copied, with its values.
    num_layers
        Number of copies.
    norm
        Normalization of the result, or None.

    Examples
    --------
    >>> import rushlight as rl
    >>> decoder = rl.nn.TransformerDecoder(rl.nn.TransformerDecoderLayer(8, 2, 16), 2)
    >>> decoder(rl.ones((5, 3, 8)), rl.ones((7, 3, 8))).shape
    (5, 3, 8)
    """

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.num_layers = count("TransformerDecoder", "num_layers", num_layers)
        self.layers = _copies(decoder_layer, self.num_layers)
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Computes the layers.

        Parameters
        ----------
        tgt
            Shape ``(T, N, E)``, or as the layers take it.
        memory
            The encoder's result, shape ``(S, N, E)``.
        tgt_mask, memory_mask
            Shapes ``(T, T)`` and ``(T, S)``, or with ``N * nhead`` before: True excludes, numbers are added.
        tgt_key_padding_mask, memory_key_padding_mask
            Shapes ``(N, T)`` and ``(N, S)``, or without N: True excludes, numbers are added.
        tgt_is_causal, memory_is_causal
            Whether the masks exclude exactly what follows.

        Returns
        -------
        Tensor
            Shape and dtype of `tgt`.
        """
        for layer in self.layers:
            tgt = layer(
                tgt,
                memory,
                tgt_mask,
                memory_mask,
                tgt_key_padding_mask,
                memory_key_padding_mask,
                bool(tgt_is_causal),
                memory_is_causal,
            )
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """An encoder and a decoder (Vaswani et al. 2017).

    Parameters
    ----------
    d_model
        Size of the last axis.
    nhead
        Number of heads.
    num_encoder_layers, num_decoder_layers
        Numbers of layers.
    dim_feedforward
        Size between the linear maps of a layer.
    dropout
        Probability of dropout, of each part of a layer.
    activation
        "relu", "gelu", or a function between the linear maps.
    custom_encoder, custom_decoder
        Modules in place of the encoder and the decoder.
    layer_norm_eps
        Added to variances.
    batch_first
        Whether inputs have shape ``(N, S, E)`` in place of ``(S, N, E)``.
    norm_first
        Whether parts normalize their input in place of the sum.
    bias
        Whether linear maps and normalizations have a bias.
    device, dtype
        Device and dtype of the parameters; the CPU and float32 by default.

    Examples
    --------
    >>> import rushlight as rl
    >>> model = rl.nn.Transformer(8, 2, 1, 1, 16)
    >>> model(rl.ones((5, 3, 8)), rl.ones((4, 3, 8))).shape
    (4, 3, 8)
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Activation = F.relu,
        custom_encoder: Module | None = None,
        custom_decoder: Module | None = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        made: dict[str, Any] = {"bias": bias, "device": device, "dtype": dtype}
        settings: dict[str, Any] = {
            "dim_feedforward": dim_feedforward,
            "dropout": dropout,
            "activation": activation,
            "layer_norm_eps": layer_norm_eps,
            "batch_first": batch_first,
            "norm_first": norm_first,
            **made,
        }
        if custom_encoder is None:
            custom_encoder = TransformerEncoder(
                TransformerEncoderLayer(d_model, nhead, **settings),
                num_encoder_layers,
                LayerNorm(d_model, layer_norm_eps, **made),
            )
        if custom_decoder is None:
            custom_decoder = TransformerDecoder(
                TransformerDecoderLayer(d_model, nhead, **settings),
                num_decoder_layers,
                LayerNorm(d_model, layer_norm_eps, **made),
            )
        self.encoder, self.decoder = custom_encoder, custom_decoder
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first
        for parameter in self.parameters():
            if parameter.ndim > 1:
                init.xavier_uniform_(parameter)

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Computes encoder and decoder.

        Parameters
        ----------
        src
            Shape ``(S, N, E)``, ``(N, S, E)`` if `batch_first`, or ``(S, E)``.
        tgt
            Shape ``(T, N, E)``, ``(N, T, E)`` or ``(T, E)``.
        src_mask, tgt_mask, memory_mask
            Shapes ``(S, S)``, ``(T, T)`` and ``(T, S)``, or with ``N * nhead`` before: True excludes, numbers
            are added.
        src_key_padding_mask, tgt_key_padding_mask, memory_key_padding_mask
            Shapes ``(N, S)``, ``(N, T)`` and ``(N, S)``, or without N: True excludes, numbers are added.
        src_is_causal, tgt_is_causal, memory_is_causal
            Whether the masks exclude exactly what follows.

        Returns
        -------
        Tensor
            Shape and dtype of `tgt`.

        Raises
        ------
        ValueError
            If `src` or `tgt` does not have size `d_model`, or their batches differ.
        """
        batch = 0 if self.batch_first else 1
        if src.ndim == 3 and src.shape[batch] != tgt.shape[batch]:
            raise ValueError(f"Transformer: the batches of src {src.shape} and tgt {tgt.shape} differ")
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise ValueError(
                f"Transformer: the last axis has size {self.d_model}, got {src.shape} and {tgt.shape}"
            )
        memory = self.encoder(src, src_mask, src_key_padding_mask, src_is_causal)
        out: Tensor = self.decoder(
            tgt,
            memory,
            tgt_mask,
            memory_mask,
            tgt_key_padding_mask,
            memory_key_padding_mask,
            tgt_is_causal,
            memory_is_causal,
        )
        return out

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """Returns the mask that excludes later positions: negative infinity above the diagonal, else 0.

        Parameters
        ----------
        sz
            Number of rows and columns.
        device, dtype
            Device and dtype; the CPU and float32 by default.

        Returns
        -------
        Tensor
            Shape ``(sz, sz)``.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.nn.Transformer.generate_square_subsequent_mask(2).tolist()
        [[0.0, -inf], [0.0, 0.0]]
        """
        return rl.full((sz, sz), -math.inf, device=device, dtype=dtype).triu(1)
