"""Modules: registration, state, modes, layers and losses."""

from __future__ import annotations

import copy
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from compare import assert_near, to_np
from rushlight import _info, nn
from rushlight import functional as F


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3, padding=1)
        self.norm = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4, bias=False)])
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(32, 3))
        self.scale = nn.Parameter(rl.ones(()))
        self.register_buffer("mean", rl.zeros((3,)))
        self.register_buffer("cache", rl.zeros((3,)), persistent=False)
        self.size = 4

    def forward(self, x: rl.Tensor) -> rl.Tensor:
        x = F.relu(self.conv(x))
        for layer in self.norm:
            x = layer(x)
        out: rl.Tensor = self.head(x) * self.scale - self.mean
        return out


KEYS = [
    "scale",
    "mean",
    "conv.weight",
    "conv.bias",
    "norm.0.weight",
    "norm.0.bias",
    "norm.1.weight",
    "head.1.weight",
    "head.1.bias",
]


def test_names_and_order() -> None:
    net = Net()
    assert list(net.state_dict()) == KEYS
    assert [name for name, _ in net.named_parameters()] == [k for k in KEYS if k != "mean"]
    assert [name for name, _ in net.named_buffers()] == ["mean", "cache"]
    assert [name for name, _ in net.named_children()] == ["conv", "norm", "head"]
    assert [name for name, _ in net.named_modules()][:4] == ["", "conv", "norm", "norm.0"]
    assert all(isinstance(p, nn.Parameter) and p.requires_grad for p in net.parameters())
    assert "scale" in dir(net)
    assert net(rl.ones((2, 1, 4, 4))).shape == (2, 3)


def test_assignment_keeps_the_tables() -> None:
    net = Net()
    with pytest.raises(TypeError, match="is a parameter"):
        net.scale = rl.ones(())  # type: ignore[assignment]
    with pytest.raises(TypeError, match="is a module"):
        net.head = rl.ones(())  # type: ignore[assignment]
    with pytest.raises(TypeError, match="is a buffer"):
        net.mean = 3
    net.mean = rl.ones((3,))
    assert "mean" in dict(net.named_buffers())
    net.size = nn.Parameter(rl.ones(2))  # type: ignore[assignment]
    assert "size" in dict(net.named_parameters())
    assert "size" not in vars(net)
    del net.size
    assert not hasattr(net, "size")
    with pytest.raises(AttributeError, match="nothing"):
        _ = net.nothing
    for name in ("", "a.b"):
        with pytest.raises(KeyError):
            net.register_parameter(name, None)
    with pytest.raises(KeyError, match="forward"):
        net.register_buffer("forward", rl.ones(1))
    with pytest.raises(TypeError):
        net.register_parameter("p", rl.ones(1))  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        net.register_module("m", rl.ones(1))  # type: ignore[arg-type]


def test_a_forgotten_init_is_an_error() -> None:
    class Bad(nn.Module):
        def __init__(self) -> None:
            self.fc = nn.Linear(1, 1)

    with pytest.raises(AttributeError, match=r"super\(\).__init__\(\)"):
        Bad()


def test_shared_parameters_come_once() -> None:
    net = nn.Sequential(nn.Linear(3, 3, bias=False), nn.Linear(3, 3, bias=False))
    net[1].weight = net[0].weight
    assert len(list(net.parameters())) == 1
    assert list(net.state_dict()) == ["0.weight", "1.weight"]
    net.to(rl.float64)
    assert net[1].weight is net[0].weight
    assert net[0].weight.dtype == rl.float64


