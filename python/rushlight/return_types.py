"""Named tuples that functions return."""

from __future__ import annotations

from typing import NamedTuple

from ._native import Tensor

__all__ = [
    "LU",
    "QR",
    "SVD",
    "USV",
    "CholeskyEx",
    "Eig",
    "Eigh",
    "Frexp",
    "Histogram",
    "InverseEx",
    "LUFactor",
    "LUFactorEx",
    "Lstsq",
    "MinMax",
    "Slogdet",
    "SolveEx",
    "ValuesIndices",
]


class ValuesIndices(NamedTuple):
    """Values and their indices: the result of `max`, `min` and `sort` with ``dim=``, as in PyTorch.

    Parameters
    ----------
    values
        The elements, of the input's dtype.
    indices
        Their positions along the axis, int64, of the same shape.

    Examples
    --------
    >>> import rushlight as rl
    >>> values, indices = rl.tensor([[3.0, 1.0], [2.0, 5.0]]).max(1)
    >>> values.tolist(), indices.tolist()
    ([3.0, 5.0], [0, 1])
    """

    values: Tensor
    indices: Tensor


class Frexp(NamedTuple):
    """Mantissas and exponents of 2: the result of `frexp`.

    Parameters
    ----------
    mantissa
        From 0.5 to below 1 in absolute value, or 0.
    exponent
        The exponents, int32, in the same shape.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.frexp(rl.tensor([6.0])).exponent.tolist()
    [3]
    """

    mantissa: Tensor
    exponent: Tensor


class MinMax(NamedTuple):
    """The smallest and the largest elements: the result of `aminmax`.

    Parameters
    ----------
    min
        The smallest elements.
    max
        The largest, in the same shape.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.aminmax(rl.tensor([2, 1, 3])).max.item()
    3
    """

    min: Tensor
    max: Tensor


class Histogram(NamedTuple):
    """Sums in intervals: the result of `histogram`.

    Parameters
    ----------
    hist
        The sum of each interval.
    bin_edges
        The edges, one more than there are intervals.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.histogram(rl.tensor([1.0, 3.0, 3.0]), bins=2).hist.tolist()
    [1.0, 2.0]
    """

    hist: Tensor
    bin_edges: Tensor


class HistogramDD(NamedTuple):
    """Sums in boxes: the result of `histogramdd`.

    Parameters
    ----------
    hist
        The sum of each box.
    bin_edges
        The edges of each dimension, one more than there are intervals.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.histogramdd(rl.tensor([[1.0, 3.0], [2.0, 3.0]]), bins=[2, 1]).hist.tolist()
    [[1.0], [1.0]]
    """

    hist: Tensor
    bin_edges: list[Tensor]


class CholeskyEx(NamedTuple):
    """Cholesky's factor and whether there is one: the result of `linalg.cholesky_ex`.

    Parameters
    ----------
    L
        The factor.
    info
        0, or the order of the first leading minor that is not positive.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.cholesky_ex(-rl.eye(2)).info.item()
    1
    """

    L: Tensor
    info: Tensor


class LUFactor(NamedTuple):
    """An LU factorization: the result of `linalg.lu_factor`.

    Parameters
    ----------
    LU
        Both factors in one matrix.
    pivots
        The row that each row is exchanged with, from 1 on.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.lu_factor(rl.eye(2)).pivots.tolist()
    [1, 2]
    """

    LU: Tensor
    pivots: Tensor


class LUFactorEx(NamedTuple):
    """An LU factorization and whether a pivot is 0: the result of `linalg.lu_factor_ex`.

    Parameters
    ----------
    LU
        Both factors in one matrix.
    pivots
        The row that each row is exchanged with, from 1 on.
    info
        0, or the number of the first pivot that is 0.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.lu_factor_ex(rl.zeros((2, 2))).info.item()
    1
    """

    LU: Tensor
    pivots: Tensor
    info: Tensor


