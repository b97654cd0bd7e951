"""Gradients with less memory: parts of a model are computed again instead of kept."""

from __future__ import annotations

import functools
import types
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any

from .._grad import enable_grad
from .._native import Tensor, _grad, _reaches_others, get_rng_state, is_grad_enabled
from ..autograd import Function, once_differentiable
from ..func._transforms import depends
from ..func._tree import mapped
from ..nn.module import Module
from ..random import fork_rng, set_rng_state

__all__ = ["checkpoint", "checkpoint_sequential"]

Contexts = Callable[[], tuple[AbstractContextManager[Any], AbstractContextManager[Any]]]


def _tensors(tree: Any) -> list[Tensor]:
    """Return the tensors in tuples, lists and dicts."""
    found: list[Tensor] = []
    mapped(found.append, tree)
    return found


class _Reached:
    """Tensors that require a gradient and that a function refers to without having them as arguments."""

    def __init__(self) -> None:
        self.tensors: dict[int, Tensor] = {}
        self._seen: set[int] = set()

    def look(self, thing: Any, depth: int = 6) -> None:
        """Look at an object, and into it."""
        if id(thing) in self._seen or depth == 0 or isinstance(thing, str | int | float | types.ModuleType):
            return
        self._seen.add(id(thing))
        if isinstance(thing, Tensor):
            if thing.requires_grad:
                self.tensors[id(thing)] = thing
            return
        for part in self._parts(thing):
            self.look(part, depth - 1)

    def _parts(self, thing: Any) -> Iterator[Any]:
        if isinstance(thing, Module):
            for module in thing.modules():
                yield from (v for v in vars(module).values() if isinstance(v, Tensor | list | tuple))
            yield from thing.parameters()
        elif isinstance(thing, types.FunctionType):
            for cell in thing.__closure__ or ():
                # A variable that has no value yet.
                with suppress(ValueError):
                    yield cell.cell_contents
            yield from thing.__defaults__ or ()
            yield from (thing.__kwdefaults__ or {}).values()
            yield from (thing.__globals__[name] for name in _names(thing.__code__, thing.__globals__))
        elif isinstance(thing, types.MethodType):
            yield from (thing.__self__, thing.__func__)
        elif isinstance(thing, functools.partial):
            yield from (thing.func, *thing.args, *thing.keywords.values())
        elif isinstance(thing, list | tuple | set):
            yield from thing
        elif isinstance(thing, dict):
            yield from thing.values()
        elif hasattr(thing, "__dict__") and not isinstance(thing, type):
            yield from vars(thing).values()


def _names(code: types.CodeType, known: dict[str, Any]) -> Iterator[str]:
    """Return the global variables of a function and of the functions in it."""
    yield from (name for name in code.co_names if name in known)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant, known)


class _Run:
    """A call that is made twice, with the same random numbers."""

    def __init__(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        keep_random: bool,
        check: bool,
        contexts: tuple[AbstractContextManager[Any], AbstractContextManager[Any]],
    ) -> None:
        self.function, self.contexts, self.check = function, contexts, check
        tensors = _tensors((args, kwargs))
        # Tensors of the arguments are left out, so that only `Function` keeps them.
        self.args, self.kwargs = mapped(lambda _: _Place, (args, kwargs))
        devices = dict.fromkeys(["cpu", *(str(t.device) for t in tensors)])
        self.states = {d: get_rng_state(d) for d in devices} if keep_random else {}
        # Which tensors of the arguments require a gradient, the leaves that the function uses besides them,
        # and shapes and dtypes of the results.
        self.needs = [t.requires_grad for t in tensors]
        self.reached: list[Tensor] = []
        self.outputs: list[tuple[Any, ...]] = []

    def __call__(self, tensors: Iterable[Tensor], again: bool) -> Any:
        """Call the function, recorded."""
        items = iter(tensors)
        args, kwargs = _filled((self.args, self.kwargs), items)
        fork = fork_rng([d for d in self.states if d != "cpu"], enabled=again and bool(self.states))
        with fork, enable_grad(), self.contexts[again]:
            if again:
                for device, state in self.states.items():
                    set_rng_state(state, device)
            return self.function(*args, **kwargs)


class _Place:
    """Marks a tensor in the arguments of a call."""


