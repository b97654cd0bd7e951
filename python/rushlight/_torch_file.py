"""PyTorch's files: a zip archive of one pickle and the bytes of storages. Nothing in a file is ever executed.

The pickle is written by `_Writer`, opcode by opcode, and read by an unpickler that knows the few names that
tensors and containers need; any other name is an error.
"""

from __future__ import annotations

import io
import os
import pickle
import pickletools
import stat
import struct
import tempfile
import zipfile
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from . import _native, _types
from ._native import DType, Tensor

if TYPE_CHECKING:
    from .sparse import SparseTensor

STORAGES = {
    "float64": "DoubleStorage",
    "float32": "FloatStorage",
    "float16": "HalfStorage",
    "bfloat16": "BFloat16Storage",
    "int64": "LongStorage",
    "int32": "IntStorage",
    "int16": "ShortStorage",
    "int8": "CharStorage",
    "uint8": "ByteStorage",
    "bool": "BoolStorage",
    "complex64": "ComplexFloatStorage",
    "complex128": "ComplexDoubleStorage",
}
DTYPES = {name: dtype for dtype, name in STORAGES.items()}
# PyTorch has no typed storage for these dtypes, so their tensors name the dtype.
UNTYPED = ("uint16", "uint32", "uint64", "float8_e4m3fn")
ALIGNMENT = 64
# The default factories that a defaultdict in a file may have.
FACTORIES = (list, dict, int, float)


def _bytes(x: Tensor) -> bytes:
    """Return the bytes of a tensor's elements in row-major order, little-endian."""
    data: bytes = x.detach().__reduce__()[1][0]
    return data


