"""Generates vectors.tsv: the results of instructions for edge and random operands, by AMD's ISA documents.

The documents' pseudocode is not part of this repository: it is read from the package tinygrad 0.14.0, which
extracted it from AMD's PDFs. Usage: `pip install tinygrad==0.14.0`, then `python generate.py`. README.md
describes the format.
"""

from __future__ import annotations

import math
import random
import re
import sys
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from floats import FORMATS, Float, host, inf, nan, real, rounded
from pcode import Machine, Reg
from tinygrad.runtime.autogen.amd.cdna.str_pcode import PCODE as CDNA
from tinygrad.runtime.autogen.amd.rdna3.str_pcode import PCODE as RDNA3

HERE = Path(__file__).parent
CASES = 96
EDGES = 64
LITERAL = {16: 0x4248, 32: 0x40490FDB}
MASK = (1 << 64) - 1

# Which operands of an instruction are a number of bits, an offset or a selector.
SPECIAL = [
    (r"v_(lshl|lshr|ashr)rev_|v_pk_(lshl|lshr|ashr)rev_", 0, "n"),
    (r"s_(lshl|lshr|ashr)_|s_bitcmp|v_lshl_(add|or)_", 1, "n"),
    (r"v_add_lshl_|v_align|v_bfe_", 2, "n"),
    (r"v_bfe_|v_ldexp|v_trig_preop|v_bfm|s_bfm", 1, "n"),
    (r"v_bfm|s_bfm|s_bitset", 0, "n"),
    (r"v_cmpx?_class_", 1, "class"),
    (r"v_perm_", 2, "select"),
    (r"s_bfe_", 1, "field"),
]


def fp_edges(w: int) -> list[int]:
    e, m = FORMATS[w]
    top, one = ((1 << e) - 1) << m, ((1 << (e - 1)) - 1) << m
    half = 1 << (m - 1)
    plain = [
        0,
        1,
        (1 << m) - 1,
        1 << m,
        one,
        one + half,
        one - 1,
        one + (1 << m),
        top - 1,
        top,
        top | half | 5,
        top | 3,
    ]
    plain += [
        one - (1 << m),
        one + 5 * half,
        one + m * (1 << m) + 1,
        one + ((e + 12) << m) + 12345 % (1 << m),
    ]
    return plain + [p | 1 << (w - 1) for p in plain]


def int_edges(w: int) -> list[int]:
    h = 1 << (w - 1)
    return [
        0,
        1,
        2,
        3,
        h - 1,
        h,
        h + 1,
        (1 << w) - 1,
        (1 << w) - 2,
        0x80,
        0x7F,
        0xFF,
        0x100,
        h >> 1,
        0x5A5A & (h - 1),
        h | 0x35,
    ]


