"""``rushlight parity``: runs cases on devices and reports the results."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import os
import re
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rushlight import _native

from . import candle, compare, evidence, known, report
from .case import BAD, Case, Row, chosen, is_device, repeat, table
from .pool import Pool, StartError

KEEP = 512
"""The largest outputs, in bytes, that a result file keeps."""

KEEP_FOR_TRUTH = 1 << 16
"""The same while results are compared with true values of a file, whose bits always differ."""


INSTALL = {
    "numpy": "pip install numpy",
    "torch": "pip install torch (its build for the CPU will do), or compare with --against numpy",
}
"""The references that runs may be compared with, and how to install them."""


def seconds(text: str) -> float:
    """Return a time such as ``60s``, ``10m`` or ``90``."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh]?)", text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time; write 60s, 10m or 1h")
    return float(found[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[found[2]]


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("what", nargs="*", metavar="compare A.json B.json", help="compare two result files")
    parser.add_argument("--device", default="cpu", metavar="D,..", help="such as rocm:0 or rocm:0,cpu (cpu)")
    parser.add_argument(
        "--against",
        default="f64",
        metavar="WHAT",
        help="f64 (the true result, with the CPU's own error as the measure; the default), cpu, another "
        "device such as rocm:1 or cuda:0, numpy, torch, candle (in a checkout), or a result file of --json",
    )
    parser.add_argument(
        "-k", default="", metavar="PART", help="cases whose name has a part ('a or b'; =NAME: one)"
    )
    parser.add_argument("--seed", type=int, default=0, help="other values for the inputs (0)")
    parser.add_argument("--time", type=seconds, metavar="60s", help="as many cases as fit, evenly over ops")
    parser.add_argument("--jobs", type=int, default=0, metavar="N", help="worker processes")
    parser.add_argument("--timeout", type=seconds, default=120.0, metavar="2m", help="of one case (2m)")
    parser.add_argument("--known", type=Path, metavar="FILE", help="more known issues, which may fail")
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="write results (and FILE's values beside it)"
    )
    parser.add_argument(
        "--summary", type=Path, metavar="FILE", help="write results by op and dtype, for PARITY.md"
    )
    parser.add_argument("--junit", type=Path, metavar="FILE", help="write JUnit XML")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write a summary in Markdown")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page")


def _against(args: argparse.Namespace) -> tuple[str, report.Results | None]:
    """Return the reference for workers, and the other run if that is a file."""
    what: str = args.against
    if what in INSTALL and importlib.util.find_spec(what) is None:
        raise ValueError(f"--against {what}: this Python has no {what}; {INSTALL[what]}")
    if what in ("f64", "cpu", *INSTALL):
        return what, None
    if is_device(what):
        return what, None
    if what == "candle":
        with tempfile.TemporaryDirectory() as folder:
            return "f64", report.load(candle.results(args.seed, args.k, Path(folder, "candle.json")))
    if not Path(what).is_file():
        raise ValueError(
            f"--against {what}: expected f64, cpu, a device such as rocm:1, numpy, torch, candle or a result "
            "file; there is no such file"
        )
    other = report.load(Path(what))
    if other.head["seed"] != args.seed:
        raise ValueError(f"{what} was written with --seed {other.head['seed']}; use the same here")
    return "f64", other


class Bar:
    """A progress line on stderr, if that is a terminal."""

    def __init__(self, total: int, limit: float | None) -> None:
        self.total, self.limit = total, limit
        self.live = sys.stderr.isatty()
        self.start = self.shown = time.monotonic()

    def show(self, done: int, bad: int, op: str) -> None:
        """Show the progress, at most ten times a second."""
        now = time.monotonic()
        if not self.live or (now - self.shown < 0.1 and done < self.total):
            return
        self.shown = now
        part = done / max(1, self.total)
        if self.limit:
            part = max(part, min(1.0, (now - self.start) / self.limit))
        filled = round(30 * part)
        text = f"[{'#' * filled}{'.' * (30 - filled)}] {100 * part:3.0f} %  {done:,} cases  {bad} bad  {op}"
        print(f"\r\x1b[K{text[:100]}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Clear the line."""
        if self.live:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _jobs(asked: int, devices: Sequence[str]) -> int:
    all_cores = len(os.sched_getaffinity(0))
    if not 0 <= asked <= 8 * all_cores:
        raise ValueError(
            f"--jobs {asked}: from 1 to {8 * all_cores}, 8 a core (a worker takes some 200 MB); 0: as usual"
        )
    cores = min(4, all_cores)
    gpu = any(d.startswith(("rocm", "hip", "cuda")) for d in devices)
    hardware = gpu and "RUSHLIGHT_VGPU_ARCH" not in os.environ
    return asked if asked > 0 else 1 if hardware else cores


def _tell(row: Row, device: str, args: argparse.Namespace) -> None:
    """Print a case that failed."""
    print(f"{row.status} {row.case.name}: {row.reason}")
    for m in row.mismatches:
        where = f"output {m['output']} at {m['position']}"
        print(f"    {where}: {m['got']}, expected {m['want']} ({m['ulp']:.3g} ulp off, may {m['may']:.3g})")
    print(f"    again: {repeat(row.case, device, args.seed, args.against, args.known)}")


class Stop:
    """Ends a run at SIGINT or SIGTERM and reports what ran. A second signal ends it at once."""

    def __init__(self) -> None:
        self.asked = ""
        self._before: dict[signal.Signals, Any] = {}

    def _ask(self, number: int, _: object) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = signal.Signals(number).name

    def __enter__(self) -> Stop:
        """Install the handlers, in the thread that receives signals."""
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._ask)
        return self

    def __exit__(self, *_: object) -> None:
        """Restore the handlers."""
        for number, handler in self._before.items():
            signal.signal(number, handler)


