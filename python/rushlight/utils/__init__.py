"""Helpers of training, and PyTorch's names of modules that have another name here: `utils.data` is `data`."""

from . import data
from .plots import plot_losses

__all__ = ["data", "plot_losses"]
