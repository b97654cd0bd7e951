"""Compiled kernels on disk, `rushlight warm` and `virtual_rocm`, each in separate processes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import pytest

import rushlight as rl

VIRTUAL = rl.rocm.is_available() and "virtual" in rl.rocm.device_name(0)
pytestmark = pytest.mark.skipif(
    not VIRTUAL, reason="faults are made on the virtual AMD GPU; make test runs these on it"
)
ADD = """
import rushlight as rl
x = rl.ones(8, device="rocm:0")
print((x + x).tolist() == [2.0] * 8, rl.rocm.memory_stats()["compiles"])
"""


def start(code: str, cache: Path | str, **env: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "RUSHLIGHT_CACHE_DIR": str(cache), **env},
    )


def run(code: str, cache: Path | str, **env: str) -> tuple[str, str]:
    child = start(code, cache, **env)
    out, err = child.communicate(timeout=300)
    assert child.returncode == 0, err
    return out.strip(), err


def kept(cache: Path) -> list[Path]:
    return sorted(p for p in (cache / "kernels").iterdir() if p.is_file())


def test_kept_torn_and_changed_files(tmp_path: Path) -> None:
    first, _ = run(ADD, tmp_path)
    right, compiles = first.split()
    assert right == "True"
    assert int(compiles) >= 1
    assert run(ADD, tmp_path)[0] == "True 0"
    for change in (lambda b: b[:-1], lambda b: b[:-1] + bytes([b[-1] ^ 1]), lambda b: b"", lambda b: b[:40]):
        for file in kept(tmp_path):
            file.write_bytes(change(file.read_bytes()))
        assert run(ADD, tmp_path)[0] == first, "changed files are compiled anew"
        assert run(ADD, tmp_path)[0] == "True 0", "and written anew"


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    first, _ = run(ADD, tmp_path / "cache")
    # A folder that not even root may write to, and one whose path is a file.
    assert run(ADD, "/proc/rushlight")[0] == first
    (tmp_path / "file").write_text("in the way")
    assert run(ADD, tmp_path / "file")[0] == first
    assert run(ADD, "")[0] == first


@pytest.mark.skipif(
    os.geteuid() != 0, reason="becomes another user, who may read the folder and not write it"
)
def test_a_folder_that_may_only_be_read(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    first, _ = run(ADD, cache)
    # (pytest's own folders, which are one more where it runs in several processes.)
    for folder in [tmp_path, *tmp_path.parents]:
        if Path(tempfile.gettempdir()) in folder.parents:
            folder.chmod(0o755)
    before = [(p.name, p.stat().st_mtime_ns) for p in kept(cache)]
    code = """
    import os
    import rushlight as rl
    rl.rocm.device_name(0)
    os.environ.pop("TMPDIR", None)
    os.setegid(65534); os.seteuid(65534)
    assert not os.access(os.environ["RUSHLIGHT_CACHE_DIR"], os.W_OK, effective_ids=True)
    x = rl.ones(8, device="rocm:0")
    print((x + x).tolist() == [2.0] * 8, rl.rocm.memory_stats()["compiles"])
    y = rl.ones(8, dtype=rl.int16, device="rocm:0")
    print((y + y).tolist() == [2] * 8, rl.rocm.memory_stats()["compiles"] > 0)
    """
    assert run(code, cache)[0].split() == ["True", "0", "True", "True"]
    assert [(p.name, p.stat().st_mtime_ns) for p in kept(cache)] == before
    assert first.startswith("True")


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a small file system, which takes the superuser")
def test_a_full_disk(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    mount = f"mount -t tmpfs -o size=16k rushlight {cache}"
    if subprocess.run(["unshare", "-m", "sh", "-c", mount], capture_output=True, check=False).returncode:
        pytest.skip("this container may not mount")
    code = textwrap.dedent(ADD) + "print(os.listdir(cache := os.environ['RUSHLIGHT_CACHE_DIR'] + '/kernels'))"
    code = "import os\n" + code + "\nprint(os.statvfs(cache).f_bavail > 0)"
    child = subprocess.run(
        ["unshare", "-m", "sh", "-c", f'{mount} && exec "$0" -c "$1"', sys.executable, code],
        env={**os.environ, "RUSHLIGHT_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    right, files, room = child.stdout.splitlines()
    assert right.split()[0] == "True"
    assert files == "[]", "no half of a file is kept"
    assert room == "True", "nor its folder"


def test_processes_that_compile_at_once(tmp_path: Path) -> None:
    children = [start(ADD, tmp_path) for _ in range(3)]
    for child in children:
        out, err = child.communicate(timeout=300)
        assert child.returncode == 0, err
        assert out.startswith("True")
    assert all(p.suffix == ".co" for p in kept(tmp_path)), "nothing half is left"
    assert run(ADD, tmp_path)[0] == "True 0"


def test_a_failed_compilation_says_why_and_is_not_kept(tmp_path: Path) -> None:
    code = """
    import rushlight as rl
    for _ in range(2):
        try:
            rl.ones(8, device="rocm:0")
        except rl.DeviceError as e:
            print(e)
    """
    out, _ = run(code, tmp_path, RUSHLIGHT_VGPU_FAULT="compile_fail")
    assert out.count("compilation fails on request") == 2
    assert out.count("rocm:0") >= 2
    assert not (tmp_path / "kernels").exists() or kept(tmp_path) == []
    assert run(ADD, tmp_path)[0].startswith("True")


def test_a_long_compilation_is_noted(tmp_path: Path) -> None:
    slow = tmp_path / "slow"
    clang = shutil.which("clang++-19")
    slow.write_text(f'#!/bin/sh\nsleep 1.2\nexec {clang or f"{sys.executable} -m ziglang"} "$@"\n')
    slow.chmod(0o755)
    # Each kernel needs two calls of the compiler.
    cxx = str(slow) if clang else f"{slow} c++"
    out, err = run(ADD, tmp_path / "cache", RUSHLIGHT_VGPU_CXX=cxx)
    assert out.startswith("True")
    notes = [line for line in err.splitlines() if line.startswith("rushlight: compiling kernels for")]
    assert len(notes) == 1, err
    assert "virtual" in notes[0]
    assert str(tmp_path / "cache") in notes[0]
    assert run(ADD, tmp_path / "cache", RUSHLIGHT_VGPU_CXX=cxx) == ("True 0", "")


def warm(cache: Path | str, *args: str) -> tuple[int, str, str]:
    env = {**os.environ, "RUSHLIGHT_CACHE_DIR": str(cache)}
    command = [sys.executable, "-m", "rushlight.cli", "warm", *args]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_warm(tmp_path: Path) -> None:
    code, out, err = warm(tmp_path, "--ops", "add,sum", "--device", "rocm:0")
    assert code == 0, err
    assert "virtual" in out
    assert f"kept in {tmp_path}" in out
    assert " steps, " in err, "progress"
    assert "compiling kernels" not in err, "who warms knows"
    files = len(kept(tmp_path))
    assert f"{files} kernel files compiled" in out
    use = """
    import rushlight as rl
    x = rl.ones((4, 3), device="rocm:0", requires_grad=True)
    rl.sum(x + x).backward()
    print(x.grad.tolist()[0], rl.rocm.memory_stats()["compiles"])
    """
    assert run(use, tmp_path)[0] == "[2.0, 2.0, 2.0] 0"
    code, out, _ = warm(tmp_path, "--ops", "add,sum")
    assert code == 0
    assert ", 0 kernel files compiled" in out


@pytest.mark.parametrize(
    ("cache", "args", "words"),
    [
        ("/proc/rushlight", ("--ops", "add"), "cannot be written"),
        ("", ("--ops", "add"), "RUSHLIGHT_CACHE_DIR is empty"),
        ("/tmp", ("--ops", "plus"), "'plus' is not an op"),
        ("/tmp", ("--dtypes", "float33"), "float33"),
        ("/tmp", ("--device", "cpu"), "not an AMD GPU"),
        ("/tmp", ("--device", "rocm:63"), "rocm:63"),
    ],
)
def test_warm_says_what_is_wrong(cache: str, args: tuple[str, ...], words: str) -> None:
    code, _, err = warm(cache, *args)
    assert code == 1
    assert words in err
    assert "Traceback" not in err


ROCM_PATH = os.environ.get("RUSHLIGHT_ROCM_PATH", "")


def test_virtual_rocm(tmp_path: Path) -> None:
    code = """
    import os
    import rushlight as rl
    path = os.environ["TEST_PATH"]
    assert rl.rocm.device_count() == 0, "nothing here: that does not count as use yet"
    with rl.testing.virtual_rocm("gfx942", wave=64, devices=3, memory=1 << 20, path=path) as gpu:
        assert str(gpu) == "rocm:0"
        assert os.environ["RUSHLIGHT_VGPU_ARCH"] == "gfx942"
        same = rl.testing.virtual_rocm("gfx942", wave=64, devices=3, memory=1 << 20, path=path)
    assert "RUSHLIGHT_VGPU_ARCH" not in os.environ and "RUSHLIGHT_ROCM_PATH" not in os.environ
    p = rl.rocm.get_device_properties(2)
    print(rl.rocm.device_count(), p["arch"].split(":")[0], p["wave_size"], p["total_memory"])
    print(p["name"])
    try:
        rl.testing.virtual_rocm("gfx1100", path=path)
    except rl.DeviceError as e:
        print(e)
    """
    clean = """
    import os
    for name in [name for name, value in os.environ.items() if value == "-"]:
        del os.environ[name]
    """
    # Settings of GPUs in this test's own environment are removed.
    bare = {name: "-" for name in os.environ if name.startswith(("RUSHLIGHT_VGPU_", "RUSHLIGHT_ROCM_"))}
    env = {**bare, "ROCM_PATH": "/nowhere", "TEST_PATH": ROCM_PATH}
    out, _ = run(textwrap.dedent(clean) + textwrap.dedent(code), tmp_path, **env)
    told = out.splitlines()
    assert told[0] == "3 gfx942 64 1048576"
    assert "virtual" in told[1]
    assert "uses another virtual GPU already" in told[2]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("rl.rocm.device_name(0); rl.testing.virtual_rocm(path=path)", "uses ROCm already"),
        ('rl.testing.virtual_rocm("gfx1", path=path)', "RUSHLIGHT_VGPU_ARCH=gfx1"),
        ("rl.testing.virtual_rocm(wave=16, path=path)", "RUSHLIGHT_VGPU_WAVE=16"),
        ('rl.testing.virtual_rocm(path="/nowhere")', "/nowhere"),
    ],
)
def test_virtual_rocm_says_what_is_wrong(call: str, words: str, tmp_path: Path) -> None:
    code = f"""
    import os
    import rushlight as rl
    path = os.environ["TEST_PATH"]
    before = dict(os.environ)
    try:
        {call}
    except rl.DeviceError as e:
        print(e)
    assert dict(os.environ) == before
    """
    out, err = run(code, tmp_path, TEST_PATH=ROCM_PATH)
    assert out
    assert words in out + err
