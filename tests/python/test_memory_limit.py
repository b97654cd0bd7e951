"""If memory is short, an op works or raises MemoryError; it never ends the process."""

from __future__ import annotations

import subprocess
import sys

import pytest

import rushlight as rl

# Limits the address space to a little more than is in use. Threads are started before, since their stacks
# need memory too.
CODE = """
import pickle, resource, sys
import rushlight as rl
room, expression = int(sys.argv[1]) << 20, sys.argv[2]
x = rl.arange(4_000_000, dtype=rl.float32)
i = rl.arange(4_000_000)
many = rl.concat([i] * 5)
m = rl.sort(x) >= 0
small = rl.ones((300, 300)) @ rl.ones((300, 300))
with open("/proc/self/statm") as f:
    used = int(f.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + room, used + room))
try:
    eval(expression)
    print("ok")
except MemoryError as e:
    print("MemoryError", e)
"""
EXPRESSIONS = [
    "rl.sort(x)",
    "rl.argsort(x)",
    "rl.unique_values(x)",
    "rl.softmax(x, 0)",
    "rl.log_softmax(x, 0)",
    "rl.nonzero(m)",
    "x[m]",
    "x[many]",
    "rl.take(x, many)",
    "rl.sum(rl.reshape(x, (2, -1)), axis=0)",
    "x.tolist()",
    "pickle.dumps(x)",
    "rl.tensor([1.0] * 4_000_000)",
    "rl.frombuffer(bytes(16_000_000), dtype=rl.float32)",
    "rl.functional.cross_entropy(rl.reshape(x, (-1, 4)), i[:1_000_000] % 4)",
    "rl.astype(x, rl.bfloat16)[:1_000_000].reshape((1000, 1000)) @ rl.ones((1000, 1000), dtype=rl.bfloat16)",
]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_op_without_memory(expression: str) -> None:
    said = []
    for room in (4, 20, 60):
        command = [sys.executable, "-c", CODE, str(room), expression]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, f"{room} MiB: {done.returncode} {done.stderr[-400:]}"
        said.append(done.stdout.split()[0])
    assert "MemoryError" in said, "the limits are too wide to tell anything"


@pytest.mark.parametrize("call", ["sum()", "max()", "prod()", "any()", "mean()"])
def test_a_reduction_of_more_than_any_memory(call: str) -> None:
    x = rl.ones((2, 1)).expand(2, 2**61)
    with pytest.raises(MemoryError):
        eval(f"x.{call}", {"x": x})


def test_a_repetition_of_more_than_any_memory() -> None:
    with pytest.raises(MemoryError):
        rl.repeat(rl.arange(3), rl.tensor([2**62] * 3))
    with pytest.raises(MemoryError):
        rl.repeat(rl.arange(3), rl.tensor([2**50] * 3))
    with pytest.raises(ValueError, match="too large"):
        rl.concat([rl.zeros((2**62, 0))] * 4)
