"""Calls that users of PyTorch and NumPy write: they work, or an error says what to write instead."""

from __future__ import annotations

import array
import io
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from rushlight import nn


def cube(b: rl.Tensor) -> rl.Tensor:
    return (b**3).sum()


def test_a_nested_value_and_grad_is_the_second_derivative() -> None:
    """The inner gradient is not a constant for the outer function."""
    outer = rl.value_and_grad(lambda a: rl.value_and_grad(cube)(a)[1].sum())
    value, gradient = outer(rl.tensor([1.0, 2.0]))
    assert value.item() == 15.0
    assert gradient.tolist() == [6.0, 12.0]
    # The gradient flows through a view of the argument, and through a variable of the enclosing function.
    _, gradient = rl.value_and_grad(lambda a: rl.value_and_grad(cube)(a * 2)[0])(rl.tensor([1.0]))
    assert gradient.tolist() == [24.0]
    inner = lambda a: rl.value_and_grad(lambda b: (a * b).sum())(rl.ones(1))  # noqa: E731
    assert rl.value_and_grad(lambda a: inner(a)[0])(rl.ones(1))[1].tolist() == [1.0]
    with pytest.raises(RuntimeError, match=r"backward\(\)"):
        rl.value_and_grad(lambda a: cube(a).backward() or cube(a))(rl.ones(1))


def test_value_and_grad_of_constants_may_be_nested() -> None:
    def function(a: rl.Tensor) -> rl.Tensor:
        _, inner = rl.value_and_grad(cube)(a.detach())
        return (a * inner).sum()

    _, gradient = rl.value_and_grad(function)(rl.tensor([1.0, 2.0]))
    assert gradient.tolist() == [3.0, 12.0]
    weight = nn.Parameter(rl.ones(2))
    _, gradient = rl.value_and_grad(lambda a: (a * rl.value_and_grad(cube)(weight)[1]).sum())(rl.ones(2))
    assert gradient.tolist() == [3.0, 3.0]
    assert weight.grad is None
    _, gradients = rl.value_and_grad(lambda a, b: (a * 2).sum(), (0, -1))(rl.ones(1), rl.ones(1))
    assert [g.tolist() for g in gradients] == [[2.0], [0.0]]


def test_a_tensor_exports_no_flat_buffer() -> None:
    """`torch.asarray` asks for a buffer before DLPack, and reads it as a flat run of float32."""
    t = rl.ones((2, 3))
    with pytest.raises(TypeError, match="bytes-like"):
        memoryview(t)  # type: ignore[arg-type]
    assert memoryview(t.numpy()).shape == (2, 3)
    a = np.asarray(t)
    a[0, 0] = 5
    assert t[0, 0].item() == 5, "NumPy shares the memory"
    assert np.asarray(t.T).strides == (4, 12)


def test_saving_writes_the_named_file_or_nothing(tmp_path: Path) -> None:
    t = rl.tensor([1.0, 2.0])
    for name, advice in (
        ("x.npz", "savez"),
        ("x.safetensors", "save_file"),
        ("x.txt", "npy"),
    ):
        with pytest.raises(ValueError, match=rf"{name}.*{advice}"):
            rl.save(tmp_path / name, t)
    with pytest.raises(ValueError, match=r"w\.npy.*save\(file"):
        rl.savez(tmp_path / "w.npy", t)
    assert list(tmp_path.iterdir()) == []
    rl.save(tmp_path / "x.npy", t)
    rl.save(tmp_path / "plain", t)
    rl.savez(tmp_path / "all.npz", t)
    rl.save(tmp_path / "x.pt", t)
    rl.save(t, tmp_path / "x.pth")
    names = ["all.npz", "plain.npy", "x.npy", "x.pt", "x.pth"]
    assert sorted(p.name for p in tmp_path.iterdir()) == names


def test_saving_nested_dicts_names_the_key(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"savez: 'model' is a dict.*model\.weight"):
        rl.savez(tmp_path / "a.npz", model={"weight": rl.ones(1)}, epoch=rl.ones(1))  # type: ignore[arg-type]


