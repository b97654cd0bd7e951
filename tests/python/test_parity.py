"""The command `rushlight parity` on the CPU: cases of every status, result files, comparison of runs."""

from __future__ import annotations

import base64
import contextlib
import gzip
import json
import os
import re
import shlex
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from rushlight import _native
from rushlight._parity import case, compare, known, peers, pool, report
from rushlight._parity.command import main, seconds

FEW = "add#1/f32,f32/ or exp#1/f32/"


def parity(*args: object) -> int:
    return main([str(a) for a in args])


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every file of a small run."""
    to = tmp_path_factory.mktemp("run")
    names = {"json": "a.json", "junit": "a.xml", "markdown": "a.md", "html": "a.html", "summary": "s.json"}
    options = [x for option, name in names.items() for x in (f"--{option}", to / name)]
    assert parity("--device", "cpu", "-k", FEW, *options) == 0
    return to


def test_a_result_file_says_what_ran_where(run: Path) -> None:
    done = json.loads((run / "a.json").read_text())
    assert done["evidence"] == "hardware"
    assert done["rushlight"] == _native.__version__
    assert {"name", "arch", "wave", "commit", "when", "seed", "against", "platform"} <= set(done)
    assert done["totals"]["PASS"] == len(done["cases"]) > 20
    name, status, bits, *_ = next(c for c in done["cases"] if c[0] == "add#1/f32,f32/contiguous")
    assert status == "PASS"
    assert re.fullmatch(r"[0-9a-f]{16}", bits)
    with gzip.open(run / "a.values.gz", "rt") as f:
        values = dict(json.loads(line) for line in f)
    assert values[name][0][:2] == ["f32", [2, 3]]
    short = json.loads((run / "s.json").read_text())
    assert {"evidence", "name", "arch", "wave", "commit", "when"} <= set(short)
    cells = {tuple(c[:3]): c[3] for c in short["cells"]}
    assert set(cells) == {("exp", "f32", "forward"), ("exp", "f32", "gradient")} | {
        ("add", "f32", run) for run in ("forward", "gradient")
    }
    assert sum(cells["exp", "f32", "forward"].values()) == sum(
        c[0].startswith("exp#") and not c[0].endswith("/grad") for c in done["cases"]
    )


def test_junit_markdown_and_html(run: Path) -> None:
    root = ET.parse(run / "a.xml").getroot()
    tests = [t.get("name") for t in root.iter("testcase")]
    assert "add/f32/forward" in tests
    assert not list(root.iter("failure"))
    assert "0 FAIL" in (run / "a.md").read_text()
    assert "| binary |" in (run / "a.md").read_text()
    page = (run / "a.html").read_text()
    assert "<h2>forward</h2>" in page
    assert "http" not in page


def test_runs_of_equal_values_agree_and_others_do_not(run: Path, tmp_path: Path, capsys: Any) -> None:
    assert parity("compare", run / "a.json", run / "a.json") == 0
    assert "100.00 % of" in capsys.readouterr().out
    # A run in which one element of an exact op differs in a bit, and one element of exp, for which this is
    # allowed.
    other = report.load(run / "a.json")
    changed = {"add#1/f32,f32/contiguous", "exp#1/f32/contiguous"}
    for row in other.rows:
        if row.case.name in changed:
            dtype, dims, data = compare._raw(row.outputs)[0]
            moved = bytes([data[0] ^ 1]) + data[1:]
            row.outputs = [[dtype, dims, base64.b64encode(moved).decode()]]
            row.hash = "0" * 16
    report.json_file(other, tmp_path / "b.json")
    assert parity("compare", run / "a.json", tmp_path / "b.json") == 1
    said = capsys.readouterr().out
    assert "1 differ" in said
    assert "add#1/f32,f32/contiguous" in said
    assert "exp#1/f32/contiguous" not in said
    # The same comparison with `--against` while the suite runs.
    assert parity("-k", "=add#1/f32,f32/contiguous", "--against", tmp_path / "b.json") == 1
    assert parity("-k", "=exp#1/f32/contiguous", "--against", tmp_path / "b.json") == 0


def test_a_failure_names_the_archs_that_share_it(run: Path, tmp_path: Path, capsys: Any) -> None:
    bad = "add#1/f32,f32/transposed"
    for arch, status in (("gfx1100", "FAIL"), ("gfx90a", "CRASH"), ("gfx942", "PASS")):
        other = report.load(run / "a.json")
        other.head["arch"] = arch
        for row in other.rows:
            if row.case.name == bad:
                row.status, row.reason = status, "" if status == "PASS" else f"wrong on {arch}"
        report.json_file(other, tmp_path / f"{arch}.json")
    files = [tmp_path / f"{arch}.json" for arch in ("gfx1100", "gfx90a", "gfx942")]
    assert parity("compare", run / "a.json", *files) == 1, "what passes in A fails elsewhere"
    said = capsys.readouterr().out
    assert f"{bad}: FAIL wrong on gfx1100 (also failing in: gfx90a)" in said
    assert f"{bad}: CRASH wrong on gfx90a (also failing in: gfx1100)" in said
    assert said.count("1 pass in A and not in") == 2
    assert "0 pass in A and not in D" in said
    # A case that failed before and passes now is not a failure, nor is one that failed in both.
    assert parity("compare", files[0], run / "a.json", files[1]) == 0
    assert parity("compare", run / "a.json", files[2]) == 0


@pytest.mark.parametrize(("kind", "status"), [("crash", "CRASH"), ("hang", "TIMEOUT")])
def test_a_crash_or_a_hang_is_one_row(
    kind: str, status: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    bad = "add#1/f32,f32/transposed"
    monkeypatch.setenv("RUSHLIGHT_PARITY_FAULT", f"{kind}:{bad}")
    to = tmp_path / "r.json"
    limit = 4 if kind == "hang" else 60
    assert (
        parity("-k", FEW, "--jobs", 1, "--timeout", limit, "--json", to, "--junit", tmp_path / "r.xml") == 1
    )
    rows = {name: s for name, s, *_ in json.loads(to.read_text())["cases"]}
    assert rows[bad] == status
    assert Counter(rows.values()) == {status: 1 + (f"{bad}/grad" in rows), "PASS": len(rows) - 1}
    said = capsys.readouterr().out
    assert f"{status} {bad}: " in said
    assert len(list(ET.parse(tmp_path / "r.xml").getroot().iter("error"))) == 1
    # The printed command repeats the failed case.
    again = re.findall(r"again: \S*rushlight (parity .*)", said)[0]
    command = [sys.executable, "-m", "rushlight.cli", *shlex.split(again), "--timeout", str(limit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "1 cases in" in done.stdout
    monkeypatch.delenv("RUSHLIGHT_PARITY_FAULT")
    assert parity("-k", FEW) == 0


def test_cases_that_a_lost_device_leaves_are_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    bad = "add#1/f32,f32/transposed"
    monkeypatch.setenv("RUSHLIGHT_PARITY_FAULT", f"crash:{bad}")
    start, starts = pool.Pool._start, []

    def lost(self: pool.Pool) -> None:
        starts.append(1)
        if len(starts) > 1:
            self.settings = {**self.settings, "device": "rocm:99"}
        start(self)

    monkeypatch.setattr(pool.Pool, "_start", lost)
    files = ["--json", tmp_path / "r.json", "--junit", tmp_path / "r.xml"]
    assert parity("-k", FEW, "--jobs", 1, *files) == 1
    rows = {
        name: (status, why)
        for name, status, *_, why in json.loads((tmp_path / "r.json").read_text())["cases"]
    }
    assert rows[bad][0] == "CRASH"
    missed = [why for status, why in rows.values() if status == "MISSED"]
    assert missed
    assert len(missed) + 1 + sum(status == "PASS" for status, _ in rows.values()) == len(rows)
    assert all("the device was lost: " in why and "rocm:99" in why for why in missed)
    failures = ET.parse(tmp_path / "r.xml").getroot().iter("failure")
    assert sum("MISSED: the device was lost" in f.get("message", "") for f in failures) == len(missed)
    assert f"{len(missed)} MISSED" in capsys.readouterr().out


def test_a_terminal_has_a_progress_bar() -> None:
    pty = pytest.importorskip("pty")
    main_end, end = pty.openpty()
    command = [sys.executable, "-m", "rushlight.cli", "parity", "-k", FEW]
    with os.fdopen(main_end, "rb", buffering=0) as terminal:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=end)
        os.close(end)
        shown = b""
        # (Reading from a terminal whose other end is closed is an error on Linux.)
        with contextlib.suppress(OSError):
            while part := terminal.read(4096):
                shown += part
        out, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    assert b"0 FAIL" in out
    states = shown.decode().split("\r\x1b[K")
    count = re.search(r"(\d+) cases in", out.decode())
    assert count
    last = [s for s in states if s][-1]
    assert re.match(rf"\[#{{30}}\] 100 %  {count[1]} cases  0 bad  (add|exp)$", last), states
    assert states[-1] == "", "the line is cleared at the end"
    # If stderr is not a terminal, no progress is printed.
    plain = subprocess.run(command, capture_output=True, check=True)
    assert plain.stderr == b""


def test_known_issues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    bad = "add#1/f32,f32/transposed"
    file = tmp_path / "known.tsv"
    file.write_text(f"# comment\nRL-1\t{bad}\tcpu\tit aborts\n")
    monkeypatch.setenv("RUSHLIGHT_PARITY_FAULT", f"crash:{bad}")
    options = ["-k", FEW, "--known", file, "--json", tmp_path / "r.json"]
    assert parity(*options) == 0
    rows = {c[0]: c for c in json.loads((tmp_path / "r.json").read_text())["cases"]}
    assert rows[bad][1] == "XFAIL"
    assert rows[bad][6].startswith("RL-1: it aborts")
    # It passes now, which is reported as a failure.
    monkeypatch.delenv("RUSHLIGHT_PARITY_FAULT")
    assert parity(*options) == 1
    assert "unexpected pass: RL-1" in capsys.readouterr().out
    file.write_text("RL-1\tadd\n")
    assert parity(*options) == 2
    assert "not four columns" in capsys.readouterr().err
    known.read(known.OWN)


def test_a_short_run_samples_ops_evenly(tmp_path: Path) -> None:
    assert parity("--time", "1s", "--jobs", 1, "--json", tmp_path / "r.json") == 0
    done = json.loads((tmp_path / "r.json").read_text())
    assert done["not_begun"] > 0
    count = Counter(c[0].partition("#")[0] for c in done["cases"])
    all_cases = Counter(c.op for c in case.table(_native._Parity(0)))
    assert len(count) == min(len(all_cases), len(done["cases"])), "an op twice before every one has come"
    most = max(count.values())
    for op, n in count.items():
        assert n >= min(most - 4, all_cases[op]), f"{n} cases of {op}, {most} of another op"


def test_against_numpy(tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    part = "tanh#1/f16/ or matmul#1/f32,f32/ or sum#1/f32/ or softmax#1/f32/ or sub#1/i32,i32/"
    assert parity("--against", "numpy", "-k", part, "--json", tmp_path / "r.json") == 0
    rows = json.loads((tmp_path / "r.json").read_text())["cases"]
    passed = {c[0].partition("#")[0] for c in rows if c[1] == "PASS"}
    assert passed >= {"tanh", "matmul", "sum", "softmax", "sub"}
    skipped = [c for c in rows if c[1] == "SKIP"]
    assert skipped
    assert all(c[6].partition(":")[0] in case.SKIPS for c in skipped)


def test_expressions_are_those_of_the_definitions() -> None:
    suite = _native._Parity(0)
    ops = {c.op for c in case.table(suite) if suite.reference(c.index)["kind"] == "expression"}
    assert ops == set(peers.EXPRESSIONS)


def test_a_wrong_reference_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In every worker NumPy's subtraction is replaced by an addition, and its means by slightly wrong
    ones."""
    pytest.importorskip("numpy")
    change = "import numpy\nnumpy.subtract, mean = numpy.add, numpy.mean\n"
    change += "numpy.mean = lambda *a, **k: mean(*a, **k) + 0.001\n"
    (tmp_path / "sitecustomize.py").write_text(change)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    part = "sub#1/f32,f32/ or sub#1/i32,i32/ or mean#1/f32/ or mul#1/f32,f32/"
    assert parity("--against", "numpy", "-k", part, "--json", tmp_path / "r.json") == 1
    rows = json.loads((tmp_path / "r.json").read_text())["cases"]
    rows = [c for c in rows if c[1] != "SKIP" and ":0/" not in c[0]]
    status = {op: {c[1] for c in rows if c[0].startswith(f"{op}#")} for op in ("sub", "mean", "mul")}
    assert status == {"sub": {"FAIL"}, "mean": {"FAIL"}, "mul": {"PASS"}}
    reason = next(c[6] for c in rows if c[0] == "sub#1/f32,f32/contiguous")
    assert reason.startswith("6 of 6 elements: [0, 0] is ")


