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
    """Return the floating-point and complex tensors of a result."""
    all_of = (found,) if isinstance(found, Tensor) else tuple(found)
    tensors = [t for t in all_of if isinstance(t, Tensor)]
    return [t for t in tensors if t.dtype.is_floating_point or t.dtype.is_complex]


def _outputs(found: Any) -> list[Tensor]:
    """Return the tensors of a result that require a gradient."""
    return [t for t in _tensors(found) if t.requires_grad]


def _values(t: Tensor) -> list[float]:
    """Return the elements; of complex ones the real and the imaginary parts alternately."""
    t = rl.view_as_real(t.detach()) if t.dtype.is_complex else t
    values: list[float] = t.detach().reshape((-1,)).astype(rl.float64).tolist()
    return values


def _numeric(call: Callable[[], list[Tensor]], x: Tensor, eps: float) -> list[list[list[float]]]:
    """Return the difference quotients of each output's values for each value of `x`."""
    start, columns = x.detach().clone(), []
    base = _values(start)
    for i in range(len(base)):
        ends = []
        for sign in (1.0, -1.0):
            moved = [*base]
            moved[i] += sign * eps
            x.data = _tensor_of(moved, x)
            ends.append([_values(t) for t in call()])
        columns.append(
            [[(a - b) / (2 * eps) for a, b in zip(p, q, strict=True)] for p, q in zip(*ends, strict=True)]
        )
    x.data = start
    count = len(call())
    return [[column[k] for column in columns] for k in range(count)]


def _tensor_of(values: list[float], like: Tensor) -> Tensor:
    """Return a tensor of these values, the inverse of `_values`."""
    if not like.dtype.is_complex:
        return rl.tensor(values, dtype=like.dtype, device=like.device).reshape(like.shape)
    pairs = rl.tensor(values, dtype=like.real.dtype, device=like.device).reshape((*like.shape, 2))
    return rl.view_as_complex(pairs)


def _analytic(output: Tensor, x: Tensor) -> list[list[float]]:
    """Return the derivatives of the output's values by each value of `x`."""
    rows, count = [], 2 * x.size if x.dtype.is_complex else x.size
    for k in range(output.size):
        # (The gradient of a complex number's imaginary part is i.)
        for factor in (1, 1j) if output.dtype.is_complex else (1,):
            (g,) = _grad([output], [x], [basis(output, k) * factor], False)
            rows.append([0.0] * count if g is None else _values(g))
    return [[row[i] for row in rows] for i in range(count)]


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
        Arguments; those that require a gradient are checked. They should be float64 or complex128 leaves:
        differences of other dtypes are too coarse. The parts of complex numbers are checked one by one.
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
