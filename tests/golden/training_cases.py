"""The cases of optimizers and schedules, and the loop that steps a schedule. NumPy only."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from golden_cases import Array, Book, Json, fixed, normal, uniform

SETTINGS: list[tuple[str, str, Json]] = [
    ("SGD", "maximize", {"lr": 0.1, "momentum": 0.9, "maximize": True}),
    ("Adam", "maximize", {"lr": 0.01, "maximize": True, "weight_decay": 0.1}),
    ("Adam", "amsgrad", {"lr": 0.05, "amsgrad": True, "betas": [0.5, 0.6]}),
    ("Adam", "amsgrad_decay", {"lr": 0.05, "amsgrad": True, "weight_decay": 0.1}),
    ("AdamW", "amsgrad", {"lr": 0.05, "amsgrad": True, "betas": [0.5, 0.6]}),
    ("Adagrad", "plain", {}),
    ("Adagrad", "rates", {"lr": 0.1, "lr_decay": 0.1, "eps": 1e-3}),
    ("Adagrad", "start_decay", {"lr": 0.1, "initial_accumulator_value": 0.5, "weight_decay": 0.1}),
    ("Adagrad", "maximize", {"lr": 0.1, "maximize": True}),
    ("Adadelta", "plain", {}),
    ("Adadelta", "rho_eps", {"lr": 0.5, "rho": 0.5, "eps": 1e-3}),
    ("Adadelta", "decay_maximize", {"weight_decay": 0.1, "maximize": True}),
    ("Adamax", "plain", {}),
    ("Adamax", "betas", {"lr": 0.1, "betas": [0.5, 0.9], "eps": 1e-3}),
    ("Adamax", "decay_maximize", {"lr": 0.1, "weight_decay": 0.1, "maximize": True}),
    ("NAdam", "plain", {}),
    ("NAdam", "betas", {"lr": 0.1, "betas": [0.5, 0.9], "eps": 1e-3, "momentum_decay": 0.1}),
    ("NAdam", "decay", {"lr": 0.1, "weight_decay": 0.1}),
    (
        "NAdam",
        "decoupled_maximize",
        {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True, "maximize": True},
    ),
    ("RAdam", "plain", {"lr": 0.1}),
    ("RAdam", "rectified_at_once", {"lr": 0.1, "betas": [0.5, 0.9], "eps": 1e-3}),
    ("RAdam", "decay", {"lr": 0.1, "betas": [0.8, 0.95], "weight_decay": 0.1}),
    (
        "RAdam",
        "decoupled_maximize",
        {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True, "maximize": True},
    ),
    ("RMSprop", "plain", {}),
    ("RMSprop", "alpha", {"lr": 0.1, "alpha": 0.5, "eps": 1e-3}),
    ("RMSprop", "momentum_decay", {"lr": 0.05, "momentum": 0.9, "weight_decay": 0.1}),
    ("RMSprop", "centered", {"lr": 0.05, "centered": True, "alpha": 0.9, "eps": 0.01}),
    ("RMSprop", "all", {"lr": 0.05, "centered": True, "momentum": 0.5, "eps": 0.01, "maximize": True}),
    ("Rprop", "plain", {}),
    ("Rprop", "etas", {"lr": 0.1, "etas": [0.25, 2.0], "step_sizes": [0.05, 0.15]}),
    ("Rprop", "maximize", {"lr": 0.1, "maximize": True}),
    ("ASGD", "plain", {}),
    ("ASGD", "rates", {"lr": 0.1, "lambd": 0.1, "alpha": 0.5, "weight_decay": 0.1}),
    ("ASGD", "averaged", {"lr": 0.1, "t0": 1, "maximize": True}),
    ("Adafactor", "plain", {}),
    ("Adafactor", "rates", {"lr": 0.5, "beta2_decay": -0.5, "eps": [1e-6, 0.1], "d": 2.0}),
    ("Adafactor", "decay_maximize", {"lr": 0.1, "weight_decay": 0.1, "maximize": True}),
]

MUON: list[tuple[str, Json]] = [
    ("plain", {}),
    ("rates", {"lr": 0.1, "weight_decay": 0.5, "momentum": 0.5}),
    ("plain_momentum", {"lr": 0.1, "nesterov": False, "ns_steps": 3}),
    ("rms", {"lr": 0.1, "adjust_lr_fn": "match_rms_adamw"}),
]

LBFGS: list[tuple[str, Json]] = [
    ("plain", {"lr": 0.1}),
    ("short", {"lr": 0.2, "max_iter": 4, "history_size": 3}),
    ("evaluations", {"lr": 0.1, "max_iter": 10, "max_eval": 5}),
    ("wolfe", {"line_search_fn": "strong_wolfe"}),
    ("wolfe_short", {"line_search_fn": "strong_wolfe", "max_iter": 5, "history_size": 2, "lr": 0.5}),
    ("wolfe_far", {"line_search_fn": "strong_wolfe", "lr": 20.0, "max_iter": 8}),
]


def optimizers(book: Book, steps: int = 5) -> None:
    inputs = {
        "param0": normal(3, 4),
        "param1": normal(5),
        "grads0": normal(steps, 3, 4),
        "grads1": normal(steps, 5, scale=0.1),
    }
    for op, variant, kwargs in SETTINGS:
        book.case(op, variant, inputs, grad=False, **kwargs)


def rows(steps: int, count: int, width: int) -> Callable[[np.random.Generator], Array]:
    """Gradients of an embedding: in each step about half of the rows are zero."""

    def draw(rng: np.random.Generator) -> Array:
        values = rng.normal(size=(steps, count, width))
        return values * (rng.uniform(size=(steps, count, 1)) < 0.5)

    return draw


def sparse_adam(book: Book) -> None:
    """PyTorch gets the gradients as sparse tensors that name the rows."""
    inputs = {"param0": normal(6, 3), "grads0": rows(5, 6, 3)}
    for variant, kwargs in [
        ("plain", {}),
        ("rates", {"lr": 0.1, "betas": [0.5, 0.9], "eps": 1e-3, "maximize": True}),
    ]:
        book.case("SparseAdam", variant, inputs, grad=False, **kwargs)


def scaler(book: Book) -> None:
    """A gradient scaler over iterations of which some overflow."""
    factors = [1.0, 0.7, np.inf, 0.3, 1e38, 0.9, np.nan, 0.2, 0.1, 0.6]
    inputs = {"param0": normal(3), "param1": normal(2, 2), "factors": fixed(factors)}
    for variant, kwargs in [
        ("plain", {"growth_interval": 2}),
        (
            "rates",
            {"init_scale": 1000.0, "growth_factor": 3.0, "backoff_factor": 0.3, "growth_interval": 2},
        ),
        ("large", {"init_scale": 1e38, "growth_factor": 1000.0, "growth_interval": 1}),
    ]:
        book.case("GradScaler", variant, inputs, grad=False, dtypes=["float32"], **kwargs)


def run_scaler(library: Any, params: list[Any], factors: Any, kwargs: Json) -> list[list[Any]]:
    """The first parameter, the scale and the growth tracker after each iteration, by either library."""
    optimizer = library.optim.SGD(params, lr=0.1, momentum=0.9)
    scaler = library.amp.GradScaler("cpu", **kwargs)
    tracks: list[list[Any]] = [[], [], []]
    for i, factor in enumerate(factors):
        optimizer.zero_grad()
        first, second = params
        scaler.scale((first * first * float(factor)).sum() + (second * 1.5).sum()).backward()
        if i % 2:
            scaler.unscale_(optimizer)
        scaler.step(optimizer)
        scaler.update()
        saved = scaler.state_dict()
        state: list[Any] = [first.detach().numpy().copy(), saved["scale"], saved["_growth_tracker"]]
        assert scaler.get_scale() == saved["scale"]
        for track, value in zip(tracks, state, strict=True):
            track.append(value)
    return tracks


def muon(book: Book) -> None:
    """The cases of Muon: matrices only, wide and tall. PyTorch computes its products in bfloat16."""
    inputs = {
        "param0": normal(3, 4),
        "param1": normal(6, 2),
        "grads0": normal(4, 3, 4),
        "grads1": normal(4, 6, 2, scale=0.1),
    }
    for variant, kwargs in MUON:
        book.case("Muon", variant, inputs, grad=False, dtypes=["float32"], **kwargs)


def lbfgs(book: Book) -> None:
    """The cases of LBFGS: six steps on Rosenbrock's function of five numbers."""
    for variant, kwargs in LBFGS:
        book.case("LBFGS", variant, {"param0": normal(5)}, grad=False, dtypes=["float64"], **kwargs)


