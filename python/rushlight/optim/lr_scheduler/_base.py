"""The base of schedules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from rushlight import _core as rl
from rushlight._native import Tensor

from ..optimizer import Group, Optimizer


def set_rate(group: Group, value: float, key: str = "lr") -> None:
    """Give a group its learning rate; a tensor keeps its identity."""
    if isinstance(group[key], Tensor):
        group[key].copy_(rl.full_like(group[key], float(value)))
    else:
        group[key] = value


def per_group(name: str, optimizer: Optimizer, value: Any, what: str) -> list[Any]:
    """Return one value for each group, from one value or a list of them."""
    count = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [value] * count
    if len(value) != count:
        raise ValueError(f"{name}: expected {count} values of {what}, one per group, got {len(value)}")
    return list(value)


def attributes(function: Any) -> dict[str, Any] | None:
    """Return the attributes of a callable object, which a state can have; None for a plain function."""
    plain = function is None or type(function).__name__ in ("function", "builtin_function_or_method")
    return None if plain else dict(vars(function))


class LRScheduler:
    """The base of schedules, which set the learning rate of every group of an optimizer.

    A group that is added later takes part from the next step on, if the schedule has no settings per group.

    A custom schedule overrides `get_lr`, which reads ``self.last_epoch``, ``self.base_lrs`` and the groups'
    ``"lr"``.

    Parameters
    ----------
    optimizer
        The optimizer whose groups it changes.
    last_epoch
        The number of the last epoch of an earlier run, whose groups have the key ``"initial_lr"``; -1 to
        begin.

    Attributes
    ----------
    last_epoch
        Number of calls of `step`.
    base_lrs
        The learning rates at the beginning.

    Raises
    ------
    TypeError
        If `optimizer` is not an `Optimizer`.
    KeyError
        If `last_epoch` is given and a group has no ``"initial_lr"``.

    Examples
    --------
    >>> import rushlight as rl
    >>> class Halved(rl.optim.lr_scheduler.LRScheduler):
    ...     def get_lr(self):
    ...         return [rate / 2**self.last_epoch for rate in self.base_lrs]
    >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = Halved(optimizer)
    >>> schedule.step()
    >>> optimizer.param_groups[0]["lr"]
    0.5
    """

    # Whether there is a setting for each group, so that the optimizer may not get further groups.
    _per_group: ClassVar[bool] = False

    # Settings that a saved state must have, and functions that it cannot have.
    _settings: ClassVar[tuple[str, ...]] = ()
    _functions: ClassVar[tuple[str, ...]] = ()

    optimizer: Optimizer
    last_epoch: float

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        self._attach(optimizer)
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", float(group["lr"]))
            elif "initial_lr" not in group:
                name = type(self).__name__
                raise KeyError(
                    f"{name}: group {number} has no 'initial_lr', which last_epoch={last_epoch} needs; "
                    "load the optimizer's state first"
                )
        self.base_lrs: list[float] = [float(group["initial_lr"]) for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._last_lr: list[float] = []
        self._begin()

    def _attach(self, optimizer: Optimizer) -> None:
        if not isinstance(optimizer, Optimizer):
            name = type(self).__name__
            raise TypeError(f"{name}: optimizer is an Optimizer, got {type(optimizer).__name__}")
        self.optimizer = optimizer

    def _begin(self) -> None:
        """Make the first step, to epoch 0 or that of the resumed run."""
        self._step_count = 0
        self._set_epoch(None)
        self._step_count = 1

    def _join(self) -> None:
        """Take over the groups that the optimizer got since; they begin with the rates that they have."""
        groups = self.optimizer.param_groups
        if self._per_group and len(groups) != len(self.base_lrs):
            raise ValueError(
                f"{type(self).__name__}.step: the optimizer has {len(groups)} groups where the schedule has "
                f"settings for {len(self.base_lrs)}; make a new schedule after add_param_group"
            )
        for group in groups[len(self.base_lrs) :]:
            self.base_lrs.append(float(group.setdefault("initial_lr", float(group["lr"]))))

    def _undo(self) -> None:
        """Take the first step back, before it is made again as part of a combined schedule."""
        self.last_epoch -= 1

    def _restart(self) -> None:
        """Go to epoch 0 in the middle of a combined schedule."""
        self.step(0)

    def _set_epoch(self, epoch: float | None) -> None:
        closed = epoch is not None and self._closed_form() is not None
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        values = self._closed_form() if closed else self.get_lr()
        assert values is not None
        for group, value in zip(self.optimizer.param_groups, values, strict=True):
            set_rate(group, value)
        self._last_lr = [float(group["lr"]) for group in self.optimizer.param_groups]

    def step(self, epoch: int | None = None) -> None:
        """Counts one epoch and sets the learning rates.

        Parameters
        ----------
        epoch
            The epoch to go to instead; the rates then follow the closed formula where there is one.

        Examples
        --------
        >>> import rushlight as rl
        >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], lr=1.0)
        >>> schedule = rl.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
        >>> schedule.step()
        >>> schedule.last_epoch
        1
        """
        self._join()
        self._step_count += 1
        self._set_epoch(epoch)

    def get_lr(self) -> list[float]:
        """Returns the learning rates of `last_epoch`, computed from those that the groups have.

        Returns
        -------
        list of float
            In the order of the groups.

        Examples
        --------
        >>> import rushlight as rl
        >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], lr=1.0)
        >>> rl.optim.lr_scheduler.StepLR(optimizer, step_size=1).get_lr()
        [1.0]
        """
        return [
            self._rate(float(group["lr"]), base)
            for group, base in zip(self.optimizer.param_groups, self.base_lrs, strict=True)
        ]

    def _rate(self, now: float, base: float) -> float:
        """Return a group's next learning rate from its present and its first one."""
        raise NotImplementedError(f"{type(self).__name__} has no get_lr()")

    def _closed_form(self) -> list[float] | None:
        """Return the learning rates of `last_epoch` from the first ones alone; None without a formula."""
        return None

    def get_last_lr(self) -> list[float]:
        """Returns the learning rates that the last step set.

        Returns
        -------
        list of float
            In the order of the groups.

        Examples
        --------
        >>> import rushlight as rl
        >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], lr=1.0)
        >>> schedule = rl.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
        >>> schedule.step()
        >>> schedule.get_last_lr()
        [0.5]
        """
        return list(self._last_lr)

    def state_dict(self) -> dict[str, Any]:
        """Returns everything that changes, and the settings; not the optimizer.

        Returns
        -------
        dict
            Numbers, lists and dicts. Of functions that are given to the schedule only the attributes of
            callable objects are kept.

        Examples
        --------
        >>> import rushlight as rl
        >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], lr=1.0)
        >>> schedule = rl.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
        >>> schedule.step()
        >>> schedule.state_dict()['last_epoch']
        1
        """
        kept = {"optimizer", *self._functions}
        state = {
            key: list(value) if isinstance(value, list) else value
            for key, value in vars(self).items()
            if key not in kept
        }
        for key in self._functions:
            state[key] = [attributes(f) for f in getattr(self, key)]
        return state

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Takes over the state that `state_dict` returned.

        The learning rates are in the optimizer's own state: load that one, too.

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
        >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], lr=1.0)
        >>> schedule = rl.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
        >>> schedule.load_state_dict({"step_size": 2, "gamma": 0.1, "last_epoch": 4})
        >>> schedule.last_epoch
        4
        """
        lacking = [key for key in (*self._settings, "last_epoch") if key not in state_dict]
        if lacking:
            name = type(self).__name__
            raise ValueError(f"{name}.load_state_dict: {', '.join(lacking)} is not in the state")
        for key, value in state_dict.items():
            if key in self._functions:
                for function, saved in zip(getattr(self, key), value, strict=True):
                    if saved is not None:
                        vars(function).update(saved)
            elif key != "optimizer":
                setattr(self, key, list(value) if isinstance(value, list) else value)
