"""Products over axes that a caller names."""

from __future__ import annotations

import builtins
import math
import string
from collections.abc import Sequence

from .. import _native as n
from .._check import integer, renamed, typed
from .._native import Tensor
from .axes import all_axes, axis_or_dim
from .complex import conj
from .shapes import moveaxis

__all__ = [
    "dot",
    "einsum",
    "outer",
    "tensordot",
    "vecdot",
]


@typed
def tensordot(
    x1: Tensor,
    x2: Tensor,
    /,
    axes: int | tuple[Sequence[int], Sequence[int]] = 2,
    *,
    dims: int | tuple[Sequence[int], Sequence[int]] | None = None,
) -> Tensor:
    """Sums products over axes.

    Parameters
    ----------
    x1, x2
        Numeric tensors.
    axes
        A number n, which contracts the last n axes of ``x1`` with the first n of ``x2``; or the axes of each.
    dims
        PyTorch's name of `axes`.

    Returns
    -------
    Tensor
        The other axes of ``x1``, then those of ``x2``; the promoted dtype.

    Raises
    ------
    ValueError
        If the sizes of the axes differ, or there are too few axes.
    TypeError
        If `axes` is neither an integer nor two sequences, or it is given with `dims`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.tensordot(rl.ones((2, 3)), rl.ones((3, 4)), axes=1).shape
    (2, 4)
    """
    axes = axis_or_dim(axes, dims, 2)
    count = integer(axes)
    if count is not None:
        if count < 0 or count > builtins.min(x1.ndim, x2.ndim):
            raise ValueError(f"tensordot: {count} axes for ranks {x1.ndim} and {x2.ndim}")
        left, right = list(range(x1.ndim - count, x1.ndim)), list(range(count))
    elif not isinstance(axes, (tuple, list)) or len(axes) != 2:
        raise TypeError(f"tensordot: axes is an integer or two sequences of axes, got {axes!r}")
    else:
        left, right = all_axes("tensordot", axes[0], x1.ndim), all_axes("tensordot", axes[1], x2.ndim)
    sizes = [x1.shape[a] for a in left]
    if sizes != [x2.shape[a] for a in right]:
        raise ValueError(
            f"tensordot: shapes {x1.shape} and {x2.shape} do not match on axes {left} and {right}"
        )
    keep1 = [a for a in range(x1.ndim) if a not in left]
    keep2 = [a for a in range(x2.ndim) if a not in right]
    rows, cols = [x1.shape[a] for a in keep1], [x2.shape[a] for a in keep2]
    inner = math.prod(sizes)
    a = n.reshape(n.permute_dims(x1, keep1 + left), (math.prod(rows), inner))
    b = n.reshape(n.permute_dims(x2, right + keep2), (inner, math.prod(cols)))
    return n.reshape(n.matmul(a, b), rows + cols)


@typed
def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1, dim: int | None = None) -> Tensor:
    """Sums products along one axis; of complex tensors, the first one is conjugated.

    Parameters
    ----------
    x1, x2
        Numeric tensors whose shapes broadcast.
    axis
        The axis, counted from the end; for tensors of one rank also from the beginning.
    dim
        PyTorch's name of `axis`.

    Returns
    -------
    Tensor
        The broadcast shape without the axis; the promoted dtype.

    Raises
    ------
    IndexError
        If `axis` is out of range.
    ValueError
        If the sizes along the axis differ.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.vecdot(rl.tensor([1.0, 2.0]), rl.tensor([3.0, 4.0])).item()
    11.0
    """
    axis = axis_or_dim(axis, dim, -1)
    rank = builtins.min(x1.ndim, x2.ndim)
    if x1.ndim == x2.ndim and 0 <= axis < rank:
        axis -= rank
    if not -rank <= axis < 0:
        raise IndexError(f"vecdot: axis {axis} is not one of the last {rank}, counted from the end")
    if x1.shape[axis] != x2.shape[axis]:
        raise ValueError(f"vecdot: shapes {x1.shape} and {x2.shape} differ in axis {axis}")
    a, b = moveaxis(conj(x1), axis, -1), moveaxis(x2, axis, -1)
    product = n.matmul(n.expand_dims(a, -2), n.expand_dims(b, -1))
    return product[..., 0, 0]


