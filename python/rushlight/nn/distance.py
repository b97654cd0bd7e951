"""Distances and angles of vectors as layers."""

from __future__ import annotations

from rushlight._native import Tensor

from . import functional as F
from .module import Module

__all__ = [
    "CosineSimilarity",
    "PairwiseDistance",
]


class CosineSimilarity(Module):
    """The cosine of the angle between vectors, see `rushlight.nn.functional.cosine_similarity`.

    Parameters
    ----------
    dim
        The axis of the vectors.
    eps
        The least norm of a vector.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.CosineSimilarity()(rl.ones((1, 2)), -rl.ones((1, 2))).round().tolist()
    [-1.0]
    """

    ops = ("mul", "sum", "sqrt", "div")

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """Compares vectors.

        Parameters
        ----------
        x1, x2
            Shapes that broadcast; floating point.

        Returns
        -------
        Tensor
            One number for each pair of vectors.
        """
        return F.cosine_similarity(x1, x2, self.dim, self.eps)

    def extra_repr(self) -> str:
        """Returns the settings.

        Returns
        -------
        str
            Text for the repr.
        """
        return f"dim={self.dim}, eps={self.eps}"


class PairwiseDistance(Module):
    """The norm of differences along the last axis, see `rushlight.nn.functional.pairwise_distance`.

    Parameters
    ----------
    p
        The norm's order.
    eps
        Added to each difference.
    keepdim
        Whether the last axis stays, with length 1.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.PairwiseDistance(eps=0.0)(rl.tensor([[3.0, 4.0]]), rl.zeros((1, 2))).tolist()
    [5.0]
    """

    ops = ("sub", "sum", "sqrt")

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """Compares vectors.

        Parameters
        ----------
        x1, x2
            Shapes that broadcast; floating point.

        Returns
        -------
        Tensor
            One number for each pair of vectors.
        """
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)

    def extra_repr(self) -> str:
        """Returns the settings.

        Returns
        -------
        str
            Text for the repr.
        """
        return f"p={self.norm}, eps={self.eps}, keepdim={self.keepdim}"
