"""All optimizers: convergence, NumPy's numbers for what PyTorch lacks, subclasses, hooks, saving."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import optimizers
import rushlight as rl
from rushlight import Tensor, optim

NUMBERED = [pytest.param(k, kw, id=f"{k.__name__}-{i}") for i, (k, kw) in enumerate(optimizers.ELEMENTWISE)]
RATES = {
    optim.SGD: 0.05,
    optim.Adadelta: 50.0,
    optim.Adagrad: 0.5,
    optim.LARS: 5.0,
    optim.Rprop: 0.01,
    optim.ASGD: 0.05,
    optim.RAdam: 0.2,
    optim.Adafactor: 0.1,
}


def test_every_optimizer_is_covered() -> None:
    kinds = {getattr(optim, name) for name in optim.__all__ if name[0].isupper()}
    covered = {kind for kind, _ in optimizers.ELEMENTWISE}
    assert kinds - covered == {optim.Optimizer, optim.LBFGS, optim.Muon}


def problem() -> tuple[Tensor, Tensor, rl.nn.Linear]:
    rng = np.random.default_rng(3)
    x = rng.standard_normal((64, 5))
    target = x @ rng.standard_normal((5, 2)) + rng.standard_normal(2)
    layer = rl.nn.Linear(5, 2).to(rl.float64)
    layer.load_state_dict({"weight": rl.asarray(rng.standard_normal((2, 5))), "bias": rl.asarray(np.ones(2))})
    return rl.asarray(x), rl.asarray(target), layer


@pytest.mark.parametrize("kind", dict.fromkeys(kind for kind, _ in optimizers.ELEMENTWISE))
def test_a_regression_converges(kind: Any) -> None:
    x, target, layer = problem()
    kwargs = {"trust_coefficient": 0.01} if kind is optim.LARS else {}
    optimizer = kind(layer.parameters(), lr=RATES.get(kind, 0.05), **kwargs)
    schedule = optim.lr_scheduler.PolynomialLR(optimizer, total_iters=400)
    losses = []
    for _ in range(400):
        optimizer.zero_grad()
        loss = ((layer(x) - target) ** 2).mean()
        loss.backward()
        losses.append(float(loss))
        optimizer.step()
        schedule.step()
    assert losses[0] > 1
    assert losses[-1] < 1e-2 * losses[0]


def test_muon_and_lbfgs_converge() -> None:
    x, target, layer = problem()
    mixed = [optim.Muon([layer.weight], lr=0.1, weight_decay=0.0), optim.SGD([layer.bias], lr=0.1)]
    schedules = [optim.lr_scheduler.PolynomialLR(o, total_iters=200) for o in mixed]
    for _ in range(200):
        loss = ((layer(x) - target) ** 2).mean()
        for o in mixed:
            o.zero_grad()
        loss.backward()
        for o in (*mixed, *schedules):
            o.step()
    assert float(loss) < 1e-2
    _, _, layer = problem()
    quasi = optim.LBFGS(layer.parameters(), line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        quasi.zero_grad()
        loss = ((layer(x) - target) ** 2).mean()
        loss.backward()
        return loss

    for _ in range(3):
        quasi.step(closure)
    assert float(closure()) < 1e-9


def lion(p: Any, g: Any, s: dict[str, Any], lr: float, weight_decay: float) -> Any:
    m = s.get("m", 0.0)
    s["m"] = 0.99 * m + 0.01 * g
    return p * (1 - lr * weight_decay) - lr * np.sign(0.9 * m + 0.1 * g)


@pytest.mark.parametrize("weight_decay", [0.0, 0.1])
def test_lion_takes_the_steps_of_numpy(weight_decay: float) -> None:
    """PyTorch has no Lion. (LARS and LAMB: test_optim_layerwise.py.)"""
    rng = np.random.default_rng(4)
    want = rng.standard_normal((3, 4))
    param = rl.asarray(want.copy()).requires_grad_()
    optimizer = optim.Lion([param], lr=0.1, weight_decay=weight_decay)
    state: dict[str, Any] = {}
    for _ in range(20):
        grad = rng.standard_normal((3, 4))
        want = lion(want, grad, state, 0.1, weight_decay)
        param.grad = rl.asarray(grad)
        optimizer.step()
        np.testing.assert_allclose(param.detach().numpy(), want, rtol=1e-12, atol=1e-13)


class Momentum(optim.Optimizer):
    """An optimizer as it is written for PyTorch."""

    def __init__(self, params: Any, lr: float = 0.1, momentum: float = 0.9) -> None:
        super().__init__(params, {"lr": lr, "momentum": momentum})

    def step(self, closure: Any = None) -> Any:
        loss = None
        if closure is not None:
            with rl.enable_grad():
                loss = closure()
        with rl.no_grad():
            for group in self.param_groups:
                for p in group["params"]:
                    if p.grad is None:
                        continue
                    state = self.state[p]
                    if len(state) == 0:
                        state["step"] = 0
                        state["buf"] = rl.zeros_like(p)
                        state["rows"] = rl.zeros(p.shape[0])
                    state["step"] += 1
                    state["buf"] *= group["momentum"]
                    state["buf"] += p.grad
                    p -= state["buf"] * group["lr"]
        return loss


def test_a_custom_optimizer_works_like_sgd() -> None:
    start = np.random.default_rng(1).standard_normal((3, 2))
    ours, theirs = (rl.asarray(start.copy()).requires_grad_() for _ in range(2))
    pair: list[tuple[Tensor, Any]] = [
        (ours, Momentum([ours])),
        (theirs, optim.SGD([theirs], lr=0.1, momentum=0.9)),
    ]
    schedules = [optim.lr_scheduler.StepLR(optimizer, 3, 0.5) for _, optimizer in pair]
    for step in range(8):
        for (p, optimizer), schedule in zip(pair, schedules, strict=True):

            def closure(p: Tensor = p, optimizer: Any = optimizer) -> Tensor:
                optimizer.zero_grad()
                loss = (p**2).sum()
                loss.backward()
                return loss

            before = float((p**2).sum())
            assert float(optimizer.step(closure)) == pytest.approx(before)
            schedule.step()
        if step == 4:
            pair[0][1].state["calls"] = {"count": 5}
            saved = pair[0][1].state_dict()
            assert saved["state"][0]["step"] == 5
            again = Momentum([ours], lr=7.0)
            again.load_state_dict(saved)
            assert again.state[ours]["rows"].shape == (3,)
            assert again.state["calls"] == {"count": 5}
            pair[0] = (ours, again)
            schedules[0] = optim.lr_scheduler.StepLR(again, 3, 0.5)
            schedules[0].load_state_dict(schedules[1].state_dict())
    np.testing.assert_allclose(ours.detach().numpy(), theirs.detach().numpy(), rtol=1e-12)
    assert not np.allclose(ours.detach().numpy(), start)


@pytest.mark.parametrize(("kind", "kwargs"), NUMBERED)
def test_state_is_by_parameter_and_survives_copies(kind: Any, kwargs: dict[str, Any]) -> None:
    """After `pickle`, `copy.deepcopy` or `state_dict`, also in float16, the next steps have the same bits."""
    for dtype in (rl.float64, rl.float16):
        rng = np.random.default_rng(2)
        param = rl.astype(rl.asarray(rng.standard_normal((3, 2))), dtype).requires_grad_()
        other = rl.zeros(2, requires_grad=True)
        optimizer = kind([other, param], **kwargs)
        grads = [rl.astype(rl.asarray(rng.standard_normal((3, 2))), dtype) for _ in range(4)]
        for grad in grads[:2]:
            param.grad = grad
            optimizer.step()
        assert list(optimizer.state) in ([param], []) or kwargs == {"lr": 0.1}
        assert other not in optimizer.state
        copies = [copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer))]
        loaded = copy.deepcopy(param.detach()).requires_grad_()
        copies.append(kind([rl.zeros(2, requires_grad=True), loaded], lr=9.0))
        copies[2].load_state_dict(optimizer.state_dict())
        every = [optimizer, *copies]
        for grad in grads[2:]:
            for one in every:
                one.param_groups[0]["params"][1].grad = grad
                one.step()
        found = [one.param_groups[0]["params"][1].detach() for one in every]
        assert all(bool(rl.all(value == found[0])) for value in found[1:])
        assert found[0].dtype == dtype
        assert all(v.dtype == dtype for v in optimizer.state[param].values() if isinstance(v, Tensor))


@pytest.mark.parametrize(("kind", "kwargs"), NUMBERED)
def test_wrong_settings_are_refused(kind: Any, kwargs: dict[str, Any]) -> None:
    p = rl.zeros(2, requires_grad=True)
    name = kind.__name__
    for bad in ({"lr": -1.0}, {"lr": float("nan")}):
        with pytest.raises((ValueError, TypeError), match=name):
            kind([{"params": [p], **bad}])
    for key in ("capturable", "differentiable"):
        if key in kind([p]).defaults:
            with pytest.raises(ValueError, match=rf"{name}: {key}=True is not supported"):
                kind([p], **{key: True})
            kind([p], foreach=True)


def test_particular_settings_are_refused() -> None:
    p = rl.zeros(2, requires_grad=True)
    for bad in (
        lambda: optim.Rprop([p], etas=(1.5, 2.0)),
        lambda: optim.Adadelta([p], rho=1.5),
        lambda: optim.Muon([p]),
        lambda: optim.Muon([rl.zeros((2, 2), requires_grad=True)], adjust_lr_fn="x"),
        lambda: optim.Adafactor([p], d=0.5),
        lambda: optim.LARS([p], momentum=0.0, nesterov=True),
        lambda: optim.LBFGS([p], line_search_fn="x"),
        lambda: optim.LBFGS([{"params": [p]}, {"params": [rl.zeros(1, requires_grad=True)]}]),
    ):
        with pytest.raises(ValueError, match=r"^\w+: "):
            bad()
    with pytest.raises(TypeError, match="closure"):
        optim.LBFGS([p]).step()


def test_hooks_are_called_once_in_order_and_may_change_things() -> None:
    p = rl.ones(1, requires_grad=True)
    p.grad = rl.ones(1)
    seen: list[str] = []
    for optimizer in (optim.SGD([p], lr=0.1), Momentum([p])):
        seen.clear()
        first = optimizer.register_step_pre_hook(lambda o, args, kwargs: seen.append("pre"))
        optimizer.register_step_post_hook(lambda o, args, kwargs: seen.append("post"))
        optimizer.step()
        first.remove()
        first.remove()
        optimizer.step()
        assert seen == ["pre", "post", "post"]
        optimizer.register_state_dict_pre_hook(lambda o: seen.append("save"))
        optimizer.register_state_dict_post_hook(lambda o, saved: {**saved, "more": 5})
        optimizer.register_state_dict_post_hook(lambda o, saved: seen.append("first"), prepend=True)
        assert optimizer.state_dict()["more"] == 5
        optimizer.register_load_state_dict_pre_hook(
            lambda o, saved: {k: v for k, v in saved.items() if k != "more"}
        )
        optimizer.register_load_state_dict_post_hook(lambda o: seen.append("loaded"))
        optimizer.load_state_dict(optimizer.state_dict())
        assert seen[3:] == ["save", "first", "save", "first", "loaded"]
    changing = Momentum([p])
    changing.register_step_pre_hook(lambda o, args, kwargs: ((lambda: 3.5,), {}))
    assert changing.step() == 3.5
    changing.register_step_pre_hook(lambda o, args, kwargs: 1)
    with pytest.raises(TypeError, match="pre hook"):
        changing.step()
    with pytest.raises(TypeError, match="function"):
        changing.register_step_pre_hook(3)  # type: ignore[arg-type]


def test_names_of_parameters_and_keys_of_schedules_are_kept() -> None:
    layer = rl.nn.Linear(2, 1)
    optimizer = optim.SGD(layer.named_parameters(), lr=0.5)
    assert optimizer.param_groups[0]["param_names"] == ["weight", "bias"]
    optim.lr_scheduler.OneCycleLR(optimizer, 1.0, total_steps=5, cycle_momentum=False)
    plain = optim.SGD(layer.parameters())
    plain.load_state_dict(optimizer.state_dict())
    assert plain.param_groups[0]["initial_lr"] == pytest.approx(0.04)


def test_a_state_of_pytorch_loads() -> None:
    """PyTorch counts steps in tensors and has more settings in its groups."""
    p = rl.ones(2, requires_grad=True)
    optimizer = optim.Adam([p])
    state = {"step": rl.tensor(3000.0), "exp_avg": rl.ones(2), "exp_avg_sq": rl.ones(2)}
    group = {**optimizer.state_dict()["param_groups"][0], "lr": 0.5, "params": [0]}
    optimizer.load_state_dict({"state": {0: state}, "param_groups": [group]})
    assert optimizer.state[p]["step"] == 3000
    p.grad = rl.ones(2)
    optimizer.step()
    assert optimizer.state[p]["step"] == 3001


@pytest.mark.parametrize("use_buffers", [False, True])
@pytest.mark.parametrize("decay", [None, 0.75])
def test_averages_of_weights(decay: float | None, use_buffers: bool) -> None:
    model = rl.nn.Linear(2, 1)
    model.register_buffer("seen", rl.zeros(1))
    model.register_buffer("count", rl.tensor([0]))
    function = None if decay is None else optim.swa_utils.get_ema_avg_fn(decay)
    average = optim.swa_utils.AveragedModel(model, avg_fn=function, use_buffers=use_buffers)
    assert average.module.weight is not model.weight
    values = np.random.default_rng(0).standard_normal((4, 2)).astype(np.float32)
    want: Any = None
    for count, value in enumerate(values):
        with rl.no_grad():
            model.weight.copy_(rl.asarray(value.reshape(1, 2)))
            model.seen.copy_(rl.asarray(value[:1]))
            model.count.copy_(rl.tensor([count]))
        average.update_parameters(model)
        if want is None:
            want = value
        elif decay is None:
            want = values[: count + 1].mean(0)
        else:
            want = decay * want + (1 - decay) * value
    np.testing.assert_allclose(average.module.weight.detach().numpy()[0], want, rtol=1e-5)
    np.testing.assert_allclose(
        average.module.seen.numpy(), want[:1] if use_buffers else values[-1, :1], rtol=1e-5
    )
    assert average.module.count.tolist() == [3]
    assert average.n_averaged.item() == 4
    assert average(rl.ones((1, 2))).shape == (1, 1)
    assert sorted(average.state_dict()) == [
        "module.bias", "module.count", "module.seen", "module.weight", "n_averaged"
    ]  # fmt: skip
    with pytest.raises(ValueError, match="decay"):
        optim.swa_utils.get_ema_avg_fn(1.5)
    with pytest.raises(ValueError, match="anneal_strategy"):
        optim.swa_utils.SWALR(optim.SGD(model.parameters()), 0.1, anneal_strategy="x")


def test_asgd_averages_from_a_step_on() -> None:
    """`ax` is the parameter until step t0 + 2, then the mean of those since."""
    rng = np.random.default_rng(6)
    param = rl.asarray(rng.standard_normal(3)).requires_grad_()
    optimizer = optim.ASGD([param], lr=0.1, t0=2)
    seen: list[Any] = []
    for step in range(1, 9):
        param.grad = rl.asarray(rng.standard_normal(3))
        optimizer.step()
        seen.append(param.detach().numpy().copy())
        # The weight 1 / (step - t0) takes effect one step later.
        want = seen[-1] if step <= 4 else np.mean(seen[3:], axis=0)
        np.testing.assert_allclose(optimizer.state[param]["ax"].numpy(), want, rtol=1e-12)
