"""Saves a model to a safetensors file, loads it into another, and shows the error of a misfit."""

from __future__ import annotations

import tempfile
from pathlib import Path

import rushlight as rl
from rushlight import nn


def net(hidden: int = 8) -> nn.Sequential:
    """Make a small classifier."""
    return nn.Sequential(nn.Linear(4, hidden), nn.ReLU(), nn.Linear(hidden, 2))


def main() -> None:
    """Save, load, and compare the outputs bit by bit."""
    rl.manual_seed(0)
    model, x = net(), rl.randn(5, 4)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.safetensors"
        rl.save_file(model.state_dict(), path, metadata={"epoch": "3"})
        print(f"{path.name}: {path.stat().st_size} bytes")

        loaded = rl.load(path)
        for name, value in loaded.items():
            print(f"  {name:10} {value.dtype} {value.shape}")
        copy = net()
        copy.load_state_dict(loaded)
        assert bool((copy(x) == model(x)).all())

        try:
            net(hidden=16).load_state_dict(loaded)
        except ValueError as error:
            print(f"a model of another size: {str(error).splitlines()[1].strip()}")
        else:
            raise AssertionError("a misfit must raise")


if __name__ == "__main__":
    main()
