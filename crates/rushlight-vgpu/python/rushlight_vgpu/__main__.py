"""`python -m rushlight_vgpu`: run, trace, disassemble and repeat AMD machine code (see --help)."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from pathlib import Path


def main() -> int:
    """Pass the command line to the library, and return its exit status."""
    # While a kernel runs the library does not return to Python, so Ctrl-C ends the process.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    library = ctypes.CDLL(str(Path(__file__).resolve().parent / "hip7" / "librushlight_vgpu.so"))
    words = [os.fsencode(word) for word in sys.argv[1:]]
    return int(library.rushlight_vgpu_command(len(words), (ctypes.c_char_p * (len(words) + 1))(*words)))


if __name__ == "__main__":
    sys.exit(main())
