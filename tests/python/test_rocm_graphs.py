"""Graphs on a GPU, real or virtual: recorded training steps against eager ones, and errors."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from rushlight import Tensor, nn, optim
from rushlight import functional as F

KIND = os.environ.get("RUSHLIGHT_TEST_DEVICE", "rocm")
gpus = rl.cuda if KIND == "cuda" else rl.rocm
pytestmark = pytest.mark.skipif(
    not gpus.is_available(), reason="no GPU here; make test runs these on the virtual one"
)
GPU = f"{KIND}:0"


def new_graph() -> Any:
    return rl.cuda.CUDAGraph() if KIND == "cuda" else rl.rocm.Graph()


def stats() -> dict[str, int]:
    gc.collect()
    return gpus.memory_stats(GPU)


def bits(t: Tensor) -> bytes:
    return np.asarray(t.detach().cpu()).tobytes()


def batch(number: int) -> tuple[Tensor, Tensor]:
    r = np.random.default_rng(number)
    x = r.standard_normal((16, 12)).astype(np.float32)
    return rl.asarray(x).to(GPU), rl.asarray(r.integers(0, 5, 16)).to(GPU)


class Training:
    """A step of an MLP on tensors that are overwritten in place between the steps."""

    def __init__(self, make: Callable[[list[Tensor]], optim.Optimizer]) -> None:
        rl.manual_seed(3)
        self.model = nn.Sequential(nn.Linear(12, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 5)).to(GPU)
        self.optimizer = make(list(self.model.parameters()))
        self.x, self.y = batch(0)
        self.loss = self.step()

    def step(self) -> Tensor:
        self.optimizer.zero_grad()
        loss = F.cross_entropy(self.model(self.x), self.y)
        loss.backward()
        self.optimizer.step()
        return loss

    def load(self, number: int) -> None:
        x, y = batch(number)
        self.x.copy_(x)
        self.y.copy_(y)

    def state(self) -> list[bytes]:
        return [bits(p) for p in self.model.parameters()] + [bits(p.grad) for p in self.model.parameters()]  # type: ignore[arg-type]


OPTIMIZERS = {
    "sgd": lambda p: optim.SGD(p, lr=0.1),
    "momentum": lambda p: optim.SGD(p, lr=0.05, momentum=0.9, nesterov=True, weight_decay=0.01),
    "rmsprop": lambda p: optim.RMSprop(p, lr=0.01),
    "adadelta": lambda p: optim.Adadelta(p),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_replayed_training_steps_have_the_bits_of_eager_ones(name: str) -> None:
    """Loss, gradients and parameters of ten steps on new inputs are equal, and a step is one launch."""
    eager, recorded = Training(OPTIMIZERS[name]), Training(OPTIMIZERS[name])
    before = recorded.state()
    assert before == eager.state()
    g = new_graph()
    with gpus.graph(g):
        recorded.loss = recorded.step()
    launched = 0
    for number in range(1, 11):
        eager.load(number)
        recorded.load(number)
        start = stats()
        eager.loss = eager.step()
        middle = stats()
        g.replay()
        end = stats()
        launched = middle["launches"] - start["launches"]
        assert end["launches"] - middle["launches"] == 1
        assert end["graph_launches"] - middle["graph_launches"] == 1
        assert end["uploads"] == start["uploads"]
        assert bits(eager.loss) == bits(recorded.loss), number
        assert eager.state() == recorded.state(), number
    assert g.launches == launched
    assert launched > 10
    assert recorded.state() != before


def test_the_memory_of_a_graph_goes_with_it_and_its_tensors() -> None:
    """No other tensor gets it before, also if the graph's tensors are dropped."""
    x = rl.ones((1000, 300), device=GPU)

    def f() -> Tensor:
        return (x * 2 + 1).sum(axis=1)

    f()
    gpus.empty_cache()
    before = stats()
    g = new_graph()
    with gpus.graph(g):
        y = f()
    reserved = stats()["reserved"]
    assert reserved >= before["reserved"] + 4 * 300_000
    others = [rl.zeros((1000, 300), device=GPU) for _ in range(4)]
    others += [rl.zeros(1000, device=GPU) for _ in range(4)]
    g.replay()
    assert bits(y) == bits(rl.full((1000,), 900.0))
    assert all(not np.asarray(t.cpu()).any() for t in others)
    del others
    gpus.empty_cache()
    assert stats()["reserved"] == reserved
    del g
    gc.collect()
    # The result is still there.
    assert bits(y) == bits(rl.full((1000,), 900.0))
    del y
    gpus.empty_cache()
    after = stats()
    assert (after["live"], after["reserved"]) == (before["live"], before["reserved"])


