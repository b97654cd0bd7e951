"""Checkpoints: files of PyTorch and files for it, damaged and hostile files, and runs that resume from a
file."""

from __future__ import annotations

import io
import os
import pickle
import random
import stat
import zipfile
from collections import Counter, OrderedDict, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from rushlight import data, nn, optim

LAYOUTS = Path(__file__).resolve().parents[1] / "golden" / "layouts.pt"
GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "checkpoint.pt"
FIXTURES = Path(__file__).resolve().parents[2] / "crates/rushlight/tests/fixtures"
DTYPES = [
    *("float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool"),
    *("uint16", "uint32", "uint64", "float8_e4m3fn", "complex64"),
]


def plain(value: Any) -> Any:
    """Tensors as a pair of dtype and bytes."""
    if isinstance(value, rl.Tensor):
        return (
            type(value).__name__,
            value.dtype.name,
            value.shape,
            value.requires_grad,
            value.detach().__reduce__()[1][0],
        )
    if isinstance(value, dict):
        return type(value), [(plain(k), plain(v)) for k, v in value.items()]
    if isinstance(value, (list, tuple)):
        return type(value), [plain(v) for v in value]
    return type(value), value


def test_a_checkpoint_of_pytorch_is_read_whole() -> None:
    found = rl.load(GOLDEN)
    assert found["epoch"] == 2
    assert found["numbers"] == [1.5, -7, 2**40, -(10**30), True, None, float("inf"), complex(1, 2)]
    assert found["texts"] == ("Zürich", b"\x00\xff", {"a", "b"}, frozenset([1]))
    assert found["dicts"] == [{"a": 1}, {"a": 2, "b": 1}, {"x": [1]}]
    assert [type(d) for d in found["dicts"]] == [OrderedDict, Counter, defaultdict]
    assert found["torch"] == [rl.float32, (2, 3), "cpu"]
    base = np.arange(12.0, dtype=np.float32).reshape(3, 4)
    wanted = [base, base.T, base[1:, ::2], np.zeros((2, 2), np.float32), base[2, 3]]
    for got, want in zip(found["views"], wanted, strict=True):
        np.testing.assert_array_equal(got.numpy(), want)
    assert isinstance(found["parameter"], nn.Parameter)
    assert found["grad"].requires_grad
    assert found["empty"].shape == (0, 3)
    for name in DTYPES:
        x = found["dtypes"][name]
        assert (x.dtype.name, x.to(rl.float32).tolist() if name != "complex64" else [0.0, 1.0]) == (
            name,
            [0.0, 1.0],
        )


def test_tensors_that_pytorch_conjugates_late() -> None:
    """Their storage has the numbers before; flags in the pickle say what to do."""
    found = rl.load(LAYOUTS)
    x = [[1 + 2j, 3 - 4j], [5j, 6 + 0j]]
    assert found["plain"].tolist() == x
    assert found["conj"].tolist() == [[1 - 2j, 3 + 4j], [-5j, 6 + 0j]]
    assert found["conj of a view"].tolist() == [3 + 4j, 6 + 0j]
    assert found["neg"].tolist() == [[-2.0, 4.0], [-5.0, 0.0]]


def test_sparse_tensors_are_read_and_written(tmp_path: Path) -> None:
    found = rl.load(LAYOUTS)
    dense = [[0.0, 5.0, 0.0], [7.0, 0.0, -2.0]]
    for where in (found, None):
        if where is None:
            rl.save({name: found[name] for name in ("coo", "coo twice", "csr")}, tmp_path / "x.pt")
            where = rl.load(tmp_path / "x.pt")
        assert isinstance(where["coo"], rl.sparse.COOTensor)
        assert isinstance(where["csr"], rl.sparse.CSRTensor)
        assert where["coo"].to_dense().tolist() == where["csr"].to_dense().tolist() == dense
        assert where["coo"].is_coalesced()
        assert not where["coo twice"].is_coalesced()
        assert where["coo twice"].values().tolist() == [1.0, 2.0, 4.0]
    single = found["csr"]
    rl.save(single, tmp_path / "csr.pt")
    assert rl.load(tmp_path / "csr.pt").to_dense().tolist() == dense


