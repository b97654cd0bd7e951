"""PyTorch's question whether the library OpenMP can be used; it is never needed here."""

from __future__ import annotations

__all__ = ["is_available"]


def is_available() -> bool:
    """Returns False: the library OpenMP is not used.

    Returns
    -------
    bool
        False.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.backends.openmp.is_available()
    False
    """
    return False
