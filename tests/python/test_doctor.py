"""`rushlight doctor` and `info`: drivers, libraries that hang or crash, and the time limit of checks."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
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


def test_a_machine_without_gpu_is_not_a_fault(tmp_path: Path) -> None:
    status, found, took = call("doctor", "--json", "--limit", "30", RUSHLIGHT_DOCTOR_ROOT=str(tmp_path))
    assert "no AMD GPU" in texts(found, "note")
    assert took < 30
    assert status == (1 if texts(found, "bad") else 3 if texts(found, "late") else 0)


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


@pytest.mark.parametrize(("mark", "kind"), [(".dockerenv", "docker"), ("run/.containerenv", "podman")])
def test_a_container_without_the_device(mark: str, kind: str, tmp_path: Path) -> None:
    root = write(tmp_path, {NODE.format(1): GPU.format(110000), mark: "", "sys/module/amdgpu/x": ""})
    status, found, _ = call("doctor", "--json", "--limit", "30", RUSHLIGHT_DOCTOR_ROOT=str(root))
    assert f"this is a container ({kind})" in texts(found, "note")
    bad = texts(found, "bad")
    assert f"dev/kfd does not exist in this container ({kind})" in bad
    assert "--device=/dev/kfd --device=/dev/dri" in bad
    assert "modprobe" not in bad
    assert status == 1


@pytest.mark.parametrize(
    ("number", "known", "inside", "words"),
    [
        (
            errno.EACCES,
            True,
            False,
            "belongs to group render (109) -> join its group: sudo usermod -aG render $USER",
        ),
        (errno.EACCES, False, True, "belongs to group 109 -> start the container with --group-add 109"),
        (errno.EPERM, True, True, "the device cgroup forbids it -> start it with --device=/dev/kfd"),
        (errno.EPERM, True, False, "the device cgroup forbids it -> ask the administrator"),
        (errno.ENOENT, True, False, "does not exist -> load the driver: modprobe amdgpu"),
    ],
)
def test_a_device_that_is_not_yours(
    number: int,
    known: bool,
    inside: bool,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Any,
) -> None:
    monkeypatch.setenv("RUSHLIGHT_DOCTOR_ROOT", str(write(tmp_path, {".dockerenv": ""} if inside else {})))
    device = tmp_path / "kfd"
    device.touch()

    def refuse(*_: Any) -> int:
        raise OSError(number, os.strerror(number))

    def group(gid: int) -> Any:
        if not known:
            raise KeyError(gid)
        return SimpleNamespace(gr_name="render")

    # `open` is replaced, because the tests may run as root; the device's group number need not exist.
    monkeypatch.setattr(_doctor.os, "open", refuse)
    monkeypatch.setattr(_doctor.grp, "getgrgid", group)
    stat = Path.stat

    def owned(self: Path, **keywords: Any) -> Any:
        return SimpleNamespace(st_gid=109) if self == device else stat(self, **keywords)

    monkeypatch.setattr(Path, "stat", owned)
    _doctor._openable(device)
    found = json.loads(capsys.readouterr().out)
    assert found["level"] == "bad"
    assert words in f"{found['text']} -> {found['do']}"


def test_a_hidden_gpu_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    root = write(tmp_path, {NODE.format(1): GPU.format(110000), NODE.format(2): GPU.format(90010)})
    monkeypatch.setenv("RUSHLIGHT_DOCTOR_ROOT", str(root))
    read = Path.read_text

    def refuse(self: Path, *args: Any, **keywords: Any) -> str:
        if self == root / NODE.format(1):
            raise PermissionError(errno.EPERM, "not permitted")
        return read(self, *args, **keywords)

    monkeypatch.setattr(Path, "read_text", refuse)
    assert [p["arch"] for p in _doctor._nodes()] == ["gfx90a"]
    assert "kfd's node 1 is hidden from this process (device cgroup)" in capsys.readouterr().out


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
    """Build a libamdhip64 whose constructor runs some C code."""
    cc = shutil.which("cc")
    if cc is None:
        pytest.skip("no C compiler")
    source = folder / "fake.c"
    source.write_text(
        f"#include <stdlib.h>\n#include <unistd.h>\n__attribute__((constructor)) void f(void) {{ {code} }}"
    )
    subprocess.run([cc, "-shared", "-fPIC", "-o", str(folder / "libamdhip64.so"), str(source)], check=True)
    return folder


def test_a_probe_that_does_not_end_is_late(tmp_path: Path) -> None:
    """A library that hangs cannot be distinguished from a slow machine, so it is reported as late and not as
    broken."""
    folder = library(tmp_path, "sleep(1000);")
    status, found, took = call("doctor", "--json", "--limit", "6", RUSHLIGHT_ROCM_PATH=str(folder))
    assert status == 3
    late = texts(found, "late")
    words = (
        "the probe of libraries did not end in 6 s; it was at: looking for libamdhip64 -> give it longer: "
    )
    assert (
        words + "`rushlight doctor --limit 60`; if it is still there then, a library or driver hangs" in late
    )
    assert not texts(found, "bad")
    assert took < 25
    status, text, took = call("doctor", RUSHLIGHT_ROCM_PATH=str(folder))
    assert status == 3
    assert "LATE  the probe of libraries did not end in 2 s" in text
    assert "BAD" not in text
    assert "nothing was found wrong; " in text.splitlines()[-1]
    assert took < 20, "the default's promise is 2 s, and what a machine under load takes beside"
    status, found, took = call("info", "--json", RUSHLIGHT_ROCM_PATH=str(folder))
    assert (status, found["devices"]) == (0, ["cpu"])
    assert took < 25


def test_a_slow_probe_that_is_given_longer_ends(tmp_path: Path) -> None:
    folder = library(tmp_path, "sleep(5);")
    env = {"RUSHLIGHT_ROCM_PATH": str(folder), "RUSHLIGHT_DOCTOR_ROOT": str(tmp_path)}
    status, found, _ = call("doctor", "--json", "--limit", "4", **env)
    assert status == 3
    assert "the probe of libraries did not end in 4 s" in texts(found, "late")
    status, found, _ = call("doctor", "--json", "--limit", "90", **env)
    assert not texts(found, "late")
    # (It has none of HIP's functions.)
    assert "no HIP" in texts(found, "bad")
    assert status == 1


def test_info_tells_of_devices_that_it_did_not_wait_for(tmp_path: Path) -> None:
    folder = library(tmp_path, "sleep(1000);")
    env = {**os.environ, "RUSHLIGHT_ROCM_PATH": str(folder)}
    command = [sys.executable, "-m", "rushlight.cli", "info"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=True)
    assert "rushlight info: the probe of libraries did not end in 4 s" in done.stderr


def test_a_library_that_crashes_is_a_finding(tmp_path: Path) -> None:
    folder = library(tmp_path, "abort();")
    status, found, _ = call("doctor", "--json", "--limit", "30", RUSHLIGHT_ROCM_PATH=str(folder))
    assert status == 1
    assert "the probe ended by SIGABRT; it was at: looking for libamdhip64" in texts(found, "bad")
    assert call("info", "--json", RUSHLIGHT_ROCM_PATH=str(folder))[0] == 0


def test_two_copies_of_hip_in_a_process_are_a_finding(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    one, two = library(tmp_path / "one", ""), library(tmp_path / "two", "")
    status, found, _ = call(
        "doctor",
        "--json",
        "--limit",
        "30",
        RUSHLIGHT_ROCM_PATH=str(two),
        LD_PRELOAD=str(one / "libamdhip64.so"),
    )
    both = f"two copies of HIP in one process: {one}/libamdhip64.so, {two}/libamdhip64.so"
    assert both in texts(found, "bad")
    assert status == 1
    _, found, _ = call("doctor", "--json", "--limit", "30", RUSHLIGHT_ROCM_PATH=str(two))
    assert "two copies" not in texts(found, "bad")


def test_a_file_that_is_not_a_library_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "libamdhip64.so").write_text("no library")
    status, found, _ = call("doctor", "--json", "--limit", "30", RUSHLIGHT_ROCM_PATH=str(tmp_path))
    assert status == 1
    assert "no HIP" in texts(found, "bad")
    _, text, _ = call("info", RUSHLIGHT_ROCM_PATH=str(tmp_path))
    assert "devices" in text


def run(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "rushlight", *args]
    return subprocess.run(
        command, env={**os.environ, **env}, capture_output=True, text=True, timeout=120, check=False
    )


def test_python_m_rushlight_is_the_command() -> None:
    done = run("--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("rushlight ")


def test_no_text_ends_within_a_sentence(tmp_path: Path) -> None:
    folder = tmp_path / ("a long name " * 15) / ("and another one " * 12)
    _, found, _ = call("doctor", "--json", "--limit", "60", RUSHLIGHT_ROCM_PATH=str(folder))
    assert "or unset it to search the default folders -> looked in " in texts(found, "bad")


def test_an_error_is_shown_by_its_first_lines_and_those_with_the_cause() -> None:
    assert _doctor._words(ValueError("")) == ""
    assert _doctor._words(ValueError("refused (6)\ninstall clang\n")) == "refused (6)\ninstall clang"
    lines = ["refused (6)", *(f"in file {i}" for i in range(50)), "error: no such name", "1 error generated"]
    said = "refused (6)\nerror: no such name\n1 error generated\n(50 more lines)"
    assert _doctor._words(ValueError("\n".join(lines))) == said


@pytest.mark.parametrize("limit", ["0", "-1", "nan", "soon"])
def test_a_limit_that_is_none_is_bad_usage(limit: str) -> None:
    done = run("doctor", "--limit", limit)
    assert (done.returncode, done.stdout) == (2, "")
    words = f"argument --limit: {limit!r} is not a number of seconds above 0"
    assert done.stderr.splitlines()[-1] == f"rushlight doctor: error: {words}"


def test_a_library_that_ends_the_process_is_a_finding(tmp_path: Path) -> None:
    folder = library(tmp_path, "_exit(0);")
    status, found, _ = call("doctor", "--json", "--limit", "60", RUSHLIGHT_ROCM_PATH=str(folder))
    assert status == 1
    words = "the probe ended with status 0, before it was through; it was at: looking for libamdhip64"
    assert words in texts(found, "bad")


@pytest.mark.parametrize("args", [("doctor", "--limit", "60"), ("info",), ("info", "--json")])
def test_output_that_cannot_be_written_is_an_error_of_one_line(args: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "rushlight", *args]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=120, check=False
        )
    assert (done.returncode, done.stderr) == (1, "rushlight: [Errno 28] No space left on device\n")


def test_invalid_and_unknown_variables_are_reported(tmp_path: Path) -> None:
    settings = {"RUSHLIGHT_BLAS": "fast", "RUSHLIGHT_SYNK": "1", "RUSHLIGHT_DOCTOR_ROOT": str(tmp_path)}
    status, found, _ = call("doctor", "--json", "--limit", "30", **settings)
    bad = texts(found, "bad")
    assert status == 1
    assert "RUSHLIGHT_BLAS=fast: expected auto, native or vendor" in bad
    assert "RUSHLIGHT_SYNK is not a variable of rushlight; is RUSHLIGHT_SYNC meant?" in bad
