"""Bad input: an error of the right class with a text that helps, no panic, inputs unchanged."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rushlight as rl
from compare import ALL, FLOAT, dtype, to_np
from rushlight import functional as F

X = (3, 4)
HUGE = 2**62


def x(*shape: int, kind: str = "float32") -> rl.Tensor:
    return rl.astype(rl.ones(shape or X), dtype(kind))


WRONG: list[tuple[str, Callable[[], Any], type[Exception]]] = [
    # Shapes
    ("add", lambda: x(3, 4) + x(3, 5), ValueError),
    ("matmul", lambda: x(3, 4) @ x(5, 3), ValueError),
    ("matmul_batch", lambda: x(2, 3, 4) @ x(3, 4, 5), ValueError),
    ("matmul_scalar", lambda: rl.matmul(x(3, 4), rl.ones(())), ValueError),
    ("reshape", lambda: rl.reshape(x(), (5, 2)), ValueError),
    ("reshape_two_holes", lambda: rl.reshape(x(), (-1, -1)), ValueError),
    ("reshape_indivisible", lambda: rl.reshape(x(), (-1, 5)), ValueError),
    ("broadcast_to", lambda: rl.broadcast_to(x(), (3, 5)), ValueError),
    ("squeeze", lambda: rl.squeeze(x(), axis=0), ValueError),
    ("concat", lambda: rl.concat([x(3, 4), x(4, 4)], axis=1), ValueError),
    ("concat_nothing", lambda: rl.concat([]), ValueError),
    ("stack", lambda: rl.stack([x(3, 4), x(4, 3)]), ValueError),
    ("permute_dims", lambda: rl.permute_dims(x(), (0, 0)), ValueError),
    ("permute_dims_short", lambda: rl.permute_dims(x(), (0,)), ValueError),
    ("where", lambda: rl.where(x(2, 2) > 0, x(), x()), ValueError),
    ("ragged", lambda: rl.asarray([[1, 2], [3]]), ValueError),
    ("conv2d_channels", lambda: F.conv2d(x(1, 3, 5, 5), x(2, 4, 3, 3)), ValueError),
    ("conv2d_rank", lambda: F.conv2d(x(3, 5), x(2, 3, 3, 3)), ValueError),
    ("conv2d_kernel", lambda: F.conv2d(x(1, 1, 2, 2), x(1, 1, 3, 3)), ValueError),
    ("conv2d_stride", lambda: F.conv2d(x(1, 1, 5, 5), x(1, 1, 3, 3), stride=0), ValueError),
    ("conv2d_groups", lambda: F.conv2d(x(1, 3, 5, 5), x(2, 1, 3, 3), groups=2), ValueError),
    ("conv2d_bias", lambda: F.conv2d(x(1, 1, 5, 5), x(2, 1, 3, 3), x(3)), ValueError),
    ("max_pool2d_rank", lambda: F.max_pool2d(x(3), 2), ValueError),
    ("max_pool2d_kernel", lambda: F.max_pool2d(x(1, 1, 4, 4), 0), ValueError),
    ("max_pool2d_padding", lambda: F.max_pool2d(x(1, 1, 4, 4), 2, padding=2), ValueError),
    ("interpolate_both", lambda: F.interpolate(x(1, 1, 4), 2, 2.0), ValueError),
    ("interpolate_factor", lambda: F.interpolate(x(1, 1, 4), scale_factor=-1.0), ValueError),
    ("cross_entropy", lambda: F.cross_entropy(x(3, 4), rl.zeros(4, dtype=rl.int64)), ValueError),
    ("nll_loss_rank", lambda: F.nll_loss(rl.ones(()), rl.zeros((), dtype=rl.int64)), ValueError),
    ("mse_loss", lambda: F.mse_loss(x(3), x(4)), ValueError),
    ("max_of_nothing", lambda: rl.max(x(0, 3)), ValueError),
    ("argmin_of_nothing", lambda: rl.argmin(x(0)), ValueError),
    ("bool_of_many", lambda: bool(x()), ValueError),
    ("float_of_many", lambda: float(x()), (ValueError, TypeError)),  # type: ignore[list-item]
    ("len_of_scalar", lambda: len(rl.ones(())), TypeError),
    ("negative_size", lambda: rl.zeros((-1, 2)), ValueError),
    ("arange_step", lambda: rl.arange(0, 5, 0), ValueError),
    ("embedding_weight", lambda: F.embedding(rl.asarray([0]), x(3)), ValueError),
    ("backward_shape", lambda: (x().requires_grad_() * 2).backward(x(2)), ValueError),
    ("assign_shape", lambda: x().__setitem__(0, x(3)), ValueError),
    # Dtypes and types
    ("add_text", lambda: x() + "a", TypeError),  # type: ignore[operator]
    ("dtype_name", lambda: rl.zeros(2, dtype="float33"), TypeError),
    ("bitwise_float", lambda: x() & x(), TypeError),
    ("invert_float", lambda: ~x(), TypeError),
    ("index_float", lambda: rl.take(x(), x(2), axis=0), TypeError),
    ("embedding_float", lambda: F.embedding(x(2), x(3, 4)), TypeError),
    ("cross_entropy_float", lambda: F.cross_entropy(x(3, 4), x(3)), TypeError),
    ("softmax_int", lambda: F.softmax(x(kind="int64"), 0), TypeError),
    ("conv_mixed", lambda: F.conv1d(x(1, 1, 5), x(1, 1, 3, kind="float64")), TypeError),
    ("object", lambda: rl.asarray(object()), TypeError),
    ("object_list", lambda: rl.asarray([object()]), TypeError),
    ("text", lambda: rl.asarray("text"), TypeError),
    ("grad_of_int", lambda: rl.asarray([1]).requires_grad_(), (RuntimeError, TypeError)),  # type: ignore[list-item]
    ("too_big_number", lambda: rl.asarray(2**70), OverflowError),
    ("number_of_int8", lambda: rl.asarray(300, dtype=rl.int8), OverflowError),
    # Axes and indices
    ("sum_axis", lambda: rl.sum(x(), axis=2), IndexError),
    ("sum_negative_axis", lambda: rl.sum(x(), axis=-3), IndexError),
    ("sum_same_axis", lambda: rl.sum(x(), axis=(0, 0)), ValueError),
    ("softmax_axis", lambda: F.softmax(x(), 2), IndexError),
    ("sort_axis", lambda: rl.sort(x(), axis=2), IndexError),
    ("concat_axis", lambda: rl.concat([x(), x()], axis=2), IndexError),
    ("expand_dims_axis", lambda: rl.expand_dims(x(), axis=4), IndexError),
    ("getitem", lambda: x()[3], IndexError),
    ("getitem_negative", lambda: x()[-4], IndexError),
    ("getitem_many", lambda: x()[0, 0, 0], IndexError),
    ("getitem_mask", lambda: x()[rl.asarray([True, False])], IndexError),
    ("getitem_tensor", lambda: x()[rl.asarray([0, 3])], IndexError),
    ("getitem_type", lambda: x()["a"], (IndexError, TypeError)),  # type: ignore[index,list-item]
    ("slice_step", lambda: x()[::0], ValueError),
    ("take", lambda: rl.take(x(), rl.asarray([4]), axis=1), IndexError),
    ("take_negative", lambda: rl.take(x(), rl.asarray([-5]), axis=1), IndexError),
    ("gather", lambda: rl.gather(x(), 1, rl.asarray([[4]])), IndexError),
    ("index_select", lambda: rl.index_select(x(), 0, rl.asarray([3])), IndexError),
    ("scatter", lambda: rl.scatter(x(), 0, rl.asarray([[9]]), x(1, 1)), IndexError),
    ("index_add", lambda: rl.index_add(x(), 0, rl.asarray([9]), x(1, 4)), IndexError),
    ("embedding", lambda: F.embedding(rl.asarray([3]), x(3, 2)), IndexError),
    ("embedding_max", lambda: F.embedding(rl.asarray([2**32 - 1], dtype=rl.uint32), x(3, 2)), IndexError),
    ("cross_entropy_class", lambda: F.cross_entropy(x(2, 3), rl.asarray([0, 3])), IndexError),
    ("nll_loss_class", lambda: F.nll_loss(x(2, 3), rl.asarray([0, -1])), IndexError),
    ("one_hot", lambda: F.one_hot(rl.asarray([3]), 3), IndexError),
    # Sizes that overflow or do not fit
    ("zeros_overflow", lambda: rl.zeros((HUGE, HUGE)), (ValueError, MemoryError, OverflowError)),  # type: ignore[list-item]
    ("zeros_huge", lambda: rl.zeros((2**50,)), MemoryError),
    (
        "broadcast_overflow",
        lambda: rl.sum(rl.broadcast_to(x(1), (HUGE, HUGE))),
        (ValueError, MemoryError, OverflowError),
    ),  # type: ignore[list-item]
    ("full_huge_rank", lambda: rl.zeros((1,) * 40), ValueError),
    ("tile_overflow", lambda: rl.tile(x(), (HUGE, HUGE)), (ValueError, MemoryError, OverflowError)),  # type: ignore[list-item]
    ("arange_huge", lambda: rl.arange(0, 1e18), MemoryError),
    # Devices
    ("device_name", lambda: rl.zeros(2, device="abacus"), rl.DeviceError),
    ("device_missing", lambda: rl.zeros(2, device="cuda:99"), rl.DeviceError),
    ("rocm_missing", lambda: rl.zeros(2).to("rocm:99"), rl.DeviceError),
    # Gradients
    ("backward_of_many", lambda: (x().requires_grad_() * 2).backward(), RuntimeError),
    ("backward_of_nothing", lambda: x().sum().backward(), RuntimeError),
    # Files
    ("load_file", lambda: rl.load_file("/no/such/file"), FileNotFoundError),
]


@pytest.mark.parametrize(("call", "error"), [row[1:] for row in WRONG], ids=[r[0] for r in WRONG])
def test_right_class(call: Callable[[], Any], error: type[Exception]) -> None:
    with pytest.raises(error) as caught:
        call()
    assert len(str(caught.value)) > 5


def test_messages_name_the_op_and_both_shapes() -> None:
    for call, parts in [
        (lambda: x(3, 4) @ x(5, 3), ["matmul", "3", "4", "5"]),
        (lambda: x(3, 4) + x(3, 5), ["[3, 4]", "[3, 5]"]),
        (lambda: F.cross_entropy(x(2, 3), rl.asarray([0, 7])), ["7", "3"]),
        (lambda: x()[7], ["7", "3"]),
    ]:
        with pytest.raises((ValueError, IndexError)) as caught:
            call()
        text = str(caught.value).replace("(", "[").replace(")", "]")
        assert all(part in text for part in parts), text


@pytest.mark.parametrize("content", [b"", b"\x08", b"\xff" * 64, b"\x10" + b"\0" * 7 + b'{"a":1}' * 9])
def test_hostile_safetensors(content: bytes, tmp_path: Any) -> None:
    path = tmp_path / "bad.safetensors"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"."):
        rl.load_file(path)


def test_truncated_safetensors(tmp_path: Any) -> None:
    path = tmp_path / "cut.safetensors"
    rl.save_file({"a": rl.ones((8, 8)), "b": rl.zeros(3)}, path)
    whole = path.read_bytes()
    for size in range(0, len(whole), 7):
        path.write_bytes(whole[:size])
        with pytest.raises(ValueError, match=r"."):
            rl.load_file(path)
    path.write_bytes(whole)
    assert rl.load_file(path)["a"].shape == (8, 8)


# Anything a caller may do gives a result or one of these.
EXPECTED = (ValueError, TypeError, IndexError, MemoryError, OverflowError, NotImplementedError)

shapes = st.lists(st.integers(0, 4), max_size=4).map(tuple)
kinds = st.sampled_from(ALL)
axes = st.integers(-5, 5)
numbers = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, -2.5, math.nan, math.inf, -math.inf, 1e300, 1e-300, 65505.0]),
    st.floats(-10, 10, allow_nan=False),
)


def made(shape: tuple[int, ...], kind: str, value: float) -> rl.Tensor:
    if kind in FLOAT:
        return rl.astype(rl.full(shape, value, dtype=rl.float64), dtype(kind))
    with np.errstate(all="ignore"):
        whole = 0 if not math.isfinite(value) else int(max(min(value, 9), -9))
    return rl.astype(rl.full(shape, whole, dtype=rl.int64), dtype(kind))


UNARY: list[Callable[[rl.Tensor], Any]] = [
    rl.abs, rl.exp, rl.log, rl.sqrt, rl.negative, rl.sign, rl.floor, rl.isnan, rl.logical_not,
    rl.bitwise_invert, rl.square, rl.reciprocal, F.relu, F.gelu, F.silu, F.sigmoid, rl.nonzero,
    rl.unique_values, rl.flip, lambda t: t.T, lambda t: t.mT, lambda t: float(t), lambda t: int(t),
    lambda t: bool(t), len, list, repr, lambda t: t.tolist(), lambda t: -t, lambda t: ~t,
    lambda t: t.sum(), lambda t: t.mean(), rl.var, rl.any, rl.argmax, rl.sort, rl.cumulative_sum,
]  # fmt: skip
BINARY: list[Callable[[rl.Tensor, rl.Tensor], Any]] = [
    rl.add, rl.subtract, rl.multiply, rl.divide, rl.floor_divide, rl.remainder, rl.pow, rl.maximum,
    rl.minimum, rl.atan2, rl.matmul, rl.equal, rl.less, rl.bitwise_and, rl.bitwise_left_shift,
    rl.logical_or, F.mse_loss, F.linear, F.embedding, F.cross_entropy, F.nll_loss, F.conv1d,
    F.conv2d, F.conv_transpose2d, rl.take, rl.isin, rl.searchsorted, rl.vecdot, rl.tensordot,
    lambda a, b: rl.where(a, b, b), lambda a, b: rl.concat([a, b]), lambda a, b: a[b],
    lambda a, b: rl.stack([a, b]), lambda a, b: a @ b, lambda a, b: rl.broadcast_to(a, b.shape),
]  # fmt: skip
AXIS: list[Callable[[rl.Tensor, int], Any]] = [
    lambda t, a: rl.sum(t, axis=a), lambda t, a: rl.max(t, axis=a), lambda t, a: rl.mean(t, axis=a),
    lambda t, a: rl.argmin(t, axis=a), lambda t, a: rl.sort(t, axis=a), lambda t, a: rl.flip(t, axis=a),
    lambda t, a: rl.argsort(t, axis=a), lambda t, a: rl.cumulative_sum(t, axis=a),
    lambda t, a: F.softmax(t, a), lambda t, a: F.log_softmax(t, a), lambda t, a: rl.squeeze(t, axis=a),
    lambda t, a: rl.expand_dims(t, axis=a), lambda t, a: rl.unstack(t, axis=a), lambda t, a: t[a],
    lambda t, a: rl.roll(t, a, axis=a), lambda t, a: rl.repeat(t, a, axis=0), lambda t, a: t[::a],
    lambda t, a: rl.moveaxis(t, a, 0), lambda t, a: rl.reshape(t, (a, -1)), lambda t, a: rl.tril(t, k=a),
    lambda t, a: F.one_hot(t, a), lambda t, a: F.max_pool2d(t, a), lambda t, a: F.avg_pool2d(t, a, a),
    lambda t, a: F.interpolate(t, a), lambda t, a: F.flatten(t, a), lambda t, a: F.dropout(t, a / 5),
]  # fmt: skip


def survives(call: Callable[[], Any], inputs: list[rl.Tensor]) -> None:
    before = [to_np(t).copy() for t in inputs]
    try:
        call()
    except EXPECTED as err:
        if not str(err):
            raise AssertionError(f"{type(err).__name__} without a text") from err
    for tensor, value in zip(inputs, before, strict=True):
        np.testing.assert_array_equal(to_np(tensor), value)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(UNARY), shapes, kinds, numbers)
def test_any_unary_call(call: Any, shape: tuple[int, ...], kind: str, value: float) -> None:
    tensor = made(shape, kind, value)
    survives(lambda: call(tensor), [tensor])


@pytest.mark.filterwarnings("ignore:.*they are broadcast to:UserWarning")
@settings(max_examples=800, deadline=None)
@given(st.sampled_from(BINARY), shapes, shapes, kinds, kinds, numbers, numbers)
def test_any_binary_call(
    call: Any,
    a: tuple[int, ...],
    b: tuple[int, ...],
    kind_a: str,
    kind_b: str,
    value_a: float,
    value_b: float,
) -> None:
    left, right = made(a, kind_a, value_a), made(b, kind_b, value_b)
    survives(lambda: call(left, right), [left, right])


@settings(max_examples=600, deadline=None)
@given(st.sampled_from(AXIS), shapes, kinds, numbers, axes)
def test_any_axis_call(call: Any, shape: tuple[int, ...], kind: str, value: float, axis: int) -> None:
    tensor = made(shape, kind, value)
    survives(lambda: call(tensor, axis), [tensor])


indices = st.recursive(
    st.one_of(
        st.integers(-6, 6),
        st.none(),
        st.just(Ellipsis),
        st.booleans(),
        st.slices(4),
        st.lists(st.integers(-5, 5), max_size=3),
        st.lists(st.booleans(), max_size=4),
    ),
    lambda inner: st.lists(inner, max_size=4).map(tuple),
    max_leaves=5,
)


@settings(max_examples=800, deadline=None)
@given(shapes, indices)
def test_any_index(shape: tuple[int, ...], index: Any) -> None:
    """Indexing gives NumPy's result, or an error if NumPy raises one or the key is not supported."""
    value = np.arange(math.prod(shape), dtype=np.int64).reshape(shape)
    tensor = rl.asarray(value.copy())
    try:
        want = value[index]
    except (IndexError, ValueError, TypeError):
        want = None
    try:
        got = tensor[index]
    except EXPECTED:
        got = None
    if got is not None and want is not None:
        np.testing.assert_array_equal(to_np(got), want)
    np.testing.assert_array_equal(to_np(tensor), value)


