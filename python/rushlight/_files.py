"""Tensors in NumPy's and PyTorch's files; `load_file` and `save_file` are for safetensors."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO, TypeAlias

from . import _native, _torch_file
from ._native import Device, Tensor

__all__ = ["load", "load_metadata", "save", "savez"]

Path: TypeAlias = str | os.PathLike[str]
File: TypeAlias = Path | BinaryIO
MapLocation: TypeAlias = Device | str | Mapping[str, Any] | Callable[[Tensor, str], Any] | None
# File suffixes for which `save` uses PyTorch's format for any object.
TORCH = (".pt", ".pth", ".bin", ".ckpt", ".tar")


def load(
    file: File,
    device: Device | str | None = None,
    *,
    key: str | None = None,
    map_location: MapLocation = None,
    weights_only: bool = True,
) -> Any:
    """Reads a file of tensors: npy, npz, PyTorch's pth, safetensors, or GGUF.

    Nothing in a file is ever executed: from the pickle of a pth file only tensors, numbers, texts, None, and
    dicts, lists, tuples and sets of them are read.

    Parameters
    ----------
    file
        The path, or an object with ``read`` (an open file, `io.BytesIO`), which is read to its end. The
        format is recognized by the content, not by the name.
    device
        The device of the loaded tensors; the CPU by default, whatever device they were saved from.
    key
        For pth files: reads only the tensors of this entry of the saved dict, such as ``"model_state_dict"``.
    map_location
        PyTorch's name of `device`; also a dict from the saved devices' names to others, or a function of a
        tensor and the saved device's name that returns a tensor.
    weights_only
        Accepted as in PyTorch, without effect.

    Returns
    -------
    Any
        The tensor of an npy file, the object of a pth file, and of the others a dict of the tensors by name.
        Those of a GGUF file are `rushlight.quantized.QTensor`, or tensors if they are not quantized.

    Raises
    ------
    TypeError
        If `file` is neither a path nor has ``read``, or both `device` and `map_location` are given.
    ValueError
        If the file is none of these, is truncated, holds other objects, or is a pth file without tensors
        where `key` points.

    Examples
    --------
    >>> import os, tempfile
    >>> import rushlight as rl
    >>> path = os.path.join(tempfile.mkdtemp(), "x.npy")
    >>> rl.save(path, rl.tensor([1, 2]))
    >>> rl.load(path).tolist()
    [1, 2]
    """
    if not isinstance(file, (str, os.PathLike)):
        if not hasattr(file, "read"):
            raise TypeError(f"load: the file is a path or has read(), got {type(file).__name__}")
        with tempfile.NamedTemporaryFile(prefix="rushlight-") as copy:
            _copy("load", file, copy)
            copy.flush()
            return load(copy.name, device, key=key, map_location=map_location)
    if device is not None and map_location is not None:
        raise TypeError("load: device and map_location are two names of one setting; give one")
    if isinstance(map_location, (str, Device)):
        device, map_location = map_location, None
    with open(file, "rb") as opened:
        head = opened.read(9)
    kind = _kind(file, head)
    place = _placer(device, map_location)
    if key is not None and kind != "pth":
        raise ValueError(f"load: key goes with pth files, and {os.fspath(file)!r} is an {kind} file")
    if kind == "pth" and key is None:
        return _torch_file.read(os.fspath(file), place)
    if kind == "npy":
        return place(_native._load_npy(file, device), "cpu")
    if kind == "gguf":
        if map_location is not None:
            raise TypeError("load: map_location of a GGUF file is a device")
        from .quantized import load_gguf

        return load_gguf(file, device)[0]
    if kind == "npz":
        found = _native._load_npz(file, device)
    elif kind == "safetensors":
        found = _native.load_file(file, device)
    else:
        found = _native._load_pth(file, device, key)
        if not found:
            raise ValueError(
                f"load: {os.fspath(file)!r} has no tensors under {key!r}; key= names the entry "
                "of the saved dict that holds them, such as 'model_state_dict'; without it all is read"
            )
    return {name: place(x, "cpu") for name, x in found.items()}


def _placer(device: Device | str | None, map_location: Any) -> Callable[[Tensor, str], Tensor]:
    """Return the function that moves a loaded tensor, given its saved device's name, to its device."""

    def place(x: Tensor, saved: str) -> Tensor:
        if callable(map_location):
            found = map_location(x, saved)
            if found is None:
                return x
            if not isinstance(found, Tensor):
                kind = type(found).__name__
                raise TypeError(f"load: map_location returns a Tensor or None, got {kind}")
            return found
        where = device if map_location is None else map_location.get(saved)
        return x if where is None else x.to(device=where)

    if map_location is not None and not callable(map_location) and not isinstance(map_location, Mapping):
        kind = type(map_location).__name__
        raise TypeError(f"load: map_location is a device, a dict or a function, got {kind}")
    return place


