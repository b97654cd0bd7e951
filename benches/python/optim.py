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


def layerwise(torch: Any, kind: str, params: list[Any]) -> Callable[[], None]:
    """Return a step of LARS or LAMB that is composed of PyTorch's functions of lists; with our defaults."""
    # (PyTorch's names for these functions are private; its own optimizers consist of them.)
    f = {name: getattr(torch, f"_foreach_{name}") for name in ("norm", "mul", "div", "add", "sqrt")}
    change = {name: getattr(torch, f"_foreach_{name}_") for name in ("mul", "add", "div", "lerp", "addcmul")}
    values, grads = [p.detach() for p in params], [p.grad for p in params]
    zeros = [torch.zeros_like(p) for p in values]
    first, second, step = zeros, [torch.zeros_like(p) for p in values], 0

    def ratios(lengths: Any, others: Any, scale: float, eps: float) -> list[Any]:
        found = f["div"](f["mul"](lengths, scale), f["add"](others, eps))
        whole = zip(lengths, others, found, strict=True)
        return [torch.where((a > 0) & (b > 0), r, 1.0) for a, b, r in whole]

    def lars() -> None:
        rates = ratios(f["norm"](values), f["norm"](grads), 1e-3, 1e-8)
        change["mul"](first, 0.9)
        change["add"](first, f["mul"](grads, rates))
        change["add"](values, first, alpha=-0.1)

    def lamb() -> None:
        nonlocal step
        step += 1
        change["lerp"](first, grads, 0.1)
        change["mul"](second, 0.999)
        change["addcmul"](second, grads, grads, 0.001)
        below = f["sqrt"](second)
        change["div"](below, math.sqrt(1 - 0.999**step))
        change["add"](below, 1e-6)
        update = f["div"](f["div"](first, 1 - 0.9**step), below)
        change["mul"](update, ratios(f["norm"](values), f["norm"](update), 1.0, 0.0))
        change["add"](values, update, alpha=-1e-3)

    return lars if kind == "LARS" else lamb


def steps(library: Any, make: Callable[[Any], Any], limits: Any) -> dict[str, Callable[[], Any]]:
    """Return the steps of a library, and its limits of gradients, functions of `limits`."""
    rng = np.random.default_rng(0)
    out: dict[str, Callable[[], Any]] = {}
    norm, value = limits.clip_grad_norm_, limits.clip_grad_value_
    for label, sizes in SIZES.items():
        params: list[Any] = []
        for name, (kind, settings) in KINDS.items():
            composed = not hasattr(library.optim, kind)
            if composed and kind not in ("LARS", "LAMB"):
                continue
            params = [make(rng.normal(size=n).astype(np.float32)).requires_grad_() for n in sizes]
            for param in params:
                param.grad = make(rng.normal(size=len(param)).astype(np.float32))
            if composed:
                out[f"{name}, {label}"] = layerwise(library, kind, params)
            else:
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
