"""scikit-learn: estimators and functions that support the array API find the same with tensors as with NumPy.

The names are those of its page "Array API support" and of the tag `array_api_support`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn import (
    calibration,
    discriminant_analysis,
    kernel_approximation,
    linear_model,
    metrics,
    mixture,
    model_selection,
    naive_bayes,
    pipeline,
    preprocessing,
    utils,
)
from sklearn.decomposition import PCA
from sklearn.experimental import enable_halving_search_cv  # noqa: F401  (adds classes)
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import pairwise

import rushlight as rl

RNG = np.random.default_rng(6)
X = RNG.normal(size=(60, 4))
WEIGHTS = np.array([1.0, -2.0, 0.5, 0.0])
VALUES = X @ WEIGHTS + RNG.normal(size=60) * 0.1
CLASSES = (X @ WEIGHTS > 0).astype(np.int64)
THREE = np.digitize(X @ WEIGHTS, [-1.0, 1.0])
COUNTS = RNG.poisson(np.exp(X @ WEIGHTS / 3)).astype(np.float64)
KERNEL = X[:8] @ X[:8].T
LOGISTIC = linear_model.LogisticRegression(solver="lbfgs", C=0.5, tol=1e-10)
RIDGE = {"solver": "svd"}
GRID = {"var_smoothing": [1e-9, 1e-2]}
BAYES = naive_bayes.GaussianNB()

# Estimators: how they are made, their data, the methods that are compared, and what `rushlight.linalg` lacks.
Fitted = tuple[Callable[[], Any], tuple[Any, ...], str, str]
ESTIMATORS: dict[str, Fitted] = {
    "Binarizer": (preprocessing.Binarizer, (X,), "transform", ""),
    "KernelCenterer": (preprocessing.KernelCenterer, (KERNEL,), "transform", ""),
    "LabelEncoder": (preprocessing.LabelEncoder, (THREE + 5,), "transform", ""),
    "MaxAbsScaler": (preprocessing.MaxAbsScaler, (X,), "transform inverse_transform", ""),
    "MinMaxScaler": (preprocessing.MinMaxScaler, (X,), "transform inverse_transform", ""),
    "Normalizer": (preprocessing.Normalizer, (X,), "transform", ""),
    "Normalizer of sums": (lambda: preprocessing.Normalizer("l1"), (X,), "transform", ""),
    "Normalizer of largest": (lambda: preprocessing.Normalizer("max"), (X,), "transform", ""),
    "PolynomialFeatures": (lambda: preprocessing.PolynomialFeatures(3), (X,), "transform", ""),
    "StandardScaler": (preprocessing.StandardScaler, (X,), "transform inverse_transform", ""),
    "LabelBinarizer": (preprocessing.LabelBinarizer, (THREE + 5,), "transform", ""),
    "FeatureUnion": (
        lambda: pipeline.FeatureUnion(
            [("a", preprocessing.StandardScaler()), ("b", preprocessing.MinMaxScaler())]
        ),
        (X,),
        "transform",
        "",
    ),
    "Pipeline": (
        lambda: pipeline.make_pipeline(preprocessing.StandardScaler(), linear_model.Ridge(**RIDGE)),
        (X, VALUES),
        "predict",
        "svd",
    ),
    "GaussianNB": (naive_bayes.GaussianNB, (X, THREE), "predict predict_proba", ""),
    "LogisticRegression": (lambda: LOGISTIC, (X, CLASSES), "predict predict_proba", ""),
    "LogisticRegression of three": (lambda: LOGISTIC, (X, THREE), "predict predict_proba", ""),
    "PoissonRegressor": (
        lambda: linear_model.PoissonRegressor(solver="lbfgs", tol=1e-10),
        (X, COUNTS),
        "predict",
        "",
    ),
    "FrozenEstimator": (lambda: FrozenEstimator(naive_bayes.GaussianNB().fit(X, THREE)), (X, THREE), "", ""),
    "GaussianMixture": (
        lambda: mixture.GaussianMixture(2, init_params="random_from_data", random_state=1),
        (X,),
        "predict predict_proba score_samples",
        "",
    ),
    "GridSearchCV": (lambda: model_selection.GridSearchCV(BAYES, GRID), (X, THREE), "predict", ""),
    "RandomizedSearchCV": (
        lambda: model_selection.RandomizedSearchCV(BAYES, GRID, n_iter=2, random_state=1),
        (X, THREE),
        "predict",
        "",
    ),
    "HalvingGridSearchCV": (
        lambda: model_selection.HalvingGridSearchCV(BAYES, GRID, random_state=1),
        (X, THREE),
        "predict",
        "",
    ),
    "HalvingRandomSearchCV": (
        lambda: model_selection.HalvingRandomSearchCV(BAYES, GRID, random_state=1),
        (X, THREE),
        "predict",
        "",
    ),
    "CalibratedClassifierCV": (
        lambda: calibration.CalibratedClassifierCV(BAYES, method="temperature"),
        (X, THREE),
        "predict predict_proba",
        "",
    ),
    "LinearDiscriminantAnalysis": (
        discriminant_analysis.LinearDiscriminantAnalysis,
        (X, THREE),
        "predict predict_proba transform",
        "svd",
    ),
    "Nystroem": (
        lambda: kernel_approximation.Nystroem(n_components=5, random_state=1),
        (X,),
        "transform",
        "svd",
    ),
    "PCA": (lambda: PCA(2, svd_solver="full"), (X,), "transform", "svd"),
    "PCA of a rank that it finds": (lambda: PCA("mle", svd_solver="full"), (X,), "transform", "svd"),
    "PCA by eigenvalues": (lambda: PCA(2, svd_solver="covariance_eigh"), (X,), "transform", "eigh"),
    "PCA of samples": (
        lambda: PCA(2, svd_solver="randomized", power_iteration_normalizer="QR", random_state=1),
        (X,),
        "transform",
        "qr",
    ),
    "Ridge": (lambda: linear_model.Ridge(**RIDGE), (X, VALUES), "predict", "svd"),
    "RidgeCV": (lambda: linear_model.RidgeCV((0.1, 1.0)), (X, VALUES), "predict", "eigh svd"),
    "RidgeClassifier": (lambda: linear_model.RidgeClassifier(**RIDGE), (X, CLASSES), "predict", "svd"),
    "RidgeClassifierCV": (
        lambda: linear_model.RidgeClassifierCV((0.1, 1.0)),
        (X, CLASSES),
        "predict",
        "eigh svd",
    ),
}


@pytest.fixture(autouse=True)
def dispatch() -> Iterator[None]:
    """Let scikit-learn compute with the arrays that it is given."""
    before = rl.get_default_dtype()
    rl.set_default_dtype(rl.float64)
    with sklearn.config_context(array_api_dispatch=True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
    rl.set_default_dtype(before)


def same(got: Any, want: Any) -> None:
    """Compare results: where NumPy's is an array, ours is a tensor of its dtype."""
    if want is None:
        assert got is None
    elif isinstance(want, tuple | list):
        assert len(got) == len(want)
        for g, w in zip(got, want, strict=True):
            same(g, w)
    elif isinstance(want, np.ndarray):
        assert isinstance(got, rl.Tensor)
        assert got.numpy().dtype == want.dtype
        np.testing.assert_allclose(got.numpy(), want, rtol=1e-6, atol=1e-8)
    else:
        assert not isinstance(got, rl.Tensor)
        assert got == pytest.approx(want, rel=1e-9)


