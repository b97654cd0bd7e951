"""Worker threads of a loader: they share the data set with the program, and nothing is pickled."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from typing import Any

from . import _fetch, _workers

__all__ = ["Threads"]


class Threads:
    """The threads of a loader, with the interface of `_workers.Pool`."""

    def __init__(self, fetcher: _fetch.Fetcher, prepare: Callable[[int], object] | None, count: int) -> None:
        self.epoch = 0
        self._closed = False
        self._tasks: list[queue.SimpleQueue[Any]] = [queue.SimpleQueue() for _ in range(count)]
        self._answers: queue.SimpleQueue[tuple[int, str, int, Any]] = queue.SimpleQueue()
        self._threads = [
            threading.Thread(target=self._work, args=(fetcher, prepare, number, count), daemon=True)
            for number in range(count)
        ]
        for thread in self._threads:
            thread.start()

    def begin(self, seed: int) -> None:
        """Begin an epoch: answers of an earlier one are dropped."""
        self.epoch += 1
        for number in range(len(self._tasks)):
            self.send(number, -1, (seed + number) % 2**63)

    def send(self, worker: int, task: int, given: Any) -> None:
        """Give a thread a task."""
        self._tasks[worker].put((self.epoch, task, given))

    def receive(self, timeout: float) -> tuple[str, int, Any]:
        """Return the next answer of any thread: its kind, the task's number, and the batch."""
        while True:
            try:
                epoch, kind, task, value = self._answers.get(timeout=timeout or None)
            except queue.Empty:
                raise RuntimeError(f"DataLoader: no batch from the workers within {timeout} s") from None
            if epoch != self.epoch:
                continue
            if kind == "error":
                raise value
            return kind, task, value

    def close(self) -> None:
        """End the threads after the batches that they are at."""
        self._closed = True
        for tasks in self._tasks:
            tasks.put(None)
        for thread in self._threads:
            # One that waits for its data ends with the program.
            thread.join(1.0)

    def _work(self, fetcher: Any, prepare: Any, number: int, count: int) -> None:
        stream: Iterator[Any] | None = None
        failed: BaseException | None = None
        while True:
            given = self._tasks[number].get()
            if given is None or self._closed:
                return
            epoch, task, indices = given
            try:
                if task < 0:
                    failed = None
                    _workers.here.info = _workers.WorkerInfo(number, count, indices, fetcher.dataset)
                    if prepare is not None:
                        prepare(number)
                        prepare = None
                    stream = fetcher.stream()
                    continue
                if epoch != self.epoch:
                    continue
                if failed is not None:
                    raise failed
                self._answers.put((epoch, "batch", task, fetcher.fetch(indices, stream)))
            except _fetch.Exhausted:
                self._answers.put((epoch, "end", task, None))
            except BaseException as error:
                if task < 0:
                    failed = error
                else:
                    self._answers.put((epoch, "error", task, error))
