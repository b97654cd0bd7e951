"""Worker processes of a loader, each with a pipe; the main process numbers tasks and orders the answers."""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import random
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from typing import Any, NamedTuple

from rushlight import _core as rl

from . import _fetch


class WorkerInfo(NamedTuple):
    """A worker process or thread, as its data set sees it.

    Parameters
    ----------
    id
        Number of the worker, from 0.
    num_workers
        Number of workers.
    seed
        Seed of the worker's random numbers in this epoch.
    dataset
        The worker's copy of the data set; of a thread the data set itself.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.data.WorkerInfo(id=0, num_workers=2, seed=5, dataset=range(3)).num_workers
    2
    """

    id: int
    num_workers: int
    seed: int
    dataset: Any


_info: WorkerInfo | None = None
# Its `info` is that of a worker thread.
here = threading.local()


def get_worker_info() -> WorkerInfo | None:
    """Returns which worker process or thread of a `DataLoader` this is.

    Returns
    -------
    WorkerInfo or None
        None in the main process, outside of worker threads.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.data.get_worker_info() is None
    True
    """
    found: WorkerInfo | None = getattr(here, "info", _info)
    return found


class WorkerTraceback(Exception):
    """The traceback of a worker's exception, shown as its cause."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


def _answer(kind: str, epoch: int, number: int, data: Any) -> bytes:
    return pickle.dumps((kind, epoch, number, data), protocol=pickle.HIGHEST_PROTOCOL)


def _failure(epoch: int, number: int, error: BaseException) -> bytes:
    text = "".join(traceback.format_exception(error))
    try:
        kept = pickle.dumps(error)
        pickle.loads(kept)
    except Exception:
        kept = pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))
    return _answer("error", epoch, number, (kept, text))


def work(pipe: Any, payload: bytes, number: int, count: int) -> None:
    """Run one worker until the main process closes the pipe."""
    global _info
    # Ctrl-C reaches the whole process group; the main process decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tasks: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def receive() -> None:
        # Tasks are taken out at once, so that the main process never waits for a worker that waits for it.
        try:
            while True:
                tasks.put(pipe.recv())
        except (EOFError, OSError):
            os._exit(0)

    threading.Thread(target=receive, daemon=True).start()
    rl.set_num_threads(1)
    failed: BaseException | None = None
    stream: Iterator[Any] | None = None
    prepare: Any = None
    fetcher: Any = None
    epoch = -1
    while True:
        epoch, task, given = tasks.get()
        try:
            if task < 0:
                seed = (given + number) % 2**63
                random.seed(seed)
                rl.manual_seed(seed)
                if "numpy" in sys.modules:
                    sys.modules["numpy"].random.seed(seed % 2**32)
                failed = None
                if fetcher is None:
                    fetcher, prepare = pickle.loads(payload)
                    _info = WorkerInfo(number, count, seed, fetcher.dataset)
                    if prepare is not None:
                        prepare(number)
                else:
                    _info = WorkerInfo(number, count, seed, fetcher.dataset)
                stream = fetcher.stream()
                continue
            if failed is not None:
                raise failed
            try:
                message = _answer("batch", epoch, task, fetcher.fetch(given, stream))
            except _fetch.Exhausted:
                message = _answer("end", epoch, task, None)
        except BaseException as error:
            if task < 0:
                failed = error
                continue
            message = _failure(epoch, task, error)
        try:
            pipe.send_bytes(message)
        except OSError:
            os._exit(0)


class Pool:
    """The workers of a loader."""

    def __init__(self, payload: bytes, count: int, context: Any) -> None:
        self._pipes: list[Any] = []
        self._processes: list[Any] = []
        self.epoch = 0
        try:
            for number in range(count):
                ours, theirs = context.Pipe(duplex=True)
                process = context.Process(target=work, args=(theirs, payload, number, count), daemon=True)
                process.start()
                theirs.close()
                self._pipes.append(ours)
                self._processes.append(process)
        except BaseException:
            self.close()
            raise

    def begin(self, seed: int) -> None:
        """Begin an epoch: answers of an earlier one are dropped."""
        self.epoch += 1
        for worker in range(len(self._pipes)):
            self.send(worker, -1, seed)

    def send(self, worker: int, task: int, given: Any) -> None:
        """Give a worker a task."""
        try:
            self._pipes[worker].send((self.epoch, task, given))
        except OSError:
            raise self._died(worker) from None

    def receive(self, timeout: float) -> tuple[str, int, Any]:
        """Return the next answer of any worker: its kind, the task's number, and the batch."""
        from multiprocessing.connection import wait

        while True:
            ready = wait(self._pipes, timeout or None)
            if not ready:
                raise RuntimeError(f"DataLoader: no batch from the workers within {timeout} s")
            for pipe in ready:
                worker = self._pipes.index(pipe)
                try:
                    data = pipe.recv_bytes()  # type: ignore[union-attr]
                except (EOFError, OSError):
                    raise self._died(worker) from None
                kind, epoch, task, value = pickle.loads(data)
                if epoch != self.epoch:
                    continue
                if kind == "error":
                    kept, text = value
                    raise pickle.loads(kept) from WorkerTraceback(f"In worker process {worker}:\n{text}")
                return kind, task, value

    def _died(self, worker: int) -> RuntimeError:
        process = self._processes[worker]
        process.join(5)
        code = process.exitcode
        reason = f"signal {signal.Signals(-code).name}" if code is not None and code < 0 else f"status {code}"
        hint = (
            '; a script needs the line `if __name__ == "__main__":` before its work, since workers import it'
            if code == 1
            else ""
        )
        return RuntimeError(f"DataLoader: worker process {worker} ended unexpectedly with {reason}{hint}")

    def close(self) -> None:
        """End the workers."""
        for pipe in self._pipes:
            with contextlib.suppress(OSError):
                pipe.close()
        for process in self._processes:
            process.join(0.2)
            if process.is_alive():
                process.kill()
                process.join()
        self._pipes, self._processes = [], []
