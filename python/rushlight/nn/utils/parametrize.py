"""Parameters that are computed from others."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from rushlight import _core as rl
from rushlight._native import Tensor

from ..containers import ModuleDict, ModuleList
from ..module import Module
from ..parameter import Parameter

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]

# Values inside `cached`, by module and name; None outside.
_cache: dict[tuple[int, str], Any] | None = None


class ParametrizationList(ModuleList):
    """The modules that compute one tensor, and the tensors that they start from.

    `register_parametrization` makes it.

    Parameters
    ----------
    modules
        The modules, in the order of their calls.
    original
        The tensor before; the first module's ``right_inverse`` splits it where it has one.
    unsafe
        Whether shape and dtype may differ from those of `original`.

    Raises
    ------
    TypeError, ValueError
        If ``right_inverse`` returns something else than tensors, or shape or dtype change.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn.utils import parametrize
    >>> class Square(rl.nn.Module):
    ...     def forward(self, x):
    ...         return x * x
    >>> found = parametrize.ParametrizationList([Square()], rl.tensor([3.0]))
    >>> found().tolist(), found.original.tolist()
    ([9.0], [3.0])
    """

    def __init__(self, modules: list[Module], original: Tensor, unsafe: bool = False) -> None:
        super().__init__(modules)
        self.unsafe = unsafe
        value: Any = original.detach()
        with rl.no_grad():
            for module in reversed(modules):
                if hasattr(module, "right_inverse"):
                    # Without an inverse for these settings, the value before is the original.
                    with suppress(NotImplementedError):
                        value = module.right_inverse(value)
        parts = [value] if isinstance(value, Tensor) else list(value)
        if not all(isinstance(part, Tensor) for part in parts):
            raise TypeError("register_parametrization: right_inverse returns a tensor or several")
        self.ntensors = len(parts)
        self.is_tensor = isinstance(value, Tensor)
        for name, part in zip(self._names(), parts, strict=True):
            if isinstance(original, Parameter):
                # The same parameter where possible, for the optimizer that has it.
                same = self.is_tensor and part.shape == original.shape
                kept = original if same else Parameter(part)
                kept.data = part.clone()
                kept.requires_grad_(original.requires_grad)
                self.register_parameter(name, kept)
            else:
                self.register_buffer(name, part)
        if not unsafe:
            with rl.no_grad():
                found = self()
            if found.shape != original.shape or found.dtype != original.dtype:
                raise ValueError(
                    f"register_parametrization: {found.dtype} of shape {found.shape} instead of "
                    f"{original.dtype} of shape {original.shape}; pass unsafe=True to allow it"
                )

    def _names(self) -> list[str]:
        return ["original"] if self.is_tensor else [f"original{i}" for i in range(self.ntensors)]

    def forward(self) -> Tensor:
        """Computes the tensor.

        Returns
        -------
        Tensor
            The value.
        """
        value: Any = None
        for i, module in enumerate(self):
            value = module(*(getattr(self, name) for name in self._names())) if i == 0 else module(value)
        out: Tensor = value
        return out

    def right_inverse(self, value: Tensor) -> None:
        """Sets the tensors so that the modules compute a value.

        Parameters
        ----------
        value
            The value.

        Raises
        ------
        RuntimeError
            If a module has no ``right_inverse``.

        Examples
        --------
        >>> import rushlight as rl
        >>> from rushlight.nn.utils import parametrizations
        >>> layer = parametrizations.weight_norm(rl.nn.Linear(1, 1))
        >>> layer.weight = rl.tensor([[2.0]])
        >>> layer.weight.tolist()
        [[2.0]]
        """
        parts: Any = value
        with rl.no_grad():
            for module in reversed(self):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"{type(module).__name__} has no right_inverse: assign its original")
                parts = module.right_inverse(parts)
            for name, part in zip(self._names(), [parts] if self.is_tensor else parts, strict=True):
                getattr(self, name).data = part.detach().clone()


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Makes a parameter or buffer the result of a module, which is called at each access.

    The tensor before becomes ``module.parametrizations.<name>.original``, which is what is trained.

    Parameters
    ----------
    module
        The module that owns the tensor.
    tensor_name
        Its name.
    parametrization
        Its ``forward`` takes the original and returns the value. A ``right_inverse(value)`` gives the
        original of a value: at first, and when the tensor is assigned to. Where it raises
        NotImplementedError, the tensor is the first original as it is.
    unsafe
        Whether shape and dtype may change.

    Returns
    -------
    Module
        `module`.

    Raises
    ------
    ValueError
        If the module has no parameter or buffer of the name, or shape or dtype change.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn.utils import parametrize
    >>> class Symmetric(rl.nn.Module):
    ...     def forward(self, x):
    ...         return (x + x.mT) / 2
    >>> layer = parametrize.register_parametrization(rl.nn.Linear(3, 3), "weight", Symmetric())
    >>> bool((layer.weight == layer.weight.mT).all())
    True
    >>> sorted(layer.state_dict())
    ['bias', 'parametrizations.weight.original']
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        found = module.parametrizations[tensor_name]
        before = getattr(module, tensor_name)
        if hasattr(parametrization, "right_inverse"):
            with rl.no_grad(), suppress(NotImplementedError):
                found.right_inverse(parametrization.right_inverse(before.detach()))
        found.append(parametrization)
        with rl.no_grad():
            after = found()
        if not (unsafe or found.unsafe) and (after.shape, after.dtype) != (before.shape, before.dtype):
            found.pop(-1)
            raise ValueError(
                f"register_parametrization: {after.dtype} of shape {after.shape} instead of "
                f"{before.dtype} of shape {before.shape}; pass unsafe=True to allow it"
            )
        return module
    if tensor_name not in module._parameters and tensor_name not in module._buffers:
        raise ValueError(
            f"register_parametrization: {type(module).__name__} has no parameter or buffer {tensor_name!r}"
        )
    made = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe)
    if not is_parametrized(module):
        module.__class__ = _parametrized(type(module))
        module.parametrizations = ModuleDict()
    delattr(module, tensor_name)
    module.parametrizations[tensor_name] = made
    setattr(type(module), tensor_name, _property(tensor_name))
    return module


def _parametrized(cls: type[Module]) -> type[Module]:
    """Make a class for one module, to hold the properties of its tensors."""

    def no_state(self: Module) -> Any:
        raise RuntimeError("a parametrized module is saved by its state_dict(), not by pickle")

    def copied(self: Module, memo: dict[int, Any]) -> Module:
        made = type(self).__new__(_parametrized(cls))
        memo[id(self)] = made
        made.__dict__.update(copy.deepcopy(self.__dict__, memo))
        for name in self.parametrizations:
            setattr(type(made), name, _property(name))
        return made

    body = {"__getstate__": no_state, "__deepcopy__": copied, "__module__": cls.__module__, "_plain": cls}
    return type(f"Parametrized{cls.__name__}", (cls,), body)


def _property(name: str) -> property:
    def get(self: Module) -> Any:
        if _cache is None:
            return self.parametrizations[name]()
        key = id(self), name
        if key not in _cache:
            _cache[key] = self.parametrizations[name]()
        return _cache[key]

    def put(self: Module, value: Tensor) -> None:
        self.parametrizations[name].right_inverse(value)

    return property(get, put)


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Returns whether a module, or one of its tensors, has parametrizations.

    Parameters
    ----------
    module
        The module.
    tensor_name
        The tensor; any if None.

    Returns
    -------
    bool
        Whether it has.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.utils.parametrize.is_parametrized(rl.nn.Linear(2, 2))
    False
    """
    found = module._modules.get("parametrizations")
    if not isinstance(found, ModuleDict):
        return False
    return len(found) > 0 if tensor_name is None else tensor_name in found


