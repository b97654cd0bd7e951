"""Quantized tensors: blocks against a file of the package gguf, and files."""

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rushlight as rl
from rushlight import quantized as q

GOLDEN = Path(__file__).parents[1] / "golden" / "ggml.gguf"
TYPES = ["Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2K", "Q3K", "Q4K", "Q5K", "Q6K", "Q8K"]


def names(prefix):
    return [name for name in q.load_gguf(GOLDEN)[0] if name.startswith(prefix)]


@pytest.mark.parametrize("name", names("dequantized."))
def test_numbers_of_blocks_equal_those_of_gguf(name):
    tensors, _ = q.load_gguf(GOLDEN)
    blocks = tensors[name.replace("dequantized", "blocks")]
    ours = blocks.dequantize() if isinstance(blocks, q.QTensor) else rl.astype(blocks, rl.float32)
    assert (ours.numpy().view(np.uint32) == tensors[name].numpy().view(np.uint32)).all()


@pytest.mark.parametrize("kind", ["Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0"])
def test_quantize_equals_gguf(kind):
    tensors, _ = q.load_gguf(GOLDEN)
    ours, theirs = q.quantize(tensors["input"], kind), tensors[f"quantized.{kind}"]
    assert ours.shape == theirs.shape == (3, 512)
    assert (ours.blocks == theirs.blocks).all().item()


@pytest.mark.parametrize("kind", TYPES)
def test_numbers_are_near_those_that_were_quantized(kind):
    x = np.random.default_rng(3).standard_normal((2, 3, 256)).astype(np.float32)
    blocks = q.quantize(rl.tensor(x), kind)
    assert blocks.shape == (2, 3, 256)
    assert blocks.dtype == kind
    half = blocks.dequantize(rl.float16)
    assert half.dtype == rl.float16
    assert half.shape == (2, 3, 256)
    bits = float(kind[1])
    assert abs(q.dequantize(blocks).numpy() - x).mean() < 2.0 ** (1 - bits)


@pytest.mark.parametrize("kind", ["Q4_0", "Q8_0", "Q2K", "Q4K", "Q6K"])
@pytest.mark.parametrize("shape", [(512,), (1, 512), (7, 512), (2, 5, 512), (0, 512)])
def test_products_are_those_of_the_numbers_in_f64(kind, shape):
    rng = np.random.default_rng(7)
    weight = q.quantize(rl.tensor(rng.standard_normal((9, 512)).astype(np.float32)), kind)
    x = rng.standard_normal(shape).astype(np.float32)
    numbers = weight.dequantize().numpy().astype(np.float64)
    ours = q.qmatmul(rl.tensor(x), weight)
    assert ours.dtype == rl.float32
    assert ours.shape == (*shape[:-1], 9)
    error = abs(ours.numpy() - x @ numbers.T)
    assert (error <= 2e-6 * (abs(x) @ abs(numbers).T)).all()


def test_gradient_of_a_product():
    weight = q.quantize(rl.randn((5, 256)), "Q4K")
    x = rl.randn((3, 256), requires_grad=True)
    (q.qmatmul(x, weight) * rl.arange(5.0)).sum().backward()
    expected = np.tile(np.arange(5.0) @ weight.dequantize().numpy().astype(np.float64), (3, 1))
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-5, atol=1e-5)


def test_errors_of_products():
    weight = q.quantize(rl.ones((5, 256)), "Q4K")
    with pytest.raises(ValueError, match="shape mismatch in qmatmul"):
        q.qmatmul(rl.ones((3, 128)), weight)
    with pytest.raises(ValueError, match="expected blocks of a matrix, got shape"):
        q.qmatmul(rl.ones((3, 256)), q.quantize(rl.ones((2, 5, 256)), "Q4K"))
    with pytest.raises((TypeError, ValueError), match="qmatmul"):
        q.qmatmul(rl.ones((3, 256), dtype=rl.int32), weight)


def test_importance_weights_lower_their_error():
    rng = np.random.default_rng(5)
    x = rl.tensor(rng.standard_normal((8, 256)).astype(np.float32))
    important = [i % 16 < 4 for i in range(256)]
    plain = q.quantize(x, "Q2_K")
    weighted = q.quantize(x, "Q2_K", [100.0 if i else 1.0 for i in important])
    errors = [((t.dequantize() - x).numpy()[:, important] ** 2).sum() for t in (plain, weighted)]
    assert plain.dtype == "Q2K"
    assert errors[1] < 0.8 * errors[0]


