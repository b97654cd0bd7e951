"""Dtypes, conversions and comparisons for the tests."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

import rushlight as rl

Array: TypeAlias = npt.NDArray[Any]

FLOAT = ("float32", "float64", "float16", "bfloat16")
WIDE = ("float32", "float64")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INT = (*SIGNED, *UNSIGNED)
NUMERIC = (*FLOAT, *INT)
ALL = (*NUMERIC, "bool")

# For each float dtype the bits of the fraction, and the exponent of the smallest normal number.
_SHAPE = {
    "float64": (52, -1022),
    "float32": (23, -126),
    "float16": (10, -14),
    "bfloat16": (7, -126),
}
_LARGEST = {
    "float16": 65504.0,
    "bfloat16": float.fromhex("0x1.fep127"),
    "float32": float(np.finfo(np.float32).max),
}


def dtype(name: str) -> Any:
    """The Rushlight dtype of a name."""
    return getattr(rl, name)


def to_rl(value: Array, name: str) -> rl.Tensor:
    """A tensor of a dtype; bfloat16 comes from float32 values."""
    if name == "bfloat16":
        return rl.astype(rl.asarray(np.array(value, np.float32)), rl.bfloat16)
    return rl.asarray(np.array(value, name))


def to_np(value: rl.Tensor) -> Array:
    """A NumPy copy; bfloat16 and float16 become float32, which holds them exactly."""
    if value.dtype in (rl.bfloat16, rl.float16):
        value = rl.astype(value, rl.float32)
    return np.array(value.detach().numpy())


def rounded(value: Array, name: str) -> Array:
    """`value` rounded to a floating-point dtype to nearest even, as float64."""
    wide = np.asarray(value, np.float64)
    if name == "float64":
        return wide
    bits, low = _SHAPE[name]
    with np.errstate(all="ignore"):
        unit = _unit(wide, bits, low)
        out = np.where(np.isfinite(wide), np.round(wide / unit) * unit, wide)
        return np.where(np.abs(out) > _LARGEST[name], np.copysign(np.inf, wide), out)


def _unit(value: Array, bits: int, low: int) -> Array:
    """Return the distance between neighbouring numbers at `value`."""
    with np.errstate(all="ignore"):
        exponent = np.frexp(np.where(np.isfinite(value), value, 1.0))[1] - 1
    return np.ldexp(1.0, np.maximum(exponent, low) - bits)


def ulps(got: Array, want: Array, name: str) -> Array:
    """Return the error of `got` in units in the last place; 0 where both are the same special value."""
    got, want = np.asarray(got, np.float64), np.asarray(want, np.float64)
    bits, low = _SHAPE[name]
    with np.errstate(all="ignore"):
        off = np.abs(got - want) / _unit(want, bits, low)
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    return np.where(same, 0.0, np.where(np.isnan(off), np.inf, off))


def assert_ulps(got: rl.Tensor, want: Array, name: str, allowed: float, note: str = "") -> None:
    """Check that the tensor is within `allowed` units in the last place of the float64 result, which is
    rounded to the dtype first; 0 requires equality."""
    exact = rounded(want, name)
    value = to_np(got).astype(np.float64)
    assert value.shape == exact.shape, f"{note}: shape {value.shape}, not {exact.shape}"
    off = ulps(value, exact, name)
    # Rounding the expected result may add half a unit.
    raw = ulps(value, np.asarray(want, np.float64), name)
    bad = (off > allowed) & ~(raw <= allowed)
    if bad.any():
        at = tuple(int(i[0]) for i in np.nonzero(bad))
        raise AssertionError(
            f"{note}: {int(bad.sum())} of {bad.size} differ; at {at}: got {value[at]!r}, "
            f"want {exact[at]!r}, {off[at]:.1f} units in the last place off, {allowed} allowed"
        )


def assert_exact(got: rl.Tensor, want: Array, note: str = "") -> None:
    """Check for the same shape and values; NaN equals NaN, and zeros must have the same sign."""
    value = to_np(got)
    assert value.shape == want.shape, f"{note}: shape {value.shape}, not {want.shape}"
    np.testing.assert_array_equal(value, want, err_msg=note)
    if value.dtype.kind == "f" and np.asarray(want).dtype.kind == "f":
        zero = (value == 0) & ~np.isnan(want)
        np.testing.assert_array_equal(
            np.signbit(value[zero]), np.signbit(want[zero]), err_msg=f"{note}: sign of zero"
        )


def assert_near(
    got: rl.Tensor | Array, want: Array, relative: float, note: str = "", floor: float = 1.0
) -> None:
    """`|got - want| <= relative * max(floor, |want|)` for each element; specials are equal."""
    value = np.asarray(to_np(got) if isinstance(got, rl.Tensor) else got, np.float64)
    want = np.asarray(want, np.float64)
    assert value.shape == want.shape, f"{note}: shape {value.shape}, not {want.shape}"
    with np.errstate(all="ignore"):
        off = np.abs(value - want) / np.maximum(floor, np.abs(want))
    same = (value == want) | (np.isnan(value) & np.isnan(want))
    bad = ~same & ~(off <= relative)
    if bad.any():
        at = tuple(int(i[0]) for i in np.nonzero(bad))
        raise AssertionError(
            f"{note}: {int(bad.sum())} of {bad.size} differ; at {at}: got {value[at]!r}, "
            f"want {want[at]!r}, off by {off[at]:.2e}, {relative:.1e} allowed"
        )
