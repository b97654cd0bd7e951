"""`rushlight doctor` with a virtual GPU that works, one that offers no device, and one without a compiler."""

from __future__ import annotations

from pathlib import Path

import pytest

import rushlight as rl
import test_doctor

pytestmark = pytest.mark.skipif(
    not (rl.rocm.is_available() and "virtual" in rl.rocm.device_name(0)),
    reason="no virtual AMD GPU here; make test runs these on it",
)


def test_a_virtual_gpu_is_not_advised_where_one_is_used(tmp_path: Path) -> None:
    env = {"RUSHLIGHT_DOCTOR_ROOT": str(tmp_path)}
    _, found, _ = test_doctor.call("doctor", "--json", "--limit", "60", **env)
    assert "kfd lists none -> \n" in test_doctor.texts(found, "note") + "\n"
    env["RUSHLIGHT_ROCM_PATH"] = str(tmp_path)
    _, found, _ = test_doctor.call("doctor", "--json", "--limit", "60", **env)
    assert "virtual_rocm gives a virtual AMD GPU" in test_doctor.texts(found, "note")


def test_the_reason_why_hip_finds_no_device_is_reported() -> None:
    env = {"RUSHLIGHT_VGPU_ARCH": "gfx9999"}
    status, found, _ = test_doctor.call("doctor", "--json", "--limit", "60", **env)
    assert status == 1
    words = "HIP finds no device: rocm:0: there is no ROCm device 0: HIP sees 0 devices; "
    assert words + "RUSHLIGHT_VGPU_ARCH=gfx9999: expected gfx1100, " in test_doctor.texts(found, "bad")


def test_a_missing_compiler_is_reported_once_with_what_to_install(tmp_path: Path) -> None:
    env = {"RUSHLIGHT_CACHE_DIR": str(tmp_path), "PATH": "/nowhere"}
    env["RUSHLIGHT_VGPU_PYTHON"] = "/nowhere/python"
    status, found, _ = test_doctor.call("doctor", "--json", "--limit", "60", **env)
    assert status == 1
    assert test_doctor.texts(found, "bad").count("which is missing: install clang-19") == 1
    assert " (6)\nerror: the virtual GPU compiles kernels with clang, which is missing" in test_doctor.texts(
        found, "bad"
    )
