"""Methods whose names end with ``_``: they replace the tensor's elements by the result of another method.

One function makes all of them from one table. They write as ``copy_`` and ``x += y`` do: into the tensor's
memory, or, if gradients are recorded, as a new node of the gradient graph.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

from .._native import Tensor

__all__ = ["IN_PLACE", "method"]

# Arguments of the example, by the name of the method that computes the elements.
_EXAMPLES = {
    "abs": "",
    "conj_physical": "",
    "absolute": "",
    "acos": "",
    "add": "1.0",
    "addbmm": "rl.ones((1, 2, 3)), rl.ones((1, 3, 2))",
    "addcdiv": "rl.ones(2), rl.ones(2), value=2.0",
    "addcmul": "rl.ones(2), rl.ones(2), value=2.0",
    "addmm": "rl.ones((2, 3)), rl.ones((3, 2))",
    "addmv": "rl.ones((2, 3)), rl.ones(3)",
    "addr": "rl.ones(2), rl.ones(2)",
    "arccos": "",
    "arcsin": "",
    "arcsinh": "",
    "arctan": "",
    "arctan2": "rl.ones(2)",
    "arctanh": "",
    "asin": "",
    "asinh": "",
    "atan": "",
    "atan2": "rl.ones(2)",
    "atanh": "",
    "baddbmm": "rl.ones((1, 2, 3)), rl.ones((1, 3, 2))",
    "ceil": "",
    "clamp": "0.0, 0.3",
    "clamp_max": "0.3",
    "clamp_min": "0.3",
    "clip": "0.0, 0.3",
    "copysign": "-1.0",
    "cos": "",
    "cosh": "",
    "cumprod": "0",
    "cumsum": "0",
    "deg2rad": "",
    "digamma": "",
    "div": "2.0",
    "divide": "2.0",
    "eq": "0.5",
    "erf": "",
    "erfc": "",
    "erfinv": "",
    "exp": "",
    "exp2": "",
    "expm1": "",
    "fix": "",
    "float_power": "2.0",
    "floor": "",
    "floor_divide": "2.0",
    "fmod": "2.0",
    "frac": "",
    "gcd": "rl.tensor([4, 9])",
    "ge": "0.5",
    "greater": "0.5",
    "greater_equal": "0.5",
    "gt": "0.5",
    "heaviside": "rl.ones(2)",
    "hypot": "rl.ones(2)",
    "i0": "",
    "index_add": "0, rl.tensor([1]), rl.tensor([2.0])",
    "index_copy": "0, rl.tensor([1]), rl.tensor([2.0])",
    "index_fill": "0, rl.tensor([1]), 2.0",
    "index_put": "(rl.tensor([1]),), rl.tensor([2.0])",
    "index_reduce": '0, rl.tensor([1]), rl.tensor([2.0]), "amax"',
    "lcm": "rl.tensor([4, 9])",
    "ldexp": "1.0",
    "le": "0.5",
    "lerp": "rl.ones(2), 0.5",
    "less": "0.5",
    "less_equal": "0.5",
    "lgamma": "",
    "log": "",
    "log10": "",
    "log1p": "",
    "log2": "",
    "logical_and": "rl.zeros(2)",
    "logical_not": "",
    "logical_or": "rl.zeros(2)",
    "logical_xor": "rl.zeros(2)",
    "logit": "",
    "lt": "0.5",
    "masked_fill": "rl.tensor([True, False]), 0.0",
    "masked_scatter": "rl.tensor([True, False]), rl.zeros(1)",
    "mul": "2.0",
    "multiply": "2.0",
    "mvlgamma": "2",
    "nan_to_num": "",
    "ne": "0.5",
    "neg": "",
    "negative": "",
    "nextafter": "1.0",
    "not_equal": "0.5",
    "polygamma": "1",
    "pow": "2.0",
    "put": "rl.tensor([1]), rl.tensor([2.0])",
    "rad2deg": "",
    "reciprocal": "",
    "relu": "",
    "remainder": "2.0",
    "renorm": "2.0, 0, 1.0",
    "round": "",
    "rsqrt": "",
    "scatter": "0, rl.tensor([1]), 2.0",
    "scatter_add": "0, rl.tensor([1]), rl.tensor([2.0])",
    "scatter_reduce": '0, rl.tensor([1]), rl.tensor([2.0]), "amax"',
    "sgn": "",
    "sigmoid": "",
    "sign": "",
    "sin": "",
    "sinc": "",
    "sinh": "",
    "sqrt": "",
    "square": "",
    "sub": "1.0",
    "subtract": "1.0",
    "tan": "",
    "tanh": "",
    "true_divide": "2.0",
    "trunc": "",
    "xlogy": "rl.ones(2)",
}
# The tensor in the example, for methods that need another one than the usual.
_TENSORS = {
    "acosh": "[1.5, 2.0]",
    "conj_physical": "[1 + 2j]",
    "bitwise_and": "[1, 2]",
    "mvlgamma": "[1.5, 2.0]",
    "bitwise_or": "[1, 2]",
    "bitwise_xor": "[1, 2]",
    "addbmm": "[[1.0, 2.0], [3.0, 4.0]]",
    "addmm": "[[1.0, 2.0], [3.0, 4.0]]",
    "addr": "[[1.0, 2.0], [3.0, 4.0]]",
    "arccosh": "[1.5, 2.0]",
    "baddbmm": "[[[1.0, 2.0], [3.0, 4.0]]]",
    "bitwise_left_shift": "[1, 2]",
    "bitwise_not": "[1, 2]",
    "gcd": "[6, 6]",
    "lcm": "[6, 6]",
    "bitwise_right_shift": "[1, 2]",
    "renorm": "[[1.0, 2.0], [3.0, 4.0]]",
    "tril": "[[1.0, 2.0], [3.0, 4.0]]",
    "triu": "[[1.0, 2.0], [3.0, 4.0]]",
}
_EXAMPLES |= {"acosh": "", "bitwise_and": "3", "bitwise_or": "3", "bitwise_xor": "3", "tril": "", "triu": ""}
_EXAMPLES |= {"arccosh": "", "bitwise_left_shift": "3", "bitwise_not": "", "bitwise_right_shift": "1"}

# The methods that change the tensor, and those that compute the elements.
IN_PLACE = {f"{name}_": name for name in sorted(_EXAMPLES)}

_RANKS = {
    "bool": 0,
    "unsigned integer": 1,
    "signed integer": 1,
    "real floating": 2,
    "complex floating": 3,
}

_TEXT = """Replaces the elements by those of ``{name}``.

