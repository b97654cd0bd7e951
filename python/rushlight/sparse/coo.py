"""Sparse tensors by coordinates (COO)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rushlight import _core as rl
from rushlight._compose.axes import one_axis
from rushlight._native import Device, DType, Tensor

from ._base import Number, SparseTensor, added, coordinates, place_of, sized, starts_of

if TYPE_CHECKING:
    from .csr import CSRTensor

__all__ = ["COOTensor", "sparse_coo_tensor"]


class COOTensor(SparseTensor):
    """A sparse tensor by coordinates: `indices` has a column for each stored element.

    Make one with `sparse_coo_tensor`, `Tensor.to_sparse` or `from_scipy`. The first dimensions, one for each
    row of `indices`, are sparse; what follows is dense: a stored element then is a tensor (hybrid). Stored
    elements at the same position count as their sum; `coalesce` adds them.

    Parameters
    ----------
    indices
        The positions: int64, a column for each stored element. They are not checked.
    values
        The stored elements.
    shape
        The shape.
    is_coalesced
        Whether the positions are sorted and distinct.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.sparse_coo_tensor([[0, 2], [1, 0]], [5.0, 7.0], (3, 2))
    >>> x.to_dense().tolist()
    [[0.0, 5.0], [0.0, 0.0], [7.0, 0.0]]
    >>> (x @ rl.tensor([[1.0], [10.0]])).tolist()
    [[50.0], [0.0], [7.0]]
    """

    is_sparse = True

    def __init__(
        self, indices: Tensor, values: Tensor, shape: tuple[int, ...], is_coalesced: bool = False
    ) -> None:
        super().__init__(values, shape)
        self._indices = indices
        self._coalesced = is_coalesced

    def _with(self, values: Tensor) -> COOTensor:
        return COOTensor(self._indices, values, self._shape, self._coalesced)

    def _parts(self) -> tuple[str, tuple[Any, ...]]:
        return "sparse_coo", (self._indices, self._values, self._shape, self._coalesced)

    def __repr__(self) -> str:
        graph = ", requires_grad=True" if self.requires_grad else ""
        return (
            f"sparse_coo_tensor(indices={self._indices.tolist()}, values={self._values.tolist()}, "
            f"size={self._shape}, nnz={self.nnz}, dtype={self.dtype}, device='{self.device}'{graph})"
        )

    @property
    def sparse_dim(self) -> int:
        """The number of sparse dimensions, which come first."""
        return int(self._indices.shape[0])

    @property
    def dense_dim(self) -> int:
        """The number of dense dimensions."""
        return self._values.ndim - 1

    @property
    def T(self) -> COOTensor:
        """The transposed matrix."""
        return self.t()

    def indices(self) -> Tensor:
        """Return the positions.

        Returns
        -------
        Tensor
            int64, with a row for each sparse dimension and a column for each stored element.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.sparse_coo_tensor([[0, 2], [1, 0]], [5.0, 7.0], (3, 2)).indices().tolist()
        [[0, 2], [1, 0]]
        """
        return self._indices

    def is_coalesced(self) -> bool:
        """Tell whether positions are known to be sorted and distinct.

        Returns
        -------
        bool
            False also where it is not known.

        Examples
        --------
        >>> import rushlight as rl
        >>> x = rl.sparse_coo_tensor([[0, 2], [1, 0]], [5.0, 7.0], (3, 2))
        >>> x.is_coalesced(), x.coalesce().is_coalesced()
        (False, True)
        """
        return self._coalesced

    def coalesce(self) -> COOTensor:
        """Sort the positions and add stored elements at the same position.

        Returns
        -------
        COOTensor
            The same tensor with distinct positions, in row-major order.

        Examples
        --------
        >>> import rushlight as rl
        >>> x = rl.sparse_coo_tensor([[2, 0, 2]], [1.0, 2.0, 3.0], (4,)).coalesce()
        >>> x.indices().tolist(), x.values().tolist()
        ([[0, 2]], [2.0, 4.0])
        """
        if self._coalesced:
            return self
        shape = self._shape[: self.sparse_dim]
        places, which = rl.unique_inverse(place_of(self._indices, shape))
        values = rl.zeros((places.size, *self._values.shape[1:]), dtype=self.dtype, device=self.device)
        values = added(values, which, self._values)
        return COOTensor(coordinates(places, shape), values, self._shape, True)

    def to_sparse_coo(self) -> COOTensor:
        """Return this tensor.

        Returns
        -------
        COOTensor
            The tensor itself.

        Examples
        --------
        >>> import rushlight as rl
        >>> x = rl.sparse_coo_tensor([[0, 2], [1, 0]], [5.0, 7.0], (3, 2))
        >>> x.to_sparse_coo() is x
        True
        """
        return self

    def to_dense(self) -> Tensor:
        """Convert to a dense tensor.

        Returns
        -------
        Tensor
            The elements, and 0 elsewhere; elements at the same position are added.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.sparse_coo_tensor([[1, 1]], [5.0, 7.0], (3,)).to_dense().tolist()
        [0.0, 12.0, 0.0]
        """
        return self._added_to(rl.zeros(self._shape, dtype=self.dtype, device=self.device))

    def _added_to(self, dense: Tensor) -> Tensor:
        k = self.sparse_dim
        flat = (
            dense.reshape((-1 if self.numel() else 0, *self._shape[k:]))
            if k
            else dense.reshape((1, *self._shape))
        )
        return added(flat, place_of(self._indices, self._shape[:k]), self._values).reshape(self._shape)

    def to_sparse_csr(self) -> CSRTensor:
        """Convert a matrix to compressed rows; elements at the same position are added.

        Returns
        -------
        CSRTensor
            The same matrix.

        Raises
        ------
        ValueError
            If this is not a matrix of numbers.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.sparse_coo_tensor([[0, 2], [1, 0]], [5.0, 7.0], (3, 2)).to_sparse_csr().crow_indices().tolist()
        [0, 1, 1, 2]
        """
        from .csr import CSRTensor

        self._matrix("to_sparse_csr")
        x = self.coalesce()
        return CSRTensor(starts_of(x._indices[0], self._shape[0]), x._indices[1], x._values, self._shape)

    def _matrix(self, name: str) -> None:
        if self.sparse_dim != 2 or self.dense_dim != 0:
            raise ValueError(
                f"{name}: expected a sparse matrix, got {self.sparse_dim} sparse and {self.dense_dim} dense "
                f"dimensions"
            )

    def transpose(self, dim0: int, dim1: int) -> COOTensor:
        """Exchange two sparse dimensions.

        Parameters
        ----------
        dim0, dim1
            The dimensions.

        Returns
        -------
        COOTensor
            A tensor that shares its elements with this one.

        Raises
        ------
        IndexError
            If a dimension is out of range.
        ValueError
            If a dimension is dense.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.sparse_coo_tensor([[0, 2], [1, 0]], [5.0, 7.0], (3, 2)).transpose(0, 1).to_dense().tolist()
        [[0.0, 0.0, 7.0], [5.0, 0.0, 0.0]]
        """
        a, b = (one_axis("transpose", dim, self.ndim) for dim in (dim0, dim1))
        if max(a, b) >= self.sparse_dim:
            raise ValueError(f"transpose: dimension {max(a, b)} is dense; only sparse ones can be exchanged")
        order, shape = list(range(self.sparse_dim)), list(self._shape)
        order[a], order[b], shape[a], shape[b] = b, a, shape[b], shape[a]
        rows = rl.stack([self._indices[k] for k in order])
        return COOTensor(rows, self._values, tuple(shape), self._coalesced and a == b)

    def t(self) -> COOTensor:
        """Transpose a matrix.

        Returns
        -------
        COOTensor
            The transposed matrix.

        Raises
        ------
        ValueError
            If this is not a sparse matrix.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.sparse_coo_tensor([[0, 2], [1, 0]], [5.0, 7.0], (3, 2)).t().shape
        (2, 3)
        """
        self._matrix("t")
        return self.transpose(0, 1)

    def sum(self, dim: int | Sequence[int] | None = None) -> COOTensor | Tensor:
        """Add elements, all of them or along dimensions.

        Parameters
        ----------
        dim
            The dimensions to add along; all by default.

        Returns
        -------
        COOTensor or Tensor
            Sparse if a sparse dimension is left, else dense.

        Raises
        ------
        IndexError
            If a dimension is out of range.

        Examples
        --------
        >>> import rushlight as rl
        >>> x = rl.sparse_coo_tensor([[0, 2], [1, 0]], [5.0, 7.0], (3, 2))
        >>> x.sum().item(), x.sum(0).to_dense().tolist()
        (12.0, [7.0, 5.0])
        """
        if dim is None:
            return self._values.sum()
        dims = {one_axis("sum", d, self.ndim) for d in ([dim] if isinstance(dim, int) else dim)}
        k = self.sparse_dim
        dense = tuple(d - k + 1 for d in sorted(dims) if d >= k)
        left = [d for d in range(k) if d not in dims]
        # A sum counts what is true.
        values = self._values.to(rl.int64) if self.dtype == rl.bool else self._values
        values = rl.sum(values, axis=dense) if dense else values
        if not left:
            return rl.sum(values, axis=0)
        indices = rl.stack([self._indices[d] for d in left])
        shape = tuple(n for d, n in enumerate(self._shape) if d not in dims)
        return COOTensor(indices, values, shape, self._coalesced and len(left) == k).coalesce()

    @classmethod
    def gathered(cls, indices: Tensor, dense: Tensor) -> COOTensor:
        """Store the elements of a dense tensor at some positions.

        Parameters
        ----------
        indices
            The positions: int64, in row-major order, each once.
        dense
            The tensor.

        Returns
        -------
        COOTensor
            The sparse tensor, to which gradients flow.

        Examples
        --------
        >>> import rushlight as rl
        >>> at = rl.tensor([[0, 2]])
        >>> rl.sparse.COOTensor.gathered(at, rl.tensor([4.0, 5.0, 6.0])).values().tolist()
        [4.0, 6.0]
        """
        places = cls(indices, indices, dense.shape, True)
        return places._with(places._gathered(dense))

    def _gathered(self, dense: Tensor) -> Tensor:
        """Return the elements of a dense tensor of this shape at the stored positions."""
        k = self.sparse_dim
        flat = dense.broadcast_to(self._shape).reshape((-1 if self.numel() else 0, *self._shape[k:]))
        return flat.index_select(0, place_of(self._indices, self._shape[:k]))

    def __add__(self, other: SparseTensor | Tensor) -> Any:
        if isinstance(other, Tensor):
            return self._added_to(other.broadcast_to(self._shape))
        if not isinstance(other, SparseTensor):
            return NotImplemented
        other = other.to_sparse_coo()
        if other.shape != self._shape or other.sparse_dim != self.sparse_dim:
            raise ValueError(f"add: sparse tensors of shapes {self._shape} and {other.shape} do not fit")
        indices = rl.concat([self._indices, other._indices], axis=1)
        return COOTensor(indices, rl.concat([self._values, other._values]), self._shape).coalesce()

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
            return self._with(self._values * self._gathered(other))
        if not isinstance(other, SparseTensor):
            return NotImplemented
        a, b = self.coalesce(), other.to_sparse_coo().coalesce()
        if a.shape != b.shape or a.sparse_dim != b.sparse_dim:
            raise ValueError(f"mul: sparse tensors of shapes {a.shape} and {b.shape} do not fit")
        shape = self._shape[: self.sparse_dim]
        mine, its = place_of(a._indices, shape), place_of(b._indices, shape)
        if b.nnz == 0 or a.nnz == 0:
            return a if a.nnz == 0 else a._picked(rl.zeros(0, dtype=rl.int64, device=self.device))
        at = rl.searchsorted(its, mine).clamp(max=b.nnz - 1)
        both = rl.nonzero(its.index_select(0, at) == mine)[0]
        picked = a._picked(both)
        return picked._with(picked._values * b._values.index_select(0, at.index_select(0, both)))

    __rmul__ = __mul__

    def _picked(self, entries: Tensor) -> COOTensor:
        indices, values = self._indices.index_select(1, entries), self._values.index_select(0, entries)
        return COOTensor(indices, values, self._shape, self._coalesced)


def sparse_coo_tensor(
    indices: Any,
    values: Any,
    size: Sequence[int] | None = None,
    *,
    dtype: DType | None = None,
    device: Device | str | None = None,
    requires_grad: bool = False,
    is_coalesced: bool | None = None,
) -> COOTensor:
    """Make a sparse tensor by coordinates.

    Parameters
    ----------
    indices
        Positions: a tensor, array or nested list of integers with a row for each sparse dimension and a
        column for each element. They must be inside `size`.
    values
        The elements: a tensor, array or list with an entry for each column of `indices`. Further axes are
        dense dimensions.
    size
        The shape; by default the smallest one that holds all elements.
    dtype
        The dtype of the elements, by default that of `values`.
    device
        The device, by default that of `values`.
    requires_grad
        Whether gradients of the elements are computed.
    is_coalesced
        Whether the positions are sorted and distinct, which is not checked.

    Returns
    -------
    COOTensor
        The sparse tensor. If `values` is a tensor, gradients flow to it.

    Raises
    ------
    IndexError
        If an index is outside `size`.
    ValueError
        If shapes do not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.sparse_coo_tensor([[0, 2], [1, 0]], [5.0, 7.0])
    >>> x.shape, x.nnz
    ((3, 2), 2)
    """
    name = "sparse_coo_tensor"
    values = values if isinstance(values, Tensor) else rl.tensor(values)
    values = values.to(dtype or values.dtype)
    values = values if device is None else values.to(device)
    at = sized(name, "indices", indices, 2, values.device)
    if values.ndim == 0 or values.shape[0] != at.shape[1]:
        raise ValueError(
            f"{name}: indices of shape {at.shape} need {at.shape[1]} values, got shape {values.shape}"
        )
    most = rl.max(at, axis=1).tolist() if at.shape[1] else [-1] * at.shape[0]
    if at.shape[1] and int(rl.min(at).item()) < 0:
        raise IndexError(f"{name}: an index is negative")
    shape = (*(n + 1 for n in most), *values.shape[1:]) if size is None else tuple(size)
    if len(shape) != at.shape[0] + values.ndim - 1 or shape[at.shape[0] :] != values.shape[1:]:
        raise ValueError(
            f"{name}: size {shape} does not fit {at.shape[0]} sparse dimensions and values of shape "
            f"{values.shape}"
        )
    for d, last in enumerate(most):
        if last >= shape[d]:
            raise IndexError(f"{name}: index {last} is out of range for dimension {d} with size {shape[d]}")
    made = COOTensor(at, values, shape, bool(is_coalesced))
    return made.requires_grad_() if requires_grad else made
