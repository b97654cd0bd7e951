"""The CPU's speed of matrix products and convolutions, forward and with gradients, against PyTorch's."""

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
import timing

import rushlight as rl

# Rows, terms and columns.
SQUARE = (16, 32, 64, 128, 256, 512, 1024)
THIN = ((1, 1024, 1024), (8, 1024, 1024), (64, 4096, 64), (4096, 64, 64), (64, 64, 4096), (1024, 1, 1024))
# Name: input, weight, arguments.
CONVOLUTIONS: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "3x3, 64 to 64 at 28": ((8, 64, 28, 28), (64, 64, 3, 3), {"padding": 1}),
    "3x3, 64 to 64 at 28, batch 1": ((1, 64, 28, 28), (64, 64, 3, 3), {"padding": 1}),
    "3x3, 256 to 256 at 7": ((8, 256, 7, 7), (256, 256, 3, 3), {"padding": 1}),
    "3x3, 1 to 32 at 28": ((64, 1, 28, 28), (32, 1, 3, 3), {"padding": 1}),
    "3x3, stride 2": ((8, 64, 28, 28), (128, 64, 3, 3), {"padding": 1, "stride": 2}),
    "7x7, stride 2, 3 to 64 at 112": ((2, 3, 112, 112), (64, 3, 7, 7), {"padding": 3, "stride": 2}),
    "1x1, 256 to 64 at 14": ((8, 256, 14, 14), (64, 256, 1, 1), {}),
    "depthwise 3x3": ((8, 64, 28, 28), (64, 1, 3, 3), {"padding": 1, "groups": 64}),
    "groups of 4": ((8, 64, 28, 28), (64, 16, 3, 3), {"padding": 1, "groups": 4}),
    "dilated": ((8, 32, 28, 28), (32, 32, 3, 3), {"padding": 2, "dilation": 2}),
    "1d": ((8, 64, 512), (64, 64, 5), {"padding": 2}),
    "3d": ((2, 16, 16, 16, 16), (16, 16, 3, 3, 3), {"padding": 1}),
    "transposed 4x4, stride 2": ((8, 64, 14, 14), (64, 32, 4, 4), {"padding": 1, "stride": 2}),
}


def products(make: Callable[[Any], Any]) -> dict[str, Callable[[], Any]]:
    """Return products; `make` turns an array of NumPy into the library's."""
    rng, found = np.random.default_rng(0), {}

    def normal(*shape: int, dtype: str = "float32") -> Any:
        return make(rng.normal(size=shape).astype(dtype))

    def add(name: str, a: Any, b: Any) -> None:
        found[f"matmul {name}"] = lambda: a @ b

    for n in SQUARE:
        add(f"{n}", normal(n, n), normal(n, n))
    for m, k, n in THIN:
        add(f"{m} x {k} x {n}", normal(m, k), normal(k, n))
    a, b = normal(256, 256), normal(256, 256)
    add("256, first transposed", a.T, b)
    add("256, second transposed", a, b.T)
    add("32 of 64 x 64", normal(32, 64, 64), normal(32, 64, 64))
    add("256 of 8 x 8", normal(256, 8, 8), normal(256, 8, 8))
    add("32 x 64 x 64 by one 64 x 64", normal(32, 64, 64), normal(64, 64))
    add("512, float64", normal(512, 512, dtype="float64"), normal(512, 512, dtype="float64"))
    whole = [make(rng.integers(-9, 9, (256, 256)).astype("int32")) for _ in range(2)]
    add("256, int32", *whole)
    vector = normal(1024)
    add("1024 x 1024 by a vector", normal(1024, 1024), vector)
    found["dot of 1024"] = lambda: vector @ vector
    return found


def of_tensors(lib: Any, make: Callable[[Any], Any]) -> dict[str, Callable[[], Any]]:
    """Return products of 16-bit floats, linear layers and convolutions; `lib` is the library's module."""
    rng, found = np.random.default_rng(1), {}
    f = lib.nn.functional

    def normal(*shape: int) -> Any:
        return make(rng.normal(size=shape).astype(np.float32))

    for dtype in ("float16", "bfloat16"):
        for n in (64, 512):
            a, b = (normal(n, n).to(getattr(lib, dtype)) for _ in range(2))
            found[f"matmul {n}, {dtype}"] = lambda a=a, b=b: a @ b

    def add(name: str, call: Callable[..., Any], *leaves: Any) -> None:
        def both() -> None:
            for leaf in leaves:
                leaf.requires_grad_(True)
                leaf.grad = None
            out = call(*leaves)
            out.backward(out.detach())
            for leaf in leaves:
                leaf.requires_grad_(False)

        found[name], found[f"{name}, gradients"] = lambda: call(*leaves), both

    add("linear 64 x 784 to 256", f.linear, normal(64, 784), normal(256, 784), normal(256))
    add("linear 512 x 512 to 2048", f.linear, normal(512, 512), normal(2048, 512), normal(2048))
    for name, (x, w, given) in CONVOLUTIONS.items():
        kind = f"conv_transpose{len(x) - 2}d" if name.startswith("transposed") else f"conv{len(x) - 2}d"

        def convolve(x: Any, w: Any, kind: str = kind, given: dict[str, Any] = given) -> Any:
            return getattr(f, kind)(x, w, **given)

        add(f"conv {name}", convolve, normal(*x), normal(*w))
    return found


def sides(_: argparse.Namespace) -> timing.Sides:
    """Return the calls of the libraries."""
    found = {
        timing.OURS: products(rl.asarray) | of_tensors(rl, rl.asarray),
        "numpy": products(lambda array: array),
    }
    if torch := timing.torch_or_none():
        found["torch"] = products(torch.from_numpy) | of_tensors(torch, torch.from_numpy)
    return found


if __name__ == "__main__":
    timing.main(__doc__, sides)
