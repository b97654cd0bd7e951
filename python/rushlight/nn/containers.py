"""Modules that hold modules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, overload

from .module import Module

__all__ = ["ModuleList", "Sequential"]


class _List(Module):
    """Children under the names "0", "1" and so on."""

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return self.children()

    def __contains__(self, module: object) -> bool:
        return any(module is child for child in self.children())

    def _key(self, index: int) -> str:
        if not -len(self) <= index < len(self):
            raise IndexError(f"{type(self).__name__}: no module {index} among {len(self)}")
        return list(self._modules)[index]

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, self._key(index), module)

    def append(self, module: Module) -> Any:
        """Adds a module at the end.

        Parameters
        ----------
        module
            The module; its name is its index.

        Returns
        -------
        Sequential or ModuleList
            Itself.
        """
        self.register_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Any:
        """Adds modules at the end.

        Parameters
        ----------
        modules
            The modules, in order.

        Returns
        -------
        Sequential or ModuleList
            Itself.
        """
        for module in modules:
            self.append(module)
        return self


class Sequential(_List):
    """A model that runs modules one after the other.

    Parameters
    ----------
    *modules
        The modules, named by their indices; or one dict of modules by name.

    Raises
    ------
    TypeError
        If an argument is not a Module.

    Examples
    --------
    >>> import rushlight as rl
    >>> net = rl.nn.Sequential(rl.nn.Linear(4, 8), rl.nn.ReLU(), rl.nn.Linear(8, 2))
    >>> net(rl.ones((3, 4))).shape
    (3, 2)
    """

    def __init__(self, *modules: Module | dict[str, Module]) -> None:
        super().__init__()
        if len(modules) == 1 and isinstance(modules[0], dict):
            for name, module in modules[0].items():
                self.register_module(name, module)
        else:
            for index, child in enumerate(modules):
                if not isinstance(child, Module):
                    raise TypeError(f"Sequential: argument {index} is a {type(child).__name__}, not a Module")
                self.register_module(str(index), child)

    @overload
    def __getitem__(self, index: int) -> Module: ...
    @overload
    def __getitem__(self, index: slice) -> Sequential: ...
    def __getitem__(self, index: int | slice) -> Module:
        if isinstance(index, slice):
            return Sequential(dict(list(self.named_children())[index]))
        found = self._modules[self._key(index)]
        assert found is not None
        return found

    def forward(self, input: Any) -> Any:
        """Passes the input through the modules.

        Parameters
        ----------
        input
            The input of the first module.

        Returns
        -------
        object
            The output of the last module; `input` if there is none.
        """
        for module in self.children():
            input = module(input)
        return input


class ModuleList(_List):
    """A list whose modules are registered. It has no `forward`.

    Parameters
    ----------
    modules
        The first modules.

    Examples
    --------
    >>> import rushlight as rl
    >>> layers = rl.nn.ModuleList([rl.nn.Linear(2, 2) for _ in range(3)])
    >>> len(layers), len(list(layers.parameters()))
    (3, 6)
    """

    def __init__(self, modules: Iterable[Module] = ()) -> None:
        super().__init__()
        self.extend(modules)

    @overload
    def __getitem__(self, index: int) -> Module: ...
    @overload
    def __getitem__(self, index: slice) -> ModuleList: ...
    def __getitem__(self, index: int | slice) -> Module:
        if isinstance(index, slice):
            return ModuleList(list(self.children())[index])
        found = self._modules[self._key(index)]
        assert found is not None
        return found
