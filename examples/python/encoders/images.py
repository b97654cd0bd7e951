"""Images for the vision models: their preprocessing, and MNIST's digits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import rushlight as rl
from rushlight import functional as F
from rushlight.data import Split


@dataclass(frozen=True)
class Preprocessing:
    """The size of a model's images, and the means and standard deviations of their channels."""

    size: int
    mean: tuple[float, ...]
    std: tuple[float, ...]

    @classmethod
    def from_files(cls, config: Mapping[str, Any], processor: Mapping[str, Any]) -> Preprocessing:
        """Take the entries of `config.json` (timm's) and `preprocessor_config.json` (of transformers)."""
        if "pretrained_cfg" in config:
            keys = config["pretrained_cfg"]
            return cls(keys["input_size"][-1], tuple(keys["mean"]), tuple(keys["std"]))
        half = [0.5] * config.get("num_channels", 3)
        mean, std = processor.get("image_mean", half), processor.get("image_std", half)
        return cls(config["image_size"], tuple(mean), tuple(std))

    def files(self, timm: bool) -> dict[str, dict[str, Any]]:
        """Return what a folder has of it: entries of timm's `config.json`, or a file of transformers'."""
        mean, std = list(self.mean), list(self.std)
        if timm:
            shape = [len(mean), self.size, self.size]
            return {"config.json": {"pretrained_cfg": {"input_size": shape, "mean": mean, "std": std}}}
        steps = {"do_resize": True, "resample": 2, "size": {"height": self.size, "width": self.size}}
        steps |= {"do_rescale": True, "rescale_factor": 1 / 255, "do_normalize": True}
        moments = {"image_mean": mean, "image_std": std}
        return {"preprocessor_config.json": {"image_processor_type": "ViTImageProcessor"} | steps | moments}

    def __call__(self, images: rl.Tensor) -> rl.Tensor:
        """Map numbers in 0..1, `(B, C, H, W)`, to what the model takes.

        Images of one channel get as many equal ones as it takes.
        """
        x = images.expand(images.shape[0], len(self.mean), *images.shape[2:])
        if x.shape[2:] != (self.size, self.size):
            x = F.interpolate(x, (self.size, self.size), mode="bilinear", antialias=True)
        mean, std = (
            rl.tensor(v, dtype=x.dtype, device=x.device)[:, None, None] for v in (self.mean, self.std)
        )
        return (x - mean) / std


def digits(split: Split) -> rl.Tensor:
    """Return the images of MNIST's digits as `(n, 1, 28, 28)`."""
    return split.images.reshape(-1, 1, 28, 28)


def shifted(images: rl.Tensor, most: int, generator: rl.Generator) -> rl.Tensor:
    """Move each image `(B, C, H, W)` by up to `most` pixels along both axes; the border becomes 0."""
    batch, _, height, width = images.shape
    padded = F.pad(images, (most,) * 4)
    down, right = (rl.randint(0, 2 * most + 1, (batch, 1), generator=generator) for _ in range(2))
    rows = (down + rl.arange(height))[:, None, :, None]
    columns = (right + rl.arange(width))[:, None, None, :]
    at = rl.arange(batch)[:, None, None, None], rl.arange(images.shape[1])[None, :, None, None]
    return padded[(*at, rows, columns)]


def batches(count: int, size: int, generator: rl.Generator) -> Iterator[rl.Tensor]:
    """Yield the numbers of all images in random order, `size` at a time; the rest is left out."""
    order = rl.randperm(count, generator=generator)
    for start in range(0, max(1, count - size + 1), size):
        yield order[start : start + size]
