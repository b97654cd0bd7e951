"""Data sets, samplers and the loader that makes batches of them, with PyTorch's names; and MNIST digits."""

from ._collate import default_collate, default_convert
from ._datasets import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)
from ._loader import DataLoader
from ._mnist import Mnist, Split, batches, mnist_5k
from ._samplers import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)
from ._workers import WorkerInfo, get_worker_info

__all__ = [
    "BatchSampler",
    "ChainDataset",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "IterableDataset",
    "Mnist",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "Split",
    "StackDataset",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "WorkerInfo",
    "batches",
    "default_collate",
    "default_convert",
    "get_worker_info",
    "mnist_5k",
    "random_split",
]
