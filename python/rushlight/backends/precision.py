"""PyTorch's setting of the precision of float32 products."""

from __future__ import annotations

from .._settings import one_of

__all__ = ["get_float32_matmul_precision", "set_float32_matmul_precision"]

_precision = "highest"


def set_float32_matmul_precision(precision: str) -> None:
    """Accepts PyTorch's setting of how exact products of float32 are at least; they are always of float32.

    Parameters
    ----------
    precision
        ``"highest"``, ``"high"`` or ``"medium"``. The latter two allow less than float32, and change nothing.

    Raises
    ------
    ValueError
        If `precision` is another text.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.set_float32_matmul_precision("high")
    >>> rl.get_float32_matmul_precision()
    'high'
    >>> rl.set_float32_matmul_precision("highest")
    """
    global _precision
    one_of("set_float32_matmul_precision", precision, ("highest", "high", "medium"))
    _precision = precision


def get_float32_matmul_precision() -> str:
    """Returns the text that `set_float32_matmul_precision` took.

    Returns
    -------
    str
        ``"highest"`` at first.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.get_float32_matmul_precision()
    'highest'
    """
    return _precision
