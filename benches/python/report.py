"""Run all benches of this folder and write docs/PERFORMANCE.md with a plot: `make bench`.

    python benches/python/report.py [--rounds N] [--short] [--write]

Every row is timed with one thread and with all of them. `--short` takes small tensors and one round, to see
that the benches run; `--write` writes the page.
"""

import argparse
import datetime
import io
import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import activations
import attention
import cpu
import fft
import linalg
import losses
import movement
import norm
import numpy as np
import optim
import products
import recurrent
import sampling
import sparse
import timing
import training

import rushlight as rl

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "PERFORMANCE.md"
PLOT = ROOT / "docs" / "performance.svg"

GROUPS: dict[str, Callable[[argparse.Namespace], timing.Sides]] = {
    "Elementwise ops, casts and reductions": cpu.sides,
    "Activations and their gradients": activations.sides,
    "Losses and their gradients": losses.sides,
    "Movement of elements, indexing, sorting": movement.sides,
    "Normalizations": norm.sides,
    "Attention": attention.sides,
    "Recurrent layers": recurrent.sides,
    "Padding, resizing, windows, sampling": sampling.sides,
    "Sparse products": sparse.sides,
    "Fourier transforms": fft.sides,
    "Matrix products and convolutions": products.sides,
    "Factorizations of matrices": linalg.sides,
    "Steps of optimizers": optim.sides,
    "Steps of training": training.sides,
}
# The names of the other libraries, in the order of the columns.
PEERS = {"torch": "PyTorch", "numpy": "NumPy"}

# Rows whose ratio to PyTorch's time is larger are listed by name.
LISTED = 1.2

# Rows of a group by the number of threads.
Found = dict[str, dict[int, list[timing.Row]]]


def limits(threads: int) -> dict[str, float]:
    """Return what the machine can do: GB/s of a copy, and GFLOP/s of a product of f32 and f64 matrices."""
    source = np.ones(1 << 25)
    target = np.empty_like(source)
    copy = "copy of 256 MB (read and written), GB/s"
    work = {copy: 2e-9 * source.nbytes}
    calls: dict[str, timing.Call] = {copy: lambda: np.copyto(target, source)}
    torch = timing.torch_or_none()
    for dtype in ("float32", "float64"):
        a = np.ones((2048, 2048), dtype)
        sides = {"Rushlight": rl.asarray(a)} | ({"PyTorch": torch.from_numpy(a)} if torch else {})
        for library, matrix in sides.items():
            name = f"product of 2048 x 2048, {dtype}, {library}, GFLOP/s"
            work[name] = 2e-9 * 2048**3
            calls[name] = lambda m=matrix: m @ m
    return {
        row.name: work[row.name] / row.times[timing.OURS].low
        for row in timing.rows({timing.OURS: calls}, threads, 5, [])
    }


