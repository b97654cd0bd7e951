"""The programs on an AMD GPU, real or virtual: a few steps give the CPU's results."""

from __future__ import annotations

import pytest

import rushlight as rl
import test_programs as programs
from test_programs import harness

pytestmark = pytest.mark.skipif(
    not rl.rocm.is_available(), reason="no AMD GPU here; make test runs these on the virtual one"
)
GPU = "rocm:0"


@pytest.mark.parametrize("name", programs.READY)
def test_a_program_gives_the_results_of_the_cpu(name: str) -> None:
    before = rl.rocm.memory_stats(GPU)["launches"]
    got = harness.run(name, "rushlight", GPU, steps=2)
    assert rl.rocm.memory_stats(GPU)["launches"] > before + 10
    assert harness.differences(got, harness.run(name, "rushlight", steps=2)) == []
