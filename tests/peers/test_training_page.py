"""Packages that people train with take our tensors: tqdm, scikit-learn, TensorBoard and matplotlib."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight as rl

PAGE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "training.md"
WHY = "is not installed: cargo xtask test-peers installs it"


def package(name: str) -> Any:
    return pytest.importorskip(name, reason=f"{name} {WHY}")


@pytest.mark.peer
def test_the_page_runs_and_its_events_are_read_back(tmp_path: Path) -> None:
    for name in ("tqdm", "sklearn", "matplotlib"):
        package(name)
    loader = package("tensorboard.backend.event_processing.event_file_loader")
    text = PAGE.read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", text, re.M | re.S))
    program = code + "\nprint('losses', *losses)\n"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    # The bar counts the batches of the loader.
    assert "/10" in done.stderr
    losses = [float(number) for number in done.stdout.split()[1:]]
    assert len(losses) == 80
    (file,) = (tmp_path / "runs").iterdir()
    events = [e for e in loader.EventFileLoader(str(file)).Load() if e.step]
    assert [e.step for e in events] == list(range(1, 81))
    found = [e.summary.value[0].tensor.float_val[0] for e in events]
    np.testing.assert_allclose(found, losses, rtol=1e-6)
    assert (tmp_path / "losses.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.peer
def test_metrics_of_tensors_are_those_of_arrays() -> None:
    metrics = package("sklearn.metrics")
    rng = np.random.default_rng(1)
    truth, found = rng.integers(0, 3, 200), rng.integers(0, 3, 200)
    scores = rng.dirichlet(np.ones(3), 200).astype(np.float32)
    pair = rl.asarray(truth), rl.asarray(found)
    assert metrics.accuracy_score(*pair) == np.mean(truth == found)
    table = np.zeros((3, 3), int)
    np.add.at(table, (truth, found), 1)
    np.testing.assert_array_equal(metrics.confusion_matrix(*pair), table)
    precision, recall = np.diag(table) / table.sum(0), np.diag(table) / table.sum(1)
    wanted = np.mean(2 * precision * recall / (precision + recall))
    assert metrics.f1_score(*pair, average="macro") == pytest.approx(wanted)
    # The area under the curve is the share of pairs in the right order.
    first = truth == 0
    right = np.mean(scores[first, 0][:, None] > scores[~first, 0][None])
    area = metrics.roc_auc_score(rl.asarray(first), rl.asarray(scores)[:, 0])
    assert area == pytest.approx(right, abs=1e-6)


@pytest.mark.peer
def test_a_plot_has_the_curves() -> None:
    package("matplotlib")
    losses = {"train": [rl.tensor(2.0), rl.tensor(1.0)], "test": np.array([3.0, 2.5])}
    (axes,) = rl.utils.plot_losses(losses, title="run", log=True).axes
    assert [line.get_ydata().tolist() for line in axes.lines] == [[2.0, 1.0], [3.0, 2.5]]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["train", "test"]
    assert (axes.get_title(), axes.get_yscale()) == ("run", "log")
    (axes,) = rl.utils.plot_losses([1, 2, 3]).axes
    assert axes.lines[0].get_xdata().tolist() == [1, 2, 3]
    assert axes.get_legend() is None
