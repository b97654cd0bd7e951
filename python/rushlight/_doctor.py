"""``rushlight doctor`` and the devices of ``rushlight info``: each probe is a process with a time limit.

A probe prints a line of JSON for each finding, and announces each step before it takes it, so that the parent
can report the step in which a probe crashed or hung. A probe that exceeds its time limit is reported as late
and not as a fault, because the machine may be slow.
"""

from __future__ import annotations

import contextlib
import errno
import fnmatch
import grp
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rushlight import _process

LIMIT = 2.0
"""Seconds that all probes together may take."""

BESIDE = 0.25
"""Seconds of it that Python takes to start, and to end a probe that hangs."""

Finding = dict[str, str]


def _root(path: str) -> Path:
    """Return a path of the system; tests set another root."""
    return Path(os.environ.get("RUSHLIGHT_DOCTOR_ROOT", "/")) / path.lstrip("/")


def _tell(value: dict[str, Any]) -> None:
    print(json.dumps(value), flush=True)


def _good(text: str) -> None:
    _tell({"level": "ok", "text": text})


def _note(text: str, do: str = "") -> None:
    _tell({"level": "note", "text": text, "do": do})


def _bad(text: str, do: str) -> None:
    _tell({"level": "bad", "text": text, "do": do})


def _step(text: str) -> None:
    _tell({"step": text})


