"""Methods of `Tensor` that have no function of the same arguments."""

from __future__ import annotations

import builtins
from collections.abc import Sequence

from .. import _native as n
from .. import _types as t
from .._compose.axes import one_axis
from .._compose.shapes import broadcast_arrays, moveaxis, tile
from .._native import Device, DType, Tensor
from .new import sizes_of

__all__ = [
    "byte",
    "char",
    "cuda",
    "element_size",
    "index_fill",
    "index_put_",
    "masked_select",
    "pin_memory",
    "repeat",
    "reshape_as",
    "select",
    "short",
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
        The dtype, its name, or PyTorch's name of the class, such as ``"torch.FloatTensor"``.
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
    return self.to(dtype)


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


def select(self: Tensor, dim: int, index: int) -> Tensor:
    """Returns one entry of an axis, without the axis.

    Parameters
    ----------
    dim
        The axis.
    index
        The entry; a negative one counts from the end.

    Returns
    -------
    Tensor
        A view.

    Raises
    ------
    IndexError
        If the axis or the entry is out of range.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.tensor([[1, 2], [3, 4]]).select(1, 0).tolist()
    [1, 3]
    """
    at = one_axis("select", dim, self.ndim)
    length = self.shape[at]
    if not -length <= index < length:
        raise IndexError(f"select: index {index} is out of range for axis {dim} of size {length}")
    return n.squeeze(self.narrow(at, index % length, 1), at)


def masked_select(self: Tensor, mask: Tensor) -> Tensor:
    """Returns the elements where a mask is True, as a vector.

    Parameters
    ----------
    mask
        bool; it and the tensor broadcast.

    Returns
    -------
    Tensor
        The elements in row-major order.

    Raises
    ------
    TypeError
        If the mask is not of dtype bool.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.tensor([1, 2, 3])
    >>> x.masked_select(x > 1).tolist()
    [2, 3]
    """
    if mask.dtype != t.bool:
        raise TypeError(f"masked_select: the mask must be bool, not {mask.dtype}")
    x, chosen = broadcast_arrays(self, mask)
    return x[chosen]


def index_fill(self: Tensor, dim: int, index: Tensor, value: complex) -> Tensor:
    """Returns a copy with a value written at entries of an axis.

    Parameters
    ----------
    dim
        The axis.
    index
        A vector of the entries.
    value
        The number to write.

    Returns
    -------
    Tensor
        A new tensor.

    Raises
    ------
    IndexError
        If the axis or an index is out of range.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.zeros(3).index_fill(0, rl.tensor([0, 2]), 5.0).tolist()
    [5.0, 0.0, 5.0]
    """
    at = one_axis("index_fill", dim, self.ndim)
    ones = n.ones(index.shape, dtype=t.int64, device=self.device)
    hit = n.index_add(n.zeros(self.shape[at], dtype=t.int64, device=self.device), 0, index, ones) > 0
    shape = [1] * self.ndim
    shape[at] = self.shape[at]
    return self.masked_fill(n.reshape(hit, shape), value)


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
    """Returns the tensor itself: any host memory is copied to a GPU without being pinned first.

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


def index_put_(
    self: Tensor, indices: Sequence[Tensor], values: Tensor | complex, accumulate: builtins.bool = False
) -> Tensor:
    """Writes values at indices: ``x[indices] = values``.

    Parameters
    ----------
    indices
        One tensor of integers for each of the first axes, or a mask.
    values
        A tensor that broadcasts to the elements, or a number.
    accumulate
        Must be False; use `scatter_add_` or `index_add_` to add.

    Returns
    -------
    Tensor
        The tensor itself.

    Raises
    ------
    NotImplementedError
        If `accumulate` is True.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.zeros(3).index_put_((rl.tensor([0, 2]),), rl.tensor([5.0, 7.0])).tolist()
    [5.0, 0.0, 7.0]
    """
    if accumulate:
        raise NotImplementedError(
            "index_put_: accumulate=True is not supported; use scatter_add_ or index_add_"
        )
    self[tuple(indices)] = values
    return self
