"""Averages of a model's weights over a run, and the schedule that goes with them."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, TypeAlias

from rushlight import _core as rl
from rushlight._native import Tensor

from ..nn.batch_normalization import BatchNorm1d, BatchNorm2d, BatchNorm3d
from ..nn.module import Module
from .lr_scheduler._base import LRScheduler, per_group
from .optimizer import Optimizer

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]

Average: TypeAlias = Callable[[Tensor, Tensor, Any], Tensor]
Averages: TypeAlias = Callable[[Sequence[Tensor], Sequence[Tensor], Any], None]


def get_swa_avg_fn() -> Average:
    """Returns the function of the equal average, for `AveragedModel`.

    Returns
    -------
    function
        Of the average so far, the new value, and the number of values in the average.

    Examples
    --------
    >>> import rushlight as rl
    >>> average = rl.optim.swa_utils.get_swa_avg_fn()
    >>> average(rl.tensor(1.0), rl.tensor(4.0), 2).item()
    2.0
    """
    return lambda average, value, count: average + (value - average) / (int(count) + 1)


def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """Returns the function of the exponential average, for `AveragedModel`.

    Parameters
    ----------
    decay
        The weight of the average so far, 0 to 1.

    Returns
    -------
    function
        Of the average so far, the new value, and the number of values in the average.

    Raises
    ------
    ValueError
        If `decay` is out of range.

    Examples
    --------
    >>> import rushlight as rl
    >>> average = rl.optim.swa_utils.get_ema_avg_fn(0.5)
    >>> average(rl.tensor(1.0), rl.tensor(4.0), 2).item()
    2.5
    """
    if not 0 <= decay <= 1:
        raise ValueError(f"get_ema_avg_fn: decay {decay} is not in [0, 1]")
    return lambda average, value, count: average * decay + value * (1 - decay)


def _of_many(average: Average) -> Averages:
    """The function of lists that an average of two tensors makes: it writes into the first list."""

    def update(averages: Sequence[Tensor], values: Sequence[Tensor], count: Any) -> None:
        with rl.no_grad():
            for ours, value in zip(averages, values, strict=True):
                ours.copy_(average(ours.detach(), value, count))

    return update


def get_swa_multi_avg_fn() -> Averages:
    """Returns the function of the equal average of lists, for ``AveragedModel(multi_avg_fn=..)``.

    Returns
    -------
    function
        Of the averages so far, which it changes, the new values, and the number of values in the average.

    Examples
    --------
    >>> import rushlight as rl
    >>> averages = [rl.tensor(1.0)]
    >>> rl.optim.swa_utils.get_swa_multi_avg_fn()(averages, [rl.tensor(4.0)], 2)
    >>> averages[0].item()
    2.0
    """
    return _of_many(get_swa_avg_fn())


def get_ema_multi_avg_fn(decay: float = 0.999) -> Averages:
    """Returns the function of the exponential average of lists, for ``AveragedModel(multi_avg_fn=..)``.

    Parameters
    ----------
    decay
        The weight of the average so far, 0 to 1.

    Returns
    -------
    function
        Of the averages so far, which it changes, the new values, and the number of values in the average.

    Raises
    ------
    ValueError
        If `decay` is out of range.

    Examples
    --------
    >>> import rushlight as rl
    >>> averages = [rl.tensor(1.0)]
    >>> rl.optim.swa_utils.get_ema_multi_avg_fn(0.5)(averages, [rl.tensor(3.0)], 2)
    >>> averages[0].item()
    2.0
    """
    return _of_many(get_ema_avg_fn(decay))


def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Computes the running statistics of a model's batch normalization anew, as means over all batches.

    An averaged model needs it, since statistics do not average.

    Parameters
    ----------
    loader
        Yields batches; of a list or tuple the first entry is the model's input.
    model
        The model. Its layers without batch normalization stay as they are.
    device
        Where batches are moved; by default they stay.

    Examples
    --------
    >>> import rushlight as rl
    >>> model = rl.nn.Sequential(rl.nn.BatchNorm1d(1))
    >>> rl.optim.swa_utils.update_bn([rl.tensor([[1.0], [3.0]]), rl.tensor([[5.0], [7.0]])], model)
    >>> model[0].running_mean.item()
    4.0
    """
    found = [m for m in model.modules() if isinstance(m, (BatchNorm1d, BatchNorm2d, BatchNorm3d))]
    found = [m for m in found if m.track_running_stats]
    if not found:
        return
    kept = [(m, m.momentum) for m in found]
    training = model.training
    model.train()
    for m in found:
        m.reset_running_stats()
        # The mean over all batches.
        m.momentum = None
    try:
        with rl.no_grad():
            for batch in loader:
                given = batch[0] if isinstance(batch, (list, tuple)) else batch
                model(given if device is None else given.to(device=device))
    finally:
        for m, momentum in kept:
            m.momentum = momentum
        model.train(training)


