"""The CPU's speed of recurrent layers and fused functions, forward and with gradients, against PyTorch.

    .venv/bin/python benches/python/recurrent.py [--threads N]

All in one run, alternately. Prints the median of the times of each call, in microseconds, and their ratios.
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

ROUNDS = 7
# Steps, batch, input and hidden size.
SIZES = {"small": (32, 8, 32, 64), "large": (64, 32, 256, 256)}


def calls(lib: Any, make: Callable[[Any], Any]) -> dict[str, Callable[[], Any]]:
    """Return the calls of a library: forward without gradients, and forward with backward of a sum."""
    rng, found = np.random.default_rng(0), {}
    for size, (steps, batch, inputs, hidden) in SIZES.items():
        x = make(rng.normal(size=(steps, batch, inputs)).astype(np.float32))
        for kind in ("RNN", "LSTM", "GRU"):
            layer = getattr(lib.nn, kind)(inputs, hidden)

            def forward(layer: Any = layer, x: Any = x) -> None:
                with lib.no_grad():
                    layer(x)

            def both(layer: Any = layer, x: Any = x) -> None:
                layer.zero_grad()
                layer(x)[0].sum().backward()

            found[f"{kind} {size}"], found[f"{kind} {size}, gradients"] = forward, both
    f = lib.nn.functional
    y, bias = (make(rng.normal(size=s).astype(np.float32)) for s in ((1024, 1024), (1024,)))
    for name in ("relu", "gelu", "sigmoid", "silu", "tanh"):
        if lib is rl:
            found[f"bias + {name}"] = lambda name=name: f.bias_activation(y, bias, name)
        else:
            found[f"bias + {name}"] = lambda name=name: getattr(f, name)(y + bias)
    return found


def main() -> None:
    """Time all calls alternately; print medians, and ratios to PyTorch."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    threads = parser.parse_args().threads
    rl.set_num_threads(threads)
    sides = {"rushlight": calls(rl, rl.asarray)}
    if importlib.util.find_spec("torch"):
        import torch

        torch.set_num_threads(threads)
        sides["torch"] = calls(torch, torch.from_numpy)
    times: dict[tuple[str, str], list[float]] = {}
    for _ in range(ROUNDS):
        for side, all_calls in sides.items():
            for name, call in all_calls.items():
                start = time.perf_counter()
                call()
                times.setdefault((name, side), []).append(time.perf_counter() - start)
    print(f"{threads} threads, float32: microseconds")
    for name in sides["rushlight"]:
        found = {side: statistics.median(times[name, side]) * 1e6 for side in sides}
        ratios = [f"{side} {t:9.0f} ({t / found['rushlight']:.2f}x)" for side, t in found.items()]
        print(f"{name:26}", "  ".join(ratios))


if __name__ == "__main__":
    main()
