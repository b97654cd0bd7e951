"""The CPU's speed of recurrent layers and fused functions, forward and with gradients, against PyTorch."""

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
import timing

import rushlight as rl

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


def sides(_: argparse.Namespace) -> timing.Sides:
    """Return the calls of both libraries."""
    found = {timing.OURS: calls(rl, rl.asarray)}
    if torch := timing.torch_or_none():
        found["torch"] = calls(torch, torch.from_numpy)
    return found


if __name__ == "__main__":
    timing.main(__doc__, sides)
