"""Sparse matrices in compressed rows (CSR)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight import _core as rl
from rushlight._native import Device, DType, Tensor

from ._base import Number, SparseTensor, sized, starts_of
from .coo import COOTensor

__all__ = ["CSRTensor", "sparse_csr_tensor"]


class CSRTensor(SparseTensor):
    """A sparse matrix in compressed rows (CSR): the form that products use.

    The elements of row r are those from ``crow_indices()[r]`` up to, but without, ``crow_indices()[r + 1]``,
    and `col_indices` has their columns. Make one with `sparse_csr_tensor`, `Tensor.to_sparse_csr` or
    `from_scipy`.

    Parameters
    ----------
    crow
        The first element of each row, and the number of elements, int64. Nothing is checked.
    col
        The column of each element, int64.
    values
        The elements.
    shape
        The number of rows and of columns.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.sparse_csr_tensor([0, 1, 1, 2], [1, 0], [5.0, 7.0], (3, 2))
    >>> x.to_dense().tolist()
    [[0.0, 5.0], [0.0, 0.0], [7.0, 0.0]]
    >>> (x @ rl.tensor([1.0, 10.0])).tolist()
    [50.0, 0.0, 7.0]
    """

    is_sparse_csr = True

    def __init__(self, crow: Tensor, col: Tensor, values: Tensor, shape: tuple[int, ...]) -> None:
        super().__init__(values, shape)
        self._crow = crow
        self._col = col

    def _with(self, values: Tensor) -> CSRTensor:
        return CSRTensor(self._crow, self._col, values, self._shape)

    def _parts(self) -> tuple[str, tuple[Any, ...]]:
        return "sparse_csr", (self._crow, self._col, self._values, self._shape)

    def __repr__(self) -> str:
        graph = ", requires_grad=True" if self.requires_grad else ""
        return (
            f"sparse_csr_tensor(crow_indices={self._crow.tolist()}, col_indices={self._col.tolist()}, "
            f"values={self._values.tolist()}, size={self._shape}, nnz={self.nnz}, dtype={self.dtype}, "
            f"device='{self.device}'{graph})"
        )

    @property
    def T(self) -> CSRTensor:
        """The transposed matrix."""
        return self.t()

    def crow_indices(self) -> Tensor:
        """Return the first element of each row, and the number of elements.

        Returns
        -------
        Tensor
            int64, with an entry more than there are rows.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.sparse_csr_tensor([0, 1, 1, 2], [1, 0], [5.0, 7.0]).crow_indices().tolist()
        [0, 1, 1, 2]
        """
        return self._crow

    def col_indices(self) -> Tensor:
        """Return the column of each stored element.

        Returns
        -------
        Tensor
            int64.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.sparse_csr_tensor([0, 1, 1, 2], [1, 0], [5.0, 7.0]).col_indices().tolist()
        [1, 0]
        """
        return self._col

    def _rows(self) -> Tensor:
        """Return the row of each stored element."""
        rows = rl.arange(self._shape[0], dtype=rl.int64, device=self.device)
        return rl.repeat_interleave(rows, self._crow[1:] - self._crow[:-1])

    def to_sparse_coo(self) -> COOTensor:
        """Convert to coordinates.

        Returns
        -------
        COOTensor
            The same elements, in the same order.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.sparse_csr_tensor([0, 1, 1, 2], [1, 0], [5.0, 7.0]).to_sparse_coo().indices().tolist()
        [[0, 2], [1, 0]]
        """
        return COOTensor(rl.stack([self._rows(), self._col]), self._values, self._shape)

    def to_sparse_csr(self) -> CSRTensor:
        """Return this matrix.

        Returns
        -------
        CSRTensor
            The matrix itself.

        Examples
        --------
        >>> import rushlight as rl
        >>> x = rl.sparse_csr_tensor([0, 1, 1, 2], [1, 0], [5.0, 7.0])
        >>> x.to_sparse_csr() is x
        True
        """
        return self

    def to_dense(self) -> Tensor:
        """Convert to a dense matrix.

        Returns
        -------
        Tensor
            The elements, and 0 elsewhere; elements at the same position are added.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.sparse_csr_tensor([0, 1, 2], [1, 0], [5.0, 7.0]).to_dense().tolist()
        [[0.0, 5.0], [7.0, 0.0]]
        """
        return self.to_sparse_coo().to_dense()

    def t(self) -> CSRTensor:
        """Transpose the matrix.

        Returns
        -------
        CSRTensor
            The transposed matrix, its elements sorted by their new row.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.sparse_csr_tensor([0, 1, 2], [1, 0], [5.0, 7.0], (2, 3)).t().to_dense().tolist()
        [[0.0, 7.0], [5.0, 0.0], [0.0, 0.0]]
        """
        order = rl.argsort(self._col, stable=True)
        crow = starts_of(self._col, self._shape[1])
        row, values = self._rows().index_select(0, order), self._values.index_select(0, order)
        return CSRTensor(crow, row, values, self._shape[::-1])

    def sum(self, dim: int | Sequence[int] | None = None) -> COOTensor | Tensor:
        """Add elements, all of them or along dimensions.

        Parameters
        ----------
        dim
            The dimensions to add along; all by default.

        Returns
        -------
        COOTensor or Tensor
            Sparse if a dimension is left, else dense.

        Raises
        ------
        IndexError
            If a dimension is out of range.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.sparse_csr_tensor([0, 1, 1, 2], [1, 0], [5.0, 7.0]).sum().item()
        12.0
        """
        return self.to_sparse_coo().sum(dim)

    def __add__(self, other: SparseTensor | Tensor) -> Any:
        result = self.to_sparse_coo() + other
        return result.to_sparse_csr() if isinstance(other, CSRTensor) else result

    __radd__ = __add__

    def __sub__(self, other: SparseTensor | Tensor) -> Any:
        if not isinstance(other, Tensor | SparseTensor):
            return NotImplemented
        return self + (-other)

    def __rsub__(self, other: Tensor) -> Any:
        return (-self) + other

    def __mul__(self, other: Number | Tensor | SparseTensor) -> Any:
        if isinstance(other, int | float):
            return self._mapped(lambda v: v * other)
        if isinstance(other, Tensor):
            return self._with((self.to_sparse_coo() * other).values())
        if not isinstance(other, SparseTensor):
            return NotImplemented
        return (self.to_sparse_coo() * other.to_sparse_coo()).to_sparse_csr()

    __rmul__ = __mul__


def sparse_csr_tensor(
    crow_indices: Any,
    col_indices: Any,
    values: Any,
    size: Sequence[int] | None = None,
    *,
    dtype: DType | None = None,
    device: Device | str | None = None,
    requires_grad: bool = False,
) -> CSRTensor:
    """Make a sparse matrix in compressed rows.

    Parameters
    ----------
    crow_indices
        The first element of each row, ascending from 0, and the number of elements.
    col_indices
        The column of each element.
    values
        The elements: a tensor, array or list.
    size
        The number of rows and columns; by default as few columns as hold all elements.
    dtype
        The dtype of the elements, by default that of `values`.
    device
        The device, by default that of `values`.
    requires_grad
        Whether gradients of the elements are computed.

    Returns
    -------
    CSRTensor
        The matrix. If `values` is a tensor, gradients flow to it.

    Raises
    ------
    IndexError
        If a column is out of range.
    ValueError
        If shapes do not fit, or `crow_indices` does not ascend from 0 to the number of elements.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.sparse_csr_tensor([0, 1, 1, 2], [1, 0], [5.0, 7.0])
    >>> x.shape, x.nnz
    ((3, 2), 2)
    """
    name = "sparse_csr_tensor"
    values = values if isinstance(values, Tensor) else rl.tensor(values)
    values = values.to(dtype or values.dtype)
    values = values if device is None else values.to(device)
    crow = sized(name, "crow_indices", crow_indices, 1, values.device)
    col = sized(name, "col_indices", col_indices, 1, values.device)
    if values.ndim != 1 or values.shape[0] != col.shape[0]:
        raise ValueError(f"{name}: {col.shape[0]} columns need as many values, got shape {values.shape}")
    least, most = (int(rl.min(col).item()), int(rl.max(col).item())) if col.size else (0, -1)
    shape = (crow.shape[0] - 1, most + 1) if size is None else tuple(size)
    if len(shape) != 2 or shape[0] != crow.shape[0] - 1:
        raise ValueError(
            f"{name}: size {shape} does not fit {crow.shape[0]} crow_indices, one more than there are rows"
        )
    ascends = not bool(rl.any(crow[1:] < crow[:-1]).item())
    if not ascends or int(crow[0].item()) != 0 or int(crow[-1].item()) != col.shape[0]:
        raise ValueError(f"{name}: crow_indices ascend from 0 to the number of elements, {col.shape[0]}")
    if least < 0 or most >= shape[1]:
        wrong = least if least < 0 else most
        raise IndexError(f"{name}: column {wrong} is out of range for {shape[1]} columns")
    made = CSRTensor(crow, col, values, shape)
    return made.requires_grad_() if requires_grad else made
