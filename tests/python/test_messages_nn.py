"""Errors of layers, losses, initial values and optimizers name the function and the argument."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl
from rushlight import functional as F
from rushlight import nn, optim


def x(*shape: int, dtype: Any = None) -> rl.Tensor:
    return rl.ones(shape, dtype=dtype)


def classes(*of: int) -> rl.Tensor:
    return rl.tensor(of)


LOGS = F.log_softmax(rl.zeros((5, 2, 3)), 2)
FIVE, TWO = classes(5, 5), classes(2, 2)
BCE = F.binary_cross_entropy_with_logits
Case = tuple[str, Callable[[], Any], type[Exception], str]
CASES: list[Case] = [
    # Numbers
    ("normal_std", lambda: nn.init.normal_(x(3), std="a"), TypeError, "normal_: std is a number, got str"),  # type: ignore[arg-type]
    ("normal_negative", lambda: nn.init.normal_(x(3), std=-1), ValueError, "normal_: std -1 is negative"),
    ("uniform_a", lambda: nn.init.uniform_(x(3), a="a"), TypeError, "uniform_: a is a number, got str"),  # type: ignore[arg-type]
    ("uniform_bounds", lambda: nn.init.uniform_(x(3), 2, 1), ValueError, "uniform_: the bounds 2 and 1"),
    ("constant", lambda: nn.init.constant_(x(3), "a"), TypeError, "constant_: val is a number, got str"),  # type: ignore[arg-type]
    ("trunc", lambda: nn.init.trunc_normal_(x(3), std="a"), TypeError, "trunc_normal_: std is a number"),  # type: ignore[arg-type]
    ("xavier", lambda: nn.init.xavier_uniform_(x(3)), ValueError, "xavier_uniform_: a weight of rank 2"),
    ("xavier_normal", lambda: nn.init.xavier_normal_(x(3)), ValueError, "xavier_normal_: a weight of rank"),
    ("kaiming", lambda: nn.init.kaiming_normal_(x(3)), ValueError, "kaiming_normal_: a weight of rank 2"),
    ("dropout_p", lambda: F.dropout(x(3), "a"), TypeError, "dropout: p is a number, got str"),  # type: ignore[arg-type]
    ("dropout_input", lambda: F.dropout([1.0]), TypeError, "dropout: input is a Tensor, got list"),  # type: ignore[arg-type]
    ("normalize", lambda: F.normalize(x(2, 3), dim=7), IndexError, "normalize: axis 7"),
    (
        "clip_norm",
        lambda: nn.utils.clip_grad_norm_([x(2)], "a"),  # type: ignore[arg-type]
        TypeError,
        "clip_grad_norm_: max_norm is a number, got str 'a'",
    ),
    (
        "clip_value",
        lambda: nn.utils.clip_grad_value_([x(2)], "a"),  # type: ignore[arg-type]
        TypeError,
        "clip_grad_value_: clip_value is a number",
    ),
    # Losses
    ("bce_pos", lambda: BCE(x(4, 3), x(4, 3), pos_weight=x(4)), ValueError, r"logits: .*pos_weight \(4,\)"),
    ("bce_weight", lambda: BCE(x(4, 3), x(4, 3), x(4)), ValueError, r"logits: .* weight \(4,\) do not"),
    (
        "bce",
        lambda: F.binary_cross_entropy(x(4, 3), x(4, 3), x(4)),
        ValueError,
        r"binary_cross_entropy: the shapes of input \(4, 3\), weight \(4,\)",
    ),
    ("soft_margin", lambda: F.soft_margin_loss(x(3), x(4)), ValueError, "soft_margin_loss: .*target"),
    ("hinge", lambda: F.hinge_embedding_loss(x(3), x(4)), ValueError, "hinge_embedding_loss: .*target"),
    ("ranking", lambda: F.margin_ranking_loss(x(3), x(4), x(3)), ValueError, "margin_ranking_loss: .*input2"),
    (
        "cosine_target",
        lambda: F.cosine_embedding_loss(x(4, 3), x(4, 3), x(3)),
        ValueError,
        r"cosine_embedding_loss: target \(3,\) does not fit",
    ),
    (
        "cosine",
        lambda: F.cosine_embedding_loss(x(4, 3), x(4, 2), x(4)),
        ValueError,
        r"cosine_embedding_loss: the shapes of input1 \(4, 3\), input2 \(4, 2\)",
    ),
    (
        "triplet",
        lambda: F.triplet_margin_loss(x(4, 3), x(4, 2), x(4, 3)),
        ValueError,
        r"triplet_margin_loss: the shapes of anchor \(4, 3\), positive \(4, 2\), negative",
    ),
    (
        "contrastive",
        lambda: F.contrastive_loss(x(4, 3), x(4, 2), x(4)),
        ValueError,
        "contrastive_loss: .*input2",
    ),
    (
        "multi_margin",
        lambda: F.multi_margin_loss(x(1, 3), classes(3)),
        IndexError,
        "multi_margin_loss: .*3 classes",
    ),
    (
        "multilabel",
        lambda: F.multilabel_margin_loss(x(1, 3), rl.tensor([[7, -1, 0]])),
        IndexError,
        "multilabel_margin_loss: a target is not one of the 3 classes",
    ),
    (
        "ctc",
        lambda: F.ctc_loss(LOGS, rl.tensor([[1, 5], [1, 2]]), FIVE, TWO),
        IndexError,
        "ctc_loss: target 5 is not one of the 3 classes",
    ),
    # Windows
    ("fold_rows", lambda: F.fold(x(1, 5, 9), (4, 4), 2), ValueError, r"fold: the rows .*4 elements"),
    ("fold_columns", lambda: F.fold(x(1, 8, 7), (4, 4), 2), ValueError, r"fold: .* 9 windows .* 7 columns"),
    ("unfold", lambda: F.unfold(x(1, 2, 3, 3), 5), ValueError, r"unfold: a window of 5 .* into 3"),
    # Layers
    ("lstm", lambda: nn.LSTM(3, 4)(x(5, 2, 3, dtype=rl.int64)), TypeError, "LSTM: the input is int64"),
    (
        "lstm_cell",
        lambda: nn.LSTMCell(3, 4)(x(2, 3, dtype=rl.int64)),
        TypeError,
        "LSTMCell: the input is int64",
    ),
    ("upsample", lambda: nn.Upsample(scale_factor=2, mode="foo"), ValueError, "Upsample: mode 'foo'"),
    ("embedding_bag", lambda: nn.EmbeddingBag(3, 4, mode="prod"), ValueError, "EmbeddingBag: mode 'prod'"),
    ("pixel_shuffle", lambda: nn.PixelShuffle(0), ValueError, "PixelShuffle: upscale_factor 0 is below 1"),
    ("pixel_unshuffle", lambda: nn.PixelUnshuffle(0), ValueError, "PixelUnshuffle: downscale_factor 0"),
    ("channel_shuffle", lambda: nn.ChannelShuffle(0), ValueError, "ChannelShuffle: groups 0 is below 1"),
    # Optimizers
    (
        "adam_step",
        lambda: optim.Adam([x(2)]).step(3),
        TypeError,
        "Adam.step: closure is a function, got int 3",
    ),  # type: ignore[arg-type]
    ("adam_int", lambda: optim.Adam([x(2, dtype=rl.int64)]), TypeError, "Adam: a parameter has dtype int64"),
]


@pytest.mark.parametrize(("call", "error", "pattern"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_error_names_the_function(call: Callable[[], Any], error: type[Exception], pattern: str) -> None:
    with pytest.raises(error, match=pattern):
        call()


def test_weights_of_losses_still_broadcast() -> None:
    """As in PyTorch: a weight for each class, or one for all."""
    target = rl.tensor([[1.0, 0.0, 1.0]] * 4)
    for weight in (x(3), x(1), x(4, 1)):
        assert BCE(x(4, 3), target, pos_weight=weight).item() == BCE(x(4, 3), target).item()
        assert BCE(x(4, 3), target, weight).item() == BCE(x(4, 3), target).item()
    assert F.cosine_embedding_loss(x(3), x(3), rl.tensor(1.0)).item() == pytest.approx(0.0, abs=1e-6)