def rosenbrock(x: Any) -> Any:
    return (100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2).sum()


LAMBDAS: dict[str, Callable[[float], float]] = {
    "power": lambda epoch: 0.9**epoch,
    "inverse": lambda epoch: 1 / (1 + epoch),
    "root": lambda x: 1 / math.sqrt(1 + x),
}

# "optimizer" is SGD with momentum unless given, "epochs" are the arguments of step(), and the groups begin
# with the learning rates `rates`.
SCHEDULES: list[tuple[str, str, Json]] = [
    ("LambdaLR", "one", {"lr_lambda": "power"}),
    ("LambdaLR", "two", {"lr_lambda": ["power", "inverse"]}),
    ("MultiplicativeLR", "one", {"lr_lambda": "inverse"}),
    ("MultiplicativeLR", "two", {"lr_lambda": ["power", "inverse"]}),
    ("StepLR", "plain", {"step_size": 3}),
    ("StepLR", "gamma", {"step_size": 4, "gamma": 0.5}),
    ("MultiStepLR", "plain", {"milestones": [2, 5, 11]}),
    ("MultiStepLR", "twice", {"milestones": [9, 3, 3], "gamma": 0.5}),
    ("ConstantLR", "plain", {}),
    ("ConstantLR", "factor", {"factor": 0.25, "total_iters": 9}),
    ("LinearLR", "plain", {}),
    ("LinearLR", "down", {"start_factor": 0.9, "end_factor": 0.1, "total_iters": 12}),
    ("ExponentialLR", "plain", {"gamma": 0.9}),
    ("PolynomialLR", "plain", {}),
    ("PolynomialLR", "power", {"total_iters": 15, "power": 2.0}),
    ("CosineAnnealingLR", "plain", {"T_max": 7}),
    ("CosineAnnealingLR", "least", {"T_max": 30, "eta_min": 0.01}),
    ("CosineAnnealingWarmRestarts", "plain", {"T_0": 6}),
    ("CosineAnnealingWarmRestarts", "longer", {"T_0": 3, "T_mult": 2, "eta_min": 0.01}),
    (
        "CosineAnnealingWarmRestarts",
        "parts",
        {"T_0": 3, "T_mult": 2, "epochs": [0.25 * i for i in range(24)]},
    ),
    ("CosineAnnealingWarmRestarts", "even_parts", {"T_0": 2, "epochs": [0.25 * i for i in range(24)]}),
    ("CyclicLR", "plain", {"base_lr": 0.1, "max_lr": 1.0, "step_size_up": 4}),
    (
        "CyclicLR",
        "half",
        {"base_lr": 0.1, "max_lr": [1.0, 0.5], "step_size_up": 3, "step_size_down": 5, "mode": "triangular2"},
    ),
    (
        "CyclicLR",
        "range",
        {"base_lr": 0.1, "max_lr": 1.0, "step_size_up": 4, "mode": "exp_range", "gamma": 0.9},
    ),
    (
        "CyclicLR",
        "function",
        {"base_lr": 0.1, "max_lr": 1.0, "step_size_up": 4, "scale_fn": "root", "scale_mode": "iterations"},
    ),
    (
        "CyclicLR",
        "momentum",
        {"base_lr": 0.1, "max_lr": 1.0, "step_size_up": 4, "base_momentum": 0.5, "max_momentum": 0.95},
    ),
    ("CyclicLR", "adam", {"optimizer": "Adam", "base_lr": 0.1, "max_lr": 1.0, "step_size_up": 4}),
    ("CyclicLR", "rates_only", {"base_lr": 0.1, "max_lr": 1.0, "step_size_up": 4, "cycle_momentum": False}),
    ("OneCycleLR", "plain", {"max_lr": 1.0, "total_steps": 24}),
    (
        "OneCycleLR",
        "epochs_linear",
        {"max_lr": [1.0, 2.0], "epochs": 6, "steps_per_epoch": 4, "anneal_strategy": "linear"},
    ),
    ("OneCycleLR", "three", {"max_lr": 1.0, "total_steps": 24, "three_phase": True, "pct_start": 0.25}),
    (
        "OneCycleLR",
        "factors",
        {
            "max_lr": 1.0,
            "total_steps": 30,
            "div_factor": 4.0,
            "final_div_factor": 100.0,
            "base_momentum": 0.5,
            "max_momentum": 0.9,
        },
    ),
    ("OneCycleLR", "adam", {"optimizer": "Adam", "max_lr": 1.0, "total_steps": 24}),
    ("OneCycleLR", "rates_only", {"max_lr": 1.0, "total_steps": 24, "cycle_momentum": False}),
    ("SWALR", "plain", {"swa_lr": 0.05}),
    ("SWALR", "linear", {"swa_lr": [0.05, 0.1], "anneal_epochs": 5, "anneal_strategy": "linear"}),
    ("SWALR", "at_once", {"swa_lr": 0.05, "anneal_epochs": 0}),
    ("ReduceLROnPlateau", "plain", {"patience": 2}),
    (
        "ReduceLROnPlateau",
        "most",
        {"mode": "max", "factor": 0.5, "patience": 1, "threshold_mode": "abs", "threshold": 0.1},
    ),
    (
        "ReduceLROnPlateau",
        "cooldown",
        {"patience": 0, "cooldown": 2, "factor": 0.5, "min_lr": [0.05, 0.2], "threshold": 0.05},
    ),
    ("ReduceLROnPlateau", "eps", {"patience": 0, "factor": 0.9, "eps": 0.03}),
    (
        "SequentialLR",
        "warmup_cosine",
        {
            "schedulers": [
                ["LinearLR", {"start_factor": 0.1, "total_iters": 4}],
                ["CosineAnnealingLR", {"T_max": 12}],
            ],
            "milestones": [4],
        },
    ),
    (
        "SequentialLR",
        "three",
        {
            "schedulers": [
                ["ConstantLR", {"factor": 0.5}],
                ["ExponentialLR", {"gamma": 0.9}],
                ["StepLR", {"step_size": 2, "gamma": 0.5}],
            ],
            "milestones": [5, 11],
        },
    ),
    (
        "ChainedScheduler",
        "two",
        {
            "schedulers": [
                ["ConstantLR", {"factor": 0.5, "total_iters": 4}],
                ["ExponentialLR", {"gamma": 0.9}],
            ]
        },
    ),
    (
        "ChainedScheduler",
        "cosine_steps",
        {
            "schedulers": [
                ["CosineAnnealingLR", {"T_max": 10, "eta_min": 0.01}],
                ["MultiStepLR", {"milestones": [6, 7], "gamma": 0.5}],
            ]
        },
    ),
]
CLOSED = [
    "StepLR",
    "MultiStepLR",
    "ConstantLR",
    "LinearLR",
    "ExponentialLR",
    "PolynomialLR",
    "CosineAnnealingLR",
]


