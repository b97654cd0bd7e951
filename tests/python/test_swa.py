"""Averages of weights: lists, and statistics of batch normalization computed anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as rl
from compare import to_np
from rushlight import nn
from rushlight.optim import swa_utils


@pytest.mark.parametrize(
    ("single", "several"),
    [
        (swa_utils.get_swa_avg_fn(), swa_utils.get_swa_multi_avg_fn()),
        (swa_utils.get_ema_avg_fn(0.75), swa_utils.get_ema_multi_avg_fn(0.75)),
    ],
)
def test_averages_of_lists_are_those_of_tensors(single: Any, several: Any) -> None:
    model = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2))
    one = swa_utils.AveragedModel(model, avg_fn=single, use_buffers=True)
    many = swa_utils.AveragedModel(model, multi_avg_fn=several, use_buffers=True)
    for _ in range(3):
        model(rl.randn((8, 3)))
        with rl.no_grad():
            for p in model.parameters():
                p.add_(rl.randn(p.shape))
        one.update_parameters(model)
        many.update_parameters(model)
    assert int(many.n_averaged) == 3
    for key, value in one.state_dict().items():
        np.testing.assert_array_equal(to_np(many.state_dict()[key]), to_np(value), err_msg=key)
    with pytest.raises(ValueError, match="one of avg_fn and multi_avg_fn"):
        swa_utils.AveragedModel(model, avg_fn=single, multi_avg_fn=several)


def test_statistics_are_means_over_all_batches() -> None:
    model = nn.Sequential(nn.BatchNorm1d(3, momentum=0.5), nn.Dropout(0.9), nn.BatchNorm1d(3, affine=False))
    model[2].eval()
    model.eval()
    rng = np.random.default_rng(1)
    data = [rng.normal(2, 3, size=(n, 3)).astype(np.float32) for n in (4, 9)]
    swa_utils.update_bn([(rl.asarray(x), "label") for x in data], model, device="cpu")
    np.testing.assert_allclose(to_np(model[0].running_mean), np.mean([x.mean(0) for x in data], 0), rtol=1e-5)
    wanted = np.mean([x.var(0, ddof=1) for x in data], 0)
    np.testing.assert_allclose(to_np(model[0].running_var), wanted, rtol=1e-5)
    assert model[0].momentum == 0.5
    assert int(model[0].num_batches_tracked) == 2
    assert not model.training
    plain = nn.Linear(2, 2).eval()
    swa_utils.update_bn(iter([]), plain)
    assert not plain.training
