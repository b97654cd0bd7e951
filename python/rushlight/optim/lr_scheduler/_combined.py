"""Schedules made of schedules."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

from ..optimizer import Optimizer
from ._base import LRScheduler, set_rate


class _Combined(LRScheduler):
    """The base of both: it keeps the states of its schedules with its state."""

    _schedulers: list[LRScheduler]

    def _undo(self) -> None:
        for schedule in self._schedulers:
            schedule._undo()

    def _restart(self) -> None:
        for group in self.optimizer.param_groups:
            set_rate(group, float(group["initial_lr"]))
        _reset(self)
        self._begin()

    def state_dict(self) -> dict[str, Any]:
        """Returns everything that changes, with the states of the schedules.

        Returns
        -------
        dict
            Their states are the list ``"_schedulers"``.

        Examples
        --------
        >>> import rushlight as rl
        >>> from rushlight.optim import lr_scheduler
        >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], lr=1.0)
        >>> both = lr_scheduler.ChainedScheduler([lr_scheduler.StepLR(optimizer, 2)])
        >>> both.state_dict()["_schedulers"][0]["step_size"]
        2
        """
        own = {key: value for key, value in vars(self).items() if key not in ("optimizer", "_schedulers")}
        return {**own, "_schedulers": [schedule.state_dict() for schedule in self._schedulers]}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Takes over the state that `state_dict` returned for the same schedules.

        Parameters
        ----------
        state_dict
            The dict.

        Raises
        ------
        ValueError
            If the number of schedules differs.

        Examples
        --------
        >>> import rushlight as rl
        >>> from rushlight.optim import lr_scheduler
        >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], lr=1.0)
        >>> both = lr_scheduler.ChainedScheduler([lr_scheduler.StepLR(optimizer, 2)])
        >>> both.load_state_dict(both.state_dict())
        """
        saved = state_dict.get("_schedulers", ())
        if len(saved) != len(self._schedulers):
            name = type(self).__name__
            raise ValueError(
                f"{name}.load_state_dict: {len(saved)} schedules where there are {len(self._schedulers)}"
            )
        for key, value in state_dict.items():
            if key not in ("optimizer", "_schedulers"):
                setattr(self, key, value)
        for schedule, state in zip(self._schedulers, saved, strict=True):
            schedule.load_state_dict(state)


def _checked(name: str, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None) -> Optimizer:
    if not schedulers:
        raise ValueError(f"{name}: no schedules given")
    for number, schedule in enumerate(schedulers):
        if not isinstance(schedule, LRScheduler):
            raise TypeError(f"{name}: schedule {number} is a {type(schedule).__name__}, not an LRScheduler")
        optimizer = optimizer or schedule.optimizer
        if schedule.optimizer is not optimizer:
            raise ValueError(f"{name}: schedule {number} belongs to another optimizer")
    assert optimizer is not None
    return optimizer


class SequentialLR(_Combined):
    """The schedule that runs one schedule after the other.

    Parameters
    ----------
    optimizer
        The optimizer of all of them.
    schedulers
        The schedules.
    milestones
        The epochs at which the second, third and so on begin.
    last_epoch
        See `LRScheduler`.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.optim import lr_scheduler
    >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], lr=1.0)
    >>> warmup = lr_scheduler.LinearLR(optimizer, start_factor=0.5, total_iters=2)
    >>> decay = lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    >>> schedule = lr_scheduler.SequentialLR(optimizer, [warmup, decay], milestones=[2])
    >>> rates = schedule.get_last_lr()
    >>> for _ in range(3):
    ...     schedule.step()
    ...     rates += schedule.get_last_lr()
    >>> rates
    [0.5, 0.75, 1.0, 0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: Sequence[LRScheduler],
        milestones: Sequence[int],
        last_epoch: int = -1,
    ) -> None:
        name = type(self).__name__
        self._attach(optimizer)
        _checked(name, schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            count = len(milestones)
            raise ValueError(f"{name}: {len(schedulers)} schedules with {count} milestones, not one fewer")
        self._schedulers, self._milestones = list(schedulers), list(milestones)
        self.last_epoch = last_epoch + 1
        for group in optimizer.param_groups:
            set_rate(group, float(group["initial_lr"]))
        # Each schedule has made its first step; only the first one's counts.
        for schedule in self._schedulers:
            schedule._undo()
        first = self._schedulers[0]
        first._begin()
        self._last_lr = first.get_last_lr()

    def _undo(self) -> None:
        super()._undo()
        self.last_epoch -= 1

    def _begin(self) -> None:
        self.last_epoch += 1
        self._schedulers[0]._begin()
        self._last_lr = self._schedulers[0].get_last_lr()

    def step(self, epoch: int | None = None) -> None:
        """Counts one epoch in the schedule that it belongs to.

        Parameters
        ----------
        epoch
            Must be None.

        Raises
        ------
        ValueError
            If an epoch is given.

        Examples
        --------
        >>> import rushlight as rl
        >>> from rushlight.optim import lr_scheduler
        >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], lr=1.0)
        >>> parts = [lr_scheduler.ConstantLR(optimizer), lr_scheduler.ExponentialLR(optimizer, 0.5)]
        >>> lr_scheduler.SequentialLR(optimizer, parts, milestones=[3]).step()
        """
        if epoch is not None:
            raise ValueError("SequentialLR.step: an epoch is not supported")
        self.last_epoch += 1
        number = bisect_right(self._milestones, self.last_epoch)
        schedule = self._schedulers[number]
        if number > 0 and self._milestones[number - 1] == self.last_epoch:
            schedule._restart()
        else:
            schedule.step()
        self._last_lr = schedule.get_last_lr()


def _reset(schedule: LRScheduler) -> None:
    """Set a schedule and those in it to the time before their first step."""
    schedule.last_epoch = -1
    for inner in getattr(schedule, "_schedulers", ()):
        _reset(inner)


class ChainedScheduler(_Combined):
    """The schedule that steps several schedules at once; each changes what the one before left.

    Parameters
    ----------
    schedulers
        The schedules, of one optimizer.
    optimizer
        That optimizer; by default the first one's.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.optim import lr_scheduler
    >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], lr=1.0)
    >>> parts = [lr_scheduler.ConstantLR(optimizer, 0.5, 2), lr_scheduler.ExponentialLR(optimizer, 0.5)]
    >>> schedule = lr_scheduler.ChainedScheduler(parts)
    >>> schedule.step()
    >>> schedule.get_last_lr()
    [0.25]
    """

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        schedulers = list(schedulers)
        self._attach(_checked(type(self).__name__, schedulers, optimizer))
        self._schedulers = schedulers
        self._last_lr = [float(group["lr"]) for group in self.optimizer.param_groups]

    def _begin(self) -> None:
        for schedule in self._schedulers:
            schedule._begin()
        self._last_lr = [float(group["lr"]) for group in self.optimizer.param_groups]

    def step(self, epoch: int | None = None) -> None:
        """Counts one epoch in every schedule.

        Parameters
        ----------
        epoch
            Must be None.

        Raises
        ------
        ValueError
            If an epoch is given.

        Examples
        --------
        >>> import rushlight as rl
        >>> from rushlight.optim import lr_scheduler
        >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], lr=1.0)
        >>> lr_scheduler.ChainedScheduler([lr_scheduler.StepLR(optimizer, 2)]).step()
        """
        if epoch is not None:
            raise ValueError("ChainedScheduler.step: an epoch is not supported")
        for schedule in self._schedulers:
            schedule.step()
        self._last_lr = [float(group["lr"]) for group in self.optimizer.param_groups]
