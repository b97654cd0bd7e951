"""Samplers: the order in which a loader takes samples."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from itertools import accumulate
from typing import Any

from ._seeds import Seeds


class Sampler:
    """The base of samplers: a subclass defines ``__iter__``, which gives indices, and ``__len__``.

    With ``state_dict`` and ``load_state_dict`` a loader can repeat an epoch's order; both may be missing.

    Examples
    --------
    >>> import rushlight as rl
    >>> class Even(rl.data.Sampler):
    ...     def __iter__(self):
    ...         return iter(range(0, 6, 2))
    >>> [batch.tolist() for batch in rl.data.DataLoader(range(6), sampler=Even())]
    [[0], [2], [4]]
    """

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError(f"{type(self).__name__} has no __iter__()")


class SequentialSampler(Sampler):
    """The indices in order.

    Parameters
    ----------
    data_source
        The data set.

    Examples
    --------
    >>> import rushlight as rl
    >>> list(rl.data.SequentialSampler("abc"))
    [0, 1, 2]
    """

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class _Random(Sampler):
    """The base of samplers whose order is drawn anew for each epoch."""

    _seeds: Seeds

    def _order(self, numbers: random.Random) -> Iterable[int]:
        raise NotImplementedError

    def __iter__(self) -> Iterator[int]:
        return iter(self._order(random.Random(self._seeds.next())))

    def state_dict(self) -> dict[str, Any]:
        """Returns the state that determines the orders of the next epochs.

        Returns
        -------
        dict
            Two numbers.

        Examples
        --------
        >>> import rushlight as rl
        >>> sampler = rl.data.RandomSampler(range(9), generator=5)
        >>> state = sampler.state_dict()
        >>> order = list(sampler)
        >>> sampler.load_state_dict(state)
        >>> list(sampler) == order
        True
        """
        return self._seeds.state_dict()

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Continues as the sampler that returned the state.

        Parameters
        ----------
        state_dict
            The result of `state_dict`.

        Examples
        --------
        >>> import rushlight as rl
        >>> sampler = rl.data.RandomSampler(range(9))
        >>> sampler.load_state_dict(rl.data.RandomSampler(range(9), generator=5).state_dict())
        """
        self._seeds.load_state_dict(state_dict)


class RandomSampler(_Random):
    """All indices in a random order, or random indices.

    Parameters
    ----------
    data_source
        The data set.
    replacement
        Whether an index may come again before all have come.
    num_samples
        Number of indices; by default that of the samples.
    generator
        A `Generator`, an int, a `random.Random` or a NumPy generator that decides the orders; None takes
        Rushlight's numbers.

    Raises
    ------
    ValueError
        If `num_samples` is below 1.

    Examples
    --------
    >>> import rushlight as rl
    >>> sorted(rl.data.RandomSampler("abcd", generator=0))
    [0, 1, 2, 3]
    """

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Any = None,
    ) -> None:
        if num_samples is not None and (not isinstance(num_samples, int) or num_samples < 1):
            raise ValueError(f"RandomSampler: num_samples {num_samples!r} is not an int of at least 1")
        self.data_source, self.replacement = data_source, replacement
        self._num_samples = num_samples
        self._seeds = Seeds("RandomSampler", generator)

    @property
    def num_samples(self) -> int:
        """Number of indices of an epoch."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def _order(self, numbers: random.Random) -> Iterator[int]:
        size, left = len(self.data_source), self.num_samples
        if self.replacement:
            yield from (numbers.randrange(size) for _ in range(left))
            return
        while left > 0 and size:
            order = list(range(size))
            numbers.shuffle(order)
            yield from order[:left]
            left -= size

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(_Random):
    """Given indices in a random order.

    Parameters
    ----------
    indices
        The indices.
    generator
        See `RandomSampler`.

    Examples
    --------
    >>> import rushlight as rl
    >>> sorted(rl.data.SubsetRandomSampler([5, 3, 9], generator=0))
    [3, 5, 9]
    """

    def __init__(self, indices: Sequence[int], generator: Any = None) -> None:
        self.indices = indices
        self._seeds = Seeds("SubsetRandomSampler", generator)

    def _order(self, numbers: random.Random) -> list[int]:
        order = list(self.indices)
        numbers.shuffle(order)
        return order

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(_Random):
    """Indices drawn with given weights.

    Parameters
    ----------
    weights
        One number of at least 0 per sample; they need not add up to 1.
    num_samples
        Number of indices.
    replacement
        Whether an index may come again.
    generator
        See `RandomSampler`.

    Raises
    ------
    ValueError
        If `num_samples` is below 1, or a weight is negative, or too few are positive.

    Examples
    --------
    >>> import rushlight as rl
    >>> list(rl.data.WeightedRandomSampler([0.0, 1.0, 0.0], 4))
    [1, 1, 1, 1]
    """

    def __init__(
        self, weights: Sequence[float], num_samples: int, replacement: bool = True, generator: Any = None
    ) -> None:
        if not isinstance(num_samples, int) or num_samples < 1:
            raise ValueError(f"WeightedRandomSampler: num_samples {num_samples!r} is not an int above 0")
        self.weights = [float(weight) for weight in weights]
        if any(not weight >= 0 for weight in self.weights):
            raise ValueError("WeightedRandomSampler: a weight is negative or NaN")
        positive = sum(weight > 0 for weight in self.weights)
        if positive < (1 if replacement else num_samples):
            raise ValueError(
                f"WeightedRandomSampler: {num_samples} samples from {positive} positive weights "
                f"{'with' if replacement else 'without'} replacement"
            )
        self.num_samples, self.replacement = num_samples, replacement
        self._seeds = Seeds("WeightedRandomSampler", generator)

    def _order(self, numbers: random.Random) -> list[int]:
        if self.replacement:
            totals = list(accumulate(self.weights))
            return numbers.choices(range(len(totals)), cum_weights=totals, k=self.num_samples)
        # The largest u**(1 / weight) are a draw without replacement (Efraimidis, Spirakis 2006).
        keys = [(numbers.expovariate(w), i) for i, w in enumerate(self.weights) if w > 0]
        return [i for _, i in sorted(keys)[: self.num_samples]]

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler):
    """Lists of the indices of another sampler.

    Parameters
    ----------
    sampler
        The sampler, or anything that gives indices.
    batch_size
        Number of indices of a list.
    drop_last
        Whether to leave out an incomplete last list.

    Raises
    ------
    ValueError
        If `batch_size` is below 1.

    Examples
    --------
    >>> import rushlight as rl
    >>> list(rl.data.BatchSampler(range(5), batch_size=2, drop_last=False))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Iterable[Any], batch_size: int, drop_last: bool) -> None:
        if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size < 1:
            raise ValueError(f"BatchSampler: batch_size {batch_size!r} is not an int of at least 1")
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self) -> Iterator[list[Any]]:
        batch: list[Any] = []
        for index in self.sampler:
            batch.append(index)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def __len__(self) -> int:
        size = len(self.sampler)  # type: ignore[arg-type]
        return size // self.batch_size if self.drop_last else -(-size // self.batch_size)
