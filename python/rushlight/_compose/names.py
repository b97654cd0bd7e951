"""Other names of functions, PyTorch's and NumPy's: each is the function itself."""

from __future__ import annotations

from .. import _native as n
from .calculus import trapezoid
from .incomplete_gamma import gammainc, gammaincc
from .matrices import vstack
from .products import outer
from .shapes import broadcast_arrays, moveaxis, repeat_interleave, swapaxes

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
    "bitwise_not",
    "broadcast_tensors",
    "clamp",
    "concatenate",
    "eq",
    "fix",
    "ge",
    "ger",
    "gt",
    "igamma",
    "igammac",
    "le",
    "lt",
    "movedim",
    "mul",
    "ne",
    "neg",
    "ravel",
    "repeat_interleave",
    "row_stack",
    "split_with_sizes",
    "sub",
    "swapdims",
    "trapz",
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
eq = n.equal
fix = n.trunc
ge = n.greater_equal
ger = outer
gt = n.greater
igamma = gammainc
igammac = gammaincc
le = n.less_equal
lt = n.less
movedim = moveaxis
mul = n.multiply
ne = n.not_equal
neg = n.negative
split_with_sizes = n.split
sub = n.subtract
swapdims = swapaxes
trapz = trapezoid
true_divide = n.divide
unbind = n.unstack
bitwise_not = n.bitwise_invert
broadcast_tensors = broadcast_arrays
ravel = n.flatten
row_stack = vstack
