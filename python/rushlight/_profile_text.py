"""The profiler's results as text: the table of averages, and the entries of a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .profiler import AveragedEvent, Event

__all__ = ["microseconds", "table", "trace_entries"]

_NUMBERS = (
    "self_cpu_time_total",
    "cpu_time_total",
    "cpu_time",
    "self_device_time_total",
    "device_time_total",
    "device_time",
    "count",
    "bytes",
)


def microseconds(us: float) -> str:
    """A time as text, with its unit."""
    if us >= 1e6:
        return f"{us / 1e6:.3f} s"
    return f"{us / 1e3:.3f} ms" if us >= 1e3 else f"{us:.1f} us"


def _size(count: int) -> str:
    """A number of bytes as text, with its unit."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} B"


def _short(text: str, most: int) -> str:
    """A text on one line, shortened."""
    text = text.replace("\n", " ")
    return text if len(text) <= most else f"{text[: most - 3]}..."


def _part(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f}" if whole else "-"


def table(averages: list[AveragedEvent], sort_by: str | None, row_limit: int) -> str:
    """Return the averages as text, the greatest first."""
    timed = any(a.self_device_time_total for a in averages)
    by = sort_by or ("self_device_time_total" if timed else "self_cpu_time_total")
    by = by.replace("cuda_time", "device_time")
    if not isinstance(row_limit, int):
        raise TypeError(f"table: expected a whole number as row_limit, got {row_limit!r}")
    if by not in _NUMBERS:
        raise ValueError(f"table: expected sort_by to be one of {', '.join(_NUMBERS)}, got {sort_by!r}")
    rows = sorted(averages, key=lambda a: getattr(a, by), reverse=True)
    rows = rows if row_limit < 0 else rows[:row_limit]
    host = sum(a.self_cpu_time_total for a in averages)
    device = sum(a.self_device_time_total for a in averages)
    head = ["name", "kind", "count", "self host", "%", "host", "host mean", "bytes"]
    head += ["self device", "%", "device", "device mean"] if timed else []
    head += ["input shapes"] if any(a.input_shapes for a in averages) else []
    lines = [head]
    for a in rows:
        line = [
            _short(a.key, 60),
            a.kind,
            str(a.count),
            microseconds(a.self_cpu_time_total),
            _part(a.self_cpu_time_total, host),
        ]
        line += [microseconds(a.cpu_time_total), microseconds(a.cpu_time), _size(a.bytes)]
        if timed:
            line += [microseconds(a.self_device_time_total), _part(a.self_device_time_total, device)]
            line += [microseconds(a.device_time_total), microseconds(a.device_time)]
        lines.append(line + ([_short(str(a.input_shapes), 80)] if "input shapes" in head else []))
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    left = {0, 1, len(head) - 1 if "input shapes" in head else 0}
    texts = [
        "  ".join(
            c.ljust(w) if i in left else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    ]
    texts.insert(1, "  ".join("-" * w for w in widths))
    total = f"host: {microseconds(host)}" + (f", device: {microseconds(device)}" if timed else "")
    return "\n".join(t.rstrip() for t in [*texts, total])


def trace_entries(events: list[Event]) -> list[dict[str, Any]]:
    """The entries of a trace: process 0 is the host with its threads, the others are the devices."""
    devices = sorted({e.device for e in events if e.device is not None and e.device_start is not None})
    names = ["host", *devices]
    entries: list[dict[str, Any]] = [
        {"name": "process_name", "ph": "M", "pid": pid, "tid": 0, "args": {"name": name}}
        for pid, name in enumerate(names)
    ]
    for e in events:
        args: dict[str, Any] = {"device": e.device, "bytes": e.bytes}
        if e.input_shapes:
            args |= {"shapes": [list(s) for s in e.input_shapes], "dtypes": e.input_dtypes}
        common = {"name": e.name, "cat": e.kind, "ph": "X"}
        entries.append(
            {**common, "pid": 0, "tid": e.thread, "ts": e.start, "dur": e.cpu_time_total, "args": args}
        )
        if e.device is not None and e.device_start is not None:
            row = {
                "pid": names.index(e.device),
                "tid": 0,
                "ts": e.device_start,
                "dur": e.self_device_time_total,
            }
            entries.append({**common, **row, "args": args})
        if e.memory is not None:
            end = e.start + e.cpu_time_total
            count = {"name": f"memory of {e.device}", "ph": "C", "pid": 0, "tid": 0, "ts": end}
            entries.append({**count, "args": {"bytes": e.memory}})
    return entries
