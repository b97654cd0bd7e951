"""Every element-wise op and reduction, in all its dtypes and in all layouts, against NumPy and SciPy."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import layouts
import rushlight as rl
from compare import ALL, FLOAT, Array, assert_exact, assert_ulps, dtype, rounded, to_np
from ops_table import BINARY, REDUCTIONS, UNARY, Elementwise, Reduction, widened

EPS = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}


def draw(op: Elementwise, place: int, name: str, layout: str, rng: np.random.Generator) -> Array:
    """Draw the values of operand number `place`, which the dtype holds exactly."""
    if name == "bool":
        return layouts.draw(layout, lambda g, s: g.random(s) < 0.5, rng)
    if name in FLOAT:
        value = layouts.draw(layout, op.domains[place], rng)
        return rounded(value, name)
    value = layouts.draw(layout, op.int_domains[place], rng)
    if name.startswith("u"):
        value = np.abs(value)
    return value.astype(name)


def reference(op: Any, name: str, operands: list[Array], **kwargs: Any) -> Array:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return np.asarray(op.reference(*operands, **kwargs))


def check(op: Elementwise, name: str, layout: str, count: int) -> None:
    rng = np.random.default_rng([len(op.name), len(name), layouts.NAMES.index(layout)])
    operands = [draw(op, i, name, layout, rng) for i in range(count)]
    tensors = [layouts.tensor(layout, value, name) for value in operands]
    got = op.call(*tensors)
    want = reference(op, name, operands)
    assert got.dtype == dtype(op.result or name)
    assert got.device == tensors[0].device
    note = f"{op.name} of {name}, {layout}"
    if op.result == "bool" or name not in FLOAT:
        assert_exact(got, want, note)
    else:
        allowed = op.allowed if name in ("float32", "float64") else min(op.allowed, 1.0)
        # NumPy's float64 results are wrong by up to two units.
        slack = 2.0 if name == "float64" and op.allowed else 0.0
        assert_ulps(got, want, name, allowed + slack, note)
    for value, tensor in zip(operands, tensors, strict=True):
        assert_exact(tensor, value.astype(to_np(tensor).dtype), f"{note}: an operand changed")


def cases(table: list[Elementwise]) -> list[Any]:
    return [pytest.param(op, name, id=f"{op.name}-{name}") for op in table for name in op.dtypes]


@pytest.mark.parametrize("layout", layouts.NAMES)
@pytest.mark.parametrize(("op", "name"), cases(UNARY))
def test_unary(op: Elementwise, name: str, layout: str) -> None:
    check(op, name, layout, 1)


@pytest.mark.parametrize("layout", layouts.NAMES)
@pytest.mark.parametrize(("op", "name"), cases(BINARY))
def test_binary(op: Elementwise, name: str, layout: str) -> None:
    check(op, name, layout, 2)


@pytest.mark.parametrize(("op", "name"), cases(BINARY))
def test_binary_broadcasts(op: Elementwise, name: str) -> None:
    rng = np.random.default_rng(7)
    a = draw(op, 0, name, "contiguous", rng)[:, :1]
    b = draw(op, 1, name, "contiguous", rng)[0]
    got = op.call(layouts.tensor("contiguous", a, name), layouts.tensor("contiguous", b, name))
    full = op.call(
        *(layouts.tensor("contiguous", np.broadcast_to(x, (3, 4, 5)).copy(), name) for x in (a, b))
    )
    assert got.shape == (3, 4, 5)
    assert_exact(got, to_np(full), f"{op.name} of {name}")


def outside(op: Elementwise) -> list[str]:
    return [name for name in ALL if name not in op.dtypes]


BOOL_TOO = ("equal", "not_equal", "any", "all")


@pytest.mark.parametrize("op", UNARY + BINARY, ids=lambda op: op.name)
def test_other_dtypes_give_a_type_error_or_a_true_answer(op: Elementwise) -> None:
    """For a dtype that an op does not support it raises TypeError, or promotes to the default float and is
    correct."""
    count = 2 if op in BINARY else 1
    for name in outside(op):
        value = np.array([1, 0, 1]) if name == "bool" else np.array([1, 2, 3])
        tensors = [layouts.tensor("contiguous", value, name)] * count
        try:
            got = op.call(*tensors)
        except TypeError as err:
            if not any(word in str(err) for word in ("dtype", "bool")):
                raise AssertionError(f"{name}: the text does not say that the dtype is wrong") from err
            continue
        with np.errstate(all="ignore"):
            # As in NumPy, addition of bools is `or` and multiplication `and`.
            logical = name == "bool" and op.name in ("add", "multiply", "maximum", "minimum")
            host = value.astype(bool if logical else np.float64)
            want = np.asarray(op.reference(*([host] * count)))
        np.testing.assert_allclose(to_np(got).astype(np.float64), want, rtol=1e-3, err_msg=name)


def reduction_cases() -> list[Any]:
    return [pytest.param(op, name, id=f"{op.name}-{name}") for op in REDUCTIONS for name in op.dtypes]


@pytest.mark.parametrize("layout", layouts.NAMES)
@pytest.mark.parametrize(("op", "name"), reduction_cases())
def test_reduction(op: Reduction, name: str, layout: str) -> None:
    rng = np.random.default_rng([len(op.name), len(name), layouts.NAMES.index(layout)])

    def make(g: np.random.Generator, shape: tuple[int, ...]) -> Array:
        if name in FLOAT:
            low = 0.5 if op.name == "prod" else -4
            return rounded(g.uniform(low, 1.5 if op.name == "prod" else 4, shape), name)
        if name == "bool":
            return g.random(shape) < 0.5
        if op.name == "prod":
            return g.integers(1, 3, shape)
        return g.integers(0 if name.startswith("u") else -5, 6, shape)

    value = layouts.draw(layout, make, rng)
    if name not in FLOAT:
        value = value.astype(name)
    tensor = layouts.tensor(layout, value, name)
    result = {"widened": widened(name), None: name}.get(op.result, op.result)
    for axis in op.axes:
        if layout == "empty" and not op.empty:
            axes = range(3) if axis is None else (axis if isinstance(axis, tuple) else (axis,))
            if 1 in {a % 3 for a in axes}:
                if op.name in ("max", "min", "argmax", "argmin"):
                    with pytest.raises(ValueError, match=r"empty|no elements"):
                        op.call(tensor, axis=axis)
                elif op.name == "logsumexp":
                    assert (to_np(op.call(tensor, axis=axis)) == -np.inf).all()
                else:
                    assert np.isnan(to_np(op.call(tensor, axis=axis))).all()
                continue
        for keep in (False, True):
            got = op.call(tensor, axis=axis, keepdims=keep)
            want = reference(op, name, [value], axis=axis, keepdims=keep)
            note = f"{op.name} of {name}, {layout}, axis {axis}, keepdims {keep}"
            assert got.dtype == dtype(str(result)), note
            if name not in FLOAT or op.result in ("bool", "int64") or op.allowed == 0:
                assert_exact(got, want.astype(to_np(got).dtype), note)
                continue
            assert got.shape == want.shape, note
            scale = np.maximum(np.abs(want), 1.0 if op.name != "prod" else 0.0)
            if op.name in ("sum", "mean"):
                # Terms may cancel: the error is relative to their magnitudes.
                scale = reference(op, name, [np.abs(value)], axis=axis, keepdims=keep) + 1e-30
            with np.errstate(all="ignore"):
                off = np.abs(to_np(got).astype(np.float64) - want) / scale
            assert (off <= op.allowed * EPS[name]).all(), f"{note}: {off.max() / EPS[name]} eps off"


@pytest.mark.parametrize("name", ["float32", "float64", "float16", "bfloat16"])
def test_special_values_of_reductions(name: str) -> None:
    def make(*values: float) -> rl.Tensor:
        return layouts.tensor("contiguous", np.array(values), name)

    nan, inf = float("nan"), float("inf")
    assert np.isnan(float(rl.max(make(1, nan, 2))))
    assert np.isnan(float(rl.min(make(1, nan, 2))))
    assert int(rl.argmax(make(1, nan, 2, nan))) == 1
    assert int(rl.argmin(make(1, nan, 2, nan))) == 1
    assert int(rl.argmax(make(3, 7, 7))) == 1
    assert int(rl.argmin(make(3, 1, 1))) == 1
    assert float(rl.sum(make(inf, 1))) == inf
    assert np.isnan(float(rl.sum(make(inf, -inf))))
    assert float(rl.max(make(-inf, -inf))) == -inf
    assert float(rl.logsumexp(make(-inf, -inf))) == -inf
    assert float(rl.logsumexp(make(inf, 1))) == inf


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_halves_are_summed_in_float32(name: str) -> None:
    """A running sum in half precision could not reach 4,096 by adding ones."""
    assert float(rl.sum(layouts.tensor("contiguous", np.ones(4096), name))) == 4096.0


@pytest.mark.parametrize("to", ALL)
@pytest.mark.parametrize("of", ALL)
def test_casts(of: str, to: str) -> None:
    """Casts between all dtypes round to nearest even and saturate; NaN gives 0."""
    if of == "bool":
        value: Array = np.array([True, False, True])
    elif of in FLOAT:
        value = rounded(np.array([0.0, 1.5, 2.5, -2.5, 100.4, 3.9999, 0.1, 65504.0]), of)
        if to.startswith("u") or to in ("int8", "int16"):
            value = np.clip(value, 0, 120)
    else:
        info = np.iinfo(of)
        value = np.array([0, 1, 7, 100, info.max, info.min], dtype=of)
    got = rl.astype(layouts.tensor("contiguous", value, of), dtype(to))
    assert got.dtype == dtype(to)
    if to == "bool":
        assert_exact(got, value != 0)
    elif to in FLOAT:
        with np.errstate(over="ignore"):
            wide = value.astype(np.float32 if to == "float32" else np.float64)
        assert_ulps(got, wide.astype(np.float64), to, 0, f"{of} to {to}")
    elif of in FLOAT:
        assert_exact(got, np.trunc(value).astype(to))
    else:
        assert_exact(got, value.astype(to), f"{of} to {to}")


@pytest.mark.parametrize("of", FLOAT)
@pytest.mark.parametrize("to", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64"])
def test_casts_from_float_saturate(of: str, to: str) -> None:
    value = np.array([np.nan, np.inf, -np.inf, 1e4, -1e4])
    info = np.iinfo(to)
    held = rounded(value, of)
    want = [0, info.max, info.min]
    want += [int(min(max(int(v), info.min), info.max)) for v in held[3:]]
    got = rl.astype(layouts.tensor("contiguous", value, of), dtype(to))
    assert got.tolist() == want
