"""Data sets: collections of samples by index, or streams of them."""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any, Generic, TypeVar

from rushlight._native import Tensor

from ._seeds import Seeds

T = TypeVar("T")


class Dataset(Generic[T]):
    """The base of data sets whose samples have an index.

    A subclass defines ``__getitem__`` and ``__len__``; with ``__getitems__(indices)`` it returns the samples
    of a batch at once.

    Examples
    --------
    >>> import rushlight as rl
    >>> class Squares(rl.data.Dataset):
    ...     def __len__(self):
    ...         return 4
    ...
    ...     def __getitem__(self, index):
    ...         return index * index
    >>> [batch.tolist() for batch in rl.data.DataLoader(Squares(), batch_size=2)]
    [[0, 1], [4, 9]]
    """

    def __getitem__(self, index: Any) -> T:
        raise NotImplementedError(f"{type(self).__name__} has no __getitem__()")

    def __add__(self, other: Dataset[T]) -> ConcatDataset[T]:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T]):
    """The base of data sets that are streams: a subclass defines ``__iter__``.

    In a worker process `get_worker_info` says which worker it is, so that each worker can yield a part of the
    stream; otherwise every worker yields the whole stream.

    Examples
    --------
    >>> import rushlight as rl
    >>> class Count(rl.data.IterableDataset):
    ...     def __iter__(self):
    ...         return iter(range(5))
    >>> [batch.tolist() for batch in rl.data.DataLoader(Count(), batch_size=2)]
    [[0, 1], [2, 3], [4]]
    """

    def __iter__(self) -> Iterator[T]:
        raise NotImplementedError(f"{type(self).__name__} has no __iter__()")

    def __add__(self, other: Dataset[T]) -> ChainDataset[T]:  # type: ignore[override]
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """The rows of tensors of one length.

    Parameters
    ----------
    *tensors
        Tensors whose first dimension is the sample's index.

    Raises
    ------
    ValueError
        If there is none, or the lengths differ.

    Examples
    --------
    >>> import rushlight as rl
    >>> data = rl.data.TensorDataset(rl.ones((3, 2)), rl.tensor([7, 8, 9]))
    >>> len(data), data[1][1].item()
    (3, 8)
    """

    def __init__(self, *tensors: Tensor) -> None:
        sizes = [x.shape[0] if x.ndim else -1 for x in tensors]
        if not sizes or min(sizes) != max(sizes) or sizes[0] < 0:
            raise ValueError(f"TensorDataset: expected tensors of one length, got lengths {sizes}")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(x[index] for x in self.tensors)

    def __len__(self) -> int:
        return int(self.tensors[0].shape[0])


class StackDataset(Dataset[Any]):
    """Samples made of the samples of several data sets with one index.

    Parameters
    ----------
    *args
        Data sets; a sample is a tuple.
    **kwargs
        Data sets by name; a sample is a dict.

    Raises
    ------
    ValueError
        If there is none, both kinds are given, or the lengths differ.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.data.StackDataset(x=[1, 2], y=[3, 4])[1]
    {'x': 2, 'y': 4}
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if bool(args) == bool(kwargs):
            raise ValueError("StackDataset: give data sets either by position or by name")
        self.datasets: Any = kwargs or args
        sizes = [len(d) for d in (kwargs.values() if kwargs else args)]
        if min(sizes) != max(sizes):
            raise ValueError(f"StackDataset: expected data sets of one length, got {sizes}")
        self._length = sizes[0]

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {name: d[index] for name, d in self.datasets.items()}
        return tuple(d[index] for d in self.datasets)

    def __len__(self) -> int:
        return self._length


class ConcatDataset(Dataset[T]):
    """Data sets one after the other, as in ``a + b``.

    Parameters
    ----------
    datasets
        The data sets.

    Raises
    ------
    ValueError
        If there is none, or one is a stream.

    Examples
    --------
    >>> import rushlight as rl
    >>> both = rl.data.ConcatDataset([[1, 2], [3]])
    >>> len(both), both[2], both[-3]
    (3, 3, 1)
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise ValueError("ConcatDataset: no data sets given")
        if any(isinstance(d, IterableDataset) for d in self.datasets):
            raise ValueError("ConcatDataset: an IterableDataset has no indices; use ChainDataset")
        self.cumulative_sizes = list(accumulate(len(d) for d in self.datasets))

    def __getitem__(self, index: int) -> T:
        size = len(self)
        if not -size <= index < size:
            raise IndexError(f"ConcatDataset: index {index} is out of range for {size} samples")
        index %= size
        number = bisect_right(self.cumulative_sizes, index)
        found: T = self.datasets[number][index - (self.cumulative_sizes[number - 1] if number else 0)]
        return found

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]


class ChainDataset(IterableDataset[T]):
    """Streams one after the other.

    Parameters
    ----------
    datasets
        The streams.

    Examples
    --------
    >>> import rushlight as rl
    >>> list(rl.data.ChainDataset([range(2), range(3)]))
    [0, 1, 0, 1, 2]
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)

    def __iter__(self) -> Iterator[T]:
        for dataset in self.datasets:
            yield from dataset

    def __len__(self) -> int:
        return sum(len(dataset) for dataset in self.datasets)


class Subset(Dataset[T]):
    """The samples of a data set at given indices.

    Parameters
    ----------
    dataset
        The whole data set.
    indices
        Indices of the samples, in order.

    Examples
    --------
    >>> import rushlight as rl
    >>> list(rl.data.Subset("abcd", [3, 0]))
    ['d', 'a']
    """

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index: int) -> T:
        found: T = self.dataset[self.indices[index]]
        return found

    def __len__(self) -> int:
        return len(self.indices)


def random_split(dataset: Any, lengths: Sequence[float], generator: Any = None) -> list[Subset[Any]]:
    """Cuts a data set into random parts.

    Parameters
    ----------
    dataset
        The data set.
    lengths
        Numbers of samples that add up to all, or fractions that add up to 1; what rounding leaves goes to the
        first parts, one each.
    generator
        A `Generator`, an int, a `random.Random` or a NumPy generator that decides the order; None takes the
        numbers of `manual_seed`.

    Returns
    -------
    list of Subset
        The parts.

    Raises
    ------
    ValueError
        If the lengths do not add up.

    Examples
    --------
    >>> import rushlight as rl
    >>> parts = rl.data.random_split(range(10), [0.7, 0.3], generator=1)
    >>> [len(part) for part in parts]
    [7, 3]
    """
    size, counts = len(dataset), list(lengths)
    if abs(sum(counts) - 1) < 1e-9 and all(0 <= part <= 1 for part in counts) and sum(counts) != size:
        counts = [int(part * size + 1e-9) for part in counts]
        for i in range(size - int(sum(counts))):
            counts[i % len(counts)] += 1
    if sum(counts) != size or any(int(count) != count or count < 0 for count in counts):
        raise ValueError(f"random_split: the lengths {list(lengths)} do not add up to {size} samples or to 1")
    order = list(range(size))
    random.Random(Seeds("random_split", generator).next()).shuffle(order)
    ends = list(accumulate(int(count) for count in counts))
    return [Subset(dataset, order[end - int(count) : end]) for end, count in zip(ends, counts, strict=True)]
