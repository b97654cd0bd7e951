"""Results of a run, and the files that hold them."""

from __future__ import annotations

import functools
import gzip
import html
import json
import zlib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from .case import BAD, STATUSES, Case, Row

Cell = list[Any]
"""Op, dtype, pass, cases by status, reasons of those not run or known to fail, cases in all, worst ulp."""


FORMAT = 1
"""The version of result files."""
WORDS = ("device", "name", "arch", "evidence")


@dataclass
class Results:
    """The head of a run and its rows."""

    head: dict[str, Any]
    rows: list[Row]
    by_cell: list[Cell] = field(default_factory=list)

    @functools.cached_property
    def by_name(self) -> dict[str, Row]:
        """The rows of a file by the names of their cases."""
        return {row.case.name: row for row in self.rows}

    def totals(self) -> Counter[str]:
        """Return how many rows have each status."""
        return Counter(row.status for row in self.rows)

    def bad(self) -> int:
        """Return how many rows make the run fail."""
        totals = self.totals()
        return sum(totals[status] for status in BAD)

    def cells(self, cases: list[Case]) -> None:
        """Gather the rows by op, dtype and pass, in the cases' order."""
        every = Counter((case.op, case.dtype, case.run) for case in cases)
        rows: dict[tuple[str, str, str], list[Row]] = {}
        for row in self.rows:
            rows.setdefault((row.case.op, row.case.dtype, row.case.run), []).append(row)
        self.by_cell = []
        for key, count in every.items():
            if found := rows.get(key):
                counts = Counter(row.status for row in found)
                by_status = {s: counts[s] for s in STATUSES if counts[s]}
                reasons = sorted({row.reason for row in found if row.status in ("SKIP", "XFAIL")})
                worst = round(max(row.max_ulp for row in found), 2)
                self.by_cell.append([*key, by_status, reasons, count, worst])


def _line(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), allow_nan=True)


def _head(done: Results) -> str:
    head = {**done.head, "totals": {s: done.totals()[s] for s in STATUSES}}
    return ",\n".join(f" {json.dumps(k)}: {json.dumps(v)}" for k, v in head.items())


def values_path(path: Path) -> Path:
    """Return where the values of a result file lie."""
    return path.with_suffix(".values.gz")


def json_file(done: Results, path: Path) -> None:
    """Write a result file, and the values beside it.

    A row is name, status, bit hash, ulp, the CPU's ulp, ms and reason.
    """
    rows = [
        _line([r.case.name, r.status, r.hash, round(r.max_ulp, 4), round(r.cpu_ulp, 4), r.ms, r.reason])
        for r in done.rows
    ]
    cells = [_line(c) for c in done.by_cell]
    body = f' "cells": [\n{_joined(cells)}\n ],\n "cases": [\n{_joined(rows)}\n ]'
    path.write_text(f"{{\n{_head(done)},\n{body}\n}}\n")
    with gzip.GzipFile(values_path(path), "wb", mtime=0) as f:
        for row in done.rows:
            if row.outputs:
                f.write((_line([row.case.name, row.outputs]) + "\n").encode())


def _joined(lines: list[str]) -> str:
    return ",\n".join(f"  {line}" for line in lines)


def summary_file(done: Results, path: Path) -> None:
    """Write the summary from which PARITY.md is generated: one line for each cell, in a fixed order.

    A line has op, dtype, pass, the number of cases by status, and the reasons of cases that were not run.
    """
    kept: tuple[str, ...] = (
        "format",
        "evidence",
        "device",
        "name",
        "arch",
        "wave",
        "runtime",
        "driver",
        "rushlight",
    )
    kept += ("commit", "when", "seed", "against", "reference", "chosen", "not_begun")
    short = Results({k: done.head[k] for k in kept if k in done.head}, done.rows)
    cells = [_line([*c[:4], *([c[4]] if c[4] else [])]) for c in done.by_cell]
    path.write_text(f'{{\n{_head(short)},\n "cells": [\n{_joined(cells)}\n ]\n}}\n')


def load(path: Path) -> Results:
    """Read a result file, with its values if they exist."""
    values: dict[str, list[list[Any]]] = {}
    try:
        if values_path(path).exists():
            with gzip.open(values_path(path), "rt") as f:
                values = dict(json.loads(line) for line in f)
    except (OSError, EOFError, zlib.error, ValueError, TypeError) as e:
        raise ValueError(f"{values_path(path)}, the values of {path}, is damaged ({e})") from e
    try:
        found = json.loads(path.read_text())
        if found["format"] != FORMAT:
            raise ValueError(f"its format is {found['format']!r}, this rushlight reads {FORMAT}")
        raw, cells = found.pop("cases"), found.pop("cells")
        rows = []
        for name, status, hash_, ulp, cpu_ulp, ms, reason in raw:
            if status not in STATUSES:
                raise ValueError(f"{name}: no status: {status!r}")
            case = Case(-1, name, name.partition("#")[0], "", "", "")
            rows.append(Row(case, status, str(reason), hash_, ms, ulp, cpu_ulp, [], values.get(name, [])))
        if not (isinstance(found["seed"], int) and all(isinstance(found.get(k, ""), str) for k in WORDS)):
            raise TypeError("no seed, or no device")
        return Results(found, rows, cells)
    except (ValueError, KeyError, TypeError, AttributeError) as e:
        raise ValueError(f"{path} is not a result file of rushlight parity --json ({e})") from e


