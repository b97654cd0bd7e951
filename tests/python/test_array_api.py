"""The array API standard 2025.12: names, parameters and special values; NumPy's integers as arguments."""

from __future__ import annotations

import copy
import inspect
import json
import os
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import namespace_calls
import rushlight as rl
from compare import to_np
from rushlight import functional as F
from rushlight import nn, optim

# Every function of the standard: name, how many parameters go by position only, and names of the others.
NAMES = """
abs:1 acos:1 acosh:1 add:2 all:1:axis,keepdims any:1:axis,keepdims arange:1:stop,step,dtype,device
argmax:1:axis,keepdims argmin:1:axis,keepdims argsort:1:axis,descending,stable
asarray:1:dtype,device,copy asin:1 asinh:1 astype:2:copy,device atan:1 atan2:2 atanh:1 bitwise_and:2
bitwise_invert:1 bitwise_left_shift:2 bitwise_or:2 bitwise_right_shift:2 bitwise_xor:2
broadcast_arrays:0 broadcast_shapes:0 broadcast_to:1:shape can_cast:2 ceil:1 clip:1:min,max
concat:1:axis conj:1 copysign:2 cos:1 cosh:1 count_nonzero:1:axis,keepdims
cumulative_prod:1:axis,dtype,include_initial cumulative_sum:1:axis,dtype,include_initial
diff:1:axis,n,prepend,append divide:2 empty:0:shape,dtype,device empty_like:1:dtype,device equal:2 exp:1
expand_dims:1:axis expm1:1 eye:2:k,dtype,device finfo:1 flip:1:axis floor:1 floor_divide:2
from_dlpack:1:device,copy full:0:shape,fill_value,dtype,device full_like:1:fill_value,dtype,device
greater:2 greater_equal:2 hypot:2 iinfo:1 imag:1 isdtype:0:dtype,kind isfinite:1 isin:2:invert isinf:1
isnan:1 less:2 less_equal:2 linspace:2:num,dtype,device,endpoint log:1 log10:1 log1p:1 log2:1
logaddexp:2 logical_and:2 logical_not:1 logical_or:2 logical_xor:2 matmul:2 matrix_transpose:1
max:1:axis,keepdims maximum:2 mean:1:axis,keepdims meshgrid:0:indexing min:1:axis,keepdims minimum:2
moveaxis:3 multiply:2 negative:1 nextafter:2 nonzero:1 not_equal:2 ones:0:shape,dtype,device
ones_like:1:dtype,device permute_dims:1:axes positive:1 pow:2 prod:1:axis,dtype,keepdims real:1
reciprocal:1 remainder:2 repeat:2:axis reshape:1:shape,copy result_type:0 roll:1:shift,axis round:1
searchsorted:2:side,sorter sign:1 signbit:1 sin:1 sinh:1 sort:1:axis,descending,stable sqrt:1 square:1
squeeze:1:axis stack:1:axis std:1:axis,correction,keepdims subtract:2 sum:1:axis,dtype,keepdims
take:2:axis take_along_axis:2:axis tan:1 tanh:1 tensordot:2:axes tile:2 tril:1:k triu:1:k trunc:1
unique_all:1 unique_counts:1 unique_inverse:1 unique_values:1 unstack:1:axis
var:1:axis,correction,keepdims vecdot:2:axis where:3 zeros:0:shape,dtype,device
zeros_like:1:dtype,device
"""
STANDARD = NAMES.split()
CONSTANTS = ("e", "inf", "nan", "newaxis", "pi")
DTYPES = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float32", "float64", "complex64", "complex128"),
)
ATTRIBUTES = ("T", "device", "dtype", "mT", "ndim", "shape", "size", "to_device")
LINEAR = """
cholesky cross det diagonal eig eigh eigvals eigvalsh inv matmul matrix_norm matrix_power matrix_rank
matrix_transpose outer pinv qr slogdet solve svd svdvals tensordot trace vecdot vector_norm
"""
FOURIER = """
fft ifft fftn ifftn rfft irfft rfftn irfftn hfft ihfft fftfreq rfftfreq fftshift ifftshift
"""
OPERATORS = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"),
    *("and", "or", "xor", "lshift", "rshift"),
)
PROTOCOLS = (
    *("abs", "array_namespace", "bool", "complex", "dlpack", "dlpack_device", "eq", "float", "ge", "getitem"),
    *("gt", "index", "int", "invert", "le", "lt", "ne", "neg", "pos", "setitem"),
)


