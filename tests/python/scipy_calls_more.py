"""More calls of SciPy's functions: images, signals, statistics, rotations and splines."""

from __future__ import annotations

from typing import Any

import numpy as np

from scipy_calls import (
    CALLS,
    IMAGE,
    LABELS,
    LONG,
    MASK,
    OTHER,
    POINTS,
    POSITIVE,
    TABLE,
    K,
    N,
    X,
    Y,
    by_arrays,
    library,
    pick,
)

SHIFTED = np.eye(2) * 0.9
HALF = np.array([0.5, -0.5])
MARKS = np.zeros((7, 8), np.int8)
MARKS[1, 1], MARKS[5, 6] = 1, 2
BYTES = np.uint8(IMAGE * 20 + 100)
SPECTRUM = np.fft.fft2(IMAGE)
BINARY = ("binary_closing", "binary_dilation", "binary_erosion", "binary_fill_holes", "binary_hit_or_miss")
GREY = ("grey_closing", "grey_dilation", "grey_erosion", "grey_opening", "black_tophat", "white_tophat")
RANGES = ("maximum_filter", "minimum_filter", "median_filter", "uniform_filter")
LABELLED = ("mean", "median", "minimum", "maximum", "sum", "sum_labels", "variance", "standard_deviation")
by_arrays(
    "ndimage",
    {
        **dict.fromkeys((*BINARY, "binary_opening", "binary_propagation"), (MASK,)),
        **dict.fromkeys((*GREY, "morphological_gradient", "morphological_laplace"), (IMAGE, (3, 3))),
        **dict.fromkeys(RANGES, (IMAGE, 3)),
        **dict.fromkeys(("maximum_filter1d", "minimum_filter1d", "uniform_filter1d"), (IMAGE, 3)),
        **dict.fromkeys(
            ("distance_transform_bf", "distance_transform_cdt", "distance_transform_edt"), (MASK,)
        ),
        **dict.fromkeys(("gaussian_filter", "gaussian_filter1d", "gaussian_laplace"), (IMAGE, 1.0)),
        "gaussian_gradient_magnitude": (IMAGE, 1.0),
        **dict.fromkeys(("laplace", "prewitt", "sobel", "spline_filter", "spline_filter1d"), (IMAGE,)),
        **dict.fromkeys(
            ("fourier_ellipsoid", "fourier_gaussian", "fourier_shift", "fourier_uniform"), (SPECTRUM, 2.0)
        ),
        **dict.fromkeys(
            (*LABELLED, "maximum_position", "minimum_position", "center_of_mass", "extrema"),
            (IMAGE, LABELS, K - 1),
        ),
        **dict.fromkeys(("convolve", "correlate"), (IMAGE, SHIFTED)),
        **dict.fromkeys(("convolve1d", "correlate1d"), (IMAGE, X)),
        "affine_transform": (IMAGE, SHIFTED),
        "find_objects": (LABELS + 1,),
        "histogram": (IMAGE, -2.0, 2.0, 5),
        "iterate_structure": (np.ones((3, 3), bool), 2),
        "label": (MASK,),
        "map_coordinates": (IMAGE, np.abs(POINTS.T)),
        "percentile_filter": (IMAGE, 30, 3),
        "rank_filter": (IMAGE, 2, 3),
        "rotate": (IMAGE, 30.0),
        "shift": (IMAGE, (0.5, 1.5)),
        "watershed_ift": (BYTES, MARKS),
        "zoom": (IMAGE, 1.5),
    },
)
CALLS |= {
    "ndimage.generic_filter": lambda f, a: f(a(IMAGE), np.ptp, 3),
    "ndimage.generic_filter1d": lambda f, a: f(a(IMAGE), lambda x, out: np.copyto(out, x[1:-1]), 3),
    "ndimage.generic_gradient_magnitude": lambda f, a: f(a(IMAGE), _derivative),
    "ndimage.generic_laplace": lambda f, a: f(a(IMAGE), _derivative),
    "ndimage.geometric_transform": lambda f, a: f(a(IMAGE), lambda p: (p[0] - 0.5, p[1] - 0.5)),
    "ndimage.labeled_comprehension": lambda f, a: f(a(IMAGE), a(LABELS), a(np.arange(4)), np.ptp, float, 0),
    "ndimage.value_indices": lambda f, a: list(f(a(LABELS))[2]),
    "ndimage.vectorized_filter": lambda f, a: f(a(IMAGE), library(a).mean, size=3),
}


