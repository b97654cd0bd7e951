"""Methods of `Tensor` that have no function of the same arguments."""

from __future__ import annotations

import builtins
from collections.abc import Sequence

from .. import _native as n
from .. import _types as t
from .._compose.axes import one_axis
from .._compose.gamma import polygamma as _polygamma
from .._compose.shapes import moveaxis, tile
from .._native import Device, DType, Tensor
from .in_place import written
from .new import sizes_of

__all__ = [
    "broadcast_to",
    "byte",
    "char",
    "cuda",
    "element_size",
    "equal",
    "fill_diagonal_",
    "pin_memory",
    "polygamma",
    "positive",
    "repeat",
    "reshape_as",
    "short",
    "sum_to_size",
    "type",
    "type_as",
    "unfold",
    "where",
]

# PyTorch's names of the classes of tensors.
_CLASSES = {
    "FloatTensor": t.float32,
    "DoubleTensor": t.float64,
    "HalfTensor": t.float16,
    "BFloat16Tensor": t.bfloat16,
    "LongTensor": t.int64,
    "IntTensor": t.int32,
    "ShortTensor": t.int16,
    "CharTensor": t.int8,
    "ByteTensor": t.uint8,
    "BoolTensor": t.bool,
}


def type(self: Tensor, dtype: DType | str | None = None, non_blocking: builtins.bool = False) -> Tensor | str:
    """Converts to a dtype, or without arguments returns PyTorch's name of the class of such tensors.

    Parameters
    ----------
    dtype
        The dtype, its name, or PyTorch's class, such as ``rl.FloatTensor``, or its name.
    non_blocking
        Accepted for compatibility, without effect.

    Returns
    -------
    Tensor or str
        The converted tensor, the tensor itself if nothing changes; or the name.

    Raises
    ------
    TypeError
        If the argument is not a dtype.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.tensor([1.5]).type(rl.int64).tolist()
    [1]
    >>> rl.tensor([1.5]).type()
    'rushlight.FloatTensor'
    """
    if dtype is None:
        names = {known: name for name, known in _CLASSES.items()}
        return f"rushlight.{names.get(self.dtype, f'{self.dtype.name}Tensor')}"
    if isinstance(dtype, str):
        dtype = _CLASSES.get(dtype.rsplit(".", 1)[-1], dtype)
    return self.to(dtype if isinstance(dtype, DType | str) else getattr(dtype, "dtype", dtype))


def type_as(self: Tensor, other: Tensor) -> Tensor:
    """Converts to the dtype and device of another tensor.

    Parameters
    ----------
    other
        The other tensor.

    Returns
    -------
    Tensor
        The converted tensor; the tensor itself if nothing changes.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.tensor([1, 2]).type_as(rl.ones(1)).dtype
    rushlight.float32
    """
    return self.to(other)


def cuda(
    self: Tensor, device: Device | str | int | None = None, non_blocking: builtins.bool = False
) -> Tensor:
    """Copies the tensor to an NVIDIA GPU.

    Parameters
    ----------
    device
        The device or its number; the first one by default.
    non_blocking
        Accepted for compatibility, without effect.

    Returns
    -------
    Tensor
        The tensor on the GPU.

    Raises
    ------
    DeviceError
        If there is no such GPU.

    Examples
    --------
    >>> import rushlight as rl
    >>> try:
    ...     kind = rl.ones(2).cuda().device.type
    ... except rl.DeviceError:
    ...     kind = "cuda"
    >>> kind
    'cuda'
    """
    target = "cuda:0" if device is None else device
    return self.to(f"cuda:{target}" if isinstance(target, int) else target)


def element_size(self: Tensor) -> int:
    """Returns the number of bytes of an element.

    Returns
    -------
    int
        The size of the dtype.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.ones(2).element_size()
    4
    """
    return self.itemsize


