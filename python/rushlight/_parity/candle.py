"""candle-core's results for the suite's cases: a program of a checkout writes them to a result file."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

MANIFEST = Path("benches", "peers", "Cargo.toml")


def command(seed: int, part: str, to: Path) -> list[str]:
    """Return the command that writes the file."""
    run = [
        "cargo",
        "run",
        "--release",
        "--quiet",
        "--locked",
        "--manifest-path",
        str(MANIFEST),
        "--bin",
        "candle",
    ]
    return [*run, "--", "--seed", str(seed), *(["-k", part] if part else []), "--out", str(to)]


def results(seed: int, part: str, to: Path) -> Path:
    """Build the program with cargo in this checkout and run it; returns the result file."""
    missing = ""
    if not MANIFEST.is_file():
        missing = f"this folder is not a checkout of Rushlight ({MANIFEST} is missing)"
    elif shutil.which("cargo") is None:
        missing = "there is no cargo, which builds it (https://rustup.rs)"
    if missing:
        again = " ".join(command(seed, "", Path("candle.json")))
        raise ValueError(
            f"--against candle: candle-core is a Rust library, and {missing}; "
            f"run in a checkout, on any machine: {again}; "
            "then --against candle.json (and candle.values.gz beside it) here"
        )
    done = subprocess.run(command(seed, part, to), stdout=subprocess.DEVNULL, check=False)
    if done.returncode:
        raise ValueError(
            f"--against candle: {' '.join(command(seed, part, to))} ended with status {done.returncode}"
        )
    return to
