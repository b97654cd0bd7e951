"""Containers of modules."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, SupportsIndex, TypeVar, overload

from .module import Module

__all__ = ["ModuleDict", "ModuleList", "Sequential"]

L = TypeVar("L", bound="_List")


class _List(Module):
    """The base of containers with ordered children, whose names are their indices."""

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        for module in self._modules.values():
            assert module is not None
            yield module

    def __reversed__(self) -> Iterator[Module]:
        return reversed(list(self))

    def __contains__(self, module: object) -> bool:
        return any(module is child for child in self)

    def _key(self, index: SupportsIndex) -> str:
        at = operator.index(index)
        if not -len(self) <= at < len(self):
            raise IndexError(f"{type(self).__name__}: no module {at} among {len(self)}")
        return list(self._modules)[at]

    def __setitem__(self, index: SupportsIndex, module: Module) -> None:
        setattr(self, self._key(index), module)

    def __delitem__(self, index: SupportsIndex | slice) -> None:
        names = list(self._modules)
        gone = set(names[index]) if isinstance(index, slice) else {self._key(index)}
        kept = [module for name, module in self._modules.items() if name not in gone]
        self._modules.clear()
        self._modules.update({str(i): module for i, module in enumerate(kept)})

    def append(self: L, module: Module) -> L:
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
        self.register_module(str(len(self)), _child(type(self).__name__, module))
        return self

    def extend(self: L, modules: Iterable[Module]) -> L:
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
        for module in list(modules):
            self.append(module)
        return self

    def insert(self: L, index: SupportsIndex, module: Module) -> L:
        """Inserts a module before an index; the later ones move up by one.

        Parameters
        ----------
        index
            The index, from ``-len`` to ``len``.
        module
            The module.

        Returns
        -------
        Sequential or ModuleList
            Itself.

        Raises
        ------
        IndexError
            If the index is out of range.

        Examples
        --------
        >>> import rushlight as rl
        >>> layers = rl.nn.ModuleList([rl.nn.ReLU()]).insert(0, rl.nn.Tanh())
        >>> list(layers)
        [Tanh(), ReLU()]
        """
        at = operator.index(index)
        if not -len(self) <= at <= len(self):
            raise IndexError(f"{type(self).__name__}: no position {at} among {len(self)}")
        found: list[Module] = list(self)
        found.insert(at, _child(type(self).__name__, module))
        self._modules.clear()
        self._modules.update({str(i): child for i, child in enumerate(found)})
        return self

    def pop(self, index: SupportsIndex) -> Module:
        """Removes a module and returns it.

        Parameters
        ----------
        index
            Its index.

        Returns
        -------
        Module
            The module.

        Examples
        --------
        >>> import rushlight as rl
        >>> layers = rl.nn.ModuleList([rl.nn.ReLU(), rl.nn.Tanh()])
        >>> layers.pop(0), len(layers)
        (ReLU(), 1)
        """
        found = self._modules[self._key(index)]
        assert found is not None
        del self[index]
        return found

    def __add__(self: L, other: Iterable[Module]) -> L:
        if not isinstance(other, _List):
            return NotImplemented
        made = type(self)()
        return made.extend(self).extend(other)

    def __iadd__(self: L, other: Iterable[Module]) -> L:
        return self.extend(other)


class Sequential(_List):
    """A model that runs modules one after the other.

    Parameters
    ----------
    *args
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
    >>> net[:2]
    Sequential(
      (0): Linear(4, 8, bias=True)
      (1): ReLU()
    )
    """

    def __init__(self, *args: Module | dict[str, Module]) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], dict):
            for name, module in args[0].items():
                self.register_module(name, module)
        else:
            for index, child in enumerate(args):
                if not isinstance(child, Module):
                    raise TypeError(f"Sequential: argument {index} is a {type(child).__name__}, not a Module")
                self.register_module(str(index), child)

    @overload
    def __getitem__(self, index: SupportsIndex) -> Module: ...
    @overload
    def __getitem__(self, index: slice) -> Sequential: ...
    def __getitem__(self, index: SupportsIndex | slice) -> Module:
        if isinstance(index, slice):
            made = type(self)()
            made._modules.update(list(self._modules.items())[index])
            return made
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
        for module in self:
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

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        self.extend(modules or ())

    def _child_lines(self, texts: list[tuple[str, str]]) -> list[str]:
        """Return one line for each run of equal modules."""
        lines = []
        for text, run in itertools.groupby(texts, key=operator.itemgetter(1)):
            names = [name for name, _ in run]
            many = len(names) > 1
            lines.append(
                f"({names[0]}-{names[-1]}): {len(names)} x {text}" if many else f"({names[0]}): {text}"
            )
        return lines

    @overload
    def __getitem__(self, index: SupportsIndex) -> Module: ...
    @overload
    def __getitem__(self, index: slice) -> ModuleList: ...
    def __getitem__(self, index: SupportsIndex | slice) -> Module:
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        found = self._modules[self._key(index)]
        assert found is not None
        return found


class ModuleDict(Module):
    """A dict whose modules are registered. It has no `forward`.

    Parameters
    ----------
    modules
        The first modules: a mapping by name, or pairs of name and module.

    Examples
    --------
    >>> import rushlight as rl
    >>> heads = rl.nn.ModuleDict({"a": rl.nn.Linear(2, 3), "b": rl.nn.Linear(2, 5)})
    >>> heads["b"](rl.ones((1, 2))).shape
    (1, 5)
    """

    def __init__(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Module:
        found = self._modules[key]
        assert found is not None
        return found

    def __setitem__(self, key: str, module: Module) -> None:
        _child("ModuleDict", module)
        if key in self._modules:
            self._modules[key] = module
        else:
            self.register_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: object) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Removes every module.

        Examples
        --------
        >>> import rushlight as rl
        >>> heads = rl.nn.ModuleDict({"a": rl.nn.ReLU()})
        >>> heads.clear()
        >>> len(heads)
        0
        """
        self._modules.clear()

    def pop(self, key: str) -> Module:
        """Removes a module and returns it.

        Parameters
        ----------
        key
            Its name.

        Returns
        -------
        Module
            The module.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.nn.ModuleDict({"a": rl.nn.ReLU()}).pop("a")
        ReLU()
        """
        found = self[key]
        del self[key]
        return found

    def keys(self) -> Iterable[str]:
        """Returns the names.

        Returns
        -------
        iterable of str
            In the order of registration.

        Examples
        --------
        >>> import rushlight as rl
        >>> list(rl.nn.ModuleDict({"a": rl.nn.ReLU()}).keys())
        ['a']
        """
        return self._modules.keys()

    def values(self) -> Iterable[Module]:
        """Returns the modules.

        Returns
        -------
        iterable of Module
            In the order of registration.

        Examples
        --------
        >>> import rushlight as rl
        >>> list(rl.nn.ModuleDict({"a": rl.nn.ReLU()}).values())
        [ReLU()]
        """
        return [self[key] for key in self]

    def items(self) -> Iterable[tuple[str, Module]]:
        """Returns the names with their modules.

        Returns
        -------
        iterable of (str, Module)
            In the order of registration.

        Examples
        --------
        >>> import rushlight as rl
        >>> list(rl.nn.ModuleDict({"a": rl.nn.ReLU()}).items())
        [('a', ReLU())]
        """
        return [(key, self[key]) for key in self]

    def update(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]] | ModuleDict) -> None:
        """Adds modules, or replaces those of the same names.

        Parameters
        ----------
        modules
            A mapping by name, or pairs of name and module.

        Examples
        --------
        >>> import rushlight as rl
        >>> heads = rl.nn.ModuleDict({"a": rl.nn.ReLU()})
        >>> heads.update([("b", rl.nn.Tanh())])
        >>> list(heads)
        ['a', 'b']
        """
        pairs = modules.items() if isinstance(modules, (Mapping, ModuleDict)) else modules
        for key, module in pairs:
            self[key] = module


def _child(owner: str, module: Any) -> Module:
    if not isinstance(module, Module):
        raise TypeError(f"{owner}: a {type(module).__name__} is not a Module")
    return module
