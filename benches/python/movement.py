"""Time ops that move elements on the CPU, beside PyTorch: gathers, scatters, transposes, flips, joins, sorts.

Both libraries write to memory that they have used before: PyTorch to an `out` tensor where an op has one,
otherwise to blocks that its allocator keeps, Rushlight to blocks of its pool.
"""

import argparse
import importlib.util
from collections.abc import Callable

import numpy as np
import timing

import rushlight as rl

Case = tuple[str, Callable[[], object], Callable[[], object] | None]
RANDOM = np.random.default_rng(0)


def both(shape: tuple[int, ...], dtype: str) -> tuple[rl.Tensor, object]:
    """Return a tensor of each library with the same elements; PyTorch's is None if it is not installed."""
    data = (
        RANDOM.integers(0, 100, shape) if "int" in dtype or dtype == "bool" else RANDOM.standard_normal(shape)
    )
    ours = rl.asarray(data).to(getattr(rl, dtype))
    if not importlib.util.find_spec("torch"):
        return ours, None
    import torch

    return ours, torch.from_numpy(data).to(getattr(torch, dtype))


def indices(shape: tuple[int, ...], size: int, dtype: str = "int64") -> tuple[rl.Tensor, object]:
    """Return an index tensor of each library."""
    data = RANDOM.integers(0, size, shape).astype(dtype)
    ours = rl.asarray(data)
    if not importlib.util.find_spec("torch"):
        return ours, None
    import torch

    return ours, torch.from_numpy(data)


def copies() -> list[Case]:
    """Return copies of views."""
    cases: list[Case] = []

    def view(name: str, shape: tuple[int, ...], order: tuple[int, ...], *dtypes: str) -> None:
        for dtype in dtypes:
            x, t = both(shape, dtype)
            ours = x.permute(order)
            theirs = None
            if t is not None:
                import torch

                turned = t.permute(order)  # type: ignore[attr-defined]
                out = torch.empty(turned.shape, dtype=turned.dtype)
                theirs = lambda out=out, turned=turned: out.copy_(turned)  # noqa: E731
            cases.append((f"{name} {dtype}", lambda ours=ours: ours.contiguous(), theirs))

    def broadcast(name: str, shape: tuple[int, ...], to: tuple[int, ...]) -> None:
        x, t = both(shape, "float32")
        ours = rl.broadcast_to(x, to)
        theirs = None
        if t is not None:
            import torch

            wide = t.expand(to)  # type: ignore[attr-defined]
            out = torch.empty(to)
            theirs = lambda: out.copy_(wide)  # noqa: E731
        cases.append((name, lambda: ours.contiguous(), theirs))

    view("transpose 1024", (1024, 1024), (1, 0), "float32", "bfloat16", "uint8", "float64")
    view("transpose 4096", (4096, 4096), (1, 0), "float32", "bfloat16", "uint8", "int64")
    view("transpose 2M x 3", (2 << 20, 3), (1, 0), "float32", "uint8")
    view("transpose 3 x 2M", (3, 2 << 20), (1, 0), "float32", "uint8")
    view("transpose 12 x 1M", (12, 1 << 20), (1, 0), "float32")
    view("nchw to nhwc", (16, 64, 32, 32), (0, 2, 3, 1), "float32", "bfloat16")
    view("nhwc to nchw", (16, 32, 32, 64), (0, 3, 1, 2), "float32", "bfloat16")
    view("images nhwc to nchw", (16, 224, 224, 3), (0, 3, 1, 2), "float32", "uint8")
    view("heads", (8, 512, 8, 64), (0, 2, 1, 3), "float32", "bfloat16")
    view("heads of keys", (8, 512, 8, 64), (0, 2, 3, 1), "float32")
    view("reversed axes", (32, 32, 32, 32), (3, 2, 1, 0), "float32", "float64")
    broadcast("row to 4096 rows", (4096,), (4096, 4096))
    broadcast("short row to 1M rows", (3,), (1 << 20, 3))
    broadcast("column to 1024 columns", (4096, 1), (4096, 1024))
    return cases


