"""SciPy's functions that support the array API return the same numbers for tensors as for arrays of NumPy."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from scipy._lib._array_api import xp_capabilities_table

import rushlight as rl
import scipy_calls_more  # noqa: F401  (adds calls)
from scipy_calls import CALLS

MODULES = (
    "cluster.hierarchy cluster.vq constants differentiate fft integrate interpolate linalg ndimage optimize"
)
for module in (
    *MODULES.split(),
    "optimize.elementwise",
    "signal",
    "signal.windows",
    "spatial",
    "special",
    "stats",
):
    importlib.import_module(f"scipy.{module}")


def listed() -> dict[str, Callable[..., Any]]:
    """Return the public functions that SciPy lists, by module and name."""
    found = {}
    for function, facts in xp_capabilities_table.items():
        module = [part for part in function.__module__.split(".")[1:] if not part.startswith("_")]
        name = getattr(function, "__qualname__", function.__name__)
        private = name.startswith("_") and not name.startswith("__")
        if facts["np_only"] or facts["out_of_scope"] or private:
            continue
        # The public modules are the first parts of the private ones; a few are nested.
        group = "signal.windows" if module == ["signal", "windows"] else module[0]
        found[f"{group}.{name}"] = function
    return found


LISTED = listed()
# Functions that call what the standard does not have: here `view` with a dtype.
REFUSED = {"interpolate.RBFInterpolator": "sizes and axes must be integers"}
# Functions that SciPy lists, although they return arrays of NumPy.
NUMPYS = {
    "signal.bode",
    "signal.cspline2d",
    "signal.impulse",
    "signal.place_poles",
    "spatial.RigidTransform.identity",
}

# Functions that convert their arguments to arrays of NumPy, although they are listed as supporting GPUs.
THROUGH_NUMPY = {
    f"{module}.{function}"
    for module, functions in (
        ("signal", "bode filtfilt iirdesign impulse place_poles sosfilt_zi"),
        ("stats", "power"),
    )
    for function in functions.split()
}


def test_every_function_has_a_call() -> None:
    assert sorted(set(LISTED) - set(CALLS)) == []
    assert len(LISTED) > 500


def leaves(x: Any) -> Iterator[Any]:
    """Yield the arrays, numbers and texts of a result: of tuples, lists, and objects with a dictionary."""
    if isinstance(x, tuple | list):
        for part in x:
            yield from leaves(part)
    elif isinstance(x, dict):
        for key in sorted(x):
            yield from leaves(x[key])
    elif hasattr(x, "__dict__") and not isinstance(x, rl.Tensor):
        yield from leaves({k: v for k, v in vars(x).items() if not k.startswith("_")})
    else:
        yield x


def compare(got: Any, want: Any, kind: type) -> None:
    """Compare the leaves of both results; where NumPy's is an array, ours is of this class and its dtype."""
    mine, theirs = list(leaves(got)), list(leaves(want))
    assert len(mine) == len(theirs)
    for g, w in zip(mine, theirs, strict=True):
        if isinstance(w, np.ndarray):
            assert isinstance(g, kind)
        if isinstance(g, rl.Tensor):
            assert g.shape == np.shape(w)
            g = g.numpy()
            assert g.dtype == np.asarray(w).dtype
        if isinstance(w, str | bool | type(None) | slice):
            assert g == w
        else:
            scale = np.max(np.abs(w[np.isfinite(w)]), initial=0) if isinstance(w, np.ndarray) else 0
            np.testing.assert_allclose(g, w, rtol=1e-9, atol=1e-11 * float(scale))


@pytest.fixture
def wide() -> Iterator[None]:
    """Make numbers without a dtype float64, as NumPy's are."""
    before = rl.get_default_dtype()
    rl.set_default_dtype(rl.float64)
    yield
    rl.set_default_dtype(before)


@pytest.mark.parametrize("name", sorted(CALLS))
@pytest.mark.usefixtures("wide")
@pytest.mark.filterwarnings("ignore")
def test_functions_return_scipys_numbers(name: str) -> None:
    call, function = CALLS[name], LISTED[name]
    if name in REFUSED:
        with pytest.raises(TypeError, match=REFUSED[name]):
            call(function, rl.asarray)
        return
    kind = np.ndarray if name in NUMPYS else rl.Tensor
    compare(call(function, rl.asarray), call(function, np.asarray), kind)
