"""Functions made of a few others: moving axes, repeats, products, sets, and PyTorch's names."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from typing import NamedTuple

from . import _native as n
from . import _types as t
from ._native import Device, DType, Tensor

__all__ = [
    "broadcast_arrays",
    "broadcast_shapes",
    "cat",
    "clamp",
    "conj",
    "copysign",
    "count_nonzero",
    "cumsum",
    "cumulative_prod",
    "diff",
    "div",
    "dot",
    "einsum",
    "hypot",
    "imag",
    "isin",
    "logaddexp",
    "meshgrid",
    "moveaxis",
    "mul",
    "neg",
    "nextafter",
    "outer",
    "permute",
    "rand_like",
    "randn_like",
    "randperm",
    "real",
    "repeat",
    "roll",
    "searchsorted",
    "signbit",
    "sub",
    "swapaxes",
    "tensordot",
    "tile",
    "transpose",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "unsqueeze",
    "vecdot",
]

Number = complex


def _axis(axis: int, rank: int) -> int:
    if not -rank <= axis < rank:
        raise IndexError(f"axis {axis} is out of range for a tensor of rank {rank}")
    return axis % rank if rank else 0


def _axes(axis: int | Sequence[int], rank: int) -> list[int]:
    given = [axis] if isinstance(axis, int) else list(axis)
    axes = [_axis(a, rank) for a in given]
    if len(set(axes)) != len(axes):
        raise ValueError(f"an axis is given twice: {given}")
    return axes


# Shapes


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that tensors of these shapes stretch to."""
    rank = builtins.max((len(s) for s in shapes), default=0)
    out = [1] * rank
    for shape in shapes:
        for i, size in enumerate(reversed(shape), start=1):
            if out[-i] == 1:
                out[-i] = size
            elif size not in (1, out[-i]):
                raise ValueError(f"shapes {shapes} do not stretch to one shape")
    return tuple(out)


def broadcast_arrays(*arrays: Tensor) -> tuple[Tensor, ...]:
    """Stretch tensors to their common shape."""
    shape = broadcast_shapes(*(a.shape for a in arrays))
    return tuple(n.broadcast_to(a, shape) for a in arrays)


def moveaxis(x: Tensor, source: int | tuple[int, ...], destination: int | tuple[int, ...], /) -> Tensor:
    """Move axes to new places; the others keep their order."""
    src, dst = _axes(source, x.ndim), _axes(destination, x.ndim)
    if len(src) != len(dst):
        raise ValueError("moveaxis: source and destination must have as many axes")
    order = [a for a in range(x.ndim) if a not in src]
    for to, axis in sorted(zip(dst, src, strict=True)):
        order.insert(to, axis)
    return n.permute_dims(x, order)


def permute(x: Tensor, dims: Sequence[int], /) -> Tensor:
    """Reorder the axes: PyTorch's name for `permute_dims`."""
    return n.permute_dims(x, dims)


def transpose(x: Tensor, dim0: int, dim1: int, /) -> Tensor:
    """Swap two axes."""
    return x.transpose(dim0, dim1)


def swapaxes(x: Tensor, axis1: int, axis2: int, /) -> Tensor:
    """Swap two axes."""
    return x.transpose(axis1, axis2)


def unsqueeze(x: Tensor, dim: int, /) -> Tensor:
    """Add an axis of size 1: PyTorch's name for `expand_dims`."""
    return x.unsqueeze(dim)


def cat(tensors: Sequence[Tensor], /, axis: int = 0, *, dim: int | None = None) -> Tensor:
    """Join along an axis: PyTorch's name for `concat`."""
    return n.concat(tensors, axis, dim=dim)