@pytest.mark.parametrize("entry", STANDARD)
def test_functions_and_their_parameters(entry: str) -> None:
    """Every function accepts the parameters of the standard; it may have further ones."""
    name, places, *rest = entry.split(":")
    parameters = inspect.signature(getattr(rl, name)).parameters.values()
    by_place = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    assert len(by_place) >= int(places)
    by_name = {p.name for p in parameters if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)}
    assert by_name.issuperset(rest[0].split(",") if rest else ())
    needed = [p.name for p in parameters if p.default is p.empty and p.kind is p.KEYWORD_ONLY]
    assert not needed


@pytest.mark.parametrize(("function", "arguments"), namespace_calls.calls())
def test_functions_of_the_standard_give_numpys_values(function: str, arguments: str) -> None:
    got = [to_np(x) for x in namespace_calls.result(function, arguments, "cpu")]
    want = namespace_calls.numpys(function, arguments)
    for mine, other in zip(got, want, strict=True):
        pair = (np.abs(mine), np.abs(other)) if function in namespace_calls.SIGNS else (mine, other)
        np.testing.assert_allclose(*pair, rtol=2e-5, atol=2e-6)


def test_every_function_of_the_standard_is_called() -> None:
    standard = {entry.split(":")[0] for entry in STANDARD}
    called = {name for name, _ in namespace_calls.calls()} | set(namespace_calls.OTHERS)
    assert standard <= called
    assert {f"linalg.{name}" for name in LINEAR.split()} | {
        f"fft.{name}" for name in FOURIER.split()
    } <= called


def test_names_of_the_standard() -> None:
    assert len(STANDARD) == 135
    assert [name for name in (*CONSTANTS, *DTYPES) if not hasattr(rl, name)] == []
    t = rl.ones((2, 2))
    assert [name for name in ATTRIBUTES if not hasattr(t, name)] == []
    operators = [f"__{form}{name}__" for name in OPERATORS for form in ("", "r", "i")]
    protocols = [f"__{name}__" for name in PROTOCOLS]
    assert [name for name in operators + protocols if not hasattr(rl.Tensor, name)] == []
    info = t.__array_namespace__().__array_namespace_info__()
    assert set(info.dtypes()) == set(DTYPES)


# Operators


@pytest.mark.parametrize("name", ["float32", "float64", "int32", "uint8"])
def test_in_place_operators_keep_the_memory(name: str) -> None:
    a = np.array([[1, 2], [3, 4]], dtype=name)
    for change in (_power, _product):
        t, want = rl.asarray(a, copy=True), a.copy()
        view, same = t[0], t
        got = change(t)
        assert got is same
        want = change(want)
        np.testing.assert_array_equal(to_np(t), want)
        np.testing.assert_array_equal(to_np(view), want[0])


def _power(x: Any) -> Any:
    x **= 2
    return x


def _product(x: Any) -> Any:
    x @= x
    return x


def test_in_place_operators_that_do_not_fit() -> None:
    t = rl.ones((2, 3))
    with pytest.raises(ValueError, match="cannot change the shape"):
        t @= rl.ones((3, 4))
    i = rl.ones((2, 2), dtype=rl.int32)
    with pytest.raises(TypeError, match="cannot change the dtype"):
        i **= rl.ones((2, 2))
    assert to_np(i).tolist() == [[1, 1], [1, 1]]


