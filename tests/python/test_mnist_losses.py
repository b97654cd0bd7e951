"""The first training steps on MNIST: the same losses as PyTorch from the same weights and batches."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import load
import mnist_data
import rushlight as rl
from compare import assert_near
from rushlight import Tensor, optim
from rushlight import functional as F

ASSETS = Path(__file__).resolve().parents[2] / ".cache" / "assets"
INFO = load.index("mnist_losses")


@pytest.fixture(scope="module")
def batches() -> list[tuple[Any, Any]]:
    assert (ASSETS / mnist_data.MEMBER).exists(), "the MNIST digits are missing: make data"
    found = mnist_data.batches(ASSETS)
    assert mnist_data.checksum(*(part for batch in found for part in batch)) == INFO["batches_sha256"]
    return found


def mlp(p: dict[str, Tensor], x: Tensor) -> Tensor:
    hidden = F.relu(F.linear(x, p["fc1.weight"], p["fc1.bias"]))
    return F.linear(hidden, p["fc2.weight"], p["fc2.bias"])


def cnn(p: dict[str, Tensor], x: Tensor) -> Tensor:
    x = x.reshape((-1, 1, 28, 28))
    for layer in ("conv1", "conv2"):
        x = F.relu(F.conv2d(x, p[f"{layer}.weight"], p[f"{layer}.bias"], padding=1))
        x = F.max_pool2d(x, 2)
    return F.linear(F.flatten(x, 1), p["fc.weight"], p["fc.bias"])


FORWARD: dict[str, Callable[[dict[str, Tensor], Tensor], Tensor]] = {"mlp": mlp, "cnn": cnn}


@pytest.mark.parametrize("name", list(INFO["runs"]))
@pytest.mark.parametrize("dtype", [rl.float32, rl.float64], ids=["f32", "f64"])
def test_first_losses(name: str, dtype: Any, batches: list[tuple[Any, Any]]) -> None:
    run = INFO["runs"][name]
    weights = mnist_data.weights(run["model"])
    assert mnist_data.checksum(*weights.values()) == INFO["weights_sha256"][run["model"]]
    params = {
        key: rl.astype(rl.asarray(value), dtype).detach().requires_grad_() for key, value in weights.items()
    }
    optimizer = getattr(optim, run["optimizer"])(list(params.values()), **run["kwargs"])
    losses = []
    with np.load(load.FOLDER / "mnist_losses.npz") as arrays:
        for step, (x, y) in enumerate(batches):
            optimizer.zero_grad()
            logits = FORWARD[run["model"]](params, rl.astype(rl.asarray(x), dtype))
            loss = F.cross_entropy(logits, rl.asarray(y))
            loss.backward()
            if step == 0 and dtype == rl.float32:
                assert_near(logits, arrays[f"{name}/logits0"], 1e-5, "first logits")
                for key, param in params.items():
                    assert param.grad is not None
                    norm = float(rl.sqrt(rl.sum(param.grad * param.grad)))
                    want = float(arrays[f"{name}/grad_norm0/{key}"])
                    assert norm == pytest.approx(want, rel=1e-4), key
            losses.append(float(loss))
            optimizer.step()
    suffix, bound = ("", 1e-4) if dtype == rl.float32 else ("_f64", 1e-9)
    np.testing.assert_allclose(losses, run[f"losses{suffix}"], rtol=0, atol=bound)
    assert len(losses) == 20
    assert losses[-1] < losses[0]