def roll(x: Tensor, /, shift: int | tuple[int, ...], *, axis: int | tuple[int, ...] | None = None) -> Tensor:
    """Shift entries along axes, those that leave coming in at the other end; None rolls the flat tensor."""
    if axis is None:
        if not isinstance(shift, int):
            raise ValueError("roll: several shifts need as many axes")
        return n.reshape(roll(n.reshape(x, (-1,)) if x.size else x, shift, axis=0), x.shape) if x.size else x
    axes = [axis] if isinstance(axis, int) else list(axis)
    shifts = [shift] * len(axes) if isinstance(shift, int) else list(shift)
    if len(shifts) != len(axes):
        raise ValueError(f"roll: {len(shifts)} shifts for {len(axes)} axes")
    for by, a in zip(shifts, axes, strict=True):
        place = _axis(a, x.ndim)
        size = x.shape[place]
        if size and by % size:
            head, tail = n.split(x, (size - by % size, by % size), place)
            x = n.concat((tail, head), place)
    return x


def repeat(x: Tensor, repeats: int | Tensor, /, *, axis: int | None = None) -> Tensor:
    """Repeat each entry of an axis (NumPy's meaning; PyTorch's ``repeat`` is `tile`)."""
    if axis is None:
        x, axis = n.reshape(x, (x.size,)), 0
    place = _axis(axis, x.ndim)
    size = x.shape[place]
    if isinstance(repeats, Tensor) and repeats.size == 1:
        repeats = int(repeats.item())
    if isinstance(repeats, int):
        if repeats < 0:
            raise ValueError(f"repeat: {repeats} repeats")
        before, after = x.shape[: place + 1], x.shape[place + 1 :]
        spread = n.broadcast_to(n.reshape(x, (*before, 1, *after)), (*before, repeats, *after))
        return n.reshape(spread, (*before[:-1], size * repeats, *after))
    counts = [int(c) for c in repeats.tolist()]
    if len(counts) != size or builtins.any(c < 0 for c in counts):
        raise ValueError(f"repeat: {len(counts)} repeats for {size} entries, and none may be negative")
    places = [i for i, count in enumerate(counts) for _ in range(count)]
    return n.take(x, n.tensor(places, dtype=t.int64, device=x.device), axis=place)


def tile(x: Tensor, repetitions: tuple[int, ...], /) -> Tensor:
    """Repeat the whole tensor along each axis."""
    times = [repetitions] if isinstance(repetitions, int) else list(repetitions)
    rank = builtins.max(len(times), x.ndim)
    times = [1] * (rank - len(times)) + times
    shape = (1,) * (rank - x.ndim) + x.shape
    paired = [size for count, d in zip(times, shape, strict=True) for size in (count, d)]
    spread = n.reshape(x, [size for d in shape for size in (1, d)])
    merged = [count * d for count, d in zip(times, shape, strict=True)]
    return n.reshape(n.broadcast_to(spread, paired), merged)


def meshgrid(*arrays: Tensor, indexing: str = "xy") -> tuple[Tensor, ...]:
    """Return coordinate grids of vectors; ``"xy"`` swaps the first two axes."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing is 'xy' or 'ij', not {indexing!r}")
    if builtins.any(a.ndim != 1 for a in arrays):
        raise ValueError("meshgrid takes vectors")
    rank = len(arrays)
    order = list(range(rank))
    if indexing == "xy" and rank > 1:
        order[:2] = [1, 0]
    columns = []
    for i, a in enumerate(arrays):
        shape = [1] * rank
        shape[order[i]] = -1 if a.size else 0
        columns.append(n.reshape(a, shape))
    return tuple(g.contiguous() for g in broadcast_arrays(*columns))


# Elementwise


def clamp(x: Tensor, /, min: Tensor | float | None = None, max: Tensor | float | None = None) -> Tensor:
    """Bring elements between two bounds: PyTorch's name for `clip`."""
    return n.clip(x, min, max)


def mul(x1: Tensor | Number, x2: Tensor | Number, /) -> Tensor:
    """Multiply: PyTorch's name for `multiply`."""
    return n.multiply(x1, x2)


def sub(x1: Tensor | Number, x2: Tensor | Number, /) -> Tensor:
    """Subtract: PyTorch's name for `subtract`."""
    return n.subtract(x1, x2)


