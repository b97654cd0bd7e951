"""Functions of the native module with PyTorch's further parameters, which replace them."""

from __future__ import annotations

from .. import _native as n
from .._check import typed
from .._native import DType, Tensor
from .axes import Number
from .complex import by_parts

__all__ = [
    "index_add",
    "log_softmax",
    "scatter",
    "scatter_add",
    "set_printoptions",
    "softmax",
    "take",
]

_take = n.take
_scatter = n.scatter
_scatter_add = n.scatter_add
_index_add = n.index_add
_softmax = n.softmax
_log_softmax = n.log_softmax
_set_printoptions = n.set_printoptions

_PROFILES = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2},
    "full": {"precision": 4, "threshold": 2**62, "edgeitems": 3},
}


@typed
def take(x: Tensor, indices: Tensor, /, axis: int | None = None, *, dim: int | None = None) -> Tensor:
    """Selects entries along an axis, or elements of the flattened tensor, by indices of any shape.

    Parameters
    ----------
    x
        Any shape and dtype.
    indices
        Integers. Negative ones of a signed dtype count from the end.
    axis, dim
        The axis; without one the indices are those of the elements in row-major order, as in NumPy and
        PyTorch.

    Returns
    -------
    Tensor
        With an axis the entries: the axis is replaced by the axes of `indices`. Else the elements, in the
        shape of `indices`.

    Raises
    ------
    IndexError
        If an index or the axis is out of range.
    TypeError
        If the indices are not integers, or axis and dim are both given.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.tensor([[1, 2, 3], [4, 5, 6]])
    >>> rl.take(x, rl.tensor([2, 0]), axis=1).tolist()
    [[3, 1], [6, 4]]
    >>> rl.take(x, rl.tensor([[5], [0]])).tolist()
    [[6], [1]]
    """
    if axis is None and dim is None and x.ndim != 1:
        return _take(n.reshape(x, (x.numel(),)), indices, axis=0)
    return _take(x, indices, axis=axis, dim=dim)


@typed
def scatter(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor | Number | None = None,
    *,
    value: Number | None = None,
    reduce: str | None = None,
) -> Tensor:
    """Returns a copy with elements written at indices: ``out[i, index[i, j]] = src[i, j]`` along axis 1.

    Of equal indices the last one wins; with `reduce` all of them are added or multiplied.

    Parameters
    ----------
    input
        Any shape and dtype.
    dim
        The axis.
    index
        Integers. Negative ones of a signed dtype count from the end.
    src
        A tensor of the dtype of `input` and at least of the shape of `index`, or a number.
    value
        The number, under PyTorch's name.
    reduce
        ``"add"`` or ``"multiply"``: how elements are combined with those of `input`.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`.

    Raises
    ------
    IndexError
        If the axis or an index is out of range.
    TypeError
        If the indices are not integers, or both or none of `src` and `value` are given.
    ValueError
        If the shapes do not match, or `reduce` is another text.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.scatter(rl.zeros(3), 0, rl.tensor([2, 0]), rl.tensor([5.0, 7.0])).tolist()
    [7.0, 0.0, 5.0]
    >>> rl.scatter(rl.ones(3), 0, rl.tensor([2, 2]), 5.0, reduce="add").tolist()
    [1.0, 1.0, 11.0]
    """
    given = src if value is None else value
    if given is None or (src is not None and value is not None):
        raise TypeError("scatter: src and value are one parameter; give one")
    if reduce is None:
        return _scatter(input, dim, index, given)
    if reduce not in ("add", "multiply"):
        raise ValueError(f"scatter: reduce is 'add' or 'multiply', got {reduce!r}; scatter_reduce has more")
    if isinstance(given, Tensor):
        # As without `reduce`, elements beyond the indices are left out.
        given = given[tuple(slice(size) for size in index.shape)] if given.shape != index.shape else given
    else:
        given = n.full(index.shape, given, dtype=input.dtype, device=input.device)
    from .reductions_at import scatter_reduce

    if reduce == "multiply":
        return scatter_reduce(input, dim, index, given, "prod")
    return scatter_add(input, dim, index, given)


def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Number = 1) -> Tensor:
    """Returns a copy with entries of another tensor added along an axis at indices.

    Parameters
    ----------
    input
        Any dtype.
    dim
        The axis.
    index
        Integers. Negative ones of a signed dtype count from the end.
    source
        Entries to add, one for each index.
    alpha
        A factor of `source`.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`; entries of equal indices are all added.

    Raises
    ------
    IndexError
        If the axis or an index is out of range.
    TypeError
        If the indices are not integers, or `alpha` is a fraction and the tensors hold integers.
    ValueError
        If the shapes do not match.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.index_add(rl.zeros(3), 0, rl.tensor([2, 2]), rl.tensor([5.0, 7.0])).tolist()
    [0.0, 0.0, 12.0]
    >>> rl.index_add(rl.zeros(2), 0, rl.tensor([1]), rl.tensor([5.0]), alpha=-2).tolist()
    [0.0, -10.0]
    """
    if alpha != 1:
        scaled = source * alpha
        if scaled.dtype != source.dtype:
            raise TypeError(f"index_add: alpha {alpha} does not fit a tensor of {source.dtype}")
        source = scaled
    if input.dtype.is_complex and source.dtype == input.dtype:
        return by_parts(lambda x, y: _index_add(x, dim, index, y), input, source)
    return _index_add(input, dim, index, source)


