"""`rushlight parity` where files, options and signals are not as they should be."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from rushlight._parity import compare
from rushlight._parity.case import repeat, table
from rushlight._parity.command import main


def parity(*args: object) -> int:
    return main([str(a) for a in args])


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of an op that promises bits, of one that does not, and of a bad use."""
    to = tmp_path_factory.mktemp("run") / "a.json"
    assert parity("-k", "neg#1/f32 or exp#1/f32 or add#4/f32,f32/contiguous", "--json", to) == 0
    return to


def changed(run: Path, to: Path, *, part: str, head: dict[str, Any] | None = None, status: str = "") -> Path:
    """Write the results with other bits and without values, for the cases whose name contains a text."""
    found = json.loads(run.read_text())
    for case in found["cases"]:
        if part in case[0]:
            case[2] = f"{int(case[2], 16) ^ 1:016x}"
            case[1] = status or case[1]
    to.write_text(json.dumps(found | (head or {})))
    return to


def test_promised_bits_that_differ_fail_without_values(run: Path, tmp_path: Path, capsys: Any) -> None:
    exact = changed(run, tmp_path / "exact.json", part="neg#1/f32/contiguous")
    assert parity("compare", run, exact) == 1
    assert "the op's bits differ" in capsys.readouterr().out
    assert parity("-k", "neg#1/f32/contiguous", "--against", exact) == 1
    words = changed(run, tmp_path / "words.json", part="/error")
    assert parity("compare", run, words) == 1
    assert "an error's words differ" in capsys.readouterr().out


def test_large_results_within_their_bound_agree_by_their_verdicts(
    run: Path, tmp_path: Path, capsys: Any
) -> None:
    other = changed(run, tmp_path / "other.json", part="exp#1/f32/contiguous")
    assert parity("compare", run, other) == 0
    assert "each run's own verdict is PASS" in capsys.readouterr().out
    # Without a verdict by true values the cases cannot be judged.
    unknown = changed(run, tmp_path / "b.json", part="exp#1/f32/contiguous", head={"against": "cpu"})
    assert parity("compare", run, unknown) == 1
    assert "0 have other bits" not in capsys.readouterr().out


def test_a_case_missing_from_a_complete_run_fails(run: Path, tmp_path: Path, capsys: Any) -> None:
    found = json.loads(run.read_text())
    del found["cases"][3]
    less = tmp_path / "less.json"
    # The file says that only a part of the suite was requested,
    less.write_text(json.dumps(found))
    assert parity("compare", run, less) == 0
    assert "ran a part of the suite: 1 that pass" in capsys.readouterr().out
    # or that all of it was.
    less.write_text(json.dumps(found | {"chosen": ""}))
    assert parity("compare", run, less) == 1
    assert "1 pass in A and not in B" in capsys.readouterr().out


@pytest.mark.parametrize(
    "damage",
    [
        lambda found: [],
        lambda found: {k: v for k, v in found.items() if k != "cells"},
        lambda found: {k: v for k, v in found.items() if k != "seed"},
        lambda found: found | {"format": 99},
        lambda found: found | {"name": None},
        lambda found: found | {"cases": [["neg#1/f32/contiguous", "PASS"]]},
        lambda found: found | {"cases": [[c[0], "WAT", *c[2:]] for c in found["cases"]]},
    ],
)
def test_damaged_files_are_reported_by_name(run: Path, tmp_path: Path, capsys: Any, damage: Any) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps(damage(json.loads(run.read_text()))))
    for words in (["compare", run, bad], ["--against", bad, "-k", "neg#1"]):
        assert parity(*words) == 2
        told = capsys.readouterr().err
        assert told.count("\n") == 1
        assert f"{bad} is not a result file" in told


