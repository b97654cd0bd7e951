"""The CPU's speed of optimizers' steps over many small and a few large parameters, against PyTorch."""

import argparse
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import timing

import rushlight as rl

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


def steps(library: Any, make: Callable[[Any], Any], limits: Any) -> dict[str, Callable[[], Any]]:
    """Return the steps of a library, and its limits of gradients, functions of `limits`."""
    rng = np.random.default_rng(0)
    out: dict[str, Callable[[], Any]] = {}
    norm, value = limits.clip_grad_norm_, limits.clip_grad_value_
    for label, sizes in SIZES.items():
        params: list[Any] = []
        for name, (kind, settings) in KINDS.items():
            if not hasattr(library.optim, kind):
                continue
            params = [make(rng.normal(size=n).astype(np.float32)).requires_grad_() for n in sizes]
            for param in params:
                param.grad = make(rng.normal(size=len(param)).astype(np.float32))
            out[f"{name}, {label}"] = getattr(library.optim, kind)(params, **settings).step
        out[f"clip_grad_norm_, {label}"] = lambda params=params: norm(params, 1.0)
        out[f"clip_grad_norm_ inf, {label}"] = lambda params=params: norm(params, 1.0, math.inf)
        out[f"clip_grad_value_, {label}"] = lambda params=params: value(params, 0.5)
    return out


def sides(_: argparse.Namespace) -> timing.Sides:
    """Return the steps of both libraries."""
    found = {timing.OURS: steps(rl, rl.asarray, rl.nn.utils)}
    if torch := timing.torch_or_none():
        found["torch"] = steps(torch, torch.from_numpy, torch.nn.utils)
    return found


if __name__ == "__main__":
    timing.main(__doc__, sides)
