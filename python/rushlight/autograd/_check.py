"""Gradients compared with finite differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight import _core as rl
from rushlight._native import Tensor, _grad
from rushlight.func._transforms import basis

from ._walk import as_tuple

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]


class GradcheckError(RuntimeError):
    """A gradient differs from finite differences.

    Parameters
    ----------
    message
        Indices and both values.

    Examples
    --------
    >>> import rushlight as rl
    >>> issubclass(rl.autograd.GradcheckError, RuntimeError)
    True
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)


def _tensors(found: Any) -> list[Tensor]:
    """Return the floating-point tensors of a result."""
    all_of = (found,) if isinstance(found, Tensor) else tuple(found)
    return [t for t in all_of if isinstance(t, Tensor) and t.dtype.is_floating_point]


def _outputs(found: Any) -> list[Tensor]:
    """Return the tensors of a result that require a gradient."""
    return [t for t in _tensors(found) if t.requires_grad]


def _values(t: Tensor) -> list[float]:
    values: list[float] = t.detach().reshape((-1,)).astype(rl.float64).tolist()
    return values


def _numeric(call: Callable[[], list[Tensor]], x: Tensor, eps: float) -> list[list[list[float]]]:
    """Return the difference quotients of each output's elements for each element of `x`."""
    start, columns = x.detach().clone(), []
    base = _values(start)
    for i in range(len(base)):
        ends = []
        for sign in (1.0, -1.0):
            moved = [*base]
            moved[i] += sign * eps
            x.data = rl.tensor(moved, dtype=x.dtype, device=x.device).reshape(x.shape)
            ends.append([_values(t) for t in call()])
        columns.append(
            [[(a - b) / (2 * eps) for a, b in zip(p, q, strict=True)] for p, q in zip(*ends, strict=True)]
        )
    x.data = start
    count = len(call())
    return [[column[k] for column in columns] for k in range(count)]


def _analytic(output: Tensor, x: Tensor) -> list[list[float]]:
    """Return the derivatives of the output's elements by each element of `x`."""
    rows = []
    for k in range(output.size):
        (g,) = _grad([output], [x], [basis(output, k)], False)
        rows.append([0.0] * x.size if g is None else _values(g))
    return [[row[i] for row in rows] for i in range(x.size)]


def gradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
) -> bool:
    """Compares the gradients of a function with central differences.

    Parameters
    ----------
    func
        Takes `inputs` and returns a tensor or several.
    inputs
        Arguments; those that require a gradient are checked. They should be float64 leaves: differences of
        other dtypes are too coarse.
    eps
        Half the distance of the differences.
    atol
        Largest absolute difference allowed, added to `rtol` times the difference quotient.
    rtol
        Largest relative difference allowed.
    raise_exception
        Whether a difference is an error; otherwise the result is False.

    Returns
    -------
    bool
        Whether all gradients agree.

    Raises
    ------
    GradcheckError
        If a gradient differs, or no output requires a gradient although an output depends on an input.
    ValueError
        If no input requires a gradient.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.tensor([0.5, 2.0], dtype="float64", requires_grad=True)
    >>> rl.autograd.gradcheck(lambda x: x.exp() * x, x)
    True
    """
    args = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    checked = [(i, x) for i, x in enumerate(args) if isinstance(x, Tensor) and x.requires_grad]
    if not checked:
        raise ValueError("gradcheck: no input requires a gradient")

    constant = not _outputs(func(*args))

    def call() -> list[Tensor]:
        return _tensors(func(*args)) if constant else _outputs(func(*args))

    for i, x in checked:
        numeric = _numeric(call, x, eps)
        if constant:
            if all(abs(q) <= atol for columns in numeric for column in columns for q in column):
                continue
            if not raise_exception:
                return False
            raise GradcheckError(f"gradcheck: no output requires a gradient, but they depend on input {i}")
        for k, (output, columns) in enumerate(zip(call(), numeric, strict=True)):
            for e, (found, wanted) in enumerate(zip(_analytic(output, x), columns, strict=True)):
                # The condition is written so that NaN counts as a difference.
                if all(abs(a - b) <= atol + rtol * abs(b) for a, b in zip(found, wanted, strict=True)):
                    continue
                if not raise_exception:
                    return False
                raise GradcheckError(
                    f"gradcheck: output {k} by element {e} of input {i}: gradients {found}, "
                    f"differences {wanted}"
                )
    return True


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    grad_outputs: Tensor | Sequence[Tensor] | None = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
) -> bool:
    """Compares second derivatives of a function with central differences of its gradients.

    Parameters
    ----------
    func
        Takes `inputs` and returns a tensor or several.
    inputs
        Arguments; those that require a gradient are checked. They should be float64 leaves.
    grad_outputs
        Gradients of the results at which the gradient is taken; fixed numbers by default.
    eps
        Half the distance of the differences.
    atol
        Largest absolute difference allowed, added to `rtol` times the difference quotient.
    rtol
        Largest relative difference allowed.
    raise_exception
        Whether a difference is an error; otherwise the result is False.

    Returns
    -------
    bool
        Whether all second derivatives agree.

    Raises
    ------
    GradcheckError
        If a second derivative differs, or no output requires a gradient.
    ValueError
        If no input requires a gradient.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.tensor([0.5, 2.0], dtype="float64", requires_grad=True)
    >>> rl.autograd.gradgradcheck(lambda x: x.exp() * x, x)
    True
    """
    args = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    outputs = _outputs(func(*args))
    if not outputs:
        if not raise_exception:
            return False
        raise GradcheckError("gradgradcheck: no output requires a gradient")
    if grad_outputs is None:
        weights = [
            rl.tensor([((7 * i + 3) % 11) / 5.0 - 0.9 for i in range(t.size)], dtype=t.dtype, device=t.device)
            .reshape(t.shape)
            .requires_grad_()
            for t in outputs
        ]
    else:
        weights = [w.detach().requires_grad_() for w in as_tuple(grad_outputs)]

    def gradients(*given: Any) -> tuple[Tensor, ...]:
        args, weights = given[: len(given) - len(outputs)], given[len(given) - len(outputs) :]
        by = [x for x in args if isinstance(x, Tensor) and x.requires_grad]
        grads = _grad(_outputs(func(*args)), by, weights, True)
        return tuple(g for g in grads if g is not None and g.requires_grad)

    return gradcheck(
        gradients, [*args, *weights], eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception
    )
