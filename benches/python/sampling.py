"""The CPU's speed of padding, resizing, windows, sampling and products of groups against PyTorch's."""

import argparse
import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np
import timing

import rushlight as rl
from rushlight import functional as F


def calls(f: Any, deform: Any, make: Callable[[Any], Any]) -> dict[str, Callable[[], Any]]:
    """Return the calls of a library, f its functions: forward, and forward with backward of a sum."""
    rng = np.random.default_rng(0)

    def normal(*shape: int) -> Any:
        return make(rng.normal(size=shape).astype(np.float32))

    image, volume = normal(8, 16, 64, 64), normal(2, 8, 16, 32, 32)
    grid = make(rng.uniform(-1.1, 1.1, (8, 64, 64, 2)).astype(np.float32))
    x, w, offset = normal(4, 16, 32, 32), normal(32, 16, 3, 3), normal(4, 18, 32, 32)
    columns = normal(8, 16 * 9, 64 * 64)
    rows, stack = normal(1024, 64), normal(8, 64, 64)
    offs = make(np.arange(128, 1025, 128, dtype=np.int32))
    forward: dict[str, tuple[list[Any], Callable[[], Any]]] = {
        "pad constant": ([image], lambda: f.pad(image, (3, 3, 3, 3))),
        "pad reflect": ([image], lambda: f.pad(image, (3, 3, 3, 3), "reflect")),
        "pad circular": ([image], lambda: f.pad(image, (3, 3, 3, 3), "circular")),
        "nearest 3d": ([volume], lambda: f.interpolate(volume, scale_factor=2, mode="nearest")),
        "trilinear": ([volume], lambda: f.interpolate(volume, scale_factor=2, mode="trilinear")),
        "unfold": ([image], lambda: f.unfold(image, 3, padding=1)),
        "unfold, stride 2": ([image], lambda: f.unfold(image, 4, stride=2, padding=1)),
        "fold": ([columns], lambda: f.fold(columns, (64, 64), 3, padding=1)),
        "grid_sample": ([image, grid], lambda: f.grid_sample(image, grid, align_corners=False)),
        "grid_sample bicubic": (
            [image, grid],
            lambda: f.grid_sample(image, grid, "bicubic", align_corners=False),
        ),
        "grouped_mm": ([rows, stack], lambda: f.grouped_mm(rows, stack, offs=offs)),
    }
    if deform:
        forward["deform_conv2d"] = ([x, w, offset], lambda: deform(x, offset, w, padding=1))

    def with_gradients(leaves: list[Any], call: Callable[[], Any]) -> None:
        for leaf in leaves:
            leaf.requires_grad_(True)
            leaf.grad = None
        out = call()
        out.backward(out.detach())
        for leaf in leaves:
            leaf.requires_grad_(False)

    both = {
        f"{name}, gradients": lambda leaves=leaves, call=call: with_gradients(leaves, call)
        for name, (leaves, call) in forward.items()
    }
    return {**{name: call for name, (_, call) in forward.items()}, **both}


def sides(_: argparse.Namespace) -> timing.Sides:
    """Return the calls of both libraries."""
    found = {timing.OURS: calls(F, F.deform_conv2d, rl.asarray)}
    if torch := timing.torch_or_none():
        deform = None
        if importlib.util.find_spec("torchvision"):
            from torchvision.ops import deform_conv2d as deform
        found["torch"] = calls(torch.nn.functional, deform, torch.from_numpy)
    return found


if __name__ == "__main__":
    timing.main(__doc__, sides)