def test_gguf_file_keeps_tensors_and_metadata(tmp_path):
    path = tmp_path / "x.gguf"
    tensors = {
        "w": q.quantize(rl.randn((2, 256)), "Q4K"),
        "b": rl.tensor([1.0, 2.0]),
        "h": rl.ones(3, dtype=rl.float16),
    }
    metadata = {
        "name": "x",
        "n": 3,
        "big": 2**40,
        "low": -5,
        "rate": 0.5,
        "on": True,
        "list": [1, -1],
        "texts": ["a", "b"],
    }
    q.save_gguf(tensors, path, metadata)
    found, keys = q.load_gguf(path)
    assert keys == metadata
    assert list(found) == ["w", "b", "h"]
    assert (found["w"].blocks == tensors["w"].blocks).all().item()
    assert found["b"].tolist() == [1.0, 2.0]
    assert found["h"].dtype == rl.float16
    rl.save(path, {"b": tensors["b"]})
    assert rl.load(path)["b"].tolist() == [1.0, 2.0]


def test_metadata_alone(tmp_path):
    path = tmp_path / "x.gguf"
    metadata = {"name": "x", "list": [1, -1], "texts": ["a", "b"]}
    q.save_gguf({"w": rl.ones(1000)}, path, metadata)
    # Without the data of the tensor.
    path.write_bytes(path.read_bytes()[:-4000])
    with pytest.raises(ValueError, match="needs 4000 bytes"):
        q.load_gguf(path)
    assert rl.load_metadata(path) == metadata
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(ValueError, match=r"gguf: byte \d+"):
        rl.load_metadata(path)


def test_progress_is_reported_after_each_tensor(tmp_path):
    path = tmp_path / "x.gguf"
    q.save_gguf({"w": q.quantize(rl.ones((2, 64)), "Q8_0"), "b": rl.ones(3)}, path)
    reported = []
    tensors, _ = q.load_gguf(path, progress=lambda done, total: reported.append((done, total)))
    assert list(tensors) == ["w", "b"]
    assert reported == [(136, 148), (148, 148)]

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        q.load_gguf(path, progress=stop)


@pytest.mark.parametrize(
    ("ints", "kind"),
    [([3, 1, 1], 5), ([2**31, 0], 4), ([-1, 2**31], 11), ([2**63], 10)],
    ids=["int32", "uint32", "int64", "uint64"],
)
def test_ints_of_a_list_have_the_first_type_that_fits(tmp_path, ints, kind):
    path = tmp_path / "x.gguf"
    q.save_gguf({"b": rl.zeros(2)}, path, {"a.list": ints})
    content = path.read_bytes()
    at = content.index(b"a.list") + len("a.list")
    # GGUF's number of a list is 9; the type of its elements and their count follow.
    found = [int.from_bytes(content[at + i : at + j], "little") for i, j in ((0, 4), (4, 8), (8, 16))]
    assert found == [9, kind, len(ints)]
    assert q.load_gguf(path)[1]["a.list"] == ints


def test_ints_that_fit_no_type_are_an_error(tmp_path):
    for ints in ([2**64], [-1, 2**63]):
        with pytest.raises(ValueError, match=r"metadata: a\.list: expected ints of one type"):
            q.save_gguf({"b": rl.zeros(2)}, tmp_path / "x.gguf", {"a.list": ints})


def test_damaged_gguf_file_is_an_error_with_a_position(tmp_path):
    path = tmp_path / "x.gguf"
    path.write_bytes(GOLDEN.read_bytes()[:100])
    with pytest.raises(ValueError, match=r"gguf: byte \d+: .* remaining in the file"):
        rl.load(path)


def test_errors_name_what_was_expected():
    with pytest.raises(ValueError, match=r"expected a block type of F32, F16, .* got \"Q9\""):
        q.quantize(rl.ones((1, 32)), "Q9")
    with pytest.raises(ValueError, match="not a multiple of the block size 32"):
        q.quantize(rl.ones((1, 33)), "Q4_0")
    with pytest.raises(ValueError, match=r"are not the bytes of Q4_0 blocks in shape \(1, 64\)"):
        q.QTensor(rl.zeros((1, 18), dtype=rl.uint8), "Q4_0", (1, 64))


