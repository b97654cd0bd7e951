"""The CPU's speed of products of sparse matrices, and of their gradients, against PyTorch and SciPy."""

import argparse
import importlib
import importlib.util
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import timing

import rushlight as rl

# Rows and columns, elements of a row, and columns of the dense matrix.
SIZES = {
    "10,000, 10 a row, 1": (10_000, 10, 1),
    "10,000, 10 a row, 64": (10_000, 10, 64),
    "100,000, 20 a row, 32": (100_000, 20, 32),
    "2,000, 200 a row, 256": (2_000, 200, 256),
}


def drawn(rows: int, each: int, columns: int) -> tuple[np.ndarray, ...]:
    """Return the starts of the rows, columns and elements of a sparse matrix, and a dense one."""
    rng = np.random.default_rng(0)
    col = np.sort(rng.integers(0, rows, (rows, each)), axis=1).reshape(-1)
    values, dense = (rng.normal(size=n).astype(np.float32) for n in (col.size, (rows, columns)))
    return np.arange(rows + 1) * each, col, values, dense


def calls(make: Callable[..., tuple[Any, Any, Any]]) -> dict[str, Callable[[], Any]]:
    """Return the calls of a library; `make` makes a sparse matrix, its elements and a dense matrix."""
    found: dict[str, Callable[[], Any]] = {}
    for name, sizes in SIZES.items():
        sparse, values, dense = make(*drawn(*sizes))

        def forward(sparse: Any = sparse, dense: Any = dense) -> Any:
            return sparse @ dense

        def backward(make: Any = make, sizes: Any = sizes) -> Any:
            sparse, values, dense = make(*drawn(*sizes))
            values.requires_grad_()
            dense.requires_grad_()
            return lambda: (sparse @ dense).sum().backward()

        found[f"csr @ dense {name}"] = forward
        # (The gradient of PyTorch's sparse matrix is as large as a dense one.)
        if hasattr(values, "requires_grad_") and (make is ours or sizes[0] <= 10_000):
            found[f"csr @ dense {name}, gradients"] = backward()
    return found


def ours(crow: np.ndarray, col: np.ndarray, values: np.ndarray, dense: np.ndarray) -> tuple[Any, Any, Any]:
    """Make the matrices of Rushlight."""
    x = rl.sparse_csr_tensor(crow, col, values, (dense.shape[0], dense.shape[0]))
    return x, x, rl.asarray(dense)


def sides(_: argparse.Namespace) -> timing.Sides:
    """Return the calls of each library."""
    found = {timing.OURS: calls(ours)}
    if torch := timing.torch_or_none():
        warnings.filterwarnings("ignore", "Sparse")

        def peer(
            crow: np.ndarray, col: np.ndarray, values: np.ndarray, dense: np.ndarray
        ) -> tuple[Any, Any, Any]:
            shape = (dense.shape[0], dense.shape[0])
            x = torch.sparse_csr_tensor(*(torch.from_numpy(a) for a in (crow, col, values)), shape)
            return x, x, torch.from_numpy(dense)

        found["torch"] = calls(peer)
    if importlib.util.find_spec("scipy"):
        scipy_sparse = importlib.import_module("scipy.sparse")

        def scipy(
            crow: np.ndarray, col: np.ndarray, values: np.ndarray, dense: np.ndarray
        ) -> tuple[Any, Any, Any]:
            x = scipy_sparse.csr_array((values, col, crow), (dense.shape[0], dense.shape[0]))
            return x, values, dense

        found["scipy"] = calls(scipy)
    return found


if __name__ == "__main__":
    timing.main(__doc__, sides)