def test_training_goes_on_from_pytorchs_checkpoint() -> None:
    found = rl.load(GOLDEN, map_location="cpu", weights_only=True)
    model = nn.Linear(3, 2)
    optimizer = optim.Adam(model.parameters(), lr=5.0)
    schedule = optim.lr_scheduler.MultiStepLR(optimizer, [9])
    model.load_state_dict(found["model"])
    optimizer.load_state_dict(found["optimizer"])
    schedule.load_state_dict(found["schedule"])
    assert optimizer.param_groups[0]["lr"] == pytest.approx(0.025)
    assert optimizer.state[model.weight]["step"] == 2
    assert schedule.last_epoch == 2
    for _ in range(3):
        schedule.step()
    assert schedule.get_last_lr() == pytest.approx([0.0125])


@pytest.mark.parametrize("name", ["linear", "torch", "big_endian"])
def test_both_readers_agree(name: str) -> None:
    path = FIXTURES / f"{name}.pth"
    want = rl._native._load_pth(path, None, None)
    found = {key: value.detach() for key, value in rl.load(path).items() if isinstance(value, rl.Tensor)}
    assert want
    assert {k: plain(v)[1:] for k, v in found.items()} == {k: plain(v)[1:] for k, v in want.items()}


def example() -> dict[str, Any]:
    shared = rl.ones(3)
    return {
        "tensors": {
            name: rl.astype(rl.tensor([[0, 1, 1]]), getattr(rl, name))
            for name in DTYPES
            if name != "complex64"
        },
        "complex": rl.asarray(np.array([1 + 2j], np.complex64)),
        "scalar": rl.tensor(2.5),
        "empty": rl.zeros((0, 2)),
        "view": rl.arange(6).reshape((2, 3)).T,
        "shared": [shared, shared],
        "grad": rl.ones(2, requires_grad=True),
        "parameter": nn.Parameter(rl.ones(2), requires_grad=False),
        "numbers": [
            0,
            -1,
            2**31,
            -(2**31),
            2**63,
            -(2**63),
            10**700,
            0.1,
            float("-inf"),
            True,
            False,
            None,
            1j,
        ],
        "texts": ["", "äöü\n", b"", b"\x80abc", ("a",), (), {1, 2}, frozenset()],
        "dicts": [{}, OrderedDict(b=1, a=2), Counter("aab"), {1: 2, (3, 4): None, "x": {"y": {}}}],
        "dtype": rl.bfloat16,
    }


@pytest.mark.parametrize("swapped", [False, True])
def test_everything_comes_back(swapped: bool, tmp_path: Path) -> None:
    path, value = tmp_path / "x.pt", example()
    rl.save(value, path) if swapped else rl.save(path, value)
    found = rl.load(path)
    assert plain(found) == plain(value)
    assert found["shared"][0] is found["shared"][1]
    memory = io.BytesIO()
    rl.save(value, memory)
    memory.seek(0)
    assert plain(rl.load(memory)) == plain(value)
    # The native reader gives the same for the entries that it supports.
    named = rl.load(path, key="tensors")
    assert plain(dict(sorted(named.items()))) == plain(dict(sorted(found["tensors"].items())))


@pytest.mark.parametrize("value", [rl.ones(2), 3, None, [1, "a"], 2.5, {"a": None}])
def test_the_top_may_be_anything(value: Any, tmp_path: Path) -> None:
    rl.save(value, tmp_path / "x")
    assert plain(rl.load(tmp_path / "x")) == plain(value)


