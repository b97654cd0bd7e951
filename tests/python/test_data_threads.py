"""A loader whose workers are threads."""

from __future__ import annotations

import threading
import time
import traceback
from typing import Any

import pytest

import loader_parts as parts
import rushlight as rl
from rushlight import data


def threaded(dataset: Any, *args: Any, workers: int = 2, **more: Any) -> Any:
    return data.DataLoader(dataset, *args, num_workers=workers, multiprocessing_context="thread", **more)


def plain(batch: Any) -> Any:
    if isinstance(batch, rl.Tensor):
        return batch.tolist()
    return {key: plain(value) for key, value in batch.items()} if isinstance(batch, dict) else batch


def all_of(loader: Any) -> list[Any]:
    return [plain(batch) for batch in loader]


def test_threads_give_the_same_batches_in_order() -> None:
    shuffled: dict[str, Any] = {"shuffle": True, "generator": 3}
    for size, batch, more in ((23, 4, {}), (23, 4, shuffled), (3, None, {}), (0, 4, {})):
        dataset = parts.Squares(size)
        want = all_of(data.DataLoader(dataset, batch, **more))
        assert all_of(threaded(dataset, batch, **more)) == want


def test_streams_in_threads_are_divided_by_their_info() -> None:
    processes = data.DataLoader(parts.Stream(True), batch_size=2, num_workers=2)
    assert all_of(threaded(parts.Stream(True), 2)) == all_of(processes)


def test_threads_run_at_the_same_time_and_share_the_data_set() -> None:
    meeting = threading.Barrier(3)
    names: list[Any] = []
    infos: dict[int, Any] = {}

    class Together(data.Dataset[int]):
        def __len__(self) -> int:
            return 6

        def __getitem__(self, index: int) -> int:
            info = data.get_worker_info()
            assert info is not None
            assert info.dataset is self
            infos[info.id] = info
            meeting.wait(20)
            return index

    # A function and a data set that cannot be pickled.
    loader = threaded(
        Together(), 1, workers=3, worker_init_fn=lambda number: names.append(number), generator=1
    )
    assert all_of(loader) == [[i] for i in range(6)]
    assert sorted(names) == [0, 1, 2]
    assert {info.num_workers for info in infos.values()} == {3}
    assert len({info.seed for info in infos.values()}) == 3
    assert data.get_worker_info() is None


def test_persistent_threads_and_a_loop_that_is_left() -> None:
    started: list[int] = []
    more: dict[str, Any] = {"shuffle": True, "generator": 5}
    loader = threaded(
        parts.Squares(20),
        2,
        persistent_workers=True,
        worker_init_fn=lambda number: started.append(number),
        **more,
    )
    want = data.DataLoader(parts.Squares(20), 2, **more)
    for _ in range(2):
        assert all_of(loader) == all_of(want)
    assert plain(next(iter(loader))) == plain(next(iter(want)))
    assert all_of(loader) == all_of(want)
    assert sorted(started) == [0, 1]
    running = [t for t in threading.enumerate() if "_work" in t.name]
    assert len(running) >= 2
    del loader
    for thread in running:
        thread.join(20)
        assert not thread.is_alive()


def test_an_exception_of_a_thread_has_its_traceback() -> None:
    def broken(batch: Any) -> Any:
        raise LookupError("no batch today")

    loader = threaded(parts.Squares(4), 2, collate_fn=broken)
    with pytest.raises(LookupError, match="no batch today") as caught:
        list(loader)
    assert "in broken" in "".join(traceback.format_exception(caught.value))

    def unprepared(number: int) -> None:
        raise OSError("no file")

    with pytest.raises(OSError, match="no file"):
        list(threaded(parts.Squares(4), 2, worker_init_fn=unprepared))


def test_a_thread_that_sleeps_is_an_error_soon() -> None:
    release = threading.Event()

    def slow(batch: Any) -> Any:
        release.wait(60)
        return batch

    begin = time.monotonic()
    with pytest.raises(RuntimeError, match=r"no batch from the workers within 0\.2 s"):
        list(threaded(parts.Squares(4), 2, timeout=0.2, workers=1, collate_fn=slow))
    assert time.monotonic() - begin < 20
    release.set()


@pytest.mark.parametrize("stop", [0, 1, 4, 8])
def test_an_epoch_in_threads_goes_on_after_saving(stop: int) -> None:
    def make(generator: int) -> Any:
        return threaded(parts.Squares(30), 4, shuffle=True, generator=generator)

    want = all_of(data.DataLoader(parts.Squares(30), 4, shuffle=True, generator=11))
    part = make(11)
    batches = iter(part)
    got = [plain(next(batches)) for _ in range(stop)]
    again = make(99)
    again.load_state_dict(part.state_dict())
    batches.close()
    assert got + all_of(again) == want
