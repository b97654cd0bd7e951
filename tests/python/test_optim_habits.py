"""Optimizers and schedules as users of PyTorch write them, and states that PyTorch wrote."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl
from rushlight import optim
from rushlight.optim import lr_scheduler


def leaf(*shape: int) -> rl.Tensor:
    return rl.ones(shape or (2,), requires_grad=True)


def test_groups_keep_further_keys() -> None:
    """Layer-wise rates keep their factor in the group, as timm does."""
    optimizer = optim.Adam([{"params": [leaf()], "lr_scale": 0.1}, {"params": [leaf()], "note": "head"}])
    assert [g.get("lr_scale") for g in optimizer.param_groups] == [0.1, None]
    saved = optimizer.state_dict()
    assert saved["param_groups"][1]["note"] == "head"
    other = optim.Adam([{"params": [leaf()]}, {"params": [leaf()]}])
    other.load_state_dict(saved)
    assert other.param_groups[0]["lr_scale"] == 0.1
    assert other.param_groups[1]["note"] == "head"
    with pytest.raises(TypeError, match="learning_rate"):
        optim.Adam([leaf()], learning_rate=0.1)  # type: ignore[call-arg]


def test_a_state_of_another_optimizer_is_refused() -> None:
    saved = optim.Adam([leaf()]).state_dict()
    with pytest.raises(ValueError, match=r"betas.* lacks .*momentum.*another optimizer"):
        optim.SGD([leaf()], lr=0.1).load_state_dict(saved)


def test_maximize_is_refused_where_it_would_be_ignored() -> None:
    with pytest.raises(ValueError, match=r"Muon: maximize=True is not supported"):
        optim.Muon([{"params": [leaf(2, 2)], "maximize": True}])


# The learning rates of a group that is added with 2.0 after three steps, in four steps of torch 2.15.
ADDED: list[tuple[Callable[[optim.Optimizer], Any], list[float]]] = [
    (lambda o: lr_scheduler.StepLR(o, 2), [0.2, 0.2, 0.02, 0.02]),
    (lambda o: lr_scheduler.MultiStepLR(o, [1, 3, 5]), [2.0, 0.2, 0.2, 0.2]),
    (lambda o: lr_scheduler.ConstantLR(o), [2.0, 6.0, 6.0, 6.0]),
    (lambda o: lr_scheduler.LinearLR(o), [2.3636, 2.7273, 2.7273, 2.7273]),
    (lambda o: lr_scheduler.ExponentialLR(o, 0.9), [1.8, 1.62, 1.458, 1.3122]),
    (lambda o: lr_scheduler.CosineAnnealingLR(o, 10), [1.6489, 1.2596, 0.8704, 0.5192]),
    (lambda o: lr_scheduler.PolynomialLR(o), [1.0, 0.0, 0.0, 0.0]),
]


@pytest.mark.parametrize(("make", "rates"), ADDED)
def test_a_schedule_takes_over_a_group_that_is_added(
    make: Callable[[optim.Optimizer], Any], rates: list[float]
) -> None:
    optimizer = optim.SGD([leaf()], lr=0.5)
    schedule = make(optimizer)
    for _ in range(3):
        schedule.step()
    optimizer.add_param_group({"params": [leaf()], "lr": 2.0})
    for rate in rates:
        schedule.step()
        assert optimizer.param_groups[1]["lr"] == pytest.approx(rate, abs=1e-4)
        assert schedule.get_last_lr() == [g["lr"] for g in optimizer.param_groups]
    assert schedule.base_lrs == [0.5, 2.0]


@pytest.mark.parametrize(
    "make",
    [
        lambda o: lr_scheduler.LambdaLR(o, lambda epoch: 0.5),
        lambda o: lr_scheduler.CyclicLR(o, 0.1, 1.0),
        lambda o: lr_scheduler.OneCycleLR(o, 1.0, total_steps=9),
        lambda o: optim.swa_utils.SWALR(o, 0.1),
    ],
)
def test_a_schedule_with_settings_per_group_refuses_a_further_group(make: Any) -> None:
    optimizer = optim.SGD([leaf()], lr=0.5, momentum=0.9)
    schedule = make(optimizer)
    optimizer.add_param_group({"params": [leaf()]})
    with pytest.raises(ValueError, match=r"step: the optimizer has 2 groups .* settings for 1; make a new"):
        schedule.step()


# States that torch 2.15 wrote after three steps, without the tensors.
ONE_CYCLE = {
    "total_steps": 10,
    "_schedule_phases": [
        {
            "end_step": 2.0,
            "start_lr": "initial_lr",
            "end_lr": "max_lr",
            "start_momentum": "max_momentum",
            "end_momentum": "base_momentum",
        },
        {
            "end_step": 4.0,
            "start_lr": "max_lr",
            "end_lr": "initial_lr",
            "start_momentum": "base_momentum",
            "end_momentum": "max_momentum",
        },
        {
            "end_step": 9,
            "start_lr": "initial_lr",
            "end_lr": "min_lr",
            "start_momentum": "max_momentum",
            "end_momentum": "max_momentum",
        },
    ],
    "_anneal_func_type": "linear",
    "cycle_momentum": True,
    "use_beta1": False,
    "base_lrs": [0.04],
    "last_epoch": 3,
    "_step_count": 4,
    "_is_initial": False,
    "_get_lr_called_within_step": False,
    "_last_lr": [0.52],
}
SWA = {
    "_anneal_strategy": "linear",
    "anneal_epochs": 10,
    "base_lrs": [0.04],
    "last_epoch": 0,
    "_step_count": 1,
    "_is_initial": False,
    "_get_lr_called_within_step": False,
    "_last_lr": [0.04],
}


def momentum() -> optim.Optimizer:
    return optim.SGD([leaf()], lr=0.04, momentum=0.9)


def test_states_of_pytorch_schedules_are_loaded() -> None:
    optimizer = momentum()
    cycle = lr_scheduler.OneCycleLR(optimizer, 1.0, total_steps=10)
    cycle.load_state_dict(ONE_CYCLE)
    cycle.step()
    assert cycle.get_last_lr() == [pytest.approx(0.04)], "the second phase ends after step 4"
    assert optimizer.param_groups[0]["momentum"] == pytest.approx(0.95)
    assert set(lr_scheduler.OneCycleLR(momentum(), 1.0, total_steps=9).state_dict()) >= set(ONE_CYCLE) - {
        "use_beta1",
        "_is_initial",
        "_get_lr_called_within_step",
    }
    swa = optim.swa_utils.SWALR(momentum(), 0.14)
    swa.load_state_dict(SWA)
    swa.step()
    assert swa.get_last_lr() == [pytest.approx(0.05)], "a tenth of a line"


class Scaled:
    """A callable object, whose attributes belong to the state of a schedule."""

    factor = 0.5

    def __call__(self, x: float) -> float:
        return self.factor


def test_the_state_of_a_cyclic_schedule_has_the_attributes_of_its_function() -> None:
    """PyTorch's `CyclicLR.load_state_dict` reads the key ``"_scale_fn_custom"``."""
    schedule = lr_scheduler.CyclicLR(momentum(), 0.1, 1.0)
    assert schedule.state_dict()["_scale_fn_custom"] is None
    schedule.load_state_dict({**schedule.state_dict(), "base_momentums": [0.8]})
    scaled = Scaled()
    scaled.factor = 0.25
    saved = lr_scheduler.CyclicLR(momentum(), 0.1, 1.0, scale_fn=scaled).state_dict()
    assert saved["_scale_fn_custom"] == {"factor": 0.25}
    fresh = Scaled()
    lr_scheduler.CyclicLR(momentum(), 0.1, 1.0, scale_fn=fresh).load_state_dict(saved)
    assert fresh.factor == 0.25


