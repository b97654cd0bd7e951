"""Runs a program with a library. The file's text stays the same except for its imports.

``python harness.py torch`` writes the results of PyTorch into results.json.
"""

from __future__ import annotations

import json
import linecache
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.json"
OTHER = ("material", "harness")
PROGRAMS = sorted(path.stem for path in HERE.glob("*.py") if path.stem not in OTHER)

# How far a number may be from PyTorch's, relative to the largest of its list. In float32 training,
# differences in the order of sums accumulate, so later losses differ more than the first.
BOUND = 2e-4


def text(name: str, library: str) -> str:
    """The program's text for a library."""
    source = (HERE / f"{name}.py").read_text(encoding="utf-8")
    if library == "torch":
        return source
    source = re.sub(r"^import torch$", f"import {library} as torch", source, flags=re.M)
    return re.sub(r"^(import|from) torch\b", rf"\1 {library}", source, flags=re.M)


def run(name: str, library: str, device: str = "cpu", steps: int | None = None) -> dict[str, Any]:
    """The results of a program's `main`, run with a library on a device."""
    if str(HERE) not in sys.path:
        sys.path.insert(0, str(HERE))
    source, file = text(name, library), f"{HERE / name}.py [{library}]"
    # Registers the changed text, so that tracebacks show the lines that ran.
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    space: dict[str, Any] = {"__name__": f"program_{name}", "__file__": str(HERE / f"{name}.py")}
    exec(compile(source, file, "exec"), space)
    more = {} if steps is None else {"steps": steps}
    result: dict[str, Any] = space["main"](device=device, **more)
    return result


def flat(values: Any) -> list[float]:
    """The numbers of nested lists."""
    return [v for part in values for v in flat(part)] if isinstance(values, list) else [values]


def differences(got: dict[str, Any], want: dict[str, Any], bound: float = BOUND) -> list[str]:
    """How results differ by more than a bound; whole numbers are to be equal."""
    found = [] if list(got) == list(want) else [f"results {list(got)}, not {list(want)}"]
    for key in set(got) & set(want):
        a, b = flat(got[key]), flat(want[key])
        if len(a) != len(b):
            found.append(f"{key}: {len(a)} numbers, not {len(b)}")
            continue
        scale = max((abs(v) for v in b), default=0.0)
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            exact = isinstance(y, int)
            # The condition is written so that NaN counts as a difference.
            if not (x == y if exact else abs(x - y) <= bound * max(scale, 1e-6)):
                found.append(f"{key}[{i}]: {x}, not {y}")
    return sorted(found)


def main(names: Sequence[str]) -> None:
    """Writes PyTorch's results of these programs, or of all."""
    import torch

    torch.set_num_threads(1)
    old = json.loads(RESULTS.read_text())["programs"] if RESULTS.exists() else {}
    results = {**old, **{name: run(name, "torch") for name in names or PROGRAMS}}
    lines = [f"{json.dumps(name)}: {json.dumps(results[name])}" for name in sorted(results)]
    version = json.dumps(torch.__version__.split("+")[0])
    RESULTS.write_text(f'{{"torch": {version}, "programs": {{\n' + ",\n".join(lines) + "\n}}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
