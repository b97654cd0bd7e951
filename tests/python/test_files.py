"""npy, npz, pth and safetensors files, compared with NumPy and with files that PyTorch wrote."""

from __future__ import annotations

import io
import os
import stat
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight as rl

FIXTURES = Path(__file__).resolve().parents[2] / "crates/rushlight/tests/fixtures"
DTYPES = (
    *("bool", "int8", "uint16", "int32", "uint64", "float16", "float32", "float64"),
    *("complex64", "complex128"),
)


@pytest.mark.parametrize("name", DTYPES)
def test_npy_both_ways(name: str, tmp_path: Path) -> None:
    value = (np.arange(6).reshape(2, 3) % 4).astype(name)
    rl.save(tmp_path / "ours", rl.asarray(value).T)
    back = np.load(tmp_path / "ours.npy")
    assert back.dtype == value.dtype
    np.testing.assert_array_equal(back, value.T)
    np.save(tmp_path / "theirs.npy", np.asfortranarray(value))
    got = rl.load(tmp_path / "theirs.npy")
    assert isinstance(got, rl.Tensor)
    assert got.dtype.name == name
    np.testing.assert_array_equal(got.numpy(), value)


def test_npz_both_ways(tmp_path: Path) -> None:
    a, b = np.arange(4.0), np.eye(2, dtype=np.int16)
    rl.savez(str(tmp_path / "ours"), rl.asarray(a), eye=rl.asarray(b))
    with np.load(tmp_path / "ours.npz") as back:
        assert sorted(back) == ["arr_0", "eye"]
        np.testing.assert_array_equal(back["arr_0"], a)
        np.testing.assert_array_equal(back["eye"], b)
    np.savez_compressed(tmp_path / "theirs.npz", a, eye=b)
    got = rl.load(tmp_path / "theirs.npz", device="cpu")
    assert isinstance(got, dict)
    assert {k: v.tolist() for k, v in got.items()} == {"arr_0": a.tolist(), "eye": b.tolist()}


def test_a_tensor_that_requires_a_gradient_is_saved_without(tmp_path: Path) -> None:
    rl.save(tmp_path / "x.npy", rl.tensor([1.0, 2.0], requires_grad=True))
    got = rl.load(tmp_path / "x.npy")
    assert isinstance(got, rl.Tensor)
    assert not got.requires_grad
    assert got.tolist() == [1.0, 2.0]


def test_pth_of_pytorch() -> None:
    """A file that PyTorch wrote: the state dict of a linear layer, and one inside a checkpoint."""
    state = rl.load(FIXTURES / "linear.pth")
    assert isinstance(state, dict)
    assert sorted(state) == ["bias", "weight"]
    layer = rl.nn.Linear(state["weight"].shape[1], state["weight"].shape[0])
    layer.load_state_dict(state)
    assert layer.weight.tolist() == state["weight"].tolist()
    nested = rl.load(FIXTURES / "nested.pth", key="model")
    assert isinstance(nested, dict)
    assert nested
    whole = rl.load(FIXTURES / "nested.pth")
    assert {k: v.tolist() for k, v in whole["model"].items()} == {k: v.tolist() for k, v in nested.items()}
    with pytest.raises(ValueError, match="missing"):
        rl.load(FIXTURES / "nested.pth", key="missing")


def test_safetensors_and_files_by_content(tmp_path: Path) -> None:
    """The content of a file decides, not its name."""
    rl.save_file({"w": rl.ones(3)}, tmp_path / "model.npy")
    got = rl.load(tmp_path / "model.npy")
    assert isinstance(got, dict)
    assert got["w"].tolist() == [1.0] * 3
    with pytest.raises(ValueError, match="key"):
        rl.load(tmp_path / "model.npy", key="model")


def test_a_damaged_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with pytest.raises(FileNotFoundError, match="file"):
        rl.load(path)
    rl.save(tmp_path / "good.npy", rl.ones((8, 8)))
    rl.savez(tmp_path / "good.npz", rl.ones((8, 8)))
    for good in ("good.npy", "good.npz"):
        whole = (tmp_path / good).read_bytes()
        for size in range(0, len(whole), 13):
            path.write_bytes(whole[:size])
            with pytest.raises(ValueError, match=r"."):
                rl.load(path)
    for text in (b"", b"text", b"\x80\x02}q\0." * 4):
        path.write_bytes(text)
        with pytest.raises(ValueError, match="npy, npz, safetensors, GGUF or pth"):
            rl.load(path)


def test_a_wrong_call_is_an_error_with_advice(tmp_path: Path) -> None:
    """Wrong arguments are errors that say what to write."""
    with pytest.raises(TypeError, match="the file comes first"):
        rl.save(rl.ones(2), tmp_path / "x.npy")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="the file comes first"):
        rl.save({"w": rl.ones(2)}, 5)
    with pytest.raises(TypeError, match="two paths"):
        rl.save("text", tmp_path / "x.pt")
    with pytest.raises(TypeError, match="save_file"):
        rl.save(tmp_path / "x.npy", {"w": rl.ones(2)})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="arr_0"):
        rl.savez(tmp_path / "x.npz", rl.ones(2), arr_0=rl.ones(2))