def repeat(self: Tensor, *repeats: int | Sequence[int]) -> Tensor:
    """Repeats the tensor along each axis, as PyTorch does; NumPy's ``repeat`` is `repeat_interleave`.

    Parameters
    ----------
    *repeats
        Number of repeats along each axis, as one sequence or as separate integers; new axes come first.

    Returns
    -------
    Tensor
        A new tensor.

    Raises
    ------
    ValueError
        If there are fewer numbers than axes, or one is negative.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.tensor([1, 2]).repeat(2, 2).tolist()
    [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    times = sizes_of("repeat", repeats)
    if len(times) < self.ndim:
        raise ValueError(
            f"repeat: {len(times)} numbers for a tensor of rank {self.ndim}; "
            "repeat_interleave repeats each element"
        )
    if any(count < 0 for count in times):
        raise ValueError(f"repeat: the numbers {times} may not be negative")
    return tile(self, times)


def reshape_as(self: Tensor, other: Tensor) -> Tensor:
    """Returns the elements in the shape of another tensor.

    Parameters
    ----------
    other
        The other tensor.

    Returns
    -------
    Tensor
        A view where that is possible.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.arange(4).reshape_as(rl.ones((2, 2))).tolist()
    [[0, 1], [2, 3]]
    """
    return n.reshape(self, other.shape)


def where(self: Tensor, condition: Tensor, other: Tensor | complex) -> Tensor:
    """Returns the tensor's elements where a condition holds, and others elsewhere.

    Parameters
    ----------
    condition
        bool.
    other
        A tensor or a number; all three broadcast.

    Returns
    -------
    Tensor
        Of the broadcast shape and the promoted dtype.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.tensor([-1.0, 2.0])
    >>> x.where(x > 0, 0.0).tolist()
    [0.0, 2.0]
    """
    return n.where(condition, self, other)


def short(self: Tensor) -> Tensor:
    """Converts to int16.

    Returns
    -------
    Tensor
        The converted tensor; the tensor itself if nothing changes.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.tensor([1.5]).short().dtype
    rushlight.int16
    """
    return self.to(t.int16)


def char(self: Tensor) -> Tensor:
    """Converts to int8.

    Returns
    -------
    Tensor
        The converted tensor; the tensor itself if nothing changes.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.tensor([1.5]).char().dtype
    rushlight.int8
    """
    return self.to(t.int8)


def byte(self: Tensor) -> Tensor:
    """Converts to uint8.

    Returns
    -------
    Tensor
        The converted tensor; the tensor itself if nothing changes.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.tensor([1.5]).byte().dtype
    rushlight.uint8
    """
    return self.to(t.uint8)


def pin_memory(self: Tensor) -> Tensor:
    """Returns the tensor itself: copies of any tensor to a GPU go through pinned memory.

    Returns
    -------
    Tensor
        The tensor itself.

    Raises
    ------
    ValueError
        If the tensor is not on the CPU.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.ones(2)
    >>> x.pin_memory() is x
    True
    """
    if self.device.type != "cpu":
        raise ValueError(f"pin_memory: expected a tensor on the CPU, got one on {self.device}")
    return self


def unfold(self: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Returns windows of an axis as a new last axis. The result is a copy; in PyTorch it is a view.

    Parameters
    ----------
    dimension
        The axis.
    size
        Elements of a window.
    step
        From the beginning of a window to that of the next.

    Returns
    -------
    Tensor
        The axis has one entry for each window that fits.

    Raises
    ------
    IndexError
        If the axis is out of range.
    ValueError
        If the window is longer than the axis, or the step is not positive.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.arange(5).unfold(0, 3, 2).tolist()
    [[0, 1, 2], [2, 3, 4]]
    """
    at = one_axis("unfold", dimension, self.ndim)
    length = self.shape[at]
    if not 0 <= size <= length or step < 1:
        raise ValueError(f"unfold: windows of {size} elements, {step} apart, in an axis of {length}")
    first = n.arange(0, length - size + 1, step, device=self.device)
    index = n.expand_dims(first, 1) + n.arange(size, device=self.device)
    windows = n.take(self, index, axis=at)
    return moveaxis(windows, at + 1, -1)