@typed
def scatter_add(x: Tensor, dim: int, index: Tensor, src: Tensor | complex, /) -> Tensor:
    """Returns a copy with elements added at indices: ``out[i, index[i, j]] += src[i, j]`` along dimension 1.

    Parameters
    ----------
    x
        Input, of any dtype.
    dim
        Dimension to index; a negative one counts from the end.
    index
        Indices, of an integer dtype. Negative ones of a signed dtype count from the end.
    src
        Values to add, or a number; a tensor has at least the shape of ``index``.

    Returns
    -------
    Tensor
        Copy of ``x`` with the values added.

    Raises
    ------
    IndexError
        If an index or the dimension is out of range.
    TypeError
        If the indices are not integers.
    ValueError
        If the shapes do not match.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.scatter_add(rl.zeros(3), 0, rl.tensor([2, 2]), rl.tensor([5.0, 7.0]))
    tensor([ 0.,  0., 12.], dtype=float32, device='cpu')
    """
    if x.dtype.is_complex and not (isinstance(src, Tensor) and src.dtype != x.dtype):
        values = src if isinstance(src, Tensor) else n.full(index.shape, src, dtype=x.dtype, device=x.device)
        return by_parts(lambda a, b: _scatter_add(a, dim, index, b), x, values)
    return _scatter_add(x, dim, index, src)


def softmax(
    input: Tensor, dim: int | None = None, dtype: DType | str | None = None, *, axis: int | None = None
) -> Tensor:
    """Computes the softmax, ``exp(x) / sum(exp(x))``, along an axis.

    Parameters
    ----------
    input
        Floating point, or with `dtype` of any dtype.
    dim, axis
        The axis along which the results add up to 1.
    dtype
        The dtype of the result, to which the input is converted first.

    Returns
    -------
    Tensor
        Of the shape of `input`.

    Raises
    ------
    IndexError
        If the axis is out of range.
    TypeError
        If no axis is given, or the dtype is not floating point.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.softmax(rl.tensor([0, 0]), 0, rl.float32).tolist()
    [0.5, 0.5]
    """
    x = input if dtype is None else input.to(dtype)
    return _softmax(x, dim, axis=axis)


def log_softmax(
    input: Tensor, dim: int | None = None, dtype: DType | str | None = None, *, axis: int | None = None
) -> Tensor:
    """Computes the logarithm of the softmax along an axis, accurate where the softmax underflows.

    Parameters
    ----------
    input
        Floating point, or with `dtype` of any dtype.
    dim, axis
        The axis along which the results of the softmax add up to 1.
    dtype
        The dtype of the result, to which the input is converted first.

    Returns
    -------
    Tensor
        Of the shape of `input`.

    Raises
    ------
    IndexError
        If the axis is out of range.
    TypeError
        If no axis is given, or the dtype is not floating point.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.log_softmax(rl.tensor([0.0, -1000.0]), 0).tolist()
    [0.0, -1000.0]
    """
    x = input if dtype is None else input.to(dtype)
    return _log_softmax(x, dim, axis=axis)


def set_printoptions(
    precision: int | None = None,
    threshold: int | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Sets how tensors are printed; parameters that are left out keep their value.

    Parameters
    ----------
    precision
        Digits after the decimal point, 4 at first, at most 17.
    threshold
        Number of elements above which the middle is abbreviated, 1000 at first.
    edgeitems
        Elements shown at each end of an abbreviated axis, 3 at first.
    linewidth, sci_mode
        Accepted as in PyTorch, without effect.
    profile
        ``"default"``, ``"short"`` (2 digits, 2 elements at each end) or ``"full"`` (nothing is abbreviated).

    Raises
    ------
    ValueError
        If a number is negative, or `profile` is another text.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.set_printoptions(precision=2, sci_mode=False)
    >>> rl.tensor([0.125])
    tensor([0.12], dtype=float32, device='cpu')
    >>> rl.set_printoptions(profile="default")
    """
    if profile is not None:
        if profile not in _PROFILES:
            raise ValueError(f"set_printoptions: profile is one of {', '.join(_PROFILES)}, got {profile!r}")
        _set_printoptions(**_PROFILES[profile])
    _set_printoptions(precision=precision, threshold=threshold, edgeitems=edgeitems)
