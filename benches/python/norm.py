"""The CPU's speed of normalizations, plain and fused, against NumPy and (where installed) PyTorch."""

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
import timing

import rushlight as rl
from rushlight import functional as F

LINES, IMAGES = (4096, 768), (32, 64, 28, 28)


def numpy_norm(x: Any, axes: tuple[int, ...]) -> Any:
    """Return layer normalization as users of NumPy write it."""
    d = x - x.mean(axes, keepdims=True)
    return d / np.sqrt((d * d).mean(axes, keepdims=True) + 1e-5)


def calls(f: Any, make: Callable[[Any], Any], ones: Callable[[int], Any]) -> dict[str, Callable[[], Any]]:
    """Return the calls of a library, f its functions: forward, and forward with backward of a sum."""
    rng = np.random.default_rng(0)
    lines, other, images = (make(rng.normal(size=s).astype(np.float32)) for s in (LINES, LINES, IMAGES))
    w, b, c, d = ones(LINES[1]), ones(LINES[1]), ones(IMAGES[1]), ones(IMAGES[1])
    forward = {
        "layer_norm": lambda: f.layer_norm(lines, (LINES[1],), w, b),
        "rms_norm": lambda: f.rms_norm(lines, (LINES[1],), w),
        "batch_norm": lambda: f.batch_norm(images, None, None, c, d, training=True),
        "group_norm": lambda: f.group_norm(images, 8, c, d),
        "instance_norm": lambda: f.instance_norm(images, None, None, c, d),
    }
    width, ids = (LINES[1],), make(rng.integers(0, LINES[0], size=LINES[0]))
    forward |= {
        "layernorm_relu": lambda: f.layernorm_relu(lines, width, w, b),
        "layernorm_gelu": lambda: f.layernorm_gelu(lines, width, w, b),
        "residual_layernorm": lambda: f.residual_layernorm(lines, other, width, w, b),
        "embedding_rms_norm": lambda: f.embedding_rms_norm(ids, lines, w),
        "relu_squared": lambda: f.relu_squared(lines),
    }
    if not hasattr(f, "layernorm_relu"):
        forward |= {
            "layernorm_relu": lambda: f.relu(f.layer_norm(lines, width, w, b)),
            "layernorm_gelu": lambda: f.gelu(f.layer_norm(lines, width, w, b)),
            "residual_layernorm": lambda: f.layer_norm(lines + other, width, w, b),
            "embedding_rms_norm": lambda: f.rms_norm(f.embedding(ids, lines), width, w),
            "relu_squared": lambda: f.relu(lines) ** 2,
        }
    leaves = [lines, other, images, w, b, c, d]

    def with_gradients(call: Callable[[], Any]) -> None:
        for leaf in leaves:
            leaf.requires_grad_(True)
            leaf.grad = None
        out = call()
        out.backward(out.detach())
        for leaf in leaves:
            leaf.requires_grad_(False)

    both = {f"{name}, gradients": lambda call=call: with_gradients(call) for name, call in forward.items()}
    return {**forward, **both}


def sides(_: argparse.Namespace) -> timing.Sides:
    """Return the calls of the libraries."""
    found = {timing.OURS: calls(F, rl.asarray, rl.ones)}
    rng = np.random.default_rng(0)
    lines, images = (rng.normal(size=s).astype(np.float32) for s in (LINES, IMAGES))
    found["numpy"] = {
        "layer_norm": lambda: numpy_norm(lines, (1,)),
        "batch_norm": lambda: numpy_norm(images, (0, 2, 3)),
        "instance_norm": lambda: numpy_norm(images, (2, 3)),
    }
    if torch := timing.torch_or_none():
        found["torch"] = calls(torch.nn.functional, torch.from_numpy, torch.ones)
    return found


if __name__ == "__main__":
    timing.main(__doc__, sides)
