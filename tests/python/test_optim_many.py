"""Optimizers over many parameters: the bits of single steps, few launches on a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as rl
from rushlight import optim

SIZES = [(3,), (), (0,), (7, 5), (1030,), (64, 33), (2, 3, 4)]
DEVICES = ["cpu", *(["rocm:0"] if rl.rocm.is_available() else [])]

SETTINGS: list[tuple[Any, dict[str, Any]]] = [
    (optim.SGD, {"lr": 0.1}),
    (optim.SGD, {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01, "maximize": True}),
    (optim.Adam, {"lr": 0.01, "weight_decay": 0.1, "maximize": True}),
    (optim.AdamW, {"lr": 0.01, "weight_decay": 0.1}),
    (optim.RMSprop, {"lr": 0.01, "weight_decay": 0.1, "maximize": True}),
    (optim.RMSprop, {"lr": 0.01, "centered": True}),
    (optim.RMSprop, {"lr": 0.01, "momentum": 0.9}),
    (optim.RMSprop, {"lr": 0.01, "momentum": 0.9, "centered": True}),
    (optim.Adagrad, {"lr": 0.1, "lr_decay": 0.01, "weight_decay": 0.1}),
]


def drawn(count: int, device: str, dtypes: list[Any]) -> tuple[list[rl.Tensor], list[list[rl.Tensor]]]:
    rng = np.random.default_rng(7)
    shapes = [SIZES[i % len(SIZES)] for i in range(count)]

    def make(i: int, shape: tuple[int, ...]) -> rl.Tensor:
        x = rl.asarray(np.asarray(rng.normal(size=shape)), dtype=dtypes[i % len(dtypes)]).to(device)
        # Every fifth one is a view with strides.
        return x.mT if i % 5 == 3 and x.ndim > 1 else x

    params = [make(i, s).requires_grad_() for i, s in enumerate(shapes)]
    grads = [[make(i, s) for i, s in enumerate(shapes)] for _ in range(3)]
    return params, grads


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("kind", "settings"), SETTINGS)
def test_a_step_over_many_parameters_has_the_bits_of_single_steps(
    kind: Any, settings: dict[str, Any], device: str
) -> None:
    dtypes = [rl.float32, rl.float64, rl.bfloat16]
    results = []
    for each in (False, True):
        params, grads = drawn(140, device, dtypes)
        optimizers = [kind([p], **settings) for p in params] if each else [kind(params, **settings)]
        for step in grads:
            for i, (param, grad) in enumerate(zip(params, step, strict=True)):
                param.grad = None if step is grads[1] and i % 3 == 0 else grad
            for optimizer in optimizers:
                optimizer.step()
        results.append([p.detach().to("cpu").to(rl.float64).numpy() for p in params])
        if not each:
            before, _ = drawn(140, device, dtypes)
            assert any(
                (a != b.detach().to("cpu").to(rl.float64).numpy()).any()
                for a, b in zip(results[0], before, strict=True)
            )
    for i, (many, single) in enumerate(zip(*results, strict=True)):
        np.testing.assert_array_equal(many, single, err_msg=f"parameter {i}")


def test_parameters_that_are_views_of_one_buffer_are_updated_one_by_one() -> None:
    buffer = rl.zeros(6)
    params = [buffer[:2], buffer[2:6]]
    for param, grad in zip(params, (1.0, 2.0), strict=True):
        param.requires_grad_()
        param.grad = rl.full((len(param),), grad)
    optim.SGD(params, lr=1.0).step()
    assert buffer.tolist() == [-1.0, -1.0, -2.0, -2.0, -2.0, -2.0]


@pytest.mark.skipif(
    not rl.rocm.is_available(), reason="no AMD GPU here; make test runs these on the virtual one"
)
@pytest.mark.parametrize(("kind", "settings"), SETTINGS)
def test_a_hundred_parameters_take_two_launches(kind: Any, settings: dict[str, Any]) -> None:
    def launches() -> int:
        return rl.rocm.memory_stats("rocm:0")["launches"]

    params = [rl.ones(5, device="rocm:0").requires_grad_() for _ in range(100)]
    for param in params:
        param.grad = rl.ones(5, device="rocm:0")
    optimizer = kind(params, **settings)
    optimizer.step()
    before = launches()
    optimizer.step()
    assert launches() - before == 2