class _Writer:
    """Writes a pickle of protocol 2 that contains only types that `torch.load(weights_only=True)` accepts."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._out = io.BytesIO()
        self._out.write(b"\x80\x02")
        self._open: list[int] = []
        self._path: list[str] = []
        self._numbers: dict[int, str] = {}
        # Keeps the tensors alive, so that no two of them have the same address.
        self.storages: list[Tensor] = []

    def finish(self, value: Any) -> bytes:
        """Write the value and return the pickle."""
        self._put(value)
        self._out.write(b".")
        return self._out.getvalue()

    def _global(self, module: str, name: str) -> None:
        self._out.write(f"c{module}\n{name}\n".encode())

    def _text(self, value: str) -> None:
        data = value.encode("utf-8", "surrogatepass")
        self._out.write(b"X" + struct.pack("<I", len(data)) + data)

    def _int(self, value: int) -> None:
        if -(2**31) <= value < 2**31:
            self._out.write(b"J" + struct.pack("<i", value))
            return
        data = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
        if len(data) < 256:
            self._out.write(b"\x8a" + bytes([len(data)]) + data)
        else:
            self._out.write(b"\x8b" + struct.pack("<i", len(data)) + data)

    def _tuple(self, *values: Any) -> None:
        self._out.write(b"(")
        for value in values:
            value() if callable(value) else self._put(value)
        self._out.write(b"t")

    def _inside(self, key: Any, value: Any) -> None:
        self._path.append(f"[{key!r}]")
        self._put(value)
        self._path.pop()

    def _items(self, value: Mapping[Any, Any]) -> None:
        self._out.write(b"(")
        for key, entry in value.items():
            self._inside("a key", key)
            self._inside(key, entry)
        self._out.write(b"u")

    def _put(self, value: Any) -> None:
        if isinstance(value, Tensor):
            return self._tensor(value)
        if id(value) in self._open:
            raise ValueError(f"{self._name}: {self._where()} holds itself")
        write = self._out.write
        if value is None:
            write(b"N")
        elif value is True or value is False:
            write(b"\x88" if value else b"\x89")
        elif type(value) is int:
            self._int(value)
        elif isinstance(value, float):
            write(b"G" + struct.pack(">d", value))
        elif isinstance(value, str):
            self._text(value)
        elif isinstance(value, bytes):
            self._global("_codecs", "encode")
            self._tuple(value.decode("latin1"), "latin1")
            write(b"R")
        elif type(value) is complex:
            self._global("__builtin__", "complex")
            self._tuple(value.real, value.imag)
            write(b"R")
        elif isinstance(value, DType):
            self._global("torch", value.name)
        else:
            self._open.append(id(value))
            self._container(value)
            self._open.pop()

    def _container(self, value: Any) -> None:
        from .sparse import SparseTensor

        if isinstance(value, SparseTensor):
            return self._sparse(value)
        write = self._out.write
        if isinstance(value, Counter):
            self._global("collections", "Counter")
            self._tuple(dict(value))
            write(b"R")
        elif isinstance(value, OrderedDict):
            self._global("collections", "OrderedDict")
            write(b")R")
            self._items(value)
        elif isinstance(value, dict):
            # A defaultdict is saved as a dict, because its factory would be a function that the file names.
            write(b"}")
            self._items(value)
        elif type(value) is list or isinstance(value, tuple):
            write(b"](" if type(value) is list else b"(")
            for number, entry in enumerate(value):
                self._inside(number, entry)
            write(b"e" if type(value) is list else b"t")
        elif isinstance(value, (set, frozenset)):
            self._global("__builtin__", type(value).__name__)
            self._tuple(list(value))
            write(b"R")
        else:
            kind = type(value)
            raise TypeError(
                f"{self._name}: {self._where()} is a {kind.__module__}.{kind.__qualname__}; a file holds "
                "tensors, numbers, texts, None, and dicts, lists, tuples and sets of them"
                + ("; save its state_dict()" if hasattr(value, "state_dict") else "")
            )

    def _where(self) -> str:
        return "".join(self._path) or "the object"

    def _sparse(self, x: SparseTensor) -> None:
        layout, parts = x._parts()

        def kind() -> None:
            self._global("torch.serialization", "_get_layout")
            self._tuple(f"torch.{layout}")
            self._out.write(b"R")

        self._global("torch._utils", "_rebuild_sparse_tensor")
        self._tuple(kind, parts)
        self._out.write(b"R")

    def _tensor(self, x: Tensor) -> None:
        from .nn.parameter import Parameter

        parameter = isinstance(x, Parameter)
        if parameter:
            self._global("torch._utils", "_rebuild_parameter")
            self._out.write(b"(")
        typed = x.dtype.name in STORAGES
        if not typed and x.dtype.name not in UNTYPED:
            raise TypeError(f"{self._name}: {self._where()} is a tensor of dtype {x.dtype.name}")
        self._global("torch._utils", "_rebuild_tensor_v2" if typed else "_rebuild_tensor_v3")
        if id(x) not in self._numbers:
            self._numbers[id(x)] = str(len(self.storages))
            self.storages.append(x)
        strides, step = [], 1
        for size in reversed(x.shape):
            strides.append(step)
            step *= size

        def storage() -> None:
            kind = STORAGES.get(x.dtype.name)
            self._tuple(
                "storage",
                lambda: self._global("torch" if kind else "torch.storage", kind or "UntypedStorage"),
                self._numbers[id(x)],
                "cpu",
                x.numel() if typed else x.nbytes,
            )
            self._out.write(b"Q")

        def hooks() -> None:
            self._global("collections", "OrderedDict")
            self._out.write(b")R")

        grad = x.requires_grad and not parameter
        parts: list[Any] = [storage, 0, tuple(x.shape), tuple(reversed(strides)), grad, hooks]
        if not typed:
            parts.append(x.dtype)
        self._tuple(*parts)
        self._out.write(b"R")
        if parameter:
            self._put(x.requires_grad)
            hooks()
            self._out.write(b"tR")


def write(path: str, value: Any, name: str) -> None:
    """Write a file of PyTorch's format; an existing regular file is replaced when the new one is complete."""
    writer = _Writer(name)
    data = writer.finish(value)
    real = os.path.realpath(path)
    if os.path.exists(real) and not stat.S_ISREG(os.stat(real).st_mode):
        memory = io.BytesIO()
        _archive(memory, real, data, writer.storages)
        with open(real, "wb") as device:
            device.write(memory.getbuffer())
        return
    try:
        handle, draft = tempfile.mkstemp(prefix=".rushlight-", dir=os.path.dirname(real))
    except OSError as error:
        raise type(error)(error.errno, error.strerror, path) from None
    try:
        with os.fdopen(handle, "wb") as file:
            _archive(file, real, data, writer.storages)
            if os.path.exists(real):
                mode = stat.S_IMODE(os.stat(real).st_mode)
            else:
                mask = os.umask(0)
                os.umask(mask)
                mode = 0o666 & ~mask
            os.fchmod(file.fileno(), mode)
        os.replace(draft, real)
    except BaseException:
        os.unlink(draft)
        raise


