"""The profiler: times of ops, kernels, library calls, transfers and compilations, of the host and of GPUs.

Names are those of `torch.profiler`. All times are in microseconds.
"""

from __future__ import annotations

import enum
import functools
import gzip
import json
import os
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from . import _native, _profile_text
from ._profile_text import microseconds

__all__ = ["AveragedEvent", "Averages", "Event", "ProfilerActivity", "profile", "record_function"]

F = TypeVar("F", bound=Callable[..., Any])


class ProfilerActivity(enum.Enum):
    """Selects what `profile` measures: the host's times always, those of GPUs with ``GPU`` (or ``CUDA``).

    Parameters
    ----------
    value
        ``"cpu"`` or ``"gpu"``.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.profiler.ProfilerActivity.CUDA is rl.profiler.ProfilerActivity.GPU
    True
    """

    CPU = "cpu"
    GPU = "gpu"
    CUDA = GPU


@dataclass(repr=False)
class Event:
    """Something that happened while the profiler recorded.

    Times are in microseconds. On a GPU the host's time of an op is that of queueing its work.

    Parameters
    ----------
    name
        The name of the op, range, kernel, library or file of kernels.
    kind
        "op", "range" (of `record_function`, or a backward pass), "kernel", "library" (a call of a vendor's
        library), "upload", "download", "wait" or "compile".
    device
        The device, such as "rocm:0"; None for ranges.
    thread
        A number of the thread, from 0.
    parent
        The event inside which it happened.
    start
        The host's time since the profiler's start.
    cpu_time_total
        The host's time that it took.
    self_cpu_time_total
        The same without the events inside.
    device_start
        The GPU's begin of a kernel or library call, since the profiler's start; None if it was not measured.
    device_time_total
        The GPU's time of the event and of those inside.
    self_device_time_total
        The GPU's time of the event itself: kernels and library calls have one.
    bytes
        Bytes copied, or of an op's inputs and output; elements that a broadcast repeats count once.
    input_shapes
        Shapes of an op's inputs, with ``record_shapes``.
    input_dtypes
        Their dtypes.
    memory
        Bytes in use on the device after an op, with ``profile_memory``.

    Examples
    --------
    >>> import rushlight as rl
    >>> with rl.profiler.profile(record_shapes=True) as prof:
    ...     y = rl.ones((3, 4)) @ rl.ones((4, 5))
    >>> product = [e for e in prof.events() if e.name == "matmul"][0]
    >>> product.kind, product.device, product.input_shapes, product.bytes
    ('op', 'cpu', [(3, 4), (4, 5)], 188)
    """

    name: str
    kind: str
    device: str | None
    thread: int
    parent: Event | None
    start: float
    cpu_time_total: float
    self_cpu_time_total: float
    device_start: float | None
    device_time_total: float
    self_device_time_total: float
    bytes: int
    input_shapes: list[tuple[int, ...]]
    input_dtypes: list[str]
    memory: int | None

    def __repr__(self) -> str:
        where = "" if self.device is None else f" on {self.device}"
        device = f", {microseconds(self.device_time_total)} of the device" if self.device_time_total else ""
        return f"Event({self.kind} {self.name}{where}: {microseconds(self.cpu_time_total)}{device})"


@dataclass(repr=False)
class AveragedEvent:
    """The events of one name and kind, as `profile.key_averages` groups them.

    Parameters
    ----------
    key
        The events' name.
    kind
        Their kind.
    input_shapes
        Shapes of the inputs, if events were grouped by them.
    count
        The number of events.
    cpu_time_total, self_cpu_time_total
        Sums of the host's times, in microseconds.
    device_time_total, self_device_time_total
        Sums of the GPU's times.
    bytes
        The sum of the events' bytes.

    Examples
    --------
    >>> import rushlight as rl
    >>> with rl.profiler.profile() as prof:
    ...     for _ in range(3):
    ...         y = rl.exp(rl.ones(10))
    >>> [(a.key, a.kind, a.count) for a in prof.key_averages() if a.key == "exp"]
    [('exp', 'op', 3)]
    """

    key: str
    kind: str
    input_shapes: list[tuple[int, ...]]
    count: int = 0
    cpu_time_total: float = 0.0
    self_cpu_time_total: float = 0.0
    device_time_total: float = 0.0
    self_device_time_total: float = 0.0
    bytes: int = 0

    @property
    def cpu_time(self) -> float:
        """The mean of `cpu_time_total`."""
        return self.cpu_time_total / self.count

    @property
    def device_time(self) -> float:
        """The mean of `device_time_total`."""
        return self.device_time_total / self.count

    def __repr__(self) -> str:
        return (
            f"AveragedEvent({self.kind} {self.key}: {self.count} times, {microseconds(self.cpu_time_total)})"
        )