@pytest.mark.parametrize("kind", ["Q4_0", "Q8_0", "Q4K"])
def test_quantized_layers_are_those_of_the_numbers(kind):
    rng = np.random.default_rng(11)
    blocks = q.quantize(rl.tensor(rng.standard_normal((7, 256)).astype(np.float32)), kind)
    numbers = blocks.dequantize().numpy().astype(np.float64)
    bias = rng.standard_normal(7).astype(np.float32)
    layer = rl.nn.QuantizedLinear(blocks, rl.tensor(bias))
    x = rl.tensor(rng.standard_normal((2, 3, 256)).astype(np.float32), requires_grad=True)
    y = layer(x)
    np.testing.assert_allclose(y.detach().numpy(), x.detach().numpy() @ numbers.T + bias, rtol=0, atol=1e-4)
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy()[1, 2], numbers.sum(0), rtol=0, atol=1e-4)
    assert list(layer.parameters()) == []

    table = rl.nn.QuantizedEmbedding(blocks)
    found = table(rl.tensor([[6, 0], [3, 6]]))
    np.testing.assert_array_equal(found.numpy(), numbers.astype(np.float32)[[[6, 0], [3, 6]]])
    half = rl.nn.QuantizedEmbedding(blocks, rl.float16)(rl.tensor([1]))
    assert half.dtype == rl.float16


def test_state_and_dtype_of_quantized_layers():
    blocks = q.quantize(rl.randn((4, 64)), "Q8_0")
    net = rl.nn.Sequential(rl.nn.QuantizedEmbedding(blocks), rl.nn.QuantizedLinear(blocks, rl.ones(4)))
    other = rl.nn.Sequential(
        rl.nn.QuantizedEmbedding(q.quantize(rl.zeros((4, 64)), "Q8_0")),
        rl.nn.QuantizedLinear(q.quantize(rl.zeros((4, 64)), "Q8_0"), rl.zeros(4)),
    )
    assert sorted(net.state_dict()) == [
        "0.weight",
        "0.weight.block_type",
        "1.bias",
        "1.weight",
        "1.weight.block_type",
    ]
    other.load_state_dict(net.state_dict())
    ids = rl.tensor([2, 1])
    assert (other(ids) == net(ids)).all().item()
    # Numbers are converted, blocks are not.
    net.to(rl.float16)
    assert net[1].bias.dtype == rl.float16
    assert net[1].weight.dtype == "Q8_0"
    assert (net[1].weight.blocks == blocks.blocks).all().item()
    assert net[1](rl.ones((1, 64), dtype=rl.float16)).dtype == rl.float16
    assert net.unsupported("cpu") == []


class Product(rl.nn.Module):
    def __init__(self, weight):
        super().__init__()
        self.register_buffer("weight", weight)

    def forward(self, x):
        return q.qmatmul(x, self.weight)


def test_blocks_as_a_buffer_of_a_module():
    blocks = q.quantize(rl.randn((4, 64)), "Q8_0")
    net = Product(blocks)
    assert isinstance(net.weight, q.QTensor)
    assert (net.weight.dtype, net.weight.shape) == ("Q8_0", (4, 64))
    assert [name for name, _ in net.named_buffers()] == ["weight"]
    assert list(net.state_dict()) == ["weight", "weight.block_type"]
    assert net.state_dict()["weight"].dtype == rl.uint8
    x = rl.randn((3, 64))
    other = Product(q.quantize(rl.zeros((4, 64)), "Q8_0"))
    other.load_state_dict(net.state_dict())
    copied = copy.deepcopy(net).to(rl.float64)
    for module in (other, copied, pickle.loads(pickle.dumps(net))):
        assert module.weight.dtype == "Q8_0"
        assert (module(x) == net(x)).all().item()
    empty = net.to_empty(device="cpu").weight
    assert (empty.dtype, empty.shape) == ("Q8_0", (4, 64))

    # Another value replaces it, of another type or a tensor.
    net.weight = q.quantize(rl.ones((4, 256)), "Q4K")
    assert (net.weight.dtype, net.weight.shape) == ("Q4K", (4, 256))
    net.weight = rl.ones(3)
    assert net.weight.tolist() == [1.0] * 3
    net.weight = None
    assert net.weight is None
    del net.weight
    net.register_buffer("weight", rl.zeros(2))
    assert net.weight.tolist() == [0.0, 0.0]
    with pytest.raises(TypeError, match=r"weight is a buffer: assign a Tensor, a QTensor or None, not str"):
        net.weight = "Q8_0"


def test_a_state_with_blocks_of_another_type_is_an_error():
    """Both types have 144 bytes for 256 elements."""
    state = rl.nn.QuantizedLinear(q.quantize(rl.randn((4, 256)), "Q4K")).state_dict()
    layer = rl.nn.QuantizedLinear(q.quantize(rl.zeros((4, 256)), "Q4_0"))
    assert layer.weight.blocks.shape == state["weight"].shape
    with pytest.raises(ValueError, match=r"weight\.block_type: blocks of Q4K where the module has Q4_0"):
        layer.load_state_dict(state)
    assert layer(rl.ones(256)).tolist() == [0.0] * 4
    with pytest.raises(ValueError, match=r"missing keys: weight\.block_type"):
        layer.load_state_dict({"weight": state["weight"]})
    numbers = {**layer.state_dict(), "weight": rl.ones((4, 144))}
    with pytest.raises(ValueError, match=r"weight: dtype float32 where the module has blocks, as bytes"):
        layer.load_state_dict(numbers)


