"""Orthogonal weights, fused batch normalization, shared parametrizations, and losses in parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg

import rushlight as rl
from compare import to_np
from rushlight import functional as F
from rushlight import nn
from rushlight.nn.utils import parametrizations, parametrize


def linear(rows: int, columns: int) -> nn.Linear:
    return nn.Linear(columns, rows, bias=False, dtype=rl.float64)


def skew_of(weight: Any) -> Any:
    rows, columns = weight.shape
    square = np.zeros((rows, rows))
    square[:, :columns] = np.tril(weight)
    return square - square.T


@pytest.mark.parametrize("size", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("shape", [(1, 1), (5, 5), (6, 2), (33, 33)])
def test_maps_of_skew_matrices(shape: tuple[int, int], size: float) -> None:
    """By SciPy's exponential and solver."""
    rng = np.random.default_rng(1)
    weight = size * rng.normal(size=shape) / np.sqrt(shape[0])
    one = np.eye(shape[0])
    skew = skew_of(weight)
    want = {
        "matrix_exp": scipy.linalg.expm(skew),
        "cayley": scipy.linalg.solve(one - skew / 2, one + skew / 2),
    }
    for kind, full in want.items():
        layer = linear(*shape)
        parametrizations.orthogonal(layer, orthogonal_map=kind, use_trivialization=False)  # type: ignore[arg-type]
        layer.parametrizations.weight.original.data = rl.asarray(weight)
        np.testing.assert_allclose(to_np(layer.weight), full[:, : shape[1]], atol=1e-12, err_msg=kind)


@pytest.mark.parametrize("shape", [(5, 5), (17, 6), (4, 9)])
def test_reflections_one_after_the_other(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(2)
    weight = rng.normal(size=shape)
    tall = weight if shape[0] >= shape[1] else weight.T
    np.fill_diagonal(tall, [1, -1, -1, 1, 1, -1])
    layer = linear(*shape)
    parametrizations.orthogonal(layer, orthogonal_map="householder", use_trivialization=False)
    layer.parametrizations.weight.original.data = rl.asarray(weight)
    product = np.eye(tall.shape[0])
    for i in range(tall.shape[1]):
        v = np.concatenate([np.zeros(i), [1.0], tall[i + 1 :, i]])
        product = product @ (np.eye(len(v)) - 2 * np.outer(v, v) / (v @ v))
    want = product[:, : tall.shape[1]] * np.diag(tall)
    np.testing.assert_allclose(to_np(layer.weight), want if tall is weight else want.T, atol=1e-13)


@pytest.mark.parametrize("kind", ["matrix_exp", "cayley", "householder"])
def test_gradients_of_orthogonal_maps(kind: Any) -> None:
    """First and second derivatives by finite differences."""
    layer = linear(4, 3)
    parametrizations.orthogonal(layer, orthogonal_map=kind)
    start = rl.randn((4, 3), dtype=rl.float64)
    start[rl.arange(3), rl.arange(3)] = rl.tensor([1.0, -1.0, 1.0], dtype=rl.float64)

    def value(original: rl.Tensor) -> rl.Tensor:
        return layer.parametrizations.weight[0](original)

    below = rl.tril(rl.ones((4, 3), dtype=rl.float64), diagonal=-1 if kind == "householder" else 0)

    def masked(moved: rl.Tensor) -> rl.Tensor:
        return value(start + moved * below)

    moved = rl.zeros((4, 3), dtype=rl.float64, requires_grad=True)
    assert rl.autograd.gradcheck(masked, (moved,))
    assert rl.autograd.gradgradcheck(masked, (moved,))


def test_an_orthogonal_layer_trains_and_is_assigned_to() -> None:
    for kind in ("matrix_exp", "cayley", "householder"):
        layer = nn.Linear(6, 4, bias=False)
        parametrizations.orthogonal(layer, orthogonal_map=kind)  # type: ignore[arg-type]
        optimizer = rl.optim.SGD(layer.parameters(), lr=0.5)
        before = to_np(layer.weight)
        for _ in range(3):
            optimizer.zero_grad()
            (layer.weight * rl.arange(24, dtype=rl.float32).reshape(4, 6)).sum().backward()
            optimizer.step()
        after = to_np(layer.weight)
        assert np.abs(after - before).max() > 0.1
        np.testing.assert_allclose(after @ after.T, np.eye(4), atol=1e-5)
        layer.weight = rl.eye(4, 6)
        np.testing.assert_allclose(to_np(layer.weight), np.eye(4, 6), atol=1e-6)
    layer = parametrizations.orthogonal(nn.Linear(3, 3), use_trivialization=False)
    with pytest.raises(NotImplementedError, match="use_trivialization"):
        layer.weight = rl.eye(3)
    with pytest.raises(ValueError, match="orthogonal_map is one of"):
        parametrizations.orthogonal(nn.Linear(3, 3), orthogonal_map="qr")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="rank 2"):
        parametrizations.orthogonal(nn.Linear(3, 3), "bias")
    with pytest.raises(ValueError, match="no parameter or buffer 'w'"):
        parametrizations.orthogonal(nn.Linear(3, 3), "w")


