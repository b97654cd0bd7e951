"""Layers whose matrix stays in quantized blocks."""

from __future__ import annotations

from rushlight import _core as rl
from rushlight._native import DType, Tensor
from rushlight.quantized import QTensor, qmatmul

from .module import Module
from .parameter import Buffer

__all__ = ["QuantizedEmbedding", "QuantizedLinear"]


class _Blocks(Module):
    """A module with a matrix of blocks."""

    weight: QTensor

    def __init__(self, weight: QTensor) -> None:
        super().__init__()
        name = type(self).__name__
        if not isinstance(weight, QTensor):
            raise TypeError(f"{name}: weight is a QTensor, got {type(weight).__name__}")
        if len(weight.shape) != 2:
            raise ValueError(f"{name}: expected blocks of a matrix, got shape {weight.shape}")
        self.register_buffer("weight", weight)


class QuantizedLinear(_Blocks):
    """A linear map of the last axis by a matrix of blocks, see `rushlight.quantized.qmatmul`.

    The blocks are a buffer: they move with the module and are part of its state. They are not trained; the
    input has a gradient. PyTorch has no such layer.

    Parameters
    ----------
    weight
        Blocks of shape ``(out_features, in_features)``.
    bias
        Shape ``(out_features,)``; or None.

    Attributes
    ----------
    weight
        The blocks, a `QTensor`.

    Raises
    ------
    TypeError
        If `weight` is not a `QTensor`.
    ValueError
        If `weight` is not a matrix, or the shape of `bias` does not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> linear = rl.nn.Linear(64, 3)
    >>> layer = rl.nn.QuantizedLinear(rl.quantized.quantize(linear.weight.detach(), "Q8_0"), linear.bias)
    >>> layer
    QuantizedLinear(in_features=64, out_features=3, bias=True, dtype='Q8_0')
    >>> x = rl.ones((2, 64))
    >>> bool(abs(layer(x) - linear(x)).max() < 0.1)
    True
    """

    ops = ("qmatmul",)

    def __init__(self, weight: QTensor, bias: Tensor | None = None) -> None:
        super().__init__(weight)
        self.out_features, self.in_features = weight.shape
        if bias is not None and tuple(bias.shape) != (self.out_features,):
            raise ValueError(
                f"QuantizedLinear: bias of shape {tuple(bias.shape)} for {self.out_features} features"
            )
        self.bias = None if bias is None else Buffer(bias.detach())

    def forward(self, input: Tensor) -> Tensor:
        """Maps the last axis.

        Parameters
        ----------
        input
            Shape ``(..., in_features)``, floating point.

        Returns
        -------
        Tensor
            Shape ``(..., out_features)``, of the dtype of `input`.
        """
        y = qmatmul(input, self.weight)
        return y if self.bias is None else y + self.bias

    def extra_repr(self) -> str:
        """Returns the settings.

        Returns
        -------
        str
            The sizes and the type of the blocks.
        """
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}, dtype={self.weight.dtype!r}"
        )


class QuantizedEmbedding(_Blocks):
    """A table whose rows stay in quantized blocks until they are looked up.

    The blocks are a buffer: they move with the module and are part of its state. They are not trained.
    PyTorch has no such layer.

    Parameters
    ----------
    weight
        Blocks of shape ``(num_embeddings, embedding_dim)``.
    dtype
        The dtype of the result; float32 by default.

    Attributes
    ----------
    weight
        The blocks, a `QTensor`.

    Raises
    ------
    TypeError
        If `weight` is not a `QTensor`.
    ValueError
        If `weight` is not a matrix.

    Examples
    --------
    >>> import rushlight as rl
    >>> rows = rl.arange(4.0)[:, None] * rl.ones((4, 32))
    >>> table = rl.nn.QuantizedEmbedding(rl.quantized.quantize(rows, "F16"))
    >>> table(rl.tensor([[3, 1]])).shape
    (1, 2, 32)
    >>> table(rl.tensor([3, 1]))[:, 0].tolist()
    [3.0, 1.0]
    """

    # `dequantize` is not listed: it is asked for a dtype of parameters, and takes bytes.
    ops = ("index_select",)

    def __init__(self, weight: QTensor, dtype: DType | None = None) -> None:
        super().__init__(weight)
        self.num_embeddings, self.embedding_dim = weight.shape
        self._dtype = dtype

    def forward(self, input: Tensor) -> Tensor:
        """Looks up rows.

        Parameters
        ----------
        input
            Indices, of any shape and an integer dtype.

        Returns
        -------
        Tensor
            Shape ``(*input.shape, embedding_dim)``.
        """
        rows = self.weight.blocks[rl.reshape(input, (-1,))]
        found = QTensor(rows, self.weight.dtype, (rows.shape[0], self.embedding_dim)).dequantize(self._dtype)
        return rl.reshape(found, (*input.shape, self.embedding_dim))

    def extra_repr(self) -> str:
        """Returns the settings.

        Returns
        -------
        str
            The sizes and the type of the blocks.
        """
        return f"{self.num_embeddings}, {self.embedding_dim}, dtype={self.weight.dtype!r}"
