"""The default device: which functions make their tensors there, and in which order it is looked up."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import rushlight as rl

# A device without a GPU: it computes with the CPU's code.
OTHER = "test:0"


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    yield
    rl.set_default_device(None)


MAKERS: dict[str, Callable[[], rl.Tensor]] = {
    "zeros": lambda: rl.zeros((2, 3)),
    "ones": lambda: rl.ones(2),
    "empty": lambda: rl.empty(2),
    "full": lambda: rl.full((2,), 7),
    "arange": lambda: rl.arange(3),
    "linspace": lambda: rl.linspace(0, 1, 3),
    "eye": lambda: rl.eye(2),
    "tensor": lambda: rl.tensor([1, 2]),
    "tensor of an array": lambda: rl.tensor(np.ones(2)),
    "asarray": lambda: rl.asarray([1.0]),
    "asarray of an array": lambda: rl.asarray(np.ones(2)),
    "as_tensor": lambda: rl.as_tensor([1.0]),
    "Tensor": lambda: rl.Tensor([1.0]),
    "rand": lambda: rl.rand(2),
    "randn": lambda: rl.randn(2),
    "randint": lambda: rl.randint(0, 5, (2,)),
    "randperm": lambda: rl.randperm(4),
    "rand of a generator": lambda: rl.rand(2, generator=rl.Generator().manual_seed(1)),
    "tril_indices": lambda: rl.tril_indices(3, 3),
    "logspace": lambda: rl.logspace(0, 1, 3),
    "hann_window": lambda: rl.hann_window(4),
    "fftfreq": lambda: rl.fft.fftfreq(4),
    "Linear": lambda: rl.nn.Linear(2, 3).weight,
    "BatchNorm": lambda: rl.nn.BatchNorm1d(2).running_mean,
}


@pytest.mark.parametrize("name", MAKERS)
def test_tensors_are_made_there(name: str) -> None:
    make = MAKERS[name]
    assert make().device == "cpu"
    rl.set_default_device(OTHER)
    assert make().device == OTHER
    with rl.device("cpu"):
        assert make().device == "cpu"
    rl.set_default_device(None)
    assert make().device == "cpu"


def test_tensors_keep_the_device_that_they_have() -> None:
    x = rl.ones(2)
    with rl.Device(OTHER):
        assert rl.asarray(x) is not None
        assert rl.asarray(x).device == "cpu"
        assert rl.zeros_like(x).device == "cpu"
        assert x.new_zeros(2).device == "cpu"
        assert rl.from_numpy(np.ones(2)).device == "cpu"
        assert rl.from_dlpack(np.ones(2)).device == "cpu"
        assert rl.frombuffer(b"ab", rl.uint8).device == "cpu"
        assert rl.Generator().device == "cpu"
        assert rl.zeros(2, device="cpu").device == "cpu"
        assert (x + 1).device == "cpu"


def test_the_innermost_block_counts() -> None:
    rl.set_default_device(OTHER)
    assert rl.get_default_device() == OTHER
    assert rl.__array_namespace_info__().default_device() == OTHER
    with rl.device("cpu") as inner:
        assert inner == "cpu"
        assert rl.get_default_device() == "cpu"
        with rl.device("test:1"):
            assert rl.get_default_device() == "test:1"
            # It holds after the blocks.
            rl.set_default_device("test:2")
            assert rl.get_default_device() == "test:1"
        assert rl.get_default_device() == "cpu"
    assert rl.get_default_device() == "test:2"


def test_a_block_that_fails_restores_it() -> None:
    with pytest.raises(ValueError, match="stop"), rl.device(OTHER):
        raise ValueError("stop")
    assert rl.get_default_device() == "cpu"


def test_threads_have_their_own() -> None:
    seen: list[rl.Device] = []
    rl.set_default_device(OTHER)
    thread = threading.Thread(target=lambda: seen.append(rl.zeros(1).device))
    thread.start()
    thread.join()
    assert seen == [rl.Device("cpu")]


def test_no_such_device() -> None:
    with pytest.raises(rl.DeviceError, match="'gpu' is not a device"):
        rl.set_default_device("gpu")
    with pytest.raises(TypeError, match="a device must be a Device or a text"):
        rl.set_default_device(3)  # type: ignore[arg-type]


def test_a_training_step_is_made_there() -> None:
    with rl.device(OTHER):
        rl.manual_seed(0)
        net = rl.nn.Sequential(rl.nn.Linear(4, 8), rl.nn.ReLU(), rl.nn.Dropout(0.1), rl.nn.Linear(8, 3))
        optimizer = rl.optim.AdamW(net.parameters(), lr=0.1)
        x, y = rl.randn(6, 4), rl.tensor([0, 1, 2, 0, 1, 2])
        before = net[0].weight.detach().clone()
        loss = rl.functional.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        assert loss.device == OTHER
        assert bool((net[0].weight != before).any())


def test_states_of_random_numbers_are_those_of_the_default_device() -> None:
    with rl.device(OTHER):
        state = rl.get_rng_state()
        first = rl.rand(3)
        rl.set_rng_state(state)
        assert first.tolist() == rl.rand(3).tolist()


@pytest.mark.parametrize("workers", [0, 1])
def test_batches_of_workers_are_on_the_cpu(workers: int) -> None:
    """A worker has its own default device."""
    data = [np.float32([i, i]) for i in range(4)]
    loader = rl.data.DataLoader(data, 2, num_workers=workers, multiprocessing_context="thread")
    with rl.device(OTHER):
        devices = [batch.device for batch in loader]
    assert devices == ["cpu" if workers else OTHER] * 2