def dropout(x: Tensor) -> object:
    return F.dropout(x, 0.5)


FORBIDDEN: dict[str, tuple[Callable[[Tensor], object], str]] = {
    "item": (lambda x: x.sum().item(), "read"),
    "print": (lambda x: str(x), "read"),
    "if": (lambda x: bool(x.sum() > 0), "read"),
    "numpy": (lambda x: np.asarray(x.cpu()), "read"),
    "nonzero": (lambda x: rl.nonzero(x), "read"),
    "upload": (lambda x: rl.asarray(np.ones(3, np.float32)).to(GPU), "make the tensor before the capture"),
    "randn": (lambda x: rl.randn(3, device=GPU), "random"),
    "dropout": (dropout, "random"),
    "synchronize": (lambda x: gpus.synchronize(GPU), "wait"),
    "empty_cache": (lambda x: gpus.empty_cache(GPU), "before the capture"),
    "dlpack": (lambda x: x.__dlpack__(), "wait"),
}


@pytest.mark.parametrize("name", FORBIDDEN)
def test_unrecordable_work_is_an_error_and_the_gpu_stays_usable(name: str) -> None:
    call, words = FORBIDDEN[name]
    x = rl.ones((8, 4), device=GPU)
    call(x)
    float((x + x).sum())
    g = new_graph()
    with pytest.raises(rl.DeviceError, match="a graph is being captured on") as raised, gpus.graph(g):
        call(x)
    assert words in str(raised.value), raised.value
    with pytest.raises(rl.DeviceError, match="the graph is empty"):
        g.replay()
    assert float((x + x).sum()) == 64.0
    # The same graph can be captured now.
    with gpus.graph(g):
        y = x + x
    g.replay()
    assert float(y.sum()) == 64.0


