"""A worker process: runs the cases whose numbers come in on stdin, and prints a line of JSON for each.

A case that ends the process or hangs is then one row of the report, which the parent writes.
"""

from __future__ import annotations

import base64
import contextlib
import ctypes
import json
import os
import signal
import sys
import time
from typing import Any, TextIO

from .case import Case, Row, is_device

PR_SET_PDEATHSIG = 1
"""prctl(2): the signal that comes when the parent ends."""


def _fault(name: str) -> None:
    """Crash or hang to test the watchdog: ``RUSHLIGHT_PARITY_FAULT=crash:PART`` or ``hang:PART``."""
    kind, _, part = os.environ.get("RUSHLIGHT_PARITY_FAULT", "").partition(":")
    if part and part in name:
        if kind == "crash":
            os.abort()
        if kind == "hang":
            time.sleep(3600)


def _reference(suite: Any, case: Case, device: str, against: str) -> Row:
    from . import peers

    start = time.monotonic()
    values = peers.values(suite, case, against)
    if isinstance(values, str):
        return Row(case, "SKIP", f"no-reference: {values}")
    done = suite.judge_true(case.index, device, values)
    row = Row(case, "PASS" if done["good"] else "FAIL", done["reason"])
    row.max_ulp, row.mismatches = done["max_ulp"], done["mismatches"]
    row.ms = 1e3 * (time.monotonic() - start)
    return row


def _reference_device(name: str, device: Any) -> dict[str, Any]:
    """Open the device that results are compared with, and return its description."""
    from rushlight import _native

    from . import evidence

    try:
        reference = _native.Device(name)
    except _native.DeviceError as e:
        raise ValueError(f"--against {name}: {e}") from e
    if reference == device:
        raise ValueError(f"--against {name}: that is the device itself; name another one, or f64 or cpu")
    return evidence.device(str(reference))


def run(suite: Any, case: Case, device: str, against: str, keep: int) -> Row:
    """Run one case."""
    _fault(case.name)
    try:
        if against not in ("f64", "cpu") and not is_device(against):
            return _reference(suite, case, device, against)
        done = suite.run(case.index, device, against, keep)
    except Exception as e:
        # An exception of any kind is a failure of the case.
        return Row(case, "FAIL", f"{type(e).__name__}: {e}")
    row = Row(case, done["status"], done["reason"])
    row.hash, row.ms = done["hash"], done["ms"]
    row.max_ulp, row.cpu_ulp, row.mismatches = done["max_ulp"], done["cpu_ulp"], done["mismatches"]
    outputs = done.get("outputs", ())
    row.outputs = [[dtype, list(dims), base64.b64encode(raw).decode()] for dtype, dims, raw in outputs]
    return row


def serve(source: TextIO, sink: TextIO, settings: dict[str, Any]) -> None:
    """Open the device, print its description, and run the cases asked for."""
    from rushlight import _native

    from . import evidence
    from .case import table

    def tell(value: Any) -> None:
        sink.write(json.dumps(value, separators=(",", ":")) + "\n")
        sink.flush()

    device, against = settings["device"], settings["against"]
    try:
        opened = _native.Device(device)
        about = evidence.device(device)
        if is_device(against):
            about["reference"] = _reference_device(against, opened)
    except Exception as e:
        tell({"error": f"{type(e).__name__}: {e}"})
        return
    suite = _native._Parity(settings["seed"])
    cases = table(suite)
    tell({"ready": about})
    for line in source:
        for index in json.loads(line):
            row = run(suite, cases[index], str(opened), against, settings["keep"])
            tell(row.pack())


def main() -> None:
    """Entry point; the settings are the first line of stdin."""
    # Output of libraries must not appear between the lines of JSON.
    sink = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    settings = json.loads(sys.stdin.readline())
    # If the parent is killed, it cannot end its workers, and a worker whose case hangs does not notice that
    # stdin was closed.
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL))
    serve(sys.stdin, sink, settings)


if __name__ == "__main__":
    main()
