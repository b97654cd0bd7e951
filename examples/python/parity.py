"""Asks the parity suite whether a device gives right answers, and reads the file of results.

The same on a command line: `rushlight parity --device rocm:0 -k softmax --json results.json`.
The argument is the device: the CPU by default, "rocm:0" for one's own AMD GPU.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path


def main(device: str = "cpu") -> None:
    """Run the cases of softmax, count the verdicts, and check that none is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.json"
        command = [sys.executable, "-m", "rushlight", "parity", "--device", device]
        command += ["-k", "softmax", "--time", "10s", "--json", str(results)]
        done = subprocess.run(command, capture_output=True, text=True)
        print(done.stdout, end="")
        assert done.returncode == 0, done.stdout + done.stderr
        found = json.loads(results.read_text())
    totals = found["totals"]
    print(f"{found['device']} ({found['name']}): {totals['PASS']} cases pass, {totals['FAIL']} fail")
    assert totals["PASS"] > 0
    assert totals["FAIL"] == 0


if __name__ == "__main__":
    main(*sys.argv[1:2])
