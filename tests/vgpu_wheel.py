"""A Python user without a GPU: two wheels in a new environment, no clang on PATH, ops on "rocm:0".

`cargo xtask test-wheel-vgpu` runs it in that environment, which has no pytest.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import rushlight_vgpu

import rushlight as rl

SOURCE = """
extern "C" __global__ void wave(int* out) { if (threadIdx.x == 0) out[0] = warpSize; }
"""


def check(found: object, wanted: object) -> None:
    """Exit with both values unless they are equal."""
    if found != wanted:
        raise SystemExit(f"expected {wanted!r}, got {found!r}")


def command(*words: object) -> subprocess.CompletedProcess[str]:
    """Run `python -m rushlight_vgpu`."""
    line = [sys.executable, "-I", "-m", "rushlight_vgpu", *map(str, words)]
    return subprocess.run(line, check=False, capture_output=True, text=True)


def main() -> None:
    """Run ops, a gradient and a kernel on the virtual GPU."""
    check([name for name in os.environ["PATH"].split(":") for _ in Path(name).glob("clang*")], [])
    with rl.testing.virtual_rocm("gfx90a", devices=2) as gpu:
        check(os.environ["RUSHLIGHT_VGPU_ARCH"], "gfx90a")
    # The environment variable is restored. The process keeps its virtual GPU, which still finds its compiler.
    check("RUSHLIGHT_ROCM_PATH" in os.environ, False)
    check("virtual" in rl.rocm.device_name(gpu), True)
    check((rl.rocm.device_count(), rl.rocm.get_device_properties(1)["wave_size"]), (2, 64))
    x = rl.arange(12, dtype=rl.float32, device=gpu).reshape((3, 4)).requires_grad_()
    (x @ x.mT).sum().backward()
    check(x.grad.tolist(), [[24.0, 30.0, 36.0, 42.0]] * 3)
    check(rl.rocm.memory_stats(gpu)["compiles"] > 0, True)
    out = rl.zeros(1, dtype=rl.int32, device=gpu)
    rl.rocm.compile(SOURCE, "wave")(out, grid=1, block=64)
    check(out.tolist(), [64])
    # One library under all its names, for each version.
    for hip in rushlight_vgpu.VERSIONS:
        lib = Path(rushlight_vgpu.path(hip)) / "lib"
        check(len({p.resolve() for p in lib.glob("*.so*")}), 1)
        code = f"import rushlight as rl; rl.testing.virtual_rocm(hip={hip}); print(rl.rocm.device_name(0))"
        told = subprocess.run([sys.executable, "-I", "-c", code], check=True, capture_output=True, text=True)
        check("virtual" in told.stdout, True)
    # The command line, on one of the crate's code objects.
    objects = Path(__file__).resolve().parents[1] / "crates/rushlight-vgpu/tests/data"
    told = command("run", objects / "gfx90a.co", "down", "--grid=1", "--block=64", "--arg=out:256")
    check((told.returncode, told.stderr, told.stdout.count("\n")), (0, "", 17))
    told = command("disasm", objects / "gfx90a.co", "sub")
    wanted = f"rushlight-vgpu: {objects / 'gfx90a.co'} has no kernel `sub`; it has: add, down, all\n"
    check((told.returncode, told.stdout, told.stderr), (2, "", wanted))
    # Wrong links are replaced.
    wrong = Path(rushlight_vgpu.path(7)) / "lib" / "libamdhip64.so"
    wrong.unlink()
    wrong.symlink_to("/nowhere")
    check((Path(rushlight_vgpu.path(7)) / "lib" / "libamdhip64.so").exists(), True)
    # If the cache folder cannot be written, the links are made in the folder for temporary files.
    os.environ["RUSHLIGHT_CACHE_DIR"] = "/proc/nowhere"
    check(Path(rushlight_vgpu.path(7), "lib", "libhiprtc.so").is_file(), True)
    check(shutil.which("clang++"), None)
    print(f"rushlight-vgpu: {rl.rocm.device_name(gpu)} ran, compiled by ziglang")


if __name__ == "__main__":
    main()
