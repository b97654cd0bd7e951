"""The command ``rushlight``."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import sys
import time
from collections.abc import Sequence
from typing import Any

import rushlight as rl

from . import _doctor as doctor
from . import _native
from ._parity import command as parity

__all__ = ["info", "main"]


def info() -> dict[str, Any]:
    """Returns version, devices and findings about the machine: the data of ``rushlight info --json``.

    Returns
    -------
    dict
        By name.

    Examples
    --------
    >>> from rushlight.cli import info
    >>> info()["rushlight"]  # doctest: +SKIP
    '0.1.0'
    """
    found = doctor.examine(["libraries"], 2 * doctor.LIMIT)
    for finding in found["findings"]:
        if finding["level"] == "late":
            print(f"rushlight info: {finding['text']}; {finding['do']}", file=sys.stderr)
    for problem in _native._settings_problems():
        print(f"rushlight info: {problem}", file=sys.stderr)
    return {
        "rushlight": rl.__version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "machine": platform.machine(),
        "threads": rl.get_num_threads(),
        "cpu_isa": _native._cpu_isa(),
        "devices": found["devices"],
        "kernel_archives": _native._kernel_archives(),
    }


def _list(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def warm(device: str, ops: Sequence[str], dtypes: Sequence[str]) -> int:
    """Compile the kernels of ops and dtypes (none: all) ahead of time, with progress on stderr.

    Returns the exit status.
    """
    start = time.monotonic()
    shown = start
    live = sys.stderr.isatty()

    def told(done: int, total: int, step: str, compiled: int) -> None:
        nonlocal shown
        now = time.monotonic()
        if now - shown < (0.1 if live else 5) and done < total:
            return
        shown = now
        text = f"{done} of {total} steps, {compiled} kernel files compiled, {now - start:.0f} s: {step}"
        print(
            f"\r\x1b[K{text[:100]}" if live else text, end="" if live else "\n", file=sys.stderr, flush=True
        )

    try:
        kind = "cuda" if device.startswith("cuda") else "rocm"
        gpu = rl.cuda if kind == "cuda" else rl.rocm
        name = gpu.device_name(device)
        done = rl._native._gpu_warm(kind, gpu._gpus.index(device), list(ops), list(dtypes), told)
    except (rl.DeviceError, ValueError, TypeError) as e:
        print(f"rushlight warm: {e}", file=sys.stderr)
        return 1
    if live:
        print(file=sys.stderr)
    for failure in done["failed"]:
        print(f"rushlight warm: {failure}", file=sys.stderr)
    seconds = time.monotonic() - start
    count = f"{done['steps']} steps, {done['compiled']} kernel files compiled in {seconds:.0f} s"
    print(f"{device} ({name}): {count}, kept in {done['folder']}")
    return 1 if done["failed"] else 0


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not value > 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return value


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command ``rushlight``.

    Parameters
    ----------
    argv
        The arguments; those of the process by default.

    Returns
    -------
    int
        The exit status.

    Examples
    --------
    >>> from rushlight.cli import main
    >>> main(["warm", "--help"])  # doctest: +SKIP
    """
    try:
        status = _run(argv)
        sys.stdout.flush()
    except OSError as e:
        # Python would flush stdout again when it ends.
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print(f"rushlight: {e}", file=sys.stderr)
        return 1
    return status


def _run(argv: Sequence[str] | None) -> int:
    parser = argparse.ArgumentParser(
        prog="rushlight", description="Rushlight, a tensor library for CPU and GPU."
    )
    parser.add_argument("--version", action="version", version=f"rushlight {rl.__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    about = commands.add_parser("info", help="version, devices and threads")
    about.add_argument("--json", action="store_true", help="print JSON")
    ahead = commands.add_parser(
        "warm",
        help="compile kernels of a GPU ahead",
        description="Compile kernels of a GPU, which are else compiled when they are first used, and "
        "keep them on disk: those of float32, or of other dtypes, of every op or of some.",
    )
    ahead.add_argument("--device", default="rocm:0", help="the GPU (rocm:0)")
    ahead.add_argument(
        "--ops", type=_list, default=[], metavar="OP,..", help="only these, as docs/OPS.md names them"
    )
    which = ahead.add_mutually_exclusive_group()
    which.add_argument(
        "--dtypes", type=_list, default=["float32"], metavar="DTYPE,..", help="of these (float32)"
    )
    which.add_argument("--all", action="store_true", help="of every dtype")
    suite = commands.add_parser(
        "parity",
        help="tell whether a device gives right answers",
        description="Run the parity suite on devices, or compare two runs: rushlight parity compare A.json "
        "B.json. The exit status is 0 if every case passed, was skipped for a reason or is a known issue.",
    )
    parity.arguments(suite)
    checkup = commands.add_parser(
        "doctor",
        help="look at the machine's GPUs, drivers and libraries, and say what to do",
        description="Look at the machine's GPUs, drivers and libraries and run small checks on each device, "
        "each in its own process with a time limit. The exit status is 1 if something is wrong, "
        f"and {doctor.LATE} if nothing was found wrong but a probe did not end in its limit.",
    )
    checkup.add_argument("--json", action="store_true", help="print JSON")
    checkup.add_argument(
        "--limit", type=_seconds, default=doctor.LIMIT, metavar="SECONDS", help="of all probes (2)"
    )
    args = parser.parse_args(argv)
    if args.command == "parity":
        return parity.run(args)
    if args.command == "doctor":
        return doctor.command(args.json, args.limit)
    if args.command == "warm":
        return warm(args.device, args.ops, [] if args.all else args.dtypes)
    found = info()
    if args.json:
        print(json.dumps(found, indent=2))
    else:
        width = max(map(len, found))
        for key, value in found.items():
            text = ", ".join(value) or "none" if isinstance(value, list) else value
            print(f"{key:<{width}}  {text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
