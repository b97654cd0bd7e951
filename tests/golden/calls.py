"""Calls of Tensor methods and functions as PyTorch users write them, with PyTorch's results.

Each call is text that runs with either library: ``torch`` is the library, other names are the inputs below.
``python calls.py`` writes PyTorch's results and gradients into calls.json.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from distribution_calls import DISTRIBUTION_CALLS
from entry_calls import ENTRY_CALLS

Json: TypeAlias = dict[str, Any]
HERE = Path(__file__).resolve().parent
RESULTS = HERE / "calls.json"

# One call in each line.
CALLS = (
    [
        line
        for line in """
# Other names, and alpha.
torch.eq(i, j)
torch.ne(i, j)
torch.lt(i, j)
torch.le(i, j)
torch.gt(i, j)
torch.ge(i, j)
i.eq(j)
i.ne(j)
i.lt(j)
i.le(j)
i.gt(j)
i.ge(j)
torch.absolute(x)
torch.arcsin(u)
x.arctan()
torch.true_divide(x, p)
x.fix()
x.add(y)
x.sub(y)
x.mul(y)
x.div(p)
x.neg()
x.negative()
torch.concatenate([x, y])
torch.unbind(x, dim=1)
torch.movedim(a, 0, 2)
torch.swapdims(a, 0, 1)
torch.ger(v, w)
torch.clamp(x, min=-0.5, max=0.5)
x.repeat_interleave(2, dim=1)
torch.repeat_interleave(v, torch.tensor([1, 0, 2, 3]))
# Matrices.
torch.mm(x, y.t())
x.mm(z)
torch.mv(x, v)
x.mv(w)
torch.bmm(a, b)
v.dot(w)
torch.diag(v)
torch.diag(v, 2)
torch.diag(v, -1)
x.diag()
x.diag(1)
x.diag(-1)
a.diagonal(dim1=1, dim2=2)
torch.diagonal(a, 1, 0, 2)
z.diagonal(offset=-2)
z.trace()
torch.vstack((v, x))
torch.hstack([v, w])
torch.hstack((x, y))
torch.dstack((x, y))
torch.dstack((v, w))
torch.column_stack((v, w))
torch.column_stack((z, v))
torch.cdist(x, y)
torch.cdist(x, y, p=1.0)
torch.cdist(a, a[:, :2], p=3.0)
torch.cdist(x, y, p=float('inf'))
torch.cdist(x, x)
torch.einsum('...ij,...jk->...ik', a, z)
torch.einsum('i...,i...', a, a)
torch.einsum('...i->...', x)
torch.einsum('bij,bjk->ik', [a, b])
torch.einsum('i,j', v, w)
torch.einsum('...,...', v, x)
torch.einsum('ij...->ji...', a)
torch.einsum('ij,i...->j...', x, a[0])
# Norms and statistics.
x.norm()
torch.norm(x)
x.norm(1)
x.norm(3, dim=1)
x.norm(dim=(0, 1), keepdim=True)
x.norm(float('inf'), dim=0)
x.norm(float('-inf'))
x.norm(0)
torch.zeros(3).norm()
torch.norm(a, p=2, dim=-1, keepdim=True)
torch.norm(a, p='fro')
a.norm(2, 2)
x.median()
x.median(dim=1)
torch.median(x, 0, True)
torch.median(n)
n.median(dim=1).values
torch.quantile(x, 0.3)
torch.quantile(x, torch.tensor([0.1, 0.5, 1.0]), dim=1)
x.quantile(0.25, dim=0, keepdim=True)
torch.quantile(x, 0.4, dim=1, interpolation='lower')
torch.quantile(x, 0.4, interpolation='higher')
torch.quantile(x, 0.4, interpolation='midpoint')
torch.quantile(x, 0.4, interpolation='nearest')
torch.quantile(n, 0.5, dim=1)
torch.topk(x, 2)
x.topk(3, dim=0, largest=False)
torch.kthvalue(x, 2)
x.kthvalue(1, dim=0, keepdim=True)
torch.bincount(i.flatten())
torch.bincount(i[0], minlength=9)
torch.bincount(i[0], weights=v)
torch.histc(x, bins=5)
torch.histc(x, bins=4, min=-1, max=1)
torch.unique(i)
i.unique(return_inverse=True, return_counts=True)
torch.unique(j, dim=0)
torch.unique(j, dim=1, return_inverse=True, return_counts=True)
x.cumprod(dim=1)
torch.cumprod(i, 0)
# Nearness, limits, interpolation.
torch.isclose(x, x + 1e-6)
torch.allclose(x, x + 1e-9)
torch.allclose(x, y)
x.allclose(x)
torch.isclose(n, n, equal_nan=True)
torch.isclose(n, n)
torch.isclose(x, y, rtol=0.5, atol=0.1)
torch.isclose(e, e)
torch.isclose(e, -e)
torch.isclose(i, j)
torch.nan_to_num(e)
n.nan_to_num(7.0)
x.lerp(y, 0.25)
torch.lerp(x, y, 0.75)
torch.lerp(x, y, u)
x.lerp(v, 1.0)
x.clamp_min(0.1)
x.clamp_max(v)
torch.clamp_min(i, 2)
torch.numel(a)
torch.is_tensor(x)
# New tensors.
x.new_zeros(2, 3)
i.new_ones((2,))
x.new_full((2, 2), 3)
i.new_tensor([1.5, 2.5])
x.new_empty(2).shape
torch.as_tensor([1, 2])
torch.tensor([1], dtype=torch.float)
torch.zeros(2, dtype=torch.long)
torch.zeros(1, dtype=torch.int)
torch.zeros(1, dtype=torch.half)
torch.zeros(1, dtype=torch.double)
torch.linspace(0, 1, steps=5)
torch.linspace(-1, 1, 3)
torch.randn_like(x).shape
# Shapes and choices.
a.size()
a.size(0)
a.size(-1)
torch.unsqueeze(x, dim=1)
x.unsqueeze(dim=-1)
torch.flip(x, dims=[0])
x.flip(0, 1)
x.flip([1])
x.flip(dims=(0,))
torch.roll(x, shifts=1, dims=0)
x.roll((1, 2), (0, 1))
torch.roll(x, 3)
x.roll(shifts=-1, dims=1)
x.repeat(2, 1)
v.repeat(2, 3)
x.view_as(z[:3])
x.reshape_as(y)
a.select(1, -1)
x.select(dim=0, index=1)
x.type_as(i)
i.type(torch.float64)
x.type('torch.LongTensor')
x.element_size()
x.nelement()
x.ndimension()
x.where(x > 0, y)
x.where(x > 0, torch.tensor(0.0))
x.masked_select(x > 0)
x.to('cpu', non_blocking=True)
x.index_fill(1, torch.tensor([0, 2]), 5.0)
x.masked_fill(x > 0, float('-inf'))
a.swapaxes(0, 2)
x.moveaxis(0, 1)
i.count_nonzero()
x.tril()
x.triu(diagonal=1)
x.logsumexp(dim=1)
# Arithmetic, moments and layouts.
torch.fmod(x, 0.7)
torch.fmod(x, y)
x.fmod(-0.7)
torch.fmax(n, n.flip(0))
n.fmin(n.flip(1))
torch.deg2rad(x)
x.rad2deg()
torch.xlogy(u, p)
torch.xlogy(torch.zeros(3), torch.zeros(3))
torch.logit(u)
x.logit(eps=0.1)
torch.isposinf(e)
torch.div(i - 3, 2, rounding_mode='trunc')
(i - 3).div(j + 2, rounding_mode='floor')
torch.div(x, y, rounding_mode='trunc')
x.div(0.7, rounding_mode='floor')
i.clone().div_(-2, rounding_mode='trunc')
e.isneginf()
torch.dist(x, y)
torch.dist(x, y, 1)
torch.inner(x, y)
v.inner(w)
torch.cross(z[:, :3], z[:, 1:], dim=1)
torch.baddbmm(a[:, :, :1], a, b, beta=0.5, alpha=2)
torch.addmv(x[:, 0], y, v, alpha=3)
torch.bitwise_not(i)
torch.nansum(n)
n.nansum(dim=1)
n.nanmean(dim=0, keepdim=True)
torch.aminmax(x)
torch.aminmax(x, dim=1, keepdim=True)
torch.std_mean(x, dim=1)
torch.var_mean(x, dim=(0, 1), correction=0)
torch.cummax(x, dim=1)
x.cummin(0)
torch.cummax(j, 1)
torch.cummin(n, 1)
torch.cov(x)
x.cov(correction=0)
torch.corrcoef(x)
torch.unique_consecutive(j)
j.unique_consecutive(return_inverse=True, return_counts=True)
torch.take_along_dim(x, x.argsort(1), 1)
torch.take_along_dim(x, i[:, :2] % 12)
torch.fliplr(x)
x.flipud()
torch.rot90(x)
x.rot90(2)
torch.rot90(a, 3, (1, 2))
torch.rot90(a, -1, (2, 0))
torch.diag_embed(x)
torch.diag_embed(x, offset=-2)
x.diag_embed(1)
torch.kron(x, z)
torch.kron(v, x)
torch.tril_indices(3, 4, -1)
torch.triu_indices(3, 4, 1)
a.unflatten(2, (2, -1))
torch.unflatten(x, dim=1, sizes=(2, 2))
torch.argwhere(j)
torch.logspace(-1, 2, 7, base=2)
torch.logspace(0, 1, steps=3)
torch.atleast_1d(x.sum())
torch.atleast_2d(v)
torch.atleast_3d(x)
torch.atleast_3d(v)
torch.ravel(x.t())
torch.broadcast_tensors(v, x)
x.tile((2, 1))
x.short()
i.char()
x.abs().byte()
v.unfold(0, 2, 1)
a.unfold(2, 2, 2)
a.unfold(1, 3, 1)
x.clone().index_put_((torch.tensor([0, 2]), torch.tensor([1, 3])), v[:2])
# In place.
x.clone().abs_()
x.clone().neg_()
x.clone().exp_()
x.clone().sin_()
x.clone().cos_()
x.clone().tan_()
x.clone().tanh_()
x.clone().sigmoid_()
x.clone().relu_()
x.clone().floor_()
x.clone().ceil_()
x.clone().round_()
x.clone().trunc_()
x.clone().frac_()
x.clone().erf_()
x.clone().expm1_()
x.clone().square_()
x.clone().sign_()
x.clone().atan_()
x.clone().sinh_()
x.clone().cosh_()
x.clone().asinh_()
p.clone().log_()
p.clone().log2_()
p.clone().log10_()
p.clone().log1p_()
p.clone().sqrt_()
p.clone().rsqrt_()
p.clone().reciprocal_()
u.clone().asin_()
u.clone().acos_()
u.clone().atanh_()
x.clone().add_(y, alpha=2)
x.clone().add_(1)
x.clone().sub_(y, alpha=0.5)
x.clone().mul_(y)
x.clone().div_(p)
x.clone().pow_(2)
x.clone().remainder_(0.7)
x.clone().floor_divide_(0.7)
x.clone().clamp_(-0.5, 0.5)
x.clone().clamp_(min=0)
x.clone().clamp_min_(0.1)
x.clone().clamp_max_(0.1)
x.clone().addcmul_(y, p, value=0.5)
x.clone().addcdiv_(y, p, value=-2)
x.clone().lerp_(y, 0.3)
x.clone().masked_fill_(x > 0, 0)
x.clone().index_add_(1, torch.tensor([0, 2]), y[:, :2])
x.clone().index_fill_(0, torch.tensor([1]), 2)
x.clone().scatter_(1, i % 4, 2.0)
x.clone().cumsum_(1)
torch.zeros(3, 6).scatter_(1, i, 1.0)
x.clone().scatter_add_(1, i % 4, y)
x.detach().clone().cumprod_(0)
x.clone().tril_()
x.clone().triu_(1)
x.clone().fill_(3)
x.clone().zero_()
x.clone().copy_(v)
x.clone().eq_(0)
x.clone().gt_(y)
i.clone().bitwise_and_(3)
i.clone().add_(j)
e.clone().nan_to_num_()
x.clone().atan2_(y)
x.clone().copysign_(y)
x.clone().hypot_(y)
b_.clone().logical_not_()
b_.clone().logical_and_(x > 0)
b_.clone().logical_xor_(x > 0)
i.clone().mul_(2).sub_(1)
# Writes through views, as optimizers and initial values do.
(lambda t: (t.data.add_(y.detach(), alpha=-0.1), t)[1])(x.detach().clone())
(lambda t: (t[0].mul_(3), t)[1])(x.detach().clone())
(lambda t: (t[:, 1:3].zero_(), t)[1])(x.detach().clone())
""".strip().splitlines()
        if not line.startswith("#")
    ]
    + ENTRY_CALLS
    + DISTRIBUTION_CALLS
)
# PyTorch does not differentiate these.
WITHOUT_GRADIENT = (
    "torch.bincount(i[0], weights=v)",
    "torch.histc(x, bins=5)",
    "torch.histc(x, bins=4, min=-1, max=1)",
    "x.clone().asinh_()",
    "u.clone().atanh_()",
    "x.clone().floor_divide_(0.7)",
    'torch.scatter(x, 1, torch.tensor([[0, 1], [2, 0], [3, 3]]), y, reduce="add")',
    'x.scatter(0, torch.tensor([[0, 1, 2, 0]]), y, reduce="multiply")',
    'x.scatter(1, torch.tensor([[0, 1], [2, 2]]), 2.5, reduce="add")',
    'x.clone().scatter_(1, torch.tensor([[0], [2], [1]]), y, reduce="add")',
)


def drawn(seed: int) -> dict[str, Any]:
    """The inputs, as NumPy arrays."""
    rng = np.random.default_rng(seed)

    def normal(*shape: int) -> Any:
        return rng.normal(size=shape).astype(np.float32)

    x = normal(3, 4)
    missing = normal(2, 3)
    missing[0, 1] = math.nan
    return {
        "x": x,
        "y": normal(3, 4),
        "z": normal(4, 4),
        "v": normal(4),
        "w": normal(4),
        "a": normal(2, 3, 4),
        "b": normal(2, 4, 5),
        "p": np.abs(normal(3, 4)) + np.float32(0.3),
        "u": rng.uniform(0.05, 0.95, size=(3, 4)).astype(np.float32),
        "i": rng.integers(0, 6, size=(3, 4)),
        "j": rng.integers(0, 2, size=(3, 4)),
        "b_": rng.integers(0, 2, size=(3, 4)).astype(bool),
        "n": missing,
        "e": np.array([math.inf, -math.inf, math.nan, 1.0], np.float32),
    }


def plain(value: Any) -> Any:
    """A result as JSON: a tensor is its dtype, shape and elements."""
    if isinstance(value, (bool, int, float, str)) and not hasattr(value, "tolist"):
        return int(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if hasattr(value, "requires_grad"):
        kind = str(value.dtype).removeprefix("torch.")
        flat = value.detach().reshape(-1).tolist()
        numbers = [float(f"{v:.9g}") if isinstance(v, float) else v for v in flat]
        return {"dtype": kind, "shape": list(value.shape), "values": numbers}
    return [plain(v) for v in value]


def run(library: Any, call: str, inputs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the result of a call, and the gradients of the weighted sum of its elements."""
    tensors = {name: library.from_numpy(np.array(value)) for name, value in inputs.items()}
    leaves = {
        name: t.requires_grad_()
        for name, t in tensors.items()
        if t.is_floating_point() and name not in "ne" and call not in WITHOUT_GRADIENT
    }
    result = eval(call, {"torch": library, **tensors})
    first = result
    while isinstance(first, (tuple, list)) and first:
        first = first[0]
    gradients: dict[str, Any] = {}
    if getattr(first, "requires_grad", False):
        weights = library.linspace(0.5, 1.5, max(1, first.numel())).reshape(first.shape)
        (first * weights).sum().backward()
        gradients = {name: plain(t.grad) for name, t in leaves.items() if t.grad is not None}
    return plain(result), gradients