def writers(tmp: Any) -> list[tuple[str, Any]]:
    x = rl.arange(5000, dtype=rl.float32)
    return [
        ("npy", lambda path: rl._native._save_npy(path, x)),
        ("npz", lambda path: rl._native._save_npz(path, ["x"], [x])),
        ("safetensors", lambda path: rl.save_file({"x": x}, path)),
    ]


def value(path: Any) -> Any:
    found = rl.load(path)
    return (found["x"] if isinstance(found, dict) else found).tolist()


@pytest.mark.parametrize("kind", ["npy", "npz", "safetensors"])
def test_a_link_stays_and_its_file_is_written(kind: str, tmp_path: Path) -> None:
    """Saving to a link writes its target, as `open(path, "wb")` does; also through several links, and to a
    new file."""
    write = dict(writers(tmp_path))[kind]
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    real, link, second = folder / "real", tmp_path / "link", tmp_path / "second"
    link.symlink_to(Path("elsewhere") / "real")
    second.symlink_to(link)
    for path in (link, second):
        write(path)
        assert path.is_symlink()
        assert not real.is_symlink()
        assert value(real) == list(range(5000))
        real.unlink()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["elsewhere", "link", "second"]
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(OSError, match="loop"):
        write(loop)


def full_device(folder: Path) -> Path:
    """Return a device without space. Root gets a separate device node, so that a mistake cannot replace
    /dev/full."""
    if os.geteuid() == 0:
        own = folder / "full"
        os.mknod(own, stat.S_IFCHR | 0o666, os.makedev(1, 7))
        return own
    return Path("/dev/full")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
@pytest.mark.parametrize("kind", ["npy", "npz", "safetensors"])
def test_a_device_or_a_pipe_is_written_and_not_replaced(kind: str, tmp_path: Path) -> None:
    write = dict(writers(tmp_path))[kind]
    full = full_device(tmp_path)
    with pytest.raises(OSError, match=r"full.*[Nn]o space"):
        write(full)
    assert stat.S_ISCHR(os.stat(full).st_mode)
    pipe, copy = tmp_path / "pipe", tmp_path / "copy"
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: copy.write_bytes(pipe.read_bytes()))
    reader.start()
    write(pipe)
    reader.join(timeout=60)
    assert stat.S_ISFIFO(os.stat(pipe).st_mode)
    assert value(copy) == list(range(5000))
    with pytest.raises(OSError, match=str(tmp_path)):
        write(tmp_path)


def test_file_objects() -> None:
    x = rl.tensor([[1.0, 2.0], [3.0, 4.0]])
    memory = io.BytesIO()
    rl.save(memory, x)
    memory.write(b"more")
    memory.seek(0)
    assert np.load(memory).tolist() == x.tolist()
    memory.seek(0)
    assert rl.load(io.BytesIO(memory.read(128 + 16))).tolist() == x.tolist()  # type: ignore[union-attr]
    memory = io.BytesIO()
    rl.savez(memory, x, y=x[0])
    memory.seek(0)
    found = rl.load(memory)
    assert isinstance(found, dict)
    assert {k: v.tolist() for k, v in found.items()} == {"arr_0": x.tolist(), "y": [1.0, 2.0]}
    with (FIXTURES / "nested.pth").open("rb") as opened:
        assert rl.load(opened, key="model")
    with pytest.raises(ValueError, match="npy, npz, safetensors, GGUF or pth"):
        rl.load(io.BytesIO(b"abc"))
    with pytest.raises(TypeError, match="binary"):
        rl.save(io.StringIO(), x)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="binary"):
        rl.load(io.StringIO("abc"))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"load: .*int"):
        rl.load(5)  # type: ignore[arg-type]


def with_bytes(data: bytes, mark: bytes, offset: int, new: bytes) -> bytes:
    """The data with other bytes at an offset from the last mark."""
    at = data.rindex(mark) + offset
    return data[:at] + new + data[at + len(new) :]


@pytest.mark.parametrize(
    ("mark", "offset", "new"),
    [
        (b"PK\x01\x02", 6, b"\xff"),  # a version of zip that does not exist yet
        (b"PK\x01\x02", 8, b"\x00\x08"),  # a name that is said to be UTF-8, and is not (below)
        (b"PK\x01\x02", 10, b"\x63"),  # a method that does not exist
        (b"x.npy", 60, b"\x5a" * 8),  # a broken stream
        (b"PK\x01\x02", 16, b"\x5a" * 4),  # another checksum
    ],
)
def test_a_damaged_archive_is_a_value_error(tmp_path: Path, mark: bytes, offset: int, new: bytes) -> None:
    memory = io.BytesIO()
    np.savez_compressed(memory, x=np.random.default_rng(1).random(300))
    data = memory.getvalue()
    if mark == b"x.npy":
        data = (
            with_bytes(data[: data.index(b"PK\x01\x02")], b"PK\x03\x04", offset, new)
            + data[data.index(b"PK\x01\x02") :]
        )
    else:
        data = with_bytes(data, mark, offset, new)
        if offset == 8:
            data = with_bytes(data, mark, 46, b"\xff")
    path = tmp_path / "damaged.npz"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"damaged\.npz"):
        rl.load(path)
