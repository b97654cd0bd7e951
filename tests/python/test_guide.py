"""The Python code of the README and of the guide runs: a page's blocks in order, as one program."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "guide").glob("*.md"))]
BLOCK = re.compile(r"(?:^<!-- needs (\w+) -->\n)?^```python\n(.*?)^```", re.M | re.S)


def blocks(page: Path) -> list[tuple[str, str]]:
    """Return the module that a block needs, or "", and its code."""
    return BLOCK.findall(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p)], ids=lambda page: page.name)
def test_code_of_a_page_runs(page: Path, tmp_path: Path) -> None:
    found = blocks(page)
    for needed in sorted({needed for needed, _ in found if needed}):
        if importlib.util.find_spec(needed) is None:
            pytest.skip(f"{page.name} needs the package {needed}, which is not installed")
    program = "\n".join(code for _, code in found)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, f"{page.name}:\n{done.stderr}"


def test_first_example_of_the_readme_learns(capsys: pytest.CaptureFixture[str]) -> None:
    code = blocks(ROOT / "README.md")[0][1]
    exec(compile(code, "README.md", "exec"), {})
    assert float(capsys.readouterr().out) < 0.1


def test_pages_are_found() -> None:
    assert len([p for p in PAGES if blocks(p)]) >= 9
