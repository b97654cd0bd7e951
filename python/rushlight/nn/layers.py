"""Linear, embedding, dropout and flatten layers, with PyTorch's names, shapes, defaults and first values."""

from __future__ import annotations

from numbers import Real
from typing import Any

from rushlight import _core as rl
from rushlight._native import Tensor

from . import functional as F
from . import init
from ._settings import count, draw
from .module import Module
from .parameter import Parameter

__all__ = ["Dropout", "Embedding", "Flatten", "Linear"]


class Linear(Module):
    """The affine map ``x @ weight.T + bias`` of the last axis, see `rushlight.nn.functional.linear`.

    Parameters
    ----------
    in_features, out_features
        Sizes of the last axis of input and output.
    bias
        Whether to add a bias.
    device, dtype
        Device and dtype of the parameters; the CPU and float32 by default.

    Attributes
    ----------
    weight
        Shape ``(out_features, in_features)``, at first uniform in ``±1/sqrt(in_features)``.
    bias
        Shape ``(out_features,)``, at first from the same distribution; or None.

    Examples
    --------
    >>> import rushlight as rl
    >>> layer = rl.nn.Linear(4, 2)
    >>> layer(rl.ones((3, 4))).shape
    (3, 2)
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
        self.in_features = count("Linear", "in_features", in_features)
        self.out_features = out_features = count("Linear", "out_features", out_features)
        self.weight = Parameter(rl.empty((out_features, self.in_features), device=device, dtype=dtype))
        self.register_parameter(
            "bias", Parameter(rl.empty((out_features,), device=device, dtype=dtype)) if bias else None
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws new first values of the parameters, from the generator that `rushlight.manual_seed` seeds."""
        draw(self.weight, self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """Maps the last axis.

        Parameters
        ----------
        input
            Shape ``(..., in_features)``, of the dtype of the weight.

        Returns
        -------
        Tensor
            Shape ``(..., out_features)``, of the dtype of `input`.
        """
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Returns the sizes, and whether there is a bias.

        Returns
        -------
        str
            Text for the repr.
        """
        return f"{self.in_features}, {self.out_features}, bias={self.bias is not None}"


class Embedding(Module):
    """A table whose rows are looked up by index, see `rushlight.nn.functional.embedding`.

    Parameters
    ----------
    num_embeddings, embedding_dim
        Number of rows and their length.
    padding_idx
        A row that is 0 at first and gets no gradient.
    device, dtype
        Device and dtype of the table; the CPU and float32 by default.

    Raises
    ------
    ValueError
        If `padding_idx` is not a row.

    Attributes
    ----------
    weight
        Shape ``(num_embeddings, embedding_dim)``, at first standard normal; row `padding_idx` is 0.

    Examples
    --------
    >>> import rushlight as rl
    >>> table = rl.nn.Embedding(10, 4)
    >>> table(rl.tensor([[1, 2, 3]])).shape
    (1, 3, 4)
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
        num_embeddings = count("Embedding", "num_embeddings", num_embeddings)
        embedding_dim = count("Embedding", "embedding_dim", embedding_dim)
        if padding_idx is not None and not -num_embeddings <= padding_idx < num_embeddings:
            raise ValueError(f"Embedding: padding_idx {padding_idx} is not a row of {num_embeddings}")
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = None if padding_idx is None else padding_idx % num_embeddings
        shape = (num_embeddings, embedding_dim)
        self.weight = Parameter(rl.empty(shape, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws new first values of the parameters, from the generator that `rushlight.manual_seed` seeds."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with rl.no_grad():
                row = self.weight.detach()
                row[self.padding_idx] = 0.0

    def forward(self, input: Tensor) -> Tensor:
        """Looks rows up.

        Parameters
        ----------
        input
            Indices of any shape and integer dtype, from 0 to ``num_embeddings - 1``.

        Returns
        -------
        Tensor
            Shape ``(*input.shape, embedding_dim)``.
        """
        return F.embedding(input, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        """Returns the sizes of the table.

        Returns
        -------
        str
            Text for the repr.
        """
        end = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{end}"


class Dropout(Module):
    """The layer that zeroes elements at random in training, see `rushlight.nn.functional.dropout`.

    Parameters
    ----------
    p
        Probability of an element to be zeroed; the others are scaled by ``1 / (1 - p)``.

    Raises
    ------
    TypeError, ValueError
        If `p` is not a number, or not in [0, 1].

    Examples
    --------
    >>> import rushlight as rl
    >>> layer = rl.nn.Dropout(0.5).eval()
    >>> layer(rl.ones(3)).tolist()
    [1.0, 1.0, 1.0]
    """

    ops = ("dropout",)

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        if not isinstance(p, (int, float, Real)):
            raise TypeError(f"Dropout: p is a number, got {p!r}")
        if not 0.0 <= p <= 1.0:
            raise ValueError(f"Dropout: p is a probability, got {p}")
        self.p = p

    def forward(self, input: Tensor) -> Tensor:
        """Zeroes elements in training, and returns the input otherwise.

        Parameters
        ----------
        input
            Any shape, floating point.

        Returns
        -------
        Tensor
            Of the shape and dtype of `input`.
        """
        return F.dropout(input, self.p, self.training)

    def extra_repr(self) -> str:
        """Returns the probability.

        Returns
        -------
        str
            Text for the repr.
        """
        return f"p={self.p}"


class Flatten(Module):
    """The layer that merges axes into one, see `rushlight.nn.functional.flatten`.

    Parameters
    ----------
    start_dim, end_dim
        First and last of the axes that are merged.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.Flatten()(rl.ones((2, 3, 4))).shape
    (2, 12)
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Tensor) -> Tensor:
        """Merges the axes.

        Parameters
        ----------
        input
            Any shape that has the axes.

        Returns
        -------
        Tensor
            The same elements in fewer axes.
        """
        return F.flatten(input, self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """Returns the axes.

        Returns
        -------
        str
            Text for the repr.
        """
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"