def load_metadata(file: Path) -> dict[str, Any]:
    """Reads what a safetensors or GGUF file says of its tensors, without them.

    Parameters
    ----------
    file
        The path.

    Returns
    -------
    dict
        Of a safetensors file the texts that `save_file` wrote as ``metadata``; of a GGUF file the metadata of
        `rushlight.quantized.load_gguf`. Empty if the file has none.

    Raises
    ------
    ValueError
        If it is another file, or is damaged.

    Examples
    --------
    >>> import os, tempfile
    >>> import rushlight as rl
    >>> path = os.path.join(tempfile.mkdtemp(), "x.safetensors")
    >>> rl.save_file({"x": rl.ones(2)}, path, {"epoch": "3"})
    >>> rl.load_metadata(path)
    {'epoch': '3'}
    """
    with open(file, "rb") as opened:
        head = opened.read(9)
        size = int.from_bytes(head[:8], "little")
        kind = _kind(file, head)
        if kind == "gguf":
            return _native._gguf_metadata(file)
        if kind != "safetensors" or size > os.path.getsize(file):
            raise ValueError(f"load_metadata: {os.fspath(file)!r} is neither a safetensors nor a GGUF file")
        try:
            header = json.loads(head[8:] + opened.read(size - 1))
        except ValueError as error:
            raise ValueError(f"load_metadata: {os.fspath(file)!r} has a damaged header: {error}") from None
    found: dict[str, Any] = header.get("__metadata__") or {}
    return found


def _kind(file: Path, head: bytes) -> str:
    """Return a file's format by its first bytes, and for a zip file by its entries."""
    if head.startswith(b"\x93NUMPY"):
        return "npy"
    if head.startswith(b"GGUF"):
        return "gguf"
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        try:
            with zipfile.ZipFile(file) as archive:
                names = archive.namelist()
        except (zipfile.BadZipFile, NotImplementedError, UnicodeDecodeError) as error:
            raise ValueError(f"load: {os.fspath(file)!r} is a damaged zip file: {error}") from None
        return "pth" if any(name.endswith("data.pkl") for name in names) else "npz"
    if head[8:9] == b"{":
        return "safetensors"
    raise ValueError(
        f"load: {os.fspath(file)!r} is not an npy, npz, safetensors, GGUF or pth file "
        "(of PyTorch 1.6 or later)"
    )


def _copy(op: str, source: Any, target: Any) -> None:
    """Copy the rest of a file object; one that was opened for texts by mistake is an error."""
    try:
        shutil.copyfileobj(source, target)
    except TypeError:
        raise TypeError(f"{op}: the file object gives or takes text; open it in binary mode") from None


def _write(op: str, file: File, suffix: str, write: Callable[[str], None]) -> None:
    """Write to a file object, or to a path, which gets the suffix if it has none, as in NumPy."""
    if isinstance(file, (str, os.PathLike)):
        path = os.fspath(file)
        found = os.path.splitext(path)[1]
        if found in ("", suffix):
            return write(path if found else path + suffix)
        raise ValueError(f"{op}: cannot write {path!r}: {op} writes {suffix} files; {_other_writer(found)}")
    if not hasattr(file, "write"):
        name = type(file).__name__
        raise TypeError(f"{op}: the file comes first, as in NumPy, and is a path or has write(), not {name}")
    with tempfile.TemporaryDirectory(prefix="rushlight-") as folder:
        path = os.path.join(folder, "tensors" + suffix)
        write(path)
        with open(path, "rb") as written:
            _copy(op, written, file)


def _other_writer(suffix: str) -> str:
    """Return the name of the function that writes files with a suffix."""
    known = {".npy": "save(file, tensor)", ".npz": "savez(file, name=tensor)"}
    known.update(dict.fromkeys(TORCH, "save(file, object)"))
    known[".safetensors"] = "save_file({'name': tensor}, file)"
    found = known.get(suffix)
    return (
        f"{found} writes {suffix} files"
        if found
        else "save_file, savez and save write .safetensors, .npz and .npy"
    )


