"""Quantized tensors: ggml's blocks and GGUF files.

A block holds some elements in few bits each, with scales. `QTensor` has the blocks of a tensor, `dequantize`
computes its numbers, `qmatmul` multiplies by them, in a precision that `set_activations` chooses, and
`rl.load` reads GGUF files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import _core as rl
from . import _native
from ._native import Device, DType, Tensor

__all__ = [
    "ACTIVATIONS",
    "BLOCK_TYPES",
    "QTensor",
    "activations",
    "dequantize",
    "load_gguf",
    "qmatmul",
    "quantize",
    "save_gguf",
    "set_activations",
]

_SIZES = {name: (elements, size) for name, elements, size in _native._ggml_types()}
#: The names of the block types.
BLOCK_TYPES = tuple(_SIZES)
#: The precisions of the other factor of products with blocks.
ACTIVATIONS = ("float32", "int8")
# Tensors of these types are tensors of a dtype.
_DTYPES = {"F32": rl.float32, "F16": rl.float16, "BF16": rl.bfloat16}
_PLAIN = {dtype: name for name, dtype in _DTYPES.items()}


class QTensor:
    """A tensor of quantized blocks. Rows, along the last dimension, are whole blocks.

    Parameters
    ----------
    blocks
        A matrix of uint8: the bytes of the blocks of each row.
    dtype
        The type of the blocks, one of `BLOCK_TYPES`.
    shape
        The shape, in elements.

    Raises
    ------
    ValueError
        If the type is unknown, or the bytes do not fit the shape.

    Examples
    --------
    >>> import rushlight as rl
    >>> q = rl.quantized.quantize(rl.ones((2, 64)), "Q8_0")
    >>> q
    QTensor(shape=(2, 64), dtype='Q8_0', device='cpu')
    >>> q.nbytes
    136
    """

    def __init__(self, blocks: Tensor, dtype: str, shape: Sequence[int]) -> None:
        if dtype not in _SIZES:
            raise ValueError(f"QTensor: expected a block type of {', '.join(BLOCK_TYPES)}, got {dtype!r}")
        self._blocks, self._dtype, self._shape = blocks, dtype, tuple(shape)
        elements, size = _SIZES[dtype]
        rows = 1
        for n in self._shape[:-1]:
            rows *= n
        bytes_of_row = self._shape[-1] // elements * size if self._shape else -1
        if (
            blocks.dtype != rl.uint8
            or tuple(blocks.shape) != (rows, bytes_of_row)
            or self._shape[-1] % elements
        ):
            raise ValueError(
                f"QTensor: {tuple(blocks.shape)} of {blocks.dtype} are not the bytes of {dtype} blocks "
                f"in shape {self._shape}"
            )

    @property
    def blocks(self) -> Tensor:
        """The bytes of the blocks, a row for each row."""
        return self._blocks

    @property
    def dtype(self) -> str:
        """The type of the blocks."""
        return self._dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape, in elements."""
        return self._shape

    @property
    def device(self) -> Device:
        """The device that has the blocks."""
        return self._blocks.device

    @property
    def nbytes(self) -> int:
        """The number of bytes of the blocks."""
        return self._blocks.shape[0] * self._blocks.shape[1]

    def to(self, device: Device | str) -> QTensor:
        """Copy to a device.

        Parameters
        ----------
        device
            The device.

        Returns
        -------
        QTensor
            The same blocks there.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.quantized.quantize(rl.ones((1, 32)), "Q4_0").to("cpu").shape
        (1, 32)
        """
        return QTensor(self._blocks.to(device=device), self._dtype, self._shape)

    def dequantize(self, dtype: DType | None = None) -> Tensor:
        """Compute the numbers of the blocks, on their device.

        Parameters
        ----------
        dtype
            The dtype that the numbers, which are computed in float32, are rounded to; float32 by default.

        Returns
        -------
        Tensor
            The numbers, on the same device.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.quantized.quantize(rl.ones((1, 32)), "Q4_0").dequantize().mean().item()
        1.0
        """
        found = _native._dequantize(self._blocks, self._dtype).reshape(self._shape)
        return found if dtype is None else rl.astype(found, dtype)

    def __repr__(self) -> str:
        return f"QTensor(shape={self._shape}, dtype={self._dtype!r}, device={str(self.device)!r})"


