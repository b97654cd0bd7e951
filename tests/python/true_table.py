"""Write the parity suite's table of true values: functions of f64, computed by mpmath with 50 digits.

``python tests/python/true_table.py`` writes ``crates/rushlight-parity/src/true_values.tsv``;
``test_true_values.py`` checks that the file is current. A line has the op, the bits of its arguments, the
bits of the number of f64 nearest to the true result, and the rest of that result in units in the last place.
"""

from __future__ import annotations

import struct
from pathlib import Path

import test_true_values as true

PATH = Path(__file__).parents[2] / "crates/rushlight-parity/src/true_values.tsv"
POINTS = 64
"""Points of each function."""

BITS = {"abs", "ceil", "floor", "frac", "neg", "relu", "relu_squared", "round", "sign", "square", "trunc"}
"""Functions whose bits other tests compare."""

TAIL = [(-0.55 * k,) for k in range(1, 76)]
"""Where a function such as GELU and its gradient are small."""

mp = true.mp


def _rows(name: str, f: true.Function, points: list[true.Point]) -> list[str]:
    rows = []
    for point in points:
        value = true.true_value(f, point)
        if isinstance(value, mp.mpc) or mp.isnan(value):
            nearest, rest = float("nan"), 0.0
        else:
            # An infinity is a unit past the largest number.
            past = mp.mpf(true.LARGEST) + true.unit(true.LARGEST)
            value = min(max(value, -past), past)
            nearest = min(max(_nearest(value), -true.LARGEST), true.LARGEST)
            rest = float((value - nearest) / true.unit(mp.mpf(nearest)))
        bits = [struct.pack(">d", v).hex() for v in (*point, nearest)]
        rows.append("\t".join([name, *bits, f"{rest:.6f}"]))
    return rows


def _nearest(value: true.Any) -> float:
    """Round to f64, subnormal numbers too."""
    if abs(value) >= true.LARGEST:
        return float(mp.sign(value)) * true.LARGEST
    u = true.unit(value)
    return float(mp.nint(value / u) * u)


def _some(points: list[true.Point]) -> list[true.Point]:
    """Keep some points, evenly; without the hardest one, for which docs/NUMERICS.md has an exception."""
    points = [p for p in points if abs(p[0]) != true.HARDEST]
    return points[:: max(1, len(points) // POINTS)]


def table() -> str:
    """Return the file's text."""
    rows = []
    for name, f in sorted(true.ONE.items()):
        if name in BITS:
            continue
        tail = TAIL if name in ("gelu", "gelu_erf", "silu", "sigmoid") else []
        rows += _rows(name, f, _some(true.points()) + tail)
    finite = [p for p in _some(true.points()) if abs(p[0]) < 1e3]
    for name, f in sorted(true.ACTIVATIONS.items()):
        rows += _rows(name, f, _some(true.points()) + (TAIL if name == "mish" else []))
    for name, f in sorted(true.SLOPES.items()):
        rows += _rows(f"{name}/grad", f, finite + TAIL)
    for name in ("atan2", "pow"):
        rows += _rows(name, true.TWO[name], _some(true.pairs(name)))
    return "".join(f"{row}\n" for row in rows)


if __name__ == "__main__":
    PATH.write_text(table())