{parameters}Returns
-------
Tensor
    The tensor itself.

Raises
------
RuntimeError
    If the tensor is a leaf that requires a gradient.
ValueError
    If the result has another shape.
TypeError
    If the result is of another kind, as floats are for a tensor of integers.

Examples
--------
>>> x = rl.tensor({tensor})
>>> x.{name}_({arguments}) is x
True
"""


def written(name: str, x: Tensor, out: Tensor) -> Tensor:
    """Write the elements of a result to the tensor `x`, and return `x`."""
    if out.shape != x.shape:
        raise ValueError(f"{name}: a tensor of shape {x.shape} cannot change in place to {out.shape}")
    if _RANKS[out.dtype.kind] > _RANKS[x.dtype.kind]:
        raise TypeError(f"{name}: a tensor of {x.dtype} cannot change in place to {out.dtype}")
    return x.copy_(out)


def method(name: str) -> Callable[..., Tensor]:
    """Make the method for a name of `IN_PLACE`."""
    base = IN_PLACE[name]
    compute: Callable[..., Tensor] = getattr(Tensor, base)

    def change(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return written(name, self, compute(self, *args, **kwargs))

    change.__name__ = name
    change.__qualname__ = f"Tensor.{name}"
    signature = inspect.signature(compute)
    first, *rest = signature.parameters.values()
    change.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[first.replace(name="self", kind=inspect.Parameter.POSITIONAL_ONLY), *rest]
    )
    change.__doc__ = _TEXT.format(
        name=base,
        parameters=_parameters(compute, [p.name for p in rest]),
        tensor=_TENSORS.get(base, "[0.25, 0.5]"),
        arguments=_EXAMPLES[base],
    )
    return change


def _parameters(function: Callable[..., Any], names: list[str]) -> str:
    """Return the parameters section, without the tensor, of the docstring of a method or function."""
    parts = re.split(r"^(\w+)\n-{3,}\n", inspect.getdoc(function) or "", flags=re.M)
    found = dict(zip(parts[1::2], parts[2::2], strict=True)).get("Parameters", "").strip("\n")
    entries = re.split(r"\n(?=\S)", found) if found else []
    kept = [
        e for e in entries if {w.strip() for w in e.split("\n")[0].split(" : ")[0].split(",")} & set(names)
    ]
    return "Parameters\n----------\n" + "\n".join(kept) + "\n\n" if kept else ""