def machine() -> list[str]:
    """Return lines on the machine and the libraries."""
    cpus = re.findall(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    libraries = [f"Rushlight {rl.__version__} ({commit.stdout.strip()})", f"NumPy {np.__version__}"]
    if torch := timing.torch_or_none():
        libraries.append(f"PyTorch {torch.__version__}")
    return [
        f"- {len(cpus)} cores of {cpus[0] if cpus else platform.machine()}, {platform.system()}",
        f"- {', '.join(libraries)}, Python {platform.python_version()}",
        f"- {datetime.datetime.now(datetime.UTC):%Y-%m-%d}",
    ]


def ratios(found: Found, side: str, threads: int) -> list[tuple[float, str]]:
    """Return the ratios of our time to a library's, with the names of the rows, the largest first."""
    rows = [row for group in found.values() for row in group[threads]]
    return sorted(((r, row.name) for row in rows if (r := row.ratio(side)) is not None), reverse=True)


def summary(found: Found) -> list[str]:
    """Return the table of geometric means and the rows that are much slower than PyTorch's."""
    lines = [
        "| beside | threads | rows | geometric mean | rows above 1.0 | largest |",
        "|---|---|---|---|---|---|",
    ]
    threads = sorted({n for group in found.values() for n in group})
    for side, name in PEERS.items():
        for n in threads:
            if all_of := ratios(found, side, n):
                mean = timing.geometric_mean([r for r, _ in all_of])
                above = sum(r > 1.0 for r, _ in all_of)
                lines.append(f"| {name} | {n} | {len(all_of)} | {mean:.2f} | {above} | {all_of[0][0]:.2f} |")
    for n in threads if timing.torch_or_none() else []:
        slower = [f"{name} {r:.2f}" for r, name in ratios(found, "torch", n) if r > LISTED]
        text = ", ".join(slower) if slower else "none"
        lines += ["", f"Above {LISTED} times PyTorch's time with {n} thread{'s' if n > 1 else ''}: {text}."]
    return lines


def tables(found: Found) -> list[str]:
    """Return a table for each group: our time in microseconds with its quartiles, and the ratios."""
    lines: list[str] = []
    for title, by_threads in found.items():
        threads = sorted(by_threads)
        sides = [s for s in PEERS if any(s in row.times for rows in by_threads.values() for row in rows)]
        heads = [f"{n} thread{'s' if n > 1 else ''}, us | quartiles" for n in threads]
        for n in threads:
            heads += [f"/ {PEERS[s]}, {n}" for s in sides]
        lines += ["", f"## {title}", "", f"| | {' | '.join(heads)} |"]
        lines.append("|---" * (1 + len(threads) * (2 + len(sides))) + "|")
        for rows in zip(*(by_threads[n] for n in threads), strict=True):
            cells = [rows[0].name]
            for row in rows:
                own = row.times[timing.OURS]
                cells += [f"{own.median * 1e6:.1f}", f"{own.low * 1e6:.1f} to {own.high * 1e6:.1f}"]
            for row in rows:
                of = [row.ratio(side) for side in sides]
                cells += ["" if r is None else f"{r:.2f}" for r in of]
            lines.append(f"| {' | '.join(cells)} |")
    return lines


def plot(found: Found) -> str:
    """Return a picture of the ratios to PyTorch's time, a point for each row, as SVG."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "rushlight"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(9, 4))
    for n in sorted({n for group in found.values() for n in group}):
        points = [r for r, _ in ratios(found, "torch", n)]
        axes.plot(range(len(points)), points, ".", label=f"{n} thread{'s' if n > 1 else ''}")
    axes.axhline(1.0, color="black", linewidth=0.8)
    axes.set(yscale="log", xlabel="rows, the slowest first", ylabel="time / PyTorch's time")
    axes.legend()
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None}, bbox_inches="tight")
    return re.sub(r"[ \t]+$", "", text.getvalue(), flags=re.M)


HEAD = """\
# Performance on the CPU

`make bench` times Rushlight beside PyTorch and NumPy in one run and writes this page. Each number is the
median of {rounds} rounds, in which the libraries take turns; the quartiles show the spread. With one thread
it is processor time, with more it is wall time. A ratio is our time divided by the other library's: below 1
Rushlight is faster.{note}

{machine}

![Ratios to PyTorch's time](performance.svg)

## Summary

{summary}

## Limits of the machine

Measured in the same run: no op that reads and writes memory is faster than the copy, and products of matrices
show how many multiplications and additions the cores reach.

"""


def page(found: Found, limit: dict[int, dict[str, float]], rounds: int, note: str) -> str:
    """Return docs/PERFORMANCE.md."""
    text = f" {note}" if note else ""
    head = HEAD.format(
        rounds=rounds, note=text, machine="\n".join(machine()), summary="\n".join(summary(found))
    )
    counts = ["1 thread" if n == 1 else f"{n} threads" for n in limit]
    lines = [f"| | {' | '.join(counts)} |", "|---" * (1 + len(limit)) + "|"]
    for name in next(iter(limit.values())):
        lines.append(f"| {name} | {' | '.join(f'{of[name]:.1f}' for of in limit.values())} |")
    return head + "\n".join([*lines, *tables(found)]) + "\n"


def main() -> None:
    """Run the benches and print or write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--note", default="", help="a sentence on this run for the page")
    given = parser.parse_args()
    rounds = 1 if given.short else given.rounds
    options = timing.parser(None).parse_args(["--size", str(1 << (12 if given.short else 20))])
    threads = sorted({1, os.cpu_count() or 1})
    limit = {}
    found: Found = {}
    for n in threads:
        timing.prepare(n)
        limit[n] = limits(n)
    for title, sides in GROUPS.items():
        calls = sides(options)
        found[title] = {}
        for n in threads:
            timing.prepare(n)
            found[title][n] = list(timing.rows(calls, n, rounds, []))
        print(f"{title}: {len(calls[timing.OURS])} rows", file=sys.stderr, flush=True)
    text = page(found, limit, rounds, given.note)
    if given.write:
        PAGE.write_text(text)
        PLOT.write_text(plot(found))
    else:
        print(text)


if __name__ == "__main__":
    main()
