"""Schedules of cycles of the learning rate and the momentum."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from ..optimizer import Optimizer
from ._base import LRScheduler, attributes, per_group, set_rate

_SHAPES: dict[str, tuple[str, Callable[[float, float], float]]] = {
    "triangular": ("cycle", lambda gamma, x: 1.0),
    "triangular2": ("cycle", lambda gamma, x: 1 / 2.0 ** (x - 1)),
    "exp_range": ("iterations", lambda gamma, x: gamma**x),
}


def _momentum_key(name: str, optimizer: Optimizer) -> str:
    """Return the setting of the momentum: the number of that name, or the first of `betas`."""
    for key in ("betas", "momentum"):
        if key in optimizer.defaults:
            return key
    kind = type(optimizer).__name__
    raise ValueError(f"{name}: {kind} has no momentum to cycle; give cycle_momentum=False")


def _set_momentum(group: dict[str, Any], key: str, value: float) -> None:
    group[key] = (value, *group["betas"][1:]) if key == "betas" else value


class CyclicLR(LRScheduler):
    """The schedule of triangles between two learning rates, one step per batch (Smith 2015).

    Parameters
    ----------
    optimizer
        The optimizer whose groups it changes.
    base_lr, max_lr
        The least and the largest learning rate: a number, or a list of one per group.
    step_size_up, step_size_down
        Number of steps up and down; `step_size_down` is `step_size_up` by default.
    mode
        How the triangles shrink: ``"triangular"`` (not), ``"triangular2"`` (by half each cycle),
        ``"exp_range"`` (by ``gamma**step``).
    gamma
        See `mode`.
    scale_fn
        A function instead of `mode`.
    scale_mode
        The argument of `scale_fn`: the number of the cycle (``"cycle"``) or of the step (``"iterations"``).
    cycle_momentum
        Whether the momentum goes the opposite way.
    base_momentum, max_momentum
        Its least and largest value.
    last_epoch
        See `LRScheduler`; the number of the last batch.

    Raises
    ------
    ValueError
        If `mode` is unknown, or the optimizer has no momentum.

    Examples
    --------
    >>> import rushlight as rl
    >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], momentum=0.9)
    >>> schedule = rl.optim.lr_scheduler.CyclicLR(optimizer, base_lr=0.5, max_lr=1.0, step_size_up=2)
    >>> rates = []
    >>> for _ in range(4):
    ...     schedule.step()
    ...     rates += schedule.get_last_lr()
    >>> rates
    [0.75, 1.0, 0.75, 0.5]
    """

    _per_group: ClassVar[bool] = True
    _settings: ClassVar[tuple[str, ...]] = ("max_lrs", "total_size", "step_ratio", "mode", "gamma")

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | Sequence[float],
        max_lr: float | Sequence[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float | Sequence[float] = 0.8,
        max_momentum: float | Sequence[float] = 0.9,
        last_epoch: int = -1,
    ) -> None:
        self._attach(optimizer)
        groups = optimizer.param_groups
        least = per_group("CyclicLR", optimizer, base_lr, "base_lr")
        if last_epoch == -1:
            for group, rate in zip(groups, least, strict=True):
                set_rate(group, rate)
        self.max_lrs = per_group("CyclicLR", optimizer, max_lr, "max_lr")
        down = step_size_up if step_size_down is None else step_size_down
        self.total_size = float(step_size_up + down)
        self.step_ratio = step_size_up / self.total_size
        if mode not in _SHAPES and scale_fn is None:
            raise ValueError(f"CyclicLR: mode {mode!r} is not one of {', '.join(_SHAPES)}")
        self.mode, self.gamma = mode, gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode if scale_fn is not None else _SHAPES[mode][0]
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            key = self._momentum = _momentum_key("CyclicLR", optimizer)
            lows = per_group("CyclicLR", optimizer, base_momentum, "base_momentum")
            highs = per_group("CyclicLR", optimizer, max_momentum, "max_momentum")
            for group, low, high in zip(groups, lows, highs, strict=True):
                if last_epoch == -1:
                    _set_momentum(group, key, high)
                group["max_momentum"], group["base_momentum"] = high, low
        # The cycles begin at base_lr, whatever an earlier schedule began with.
        if last_epoch == -1:
            for group, rate in zip(groups, least, strict=True):
                group["initial_lr"] = float(rate)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = [float(rate) for rate in least]

    def state_dict(self) -> dict[str, Any]:
        """Returns everything that changes, and the settings; not the optimizer.

        Returns
        -------
        dict
            Numbers, texts and lists; of a `scale_fn` the attributes, if it is a callable object.

        Examples
        --------
        >>> import rushlight as rl
        >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], momentum=0.9)
        >>> schedule = rl.optim.lr_scheduler.CyclicLR(optimizer, base_lr=0.5, max_lr=1.0)
        >>> schedule.state_dict()["max_lrs"]
        [1.0]
        """
        state = super().state_dict()
        state["_scale_fn_custom"] = attributes(self._scale_fn_custom)
        return state

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Takes over the state that `state_dict` returned; the schedule keeps its `scale_fn`.

        Parameters
        ----------
        state_dict
            The dict.

        Raises
        ------
        ValueError
            If a key is missing; nothing has changed.

        Examples
        --------
        >>> import rushlight as rl
        >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], momentum=0.9)
        >>> schedule = rl.optim.lr_scheduler.CyclicLR(optimizer, base_lr=0.5, max_lr=1.0)
        >>> schedule.load_state_dict({**schedule.state_dict(), "last_epoch": 4})
        >>> schedule.last_epoch
        4
        """
        super().load_state_dict({k: v for k, v in state_dict.items() if k != "_scale_fn_custom"})
        saved = state_dict.get("_scale_fn_custom")
        if saved is not None and self._scale_fn_custom is not None:
            vars(self._scale_fn_custom).update(saved)

    def get_lr(self) -> list[float]:
        """Returns the learning rates of `last_epoch`, and sets the momenta.

        Returns
        -------
        list of float
            In the order of the groups.

        Examples
        --------
        >>> import rushlight as rl
        >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], momentum=0.9)
        >>> rl.optim.lr_scheduler.CyclicLR(optimizer, base_lr=0.5, max_lr=1.0).get_lr()
        [0.5]
        """
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        argument = cycle if self.scale_mode == "cycle" else self.last_epoch
        if self._scale_fn_custom is not None:
            height *= self._scale_fn_custom(argument)
        else:
            height *= _SHAPES[self.mode][1](self.gamma, argument)
        if self.cycle_momentum:
            for group in self.optimizer.param_groups:
                fall = (group["max_momentum"] - group["base_momentum"]) * height
                _set_momentum(group, self._momentum, group["max_momentum"] - fall)
        return [base + (most - base) * height for base, most in zip(self.base_lrs, self.max_lrs, strict=True)]


