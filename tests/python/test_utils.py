"""rl.utils without the packages that it uses."""

from __future__ import annotations

import sys

import pytest

import rushlight as rl


def test_a_plot_without_matplotlib_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"plot_losses: matplotlib is not installed.*rushlight\[plot\]"):
        rl.utils.plot_losses([1.0])


@pytest.mark.parametrize("empty", [[], {}, {"train": [1.0], "test": []}])
def test_a_plot_needs_losses(empty: object) -> None:
    with pytest.raises(ValueError, match="at least one loss"):
        rl.utils.plot_losses(empty)  # type: ignore[arg-type]


def test_a_loader_tells_its_length_as_progress_bars_ask() -> None:
    loader = rl.data.DataLoader(rl.data.TensorDataset(rl.ones((7, 1))), batch_size=2)
    assert len(loader) == 4
    assert len(list(zip(loader, range(9), strict=False))) == 4
