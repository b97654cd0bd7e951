"""Sparse tensors: compared with SciPy and dense tensors, with gradients."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import rushlight as rl

RNG = np.random.default_rng(5)
DENSE = np.where(RNG.random((6, 5)) < 0.4, RNG.normal(size=(6, 5)), 0.0)
DENSE[2] = 0
LAYOUTS = ["coo", "csr"]


def made(dense: np.ndarray, layout: str) -> rl.sparse.SparseTensor:
    x = rl.asarray(dense.copy())
    return x.to_sparse() if layout == "coo" else x.to_sparse_csr()


def same(got: rl.Tensor | rl.sparse.SparseTensor, want: np.ndarray) -> None:
    got = got.to_dense() if isinstance(got, rl.sparse.SparseTensor) else got
    np.testing.assert_allclose(np.asarray(got.detach()), want, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_products_agree_with_scipy(layout: str) -> None:
    x, want = made(DENSE, layout), sp.csr_array(DENSE)
    b, left = RNG.normal(size=(5, 70)), RNG.normal(size=(3, 6))
    same(x @ rl.asarray(b), want @ b)
    same(x @ rl.asarray(b[:, 0].copy()), want @ b[:, 0])
    same(x @ rl.asarray(b.T.copy()).T, want @ b)
    same(rl.asarray(left) @ x, left @ want)
    same(rl.asarray(left[0].copy()) @ x, left[0] @ want)
    same(rl.sparse.mm(x, made(DENSE.T, "coo")), (want @ want.T).toarray())
    product = x @ made(DENSE.T, "csr")
    assert type(product) is type(x)
    same(product, (want @ want.T).toarray())
    same(
        rl.sparse.addmm(rl.ones((6, 70), dtype=rl.float64), x, rl.asarray(b), beta=0.5, alpha=2.0),
        0.5 + 2 * (want @ b),
    )
    mats = RNG.normal(size=(6, 3)), RNG.normal(size=(3, 5))
    got = rl.sparse.sampled_addmm(x, *(rl.asarray(m) for m in mats), beta=0.5, alpha=2.0)
    assert type(got) is type(x)
    same(got, np.where(DENSE != 0, 0.5 * DENSE + 2 * (mats[0] @ mats[1]), 0))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_products_of_complex_matrices(layout: str, dtype: type) -> None:
    mask = DENSE != 0
    z = (DENSE + 1j * np.where(mask, RNG.normal(size=(6, 5)), 0)).astype(dtype)
    b = (RNG.normal(size=(5, 4)) + 1j * RNG.normal(size=(5, 4))).astype(dtype)
    tolerance = 1e-5 if dtype is np.complex64 else 1e-12
    for left, right in ((z, b), (z, b.real.copy()), (z.real.copy(), b)):
        got = made(left, layout) @ rl.asarray(right)
        assert got.dtype == rl.asarray(b).dtype
        np.testing.assert_allclose(np.asarray(got), left @ right, rtol=tolerance, atol=tolerance)
    got = rl.asarray(b.T.copy()) @ made(z.T.copy(), layout)
    np.testing.assert_allclose(np.asarray(got), b.T @ z.T, rtol=tolerance, atol=tolerance)
    sampled = rl.sparse.sampled_addmm(made(z, layout), rl.asarray(z @ b), rl.asarray(b.T.copy()))
    want = np.where(mask, z + z @ b @ b.T, 0)
    np.testing.assert_allclose(np.asarray(sampled.to_dense()), want, rtol=tolerance, atol=50 * tolerance)


def test_gradients_of_complex_products() -> None:
    x = rl.asarray(np.where(DENSE != 0, DENSE + 2j, 0)).to_sparse()
    values, b = (
        x.values().detach().requires_grad_(),
        rl.asarray(RNG.normal(size=(5, 2)) + 1j).requires_grad_(),
    )

    def product(values: rl.Tensor, b: rl.Tensor) -> rl.Tensor:
        y = rl.sparse_coo_tensor(x.indices(), values, x.shape) @ b
        return rl.real(y) ** 2 + rl.imag(y)

    product(values, b).sum().backward()
    dense, other = x.to_dense().detach().requires_grad_(), b.detach().requires_grad_()
    y = dense @ other
    (rl.real(y) ** 2 + rl.imag(y)).sum().backward()
    assert b.grad is not None
    assert values.grad is not None
    np.testing.assert_allclose(np.asarray(b.grad), np.asarray(other.grad), rtol=1e-12)
    at = x.indices().tolist()
    np.testing.assert_allclose(np.asarray(values.grad), np.asarray(dense.grad)[at[0], at[1]], rtol=1e-12)


def test_bool_matrices() -> None:
    mask = DENSE != 0
    for x in (rl.sparse.from_scipy(sp.csr_array(mask)), rl.sparse.from_scipy(sp.coo_array(mask))):
        assert x.dtype == rl.bool
        assert x.to_dense().tolist() == mask.tolist()
    twice = rl.sparse_coo_tensor([[0, 0, 1], [1, 1, 0]], [True] * 3, (2, 2))
    assert twice.coalesce().values().tolist() == [True, True]
    assert twice.to_dense().tolist() == [[False, True], [True, False]]
    many = rl.sparse_coo_tensor([[0] * 256], [True] * 256, (1,))
    assert many.to_dense().tolist() == [True]
    assert twice.sum(0).to_dense().tolist() == [1, 2]
    assert (twice @ rl.tensor([[True], [False]])).tolist() == [[False], [True]]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_functions_of_dense_matrices_take_sparse_ones(layout: str) -> None:
    x, b = made(DENSE, layout), rl.asarray(RNG.normal(size=(5, 2)))
    for function in (rl.mm, rl.matmul, rl.linalg.matmul):
        same(function(x, b), DENSE @ np.asarray(b))
        same(function(b.T, x.t()), np.asarray(b).T @ DENSE.T)
        both = function(x, x.t())
        assert isinstance(both, rl.sparse.SparseTensor)
        same(both, DENSE @ DENSE.T)
        with pytest.raises(TypeError, match=rf"^{function.__name__}\b.*: expected a Tensor.* got list"):
            function(x, [1.0])
    same(b.T.matmul(x.t()), np.asarray(b).T @ DENSE.T)
    same(abs(x), abs(DENSE))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_numpy_does_not_take_a_sparse_tensor(layout: str) -> None:
    x = made(DENSE, layout)
    for call in (lambda: np.asarray(x), lambda: np.array(x), lambda: rl.asarray(x)):
        with pytest.raises(TypeError, match=r"use to_dense\(\) first"):
            call()
    for call in (lambda: np.ones((2, 6)) @ x, lambda: x @ np.ones((5, 2))):
        with pytest.raises(TypeError, match=r"unsupported operand|does not support"):
            call()
    with pytest.raises(TypeError, match=r"^from_scipy: .* SciPy, got ndarray"):
        rl.sparse.from_scipy(np.ones(3))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_arithmetic_agrees_with_dense_arrays(layout: str) -> None:
    other = np.where(RNG.random((6, 5)) < 0.4, RNG.normal(size=(6, 5)), 0.0)
    x, y = made(DENSE, layout), made(other, layout)
    dense = RNG.normal(size=(6, 5))
    same(x + y, DENSE + other)
    same(x - y, DENSE - other)
    same(x * y, DENSE * other)
    same(x + rl.asarray(dense), DENSE + dense)
    same(rl.asarray(dense) - x, dense - DENSE)
    same(x * rl.asarray(dense[0].copy()), DENSE * dense[0])
    same(rl.asarray(dense) * x, DENSE * dense)
    same(2 * x / 4, DENSE / 2)
    same(-x.abs(), -abs(DENSE))
    same(x.t() if layout == "csr" else x.T, DENSE.T)
    assert x.sum().item() == pytest.approx(DENSE.sum())
    same(x.sum(0), DENSE.sum(0))
    same(rl.sparse.sum(x, -1), DENSE.sum(1))
    assert x.shape == (6, 5)
    assert x.nnz == np.count_nonzero(DENSE)
    assert x.numel() == 30
    assert len(x) == 6


def test_positions_that_repeat_are_added() -> None:
    at, v = RNG.integers(0, [[4], [3]], size=(2, 20)), RNG.normal(size=20)
    x = rl.sparse_coo_tensor(at, v, (4, 3))
    want = sp.coo_array((v, tuple(at)), (4, 3)).toarray()
    b = RNG.normal(size=(3, 2))
    assert not x.is_coalesced()
    for y in (x, x.coalesce(), x.to_sparse_csr(), x.coalesce().to_sparse_csr().to_sparse_coo()):
        same(y, want)
        same(y @ rl.asarray(b), want @ b)
        same(y.t(), want.T)
    assert x.coalesce().is_coalesced()
    assert x.coalesce().nnz == np.count_nonzero(want)
    crow = x.to_sparse_csr().crow_indices()
    assert crow.tolist() == sp.csr_array(want).indptr.tolist()


def test_hybrid_tensors_have_dense_dimensions() -> None:
    at, v = np.array([[0, 2, 0], [1, 0, 1]]), RNG.normal(size=(3, 2))
    x = rl.sparse_coo_tensor(at, v)
    want = np.zeros((3, 2, 2))
    np.add.at(want, tuple(at), v)
    assert (x.shape, x.sparse_dim, x.dense_dim, x.nnz) == ((3, 2, 2), 2, 1, 3)
    same(x, want)
    same(x.coalesce(), want)
    same(x.sum(2), want.sum(2))
    same(x.sum((0, 2)), want.sum((0, 2)))
    same(x.sum((0, 1)), want.sum((0, 1)))
    same(x + x, 2 * want)
    same(x * rl.asarray(want + 1), want * (want + 1))
    same(rl.asarray(want).to_sparse(1), want)
    same(rl.asarray(want).to_sparse(2), want)


def test_scipy_interchange() -> None:
    for form in (sp.csr_array, sp.csc_array, sp.coo_array):
        x = form(DENSE)
        back = rl.sparse.to_scipy(rl.sparse.from_scipy(x))
        np.testing.assert_array_equal(back.toarray(), DENSE)
        assert back.format == ("csr" if x.format == "csr" else "coo")
    assert rl.sparse.from_scipy(sp.csr_matrix(DENSE.astype(np.float32))).dtype == rl.float32


@pytest.mark.parametrize("dtype", [rl.float16, rl.bfloat16, rl.float32, rl.float64, rl.int32])
def test_dtypes(dtype: rl.DType) -> None:
    x = rl.asarray(np.round(4 * DENSE)).to(dtype).to_sparse_csr()
    b = rl.asarray(np.round(3 * RNG.normal(size=(5, 40)))).to(dtype)
    got = x @ b
    assert got.dtype == dtype
    want = np.round(4 * DENSE) @ np.asarray(b.to(rl.float64))
    np.testing.assert_allclose(
        np.asarray(got.to(rl.float64)), want, rtol=1e-2 if dtype == rl.bfloat16 else 1e-3
    )


@pytest.mark.parametrize("dim", [0, 1])
def test_softmax_of_stored_elements(dim: int) -> None:
    x = made(DENSE, "csr")
    filled = np.where(DENSE != 0, DENSE, -np.inf)
    with np.errstate(invalid="ignore"):
        powers = np.exp(filled - filled.max(dim, keepdims=True))
        want = np.where(DENSE != 0, powers / powers.sum(dim, keepdims=True), 0)
    same(rl.sparse.softmax(x, dim), want)
    stored = want[DENSE != 0]
    got = rl.sparse.log_softmax(x, dim)
    same(got.values(), np.log(stored))
    assert rl.sparse.softmax(x, dim, dtype=rl.float32).dtype == rl.float32


def test_gradients_are_those_of_finite_differences() -> None:
    at = rl.asarray(np.array([[3, 0, 3, 1], [1, 2, 0, 1]]))
    v = rl.asarray(RNG.normal(size=4)).requires_grad_()
    b = rl.asarray(RNG.normal(size=(3, 2))).requires_grad_()
    c = rl.asarray(RNG.normal(size=(4, 2))).requires_grad_()

    def coo(v: rl.Tensor) -> rl.sparse.COOTensor:
        return rl.sparse_coo_tensor(at, v, (4, 3))

    for f in (
        lambda v, b, c: coo(v) @ b,
        lambda v, b, c: coo(v).to_sparse_csr() @ b,
        lambda v, b, c: c.T @ coo(v),
        lambda v, b, c: (coo(v) @ coo(v).t()).to_dense(),
        lambda v, b, c: (coo(v) * coo(v) + coo(v)).to_dense(),
        lambda v, b, c: rl.sparse.sampled_addmm(coo(v), c, b.T).values(),
        lambda v, b, c: rl.sparse.softmax(coo(v), 1).values(),
        lambda v, b, c: rl.sparse.log_softmax(coo(v), 0).values(),
        lambda v, b, c: coo(v).sum(0).to_dense(),
    ):
        assert rl.autograd.gradcheck(f, (v, b, c))
    assert rl.autograd.gradgradcheck(lambda v, b: coo(v) @ b, (v, b))


def test_a_sparse_leaf_has_a_sparse_gradient() -> None:
    x = rl.sparse_csr_tensor([0, 1, 3], [1, 0, 1], [5.0, 7.0, 2.0], requires_grad=True)
    assert x.requires_grad
    assert x.grad is None
    (x @ rl.tensor([[1.0], [10.0]])).sum().backward()
    assert isinstance(x.grad, rl.sparse.CSRTensor)
    assert x.grad.to_dense().tolist() == [[0.0, 10.0], [1.0, 10.0]]
    assert not x.detach().requires_grad
    x.grad.values().fill_(0.5)
    assert "requires_grad=True" in repr(x)
    assert "crow_indices=[0, 1, 3]" in repr(x)


def test_a_row_without_elements_ignores_infinities() -> None:
    x = rl.sparse_csr_tensor([0, 0, 1], [1], [2.0], (2, 2))
    assert (x @ rl.tensor([[float("inf")], [1.0]])).tolist() == [[0.0], [2.0]]


def test_empty_tensors() -> None:
    for shape in ((0, 3), (3, 0), (3, 4)):
        x = rl.zeros(shape).to_sparse_csr()
        assert (x @ rl.ones((shape[1], 2))).tolist() == [[0.0, 0.0]] * shape[0]
        assert x.to_dense().shape == x.to_sparse_coo().coalesce().shape == shape
        assert (x @ x.t()).to_dense().shape == (shape[0], shape[0])
    assert rl.tensor(3.0).to_sparse().to_dense().item() == 3.0


@pytest.mark.parametrize(
    ("f", "error", "text"),
    [
        (lambda: rl.sparse_coo_tensor([[0, 5]], [1.0, 2.0], (3,)), IndexError, "index 5 is out of range"),
        (lambda: rl.sparse_coo_tensor([[0, -1]], [1.0, 2.0], (3,)), IndexError, "negative"),
        (lambda: rl.sparse_coo_tensor([[0, 1]], [1.0], (3,)), ValueError, "need 2 values"),
        (lambda: rl.sparse_coo_tensor([[0.5]], [1.0], (3,)), TypeError, "are integers"),
        (lambda: rl.sparse_coo_tensor([[0]], [1.0], (3, 2)), ValueError, "does not fit"),
        (lambda: rl.sparse_csr_tensor([0, 2, 1], [0], [1.0]), ValueError, "ascend"),
        (lambda: rl.sparse_csr_tensor([0, 1], [4], [1.0], (1, 2)), IndexError, "column 4"),
        (lambda: rl.sparse_csr_tensor([0, 1], [0], [1.0], (2, 2)), ValueError, "does not fit"),
        (lambda: made(DENSE, "csr") @ rl.ones((4, 2)), ValueError, "mm: shapes"),
        (lambda: rl.ones((2, 2)) @ made(DENSE, "coo"), ValueError, "mm: shapes"),
        (lambda: made(DENSE, "coo") @ made(DENSE, "coo"), ValueError, "mm: shapes"),
        (lambda: made(DENSE, "coo") + made(DENSE.T, "coo"), ValueError, "add: sparse"),
        (lambda: rl.sparse.mm(rl.ones((2, 2)), rl.ones((2, 2))), TypeError, "rushlight.mm"),
        (lambda: rl.ones((2, 2)).to_sparse(3), ValueError, "from 1 to 2"),
        (lambda: rl.ones((2, 2, 2)).to_sparse(1).to_sparse_csr(), ValueError, "sparse matrix"),
        (lambda: rl.ones((2, 2)).to_sparse(1).transpose(0, 1), ValueError, "dense"),
    ],
)
def test_errors(f: object, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        f()  # type: ignore[operator]


def looked_up(optimizer: str, settings: dict[str, object], sparse: bool) -> list[rl.Tensor]:
    """Train a table for some steps; return the table and the optimizer's states."""
    table = rl.asarray(RNG_TABLE.copy()).requires_grad_()
    made = getattr(rl.optim, optimizer)([table], **settings)
    for step in range(4):
        made.zero_grad()
        ids = rl.tensor([[1, 4], [1, 2 + step]])
        out = rl.nn.functional.embedding(ids, table, sparse=sparse)
        (out * out).sum().backward()
        made.step()
    return [table, *(v for v in made.state[table].values() if isinstance(v, rl.Tensor))]