class LU(NamedTuple):
    """Factors of matrices ``P @ L @ U``: the result of `linalg.lu`.

    Parameters
    ----------
    P
        Permutes rows.
    L
        Lower triangular, with ones on the diagonal.
    U
        Upper triangular.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.lu(rl.tensor([[0.0, 1.0], [2.0, 0.0]])).P.tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """

    P: Tensor
    L: Tensor
    U: Tensor


class QR(NamedTuple):
    """Factors of matrices ``Q @ R``: the result of `linalg.qr`.

    Parameters
    ----------
    Q
        With orthonormal columns.
    R
        Upper triangular.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.qr(rl.tensor([[3.0], [4.0]])).R.tolist()
    [[-5.0]]
    """

    Q: Tensor
    R: Tensor


class SVD(NamedTuple):
    """A singular value decomposition: the result of `linalg.svd`.

    Parameters
    ----------
    U
        With orthonormal columns.
    S
        The singular values, in descending order.
    Vh
        With orthonormal rows.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.svd(rl.tensor([[3.0], [4.0]])).S.tolist()
    [5.0]
    """

    U: Tensor
    S: Tensor
    Vh: Tensor


class USV(NamedTuple):
    """A singular value decomposition: the result of `svd`, which is PyTorch's older form.

    Parameters
    ----------
    U
        With orthonormal columns.
    S
        The singular values, in descending order.
    V
        With orthonormal columns.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.svd(rl.tensor([[3.0], [4.0]])).V.tolist()
    [[1.0]]
    """

    U: Tensor
    S: Tensor
    V: Tensor


class Eig(NamedTuple):
    """Eigenvalues and eigenvectors of general matrices: the result of `linalg.eig`.

    Parameters
    ----------
    eigenvalues
        Complex numbers.
    eigenvectors
        The columns of complex matrices.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.eig(rl.eye(2)).eigenvalues.tolist()
    [(1+0j), (1+0j)]
    """

    eigenvalues: Tensor
    eigenvectors: Tensor


class Eigh(NamedTuple):
    """Eigenvalues and eigenvectors of symmetric matrices: the result of `linalg.eigh`.

    Parameters
    ----------
    eigenvalues
        In ascending order.
    eigenvectors
        The columns of matrices.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.eigh(rl.eye(2)).eigenvalues.tolist()
    [1.0, 1.0]
    """

    eigenvalues: Tensor
    eigenvectors: Tensor


class Lstsq(NamedTuple):
    """A solution by least squares: the result of `linalg.lstsq`.

    Parameters
    ----------
    solution
        The matrices X.
    residuals
        Sums of squares of the columns of ``A @ X - B``, or empty.
    rank
        The ranks of the matrices.
    singular_values
        Their singular values.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.lstsq(rl.eye(2), rl.ones((2, 1))).rank.item()
    2
    """

    solution: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor


class InverseEx(NamedTuple):
    """Inverses and whether there are any: the result of `linalg.inv_ex`.

    Parameters
    ----------
    inverse
        The inverses.
    info
        0, or the number of the first pivot that is 0.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.inv_ex(rl.eye(2) * 2).inverse.tolist()
    [[0.5, 0.0], [0.0, 0.5]]
    """

    inverse: Tensor
    info: Tensor


class SolveEx(NamedTuple):
    """Solutions of systems and whether there are any: the result of `linalg.solve_ex`.

    Parameters
    ----------
    result
        The solutions.
    info
        0, or the number of the first pivot that is 0.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.solve_ex(rl.eye(2) * 2, rl.ones(2)).result.tolist()
    [0.5, 0.5]
    """

    result: Tensor
    info: Tensor


class Slogdet(NamedTuple):
    """Determinants by their logarithms: the result of `linalg.slogdet`.

    Parameters
    ----------
    sign
        The signs.
    logabsdet
        The logarithms of the magnitudes.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.slogdet(-rl.eye(3)).sign.item()
    -1.0
    """

    sign: Tensor
    logabsdet: Tensor
