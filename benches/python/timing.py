"""Time calls of several libraries alternately, and print their medians and ratios.

A bench of this folder gives `main` a function that returns the calls of each library by their names:

    def sides(options: argparse.Namespace) -> timing.Sides:
        return {"rushlight": {"exp": lambda: rl.exp(x)}, "torch": {"exp": lambda: torch.exp(y)}}

    if __name__ == "__main__":
        timing.main(__doc__, sides)

`report.py` runs all of them and writes docs/PERFORMANCE.md.
"""

import argparse
import ctypes
import importlib.util
import math
import os
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import rushlight as rl

Call = Callable[[], Any]
Sides = dict[str, dict[str, Call]]

OURS = "rushlight"
# A call is repeated for this long in each round, so that the clock's steps do not count.
LEAST = 2e-4
# Threads of PyTorch wait for some milliseconds after a call without sleeping, and would take a processor
# from the next library.
PAUSE = 0.02
# Each of PyTorch's threads stays on another processor: a virtual machine may gather threads on few, where
# they wait for each other for milliseconds. (OpenMP reads this when PyTorch is imported.)
os.environ.setdefault("OMP_PROC_BIND", "true")
PROCESSORS = os.sched_getaffinity(0)


class Times(NamedTuple):
    """Seconds of a call: the median of the rounds, and its quartiles."""

    median: float
    low: float
    high: float


class Row(NamedTuple):
    """The times of a call by library."""

    name: str
    times: dict[str, Times]

    def ratio(self, side: str) -> float | None:
        """Return our time as a multiple of a library's, or None if it was not timed."""
        return self.times[OURS].median / self.times[side].median if side in self.times else None


def torch_or_none() -> Any:
    """Return the module of PyTorch if it is installed."""
    return importlib.import_module("torch") if importlib.util.find_spec("torch") else None


def prepare(threads: int) -> None:
    """Let every library compute with N threads, and keep freed memory.

    New results of PyTorch would otherwise cost page faults, which ours, from a pool, do not.
    """
    rl.set_num_threads(threads)
    if torch := torch_or_none():
        torch.set_num_threads(threads)
    # OpenMP may have bound this thread to a processor, which threads that it starts would inherit.
    starter = threading.Thread(target=_start_threads)
    starter.start()
    starter.join()
    trim_threshold, mmap_max = -1, -4
    libc = ctypes.CDLL("libc.so.6")
    if not (libc.mallopt(mmap_max, 0) and libc.mallopt(trim_threshold, 2**31 - 1)):
        raise RuntimeError("mallopt failed")


def _start_threads() -> None:
    """Let our threads start on all processors."""
    os.sched_setaffinity(0, PROCESSORS)
    rl.exp(rl.zeros(1 << 22))


def rows(sides: Sides, threads: int, rounds: int, names: list[str]) -> Iterator[Row]:
    """Time the calls whose names contain one of `names`, the libraries alternately within each round."""
    # One thread's processor time is not lengthened by other work of the machine.
    clock = time.process_time if threads == 1 else time.perf_counter
    for name in sides[OURS]:
        if names and not any(part in name for part in names):
            continue
        calls = {side: table[name] for side, table in sides.items() if name in table}
        repeats = {}
        for side, call in calls.items():
            call()
            start = clock()
            call()
            repeats[side] = max(1, math.ceil(LEAST / max(clock() - start, 1e-7)))
        seconds: dict[str, list[float]] = {side: [] for side in calls}
        for _ in range(rounds):
            for side, call in calls.items():
                if threads > 1 and len(calls) > 1:
                    time.sleep(PAUSE)
                    call()
                start = clock()
                for _ in range(repeats[side]):
                    call()
                seconds[side].append((clock() - start) / repeats[side])
        yield Row(name, {side: Times(*_quartiles(taken)) for side, taken in seconds.items()})


def _quartiles(seconds: list[float]) -> tuple[float, float, float]:
    if len(seconds) < 2:
        return seconds[0], seconds[0], seconds[0]
    low, median, high = statistics.quantiles(seconds, n=4, method="inclusive")
    return median, low, high


def geometric_mean(ratios: list[float]) -> float:
    """Return the geometric mean of one ratio or more."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def parser(doc: str | None) -> argparse.ArgumentParser:
    """Return the parser of the options that all benches have."""
    made = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    made.add_argument("--rounds", type=int, default=11)
    made.add_argument("--size", type=int, default=1 << 20, help="elements of most tensors")
    made.add_argument("--dtype", default="float32", help="of most tensors")
    made.add_argument("names", nargs="*", help="parts of names of calls; without them all are timed")
    return made


def main(doc: str | None, sides: Callable[[argparse.Namespace], Sides]) -> None:
    """Time the calls of a bench; print microseconds, and the ratios of our time to the other libraries'."""
    options = parser(doc).parse_args()
    prepare(options.threads)
    how = f"{options.threads} threads, {options.rounds} rounds, {options.dtype}"
    print(f"{how}: microseconds, and ratios to the others' time")
    ratios: dict[str, list[float]] = {}
    for row in rows(sides(options), options.threads, options.rounds, options.names):
        line = f"{row.name:40} {row.times[OURS].median * 1e6:10.1f}"
        for side, taken in row.times.items():
            ratio = row.ratio(side)
            if side != OURS and ratio is not None:
                line += f"   {side} {taken.median * 1e6:10.1f} {ratio:6.2f}"
                ratios.setdefault(side, []).append(ratio)
        print(line, flush=True)
    for side, found in ratios.items():
        print(f"{'geometric mean of the ratios to ' + side:40} {geometric_mean(found):.2f}")
