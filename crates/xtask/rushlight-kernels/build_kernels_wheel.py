"""Write the wheel `rushlight-kernels`: archives of compiled kernels, and the package around them.

Usage: build_kernels_wheel.py ARCHIVES OUT, where ARCHIVES is a folder that `cargo xtask kernel-archives` has
filled. Equal inputs give equal bytes.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "crates/rushlight-vgpu/python"))

from build_wheel import record, version, write  # noqa: E402

METADATA = """\
Metadata-Version: 2.4
Name: rushlight-kernels
Version: {version}
Summary: Compiled kernels of Rushlight for common AMD GPUs
License-Expression: MIT OR Apache-2.0
License-File: LICENSE-MIT
License-File: LICENSE-APACHE
Requires-Python: >=3.11
Requires-Dist: rushlight=={version}
Classifier: Development Status :: 3 - Alpha
Classifier: Operating System :: POSIX :: Linux
Classifier: Topic :: Scientific/Engineering :: Artificial Intelligence
Description-Content-Type: text/markdown

{readme}"""

WHEEL = "Wheel-Version: 1.0\nGenerator: rushlight\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def contents(archives: Path) -> dict[str, tuple[bytes, int]]:
    """Return the files of the wheel by name, with their modes."""
    found = sorted(archives.glob("gfx*.zip"))
    if not found:
        raise SystemExit(f"{archives} has no archives: run cargo xtask kernel-archives")
    files = {f"rushlight_kernels/{path.name}": (path.read_bytes(), 0o644) for path in found}
    package = (HERE / "rushlight_kernels/__init__.py").read_bytes()
    files["rushlight_kernels/__init__.py"] = (package, 0o644)
    info = f"rushlight_kernels-{version()}.dist-info"
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    files[f"{info}/METADATA"] = (METADATA.format(version=version(), readme=readme).encode(), 0o644)
    files[f"{info}/WHEEL"] = (WHEEL.encode(), 0o644)
    for name in ("LICENSE-MIT", "LICENSE-APACHE"):
        files[f"{info}/licenses/{name}"] = ((ROOT / name).read_bytes(), 0o644)
    files[f"{info}/RECORD"] = (record(files, info), 0o644)
    return files


def main() -> None:
    """Write the wheel and print its path."""
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    archives, out = Path(sys.argv[1]), Path(sys.argv[2])
    write(out / f"rushlight_kernels-{version()}-py3-none-any.whl", contents(archives))


if __name__ == "__main__":
    main()
