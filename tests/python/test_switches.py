"""Switches and decorators of PyTorch that programs use, and that change no result."""

from __future__ import annotations

import copy
import importlib
import pickle
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from rushlight import nn
from rushlight.amp import autocast_mode


def test_switches_read_back() -> None:
    cudnn = importlib.import_module("rushlight.backends.cudnn")
    for owner, name, value in (
        (cudnn, "benchmark", True),
        (cudnn, "deterministic", True),
        (cudnn, "enabled", False),
        (cudnn, "allow_tf32", False),
        (cudnn, "fp32_precision", "ieee"),
        (rl.backends.cuda.matmul, "allow_tf32", True),
        (rl.backends.cuda.matmul, "fp32_precision", "tf32"),
        (rl.backends.mkldnn, "enabled", False),
    ):
        before = getattr(owner, name)
        setattr(owner, name, value)
        assert getattr(owner, name) == value != before
        setattr(owner, name, before)
        with pytest.raises((TypeError, ValueError), match=name):
            setattr(owner, name, 1.5)
    assert cudnn is rl.backends.cudnn
    with rl.backends.cudnn.flags(enabled=True, deterministic=True):
        assert rl.backends.cudnn.deterministic
    assert not rl.backends.cudnn.deterministic
    assert not rl.backends.mps.is_available()
    rl.backends.cuda.enable_flash_sdp(False)
    assert not rl.backends.cuda.flash_sdp_enabled()
    rl.backends.cuda.enable_flash_sdp(True)


def test_no_switch_changes_a_product() -> None:
    a, b = rl.rand(64, 64), rl.rand(64, 64)
    want = (a @ b).tolist()
    rl.set_float32_matmul_precision("medium")
    rl.backends.cuda.matmul.allow_tf32 = True
    assert (a @ b).tolist() == want
    assert rl.get_float32_matmul_precision() == "medium"
    rl.set_float32_matmul_precision("highest")
    rl.backends.cuda.matmul.allow_tf32 = False
    with pytest.raises(ValueError, match="'low'"):
        rl.set_float32_matmul_precision("low")


def test_autocast_keeps_dtypes_and_warns_once() -> None:
    autocast_mode._warned.clear()
    x = rl.ones(2, 2)
    context = rl.autocast("cuda", dtype=rl.bfloat16)
    with pytest.warns(UserWarning, match="compute in the dtype"):
        context.__enter__()
    assert rl.is_autocast_enabled()
    with rl.autocast("cpu", enabled=False):
        assert not rl.is_autocast_enabled()
    assert (x @ x).dtype == rl.float32
    context.__exit__()
    assert not rl.is_autocast_enabled()

    @rl.cuda.amp.autocast()  # type: ignore[attr-defined]
    def step() -> Any:
        return rl.is_autocast_enabled()

    assert step()
    assert rl.cuda.amp.GradScaler(init_scale=4.0).get_scale() == 4.0  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="'gpu'"):
        rl.autocast("gpu")


def test_compilers_return_what_they_get() -> None:
    layer = nn.Linear(2, 2)
    assert rl.compile(layer) is layer
    assert rl.compile(fullgraph=True, mode="max-autotune")(layer) is layer
    assert rl.jit.script(layer) is layer
    assert rl.jit.trace(layer, rl.ones(1, 2)) is layer
    with pytest.raises(TypeError, match="compile takes a function"):
        rl.compile(1)


def test_fork_rng_sets_the_numbers_back() -> None:
    rl.manual_seed(3)
    want = rl.rand(4).tolist()
    rl.random.manual_seed(3)
    with rl.random.fork_rng(devices=[]):
        rl.rand(9)
    assert rl.rand(4).tolist() == want
    with rl.random.fork_rng(enabled=False):
        rl.rand(1)
    rl.manual_seed(3)

    def fail() -> None:
        with rl.random.fork_rng():
            rl.rand(2)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert rl.rand(4).tolist() == want


def test_names_of_cuda_without_a_gpu() -> None:
    if rl.cuda.is_available():
        pytest.skip("there is a GPU")
    assert rl.cuda.current_device() == rl.cuda.memory_allocated() == rl.cuda.max_memory_allocated() == 0
    rl.cuda.reset_peak_memory_stats()
    rl.cuda.set_device(0)
    assert not rl.cuda.is_bf16_supported()
    with pytest.raises(ValueError, match="'cuda:1'"):
        rl.cuda.set_device(1)


