"""The seed of a run, and a table of what was compared."""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "python"), str(HERE.parent / "golden")]

# The seed is read once, here; every module draws its inputs from it.
SEED = os.environ.setdefault("RUSHLIGHT_SEED", str(int.from_bytes(os.urandom(4), "little")))


def pytest_report_header() -> str:
    return f"peers: RUSHLIGHT_SEED={SEED} (set it to repeat this run)"


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the number of cases and of passes of each family; a test id starts with its family."""
    counts: dict[str, Counter[str]] = {}
    for outcome in ("passed", "failed", "skipped"):
        for report in terminalreporter.getreports(outcome):
            if "[" in report.nodeid:
                family = report.nodeid.split("[")[1].split("/")[0]
                counts.setdefault(family, Counter())[outcome] += 1
    if counts:
        terminalreporter.section(f"compared live with PyTorch, RUSHLIGHT_SEED={SEED}")
        terminalreporter.write_line(f"{'family':12} {'cases':>6} {'passed':>6} {'skipped':>7}")
    for family, by in sorted(counts.items()):
        terminalreporter.write_line(f"{family:12} {by.total():6} {by['passed']:6} {by['skipped']:7}")


@pytest.fixture(autouse=True)
def one_thread() -> None:
    """Limit PyTorch to one thread, because it shares few cores with Rushlight."""
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
