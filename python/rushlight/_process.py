"""Processes of this package: workers of the parity suite and probes of the doctor."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys


def start(*arguments: str, stdin: int) -> subprocess.Popen[bytes]:
    """Start ``python -m`` with these arguments, in its own process group: its children end with it."""
    return subprocess.Popen(
        [sys.executable, "-m", *arguments],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def end(process: subprocess.Popen[bytes]) -> None:
    """End the process and its children."""
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(OSError):
        process.kill()
    process.wait()


def cause(code: int) -> str:
    """Return in words how a process ended, from its return code."""
    if code < 0:
        try:
            return f"ended by {signal.Signals(-code).name}"
        except ValueError:
            return f"ended by signal {-code}"
    return f"ended with status {code}"
