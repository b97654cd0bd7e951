"""The table of a network's layers."""

from __future__ import annotations

import pytest

import rushlight as rl
from rushlight import nn


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(3, 3, bias=False)
        self.second = nn.Linear(3, 3, bias=False)
        self.second.weight = self.first.weight
        self.scale = nn.Parameter(rl.ones(5))
        self.norm = nn.BatchNorm1d(3)

    def forward(self, x: rl.Tensor) -> tuple[rl.Tensor, dict[str, rl.Tensor]]:
        return self.norm(self.second(self.first(x))), {"x": x}


def test_summary_counts_each_parameter_once() -> None:
    model = Tied()
    model.scale.requires_grad_(False)
    lines = nn.summary(model, rl.ones((4, 3))).splitlines()
    assert [line.split() for line in lines[:-1]] == [
        ["name", "class", "result", "parameters"],
        ["(model)", "Tied", "(4,", "3),", "dict", "5"],
        ["first", "Linear", "(4,", "3)", "9"],
        ["second", "Linear", "(4,", "3)", "0"],
        ["norm", "BatchNorm1d", "(4,", "3)", "6"],
    ]
    assert lines[-1] == "20 parameters, 15 of them trainable, 80 bytes; 32 bytes of buffers"
    assert len({len(line) for line in lines[:-1]}) == 1


def test_summary_leaves_the_network_as_it_is() -> None:
    model = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2), nn.Dropout(0.5))
    model[2].eval()
    before = {key: value.tolist() for key, value in model.state_dict().items()}
    nn.summary(model, rl.ones((4, 3)))
    assert {key: value.tolist() for key, value in model.state_dict().items()} == before
    assert [m.training for m in model.modules()] == [True, True, True, False]
    assert all(p.grad is None for p in model.parameters())
    with pytest.raises(ValueError, match="last axis of input"):
        nn.summary(model, rl.ones((4, 7)))
    assert [m.training for m in model.modules()] == [True, True, True, False]
    calls = []
    model.register_forward_hook(lambda *_: calls.append(1))
    model(rl.ones((4, 3)))
    assert calls == [1], "no hook of the summary is left"


def test_summary_without_inputs_has_no_shapes() -> None:
    lines = nn.summary(nn.Sequential(nn.Linear(3, 2), nn.ReLU())).splitlines()
    assert lines[0].split() == ["name", "class", "parameters"]
    assert lines[1].split() == ["0", "Linear", "8"]
    with pytest.raises(TypeError, match="expected a Module, got int"):
        nn.summary(3)  # type: ignore[arg-type]
