"""Methods of `Tensor` that are written in Python: functions, other names, and changes in place.

Each kind is one table, and importing this module adds all of them to the class.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _compose
from .._native import Tensor
from . import in_place, methods, new, random
from .in_place import IN_PLACE
from .size import Size, size_of

__all__ = ["ALIASES", "FUNCTIONS", "IN_PLACE", "METHODS", "Size"]

# Functions that are methods, too: the tensor is their first argument.
FUNCTIONS = (
    "allclose",
    "bincount",
    "bmm",
    "clamp_max",
    "clamp_min",
    "copysign",
    "count_nonzero",
    "cumprod",
    "diag",
    "diagonal",
    "diff",
    "dot",
    "ger",
    "histc",
    "hypot",
    "isclose",
    "kthvalue",
    "lerp",
    "logaddexp",
    "median",
    "mm",
    "moveaxis",
    "movedim",
    "multinomial",
    "mv",
    "nan_to_num",
    "nextafter",
    "norm",
    "outer",
    "quantile",
    "repeat_interleave",
    "roll",
    "signbit",
    "swapaxes",
    "swapdims",
    "topk",
    "trace",
    "unique",
)

# Other names of methods.
ALIASES = {
    "absolute": "abs",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "fix": "trunc",
    "greater": "gt",
    "greater_equal": "ge",
    "less": "lt",
    "less_equal": "le",
    "ndimension": "dim",
    "nelement": "numel",
    "not_equal": "ne",
    "true_divide": "div",
}


def _found() -> dict[str, Callable[..., Any]]:
    """The methods by name, without those that change the tensor."""
    out = {name: getattr(_compose, name) for name in FUNCTIONS}
    for module in (methods, new, random):
        out |= {name: getattr(module, name) for name in module.__all__}
    return out


# The methods that are functions written in Python.
METHODS = _found()

for _name, _function in METHODS.items():
    setattr(Tensor, _name, _function)
for _name, _other in ALIASES.items():
    setattr(Tensor, _name, vars(Tensor)[_other])
for _name in IN_PLACE:
    setattr(Tensor, _name, in_place.method(_name))
Tensor.size = property(size_of, doc=size_of.__doc__)  # type: ignore[assignment, method-assign]
