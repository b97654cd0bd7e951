"""Schedules that follow a line, a polynomial or a cosine."""

from __future__ import annotations

import math
from typing import ClassVar

from ..optimizer import Optimizer
from ._base import LRScheduler


class LinearLR(LRScheduler):
    """The schedule whose factor goes in a line from `start_factor` to `end_factor` in `total_iters` epochs.

    Parameters
    ----------
    optimizer
        The optimizer whose groups it changes.
    start_factor
        The factor of the first epoch, above 0 and at most 1.
    end_factor
        The factor from epoch `total_iters` on, 0 to 1.
    total_iters
        Number of epochs.
    last_epoch
        See `LRScheduler`.

    Raises
    ------
    ValueError
        If a factor is out of range.

    Examples
    --------
    >>> import rushlight as rl
    >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = rl.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.5, total_iters=2)
    >>> rates = schedule.get_last_lr()
    >>> for _ in range(2):
    ...     schedule.step()
    ...     rates += schedule.get_last_lr()
    >>> rates
    [0.5, 0.75, 1.0]
    """

    _settings: ClassVar[tuple[str, ...]] = ("start_factor", "end_factor", "total_iters")

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if not 0 < start_factor <= 1:
            raise ValueError(f"LinearLR: start_factor {start_factor} is not in (0, 1]")
        if not 0 <= end_factor <= 1:
            raise ValueError(f"LinearLR: end_factor {end_factor} is not in [0, 1]")
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def _rate(self, now: float, base: float) -> float:
        if self.last_epoch == 0:
            return now * self.start_factor
        if self.last_epoch > self.total_iters:
            return now
        rise = self.end_factor - self.start_factor
        return now * (1.0 + rise / (self.total_iters * self.start_factor + (self.last_epoch - 1) * rise))

    def _closed_form(self) -> list[float]:
        part = min(self.total_iters, self.last_epoch) / self.total_iters
        factor = self.start_factor + (self.end_factor - self.start_factor) * part
        return [base * factor for base in self.base_lrs]


class PolynomialLR(LRScheduler):
    """The schedule of ``(1 - epoch / total_iters)**power`` times the first learning rate.

    Parameters
    ----------
    optimizer
        The optimizer whose groups it changes.
    total_iters
        Number of epochs; then the rate is 0.
    power
        The power.
    last_epoch
        See `LRScheduler`.

    Examples
    --------
    >>> import rushlight as rl
    >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = rl.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=2)
    >>> schedule.step()
    >>> schedule.get_last_lr()
    [0.5]
    """

    _settings: ClassVar[tuple[str, ...]] = ("total_iters", "power")

    def __init__(
        self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1
    ) -> None:
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def _rate(self, now: float, base: float) -> float:
        if self.last_epoch == 0 or self.last_epoch > self.total_iters:
            return now
        left = 1.0 - self.last_epoch / self.total_iters
        before = 1.0 - (self.last_epoch - 1) / self.total_iters
        return float(now * (left / before) ** self.power)

    def _closed_form(self) -> list[float]:
        left = 1.0 - min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * left**self.power for base in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    """The schedule that goes along half a cosine from the first learning rate to `eta_min`, and back.

    Parameters
    ----------
    optimizer
        The optimizer whose groups it changes.
    T_max
        Number of epochs of half a period.
    eta_min
        The least learning rate.
    last_epoch
        See `LRScheduler`.

    Raises
    ------
    ValueError
        If `T_max` is not positive.

    Examples
    --------
    >>> import rushlight as rl
    >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = rl.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=2)
    >>> schedule.step()
    >>> [round(rate, 12) for rate in schedule.get_last_lr()]
    [0.5]
    """

    _settings: ClassVar[tuple[str, ...]] = ("T_max", "eta_min")

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        if T_max <= 0:
            raise ValueError(f"CosineAnnealingLR: T_max {T_max} is not positive")
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def _cosine(self, epoch: float) -> float:
        return 1 + math.cos(math.pi * epoch / self.T_max)

    def _rate(self, now: float, base: float) -> float:
        epoch = self.last_epoch
        if epoch == 0:
            return now
        if self._step_count == 0:
            return self._formula(base)
        if (epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            return now + (base - self.eta_min) * (1 - math.cos(math.pi / self.T_max)) / 2
        return self._cosine(epoch) / self._cosine(epoch - 1) * (now - self.eta_min) + self.eta_min

    def _formula(self, base: float) -> float:
        return self.eta_min + (base - self.eta_min) * self._cosine(self.last_epoch) / 2

    def _closed_form(self) -> list[float]:
        return [self._formula(base) for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """The schedule of half cosines that begin anew, each `T_mult` times as long as the last (SGDR, 2016).

    Parameters
    ----------
    optimizer
        The optimizer whose groups it changes.
    T_0
        Number of epochs of the first half cosine.
    T_mult
        The factor, a whole number.
    eta_min
        The least learning rate.
    last_epoch
        See `LRScheduler`.

    Raises
    ------
    ValueError
        If `T_0` or `T_mult` is not a whole number of at least 1.

    Examples
    --------
    >>> import rushlight as rl
    >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = rl.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
    >>> rates = []
    >>> for _ in range(2):
    ...     schedule.step()
    ...     rates += [round(rate, 12) for rate in schedule.get_last_lr()]
    >>> rates
    [0.5, 1.0]
    """

    _settings: ClassVar[tuple[str, ...]] = ("T_0", "T_mult", "eta_min")

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,
        T_mult: int = 1,
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        for name, value in (("T_0", T_0), ("T_mult", T_mult)):
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"CosineAnnealingWarmRestarts: {name} {value!r} is not an int of at least 1")
        self.T_0, self.T_i, self.T_mult, self.eta_min = T_0, T_0, T_mult, eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def _rate(self, now: float, base: float) -> float:
        return self.eta_min + (base - self.eta_min) * (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2

    def _set_epoch(self, epoch: float | None) -> None:
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur -= self.T_i
                self.T_i *= self.T_mult
            epoch = self.last_epoch + 1
        elif epoch < 0:
            raise ValueError(f"CosineAnnealingWarmRestarts: epoch {epoch} is negative")
        elif epoch < self.T_0:
            self.T_cur, self.T_i = epoch, self.T_0
        elif self.T_mult == 1:
            self.T_cur, self.T_i = epoch % self.T_0, self.T_0
        else:
            rounds = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            begun = self.T_0 * (self.T_mult**rounds - 1) / (self.T_mult - 1)
            self.T_cur, self.T_i = epoch - begun, self.T_0 * self.T_mult**rounds
        super()._set_epoch(math.floor(epoch))
