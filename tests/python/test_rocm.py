"""What a user does on an AMD GPU, against the CPU. Runs where there is one, real or virtual."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import load
import mnist_data
import rushlight as rl
import test_mnist_losses as mnist
from rushlight import Tensor, nn, optim
from rushlight import functional as F

pytestmark = pytest.mark.skipif(
    not rl.rocm.is_available(), reason="no AMD GPU here; make test runs these on the virtual one"
)
GPU = "rocm:0"


def host(t: Tensor) -> Any:
    return np.asarray(t.detach().cpu())


def test_names_and_properties() -> None:
    p = rl.rocm.get_device_properties(0)
    assert rl.rocm.device_name(GPU) == p["name"]
    assert p["arch"].startswith("gfx")
    assert p["wave_size"] in (32, 64)
    assert p["total_memory"] > 0
    assert str(rl.zeros((2,), device="hip:0").device) == GPU
    assert rl.rocm.device_count() >= 1
    with pytest.raises(ValueError, match="no AMD GPU"):
        rl.rocm.device_name("cpu")
    with pytest.raises(rl.DeviceError, match="rocm:63"):
        rl.zeros((1,), device="rocm:63")


@pytest.mark.parametrize("name", list(mnist.INFO["runs"]))
def test_first_mnist_losses(name: str) -> None:
    run = mnist.INFO["runs"][name]
    params = {
        key: rl.asarray(value).to(GPU).detach().requires_grad_()
        for key, value in mnist_data.weights(run["model"]).items()
    }
    optimizer = getattr(optim, run["optimizer"])(list(params.values()), **run["kwargs"])
    losses = []
    live = []
    for x, y in mnist_data.batches(mnist.ASSETS):
        images, labels = rl.asarray(x).to(GPU), rl.asarray(y).to(GPU)
        before = rl.rocm.memory_stats(GPU)
        optimizer.zero_grad()
        loss = F.cross_entropy(mnist.FORWARD[run["model"]](params, images), labels)
        loss.backward()
        optimizer.step()
        after = rl.rocm.memory_stats(GPU)
        assert (after["uploads"], after["downloads"]) == (before["uploads"], before["downloads"])
        assert after["launches"] > before["launches"]
        losses.append(float(loss))
        del loss
        live.append(rl.rocm.memory_stats(GPU)["live"])
    np.testing.assert_allclose(losses, run["losses"], rtol=0, atol=1e-4)
    assert live[-1] == live[9], "memory grows from step to step"


def test_modules_move_there_and_back_without_losing_a_bit() -> None:
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8, 4))
    before = {k: host(v) for k, v in model.state_dict().items()}
    model.to(GPU)
    assert all(str(p.device) == GPU for p in model.parameters())
    model.to("cpu")
    for key, value in model.state_dict().items():
        np.testing.assert_array_equal(host(value), before[key])


@pytest.mark.parametrize(
    ("kind", "kwargs"),
    [
        (optim.SGD, {"lr": 0.1}),
        (optim.SGD, {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01}),
        (optim.Adam, {"lr": 0.01}),
        (optim.AdamW, {"lr": 0.01, "weight_decay": 0.1}),
    ],
)
def test_equal_gradients_give_equal_bits_for_100_steps(kind: Any, kwargs: dict[str, Any]) -> None:
    rng = np.random.default_rng(5)
    start = rng.standard_normal(1000).astype(np.float32)
    params = [rl.asarray(start.copy()).to(d).detach().requires_grad_() for d in ("cpu", GPU)]
    optimizers = [kind([p], **kwargs) for p in params]
    for _ in range(100):
        gradient = rl.asarray(rng.standard_normal(1000).astype(np.float32))
        for p, o in zip(params, optimizers, strict=True):
            p.grad = gradient.to(p.device)
            o.step()
    np.testing.assert_array_equal(host(params[1]).view(np.uint32), host(params[0]).view(np.uint32))


def unet_block(x: Tensor) -> Tensor:
    rng = np.random.default_rng(1)

    def weight(*shape: int) -> Tensor:
        return rl.asarray((rng.standard_normal(shape) * 0.1).astype(np.float32)).to(x.device)

    down = F.relu(F.conv2d(x, weight(8, 4, 3, 3), padding=1))
    low = F.relu(F.conv2d(F.max_pool2d(down, 2), weight(8, 8, 3, 3), padding=1))
    up = F.interpolate(low, scale_factor=2, mode="nearest")
    return F.conv2d(rl.concat([up, down], axis=1), weight(4, 16, 3, 3), padding=1)


def attention(x: Tensor) -> Tensor:
    scores = rl.matmul(x, rl.matrix_transpose(x)) * (x.shape[-1] ** -0.5)
    keep = rl.tril(rl.ones((x.shape[-2], x.shape[-2]), dtype=rl.bool, device=x.device))
    return rl.matmul(F.softmax(rl.where(keep, scores, -1e9), -1), x)


def embedding(x: Tensor) -> Tensor:
    index = rl.asarray(np.array([[0, 3, 1], [2, 2, 0]])).to(x.device)
    return F.embedding(index, x.reshape((-1, x.shape[-1])))


@pytest.mark.parametrize(
    ("block", "shape"), [(unet_block, (2, 4, 8, 8)), (attention, (2, 3, 7, 16)), (embedding, (5, 6))]
)
def test_blocks_agree_with_the_cpu(block: Callable[[Tensor], Tensor], shape: tuple[int, ...]) -> None:
    values = np.random.default_rng(2).standard_normal(shape).astype(np.float32)
    results = []
    for device in ("cpu", GPU):
        x = rl.asarray(values).to(device).detach().requires_grad_()
        y = block(x)
        (y * y).sum().backward()
        assert x.grad is not None
        results.append((host(y), host(x.grad)))
    for got, want in zip(results[1], results[0], strict=True):
        np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-6 * np.abs(want).max())


def test_random_numbers_are_those_of_the_cpu() -> None:
    draws = []
    for device in ("cpu", GPU):
        rl.manual_seed(7)
        parts = [rl.rand((33,), device=device), rl.randn((1001,), device=device)]
        draws.append([host(p) for p in parts])
    for got, want in zip(draws[1], draws[0], strict=True):
        np.testing.assert_array_equal(got, want)


def test_an_index_out_of_range_is_the_cpus_error() -> None:
    calls: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
        "take": rl.take,
        "index_select": lambda x, i: rl.index_select(x, 0, i),
        "gather": lambda x, i: rl.gather(x, 0, i),
        "take_along_axis": rl.take_along_axis,
        "scatter": lambda x, i: rl.scatter(x, 0, i, 1),
        "scatter_add": lambda x, i: rl.scatter_add(x, 0, i, 1),
        "index_add": lambda x, i: rl.index_add(x, 0, i, x[:2]),
        "embedding": lambda x, i: F.embedding(i, x.reshape((5, 1))),
        "one_hot": lambda x, i: F.one_hot(i, 5),
    }
    for name, call in calls.items():
        for device in ("cpu", GPU):
            x, i = rl.arange(5, device=device), rl.asarray(np.array([1, 9])).to(device)
            # A GPU finds it when the result is read.
            with pytest.raises(IndexError, match=f"^{name} invalid index 9 with dim size 5$"):
                host(call(x, i))
    # The device works on.
    assert host(rl.ones((3,), device=GPU)).tolist() == [1, 1, 1]


def test_dlpack_shares_memory() -> None:
    x = rl.arange(12, dtype=rl.float32, device=GPU).reshape((3, 4))
    assert x.__dlpack_device__() == (10, 0)
    y = rl.from_dlpack(x[1:])
    assert str(y.device) == GPU
    y += 100
    assert host(x).tolist() == [[0, 1, 2, 3], [104, 105, 106, 107], [108, 109, 110, 111]]
    np.testing.assert_array_equal(np.from_dlpack(x, device="cpu", copy=True), host(x))
    live = rl.rocm.memory_stats(GPU)["live"]
    del x, y
    assert rl.rocm.memory_stats(GPU)["live"] < live


def test_memory_is_counted_and_out_of_memory_says_how_much() -> None:
    before = rl.rocm.memory_stats(GPU)["live"]
    x = rl.zeros((1000, 1000), device=GPU)
    assert rl.rocm.memory_stats(GPU)["live"] >= before + 4_000_000
    del x
    assert rl.rocm.memory_stats(GPU)["live"] == before
    with pytest.raises(MemoryError, match="bytes requested on rocm:0"):
        rl.empty((1 << 45,), device=GPU)
    rl.rocm.empty_cache(GPU)
    rl.rocm.synchronize(GPU)


def test_golden_index_is_there() -> None:
    # The golden losses come from PyTorch; without them the first test would compare with nothing.
    assert load.index("mnist_losses")["runs"]
