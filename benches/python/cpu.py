"""The CPU's speed of elementwise ops, casts, scans and reductions for all dtypes, against PyTorch."""

import argparse
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import timing

import rushlight as rl

FLOATS = ("float32", "float64", "bfloat16", "float16")
INTEGERS = ("int64", "int32", "int16", "int8", "uint8")
NUMBERS = FLOATS + INTEGERS
ALL = (*NUMBERS, "bool")

# Functions of one tensor by the dtypes that they are timed for.
ELEMENTARY = ["exp", "expm1", "sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "asinh", "erf", "sigmoid"]
OF_POSITIVE = ["log", "log2", "log10", "log1p", "sqrt", "rsqrt", "acosh"]
WITHIN_ONE = ["asin", "acos", "atanh"]
ACTIVATIONS = ["relu", "silu", "gelu", "softplus", "elu"]
ROUNDING = ["floor", "ceil", "trunc", "round", "frac", "reciprocal"]
TESTS = ["isnan", "isinf", "isfinite"]
OF_NUMBERS = ["abs", "neg", "sign", "square"]
BINARY = ["add", "sub", "mul", "maximum", "minimum"]
DIVISIONS = ["div", "floor_divide", "remainder"]
COMPARISONS = ["eq", "less", "less_equal"]
LOGIC = ["logical_and", "logical_or", "logical_xor"]
BITS = ["bitwise_and", "bitwise_or", "bitwise_xor"]
REDUCTIONS = ["sum", "prod", "amax", "amin", "argmax", "any"]
ALONG = ["sum", "mean", "amax", "argmax", "any"]
# Less usual functions are timed for the dtypes that the loops are compiled for.
MAIN_FLOATS = ("float32", "float64")


class Tensors:
    """The tensors of a library, by their kind and dtype."""

    def __init__(self, lib: Any, make: Callable[[Any], Any], n: int) -> None:
        rng = np.random.default_rng(0)
        self.lib, self.make, self.n, self.side = lib, make, n, math.isqrt(n)
        self.normal = rng.normal(size=(2, n))
        self.known: dict[tuple[str, str], Any] = {}

    def __call__(self, kind: str, dtype: str) -> Any:
        """Return a vector: `x` or `y` (without zeros), `positive` or `small` (within one)."""
        if (kind, dtype) not in self.known:
            values = self.normal[0]
            if dtype in ALL[4:]:
                values = np.trunc(values * 30)
            if kind == "y":
                values = self.normal[1]
                values = values if dtype in FLOATS else np.trunc(np.abs(values * 20)) + 1
            elif kind == "positive":
                values = np.abs(values) + 1
            elif kind == "small":
                values = np.clip(values / 4, -0.99, 0.99)
            source = values.astype(np.int64 if dtype in ALL[4:] else np.float64)
            self.known[kind, dtype] = self.make(source).to(getattr(self.lib, dtype))
        return self.known[kind, dtype]

    def matrix(self, dtype: str) -> Any:
        """Return a square matrix of about n elements."""
        return self("x", dtype)[: self.side * self.side].reshape(self.side, self.side)


def unary(lib: Any, of: Tensors) -> dict[str, timing.Call]:
    """Return the calls of functions of one tensor."""
    f = lib.nn.functional
    table: dict[str, timing.Call] = {}

    def row(name: str, dtype: str, kind: str = "x", module: Any = lib) -> None:
        x, function = of(kind, dtype), getattr(module, name)
        table[f"{name} {dtype}"] = lambda: function(x)

    for dtype in MAIN_FLOATS:
        for name in ELEMENTARY:
            row(name, dtype)
        for name in OF_POSITIVE:
            row(name, dtype, "positive")
        for name in WITHIN_ONE:
            row(name, dtype, "small")
        for name in ACTIVATIONS:
            row(name, dtype, module=f)
        for name in ROUNDING + TESTS:
            row(name, dtype)
        table[f"gelu, tanh {dtype}"] = partial(f.gelu, of("x", dtype), approximate="tanh")
        table[f"pow of a number {dtype}"] = partial(lib.pow, of("positive", dtype), 1.7)
    for dtype in FLOATS[2:]:
        for name in ["exp", "tanh", "sigmoid", "floor", "isnan"]:
            row(name, dtype)
        for name in ["log", "sqrt"]:
            row(name, dtype, "positive")
        for name in ["relu", "silu", "gelu"]:
            row(name, dtype, module=f)
    for dtype in NUMBERS:
        for name in OF_NUMBERS:
            if not (dtype == "uint8" and name == "neg"):
                row(name, dtype)
    for dtype in ("float32", "int32", "uint8", "bool"):
        row("logical_not", dtype)
    return table


def binary(lib: Any, of: Tensors) -> dict[str, timing.Call]:
    """Return the calls of functions of two or three tensors, or of a tensor and a number."""
    table: dict[str, timing.Call] = {}

    def row(name: str, dtype: str, kind: str = "x") -> None:
        x, y, function = of(kind, dtype), of("y", dtype), getattr(lib, name)
        table[f"{name} {dtype}"] = lambda: function(x, y)

    for dtype in NUMBERS:
        for name in BINARY + COMPARISONS:
            row(name, dtype)
        table[f"add of a number {dtype}"] = partial(lib.add, of("x", dtype), 2)
    for dtype in (*FLOATS, "int64", "int32"):
        for name in DIVISIONS:
            row(name, dtype)
    for dtype in FLOATS:
        for name in ["atan2", "hypot"]:
            row(name, dtype)
        row("pow", dtype, "positive")
    for dtype in (*FLOATS, "int64", "int32", "uint8", "bool"):
        for name in LOGIC:
            row(name, dtype)
    for dtype in ("int64", "int32", "int8", "bool"):
        for name in BITS:
            row(name, dtype)
    for dtype in ("float32", "float64", "bfloat16", "int64", "uint8"):
        x, y, m = of("x", dtype), of("y", dtype), of.matrix(dtype)
        mask = x < y
        table |= {
            f"where {dtype}": lambda mask=mask, x=x, y=y: lib.where(mask, x, y),
            f"clamp {dtype}": lambda x=x: lib.clamp(x, 0, 1),
            f"add transposed {dtype}": lambda m=m: m + m.T,
            f"add of a row {dtype}": lambda m=m: m + m[0],
        }
    return table


def casts(lib: Any, of: Tensors) -> dict[str, timing.Call]:
    """Return the calls of casts between all dtypes."""
    return {
        f"{source} to {target}": partial(of("x", source).to, getattr(lib, target))
        for source in ALL
        for target in ALL
        if source != target
    }


def reductions(lib: Any, of: Tensors) -> dict[str, timing.Call]:
    """Return the calls of reductions, scans and softmax."""
    f = lib.nn.functional
    table: dict[str, timing.Call] = {}
    for dtype in ALL:
        x, m = of("x", dtype), of.matrix(dtype)
        for name in REDUCTIONS:
            if dtype == "bool" and name in ("prod", "argmax"):
                continue
            table[f"{name} of all {dtype}"] = partial(getattr(lib, name), x)
        if dtype != "bool":
            table[f"cumsum, dim 1 {dtype}"] = lambda m=m: m.cumsum(1)
            table[f"cumsum, dim 0 {dtype}"] = lambda m=m: m.cumsum(0)
        for name in ALONG:
            if (name == "mean" and dtype not in FLOATS) or (name == "argmax" and dtype == "bool"):
                continue
            for dim in (1, 0):
                table[f"{name}, dim {dim} {dtype}"] = partial(getattr(lib, name), m, dim)
    for dtype in FLOATS:
        x, m = of("x", dtype), of.matrix(dtype)
        table |= {
            f"mean of all {dtype}": lambda x=x: x.mean(),
            f"norm of all {dtype}": lambda x=x: lib.norm(x),
            f"var, dim 1 {dtype}": lambda m=m: m.var(1),
            f"logsumexp, dim 1 {dtype}": lambda m=m: lib.logsumexp(m, 1),
            f"softmax, dim 1 {dtype}": lambda m=m: f.softmax(m, 1),
            f"softmax, dim 0 {dtype}": lambda m=m: f.softmax(m, 0),
            f"log_softmax, dim 1 {dtype}": lambda m=m: f.log_softmax(m, 1),
        }
    return table


def calls(lib: Any, make: Callable[[Any], Any], n: int) -> dict[str, timing.Call]:
    """Return the calls of a library, with the same words for each, on tensors of about n elements."""
    of = Tensors(lib, make, n)
    return unary(lib, of) | binary(lib, of) | casts(lib, of) | reductions(lib, of)


def sides(options: argparse.Namespace) -> timing.Sides:
    """Return the calls of both libraries."""
    found = {timing.OURS: calls(rl, rl.asarray, options.size)}
    if torch := timing.torch_or_none():
        found["torch"] = calls(torch, torch.from_numpy, options.size)
    return found


if __name__ == "__main__":
    timing.main(__doc__, sides)
