"""Recurrent layers beyond PyTorch's golden answers: settings, errors, dropout, dtypes, ConvLSTM."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from compare import to_np
from rushlight import nn


def draw(*shape: int, seed: int = 0) -> rl.Tensor:
    return rl.asarray(np.random.default_rng(seed).normal(size=shape))


def test_state_has_pytorchs_keys_in_order() -> None:
    layer = nn.LSTM(3, 4, num_layers=2, bidirectional=True, proj_size=2)
    kinds = ["weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr"]
    suffixes = ["_l0", "_l0_reverse", "_l1", "_l1_reverse"]
    assert list(layer.state_dict()) == [kind + suffix for suffix in suffixes for kind in kinds]
    assert layer.weight_ih_l1_reverse.shape == (16, 4)
    assert layer.weight_hr_l0.shape == (2, 4)
    assert [len(row) for row in layer.all_weights] == [5] * 4
    assert list(nn.GRU(3, 4, bias=False).state_dict()) == ["weight_ih_l0", "weight_hh_l0"]
    assert list(nn.GRUCell(3, 4).state_dict()) == ["weight_ih", "weight_hh", "bias_ih", "bias_hh"]


@pytest.mark.parametrize("make", [nn.RNN, nn.LSTM, nn.GRU, nn.RNNCell, nn.LSTMCell, nn.GRUCell])
def test_first_values_are_uniform_by_the_hidden_size(make: Any) -> None:
    rl.manual_seed(5)
    values = np.concatenate([to_np(p.detach()).ravel() for p in make(30, 25).parameters()])
    assert np.abs(values).max() <= 0.2
    assert values.std() == pytest.approx(0.2 / np.sqrt(3), rel=0.06)
    assert abs(values.mean()) < 0.01


def test_settings_are_shown_and_survive_pickle() -> None:
    layer = nn.GRU(3, 4, num_layers=2, batch_first=True, dropout=0.5)
    assert repr(layer) == "GRU(3, 4, num_layers=2, batch_first=True, dropout=0.5)"
    layer.eval()
    again, x = pickle.loads(pickle.dumps(layer)), rl.ones((2, 5, 3))
    np.testing.assert_array_equal(to_np(again(x)[0].detach()), to_np(layer(x)[0].detach()))
    assert repr(nn.LSTM(3, 4, proj_size=2)) == "LSTM(3, 4, proj_size=2)"
    assert repr(nn.RNNCell(3, 4, bias=False)) == "RNNCell(3, 4, bias=False)"
    layer.flatten_parameters()


def test_dropout_acts_between_layers_in_training_only() -> None:
    layer, x = nn.LSTM(3, 64, num_layers=2, dropout=0.5), draw(4, 2, 3).astype(rl.float32)
    first, second = to_np(layer(x)[0].detach()), to_np(layer(x)[0].detach())
    assert not np.array_equal(first, second)
    layer.eval()
    first, second = to_np(layer(x)[0].detach()), to_np(layer(x)[0].detach())
    np.testing.assert_array_equal(first, second)
    with pytest.warns(UserWarning, match="num_layers is 1"):
        nn.GRU(3, 4, dropout=0.5)
    # With p = 1 all elements are dropped, so the second layer gets zeros.
    layer = nn.RNN(3, 4, num_layers=2, dropout=1.0)
    out = layer(x)[0]
    zeros = nn.RNN(4, 4)
    zeros.load_state_dict({key[:-1] + "0": v for key, v in layer.state_dict().items() if key.endswith("1")})
    np.testing.assert_allclose(to_np(out.detach()), to_np(zeros(rl.zeros((4, 2, 4)))[0].detach()), rtol=1e-6)


def test_a_layer_is_its_cell_step_by_step() -> None:
    x = draw(6, 2, 3)
    for kind in ("RNN", "LSTM", "GRU"):
        layer = getattr(nn, kind)(3, 4, dtype=rl.float64)
        cell = getattr(nn, f"{kind}Cell")(3, 4, dtype=rl.float64)
        cell.load_state_dict({key.removesuffix("_l0"): value for key, value in layer.state_dict().items()})
        state, outputs = None, []
        for step in x:
            state = cell(step, state)
            outputs.append(state[0] if kind == "LSTM" else state)
        y, last = layer(x)
        np.testing.assert_allclose(to_np(y.detach()), to_np(rl.stack(outputs).detach()), rtol=1e-14)
        y.sum().backward()
        rl.stack(outputs).sum().backward()
        for key, value in cell.named_parameters():
            other = getattr(layer, f"{key}_l0")
            assert value.grad is not None
            assert other.grad is not None
            np.testing.assert_allclose(to_np(value.grad), to_np(other.grad), rtol=1e-10, atol=1e-13)
        h = last[0] if kind == "LSTM" else last
        np.testing.assert_array_equal(to_np(h[0].detach()), to_np(y[-1].detach()))


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_half_precision_follows_float32(name: str) -> None:
    dtype = getattr(rl, name)
    layer = nn.LSTM(3, 4, bidirectional=True)
    x = draw(5, 2, 3).astype(rl.float32)
    want = to_np(layer(x)[0].detach())
    out, (_, c) = layer.to(dtype=dtype)(x.astype(dtype))
    assert out.dtype == c.dtype == dtype
    np.testing.assert_allclose(to_np(out.detach()), want, atol=0.02)


def test_sequences_that_do_not_fit_are_errors() -> None:
    layer, x = nn.LSTM(3, 4), rl.ones((5, 2, 3))
    for bad in (rl.ones((5, 2, 4)), rl.ones(3), rl.ones((0, 2, 3))):
        with pytest.raises(ValueError, match="LSTM: "):
            layer(bad)
    state = rl.zeros((1, 2, 4))
    with pytest.raises(ValueError, match="expected 2 first states, got 1"):
        layer(x, state)
    with pytest.raises(ValueError, match="first state has shape"):
        layer(x, (state, rl.zeros((1, 3, 4))))
    with pytest.raises(ValueError, match="a state has shape"):
        nn.GRUCell(3, 4)(rl.ones((2, 3)), rl.zeros((2, 3)))
    with pytest.raises(ValueError, match="GRUCell: the input has shape"):
        nn.GRUCell(3, 4)(rl.ones((2, 4)))
    for make in (
        lambda: nn.RNN(3, 4, nonlinearity="gelu"),
        lambda: nn.RNNBase("MGU", 3, 4),
        lambda: nn.RNNBase("GRU", 3, 4, proj_size=2),
        lambda: nn.LSTM(3, 4, proj_size=4),
        lambda: nn.LSTM(3, 0),
        lambda: nn.LSTM(3, 4, num_layers=0),
        lambda: nn.LSTM(3, 4, dropout=1.5),
        lambda: nn.ConvLSTM(1, 2, 4),
    ):
        with pytest.raises(ValueError, match=r"RNN|LSTM"):
            make()


def reference_conv_lstm(layer: nn.ConvLSTM, x: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
    """The formula with NumPy: all steps' hidden states, and the last cell state."""
    weights = {key: to_np(value.detach()) for key, value in layer.named_parameters()}

    def conv(image: np.ndarray[Any, Any], w: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        kh, kw = w.shape[2:]
        padded = np.pad(image, ((0, 0), (0, 0), (kh // 2,) * 2, (kw // 2,) * 2))
        windows = np.lib.stride_tricks.sliding_window_view(padded, (kh, kw), axis=(2, 3))
        return np.einsum("nchwij,ocij->nohw", windows, w)

    def sigmoid(v: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.asarray(1 / (1 + np.exp(-v)))

    h = c = np.zeros((x.shape[1], layer.hidden_channels, *x.shape[3:]))
    found = []
    for step in x:
        gates = conv(step, weights["weight_ih"]) + conv(h, weights["weight_hh"])
        i, f, g, o = np.split(gates + weights["bias"][:, None, None], 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        found.append(h)
    return [np.stack(found), c]


def test_conv_lstm_is_its_formula() -> None:
    layer = nn.ConvLSTM(2, 3, (3, 5), dtype=rl.float64)
    x = draw(4, 2, 2, 5, 6).requires_grad_()
    out, (h, c) = layer(x)
    want, cell = reference_conv_lstm(layer, to_np(x.detach()))
    np.testing.assert_allclose(to_np(out.detach()), want, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(to_np(c.detach()), cell, rtol=1e-11, atol=1e-13)
    np.testing.assert_array_equal(to_np(h.detach()), to_np(out[-1].detach()))
    weight = draw(*out.shape, seed=1)
    (out * weight).sum().backward()
    # The derivative along one direction, by finite differences.
    way, base = draw(*x.shape, seed=2), to_np(x.detach())
    assert x.grad is not None
    got = float((x.grad * way).sum())
    values = [
        float((reference_conv_lstm(layer, base + step * to_np(way))[0] * to_np(weight)).sum())
        for step in (1e-6, -1e-6)
    ]
    assert got == pytest.approx((values[0] - values[1]) / 2e-6, rel=1e-6)
    first = nn.ConvLSTM(2, 3, (3, 5), batch_first=True, dtype=rl.float64)
    first.load_state_dict(layer.state_dict())
    swapped, (h2, _) = first(rl.swapaxes(x.detach(), 0, 1), (rl.zeros_like(h), rl.zeros_like(c)))
    np.testing.assert_array_equal(to_np(rl.swapaxes(swapped, 0, 1).detach()), to_np(out.detach()))
    np.testing.assert_array_equal(to_np(h2.detach()), to_np(h.detach()))
