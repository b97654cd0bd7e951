"""The CPU's speed of whole steps of training (forward, backward, optimizer) against PyTorch's."""

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
import timing

import rushlight as rl


def networks(lib: Any) -> dict[str, tuple[Any, tuple[int, ...], bool]]:
    """Return networks of a library: module, shape of one sample, and whether its loss is over classes."""
    nn = lib.nn

    class Block(nn.Module):  # type: ignore[misc, name-defined]
        """Two 3x3 convolutions with batch norm around a shortcut (He et al. 2016)."""

        def __init__(self, channels: int) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
            self.norm1 = nn.BatchNorm2d(channels)
            self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
            self.norm2 = nn.BatchNorm2d(channels)

        def forward(self, x: Any) -> Any:
            inner = nn.functional.relu(self.norm1(self.conv1(x)))
            return nn.functional.relu(x + self.norm2(self.conv2(inner)))

    class Last(nn.Module):  # type: ignore[misc, name-defined]
        """An LSTM and a linear layer on its last step."""

        def __init__(self) -> None:
            super().__init__()
            self.lstm = nn.LSTM(64, 128, batch_first=True)
            self.linear = nn.Linear(128, 10)

        def forward(self, x: Any) -> Any:
            return self.linear(self.lstm(x)[0][:, -1])

    class Vit(nn.Module):  # type: ignore[misc, name-defined]
        """Patches of 4 x 4, two layers with norms before them, and a head (Dosovitskiy et al. 2020)."""

        def __init__(self) -> None:
            super().__init__()
            self.patches = nn.Conv2d(1, 64, 4, stride=4)
            layers = [
                nn.TransformerEncoderLayer(64, 4, 128, 0.0, "gelu", batch_first=True, norm_first=True)
                for _ in range(2)
            ]
            self.layers, self.head = nn.Sequential(*layers), nn.Linear(64, 10)

        def forward(self, x: Any) -> Any:
            return self.head(self.layers(self.patches(x).flatten(2).permute(0, 2, 1)).mean(1))

    mlp = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10))
    cnn = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(32 * 7 * 7, 10),
    )
    transformer = nn.TransformerEncoderLayer(128, 4, 512, dropout=0.0, batch_first=True)
    return {
        "MLP": (mlp, (784,), True),
        "CNN": (cnn, (1, 28, 28), True),
        "ResNet block": (Block(64), (64, 14, 14), False),
        "transformer block": (transformer, (64, 128), False),
        "ViT": (Vit(), (1, 28, 28), True),
        "LSTM": (Last(), (32, 64), True),
    }


def calls(lib: Any, make: Callable[[Any], Any]) -> dict[str, Callable[[], Any]]:
    """Return steps of a library's networks with batches of 1, 16 and 64."""
    rng, found = np.random.default_rng(0), {}
    for name, (net, shape, classes) in networks(lib).items():
        optimizer = lib.optim.Adam(net.parameters(), 1e-3)
        for batch in (1, 16, 64):
            values = rng.normal(size=(batch, *shape)).astype(np.float32)
            x = make(values)
            target = make(rng.integers(0, 10, batch) if classes else np.zeros_like(values))

            loss = lib.nn.functional.cross_entropy if classes else lib.nn.functional.mse_loss

            def step(
                net: Any = net, optimizer: Any = optimizer, x: Any = x, y: Any = target, loss: Any = loss
            ) -> None:
                optimizer.zero_grad()
                loss(net(x), y).backward()
                optimizer.step()

            if name != "ResNet block" or batch > 1:
                found[f"{name}, batch {batch}"] = step
    return found


def sides(_: argparse.Namespace) -> timing.Sides:
    """Return the calls of both libraries."""
    found = {timing.OURS: calls(rl, rl.asarray)}
    if torch := timing.torch_or_none():
        found["torch"] = calls(torch, torch.from_numpy)
    return found


if __name__ == "__main__":
    timing.main(__doc__, sides)
