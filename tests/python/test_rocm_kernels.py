"""Kernels that users write: `rl.rocm.compile`. Runs where there is an AMD GPU, real or virtual."""

from __future__ import annotations

import doctest
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from rushlight._kernel import parameters_of

pytestmark = pytest.mark.skipif(
    not rl.rocm.is_available(), reason="no AMD GPU here; make test runs these on the virtual one"
)
GPU = "rocm:0"
AXPY = """
// y += a * x
extern "C" __global__ void __launch_bounds__(256)
axpy(float a, const float* __restrict__ x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
"""


def host(t: rl.Tensor) -> Any:
    return np.asarray(t.detach().cpu())


def test_tensors_and_scalars_reach_the_kernel() -> None:
    axpy = rl.rocm.compile(AXPY, "axpy")
    rng = np.random.default_rng(3)
    a, b = (rng.standard_normal(1000).astype(np.float32) for _ in range(2))
    x, y = rl.asarray(a).to(GPU), rl.asarray(b.copy()).to(GPU)
    before = rl.rocm.memory_stats(GPU)["launches"]
    axpy(2.0, x, y, 1000, grid=4, block=256)
    assert rl.rocm.memory_stats(GPU)["launches"] == before + 1
    np.testing.assert_allclose(host(y), b + 2 * a, rtol=1e-6)
    # Arguments at an offset, and a launch over a part of the elements.
    axpy(1.0, x[500:], y[250:], 10, grid=(1, 1, 1), block=(64,))
    want = b + 2 * a
    want[250:260] += a[500:510]
    np.testing.assert_allclose(host(y), want, rtol=1e-6)
    assert "axpy(float a, const float* __restrict__ x, float* y, int n) on rocm:0" in repr(axpy)


SCALARS = {
    "bool": (True, "bool"),
    "signed char": (-7, "int8"),
    "unsigned char": (200, "uint8"),
    "short": (-30000, "int16"),
    "unsigned short": (60000, "uint16"),
    "int": (-(2**31), "int32"),
    "unsigned int": (2**32 - 1, "uint32"),
    "long long": (-(2**63), "int64"),
    "unsigned long long": (2**64 - 1, "uint64"),
    "_Float16": (1.5, "float16"),
    "float": (0.1, "float32"),
    "double": (0.1, "float64"),
}


@pytest.mark.parametrize("c", SCALARS)
def test_every_scalar_arrives_whole(c: str) -> None:
    value, dtype = SCALARS[c]
    # Parameters of odd sizes around the value would show a wrong size or offset.
    source = f"""extern "C" __global__ void keep(signed char a, {c} v, {c}* out, signed char b) {{
        if (a == -1 && b == 77) out[0] = v;
    }}"""
    out = rl.zeros(1, dtype=dtype, device=GPU)
    rl.rocm.compile(source, "keep")(-1, value, out, 77, grid=1, block=1)
    assert host(out)[0] == np.array(value, dtype=dtype)


def test_shared_memory_blocks_and_waves() -> None:
    source = """
    extern __shared__ int kept[];
    extern "C" __global__ void reverse(const int* x, int* y, int* wave) {
        int i = threadIdx.y * blockDim.x + threadIdx.x, n = blockDim.x * blockDim.y;
        kept[i] = x[blockIdx.x * n + i];
        __syncthreads();
        y[blockIdx.x * n + i] = kept[n - 1 - i];
        if (i == 0) wave[blockIdx.x] = warpSize;
    }"""
    reverse = rl.rocm.compile(source, "reverse")
    x = rl.arange(256, dtype=rl.int32, device=GPU)
    y, wave = rl.zeros_like(x), rl.zeros(2, dtype=rl.int32, device=GPU)
    reverse(x, y, wave, grid=2, block=(32, 4), shared=128 * 4)
    want = np.arange(256, dtype=np.int32).reshape(2, 128)[:, ::-1].reshape(-1)
    np.testing.assert_array_equal(host(y), want)
    assert host(wave).tolist() == [rl.rocm.get_device_properties(GPU)["wave_size"]] * 2
    with pytest.raises(rl.DeviceError, match="bytes of LDS"):
        reverse(x, y, wave, grid=2, block=(32, 4), shared=1 << 20)


def test_options_and_named_arguments() -> None:
    source = 'extern "C" __global__ void fill(T* x, T value) { x[threadIdx.x] = value * N; }'
    with pytest.raises(ValueError, match=r"'T\* x' has a type that no dtype matches; name the parameters"):
        rl.rocm.compile(source, "fill")
    kernel = rl.rocm.compile(source, "fill", ["-DT=double", "-DN=3"], arguments=["double*", "float64"])
    x = rl.zeros(4, dtype=rl.float64, device=GPU)
    kernel(x, 1.5, grid=1, block=4)
    assert host(x).tolist() == [4.5] * 4


