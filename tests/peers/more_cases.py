"""Cases that the golden files do not have: the call in each library, and its inputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import rushlight as rl
from golden_cases import Book, Recipe, distinct, few, ints, normal, signed, uniform
from rushlight import Tensor
from rushlight import functional as F
from torch_calls import functional, torch

Call = Callable[..., Any]


@dataclass(frozen=True)
class Pair:
    """The same function on both sides; arguments are called as the case's inputs are."""

    ours: Call
    theirs: Call
    summed: bool = False


def _both(call: Callable[[Any], Call], summed: bool = False) -> Pair:
    """A call that is written alike in both libraries; it gets the module."""
    return Pair(call(rl), call(torch), summed)


def _top(input: Tensor, k: int, dim: int) -> list[Tensor]:
    """The k largest, by sorting: values and indices."""
    order = rl.argsort(input.detach(), axis=dim, descending=True, stable=True)
    keep = [slice(None)] * input.ndim
    keep[dim] = slice(k)
    return [rl.take_along_axis(input, order, axis=dim)[tuple(keep)], order[tuple(keep)]]


PAIRS: dict[str, Pair] = {
    "mse_loss": Pair(F.mse_loss, functional.mse_loss, True),
    "linear": Pair(F.linear, functional.linear, True),
    "embedding": Pair(F.embedding, functional.embedding),
    "one_hot": Pair(
        lambda ids, num_classes: F.one_hot(ids, num_classes),
        lambda ids, num_classes: functional.one_hot(ids, num_classes),
    ),
    "topk": Pair(_top, torch.topk),
    "argmax": Pair(lambda input, dim: rl.argmax(input, axis=dim), torch.argmax),
    "argmin": Pair(lambda input, dim: rl.argmin(input, axis=dim), torch.argmin),
    "norm": Pair(lambda input: rl.sqrt(rl.sum(input * input)), torch.linalg.vector_norm, True),
    "cumprod": Pair(lambda input, dim: rl.cumulative_prod(input, axis=dim), torch.cumprod),
    "diff": Pair(
        lambda input, dim: rl.diff(input, axis=dim), lambda input, dim: torch.diff(input, dim=dim), True
    ),
    "hypot": _both(lambda m: lambda input, other: m.hypot(input, other)),
    "copysign": _both(lambda m: lambda input, other: m.copysign(input, other)),
    "logaddexp": _both(lambda m: lambda input, other: m.logaddexp(input, other), True),
    "floor_divide": _both(lambda m: lambda input, other: m.floor_divide(input, other)),
    "outer": _both(lambda m: lambda input, other: m.outer(input, other)),
    "vecdot": Pair(
        lambda input, other: rl.vecdot(input, other),
        lambda input, other: torch.linalg.vecdot(input, other),
        True,
    ),
    "einsum": _both(lambda m: lambda input, other: m.einsum("bij,kj->bik", input, other), True),
    "tensordot": Pair(
        lambda input, other: rl.tensordot(input, other, axes=2),
        lambda input, other: torch.tensordot(input, other, dims=2),
        True,
    ),
    "cat": Pair(lambda a, b: rl.concat([a, b], axis=1), lambda a, b: torch.cat([a, b], 1)),
    "stack": Pair(lambda a, b: rl.stack([a, b], axis=-1), lambda a, b: torch.stack([a, b], -1)),
    "flip": Pair(lambda input: rl.flip(input, axis=(0, 2)), lambda input: torch.flip(input, (0, 2))),
    "roll": Pair(lambda input: rl.roll(input, 2, axis=1), lambda input: torch.roll(input, 2, 1)),
    "tile": _both(lambda m: lambda input: m.tile(input, (2, 1, 3))),
    "repeat": Pair(
        lambda input: rl.repeat(input, 3, axis=1), lambda input: torch.repeat_interleave(input, 3, 1)
    ),
    "masked_fill": _both(lambda m: lambda input: input.masked_fill(input > 0.25, -1.5)),
    "getitem": _both(lambda m: lambda input: input[1:, None, ::2, 3]),
    "getitem_ids": _both(lambda m: lambda input, index: input[:, index]),
    "getitem_mask": _both(lambda m: lambda input: input[input > 0]),
    "less": _both(lambda m: lambda input, other: input < other),
    "equal": _both(lambda m: lambda input, other: input == other),
    "nonzero": Pair(lambda input: rl.nonzero(input > 0)[1], lambda input: torch.nonzero(input > 0)[:, 1]),
    "unique": Pair(lambda input: rl.unique_values(input), torch.unique),
    "mixed": _both(lambda m: lambda a, b, c: (a @ b).relu().sum() * 0.5 + (c.tanh() * a).mean(), True),
    "twice": _both(lambda m: lambda input: input * input.sigmoid() + input.exp() / (1 + input * input)),
}
INTS: dict[str, Pair] = {
    **{
        name: _both(lambda m, name=name: lambda input, other: getattr(m, name)(input, other))
        for name in (
            "bitwise_and",
            "bitwise_or",
            "bitwise_xor",
            "remainder",
            "floor_divide",
            "maximum",
            "gcd",
        )
        if hasattr(rl, name)
    },
    "mul": _both(lambda m: lambda input, other: input * other),
    "divide": _both(lambda m: lambda input, other: m.divide(input, other)),
    "sum": Pair(lambda input: rl.sum(input, axis=0), lambda input: torch.sum(input, 0)),
    "prod": Pair(lambda input: rl.prod(input, axis=1), lambda input: torch.prod(input, 1)),
    "amax": Pair(lambda input: rl.max(input, axis=1), lambda input: torch.amax(input, 1)),
    "cumsum": Pair(lambda input: rl.cumulative_sum(input, axis=1), lambda input: torch.cumsum(input, 1)),
    "matmul": _both(lambda m: lambda input: m.matmul(input, input.T)),
}


