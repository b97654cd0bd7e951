"""Functions that users write together with their gradient."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any

from rushlight._grad import no_grad
from rushlight._native import Tensor, _apply, is_grad_enabled

__all__ = ["Function", "FunctionCtx", "once_differentiable"]

# The saved tensors of the contexts whose `backward` runs on this thread.
_running = threading.local()


class FunctionCtx:
    """The argument `ctx` that `forward` and `backward` of a `Function` share. Other attributes may be set.

    Examples
    --------
    >>> import rushlight as rl
    >>> ctx = rl.autograd.FunctionCtx()
    >>> ctx.save_for_backward(rl.ones(1))
    >>> len(ctx.saved_tensors)
    1
    """

    needs_input_grad: tuple[bool, ...] = ()
    """For each argument of `forward` whether its gradient is needed."""
    _saved: tuple[Tensor | None, ...] = ()
    _constant: tuple[Tensor, ...] = ()
    _dirty: tuple[Tensor, ...] = ()
    _materialize = True

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Saves tensors for `backward`, which finds them in `saved_tensors`.

        Changing one in place afterwards is an error at ``backward``. Tensors that are neither arguments nor
        results may be saved, too.

        Parameters
        ----------
        *tensors
            Tensors, or None.

        Raises
        ------
        TypeError
            If one is neither.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.autograd.FunctionCtx().save_for_backward(rl.ones(1), None)
        """
        for t in tensors:
            if t is not None and not isinstance(t, Tensor):
                raise TypeError(f"save_for_backward takes tensors and None, got {type(t).__name__}")
        self._saved = tensors

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """The tensors of `save_for_backward`, in `backward`."""
        held: dict[str, tuple[Tensor | None, ...]] = _running.__dict__
        return held.get(str(id(self)), self._saved)

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Declares results of `forward` that have no gradient.

        Parameters
        ----------
        *tensors
            Results of `forward`. `backward` gets zeros for them.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.autograd.FunctionCtx().mark_non_differentiable(rl.ones(1))
        """
        self._constant = tensors

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Declares arguments that `forward` changed in place, and returns.

        The argument itself is then the result, as a part of the gradient graph. It may not be a leaf that
        requires a gradient, nor share its memory with other tensors, as for every change in place.

        Parameters
        ----------
        *tensors
            Arguments that `forward` changed. Each is a result, too.

        Examples
        --------
        >>> import rushlight as rl
        >>> class Double(rl.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.mark_dirty(x)
        ...         return x.mul_(2)
        ...
        ...     @staticmethod
        ...     def backward(ctx, grad):
        ...         return grad * 2
        >>> leaf = rl.tensor([1.0], requires_grad=True)
        >>> x = leaf * 3
        >>> Double.apply(x) is x, x.tolist()
        (True, [6.0])
        >>> x.backward()
        >>> leaf.grad.item()
        6.0
        """
        self._dirty = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Sets whether `backward` gets zeros for a result that no gradient reached; otherwise None.

        Parameters
        ----------
        value
            True by default.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.autograd.FunctionCtx().set_materialize_grads(False)
        """
        self._materialize = value


class Function:
    """An operation that the user writes together with its gradient.

    A subclass defines the static methods ``forward(ctx, *args)`` and ``backward(ctx, *grads)``, or
    ``forward(*args)``, ``setup_context(ctx, inputs, output)`` and ``backward``. It is called as
    ``Subclass.apply(*args)``. `backward` gets one gradient for each result and returns one for each
    argument, None for those that are not tensors. It has a gradient itself if it is written with tensor
    operations.

    Examples
    --------
    >>> import rushlight as rl
    >>> class Exp(rl.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         y = x.exp()
    ...         ctx.save_for_backward(y)
    ...         return y
    ...
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         (y,) = ctx.saved_tensors
    ...         return grad * y
    >>> x = rl.tensor(0.0, requires_grad=True)
    >>> Exp.apply(x).backward()
    >>> x.grad.item()
    1.0
    """

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Computes the results; a subclass defines it.

        Parameters
        ----------
        *args
            The context and the arguments of `apply`; without the context where `setup_context` is defined.
        **kwargs
            None are given.

        Raises
        ------
        NotImplementedError
            If the subclass does not define it.
        """
        raise NotImplementedError("a subclass of autograd.Function defines the static method forward")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Saves what `backward` needs, where `forward` takes no context.

        Parameters
        ----------
        ctx
            The context.
        inputs
            The arguments of `apply`.
        output
            The result of `forward`.

        Raises
        ------
        NotImplementedError
            If the subclass does not define it.

        Examples
        --------
        >>> import rushlight as rl
        >>> class Double(rl.autograd.Function):
        ...     @staticmethod
        ...     def forward(x):
        ...         return x * 2
        ...
        ...     @staticmethod
        ...     def setup_context(ctx, inputs, output):
        ...         pass
        ...
        ...     @staticmethod
        ...     def backward(ctx, grad):
        ...         return grad * 2
        >>> Double.apply(rl.ones(1)).item()
        2.0
        """
        raise NotImplementedError("setup_context is not defined")

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Returns the gradients of the arguments; a subclass defines it.

        Parameters
        ----------
        ctx
            The context.
        *grads
            The gradient of each result.

        Raises
        ------
        NotImplementedError
            If the subclass does not define it.

        Examples
        --------
        >>> import rushlight as rl
        >>> try:
        ...     rl.autograd.Function.backward(None)
        ... except NotImplementedError:
        ...     print("not defined")
        not defined
        """
        raise NotImplementedError("a subclass of autograd.Function defines the static method backward")

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Computes the results, and records the function if a gradient may be asked for.

        Parameters
        ----------
        *args
            The arguments of `forward`.

        Returns
        -------
        Tensor or tuple
            The result of `forward`.

        Raises
        ------
        RuntimeError
            If `forward` returns neither a tensor nor a tuple of results, or a tensor of
            `FunctionCtx.mark_dirty` is a leaf that requires a gradient, or not an argument and a result.

        Examples
        --------
        >>> import rushlight as rl
        >>> class Sign(rl.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         return x.sign()
        ...
        ...     @staticmethod
        ...     def backward(ctx, grad):
        ...         return grad
        >>> Sign.apply(rl.tensor([-3.0])).tolist()
        [-1.0]
        """
        ctx = FunctionCtx()
        recording = is_grad_enabled()
        ctx.needs_input_grad = tuple(recording and isinstance(a, Tensor) and a.requires_grad for a in args)
        with no_grad():
            if cls.setup_context is Function.setup_context:
                found = cls.forward(ctx, *args)
            else:
                found = cls.forward(*args)
                cls.setup_context(ctx, args, found)
        if not any(ctx.needs_input_grad):
            ctx._saved = ()
            return found
        results = (found,) if isinstance(found, Tensor) else found
        if not isinstance(results, tuple):
            raise RuntimeError(
                f"{cls.__name__}.forward returns a tensor or a tuple of results, got {type(found).__name__}"
            )
        dirty = ctx._dirty
        for t in dirty:
            if not any(t is a for a in args) or not any(t is r for r in results):
                raise RuntimeError(
                    f"{cls.__name__}: a tensor of mark_dirty is an argument and a result of forward"
                )
        at = [i for i, r in enumerate(results) if isinstance(r, Tensor)]
        constant = [k for k, i in enumerate(at) if any(results[i] is c for c in ctx._constant)]
        inputs = [a for a in args if isinstance(a, Tensor)]
        run = functools.partial(_run, cls, tuple(_Argument(a) for a in args), tuple(at), len(results))
        # A changed argument goes on as another tensor, to which it is bound below.
        copies = {id(t): t.detach().clone() for t in dirty}
        saved = [t if t is None else copies.get(id(t), t) for t in ctx._saved]
        ctx._saved, ctx._constant, ctx._dirty = (), (), ()
        outputs = [copies.get(id(r), r) for r in results if isinstance(r, Tensor)]
        made = _apply(
            f"{cls.__name__}Backward", run, ctx, inputs, outputs, constant, saved, not ctx._materialize
        )
        whole = list(results)
        for i, t in zip(at, made, strict=True):
            whole[i] = results[i].copy_(t) if id(results[i]) in copies else t
        return whole[0] if isinstance(found, Tensor) else tuple(whole)


class _Argument:
    """Shape and dtype of an argument that is a tensor."""

    def __init__(self, given: Any) -> None:
        self.is_tensor = isinstance(given, Tensor)
        self.shape = given.shape if self.is_tensor else ()
        self.dtype: Any = given.dtype if self.is_tensor else None

    def fitted(self, grad: Tensor) -> Tensor:
        """The gradient in the argument's shape, summed where it was broadcast, and in its dtype."""
        if grad.shape != self.shape:
            added = grad.ndim - len(self.shape)
            axes = [i for i in range(grad.ndim) if i < added or (self.shape[i - added] == 1 != grad.shape[i])]
            if added >= 0 and axes:
                grad = grad.sum(axis=tuple(axes), keepdims=True)
                grad = grad.reshape(grad.shape[added:])
        return grad if grad.dtype == self.dtype else grad.astype(self.dtype)


def spread(count: int, at: Sequence[int], items: Sequence[Tensor | None]) -> list[Tensor | None]:
    """A list of `count` entries that has the items at the given indices, and None elsewhere."""
    whole: list[Tensor | None] = [None] * count
    for i, item in zip(at, items, strict=True):
        whole[i] = item
    return whole


def _run(
    cls: type[Function],
    arguments: Sequence[_Argument],
    at: Sequence[int],
    count: int,
    ctx: FunctionCtx,
    saved: tuple[Tensor | None, ...],
    grads: tuple[Tensor | None, ...],
) -> list[Tensor | None]:
    """Run `backward`; the gradients of the arguments that are tensors."""
    given = spread(count, at, grads)
    key, held = str(id(ctx)), _running.__dict__
    before = held.get(key)
    held[key] = saved
    try:
        found = cls.backward(ctx, *given)
    finally:
        if before is None:
            del held[key]
        else:
            held[key] = before
    all_of = found if isinstance(found, tuple) else (found,)
    extra = all_of[len(arguments) :]
    if len(all_of) < len(arguments) or any(g is not None for g in extra):
        raise RuntimeError(
            f"{cls.__name__}.backward returned {len(all_of)} gradients for {len(arguments)} arguments of "
            "forward"
        )
    out: list[Tensor | None] = []
    for i, (argument, g) in enumerate(zip(arguments, all_of, strict=False)):
        if g is not None and not isinstance(g, Tensor):
            raise TypeError(
                f"{cls.__name__}.backward: gradient {i} is a Tensor or None, got {type(g).__name__}"
            )
        if argument.is_tensor:
            out.append(None if g is None else argument.fitted(g))
        elif g is not None:
            raise RuntimeError(f"{cls.__name__}.backward returned a gradient for argument {i}, not a tensor")
    return out


class _Once(Function):
    """Results of a `backward` that cannot be differentiated."""

    @staticmethod
    def forward(ctx: Any, count: int, *tensors: Any) -> Any:
        return tuple(t.detach() for t in tensors[:count])

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise RuntimeError(
            "trying to differentiate twice a function whose backward is marked with once_differentiable; "
            "write that backward with tensor operations and remove the mark"
        )


def once_differentiable(function: Callable[..., Any]) -> Callable[..., Any]:
    """Marks the `backward` of a `Function` that has no gradient itself: a decorator.

    `backward` then runs without recording; to differentiate its result is an error.

    Parameters
    ----------
    function
        The static method `backward`; the decorator stands below ``@staticmethod``.

    Returns
    -------
    callable
        The marked method.

    Examples
    --------
    >>> import rushlight as rl
    >>> class Cube(rl.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x**3
    ...
    ...     @staticmethod
    ...     @rl.autograd.once_differentiable
    ...     def backward(ctx, grad):
    ...         (x,) = ctx.saved_tensors
    ...         return 3 * x**2 * grad
    >>> x = rl.tensor(2.0, requires_grad=True)
    >>> Cube.apply(x).backward()
    >>> x.grad.item()
    12.0
    """

    @functools.wraps(function)
    def wrapped(ctx: FunctionCtx, *grads: Any) -> Any:
        with no_grad():
            found = function(ctx, *grads)
        sources = [t for t in (*grads, *ctx.saved_tensors) if isinstance(t, Tensor) and t.requires_grad]
        if not is_grad_enabled() or not sources:
            return found
        all_of = list(found) if isinstance(found, tuple) else [found]
        at = [i for i, t in enumerate(all_of) if isinstance(t, Tensor)]
        for i, t in zip(at, _Once.apply(len(at), *(all_of[i] for i in at), *sources), strict=True):
            all_of[i] = t
        return tuple(all_of) if isinstance(found, tuple) else all_of[0]

    return wrapped
