"""Jacobians, Hessians and products with them, with the signatures of torch.autograd.functional."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight import _core as rl
from rushlight import func as transforms
from rushlight._grad import enable_grad, no_grad
from rushlight._native import Tensor, _grad
from rushlight.func._transforms import depends

from ._walk import as_tuple

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

Tensors = Tensor | Sequence[Tensor]


def _strict(name: str, strict: bool, func: Callable[..., Any], primals: Sequence[Tensor], order: int) -> None:
    """With `strict`, raise an error where results, or with `order` 2 their gradients, lack an input.

    `func` is called once more for it.
    """
    if not strict:
        return
    given = [x.detach().requires_grad_() for x in primals]
    with enable_grad():
        outputs = as_tuple(func(*given))
        for k, y in enumerate(outputs):
            for i, used in enumerate(depends(y, given)):
                if not used:
                    raise RuntimeError(
                        f"{name}: output {k} does not depend on input {i}, which strict=True does not allow"
                    )
        if order == 1:
            return
        grads = _grad(list(outputs), given, [rl.ones_like(y.detach()) for y in outputs], True)
        rows = [depends(g, given) for g in grads if g is not None]
    for i in range(len(given)):
        # A Hessian has a block for each pair of inputs, a product with it one for each input.
        if not (all if name == "hessian" else any)(row[i] for row in rows):
            raise RuntimeError(
                f"{name}: the gradient does not depend on input {i}, which strict=True does not allow"
            )


def _run(create_graph: bool, call: Callable[[], Any]) -> Any:
    """A transform, whose results are parts of the graph of its arguments only with `create_graph`."""
    with enable_grad() if create_graph else no_grad():
        return call()


def _like(given: Tensors, found: Sequence[Tensor]) -> Any:
    return found[0] if isinstance(given, Tensor) else tuple(found)


def _vectors(name: str, v: Tensors | None, like: Sequence[Tensor]) -> tuple[Tensor, ...]:
    if v is None:
        if any(t.size != 1 for t in like):
            raise RuntimeError(f"{name}: v may be omitted only for tensors of one element")
        return tuple(rl.ones_like(t.detach()) for t in like)
    vectors = as_tuple(v)
    if [t.shape for t in vectors] != [t.shape for t in like]:
        raise RuntimeError(
            f"{name}: v has the shapes {[t.shape for t in vectors]}, expected {[t.shape for t in like]}"
        )
    return vectors


def vjp(
    func: Callable[..., Any],
    inputs: Tensors,
    v: Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Returns the value of a function and the product of a vector with its Jacobian.

    Parameters
    ----------
    func
        Takes `inputs` and returns a tensor or a tuple of tensors.
    inputs
        Tensors to differentiate by.
    v
        A vector in the shape of the result; may be omitted for a result of one element.
    create_graph
        Whether the results are parts of a graph, so that they have gradients.
    strict
        Whether a result that does not depend on an input is an error; else its derivative is 0.

    Returns
    -------
    tuple
        The value, and a product for each input.

    Raises
    ------
    RuntimeError
        If `v` has other shapes than the result, or with `strict` a result does not depend on an input.

    Examples
    --------
    >>> import rushlight as rl
    >>> square = lambda x: x * x
    >>> rl.autograd.functional.vjp(square, rl.tensor([1.0, 3.0]), rl.tensor([1.0, 10.0]))[1].tolist()
    [2.0, 60.0]
    """
    _strict("vjp", strict, func, as_tuple(inputs), 1)

    def call() -> tuple[Any, Any]:
        value, pull = transforms.vjp(func, *as_tuple(inputs))
        weights = _vectors("vjp", v, as_tuple(value))
        return value, _like(inputs, pull(*weights))

    return _run(create_graph, call)  # type: ignore[no-any-return]


