"""Random numbers from generators: seeds, states, and what is drawn with given probabilities."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

import rushlight as rl
from rushlight.data import DataLoader, TensorDataset, random_split

G = rl.Generator
DRAWS: dict[str, Callable[[G], Any]] = {
    "rand": lambda g: rl.rand(5, generator=g),
    "randn": lambda g: rl.randn(5, generator=g),
    "randint": lambda g: rl.randint(0, 1000, (5,), generator=g),
    "bernoulli": lambda g: rl.bernoulli(rl.full((64,), 0.5), generator=g),
    "bernoulli_p": lambda g: rl.bernoulli(rl.empty(64), 0.5, generator=g),
    "randperm": lambda g: rl.randperm(20, generator=g),
    "rand_like": lambda g: rl.rand_like(rl.empty(5), generator=g),
    "randn_like": lambda g: rl.randn_like(rl.empty(5), generator=g),
    "randint_like": lambda g: rl.randint_like(rl.empty(5), 1000, generator=g),
    "normal": lambda g: rl.normal(0.0, 1.0, (5,), generator=g),
    "multinomial": lambda g: rl.multinomial(rl.ones(50), 10, generator=g),
    "multinomial_replacement": lambda g: rl.multinomial(rl.ones(50), 10, replacement=True, generator=g),
    "sample_logits": lambda g: rl.sample_logits(rl.zeros((20, 50)), generator=g),
    "normal_": lambda g: rl.empty(5).normal_(generator=g),
    "uniform_": lambda g: rl.empty(5).uniform_(generator=g),
    "random_": lambda g: rl.empty(5).random_(generator=g),
    "bernoulli_": lambda g: rl.empty(64).bernoulli_(generator=g),
    "exponential_": lambda g: rl.empty(5).exponential_(generator=g),
}


@pytest.mark.parametrize("name", DRAWS)
def test_a_generator_is_apart_from_the_device(name: str) -> None:
    draw = DRAWS[name]
    rl.manual_seed(1)
    before = rl.get_rng_state().tolist()
    g = rl.Generator().manual_seed(7)
    first, second = draw(g).tolist(), draw(g).tolist()
    assert rl.get_rng_state().tolist() == before, "the device's numbers go on as if nothing had been drawn"
    assert first != second
    g.manual_seed(7)
    assert [draw(g).tolist(), draw(g).tolist()] == [first, second]


def test_a_seed_gives_the_numbers_of_the_device() -> None:
    rl.manual_seed(7)
    assert rl.rand(5).tolist() == rl.rand(5, generator=rl.Generator().manual_seed(7)).tolist()


def test_states_go_on_where_they_were_taken() -> None:
    g = rl.Generator().manual_seed(3)
    rl.rand(2, generator=g)
    state = g.get_state()
    assert (state.dtype, state.shape) == (rl.uint8, (16,))
    want = rl.rand(3, generator=g).tolist()
    rl.rand(3, generator=g)
    g.set_state(state)
    assert rl.rand(3, generator=g).tolist() == want
    other = rl.Generator()
    other.set_state(state)
    assert other.initial_seed() == 3
    for made in (pickle.loads(pickle.dumps(other)), copy.deepcopy(other)):
        assert rl.rand(3, generator=made).tolist() == want


def test_the_state_of_the_device() -> None:
    rl.manual_seed(5)
    assert rl.initial_seed() == 5
    rl.rand(2)
    state = rl.get_rng_state()
    want = [rl.rand(2).tolist(), rl.randn(2).tolist()]
    rl.set_rng_state(state)
    assert [rl.rand(2).tolist(), rl.randn(2).tolist()] == want
    seed = rl.seed()
    assert rl.initial_seed() == seed
    assert seed != rl.seed()


def test_states_of_another_kind_are_refused() -> None:
    g = rl.Generator()
    for call in (g.set_state, rl.set_rng_state):
        with pytest.raises(TypeError, match="vector of dtype uint8"):
            call(rl.zeros(16))
        with pytest.raises(ValueError, match="16 bytes, got 3"):
            call(rl.zeros(3, dtype=rl.uint8))
    with pytest.raises(ValueError, match="negative"):
        g.manual_seed(-1)
    with pytest.raises(TypeError):
        rl.rand(2, generator=7)  # type: ignore[arg-type]


def test_data_is_drawn_from_a_generator() -> None:
    data = TensorDataset(rl.arange(40))

    def order(g: rl.Generator) -> list[int]:
        loader = DataLoader(data, batch_size=8, shuffle=True, generator=g)
        return [int(i) for (batch,) in loader for i in batch.tolist()]

    g = rl.Generator().manual_seed(2)
    first, second = order(g), order(g)
    assert first != second, "a second loader draws on"
    assert sorted(first) == list(range(40))
    g.manual_seed(2)
    assert [order(g), order(g)] == [first, second]
    parts = [list(p.indices) for p in random_split(data, [10, 30], generator=rl.Generator().manual_seed(1))]
    again = [list(p.indices) for p in random_split(data, [10, 30], generator=rl.Generator().manual_seed(1))]
    assert parts == again


def test_multinomial_follows_the_weights() -> None:
    weights = np.array([0.0, 1.0, 2.0, 5.0])
    n = 20000
    for rows, replacement in ((n, False), (1, True)):
        w = rl.asarray(np.tile(weights, (rows, 1)))
        drawn = rl.multinomial(w, 1 if rows > 1 else n, replacement).flatten()
        counts = np.bincount(drawn.numpy(), minlength=4)
        assert counts[0] == 0
        assert stats.chisquare(counts[1:], n * weights[1:] / weights.sum()).pvalue > 1e-3
    # Without replacement: the second index is drawn from the rest.
    pairs = rl.multinomial(rl.asarray(np.tile(weights, (n, 1))), 2).numpy()
    assert (pairs[:, 0] != pairs[:, 1]).all()
    got, want = [], []
    for first in (1, 2, 3):
        for second in {1, 2, 3} - {first}:
            got.append(int(((pairs[:, 0] == first) & (pairs[:, 1] == second)).sum()))
            want.append(n * weights[first] / 8 * weights[second] / (8 - weights[first]))
    assert stats.chisquare(got, want).pvalue > 1e-3


def test_multinomial_refuses_weights() -> None:
    for bad, message in (
        ([0.0, 0.0], "0 positive weights"),
        ([1.0, -1.0], "negative or not finite"),
        ([1.0, float("nan")], "negative or not finite"),
        ([1.0, float("inf")], "negative or not finite"),
    ):
        with pytest.raises(ValueError, match=message):
            rl.multinomial(rl.tensor(bad), 1)
    with pytest.raises(ValueError, match="2 samples of a row with 1 positive"):
        rl.multinomial(rl.tensor([1.0, 0.0]), 2)
    with pytest.raises(TypeError, match="floating-point weights"):
        rl.multinomial(rl.tensor([1, 2]), 1)
    assert rl.multinomial(rl.ones((0, 3)), 2).shape == (0, 2)


def test_sample_logits_keeps_to_its_limits() -> None:
    logits = rl.log(rl.tensor([0.5, 0.25, 0.15, 0.1])).expand(20000, -1)

    def counts(**limits: Any) -> Any:
        return np.bincount(rl.sample_logits(logits, **limits).numpy(), minlength=4)

    def fits(found: Any, p: list[float]) -> bool:
        p = [v / sum(p) for v in p]
        kept = [i for i, v in enumerate(p) if v]
        assert sum(found[i] for i in kept) == 20000
        return len(kept) == 1 or stats.chisquare(found[kept], [20000 * p[i] for i in kept]).pvalue > 1e-3

    assert fits(counts(), [0.5, 0.25, 0.15, 0.1])
    assert fits(counts(top_k=2), [0.5, 0.25, 0, 0])
    assert fits(counts(top_p=0.6), [0.5, 0.25, 0, 0])
    assert fits(counts(top_p=0.8), [0.5, 0.25, 0.15, 0])
    assert fits(counts(top_p=0.01), [1, 0, 0, 0])
    assert fits(counts(top_k=3, top_p=0.8), [0.5, 0.25, 0, 0])
    assert fits(counts(temperature=0.5), [0.25, 0.0625, 0.0225, 0.01])
    assert fits(counts(temperature=0.0), [1, 0, 0, 0])
    assert fits(counts(top_k=99), [0.5, 0.25, 0.15, 0.1])
    assert rl.sample_logits(rl.tensor([0.0, 5.0]), top_k=1).shape == ()
    for bad in ({"temperature": -1.0}, {"top_k": 0}, {"top_p": 0.0}, {"top_p": 1.5}):
        with pytest.raises(ValueError, match="sample_logits: expected temperature"):
            rl.sample_logits(rl.zeros(3), **bad)


@pytest.mark.parametrize(
    ("draw", "distribution"),
    [
        (lambda x: x.normal_(2.0, 3.0), stats.norm(2, 3)),
        (lambda x: x.uniform_(-1.0, 4.0), stats.uniform(-1, 5)),
        (lambda x: x.exponential_(0.5), stats.expon(scale=2)),
        (lambda x: rl.normal(rl.full_like(x, 1.0), 0.5), stats.norm(1, 0.5)),
    ],
)
def test_draws_have_their_distribution(draw: Any, distribution: Any) -> None:
    for dtype in (rl.float32, rl.float64):
        x = draw(rl.empty(20000, dtype=dtype))
        assert x.dtype == dtype
        assert stats.kstest(x.numpy(), distribution.cdf).pvalue > 1e-3


def test_random_takes_its_ends() -> None:
    x = rl.empty(10000, dtype=rl.int64)
    assert np.unique(x.random_(3, 6).numpy()).tolist() == [3, 4, 5]
    assert np.unique(x.random_(2).numpy()).tolist() == [0, 1]
    floats = rl.empty(1000).random_()
    assert float(floats.max()) <= 2**24
    assert float(floats.max()) > 2**22
    small = rl.empty(1000, dtype=rl.uint8).random_()
    assert int(small.max()) > 200


def test_draws_are_refused() -> None:
    with pytest.raises(ValueError, match="std is -1"):
        rl.empty(2).normal_(0.0, -1.0)
    with pytest.raises(TypeError, match="floating-point"):
        rl.zeros(2, dtype=rl.int64).normal_()
    with pytest.raises(ValueError, match="uniform_: the ends"):
        rl.empty(2).uniform_(1.0, 0.0)
    with pytest.raises(ValueError, match="rate is 0"):
        rl.empty(2).exponential_(0.0)
    with pytest.raises(ValueError, match="between 0 and 1"):
        rl.empty(2).bernoulli_(2.0)
    with pytest.raises(RuntimeError, match="leaf"):
        rl.ones(2, requires_grad=True).normal_()
    with pytest.raises(ValueError, match="deviation is negative"):
        rl.normal(0.0, -1.0, (2,))
    with pytest.raises(TypeError, match="size is missing"):
        rl.normal(0.0, 1.0)
