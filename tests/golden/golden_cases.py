"""The cases of each golden family: op, inputs and arguments. Needs NumPy only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
Recipe: TypeAlias = Callable[[np.random.Generator], Array]
Json: TypeAlias = dict[str, Any]

FLOATS = ("float32", "float64")
HALVES = ("bfloat16", "float16")
NAN, INF = float("nan"), float("inf")


class Book(Protocol):
    """The receiver of the cases: make_golden.py writes files from them, tests/peers compares them live."""

    def case(
        self,
        op: str,
        variant: str,
        inputs: dict[str, Recipe],
        *,
        dtypes: Sequence[str] = FLOATS,
        grad: bool = True,
        permuted: dict[str, list[int]] | None = None,
        tags: Sequence[str] = (),
        constants: Sequence[str] = (),
        **kwargs: Any,
    ) -> None: ...


# Recipes: what an input holds. Floats are rounded to float32, so that the float64 case of the
# same name has the same inputs and its outputs are the exact answer to the float32 case too.


def normal(*shape: int, scale: float = 1.0, offset: float = 0.0) -> Recipe:
    return lambda rng: rng.normal(size=shape) * scale + offset


def uniform(low: float, high: float, *shape: int) -> Recipe:
    return lambda rng: rng.uniform(low, high, size=shape)


def signed(low: float, high: float, *shape: int) -> Recipe:
    """Magnitudes in low..high with random signs, so that no number is near zero."""
    return lambda rng: rng.uniform(low, high, size=shape) * rng.choice([-1.0, 1.0], size=shape)


def off_halves(*shape: int) -> Recipe:
    """At least 0.1 away from every multiple of one half, where steps and kinks are."""

    def draw(rng: np.random.Generator) -> Array:
        return np.asarray(rng.integers(-8, 8, size=shape) * 0.5 + rng.uniform(0.1, 0.4, size=shape))

    return draw


def few(*shape: int) -> Recipe:
    """Multiples of one half in -2..2: many duplicates."""
    return lambda rng: np.asarray(rng.integers(-4, 5, size=shape) * 0.5)


def ints(low: int, high: int, *shape: int) -> Recipe:
    return lambda rng: rng.integers(low, high, size=shape)


def bools(*shape: int) -> Recipe:
    return lambda rng: np.asarray(rng.integers(0, 2, size=shape) == 1)


def distinct(size: int, dim: int, *shape: int) -> Recipe:
    """Indices below `size` that do not repeat along `dim`."""

    def draw(rng: np.random.Generator) -> Array:
        lanes = list(shape)
        lanes[dim] = size
        order = np.argsort(rng.random(lanes), axis=dim, kind="stable")
        return np.take(order, range(shape[dim]), axis=dim)

    return draw


def spiked(base: Recipe, *values: float) -> Recipe:
    """`base` with these values put at random positions."""

    def draw(rng: np.random.Generator) -> Array:
        out = base(rng)
        out.reshape(-1)[rng.permutation(out.size)[: len(values)]] = values
        return out

    return draw


def fixed(values: Any) -> Recipe:
    return lambda _rng: np.array(values)


def conv(book: Book) -> None:
    def add(
        op: str, variant: str, x: tuple[int, ...], w: tuple[int, ...], bias: int = 0, **kwargs: Any
    ) -> None:
        inputs = {"input": normal(*x), "weight": normal(*w, scale=0.5)}
        if bias:
            inputs["bias"] = normal(bias)
        book.case(op, variant, inputs, **kwargs)

    swap1, swap2, swap3 = [1, 0, 2], [1, 0, 3, 2], [1, 0, 4, 2, 3]
    add("conv1d", "plain", (2, 3, 9), (4, 3, 3), 4)
    add("conv1d", "k1", (2, 3, 5), (4, 3, 1))
    add("conv1d", "s2_p1", (2, 3, 10), (4, 3, 3), 4, stride=2, padding=1)
    add("conv1d", "p2_d2", (2, 3, 8), (5, 3, 3), 5, padding=2, dilation=2)
    add("conv1d", "g2", (2, 4, 7), (6, 2, 3), 6, groups=2)
    add("conv1d", "depthwise", (2, 3, 8), (6, 1, 4), stride=2, padding=1, groups=3)
    add("conv1d", "s3_p2_d2_g2", (2, 4, 13), (4, 2, 3), stride=3, padding=2, dilation=2, groups=2)
    add("conv1d", "permuted_weight", (2, 3, 9), (4, 3, 3), 4, permuted={"weight": swap1})
    add("conv1d", "permuted_input", (2, 3, 9), (4, 3, 3), stride=2, permuted={"input": [0, 2, 1]})

    add("conv2d", "plain", (2, 3, 6, 5), (4, 3, 3, 3), 4)
    add("conv2d", "k1", (2, 3, 4, 5), (4, 3, 1, 1), 4)
    add("conv2d", "k1_s2", (2, 3, 5, 6), (4, 3, 1, 1), stride=2)
    add("conv2d", "full_kernel", (2, 2, 3, 4), (3, 2, 3, 4), 3)
    add("conv2d", "even_kernel_p1", (2, 2, 5, 4), (3, 2, 2, 4), padding=1)
    add("conv2d", "s2_p1", (2, 3, 7, 6), (4, 3, 3, 3), 4, stride=2, padding=1)
    add("conv2d", "p12", (2, 2, 4, 5), (3, 2, 3, 2), 3, padding=[1, 2])
    add("conv2d", "s21_d12", (2, 2, 7, 8), (3, 2, 3, 3), stride=[2, 1], dilation=[1, 2])
    add("conv2d", "p2_d2", (2, 2, 5, 6), (3, 2, 3, 3), 3, padding=2, dilation=2)
    add("conv2d", "g2", (2, 4, 5, 5), (6, 2, 3, 3), 6, groups=2)
    add("conv2d", "depthwise", (2, 3, 6, 5), (6, 1, 3, 3), 6, padding=1, groups=3)
    add(
        "conv2d",
        "s32_p21_d12_g2",
        (2, 4, 8, 9),
        (4, 2, 3, 2),
        4,
        stride=[3, 2],
        padding=[2, 1],
        dilation=[1, 2],
        groups=2,
    )
    add("conv2d", "permuted_weight", (2, 3, 5, 6), (4, 3, 3, 2), 4, permuted={"weight": swap2})
    add("conv2d", "nhwc", (2, 3, 5, 6), (4, 3, 3, 3), padding=1, permuted={"input": [0, 2, 3, 1]})
    add(
        "conv2d",
        "permuted_both_g2",
        (2, 4, 5, 6),
        (4, 2, 3, 3),
        stride=2,
        padding=1,
        groups=2,
        permuted={"input": [3, 1, 0, 2], "weight": [2, 3, 1, 0]},
    )

    add("conv3d", "plain", (2, 2, 4, 5, 4), (3, 2, 2, 3, 3), 3)
    add("conv3d", "s2_p1", (2, 2, 4, 5, 5), (3, 2, 3, 3, 3), stride=2, padding=1)
    add("conv3d", "d2_p1", (2, 1, 5, 4, 5), (2, 1, 2, 2, 3), 2, padding=1, dilation=2)
    add("conv3d", "g2", (2, 4, 3, 4, 3), (4, 2, 2, 2, 2), 4, groups=2)
    add(
        "conv3d",
        "s121_p011_d112",
        (2, 2, 4, 5, 4),
        (2, 2, 2, 3, 2),
        stride=[1, 2, 1],
        padding=[0, 1, 1],
        dilation=[1, 1, 2],
    )
    add("conv3d", "permuted_weight", (2, 2, 3, 4, 4), (3, 2, 2, 2, 3), permuted={"weight": swap3})

    add("conv_transpose1d", "plain", (2, 3, 5), (3, 4, 3), 4)
    add("conv_transpose1d", "s2", (2, 3, 5), (3, 4, 3), 4, stride=2)
    add("conv_transpose1d", "s2_p1_op1", (2, 3, 5), (3, 4, 4), stride=2, padding=1, output_padding=1)
    add("conv_transpose1d", "p1_d2", (2, 3, 6), (3, 2, 3), 2, padding=1, dilation=2)
    add("conv_transpose1d", "g2", (2, 4, 5), (4, 3, 3), 6, groups=2)
    add(
        "conv_transpose1d",
        "s3_p2_op2_d2_g2",
        (2, 4, 4),
        (4, 2, 3),
        stride=3,
        padding=2,
        output_padding=2,
        dilation=2,
        groups=2,
    )
    add("conv_transpose1d", "permuted_weight", (2, 3, 5), (3, 4, 3), 4, permuted={"weight": swap1})
    add("conv_transpose1d", "permuted_input", (2, 3, 5), (3, 4, 3), permuted={"input": [0, 2, 1]})

    add("conv_transpose2d", "plain", (2, 3, 4, 3), (3, 4, 3, 3), 4)
    add("conv_transpose2d", "s2", (2, 3, 3, 4), (3, 2, 2, 3), 2, stride=2)
    add(
        "conv_transpose2d",
        "s2_p1_op1",
        (2, 3, 3, 4),
        (3, 2, 3, 3),
        2,
        stride=2,
        padding=1,
        output_padding=1,
    )
    add("conv_transpose2d", "p2_d2", (2, 2, 4, 5), (2, 3, 3, 3), padding=2, dilation=2)
    add("conv_transpose2d", "g2", (2, 4, 3, 3), (4, 2, 3, 2), 4, groups=2)
    add(
        "conv_transpose2d",
        "s23_p10_op12_d21_g2",
        (2, 4, 3, 3),
        (4, 1, 2, 3),
        2,
        stride=[2, 3],
        padding=[1, 0],
        output_padding=[1, 2],
        dilation=[2, 1],
        groups=2,
    )
    add(
        "conv_transpose2d",
        "permuted_weight",
        (2, 3, 3, 4),
        (3, 2, 3, 2),
        2,
        permuted={"weight": swap2},
    )
    add(
        "conv_transpose2d",
        "nhwc_s2",
        (2, 3, 3, 4),
        (3, 2, 3, 3),
        stride=2,
        permuted={"input": [0, 2, 3, 1]},
    )


def pool(book: Book) -> None:
    settings: list[tuple[str, str, tuple[int, ...], Json]] = [
        ("1d", "k2", (2, 3, 8), {"kernel_size": 2}),
        ("1d", "k2_ragged", (2, 3, 7), {"kernel_size": 2}),
        ("1d", "k3_s1", (2, 3, 8), {"kernel_size": 3, "stride": 1}),
        ("1d", "k3_s2_p1", (2, 3, 8), {"kernel_size": 3, "stride": 2, "padding": 1}),
        ("1d", "k2_s3", (2, 3, 10), {"kernel_size": 2, "stride": 3}),
        ("2d", "k2", (2, 3, 6, 4), {"kernel_size": 2}),
        ("2d", "k2_ragged", (2, 3, 5, 7), {"kernel_size": 2}),
        ("2d", "k3_s1", (2, 2, 5, 6), {"kernel_size": 3, "stride": 1}),
        ("2d", "k3_s2_p1", (2, 2, 7, 6), {"kernel_size": 3, "stride": 2, "padding": 1}),
        ("2d", "k2_s3", (2, 2, 8, 9), {"kernel_size": 2, "stride": 3}),
        (
            "2d",
            "k32_s21_p10",
            (2, 2, 6, 5),
            {"kernel_size": [3, 2], "stride": [2, 1], "padding": [1, 0]},
        ),
        ("2d", "k34_s23", (2, 2, 7, 9), {"kernel_size": [3, 4], "stride": [2, 3]}),
    ]
    for rank, variant, shape, kwargs in settings:
        book.case(f"max_pool{rank}", variant, {"input": normal(*shape)}, **kwargs)
        book.case(f"avg_pool{rank}", variant, {"input": normal(*shape)}, **kwargs)
        if "padding" in kwargs:
            book.case(
                f"avg_pool{rank}",
                f"{variant}_no_pad_count",
                {"input": normal(*shape)},
                count_include_pad=False,
                **kwargs,
            )
    for rank, shape, order in [("1d", (2, 3, 9), [2, 0, 1]), ("2d", (2, 3, 6, 5), [0, 2, 3, 1])]:
        overlap: Json = {"kernel_size": 3, "stride": 2, "padding": 1}
        for kind in ("max", "avg"):
            layout = {"input": order}
            book.case(
                f"{kind}_pool{rank}",
                "permuted",
                {"input": normal(*shape)},
                permuted=layout,
                **overlap,
            )
        book.case(f"max_pool{rank}", "ties", {"input": few(*shape)}, tags=["ties"], **overlap)
        negative = {"input": uniform(-3, -1, *shape)}
        book.case(f"max_pool{rank}", "negative_p1", negative, **overlap)
        nans = {"input": spiked(normal(*shape), NAN, NAN, INF, -INF)}
        book.case(f"max_pool{rank}", "nan", nans, grad=False, tags=["special"], **overlap)


def upsample(book: Book) -> None:
    for variant, length, size in [
        ("x2", 5, 10),
        ("x3", 4, 12),
        ("5_to_7", 5, 7),
        ("3_to_8", 3, 8),
        ("down_7_to_3", 7, 3),
        ("same", 4, 4),
    ]:
        book.case("upsample_nearest1d", variant, {"input": normal(2, 3, length)}, size=size)
    resize: list[tuple[str, tuple[int, int], list[int]]] = [
        ("x2", (3, 4), [6, 8]),
        ("x3_x2", (2, 3), [6, 6]),
        ("34_to_57", (3, 4), [5, 7]),
        ("down_57_to_33", (5, 7), [3, 3]),
        ("mixed_36_to_54", (3, 6), [5, 4]),
        ("same", (3, 4), [3, 4]),
        ("to_1", (3, 4), [1, 1]),
        ("from_1", (1, 1), [3, 4]),
    ]
    for variant, shape, to in resize:
        inputs = {"input": normal(2, 2, *shape)}
        book.case("upsample_nearest2d", variant, inputs, size=to)
        for corners in (False, True):
            tail = f"{variant}_corners" if corners else variant
            book.case("upsample_bilinear2d", tail, inputs, size=to, align_corners=corners)
    tags = ["scale_factor"]
    for factor, tail in [(2.0, "scale2"), (1.5, "scale1.5"), (2.5, "scale2.5")]:
        line, plane = {"input": normal(2, 3, 5)}, {"input": normal(2, 2, 3, 5)}
        book.case("upsample_nearest1d", tail, line, tags=tags, scale_factor=factor)
        book.case("upsample_nearest2d", tail, plane, tags=tags, scale_factor=factor)
        for corners in (False, True):
            name = f"{tail}_corners" if corners else tail
            kwargs: Json = {"scale_factor": factor, "align_corners": corners}
            book.case("upsample_bilinear2d", name, plane, tags=tags, **kwargs)
    nhwc, flipped = {"input": [0, 2, 3, 1]}, {"input": [0, 2, 1]}
    line, plane = {"input": normal(2, 3, 5)}, {"input": normal(2, 3, 3, 4)}
    book.case("upsample_nearest1d", "permuted", line, permuted=flipped, size=8)
    book.case("upsample_nearest2d", "permuted", plane, permuted=nhwc, size=[5, 6])
    kwargs = {"size": [5, 6], "align_corners": False}
    book.case("upsample_bilinear2d", "permuted", plane, permuted=nhwc, **kwargs)


def loss(book: Book) -> None:
    for op in ("softmax", "log_softmax"):
        for dim in (0, 1, 2, -1):
            book.case(op, f"d{dim}".replace("-", "m"), {"input": normal(3, 4, 5, scale=2)}, dim=dim)
        book.case(op, "1d", {"input": normal(7)}, dim=0)
        book.case(op, "one_class", {"input": normal(3, 1)}, dim=1)
        book.case(op, "extreme", {"input": normal(4, 6, scale=1e4)}, dim=1)
        book.case(op, "offset", {"input": normal(4, 6, offset=1e4)}, dim=1)
        lines = {"input": normal(3, 4, 5)}
        book.case(op, "permuted", lines, permuted={"input": [2, 0, 1]}, dim=1)
    masked = {"input": spiked(normal(4, 6), -INF, -INF, -INF)}
    book.case("softmax", "masked", masked, dim=1, tags=["special"])

    shapes: list[tuple[str, tuple[int, ...], tuple[int, ...]]] = [
        ("nc", (6, 5), (6,)),
        ("ncd", (3, 5, 4), (3, 4)),
    ]
    for op in ("nll_loss", "cross_entropy"):
        for stem, shape, target in shapes:
            x = normal(*shape, scale=2) if op == "cross_entropy" else uniform(-5, -0.1, *shape)
            plain = {"input": x, "target": ints(0, 5, *target)}
            default = {"input": x, "target": _ignoring(-100, *target)}
            custom = {"input": x, "target": _ignoring(2, *target)}
            for how in ("mean", "sum", "none"):
                book.case(op, f"{stem}_{how}", plain, reduction=how)
                book.case(op, f"{stem}_{how}_ignore", default, reduction=how)
                book.case(op, f"{stem}_{how}_ignore2", custom, reduction=how, ignore_index=2)
        nothing = {"input": normal(3, 4), "target": fixed([-100, -100, -100])}
        for how in ("mean", "sum", "none"):
            kwargs: Json = {"grad": how != "mean", "tags": ["all_ignored"], "reduction": how}
            book.case(op, f"all_ignored_{how}", nothing, **kwargs)
    for how in ("mean", "sum", "none"):
        far = {"input": normal(5, 4, scale=1e4), "target": ints(0, 4, 5)}
        book.case("cross_entropy", f"extreme_{how}", far, reduction=how)
    wide = {"input": normal(3, 5, 4), "target": ints(0, 5, 3, 4)}
    layout = {"input": [0, 2, 1], "target": [1, 0]}
    book.case("cross_entropy", "ncd_permuted", wide, permuted=layout, reduction="mean")


def _ignoring(mark: int, *shape: int) -> Recipe:
    """Class indices below 5, at least two of which are replaced by `mark`."""
    return spiked(ints(0, 5, *shape), mark, mark)


def optim(book: Book, steps: int = 5) -> None:
    inputs = {
        "param0": normal(3, 4),
        "param1": normal(5),
        "grads0": normal(steps, 3, 4),
        "grads1": normal(steps, 5, scale=0.1),
    }
    settings: list[tuple[str, str, Json]] = [
        ("SGD", "plain", {"lr": 0.1}),
        ("SGD", "momentum", {"lr": 0.1, "momentum": 0.9}),
        ("SGD", "dampening", {"lr": 0.1, "momentum": 0.9, "dampening": 0.5}),
        ("SGD", "nesterov", {"lr": 0.1, "momentum": 0.9, "nesterov": True}),
        ("SGD", "decay", {"lr": 0.1, "weight_decay": 0.05}),
        ("SGD", "momentum_decay", {"lr": 0.05, "momentum": 0.8, "weight_decay": 0.1}),
        (
            "SGD",
            "nesterov_decay",
            {"lr": 0.05, "momentum": 0.8, "nesterov": True, "weight_decay": 0.1},
        ),
        (
            "SGD",
            "dampening_decay",
            {"lr": 0.05, "momentum": 0.8, "dampening": 0.3, "weight_decay": 0.1},
        ),
        ("Adam", "plain", {"lr": 0.01}),
        ("Adam", "betas", {"lr": 0.01, "betas": [0.5, 0.9]}),
        ("Adam", "betas_eps", {"lr": 0.1, "betas": [0.8, 0.95], "eps": 0.001}),
        ("Adam", "decay", {"lr": 0.01, "weight_decay": 0.1}),
        ("AdamW", "plain", {"lr": 0.01}),
        ("AdamW", "no_decay", {"lr": 0.01, "weight_decay": 0.0}),
        ("AdamW", "decay", {"lr": 0.1, "weight_decay": 0.1}),
        ("AdamW", "betas", {"lr": 0.01, "betas": [0.5, 0.9], "weight_decay": 0.05}),
        ("AdamW", "betas_eps", {"lr": 0.1, "betas": [0.8, 0.95], "eps": 0.001}),
    ]
    for op, variant, kwargs in settings:
        book.case(op, variant, inputs, grad=False, **kwargs)
    still = {"param0": normal(4), "grads0": fixed(np.zeros((steps, 4)))}
    for op in ("SGD", "Adam", "AdamW"):
        book.case(op, "zero_gradient", still, grad=False, lr=0.1, weight_decay=0.0)


def sort(book: Book) -> None:
    places: list[tuple[str, Recipe, int]] = [
        ("1d", normal(9), 0),
        ("dup", few(12), 0),
        ("dup_d0", few(6, 4), 0),
        ("dup_dm1", few(4, 7), -1),
        ("dup_3d_d1", few(3, 6, 4), 1),
        ("dup_long", few(300), 0),
        ("one", normal(3, 1), 1),
    ]
    marked: list[tuple[str, Recipe, int]] = [
        ("nan", spiked(few(4, 8), *[NAN] * 6), 1),
        ("nan_d0", spiked(few(7, 3), *[NAN] * 5), 0),
        ("special", spiked(few(20), NAN, NAN, INF, INF, -INF, -INF, -0.0, 0.0, -0.0), 0),
        ("all_nan", fixed([NAN] * 4), 0),
    ]
    whole: list[tuple[str, Recipe, int]] = [
        ("int", ints(-3, 4, 5, 8), 1),
        ("int_d0", ints(-(2**40), 2**40, 7, 3), 0),
    ]
    for op in ("sort", "argsort"):
        for down in (False, True):
            kwargs: Json = {"descending": down, "stable": True}
            end = "_desc" if down else ""
            for variant, x, dim in places:
                book.case(op, variant + end, {"input": x}, grad=op == "sort", dim=dim, **kwargs)
            for variant, x, dim in marked:
                special: Json = {"grad": False, "tags": ["special"], "dim": dim, **kwargs}
                book.case(op, variant + end, {"input": x}, **special)
            for variant, x, dim in whole:
                book.case(op, variant + end, {"input": x}, dtypes=("int64",), dim=dim, **kwargs)
            twisted = {"input": few(5, 6)}
            book.case(op, f"permuted{end}", twisted, permuted={"input": [1, 0]}, dim=1, **kwargs)


def unary(book: Book) -> None:
    positive, open_unit = uniform(0.1, 4, 3, 5), uniform(-0.9, 0.9, 3, 5)
    middle, steps = normal(3, 5, scale=1.5), off_halves(4, 5)
    domains: dict[str, Recipe] = {
        **dict.fromkeys(("log", "log2", "log10", "sqrt", "rsqrt"), positive),
        **dict.fromkeys(("asin", "acos", "atanh"), open_unit),
        **dict.fromkeys(("abs", "relu", "sign", "floor", "ceil"), steps),
        **dict.fromkeys(("round", "trunc", "frac"), steps),
        "acosh": uniform(1.1, 5, 3, 5),
        "log1p": uniform(-0.8, 3, 3, 5),
        "tan": uniform(-1.3, 1.3, 3, 5),
        "reciprocal": signed(0.3, 3, 3, 5),
    }
    anywhere = [
        "exp",
        "expm1",
        "sin",
        "cos",
        "atan",
        "sinh",
        "cosh",
        "tanh",
        "asinh",
        "erf",
        "sigmoid",
        "silu",
        "square",
        "neg",
    ]
    domains.update(dict.fromkeys(anywhere, middle))
    for op, x in domains.items():
        book.case(op, "", {"input": x})
    for how in ("none", "tanh"):
        book.case("gelu", how, {"input": middle}, approximate=how)
        wide = spiked(signed(2, 9, 16), 15.0, -15.0)
        book.case("gelu", f"{how}_wide", {"input": wide}, approximate=how)
    book.case("elu", "", {"input": steps}, alpha=1.0)
    book.case("elu", "alpha", {"input": steps}, alpha=0.3)

    # Ranges in which a simple formula overflows, cancels or loses digits of its argument.
    wide_domains = {
        "exp": signed(5, 80, 16),
        "expm1": signed(5, 80, 16),
        "sinh": signed(5, 80, 16),
        "cosh": signed(5, 80, 16),
        "tanh": signed(3, 40, 16),
        "sigmoid": signed(5, 80, 16),
        "silu": signed(5, 80, 16),
        "sin": signed(100, 1e4, 16),
        "cos": signed(100, 1e4, 16),
        "asinh": signed(1e3, 1e10, 16),
        "acosh": uniform(1e3, 1e10, 16),
        "atan": signed(10, 1e6, 16),
        "erf": signed(2, 5, 16),
    }
    for op, x in wide_domains.items():
        book.case(op, "wide", {"input": x})
    tiny: Recipe = lambda rng: signed(1, 9, 16)(rng) * 10.0 ** rng.integers(-10, -2, size=16)  # noqa: E731
    for op in ("expm1", "log1p", "sinh", "tanh", "asinh", "atanh", "asin", "erf"):
        book.case(op, "tiny", {"input": tiny})
    for op in ("abs", "relu"):
        book.case(op, "kink", {"input": fixed([-1.0, 0.0, 2.0])}, tags=["kink"])

    # Inputs without a gradient check: zeros of both signs, infinities, NaN, numbers outside the domain,
    # halves.
    odd = [NAN, INF, -INF, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 3.5]
    plain = set(domains) - {"sign", "frac", "silu", "relu"}
    for op in sorted(plain):
        inputs = {"input": fixed(odd)}
        book.case(op, "special", inputs, grad=False, tags=["special"])
    for op in ("sign", "frac", "silu"):
        inputs = {"input": fixed([x for x in odd if np.isfinite(x)])}
        book.case(op, "special", inputs, grad=False, tags=["special"])
    rectified = {"input": fixed([NAN, INF, -INF, 0.0, 1.0, -1.0])}
    book.case("relu", "special", rectified, grad=False, tags=["special"])


def binary(book: Book) -> None:
    def base(op: str, *shape: int) -> Recipe:
        return uniform(0.3, 3, *shape) if op == "pow" else normal(*shape, scale=2)

    def right(op: str, *shape: int) -> Recipe:
        return signed(0.5, 2.5, *shape) if op in ("div", "remainder") else normal(*shape)

    shapes: list[tuple[str, tuple[int, ...], tuple[int, ...]]] = [
        ("same", (3, 4), (3, 4)),
        ("row", (3, 4), (4,)),
        ("outer", (3, 1), (1, 4)),
        ("grow", (4,), (2, 3, 1)),
        ("rank3", (2, 3, 4), (3, 1)),
        ("scalar", (3, 4), ()),
        ("empty", (0, 4), (4,)),
    ]
    ops = ("add", "sub", "mul", "div", "pow", "remainder", "maximum", "minimum", "atan2")
    for op in ops:
        for variant, a, b in shapes:
            inputs = {"input": base(op, *a), "other": right(op, *b)}
            if op == "pow":
                inputs["exponent"] = inputs.pop("other")
            book.case(op, variant, inputs, tags=["empty"] if variant == "empty" else [])
    for op in ("maximum", "minimum"):
        ties = {"input": few(6, 5), "other": few(6, 5)}
        book.case(op, "ties", ties, tags=["ties"])
        nans = {"input": fixed([NAN, 1.0, NAN, INF]), "other": fixed([1.0, NAN, NAN, -INF])}
        book.case(op, "nan", nans, grad=False, tags=["special"])
    for power in (0.0, 1.0, 2.0, 3.0, 0.5, -1.0, -2.0, 2.5):
        tail = f"scalar_{power:g}".replace("-", "m")
        domain = signed(0.3, 2, 3, 4) if power == int(power) else uniform(0.3, 2, 3, 4)
        book.case("pow", tail, {"input": domain}, exponent=power)
    signs = {"input": fixed([[5.3], [-5.3], [6.0], [-6.0]]), "other": fixed([2.0, -2.0, 1.7, -1.7])}
    book.case("remainder", "signs", signs, grad=False)
    zero, one = [0.0, -0.0], [1.0, -1.0, 0.0, -0.0, INF, -INF]
    over_zero = {"input": fixed([[x] for x in one]), "other": fixed(zero)}
    book.case("div", "zero", over_zero, grad=False, tags=["special"])
    plane = {"input": fixed([[x] for x in one]), "other": fixed(one)}
    book.case("atan2", "special", plane, grad=False, tags=["special"])
    bases, powers = (
        [0.0, -0.0, 1.0, -1.0, -2.0, 2.0, INF, -INF, NAN],
        [0.0, 1.0, 2.0, 3.0, -1.0, 0.5],
    )
    table = {"input": fixed([[x] for x in bases]), "exponent": fixed([*powers, INF, -INF])}
    book.case("pow", "special", table, grad=False, tags=["special"])
    twisted = {"input": normal(3, 4), "other": normal(3, 4)}
    for op in ("add", "sub", "mul", "maximum"):
        layout = {"input": [1, 0]}
        book.case(op, "permuted", twisted, permuted=layout)


def reduce(book: Book) -> None:
    many = ("sum", "mean", "amax", "amin", "var", "std", "logsumexp")
    axes: list[tuple[str, Any]] = [
        ("d0", 0),
        ("d1", 1),
        ("dm1", -1),
        ("d02", [0, 2]),
        ("d12", [1, 2]),
        ("dall", [0, 1, 2]),
    ]
    x = {"input": normal(3, 4, 5)}
    for op in many:
        if op != "logsumexp":
            book.case(op, "all", x)
        for tail, dim in axes:
            book.case(op, tail, x, dim=dim)
        book.case(op, "d1_keep", x, dim=1, keepdim=True)
        book.case(op, "d02_keep", x, dim=[0, 2], keepdim=True)
        book.case(op, "permuted_d1", x, permuted={"input": [2, 0, 1]}, dim=1)
    book.case("prod", "all", x)
    for tail, dim in [("d0", 0), ("d1", 1), ("dm1", -1)]:
        book.case("prod", tail, x, dim=dim)
    book.case("prod", "d1_keep", x, dim=1, keepdim=True)
    one, two = spiked(normal(3, 5), 0.0), fixed([[1.5, 0.0, -2.0, 0.0], [0.0, 3.0, 0.5, 2.0]])
    book.case("prod", "one_zero_all", {"input": one}, tags=["zeros"])
    book.case("prod", "one_zero_d1", {"input": one}, tags=["zeros"], dim=1)
    book.case("prod", "two_zeros_d1", {"input": two}, tags=["zeros"], dim=1)
    for op in ("var", "std"):
        for correction in (0, 1, 2):
            book.case(op, f"d1_c{correction}", x, dim=1, correction=correction)
        book.case(op, "all_c0", x, dim=None, correction=0)
        book.case(op, "d02_c0_keep", x, dim=[0, 2], correction=0, keepdim=True)
        far = {"input": normal(3, 40, offset=1000.0)}
        book.case(op, "offset", far, dim=1, correction=1)
    for op in ("amax", "amin"):
        book.case(op, "ties_d1", {"input": few(4, 12)}, tags=["ties"], dim=1)
        book.case(op, "ties_all", {"input": few(4, 12)}, tags=["ties"])
        book.case(op, "ties_d02", {"input": few(3, 2, 8)}, tags=["ties"], dim=[0, 2])
        nans = {"input": spiked(normal(5, 4), NAN, NAN, INF, -INF)}
        book.case(op, "nan", nans, grad=False, tags=["special"], dim=1)
    book.case("logsumexp", "extreme", {"input": normal(4, 6, scale=1e4)}, dim=1)
    book.case("logsumexp", "masked", {"input": spiked(normal(4, 6), -INF, -INF)}, dim=1)
    infinite = {"input": fixed([[-INF, -INF], [INF, 1.0], [NAN, 1.0]])}
    book.case("logsumexp", "special", infinite, grad=False, tags=["special"], dim=1)
    for tail, dim in [("d0", 0), ("d1", 1), ("dm1", -1)]:
        book.case("cumsum", tail, x, dim=dim)
    book.case("cumsum", "permuted_d1", x, permuted={"input": [2, 0, 1]}, dim=1)
    book.case("cumsum", "1d_long", {"input": normal(300)}, dim=0)
    book.case("sum", "long", {"input": normal(2, 1500)}, dim=1)
    for op in ("sum", "prod", "cumsum"):
        book.case(op, "empty", {"input": normal(0, 3)}, tags=["empty"], dim=0)


def indexing(book: Book) -> None:
    x = normal(3, 4, 5)
    for dim in (0, 1, 2, -1):
        size, tail = (3, 4, 5)[dim], f"d{dim}".replace("-", "m")
        lookup = {"input": x, "index": ints(0, size, 2, 3, 4)}
        book.case("gather", tail, lookup, dim=dim)
        put = {"input": x, "index": distinct(size, dim, 2, 3, 3), "src": normal(2, 3, 3)}
        book.case("scatter", tail, put, dim=dim)
        add = {"input": x, "index": ints(0, size, 3, 4, 5), "src": normal(3, 4, 5)}
        book.case("scatter_add", tail, add, dim=dim)
        pick = {"input": x, "index": ints(0, size, 6)}
        book.case("index_select", tail, pick, dim=dim)
        shape = [3, 4, 5]
        shape[dim] = 6
        into = {"input": x, "index": ints(0, size, 6), "source": normal(*shape)}
        book.case("index_add", tail, into, dim=dim)
    longer = {"input": normal(3, 4), "index": ints(0, 3, 7, 4)}
    book.case("gather", "longer", longer, dim=0)
    book.case("gather", "permuted", longer, permuted={"input": [1, 0], "index": [1, 0]}, dim=0)
    pile = {"input": normal(2, 4), "index": fixed(np.ones((6, 4), np.int64)), "src": normal(6, 4)}
    book.case("scatter_add", "same_place", pile, dim=0)
    book.case("scatter", "1d", {"input": normal(6), "index": distinct(6, 0, 4), "src": normal(4)}, dim=0)
    twist = {"input": [1, 0], "index": [1, 0], "src": [1, 0]}
    square = {"input": normal(4, 5), "index": ints(0, 5, 4, 5), "src": normal(4, 5)}
    book.case("scatter_add", "permuted", square, permuted=twist, dim=1)
    rows = {"input": normal(4, 3), "index": ints(0, 4, 5), "source": normal(5, 3)}
    book.case("index_add", "alpha", rows, dim=0, alpha=0.5)
    book.case("index_add", "permuted", rows, permuted={"input": [1, 0], "source": [1, 0]}, dim=0)
    book.case("index_select", "empty", {"input": x, "index": fixed(np.zeros(0, np.int64))}, dim=1)

    for tail, c, a, b in [
        ("same", (3, 4), (3, 4), (3, 4)),
        ("cond_row", (4,), (3, 4), (3, 4)),
        ("all_broadcast", (3, 1), (4,), (2, 1, 1)),
        ("scalar", (3, 4), (3, 4), ()),
    ]:
        choice = {"condition": bools(*c), "input": normal(*a), "other": normal(*b)}
        book.case("where", tail, choice)
    for op in ("tril", "triu"):
        for diagonal in (-2, -1, 0, 1, 3, 9):
            tail = f"k{diagonal}".replace("-", "m")
            book.case(op, tail, {"input": normal(4, 5)}, diagonal=diagonal)
        book.case(op, "batch", {"input": normal(2, 3, 3)})
        book.case(op, "permuted", {"input": normal(4, 5)}, permuted={"input": [1, 0]})
    bounds: list[tuple[str, Json]] = [
        ("both", {"min": -0.5, "max": 0.8}),
        ("min", {"min": 0.1}),
        ("max", {"max": 0.1}),
        ("crossed", {"min": 1.0, "max": -1.0}),
    ]
    for tail, kwargs in bounds:
        book.case("clamp", tail, {"input": normal(4, 5)}, **kwargs)
    edge = {"input": fixed([-2.0, -1.0, 0.0, 1.0, 2.0])}
    book.case("clamp", "boundary", edge, tags=["kink"], min=-1.0, max=1.0)
    strange = {"input": fixed([NAN, INF, -INF, 0.5])}
    book.case("clamp", "special", strange, grad=False, tags=["special"], min=-1.0, max=1.0)

    products: list[tuple[str, tuple[int, ...], tuple[int, ...]]] = [
        ("2d", (3, 4), (4, 5)),
        ("vec_vec", (4,), (4,)),
        ("vec_mat", (4,), (4, 5)),
        ("mat_vec", (3, 4), (4,)),
        ("batch", (2, 3, 4), (2, 4, 5)),
        ("batch_2d", (2, 3, 4), (4, 5)),
        ("2d_batch", (3, 4), (2, 4, 5)),
        ("batch_vec", (2, 3, 4), (4,)),
        ("vec_batch", (4,), (2, 4, 5)),
        ("broadcast", (2, 1, 3, 4), (3, 4, 2)),
        ("inner1", (3, 1), (1, 5)),
        ("inner0", (3, 0), (0, 5)),
        ("odd", (17, 19), (19, 13)),
    ]
    for tail, a, b in products:
        pair = {"input": normal(*a), "other": normal(*b)}
        book.case("matmul", tail, pair, tags=["empty"] if tail == "inner0" else [])
    both = {"input": normal(3, 4), "other": normal(4, 5)}
    book.case("matmul", "permuted_left", both, permuted={"input": [1, 0]})
    book.case("matmul", "permuted_right", both, permuted={"other": [1, 0]})
    book.case("matmul", "permuted_both", both, permuted={"input": [1, 0], "other": [1, 0]})
    stack = {"input": normal(2, 3, 4), "other": normal(2, 4, 5)}
    book.case("matmul", "permuted_batch", stack, permuted={"input": [1, 0, 2], "other": [2, 1, 0]})

    biases: list[tuple[str, tuple[int, ...], Json]] = [
        ("plain", (3, 5), {}),
        ("row", (5,), {}),
        ("column", (3, 1), {}),
        ("scaled", (3, 5), {"beta": 0.5, "alpha": -2.0}),
        ("beta0", (3, 5), {"beta": 0.0}),
    ]
    for tail, bias, kwargs in biases:
        parts = {"input": normal(*bias), "mat1": normal(3, 4), "mat2": normal(4, 5)}
        book.case("addmm", tail, parts, **kwargs)
    for op, divisor in [("addcmul", normal(3, 4)), ("addcdiv", signed(0.5, 2, 3, 4))]:
        triple = {"input": normal(3, 4), "tensor1": normal(3, 4), "tensor2": divisor}
        book.case(op, "plain", triple)
        book.case(op, "value", triple, value=-0.7)
        spread = {"input": normal(4), "tensor1": normal(3, 1), "tensor2": divisor}
        book.case(op, "broadcast", spread, value=2.0)


def half(book: Book) -> None:
    def add(op: str, variant: str, inputs: dict[str, Recipe], **kwargs: Any) -> None:
        book.case(op, variant, inputs, dtypes=HALVES, grad=False, **kwargs)

    add("matmul", "2d", {"input": normal(7, 33), "other": normal(33, 5)})
    add("matmul", "batch", {"input": normal(2, 3, 16), "other": normal(2, 16, 4)})
    add("matmul", "broadcast", {"input": normal(2, 1, 3, 8), "other": normal(3, 8, 2)})
    add("matmul", "long", {"input": normal(2, 300), "other": normal(300, 2)})
    for dim in (0, 1):
        add("softmax", f"d{dim}", {"input": normal(5, 9, scale=2)}, dim=dim)
    add("softmax", "wide", {"input": normal(3, 200)}, dim=1)
    add("sum", "all", {"input": normal(6, 7)})
    add("sum", "d0", {"input": normal(6, 7)}, dim=0)
    add("sum", "d1_keep", {"input": normal(6, 7)}, dim=1, keepdim=True)
    add("sum", "long", {"input": uniform(0, 1, 2, 1000)}, dim=1)
    for how in ("none", "tanh"):
        add("gelu", how, {"input": uniform(-3, 3, 4, 8)}, approximate=how)


def norm(book: Book) -> None:
    def parameters(*shape: int) -> dict[str, Recipe]:
        return {"weight": signed(0.5, 2, *shape), "bias": normal(*shape)}

    for op in ("layer_norm", "rms_norm"):
        for stem, shape, dims in (
            ("1d", (7,), 1),
            ("d1", (4, 5), 1),
            ("d2", (3, 4, 5), 2),
            ("all", (2, 3, 4), 3),
            ("one", (4, 1), 1),
        ):
            last = shape[len(shape) - dims :]
            given = {"input": normal(*shape, scale=2, offset=0.5), **parameters(*last)}
            if op == "rms_norm":
                del given["bias"]
            eps = 0.01 if stem == "one" else 1e-5
            book.case(op, stem, given, normalized_shape=list(last), eps=eps)
        plain = {"input": normal(4, 6)}
        book.case(op, "plain", plain, normalized_shape=[6], eps=0.125)
        # Float64 only: PyTorch's float32 gradients have fewer correct digits here than Rushlight's.
        far = {"input": normal(4, 6, offset=100)}
        book.case(op, "offset", far, dtypes=["float64"], normalized_shape=[6], eps=1e-5)
        book.case(
            op, "permuted", {"input": normal(3, 4, 5)}, permuted={"input": [2, 0, 1]}, normalized_shape=[5]
        )
    biased = {"input": normal(4, 6), "bias": normal(6)}
    book.case("layer_norm", "bias", biased, normalized_shape=[6])
    for stem, shape, groups in (
        ("2d", (3, 6), 2),
        ("3d", (2, 4, 5), 2),
        ("4d", (2, 6, 3, 4), 3),
        ("5d", (2, 4, 2, 3, 2), 4),
        ("one", (2, 4, 3), 1),
    ):
        given = {"input": normal(*shape, scale=2, offset=0.5), **parameters(shape[1])}
        book.case("group_norm", stem, given, num_groups=groups)
    book.case("group_norm", "plain", {"input": normal(2, 4, 3)}, num_groups=2, eps=0.125)
    book.case(
        "group_norm", "permuted", {"input": normal(2, 4, 3)}, permuted={"input": [2, 0, 1]}, num_groups=2
    )
    running: Json = {"running_mean": [0.5, -1.0, 0.25, 2.0], "running_var": [0.5, 2.0, 1.0, 0.125]}
    for stem, shape in (("2d", (6, 4)), ("3d", (3, 4, 5)), ("4d", (2, 4, 3, 4))):
        given = {"input": normal(*shape, scale=2, offset=0.5), **parameters(4)}
        book.case("batch_norm", f"{stem}_training", given, training=True, momentum=0.3, **running)
        book.case("batch_norm", f"{stem}_evaluation", given, training=False, eps=0.001, **running)
    far = {"input": normal(3, 4, 5, offset=100)}
    book.case("batch_norm", "offset", far, dtypes=["float64"], training=True)
    given = {"input": normal(3, 4, 5)}
    book.case("batch_norm", "plain", given, training=True)
    book.case("batch_norm", "permuted", given, permuted={"input": [2, 0, 1]}, training=True, **running)
    for stem, shape in (("3d", (2, 4, 5)), ("4d", (3, 4, 3, 4))):
        given = {"input": normal(*shape, scale=2, offset=0.5), **parameters(4)}
        book.case("instance_norm", stem, given, use_input_stats=True, momentum=0.3, **running)
        book.case("instance_norm", f"{stem}_evaluation", given, use_input_stats=False, **running)
    book.case("instance_norm", "plain", {"input": normal(2, 4, 5)}, use_input_stats=True)


FAMILIES: dict[str, Callable[[Book], None]] = {
    "binary": binary,
    "conv": conv,
    "half": half,
    "index": indexing,
    "loss": loss,
    "norm": norm,
    "optim": optim,
    "pool": pool,
    "reduce": reduce,
    "sort": sort,
    "unary": unary,
    "upsample": upsample,
}