def test_states_of_pytorch_optimizers_are_loaded() -> None:
    p = leaf(2, 2)
    saved: dict[str, Any] = optim.Muon([p]).state_dict()
    saved["state"] = {0: {"momentum_buffer": rl.full((2, 2), 0.05)}}  # PyTorch counts no steps here.
    muon = optim.Muon([p])
    muon.load_state_dict(saved)
    p.grad = rl.ones_like(p)
    muon.step()
    buffer = muon.state[p]["momentum_buffer"]
    assert buffer.tolist() == [[pytest.approx(0.95 * 0.05 + 0.05)] * 2] * 2
    group = {**optim.LBFGS([p]).state_dict()["param_groups"][0], "maximize": False}
    optim.LBFGS([p]).load_state_dict({"state": {}, "param_groups": [group]})
    with pytest.raises(ValueError, match=r"LBFGS: maximize=True is not supported"):
        optim.LBFGS([p]).load_state_dict({"state": {}, "param_groups": [{**group, "maximize": True}]})


def test_messages_of_schedules_name_the_argument() -> None:
    optimizer = momentum()
    with pytest.raises(TypeError, match=r"^MultiStepLR: milestones is a list of epochs, got 3"):
        lr_scheduler.MultiStepLR(optimizer, 3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^LambdaLR: lr_lambda is a function of the epoch, got 3"):
        lr_scheduler.LambdaLR(optimizer, 3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^CosineAnnealingLR: T_max 0 is not positive"):
        lr_scheduler.CosineAnnealingLR(optimizer, T_max=0)
    assert math.isclose(optimizer.param_groups[0]["lr"], 0.04)
