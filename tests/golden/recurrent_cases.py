"""The cases of recurrent layers and cells of torch.nn, and of fused functions. NumPy only.

The op is the class; `kwargs` are its settings; `x0` is the input, `x1` and `x2` are the first states, and an
input `state.<key>` is a weight, whose gradient is wanted too. With `lengths` the input is packed. The first
output is all results in one dimension, so that gradients flow from the last states as well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from golden_cases import Book, Json, Recipe, ints, normal, off_halves

INPUT, HIDDEN, STEPS, BATCH = 3, 4, 5, 3
GATES = {"RNN": 1, "LSTM": 4, "GRU": 3}
NAMES = {*GATES, *(f"{name}Cell" for name in GATES)}


def weights(name: str, kwargs: Json) -> dict[str, Recipe]:
    """The state of a layer."""
    rows, found = GATES[name.removesuffix("Cell")] * HIDDEN, {}
    directions = 2 if kwargs.get("bidirectional") else 1
    out = kwargs.get("proj_size") or HIDDEN
    suffixes = [""]
    if not name.endswith("Cell"):
        layers = range(kwargs.get("num_layers", 1))
        suffixes = [f"_l{layer}{end}" for layer in layers for end in ("", "_reverse")[:directions]]
    for i, suffix in enumerate(suffixes):
        size = INPUT if i < directions else out * directions
        found[f"state.weight_ih{suffix}"] = normal(rows, size, scale=0.5)
        found[f"state.weight_hh{suffix}"] = normal(rows, out, scale=0.5)
        if kwargs.get("bias", True):
            found[f"state.bias_ih{suffix}"] = normal(rows, scale=0.5)
            found[f"state.bias_hh{suffix}"] = normal(rows, scale=0.5)
        if "proj_size" in kwargs:
            found[f"state.weight_hr{suffix}"] = normal(out, HIDDEN, scale=0.5)
    return found


def recurrent(book: Book) -> None:
    def add(name: str, variant: str, *inputs: Recipe, **kwargs: Any) -> None:
        given = {f"x{i}": x for i, x in enumerate(inputs)} | weights(name, kwargs)
        sizes = {"input_size": INPUT, "hidden_size": HIDDEN}
        book.case(name, variant, given, tags=["sums"], **sizes, **kwargs)

    x, first = normal(STEPS, BATCH, INPUT), normal(BATCH, STEPS, INPUT)

    def states(name: str, layers: int, size: int = HIDDEN) -> list[Recipe]:
        shapes = [size, HIDDEN] if name == "LSTM" else [size]
        return [normal(layers, BATCH, size, scale=0.5) for size in shapes]

    for name in GATES:
        add(name, "", x)
        add(name, "states", x, *states(name, 1))
        add(name, "deep", first, *states(name, 4), num_layers=2, bidirectional=True, batch_first=True)
        add(name, "plain", normal(STEPS, INPUT), bias=False)
        add(name, "packed", x, *states(name, 2), bidirectional=True, lengths=[2, 5, 3])
        cell = f"{name}Cell"
        row = [normal(BATCH, HIDDEN) for _ in states(name, 1)]
        add(cell, "", normal(BATCH, INPUT), *row)
        add(cell, "plain", normal(INPUT), bias=False)
    add("RNN", "relu", x, nonlinearity="relu", num_layers=2)
    add("RNNCell", "relu", normal(BATCH, INPUT), nonlinearity="relu")
    add("LSTM", "projected", x, *states("LSTM", 2, 2), bidirectional=True, proj_size=2)
    add("LSTM", "projected_packed", x, num_layers=2, proj_size=2, lengths=[5, 1, 4])


def fused(book: Book) -> None:
    x, weight, bias = normal(2, 3, 4), normal(5, 4), normal(5)
    for name in ("relu", "gelu", "sigmoid", "swish", "tanh"):
        product = {"input": x, "weight": weight, "bias": bias}
        book.case(f"gemm_bias_{name}", "", product, tags=["sums"])
    for name in ("relu", "gelu", "gelu_tanh", "sigmoid", "silu", "tanh"):
        sums = {"input": normal(2, 3, 4, scale=3), "bias": normal(3, 1)}
        book.case("bias_activation", name, sums, tags=["sums"], activation=name)
    for training in (False, True):
        # Dropout of all elements or of none, because the random numbers differ from PyTorch's.
        sums = {"input": x, "bias": normal(4)}
        book.case("bias_dropout", str(training).lower(), sums, p=1.0, training=training)
    book.case("relu_squared", "", {"input": off_halves(3, 4)})
    for op in ("layernorm_relu", "layernorm_gelu", "residual_layernorm"):
        more = {"residual": normal(3, 1, scale=2)} if op == "residual_layernorm" else {}
        given = {"input": normal(2, 3, 4), **more}
        book.case(op, "", given, tags=["sums"], normalized_shape=[3, 4], eps=0.1)
        given = {**given, "weight": normal(4), "bias": normal(4)}
        book.case(op, "affine", given, tags=["sums"], normalized_shape=[4])
    for variant, more in {"": {}, "weight": {"norm_weight": normal(4)}}.items():
        given = {"input": ints(0, 5, 2, 3), "weight": normal(5, 4), **more}
        book.case("embedding_rms_norm", variant, given, tags=["sums"], eps=0.1)


FAMILIES: dict[str, Callable[[Book], None]] = {"fused": fused, "recurrent": recurrent}
