"""Floats of 16, 32 and 64 bits as bits: exact fractions, rounded once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

# Bits of the exponent and of the mantissa.
FORMATS = {16: (5, 10), 32: (8, 23), 64: (11, 52)}


@dataclass
class Float:
    """The bits of a float. `any` marks a NaN of an operation, whose bits the documents do not specify."""

    w: int
    bits: int
    any: bool = False

    def parts(self) -> tuple[int, int, int]:
        e, m = FORMATS[self.w]
        return self.bits >> (e + m), self.bits >> m & ((1 << e) - 1), self.bits & ((1 << m) - 1)

    @property
    def nan(self) -> bool:
        _, e, m = self.parts()
        return e == (1 << FORMATS[self.w][0]) - 1 and m != 0

    @property
    def inf(self) -> bool:
        _, e, m = self.parts()
        return e == (1 << FORMATS[self.w][0]) - 1 and m == 0

    @property
    def sign(self) -> int:
        return self.parts()[0]

    @property
    def quiet(self) -> bool:
        return self.nan and bool(self.parts()[2] >> (FORMATS[self.w][1] - 1))

    def value(self) -> Fraction:
        s, e, m = self.parts()
        eb, mb = FORMATS[self.w]
        bias = (1 << (eb - 1)) - 1
        v = (
            Fraction(m, 1 << mb) * Fraction(2) ** (1 - bias)
            if e == 0
            else (1 + Fraction(m, 1 << mb)) * Fraction(2) ** (e - bias)
        )
        return -v if s else v

    def neg(self) -> Float:
        return Float(self.w, self.bits ^ 1 << (self.w - 1), self.any)

    def order(self) -> Any:
        return (math.inf if not self.sign else -math.inf) if self.inf else self.value()


def nan(w: int) -> Float:
    e, m = FORMATS[w]
    return Float(w, ((1 << e) - 1) << m | 1 << (m - 1), True)


def inf(w: int, sign: int = 0) -> Float:
    e, m = FORMATS[w]
    return Float(w, sign << (w - 1) | ((1 << e) - 1) << m)


def rounded(v: Fraction, w: int, sign: int = 0, toward_zero: bool = False) -> Float:
    """Return the nearest float, ties to even; a zero gets the sign."""
    eb, mb = FORMATS[w]
    bias = (1 << (eb - 1)) - 1
    if v == 0:
        return Float(w, sign << (w - 1))
    sign, v = int(v < 0), abs(v)
    e = v.numerator.bit_length() - v.denominator.bit_length()
    if Fraction(2) ** e > v:
        e -= 1
    e = max(e, 1 - bias)
    scaled = v / Fraction(2) ** (e - mb)
    n = scaled.numerator // scaled.denominator
    rest = scaled - n
    if not toward_zero and (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and n & 1)):
        n += 1
    if n >> (mb + 1):
        n, e = n >> 1, e + 1
    if e > bias:
        return Float(w, inf(w, sign).bits - int(toward_zero))
    field = 0 if n >> mb == 0 else e + bias
    return Float(w, sign << (w - 1) | field << mb | n & ((1 << mb) - 1))


def add(a: Float, b: Float) -> Float:
    if a.nan or b.nan or (a.inf and b.inf and a.sign != b.sign):
        return nan(a.w)
    if a.inf or b.inf:
        return a if a.inf else b
    return rounded(a.value() + b.value(), a.w, a.sign & b.sign)


def mul(a: Float, b: Float) -> Float:
    zero = lambda x: not x.inf and x.value() == 0  # noqa: E731
    if a.nan or b.nan or (a.inf and zero(b)) or (b.inf and zero(a)):
        return nan(a.w)
    if a.inf or b.inf:
        return inf(a.w, a.sign ^ b.sign)
    return rounded(a.value() * b.value(), a.w, a.sign ^ b.sign)


def div(a: Float, b: Float) -> Float:
    if a.nan or b.nan or (a.inf and b.inf):
        return nan(a.w)
    s = a.sign ^ b.sign
    if a.inf:
        return inf(a.w, s)
    if b.inf:
        return Float(a.w, s << (a.w - 1))
    if b.value() == 0:
        return nan(a.w) if a.value() == 0 else inf(a.w, s)
    return rounded(a.value() / b.value(), a.w, s)


def fma(a: Float, b: Float, c: Float) -> Float:
    if a.nan or b.nan or c.nan:
        return nan(a.w)
    if a.inf or b.inf:
        p = mul(a, b)
        return p if p.nan else add(p, c)
    if c.inf:
        return c
    s = a.sign ^ b.sign
    return rounded(a.value() * b.value() + c.value(), a.w, s & c.sign)


def resized(a: Float, w: int, toward_zero: bool = False) -> Float:
    """Convert to another width; a NaN keeps its sign, its highest bits and whether it is quiet."""
    if a.w == w:
        return a
    if a.nan:
        s, _, m = a.parts()
        shift = FORMATS[w][1] - FORMATS[a.w][1]
        m = m << shift if shift > 0 else m >> -shift
        return Float(w, inf(w, s).bits | (m or 1 << (FORMATS[w][1] - 1)), a.any)
    if a.inf:
        return inf(w, a.sign)
    return rounded(a.value(), w, a.sign, toward_zero)


def real(v: float, w: int) -> Float:
    """Return the host's value, for comparison with an approximation."""
    if math.isnan(v):
        return nan(w)
    if math.isinf(v):
        return inf(w, int(v < 0))
    return rounded(Fraction(v), w, int(math.copysign(1, v) < 0))


def host(a: Float) -> float:
    if a.nan:
        return math.nan
    if a.inf:
        return -math.inf if a.sign else math.inf
    v = a.value()
    return float(v) if v else (-0.0 if a.sign else 0.0)


def whole(a: Float, how: str) -> Float:
    if a.nan:
        return Float(a.w, a.bits | 1 << (FORMATS[a.w][1] - 1), True)
    if a.inf:
        return a
    v = a.value()
    return rounded(Fraction(math.trunc(v) if how == "trunc" else math.floor(v)), a.w, a.sign)
