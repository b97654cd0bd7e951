"""Usual programs on a GPU, compared with the CPU.

Runs where there is an AMD GPU, real or virtual; with RUSHLIGHT_TEST_DEVICE=cuda on an NVIDIA GPU.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from rushlight import Tensor, nn
from rushlight import functional as F

KIND = os.environ.get("RUSHLIGHT_TEST_DEVICE", "rocm")
gpu = rl.cuda if KIND == "cuda" else rl.rocm
pytestmark = pytest.mark.skipif(
    not gpu.is_available(), reason=f"no GPU for {KIND} here; make test runs these on the virtual AMD GPU"
)
GPU = f"{KIND}:0"


def host(t: Tensor) -> Any:
    return np.asarray(t.detach().cpu())


def test_names_and_properties() -> None:
    p = gpu.get_device_properties(0)
    assert gpu.device_name(GPU) == p["name"]
    assert p["arch"].startswith("gfx" if KIND == "rocm" else "sm_")
    assert p["wave_size"] in (32, 64)
    assert p["total_memory"] > 0
    assert str(rl.zeros((2,), device="hip:0" if KIND == "rocm" else "cuda").device) == GPU
    assert gpu.device_count() >= 1
    with pytest.raises(ValueError, match=r"not an (AMD|NVIDIA) GPU"):
        gpu.device_name("cpu")
    with pytest.raises(rl.DeviceError, match=f"{KIND}:63"):
        rl.zeros((1,), device=f"{KIND}:63")


def calls(run: Callable[[], object]) -> int:
    """Return the number of kernel launches and of library products of a program."""
    before = gpu.memory_stats(GPU)
    run()
    after = gpu.memory_stats(GPU)
    return sum(after[key] - before[key] for key in ("launches", "blas_calls"))


@pytest.mark.parametrize(("kind", "each"), [("LSTM", 3), ("GRU", 4)])
def test_a_step_of_a_recurrent_layer_is_a_product_and_a_launch(kind: str, each: int) -> None:
    """The third call copies the step's result into the output of the sequence; a GRU's product has a bias.

    cuBLAS adds only to the old value of its result, so an LSTM's summand is copied before.
    """
    if KIND == "cuda" and kind == "LSTM":
        each += 1
    layer = getattr(nn, kind)(6, 5).to(GPU)
    inputs = [rl.randn((steps, 2, 6)).to(GPU) for steps in (4, 9)]
    with rl.no_grad():
        layer(inputs[0])
        few, many = (calls(lambda x=x: layer(x)) for x in inputs)
    assert many - few == 5 * each


def test_a_fused_sum_is_one_launch() -> None:
    x, bias = rl.randn((3, 4)).to(GPU), rl.randn(4).to(GPU)
    assert calls(lambda: F.bias_activation(x, bias, "gelu")) == 1
    assert calls(lambda: F.bias_dropout(x, bias, 0.5)) == 1
    assert calls(lambda: F.gemm_bias_swish(x, rl.ones((5, 4), device=GPU), rl.ones(5, device=GPU))) <= 4


def test_an_activation_and_its_gradient_are_one_launch_each() -> None:
    x = rl.randn((3, 4)).to(GPU).requires_grad_()
    ones, end = rl.ones((3, 4), device=GPU), rl.zeros((3, 4), device=GPU)
    functions: list[Callable[..., Tensor]] = [F.relu, F.relu6, F.leaky_relu, F.elu, F.celu, F.selu, F.gelu]
    functions += [F.silu, F.sigmoid, F.tanh, F.mish, F.softplus, F.hardswish, F.hardsigmoid, F.hardtanh]
    functions += [F.softshrink, F.hardshrink, F.tanhshrink, F.softsign, F.logsigmoid]
    runs: dict[str, Callable[[], rl.Tensor]] = {f.__name__: functools.partial(f, x) for f in functions}
    runs |= {
        "threshold": lambda: F.threshold(x, 0.5, 1.0),
        "gelu_tanh": lambda: F.gelu(x, "tanh"),
        "clamp": lambda: rl.clamp(x, -0.5),
        "lerp": lambda: rl.lerp(x, end, 0.25),
    }
    for name, run in runs.items():
        assert calls(run) == 1, name
        out = run()
        assert calls(functools.partial(rl.autograd.grad, out, x, ones)) == 1, name
    assert calls(lambda: rl.lerp(x, end, ones)) == 1


def test_a_fused_normalization_is_one_launch() -> None:
    x, residual, scale = (rl.randn(shape).to(GPU) for shape in ((2, 3, 4), (3, 4), 4))
    ids = rl.tensor([[2, 0], [1, 1]]).to(GPU)
    runs: dict[str, Callable[[], rl.Tensor]] = {
        "relu": lambda: F.layernorm_relu(x, 4, scale, scale),
        "gelu": lambda: F.layernorm_gelu(x, (3, 4)),
        "residual": lambda: F.residual_layernorm(x, residual, 4, scale),
        "rows": lambda: F.embedding_rms_norm(ids, residual, scale),
    }
    assert {name: calls(run) for name, run in runs.items()} == dict.fromkeys(runs, 1)
    assert calls(lambda: F.relu(F.layer_norm(x, 4, scale, scale))) == 2


def test_a_fused_look_up_reports_an_index_out_of_range() -> None:
    table = rl.ones((3, 4), device=GPU)
    with pytest.raises(IndexError, match="embedding_rms_norm"):
        F.embedding_rms_norm(rl.tensor([0, 3]).to(GPU), table).tolist()


class UNetBlock(nn.Module):
    """A level of a UNet: down, up by a factor of 2, joined with what went down."""

    def __init__(self, mode: str) -> None:
        super().__init__()
        self.mode = mode
        self.down = nn.Conv2d(4, 8, 3, padding=1)
        self.low = nn.Conv2d(8, 8, 3, padding=1)
        self.up = nn.Parameter(rl.randn((8, 8, 2, 2)) * 0.2)
        self.join = nn.Conv2d(16, 4, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        down = F.relu(self.down(x))
        low = F.relu(self.low(F.max_pool2d(down, 2)))
        if self.mode == "transposed":
            up = F.conv_transpose2d(low, self.up, stride=2)
        else:
            up = F.interpolate(low, scale_factor=2, mode=self.mode) * rl.mean(self.up)
        joined: Tensor = self.join(rl.concat([up, down], axis=1))
        return joined


class Attention(nn.Module):
    """Self-attention of two heads that look back only."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(16, 48)
        self.out = nn.Linear(16, 16)

    def forward(self, x: Tensor) -> Tensor:
        n, length, width = x.shape
        heads = rl.permute_dims(self.qkv(x).reshape((n, length, 3, 2, width // 2)), (2, 0, 3, 1, 4))
        q, k, v = heads[0], heads[1], heads[2]
        scores = rl.matmul(q, rl.matrix_transpose(k)) * (width // 2) ** -0.5
        keep = rl.tril(rl.ones((length, length), dtype=rl.bool, device=x.device))
        mixed = rl.matmul(F.softmax(rl.where(keep, scores, -1e9), -1), v)
        out: Tensor = self.out(rl.permute_dims(mixed, (0, 2, 1, 3)).reshape((n, length, width)))
        return out


class Lookup(nn.Module):
    """A module with an embedding (index_select), a gather of scores by class, and a selection of rows of the
    input."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(11, 6)

    def forward(self, x: Tensor) -> Tensor:
        def ids(*values: Any) -> Tensor:
            return rl.asarray(np.array(values)).to(x.device)

        words = self.words(ids([0, 3, 1, 10], [2, 2, 0, 3]))
        scores = rl.matmul(words, rl.matrix_transpose(x))
        picked = rl.take_along_axis(scores, ids([[4, 0, 4]] * 4, [[1, 1, 2]] * 4), axis=-1)
        return rl.sum(picked) * rl.take(x, ids(1, 1, 3), axis=0)


class Reader(nn.Module):
    """A bidirectional recurrent layer, and a linear map of its last states."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.layer = getattr(nn, kind)(6, 5, bidirectional=True)
        self.out = nn.Linear(5, 3)

    def forward(self, x: Tensor) -> Tensor:
        y, last = self.layer(x)
        h = last[0] if isinstance(last, tuple) else last
        return rl.concat([F.gelu(self.out(h)).reshape((-1,)), y.reshape((-1,))])


@pytest.mark.parametrize(
    ("build", "shape"),
    [
        (lambda: UNetBlock("nearest"), (2, 4, 8, 8)),
        (lambda: Reader("LSTM"), (4, 2, 6)),
        (lambda: Reader("GRU"), (4, 2, 6)),
        (lambda: UNetBlock("bilinear"), (2, 4, 8, 8)),
        (lambda: UNetBlock("transposed"), (1, 4, 8, 6)),
        (Attention, (2, 7, 16)),
        (Lookup, (5, 6)),
    ],
    ids=["unet-nearest", "lstm", "gru", "unet-bilinear", "unet-transposed", "attention", "embedding"],
)
def test_blocks_agree_with_the_cpu(build: Callable[[], nn.Module], shape: tuple[int, ...]) -> None:
    """Forward, and the gradients of the input and of every parameter."""
    values = np.random.default_rng(2).standard_normal(shape).astype(np.float32)
    results = []
    for device in ("cpu", GPU):
        rl.manual_seed(4)
        model = build().to(device)
        x = rl.asarray(values).to(device).detach().requires_grad_()
        before = gpu.memory_stats(GPU)
        y = model(x)
        (y * y).sum().backward()
        after = gpu.memory_stats(GPU)
        assert (after["launches"] > before["launches"]) == (device == GPU)
        assert after["downloads"] == before["downloads"]
        found = {"y": y, "x": x.grad} | {name: p.grad for name, p in model.named_parameters()}
        assert all(t is not None for t in found.values())
        results.append({name: host(t) for name, t in found.items() if t is not None})
    for name, want in results[0].items():
        assert np.abs(want).max() > 0, name
        np.testing.assert_allclose(
            results[1][name], want, rtol=2e-5, atol=2e-6 * np.abs(want).max(), err_msg=name
        )


def test_random_numbers_are_those_of_the_cpu() -> None:
    draws = []
    for device in ("cpu", GPU):
        rl.manual_seed(7)
        parts = [rl.rand((33,), device=device), rl.randn((1001,), device=device)]
        draws.append([host(p) for p in parts])
    for got, want in zip(draws[1], draws[0], strict=True):
        np.testing.assert_array_equal(got, want)


def test_an_index_out_of_range_is_the_cpus_error() -> None:
    calls: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
        "take": rl.take,
        "index_select": lambda x, i: rl.index_select(x, 0, i),
        "gather": lambda x, i: rl.gather(x, 0, i),
        "take_along_axis": rl.take_along_axis,
        "scatter": lambda x, i: rl.scatter(x, 0, i, 1),
        "scatter_add": lambda x, i: rl.scatter_add(x, 0, i, 1),
        "index_add": lambda x, i: rl.index_add(x, 0, i, x[:2]),
        "embedding": lambda x, i: F.embedding(i, x.reshape((5, 1))),
        "one_hot": lambda x, i: F.one_hot(i, 5),
    }
    for device in ("cpu", GPU):
        # Negative indices are reported as they were given; in an embedding they are errors.
        x, i = rl.arange(5, device=device), rl.asarray(np.array([-5, -6])).to(device)
        with pytest.raises(IndexError, match=r"^take invalid index -6 with dim size 5$"):
            host(rl.take(x, i))
        with pytest.raises(IndexError, match=r"^embedding invalid index -5 with dim size 5$"):
            host(F.embedding(i, rl.reshape(x, (5, 1))))
    for name, call in calls.items():
        for device in ("cpu", GPU):
            x, i = rl.arange(5, device=device), rl.asarray(np.array([1, 9])).to(device)
            # A GPU reports the error when the result is read.
            with pytest.raises(IndexError, match=f"^{name} invalid index 9 with dim size 5$"):
                host(call(x, i))
    # The device still works afterwards.
    assert host(rl.ones((3,), device=GPU)).tolist() == [1, 1, 1]


def put_and_read(y: Tensor, ids: Any) -> None:
    y[ids] = -1.0
    host(y)


def test_indexing_by_tensors_is_the_cpus() -> None:
    """Values, assignments and errors are the CPU's; indices on the device are not copied to the host."""
    x = rl.reshape(rl.arange(20, dtype="float32"), (4, 5))
    keys: list[list[Any]] = [
        [[0, -1, 2]],
        [[[3], [0]]],
        [slice(None), [4, -5]],
        [[0, -1], [-2, 3]],
        [[], [1]],
    ]
    for key in keys:
        for dtype in (rl.int64, rl.int32, rl.int8):
            on: dict[str, Any] = {}
            for device in ("cpu", GPU):
                moved = tuple(
                    k if isinstance(k, slice) else rl.asarray(k, dtype=dtype).to(device) for k in key
                )
                y = rl.asarray(x, copy=True).to(device)
                before = gpu.memory_stats(GPU)
                got = y[moved]
                y[moved] = -1.0
                after = gpu.memory_stats(GPU)
                assert after["downloads"] == before["downloads"], key
                on[device] = [host(got).tolist(), host(y).tolist()]
            assert on["cpu"] == on[GPU], key
    for bad in ([9], [-5], [[1, -7]]):
        for on_host in (True, False):
            for device in ("cpu", GPU):
                y = rl.asarray(x, copy=True).to(device)
                ids = bad if on_host else rl.asarray(bad).to(device)
                worst = min(np.ravel(bad)) if min(np.ravel(bad)) < 0 else 9
                text = f"^index {worst} is out of range for a dimension of size 4$"
                with pytest.raises(IndexError, match=text):
                    host(y[ids])
                with pytest.raises(IndexError, match=text):
                    host(y[ids, ids])
                with pytest.raises(IndexError, match=text):
                    put_and_read(y, ids)
                # No element was written.
                assert -1.0 not in host(y)[0]


def test_an_embedding_trains_without_a_transfer() -> None:
    table, head = nn.Embedding(11, 6, padding_idx=2).to(GPU), nn.Linear(6, 3).to(GPU)
    optimizer = rl.optim.Adam([*table.parameters(), *head.parameters()], lr=0.01)
    ids, places = rl.asarray([[0, 3, 2], [9, 0, 10]]).to(GPU), rl.asarray([1, -1]).to(GPU)
    target = rl.asarray([2, 0]).to(GPU)
    losses = []
    for _ in range(4):
        before = gpu.memory_stats(GPU)
        optimizer.zero_grad()
        loss = F.cross_entropy(head(table(ids)[:, places].sum(axis=1)), target)
        loss.backward()
        optimizer.step()
        after = gpu.memory_stats(GPU)
        assert (after["uploads"], after["downloads"]) == (before["uploads"], before["downloads"])
        losses.append(float(loss))
        assert gpu.memory_stats(GPU)["downloads"] == after["downloads"] + 1, "the loss is read"
    assert losses[-1] < losses[0]


def test_dlpack_shares_memory() -> None:
    x = rl.arange(12, dtype=rl.float32, device=GPU).reshape((3, 4))
    assert x.__dlpack_device__() == ({"rocm": 10, "cuda": 2}[KIND], 0)
    y = rl.from_dlpack(x[1:])
    assert str(y.device) == GPU
    y += 100
    assert host(x).tolist() == [[0, 1, 2, 3], [104, 105, 106, 107], [108, 109, 110, 111]]
    np.testing.assert_array_equal(np.from_dlpack(x, device="cpu", copy=True), host(x))
    live = gpu.memory_stats(GPU)["live"]
    del x, y
    assert gpu.memory_stats(GPU)["live"] < live


def test_memory_is_counted_and_out_of_memory_says_how_much() -> None:
    before = gpu.memory_stats(GPU)["live"]
    x = rl.zeros((1000, 1000), device=GPU)
    assert gpu.memory_stats(GPU)["live"] >= before + 4_000_000
    del x
    assert gpu.memory_stats(GPU)["live"] == before
    with pytest.raises(MemoryError, match=f"bytes requested on {GPU}"):
        rl.empty((1 << 45,), device=GPU)
    gpu.empty_cache(GPU)
    gpu.synchronize(GPU)


def test_fourier_transforms_count_the_calls_of_the_library() -> None:
    signal = np.cos(np.arange(60)).astype(np.float32).reshape(3, 20)
    calls = gpu.memory_stats(GPU)["fft_calls"]
    got = rl.fft.irfft(rl.fft.rfft(rl.asarray(signal).to(GPU)), 20)
    assert gpu.memory_stats(GPU)["fft_calls"] == calls + 2
    np.testing.assert_allclose(np.asarray(got.cpu()), signal, atol=1e-6)


def test_deterministic_algorithms_are_ours_with_the_cpus_bits() -> None:
    x = rl.astype(rl.arange(400 * 24), "float32").reshape((400, 24)) * 0.1
    index = (rl.arange(500) * 7) % 400
    source = rl.sin(rl.astype(rl.arange(500 * 24), "float32")).reshape((500, 24))
    weight = x[:24, :]
    want = F.embedding(index, x)
    assert not rl.are_deterministic_algorithms_enabled()
    calls = gpu.memory_stats(GPU)["blas_calls"]
    x.to(GPU) @ weight.to(GPU)
    assert gpu.memory_stats(GPU)["blas_calls"] == calls + 1
    rl.use_deterministic_algorithms(True)
    try:
        x.to(GPU) @ weight.to(GPU)
        assert gpu.memory_stats(GPU)["blas_calls"] == calls + 1
        assert F.embedding(index.to(GPU), x.to(GPU)).tolist() == want.tolist()
        got = gradient(x.to(GPU), index.to(GPU), source.to(GPU))
        assert got.tolist() == gradient(x, index, source).tolist()
    finally:
        rl.use_deterministic_algorithms(False)
    free = np.asarray(gradient(x.to(GPU), index.to(GPU), source.to(GPU)).tolist())
    np.testing.assert_allclose(free, gradient(x, index, source).tolist(), rtol=1e-5, atol=1e-5)


def gradient(table: Tensor, index: Tensor, weights: Tensor) -> Tensor:
    leaf = table.detach().requires_grad_()
    (F.embedding(index, leaf) * weights).sum().backward()
    assert leaf.grad is not None
    return leaf.grad
