"""PyTorch's question whether Intel's MKL can be used; it is never needed here."""

from __future__ import annotations

__all__ = ["is_available"]


def is_available() -> bool:
    """Returns False: Intel's MKL is not used.

    Returns
    -------
    bool
        False.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.backends.mkl.is_available()
    False
    """
    return False