def jvp(
    func: Callable[..., Any],
    inputs: Tensors,
    v: Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Returns the value of a function and the product of its Jacobian with a vector.

    Parameters
    ----------
    func
        Takes `inputs` and returns a tensor or a tuple of tensors.
    inputs
        Tensors to differentiate by.
    v
        A vector in the shapes of the inputs; may be omitted for an input of one element.
    create_graph
        Whether the results are parts of a graph, so that they have gradients.
    strict
        Whether a result that does not depend on an input is an error; else its derivative is 0.

    Returns
    -------
    tuple
        The value, and the product.

    Raises
    ------
    RuntimeError
        If `v` has other shapes than the inputs, or with `strict` a result does not depend on an input.

    Examples
    --------
    >>> import rushlight as rl
    >>> square = lambda x: x * x
    >>> rl.autograd.functional.jvp(square, rl.tensor([1.0, 3.0]), rl.tensor([1.0, 10.0]))[1].tolist()
    [2.0, 60.0]
    """
    primals = as_tuple(inputs)
    _strict("jvp", strict, func, primals, 1)
    directions = _vectors("jvp", v, primals)
    found: tuple[Any, Any] = _run(create_graph, lambda: transforms.jvp(func, primals, directions))
    return found


def jacobian(
    func: Callable[..., Any],
    inputs: Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """Returns the Jacobian of a function.

    Parameters
    ----------
    func
        Takes `inputs` and returns a tensor or a tuple of tensors.
    inputs
        Tensors to differentiate by.
    create_graph
        Whether the result is part of a graph, so that it has gradients.
    strict
        Whether a result that does not depend on an input is an error; else its derivative is 0.
    vectorize
        Accepted for compatibility with PyTorch; rows are computed one after another.
    strategy
        Accepted for compatibility with PyTorch.

    Returns
    -------
    Tensor or tuple
        For each result and each input a tensor whose shape is that of the result followed by that of the
        input.

    Raises
    ------
    RuntimeError
        If with `strict` a result does not depend on an input.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.autograd.functional.jacobian(lambda x: x * x, rl.tensor([1.0, 3.0])).tolist()
    [[2.0, 0.0], [0.0, 6.0]]
    """
    primals = as_tuple(inputs)
    _strict("jacobian", strict, func, primals, 1)
    argnums: Any = 0 if isinstance(inputs, Tensor) else tuple(range(len(primals)))
    return _run(create_graph, lambda: transforms.jacrev(func, argnums)(*primals))


def hessian(
    func: Callable[..., Any],
    inputs: Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """Returns the second derivatives of a function.

    Parameters
    ----------
    func
        Takes `inputs` and returns a tensor of one element.
    inputs
        Tensors to differentiate by.
    create_graph
        Whether the result is part of a graph, so that it has gradients.
    strict
        Whether a result, or its gradient, that does not depend on an input is an error; else the derivative
        is 0.
    vectorize
        Accepted for compatibility with PyTorch; rows are computed one after another.
    outer_jacobian_strategy
        Accepted for compatibility with PyTorch.

    Returns
    -------
    Tensor or tuple
        For each pair of inputs a tensor whose shape is that of the first followed by that of the second.

    Raises
    ------
    RuntimeError
        If with `strict` the value or its gradient does not depend on an input.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.autograd.functional.hessian(lambda x: (x**3).sum(), rl.tensor([1.0, 3.0])).tolist()
    [[6.0, 0.0], [0.0, 18.0]]
    """
    primals = as_tuple(inputs)
    _strict("hessian", strict, func, primals, 2)
    argnums: Any = 0 if isinstance(inputs, Tensor) else tuple(range(len(primals)))
    return _run(create_graph, lambda: transforms.jacrev(transforms.grad(func, argnums), argnums)(*primals))


def hvp(
    func: Callable[..., Any],
    inputs: Tensors,
    v: Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Returns the value of a function and the product of its second derivatives with a vector.

    The second derivatives are symmetric, so this is the gradient of the product of the gradient with `v`.

    Parameters
    ----------
    func
        Takes `inputs` and returns a tensor of one element.
    inputs
        Tensors to differentiate by.
    v
        A vector in the shapes of the inputs; may be omitted for an input of one element.
    create_graph
        Whether the results are parts of a graph, so that they have gradients.
    strict
        Whether a result, or its gradient, that does not depend on an input is an error; else the derivative
        is 0.

    Returns
    -------
    tuple
        The value, and a product for each input.

    Raises
    ------
    RuntimeError
        If `v` has other shapes than the inputs, or with `strict` the value or its gradient does not depend
        on an input.

    Examples
    --------
    >>> import rushlight as rl
    >>> cubes = lambda x: (x**3).sum()
    >>> rl.autograd.functional.hvp(cubes, rl.tensor([1.0, 3.0]), rl.tensor([1.0, 10.0]))[1].tolist()
    [6.0, 180.0]
    """
    primals = as_tuple(inputs)
    _strict("hvp", strict, func, primals, 2)
    vectors = _vectors("hvp", v, primals)
    argnums = tuple(range(len(primals)))
    both = transforms.value_and_grad(func, argnums)

    def along(*given: Tensor) -> tuple[Tensor, Tensor]:
        value, grads = both(*given)
        return sum((g * w).sum() for g, w in zip(grads, vectors, strict=True)), value

    def call() -> tuple[Any, Any]:
        products, value = transforms.grad(along, argnums, has_aux=True)(*primals)
        return value, _like(inputs, products)

    return _run(create_graph, call)  # type: ignore[no-any-return]


def vhp(
    func: Callable[..., Any],
    inputs: Tensors,
    v: Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Returns the value of a function and the product of a vector with its second derivatives: that of `hvp`.

    Parameters
    ----------
    func
        Takes `inputs` and returns a tensor of one element.
    inputs
        Tensors to differentiate by.
    v
        A vector in the shapes of the inputs; may be omitted for an input of one element.
    create_graph
        Whether the results are parts of a graph, so that they have gradients.
    strict
        Whether a result, or its gradient, that does not depend on an input is an error; else the derivative
        is 0.

    Returns
    -------
    tuple
        The value, and a product for each input.

    Examples
    --------
    >>> import rushlight as rl
    >>> cubes = lambda x: (x**3).sum()
    >>> rl.autograd.functional.vhp(cubes, rl.tensor([1.0, 3.0]), rl.tensor([1.0, 10.0]))[1].tolist()
    [6.0, 180.0]
    """
    return hvp(func, inputs, v, create_graph, strict)
