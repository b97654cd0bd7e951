"""The cases of sampling at positions, of deformable convolutions and of products of groups. NumPy only."""

from __future__ import annotations

from collections.abc import Callable

from golden_cases import FLOATS, Book, Recipe, fixed, normal, uniform


def sampling(book: Book) -> None:
    image, volume = normal(2, 3, 5, 7), normal(1, 2, 4, 5, 3)
    flat, deep = uniform(-1.4, 1.4, 2, 4, 6, 2), uniform(-1.4, 1.4, 1, 3, 2, 4, 3)
    shapes: list[tuple[str, tuple[str, ...], Recipe, Recipe]] = [
        ("2d", ("bilinear", "nearest", "bicubic"), image, flat),
        ("3d", ("bilinear", "nearest"), volume, deep),
    ]
    for rank, modes, x, grid in shapes:
        for mode in modes:
            # For float32 inputs PyTorch also computes positions in float32. A cubic's slopes are so steep
            # that the results would differ.
            dtypes = ("float64",) if mode == "bicubic" else FLOATS
            for padding in ("zeros", "border", "reflection"):
                for corners in (False, True):
                    book.case(
                        "grid_sample",
                        f"{rank}_{mode}_{padding}" + ("_corners" if corners else ""),
                        {"input": x, "grid": grid},
                        dtypes=dtypes,
                        tags=["sums"],
                        mode=mode,
                        padding_mode=padding,
                        align_corners=corners,
                    )
    single = {"input": normal(1, 1, 1, 1), "grid": uniform(-1.4, 1.4, 1, 2, 3, 2)}
    for padding in ("border", "reflection"):
        for corners in (False, True):
            tail = f"single_{padding}" + ("_corners" if corners else "")
            book.case("grid_sample", tail, single, padding_mode=padding, align_corners=corners)
    book.case(
        "grid_sample",
        "permuted",
        {"input": image, "grid": flat},
        permuted={"input": [0, 2, 3, 1], "grid": [0, 3, 1, 2]},
        tags=["sums"],
        align_corners=False,
    )
    for corners in (False, True):
        tail = "_corners" if corners else ""
        two, three = {"theta": normal(2, 2, 3)}, {"theta": normal(1, 3, 4)}
        book.case("affine_grid", f"2d{tail}", two, size=[2, 3, 4, 5], align_corners=corners)
        book.case("affine_grid", f"3d{tail}", three, size=[1, 2, 3, 1, 4], align_corners=corners)


def deform(book: Book) -> None:
    def add(
        variant: str,
        x: tuple[int, ...],
        w: tuple[int, ...],
        out: tuple[int, int],
        fields: int = 1,
        masked: bool = False,
        **kwargs: object,
    ) -> None:
        window = w[2] * w[3]
        inputs = {
            "input": normal(*x),
            "offset": normal(x[0], 2 * fields * window, *out),
            "weight": normal(*w, scale=0.5),
            "bias": normal(w[0]),
        }
        if masked:
            inputs["mask"] = uniform(0, 1, x[0], fields * window, *out)
        book.case("deform_conv2d", variant, inputs, tags=["sums"], **kwargs)

    add("plain", (2, 2, 5, 6), (3, 2, 3, 3), (3, 4))
    add("mask", (2, 2, 5, 6), (3, 2, 3, 3), (3, 4), masked=True)
    add("fields", (1, 4, 4, 5), (2, 4, 2, 3), (3, 3), fields=2, masked=True)
    add("groups", (2, 4, 5, 5), (6, 2, 3, 3), (5, 5), fields=2, padding=1)
    add(
        "all",
        (1, 4, 7, 6),
        (4, 2, 3, 2),
        (5, 5),
        fields=4,
        masked=True,
        stride=[2, 1],
        padding=[2, 1],
        dilation=[1, 3],
    )


def grouped(book: Book) -> None:
    ends = fixed([3, 3, 8])
    for variant, a, b in [
        ("rows", (8, 4), (3, 4, 8)),
        ("columns", (3, 4, 8), (8, 8)),
        ("inner", (4, 8), (8, 12)),
    ]:
        inputs = {"mat_a": normal(*a), "mat_b": normal(*b), "offs": ends}
        book.case("grouped_mm", variant, inputs, dtypes=("float32",), tags=["sums"])
    both = {"mat_a": normal(2, 4, 8), "mat_b": normal(2, 8, 4)}
    book.case("grouped_mm", "batch", both, dtypes=("float32",), tags=["sums"])


FAMILIES: dict[str, Callable[[Book], None]] = {
    "sampling": sampling,
    "deform": deform,
    "grouped": grouped,
}
