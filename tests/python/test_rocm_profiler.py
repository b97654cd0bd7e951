"""The profiler on a GPU: the device's times, launches, transfers, waits, compilations and libraries.

Runs where there is an AMD GPU, real or virtual; with RUSHLIGHT_TEST_DEVICE=cuda on an NVIDIA GPU.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import rushlight as rl
from rushlight.profiler import ProfilerActivity, profile, record_function

KIND = os.environ.get("RUSHLIGHT_TEST_DEVICE", "rocm")
gpu = rl.cuda if KIND == "cuda" else rl.rocm
pytestmark = pytest.mark.skipif(
    not gpu.is_available(), reason=f"no GPU for {KIND} here; make test runs these on the virtual AMD GPU"
)
GPU = f"{KIND}:0"


def test_events_agree_with_the_counters() -> None:
    model = rl.nn.Sequential(rl.nn.Linear(16, 32), rl.nn.GELU(), rl.nn.Linear(32, 4)).to(GPU)
    optimizer = rl.optim.AdamW(model.parameters())
    x = rl.randn(8, 16)

    def step() -> float:
        loss = model(x.to(GPU)).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss.item()

    step()
    before = gpu.memory_stats(GPU)
    with profile(profile_memory=True) as prof:
        step()
    after = gpu.memory_stats(GPU)
    count = {kind: sum(e.kind == kind for e in prof.events()) for kind in ("kernel", "upload", "download")}
    assert count["kernel"] == after["launches"] - before["launches"] > 10
    assert count["upload"] == after["uploads"] - before["uploads"] == 1
    assert count["download"] == after["downloads"] - before["downloads"] == 1
    libraries = ("blas_calls", "conv_calls", "fft_calls", "solver_calls")
    called = sum(after[key] - before[key] for key in libraries)
    assert sum(e.kind == "library" for e in prof.events()) == called
    (upload,) = [e for e in prof.events() if e.kind == "upload"]
    assert (upload.bytes, upload.device) == (x.nbytes, GPU)
    ops = [e for e in prof.events() if e.kind == "op" and e.device == GPU]
    assert all(e.memory is not None and e.memory > 0 for e in ops)


def test_device_times_follow_the_stream_and_add_up() -> None:
    x = rl.randn(64, 64, device=GPU)
    rl.exp(x @ x)
    with profile() as prof, record_function("part"):
        for _ in range(3):
            y = rl.exp(x @ x)
    assert y.shape == (64, 64)
    work = [e for e in prof.events() if e.kind in ("kernel", "library")]
    assert len(work) >= 6
    for e in work:
        assert e.device_start is not None
        assert e.device_start >= 0
        assert e.self_device_time_total >= 0
        assert e.parent is not None
        assert e.parent.kind in ("op", "library")
    starts = [e.device_start for e in work if e.kind == "kernel"]
    assert starts == sorted(starts)
    (part,) = [e for e in prof.events() if e.name == "part"]
    assert part.device_time_total == pytest.approx(sum(e.self_device_time_total for e in prof.events()))
    assert part.device_time_total > 0
    assert "self device" in prof.key_averages().table().splitlines()[0]
    kernels = [a for a in prof.key_averages() if a.kind == "kernel" and a.key.startswith("exp_f32")]
    assert [a.count for a in kernels] == [3]


def test_host_activity_alone_measures_no_device_time(tmp_path: Path) -> None:
    x = rl.ones(10, device=GPU)
    with profile([ProfilerActivity.CPU]) as prof:
        rl.exp(x)
        gpu.synchronize(GPU)
    kinds = [e.kind for e in prof.events()]
    assert "kernel" in kinds
    assert kinds[-1] == "wait"
    assert all(e.device_start is None and e.device_time_total == 0 for e in prof.events())
    with profile() as prof:
        rl.exp(x)
    prof.export_chrome_trace(tmp_path / "trace.json")
    entries = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert [e["args"]["name"] for e in entries if e["ph"] == "M"] == ["host", GPU]
    assert [e["cat"] for e in entries if e["ph"] == "X" and e["pid"] == 1] == ["kernel"]


def test_compilations_are_events() -> None:
    """A new process with an empty cache compiles a file of kernels, and a second time none."""
    code = (
        "import rushlight as rl\n"
        f"x = rl.ones(4, device={GPU!r})\n"
        "with rl.profiler.profile() as prof:\n"
        "    rl.cumsum(x, 0); rl.cumsum(x, 0)\n"
        "print([e.name for e in prof.events() if e.kind == 'compile'])\n"
    )
    environment = {**os.environ, "RUSHLIGHT_CACHE_DIR": ""}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "['cumsum f32']"
