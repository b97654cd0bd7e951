"""The CPU's speed of attention, forward and with gradients, against PyTorch (where installed).

    .venv/bin/python benches/python/attention.py [--threads N]

All in one run, alternately. Prints the median of the times of each call, in milliseconds, and their ratios.
"""

import argparse
import importlib.util
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import rushlight as rl
from rushlight import functional as F

ROUNDS = 7
# Batch, heads of queries and of keys, queries, keys, size of a head.
SHAPES = {
    "short": (32, 8, 8, 64, 64, 32),
    "usual": (4, 8, 8, 512, 512, 64),
    "long": (1, 4, 4, 2048, 2048, 64),
    "shared": (1, 8, 2, 512, 512, 128),
    "few queries": (8, 8, 8, 1, 1024, 64),
}


def calls(f: Any, make: Callable[[Any], Any]) -> dict[str, Callable[[], Any]]:
    """Return the calls of a library, f its functions: forward, and forward with backward."""
    rng = np.random.default_rng(0)
    all_calls: dict[str, Callable[[], Any]] = {}

    def add(name: str, leaves: list[Any], causal: bool) -> None:
        def forward() -> Any:
            gqa = leaves[0].shape[1] != leaves[1].shape[1]
            return f.scaled_dot_product_attention(*leaves, is_causal=causal, enable_gqa=gqa)

        def with_gradients() -> None:
            for leaf in leaves:
                leaf.requires_grad_(True)
                leaf.grad = None
            out = forward()
            out.backward(out.detach())
            for leaf in leaves:
                leaf.requires_grad_(False)

        all_calls[name] = forward
        all_calls[f"{name}, gradients"] = with_gradients

    for name, (b, h, g, n, m, d) in SHAPES.items():
        shapes = ((b, h, n, d), (b, g, m, d), (b, g, m, d))
        leaves = [make(rng.normal(size=s).astype(np.float32)) for s in shapes]
        add(name, leaves, False)
        if n == m:
            add(f"{name}, causal", leaves, True)
    return all_calls


def main() -> None:
    """Time all calls alternately; print medians, and ratios to PyTorch."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    threads = parser.parse_args().threads
    rl.set_num_threads(threads)
    sides = {"rushlight": calls(F, rl.asarray)}
    if importlib.util.find_spec("torch"):
        import torch

        torch.set_num_threads(threads)
        sides["torch"] = calls(torch.nn.functional, torch.from_numpy)
    times: dict[tuple[str, str], list[float]] = {}
    for _ in range(ROUNDS):
        for side, all_calls in sides.items():
            for name, call in all_calls.items():
                start = time.perf_counter()
                call()
                times.setdefault((name, side), []).append(time.perf_counter() - start)
    print(f"{threads} threads, float32: milliseconds; batch, heads, heads of keys, queries, keys, size:")
    print("  ".join(f"{name} {shape}" for name, shape in SHAPES.items()))
    for name in sides["rushlight"]:
        found = {side: statistics.median(times[name, side]) * 1e3 for side in sides if (name, side) in times}
        ratios = [f"{side} {t:9.2f} ({t / found['rushlight']:.2f}x)" for side, t in found.items()]
        print(f"{name:28}", "  ".join(ratios))


if __name__ == "__main__":
    main()
