"""Training as a whole: memory, interruption, forks, threads."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from compare import to_np
from rushlight import functional as F
from rushlight import nn, optim


def live() -> int:
    gc.collect()
    return int(rl.memory_stats()["live"])


def test_memory_stays_and_goes() -> None:
    """Live bytes are equal after step 10 and step 1,000, and zero after everything is dropped."""
    at_start = live()

    def train() -> None:
        rl.manual_seed(0)
        net = nn.Sequential(
            nn.Conv2d(1, 2, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Dropout(0.1),
            nn.Linear(32, 4),
        )
        optimizer = optim.AdamW(net.parameters(), lr=1e-3)
        x, y = rl.randn((6, 1, 8, 8)), rl.asarray([0, 1, 2, 3, 0, 1])
        seen = {}
        for step in range(1, 1001):
            optimizer.zero_grad()
            loss = F.cross_entropy(net(x), y)
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            if step in (10, 1000):
                seen[step] = live()
        assert seen[10] > at_start
        assert seen[10] == seen[1000]

    train()
    assert live() == at_start


def test_learns() -> None:
    rl.manual_seed(3)
    net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))
    optimizer = optim.Adam(net.parameters(), lr=0.02)
    x = rl.asarray([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = rl.asarray([0, 1, 1, 0])
    for _ in range(300):
        optimizer.zero_grad()
        F.cross_entropy(net(x), y).backward()
        optimizer.step()
    assert rl.argmax(net(x), axis=1).tolist() == [0, 1, 1, 0]


def test_same_seed_same_bits() -> None:
    def once() -> np.ndarray[Any, Any]:
        rl.manual_seed(11)
        net = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.3), nn.ReLU(), nn.Linear(8, 1))
        optimizer = optim.AdamW(net.parameters(), lr=0.01)
        for _ in range(20):
            optimizer.zero_grad()
            (net(rl.randn((16, 8))) ** 2).mean().backward()
            optimizer.step()
        return to_np(net[0].weight)

    np.testing.assert_array_equal(once(), once())


def run_script(body: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    script = textwrap.dedent(body)
    return subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=timeout, check=False
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_works_after_fork() -> None:
    """A forked child multiplies and trains although the parent has started its threads."""
    done = run_script(
        """
        import os, warnings
        warnings.simplefilter("ignore")
        import rushlight as rl
        from rushlight import nn, optim
        big = rl.ones((400, 400))
        assert float(rl.sum(big @ big)) == 400.0**3
        child = os.fork()
        if child == 0:
            try:
                assert float(rl.sum(big @ big)) == 400.0**3
                net = nn.Linear(400, 400)
                optimizer = optim.SGD(net.parameters(), lr=0.1)
                net(big).sum().backward()
                optimizer.step()
                assert float(rl.sum(rl.exp(rl.zeros((1000, 1000))))) == 1e6
            except BaseException:
                os._exit(1)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert float(rl.sum(big @ big)) == 400.0**3
        print("both fine")
        """
    )
    assert done.stdout == "both fine\n", done.stderr


def test_ctrl_c_stops_between_ops() -> None:
    done = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import rushlight as rl\n"
            "x = rl.ones((300, 300))\n"
            "try:\n"
            "    print('go', flush=True)\n"
            "    while True:\n"
            "        x = (x @ x) * 0.0 + 1.0\n"
            "except KeyboardInterrupt:\n"
            "    print('stopped', float(x[0, 0]))\n",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert done.stdout is not None
    assert done.stdout.readline() == "go\n"
    done.send_signal(signal.SIGINT)
    out, err = done.communicate(timeout=30)
    assert out == "stopped 1.0\n", err
    assert done.returncode == 0


def test_threads_share_tensors() -> None:
    x = rl.randn((200, 200))
    want = to_np(x @ x)
    wrong: list[int] = []

    def work(number: int) -> None:
        for _ in range(10):
            if not np.array_equal(to_np(x @ x), want):
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert not wrong


def test_a_change_of_shared_memory_waits_for_no_thread() -> None:
    """A write that copies read-only memory releases the array, which needs the GIL.

    Another thread may hold the GIL and wait for the tensor.
    """
    done = run_script(
        """
        import threading
        import numpy as np
        import rushlight as rl

        left = 300
        current = None

        def write():
            global left, current
            while left:
                a = np.zeros(200_000, np.float32)
                a.flags.writeable = False
                x = current = rl.asarray(a)
                del a
                x += 1.0
                left -= 1

        writer = threading.Thread(target=write)
        writer.start()
        while left:
            if current is not None:
                current[:3].sum()
        writer.join()
        print("done", current[:3].tolist())
        """
    )
    assert done.stdout == "done [1.0, 1.0, 1.0]\n", done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_forks_while_other_threads_work() -> None:
    """The child's ops end, whatever the parent's threads were doing at the fork."""
    done = run_script(
        """
        import os, threading, time, warnings
        warnings.simplefilter("ignore")
        import rushlight as rl

        big = rl.ones((300, 300))
        stop = False

        def work():
            while not stop:
                x = rl.exp(big)
                (x @ x).sum()

        threads = [threading.Thread(target=work, daemon=True) for _ in range(3)]
        for t in threads:
            t.start()
        for n in range(30):
            child = os.fork()
            if child == 0:
                y = rl.full((300, 300), 2.0)
                ok = float((y @ y).sum()) == 4.0 * 300**3
                os._exit(0 if ok else 1)
            end = time.monotonic() + 30
            while True:
                pid, status = os.waitpid(child, os.WNOHANG)
                if pid:
                    break
                if time.monotonic() > end:
                    os.kill(child, 9)
                    raise SystemExit(f"child {n} hangs")
                time.sleep(0.001)
            assert status == 0, (n, status)
            if n == 15:
                rl.set_num_threads(3)
        stop = True
        for t in threads:
            t.join()
        print("all ended")
        """,
        timeout=240,
    )
    assert done.stdout == "all ended\n", done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_forks_while_other_threads_work_for_the_first_time() -> None:
    """A value that a process initializes once is not left half initialized in the child. Each try is a new
    process."""
    script = """
        import os, threading, time, warnings
        warnings.simplefilter("ignore")
        import rushlight as rl

        big = rl.ones((300, 300))

        def work():
            while True:
                (rl.exp(big) @ big).sum()

        for _ in range(3):
            threading.Thread(target=work, daemon=True).start()
        time.sleep({wait})
        child = os.fork()
        if child == 0:
            y = rl.full((300, 300), 2.0)
            os._exit(0 if float((y @ y).sum()) == 4.0 * 300**3 else 1)
        end = time.monotonic() + 20
        while not (ended := os.waitpid(child, os.WNOHANG))[0]:
            if time.monotonic() > end:
                os.kill(child, 9)
                os._exit(3)
            time.sleep(0.001)
        os._exit(os.waitstatus_to_exitcode(ended[1]))
        """
    for n in range(24):
        done = run_script(script.replace("{wait}", str(n % 8 * 0.0005)))
        assert done.returncode == 0, (n, done.returncode, done.stderr)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "int64", "uint8", "bool"])
def test_pickle_of_tensors(dtype: str) -> None:
    value = rl.astype(rl.asarray([[1.0, 0.0], [2.0, 3.0]]), getattr(rl, dtype))
    for tensor in (value, value.mT, value[1:], value[:0]):
        again = pickle.loads(pickle.dumps(tensor))
        assert again.dtype == tensor.dtype
        assert again.shape == tensor.shape
        assert again.tolist() == tensor.tolist()
    if dtype == "float32":
        tracked = pickle.loads(pickle.dumps(value.detach().requires_grad_()))
        assert tracked.requires_grad


def test_changed_in_place_after_use_is_an_error() -> None:
    x = rl.asarray([1.0, 2.0]).requires_grad_()
    y = x * 2
    z = y * y
    with rl.no_grad():
        y.copy_(rl.zeros(2))
    with pytest.raises(RuntimeError, match="changed in place"):
        z.sum().backward()


def test_used_twice_broadcast_and_sliced() -> None:
    x = rl.asarray([1.0, 2.0, 3.0]).requires_grad_()
    (x * x + x[1:].sum() + rl.broadcast_to(x, (2, 3)).sum(axis=0)).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [4.0, 9.0, 11.0]
    (x * 1.0).sum().backward()
    assert x.grad.tolist() == [5.0, 10.0, 12.0]


def test_no_grad_and_detach() -> None:
    x = rl.ones(2).requires_grad_()
    with rl.no_grad():
        assert not (x * 2).requires_grad
    assert (x * 2).requires_grad
    assert not x.detach().requires_grad
    with pytest.raises(RuntimeError):
        x.detach().sum().backward()


def test_data_and_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "rushlight.cli", "info", "--json"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert f'"rushlight": "{rl.__version__}"' in done.stdout
    assert '"cpu"' in done.stdout
    plain = subprocess.run(
        [sys.executable, "-m", "rushlight.cli", "info"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert rl.__version__ in plain.stdout
