"""The profiler: events, their nesting and sums, the table and the trace."""

from __future__ import annotations

import gzip
import json
import threading
import time
from pathlib import Path

import pytest

import rushlight as rl
from rushlight.profiler import Averages, Event, ProfilerActivity, profile, record_function


def named(prof: profile, name: str) -> list[Event]:
    return [e for e in prof.events() if e.name == name]


def test_ops_are_recorded_with_shapes_bytes_and_memory() -> None:
    x, row = rl.ones((30, 40)), rl.ones(40)
    with profile(record_shapes=True, profile_memory=True) as prof:
        y = rl.exp(x) + row
    exp, add = named(prof, "exp")[0], named(prof, "add")[0]
    assert (exp.kind, exp.device, exp.input_shapes, exp.input_dtypes) == ("op", "cpu", [(30, 40)], ["f32"])
    # The row is broadcast: its 40 elements count once.
    assert (exp.bytes, add.bytes) == (2 * 4800, 2 * 4800 + 160)
    assert exp.memory is not None
    assert add.memory is not None
    assert exp.memory >= x.nbytes + 4800
    assert add.memory >= exp.memory + 4800
    assert 0 <= exp.start <= exp.start + exp.cpu_time_total <= add.start
    assert y.shape == (30, 40)


def test_nothing_is_recorded_outside_the_block() -> None:
    rl.exp(rl.ones(3))
    with profile() as prof:
        rl.sin(rl.ones(3))
    rl.exp(rl.ones(3))
    assert named(prof, "sin")
    assert not named(prof, "exp")
    assert named(prof, "sin")[0].input_shapes == []
    assert named(prof, "sin")[0].memory is None


def test_ranges_nest_and_backward_is_a_range() -> None:
    x = rl.ones((8, 8), requires_grad=True)
    with profile() as prof, record_function("outer"):
        with record_function("inner"):
            y = x @ x
        time.sleep(0.01)
        y.sum().backward()
    outer, inner, backward = (named(prof, name)[0] for name in ("outer", "inner", "backward"))
    assert (outer.kind, outer.device, outer.parent) == ("range", None, None)
    assert inner.parent is outer
    assert backward.parent is outer
    parents = [e.parent for e in named(prof, "matmul")]
    assert parents == [inner, backward, backward]
    assert outer.self_cpu_time_total >= 9_000
    inside = sum(e.cpu_time_total for e in prof.events() if e.parent is outer)
    assert outer.self_cpu_time_total == pytest.approx(outer.cpu_time_total - inside)


def test_decorator_and_exceptions_end_a_range() -> None:
    @record_function("half")
    def half(x: rl.Tensor) -> rl.Tensor:
        if x.ndim == 0:
            raise ValueError("no")
        return x / 2

    with profile() as prof:
        half(rl.ones(2))
        with pytest.raises(ValueError, match="no"):
            half(rl.tensor(1.0))
        rl.exp(rl.ones(2))
    assert len(named(prof, "half")) == 2
    assert named(prof, "exp")[0].parent is None


def test_threads_have_numbers_and_their_own_ranges() -> None:
    def work() -> None:
        rl.exp(rl.ones(2))

    with profile() as prof, record_function("main"):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        rl.sin(rl.ones(2))
    exp, sin = named(prof, "exp")[0], named(prof, "sin")[0]
    assert exp.thread != sin.thread
    assert exp.parent is None
    assert sin.parent is named(prof, "main")[0]


def test_updates_of_many_tensors_are_one_event() -> None:
    model = rl.nn.Sequential(rl.nn.Linear(4, 4), rl.nn.Linear(4, 4))
    optimizer = rl.optim.SGD(model.parameters(), lr=0.1)
    model(rl.ones(2, 4)).sum().backward()
    with profile(record_shapes=True) as prof:
        optimizer.step()
    steps = named(prof, "sgd_step")
    assert len(steps) == 1
    assert len(steps[0].input_shapes) == 8


def test_averages_group_and_sum() -> None:
    with profile(record_shapes=True) as prof:
        for n in (10, 10, 20):
            rl.exp(rl.ones(n))
    averages = prof.key_averages()
    assert isinstance(averages, Averages)
    (exp,) = [a for a in averages if a.key == "exp"]
    events = named(prof, "exp")
    assert (exp.count, exp.bytes) == (3, 4 * 2 * 40)
    assert exp.cpu_time_total == pytest.approx(sum(e.cpu_time_total for e in events))
    assert exp.cpu_time == pytest.approx(exp.cpu_time_total / 3)
    assert exp.device_time_total == 0
    apart = [a for a in prof.key_averages(group_by_input_shape=True) if a.key == "exp"]
    assert [(a.input_shapes, a.count) for a in apart] == [([(10,)], 2), ([(20,)], 1)]


