"""`grad` and `backward` of several tensors."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight._native import Tensor, _backward, _grad, zeros_like

__all__ = ["backward", "grad"]

Tensors = Tensor | Sequence[Tensor]
Weights = Tensor | Sequence[Tensor | None] | None


def as_tuple(given: Tensors) -> tuple[Tensor, ...]:
    """Return one tensor or several as a tuple."""
    return (given,) if isinstance(given, Tensor) else tuple(given)


def _weights(op: str, outputs: Sequence[Tensor], given: Weights) -> list[Tensor | None]:
    """Return the gradient of each output; None stands for 1."""
    if given is None:
        weights: list[Tensor | None] = [None] * len(outputs)
    else:
        weights = [given] if isinstance(given, Tensor) else list(given)
    if len(weights) != len(outputs):
        raise RuntimeError(f"{op}: got {len(weights)} gradients for {len(outputs)} tensors")
    for i, (output, weight) in enumerate(zip(outputs, weights, strict=True)):
        if not output.requires_grad:
            raise RuntimeError(
                f"{op}: tensor {i} does not require a gradient and was not computed from one that does"
            )
        if weight is None and output.size != 1:
            raise RuntimeError(
                f"{op}: tensor {i} of shape {output.shape} needs a gradient argument; without one only "
                "a single number has a gradient"
            )
    return weights


def grad(
    outputs: Tensors,
    inputs: Tensors,
    grad_outputs: Weights = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor, ...]:
    """Returns the gradients of outputs with respect to inputs; changes no tensor's ``.grad``.

    Parameters
    ----------
    outputs
        Tensors to differentiate. Their gradients are added.
    inputs
        Tensors of the graph to differentiate by, leaves or computed ones.
    grad_outputs
        Gradient of the result by each output, in its shape. None stands for 1, for an output of one element.
    retain_graph
        Accepted as in PyTorch; the graph is kept.
    create_graph
        Whether the gradients are parts of a graph, so that they have gradients.
    only_inputs
        Only True.
    allow_unused
        Whether an input that no output depends on has the gradient None; otherwise it is an error.
    is_grads_batched
        Only False.
    materialize_grads
        Whether an input that no output depends on has zeros.

    Returns
    -------
    tuple of Tensor
        One gradient for each input; None for an unused one where `allow_unused` says so.

    Raises
    ------
    RuntimeError
        If an output or input does not require a gradient, an input is not used, or a value was changed since.
    NotImplementedError
        If an op that computes a gradient has no gradient itself.
    ValueError
        If `only_inputs` is False, `is_grads_batched` is True, or `materialize_grads` contradicts
        `allow_unused`.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.tensor([1.0, 2.0], requires_grad=True)
    >>> (first,) = rl.autograd.grad((x**3).sum(), x, create_graph=True)
    >>> (second,) = rl.autograd.grad(first.sum(), x)
    >>> first.tolist(), second.tolist()
    ([3.0, 12.0], [6.0, 12.0])
    """
    if not only_inputs or is_grads_batched:
        raise ValueError("grad: only_inputs=False and is_grads_batched=True are not supported")
    if materialize_grads and allow_unused is False:
        raise ValueError("grad: materialize_grads=True gives unused inputs zeros; omit allow_unused=False")
    if not isinstance(create_graph, bool):
        raise TypeError(f"grad: create_graph is a bool, got {type(create_graph).__name__}")
    results, by = as_tuple(outputs), as_tuple(inputs)
    weights = _weights("grad", results, grad_outputs)
    grads = _grad(results, by, weights, create_graph)
    if materialize_grads:
        return tuple(zeros_like(x.detach()) if g is None else g for x, g in zip(by, grads, strict=True))
    unused = [i for i, g in enumerate(grads) if g is None]
    if unused and not allow_unused:
        raise RuntimeError(
            f"grad: input {unused[0]} was not used to compute the outputs; allow_unused=True gives None "
            "for it"
        )
    return tuple(grads)  # type: ignore[arg-type]


def backward(
    tensors: Tensors,
    grad_tensors: Weights = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensors | None = None,
) -> None:
    """Adds the gradients of tensors to ``.grad`` of the leaves that they were computed from.

    Parameters
    ----------
    tensors
        Tensors to differentiate. Their gradients are added.
    grad_tensors
        Gradient of the result by each tensor, in its shape. None stands for 1, for a tensor of one element.
    retain_graph
        Accepted as in PyTorch; the graph is kept.
    create_graph
        Whether the gradients are parts of a graph, so that they have gradients.
    inputs
        Leaves that get a gradient; all by default.

    Raises
    ------
    RuntimeError
        If a tensor does not require a gradient, an input is not a leaf, or a value was changed since.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.tensor(2.0, requires_grad=True)
    >>> rl.autograd.backward([x * 3, x * x])
    >>> x.grad.item()
    7.0
    """
    results = as_tuple(tensors)
    weights = _weights("backward", results, grad_tensors)
    by = None if inputs is None else as_tuple(inputs)
    if by is not None and not by:
        raise RuntimeError("backward: inputs cannot be empty; omit it for all leaves")
    _backward(results, weights, by, create_graph)
