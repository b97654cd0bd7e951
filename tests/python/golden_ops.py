"""The call of Rushlight for each op of the golden files. An op that is missing here fails a test."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import rushlight as rl
from compare import Array, to_np, to_rl
from rushlight import Tensor, nn, optim
from rushlight import functional as F

Call = Callable[..., Tensor]


def _plain(call: Call) -> Call:
    """Return a call that passes tensors by position, as array API functions require."""
    return lambda **tensors: call(*tensors.values())


def _reduce(call: Call) -> Call:
    def run(input: Tensor, dim: Any = None, keepdim: bool = False, **more: Any) -> Tensor:
        axis = tuple(dim) if isinstance(dim, list) else dim
        return call(input, axis=axis, keepdims=keepdim, **more)

    return run


def _deviation(call: Call) -> Call:
    """PyTorch's default correction is 1, the array API's is 0."""

    def run(input: Tensor, correction: int = 1, **more: Any) -> Tensor:
        return _reduce(call)(input, correction=float(correction), **more)

    return run


def _scan(call: Call) -> Call:
    return lambda input, dim: call(input, axis=dim)


def _order(call: Call) -> Call:
    return lambda input, dim, descending, stable: call(input, axis=dim, descending=descending, stable=stable)


def _resize(mode: str) -> Call:
    def run(input: Tensor, **more: Any) -> Tensor:
        return F.interpolate(input, mode=mode, **more)

    return run


UNARY = {
    "neg": _plain(rl.negative),
    **{
        name: _plain(getattr(rl, name))
        for name in [
            "abs",
            "acos",
            "acosh",
            "asin",
            "asinh",
            "atan",
            "atanh",
            "ceil",
            "cos",
            "cosh",
            "erf",
            "exp",
            "expm1",
            "floor",
            "frac",
            "log",
            "log10",
            "log1p",
            "log2",
            "reciprocal",
            "round",
            "rsqrt",
            "sign",
            "sin",
            "sinh",
            "sqrt",
            "square",
            "tan",
            "tanh",
            "trunc",
        ]
    },
    "relu": F.relu,
    "sigmoid": F.sigmoid,
    "silu": F.silu,
    "gelu": F.gelu,
    "elu": F.elu,
}

BINARY = {
    "add": _plain(rl.add),
    "sub": _plain(rl.subtract),
    "mul": _plain(rl.multiply),
    "div": _plain(rl.divide),
    "pow": lambda input, exponent: rl.pow(input, exponent),
    "remainder": _plain(rl.remainder),
    "maximum": _plain(rl.maximum),
    "minimum": _plain(rl.minimum),
    "atan2": _plain(rl.atan2),
}

REDUCE = {
    "sum": _reduce(rl.sum),
    "mean": _reduce(rl.mean),
    "prod": _reduce(rl.prod),
    "amax": _reduce(rl.max),
    "amin": _reduce(rl.min),
    "var": _deviation(rl.var),
    "std": _deviation(rl.std),
    "logsumexp": _reduce(rl.logsumexp),
    "cumsum": _scan(rl.cumulative_sum),
}

INDEX = {
    "gather": lambda input, index, dim: rl.gather(input, dim, index),
    "scatter": lambda input, index, src, dim: rl.scatter(input, dim, index, src),
    "scatter_add": lambda input, index, src, dim: rl.scatter_add(input, dim, index, src),
    "index_select": lambda input, index, dim: rl.index_select(input, dim, index),
    "index_add": lambda input, index, source, dim, alpha=1.0: rl.index_add(
        input, dim, index, source if alpha == 1.0 else source * alpha
    ),
    "where": lambda condition, input, other: rl.where(condition, input, other),
    "tril": lambda input, diagonal=0: rl.tril(input, k=diagonal),
    "triu": lambda input, diagonal=0: rl.triu(input, k=diagonal),
    "clamp": lambda input, min=None, max=None: rl.clip(input, min, max),
    "matmul": _plain(rl.matmul),
    "addmm": lambda input, mat1, mat2, beta=1.0, alpha=1.0: rl.addmm(
        input, mat1, mat2, beta=beta, alpha=alpha
    ),
    "addcmul": lambda input, tensor1, tensor2, value=1.0: rl.addcmul(input, tensor1, tensor2, value=value),
    "addcdiv": lambda input, tensor1, tensor2, value=1.0: rl.addcdiv(input, tensor1, tensor2, value=value),
}

NEURAL = {
    name: getattr(F, name)
    for name in [
        "conv1d",
        "conv2d",
        "conv3d",
        "conv_transpose1d",
        "conv_transpose2d",
        "max_pool1d",
        "max_pool2d",
        "avg_pool1d",
        "avg_pool2d",
        "softmax",
        "log_softmax",
        "nll_loss",
        "cross_entropy",
        "layer_norm",
        "rms_norm",
        "group_norm",
    ]
}

RUNNING = {"batch_norm": F.batch_norm, "instance_norm": F.instance_norm}

RESIZE = {
    "upsample_nearest1d": _resize("nearest"),
    "upsample_nearest2d": _resize("nearest"),
    "upsample_bilinear2d": _resize("bilinear"),
}

SORT = {"sort": _order(rl.sort), "argsort": _order(rl.argsort)}

# Functions that draw random numbers: test_nn_random.py.
RANDOM = {"alpha_dropout", "dropout", "dropout1d", "dropout2d", "dropout3d", "feature_alpha_dropout"} | {
    "gumbel_softmax"
}
# Functions that PyTorch lacks: test_sampling.py, test_attention.py.
OURS = {"locally_connected2d", "rotary_embedding", "viterbi_decode"}
# Every function that is not listed above is called as in PyTorch. A function without a golden case fails a
# test.
NETWORK: dict[str, Call] = {
    name: getattr(F, name)
    for name in F.__all__
    if name not in {*UNARY, *NEURAL, *RANDOM, *OURS, "conv_transpose3d", "flatten"} and name[-1] != "_"
}

NETWORK["grouped_mm"] = lambda offs=None, **more: F.grouped_mm(
    **more, offs=None if offs is None else offs.astype(rl.int32)
)
NETWORK["ctc_loss"] = lambda logits, **more: F.ctc_loss(F.log_softmax(logits, -1), **more)


def _layer(name: str) -> Call:
    """A layer made of the settings, called with the inputs; see layer_cases."""

    def run(**given: Any) -> Any:
        inputs = [given.pop(key) for key in [k for k in given if re.fullmatch(r"x\d", k)]]
        state = {key.removeprefix("state."): given.pop(key) for key in [k for k in given if "." in k]}
        made = {key: state.pop(key) for key in list(state) if name.endswith("Loss") and "." not in key}
        layer = getattr(nn, name)(**given, **made)
        given_values = [*inputs, *state.values(), *made.values()]
        found = next((x.dtype for x in given_values if x.is_floating_point()), None)
        layer.to(dtype=found)
        if state or not made:
            layer.load_state_dict(state or layer.state_dict(), strict=not made)
        assert layer.supports("cpu", training=True) or found not in (rl.float32, rl.float64)
        return layer.requires_grad_(False)(*inputs)

    return run


def _recurrent(name: str) -> Call:
    """A recurrent layer or cell; see recurrent_cases."""

    def run(lengths: Any = None, **given: Any) -> Any:
        x, *first = [given.pop(key) for key in [k for k in given if re.fullmatch(r"x\d", k)]]
        state = {key.removeprefix("state."): given.pop(key) for key in [k for k in given if "." in k]}
        layer = getattr(nn, name)(**given, dtype=x.dtype)
        assert {key: tuple(value.shape) for key, value in layer.state_dict().items()} == {
            key: tuple(value.shape) for key, value in state.items()
        }
        layer._parameters.update(state)
        assert layer.supports("cpu", training=True)
        if lengths is not None:
            x = nn.utils.rnn.pack_padded_sequence(x, lengths, enforce_sorted=False)
        hx = tuple(first) if len(first) > 1 else first[0] if first else None
        result = layer(x, hx)
        found = list(result) if isinstance(result, tuple) else [result]
        if lengths is not None:
            found[0] = found[0].data
        parts = [part for each in found for part in (each if isinstance(each, tuple) else [each])]
        return rl.concat([rl.reshape(part, (-1,)) for part in parts]), *parts

    return run


# Containers, layers that draw random numbers, and layers that PyTorch does not have: test_nn_modules.py,
# test_nn_random.py, test_recurrent.py. (TransformerDecoder and -Encoder have the layers of Transformer:
# test_attention.py.)
OTHER_LAYERS = {
    "Buffer",
    "Module",
    # (PyTorch has no layers of ggml's blocks.)
    "QuantizedEmbedding",
    "QuantizedLinear",
    "ModuleDict",
    "ModuleList",
    "Parameter",
    "ParameterDict",
    "ParameterList",
} | {
    "ASMoutput",
    "AlphaDropout",
    "CTCLoss",
    "ConvLSTM",
    "DataParallel",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "FeatureAlphaDropout",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "LinearCrossEntropyOptions",
    "LoadResult",
    "RNNBase",
    "RNNCellBase",
    "RReLU",
    "ReLUSquared",
    "Sequential",
    "TransformerDecoder",
    "TransformerEncoder",
}
LAYERS = {
    name: _recurrent(name) if re.fullmatch("(RNN|LSTM|GRU)(Cell)?", name) else _layer(name)
    for name in nn.__all__
    if name[0].isupper() and name not in OTHER_LAYERS
}

CALLS: dict[str, Call] = {
    **UNARY,
    **BINARY,
    **REDUCE,
    **INDEX,
    **NEURAL,
    **RESIZE,
    **SORT,
    **NETWORK,
    **LAYERS,
}


def outputs(op: str, inputs: dict[str, Tensor], kwargs: dict[str, Any]) -> list[Tensor]:
    """Call the function that corresponds to PyTorch's function of this name."""
    if op in RUNNING:
        names = ["running_mean", "running_var"]
        running = {n: rl.asarray(kwargs[n], dtype=inputs["input"].dtype) for n in names if n in kwargs}
        given = {**dict.fromkeys(names), **kwargs, **running}
        return [RUNNING[op](**inputs, **given), *running.values()]
    result = CALLS[op](**inputs, **kwargs)
    found = list(result) if isinstance(result, tuple) else [result]
    if op == "sort":
        found.append(CALLS["argsort"](inputs["input"].detach(), **kwargs))
    return found