def test_load_state_dict_round_trip() -> None:
    a, b = Net(), Net()
    assert not np.array_equal(to_np(a.conv.weight), to_np(b.conv.weight))
    result = b.load_state_dict(a.state_dict())
    assert result == ([], [])
    for key, value in a.state_dict().items():
        np.testing.assert_array_equal(to_np(value), to_np(b.state_dict()[key]))
    # NumPy arrays, and other dtypes, are converted.
    arrays = {key: to_np(value).astype(np.float64) for key, value in a.state_dict().items()}
    c = Net()
    c.load_state_dict(arrays)
    assert c.conv.weight.dtype == rl.float32
    np.testing.assert_array_equal(to_np(c.conv.weight), to_np(a.conv.weight))


def test_load_state_dict_tells_everything_at_once() -> None:
    net = Net()
    before = {key: to_np(value).copy() for key, value in net.state_dict().items()}
    bad: dict[str, Any] = {key: value + 1 for key, value in net.state_dict().items()}
    del bad["scale"], bad["norm.0.bias"]
    bad["extra.weight"] = rl.ones(1)
    bad["more"] = rl.ones(1)
    bad["conv.weight"] = rl.ones((2, 1, 5, 5))
    bad["head.1.bias"] = rl.ones(4)
    bad["mean"] = "a string"
    with pytest.raises(ValueError, match="load_state_dict for Net") as caught:
        net.load_state_dict(bad)
    text = str(caught.value)
    for part in (
        "missing keys: scale, norm.0.bias",
        "unexpected keys: extra.weight, more",
        "conv.weight: shape (2, 1, 5, 5) where the module has (2, 1, 3, 3)",
        "head.1.bias: shape (4,) where the module has (3,)",
        "mean: not a tensor (str",
    ):
        assert part in text
    for key, value in net.state_dict().items():
        np.testing.assert_array_equal(to_np(value), before[key], err_msg=f"{key} changed")
    good = {"scale": rl.full((), 7.0), "other": rl.ones(1)}
    result = net.load_state_dict(good, strict=False)
    assert result.unexpected_keys == ["other"]
    assert result.missing_keys == [k for k in KEYS if k != "scale"]
    assert float(net.scale) == 7.0


def test_modes_and_requires_grad() -> None:
    net = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))
    assert net.training
    assert net[1].training
    assert not net.eval()[1].training
    assert net.train()[1].training
    net.requires_grad_(False)
    assert not any(p.requires_grad for p in net.parameters())
    assert len(list(net.parameters())) == 2
    net.requires_grad_()
    net(rl.ones((1, 2))).sum().backward()
    assert all(p.grad is not None for p in net.parameters())
    net.zero_grad(set_to_none=False)
    assert all(float(rl.sum(p.grad)) == 0 for p in net.parameters() if p.grad is not None)
    assert all(p.grad is not None for p in net.parameters())
    net.zero_grad()
    assert all(p.grad is None for p in net.parameters())


def test_to_and_apply() -> None:
    net = Net()
    optimizer = rl.optim.SGD(net.parameters(), lr=1.0)
    before = list(net.parameters())
    assert net.to("cpu", rl.float64) is net
    assert all(p is q for p, q in zip(before, net.parameters(), strict=True))
    assert all(p.dtype == rl.float64 for p in net.parameters())
    assert all(b.dtype == rl.float64 for b in net.buffers())
    # An optimizer that was made before the move updates the moved parameters.
    net(rl.ones((1, 1, 4, 4), dtype=rl.float64)).sum().backward()
    old = float(net.scale)
    optimizer.step()
    assert float(net.scale) != old
    assert net.float().scale.dtype == rl.float32
    assert net.half().scale.dtype == rl.float16
    assert net.bfloat16().scale.dtype == rl.bfloat16
    assert net.to(device="cpu", dtype="float32").scale.dtype == rl.float32
    with pytest.raises(TypeError, match="floating"):
        net.to(rl.int32)
    with pytest.raises(TypeError, match="two dtypes"):
        net.to(rl.float32, rl.float64)
    seen: list[str] = []
    net.apply(lambda m: seen.append(type(m).__name__))
    assert seen[0] == "Conv2d"
    assert seen[-1] == "Net"


