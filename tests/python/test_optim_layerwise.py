"""LARS and LAMB against NumPy in float64: every setting, several chunks, strides, norms of 0, state."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as rl
from rushlight import optim

DEVICES = ["cpu", *(["rocm:0"] if rl.rocm.is_available() else [])]
TOLERANCES = {rl.float64: 1e-12, rl.float32: 2e-6, rl.float16: 4e-3, rl.bfloat16: 3e-2}
LARS: list[dict[str, Any]] = [
    {"momentum": 0.0},
    {"momentum": 0.0, "weight_decay": 0.1, "trust_coefficient": 0.5, "eps": 0.25, "maximize": True},
    {},
    {"momentum": 0.5, "weight_decay": 0.1, "trust_coefficient": 0.5, "maximize": True},
    {"nesterov": True, "weight_decay": 0.1, "trust_coefficient": 0.1, "eps": 0.25},
]
LAMB: list[dict[str, Any]] = [
    {},
    {"betas": (0.5, 0.75), "eps": 0.25, "weight_decay": 0.1, "maximize": True},
    {"bias_correction": False, "weight_decay": 0.01},
]


def lars(p: Any, g: Any, state: dict[str, Any], lr: float, **settings: Any) -> Any:
    """A step of LARS as its documentation has it."""
    momentum, weight_decay = settings.get("momentum", 0.9), settings.get("weight_decay", 0.0)
    length, slope = np.linalg.norm(p), np.linalg.norm(g)
    r = 1.0
    if length and slope:
        trust = settings.get("trust_coefficient", 1e-3)
        r = trust * length / (slope + weight_decay * length + settings.get("eps", 1e-8))
    d = r * (g + weight_decay * p)
    if momentum:
        b = state["b"] = momentum * state["b"] + d if "b" in state else d
        d = d + momentum * b if settings.get("nesterov") else b
    return p - lr * d


def lamb(p: Any, g: Any, state: dict[str, Any], lr: float, **settings: Any) -> Any:
    """A step of LAMB as its documentation has it."""
    b1, b2 = settings.get("betas", (0.9, 0.999))
    t = state["t"] = state.get("t", 0) + 1
    m = state["m"] = b1 * state.get("m", 0.0) + (1 - b1) * g
    v = state["v"] = b2 * state.get("v", 0.0) + (1 - b2) * g**2
    if settings.get("bias_correction", True):
        m, v = m / (1 - b1**t), v / (1 - b2**t)
    u = m / (np.sqrt(v) + settings.get("eps", 1e-6)) + settings.get("weight_decay", 0.0) * p
    length, change = np.linalg.norm(p), np.linalg.norm(u)
    return p - lr * (length / change if length and change else 1.0) * u


CASES = [(optim.LARS, lars, settings) for settings in LARS] + [(optim.LAMB, lamb, s) for s in LAMB]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("kind", "formula", "settings"), CASES)
@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
def test_steps_are_those_of_the_formula(
    kind: Any, formula: Any, settings: dict[str, Any], dtype: Any, device: str
) -> None:
    """Tensors of one and several chunks, with strides, without elements; scalars; norms of 0."""
    rng = np.random.default_rng(11)

    def make(values: Any, strided: bool) -> Any:
        x = rl.asarray(values.T.copy() if strided else values).to(dtype).to(device)
        return x.T if strided else x

    shapes = [(5,), (), (0, 3), (3, 1200), (64, 50), (64, 50), (7,), (7,)]
    values = [np.asarray(rng.normal(size=shape)) for shape in shapes]
    values[6] *= 0.0
    params = [make(v, i == 5).requires_grad_() for i, v in enumerate(values)]
    want = [p.detach().to("cpu").to(rl.float64).numpy().copy() for p in params]
    optimizer = kind(params, lr=0.1, **settings)
    states: list[dict[str, Any]] = [{} for _ in params]
    for _ in range(4):
        for i, param in enumerate(params):
            param.grad = make(np.asarray(rng.normal(size=shapes[i])) * (i != 7), i in (4, 5))
            grad = param.grad.to("cpu").to(rl.float64).numpy()
            sign = -1 if settings.get("maximize") else 1
            plain = {k: v for k, v in settings.items() if k != "maximize"}
            want[i] = formula(want[i], sign * grad, states[i], 0.1, **plain)
        optimizer.step()
    for i, (param, values) in enumerate(zip(params, want, strict=True)):
        got = param.detach().to("cpu").to(rl.float64).numpy()
        tolerance = TOLERANCES[dtype]
        np.testing.assert_allclose(got, values, rtol=tolerance, atol=tolerance, err_msg=f"parameter {i}")


@pytest.mark.parametrize(
    ("kind", "settings", "keys"),
    [
        (optim.LARS, {"momentum": 0.0}, {"step"}),
        (optim.LARS, {}, {"step", "momentum_buffer"}),
        (optim.LAMB, {}, {"step", "exp_avg", "exp_avg_sq"}),
    ],
)
def test_the_state_has_the_documented_keys_and_continues_a_run(
    kind: Any, settings: dict[str, Any], keys: set[str]
) -> None:
    def run(optimizer: Any, x: Any, steps: range) -> None:
        for t in steps:
            x.grad = rl.asarray(np.cos(np.arange(6.0) + t))
            optimizer.step()

    whole, first = (rl.arange(6.0, dtype=rl.float64).requires_grad_() for _ in range(2))
    run(kind([whole], **settings), whole, range(5))
    optimizer = kind([first], **settings)
    run(optimizer, first, range(2))
    saved = optimizer.state_dict()
    assert saved["state"][0].keys() == keys
    assert saved["state"][0]["step"] == 2
    after = kind([first], **settings)
    after.load_state_dict(saved)
    run(after, first, range(2, 5))
    assert first.tolist() == whole.tolist()


def test_momentum_that_begins_later_starts_with_the_gradient() -> None:
    x = rl.tensor([3.0, 4.0], requires_grad=True)
    optimizer = optim.LARS([x], lr=1.0, momentum=0.0, trust_coefficient=0.5, eps=0.0)
    x.grad = rl.tensor([6.0, 8.0])
    optimizer.step()
    optimizer.param_groups[0]["momentum"] = 0.5
    optimizer.step()
    # Each step is the half of the parameter's length along the gradient, which has the parameter's direction.
    np.testing.assert_allclose(x.tolist(), [0.75, 1.0], rtol=1e-6)
    np.testing.assert_allclose(optimizer.state[x]["momentum_buffer"].tolist(), [0.75, 1.0], rtol=1e-6)
