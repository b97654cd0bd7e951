"""Exponentials of matrices."""

from __future__ import annotations

import math

from .. import _native as n
from .. import _types as t
from .._check import typed
from .._native import Tensor
from .linalg_errors import square

# Coefficients of Pade's approximations of the exponential, and the largest 1-norm that they are used for
# (Higham 2005, "The scaling and squaring method for the matrix exponential revisited").
_PADE = {
    "float32": (3.925724783138660, (17297280.0, 8648640.0, 1995840.0, 277200.0, 25200.0, 1512.0, 56.0, 1.0)),
    "float64": (
        5.371920351148152,
        (
            *(64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0),
            *(129060195264000.0, 10559470521600.0, 670442572800.0, 33522128640.0, 1323241920.0, 40840800.0),
            *(960960.0, 16380.0, 182.0, 1.0),
        ),
    ),
}


@typed
def matrix_exp(A: Tensor) -> Tensor:
    """Returns exponentials of square matrices: ``I + A + A @ A / 2 + ...``.

    A matrix is halved until its 1-norm is small, its exponential is approximated by a quotient of polynomials
    (Higham 2005), and the result is squared as many times. The gradient is that of these operations.

    Parameters
    ----------
    A
        Square matrices.

    Returns
    -------
    Tensor
        The same shape.

    Raises
    ------
    ValueError
        If the matrices are not square.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.linalg.matrix_exp(rl.tensor([[0.0, 1.0], [0.0, 0.0]])).tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    x = square("matrix_exp", A)
    if x.size == 0:
        return x.clone()
    most, b = _PADE[x.dtype.name]
    norms = n.amax(n.sum(n.abs(x.detach()), axis=-2), axis=-1)
    # How often each matrix is halved; a device waits for these numbers.
    halvings = [_halvings(norm / most) for norm in n.reshape(norms, (-1,)).tolist()]
    per_matrix = (*norms.shape, 1, 1)
    whole = n.reshape(n.asarray(halvings, dtype=t.int64, device=x.device), per_matrix)
    x = x * n.reshape(n.asarray([0.5**k for k in halvings], dtype=x.dtype, device=x.device), per_matrix)
    eye = n.eye(x.shape[-1], dtype=x.dtype, device=x.device)
    square_of = n.matmul(x, x)
    powers = [eye]
    while len(powers) < len(b) // 2:
        powers.append(n.matmul(powers[-1], square_of) if len(powers) > 1 else square_of)
    odd = n.matmul(x, _weighted(powers, b[1::2]))
    even = _weighted(powers, b[0::2])
    out = n._solve(even - odd, even + odd, True)
    for step in range(max(halvings)):
        out = n.where(whole > step, n.matmul(out, out), out)
    return out


def _halvings(size: float) -> int:
    return math.ceil(math.log2(size)) if 1 < size < math.inf else 0


def _weighted(terms: list[Tensor], factors: tuple[float, ...]) -> Tensor:
    total = terms[0] * factors[0]
    for term, factor in zip(terms[1:], factors[1:], strict=True):
        total = total + term * factor
    return total