# Results along singular vectors as they are found, of which either sign is right.
SIGNS = {"LinearDiscriminantAnalysis": ("transform", "scalings_")}


def signs_of(got: Any, want: Any) -> Any:
    """Give the columns of a matrix the signs of another's."""
    return want * np.sign(np.sum(np.asarray(got) * want, axis=0))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimators_find_what_they_find_with_numpy(name: str) -> None:
    make, data, methods, missing = ESTIMATORS[name]
    tensors = [rl.asarray(v) for v in data]
    lacks = [name for name in missing.split() if not hasattr(rl.linalg, name)]
    if lacks:
        with pytest.raises(AttributeError, match=f"has no attribute '({'|'.join(lacks)})'"):
            sklearn.clone(make()).fit(*tensors)
        pytest.skip(f"rushlight.linalg has no {' and '.join(lacks)} yet")
    mine, theirs = (sklearn.clone(make()).fit(*given) for given in (tensors, data))
    for method in methods.split():
        got, want = getattr(mine, method)(tensors[0]), getattr(theirs, method)(data[0])
        same(got, signs_of(got, want) if method in SIGNS.get(name, ()) else want)
    for attribute, value in vars(theirs).items():
        if attribute.endswith("_") and isinstance(value, np.ndarray) and value.dtype.kind in "fi":
            got = getattr(mine, attribute)
            assert isinstance(got, rl.Tensor | np.ndarray), attribute
            want = signs_of(got, value) if attribute in SIGNS.get(name, ()) else value
            np.testing.assert_allclose(np.asarray(got), want, rtol=1e-6, atol=1e-8, err_msg=attribute)