def div(x1: Tensor | Number, x2: Tensor | Number, /) -> Tensor:
    """Divide: PyTorch's name for `divide`."""
    return n.divide(x1, x2)


def neg(x: Tensor, /) -> Tensor:
    """Negate: PyTorch's name for `negative`."""
    return n.negative(x)


def real(x: Tensor, /) -> Tensor:
    """Return the real part."""
    return x.astype(t.float32) if x.dtype == t.complex64 else x


def imag(x: Tensor, /) -> Tensor:
    """Return the imaginary part of a complex tensor."""
    if x.dtype != t.complex64:
        raise TypeError(f"imag is for complex tensors, not {x.dtype}")
    pairs = n.frombuffer(memoryview(x.contiguous()).cast("B"), t.float32)
    return n.reshape(pairs, (*x.shape, 2))[..., 1]


def conj(x: Tensor, /) -> Tensor:
    """Return the complex conjugate; real tensors are their own."""
    if x.dtype == t.complex64:
        raise NotImplementedError("conj: complex arithmetic is not there yet")
    return x


def _floats(x1: Tensor | Number, x2: Tensor | Number) -> tuple[Tensor, Tensor]:
    """Both arguments as floating-point tensors of one dtype."""
    dtype = n._promote(x1, x2)
    if not dtype.is_floating_point:
        dtype = t.float32
    device: Device = next(x.device for x in (x1, x2) if isinstance(x, Tensor))

    def convert(x: Tensor | Number) -> Tensor:
        if isinstance(x, Tensor):
            return x.to(dtype)
        return n.full((), x, dtype=dtype, device=device)

    return convert(x1), convert(x2)


_SIGN_BITS: dict[str, DType] = {
    "float16": t.int16,
    "bfloat16": t.int16,
    "float32": t.int32,
    "float64": t.int64,
}


def _bits(x: Tensor) -> Tensor:
    """Return a floating-point tensor's bits as signed integers of its width."""
    host = x.detach().cpu().contiguous()
    if x.dtype == t.bfloat16:
        # The upper half of a float32.
        whole = n.frombuffer(memoryview(host.astype(t.float32)).cast("B") if host.size else b"", t.int32)
        bits = (whole >> 16).astype(t.int16)
    else:
        bits = n.frombuffer(memoryview(host).cast("B") if host.size else b"", _SIGN_BITS[x.dtype.name])
    return n.reshape(bits, x.shape).to(x.device)


def signbit(x: Tensor, /) -> Tensor:
    """Tell where the sign is minus, -0.0 and negative NaN included."""
    if not x.dtype.is_floating_point:
        return x < 0
    return _bits(x) < 0


def copysign(x1: Tensor | Number, x2: Tensor | Number, /) -> Tensor:
    """Return the size of ``x1`` with the sign of ``x2``."""
    a, b = _floats(x1, x2)
    size = n.abs(a)
    return n.where(signbit(b), -size, size)


def nextafter(x1: Tensor | Number, x2: Tensor | Number, /) -> Tensor:
    """Return the next representable number from ``x1`` towards ``x2``."""
    a, b = broadcast_arrays(*_floats(x1, x2))
    if a.dtype not in (t.float32, t.float64):
        raise TypeError(f"nextafter is for float32 and float64, not {a.dtype}")
    if a.dtype == t.float64:
        flat = [math.nextafter(p, q) for p, q in zip(_flat(a), _flat(b), strict=True)]
        return n.reshape(n.tensor(flat, dtype=t.float64, device=a.device), a.shape)
    bits = _bits(a)
    grows = (b > a) == (a > 0)
    step = n.where(grows, bits + 1, bits - 1)
    tiny = n.where(b > 0, n.ones_like(bits), n.full_like(bits, -(2**31) + 1))
    out = n.where(a == 0, tiny, step)
    moved = n.frombuffer(memoryview(out.cpu().contiguous()).cast("B") if out.size else b"", t.float32)
    moved = n.reshape(moved, a.shape).to(a.device)
    moved = n.where(a == b, b, moved)
    return n.where(n.logical_or(n.isnan(a), n.isnan(b)), a + b, moved)


