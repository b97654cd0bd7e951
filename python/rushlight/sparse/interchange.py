"""Exchange with SciPy, and conversion from dense tensors."""

from __future__ import annotations

from typing import Any

from rushlight import _core as rl
from rushlight._native import Device, Tensor

from ._base import SparseTensor
from .coo import COOTensor, sparse_coo_tensor
from .csr import CSRTensor, sparse_csr_tensor

__all__ = ["from_scipy", "to_scipy", "to_sparse", "to_sparse_csr"]


def from_scipy(x: Any, device: Device | str | None = None) -> COOTensor | CSRTensor:
    """Convert a sparse array or matrix of SciPy.

    Parameters
    ----------
    x
        The array. The format CSR stays CSR; any other one becomes COO.
    device
        The device, the CPU by default.

    Returns
    -------
    CSRTensor or COOTensor
        A copy.

    Examples
    --------
    >>> import rushlight as rl
    >>> from scipy.sparse import csr_array
    >>> rl.sparse.from_scipy(csr_array([[0.0, 5.0], [7.0, 0.0]])).to_dense().tolist()
    [[0.0, 5.0], [7.0, 0.0]]
    """
    shape = tuple(int(n) for n in x.shape)
    if x.format == "csr":
        parts = (rl.asarray(a.astype("int64")) for a in (x.indptr, x.indices))
        return sparse_csr_tensor(*parts, rl.asarray(x.data), shape, device=device)
    x = x.tocoo()
    axes = x.coords if hasattr(x, "coords") else (x.row, x.col)
    indices = rl.stack([rl.asarray(a.astype("int64")) for a in axes])
    return sparse_coo_tensor(indices, rl.asarray(x.data), shape, device=device)


def to_scipy(x: SparseTensor) -> Any:
    """Convert to a sparse array of SciPy.

    Parameters
    ----------
    x
        The sparse tensor, without dense dimensions.

    Returns
    -------
    scipy.sparse.csr_array or scipy.sparse.coo_array
        A copy, in the layout of `x`.

    Raises
    ------
    ImportError
        If SciPy is not installed.
    ValueError
        If `x` has dense dimensions.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.sparse.to_scipy(rl.sparse_csr_tensor([0, 1, 2], [1, 0], [5.0, 7.0])).toarray().tolist()
    [[0.0, 5.0], [7.0, 0.0]]
    """
    from scipy.sparse import coo_array, csr_array

    values = x.values().detach().numpy(force=True)
    if isinstance(x, CSRTensor):
        return csr_array((values, x.col_indices().numpy(force=True), x.crow_indices().numpy(force=True)), x.shape)
    x = x.to_sparse_coo()
    if x.dense_dim:
        raise ValueError(f"to_scipy: the tensor has {x.dense_dim} dense dimensions")
    return coo_array((values, tuple(x.indices().numpy(force=True))), x.shape)


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
        stored = rl.any(stored, axis=tuple(range(k, self.ndim)))
    if k == 0:
        nnz = int(stored.item())
        return COOTensor(
            rl.zeros((0, nnz), dtype=rl.int64, device=self.device), self.reshape(1)[:nnz], (), True
        )
    indices = rl.stack(list(rl.nonzero(stored)))
    whole = COOTensor(indices, indices, self.shape, True)
    return whole._with(whole._gathered(self))


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