def test_table_is_sorted_and_limited() -> None:
    with profile() as prof:
        for _ in range(3):
            rl.exp(rl.ones(10))
        rl.sin(rl.ones(1000))
    lines = prof.key_averages().table(sort_by="count", row_limit=2).splitlines()
    assert lines[0].split()[:3] == ["name", "kind", "count"]
    assert len(lines) == 2 + 2 + 1
    assert lines[-1].startswith("host: ")
    counts = [int(line.split()[2]) for line in lines[2:4]]
    assert counts == sorted(counts, reverse=True)
    assert "device" not in lines[0]
    assert len(prof.key_averages().table(row_limit=-1).splitlines()) == len(prof.key_averages()) + 3
    assert prof.key_averages().table(sort_by="cuda_time_total")
    with pytest.raises(ValueError, match=r"expected sort_by to be one of .*got 'speed'"):
        prof.key_averages().table(sort_by="speed")


def test_trace_has_the_events(tmp_path: Path) -> None:
    with profile(record_shapes=True, profile_memory=True) as prof, record_function("part"):
        rl.exp(rl.ones(10))
    path = tmp_path / "trace.json"
    prof.export_chrome_trace(path)
    entries = json.loads(path.read_text())["traceEvents"]
    spans = {e["name"]: e for e in entries if e["ph"] == "X"}
    part, exp = spans["part"], spans["exp"]
    assert part["ts"] <= exp["ts"]
    assert exp["ts"] + exp["dur"] <= part["ts"] + part["dur"]
    assert exp["args"] == {"device": "cpu", "bytes": 80, "shapes": [[10]], "dtypes": ["f32"]}
    assert [e["args"]["name"] for e in entries if e["ph"] == "M"] == ["host"]
    assert any(e["ph"] == "C" and e["args"]["bytes"] > 0 for e in entries)


def test_misuse_is_an_error() -> None:
    prof = profile()
    with pytest.raises(RuntimeError, match="nothing has been recorded yet"):
        prof.events()
    with pytest.raises(RuntimeError, match="is not active; start it"):
        prof.stop()
    with prof:
        with pytest.raises(RuntimeError, match="this profiler is not active"):
            profile().stop()
        with pytest.raises(RuntimeError, match="is active already"):
            profile().start()
        rl.exp(rl.ones(1))
    assert named(prof, "exp")
    with pytest.raises(ValueError, match="shapes were not recorded"):
        prof.key_averages(group_by_input_shape=True)
    for wrong in (["cpu"], "cpu", ProfilerActivity.CPU, 3):
        with pytest.raises(TypeError, match="expected a list of ProfilerActivity"):
            profile(wrong)
    with pytest.raises(TypeError, match=r"expected a whole number as row_limit, got 1\.5"):
        prof.key_averages().table(row_limit=1.5)
    with pytest.raises(TypeError, match="record_function: expected a name, got 3"):
        record_function(3)
    with pytest.raises(RuntimeError, match="was not entered in this thread"):
        record_function("part").__exit__()


def test_profiler_can_be_used_again() -> None:
    prof = profile([ProfilerActivity.CPU])
    for name in ("exp", "sin"):
        with prof:
            getattr(rl, name)(rl.ones(2))
        assert [e.name for e in prof.events() if e.kind == "op"][-1] == name
    assert not named(prof, "exp")


def test_a_range_that_is_open_at_the_end_lasts_until_then() -> None:
    prof = profile()
    prof.start()
    with record_function("outer"):
        rl.exp(rl.ones(2))
        time.sleep(0.01)
        prof.stop()
    (outer,) = named(prof, "outer")
    assert outer.cpu_time_total >= 9_000
    assert outer.self_cpu_time_total >= 0


def test_ranges_may_end_in_any_order() -> None:
    first, second = record_function("first"), record_function("second")
    with profile() as prof:
        first.__enter__()
        second.__enter__()
        first.__exit__()
        rl.exp(rl.ones(2))
        second.__exit__()
        rl.sin(rl.ones(2))
    assert named(prof, "exp")[0].parent is named(prof, "second")[0]
    assert named(prof, "sin")[0].parent is None


def test_one_range_in_several_threads() -> None:
    part = record_function("part")

    def work(seconds: float) -> None:
        with part:
            time.sleep(seconds)

    with profile() as prof:
        threads = [threading.Thread(target=work, args=(seconds,)) for seconds in (0.06, 0.02, 0.04)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    times = sorted(e.cpu_time_total / 1e6 for e in named(prof, "part"))
    assert all(found >= slept - 0.001 for found, slept in zip(times, (0.02, 0.04, 0.06), strict=True))


def test_a_lost_profiler_and_one_stopped_inside_do_no_harm() -> None:
    lost = profile()
    lost.start()
    del lost
    prof = profile()

    def fails() -> None:
        with prof:
            rl.exp(rl.ones(2))
            prof.stop()
            raise KeyError

    with pytest.raises(KeyError):
        fails()
    assert named(prof, "exp")


def test_long_names_and_compressed_traces(tmp_path: Path) -> None:
    with profile() as prof, record_function("line\n" + "x" * 300):
        rl.exp(rl.ones(2))
    table = str(prof.key_averages())
    assert "line xxx" in table
    assert max(len(line) for line in table.splitlines()) < 200
    prof.export_chrome_trace(tmp_path / "trace.json.gz")
    with gzip.open(tmp_path / "trace.json.gz", "rt") as file:
        assert len(json.load(file)["traceEvents"]) >= 2
