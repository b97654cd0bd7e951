"""Run the job `virtual` of .github/workflows/parity.yml step by step, as GitHub Actions does.

For each target of its matrix in a new folder and environment, with wheels built before, for some seconds.

`cargo xtask test-ci-recipe` runs it: `ci_recipe.py FOLDER WHEEL..`; PyYAML is all it needs.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
FILE = ".github/workflows/parity.yml"
# A sample of cases is enough to show that the steps work.
TIME, SHORT = "--time 15m", "--time 20s"


def check(good: object, words: str) -> None:
    """Exit with a message unless a condition holds."""
    if not good:
        raise SystemExit(f"{FILE}: {words}")


def steps(workflow: dict[str, Any], arch: str, folder: Path, wheels: list[str]) -> dict[str, str]:
    """Run the steps in the folder; return the environment that the last one had."""
    job = workflow["jobs"]["virtual"]

    def filled(text: str) -> str:
        done = text.replace("${{ matrix.arch }}", arch)
        check("${{" not in done, f"this test does not know {done!r}")
        return done

    dist = folder / "dist"
    dist.mkdir(parents=True)
    for wheel in wheels:
        shutil.copy(wheel, dist)
    subprocess.run([sys.executable, "-m", "venv", folder / "python"], check=True)
    given, summary = folder / "env", folder / "summary.md"
    given.touch()
    env = {k: v for k, v in os.environ.items() if not k.startswith("RUSHLIGHT_")}
    env |= {"PATH": f"{folder}/python/bin:/usr/local/bin:/usr/bin:/bin", "GITHUB_ENV": str(given)}
    env |= {"GITHUB_STEP_SUMMARY": str(summary), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    if "RUSHLIGHT_CACHE_DIR" in os.environ:
        env["RUSHLIGHT_CACHE_DIR"] = os.environ["RUSHLIGHT_CACHE_DIR"]
    env |= {k: filled(v) for k, v in (workflow["env"] | job["env"]).items()}
    for step in job["steps"]:
        script = filled(step.get("run", "")).replace(TIME, SHORT)
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            check=False,
            cwd=folder,
            env=env,
            capture_output=True,
            text=True,
        )
        said = f"{done.stdout}{done.stderr}"
        check(done.returncode == 0, f"{arch}: {step.get('name')}: exit status {done.returncode}\n{said}")
        env |= dict(line.split("=", 1) for line in given.read_text().splitlines())
    return env


def results(workflow: dict[str, Any], arch: str, folder: Path) -> int:
    """Check the files to upload; return how many cases passed."""
    upload = workflow["jobs"]["virtual"]["steps"][-1]["with"]["path"].split()
    for pattern in upload:
        check(list(folder.glob(pattern)), f"{arch}: no file matches {pattern}")
    suites = list(ET.parse(folder / "parity.xml").iter("testsuite"))
    counts = {k: sum(int(s.get(k) or 0) for s in suites) for k in ("tests", "failures", "errors")}
    found = json.loads((folder / f"parity-{arch}.json").read_text())
    # (How many run in this time depends on the kernels that were compiled before.)
    check(counts["tests"] > 20, f"{arch}: parity.xml has {counts}")
    check(counts["failures"] + counts["errors"] == 0, f"{arch}: parity.xml has {counts}")
    check(arch in json.dumps(found)[:4000], f"{arch}: the results do not name it")
    summary = (folder / "summary.md").read_text()
    check("PASS" in summary and arch in summary, f"{arch}: the summary is {summary[:400]!r}")
    return counts["tests"]


def main() -> None:
    """Run the recipe for each target."""
    place, wheels = Path(sys.argv[1]).resolve(), sys.argv[2:]
    workflow = yaml.safe_load((ROOT / FILE).read_text())
    check(any(TIME in s.get("run", "") for s in workflow["jobs"]["virtual"]["steps"]), f"no step has {TIME}")
    (build,) = [s["run"] for s in workflow["jobs"]["wheels"]["steps"] if "run" in s]
    dry = subprocess.run([*build.split(), "-n"], check=False, cwd=ROOT, capture_output=True, text=True)
    check(dry.returncode == 0, f"`{build}`: {dry.stderr}")
    shutil.rmtree(place, ignore_errors=True)
    for arch in workflow["jobs"]["virtual"]["strategy"]["matrix"]["arch"]:
        folder = place / arch
        env = steps(workflow, arch, folder, wheels)
        check(Path(env["RUSHLIGHT_ROCM_PATH"]).is_dir(), f"{arch}: {env['RUSHLIGHT_ROCM_PATH']}")
        print(f"{FILE} on {arch}: {results(workflow, arch, folder)} cases passed")
    shutil.rmtree(place)


if __name__ == "__main__":
    main()
