"""The CPU's speed of optimizers' steps over many small and a few large parameters, against PyTorch.

    .venv/bin/python benches/python/optim.py [--threads N] [NAME ..]

All steps and limits of gradients, or the steps that are named, in one run, alternately. Prints the median of
the times of each step, in microseconds, and their ratios.
"""

import argparse
import importlib.util
import math
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import rushlight as rl

ROUNDS = 15
SIZES = {
    "200 of 1,000": [1000] * 200,
    "100 of 10,000": [10_000] * 100,
    "4 of 1,000,000": [1_000_000] * 4,
}
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "SGD": ("SGD", {"lr": 1e-3}),
    "SGD, momentum": ("SGD", {"lr": 1e-3, "momentum": 0.9}),
    "Adam": ("Adam", {}),
    "AdamW": ("AdamW", {}),
    "RMSprop": ("RMSprop", {}),
    "Adagrad": ("Adagrad", {}),
    "Adam, amsgrad": ("Adam", {"amsgrad": True}),
    "Adamax": ("Adamax", {}),
    "NAdam": ("NAdam", {}),
    "RAdam": ("RAdam", {}),
    "Adadelta": ("Adadelta", {}),
    "Rprop": ("Rprop", {}),
    "ASGD": ("ASGD", {}),
    "Lion": ("Lion", {}),
    "LARS": ("LARS", {}),
    "LAMB": ("LAMB", {}),
    "Adafactor": ("Adafactor", {}),
}


def steps(
    library: Any, make: Callable[[Any], Any], limits: Any, names: list[str]
) -> dict[str, Callable[[], Any]]:
    """Return a library's steps and limits of gradients, functions of `limits`; or the steps `names`."""
    rng = np.random.default_rng(0)
    out: dict[str, Callable[[], Any]] = {}
    norm, value = limits.clip_grad_norm_, limits.clip_grad_value_
    for label, sizes in SIZES.items():
        params: list[Any] = []
        for name, (kind, settings) in KINDS.items():
            if not hasattr(library.optim, kind) or (names and name not in names):
                continue
            params = [make(rng.normal(size=n).astype(np.float32)).requires_grad_() for n in sizes]
            for param in params:
                param.grad = make(rng.normal(size=len(param)).astype(np.float32))
            out[f"{name}, {label}"] = getattr(library.optim, kind)(params, **settings).step
        if not names:
            out[f"clip_grad_norm_, {label}"] = lambda params=params: norm(params, 1.0)
            out[f"clip_grad_norm_ inf, {label}"] = lambda params=params: norm(params, 1.0, math.inf)
            out[f"clip_grad_value_, {label}"] = lambda params=params: value(params, 0.5)
    return out


def main() -> None:
    """Time all steps alternately; print medians, and ratios to PyTorch."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"a step: {', '.join(KINDS)}")
    arguments = parser.parse_args()
    threads, names = arguments.threads, arguments.names
    if unknown := [name for name in names if name not in KINDS]:
        parser.error(f"unknown steps {', '.join(unknown)}")
    rl.set_num_threads(threads)
    sides = {"rushlight": steps(rl, rl.asarray, rl.nn.utils, names)}
    if importlib.util.find_spec("torch"):
        import torch

        torch.set_num_threads(threads)
        sides["torch"] = steps(torch, torch.from_numpy, torch.nn.utils, names)
    times: dict[tuple[str, str], list[float]] = {}
    for _ in range(ROUNDS):
        for side, calls in sides.items():
            for name, call in calls.items():
                start = time.perf_counter()
                call()
                times.setdefault((side, name), []).append(time.perf_counter() - start)
    for name in sides["rushlight"]:
        ours = statistics.median(times["rushlight", name]) * 1e6
        line = f"{name:34}{ours:12.0f} us"
        if ("torch", name) in times:
            theirs = statistics.median(times["torch", name]) * 1e6
            line += f"   torch {theirs:10.0f} us   {ours / theirs:6.2f}"
        print(line)


if __name__ == "__main__":
    main()
