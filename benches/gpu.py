"""Time ops on a GPU, alternately with PyTorch on the same GPU and with both libraries on the CPU.

    .venv/bin/python benches/gpu.py [--device cuda:0] [--out folder] [--quick]

The device is the first available of "cuda:0" and "rocm:0". Each op is timed at several sizes: the median of
rounds; in each round every side runs until a millisecond is filled, and the host waits for it. Bandwidth is
given as a fraction of a device-to-device copy's, operations per second as a fraction of a square matrix
product's; the script measures both, and the host's time for one launch. The columns "times" are CPU time over
GPU time, for this library and for PyTorch. The column "asked" has the range to reach. An MLP and a CNN for
MNIST are trained for an epoch of random pictures, against PyTorch eager and compiled.

It prints a table, and writes results.json and chart.svg to the folder. Without PyTorch its columns are
empty; on the virtual GPU the numbers say nothing about hardware, and the table's head says so.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import rushlight as rl
from rushlight import functional as F
from rushlight import nn

ROUNDS = 15
LONG = 1e-3
# The speed-up over the CPU that the project TenfloweRS asks for, by family.
RANGES = {
    "elementwise": (5, 10),
    "reduction": (10, 50),
    "matmul": (50, 200),
    "normalisation": (10, 30),
    "pooling": (5, 15),
}
Call = Callable[[], object]


class Side:
    """A library on a device, with the function that waits for its calls."""

    def __init__(self, name: str, library: Any, device: str, wait: Callable[[], object]) -> None:
        self.name, self.library, self.device, self.wait = name, library, device, wait

    def array(self, values: Any) -> Any:
        """Copy a NumPy array to the device."""
        if self.library is rl:
            return rl.asarray(values).to(self.device)
        return self.library.from_numpy(values).to(self.device.replace("rocm", "cuda"))


def seconds(side: Side, call: Call, times: int) -> float:
    """Return the time per call, measured over several calls with one wait at the end."""
    start = time.perf_counter()
    for _ in range(times):
        call()
    side.wait()
    return (time.perf_counter() - start) / times


def in_turns(calls: list[tuple[Side, Call]], rounds: int) -> list[float]:
    """Return the median time of each call; the sides are timed alternately."""
    times = []
    for side, call in calls:
        # Each call runs twice before, so that compilations at the first call are not timed.
        seconds(side, call, 1)
        times.append(max(1, int(LONG / max(seconds(side, call, 1), 1e-7))))
    found: list[list[float]] = [[] for _ in calls]
    for _ in range(rounds):
        for i, (side, call) in enumerate(calls):
            found[i].append(seconds(side, call, times[i]))
    return [statistics.median(f) for f in found]


def issue(side: Side, call: Call) -> float:
    """Return the time until a call returns to the host, without the execution on the device."""
    side.wait()
    found = []
    for _ in range(200):
        start = time.perf_counter()
        call()
        found.append(time.perf_counter() - start)
    side.wait()
    return statistics.median(found)


def draw(*shape: int) -> Any:
    """Return random numbers, the same each time."""
    return np.random.default_rng(7).standard_normal(shape, dtype=np.float32)


# Name, family, sizes, the inputs of a size, the call of each library, and (bytes moved, operations) of a
# size.
def ops(quick: bool) -> list[tuple[str, str, list[int], Callable[[int], list[Any]], Any, Any, Any]]:
    """Return the ops that are timed."""
    import_torch = importlib.util.find_spec("torch") is not None
    tf: Any = None
    if import_torch:
        import torch.nn.functional

        tf = torch.nn.functional
    flat = [1 << 10, 1 << 16] if quick else [1 << 12, 1 << 18, 1 << 22, 1 << 25]
    rows = [64] if quick else [256, 1024, 4096]
    image = [4] if quick else [16, 64, 128]
    f4 = 4
    return [
        (
            "add",
            "elementwise",
            flat,
            lambda n: [draw(n), draw(n)],
            lambda a, b: a + b,
            None,
            lambda n: (3 * f4 * n, n),
        ),
        ("exp", "elementwise", flat, lambda n: [draw(n)], lambda a: a.exp(), None, lambda n: (2 * f4 * n, n)),
        ("gelu", "elementwise", flat, lambda n: [draw(n)], F.gelu, tf and tf.gelu, lambda n: (2 * f4 * n, n)),
        (
            "add, transposed",
            "elementwise",
            rows,
            lambda n: [draw(n, n), draw(n, n)],
            lambda a, b: a + b.T,
            None,
            lambda n: (3 * f4 * n * n, n * n),
        ),
        ("sum", "reduction", flat, lambda n: [draw(n)], lambda a: a.sum(), None, lambda n: (f4 * n, n)),
        (
            "sum of rows",
            "reduction",
            rows,
            lambda n: [draw(n, n)],
            lambda a: a.sum(dim=1),
            None,
            lambda n: (f4 * n * n, n * n),
        ),
        (
            "argmax of rows",
            "reduction",
            rows,
            lambda n: [draw(n, n)],
            lambda a: a.argmax(1),
            None,
            lambda n: (f4 * n * n, n * n),
        ),
        (
            "softmax",
            "normalisation",
            rows,
            lambda n: [draw(n, n)],
            lambda a: F.softmax(a, 1),
            tf and (lambda a: tf.softmax(a, 1)),
            lambda n: (2 * f4 * n * n, 4 * n * n),
        ),
        (
            "layer_norm",
            "normalisation",
            rows,
            lambda n: [draw(n, n), draw(n), draw(n)],
            lambda a, w, b: F.layer_norm(a, a.shape[1:], w, b),
            tf and (lambda a, w, b: tf.layer_norm(a, a.shape[1:], w, b)),
            lambda n: (2 * f4 * n * n, 8 * n * n),
        ),
        (
            "matmul",
            "matmul",
            rows,
            lambda n: [draw(n, n), draw(n, n)],
            lambda a, b: a @ b,
            None,
            lambda n: (3 * f4 * n * n, 2 * n**3),
        ),
        (
            "conv2d 3x3",
            "matmul",
            image,
            lambda n: [draw(n, 32, 32, 32), draw(32, 32, 3, 3)],
            lambda x, w: F.conv2d(x, w, padding=1),
            tf and (lambda x, w: tf.conv2d(x, w, padding=1)),
            lambda n: (2 * f4 * n * 32 * 1024, 2 * n * 1024 * 32 * 32 * 9),
        ),
        (
            "max_pool2d",
            "pooling",
            image,
            lambda n: [draw(n, 32, 32, 32)],
            lambda x: F.max_pool2d(x, 2),
            tf and (lambda x: tf.max_pool2d(x, 2)),
            lambda n: (5 * f4 * n * 32 * 256, 4 * n * 32 * 256),
        ),
    ]


def mlp(side: Side, hidden: int = 128) -> Any:
    """Return the MLP on a side."""
    m = nn if side.library is rl else side.library.nn
    model = m.Sequential(m.Linear(784, hidden), m.ReLU(), m.Linear(hidden, 10))
    return model.to(side.device if side.library is rl else side.device.replace("rocm", "cuda"))


def cnn(side: Side) -> Any:
    """Return the CNN on a side."""
    m = nn if side.library is rl else side.library.nn
    model = m.Sequential(
        m.Conv2d(1, 8, 3),
        m.ReLU(),
        m.MaxPool2d(2),
        m.Conv2d(8, 16, 3),
        m.ReLU(),
        m.MaxPool2d(2),
        m.Flatten(),
        m.Linear(400, 10),
    )
    return model.to(side.device if side.library is rl else side.device.replace("rocm", "cuda"))


def epoch(side: Side, model: Any, images: Any, labels: Any, compiled: bool = False) -> float:
    """Return the seconds of the second epoch, batches of 64."""
    if side.library is rl:
        optimizer: Any = rl.optim.SGD(model.parameters(), lr=0.05)
        loss: Any = F.cross_entropy
    else:
        optimizer = side.library.optim.SGD(model.parameters(), lr=0.05)
        loss = side.library.nn.functional.cross_entropy
        model = side.library.compile(model) if compiled else model
    x, y = side.array(images), side.array(labels)
    took = 0.0
    for _ in range(2):
        side.wait()
        start = time.perf_counter()
        for i in range(0, len(images) - 63, 64):
            optimizer.zero_grad()
            loss(model(x[i : i + 64]), y[i : i + 64]).backward()
            optimizer.step()
        side.wait()
        took = time.perf_counter() - start
    return took


def the_device(asked: str | None) -> str | None:
    """Return the device to measure, or None where it is not available."""
    for name, module in (("cuda:0", rl.cuda), ("rocm:0", rl.rocm)):
        if asked in (None, name) and module.is_available():
            return name
    return None


def sides(device: str) -> list[Side]:
    """Return this library and PyTorch on the GPU, then both on the CPU."""
    wait = (rl.cuda if device.startswith("cuda") else rl.rocm).synchronize
    all_sides = [Side("rushlight", rl, device, wait)]
    cpu = [Side("rushlight CPU", rl, "cpu", lambda: None)]
    if importlib.util.find_spec("torch") is not None:
        import torch

        hip = torch.version.hip is not None
        if torch.cuda.is_available() and hip == device.startswith("rocm"):
            all_sides.append(Side("torch", torch, device, torch.cuda.synchronize))
        cpu.append(Side("torch CPU", torch, "cpu", lambda: None))
    return all_sides + cpu


def measure(device: str, quick: bool) -> dict[str, Any]:
    """Time everything."""
    there = sides(device)
    ours, rounds = there[0], 3 if quick else ROUNDS
    info = (rl.cuda if device.startswith("cuda") else rl.rocm).get_device_properties(device)
    # Measures the device's limits: a copy that is larger than any cache, and the largest product.
    big = ours.array(draw(1 << (16 if quick else 26)))
    (took,) = in_turns([(ours, lambda: rl.asarray(big, copy=True))], rounds)
    copy = 2 * 4 * big.size / took
    square = ours.array(draw(64, 64) if quick else draw(4096, 4096))
    (took,) = in_turns([(ours, lambda: square @ square)], rounds)
    gemm = 2 * square.shape[0] ** 3 / took
    rows = []
    for name, family, sizes, inputs, call, other, cost in ops(quick):
        for n in sizes:
            calls = []
            for side in there:
                arrays = [side.array(a) for a in inputs(n)]
                f = call if side.library is rl or other is None else other
                calls.append((side, lambda f=f, arrays=arrays: f(*arrays)))
            found = dict(zip([s.name for s in there], in_turns(calls, rounds), strict=True))
            moved, work = cost(n)
            gpu = found["rushlight"]
            row: dict[str, Any] = {"op": name, "family": family, "size": n, "seconds": found}
            row["bandwidth"], row["of_copy"] = moved / gpu, moved / gpu / copy
            row["flops"], row["of_gemm"] = work / gpu, work / gpu / gemm
            row["issue"] = {s.name: issue(s, c) for s, c in calls if s.device == device}
            row["times_cpu"] = found["rushlight CPU"] / gpu
            row["times_torch_cpu"] = found["torch CPU"] / gpu if "torch CPU" in found else None
            rows.append(row)
    images = draw(256 if quick else 4096, 784)
    labels = np.random.default_rng(1).integers(0, 10, len(images))
    epochs: dict[str, dict[str, float]] = {"MLP": {}, "CNN": {}}
    for side in there:
        epochs["MLP"][side.name] = epoch(side, mlp(side), images, labels)
        epochs["CNN"][side.name] = epoch(side, cnn(side), images.reshape(-1, 1, 28, 28), labels)
        if side.name == "torch":
            epochs["MLP"]["torch, compiled"] = epoch(side, mlp(side), images, labels, True)
            picture = images.reshape(-1, 1, 28, 28)
            epochs["CNN"]["torch, compiled"] = epoch(side, cnn(side), picture, labels, True)
    head = {"device": device, "date": time.strftime("%Y-%m-%d"), "rushlight": rl.__version__, **info}
    return {"head": head, "copy": copy, "gemm": gemm, "rows": rows, "epochs": epochs}


def show(found: dict[str, Any]) -> None:
    """Print the tables."""
    head = found["head"]
    print(f"{head['device']}: {head['name']} ({head['arch']}), {head['runtime']}, {head['date']}")
    if "virtual" in head["name"] or "pretended" in head["name"]:
        print("This is not hardware: the numbers say nothing about a GPU.")
    print(f"copy {found['copy'] / 1e9:.1f} GB/s, product {found['gemm'] / 1e12:.3f} TFLOP/s\n")
    print(
        "| op | size | us | torch us | GB/s (of copy) | GFLOP/s (of product) | issue us | torch's "
        "| times CPU | times torch CPU | asked |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|")

    def number(v: float | None, scale: float = 1.0, digits: int = 1) -> str:
        return "" if v is None else f"{v * scale:.{digits}f}"

    for r in found["rows"]:
        s, i = r["seconds"], r["issue"]
        low, high = RANGES[r["family"]]
        print(
            f"| {r['op']} | {r['size']} | {number(s['rushlight'], 1e6)} | {number(s.get('torch'), 1e6)} "
            f"| {number(r['bandwidth'], 1e-9)} ({r['of_copy']:.0%}) "
            f"| {number(r['flops'], 1e-9)} ({r['of_gemm']:.0%}) "
            f"| {number(i['rushlight'], 1e6, 2)} | {number(i.get('torch'), 1e6, 2)} "
            f"| {number(r['times_cpu'])} | {number(r['times_torch_cpu'])} | {low}-{high} |"
        )
    print("\n| epoch | " + " | ".join(found["epochs"]["MLP"]) + " |")
    print("|---|" + "---|" * len(found["epochs"]["MLP"]))
    for name, times in found["epochs"].items():
        print(f"| {name} | " + " | ".join(f"{t:.3f} s" for t in times.values()) + " |")


def chart(found: dict[str, Any], path: Path) -> None:
    """Draw how many times faster than the CPU each op is at its largest size, with the range asked for."""
    last = {r["op"]: r for r in found["rows"]}
    wide, high, left = 640, 26 * len(last) + 40, 150
    most = max(200.0, *(r["times_cpu"] for r in last.values()))

    def x(v: float) -> float:
        return left + (wide - left - 20) * (np.log10(max(v, 0.1)) + 1) / (np.log10(most) + 1)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" '
        'font-family="sans-serif" font-size="12">'
    ]
    parts.append(f'<text x="8" y="16">times its CPU path, largest size: {found["head"]["name"]}</text>')
    for i, (name, r) in enumerate(last.items()):
        y, (low, up) = 30 + 26 * i, RANGES[r["family"]]
        parts.append(f'<text x="8" y="{y + 14}">{name}</text>')
        parts.append(f'<rect x="{x(low):.0f}" y="{y}" width="{x(up) - x(low):.0f}" height="20" fill="#ddd"/>')
        parts.append(
            f'<rect x="{left}" y="{y + 5}" width="{x(r["times_cpu"]) - left:.0f}" height="10" fill="#36c"/>'
        )
        parts.append(f'<text x="{x(r["times_cpu"]) + 4:.0f}" y="{y + 14}">{r["times_cpu"]:.1f}</text>')
    path.write_text("\n".join([*parts, "</svg>", ""]))


def main() -> int:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", help="cuda:0 or rocm:0 (default: the first available)")
    parser.add_argument("--out", type=Path, default=Path("out/bench-gpu"), help="where results are written")
    parser.add_argument("--quick", action="store_true", help="small sizes and few rounds: whether it works")
    args = parser.parse_args()
    device = the_device(args.device)
    if device is None:
        wanted = f"{args.device} is not" if args.device else "neither cuda:0 nor rocm:0 is"
        print(f"no GPU: {wanted} there", file=sys.stderr)
        return 1
    found = measure(device, args.quick)
    show(found)
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / "results.json").write_text(json.dumps(found, indent=1) + "\n")
    chart(found, args.out / "chart.svg")
    print(f"\nwrote {args.out}/results.json and chart.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
