"""How PyTorch is called for each op of the cases. Needs PyTorch."""

from __future__ import annotations

import importlib
import re
import warnings
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

import recurrent_cases
import training_cases

# Typed as Any: type checkers need not have PyTorch.
torch: Any = importlib.import_module("torch")
functional: Any = importlib.import_module("torch.nn.functional")

Array: TypeAlias = npt.NDArray[Any]


def rounded(value: Array) -> Array:
    """Floats rounded to float32, see golden_cases."""
    if value.dtype != np.float64:
        return value
    return np.asarray(value, dtype=np.float32).astype(np.float64)


def tensor(value: Array, dtype: str, order: Sequence[int] | None = None) -> Any:
    """A tensor of the array; floats in `dtype`, laid out so that `permute(order)` is contiguous."""
    if value.dtype == np.float64:
        out = torch.from_numpy(value).to(getattr(torch, dtype))
    else:
        out = torch.from_numpy(value)
    if order is None:
        return out
    back = [int(axis) for axis in np.argsort(order)]
    return out.permute(list(order)).contiguous().permute(back)


def function(op: str) -> Callable[..., Any]:
    """Return PyTorch's function for the op of a case."""
    if op in OPS:
        return OPS[op]
    if op in recurrent_cases.NAMES:
        return _recurrent(op)
    if op[0].isupper():
        return _layer(op)
    found: Callable[..., Any] = getattr(functional, op, None) or getattr(torch, op)
    return found


def _layer(op: str) -> Callable[..., Any]:
    """A layer of torch.nn made of the settings, called with the inputs; see layer_cases."""

    def run(**given: Any) -> Any:
        inputs = [given.pop(key) for key in [k for k in given if re.fullmatch(r"x\d", k)]]
        state = {key.removeprefix("state."): given.pop(key) for key in [k for k in given if "." in k]}
        # Weights of losses are given to them.
        made = {key: state.pop(key) for key in list(state) if op.endswith("Loss") and "." not in key}
        layer = getattr(torch.nn, op)(**given, **made)
        given_values = [*inputs, *state.values(), *made.values()]
        found = next((x.dtype for x in given_values if x.is_floating_point()), None)
        layer.to(found)
        if state or not made:
            layer.load_state_dict(state or layer.state_dict(), strict=not made)
        return layer.requires_grad_(False)(*inputs)

    return run


def _recurrent(op: str) -> Callable[..., Any]:
    """A recurrent layer or cell of torch.nn; see recurrent_cases."""

    def run(lengths: Sequence[int] | None = None, **given: Any) -> Any:
        x, *first = [given.pop(key) for key in [k for k in given if re.fullmatch(r"x\d", k)]]
        state = {key.removeprefix("state."): given.pop(key) for key in [k for k in given if "." in k]}
        layer = getattr(torch.nn, op)(**given, dtype=x.dtype)
        if lengths is not None:
            packing = torch.nn.utils.rnn
            x = packing.pack_padded_sequence(x, torch.tensor(lengths), enforce_sorted=False)
        hx = tuple(first) if len(first) > 1 else first[0] if first else None
        with warnings.catch_warnings():
            # That projections are not computed by oneDNN.
            warnings.simplefilter("ignore")
            result = torch.func.functional_call(layer, state, (x, hx))
        found = list(result) if isinstance(result, tuple) and lengths is None else [result]
        if lengths is not None:
            found = [result[0].data, result[1]]
        parts = [part for each in found for part in (each if isinstance(each, tuple) else [each])]
        return torch.cat([part.flatten() for part in parts]), *parts

    return run


def _activation(name: str) -> Callable[..., Any]:
    if name == "gelu_tanh":
        return lambda z: functional.gelu(z, approximate="tanh")
    found: Callable[..., Any] = getattr(functional, "silu" if name == "swish" else name)
    return found


def _gemm_bias(name: str) -> Callable[..., Any]:
    return lambda input, weight, bias: _activation(name)(functional.linear(input, weight, bias))


def _upsample(mode: str) -> Callable[..., Any]:
    return lambda **kwargs: functional.interpolate(mode=mode, **kwargs)


def _running(op: str) -> Callable[..., Any]:
    """The output, and the running statistics after the call. Their numbers before it are arguments."""

    def run(input: Any, running_mean: Any = None, running_var: Any = None, **more: Any) -> tuple[Any, ...]:
        both = [running_mean, running_var]
        after = [torch.tensor(v, dtype=input.dtype) for v in both if v is not None]
        out = getattr(functional, op)(input, *(after or [None, None]), **more)
        return out, *after

    return run