GUESS = (CLASSES + (RNG.random(60) < 0.2)) % 2
GUESSES = (THREE + (RNG.random(60) < 0.2)) % 3
CHANCE = 1 / (1 + np.exp(-X @ WEIGHTS))
CHANCES = np.exp(X[:, :3]) / np.exp(X[:, :3]).sum(1, keepdims=True)
NEAR = VALUES + RNG.normal(size=60)
TWO = (THREE, GUESSES)
POSITIVE = (np.abs(VALUES) + 0.1, np.abs(NEAR) + 0.1)
SEVERAL = ((X > 0).astype(np.int64), (X + RNG.normal(size=X.shape) > 0).astype(np.int64))
BY_CLASS = ("f1_score", "jaccard_score", "precision_score", "recall_score")
PLAIN = (
    *("accuracy_score", "balanced_accuracy_score", "cohen_kappa_score", "confusion_matrix", "hamming_loss"),
    *("multilabel_confusion_matrix", "zero_one_loss", "precision_recall_fscore_support"),
)
OF_VALUES = (
    *("explained_variance_score", "max_error", "mean_absolute_error", "mean_absolute_percentage_error"),
    *("mean_pinball_loss", "mean_squared_error", "median_absolute_error", "r2_score", "d2_pinball_score"),
    *("root_mean_squared_error", "d2_absolute_error_score", "d2_tweedie_score", "mean_tweedie_deviance"),
)
OF_POSITIVES = (
    *("mean_gamma_deviance", "mean_poisson_deviance", "mean_squared_log_error"),
    "root_mean_squared_log_error",
)
OF_CHANCES = (
    *("brier_score_loss", "d2_brier_score", "log_loss", "d2_log_loss_score", "roc_curve"),
    *("precision_recall_curve", "det_curve", "average_precision_score", "roc_auc_score"),
)
OF_GROUPS = ("calinski_harabasz_score", "davies_bouldin_score")
KERNELS = (
    *("additive_chi2_kernel", "chi2_kernel", "cosine_similarity", "cosine_distances", "euclidean_distances"),
    *("linear_kernel", "polynomial_kernel", "rbf_kernel", "sigmoid_kernel", "pairwise_distances"),
    *("pairwise_kernels", "paired_cosine_distances", "paired_euclidean_distances", "manhattan_distances"),
    *("laplacian_kernel", "paired_manhattan_distances"),
)
CALLS: dict[str, tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = {
    **{name: (getattr(metrics, name), TWO, {}) for name in PLAIN},
    **{name: (getattr(metrics, name), TWO, {"average": "macro"}) for name in BY_CLASS},
    **{f"{name} of each": (getattr(metrics, name), TWO, {"average": None}) for name in BY_CLASS},
    **{f"{name} of labels": (getattr(metrics, name), SEVERAL, {"average": "micro"}) for name in BY_CLASS},
    "fbeta_score": (metrics.fbeta_score, TWO, {"beta": 2.0, "average": "weighted"}),
    **{name: (getattr(metrics, name), (VALUES, NEAR), {}) for name in OF_VALUES},
    **{
        f"{name} of columns": (getattr(metrics, name), (X, X[::-1].copy()), {"multioutput": "raw_values"})
        for name in ("mean_squared_error", "mean_absolute_error", "r2_score")
    },
    **{name: (getattr(metrics, name), POSITIVE, {}) for name in OF_POSITIVES},
    **{name: (getattr(metrics, name), (CLASSES, CHANCE), {}) for name in OF_CHANCES},
    "log_loss of three": (metrics.log_loss, (THREE, CHANCES), {}),
    **{
        f"{function.__name__} with {name} {value}": (function, data, {name: value})
        for function, data, name, value in (
            (metrics.d2_pinball_score, (VALUES, NEAR), "alpha", 0.1),
            (metrics.d2_pinball_score, (VALUES, NEAR), "alpha", 0.9),
            (metrics.mean_tweedie_deviance, POSITIVE, "power", -0.5),
            (metrics.mean_tweedie_deviance, POSITIVE, "power", 1.5),
            (metrics.mean_tweedie_deviance, POSITIVE, "power", 3.0),
        )
    },
    **{name: (getattr(metrics, name), (X, THREE), {}) for name in OF_GROUPS},
    "pairwise_distances_argmin": (metrics.pairwise_distances_argmin, (X, X[:5]), {}),
    "entropy": (metrics.cluster.entropy, (THREE,), {}),
    "unique_labels": (utils.multiclass.unique_labels, (THREE, CLASSES), {}),
    "label_binarize": (preprocessing.label_binarize, (THREE,), {"classes": [0, 1, 2]}),
    "randomized_svd": (
        lambda x: utils.extmath.randomized_svd(x, 2, power_iteration_normalizer="QR", random_state=1)[1],
        (X,),
        {},
    ),
    **{name: (getattr(preprocessing, name), (X,), {}) for name in ("binarize", "normalize")},
    "contingency_matrix": (metrics.cluster.contingency_matrix, TWO, {}),
    **{name: (getattr(pairwise, name), (np.abs(X[:9]), np.abs(X[9:18])), {}) for name in KERNELS},
    "train_test_split": (model_selection.train_test_split, (X, THREE), {"random_state": 3}),
    "cross_val_predict": (lambda x, y: model_selection.cross_val_predict(BAYES, x, y), (X, THREE), {}),
    "check_consistent_length": (lambda *a: utils.check_consistent_length(*a), (X, THREE), {}),
}


@pytest.mark.parametrize("name", CALLS)
def test_functions_return_what_they_return_with_numpy(name: str) -> None:
    function, data, keywords = CALLS[name]
    got, want = function(*(rl.asarray(v) for v in data), **keywords), function(*data, **keywords)
    if name == "contingency_matrix":
        # It is listed, although it returns an array of NumPy.
        np.testing.assert_array_equal(got, want)
    else:
        same(got, want)


def test_every_estimator_with_the_tag_is_here() -> None:
    found = set()
    for name, kind in utils.all_estimators():
        for arguments in ((), (BAYES,), (BAYES, GRID)):
            try:
                tags = kind(*arguments).__sklearn_tags__()
            except (TypeError, AttributeError):
                continue
            if tags.array_api_support:
                found.add(name)
            break
    assert sorted(found - set(ESTIMATORS)) == []
    assert len(found) > 15
