"""Writes ggml.gguf with the package gguf 0.19: numbers, their blocks, and blocks with their numbers.

`ggml_candle.gguf` has candle's blocks of the same numbers; `benches/peers` writes it:
`cargo run --release --manifest-path benches/peers/Cargo.toml --bin ggml`. Run this script first.

Tensors of ggml.gguf: `input` and `importance` (f32); `quantized.T`, the blocks of `input`; `blocks.T`,
random blocks with finite scales, and `dequantized.T`, their numbers.
"""

from pathlib import Path

import gguf
import numpy as np
from gguf.constants import GGML_QUANT_SIZES
from gguf.constants import GGMLQuantizationType as T

FILE = Path(__file__).with_name("ggml.gguf")
#: Types that the package quantizes, and types that it dequantizes.
QUANTIZED = [T.F16, T.BF16, T.Q4_0, T.Q4_1, T.Q5_0, T.Q5_1, T.Q8_0]
DEQUANTIZED = [*QUANTIZED, T.Q2_K, T.Q3_K, T.Q4_K, T.Q5_K, T.Q6_K]
#: Types of which there are random blocks only: candle dequantizes them.
OTHERS = [T.Q8_1, T.Q8_K]
#: Positions of numbers in half precision in a block; Q8_K has one in single precision.
SCALES = {
    T.Q4_0: [0],
    T.Q4_1: [0, 2],
    T.Q5_0: [0],
    T.Q5_1: [0, 2],
    T.Q8_0: [0],
    T.Q8_1: [0, 2],
    T.Q2_K: [80, 82],
    T.Q3_K: [108],
    T.Q4_K: [0, 2],
    T.Q5_K: [0, 2],
    T.Q6_K: [208],
    T.Q8_K: [],
    T.F16: [0],
    T.BF16: [],
}


def numbers() -> np.ndarray:
    """Returns 3 rows of 512 numbers: usual ones, and groups that a quantizer treats specially."""
    rng = np.random.default_rng(20)
    normal = rng.standard_normal((6, 256)).astype(np.float32)
    normal[1] = np.abs(normal[1])
    special = normal[2].reshape(8, 32)
    special[0] = 0
    special[1] = 1.5
    special[2] = -0.25
    special[3, 7] = 1000
    special[4] *= 1e-6
    special[5] *= 1e-30
    special[6] = np.arange(32)
    special[7] = -np.arange(32) / 32
    normal[3] = 0.1 + 2 * np.cos(np.arange(256))
    normal[4] *= 2e4
    normal[5] = 1 + normal[5] * 1e-3
    return normal.reshape(3, 512)


def random_blocks(rng: np.random.Generator, kind: T) -> np.ndarray:
    """Returns blocks of 256 elements with random bits, whose scales are finite."""
    elements, size = GGML_QUANT_SIZES[kind]
    blocks = rng.integers(0, 256, (256 // elements, size), dtype=np.uint8)
    for at in SCALES[kind]:
        scale = rng.standard_normal(len(blocks)).astype(np.float16)
        blocks[:, at : at + 2] = scale.view(np.uint8).reshape(-1, 2)
    if kind == T.Q8_K:
        blocks[:, :4] = np.float32([0.37]).view(np.uint8)
    if kind == T.BF16:
        blocks = rng.standard_normal(256).astype(np.float32).view(np.uint8).reshape(-1, 4)[:, 2:].copy()
    return blocks.reshape(1, -1)


def main() -> None:
    """Writes the file."""
    writer = gguf.GGUFWriter(FILE, "golden")
    writer.add_uint8("test.u8", 200)
    writer.add_int8("test.i8", -100)
    writer.add_uint16("test.u16", 60000)
    writer.add_int16("test.i16", -30000)
    writer.add_uint32("test.u32", 4_000_000_000)
    writer.add_int32("test.i32", -2_000_000_000)
    writer.add_uint64("test.u64", 2**63)
    writer.add_int64("test.i64", -(2**62))
    writer.add_float32("test.f32", 0.5)
    writer.add_float64("test.f64", 0.1)
    writer.add_bool("test.bool", True)
    writer.add_string("test.string", "Größe")
    writer.add_array("test.array", [1, 2, 3])
    writer.add_array("test.strings", ["a", "", "c"])
    x = numbers()
    rng = np.random.default_rng(21)
    writer.add_tensor("input", x)
    writer.add_tensor("importance", np.square(rng.standard_normal(512)).astype(np.float32))
    for kind in QUANTIZED:
        blocks = gguf.quants.quantize(x, kind)
        writer.add_tensor(f"quantized.{kind.name}", blocks.view(np.uint8), raw_dtype=kind)
    for kind in [*DEQUANTIZED, *OTHERS]:
        blocks = random_blocks(rng, kind)
        writer.add_tensor(f"blocks.{kind.name}", blocks, raw_dtype=kind)
        if kind in DEQUANTIZED:
            writer.add_tensor(f"dequantized.{kind.name}", gguf.quants.dequantize(blocks, kind))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main()