def _archive(file: BinaryIO, path: str, data: bytes, storages: list[Tensor]) -> None:
    root = os.path.splitext(os.path.basename(path))[0] or "archive"
    with zipfile.ZipFile(file, "w") as archive:

        def add(name: str, content: bytes) -> None:
            entry = zipfile.ZipInfo(f"{root}/{name}")
            # As PyTorch does: an extra field, so that the content begins at a multiple of the alignment.
            header = archive.start_dir + 30 + len(entry.filename.encode()) + 4
            padding = -header % ALIGNMENT
            entry.extra = b"FB" + struct.pack("<H", padding) + b"Z" * padding
            archive.writestr(entry, content)

        add("data.pkl", data)
        add("byteorder", b"little")
        for number, x in enumerate(storages):
            add(f"data/{number}", _bytes(x))
        add("version", b"3\n")


class _Storage(NamedTuple):
    """A storage of a file: its dtype (None: bytes), its entry, its length and the device it was on."""

    dtype: str | None
    key: str
    size: int
    location: str


class _StorageType(NamedTuple):
    dtype: str | None


class Refused(Exception):
    """Raised if the pickle names a class that is not a tensor or a container."""


Place = Callable[[Tensor, str], Tensor]


class _PlaceError(Exception):
    """Wraps an error of the caller's `map_location` or device, which is not an error of the file."""


class _Call:
    """A callable that a pickle may name; it has no attributes that a pickle could change."""

    __slots__ = ("_run",)
    _run: Callable[..., Any]

    def __init__(self, run: Callable[..., Any]) -> None:
        object.__setattr__(self, "_run", run)

    def __call__(self, *args: Any) -> Any:
        return self._run(*args)

    def __setattr__(self, name: str, value: Any) -> None:
        raise pickle.UnpicklingError(f"an attribute {name}")


def _checked(data: bytes) -> bytes:
    """Check that a pickle's memo is not larger than the pickle: the unpickler allocates it at once."""
    for op, argument, _ in pickletools.genops(data):
        if "PUT" in op.name and int(str(argument)) > len(data):
            raise pickle.UnpicklingError(f"a memo of {argument} entries")
    return data


