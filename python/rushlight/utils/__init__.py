"""Helpers of training, and PyTorch's names of modules that have another name here: `utils.data` is `data`."""

from . import checkpoint, data
from .plots import plot_losses

__all__ = ["checkpoint", "data", "plot_losses"]
