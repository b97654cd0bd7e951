"""Compiles a custom HIP kernel and launches it on tensors; the virtual AMD GPU runs it, too.

Needs an AMD GPU, the package rushlight-vgpu, or RUSHLIGHT_ROCM_PATH with the folder that `make vgpu`
prints.
"""

from __future__ import annotations

import rushlight as rl

SOURCE = """
extern "C" __global__ void row_norms(const float* x, float* out, int rows, int columns) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int i = 0; i < columns; ++i) sum += x[row * columns + i] * x[row * columns + i];
    out[row] = sqrtf(sum);
}
"""


def main() -> None:
    """Compute the norm of each row by the kernel, and compare it with the library's ops."""
    if not rl.rocm.is_available():
        rl.testing.virtual_rocm()
    print(rl.rocm.device_name(0))

    rl.manual_seed(0)
    rows, columns = 300, 17
    x = rl.randn(rows, columns, device="rocm:0")
    out = rl.empty(rows, device="rocm:0")
    row_norms = rl.rocm.compile(SOURCE, "row_norms")
    row_norms(x, out, rows, columns, grid=(rows + 63) // 64, block=64)

    expected = (x * x).sum(dim=1).sqrt()
    worst = (out - expected).abs().max().item()
    print(f"{row_norms}: worst difference {worst:.1e}")
    assert worst < 1e-5


if __name__ == "__main__":
    main()