def test_a_failed_compilation_shows_the_log() -> None:
    source = 'extern "C" __global__ void bad(float* x) {\n  x[0] = no_such_I32_name;\n}'
    with pytest.raises(rl.DeviceError, match="no_such_I32_name") as e:
        rl.rocm.compile(source, "bad")
    assert "bad.hip:2" in str(e.value), "the compiler's words and lines"
    with pytest.raises(ValueError, match="declares no kernel 'worse'"):
        rl.rocm.compile(source, "worse")
    good = 'extern "C" __global__ void good(float* x) { x[0] = 1; }'
    with pytest.raises(rl.DeviceError, match="no kernel other"):
        rl.rocm.compile(good, "other", arguments=["float*"])
    with pytest.raises(rl.DeviceError, match="rocm:63"):
        rl.rocm.compile(good, "good", device="rocm:63")
    with pytest.raises(TypeError, match="options is a list"):
        rl.rocm.compile(good, "good", "-O2")


def test_wrong_arguments_are_named() -> None:
    axpy = rl.rocm.compile(AXPY, "axpy")
    x, y = rl.ones(8, device=GPU), rl.zeros(8, device=GPU)
    size: dict[str, Any] = {"grid": 1, "block": 8}
    with pytest.raises(TypeError, match=r"axpy takes 4 arguments .*, 3 were given"):
        axpy(1.0, x, y, **size)
    with pytest.raises(
        TypeError, match=r"argument 1 \(const float\* __restrict__ x\) takes a tensor of float32"
    ):
        axpy(1.0, x.to(rl.float64), y, 8, **size)
    with pytest.raises(TypeError, match=r"argument 2 .* takes a Tensor, got list"):
        axpy(1.0, x, [0.0], 8, **size)
    with pytest.raises(TypeError, match=r"argument 3 .* takes a number, got a Tensor"):
        axpy(1.0, x, y, rl.asarray(8), **size)
    with pytest.raises((TypeError, ValueError, OverflowError), match="argument 3"):
        axpy(1.0, x, y, 2**31, **size)
    with pytest.raises((TypeError, ValueError), match="argument 3"):
        axpy(1.0, x, y, 1.5, **size)
    with pytest.raises(rl.DeviceError, match="argument 1 is a tensor on cpu, the kernel is on rocm:0"):
        axpy(1.0, rl.ones(8), y, 8, **size)
    with pytest.raises(ValueError, match="argument 1 is a view of shape"):
        axpy(1.0, rl.ones(16, device=GPU)[::2], y, 8, **size)
    with pytest.raises(ValueError, match="argument 2 takes part in a gradient"):
        axpy(1.0, x, y.requires_grad_(), 8, **size)
    for grid, block in [(0, 8), ((1, 1, 1, 1), 8), (1, -8), (1, 8.0), (1, (True,))]:
        with pytest.raises(ValueError, match="takes one to three sizes"):
            axpy(1.0, x, y.detach(), 8, grid=grid, block=block)
    with pytest.raises(rl.DeviceError, match="257 threads"):
        axpy(1.0, x, y.detach(), 8, grid=1, block=257)
    assert host(y).tolist() == [0.0] * 8, "nothing was launched"


def test_tensors_that_a_kernel_may_write_count_as_changed() -> None:
    source = (
        """extern "C" __global__ void both(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x]; }"""
    )
    both = rl.rocm.compile(source, "both")
    w = rl.ones(4, device=GPU).requires_grad_()
    read, changed = rl.full(4, 3.0, device=GPU), rl.full(4, 3.0, device=GPU)
    product, other = w * read, w * changed
    both(read, changed, grid=1, block=4)
    product.sum().backward()
    assert w.grad is not None
    assert host(w.grad).tolist() == [3.0] * 4
    with pytest.raises(RuntimeError, match="changed"):
        other.sum().backward()


def test_the_documented_example_runs() -> None:
    before = rl.rocm.memory_stats(GPU)["launches"]
    tests = doctest.DocTestFinder().find(rl.rocm.compile, "compile", globs={})
    result = doctest.DocTestRunner(verbose=False).run(tests[0])
    assert (result.failed, result.attempted) == (0, 3)
    assert rl.rocm.memory_stats(GPU)["launches"] > before


def test_declarations_are_read() -> None:
    def read(parameters: str) -> list[tuple[str, bool, bool]]:
        source = (
            f"/* void k(int) */ template <int N> struct S {{}};\n__global__ void\nk({parameters}) {{ g(1); }}"
        )
        return [(str(p.dtype), p.pointer, p.const) for p in parameters_of(source, "k")]

    assert read("") == read("void") == []
    assert read("float const *x, uint8_t y[], unsigned long long n, long int m /* , int */") == [
        ("float32", True, True),
        ("uint8", True, False),
        ("uint64", False, False),
        ("int64", False, False),
    ]
    assert read("void* p, size_t, __hip_bfloat16 *restrict q") == [
        ("None", True, False),
        ("uint64", False, False),
        ("bfloat16", True, False),
    ]
    for bad in ("float** x", "S<3> s", "float4* x", "int& x"):
        with pytest.raises(ValueError, match=r"neither|no dtype"):
            read(bad)
