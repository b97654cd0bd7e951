"""Functions that are derived from op definitions. New ops are tested without a change here."""

from __future__ import annotations

import copy
import inspect
import pickle
from typing import Any

import pytest

import rushlight as rl
from rushlight import _compose, _native

Sample = tuple[tuple[rl.Tensor, ...], dict[str, Any], rl.Tensor]


def samples() -> dict[str, list[Sample]]:
    found: dict[str, list[Sample]] = {}
    for name, operands, attributes, result in _native._samples():
        found.setdefault(name, []).append((operands, attributes, result))
    return found


SAMPLES = samples()
# Every function that is declared as data, and its parameters.
DECLARED = {name: parameters for is_method, name, parameters, _, _ in _native._signatures() if not is_method}
# Functions without a method of Tensor: those behind `rushlight.nn.functional`.
NOT_METHODS = ("_", "upsample_")
FUNCTIONS = sorted(name for name in DECLARED if name in SAMPLES and not name.startswith(NOT_METHODS))
# The methods of the comparisons have PyTorch's names: there `Tensor.equal` compares whole tensors.
METHOD = {
    "equal": "eq",
    "not_equal": "ne",
    "less": "lt",
    "less_equal": "le",
    "greater": "gt",
    "greater_equal": "ge",
}


def same(got: rl.Tensor, want: rl.Tensor) -> bool:
    # Values are compared as text, so that NaN equals NaN and -0 differs from 0.
    return (got.dtype, got.shape, repr(got.tolist())) == (want.dtype, want.shape, repr(want.tolist()))


def test_every_function_has_samples() -> None:
    assert set(SAMPLES) <= set(DECLARED)
    some = {"elu", "softmax", "sum", "argmax", "exp", "subtract", "less_equal", "isnan", "logical_xor"}
    some |= {"_conv2d", "_max_pool3d", "_layer_norm", "_cross_entropy", "upsample_nearest1d", "tril", "addmm"}
    assert some <= set(SAMPLES)


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_function_and_method_return_the_result_of_the_op(name: str) -> None:
    function = getattr(_native, name)
    assert function.__doc__
    for operands, attributes, want in SAMPLES[name]:
        # In Python integers and bools are promoted to another dtype if the op does not support them.
        if name == "divide" and not operands[0].dtype.is_floating_point:
            continue
        assert same(function(*operands, **attributes), want), (name, operands, attributes)
        if name.startswith(NOT_METHODS):
            continue
        method = getattr(operands[0], METHOD.get(name, name))
        assert same(method(*operands[1:], **attributes), want)


@pytest.mark.parametrize("name", sorted(DECLARED))
def test_function_has_signature_and_pickles(name: str) -> None:
    function = getattr(_native, name)
    assert list(inspect.signature(function).parameters) == [p[0] for p in DECLARED[name]]
    assert function.__name__ == function.__qualname__ == name
    assert function.__self__ is _native
    assert name in repr(function)
    listed = not name.startswith("_") and name not in _compose.further.__all__
    assert (name in _native.__all__) == listed
    assert pickle.loads(pickle.dumps(function)) is function
    assert copy.deepcopy(function) is function


@pytest.mark.parametrize("name", ["argsort", "logsumexp", "matmul", "sort"])
def test_function_is_native(name: str) -> None:
    """Functions of inner loops, without a function of Python around them."""
    assert getattr(rl, name) is getattr(_native, name)
    assert getattr(rl.Tensor, name) is vars(rl.Tensor)[name] is not None
    assert not inspect.isfunction(getattr(rl.Tensor, name))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_method_has_the_parameters_of_the_function(name: str) -> None:
    method = getattr(rl.tensor([1.0]), METHOD.get(name, name))
    parameters = list(inspect.signature(getattr(rl, name)).parameters)[1:]
    # (The method of an operator has `other`; NumPy passes `out=None` to methods.)
    expected = ["other", *parameters[1:]] if parameters[:1] == ["x2"] else parameters
    assert sorted({*inspect.signature(method).parameters} - {"out"}) == sorted(expected)


def test_operands_are_promoted_and_broadcast() -> None:
    out = rl.addcmul(rl.tensor([1, 2]), 2, rl.tensor([[3.5], [4.0]]))
    assert (out.dtype, out.tolist()) == (rl.float32, [[8.0, 9.0], [9.0, 10.0]])
    out = rl.addcdiv(rl.tensor([1, 2]), rl.tensor([1, 1]), rl.tensor([2, 4]))
    assert (out.dtype, out.tolist()) == (rl.float32, [1.5, 2.25])
    out = rl.elu(rl.tensor([-1, 3]), alpha=0.0)
    assert (out.dtype, out.tolist()) == (rl.float32, [0.0, 3.0])


