"""Comparison of tensors, and a virtual AMD GPU for tests on machines without one.

The GPU's libraries are in the package ``rushlight-vgpu`` (``pip install rushlight[vgpu]``); ``make vgpu``
builds them, too.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any

from . import rocm
from ._core import asarray, isclose
from ._native import Device, DeviceError, Tensor, _rocm_loaded

__all__ = ["VirtualRocm", "assert_close", "virtual_rocm"]

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


# Relative and absolute tolerance for each dtype, PyTorch's; others are compared exactly.
_TOLERANCES = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5),
}


def assert_close(
    actual: Any,
    expected: Any,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Raises an error unless ``abs(actual - expected) <= atol + rtol * abs(expected)`` everywhere.

    Parameters
    ----------
    actual, expected
        Tensors, arrays or numbers; or sequences or mappings of them, of the same keys.
    rtol, atol
        Relative and absolute tolerance; give both or none. By default those of the less exact dtype: for
        float32 1.3e-6 and 1e-5, for integers 0.
    equal_nan
        Whether two NaN are close.
    check_device, check_dtype
        Whether tensors on different devices, or of different dtypes, are an error.
    msg
        The text of the error, or a function that makes it of the default one.

    Raises
    ------
    AssertionError
        If the results differ; the text has the largest difference and its index.
    ValueError
        If one tolerance is given without the other.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.testing.assert_close(rl.tensor([1.0, 2.0]), rl.tensor([1.0, 2.000001]))
    """
    if (rtol is None) != (atol is None):
        raise ValueError("assert_close: give both rtol and atol, or none of them")
    tolerances = None if rtol is None or atol is None else (rtol, atol)
    wrong = _difference(actual, expected, "", tolerances, equal_nan, check_device, check_dtype)
    if wrong is not None:
        raise AssertionError(wrong if msg is None else msg(wrong) if callable(msg) else msg)


def _difference(
    actual: Any,
    expected: Any,
    at: str,
    tolerances: tuple[float, float] | None,
    equal_nan: bool,
    *checks: bool,
) -> str | None:
    """Return the first difference as a text; None if there is none."""
    where = f" of item {at}" if at else ""
    pairs: list[tuple[str, Any, Any]] | None = None
    if isinstance(actual, Mapping) and isinstance(expected, Mapping):
        if set(actual) != set(expected):
            return f"The keys{where} differ: {sorted(map(str, actual))} and {sorted(map(str, expected))}"
        pairs = [(f"{at}[{key!r}]", actual[key], expected[key]) for key in expected]
    elif isinstance(actual, Sequence) and isinstance(expected, Sequence) and not isinstance(actual, str):
        if len(actual) != len(expected):
            return f"The lengths{where} differ: {len(actual)} and {len(expected)}"
        pairs = [(f"{at}[{i}]", a, b) for i, (a, b) in enumerate(zip(actual, expected, strict=True))]
    if pairs is not None:
        found = (_difference(a, b, key, tolerances, equal_nan, *checks) for key, a, b in pairs)
        return next((text for text in found if text is not None), None)
    check_device, check_dtype = checks
    a, b = (x if isinstance(x, Tensor) else asarray(x) for x in (actual, expected))
    if a.shape != b.shape:
        return f"The shapes{where} differ: {a.shape} and {b.shape}"
    if check_device and a.device != b.device:
        return f"The devices{where} differ: {a.device} and {b.device}"
    if check_dtype and a.dtype != b.dtype:
        return f"The dtypes{where} differ: {a.dtype} and {b.dtype}"
    known = [_TOLERANCES.get(x.dtype.name, (0.0, 0.0)) for x in (a, b)]
    rtol, atol = tolerances or (max(r for r, _ in known), max(a for _, a in known))
    # float64 holds every other dtype but large 64-bit integers, which are compared exactly.
    exact = rtol == atol == 0 and a.dtype == b.dtype
    left, right = (x.detach().cpu() for x in (a, b))
    if not exact and "complex64" not in (left.dtype, right.dtype):
        left, right = left.double(), right.double()
    close = isclose(left, right, rtol=rtol, atol=atol, equal_nan=equal_nan)
    count = close.numel() - int(close.sum())
    if not count:
        return None
    gap = (left - right).abs() if left.dtype != "bool" else left != right
    gap = gap.double().masked_fill(close, -1.0).nan_to_num(float("inf"), float("inf"))
    number = int(gap.flatten().argmax())
    index: list[int] = []
    for size in reversed(close.shape):
        number, rest = divmod(number, size)
        index.insert(0, rest)
    position = tuple(index)
    return (
        f"{count} of {close.numel()} elements{where} are not close: at {position} "
        f"{left[position].item()!r} and {right[position].item()!r}, with rtol {rtol} and atol {atol}"
    )
