"""Every optimizer with settings that take all branches, for the tests that hold for all of them."""

from __future__ import annotations

from typing import Any

from rushlight import optim

ELEMENTWISE: list[tuple[Any, dict[str, Any]]] = [
    (optim.SGD, {"lr": 0.1}),
    (optim.SGD, {"lr": 0.1, "weight_decay": 0.01}),
    (optim.SGD, {"lr": 0.1, "momentum": 0.9}),
    (optim.SGD, {"lr": 0.1, "momentum": 0.9, "dampening": 0.1}),
    (optim.SGD, {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01}),
    (optim.Adam, {"lr": 0.01}),
    (optim.Adam, {"lr": 0.01, "weight_decay": 0.1}),
    (optim.AdamW, {"lr": 0.01, "weight_decay": 0.1}),
    (optim.Adam, {"lr": 0.01, "amsgrad": True, "maximize": True, "weight_decay": 0.1}),
    (optim.Adagrad, {"lr": 0.1, "lr_decay": 0.01, "weight_decay": 0.1, "initial_accumulator_value": 0.1}),
    (optim.Adadelta, {"weight_decay": 0.1}),
    (optim.Adamax, {"lr": 0.01, "weight_decay": 0.1}),
    (optim.NAdam, {"lr": 0.01, "weight_decay": 0.1, "decoupled_weight_decay": True}),
    (optim.RAdam, {"lr": 0.01, "weight_decay": 0.1}),
    (optim.RMSprop, {"lr": 0.01, "momentum": 0.9, "centered": True, "eps": 0.01}),
    (optim.Rprop, {"lr": 0.01}),
    (optim.ASGD, {"lr": 0.01, "lambd": 0.01, "t0": 3, "weight_decay": 0.1}),
    (optim.Lion, {"lr": 0.01, "weight_decay": 0.1}),
    (optim.LARS, {"lr": 1.0, "weight_decay": 0.01, "nesterov": True, "trust_coefficient": 0.01}),
    (optim.SparseAdam, {"lr": 0.01}),
    (optim.LAMB, {"lr": 0.01, "weight_decay": 0.1}),
    (optim.Adafactor, {"lr": 0.1, "weight_decay": 0.1}),
]
