"""Methods of `Tensor` that are written in Python: functions, other names, and changes in place.

Each kind is one table, and importing this module adds all of them to the class.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _compose
from .._native import Tensor
from ..sparse._gradients import gradient, set_gradient
from . import in_place, methods, new, properties, random, reshaped, sparse
from .in_place import IN_PLACE
from .size import Count, Size, shape_of, size_of

__all__ = ["ALIASES", "FUNCTIONS", "IN_PLACE", "METHODS", "PROPERTIES", "Count", "Size"]

# Functions that are methods, too: the tensor is their first argument.
FUNCTIONS = (
    "addbmm",
    "addmv",
    "addr",
    "adjoint",
    "allclose",
    "aminmax",
    "angle",
    "argwhere",
    "baddbmm",
    "bincount",
    "bmm",
    "cholesky",
    "cholesky_inverse",
    "cholesky_solve",
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
    "det",
    "diag",
    "diag_embed",
    "diagflat",
    "diagonal",
    "diagonal_scatter",
    "diff",
    "digamma",
    "dist",
    "div",
    "dot",
    "dsplit",
    "erfc",
    "exp2",
    "fliplr",
    "flipud",
    "float_power",
    "fmax",
    "fmin",
    "fmod",
    "frexp",
    "gcd",
    "ger",
    "get_device",
    "heaviside",
    "histc",
    "histogram",
    "hsplit",
    "hypot",
    "i0",
    "igamma",
    "igammac",
    "index_add",
    "index_copy",
    "index_fill",
    "index_put",
    "index_reduce",
    "inner",
    "inverse",
    "is_complex",
    "is_nonzero",
    "is_same_size",
    "is_signed",
    "isclose",
    "isneginf",
    "isposinf",
    "isreal",
    "istft",
    "kron",
    "kthvalue",
    "lcm",
    "ldexp",
    "lerp",
    "lgamma",
    "log_softmax",
    "logaddexp",
    "logaddexp2",
    "logcumsumexp",
    "logdet",
    "logit",
    "lu_solve",
    "masked_scatter",
    "masked_select",
    "matrix_exp",
    "matrix_power",
    "median",
    "mm",
    "mode",
    "moveaxis",
    "movedim",
    "msort",
    "multinomial",
    "mv",
    "mvlgamma",
    "nan_to_num",
    "nanmean",
    "nanmedian",
    "nanquantile",
    "nansum",
    "nextafter",
    "norm",
    "outer",
    "pinverse",
    "put",
    "qr",
    "quantile",
    "rad2deg",
    "renorm",
    "repeat_interleave",
    "roll",
    "rot90",
    "scatter",
    "scatter_add",
    "scatter_reduce",
    "select",
    "select_scatter",
    "sgn",
    "signbit",
    "sinc",
    "slice_scatter",
    "slogdet",
    "softmax",
    "std_mean",
    "stft",
    "svd",
    "swapaxes",
    "swapdims",
    "take",
    "take_along_dim",
    "tensor_split",
    "tile",
    "topk",
    "trace",
    "unflatten",
    "unique",
    "unique_consecutive",
    "var_mean",
    "vdot",
    "vsplit",
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
    "split_with_sizes": "split",
    "true_divide": "divide",
    "view_as": "reshape_as",
}


def _found() -> dict[str, Callable[..., Any]]:
    """The methods by name, without those that change the tensor."""
    out = {name: getattr(_compose, name) for name in FUNCTIONS}
    for module in (methods, new, random, reshaped, sparse):
        out |= {name: getattr(module, name) for name in module.__all__}
    return out


# The methods that are functions written in Python.
METHODS = _found()

# The properties that are functions written in Python.
PROPERTIES = {name: getattr(properties, name) for name in properties.__all__}

for _name, _function in METHODS.items():
    setattr(Tensor, _name, _function)
for _name, _other in ALIASES.items():
    setattr(Tensor, _name, vars(Tensor)[_other])
for _name in IN_PLACE:
    setattr(Tensor, _name, in_place.method(_name))
for _name, _function in PROPERTIES.items():
    setattr(Tensor, _name, property(_function, doc=_function.__doc__))
Tensor.grad = property(  # type: ignore[assignment, method-assign]
    gradient, set_gradient, lambda x: set_gradient(x, None), Tensor.grad.__doc__
)
Tensor.size = property(size_of, doc=size_of.__doc__)  # type: ignore[assignment, method-assign]
Tensor.shape = property(shape_of, doc=Tensor.shape.__doc__)  # type: ignore[assignment, method-assign]