@typed
@renamed("vecdot")
def dot(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Sums the products of two vectors.

    Parameters
    ----------
    x1, x2
        Numeric vectors of one length.

    Returns
    -------
    Tensor
        A scalar of the promoted dtype.

    Raises
    ------
    ValueError
        If one is not a vector, or the lengths differ.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.dot(rl.tensor([1.0, 2.0]), rl.tensor([3.0, 4.0])).item()
    11.0
    """
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"dot takes vectors, not shapes {x1.shape} and {x2.shape}")
    # (`vecdot` conjugates its first argument.)
    return vecdot(conj(x1), x2)


@typed
def outer(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Returns all products of two vectors' elements.

    Parameters
    ----------
    x1, x2
        Numeric vectors of lengths n and m.

    Returns
    -------
    Tensor
        Shape ``(n, m)``, of the promoted dtype.

    Raises
    ------
    ValueError
        If one is not a vector.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.outer(rl.tensor([1, 2]), rl.tensor([3, 4])).tolist()
    [[3, 4], [6, 8]]
    """
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"outer takes vectors, not shapes {x1.shape} and {x2.shape}")
    return n.expand_dims(x1, 1) * x2


@typed
def einsum(equation: str, *operands: Tensor | Sequence[Tensor]) -> Tensor:
    """Sums products over named axes.

    Parameters
    ----------
    equation
        A letter for each axis of each operand, and of the result: ``"bij,bjk->bik"``. Without ``->`` the
        result has the letters that occur once, sorted. A letter that occurs twice in a term takes the
        diagonal of these axes. ``...`` stands for axes that broadcast; without ``->`` they come first in the
        result.
    *operands
        Numeric tensors, one for each term, or one sequence of them.

    Returns
    -------
    Tensor
        The axes that the equation names; the promoted dtype.

    Raises
    ------
    ValueError
        If terms, ranks or sizes do not fit.
    TypeError
        If an operand is not a tensor.

    Examples
    --------
    >>> import rushlight as rl
    >>> a, b = rl.ones((2, 3)), rl.ones((3, 4))
    >>> rl.einsum("ij,jk->ik", a, b).shape
    (2, 4)
    >>> rl.einsum("...i,...i->...", rl.ones((5, 2)), rl.ones(2)).tolist()
    [2.0, 2.0, 2.0, 2.0, 2.0]
    >>> rl.einsum("ii->i", rl.tensor([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [1.0, 4.0]
    """
    equation = equation.replace(" ", "")
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    tensors = [x for x in operands if isinstance(x, Tensor)]
    if len(tensors) != len(operands):
        raise TypeError("einsum: expected tensors after the equation, or one sequence of them")
    equation, tensors = _spelled_out(equation, tensors)
    left, arrow, right = equation.partition("->")
    terms = left.split(",")
    if len(terms) != len(tensors):
        raise ValueError(f"einsum: {len(terms)} terms for {len(tensors)} tensors in {equation!r}")
    for term, x in zip(terms, tensors, strict=True):
        if not term.isalpha() and term:
            raise ValueError(f"einsum: term {term!r} contains a character that is not a letter")
        if len(term) != x.ndim:
            raise ValueError(f"einsum: term {term!r} for a tensor of rank {x.ndim}")
    if not arrow:
        letters = "".join(terms)
        right = "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    sizes: dict[str, int] = {}
    for term, x in zip(terms, tensors, strict=True):
        for c, size in zip(term, x.shape, strict=True):
            if sizes.setdefault(c, size) != size:
                raise ValueError(f"einsum: axis {c!r} has sizes {sizes[c]} and {size}")
    values = tensors
    for i, term in enumerate(terms):
        terms[i], values[i] = _diagonals(term, values[i])
    if not set(right) <= set(sizes) or len(set(right)) != len(right):
        raise ValueError(f"einsum: output {right!r} names an axis twice, or one no term has")
    done, value = terms[0], values[0]
    for i in range(1, len(values)):
        later = set("".join(terms[i + 1 :])) | set(right)
        done, value = _contract(done, value, terms[i], values[i], later, sizes)
    value = value.sum([done.index(c) for c in done if c not in right]) if set(done) - set(right) else value
    done = "".join(c for c in done if c in right)
    return n.permute_dims(value, [done.index(c) for c in right]) if right else value


