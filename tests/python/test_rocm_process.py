"""An AMD GPU, real or virtual, in separate processes: forks and environment variables."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import rushlight as rl

pytestmark = pytest.mark.skipif(
    not rl.rocm.is_available(), reason="no AMD GPU here; make test runs these on the virtual one"
)


def script(code: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run a script in this environment with more settings."""
    start = "import rushlight as rl\nGPU = 'rocm:0'\n"
    return run([sys.executable, "-c", start + textwrap.dedent(code)], **settings)


def run(command: list[str], **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, env={**os.environ, **settings}, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_gets_an_error_that_names_spawn() -> None:
    """A child's use of a GPU's tensor is a DeviceError; its work on the CPU goes on."""
    done = script(
        """
        import os, warnings
        warnings.simplefilter("ignore")
        x = rl.ones((300,), device=GPU)
        y = x + 1
        child = os.fork()
        if child == 0:
            bad = 0
            uses = [
                lambda: x + y,
                lambda: float(rl.sum(x)),
                lambda: x.cpu(),
                lambda: x.tolist(),
                lambda: rl.ones((3,)).to(GPU),
                lambda: rl.zeros((100000,), device=GPU),
                lambda: rl.rocm.synchronize(GPU),
                lambda: rl.from_dlpack(x) * 2,
            ]
            for i, use in enumerate(uses):
                try:
                    use()
                    print(i, "gave no error", flush=True)
                    bad = 1
                except rl.DeviceError as e:
                    if "spawn" not in str(e):
                        print(i, e, flush=True)
                        bad = 1
            assert float(rl.sum(rl.ones((400, 400)) @ rl.ones((400, 400)))) == 400.0**3
            del x, y
            os._exit(bad)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert float(rl.sum(x + y)) == 900
        print("both fine")
        """
    )
    assert done.stdout == "both fine\n", done.stdout + done.stderr


def test_processes_that_are_spawned_use_the_gpu(tmp_path: Path) -> None:
    code = """
    import multiprocessing
    def work(n):
        return float(rl.sum(rl.ones((n,), device="rocm:0")))
    if __name__ == "__main__":
        assert work(5) == 5
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            print(pool.map(work, [3, 7]))
    """
    # A spawned process imports its parent's file.
    path = tmp_path / "main.py"
    path.write_text("import rushlight as rl\n" + textwrap.dedent(code), encoding="utf-8")
    done = run([sys.executable, str(path)])
    assert done.stdout == "[3.0, 7.0]\n", done.stderr


def test_nothing_is_said_of_rocm_where_there_is_none() -> None:
    code = """
    print(rl.rocm.is_available(), rl.rocm.device_count(), [str(d) for d in rl.devices()])
    try:
        rl.zeros((2,), device=GPU)
    except rl.DeviceError as e:
        print(e)
    """
    done = script(code, RUSHLIGHT_ROCM_PATH="/nowhere")
    first, error = done.stdout.splitlines()
    assert first == "False 0 ['cpu']", done.stderr
    assert error.startswith("rocm:0: cannot load libamdhip64; tried /nowhere"), error
    assert "RUSHLIGHT_ROCM_PATH" in error
    assert done.stderr == ""
