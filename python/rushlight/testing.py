"""A virtual AMD GPU for tests on machines without one.

Its libraries are in the package ``rushlight-vgpu`` (``pip install rushlight[vgpu]``); ``make vgpu`` builds
them, too.
"""

from __future__ import annotations

import importlib
import os
import sys
from types import TracebackType

from . import rocm
from ._native import Device, DeviceError, _rocm_loaded

__all__ = ["VirtualRocm", "virtual_rocm"]

_active: VirtualRocm | None = None


class VirtualRocm:
    """The virtual GPU that `virtual_rocm` made. As a context manager it returns the device ``"rocm:0"``.

    Parameters
    ----------
    path
        The folder of the libraries.
    settings
        The environment variables that were set.
    """

    def __init__(self, path: str, settings: dict[str, str]) -> None:
        self.path = path
        self.settings = settings
        self._before = {name: os.environ.get(name) for name in settings}

    def __enter__(self) -> Device:
        return Device("rocm:0")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.restore()

    def restore(self) -> None:
        """Restores the environment variables for child processes; this process keeps its virtual GPU.

        Examples
        --------
        >>> import rushlight as rl
        >>> gpu = rl.testing.virtual_rocm("gfx1100")  # doctest: +SKIP
        >>> gpu.restore()  # doctest: +SKIP
        """
        for name, value in self._before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value

    def __repr__(self) -> str:
        return f"VirtualRocm({self.path!r}, {self.settings!r})"


def virtual_rocm(
    arch: str = "gfx1100",
    *,
    wave: int | None = None,
    hip: int = 7,
    devices: int | None = None,
    memory: int | None = None,
    threads: int | None = None,
    order: str | None = None,
    strict: bool | None = None,
    sanitize: bool | None = None,
    sync: bool | None = None,
    trace: bool | None = None,
    fault: str | None = None,
    engine: str | None = None,
    path: str | os.PathLike[str] | None = None,
) -> VirtualRocm:
    """Makes ``"rocm:0"`` in this process a virtual AMD GPU, whose kernels run on the CPU.

    A process has one HIP runtime, which is loaded at the first use of ``rushlight.rocm`` or of a ROCm device
    and is never unloaded. So call this function before, and the GPU stays virtual to the end of the process.
    The device's name says "virtual". Kernels are compiled by clang 18 or newer if there is one on PATH, else
    by the one in the package ``ziglang``. Child processes inherit the environment variables that this
    function sets; leaving the context restores them. An argument that is left out leaves its variable as it
    is.

    Parameters
    ----------
    arch
        Target that the device poses as, such as ``"gfx1100"`` (waves of 32) or ``"gfx90a"`` (64).
    wave
        Lanes of a wave, 32 or 64; by default those of the target.
    hip
        Version of HIP: 5, 6 or 7.
    devices, memory, threads
        Number of devices; bytes of memory of each; number of host threads that run blocks.
    order
        ``"forward"`` or ``"reverse"``: the order of blocks and threads.
    strict, sanitize, sync, trace
        In this order: makes more checks; makes undefined behaviour an error; runs the work of each call at
        once; prints calls on stderr.
    fault
        A fault to inject, such as ``"oom_after:3"`` or ``"compile_fail"``.
    engine
        The engine that runs kernels: ``"host"``, this machine's code, or ``"isa"``, AMD's (not for every
        target).
    path
        A folder that ``make vgpu`` printed, instead of the package's.

    Returns
    -------
    VirtualRocm
        A context manager; leaving it restores the environment.

    Raises
    ------
    DeviceError
        If ROCm is in use already, the package is not installed, or a setting is invalid.

    Examples
    --------
    >>> import rushlight as rl
    >>> with rl.testing.virtual_rocm("gfx1100") as gpu:  # doctest: +SKIP
    ...     rl.ones(3, device=gpu).sum().item()
    3.0
    """
    global _active
    flags = {"STRICT": strict, "SANITIZE": sanitize, "SYNC": sync, "TRACE": trace}
    values: dict[str, object | None] = {
        "ARCH": arch,
        "WAVE": wave,
        "DEVICES": devices,
        "MEM": memory,
        "THREADS": threads,
        "ORDER": order,
        "FAULT": fault,
        "ENGINE": engine,
        **{name: None if flag is None else int(flag) for name, flag in flags.items()},
    }
    folder = _packaged(hip) if path is None else os.fspath(path)
    settings = {f"RUSHLIGHT_VGPU_{name}": str(value) for name, value in values.items() if value is not None}
    settings |= {"RUSHLIGHT_ROCM_PATH": folder, "RUSHLIGHT_VGPU_PYTHON": sys.executable}
    loaded = _rocm_loaded()
    if loaded is not None:
        if _active is not None and _active.settings == settings:
            return _active
        what = "another virtual GPU" if _active is not None else "ROCm"
        raise DeviceError(
            f"virtual_rocm: this process uses {what} already ({loaded}); call virtual_rocm once, before the "
            "first use of rushlight.rocm or of a ROCm device, or in another process"
        )
    made = VirtualRocm(folder, settings)
    os.environ.update(settings)
    try:
        count = rocm.device_count()
        if count == 0 and devices != 0:
            # Opening the device raises an error with the reason.
            Device("rocm:0")
        if count > 0 and "virtual" not in (name := rocm.device_name(0)):
            raise DeviceError(f"virtual_rocm: {folder} holds no virtual GPU: its device is {name}")
    except BaseException:
        made.restore()
        raise
    _active = made
    return made


def _packaged(hip: int) -> str:
    """Return the folder of the package's libraries."""
    try:
        package = importlib.import_module("rushlight_vgpu")
    except ImportError as e:
        raise DeviceError(
            "virtual_rocm: the package rushlight-vgpu is not installed: make wheel-vgpu in a checkout writes "
            "its wheel to dist/; or build the libraries by make vgpu and give the folder it prints as path="
        ) from e
    return str(package.path(hip))
