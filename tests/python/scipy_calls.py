"""A call of each function of SciPy that supports the array API: its name, and its arguments.

A call is a function of `f`, SciPy's function, and `a`, which makes an array of one library of numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats.qmc import Halton as halton

Call = Callable[[Any, Callable[..., Any]], Any]

RNG = np.random.default_rng(5)
X = np.array([0.2, 0.5, 0.7, 0.9])
Y = np.array([0.1, 0.4, 0.3, 0.8])
K = np.array([1.0, 2.0, 3.0, 4.0])
N = K + 3
LONG = RNG.normal(size=40)
OTHER = RNG.normal(size=40) + 0.3
POSITIVE = RNG.uniform(0.5, 3, 40)
TABLE = RNG.normal(size=(6, 5))
Z = RNG.normal(size=8) + 1j * RNG.normal(size=8)
POINTS = RNG.normal(size=(12, 2))
IMAGE = RNG.normal(size=(7, 8))
MASK = IMAGE > -0.2
LABELS = np.arange(56).reshape(7, 8) // 14

CALLS: dict[str, Call] = {}


def by_arrays(module: str, table: dict[str, tuple[Any, ...]]) -> None:
    """Add functions whose arguments are arrays, or numbers, which are passed as they are."""
    for name, args in table.items():
        CALLS[f"{module}.{name}"] = lambda f, a, args=args: f(*(a(v) if np.ndim(v) else v for v in args))


by_arrays(
    "special",
    {
        **dict.fromkeys(("bdtr", "bdtrc", "bdtri"), (K, N, X)),
        **dict.fromkeys(("betainc", "betaincc", "betaincinv", "fdtr", "fdtrc", "fdtri"), (K, N, X)),
        **dict.fromkeys(("betaln", "binom", "kl_div", "rel_entr", "poch", "huber", "pseudo_huber"), (N, K)),
        **dict.fromkeys(("boxcox", "boxcox1p", "inv_boxcox", "inv_boxcox1p", "xlogy", "xlog1py"), (K, X)),
        **dict.fromkeys(("cbrt", "cosdg", "cotdg", "sindg", "tandg", "cosm1", "exp10", "exp2"), (K,)),
        **dict.fromkeys(("exprel", "expi", "exp1", "spence", "rgamma", "gamma", "gammasgn"), (K + 0.5,)),
        **dict.fromkeys(("ellipk", "ellipkm1", "entr", "erf", "erfc", "erfcx", "erfinv", "expit"), (X,)),
        **dict.fromkeys(("gammaln", "loggamma", "psi", "zetac", "i0", "i0e", "i1", "i1e"), (K,)),
        **dict.fromkeys(("j0", "j1", "k0", "k0e", "k1", "k1e", "y0", "y1"), (K,)),
        **dict.fromkeys(("logit", "ndtr", "ndtri", "log_ndtr", "sinc"), (X,)),
        **dict.fromkeys(("chdtr", "chdtrc"), (K, N)),
        **dict.fromkeys(("gammainc", "gammaincc", "zeta"), (K + 1, X)),
        **dict.fromkeys(("chdtri", "gammainccinv", "gammaincinv"), (K, X)),
        **dict.fromkeys(("gdtr", "gdtrc"), (K, N, X)),
        **dict.fromkeys(("nbdtr", "nbdtrc", "nbdtri"), (K, N, X)),
        **dict.fromkeys(("pdtr", "pdtrc", "pdtri"), (K, X)),
        **dict.fromkeys(("stdtr", "stdtrit"), (K, X)),
        "expn": (np.array([1, 2, 3, 4]), X),
        "hyp1f1": (K, N, X),
        "lpmv": (K * 0, K, X),
        "multigammaln": (N, 2),
        "polygamma": (2, K),
        "radian": (K, N, X),
        "yn": (np.array([0, 1, 2, 3]), K),
        "logsumexp": (TABLE, 1),
        "softmax": (TABLE, 1),
        "log_softmax": (TABLE, 1),
    },
)
by_arrays(
    "fft",
    {
        **dict.fromkeys(("fft", "ifft", "hfft"), (Z,)),
        **dict.fromkeys(("rfft", "ihfft"), (LONG,)),
        "irfft": (Z,),
        **dict.fromkeys(("fftn", "ifftn", "fft2", "ifft2"), (IMAGE + 1j * IMAGE**2,)),
        **dict.fromkeys(("rfftn", "rfft2", "ihfftn", "ihfft2"), (IMAGE,)),
        **dict.fromkeys(("irfftn", "irfft2", "hfftn", "hfft2"), (IMAGE + 1j * IMAGE**2,)),
        **dict.fromkeys(("dctn", "idctn", "dstn", "idstn", "dct", "idct", "dst", "idst"), (IMAGE,)),
        **dict.fromkeys(("fht", "ifht"), (POSITIVE, 0.3, 0.5)),
        **dict.fromkeys(("fftshift", "ifftshift"), (LONG,)),
    },
)
for name in ("fftfreq", "rfftfreq"):
    CALLS[f"fft.{name}"] = lambda f, a: f(8, 0.5, xp=library(a))
by_arrays(
    "linalg", {"block_diag": (TABLE, IMAGE), "fiedler": (K,), "orthogonal_procrustes": (TABLE, TABLE * 2)}
)
by_arrays("constants", {"convert_temperature": (X, "C", "K"), "lambda2nu": (X,), "nu2lambda": (X,)})
by_arrays(
    "integrate",
    {
        "trapezoid": (TABLE,),
        "cumulative_trapezoid": (TABLE,),
        "cumulative_simpson": (TABLE,),
        "romb": (LONG[:33],),
    },
)
CALLS |= {
    "integrate.qmc_quad": lambda f, a: f(
        lambda x: (x * x).sum(axis=-1) if not isinstance(x, np.ndarray) else np.sum(x * x, axis=-1),
        a(X[:2] * 0),
        a(X[:2]),
        n_points=64,
        qrng=halton(2, rng=np.random.default_rng(3)),
    ),
    "integrate.tanhsinh": lambda f, a: pick(f(lambda x: x * x, a(X), a(K)), "integral success"),
    "integrate.nsum": lambda f, a: pick(f(lambda k: 1 / k**3, a(K), a(K * 0 + np.inf)), "sum success"),
    "integrate.cubature": lambda f, a: pick(
        f(lambda x: library(a).sum(x * x, axis=-1), a(X[:2] * 0), a(X[:2])), "estimate status"
    ),
}
by_arrays("optimize", {"rosen": (X,), "rosen_der": (X,), "rosen_hess": (X,), "rosen_hess_prod": (X, Y)})
CALLS |= {
    "optimize.find_root": lambda f, a: pick(
        f(lambda x, c: x**2 - c, (a(X * 0), a(N)), args=(a(K),)), "x success"
    ),
    "optimize.find_minimum": lambda f, a: pick(
        f(lambda x, c: (x - c) ** 2 + 1, (a(K - 5), a(K), a(K + 7)), args=(a(K + 0.5),)), "f_x success"
    ),
    "optimize.bracket_root": lambda f, a: pick(f(lambda x, c: x**2 - c, a(X), a(N), args=(a(K),)), "bracket"),
    "optimize.bracket_minimum": lambda f, a: pick(
        f(lambda x, c: (x - c) ** 2, a(X), args=(a(K),)), "bracket"
    ),
    "differentiate.derivative": lambda f, a: pick(f(library(a).sin, a(X)), "df success"),
    "differentiate.jacobian": lambda f, a: pick(f(lambda x: library(a).sin(x) * x, a(X)), "df"),
    "differentiate.hessian": lambda f, a: pick(f(lambda x: library(a).sum(x**3, axis=0), a(X)), "ddf"),
}
LINK = np.array([[0.0, 1, 0.5, 2], [2, 3, 0.7, 2], [4, 5, 1.5, 4]])
by_arrays(
    "cluster",
    {
        "whiten": (POINTS,),
        "vq": (POINTS, POINTS[:3]),
        "kmeans": (POINTS, POINTS[:3]),
        "to_mlab_linkage": (LINK,),
        "from_mlab_linkage": (LINK[:, :3] + np.array([1, 1, 0]),),
        **dict.fromkeys(
            ("single", "complete", "average", "weighted", "centroid", "median", "ward", "linkage"),
            (np.sqrt(((POINTS[:5, None] - POINTS[None, :5]) ** 2).sum(-1))[np.triu_indices(5, 1)],),
        ),
        **dict.fromkeys(
            ("cophenet", "inconsistent", "is_monotonic", "is_valid_linkage", "leaves_list"), (LINK,)
        ),
        **dict.fromkeys(("num_obs_linkage", "maxdists"), (LINK,)),
        "correspond": (LINK, X[[0, 1, 2, 3, 0, 1]]),
        "fcluster": (LINK, 0.6, "distance"),
        "fclusterdata": (POINTS, 1.0),
        "is_isomorphic": (np.array([1, 1, 2]), np.array([2, 2, 1])),
        "maxinconsts": (LINK, np.abs(LINK)),
        "maxRstat": (LINK, np.abs(LINK), 1),
        "leaders": (LINK, np.array([1, 1, 2, 2], np.int32)),
        "is_valid_im": (np.abs(LINK),),
        "optimal_leaf_ordering": (LINK, X[[0, 1, 2, 3, 0, 1]]),
    },
)
CALLS |= {
    "cluster.kmeans2": lambda f, a: f(a(POINTS), a(POINTS[:3]), minit="matrix"),
    "cluster.to_tree": lambda f, a: f(a(LINK)).get_count(),
    "cluster.dendrogram": lambda f, a: f(a(LINK), no_plot=True)["leaves"],
}
SIZES = (
    "boxcar",
    "triang",
    "parzen",
    "bohman",
    "blackman",
    "nuttall",
    "blackmanharris",
    "flattop",
    "bartlett",
)
MORE_SIZES = ("hann", "tukey", "barthann", "hamming", "cosine", "exponential", "taylor", "lanczos")
PARAMETERS: dict[str, tuple[Any, ...]] = {
    "general_hamming": (0.7,),
    "kaiser": (5.0,),
    "kaiser_bessel_derived": (5.0,),
    "gaussian": (2.0,),
    "general_gaussian": (1.5, 2.0),
    "chebwin": (60.0,),
    **dict.fromkeys((*SIZES, *MORE_SIZES), ()),
}
for name, args in PARAMETERS.items():
    CALLS[f"signal.windows.{name}"] = lambda f, a, args=args: f(12, *args, xp=library(a))
CALLS["signal.windows.get_window"] = lambda f, a: f("hann", 12, xp=library(a))
CALLS["signal.windows.general_cosine"] = lambda f, a: f(12, a(np.array([1.0, 0.9, 0.2])))


def library(a: Callable[..., Any]) -> Any:
    """Return the namespace whose arrays are made."""
    return a(X).__array_namespace__()


def pick(result: Any, names: str) -> list[Any]:
    """Return attributes of a result."""
    return [getattr(result, name) for name in names.split()]