RNG_TABLE = np.random.default_rng(3).normal(size=(7, 3))


@pytest.mark.parametrize(
    ("optimizer", "settings"),
    [
        ("SGD", {"lr": 0.1}),
        ("SGD", {"lr": 0.1, "momentum": 0.9}),
        ("Adagrad", {"lr": 0.1}),
        ("SparseAdam", {"lr": 0.1}),
    ],
)
def test_sparse_gradients_give_the_steps_of_dense_ones(optimizer: str, settings: dict[str, object]) -> None:
    for got, want in zip(
        looked_up(optimizer, settings, True), looked_up(optimizer, settings, False), strict=True
    ):
        np.testing.assert_allclose(np.asarray(got.detach()), np.asarray(want.detach()), rtol=1e-14)


def test_sparse_gradients_of_tables() -> None:
    F = rl.nn.functional
    table = rl.asarray(RNG_TABLE.copy()).requires_grad_()
    weights = rl.asarray(RNG.normal(size=(2, 2, 3)))
    ids = rl.tensor([[1, 4], [1, 2]])
    grads = []
    for sparse in (True, False):
        table.grad = None
        (F.embedding(ids, table, padding_idx=2, sparse=sparse) * weights).sum().backward()
        F.embedding_bag(ids, table, mode="sum", padding_idx=4, sparse=sparse).sum().backward()
        grads.append(table.grad)
    assert isinstance(grads[0], rl.sparse.COOTensor)
    assert grads[0].coalesce().indices().tolist() == [[1, 2, 4]]
    same(grads[0], np.asarray(grads[1]))
    # Dense and sparse parts are added, in either order.
    table.grad = None
    (F.embedding(ids, table, sparse=True).sum() + 2 * table.sum()).backward()
    want = np.full((7, 3), 2.0)
    np.add.at(want, ids.numpy().reshape(-1), 1.0)
    assert isinstance(table.grad, rl.Tensor)
    same(table.grad, want)
    layer = rl.nn.Embedding(7, 3, sparse=True)
    layer(ids).sum().backward()
    norm = rl.nn.utils.clip_grad_norm_(layer.parameters(), 1.0)
    assert norm.item() == pytest.approx((3 * (4 + 1 + 1)) ** 0.5)
    assert float((layer.weight.grad.to_dense() ** 2).sum()) == pytest.approx(1.0, rel=1e-5)
    layer.zero_grad()
    assert layer.weight.grad is None
    assert rl.nn.EmbeddingBag(7, 3, sparse=True)(ids).shape == (2, 3)
    with rl.no_grad():
        assert not layer(ids).requires_grad