def pair(
    name: str, ours: Callable[[], object], theirs: Callable[..., object], has: object, **out: object
) -> Case:
    """Return a case; `out` is an example of PyTorch's result, which later calls write to."""
    if has is None:
        return name, ours, None
    if "out" in out:
        target = theirs()
        return name, ours, lambda: theirs(out=target)
    return name, ours, theirs


def index_ops() -> list[Case]:
    """Return ops at indices."""
    torch = timing.torch_or_none()
    cases: list[Case] = []
    for dtype in ("float32", "bfloat16"):
        (x, t), (i, j), (s, u) = (
            both((1024, 1024), dtype),
            indices((1024, 1024), 1024),
            both((1024, 1024), dtype),
        )
        for dim in (0, 1):
            end = f"dim {dim} 1M {dtype}"
            cases += [
                pair(
                    f"gather {end}",
                    lambda x=x, i=i, d=dim: rl.gather(x, d, i),
                    lambda out=None, t=t, j=j, d=dim: torch.gather(t, d, j, out=out),
                    t,
                    out=True,
                ),
                pair(
                    f"scatter {end}",
                    lambda x=x, i=i, s=s, d=dim: rl.scatter(x, d, i, s),
                    lambda out=None, t=t, j=j, u=u, d=dim: torch.scatter(t, d, j, u, out=out),
                    t,
                    out=True,
                ),
                pair(
                    f"scatter_add {end}",
                    lambda x=x, i=i, s=s, d=dim: rl.scatter_add(x, d, i, s),
                    lambda out=None, t=t, j=j, u=u, d=dim: torch.scatter_add(t, d, j, u, out=out),
                    t,
                    out=True,
                ),
            ]
    (x, t), (i, j), (s, u) = (
        both((1 << 20, 3), "float32"),
        indices((1 << 20, 3), 1 << 20),
        both((1 << 20, 3), "float32"),
    )
    cases += [
        pair(
            "gather dim 0 1M x 3",
            lambda: rl.gather(x, 0, i),
            lambda out=None: torch.gather(t, 0, j, out=out),
            t,
            out=True,
        ),
        pair(
            "scatter_add dim 0 1M x 3",
            lambda: rl.scatter_add(x, 0, i, s),
            lambda out=None: torch.scatter_add(t, 0, j, u, out=out),
            t,
            out=True,
        ),
    ]
    for dtype in ("float32", "bfloat16"):
        for name, shape, dim in (
            ("8192 x 512", (8192, 512), 0),
            ("2M x 3", (2 << 20, 3), 0),
            ("4M", (4 << 20,), 0),
            ("1024 x 4096", (1024, 4096), 1),
        ):
            (y, v), (k, m), (a, b) = (
                both(shape, dtype),
                indices((shape[dim],), shape[dim]),
                both(shape, dtype),
            )
            cases += [
                pair(
                    f"index_select {name} {dtype}",
                    lambda y=y, k=k, d=dim: rl.index_select(y, d, k),
                    lambda out=None, v=v, m=m, d=dim: torch.index_select(v, d, m, out=out),
                    v,
                    out=True,
                ),
                pair(
                    f"index_add {name} {dtype}",
                    lambda y=y, k=k, a=a, d=dim: rl.index_add(y, d, k, a),
                    lambda out=None, v=v, m=m, b=b, d=dim: torch.index_add(v, d, m, b, out=out),
                    v,
                    out=True,
                ),
            ]
    return cases


