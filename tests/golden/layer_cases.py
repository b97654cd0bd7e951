"""The cases of layers and losses of torch.nn: settings of the layer, then its inputs. NumPy only.

The op is the class; `kwargs` are its settings; an input `state.<key>` is put into its state; the other inputs
are passed by position.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from golden_cases import Book, Json, Recipe, distinct, fixed, ints, normal, signed, uniform

SHAPES: dict[int, tuple[int, ...]] = {1: (2, 2, 8), 2: (1, 2, 5, 6), 3: (1, 1, 4, 4, 3)}


def layer(book: Book) -> None:
    def add(name: str, variant: str, *inputs: Recipe, state: Json | None = None, **more: Any) -> None:
        given = {f"x{i}": x for i, x in enumerate(inputs)}
        given |= {f"state.{key}": x for key, x in (state or {}).items()}
        more.setdefault("constants", []).extend(f"state.{key}" for key in state or {})
        book.case(name, variant, given, **more)

    x = normal(3, 4, scale=3)
    plain = [
        "ReLU",
        "ReLU6",
        "SELU",
        "SiLU",
        "Mish",
        "Softsign",
        "Tanhshrink",
        "LogSigmoid",
        "Tanh",
        "Sigmoid",
    ]
    for name in [*plain, "Hardsigmoid", "Hardswish", "GELU", "ELU", "CELU", "LeakyReLU", "Hardtanh", "GLU"]:
        add(name, "", x)
    for name, kwargs in [
        ("Threshold", {"threshold": 0.25, "value": -1.0}),
        ("Hardtanh", {"min_val": -0.5, "max_val": 2.0}),
        ("LeakyReLU", {"negative_slope": 0.3}),
        ("ELU", {"alpha": 0.3}),
        ("CELU", {"alpha": 0.3}),
        ("GELU", {"approximate": "tanh"}),
        ("Softplus", {"beta": 1.5, "threshold": 2.0}),
        ("Hardshrink", {"lambd": 0.7}),
        ("Softshrink", {"lambd": 0.7}),
        ("GLU", {"dim": 1}),
        ("Softmax", {"dim": 0}),
        ("LogSoftmax", {"dim": 1}),
        ("Softmin", {"dim": 1}),
        ("Identity", {}),
        ("Flatten", {"start_dim": 0}),
        ("Unflatten", {"dim": 1, "unflattened_size": [2, 2]}),
    ]:
        add(name, "set", x, **kwargs)
    add("Softmax2d", "", normal(2, 3, 2, 2))
    _normalizations(add)
    add("PReLU", "", x)
    add("PReLU", "channels", x, state={"weight": uniform(0.1, 0.9, 4)}, num_parameters=4)
    add("PixelShuffle", "", normal(1, 8, 3, 2), upscale_factor=2)
    add("PixelUnshuffle", "", normal(1, 2, 6, 4), downscale_factor=2)
    add("ChannelShuffle", "", normal(1, 6, 4), groups=3)
    for rank, shape in SHAPES.items():
        line = normal(*shape)
        add(f"ConstantPad{rank}d", "", line, padding=[1, 2] * rank, value=1.5)
        for kind in ("Zero", "Reflection", "Replication", "Circular"):
            add(f"{kind}Pad{rank}d", "", line, padding=[1, 2] * rank)
            add(f"{kind}Pad{rank}d", "number", line, padding=1)
        windows: Json = {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True}
        add(f"MaxPool{rank}d", "", line, **windows)
        add(f"MaxPool{rank}d", "indices", line, kernel_size=2, return_indices=True)
        add(f"AvgPool{rank}d", "", line, tags=["sums"], **windows)
        add(f"AvgPool{rank}d", "inside", line, tags=["sums"], count_include_pad=False, **windows)
        add(f"LPPool{rank}d", "", line, tags=["sums"], norm_type=2, kernel_size=2)
        add(f"AdaptiveAvgPool{rank}d", "", line, tags=["sums"], output_size=3)
        add(f"AdaptiveMaxPool{rank}d", "", line, output_size=3, return_indices=True)
        corners: Recipe = lambda rng, rank=rank: distinct(4**rank, 2, 2, 3, 2**rank)(rng).reshape(  # noqa: E731
            2, 3, *[2] * rank
        )
        add(f"MaxUnpool{rank}d", "", normal(2, 3, *[2] * rank), corners, kernel_size=2)
        _convolutions(add, rank, shape)
    clusters = {
        "head.weight": normal(5, 6),
        "head.bias": normal(5),
        "tail.0.0.weight": normal(3, 6),
        "tail.0.1.weight": normal(4, 3),
        "tail.1.0.weight": normal(1, 6),
        "tail.1.1.weight": normal(3, 1),
    }
    sizes: Json = {"in_features": 6, "n_classes": 10, "cutoffs": [3, 7], "div_value": 2.0, "head_bias": True}
    rows = normal(8, 6, scale=2)
    add(
        "AdaptiveLogSoftmaxWithLoss",
        "",
        rows,
        fixed([0, 9, 4, 2, 7, 3, 6, 1]),
        state=clusters,
        tags=["sums"],
        **sizes,
    )
    add(
        "AdaptiveLogSoftmaxWithLoss",
        "head",
        rows,
        fixed([2, 1, 0, 0, 1, 2, 2, 0]),
        state=clusters,
        tags=["sums"],
        **sizes,
    )
    for mode, rank in [("nearest", 2), ("linear", 1), ("bilinear", 2), ("bicubic", 2), ("trilinear", 3)]:
        add("Upsample", mode, normal(*SHAPES[rank]), tags=["sums"], scale_factor=1.5, mode=mode)
    for name in ("UpsamplingNearest2d", "UpsamplingBilinear2d"):
        add(name, "", normal(*SHAPES[2]), tags=["sums"], size=[4, 9])
    add("Unfold", "", normal(*SHAPES[2]), kernel_size=3, padding=1)
    add("Fold", "", normal(1, 18, 12), output_size=[5, 6], kernel_size=3)
    add("LocalResponseNorm", "", normal(2, 4, 3), size=3, alpha=0.5)
    pair = normal(3, 4), normal(3, 4)
    add("CosineSimilarity", "", *pair, tags=["sums"])
    add("PairwiseDistance", "", *pair, p=3.0, keepdim=True)
    add("Linear", "", x, state={"weight": normal(5, 4), "bias": normal(5)}, in_features=4, out_features=5)
    add("Linear", "plain", x, state={"weight": normal(5, 4)}, in_features=4, out_features=5, bias=False)
    cube = {"weight": normal(5, 4, 4), "bias": normal(5)}
    add("Bilinear", "", *pair, state=cube, in1_features=4, in2_features=4, out_features=5)
    entries: Json = {"num_embeddings": 7, "embedding_dim": 3}
    add("Embedding", "", ints(0, 7, 2, 4), state={"weight": normal(7, 3)}, **entries)
    for mode in ("sum", "mean", "max"):
        state = {"weight": normal(7, 3)}
        add(
            "EmbeddingBag",
            mode,
            ints(0, 7, 9),
            fixed([0, 3, 3]),
            state=state,
            mode=mode,
            tags=["sums"],
            **entries,
        )


def _normalizations(add: Callable[..., None]) -> None:
    affine = {"weight": uniform(0.5, 1.5, 4), "bias": normal(4)}
    add("LayerNorm", "", normal(3, 5, 4), state=affine, tags=["sums"], normalized_shape=[4])
    add(
        "LayerNorm",
        "plain",
        normal(3, 5, 4),
        tags=["sums"],
        normalized_shape=[5, 4],
        elementwise_affine=False,
    )
    weight = {"weight": uniform(0.5, 1.5, 4)}
    add("RMSNorm", "", normal(3, 5, 4), state=weight, tags=["sums"], normalized_shape=[4], eps=1e-3)
    add("GroupNorm", "", normal(3, 4, 5), state=affine, tags=["sums"], num_groups=2, num_channels=4)
    add(
        "GroupNorm",
        "scale",
        normal(3, 4, 5),
        state=weight,
        tags=["sums"],
        num_groups=1,
        num_channels=4,
        bias=False,
    )
    for rank, shape in {1: (5, 4, 3), 2: (3, 4, 2, 3), 3: (2, 4, 2, 3, 2)}.items():
        add(f"BatchNorm{rank}d", "", normal(*shape), tags=["sums"], num_features=4)
        plain: Json = {"num_features": 4, "affine": False, "track_running_stats": False}
        add(f"BatchNorm{rank}d", "plain", normal(*shape), tags=["sums"], **plain)
        add(f"InstanceNorm{rank}d", "", normal(*shape), tags=["sums"], num_features=4)
        add(
            f"InstanceNorm{rank}d",
            "affine",
            normal(*shape),
            state=affine,
            tags=["sums"],
            num_features=4,
            affine=True,
        )


def _convolutions(add: Callable[..., None], rank: int, shape: tuple[int, ...]) -> None:
    channels = shape[1]
    x = normal(*shape)
    kernel = [3, 2, 3][:rank]
    for mode in ("zeros", "reflect", "replicate", "circular"):
        state = {"weight": normal(4, channels, *kernel), "bias": normal(4)}
        kwargs: Json = {
            "in_channels": channels,
            "out_channels": 4,
            "kernel_size": kernel,
            "padding_mode": mode,
        }
        add(f"Conv{rank}d", mode, x, state=state, tags=["sums"], padding=1, **kwargs)
        if mode in ("zeros", "reflect"):
            add(f"Conv{rank}d", f"same_{mode}", x, state=state, tags=["sums"], padding="same", **kwargs)
    state = {"weight": normal(channels, 4, *kernel), "bias": normal(4)}
    kwargs = {"in_channels": channels, "out_channels": 4, "kernel_size": kernel, "stride": 2}
    name = f"ConvTranspose{rank}d"
    add(name, "", x, state=state, tags=["sums"], padding=1, output_padding=1, **kwargs)
    add(name, "unbatched", normal(*shape[1:]), state=state, tags=["sums"], **kwargs)


def criterion(book: Book) -> None:
    def add(name: str, *inputs: Recipe, state: Json | None = None, constant: str = "x1", **more: Any) -> None:
        given = {f"x{i}": x for i, x in enumerate(inputs)}
        given |= {f"state.{key}": x for key, x in (state or {}).items()}
        constants = [constant, *(key for key in given if key.startswith("state."))]
        for how in ("mean", "sum", "none"):
            tail = "_".join([how, *(k for k in more if k != "tags"), *(state or {})])
            book.case(name, tail, given, constants=constants, reduction=how, **more)

    x, y, signs = normal(3, 4), normal(3, 4), signed(1, 1, 3)
    shares = uniform(0.02, 0.98, 3, 4)
    for name in ("MSELoss", "L1Loss", "HuberLoss", "SmoothL1Loss", "BCEWithLogitsLoss"):
        add(name, x, shares)
    add("HuberLoss", x, y, delta=0.4)
    add("SmoothL1Loss", x, y, beta=0.4)
    add("KLDivLoss", uniform(-3, -0.1, 3, 4), shares)
    add("KLDivLoss", uniform(-3, -0.1, 3, 4), uniform(-3, -0.1, 3, 4), log_target=True)
    add("PoissonNLLLoss", x, uniform(0, 5, 3, 4))
    add("PoissonNLLLoss", uniform(0.5, 3, 3, 4), uniform(0, 5, 3, 4), log_input=False, full=True)
    add("GaussianNLLLoss", x, y, uniform(0.2, 2, 3, 4))
    add("GaussianNLLLoss", x, y, uniform(0.2, 2, 3, 4), full=True)
    add("BCELoss", shares, uniform(0, 1, 3, 4))
    row = uniform(0.2, 2, 4)
    add("SoftMarginLoss", x, signed(1, 1, 3, 4))
    add("MultiLabelSoftMarginLoss", x, shares)
    add("HingeEmbeddingLoss", normal(3), signs, margin=0.5)
    add("MarginRankingLoss", normal(3), normal(3), signs, constant="x2", margin=0.5)
    add("MultiMarginLoss", x, ints(0, 4, 3), p=2, margin=0.5)
    add("MultiLabelMarginLoss", x, fixed([[3, 0, -1, 1], [1, -1, 2, 3], [0, 1, 2, 3]]))
    add("CosineEmbeddingLoss", x, y, signs, constant="x2", margin=0.1)
    add("TripletMarginLoss", x, y, normal(3, 4), constant="", swap=True)
    add("TripletMarginWithDistanceLoss", x, y, normal(3, 4), constant="", margin=0.5)
    add("CrossEntropyLoss", x, ints(0, 4, 3), label_smoothing=0.1)
    add("CrossEntropyLoss", x, shares)
    add("NLLLoss", uniform(-5, -0.1, 3, 4), ints(0, 4, 3), ignore_index=2)
    for name in ("CrossEntropyLoss", "NLLLoss"):
        add(name, uniform(-5, -0.1, 3, 4), ints(0, 4, 3), state={"weight": row})
    linear = {"linear.weight": normal(4, 5), "linear.bias": normal(4)}
    sizes: Json = {"in_features": 5, "num_classes": 4, "bias": True}
    add("LinearCrossEntropyLoss", normal(3, 5), ints(0, 4, 3), state=linear, label_smoothing=0.1, **sizes)
    more = {"weight": row, **linear}
    add("LinearCrossEntropyLoss", normal(3, 5), ints(0, 4, 3), state=more, ignore_index=2, **sizes)
    add("BCEWithLogitsLoss", x, shares, state={"weight": row, "pos_weight": uniform(0.2, 2, 4)})
    add("BCELoss", shares, uniform(0, 1, 3, 4), state={"weight": row})
    add("MultiLabelSoftMarginLoss", x, shares, state={"weight": row})
    add("MultiMarginLoss", x, ints(0, 4, 3), state={"weight": row})


FAMILIES: dict[str, Callable[[Book], None]] = {"criterion": criterion, "layer": layer}
