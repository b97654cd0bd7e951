"""Tensors handed to PyTorch and taken from it, by every function that takes foreign data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import rushlight as rl

DTYPES = ["bool", "int8", "int32", "int64", "uint8", "float16", "bfloat16", "float32", "float64", "complex64"]
TAKERS: list[Callable[[Any], Any]] = [torch.asarray, torch.as_tensor, torch.from_dlpack]


@pytest.mark.parametrize("take", TAKERS, ids=lambda take: take.__name__)
@pytest.mark.parametrize("dtype", DTYPES)
def test_pytorch_takes_shape_dtype_and_strides(take: Callable[[Any], Any], dtype: str) -> None:
    """`torch.asarray` read a buffer as a flat run of float32; transposed tensors and bfloat16 raised."""
    t = rl.tensor([[0, 1, 2], [3, 4, 5]], dtype=dtype)
    for ours in (t, t.T, t[:, ::2], t[:, :1].expand(2, 3), t[1, 2]):
        theirs = take(ours)
        assert theirs.dtype == getattr(torch, dtype)
        assert tuple(theirs.shape) == ours.shape
        assert theirs.tolist() == ours.tolist()


def test_pytorch_shares_the_memory() -> None:
    t = rl.zeros((2, 3))
    for value, take in enumerate(TAKERS, start=1):
        take(t.T)[2, 1] = value
        assert t[1, 2].item() == value
    theirs = torch.zeros(2, 3)
    ours = rl.asarray(theirs.T)
    theirs[1, 2] = 7
    assert ours[2, 1].item() == 7
    assert torch.tensor(t).shape == (2, 3)


@pytest.mark.parametrize("name", ["max", "min", "sort"])
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_pairs_are_those_of_pytorch(name: str, dim: int) -> None:
    data = [[3.0, 1.0, 3.0], [9.0, 7.0, 9.0]]
    ours, theirs = rl.tensor(data, requires_grad=True), torch.tensor(data, requires_grad=True)
    got, want = getattr(ours, name)(dim), getattr(theirs, name)(dim)
    if name == "sort":
        want = torch.sort(theirs, dim=dim, stable=True)
    assert got.values.tolist() == want.values.tolist()
    assert got.indices.tolist() == want.indices.tolist()
    weights = rl.arange(1.0, got.values.size + 1.0).reshape(got.values.shape)
    (got.values * weights).sum().backward()
    (want.values * torch.asarray(weights)).sum().backward()
    assert ours.grad is not None
    assert theirs.grad is not None
    assert ours.grad.tolist() == theirs.grad.tolist()


def test_checkpoints_go_both_ways(tmp_path: Path) -> None:
    """PyTorch reads our file without running anything, trains on from it, and we go on from PyTorch's."""
    model = rl.nn.Linear(3, 2)
    optimizer = rl.optim.AdamW(model.parameters(), lr=0.1)
    schedule = rl.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=9)

    def step(lib: Any, model: Any, optimizer: Any, schedule: Any) -> None:
        optimizer.zero_grad()
        (model(lib.ones((4, 3))) ** 2).mean().backward()
        optimizer.step()
        schedule.step()

    for _ in range(3):
        step(rl, model, optimizer, schedule)
    parts = {"model": model, "optimizer": optimizer, "schedule": schedule}
    rl.save({name: part.state_dict() for name, part in parts.items()} | {"epoch": 3}, tmp_path / "ours.pt")
    found = torch.load(tmp_path / "ours.pt", weights_only=True)
    assert found["epoch"] == 3
    theirs: Any = torch.nn.Linear(3, 2)
    their_optimizer: Any = torch.optim.AdamW(theirs.parameters(), lr=5.0)
    their_schedule: Any = torch.optim.lr_scheduler.CosineAnnealingLR(their_optimizer, T_max=2)
    theirs.load_state_dict(found["model"])
    for state in found["optimizer"]["state"].values():
        # PyTorch counts steps in a tensor.
        state["step"] = torch.tensor(float(state["step"]))
    their_optimizer.load_state_dict(found["optimizer"])
    their_schedule.load_state_dict(found["schedule"])
    for _ in range(3):
        step(rl, model, optimizer, schedule)
        step(torch, theirs, their_optimizer, their_schedule)
    assert model.weight.tolist() == pytest.approx(theirs.weight.detach().numpy(), rel=1e-5, abs=1e-6)
    assert schedule.get_last_lr() == pytest.approx(their_schedule.get_last_lr())
    saved = {"model": theirs.state_dict(), "optimizer": their_optimizer.state_dict()}
    torch.save(saved, tmp_path / "theirs.pt")
    back = rl.load(tmp_path / "theirs.pt")
    model.load_state_dict(back["model"])
    optimizer.load_state_dict(back["optimizer"])
    step(rl, model, optimizer, schedule)
    step(torch, theirs, their_optimizer, their_schedule)
    assert model.weight.tolist() == pytest.approx(theirs.weight.detach().numpy(), rel=1e-5, abs=1e-6)


def test_every_dtype_of_a_file_is_pytorchs(tmp_path: Path) -> None:
    names = [*DTYPES, "int16", "uint16", "uint32", "uint64", "float8_e4m3fn"]
    value = {name: rl.tensor([[0, 1], [1, 1]]).to(rl.float32) for name in names}
    value = {name: x.to(getattr(rl, name)) if name != "complex64" else x for name, x in value.items()}
    rl.save(
        {"x": value, "p": rl.nn.Parameter(rl.ones(2)), "b": b"\xff", "s": {1}, "big": 10**40},
        tmp_path / "x.pt",
    )
    found = torch.load(tmp_path / "x.pt", weights_only=True)
    for name, x in found["x"].items():
        assert x.dtype == getattr(torch, "float32" if name == "complex64" else name)
        assert x.float().tolist() == [[0.0, 1.0], [1.0, 1.0]]
    assert isinstance(found["p"], torch.nn.Parameter)
    assert (found["b"], found["s"], found["big"]) == (b"\xff", {1}, 10**40)
    # PyTorch maps the storages into memory, so they begin at multiples of 64 bytes.
    assert torch.load(tmp_path / "x.pt", mmap=True)["x"]["float64"].tolist() == [[0.0, 1.0], [1.0, 1.0]]


def test_pytorchs_loader_gives_our_tensors() -> None:
    x, y = rl.arange(12.0).reshape(6, 2), rl.arange(6)
    pairs = torch.utils.data.TensorDataset(x, y)
    entries = [{"x": x[i], "n": i} for i in range(6)]
    loader = torch.utils.data.DataLoader(pairs, 4, collate_fn=rl.data.default_collate)
    batches = [[part.tolist() for part in batch] for batch in loader]
    assert batches == [[x[:4].tolist(), [0, 1, 2, 3]], [x[4:].tolist(), [4, 5]]]
    order = [4, 0, 5]
    (batch,) = torch.utils.data.DataLoader(entries, 3, sampler=order, collate_fn=rl.data.default_collate)
    assert isinstance(batch["x"], rl.Tensor)
    assert batch["x"].tolist() == [x[i].tolist() for i in order]
    assert batch["n"].tolist() == order
    # Our loader takes PyTorch's data sets and samplers, too.
    plain = torch.utils.data.TensorDataset(torch.arange(6))
    sampler = torch.utils.data.SequentialSampler(plain)
    ours = rl.data.DataLoader(plain, 4, sampler=sampler, collate_fn=torch.utils.data.default_collate)
    assert [part.tolist() for (part,) in ours] == [[0, 1, 2, 3], [4, 5]]
