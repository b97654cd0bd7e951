"""Worker processes under a watchdog."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import subprocess
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from rushlight import _process

from .case import Case, Row, unpack

CHUNK = 64
START = 180.0
"""Seconds that a worker may take to open its device."""


class StartError(Exception):
    """Raised if a worker could not start: it found no device, or gave no answer."""


class Worker:
    """A worker process, the cases that it was given, and the time of its last line of output."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.process = _process.start("rushlight._parity.worker", stdin=subprocess.PIPE)
        assert self.process.stdin
        assert self.process.stdout
        assert self.process.stderr
        self.stdin, self.stdout, self.stderr = self.process.stdin, self.process.stdout, self.process.stderr
        for pipe in (self.stdout, self.stderr):
            os.set_blocking(pipe.fileno(), False)
        self.ready = False
        self.given: deque[int] = deque()
        self.spoke = time.monotonic()
        self.rest = b""
        self.said = b""
        self.send(settings)

    def send(self, value: Any) -> None:
        # If it has ended, its stdout shows that.
        with contextlib.suppress(OSError):
            self.stdin.write(json.dumps(value).encode() + b"\n")
            self.stdin.flush()

    def lines(self) -> list[Any] | None:
        """Return the worker's lines since the last call; None if it has ended."""
        try:
            read = os.read(self.stdout.fileno(), 1 << 20)
        except BlockingIOError:
            return []
        if not read:
            return None
        *whole, self.rest = (self.rest + read).split(b"\n")
        if whole:
            self.spoke = time.monotonic()
        return [json.loads(line) for line in whole]

    def drain(self) -> None:
        """Keep the end of the worker's stderr."""
        while True:
            try:
                read = os.read(self.stderr.fileno(), 1 << 16)
            except (BlockingIOError, ValueError):
                return
            if not read:
                return
            self.said = (self.said + read)[-2000:]

    def words(self) -> str:
        """Return the last line that the worker wrote to stderr."""
        self.drain()
        lines = self.said.decode(errors="replace").strip().splitlines()
        return lines[-1][:300] if lines else ""

    def end(self) -> None:
        """End the worker and its children."""
        _process.end(self.process)
        for pipe in (self.stdin, self.stdout, self.stderr):
            with contextlib.suppress(OSError):
                pipe.close()


class Pool:
    """Runs cases in processes: each case gives one row, even if its process dies."""

    def __init__(
        self,
        settings: dict[str, Any],
        cases: list[Case],
        jobs: int,
        limit: float,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self.settings, self.cases, self.jobs, self.limit, self.stopped = settings, cases, jobs, limit, stopped
        self.about: dict[str, Any] = {}
        self._workers: list[Worker] = []
        self._select = selectors.DefaultSelector()

    def _start(self) -> None:
        worker = Worker(self.settings)
        self._workers.append(worker)
        self._select.register(worker.stdout, selectors.EVENT_READ, worker)
        self._select.register(worker.stderr, selectors.EVENT_READ, worker)

    def _stop(self, worker: Worker) -> None:
        self._select.unregister(worker.stdout)
        self._select.unregister(worker.stderr)
        self._workers.remove(worker)
        worker.end()

    def run(self, order: list[int], more: Callable[[], bool]) -> Iterator[Row]:
        """Yield the rows of cases as they arrive. Once `more` is false no further case is started."""
        left = deque(order)
        failed_starts = 0
        try:
            for _ in range(max(1, min(self.jobs, len(order)))):
                self._start()
            while self._workers and not self.stopped():
                for key, _ in self._select.select(0.2):
                    worker: Worker = key.data
                    if worker not in self._workers:
                        continue
                    if key.fileobj is worker.stderr:
                        worker.drain()
                        continue
                    said = worker.lines()
                    if said is None:
                        code = worker.process.wait()
                        yield from self._lost(worker, left, "CRASH", _process.cause(code))
                        failed_starts = 0 if worker.ready else failed_starts + 1
                        if failed_starts > 2:
                            raise StartError(
                                f"a worker process {_process.cause(code)} at its start: {worker.words()}"
                            )
                        continue
                    for value in said:
                        if isinstance(value, dict):
                            if "error" in value:
                                raise StartError(value["error"])
                            worker.ready, self.about = True, value["ready"]
                            continue
                        row = unpack(value, self.cases)
                        worker.given.remove(row.case.index)
                        yield row
                now = time.monotonic()
                for worker in list(self._workers):
                    allowed = self.limit if worker.ready else START
                    if now - worker.spoke > allowed and (worker.given or not worker.ready):
                        if not worker.ready:
                            raise StartError(f"no answer in {START:.0f} s: {worker.words()}")
                        yield from self._lost(worker, left, "TIMEOUT", f"no answer in {self.limit:g} s")
                        continue
                    if worker.ready and not worker.given:
                        self._feed(worker, left, more)
        finally:
            for worker in list(self._workers):
                self._stop(worker)

    def _feed(self, worker: Worker, left: deque[int], more: Callable[[], bool]) -> None:
        if not left or not more():
            self._stop(worker)
            return
        # Towards the end workers get fewer cases at a time, so that all of them end together.
        count = max(1, min(CHUNK, len(left) // (2 * len(self._workers))))
        chunk = [left.popleft() for _ in range(min(count, len(left)))]
        worker.given.extend(chunk)
        worker.spoke = time.monotonic()
        worker.send(chunk)

    def _lost(self, worker: Worker, left: deque[int], status: str, cause: str) -> Iterator[Row]:
        """Yield the row of the case in which a process died, and give its other cases to a new process."""
        given, words = list(worker.given), worker.words()
        self._stop(worker)
        if given:
            yield Row(self.cases[given[0]], status, f"{cause}: {words}" if words else cause)
            left.extendleft(reversed(given[1:]))
        if left or not worker.ready:
            self._start()
