"""Fixtures and paths of every test file."""

from __future__ import annotations

import os
import signal
import sys
import zlib
from collections import Counter
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "golden")]
# SciPy reads it once, when it is imported: its functions then accept tensors.
os.environ.setdefault("SCIPY_ARRAY_API", "1")
# A shell starts background jobs with SIGINT ignored, and child processes would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

import rushlight as rl  # noqa: E402

# Of a test with more cases than this, `--sample` runs an eighth.
MANY = 30


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that CI uses."""
    text = f"run an eighth of the cases of each test with more than {MANY}, chosen by the number SEED"
    parser.addoption("--sample", type=int, metavar="SEED", help=text)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the cases that are not in the sample."""
    seed = config.getoption("--sample")
    if seed is None:
        return
    cases = Counter(test(item) for item in items)
    left_out = {
        item
        for item in items
        if cases[test(item)] > MANY and zlib.crc32(f"{seed} {item.nodeid}".encode()) % 8 != 0
    }
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = [item for item in items if item not in left_out]


def test(item: pytest.Item) -> str:
    """Return the name of an item's test, without the name of the case."""
    return item.nodeid.partition("[")[0]


@pytest.fixture(autouse=True)
def seeded() -> None:
    """Seed the generators, so that each test draws the same numbers whatever ran before it."""
    rl.manual_seed(1234)
