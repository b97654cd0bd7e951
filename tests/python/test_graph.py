"""Graphs and meshes, compared with dense products in NumPy and with the formulas of the papers."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import rushlight as rl


def normal(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=shape)


EDGES = np.array([[0, 1, 1, 2, 3, 3, 0], [1, 0, 2, 2, 2, 0, 2]])


def adjacency(weights: Any, nodes: int) -> Any:
    """The matrix whose row i has the weights of the edges that lead to i."""
    out = np.zeros((nodes, nodes))
    np.add.at(out, (EDGES[1], EDGES[0]), weights)
    return out


@pytest.mark.parametrize("reduce", ["sum", "mean", "max", "min", "mul"])
def test_scatter_reduces_groups(reduce: str) -> None:
    src, index = normal(7, 3), np.array([2, 0, 2, 4, 0, 2, 4])
    want = np.full((6, 3), 1.0 if reduce == "mul" else 0.0)
    function = {"sum": np.sum, "mean": np.mean, "max": np.max, "min": np.min, "mul": np.prod}[reduce]
    for group in set(index):
        want[group] = function(src[index == group], axis=0)
    got = rl.graph.scatter(rl.asarray(src), rl.asarray(index), dim_size=6, reduce=reduce)
    np.testing.assert_allclose(np.asarray(got), want)
    got = rl.graph.scatter(rl.asarray(src.T.copy()), rl.asarray(index), -1, reduce=reduce)
    np.testing.assert_allclose(np.asarray(got), want[:5].T)


def test_segments() -> None:
    data, ids = rl.tensor([[1.0, -1.0], [3.0, 5.0], [2.0, 0.0]]), rl.tensor([2, 0, 2])
    assert rl.graph.segment_sum(data, ids).tolist() == [[3.0, 5.0], [0.0, 0.0], [3.0, -1.0]]
    assert rl.graph.segment_mean(data, ids).tolist() == [[3.0, 5.0], [0.0, 0.0], [1.5, -0.5]]
    assert rl.graph.segment_max(data, ids, 4).tolist() == [[3.0, 5.0], [0.0, 0.0], [2.0, 0.0], [0.0, 0.0]]
    assert rl.graph.segment_min(data, ids).tolist() == [[3.0, 5.0], [0.0, 0.0], [1.0, -1.0]]
    assert rl.graph.segment_sum(rl.zeros((0, 2)), rl.zeros(0, dtype=rl.int64), 2).tolist() == [[0.0, 0.0]] * 2


@pytest.mark.parametrize("name", ["segment_sum", "segment_mean", "segment_max", "segment_min"])
def test_gradients_of_segments(name: str) -> None:
    x = rl.asarray(normal(6, 2)).requires_grad_()
    ids = rl.tensor([3, 1, 3, 0, 1, 3])
    assert rl.autograd.gradcheck(lambda x: getattr(rl.graph, name)(x, ids, 5), (x,))


def test_edge_softmax_is_a_softmax_over_the_edges_of_a_node() -> None:
    scores = 50 * normal(7, 2)
    got = np.asarray(rl.graph.edge_softmax(rl.asarray(scores), rl.asarray(EDGES[1]), 4))
    for node in set(EDGES[1]):
        rows = EDGES[1] == node
        e = np.exp(scores[rows] - scores[rows].max(0))
        np.testing.assert_allclose(got[rows], e / e.sum(0))
    x = rl.asarray(normal(7, 2)).requires_grad_()
    assert rl.autograd.gradcheck(lambda x: rl.graph.edge_softmax(x, rl.asarray(EDGES[1])), (x,))


def test_messages_are_a_product_with_the_adjacency_matrix() -> None:
    x = normal(4, 3)
    layer = rl.graph.MessagePassing()
    got = layer.propagate(rl.asarray(EDGES), x=rl.asarray(x))
    np.testing.assert_allclose(np.asarray(got), adjacency(1.0, 4) @ x)
    back = rl.graph.MessagePassing(flow="target_to_source").propagate(rl.asarray(EDGES), x=rl.asarray(x))
    np.testing.assert_allclose(np.asarray(back), adjacency(1.0, 4).T @ x)

    class Weighted(rl.graph.MessagePassing):
        def message(self, x_i: rl.Tensor, x_j: rl.Tensor, weight: rl.Tensor) -> rl.Tensor:  # type: ignore[override]
            return weight * (x_j - x_i)

        def update(self, inputs: rl.Tensor, x: rl.Tensor) -> rl.Tensor:  # type: ignore[override]
            return x + inputs

    weights = normal(7, 1, seed=1)
    got = Weighted().propagate(rl.asarray(EDGES), x=rl.asarray(x), weight=rl.asarray(weights))
    a = adjacency(weights[:, 0], 4)
    np.testing.assert_allclose(np.asarray(got), x + a @ x - a.sum(1, keepdims=True) * x)


def test_gcn_is_the_normalized_adjacency_matrix() -> None:
    layer = rl.graph.GCNConv(3, 5, dtype=rl.float64)
    x = normal(4, 3)
    a = adjacency(1.0, 4)
    np.fill_diagonal(a, 1.0)
    scale = np.diag(a.sum(1) ** -0.5)
    want = scale @ a @ scale @ x @ np.asarray(layer.lin.weight.detach()).T
    np.testing.assert_allclose(np.asarray(layer(rl.asarray(x), rl.asarray(EDGES)).detach()), want, rtol=1e-12)


@pytest.mark.parametrize("concat", [True, False])
def test_gat_is_attention_over_neighbours(concat: bool) -> None:
    layer = rl.graph.GATConv(3, 5, heads=2, concat=concat, dtype=rl.float64)
    x = normal(4, 3)
    h = (x @ np.asarray(layer.lin.weight.detach()).T).reshape(4, 2, 5)
    source = (h * np.asarray(layer.att_src.detach())).sum(-1)
    target = (h * np.asarray(layer.att_dst.detach())).sum(-1)
    linked = adjacency(1.0, 4) > 0
    np.fill_diagonal(linked, True)
    want = np.zeros((4, 2, 5))
    for head in range(2):
        score = source[None, :, head] + target[:, None, head]
        score = np.where(linked, np.where(score > 0, score, 0.2 * score), -np.inf)
        weights = np.exp(score - score.max(1, keepdims=True))
        want[:, head] = weights / weights.sum(1, keepdims=True) @ h[:, head]
    want = want.reshape(4, 10) if concat else want.mean(1)
    edges = np.concatenate([np.unique(EDGES, axis=1)], axis=1)
    np.testing.assert_allclose(np.asarray(layer(rl.asarray(x), rl.asarray(edges)).detach()), want, rtol=1e-12)


def test_diffusion_solves_the_heat_equation() -> None:
    """The matrix exponential of the Laplacian, if all eigenvectors are given."""
    n, channels = 6, 3
    stiffness = np.diag(np.full(n, 2.0)) - np.diag(np.ones(n - 1), 1) - np.diag(np.ones(n - 1), -1)
    mass = np.random.default_rng(2).uniform(0.5, 2.0, n)
    root = np.diag(mass**-0.5)
    evals, vectors = np.linalg.eigh(root @ stiffness @ root)
    evecs, x = root @ vectors, normal(n, channels)
    time = np.array([0.0, 0.3, 2.0])
    got = rl.graph.diffusion_conv(*(rl.asarray(a) for a in (x, mass, evals, evecs, time)))
    from scipy.linalg import expm

    for k in range(channels):
        heat = expm(-time[k] * np.diag(1 / mass) @ stiffness)
        np.testing.assert_allclose(np.asarray(got)[:, k], heat @ x[:, k], rtol=1e-9, atol=1e-12)
    layer = rl.graph.DiffusionConv(3, 2, dtype=rl.float64)
    assert layer(*(rl.asarray(a) for a in (x, mass, evals, evecs))).shape == (6, 2)
    inputs = [rl.asarray(a).requires_grad_() for a in (x, mass, evals, evecs, time)]
    assert rl.autograd.gradcheck(rl.graph.diffusion_conv, inputs)


def test_mesh_conv_does_not_depend_on_the_order_of_the_triangles() -> None:
    x, around = normal(6, 2), np.random.default_rng(5).integers(0, 6, (6, 4))
    weight, bias = normal(3, 2, 5, seed=7), normal(3, seed=8)
    want = np.zeros((6, 3))
    for e in range(6):
        a, b, c, d = x[around[e]]
        want[e] = np.einsum("ock,kc->o", weight, [x[e], a + c, b + d, abs(a - c), abs(b - d)]) + bias
    args = [rl.asarray(a) for a in (x, around, weight, bias)]
    np.testing.assert_allclose(np.asarray(rl.graph.mesh_conv(*args)), want)
    args[1] = rl.asarray(around[:, [2, 3, 0, 1]])
    np.testing.assert_allclose(np.asarray(rl.graph.mesh_conv(*args)), want)
    assert rl.graph.MeshConv(2, 3)(rl.asarray(x).float(), rl.asarray(around)).shape == (6, 3)


def test_spiral_conv_multiplies_the_spiral() -> None:
    x, spirals = normal(2, 6, 3), np.random.default_rng(5).integers(0, 6, (6, 4))
    weight, bias = normal(5, 12, seed=7), normal(5, seed=8)
    want = x[:, spirals].reshape(2, 6, 12) @ weight.T + bias
    got = rl.graph.spiral_conv(*(rl.asarray(a) for a in (x, spirals, weight, bias)))
    np.testing.assert_allclose(np.asarray(got), want)
    layer = rl.graph.SpiralConv(3, 5, rl.asarray(spirals))
    layer(rl.asarray(x).float()).sum().backward()
    assert layer.layer.weight.grad is not None


def test_a_graph_network_learns() -> None:
    """Two layers tell which of two cliques a node belongs to, from one labelled node of each."""
    rl.manual_seed(0)
    left = [(i, j) for i in range(5) for j in range(5) if i != j]
    right = [(i + 5, j + 5) for i, j in left]
    edges = rl.tensor([*left, *right, (4, 5), (5, 4)]).mT.contiguous()
    x, labels = rl.eye(10), rl.tensor([0] * 5 + [1] * 5)
    first, second = rl.graph.GATConv(10, 4, heads=2), rl.graph.GCNConv(8, 2)
    optimizer = rl.optim.Adam([*first.parameters(), *second.parameters()], lr=0.05)
    for _ in range(40):
        optimizer.zero_grad()
        out = second(first(x, edges).relu(), edges)
        rl.functional.cross_entropy(out[rl.tensor([0, 9])], labels[rl.tensor([0, 9])]).backward()
        optimizer.step()
    assert (out.argmax(1) == labels).all()


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x, i: rl.graph.scatter(x, i, reduce="amax"), ValueError, "reduce must be one of sum"),
        (lambda x, i: rl.graph.scatter(x, i[:1]), ValueError, "neither a vector"),
        (lambda x, i: rl.graph.scatter(x, i, 1), IndexError, "axis 1"),
        (lambda x, i: rl.graph.segment_max(x, i, 1), IndexError, "1"),
        (lambda x, i: rl.graph.segment_sum(x, i[:1]), ValueError, "segment_sum: expected one index"),
        (lambda x, i: rl.graph.MessagePassing(flow="up"), ValueError, "flow must be"),
        (lambda x, i: rl.graph.MessagePassing().propagate(i, x=x), ValueError, r"shape \(2, edges\)"),
        (lambda x, i: rl.graph.MessagePassing().propagate(rl.stack([i, i]), y=x), TypeError, "needs x_j"),
        (lambda x, i: rl.graph.diffusion_conv(x, x, x, x, x), ValueError, "do not fit"),
        (lambda x, i: rl.graph.mesh_conv(x, i, x), ValueError, "do not fit"),
        (lambda x, i: rl.graph.spiral_conv(x, i, x), ValueError, "do not fit"),
        (lambda x, i: rl.graph.MessagePassing("median"), ValueError, "aggr must be one of sum"),
        (lambda x, i: rl.graph.segment_sum(x, [0, 1]), TypeError, "segment_sum: segment_ids is a Tensor"),
        (lambda x, i: rl.graph.segment_sum(x, x), TypeError, "segment_sum: segment_ids holds integers"),
        (lambda x, i: rl.graph.segment_min(x, np.array([0, 1])), TypeError, "segment_ids .* ndarray"),
        (lambda x, i: rl.graph.edge_softmax(x, [0, 1]), TypeError, "edge_softmax: index is a Tensor"),
        (lambda x, i: rl.graph.scatter(x, [0, 1]), TypeError, "scatter: index is a Tensor"),
        (
            lambda x, i: rl.graph.GCNConv(1, 1)(x.unsqueeze(1), rl.zeros((5, 2), dtype=rl.int64)),
            ValueError,
            r"GCNConv: edge_index must have shape \(2, edges\), not \(5, 2\)",
        ),
        (lambda x, i: rl.graph.GATConv(1, 1)(x.unsqueeze(1), i), ValueError, "GATConv: edge_index"),
    ],
)
def test_misuse(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call(rl.zeros(2), rl.tensor([0, 1]))


@pytest.mark.parametrize("dtype", [rl.int64, rl.int32])
@pytest.mark.parametrize("wrong", [-1, 5])
@pytest.mark.parametrize("size", [2, None])
def test_an_index_out_of_range_is_an_error(wrong: int, size: int | None, dtype: rl.DType) -> None:
    """Also a negative one, which indexing counts from the end."""
    x, at = rl.ones((2, 1)), rl.tensor([wrong, 0], dtype=dtype)
    calls: list[tuple[str, Any]] = [
        ("mesh_conv", lambda: rl.graph.mesh_conv(x, at.reshape(2, 1).expand(2, 4) * 2, rl.ones((1, 1, 5)))),
        ("spiral_conv", lambda: rl.graph.spiral_conv(x, at.reshape(2, 1), rl.ones((1, 1)))),
        ("MessagePassing", lambda: rl.graph.MessagePassing().propagate(rl.stack([at, at]), x=x)),
        ("MessagePassing", lambda: rl.graph.MessagePassing().propagate(rl.stack([at * 0, at]), x=x)),
    ]
    for loops in (False, True):
        for edges in (rl.stack([at, at * 0]), rl.stack([at * 0, at])):
            gcn = rl.graph.GCNConv(1, 1, add_self_loops=loops)
            gat = rl.graph.GATConv(1, 1, add_self_loops=loops)
            calls += [("GCNConv", partial(gcn, x, edges)), ("GATConv", partial(gat, x, edges))]
    if wrong < 0 or size is not None:
        for name in ("segment_sum", "segment_mean", "segment_max", "segment_min", "edge_softmax", "scatter"):
            last = {"dim_size": size} if name == "scatter" else {}
            rest = () if name == "scatter" else (size,)
            calls.append((name, partial(getattr(rl.graph, name), x, at, *rest, **last)))
    for name, call in calls:
        with pytest.raises(IndexError, match=rf"^{name}: index -?\d+ is out of range for size \d$"):
            call()


def test_a_missing_neighbour_has_no_features() -> None:
    x, weight = normal(3, 2), normal(4, 2, 5, seed=2)
    around = np.array([[1, 2, -1, -1], [0, -1, 2, 0], [1, -1, -1, -1]])
    rows = np.vstack([x, np.zeros((1, 2))])[around]
    a, b, c, d = (rows[:, k] for k in range(4))
    want = np.einsum("mcf,ocf->mo", np.stack([x, a + c, b + d, abs(a - c), abs(b - d)], -1), weight)
    for dtype in (rl.int64, rl.int32):
        got = rl.graph.mesh_conv(rl.asarray(x), rl.asarray(around).to(dtype), rl.asarray(weight))
        np.testing.assert_allclose(np.asarray(got), want)
    given = rl.asarray(x).requires_grad_()
    assert rl.autograd.gradcheck(
        lambda x: rl.graph.mesh_conv(x, rl.asarray(around), rl.asarray(weight)), (given,)
    )


# --- approximate selections, and decoding ---


@pytest.mark.parametrize("size", [100, 5000, 20011])
@pytest.mark.parametrize("dim", [0, 1])
def test_approx_max_k_finds_most_of_the_largest(size: int, dim: int) -> None:
    k = 50
    x = np.random.default_rng(size).permutation(np.arange(float(size * 4))).reshape(4, size)
    x = x.T.copy() if dim == 0 else x
    for function, sign in ((rl.approx_max_k, 1.0), (rl.approx_min_k, -1.0)):
        values, indices = (np.asarray(a) for a in function(rl.asarray(x), k, dim))
        np.testing.assert_array_equal(values, np.take_along_axis(x, indices, dim))
        lines, found = (sign * (a.T if dim == 0 else a) for a in (x, values))
        recall = [len(set(np.sort(line)[-k:]) & set(got)) / k for line, got in zip(lines, found, strict=True)]
        assert np.mean(recall) >= 0.9, recall
        assert (np.diff(found, axis=1) < 0).all()
        exact = function(rl.asarray(x), k, dim, recall_target=1.0)
        np.testing.assert_array_equal(
            np.asarray(exact.values), np.asarray(rl.topk(rl.asarray(x), k, dim, sign > 0).values)
        )


def test_recall_of_approx_max_k_on_the_whole_is_the_target() -> None:
    x = np.random.default_rng(1).normal(size=(200, 6000))
    got = np.asarray(rl.approx_max_k(rl.asarray(x), 100).indices)
    want = np.argsort(-x, axis=1)[:, :100]
    share = np.mean([len(set(a) & set(b)) / 100 for a, b in zip(got, want, strict=True)])
    # Five standard errors below the target, which is a lower bound of the expected share.
    assert share >= 0.94


@pytest.mark.parametrize("q", [0.0, 0.01, 0.5, 0.77, 1.0])
def test_approx_quantile_is_near_the_quantile(q: float) -> None:
    r = np.random.default_rng(2)
    for x in (r.normal(size=30011), r.exponential(size=4001) * 1e6, np.repeat([1.0, 2.0, 7.0], 500)):
        got = rl.approx_quantile(rl.asarray(x), q, bins=512).item()
        low, high = np.quantile(x, q, method="lower"), np.quantile(x, q, method="higher")
        slack = (x.max() - x.min()) / 512**2
        assert low - slack <= got <= high + slack
    assert rl.approx_quantile(rl.asarray(x), [q, 1.0]).shape == (2,)
    assert rl.approx_quantile(rl.ones(5), 0.3).item() == 1.0


def test_viterbi_decode_finds_the_best_of_all_paths() -> None:
    import itertools

    potentials, transitions = normal(3, 5, 4), normal(4, 4, seed=1)
    lengths = [5, 3, 1]
    score, path = rl.functional.viterbi_decode(
        rl.asarray(potentials), rl.asarray(transitions), rl.tensor(lengths)
    )
    for b, n in enumerate(lengths):
        scored = {
            s: potentials[b, range(n), s].sum() + sum(transitions[i, j] for i, j in itertools.pairwise(s))
            for s in itertools.product(range(4), repeat=n)
        }
        best = max(scored, key=lambda s: scored[s])
        np.testing.assert_allclose(score[b].item(), scored[best])
        assert path[b].tolist() == [*best, *[0] * (5 - n)]
    whole, _ = rl.functional.viterbi_decode(rl.asarray(potentials), rl.asarray(transitions))
    np.testing.assert_allclose(whole[0].item(), score[0].item())
    x = rl.asarray(potentials).requires_grad_()
    rl.functional.viterbi_decode(x, rl.asarray(transitions))[0].sum().backward()
    assert x.grad is not None
    # Each step of the best path has the gradient 1.
    assert x.grad.sum(2).tolist() == [[1.0] * 5] * 3


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: rl.approx_max_k(rl.zeros(3), 4), "k is 4"),
        (lambda: rl.approx_max_k(rl.zeros(3), 1, recall_target=1.5), "recall_target"),
        (lambda: rl.approx_quantile(rl.zeros(3), 1.5), "between 0 and 1"),
        (lambda: rl.approx_quantile(rl.tensor([1.0, rl.nan]), 0.5), "not finite"),
        (lambda: rl.functional.viterbi_decode(rl.zeros((1, 2, 3)), rl.zeros((2, 2))), "do not fit"),
        (
            lambda: rl.functional.viterbi_decode(rl.zeros((1, 2, 3)), rl.zeros((3, 3)), rl.tensor([3])),
            "lengths",
        ),
    ],
)
def test_misuse_of_selections(call: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        call()