def schedules(book: Book) -> None:
    """24 steps; `outputs` are the rates and momenta of each group after 0, 1, .. 24 steps."""
    inputs = {"rates": fixed(np.array([0.5, 0.25])), "metrics": uniform(0.5, 1.0, 24)}
    for op, variant, kwargs in SCHEDULES:
        book.case(op, variant, inputs, grad=False, dtypes=["float64"], **kwargs)
        if op in CLOSED and variant != "plain":
            book.case(
                op,
                f"{variant}_epochs",
                inputs,
                grad=False,
                dtypes=["float64"],
                epochs=[*range(23, -1, -1)],
                **kwargs,
            )


def make_schedule(optim: Any, optimizer: Any, op: str, kwargs: Json) -> Any:
    """Return the schedule of a case, made with `optim`, which is PyTorch's or Rushlight's module."""
    scheduler, kwargs = optim.lr_scheduler, dict(kwargs)
    for key in ("lr_lambda", "scale_fn"):
        if key in kwargs:
            names = kwargs[key]
            kwargs[key] = LAMBDAS[names] if isinstance(names, str) else [LAMBDAS[name] for name in names]
    if "schedulers" in kwargs:
        inner = [make_schedule(optim, optimizer, *part) for part in kwargs.pop("schedulers")]
        if op == "ChainedScheduler":
            return scheduler.ChainedScheduler(inner, optimizer)
        return scheduler.SequentialLR(optimizer, inner, **kwargs)
    home = optim.swa_utils if op == "SWALR" else scheduler
    return getattr(home, op)(optimizer, **kwargs)