def test_integer_buffers_keep_their_dtype() -> None:
    net = nn.Module()
    net.register_buffer("steps", rl.asarray([3]))
    assert net.to(rl.float64).steps.dtype == rl.int64


def test_supports() -> None:
    net = Net()
    assert net.supports("cpu")
    assert net.supports("cpu", training=False)
    assert net.unsupported("cpu") == []

    class Odd(nn.Module):
        ops = ("no_such_op",)

    with pytest.raises(ValueError, match="no_such_op"):
        Odd().supports("cpu")


def test_supports_is_about_the_values_of_an_op() -> None:
    for op in ("add", "where", "where_cond", "take", "astype", "conv2d", "sum"):
        assert rl.supports(op, "float32", grad=True), op
    for op in ("where", "take", "index_select", "arange"):
        assert rl.supports(op, rl.int64), op
        assert not rl.supports(op, rl.int64, grad=True), op
    assert rl.supports("astype", "float8_e4m3fn")
    assert not rl.supports("softmax", "int64")
    assert rl.supports("add", "complex64", grad=True)
    assert not rl.supports("floor", "complex64")
    with pytest.raises(ValueError, match="'plus' is not an op"):
        rl.supports("plus", "float32")


def test_every_op_named_by_a_function_exists() -> None:
    for name, op in _info._OPS.items():
        assert callable(getattr(rl, name))
        assert isinstance(rl.supports(op, "float32"), bool)


def test_pickle_and_deepcopy() -> None:
    net = Net()
    x = rl.randn((2, 1, 4, 4))
    want = to_np(net(x))
    for other in (pickle.loads(pickle.dumps(net)), copy.deepcopy(net)):
        np.testing.assert_array_equal(to_np(other(x)), want)
        assert all(isinstance(p, nn.Parameter) for p in other.parameters())
        with rl.no_grad():
            other.scale.copy_(rl.zeros(()))
        np.testing.assert_array_equal(to_np(net(x)), want)


def test_repr() -> None:
    text = repr(Net())
    assert "Net(\n  (conv): Conv2d(1, 2, kernel_size=(3, 3), padding=(1, 1))\n" in text
    assert "    (1): Linear(4, 4, bias=False)\n" in text
    assert repr(nn.Dropout(0.25)) == "Dropout(p=0.25)"
    assert "Parameter" in repr(nn.Parameter(rl.ones(2)))


def test_containers() -> None:
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    assert len(net) == 3
    assert isinstance(net[-1], nn.Linear)
    assert list(net[1:].state_dict()) == ["2.weight", "2.bias"]
    net[1] = nn.Tanh()
    assert isinstance(net[1], nn.Tanh)
    assert len(net.append(nn.Sigmoid())) == 4
    assert nn.Sequential({"a": nn.Linear(1, 1)}).a.weight.shape == (1, 1)
    with pytest.raises(IndexError):
        _ = net[4]
    with pytest.raises(TypeError, match="not a Module"):
        nn.Sequential(F.relu)  # type: ignore[arg-type]
    with pytest.raises(NotImplementedError):
        nn.ModuleList([net])(rl.ones(1))


@pytest.mark.parametrize(
    ("layer", "fan_in"),
    [
        (lambda: nn.Linear(100, 300), 100),
        (lambda: nn.Conv1d(8, 60, 5), 40),
        (lambda: nn.Conv2d(8, 60, 3, groups=2), 36),
    ],
)
def test_first_values(layer: Any, fan_in: int) -> None:
    """Weight and bias are uniform in ±1/sqrt(fan_in), and the same for the same seed."""
    made = layer()
    bound = 1 / math.sqrt(fan_in)
    for value in (to_np(made.weight), to_np(made.bias)):
        assert np.abs(value).max() <= bound
        assert np.abs(value).max() > 0.9 * bound
        assert abs(value.mean()) < bound / 5
    # b^2 / 3 is the variance of a uniform distribution in ±b.
    assert to_np(made.weight).var() == pytest.approx(bound**2 / 3, rel=0.1)
    rl.manual_seed(5)
    a = to_np(layer().weight)
    rl.manual_seed(5)
    np.testing.assert_array_equal(a, to_np(layer().weight))


