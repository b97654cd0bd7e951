"""CUDA from Python: without a driver, with a fake driver that has memory and runs nothing, and on the virtual
GPU."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import rushlight as rl

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "crates/rushlight-cuda/tests/fake/libcuda.c"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
NVRTC = TARGET / "cuda-packages/nvidia/cuda_nvrtc/lib"
VIRTUAL = TARGET / "vgpu/cuda"


def run(program: str, path: str, **settings: str) -> str:
    """Run a program in its own process and return its output. Its stderr may only report compiling."""
    env = {**os.environ, "RUSHLIGHT_CUDA_PATH": path, **settings}
    done = subprocess.run(
        [sys.executable, "-c", program], env=env, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert all("compiling kernels for" in line for line in done.stderr.splitlines()), done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the folder of the fake driver."""
    cc = shutil.which("cc")
    if cc is None:
        pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("cuda")
    subprocess.run(
        [cc, "-O1", "-w", "-shared", "-fPIC", "-o", str(folder / "libcuda.so.1"), str(SOURCE)], check=True
    )
    return str(folder)


def test_without_a_driver_the_error_says_what_was_tried(tmp_path: Path) -> None:
    program = """
import rushlight as rl
assert rl.cuda.device_count() == 0 and not rl.cuda.is_available()
makers = [lambda: rl.Device("cuda:0"), lambda: rl.zeros((2,), device="cuda"), rl.cuda.device_name]
for make in makers:
    try:
        make()
    except rl.DeviceError as e:
        assert "cuda:0: cannot load libcuda; tried " in str(e) and "RUSHLIGHT_CUDA_PATH" in str(e), e
    else:
        raise AssertionError("no error")
assert "cuda:0" not in rl.__array_namespace_info__().devices()
"""
    run(program, str(tmp_path))


def test_folders_of_pips_packages_are_looked_up_at_the_first_use(tmp_path: Path) -> None:
    """The folder is created after rushlight was imported, and the error of a missing driver names it."""
    program = """
import os
import rushlight as rl
folder = os.path.join(os.environ["PYTHONPATH"], "nvidia", "cudnn", "lib")
os.makedirs(folder)
try:
    rl.Device("cuda:0")
except rl.DeviceError as e:
    # With a driver, but without a GPU, nothing of it is reported.
    assert "cannot load libcuda" not in str(e) or f"{folder} (no libcuda.so.1, .so)" in str(e), e
"""
    run(program, "", PYTHONPATH=str(tmp_path))


def test_names_of_other_devices_are_refused() -> None:
    with pytest.raises(
        ValueError, match="cpu is not an NVIDIA GPU; use a number or a device such as 'cuda:0'"
    ):
        rl.cuda.device_name("cpu")
    with pytest.raises(ValueError, match="0 or more"):
        rl.cuda.memory_stats(-1)


def test_memory_goes_there_and_back_and_is_shared_without_copying(driver: str) -> None:
    program = """
import numpy as np
import rushlight as rl
assert rl.cuda.device_count() == 1
p = rl.cuda.get_device_properties("cuda:0")
assert p["name"] == rl.cuda.device_name(0) == "a pretended GPU, no hardware"
assert (p["arch"], p["wave_size"], p["compute_units"]) == ("sm_80", 32, 4)
a = np.arange(6, dtype=np.float32).reshape(2, 3)
x = rl.asarray(a, device="cuda:0")
assert str(x.device) == "cuda:0" and x.device.type == "cuda" and x.device.index == 0
assert np.array_equal(np.asarray(x.cpu()), a)
assert rl.cuda.memory_stats()["requested"] == 24
# DLPack: kDLCUDA, the same memory, the producer kept alive.
assert x.__dlpack_device__() == (2, 0)
y = rl.from_dlpack(x)
i, j = x.__cuda_array_interface__, y.__cuda_array_interface__
assert i == j, (i, j)
address = i["data"][0]
assert address and i == {"version": 3, "shape": (2, 3), "typestr": "<f4", "data": (address, False),
                         "strides": (12, 4), "stream": None}
del x
assert np.array_equal(np.asarray(y.cpu()), a)
t = y.T.__cuda_array_interface__
assert (t["shape"], t["strides"], t["data"][0]) == ((3, 2), (4, 12), address)
assert y[1:].__cuda_array_interface__["data"][0] == address + 12
for stream in (None, -1, 1, 2, 12345):
    y.__dlpack__(stream=stream)
try:
    y.__dlpack__(stream=0)
except BufferError as e:
    assert "two meanings" in str(e)
else:
    raise AssertionError("stream 0 is not allowed")
names = {"bool": "|b1", "uint8": "|u1", "int64": "<i8", "float16": "<f2", "complex64": "<c8"}
for dtype, typestr in names.items():
    z = rl.zeros((2,), dtype="uint8").astype(dtype).to("cuda:0")
    assert z.__cuda_array_interface__["typestr"] == typestr
    assert rl.from_dlpack(z).dtype == z.dtype
# What cannot be described so has no such attribute.
half = rl.zeros((2,)).astype("bfloat16").to("cuda:0")
tracked = rl.zeros((2,), device="cpu").to("cuda:0")
tracked.requires_grad = True
for other in (rl.zeros((2,)), half, tracked):
    assert not hasattr(other, "__cuda_array_interface__")
assert rl.from_dlpack(half).dtype == half.dtype
rl.cuda.synchronize()
del y, z, t, half, tracked, other
rl.cuda.empty_cache()
assert rl.cuda.memory_stats()["requested"] == 0 == rl.cuda.memory_stats()["reserved"]
try:
    rl.Device("cuda:1")
except rl.DeviceError as e:
    assert "cuda:1: there is no CUDA device 1: the driver sees 1 device" in str(e)
else:
    raise AssertionError("no error")
"""
    run(program, driver)