class Averages(list[AveragedEvent]):
    """A list of `AveragedEvent`, which `table` prints.

    Parameters
    ----------
    rows
        The entries.

    Examples
    --------
    >>> import rushlight as rl
    >>> with rl.profiler.profile() as prof:
    ...     y = rl.ones(10) * 2
    >>> len(prof.key_averages()) >= 1
    True
    """

    def __init__(self, rows: Iterable[AveragedEvent] = ()) -> None:
        super().__init__(rows)

    def __str__(self) -> str:
        return self.table()

    def table(self, sort_by: str | None = None, row_limit: int = 100) -> str:
        """Returns the list as text, a row for each entry, the greatest first.

        Parameters
        ----------
        sort_by
            The attribute of `AveragedEvent` to sort by, such as ``"self_cpu_time_total"``,
            ``"device_time_total"``, ``"count"`` or ``"bytes"``; ``cuda`` in place of ``device`` is accepted.
            None: the device's own time if a GPU was measured, else the host's.
        row_limit
            The most rows; -1 for all.

        Returns
        -------
        str
            The table.

        Raises
        ------
        ValueError
            If there is no such attribute, or it is not a number.
        TypeError
            If `row_limit` is not a whole number.

        Examples
        --------
        >>> import rushlight as rl
        >>> with rl.profiler.profile() as prof:
        ...     y = rl.exp(rl.ones(1000))
        >>> print(prof.key_averages().table(sort_by="count").splitlines()[0].split()[:2])
        ['name', 'kind']
        """
        return _profile_text.table(self, sort_by, row_limit)


class profile:
    """Records what the library does, in all threads, while its block runs.

    Only one can be active in a process. An event costs less than a microsecond, and two calls of the driver
    for each kernel whose time is measured; a GPU is waited for before its first kernel and at the end.

    Parameters
    ----------
    activities
        Values of `ProfilerActivity`; None for all. The host's times are always recorded; without ``GPU``,
        those of GPUs are not measured.
    record_shapes
        Whether shapes and dtypes of ops' inputs are recorded.
    profile_memory
        Whether the bytes in use on the device are recorded after each op.

    Raises
    ------
    RuntimeError
        If another profiler is active when the block begins.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.ones((64, 64), requires_grad=True)
    >>> with rl.profiler.profile() as prof:
    ...     (x @ x).sum().backward()
    >>> print(prof.key_averages().table(row_limit=5))  # doctest: +SKIP
    >>> [a.count for a in prof.key_averages() if a.key == "matmul"]
    [3]
    """

    def __init__(
        self,
        activities: Iterable[ProfilerActivity] | None = None,
        *,
        record_shapes: bool = False,
        profile_memory: bool = False,
    ) -> None:
        given = ProfilerActivity if activities is None else activities
        chosen = set(given) if isinstance(given, Iterable) and not isinstance(given, str) else {given}
        if not chosen <= set(ProfilerActivity) or isinstance(given, ProfilerActivity):
            raise TypeError(f"profile: expected a list of ProfilerActivity, got {activities!r}")
        self._device_times = ProfilerActivity.GPU in chosen
        self._shapes, self._memory = record_shapes, profile_memory
        self._events: list[Event] | None = None
        self._seconds = 0.0
        self._active = False

    def start(self) -> None:
        """Begins to record.

        Raises
        ------
        RuntimeError
            If a profiler is active.

        Examples
        --------
        >>> import rushlight as rl
        >>> prof = rl.profiler.profile()
        >>> prof.start()
        >>> y = rl.ones(3) * 2
        >>> prof.stop()
        >>> len(prof.events()) > 0
        True
        """
        _native._profiler_start(self._shapes, self._memory, self._device_times)
        self._active = True

    def stop(self) -> None:
        """Ends the recording, and waits for the GPUs whose work was measured.

        Raises
        ------
        RuntimeError
            If it is not active.

        Examples
        --------
        >>> import rushlight as rl
        >>> prof = rl.profiler.profile()
        >>> prof.start()
        >>> prof.stop()
        """
        if not self._active:
            raise RuntimeError("profile: this profiler is not active; start it before it is stopped")
        self._active = False
        self._seconds, found = _native._profiler_stop()
        self._events = _events(found)

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        # (The block may have stopped it.)
        if self._active:
            self.stop()

    def __del__(self) -> None:
        # Another one could not start if a profiler that nothing refers to stayed active.
        if getattr(self, "_active", False):
            _native._profiler_stop()

    def events(self) -> list[Event]:
        """Returns the events in the order in which they began.

        Returns
        -------
        list of Event
            The events.

        Raises
        ------
        RuntimeError
            If nothing has been recorded yet.

        Examples
        --------
        >>> import rushlight as rl
        >>> with rl.profiler.profile() as prof:
        ...     with rl.profiler.record_function("twice"):
        ...         y = rl.ones(3) * 2
        >>> [(e.name, e.parent.name if e.parent else None) for e in prof.events()][0]
        ('twice', None)
        """
        if self._events is None:
            raise RuntimeError("profile: nothing has been recorded yet; the block, or stop(), must end first")
        return self._events

    def key_averages(self, group_by_input_shape: bool = False) -> Averages:
        """Returns sums of the events with the same name and kind.

        Parameters
        ----------
        group_by_input_shape
            Whether ops with other shapes are kept apart; needs ``record_shapes``.

        Returns
        -------
        Averages
            The sums, in the order in which they first appeared.

        Raises
        ------
        RuntimeError
            If nothing has been recorded yet.
        ValueError
            If shapes were not recorded.

        Examples
        --------
        >>> import rushlight as rl
        >>> with rl.profiler.profile(record_shapes=True) as prof:
        ...     y, z = rl.exp(rl.ones(3)), rl.exp(rl.ones(4))
        >>> [a.input_shapes for a in prof.key_averages(group_by_input_shape=True) if a.key == "exp"]
        [[(3,)], [(4,)]]
        """
        if group_by_input_shape and not self._shapes:
            raise ValueError("key_averages: shapes were not recorded; use profile(record_shapes=True)")
        found: dict[tuple[str, str, str], AveragedEvent] = {}
        for e in self.events():
            shapes = e.input_shapes if group_by_input_shape else []
            a = found.setdefault((e.name, e.kind, str(shapes)), AveragedEvent(e.name, e.kind, shapes))
            a.count += 1
            for name in (
                "cpu_time_total",
                "self_cpu_time_total",
                "device_time_total",
                "self_device_time_total",
                "bytes",
            ):
                setattr(a, name, getattr(a, name) + getattr(e, name))
        return Averages(found.values())

    def export_chrome_trace(self, path: str | os.PathLike[str]) -> None:
        """Writes the events as a trace that Perfetto and ``chrome://tracing`` show.

        Parameters
        ----------
        path
            The file; it is compressed if the name ends with ``.gz``.

        Raises
        ------
        RuntimeError
            If nothing has been recorded yet.
        OSError
            If the file cannot be written.

        Examples
        --------
        >>> import os, tempfile
        >>> import rushlight as rl
        >>> with rl.profiler.profile() as prof:
        ...     y = rl.ones(3) * 2
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     prof.export_chrome_trace(os.path.join(folder, "trace.json"))
        """
        text = json.dumps(
            {"displayTimeUnit": "ms", "traceEvents": _profile_text.trace_entries(self.events())}
        )
        packed = os.fspath(path).endswith(".gz")
        with open(path, "wb") as file:
            file.write(gzip.compress(text.encode()) if packed else text.encode())

    def __repr__(self) -> str:
        if self._events is None:
            return "profile()"
        return f"profile({len(self._events)} events in {microseconds(self._seconds * 1e6)})"


