"""Data sets, samplers, collation, and the loader with and without worker processes."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections import Counter, namedtuple
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import loader_parts as parts
import rushlight as rl
from rushlight import data

HERE = str(Path(__file__).resolve().parent)


def plain(batch: Any) -> Any:
    """A batch with tensors as lists."""
    if isinstance(batch, rl.Tensor):
        return batch.tolist()
    if isinstance(batch, dict):
        return {key: plain(value) for key, value in batch.items()}
    return [plain(value) for value in batch] if isinstance(batch, list) else batch


def all_of(loader: Any) -> list[Any]:
    return [plain(batch) for batch in loader]


def test_datasets() -> None:
    a, b = rl.arange(6).reshape((3, 2)), rl.tensor([7, 8, 9])
    rows = data.TensorDataset(a, b)
    assert [plain(list(row)) for row in (rows[i] for i in range(3))] == [
        [[0, 1], 7],
        [[2, 3], 8],
        [[4, 5], 9],
    ]
    stacked = data.StackDataset([1, 2], "ab")
    assert [stacked[i] for i in range(len(stacked))] == [(1, "a"), (2, "b")]
    both = data.Subset("abcd", [3, 1]) + data.Subset("xyz", [2])
    assert [both[i] for i in range(-3, 3)] == ["d", "b", "z"] * 2
    with pytest.raises(IndexError, match="3"):
        both[3]
    chained = parts.Stream(False) + parts.Stream(False)
    assert list(chained) == [*range(7), *range(7)]
    for bad in (
        lambda: data.TensorDataset(),
        lambda: data.TensorDataset(a, rl.ones(4)),
        lambda: data.TensorDataset(rl.tensor(1.0)),
        lambda: data.StackDataset(),
        lambda: data.StackDataset([1], x=[1]),
        lambda: data.StackDataset([1], [1, 2]),
        lambda: data.ConcatDataset([]),
        lambda: data.ConcatDataset([parts.Stream(False)]),
        lambda: data.random_split(range(4), [3, 2]),
        lambda: data.random_split(range(4), [0.5, 0.2]),
        lambda: data.random_split(range(4), [5, -1]),
    ):
        with pytest.raises(ValueError, match=r"Dataset: |random_split: "):
            bad()


def test_random_split_covers_all_by_a_seed() -> None:
    for lengths, sizes in [
        ([7, 3], [7, 3]),
        ([0.5, 0.25, 0.25], [6, 2, 2]),
        ([1.0], [10]),
        ([0.1] * 10, [1] * 10),
    ]:
        found = data.random_split(range(10), lengths, generator=3)
        assert [len(part) for part in found] == sizes
        assert sorted(x for part in found for x in part) == list(range(10))
    first, again, other = ([*data.random_split(range(50), [25, 25], generator=g)[0]] for g in (3, 3, 4))
    assert first == again != other
    rl.manual_seed(5)
    one = [*data.random_split(range(50), [25, 25])[0]]
    rl.manual_seed(5)
    assert one == [*data.random_split(range(50), [25, 25])[0]]


def test_samplers() -> None:
    sampler = data.RandomSampler(range(20), generator=1)
    first, second = list(sampler), list(sampler)
    assert sorted(first) == sorted(second) == list(range(20))
    assert first != second
    assert [list(data.RandomSampler(range(20), generator=1)), len(sampler)] == [first, 20]
    assert Counter(data.RandomSampler(range(3), num_samples=7, generator=0)).total() == 7
    assert set(Counter(data.RandomSampler(range(3), num_samples=6, generator=0)).values()) == {2}
    many = Counter(data.RandomSampler(range(4), replacement=True, num_samples=4000, generator=0))
    assert all(800 < n < 1200 for n in many.values())
    weighted = Counter(data.WeightedRandomSampler([1.0, 3.0, 0.0], 4000, generator=0))
    assert weighted[2] == 0
    assert 850 < weighted[0] < 1150
    # Without replacement the first one is drawn by the weights, too.
    firsts = Counter(
        next(iter(data.WeightedRandomSampler([1, 3], 2, False, generator=i))) for i in range(2000)
    )
    assert 400 < firsts[0] < 600
    assert sorted(data.SubsetRandomSampler([4, 2], generator=0)) == [2, 4]
    assert list(data.BatchSampler(range(5), 2, True)) == [[0, 1], [2, 3]]
    for bad in (
        lambda: data.RandomSampler([1], num_samples=0),
        lambda: data.WeightedRandomSampler([1, 0], 2, replacement=False),
        lambda: data.WeightedRandomSampler([1, -1], 2),
        lambda: data.BatchSampler([1], 0, False),
    ):
        with pytest.raises(ValueError, match="Sampler: "):
            bad()
    with pytest.raises(TypeError, match=r"generator is .* str"):
        data.RandomSampler([1], generator="x")


@pytest.mark.parametrize(
    "make", [lambda: 7, lambda: __import__("random").Random(7), lambda: np.random.default_rng(7)]
)
def test_generators_decide_the_order(make: Any) -> None:
    a, b = (all_of(data.DataLoader(range(30), shuffle=True, generator=make())) for _ in range(2))
    assert a == b != [[i] for i in range(30)]
    assert sorted(a) == [[i] for i in range(30)]


def test_shuffling_follows_manual_seed() -> None:
    orders = []
    for seed in (1, 1, 2):
        rl.manual_seed(seed)
        loader = data.DataLoader(range(30), shuffle=True)
        orders.append([all_of(loader), all_of(loader)])
    assert orders[0] == orders[1] != orders[2]
    assert orders[0][0] != orders[0][1]


def test_collation() -> None:
    Pair = namedtuple("Pair", "x y")
    samples = [Pair(1, {"a": 1.5, "b": "s", "c": np.float32(2), "d": np.ones(2, np.int16)})] * 2
    got = data.default_collate(samples)
    assert isinstance(got, Pair)
    assert got.x.dtype == rl.int64
    assert got.y["a"].dtype == rl.float64
    assert got.y["b"] == ["s", "s"]
    assert got.y["c"].dtype == rl.float32
    assert got.y["d"].dtype == rl.int16
    assert got.y["d"].shape == (2, 2)
    assert data.default_collate([True, False]).dtype == rl.bool
    assert plain(data.default_collate([(1, [2, 3]), (4, [5, 6])])) == [[1, 4], [[2, 5], [3, 6]]]
    assert data.default_collate([b"x"]) == [b"x"]
    converted = data.default_convert({"x": [np.arange(2), "t"], "p": Pair(np.zeros(1), 3)})
    assert plain(converted["x"]) == [[0, 1], "t"]
    assert isinstance(converted["p"].x, rl.Tensor)
    for bad, error in [
        ([object()], TypeError),
        ([], ValueError),
        ([rl.ones(2), rl.ones(3)], ValueError),
        ([(1,), (1, 2)], ValueError),
        ([None], TypeError),
    ]:
        with pytest.raises(error, match="default_collate: "):
            data.default_collate(bad)


def test_loader_without_workers() -> None:
    squares = parts.Squares(5)
    loader = data.DataLoader(squares, batch_size=2)
    assert len(loader) == 3
    assert all_of(loader)[2] == {"i": [4], "square": [[16.0]], "name": ["n4"]}
    assert (
        len(data.DataLoader(squares, 2, drop_last=True))
        == len(all_of(data.DataLoader(squares, 2, drop_last=True)))
        == 2
    )
    assert all_of(data.DataLoader(range(3), batch_size=None)) == [0, 1, 2]
    assert all_of(data.DataLoader(range(9), batch_sampler=[[1, 3], [8]])) == [[1, 3], [8]]
    assert all_of(data.DataLoader(range(9), sampler=[4, 2, 0], batch_size=2)) == [[4, 2], [0]]
    assert all_of(data.DataLoader(parts.Stream(True), batch_size=3)) == [[0, 1, 2], [3, 4, 5], [6]]
    assert all_of(data.DataLoader(parts.Stream(True), batch_size=3, drop_last=True)) == [[0, 1, 2], [3, 4, 5]]
    assert all_of(data.DataLoader(parts.Stream(True), batch_size=None)) == list(range(7))

    class Fast(parts.Squares):
        def __getitems__(self, indices: list[int]) -> list[int]:
            return [-i for i in indices]

    assert all_of(data.DataLoader(Fast(4), batch_size=3)) == [[0, -1, -2], [-3]]
    # Two simultaneous iterations do not affect each other.
    loader = data.DataLoader(range(4), batch_size=2)
    assert [(plain(a), plain(b)) for a in loader for b in loader][1] == ([0, 1], [2, 3])


def test_settings_that_contradict_each_other() -> None:
    squares, stream = parts.Squares(), parts.Stream(False)
    for bad in (
        lambda: data.DataLoader(squares, num_workers=-1),
        lambda: data.DataLoader(squares, timeout=-1),
        lambda: data.DataLoader(squares, prefetch_factor=2),
        lambda: data.DataLoader(squares, persistent_workers=True),
        lambda: data.DataLoader(squares, num_workers=1, prefetch_factor=0),
        lambda: data.DataLoader(stream, shuffle=True),
        lambda: data.DataLoader(stream, sampler=[1]),
        lambda: data.DataLoader(squares, shuffle=True, sampler=[1]),
        lambda: data.DataLoader(squares, batch_sampler=[[1]], batch_size=2),
        lambda: data.DataLoader(squares, batch_size=None, drop_last=True),
        lambda: data.DataLoader(squares, batch_size=0),
        lambda: data.DataLoader(squares).load_state_dict({"batches": 1}),
    ):
        with pytest.raises(ValueError, match=r"^DataLoader"):
            bad()


def test_workers_give_the_same_batches() -> None:
    for make in (
        lambda n: data.DataLoader(parts.Squares(23), batch_size=4, num_workers=n, pin_memory=True),
        lambda n: data.DataLoader(parts.Squares(23), batch_size=4, num_workers=n, shuffle=True, generator=3),
        lambda n: data.DataLoader(parts.Squares(3), batch_size=None, num_workers=n),
        lambda n: data.DataLoader(parts.Large(4000), batch_size=2000, num_workers=n),
        lambda n: data.DataLoader(parts.Squares(0), batch_size=4, num_workers=n),
    ):
        assert all_of(make(2)) == all_of(make(0))
    # More tasks than fit in a pipe's buffer.
    long = data.DataLoader(parts.Large(60_000), batch_size=30_000, num_workers=1, prefetch_factor=4)
    assert sum(len(batch) for batch in long) == 60_000


def test_streams_in_workers() -> None:
    whole = data.DataLoader(parts.Stream(False), batch_size=4, num_workers=2)
    assert sorted(all_of(whole)) == sorted([[0, 1, 2, 3], [4, 5, 6]] * 2)
    divided = all_of(data.DataLoader(parts.Stream(True), batch_size=2, num_workers=2))
    assert divided == [[0, 1], [100, 101], [2, 3], [102, 103], [4, 5], [104], [6, 7], [8]]
    assert all_of(data.DataLoader(parts.Stream(True), batch_size=2, num_workers=2)) == divided


def test_worker_info_seeds_and_persistence(tmp_path: Path) -> None:
    loader = data.DataLoader(
        parts.Where(8),
        num_workers=2,
        batch_size=2,
        collate_fn=parts.same,
        worker_init_fn=parts.Mark(tmp_path),
        persistent_workers=True,
        generator=1,
    )
    first, second = ([sample for batch in loader for sample in batch] for _ in range(2))
    assert data.get_worker_info() is None
    assert {s["worker"] for s in first} == {0, 1}
    assert {s["count"] for s in first} == {2}
    assert {s["threads"] for s in first} == {1}
    pids = {s["pid"] for s in first}
    assert pids == {s["pid"] for s in second}
    assert pids == {int(path.read_text()) for path in tmp_path.iterdir()}
    assert os.getpid() not in pids
    randoms = [s["random"] for s in first + second]
    assert len(set(randoms)) == 16
    assert len({float(s["ours"]) for s in first + second}) == 16
    # After a loop that ends early, persistent workers yield no further batch of its epoch.
    shuffled = data.DataLoader(
        parts.Squares(30), 3, shuffle=True, num_workers=2, persistent_workers=True, generator=5
    )
    for _ in shuffled:
        break
    here = data.DataLoader(parts.Squares(30), 3, shuffle=True, generator=5)
    list(here)
    assert all_of(shuffled) == all_of(here)
    for _ in loader:
        break
    assert len(list(loader)) == 4
    del loader
    assert all(gone(pid) for pid in pids)
    again = data.DataLoader(parts.Where(8), num_workers=2, batch_size=2, collate_fn=parts.same, generator=1)
    assert [s["random"] for batch in again for s in batch] == randoms[:8]


def gone(pid: int) -> bool:
    for _ in range(200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        with contextlib.suppress(OSError):
            if Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                return True
        time.sleep(0.05)
    return False


def test_an_exception_of_a_worker_arrives_with_its_traceback() -> None:
    loader = data.DataLoader(parts.Bad("raise"), batch_size=2, num_workers=2)
    seen = []
    with pytest.raises(KeyError, match="no sample five") as caught:
        seen += list(map(plain, loader))
    cause = str(caught.value.__cause__)
    assert "worker process" in cause
    assert "loader_parts.py" in cause
    assert "in __getitem__" in cause
    for kind, error, text in [
        ("strange", RuntimeError, "Strange: strange 1 2"),
        ("unpicklable", Exception, "pickle"),
    ]:
        with pytest.raises(error, match=text):
            list(data.DataLoader(parts.Bad(kind), collate_fn=parts.same, num_workers=1))


def test_a_worker_that_ends_or_sleeps_is_an_error_soon() -> None:
    start = time.monotonic()
    with pytest.raises(RuntimeError, match=r"worker process \d ended unexpectedly with status 7"):
        list(data.DataLoader(parts.Bad("exit"), num_workers=2))
    with pytest.raises(RuntimeError, match="ended unexpectedly with signal SIGKILL"):
        list(data.DataLoader(parts.Bad("kill"), num_workers=2, persistent_workers=True))
    with pytest.raises(RuntimeError, match=r"no batch from the workers within 3 s"):
        list(data.DataLoader(parts.Bad("slow"), num_workers=1, timeout=3))
    assert time.monotonic() - start < 40


def test_init_that_fails_and_data_that_cannot_be_sent(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="init of 0"):
        list(data.DataLoader(parts.Squares(), num_workers=1, worker_init_fn=parts.Mark(tmp_path, fail=True)))

    class Local(parts.Squares):
        pass

    for kwargs, name in [
        ({"dataset": Local()}, "dataset"),
        ({"dataset": [1], "collate_fn": lambda x: x}, "collate_fn"),
        ({"dataset": [1], "worker_init_fn": lambda i: None}, "worker_init_fn"),
    ]:
        with pytest.raises(TypeError, match=rf"num_workers=1 sends the {name}.*num_workers=0"):
            list(data.DataLoader(num_workers=1, **kwargs))  # type: ignore[arg-type]


@pytest.mark.parametrize("how", ["interrupt", "killed", "ends"])
def test_workers_end_with_their_program(how: str, tmp_path: Path) -> None:
    """Workers end after Ctrl-C, after SIGKILL of the main process only, and if the program ends within the
    loop."""
    script = tmp_path / "train.py"
    script.write_text(
        parts.SCRIPT.format(
            here=HERE, then="raise SystemExit" if how == "ends" else "import time; time.sleep(60)"
        )
    )
    package = str(Path(rl.__file__).resolve().parents[1])
    process = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": package},
    )
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        if line.strip() == "ready":
            break
        lines.append(int(line))
    pids = set(lines)
    assert len(pids) == 2
    if how == "interrupt":
        os.killpg(process.pid, signal.SIGINT)
    elif how == "killed":
        process.kill()
    _, errors = process.communicate(timeout=30)
    assert all(gone(pid) for pid in pids)
    assert ("KeyboardInterrupt" in errors) == (how == "interrupt")
    assert errors.count("Traceback") == (how == "interrupt")


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("stop", [0, 1, 4, 8])
def test_an_epoch_goes_on_after_saving(workers: int, stop: int) -> None:
    def make(generator: Any) -> Any:
        return data.DataLoader(parts.Squares(30), 4, shuffle=True, num_workers=workers, generator=generator)

    whole = make(11)
    want = [all_of(whole) for _ in range(3)]
    part = make(11)
    got = [all_of(part), []]
    batches = iter(part)
    for _ in range(stop):
        got[1].append(plain(next(batches)))
    state = part.state_dict()
    batches.close()
    again = make(99)
    again.load_state_dict(state)
    assert again.state_dict()["batches"] == stop
    got[1] += all_of(again)
    got.append(all_of(again))
    assert got == want


@pytest.mark.parametrize("workers", [0, 2])
def test_a_stream_goes_on_after_saving(workers: int) -> None:
    loader = data.DataLoader(parts.Stream(True), batch_size=2, num_workers=workers)
    want = all_of(loader)
    batches = iter(loader)
    got = [plain(next(batches)) for _ in range(3)]
    again = data.DataLoader(parts.Stream(True), batch_size=2, num_workers=workers)
    again.load_state_dict(loader.state_dict())
    batches.close()  # type: ignore[attr-defined]
    assert got + all_of(again) == want
    assert all_of(again) == want