def pool(kind: str, slot: int) -> list[int]:
    """Return an operand's values: edge values in varying combinations first, then random ones."""
    r = random.Random(f"{kind}/{slot}")
    w = int(re.sub(r"\D", "", kind) or 32)

    def fp(w: int) -> int:
        e, m = FORMATS[w]
        bias = (1 << (e - 1)) - 1
        near = r.randrange(-6, 7) if r.random() < 0.7 else r.randrange(-bias, bias)
        return r.getrandbits(1) << (w - 1) | (bias + near) << m | r.getrandbits(m)

    def pick(edges: list[int], i: int) -> int:
        n = len(edges)
        return (
            edges[i % n]
            if slot == 0
            else edges[(i * (5 if slot == 1 else 11) + i // n * (7 if slot == 1 else 3) + slot) % n]
        )

    made = {
        "n": lambda i: (
            [0, 1, 31, 32, 33, 63, 64, 15, 16, 17, 7, MASK, 1 << 16, 0x000F0003, 0x00100011, 24][
                (i * 3 + i // 16) % 16
            ]
            if i < EDGES
            else r.randrange(40)
            if r.random() < 0.8
            else r.getrandbits(32)
        ),
        "class": lambda i: (
            1 << (i * 7 // 2 % 10)
            if i < 48
            else [0, 0x3FF, 0x1F8, 0x207][i % 4]
            if i < EDGES
            else r.getrandbits(10)
        ),
        "select": lambda i: sum(r.randrange(16 if r.random() < 0.9 else 256) << (8 * n) for n in range(4)),
        "field": lambda i: (
            r.choice([0, 1, 8, 31, 32, 40, 63]) | r.choice([0, 1, 5, 8, 31, 32, 33, 63, 64, 100]) << 16
        ),
    }
    values = []
    for i in range(CASES):
        if kind in made:
            v = made[kind](i)
        elif kind.startswith("pf") or kind == "pi16" or kind == "pu16" or kind == "pb16":
            base = kind[1:]
            one = w
            edges = fp_edges(one) if "f" in base else int_edges(one)
            lo, hi = (
                (pick(edges, i), pick(edges, i + 5 + slot))
                if i < EDGES
                else (fp(one), fp(one))
                if "f" in base
                else (
                    r.getrandbits(one),
                    r.getrandbits(one),
                )
            )
            v = lo | hi << one
        elif kind.startswith("f"):
            v = pick(fp_edges(w), i) if i < EDGES else fp(w)
            v |= 0x5A5A << 16 if w == 16 else 0
        else:
            v = pick(int_edges(w), i) if i < EDGES else r.getrandbits(w)
            v |= (r.getrandbits(16) << 16) if w == 16 else 0
        values.append(v & MASK)
    if kind[0] in "fiub" and w <= 32 and slot > 0:
        # Sometimes operands are equal.
        first = pool(kind, 0)
        for i in range(slot, CASES, 9):
            values[i] = first[i]
    return values


def mask_in(i: int) -> int:
    """Return VCC or SCC before case i."""
    return (i * 5 + i // 7) >> 1 & 1


def rows(text: str) -> dict[str, tuple[str, str, list[str]]]:
    """Return the instructions of a table: encoding, mark of a single target, kinds of operands."""
    found = {}
    for line in text.splitlines():
        words = line.split(" ")
        if line.startswith("#") or words[0].split("@")[0] not in (
            "sop1",
            "sop2",
            "sopc",
            "sopk",
            "vop1",
            "vop2",
            "vopc",
            "vop3",
            "vop3sd",
            "vop3p",
        ):
            continue
        enc, _, mark = words[0].partition("@")
        old = found.get(words[2])
        if old and len(old[2]) >= len(words[3:]) and old[1] == mark:
            continue
        found[words[2]] = (old[0] if old else enc, mark, words[3:])
    return found


def codes(table: dict[Any, str]) -> dict[str, str]:
    out: dict[str, str] = {}
    for key, text in table.items():
        out.setdefault(re.sub(r"_(e32|e64)$", "", key.name.lower()), text)
    return out | OWN


def bits_of(kind: str) -> int:
    w = int(re.sub(r"\D", "", kind))
    return 2 * w if kind.startswith("p") else w


def by_hand(name: str, s: list[int]) -> Float | None:
    """Compute what pseudocode only outlines: approximations, and results that it would round wrongly."""
    if name == "v_trig_preop_f64":
        return trig_preop(s)
    m = re.fullmatch(r"v_(rcp|rsq|sqrt|exp|log|sin|cos|rndne|fract|frexp_mant|rcp_iflag)_f(\d+)", name)
    if not m:
        return None
    w = int(m[2])
    x = Float(w, s[0] & ((1 << w) - 1))
    what = m[1]
    if what == "rndne":
        if x.nan:
            return nan(w)
        return x if x.inf else rounded(Fraction(round(x.value())), w, x.sign)
    if what == "fract":
        if x.nan or x.inf:
            return nan(w)
        one = rounded(Fraction(1), w)
        f = rounded(x.value() - math.floor(x.value()), w)
        return Float(w, one.bits - 1) if f.bits >= one.bits else f
    if what == "frexp_mant":
        if x.nan or x.inf or x.value() == 0:
            return Float(w, x.bits | (1 << (FORMATS[w][1] - 1) if x.nan else 0), x.nan)
        v = abs(x.value())
        e = v.numerator.bit_length() - v.denominator.bit_length()
        v = v / Fraction(2) ** e
        v = v / 2 if v >= 1 else v
        return rounded(-v if x.sign else v, w)
    if x.nan:
        return nan(w)
    h = host(x)
    if what in ("rcp", "rcp_iflag"):
        if h == 0:
            return inf(w, x.sign)
        return Float(w, x.sign << (w - 1)) if x.inf else rounded(1 / x.value(), w)
    if what in ("rsq", "sqrt"):
        if h == 0:
            return x if what == "sqrt" else inf(w, x.sign)
        if h < 0:
            return nan(w)
        if x.inf:
            return x if what == "sqrt" else Float(w, 0)
        r = math.sqrt(h)
        return real(r if what == "sqrt" else 1 / r, w)
    if what == "exp":
        return real(math.inf if h >= 1024 else 0.0 if h < -1100 else 2.0**h, w)
    if what == "log":
        return nan(w) if h < 0 else inf(w, 1) if h == 0 else real(math.inf if x.inf else math.log2(h), w)
    if x.inf:
        return nan(w)
    turn = (h - math.floor(h)) * 2 * math.pi
    return real(math.sin(turn) if what == "sin" else math.cos(turn), w)


# Pseudocode that the documents lack: instructions of CDNA2 that CDNA3 lacks, functions that others call.
OWN = {
    "v_mad_f32": "D0.f32 = S0.f32 * S1.f32 + S2.f32",
    "v_mac_f32": "D0.f32 = S0.f32 * S1.f32 + D0.f32",
    "v_madak_f32": "D0.f32 = S0.f32 * S1.f32 + SIMM32.f32",
    "v_madmk_f32": "D0.f32 = S0.f32 * SIMM32.f32 + S1.f32",
    "v_cvt_i16_f32": "D0.i16 = f32_to_i16(S0.f32)",
    "v_cvt_u16_f32": "D0.u16 = f32_to_u16(S0.f32)",
}


def unknown(name: str, w: int, values: list[int], result: int) -> bool:
    """Return whether the result of a case is not checked.

    These are subnormal numbers that an approximation may treat as zero in any mode, and a quotient that is
    NaN before its last step, which the documents do not specify.
    """
    if name.startswith("v_div_fixup"):
        return Float(w, values[0] & ((1 << w) - 1)).nan
    if w != 32 or not re.match(r"v_(rcp|rsq|sqrt|exp|log|sin|cos|mad|mac)(ak|mk|_iflag)?_f32", name):
        return False
    return any(b & 0x7F800000 == 0 and b & 0x7FFFFF != 0 for b in (*values, result))


@cache
def two_over_pi() -> int:
    """Return 2/pi with 1201 bits after the binary point, by Machin's formula."""
    one = 1 << 1400
    arc = lambda n: sum((-1) ** k * one // ((2 * k + 1) * n ** (2 * k + 1)) for k in range(1000))  # noqa: E731
    return (2 << 1201) * one // (4 * (4 * arc(5) - arc(239)))


def trig_preop(s: list[int]) -> Float:
    """Return a part of 2/pi, as bits of the field of 1201."""
    exponent = s[0] >> 52 & 2047
    shift = (s[1] & 31) * 53 + max(exponent - 1077, 0)
    kept = (two_over_pi() << shift) >> 1201 - 53 & (1 << 53) - 1
    return rounded(Fraction(kept) * Fraction(2) ** (-53 - shift + (128 if exponent >= 1968 else 0)), 64)


def frexp_exp(name: str, s: int) -> int | None:
    m = re.fullmatch(r"v_frexp_exp_i\d+_f(\d+)", name)
    if not m:
        return None
    x = Float(int(m[1]), s & ((1 << int(m[1])) - 1))
    if x.nan or x.inf or x.value() == 0:
        return 0
    v = abs(x.value())
    e = v.numerator.bit_length() - v.denominator.bit_length()
    return e + 1 if Fraction(2) ** e <= v else e


def line(name: str, enc: str, kinds: list[str], others: dict[str, str], wave: int) -> str | None:
    """Return an instruction's line: kinds of operands, then the result of each case."""
    text = others.get(name)
    if text is None:
        return None
    if enc == "sopk":
        dst, sources = kinds[0], [kinds[0]]
    else:
        dst, sources = kinds[0], [k for k in kinds[1:] if k not in ("-", "m")]
    if enc == "sopc" or enc == "vopc":
        dst = "-"
    names = []
    for n, k in enumerate(sources):
        named = next((p for rule, at, p in SPECIAL if at == n and re.match(rule, name)), None)
        names.append(named or k.replace("b", "u").replace("pu", "pu"))
    reads = bool(re.search(r"D0\.\w+\)|D0\.\w+;|\+ D0", text)) and bool(
        re.match(r"v_(fmac|mac|pk_fmac)_", name)
    )
    literal = "SIMM32" in text or bool(re.match(r"v_(fma|mad)(ak|mk)_", name))
    if literal:
        names = names[:2]
    width = 0 if dst == "-" else bits_of(dst)
    slots = [(k, n) for n, k in enumerate(names)]
    if reads:
        slots.append((dst.replace("b", "u"), 2))
    if enc == "sopk":
        slots.append(("i16", 1))
    pools = [pool(k, n) for k, n in slots]
    results, masks, has_mask = [], 0, False
    for i in range(CASES):
        s = [p[i] for p in pools]
        lane = i % wave
        m = Machine(others, lane)
        for n, v in enumerate(s[: len(names)]):
            m.reg(f"S{n}", v)
        d = m.reg("D0", s[-1] if reads else 0xAAAAAAAAAAAAAAAA & ((1 << width) - 1))
        d1 = m.reg("D1", 0)
        vcc = m.reg("VCC", mask_in(i) << lane)
        execs = m.reg("EXEC", 1 << lane)
        m.reg("SCC", mask_in(i))
        if enc == "sopk":
            imm = pools[1][i // 8 * 8] & 0xFFFF
            m.reg("SIMM16", imm)
            d.put(0, 64, s[0])
            if re.search(r"\bS1\b", text):
                m.reg("S1", imm)
            elif name.startswith("s_cmpk") is False:
                m.reg("S0", imm)
        if literal:
            m.reg("SIMM32", LITERAL[bits_of(dst)])
            m.reg("SIMM16", LITERAL[bits_of(dst)])
            m.reg("S2", LITERAL[bits_of(dst)])
        special = by_hand(name, s)
        exponent = frexp_exp(name, s[0])
        if special is not None:
            d.put(0, special.w, special.bits, special.any)
        elif exponent is not None:
            d.put(0, width, exponent)
        else:
            m.run(text)
        d = m.env["D0"] if isinstance(m.env["D0"], Reg) else d
        if width and dst != "-":
            digits = width // 4
            if unknown(name, width, s, d.bits & 0xFFFFFFFF):
                results.append("-")
            elif not d.any:
                results.append(f"{d.bits & ((1 << width) - 1):0{digits}x}")
            else:
                shown = f"{d.bits & ((1 << width) - 1):0{digits}x}"
                for at, n in d.any.items():
                    end = digits - at // 4
                    shown = shown[: end - n // 4] + "n" * (n // 4) + shown[end:]
                results.append(shown)
        if enc == "vopc":
            has_mask = True
            reg = m.env["EXEC"] if "cmpx" in name and "D0.u64" not in text else m.env["D0"]
            bit = reg.bits >> lane & 1
        elif enc in ("sop1", "sop2", "sopc", "sopk"):
            has_mask = True
            scc = m.env["SCC"]
            bit = (scc.bits if isinstance(scc, Reg) else scc.v) & 1
        elif "VCC.u64[laneId] =" in text:
            has_mask, bit = True, vcc.bits >> lane & 1
        elif "D1" in text:
            has_mask, bit = True, d1.bits & 1
        else:
            bit = 0
        masks |= bit << i
        _ = execs
    shown_slots = ",".join(f"{k}.{n}" for k, n in slots)
    return "\t".join(
        [name, enc, dst, shown_slots, f"{masks:024x}" if has_mask else "-", " ".join(results) or "-"]
    )


def main() -> None:
    src = HERE / "../../src/engine/isa"
    ops = set(re.findall(r"\b[sv]_\w+", (src / "ops.rs").read_text().split("ops! {")[-1]))
    gcn = (src / "gcn.rs").read_text()
    renamed = dict(re.findall(r'\("(\w+)", "(\w+)"\)', gcn.split("];")[0]))
    skip = re.compile((HERE / "by_hand.txt").read_text().strip().replace("\n", "|"))
    used: dict[str, list[int]] = {}
    lines: dict[str, str] = {}
    for family, table, codes_of, wave in (
        ("rdna3", "rdna3.txt", codes(RDNA3), 32),
        ("cdna", "cdna.txt", codes(CDNA), 64),
    ):
        for name, (enc, mark, kinds) in rows((src / table).read_text()).items():
            known = renamed.get(name, name)
            if (known not in ops and not re.match(r"[sv]_cmp", name)) or skip.fullmatch(name):
                continue
            try:
                text = line(name, enc, kinds, codes_of, wave)
            except Exception as e:
                print(f"{family} {name}: {type(e).__name__} {e}", file=sys.stderr)
                continue
            if text is None:
                print(f"{family} {name}: no pseudocode", file=sys.stderr)
                continue
            target = {"": family, "90a": "gfx90a", "942": "gfx942"}[mark]
            lines[text] = f"{lines[text]},{target}" if text in lines else target
    for text in lines:
        for slot in text.split("\t")[3].split(","):
            if slot:
                used.setdefault(slot, pool(slot.split(".")[0], int(slot.split(".")[1])))
    out = [f"#{slot}\t" + " ".join(f"{v:x}" for v in values) for slot, values in sorted(used.items())]
    out += [f"{target}\t{text}" for text, target in lines.items()]
    (HERE / "vectors.tsv").write_text("\n".join(out) + "\n")
    print(len(lines), "instructions")


if __name__ == "__main__":
    main()
