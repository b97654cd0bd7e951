"""The version, and PyTorch's names of the versions of CUDA and HIP, which are found when they are opened."""

from __future__ import annotations

from ._native import __version__

__all__ = ["__version__", "cuda", "hip"]

cuda: str | None = None
hip: str | None = None
