"""Learning rates that change over time."""

from __future__ import annotations

from typing import Any

from .optimizer import Optimizer


class StepLR:
    """Multiply the learning rate of every group by `gamma` after each `step_size` calls of `step`."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1) -> None:
        if step_size < 1:
            raise ValueError(f"StepLR: step_size {step_size} is below 1")
        self.optimizer, self.step_size, self.gamma = optimizer, step_size, gamma
        self.last_epoch = 0

    def step(self) -> None:
        """Count one epoch."""
        self.last_epoch += 1
        if self.last_epoch % self.step_size == 0:
            for group in self.optimizer.param_groups:
                group["lr"] *= self.gamma

    def get_last_lr(self) -> list[float]:
        """Learning rate of each group now."""
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """The count and the settings."""
        return {
            "step_size": self.step_size,
            "gamma": self.gamma,
            "last_epoch": self.last_epoch,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` returned."""
        lacking = [key for key in ("step_size", "gamma", "last_epoch") if key not in state_dict]
        if lacking:
            raise ValueError(f"StepLR.load_state_dict: {', '.join(lacking)} is not in the state")
        self.step_size = state_dict["step_size"]
        self.gamma = state_dict["gamma"]
        self.last_epoch = state_dict["last_epoch"]