def quantize(x: Tensor, dtype: str, importance: Sequence[float] | None = None) -> QTensor:
    """Quantizes a tensor to blocks. They are computed on the CPU, also for a tensor of a GPU.

    Parameters
    ----------
    x
        The tensor, whose last dimension is a multiple of the block size: 32 for Q4_0 to Q8_1, 256 for Q2K to
        Q8K.
    dtype
        The type of the blocks, one of `BLOCK_TYPES`; ``Q4_K`` is ``Q4K``.
    importance
        A weight for each element of the last dimension, for Q2K to Q6K: its squared error counts that much.

    Returns
    -------
    QTensor
        The blocks, on the device of `x`.

    Raises
    ------
    ValueError
        If the type is unknown, a row is not whole blocks, or the weights do not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.arange(256.0).reshape(1, 256)
    >>> error = rl.quantized.quantize(x, "Q6K").dequantize() - x
    >>> bool(abs(error).max() < 8)
    True
    """
    weights = None if importance is None else [float(w) for w in importance]
    name, blocks = _native._ggml_quantize(x, dtype, weights)
    return QTensor(blocks, name, x.shape)


def dequantize(x: QTensor, dtype: DType | None = None) -> Tensor:
    """Computes the numbers of blocks; same as ``x.dequantize(dtype)``.

    Parameters
    ----------
    x
        The blocks.
    dtype
        The dtype that the numbers are rounded to; float32 by default.

    Returns
    -------
    Tensor
        The numbers, on the device of the blocks.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.quantized.dequantize(rl.quantized.quantize(rl.zeros((1, 32)), "Q5_1")).sum().item()
    0.0
    """
    return x.dequantize(dtype)


class set_activations:
    """Sets the precision of the other factor of products with blocks, at once, in all threads.

    As a context manager it restores the setting before at the end. The first setting is the environment
    variable ``RUSHLIGHT_ACTIVATIONS``, or ``"float32"``.

    Parameters
    ----------
    name
        ``"float32"`` multiplies the factor as it is. ``"int8"`` rounds it to integers of 8 bits, in blocks of
        32 elements with a scale, and multiplies integers: faster, and less exact. Each element of the factor
        is then wrong by about 1/254 of the largest of its block at most. A block of the factor with an
        infinity or NaN gives NaN. Blocks of F32, F16 and BF16, and an `x` whose gradient is recorded, are
        multiplied as with ``"float32"``.

    Notes
    -----
    The setting is that of the process: blocks of ``with`` in threads that overlap change each other's. Give
    `qmatmul` its argument `activations` there.

    Raises
    ------
    ValueError
        If the name is neither of them.

    Examples
    --------
    >>> import rushlight as rl
    >>> with rl.quantized.set_activations("int8"):
    ...     rl.quantized.activations()
    'int8'
    """

    def __init__(self, name: str) -> None:
        self._before = activations()
        _native._set_activations(name)

    def __enter__(self) -> None:
        """Keep the setting that the call has made."""

    def __exit__(self, *_: object) -> None:
        """Restore the setting before."""
        _native._set_activations(self._before)


def activations() -> str:
    """Returns the precision of the other factor of products with blocks, see `set_activations`.

    Returns
    -------
    str
        One of `ACTIVATIONS`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.quantized.activations() in rl.quantized.ACTIVATIONS
    True
    """
    return _native._activations()


