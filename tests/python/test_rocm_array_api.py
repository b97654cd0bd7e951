"""The array API standard, and a few estimators of scikit-learn and functions of SciPy, on an AMD GPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sklearn
from scipy._lib._array_api import xp_capabilities_table

import namespace_calls
import rushlight as rl
import scipy_calls_more  # noqa: F401  (adds calls)
from scipy_calls import CALLS as SCIPY
from special_cases import COMPLEX, REAL
from test_scipy import LISTED, REFUSED, THROUGH_NUMPY, compare, leaves, wide  # noqa: F401
from test_sklearn import CALLS, ESTIMATORS, dispatch, same  # noqa: F401  (a fixture)
from test_special_cases import complex_cases, names, real_cases, wrong

pytestmark = pytest.mark.skipif(
    not rl.rocm.is_available(), reason="no AMD GPU here; make test runs these on the virtual one"
)
GPU = "rocm:0"


def there(x: Any) -> rl.Tensor:
    return rl.asarray(x, device=GPU)


@pytest.mark.parametrize("function", names(REAL))
def test_special_cases_of_real_numbers(function: str) -> None:
    assert wrong(function, real_cases(function), "float32", GPU) == []


@pytest.mark.parametrize("function", names(COMPLEX))
def test_special_cases_of_complex_numbers(function: str) -> None:
    assert wrong(function, complex_cases(function), "complex64", GPU) == []


@pytest.mark.parametrize(("function", "arguments"), namespace_calls.calls())
def test_functions_of_the_standard(function: str, arguments: str) -> None:
    got = namespace_calls.result(function, arguments, GPU)
    want = namespace_calls.result(function, arguments, "cpu")
    assert len(got) == len(want)
    for mine, other in zip(got, want, strict=True):
        assert isinstance(mine, rl.Tensor)
        assert str(mine.device) == GPU
        assert (mine.dtype, mine.shape) == (other.dtype, other.shape)
        np.testing.assert_allclose(mine.cpu().numpy(), other.numpy(), rtol=2e-5, atol=2e-6)


def test_complex_matrices() -> None:
    rng = np.random.default_rng(1)
    a = (rng.normal(size=(2, 4, 4)) + 1j * rng.normal(size=(2, 4, 4))).astype(np.complex64)
    h = a @ a.conj().swapaxes(1, 2) + np.eye(4, dtype=np.complex64)
    for name, x in (("inv", a), ("det", a), ("cholesky", h)):
        got = getattr(rl.linalg, name)(there(x))
        assert str(got.device) == GPU
        np.testing.assert_allclose(got.cpu().numpy(), getattr(np.linalg, name)(x), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(
        rl.linalg.solve(there(a), there(h)).cpu().numpy(), np.linalg.solve(a, h), rtol=1e-3, atol=1e-4
    )
    for name, x in (("qr", a), ("svd", a), ("eigh", h), ("svdvals", a), ("eigvalsh", h)):
        got, want = (getattr(rl.linalg, name)(y) for y in (there(x), rl.asarray(x)))
        for one, other in zip(*((t,) if isinstance(t, rl.Tensor) else t for t in (got, want)), strict=True):
            assert str(one.device) == GPU
            assert np.array_equal(one.cpu().numpy(), other.numpy())


def test_numbers_among_elements() -> None:
    for x in (there([1, 2]), there([1, 2j])):
        assert rl.isin(x, 1).tolist() == [True, False]
        assert rl.isin(2, x[:1]).item() is False


@pytest.mark.parametrize(
    "name",
    [
        *("Binarizer", "FeatureUnion", "GaussianNB", "LabelEncoder", "MinMaxScaler", "Normalizer", "PCA"),
        *("Pipeline", "PolynomialFeatures", "Ridge", "StandardScaler"),
    ],
)
def test_estimators(name: str) -> None:
    make, data, methods, _ = ESTIMATORS[name]
    mine, theirs = (sklearn.clone(make()).fit(*given) for given in ([there(v) for v in data], data))
    for method in methods.split():
        got = getattr(mine, method)(there(data[0]))
        assert str(got.device) == GPU
        same(got.cpu(), getattr(theirs, method)(data[0]))


@pytest.mark.parametrize("name", ["HalvingGridSearchCV", "HalvingRandomSearchCV"])
def test_searches_that_call_numpy(name: str) -> None:
    make, data, *_ = ESTIMATORS[name]
    with pytest.raises(TypeError, match="the tensor is not on the CPU"):
        make().fit(*(there(v) for v in data))


@pytest.mark.parametrize("name", ["contingency_matrix", "roc_auc_score"])
def test_metrics_that_call_numpy(name: str) -> None:
    function, data, keywords = CALLS[name]
    with pytest.raises(TypeError, match="the tensor is not on the CPU"):
        function(*(there(v) for v in data), **keywords)


@pytest.mark.parametrize("name", ["accuracy_score", "mean_squared_error", "r2_score", "euclidean_distances"])
def test_metrics(name: str) -> None:
    function, data, keywords = CALLS[name]
    got = function(*(there(v) for v in data), **keywords)
    same(got.cpu() if isinstance(got, rl.Tensor) else got, function(*data, **keywords))


# The functions of SciPy that it lists as supporting GPUs.
FUNCTIONS = [name for name, f in LISTED.items() if not xp_capabilities_table[f]["cpu_only"]]


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.usefixtures("wide")
@pytest.mark.filterwarnings("ignore")
def test_functions(name: str) -> None:
    call, function = SCIPY[name], LISTED[name]
    # SciPy's functions make some arrays without naming a device.
    with rl.Device(GPU):
        if name in THROUGH_NUMPY or name in REFUSED:
            with pytest.raises(TypeError, match=REFUSED.get(name, "the tensor is not on the CPU")):
                call(function, there)
            return
        got = list(leaves(call(function, there)))
    assert {str(t.device) for t in got if isinstance(t, rl.Tensor)} <= {GPU}
    host = [t.cpu() if isinstance(t, rl.Tensor) else t for t in got]
    compare(host, list(leaves(call(function, np.asarray))), rl.Tensor | np.ndarray)


def test_most_functions_work() -> None:
    assert len(FUNCTIONS) > 230
    assert len(THROUGH_NUMPY | set(REFUSED)) < 20
