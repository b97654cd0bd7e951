"""Transforms along several axes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .. import _native as native
from .._compose.axes import axis_or_dim
from .._native import Tensor
from .._shared_docs import documented
from ._parts import complexes, factor, inexact, length_of, places, sized, swapped

Axes = Sequence[int] | int | None
LAST_TWO = (-2, -1)

_SECTIONS = """
Parameters
----------
x
    Any shape; {x}.
s
    {lengths}
axes, dim
    {axes}
norm
    {norm}

Returns
-------
Tensor
    {out}.

Raises
------
ValueError
    If a length is less than 1, the numbers of lengths and axes differ, or `norm` is another word.{refused}

Examples
--------
>>> import rushlight as rl
>>> rl.fft.{name}({call}
{result}
"""
_INPUT = (
    "Lengths of the transforms: elements beyond them are left out, missing ones are 0, and -1\n"
    "    keeps the size."
)
_COMPLEX = {
    "x": "float32, float64 or complex. Integers are converted to float32",
    "lengths": _INPUT,
    "out": "complex64, or complex128 for float64 and complex128",
    "refused": "",
}
_OF_REAL = {
    "x": "float32 or float64. Integers are converted to float32",
    "lengths": _INPUT,
    "out": "complex64 or complex128; the last of the axes has ``n // 2 + 1`` elements",
    "refused": "\nTypeError\n    If `x` is complex, float16 or bfloat16.",
}
_TO_REAL = {
    "x": "complex. Real numbers are converted",
    "lengths": "Lengths of the result along the axes; -1 keeps the size. The last one is twice the size\n"
    "    less 2 by default.",
    "out": "Real: float32 or float64",
    "refused": "",
}
_ALL = {"axes": "The axes, under either name; by default all of them, or the last ones if `s` is given."}
_TWO = {"axes": "The two axes, under either name; the last two by default."}
_FORWARD = {
    "norm": '``"backward"`` multiplies by 1, ``"ortho"`` by one over the root of the number of elements,\n'
    '    and ``"forward"`` by one over their number.'
}
_INVERSE = {
    "norm": '``"backward"`` divides by the number of elements, ``"ortho"`` by its root, ``"forward"`` by 1.'
}


def _along(op: str, x: Tensor, s: Axes, axes: Axes, norm: str | None, inverse: bool) -> Tensor:
    """Return the transform of complex numbers; the last of the transforms multiplies by the factor."""
    found, lengths = places(op, x, s, axes)
    for axis, length in zip(found, lengths, strict=True):
        x = sized(op, x, axis, length)
    by = factor(op, norm, math.prod(x.shape[a] for a in found), inverse)
    for i, axis in enumerate(reversed(found), 1):
        x = native._fft(x, axis, inverse, by if i == len(found) else 1.0)
    return x


def _of_real(op: str, x: Tensor, s: Axes, axes: Axes, norm: str | None) -> Tensor:
    """Return the half of the transform of real numbers."""
    found, lengths = places(op, x, s, axes)
    if not found:
        raise ValueError(f"{op}: a transform of real numbers needs at least 1 axis")
    for axis, length in zip(found, lengths, strict=True):
        x = sized(op, x, axis, length)
    by = factor(op, norm, math.prod(x.shape[a] for a in found), False)
    *others, last = found
    z = native._rfft(x, last, 1.0 if others else by)
    for i, axis in enumerate(reversed(others), 1):
        z = native._fft(z, axis, False, by if i == len(others) else 1.0)
    return z


def _to_real(op: str, z: Tensor, s: Axes, axes: Axes, norm: str | None) -> Tensor:
    """Return the real numbers whose transform has this half."""
    found, lengths = places(op, z, s, axes)
    if not found:
        raise ValueError(f"{op}: a transform to real numbers needs at least 1 axis")
    *others, last = found
    length = length_of(op, 2 * (z.shape[last] - 1) if lengths[-1] is None else lengths[-1], last)
    for axis, size in zip(others, lengths[:-1], strict=True):
        z = sized(op, z, axis, size)
    z = sized(op, z, last, length // 2 + 1)
    by = factor(op, norm, length * math.prod(z.shape[a] for a in others), True)
    for axis in others:
        z = native._fft(z, axis, True, 1.0)
    return native._irfft(z, length, last, by)


@documented(
    _SECTIONS,
    **_COMPLEX,
    **_ALL,
    **_FORWARD,
    call="rl.tensor([[1.0, 2.0], [3.0, 4.0]])).tolist()",
    result="[[(10+0j), (-2+0j)], [(-4+0j), 0j]]",
)
def fftn(
    x: Tensor,
    /,
    s: Axes = None,
    axes: Axes = None,
    norm: str | None = "backward",
    *,
    dim: Axes = None,
) -> Tensor:
    """Returns the discrete Fourier transform along several axes."""
    return _along("fftn", complexes("fftn", x), s, axis_or_dim(axes, dim, None), norm, False)


@documented(
    _SECTIONS,
    **_COMPLEX,
    **_ALL,
    **_INVERSE,
    call="rl.tensor([[10.0, -2.0], [-4.0, 0.0]])).real.tolist()",
    result="[[1.0, 2.0], [3.0, 4.0]]",
)
def ifftn(
    x: Tensor,
    /,
    s: Axes = None,
    axes: Axes = None,
    norm: str | None = "backward",
    *,
    dim: Axes = None,
) -> Tensor:
    """Returns the inverse of `fftn`."""
    return _along("ifftn", complexes("ifftn", x), s, axis_or_dim(axes, dim, None), norm, True)


@documented(
    _SECTIONS,
    **_OF_REAL,
    **_ALL,
    **_FORWARD,
    call="rl.ones((2, 4))).real.tolist()",
    result="[[8.0, 0.0, 0.0], [0.0, 0.0, 0.0]]",
)
def rfftn(
    x: Tensor,
    /,
    s: Axes = None,
    axes: Axes = None,
    norm: str | None = "backward",
    *,
    dim: Axes = None,
) -> Tensor:
    """Returns the transform of real numbers along several axes; the last one keeps its first half."""
    return _of_real("rfftn", inexact("rfftn", x, real=True), s, axis_or_dim(axes, dim, None), norm)


@documented(
    _SECTIONS,
    **_TO_REAL,
    **_ALL,
    **_INVERSE,
    call="rl.fft.rfftn(rl.tensor([[1.0, 2.0], [3.0, 4.0]]))).tolist()",
    result="[[1.0, 2.0], [3.0, 4.0]]",
)
def irfftn(
    x: Tensor,
    /,
    s: Axes = None,
    axes: Axes = None,
    norm: str | None = "backward",
    *,
    dim: Axes = None,
) -> Tensor:
    """Returns the inverse of `rfftn`: real numbers."""
    return _to_real("irfftn", complexes("irfftn", x), s, axis_or_dim(axes, dim, None), norm)


@documented(
    _SECTIONS,
    **_TO_REAL,
    **_ALL,
    **_FORWARD,
    call="rl.fft.ihfftn(rl.tensor([[1.0, 2.0], [3.0, 4.0]]))).tolist()",
    result="[[1.0, 2.0], [3.0, 4.0]]",
)
def hfftn(
    x: Tensor,
    /,
    s: Axes = None,
    axes: Axes = None,
    norm: str | None = "backward",
    *,
    dim: Axes = None,
) -> Tensor:
    """Returns the transform along several axes of a signal that is the conjugate of itself reversed."""
    return _to_real("hfftn", complexes("hfftn", x).conj(), s, axis_or_dim(axes, dim, None), swapped(norm))


@documented(
    _SECTIONS,
    **_OF_REAL,
    **_ALL,
    **_INVERSE,
    call="rl.ones((2, 4))).real.tolist()",
    result="[[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]",
)
def ihfftn(
    x: Tensor,
    /,
    s: Axes = None,
    axes: Axes = None,
    norm: str | None = "backward",
    *,
    dim: Axes = None,
) -> Tensor:
    """Returns the inverse of `hfftn`."""
    return _of_real(
        "ihfftn", inexact("ihfftn", x, real=True), s, axis_or_dim(axes, dim, None), swapped(norm)
    ).conj()


@documented(
    _SECTIONS,
    **_COMPLEX,
    **_TWO,
    **_FORWARD,
    call="rl.tensor([[1.0, 2.0], [3.0, 4.0]])).tolist()",
    result="[[(10+0j), (-2+0j)], [(-4+0j), 0j]]",
)
def fft2(
    x: Tensor,
    /,
    s: Axes = None,
    axes: Axes = LAST_TWO,
    norm: str | None = "backward",
    *,
    dim: Axes = None,
) -> Tensor:
    """Returns the discrete Fourier transform along two axes: `fftn` of the last two by default."""
    return _along("fft2", complexes("fft2", x), s, axis_or_dim(axes, dim, LAST_TWO), norm, False)


@documented(
    _SECTIONS,
    **_COMPLEX,
    **_TWO,
    **_INVERSE,
    call="rl.tensor([[10.0, -2.0], [-4.0, 0.0]])).real.tolist()",
    result="[[1.0, 2.0], [3.0, 4.0]]",
)
def ifft2(
    x: Tensor,
    /,
    s: Axes = None,
    axes: Axes = LAST_TWO,
    norm: str | None = "backward",
    *,
    dim: Axes = None,
) -> Tensor:
    """Returns the inverse of `fft2`."""
    return _along("ifft2", complexes("ifft2", x), s, axis_or_dim(axes, dim, LAST_TWO), norm, True)


@documented(
    _SECTIONS,
    **_OF_REAL,
    **_TWO,
    **_FORWARD,
    call="rl.ones((2, 4))).real.tolist()",
    result="[[8.0, 0.0, 0.0], [0.0, 0.0, 0.0]]",
)
def rfft2(
    x: Tensor,
    /,
    s: Axes = None,
    axes: Axes = LAST_TWO,
    norm: str | None = "backward",
    *,
    dim: Axes = None,
) -> Tensor:
    """Returns the transform of real numbers along two axes; the last one keeps its first half."""
    return _of_real("rfft2", inexact("rfft2", x, real=True), s, axis_or_dim(axes, dim, LAST_TWO), norm)


@documented(
    _SECTIONS,
    **_TO_REAL,
    **_TWO,
    **_INVERSE,
    call="rl.fft.rfft2(rl.tensor([[1.0, 2.0], [3.0, 4.0]]))).tolist()",
    result="[[1.0, 2.0], [3.0, 4.0]]",
)
def irfft2(
    x: Tensor,
    /,
    s: Axes = None,
    axes: Axes = LAST_TWO,
    norm: str | None = "backward",
    *,
    dim: Axes = None,
) -> Tensor:
    """Returns the inverse of `rfft2`: real numbers."""
    return _to_real("irfft2", complexes("irfft2", x), s, axis_or_dim(axes, dim, LAST_TWO), norm)


@documented(
    _SECTIONS,
    **_TO_REAL,
    **_TWO,
    **_FORWARD,
    call="rl.fft.ihfft2(rl.tensor([[1.0, 2.0], [3.0, 4.0]]))).tolist()",
    result="[[1.0, 2.0], [3.0, 4.0]]",
)
def hfft2(
    x: Tensor,
    /,
    s: Axes = None,
    axes: Axes = LAST_TWO,
    norm: str | None = "backward",
    *,
    dim: Axes = None,
) -> Tensor:
    """Returns the transform along two axes of a signal that is the conjugate of itself reversed."""
    return _to_real("hfft2", complexes("hfft2", x).conj(), s, axis_or_dim(axes, dim, LAST_TWO), swapped(norm))


@documented(
    _SECTIONS,
    **_OF_REAL,
    **_TWO,
    **_INVERSE,
    call="rl.ones((2, 4))).real.tolist()",
    result="[[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]",
)
def ihfft2(
    x: Tensor,
    /,
    s: Axes = None,
    axes: Axes = LAST_TWO,
    norm: str | None = "backward",
    *,
    dim: Axes = None,
) -> Tensor:
    """Returns the inverse of `hfft2`."""
    return _of_real(
        "ihfft2", inexact("ihfft2", x, real=True), s, axis_or_dim(axes, dim, LAST_TWO), swapped(norm)
    ).conj()
