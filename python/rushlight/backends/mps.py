"""PyTorch's question whether Apple's GPUs can be used; they are not."""

from __future__ import annotations

__all__ = ["is_available", "is_built"]


def is_available() -> bool:
    """Returns False: Apple's GPUs are not used.

    Returns
    -------
    bool
        False.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.backends.mps.is_available()
    False
    """
    return False


def is_built() -> bool:
    """Returns False: no build uses Apple's GPUs.

    Returns
    -------
    bool
        False.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.backends.mps.is_built()
    False
    """
    return False
