"""Methods and functions of everyday use: PyTorch's committed answers to the same text."""

from __future__ import annotations

import functools
import json
import types
from typing import Any

import numpy as np
import pytest

import calls
import rushlight as rl

GOLDEN = json.loads(calls.RESULTS.read_text())
INPUTS = calls.drawn(GOLDEN["seed"])
BOUND = 2e-6


def test_every_call_has_its_golden_result() -> None:
    assert [row[0] for row in GOLDEN["calls"]] == calls.CALLS
    assert len(set(calls.CALLS)) > 250


@pytest.mark.parametrize(("call", "result", "gradients"), GOLDEN["calls"], ids=calls.CALLS)
def test_a_call_gives_the_answer_of_pytorch(call: str, result: Any, gradients: Any) -> None:
    got, found = calls.run(rl, call, INPUTS)
    assert calls.differences(got, result, BOUND, "result") == []
    assert calls.differences(found, gradients, BOUND, "gradient of") == []


# Calls of functions that make tensors and that the library below does not wrap, numbers alone, and a copy to
# the CPU.
ELSEWHERE = (
    "torch.as_tensor",
    "torch.tril_indices",
    "torch.triu_indices",
    "torch.logspace",
    "x.to('cpu'",
    "torch.distributions.Normal(0.5",
)


def on_second_device() -> Any:
    """Return the library with functions that make tensors on a second device."""
    made = {name: getattr(rl, name) for name in dir(rl) if not name.startswith("__")}
    for name in ("tensor", "zeros", "ones", "eye", "arange", "linspace"):
        made[name] = functools.partial(made[name], device="test:1")
    made["from_numpy"] = lambda a: rl.from_numpy(a).to("test:1")
    return types.SimpleNamespace(**made)


def devices(result: Any) -> set[str]:
    if isinstance(result, rl.Tensor):
        return {str(result.device)}
    return set().union(*map(devices, result)) if isinstance(result, tuple | list) else set()


@pytest.mark.parametrize("call", [c for c in calls.CALLS if not c.startswith(ELSEWHERE)])
def test_a_call_stays_on_the_device_of_its_tensors(call: str) -> None:
    """An op of tensors on two devices is an error, and no result is moved to the CPU."""
    library = on_second_device()
    tensors = {name: library.from_numpy(np.array(value)) for name, value in INPUTS.items()}
    assert devices(eval(call, {"torch": library, **tensors})) <= {"test:1"}


def test_a_difference_is_found() -> None:
    good = {"dtype": "float32", "shape": [2], "values": [1.0, 2.0]}
    for key, value in (("dtype", "float64"), ("shape", [1, 2]), ("values", [1.0, 2.1])):
        assert calls.differences({**good, key: value}, good, BOUND) != []
    assert calls.differences({}, {"x": good}, BOUND) != []
    assert calls.differences({}, {"x": {**good, "values": [0.0, 0.0]}}, BOUND) == []
    assert calls.differences(1, True, BOUND) != []
    assert calls.differences({**good, "values": [1.0, float("nan")]}, good, BOUND) != []


IN_PLACE = sorted(rl._tensor.IN_PLACE)


@pytest.mark.parametrize("name", IN_PLACE)
def test_a_leaf_that_requires_a_gradient_does_not_change_in_place(name: str) -> None:
    """All in-place variants share one implementation with the check; each is tried here."""
    from rushlight._tensor.in_place import _EXAMPLES, _TENSORS

    base = rl._tensor.IN_PLACE[name]
    arguments = eval(f"({_EXAMPLES[base]},)" if _EXAMPLES[base] and "=" not in _EXAMPLES[base] else "()")
    if "=" in _EXAMPLES[base]:
        arguments = (rl.ones(2), rl.ones(2))
    x = rl.tensor(eval(_TENSORS.get(base, "[0.25, 0.5]")))
    if not x.is_floating_point():
        if not arguments:
            # Without an operand the shape stays.
            assert getattr(x, name)() is x
            return
        with pytest.raises(ValueError, match="cannot change in place"):
            getattr(x[:1], name)(rl.tensor([1, 2, 3]))
        return
    x.requires_grad_()
    before = x.tolist()
    with pytest.raises(RuntimeError, match="leaf"):
        getattr(x, name)(*arguments)
    assert x.tolist() == before
    with rl.no_grad():
        assert getattr(x, name)(*arguments) is x
    assert x.requires_grad


def test_in_place_keeps_shape_and_kind() -> None:
    x = rl.tensor([1.0, 2.0])
    with pytest.raises(
        ValueError, match=r"add_: a tensor of shape \(2,\) cannot change in place to \(3, 2\)"
    ):
        x.add_(rl.ones((3, 2)))
    with pytest.raises(TypeError, match=r"div_: a tensor of int64 cannot change in place to float32"):
        rl.tensor([1, 2]).div_(2)
    y = rl.tensor([1.0, 2.0], dtype=rl.float16)
    assert y.add_(rl.ones(2, dtype=rl.float32)) is y
    assert y.dtype == rl.float16


