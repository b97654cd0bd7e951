"""The transforms."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from rushlight import _core as rl
from rushlight._grad import enable_grad, gradients_of, tracked_alias
from rushlight._native import Tensor, _grad, _reaches_others, is_grad_enabled, zeros_like

from ._tree import leaves, mapped, refilled

__all__ = [
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "value_and_grad",
    "vjp",
]

Argnums = int | Sequence[int]


def _positions(op: str, argnums: Argnums, count: int) -> tuple[int, ...]:
    positions = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    if any(not -count <= i < count for i in positions):
        raise ValueError(f"{op}: argnums {argnums} does not fit {count} positional arguments")
    return tuple(i % count for i in positions)


def _tracked(op: str, args: tuple[Any, ...], argnums: Argnums) -> tuple[list[Any], list[Any], list[Tensor]]:
    """Return the arguments with aliases to differentiate by, the selected arguments, and their tensors."""
    given = list(args)
    positions = _positions(op, argnums, len(args))
    for i in positions:
        given[i] = mapped(tracked_alias, args[i])
    chosen = [given[i] for i in positions]
    inputs = list(leaves(chosen))
    return given, chosen, inputs


def _auxiliary(op: str, found: Any, has_aux: bool) -> tuple[Any, Any]:
    if not has_aux:
        return found, None
    if not isinstance(found, tuple) or len(found) != 2:
        raise RuntimeError(f"{op}: with has_aux=True the function returns a tuple (output, aux)")
    return found


def _plain(tree: Any) -> Any:
    """Return the tree with detached tensors."""
    return mapped(lambda t: t.detach(), tree)


def _shaped(argnums: Argnums, chosen: list[Any], grads: Sequence[Any]) -> Any:
    """Return gradients in the structure of their arguments."""
    items = iter(grads)
    filled = [refilled(argument, items) for argument in chosen]
    return filled[0] if isinstance(argnums, int) else tuple(filled)


def value_and_grad(
    func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """Makes a function that returns the value of `func` and its gradient.

    Calls may be nested: a function that is differentiated may call `value_and_grad` itself, and its
    gradients then have gradients.

    Parameters
    ----------
    func
        Returns a tensor of one element.
    argnums
        Positions of the arguments to differentiate by; several give a tuple of gradients. An argument is a
        floating-point tensor, or tuples, lists and dicts of such.
    has_aux
        Whether `func` returns ``(value, aux)``; the result is then ``((value, aux), gradient)``.

    Returns
    -------
    callable
        Takes the arguments of `func` and returns ``(value, gradient)``. A gradient has the shape and dtype of
        its argument, and is zero where the value does not depend on it. Both are detached, unless gradients
        are recorded and the value depends on further tensors that require a gradient.

    Raises
    ------
    RuntimeError
        When the result is called: if the value has more than one element, or `func` calls ``backward()`` on
        what depends on its arguments.

    Examples
    --------
    >>> import rushlight as rl
    >>> value, gradient = rl.value_and_grad(lambda x: x**3)(rl.tensor(2.0))
    >>> value.item(), gradient.item()
    (8.0, 12.0)
    """

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        given, chosen, inputs = _tracked("value_and_grad", args, argnums)
        with enable_grad():
            value, aux = _auxiliary("value_and_grad", func(*given, **kwargs), has_aux)
        if any(x.is_leaf and x.grad is not None for x in inputs):
            raise RuntimeError(
                "value_and_grad: the function called backward() on what depends on its arguments"
            )
        if not isinstance(value, Tensor) or value.size != 1:
            shape = getattr(value, "shape", type(value).__name__)
            raise RuntimeError(f"grad: the function must return a tensor of one element, got {shape}")
        value, grads = gradients_of(value, inputs)
        gradient = _shaped(argnums, chosen, grads)
        aux = aux if value.requires_grad else _plain(aux)
        return ((value, aux) if has_aux else value), gradient

    return wrapped


def grad_and_value(
    func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """Makes a function that returns the gradient of `func` and its value, in the order gradient, value.

    Parameters
    ----------
    func
        Returns a tensor of one element.
    argnums
        Positions of the arguments to differentiate by; several give a tuple of gradients.
    has_aux
        Whether `func` returns ``(value, aux)``; the result is then ``(gradient, (value, aux))``.

    Returns
    -------
    callable
        Takes the arguments of `func`.

    Examples
    --------
    >>> import rushlight as rl
    >>> gradient, value = rl.func.grad_and_value(lambda x: x**3)(rl.tensor(2.0))
    >>> gradient.item(), value.item()
    (12.0, 8.0)
    """
    both = value_and_grad(func, argnums, has_aux)

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        value, gradient = both(*args, **kwargs)
        return gradient, value

    return wrapped


def grad(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Makes a function that returns the gradient of `func`.

    Parameters
    ----------
    func
        Returns a tensor of one element.
    argnums
        Positions of the arguments to differentiate by; several give a tuple of gradients.
    has_aux
        Whether `func` returns ``(value, aux)``; the result is then ``(gradient, aux)``.

    Returns
    -------
    callable
        Takes the arguments of `func`.

    Examples
    --------
    >>> import rushlight as rl
    >>> slope = rl.func.grad(lambda x: x**3)
    >>> slope(rl.tensor(2.0)).item(), rl.func.grad(slope)(rl.tensor(2.0)).item()
    (12.0, 12.0)
    """
    both = value_and_grad(func, argnums, has_aux)

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        value, gradient = both(*args, **kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return wrapped


def _pull(
    outputs: Sequence[Tensor], inputs: Sequence[Tensor], weights: Sequence[Tensor], nested: bool
) -> list[Tensor]:
    """Return the gradients of the outputs with respect to the inputs; zeros where there are none."""
    pairs = [(y, w) for y, w in zip(outputs, weights, strict=True) if y.requires_grad]
    found: list[Tensor | None] = [None] * len(inputs)
    if pairs:
        found = list(_grad([y for y, _ in pairs], inputs, [w for _, w in pairs], nested))
    return [zeros_like(x.detach()) if g is None else g for x, g in zip(inputs, found, strict=True)]


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """Returns the value of `func`, and a function that multiplies from the left with its Jacobian.

    Parameters
    ----------
    func
        Returns tensors.
    *primals
        The arguments of `func`.
    has_aux
        Whether `func` returns ``(output, aux)``; the result is then ``(output, vjp, aux)``.

    Returns
    -------
    tuple
        The value, and a function that takes a tensor for each of its tensors and returns a tuple of
        products, one for each argument.

    Raises
    ------
    ValueError
        When that function is called: if the tensors have other shapes than the value.

    Examples
    --------
    >>> import rushlight as rl
    >>> value, pull = rl.func.vjp(lambda x: x * x, rl.tensor([1.0, 3.0]))
    >>> pull(rl.tensor([1.0, 10.0]))[0].tolist()
    [2.0, 60.0]
    """
    given, chosen, inputs = _tracked("vjp", primals, range(len(primals)))
    with enable_grad():
        value, aux = _auxiliary("vjp", func(*given), has_aux)
    outputs = list(leaves(value))
    outer = is_grad_enabled() and _reaches_others([y for y in outputs if y.requires_grad], inputs)

    def pull(*cotangents: Any) -> tuple[Any, ...]:
        weights = list(leaves(cotangents))
        if [w.shape for w in weights] != [y.shape for y in outputs]:
            raise ValueError(
                f"vjp: expected tensors of shapes {[y.shape for y in outputs]}, "
                f"got {[w.shape for w in weights]}"
            )
        nested = is_grad_enabled() and (outer or any(w.requires_grad for w in weights))
        return tuple(_shaped(list(range(len(chosen))), chosen, _pull(outputs, inputs, weights, nested)))

    if not outer:
        value, aux = _plain(value), _plain(aux)
    return (value, pull, aux) if has_aux else (value, pull)


def _directions(op: str, what: str, given: Any, inputs: Sequence[Tensor]) -> list[Tensor]:
    """The tensors of `given`, each in the shape of its input."""
    found = list(leaves(given))
    if [d.shape for d in found] != [x.shape for x in inputs]:
        raise ValueError(
            f"{op}: expected {what} of shapes {[x.shape for x in inputs]}, got {[d.shape for d in found]}"
        )
    return found


def jvp(
    func: Callable[..., Any],
    primals: tuple[Any, ...],
    tangents: tuple[Any, ...],
    *,
    strict: bool = False,
    has_aux: bool = False,
) -> tuple[Any, ...]:
    """Returns the value of `func`, and the product of its Jacobian with vectors.

    The product is the gradient of ``vjp`` by its vector, so it needs the second derivatives of the
    operations.

    Parameters
    ----------
    func
        Returns tensors.
    primals
        The arguments of `func`.
    tangents
        A tensor for each tensor of `primals`, in its shape.
    strict
        Whether a result that depends on none of the arguments is an error; else its tangent is 0.
    has_aux
        Whether `func` returns ``(output, aux)``; the result is then ``(output, tangent, aux)``.

    Returns
    -------
    tuple
        The value, and its derivative in the direction of `tangents`.

    Raises
    ------
    RuntimeError
        If a result depends on none of the arguments and `strict` is set.
    ValueError
        If the shapes of `tangents` differ from those of `primals`.

    Examples
    --------
    >>> import rushlight as rl
    >>> value, slope = rl.func.jvp(lambda x: x * x, (rl.tensor([1.0, 3.0]),), (rl.tensor([1.0, 10.0]),))
    >>> slope.tolist()
    [2.0, 60.0]
    """
    given, _, inputs = _tracked("jvp", tuple(primals), range(len(primals)))
    directions = _directions("jvp", "tangents", tangents, inputs)
    with enable_grad():
        value, aux = _auxiliary("jvp", func(*given), has_aux)
        outputs = list(leaves(value))
        if strict:
            for k, y in enumerate(outputs):
                if not any(depends(y, inputs)):
                    raise RuntimeError(
                        f"jvp: output {k} depends on none of the inputs, which strict=True does not allow"
                    )
        weights = [zeros_like(y.detach()).requires_grad_() for y in outputs]
        pulled = _pull(outputs, inputs, weights, True)
    live = [y for y in outputs if y.requires_grad]
    outer = is_grad_enabled() and (
        (bool(live) and _reaches_others(live, inputs)) or any(d.requires_grad for d in directions)
    )
    slopes = _pull(pulled, weights, directions, outer)
    items = iter(slopes)
    tangent = refilled(value, items)
    if not outer:
        value, aux = _plain(value), _plain(aux)
    return (value, tangent, aux) if has_aux else (value, tangent)


def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """Returns the value of `func`, and the linear function that is its derivative there.

    The function multiplies vectors with the Jacobian as `jvp` does, without calling `func` again.

    Parameters
    ----------
    func
        Returns tensors.
    *primals
        The arguments of `func`.

    Returns
    -------
    tuple
        The value, and a function that takes a tensor for each tensor of `primals` and returns the derivative
        in their direction. Its results have no gradients.

    Raises
    ------
    ValueError
        When that function is called: if shapes differ from those of `primals`.

    Examples
    --------
    >>> import rushlight as rl
    >>> value, push = rl.func.linearize(lambda x: x * x, rl.tensor([1.0, 3.0]))
    >>> push(rl.tensor([1.0, 10.0])).tolist()
    [2.0, 60.0]
    """
    inputs = [x.detach().requires_grad_() for x in leaves(primals)]
    items = iter(inputs)
    with enable_grad():
        value = func(*refilled(tuple(primals), items))
        outputs = list(leaves(value))
        weights = [zeros_like(y.detach()).requires_grad_() for y in outputs]
        pulled = _pull(outputs, inputs, weights, True)

    def push(*tangents: Any) -> Any:
        directions = _directions("linearize", "tensors", tangents, inputs)
        return refilled(value, iter(_pull(pulled, weights, [d.detach() for d in directions], False)))

    return _plain(value), push


def depends(output: Tensor, inputs: Sequence[Tensor]) -> list[bool]:
    """Whether a tensor was computed from each of the inputs."""
    if not output.requires_grad:
        return [False] * len(inputs)
    found = _grad([output], inputs, [rl.ones_like(output.detach())], True)
    return [g is not None for g in found]


def basis(like: Tensor, k: int) -> Tensor:
    """Return zeros in the shape of a tensor, with a 1 as element `k`."""
    return (rl.arange(like.size, device=like.device) == k).astype(like.dtype).reshape(like.shape)


def jacrev(func: Callable[..., Any], argnums: Argnums = 0, *, has_aux: bool = False) -> Callable[..., Any]:
    """Makes a function that returns the Jacobian of `func`, by one backward pass per element of its result.

    Parameters
    ----------
    func
        Returns tensors.
    argnums
        Positions of the arguments to differentiate by; several give a tuple.
    has_aux
        Whether `func` returns ``(output, aux)``; the result is then ``(jacobian, aux)``.

    Returns
    -------
    callable
        Takes the arguments of `func`. For each tensor of the result it returns a tensor for each argument,
        whose shape is that of the result followed by that of the argument.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.func.jacrev(lambda x: x * x)(rl.tensor([1.0, 3.0])).tolist()
    [[2.0, 0.0], [0.0, 6.0]]
    """

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        given, chosen, inputs = _tracked("jacrev", args, argnums)
        with enable_grad():
            value, aux = _auxiliary("jacrev", func(*given, **kwargs), has_aux)

        def jacobian(y: Tensor) -> Any:
            nested = is_grad_enabled() and y.requires_grad and _reaches_others([y], inputs)
            rows = [_pull([y], inputs, [basis(y, k)], nested) for k in range(y.size)]
            whole = [
                rl.stack([row[i] for row in rows]).reshape((*y.shape, *x.shape))
                if rows
                else rl.zeros((*y.shape, *x.shape), dtype=x.dtype, device=x.device)
                for i, x in enumerate(inputs)
            ]
            return _shaped(argnums, chosen, whole)

        found = mapped(jacobian, value)
        if not is_grad_enabled():
            aux = _plain(aux)
        return (found, aux) if has_aux else found

    return wrapped


def jacfwd(func: Callable[..., Any], argnums: Argnums = 0, *, has_aux: bool = False) -> Callable[..., Any]:
    """Makes a function that returns the Jacobian of `func`, like `jacrev`.

    There is no forward differentiation: the Jacobian is computed as in `jacrev`.

    Parameters
    ----------
    func
        Returns tensors.
    argnums
        Positions of the arguments to differentiate by; several give a tuple.
    has_aux
        Whether `func` returns ``(output, aux)``; the result is then ``(jacobian, aux)``.

    Returns
    -------
    callable
        Takes the arguments of `func`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.func.jacfwd(lambda x: x * x)(rl.tensor([1.0, 3.0])).tolist()
    [[2.0, 0.0], [0.0, 6.0]]
    """
    return jacrev(func, argnums, has_aux=has_aux)


def hessian(func: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """Makes a function that returns the second derivatives of `func`: the Jacobian of its Jacobian.

    Parameters
    ----------
    func
        Returns tensors, usually one of one element.
    argnums
        Positions of the arguments to differentiate by; several give a tuple of tuples.

    Returns
    -------
    callable
        Takes the arguments of `func`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.func.hessian(lambda x: (x**3).sum())(rl.tensor([1.0, 3.0])).tolist()
    [[6.0, 0.0], [0.0, 18.0]]
    """
    return jacrev(jacrev(func, argnums), argnums)
