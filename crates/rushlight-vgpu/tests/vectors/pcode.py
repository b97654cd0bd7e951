"""Executes the pseudocode of AMD's ISA documents: unlimited integers, exact floats that are rounded once."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from floats import FORMATS, Float, add, div, fma, host, inf, mul, nan, real, resized, rounded, whole


@dataclass
class Int:
    """A number, and the number of bits it was read from (to concatenate several in braces)."""

    v: int
    w: int | None = None


def saturated(a: Float, bits: int, signed: bool) -> Int:
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    if a.nan:
        return Int(0)
    if a.inf:
        return Int(low if a.sign else high)
    return Int(min(max(math.trunc(a.value()), low), high))


@dataclass
class Reg:
    """A register or a variable of bits; `any` lists the floats in it that are any NaN."""

    bits: int = 0
    any: dict[int, int] = field(default_factory=dict)

    def put(self, at: int, w: int, v: int, anything: bool = False) -> None:
        self.bits = self.bits & ~(((1 << w) - 1) << at) | (v & ((1 << w) - 1)) << at
        self.any = {a: n for a, n in self.any.items() if a + n <= at or a >= at + w}
        if anything:
            self.any[at] = w


TOKEN = re.compile(
    r"\s*(//[^\n]*|\d+'[0-9.]+[UFL]*|\d+'0x[0-9a-f]+|\d+'[UIFB]+(?=\()|0x[0-9a-fA-F]+U?L*|\d+\.\d+F?|\d+U?L*|\w+|\*\*|<<|>>|<>|<=|>=|==|!=|&&|\|\||\+=|-=|\S)"
)
LEVELS = [
    ["||"],
    ["&&"],
    ["|"],
    ["^"],
    ["&"],
    ["==", "!=", "<>"],
    ["<", ">", "<=", ">="],
    ["<<", ">>"],
    ["+", "-"],
    ["*", "/"],
    ["**"],
]


class Machine:
    """One lane: its registers by name, and the pseudocode of instructions that other pseudocode calls."""

    def __init__(self, others: dict[str, str], lane: int = 0):
        self.env: dict[str, Any] = {"laneId": Int(lane, 32), "OPSEL": Int(0), "ROUND_MODE": Int(0)}
        self.env["ROUND_TOWARD_ZERO"] = Int(1)
        for w in FORMATS:
            self.env[f"UNDERFLOW_F{w}"], self.env[f"OVERFLOW_F{w}"] = Float(w, 0), inf(w)
        self.others = others

    def reg(self, name: str, bits: int) -> Reg:
        self.env[name] = r = Reg(bits)
        return r

    # Statements.

    def run(self, text: str) -> None:
        text = re.sub(r"//[^\n]*", "", text).replace("EXEC.u64[laneId] = D0.u64[laneId]", "D0.u64[laneId]")
        text = re.sub(r"\bBYTE_PERMUTE = lambda.*?endif\);", "", text, flags=re.S)
        self.tokens = TOKEN.findall(text)
        self.at = 0
        self.block(True, ())

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, want: str = "") -> str:
        t = self.peek()
        if want and t != want:
            raise SyntaxError(f"{t} instead of {want}")
        self.at += 1
        return t

    def block(self, live: bool, ends: tuple[str, ...]) -> bool:
        """Execute statements up to one of `ends`; return true after a break."""
        broken = False
        while self.peek() and self.peek() not in ends:
            broken = self.statement(live and not broken) or broken
        return broken

    def statement(self, live: bool) -> bool:
        t = self.peek()
        if t == ";":
            self.take()
        elif t == "break":
            self.take()
            return live
        elif t == "declare":
            while self.peek() not in (";", ""):
                self.take()
        elif t == "if":
            done, broken = False, False
            while t in ("if", "elsif"):
                self.take()
                holds = truth(self.expr())
                self.take("then")
                broken |= self.block(live and holds and not done, ("elsif", "else", "endif"))
                done |= holds
                t = self.peek()
            if t == "else":
                self.take()
                broken |= self.block(live and not done, ("endif",))
            self.take("endif")
            return broken and live
        elif t == "for":
            self.take()
            name = self.take()
            self.take("in")
            first = self.expr()
            self.take(":")
            last = self.expr()
            self.take("do")
            start, out = self.at, False
            for i in range(first.v, last.v + 1):
                self.at = start
                self.env[name] = Int(i)
                out |= self.block(live and not out, ("endfor",))
            self.take("endfor")
        elif self.tokens[self.at + 1 : self.at + 3] == ["=", "lambda"]:
            name = self.take()
            self.at += 3
            names = []
            while self.peek() != ")":
                names.append(self.take())
                if self.peek() == ",":
                    self.take()
            self.take(")")
            self.take("(")
            self.env[name] = (names, self.at)
            depth = 1
            while depth:
                depth += {"(": 1, ")": -1}.get(self.take(), 0)
        else:
            self.assign(live)
        return False

    def assign(self, live: bool) -> None:
        if self.peek() == "{":
            self.take()
            targets = [self.target()]
            while self.peek() == ",":
                self.take()
                targets.append(self.target())
            self.take("}")
            self.take("=")
            v = self.expr().v
            for name, at, w in reversed(targets):
                if live:
                    self.env.setdefault(name, Reg()).put(at, w, v)
                v >>= w
            return
        name, at, width = self.target()
        op = self.take()
        v = self.expr()
        if not live:
            return
        whole_name = width == 0
        if whole_name and op != "=":
            v = binary(op[0], self.env[name], v, self)
        elif op != "=":
            old = Reg(self.env[name].bits >> at)
            v = binary(
                op[0],
                Float(v.w, old.bits & ((1 << v.w) - 1)) if isinstance(v, Float) else Int(old.bits),
                v,
                self,
            )
        if whole_name and not isinstance(self.env.get(name), Reg):
            self.env[name] = Reg(v.bits, dict(v.any)) if isinstance(v, Reg) else v
            return
        r = self.env.get(name)
        if not isinstance(r, Reg):
            r = self.env[name] = Reg()
        if isinstance(v, Reg):
            for a, n in v.any.items():
                r.put(at + a, n, 0, True)
            keep = dict(r.any)
            r.put(at, width or 64, v.bits)
            r.any = keep
        elif isinstance(v, Float):
            r.put(at, width or v.w, v.bits, v.any)
        else:
            r.put(at, width or (v.w or 64), v.v)

    def target(self) -> tuple[str, int, int]:
        """Parse the target of an assignment: a variable, the lowest bit and the width (0: all of it)."""
        name, at, width = self.take(), 0, 0
        while self.peek() in (".", "["):
            if self.take() == ".":
                w = int(re.sub(r"\D", "", self.take()))
                width = w if width == 0 else min(w, width)
            else:
                hi = self.expr().v
                if self.peek() == ":":
                    self.take()
                    at = self.expr().v
                    width = hi - at + 1
                else:
                    at, width = hi, 1
                self.take("]")
        return name, at, width

    # Expressions.

    def expr(self) -> Any:
        c = self.level(0)
        if self.peek() != "?":
            return c
        self.take()
        a = self.expr()
        self.take(":")
        b = self.expr()
        return a if truth(c) else b

    def level(self, n: int) -> Any:
        if n == len(LEVELS):
            return self.unary()
        a = self.level(n + 1)
        while self.peek() in LEVELS[n]:
            op = self.take()
            a = binary(op, a, self.level(n + 1), self)
        return a

    def unary(self) -> Any:
        t = self.peek()
        if t in ("-", "+", "~", "!"):
            self.take()
            v = self.unary()
            if t == "+":
                return v
            if isinstance(v, Float):
                return v.neg()
            return Int(-v.v) if t == "-" else Int(~v.v) if t == "~" else Int(int(not truth(v)), 1)
        return self.suffixes(self.atom())

    def atom(self) -> Any:
        t = self.take()
        if t == "(":
            v = self.expr()
            self.take(")")
            return v
        if t == "{":
            vs = [self.expr()]
            while self.peek() == ",":
                self.take()
                vs.append(self.expr())
            self.take("}")
            r, at = Reg(), 0
            for v in reversed(vs):
                if isinstance(v, Float):
                    r.put(at, v.w, v.bits, v.any)
                    at += v.w
                else:
                    w = 64 if isinstance(v, Reg) else v.w
                    r.put(at, w, v.bits if isinstance(v, Reg) else v.v)
                    at += w
            return r
        if m := re.fullmatch(r"(\d+)'([UIFB]+)", t):
            self.take("(")
            v = self.expr()
            self.take(")")
            return cast(v, int(m[1]), m[2])
        if m := re.fullmatch(r"(\d+)'(.+)", t):
            w = int(m[1])
            if "." in m[2]:
                return rounded(Fraction(m[2].rstrip("F")), w)
            return Int(int(m[2].rstrip("U"), 0), w)
        if re.fullmatch(r"\d+\.\d+F?", t):
            return rounded(Fraction(t.rstrip("F")), 32 if t.endswith("F") else 64)
        if t.startswith("0x") or t.isdigit() or re.fullmatch(r"\d+U?L*", t):
            return Int(int(re.sub(r"[UL]+$", "", t), 0))
        if self.peek() == "(":
            self.take()
            args = []
            while self.peek() != ")":
                args.append(self.expr())
                if self.peek() == ",":
                    self.take()
            self.take(")")
            return self.call(t, args)
        if t == "INF":
            return inf(64)
        if t == "NAN":
            return nan(64)
        if t == "WAVE_MODE":
            self.take(".")
            self.take("IEEE")
            return Int(1, 1)
        return self.env[t]

    def suffixes(self, v: Any) -> Any:
        while self.peek() in (".", "["):
            if self.take() == ".":
                v = typed(v, self.take())
                continue
            hi = self.expr().v
            bits = v.bits if isinstance(v, (Reg, Float)) else v.v
            if self.peek() == ":":
                self.take()
                lo = self.expr().v
                if lo >= hi and hi == 0 and lo > 0:
                    bits = int(f"{bits & ((1 << (lo + 1)) - 1):0{lo + 1}b}"[::-1], 2)
                    v = Int(bits, lo + 1)
                else:
                    v = Int(bits >> lo & ((1 << (hi - lo + 1)) - 1), hi - lo + 1)
            else:
                v = Int(bits >> hi & 1, 1)
            self.take("]")
        return v

    def call(self, name: str, a: list[Any]) -> Any:
        if name.startswith("v_"):
            inner = Machine(self.others)
            for n, v in enumerate(a):
                inner.reg(f"S{n}", v.bits if isinstance(v, Float) else v.v & 0xFFFFFFFFFFFFFFFF)
            d = inner.reg("D0", 0)
            inner.run(self.others[name])
            kind = name.split("_")[2]
            v = typed(d, kind)
            if isinstance(v, Float) and d.any:
                v.any = True
            return v
        if isinstance(fn := self.env.get(name), tuple):
            names, start = fn
            old, at = dict(self.env), self.at
            self.env.update(zip(names, a, strict=True))
            self.at = start
            v = self.expr()
            self.env, self.at = old, at
            return v
        if name == "BYTE_PERMUTE":
            data, sel = a[0].bits, a[1].v
            if sel >= 12:
                return Int(0 if sel == 12 else 255, 8)
            if sel >= 8:
                return Int(255 * (data >> (16 * (sel - 8) + 15) & 1), 8)
            return Int(data >> (8 * sel) & 255, 8)
        if m := re.fullmatch(r"([fiu])(\d+)_to_([fiu])(\d+)", name):
            x, to, w = a[0], m[3], int(m[4])
            if m[1] != "f":
                return rounded(Fraction(x.v), w)
            if to == "f":
                made = resized(x, w, truth(self.env["ROUND_MODE"]))
                return Float(w, made.bits, made.nan)
            return saturated(x, w, to == "i")
        x = a[0]
        if isinstance(x, Float):
            w = x.w
            match name:
                case "isNAN":
                    return Int(int(x.nan), 1)
                case "isSignalNAN":
                    return Int(int(x.nan and not x.quiet), 1)
                case "isQuietNAN":
                    return Int(int(x.quiet), 1)
                case "cvtToQuietNAN":
                    return Float(w, x.bits | 1 << (FORMATS[w][1] - 1))
                case "sign":
                    return Int(x.sign, 1)
                case "exponent":
                    return Int(x.parts()[1])
                case "abs":
                    return Float(w, x.bits & ~(1 << (w - 1)), x.any)
                case "trunc" | "floor":
                    return whole(x, name)
                case "fract":
                    return add(x, whole(x, "floor").neg())
                case "isEven":
                    return Int(int(not x.nan and not x.inf and x.value() % 2 == 0), 1)
                case "fma":
                    return fma(*a)
                case "ldexp":
                    return x if x.nan or x.inf else rounded(x.value() * Fraction(2) ** a[1].v, w, x.sign)
                case "sqrt":
                    h = host(x)
                    return nan(w) if h < 0 else real(math.sqrt(h), w)
        if name == "signext":
            return x
        if name == "signext_from_bit":
            w, v = a[1].v, x.v
            return Int(v - (1 << w) if w and v >> (w - 1) & 1 else v)
        raise NotImplementedError(name)


def truth(v: Any) -> bool:
    return bool(v.bits if isinstance(v, (Reg, Float)) else v.v)


def typed(v: Any, kind: str) -> Any:
    m = re.fullmatch(r"([uibf])(\d+)", kind)
    if not m:
        raise NotImplementedError(kind)
    w = int(m[2])
    if isinstance(v, Float) and m[1] == "f":
        return v if v.w == w else resized(v, w)
    raw = (v.bits if isinstance(v, (Reg, Float)) else v.v) & ((1 << w) - 1)
    if m[1] == "f":
        return Float(w, raw, isinstance(v, Reg) and 0 in v.any)
    if isinstance(v, Reg) and m[1] == "b":
        return Reg(raw, dict(v.any))
    return Int(raw - (1 << w) if m[1] == "i" and raw >> (w - 1) else raw, w)


def cast(v: Any, w: int, to: str) -> Any:
    if isinstance(v, tuple):
        return v
    if to == "F":
        if isinstance(v, Float):
            return resized(v, w)
        return Float(w, v.v & ((1 << w) - 1))
    if isinstance(v, Float):
        return Int(v.bits & ((1 << w) - 1), w)
    bits = v.bits if isinstance(v, Reg) else v.v
    if to == "I" and not isinstance(v, Reg):
        return typed(Int(bits), f"i{w}")
    return Int(bits & ((1 << w) - 1), w)


def binary(op: str, a: Any, b: Any, machine: Machine) -> Any:
    if isinstance(a, Reg):
        a = Int(a.bits)
    if isinstance(b, Reg):
        b = Int(b.bits)
    if op in ("&&", "||"):
        return Int(int(truth(a) and truth(b) if op == "&&" else truth(a) or truth(b)), 1)
    if op == "**":
        return ("power", a, b.v)  # times a float only, which it scales at once
    if isinstance(a, tuple) or isinstance(b, tuple):
        x, p = (b, a) if isinstance(a, tuple) else (a, b)
        if x.nan or x.inf:
            return Float(x.w, x.bits | (1 << (FORMATS[x.w][1] - 1) if x.nan else 0), x.nan)
        n = max(min(p[2], 5000), -5000)
        return rounded(x.value() * Fraction(2) ** n, x.w, x.sign)
    if isinstance(a, Float) or isinstance(b, Float):
        if op in ("+", "-", "*", "/"):
            return {"+": add, "-": lambda x, y: add(x, y.neg() if not y.nan else y), "*": mul, "/": div}[op](
                a, b
            )
        if a.nan or b.nan:
            return Int(int(op == "!="), 1)
        x, y = a.order(), b.order()
    else:
        x, y = a.v, b.v
    match op:
        case "==":
            return Int(int(x == y), 1)
        case "!=" | "<>":
            return Int(int(x != y), 1)
        case "<":
            return Int(int(x < y), 1)
        case ">":
            return Int(int(x > y), 1)
        case "<=":
            return Int(int(x <= y), 1)
        case ">=":
            return Int(int(x >= y), 1)
        case "+":
            return Int(x + y)
        case "-":
            return Int(x - y)
        case "*":
            return Int(x * y)
        case "&":
            return Int(x & y)
        case "|":
            return Int(x | y)
        case "^":
            return Int(x ^ y)
        case "<<":
            return Int(x << y)
        case ">>":
            return Int(x >> y)
    raise NotImplementedError(op)
