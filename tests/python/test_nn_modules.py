"""Hooks, containers, look-ups and state of modules: as PyTorch's."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from compare import to_np
from rushlight import nn


class Scale(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.factor = nn.Parameter(rl.full((), 2.0))

    def forward(self, x: rl.Tensor, *, shift: float = 0.0) -> rl.Tensor:
        return x * self.factor + shift


def value(x: Any) -> float:
    return float(x.detach())


def test_forward_hooks_change_the_result_in_order() -> None:
    layer, seen = Scale(), []

    def after(name: str, add: float) -> Any:
        def hook(module: nn.Module, args: tuple[Any, ...], output: rl.Tensor) -> rl.Tensor | None:
            assert module is layer
            seen.append((name, value(args[0]), value(output)))
            return output + add if add else None

        return hook

    first = layer.register_forward_hook(after("a", 1.0))
    layer.register_forward_hook(after("b", 0.0))
    layer.register_forward_hook(after("c", 10.0), prepend=True)
    assert value(layer(rl.tensor(3.0))) == 17.0
    assert seen == [("c", 3.0, 6.0), ("a", 3.0, 16.0), ("b", 3.0, 17.0)]
    first.remove()
    first.remove()
    assert value(layer(rl.tensor(3.0))) == 16.0


def test_forward_pre_hooks_change_the_arguments() -> None:
    layer = Scale()
    with layer.register_forward_pre_hook(lambda module, args: args[0] + 1):
        assert value(layer(rl.tensor(3.0))) == 8.0
    assert value(layer(rl.tensor(3.0))) == 6.0

    def both(module: nn.Module, args: Any, kwargs: dict[str, Any]) -> Any:
        return args, {"shift": kwargs["shift"] * 2}

    layer.register_forward_pre_hook(both, with_kwargs=True)
    assert value(layer(rl.tensor(3.0), shift=5.0)) == 16.0
    layer.register_forward_hook(lambda m, args, kwargs, out: out + kwargs["shift"], with_kwargs=True)
    assert value(layer(rl.tensor(3.0), shift=5.0)) == 26.0
    layer.register_forward_pre_hook(lambda m, args, kwargs: 3, with_kwargs=True)
    with pytest.raises(RuntimeError, match="tuple"):
        layer(rl.tensor(3.0), shift=5.0)


def test_a_hook_is_called_after_an_error_when_it_asks_for_it() -> None:
    layer, seen = Scale(), []
    layer.register_forward_hook(lambda m, args, out: seen.append(("always", out)), always_call=True)
    layer.register_forward_hook(lambda m, args, out: seen.append(("only after success", out)))
    with pytest.raises(TypeError):
        layer(rl.tensor(1.0), wrong=3)
    assert seen == [("always", None)]


def test_hooks_are_copied_and_gradients_pass() -> None:
    layer = Scale()
    layer.register_forward_hook(lambda m, args, out: out * 3)
    x = rl.tensor(5.0, requires_grad=True)
    layer(x).backward()
    assert value(x.grad) == 6.0
    twin = copy.deepcopy(layer)
    assert value(twin(rl.tensor(1.0))) == 6.0
    assert isinstance(pickle.loads(pickle.dumps(Scale())), Scale)


def test_lists_behave_as_lists() -> None:
    a, b, c, d = (nn.Linear(1, 1) for _ in range(4))
    layers = nn.ModuleList([a, b])
    layers.insert(1, c).append(d)
    assert list(layers) == [a, c, b, d]
    assert list(layers._modules) == ["0", "1", "2", "3"]
    layers.insert(-1, nn.Identity())
    assert [type(m).__name__ for m in layers] == ["Linear", "Linear", "Linear", "Identity", "Linear"]
    assert layers.pop(-2).__class__ is nn.Identity
    assert layers.pop(0) is a
    del layers[0:2]
    assert list(layers) == [d]
    assert list(layers.state_dict()) == ["0.weight", "0.bias"]
    layers += [a]
    assert list(layers + nn.ModuleList([b])) == [d, a, b]
    assert list(reversed(layers)) == [a, d]
    assert b not in layers
    assert isinstance(layers[:1], nn.ModuleList)
    assert layers[np.int64(1)] is a
    with pytest.raises(IndexError, match="position"):
        layers.insert(5, a)
    with pytest.raises(TypeError, match="not a Module"):
        layers.append(3)  # type: ignore[arg-type]


def test_a_module_twice_in_a_sequential_runs_twice() -> None:
    layer = Scale()
    net = nn.Sequential(layer, layer)
    assert value(net(rl.tensor(1.0))) == 4.0
    assert list(net.state_dict()) == ["0.factor", "1.factor"]
    assert [name for name, _ in net.named_children()] == ["0"]
    assert [name for name, _ in net.named_parameters()] == ["0.factor"]
    assert [n for n, _ in net.named_parameters(remove_duplicate=False)] == ["0.factor", "1.factor"]
    assert [n for n, _ in net.named_modules(remove_duplicate=False)] == ["", "0", "1"]
    assert isinstance((net + nn.Sequential(nn.ReLU()))[2], nn.ReLU)


def test_sequential_by_name() -> None:
    net = nn.Sequential({"a": nn.Linear(2, 3), "b": nn.ReLU(), "c": nn.Linear(3, 1)})
    assert list(net[1:]._modules) == ["b", "c"]
    net[0] = nn.Identity()
    assert list(net._modules) == ["a", "b", "c"]
    # As in PyTorch, removing renumbers.
    assert isinstance(net.pop(1), nn.ReLU)
    assert list(net._modules) == ["0", "1"]


def test_module_dict() -> None:
    heads = nn.ModuleDict({"a": nn.Linear(2, 3)})
    heads["b"] = nn.ReLU()
    heads.update(nn.ModuleDict([("c", nn.Tanh())]))
    assert list(heads) == list(heads.keys()) == ["a", "b", "c"]
    assert "b" in heads
    assert len(heads) == 3
    assert list(heads.state_dict()) == ["a.weight", "a.bias"]
    heads["b"] = nn.Tanh()
    assert isinstance(heads.pop("b"), nn.Tanh)
    assert [key for key, _ in heads.items()] == ["a", "c"]
    with pytest.raises(KeyError, match="keys"):
        heads["keys"] = nn.ReLU()
    with pytest.raises(TypeError, match="not a Module"):
        heads["d"] = 3  # type: ignore[assignment]
    heads.clear()
    assert len(heads) == 0


def test_parameter_containers() -> None:
    weights = nn.ParameterList([rl.ones(2), nn.Parameter(rl.zeros(3), requires_grad=False), "text"])
    assert isinstance(weights[0], nn.Parameter)
    assert not weights[1].requires_grad
    assert weights[2] == "text"
    assert list(weights.state_dict()) == ["0", "1"]
    weights[0] = rl.full(2, 5.0)
    weights += [rl.ones(1)]
    assert len(weights) == 4
    assert len(list(weights.parameters())) == 3
    assert len(weights[1:3]) == 2
    assert "(0): Parameter containing: [float32 of shape (2,) (cpu)]" in repr(weights)
    twin = copy.deepcopy(weights)
    assert len(twin) == 4
    assert twin[0].tolist() == [5.0, 5.0]
    with pytest.raises(IndexError):
        weights[4]
    named = nn.ParameterDict({"a": rl.ones(2)})
    named["b"] = rl.zeros(1)
    named |= nn.ParameterDict({"c": rl.ones(1)})
    assert list(named.state_dict()) == ["a", "b", "c"]
    assert list(reversed(named)) == ["c", "b", "a"]
    assert (named | nn.ParameterDict({"d": rl.ones(1)}))["a"] is named["a"]
    del named["a"]
    assert next(named.parameters()) is named["b"]
    with pytest.raises(KeyError):
        named["a"]


def test_buffers_by_assignment() -> None:
    module = nn.Module()
    module.kept = nn.Buffer(rl.ones(2))
    module.cache = nn.Buffer(rl.ones(2), persistent=False)
    assert list(module.state_dict()) == ["kept"]
    assert [name for name, _ in module.named_buffers()] == ["kept", "cache"]
    twin = copy.deepcopy(module)
    assert list(twin.state_dict()) == ["kept"]
    assert isinstance(pickle.loads(pickle.dumps(nn.Buffer([1.0], persistent=False))), nn.Buffer)


def test_looking_up() -> None:
    net = nn.Sequential({"body": nn.Sequential(nn.Linear(2, 3))})
    assert net.get_submodule("") is net
    assert net.get_submodule("body.0") is net.body[0]
    assert net.get_parameter("body.0.bias") is net.body[0].bias
    for call, name in ((net.get_submodule, "body.1"), (net.get_parameter, "body.0.mean")):
        with pytest.raises(AttributeError, match=name.rsplit(".", 1)[1]):
            call(name)
    with pytest.raises(AttributeError, match="no buffer"):
        net.get_buffer("body.0.weight")
    net.set_submodule("body.0", nn.Identity())
    assert isinstance(net.body[0], nn.Identity)
    with pytest.raises(AttributeError):
        net.set_submodule("body.3", nn.Identity(), strict=True)


def test_state_dict_arguments() -> None:
    net = nn.Linear(2, 1)
    into: dict[str, rl.Tensor] = {"x": rl.ones(1)}
    assert net.state_dict(destination=into, prefix="head.") is into
    assert list(into) == ["x", "head.weight", "head.bias"]
    assert net.state_dict(keep_vars=True)["weight"] is net.weight
    assert net.state_dict()["weight"] is not net.weight
    # The error is caught as PyTorch's is.
    with pytest.raises(RuntimeError, match="missing keys: bias"):
        net.load_state_dict({"weight": rl.ones((1, 2))})


def test_load_state_dict_assign_takes_the_tensors() -> None:
    net = nn.Sequential(nn.Linear(2, 1))
    net[0].bias.requires_grad_(False)
    old = net[0].weight
    given = {"0.weight": rl.ones((1, 2), dtype=rl.float64), "0.bias": nn.Parameter(rl.ones(1))}
    net.load_state_dict(given, assign=True)
    assert net[0].weight is not old
    assert net[0].weight.dtype == rl.float64
    assert net[0].bias is given["0.bias"]
    assert isinstance(net[0].weight, nn.Parameter)
    with rl.no_grad():
        given["0.weight"].fill_(7.0)
    assert net[0].weight.tolist() == [[7.0, 7.0]]


def test_hooks_of_the_state() -> None:
    net = nn.Sequential(nn.Linear(2, 1), nn.Sequential(nn.Linear(1, 1, bias=False)))
    calls: list[Any] = []
    for name, module in (("net", net), ("0", net[0]), ("1", net[1]), ("1.0", net[1][0])):
        module.register_state_dict_pre_hook(lambda m, prefix, keep, n=name: calls.append((n, prefix, keep)))
        module.register_load_state_dict_pre_hook(lambda m, state, *given, n=name: calls.append((n, *given)))
        module.register_load_state_dict_post_hook(lambda m, keys, n=name: calls.append((n, m, keys)))
    state = net.state_dict(keep_vars=True)
    assert calls == [("net", "", True), ("0", "0.", True), ("1", "1.", True), ("1.0", "1.0.", True)]
    calls.clear()
    result = net.load_state_dict(state)
    order = ["net", "0", "1", "1.0", "0", "1.0", "1", "net"]
    assert [call[0] for call in calls] == order
    assert calls[3] == ("1.0", "1.0.", {}, True, [], [], [])
    assert calls[4] == ("0", net[0], result)
    assert copy.deepcopy(net).load_state_dict(state) == result
    assert len(calls) == 16


def test_hooks_change_the_state() -> None:
    layer = nn.Linear(2, 1)

    def add(module: nn.Module, state: dict[str, Any], prefix: str, more: dict[str, Any]) -> None:
        state[prefix + "extra"] = rl.ones(1)

    with layer.register_state_dict_post_hook(add):
        state = nn.Sequential(layer).state_dict()
    assert list(state) == ["0.weight", "0.bias", "0.extra"]
    assert list(layer.state_dict()) == ["weight", "bias"]
    with layer.register_state_dict_post_hook(lambda *given: 1), pytest.raises(RuntimeError, match="None"):
        layer.state_dict()

    def renamed(module: nn.Module, state: dict[str, Any], prefix: str, *more: Any) -> None:
        state[prefix + "bias"] = state.pop(prefix + "offset")

    old = {"weight": rl.ones((1, 2)), "offset": rl.ones(1)}
    with layer.register_load_state_dict_pre_hook(renamed):
        layer.load_state_dict(old)
    assert list(old) == ["weight", "offset"]
    assert layer.bias.tolist() == [1.0]
    with (
        layer.register_load_state_dict_pre_hook(lambda *given: given[-1].append("too old")),
        pytest.raises(RuntimeError, match="too old"),
    ):
        layer.load_state_dict(layer.state_dict())
    # The values are loaded when this hook is called; the error comes after it.
    seen = []
    with layer.register_load_state_dict_post_hook(lambda m, keys: seen.append(m.weight.tolist())):
        with pytest.raises(RuntimeError, match="missing keys: bias"):
            layer.load_state_dict({"weight": rl.zeros((1, 2))})
        assert layer.load_state_dict({"weight": rl.ones((1, 2))}, strict=False).missing_keys == ["bias"]
    assert seen == [[[0.0, 0.0]], [[1.0, 1.0]]]
    with layer.register_load_state_dict_post_hook(lambda m, keys: keys.missing_keys.clear()):
        layer.load_state_dict({"weight": rl.zeros((1, 2))})


def test_compile_changes_nothing() -> None:
    layer = nn.Linear(2, 1)
    x = rl.ones((1, 2))
    before = layer(x).tolist()
    assert layer.compile(fullgraph=True, backend="eager") is None
    assert layer(x).tolist() == before


def test_to_takes_a_tensor_and_non_blocking() -> None:
    net = nn.Linear(2, 1)
    assert net.to(rl.ones(1, dtype=rl.float64)).weight.dtype == rl.float64
    assert net.to("cpu", rl.float32, True).weight.dtype == rl.float32
    assert net.to("cpu", non_blocking=True) is net
    assert net.type("float64").weight.dtype == rl.float64
    assert net.to_empty(device="cpu").weight.shape == (1, 2)


def test_parameter_without_data_is_empty() -> None:
    assert nn.Parameter().shape == (0,)
    assert to_np(nn.Parameter([1.0, 2.0])).tolist() == [1.0, 2.0]


def test_repr_shows_settings_that_differ_from_the_default() -> None:
    assert repr(nn.Dropout(0.5, inplace=True)) == "Dropout(p=0.5, inplace=True)"
    assert repr(nn.ReLU(inplace=True)) == "ReLU(inplace=True)"
    assert repr(nn.LeakyReLU(inplace=True)) == "LeakyReLU(negative_slope=0.01, inplace=True)"
    assert (
        repr(nn.Embedding(3, 4, padding_idx=0, max_norm=1.0))
        == "Embedding(3, 4, padding_idx=0, max_norm=1.0)"
    )


def test_repr_indents_the_values_of_parameter_containers() -> None:
    module = nn.Module()
    module.p = nn.ParameterList([rl.ones(2), rl.ones((2, 3))])
    module.d = nn.ParameterDict({"b": 3})
    assert repr(module) == (
        "Module(\n"
        "  (p): ParameterList(\n"
        "    (0): Parameter containing: [float32 of shape (2,) (cpu)]\n"
        "    (1): Parameter containing: [float32 of shape (2, 3) (cpu)]\n"
        "  )\n"
        "  (d): ParameterDict(\n"
        "    (b): Object of type: int\n"
        "  )\n"
        ")"
    )
    assert repr(nn.ParameterList()) == "ParameterList()"


def test_repr_folds_equal_modules_of_a_list() -> None:
    """A ModuleList alone, as in PyTorch."""
    block = lambda: nn.Sequential(nn.Linear(1, 1), nn.ReLU(), nn.ReLU())  # noqa: E731
    inner = "Sequential(\n    (0): Linear(1, 1, bias=True)\n    (1): ReLU()\n    (2): ReLU()\n  )"
    assert repr(nn.ModuleList([block(), block(), nn.Tanh()])) == (
        f"ModuleList(\n  (0-1): 2 x {inner}\n  (2): Tanh()\n)"
    )


def test_repr_of_a_deep_model() -> None:
    model: nn.Module = nn.ReLU()
    for _ in range(1200):
        model = nn.Sequential(model)
    assert repr(model).count("Sequential") == 1200
    shared = nn.Tanh()
    assert repr(nn.Sequential(shared, nn.Sequential(shared))).count("Tanh()") == 2

    class Shown(nn.Module):
        def __repr__(self) -> str:
            return f"<{super().__repr__()}>"

    assert repr(nn.Sequential(Shown())) == "Sequential(\n  (0): <Shown()>\n)"