def test_method_keeps_gradients() -> None:
    x = rl.tensor([1.0, -2.0], requires_grad=True)
    x.elu(alpha=0.0).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("args", "named", "text"),
    [
        ((), {}, r"elu\(\) missing 1 required positional argument: 'x'"),
        ((), {"x": 1}, r"elu\(\) got some positional-only arguments passed as keyword arguments: 'x'"),
        (("a",), {}, r"elu\(\) argument 'x': expected a Tensor, got str"),
        ((2.0,), {}, r"elu\(\) argument 'x': expected a Tensor, got float"),
        ((rl.tensor(1.0), "b"), {}, r"elu\(\) argument 'alpha': must be real number, not str"),
        ((rl.tensor(1.0), 1.0, 2.0), {}, r"elu\(\) takes from 1 to 2 positional arguments but 3 were given"),
        ((rl.tensor(1.0), 1.0), {"alpha": 2.0}, r"elu\(\) got multiple values for argument 'alpha'"),
        ((rl.tensor(1.0),), {"beta": 2.0}, r"elu\(\) got an unexpected keyword argument 'beta'"),
    ],
)
def test_error_names_function_and_argument(args: tuple[Any, ...], named: dict[str, Any], text: str) -> None:
    with pytest.raises(TypeError, match=text):
        rl.elu(*args, **named)


def test_error_of_missing_tensor_axis_or_shape() -> None:
    with pytest.raises(TypeError, match=r"addcmul\(\) needs a Tensor among its arguments"):
        rl.addcmul(1.0, 2.0, 3.0)
    with pytest.raises(TypeError, match=r"softmax\(\) misses the argument 'dim'"):
        rl.softmax(rl.tensor([1.0]))  # type: ignore[call-arg]
    with pytest.raises(IndexError, match="axis 1 is out of range for a tensor of rank 1"):
        rl.softmax(rl.tensor([1.0]), 1)
    with pytest.raises(ValueError, match="addcmul"):
        rl.addcmul(rl.ones(2), rl.ones(3), 1.0)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda x: rl.add(x), r"^add\(\) missing 1 required positional argument: 'x2'$"),
        (lambda x: rl.addmm(), r"^addmm\(\) missing 3 required positional .*: 'x', 'mat1', and 'mat2'$"),
        (lambda x: x.add(), r"^Tensor\.add\(\) missing 1 required positional argument: 'other'$"),
        (lambda x: x.exp(1), r"^Tensor\.exp\(\) takes 0 positional arguments but 1 was given$"),
        (lambda x: rl.add(x1=x, x2=x), r"^add\(\) got some positional-only .*: 'x1' and 'x2'$"),
        (lambda x: rl.sgd_step(x, x, None, lr=1.0), r"^sgd_step\(\) missing 5 required keyword arguments: "),
        (lambda x: rl.sum(x, 0, dim=0), "^axis and dim are one parameter; give one$"),
        (lambda x: x.softmax(dim=0, axis=0), "^axis and dim are one parameter; give one$"),
        (lambda x: rl.sum(x, keepdims=True, keepdim=True), "^keepdims and keepdim are one parameter"),
        (lambda x: rl.argmax(x, (0,)), "^argmax takes one axis$"),
        (lambda x: rl.Tensor.exp(1.0), "'exp' .* doesn't apply to a 'float' object"),
    ],
)
def test_error_of_a_wrong_call(call: Any, text: str) -> None:
    with pytest.raises(TypeError, match=text):
        call(rl.tensor([1.0, 2.0]))


def test_methods_that_pytorch_has() -> None:
    x = rl.arange(6, dtype=rl.float32).reshape(2, 3)
    assert x.tril().tolist() == rl.tril(x).tolist() == [[0.0, 0.0, 0.0], [3.0, 4.0, 0.0]]
    assert x.tril(1).tolist() == x.tril(diagonal=1).tolist() == rl.tril(x, k=1).tolist()
    assert x.triu(1).tolist() == [[0.0, 1.0, 2.0], [0.0, 0.0, 5.0]]
    assert x.take(rl.tensor([2, 0]), axis=1).tolist() == [[2.0, 0.0], [5.0, 3.0]]
    assert rl.zeros((2, 2)).addmm(x, x.mT, beta=2.0, alpha=0.5).tolist() == [[2.5, 7.0], [7.0, 25.0]]
    assert x.logsumexp(1).tolist() == pytest.approx(rl.log(rl.exp(x).sum(1)).tolist())
    with pytest.raises(TypeError, match="diagonal and k are one parameter; give one"):
        rl.triu(x, 1, k=1)


def test_a_subclass_has_the_methods_and_a_method_is_one() -> None:
    class Mine(rl.Tensor):
        pass

    assert Mine([1.0]).neg().tolist() == [-1.0]
    assert inspect.ismethoddescriptor(rl.Tensor.add)
    assert inspect.isbuiltin(rl.add)
    assert rl.Tensor.add.__objclass__ is rl.Tensor