def test_other_endings(tmp_path: Path) -> None:
    state = nn.Linear(2, 1).state_dict()
    for ending in ("npz", "safetensors", "pt"):
        rl.save(state, tmp_path / f"m.{ending}")
        got = rl.load(tmp_path / f"m.{ending}")
        assert {k: v.tolist() for k, v in got.items()} == {k: v.tolist() for k, v in state.items()}
    for ending in ("npz", "safetensors"):
        with pytest.raises(TypeError, match=rf"{ending} file holds one dict"):
            rl.save({"a": {}}, tmp_path / f"n.{ending}")
    rl.save_file(state, tmp_path / "t.safetensors", {"epoch": "3"})
    assert rl.load_metadata(tmp_path / "t.safetensors") == {"epoch": "3"}
    assert rl.load_metadata(tmp_path / "m.safetensors") == {}
    for name in ("m.npz", "m.pt"):
        with pytest.raises(ValueError, match="safetensors"):
            rl.load_metadata(tmp_path / name)


def test_objects_that_a_file_cannot_hold(tmp_path: Path) -> None:
    path = tmp_path / "x.pt"
    rl.save({"good": 1}, path)
    loop: list[Any] = []
    loop.append(loop)
    for value, error, text in [
        (
            {"a": [1, {"m": nn.Linear(1, 1)}]},
            TypeError,
            r"\['a'\]\[1\]\['m'\] is a rushlight.*Linear.*state_dict",
        ),
        ({"f": print}, TypeError, r"\['f'\] is a builtins"),
        ({"a": np.ones(2)}, TypeError, r"\['a'\] is a numpy.ndarray"),
        ({"a": loop}, ValueError, "holds itself"),
    ]:
        with pytest.raises(error, match=text):
            rl.save(value, path)
    assert rl.load(path) == {"good": 1}, "the old file is whole"
    assert [p.name for p in tmp_path.iterdir()] == ["x.pt"]


def test_links_and_permissions_stay(tmp_path: Path) -> None:
    real, link = tmp_path / "real.pt", tmp_path / "link.pt"
    rl.save({"a": 1}, real)
    os.chmod(real, 0o640)
    link.symlink_to("real.pt")
    rl.save({"a": 2}, link)
    assert link.is_symlink()
    assert rl.load(real) == {"a": 2}
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    with pytest.raises(OSError, match=r"none/x\.pt"):
        rl.save({}, tmp_path / "none" / "x.pt")


def test_map_location(tmp_path: Path) -> None:
    path = tmp_path / "x.pt"
    rl.save({"a": [rl.ones(2)]}, path)
    rl.savez(tmp_path / "x.npz", a=rl.ones(2))
    for place in (
        None,
        "cpu",
        rl.ones(1).device,
        {"cuda:0": "cpu"},
        lambda storage, location: storage,
        lambda s, n: None,
    ):
        assert rl.load(path, map_location=place)["a"][0].tolist() == [1.0, 1.0]
        assert rl.load(tmp_path / "x.npz", map_location=place)["a"].tolist() == [1.0, 1.0]
    seen: list[str] = []

    def doubled(x: rl.Tensor, location: str) -> rl.Tensor:
        seen.append(location)
        return x * 2

    assert rl.load(path, map_location=doubled)["a"][0].tolist() == [2.0, 2.0]
    assert seen == ["cpu"]
    for bad in (5, lambda x, n: 3):
        with pytest.raises(TypeError, match="map_location"):
            rl.load(path, map_location=bad)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="two names"):
        rl.load(path, "cpu", map_location="cpu")
    # A weight that is used twice stays one.
    rl.save([(x := rl.ones(2)), x], path)
    a, b = rl.load(path, map_location="cpu")
    assert a is b


def archive(path: Path, data: bytes, **entries: bytes) -> None:
    with zipfile.ZipFile(path, "w") as out:
        out.writestr("x/data.pkl", data)
        out.writestr("x/version", "3\n")
        for name, content in entries.items():
            out.writestr(f"x/data/{name.removeprefix('_')}", content)


class Evil:
    def __init__(self, *call: Any) -> None:
        self.call = call

    def __reduce__(self) -> Any:
        return self.call[0], tuple(self.call[1:])


STORAGE = b"(X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x02tQ"