class Unknown:
    """Stands for a model's class."""


def test_a_pickled_model_has_its_own_error(tmp_path: Path) -> None:
    path = tmp_path / "model.pt"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("model/data.pkl", pickle.dumps(Unknown(), protocol=2))
        archive.writestr("model/version", "3\n")
    with pytest.raises(ValueError, match=r"Unknown.*state_dict") as error:
        rl.load(path)
    assert "key=" not in str(error.value)


def test_dtypes_equal_their_names() -> None:
    x = rl.ones(1)
    assert x.dtype == "float32"
    assert x.dtype == "float"
    assert x.dtype != "float64"
    assert x.dtype != "f4"
    assert rl.int8 != "i8", "NumPy's int64 has that name"
    assert x.dtype == rl.float32
    assert x.dtype != 3
    assert {x.dtype: 1}["float32"] == 1  # type: ignore[index]
    assert hash(x.dtype) == hash("float32")
    assert x.device == "cpu"


def test_grad_fn_names_the_op() -> None:
    x = rl.ones(2, requires_grad=True)
    y = x * 2
    assert x.grad_fn is None
    assert y.grad_fn == "mul"
    assert "grad_fn=<mul>" in repr(y)
    assert y.detach().grad_fn is None


def test_integers_to_negative_powers() -> None:
    """As in PyTorch: a negative number as the exponent is an error; with a tensor the fraction is
    truncated."""
    with pytest.raises(ValueError, match=r"negative power.*float\(\)"):
        rl.tensor([3]) ** -1
    assert (rl.tensor([3, 1, -1]) ** rl.tensor([-1, -1, -1])).tolist() == [0, 1, -1]
    assert (rl.tensor([4]).float() ** -1).tolist() == [0.25]


