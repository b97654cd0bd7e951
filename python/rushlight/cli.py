"""The command ``rushlight``."""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Sequence
from typing import Any

import rushlight as rl


def info() -> dict[str, Any]:
    """Version, devices and what was found of the machine, as `rushlight info --json` prints it."""
    return {
        "rushlight": rl.__version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "machine": platform.machine(),
        "threads": rl.get_num_threads(),
        "devices": [str(device) for device in rl.devices()],
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="rushlight", description="Rushlight, a tensor library for CPU and GPU."
    )
    parser.add_argument("--version", action="version", version=f"rushlight {rl.__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    about = commands.add_parser("info", help="version, devices and threads")
    about.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args(argv)
    found = info()
    if args.json:
        print(json.dumps(found, indent=2))
    else:
        width = max(map(len, found))
        for key, value in found.items():
            text = ", ".join(value) if isinstance(value, list) else value
            print(f"{key:<{width}}  {text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
