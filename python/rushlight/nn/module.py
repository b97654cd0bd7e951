"""The base class of layers and models."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, NamedTuple, TypeVar

from rushlight import _core as rl
from rushlight._hooks import Functions, Hooks
from rushlight._native import Tensor

from ._hooks import HookedTree
from ._placement import PlacedTree
from ._state_hooks import StateHookedTree
from .parameter import Parameter

__all__ = ["LoadResult", "Module"]

T = TypeVar("T", bound="Module")


class LoadResult(NamedTuple):
    """The keys that `Module.load_state_dict` could not match.

    Parameters
    ----------
    missing_keys
        Names of the module that the given dict lacks.
    unexpected_keys
        Names of the given dict that the module lacks.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.Linear(2, 1).load_state_dict({}, strict=False).missing_keys
    ['weight', 'bias']
    """

    missing_keys: list[str]
    unexpected_keys: list[str]


class _StateDictError(ValueError, RuntimeError):
    """Raised if keys or shapes do not fit. It is a ValueError, and also a RuntimeError as in PyTorch."""


class Module(HookedTree, PlacedTree, StateHookedTree):
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

    # Whether the repr has several lines even without children.
    _tall: ClassVar[bool] = False

    def __init__(self) -> None:
        for name in ("_parameters", "_buffers", "_modules", "_block_types"):
            object.__setattr__(self, name, {})
        for name in ("_before", "_after"):
            object.__setattr__(self, name, Hooks())
        for name in (
            "_backward_before",
            "_backward_after",
            "_save_before",
            "_save_after",
            "_load_before",
            "_load_after",
        ):
            object.__setattr__(self, name, Functions())
        object.__setattr__(self, "_unsaved", set())
        object.__setattr__(self, "training", True)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Computes the output. A subclass defines this; callers call the module itself.

        Parameters
        ----------
        *args, **kwargs
            The arguments that the subclass defines.

        Returns
        -------
        object
            The output of the subclass.

        Raises
        ------
        NotImplementedError
            If the subclass does not define it.
        """
        raise NotImplementedError(f"{type(self).__name__} has no forward()")

    def apply(self: T, fn: Callable[[Module], object]) -> T:
        """Calls a function on each child and then on this module, from the bottom up.

        Parameters
        ----------
        fn
            Takes a module; its result is not used.

        Returns
        -------
        Module
            Itself.

        Examples
        --------
        >>> import rushlight as rl
        >>> net = rl.nn.Sequential(rl.nn.Linear(2, 3), rl.nn.ReLU())
        >>> names = []
        >>> _ = net.apply(lambda module: names.append(type(module).__name__))
        >>> names
        ['Linear', 'ReLU', 'Sequential']
        """
        for child in self.children():
            child.apply(fn)
        fn(self)
        return self

    # State

    def state_dict(
        self, *, destination: dict[str, Tensor] | None = None, prefix: str = "", keep_vars: bool = False
    ) -> dict[str, Tensor]:
        """Returns the parameters and persistent buffers by dotted name.

        A buffer of blocks (`register_buffer` of a `QTensor`) has a second entry, ``NAME.block_type``: the
        name of the blocks' type, as bytes.

        Parameters
        ----------
        destination
            The dict to fill; a new one if None.
        prefix
            Text before every name.
        keep_vars
            Whether the values are the parameters themselves instead of detached tensors.

        Returns
        -------
        dict of str to Tensor
            Tensors that share memory with the module: a later step changes them.

        Raises
        ------
        RuntimeError
            If a hook of `register_state_dict_post_hook` returns something.

        Examples
        --------
        >>> import rushlight as rl
        >>> net = rl.nn.Sequential(rl.nn.Linear(2, 3), rl.nn.ReLU())
        >>> list(net.state_dict())
        ['0.weight', '0.bias']
        """
        out: dict[str, Tensor] = {} if destination is None else destination
        for before in self._save_before:
            before(self, prefix, keep_vars)
        for key, value in self._own_entries(prefix):
            out[key] = value if keep_vars else value.detach()
        for name, child in self._modules.items():
            if child is not None:
                child.state_dict(destination=out, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for after in self._save_after:
            if after(self, out, prefix, {}) is not None:
                raise RuntimeError("a state_dict post-hook changes the dict and returns None")
        return out

    def _own_entries(self, prefix: str) -> Iterator[tuple[str, Tensor]]:
        """Every saved name of this module with its tensor."""
        for name, param in self._parameters.items():
            if param is not None:
                yield prefix + name, param
        for name, value in self._buffers.items():
            if value is not None and name not in self._unsaved:
                yield prefix + name, value
                if name in self._block_types:
                    # The bytes alone do not say which type of blocks they are.
                    text = self._block_types[name][0].encode()
                    yield f"{prefix}{name}.block_type", rl.tensor(list(text), dtype=rl.uint8)

    def _entries(self) -> Iterator[tuple[str, Tensor]]:
        """Every saved name with its tensor; a shared tensor comes under each of its names."""
        for prefix, module in self._walk("", recurse=True, once=False):
            yield from module._own_entries(prefix)

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> LoadResult:
        """Copies values into the parameters and buffers of the same names.

        Values may be Rushlight tensors or whatever `rushlight.asarray` takes (NumPy arrays, PyTorch
        tensors); each is converted to the dtype and device of its destination.

        Parameters
        ----------
        state_dict
            Values by dotted name, as `state_dict` returns them.
        strict
            Whether a missing or an unexpected key is an error.
        assign
            Whether the given tensors replace the module's own, with their dtype and device, instead of being
            copied. An existing optimizer keeps the old parameters.

        Returns
        -------
        LoadResult
            Missing and unexpected keys; both empty when `strict`.

        Raises
        ------
        TypeError
            If `state_dict` is not a mapping.
        ValueError, RuntimeError
            If keys or shapes do not fit; the error is of both classes. The message names every one of
            them, and no parameter has changed (but see `register_load_state_dict_post_hook`).

        Examples
        --------
        >>> import rushlight as rl
        >>> net = rl.nn.Linear(2, 1, bias=False)
        >>> result = net.load_state_dict({"weight": [[1.0, 2.0]]})
        >>> net.weight.tolist()
        [[1.0, 2.0]]
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(
                f"{type(self).__name__}.load_state_dict takes values by name, got {type(state_dict).__name__}"
            )
        missing: list[str] = []
        unexpected: list[str] = []
        wrong: list[str] = []
        places = list(self._walk("", recurse=True, once=False))
        if any(module._load_before for _, module in places):
            state_dict = dict(state_dict)
            for prefix, module in places:
                for before in module._load_before:
                    before(module, state_dict, prefix, {}, strict, missing, unexpected, wrong)
        wanted = dict(self._entries())
        missing += [key for key in wanted if key not in state_dict]
        unexpected += [key for key in state_dict if key not in wanted]
        blocks = {f"{at}{name}": kind for at, m in places for name, (kind, _) in m._block_types.items()}
        ready: list[tuple[str, Tensor, Tensor]] = []
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
            name = key.removesuffix(".block_type")
            kind = blocks.get(name)
            if kind is not None and value.dtype != rl.uint8:
                wrong.append(f"{key}: dtype {value.dtype} where the module has blocks, as bytes")
            elif kind is not None and name != key:
                given = bytes(value.tolist()).decode("ascii", "replace")
                if given != kind:
                    wrong.append(f"{key}: blocks of {given} where the module has {kind}")
            elif value.shape != into.shape:
                wrong.append(f"{key}: shape {value.shape} where the module has {into.shape}")
            elif rl.isdtype(value.dtype, "complex floating") and not rl.isdtype(
                into.dtype, "complex floating"
            ):
                wrong.append(f"{key}: dtype {value.dtype} where the module has {into.dtype}")
            else:
                ready.append((key, into, value))
        after = [(module, hook) for module in self._bottom_up() for hook in module._load_after]
        # Hooks see the loaded values, and may still change which keys are missing.
        early = strict and not after
        self._no_problems(wrong, missing if early else [], unexpected if early else [])
        with rl.no_grad():
            for key, into, value in ready:
                if assign:
                    self._assign(key, into, value)
                else:
                    into.copy_(value.detach())
        result = LoadResult(missing, unexpected)
        for module, hook in after:
            if hook(module, result) is not None:
                raise RuntimeError("a load_state_dict post-hook changes the lists and returns None")
        if strict:
            self._no_problems([], missing, unexpected)
        return result

    def _bottom_up(self) -> Iterator[Module]:
        """Every module after its children, as often as it has names."""
        for child in self._modules.values():
            if child is not None:
                yield from child._bottom_up()
        yield self

    def _no_problems(self, wrong: list[str], missing: list[str], unexpected: list[str]) -> None:
        """Raise an error that names all keys that do not fit."""
        problems = []
        if missing:
            problems.append(f"missing keys: {', '.join(missing)}")
        if unexpected:
            problems.append(f"unexpected keys: {', '.join(unexpected)}")
        problems += wrong
        if problems:
            text = "\n  ".join(problems)
            raise _StateDictError(f"load_state_dict for {type(self).__name__}:\n  {text}")

    def _assign(self, key: str, old: Tensor, value: Tensor) -> None:
        """Replace a parameter or buffer by a tensor."""
        at, _, name = key.rpartition(".")
        owner = self.get_submodule(at)
        if name not in owner._parameters:
            owner._buffers[name] = value
        elif isinstance(value, Parameter):
            owner._parameters[name] = value
        else:
            owner._parameters[name] = Parameter(value, old.requires_grad)

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Does nothing: there is no compiler of Python code. Calls of the module stay as they are.

        A program that compiles its models thus runs unchanged, with the same results, as with
        ``backend="eager"`` in PyTorch. Kernels are compiled ahead of time; `rushlight.nn.functional` has
        fused functions.

        Parameters
        ----------
        *args, **kwargs
            Those of ``torch.compile``, which are not used.

        Examples
        --------
        >>> import rushlight as rl
        >>> net = rl.nn.ReLU()
        >>> net.compile(mode="max-autotune")
        >>> net(rl.tensor([-1.0])).tolist()
        [0.0]
        """

    # Modes and gradients

    def train(self: T, mode: bool = True) -> T:
        """Sets training mode (dropout is active) here and below.

        Parameters
        ----------
        mode
            False sets evaluation mode.

        Returns
        -------
        Module
            Itself.

        Examples
        --------
        >>> import rushlight as rl
        >>> net = rl.nn.Sequential(rl.nn.Linear(2, 3), rl.nn.ReLU())
        >>> net.train().training
        True
        """
        for module in self.modules():
            object.__setattr__(module, "training", mode)
        return self

    def eval(self: T) -> T:
        """Sets evaluation mode (dropout passes its input on) here and below.

        Returns
        -------
        Module
            Itself.

        Examples
        --------
        >>> import rushlight as rl
        >>> net = rl.nn.Sequential(rl.nn.Linear(2, 3), rl.nn.ReLU())
        >>> net.eval().training
        False
        """
        return self.train(False)

    def requires_grad_(self: T, requires_grad: bool = True) -> T:
        """Sets for every parameter whether it gets a gradient.

        Parameters
        ----------
        requires_grad
            Whether ``backward`` fills ``grad``.

        Returns
        -------
        Module
            Itself.

        Examples
        --------
        >>> import rushlight as rl
        >>> net = rl.nn.Sequential(rl.nn.Linear(2, 3), rl.nn.ReLU())
        >>> any(p.requires_grad for p in net.requires_grad_(False).parameters())
        False
        """
        for param in self.parameters():
            param.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drops the gradients of the parameters, or fills them with zeros.

        Parameters
        ----------
        set_to_none
            Whether ``grad`` becomes None instead of zeros.

        Examples
        --------
        >>> import rushlight as rl
        >>> net = rl.nn.Linear(2, 1)
        >>> net(rl.ones((1, 2))).sum().backward()
        >>> net.zero_grad()
        >>> net.weight.grad is None
        True
        """
        for param in self.parameters():
            if param.grad is None:
                continue
            if set_to_none:
                param.grad = None
            else:
                param.grad = rl.zeros_like(param.detach())

    def unsupported(self, device: Any, training: bool = True) -> list[str]:
        """Returns the ops of this model that a device cannot run.

        Parameters
        ----------
        device
            The device, or its name.
        training
            Whether gradients are needed, too.

        Returns
        -------
        list of str
            One line for each op, with the name of the layer.

        Examples
        --------
        >>> import rushlight as rl
        >>> net = rl.nn.Sequential(rl.nn.Linear(2, 3), rl.nn.ReLU())
        >>> net.unsupported("cpu")
        []
        """
        problems: list[str] = []
        for name, module in self.named_modules():
            dtypes = {p.dtype for p in module._parameters.values() if p is not None}
            for dtype in dtypes or {p.dtype for p in self.parameters()} or {rl.float32}:
                for op in module.ops:
                    if not rl.supports(op, dtype, device, grad=training):
                        problems.append(f"{name or type(self).__name__}: {op} of {dtype}")
        return problems

    def supports(self, device: Any, training: bool = True) -> bool:
        """Returns whether a device can run every op of this model.

        Parameters
        ----------
        device
            The device, or its name.
        training
            Whether gradients are needed, too.

        Returns
        -------
        bool
            False where `unsupported` names an op.

        Examples
        --------
        >>> import rushlight as rl
        >>> net = rl.nn.Sequential(rl.nn.Linear(2, 3), rl.nn.ReLU())
        >>> net.supports("cpu")
        True
        """
        return not self.unsupported(device, training)

    # Showing

    def extra_repr(self) -> str:
        """Returns the arguments to show between the parentheses of the repr.

        Returns
        -------
        str
            Empty here; a subclass returns its settings.
        """
        return ""

    def _get_name(self) -> str:
        """Return the name of the class, for subclasses of PyTorch's that call this."""
        return type(self).__name__

    def _child_lines(self, texts: list[tuple[str, str]]) -> list[str]:
        """Return the lines of the repr for the children, whose names and texts are given."""
        return [f"({name}): {text}" for name, text in texts]

    def __repr__(self) -> str:
        # A loop, since a model may be deeper than Python's stack. A module inside itself is not opened again.
        texts: dict[int, str] = {}
        opened: set[int] = set()
        stack: list[Any] = [self]
        while stack:
            module = stack[-1]
            plain = module is self or (
                isinstance(module, Module) and type(module).__repr__ is Module.__repr__
            )
            if plain and id(module) not in opened:
                opened.add(id(module))
                stack += [child for child in module._modules.values() if id(child) not in opened]
                continue
            stack.pop()
            if id(module) not in texts:
                texts[id(module)] = module._text(texts) if plain else repr(module)
        return texts[id(self)]

    def _text(self, texts: dict[int, str]) -> str:
        """Return the repr from those of the children."""
        inner = [(name, texts.get(id(child), "...")) for name, child in self._modules.items()]
        extra = self.extra_repr()
        lines = [*(extra.split("\n") if extra else ()), *self._child_lines(inner)]
        if not inner and len(lines) < 2 and not self._tall:
            return f"{self._get_name()}({extra})"
        body = "\n".join(lines).replace("\n", "\n  ")
        return f"{self._get_name()}(\n  {body}\n)" if lines else f"{self._get_name()}()"
