"""Conversions of a tensor to sparse ones."""

from __future__ import annotations

from .. import _native as n
from .. import _types as t
from .._native import Tensor
from ..sparse import COOTensor, CSRTensor

__all__ = ["to_dense", "to_sparse", "to_sparse_coo", "to_sparse_csr"]


def to_sparse(self: Tensor, sparse_dim: int | None = None) -> COOTensor:
    """Converts to a sparse tensor by coordinates, in which elements that are 0 are not stored.

    Parameters
    ----------
    sparse_dim
        The number of dimensions, from the first on, that become sparse; all by default.

    Returns
    -------
    rushlight.sparse.COOTensor
        The sparse tensor, to which gradients flow.

    Raises
    ------
    ValueError
        If `sparse_dim` is not from 1 to the rank.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.tensor([[0.0, 5.0], [7.0, 0.0]]).to_sparse().indices().tolist()
    [[0, 1], [1, 0]]
    """
    k = self.ndim if sparse_dim is None else sparse_dim
    if not (1 <= k <= self.ndim or k == self.ndim == 0):
        raise ValueError(f"to_sparse: sparse_dim is from 1 to {self.ndim}, got {k}")
    stored = self.detach() != 0
    if k < self.ndim:
        stored = n.any(stored, axis=tuple(range(k, self.ndim)))
    if k == 0:
        nnz = int(stored.item())
        return COOTensor(
            n.zeros((0, nnz), dtype=t.int64, device=self.device), self.reshape(1)[:nnz], (), True
        )
    indices = n.stack(list(n.nonzero(stored)))
    return COOTensor.gathered(indices, self)


def to_sparse_csr(self: Tensor) -> CSRTensor:
    """Converts a matrix to compressed rows, in which elements that are 0 are not stored.

    Returns
    -------
    rushlight.sparse.CSRTensor
        The sparse matrix, to which gradients flow.

    Raises
    ------
    ValueError
        If this is not a matrix.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.tensor([[0.0, 5.0], [7.0, 0.0]]).to_sparse_csr().crow_indices().tolist()
    [0, 1, 2]
    """
    return to_sparse(self).to_sparse_csr()


def to_sparse_coo(self: Tensor) -> COOTensor:
    """Converts to a sparse tensor by coordinates, as `to_sparse` does.

    Returns
    -------
    rushlight.sparse.COOTensor
        The sparse tensor, to which gradients flow.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.tensor([0.0, 5.0]).to_sparse_coo().values().tolist()
    [5.0]
    """
    return to_sparse(self)


def to_dense(self: Tensor) -> Tensor:
    """Returns the tensor itself, which is dense, so that a function can take dense and sparse tensors.

    Returns
    -------
    Tensor
        The tensor.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.tensor([0.0, 5.0]).to_dense().tolist()
    [0.0, 5.0]
    """
    return self