def test_errors_of_quantized_layers():
    with pytest.raises(TypeError, match="QuantizedLinear: weight is a QTensor, got Tensor"):
        rl.nn.QuantizedLinear(rl.ones((2, 64)))
    with pytest.raises(
        ValueError, match=r"QuantizedEmbedding: expected blocks of a matrix, got shape \(64,\)"
    ):
        rl.nn.QuantizedEmbedding(q.quantize(rl.ones(64), "Q8_0"))
    with pytest.raises(ValueError, match=r"QuantizedLinear: bias of shape \(3,\) for 2 features"):
        rl.nn.QuantizedLinear(q.quantize(rl.ones((2, 64)), "Q8_0"), rl.ones(3))
    table = rl.nn.QuantizedEmbedding(q.quantize(rl.ones((2, 64)), "Q8_0"))
    with pytest.raises(IndexError):
        table(rl.tensor([2]))


@pytest.mark.parametrize("kind", ["Q4_0", "Q4_1", "Q5_1", "Q8_0", "Q2K", "Q4K", "Q6K"])
def test_factor_of_8_bits(kind: str) -> None:
    rng = np.random.default_rng(3)
    weight = q.quantize(rl.tensor(rng.standard_normal((37, 512)).astype(np.float32)), kind)
    x = rng.standard_normal((5, 512)).astype(np.float32)
    # The factor rounded in blocks of 32, in NumPy.
    parts = x.reshape(5, 16, 32)
    scale = np.abs(parts).max(-1, keepdims=True) / np.float32(127)
    rounded = (np.rint(parts * (1 / scale)) * scale.astype(np.float64)).reshape(5, 512)
    numbers = weight.dequantize().numpy().astype(np.float64)
    truth, size = rounded @ numbers.T, np.abs(rounded) @ np.abs(numbers).T
    y = q.qmatmul(rl.tensor(x), weight, activations="int8")
    assert (np.abs(y.numpy() - truth) / size).max() < 2e-6
    # The rounding of the factor shows, and stays within its bound.
    off = np.abs(y.numpy() - x.astype(np.float64) @ numbers.T)
    bound = np.repeat(scale / 2, 32, axis=-1).reshape(5, 512) @ np.abs(numbers).T
    assert off.max() > 1e-3
    assert (off < bound).all()
    with q.set_activations("int8"):
        assert q.activations() == "int8"
        assert (q.qmatmul(rl.tensor(x), weight).numpy() == y.numpy()).all()
        layer = rl.nn.QuantizedLinear(weight)
        assert (layer(rl.tensor(x)[None]).numpy() == y.numpy()).all()
        exact = q.qmatmul(rl.tensor(x), weight, activations="float32")
    assert q.activations() == "float32"
    assert (q.qmatmul(rl.tensor(x), weight).numpy() == exact.numpy()).all()
    assert (exact.numpy() != y.numpy()).any()
    # With a gradient the factor is not rounded.
    leaf = rl.tensor(x, requires_grad=True)
    with q.set_activations("int8"):
        z = q.qmatmul(leaf, weight)
    assert (z.detach().numpy() == exact.numpy()).all()
    z.sum().backward()
    assert leaf.grad is not None
    assert np.allclose(leaf.grad.numpy(), np.broadcast_to(numbers.sum(0), x.shape), atol=1e-4)


def test_unknown_precisions_are_errors() -> None:
    weight = q.quantize(rl.ones((3, 32)), "Q8_0")
    with pytest.raises(TypeError, match="qmatmul: weight is a QTensor, got Tensor"):
        q.qmatmul(weight, rl.ones((1, 32)))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match='qmatmul: expected float32 or int8, got "int4"'):
        q.qmatmul(rl.ones((1, 32)), weight, activations="int4")
    with pytest.raises(ValueError, match='set_activations: expected float32 or int8, got "f16"'):
        q.set_activations("f16")


def test_the_environment_chooses_the_precision() -> None:
    code = "import rushlight as rl; print(rl.quantized.activations())"
    for value, expected in [("int8", "int8"), ("", "float32")]:
        env = {**os.environ, "RUSHLIGHT_ACTIVATIONS": value}
        found = subprocess.run(
            [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
        )
        assert found.stdout.strip() == expected
