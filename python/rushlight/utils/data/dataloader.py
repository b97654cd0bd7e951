"""The loader of batches: names of `rushlight.data`, where PyTorch defines them."""

from rushlight.data import (
    DataLoader,
    default_collate,
    default_convert,
    get_worker_info,
)

__all__ = [
    "DataLoader",
    "default_collate",
    "default_convert",
    "get_worker_info",
]
