"""`rushlight parity` and `doctor` on an AMD GPU, real or virtual."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import rushlight as rl
from rushlight import _doctor, _native
from rushlight._parity import case
from rushlight._parity.command import main

pytestmark = pytest.mark.skipif(
    not rl.rocm.is_available(), reason="no AMD GPU here; make test runs these on the virtual one"
)
KERNELS = Path(__file__).parents[2] / "hip"
VIRTUAL = "RUSHLIGHT_VGPU_ARCH" in os.environ
FEW = "neg#1/f32 or exp#1/f32 or matmul#1/f32 or index_select#1/f32"


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


def test_a_wrong_kernel_is_reported_element_by_element(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    wrong_neg(tmp_path, monkeypatch)
    assert main(["--device", "rocm:0", "-k", "=neg#1/f32/contiguous"]) == 1
    said = capsys.readouterr().out
    assert "FAIL neg#1/f32/contiguous: 6 of 6 elements" in said
    assert said.count("output 0 at [") == 5
    assert f"RUSHLIGHT_KERNEL_SOURCES={tmp_path / 'hip'}" in said
    assert "-k '=neg#1/f32/contiguous'" in said


def wrong_neg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use kernel sources in which one kernel returns 1 - x in place of -x."""
    sources = tmp_path / "hip"
    shutil.copytree(KERNELS, sources)
    text = (sources / "unary.hip").read_text()
    assert "RL_EW1(neg, " in text
    (sources / "unary.hip").write_text(text.replace("RL_EW1(neg, ", "RL_EW1(neg, (A)1 + "))
    monkeypatch.setenv("RUSHLIGHT_KERNEL_SOURCES", str(sources))


def agrees(to: Path, *options: str) -> dict[str, Any]:
    """Run the cases and check that all agree: values, gradients and bad uses."""
    bad = [c.name for c in case.table(_native._Parity(0)) if c.run == "error" and c.dtype == "f32"]
    some = (
        next(n for n in bad if n.startswith("matmul")),
        next(n for n in bad if n.startswith("index_select")),
    )
    assert main(["-k", " or ".join([FEW, *some]), "--json", str(to), *options]) == 0
    done: dict[str, Any] = json.loads(to.read_text())
    assert done["totals"]["PASS"] == len(done["cases"]) > 50
    assert {cell[2] for cell in done["cells"]} == {"forward", "gradient", "error"}
    return done


def test_the_cpu_against_a_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    done = agrees(tmp_path / "r.json", "--against", "hip:0")
    p = rl.rocm.get_device_properties(0)
    assert (done["device"], done["reference"]["device"], done["reference"]["name"]) == (
        "cpu",
        "rocm:0",
        p["name"],
    )
    # A device with a wrong kernel differs from a right CPU.
    wrong_neg(tmp_path, monkeypatch)
    capsys.readouterr()
    assert main(["--against", "rocm:0", "-k", "=neg#1/f32/contiguous"]) == 1
    said = capsys.readouterr().out
    assert "FAIL neg#1/f32/contiguous: 6 of 6 elements" in said
    assert "this one is within its op's bound, that on rocm:0 is not" in said
    assert said.count("output 0 at [") == 5
    assert "--device cpu --against rocm:0 -k '=neg#1/f32/contiguous'" in said


@pytest.mark.skipif(not VIRTUAL, reason="needs two GPUs: the virtual one has as many as it is asked for")
def test_two_gpus_in_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    assert main(["--device", "rocm:0", "--against", "rocm:1", "-k", FEW]) == 2
    assert "--against rocm:1: rocm:1: " in capsys.readouterr().err
    monkeypatch.setenv("RUSHLIGHT_VGPU_DEVICES", "2")
    done = agrees(tmp_path / "r.json", "--device", "rocm:1", "--against", "rocm:0")
    assert (done["device"], done["reference"]["device"]) == ("rocm:1", "rocm:0")


CUDA = Path(os.environ.get("RUSHLIGHT_ROCM_PATH", "")).parent / "cuda"


@pytest.mark.skipif(
    not (VIRTUAL and CUDA.is_dir()), reason="needs GPUs of both vendors: make vgpu builds them"
)
def test_gpus_of_two_vendors_in_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The virtual NVIDIA GPU does not accept names of AMD targets.
    monkeypatch.delenv("RUSHLIGHT_VGPU_ARCH")
    monkeypatch.setenv("RUSHLIGHT_CUDA_PATH", str(CUDA))
    done = agrees(tmp_path / "r.json", "--device", "rocm:0", "--against", "cuda:0")
    assert (done["arch"], done["reference"]["arch"]) == ("gfx1100", "sm_80")


def test_the_doctor_finds_nothing_wrong(capsys: Any) -> None:
    assert _doctor.command(as_json=True, limit=120) in (0, 1)
    found = json.loads(capsys.readouterr().out)
    of_gpu = [f for f in found["findings"] if f["probe"] in ("device", "libraries")]
    assert not [f for f in of_gpu if f["level"] == "bad"], found
    said = "\n".join(f["text"] for f in of_gpu)
    assert "rocm:0: products of five dtypes are the CPU's" in said
    assert "copies of 1 B, 64 KiB + 1 and 8 MiB" in said
    assert "shuffles, atomics and the report of bad indices work" in said
    assert "rocm:0" in found["devices"]
