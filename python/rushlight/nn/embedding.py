"""Tables of rows that are looked up by index."""

from __future__ import annotations

from typing import Any

from rushlight import _core as rl
from rushlight._native import Tensor

from . import functional as F
from . import init
from ._settings import count
from .module import Module
from .parameter import Parameter

__all__ = ["Embedding", "EmbeddingBag"]


class Embedding(Module):
    """A table whose rows are looked up by index, see `rushlight.nn.functional.embedding`.

    Parameters
    ----------
    num_embeddings, embedding_dim
        Number of rows and their length.
    padding_idx
        A row that is 0 at first and gets no gradient.
    max_norm
        Rows that are used are first scaled, in place, so that their norm is at most this; None for no limit.
    norm_type
        The order of that norm.
    scale_grad_by_freq
        Whether the gradient of a row is divided by the number of its uses.
    sparse
        Whether the gradient of the table is sparse, for `SGD`, `Adagrad` or `SparseAdam`.
    device, dtype
        Device and dtype of the table; the CPU and float32 by default.

    Raises
    ------
    ValueError
        If `padding_idx` is not a row.

    Attributes
    ----------
    weight
        Shape ``(num_embeddings, embedding_dim)``, initially standard normal; row `padding_idx` is 0.

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
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
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
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        self.padding_idx = None if padding_idx is None else padding_idx % num_embeddings
        shape = (num_embeddings, embedding_dim)
        self.weight = Parameter(rl.empty(shape, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws initial values for the parameters from the generator that `rushlight.manual_seed` seeds."""
        _draw(self.weight, self.padding_idx)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Embedding:
        """Makes a layer of a table.

        Parameters
        ----------
        embeddings
            The table, shape ``(rows, width)``.
        freeze
            Whether the table stays as it is in training.
        padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse
            Settings of the layer.

        Returns
        -------
        Embedding
            The layer.

        Raises
        ------
        ValueError
            If the rank is not 2.

        Examples
        --------
        >>> import rushlight as rl
        >>> table = rl.nn.Embedding.from_pretrained(rl.tensor([[1.0, 2.0], [3.0, 4.0]]))
        >>> table(rl.tensor([1])).tolist()
        [[3.0, 4.0]]
        """
        if embeddings.ndim != 2:
            raise ValueError(f"Embedding.from_pretrained: rank 2 is needed, got shape {embeddings.shape}")
        rows, width = embeddings.shape
        made = cls(rows, width, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
        made.weight = Parameter(embeddings, requires_grad=not freeze)
        return made

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
        return F.embedding(
            input,
            self.weight,
            self.padding_idx,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.sparse,
        )

    def extra_repr(self) -> str:
        """Returns the sizes of the table.

        Returns
        -------
        str
            Text for the repr.
        """
        end = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        end += "" if self.max_norm is None else f", max_norm={self.max_norm}"
        return f"{self.num_embeddings}, {self.embedding_dim}{end}"


class EmbeddingBag(Module):
    """Sums, means or maxima of rows of a table, see `rushlight.nn.functional.embedding_bag`.

    Parameters
    ----------
    num_embeddings, embedding_dim
        Number of rows and their length.
    max_norm
        Rows that are used are first scaled, in place, so that their norm is at most this; None for no limit.
    norm_type
        The order of that norm.
    scale_grad_by_freq
        Whether the gradient of a row is divided by the number of its uses.
    mode
        ``"sum"``, ``"mean"`` or ``"max"``.
    sparse
        Whether the gradient of the table is sparse, for `SGD`, `Adagrad` or `SparseAdam`.
    include_last_offset
        Whether the last offset is the end of the last bag.
    padding_idx
        A row that counts as absent, is 0 at first and gets no gradient.
    device, dtype
        Device and dtype of the table; the CPU and float32 by default.

    Raises
    ------
    ValueError
        If `padding_idx` is not a row.

    Attributes
    ----------
    weight
        Shape ``(num_embeddings, embedding_dim)``, initially standard normal.

    Examples
    --------
    >>> import rushlight as rl
    >>> bags = rl.nn.EmbeddingBag(10, 4, mode="sum")
    >>> bags(rl.tensor([1, 2, 3]), rl.tensor([0, 2])).shape
    (2, 4)
    """

    ops = ("index_select", "index_add")

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        rows, width = (
            count("EmbeddingBag", "num_embeddings", num_embeddings),
            count("EmbeddingBag", "embedding_dim", embedding_dim),
        )
        if padding_idx is not None and not -rows <= padding_idx < rows:
            raise ValueError(f"EmbeddingBag: padding_idx {padding_idx} is not a row of {rows}")
        self.num_embeddings, self.embedding_dim = rows, width
        self.padding_idx = None if padding_idx is None else padding_idx % rows
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        if mode not in ("sum", "mean", "max"):
            raise ValueError(f"EmbeddingBag: mode {mode!r} is none of 'sum', 'mean', 'max'")
        self.mode, self.include_last_offset = mode, include_last_offset
        self.weight = Parameter(rl.empty((rows, width), device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws initial values for the parameters from the generator that `rushlight.manual_seed` seeds."""
        _draw(self.weight, self.padding_idx)

    def forward(
        self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None
    ) -> Tensor:
        """Reduces the rows of each bag.

        Parameters
        ----------
        input
            Indices ``(bags, size)``, or ``(total,)`` with `offsets`.
        offsets
            Where each bag begins.
        per_sample_weights
            Factors of the shape of `input`, with ``mode="sum"``.

        Returns
        -------
        Tensor
            Shape ``(bags, embedding_dim)``.
        """
        return F.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    def extra_repr(self) -> str:
        """Returns the sizes of the table, and the mode.

        Returns
        -------
        str
            Text for the repr.
        """
        end = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        end += "" if self.max_norm is None else f", max_norm={self.max_norm}"
        return f"{self.num_embeddings}, {self.embedding_dim}{end}, mode={self.mode!r}"


def _draw(weight: Tensor, padding_idx: int | None) -> None:
    """Draw standard normal rows, and set the padding row to 0."""
    init.normal_(weight)
    if padding_idx is not None:
        with rl.no_grad():
            row = weight.detach()
            row[padding_idx] = 0.0
