"""Ordinary PyTorch programs: with the import changed they give PyTorch's results."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import rushlight as rl

FOLDER = Path(__file__).resolve().parents[1] / "programs"
sys.path.insert(0, str(FOLDER))

import harness  # noqa: E402

GOLDEN = json.loads(harness.RESULTS.read_text())["programs"]


@pytest.fixture
def switches() -> Iterator[None]:
    """Set PyTorch's switches of the process back, which some programs set."""
    product = rl.backends.cuda.matmul
    tf32, precision = product.allow_tf32, rl.get_float32_matmul_precision()
    with rl.backends.cudnn.flags():
        yield
    product.allow_tf32 = tf32
    rl.set_float32_matmul_precision(precision)


@pytest.mark.usefixtures("switches")
@pytest.mark.parametrize("name", harness.PROGRAMS)
def test_a_program_gives_the_results_of_pytorch(name: str) -> None:
    assert harness.differences(harness.run(name, "rushlight"), GOLDEN[name]) == []


@pytest.mark.parametrize("name", harness.PROGRAMS)
def test_only_imports_change(name: str) -> None:
    ours, theirs = harness.text(name, "rushlight").splitlines(), harness.text(name, "torch").splitlines()
    changed = [(a, b) for a, b in zip(ours, theirs, strict=True) if a != b]
    assert changed
    assert all(b.startswith(("import torch", "from torch")) for _, b in changed)
    assert "torch" not in "".join(a for a, _ in changed).replace("as torch", "")


def test_every_program_has_golden_results() -> None:
    assert sorted(GOLDEN) == harness.PROGRAMS
    assert len(GOLDEN) >= 11


def test_a_difference_is_found() -> None:
    want = GOLDEN["kmeans"]
    assert harness.differences({**want, "counts": want["counts"][:2]}, want) != []
    assert harness.differences({**want, "inertia": [want["inertia"][0] * 1.001]}, want) != []
    assert harness.differences({**want, "inertia": [float("nan")]}, want) != []
    assert harness.differences({k: v for k, v in want.items() if k != "inertia"}, want) != []
