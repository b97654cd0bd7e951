"""Error messages use Python's names, and name the function that was called and the wrong argument."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl
from rushlight import functional as F

# Names that only a Rust program knows.
RUST = re.compile(
    r"Device::|new_rocm|new_cuda|\b(Cpu|BF16|F16|F32|F64|[UI](8|16|32|64)|Rocm|Cuda|Test) ?\b(?!:)"
)


def x(*shape: int, dtype: Any = None) -> rl.Tensor:
    return rl.ones(shape, dtype=dtype)


def weights() -> list[rl.Tensor]:
    return [rl.ones(2, requires_grad=True)]


CASES: list[tuple[str, Callable[[], Any], type[Exception], str]] = [
    # Devices and dtypes
    ("device_mismatch", lambda: x(2) + rl.zeros(2, device="test:1"), rl.DeviceError, r"cpu.*test:1"),
    ("no_gpu", lambda: rl.zeros(2, device="cuda:77"), rl.DeviceError, r"CUDA|cuda"),
    ("no_rocm", lambda: rl.zeros(2, device="rocm:77"), rl.DeviceError, r"ROCm|rocm"),
    ("dtype", lambda: F.softmax(x(2, dtype=rl.int64), 0), TypeError, r"int64.*softmax"),
    ("dtypes", lambda: F.conv1d(x(1, 1, 5), x(1, 1, 3, dtype=rl.float64)), TypeError, r"float32.*float64"),
    ("dtype_in_a_sentence", lambda: rl.randint(0, 300, (2,), dtype=rl.int8), ValueError, r"randint.*int8"),
    # Sizes
    ("linspace", lambda: rl.linspace(0, 1, -1), ValueError, r"linspace: num is -1"),
    ("linspace_huge", lambda: rl.linspace(0, 1, 2**200), ValueError, r"linspace: num .*too large"),
    ("eye", lambda: rl.eye(-2), ValueError, r"eye: n_rows is -2"),
    ("eye_columns", lambda: rl.eye(2, -3), ValueError, r"eye: n_cols is -3"),
    ("manual_seed", lambda: rl.manual_seed(-1), ValueError, r"manual_seed: seed is -1"),
    ("precision", lambda: rl.set_printoptions(precision=-1), ValueError, r"set_printoptions: precision"),
    ("threads", lambda: rl.set_num_threads(-1), ValueError, r"set_num_threads: n is -1"),
    ("chunk", lambda: rl.chunk(x(4), -1), ValueError, r"chunk: chunks is -1"),
    ("narrow", lambda: x(4).narrow(0, -1, 2), ValueError, r"narrow: start is -1"),
    ("one_hot_classes", lambda: F.one_hot(rl.asarray([1]), -5), ValueError, r"one_hot: num_classes is -5"),
    ("groups", lambda: F.conv1d(x(1, 1, 5), x(1, 1, 3), groups=-1), ValueError, r"conv1d: groups is -1"),
    ("no_integer", lambda: rl.eye(2.5), TypeError, r"integer.*float"),  # type: ignore[arg-type]
    ("arange", lambda: rl.arange(0, 1, 1e-300), ValueError, r"^.{0,80}1e-300.{0,20}$"),
    ("full_of_nan", lambda: rl.full(2, rl.nan, dtype=rl.int64), ValueError, r"NaN to int64"),
    ("full_of_inf", lambda: rl.full(2, rl.inf, dtype=rl.int64), OverflowError, r"int64"),
    ("tensor_of_nan", lambda: rl.tensor([1.0, rl.nan], dtype=rl.uint8), ValueError, r"NaN to uint8"),
    ("tensor_of_large", lambda: rl.tensor([1e10], dtype=rl.int32), OverflowError, r"int32"),
    # Functions by the names that were called
    ("along", lambda: rl.take_along_axis(x(2), rl.asarray([5])), IndexError, r"^take_along_axis .*5"),
    ("scatter", lambda: rl.scatter(x(2), 0, rl.asarray([5]), x(1)), IndexError, r"^scatter .*5"),
    ("scatter_add", lambda: rl.scatter_add(x(2), 0, rl.asarray([5]), x(1)), IndexError, r"^scatter_add .*5"),
    ("one_hot", lambda: F.one_hot(rl.asarray([3]), 3), IndexError, r"^one_hot .*3"),
    ("one_hot_float", lambda: F.one_hot(x(2), 3), TypeError, r"one_hot.*float32"),
    ("take", lambda: rl.take(x(3), rl.asarray([7]), axis=0), IndexError, r"^take .*7"),
    ("matmul", lambda: x(2, 3) @ x(2, 3), ValueError, r"in matmul, lhs: \(2, 3\), rhs: \(2, 3\)$"),
    (
        "matmul_vector",
        lambda: rl.matmul(x(3), x(2, 3)),
        ValueError,
        r"in matmul, lhs: \(3,\), rhs: \(2, 3\)$",
    ),
    ("bool", lambda: bool(x(2, 3)), ValueError, r"shape \(2, 3\).*x\.any\(\) or x\.all\(\)"),
    ("exp", lambda: rl.exp(1.0), TypeError, r"^exp\(\) argument 'x': expected a Tensor, got float$"),  # type: ignore[arg-type]
    ("reshape", lambda: rl.reshape(1.0, 2), TypeError, r"^reshape\(\) argument 'x': expected a Tensor"),  # type: ignore[arg-type]
    ("zeros", lambda: rl.zeros("a"), TypeError, r"^zeros\(\) argument 'shape': sizes"),  # type: ignore[arg-type]
    ("concat", lambda: rl.concat([x(2, 3), x(3, 2)]), ValueError, r"in concat for dim 0"),
    # PyTorch's names
    ("rl_cumsum", lambda: rl.cumsum(x(3), 4), IndexError, r"^cumsum: axis 4"),
    ("rl_cumprod", lambda: rl.cumprod(x(3), 4), IndexError, r"^cumprod: axis 4"),
    ("cat", lambda: rl.cat([x(2, 3), x(3, 2)]), ValueError, r"in cat for dim 0"),
    ("cat_axis", lambda: rl.cat([x(2), x(2)], dim=2), IndexError, r"^cat: axis 2"),
    ("cat_nothing", lambda: rl.cat([]), ValueError, r"^cat: expected one tensor or more"),
    ("hstack", lambda: rl.hstack([x(2), x(2, 2)]), ValueError, r"in hstack for dim 0"),
    ("rl_permute", lambda: rl.permute(x(3), (0, 1)), IndexError, r"^permute: axis 1"),
    ("rl_unsqueeze", lambda: rl.unsqueeze(x(3), 5), IndexError, r"^unsqueeze: axis 5"),
    ("swapaxes", lambda: rl.swapaxes(x(3), 0, 3), IndexError, r"^swapaxes: axis 3"),
    ("repeat", lambda: x(3).repeat(-1), ValueError, r"^repeat: .*-1"),
    ("mm", lambda: x(2, 3).mm(x(2, 3)), ValueError, r"in mm, lhs: \(2, 3\)"),
    ("dot", lambda: x(2).dot(x(3)), ValueError, r"^dot: shapes \(2,\) and \(3,\)"),
    ("one_hot_negative", lambda: F.one_hot(rl.asarray([2, -1])), IndexError, r"^one_hot: class -1 .*from 0"),
    (
        "cross_entropy_float",
        lambda: F.cross_entropy(x(2, 3), x(2)),
        TypeError,
        r"^cross_entropy: .*float32.*\(2, 3\), got \(2,\).*long\(\)",
    ),
    ("save_none", lambda: rl.save(None, "a.npy"), TypeError, r"^save: .*one tensor, not a NoneType.*\.pt"),
    ("tril", lambda: rl.tril(x(3)), ValueError, r"^tril: unexpected rank"),
    (
        "matrix_transpose",
        lambda: rl.matrix_transpose(x(3)),
        ValueError,
        r"^matrix_transpose: unexpected rank",
    ),
    (
        "broadcast_to",
        lambda: rl.broadcast_to(x(2, 3), (4, 3)),
        ValueError,
        r"^broadcast_to: cannot broadcast",
    ),
    (
        "conv2d",
        lambda: F.conv2d(x(3, 4), x(1, 3, 2, 2)),
        ValueError,
        r"^conv2d: rank 3 or 4 is needed, got shape \(3, 4\)",
    ),
    (
        "conv2d_unbatched",
        lambda: F.conv2d(x(2, 3, 4), x(1, 3, 2, 2)),
        ValueError,
        r"^conv2d: in_channel mismatch",
    ),
    ("no_groups", lambda: F.conv1d(x(1, 1, 5), x(1, 1, 3), groups=0), ValueError, r"^conv1d: groups must be"),
    ("no_window", lambda: F.max_pool2d(x(1, 1, 4, 4), 0), ValueError, r"^max_pool2d: the kernel is empty"),
    ("take_float", lambda: rl.take(x(3), x(2), axis=0), TypeError, r"^take: .*float32"),
    ("scatter", lambda: rl.scatter(x(3), 0, rl.asarray([9]), 1.0), IndexError, r"^scatter .*9"),
    ("embedding", lambda: F.embedding(rl.asarray([7]), x(3, 4)), IndexError, r"^embedding .*7"),
    ("embedding_float", lambda: F.embedding(x(2), x(3, 4)), TypeError, r"^embedding: .*float32"),
    ("embedding_layer", lambda: rl.nn.Embedding(3, 2)(rl.asarray([3])), IndexError, r"^embedding .*3"),
    (
        "grad_of_a_constant",
        lambda: rl.autograd.grad(x(2), weights()),
        RuntimeError,
        r"^grad: tensor 0 does not require a gradient",
    ),
    # Arguments of other types
    ("einsum_order", lambda: rl.einsum(x(2), "i"), TypeError, r"^einsum: equation is a str, got Tensor"),  # type: ignore[arg-type]
    ("outer", lambda: rl.outer(x(2), 1), TypeError, r"^outer: x2 is a Tensor, got int"),  # type: ignore[arg-type]
    ("meshgrid", lambda: rl.meshgrid(x(2), 1.5), TypeError, r"^meshgrid: arrays is a Tensor, got float"),  # type: ignore[arg-type]
    ("mse_loss", lambda: F.mse_loss(x(2), 1), TypeError, r"^mse_loss: target is a Tensor, got int"),  # type: ignore[arg-type]
    ("unique", lambda: rl.unique_values(None), TypeError, r"^unique_values: x is a Tensor, got NoneType"),  # type: ignore[arg-type]
    ("isdtype", lambda: rl.isdtype(x(2), "bool"), TypeError, r"^isdtype: dtype is a DType, got Tensor"),  # type: ignore[arg-type]
    # Layers and optimizers
    ("linear", lambda: rl.nn.Linear(-1, 2), ValueError, r"Linear: in_features is -1"),
    ("linear_float", lambda: rl.nn.Linear(2, 2.5), TypeError, r"Linear: out_features.*2\.5"),  # type: ignore[arg-type]
    ("channels", lambda: rl.nn.Conv2d(1, -1, 3), ValueError, r"Conv2d: out_channels is -1"),
    ("embeddings", lambda: rl.nn.Embedding(-1, 2), ValueError, r"Embedding: num_embeddings is -1"),
    ("randperm", lambda: rl.randperm(-1), ValueError, r"randperm: n is -1"),
    ("tile", lambda: rl.tile(x(2), (-1,)), ValueError, r"tile: .*-1"),
    ("stride", lambda: rl.nn.Conv2d(1, 1, 3, stride=0), ValueError, r"Conv2d: stride 0"),
    ("kernel", lambda: rl.nn.Conv1d(1, 1, 0), ValueError, r"Conv1d: kernel_size 0"),
    ("padding", lambda: rl.nn.Conv2d(1, 1, 3, padding=(0, -1)), ValueError, r"Conv2d: padding \(0, -1\)"),
    ("pool", lambda: rl.nn.MaxPool2d(2, stride=0), ValueError, r"MaxPool2d: stride 0"),
    ("lr", lambda: rl.optim.SGD(weights(), lr="a"), TypeError, r"SGD: lr.*str 'a'"),  # type: ignore[arg-type]
    ("betas", lambda: rl.optim.Adam(weights(), betas=0.9), TypeError, r"Adam: betas.*0\.9"),  # type: ignore[arg-type]
    (
        "no_state",
        lambda: rl.optim.Adam(weights()).load_state_dict({}),
        ValueError,
        r"Adam.*'param_groups'.*'state'",
    ),
    ("state_5", lambda: rl.optim.Adam(weights()).load_state_dict(5), TypeError, r"Adam.*int"),  # type: ignore[arg-type]
    (
        "state_groups",
        lambda: rl.optim.SGD(weights()).load_state_dict({"param_groups": 3, "state": {}}),
        ValueError,
        r"SGD.*'params'",
    ),
    (
        "schedule",
        lambda: rl.optim.lr_scheduler.StepLR(rl.optim.SGD(weights()), 2).load_state_dict({"gamma": 1}),
        ValueError,
        r"StepLR.*step_size, last_epoch",
    ),
    ("module", lambda: rl.optim.SGD(rl.nn.Linear(1, 1)), TypeError, r"SGD: params .*Linear.*parameters\(\)"),  # type: ignore[arg-type]
    ("no_params", lambda: rl.optim.Adam(5), TypeError, r"Adam: params .*int"),  # type: ignore[arg-type]
    ("linear_text", lambda: rl.nn.Linear("x", 2), TypeError, r"Linear: in_features.*'x'"),  # type: ignore[arg-type]
    ("file_key", lambda: rl.save_file({1: x(1)}, "a"), TypeError, r"save_file: tensors.*key 1 \(int\)"),  # type: ignore[dict-item]
    ("file_value", lambda: rl.save_file({"a": 1}, "a"), TypeError, r"save_file: tensors.*int for \"a\""),  # type: ignore[dict-item]
    ("file_list", lambda: rl.save_file([x(1)], "a"), TypeError, r"save_file: tensors.*got list"),  # type: ignore[arg-type]
    ("file_text", lambda: rl.save_file({}, "a", {"a": 1}), TypeError, r"save_file: metadata.*int for \"a\""),  # type: ignore[dict-item]
    ("gelu", lambda: rl.gelu(x(1), "erf"), ValueError, r"gelu: approximate 'erf'"),
    ("module_state", lambda: rl.nn.Linear(1, 1).load_state_dict("a.pth"), TypeError, r"Linear.*str"),  # type: ignore[arg-type]
    ("dropout", lambda: F.dropout(x(2), 1.5), ValueError, r"dropout.*1\.5"),
    ("bernoulli", lambda: rl.bernoulli(rl.tensor([0.5, 1.5])), ValueError, r"bernoulli.*between 0 and 1"),
]


@pytest.mark.parametrize(("call", "error", "text"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_message(call: Callable[[], Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        call()
    message = str(caught.value)
    assert re.search(text, message), message
    assert not RUST.search(message), message


def test_paths_stay_as_they_are(tmp_path: Any) -> None:
    """Only the error itself gets Python's names; a path in it stays unchanged."""
    path = tmp_path / "F32 U8"
    path.write_bytes(b"\x08\0\0\0\0\0\0\0{broken}")
    with pytest.raises(ValueError, match="F32 U8"):
        rl.load_file(path)


def test_functions_take_keywords_at_the_top_level_too() -> None:
    """`rl.conv1d` is `rl.functional.conv1d`, not a version of it that takes arguments by position."""
    assert rl.conv1d(x(1, 1, 5), x(1, 1, 3), padding=1).shape == (1, 1, 5)
    for name in (
        "conv1d",
        "conv_transpose2d",
        "max_pool2d",
        "avg_pool1d",
        "cross_entropy",
        "one_hot",
        "embedding",
    ):
        assert getattr(rl, name) is getattr(F, name)


def test_backward_takes_the_arguments_of_pytorch() -> None:
    """The graph lives as long as its tensors, so `backward` may run again."""
    w = weights()[0]
    loss = (w * w).sum()
    loss.backward(retain_graph=True)
    loss.backward(None, False, False)
    assert w.grad is not None
    assert w.grad.tolist() == [4.0, 4.0]