def _optimizer(op: str) -> Callable[..., Any]:
    """Each parameter after every step, stacked; step i sees grads0[i], grads1[i] and so on."""

    def run(**kwargs: Any) -> tuple[Any, ...]:
        count = sum(key.startswith("param") for key in kwargs)
        params = [kwargs.pop(f"param{i}").clone() for i in range(count)]
        grads = [kwargs.pop(f"grads{i}") for i in range(count)]
        if op != "Muon":
            kwargs["foreach"] = False
        # Some optimizers keep scalars in the default dtype: in float64 runs they are float64.
        old = torch.get_default_dtype()
        torch.set_default_dtype(params[0].dtype)
        try:
            return _track(getattr(torch.optim, op)(params, **kwargs), params, grads)
        finally:
            torch.set_default_dtype(old)

    return run


def _track(optimizer: Any, params: list[Any], grads: list[Any]) -> tuple[Any, ...]:
    tracks: list[list[Any]] = [[] for _ in params]
    for step in range(len(grads[0])):
        for param, grad in zip(params, grads, strict=True):
            param.grad = grad[step].clone()
        optimizer.step()
        for param, track in zip(params, tracks, strict=True):
            track.append(param.detach().clone())
    return tuple(torch.stack(track) for track in tracks)


def _lbfgs(param0: Any, **kwargs: Any) -> Any:
    """The parameter after each of six steps."""
    param = param0.clone().requires_grad_()
    optimizer = torch.optim.LBFGS([param], **kwargs)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = training_cases.rosenbrock(param)
        loss.backward()
        return loss

    track = []
    for _ in range(6):
        optimizer.step(closure)
        track.append(param.detach().clone())
    return torch.stack(track)


def _schedule(op: str) -> Callable[..., Any]:
    def run(rates: Any, metrics: Any, **kwargs: Any) -> tuple[Any, ...]:
        params = [torch.zeros(1, requires_grad=True) for _ in rates]
        with warnings.catch_warnings():
            # step(epoch) is deprecated in PyTorch.
            warnings.simplefilter("ignore")
            found = training_cases.run_schedule(
                torch.optim, params, op, kwargs, rates.numpy(), metrics.numpy()
            )
        return tuple(torch.from_numpy(part) for part in found)

    return run


def _focal(inputs: Any, targets: Any, alpha: float = 0.25, gamma: float = 2, reduction: str = "none") -> Any:
    """The focal loss by its definition: -a (1 - p)^gamma log p, with p the chance of the target."""
    chance = torch.where(targets == 1, functional.logsigmoid(inputs), functional.logsigmoid(-inputs))
    losses = -((1 - chance.exp()) ** gamma) * chance
    if alpha >= 0:
        losses = (alpha * targets + (1 - alpha) * (1 - targets)) * losses
    return losses if reduction == "none" else getattr(losses, reduction)()


def _contrastive(input1: Any, input2: Any, target: Any, margin: float, reduction: str) -> Any:
    """The contrastive loss by its definition."""
    far = torch.linalg.vector_norm(input1 - input2, dim=-1)
    losses = torch.where(target == 1, far**2, (margin - far).clamp(min=0) ** 2)
    return losses if reduction == "none" else getattr(losses, reduction)()


def _deform(input: Any, offset: Any, weight: Any, **more: Any) -> Any:
    """Torchvision's function."""
    ops: Any = importlib.import_module("torchvision.ops")
    return ops.deform_conv2d(input, offset, weight, **more)


def _grouped(offs: Any = None, **matrices: Any) -> Any:
    return functional.grouped_mm(**matrices, offs=None if offs is None else offs.to(torch.int32))


OPS: dict[str, Callable[..., Any]] = {
    "deform_conv2d": _deform,
    "grouped_mm": _grouped,
    "sigmoid_focal_loss": _focal,
    "contrastive_loss": _contrastive,
    # PyTorch's gradient is right only behind log_softmax.
    "ctc_loss": lambda logits, **kwargs: functional.ctc_loss(functional.log_softmax(logits, -1), **kwargs),
    # PyTorch's documentation calls the first argument tensor, its code input.
    "one_hot": lambda tensor, **kwargs: functional.one_hot(tensor, **kwargs),
    "upsample_nearest1d": _upsample("nearest"),
    "upsample_nearest2d": _upsample("nearest"),
    "upsample_bilinear2d": _upsample("bilinear"),
    **{f"gemm_bias_{name}": _gemm_bias(name) for name in ("relu", "gelu", "sigmoid", "swish", "tanh")},
    "bias_activation": lambda input, bias, activation: _activation(activation)(input + bias),
    "bias_dropout": lambda input, bias, p, training: functional.dropout(input + bias, p, training),
    "batch_norm": _running("batch_norm"),
    "instance_norm": _running("instance_norm"),
    **{name: _optimizer(name) for name in ("SGD", "Adam", "AdamW")},
    **{op: _optimizer(op) for op in ("Muon", *(op for op, *_ in training_cases.SETTINGS))},
    "LBFGS": _lbfgs,
    **{op: _schedule(op) for op, *_ in training_cases.SCHEDULES},
}