def test_shapes_are_sizes() -> None:
    x = rl.ones((2, 3))
    assert isinstance(x.shape, tuple)
    assert isinstance(x.shape, rl.Size)
    assert x.shape == x.size() == (2, 3) == rl.Size([2, 3])
    assert x.shape.numel() == x.size().numel() == 6
    assert rl.ones(()).shape.numel() == 1
    assert {x.shape: 1}[(2, 3)] == 1
    for copied in (pickle.loads(pickle.dumps(x.shape)), copy.deepcopy(x.shape)):
        assert (type(copied), copied) == (rl.Size, (2, 3))
    for part in (x.shape[:1], x.shape[-2:-1], x.shape[1:] + (4,), (5,) + x.shape, x.shape * 2, 2 * x.shape):  # noqa: RUF005
        assert type(part) is rl.Size
    assert (x.shape[:1], (5,) + x.shape, x.shape * 2) == ((2,), (5, 2, 3), (2, 3, 2, 3))  # noqa: RUF005
    assert rl.Size(np.array([2, 3])) == rl.Size(x.shape) == rl.Size(v for v in (2, 3)) == (2, 3)
    assert [type(v) for v in rl.Size([True, np.int64(2)])] == [int, int]
    for wrong in ("ab", [2.5], ["a"], 3):
        with pytest.raises(TypeError, match="Size: "):
            rl.Size(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        _ = x.shape + [1]  # type: ignore[operator]  # noqa: RUF005
    assert repr(x.shape) == "(2, 3)"
    assert np.zeros(x.shape).shape == x.numpy().shape == (2, 3)


def test_parameters_of_scatter_are_checked() -> None:
    x, i = rl.zeros(3), rl.tensor([0, 2])
    with pytest.raises(TypeError, match="scatter: src and value"):
        x.scatter(0, i)
    with pytest.raises(TypeError, match="scatter: src and value"):
        rl.scatter(x, 0, i, 1.0, value=2.0)
    with pytest.raises(ValueError, match="scatter: reduce is 'add' or 'multiply', got 'mean'"):
        x.scatter_(0, i, 1.0, reduce="mean")
    with pytest.raises(TypeError, match=r"index_add: alpha 0\.5 does not fit a tensor of int64"):
        rl.arange(3).index_add(0, i, i, alpha=0.5)
    # Without PyTorch: gradients with `reduce`.
    x, y = rl.tensor([2.0, 3.0], requires_grad=True), rl.tensor([5.0, 7.0], requires_grad=True)
    x.scatter(0, rl.tensor([1, 1]), y, reduce="multiply").sum().backward()
    assert x.grad is not None
    assert y.grad is not None
    assert (x.grad.tolist(), y.grad.tolist()) == ([1.0, 35.0], [21.0, 15.0])


def test_take_of_a_matrix_without_an_axis() -> None:
    x = rl.arange(6).reshape(2, 3)
    assert rl.take(x, rl.tensor([[5, -6]])).tolist() == np.take(x.numpy(), [[5, -6]]).tolist()
    with pytest.raises(IndexError):
        x.take(rl.tensor([6]))


def test_classes_of_tensors() -> None:
    assert rl.FloatTensor([1, 2]).tolist() == [1.0, 2.0]
    assert rl.LongTensor([1.5]).tolist() == [1]
    assert rl.ByteTensor(2, 3).shape == (2, 3)
    assert isinstance(rl.ones(1), rl.FloatTensor)
    assert not isinstance(rl.ones(1), rl.DoubleTensor)
    assert not isinstance(1.0, rl.FloatTensor)
    assert rl.autograd.Variable(rl.ones(1), requires_grad=True).is_leaf


def test_data_parallel_runs_on_one_device() -> None:
    layer = nn.Linear(2, 1)
    model = nn.DataParallel(layer, device_ids=[0])
    x = rl.rand(3, 2)
    assert model(x).tolist() == layer(x).tolist()
    assert model.module is layer
    assert list(model.state_dict()) == ["module.weight", "module.bias"]
    with pytest.raises(ValueError, match="DataParallel: the module runs on one device, and 2"):
        nn.DataParallel(layer, device_ids=[0, 1])


def test_modules_of_pytorch_by_their_paths() -> None:
    for path, name, thing in (
        ("utils.data.dataset", "Dataset", rl.data.Dataset),
        ("utils.data.sampler", "Sampler", rl.data.Sampler),
        ("utils.data.dataloader", "default_collate", rl.data.default_collate),
        ("utils.checkpoint", "checkpoint", rl.utils.checkpoint.checkpoint),
        ("distributions.transforms", "TanhTransform", rl.distributions.TanhTransform),
        ("distributions.kl", "kl_divergence", rl.distributions.kl_divergence),
    ):
        assert getattr(importlib.import_module(f"rushlight.{path}"), name) is thing
    assert not rl.distributed.is_available()
    assert rl.version.__version__ == rl.__version__
    assert (
        importlib.import_module("rushlight.multiprocessing").Process
        is importlib.import_module("multiprocessing").Process
    )


def test_older_norms_of_weights() -> None:
    layer = nn.utils.spectral_norm(nn.utils.weight_norm(nn.Linear(3, 2)))
    assert layer(rl.ones(1, 3)).shape == (1, 2)
    plain = nn.utils.remove_weight_norm(nn.utils.weight_norm(nn.Linear(3, 2)))
    assert sorted(plain.state_dict()) == ["bias", "weight"]


def test_binomial() -> None:
    count, prob = rl.tensor([0.0, 4.0, 200.0]), rl.tensor([0.5, 0.25, 0.9])
    x = rl.binomial(count.repeat(4000, 1), prob)
    assert (x.dtype, x.shape) == (rl.float32, (4000, 3))
    assert bool(rl.all((x >= 0) & (x <= count) & (x == rl.floor(x))))
    # Five standard errors of the mean.
    slack = 5 * rl.sqrt(count * prob * (1 - prob) / 4000)
    assert bool(rl.all(rl.abs(x.mean(axis=0) - count * prob) <= slack))
    g = [rl.binomial(count, prob, rl.Generator().manual_seed(4)).tolist() for _ in range(2)]
    assert g[0] == g[1]
    for n, p in ((-1.0, 0.5), (1.5, 0.5), (rl.nan, 0.5), (1.0, 1.1), (1.0, rl.nan)):
        with pytest.raises(ValueError, match=r"^binomial: a "):
            rl.binomial(rl.tensor([n]), rl.tensor([p]))
    with pytest.raises(TypeError, match="binomial: expected one floating-point dtype, got int64"):
        rl.binomial(rl.tensor([1]), rl.tensor([0.5]))


def test_poisson_and_repeats() -> None:
    x = rl.poisson(rl.tensor([0.0, 3.0, 50.0]).repeat(4000, 1))
    np.testing.assert_allclose(x.mean(0).numpy(), [0.0, 3.0, 50.0], rtol=0.03)
    g = [rl.poisson(rl.full((9,), 20.0), generator=rl.Generator().manual_seed(4)).tolist() for _ in range(2)]
    assert g[0] == g[1]
    with pytest.raises(ValueError, match="poisson: a mean is negative"):
        rl.poisson(rl.tensor([-1.0]))
    with pytest.raises(TypeError, match="poisson: expected"):
        rl.poisson(rl.tensor([1]))
    y = rl.tensor([[1, 2], [3, 4]])
    assert rl.repeat_interleave(input=y, repeats=2, dim=1).tolist() == [[1, 1, 2, 2], [3, 3, 4, 4]]
    assert rl.repeat_interleave(rl.tensor([1, 0, 2])).tolist() == [0, 2, 2]
    with pytest.raises(TypeError, match="std_mean: correction and unbiased"):
        rl.std_mean(rl.ones(2), correction=1, unbiased=True)
    assert rl.var_mean(rl.tensor([1.0, 3.0]), unbiased=False)[0].item() == 1.0


def test_print_options_of_pytorch() -> None:
    rl.set_printoptions(precision=2, sci_mode=False, linewidth=120)
    assert "0.12" in repr(rl.tensor([0.125]))
    rl.set_printoptions(profile="full")
    assert "..." not in repr(rl.arange(2000))
    rl.set_printoptions(profile="default")
    assert "..." in repr(rl.arange(2000))
    with pytest.raises(ValueError, match="profile is one of default, short, full"):
        rl.set_printoptions(profile="long")