class Series:
    """Has values and ``__array__``, and nothing else that arrays have, as pandas' Series."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.values, dtype=dtype, copy=copy)


def test_objects_with_only_an_array_method() -> None:
    series = Series(np.array([1.0, 2.0]))
    assert rl.asarray(series).tolist() == [1.0, 2.0]
    assert rl.asarray(series).dtype == rl.float64
    assert rl.tensor(series, dtype=rl.float32).dtype == rl.float32
    assert (rl.ones(2) + series).tolist() == [2.0, 3.0]  # type: ignore[operator]
    assert rl.tensor([series, series]).shape == (2, 2)
    with pytest.raises(TypeError):
        rl.asarray(Series)


def test_layers_refuse_an_input_of_another_float_dtype() -> None:
    """As in PyTorch: promoting the input silently would make a float16 model return float32."""
    half = nn.Linear(2, 2).half()
    with pytest.raises(TypeError, match=r"linear: the input is float32 and the weight float16"):
        half(rl.ones((1, 2)))
    assert half(rl.ones((1, 2)).half()).dtype == rl.float16
    conv = nn.Conv2d(1, 1, 1).double()
    with pytest.raises(TypeError, match=r"conv2d: the input is float32 and the weight float64"):
        conv(rl.ones((1, 1, 2, 2)))
    with pytest.raises(TypeError, match="conv_transpose1d"):
        rl.functional.conv_transpose1d(rl.ones((1, 1, 2)), rl.ones((1, 1, 2), dtype=rl.float64))


def test_frombuffer_shares_memory() -> None:
    data = bytearray(np.arange(4, dtype=np.int32).tobytes())
    t = rl.frombuffer(data, rl.int32)
    assert t.tolist() == [0, 1, 2, 3]
    data[0] = 9
    assert t[0].item() == 9
    t[1] = 7
    assert data[4] == 7
    fixed = bytes(data)
    t = rl.frombuffer(fixed, rl.int32)
    t[0] = 1
    assert fixed[0] == 9, "a change of read-only memory copies it"
    assert t.tolist() == [1, 7, 2, 3]
    assert rl.frombuffer(array.array("d", [1.5]), rl.float64).tolist() == [1.5]
    assert rl.frombuffer(memoryview(data)[1:5], rl.int32).shape == (1,)
    assert rl.frombuffer(np.zeros((2, 2), np.float32).T, rl.uint8).shape == (16,)
    assert rl.frombuffer(b"", rl.float32).shape == (0,)
    assert rl.frombuffer(b"\0\1", rl.bool).tolist() == [False, True]
    with pytest.raises(ValueError, match="bool"):
        rl.frombuffer(b"\0\2", rl.bool)
    with pytest.raises(ValueError, match="3 bytes are not a multiple of the 4 bytes of a float32"):
        rl.frombuffer(b"abc", rl.float32)


def test_the_imaginary_part_is_a_copy() -> None:
    x = rl.tensor([1 + 2j])
    imag = rl.imag(x)
    x.zero_()
    assert imag.tolist() == [2.0]


@pytest.mark.parametrize(
    ("call", "pattern"),
    [
        (lambda: nn.ReLU(in_place=True), r"^ReLU\.__init__\(\) got .*'in_place'"),  # type: ignore[call-arg]
        (lambda: nn.Conv2d(1, 1, 1, pad="zeros"), r"^Conv2d\.__init__\(\) got .*'pad'"),  # type: ignore[call-arg]
        (lambda: nn.Conv1d(1, 1, 1, pad="zeros"), r"^Conv1d\.__init__\(\) got .*'pad'"),  # type: ignore[call-arg]
        (lambda: nn.MaxPool2d(2, ceil=True), r"^MaxPool2d\.__init__\(\) got .*'ceil'"),  # type: ignore[call-arg]
        (lambda: nn.MSELoss(size_average=True), r"^MSELoss\.__init__\(\) got .*'size_average'"),  # type: ignore[call-arg]
        (lambda: nn.NLLLoss(reduce=True), r"^NLLLoss\.__init__\(\) got .*'reduce'"),  # type: ignore[call-arg]
        (lambda: nn.LogSoftmax(), r"^LogSoftmax\.__init__\(\) missing .*'dim'"),  # type: ignore[call-arg]
    ],
)
def test_errors_of_layers_name_the_layer(call: Any, pattern: str) -> None:
    with pytest.raises(TypeError, match=pattern):
        call()


def test_the_error_of_reshape_names_both_shapes() -> None:
    x = rl.ones((2, 3))
    for call in (lambda: x.view(5, 5), lambda: x.reshape(5, 5), lambda: rl.reshape(x, (5, 5))):
        with pytest.raises(ValueError, match=r"\(5, 5\) has 25 elements, the tensor of shape \(2, 3\) has 6"):
            call()


def test_init_has_only_its_functions() -> None:
    assert not hasattr(nn.init, "rl")
    assert not hasattr(nn.init, "math")
    assert all(callable(getattr(nn.init, name)) for name in nn.init.__all__)


def test_file_objects_are_written() -> None:
    file = io.BytesIO()
    rl.save(file, rl.ones(2))
    file.seek(0)
    assert rl.load(file).tolist() == [1.0, 1.0]  # type: ignore[union-attr]


def test_adding_to_data_changes_the_memory_without_a_history() -> None:
    """As in PyTorch: other tensors over the memory see it, a leaf stays one, and `y` gets no gradient."""
    y = rl.tensor([10.0, 20.0], requires_grad=True)
    for tracked in (True, False):
        t = rl.tensor([1.0, 2.0], requires_grad=tracked)
        view = t.detach()[:1]
        t.data += y
        t.data *= 2.0
        assert t.tolist() == [22.0, 44.0]
        assert view.tolist() == [22.0]
        assert t.is_leaf
        assert t.requires_grad == tracked
        t.data[1] = y[0]
        t.data.copy_(t + y)
        assert t.tolist() == [32.0, 30.0]
        assert view.tolist() == [32.0]
    t = rl.tensor([1.0, 2.0], requires_grad=True)
    t.data += y
    (t * t).sum().backward()
    assert t.grad is not None
    assert t.grad.tolist() == [22.0, 44.0]
    assert y.grad is None


def test_data_that_was_changed_has_the_history_itself() -> None:
    x = rl.tensor([1.0, 2.0], requires_grad=True)
    y = rl.tensor([10.0, 20.0], requires_grad=True)
    u = x * 2
    w = u.data
    w += y
    assert u.tolist() == w.tolist() == [12.0, 24.0]
    (w * 3).sum().backward()
    assert x.grad is None
    assert y.grad is not None
    assert y.grad.tolist() == [3.0, 3.0]


@pytest.mark.parametrize("alpha", [0.5, 2, -1])
def test_sums_take_a_factor_of_the_second_operand(alpha: float) -> None:
    """`torch.add(a, b, alpha=..)` of float32 and int64 is float32."""
    a, b = np.array([1.0, 2.0], np.float32), np.array([3, 4])
    x, y = rl.asarray(a), rl.asarray(b)
    for got, want in (
        (x.add(y, alpha=alpha), a + alpha * b),
        (rl.add(x, y, alpha=alpha), a + alpha * b),
        (x.sub(other=y, alpha=alpha), a - alpha * b),
        (rl.sub(y, x, alpha=alpha), b - alpha * a),
        (rl.subtract(5, x, alpha=alpha), 5 - alpha * a),
        (rl.add(x, 5, alpha=alpha), a + 5 * alpha),
    ):
        assert got.dtype == rl.float32
        assert got.tolist() == want.tolist()
    assert rl.add(y, y, alpha=2).tolist() == [9, 12]
    assert rl.add(y, y, alpha=2).dtype == rl.int64
    # The factor is one of the common dtype: 0.1 of float64, not of float32.
    assert rl.add(rl.tensor([1.0], dtype=rl.float64), rl.tensor([1.0]), alpha=0.1).tolist() == [1.1]


def test_the_factor_of_a_sum_scales_the_gradient() -> None:
    x, y = rl.ones(2).requires_grad_(), rl.ones(2).requires_grad_()
    rl.sub(x, y, alpha=3).sum().backward()
    assert x.grad is not None
    assert y.grad is not None
    assert (x.grad.tolist(), y.grad.tolist()) == ([1.0, 1.0], [-3.0, -3.0])
    with pytest.raises(TypeError, match="alpha"):
        rl.add(x, y, alpha="2")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="alpha"):
        rl.multiply(x, y, alpha=2)  # type: ignore[call-arg]


NUMBERS = [1.25, -2.345, 1234.5678, 0.5, 2.5, 1e30, float("inf"), float("nan")]


@pytest.mark.parametrize("decimals", [3, 1, 0, -2])
@pytest.mark.parametrize("name", ["float32", "float64"])
def test_round_takes_decimals(name: str, decimals: int) -> None:
    a = np.array(NUMBERS, name)
    x = rl.asarray(a)
    want = np.round(a, decimals)
    np.testing.assert_array_equal(rl.round(x, decimals=decimals).numpy(), want)
    np.testing.assert_array_equal(x.round(decimals=decimals).numpy(), want)
    assert np.round(x, decimals=decimals).tolist()[:6] == want.tolist()[:6]


def test_round_to_decimals_of_other_dtypes() -> None:
    # `torch.round(.., decimals=2)`.
    got = rl.tensor([1.2345, 100.25], dtype=rl.float16).round(decimals=2)
    assert got.tolist() == [1.23046875, 100.25]
    assert rl.tensor([1.2345, 100.25], dtype=rl.bfloat16).round(decimals=2).tolist() == [1.2265625, 100.0]
    # NumPy's: halves go to the even ten.
    whole = np.array([15, 25, -15, 1234])
    tens = rl.asarray(whole).round(decimals=-1)
    assert tens.tolist() == np.round(whole, -1).tolist() == [20, 20, -20, 1230]
    assert rl.asarray(whole).round(decimals=2).tolist() == whole.tolist()
    x = rl.tensor([1.26]).requires_grad_()
    x.round(decimals=1).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [0.0]


def test_where_of_a_condition_alone_finds_the_elements() -> None:
    a = np.array([[0.0, 3.0], [4.0, 0.0]])
    x = rl.asarray(a)
    for got, want in ((rl.where(x > 2), np.where(a > 2)), (rl.where(x), np.where(a))):
        assert [i.tolist() for i in got] == [i.tolist() for i in want]
        assert all(i.dtype == rl.int64 for i in got)
    for call in (lambda: rl.where(x > 2, x), lambda: rl.where(x > 2, None, x)):
        with pytest.raises(TypeError, match="both"):
            call()


def test_max_and_min_of_two_tensors_compare_them() -> None:
    a, b = rl.tensor([1.0, 2.0, rl.nan]), rl.tensor([[3.0], [0.5]])
    for name in ("max", "min"):
        want = getattr(np, f"{name}imum")(a.numpy(), b.numpy())
        function, method = getattr(rl, name), getattr(a, name)
        for got in (function(a, b), function(a, other=b), method(b), method(other=b)):
            np.testing.assert_array_equal(got.numpy(), want)
        with pytest.raises(TypeError, match=f"{name}: two tensors are compared without an axis"):
            function(a, b, axis=0)
        with pytest.raises(TypeError, match=f"{name}: two tensors are compared without an axis"):
            method(b, keepdim=True)
        with pytest.raises(TypeError, match="name the axis"):
            function(a, 0)


@pytest.mark.parametrize("switch", [rl.no_grad, rl.inference_mode, rl.enable_grad])
def test_a_decorated_generator_runs_with_the_switch(switch: Any) -> None:
    """And the code between two values runs without it."""
    x = rl.ones(2, requires_grad=True)
    want = switch is rl.enable_grad
    closed = []

    @switch()
    def batches(count: int) -> Any:
        try:
            for _ in range(count):
                got = yield (x * 2).requires_grad
                if got is not None:
                    yield got, rl.is_grad_enabled()
        except ValueError:
            yield "thrown", rl.is_grad_enabled()
        finally:
            closed.append(rl.is_grad_enabled())
        return (x * 2).requires_grad

    with rl.set_grad_enabled(not want):
        for found in batches(3):
            assert found == want
            assert rl.is_grad_enabled() != want
        running = batches(2)
        assert next(running) == want
        assert running.send("sent") == ("sent", want)
        assert running.throw(ValueError()) == ("thrown", want)
        with pytest.raises(StopIteration) as end:
            next(running)
        assert end.value.value == want
        stopped = batches(2)
        next(stopped)
        stopped.close()
        assert rl.is_grad_enabled() != want
    assert closed == [want] * 3


def test_gradcheck_fails_where_the_graph_is_cut() -> None:
    x = rl.tensor([0.5, 2.0], dtype="float64", requires_grad=True)
    for check in (rl.autograd.gradcheck, rl.autograd.gradgradcheck):
        with pytest.raises(rl.autograd.GradcheckError, match="no output requires a gradient"):
            check(lambda x: x.detach() * 2, x)
        assert not check(lambda x: x.detach() * 2, x, raise_exception=False)
    assert rl.autograd.gradcheck(lambda x: rl.ones(2, dtype="float64"), x), "a constant, as in PyTorch"


def test_names_of_other_attributes_are_taken() -> None:
    module = nn.Linear(2, 2)
    module.plain = 3
    for name in ("weight", "plain", "forward"):
        with pytest.raises(KeyError, match=f"Linear already has an attribute '{name}'"):
            module.register_buffer(name, rl.ones(1))
    assert list(module._parameters) == ["weight", "bias"]
    with pytest.raises(KeyError, match="'weight'"):
        module.register_module("weight", nn.ReLU())
    module.register_buffer("mean", rl.ones(1), persistent=False)
    with pytest.raises(KeyError, match="'mean'"):
        module.register_parameter("mean", nn.Parameter(rl.ones(1)))
    # Another entry of the kind replaces the first, in its position.
    module.register_buffer("mean", rl.zeros(1))
    module.register_parameter("weight", nn.Parameter(rl.zeros((2, 2))))
    assert list(module.state_dict()) == ["weight", "bias", "mean"]


def test_messages_of_registered_values_say_what_to_write() -> None:
    module = nn.Module()
    with pytest.raises(TypeError, match=r"'x' is a Tensor, not a Parameter; write Parameter\(x\)"):
        module.register_parameter("x", rl.ones(1))  # type: ignore[arg-type]
    with pytest.raises(
        TypeError, match=r"^CrossEntropyLoss: the buffer 'weight' .* got list; write rl\.tensor"
    ):
        nn.CrossEntropyLoss(weight=[1.0, 2.0])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^ModuleDict: a name is a str, got int 1; write '1'"):
        nn.ModuleDict({1: nn.ReLU()})  # type: ignore[dict-item]


@pytest.mark.parametrize("name", ["mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"])
def test_losses_broadcast_the_target_with_a_warning(name: str) -> None:
    """As in PyTorch: a column and a vector give the mean over all pairs."""
    loss = getattr(rl.functional, name)
    x, y = rl.tensor([1.0, 2.0, 3.0], requires_grad=True), rl.tensor([[1.0], [4.0]])
    with pytest.warns(
        UserWarning, match=rf"{name}: input has shape \(3,\) and target \(2, 1\).*\(2, 3\)"
    ) as seen:
        got = loss(x, y)
    assert seen[0].filename == __file__, "the warning points to the call"
    want = loss(rl.broadcast_to(x, (2, 3)), rl.broadcast_to(y, (2, 3)))
    assert got.tolist() == want.tolist()
    got.backward()
    first, x.grad = x.grad, None
    want.backward()
    assert first is not None
    assert x.grad is not None
    np.testing.assert_allclose(first.numpy(), x.grad.numpy(), rtol=1e-6)
    with pytest.raises(ValueError, match=rf"{name}: the shapes of input \(3,\), target \(2,\)"):
        loss(x, rl.ones(2))


def test_dtype_is_the_class_of_dtypes() -> None:
    def annotated(d: rl.dtype | None = None) -> rl.dtype | None:
        return d

    assert annotated(rl.float32) is rl.float32
    assert isinstance(rl.ones(1).dtype, rl.dtype)
    assert not isinstance("float32", rl.dtype)
    assert rl.dtype("float32") is rl.float32
    assert rl.dtype(rl.int8) is rl.int8
    assert pickle.loads(pickle.dumps(rl.float16)) is rl.float16
    with pytest.raises(TypeError, match="float33"):
        rl.dtype("float33")


def test_a_device_takes_its_number() -> None:
    assert rl.device("test", 1) == rl.device("test:1") == "test:1"
    with pytest.raises(TypeError, match="by its kind"):
        rl.device(rl.device("cpu"), 0)
    with pytest.raises(rl.DeviceError):
        rl.device("cpu", 1)


@pytest.mark.parametrize("name", ["std", "var"])
def test_std_and_var_take_unbiased(name: str) -> None:
    function, x = getattr(rl, name), rl.tensor([[1.0, 2.0, 6.0]], dtype=rl.float64)
    for unbiased in (True, False):
        want = getattr(np, name)(x.numpy(), axis=1, ddof=int(unbiased))
        np.testing.assert_allclose(function(x, 1, unbiased=unbiased).numpy(), want)
        np.testing.assert_allclose(function(x, dim=1, unbiased=unbiased).numpy(), want)
    with pytest.raises(TypeError, match="correction and unbiased"):
        function(x, 1, correction=1, unbiased=True)


def test_functions_take_names_of_pytorch() -> None:
    a, b = rl.ones((2, 3)), rl.ones((3, 4))
    for got in (rl.tensordot(a, b, dims=1), rl.tensordot(a, b, 1), rl.tensordot(a, b, dims=([1], [0]))):
        assert got.tolist() == [[3.0] * 4] * 2
    with pytest.raises(TypeError, match="one parameter"):
        rl.tensordot(a, b, axes=1, dims=1)
    edges, x = rl.tensor([1, 3, 5]), rl.tensor([3, 9])
    assert rl.searchsorted(edges, x, right=True).tolist() == [2, 3]
    assert rl.searchsorted(edges, x, right=False).tolist() == [1, 3]
    assert rl.searchsorted(edges, x, side="right").tolist() == [2, 3]
    with pytest.raises(ValueError, match="contradict"):
        rl.searchsorted(edges, x, side="left", right=True)


def test_older_names_of_pytorch() -> None:
    assert rl.optim.lr_scheduler._LRScheduler is rl.optim.lr_scheduler.LRScheduler
    assert nn.ReLU()._get_name() == "ReLU"

    class Renamed(nn.ReLU):
        def _get_name(self) -> str:
            return "Other"

    assert repr(Renamed()) == "Other()"
    rl.cuda.empty_cache()  # Without a GPU there is nothing to free.


def test_assert_close() -> None:
    """The tolerances of `torch.testing.assert_close`."""
    close = rl.testing.assert_close
    one = rl.ones(3)
    close(one, one + 1e-5)
    close({"a": [one, 1]}, {"a": [one, 1]})
    close(np.ones(3), rl.ones(3, dtype="float64"))
    close(rl.tensor([1, 2**62 + 1]), rl.tensor([1, 2**62 + 1]))
    close(one.half(), one.half() + 1e-3)
    close(one, one + 0.5, rtol=0.0, atol=0.6)
    close(rl.tensor([rl.nan, rl.inf]), rl.tensor([rl.nan, rl.inf]), equal_nan=True)
    wrong: list[tuple[Any, Any, str]] = [
        (one, rl.tensor([1.0, 1.5, 1.1]), r"2 of 3 elements are not close: at \(1,\) 1.0 and 1.5"),
        (one, rl.ones(2), r"The shapes differ: \(3,\) and \(2,\)"),
        (one, one.double(), "The dtypes differ: float32 and float64"),
        (one, rl.ones(3, device="test:1"), "The devices differ"),
        ({"a": [one, 1]}, {"a": [one, 2]}, r"1 of 1 elements of item \['a'\]\[1\]"),
        ({"a": 1}, {"b": 1}, "The keys differ"),
        ([1], [1, 2], "The lengths differ: 1 and 2"),
        (rl.tensor([1, 2**62 + 1]), rl.tensor([1, 2**62]), "1 of 2"),
        (rl.tensor([rl.nan]), rl.tensor([rl.nan]), "1 of 1"),
        (rl.tensor([True, False]), rl.tensor([True, True]), r"at \(1,\) False and True"),
    ]
    for actual, expected, pattern in wrong:
        with pytest.raises(AssertionError, match=pattern):
            close(actual, expected)
    with pytest.raises(AssertionError, match=r"^mine$"):
        close(1, 2, msg="mine")
    with pytest.raises(ValueError, match="both rtol and atol"):
        close(1, 1, rtol=0.1)


@pytest.mark.parametrize("name", ["zeros", "ones", "empty", "rand", "randn"])
def test_new_tensors_take_a_size(name: str) -> None:
    make = getattr(rl, name)
    assert make(size=(2, 3)).shape == make((2, 3)).shape == make(2, 3).shape == (2, 3)
    assert make(size=4).shape == make(shape=4).shape == (4,)
    with pytest.raises(TypeError, match="one parameter"):
        make(2, size=(2,))
    with pytest.raises(TypeError, match=rf"{name}\(\) missing 1 required argument: 'shape'"):
        make()