def _filled(tree: Any, items: Iterator[Tensor]) -> Any:
    """Return the tree with tensors instead of the marks."""
    if tree is _Place:
        return next(items)
    if isinstance(tree, tuple):
        parts = [_filled(item, items) for item in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else tuple(parts)
    if isinstance(tree, list):
        return [_filled(item, items) for item in tree]
    if isinstance(tree, dict):
        return {key: _filled(item, items) for key, item in tree.items()}
    return tree


def _aliases(tensors: Iterable[Tensor | None], needs: Iterable[bool]) -> list[Any]:
    """Return leaves over the same memory, so that a walk through the graph ends there."""
    return [
        t if t is None else t.detach().requires_grad_(need) for t, need in zip(tensors, needs, strict=True)
    ]


def _walked(
    results: Iterable[Tensor | None],
    weights: Iterable[Tensor | None],
    by: Sequence[Tensor | None],
    more: bool,
) -> list[Tensor | None]:
    """Return the gradients of the weighted results; None for what requires none."""
    pairs = [
        (y, g)
        for y, g in zip(results, weights, strict=True)
        if y is not None and g is not None and y.requires_grad
    ]
    wanted = [t for t in by if t is not None and t.requires_grad]
    found = iter(_grad([y for y, _ in pairs], wanted, [g for _, g in pairs], more))
    return [next(found) if t is not None and t.requires_grad else None for t in by]


def _gradients(
    run: _Run, inputs: Sequence[Tensor], grads: Sequence[Tensor | None], more: bool
) -> list[Tensor | None]:
    """Call again; return the gradients of the inputs and of the leaves that the function reaches."""
    outputs = _tensors(run(inputs, True))
    if run.check and [(y.shape, y.dtype) for y in outputs] != run.outputs:
        raise RuntimeError(
            f"checkpoint: the function returned {[shape for shape, _ in run.outputs]}, and computed again "
            f"{[y.shape for y in outputs]}; it must compute the same each time"
        )
    return _walked(outputs, grads, [*inputs, *run.reached], more)


class _Checkpoint(Function):
    """Results of a call whose gradients are computed by calling again."""

    @staticmethod
    def forward(ctx: Any, run: _Run, outputs: Sequence[Tensor], *tensors: Tensor) -> Any:
        ctx.run = run
        run.outputs = [(y.shape, y.dtype) for y in outputs]
        # The leaves, too, so that a change before backward is an error.
        ctx.save_for_backward(*tensors)
        found = tuple(y.detach() for y in outputs)
        ctx.mark_non_differentiable(*(f for f, y in zip(found, outputs, strict=True) if not y.requires_grad))
        ctx.set_materialize_grads(False)
        return found

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> Any:
        run, given = ctx.run, ctx.saved_tensors[: len(ctx.run.needs)]
        if is_grad_enabled():
            return None, None, *_Gradients.apply(run, *given, *run.reached, *grads)
        return None, None, *_gradients(run, _aliases(given, run.needs), grads, False)


class _Gradients(Function):
    """The gradients of `_Checkpoint` as a part of the graph; theirs call the function once more."""

    @staticmethod
    def forward(ctx: Any, run: _Run, *tensors: Tensor | None) -> Any:
        ctx.run = run
        ctx.save_for_backward(*tensors)
        ctx.set_materialize_grads(False)
        count = len(run.needs)
        inputs, grads = _aliases(tensors[:count], run.needs), tensors[count + len(run.reached) :]
        with enable_grad():
            return tuple(_gradients(run, inputs, grads, False))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *weights: Tensor | None) -> Any:
        run, count = ctx.run, len(ctx.run.needs)
        saved = ctx.saved_tensors
        inputs = _aliases(saved[:count], run.needs)
        given = saved[count + len(run.reached) :]
        grads = _aliases(given, [True] * len(given))
        with enable_grad():
            first = _gradients(run, inputs, grads, True)
        return None, *_walked(first, weights, [*inputs, *run.reached, *grads], False)


