"""The README's Python examples run, and the first learns."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "README.md"


def test_example(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", README.read_text(encoding="utf-8"), re.M | re.S)
    assert len(blocks) == 2
    exec(compile(blocks[0], str(README), "exec"), {})
    assert float(capsys.readouterr().out) < 0.1
    # The other is for AMD GPUs; it does nothing without one.
    exec(compile(blocks[1], str(README), "exec"), {})
