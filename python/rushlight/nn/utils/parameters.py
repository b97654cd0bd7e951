"""Parameters as one vector, and modules without initial values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from rushlight import _core as rl
from rushlight._native import Tensor

from ..module import Module

__all__ = ["parameters_to_vector", "skip_init", "vector_to_parameters"]

M = TypeVar("M", bound=Module)


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """Returns the elements of parameters in one axis; differentiable.

    Parameters
    ----------
    parameters
        The parameters, of one dtype and device.

    Returns
    -------
    Tensor
        Their elements, one parameter after the other.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.utils.parameters_to_vector(rl.nn.Linear(3, 2).parameters()).shape
    (8,)
    """
    return rl.concat([rl.reshape(p, (-1,)) for p in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Copies the elements of one axis into parameters.

    Parameters
    ----------
    vec
        As many elements as all parameters have.
    parameters
        The parameters, in the order of `parameters_to_vector`.

    Raises
    ------
    TypeError
        If `vec` is not a Tensor.
    ValueError
        If the number of elements differs.

    Examples
    --------
    >>> import rushlight as rl
    >>> layer = rl.nn.Linear(1, 2, bias=False)
    >>> rl.nn.utils.vector_to_parameters(rl.tensor([1.0, 2.0]), layer.parameters())
    >>> layer.weight.tolist()
    [[1.0], [2.0]]
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"vector_to_parameters: vec is a Tensor, got {type(vec).__name__}")
    found = list(parameters)
    total = sum(p.numel() for p in found)
    if vec.shape != (total,):
        raise ValueError(f"vector_to_parameters: vec {vec.shape} for {total} elements of parameters")
    at = 0
    with rl.no_grad():
        for p in found:
            p.copy_(rl.reshape(vec.detach()[at : at + p.numel()], p.shape))
            at += p.numel()


def skip_init(module_cls: type[M], *args: Any, **kwargs: Any) -> M:
    """Makes a module for values that are set later, such as those of a checkpoint.

    Parameters
    ----------
    module_cls
        The class, which takes a `device`.
    *args, **kwargs
        Its arguments.

    Returns
    -------
    Module
        The module; the values of its parameters are undefined.

    Raises
    ------
    TypeError
        If `module_cls` is not a class of modules.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.utils.skip_init(rl.nn.Linear, 3, 2).weight.shape
    (2, 3)
    """
    if not (isinstance(module_cls, type) and issubclass(module_cls, Module)):
        raise TypeError(f"skip_init: {module_cls!r} is not a class of modules")
    return module_cls(*args, **kwargs).to_empty(device=kwargs.get("device") or "cpu")