def test_divmod() -> None:
    a = np.array([-7.5, 3.0, 9.0], dtype=np.float32)
    for got, want in zip(divmod(rl.asarray(a), 2), divmod(a, 2), strict=True):
        np.testing.assert_array_equal(to_np(got), want)
    for got, want in zip(divmod(2, rl.asarray(a)), divmod(2, a), strict=True):
        np.testing.assert_array_equal(to_np(got), want)


def test_elements_are_not_deleted() -> None:
    t = rl.ones(3)
    with pytest.raises(TypeError, match="cannot be deleted"):
        del t[0]


# Objects


def test_a_dtype_is_one_object() -> None:
    x = rl.ones(2)
    assert x.dtype is rl.float32
    assert rl.dtype("float32") is rl.float32 is rl.f32
    assert rl.result_type(x, 1.0) is rl.float32
    assert copy.copy(rl.float32) is copy.deepcopy(rl.float32) is rl.float32
    assert pickle.loads(pickle.dumps(rl.bfloat16)) is rl.bfloat16
    assert rl.finfo(rl.float64).dtype is rl.float64


def test_a_device_is_found_by_its_name() -> None:
    assert {"cpu": 1}[rl.ones(2).device] == 1
    assert {rl.Device("cpu"): 2}["cpu"] == 2  # type: ignore[index]


@pytest.mark.parametrize("value", [np.datetime64("2020-01-01"), np.timedelta64(3, "D"), np.void(b"ab")])
def test_scalars_without_a_dtype_of_ours(value: Any) -> None:
    """Scalars such as dates export a buffer, whose bytes are not numbers."""
    with pytest.raises(TypeError, match="make a tensor"):
        rl.asarray(value)
    with pytest.raises(TypeError):
        _ = rl.ones(8) + value


def threads(setting: str | None = None, name: str = "RUSHLIGHT_NUM_THREADS") -> tuple[str, str]:
    """Return what a process of one processor prints on stdout and on stderr."""
    code = """
import os
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
import rushlight as rl
try:
    print(rl.get_num_threads(), float(rl.sum(rl.ones(100_000))))
except ValueError as e:
    print(e)
"""
    env = {k: v for k, v in os.environ.items() if k != "RUSHLIGHT_NUM_THREADS"}
    if setting is not None:
        env[name] = setting
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True)
    return done.stdout.strip(), done.stderr.strip()


def test_threads_follow_the_processors_a_process_may_use() -> None:
    assert threads() == ("1 100000.0", "")
    assert threads("3") == ("3 100000.0", "")


def test_an_invalid_setting_is_an_error_that_lists_the_valid_values() -> None:
    for wrong in ("none", "0", "-1", "99999"):
        text = f"RUSHLIGHT_NUM_THREADS={wrong}: expected a whole number from 1 to 4096"
        assert threads(wrong) == (text, "")
    text = "RUSHLIGHT_DETERMINISTIC=yes: expected 1, true, on, 0, false or off"
    assert threads("yes", "RUSHLIGHT_DETERMINISTIC") == (text, "")
    text = "RUSHLIGHT_CPU_ISA=avx2: expected auto, base, v3 or v4"
    assert threads("avx2", "RUSHLIGHT_CPU_ISA") == (text, "")


def test_the_level_of_instructions_can_be_set() -> None:
    assert threads("base", "RUSHLIGHT_CPU_ISA") == ("1 100000.0", "")
    run = [sys.executable, "-m", "rushlight", "info", "--json"]
    env = {**os.environ, "RUSHLIGHT_CPU_ISA": "base"}
    done = subprocess.run(run, capture_output=True, text=True, env=env, check=True)
    assert json.loads(done.stdout)["cpu_isa"] == "base"


def test_an_unknown_setting_is_printed_once() -> None:
    out, printed = threads("3", "RUSHLIGHT_NUM_THREAD")
    assert out == "1 100000.0"
    assert printed.startswith(
        "rushlight: RUSHLIGHT_NUM_THREAD is not a variable of rushlight; is RUSHLIGHT_NUM_THREADS"
    )
    assert printed.count("\n") == 0


# NumPy's integers

