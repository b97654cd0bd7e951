"""Linear algebra: factorizations, solutions of systems, determinants and norms, with gradients.

Functions have the names and arguments of `torch.linalg` and of the array API's extension `linalg`. Matrices
are the last two axes of a tensor, and the axes before them are a batch. They are float32, float64, complex64
or complex128; products and norms also take the other floating-point dtypes. `eig` and `eigvals` compute on
the CPU only, and raise NotImplementedError for matrices on a GPU.
"""

from .._compose.arithmetic import cross
from .._compose.decompose import eig, eigh, eigvals, eigvalsh, svd, svdvals
from .._compose.exponential import matrix_exp
from .._compose.factor import cholesky, cholesky_ex, lu, lu_factor, lu_factor_ex, qr
from .._compose.linalg_errors import LinAlgError
from .._compose.powers import diagonal, matrix_power, multi_dot, trace, vander
from .._compose.products import outer, tensordot, vecdot
from .._compose.solve import (
    det,
    inv,
    inv_ex,
    lu_solve,
    slogdet,
    solve,
    solve_ex,
    solve_triangular,
    tensorinv,
    tensorsolve,
)
from .._native import matmul, matrix_transpose
from ._least_squares import cond, lstsq, matrix_rank, pinv
from ._norms import matrix_norm, norm, vector_norm

__all__ = [
    "LinAlgError",
    "cholesky",
    "cholesky_ex",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "inv_ex",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_factor_ex",
    "lu_solve",
    "matmul",
    "matrix_exp",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_ex",
    "solve_triangular",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vander",
    "vecdot",
    "vector_norm",
]
