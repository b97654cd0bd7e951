"""Other names of functions, PyTorch's and NumPy's: each is the function itself."""

from __future__ import annotations

from .. import _native as n
from .products import outer
from .shapes import moveaxis, repeat, swapaxes

__all__ = [
    "absolute",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "as_tensor",
    "clamp",
    "concatenate",
    "div",
    "eq",
    "fix",
    "ge",
    "ger",
    "gt",
    "le",
    "lt",
    "movedim",
    "mul",
    "ne",
    "neg",
    "repeat_interleave",
    "sub",
    "swapdims",
    "true_divide",
    "unbind",
]

absolute = n.abs
arccos = n.acos
arccosh = n.acosh
arcsin = n.asin
arcsinh = n.asinh
arctan = n.atan
arctan2 = n.atan2
arctanh = n.atanh
as_tensor = n.asarray
clamp = n.clip
concatenate = n.concat
div = n.divide
eq = n.equal
fix = n.trunc
ge = n.greater_equal
ger = outer
gt = n.greater
le = n.less_equal
lt = n.less
movedim = moveaxis
mul = n.multiply
ne = n.not_equal
neg = n.negative
repeat_interleave = repeat
sub = n.subtract
swapdims = swapaxes
true_divide = n.divide
unbind = n.unstack
