"""Residual networks (He et al. 2015) with Rushlight's layers.

The names of modules are those of torchvision and timm, so that `state_dict` has the names of tensors that
files of timm on model hubs have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import rushlight as rl
from rushlight import functional as F
from rushlight import nn

# Blocks of the four stages, and whether a block is a bottleneck.
ARCHITECTURES = {
    "resnet18": ((2, 2, 2, 2), False),
    "resnet34": ((3, 4, 6, 3), False),
    "resnet50": ((3, 4, 6, 3), True),
    "resnet101": ((3, 4, 23, 3), True),
    "resnet152": ((3, 8, 36, 3), True),
}


@dataclass(frozen=True)
class Config:
    """A model, under timm's keys of `config.json`."""

    architecture: str = "resnet18"
    num_classes: int = 10

    @classmethod
    def from_keys(cls, keys: Mapping[str, Any]) -> Config:
        """Take the keys of a `config.json`. A name of timm's may have a training recipe behind a dot."""
        name = keys["architecture"].partition(".")[0]
        if name not in ARCHITECTURES:
            raise ValueError(f"expected one of {', '.join(ARCHITECTURES)}, got {keys['architecture']!r}")
        return cls(name, keys.get("num_classes", 1000))

    def keys(self) -> dict[str, Any]:
        """Return the entries of `config.json`."""
        width = 2048 if ARCHITECTURES[self.architecture][1] else 512
        return vars(self) | {"num_features": width}


class Block(nn.Module):
    """Convolutions with batch norms, added to a shortcut: two of 3 x 3, or 1 x 1, 3 x 3 and 1 x 1."""

    def __init__(self, channels: int, width: int, stride: int, bottleneck: bool) -> None:
        super().__init__()
        out = 4 * width if bottleneck else width
        # The kernel, the stride and the channels of each convolution.
        plan = [(3, stride, width), (3, 1, width)]
        if bottleneck:
            plan = [(1, 1, width), (3, stride, width), (1, 1, out)]
        self.count, before = len(plan), channels
        for i, (kernel, step, after) in enumerate(plan, 1):
            conv = nn.Conv2d(before, after, kernel, stride=step, padding=kernel // 2, bias=False)
            setattr(self, f"conv{i}", conv)
            setattr(self, f"bn{i}", nn.BatchNorm2d(after))
            before = after
        self.downsample = None
        if stride != 1 or channels != out:
            conv = nn.Conv2d(channels, out, 1, stride=stride, bias=False)
            self.downsample = nn.Sequential(conv, nn.BatchNorm2d(out))

    def forward(self, x: rl.Tensor) -> rl.Tensor:
        """Map `(B, C, H, W)` to the block's channels, with sides of a `stride`-th."""
        y = x
        for i in range(1, self.count + 1):
            y = getattr(self, f"bn{i}")(getattr(self, f"conv{i}")(y))
            if i < self.count:
                y = F.relu(y)
        return F.relu(y + (x if self.downsample is None else self.downsample(x)))


class ResNet(nn.Module):
    """A convolution of 7 x 7, four stages of blocks, and a linear layer on the mean of each channel."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        counts, bottleneck = ARCHITECTURES[config.architecture]
        self.conv1 = nn.Conv2d(3, 64, 7, stride=2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        channels = 64
        for stage, count in enumerate(counts):
            width, blocks = 64 << stage, []
            for i in range(count):
                blocks.append(Block(channels, width, 2 if stage and i == 0 else 1, bottleneck))
                channels = 4 * width if bottleneck else width
            setattr(self, f"layer{stage + 1}", nn.Sequential(*blocks))
        self.fc = nn.Linear(channels, config.num_classes)
        for p in self.parameters():
            if p.ndim == 4:
                nn.init.kaiming_normal_(p, mode="fan_out", nonlinearity="relu")

    def forward(self, pixels: rl.Tensor) -> rl.Tensor:
        """Map images `(B, 3, H, W)` to logits `(B, num_classes)`."""
        x = F.max_pool2d(F.relu(self.bn1(self.conv1(pixels))), 3, stride=2, padding=1)
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        found: rl.Tensor = self.fc(x.mean((2, 3)))
        return found
