"""The CPU's speed of activation functions and of their gradients, against PyTorch and compositions of ops.

The compositions are what an op of one pass replaces.
"""

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
import timing

import rushlight as rl
from rushlight import functional as F

SELU = (1.0507009873554804934193349852946, 1.6732632423543772848170429916717)

Call = Callable[[Any], Any]
ACTIVATIONS: dict[str, tuple[Any, ...]] = {
    "relu": (),
    "silu": (),
    "gelu": (),
    "gelu_tanh": (),
    "sigmoid": (),
    "tanh": (),
    "elu": (),
    "softplus": (),
    "relu6": (),
    "leaky_relu": (0.1,),
    "celu": (0.5,),
    "selu": (),
    "mish": (),
    "hardswish": (),
    "hardsigmoid": (),
    "hardtanh": (),
    "threshold": (0.1, 2.0),
    "softshrink": (),
    "hardshrink": (),
    "tanhshrink": (),
    "softsign": (),
    "logsigmoid": (),
    "lerp": (),
    "clamp": (-0.5, 0.5),
}


def hardtanh(x: Any, low: float, high: float) -> Any:
    """Limit by two selections."""
    x = rl.where(x <= low, low, x)
    return rl.where(x >= high, high, x)


def logsigmoid(x: Any) -> Any:
    """Compute the logarithm of the sigmoid by ops."""
    return rl.minimum(x, 0.0) - rl.log1p(rl.exp(-rl.abs(x)))


def exponential(x: Any, alpha: float, factor: float) -> Any:
    """Compute ``factor * (exp(x / alpha) - 1)`` where x is negative, else x."""
    low = rl.expm1(rl.where(x > 0, 0.0, x) / alpha) * factor
    return rl.where(x > 0, x, low)


COMPOSITIONS: dict[str, Call] = {
    "relu6": lambda x: hardtanh(x, 0.0, 6.0),
    "leaky_relu": lambda x: rl.where(x > 0, x, x * 0.1),
    "celu": lambda x: exponential(x, 0.5, 0.5),
    "selu": lambda x: exponential(x, 1.0, SELU[1]) * SELU[0],
    "mish": lambda x: x * rl.tanh(-logsigmoid(-x)),
    "hardswish": lambda x: x * hardtanh(x + 3, 0.0, 6.0) / 6,
    "hardsigmoid": lambda x: hardtanh(x + 3, 0.0, 6.0) / 6,
    "hardtanh": lambda x: hardtanh(x, -1.0, 1.0),
    "threshold": lambda x: rl.where(x <= 0.1, 2.0, x),
    "softshrink": lambda x: rl.where(x > 0.5, x - 0.5, rl.where(x < -0.5, x + 0.5, x * 0)),
    "hardshrink": lambda x: rl.where((x >= -0.5) & (x <= 0.5), 0.0, x),
    "tanhshrink": lambda x: x - rl.tanh(x),
    "softsign": lambda x: x / (1 + rl.abs(x)),
    "logsigmoid": logsigmoid,
    "lerp": lambda x: x + (x - x) * 0.25,
    "clamp": lambda x: rl.where(rl.where(x < -0.5, -0.5, x) > 0.5, 0.5, x),
    # The gradients of these were composed.
    "silu": lambda x: x * rl.sigmoid(x),
    "gelu": lambda x: x * (rl.erf(x * 0.5**0.5) * 0.5 + 0.5),
    "gelu_tanh": lambda x: x * rl.sigmoid(x * (x * x * 0.07135481627260025 + 1.5957691216057308)),
}


def function(side: Any, module: Any, name: str, numbers: tuple[Any, ...]) -> Call:
    """Return a function of one tensor."""
    if name == "gelu_tanh":
        return lambda x: side.gelu(x, approximate="tanh")
    if name == "lerp":
        return lambda x: module.lerp(x, x, 0.25)
    call = module.clamp if name == "clamp" else getattr(side, name)
    return lambda x: call(x, *numbers)


def gradients(call: Call, x: Any) -> timing.Call:
    """Return a call of the function and of its gradient."""
    leaf = x.detach().clone().requires_grad_(True)
    ones = call(x).detach()

    def run() -> None:
        leaf.grad = None
        call(leaf).backward(ones)

    return run


def sides(options: argparse.Namespace) -> timing.Sides:
    """Return the calls of the libraries, and those of compositions."""
    data = np.random.default_rng(0).normal(size=options.size) * 2
    x = rl.asarray(data).astype(options.dtype)
    functions: dict[str, dict[str, tuple[Call, Any]]] = {
        timing.OURS: {name: (function(F, rl, name, numbers), x) for name, numbers in ACTIVATIONS.items()},
        "composition": {name: (call, x) for name, call in COMPOSITIONS.items()},
    }
    if torch := timing.torch_or_none():
        y = torch.tensor(data).to(getattr(torch, options.dtype))
        functions["torch"] = {
            name: (function(torch.nn.functional, torch, name, numbers), y)
            for name, numbers in ACTIVATIONS.items()
        }
    found: timing.Sides = {}
    for side, table in functions.items():
        found[side] = {name: lambda call=call, x=x: call(x) for name, (call, x) in table.items()}
        found[side] |= {f"{name}, gradient": gradients(call, x) for name, (call, x) in table.items()}
    return found


if __name__ == "__main__":
    timing.main(__doc__, sides)
