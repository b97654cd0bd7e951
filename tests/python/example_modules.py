"""Modules and programs of the larger examples, for their tests, and the programs of `examples/candle`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "python"


@contextmanager
def modules(folder: str, names: Sequence[str]) -> Iterator[SimpleNamespace]:
    """Import the modules of an example, which import each other as programs of one folder do."""
    before = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    sys.path.insert(0, str(EXAMPLES / folder))
    try:
        yield SimpleNamespace(**{name: __import__(name) for name in names})
    finally:
        sys.path.remove(str(EXAMPLES / folder))
        for name in names:
            sys.modules.pop(name, None)
        sys.modules.update(before)


def run_example(folder: str, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program of an example; warnings are errors."""
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / folder / program), *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def run_candle(program: str, *arguments: str) -> list[tuple[str, np.ndarray]]:
    """Run a program of `examples/candle`, and return the names and the numbers of its lines."""
    path = ROOT / "target" / "release" / program
    if not path.exists():
        pytest.skip("`cargo xtask candle-ecosystem` builds the program")
    done = subprocess.run([str(path), *arguments], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    return [(name, np.array(numbers, np.float32)) for name, *numbers in lines]


def close(found: np.ndarray, expected: np.ndarray, bound: float = 4e-6) -> None:
    """Check that errors are those of float32: at most `bound` of the greatest number."""
    assert found.dtype == np.float32
    assert found.shape == expected.shape
    assert abs(expected).max() > 0.1
    assert abs(found - expected).max() <= bound * abs(expected).max()