class AveragedModel(Module):
    """A copy of a model whose weights are averages of those that it is updated with.

    Parameters
    ----------
    model
        The model.
    device
        Where the copy is; by default where the model is.
    avg_fn
        The average: `get_swa_avg_fn` (the default), `get_ema_avg_fn`, or another function of the average so
        far, the new value and the number of values.
    multi_avg_fn
        Instead of `avg_fn`: a function of lists that changes the averages, such as `get_ema_multi_avg_fn`.
    use_buffers
        Whether buffers are averaged, too; else they are copied.

    Raises
    ------
    ValueError
        If both functions are given.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.optim.swa_utils import AveragedModel
    >>> model = rl.nn.Linear(1, 1)
    >>> average = AveragedModel(model)
    >>> average.update_parameters(model)
    >>> bool((average.module.weight == model.weight).all())
    True
    """

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Average | None = None,
        multi_avg_fn: Averages | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise ValueError("AveragedModel: give one of avg_fn and multi_avg_fn")
        self.module: Module = copy.deepcopy(model)
        if device is not None:
            self.module.to(device)
        self.register_buffer("n_averaged", rl.tensor(0, dtype=rl.int64))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the copy.

        Parameters
        ----------
        *args, **kwargs
            Those of the model.

        Returns
        -------
        Any
            The copy's result.
        """
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Takes the model's weights into the average; the first time they are copied.

        Parameters
        ----------
        model
            The model.

        Examples
        --------
        >>> import rushlight as rl
        >>> model = rl.nn.Linear(1, 1)
        >>> average = rl.optim.swa_utils.AveragedModel(model)
        >>> average.update_parameters(model)
        >>> average.n_averaged.item()
        1
        """
        count = int(self.n_averaged.item())
        with rl.no_grad():
            pairs = list(zip(self.module.parameters(), model.parameters(), strict=True))
            buffers = list(zip(self.module.buffers(), model.buffers(), strict=True))
            averaged = pairs + buffers if self.use_buffers else pairs
            moved = [(ours, theirs.detach().to(device=ours.device)) for ours, theirs in averaged]
            averages, values = [], []
            for ours, value in moved:
                if count and rl.isdtype(ours.dtype, "real floating"):
                    averages.append(ours)
                    values.append(value)
                else:
                    ours.copy_(value)
            if averages:
                update = self.multi_avg_fn or _of_many(self.avg_fn or get_swa_avg_fn())
                update(averages, values, count)
            if not self.use_buffers:
                for ours, theirs in buffers:
                    ours.copy_(theirs.detach().to(device=ours.device))
            self.n_averaged.copy_(self.n_averaged + 1)


class SWALR(LRScheduler):
    """The schedule that goes to a fixed learning rate, at which weights are averaged.

    Parameters
    ----------
    optimizer
        The optimizer whose groups it changes.
    swa_lr
        The learning rate in the end: a number, or a list of one per group.
    anneal_epochs
        Number of epochs until then.
    anneal_strategy
        ``"cos"`` or ``"linear"``.
    last_epoch
        See `rushlight.optim.lr_scheduler.LRScheduler`.

    Raises
    ------
    ValueError
        If a setting is out of range.

    Examples
    --------
    >>> import rushlight as rl
    >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = rl.optim.swa_utils.SWALR(optimizer, swa_lr=0.5, anneal_epochs=2, anneal_strategy="linear")
    >>> rates = []
    >>> for _ in range(2):
    ...     schedule.step()
    ...     rates += schedule.get_last_lr()
    >>> rates
    [0.75, 0.5]
    """

    # The names of the state are PyTorch's.
    _per_group: ClassVar[bool] = True
    _settings: ClassVar[tuple[str, ...]] = ("anneal_epochs", "_anneal_strategy")

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float | Sequence[float],
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        self._attach(optimizer)
        rates = per_group("SWALR", optimizer, swa_lr, "swa_lr")
        for group, rate in zip(optimizer.param_groups, rates, strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"SWALR: anneal_strategy {anneal_strategy!r} is not 'cos' or 'linear'")
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"SWALR: anneal_epochs {anneal_epochs!r} is not an int of at least 0")
        self.anneal_epochs, self._anneal_strategy = anneal_epochs, anneal_strategy
        super().__init__(optimizer, last_epoch)

    def _part(self, step: int) -> float:
        """How far the learning rate has come, 0 to 1."""
        t = max(0.0, min(1.0, step / max(1, self.anneal_epochs)))
        return t if self._anneal_strategy == "linear" else (1 - math.cos(math.pi * t)) / 2

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
        >>> rl.optim.swa_utils.SWALR(optimizer, swa_lr=0.5).get_lr()
        [1.0]
        """
        step = max(self._step_count, 1) - 1
        step = max(1, step) if self.anneal_epochs == 0 else step
        before, now = self._part(step - 1), self._part(step)
        rates = []
        for group in self.optimizer.param_groups:
            goal = float(group["swa_lr"])
            start = goal if before == 1 else (float(group["lr"]) - before * goal) / (1 - before)
            rates.append(goal * now + start * (1 - now))
        return rates