def title(head: dict[str, Any]) -> str:
    """Return a line with the device and the number of cases that ran."""
    name = head.get("name", "?")
    arch = f", {head['arch']}" if head.get("arch") and head["arch"] not in name else ""
    wave = f", waves of {head['wave']}" if head.get("wave") else ""
    against = f", against {title(head['reference'])}" if head.get("reference") else ""
    return f"{head.get('device', '?')}: {name}{arch}{wave} (evidence: {head.get('evidence', '?')}){against}"


def _version(head: dict[str, Any]) -> str:
    return " ".join(["rushlight", *filter(None, (head.get("rushlight"), str(head.get("commit", ""))[:12]))])


def _families(done: Results) -> list[tuple[str, Counter[str], float]]:
    counts: dict[str, Counter[str]] = {}
    worst: dict[str, float] = {}
    for row in done.rows:
        family = row.case.family
        counts.setdefault(family, Counter())[row.status] += 1
        worst[family] = max(worst.get(family, 0.0), row.max_ulp if row.case.run == "forward" else 0.0)
    return [(f, counts[f], worst[f]) for f in sorted(counts)]


def _shown(done: Results) -> list[str]:
    totals = done.totals()
    return [s for s in STATUSES if totals[s] or s in ("PASS", "FAIL")]


def _sentence(done: Results) -> str:
    totals = done.totals()
    parts = [f"{totals[s]:,} {s}" for s in _shown(done)]
    missed = done.head.get("not_begun", 0)
    more = f"; {missed:,} not begun in the time given" if missed else ""
    return f"{len(done.rows):,} cases in {done.head.get('seconds', 0):g} s: {', '.join(parts)}{more}"


def text(done: Results) -> str:
    """Return the table per family for a terminal."""
    shown = _shown(done)
    width = max((len(row.case.family) for row in done.rows), default=6)
    head = f"{'family':<{width}} " + " ".join(f"{s:>7}" for s in shown) + "  worst ulp"
    lines = ["", title(done.head), head]
    for family, count, worst in _families(done):
        lines.append(f"{family:<{width}} " + " ".join(f"{count[s]:>7}" for s in shown) + f" {worst:>10.2f}")
    return "\n".join([*lines, _sentence(done)])


def _reasons(done: Results) -> list[tuple[str, int]]:
    reasons = Counter(f"{row.status}: {row.reason}" for row in done.rows if row.status in ("SKIP", "XFAIL"))
    return reasons.most_common(30)


def markdown(done: Results) -> str:
    """Return a summary for a pull request or a job, well under GitHub's 1 MiB."""
    shown = _shown(done)
    lines = [f"## Parity: {title(done.head)}", "", _sentence(done), ""]
    lines += [
        f"{_version(done.head)}, seed {done.head['seed']}",
        "",
    ]
    bad = [row for row in done.rows if row.status in BAD]
    if bad:
        lines += ["| case | status | reason |", "|---|---|---|"]
        for row in bad[:50]:
            reason = row.reason[:300].replace("|", "\\|").replace("\n", " ")
            lines.append(f"| `{row.case.name}` | {row.status} | {reason} |")
        lines += [f"| and {len(bad) - 50} more | | |"] if len(bad) > 50 else []
        lines.append("")
    lines += ["<details><summary>By family</summary>", "", f"| family | {' | '.join(shown)} | worst ulp |"]
    lines.append("|---|" + "---|" * (len(shown) + 1))
    for family, count, worst in _families(done):
        lines.append(f"| {family} | {' | '.join(str(count[s]) for s in shown)} | {worst:.2f} |")
    lines += ["", "</details>", ""]
    for reason, times in _reasons(done):
        lines.append(f"- {times} x {reason[:300]}")
    return "\n".join(lines) + "\n"


def markdown_file(done: Results, path: Path) -> None:
    """Add the Markdown summary to a file, as GitHub's job summary wants it."""
    with path.open("a") as f:
        f.write(markdown(done))