def test_other_optimizers_refuse_sparse_gradients() -> None:
    layer = rl.nn.Embedding(7, 3, sparse=True)
    layer(rl.tensor([1])).sum().backward()
    with pytest.raises(RuntimeError, match="Adam does not support sparse gradients: use SGD"):
        rl.optim.Adam(layer.parameters()).step()
    with pytest.raises(RuntimeError, match="weight_decay is not supported"):
        rl.optim.SGD(layer.parameters(), weight_decay=0.1).step()
    with pytest.raises(ValueError, match="needs a table that is a leaf"):
        rl.nn.functional.embedding(rl.tensor([1]), layer.weight * 2, sparse=True)
    with pytest.raises(ValueError, match="does not fit"):
        layer.weight.grad = rl.zeros((2, 2)).to_sparse(1)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("last", [False, True])
def test_bags_are_reductions_of_rows(mode: str, sparse: bool, last: bool) -> None:
    table = rl.asarray(RNG_TABLE.copy()).requires_grad_()
    ids, starts = [1, 5, 2, 2, 6, 0, 3], [0, 2, 2, 5]
    ends = [2, 2, 5, 6 if last else 7]
    offsets = rl.tensor([*starts, 6] if last else starts)
    shares = rl.asarray(RNG.normal(size=7)) if mode == "sum" else None
    got = rl.nn.functional.embedding_bag(
        rl.tensor(ids),
        table,
        offsets,
        mode=mode,
        sparse=sparse,
        per_sample_weights=shares,
        include_last_offset=last,
        padding_idx=-1,
    )
    reduce = {"sum": np.sum, "mean": np.mean, "max": np.max}[mode]
    want = []
    for a, b in zip(starts, ends, strict=True):
        kept = [k for k in range(a, b) if ids[k] != 6]
        rows = [RNG_TABLE[ids[k]] * (1 if shares is None else float(shares[k])) for k in kept]
        want.append(reduce(rows, axis=0) if rows else np.zeros(3))
    same(got, np.stack(want))
    got.sum().backward()
    grad = table.grad if isinstance(table.grad, rl.Tensor) else table.grad.to_dense()
    assert grad[6].tolist() == [0.0, 0.0, 0.0]
    assert grad[3].tolist() == [0.0] * 3 or not last
    if shares is not None:
        shares.requires_grad_()
        assert rl.autograd.gradcheck(
            lambda t, s: rl.nn.functional.embedding_bag(
                rl.tensor(ids), t, rl.tensor(starts), mode="sum", per_sample_weights=s
            ),
            (rl.asarray(RNG_TABLE.copy()).requires_grad_(), shares),
        )
