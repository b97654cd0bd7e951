"""The CPU's speed of elementwise ops, casts, reductions and optimizer steps, against PyTorch."""

import argparse
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import timing

import rushlight as rl

UNARY = (
    "exp",
    "expm1",
    "tanh",
    "sigmoid",
    "erf",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "asinh",
    "sqrt",
    "rsqrt",
    "abs",
    "square",
    "floor",
    "round",
    "sign",
)
OF_POSITIVE = ("log", "log2", "log10", "log1p", "acosh")
BINARY = ("add", "sub", "mul", "div", "maximum", "minimum", "atan2", "remainder", "less", "eq", "logical_and")


def calls(lib: Any, make: Callable[[Any], Any], n: int) -> dict[str, timing.Call]:
    """Return the calls of a library, with the same words for each, on tensors of about n elements."""
    f = lib.nn.functional
    rng = np.random.default_rng(0)
    side = math.isqrt(n)
    values, others = (rng.normal(size=n).astype(np.float32) for _ in range(2))
    square = rng.normal(size=(side, side)).astype(np.float32)
    x, y, m, p = make(values), make(others), make(square), make(np.abs(values) + 1)
    small = make(np.clip(values / 4, -1, 1))
    table: dict[str, timing.Call] = {}
    for name in UNARY:
        function, of = getattr(lib, name), small if name in ("asin", "acos") else x
        table[name] = lambda g=function, of=of: g(of)
    for name in OF_POSITIVE:
        function = getattr(lib, name)
        table[name] = lambda g=function: g(p)
    for name in BINARY:
        function = getattr(lib, name)
        table[name] = lambda g=function: g(x, y)
    table |= {
        "pow": lambda: p**1.7,
        "pow of tensors": lambda: lib.pow(p, y),
        "add of a number": lambda: x + 1.5,
        "where": lambda: lib.where(x < y, x, y),
        "add transposed": lambda: m + m.T,
        "softmax": lambda: f.softmax(m, 1),
        "log_softmax": lambda: f.log_softmax(m, 1),
        "softmax, dim 0": lambda: f.softmax(m, 0),
        "sum": lambda: x.sum(),
        "sum, dim 1": lambda: m.sum(1),
        "sum, dim 0": lambda: m.sum(0),
        "mean, dim 1": lambda: m.mean(1),
        "var, dim 1": lambda: m.var(1),
        "max": lambda: x.max(),
        "max, dim 1": lambda: m.max(1),
        "argmax, dim 1": lambda: m.argmax(1),
        "cumsum, dim 1": lambda: m.cumsum(1),
    }
    for name in ("bfloat16", "float16", "float64"):
        dtype = getattr(lib, name)
        h = x.to(dtype)
        k = h[: side * side].reshape(side, side)
        table |= {
            f"float32 to {name}": lambda dtype=dtype: x.to(dtype),
            f"{name} to float32": lambda h=h: h.to(lib.float32),
            f"add {name}": lambda h=h: h + h,
            f"exp {name}": lambda h=h: lib.exp(h),
            f"tanh {name}": lambda h=h: lib.tanh(h),
            f"sum {name}": lambda h=h: h.sum(),
            f"softmax {name}": lambda k=k: f.softmax(k, 1),
        }
    i = make((values * 100).astype(np.int64))
    table |= {
        "int64 to float32": lambda: i.to(lib.float32),
        "float32 to int64": lambda: x.to(lib.int64),
        "add int64": lambda: i + i,
        "sum int64": lambda: i.sum(),
    }
    return table


def sides(options: argparse.Namespace) -> timing.Sides:
    """Return the calls of both libraries."""
    found = {timing.OURS: calls(rl, rl.asarray, options.size)}
    if torch := timing.torch_or_none():
        found["torch"] = calls(torch, torch.from_numpy, options.size)
    return found


if __name__ == "__main__":
    timing.main(__doc__, sides)
