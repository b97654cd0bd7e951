"""Products and functions of sparse tensors, with the names of `torch.sparse`."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import overload

from rushlight import _core as rl
from rushlight._compose.axes import one_axis
from rushlight._native import DType, Tensor, _complex, _csr_matmul, _sampled_matmul

from ._base import Number, SparseTensor, place_of, starts_of
from .coo import COOTensor
from .csr import CSRTensor

__all__ = ["addmm", "log_softmax", "mm", "sampled_addmm", "softmax", "sum"]


def _rows(x: SparseTensor) -> CSRTensor:
    """Return a matrix in compressed rows, in which elements at the same position stay apart."""
    if isinstance(x, CSRTensor):
        return x
    x = x.to_sparse_coo()
    x._matrix("mm")
    row, col = x.indices()[0], x.indices()[1]
    values = x.values()
    if not x.is_coalesced():
        order = rl.argsort(row, stable=True)
        col, values = col.index_select(0, order), values.index_select(0, order)
    return CSRTensor(starts_of(row, x.shape[0]), col, values, x.shape)


@overload
def mm(mat1: SparseTensor, mat2: SparseTensor) -> SparseTensor: ...
@overload
def mm(mat1: SparseTensor, mat2: Tensor) -> Tensor: ...
@overload
def mm(mat1: Tensor, mat2: SparseTensor) -> Tensor: ...
def mm(mat1: SparseTensor | Tensor, mat2: SparseTensor | Tensor) -> SparseTensor | Tensor:
    """Multiply matrices of which at least one is sparse; also what ``@`` does.

    Elements of the sparse matrix that are not stored add nothing, also beside infinities and NaN.

    Parameters
    ----------
    mat1, mat2
        The matrices; the dense one can be a vector.

    Returns
    -------
    Tensor, or a sparse tensor
        Sparse if both are, in the layout of `mat1`. Gradients flow to the dense matrix and to the elements of
        the sparse ones.

    Raises
    ------
    ValueError
        If shapes do not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.sparse_coo_tensor([[0, 2], [1, 0]], [5.0, 7.0], (3, 2))
    >>> rl.sparse.mm(x, rl.tensor([[1.0], [10.0]])).tolist()
    [[50.0], [0.0], [7.0]]
    """
    if isinstance(mat1, SparseTensor) and isinstance(mat2, SparseTensor):
        product = _sparse_product(mat1, mat2)
        return product.to_sparse_csr() if isinstance(mat1, CSRTensor) else product
    if isinstance(mat2, SparseTensor):
        if isinstance(mat1, SparseTensor) or mat1.ndim == 0 or mat1.shape[-1] != mat2.shape[0]:
            raise ValueError(f"mm: shapes {mat1.shape} and {mat2.shape} do not fit")
        flat = (
            mat1.reshape((-1, mat1.shape[-1])) if mat1.size else mat1.reshape((_rest(mat1), mat1.shape[-1]))
        )
        result = _product(_rows(mat2).t(), flat.T).T
        return result.reshape((*mat1.shape[:-1], mat2.shape[1]))
    if not isinstance(mat1, SparseTensor):
        raise TypeError("mm: at least one matrix is sparse; for dense ones use rushlight.mm")
    if mat2.ndim not in (1, 2) or mat1.ndim != 2 or mat1.shape[1] != mat2.shape[0]:
        raise ValueError(f"mm: shapes {mat1.shape} and {mat2.shape} do not fit")
    if mat2.ndim == 1:
        return _product(_rows(mat1), mat2.unsqueeze(1)).squeeze(1)
    return _product(_rows(mat1), mat2)


def _rest(x: Tensor) -> int:
    total = 1
    for n in x.shape[:-1]:
        total *= n
    return total


def _product(a: CSRTensor, dense: Tensor) -> Tensor:
    dtype = rl.result_type(a.dtype, dense.dtype)

    def product(values: Tensor, dense: Tensor) -> Tensor:
        return _csr_matmul(values, dense, a.crow_indices(), a.col_indices())

    if dtype == rl.bool:
        return product(a.values().to(rl.int64), dense.to(rl.int64)) != 0
    return _by_parts(product, a.values(), dense, dtype)


def _by_parts(product: Callable[[Tensor, Tensor], Tensor], a: Tensor, b: Tensor, dtype: DType) -> Tensor:
    """Return a product, linear in both factors, of real parts where a factor is complex."""
    if not dtype.is_complex:
        return product(a.to(dtype), b.to(dtype))
    part = rl.float32 if dtype == rl.complex64 else rl.float64

    def parts(x: Tensor) -> tuple[Tensor, Tensor | None]:
        return (rl.real(x).to(part), rl.imag(x).to(part)) if x.dtype.is_complex else (x.to(part), None)

    (x, y), (u, v) = parts(a), parts(b)
    real = product(x, u) if y is None or v is None else product(x, u) - product(y, v)
    if y is None or v is None:
        imaginary = product(y, u) if y is not None else product(x, v if v is not None else u * 0)
    else:
        imaginary = product(x, v) + product(y, u)
    return _complex(real, imaginary)


def _sparse_product(a: SparseTensor, b: SparseTensor) -> COOTensor:
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[0]:
        raise ValueError(f"mm: shapes {a.shape} and {b.shape} do not fit")
    left, right = a.to_sparse_coo(), _rows(b)
    left._matrix("mm")
    row, inner = left.indices()[0], left.indices()[1]
    # Element k of the left matrix meets the elements of row inner[k] of the right one.
    first = right.crow_indices().index_select(0, inner)
    counts = right.crow_indices().index_select(0, inner + 1) - first
    which = rl.repeat_interleave(rl.arange(left.nnz, dtype=rl.int64, device=a.device), counts)
    before = rl.cumsum(counts, axis=0) - counts
    number = rl.arange(which.size, dtype=rl.int64, device=a.device)
    other = number - (before - first).index_select(0, which)
    indices = rl.stack([row.index_select(0, which), right.col_indices().index_select(0, other)])
    values = left.values().index_select(0, which) * right.values().index_select(0, other)
    return COOTensor(indices, values, (a.shape[0], b.shape[1])).coalesce()


def addmm(
    mat: Tensor, mat1: SparseTensor, mat2: Tensor, *, beta: Number = 1.0, alpha: Number = 1.0
) -> Tensor:
    """Add a matrix to the product of a sparse and a dense one.

    Parameters
    ----------
    mat
        The matrix to add, of a shape that broadcasts to the product's.
    mat1
        The sparse matrix.
    mat2
        The dense matrix.
    beta, alpha
        The factors of `mat` and of the product.

    Returns
    -------
    Tensor
        ``beta * mat + alpha * (mat1 @ mat2)``.

    Raises
    ------
    ValueError
        If shapes do not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.sparse_csr_tensor([0, 1, 2], [1, 0], [5.0, 7.0])
    >>> rl.sparse.addmm(rl.ones((2, 1)), x, rl.tensor([[1.0], [10.0]]), alpha=2.0).tolist()
    [[101.0], [15.0]]
    """
    product = mm(mat1, mat2)
    product = product if alpha == 1 else product * alpha
    return product + (mat if beta == 1 else mat * beta)


def sampled_addmm(
    input: SparseTensor, mat1: Tensor, mat2: Tensor, *, beta: Number = 1.0, alpha: Number = 1.0
) -> SparseTensor:
    """Add elements of a dense product to a sparse matrix, at its stored positions only.

    Parameters
    ----------
    input
        The sparse matrix.
    mat1, mat2
        The dense matrices.
    beta, alpha
        The factors of `input` and of the product.

    Returns
    -------
    A sparse tensor
        ``beta * input + alpha * (mat1 @ mat2)`` at the positions of `input`.

    Raises
    ------
    ValueError
        If shapes do not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.sparse_csr_tensor([0, 1, 2], [1, 0], [5.0, 7.0])
    >>> rl.sparse.sampled_addmm(x, rl.tensor([[1.0], [2.0]]), rl.tensor([[3.0, 4.0]])).values().tolist()
    [9.0, 13.0]
    """
    shape = (*mat1.shape[:1], *mat2.shape[1:2])
    if mat1.ndim != 2 or mat2.ndim != 2 or mat1.shape[1] != mat2.shape[0] or shape != input.shape:
        raise ValueError(f"sampled_addmm: shapes {input.shape}, {mat1.shape} and {mat2.shape} do not fit")
    coordinates = input.to_sparse_coo()
    coordinates._matrix("sampled_addmm")
    at = coordinates.indices()
    values = _by_parts(
        lambda x, y: _sampled_matmul(x, y.T, at[0], at[1]), mat1, mat2, rl.result_type(mat1.dtype, mat2.dtype)
    )
    return input._with(input.values() * beta + values * alpha)


def sum(
    input: SparseTensor, dim: int | Sequence[int] | None = None, dtype: DType | None = None
) -> COOTensor | Tensor:
    """Add elements of a sparse tensor, all of them or along dimensions.

    Parameters
    ----------
    input
        The sparse tensor.
    dim
        The dimensions to add along; all by default.
    dtype
        The dtype to convert the elements to before.

    Returns
    -------
    A sparse tensor, or Tensor
        Sparse if a sparse dimension is left, else dense.

    Raises
    ------
    IndexError
        If a dimension is out of range.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.sparse_coo_tensor([[0, 2], [1, 0]], [5.0, 7.0], (3, 2))
    >>> rl.sparse.sum(x, 1).to_dense().tolist()
    [5.0, 0.0, 7.0]
    """
    return (input if dtype is None else input.to(dtype)).to_sparse_coo().sum(dim)


def _groups(name: str, input: SparseTensor, dim: int, dtype: DType | None) -> tuple[COOTensor, Tensor, int]:
    """Return the elements, the line along a sparse dimension of each of them, and the number of lines."""
    x = (input if dtype is None else input.to(dtype)).to_sparse_coo().coalesce()
    at = one_axis(name, dim, x.ndim)
    if at >= x.sparse_dim:
        raise ValueError(f"{name}: dimension {at} is dense; apply {name} to values() instead")
    others = [d for d in builtins.range(x.sparse_dim) if d != at]
    if not others:
        return x, rl.zeros(x.nnz, dtype=rl.int64, device=x.device), 1
    rows = rl.stack([x.indices()[d] for d in others])
    lines, which = rl.unique_inverse(place_of(rows, tuple(x.shape[d] for d in others)))
    return x, which, lines.size


def _powers(
    name: str, input: SparseTensor, dim: int, dtype: DType | None
) -> tuple[COOTensor, Tensor, Tensor, Tensor]:
    """Return the elements, their lines, their distances from the largest of the line, and sums of powers."""
    x, which, lines = _groups(name, input, dim, dtype)
    v = x.values()
    start = rl.full((lines, *v.shape[1:]), -float("inf"), dtype=v.dtype, device=v.device)
    at = which.reshape((-1,) + (1,) * (v.ndim - 1)).expand(v.shape)
    largest = rl.scatter_reduce(start, 0, at, v.detach(), "amax")
    powers = v - largest.index_select(0, which)
    return x, which, powers, rl.zeros_like(start).index_add(0, which, rl.exp(powers))


def softmax(input: SparseTensor, dim: int, *, dtype: DType | None = None) -> COOTensor:
    """Compute softmax of the stored elements along a sparse dimension; others count as -inf.

    Parameters
    ----------
    input
        The sparse tensor.
    dim
        The dimension.
    dtype
        The dtype to convert the elements to before.

    Returns
    -------
    COOTensor
        The results, at the stored positions.

    Raises
    ------
    IndexError
        If the dimension is out of range.
    ValueError
        If it is a dense dimension.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.sparse_coo_tensor([[0, 0, 1], [0, 2, 1]], [3.0, 3.0, 8.0], (2, 3))
    >>> rl.sparse.softmax(x, 1).to_dense().tolist()
    [[0.5, 0.0, 0.5], [0.0, 1.0, 0.0]]
    """
    x, which, powers, total = _powers("softmax", input, dim, dtype)
    return x._with(rl.exp(powers) / total.index_select(0, which))


def log_softmax(input: SparseTensor, dim: int, *, dtype: DType | None = None) -> COOTensor:
    """Compute the logarithm of softmax of the stored elements along a sparse dimension; others count as -inf.

    Parameters
    ----------
    input
        The sparse tensor.
    dim
        The dimension.
    dtype
        The dtype to convert the elements to before.

    Returns
    -------
    COOTensor
        The results, at the stored positions.

    Raises
    ------
    IndexError
        If the dimension is out of range.
    ValueError
        If it is a dense dimension.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.sparse_coo_tensor([[0, 0, 1], [0, 2, 1]], [0.0, 0.0, 8.0], (2, 3))
    >>> [round(v, 4) for v in rl.sparse.log_softmax(x, 1).values().tolist()]
    [-0.6931, -0.6931, 0.0]
    """
    x, which, powers, total = _powers("log_softmax", input, dim, dtype)
    return x._with(powers - rl.log(total).index_select(0, which))
