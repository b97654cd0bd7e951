"""`rushlight parity --against torch` and `--against candle`: theirs are the true results."""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: cargo xtask test-peers installs it")

from live import SEED
from rushlight import _native
from rushlight._parity import candle, case, report
from rushlight._parity.command import main

# The cases that are chosen from: for each op with a PyTorch reference its first sample, in f32 if the op has
# that.
SUITE = _native._Parity(SEED)
OPS = sorted({c.op for c in case.table(SUITE) if SUITE.reference(c.index)["kind"] != "none"})
OTHER = "where_cond#1/bool,f32 or bitwise_and#1/i32 or bitwise_or#1/u8 or bitwise_xor#1/i64 "
OTHER += "or bitwise_not#1/i32 or sub#1/i64"


def small() -> str:
    """Return the `-k` text that selects the first sample of each op in f32, without sizes above 999, which
    are for GPU variants."""
    large = re.compile(r"[:,]\d{4,}")
    parts = tuple(f"{op}#1/f32" for op in OPS)
    names = (c.name for c in case.table(SUITE))
    return " or ".join(f"={n}" for n in names if n.startswith(parts) and not large.search(n))


def run(to: Path, part: str, against: str = "torch") -> tuple[int, list[tuple[str, str, str]]]:
    """Run the cases; returns the exit status, and name, status and reason of each."""
    options = ["--against", against, "--seed", str(SEED), "-k", part, "--json", str(to / "r.json")]
    code = main(options)
    rows = json.loads((to / "r.json").read_text())["cases"]
    return code, [(name, status, reason) for name, status, *_, reason in rows]


@pytest.mark.peer
def test_results_are_pytorchs(tmp_path: Path) -> None:
    code, rows = run(tmp_path, f"{OTHER} or {small()}")
    bad = [row for row in rows if row[1] not in ("PASS", "SKIP")]
    assert code == 0, bad[:20]
    assert not bad
    passed = Counter(name.partition("#")[0] for name, status, _ in rows if status == "PASS")
    assert {op for op in OPS if not passed[op]} == set(), "ops of which no case was compared"
    skipped = [reason for _, status, reason in rows if status == "SKIP"]
    assert all(reason.partition(":")[0] in case.SKIPS for reason in skipped)
    print(f"{sum(passed.values())} cases of {len(passed)} ops are PyTorch's, {len(skipped)} were skipped")


@pytest.mark.peer
def test_a_wrong_reference_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch's subtraction is replaced by an addition in every worker, so the reference is wrong."""
    (tmp_path / "sitecustomize.py").write_text("import torch\ntorch.subtract = torch.add\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    code, rows = run(tmp_path, "sub#1/f32,f32/ or mul#1/f32,f32/")
    assert code == 1
    rows = [row for row in rows if row[1] != "SKIP" and ":0/" not in row[0]]
    status = {op: {s for name, s, _ in rows if name.startswith(op)} for op in ("sub", "mul")}
    assert status == {"sub": {"FAIL"}, "mul": {"PASS"}}


@pytest.mark.peer
def test_a_wrong_part_of_complex_numbers_is_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The result of `torch.where` is conjugated in every worker, so its imaginary part is wrong."""
    part = "where_cond#1/bool,c64,c64/"
    code, rows = run(tmp_path, part)
    assert code == 0
    assert {status for name, status, _ in rows if not name.endswith("/hard")} == {"PASS"}
    change = "import torch\nwhere = torch.where\ntorch.where = lambda *a: where(*a).conj().resolve_conj()\n"
    (tmp_path / "sitecustomize.py").write_text(change)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    code, rows = run(tmp_path, part)
    assert code == 1
    reasons = [reason for name, _, reason in rows if not name.endswith("/hard")]
    assert all("imaginary part" in reason for reason in reasons), reasons


@pytest.mark.peer
def test_results_are_candles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reference is computed by the program of benches/peers, which cargo builds in the checkout."""
    monkeypatch.chdir(Path(__file__).parents[2])
    ops = (
        "exp",
        "add",
        "lt",
        "matmul",
        "conv2d",
        "index_select",
        "scatter_add",
        "cumsum",
        "softmax",
        "max_pool2d",
    )
    part = " or ".join(f"{op}#{n}/f32" for op in ops for n in (1, 2))
    code, rows = run(tmp_path, part, "candle")
    assert code == 0, [row for row in rows if row[1] not in ("PASS", "SKIP")][:20]
    for op in ops:
        status = Counter(s for name, s, _ in rows if name.startswith(f"{op}#") and not name.endswith("/grad"))
        assert status["PASS"] > 5, (op, status)
    assert Counter(s for name, s, _ in rows if name.endswith("/grad"))["PASS"] > 5
    skipped = [reason for _, status, reason in rows if status == "SKIP"]
    assert all(reason.partition(":")[0] in case.SKIPS for reason in skipped)


@pytest.mark.peer
def test_a_wrong_value_of_candles_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    part = "add#1/f32,f32/contiguous"
    found = report.load(candle.results(SEED, part, tmp_path / "candle.json"))
    changed = next(row for row in found.rows if row.case.name == part)
    [[dtype, dims, data]] = changed.outputs
    values = np.frombuffer(base64.b64decode(data))
    changed.outputs = [[dtype, dims, base64.b64encode((values + 0.5).tobytes()).decode()]]
    report.json_file(found, tmp_path / "wrong.json")
    code, rows = run(tmp_path, part, str(tmp_path / "wrong.json"))
    assert code == 1
    assert {(name, status) for name, status, _ in rows if status == "FAIL"} == {(part, "FAIL")}