# Sums of terms of size 1 and more, which may cancel. Their errors are relative to the terms, not to each
# result.
CANCEL = {
    "affine_grid",
    "upsample_bilinear2d",
    "sum",
    "mean",
    "cumsum",
    "logsumexp",
    "softmax",
    "log_softmax",
    "nll_loss",
    "cross_entropy",
    "bilinear",
    "cosine_similarity",
    "ctc_loss",
    "embedding_bag",
    "interpolate",
    "linear",
    "sigmoid_focal_loss",
    "PoissonNLLLoss",
    "poisson_nll_loss",
}
# PyTorch's formulas cancel: its gelu is x (1 + erf) / 2, Rushlight's x erfc / 2.
THEIRS = {"gelu", "tanhshrink", "GELU", "Tanhshrink"}
# PyTorch's kernels hold 1/6, 1e-12 and the alpha of celu in float32 for float64 too, so its gradients have an
# error.
CONSTANTS = {
    "hardsigmoid": 3e-8,
    "Hardsigmoid": 3e-8,
    "binary_cross_entropy": 1e-8,
    "CELU": 1e-8,
    "celu": 1e-8,
}
NORMS = {"layer_norm", "rms_norm", "group_norm", *RUNNING}
ATTENTION = {
    "scaled_dot_product_attention",
    "multi_head_attention_forward",
    "MultiheadAttention",
}
LONG = {*CANCEL, *NORMS, *ATTENTION, "matmul", "addmm", *(n for n in NEURAL if n.startswith("conv"))}


def floor(op: str, least: float) -> float:
    """The smallest magnitude that errors of an op are measured against."""
    return 1.0 if op in CANCEL or op in THEIRS else least


def optimize(op: str, args: dict[str, Array], dtype: str, kwargs: dict[str, Any]) -> list[list[Array]]:
    """The values of param0, param1 and so on after each step; step i sees grads0[i], grads1[i], .."""
    count = sum(name.startswith("param") for name in args)
    params = [to_rl(args[f"param{i}"], dtype).requires_grad_() for i in range(count)]
    optimizer = getattr(optim, op)(params, **kwargs)
    tracks: list[list[Array]] = [[] for _ in params]
    for step in range(len(args["grads0"])):
        for i, param in enumerate(params):
            param.grad = to_rl(args[f"grads{i}"][step], dtype)
        optimizer.step()
        for param, track in zip(params, tracks, strict=True):
            track.append(to_np(param))
    return tracks