def _nothing() -> tuple[AbstractContextManager[Any], AbstractContextManager[Any]]:
    return nullcontext(), nullcontext()


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Contexts = _nothing,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """Calls a function without keeping what its gradient needs: backward calls the function again.

    Its parameters get gradients as without it: tensors that require one are found in the arguments, and in
    the modules, closures and global variables that the function refers to. Where the function uses one that
    is not found, or a result of earlier operations that is not an argument, a warning says so, and everything
    is kept. Second derivatives are computed, third ones are an error.

    Parameters
    ----------
    function
        The function or module. It must compute the same each time; what it changes, it changes twice.
    *args
        Its arguments; tensors may be in tuples, lists and dicts.
    use_reentrant
        Accepted as in PyTorch; both ways are the one that is described here.
    context_fn
        Returns two contexts, for the first and for the second call.
    determinism_check
        ``"default"``: shapes and dtypes of both calls are compared; or ``"none"``.
    debug, early_stop
        Accepted as in PyTorch, without effect.
    preserve_rng_state
        Whether the second call draws the random numbers of the first.
    **kwargs
        Further arguments of the function.

    Returns
    -------
    object
        What the function returns.

    Raises
    ------
    ValueError
        If `determinism_check` is another text.

    Examples
    --------
    >>> import rushlight as rl
    >>> layer = rl.nn.Sequential(rl.nn.Linear(4, 64), rl.nn.Tanh(), rl.nn.Linear(64, 1))
    >>> loss = rl.utils.checkpoint.checkpoint(layer, rl.ones(2, 4), use_reentrant=False).sum()
    >>> loss.backward()
    >>> layer[0].weight.grad.shape
    (64, 4)
    """
    if determinism_check not in ("default", "none"):
        raise ValueError(f"checkpoint: determinism_check is 'default' or 'none', got {determinism_check!r}")
    if not is_grad_enabled():
        with context_fn()[0]:
            return function(*args, **kwargs)
    tensors = _tensors((args, kwargs))
    check = determinism_check == "default"
    run = _Run(function, args, kwargs, preserve_rng_state, check, context_fn())
    inputs = _aliases(tensors, run.needs)
    results = run(inputs, False)
    outputs = _tensors(results)
    if not any(y.requires_grad for y in outputs):
        return results
    reached = _Reached()
    reached.look(function)
    others = list(reached.tensors.values())
    run.reached = [t for t in others if t.is_leaf]
    between = [t for t in others if not t.is_leaf]
    recorded = [y for y in outputs if y.requires_grad]
    known = [t for t in (*inputs, *run.reached) if t.requires_grad]
    if _reaches_others(recorded, known) or any(any(depends(y, between)) for y in recorded if between):
        warnings.warn(
            "checkpoint: the function uses a tensor that requires a gradient and is not among its arguments, "
            "the parameters of its modules and the leaves in its variables, so its values are kept; pass the "
            "tensor as an argument",
            UserWarning,
            stacklevel=2,
        )
        # With the arguments themselves, and the same random numbers.
        return run(tensors, True)
    made = iter(_Checkpoint.apply(run, outputs, *tensors, *run.reached))
    return mapped(lambda _: next(made), results)


def checkpoint_sequential(
    functions: Module | Sequence[Callable[..., Any]],
    segments: int,
    input: Any,
    use_reentrant: bool | None = None,
    **kwargs: Any,
) -> Any:
    """Runs a chain of functions in segments, each but the last one as `checkpoint` does.

    Parameters
    ----------
    functions
        A `Sequential`, or the functions in order.
    segments
        Number of segments of equal length; the last one is what remains.
    input
        The argument of the first function.
    use_reentrant
        Accepted as in PyTorch, without effect.
    **kwargs
        ``preserve_rng_state``, of `checkpoint`.

    Returns
    -------
    object
        The result of the last function.

    Raises
    ------
    ValueError
        If there are fewer functions than segments, or another argument is given.

    Examples
    --------
    >>> import rushlight as rl
    >>> layers = rl.nn.Sequential(rl.nn.Linear(2, 2), rl.nn.ReLU(), rl.nn.Linear(2, 1))
    >>> rl.utils.checkpoint.checkpoint_sequential(layers, 2, rl.ones(3, 2), use_reentrant=False).shape
    (3, 1)
    """
    keep = kwargs.pop("preserve_rng_state", True)
    chain = list(functions.children()) if isinstance(functions, Module) else list(functions)
    if kwargs or not 1 <= segments <= len(chain):
        raise ValueError(
            f"checkpoint_sequential: {segments} segments of {len(chain)} functions"
            + (f", and unknown arguments {sorted(kwargs)}" if kwargs else "")
        )

    def of(part: Sequence[Callable[..., Any]]) -> Callable[[Any], Any]:
        def run(x: Any) -> Any:
            for function in part:
                x = function(x)
            return x

        return run

    size = len(chain) // segments
    for start in range(0, size * (segments - 1), size):
        input = checkpoint(
            of(chain[start : start + size]), input, use_reentrant=use_reentrant, preserve_rng_state=keep
        )
    return of(chain[size * (segments - 1) :])(input)
