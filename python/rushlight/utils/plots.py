"""Pictures of a training run."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

__all__ = ["plot_losses"]

Numbers = Iterable[Any]


def plot_losses(
    losses: Numbers | Mapping[str, Numbers],
    file: str | PathLike[str] | None = None,
    *,
    title: str = "",
    log: bool = False,
) -> Any:
    """Draws losses over steps with matplotlib, the optional package of ``rushlight[plot]``.

    Parameters
    ----------
    losses
        The loss of each step: numbers, or tensors of one element. A mapping has several curves by name.
    file
        Where the picture is written; its ending names the format, such as ``.png`` or ``.svg``. By default
        none is written.
    title
        The picture's title.
    log
        Whether the axis of the losses is logarithmic.

    Returns
    -------
    matplotlib.figure.Figure
        The picture; a notebook shows it.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    ValueError
        If there is no curve, or a curve has no element.

    Examples
    --------
    >>> import rushlight as rl
    >>> from importlib.util import find_spec
    >>> if find_spec("matplotlib"):
    ...     figure = rl.utils.plot_losses({"train": [0.9, 0.5, 0.3]})
    """
    curves = dict(losses) if isinstance(losses, Mapping) else {"": losses}
    points = {name: [float(value) for value in values] for name, values in curves.items()}
    if not points or not all(points.values()):
        raise ValueError("plot_losses: expected at least one loss for each curve")
    try:
        figures = importlib.import_module("matplotlib.figure")
    except ImportError as err:
        raise ImportError(
            "plot_losses: matplotlib is not installed; pip install 'rushlight[plot]' installs it"
        ) from err
    # A figure without pyplot, so that no window opens and nothing is kept.
    figure = figures.Figure(figsize=(6, 4), layout="constrained")
    axes = figure.add_subplot(xlabel="step", ylabel="loss", title=title, yscale="log" if log else "linear")
    for name, values in points.items():
        axes.plot(range(1, len(values) + 1), values, label=name or None)
    if any(points):
        axes.legend()
    if file is not None:
        figure.savefig(file)
    return figure
