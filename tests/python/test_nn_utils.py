"""nn.utils: gradients, vectors, packed sequences and parametrizations; nn.init's distributions."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from compare import to_np
from rushlight import nn
from rushlight.nn.utils import parametrizations, parametrize, rnn


def test_clip_grad_value() -> None:
    x, y, unused = rl.zeros(3).requires_grad_(), rl.zeros(2).requires_grad_(), rl.zeros(1).requires_grad_()
    x.grad, y.grad = rl.tensor([-3.0, 0.25, math.inf]), rl.tensor([math.nan, -0.5])
    nn.utils.clip_grad_value_([x, y, unused], 0.5, foreach=True)
    np.testing.assert_array_equal(to_np(x.grad), [-0.5, 0.25, 0.5])
    np.testing.assert_array_equal(to_np(y.grad), [math.nan, -0.5])
    with pytest.raises(TypeError, match="clip_grad_value_: a parameter is a int"):
        nn.utils.clip_grad_value_([3], 1.0)  # type: ignore[list-item]


def test_total_norm_and_clipping_with_it() -> None:
    x = rl.zeros(2).requires_grad_()
    x.grad = rl.tensor([3.0, 4.0])
    total = nn.utils.get_total_norm([x.grad], foreach=False)
    assert float(total) == 5.0
    nn.utils.clip_grads_with_norm_(x, 2.5, total)
    np.testing.assert_allclose(to_np(x.grad), [1.5, 2.0], rtol=1e-6)
    nn.utils.clip_grads_with_norm_(x, 100.0, total)
    np.testing.assert_allclose(to_np(x.grad), [1.5, 2.0], rtol=1e-6)
    with pytest.raises(RuntimeError, match="get_total_norm"):
        nn.utils.get_total_norm([rl.tensor([math.nan])], error_if_nonfinite=True)


def test_parameters_to_vector_and_back() -> None:
    net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1, bias=False))
    vector = nn.utils.parameters_to_vector(net.parameters())
    want = np.concatenate([to_np(p).ravel() for p in net.parameters()])
    np.testing.assert_array_equal(to_np(vector), want)
    vector.sum().backward()
    assert all(float(p.grad.sum()) == p.numel() for p in net.parameters())
    nn.utils.vector_to_parameters(rl.arange(12, dtype=rl.float32), net.parameters())
    np.testing.assert_array_equal(to_np(net[1].weight), [[9, 10, 11]])
    with pytest.raises(ValueError, match="12 elements"):
        nn.utils.vector_to_parameters(rl.ones(11), net.parameters())


LENGTHS = [3, 5, 2, 5]


def sequences() -> list[rl.Tensor]:
    return [rl.randn((n, 2)) for n in LENGTHS]


def test_packing_round_trip() -> None:
    given = sequences()
    packed = rnn.pack_sequence(given, enforce_sorted=False)
    assert packed.batch_sizes.tolist() == [4, 4, 3, 2, 2]
    assert packed.sorted_indices is not None
    assert packed.sorted_indices.tolist() == [1, 3, 0, 2]
    assert rnn.invert_permutation(packed.sorted_indices).tolist() == packed.unsorted_indices.tolist()
    np.testing.assert_array_equal(to_np(packed.data)[:4], [to_np(given[i])[0] for i in (1, 3, 0, 2)])
    for got, want in zip(rnn.unpack_sequence(packed), given, strict=True):
        np.testing.assert_array_equal(to_np(got), to_np(want))
    padded, lengths = rnn.pad_packed_sequence(packed, padding_value=-1.0, total_length=7)
    assert padded.shape == (7, 4, 2)
    assert lengths.tolist() == LENGTHS
    assert float(padded[5:].max()) == -1.0
    assert float(padded[2:, 2].max()) == -1.0
    with pytest.raises(ValueError, match="enforce_sorted=False"):
        rnn.pack_sequence(given)
    with pytest.raises(ValueError, match="lengths"):
        rnn.pack_padded_sequence(rl.ones((2, 2)), [3, 1])
    with pytest.raises(ValueError, match="total_length"):
        rnn.pad_packed_sequence(packed, total_length=4)


def test_gradients_pass_through_packing() -> None:
    padded = rl.randn((5, 4, 2)).requires_grad_()
    packed = rnn.pack_padded_sequence(padded, LENGTHS, enforce_sorted=False)
    out, _ = rnn.pad_packed_sequence(packed)
    (out * out).sum().backward()
    inside = np.arange(5)[:, None] < np.array(LENGTHS)
    np.testing.assert_allclose(to_np(padded.grad), 2 * to_np(padded) * inside[:, :, None], rtol=1e-6)


def test_pad_sequence_sides() -> None:
    given = [rl.tensor([1, 2, 3]), rl.tensor([4])]
    assert rnn.pad_sequence(given).tolist() == [[1, 4], [2, 0], [3, 0]]
    left = rnn.pad_sequence(given, batch_first=True, padding_value=9, padding_side="left")
    assert left.tolist() == [[1, 2, 3], [9, 9, 4]]
    assert [x.tolist() for x in rnn.unpad_sequence(rnn.pad_sequence(given), [3, 1])] == [[1, 2, 3], [4]]


class Symmetric(nn.Module):
    def forward(self, x: rl.Tensor) -> rl.Tensor:
        return (x + x.mT) / 2


class Twice(nn.Module):
    def forward(self, x: rl.Tensor) -> rl.Tensor:
        return x * 2

    def right_inverse(self, y: rl.Tensor) -> rl.Tensor:
        return y / 2


def test_parametrizations_compose_and_train() -> None:
    layer = nn.Linear(3, 3)
    weight, before = layer.weight, to_np(layer.weight)
    optimizer = rl.optim.SGD(layer.parameters(), lr=0.1)
    parametrize.register_parametrization(layer, "weight", Twice())
    np.testing.assert_array_equal(to_np(layer.weight), before)
    assert layer.parametrizations.weight.original is weight
    np.testing.assert_array_equal(to_np(weight), before / 2)
    parametrize.register_parametrization(layer, "weight", Symmetric())
    np.testing.assert_allclose(to_np(layer.weight), (before + before.T) / 2, rtol=1e-6)
    assert list(layer.state_dict()) == ["bias", "parametrizations.weight.original"]
    assert type(layer).__name__ == "ParametrizedLinear"
    assert isinstance(layer, nn.Linear)
    assert parametrize.type_before_parametrizations(layer) is nn.Linear
    assert [n for n, _ in layer.named_parameters()] == ["bias", "parametrizations.weight.original"]
    layer(rl.ones((1, 3))).sum().backward()
    assert weight.grad is not None
    optimizer.step()
    now = to_np(layer.weight)
    np.testing.assert_array_equal(now, now.T)
    assert np.abs(now - (before + before.T) / 2).max() > 0.01
    parametrize.remove_parametrizations(layer, "weight")
    assert type(layer) is nn.Linear
    assert layer.weight is weight
    np.testing.assert_array_equal(to_np(layer.weight), now)
    assert not parametrize.is_parametrized(layer)


def test_parametrization_errors() -> None:
    class Flat(nn.Module):
        def forward(self, x: rl.Tensor) -> rl.Tensor:
            return x.reshape(-1)

    layer = nn.Linear(2, 2)
    with pytest.raises(ValueError, match=r"shape \(4,\)"):
        parametrize.register_parametrization(layer, "weight", Flat())
    assert type(layer) is nn.Linear
    with pytest.raises(ValueError, match="'nothing'"):
        parametrize.register_parametrization(layer, "nothing", Flat())
    with pytest.raises(ValueError, match="no parametrizations"):
        parametrize.remove_parametrizations(layer, "weight")
    parametrize.register_parametrization(layer, "weight", Flat(), unsafe=True)
    assert layer.weight.shape == (4,)
    with pytest.raises(RuntimeError, match="state_dict"):
        pickle.dumps(layer)
    with pytest.raises(RuntimeError, match="right_inverse"):
        layer.weight = rl.ones(4)


def test_copies_of_a_parametrized_module_are_separate() -> None:
    layer = parametrizations.weight_norm(nn.Linear(3, 2))
    twin = copy.deepcopy(layer)
    with rl.no_grad():
        twin.parametrizations.weight.original0.fill_(1.0)
    rows = np.linalg.norm(to_np(twin.weight), axis=1)
    np.testing.assert_allclose(rows, 1.0, rtol=1e-6)
    assert not np.allclose(to_np(layer.weight), to_np(twin.weight))
    other = parametrizations.weight_norm(nn.Linear(3, 2))
    other.load_state_dict(layer.state_dict())
    np.testing.assert_array_equal(to_np(other.weight), to_np(layer.weight))


@pytest.mark.parametrize("dim", [0, 1, -1, None])
def test_weight_norm(dim: int | None) -> None:
    layer = nn.Conv1d(3, 4, 2)
    before = to_np(layer.weight)
    parametrizations.weight_norm(layer, dim=dim)
    np.testing.assert_allclose(to_np(layer.weight), before, rtol=1e-5)
    axes = tuple(i for i in range(3) if dim is None or i != dim % 3)
    want = np.sqrt((before**2).sum(axis=axes, keepdims=dim is not None))
    np.testing.assert_allclose(to_np(layer.parametrizations.weight.original0), want, rtol=1e-5)
    layer(rl.ones((1, 3, 5))).sum().backward()
    assert layer.parametrizations.weight.original1.grad is not None
    with parametrize.cached():
        assert layer.weight is layer.weight
    assert layer.weight is not layer.weight


@pytest.mark.parametrize("make", [lambda: nn.Linear(6, 4), lambda: nn.ConvTranspose2d(3, 4, 2)])
def test_spectral_norm(make: Any) -> None:
    layer = make()
    rows = to_np(layer.weight)
    rows = rows if rows.ndim == 2 else rows.transpose(1, 0, 2, 3).reshape(rows.shape[1], -1)
    parametrizations.spectral_norm(layer, n_power_iterations=40)
    largest = np.linalg.svd(rows, compute_uv=False)[0]
    got = to_np(layer.weight)
    got = got if got.ndim == 2 else got.transpose(1, 0, 2, 3).reshape(got.shape[1], -1)
    np.testing.assert_allclose(got, rows / largest, rtol=1e-3, atol=1e-4)
    # The vectors rest in evaluation mode, and two uses in one graph have right gradients.
    layer.eval()
    u = to_np(layer.parametrizations.weight[0]._u)
    (layer.weight.sum() + layer.weight.sum()).backward()
    np.testing.assert_array_equal(to_np(layer.parametrizations.weight[0]._u), u)
    original = layer.parametrizations.weight.original
    first = to_np(original.grad)
    original.grad = None
    (layer.train().weight.sum() * 2 + layer.weight.sum() * 0).backward()
    np.testing.assert_allclose(to_np(original.grad), first, rtol=1e-2, atol=1e-3)


def test_skip_init() -> None:
    layer = nn.utils.skip_init(nn.Linear, 3, 2, bias=False)
    assert layer.weight.shape == (2, 3)
    with pytest.raises(TypeError, match="class"):
        nn.utils.skip_init(rl.ones)  # type: ignore[type-var]


@pytest.mark.parametrize("shape", [(6, 6), (4, 9), (9, 4), (5, 2, 3)])
def test_orthogonal(shape: tuple[int, ...]) -> None:
    w = to_np(nn.init.orthogonal_(rl.empty(shape), gain=2.0)).reshape(shape[0], -1)
    square = w @ w.T if w.shape[0] <= w.shape[1] else w.T @ w
    np.testing.assert_allclose(square, 4 * np.eye(len(square)), atol=1e-5)
    # Uniform: the signs of the first element are even.
    signs = [float(nn.init.orthogonal_(rl.empty((3, 3)))[0, 0]) > 0 for _ in range(60)]
    assert 15 < sum(signs) < 45


@pytest.mark.parametrize(
    ("mean", "std", "low", "high"), [(0.0, 1.0, -2.0, 2.0), (0.5, 0.2, 0.4, 2.0), (0.0, 1.0, 1.5, 3.0)]
)
def test_truncated_normal(mean: float, std: float, low: float, high: float) -> None:
    """Compared with the distribution function by the Kolmogorov-Smirnov distance."""
    x = np.sort(to_np(nn.init.trunc_normal_(rl.empty(4000, dtype=rl.float64), mean, std, low, high)))
    assert low <= x[0]
    assert x[-1] <= high

    def below(value: float) -> float:
        return 0.5 * math.erfc((mean - value) / std / math.sqrt(2))

    want = np.array([(below(v) - below(low)) / (below(high) - below(low)) for v in x])
    assert np.abs(want - (np.arange(4000) + 0.5) / 4000).max() < 0.03


def test_structured_first_values() -> None:
    np.testing.assert_array_equal(to_np(nn.init.eye_(rl.empty((2, 3)))), np.eye(2, 3))
    w = nn.init.dirac_(rl.empty((4, 2, 3, 3)), groups=2)
    x = rl.randn((1, 2, 5, 5))
    out = to_np(nn.functional.conv2d(x, w, padding=1))
    np.testing.assert_array_equal(out, np.concatenate([to_np(x), to_np(x)], axis=1))
    w = to_np(nn.init.sparse_(rl.empty((200, 5)), 0.305, std=2.0))
    np.testing.assert_array_equal((w == 0).sum(axis=0), 61)
    assert np.std(w[w != 0]) == pytest.approx(2.0, rel=0.1)
    for call in (lambda: nn.init.eye_(rl.empty(3)), lambda: nn.init.dirac_(rl.empty((3, 3)))):
        with pytest.raises(ValueError, match="shape"):
            call()
    with pytest.raises(ValueError, match="rise"):
        nn.init.trunc_normal_(rl.empty(2), a=1.0, b=1.0)


def test_xavier_and_kaiming_distributions() -> None:
    shape, inputs, outputs = (60, 80, 3), 240, 180
    deviations = {
        nn.init.xavier_uniform_: math.sqrt(2 / (inputs + outputs)),
        nn.init.xavier_normal_: math.sqrt(2 / (inputs + outputs)),
        nn.init.kaiming_uniform_: math.sqrt(2 / inputs),
        nn.init.kaiming_normal_: math.sqrt(2 / inputs),
    }
    for call, want in deviations.items():
        got = to_np(call(rl.empty(shape)))
        assert got.std() == pytest.approx(want, rel=0.03)
        assert abs(got.mean()) < want / 20
    assert nn.init.calculate_gain("conv_transpose3d") == 1.0


@pytest.mark.parametrize(
    "draw",
    [
        nn.init.uniform_,
        nn.init.normal_,
        nn.init.xavier_uniform_,
        nn.init.xavier_normal_,
        nn.init.kaiming_uniform_,
        nn.init.kaiming_normal_,
        nn.init.trunc_normal_,
        nn.init.orthogonal_,
        lambda tensor, generator: nn.init.sparse_(tensor, 0.5, generator=generator),
    ],
)
def test_first_values_of_a_generator(draw: Any) -> None:
    found = []
    for seed in (7, 7, 8):
        rl.manual_seed(len(found))
        found.append(to_np(draw(rl.empty((6, 4)), generator=rl.Generator().manual_seed(seed))))
    np.testing.assert_array_equal(found[0], found[1])
    assert (found[0] != found[2]).any()
    # The numbers of the others stay where they are.
    rl.manual_seed(3)
    first = rl.rand((4,)).tolist()
    rl.manual_seed(3)
    draw(rl.empty((6, 4)), generator=rl.Generator())
    assert rl.rand((4,)).tolist() == first
