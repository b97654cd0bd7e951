"""Strict derivatives, functions that change an argument, linear functions, and functional_call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as rl


def test_strict_derivatives_need_every_input() -> None:
    functional = rl.autograd.functional
    x, y = rl.tensor([1.0, 2.0]), rl.tensor([3.0, 4.0])
    for call in (functional.vjp, functional.jvp):
        with pytest.raises(RuntimeError, match=f"{call.__name__}: output 0 does not depend on input 1"):
            call(lambda a, b: a * 2, (x, y), (x, y) if call is functional.jvp else x, strict=True)
        assert call(lambda a, b: a * b, (x, y), (x, y) if call is functional.jvp else x, strict=True)
    with pytest.raises(RuntimeError, match="jacobian: output 1 does not depend on input 0"):
        functional.jacobian(lambda a, b: (a * b, b), (x, y), strict=True)
    assert functional.jacobian(lambda a: a * 2, x, strict=True).tolist() == [[2.0, 0.0], [0.0, 2.0]]
    for call in (functional.hvp, functional.vhp):
        with pytest.raises(RuntimeError, match="hvp: the gradient does not depend on input 1"):
            call(lambda a, b: (a * a + b).sum(), (x, y), (x, y), strict=True)
        assert call(lambda a, b: (a * b).sum(), (x, y), (x, y), strict=True)[1][0].tolist() == [3.0, 4.0]
    # The blocks of a with a, and of b with b, are zeros.
    with pytest.raises(RuntimeError, match="hessian: the gradient does not depend on input 0"):
        functional.hessian(lambda a, b: (a * b).sum(), (x, y), strict=True)
    assert functional.hessian(lambda a: (a**3).sum(), x, strict=True).tolist() == [[6.0, 0.0], [0.0, 12.0]]
    with pytest.raises(RuntimeError, match="jvp: output 0 depends on none of the inputs"):
        rl.func.jvp(lambda a: y * 2, (x,), (x,), strict=True)
    assert rl.func.jvp(lambda a, b: a, (x, y), (y, x), strict=True)[1].tolist() == [3.0, 4.0]


class _Grow(rl.autograd.Function):
    """Changes its first argument to its exponential, and returns a product with it, too."""

    @staticmethod
    def forward(ctx: Any, x: rl.Tensor, w: rl.Tensor) -> tuple[rl.Tensor, rl.Tensor]:
        ctx.mark_dirty(x)
        x.exp_()
        ctx.save_for_backward(x, w)
        return x, x * w

    @staticmethod
    def backward(ctx: Any, *grads: rl.Tensor) -> tuple[rl.Tensor, rl.Tensor]:
        x, w = ctx.saved_tensors
        return (grads[0] + grads[1] * w) * x, grads[1] * x


def test_functions_that_change_an_argument() -> None:
    def total(a: rl.Tensor, w: rl.Tensor) -> rl.Tensor:
        x = a * 2
        same, product = _Grow.apply(x, w)
        assert same is x
        return (x * product).sum() + x.sum()

    a = rl.tensor([0.5, 1.0], dtype=rl.float64, requires_grad=True)
    w = rl.tensor([2.0, 3.0], dtype=rl.float64, requires_grad=True)
    assert rl.autograd.gradcheck(total, (a, w))
    assert rl.autograd.gradgradcheck(total, (a, w))
    plain = rl.zeros(2, dtype=rl.float64)
    same, _ = _Grow.apply(plain, w)
    assert same is plain
    assert plain.requires_grad
    assert plain.tolist() == [1.0, 1.0]
    with pytest.raises(RuntimeError, match="leaf"):
        _Grow.apply(a, w)
    with rl.no_grad():
        plain = rl.zeros(2, dtype=rl.float64)
        assert _Grow.apply(plain, w)[0] is plain


def test_a_changed_argument_is_a_result() -> None:
    class Lost(rl.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: rl.Tensor) -> rl.Tensor:
            ctx.mark_dirty(x)
            return x * 2

    with pytest.raises(RuntimeError, match="mark_dirty is an argument and a result"):
        Lost.apply(rl.ones(1, requires_grad=True) * 1)


def test_linearized_functions() -> None:
    calls = []

    def function(x: rl.Tensor, more: dict[str, rl.Tensor]) -> dict[str, rl.Tensor]:
        calls.append(1)
        return {"product": x * more["y"], "sum": more["y"].sum()}

    given = (rl.tensor([1.0, 2.0]), {"y": rl.tensor([3.0, 4.0])})
    value, push = rl.func.linearize(function, *given)
    for tangents in ((rl.ones(2), {"y": rl.zeros(2)}), (rl.zeros(2), {"y": rl.tensor([1.0, 10.0])})):
        wanted = rl.func.jvp(function, given, tangents)[1]
        count = len(calls)
        got = push(*tangents)
        assert len(calls) == count
        assert {k: v.tolist() for k, v in got.items()} == {k: v.tolist() for k, v in wanted.items()}
    assert not value["product"].requires_grad
    with pytest.raises(ValueError, match="linearize: expected tensors of shapes"):
        push(rl.ones(3), {"y": rl.ones(2)})


def test_functional_call() -> None:
    net = rl.nn.Sequential(rl.nn.Linear(2, 2), rl.nn.BatchNorm1d(2), rl.nn.Linear(2, 2))
    net[2].weight = net[0].weight
    x = rl.randn((4, 2))
    own = {**dict(net.named_parameters()), **dict(net.named_buffers())}
    before = {name: value.tolist() for name, value in own.items()}
    given = {name: value.detach().clone() for name, value in own.items()}
    zero = rl.zeros((2, 2))
    tied = rl.func.functional_call(net, {**given, "0.weight": zero}, x, strict=True)
    assert tied.tolist() == [net[2].bias.tolist()] * 4
    # The running statistics of the call are those that were given.
    assert given["1.num_batches_tracked"].item() == 1
    assert given["1.running_mean"].tolist() != before["1.running_mean"]
    assert {name: value.tolist() for name, value in own.items()} == before
    for name in ("0.weight", "2.weight"):
        assert rl.func.functional_call(net, {name: zero}, (x,)).tolist() == tied.tolist()
    apart = rl.func.functional_call(net.eval(), {"2.weight": zero}, kwargs={"input": x}, tie_weights=False)
    assert apart.tolist() == [net[2].bias.tolist()] * 4

    def loss(tensors: dict[str, rl.Tensor]) -> rl.Tensor:
        return rl.func.functional_call(net, tensors, x).pow(2).sum()

    parameters = {name: value.detach() for name, value in net.named_parameters()}
    found = rl.func.grad(loss)(parameters)
    net(x).pow(2).sum().backward()
    for name, value in net.named_parameters():
        np.testing.assert_allclose(found[name].numpy(), value.grad.numpy(), rtol=1e-5, atol=1e-6)
    for more, error, message in (
        ({"foo": zero}, AttributeError, "neither a parameter nor a buffer 'foo'"),
        ({"0.weight": zero, "2.weight": zero}, ValueError, "other names"),
        (({"0.bias": zero[0]}, {"0.bias": zero[0]}), ValueError, "0.bias are in two dicts"),
        ({"0.bias": 1.0}, TypeError, "0.bias is a Tensor"),
    ):
        with pytest.raises(error, match=message):
            rl.func.functional_call(net, more, x)  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match=r"misses 0\.bias, 1\.weight"):
        rl.func.functional_call(net, {"0.weight": zero}, x, strict=True)
    with pytest.raises(ZeroDivisionError):
        rl.func.functional_call(rl.nn.Sequential(net, _Broken()), {"0.0.weight": zero}, x)
    assert net[0].weight is own["0.weight"]


class _Broken(rl.nn.Module):
    def forward(self, x: rl.Tensor) -> rl.Tensor:
        raise ZeroDivisionError


def test_switches_decorate_without_parentheses() -> None:
    x = rl.ones(1, requires_grad=True)

    @rl.no_grad
    def without(y: rl.Tensor) -> bool:
        return (y * 2).requires_grad

    @rl.autograd.enable_grad
    def recorded(y: rl.Tensor) -> bool:
        return (y * 2).requires_grad

    assert without(x) is False
    assert rl.is_grad_enabled()
    with rl.no_grad():
        assert recorded(x) is True
    assert without.__name__ == "without"
