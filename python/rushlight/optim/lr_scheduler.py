"""Learning rates that change over time."""

from __future__ import annotations

from typing import Any

from .optimizer import Optimizer

__all__ = ["StepLR"]


class StepLR:
    """The schedule that multiplies the learning rate of every group by `gamma` each `step_size` epochs.

    Parameters
    ----------
    optimizer
        The optimizer whose groups it changes.
    step_size
        Number of calls of `step` between two changes, 1 or more.
    gamma
        The factor.

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

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1) -> None:
        if step_size < 1:
            raise ValueError(f"StepLR: step_size {step_size} is below 1")
        self.optimizer, self.step_size, self.gamma = optimizer, step_size, gamma
        self.last_epoch = 0

    def step(self) -> None:
        """Counts one epoch, and changes the learning rates where one is due.

        Examples
        --------
        >>> import rushlight as rl
        >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = rl.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
        >>> scheduler.step()
        """
        self.last_epoch += 1
        if self.last_epoch % self.step_size == 0:
            for group in self.optimizer.param_groups:
                group["lr"] *= self.gamma

    def get_last_lr(self) -> list[float]:
        """Returns the learning rate of each group now.

        Returns
        -------
        list of float
            In the order of the groups.

        Examples
        --------
        >>> import rushlight as rl
        >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = rl.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
        >>> scheduler.step()
        >>> scheduler.get_last_lr()
        [0.5]
        """
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """Returns the count and the settings.

        Returns
        -------
        dict
            ``step_size``, ``gamma`` and ``last_epoch``.

        Examples
        --------
        >>> import rushlight as rl
        >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = rl.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
        >>> scheduler.step()
        >>> scheduler.state_dict()['last_epoch']
        1
        """
        return {
            "step_size": self.step_size,
            "gamma": self.gamma,
            "last_epoch": self.last_epoch,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over the state that `state_dict` returned.

        Parameters
        ----------
        state_dict
            The dict.

        Raises
        ------
        ValueError
            If a key is missing.

        Examples
        --------
        >>> import rushlight as rl
        >>> optimizer = rl.optim.SGD([rl.zeros(1, requires_grad=True)], lr=1.0)
        >>> scheduler = rl.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
        >>> scheduler.step()
        >>> scheduler.load_state_dict({"step_size": 2, "gamma": 0.1, "last_epoch": 4})
        >>> scheduler.last_epoch
        4
        """
        lacking = [key for key in ("step_size", "gamma", "last_epoch") if key not in state_dict]
        if lacking:
            raise ValueError(f"StepLR.load_state_dict: {', '.join(lacking)} is not in the state")
        self.step_size = state_dict["step_size"]
        self.gamma = state_dict["gamma"]
        self.last_epoch = state_dict["last_epoch"]
