"""Fixtures and paths of every test file."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "golden")]
# A shell starts background jobs with SIGINT ignored, and child processes would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

import rushlight as rl  # noqa: E402


@pytest.fixture(autouse=True)
def seeded() -> None:
    """Seed the generators, so that each test draws the same numbers whatever ran before it."""
    rl.manual_seed(1234)