@pytest.mark.parametrize("protocol", [0, 1, 2, 4, 5])
def test_nothing_is_executed(protocol: int, tmp_path: Path) -> None:
    mark, path = tmp_path / "mark", tmp_path / "x.pt"
    for call in [
        (os.system, f"touch {mark}"),
        (eval, f"open({str(mark)!r}, 'w')"),
        (exec, f"open({str(mark)!r}, 'w')"),
        (getattr, os, "system"),
        (__import__, "os"),
        (open, str(mark), "w"),
        (pickle.loads, b"N."),
        (io.open, str(mark), "w"),
        (Evil, 1),
        (rl.save, str(mark), 1),
        (bytearray, 10),
    ]:
        for value in (Evil(*call), {"a": [Evil(*call)]}):
            try:
                text = pickle.dumps(value, protocol=protocol)
            except (pickle.PicklingError, TypeError):
                continue
            archive(path, text)
            with pytest.raises(ValueError, match=r"x\.pt' holds objects of .*state_dict"):
                rl.load(path)
    for text in (
        b"(S'touch " + str(mark).encode() + b"'\nios\nsystem\n.",
        b"\x80\x02cposix\nsystem\n.",
        b"\x80\x02c_codecs\nencode\nX\x01\x00\x00\x00aX\x05\x00\x00\x00rot13\x86R.",
        b"\x80\x04\x8c\x05torch\x8c\x0dtorch.load\x93.",
        b"\x80\x02ctorch.storage\n_load_from_bytes\nC\x02N.\x85R.",
        b"\x82\x01.",
        # A state for a class, which would replace the attributes of the class.
        b"\x80\x02ccollections\nCounter\nN}X\x06\x00\x00\x00updateNs\x86b.",
        b"\x80\x02ctorch\ndevice\n}X\x06\x00\x00\x00updateNsb.",
    ):
        archive(path, text)
        with pytest.raises(ValueError, match=r"x\.pt"):
            rl.load(path)
    assert not mark.exists()
    assert callable(Counter.update)


