"""Schedules that multiply the learning rate by a factor."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar

from ..optimizer import Optimizer
from ._base import LRScheduler, per_group


class LambdaLR(LRScheduler):
    """The schedule whose learning rate is the first one times a function of the epoch.

    Parameters
    ----------
    optimizer
        The optimizer whose groups it changes.
    lr_lambda
        The function, or a list of one per group.
    last_epoch
        See `LRScheduler`.

    Raises
    ------
    TypeError
        If `lr_lambda` is not a function or a list of functions.

    Examples
    --------
    >>> import rushlight as rl
    >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = rl.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 1 / (epoch + 1))
    >>> schedule.step()
    >>> schedule.get_last_lr()
    [0.5]
    """

    _functions: ClassVar[tuple[str, ...]] = ("lr_lambdas",)
    _per_group: ClassVar[bool] = True

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]],
        last_epoch: int = -1,
    ) -> None:
        self._attach(optimizer)
        name = type(self).__name__
        self.lr_lambdas = per_group(name, optimizer, lr_lambda, "lr_lambda")
        for function in self.lr_lambdas:
            if not callable(function):
                raise TypeError(f"{name}: lr_lambda is a function of the epoch, got {function!r}")
        super().__init__(optimizer, last_epoch)

    def _factors(self) -> list[float]:
        return [function(self.last_epoch) for function in self.lr_lambdas]

    def get_lr(self) -> list[float]:
        """Returns the learning rates of `last_epoch`.

        Returns
        -------
        list of float
            In the order of the groups.

        Examples
        --------
        >>> import rushlight as rl
        >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], lr=1.0)
        >>> rl.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.5).get_lr()
        [0.5]
        """
        return [base * factor for base, factor in zip(self.base_lrs, self._factors(), strict=True)]


class MultiplicativeLR(LambdaLR):
    """The schedule that multiplies the present learning rate by a function of the epoch.

    Parameters
    ----------
    optimizer
        The optimizer whose groups it changes.
    lr_lambda
        The function, or a list of one per group. It is not called for epoch 0.
    last_epoch
        See `LRScheduler`.

    Raises
    ------
    TypeError
        If `lr_lambda` is not a function or a list of functions.

    Examples
    --------
    >>> import rushlight as rl
    >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = rl.optim.lr_scheduler.MultiplicativeLR(optimizer, lambda epoch: 0.5)
    >>> schedule.step()
    >>> schedule.step()
    >>> schedule.get_last_lr()
    [0.25]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]],
        last_epoch: int = -1,
    ) -> None:
        super().__init__(optimizer, lr_lambda, last_epoch)

    def get_lr(self) -> list[float]:
        """Returns the learning rates of `last_epoch`.

        Returns
        -------
        list of float
            In the order of the groups.

        Examples
        --------
        >>> import rushlight as rl
        >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], lr=1.0)
        >>> rl.optim.lr_scheduler.MultiplicativeLR(optimizer, lambda epoch: 0.5).get_lr()
        [1.0]
        """
        rates = [float(group["lr"]) for group in self.optimizer.param_groups]
        if self.last_epoch <= 0:
            return rates
        return [rate * factor for rate, factor in zip(rates, self._factors(), strict=True)]


class StepLR(LRScheduler):
    """The schedule that multiplies the learning rate of every group by `gamma` each `step_size` epochs.

    Parameters
    ----------
    optimizer
        The optimizer whose groups it changes.
    step_size
        Number of calls of `step` between two changes, 1 or more.
    gamma
        The factor.
    last_epoch
        See `LRScheduler`.

    Raises
    ------
    ValueError
        If `step_size` is below 1.

    Examples
    --------
    >>> import rushlight as rl
    >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = rl.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]
    """

    _settings: ClassVar[tuple[str, ...]] = ("step_size", "gamma")

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        if step_size < 1:
            raise ValueError(f"StepLR: step_size {step_size} is below 1")
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def _rate(self, now: float, base: float) -> float:
        due = self.last_epoch != 0 and self.last_epoch % self.step_size == 0
        return now * self.gamma if due else now

    def _closed_form(self) -> list[float]:
        return [base * self.gamma ** (self.last_epoch // self.step_size) for base in self.base_lrs]


class MultiStepLR(LRScheduler):
    """The schedule that multiplies the learning rate by `gamma` at given epochs.

    Parameters
    ----------
    optimizer
        The optimizer whose groups it changes.
    milestones
        The epochs; one that is given twice multiplies twice.
    gamma
        The factor.
    last_epoch
        See `LRScheduler`.

    Raises
    ------
    TypeError
        If `milestones` is not a list of epochs.

    Examples
    --------
    >>> import rushlight as rl
    >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = rl.optim.lr_scheduler.MultiStepLR(optimizer, [1, 3], gamma=0.5)
    >>> rates = []
    >>> for _ in range(4):
    ...     schedule.step()
    ...     rates += schedule.get_last_lr()
    >>> rates
    [0.5, 0.5, 0.25, 0.25]
    """

    _settings: ClassVar[tuple[str, ...]] = ("milestones", "gamma")

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        if not isinstance(milestones, Iterable):
            raise TypeError(f"MultiStepLR: milestones is a list of epochs, got {milestones!r}")
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def _rate(self, now: float, base: float) -> float:
        return now * self.gamma ** Counter(self.milestones)[int(self.last_epoch)]

    def _closed_form(self) -> list[float]:
        passed = bisect_right(sorted(Counter(self.milestones).elements()), self.last_epoch)
        return [base * self.gamma**passed for base in self.base_lrs]


class ConstantLR(LRScheduler):
    """The schedule that multiplies the learning rate by `factor` for the first `total_iters` epochs.

    Parameters
    ----------
    optimizer
        The optimizer whose groups it changes.
    factor
        The factor, above 0 and at most 1.
    total_iters
        Number of epochs.
    last_epoch
        See `LRScheduler`.

    Raises
    ------
    ValueError
        If `factor` is out of range.

    Examples
    --------
    >>> import rushlight as rl
    >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = rl.optim.lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=2)
    >>> rates = schedule.get_last_lr()
    >>> for _ in range(2):
    ...     schedule.step()
    ...     rates += schedule.get_last_lr()
    >>> rates
    [0.5, 0.5, 1.0]
    """

    _settings: ClassVar[tuple[str, ...]] = ("factor", "total_iters")

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if not 0 <= factor <= 1:
            raise ValueError(f"ConstantLR: factor {factor} is not in [0, 1]")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def _rate(self, now: float, base: float) -> float:
        if self.last_epoch == 0:
            return now * self.factor
        return now * (1.0 / self.factor) if self.last_epoch == self.total_iters else now

    def _closed_form(self) -> list[float]:
        ended = self.last_epoch >= self.total_iters
        return [base if ended else base * self.factor for base in self.base_lrs]


class ExponentialLR(LRScheduler):
    """The schedule that multiplies the learning rate by `gamma` each epoch.

    Parameters
    ----------
    optimizer
        The optimizer whose groups it changes.
    gamma
        The factor.
    last_epoch
        See `LRScheduler`.

    Examples
    --------
    >>> import rushlight as rl
    >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = rl.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    >>> schedule.step()
    >>> schedule.step()
    >>> schedule.get_last_lr()
    [0.25]
    """

    _settings: ClassVar[tuple[str, ...]] = ("gamma",)

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _rate(self, now: float, base: float) -> float:
        return now if self.last_epoch == 0 else now * self.gamma

    def _closed_form(self) -> list[float]:
        return [base * self.gamma**self.last_epoch for base in self.base_lrs]
