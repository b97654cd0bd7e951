"""The results of NumPy and PyTorch for an op, in float64 (integers keep their dtype)."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from .case import Case

Values = list[list[float]]
Function = Callable[..., Any]


def _reduce(name: str) -> Function:
    def call(xp: Any, a: dict[str, Any], x: Any) -> Any:
        axes, keep = tuple(a["axes"]), a["keepdim"]
        if xp.__name__ == "numpy":
            return getattr(xp, name)(x, axis=axes, keepdims=keep)
        if name in ("sum", "mean", "amin", "amax"):
            return getattr(xp, name)(x, dim=axes, keepdim=keep) if axes else x
        # PyTorch's other reductions take one axis only.
        for axis in reversed(axes):
            x = getattr(xp, name)(x, axis, keepdim=keep)
        return x

    return call


def _softmax(log: bool) -> Function:
    def call(xp: Any, a: dict[str, Any], x: Any) -> Any:
        dim = a["dim"]
        if xp.__name__ == "torch":
            return xp.log_softmax(x, dim) if log else xp.softmax(x, dim)
        if x.shape[dim] == 0:
            return x
        shifted = x - x.max(axis=dim, keepdims=True)
        total = xp.exp(shifted).sum(axis=dim, keepdims=True)
        return shifted - xp.log(total) if log else xp.exp(shifted) / total

    return call


EXPRESSIONS: dict[str, Function] = {
    "relu": lambda xp, a, x: xp.where(x < 0, xp.zeros_like(x), x),
    "relu_squared": lambda xp, a, x: xp.where(x < 0, xp.zeros_like(x), x) ** 2,
    "sigmoid": lambda xp, a, x: 1 / (1 + xp.exp(-x)),
    "silu": lambda xp, a, x: x / (1 + xp.exp(-x)),
    "rsqrt": lambda xp, a, x: 1 / xp.sqrt(x),
    "frac": lambda xp, a, x: x - xp.trunc(x),
    "div": lambda xp, a, x, y: x / y,
    "pow": lambda xp, a, x, y: x**y,
    "powf": lambda xp, a, x: x ** a["exponent"],
    "sum": _reduce("sum"),
    "mean": _reduce("mean"),
    "prod": _reduce("prod"),
    "min": _reduce("amin"),
    "max": _reduce("amax"),
    "softplus": lambda xp, a, x: xp.where(
        x * a["beta"] > a["threshold"], x, xp.logaddexp(x * a["beta"], xp.zeros_like(x)) / a["beta"]
    ),
    "softmax": _softmax(log=False),
    "log_softmax": _softmax(log=True),
    "where_cond": lambda xp, a, c, x, y: xp.where(c != 0, x, y),
    "copy": lambda xp, a, x: x,
}
"""Expressions of the ops whose definitions say that there is one (``Reference::Expression``)."""


# Ops on complex numbers for which libraries choose other formulas.
_ROUNDED_BY_PARTS = ("abs", "div", "mean", "mul", "prod", "reciprocal", "square", "sum")


def values(suite: Any, case: Case, against: str) -> Values | str:
    """Return the outputs of NumPy or PyTorch for a case, or the reason why there are none."""
    if case.run != "forward":
        return f"{against} is asked for results only, not for a {case.run}"
    if case.name.endswith(("/hard", "/peaks")):
        return f"{against} has other rules for hard numbers"
    reference = suite.reference(case.index)
    if reference["kind"] == "none":
        return f"{against} has no function for {case.op} here: {reference['reason']}"
    if reference["floats_only"] and case.dtype not in ("bf16", "f16", "f32", "f64"):
        return f"{against} promotes integers of {case.op} otherwise"
    if case.op in _ROUNDED_BY_PARTS and case.dtype in ("c64", "c128"):
        return f"{against} rounds the parts of complex numbers otherwise"
    try:
        xp = importlib.import_module(against)
        numpy = importlib.import_module("numpy")
    except ImportError as e:
        return f"{e}"
    arrays = []
    for t in suite.inputs(case.index):
        wide = t.to("float64") if t.dtype.is_floating_point else t
        array = numpy.array(wide.tolist(), dtype=wide.dtype.name).reshape(tuple(t.shape))
        arrays.append(array if against == "numpy" else xp.from_numpy(array))
    a = suite.attributes(case.index)
    try:
        with numpy.errstate(all="ignore"):
            if reference["kind"] == "expression":
                out = EXPRESSIONS[case.op](xp, a, *arrays)
            else:
                out = getattr(xp, reference[against])(*arrays)
        out = numpy.asarray(out)
    except Exception as e:
        return f"{against} refuses: {type(e).__name__}: {e}"
    if numpy.iscomplexobj(out):
        # A complex element becomes its real and its imaginary part, one after the other.
        out = numpy.stack([out.real, out.imag], axis=-1)
    return [[float(v) for v in out.reshape(-1)]]
