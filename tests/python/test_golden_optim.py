"""Optimizers follow PyTorch's step by step, from the same gradients."""

from __future__ import annotations

import numpy as np
import pytest

import golden_ops
import load
import rushlight as rl
from compare import assert_near

CASES = load.cases("optim")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_steps(case: load.Case) -> None:
    args = dict(zip(case.args, case.inputs, strict=True))
    tracks = golden_ops.optimize(case.op, args, case.dtype, case.kwargs)
    relative = 1e-12 if case.dtype == "float64" else 1e-5
    for i, (track, wanted) in enumerate(zip(tracks, case.outputs, strict=True)):
        for step, (got, want) in enumerate(zip(track, wanted, strict=True)):
            assert_near(got, want, relative, f"{case.name} step {step} parameter {i}")


@pytest.mark.parametrize("case", CASES[::4], ids=lambda case: case.name)
def test_saved_state_goes_on_as_before(case: load.Case) -> None:
    """Stopping in the middle, saving and loading gives the same bits as going on."""
    args = dict(zip(case.args, case.inputs, strict=True))
    grads = args["grads0"]

    def run(interrupted: bool) -> np.ndarray:
        param = rl.asarray(args["param0"].copy()).requires_grad_()
        optimizer = golden_ops.OPTIMIZERS[case.op]([param], **case.kwargs)
        for step in range(len(grads)):
            if interrupted and step == 2:
                saved = optimizer.state_dict()
                param = rl.asarray(param.detach().numpy().copy()).requires_grad_()
                optimizer = golden_ops.OPTIMIZERS[case.op]([param], lr=123.0)
                optimizer.load_state_dict(saved)
            param.grad = rl.asarray(grads[step].copy())
            optimizer.step()
        return param.detach().numpy()

    np.testing.assert_array_equal(run(True), run(False))