def test_damaged_values_are_reported_by_name(run: Path, tmp_path: Path, capsys: Any) -> None:
    shutil.copy(run, tmp_path / "a.json")
    values = run.with_suffix(".values.gz").read_bytes()
    (tmp_path / "a.values.gz").write_bytes(values[: len(values) // 2])
    assert parity("compare", run, tmp_path / "a.json") == 2
    assert "is damaged" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--device", ""], "--device ''"),
        (["--device", ","], "--device ','"),
        (["--device", "cpu,cpu"], "each once"),
        (["--device", "cpu,bogus"], "no such device"),
        (["--seed", "-1"], "from 0 to 2^64 - 1"),
        (["--seed", str(1 << 64)], "from 0 to 2^64 - 1"),
        (["--jobs", "-1"], "--jobs -1: from 1 to"),
        (["--jobs", "100000"], "--jobs 100000: from 1 to"),
        (["--time", "0"], "no case was run in 0 s"),
        (["--json", "/nowhere/a.json"], "/nowhere/a.json"),
        (["--json", "x", "--junit", "x"], "the same file"),
    ],
)
def test_options_that_would_run_nothing_or_lose_the_results(
    options: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    junit = [] if "--junit" in options else ["--junit", tmp_path / "kept.xml"]
    assert parity("-k", "add#1/f32", *junit, *options) == 2
    told = capsys.readouterr()
    assert words in told.err
    assert told.err.count("\n") == 1
    # Nothing ran, and no empty file is left.
    assert not list(tmp_path.iterdir())


def test_compare_refuses_reports_that_it_does_not_write(run: Path, tmp_path: Path, capsys: Any) -> None:
    assert parity("compare", run, run, "--junit", tmp_path / "x.xml") == 2
    assert "--markdown only, not --junit" in capsys.readouterr().err


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_stopped_run_ends_its_workers_and_tells_what_ran(number: signal.Signals, tmp_path: Path) -> None:
    # One case hangs. The results of the others exist when the signal arrives, and no worker outlives the run.
    names = [c.name for c in table(compare._native._Parity(0)) if c.name.startswith("neg#1/f32/")]
    alone = next(n for n in names if sum(n in other for other in names) == 1)
    command = [sys.executable, "-m", "rushlight.cli", "parity", "-k", "neg#1/f32/", "--jobs", "2"]
    env = os.environ | {"RUSHLIGHT_PARITY_FAULT": f"hang:{alone}"}
    process = subprocess.Popen(
        [*command, "--json", tmp_path / "a.json"], env=env, stderr=subprocess.PIPE, start_new_session=True
    )

    def children() -> list[int]:
        told = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
        return [int(pid) for pid in told.split()]

    deadline = time.monotonic() + 60
    seen: list[int] = []
    while time.monotonic() < deadline and not (seen and len(children()) < len(seen)):
        seen = max(seen, children(), key=len)
        time.sleep(0.05)
    # (One worker has nothing left to do and is gone; the other hangs.)
    assert process.poll() is None
    process.send_signal(number)
    _, told = process.communicate(timeout=60)
    if number == signal.SIGKILL:
        # The main process is gone, and no worker may remain either.
        deadline = time.monotonic() + 20
        while any(_lives(pid) for pid in seen) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not [pid for pid in seen if _lives(pid)]
        return
    assert process.returncode == 130
    assert f"stopped by {number.name}" in told.decode()
    found = json.loads((tmp_path / "a.json").read_text())
    assert found["totals"]["PASS"] == len(found["cases"]) > 0
    assert found["not_begun"] > 0
    assert not [pid for pid in seen if _lives(pid)]


def test_the_line_that_repeats_a_case_runs_without_path(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    case = next(c for c in table(compare._native._Parity(0)) if c.name == "neg#1/f32/contiguous")
    issues = tmp_path / "my issues.tsv"
    issues.write_text("mine\tneg#1/f32/contiguous\tcpu\tit fails here\n")
    line = repeat(case, "cpu", 3, "f64", issues)
    done = subprocess.run(["sh", "-c", line], check=False, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    assert "unexpected pass: mine" in done.stdout


def test_junit_has_totals(run: Path, tmp_path: Path) -> None:
    to = tmp_path / "a.xml"
    assert parity("-k", "neg#1/f32", "--junit", to) == 0
    root = ET.parse(to).getroot()
    assert root.get("failures") == "0"
    assert int(root.get("tests") or 0) == len(list(root.iter("testcase"))) > 0
