"""The CPU's speed of attention, forward and with gradients, against PyTorch (where installed)."""

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
import timing

import rushlight as rl
from rushlight import functional as F

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

    for kind, (b, h, g, n, m, d) in SHAPES.items():
        name = f"{kind}: {b} x {h} heads ({g} of keys), {n} queries, {m} keys of {d}"
        shapes = ((b, h, n, d), (b, g, m, d), (b, g, m, d))
        leaves = [make(rng.normal(size=s).astype(np.float32)) for s in shapes]
        add(name, leaves, False)
        if n == m:
            add(f"{name}, causal", leaves, True)
    return all_calls


def sides(_: argparse.Namespace) -> timing.Sides:
    """Return the calls of both libraries."""
    found = {timing.OURS: calls(F, rl.asarray)}
    if torch := timing.torch_or_none():
        found["torch"] = calls(torch.nn.functional, torch.from_numpy)
    return found


if __name__ == "__main__":
    timing.main(__doc__, sides)