def differences(got: Any, want: Any, bound: float, where: str = "") -> list[str]:
    """Return how results differ: in dtype, shape, or elements by more than a bound times the largest
    element."""
    if isinstance(want, dict) and "values" in want:
        if not isinstance(got, dict) or any(got[key] != want[key] for key in ("dtype", "shape")):
            return [f"{where}: {got}, not {want}"]
        finite = [abs(v) for v in want["values"] if math.isfinite(v)]
        allowed = bound * max([1e-3, *finite])
        pairs = zip(got["values"], want["values"], strict=True)
        found = [f"{where}: {a}, not {b}" for a, b in pairs if not _near(a, b, allowed)]
        return found[:3]
    if isinstance(want, dict):
        # A tensor that does not influence the result has no gradient in one library, and zeros in the other.
        out = []
        for key in sorted({*got, *want}):
            if key in got and key in want:
                out += differences(got[key], want[key], bound, f"{where} {key}")
            elif any((got.get(key) or want[key])["values"]):
                out.append(f"{where} {key} is missing in one")
        return out
    if isinstance(want, list):
        if not isinstance(got, list) or len(got) != len(want):
            return [f"{where}: {got}, not {want}"]
        return [d for a, b in zip(got, want, strict=True) for d in differences(a, b, bound, where)]
    return [] if type(got) is type(want) and got == want else [f"{where}: {got!r}, not {want!r}"]


def _near(a: Any, b: Any, allowed: float) -> bool:
    if isinstance(b, float):
        return a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= allowed
    return bool(a == b)


def main() -> None:
    """Write PyTorch's results."""
    import torch

    torch.set_num_threads(1)
    inputs = drawn(20260101)
    lines = []
    for call in CALLS:
        result, gradients = run(torch, call, inputs)
        lines.append(json.dumps([call, result, gradients], separators=(",", ":")))
    head = json.dumps({"torch": torch.__version__.split("+")[0], "seed": 20260101})
    RESULTS.write_text(head[:-1] + ', "calls": [\n' + ",\n".join(lines) + "\n]}\n")


if __name__ == "__main__":
    main()
