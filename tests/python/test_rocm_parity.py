"""`rushlight parity` and `doctor` on an AMD GPU, real or virtual."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import rushlight as rl
from rushlight import _doctor
from rushlight._parity.command import main

pytestmark = pytest.mark.skipif(
    not rl.rocm.is_available(), reason="no AMD GPU here; make test runs these on the virtual one"
)
KERNELS = Path(__file__).parents[2] / "hip"


def test_a_gpu_passes_and_says_what_it_is(tmp_path: Path) -> None:
    to = tmp_path / "r.json"
    assert (
        main(
            ["--device", "rocm:0", "-k", "neg#1/f32 or matmul#1/f32 or index_select#1/f32", "--json", str(to)]
        )
        == 0
    )
    done = json.loads(to.read_text())
    p = rl.rocm.get_device_properties(0)
    assert (done["name"], done["arch"], done["wave"]) == (p["name"], p["arch"], p["wave_size"])
    assert done["evidence"] == ("host" if "virtual" in p["name"] else "hardware")
    assert done["library"]
    assert done["totals"]["PASS"] == len(done["cases"]) > 50


def test_a_wrong_kernel_is_told_element_by_element(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    sources = tmp_path / "hip"
    shutil.copytree(KERNELS, sources)
    text = (sources / "unary.hip").read_text()
    assert "neg(v)" in text or "-v" in text
    (sources / "unary.hip").write_text(text.replace("RL_EW1(neg, ", "RL_EW1(neg, (A)1 + "))
    monkeypatch.setenv("RUSHLIGHT_KERNEL_SOURCES", str(sources))
    assert main(["--device", "rocm:0", "-k", "=neg#1/f32/contiguous"]) == 1
    said = capsys.readouterr().out
    assert "FAIL neg#1/f32/contiguous: 6 of 6 elements" in said
    assert said.count("output 0 at [") == 5
    assert f"RUSHLIGHT_KERNEL_SOURCES={sources}" in said
    assert "-k '=neg#1/f32/contiguous'" in said


def test_the_doctor_finds_nothing_wrong(capsys: Any) -> None:
    assert _doctor.command(as_json=True, limit=120) in (0, 1)
    found = json.loads(capsys.readouterr().out)
    of_gpu = [f for f in found["findings"] if f["probe"] in ("device", "libraries")]
    assert not [f for f in of_gpu if f["level"] == "bad"], found
    said = "\n".join(f["text"] for f in of_gpu)
    assert "rocm:0: products of five dtypes are the CPU's" in said
    assert "copies of 1 B, 64 KiB + 1 and 8 MiB" in said
    assert "shuffles, atomics and the word that tells bad indexes work" in said
    assert "rocm:0" in found["devices"]
