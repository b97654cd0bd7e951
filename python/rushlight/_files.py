"""Tensors in NumPy's and PyTorch's files; `load_file` and `save_file` are for safetensors."""

from __future__ import annotations

import os
import pickletools
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO, TypeAlias

from . import _native
from ._native import Device, Tensor

__all__ = ["load", "save", "savez"]

Path: TypeAlias = str | os.PathLike[str]
File: TypeAlias = Path | BinaryIO


def load(
    file: File, device: Device | str | None = None, *, key: str | None = None
) -> Tensor | dict[str, Tensor]:
    """Reads a file of tensors: npy, npz, PyTorch's pth, or safetensors, whichever it is.

    Nothing in a file is ever executed: of a pth file's pickle only tensors and the dicts of them are read.

    Parameters
    ----------
    file
        The path, or an object with ``read`` (an open file, `io.BytesIO`), which is read to its end. What it
        holds decides, not its name.
    device
        Where the tensors go.
    key
        For pth files: the entry of the saved dict that holds the tensors, such as ``"model_state_dict"``.

    Returns
    -------
    Tensor or dict of Tensor
        The tensor of an npy file; of the others the tensors by name.

    Raises
    ------
    ValueError
        If the file is none of these, is truncated, or is a pth file without tensors where `key` points.

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
            return load(copy.name, device, key=key)
    with open(file, "rb") as opened:
        head = opened.read(9)
    kind = _kind(file, head)
    if key is not None and kind != "pth":
        raise ValueError(f"load: key goes with pth files, and {os.fspath(file)!r} is an {kind} file")
    if kind == "npy":
        return _native._load_npy(file, device)
    if kind == "npz":
        return _native._load_npz(file, device)
    if kind == "pth":
        found = _native._load_pth(file, device, key)
        if not found:
            where = "at the top" if key is None else f"under {key!r}"
            classes = _pickled_classes(os.fspath(file))
            if classes:
                raise ValueError(
                    f"load: {os.fspath(file)!r} has no tensors {where}; it holds objects of "
                    f"{', '.join(classes)}, as torch.save(model, ..) writes them, and loading them would run "
                    "their code: write torch.save(model.state_dict(), ..) and load that"
                )
            raise ValueError(
                f"load: {os.fspath(file)!r} has no tensors {where}; key= names the entry of the saved dict "
                "that holds them, such as 'model_state_dict'"
            )
        return found
    return _native.load_file(file, device)


def _pickled_classes(path: str | bytes) -> list[str]:
    """Return the classes that a pth file's pickle would import, without those of tensors and dicts."""
    with zipfile.ZipFile(os.fsdecode(path)) as archive:
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
    plain = ("torch._utils.", "torch.FloatStorage", "collections.", "torch.serialization.")
    named = [n for n in dict.fromkeys(found) if not n.startswith(plain) and not n.endswith("Storage")]
    return named[:3]


def _kind(file: Path, head: bytes) -> str:
    """Tell a file's format by its first bytes, and a zip file's by its entries."""
    if head.startswith(b"\x93NUMPY"):
        return "npy"
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
        f"load: {os.fspath(file)!r} is not an npy, npz, safetensors or pth file (of PyTorch 1.6 or later)"
    )


def _copy(op: str, source: Any, target: Any) -> None:
    """Copy what is left of a file object, which may be open for texts by mistake."""
    try:
        shutil.copyfileobj(source, target)
    except TypeError:
        raise TypeError(f"{op}: the file object gives or takes text; open it in binary mode") from None


def _write(op: str, file: File, suffix: str, write: Callable[[str], None]) -> None:
    """Write to a path, with the suffix where it has none, as NumPy does, or to a file object."""
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
    """Return which function writes files with a suffix."""
    if suffix in (".pt", ".pth", ".bin", ".ckpt"):
        return (
            f"{suffix} files of PyTorch are read, not written: save_file writes a state_dict as .safetensors"
        )
    known = {".npy": "save(file, tensor)", ".npz": "savez(file, name=tensor)"}
    known[".safetensors"] = "save_file({'name': tensor}, file)"
    found = known.get(suffix)
    return (
        f"{found} writes {suffix} files"
        if found
        else "save_file, savez and save write .safetensors, .npz and .npy"
    )


def save(file: File, x: Tensor) -> None:
    """Writes one tensor to an npy file, as ``numpy.save`` does.

    For several tensors see `savez` and `save_file`. PyTorch's pth files are read, not written.

    Parameters
    ----------
    file
        A path that ends with ``.npy`` (which a path without a suffix gets), or an object with ``write``, such
        as an open file or `io.BytesIO`.
    x
        A tensor of any shape and dtype but bfloat16 and float8_e4m3fn, which npy files lack.

    Raises
    ------
    TypeError
        If `x` is not a tensor, or `file` is neither a path nor has ``write``.
    ValueError
        If the path has another suffix: the file would not be what its name says.

    Examples
    --------
    >>> import os, tempfile
    >>> import rushlight as rl
    >>> path = os.path.join(tempfile.mkdtemp(), "x.npy")
    >>> rl.save(path, rl.tensor([1.0, 2.0]))
    >>> rl.load(path).tolist()
    [1.0, 2.0]
    """
    if isinstance(x, dict):
        raise TypeError("save: a dict of tensors goes to save_file (safetensors) or savez (npz)")
    _write("save", file, ".npy", lambda path: _native._save_npy(path, x))


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