@settings(max_examples=300, deadline=None)
@given(
    st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 5), st.integers(0, 5)),
    st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 4), st.integers(0, 4)),
    st.integers(-1, 3),
    st.integers(-1, 3),
    st.integers(-1, 3),
    st.integers(-1, 3),
)
def test_any_convolution(
    a: tuple[int, ...], b: tuple[int, ...], stride: int, padding: int, dilation: int, groups: int
) -> None:
    left, right = x(*a), x(*b)
    survives(lambda: F.conv2d(left, right, None, stride, padding, dilation, groups), [left, right])
    survives(
        lambda: F.conv_transpose2d(left, right, None, stride, padding, 0, groups, dilation),
        [left, right],
    )


def test_sizes_without_elements_do_not_exhaust_memory() -> None:
    """A tensor without elements may have any size along another axis. Making a Python object for each row is
    a MemoryError."""
    t = rl.zeros((2**40, 0))
    calls: list[Callable[[], Any]] = [
        lambda: rl.stack(t),  # type: ignore[arg-type]
        lambda: rl.concat(t),  # type: ignore[arg-type]
        lambda: rl.concat([t, t]).tolist(),
        lambda: list(t),
        lambda: rl.unstack(t),
        lambda: rl.split(t, 1),
        lambda: t.chunk(2**39),
        lambda: t.tolist(),
        lambda: rl.tile(rl.ones(2), t),  # type: ignore[arg-type]
    ]
    for call in calls:
        with pytest.raises(MemoryError, match="too many"):
            call()
    with pytest.raises(TypeError, match="sequence of Tensors"):
        rl.stack(5)  # type: ignore[arg-type]
    assert rl.stack([rl.zeros((0, 3))] * 2).tolist() == [[], []]
