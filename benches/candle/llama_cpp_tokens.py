"""Print the tokens a second of a GGUF file with llama.cpp, as benches/candle/tokens.rs does with candle.

    python benches/candle/llama_cpp_tokens.py FILE

Without the package llama-cpp-python it prints one line that says so.
"""

import importlib.util
import os
import re
import sys
import time
from collections.abc import Callable

PROMPTS = (64, 256)
SINGLE = 16
SECONDS = 2.0


def least(run: Callable[[], float]) -> float:
    """Repeat a measurement for some seconds, at least twice, and return the least of its times."""
    start = time.perf_counter()
    found = [run(), run()]
    while time.perf_counter() - start < SECONDS:
        found.append(run())
    return min(found)


def main() -> None:
    """Measure prompts and single tokens."""
    if importlib.util.find_spec("llama_cpp") is None:
        print("llama.cpp was not measured: llama-cpp-python is not installed.")
        return
    import llama_cpp  # type: ignore[import-not-found]

    system = llama_cpp.llama_print_system_info().decode()
    features = ", ".join(re.findall(r"(\w+) = 1", system))
    print(f"llama.cpp is that of llama-cpp-python {llama_cpp.__version__}, compiled with {features}.")
    threads = os.cpu_count()
    model = llama_cpp.Llama(
        sys.argv[1], n_ctx=512, n_batch=512, n_threads=threads, n_threads_batch=threads, verbose=False
    )

    def prompt(length: int) -> float:
        model.reset()
        start = time.perf_counter()
        model.eval([1 + i * 7 % 251 for i in range(length)])
        return time.perf_counter() - start

    def single(seen: int) -> float:
        prompt(seen)
        start = time.perf_counter()
        for i in range(SINGLE):
            model.eval([1 + i])
        return time.perf_counter() - start

    single(8)
    for length in PROMPTS:
        print(f"prompt of {length}: {length / least(lambda length=length: prompt(length))}")
    print(f"single tokens: {SINGLE / least(lambda: single(PROMPTS[0]))}")


if __name__ == "__main__":
    main()
