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
    "addmv",
    "allclose",
    "aminmax",
    "argwhere",
    "baddbmm",
    "bincount",
    "bmm",
    "clamp_max",
    "clamp_min",
    "conj",
    "copysign",
    "corrcoef",
    "count_nonzero",
    "cov",
    "cross",
    "cummax",
    "cummin",
    "cumprod",
    "deg2rad",
    "diag",
    "diag_embed",
    "diagonal",
    "diff",
    "dist",
    "div",
    "dot",
    "fliplr",
    "flipud",
    "fmax",
    "fmin",
    "fmod",
    "ger",
    "histc",
    "hypot",
    "inner",
    "isclose",
    "isneginf",
    "isposinf",
    "kron",
    "kthvalue",
    "lerp",
    "logaddexp",
    "logit",
    "median",
    "mm",
    "moveaxis",
    "movedim",
    "multinomial",
    "mv",
    "nan_to_num",
    "nanmean",
    "nansum",
    "nextafter",
    "norm",
    "outer",
    "quantile",
    "rad2deg",
    "repeat_interleave",
    "roll",
    "rot90",
    "signbit",
    "std_mean",
    "swapaxes",
    "swapdims",
    "take_along_dim",
    "tile",
    "topk",
    "trace",
    "unflatten",
    "unique",
    "unique_consecutive",
    "var_mean",
    "xlogy",
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
    "bitwise_not": "bitwise_invert",
    "fix": "trunc",
    "greater": "gt",
    "greater_equal": "ge",
    "less": "lt",
    "less_equal": "le",
    "ndimension": "dim",
    "nelement": "numel",
    "not_equal": "ne",
    "ravel": "flatten",
    "true_divide": "divide",
    "view_as": "reshape_as",
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
