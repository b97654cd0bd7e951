"""Hooks around a module in the gradient graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from rushlight._native import Tensor, is_grad_enabled
from rushlight.autograd._function import Function, spread

__all__ = ["BackwardCall"]

Gradients = tuple[Tensor | None, ...]


class _Identity(Function):
    """Returns tensors as they are, and passes their gradients through a function."""

    @staticmethod
    def forward(ctx: Any, change: Callable[[Gradients], Gradients], *tensors: Tensor) -> Any:
        ctx.change = change
        ctx.set_materialize_grads(False)
        return tuple(t.detach() for t in tensors)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> Any:
        return (None, *ctx.change(grads))


def _replaced(name: str, found: Any, grads: Gradients) -> Gradients:
    """Return the gradients that replace the given ones after a hook was called."""
    if found is None:
        return grads
    new = found if isinstance(found, tuple) else (found,)
    if len(new) != len(grads):
        raise RuntimeError(f"{name}: the hook returned {len(new)} gradients, expected {len(grads)}")
    return new


class BackwardCall:
    """One call of a module whose gradients pass hooks."""

    def __init__(
        self, module: Any, before: Iterable[Callable[..., Any]], after: Iterable[Callable[..., Any]]
    ) -> None:
        self._module = module
        self._before = list(before)
        self._after = list(after)
        self._grad_output: Gradients = ()
        self._waits = False
        self._count = 0

    def inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the arguments as results of a node that gets their gradients."""
        self._count = len(args)
        at = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        if not self._after or not is_grad_enabled() or not any(args[i].requires_grad for i in at):
            return args

        def change(grads: Gradients) -> Gradients:
            new = self._called(tuple(spread(len(args), at, grads)))
            return tuple(new[i] for i in at)

        self._waits = True
        return _through(args, at, change)

    def outputs(self, result: Any) -> Any:
        """Return the result as that of a node that gets its gradients."""
        results = (result,) if isinstance(result, Tensor) else result
        if not isinstance(results, tuple) or not is_grad_enabled():
            return result
        at = [i for i, r in enumerate(results) if isinstance(r, Tensor)]
        if not any(results[i].requires_grad for i in at):
            return result

        def change(grads: Gradients) -> Gradients:
            new: Gradients = tuple(spread(len(results), at, grads))
            for hook in self._before:
                new = _replaced("register_full_backward_pre_hook", hook(self._module, new), new)
            self._grad_output = new
            if self._after and not self._waits:
                # No argument requires a gradient, so `backward` does not reach a node of the inputs. The
                # hooks are called here.
                self._called((None,) * self._count)
            return tuple(new[i] for i in at)

        new = _through(results, at, change)
        return new[0] if isinstance(result, Tensor) else new

    def _called(self, grads: Gradients) -> Gradients:
        for hook in self._after:
            new = hook(self._module, grads, self._grad_output)
            grads = _replaced("register_full_backward_hook", new, grads)
        return grads


def _through(
    items: tuple[Any, ...], at: list[int], change: Callable[[Gradients], Gradients]
) -> tuple[Any, ...]:
    new = list(items)
    for i, t in zip(at, _Identity.apply(change, *(items[i] for i in at)), strict=True):
        new[i] = t if t.requires_grad and items[i].requires_grad else items[i]
    return tuple(new)
