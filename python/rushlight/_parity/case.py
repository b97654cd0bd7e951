"""Cases and rows of the report."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

STATUSES = ("PASS", "FAIL", "SKIP", "XFAIL", "CRASH", "TIMEOUT", "MISSED")
BAD = ("FAIL", "CRASH", "TIMEOUT", "MISSED")
"""Statuses that make a run fail."""

SKIPS = {
    "unsupported": "the device has no kernel of the op for the dtypes",
    "no-reference": "the other side has no such function, no such dtype or no kernel for it",
    "no-values": "the other run kept no values of the case, and the bits differ where they may",
}
"""Why a case may be skipped; a reason begins with one of these."""


@dataclass(frozen=True)
class Case:
    """One case, as the suite names it."""

    index: int
    name: str
    op: str
    family: str
    dtype: str
    run: str
    """The part of the op that is run: forward, gradient or error."""


@dataclass
class Row:
    """The result of a case."""

    case: Case
    status: str
    reason: str = ""
    hash: str = ""
    ms: float = 0.0
    max_ulp: float = 0.0
    cpu_ulp: float = 0.0
    mismatches: list[dict[str, Any]] = field(default_factory=list)
    outputs: list[list[Any]] = field(default_factory=list)

    def pack(self) -> list[Any]:
        """Return the fields that go through a pipe."""
        numbers = [self.hash, round(self.ms, 3), self.max_ulp, self.cpu_ulp]
        return [self.case.index, self.status, self.reason, *numbers, self.mismatches, self.outputs]


def unpack(packed: list[Any], cases: list[Case]) -> Row:
    """Return the row that `Row.pack` packed."""
    index, *rest = packed
    return Row(cases[index], *rest)


def table(suite: Any) -> list[Case]:
    """Return every case of a suite."""
    return [Case(index, *row) for index, row in enumerate(suite.cases())]


def is_device(against: str) -> bool:
    """Return whether ``--against`` names a device other than the CPU."""
    return re.fullmatch(r"(rocm|hip|cuda|test)(:\d+)?", against) is not None


def chosen(case: Case, part: str) -> bool:
    """Return whether ``-k`` selects a case: by a part of its name (``a or b``), or ``=`` and all of it."""
    parts = _parts(part)
    return not parts or any(case.name == p[1:] if p.startswith("=") else p in case.name for p in parts)


def _parts(part: str) -> list[str]:
    # The dtypes in a name are separated by commas too.
    return [part] if part.startswith("=") else [p for p in part.split(" or ") if p]


def _program() -> str:
    """Return the path of the command ``rushlight``: on PATH, or in this Python's folder."""
    if shutil.which("rushlight"):
        return "rushlight"
    beside = Path(sys.executable).with_name("rushlight")
    return shlex.quote(str(beside)) if beside.is_file() else f"{shlex.quote(sys.executable)} -m rushlight.cli"


def repeat(case: Case, device: str, seed: int, against: str, known: Path | None = None) -> str:
    """Return the command line that runs one case only."""
    own = (
        "RUSHLIGHT_ROCM_PATH",
        "RUSHLIGHT_CUDA_PATH",
        "RUSHLIGHT_VGPU_",
        "RUSHLIGHT_BLAS",
        "RUSHLIGHT_CONV",
        "RUSHLIGHT_FFT",
        "RUSHLIGHT_KERNEL_SOURCES",
    )
    names = sorted(n for n in os.environ if n.startswith(own) and n != "RUSHLIGHT_VGPU_PYTHON")
    parts = [f"{name}={shlex.quote(os.environ[name])}" for name in names]
    parts += [f"{_program()} parity", f"--device {device}"]
    parts += [f"--seed {seed}"] if seed else []
    parts += [f"--against {shlex.quote(against)}"] if against != "f64" else []
    parts += [f"--known {shlex.quote(str(known))}"] if known else []
    return " ".join([*parts, "-k", shlex.quote(f"={case.name}")])
