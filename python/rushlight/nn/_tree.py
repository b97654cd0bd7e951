"""The tree of modules: parameters, buffers and children under names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from rushlight._native import Tensor
from rushlight.quantized import QTensor

from .parameter import Buffer, Parameter

if TYPE_CHECKING:
    from .module import Module

__all__ = ["ModuleTree"]


class ModuleTree:
    """The part of `Module` that registers and walks parameters, buffers and children."""

    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]
    _unsaved: set[str]
    # The type and the shape of the blocks in a buffer, which itself has their bytes.
    _block_types: dict[str, tuple[str, tuple[int, ...]]]

    # Attributes

    def __setattr__(self, name: str, value: Any) -> None:
        if "_parameters" not in self.__dict__:
            if isinstance(value, Parameter | ModuleTree):
                raise AttributeError(
                    f"{type(self).__name__}: call super().__init__() before assigning {name!r}"
                )
            object.__setattr__(self, name, value)
            return
        if isinstance(getattr(type(self), name, None), property):
            # The class defines the attribute, for example a tensor with parametrizations.
            object.__setattr__(self, name, value)
        elif isinstance(value, Parameter):
            # A replaced parameter keeps its position in the order.
            if name not in self._parameters:
                self._forget(name)
            self._parameters[name] = value
        elif isinstance(value, Buffer):
            if name not in self._buffers:
                self._forget(name)
            self._set_buffer(name, value)
            (self._unsaved.discard if value.persistent else self._unsaved.add)(name)
        elif isinstance(value, ModuleTree):
            if name not in self._modules:
                self._forget(name)
            self._modules[name] = cast("Module", value)
        elif name in self._parameters:
            if value is not None:
                raise TypeError(
                    f"{type(self).__name__}.{name} is a parameter: assign a Parameter or None, "
                    f"not {type(value).__name__}"
                )
            self._parameters[name] = None
        elif name in self._modules:
            if value is not None:
                raise TypeError(
                    f"{type(self).__name__}.{name} is a module: assign a Module or None, "
                    f"not {type(value).__name__}"
                )
            self._modules[name] = None
        elif name in self._buffers:
            if value is not None and not isinstance(value, Tensor | QTensor):
                raise TypeError(
                    f"{type(self).__name__}.{name} is a buffer: assign a Tensor, a QTensor or None, "
                    f"not {type(value).__name__}"
                )
            self._set_buffer(name, value)
        else:
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        for table in ("_parameters", "_buffers", "_modules"):
            found = self.__dict__.get(table, {})
            if name in found:
                blocks = self.__dict__["_block_types"].get(name)
                value = found[name]
                return value if blocks is None or value is None else QTensor(value, *blocks)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __delattr__(self, name: str) -> None:
        if not self._forget(name):
            object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._parameters, *self._buffers, *self._modules})

    def _forget(self, name: str) -> bool:
        """Drop `name` from every table and from the plain attributes."""
        tables: tuple[dict[str, Any], ...] = (
            self._parameters,
            self._buffers,
            self._modules,
            self.__dict__,
        )
        found = False
        for table in tables:
            if name in table:
                del table[name]
                found = True
        self._unsaved.discard(name)
        self._block_types.pop(name, None)
        return found

    def _set_buffer(self, name: str, value: Tensor | QTensor | None) -> None:
        """Keep the value of a buffer; of a quantized one the bytes of the blocks, and their type."""
        self._block_types.pop(name, None)
        if isinstance(value, QTensor):
            self._block_types[name] = value.dtype, value.shape
            value = value.blocks
        self._buffers[name] = value

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Adds a parameter.

        Parameters
        ----------
        name
            The attribute's name.
        param
            The value; None keeps the name with no value (a layer without a bias).

        Raises
        ------
        TypeError
            If `param` is not a `Parameter`.
        KeyError
            If the name is empty, has a dot, or is that of another attribute.

        Examples
        --------
        >>> import rushlight as rl
        >>> module = rl.nn.Module()
        >>> module.register_parameter("scale", rl.nn.Parameter(rl.ones(1)))
        >>> list(module.state_dict())
        ['scale']
        """
        self._check_name(name, self._parameters)
        if param is not None and not isinstance(param, Parameter):
            advice = "; write Parameter(x), or register_buffer for one that is not trained"
            raise TypeError(
                f"register_parameter: {name!r} is a {type(param).__name__}, not a Parameter"
                f"{advice if isinstance(param, Tensor) else ''}"
            )
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | QTensor | None, persistent: bool = True) -> None:
        """Adds a tensor that moves with the module but is not trained.

        A tensor that is only assigned to an attribute stays where it is, as in PyTorch.

        Parameters
        ----------
        name
            The attribute's name.
        tensor
            The value, or None. Of a `QTensor` the bytes of its blocks are the buffer; the attribute is a
            `QTensor` of them, and a conversion to another dtype leaves them.
        persistent
            Whether `state_dict` holds it.

        Raises
        ------
        TypeError
            If `tensor` is neither a Tensor nor a QTensor.
        KeyError
            If the name is empty, has a dot, or is that of another attribute.

        Examples
        --------
        >>> import rushlight as rl
        >>> module = rl.nn.Module()
        >>> module.register_buffer("mean", rl.zeros(1))
        >>> list(module.state_dict()), list(module.parameters())
        (['mean'], [])
        """
        self._check_name(name, self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor | QTensor):
            advice = "; write rl.tensor(..)" if isinstance(tensor, (list, tuple, int, float)) else ""
            raise TypeError(
                f"{type(self).__name__}: the buffer {name!r} is a Tensor or None, got "
                f"{type(tensor).__name__}{advice}"
            )
        self._set_buffer(name, tensor)
        (self._unsaved.discard if persistent else self._unsaved.add)(name)

    def register_module(self, name: str, module: Module | None) -> None:
        """Adds a child module under a name that need not be an identifier.

        Parameters
        ----------
        name
            The child's name.
        module
            The child, or None.

        Raises
        ------
        TypeError
            If `module` is not a Module.
        KeyError
            If the name is empty, has a dot, or is that of another attribute.

        Examples
        --------
        >>> import rushlight as rl
        >>> net = rl.nn.Module()
        >>> net.register_module("0", rl.nn.Linear(2, 1, bias=False))
        >>> list(net.state_dict())
        ['0.weight']
        """
        self._check_name(name, self._modules)
        if module is not None and not isinstance(module, ModuleTree):
            raise TypeError(f"register_module: {name!r} is a {type(module).__name__}, not a Module")
        self._modules[name] = module

    add_module = register_module

    def _check_name(self, name: str, kind: Mapping[str, Any]) -> None:
        """Raise unless an entry of this kind may have the name: an existing one of the kind is replaced."""
        if "_parameters" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__}: call super().__init__() first")
        if not isinstance(name, str):
            raise TypeError(
                f"{type(self).__name__}: a name is a str, got {type(name).__name__} {name!r}; "
                f"write {str(name)!r}"
            )
        if not name or "." in name:
            raise KeyError(f"{name!r} cannot be a name in a module: empty or with a dot")
        if name not in kind and hasattr(self, name):
            raise KeyError(f"{type(self).__name__} already has an attribute {name!r}; delete it first")

    # Walking

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Yields the direct child modules, each once, with their names.

        Returns
        -------
        iterator of (str, Module)
            In the order of registration.

        Examples
        --------
        >>> import rushlight as rl
        >>> net = rl.nn.Sequential(rl.nn.Linear(2, 3), rl.nn.ReLU())
        >>> [name for name, _ in net.named_children()]
        ['0', '1']
        """
        seen: set[Module] = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """Yields the direct child modules.

        Returns
        -------
        iterator of Module
            In the order of registration.

        Examples
        --------
        >>> import rushlight as rl
        >>> net = rl.nn.Sequential(rl.nn.Linear(2, 3), rl.nn.ReLU())
        >>> [type(child).__name__ for child in net.children()]
        ['Linear', 'ReLU']
        """
        for _, module in self.named_children():
            yield module

    def named_modules(
        self, memo: set[ModuleTree] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """Yields this module and all below it, with dotted names.

        Parameters
        ----------
        memo
            The modules that were yielded already.
        prefix
            Text before every name.
        remove_duplicate
            Whether a module that is found a second time is left out.

        Returns
        -------
        iterator of (str, Module)
            This module first.

        Examples
        --------
        >>> import rushlight as rl
        >>> net = rl.nn.Sequential(rl.nn.Linear(2, 3), rl.nn.ReLU())
        >>> [name for name, _ in net.named_modules()]
        ['', '0', '1']
        """
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, cast("Module", self)
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(
                    memo, f"{prefix}.{name}" if prefix else name, remove_duplicate
                )

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """Yields this module and all below it.

        Parameters
        ----------
        remove_duplicate
            Whether a module that is found a second time is left out.

        Returns
        -------
        iterator of Module
            This module first.

        Examples
        --------
        >>> import rushlight as rl
        >>> net = rl.nn.Sequential(rl.nn.Linear(2, 3), rl.nn.ReLU())
        >>> [type(module).__name__ for module in net.modules()]
        ['Sequential', 'Linear', 'ReLU']
        """
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Yields the parameters with dotted names.

        Parameters
        ----------
        prefix
            Text before every name.
        recurse
            Whether children are walked, too.
        remove_duplicate
            Whether a shared one comes once, under its first name.

        Returns
        -------
        iterator of (str, Parameter)
            In the order of registration.

        Examples
        --------
        >>> import rushlight as rl
        >>> net = rl.nn.Sequential(rl.nn.Linear(2, 3), rl.nn.ReLU())
        >>> [name for name, _ in net.named_parameters()]
        ['0.weight', '0.bias']
        """
        seen: set[int] = set()
        for at, module in self._walk(prefix, recurse, remove_duplicate):
            for name, param in module._parameters.items():
                if param is not None and id(param) not in seen:
                    if remove_duplicate:
                        seen.add(id(param))
                    yield at + name, param

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Yields the parameters, each once: the argument of an optimizer.

        Parameters
        ----------
        recurse
            Whether children are walked, too.

        Returns
        -------
        iterator of Parameter
            In the order of registration.

        Examples
        --------
        >>> import rushlight as rl
        >>> net = rl.nn.Sequential(rl.nn.Linear(2, 3), rl.nn.ReLU())
        >>> sum(p.numel() for p in net.parameters())
        9
        """
        for _, param in self.named_parameters(recurse=recurse):
            yield param

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Yields the buffers with dotted names.

        Parameters
        ----------
        prefix
            Text before every name.
        recurse
            Whether children are walked, too.
        remove_duplicate
            Whether a shared one comes once, under its first name.

        Returns
        -------
        iterator of (str, Tensor)
            In the order of registration.

        Examples
        --------
        >>> import rushlight as rl
        >>> net = rl.nn.Sequential(rl.nn.Linear(2, 3), rl.nn.ReLU())
        >>> list(net.named_buffers())
        []
        """
        seen: set[int] = set()
        for at, module in self._walk(prefix, recurse, remove_duplicate):
            for name, value in module._buffers.items():
                if value is not None and id(value) not in seen:
                    if remove_duplicate:
                        seen.add(id(value))
                    yield at + name, value

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Yields the buffers, each once.

        Parameters
        ----------
        recurse
            Whether children are walked, too.

        Returns
        -------
        iterator of Tensor
            In the order of registration.

        Examples
        --------
        >>> import rushlight as rl
        >>> net = rl.nn.Sequential(rl.nn.Linear(2, 3), rl.nn.ReLU())
        >>> list(net.buffers())
        []
        """
        for _, value in self.named_buffers(recurse=recurse):
            yield value

    def _walk(self, prefix: str, recurse: bool, once: bool) -> Iterator[tuple[str, Module]]:
        """Yield modules with the prefix for the names of their entries."""
        here = (prefix, cast("Module", self))
        found = self.named_modules(prefix=prefix, remove_duplicate=once) if recurse else iter([here])
        for name, module in found:
            yield (f"{name}." if name else ""), module

    # Looking up

    def get_submodule(self, target: str) -> Module:
        """Returns the module under a dotted name.

        Parameters
        ----------
        target
            The name; an empty one is this module.

        Returns
        -------
        Module
            The module.

        Raises
        ------
        AttributeError
            If there is none with this name.

        Examples
        --------
        >>> import rushlight as rl
        >>> net = rl.nn.Sequential({"body": rl.nn.Sequential(rl.nn.ReLU())})
        >>> net.get_submodule("body.0")
        ReLU()
        """
        module: ModuleTree = self
        for name in target.split(".") if target else ():
            found = module._modules.get(name)
            if found is None:
                raise AttributeError(f"{type(module).__name__} has no module {name!r} (of {target!r})")
            module = found
        return cast("Module", module)

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Replaces the module under a dotted name.

        Parameters
        ----------
        target
            The name.
        module
            The new module.
        strict
            Whether the name must have a module already.

        Raises
        ------
        ValueError
            If the name is empty.
        AttributeError
            If the parent, or with `strict` the module, does not exist.

        Examples
        --------
        >>> import rushlight as rl
        >>> net = rl.nn.Sequential(rl.nn.ReLU())
        >>> net.set_submodule("0", rl.nn.Tanh())
        >>> net[0]
        Tanh()
        """
        if not target:
            raise ValueError("set_submodule: the name is empty")
        at, _, name = target.rpartition(".")
        parent = self.get_submodule(at)
        if strict and name not in parent._modules:
            raise AttributeError(f"{type(parent).__name__} has no module {name!r} (of {target!r})")
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """Returns the parameter under a dotted name.

        Parameters
        ----------
        target
            The name.

        Returns
        -------
        Parameter
            The parameter.

        Raises
        ------
        AttributeError
            If there is none with this name.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.nn.Sequential(rl.nn.Linear(2, 3)).get_parameter("0.bias").shape
        (3,)
        """
        at, _, name = target.rpartition(".")
        found = self.get_submodule(at)._parameters.get(name)
        if found is None:
            raise AttributeError(f"{type(self).__name__} has no parameter {target!r}")
        return found

    def get_buffer(self, target: str) -> Tensor:
        """Returns the buffer under a dotted name.

        Parameters
        ----------
        target
            The name.

        Returns
        -------
        Tensor
            The buffer.

        Raises
        ------
        AttributeError
            If there is none with this name.

        Examples
        --------
        >>> import rushlight as rl
        >>> net = rl.nn.Module()
        >>> net.register_buffer("mean", rl.zeros(3))
        >>> net.get_buffer("mean").shape
        (3,)
        """
        at, _, name = target.rpartition(".")
        found = self.get_submodule(at)._buffers.get(name)
        if found is None:
            raise AttributeError(f"{type(self).__name__} has no buffer {target!r}")
        return found
