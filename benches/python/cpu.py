"""The CPU's speed of elementwise ops, casts, reductions and optimizer steps on one thread, against PyTorch.

    .venv/bin/python benches/python/cpu.py [--rounds N] [--size N] [NAME ..]

All in one run, alternately. Prints the least time of each call, in microseconds, and the ratio of both.
A NAME is a part of a call's name.
"""

import argparse
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.nn import functional as TF

import rushlight as rl
from rushlight import functional as F

Call = Callable[[], Any]


def pairs(n: int) -> dict[str, tuple[Call, Call]]:
    """Return the calls for tensors of about n elements: ours, PyTorch's."""
    rng = np.random.default_rng(0)
    values, others = (rng.normal(size=n).astype(np.float32) for _ in range(2))
    side = math.isqrt(n)
    square = rng.normal(size=(side, side)).astype(np.float32)
    table: dict[str, tuple[Call, Call]] = {}
    x, y, tx, ty = rl.asarray(values), rl.asarray(others), torch.from_numpy(values), torch.from_numpy(others)
    p, tp = rl.abs(x), tx.abs()
    m, tm = rl.asarray(square), torch.from_numpy(square)
    for name in (
        "exp",
        "expm1",
        "tanh",
        "sigmoid",
        "erf",
        "sin",
        "cos",
        "tan",
        "sqrt",
        "abs",
        "relu",
        "square",
        "floor",
    ):
        ours, theirs = getattr(rl, name, None) or getattr(F, name), getattr(torch, name)
        table[name] = (lambda f=ours: f(x)), (lambda f=theirs: f(tx))
    for name in ("log", "log2", "log10", "log1p"):
        ours, theirs = getattr(rl, name), getattr(torch, name)
        table[name] = (lambda f=ours: f(p)), (lambda f=theirs: f(tp))
    table |= {
        "silu": (lambda: F.silu(x), lambda: TF.silu(tx)),
        "gelu": (lambda: F.gelu(x), lambda: TF.gelu(tx)),
        "gelu tanh": (
            lambda: F.gelu(x, approximate="tanh"),
            lambda: TF.gelu(tx, approximate="tanh"),
        ),
        "softplus": (lambda: F.softplus(x), lambda: TF.softplus(tx)),
        "elu": (lambda: F.elu(x), lambda: TF.elu(tx)),
        "pow": (lambda: p**1.7, lambda: tp**1.7),
        "add": (lambda: x + y, lambda: tx + ty),
        "mul": (lambda: x * y, lambda: tx * ty),
        "div": (lambda: x / y, lambda: tx / ty),
        "maximum": (lambda: rl.maximum(x, y), lambda: torch.maximum(tx, ty)),
        "less": (lambda: x < y, lambda: tx < ty),
        "where": (lambda: rl.where(x < y, x, y), lambda: torch.where(tx < ty, tx, ty)),
        "add transposed": (lambda: m + m.T, lambda: tm + tm.T),
        "softmax": (lambda: F.softmax(m, 1), lambda: TF.softmax(tm, 1)),
        "log_softmax": (lambda: F.log_softmax(m, 1), lambda: TF.log_softmax(tm, 1)),
        "sum": (lambda: rl.sum(x), lambda: tx.sum()),
        "sum dim 1": (lambda: rl.sum(m, axis=1), lambda: tm.sum(1)),
        "sum dim 0": (lambda: rl.sum(m, axis=0), lambda: tm.sum(0)),
        "max": (lambda: rl.max(x), lambda: tx.max()),
        "argmax dim 1": (lambda: rl.argmax(m, axis=1), lambda: tm.argmax(1)),
        "layer_norm": (lambda: F.layer_norm(m, (side,)), lambda: TF.layer_norm(tm, (side,))),
    }
    for name, kind, theirs in (("bf16", rl.bfloat16, torch.bfloat16), ("f16", rl.float16, torch.float16)):
        h, th = x.astype(kind), tx.to(theirs)
        table |= {
            f"f32 to {name}": (lambda k=kind: x.astype(k), lambda k=theirs: tx.to(k)),
            f"{name} to f32": (lambda h=h: h.astype(rl.float32), lambda h=th: h.to(torch.float32)),
            f"add {name}": (lambda h=h: h + h, lambda h=th: h + h),
            f"exp {name}": (lambda h=h: rl.exp(h), lambda h=th: torch.exp(h)),
            f"sum {name}": (lambda h=h: rl.sum(h), lambda h=th: h.sum()),
        }
    i, ti = rl.asarray((values * 100).astype(np.int64)), torch.from_numpy((values * 100).astype(np.int64))
    table |= {
        "i64 to f32": (lambda: i.astype(rl.float32), lambda: ti.to(torch.float32)),
        "f32 to i64": (lambda: x.astype(rl.int64), lambda: tx.to(torch.int64)),
    }
    for name, ours, theirs, options in (
        ("sgd", rl.optim.SGD, torch.optim.SGD, {"momentum": 0.9}),
        ("adam", rl.optim.Adam, torch.optim.Adam, {}),
    ):
        w, tw = rl.asarray(values), torch.from_numpy(values.copy())
        w.requires_grad_(True)
        tw.requires_grad_(True)
        w.grad, tw.grad = rl.asarray(others), torch.from_numpy(others)
        table[name] = ours([w], lr=1e-3, **options).step, theirs([tw], lr=1e-3, **options).step
    return table


def main() -> None:
    """Time all calls alternately; print the least times and their ratios."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--size", type=int, default=1 << 20)
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    rl.set_num_threads(1)
    torch.set_num_threads(1)
    table = pairs(args.size)
    chosen = [n for n in table if not args.names or any(part in n for part in args.names)]
    least = dict.fromkeys(((n, s) for n in chosen for s in (0, 1)), math.inf)
    for _ in range(args.rounds):
        for name in chosen:
            for side, call in enumerate(table[name]):
                start = time.perf_counter()
                call()
                least[name, side] = min(least[name, side], time.perf_counter() - start)
    print(f"1 thread, {args.size} elements, f32 where no dtype is named: microseconds, ours / PyTorch's")
    for name in chosen:
        ours, theirs = least[name, 0] * 1e6, least[name, 1] * 1e6
        print(f"{name:16} {ours:9.0f} {theirs:9.0f}  {ours / theirs:6.2f}")
    logs = [math.log(least[n, 0] / least[n, 1]) for n in chosen]
    print(f"geometric mean {math.exp(sum(logs) / len(logs)):.2f}")


if __name__ == "__main__":
    main()