def _derivative(x: Any, axis: int, output: Any, mode: str, cval: float) -> Any:
    import scipy.ndimage

    return scipy.ndimage.sobel(np.asarray(x), axis, output, mode, cval)


LARGE = np.outer(np.sin(LONG), np.cos(OTHER))
B, A = np.array([0.2, 0.3, 0.2]), np.array([1.0, -0.4, 0.1])
ZEROS, POLES = np.array([0.3, -0.5]), np.array([0.2 + 0.4j, 0.2 - 0.4j])
SOS = np.array([[0.2, 0.3, 0.2, 1.0, -0.4, 0.1], [1.0, 0.5, 0.2, 1.0, 0.1, 0.3]])
ZPK = (ZEROS, POLES, 0.5)
by_arrays(
    "signal",
    {
        **dict.fromkeys(("convolve", "correlate", "fftconvolve", "oaconvolve"), (LONG, X)),
        **dict.fromkeys(("convolve2d", "correlate2d"), (IMAGE, SHIFTED)),
        **dict.fromkeys(("besselap", "buttap"), (3,)),
        **dict.fromkeys(("cheb1ap", "cheb2ap"), (3, 1.0)),
        "choose_conv_method": (LONG, X),
        "ellipap": (3, 1.0, 30.0),
        "bilinear": (B, A),
        "bilinear_zpk": (*ZPK, 2.0),
        **dict.fromkeys(("lp2bp", "lp2bs", "lp2hp", "lp2lp"), (B, A)),
        **dict.fromkeys(("lp2bp_zpk", "lp2bs_zpk", "lp2hp_zpk", "lp2lp_zpk"), ZPK),
        "cspline1d": (LONG,),
        "cspline1d_eval": (LONG, X),
        "cspline2d": (LARGE,),
        "qspline1d": (LONG,),
        "qspline1d_eval": (LONG, X),
        "gauss_spline": (X, 3),
        "spline_filter": (LARGE,),
        "deconvolve": (np.convolve(K, B), B),
        "detrend": (TABLE,),
        "envelope": (LONG,),
        "filtfilt": (B, A, LONG),
        "lfilter": (B, A, LONG),
        "lfilter_zi": (B, A),
        "lfiltic": (B, A, X),
        "sosfilt": (SOS, LONG),
        "sosfilt_zi": (SOS,),
        "sosfiltfilt": (SOS, LONG),
        **dict.fromkeys(("freqs", "freqz", "group_delay_"), (B, A, X)),
        **dict.fromkeys(("freqs_zpk", "freqz_zpk"), (*ZPK, X)),
        **dict.fromkeys(("sosfreqz", "freqz_sos"), (SOS, X)),
        "hilbert": (LONG,),
        "hilbert2": (IMAGE,),
        "medfilt": (LONG, 3),
        "medfilt2d": (IMAGE, 3),
        "minimum_phase": (np.convolve(X, X[::-1]),),
        "normalize": (B, A * 2),
        "order_filter": (IMAGE, np.ones((3, 3)), 4),
        "resample": (LONG, 24),
        "resample_poly": (LONG, 3, 2),
        "savgol_filter": (LONG, 5, 2),
        "sos2tf": (SOS,),
        "sos2zpk": (SOS,),
        "tf2sos": (B, A),
        "tf2zpk": (B, A),
        "upfirdn": (B, LONG, 2, 3),
        "vectorstrength": (np.abs(LONG), 2.0),
        "wiener": (IMAGE, 3),
        "zpk2sos": ZPK,
        "zpk2tf": ZPK,
        "buttord": (np.array([0.2, 0.5]), np.array([0.1, 0.6]), 3.0, 40.0),
        "cheb1ord": (np.array([0.2, 0.5]), np.array([0.1, 0.6]), 3.0, 40.0),
        "cheb2ord": (np.array([0.2, 0.5]), np.array([0.1, 0.6]), 3.0, 40.0),
        "ellipord": (np.array([0.2, 0.5]), np.array([0.1, 0.6]), 3.0, 40.0),
        **dict.fromkeys(("bessel", "butter"), (3, np.array([0.2, 0.5]), "bandpass")),
        "cheby1": (3, 1.0, np.array([0.2, 0.5]), "bandpass"),
        "cheby2": (3, 30.0, np.array([0.2, 0.5]), "bandpass"),
        "ellip": (3, 1.0, 30.0, np.array([0.2, 0.5]), "bandpass"),
        "iirfilter": (3, np.array([0.2, 0.5])),
        "iirdesign": (np.array([0.2, 0.5]), np.array([0.1, 0.6]), 1.0, 40.0),
        "firls": (7, np.array([0.0, 0.3, 0.5, 1.0]), np.array([1.0, 1.0, 0.0, 0.0])),
        "firwin": (7, np.array([0.2, 0.5])),
        "firwin2": (7, np.array([0.0, 0.3, 1.0]), np.array([1.0, 0.8, 0.0])),
        "remez": (9, np.array([0.0, 0.2, 0.3, 0.5]), np.array([1.0, 0.0])),
        "savgol_coeffs": (5, 2),
        "abcd_normalize": (SHIFTED, POINTS[:2, :1], POINTS[:1, :2], np.zeros((1, 1))),
        "place_poles": (SHIFTED, np.eye(2), np.array([-1.0, -2.0])),
    },
)
del CALLS["signal.group_delay_"]
CALLS |= {
    "signal.group_delay": lambda f, a: f((a(B), a(A)), a(X)),
    "signal.gammatone": lambda f, a: f(440.0, "iir", fs=16000, xp=library(a)),
    "signal.iircomb": lambda f, a: f(0.25, 30.0, xp=library(a)),
    "signal.iirnotch": lambda f, a: f(0.25, 30.0, xp=library(a)),
    "signal.iirpeak": lambda f, a: f(0.25, 30.0, xp=library(a)),
    "signal.savgol_coeffs": lambda f, a: f(5, 2, xp=library(a)),
    "signal.bode": lambda f, a: f((a(B), a(A)), a(X)),
    "signal.impulse": lambda f, a: f((a(B[:1]), a(A)), T=a(K - 1)),
    "signal.place_poles": lambda f, a: pick(
        f(a(SHIFTED), a(np.eye(2)), a(np.array([-1.0, -2.0]))), "computed_poles"
    ),
    **{
        f"signal.{name}": lambda f, a, name=name: f(3, *((1.0,) if "cheb" in name else ()), xp=library(a))
        for name in ("besselap", "buttap", "cheb1ap", "cheb2ap")
    },
    "signal.ellipap": lambda f, a: f(3, 1.0, 30.0, xp=library(a)),
}
COUNTS = np.array([16.0, 18, 16, 14, 12, 12])
ONE = (
    "kurtosistest",
    "skewtest",
    "normaltest",
    "jarque_bera",
    "sem",
    "zscore",
    "iqr",
    "trim_mean_",
    "tmean",
    "tvar",
)
TWO = ("ttest_ind", "ttest_rel", "pearsonr", "mood", "ansari", "epps_singleton_2samp", "cramervonmises_2samp")
MORE = (
    "f_oneway",
    "kruskal",
    "bartlett",
    "levene",
    "fligner",
    "alexandergovern",
    "mannwhitneyu",
    "brunnermunzel",
)
by_arrays(
    "stats",
    {
        **dict.fromkeys(
            (*ONE, "tmin", "tmax", "tstd", "tsem", "skew", "kurtosis", "describe", "kstat"), (LONG,)
        ),
        **dict.fromkeys(
            ("variation", "kstatvar", "median_abs_deviation", "differential_entropy", "circmean"), (LONG,)
        ),
        **dict.fromkeys(("circvar", "circstd", "rankdata", "wilcoxon", "lmoment"), (LONG,)),
        **dict.fromkeys(("gmean", "hmean", "entropy", "gstd", "gzscore"), (POSITIVE,)),
        **dict.fromkeys((*TWO, *MORE, "chatterjeexi", "spearmanrho"), (LONG, OTHER)),
        "friedmanchisquare": (LONG, OTHER, POSITIVE),
        "pmean": (POSITIVE, 1.5),
        "mode": (np.round(LONG),),
        "moment": (LONG, 3),
        "zmap": (X, LONG),
        "sigmaclip": (LONG, 1.5, 1.5),
        "trim_mean": (LONG, 0.1),
        "ttest_1samp": (LONG, 0.2),
        "ttest_ind_from_stats": (X, K, 10, Y, N, 12),
        "power_divergence": (COUNTS,),
        "chisquare": (COUNTS,),
        "combine_pvalues": (X,),
        "boxcox_llf": (0.5, POSITIVE),
        "yeojohnson_llf": (0.5, LONG),
        "directional_stats": (POINTS,),
        "false_discovery_control": (X,),
        "quantile": (LONG, X),
    },
)
del CALLS["stats.trim_mean_"]


