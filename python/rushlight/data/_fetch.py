"""Fetches batches from a data set, in the main process or in a worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from ._datasets import IterableDataset


class Exhausted(Exception):
    """Raised if the stream has no further batch."""


class Fetcher(NamedTuple):
    """A data set, and the settings by which its samples become batches."""

    dataset: Any
    collate: Callable[[Any], Any]
    # None: samples instead of batches.
    batch_size: int | None
    drop_last: bool

    def stream(self) -> Iterator[Any] | None:
        """Begin a stream; None for data sets with indices."""
        return iter(self.dataset) if isinstance(self.dataset, IterableDataset) else None

    def fetch(self, indices: Any, stream: Iterator[Any] | None) -> Any:
        """Return the batch of the indices, or the stream's next one."""
        if stream is None:
            if isinstance(indices, (list, tuple)):
                if hasattr(self.dataset, "__getitems__"):
                    return self.collate(self.dataset.__getitems__(indices))
                return self.collate([self.dataset[index] for index in indices])
            return self.collate(self.dataset[indices])
        if self.batch_size is None:
            for sample in stream:
                return self.collate(sample)
            raise Exhausted
        samples = list(islice(stream, self.batch_size))
        if not samples or (self.drop_last and len(samples) < self.batch_size):
            raise Exhausted
        return self.collate(samples)
