"""The description of a run: the device, the kind of evidence, versions."""

from __future__ import annotations

import datetime
import platform
import subprocess
from pathlib import Path
from typing import Any

from rushlight import _native


def _text(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""


def _processor() -> str:
    for line in _text("/proc/cpuinfo").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def device(name: str) -> dict[str, Any]:
    """Describe a device: kind of evidence, name, arch, wave size, versions."""
    kind, _, number = name.partition(":")
    if kind == "test":
        return {"device": name, "evidence": "host", "name": "test device", "arch": "", "wave": 0}
    if kind not in ("rocm", "hip", "cuda"):
        return {
            "device": name,
            "evidence": "hardware",
            "name": _processor(),
            "arch": platform.machine(),
            "wave": 0,
        }
    cuda = kind == "cuda"
    p = _native._gpu_properties("cuda" if cuda else "rocm", int(number or 0))
    evidence = "hardware"
    if "pretended" in p["name"]:
        evidence = "built"
    if "virtual" in p["name"]:
        evidence = "emulated" if "isa engine" in p["name"] else "host"
    return {
        "device": name,
        "evidence": evidence,
        "name": p["name"],
        "arch": p["arch"],
        "wave": p["wave_size"],
        "runtime": p["runtime"],
        "library": "" if cuda else _native._rocm_loaded() or "",
        "driver": _text(f"/sys/module/{'nvidia' if cuda else 'amdgpu'}/version")
        if evidence == "hardware"
        else "",
    }


def commit() -> str:
    """Return the commit of the sources (``-dirty``: with changes): the wheel's, or git's in a checkout."""
    if _native.__commit__:
        return _native.__commit__
    here = Path.cwd()
    if not (here / "crates" / "rushlight").is_dir():
        return ""
    try:
        asked = ["git", "describe", "--always", "--abbrev=40", "--dirty", "--exclude=*"]
        done = subprocess.run(asked, cwd=here, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()


def host() -> dict[str, Any]:
    """Describe the machine and the run."""
    return {
        "rushlight": _native.__version__,
        "commit": commit(),
        "when": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "processor": _processor(),
    }