def _flat(x: Tensor) -> list[float]:
    values: list[float] = n.reshape(x, (x.size,)).tolist()
    return values


def hypot(x1: Tensor | Number, x2: Tensor | Number, /) -> Tensor:
    """Return ``sqrt(x1**2 + x2**2)`` without overflow on the way."""
    a, b = _floats(x1, x2)
    a, b = n.abs(a), n.abs(b)
    high, low = n.maximum(a, b), n.minimum(a, b)
    ratio = n.where(high == 0, n.zeros_like(high), low / n.where(high == 0, n.ones_like(high), high))
    out = high * n.sqrt(1 + ratio * ratio)
    endless = n.logical_or(n.isinf(a), n.isinf(b))
    return n.where(endless, n.full_like(out, math.inf), out)


def logaddexp(x1: Tensor | Number, x2: Tensor | Number, /) -> Tensor:
    """Return ``log(exp(x1) + exp(x2))`` without overflow."""
    a, b = _floats(x1, x2)
    high = n.maximum(a, b)
    # Equal infinities would give inf - inf.
    gap = n.where(a == b, n.zeros_like(high), -n.abs(a - b))
    return high + n.log1p(n.exp(gap))


# Products


def tensordot(x1: Tensor, x2: Tensor, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Tensor:
    """Sum products over axes: the last of ``x1`` with the first of ``x2``, or those given."""
    if isinstance(axes, int):
        if axes < 0 or axes > builtins.min(x1.ndim, x2.ndim):
            raise ValueError(f"tensordot: {axes} axes for ranks {x1.ndim} and {x2.ndim}")
        left, right = list(range(x1.ndim - axes, x1.ndim)), list(range(axes))
    else:
        left, right = _axes(axes[0], x1.ndim), _axes(axes[1], x2.ndim)
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


def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """Sum products along one axis."""
    rank = builtins.min(x1.ndim, x2.ndim)
    if not -rank <= axis < 0:
        raise IndexError(f"vecdot: axis {axis} is not one of the last {rank}, counted from the end")
    if x1.shape[axis] != x2.shape[axis]:
        raise ValueError(f"vecdot: shapes {x1.shape} and {x2.shape} differ in axis {axis}")
    a, b = moveaxis(x1, axis, -1), moveaxis(x2, axis, -1)
    product = n.matmul(n.expand_dims(a, -2), n.expand_dims(b, -1))
    return product[..., 0, 0]


def dot(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Sum the products of two vectors."""
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"dot takes vectors, not shapes {x1.shape} and {x2.shape}")
    return vecdot(x1, x2)


def outer(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Return all products of two vectors' elements."""
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"outer takes vectors, not shapes {x1.shape} and {x2.shape}")
    return n.expand_dims(x1, 1) * x2


def einsum(equation: str, *operands: Tensor) -> Tensor:
    """Sum products over named axes: ``einsum("bij,bjk->bik", a, b)``.

    A term has no ``...`` and no letter twice.
    """
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(operands):
        raise ValueError(f"einsum: {len(terms)} terms for {len(operands)} tensors in {equation!r}")
    for term, x in zip(terms, operands, strict=True):
        if len(set(term)) != len(term) or (not term.isalpha() and term):
            raise ValueError(f"einsum: term {term!r} has a letter twice, or something that is no letter")
        if len(term) != x.ndim:
            raise ValueError(f"einsum: term {term!r} for a tensor of rank {x.ndim}")
    if not arrow:
        letters = "".join(terms)
        right = "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    sizes: dict[str, int] = {}
    for term, x in zip(terms, operands, strict=True):
        for c, size in zip(term, x.shape, strict=True):
            if sizes.setdefault(c, size) != size:
                raise ValueError(f"einsum: axis {c!r} has sizes {sizes[c]} and {size}")
    if not set(right) <= set(sizes) or len(set(right)) != len(right):
        raise ValueError(f"einsum: output {right!r} names an axis twice, or one no term has")
    done, value = terms[0], operands[0]
    for i in range(1, len(operands)):
        later = set("".join(terms[i + 1 :])) | set(right)
        done, value = _contract(done, value, terms[i], operands[i], later, sizes)
    value = value.sum([done.index(c) for c in done if c not in right]) if set(done) - set(right) else value
    done = "".join(c for c in done if c in right)
    return n.permute_dims(value, [done.index(c) for c in right]) if right else value


def _contract(
    s1: str, x1: Tensor, s2: str, x2: Tensor, keep: set[str], sizes: dict[str, int]
) -> tuple[str, Tensor]:
    """One product of two terms as a batched matrix product."""
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


# Searching, sets and differences


def count_nonzero(
    x: Tensor, /, *, axis: int | tuple[int, ...] | None = None, keepdims: builtins.bool = False
) -> Tensor:
    """Count elements that are not zero, over axes (all by default)."""
    return n.sum((x != 0).astype(t.int64), axis=axis, keepdims=keepdims)


def cumulative_prod(
    x: Tensor,
    /,
    *,
    axis: int | None = None,
    dtype: DType | str | None = None,
    include_initial: builtins.bool = False,
) -> Tensor:
    """Return running products along an axis; a vector needs none."""
    if axis is None:
        if x.ndim != 1:
            raise ValueError("cumulative_prod: a tensor that is no vector needs an axis")
        axis = 0
    place = _axis(axis, x.ndim)
    if dtype is not None:
        x = x.astype(dtype)
    elif not x.dtype.is_floating_point:
        x = x.astype(t.uint64 if x.dtype.kind == "unsigned integer" else t.int64)
    # Doubling: after step k each entry holds the product of the last 2**k.
    size, reach = x.shape[place], 1
    while reach < size:
        head, tail = n.split(x, (reach, size - reach), place)
        x = n.concat((head, tail * x.narrow(place, 0, size - reach)), place)
        reach *= 2
    if include_initial:
        first = list(x.shape)
        first[place] = 1
        x = n.concat((n.ones(first, dtype=x.dtype, device=x.device), x), place)
    return x


def cumsum(x: Tensor, /, dim: int, *, dtype: DType | str | None = None) -> Tensor:
    """Return running sums along an axis: PyTorch's name for `cumulative_sum`."""
    return n.cumulative_sum(x, axis=dim, dtype=dtype)


def diff(
    x: Tensor,
    /,
    *,
    axis: int = -1,
    n: int = 1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
) -> Tensor:
    """Return differences of neighbours along an axis, ``n`` times over."""
    from . import _native

    if n < 0:
        raise ValueError(f"diff: n is {n}")
    place = _axis(axis, x.ndim)
    parts = [p for p in (prepend, x, append) if p is not None]
    if len(parts) > 1:
        x = _native.concat(parts, place)
    for _ in range(n):
        size = x.shape[place]
        if size == 0:
            break
        after, before = x.narrow(place, 1, size - 1), x.narrow(place, 0, size - 1)
        x = after != before if x.dtype == t.bool else after - before
    return x


def searchsorted(
    x1: Tensor, x2: Tensor | Number, /, *, side: str = "left", sorter: Tensor | None = None
) -> Tensor:
    """Return the places in sorted ``x1`` where elements of ``x2`` would go."""
    if x1.ndim != 1:
        raise ValueError(f"searchsorted: the first tensor must be a vector, not {x1.shape}")
    if side not in ("left", "right"):
        raise ValueError(f"searchsorted: side is 'left' or 'right', not {side!r}")
    if sorter is not None:
        x1 = n.take(x1, sorter, axis=0)
    values = x2 if isinstance(x2, Tensor) else n.tensor(x2, dtype=x1.dtype, device=x1.device)
    # Bisection of all values at once.
    low = n.zeros(values.shape, dtype=t.int64, device=x1.device)
    high = n.full(values.shape, x1.size, dtype=t.int64, device=x1.device)
    for _ in range(x1.size.bit_length()):
        middle = (low + high) // 2
        at = n.take(x1, n.clip(middle, 0, builtins.max(x1.size - 1, 0)), axis=0)
        before = at < values if side == "left" else at <= values
        before = n.logical_and(before, low < high)
        low, high = n.where(before, middle + 1, low), n.where(before, high, n.where(low < high, middle, high))
    return low


class UniqueAllResult(NamedTuple):
    """What `unique_all` returns."""

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCountsResult(NamedTuple):
    """What `unique_counts` returns."""

    values: Tensor
    counts: Tensor


class UniqueInverseResult(NamedTuple):
    """What `unique_inverse` returns."""

    values: Tensor
    inverse_indices: Tensor


def unique_all(x: Tensor, /) -> UniqueAllResult:
    """Return distinct values in order, their first places, where each element went, and their counts."""
    flat = n.reshape(x.detach(), (x.size,))
    order = n.argsort(flat)
    ordered = n.take(flat, order, axis=0)
    if x.size == 0:
        return UniqueAllResult(ordered, order, n.reshape(order, x.shape), order)
    # NaN differs from itself, so each NaN is a value of its own, as the standard asks.
    new = n.concat((n.ones(1, dtype=t.bool, device=x.device), ordered[1:] != ordered[:-1]))
    starts = n.nonzero(new)[0]
    ranks = n.cumulative_sum(new.astype(t.int64), axis=0) - 1
    inverse = n.scatter(n.zeros_like(order), 0, order, ranks)
    ends = n.concat((starts[1:], n.tensor([x.size], dtype=t.int64, device=x.device)))
    return UniqueAllResult(
        n.take(ordered, starts, axis=0),
        n.take(order, starts, axis=0),
        n.reshape(inverse, x.shape),
        ends - starts,
    )


def unique_counts(x: Tensor, /) -> UniqueCountsResult:
    """Return distinct values in order, and how often each occurs."""
    found = unique_all(x)
    return UniqueCountsResult(found.values, found.counts)


def unique_inverse(x: Tensor, /) -> UniqueInverseResult:
    """Return distinct values in order, and where each element went."""
    found = unique_all(x)
    return UniqueInverseResult(found.values, found.inverse_indices)


def unique_values(x: Tensor, /) -> Tensor:
    """Return distinct values in order."""
    return unique_all(x).values


def isin(x1: Tensor | Number, x2: Tensor | Number, /, *, invert: builtins.bool = False) -> Tensor:
    """Tell which elements of ``x1`` are among those of ``x2``."""
    dtype = n._promote(x1, x2)
    a = x1.to(dtype) if isinstance(x1, Tensor) else n.tensor(x1, dtype=dtype)
    b = x2.to(dtype) if isinstance(x2, Tensor) else n.tensor(x2, dtype=dtype)
    if b.size == 0:
        found = n.zeros(a.shape, dtype=t.bool, device=a.device)
    else:
        ordered = n.sort(n.reshape(b, (b.size,)))
        place = n.clip(searchsorted(ordered, a), 0, b.size - 1)
        found = n.take(ordered, place, axis=0) == a
    return n.logical_not(found) if invert else found


# Random numbers


def rand_like(x: Tensor, /) -> Tensor:
    """Draw uniform random numbers of a tensor's shape, dtype and device."""
    return n.rand(x.shape, dtype=x.dtype, device=x.device)


def randn_like(x: Tensor, /) -> Tensor:
    """Draw standard normal random numbers of a tensor's shape, dtype and device."""
    return n.randn(x.shape, dtype=x.dtype, device=x.device)


def randperm(n: int, /, *, device: Device | str | None = None) -> Tensor:
    """Return ``0 .. n - 1`` in random order."""
    from . import _native

    return _native.argsort(_native.rand(n, dtype=t.float64, device=device))
