"""The virtual GPU through AMD's bindings, hip-python; its arrays and rushlight's tensors are one memory."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

import rushlight as rl

pytest.importorskip("rocm.bindings", reason="hip-python is not installed (requirements-dev.txt)")
# The bindings search for the libraries in this folder before the system's loader does.
ROCM = os.environ.get("RUSHLIGHT_ROCM_PATH", "")
pytestmark = [
    pytest.mark.skipif(
        not (ROCM and rl.rocm.is_available()),
        reason="RUSHLIGHT_ROCM_PATH does not name an AMD GPU; make test runs these on the virtual one",
    ),
    pytest.mark.skipif(os.name != "posix", reason="hip-python's wheels are for Linux"),
]

START = """
import ctypes, sys, types
import numpy as np
from hip import hip, hiprtc

def check(result):
    status, *values = result if isinstance(result, tuple) else (result,)
    if int(status) != 0:
        raise RuntimeError(str(status))
    return values[0] if len(values) == 1 else tuple(values)

SOURCE = b'''
extern "C" __global__ void scale(float* x, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}
'''

def kernel():
    program = check(hiprtc.hiprtcCreateProgram(SOURCE, b"scale.hip", 0, None, None))
    arch = check(hip.hipGetDeviceProperties(0)).gcnArchName
    check(hiprtc.hiprtcCompileProgram(program, 1, [b"--offload-arch=" + arch.encode()]))
    code = bytearray(check(hiprtc.hiprtcGetCodeSize(program)))
    check(hiprtc.hiprtcGetCode(program, code))
    module = check(hip.hipModuleLoadData(code))
    return module, check(hip.hipModuleGetFunction(module, b"scale"))

