"""Training on an AMD GPU, real or virtual, against the CPU: MNIST, optimizers, memory."""

from __future__ import annotations

import gc
import importlib.util
import json
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import mnist_data
import optimizers
import rushlight as rl
import test_mnist_losses as mnist
from rushlight import Tensor, nn, optim
from rushlight import functional as F
from rushlight.data import Mnist, Split, mnist_5k

pytestmark = pytest.mark.skipif(
    not rl.rocm.is_available(), reason="no AMD GPU here; make test runs these on the virtual one"
)
GPU = "rocm:0"


def host(t: Tensor) -> Any:
    return np.asarray(t.detach().cpu())


def copy(t: Tensor) -> Tensor:
    return rl.asarray(t.detach(), copy=True)


def stats() -> dict[str, int]:
    gc.collect()
    return rl.rocm.memory_stats(GPU)


def mnist_losses(name: str, device: str) -> list[float]:
    """The losses of the first 20 steps. On a GPU a step moves nothing between the devices."""
    run = mnist.INFO["runs"][name]
    params = {
        key: rl.asarray(value).to(device).detach().requires_grad_()
        for key, value in mnist_data.weights(run["model"]).items()
    }
    optimizer = getattr(optim, run["optimizer"])(list(params.values()), **run["kwargs"])
    losses = []
    for x, y in mnist_data.batches(mnist.ASSETS):
        images, labels = rl.asarray(x).to(device), rl.asarray(y).to(device)
        before = stats()
        optimizer.zero_grad()
        loss = F.cross_entropy(mnist.FORWARD[run["model"]](params, images), labels)
        loss.backward()
        optimizer.step()
        after = stats()
        if device == GPU:
            assert (after["uploads"], after["downloads"]) == (before["uploads"], before["downloads"])
            assert after["launches"] > before["launches"]
        losses.append(float(loss))
        if device == GPU:
            assert stats()["downloads"] == after["downloads"] + 1, "the loss is read by one transfer"
    return losses


@pytest.mark.parametrize("name", list(mnist.INFO["runs"]))
def test_first_mnist_losses(name: str) -> None:
    """The losses agree with PyTorch's, and with the CPU's within a smaller bound."""
    got, want = mnist_losses(name, GPU), mnist_losses(name, "cpu")
    assert len(got) == 20
    np.testing.assert_allclose(got, mnist.INFO["runs"][name]["losses"], rtol=0, atol=1e-4)
    np.testing.assert_allclose(got, want, rtol=0, atol=1e-4)


