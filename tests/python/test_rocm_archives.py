"""Archives of compiled kernels: a first step that compiles nothing, and archives that are not used."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path

import pytest

import rushlight as rl

ROOT = Path(__file__).resolve().parents[2]
ARCHIVES = ROOT / "target" / "kernel-archives" / "test"
VIRTUAL = rl.rocm.is_available() and "virtual" in rl.rocm.device_name(0)
pytestmark = [
    pytest.mark.skipif(not VIRTUAL, reason="needs the virtual AMD GPU; make test runs these on it"),
    pytest.mark.skipif(
        not ARCHIVES.is_dir(), reason="no archives here; cargo xtask python-test packs them before"
    ),
]
# (Kernels of the MLP in float32 are what the archives of the tests have.)
STEP = f"""
import hashlib, sys
sys.path.insert(0, {str(ROOT / "examples")!r})
import mnist
import rushlight as rl
from rushlight import optim
from rushlight.data import Split
rl.manual_seed(0)
batch = Split(rl.rand(4, 784).to("rocm:0"), rl.tensor([3, 1, 4, 1]).to("rocm:0"))
model = mnist.mlp().to("rocm:0")
optimizer = optim.AdamW(model.parameters(), lr=1e-3)
losses = [mnist.train_step(model, optimizer, batch) for _ in range(2)]
bits = [t.detach().cpu().numpy().tobytes() for t in [*losses, *model.parameters()]]
print(hashlib.sha256(b"".join(bits)).hexdigest(), rl.rocm.memory_stats()["compiles"])
"""
ADD = """
import rushlight as rl
x = rl.tensor([1.0, 2.0]).to("rocm:0")
print((x + x).tolist() == [2.0, 4.0], rl.rocm.memory_stats()["compiles"])
"""


def run(code: str, arch: str, **env: str) -> tuple[list[str], str]:
    """Run code on machine code of a target. Return the words that it prints, and its notes."""
    engine = {
        "RUSHLIGHT_VGPU_ENGINE": "isa",
        "RUSHLIGHT_VGPU_ARCH": arch,
        "RUSHLIGHT_BLAS": "native",
    }
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, **engine, **env},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split(), done.stderr


@pytest.mark.parametrize("arch", ["gfx1100", "gfx90a"])
def test_a_first_step_compiles_nothing_and_has_the_same_bits(arch: str, tmp_path: Path) -> None:
    empty = str(tmp_path)
    (bits, compiles), notes = run(
        STEP, arch, RUSHLIGHT_CACHE_DIR=empty, RUSHLIGHT_KERNEL_ARCHIVES=str(ARCHIVES)
    )
    assert (compiles, notes) == ("0", "")
    assert list(tmp_path.iterdir()) == [], "nothing was compiled, so nothing is kept"
    # The kernels that are compiled here are kept for other tests, in their folder.
    (want, _), _ = run(STEP, arch, RUSHLIGHT_KERNEL_ARCHIVES="")
    assert bits == want


def damaged(kind: str, folder: Path) -> None:
    """Write an archive for gfx1100 that cannot be used."""
    whole = (ARCHIVES / "gfx1100.zip").read_bytes()
    file = folder / "gfx1100.zip"
    if kind == "truncated":
        file.write_bytes(whole[: len(whole) // 2])
    elif kind == "other target":
        shutil.copy(ARCHIVES / "gfx90a.zip", file)
    else:
        # A valid archive whose code is not that of the list.
        with zipfile.ZipFile(ARCHIVES / "gfx1100.zip") as old, zipfile.ZipFile(file, "w") as new:
            for name in old.namelist():
                new.writestr(name, old.read("move.lzma" if name == "binary.lzma" else name))


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("truncated", "it is not a complete ZIP file"),
        ("other target", "its code is for gfx90a, not for gfx1100"),
        ("other code", "binary.lzma is damaged"),
    ],
)
def test_an_archive_that_cannot_be_used_is_one_note(kind: str, why: str, tmp_path: Path) -> None:
    damaged(kind, tmp_path)
    (right, compiles), notes = run(
        ADD, "gfx1100", RUSHLIGHT_CACHE_DIR="", RUSHLIGHT_KERNEL_ARCHIVES=str(tmp_path)
    )
    assert right == "True"
    assert int(compiles) >= 1
    path = tmp_path / "gfx1100.zip"
    told = [line for line in notes.splitlines() if "compiled kernels" in line]
    assert told == [f"rushlight: no compiled kernels are taken from {path}: {why}. They are compiled instead"]


def test_a_folder_that_does_not_exist_is_one_note(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    (right, _), notes = run(ADD, "gfx1100", RUSHLIGHT_CACHE_DIR="", RUSHLIGHT_KERNEL_ARCHIVES=str(missing))
    assert right == "True"
    assert [line for line in notes.splitlines() if "missing" in line] == [
        f"rushlight: no compiled kernels are taken from {missing}: RUSHLIGHT_KERNEL_ARCHIVES names it, and "
        "there is no such folder. They are compiled instead"
    ]


def test_the_wheel_is_found(tmp_path: Path) -> None:
    script = ROOT / "crates/xtask/rushlight-kernels/build_kernels_wheel.py"
    built = subprocess.run(
        [sys.executable, script, ARCHIVES, tmp_path], capture_output=True, text=True, check=True
    )
    site = tmp_path / "site"
    with zipfile.ZipFile(built.stdout.strip()) as wheel:
        wheel.extractall(site)
        listed = wheel.read(next(n for n in wheel.namelist() if n.endswith("RECORD"))).decode()
    assert {line.split(",")[0] for line in listed.splitlines()} >= {
        "rushlight_kernels/__init__.py",
        "rushlight_kernels/gfx1100.zip",
        "rushlight_kernels/gfx90a.zip",
    }
    path = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])
    env = {"PYTHONPATH": path, "RUSHLIGHT_CACHE_DIR": str(tmp_path / "cache")}
    assert run(ADD, "gfx1100", **env) == (["True", "0"], "")
    command = [sys.executable, "-m", "rushlight.cli", "info", "--json"]
    done = subprocess.run(command, env={**os.environ, **env}, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)["kernel_archives"]
    assert [text.split(":")[0] for text in found] == ["gfx1100", "gfx90a"]
    assert all(str(site) in text and f"version {rl.__version__}" in text for text in found)
    # The setting replaces the package.
    none = {**os.environ, **env, "RUSHLIGHT_KERNEL_ARCHIVES": ""}
    done = subprocess.run(command, env=none, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["kernel_archives"] == []