def more(book: Book) -> None:
    cube, other = normal(3, 4, 5), normal(3, 4, 5)
    for how in ("mean", "sum", "none"):
        book.case("mse_loss", how, {"input": cube, "target": other}, reduction=how)
    weights = {"weight": normal(6, 5), "bias": normal(6)}
    book.case("linear", "rank3", {"input": cube, **weights})
    book.case("linear", "vector", {"input": normal(5), **weights})
    ids = ints(0, 7, 2, 3)
    book.case("embedding", "", {"input": ids, "weight": normal(7, 4)})
    book.case("embedding", "padding", {"input": ids, "weight": normal(7, 4)}, padding_idx=2)
    book.case("one_hot", "", {"ids": ids}, dtypes=("int64",), num_classes=7)
    for dim in (1, 2):
        # Elements are distinct, because PyTorch does not define the order of equal ones.
        order = distinct((0, 9, 8)[dim], dim, 4, 9, 8)
        halves: Recipe = lambda rng, order=order: order(rng) * 0.5 - 2  # noqa: E731
        book.case("topk", f"d{dim}", {"input": halves}, k=3, dim=dim)
    for dim in (0, 2):
        book.case("argmax", f"d{dim}", {"input": cube}, grad=False, dim=dim)
        book.case("argmin", f"ties_d{dim}", {"input": few(3, 4, 9)}, grad=False, tags=["ties"], dim=dim)
        book.case("cumprod", f"d{dim}", {"input": signed(0.5, 1.5, 3, 4, 5)}, dim=dim)
        book.case("diff", f"d{dim}", {"input": cube}, dim=dim)
    book.case("norm", "", {"input": cube})
    pair = {"input": cube, "other": other}
    for op in ("hypot", "copysign", "logaddexp"):
        book.case(op, "", pair)
        book.case(op, "row", {"input": cube, "other": normal(5)})
    divide = {"input": normal(4, 5, scale=5), "other": signed(0.5, 2, 5)}
    book.case("floor_divide", "", divide, grad=False)
    book.case("outer", "", {"input": normal(4), "other": normal(6)})
    book.case("vecdot", "", pair)
    book.case("einsum", "", {"input": cube, "other": normal(6, 5)})
    book.case("tensordot", "", {"input": cube, "other": normal(4, 5, 2)})
    for op in ("cat", "stack"):
        book.case(op, "", {"a": cube, "b": other})
    for op in ("flip", "roll", "tile", "repeat", "masked_fill", "getitem", "getitem_mask", "twice"):
        book.case(op, "", {"input": cube})
    book.case("getitem_ids", "", {"input": cube, "index": ints(-4, 4, 2, 6)})
    ties = {"input": few(6, 5), "other": few(6, 5)}
    for op in ("less", "equal"):
        book.case(op, "", ties, grad=False)
    book.case("nonzero", "", {"input": normal(4, 5)}, grad=False)
    book.case("unique", "", {"input": few(40)}, grad=False)
    book.case("mixed", "", {"a": normal(4, 4), "b": normal(4, 4), "c": uniform(-2, 2, 4, 4)})


def whole(book: Book) -> None:
    """Integers: dtypes and wrapping are PyTorch's, too."""
    # No zeros, because an integer division by zero is an error in PyTorch and gives 0 in Rushlight.
    positive = {"input": ints(1, 100, 4, 5), "other": ints(1, 9, 5)}
    mixed = {"input": ints(-100, 100, 4, 5), "other": ints(-9, 0, 5)}
    small = ("int8", "int16", "int32", "int64")
    for op in INTS:
        if op in ("sum", "prod", "amax", "cumsum", "matmul"):
            # Sums of unsigned integers are uint64 in Rushlight, as in the array API, and int64 in PyTorch
            # (docs/SEMANTICS.md).
            unsigned = () if op in ("sum", "prod", "cumsum") else ("uint8",)
            book.case(op, "", {"input": ints(0, 12, 4, 5)}, dtypes=(*small, *unsigned))
            continue
        book.case(op, "", positive, dtypes=(*small, "uint8"))
        book.case(op, "negative", mixed, dtypes=small)
