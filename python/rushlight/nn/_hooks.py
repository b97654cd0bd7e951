"""Functions that run before and after a module's `forward`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight._hooks import Functions, Hooks, RemovableHandle

from ._backward_hooks import BackwardCall
from ._tree import ModuleTree

__all__ = ["ForwardHook", "HookedTree"]


class ForwardHook:
    """A hook, with the settings by which it is called."""

    def __init__(self, function: Callable[..., Any], with_kwargs: bool, always_call: bool = False) -> None:
        self.function = function
        self.with_kwargs = with_kwargs
        self.always_call = always_call


class HookedTree(ModuleTree):
    """The part of `Module` that calls `forward` and the hooks around it."""

    _before: Hooks[ForwardHook]
    _after: Hooks[ForwardHook]
    _backward_before: Functions
    _backward_after: Functions
    forward: Callable[..., Any]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run `forward` and the hooks."""
        backward = self._backward_before or self._backward_after
        if not self._before and not self._after and not backward:
            return self.forward(*args, **kwargs)
        called: set[ForwardHook] = set()
        try:
            for before in self._before:
                args, kwargs = self._changed(before, args, kwargs)
            if backward:
                call = BackwardCall(self, self._backward_before, self._backward_after)
                result = call.outputs(self.forward(*call.inputs(args), **kwargs))
            else:
                result = self.forward(*args, **kwargs)
            for after in self._after:
                called.add(after)
                result = self._call(after, args, kwargs, result)
        except Exception:
            for after in self._after:
                if after.always_call and after not in called:
                    self._call(after, args, kwargs, None)
            raise
        return result

    def _changed(
        self, hook: ForwardHook, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments after a forward pre-hook."""
        if not hook.with_kwargs:
            found = hook.function(self, args)
            if found is None:
                return args, kwargs
            return found if isinstance(found, tuple) else (found,), kwargs
        found = hook.function(self, args, kwargs)
        if found is None:
            return args, kwargs
        if not isinstance(found, tuple) or len(found) != 2:
            raise RuntimeError(
                "a forward pre-hook with with_kwargs=True returns None or a tuple (args, kwargs), "
                f"got {type(found).__name__}"
            )
        return found

    def _call(self, hook: ForwardHook, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Any:
        """Return the result after a forward hook."""
        given = (self, args, kwargs, result) if hook.with_kwargs else (self, args, result)
        found = hook.function(*given)
        return result if found is None else found

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Registers a function that is called before `forward` and can change the arguments.

        Parameters
        ----------
        hook
            Called as ``hook(module, args)``, with `with_kwargs` as ``hook(module, args, kwargs)``. It returns
            None, or new positional arguments; with `with_kwargs` a tuple ``(args, kwargs)``.
        prepend
            Whether it is called before the hooks that are registered already.
        with_kwargs
            Whether it gets the keyword arguments.

        Returns
        -------
        RemovableHandle
            Its ``remove()`` removes the hook.

        Examples
        --------
        >>> import rushlight as rl
        >>> layer = rl.nn.ReLU()
        >>> handle = layer.register_forward_pre_hook(lambda module, args: -args[0])
        >>> layer(rl.tensor([-3.0])).tolist()
        [3.0]
        """
        return self._before.add(ForwardHook(hook, with_kwargs), prepend)

    def register_forward_hook(
        self,
        hook: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:
        """Registers a function that is called after `forward` and can change the result.

        Parameters
        ----------
        hook
            Called as ``hook(module, args, output)``, with `with_kwargs` as
            ``hook(module, args, kwargs, output)``. A result other than None replaces the output.
        prepend
            Whether it is called before the hooks that are registered already.
        with_kwargs
            Whether it gets the keyword arguments.
        always_call
            Whether it is also called, with the output None, if `forward` raises an error.

        Returns
        -------
        RemovableHandle
            Its ``remove()`` removes the hook.

        Examples
        --------
        >>> import rushlight as rl
        >>> shapes = []
        >>> layer = rl.nn.Linear(4, 2)
        >>> with layer.register_forward_hook(lambda module, args, output: shapes.append(output.shape)):
        ...     _ = layer(rl.ones((3, 4)))
        >>> shapes
        [(3, 2)]
        """
        return self._after.add(ForwardHook(hook, with_kwargs, always_call), prepend)

    def register_full_backward_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Registers a function that ``backward`` calls with the gradients of the results.

        Parameters
        ----------
        hook
            Called as ``hook(module, grad_output)`` with a tuple; an entry is None if there is no gradient. It
            returns None, or new gradients.
        prepend
            Whether it is called before the hooks that are registered already.

        Returns
        -------
        RemovableHandle
            Its ``remove()`` removes the hook.

        Examples
        --------
        >>> import rushlight as rl
        >>> layer = rl.nn.ReLU()
        >>> handle = layer.register_full_backward_pre_hook(lambda module, grad: (grad[0] * 10,))
        >>> x = rl.tensor([3.0], requires_grad=True)
        >>> layer(x).sum().backward()
        >>> x.grad.tolist()
        [10.0]
        """
        return self._backward_before.add(hook, prepend)

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Registers a function that ``backward`` calls with the gradients of the arguments.

        Parameters
        ----------
        hook
            Called as ``hook(module, grad_input, grad_output)`` with tuples; an entry is None if there is no
            gradient. It returns None, or new gradients of the positional arguments.
        prepend
            Whether it is called before the hooks that are registered already.

        Returns
        -------
        RemovableHandle
            Its ``remove()`` removes the hook.

        Examples
        --------
        >>> import rushlight as rl
        >>> layer = rl.nn.ReLU()
        >>> handle = layer.register_full_backward_hook(lambda m, inputs, outputs: print(inputs[0].tolist()))
        >>> layer(rl.tensor([-1.0, 3.0], requires_grad=True)).sum().backward()
        [0.0, 1.0]
        """
        return self._backward_after.add(hook, prepend)