def _events(found: list[dict[str, Any]]) -> list[Event]:
    """The events of the native module, with the sums over the events inside each."""
    events: list[Event] = []
    for d in found:
        total, own = d["duration"] * 1e6, (d["device_duration"] or 0.0) * 1e6
        begin = None if d["device_start"] is None else d["device_start"] * 1e6
        parent = None if d["parent"] is None else events[d["parent"]]
        shapes = [tuple(shape) for _, shape in d["inputs"]]
        dtypes = [dtype for dtype, _ in d["inputs"]]
        events.append(
            Event(
                d["name"],
                d["kind"],
                d["device"],
                d["thread"],
                parent,
                d["start"] * 1e6,
                total,
                total,
                begin,
                own,
                own,
                d["bytes"],
                shapes,
                dtypes,
                d["memory"],
            )
        )
    # An event comes after the one that it is inside of, so the sums are complete from the end.
    for e in reversed(events):
        if e.parent is not None:
            e.parent.self_cpu_time_total -= e.cpu_time_total
            e.parent.device_time_total += e.device_time_total
    return events


class record_function:
    """Names a part of the program in the profile: a context manager, or a decorator.

    Parameters
    ----------
    name
        The name of the part.

    Examples
    --------
    >>> import rushlight as rl
    >>> @rl.profiler.record_function("twice")
    ... def twice(x):
    ...     return x * 2
    >>> with rl.profiler.profile() as prof:
    ...     y = twice(rl.ones(3))
    >>> [e.name for e in prof.events() if e.kind == "range"]
    ['twice']
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"record_function: expected a name, got {name!r}")
        self._name = name
        self._open = threading.local()

    def __enter__(self) -> record_function:
        self._open.__dict__.setdefault("ranges", []).append(_native._profiler_range(self._name))
        return self

    def __exit__(self, *error: object) -> None:
        ranges: list[_native._ProfilerRange] = self._open.__dict__.get("ranges", [])
        if not ranges:
            raise RuntimeError("record_function: this range was not entered in this thread")
        ranges.pop().end()

    def __call__(self, function: F) -> F:
        """Return the function with its calls as parts of this name."""

        @functools.wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with record_function(self._name):
                return function(*args, **kwargs)

        return inside  # type: ignore[return-value]
