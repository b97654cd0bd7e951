"""The programs of examples/python run, and are as short as they promise."""

from __future__ import annotations

import ast
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

import rushlight as rl

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples" / "python").glob("*.py"))
NEEDS_GPU = {"own_kernel", "virtual_gpu"}
BUILT = ROOT / "target" / "vgpu" / "hip7"


def environment(name: str) -> dict[str, str]:
    """The environment of an example; the virtual GPU for one that needs a GPU, or a skip."""
    env = dict(os.environ)
    if name not in NEEDS_GPU or rl.rocm.is_available() or importlib.util.find_spec("rushlight_vgpu"):
        return env
    if not BUILT.is_dir():
        pytest.skip("no AMD GPU, no package rushlight-vgpu and no build of `make vgpu` here")
    env["RUSHLIGHT_ROCM_PATH"] = str(BUILT)
    return env


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(path: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(path)],
        cwd=tmp_path,
        env=environment(path.stem),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip(), "an example prints its result"
    assert list(tmp_path.iterdir()) == [], "an example leaves no files"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short_and_checks_itself(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert len(text.splitlines()) < 80
    assert (ast.get_docstring(tree) or "").split("\n")[0].endswith("."), "a header sentence"
    assert any(isinstance(node, ast.Assert) for node in ast.walk(tree)), "it asserts its result"


def test_examples_are_found() -> None:
    assert len(EXAMPLES) >= 6
    assert {path.stem for path in EXAMPLES} >= NEEDS_GPU
