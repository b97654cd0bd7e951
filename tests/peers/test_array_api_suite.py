"""The array API standard's own tests, from a checkout that the environment variable ARRAY_API_TESTS names.

git clone --recurse-submodules https://github.com/data-apis/array-api-tests
ARRAY_API_TESTS=$PWD/array-api-tests cargo xtask test-peers
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

CHECKOUT = os.environ.get("ARRAY_API_TESTS")
EXAMPLES = os.environ.get("ARRAY_API_TESTS_EXAMPLES", "20")
# Tests that may fail, by what they draw, and a part of the failure's text.
KNOWN = {
    # Shapes are drawn without a limit of the rank; `capabilities` returns the largest rank, 8.
    "test_reshape": "is more than the 8 dimensions",
}

pytestmark = pytest.mark.skipif(
    not CHECKOUT, reason="ARRAY_API_TESTS is not set; it is a checkout of data-apis/array-api-tests"
)


def packages(folder: Path) -> str:
    """Return a folder with the packages that the tests need, which is empty if they are installed."""
    needed = ("hypothesis", "ndindex", "pytest_jsonreport")
    if not all(importlib.util.find_spec(name) for name in needed):
        requirements = str(Path(CHECKOUT or "") / "requirements.txt")
        run = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder), "-r", requirements]
        subprocess.run(run, check=True)
    return str(folder)


def test_the_standards_own_tests(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}"]
    options = ["--max-examples", EXAMPLES, "--disable-deadline", "--derandomize", "array_api_tests"]
    path = os.pathsep.join(filter(None, (packages(tmp_path / "packages"), os.environ.get("PYTHONPATH"))))
    env = {**os.environ, "ARRAY_API_TESTS_MODULE": "rushlight", "PYTHONPATH": path}
    done = subprocess.run(run + options, cwd=CHECKOUT, env=env, capture_output=True, text=True, check=False)
    assert report.exists(), done.stdout[-4000:] + done.stderr[-4000:]
    cases = list(ET.parse(report).getroot().iter("testcase"))
    failures = [(case.get("name", ""), case.find("failure")) for case in cases]
    failed = {name: f.text or "" for name, f in failures if f is not None}
    unknown = {name for name, text in failed.items() if name not in KNOWN or KNOWN[name] not in text}
    errors = {case.get("name", "") for case in cases if case.find("error") is not None}
    assert len(cases) > 1000
    assert (unknown, errors) == (set(), set()), done.stdout[-8000:]