def test_transferred_parametrizations_are_shared() -> None:
    first = parametrizations.weight_norm(nn.Linear(2, 3))
    parametrizations.spectral_norm(first, "bias")
    second = nn.Linear(2, 3)
    assert parametrize.transfer_parametrizations_and_params(first, second) is second
    assert list(second.state_dict()) == list(first.state_dict())
    for ours, theirs in zip(second.parameters(), first.parameters(), strict=True):
        assert ours is theirs
    np.testing.assert_array_equal(to_np(second.weight), to_np(first.weight))
    empty = parametrize.transfer_parametrizations_and_params(first, nn.Module(), "weight")
    assert [key.rpartition(".")[2] for key in empty.state_dict()] == ["original0", "original1"]
    plain = nn.Linear(2, 3)
    assert parametrize.transfer_parametrizations_and_params(nn.Linear(2, 3), plain) is plain
    assert not parametrize.is_parametrized(plain)
    with pytest.raises(ValueError, match="'missing' has no parametrizations"):
        parametrize.transfer_parametrizations_and_params(first, plain, "missing")


def test_fusing_needs_evaluation_and_statistics() -> None:
    conv, norm = nn.Conv1d(2, 3, 1), nn.BatchNorm1d(3)
    with pytest.raises(ValueError, match="training mode"):
        nn.utils.fuse_conv_bn_eval(conv, norm)
    with pytest.raises(ValueError, match="training mode"):
        nn.utils.fuse_linear_bn_eval(nn.Linear(2, 3).eval(), norm)
    with pytest.raises(ValueError, match="running statistics"):
        nn.utils.fuse_conv_bn_eval(conv.eval(), nn.BatchNorm1d(3, track_running_stats=False).eval())
    with pytest.raises(ValueError, match="4 outputs"):
        nn.utils.fuse_linear_bn_eval(nn.Linear(2, 4).eval(), norm.eval())


@pytest.mark.parametrize("settings", [{}, {"batch_chunk_size": 3}, {"chunking_method": "aspect_ratio"}])
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("shares", [False, True])
def test_losses_in_parts_are_the_whole_loss(settings: Any, reduction: Any, shares: bool) -> None:
    rng = np.random.default_rng(3)
    data = [rng.normal(size=shape) for shape in ((10, 4), (7, 2, 4), (7, 2))]
    target = rl.asarray(rng.dirichlet(np.ones(7), size=(10, 2)).swapaxes(1, 2).copy())
    more: dict[str, Any] = {"weight": rl.asarray(rng.random(7)), "label_smoothing": 0.1}
    if not shares:
        target = rl.asarray(rng.integers(0, 7, size=(10, 2)))
        more["ignore_index"] = 2
    found = []
    for options in (None, nn.LinearCrossEntropyOptions(**settings)):
        x, w, b = (rl.asarray(value).requires_grad_() for value in data)
        loss = F.linear_cross_entropy(
            x, w, target, linear_bias=b, reduction=reduction, options=options, **more
        )
        (loss * rl.linspace(1, 2, loss.numel(), dtype=rl.float64).reshape(loss.shape)).sum().backward()
        found.append([to_np(t) for t in (loss, x.grad, w.grad, b.grad)])
    for got, want in zip(found[1], found[0], strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-14)


def test_parts_hold_few_logits() -> None:
    """The most logits that exist at a time, by the sizes that the loss is called with."""
    options = nn.LinearCrossEntropyOptions()
    assert options._rows(4096, 64, 32768) * 32768 <= 4096 * 64
    assert nn.LinearCrossEntropyOptions(chunking_method=None)._rows(4096, 64, 32768) == 4096
    assert options._sums(rl.float16) == rl.float32
    assert nn.LinearCrossEntropyOptions(acc_policy="compact")._sums(rl.bfloat16) == rl.bfloat16
    assert nn.LinearCrossEntropyOptions(acc_dtype=rl.float64)._sums(rl.bfloat16) == rl.float64
    for bad in (
        {"batch_chunk_size": 0},
        {"chunking_method": "rows"},
        {"chunking_method": "aspect_ratio:0"},
        {"acc_policy": "most"},
        {"acc_dtype": rl.int32},
    ):
        with pytest.raises(ValueError, match=next(iter(bad))):
            nn.LinearCrossEntropyOptions(**bad)  # type: ignore[arg-type]


