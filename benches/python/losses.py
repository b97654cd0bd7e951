"""The CPU's speed of losses of elements, against compositions of other ops and (where installed) PyTorch."""

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
import timing

import rushlight as rl
from rushlight.nn import functional as F

PROBABILITIES = ("binary_cross_entropy", "kl_div")
SIGNS = ("soft_margin_loss", "hinge_embedding_loss")
NAMES = (
    "mse_loss",
    "l1_loss",
    "smooth_l1_loss",
    "huber_loss",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "kl_div",
    "poisson_nll_loss",
    "soft_margin_loss",
    "hinge_embedding_loss",
)


def composed(name: str, x: Any, t: Any) -> Any:
    """Return the mean loss as a composition of ops of one function each."""
    d = x - t
    if name == "mse_loss":
        losses = rl.square(d)
    elif name == "l1_loss":
        losses = rl.abs(d)
    elif name in ("smooth_l1_loss", "huber_loss"):
        size = rl.abs(d)
        near = rl.where(size < 1, size, 0.0)
        losses = rl.where(size < 1, 0.5 * rl.square(near), size - 0.5)
    elif name == "binary_cross_entropy":
        given = x.detach()
        if bool(rl.any((given < 0) | (given > 1))):
            raise ValueError
        losses = -(t * rl.log(x) + (1 - t) * rl.log1p(-x))
    elif name == "binary_cross_entropy_with_logits":
        losses = (1 - t) * x - F.logsigmoid(x)
    elif name == "kl_div":
        losses = rl.where(t > 0, t * rl.log(rl.where(t > 0, t, 1.0)), 0.0) - t * x
    elif name == "poisson_nll_loss":
        losses = rl.exp(x) - t * x
    elif name == "soft_margin_loss":
        losses = -F.logsigmoid(t * x)
    else:
        far = rl.where(t == 1, 0.0, rl.where(1.0 - x < 0, 0.0, 1.0 - x))
        losses = far + rl.where(t == -1, 0.0, x)
    return rl.mean(losses)


def calls(loss: Callable[..., Any], make: Callable[[Any], Any], size: int) -> dict[str, Callable[[], Any]]:
    """Return the calls of a library: forward, and forward with backward."""
    rng = np.random.default_rng(0)
    found: dict[str, Callable[[], Any]] = {}
    for name in NAMES:
        low = 0.01 if name in PROBABILITIES else -3
        x, t = rng.uniform(low, 0.99 if low > 0 else 3, size), rng.uniform(0.01, 0.99, size)
        if name in SIGNS:
            t = np.where(t < 0.5, -1.0, 1.0)
        x, t = make(x), make(t)

        def forward(name: str = name, x: Any = x, t: Any = t) -> Any:
            return loss(name, x, t)

        def both(name: str = name, x: Any = x, t: Any = t) -> None:
            x.requires_grad_(True)
            x.grad = None
            loss(name, x, t).backward()
            x.requires_grad_(False)

        found |= {name: forward, f"{name}, gradient": both}
    return found


def sides(options: argparse.Namespace) -> timing.Sides:
    """Return the calls of the libraries, and those of compositions."""

    def ours(values: Any) -> Any:
        return rl.asarray(values).astype(getattr(rl, options.dtype))

    found = {
        timing.OURS: calls(lambda name, x, t: getattr(F, name)(x, t), ours, options.size),
        "composed": calls(composed, ours, options.size),
    }
    if torch := timing.torch_or_none():
        functions, dtype = torch.nn.functional, getattr(torch, options.dtype)
        found["torch"] = calls(
            lambda name, x, t: getattr(functions, name)(x, t),
            lambda values: torch.from_numpy(values).to(dtype),
            options.size,
        )
    return found


if __name__ == "__main__":
    timing.main(__doc__, sides)
