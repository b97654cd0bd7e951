"""Optimizers and limits of gradients over many tensors: the bits of single calls, few launches."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from rushlight import nn, optim

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
    (optim.Adam, {"lr": 0.01, "weight_decay": 0.1, "amsgrad": True}),
    (optim.Adadelta, {"weight_decay": 0.1, "maximize": True}),
    (optim.Adamax, {"lr": 0.01, "weight_decay": 0.1}),
    (optim.NAdam, {"lr": 0.01, "weight_decay": 0.1}),
    (optim.NAdam, {"lr": 0.01, "weight_decay": 0.1, "decoupled_weight_decay": True}),
    (optim.RAdam, {"lr": 0.01, "betas": (0.9, 0.5), "weight_decay": 0.1}),
    (optim.Rprop, {"lr": 0.01}),
    (optim.ASGD, {"lr": 0.01, "lambd": 0.01, "t0": 1, "weight_decay": 0.1}),
    (optim.Lion, {"lr": 0.01, "weight_decay": 0.1}),
    (optim.LARS, {"lr": 0.1, "momentum": 0.0, "weight_decay": 0.1}),
    (optim.LARS, {"lr": 0.1, "trust_coefficient": 0.1, "nesterov": True, "weight_decay": 0.1}),
    (optim.LAMB, {"lr": 0.01, "weight_decay": 0.1, "maximize": True}),
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
def test_a_hundred_parameters_take_few_launches(kind: Any, settings: dict[str, Any]) -> None:
    def launches() -> int:
        return rl.rocm.memory_stats("rocm:0")["launches"]

    def of_a_step(sizes: list[int]) -> int:
        params = [rl.ones(n, device="rocm:0").requires_grad_() for n in sizes]
        for param in params:
            param.grad = rl.ones(param.shape, device="rocm:0")
        optimizer = kind(params, **settings)
        optimizer.step()
        before = launches()
        optimizer.step()
        return launches() - before

    norms = kind in (optim.LARS, optim.LAMB)
    assert of_a_step([5] * 100) == (4 if norms else 2)
    # One more launch adds the chunks' sums of the long tensors.
    assert of_a_step([5, 3000] * 32) == (3 if norms else 1)


@pytest.mark.skipif(
    not rl.rocm.is_available(), reason="no AMD GPU here; make test runs these on the virtual one"
)
def test_unscaling_a_hundred_gradients_takes_two_launches_and_one_read() -> None:
    params = [rl.ones(5, device="rocm:0").requires_grad_() for _ in range(100)]
    optimizer = optim.SGD(params, lr=1.0)
    scaler = rl.amp.GradScaler(init_scale=4.0)
    deltas = []
    for last in (1.0, float("inf"), 1.0):
        for param in params:
            param.grad = rl.full(5, 2.0, device="rocm:0")
        params[-1].grad = rl.full(5, last, device="rocm:0")
        before = rl.rocm.memory_stats("rocm:0")
        scaler.unscale_(optimizer)
        after = rl.rocm.memory_stats("rocm:0")
        deltas.append(after["launches"] - before["launches"])
        scaler.step(optimizer)
        scaler.update()
        assert rl.rocm.memory_stats("rocm:0")["downloads"] - before["downloads"] == 1
    # Two for the gradients, and one to fill each of the two scalars.
    assert deltas == [4, 4, 4]
    # Steps by 2 / 4 and by 2 / 2; the one between them was left out.
    assert params[0].tolist() == [1.0 - 0.5 - 1.0] * 5
    assert params[-1].tolist() == [1.0 - 0.25 - 0.5] * 5


def test_a_scaler_refuses_wrong_calls() -> None:
    x = rl.tensor([2.0], requires_grad=True)
    optimizer, scaler = optim.SGD([x], lr=1.0), rl.amp.GradScaler()
    with pytest.raises(RuntimeError, match="call step\\(\\) or unscale_\\(\\) before"):
        scaler.update()
    with pytest.raises(RuntimeError, match="no parameter of the optimizer has a gradient"):
        scaler.step(optimizer)
    scaler = rl.amp.GradScaler()
    x.grad = rl.ones(1)
    scaler.unscale_(optimizer)
    with pytest.raises(RuntimeError, match="since the last update"):
        scaler.unscale_(optimizer)
    scaler.step(optimizer)
    with pytest.raises(RuntimeError, match="step: was called for this optimizer"):
        scaler.step(optimizer)
    with pytest.raises(RuntimeError, match=r"after step|since the last update"):
        scaler.unscale_(optimizer)
    with pytest.raises(RuntimeError, match="closure"):
        scaler.step(optimizer, closure=lambda: None)
    half = rl.ones(1, dtype=rl.float16).requires_grad_()
    half.grad = rl.ones(1, dtype=rl.float16)
    with pytest.raises(ValueError, match="float16"):
        rl.amp.GradScaler().unscale_(optim.SGD([half]))
    with pytest.raises(TypeError, match="an iterable of tensors, got int"):
        scaler.scale(3)
    with pytest.raises(ValueError, match=r"growth_factor 1.0"):
        rl.amp.GradScaler(growth_factor=1.0)
    with pytest.raises(RuntimeError, match="the dict is empty"):
        scaler.load_state_dict({})
    off = rl.amp.GradScaler(enabled=False)
    assert off.scale(x) is x
    assert off.state_dict() == {}


def test_scaled_outputs_keep_structure_and_dtype() -> None:
    scaler = rl.amp.GradScaler(init_scale=2.0**16)
    one, (two,) = scaler.scale([rl.tensor(0.5, dtype=rl.float16), (rl.tensor(2.0),)])
    assert (one.dtype, one.item(), two.item()) == (rl.float16, 32768.0, 131072.0)
    assert [x.item() for x in scaler.scale(iter([rl.tensor(1.0)]))] == [65536.0]


def test_update_bn_averages_all_batches_equally() -> None:
    rng = np.random.default_rng(5)
    batches = [rng.normal(2.0, 3.0, size=(8, 4)) for _ in range(3)]
    model = rl.nn.Sequential(rl.nn.BatchNorm1d(4, dtype=rl.float64)).eval()
    optim.swa_utils.update_bn(
        [(rl.asarray(batches[0]), 0), rl.asarray(batches[1]), [rl.asarray(batches[2])]], model
    )
    norm = model[0]
    assert not model.training
    assert (norm.momentum, int(norm.num_batches_tracked)) == (0.1, 3)
    np.testing.assert_allclose(norm.running_mean.numpy(), np.mean(batches, axis=(0, 1)), rtol=1e-12)
    variances = np.mean([b.var(axis=0, ddof=1) for b in batches], axis=0)
    np.testing.assert_allclose(norm.running_var.numpy(), variances, rtol=1e-12)
    optim.swa_utils.update_bn([], rl.nn.Linear(1, 1))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("order", [1.0, 2.0, math.inf])
def test_the_norm_of_many_gradients_has_the_bits_of_single_tensors(order: float, device: str) -> None:
    for dtypes in ([rl.float32, rl.bfloat16, rl.float16], [rl.float64]):
        _, (grads, *_) = drawn(140, device, dtypes)
        # More elements than 1024 chunks have.
        grads.insert(70, rl.sin(rl.arange(3 * 2**19 + 5, dtype=dtypes[0], device=device)))
        total = rl.zeros((), dtype=dtypes[0], device=device)
        for grad in grads:
            rl.accumulate_norm(total, grad, order)
        host = rl.zeros((), dtype=dtypes[0])
        for grad in grads:
            x = rl.abs(grad.to("cpu").to(dtypes[0]))
            if not x.numel():
                continue
            if order == math.inf:
                host = rl.maximum(host, rl.max(x))
            else:
                host = host + rl.sum(x * x if order == 2.0 else x)
        assert float(total) == float(host) > 0.0
        want = float(rl.sqrt(host)) if order == 2.0 else float(host)
        assert float(nn.utils.get_total_norm(grads, order)) == want


@pytest.mark.parametrize("device", DEVICES)
def test_clipping_many_gradients_by_value_has_the_bits_of_single_tensors(device: str) -> None:
    _, (grads, *_) = drawn(140, device, [rl.float32, rl.bfloat16, rl.float64])
    params = [rl.zeros(g.shape, dtype=g.dtype, device=device).requires_grad_() for g in grads]
    want = [rl.clip(g, -0.3, 0.3).to("cpu").to(rl.float64).numpy() for g in grads]
    for param, grad in zip(params, grads, strict=True):
        param.grad = grad
    nn.utils.clip_grad_value_(params, 0.3)
    for param, values in zip(params, want, strict=True):
        np.testing.assert_array_equal(param.grad.to("cpu").to(rl.float64).numpy(), values)


@pytest.mark.skipif(
    not rl.rocm.is_available(), reason="no AMD GPU here; make test runs these on the virtual one"
)
def test_clipping_a_hundred_gradients_takes_few_launches() -> None:
    params = [rl.ones(5, device="rocm:0").requires_grad_() for _ in range(99)]
    params.append(rl.ones(5000, device="rocm:0").requires_grad_())
    for param in params:
        param.grad = rl.full(param.shape, 2.0, device="rocm:0")

    def launches(call: Any) -> int:
        before = rl.rocm.memory_stats("rocm:0")
        call()
        after = rl.rocm.memory_stats("rocm:0")
        assert after["downloads"] == before["downloads"]
        return after["launches"] - before["launches"]

    assert launches(lambda: nn.utils.clip_grad_value_(params, 1.0)) == 2
    assert all(param.grad.tolist() == [1.0] * len(param) for param in params)
    # One to fill a scalar, one for the elements and one to add.
    assert launches(lambda: rl.accumulate_norm(rl.zeros((), device="rocm:0"), params[0].grad, 2.0)) == 3
    # Two for the elements, one for the chunks' values of the long tensor, and one for the root.
    assert launches(lambda: nn.utils.get_total_norm([p.grad for p in params])) == 6
    assert launches(lambda: nn.utils.clip_grad_norm_(params, 1.0)) < 16