def type_before_parametrizations(module: Module) -> type[Module]:
    """Returns the class of a module without its parametrizations.

    Parameters
    ----------
    module
        The module.

    Returns
    -------
    type
        The class.

    Examples
    --------
    >>> import rushlight as rl
    >>> layer = rl.nn.utils.parametrizations.weight_norm(rl.nn.Linear(2, 2))
    >>> rl.nn.utils.parametrize.type_before_parametrizations(layer).__name__
    'Linear'
    """
    found: type[Module] = getattr(type(module), "_plain", type(module))
    return found


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Makes a tensor a parameter or buffer again.

    Parameters
    ----------
    module
        The module that owns the tensor.
    tensor_name
        Its name.
    leave_parametrized
        Whether it keeps its value; else it becomes the original.

    Returns
    -------
    Module
        `module`.

    Raises
    ------
    ValueError
        If it has no parametrizations, or there are several originals to go back to.

    Examples
    --------
    >>> import rushlight as rl
    >>> layer = rl.nn.utils.parametrizations.weight_norm(rl.nn.Linear(2, 2))
    >>> layer = rl.nn.utils.parametrize.remove_parametrizations(layer, "weight")
    >>> sorted(layer.state_dict())
    ['bias', 'weight']
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"remove_parametrizations: {tensor_name!r} has no parametrizations")
    found = module.parametrizations[tensor_name]
    if not leave_parametrized and not found.is_tensor:
        raise ValueError(f"remove_parametrizations: {tensor_name!r} has several originals")
    originals = [getattr(found, name) for name in found._names()]
    with rl.no_grad():
        value = found().detach() if leave_parametrized else originals[0].detach()
    plain = type_before_parametrizations(module)
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    if len(module.parametrizations) == 0:
        del module.parametrizations
        module.__class__ = plain
    first = originals[0]
    if not isinstance(first, Parameter):
        module.register_buffer(tensor_name, value)
    elif found.is_tensor:
        # An optimizer goes on with the same parameter.
        first.data = value.clone()
        module.register_parameter(tensor_name, first)
    else:
        module.register_parameter(tensor_name, Parameter(value, first.requires_grad))
    return module