class _Reader(pickle.Unpickler):
    """An unpickler that calls nothing but this module's functions and constructors of containers."""

    def __init__(self, archive: zipfile.ZipFile, entry: str, place: Place) -> None:
        super().__init__(io.BytesIO(_checked(archive.read(entry))))
        self._archive, self._root, self._place = archive, entry[: -len("data.pkl")], place
        names = archive.namelist()
        order = self._root + "byteorder"
        self._swapped = order in names and archive.read(order) == b"big"
        self._storages: dict[str, bytes] = {}
        self._tensors: dict[Any, Tensor] = {}
        calls: dict[tuple[str, str], Callable[..., Any]] = {
            ("collections", "OrderedDict"): OrderedDict,
            ("collections", "Counter"): Counter,
            ("collections", "defaultdict"): _defaultdict,
            ("_codecs", "encode"): _encode,
            ("torch", "Size"): _size,
            ("torch", "device"): _device,
            ("torch._utils", "_rebuild_tensor_v2"): self._tensor,
            ("torch._utils", "_rebuild_tensor_v3"): self._typed_tensor,
            ("torch._utils", "_rebuild_sparse_tensor"): _sparse,
            ("torch.serialization", "_get_layout"): _layout,
            ("torch._utils", "_rebuild_parameter"): self._parameter,
        }
        for module in ("builtins", "__builtin__"):
            calls.update({(module, kind.__name__): kind for kind in (set, frozenset, complex, *FACTORIES)})
        self._calls = {name: _Call(run) for name, run in calls.items()}

    def find_class(self, module: str, name: str) -> Any:
        """Return the callable for a name in the pickle."""
        if (module, name) in self._calls:
            return self._calls[module, name]
        if (module, name) == ("torch.storage", "UntypedStorage"):
            return _StorageType(None)
        if module == "torch" and name in DTYPES:
            return _StorageType(DTYPES[name])
        if module == "torch" and (name in STORAGES or name in UNTYPED):
            return getattr(_types, name)
        raise Refused(f"{module}.{name}")

    def persistent_load(self, saved: Any) -> _Storage:
        """Return the storage of a reference."""
        kind, storage, key, location, size = saved
        if kind != "storage" or not isinstance(storage, _StorageType):
            raise pickle.UnpicklingError(f"a reference {kind!r}")
        return _Storage(storage.dtype, str(key), int(size), str(location))

    def _data(self, storage: _Storage, itemsize: int) -> bytes:
        if storage.key not in self._storages:
            data = self._archive.read(f"{self._root}data/{storage.key}")
            if self._swapped and itemsize > 1:
                complex_parts = (storage.dtype or "").startswith("complex")
                unit = itemsize // 2 if complex_parts else itemsize
                turned = bytearray(len(data))
                for i in range(unit):
                    turned[i::unit] = data[unit - 1 - i :: unit]
                data = bytes(turned)
            self._storages[storage.key] = data
        return self._storages[storage.key]

    def _tensor(
        self,
        storage: _Storage,
        offset: int,
        shape: tuple[int, ...],
        stride: tuple[int, ...],
        requires_grad: bool = False,
        hooks: Any = None,
        metadata: Any = None,
    ) -> Tensor:
        return self._typed_tensor(storage, offset, shape, stride, requires_grad, hooks, None, metadata)

    def _typed_tensor(
        self,
        storage: _Storage,
        offset: int,
        shape: tuple[int, ...],
        stride: tuple[int, ...],
        requires_grad: bool,
        hooks: Any,
        dtype: DType | None,
        metadata: Any = None,
    ) -> Tensor:
        from ._compose.complex import conj

        name = storage.dtype or (dtype.name if dtype is not None else "uint8")
        # PyTorch conjugates and negates late: the storage has the numbers of before.
        late = [bool((metadata or {}).get(flag)) for flag in ("conj", "neg")]
        kept = (storage.key, offset, tuple(shape), tuple(stride), name, requires_grad, *late)
        if kept not in self._tensors:
            view = self._view(storage, name, offset, tuple(shape), tuple(stride))
            view = conj(view) if late[0] else view
            view = -view if late[1] else view
            try:
                made = self._place(view, storage.location)
            except Exception as error:
                raise _PlaceError(error) from error
            self._tensors[kept] = made.requires_grad_() if requires_grad else made
        return self._tensors[kept]

    def _view(
        self, storage: _Storage, name: str, offset: int, shape: tuple[int, ...], stride: tuple[int, ...]
    ) -> Tensor:
        itemsize = _native.zeros((1,), dtype=getattr(_types, name)).itemsize
        data = self._data(storage, itemsize)
        count, contiguous, step = 1, True, 1
        for size, gap in zip(reversed(shape), reversed(stride), strict=True):
            contiguous &= size <= 1 or gap == step
            step *= size
            count *= size
        last = offset + sum((size - 1) * gap for size, gap in zip(shape, stride, strict=True))
        if min((offset, *shape, *stride), default=0) < 0 or (count and (last + 1) * itemsize > len(data)):
            raise pickle.UnpicklingError(f"a tensor of shape {shape} beyond its storage")
        if count > len(data) and count > 2**24:
            raise pickle.UnpicklingError(f"a broadcast tensor of {count} elements")
        if contiguous:
            part = data[offset * itemsize : (offset + count) * itemsize]
            return _native._rebuild(part, name, shape, "cpu", False)
        whole = _native._rebuild(data, name, (len(data) // itemsize,), "cpu", False)
        index = _native.full((1,) * len(shape), offset, dtype=_types.int64, device="cpu")
        for axis, (size, gap) in enumerate(zip(shape, stride, strict=True)):
            along = [1] * len(shape)
            along[axis] = size
            index = index + _native.arange(size, dtype=_types.int64, device="cpu").reshape(tuple(along)) * gap
        return _native.take(whole, index.reshape((-1,)), axis=0).reshape(shape)

    def _parameter(self, data: Tensor, requires_grad: bool, hooks: Any) -> Tensor:
        from .nn.parameter import Parameter

        return Parameter(data.detach(), bool(requires_grad))


def _sparse(layout: str, data: tuple[Any, ...]) -> SparseTensor:
    from .sparse import sparse_coo_tensor, sparse_csr_tensor

    if layout == "torch.sparse_coo":
        indices, values, size, *coalesced = data
        return sparse_coo_tensor(indices, values, size, is_coalesced=bool(coalesced and coalesced[0]))
    if layout == "torch.sparse_csr":
        return sparse_csr_tensor(*data)
    raise pickle.UnpicklingError(f"a sparse tensor of the layout {layout}, not of sparse_coo or sparse_csr")


def _layout(name: str) -> str:
    return name


def _encode(text: str, codec: str) -> bytes:
    if codec != "latin1":
        raise Refused(f"the codec {codec}")
    return text.encode("latin1")


def _defaultdict(factory: Any = None, items: Any = ()) -> defaultdict[Any, Any]:
    if isinstance(factory, _Call):
        factory = factory._run
    if factory is not None and factory not in FACTORIES:
        raise pickle.UnpicklingError("a defaultdict of another function")
    return defaultdict(factory, items)


def _size(values: Any) -> tuple[int, ...]:
    return tuple(int(value) for value in values)


def _device(*parts: Any) -> str:
    return ":".join(str(part) for part in parts)


def read(path: str, place: Place) -> Any:
    """Return the object of a file, its tensors placed on a device by `place`."""
    try:
        with zipfile.ZipFile(path) as archive:
            entry = next(name for name in archive.namelist() if name.endswith("data.pkl"))
            return _Reader(archive, entry, place).load()
    except _PlaceError as error:
        raise error.args[0] from None
    except Refused as error:
        classes = ", ".join(pickled_classes(path) or [str(error)])
        raise ValueError(
            f"load: {path!r} holds objects of {classes}, and loading them would run their code, as files of "
            "torch.save(model, ..) do: write torch.save(model.state_dict(), ..) and load that"
        ) from None
    except (
        pickle.UnpicklingError,
        zipfile.BadZipFile,
        EOFError,
        LookupError,
        AttributeError,
        TypeError,
        ValueError,
        ArithmeticError,
        MemoryError,
        RecursionError,
        struct.error,
        NotImplementedError,
    ) as error:
        raise ValueError(f"load: {path!r} is a damaged pth file: {error}") from None


def pickled_classes(path: str) -> list[str]:
    """Return the classes that a file's pickle would import, except those of tensors and containers."""
    with zipfile.ZipFile(path) as archive:
        name = next(n for n in archive.namelist() if n.endswith("data.pkl"))
        data = archive.read(name)
    found: list[str] = []
    texts: list[str] = []
    for op, argument, _ in pickletools.genops(data):
        if isinstance(argument, str) and op.name != "GLOBAL":
            texts.append(argument)
        if op.name == "GLOBAL":
            found.append(str(argument).replace(" ", "."))
        elif op.name == "STACK_GLOBAL":
            found.append(".".join(texts[-2:]))
    plain = (
        *("torch._utils.", "torch.serialization.", "torch.Size", "torch.device"),
        *("collections.", "__builtin__.", "builtins."),
    )
    named = [n for n, _ in groupby(found) if not n.startswith(plain) and not n.endswith("Storage")]
    return list(dict.fromkeys(named))[:3]
