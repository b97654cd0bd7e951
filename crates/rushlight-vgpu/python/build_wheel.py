"""Write the wheel `rushlight-vgpu`: the libraries that build.sh made, and the package around them.

Usage: build_wheel.py BUILT OUT TAG, where BUILT is target/vgpu, and TAG a platform: manylinux_2_34_x86_64.
The wheel contains one library for each HIP version and a list of the names to open it by. Equal inputs give
equal bytes.
"""

from __future__ import annotations

import base64
import hashlib
import re
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]

METADATA = """\
Metadata-Version: 2.4
Name: rushlight-vgpu
Version: {version}
Summary: A virtual AMD GPU: HIP's interface over kernels that run on the CPU, for tests without hardware
License-Expression: MIT OR Apache-2.0
License-File: LICENSE-MIT
License-File: LICENSE-APACHE
Requires-Python: >=3.11
Requires-Dist: ziglang>=0.15.1,<0.16
Classifier: Development Status :: 3 - Alpha
Classifier: Operating System :: POSIX :: Linux
Classifier: Topic :: Software Development :: Testing
Description-Content-Type: text/markdown

{readme}"""

WHEEL = "Wheel-Version: 1.0\nGenerator: rushlight\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n"


def contents(built: Path, tag: str, version: str) -> dict[str, tuple[bytes, int]]:
    """Return the files of the wheel by name, with their modes."""
    files: dict[str, tuple[bytes, int]] = {}
    for path in sorted((HERE / "rushlight_vgpu").glob("*")):
        if path.is_file():
            files[f"rushlight_vgpu/{path.name}"] = (path.read_bytes(), 0o644)
    for folder in sorted(built.glob("hip[0-9]")):
        lib, to = folder / "lib", f"rushlight_vgpu/{folder.name}"
        names = sorted(p.name for p in lib.iterdir() if p.is_symlink())
        if not names:
            raise SystemExit(f"{lib} contains no links: run make vgpu first")
        files[f"{to}/names.txt"] = ("\n".join(names).encode() + b"\n", 0o644)
        for path in sorted(p for p in lib.rglob("*") if p.is_file() and not p.is_symlink()):
            mode = 0o755 if path.suffix == ".so" else 0o644
            files[f"{to}/{path.relative_to(lib)}"] = (path.read_bytes(), mode)
    found = [name for name in files if name.endswith("/librushlight_vgpu.so")]
    if len(found) != 3:
        raise SystemExit(f"{built} must contain the libraries for HIP 5, 6 and 7, got {found}")
    info = f"rushlight_vgpu-{version}.dist-info"
    readme = (HERE.parent / "README.md").read_text(encoding="utf-8")
    files[f"{info}/METADATA"] = (METADATA.format(version=version, readme=readme).encode(), 0o644)
    files[f"{info}/WHEEL"] = (WHEEL.format(tag=tag).encode(), 0o644)
    for name in ("LICENSE-MIT", "LICENSE-APACHE"):
        files[f"{info}/licenses/{name}"] = ((ROOT / name).read_bytes(), 0o644)
    files[f"{info}/RECORD"] = (record(files, info), 0o644)
    return files


def record(files: dict[str, tuple[bytes, int]], info: str) -> bytes:
    """Return the list of the files with their digests."""
    lines = []
    for name, (data, _) in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}\n")
    return ("".join(lines) + f"{info}/RECORD,,\n").encode()


def version() -> str:
    """Return the version of the workspace."""
    manifest = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
    found = re.search(r'^\[workspace\.package\].*?^version = "(.+?)"', manifest, re.M | re.S)
    if found is None:
        raise SystemExit("Cargo.toml has no version")
    return found[1]


def write(wheel: Path, files: dict[str, tuple[bytes, int]]) -> None:
    """Write a wheel of these files, and print its path."""
    wheel.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (data, mode) in files.items():
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, (0o100000 | mode) << 16
            archive.writestr(entry, data)
    print(wheel)


def main() -> None:
    """Write the wheel and print its path."""
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    built, out, tag = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    write(out / f"rushlight_vgpu-{version()}-py3-none-{tag}.whl", contents(built, tag, version()))


if __name__ == "__main__":
    main()
