"""The loader: batches of a data set, made here or in worker processes."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice, repeat
from typing import Any

from ._collate import default_collate, default_convert
from ._datasets import IterableDataset
from ._fetch import Exhausted, Fetcher
from ._samplers import BatchSampler, RandomSampler, SequentialSampler
from ._seeds import Seeds
from ._threads import Threads
from ._workers import Pool


class DataLoader:
    """Yields batches of a data set, made in this process or in worker processes.

    Parameters
    ----------
    dataset
        A `Dataset`, anything with ``__getitem__`` and ``__len__``, or an `IterableDataset`.
    batch_size
        Samples in a batch; None gives the samples themselves.
    shuffle
        Whether to draw a new order for each epoch.
    sampler
        Yields the indices of samples in place of `shuffle`: a sampler or any other iterable.
    batch_sampler
        Yields the list of indices of each batch: a sampler or any other iterable.
    num_workers
        Number of processes that make batches; with 0 this process makes them. They start as new interpreters
        (``spawn``), so the data set and the functions are pickled, and a script needs ``if __name__ ==
        "__main__":``.
    collate_fn
        Makes a batch of a list of samples; by default `default_collate`.
    pin_memory
        Accepted as in PyTorch. Copies of any tensor to a GPU go through pinned memory, with or without it.
    drop_last
        Whether to leave out an incomplete last batch.
    timeout
        Seconds to wait for a batch of the workers; 0 waits for ever.
    worker_init_fn
        Called in each worker with its number, after its random numbers were seeded.
    multiprocessing_context
        ``"thread"`` for threads, or the name of another way to start processes (by default ``"spawn"``), or a
        context of `multiprocessing`. Threads share the data set, and the random numbers, with the program:
        data that are drawn come from a generator that the data set makes of ``get_worker_info().seed``.
    generator
        A `Generator`, an int, a `random.Random` or a NumPy generator that decides the orders and the workers'
        seeds; None takes Rushlight's numbers, so `manual_seed` decides.
    prefetch_factor
        Batches that each worker makes ahead, by default 2.
    persistent_workers
        Whether workers stay for the next epoch.
    pin_memory_device, in_order
        Accepted as in PyTorch, without effect: batches always come in order.

    Raises
    ------
    TypeError, ValueError
        If settings contradict each other or are out of range, or workers cannot get the data set.
    RuntimeError
        While iterating, if a worker ends or is too slow. An exception of a worker is raised here with its
        traceback.

    Notes
    -----
    `state_dict` and `load_state_dict` resume in the middle of an epoch.

    Examples
    --------
    >>> import rushlight as rl
    >>> data = rl.data.TensorDataset(rl.arange(5), rl.zeros(5))
    >>> for x, y in rl.data.DataLoader(data, batch_size=2):
    ...     print(x.tolist(), y.shape)
    [0, 1] (2,)
    [2, 3] (2,)
    [4] (1,)
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Iterable[Any] | None = None,
        batch_sampler: Iterable[Any] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: Any = None,
        generator: Any = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        if not isinstance(num_workers, int) or num_workers < 0:
            raise ValueError(f"DataLoader: num_workers {num_workers!r} is not an int of at least 0")
        if timeout < 0:
            raise ValueError(f"DataLoader: timeout {timeout} is negative")
        if num_workers == 0 and (prefetch_factor is not None or persistent_workers):
            raise ValueError("DataLoader: prefetch_factor and persistent_workers need num_workers above 0")
        if prefetch_factor is not None and prefetch_factor < 1:
            raise ValueError(f"DataLoader: prefetch_factor {prefetch_factor} is below 1")
        streaming = isinstance(dataset, IterableDataset)
        if streaming and (shuffle or sampler is not None or batch_sampler is not None):
            raise ValueError("DataLoader: an IterableDataset has its own order: no shuffle, no sampler")
        if sampler is not None and shuffle:
            raise ValueError("DataLoader: give a sampler or shuffle=True, not both")
        if batch_sampler is not None and (batch_size != 1 or shuffle or sampler is not None or drop_last):
            raise ValueError(
                "DataLoader: batch_sampler replaces batch_size, shuffle, sampler and drop_last; leave them "
                "out"
            )
        if batch_size is None and drop_last:
            raise ValueError("DataLoader: batch_size=None has no last batch to drop")
        if batch_size is not None and (not isinstance(batch_size, int) or batch_size < 1):
            raise ValueError(f"DataLoader: batch_size {batch_size!r} is not an int of at least 1")
        self.dataset, self.num_workers, self.timeout = dataset, num_workers, timeout
        self.batch_size = None if batch_sampler is not None else batch_size
        self.drop_last, self.pin_memory, self.in_order = drop_last, pin_memory, in_order
        self.pin_memory_device = pin_memory_device
        self.worker_init_fn, self.multiprocessing_context = worker_init_fn, multiprocessing_context
        self.prefetch_factor, self.persistent_workers = prefetch_factor, persistent_workers
        self.generator = generator
        batched = batch_size is not None or batch_sampler is not None
        self.collate_fn = collate_fn or (default_collate if batched else default_convert)
        self._seeds = Seeds("DataLoader", generator)
        if sampler is None and not streaming and batch_sampler is None:
            seed = self._seeds.next() if generator is not None else None
            sampler = RandomSampler(dataset, generator=seed) if shuffle else SequentialSampler(dataset)
        if batch_sampler is None and sampler is not None and batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.sampler, self.batch_sampler = sampler, batch_sampler
        self._pool: Pool | Threads | None = None
        self._running: dict[str, Any] | None = None
        self._skip = 0

    def __len__(self) -> int:
        if self.batch_sampler is not None:
            return len(self.batch_sampler)  # type: ignore[arg-type]
        if self.batch_size is None:
            return len(self.dataset if self.sampler is None else self.sampler)  # type: ignore[arg-type]
        size = len(self.dataset)
        return size // self.batch_size if self.drop_last else -(-size // self.batch_size)

    def __iter__(self) -> Iterator[Any]:
        # The state from which this epoch can be repeated, and the number of batches yielded so far.
        running = {"batches": self._skip, **self._state()}
        skip, self._skip = self._skip, 0
        self._running = running
        for batch in self._workers(skip) if self.num_workers else self._here(skip):
            running["batches"] += 1
            yield batch
        if self._running is running:
            self._running = None

    def _fetcher(self) -> Fetcher:
        return Fetcher(self.dataset, self.collate_fn, self.batch_size, self.drop_last)

    def _indices(self, skip: int) -> Iterator[Any]:
        """Yield the indices of each batch; for streams None without end."""
        if isinstance(self.dataset, IterableDataset):
            return repeat(None)
        order = self.sampler if self.batch_sampler is None else self.batch_sampler
        assert order is not None
        return islice(iter(order), skip, None)

    def _here(self, skip: int) -> Iterator[Any]:
        fetcher = self._fetcher()
        stream = fetcher.stream()
        try:
            if stream is not None:
                for _ in range(skip):
                    fetcher.fetch(None, stream)
            for indices in self._indices(skip):
                yield fetcher.fetch(indices, stream)
        except Exhausted:
            return

    def _start(self) -> Pool | Threads:
        if self._pool is not None:
            return self._pool
        context = self.multiprocessing_context or "spawn"
        if context == "thread":
            threads = Threads(self._fetcher(), self.worker_init_fn, self.num_workers)
            if self.persistent_workers:
                self._pool = threads
            return threads
        import multiprocessing

        parts = {
            "dataset": self.dataset,
            "collate_fn": self.collate_fn,
            "worker_init_fn": self.worker_init_fn,
        }
        for name, value in parts.items():
            try:
                pickle.dumps(value)
            except Exception as error:
                raise TypeError(
                    f"DataLoader: num_workers={self.num_workers} sends the {name} to other processes, "
                    f"and it cannot be pickled: {error}; define it at a module's top, or take num_workers=0"
                ) from error
        if isinstance(context, str):
            context = multiprocessing.get_context(context)
        pool = Pool(pickle.dumps((self._fetcher(), self.worker_init_fn)), self.num_workers, context)
        if self.persistent_workers:
            self._pool = pool
        return pool

    def _workers(self, skip: int) -> Iterator[Any]:
        pool = self._start()
        try:
            pool.begin(self._seeds.next())
            yield from self._answers(pool, skip)
        except BaseException as error:
            # Leaving a loop early keeps persistent workers; errors do not.
            if not isinstance(error, GeneratorExit):
                self._pool = None
            raise
        finally:
            if self._pool is not pool:
                pool.close()

    def _answers(self, pool: Pool | Threads, skip: int) -> Iterator[Any]:
        streaming = isinstance(self.dataset, IterableDataset)
        tasks = enumerate(self._indices(skip))
        active = list(range(self.num_workers))
        workers: dict[int, int] = {}
        answers: dict[int, tuple[str, Any]] = {}
        turn, wanted, to_skip = 0, 0, skip if streaming else 0

        def give() -> None:
            nonlocal turn
            for task, indices in islice(tasks, 1):
                worker = active[turn % len(active)]
                turn += 1
                workers[task] = worker
                pool.send(worker, task, indices)

        for _ in range(len(active) * (self.prefetch_factor or 2)):
            give()
        while wanted in workers:
            while wanted not in answers:
                kind, task, value = pool.receive(self.timeout)
                answers[task] = kind, value
            kind, value = answers.pop(wanted)
            worker = workers.pop(wanted)
            wanted += 1
            if kind == "end":
                if worker in active:
                    turn -= sum(1 for other in active[: turn % len(active)] if other == worker)
                    active.remove(worker)
                continue
            if active:
                give()
            if to_skip:
                to_skip -= 1
                continue
            yield value

    def _state(self) -> dict[str, Any]:
        order = self.sampler if self.sampler is not None else self.batch_sampler
        get = getattr(order, "state_dict", None)
        return {"seeds": self._seeds.state_dict(), "sampler": None if get is None else get()}

    def state_dict(self) -> dict[str, Any]:
        """Returns the number of batches yielded in this epoch, and the state that determines its order.

        Returns
        -------
        dict
            Numbers and dicts.

        Examples
        --------
        >>> import rushlight as rl
        >>> loader = rl.data.DataLoader(range(6), batch_size=2, shuffle=True, generator=0)
        >>> batches = iter(loader)
        >>> first = next(batches)
        >>> state = loader.state_dict()
        >>> rest = [batch.tolist() for batch in batches]
        >>> again = rl.data.DataLoader(range(6), batch_size=2, shuffle=True)
        >>> again.load_state_dict(state)
        >>> [batch.tolist() for batch in again] == rest
        True
        """
        return dict(self._running) if self._running is not None else {"batches": self._skip, **self._state()}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Continues where another loader was: the next iteration yields the rest of its epoch.

        A sampler without ``state_dict`` must give the same order again. The samples of a stream that were
        already yielded are read and dropped.

        Parameters
        ----------
        state_dict
            The result of `state_dict`.

        Raises
        ------
        ValueError
            If a key is missing.

        Examples
        --------
        >>> import rushlight as rl
        >>> loader = rl.data.DataLoader(range(6), batch_size=2)
        >>> loader.load_state_dict({"batches": 2, "seeds": {"seed": 1, "count": 0}, "sampler": None})
        >>> [batch.tolist() for batch in loader]
        [[4, 5]]
        """
        lacking = [key for key in ("batches", "seeds", "sampler") if key not in state_dict]
        if lacking:
            raise ValueError(f"DataLoader.load_state_dict: {', '.join(lacking)} is not in the state")
        self._skip = state_dict["batches"]
        self._running = None
        self._seeds.load_state_dict(state_dict["seeds"])
        order = self.sampler if self.sampler is not None else self.batch_sampler
        load = getattr(order, "load_state_dict", None)
        if load is not None and state_dict["sampler"] is not None:
            load(state_dict["sampler"])

    def __del__(self) -> None:
        pool = getattr(self, "_pool", None)
        if pool is not None:
            pool.close()
