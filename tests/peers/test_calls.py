"""Calls of everyday use, and whole programs, live with PyTorch."""

from __future__ import annotations

import os
import sys
import zlib
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: cargo xtask test-peers installs it")

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "programs"))

import calls  # noqa: E402
import harness  # noqa: E402
import rushlight as rl  # noqa: E402

SEED = int(os.environ["RUSHLIGHT_SEED"])


@pytest.mark.peer
@pytest.mark.parametrize("call", calls.CALLS, ids=lambda call: f"calls/{call}")
def test_a_call_gives_the_answer_of_pytorch(call: str) -> None:
    inputs = calls.drawn(SEED ^ zlib.crc32(call.encode()))
    result, gradients = calls.run(torch, call, inputs)
    got, found = calls.run(rl, call, inputs)
    assert calls.differences(got, result, 1e-5, "result") == []
    assert calls.differences(found, gradients, 1e-5, "gradient of") == []


@pytest.mark.peer
@pytest.mark.parametrize("name", harness.PROGRAMS, ids=lambda name: f"programs/{name}")
def test_a_program_gives_the_results_of_pytorch(name: str) -> None:
    assert harness.differences(harness.run(name, "rushlight"), harness.run(name, "torch")) == []
