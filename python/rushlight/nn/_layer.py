"""Base classes of layers that apply one function to one input, and of losses."""

from __future__ import annotations

from typing import Any, ClassVar

from rushlight._native import Tensor

from .functional._arguments import Reduction, check_reduction
from .module import Module

__all__ = ["Layer", "Loss", "PairLoss"]


class Layer(Module):
    """A layer that applies one function, whose settings are the layer's attributes."""

    _shown: ClassVar[tuple[str, ...]] = ()

    def forward(self, input: Tensor) -> Any:
        """Applies the function.

        Parameters
        ----------
        input
            A tensor, of a shape that the function takes.

        Returns
        -------
        Tensor
            The function's result.
        """
        return self._run(input)

    def _run(self, input: Tensor) -> Any:
        raise NotImplementedError

    def extra_repr(self) -> str:
        """Returns the settings.

        Returns
        -------
        str
            Text for the repr.
        """
        shown = (*self._shown, "inplace") if getattr(self, "inplace", False) else self._shown
        return ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)


class Loss(Module):
    """A loss; `reduction` says how the losses of the elements are combined."""

    _shown: ClassVar[tuple[str, ...]] = ()

    def __init__(self, reduction: Reduction = "mean") -> None:
        super().__init__()
        check_reduction(type(self).__name__, reduction)
        self.reduction: Reduction = reduction

    def extra_repr(self) -> str:
        """Returns the settings.

        Returns
        -------
        str
            Text for the repr.
        """
        return ", ".join(f"{name}={getattr(self, name)!r}" for name in (*self._shown, "reduction"))


class PairLoss(Loss):
    """A loss of an input and a target."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Computes the loss.

        Parameters
        ----------
        input
            The predictions, of a shape that the function takes.
        target
            The correct values.

        Returns
        -------
        Tensor
            A scalar, or with ``reduction="none"`` one loss for each element or row.
        """
        return self._run(input, target)

    def _run(self, input: Tensor, target: Tensor) -> Tensor:
        raise NotImplementedError