def junit_file(done: Results, path: Path) -> None:
    """Write JUnit XML: a test is an op, dtype and pass; each case that failed is a separate test."""
    suites = []
    cells: dict[tuple[str, str], list[Row]] = {}
    for row in done.rows:
        cells.setdefault((row.case.family, f"{row.case.op}/{row.case.dtype}/{row.case.run}"), []).append(row)
    tests: dict[str, list[str]] = {}
    failed: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    for (family, name), rows in cells.items():
        seconds = sum(row.ms for row in rows) / 1e3
        start = f'<testcase classname={quoteattr("parity." + family)} name={{}} time="{seconds:.3f}"'
        out = tests.setdefault(family, [])
        bad = [row for row in rows if row.status in BAD]
        for row in bad:
            failed[family] += 1
            kind = "error" if row.status in ("CRASH", "TIMEOUT") else "failure"
            message = quoteattr(f"{row.status}: {row.reason[:500]}")
            body = f"<{kind} message={message}>{escape(_mismatches(row))}</{kind}>"
            out.append(start.format(quoteattr(row.case.name)) + f">{body}</testcase>")
        others = [row for row in rows if row.status in ("SKIP", "XFAIL")]
        if others and len(others) + len(bad) == len(rows):
            skipped[family] += 1
            out.append(
                start.format(quoteattr(name))
                + f"><skipped message={quoteattr(others[0].reason[:500])}/></testcase>"
            )
        elif len(bad) < len(rows):
            out.append(start.format(quoteattr(name)) + "/>")
    for family, lines in sorted(tests.items()):
        counts = f'tests="{len(lines)}" failures="{failed[family]}" skipped="{skipped[family]}"'
        suites.append(
            f"<testsuite name={quoteattr(family)} {counts}>\n" + "\n".join(lines) + "\n</testsuite>"
        )
    name = quoteattr(f"{title(done.head)}: {_sentence(done)}")
    every = sum(map(len, tests.values()))
    counts = f'tests="{every}" failures="{sum(failed.values())}" skipped="{sum(skipped.values())}"'
    counts += f' time="{done.head.get("seconds", 0):g}"'
    path.write_text(
        f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name={name} {counts}>\n'
        + "\n".join(suites)
        + "\n</testsuites>\n"
    )


def _mismatches(row: Row) -> str:
    return "\n".join(
        f"{m['position']}: {m['got']}, expected {m['want']}, {m['ulp']:.3g} ulp" for m in row.mismatches
    )


STYLE = (
    "body{font:14px/1.4 system-ui,sans-serif;margin:2em auto;max-width:70em;padding:0 1em;"
    "color-scheme:light dark}"
    "table{border-collapse:collapse}td,th{border:1px solid #8884;padding:.15em .5em;text-align:right}"
    "td:first-child,th:first-child{text-align:left}.PASS{background:#2a82}.FAIL,.CRASH,.TIMEOUT,.MISSED{background:#c339}"
    ".SKIP,.XFAIL{background:#aa83}pre{white-space:pre-wrap}"
)


def _cell(cell: Cell | None) -> str:
    """Return a cell of a table: the number of cases, in the colour of the worst status."""
    if cell is None:
        return "<td>"
    order = (*BAD, "XFAIL", "SKIP", "PASS")
    return f"<td class={next(s for s in order if s in cell[3])}>{sum(cell[3].values())}"


def html_file(done: Results, path: Path) -> None:
    """Write one self-contained page: totals, failures, and every op by dtype."""
    shown = _shown(done)
    e = html.escape
    out = [f"<!doctype html><meta charset=utf-8><title>Parity</title><style>{STYLE}</style>"]
    out.append(f"<h1>Parity</h1><p>{e(title(done.head))}<p>{e(_sentence(done))}")
    about = ", ".join(
        f"{k} {done.head[k]}"
        for k in ("rushlight", "commit", "runtime", "driver", "when", "seed")
        if done.head.get(k)
    )
    out.append(f"<p>{e(about)}")
    bad = [row for row in done.rows if row.status in BAD]
    for row in bad[:500]:
        out.append(
            f"<h3>{row.status} {e(row.case.name)}</h3><pre>{e(row.reason)}\n{e(_mismatches(row))}</pre>"
        )
    out.append(
        "<h2>By family</h2><table><tr><th>family" + "".join(f"<th>{s}" for s in shown) + "<th>worst ulp"
    )
    for family, count, worst in _families(done):
        out.append(f"<tr><td>{e(family)}" + "".join(f"<td>{count[s]}" for s in shown) + f"<td>{worst:.2f}")
    out.append("</table>")
    for run in ("forward", "gradient"):
        cells = {(c[0], c[1]): c for c in done.by_cell if c[2] == run}
        dtypes = list(dict.fromkeys(c[1] for c in done.by_cell if c[2] == run))
        out.append(f"<h2>{run}</h2><table><tr><th>op" + "".join(f"<th>{d}" for d in dtypes))
        for op in dict.fromkeys(c[0] for c in done.by_cell if c[2] == run):
            found = [cells.get((op, d)) for d in dtypes]
            out.append(f"<tr><td>{e(op)}" + "".join(_cell(c) for c in found))
        out.append("</table>")
    path.write_text("\n".join(out) + "\n")