@pytest.mark.parametrize(("part", "off"), [("imaginary", "0.5j"), ("real", "0.5")])
def test_both_parts_of_complex_numbers_are_held_against_numpys(
    part: str, off: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In every worker one part of NumPy's complex result is changed."""
    pytest.importorskip("numpy")
    options = ["-k", "where_cond#1/bool,c64,c64/ or copy#1/c64/", "--json", tmp_path / "r.json"]

    def statuses() -> set[str]:
        rows = json.loads((tmp_path / "r.json").read_text())["cases"]
        # (NumPy is asked for results only.)
        return {
            c[1] for c in rows if c[0].startswith("where_cond#") and not c[0].endswith(("/hard", "/grad"))
        }

    assert parity("--against", "numpy", *options) == 0
    assert json.loads((tmp_path / "r.json").read_text())["totals"]["PASS"] > 10
    assert statuses() == {"PASS"}
    change = f"import numpy\nwhere = numpy.where\nnumpy.where = lambda *a: where(*a) + {off}\n"
    (tmp_path / "sitecustomize.py").write_text(change)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert parity("--against", "numpy", *options) == 1
    assert statuses() == {"FAIL"}
    rows = json.loads((tmp_path / "r.json").read_text())["cases"]
    reasons = [c[6] for c in rows if c[1] == "FAIL"]
    assert all(f"{part} part" in reason for reason in reasons), reasons


def test_a_file_of_true_complex_numbers_has_both_parts(tmp_path: Path) -> None:
    np = pytest.importorskip("numpy")
    suite = _native._Parity(0)
    name = "flip#1/c64/contiguous"
    found = next(c for c in case.table(suite) if c.name == name)
    dtype, dims, raw = suite.run(found.index, "cpu", "f64", 1000)["outputs"][0]
    own = np.frombuffer(raw, dtype="complex64").reshape(dims)
    for off, status in [(0.5j, 1), (0, 0), (0.5, 1), (0, 0)]:
        data = base64.b64encode((own + off).astype("complex64").tobytes()).decode()
        file = truth([report.Row(found, "PASS", outputs=[[dtype, dims, data]])], tmp_path / "c.json")
        assert parity("--against", file, "-k", f"={name}") == status, off


def test_values_that_no_reference_is_judged_by_are_skipped(tmp_path: Path) -> None:
    """Sums of numbers of very different sizes are not compared with NumPy's, so such a case is skipped and
    does not pass."""
    pytest.importorskip("numpy")
    part = "sum#1/f32/2:4099/peaks or softmax#2/f32/3:4099/peaks or add#1/f32,f32/hard"
    assert parity("--against", "numpy", "-k", part, "--json", tmp_path / "r.json") == 0
    rows = {c[0]: (c[1], c[6]) for c in json.loads((tmp_path / "r.json").read_text())["cases"]}
    assert len(rows) >= 3
    assert {status for status, _ in rows.values()} == {"SKIP"}, rows


def truth(rows: list[report.Row], to: Path, **head: Any) -> Path:
    """Write a file as another library's program does: true values in f64."""
    head = {"format": 1, "evidence": "outside", "device": "other", "name": "another library", **head}
    report.json_file(report.Results({"seed": 0, "values": "true", **head}, rows), to)
    return to


def test_a_file_of_true_values_is_a_reference(tmp_path: Path, capsys: Any) -> None:
    """True values in f64 are not the bits of a dtype, so each result may differ by its op's bound."""
    np = pytest.importorskip("numpy")
    suite = _native._Parity(0)
    cases = {c.name: c for c in case.table(suite)}

    def row(name: str, *outputs: Any, reason: str = "") -> report.Row:
        raw = [["f64", list(o.shape), base64.b64encode(o.tobytes()).decode()] for o in outputs]
        return report.Row(cases[name], "SKIP" if reason else "PASS", reason, outputs=raw)

    def inputs(name: str) -> list[Any]:
        given = suite.inputs(cases[name].index)
        return [np.array(t.to("float64").tolist()).reshape(tuple(t.shape)) for t in given]

    names = ["exp#1/f32/contiguous", "sum#1/f16/contiguous", "sub#1/f32,f32/transposed"]
    names += ["mul#1/f32,f32/contiguous/grad", "matmul#1/f32,f32/contiguous"]
    exp, total, sub, grad, product = names
    a, b = inputs(grad)
    axes = tuple(suite.attributes(cases[total].index)["axes"])
    right = [
        row(exp, np.exp(inputs(exp)[0])),
        row(total, np.sum(inputs(total)[0], axis=axes)),
        row(sub, np.subtract(*inputs(sub))),
        row(grad, b, a),
        row(product, reason="no-reference: it has no function for matmul"),
    ]
    part = " or ".join(names)
    options = ["-k", part, "--json", tmp_path / "r.json"]
    assert parity("--against", truth(right, tmp_path / "right.json"), *options) == 0
    rows = {c[0]: (c[1], c[6]) for c in json.loads((tmp_path / "r.json").read_text())["cases"]}
    assert {name: rows[name][0] for name in names} == dict.fromkeys(names[:4], "PASS") | {product: "SKIP"}
    assert rows[product][1] == "no-reference: it has no function for matmul"
    assert rows["exp#1/f32/contiguous/grad"] == ("SKIP", "no-reference: the file has no such case")
    # The two files in either order: their cases agree, and no other case is counted.
    for pair in (("r.json", "right.json"), ("right.json", "r.json")):
        assert parity("compare", *(tmp_path / name for name in pair)) == 0
        assert "100.00 % of 4 cases that both pass agree" in capsys.readouterr().out
    # One value is slightly wrong, in one case after the other; then a gradient; then an output is missing.
    for at, change in [
        (0, row(exp, np.exp(inputs(exp)[0]) * (1 + 1e-5))),
        (1, row(total, np.sum(inputs(total)[0], axis=axes) + 0.125)),
        (2, row(sub, np.nextafter(np.subtract(*inputs(sub)), 9.0, dtype=np.float32).astype(float))),
        (3, row(grad, b, a * 1.001)),
        (3, row(grad, b)),
    ]:
        wrong = [change if i == at else r for i, r in enumerate(right)]
        name = names[at]
        assert parity("--against", truth(wrong, tmp_path / "wrong.json"), *options) == 1
        rows = {c[0]: (c[1], c[6]) for c in json.loads((tmp_path / "r.json").read_text())["cases"]}
        assert [n for n, (status, _) in rows.items() if status == "FAIL"] == [name], rows


def test_against_another_device(tmp_path: Path, capsys: Any) -> None:
    """The test device, CPU memory behind another id, is the other device; tests of GPUs are in
    test_rocm_parity.py."""
    bad = next(c for c in case.table(_native._Parity(0)) if (c.op, c.run) == ("matmul", "error"))
    options = ["-k", f"{FEW} or {bad.name}", "--json", tmp_path / "r.json"]
    assert parity("--against", "test:1", *options) == 0
    done = json.loads((tmp_path / "r.json").read_text())
    assert (done["against"], done["reference"]["device"]) == ("test:1", "test:1")
    assert ", against test:1: test device (evidence: host)" in capsys.readouterr().out
    assert done["totals"]["PASS"] == len(done["cases"])
    runs = {run: cells for _, _, run, cells, *_ in done["cells"]}
    assert set(runs) == {"forward", "gradient", "error"}, "values, gradients and bad uses"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--against", "candle"], "this folder is not a checkout of Rushlight"),
        (["--against", "torch"], "pip install torch"),
        (["--against", "rocm:99"], "--against rocm:99: rocm:99: "),
        (["--against", "test:1", "--device", "test:1"], "--against test:1: that is the device itself"),
        (["--against", "nothing.json"], "no such file"),
        (["--device", "rocm:99"], "rocm:99"),
        (["-k", "no such op"], "no case has"),
        (["compare", "a.json"], "compare A.json B.json"),
    ],
)
def test_bad_options_say_what_to_do(
    options: list[str], words: str, capsys: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.chdir(tmp_path)
    assert parity(*options) == 2
    assert words in capsys.readouterr().err


def test_other_seeds_have_other_values() -> None:
    a, b = (_native._Parity(seed) for seed in (0, 7))
    at = next(c.index for c in case.table(a) if c.name == "add#1/f32,f32/contiguous")
    assert a.inputs(at)[0].tolist() == _native._Parity(0).inputs(at)[0].tolist()
    assert a.inputs(at)[0].tolist() != b.inputs(at)[0].tolist()
    assert a.run(at, "cpu", "f64", 100)["hash"] != b.run(at, "cpu", "f64", 100)["hash"]


def test_times() -> None:
    assert [seconds(t) for t in ("60s", "10m", "1.5h", "90")] == [60, 600, 5400, 90]
