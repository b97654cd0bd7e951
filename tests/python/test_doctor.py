"""`rushlight doctor` and `info`: drivers, libraries that hang or crash; and that they end."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from rushlight import _doctor


def call(*args: str, **env: str) -> tuple[int, Any, float]:
    """Call the command; returns its status, what it printed, and how long it took."""
    start = time.monotonic()
    command = [sys.executable, "-m", "rushlight.cli", *args]
    done = subprocess.run(
        command, env={**os.environ, **env}, capture_output=True, text=True, timeout=120, check=False
    )
    took = time.monotonic() - start
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, json.loads(done.stdout) if "--json" in args else done.stdout, took


def texts(found: Any, level: str) -> str:
    return "\n".join(f["text"] + " -> " + f.get("do", "") for f in found["findings"] if f["level"] == level)


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


NODE = "sys/class/kfd/kfd/topology/nodes/{}/properties"
GPU = "simd_count 192\nsimd_per_cu 2\nwave_front_size 32\ngfx_target_version {}\ndrm_render_minor 128\n"


def test_targets_of_kfd() -> None:
    named = {80003: "gfx803", 90010: "gfx90a", 90012: "gfx90c", 90402: "gfx942", 100306: "gfx1036"}
    named |= {110003: "gfx1103", 110501: "gfx1151", 120500: "gfx1250"}
    assert {v: _doctor.target(v) for v in named} == named


def test_no_gpu_is_no_fault(tmp_path: Path) -> None:
    status, found, took = call("doctor", "--json", "--limit", "30", RUSHLIGHT_DOCTOR_ROOT=str(tmp_path))
    assert "no AMD GPU" in texts(found, "note")
    assert took < 30
    assert status == (1 if texts(found, "bad") else 0)


def test_gpus_drivers_and_known_pairs(tmp_path: Path) -> None:
    root = write(
        tmp_path,
        {
            NODE.format(0): "simd_count 0\n",
            NODE.format(1): GPU.format(110501),
            "sys/module/amdgpu/version": "6.10.5",
            "opt/rocm-6.4.0/.info/version": "6.4.0-47",
            "dev/kfd": "",
        },
    )
    status, found, _ = call(
        "doctor",
        "--json",
        "--limit",
        "30",
        RUSHLIGHT_DOCTOR_ROOT=str(root),
        HSA_OVERRIDE_GFX_VERSION="11.0.0",
    )
    assert "gfx1151, 96 compute units, waves of 32" in texts(found, "ok")
    assert "driver amdgpu 6.10.5" in texts(found, "ok")
    notes = texts(found, "note")
    assert "gfx1151 with ROCm 6.4.0-47: memory access fault" in notes
    assert "HSA_OVERRIDE_GFX_VERSION=11.0.0, and the GPU is gfx1151" in notes
    # The render node is missing.
    assert "renderD128 does not exist" in texts(found, "bad")
    assert status == 1


def test_wsl(tmp_path: Path) -> None:
    root = write(tmp_path, {"dev/dxg": ""})
    _, found, _ = call("doctor", "--json", "--limit", "30", RUSHLIGHT_DOCTOR_ROOT=str(root))
    assert "librocdxg" in texts(found, "note")


def test_known_pairs_are_of_archs_and_versions() -> None:
    assert list(_doctor.known_bad("gfx1151", "6.4.0"))
    assert not list(_doctor.known_bad("gfx1151", "7.0.0"))
    for arch in ("gfx1031", "gfx1036"):
        assert list(_doctor.known_bad(arch, "6.0"))
    assert not list(_doctor.known_bad("gfx1030", "6.0"))


def library(folder: Path, code: str) -> Path:
    """A libamdhip64 that does something when it is loaded."""
    cc = shutil.which("cc")
    if cc is None:
        pytest.skip("no C compiler")
    source = folder / "fake.c"
    source.write_text(
        f"#include <stdlib.h>\n#include <unistd.h>\n__attribute__((constructor)) void f(void) {{ {code} }}"
    )
    subprocess.run([cc, "-shared", "-fPIC", "-o", str(folder / "libamdhip64.so"), str(source)], check=True)
    return folder


def test_a_library_that_hangs_is_a_finding(tmp_path: Path) -> None:
    folder = library(tmp_path, "sleep(1000);")
    status, found, took = call("doctor", "--json", "--limit", "6", RUSHLIGHT_ROCM_PATH=str(folder))
    assert status == 1
    assert "no answer: the probe was at: looking for libamdhip64" in texts(found, "bad")
    assert took < 25
    status, found, took = call("info", "--json", RUSHLIGHT_ROCM_PATH=str(folder))
    assert (status, found["devices"]) == (0, ["cpu"])
    assert took < 25


def test_a_library_that_crashes_is_a_finding(tmp_path: Path) -> None:
    folder = library(tmp_path, "abort();")
    status, found, _ = call("doctor", "--json", "--limit", "30", RUSHLIGHT_ROCM_PATH=str(folder))
    assert status == 1
    assert "the probe ended by SIGABRT; it was at: looking for libamdhip64" in texts(found, "bad")
    assert call("info", "--json", RUSHLIGHT_ROCM_PATH=str(folder))[0] == 0


def test_a_file_that_is_no_library_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "libamdhip64.so").write_text("no library")
    status, found, _ = call("doctor", "--json", "--limit", "30", RUSHLIGHT_ROCM_PATH=str(tmp_path))
    assert status == 1
    assert "no HIP" in texts(found, "bad")
    _, text, _ = call("info", RUSHLIGHT_ROCM_PATH=str(tmp_path))
    assert "devices" in text