def one(
    device: str, suite: Any, args: argparse.Namespace, issues: list[known.Issue], stop: Stop
) -> report.Results:
    """Run the suite on one device."""
    against, other = _against(args)
    cases = table(suite)
    order = [i for i in suite.order(args.seed) if chosen(cases[i], args.k)]
    if not order:
        raise ValueError(f"no case has {args.k!r} in its name; names are such as {cases[0].name}")
    keep = KEEP if args.json or other else 0
    if other and compare.is_true(other):
        keep = KEEP_FOR_TRUTH
    settings = {"device": device, "seed": args.seed, "against": against, "keep": keep}
    pool = Pool(settings, cases, _jobs(args.jobs, (device, against)), args.timeout, lambda: bool(stop.asked))
    bar = Bar(len(order), args.time)
    start = time.monotonic()
    rows: dict[int, Row] = {}
    bad = 0
    opened: list[float] = []

    def more() -> bool:
        # The time limit counts from the moment when a worker has opened its device.
        opened.append(time.monotonic())
        return args.time is None or opened[-1] - opened[0] < args.time

    try:
        for row in pool.run(order, more):
            if other is not None:
                row = compare.with_other(suite, row, other)
                if sum(len(data) for _, _, data in row.outputs) > 4 * KEEP // 3 + 4:
                    row.outputs = []
            row = known.apply(row, issues, pool.about)
            rows[row.case.index] = row
            if row.status in BAD:
                bad += 1
                bar.end()
                if bad <= 20:
                    # The reader of stdout may have closed it; the files must be written anyway.
                    with contextlib.suppress(OSError):
                        _tell(row, device, args)
                elif bad == 21:
                    print("(more are in the files of --json, --junit, --markdown and --html)")
            bar.show(len(rows), bad, row.case.op)
    except StartError as e:
        if not rows:
            raise
        for i in order:
            rows.setdefault(i, Row(cases[i], "MISSED", f"the device was lost: {e}"))
    bar.end()
    if not rows:
        raise ValueError(
            f"no case was run in {args.time:g} s; give more --time"
            if args.time is not None
            else "no case ran"
        )
    head = {
        "format": report.FORMAT,
        **evidence.host(),
        **pool.about,
        "seed": args.seed,
        "against": args.against,
        "chosen": args.k,
        "seconds": round(time.monotonic() - start, 1),
        "not_begun": len(order) - len(rows),
    }
    done = report.Results(head, [rows[i] for i in sorted(rows)])
    done.cells(cases)
    return done


def _devices(text: str) -> list[str]:
    devices = [d.strip() for d in text.split(",")]
    if not all(devices) or len(set(devices)) < len(devices):
        raise ValueError(f"--device {text!r}: devices such as rocm:0,cpu, each once")
    for device in devices:
        if device != "cpu" and not is_device(device):
            raise ValueError(
                f"--device {device}: no such device; they are cpu, rocm:0 and cuda:0, with other numbers"
            )
    return devices


def _check(args: argparse.Namespace, devices: Sequence[str]) -> None:
    """Check before the run that files can be written and values are in range."""
    if not 0 <= args.seed < 1 << 64:
        raise ValueError(f"--seed {args.seed}: from 0 to 2^64 - 1")
    _jobs(args.jobs, devices)
    paths = [p for p in (args.json, args.summary, args.junit, args.markdown, args.html) if p is not None]
    kept = [p.resolve() for p in paths if p != Path(os.devnull)]
    if len(set(kept)) < len(kept):
        raise ValueError("two reports have the same file")
    for path in paths:
        for device in devices:
            named = _named(path, device, len(devices) > 1)
            there = named.exists()
            with named.open("a"):
                pass
            if not there:
                named.unlink()


def _named(path: Path, device: str, several: bool) -> Path:
    return path.with_name(f"{path.stem}-{device.replace(':', '-')}{path.suffix}") if several else path


def _write(done: report.Results, device: str, several: bool, args: argparse.Namespace) -> None:
    for path, write in (
        (args.json, report.json_file),
        (args.summary, report.summary_file),
        (args.junit, report.junit_file),
        (args.markdown, report.markdown_file),
        (args.html, report.html_file),
    ):
        if path is not None:
            write(done, _named(path, device, several))


def run(args: argparse.Namespace) -> int:
    """Run the command; returns the exit status."""
    try:
        if args.what:
            if unused := [f"--{k}" for k in ("json", "summary", "junit", "html") if getattr(args, k)]:
                raise ValueError(f"compare writes --markdown only, not {' or '.join(unused)}")
            return compare.command(args.what, args.markdown)
        devices = _devices(args.device)
        _check(args, devices)
        issues = known.read(known.OWN) + (known.read(args.known) if args.known else [])
        suite = _native._Parity(args.seed)
        failed = False
        for device in devices:
            with Stop() as stop:
                done = one(device, suite, args, issues, stop)
            _write(done, device, len(devices) > 1, args)
            print(report.text(done))
            if stop.asked:
                print(
                    f"rushlight parity: stopped by {stop.asked}; the files tell of what ran", file=sys.stderr
                )
                return 130
            failed |= done.bad() > 0
    except (ValueError, OSError, StartError) as e:
        print(f"rushlight parity: {e}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("rushlight parity: stopped", file=sys.stderr)
        return 130
    return 1 if failed else 0


def main(argv: Sequence[str]) -> int:
    """Run `rushlight parity` with the given arguments (for tests)."""
    parser = argparse.ArgumentParser(prog="rushlight parity")
    arguments(parser)
    return run(parser.parse_args(argv))


__all__ = ["Case", "arguments", "main", "run"]
