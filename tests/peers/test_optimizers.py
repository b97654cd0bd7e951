"""50 steps of each optimizer from the same gradients."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: cargo xtask test-peers installs it")

import golden_cases
import golden_ops
import live
import torch_calls
import training_cases
from compare import assert_near
from torch_calls import tensor

STEPS = 50


def rows() -> list[live.Definition]:
    book = live.Recorder("optim")
    golden_cases.optim(book, steps=STEPS)
    training_cases.optimizers(book, steps=STEPS)
    return book.rows


CASES = [live.Case(row, dtype, "given") for row in rows() for dtype in golden_cases.FLOATS]


@pytest.mark.peer
@pytest.mark.parametrize("case", CASES, ids=str)
def test_fifty_steps(case: live.Case) -> None:
    """Every step is as near to the float64 trajectory as PyTorch's, or within the rounding error of its
    dtype."""
    row = case.row
    drawn, _ = row.draw()
    run = torch_calls.function(row.op)
    exact = run(**{arg: tensor(x, "float64") for arg, x in drawn.items()}, **row.kwargs)
    peers = run(**{arg: tensor(x, case.dtype) for arg, x in drawn.items()}, **row.kwargs)
    tracks = golden_ops.optimize(row.op, drawn, case.dtype, row.kwargs)
    for i, (track, want, peer) in enumerate(zip(tracks, exact, peers, strict=True)):
        got, want, peer = np.stack(track), want.numpy(), peer.double().numpy()
        assert len(got) == STEPS
        assert np.ptp(want, axis=0).max() > 0.01 or "zero" in row.variant, "the optimizer moved nothing"
        limit = 1e-12 if case.dtype == "float64" else 2e-6
        off = np.abs(peer - want) / np.maximum(1.0, np.abs(want))
        note = f"{case}, RUSHLIGHT_SEED={live.SEED}, parameter {i}"
        assert_near(got, want, max(limit, 4 * float(off.max())), note)
