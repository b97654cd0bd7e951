"""Gradients as people use them: grad, hooks, functions, gradients of gradients, transforms."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from rushlight import nn

F64 = rl.float64


def leaf(*values: float) -> rl.Tensor:
    return rl.tensor(values, dtype=F64, requires_grad=True)


def cubes(x: rl.Tensor) -> rl.Tensor:
    return (x**3).sum()


def test_grad_gives_gradients_and_changes_no_leaf() -> None:
    x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
    z = x * y
    gx, gz = rl.autograd.grad((z * z).sum(), [x, z])
    assert gx.tolist() == [18.0, 64.0]
    assert gz.tolist() == [6.0, 16.0]
    assert x.grad is None
    assert y.grad is None
    (weighted,) = rl.autograd.grad([z, x * 2], x, [rl.tensor([1.0, 0.0], dtype=F64), rl.ones(2, dtype=F64)])
    assert weighted.tolist() == [5.0, 2.0]


def test_grad_of_an_unused_input() -> None:
    x, y = leaf(1.0), leaf(2.0)
    with pytest.raises(RuntimeError, match=r"input 1 was not used .*allow_unused=True"):
        rl.autograd.grad(x * 2, [x, y])
    assert rl.autograd.grad(x * 2, [x, y], allow_unused=True)[1] is None
    assert rl.autograd.grad(x * 2, [x, y], materialize_grads=True)[1].tolist() == [0.0]
    with pytest.raises(RuntimeError, match="input 0 does not require"):
        rl.autograd.grad(x * 2, rl.ones(1))
    with pytest.raises(RuntimeError, match="tensor 0 does not require"):
        rl.autograd.grad(rl.ones(1), x)
    with pytest.raises(RuntimeError, match="needs a gradient argument"):
        rl.autograd.grad(leaf(1.0, 2.0) * 2, x)
    with pytest.raises(ValueError, match="materialize_grads"):
        rl.autograd.grad(x * 2, x, allow_unused=False, materialize_grads=True)


def test_backward_of_some_leaves_and_with_a_graph() -> None:
    x, y = leaf(2.0), leaf(5.0)
    (x * y).sum().backward(inputs=[x])
    assert x.grad is not None
    assert x.grad.tolist() == [5.0]
    assert y.grad is None
    z = x * 2
    with pytest.raises(RuntimeError, match="not a leaf"):
        (z * y).sum().backward(inputs=z)
    x.grad = None
    cubes(x).backward(create_graph=True)
    assert x.grad is not None
    first = x.grad
    x.grad = None
    first.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [12.0]
    rl.autograd.backward([x * 3, y * y], [rl.ones(1, dtype=F64), rl.ones(1, dtype=F64)])
    assert x.grad.tolist() == [15.0]
    assert y.grad is not None


def test_hooks_of_tensors() -> None:
    x = leaf(1.0, 2.0)
    y = x * x
    seen: list[Any] = []
    first = y.register_hook(lambda g: seen.append(g.tolist()))
    y.register_hook(lambda g: g * 10)
    with x.register_hook(lambda g: seen.append(g.tolist())):
        y.sum().backward()
    assert seen == [[1.0, 1.0], [20.0, 40.0]]
    first.remove()
    first.remove()
    y.sum().backward()
    assert len(seen) == 2
    y.register_hook(lambda g: g.sum())
    with pytest.raises(ValueError, match="hook must return a gradient of the tensor's shape"):
        y.sum().backward()
    with pytest.raises(RuntimeError, match="does not require"):
        rl.ones(1).register_hook(print)
    with pytest.raises(TypeError, match="a hook is a function"):
        x.register_hook(3)  # type: ignore[arg-type]


def test_an_exception_of_a_hook_is_raised_and_changes_no_gradient() -> None:
    x = leaf(1.0)

    def hook(grad: rl.Tensor) -> None:
        raise KeyError("mine")

    y = x * 2
    y.register_hook(hook)
    with pytest.raises(KeyError, match="mine") as caught:
        (y * y).sum().backward()
    assert "hook" in [entry.name for entry in caught.traceback]
    assert x.grad is None


def test_retained_gradients_and_hooks_after_accumulation() -> None:
    x = leaf(1.0, 2.0)
    y = x * 3
    assert y.grad is None
    assert not y.retains_grad
    y.retain_grad()
    assert y.retains_grad
    (y * y).sum().backward()
    assert y.grad is not None
    assert y.grad.tolist() == [6.0, 12.0]
    (y * y).sum().backward()
    assert y.grad.tolist() == [12.0, 24.0]
    calls: list[rl.Tensor] = []
    handle = x.register_post_accumulate_grad_hook(calls.append)
    y.sum().backward()
    assert len(calls) == 1
    assert calls[0] is x
    handle.remove()
    with pytest.raises(RuntimeError, match="leaf"):
        y.register_post_accumulate_grad_hook(print)


class Product(rl.autograd.Function):
    """Two results of two tensors and a number."""

    @staticmethod
    def forward(ctx: Any, a: rl.Tensor, b: rl.Tensor, factor: float) -> Any:
        ctx.save_for_backward(a, b)
        ctx.factor = factor
        return a * b * factor, a + b

    @staticmethod
    def backward(ctx: Any, product: rl.Tensor, total: rl.Tensor) -> Any:
        a, b = ctx.saved_tensors
        assert ctx.needs_input_grad[2] is False
        return product * b * ctx.factor + total, product * a * ctx.factor + total, None


def test_functions_with_their_own_gradient() -> None:
    a, b = leaf(2.0, -1.0), leaf(3.0, 0.5)
    product, total = Product.apply(a, b, 2.0)
    assert product.grad_fn == "ProductBackward"
    (product.sum() + (total * 10).sum()).backward()
    assert a.grad is not None
    assert a.grad.tolist() == [16.0, 11.0]
    assert b.grad is not None
    assert b.grad.tolist() == [14.0, 8.0]
    assert rl.autograd.gradcheck(lambda a, b: Product.apply(a, b, 1.5), [a, b])
    assert rl.autograd.gradgradcheck(lambda a, b: Product.apply(a, b, 1.5), [a, b])
    # If no argument requires a gradient, `apply` only calls `forward`.
    assert not Product.apply(a.detach(), b.detach(), 1.0)[0].requires_grad


def test_functions_save_outputs_and_set_the_context_apart() -> None:
    class Exp(rl.autograd.Function):
        @staticmethod
        def forward(x: rl.Tensor) -> Any:
            return x.exp(), x.sign()

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(output[0], None)
            ctx.mark_non_differentiable(output[1])
            ctx.set_materialize_grads(False)

        @staticmethod
        def backward(ctx: Any, grad: Any, sign: Any) -> Any:
            assert sign is None
            y, none = ctx.saved_tensors
            assert none is None
            return grad * y

    x = leaf(0.5, 1.0)
    y, sign = Exp.apply(x)
    assert not sign.requires_grad
    assert rl.autograd.gradgradcheck(lambda x: Exp.apply(x)[0], x)
    with rl.no_grad():
        y += 1.0
    with pytest.raises(RuntimeError, match=r"ExpBackward: a tensor .* was changed in place"):
        y.sum().backward()


def test_once_differentiable_raises_at_the_second_derivative() -> None:
    class Cube(rl.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: rl.Tensor) -> rl.Tensor:
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        @rl.autograd.once_differentiable
        def backward(ctx: Any, grad: rl.Tensor) -> rl.Tensor:
            return 3 * ctx.saved_tensors[0] ** 2 * grad

    x = leaf(2.0)
    (g,) = rl.autograd.grad(Cube.apply(x), x, create_graph=True)
    assert g.tolist() == [12.0]
    with pytest.raises(RuntimeError, match="once_differentiable"):
        rl.autograd.grad(g, x)


def test_wrong_gradients_of_a_function_are_errors() -> None:
    class Wrong(rl.autograd.Function):
        given: Any = None

        @staticmethod
        def forward(ctx: Any, x: rl.Tensor, y: Any) -> rl.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: rl.Tensor) -> Any:
            return Wrong.given(grad)

    cases: list[tuple[Callable[[Any], Any], type[Exception], str]] = [
        (lambda g: g, RuntimeError, "returned 1 gradients for 2"),
        (lambda g: (g, g), RuntimeError, "argument 1, not a tensor"),
        (lambda g: (3, None), TypeError, "gradient 0 is a Tensor or None, got int"),
        (lambda g: (rl.ones(7, dtype=F64), None), ValueError, "wrong shape"),
    ]
    for given, error, words in cases:
        Wrong.given = given
        with pytest.raises(error, match=words):
            Wrong.apply(leaf(1.0, 2.0), 3).sum().backward()
    # A gradient of a larger shape, to which the input broadcasts, is accepted and summed to the input's
    # shape.
    Wrong.given = lambda g: (rl.ones((3, 2), dtype=rl.float32), None)
    x = leaf(1.0, 2.0)
    Wrong.apply(x, 3).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [3.0, 3.0]


def test_long_chains_of_functions_are_freed_without_recursion() -> None:
    class Next(rl.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: rl.Tensor) -> rl.Tensor:
            ctx.x = x  # Kept without save_for_backward, so that only the context holds it.
            return x + 1

        @staticmethod
        def backward(ctx: Any, grad: rl.Tensor) -> rl.Tensor:
            return grad

    def build() -> None:
        x = rl.zeros(1, requires_grad=True)
        y = x
        for _ in range(20_000):
            y = Next.apply(y)
        y.backward()
        assert x.grad is not None
        assert y.item() == 20_000.0

    thread = threading.Thread(target=build)
    before = threading.stack_size(512 * 1024)
    try:
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()


def test_cycles_through_hooks_and_contexts_are_collected() -> None:
    class Held:
        pass

    class Keep(rl.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: rl.Tensor, held: Held) -> rl.Tensor:
            ctx.held = held
            ctx.box = []
            held.ctx = ctx  # type: ignore[attr-defined]
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: rl.Tensor) -> Any:
            return grad * 2, None

    def hooks() -> weakref.ref[Held]:
        held, x = Held(), rl.ones(3, requires_grad=True)
        y = x * 2
        y.register_hook(lambda g: None)
        loss = (y * y).sum()
        loss.backward()
        return weakref.ref(held)

    def leaves() -> weakref.ref[Held]:
        held, x = Held(), rl.ones(3, requires_grad=True)
        x.register_hook(lambda g: None)
        x.sum().backward()
        return weakref.ref(held)

    def contexts() -> weakref.ref[Held]:
        held = Held()
        y = Keep.apply(rl.ones(3, requires_grad=True), held)
        held.ctx.box.append(y.exp())  # type: ignore[attr-defined]
        return weakref.ref(held)

    for make in (hooks, leaves, contexts):
        found = make()
        gc.collect()
        assert found() is None, make.__name__
    # Live objects stay alive.
    x = rl.ones(1, requires_grad=True)
    y = x * 2
    calls: list[int] = []
    y.register_hook(lambda g: calls.append(1))
    z = (y * y).sum()
    del y
    gc.collect()
    z.backward()
    assert calls == [1]


def test_no_memory_grows() -> None:
    def step() -> None:
        x = rl.ones(10_000, requires_grad=True)
        x.register_hook(lambda g: g * 1)
        y = Product.apply(x, x, 2.0)[0].exp().sum()
        (g,) = rl.autograd.grad(y, x, create_graph=True)
        (g * g).sum().backward()
        x.grad = None

    def resident() -> int:
        with open("/proc/self/statm") as f:
            return int(f.read().split()[1]) * 4096

    for _ in range(50):
        step()
    gc.collect()
    before = resident()
    for _ in range(400):
        step()
    gc.collect()
    # Each step allocates more than 400 kB.
    assert resident() - before < 20e6


def test_backward_on_another_thread() -> None:
    x = leaf(1.0, 2.0)
    (g,) = rl.autograd.grad(cubes(x), x, create_graph=True)
    y = Product.apply(g, x, 1.0)[0].sum()
    seen: list[int] = []
    x.register_hook(lambda g: seen.append(threading.get_ident()))
    threads = [threading.Thread(target=lambda: y.backward(retain_graph=True)) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    # y = 3 x^3, four times.
    assert x.grad is not None
    assert x.grad.tolist() == [36.0, 144.0]
    assert len(seen) == 4
    assert threading.get_ident() not in seen


def test_full_backward_hooks_of_modules() -> None:
    layer = nn.Linear(3, 2)
    calls: list[tuple[Any, ...]] = []
    after = layer.register_full_backward_hook(lambda m, gi, go: calls.append((m, gi, go)))
    x = rl.ones((4, 3), requires_grad=True)
    layer(x).sum().backward()
    module, (grad_input,), (grad_output,) = calls[0]
    assert module is layer
    assert grad_output.tolist() == [[1.0, 1.0]] * 4
    assert grad_input.tolist() == x.grad.tolist()  # type: ignore[union-attr]
    after.remove()
    with layer.register_full_backward_pre_hook(lambda m, go: (go[0] * 2,)):
        times = layer.register_full_backward_hook(lambda m, gi, go: (gi[0] * 5,))
        x.grad = None
        layer.weight.grad = None
        layer(x).sum().backward()
    assert layer.weight.grad is not None
    assert layer.weight.grad.tolist() == [[8.0] * 3] * 2
    assert np.allclose(x.grad, 10 * grad_input)  # type: ignore[arg-type]
    assert len(calls) == 1
    times.remove()
    # Where no argument requires a gradient the hook is called, too.
    layer.register_full_backward_hook(lambda m, gi, go: calls.append((m, gi, go)))
    layer(rl.ones((1, 3))).sum().backward()
    assert len(calls) == 2
    assert calls[1][1] == (None,)


def test_anomalies_name_the_op() -> None:
    x = leaf(0.0)
    y = (x.sqrt() * 0.0).sum()
    y.backward(retain_graph=True)
    with rl.autograd.detect_anomaly(), pytest.raises(RuntimeError, match="sqrt: its gradient has a NaN"):
        y.backward()
    y.backward()


def test_inference_mode() -> None:
    x = leaf(1.0)
    with rl.inference_mode():
        made = x * 2
    assert not made.requires_grad
    assert (made * x).requires_grad
    with rl.inference_mode(False):
        assert (x * 2).requires_grad

    @rl.inference_mode
    def plain(x: rl.Tensor) -> rl.Tensor:
        return x * 2

    @rl.inference_mode()
    def called(x: rl.Tensor) -> rl.Tensor:
        return x * 2

    assert not plain(x).requires_grad
    assert not called(x).requires_grad


def test_transforms_nest() -> None:
    x = rl.tensor([1.0, 2.0], dtype=F64)
    cube = lambda x: x**3  # noqa: E731
    assert rl.func.grad(rl.func.grad(rl.func.grad(cube)))(rl.tensor(2.0)).item() == 6.0
    assert rl.func.hessian(cubes)(x).tolist() == [[6.0, 0.0], [0.0, 12.0]]
    assert rl.func.jacrev(rl.func.jacrev(lambda x: x**3))(x)[1, 1].tolist() == [0.0, 12.0]
    # The inner function uses a variable of the enclosing function.
    outer = rl.func.grad(lambda a: rl.func.grad(lambda b: (a * b * b).sum())(rl.ones(2, dtype=F64)).sum())
    assert outer(x).tolist() == [2.0, 2.0]
    # jvp multiplies by the Jacobian, vjp by its transpose.
    _, slope = rl.func.jvp(lambda x: x.sin(), (x,), (rl.ones(2, dtype=F64),))
    assert np.allclose(slope, np.cos([1.0, 2.0]))
    assert not slope.requires_grad
    nested = rl.func.grad(lambda x: rl.func.jvp(cubes, (x,), (x * 0 + 1,))[1])(x)
    assert nested.tolist() == [6.0, 12.0]
    _value, pull, _aux = rl.func.vjp(lambda x, y: ({"a": x * y}, x), x, x, has_aux=True)
    left, right = pull({"a": rl.ones(2, dtype=F64)})
    assert left.tolist() == right.tolist() == [1.0, 2.0]
    tree = rl.func.grad(lambda p: (p["w"] * p["b"][0]).sum())({"w": x, "b": [x * 3]})
    assert tree["w"].tolist() == [3.0, 6.0]
    assert tree["b"][0].tolist() == [1.0, 2.0]
    (g, v), first = rl.func.grad_and_value(cubes)(x), rl.func.value_and_grad(cubes, has_aux=False)(x)
    assert g.tolist() == first[1].tolist() == [3.0, 12.0]
    assert v.item() == 9.0


def test_functional_jacobians_and_products() -> None:
    f = rl.autograd.functional
    x, v = leaf(1.0, 2.0), rl.tensor([1.0, 10.0], dtype=F64)
    assert f.jacobian(lambda x: x * x, x).tolist() == [[2.0, 0.0], [0.0, 4.0]]
    assert not f.jacobian(lambda x: x * x, x).requires_grad
    assert f.jacobian(lambda x: x * x, x, create_graph=True).requires_grad
    a, b = f.jacobian(lambda x, y: x * y, (x, v))
    assert a.tolist() == [[1.0, 0.0], [0.0, 10.0]]
    assert b.tolist() == [[1.0, 0.0], [0.0, 2.0]]
    assert f.hessian(cubes, x).tolist() == [[6.0, 0.0], [0.0, 12.0]]
    for product in (f.hvp, f.vhp):
        value, found = product(cubes, x, v)
        assert value.item() == 9.0
        assert found.tolist() == [6.0, 120.0]
    assert f.vjp(cubes, x)[1].tolist() == f.jacobian(cubes, x).tolist()
    assert f.jvp(cubes, x, v)[1].item() == 123.0
    with pytest.raises(RuntimeError, match="v has the shapes"):
        f.hvp(cubes, x, rl.ones(3))


def test_a_gradient_penalty_trains() -> None:
    """WGAN-GP's penalty: the norm of a critic's gradient with respect to its input, differentiated with
    respect to the weights."""
    rl.manual_seed(0)
    critic = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.LayerNorm(16), nn.Linear(16, 1)).to(F64)
    x = rl.randn((8, 3), dtype=F64).requires_grad_()

    def penalty() -> rl.Tensor:
        (g,) = rl.autograd.grad(critic(x).sum(), x, create_graph=True)
        return (((g * g).sum(axis=1).sqrt() - 1.0) ** 2).mean()

    weight = critic[0].weight
    penalty().backward()
    found = weight.grad
    assert found is not None
    for i in (0, 17, 40):
        at, values = weight.detach().clone(), []
        for step in (1e-6, -1e-6):
            moved = np.array(at).reshape(-1)
            moved[i] += step
            weight.data = rl.asarray(moved).reshape(at.shape)
            values.append(penalty().item())
        weight.data = at
        assert abs((values[0] - values[1]) / 2e-6 - found.reshape((-1,))[i].item()) < 1e-7
    optimizer = rl.optim.Adam(critic.parameters(), lr=0.02)
    first = penalty().item()
    for _ in range(60):
        optimizer.zero_grad()
        penalty().backward()
        optimizer.step()
    assert penalty().item() < first / 10


def test_grid_sample_has_second_derivatives() -> None:
    rng = np.random.default_rng(3)
    image, grid = rng.normal(size=(1, 2, 4, 3)), rng.uniform(-0.8, 0.8, (1, 2, 3, 2))

    def penalty(x: rl.Tensor, at: rl.Tensor) -> rl.Tensor:
        out = rl.functional.grid_sample(x, at, "bicubic", align_corners=False)
        grads = rl.autograd.grad((out**3).sum(), [x, at], create_graph=True)
        return (grads[0] ** 2).sum() + (grads[1] ** 2).sum()

    leaves = [rl.asarray(v).requires_grad_() for v in (image, grid)]
    found = rl.autograd.grad(penalty(*leaves), leaves)
    for k, values in enumerate((image, grid)):
        for i in range(values.size):
            sides = []
            for by in (1e-6, -1e-6):
                moved = [image.copy(), grid.copy()]
                moved[k].flat[i] += by
                sides.append(float(penalty(*(rl.asarray(v).requires_grad_() for v in moved))))
            want = (sides[0] - sides[1]) / 2e-6
            assert float(found[k].reshape((-1,))[i]) == pytest.approx(want, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("log_target", [False, True])
def test_losses_that_are_linear_in_an_input_have_second_derivatives(log_target: bool) -> None:
    F = rl.nn.functional
    x = rl.tensor([0.3, -0.4, 0.9], dtype=rl.float64, requires_grad=True)
    y = rl.tensor([0.2, 0.3, 0.5], dtype=rl.float64, requires_grad=True)
    signs = rl.tensor([1.0, -1.0, 1.0], dtype=rl.float64)
    for f in (
        lambda x, y: F.kl_div(F.log_softmax(x, 0), y, reduction="sum", log_target=log_target),
        lambda x, y: F.hinge_embedding_loss(x * x, signs),
        lambda x, y: F.margin_ranking_loss(x * x, y * y, signs),
        lambda x, y: F.binary_cross_entropy(F.sigmoid(x), y),
        lambda x, y: F.binary_cross_entropy_with_logits(x * x, y * y),
        lambda x, y: F.poisson_nll_loss(x * x, y * y),
    ):
        assert rl.autograd.gradgradcheck(f, (x, y))
    # The first derivative does not depend on its input, so the second one is 0.
    (first,) = rl.autograd.grad(F.kl_div(x, y.detach(), reduction="sum"), x, create_graph=True)
    assert rl.autograd.grad(first.sum() + 0 * x.sum(), x)[0].tolist() == [0.0, 0.0, 0.0]


def test_a_loss_forgets_its_graph() -> None:
    class Kept(rl.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: rl.Tensor) -> rl.Tensor:
            ctx.held = Held()
            alive.append(weakref.ref(ctx.held))
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: rl.Tensor) -> rl.Tensor:
            return grad * 2

    class Held:
        pass

    alive: list[weakref.ref[Held]] = []
    x = rl.tensor([1.0, 2.0], requires_grad=True)
    total, history = rl.tensor(0.0), []
    for _ in range(3):
        loss = Kept.apply(x).sum()
        loss.backward()
        total = total + loss
        history.append(loss)
    gc.collect()
    assert [ref() for ref in alive] == [None] * 3
    assert x.grad.tolist() == [6.0, 6.0]
    assert total.item() == 18.0
    assert loss.requires_grad
    assert loss.grad_fn == "sum"
    for again in (loss.backward, total.backward, (loss * loss).backward):
        with pytest.raises(RuntimeError, match="freed by an earlier backward; call that one with"):
            again()
    loss = Kept.apply(x).sum()
    loss.retain_grad()
    loss.backward(retain_graph=True)
    loss.backward()
    assert x.grad.tolist() == [10.0, 10.0]
    assert loss.grad.item() == 2.0
    # A leaf has no graph to forget, and what other tensors need is kept.
    y = x * 3
    one, other = y.sum(), (y * y).sum()
    one.backward()
    other.backward()
    leaf = rl.tensor(1.0, requires_grad=True)
    leaf.backward()
    leaf.backward()
    assert leaf.grad.item() == 2.0
