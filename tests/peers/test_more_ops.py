"""Ops without golden files, and integers, against PyTorch."""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: cargo xtask test-peers installs it")

import live
import more_cases


def rows(family: str) -> list[live.Definition]:
    book = live.Recorder(family)
    {"more": more_cases.more, "whole": more_cases.whole}[family](book)
    return book.rows


@pytest.mark.peer
@pytest.mark.parametrize("case", list(live.cases(rows("more"))), ids=str)
def test_like_pytorch(case: live.Case) -> None:
    pair = more_cases.PAIRS[case.row.op]
    live.check(case, lambda **inputs: pair.ours(**inputs, **case.row.kwargs), pair.theirs, pair.summed)


@pytest.mark.peer
@pytest.mark.parametrize("case", list(live.cases(rows("whole"))), ids=str)
def test_integers_like_pytorch(case: live.Case) -> None:
    pair = more_cases.INTS[case.row.op]
    live.check(case, pair.ours, pair.theirs, pair.summed)


def test_every_pair_has_a_case() -> None:
    assert {row.op for row in rows("more")} == set(more_cases.PAIRS)
    assert {row.op for row in rows("whole")} == set(more_cases.INTS)
