"""Data sets and functions that worker processes import."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import rushlight as rl
from rushlight import data


class Squares(data.Dataset[Any]):
    """A data set whose samples are the index, its square, a text, and what `extra` returns."""

    def __init__(self, size: int = 10) -> None:
        self.size = size

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int) -> dict[str, Any]:
        if index >= self.size:
            raise IndexError(index)
        return {"i": index, "square": rl.tensor([float(index) ** 2]), "name": f"n{index}"}


class Large(Squares):
    """A data set with samples larger than a pipe's buffer; batches have long lists of indices."""

    def __getitem__(self, index: int) -> Any:
        return rl.full((64,), float(index))


class Where(Squares):
    """A data set whose samples say which worker and process made them, with random numbers of each kind."""

    def __getitem__(self, index: int) -> Any:
        info = data.get_worker_info()
        assert info is not None
        return {
            "worker": info.id,
            "count": info.num_workers,
            "pid": os.getpid(),
            "threads": rl.get_num_threads(),
            "random": random.random(),
            "ours": rl.rand(1),
        }


class Bad(Squares):
    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind

    def __getitem__(self, index: int) -> Any:
        if index == 5:
            if self.kind == "raise":
                raise KeyError("no sample five")
            if self.kind == "exit":
                os._exit(7)
            if self.kind == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            if self.kind == "slow":
                time.sleep(60)
            if self.kind == "unpicklable":
                return lambda: 0
            if self.kind == "strange":
                raise Strange(1, 2)
        return index


class Strange(Exception):
    """An exception that cannot be pickled back."""

    def __init__(self, a: int, b: int) -> None:
        super().__init__(f"strange {a} {b}")


class Stream(data.IterableDataset[int]):
    """A stream of numbers, divided among the workers if asked; worker 0 yields more than the others."""

    def __init__(self, divided: bool) -> None:
        self.divided = divided

    def __iter__(self) -> Iterator[int]:
        info = data.get_worker_info()
        if info is None or not self.divided:
            return iter(range(7))
        return iter(range(100 * info.id, 100 * info.id + 9 - 4 * info.id))


class Mark:
    """Writes a file per worker, and fails if it must."""

    def __init__(self, folder: Path, fail: bool = False) -> None:
        self.folder, self.fail = folder, fail

    def __call__(self, number: int) -> None:
        if self.fail:
            raise RuntimeError(f"init of {number}")
        (self.folder / str(number)).write_text(str(os.getpid()))


def same(samples: Any) -> Any:
    return samples


SCRIPT = """
import sys
sys.path.insert(0, {here!r})
import loader_parts
from rushlight import data

if __name__ == "__main__":
    loader = data.DataLoader(loader_parts.Where(1000), num_workers=2, collate_fn=loader_parts.same)
    for number, batch in enumerate(loader):
        if number < 4:
            print(batch[0]["pid"], flush=True)
        if number == 4:
            print("ready", flush=True)
            {then}
"""