def other_ops() -> list[Case]:
    """Return scans, flips, joins, selections and sorts."""
    torch = timing.torch_or_none()
    cases: list[Case] = []
    for dtype in ("float32", "int64", "bfloat16"):
        x, t = both((1024, 1024), dtype)
        for dim in (0, 1):
            cases.append(
                pair(
                    f"cumsum dim {dim} 1M {dtype}",
                    lambda x=x, d=dim: x.cumsum(d),
                    lambda out=None, t=t, d=dim: torch.cumsum(t, d, dtype=t.dtype, out=out),
                    t,
                    out=True,
                )
            )
    x, t = both((16 << 20,), "float32")
    cases.append(
        pair("cumsum 16M", lambda: x.cumsum(0), lambda out=None: torch.cumsum(t, 0, out=out), t, out=True)
    )
    cases.append(pair("argmax 16M", lambda: rl.argmax(x), lambda: torch.argmax(t), t))
    for dtype in ("float32", "bfloat16", "uint8"):
        (y, v), (z, w) = both((1024, 2048), dtype), both((1024, 2048), dtype)
        mask, keep = both((1024, 2048), "bool")
        mask, keep = (mask, keep) if keep is None else ((y > z), (v > w))
        cases += [
            pair(f"flip dim 0 2M {dtype}", lambda y=y: rl.flip(y, 0), lambda v=v: torch.flip(v, (0,)), v),
            pair(f"flip dim 1 2M {dtype}", lambda y=y: rl.flip(y, 1), lambda v=v: torch.flip(v, (1,)), v),
            pair(f"roll dim 0 2M {dtype}", lambda y=y: y.roll(100, 0), lambda v=v: torch.roll(v, 100, 0), v),
            pair(f"roll dim 1 2M {dtype}", lambda y=y: y.roll(100, 1), lambda v=v: torch.roll(v, 100, 1), v),
            pair(
                f"concat dim 0 2 x 2M {dtype}",
                lambda y=y, z=z: rl.concat((y, z), axis=0),
                lambda out=None, v=v, w=w: torch.cat((v, w), 0, out=out),
                v,
                out=True,
            ),
            pair(
                f"concat dim 1 2 x 2M {dtype}",
                lambda y=y, z=z: rl.concat((y, z), axis=1),
                lambda out=None, v=v, w=w: torch.cat((v, w), 1, out=out),
                v,
                out=True,
            ),
            pair(
                f"where 2M {dtype}",
                lambda y=y, z=z, m=mask: rl.where(m, y, z),
                lambda out=None, v=v, w=w, k=keep: torch.where(k, v, w, out=out),
                v,
                out=True,
            ),
            pair(
                f"masked_select 2M {dtype}",
                lambda y=y, m=mask: y.masked_select(m),
                lambda v=v, k=keep: torch.masked_select(v, k),
                v,
            ),
        ]
    (y, v), (p, q) = both((16, 64, 56, 56), "float32"), both((64, 1024, 6), "float32")
    for name, mine, peer in (("16 x 64 x 56 x 56", y, v), ("64 x 1024 x 6", p, q)):
        for mode in ("constant", "reflect"):
            cases.append(
                pair(
                    f"pad {mode} {name}",
                    lambda a=mine, m=mode: rl.nn.functional.pad(
                        a, (1, 1, 2, 2) if a.ndim == 4 else (1, 1), mode=m
                    ),
                    lambda b=peer, m=mode: torch.nn.functional.pad(
                        b, (1, 1, 2, 2) if b.ndim == 4 else (1, 1), mode=m
                    ),
                    peer,
                )
            )
    for name, ours, theirs in (
        ("row", both((1024, 1024), "float32"), both((1, 1024), "float32")),
        ("column", both((1024, 1024), "float32"), both((1024, 1), "float32")),
        ("short row", both((1 << 18, 6), "float32"), both((1, 6), "float32")),
        ("first", both((1, 1024), "float32"), both((1024, 1024), "float32")),
    ):
        cases.append(
            pair(
                f"add broadcast {name}",
                lambda a=ours, b=theirs: a[0] + b[0],
                lambda out=None, a=ours, b=theirs: torch.add(a[1], b[1], out=out),
                ours[1],
                out=True,
            )
        )
    for name, shape in (("1M", (1 << 20,)), ("1024 x 1024", (1024, 1024)), ("16384 x 64", (16384, 64))):
        for dtype in ("float32", "int64"):
            y, v = both(shape, dtype)
            if dtype == "int64":
                y, v = indices(shape, 1 << 40)
            cases.append(
                pair(
                    f"argsort {name} {dtype}",
                    lambda y=y: rl.argsort(y),
                    lambda v=v: torch.argsort(v, stable=True),
                    v,
                )
            )
            cases.append(
                pair(
                    f"sort {name} {dtype}",
                    lambda y=y: rl.sort(y, dim=-1),
                    lambda v=v: torch.sort(v, stable=True),
                    v,
                )
            )
    return cases


