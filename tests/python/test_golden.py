"""Values and gradients of every golden case, compared with PyTorch's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import golden_ops
import load
import rushlight as rl
import training_cases
from compare import assert_near, dtype, to_np

# Their cases are not single ops: test_golden_optim.py.
TRAINING = {"optim", *training_cases.FAMILIES}
FAMILIES = [name for name in load.families() if name not in TRAINING]
CASES = [case for name in FAMILIES for case in load.cases(name)]

VALUE = {"float64": 1e-12, "float32": 2e-6, "float16": 2.0**-10, "bfloat16": 2.0**-7, "int64": 0.0}
GRADIENT = {"float64": 1e-11, "float32": 1e-5}


def leaf(value: Any, name: str, tracked: bool) -> rl.Tensor:
    """The array as a tensor with the same strides where the dtype is NumPy's."""
    tensor = rl.asarray(value)
    if value.dtype.kind == "f" and tensor.dtype != dtype(name):
        tensor = rl.astype(tensor, dtype(name))
    return tensor.detach().requires_grad_() if tracked else tensor


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_like_pytorch(case: load.Case) -> None:
    kept = [value.copy() for value in case.inputs]
    inputs = [
        leaf(value, case.dtype, grad is not None) for value, grad in zip(case.inputs, case.grads, strict=True)
    ]
    outputs = golden_ops.outputs(case.op, dict(zip(case.args, inputs, strict=True)), case.kwargs)
    for i, (got, want) in enumerate(zip(outputs, case.outputs, strict=True)):
        assert got.shape == want.shape
        expected = rl.int64 if want.dtype == np.int64 else dtype(case.dtype)
        assert got.dtype == expected
        long = case.op in golden_ops.LONG or "sums" in case.tags
        largest = np.abs(want[np.isfinite(want)]).max(initial=0.0) if long else 0.0
        relative = 0.0 if want.dtype.kind == "i" else VALUE[case.dtype]
        floor = max(float(largest), golden_ops.floor(case.op, 1e-6))
        assert_near(got, want, relative, f"{case.name} output {i}", floor)
        if "special" in case.tags and want.dtype.kind == "f":
            value = to_np(got)
            zero = value == 0
            np.testing.assert_array_equal(np.signbit(value[zero]), np.signbit(want[zero]))
    if case.cotangent is not None:
        outputs[0].backward(leaf(case.cotangent, case.dtype, False))
        relative = GRADIENT[case.dtype]
        if case.op in ("var", "std") and "offset" in case.name and case.dtype == "float32":
            relative = 3e-5
        relative = max(relative, golden_ops.CONSTANTS.get(case.op, 0.0))
        for arg, tensor, want in zip(case.args, inputs, case.grads, strict=True):
            if want is None:
                assert tensor.grad is None
                continue
            assert tensor.grad is not None, f"{case.name}: no gradient of {arg}"
            assert tensor.grad.dtype == tensor.dtype
            assert_near(tensor.grad, want, relative, f"{case.name} gradient of {arg}")
    for value, before in zip(case.inputs, kept, strict=True):
        np.testing.assert_array_equal(value, before)


def test_every_golden_op_is_called() -> None:
    """Every golden op has a Rushlight call, and every call has a golden case."""
    assert {case.op for case in CASES} == set(golden_ops.CALLS)


def test_every_family_is_read() -> None:
    assert set(load.families()) == {
        "activation",
        "attention",
        "distance",
        "fused",
        "label",
        "layer",
        "criterion",
        "margin",
        "padding",
        "sampling",
        "deform",
        "grouped",
        "regression",
        "resize",
        "table",
        "window",
        "binary",
        "conv",
        "half",
        "index",
        "loss",
        "lbfgs",
        "muon",
        "norm",
        "optim",
        "optimizers",
        "pool",
        "recurrent",
        "reduce",
        "scaler",
        "schedules",
        "sort",
        "sparse_adam",
        "unary",
        "upsample",
    }
