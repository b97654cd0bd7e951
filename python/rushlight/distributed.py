"""PyTorch's questions whether several processes work together; they never do."""

from __future__ import annotations

__all__ = ["is_available", "is_initialized"]


def is_available() -> bool:
    """Returns False: there is no communication among processes.

    Returns
    -------
    bool
        False.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributed.is_available()
    False
    """
    return False


def is_initialized() -> bool:
    """Returns False: there is no group of processes.

    Returns
    -------
    bool
        False.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributed.is_initialized()
    False
    """
    return False
