"""Optimizers: groups, settings, errors. The numbers are in test_golden_optim.py."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as rl
from compare import to_np
from rushlight import optim

KINDS: list[Any] = [optim.SGD, optim.Adam, optim.AdamW]


def param(*values: float) -> rl.Tensor:
    return rl.asarray(list(values)).requires_grad_()


@pytest.mark.parametrize("kind", KINDS)
def test_parameter_without_gradient_stays(kind: Any) -> None:
    a, b = param(1.0, 2.0), param(3.0)
    optimizer = kind([a, b], lr=0.1, weight_decay=0.5)
    a.grad = rl.ones(2)
    optimizer.step()
    assert b.tolist() == [3.0]
    assert a.tolist() != [1.0, 2.0]
    assert a.requires_grad
    assert a.is_leaf


@pytest.mark.parametrize("kind", KINDS)
def test_groups_have_their_own_settings(kind: Any) -> None:
    a, b = param(1.0), param(1.0)
    optimizer = kind([{"params": [a], "lr": 0.0}, {"params": b}], lr=0.5)
    for p in (a, b):
        p.grad = rl.ones(1)
    optimizer.step()
    assert a.tolist() == [1.0]
    assert b.tolist() != [1.0]
    optimizer.param_groups[0]["lr"] = 0.5
    optimizer.step()
    assert a.tolist() != [1.0]
    optimizer.zero_grad()
    assert a.grad is None
    b.grad = rl.ones(1)
    optimizer.zero_grad(set_to_none=False)
    assert b.grad is not None
    assert b.grad.tolist() == [0.0]
    assert "group 1: 1 parameters" in repr(optimizer)


@pytest.mark.parametrize("kind", KINDS)
def test_wrong_arguments(kind: Any) -> None:
    a = param(1.0)
    for bad, error in [
        (lambda: kind([]), ValueError),
        (lambda: kind(a), TypeError),
        (lambda: kind([1.0]), TypeError),
        (lambda: kind([a, a]), ValueError),
        (lambda: kind([a * 2]), ValueError),
        (lambda: kind([a], lr=-1), ValueError),
        (lambda: kind([a], lr=float("nan")), ValueError),
        (lambda: kind([a], weight_decay=-0.1), ValueError),
        (lambda: kind([{"lr": 1.0}]), ValueError),
    ]:
        with pytest.raises(error, match=kind.__name__):
            bad()
    with pytest.raises(ValueError, match="nesterov"):
        optim.SGD([a], nesterov=True)
    with pytest.raises(ValueError, match="beta"):
        optim.Adam([a], betas=(0.9, 1.0))


@pytest.mark.parametrize("kind", KINDS)
def test_state_dict_misfits_are_reported_together(kind: Any) -> None:
    a = param(1.0, 2.0)
    a.grad = rl.ones(2)
    extra = {"momentum": 0.9} if kind is optim.SGD else {}
    optimizer = kind([a], lr=0.1, **extra)
    optimizer.step()
    saved = optimizer.state_dict()
    other = kind([param(1.0, 2.0, 3.0)], lr=0.1, **extra)
    with pytest.raises(ValueError, match=r"shape \(2,\) where the parameter has \(3,\)"):
        other.load_state_dict(saved)
    assert other.state == {}
    two = kind([param(1.0), param(2.0)], lr=0.1)
    with pytest.raises(ValueError, match="1 parameters where the optimizer has 2"):
        two.load_state_dict(saved)
    with pytest.raises(ValueError, match="state of parameter 7"):
        other.load_state_dict({**saved, "state": {7: {}}})
    # The saved state does not change with later steps.
    key = "momentum_buffer" if kind is optim.SGD else "exp_avg"
    before = to_np(saved["state"][0][key]).copy()
    optimizer.step()
    np.testing.assert_array_equal(to_np(saved["state"][0][key]), before)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [rl.float16, rl.bfloat16, rl.float64])
def test_other_dtypes(kind: Any, dtype: Any) -> None:
    p = rl.ones(3, dtype=dtype).requires_grad_()
    optimizer = kind([p], lr=0.25)
    p.grad = rl.ones(3, dtype=dtype)
    optimizer.step()
    assert p.dtype == dtype
    assert all(value < 1.0 for value in p.tolist())


def test_step_lr() -> None:
    optimizer = optim.SGD([param(1.0)], lr=1.0)
    scheduler = optim.lr_scheduler.StepLR(optimizer, 2, gamma=0.5)
    seen = []
    for _ in range(5):
        scheduler.step()
        seen += scheduler.get_last_lr()
    assert seen == [1.0, 0.5, 0.5, 0.25, 0.25]
    again = optim.lr_scheduler.StepLR(optimizer, 9)
    again.load_state_dict(scheduler.state_dict())
    assert again.last_epoch == 5
    with pytest.raises(ValueError, match="step_size"):
        optim.lr_scheduler.StepLR(optimizer, 0)


@pytest.mark.parametrize("kind", ["chained", "sequence"])
@pytest.mark.parametrize("first", [True, False])
def test_combined_schedules_within_a_sequence(kind: str, first: bool) -> None:
    """A schedule of schedules works in every slot of a sequence. PyTorch miscounts it in the first slot and
    raises in later ones."""
    lr = optim.lr_scheduler
    optimizer = optim.SGD([param(1.0)], lr=1.0)
    parts = [lr.ConstantLR(optimizer, 0.5, 2), lr.ExponentialLR(optimizer, 0.5)]
    inner = lr.ChainedScheduler(parts) if kind == "chained" else lr.SequentialLR(optimizer, parts, [2])
    other = lr.StepLR(optimizer, 2, 0.5)
    schedule = lr.SequentialLR(optimizer, [inner, other] if first else [other, inner], [4])
    seen = schedule.get_last_lr()
    for _ in range(7):
        schedule.step()
        seen += schedule.get_last_lr()
    alone = [0.5, 0.25, 0.25, 0.125] if kind == "chained" else [0.5, 0.5, 1.0, 0.5]
    steps = [1.0, 1.0, 0.5, 0.5]
    assert seen == (alone + steps if first else steps + alone)