class OneCycleLR(LRScheduler):
    """The schedule of one rise to `max_lr` and one fall far below the first rate, per batch (Smith 2017).

    Parameters
    ----------
    optimizer
        The optimizer whose groups it changes.
    max_lr
        The largest learning rate: a number, or a list of one per group.
    total_steps
        Number of steps; None takes ``epochs * steps_per_epoch``.
    epochs, steps_per_epoch
        Their factors.
    pct_start
        Part of the steps that rise.
    anneal_strategy
        ``"cos"`` or ``"linear"``.
    cycle_momentum
        Whether the momentum goes the opposite way.
    base_momentum, max_momentum
        Its least and largest value: a number, or a list of one per group.
    div_factor
        The largest rate over the first.
    final_div_factor
        The first rate over the last.
    three_phase
        Whether to fall to the first rate in as many steps as the rise, then to the last.
    last_epoch
        See `LRScheduler`; the number of the last batch.

    Raises
    ------
    ValueError
        If the number of steps is missing or not positive, a setting is out of range, the optimizer has no
        momentum, or there is a step beyond the last.

    Examples
    --------
    >>> import rushlight as rl
    >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], momentum=0.9)
    >>> schedule = rl.optim.lr_scheduler.OneCycleLR(
    ...     optimizer, max_lr=1.0, total_steps=5, pct_start=0.6, div_factor=2.0, anneal_strategy="linear"
    ... )
    >>> rates = schedule.get_last_lr()
    >>> for _ in range(2):
    ...     schedule.step()
    ...     rates += schedule.get_last_lr()
    >>> rates
    [0.5, 0.75, 1.0]
    """

    # The names of the state are PyTorch's.
    _per_group: ClassVar[bool] = True
    _settings: ClassVar[tuple[str, ...]] = ("total_steps", "_schedule_phases", "_anneal_func_type")

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | Sequence[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | Sequence[float] = 0.85,
        max_momentum: float | Sequence[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        self._attach(optimizer)
        if total_steps is None:
            if epochs is None or steps_per_epoch is None:
                raise ValueError("OneCycleLR: total_steps, or epochs and steps_per_epoch, is missing")
            total_steps = epochs * steps_per_epoch
        if total_steps <= 0:
            raise ValueError(f"OneCycleLR: the number of steps {total_steps} is not positive")
        if not 0 <= pct_start <= 1:
            raise ValueError(f"OneCycleLR: pct_start {pct_start} is not in [0, 1]")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"OneCycleLR: anneal_strategy {anneal_strategy!r} is not 'cos' or 'linear'")
        self.total_steps, self._anneal_func_type = total_steps, anneal_strategy
        rise = float(pct_start * total_steps) - 1
        lr, momentum = ("initial_lr", "max_lr", "min_lr"), ("max_momentum", "base_momentum")
        phases: list[tuple[float, str, str, str, str]] = [(rise, lr[0], lr[1], momentum[0], momentum[1])]
        if three_phase:
            phases.append((2 * rise, lr[1], lr[0], momentum[1], momentum[0]))
            phases.append((total_steps - 1, lr[0], lr[2], momentum[0], momentum[0]))
        else:
            phases.append((total_steps - 1, lr[1], lr[2], momentum[1], momentum[0]))
        keys = ("end_step", "start_lr", "end_lr", "start_momentum", "end_momentum")
        self._schedule_phases: list[dict[str, Any]] = [dict(zip(keys, p, strict=True)) for p in phases]
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._momentum = _momentum_key("OneCycleLR", optimizer)
        if last_epoch == -1:
            most = per_group("OneCycleLR", optimizer, max_lr, "max_lr")
            lows = per_group("OneCycleLR", optimizer, base_momentum, "base_momentum")
            highs = per_group("OneCycleLR", optimizer, max_momentum, "max_momentum")
            for group, rate, low, high in zip(optimizer.param_groups, most, lows, highs, strict=True):
                group["initial_lr"] = rate / div_factor
                group["max_lr"] = rate
                group["min_lr"] = group["initial_lr"] / final_div_factor
                if cycle_momentum:
                    _set_momentum(group, self._momentum, high)
                    group["max_momentum"], group["base_momentum"] = high, low
        super().__init__(optimizer, last_epoch)

    def _between(self, start: float, end: float, part: float) -> float:
        if self._anneal_func_type == "linear":
            return (end - start) * part + start
        return end + (start - end) / 2.0 * (1 + math.cos(math.pi * part))

    def get_lr(self) -> list[float]:
        """Returns the learning rates of `last_epoch`, and sets the momenta.

        Returns
        -------
        list of float
            In the order of the groups.

        Raises
        ------
        ValueError
            If there were as many steps as the schedule has.

        Examples
        --------
        >>> import rushlight as rl
        >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], momentum=0.9)
        >>> schedule = rl.optim.lr_scheduler.OneCycleLR(optimizer, 1.0, total_steps=10, div_factor=4.0)
        >>> schedule.get_lr()
        [0.25]
        """
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(f"OneCycleLR: step {step} where the schedule has {self.total_steps}")
        number, begin, phases = 0, 0.0, self._schedule_phases
        while number < len(phases) - 1 and step > phases[number]["end_step"]:
            begin = phases[number]["end_step"]
            number += 1
        phase = phases[number]
        part = (step - begin) / (phase["end_step"] - begin)
        rates = []
        for group in self.optimizer.param_groups:
            rates.append(self._between(group[phase["start_lr"]], group[phase["end_lr"]], part))
            if self.cycle_momentum:
                start, end = group[phase["start_momentum"]], group[phase["end_momentum"]]
                _set_momentum(group, self._momentum, self._between(start, end, part))
        return rates