def demo() -> ModuleType:
    path = Path(__file__).resolve().parents[2] / "examples" / "mnist.py"
    spec = importlib.util.spec_from_file_location("mnist_demo", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["mnist_demo"] = module
    spec.loader.exec_module(module)
    return module


SLOW = pytest.mark.skipif(
    not os.environ.get("RUSHLIGHT_TEST_FULL"), reason="minutes on the virtual GPU: cargo xtask python-full"
)


# The first digits are enough for the CNN to converge.
@pytest.mark.parametrize(
    ("name", "digits", "epochs"), [("mlp", 2000, 8), pytest.param("Cnn", 192, 20, marks=SLOW)]
)
def test_mnist_demo_converges_as_on_the_cpu(name: str, digits: int, epochs: int) -> None:
    """The demo's models and loop: the last epoch's loss within 1 %, accuracy within 0.5 points."""
    module = demo()

    def build() -> nn.Module:
        model: nn.Module = getattr(module, name)()
        # Each device counts its draws of random numbers separately, and the weights were drawn on the CPU.
        rl.manual_seed(1)
        return model

    all_digits = mnist_5k(mnist.ASSETS)
    results = []
    for device in ("cpu", GPU):
        train = Split(*(t[:digits].to(device) for t in all_digits.train))
        data = Mnist(train, Split(*(t.to(device) for t in all_digits.test)))
        done = module.run(name, build, data, device, epochs, 2e-3)
        per_epoch = -(-digits // module.BATCH)
        results.append((sum(done.losses[-per_epoch:]) / per_epoch, done.accuracy))
    (cpu_loss, cpu_accuracy), (loss, accuracy) = results
    assert cpu_loss < 0.1, "it has not converged"
    assert loss == pytest.approx(cpu_loss, rel=0.01)
    assert accuracy == pytest.approx(cpu_accuracy, abs=0.005)


@pytest.mark.parametrize(("kind", "kwargs"), optimizers.ELEMENTWISE)
@pytest.mark.parametrize("dtype", [rl.float32, rl.float64, rl.float16, rl.bfloat16], ids=str)
def test_equal_gradients_give_equal_bits_for_100_steps(
    kind: Any, kwargs: dict[str, Any], dtype: Any, tmp_path: Path
) -> None:
    rng = np.random.default_rng(5)
    # Odd numbers, so that the last ones are not in a pack of 16 bytes.
    starts = [rl.astype(rl.asarray(rng.standard_normal(n)), dtype) for n in ((27, 37), 65)]
    params = [[copy(s.to(d)).requires_grad_() for s in starts] for d in ("cpu", GPU)]
    both = [kind(p, **kwargs) for p in params]
    for _ in range(100):
        gradients = [rl.astype(rl.asarray(rng.standard_normal(s.shape)), dtype) for s in starts]
        for own, optimizer in zip(params, both, strict=True):
            for p, g in zip(own, gradients, strict=True):
                p.grad = g.to(p.device)
            optimizer.step()
    for on_cpu, on_gpu, start in zip(*params, starts, strict=True):
        assert not rl.all(rl.equal(on_cpu.detach(), start)), "nothing was learnt"
        found = bits({"cpu": on_cpu, "gpu": on_gpu}, tmp_path)
        assert found["cpu"] == found["gpu"]


def test_memory_stays_and_goes() -> None:
    """Device bytes are equal after step 10 and step 1,000, and gone after everything is dropped."""
    at_start = stats()["live"]

    def train() -> None:
        rl.manual_seed(0)
        net = nn.Sequential(
            nn.Conv2d(1, 2, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Dropout(0.1),
            nn.Linear(32, 4),
        ).to(GPU)
        optimizer = optim.AdamW(net.parameters(), lr=1e-3)
        x, y = rl.randn((6, 1, 8, 8), device=GPU), rl.asarray([0, 1, 2, 3, 0, 1]).to(GPU)
        seen = {}
        before = stats()
        for step in range(1, 1001):
            optimizer.zero_grad()
            loss = F.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()
            if step in (10, 1000):
                seen[step] = stats()
        assert seen[10]["live"] > at_start
        assert seen[10]["live"] == seen[1000]["live"]
        assert seen[10]["reserved"] == seen[1000]["reserved"]
        assert seen[10]["device_allocations"] == seen[1000]["device_allocations"], "steps take no new memory"
        after = seen[1000]
        assert (after["uploads"], after["downloads"]) == (before["uploads"], before["downloads"])

    train()
    assert stats()["live"] == at_start
    rl.rocm.empty_cache(GPU)
    if at_start == 0:
        assert stats()["reserved"] == 0


NAMES = {
    "bool": "BOOL",
    "float8_e4m3fn": "F8_E4M3",
    "bfloat16": "BF16",
    "complex64": "C64",
    **{f"float{bits}": f"F{bits}" for bits in (16, 32, 64)},
    **{f"int{bits}": f"I{bits}" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": f"U{bits}" for bits in (8, 16, 32, 64)},
}


def write_bits(path: Path, shape: tuple[int, int]) -> None:
    """A safetensors file with a tensor of random bits of every dtype, NaNs with their payloads too."""
    rng = np.random.default_rng(3)
    header: dict[str, Any] = {}
    data = b""
    for name, code in NAMES.items():
        size = rl.zeros((1,), dtype=getattr(rl, name)).itemsize
        raw = rng.integers(
            0, 2 if name == "bool" else 256, shape[0] * shape[1] * size, dtype=np.uint8
        ).tobytes()
        header[name] = {"dtype": code, "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def bits(tensors: dict[str, Tensor], folder: Path) -> dict[str, bytes]:
    """Return the bits of tensors' elements, which are read from a file."""
    path = folder / "bits.safetensors"
    rl.save_file({key: value.detach().cpu() for key, value in tensors.items()}, path)
    raw = path.read_bytes()
    start = 8 + int.from_bytes(raw[:8], "little")
    found = {k: v["data_offsets"] for k, v in json.loads(raw[8:start]).items() if k != "__metadata__"}
    return {key: raw[start + a : start + b] for key, (a, b) in found.items()}


def test_a_module_keeps_every_bit_of_every_dtype_there_and_back(tmp_path: Path) -> None:
    write_bits(tmp_path / "random.safetensors", (7, 5))
    given = rl.load_file(tmp_path / "random.safetensors")
    model = nn.Module()
    for name, value in given.items():
        model.register_buffer(f"buffer_{name}", value)
        if rl.isdtype(value.dtype, "real floating") and value.itemsize > 1:
            setattr(model, f"parameter_{name}", nn.Parameter(copy(value)))
    before = bits(model.state_dict(), tmp_path)
    assert len(before) == 15 + 4
    assert {k: v for k, v in before.items() if k.startswith("buffer_")} == {
        f"buffer_{k}": v for k, v in bits(given, tmp_path).items()
    }
    uploads = stats()["uploads"]
    model.to(GPU)
    assert all(str(t.device) == GPU for t in model.state_dict().values())
    assert stats()["uploads"] == uploads + len(before)
    assert bits(model.state_dict(), tmp_path) == before
    model.to("cpu")
    assert all(str(t.device) == "cpu" for t in model.state_dict().values())
    assert bits(model.state_dict(), tmp_path) == before


def test_blocks_of_a_module_move() -> None:
    """A registered tensor of blocks moves with its module; one that is only assigned stays."""
    net = nn.Module()
    blocks = rl.quantized.quantize(rl.randn((4, 64)), "Q8_0")
    net.register_buffer("weight", blocks)
    net.plain = blocks
    x = rl.randn((3, 64))
    want = rl.quantized.qmatmul(x, net.weight)
    net.to("rocm:0")
    assert (str(net.weight.device), str(net.plain.device)) == ("rocm:0", "cpu")
    assert (net.weight.dtype, net.weight.shape) == ("Q8_0", (4, 64))
    got = rl.quantized.qmatmul(x.to(device="rocm:0"), net.weight)
    np.testing.assert_allclose(got.cpu().numpy(), want.numpy(), rtol=1e-5, atol=1e-5)
