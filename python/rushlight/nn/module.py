"""The base class of layers and models."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

import rushlight as rl
from rushlight import Tensor, _native

from .parameter import Parameter

T = TypeVar("T", bound="Module")


class LoadResult(NamedTuple):
    """What `Module.load_state_dict` did not find a partner for."""

    missing_keys: list[str]
    unexpected_keys: list[str]


class Module:
    """A layer or a model: parameters, buffers and child modules under names.

    A subclass calls ``super().__init__()``, assigns `Parameter`, `Module` and buffer attributes, and
    defines ``forward``. Attribute names become the keys of `state_dict`, so that a checkpoint
    written by PyTorch for the same architecture loads unchanged.

    Examples
    --------
    >>> import rushlight as rl
    >>> class Net(rl.nn.Module):
    ...     def __init__(self) -> None:
    ...         super().__init__()
    ...         self.fc = rl.nn.Linear(4, 2)
    ...
    ...     def forward(self, x):
    ...         return self.fc(x).relu()
    >>> net = Net()
    >>> sorted(net.state_dict())
    ['fc.bias', 'fc.weight']
    >>> net(rl.ones((3, 4))).shape
    (3, 2)
    """

    training: bool
    ops: tuple[str, ...] = ()
    """Names of the ops that `forward` runs itself; `supports` asks about these."""

    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]
    _unsaved: set[str]

    def __init__(self) -> None:
        for name in ("_parameters", "_buffers", "_modules"):
            object.__setattr__(self, name, {})
        object.__setattr__(self, "_unsaved", set())
        object.__setattr__(self, "training", True)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the output. A subclass defines this; callers call the module itself."""
        raise NotImplementedError(f"{type(self).__name__} has no forward()")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run `forward`."""
        return self.forward(*args, **kwargs)

    # Attributes

    def __setattr__(self, name: str, value: Any) -> None:
        if "_parameters" not in self.__dict__:
            if isinstance(value, Parameter | Module):
                raise AttributeError(
                    f"{type(self).__name__}: call super().__init__() before assigning {name!r}"
                )
            object.__setattr__(self, name, value)
            return
        if isinstance(value, Parameter):
            # What is replaced keeps its place in the order.
            if name not in self._parameters:
                self._forget(name)
            self._parameters[name] = value
        elif isinstance(value, Module):
            if name not in self._modules:
                self._forget(name)
            self._modules[name] = value
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
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(
                    f"{type(self).__name__}.{name} is a buffer: assign a Tensor or None, "
                    f"not {type(value).__name__}"
                )
            self._buffers[name] = value
        else:
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        for table in ("_parameters", "_buffers", "_modules"):
            found = self.__dict__.get(table, {})
            if name in found:
                return found[name]
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
        return found

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter; None keeps the name with no value (a layer without a bias)."""
        self._check_name(name)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(f"register_parameter: {name!r} is a {type(param).__name__}")
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that moves with the module but is not trained.

        Parameters
        ----------
        name
            The attribute's name.
        tensor
            The value, or None.
        persistent
            Whether `state_dict` holds it.
        """
        self._check_name(name)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(f"register_buffer: {name!r} is a {type(tensor).__name__}")
        self._buffers[name] = tensor
        if not persistent:
            self._unsaved.add(name)

    def register_module(self, name: str, module: Module | None) -> None:
        """Add a child module under a name that need not be an identifier."""
        self._check_name(name)
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"register_module: {name!r} is a {type(module).__name__}")
        self._modules[name] = module

    add_module = register_module

    def _check_name(self, name: str) -> None:
        if "_parameters" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__}: call super().__init__() first")
        if not name or "." in name:
            raise KeyError(f"{name!r} cannot be a name in a module: empty or with a dot")
        if name in self.__dict__ or hasattr(type(self), name):
            raise KeyError(f"{type(self).__name__} already has an attribute {name!r}")
        self._forget(name)

    # Walking

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Direct child modules with their names."""
        for name, module in self._modules.items():
            if module is not None:
                yield name, module

    def children(self) -> Iterator[Module]:
        """Direct child modules."""
        for _, module in self.named_children():
            yield module

    def named_modules(self, prefix: str = "", memo: set[int] | None = None) -> Iterator[tuple[str, Module]]:
        """Walk this module and all below it, each once, with dotted names."""
        memo = set() if memo is None else memo
        if id(self) in memo:
            return
        memo.add(id(self))
        yield prefix, self
        for name, module in self.named_children():
            yield from module.named_modules(f"{prefix}.{name}" if prefix else name, memo)

    def modules(self) -> Iterator[Module]:
        """Walk this module and all below it, each once."""
        for _, module in self.named_modules():
            yield module

    def named_parameters(self, prefix: str = "", recurse: bool = True) -> Iterator[tuple[str, Parameter]]:
        """Parameters with dotted names; one that is shared comes once, under its first name."""
        seen: set[int] = set()
        for at, module in self._walk(prefix, recurse):
            for name, param in module._parameters.items():
                if param is not None and id(param) not in seen:
                    seen.add(id(param))
                    yield at + name, param

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Parameters, each once: what an optimizer takes."""
        for _, param in self.named_parameters(recurse=recurse):
            yield param

    def named_buffers(self, prefix: str = "", recurse: bool = True) -> Iterator[tuple[str, Tensor]]:
        """Buffers with dotted names."""
        seen: set[int] = set()
        for at, module in self._walk(prefix, recurse):
            for name, value in module._buffers.items():
                if value is not None and id(value) not in seen:
                    seen.add(id(value))
                    yield at + name, value

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Buffers, each once."""
        for _, value in self.named_buffers(recurse=recurse):
            yield value

    def _walk(self, prefix: str, recurse: bool) -> Iterator[tuple[str, Module]]:
        """Modules with the prefix of their entries' names."""
        found = self.named_modules(prefix) if recurse else iter([(prefix, self)])
        for name, module in found:
            yield (f"{name}." if name else ""), module

    def apply(self: T, fn: Callable[[Module], object]) -> T:
        """Call `fn` on each child and then on this module, from the bottom up."""
        for child in self.children():
            child.apply(fn)
        fn(self)
        return self

    # State

    def state_dict(self, prefix: str = "") -> dict[str, Tensor]:
        """Parameters and persistent buffers by dotted name.

        The tensors are detached and share memory with the module: a later step changes them.
        """
        out: dict[str, Tensor] = {}
        for key, value in self._entries(prefix):
            out[key] = value.detach()
        return out

    def _entries(self, prefix: str = "") -> Iterator[tuple[str, Tensor]]:
        """Every saved name with its tensor; a shared tensor comes under each of its names."""
        for name, param in self._parameters.items():
            if param is not None:
                yield prefix + name, param
        for name, value in self._buffers.items():
            if value is not None and name not in self._unsaved:
                yield prefix + name, value
        for name, child in self.named_children():
            yield from child._entries(f"{prefix}{name}.")

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> LoadResult:
        """Copy values into the parameters and buffers of the same names.

        Values may be Rushlight tensors or whatever `rushlight.asarray` takes (NumPy arrays, PyTorch
        tensors); each is converted to the dtype and device of its destination.

        Parameters
        ----------
        state_dict
            Values by dotted name, as `state_dict` returns them.
        strict
            Whether a missing or an unexpected key is an error.

        Returns
        -------
        LoadResult
            Missing and unexpected keys; both empty when `strict`.

        Raises
        ------
        TypeError
            If it is no mapping.
        ValueError
            If keys or shapes do not fit. The message names every one of them, and no
            parameter has changed.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(
                f"{type(self).__name__}.load_state_dict takes values by name, got {type(state_dict).__name__}"
            )
        wanted = dict(self._entries())
        missing = [key for key in wanted if key not in state_dict]
        unexpected = [key for key in state_dict if key not in wanted]
        ready: list[tuple[Tensor, Tensor]] = []
        wrong: list[str] = []
        for key, into in wanted.items():
            if key not in state_dict:
                continue
            value = state_dict[key]
            if not isinstance(value, Tensor):
                try:
                    value = rl.asarray(value)
                except (TypeError, ValueError, BufferError) as err:
                    wrong.append(f"{key}: not a tensor ({type(value).__name__}: {err})")
                    continue
            if value.shape != into.shape:
                wrong.append(f"{key}: shape {value.shape} where the module has {into.shape}")
            elif rl.isdtype(value.dtype, "complex floating") and not rl.isdtype(
                into.dtype, "complex floating"
            ):
                wrong.append(f"{key}: dtype {value.dtype} where the module has {into.dtype}")
            else:
                ready.append((into, value))
        problems = []
        if strict and missing:
            problems.append(f"missing keys: {', '.join(missing)}")
        if strict and unexpected:
            problems.append(f"unexpected keys: {', '.join(unexpected)}")
        problems += wrong
        if problems:
            text = "\n  ".join(problems)
            raise ValueError(f"load_state_dict for {type(self).__name__}:\n  {text}")
        with rl.no_grad():
            for into, value in ready:
                into.copy_(value.detach())
        return LoadResult(missing, unexpected)

    # Modes, places and dtypes

    def train(self: T, mode: bool = True) -> T:
        """Set training mode (dropout on) here and below."""
        for module in self.modules():
            object.__setattr__(module, "training", mode)
        return self

    def eval(self: T) -> T:
        """Set evaluation mode (dropout off) here and below."""
        return self.train(False)

    def requires_grad_(self: T, requires_grad: bool = True) -> T:
        """Say for every parameter whether it gets a gradient."""
        for param in self.parameters():
            param.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients, or fill them with zeros."""
        for param in self.parameters():
            if param.grad is None:
                continue
            if set_to_none:
                param.grad = None
            else:
                param.grad = rl.zeros_like(param.grad)

    def to(self: T, *args: Any, device: Any = None, dtype: Any = None) -> T:
        """Move the parameters and buffers to a device, convert the floating-point ones to a dtype.

        Give a device, a dtype or both, by position or by name. The `Parameter` objects stay the same,
        so an optimizer that was made before goes on with them, and shared ones stay shared; state
        that the optimizer already has does not move.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.nn.Linear(2, 1).to("cpu", rl.float64).weight.dtype == rl.float64
        True
        """
        for arg in args:
            if _is_dtype(arg):
                if dtype is not None:
                    raise TypeError("Module.to: two dtypes given")
                dtype = arg
            elif device is None:
                device = arg
            else:
                raise TypeError("Module.to: two devices given")
        dtype = _native._dtype(dtype) if isinstance(dtype, str) else dtype
        if dtype is not None and not rl.isdtype(dtype, ("real floating", "complex floating")):
            raise TypeError(f"Module.to: {dtype} is not a floating-point dtype")

        def moved(value: Tensor) -> Tensor:
            fits = rl.isdtype(value.dtype, ("real floating", "complex floating"))
            return value.detach().to(
                device=value.device if device is None else device,
                dtype=dtype if fits and dtype is not None else value.dtype,
            )

        for param in self.parameters():
            param.data = moved(param)
            if param.grad is not None:
                param.grad = moved(param.grad)
        for module in self.modules():
            for name, value in module._buffers.items():
                if value is not None:
                    module._buffers[name] = moved(value)
        return self

    def cpu(self: T) -> T:
        """Move the parameters and buffers to the CPU."""
        return self.to("cpu")

    def float(self: T) -> T:
        """Convert the floating-point parameters and buffers to float32."""
        return self.to(dtype=rl.float32)

    def double(self: T) -> T:
        """Convert the floating-point parameters and buffers to float64."""
        return self.to(dtype=rl.float64)

    def half(self: T) -> T:
        """Convert the floating-point parameters and buffers to float16."""
        return self.to(dtype=rl.float16)

    def bfloat16(self: T) -> T:
        """Convert the floating-point parameters and buffers to bfloat16."""
        return self.to(dtype=rl.bfloat16)

    def unsupported(self, device: Any, training: bool = True) -> list[str]:
        """Tell which ops of this model a device cannot run, one line each."""
        problems: list[str] = []
        for name, module in self.named_modules():
            dtypes = {p.dtype for p in module._parameters.values() if p is not None}
            for dtype in dtypes or {p.dtype for p in self.parameters()} or {rl.float32}:
                for op in module.ops:
                    if not rl.supports(op, dtype, device, grad=training):
                        problems.append(f"{name or type(self).__name__}: {op} of {dtype}")
        return problems

    def supports(self, device: Any, training: bool = True) -> bool:
        """Whether a device can run every op of this model (and their gradients if `training`).

        `unsupported` names those that it cannot run.
        """
        return not self.unsupported(device, training)

    # Showing

    def extra_repr(self) -> str:
        """Arguments to show between the parentheses of the repr."""
        return ""

    def __repr__(self) -> str:
        lines = [f"({name}): " + repr(module).replace("\n", "\n  ") for name, module in self._modules.items()]
        extra = self.extra_repr()
        if not lines:
            return f"{type(self).__name__}({extra})"
        body = "\n  ".join([extra, *lines] if extra else lines)
        return f"{type(self).__name__}(\n  {body}\n)"


def _is_dtype(value: Any) -> bool:
    if isinstance(value, str):
        try:
            _native._dtype(value)
        except (TypeError, ValueError):
            return False
        return True
    return isinstance(value, type(rl.float32))
