"""One case, run by Rushlight and by PyTorch on the same fresh inputs."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import golden_ops
import rushlight as rl
from compare import Array, assert_near, dtype, to_np, to_rl
from golden_cases import FLOATS, HALVES, Recipe
from torch_calls import rounded, tensor, torch

SEED = int(os.environ["RUSHLIGHT_SEED"])
LAYOUTS = ("given", "transposed", "step", "stretched")

# Allowed errors, relative to the larger of result and floor. Where PyTorch itself is further from the
# exact answer (its own in float64), four times its distance is allowed.
VALUE = {"float64": 1e-12, "float32": 2e-6, "float16": 2.0**-10, "bfloat16": 2.0**-7}
GRADIENT = {"float64": 1e-11, "float32": 1e-5, "float16": 2.0**-7, "bfloat16": 2.0**-4}
# The magnitude below which errors of elementwise functions are absolute. For float16 smaller numbers are
# subnormal.
FLOOR = {"float64": 1e-6, "float32": 1e-6, "float16": 2.0**-14, "bfloat16": 1e-6}
# Rushlight adds running sums of float32 in float32, PyTorch on a CPU in float64.
SLACK = {"cumsum": 10.0}
# An operand that never influences the result has no gradient in Rushlight, and one of zeros in PyTorch.
FLAT = ("copysign",)


@dataclass(frozen=True)
class Definition:
    """A row of a case table."""

    family: str
    op: str
    variant: str
    inputs: dict[str, Recipe]
    dtypes: tuple[str, ...]
    grad: bool
    permuted: dict[str, list[int]]
    tags: tuple[str, ...]
    kwargs: dict[str, Any]
    constants: tuple[str, ...] = ()

    @property
    def stem(self) -> str:
        return f"{self.family}/{self.op}_{self.variant}" if self.variant else f"{self.family}/{self.op}"

    def draw(self) -> tuple[dict[str, Array], np.random.Generator]:
        """The inputs for this run's seed, and the generator to draw on with."""
        rng = np.random.default_rng([SEED, zlib.crc32(self.stem.encode())])
        return {arg: np.asarray(rounded(recipe(rng))) for arg, recipe in self.inputs.items()}, rng


@dataclass
class Recorder:
    """A `golden_cases.Book` that only records the rows."""

    family: str
    rows: list[Definition] = field(default_factory=list)

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
    ) -> None:
        floats = not {*FLOATS, *HALVES}.isdisjoint(dtypes)
        wanted = (*FLOATS, *HALVES) if floats else tuple(dtypes)
        row = Definition(
            self.family,
            op,
            variant,
            inputs,
            wanted,
            grad,
            permuted or {},
            tuple(tags),
            kwargs,
            tuple(constants),
        )
        self.rows.append(row)


@dataclass(frozen=True)
class Case:
    """A row in one dtype and one layout of its inputs."""

    row: Definition
    dtype: str
    layout: str

    def __str__(self) -> str:
        return f"{self.row.stem}-{self.dtype}-{self.layout}"


def cases(rows: Sequence[Definition]) -> Iterator[Case]:
    """Each row in each dtype; in every layout that one of its inputs can have."""
    for row in rows:
        drawn, _ = row.draw()
        for layout in LAYOUTS:
            if layout == "given" or any(can(layout, x) for x in drawn.values()):
                for name in row.dtypes:
                    yield Case(row, name, layout)


def can(layout: str, value: Array) -> bool:
    """Return whether an input can have the layout. Indices cannot be broadcast, because several of them would
    name one element."""
    if layout == "transposed":
        return value.ndim > 1
    if layout == "stretched":
        return value.ndim > 0 and value.shape[0] > 1 and value.dtype.kind == "f"
    return value.ndim > 0


def laid_out(layout: str, value: Array, name: str, order: list[int] | None) -> rl.Tensor:
    """A tensor of the values that is a view of another one, as the layout says."""
    if value.dtype.kind != "f":
        name = str(value.dtype)
    if layout == "given":
        order = order or list(range(value.ndim))
    elif layout == "transposed":
        order = list(range(value.ndim))[::-1]
    elif layout == "step" and value.ndim:
        # Every second element of the last axis, after a first row outside the view; other values between.
        wide = np.stack([value, np.flip(value)], axis=-1)
        if value.ndim == 1:
            return to_rl(wide.reshape(-1), name)[::2]
        wide = wide.reshape(*value.shape[:-1], 2 * value.shape[-1])
        return to_rl(np.concatenate([wide[:1], wide]), name)[1:, ..., ::2]
    elif layout == "stretched" and can(layout, value):
        return rl.broadcast_to(to_rl(value[:1], name), value.shape)
    else:
        return to_rl(value, name)
    back = tuple(int(axis) for axis in np.argsort(order))
    return rl.permute_dims(to_rl(value.transpose(order), name), back)