def _spelled_out(equation: str, operands: list[Tensor]) -> tuple[str, list[Tensor]]:
    """Return the equation with letters in place of ``...``, and the operands with these axes broadcast."""
    if "..." not in equation:
        return equation, operands
    left, arrow, right = equation.partition("->")
    terms = left.split(",")
    if len(terms) != len(operands):
        raise ValueError(f"einsum: {len(terms)} terms for {len(operands)} tensors in {equation!r}")
    counts = []
    for term, x in zip(terms, operands, strict=True):
        more = x.ndim - len(term.replace("...", "")) if "..." in term else 0
        if more < 0 or term.count("...") > 1:
            raise ValueError(f"einsum: term {term!r} for a tensor of rank {x.ndim}")
        counts.append(more)
    free = [c for c in string.ascii_letters if c not in equation]
    rank = builtins.max(counts)
    if rank > len(free) or right.count("...") > 1:
        raise ValueError(f"einsum: {equation!r} has too many axes, or '...' twice in its output")
    names = "".join(free[:rank])
    if not arrow:
        plain = "".join(terms).replace(".", "")
        right = "..." + "".join(sorted(c for c in set(plain) if plain.count(c) == 1))
    sizes = [1] * rank
    for term, x, count in zip(terms, operands, counts, strict=True):
        first = term.index("...") if count else 0
        for i, size in enumerate(x.shape[first : first + count], rank - count):
            if size != 1 and sizes[i] not in (1, size):
                raise ValueError(f"einsum: the axes of '...' have sizes {sizes[i]} and {size}")
            sizes[i] = sizes[i] if size == 1 else size
    out = []
    for i, (term, x, count) in enumerate(zip(terms, operands, counts, strict=True)):
        first = term.index("...") if count else 0
        # Axes of size 1 that meet a larger one are broadcast.
        shape = (*x.shape[:first], *sizes[rank - count :], *x.shape[first + count :]) if count else x.shape
        out.append(n.broadcast_to(x, shape))
        terms[i] = term.replace("...", names[rank - count :])
    return f"{','.join(terms)}->{right.replace('...', names)}", out


def _diagonals(term: str, x: Tensor) -> tuple[str, Tensor]:
    """Takes the diagonal over each repeated letter; returns the term without repeats, and the tensor."""
    for c in sorted({c for c in term if term.count(c) > 1}):
        while term.count(c) > 1:
            i = term.index(c)
            j = term.index(c, i + 1)
            rest = [a for a in range(x.ndim) if a not in (i, j)]
            shape, size = [x.shape[a] for a in rest], x.shape[i]
            x = n.reshape(n.permute_dims(x, [*rest, i, j]), [*shape, size * size])[..., :: size + 1]
            term = "".join(term[a] for a in rest) + c
    return term, x


def _contract(
    s1: str, x1: Tensor, s2: str, x2: Tensor, keep: set[str], sizes: dict[str, int]
) -> tuple[str, Tensor]:
    """Contracts two terms by one batched matrix product; returns the product's letters and the tensor."""
    batch = [c for c in s1 if c in s2 and c in keep]
    inner = [c for c in s1 if c in s2 and c not in keep]
    rows, cols = [c for c in s1 if c not in s2], [c for c in s2 if c not in s1]
    shape = [sizes[c] for c in batch]

    def count(letters: list[str]) -> int:
        return math.prod(sizes[c] for c in letters)

    a = n.permute_dims(x1, [s1.index(c) for c in batch + rows + inner])
    b = n.permute_dims(x2, [s2.index(c) for c in batch + inner + cols])
    a = n.reshape(a, [*shape, count(rows), count(inner)])
    b = n.reshape(b, [*shape, count(inner), count(cols)])
    out = n.reshape(n.matmul(a, b), [sizes[c] for c in batch + rows + cols])
    return "".join(batch + rows + cols), out
