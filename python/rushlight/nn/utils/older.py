"""PyTorch's older names of parametrizations, which they are here; keys of the state dict are those."""

from __future__ import annotations

from ..module import Module
from . import parametrize
from .parametrizations import spectral_norm, weight_norm

__all__ = ["remove_spectral_norm", "remove_weight_norm", "spectral_norm", "weight_norm"]


def remove_weight_norm(module: Module, name: str = "weight") -> Module:
    """Undoes `weight_norm`: the weight is a parameter again.

    Parameters
    ----------
    module
        The module that owns the weight.
    name
        Its name.

    Returns
    -------
    Module
        `module`.

    Examples
    --------
    >>> import rushlight as rl
    >>> layer = rl.nn.utils.weight_norm(rl.nn.Linear(2, 2))
    >>> sorted(dict(rl.nn.utils.remove_weight_norm(layer).named_parameters()))
    ['bias', 'weight']
    """
    return parametrize.remove_parametrizations(module, name)


def remove_spectral_norm(module: Module, name: str = "weight") -> Module:
    """Undoes `spectral_norm`: the weight is a parameter again.

    Parameters
    ----------
    module
        The module that owns the weight.
    name
        Its name.

    Returns
    -------
    Module
        `module`.

    Examples
    --------
    >>> import rushlight as rl
    >>> layer = rl.nn.utils.spectral_norm(rl.nn.Linear(2, 2))
    >>> sorted(dict(rl.nn.utils.remove_spectral_norm(layer).named_parameters()))
    ['bias', 'weight']
    """
    return parametrize.remove_parametrizations(module, name)