def qmatmul(x: Tensor, weight: QTensor, activations: str | None = None) -> Tensor:
    """Multiplies the last dimension of a tensor by the transpose of a matrix of blocks.

    The blocks' numbers, in float32, or their integers are multiplied on the device of the tensors.

    Parameters
    ----------
    x
        The tensor, of shape ``(.., k)`` and a floating-point dtype. It has a gradient.
    weight
        Blocks of shape ``(n, k)``.
    activations
        The precision of `x`: ``"float32"``, or ``"int8"``, which rounds `x`. None is that of
        `set_activations`, which describes both.

    Returns
    -------
    Tensor
        The product, of shape ``(.., n)`` and the dtype of `x`.

    Raises
    ------
    TypeError
        If `weight` is not a QTensor.
    ValueError
        If the shapes do not fit, or `activations` is another word.

    Examples
    --------
    >>> import rushlight as rl
    >>> weight = rl.quantized.quantize(rl.ones((3, 64)), "Q8_0")
    >>> rl.quantized.qmatmul(rl.ones((2, 64)), weight).shape
    (2, 3)
    """
    if not isinstance(weight, QTensor):
        raise TypeError(f"qmatmul: weight is a QTensor, got {type(weight).__name__}")
    if len(weight.shape) != 2:
        raise ValueError(f"qmatmul: expected blocks of a matrix, got shape {weight.shape}")
    precision = _native._activations() if activations is None else activations
    if precision == "float32":
        return _native._qmatmul(x, weight.blocks, weight.dtype)
    return _native._qmatmul_with(x, weight.blocks, weight.dtype, precision)


def load_gguf(
    file: str | os.PathLike[str],
    device: Device | str | None = None,
    *,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[dict[str, QTensor | Tensor], dict[str, Any]]:
    """Reads a GGUF file: its tensors, and its metadata. `rushlight.load_metadata` reads the metadata alone.

    Parameters
    ----------
    file
        The path.
    device
        The device of the tensors; the CPU by default.
    progress
        Called after each tensor, with the bytes of data that have been read and those of all tensors. An
        exception that it raises ends the call.

    Returns
    -------
    tuple
        A dict of the tensors by name, in the order of their data, and a dict of the metadata by key. Tensors
        of float32, float16 and bfloat16 are `Tensor`, others `QTensor`.

    Raises
    ------
    ValueError
        If the file is damaged, or has a type of blocks that is not supported. The message has the position
        in bytes.

    Examples
    --------
    >>> import os, tempfile
    >>> import rushlight as rl
    >>> path = os.path.join(tempfile.mkdtemp(), "x.gguf")
    >>> q = rl.quantized.quantize(rl.ones((2, 32)), "Q4_0")
    >>> rl.quantized.save_gguf({"w": q}, path, {"general.name": "example"})
    >>> tensors, metadata = rl.quantized.load_gguf(path)
    >>> tensors["w"].shape, metadata["general.name"]
    ((2, 32), 'example')
    """
    metadata, tensors = _native._load_gguf(file, device, progress)
    found: dict[str, QTensor | Tensor] = {}
    for name, (kind, shape, blocks) in tensors:
        whole = QTensor(blocks, kind, shape)
        found[name] = whole.dequantize(_DTYPES[kind]) if kind in _DTYPES else whole
    return found, metadata


def save_gguf(
    tensors: Mapping[str, QTensor | Tensor],
    file: str | os.PathLike[str],
    metadata: Mapping[str, Any] | None = None,
) -> None:
    """Writes a GGUF file of version 3. The file is replaced only when the new one is complete.

    Parameters
    ----------
    tensors
        Tensors by name: blocks, or tensors of float32, float16 and bfloat16.
    file
        The path.
    metadata
        Values by key: bools, ints, floats, texts, and lists of one of them. An int has 32 bits where it fits
        and is unsigned if it is not negative; ints of a list are signed where they fit; a float has 32 bits.
        ``general.alignment`` sets the alignment of the data in bytes.

    Raises
    ------
    TypeError
        If a tensor has another dtype, or a value is of another type.
    ValueError
        If an int needs more than 64 bits, or a list has several types.

    Examples
    --------
    >>> import os, tempfile
    >>> import rushlight as rl
    >>> path = os.path.join(tempfile.mkdtemp(), "x.gguf")
    >>> rl.quantized.save_gguf({"bias": rl.zeros(3)}, path)
    >>> rl.load(path)["bias"].tolist()
    [0.0, 0.0, 0.0]
    """
    parts = []
    for name, x in tensors.items():
        if isinstance(x, Tensor):
            if x.dtype not in _PLAIN:
                raise TypeError(f"save_gguf: {name}: expected float32, float16 or bfloat16, got {x.dtype}")
            whole = quantize(x.detach() if x.ndim else x.detach().reshape(1), _PLAIN[x.dtype])
        else:
            whole = x
        parts.append((name, whole.dtype, list(whole.shape), whole.blocks))
    _native._save_gguf(file, parts, dict(metadata or {}))
