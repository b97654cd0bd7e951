"""Names of torch and torch.Tensor: what calls.py does not compare with PyTorch's results."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from rushlight import functional as F

V = rl.tensor([1.0, 2.0, 3.0])
M = rl.ones((2, 3))
C3 = rl.ones((2, 2, 3))
I = rl.tensor([0, 2])  # noqa: E741
MASK = rl.tensor([True, False, True])

BAD: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: rl.masked_select(V, V), TypeError, r"^masked_select: the mask must be bool"),
    (lambda: rl.masked_fill(V, V, 1), TypeError, r"^masked_fill: the mask must be bool"),
    (lambda: rl.masked_fill(V, MASK, V), ValueError, r"^masked_fill: .*scalar.*\(3,\)"),
    (lambda: V.masked_scatter(MASK, I), TypeError, r"^masked_scatter: .*float32.*int64"),
    (lambda: V.masked_scatter(MASK, rl.ones(1)), ValueError, r"^masked_scatter: source has 1 .* chooses 2"),
    (lambda: V.index_copy(0, I, rl.ones(3)), ValueError, r"^index_copy: .*\(2,\).*\(3,\)"),
    (lambda: V.index_copy(0, I, I), TypeError, r"^index_copy: .*float32.*int64"),
    (lambda: V.index_copy(1, I, V), IndexError, r"^index_copy: axis 1"),
    (lambda: V.index_put((rl.tensor([3]),), 1.0, accumulate=True), IndexError, r"^index_put: .*size 3"),
    (lambda: V.index_put((I, I), 1.0, accumulate=True), ValueError, r"^index_put: 2 indices .*rank 1"),
    (lambda: V.put(I, rl.ones(3)), ValueError, r"^put: 2 indices for 3"),
    (lambda: V.put(I, I), TypeError, r"^put: .*float32.*int64"),
    (lambda: M.diagonal_scatter(V), ValueError, r"^diagonal_scatter: .*\(3,\).*\(2,\)"),
    (lambda: M.diagonal_scatter(V, 0, 1, -1), ValueError, r"^diagonal_scatter: .*both axis 1"),
    (lambda: rl.bucketize(V, M), ValueError, r"^bucketize: .*\(2, 3\)"),
    (lambda: M.select_scatter(V, 0, 2), IndexError, r"^select_scatter: index 2"),
    (lambda: M.select_scatter(V, 1, 0), ValueError, r"^select_scatter: .*\(3,\).*\(2,\)"),
    (lambda: M.slice_scatter(V), ValueError, r"^slice_scatter: .*\(3,\).*\(2, 3\)"),
    (lambda: M.slice_scatter(M, step=0), ValueError, r"^slice_scatter: step is 0"),
    (lambda: rl.select(V, 0, 3), IndexError, r"^select: index 3 .*size 3"),
    (lambda: rl.tensor(1.0).tensor_split(1), IndexError, r"^tensor_split: axis 0"),
    (lambda: V.tensor_split(0), ValueError, r"^tensor_split: cannot cut into 0"),
    (lambda: V.hsplit(2), ValueError, r"^hsplit: .*size 3 .*2 equal.*tensor_split"),
    (lambda: rl.tensor(1.0).hsplit(1), ValueError, r"^hsplit: a scalar"),
    (lambda: V.vsplit(1), ValueError, r"^vsplit: .*\(3,\)"),
    (lambda: M.dsplit(1), ValueError, r"^dsplit: .*\(2, 3\)"),
    (lambda: rl.unravel_index(V, (3,)), TypeError, r"^unravel_index: .*float32"),
    (lambda: rl.unravel_index(I, (-1,)), ValueError, r"^unravel_index: .*negative"),
    (lambda: V.heaviside(I), TypeError, r"^heaviside: .*float32.*int64"),
    (lambda: V.is_nonzero(), ValueError, r"^is_nonzero: .*\(3,\)"),
    (lambda: rl.addr(M, M, V), ValueError, r"^addr: .*\(2, 3\)"),
    (lambda: V.vdot(M), ValueError, r"^vdot: .*\(3,\).*\(2, 3\)"),
    (lambda: V.adjoint(), ValueError, r"^adjoint: .*\(3,\)"),
    (lambda: rl.block_diag(C3), ValueError, r"^block_diag: .*\(2, 2, 3\)"),
    (lambda: rl.cartesian_prod(M), ValueError, r"^cartesian_prod: .*\(2, 3\)"),
    (lambda: rl.cartesian_prod(), ValueError, r"^cartesian_prod: expected vectors"),
    (lambda: rl.combinations(M), ValueError, r"^combinations: .*\(2, 3\)"),
    (lambda: rl.combinations(V, -1), ValueError, r"^combinations: r is -1"),
    (lambda: rl.tensor(1.0).msort(), IndexError, r"^msort: "),
    (lambda: V.renorm(2, 0, 1.0), ValueError, r"^renorm: .*\(3,\)"),
    (lambda: M.renorm(0, 0, 1.0), ValueError, r"^renorm: p is 0"),
    (lambda: rl.vander(M), ValueError, r"^vander: .*\(2, 3\)"),
    (lambda: rl.vander(V, -1), ValueError, r"^vander: N is -1"),
    (lambda: rl.vander(V, 2**62), ValueError, r"^vander: shape \(3, 4611686018427387904\) has more"),
    (lambda: rl.linalg.vander(V, 2**62), ValueError, r"^vander: shape \(3, 4611686018427387904\)"),
    (lambda: rl.mvlgamma(V, 2**62), ValueError, r"^mvlgamma: shape \(3, 4611686018427387904\)"),
    (lambda: rl.isposinf(V + 1j), TypeError, r"^isposinf: complex numbers .* complex64"),
    (lambda: (V + 1j).isneginf(), TypeError, r"^isneginf: complex numbers .* complex64"),
    (lambda: rl.trapezoid(V, V, dx=1.0), ValueError, r"^trapezoid: x and dx"),
    (lambda: rl.trapezoid(V, rl.ones(2)), ValueError, r"^trapezoid: .*\(2,\).*\(3,\)"),
    (lambda: rl.gradient(V, edge_order=3), ValueError, r"^gradient: edge_order is 1 or 2"),
    (lambda: rl.gradient(rl.ones(2), edge_order=2), ValueError, r"^gradient: axis 0 has 2 points"),
    (lambda: rl.gradient(V, spacing=(rl.ones(2),)), ValueError, r"^gradient: axis 0 .*\(2,\)"),
    (lambda: rl.gradient(M, spacing=(1.0,)), ValueError, r"^gradient: 1 spacings for 2 axes"),
    (lambda: M.sum_to_size(2), ValueError, r"^sum_to_size: \(2,\) .*\(2, 3\)"),
    (lambda: V.fill_diagonal_(1), ValueError, r"^fill_diagonal_: .*\(3,\)"),
    (lambda: C3.fill_diagonal_(1), ValueError, r"^fill_diagonal_: .*\(2, 2, 3\)"),
    (lambda: rl.empty(1).cauchy_(0, 0), ValueError, r"^cauchy_: sigma is 0"),
    (lambda: I.cauchy_(), TypeError, r"^cauchy_: .*int64"),
    (lambda: rl.empty(1).geometric_(1.0), ValueError, r"^geometric_: p is 1\.0"),
    (lambda: rl.empty(1).log_normal_(0, -1), ValueError, r"^log_normal_: std is -1"),
    (lambda: V.bernoulli(1.5), ValueError, r"^bernoulli_: p is 1\.5"),
]


@pytest.mark.parametrize(("call", "error", "text"), BAD, ids=[c[2] for c in BAD])
def test_a_wrong_argument_has_a_message(call: Callable[[], Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert re.search(text, str(caught.value)), str(caught.value)


CHANGES: list[Callable[[rl.Tensor], rl.Tensor]] = [
    lambda x: x.unsqueeze_(0),
    lambda x: x.squeeze_(),
    lambda x: x.t_(),
    lambda x: x.transpose_(0, 1),
]


@pytest.mark.parametrize("change", CHANGES, ids=["unsqueeze_", "squeeze_", "t_", "transpose_"])
def test_a_shape_changes_in_place(change: Callable[[rl.Tensor], rl.Tensor]) -> None:
    x = rl.arange(3.0).reshape(1, 3)
    view = x[0]
    assert change(x) is x
    assert x.shape != (1, 3)
    # The memory stays the same.
    x.mul_(2)
    assert view.tolist() == [0.0, 2.0, 4.0]
    for y in (rl.ones((1, 3), requires_grad=True), rl.ones((1, 3), requires_grad=True) * 2):
        with pytest.raises(RuntimeError, match=r"_: .*requires a gradient.*write x = x\.[a-z]+\("):
            change(y)
        assert y.shape == (1, 3)


def test_conjugate_transposes_of_other_ranks_are_absent() -> None:
    for shape in ((), (3,)):
        assert not hasattr(rl.ones(shape), "H")
        assert not hasattr(rl.ones(shape), "mH")
    assert not hasattr(rl.ones((2, 3, 4)), "H")
    x = rl.arange(6).reshape(2, 3)
    assert x.H.tolist() == x.mH.tolist() == x.t().tolist()


def test_sinc_keeps_its_digits_near_zeros() -> None:
    # From mpmath: sin(pi x) / (pi x) for float32 numbers x.
    x = rl.tensor([29.75, 1.9999999, 1000.25, -3.5, 16777216.0])
    want = [-0.00756568332905, -5.96046483294e-8, 0.000225022823333, -0.0909456817668, 0.0]
    np.testing.assert_allclose(rl.sinc(x).numpy(), np.float32(want), rtol=3e-7)


def test_sinc_loses_no_digits_near_0() -> None:
    """The derivative of sin(y) / y, with y = pi x, is the series -y/3 + y^3/30 - .. times pi."""
    points = [0.0, 1e-30, 1e-9, 1e-4, 0.003, 0.05, -0.02]
    x = rl.tensor(points, dtype=rl.float64, requires_grad=True)
    rl.sinc(x).sum().backward()
    assert x.grad is not None
    y = np.pi * np.array(points)
    want = sum((-1) ** k * 2 * k * y ** (2 * k - 1) / math.factorial(2 * k + 1) for k in range(1, 9)) * np.pi
    np.testing.assert_allclose(x.grad.numpy(), want, rtol=3e-15)
    np.testing.assert_allclose(rl.sinc(x).detach().numpy(), np.sinc(points), rtol=3e-16)


def test_combinations_are_those_of_itertools() -> None:
    x = rl.arange(4)
    for r in (1, 2, 3, 4, 5):
        want = list(itertools.combinations(range(4), r))
        assert [tuple(row) for row in rl.combinations(x, r).tolist()] == want
        assert rl.combinations(x, r).shape == (len(want), r)


def test_scatters_and_splits_are_views_or_copies() -> None:
    x = rl.zeros(4)
    a, b = x.tensor_split(2)
    a.fill_(1)
    assert x.tolist() == [1.0, 1.0, 0.0, 0.0]
    b = rl.select_scatter(x, rl.tensor(5.0), 0, 0)
    assert (x[0].item(), b[0].item()) == (1.0, 5.0)


def test_empty_selections() -> None:
    none = rl.tensor([False, False, False])
    assert V.masked_scatter(none, rl.zeros(0)).tolist() == V.tolist()
    assert rl.zeros(0).index_put((rl.zeros(0, dtype=rl.int64),), 1.0, accumulate=True).shape == (0,)
    assert rl.block_diag().shape == (1, 0)
    assert rl.zeros((0, 3)).diagonal_scatter(rl.zeros(0)).shape == (0, 3)
    assert rl.cat([rl.zeros(0), rl.zeros((0, 2))]).shape == (0, 2)


def test_draws_have_their_distributions() -> None:
    """Bounds are 5 standard errors of the share of draws below a quantile."""
    count = 20_000
    g = rl.Generator().manual_seed(7)
    bound = 5 * 0.5 / math.sqrt(count)

    def share(x: rl.Tensor, limit: float) -> float:
        return float((x <= limit).to(rl.float64).mean())

    x = rl.empty(count, dtype=rl.float64).cauchy_(2.0, 3.0, generator=g)
    for limit, want in ((-1.0, 0.25), (2.0, 0.5), (5.0, 0.75)):
        assert abs(share(x, limit) - want) < bound
    x = rl.empty(count, dtype=rl.float64).log_normal_(0.5, 2.0, generator=g)
    for limit, want in ((math.exp(0.5), 0.5), (math.exp(2.5), 0.8413447), (math.exp(-1.5), 0.1586553)):
        assert abs(share(x, limit) - want) < bound
    for draws in (rl.empty(count), rl.zeros(count, dtype=rl.int64)):
        draws.geometric_(0.3, generator=g)
        assert float(draws.min()) == 1
        for limit in (1, 2, 5):
            assert abs(share(draws, limit) - (1 - 0.7**limit)) < bound
    p = rl.tensor([0.25], dtype=rl.float64).broadcast_to((count,))
    assert abs(float(p.bernoulli(generator=g).mean()) - 0.25) < bound
    assert abs(float(rl.empty(count).bernoulli(0.75, generator=g).mean()) - 0.75) < bound


def test_heads_share_keys_without_a_batch() -> None:
    """The heads are the third axis from the end, as in PyTorch, with a mask of each head and gradients."""
    rng = np.random.default_rng(3)
    q, k, v, mask = (
        rl.tensor(rng.normal(size=s), dtype=rl.float64, requires_grad=True)
        for s in ((4, 5, 8), (2, 6, 8), (2, 6, 3), (4, 5, 6))
    )
    shared = F.scaled_dot_product_attention(q, k, v, mask, enable_gqa=True)
    repeated = F.scaled_dot_product_attention(q, k.repeat_interleave(2, 0), v.repeat_interleave(2, 0), mask)
    np.testing.assert_array_equal(shared.detach().numpy(), repeated.detach().numpy())
    weights = rl.tensor(rng.normal(size=(4, 5, 3)))
    found = rl.autograd.grad((shared * weights).sum(), (q, k, v, mask))
    want = rl.autograd.grad((repeated * weights).sum(), (q, k, v, mask))
    for a, b in zip(found, want, strict=True):
        assert a is not None
        assert b is not None
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-12, atol=1e-14)
    with pytest.raises(ValueError, match="attention"):
        F.scaled_dot_product_attention(q, k[:, :, :4], v, enable_gqa=True)
    with pytest.raises(ValueError, match="attention"):
        F.scaled_dot_product_attention(q[:3], k, v, enable_gqa=True)


def test_functions_of_networks_at_the_top_level() -> None:
    for name in ("cosine_similarity", "pairwise_distance", "pixel_shuffle", "prelu", "hardshrink", "selu_"):
        assert getattr(rl, name) is getattr(F, name)


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_half_floats_are_rounded_once(name: str) -> None:
    """Results are those of NumPy in float64, rounded; a few are neighbours, where float32 is halfway."""
    rng = np.random.default_rng(5)
    x, y = (rl.tensor(rng.normal(size=500) * 3, dtype=name) for _ in range(2))
    a, b = x.to(rl.float64).numpy(), y.to(rl.float64).numpy()
    for got, exact in (
        (rl.sinc(x), np.sinc(a)),
        (rl.exp2(x), np.exp2(a)),
        (rl.logaddexp2(x, y), np.logaddexp2(a, b)),
    ):
        assert got.dtype == name
        want = rl.tensor(exact).to(name).to(rl.float32).numpy()
        # sinc of whole numbers is 0 up to the rounding of pi.
        large = np.abs(exact) > 1e-6
        value = got.to(rl.float32).numpy()
        assert (value != want)[large].sum() <= 2
        np.testing.assert_allclose(value, want, rtol=2.0**-7, atol=1e-6)
