"""PyTorch's names of modules that have another name here: `utils.data` is `data`."""

from . import data

__all__ = ["data"]
