"""PyTorch's question whether Intel's oneDNN can be used; it is never needed here."""

from __future__ import annotations

import sys

from .._settings import Switches

__all__ = ["deterministic", "enabled", "fp32_precision", "is_available"]

enabled: bool = True
deterministic: bool = False
fp32_precision: str = "none"
_SWITCHES = {"enabled": True, "deterministic": True, "fp32_precision": ("none", "ieee", "tf32", "bf16")}


def is_available() -> bool:
    """Returns False: Intel's oneDNN is not used.

    Returns
    -------
    bool
        False.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.backends.mkldnn.is_available()
    False
    """
    return False


sys.modules[__name__].__class__ = Switches