@pytest.mark.parametrize(
    "tail",
    [
        b"K\x00K\x03\x85K\x01\x85",  # three elements of two
        b"K\x01K\x02\x85K\x01\x85",  # an offset too far
        b"J\xff\xff\xff\xffK\x01\x85K\x01\x85",  # a negative offset
        b"K\x00K\x01\x85J\xff\xff\xff\xff\x85",  # a negative stride
        b"K\x00J\xff\xff\xff\xff\x85K\x01\x85",  # a negative size
        b"K\x00K\x01\x85K\x01K\x01\x86",  # two strides of one dimension
        b"K\x00J\xff\xff\xff\x7f\x85K\x00\x85",  # a broadcast tensor larger than the memory
    ],
)
def test_tensors_beyond_their_storage(tail: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.pt"
    start = b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n(" + STORAGE
    archive(path, start + tail + b"\x89}tR.", _0=np.array([1, 2], np.float32).tobytes())
    with pytest.raises(ValueError, match=r"x\.pt' is a damaged pth file"):
        rl.load(path)
    archive(path, start + b"K\x01K\x01\x85K\x01\x85\x89}tR.", _0=np.array([1, 2], np.float32).tobytes())
    assert rl.load(path).tolist() == [2.0]


def test_a_huge_memo_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.pt"
    archive(path, b"\x80\x02}r\xff\xff\xff\xff.")
    with pytest.raises(ValueError, match="memo"):
        rl.load(path)


def test_damaged_files_are_value_errors(tmp_path: Path) -> None:
    path, draw = tmp_path / "x.pt", random.Random(1)
    rl.save(example(), path)
    with zipfile.ZipFile(path) as opened:
        name = next(n for n in opened.namelist() if n.endswith("data.pkl"))
        text = opened.read(name)
        storages = {f"_{n.rsplit('/', 1)[1]}": opened.read(n) for n in opened.namelist() if "/data/" in n}
    failed = 0
    for _ in range(400):
        broken = bytearray(text)
        for _ in range(draw.choice([1, 1, 3])):
            broken[draw.randrange(len(broken))] = draw.randrange(256)
        archive(path, bytes(broken), **storages)
        try:
            rl.load(path)
        except ValueError:
            failed += 1
    assert failed > 100
    for size in range(0, len(text), 7):
        archive(path, text[:size], **storages)
        with pytest.raises(ValueError, match=r"x\.pt"):
            rl.load(path)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.drop, self.last = nn.Linear(4, 8), nn.Dropout(0.3), nn.Linear(8, 1)

    def forward(self, x: rl.Tensor) -> rl.Tensor:
        return self.last(self.drop(self.first(x).tanh()))


KINDS = [
    (
        optim.SGD,
        {"lr": 0.1, "momentum": 0.9},
        lambda o: optim.lr_scheduler.OneCycleLR(o, 0.3, total_steps=40),
    ),
    (optim.AdamW, {"lr": 0.01, "amsgrad": True}, lambda o: optim.lr_scheduler.CosineAnnealingLR(o, 17)),
    (optim.NAdam, {"lr": 0.01}, lambda o: optim.lr_scheduler.MultiStepLR(o, [3, 3, 9], 0.7)),
    (
        optim.Adafactor,
        {"lr": 0.1},
        lambda o: optim.lr_scheduler.SequentialLR(
            o, [optim.lr_scheduler.LinearLR(o), optim.lr_scheduler.ExponentialLR(o, 0.9)], [4]
        ),
    ),
]


class Run:
    """A training run whose whole state is in a file."""

    def __init__(self, kind: Any, kwargs: dict[str, Any], schedule: Any, workers: int, seed: int) -> None:
        rl.manual_seed(seed)
        rng = np.random.default_rng(0)
        rows = data.TensorDataset(
            *(rl.asarray(rng.standard_normal((30, n)).astype(np.float32)) for n in (4, 1))
        )
        self.model = Net()
        self.optimizer = kind(self.model.parameters(), **kwargs)
        self.schedule = schedule(self.optimizer)
        self.loader = data.DataLoader(rows, 8, shuffle=True, num_workers=workers, generator=seed)
        self.epoch, self.step = 0, 0

    def go(self, epochs: int, stop: int | None = None) -> None:
        """Train to an epoch, or to a step."""
        while self.epoch < epochs:
            for x, y in self.loader:
                # Each step sets its own seed, so that its random numbers do not depend on the steps before.
                rl.manual_seed(self.step)
                self.optimizer.zero_grad()
                ((self.model(x) - y) ** 2).mean().backward()
                nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
                self.optimizer.step()
                self.schedule.step()
                self.step += 1
                if self.step == stop:
                    return
            self.epoch += 1

    def save(self, path: Path) -> None:
        parts = ("model", "optimizer", "schedule", "loader")
        states = {name: getattr(self, name).state_dict() for name in parts}
        rl.save({**states, "epoch": self.epoch, "step": self.step}, path)

    def load(self, path: Path) -> None:
        found = rl.load(path)
        for name in ("model", "optimizer", "schedule", "loader"):
            getattr(self, name).load_state_dict(found[name])
        self.epoch, self.step = found["epoch"], found["step"]


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize(("kind", "kwargs", "schedule"), KINDS)
def test_a_resumed_run_gives_the_unbroken_runs_bits(
    kind: Any, kwargs: dict[str, Any], schedule: Any, workers: int, tmp_path: Path
) -> None:
    """The run is resumed in the middle of an epoch; before loading it has other weights, rates and orders."""
    path = tmp_path / "checkpoint.pt"
    whole = Run(kind, kwargs, schedule, workers, seed=1)
    start = plain(whole.model.state_dict())
    whole.go(4)
    first = Run(kind, kwargs, schedule, workers, seed=1)
    first.go(4, stop=6)
    first.save(path)
    second = Run(kind, {**kwargs, "lr": 0.5}, schedule, workers, seed=2)
    assert plain(second.model.state_dict()) != start
    second.load(path)
    second.go(4)
    assert (second.epoch, second.step) == (whole.epoch, whole.step) == (4, 16)
    assert plain(second.model.state_dict()) == plain(whole.model.state_dict()) != start
    assert plain(second.optimizer.state_dict()) == plain(whole.optimizer.state_dict())
    assert second.schedule.get_last_lr() == whole.schedule.get_last_lr()