def transfer_parametrizations_and_params(
    from_module: Module, to_module: Module, tensor_name: str | None = None
) -> Module:
    """Gives a module the parametrizations of another one, and the parameters that they start from.

    Both modules then share them.

    Parameters
    ----------
    from_module
        The module with parametrizations; without any, nothing happens.
    to_module
        The module that gets them. A tensor that it lacks is made.
    tensor_name
        The tensor; all that have parametrizations if None.

    Returns
    -------
    Module
        `to_module`.

    Raises
    ------
    ValueError
        If `from_module` has no parametrizations of the tensor.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn.utils import parametrizations, parametrize
    >>> first, second = parametrizations.weight_norm(rl.nn.Linear(2, 3)), rl.nn.Linear(2, 3)
    >>> second = parametrize.transfer_parametrizations_and_params(first, second)
    >>> bool((second.weight == first.weight).all())
    True
    """
    if not is_parametrized(from_module):
        return to_module
    for name in list(from_module.parametrizations) if tensor_name is None else [tensor_name]:
        if not is_parametrized(from_module, name):
            raise ValueError(f"transfer_parametrizations_and_params: {name!r} has no parametrizations")
        found = from_module.parametrizations[name]
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name).detach().clone()))
        for parametrization in found:
            register_parametrization(to_module, name, parametrization, unsafe=True)
        for original in found._names():
            setattr(to_module.parametrizations[name], original, getattr(found, original))
    return to_module


@contextmanager
def cached() -> Iterator[None]:
    """Computes each parametrized tensor once inside the block: a context manager.

    Returns
    -------
    context manager
        Ends the caching with the block.

    Examples
    --------
    >>> import rushlight as rl
    >>> layer = rl.nn.utils.parametrizations.weight_norm(rl.nn.Linear(2, 2))
    >>> with rl.nn.utils.parametrize.cached():
    ...     layer.weight is layer.weight
    True
    """
    global _cache
    before = _cache
    _cache = {} if before is None else before
    try:
        yield
    finally:
        _cache = before