def _cdf(x: Any) -> Any:
    import scipy.special

    return scipy.special.ndtr(x)


def _mean(x: Any, axis: int) -> Any:
    return x.__array_namespace__().mean(x, axis=axis)


def _difference(x: Any, y: Any, axis: int) -> Any:
    return _mean(x, axis) - _mean(y, axis)


def _draw(a: Any, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    return lambda size: a(rng.normal(size=size))


CALLS |= {
    "stats.ks_1samp": lambda f, a: f(a(LONG), _cdf),
    "stats.cramervonmises": lambda f, a: pick(f(a(LONG), _cdf), "statistic pvalue"),
    "stats.bootstrap": lambda f, a: pick(
        f((a(LONG),), _mean, n_resamples=50, rng=np.random.default_rng(1)), "standard_error"
    ),
    "stats.monte_carlo_test": lambda f, a: pick(
        f(a(LONG), _draw(a, 3), _mean, n_resamples=50), "statistic pvalue"
    ),
    "stats.power": lambda f, a: pick(f(_test, _draw(a, 4), 30, n_resamples=50), "power"),
    "stats.permutation_test": lambda f, a: pick(
        f((a(LONG[:6]), a(OTHER[:6])), _difference, n_resamples=50, rng=np.random.default_rng(2)),
        "statistic pvalue",
    ),
}


def _test(x: Any, axis: int = -1) -> Any:
    import scipy.stats

    return scipy.stats.ttest_1samp(x, 0.2, axis=axis).pvalue


QUATERNIONS = np.array([[0.1, 0.2, 0.3, 0.9], [0.5, -0.1, 0.2, 0.4], [-0.3, 0.3, 0.1, 0.8]])
VECTORS = np.array([[0.1, 0.2, 0.3], [0.5, -0.1, 0.2], [-0.3, 0.3, 0.1]])


def _rotation(a: Any) -> Any:
    from scipy.spatial.transform import Rotation

    return Rotation.from_quat(a(QUATERNIONS))


def _motion(a: Any) -> Any:
    from scipy.spatial.transform import RigidTransform

    return RigidTransform.from_components(a(VECTORS), _rotation(a))


def _matrices() -> Any:
    return _motion(np.asarray).as_matrix()


R, M = "spatial.Rotation.", "spatial.RigidTransform."
CALLS |= {
    R + "from_quat": lambda f, a: f(a(QUATERNIONS)).as_quat(),
    R + "from_matrix": lambda f, a: f(a(_rotation(np.asarray).as_matrix())).as_quat(),
    R + "from_rotvec": lambda f, a: f(a(VECTORS)).as_quat(),
    R + "from_euler": lambda f, a: f("zyx", a(VECTORS)).as_quat(),
    R + "from_davenport": lambda f, a: f(a(np.eye(3)), "extrinsic", a(VECTORS)).as_quat(),
    R + "from_mrp": lambda f, a: f(a(VECTORS)).as_quat(),
    **{
        R + name: lambda f, a, name=name: getattr(_rotation(a), name)()
        for name in ("as_quat", "as_matrix", "as_rotvec", "as_mrp", "magnitude")
    },
    R + "as_euler": lambda f, a: _rotation(a).as_euler("zyx"),
    R + "as_davenport": lambda f, a: _rotation(a).as_davenport(a(np.eye(3)), "extrinsic"),
    R + "concatenate": lambda f, a: f([_rotation(a), _rotation(a)]).as_quat(),
    R + "apply": lambda f, a: _rotation(a).apply(a(VECTORS)),
    R + "__mul__": lambda f, a: (_rotation(a) * _rotation(a)[0]).as_quat(),
    R + "__pow__": lambda f, a: (_rotation(a) ** 1.5).as_quat(),
    R + "inv": lambda f, a: _rotation(a).inv().as_quat(),
    R + "approx_equal": lambda f, a: _rotation(a).approx_equal(_rotation(a)[1]),
    R + "mean": lambda f, a: _rotation(a).mean().as_matrix(),
    R + "reduce": lambda f, a: _rotation(a).reduce(_rotation(a)[:1], _rotation(a)[1:]).as_quat(),
    R + "__getitem__": lambda f, a: _rotation(a)[1].as_quat(),
    R + "__setitem__": lambda f, a: _changed(_rotation(a)).as_quat(),
    R + "align_vectors": lambda f, a: f(a(VECTORS), a(VECTORS[::-1].copy()))[0].as_matrix(),
    R + "__repr__": lambda f, a: len(repr(_rotation(a))) > 0,
    R + "__iter__": lambda f, a: [r.as_quat() for r in _rotation(a)],
    "spatial.Slerp.__init__": lambda f, a: _slerp(a)(a(np.array([0.5, 1.5]))).as_quat(),
    "spatial.Slerp.__call__": lambda f, a: _slerp(a)(a(np.array([0.2, 1.7]))).as_matrix(),
    "spatial.normalize_dual_quaternion": lambda f, a: f(
        a(np.concatenate([QUATERNIONS, QUATERNIONS[::-1]], 1))
    ),
    M + "from_matrix": lambda f, a: f(a(_matrices())).as_matrix(),
    M + "from_rotation": lambda f, a: f(_rotation(a)).as_matrix(),
    M + "from_translation": lambda f, a: f(a(VECTORS)).as_matrix(),
    M + "from_components": lambda f, a: _motion(a).as_matrix(),
    M + "from_exp_coords": lambda f, a: f(a(np.concatenate([VECTORS, VECTORS], 1))).as_matrix(),
    M + "from_dual_quat": lambda f, a: f(a(np.concatenate([QUATERNIONS, QUATERNIONS[::-1]], 1))).as_matrix(),
    M + "identity": lambda f, a: f(2).as_matrix(),
    M + "concatenate": lambda f, a: f([_motion(a), _motion(a)]).as_matrix(),
    M + "mean": lambda f, a: _motion(a).mean().as_matrix(),
    M + "as_matrix": lambda f, a: _motion(a).as_matrix(),
    M + "as_components": lambda f, a: _motion(a).as_components()[0],
    M + "as_exp_coords": lambda f, a: _motion(a).as_exp_coords(),
    M + "as_dual_quat": lambda f, a: _motion(a).as_dual_quat(),
    M + "__getitem__": lambda f, a: _motion(a)[1].as_matrix(),
    M + "__setitem__": lambda f, a: _changed(_motion(a)).as_matrix(),
    M + "__mul__": lambda f, a: (_motion(a) * _motion(a)[0]).as_matrix(),
    M + "__pow__": lambda f, a: (_motion(a) ** 0.5).as_matrix(),
    M + "inv": lambda f, a: _motion(a).inv().as_matrix(),
    M + "apply": lambda f, a: _motion(a).apply(a(VECTORS)),
    M + "__iter__": lambda f, a: [m.as_matrix() for m in _motion(a)],
}


def _changed(x: Any) -> Any:
    x[0] = x[2]
    return x


def _slerp(a: Any) -> Any:
    from scipy.spatial.transform import Slerp

    return Slerp(a(np.array([0.0, 1.0, 2.0])), _rotation(a))


KNOTS = np.arange(10.0)
VALUES = np.sin(KNOTS)
AT = np.array([0.5, 3.2, 7.9])
CALLS |= {
    **{
        f"interpolate.{name}": lambda f, a: f(a(KNOTS), a(VALUES))(a(AT))
        for name in (
            *("PchipInterpolator", "Akima1DInterpolator", "CubicSpline"),
            *("make_interp_spline", "make_smoothing_spline", "make_splrep"),
        )
    },
    "interpolate.BSpline": lambda f, a: f(a(KNOTS), a(VALUES[:6]), 3)(a(AT[1:2])),
    "interpolate.make_lsq_spline": lambda f, a: f(a(KNOTS), a(VALUES), a(np.r_[[0.0] * 4, 4.5, [9.0] * 4]))(
        a(AT)
    ),
    "interpolate.PPoly": lambda f, a: f(a(TABLE), a(np.arange(6.0)))(a(AT[:2])),
    "interpolate.BPoly": lambda f, a: f(a(TABLE), a(np.arange(6.0)))(a(AT[:2])),
    "interpolate.RBFInterpolator": lambda f, a: f(a(POINTS), a(LONG[:12]))(a(POINTS[:3] + 0.1)),
    "interpolate.CubicHermiteSpline": lambda f, a: f(a(KNOTS), a(VALUES), a(np.cos(KNOTS)))(a(AT)),
    "interpolate.generate_knots": lambda f, a: list(f(a(KNOTS), a(VALUES), s=0.1)),
    "interpolate.make_splprep": lambda f, a: f(a(np.stack([VALUES, np.cos(KNOTS)])), s=0.1)[1],
    "interpolate.NdBSpline": lambda f, a: f((a(np.arange(8.0)), a(np.arange(9.0))), a(IMAGE[:4, :5]), 3)(
        a(np.array([[3.5, 3.2]]))
    ),
    "interpolate.RegularGridInterpolator": lambda f, a: f((a(np.arange(7.0)), a(np.arange(8.0))), a(IMAGE))(
        a(np.abs(POINTS))
    ),
}