def scale(function, x, factor, n, stream=None):
    grid, block = hip.dim3(x=(n + 127) // 128), hip.dim3(x=128)
    arguments = (x, ctypes.c_float(factor), ctypes.c_int(n))
    check(hip.hipModuleLaunchKernel(function, *grid, *block, 0, stream, None, arguments))
"""


def script(code: str, **settings: str) -> str:
    """Run a script with the bindings in a new process, which loads the libraries again; return its output."""
    done = subprocess.run(
        [sys.executable, "-c", START + textwrap.dedent(code)],
        env={**os.environ, "ROCM_PATH": ROCM, **settings},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("engine", ["host", "isa"])
def test_a_hip_program_runs(engine: str) -> None:
    """Allocate, copy, compile with its hiprtc, launch on a stream, read back; without rushlight."""
    told = script(
        """
        p = check(hip.hipGetDeviceProperties(0))
        module, function = kernel()
        values = np.arange(1000, dtype=np.float32)
        x = check(hip.hipMalloc(values.nbytes))
        stream = check(hip.hipStreamCreate())
        check(hip.hipMemcpyAsync(x, values, values.nbytes, hip.hipMemcpyKind.hipMemcpyHostToDevice, stream))
        scale(function, x, 0.5, 999, stream)
        back = np.empty_like(values)
        check(hip.hipMemcpyAsync(back, x, back.nbytes, hip.hipMemcpyKind.hipMemcpyDeviceToHost, stream))
        check(hip.hipStreamSynchronize(stream))
        assert np.array_equal(back[:999], values[:999] * 0.5) and back[999] == 999
        check(hip.hipStreamDestroy(stream))
        check(hip.hipFree(x))
        check(hip.hipModuleUnload(module))
        # An error is the bindings' own.
        assert hip.hipFree(ctypes.c_void_p(64))[0] == hip.hipError_t.hipErrorInvalidValue
        assert not [m for m in sys.modules if m.startswith("rushlight")]
        print(p.name, p.gcnArchName, p.warpSize)
        """,
        RUSHLIGHT_VGPU_ENGINE=engine,
    )
    arch = os.environ.get("RUSHLIGHT_VGPU_ARCH", "gfx1100")
    assert f"(virtual {arch}, {engine} engine) {arch} " in told


def test_a_kernel_error_reaches_the_bindings() -> None:
    """The virtual GPU's report of a store past the end, in a program that is not rushlight's."""
    told = script(
        """
        module, function = kernel()
        x = check(hip.hipMalloc(512))
        scale(function, x, 2.0, 129 * 128)
        print(hip.hipDeviceSynchronize()[0].name)
        """,
        RUSHLIGHT_VGPU_ENGINE="isa",
    )
    assert told == "hipErrorIllegalAddress\n"


def test_tensors_and_arrays_are_one_memory() -> None:
    """hip-python's kernels write to a tensor, and a tensor shares the memory of its array: no copy either
    way."""
    told = script(
        """
        import rushlight as rl
        gpu = "rocm:0"
        module, function = kernel()
        def transfers():
            stats = rl.rocm.memory_stats(gpu)
            return [stats[key] for key in ("uploads", "downloads")]

        # A tensor's memory as an argument of hip-python's: by its address, where a view begins, and by its
        # description. (The tensor itself is a buffer of the host's to hip-python, on whatever device it is.)
        t = rl.arange(12, dtype=rl.float32, device=gpu).reshape((3, 4))
        address, before = t.data_ptr(), transfers()
        assert t.__cuda_array_interface__ == {
            "version": 3, "shape": (3, 4), "typestr": "<f4", "data": (address, False), "strides": (16, 4),
            "stream": None,
        }
        described = types.SimpleNamespace(__cuda_array_interface__=t.__cuda_array_interface__)
        scale(function, described, 2.0, 12)
        scale(function, ctypes.c_void_p(t[1:].data_ptr()), 10.0, 4)
        check(hip.hipDeviceSynchronize())
        u = t + 1
        assert transfers() == before and t[1:].data_ptr() == address + 16
        wanted = np.arange(12, dtype=np.float32).reshape(3, 4) * 2
        wanted[1] *= 10
        assert np.array_equal(t.cpu().numpy(), wanted) and np.array_equal(u.cpu().numpy(), wanted + 1)

        # An array of hip-python's is a tensor's memory, which an op in place and a kernel of either change.
        x = check(hip.hipMalloc(48)).configure(typestr="float32", shape=(3, 4))
        values = np.linspace(0, 1, 12, dtype=np.float32).reshape(3, 4)
        check(hip.hipMemcpy(x, values, 48, hip.hipMemcpyKind.hipMemcpyHostToDevice))
        before = transfers()
        u = rl.asarray(x, device=gpu)
        assert (str(u.device), u.dtype, u.shape, u.data_ptr()) == (gpu, rl.float32, (3, 4), int(x))
        u *= 3
        rl.rocm.synchronize(gpu)
        scale(function, x, 2.0, 12)
        check(hip.hipDeviceSynchronize())
        s = rl.sum(u + t)
        assert transfers() == before
        back = np.empty_like(values)
        check(hip.hipMemcpy(back, x, 48, hip.hipMemcpyKind.hipMemcpyDeviceToHost))
        assert np.array_equal(back, values * np.float32(3) * 2)
        assert np.array_equal(u.cpu().numpy(), back)
        assert abs(float(s) - float((back + wanted).sum())) < 1e-3
        copied = rl.asarray(x, device=gpu, copy=True)
        assert copied.data_ptr() != int(x) and np.array_equal(copied.cpu().numpy(), back)
        # Other views of the same bytes.
        views = [("B", (48,), "uint8"), ("<i4", (12,), "int32"), ("<f2", (2, 12), "float16")]
        for typestr, shape, dtype in views:
            other = check(hip.hipMalloc(48)).configure(typestr=typestr, shape=shape)
            assert rl.asarray(other, device=gpu).dtype.name == dtype
            check(hip.hipFree(other))
        del u
        check(hip.hipFree(x))
        print("shared", before)
        """
    )
    assert told.startswith("shared [")
    assert told != "shared []\n", "transfers are counted"


def test_descriptions_that_cannot_be_shared_are_refused() -> None:
    """Each wrong field of `__cuda_array_interface__` is refused."""
    memory = rl.zeros((6,), device="rocm:0")
    good = {**memory.__cuda_array_interface__, "shape": (2, 3), "strides": None}

    class Other:
        def __init__(self, **changes: object) -> None:
            self.__cuda_array_interface__ = {**good, **changes}

    strided = rl.asarray(Other(shape=(2, 2), strides=(12, 4)), device="rocm:0")
    strided[1, 1] = 7
    assert memory.tolist() == [0, 0, 0, 0, 7, 0]
    assert strided.data_ptr() == memory.data_ptr()
    for device in (None, "cpu"):
        with pytest.raises(TypeError, match="does not tell the kind of GPU"):
            rl.asarray(Other(), device=device)
    for changes, words in [
        ({"mask": 1}, "masked"),
        ({"typestr": None}, "typestr is missing"),
        ({"typestr": ">f4"}, "no dtype for '>f4'|no dtype for \">f4\""),
        ({"typestr": "<V2"}, "no dtype"),
        ({"shape": None}, "shape is missing"),
        ({"shape": (1,) * 9}, "at most 8 dimensions"),
        ({"strides": (-12, 4)}, "negative"),
        ({"strides": (10, 4)}, "not multiples of the element size"),
        ({"strides": (4,)}, "strides"),
        ({"data": None}, "data is missing"),
        ({"data": (0, False)}, "null"),
        ({"data": (good["data"][0] + 1, False)}, "not aligned"),
        ({"shape": (2**40, 2**40)}, "too far"),
    ]:
        with pytest.raises(BufferError, match=words):
            rl.asarray(Other(**changes), device="rocm:0")