N = np.int64
V = rl.arange(6)
X = rl.ones((2, 3, 4, 4))
COUNTS = [0, 1, 2, 0, 0, 1]
PAIRS: list[tuple[Callable[[], Any], Callable[[], Any]]] = [
    (lambda: rl.roll(V, N(1)), lambda: rl.roll(V, 1)),
    (lambda: rl.roll(V, (N(1),)), lambda: rl.roll(V, 1)),
    (lambda: rl.roll(X, (N(1), 2), axis=(N(0), N(1))), lambda: rl.roll(X, (1, 2), axis=(0, 1))),
    (lambda: rl.tile(V, N(2)), lambda: rl.tile(V, (2,))),  # type: ignore[arg-type]
    (lambda: rl.repeat(V, N(2)), lambda: rl.repeat(V, 2)),
    (
        lambda: rl.repeat(V, np.array([0, 1, 2, 0, 0, 1])),
        lambda: rl.repeat(V, rl.asarray([0, 1, 2, 0, 0, 1])),
    ),
    (lambda: rl.moveaxis(X, N(0), N(1)), lambda: rl.moveaxis(X, 0, 1)),
    (lambda: rl.tensordot(X, X, axes=N(4)), lambda: rl.tensordot(X, X, axes=4)),
    (lambda: F.interpolate(X, size=N(8)), lambda: F.interpolate(X, size=8)),
    (lambda: F.interpolate(X, scale_factor=np.float32(2)), lambda: F.interpolate(X, scale_factor=2.0)),
    (lambda: F.max_pool2d(X, N(2), N(1)), lambda: F.max_pool2d(X, 2, 1)),
    (lambda: F.conv2d(X, X, None, N(1), (N(0), N(1))), lambda: F.conv2d(X, X, None, 1, (0, 1))),
    (lambda: nn.AvgPool2d(N(2))(X), lambda: nn.AvgPool2d(2)(X)),
    (lambda: rl.zeros(np.array([2, 3])), lambda: rl.zeros((2, 3))),
    (lambda: rl.zeros(rl.asarray([2, 3])), lambda: rl.zeros((2, 3))),  # type: ignore[arg-type]
    (lambda: rl.reshape(V, np.array([2, -1])), lambda: rl.reshape(V, (2, -1))),
    (lambda: rl.split(V, range(1, 4))[2], lambda: rl.split(V, (1, 2, 3))[2]),
]


@pytest.mark.parametrize(("numpys", "pythons"), PAIRS)
def test_integers_of_numpy_are_integers(numpys: Callable[[], Any], pythons: Callable[[], Any]) -> None:
    got, want = numpys(), pythons()
    assert got.shape == want.shape
    np.testing.assert_array_equal(to_np(got), to_np(want))


def test_layers_take_integers_of_numpy() -> None:
    assert nn.Linear(N(3), N(2))(rl.ones((1, 3))).shape == (1, 2)
    assert nn.Conv2d(N(3), N(2), N(3), padding=N(1))(X).shape == (2, 2, 4, 4)
    assert nn.Embedding(N(3), N(2))(V[:3]).shape == (3, 2)