def test_in_place_writes_the_memory_that_others_see() -> None:
    x = rl.zeros((2, 3))
    view, array = x[1], x.numpy()
    x.add_(1).mul_(3)
    assert view.tolist() == [3.0] * 3
    assert array.tolist() == [[3.0] * 3] * 2
    view.sub_(1)
    assert x.tolist() == [[3.0] * 3, [2.0] * 3]


def test_in_place_is_a_node_of_the_graph() -> None:
    x = rl.tensor([1.0, 2.0], requires_grad=True)
    y = (x * 2).add_(1).pow_(2)
    y.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [12.0, 20.0]


def test_size_is_a_number_and_callable() -> None:
    x = rl.ones((2, 3))
    assert isinstance(x.size, int)
    assert x.size == 6
    assert x.size() == (2, 3)
    assert [x.size(0), x.size(1), x.size(-1), x.size(dim=-2)] == [2, 3, 3, 2]
    with pytest.raises(IndexError, match="size: axis 2 is out of range"):
        x.size(2)
    assert rl.tensor(3.0).size() == ()
    assert json.dumps(x.size) == "6"


def test_functions_are_methods_of_the_same_name() -> None:
    for name in rl._tensor.FUNCTIONS:
        assert getattr(rl.Tensor, name) is getattr(rl, name), name


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: rl.mm(rl.ones(3), rl.ones((3, 2))), ValueError, r"mm: expected ranks 2 and 2"),
        (lambda: rl.bmm(rl.ones((2, 3, 4)), rl.ones((3, 4, 5))), ValueError, r"bmm: batches of 2 and 3"),
        (lambda: rl.topk(rl.ones(3), 4), ValueError, r"topk: k is 4"),
        (lambda: rl.kthvalue(rl.ones(3), 0), ValueError, r"kthvalue: k is 0"),
        (lambda: rl.median(rl.ones((0, 2)), 0), ValueError, r"median: .*\(0, 2\).* no element .* axis 0"),
        (lambda: rl.median(rl.arange(0)), ValueError, r"median: .*\(0,\) and int64 has no element"),
        (lambda: rl.quantile(rl.ones(3), 1.5), ValueError, r"between 0 and 1"),
        (lambda: rl.quantile(rl.arange(3), 0.5), TypeError, r"floating-point"),
        (lambda: rl.bincount(rl.tensor([1, -2])), ValueError, r"bincount: -2 is negative"),
        (lambda: rl.bincount(rl.ones(2)), TypeError, r"bincount: expected integers"),
        (lambda: rl.norm(rl.arange(3)), TypeError, r"norm: expected a floating-point"),
        (lambda: rl.diag(rl.ones((2, 2, 2))), ValueError, r"diag: expected a matrix or a vector"),
        (lambda: rl.ones((2, 3)).repeat(2), ValueError, r"repeat_interleave"),
        (lambda: rl.roll(rl.ones(3)), TypeError, r"roll: give the shift"),
        (lambda: rl.lerp(rl.ones(2), rl.ones(2, dtype=rl.float64), 0.5), TypeError, r"lerp: .*one dtype"),
        (lambda: rl.einsum("...i,i", rl.ones((2, 3))), ValueError, r"2 terms for 1 tensors"),
        (lambda: rl.einsum("...i,...i", rl.ones((2, 3)), rl.ones((4, 3))), ValueError, r"sizes 2 and 4"),
        (lambda: rl.linspace(0, 1), TypeError, r"linspace\(\) misses the argument 'num'"),
        (lambda: rl.linspace(0, 1, 3, steps=3), TypeError, r"num and steps"),
        (lambda: rl.vstack([]), ValueError, r"vstack: expected one tensor"),
    ],
)
def test_errors_name_the_function(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_default_dtype() -> None:
    assert rl.get_default_dtype() == rl.float32
    rl.set_default_dtype(rl.float64)
    try:
        made = [
            rl.zeros(1),
            rl.tensor([1.0]),
            rl.rand(1),
            rl.linspace(0, 1, 2),
            rl.eye(1),
            rl.arange(0.0, 1.0),
        ]
        made += [rl.tensor([1]) / 2, rl.tensor([1]) * 0.5, rl.full((1,), 0.5), rl.tensor([])]
        assert {x.dtype for x in made} == {rl.float64}
        assert (rl.ones(1, dtype=rl.float32) * 0.5).dtype == rl.float32
    finally:
        rl.set_default_dtype(rl.float32)
    for bad in (rl.int64, "float8_e4m3fn"):
        with pytest.raises(TypeError, match="set_default_dtype: expected float16"):
            rl.set_default_dtype(bad)


def test_half_floats_are_computed_in_float32() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=1000).astype(np.float16)
    wide = np.linalg.norm(x.astype(np.float64))
    assert abs(float(rl.asarray(x).norm()) - wide) <= 2**-10 * wide
    y = rng.normal(size=1000).astype(np.float16)
    want = x.astype(np.float32) + (y.astype(np.float32) - x.astype(np.float32)) * np.float32(0.3)
    np.testing.assert_array_equal(rl.asarray(x).lerp(rl.asarray(y), 0.3).numpy(), want.astype(np.float16))
