"""The cases of the golden files with fresh inputs: more dtypes, more layouts."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: cargo xtask test-peers installs it")

import golden_cases
import golden_ops
import layer_cases
import live
import network_cases
import recurrent_cases
import torch_calls
from rushlight import Tensor


def rows() -> list[live.Definition]:
    found = []
    layers = {**layer_cases.FAMILIES, **recurrent_cases.FAMILIES}
    tables = {**golden_cases.FAMILIES, **network_cases.FAMILIES, **layers}
    for family, fill in tables.items():
        if family != "optim":
            book = live.Recorder(family)
            fill(book)
            found += book.rows
    return found


@pytest.mark.peer
@pytest.mark.parametrize("case", list(live.cases(rows())), ids=str)
def test_like_pytorch(case: live.Case) -> None:
    op = case.row.op

    def ours(**inputs: Any) -> list[Tensor]:
        return golden_ops.outputs(op, inputs, case.row.kwargs)

    summed = op in golden_ops.LONG or "sums" in case.row.tags
    live.check(case, ours, torch_calls.function(op), summed, golden_ops.floor(op, 0.0))