# Bad arguments


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: nn.init.ones_(3), TypeError, r"ones_: tensor is a Tensor, got int"),
        (lambda: nn.init.kaiming_uniform_("x"), TypeError, r"kaiming_uniform_: tensor is a Tensor, got str"),
        (lambda: nn.init.fans([1]), TypeError, r"fans: tensor is a Tensor, got list"),
        (lambda: F.linear(rl.ones((2, 3)), rl.ones((4, 3)), {}), TypeError, r"linear: bias is a Tensor, got"),
        (lambda: F.conv1d(X[0], X[0], stride=1.5), TypeError, r"conv1d: stride is an integer .*float"),
        (lambda: F.max_pool2d(X, "ab"), TypeError, r"max_pool2d: kernel_size is an integer .*str"),
        (
            lambda: F.max_pool2d(X, (1, 2, 3)),
            ValueError,
            r"max_pool2d: kernel_size is one number",
        ),
        (lambda: F.avg_pool2d(X, rl.ones((2, 3))), TypeError, r"avg_pool2d: kernel_size is an integer"),
        (lambda: F.one_hot(rl.asarray([rl.inf])), TypeError, r"one_hot.*float32"),
        (lambda: nn.Conv2d(1, 1, (1, 2, 3)), ValueError, r"Conv2d: kernel_size"),
        (lambda: nn.Conv2d(1, 1, 3, stride=2, padding="same"), ValueError, r"Conv2d: padding 'same' needs"),
        (lambda: nn.Conv2d(1, 1, 3, padding="full"), ValueError, r"Conv2d: padding 'full' is neither"),
        (lambda: nn.Dropout("a"), TypeError, r"Dropout: p is a number, got 'a'"),
        (lambda: nn.CrossEntropyLoss(label_smoothing=2), ValueError, r"CrossEntropyLoss: label_smoothing 2"),
        (lambda: rl.tensordot(X, X, axes=0.5), TypeError, r"tensordot: axes is an integer or two"),
        (lambda: rl.repeat(V, 1.5), TypeError, r"repeat: repeats is an integer"),
        (lambda: rl.tile(V, "a"), TypeError, r"tile: repetitions is an integer"),
        (lambda: nn.utils.clip_grad_norm_(3, 1.0), TypeError, r"clip_grad_norm_: parameters is a Tensor or"),
        (lambda: nn.utils.clip_grad_norm_([3], 1.0), TypeError, r"clip_grad_norm_: a parameter is a int"),
        (lambda: rl.sum(X, axis=9), IndexError, r"^sum: axis 9 is out of range"),
        (lambda: X.max(axis=9), IndexError, r"^max: axis 9 is out of range"),
        (lambda: rl.argmax(X, axis=9), IndexError, r"^argmax: axis 9 is out of range"),
        (lambda: rl.softmax(X, 9), IndexError, r"^softmax: axis 9 is out of range"),
        (lambda: rl.sort(X, axis=9), IndexError, r"^sort: axis 9 is out of range"),
        (lambda: rl.expand_dims(X, axis=9), IndexError, r"^expand_dims: axis 9 is out of range"),
        (lambda: rl.roll(X, 1, axis=9), IndexError, r"^roll: axis 9 is out of range"),
        (lambda: rl.moveaxis(X, 9, 0), IndexError, r"^moveaxis: axis 9 is out of range"),
        (lambda: rl.diff(X, axis=9), IndexError, r"^diff: axis 9 is out of range"),
        (lambda: X.transpose(0, 9), IndexError, r"^transpose: axis 9 is out of range"),
        (lambda: rl.mean(X, axis=(0, 0)), ValueError, r"^mean: axis 0 is given twice"),
        (lambda: rl.min(rl.zeros(0)), ValueError, r"^min: the largest or smallest of no elements"),
    ],
)
def test_texts_name_the_function(call: Callable[[], Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()


def test_optimizer_state_under_other_keys() -> None:
    adam = optim.Adam([rl.ones(2, requires_grad=True)])
    groups = [{"params": [0]}]
    with pytest.raises(ValueError, match="state of parameter 'a'"):
        adam.load_state_dict({"state": {"a": {}}, "param_groups": groups})
    with pytest.raises(ValueError, match="state of parameter 0"):
        adam.load_state_dict({"state": {0: 1}, "param_groups": groups})
    adam.load_state_dict({"state": {"0": {}}, "param_groups": groups})


# Layers


def test_named_padding_of_layers() -> None:
    x = rl.randn(1, 2, 7, 6)
    same = nn.Conv2d(2, 3, (3, 5), padding="same", dilation=(2, 1))
    assert same(x).shape == (1, 3, 7, 6)
    plain = nn.Conv2d(2, 3, (3, 5), padding=(2, 2), dilation=(2, 1))
    plain.load_state_dict(same.state_dict())
    np.testing.assert_array_equal(to_np(same(x)), to_np(plain(x)))
    assert nn.Conv1d(2, 3, 3, padding="valid")(x[:, :, 0]).shape == (1, 3, 4)
    assert "padding='same'" in repr(same)


def test_cross_entropy_loss_is_its_function() -> None:
    x, y = rl.randn(5, 3), rl.asarray([0, 2, 1, 1, 0])
    weight = rl.asarray([0.2, 1.0, 3.0])
    loss = nn.CrossEntropyLoss(weight, ignore_index=1, label_smoothing=0.1, reduction="sum")
    want = F.cross_entropy(x, y, weight, ignore_index=1, label_smoothing=0.1, reduction="sum")
    assert float(loss(x, y)) == float(want)
    assert list(loss.state_dict()) == ["weight"]
    assert nn.Linear(2, 2).cpu().weight.device == "cpu"


def test_a_linear_layer_asks_for_the_op_it_runs() -> None:
    assert "addmm" in nn.Linear.ops


# Values

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 2.5, -2.5, 3.0, 7.0, 100.5, -104.0, -1279.25, -56.9375]
SPECIAL += [np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1e-38, 3e38, -3e38, 88.0, 710.0, -710.0, float(np.pi)]
ONE = {
    **{name: name for name in ("ceil", "cos", "cosh", "exp", "expm1", "floor", "isfinite", "isinf", "isnan")},
    **{name: name for name in ("log", "log10", "log1p", "log2", "negative", "positive", "reciprocal")},
    **{name: name for name in ("sign", "signbit", "sin", "sinh", "sqrt", "square", "tan", "tanh", "trunc")},
    **{name: name for name in ("abs", "conj", "real", "logical_not", "round")},
    **{name: "arc" + name[1:] for name in ("acos", "acosh", "asin", "asinh", "atan", "atanh")},
}
TWO = {
    **{name: name for name in ("add", "subtract", "multiply", "divide", "remainder", "hypot", "logaddexp")},
    **{name: name for name in ("copysign", "nextafter", "equal", "less", "greater_equal", "logical_xor")},
    "pow": "power",
    "atan2": "arctan2",
}


def numpys(name: str, *args: Any) -> Any:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return np.asarray(getattr(np, name)(*args))


def alike(got: rl.Tensor, want: Any, note: str) -> None:
    """Equal up to a few units in the last place, with the same NaN, infinities and signs of zero."""
    have = to_np(got)
    assert have.dtype == want.dtype, note
    if want.dtype == bool:
        np.testing.assert_array_equal(have, want, err_msg=note)
        return
    np.testing.assert_allclose(have, want, rtol=32 * np.finfo(want.dtype).eps, atol=0, err_msg=note)
    zero = want == 0
    np.testing.assert_array_equal(np.signbit(have[zero]), np.signbit(want[zero]), err_msg=note)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ONE)
