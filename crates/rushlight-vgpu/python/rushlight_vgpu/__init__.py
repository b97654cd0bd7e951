"""The virtual AMD GPU's libraries for HIP 5, 6 and 7.

They stand behind ROCm's own interface, so a program that uses ROCm through them runs where there is no AMD
GPU. `rushlight.testing.virtual_rocm` uses them; any other program finds them in the folder that `path` gives.

>>> import rushlight_vgpu
>>> rushlight_vgpu.path(7).endswith("hip7")
True
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import shutil
import tempfile
from pathlib import Path

__all__ = ["VERSIONS", "path"]

VERSIONS = (5, 6, 7)
_HERE = Path(__file__).resolve().parent
_temporary: dict[int, Path] = {}


def path(hip: int = 7) -> str:
    """Return the folder to put in RUSHLIGHT_ROCM_PATH for a version of HIP: 5, 6 or 7.

    Programs open the library under several names, which must lead to one file: copies would be separate
    runtimes, and a wheel cannot contain links. So this function creates links to the package's file if they
    are missing, in a folder of rushlight's cache, or of temporary files if the cache cannot be written.
    """
    if hip not in VERSIONS:
        raise ValueError(f"HIP {hip!r} is not one of {VERSIONS}")
    key = hashlib.sha256(str(_HERE).encode()).hexdigest()[:16]
    cache = _cache()
    if cache is not None:
        folder = cache / "vgpu" / key / f"hip{hip}"
        with contextlib.suppress(OSError):
            _link(hip, folder / "lib")
            return str(folder)
    if hip not in _temporary:
        folder = Path(tempfile.mkdtemp(prefix="rushlight-vgpu-")) / f"hip{hip}"
        atexit.register(shutil.rmtree, folder.parent, ignore_errors=True)
        _link(hip, folder / "lib")
        _temporary[hip] = folder
    return str(_temporary[hip])


def _cache() -> Path | None:
    """Return rushlight's cache folder: RUSHLIGHT_CACHE_DIR (empty: none), else one in the user's cache."""
    own = os.environ.get("RUSHLIGHT_CACHE_DIR")
    if own is not None:
        return Path(own).absolute() if own else None
    shared = os.environ.get("XDG_CACHE_HOME")
    with contextlib.suppress(RuntimeError):
        return Path(shared) / "rushlight" if shared else Path.home() / ".cache" / "rushlight"
    return None


def _link(hip: int, lib: Path) -> None:
    """Create the links of a version's libraries and data files that are missing or wrong."""
    files = _HERE / f"hip{hip}"
    names = (files / "names.txt").read_text(encoding="utf-8").split()
    library = files / "librushlight_vgpu.so"
    lib.mkdir(parents=True, exist_ok=True)
    wanted = dict.fromkeys(names, library)
    wanted |= {folder.name: folder for folder in files.iterdir() if folder.is_dir()}
    for name, target in wanted.items():
        link = lib / name
        if link.is_symlink() and os.readlink(link) == str(target):
            continue
        # Created next to the target and renamed, because other processes may do the same at the same time.
        beside = Path(tempfile.mkdtemp(dir=lib)) / name
        try:
            beside.symlink_to(target)
            beside.replace(link)
        finally:
            shutil.rmtree(beside.parent, ignore_errors=True)