def check(
    case: Case, ours: Callable[..., Any], theirs: Callable[..., Any], summed: bool, floor: float = 0.0
) -> None:
    """Check that values, dtypes, shapes and gradients are PyTorch's.

    `summed` results are sums of terms that may cancel: an error is relative to the largest of them.
    """
    row, name = case.row, case.dtype
    note = f"{case}, RUSHLIGHT_SEED={SEED}"
    drawn, rng = row.draw()
    if case.layout == "stretched":
        drawn = {
            arg: np.broadcast_to(x[:1], x.shape).copy() if can("stretched", x) else x
            for arg, x in drawn.items()
        }
    wide = name if name == "float64" else "float64"
    plain = {arg: tensor(x, name) for arg, x in drawn.items()}
    exact = {arg: x.to(getattr(torch, wide)) if x.is_floating_point() else x for arg, x in plain.items()}
    if not {*FLOATS, *HALVES}.intersection(row.dtypes):
        exact = plain = {arg: x.to(getattr(torch, name)) for arg, x in plain.items()}
    values = {
        arg: x.to(torch.float64).numpy() if x.is_floating_point() else x.numpy() for arg, x in plain.items()
    }
    mine = {arg: laid_out(case.layout, x, name, row.permuted.get(arg)) for arg, x in values.items()}
    tracked = [
        arg for arg, x in plain.items() if row.grad and x.is_floating_point() and arg not in row.constants
    ]
    for arg in tracked:
        mine[arg] = mine[arg].detach().requires_grad_()
        plain[arg].requires_grad_()
        exact[arg] = exact[arg].detach().requires_grad_()

    answers = outputs(ours(**mine))
    wanted = outputs(theirs(**exact, **row.kwargs))
    peers = attempt(theirs, plain, row.kwargs)
    assert len(answers) == len(wanted)
    for i, (got, want) in enumerate(zip(answers, wanted, strict=True)):
        peer = None if peers is None else peers[i]
        compare(got, want, peer, name, VALUE, summed, floor, row.op, f"{note}, output {i}")
        if "special" in row.tags and peer is not None and peer.is_floating_point():
            signs(got, peer, f"{note}, output {i}")
    first = wanted[0]
    if not (row.grad and first.requires_grad):
        return
    cotangent = tensor(rounded(rng.normal(size=tuple(first.shape))), name)
    answers[0].backward(to_rl(cotangent.to(torch.float64).numpy(), name))
    grads = torch.autograd.grad(
        first, [exact[a] for a in tracked], cotangent.to(first.dtype), allow_unused=True
    )
    peer_grads = [None] * len(tracked)
    if peers is not None:
        peer_grads = torch.autograd.grad(
            peers[0], [plain[a] for a in tracked], cotangent.to(peers[0].dtype), allow_unused=True
        )
    for arg, want, peer in zip(tracked, grads, peer_grads, strict=True):
        got = mine[arg].grad
        if want is None:
            assert got is None, f"{note}: {arg} has a gradient"
            continue
        if got is None and row.op in FLAT and not want.any():
            continue
        assert got is not None, f"{note}: no gradient of {arg}"
        compare(got, want, peer, name, GRADIENT, summed, 1.0, row.op, f"{note}, gradient of {arg}")


def outputs(answer: Any) -> list[Any]:
    return list(answer) if isinstance(answer, tuple | list) else [answer]


def attempt(theirs: Callable[..., Any], plain: dict[str, Any], kwargs: dict[str, Any]) -> list[Any] | None:
    """Return PyTorch's result in the dtype itself, or None: on a CPU it lacks some functions for half
    floats."""
    try:
        return outputs(theirs(**plain, **kwargs))
    except (RuntimeError, NotImplementedError) as error:
        if "not implemented" in str(error) or "not supported" in str(error):
            return None
        raise


def compare(
    got: rl.Tensor,
    exact: Any,
    peer: Any,
    name: str,
    allowed: dict[str, float],
    summed: bool,
    floor: float,
    op: str,
    note: str,
) -> None:
    """Check that `got` is as near to the exact result as its dtype allows, or as near as PyTorch's result."""
    assert got.shape == tuple(exact.shape), f"{note}: shape {got.shape}, not {tuple(exact.shape)}"
    exact = exact.detach()
    if not exact.is_floating_point() or name not in VALUE:
        assert got.dtype == dtype(str(exact.dtype).removeprefix("torch.")), f"{note}: dtype {got.dtype}"
        np.testing.assert_array_equal(to_np(got), exact.numpy(), err_msg=note)
        return
    assert got.dtype == dtype(name), f"{note}: dtype {got.dtype}"
    value = to_np(got).astype(np.float64)
    want = exact.to(getattr(torch, name)).double().numpy()
    largest = np.abs(want[np.isfinite(want)]).max(initial=0.0)
    low = max(floor, FLOOR[name], float(largest) if summed else 0.0)
    limit = allowed[name] * SLACK.get(op, 1.0)
    if allowed is GRADIENT:
        limit = max(limit, golden_ops.CONSTANTS.get(op, 0.0))
    if peer is not None:
        assert peer.dtype == getattr(torch, name)
        theirs = peer.detach().double().numpy()
        with np.errstate(all="ignore"):
            off = np.abs(theirs - want) / np.maximum(low, np.abs(want))
        limit = max(limit, 4 * float(off[np.isfinite(off)].max(initial=0.0)))
        if name in HALVES:
            # Where a half float overflows on the way, PyTorch returns an infinity or NaN there.
            lost = np.isfinite(theirs) != np.isfinite(want)
            value, want = value[~lost], want[~lost]
    assert_near(value, want, limit, note, low)


def signs(got: rl.Tensor, peer: Any, note: str) -> None:
    """Check that zeros have the signs of PyTorch's zeros."""
    value, want = to_np(got), peer.detach().double().numpy()
    zero = (value == 0) & (want == 0)
    np.testing.assert_array_equal(np.signbit(value[zero]), np.signbit(want[zero]), err_msg=note)
