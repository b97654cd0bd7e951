"""Optimizers follow PyTorch's step by step, from the same gradients."""

from __future__ import annotations

import numpy as np
import pytest

import golden_ops
import load
import rushlight as rl
import training_cases
from compare import assert_near
from rushlight import optim

CASES = [*load.cases("optim"), *load.cases("optimizers"), *load.cases("sparse_adam")]
SCHEDULES = load.cases("schedules")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_steps(case: load.Case) -> None:
    args = dict(zip(case.args, case.inputs, strict=True))
    tracks = golden_ops.optimize(case.op, args, case.dtype, case.kwargs)
    relative = 1e-12 if case.dtype == "float64" else 1e-5
    for i, (track, wanted) in enumerate(zip(tracks, case.outputs, strict=True)):
        for step, (got, want) in enumerate(zip(track, wanted, strict=True)):
            assert_near(got, want, relative, f"{case.name} step {step} parameter {i}")


@pytest.mark.parametrize("case", CASES[::3], ids=lambda case: case.name)
def test_saved_state_goes_on_as_before(case: load.Case) -> None:
    """Saving and loading in the middle gives the same bits as an uninterrupted run."""
    args = dict(zip(case.args, case.inputs, strict=True))
    grads = args["grads0"]

    def run(interrupted: bool) -> np.ndarray:
        param = rl.asarray(args["param0"].copy()).requires_grad_()
        optimizer = getattr(optim, case.op)([param], **case.kwargs)
        for step in range(len(grads)):
            if interrupted and step == 2:
                saved = optimizer.state_dict()
                param = rl.asarray(param.detach().numpy().copy()).requires_grad_()
                optimizer = getattr(optim, case.op)([param], lr=123.0)
                optimizer.load_state_dict(saved)
            param.grad = rl.asarray(grads[step].copy())
            optimizer.step()
        return param.detach().numpy()

    np.testing.assert_array_equal(run(True), run(False))


@pytest.mark.parametrize("case", load.cases("muon"), ids=lambda case: case.name)
def test_muon_steps(case: load.Case) -> None:
    """PyTorch's products are in bfloat16 and add in another order, so results may differ by a few units of
    bfloat16."""
    args = dict(zip(case.args, case.inputs, strict=True))
    tracks = golden_ops.optimize(case.op, args, case.dtype, case.kwargs)
    rate = case.kwargs.get("lr", 1e-3)
    for i, (track, wanted) in enumerate(zip(tracks, case.outputs, strict=True)):
        moved = np.abs(np.diff(wanted, axis=0)).max()
        for step, (got, want) in enumerate(zip(track, wanted, strict=True)):
            np.testing.assert_allclose(
                got, want, rtol=0, atol=0.04 * rate * (step + 1), err_msg=f"{case.name} {i} {step}"
            )
        assert moved > 0.25 * rate, "the optimizer moved too little for this test"


@pytest.mark.parametrize("case", load.cases("scaler"), ids=lambda case: case.name)
def test_gradient_scaler(case: load.Case) -> None:
    """Scales and growth trackers are PyTorch's bits, and the same steps are left out."""
    *values, factors = case.inputs
    params = [rl.asarray(x.copy()).requires_grad_() for x in values]
    track, scales, trackers = training_cases.run_scaler(rl, params, factors, case.kwargs)
    assert scales == case.outputs[1].tolist()
    assert trackers == case.outputs[2].tolist()
    np.testing.assert_allclose(np.stack(track), case.outputs[0], rtol=2e-6)
    assert len(set(scales)) > 3 or "large" in case.name
    moved = np.abs(np.diff(track, axis=0)).max(axis=1) > 0
    assert 3 <= moved.sum() < len(moved), "some steps are left out, some are not"


@pytest.mark.parametrize("case", load.cases("lbfgs"), ids=lambda case: case.name)
def test_lbfgs_steps(case: load.Case) -> None:
    param = rl.asarray(case.inputs[0].copy()).requires_grad_()
    optimizer = optim.LBFGS([param], **case.kwargs)

    def closure() -> rl.Tensor:
        optimizer.zero_grad()
        loss = training_cases.rosenbrock(param)
        loss.backward()
        return loss

    for step, want in enumerate(case.outputs[0]):
        if step == 3:
            saved = optimizer.state_dict()
            param = rl.asarray(param.detach().numpy().copy()).requires_grad_()
            optimizer = optim.LBFGS([param])
            optimizer.load_state_dict(saved)
        optimizer.step(closure)
        # Each iteration of a quasi-Newton method amplifies the rounding errors of the one before.
        np.testing.assert_allclose(param.detach().numpy(), want, rtol=1e-7, atol=1e-7, err_msg=f"step {step}")


@pytest.mark.parametrize("stop", [None, 0, 1, 5, 17])
@pytest.mark.parametrize("case", SCHEDULES, ids=lambda case: case.name)
def test_schedule(case: load.Case, stop: int | None) -> None:
    """Rates and momenta are PyTorch's, also after saving and loading in the middle."""
    params = [rl.zeros(1, requires_grad=True) for _ in range(2)]
    rates, metrics = case.inputs
    found = training_cases.run_schedule(optim, params, case.op, case.kwargs, rates, metrics, stop)
    for got, want in zip(found, case.outputs, strict=True):
        assert got.shape == want.shape == (25, 2)
        np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-15)
    assert (case.outputs[0] != rates).any(), "the schedule changed nothing"
