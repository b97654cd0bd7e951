"""Time an eager op from Python: one element added, against NumPy and (where installed) PyTorch.

    .venv/bin/python benches/python/dispatch.py [--check]

The libraries are timed alternately in one run. On "rocm:0" the script times how long it takes to issue the
op; the virtual GPU also runs the op, on the host. `--check` ends with an error if an op takes 3 microseconds
or more on the CPU.
"""

import argparse
import importlib.util
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

import rushlight as rl

ROUNDS = 41
CALLS = 2000
MOST = 3000.0


def ours(device: str) -> dict[str, Callable[[], object]]:
    """Return calls on a device: an untracked add, a tracked one, and one with a number."""
    a, b = rl.ones((1,), device=device), rl.ones((1,), device=device)
    v = rl.ones((1,), device=device).requires_grad_()
    name = f"rushlight, {device}"
    return {name: lambda: a + b, f"{name}, tracked": lambda: v + b, f"{name}, + 1.0": lambda: a + 1.0}


def peers() -> dict[str, Callable[[], object]]:
    """Return the peers' calls."""
    x, y = np.ones(1, np.float32), np.ones(1, np.float32)
    calls: dict[str, Callable[[], object]] = {"numpy": lambda: x + y}
    if importlib.util.find_spec("torch"):
        import torch

        a, b = torch.ones(1), torch.ones(1)
        v = torch.ones(1, requires_grad=True)
        calls |= {"torch": lambda: a + b, "torch, tracked": lambda: v + b, "torch, + 1.0": lambda: a + 1.0}
    return calls


def nanoseconds(call: Callable[[], object]) -> float:
    """Return the processor time of a call, which other work of the machine does not lengthen."""
    start = time.thread_time_ns()
    for _ in range(CALLS):
        call()
    return (time.thread_time_ns() - start) / CALLS


def main() -> int:
    """Time all calls alternately; print medians, and ratios to each peer."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    calls = ours("cpu")
    if rl.rocm.is_available():
        print(rl.rocm.device_name(0))
        calls |= ours("rocm:0")
    others = peers()
    times: dict[str, list[float]] = {name: [] for name in calls | others}
    for _ in range(ROUNDS):
        for name, call in (calls | others).items():
            times[name].append(nanoseconds(call))
    median = {name: statistics.median(t) for name, t in times.items()}
    for name, t in median.items():
        ratios = [f"{t / median[o]:.2f} x {o}" for o in others if name in calls]
        print(f"{name:28} {t:8.0f} ns   {'  '.join(ratios)}")
    slow = [name for name in calls if "cpu" in name and median[name] >= MOST]
    if slow:
        print(f"{MOST:.0f} ns or more: {', '.join(slow)}")
    return int(check and bool(slow))


if __name__ == "__main__":
    sys.exit(main())
