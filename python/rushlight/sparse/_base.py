"""The base of sparse tensors of all layouts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from rushlight import _core as rl
from rushlight._native import Device, DType, Tensor

if TYPE_CHECKING:
    from .coo import COOTensor

__all__ = ["Number", "SparseTensor", "added", "coordinates", "place_of", "sized", "starts_of"]

Number = int | float
S = TypeVar("S", bound="SparseTensor")


class SparseTensor(ABC):
    """A tensor of which only some elements are stored; all others are 0.

    Its elements are a tensor, `values`, through which gradients flow; the positions are integer tensors.

    Parameters
    ----------
    values
        The stored elements.
    shape
        The shape, that of what is not stored included.

    Examples
    --------
    >>> import rushlight as rl
    >>> isinstance(rl.zeros(3).to_sparse(), rl.sparse.SparseTensor)
    True
    """

    # The elements come first in an operation with a dense tensor or a NumPy array.
    __array_ufunc__ = None
    is_sparse = False
    is_sparse_csr = False

    def __init__(self, values: Tensor, shape: tuple[int, ...]) -> None:
        self._values = values
        self._shape = shape

    @abstractmethod
    def _with(self: S, values: Tensor) -> S:
        """Return a tensor with other elements at the same positions."""

    @abstractmethod
    def to_sparse_coo(self) -> COOTensor:
        """Convert to coordinates.

        Returns
        -------
        COOTensor
            The same elements.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.zeros(3).to_sparse().to_sparse_coo().nnz
        0
        """

    @abstractmethod
    def to_dense(self) -> Tensor:
        """Convert to a dense tensor.

        Returns
        -------
        Tensor
            The elements, and 0 elsewhere; elements at the same position are added.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.zeros(3).to_sparse().to_dense().tolist()
        [0.0, 0.0, 0.0]
        """

    @abstractmethod
    def _parts(self) -> tuple[str, tuple[Any, ...]]:
        """Return the layout's name in PyTorch, and the parts that its files have: positions, elements, ..."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The size of each dimension."""
        return self._shape

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self._shape)

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self._values.dtype

    @property
    def device(self) -> Device:
        """The device of the elements and the positions."""
        return self._values.device

    @property
    def nnz(self) -> int:
        """The number of stored elements; those at the same position count each."""
        return int(self._values.shape[0])

    @property
    def requires_grad(self) -> bool:
        """Whether gradients of the elements are computed."""
        return bool(self._values.requires_grad)

    @property
    def grad(self: S) -> S | None:
        """The gradient of the elements after `backward`, at the same positions."""
        grad = self._values.grad
        return None if grad is None else self._with(grad)

    def requires_grad_(self: S, requires_grad: bool = True) -> S:
        """Set whether gradients of the elements are computed.

        Parameters
        ----------
        requires_grad
            Whether they are.

        Returns
        -------
        SparseTensor
            This tensor.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.sparse_coo_tensor([[2, 0]], [1.0, -2.0], (4,)).requires_grad_().requires_grad
        True
        """
        self._values.requires_grad_(requires_grad)
        return self

    def size(self, dim: int | None = None) -> tuple[int, ...] | int:
        """Return the shape, or the size of a dimension.

        Parameters
        ----------
        dim
            The dimension; all by default.

        Returns
        -------
        tuple of int, or int
            The size.

        Raises
        ------
        IndexError
            If the dimension is out of range.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.sparse_coo_tensor([[2, 0]], [1.0, -2.0], (4,)).size(0)
        4
        """
        return self._shape if dim is None else self._shape[dim]

    def numel(self) -> int:
        """Return the number of elements, those that are not stored included.

        Returns
        -------
        int
            The product of the shape.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.sparse_coo_tensor([[2, 0]], [1.0, -2.0], (4,)).numel()
        4
        """
        total = 1
        for n in self._shape:
            total *= n
        return total

    def values(self) -> Tensor:
        """Return the stored elements.

        Returns
        -------
        Tensor
            Its first axis has an entry for each of them.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.sparse_coo_tensor([[2, 0]], [1.0, -2.0], (4,)).values().tolist()
        [1.0, -2.0]
        """
        return self._values

    def detach(self: S) -> S:
        """Return the same elements without their graph of gradients.

        Returns
        -------
        SparseTensor
            A tensor that shares its memory with this one.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.sparse_coo_tensor([[2, 0]], [1.0, -2.0], (4,)).requires_grad_().detach().requires_grad
        False
        """
        return self._with(self._values.detach())

    def _mapped(self: S, f: Callable[[Tensor], Tensor]) -> S:
        return self._with(f(self._values))

    def clone(self: S) -> S:
        """Copy the elements.

        Returns
        -------
        SparseTensor
            The copy, through which gradients flow.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.sparse_coo_tensor([[2, 0]], [1.0, -2.0], (4,)).clone().values().tolist()
        [1.0, -2.0]
        """
        return self._mapped(lambda v: v.clone())

    def to(self: S, dtype: DType) -> S:
        """Convert the elements to a dtype.

        Parameters
        ----------
        dtype
            The dtype.

        Returns
        -------
        SparseTensor
            The converted elements.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.sparse_coo_tensor([[2, 0]], [1.0, -2.0], (4,)).to(rl.float64).dtype
        rushlight.float64
        """
        return self._mapped(lambda v: v.to(dtype))

    def float(self: S) -> S:
        """Convert to float32.

        Returns
        -------
        SparseTensor
            The converted elements.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.sparse_coo_tensor([[2, 0]], [1.0, -2.0], (4,)).float().dtype
        rushlight.float32
        """
        return self.to(rl.float32)

    def double(self: S) -> S:
        """Convert to float64.

        Returns
        -------
        SparseTensor
            The converted elements.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.sparse_coo_tensor([[2, 0]], [1.0, -2.0], (4,)).double().dtype
        rushlight.float64
        """
        return self.to(rl.float64)

    def half(self: S) -> S:
        """Convert to float16.

        Returns
        -------
        SparseTensor
            The converted elements.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.sparse_coo_tensor([[2, 0]], [1.0, -2.0], (4,)).half().dtype
        rushlight.float16
        """
        return self.to(rl.float16)

    def abs(self: S) -> S:
        """Return magnitudes.

        Returns
        -------
        SparseTensor
            The magnitude of each stored element.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.sparse_coo_tensor([[2, 0]], [1.0, -2.0], (4,)).abs().to_dense().tolist()
        [2.0, 0.0, 1.0, 0.0]
        """
        return self._mapped(rl.abs)

    def __abs__(self: S) -> S:
        return self.abs()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        # Without it NumPy makes an array of one object.
        raise TypeError("a sparse tensor is not converted to a NumPy array; use to_dense() first")

    def __neg__(self: S) -> S:
        return self._mapped(lambda v: -v)

    def __truediv__(self: S, other: Number) -> S:
        if not isinstance(other, int | float):
            return NotImplemented
        return self._mapped(lambda v: v / other)

    def __len__(self) -> int:
        return self._shape[0]

    def __matmul__(self, other: Any) -> Any:
        from .products import mm

        return mm(self, other) if isinstance(other, Tensor | SparseTensor) else NotImplemented

    def __rmatmul__(self, other: Any) -> Any:
        from .products import mm

        return mm(other, self) if isinstance(other, Tensor) else NotImplemented