def _read(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""


LINES = 4
"""Number of lines of an error that are shown: a compiler writes hundreds."""


def _words(error: Exception) -> str:
    """Return an error's first line and its most informative other lines, unshortened."""
    first, *others = [line.strip() for line in str(error).splitlines() if line.strip()] or [""]
    said = [line for line in others if "error" in line.lower()] or others
    left = len(others) - len(said[: LINES - 1])
    more = [f"({left} more line{'s' * (left > 1)})"] if left else []
    return "\n".join([first, *said[: LINES - 1], *more])


# --- findings about the system, without HIP ---


def target(version: int) -> str:
    """Return the target name for kfd's number gfx_target_version: 90010 is gfx90a."""
    return f"gfx{version // 10000}{version // 100 % 100}{version % 100:x}"


def _nodes() -> list[dict[str, str]]:
    """Return the properties of kfd's GPUs."""
    found = []
    for node in sorted(_root("/sys/class/kfd/kfd/topology/nodes").glob("*"), key=lambda p: p.name.zfill(4)):
        try:
            text = (node / "properties").read_text()
        except PermissionError:
            _note(f"GPU of kfd's node {node.name} is hidden from this process (device cgroup)")
            continue
        except OSError:
            continue
        p = dict(line.split(maxsplit=1) for line in text.splitlines() if len(line.split(maxsplit=1)) == 2)
        if int(p.get("simd_count", "0")) > 0:
            found.append({**p, "node": node.name, "arch": target(int(p.get("gfx_target_version", "0")))})
    return found


def _container() -> str:
    if _root("/.dockerenv").exists():
        return "docker"
    if _root("/run/.containerenv").exists():
        return "podman"
    return "kubernetes" if "KUBERNETES_SERVICE_HOST" in os.environ else ""


def _openable(path: Path) -> None:
    """Open a device file as ROCm does, and say what to do where that fails."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CLOEXEC))
        _good(f"{path} can be opened")
        return
    except OSError as e:
        number = e.errno
    inside = _container()
    share = (
        "start it with --device=/dev/kfd --device=/dev/dri" if inside else "load the driver: modprobe amdgpu"
    )
    if number == errno.ENOENT:
        _bad(f"{path} does not exist" + (f" in this container ({inside})" if inside else ""), share)
    elif number == errno.EACCES:
        gid = path.stat().st_gid
        with contextlib.suppress(KeyError):
            name = grp.getgrgid(gid).gr_name
            join = f"join its group: sudo usermod -aG {name} $USER, then log in again"
            _bad(f"{path} is not yours to open: it belongs to group {name} ({gid})", join)
            return
        _bad(
            f"{path} is not yours to open: it belongs to group {gid}",
            f"start the container with --group-add {gid}",
        )
    elif number == errno.EPERM:
        _bad(
            f"{path}: the device cgroup forbids it",
            share if inside else "ask the administrator for the device",
        )
    else:
        _bad(f"{path}: {os.strerror(number or 0)}", share)


def _installed() -> list[tuple[str, str]]:
    """Return the versions of ROCm under /opt, with their folders."""
    found = []
    for folder in sorted(_root("/opt").glob("rocm*")):
        for file in (folder / ".info" / "version", folder / "core" / ".info" / "version"):
            if version := _read(file):
                found.append((version, str(folder)))
                break
    return found


def _number(version: str) -> tuple[int, int]:
    parts = re.findall(r"\d+", version)
    return (int(parts[0]), int(parts[1]) if len(parts) > 1 else 0) if parts else (0, 0)


def _virtual() -> bool:
    """Return whether the HIP library that would be loaded is the virtual GPU's."""
    own = Path(os.environ.get("RUSHLIGHT_ROCM_PATH") or os.devnull)
    return any((own / folder / "librushlight_vgpu.so").exists() for folder in ("", "lib", "lib64"))


def known_bad(arch: str, rocm: str) -> Iterator[tuple[str, str]]:
    """Return known failures of a GPU with a version of ROCm, with remedies."""
    for line in _read(Path(__file__).with_name("known_bad.tsv")).splitlines():
        if line.startswith("#") or line.count("\t") != 4:
            continue
        pattern, low, high, what, do = line.split("\t")
        above = low == "-" or _number(rocm) >= _number(low)
        below = high == "-" or _number(rocm) <= _number(high)
        if rocm and fnmatch.fnmatchcase(arch, pattern) and above and below:
            yield what, do


def machine() -> None:
    """Examine drivers, device files, groups, containers and the environment."""
    _step("reading /sys")
    inside = _container()
    if inside:
        _note(f"this is a container ({inside})")
    nodes = _nodes()
    wsl = _root("/dev/dxg").exists()
    module = _root("/sys/module/amdgpu").is_dir()
    if not nodes and wsl:
        _note(
            "WSL: there is /dev/dxg, and no /dev/kfd",
            "ROCm needs librocdxg there, and HSA_ENABLE_DXG_DETECTION=1 before ROCm 7.13",
        )
    elif not nodes and not module:
        _note(
            "no AMD GPU: the driver amdgpu is not loaded and kfd lists none",
            ""
            if _virtual()
            else "ops run on the CPU; rushlight.testing.virtual_rocm gives a virtual AMD GPU",
        )
    elif not nodes:
        _bad(
            "amdgpu is loaded, but kfd lists no GPU",
            "see `dmesg | grep -i -e kfd -e amdgpu`; the GPU may be too old",
        )
    if module:
        version = _read(_root("/sys/module/amdgpu/version"))
        _good(f"driver amdgpu {version}" if version else "driver amdgpu of the kernel")
    rocm = _installed()
    for version, where in rocm:
        _good(f"ROCm {version} in {where}")
    for p in nodes:
        units = int(p["simd_count"]) // max(1, int(p.get("simd_per_cu", "1")))
        _good(
            f"kfd: GPU of node {p['node']} is {p['arch']}, {units} compute units, "
            f"waves of {p.get('wave_front_size', '?')}"
        )
        for version, _ in rocm:
            for what, do in known_bad(p["arch"], version):
                _note(f"{p['arch']} with ROCm {version}: {what}", do)
    if nodes:
        _step("opening /dev/kfd")
        _openable(_root("/dev/kfd"))
        for p in nodes:
            if minor := p.get("drm_render_minor", ""):
                _openable(_root(f"/dev/dri/renderD{minor}"))
    _environment(nodes)


def _environment(nodes: list[dict[str, str]]) -> None:
    from rushlight import _native

    for problem in _native._settings_problems():
        _bad(problem, "unset it, or give it a valid value")
    env = os.environ
    if override := env.get("HSA_OVERRIDE_GFX_VERSION"):
        archs = ", ".join(p["arch"] for p in nodes) or "no GPU"
        _note(
            f"HSA_OVERRIDE_GFX_VERSION={override}, and the GPU is {archs}",
            "unset it: Rushlight compiles for the GPU itself, and code of another target may fault",
        )
    if env.get("ROCR_VISIBLE_DEVICES") and env.get("HIP_VISIBLE_DEVICES"):
        _note(
            "ROCR_VISIBLE_DEVICES and HIP_VISIBLE_DEVICES are set: the second counts what the first leaves",
            "set one of them",
        )
    if len({p["arch"] for p in nodes}) > 1:
        _note(
            "there are different GPUs, and their order is not fixed",
            "choose by rl.rocm.device_name(i), not by number",
        )


# --- libraries, in a process that may crash ---


def _mapped(part: str) -> set[str]:
    lines = _read(Path("/proc/self/maps")).splitlines()
    return {os.path.realpath(line.split()[-1]) for line in lines if part in line.rpartition("/")[2]}


def _refusal() -> str:
    """Return the error of opening the first GPU if there is none."""
    from rushlight import _native

    try:
        _native.Device("rocm:0")
    except _native.DeviceError as e:
        return _words(e)
    return "a device was found at the second try"


def libraries() -> None:
    """Find and load AMD's libraries, and list the devices."""
    from rushlight import _native

    _step("looking for libamdhip64")
    folders = _native._rocm_folders()
    own = os.environ.get("RUSHLIGHT_ROCM_PATH")
    held = _mapped("libamdhip64")
    count = _native._device_count("rocm")
    path = _native._rocm_loaded()
    devices = ["cpu"]
    if path is None:
        where = ", ".join(folders[:4]) or "no folder"
        do = f"looked in {where}; install ROCm, or set RUSHLIGHT_ROCM_PATH to its folder"
        (_bad if own else _note)(f"no HIP: {_refusal()}", do)
    else:
        _good(f"HIP: {path}" + (" (RUSHLIGHT_ROCM_PATH)" if own else ""))
        if count == 0:
            do = "see what is said of the machine; `rocminfo` tells what the runtime sees"
            _bad(f"HIP finds no device: {_refusal()}", "" if _virtual() else do)
    now = _mapped("libamdhip64") | held
    if len(now) > 1:
        _bad(
            f"two copies of HIP in one process: {', '.join(sorted(now))}",
            "they share no memory and no streams: import one library's ROCm only, or set RUSHLIGHT_ROCM_PATH "
            "to the other's",
        )
    for i in range(count):
        _step(f"asking for rocm:{i}")
        p = _native._gpu_properties("rocm", i)
        devices.append(f"rocm:{i}")
        memory = p["total_memory"] / 2**30
        _good(
            f"rocm:{i}: {p['name']}, {p['arch']}, waves of {p['wave_size']}, {memory:.1f} GiB, {p['runtime']}"
        )
    for name in ("librocblas", "libMIOpen", "librocfft"):
        found = [str(f) for folder in folders for f in sorted(Path(folder).glob(f"{name}.so*"))[:1]]
        if path is not None:
            _good(f"{name}: {found[0]}" if found else f"no {name}: Rushlight's own kernels are used")
    _tell({"devices": devices})


# --- small checks on each device ---


def _products(rl: Any, device: str) -> None:
    for dtype in ("float32", "float16", "bfloat16", "float64", "int32"):
        _step(f"a product of {dtype} on {device}")
        a = rl.reshape(rl.arange(20, dtype="float32") % 7 - 3, (4, 5)).to(dtype)
        b = rl.reshape(rl.arange(30, dtype="float32") % 5 - 2, (5, 6)).to(dtype)
        got = (a.to(device) @ b.to(device)).to("cpu").tolist()
        if got != (a @ b).tolist():
            _bad(
                f"{device}: a product of {dtype} is wrong",
                "RUSHLIGHT_BLAS=native avoids rocBLAS; run `rushlight parity --device "
                + device
                + " -k matmul`",
            )
            return
    _good(f"{device}: products of five dtypes are the CPU's")


def _memory(rl: Any, device: str) -> None:
    for size in (1, (64 << 10) + 1, 8 << 20):
        _step(f"a copy of {size} bytes to {device} and back")
        data = bytes(i * 31 % 251 for i in range(min(size, 4096))) * (size // 4096 + 1)
        host = rl.frombuffer(data[:size], dtype="uint8")
        back = host.to(device).to("cpu")
        if not bool(rl.all(back == host)):
            _bad(
                f"{device}: a copy of {size} bytes came back changed",
                "the driver or the memory is faulty: see dmesg",
            )
            return
    _step(f"using memory again on {device}")
    kept = rl.full((5000,), 3.0, device=device)
    for i in range(20):
        rl.full((1000 + 37 * i,), float(i), device=device)
    again = rl.full((5000,), 5.0, device=device)
    if kept.to("cpu").tolist() != [3.0] * 5000 or again.to("cpu").tolist() != [5.0] * 5000:
        _bad(
            f"{device}: memory that was used again changed other tensors",
            "run `rushlight parity`, and tell us",
        )
        return
    _good(f"{device}: copies of 1 B, 64 KiB + 1 and 8 MiB, and memory used again, are right")


def _kernels(rl: Any, device: str) -> None:
    _step(f"shuffles on {device}")
    ones = rl.ones((3, 1000), device=device)
    if rl.sum(ones, axis=1).to("cpu").tolist() != [1000.0] * 3:
        _bad(
            f"{device}: sums are wrong (shuffles between lanes)",
            "the wave size may be misread: tell us the GPU's name",
        )
        return
    _step(f"atomics on {device}")
    ids = (rl.arange(6000, dtype="int64") % 3).to(device)
    target = rl.zeros((3,), dtype="int32", device=device)
    counted = rl.index_add(target, 0, ids, rl.ones((6000,), dtype="int32", device=device))
    if counted.to("cpu").tolist() != [2000] * 3:
        _bad(f"{device}: counts by atomics are wrong", "tell us the GPU's name and driver")
        return
    _step(f"the fault word of {device}")
    try:
        rl.take(rl.ones((4,), device=device), rl.asarray([9], dtype="int64").to(device), axis=0).to(
            "cpu"
        ).tolist()
    except (IndexError, ValueError):
        _good(f"{device}: shuffles, atomics and the report of bad indices work")
        return
    _bad(
        f"{device}: an index out of range was not reported",
        "set RUSHLIGHT_SYNC=1, and tell us the GPU's name and driver",
    )


def device() -> None:
    """Run small checks on each GPU."""
    import rushlight as rl

    _step("looking for GPUs")
    told = set()
    for i in range(rl.rocm.device_count()):
        name = f"rocm:{i}"
        for check in (_memory, _kernels, _products):
            try:
                check(rl, name)
            except Exception as e:
                text = f"{name}: {type(e).__name__}: {_words(e)}"
                if text not in told:  # without a compiler every check fails with the same text
                    _bad(text, "the text says what failed; `rushlight parity` tells more")
                told.add(text)


PROBES: dict[str, Callable[[], None]] = {"machine": machine, "libraries": libraries, "device": device}
ABOUT = {"machine": "the machine", "libraries": "libraries", "device": "devices"}


# --- the parent ---


class _Child:
    """A probe's process, read by a thread."""

    def __init__(self, probe: str) -> None:
        self.probe = probe
        self.values: list[dict[str, Any]] = []
        self.process = _process.start("rushlight._doctor", probe, stdin=subprocess.DEVNULL)
        self.errors = b""
        self._threads = [threading.Thread(target=f, daemon=True) for f in (self._read, self._drain)]
        for thread in self._threads:
            thread.start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            with contextlib.suppress(ValueError):
                value = json.loads(line)
                if isinstance(value, dict):
                    self.values.append(value)

    def _drain(self) -> None:
        assert self.process.stderr
        for line in self.process.stderr:
            self.errors = line

    def finish(self, until: float, limit: float) -> Finding | None:
        """Wait for the process. Return how it ended if it did not succeed."""
        late = False
        try:
            code = self.process.wait(max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            late, code = True, 0
        _process.end(self.process)
        for thread, pipe in zip(self._threads, (self.process.stdout, self.process.stderr), strict=True):
            thread.join(0.5)
            # A child of the probe may keep the pipe open, and closing it would wait for the reader thread.
            if pipe and not thread.is_alive():
                pipe.close()
        ended = self._threads[0].is_alive() or any("end" in v for v in self.values)
        at = next((v["step"] for v in reversed(self.values) if "step" in v), "its start")
        if late:
            why = {"device": "the first use compiles kernels, which `rushlight warm` does ahead"}
            hangs = "if it is still there then, a library or driver hangs: see dmesg"
            return {
                "level": "late",
                "text": f"the probe of {ABOUT[self.probe]} did not end in {limit:g} s; it was at: {at}",
                "do": f"give it longer: `rushlight doctor --limit {max(60.0, 10 * limit):g}`; "
                + why.get(self.probe, hangs),
            }
        if code or not ended:
            words = self.errors.decode(errors="replace").strip()
            before = "" if code else ", before it was through"
            return {
                "level": "bad",
                "text": f"the probe {_process.cause(code)}{before}; it was at: {at}. {words}".strip(),
                "do": "a library is broken or of another version; `ldd` on it tells what it misses",
            }
        return None


def examine(probes: list[str], limit: float) -> dict[str, Any]:
    """Run probes at once, and return their findings and the devices."""
    until = time.monotonic() + max(limit - BESIDE, limit / 2)
    children = [_Child(probe) for probe in probes]
    findings: list[Finding] = []
    devices = ["cpu"]
    for child in children:
        end = child.finish(until, limit)
        for value in child.values:
            if "level" in value:
                findings.append({"probe": child.probe, **value})
            devices = value.get("devices", devices)
        if end:
            findings.append({"probe": child.probe, **end})
    return {"findings": findings, "devices": devices}


MARKS = {"ok": "ok  ", "note": "note", "bad": "BAD ", "late": "LATE"}

LATE = 3
"""The exit status where nothing was found wrong, but a probe did not end. (2 is that of wrong options.)"""


def command(as_json: bool, limit: float = LIMIT) -> int:
    """Run every probe and print what was found; returns the exit status."""
    found = examine(list(PROBES), limit)
    bad, late = (sum(f["level"] == level for f in found["findings"]) for level in ("bad", "late"))
    status = 1 if bad else LATE if late else 0
    if as_json:
        print(json.dumps(found, indent=2))
        return status
    for finding in found["findings"]:
        print(f"{MARKS[finding['level']]}  {finding['text']}".replace("\n", "\n      "))
        if do := finding.get("do"):
            print(f"      -> {do}")
    nothing = "nothing was found wrong" if late else "nothing is wrong"
    wrong = {0: nothing, 1: "1 thing is wrong"}.get(bad, f"{bad} things are wrong")
    open_ = {0: "", 1: "; 1 probe did not end in its limit"}
    print(wrong + open_.get(late, f"; {late} probes did not end in their limit"))
    return status


if __name__ == "__main__":
    PROBES[sys.argv[1]]()
    # This line is missing if a library ended the process silently.
    _tell({"end": sys.argv[1]})