def test_embedding() -> None:
    table = nn.Embedding(10, 4, padding_idx=-1)
    assert table.padding_idx == 9
    np.testing.assert_array_equal(to_np(table.weight)[9], 0)
    assert 0.5 < to_np(table.weight)[:9].std() < 1.5
    ids = rl.asarray([[1, 9, 1], [0, 0, 2]])
    out = table(ids)
    assert out.shape == (2, 3, 4)
    np.testing.assert_array_equal(to_np(out), to_np(table.weight)[np.array(ids.tolist())])
    out.sum().backward()
    want = np.zeros((10, 4))
    want[[1, 0, 2]] = [[2], [2], [1]]
    np.testing.assert_array_equal(to_np(table.weight.grad), want)
    with pytest.raises(IndexError):
        table(rl.asarray([10]))
    with pytest.raises(ValueError, match="padding_idx"):
        nn.Embedding(3, 2, padding_idx=3)


def test_dropout() -> None:
    x = rl.ones((200, 100)).requires_grad_()
    layer = nn.Dropout(0.25)
    out = to_np(layer(x))
    assert set(np.unique(out)) == {np.float32(0), np.float32(1 / 0.75)}
    assert np.mean(out == 0) == pytest.approx(0.25, abs=0.02)
    y = layer(x)
    y.sum().backward()
    np.testing.assert_array_equal(to_np(x.grad), to_np(y))
    assert layer.eval()(x) is x
    assert float(rl.sum(F.dropout(x, 1.0))) == 0
    with pytest.raises(ValueError, match="probability"):
        nn.Dropout(1.5)


def test_activation_layers_are_their_functions() -> None:
    x = rl.randn((3, 4))
    pairs = [
        (nn.ReLU(), F.relu(x)),
        (nn.ReLUSquared(), F.relu_squared(x)),
        (nn.GELU(), F.gelu(x)),
        (nn.GELU("tanh"), F.gelu(x, "tanh")),
        (nn.SiLU(), F.silu(x)),
        (nn.Softplus(), F.softplus(x)),
        (nn.Softplus(2, 1.5), F.softplus(x, beta=2.0, threshold=1.5)),
        (nn.Tanh(), F.tanh(x)),
        (nn.Sigmoid(), F.sigmoid(x)),
        (nn.Softmax(1), F.softmax(x, 1)),
        (nn.LogSoftmax(1), F.log_softmax(x, 1)),
        (nn.Flatten(0), x.reshape((12,))),
    ]
    for layer, want in pairs:
        np.testing.assert_array_equal(to_np(layer(x)), to_np(want), err_msg=repr(layer))
    assert not np.array_equal(to_np(F.gelu(x)), to_np(F.gelu(x, "tanh")))
    image = rl.randn((1, 2, 6, 6))
    for layer, want in [
        (nn.MaxPool2d(2), F.max_pool2d(image, 2)),
        (nn.MaxPool2d(3, 2, 1), F.max_pool2d(image, 3, 2, 1)),
        (
            nn.AvgPool2d(3, 2, 1, count_include_pad=False),
            F.avg_pool2d(image, 3, 2, 1, count_include_pad=False),
        ),
        (nn.Conv1d(6, 4, 3), None),
    ]:
        if want is None:
            assert layer(rl.randn((2, 6, 9))).shape == (2, 4, 7)
        else:
            np.testing.assert_array_equal(to_np(layer(image)), to_np(want))