def place_of(indices: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Return the number of each position in row-major order."""
    total = 1
    for n in shape:
        total *= n
    if total >= 2**63:
        raise ValueError(f"the sparse dimensions {shape} have more positions than int64 can count")
    place = rl.zeros(indices.shape[1], dtype=rl.int64, device=indices.device)
    for d, n in enumerate(shape):
        place = place * n + indices[d]
    return place


def added(start: Tensor, index: Tensor, values: Tensor) -> Tensor:
    """Add entries to those of axis 0 at indices. A bool is true if one of its summands is."""
    if start.dtype == rl.bool:
        return start.to(rl.int64).index_add(0, index, values.to(rl.int64)) != 0
    return start.index_add(0, index, values)


def coordinates(places: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Return the positions of numbers in row-major order; the inverse of `place_of`."""
    if not shape:
        return rl.zeros((0, places.size), dtype=rl.int64, device=places.device)
    return rl.stack(list(rl.unravel_index(places, shape)))


def sized(name: str, what: str, given: Any, ndim: int, device: Device) -> Tensor:
    """Return integers of a rank as int64 on a device."""
    x = given.detach() if isinstance(given, Tensor) else rl.tensor(given)
    if x.ndim != ndim:
        raise ValueError(f"{name}: {what} has rank {ndim}, got shape {x.shape}")
    if "integer" not in x.dtype.kind and x.size:
        raise TypeError(f"{name}: {what} are integers, got {x.dtype}")
    return x.to(rl.int64).to(device)


def starts_of(rows: Tensor, count: int) -> Tensor:
    """Return the first entry of each row, and the number of entries, of sorted rows."""
    ends = rl.cumsum(rl.bincount(rows, minlength=count), axis=0)
    return rl.concat([rl.zeros(1, dtype=rl.int64, device=rows.device), ends.to(rl.int64)])