def save(file: Any, x: Any) -> None:
    """Writes an object to a file: one tensor like ``numpy.save``, anything else like ``torch.save``.

    Both orders of arguments work: ``save(file, x)``, as in NumPy, and ``save(x, file)``, as in PyTorch.

    Parameters
    ----------
    file
        A path, or an object with ``write``, such as an open file or `io.BytesIO`. A path's ending decides the
        format: npy (also for a tensor and a path without one, which gets ``.npy``), npz, safetensors and gguf
        for a dict of tensors, PyTorch's for ``.pt``, ``.pth`` and any other. PyTorch's format replaces a file
        only when the new one is complete; its tensors are stored as those of the CPU, and ``torch.load``
        reads them.
    x
        A tensor, a number, a text, None, or nested dicts, lists, tuples and sets of them: a whole checkpoint
        with the ``state_dict()`` of model, optimizer and schedule. The npy format lacks bfloat16 and
        float8_e4m3fn.

    Raises
    ------
    TypeError
        If `x` holds something else, or neither argument is a file.
    ValueError
        If the path's ending is that of another format.

    Examples
    --------
    >>> import os, tempfile
    >>> import rushlight as rl
    >>> path = os.path.join(tempfile.mkdtemp(), "checkpoint.pt")
    >>> rl.save({"model": rl.nn.Linear(2, 1).state_dict(), "epoch": 3}, path)
    >>> rl.load(path)["epoch"]
    3
    """
    swapped = not _is_file(file) and _is_file(x)
    target, value = (x, file) if swapped else (file, x)
    if not _is_file(target):
        name = type(target).__name__
        raise TypeError(f"save: the file comes first, as in NumPy, and is a path or has write(), not {name}")
    if isinstance(value, (str, os.PathLike)) and isinstance(target, (str, os.PathLike)):
        raise TypeError(f"save: two paths, {target!r} and {value!r}: put a text into a dict or list")
    path = target if isinstance(target, (str, os.PathLike)) else None
    suffix = "" if path is None else os.path.splitext(os.fspath(path))[1]
    tensor = isinstance(value, Tensor)
    if suffix == ".npy" and not tensor:
        kind = type(value).__name__
        raise TypeError(
            f"save: an npy file holds one tensor, not a {kind}: savez and save_file write several tensors, "
            "and a .pt file numbers, texts, None and nested dicts, too"
        )
    if suffix == ".npy" and swapped:
        raise TypeError("save: the file comes first where an npy file is written, as in NumPy")
    if path is not None and suffix == ".gguf" and isinstance(value, Mapping):
        from .quantized import save_gguf

        return save_gguf(value, path)
    named = isinstance(value, Mapping) and all(isinstance(v, Tensor) for v in value.values())
    if path is not None and suffix in (".npz", ".safetensors") and named:
        return savez(path, **value) if suffix == ".npz" else _native.save_file(value, path)
    if suffix in (".npz", ".safetensors", ".gguf") and not tensor:
        raise TypeError(
            f"save: a {suffix} file holds one dict of tensors by name; see .pt files for nested ones"
        )
    if suffix in TORCH or swapped or not tensor:
        if path is not None:
            return _torch_file.write(os.fspath(path), value, "save")
        return _write("save", target, ".pt", lambda path: _torch_file.write(path, value, "save"))
    _write("save", target, ".npy", lambda path: _native._save_npy(path, value))


def _is_file(x: Any) -> bool:
    return isinstance(x, (str, os.PathLike)) or (hasattr(x, "write") and not isinstance(x, Tensor))


def savez(file: File, *tensors: Tensor, **named: Tensor) -> None:
    """Writes tensors to an npz file, as ``numpy.savez`` does.

    Parameters
    ----------
    file
        A path that ends with ``.npz`` (which a path without a suffix gets), or an object with ``write``.
    *tensors
        Tensors that get the names ``arr_0``, ``arr_1`` and so on.
    **named
        Tensors by name.

    Raises
    ------
    TypeError
        If a value is not a tensor.
    ValueError
        If two tensors have one name, or the path has another suffix.

    Examples
    --------
    >>> import os, tempfile
    >>> import rushlight as rl
    >>> path = os.path.join(tempfile.mkdtemp(), "all.npz")
    >>> rl.savez(path, weight=rl.ones((2, 3)), bias=rl.zeros(2))
    >>> sorted(rl.load(path))
    ['bias', 'weight']
    """
    every = {f"arr_{i}": x for i, x in enumerate(tensors)}
    twice = [name for name in named if name in every]
    if twice:
        raise ValueError(f"savez: the name {twice[0]!r} is that of a tensor without a name")
    every.update(named)
    for name, x in every.items():
        if isinstance(x, Mapping):
            raise TypeError(
                f"savez: {name!r} is a {type(x).__name__}, not a tensor; an npz file has one level of names: "
                f"join them, as in savez(file, **{{'{name}.weight': tensor}})"
            )
    _write("savez", file, ".npz", lambda path: _native._save_npz(path, list(every), list(every.values())))