def test_without_a_compiler_an_op_says_so(driver: str) -> None:
    program = """
import rushlight as rl
x = rl.asarray([1.0, 2.0]).to("cuda:0")
try:
    x + x
except rl.DeviceError as e:
    assert "cuda:0: cannot load libnvrtc; tried " in str(e), e
else:
    raise AssertionError("no error")
"""
    run(program, driver, RUSHLIGHT_CACHE_DIR="")


@pytest.mark.skipif(not NVRTC.is_dir(), reason="no NVRTC; cargo xtask tools cuda brings it")
def test_ops_compile_and_launch(driver: str, tmp_path: Path) -> None:
    """The fake driver records launches and computes nothing."""
    program = """
import rushlight as rl
x = rl.asarray([[1.0, 2.0], [3.0, 4.0]]).to("cuda:0")
y = x + x
z = y.T * x
stats = rl.cuda.memory_stats()
assert (stats["launches"], stats["compiles"], stats["blas_calls"]) == (2, 1, 0), stats
rl.cuda.synchronize()
"""
    notes = tmp_path / "notes"
    settings = {"RUSHLIGHT_CACHE_DIR": str(tmp_path), "FAKE_CUDA_NOTES": str(notes)}
    run(program, f"{driver}:{NVRTC}", **settings)
    assert notes.read_text().splitlines() == ["add_f32_contig 1 1 1 256", "mul_f32_strided 1 1 1 256"]
    # Compiled kernels are kept for the next process, and for this target only.
    again = program.replace("(2, 1, 0)", "(2, 0, 0)")
    run(again, f"{driver}:{NVRTC}", **settings)
    run(program, f"{driver}:{NVRTC}", FAKE_CUDA_TARGET="90", **settings)


@pytest.mark.skipif(not VIRTUAL.is_dir(), reason="no virtual NVIDIA GPU; make vgpu builds it")
def test_on_the_virtual_gpu_results_are_numpys() -> None:
    """Kernels, cuBLAS and cuDNN run; tensors come and go by DLPack and by their address."""
    program = """
import contextlib
import ctypes
import io
import numpy as np
import rushlight as rl
from rushlight import functional as F
gpu = "cuda:0"
p = rl.cuda.get_device_properties(gpu)
assert "virtual" in p["name"] and (p["arch"], p["wave_size"]) == ("sm_90", 32), p
a = np.arange(12, dtype=np.float32).reshape(3, 4) / 8 - 0.5
b = a.T.copy()
x, y = (rl.asarray(v).to(gpu) for v in (a, b))
here = lambda t: np.asarray(t.cpu())
assert np.array_equal(here(x + y.T), a + a)
assert np.array_equal(here(rl.matmul(x, y)), a @ b)
stats = rl.cuda.memory_stats()
assert (stats["blas_calls"], stats["conv_calls"]) == (1, 0), stats
image = np.arange(2 * 3 * 5 * 4, dtype=np.float32).reshape(2, 3, 5, 4) % 7 - 3
kernel = np.arange(4 * 3 * 3 * 3, dtype=np.float32).reshape(4, 3, 3, 3) % 5 - 2
out = here(F.conv2d(rl.asarray(image).to(gpu), rl.asarray(kernel).to(gpu), padding=1))
padded = np.pad(image, ((0, 0), (0, 0), (1, 1), (1, 1)))
views = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
assert np.array_equal(out, np.einsum("nchwij,kcij->nkhw", views, kernel))
assert rl.cuda.memory_stats()["conv_calls"] == 1
waves = rl.fft.fft(rl.asarray(image).to(gpu), norm="ortho")
np.testing.assert_allclose(here(waves), np.fft.fft(image, norm="ortho"), atol=1e-5)
assert rl.cuda.memory_stats()["fft_calls"] == 1
# The same memory by DLPack, and through the address that other libraries get.
z = rl.from_dlpack(x)
shared = z.__cuda_array_interface__
assert x.__dlpack_device__() == (2, 0) and shared["shape"] == (3, 4)
ctypes.cast(shared["data"][0], ctypes.POINTER(ctypes.c_float))[0] = 42.0
assert here(x)[0, 0] == here(z)[0, 0] == 42.0
w = rl.asarray(a).to(gpu)
w.requires_grad = True
rl.sum(rl.matmul(w, y) * 2.0).backward()
assert np.allclose(here(w.grad), np.broadcast_to(2 * b.sum(1), a.shape))
try:
    x[rl.asarray([9]).to(gpu)].cpu()
except IndexError as e:
    assert "9" in str(e), e
else:
    raise AssertionError("no error")
from rushlight.cli import warm
with contextlib.redirect_stderr(io.StringIO()) as printed:
    assert warm(gpu, ["add"], ["f32"]) == 0, printed.getvalue()
"""
    cache = str(TARGET / "kernels-virtual-cuda")
    run(program, str(VIRTUAL), RUSHLIGHT_CACHE_DIR=cache, RUSHLIGHT_VGPU_ARCH="sm_90")
