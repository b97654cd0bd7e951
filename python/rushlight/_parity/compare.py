"""``rushlight parity compare``: compares the result files of runs on separate machines."""

from __future__ import annotations

import base64
from collections import Counter
from pathlib import Path
from typing import Any

from rushlight import _native

from . import report
from .case import BAD, Case, Row, table

OWN = "by each run's own verdict"

Raw = list[tuple[str, list[int], bytes]]


def _raw(outputs: list[list[Any]]) -> Raw:
    return [(dtype, dims, base64.b64decode(data)) for dtype, dims, data in outputs]


def is_true(results: report.Results) -> bool:
    """Return whether a file holds true values of another library instead of a device's results."""
    return bool(results.head.get("values") == "true")


def _promised(suite: Any, case: Case) -> str:
    """Return the part of a result that must be the same on every device; empty if it may differ."""
    if case.run == "error":
        return "an error's words"
    exact = case.run == "forward" and suite.bound(case.index, case.dtype)[0] == "exact"
    return "the op's bits" if exact and suite.fixed_order(case.index) else ""


def judge(
    suite: Any, case: Case, a: Row, b: Row, *, of_truth: bool = False, own: bool = False
) -> tuple[str, str]:
    """Judge a case that passed in two runs by its op's bound; returns status and reason.

    `of_truth`: the second run holds true values. `own`: each run was compared with true results; that
    decides cases whose values were too large to keep, where the op does not promise bits.
    """
    if a.hash and a.hash == b.hash:
        return "PASS", ""
    if not a.outputs or not b.outputs:
        if not of_truth and (promised := _promised(suite, case)):
            return (
                "FAIL",
                f"{promised} differ ({a.hash} and {b.hash}; --json keeps the values of small cases)",
            )
        if own:
            return "PASS", OWN
        return (
            "SKIP",
            "no-values: the bits differ, and a run kept no values (of small cases --json keeps them)",
        )
    call = suite.judge_true_outputs if of_truth else suite.compare
    done = call(case.index, _raw(a.outputs), _raw(b.outputs))
    return ("PASS", "") if done["good"] else ("FAIL", str(done["reason"]))


def with_other(suite: Any, row: Row, other: report.Results) -> Row:
    """Judge a row against the same case of a result file (`--against FILE`)."""
    found = other.by_name.get(row.case.name)
    if row.status != "PASS" or found is None:
        return row if found else Row(row.case, "SKIP", "no-reference: the file has no such case")
    if found.status != "PASS":
        why = found.reason
        known = why.startswith(("no-reference", "no-values"))
        return Row(
            row.case, "SKIP", why if known else f"no-reference: in the file the case is {found.status}"
        )
    truth = is_true(other)
    own = not truth and other.head.get("against") == "f64"
    row.status, row.reason = judge(suite, row.case, row, found, of_truth=truth, own=own)
    row.reason = "" if row.reason == OWN else row.reason
    return row


def command(words: list[str], markdown: Path | None) -> int:
    """Compare result files; returns 0 if what passes in the first one passes in all others and agrees."""
    if words[0] != "compare" or len(words) < 3:
        raise ValueError(
            f"what is {' '.join(words)!r}? Write: rushlight parity compare A.json B.json [MORE.json]"
        )
    runs = [report.load(Path(path)) for path in words[1:]]
    seeds = {run.head["seed"] for run in runs}
    if len(seeds) > 1:
        raise ValueError(f"the files are of different seeds: {sorted(seeds)}")
    suite = _native._Parity(seeds.pop())
    index = {case.name: case for case in table(suite)}
    first, *others = runs
    lines = [f"A: {report.title(first.head)}"]
    failed = False
    out = ["## Parity compared", "", f"A: {report.title(first.head)}", ""]
    for letter, other in zip("BCDEFGHIJKLMNOPQRSTUVWXYZ", others, strict=False):
        counts, found, same_bits = _pair(suite, index, first, other)
        judged = counts["agree"] + counts["differ"]
        agree = 100 * counts["agree"] / judged if judged else 0.0
        bits = 100 * same_bits / judged if judged else 0.0
        lost = counts["lost"] if _whole(other) else 0
        # A file of true values keeps only small outputs, so an unknown case in it is not a failure.
        failed |= counts["unknown"] > 0 and not is_true(first) and not is_true(other)
        failed |= counts["differ"] > 0 or counts["bad"] > 0 or lost > 0 or not judged
        said = [
            f"{letter}: {report.title(other.head)}",
            f"   {agree:.2f} % of {judged:,} cases that both pass agree ({bits:.2f} % to the bit)",
            f"   {counts['differ']} differ, {counts['unknown']} have other bits, no values and no verdict, "
            f"{counts['missed']} are in one file only (MISSED), "
            f"{counts['bad'] + lost} pass in A and not in {letter}",
        ]
        if counts["own"]:
            said.append(
                f"   {counts['own']} are too large to be kept, and agree since each run's own verdict is PASS"
            )
        if counts["lost"] and not lost:
            said.append(
                f"   {letter} ran a part of the suite: {counts['lost']:,} that pass in A are not in it"
            )
        lines += said
        out += said
        for name, why in found[:50]:
            also = _also(name, [run for run in runs if run is not other])
            lines.append(f"   {name}: {why}{also}")
            out.append(f"- `{name}`: {why}{also}")
    print("\n".join(lines))
    if markdown:
        with markdown.open("a") as f:
            f.write("\n".join(out) + "\n")
    return 1 if failed else 0


def _whole(run: report.Results) -> bool:
    """Return whether a run had every case, according to its file."""
    return not run.head.get("chosen") and not run.head.get("not_begun") and not is_true(run)


def _pair(
    suite: Any, index: dict[str, Any], a: report.Results, b: report.Results
) -> tuple[Counter[str], list[tuple[str, str]], int]:
    counts: Counter[str] = Counter()
    found: list[tuple[str, str]] = []
    same = 0
    rows = b.by_name
    own = a.head.get("against") == b.head.get("against") == "f64"
    counts["missed"] = len(rows.keys() ^ a.by_name.keys())
    for row in a.rows:
        there = rows.get(row.case.name)
        if there is None:
            counts["lost"] += row.status == "PASS"
            continue
        if row.status == "PASS" and there.status in BAD:
            counts["bad"] += 1
            found.append((row.case.name, f"{there.status} {there.reason}"))
        if row.status != "PASS" or there.status != "PASS":
            continue
        case = index.get(row.case.name)
        if case is None:
            counts["missed"] += 1
            continue
        if row.hash == there.hash:
            same += 1
        # The file of true values is the reference, whichever file is named first.
        pair = (there, row) if is_true(a) else (row, there)
        status, reason = judge(suite, case, *pair, of_truth=is_true(a) or is_true(b), own=own)
        counts["own"] += reason == OWN
        key = {"PASS": "agree", "FAIL": "differ", "SKIP": "unknown"}[status]
        counts[key] += 1
        if status == "FAIL":
            found.append((row.case.name, reason))
    return counts, found, same


def _also(name: str, runs: list[report.Results]) -> str:
    """Return the targets of other runs in which a case fails."""
    archs = []
    for run in runs:
        row = run.by_name.get(name)
        if row is not None and row.status in BAD:
            archs.append(str(run.head.get("arch") or run.head.get("device")))
    return f" (also failing in: {', '.join(archs)})" if archs else ""