def run_schedule(
    optim: Any,
    params: list[Any],
    op: str,
    kwargs: Json,
    rates: Array,
    metrics: Array,
    stop: int | None = None,
) -> tuple[Array, Array]:
    """The rates and momenta of each group before and after every step.

    After `stop` steps optimizer and schedule are made anew and load the states.
    """
    kwargs = dict(kwargs)
    kind = kwargs.pop("optimizer", "SGD")
    epochs = kwargs.pop("epochs") if isinstance(kwargs.get("epochs"), list) else None

    def make() -> tuple[Any, Any]:
        groups = [{"params": [p], "lr": float(rate)} for p, rate in zip(params, rates, strict=True)]
        settings = {"momentum": 0.85} if kind == "SGD" else {}
        optimizer = getattr(optim, kind)(groups, **settings)
        return optimizer, make_schedule(optim, optimizer, op, kwargs)

    def read() -> tuple[list[float], list[float]]:
        groups = optimizer.param_groups
        momenta = [g["momentum"] if kind == "SGD" else g["betas"][0] for g in groups]
        return [float(g["lr"]) for g in groups], momenta

    optimizer, schedule = make()
    seen = [read()]
    for step, metric in enumerate(metrics):
        if step == stop:
            saved = optimizer.state_dict(), schedule.state_dict()
            optimizer, schedule = make()
            optimizer.load_state_dict(saved[0])
            schedule.load_state_dict(saved[1])
        optimizer.step()
        if op == "ReduceLROnPlateau":
            schedule.step(float(metric))
        elif epochs is not None:
            schedule.step(epochs[step])
        else:
            schedule.step()
        seen.append(read())
        assert schedule.get_last_lr() == seen[-1][0]
    rows = np.array(seen)
    return rows[:, 0], rows[:, 1]


FAMILIES: dict[str, Callable[[Book], None]] = {
    "lbfgs": lbfgs,
    "muon": muon,
    "optimizers": optimizers,
    "scaler": scaler,
    "schedules": schedules,
    "sparse_adam": sparse_adam,
}