def selections() -> list[Case]:
    """Return selections by rank, sorted sets, and ops along the first dimension."""
    torch = timing.torch_or_none()
    cases: list[Case] = []
    for name, shape in (
        ("10K", (10_000,)),
        ("1M", (1 << 20,)),
        ("1024 x 1024", (1024, 1024)),
        ("16384 x 64", (16384, 64)),
    ):
        for dtype in ("float32", "int64"):
            y, v = both(shape, dtype) if dtype == "float32" else indices(shape, 1 << 40)
            for k in (10, shape[-1] // 2):
                cases.append(
                    pair(
                        f"topk {k} of {name} {dtype}",
                        lambda y=y, k=k: y.topk(k),
                        lambda v=v, k=k: torch.topk(v, k),
                        v,
                    )
                )
            k = shape[-1] // 3
            cases += [
                pair(
                    f"kthvalue of {name} {dtype}",
                    lambda y=y, k=k: y.kthvalue(k),
                    lambda v=v, k=k: torch.kthvalue(v, k),
                    v,
                ),
                pair(
                    f"median of {name} {dtype}",
                    lambda y=y: y.median(-1),
                    lambda v=v: torch.median(v, -1),
                    v,
                ),
            ]
    for dtype in ("float32", "int64"):
        y, v = both((10_000,), dtype) if dtype == "float32" else indices((10_000,), 1 << 40)
        cases.append(
            pair(
                f"sort 10K {dtype}", lambda y=y: rl.sort(y, dim=-1), lambda v=v: torch.sort(v, stable=True), v
            )
        )
    y, v = indices((1 << 18,), 1 << 12)
    cases.append(pair("unique 256K int64", lambda y=y: rl.unique(y), lambda v=v: torch.unique(v), v))
    (e, f), (y, v) = both((4096,), "float32"), both((1 << 18,), "float32")
    edges, borders = rl.sort(e), None if f is None else torch.sort(f).values
    cases.append(
        pair(
            "searchsorted 256K in 4096",
            lambda: rl.searchsorted(edges, y),
            lambda: torch.searchsorted(borders, v),
            v,
        )
    )
    (y, v), (z, w) = both((1024, 1024), "float32"), both((1024, 1024), "float32")
    mask, keep = (y > z), None if v is None else v > w
    cases += [
        pair("softmax dim 0 1M", lambda: rl.softmax(y, 0), lambda: torch.softmax(v, 0), v),
        pair("log_softmax dim 0 1M", lambda: rl.log_softmax(y, 0), lambda: torch.log_softmax(v, 0), v),
        pair("stack 2 x 1M", lambda: rl.stack((y, z)), lambda: torch.stack((v, w)), v),
        pair("stack last 2 x 1M", lambda: rl.stack((y, z), -1), lambda: torch.stack((v, w), -1), v),
        pair("masked_fill 1M", lambda: y.masked_fill(mask, 0.5), lambda: v.masked_fill(keep, 0.5), v),
        pair("repeat 1M x (2, 3)", lambda: y.repeat(2, 3), lambda: v.repeat(2, 3), v),
        pair("repeat_interleave 2", lambda: y.repeat_interleave(2, 1), lambda: v.repeat_interleave(2, 1), v),
        pair("tril 1M", lambda: rl.tril(y), lambda: torch.tril(v), v),
    ]
    return cases


def sides(_: argparse.Namespace) -> timing.Sides:
    """Return the calls of both libraries."""
    cases = copies() + index_ops() + other_ops() + selections()
    return {
        timing.OURS: {name: ours for name, ours, _ in cases},
        "torch": {name: theirs for name, _, theirs in cases if theirs is not None},
    }


if __name__ == "__main__":
    timing.main(__doc__, sides)
