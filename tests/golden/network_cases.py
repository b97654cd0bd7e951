"""The cases of functions of torch.nn.functional that are made of several ops. NumPy only."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from golden_cases import (
    INF,
    NAN,
    Array,
    Book,
    Json,
    Recipe,
    distinct,
    few,
    fixed,
    ints,
    normal,
    off_halves,
    signed,
    spiked,
    uniform,
)

HOWS = ("mean", "sum", "none")


def whole(low: int, high: int, *shape: int) -> Recipe:
    """Whole numbers as floats."""
    return lambda rng: rng.integers(low, high, size=shape).astype(np.float64)


def activation(book: Book) -> None:
    settings: list[tuple[str, str, Json]] = [
        ("threshold", "", {"threshold": 0.25, "value": -3.0}),
        ("hardtanh", "", {}),
        ("hardtanh", "bounds", {"min_val": -0.5, "max_val": 2.0}),
        ("relu6", "", {}),
        ("leaky_relu", "", {}),
        ("leaky_relu", "slope", {"negative_slope": -0.5}),
        ("rrelu", "", {}),
        ("rrelu", "bounds", {"lower": 0.25, "upper": 0.5}),
        ("hardsigmoid", "", {}),
        ("hardswish", "", {}),
        ("softplus", "", {}),
        ("softplus", "beta", {"beta": 1.5, "threshold": 2.0}),
        ("hardshrink", "", {}),
        ("hardshrink", "lambd", {"lambd": 1.0}),
        ("softshrink", "", {}),
        ("softshrink", "lambd", {"lambd": 1.0}),
        ("celu", "", {}),
        ("celu", "alpha", {"alpha": 0.25}),
        ("celu", "negative", {"alpha": -2.0}),
        ("selu", "", {}),
        ("mish", "", {}),
        ("softsign", "", {}),
        ("tanhshrink", "", {}),
        ("logsigmoid", "", {}),
    ]
    for op, variant, kwargs in settings:
        tail = f"_{variant}" if variant else ""
        book.case(op, variant, {"input": normal(3, 4, 5, scale=3)}, **kwargs)
        # Multiples of one half: where the pieces meet.
        book.case(op, f"kinks{tail}", {"input": fixed(np.arange(-14, 15) / 2)}, tags=["kink"], **kwargs)
        if variant != "negative":
            far = {"input": fixed([-1e4, -100.0, -20.0, 20.0, 100.0, 1e4])}
            book.case(op, f"far{tail}", far, **kwargs)
        nan = {"input": fixed([NAN, 1.0])}
        book.case(op, f"nan{tail}", nan, grad=False, **kwargs)
    for variant, shape, weights in [
        ("one", (3, 4), 1),
        ("channels", (3, 4, 2, 2), 4),
        ("row", (5,), 1),
        ("table", (2, 3), 3),
    ]:
        book.case("prelu", variant, {"input": off_halves(*shape), "weight": uniform(0.1, 0.9, weights)})
    for dim in (0, 1, -1):
        inputs = {"input": normal(4, 6, 2)}
        book.case("glu", f"d{dim}".replace("-", "m"), inputs, dim=dim)
        book.case("softmin", f"d{dim}".replace("-", "m"), inputs, dim=dim)


def distance(book: Book) -> None:
    cube, other = normal(3, 4, 5), normal(3, 4, 5)
    for dim in (0, 1, -1):
        tail = f"d{dim}".replace("-", "m")
        for p in (1.0, 2.0, 3.0, 0.5, INF):
            book.case("normalize", f"{tail}_p{p:g}", {"input": cube}, p=p, dim=dim)
        book.case("cosine_similarity", tail, {"x1": cube, "x2": other}, dim=dim)
    book.case("normalize", "zeros", {"input": fixed(np.zeros((2, 3)))}, tags=["zeros"])
    book.case("normalize", "eps", {"input": normal(2, 3)}, eps=2.5)
    book.case("cosine_similarity", "row", {"x1": normal(4, 5), "x2": normal(5)}, dim=-1)
    book.case("cosine_similarity", "eps", {"x1": normal(4, 5), "x2": normal(4, 5)}, dim=1, eps=2.0)
    pair = {"x1": normal(4, 5), "x2": normal(4, 5)}
    for p in (1.0, 2.0, 3.0, INF):
        book.case("pairwise_distance", f"p{p:g}", pair, p=p)
        book.case("pdist", f"p{p:g}", {"input": normal(5, 3)}, p=p)
    book.case("pairwise_distance", "keep", pair, keepdim=True, eps=0.1)
    book.case("pairwise_distance", "row", {"x1": normal(4, 5), "x2": normal(5)})
    book.case("pdist", "equal_rows", {"input": fixed([[1.0, 2.0], [1.0, 2.0], [0.0, 1.0]])}, tags=["kink"])


def regression(book: Book) -> None:
    x, y, w = normal(3, 4), normal(3, 4), uniform(0.2, 2, 3, 4)
    for how in HOWS:
        pair = {"input": x, "target": y}
        for op in ("mse_loss", "l1_loss"):
            book.case(op, how, pair, reduction=how)
        for delta in (1.0, 0.3):
            book.case("huber_loss", f"{how}_{delta:g}", pair, reduction=how, delta=delta)
        for beta in (1.0, 0.3, 0.0):
            book.case("smooth_l1_loss", f"{how}_{beta:g}", pair, reduction=how, beta=beta)
        for op in ("huber_loss", "smooth_l1_loss"):
            ends = {"input": few(4, 6), "target": few(4, 6)}
            book.case(op, f"{how}_ends", ends, reduction=how, tags=["kink"])
        for full in (False, True):
            tail = f"{how}_full" if full else how
            counts = whole(0, 6, 3, 4)
            for log in (False, True):
                rate = normal(3, 4) if log else uniform(0.5, 4, 3, 4)
                inputs = {"input": rate, "target": counts}
                kwargs: Json = {"full": full, "log_input": log, "reduction": how}
                # (PyTorch's gradient by a target of 0 is NaN where full is set.)
                kwargs["constants"] = ["target"] if full else []
                name = f"{tail}_{'log' if log else 'rate'}"
                book.case("poisson_nll_loss", name, inputs, **kwargs)
            for variant, shape in [("same", (3, 4)), ("rows", (3,)), ("one", (3, 1))]:
                inputs = {"input": x, "target": y, "var": uniform(0.2, 2, *shape)}
                book.case("gaussian_nll_loss", f"{tail}_{variant}", inputs, full=full, reduction=how)
        small = {"input": x, "target": y, "var": uniform(0.0, 0.2, 3, 4)}
        book.case("gaussian_nll_loss", f"{how}_eps", small, eps=0.1, reduction=how)
    for how in (*HOWS, "batchmean"):
        shares = {"input": uniform(-3, -0.1, 3, 4), "target": spiked(uniform(0.1, 1, 3, 4), 0.0, 0.0)}
        # (PyTorch's gradient of 0 log 0 by the target is NaN or -inf: values only.)
        book.case("kl_div", f"{how}_zero", shares, grad=False, reduction=how)
        shares = {"input": uniform(-3, -0.1, 3, 4), "target": uniform(0.1, 1, 3, 4)}
        book.case("kl_div", how, shares, reduction=how)
        logs = {"input": uniform(-3, -0.1, 3, 4), "target": uniform(-3, -0.1, 3, 4)}
        book.case("kl_div", f"{how}_log", logs, reduction=how, log_target=True)
    for op in ("mse_loss", "l1_loss", "huber_loss"):
        for how in HOWS:
            book.case(op, f"{how}_weight", {"input": x, "target": y, "weight": w}, reduction=how)


def label(book: Book) -> None:
    """Losses of classes and labels."""
    shares, chances = uniform(0, 1, 3, 4), uniform(0.02, 0.98, 3, 4)
    logits, signs = normal(3, 4, scale=3), signed(1, 1, 3, 4)
    row = uniform(0.2, 2, 4)
    bits = whole(0, 2, 3, 4)
    for how in HOWS:
        for variant, weight in [("", None), ("_weight", uniform(0.2, 2, 3, 4)), ("_row", row)]:
            extra = {} if weight is None else {"weight": weight}
            name = f"{how}{variant}"
            inputs = {"input": chances, "target": shares, **extra}
            book.case("binary_cross_entropy", name, inputs, constants=["weight"], reduction=how)
            inputs = {"input": logits, "target": shares, **extra}
            book.case("binary_cross_entropy_with_logits", name, inputs, constants=["weight"], reduction=how)
            if variant != "_weight":
                inputs = {"input": logits, "target": bits, **extra}
                book.case("multilabel_soft_margin_loss", name, inputs, reduction=how)
        inputs = {"input": logits, "target": shares, "pos_weight": row}
        fixed_ones: Json = {"constants": ["pos_weight"], "reduction": how}
        book.case("binary_cross_entropy_with_logits", f"{how}_positive", inputs, **fixed_ones)
        inputs = {"input": fixed([-200.0, -30.0, 30.0, 200.0]), "target": fixed([1.0, 0.0, 1.0, 0.0])}
        book.case("binary_cross_entropy_with_logits", f"{how}_far", inputs, reduction=how)
        ends = {"input": fixed([0.0, 0.0, 1.0, 1.0, 0.5]), "target": fixed([0.0, 1.0, 0.0, 1.0, 0.25])}
        kwargs = {"constants": ["target"], "tags": ["kink"], "reduction": how}
        book.case("binary_cross_entropy", f"{how}_ends", ends, **kwargs)
        book.case(
            "soft_margin_loss", how, {"input": logits, "target": signs}, reduction=how, constants=["target"]
        )
        inputs = {"inputs": logits, "targets": bits}
        book.case("sigmoid_focal_loss", how, inputs, constants=["targets"], reduction=how)
        kwargs: Json = {"reduction": how, "alpha": -1.0, "gamma": 1.5}
        book.case("sigmoid_focal_loss", f"{how}_gamma", inputs, constants=["targets"], **kwargs)
        for variant, x, y in [
            ("nc", normal(6, 5, scale=2), uniform(0, 1, 6, 5)),
            ("ncd", normal(2, 5, 3), uniform(0, 1, 2, 5, 3)),
            ("row", normal(5), uniform(0, 1, 5)),
        ]:
            for smooth in (0.0, 0.2):
                kwargs = {"reduction": how, "label_smoothing": smooth}
                name = f"shares_{variant}_{how}" + ("_smooth" if smooth else "")
                book.case("cross_entropy", name, {"input": x, "target": y}, **kwargs)
            inputs = {"input": x, "target": y, "weight": uniform(0.2, 2, 5)}
            book.case("cross_entropy", f"shares_{variant}_{how}_weight", inputs, reduction=how)
        one = {"input": normal(5), "target": fixed(3)}
        for op in ("cross_entropy", "nll_loss"):
            book.case(op, f"one_{how}", one, reduction=how)
    lengths: Json = {"input_lengths": [6, 5, 6], "target_lengths": [2, 3, 1]}
    rows = {"logits": normal(6, 3, 4), "targets": fixed([[1, 2, 0], [3, 3, 1], [2, 0, 0]])}
    flat = {"logits": normal(6, 3, 4), "targets": fixed([1, 2, 3, 3, 1, 2])}
    for how in HOWS:
        book.case("ctc_loss", f"rows_{how}", rows, reduction=how, **lengths)
        book.case("ctc_loss", f"flat_{how}", flat, reduction=how, **lengths)
        other = {"logits": normal(6, 3, 4), "targets": fixed([[1, 2, 3], [0, 3, 1], [2, 0, 0]])}
        book.case(
            "ctc_loss",
            f"blank_{how}",
            other,
            reduction=how,
            blank=3,
            **{**lengths, "target_lengths": [2, 1, 2]},
        )
        short: Json = {"input_lengths": [6, 2, 6], "target_lengths": [2, 3, 1]}
        book.case("ctc_loss", f"short_{how}", rows, reduction=how, zero_infinity=True, **short)
        book.case("ctc_loss", f"infinite_{how}", rows, reduction=how, grad=False, **short)
    single = {"logits": normal(6, 4), "targets": fixed([1, 1])}
    classes: Json = {"input": normal(7, 5), "linear_weight": normal(6, 5), "linear_bias": normal(6)}
    cube = {"input": normal(4, 5), "linear_weight": normal(6, 2, 3, 5), "linear_bias": normal(6, 2, 3)}
    for how in HOWS:
        at = {**classes, "target": ints(0, 6, 7), "weight": uniform(0.2, 2, 6)}
        given: Json = {"constants": ["target", "weight"], "tags": ["sums"], "reduction": how}
        book.case("linear_cross_entropy", how, at, ignore_index=3, label_smoothing=0.1, **given)
        book.case("linear_cross_entropy", f"cube_{how}", {**cube, "target": ints(0, 6, 4, 2, 3)}, **given)
    book.case("ctc_loss", "single", single, input_lengths=[6], target_lengths=[2])
    empty = {"logits": normal(3, 1, 4), "targets": fixed([[1]])}
    book.case("ctc_loss", "empty_target", empty, input_lengths=[3], target_lengths=[0], reduction="sum")


def margin(book: Book) -> None:
    x, y, signs = normal(5, 4), normal(5, 4), signed(1, 1, 5)
    for how in HOWS:
        near = {"input": normal(5), "target": signs}
        book.case("hinge_embedding_loss", how, near, reduction=how, constants=["target"])
        book.case(
            "hinge_embedding_loss", f"{how}_margin", near, reduction=how, margin=0.3, constants=["target"]
        )
        pair = {"input1": normal(5), "input2": normal(5), "target": signs}
        book.case("margin_ranking_loss", how, pair, reduction=how, constants=["target"])
        book.case(
            "margin_ranking_loss", f"{how}_margin", pair, reduction=how, margin=0.5, constants=["target"]
        )
        at = {"input": x, "target": ints(0, 4, 5)}
        for p in (1, 2):
            book.case("multi_margin_loss", f"{how}_p{p}", at, reduction=how, p=p, margin=0.7)
        weighted = {**at, "weight": uniform(0.2, 2, 4)}
        book.case("multi_margin_loss", f"{how}_weight", weighted, constants=["weight"], reduction=how)
        book.case("multi_margin_loss", f"{how}_row", {"input": normal(4), "target": fixed(2)}, reduction=how)
        several = fixed([[3, 0, -1, 1], [-1, 1, 2, 3], [0, 1, 2, 3], [2, -1, 0, -1], [1, 3, -1, -1]])
        book.case("multilabel_margin_loss", how, {"input": x, "target": several}, reduction=how)
        row = {"input": normal(4), "target": fixed([3, 0, -1, 1])}
        book.case("multilabel_margin_loss", f"{how}_row", row, reduction=how)
        for edge in (0.0, 0.3):
            both = {"input1": x, "input2": y, "target": signs}
            book.case(
                "cosine_embedding_loss",
                f"{how}_{edge:g}",
                both,
                reduction=how,
                margin=edge,
                constants=["target"],
            )
        three = {"anchor": x, "positive": y, "negative": normal(5, 4)}
        for variant, kwargs in [("", {}), ("_swap", {"swap": True}), ("_p1", {"p": 1.0, "margin": 2.0})]:
            book.case("triplet_margin_loss", f"{how}{variant}", three, reduction=how, **kwargs)
        book.case("triplet_margin_with_distance_loss", how, three, reduction=how, margin=0.5)
        likes = {"input1": x, "input2": y, "target": whole(0, 2, 5)}
        book.case("contrastive_loss", how, likes, constants=["target"], reduction=how, margin=3.0)
    lone = {"input1": normal(4), "input2": normal(4), "target": fixed(-1)}
    book.case("cosine_embedding_loss", "lone", lone, constants=["target"])


def padding(book: Book) -> None:
    shapes: list[tuple[str, tuple[int, ...], list[int]]] = [
        ("1d", (2, 3, 5), [2, 1]),
        ("2d", (2, 2, 4, 5), [1, 3, 2, 0]),
        ("3d", (1, 2, 3, 4, 3), [1, 2, 0, 1, 2, 1]),
        ("2d_unbatched", (2, 4, 5), [1, 3, 2, 0]),
        ("negative", (2, 2, 5, 6), [-1, 2, 1, -2]),
    ]
    for variant, shape, pad in shapes:
        for mode in ("constant", "reflect", "replicate", "circular"):
            book.case("pad", f"{mode}_{variant}", {"input": normal(*shape)}, pad=pad, mode=mode)
        book.case("pad", f"value_{variant}", {"input": normal(*shape)}, pad=pad, value=2.5)
    book.case("pad", "lead", {"input": normal(2, 3)}, pad=[0, 0, 1, 1])
    book.case("pad", "none", {"input": normal(2, 3)}, pad=[0, 0])
    integers = {"input": ints(-5, 5, 2, 4)}
    book.case("pad", "int", integers, dtypes=("int64",), pad=[1, 2], value=7)
    book.case(
        "pad",
        "permuted",
        {"input": normal(2, 3, 5)},
        permuted={"input": [2, 0, 1]},
        pad=[2, 1],
        mode="reflect",
    )
    for r in (2, 3):
        book.case("pixel_shuffle", f"r{r}", {"input": normal(2, 2 * r * r, 3, 2)}, upscale_factor=r)
        book.case("pixel_unshuffle", f"r{r}", {"input": normal(2, 2, 3 * r, 2 * r)}, downscale_factor=r)
    book.case("pixel_shuffle", "lead", {"input": normal(4, 3, 2)}, upscale_factor=2)
    book.case("channel_shuffle", "", {"input": normal(2, 6, 3, 2)}, groups=3)
    book.case("channel_shuffle", "3d", {"input": normal(2, 4, 3)}, groups=2)


def _apart(*shape: int) -> Recipe:
    """Numbers with which no window of the cases begins within a rounding of bfloat16 of another index."""
    return lambda rng: rng.choice([0.1, 0.7], size=shape)


def window(book: Book) -> None:
    sizes: dict[int, tuple[int, ...]] = {1: (2, 2, 9), 2: (1, 2, 6, 7), 3: (1, 1, 5, 4, 5)}
    for rank, shape in sizes.items():
        x, op = {"input": normal(*shape)}, f"max_pool{rank}d"
        for variant, kwargs in [
            ("dilated", {"kernel_size": 2, "stride": 1, "dilation": 2}),
            ("ceil", {"kernel_size": 3, "stride": 2, "ceil_mode": True}),
            ("ceil_padded", {"kernel_size": 2, "stride": 3, "padding": 1, "ceil_mode": True}),
            ("indices", {"kernel_size": 2, "return_indices": True}),
            ("overlap", {"kernel_size": 3, "stride": 1, "padding": 1, "return_indices": True}),
        ]:
            book.case(op, f"w_{variant}", x, **kwargs)
        book.case(
            op, "w_ties", {"input": few(*shape)}, tags=["ties"], kernel_size=3, stride=2, ceil_mode=True
        )
        book.case(op, "w_unbatched", {"input": normal(*shape[1:])}, kernel_size=2)
        plane: Json = {"kernel_size": 3, "stride": 2, "ceil_mode": True}
        op = f"avg_pool{rank}d"
        plane["tags"] = ["sums"]
        book.case(op, "w_ceil", x, **plane)
        book.case(op, "w_ceil_padded", x, padding=1, **plane)
        book.case(op, "w_ceil_no_pad", x, padding=1, count_include_pad=False, **plane)
        book.case(op, "w_unbatched", {"input": normal(*shape[1:])}, kernel_size=2)
        if rank > 1:
            book.case(op, "w_divisor", x, tags=["sums"], kernel_size=2, stride=1, divisor_override=3)
        for count in (1, 2, 3, 4):
            size = [count] * rank
            book.case(f"adaptive_avg_pool{rank}d", f"n{count}", x, output_size=size)
            kwargs = {"output_size": size, "return_indices": True}
            book.case(f"adaptive_max_pool{rank}d", f"n{count}", x, **kwargs)
        book.case(f"adaptive_max_pool{rank}d", "ties", {"input": few(*shape)}, tags=["ties"], output_size=3)
        book.case(f"adaptive_avg_pool{rank}d", "unbatched", {"input": normal(*shape[1:])}, output_size=3)
        for norm in (1.0, 2.0, 3.0):
            book.case(
                f"lp_pool{rank}d",
                f"p{norm:g}",
                {"input": uniform(0.2, 2, *shape)},
                norm_type=norm,
                kernel_size=2,
            )
        kwargs = {"norm_type": 2.0, "kernel_size": 3, "stride": 2, "ceil_mode": True}
        book.case(f"lp_pool{rank}d", "ceil", x, **kwargs)
        lanes = {"input": normal(2, 3, *[2] * rank), "indices": _corners(rank)}
        book.case(f"max_unpool{rank}d", "", lanes, kernel_size=2)
        if rank > 1:
            lengths: Json = {2: [7, 9], 3: [6, 8, 7]}[rank]
            numbers = {"input": normal(2, 2, *lengths), "_random_samples": _apart(2, 2, rank)}
            chosen: Json = {"constants": ["_random_samples"], "return_indices": True}
            name = f"fractional_max_pool{rank}d"
            book.case(name, "", numbers, kernel_size=2, output_size=[4, 6, 5][:rank], **chosen)
            book.case(
                name, "ratio", numbers, kernel_size=[1, 3, 2][:rank], output_ratio=[0.6] * rank, **chosen
            )
        book.case(f"max_unpool{rank}d", "size", lanes, kernel_size=2, output_size=[4] * rank)
    book.case("adaptive_avg_pool2d", "none", {"input": normal(2, 2, 5, 6)}, output_size=[None, 3])
    book.case("adaptive_max_pool2d", "none", {"input": normal(2, 2, 5, 6)}, output_size=[2, None])
    book.case("adaptive_avg_pool2d", "larger", {"input": normal(2, 2, 3, 2)}, output_size=[5, 4])
    image = {"input": normal(2, 3, 6, 7)}
    for variant, kwargs in [
        ("plain", {"kernel_size": 3}),
        ("all", {"kernel_size": [2, 3], "dilation": [2, 1], "padding": [1, 2], "stride": [2, 1]}),
        ("stride", {"kernel_size": 2, "stride": 2}),
    ]:
        book.case("unfold", variant, image, **kwargs)
    book.case("unfold", "unbatched", {"input": normal(2, 5, 4)}, kernel_size=2)
    book.case("fold", "plain", {"input": normal(2, 18, 20)}, output_size=[6, 7], kernel_size=3)
    kwargs = {"kernel_size": [2, 3], "dilation": [2, 1], "padding": [1, 2], "stride": [2, 1]}
    book.case("fold", "all", {"input": normal(2, 12, 27)}, output_size=[6, 7], **kwargs)
    book.case("fold", "unbatched", {"input": normal(8, 6)}, output_size=[4, 3], kernel_size=2)
    for size in (1, 2, 3, 5):
        book.case("local_response_norm", f"n{size}", {"input": normal(2, 4, 3, 2)}, size=size)
    line = {"input": normal(2, 5, 3)}
    book.case("local_response_norm", "all", line, size=3, alpha=0.5, beta=0.6, k=2.0)


def _corners(rank: int) -> Recipe:
    """Different positions below 4 ** rank for 2 ** rank maxima."""

    def draw(rng: np.random.Generator) -> Array:
        found = distinct(4**rank, 2, 2, 3, 2**rank)(rng)
        return found.reshape(2, 3, *[2] * rank)

    return draw


def resize(book: Book) -> None:
    shapes: dict[int, tuple[int, ...]] = {1: (1, 2, 5), 2: (1, 1, 5, 4), 3: (1, 1, 3, 4, 3)}
    modes = {1: ["linear"], 2: ["bicubic"], 3: ["trilinear"]}
    for rank, shape in shapes.items():
        x = {"input": normal(*shape)}
        for mode in ("nearest", "nearest-exact", "area", *modes[rank]):
            for variant, size in [("up", 7), ("down", 2), ("mixed", [5, 2, 4][:rank])]:
                corners = (None,) if mode in ("nearest", "nearest-exact", "area") else (False, True)
                for corner in corners:
                    tail = f"{mode}_{rank}d_{variant}" + ("_corners" if corner else "")
                    kwargs: Json = {"size": size, "mode": mode}
                    if corner is not None:
                        kwargs["align_corners"] = corner
                    book.case("interpolate", tail, x, **kwargs)
            for factor in (1.7, 0.6):
                for again in (None, True):
                    kwargs = {"scale_factor": factor, "mode": mode}
                    tail = f"{mode}_{rank}d_x{factor:g}"
                    if again:
                        kwargs["recompute_scale_factor"], tail = True, f"{tail}_again"
                    book.case("interpolate", tail, x, tags=["scale_factor"], **kwargs)
    image = {"input": normal(1, 1, 9, 7)}
    for mode in ("bilinear", "bicubic"):
        for variant, size in [("down", [4, 3]), ("up", [11, 9]), ("mixed", [5, 12])]:
            for corner in (False, True):
                kwargs = {"size": size, "mode": mode, "align_corners": corner, "antialias": True}
                tail = f"antialias_{mode}_{variant}" + ("_corners" if corner else "")
                book.case("interpolate", tail, image, **kwargs)


def table(book: Book) -> None:
    weight, ids = {"weight": normal(7, 4)}, {"input": ints(0, 7, 3, 5)}
    book.case("embedding", "", {**ids, **weight})
    book.case("embedding", "padding", {**ids, **weight}, padding_idx=2)
    book.case("embedding", "padding_last", {**ids, **weight}, padding_idx=-1)
    book.case("embedding", "shared", {**ids, **weight}, scale_grad_by_freq=True)
    flat = {"input": ints(0, 7, 9), **weight, "offsets": fixed([0, 3, 3, 7])}
    for mode in ("sum", "mean", "max"):
        book.case("embedding_bag", f"rows_{mode}", {**ids, **weight}, mode=mode)
        book.case("embedding_bag", f"flat_{mode}", flat, mode=mode)
        book.case("embedding_bag", f"padding_{mode}", flat, mode=mode, padding_idx=3)
        ends = {**flat, "offsets": fixed([0, 2, 2, 6, 9])}
        book.case("embedding_bag", f"ends_{mode}", ends, mode=mode, include_last_offset=True)
    weighted = {**ids, **weight, "per_sample_weights": normal(3, 5)}
    book.case("embedding_bag", "weighted", weighted, mode="sum")
    book.case("one_hot", "", {"tensor": ints(0, 5, 2, 3)}, dtypes=("int64",), num_classes=5)
    book.case("one_hot", "largest", {"tensor": fixed([[0, 2], [3, 1]])}, dtypes=("int64",))
    w, b = {"weight": normal(6, 5)}, {"bias": normal(6)}
    book.case("linear", "rank3", {"input": normal(2, 3, 5), **w, **b})
    book.case("linear", "plain", {"input": normal(3, 5), **w})
    left, right = {"input1": normal(2, 3, 4)}, {"input2": normal(2, 3, 5)}
    cube = {"weight": normal(6, 4, 5)}
    book.case("bilinear", "", {**left, **right, **cube, **b})
    book.case("bilinear", "plain", {"input1": normal(3, 4), "input2": normal(3, 5), **cube})


FAMILIES: dict[str, Callable[[Book], None]] = {
    "activation": activation,
    "distance": distance,
    "label": label,
    "margin": margin,
    "padding": padding,
    "regression": regression,
    "resize": resize,
    "table": table,
    "window": window,
}