def test_a_kernel_that_was_not_compiled_before_is_an_error() -> None:
    """In a separate process, which has used no other kernel."""
    program = f"""
import rushlight as rl
gpus = rl.{KIND}
x = rl.ones((8, 4), device="{GPU}")
g = rl.cuda.CUDAGraph() if "{KIND}" == "cuda" else rl.rocm.Graph()
try:
    with gpus.graph(g):
        rl.cumulative_sum(x, axis=0)
except rl.DeviceError as e:
    assert "sum" in str(e) and "run the function once before the capture" in str(e), e
else:
    raise AssertionError("no error")
assert rl.cumulative_sum(x, axis=0)[7, 0].item() == 8
with gpus.graph(g):
    y = rl.cumulative_sum(x, axis=0)
g.replay()
assert y[7, 0].item() == 8
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_steps_that_differ_are_an_error() -> None:
    for make, words in [
        (lambda p: optim.Adam(p), "number of the step"),
        (lambda p: optim.SGD(p, momentum=0.9), "first step"),
    ]:
        w = rl.ones(4, device=GPU, requires_grad=True)
        optimizer = make([w])
        (w * 2).sum().backward()
        with pytest.raises(rl.DeviceError, match=words), gpus.graph(new_graph()):
            optimizer.step()
    # Another first step works.
    assert w.tolist() == [1, 1, 1, 1]


def test_other_threads_and_other_captures_are_errors() -> None:
    x = rl.ones(4, device=GPU)
    assert float((x + 1).sum()) == 8.0
    told: list[str] = []

    def other() -> None:
        for call in (lambda: x + 1, lambda: x.cpu(), lambda: rl.zeros(3, device=GPU), g.capture_end):
            try:
                call()
            except rl.DeviceError as e:
                told.append(str(e))

    g, h = new_graph(), new_graph()
    with gpus.graph(g):
        y = x + 1
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        with pytest.raises(rl.DeviceError, match="one capture at a time"):
            h.capture_begin()
        with pytest.raises(rl.DeviceError, match="end the capture first"):
            g.replay()
    assert len(told) == 4, told
    assert all("another thread captures a graph" in t for t in told[:3])
    assert "by the thread that began it" in told[3]
    g.replay()
    assert float(y.sum()) == 8.0
    thread = threading.Thread(target=g.replay)
    thread.start()
    thread.join()
    with pytest.raises(rl.DeviceError, match="captured already"):
        g.capture_begin()


def test_a_replay_inside_a_capture_is_an_error_and_a_graph_may_be_dropped_there() -> None:
    x = rl.ones(4, device=GPU)
    x + 1
    g, h = new_graph(), new_graph()
    with gpus.graph(g):
        y = x + 1
    with pytest.raises(rl.DeviceError, match="does not contain another one"), gpus.graph(h):
        g.replay()
    with gpus.graph(h):
        del g
        z = x + 1
    h.replay()
    assert float(z.sum()) == 8.0
    assert y.shape == (4,)


def test_an_index_error_of_a_replay_names_the_op() -> None:
    table, index = rl.ones((4, 3), device=GPU), rl.asarray([0, 1]).to(GPU)
    rl.take(table, index, axis=0)
    g = new_graph()
    with gpus.graph(g):
        rl.take(table, index, axis=0)
    g.replay()
    gpus.synchronize(GPU)
    index.fill_(9)
    g.replay()
    with pytest.raises(IndexError, match="9"):
        gpus.synchronize(GPU)
    index.fill_(2)
    g.replay()
    gpus.synchronize(GPU)


def test_tensors_dropped_in_the_capture_keep_their_memory() -> None:
    x = rl.ones(4, device=GPU)
    x * x
    held = [rl.full((4,), 3.0, device=GPU)]
    g = new_graph()
    with gpus.graph(g):
        y = x * held.pop()
    others = [rl.zeros(4, device=GPU) for _ in range(50)]
    g.replay()
    assert y.tolist() == [3, 3, 3, 3]
    assert len(others) == 50


def test_a_graph_keeps_the_tensors_of_another_one() -> None:
    x = rl.full((1000, 300), 2.0, device=GPU)
    (x * x + x).sum()
    g, h = new_graph(), new_graph()
    with gpus.graph(g):
        y = [x * x]
    g.replay()
    with gpus.graph(h):
        z = y.pop() + x
        del g
    gc.collect()
    gpus.empty_cache()
    others = [rl.zeros((1000, 300), device=GPU) for _ in range(3)]
    h.replay()
    assert bits(z) == bits(rl.full((1000, 300), 6.0))
    assert len(others) == 3


def test_a_cpu_has_no_graphs() -> None:
    with pytest.raises(rl.DeviceError, match="cpu has no graphs"), gpus.graph(rl.rocm.Graph("cpu")):
        pass


def test_graph_refuses_other_objects_and_takes_the_arguments_of_pytorch() -> None:
    with pytest.raises(TypeError, match=r"expected a rocm\.Graph or a cuda\.CUDAGraph, got NoneType"):
        gpus.graph(None)  # type: ignore[arg-type]
    g = new_graph()
    with pytest.raises(NotImplementedError, match="leave `stream` out"):
        gpus.graph(g, stream=object())
    x = rl.ones(3, device=GPU)
    y = x + 1
    with gpus.graph(g, pool=(0, 1), stream=None):
        y = x + 1
    g.replay()
    assert y.tolist() == [2, 2, 2]


def test_adam_after_replayed_gradients_has_the_bits_of_eager_steps() -> None:
    """The recorded gradients are the same tensors in every step."""
    eager, recorded = (Training(lambda p: optim.AdamW(p, lr=0.01)) for _ in range(2))
    g = new_graph()
    with gpus.graph(g):
        recorded.optimizer.zero_grad()
        loss = F.cross_entropy(recorded.model(recorded.x), recorded.y)
        loss.backward()
    for number in range(1, 6):
        eager.load(number)
        recorded.load(number)
        eager.loss = eager.step()
        g.replay()
        recorded.optimizer.step()
        assert bits(loss) == bits(eager.loss), number
        assert eager.state() == recorded.state(), number