def equal(self: Tensor, other: Tensor) -> builtins.bool:
    """Returns whether two tensors have the same shape and equal elements; `eq` compares elements.

    Parameters
    ----------
    other
        The other tensor.

    Returns
    -------
    bool
        False if one element differs; NaN differs from every number. Dtypes are promoted.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.tensor([1, 2]).equal(rl.tensor([1, 2])), rl.tensor([1, 2]).equal(rl.tensor([1, 3]))
    (True, False)
    """
    return self.shape == other.shape and builtins.bool(n.all(n.equal(self.detach(), other.detach())))


def polygamma(self: Tensor, n: int) -> Tensor:
    """Returns a derivative of `digamma`: the function `rushlight.polygamma`.

    Parameters
    ----------
    n
        The order of the derivative, 0 or more.

    Returns
    -------
    Tensor
        Of the dtype of the tensor, float32 for integers.

    Raises
    ------
    ValueError
        If the order is negative.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.tensor([1.0]).polygamma(1)
    tensor([1.6449], dtype=float32, device='cpu')
    """
    return _polygamma(n, self)


def positive(self: Tensor) -> Tensor:
    """Returns the tensor itself, as ``+x`` does.

    Returns
    -------
    Tensor
        The tensor.

    Raises
    ------
    TypeError
        If the dtype is bool.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.tensor([-1]).positive().tolist()
    [-1]
    """
    return n.positive(self)


def broadcast_to(self: Tensor, *size: int | Sequence[int]) -> Tensor:
    """Repeats axes of size 1 without a copy.

    Parameters
    ----------
    *size
        The new shape, as one sequence or as separate integers.

    Returns
    -------
    Tensor
        A view.

    Raises
    ------
    ValueError
        If the shapes do not broadcast.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.ones((2, 1)).broadcast_to((2, 3)).shape
    (2, 3)
    """
    return n.broadcast_to(self, sizes_of("broadcast_to", size))


def sum_to_size(self: Tensor, *size: int | Sequence[int]) -> Tensor:
    """Sums the axes along which a tensor of a smaller shape would be repeated.

    Parameters
    ----------
    *size
        A shape that broadcasts to that of the tensor, as one sequence or as separate integers.

    Returns
    -------
    Tensor
        Of the given shape.

    Raises
    ------
    ValueError
        If the shape does not broadcast to that of the tensor.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.ones((2, 3)).sum_to_size(3).tolist()
    [2.0, 2.0, 2.0]
    """
    shape = sizes_of("sum_to_size", size)
    more = self.ndim - len(shape)
    if more < 0 or any(a not in (1, b) for a, b in zip(shape, self.shape[more:], strict=True)):
        raise ValueError(f"sum_to_size: {shape} does not broadcast to {self.shape}")
    summed = [i for i, b in enumerate(self.shape[more:], start=more) if shape[i - more] != b]
    axes = (*range(more), *summed)
    return n.reshape(n.sum(self, axis=axes, dtype=self.dtype), shape) if axes else self


def fill_diagonal_(self: Tensor, fill_value: complex, wrap: builtins.bool = False) -> Tensor:
    """Writes a number to the main diagonal.

    Parameters
    ----------
    fill_value
        The number.
    wrap
        Whether the diagonal of a matrix with more rows than columns begins again, after one row.

    Returns
    -------
    Tensor
        The tensor itself.

    Raises
    ------
    ValueError
        If the rank is less than 2, or the sizes of a tensor of rank 3 or more differ.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.zeros((2, 2)).fill_diagonal_(5).tolist()
    [[5.0, 0.0], [0.0, 5.0]]
    """
    if self.ndim < 2 or (self.ndim > 2 and len(set(self.shape)) > 1):
        raise ValueError(f"fill_diagonal_: expected a matrix, or axes of one size, got shape {self.shape}")
    step, inside = 1, 1
    for size in reversed(self.shape[1:]):
        inside *= size
        step += inside
    at = n.arange(self.numel(), device=self.device)
    on = n.remainder(at, step) == 0
    if self.ndim == 2 and not wrap:
        on = n.logical_and(on, at < self.shape[1] ** 2)
    return written("fill_diagonal_", self, self.masked_fill(n.reshape(on, self.shape), fill_value))