def test_special_values(name: str, dtype: str) -> None:
    with np.errstate(over="ignore"):
        a = np.array(SPECIAL).astype(dtype)
    alike(getattr(rl, name)(rl.asarray(a)), numpys(ONE[name], a), name)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", TWO)
def test_special_pairs(name: str, dtype: str) -> None:
    a = np.array(SPECIAL).astype(dtype)
    x, y = (np.ascontiguousarray(v.ravel()) for v in np.meshgrid(a, a))
    alike(getattr(rl, name)(rl.asarray(x), rl.asarray(y)), numpys(TWO[name], x, y), name)


def test_the_inverse_of_cosh_is_nan_below_one() -> None:
    a = -np.geomspace(1e-3, 1e6, 4000)
    for dtype in ("float32", "float64", "float16"):
        with np.errstate(over="ignore"):
            x = a.astype(dtype)
        assert np.isnan(to_np(rl.acosh(rl.asarray(x)))).all()


def test_shapes_that_stretch() -> None:
    for shapes in [(), ((),), ((3,), (2, 1)), ((0, 1), (1, 5)), ((4, 1, 2), (3, 1), (2,))]:
        assert rl.broadcast_shapes(*shapes) == np.broadcast_shapes(*shapes)
    with pytest.raises(ValueError, match="do not stretch"):
        rl.broadcast_shapes((2,), (3,))
    a, b = np.arange(3.0), np.arange(2.0)[:, None]
    for got, want in zip(
        rl.broadcast_arrays(rl.asarray(a), rl.asarray(b)), np.broadcast_arrays(a, b), strict=True
    ):
        np.testing.assert_array_equal(to_np(got), want)


