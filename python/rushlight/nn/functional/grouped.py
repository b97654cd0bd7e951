"""Matrix products of groups."""

from __future__ import annotations

from rushlight import _core as rl
from rushlight import _native
from rushlight._check import typed
from rushlight._native import DType, Tensor

__all__ = [
    "grouped_mm",
]


@typed
def grouped_mm(
    mat_a: Tensor,
    mat_b: Tensor,
    *,
    offs: Tensor | None = None,
    bias: Tensor | None = None,
    out_dtype: DType | None = None,
) -> Tensor:
    """Multiplies groups of rows, columns or inner elements, each by its own matrix.

    A tensor of rank 2 contains the matrices of all groups, one behind the other; a tensor of rank 3 has a
    matrix for each group.

    Parameters
    ----------
    mat_a
        Shape ``(M, K)`` or ``(groups, M, K)``, floating point.
    mat_b
        Shape ``(K, N)`` or ``(groups, K, N)``, of the dtype of `mat_a`.
    offs
        The end of each group, int32 of shape ``(groups,)``, in ascending order; None if both matrices have
        rank 3. It is not copied to the host.
    bias
        Added to the result; broadcast to its shape.
    out_dtype
        Dtype to compute in, and of the result; that of `mat_a` if None.

    Returns
    -------
    Tensor
        Shape ``(M, N)`` if one of the matrices has rank 2, with zeros behind the last group; else
        ``(groups, M, N)``.

    Raises
    ------
    ValueError
        If shapes do not fit, or `offs` is missing or superfluous.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> a, b = rl.tensor([[1.0], [2.0], [3.0]]), rl.tensor([[[10.0]], [[100.0]]])
    >>> F.grouped_mm(a, b, offs=rl.tensor([2, 3], dtype=rl.int32)).tolist()
    [[10.0], [20.0], [300.0]]
    """
    if (offs is None) != (mat_a.ndim == 3 and mat_b.ndim == 3):
        raise ValueError(
            f"grouped_mm: offs goes with a matrix of rank 2, got shapes {mat_a.shape} and {mat_b.shape}"
        )
    if out_dtype is not None:
        mat_a, mat_b = mat_a.to(out_dtype), mat_b.to(out_dtype)
    out = rl.matmul(mat_a, mat_b) if offs is None else _native._grouped_matmul(mat_a, mat_b, offs)
    return out if bias is None else out + bias.to(out.dtype)
