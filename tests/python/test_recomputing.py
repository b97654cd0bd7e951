"""`utils.checkpoint`: gradients are those without it, and the function runs again in backward."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import rushlight as rl
from rushlight import nn
from rushlight.utils.checkpoint import checkpoint, checkpoint_sequential

Grads = list[list[float]]


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(4, 8), nn.Linear(8, 4)
        self.drop = nn.Dropout(0.5)
        self.calls = 0

    def forward(self, x: rl.Tensor, scale: Any = 1.0) -> rl.Tensor:
        self.calls += 1
        out: rl.Tensor = x + self.second(self.drop(self.first(x).tanh())) * scale
        return out


def numbers(tensors: Any) -> Grads:
    return [t.reshape(-1).tolist() for t in tensors]


@pytest.mark.parametrize("use_reentrant", [None, False, True])
@pytest.mark.parametrize("tracked", [True, False])
def test_gradients_are_those_without_it(use_reentrant: bool | None, tracked: bool) -> None:
    block, head = Block(), nn.Linear(4, 1)
    found = []
    for again in (False, True):
        rl.manual_seed(5)
        x = rl.rand(3, 4).requires_grad_(tracked)
        y = checkpoint(block, x, scale=2.0, use_reentrant=use_reentrant) if again else block(x, 2.0)
        loss = head(y).pow(2).sum()
        drawn = rl.rand(2).tolist()
        loss.backward()
        assert rl.rand(2).tolist() != drawn
        grads = [p.grad for p in (*block.parameters(), *head.parameters(), *([x] if tracked else []))]
        found.append((loss.item(), drawn, numbers(grads)))
        for p in (*block.parameters(), *head.parameters()):
            p.grad = None
    assert found[0] == found[1]
    assert block.calls == 3


def test_autograd_grad_reaches_parameters_and_second_derivatives() -> None:
    block = Block().eval()
    x = rl.rand(2, 4, dtype=rl.float32).requires_grad_()
    found = []
    for call in (block, lambda x: checkpoint(block, x, use_reentrant=False)):
        inputs = [x, *block.parameters()]
        first = rl.autograd.grad(call(x).pow(3).sum(), inputs, create_graph=True)
        second = rl.autograd.grad(sum(g.pow(2).sum() for g in first), inputs)
        found.append(numbers([*first, *second]))
        assert all(p.grad is None for p in inputs)
    for a, b in zip(itertools.chain(*found[0]), itertools.chain(*found[1]), strict=True):
        assert a == pytest.approx(b, rel=1e-5, abs=1e-5)


def test_tensors_of_closures_and_globals_get_gradients() -> None:
    weight = rl.tensor([2.0], requires_grad=True)
    held = {"list": [rl.tensor([3.0], requires_grad=True)]}

    class Plain:
        bias = 1.0

        def __init__(self) -> None:
            self.tensor = rl.tensor([5.0], requires_grad=True)

        def run(self, x: rl.Tensor) -> rl.Tensor:
            return x * self.tensor

    plain = Plain()
    x = rl.tensor([7.0], requires_grad=True)
    y = checkpoint(lambda x: plain.run(x) * weight * held["list"][0], x)
    y.backward()
    grads = [t.grad for t in (x, weight, held["list"][0], plain.tensor)]
    assert numbers(grads) == [[30.0], [105.0], [70.0], [42.0]]


def test_a_variable_without_a_value_is_left_out() -> None:
    def run(x: rl.Tensor) -> rl.Tensor:
        return x * 2 if x.ndim else later(x)

    x = rl.ones(2).requires_grad_()
    checkpoint(run, x).sum().backward()

    def later(x: rl.Tensor) -> rl.Tensor:
        return x

    assert x.grad is not None
    assert x.grad.tolist() == [2.0, 2.0]


def test_values_are_kept_with_a_warning_where_a_tensor_is_not_found() -> None:
    leaf = rl.tensor([2.0], requires_grad=True)
    between = leaf * 3
    calls = []

    def times(x: rl.Tensor) -> rl.Tensor:
        calls.append(1)
        return x * between

    x = rl.tensor([5.0], requires_grad=True)
    with pytest.warns(UserWarning, match="checkpoint: the function uses a tensor that requires a gradient"):
        y = checkpoint(times, x)
    y.backward()
    assert numbers([x.grad, leaf.grad]) == [[6.0], [15.0]]
    assert len(calls) == 2

    class Strange:
        __slots__ = ("tensor",)

        def __init__(self) -> None:
            self.tensor = rl.tensor([4.0], requires_grad=True)

    strange = Strange()
    with pytest.warns(UserWarning, match="checkpoint: the function uses a tensor"):
        y = checkpoint(lambda x: x * strange.tensor, x)
    y.backward()
    assert strange.tensor.grad is not None
    assert strange.tensor.grad.tolist() == [5.0]


def test_results_and_arguments_in_containers() -> None:
    def run(pair: Any, *, more: Any) -> Any:
        a, b = pair
        return {"sum": a + more["c"], "index": rl.arange(2), "rest": (b * 2, None, 3)}

    a, b, c = (rl.ones(2).requires_grad_() for _ in range(3))
    out = checkpoint(run, (a, b), more={"c": c})
    assert list(out) == ["sum", "index", "rest"]
    assert out["rest"][1:] == (None, 3)
    assert not out["index"].requires_grad
    (out["sum"] * 5).sum().backward()
    assert numbers([a.grad, c.grad]) == [[5.0, 5.0]] * 2
    assert b.grad is None


def test_without_gradients_it_is_a_call() -> None:
    block = Block()
    with rl.no_grad():
        assert not checkpoint(block, rl.ones(1, 4)).requires_grad
    assert block.calls == 1
    assert checkpoint(lambda x: x * 2, rl.ones(1)).tolist() == [2.0]
    with pytest.raises(ValueError, match="determinism_check"):
        checkpoint(block, rl.ones(1, 4), determinism_check="x")


def test_another_result_the_second_time_is_an_error() -> None:
    sizes = iter([2, 3])
    y = checkpoint(lambda x: x.repeat(next(sizes)), rl.ones(1).requires_grad_())
    with pytest.raises(RuntimeError, match=r"checkpoint: the function returned \[\(2,\)\]"):
        y.sum().backward()


def test_contexts_of_both_calls() -> None:
    seen = []

    class Note:
        def __init__(self, name: str) -> None:
            self.name = name

        def __enter__(self) -> None:
            seen.append(self.name)

        def __exit__(self, *error: object) -> None:
            pass

    x = rl.ones(1).requires_grad_()
    y = checkpoint(lambda x: x * x, x, context_fn=lambda: (Note("first"), Note("second")))  # type: ignore[arg-type]
    assert seen == ["first"]
    y.backward()
    assert seen == ["first", "second"]


@pytest.mark.parametrize("segments", [1, 2, 3])
def test_a_chain_in_segments(segments: int) -> None:
    layers = nn.Sequential(*[Block() for _ in range(3)]).eval()
    x = rl.rand(2, 4).requires_grad_()
    found = []
    for call in (layers, lambda x: checkpoint_sequential(layers, segments, x, use_reentrant=False)):
        layers.zero_grad()
        x.grad = None
        call(x).sum().backward()
        found.append(numbers([x.grad, *(p.grad for p in layers.parameters())]))
    assert found[0] == found[1]
    assert [b.calls for b in layers] == [3] * (len(layers) - 1 if segments == 3 else segments - 1) + [2] * (
        1 if segments == 3 else 4 - segments
    )
    for bad in (0, 4):
        with pytest.raises(ValueError, match=f"{bad} segments of 3 functions"):
            checkpoint_sequential(layers, bad, x)


def test_checkpoints_nest() -> None:
    block = Block().eval()
    x = rl.rand(2, 4).requires_grad_()
    block(block(x)).sum().backward()
    want = numbers([x.grad, *(p.grad for p in block.parameters())])
    block.zero_grad()
    x.grad = None
    checkpoint(lambda x: checkpoint(block, checkpoint(block, x)), x).sum().backward()
    assert numbers([x.grad, *(p.grad for p in block.parameters())]) == want


def test_second_derivatives_where_a_weight_comes_twice() -> None:
    """The argument depends on the weight that the function uses, too."""
    w = rl.tensor([2.0], requires_grad=True)
    found = []
    for call in (lambda f, x: f(x), checkpoint):
        y = call(lambda x: x * x * w, w * 3)  # type: ignore[operator]
        (first,) = rl.autograd.grad(y, w, create_graph=True)
        (second,) = rl.autograd.grad(first, w)
        found.append((y.item(), first.item(), second.item()))
    assert found == [(72.0, 108.0, 108.0)] * 2
    y = checkpoint(lambda x: x**4, w)
    (first,) = rl.autograd.grad(y, w, create_graph=True)
    (second,) = rl.autograd.grad(first, w, create_graph=True)
    with pytest.raises(RuntimeError, match="differentiate twice"):
        rl.autograd.grad(second, w)


def test_less_is_kept() -> None:
    """The values between are freed until backward."""
    import weakref

    alive: list[Any] = []

    class Square(rl.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: rl.Tensor) -> rl.Tensor:
            alive.append(weakref.ref(ctx))
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, grad: rl.Tensor) -> rl.Tensor:
            return grad * ctx.saved_tensors[0] * 2

    x = rl.ones(2).requires_grad_()
    y = checkpoint(lambda x: Square.apply(Square.apply(x)), x)
    assert [r() for r in alive] == [None, None]
    y.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [4.0, 4.0]
