"""Known issues: cases that are expected to fail on some devices, each with an entry of a file."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .case import BAD, Row

OWN = Path(__file__).with_name("known_issues.tsv")


@dataclass(frozen=True)
class Issue:
    """An entry: its id, patterns of cases and devices, and the reason."""

    id: str
    cases: str
    device: str
    why: str


def read(path: Path) -> list[Issue]:
    """Read a file of four columns separated by tabs; ``#`` starts a comment."""
    found = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        columns = line.split("\t")
        if len(columns) != 4 or not all(c.strip() for c in columns):
            raise ValueError(f"{path}:{number}: not four columns (id, cases, device, why): {line!r}")
        found.append(Issue(*columns))
    return found


def apply(row: Row, issues: list[Issue], about: dict[str, Any]) -> Row:
    """Turn an expected failure into XFAIL, and an unexpected pass into FAIL."""
    names = (about["device"].split(":")[0], about["arch"].split(":")[0], about["evidence"])
    for issue in issues:
        of_device = any(fnmatch.fnmatchcase(name, issue.device) for name in names if name)
        if not of_device or not fnmatch.fnmatchcase(row.case.name, issue.cases):
            continue
        if row.status in BAD:
            row.reason = f"{issue.id}: {issue.why} ({row.status}: {row.reason})"
            row.status = "XFAIL"
        elif row.status == "PASS":
            row.status = "FAIL"
            row.reason = f"unexpected pass: {issue.id} says that it fails ({issue.why}); take the entry off"
        return row
    return row
