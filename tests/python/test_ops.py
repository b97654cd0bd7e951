"""Functions made of op definitions; the sweeps find a new op without a change here."""

from __future__ import annotations

import copy
import inspect
import pickle
from typing import Any

import pytest

import rushlight as rl
from rushlight import _native

Sample = tuple[tuple[rl.Tensor, ...], dict[str, Any], rl.Tensor]


def samples() -> dict[str, list[Sample]]:
    found: dict[str, list[Sample]] = {}
    for name, operands, attributes, result in _native._samples():
        found.setdefault(name, []).append((operands, attributes, result))
    return found


SAMPLES = samples()
# Every function that is declared as data, and its parameters.
DECLARED = {
    name: parameters for is_method, name, parameters, _, _ in _native._signatures() if not is_method
}
FUNCTIONS = sorted(name for name in DECLARED if name in SAMPLES)
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
    # As text, so that NaN equals NaN and -0 is not 0.
    return (got.dtype, got.shape, repr(got.tolist())) == (want.dtype, want.shape, repr(want.tolist()))


def test_every_function_has_samples() -> None:
    assert set(SAMPLES) <= set(DECLARED)
    assert {"elu", "softmax", "sum", "argmax", "exp", "subtract", "less_equal", "isnan", "logical_xor"} <= set(SAMPLES)


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_function_and_method_return_the_result_of_the_op(name: str) -> None:
    function = getattr(rl, name)
    assert function.__doc__
    for operands, attributes, want in SAMPLES[name]:
        # Integers and bools meet in other dtypes in Python where the op has none for them.
        if name == "divide" and not operands[0].dtype.is_floating_point:
            continue
        assert same(function(*operands, **attributes), want), (name, operands, attributes)
        method = getattr(operands[0], METHOD.get(name, name))
        assert same(method(*operands[1:], **attributes), want)


@pytest.mark.parametrize("name", sorted(DECLARED))
def test_function_has_signature_and_pickles(name: str) -> None:
    function = getattr(_native, name)
    assert list(inspect.signature(function).parameters) == [p[0] for p in DECLARED[name]]
    assert function.__name__ == function.__qualname__ == name
    assert function.__self__ is _native
    assert name in repr(function)
    assert (name in _native.__all__) == (not name.startswith("_"))
    assert pickle.loads(pickle.dumps(function)) is function
    assert copy.deepcopy(function) is function


@pytest.mark.parametrize("name", FUNCTIONS)
def test_method_has_the_parameters_of_the_function(name: str) -> None:
    method = getattr(rl.tensor([1.0]), METHOD.get(name, name))
    parameters = list(inspect.signature(getattr(rl, name)).parameters)[1:]
    # (The method of an operator has `other`; NumPy passes `out=None` to methods.)
    expected = ["other"] if parameters == ["x2"] else parameters
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
