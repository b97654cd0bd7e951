"""The schedule that waits for a plateau."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ..optimizer import Optimizer
from ._base import LRScheduler, per_group, set_rate


class ReduceLROnPlateau(LRScheduler):
    """The schedule that multiplies the learning rate by `factor` when a number stops improving.

    Parameters
    ----------
    optimizer
        The optimizer whose groups it changes.
    mode
        ``"min"`` if smaller is better, else ``"max"``.
    factor
        The factor, below 1.
    patience
        Number of epochs without improvement that change nothing.
    threshold, threshold_mode
        A number improves on the best one by more than this part of it (``"rel"``) or this amount (``"abs"``).
    cooldown
        Number of epochs after a change in which none is counted as bad.
    min_lr
        The least learning rate: a number, or a list of one per group.
    eps
        The least change of a learning rate.

    Raises
    ------
    ValueError
        If a setting is out of range.

    Examples
    --------
    >>> import rushlight as rl
    >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = rl.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=1)
    >>> for loss in (3.0, 3.0, 3.0):
    ...     schedule.step(loss)
    >>> schedule.get_last_lr()
    [0.5]
    """

    _settings: ClassVar[tuple[str, ...]] = ("factor", "patience", "best", "num_bad_epochs")

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float | Sequence[float] = 0.0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1.0:
            raise ValueError(f"ReduceLROnPlateau: factor {factor} is not below 1")
        if mode not in ("min", "max"):
            raise ValueError(f"ReduceLROnPlateau: mode {mode!r} is not 'min' or 'max'")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"ReduceLROnPlateau: threshold_mode {threshold_mode!r} is not 'rel' or 'abs'")
        self._attach(optimizer)
        self.factor, self.mode, self.patience = factor, mode, patience
        self.threshold, self.threshold_mode = threshold, threshold_mode
        self.cooldown, self.eps = cooldown, eps
        self.min_lrs = per_group("ReduceLROnPlateau", optimizer, min_lr, "min_lr")
        self.default_min_lr = None if isinstance(min_lr, (list, tuple)) else min_lr
        self.last_epoch = 0
        self._last_lr = [float(group["lr"]) for group in optimizer.param_groups]
        self._reset()

    def _reset(self) -> None:
        self.best = float("inf") if self.mode == "min" else -float("inf")
        self.cooldown_counter, self.num_bad_epochs = 0, 0

    @property
    def in_cooldown(self) -> bool:
        """Whether bad epochs are not counted now."""
        return self.cooldown_counter > 0

    def is_better(self, a: float, best: float) -> bool:
        """Returns whether a number improves on the best one by more than the threshold.

        Parameters
        ----------
        a, best
            The two numbers.

        Returns
        -------
        bool
            Whether it does.

        Examples
        --------
        >>> import rushlight as rl
        >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], lr=1.0)
        >>> rl.optim.lr_scheduler.ReduceLROnPlateau(optimizer).is_better(0.5, 1.0)
        True
        """
        sign = 1.0 if self.mode == "min" else -1.0
        if self.threshold_mode == "rel":
            bound = best * (1.0 - sign * self.threshold)
        else:
            bound = best - sign * self.threshold
        return a * sign < bound * sign

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        """Counts one epoch with its number, and changes the learning rates where that is due.

        Parameters
        ----------
        metrics
            The number, such as the validation loss; also a tensor of one element.
        epoch
            The number of the epoch, if not the next.

        Raises
        ------
        ValueError
            If the optimizer got a further group, and `min_lr` is a list.

        Examples
        --------
        >>> import rushlight as rl
        >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], lr=1.0)
        >>> schedule = rl.optim.lr_scheduler.ReduceLROnPlateau(optimizer)
        >>> schedule.step(0.25)
        >>> schedule.best
        0.25
        """
        current = float(metrics)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self.is_better(current, self.best):
            self.best, self.num_bad_epochs = current, 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            groups = self.optimizer.param_groups
            if len(self.min_lrs) != len(groups) and self.default_min_lr is not None:
                self.min_lrs = [self.default_min_lr] * len(groups)
            if len(self.min_lrs) != len(groups):
                raise ValueError(
                    f"ReduceLROnPlateau.step: the optimizer has {len(groups)} groups where min_lr has "
                    f"{len(self.min_lrs)} values; set min_lrs"
                )
            for group, least in zip(groups, self.min_lrs, strict=True):
                old = float(group["lr"])
                new = max(old * self.factor, least)
                if old - new > self.eps:
                    set_rate(group, new)
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = [float(group["lr"]) for group in self.optimizer.param_groups]
