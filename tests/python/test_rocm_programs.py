"""The programs on an AMD GPU, real or virtual: a few steps give the CPU's results."""

from __future__ import annotations

import pytest

import rushlight as rl
from test_programs import harness

pytestmark = pytest.mark.skipif(
    not rl.rocm.is_available(), reason="no AMD GPU here; make test runs these on the virtual one"
)
GPU = "rocm:0"


@pytest.mark.parametrize("name", harness.PROGRAMS)
def test_a_program_gives_the_results_of_the_cpu(name: str) -> None:
    before = rl.rocm.memory_stats(GPU)["launches"]
    got = harness.run(name, "rushlight", GPU, steps=2)
    assert rl.rocm.memory_stats(GPU)["launches"] > before + 10
    assert harness.differences(got, harness.run(name, "rushlight", steps=2)) == []


def test_seeds_and_states_of_a_gpu() -> None:
    rl.rocm.manual_seed_all(5)
    state = rl.get_rng_state(GPU)
    first = rl.rand(4, device=GPU).tolist()
    cpu = rl.get_rng_state().tolist()
    for again in (
        lambda: rl.rocm.manual_seed(5),
        lambda: rl.rocm.manual_seed_all(5),
        lambda: rl.set_rng_state(state, GPU),
    ):
        again()
        assert rl.rand(4, device=GPU).tolist() == first
    assert rl.get_rng_state().tolist() == cpu, "the CPU's numbers go on"
    drawn = rl.rand(4, device=GPU, generator=rl.Generator().manual_seed(5)).tolist()
    assert drawn == first