def test_errors_of_linear_cross_entropy() -> None:
    x, w, t = rl.ones((2, 3)), rl.ones((5, 3)), rl.tensor([0, 1])
    for call, message in (
        (lambda: F.linear_cross_entropy(x, rl.ones((5, 4)), t), "shapes"),
        (lambda: F.linear_cross_entropy(x[0], rl.ones((5, 2, 3)), t), "needs a batch"),
        (lambda: F.linear_cross_entropy(x, w, t, linear_bias=rl.ones(4)), "linear_bias"),
        (lambda: F.linear_cross_entropy(x, w, rl.ones((2, 5)), ignore_index=1), "probabilities"),
        (lambda: F.linear_cross_entropy(x, w, t, reduction="all"), "reduction"),  # type: ignore[arg-type]
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_adaptive_softmax_of_all_classes() -> None:
    layer = nn.AdaptiveLogSoftmaxWithLoss(6, 12, [2, 5], head_bias=True)
    x = rl.randn((40, 6)) * 4
    whole = layer.log_prob(x)
    np.testing.assert_allclose(to_np(whole.exp().sum(dim=1)), np.ones(40), rtol=1e-5)
    target = rl.arange(40) % 12
    output, loss = layer(x, target)
    np.testing.assert_allclose(to_np(output), to_np(whole)[np.arange(40), to_np(target)], rtol=1e-5)
    assert float(loss) == pytest.approx(-to_np(output).mean(), rel=1e-6)
    single = layer(x[3], target[3])
    np.testing.assert_allclose(float(single.output), to_np(output)[3], rtol=1e-5)
    best = to_np(layer.predict(x))
    head = to_np(layer.head(x)).argmax(axis=1)
    np.testing.assert_array_equal(best, np.where(head < 2, head, to_np(whole).argmax(axis=1)))
    assert len(set(best.tolist())) > 3
    for cutoffs in ([], [0, 3], [3, 3], [5, 2], [12], [2.5]):
        with pytest.raises(ValueError, match="cutoffs"):
            nn.AdaptiveLogSoftmaxWithLoss(6, 12, cutoffs)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="targets from 3 to 12"):
        layer(x[:2], rl.tensor([3, 12]))
    with pytest.raises(ValueError, match="shapes"):
        layer(x[:2], rl.tensor([3]))


@pytest.mark.parametrize("rank", [2, 3])
def test_fractional_pooling_draws_windows(rank: int) -> None:
    call = F.fractional_max_pool2d if rank == 2 else F.fractional_max_pool3d
    lengths = (9, 11, 8)[:rank]
    x = rl.randn((4, 3, *lengths))
    rl.manual_seed(5)
    out, at = call(x, 2, output_ratio=0.5, return_indices=True)
    assert out.shape == (4, 3, *(n // 2 for n in lengths))
    flat, index = to_np(x).reshape(4, 3, -1), to_np(at).reshape(4, 3, -1)
    np.testing.assert_array_equal(np.take_along_axis(flat, index, 2), to_np(out).reshape(4, 3, -1))
    # Rising along the first axis: the last windows end with it, and channels have different windows.
    rising = rl.ones((8, 8, *lengths)).cumsum(2)
    steps = to_np(call(rising, 2, output_size=4)).reshape(64, 4, -1)[:, :, 0]
    assert set(steps[:, -1]) == {lengths[0]}
    assert len(np.unique(steps, axis=0)) > 1
    rl.manual_seed(5)
    layer = (nn.FractionalMaxPool2d if rank == 2 else nn.FractionalMaxPool3d)(2, output_ratio=0.5)
    np.testing.assert_array_equal(to_np(layer(x)), to_np(out))
    assert layer(x[0]).shape == out.shape[1:]
    with pytest.raises(ValueError, match="give output_size or output_ratio"):
        call(x, 2)
    with pytest.raises(ValueError, match="9 windows of 2 do not fit the length 9"):
        call(x, 2, output_size=9)
    with pytest.raises(ValueError, match="give one of output_size"):
        type(layer)(2, 2, 0.5)
    with pytest.raises(ValueError, match="between 0 and 1"):
        type(layer)(2, output_ratio=1.5)
