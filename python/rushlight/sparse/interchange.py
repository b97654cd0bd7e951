"""Exchange with SciPy."""

from __future__ import annotations

import importlib
from typing import Any

from rushlight import _core as rl
from rushlight._native import Device

from ._base import SparseTensor
from .coo import COOTensor, sparse_coo_tensor
from .csr import CSRTensor, sparse_csr_tensor

__all__ = ["from_scipy", "to_scipy"]


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

    Raises
    ------
    TypeError
        If `x` is not sparse.

    Examples
    --------
    >>> import rushlight as rl
    >>> from scipy.sparse import csr_array
    >>> rl.sparse.from_scipy(csr_array([[0.0, 5.0], [7.0, 0.0]])).to_dense().tolist()
    [[0.0, 5.0], [7.0, 0.0]]
    """
    if not hasattr(x, "tocoo"):
        raise TypeError(f"from_scipy: x is a sparse array or matrix of SciPy, got {type(x).__name__}")
    shape = tuple(int(n) for n in x.shape)
    if x.format == "csr":
        crow, col = (rl.asarray(a.astype("int64"), device="cpu") for a in (x.indptr, x.indices))
        return sparse_csr_tensor(crow, col, rl.asarray(x.data), shape, device=device)
    x = x.tocoo()
    axes = x.coords if hasattr(x, "coords") else (x.row, x.col)
    indices = rl.stack([rl.asarray(a.astype("int64"), device="cpu") for a in axes])
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
    scipy_sparse = importlib.import_module("scipy.sparse")

    values = x.values().detach().numpy(force=True)
    if isinstance(x, CSRTensor):
        return scipy_sparse.csr_array(
            (values, x.col_indices().numpy(force=True), x.crow_indices().numpy(force=True)), x.shape
        )
    x = x.to_sparse_coo()
    if x.dense_dim:
        raise ValueError(f"to_scipy: the tensor has {x.dense_dim} dense dimensions")
    return scipy_sparse.coo_array((values, tuple(x.indices().numpy(force=True))), x.shape)