def test_losses() -> None:
    x, y = rl.randn((5, 3)), rl.asarray([0, 2, 1, -100, 2])
    for how in ("mean", "sum", "none"):
        a = nn.CrossEntropyLoss(reduction=how)(x, y)
        b = nn.NLLLoss(reduction=how)(F.log_softmax(x, 1), y)
        assert_near(a, to_np(b), 1e-6, how)
        a, b = rl.randn((2, 3)), rl.randn((2, 3))
        want = (to_np(a) - to_np(b)) ** 2
        want = {"mean": want.mean(), "sum": want.sum(), "none": want}[how]
        assert_near(nn.MSELoss(how)(a, b), want, 1e-6)
    with pytest.raises(ValueError, match="reduction"):
        nn.MSELoss("avg")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="reduction"):
        F.cross_entropy(x, y, reduction="avg")  # type: ignore[arg-type]


def test_linear_ranks() -> None:
    layer = nn.Linear(4, 2)
    w, b = to_np(layer.weight), to_np(layer.bias)
    for shape in ((4,), (3, 4), (2, 3, 4), (0, 4), (2, 0, 4)):
        x = rl.randn(shape)
        assert_near(layer(x), to_np(x) @ w.T + b, 1e-6, str(shape))
    with pytest.raises(ValueError, match="linear"):
        layer(rl.ones((3, 5)))


@pytest.mark.parametrize("norm_type", [1.0, 2.0, 3.0, math.inf])
def test_clip_grad_norm(norm_type: float) -> None:
    params = [rl.zeros((3, 2)).requires_grad_(), rl.zeros(4).requires_grad_()]
    grads = [np.arange(6.0, dtype=np.float32).reshape(3, 2), np.ones(4, np.float32)]
    for p, g in zip(params, grads, strict=True):
        p.grad = rl.asarray(g.copy())
    flat = np.concatenate([g.ravel() for g in grads]).astype(np.float64)
    want = np.linalg.norm(flat, norm_type)
    unused = rl.zeros(2).requires_grad_()
    norm = nn.utils.clip_grad_norm_([*params, unused], 1.0, norm_type)
    assert float(norm) == pytest.approx(want, rel=1e-5)
    now = np.concatenate([to_np(p.grad).ravel() for p in params])
    np.testing.assert_allclose(now, flat / (want + 1e-6), rtol=1e-5)
    # Below the bound nothing changes.
    nn.utils.clip_grad_norm_(params, 100.0, norm_type)
    np.testing.assert_array_equal(np.concatenate([to_np(p.grad).ravel() for p in params]), now)
    params[0].grad = rl.full((3, 2), math.nan)
    with pytest.raises(RuntimeError, match="norm"):
        nn.utils.clip_grad_norm_(params, 1.0, error_if_nonfinite=True)
    assert float(nn.utils.clip_grad_norm_([unused], 1.0)) == 0.0


def test_save_and_load(tmp_path: Path) -> None:
    net, path = Net(), tmp_path / "net.safetensors"
    rl.save_file(net.state_dict(), path, metadata={"kind": "test"})
    other = Net()
    other.load_state_dict(rl.load_file(path))
    x = rl.randn((2, 1, 4, 4))
    np.testing.assert_array_equal(to_np(net(x)), to_np(other(x)))
    from safetensors.numpy import load_file

    for key, value in load_file(path).items():
        np.testing.assert_array_equal(value, to_np(net.state_dict()[key]))


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("padding", [1, "same"])
def test_convolution_takes_input_without_a_batch(rank: int, padding: Any) -> None:
    conv = (nn.Conv1d, nn.Conv2d, nn.Conv3d)[rank - 1](2, 3, 4, padding=padding)
    x = rl.randn((1, 2, *[6] * rank))
    one = conv(x[0])
    assert one.ndim == rank + 1
    assert np.array_equal(to_np(one), to_np(conv(x)[0]))
    with pytest.raises(ValueError, match=f"^conv{rank}d: rank {rank + 1} or {rank + 2} is needed"):
        conv(x[0, 0])
