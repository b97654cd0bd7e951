"""Trains a vision transformer or a ResNet on MNIST's digits.

Writes a folder as model hubs have it. `make data` brings the 5,000 digits, of which 1,000 are held out.

    python train_vision.py vit --out vit
    python train_vision.py resnet18 --out resnet --device rocm:0
    python classify.py vit
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import vit
from hub import Model, save_folder
from images import Preprocessing, batches, digits, shifted

import resnet
import rushlight as rl
from rushlight import functional as F
from rushlight import nn, optim
from rushlight.data import Split, mnist_5k

ASSETS = Path(os.environ.get("RUSHLIGHT_ASSETS") or Path(__file__).resolve().parents[3] / ".cache" / "assets")
# MNIST's mean and standard deviation.
VIT = Preprocessing(28, (0.1307,), (0.3081,))
RESNET = Preprocessing(32, (0.1307,) * 3, (0.3081,) * 3)


def train(
    model: Model,
    preprocessing: Preprocessing,
    data: Split,
    epochs: int,
    batch: int = 64,
    lr: float = 2e-3,
    seed: int = 0,
    report: bool = True,
) -> list[float]:
    """Learn to classify digits, which are moved by up to two pixels. Return the losses.

    Random numbers are drawn on the CPU, so that a seed means the same batches on each device.
    """
    like = next(iter(model.parameters()))
    images, count = digits(data), len(data.labels)
    batch = min(batch, count)
    steps = epochs * (count // batch)
    optimizer = optim.AdamW(model.parameters(), lr=lr, weight_decay=0.05)
    schedule = optim.lr_scheduler.OneCycleLR(optimizer, lr, total_steps=steps)
    generator = rl.Generator().manual_seed(seed)
    losses, start = [], time.perf_counter()
    model.train()
    for epoch in range(epochs):
        for chosen in batches(count, batch, generator):
            pixels = preprocessing(shifted(images[chosen], 2, generator)).to(like.device).to(like.dtype)
            labels = data.labels[chosen].to(like.device)
            loss = F.cross_entropy(model(pixels), labels, label_smoothing=0.05)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            losses.append(loss.item())
        if report:
            recent = sum(losses[-(count // batch) :]) / (count // batch)
            rate = (epoch + 1) * count / (time.perf_counter() - start)
            print(f"epoch {epoch:3}  loss {recent:.4f}  {rate:,.0f} images/s", flush=True)
    return losses


def predict(model: Model, preprocessing: Preprocessing, images: rl.Tensor, batch: int = 100) -> rl.Tensor:
    """Compute the logits of images `(n, C, H, W)` with numbers in 0..1: float32 on the CPU."""
    like, found = next(iter(model.parameters())), []
    model.eval()
    with rl.no_grad():
        for start in range(0, images.shape[0], batch):
            pixels = preprocessing(images[start : start + batch]).to(like.device).to(like.dtype)
            found.append(model(pixels).to("cpu").to(rl.float32))
    return rl.concat(found)


def accuracy(logits: rl.Tensor, labels: rl.Tensor) -> float:
    """Return the share of images whose greatest logit is that of their label."""
    return float((logits.argmax(1) == labels).to(rl.float64).mean().item())


def positive(text: str) -> int:
    """Read a number of the command line that is at least 1."""
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("model", choices=["vit", *resnet.ARCHITECTURES])
    parser.add_argument("--out", type=Path, required=True, help="the folder to write")
    parser.add_argument("--data", type=Path, default=ASSETS, help="where `make data` put MNIST's digits")
    parser.add_argument("--device", default="cpu", help="cpu, rocm:0 or cuda:0")
    parser.add_argument("--epochs", type=positive, help="15 for vit, else 3")
    parser.add_argument("--batch", type=positive, default=64, help="images of a step")
    parser.add_argument("--images", type=positive, default=4000, help="images to learn from, at most 4000")
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--width", type=int, default=64, help="hidden size of vit")
    parser.add_argument("--layers", type=int, default=4, help="layers of vit")
    return parser.parse_args()


def main() -> None:
    """Train a model, see how it does on held-out digits, and write it."""
    args = arguments()
    rl.manual_seed(args.seed)
    data = mnist_5k(args.data)
    args.images = min(args.images, len(data.train.labels))
    model: Model
    if args.model == "vit":
        config = vit.Config(
            hidden_size=args.width,
            intermediate_size=2 * args.width,
            num_hidden_layers=args.layers,
            # Small models learn sooner from larger weights than the paper's.
            initializer_range=args.width**-0.5,
        )
        model = vit.Vit(config)
        preprocessing, epochs = VIT, 15
    else:
        model = resnet.ResNet(resnet.Config(args.model))
        preprocessing, epochs = RESNET, 3
    model = model.to(args.device)
    count = sum(p.numel() for p in model.parameters())
    print(f"{args.images:,} images, {count:,} parameters, {args.device}")
    learned = Split(data.train.images[: args.images], data.train.labels[: args.images])
    train(model, preprocessing, learned, args.epochs or epochs, args.batch, args.lr, args.seed)
    share = accuracy(predict(model, preprocessing, digits(data.test)), data.test.labels)
    print(f"{100 * share:.1f} % of {len(data.test.labels):,} held-out digits")
    save_folder(model, args.out, preprocessing.files(timm=args.model != "vit"))
    for file in sorted(args.out.iterdir()):
        print(f"{file.stat().st_size:>12,}  {file}")


if __name__ == "__main__":
    main()
