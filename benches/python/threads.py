"""Time ops with one thread and with several, after pauses of different length.

    python benches/python/threads.py [--threads N] [--rounds N]

Each round sleeps for the pause and then calls the op twice. The ratios are of the times with several threads
to those with one: of the first call, for which threads are woken, and of the second one. A ratio above 1 is
a loss, and one of about 1 a sign that the other threads come too late.
"""

import argparse
import operator
import os
import statistics
import time
from collections.abc import Callable
from functools import partial

import numpy as np

import rushlight as rl

PAUSES = (0.0, 2e-4, 2e-3, 2e-2)


def calls() -> dict[str, Callable[[], object]]:
    """Return ops of different length."""
    table: dict[str, Callable[[], object]] = {}
    for power in (15, 16, 17, 18, 20, 22):
        x = rl.asarray(np.random.default_rng(0).random(1 << power, np.float32))
        table[f"add 2^{power}"] = partial(operator.add, x, x)
        table[f"exp 2^{power}"] = x.exp
        table[f"copy 2^{power}"] = x.clone
    for n in (512, 1024, 2048):
        row, square = rl.ones(1, n), rl.ones(n, n)
        turned = square.t()
        table[f"row by square {n}"] = partial(operator.matmul, row, square)
        table[f"row by transposed square {n}"] = partial(operator.matmul, row, turned)
    return table


def seconds(call: Callable[[], object], pause: float, rounds: int) -> list[float]:
    """Return the median times of the first and of the second call after a pause."""
    taken: list[list[float]] = [[], []]
    for _ in range(rounds):
        if pause:
            time.sleep(pause)
        for times in taken:
            start = time.perf_counter()
            call()
            times.append(time.perf_counter() - start)
    return [statistics.median(times) for times in taken]


def main() -> None:
    """Print a line for each op."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--rounds", type=int, default=21)
    options = parser.parse_args()
    heads = "".join(f"{f'{pause * 1e6:.0f} us':>16}" for pause in PAUSES)
    print(f"{'first, second call after a pause of':36}{heads}   one thread, us")
    for name, call in calls().items():
        line = f"{name:36}"
        for pause in PAUSES:
            times = []
            for threads in (1, options.threads):
                rl.set_num_threads(threads)
                call()
                times.append(seconds(call, pause, options.rounds))
            one, several = times
            line += f"{several[0] / one[0]:10.2f}{several[1] / one[1]:6.2f}"
        print(f"{line}   {one[1] * 1e6:10.1f}", flush=True)


if __name__ == "__main__":
    main()