def test_small_functions() -> None:
    a, b = np.arange(4.0), np.array([2.0, -1.0, 0.5, 3.0])
    assert float(rl.dot(rl.asarray(a), rl.asarray(b))) == float(a @ b)
    assert rl.unsqueeze(rl.asarray(a), 1).shape == (4, 1)
    like = rl.empty_like(rl.asarray(a), dtype=rl.int8)
    assert (like.shape, like.dtype) == ((4,), rl.int8)
    for draw in (rl.rand_like, rl.randn_like):
        got = draw(rl.asarray(a))
        assert (got.shape, got.dtype) == ((4,), rl.float64)
        assert len(set(got.tolist())) == 4


def test_parts_of_complex_numbers() -> None:
    z = np.array([1 + 2j, -3j], dtype=np.complex64)
    np.testing.assert_array_equal(to_np(rl.real(rl.asarray(z))), z.real)
    np.testing.assert_array_equal(to_np(rl.imag(rl.asarray(z))), z.imag)
    np.testing.assert_array_equal(to_np(rl.conj(rl.asarray(z))), z.conj())


def test_default_dtypes_follow_the_setting() -> None:
    before = rl.get_default_dtype()
    try:
        rl.set_default_dtype(rl.float64)
        kinds = rl.__array_namespace_info__().default_dtypes()
        assert (kinds["real floating"], kinds["complex floating"]) == (rl.float64, rl.complex128)
        assert rl.fft.fftfreq(4).dtype == rl.fft.rfftfreq(4).dtype == rl.float64
    finally:
        rl.set_default_dtype(before)
    assert rl.__array_namespace_info__().default_dtypes()["complex floating"] == rl.complex64
    assert rl.fft.fftfreq(4).dtype == rl.float32


def test_median_of_nothing_is_nan() -> None:
    """As in PyTorch for all elements, and in NumPy by its names."""
    empty = rl.zeros((0, 2), dtype=rl.float64, requires_grad=True)
    for found in (rl.median(empty), rl.nanmedian(empty), rl.median(empty, keepdims=False)):
        assert isinstance(found, rl.Tensor)
        assert found.shape == ()
        assert found.dtype == rl.float64
        assert np.isnan(found.item())
        found.backward()
    assert empty.grad is not None
    assert empty.grad.shape == (0, 2)
    assert str(to_np(rl.median(empty, axis=0))) == "[nan nan]"
    assert to_np(rl.median(empty, axis=0, keepdims=True)).shape == (1, 2)
    assert to_np(rl.median(empty, axis=1)).shape == (0,)


def test_median_by_numpys_names_is_numpys() -> None:
    a = np.array([[3.0, 1.0, 2.0, 9.0], [np.inf, 5.0, np.nan, 1.0], [np.inf, 1.0, np.inf, 0.0]])
    x = rl.asarray(a)
    for axis in (None, 0, 1, -1):
        for keepdims in (False, True):
            want = np.median(a, axis=axis, keepdims=keepdims)
            np.testing.assert_array_equal(to_np(rl.median(x, axis=axis, keepdims=keepdims)), want)
    assert rl.median(rl.asarray([1, 2]), axis=0).item() == 1.5
    assert rl.median(rl.asarray([1, 2]), dim=0).values.item() == 1  # type: ignore[union-attr]
    with pytest.raises(TypeError, match="median: give either dim"):
        rl.median(x, 0, keepdims=True)
    np.testing.assert_array_equal(to_np(rl.diff(x[:1], 2)), np.diff(a[:1], 2))
    np.testing.assert_array_equal(to_np(rl.diff(x[:1], 1, 0)), np.diff(a[:1], 1, 0))
