//! Blocks and numbers of the Python package gguf and of candle (`tests/golden/make_ggml.py`), bit by bit.
use rushlight_ggml::gguf::{Content, Value};
use rushlight_ggml::{GgmlDType, dequantize, quantize, quantize_imatrix};
use std::fs::File;

/// A file of the golden folder.
struct Golden(File, Content);

impl Golden {
    fn open(name: &str) -> Self {
        let path = format!("{}/../../tests/golden/{name}", env!("CARGO_MANIFEST_DIR"));
        let mut file = File::open(path).unwrap();
        let content = Content::read(&mut file).unwrap();
        Self(file, content)
    }

    fn bytes(&mut self, name: &str) -> Vec<u8> {
        let info = self.1.info(name).unwrap();
        info.read(&mut self.0, self.1.tensor_data_offset).unwrap()
    }

    fn floats(&mut self, name: &str) -> Vec<f32> {
        let mut out = vec![0.0; self.bytes(name).len() / 4];
        dequantize(GgmlDType::F32, &self.bytes(name), &mut out).unwrap();
        out
    }

    /// Returns the types of the tensors whose names start with a prefix, with these names.
    fn of(&self, prefix: &str) -> Vec<(GgmlDType, String)> {
        let names = self.1.tensor_infos.iter().map(|t| &t.name);
        let found: Vec<_> = names
            .filter_map(|name| Some((GgmlDType::from_name(name.strip_prefix(prefix)?)?, name.clone())))
            .collect();
        assert!(found.len() >= 2, "{prefix}");
        found
    }
}

/// Fails with the number of the first block that differs.
fn same(ours: &[u8], theirs: &[u8], size: usize, name: &str) {
    let differ = ours.chunks(size).zip(theirs.chunks(size)).position(|(a, b)| a != b);
    assert!(differ.is_none() && ours.len() == theirs.len(), "{name}: block {differ:?}");
}

#[test]
fn quantized_blocks_equal_those_of_gguf_and_candle() {
    let x = Golden::open("ggml.gguf").floats("input");
    let mut count = 0;
    for file in ["ggml.gguf", "ggml_candle.gguf"] {
        let mut golden = Golden::open(file);
        for (dtype, name) in golden.of("quantized.") {
            let mut blocks = vec![0xa5; dtype.bytes_of(x.len()).unwrap()];
            quantize(dtype, &x, &mut blocks).unwrap();
            same(&blocks, &golden.bytes(&name), dtype.type_size(), &format!("{file}: {name}"));
            count += 1;
        }
    }
    assert_eq!(count, 7 + 14);
}

#[test]
fn weighted_blocks_equal_those_of_candle() {
    let mut numbers = Golden::open("ggml.gguf");
    let (x, importance) = (numbers.floats("input"), numbers.floats("importance"));
    let mut golden = Golden::open("ggml_candle.gguf");
    let types = golden.of("imatrix.");
    assert_eq!(types.len(), 5);
    for (dtype, name) in types {
        let mut blocks = vec![0xa5; dtype.bytes_of(x.len()).unwrap()];
        quantize_imatrix(dtype, &x, &importance, &mut blocks).unwrap();
        same(&blocks, &golden.bytes(&name), dtype.type_size(), &name);
    }
}

#[test]
fn numbers_of_blocks_equal_those_of_gguf_and_candle() {
    let bits = |x: &[f32]| x.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let mut numbers = Golden::open("ggml.gguf");
    let mut candle = Golden::open("ggml_candle.gguf");
    let mut count = 0;
    for file in ["ggml.gguf", "ggml_candle.gguf"] {
        let mut golden = Golden::open(file);
        for (dtype, name) in golden.of("dequantized.") {
            let blocks = numbers.bytes(&name.replace("dequantized", "blocks"));
            let mut out = vec![f32::NAN; 256];
            dequantize(dtype, &blocks, &mut out).unwrap();
            same(&bits(&out), &golden.bytes(&name), 4, &format!("{file}: {name}"));
            count += 1;
        }
    }
    // candle does not read these two types from files; it dequantized what it had quantized.
    for (dtype, name) in candle.of("dequantized.quantized.") {
        let expected = candle.bytes(&name);
        let mut out = vec![f32::NAN; expected.len() / 4];
        dequantize(dtype, &candle.bytes(&name["dequantized.".len()..]), &mut out).unwrap();
        same(&bits(&out), &expected, 4, &name);
        count += 1;
    }
    assert_eq!(count, 12 + 12 + 2);
}

#[test]
fn metadata_of_every_type_is_read() {
    let Golden(_, content) = Golden::open("ggml.gguf");
    let expected = [
        ("u8", Value::U8(200)),
        ("i8", Value::I8(-100)),
        ("u16", Value::U16(60000)),
        ("i16", Value::I16(-30000)),
        ("u32", Value::U32(4_000_000_000)),
        ("i32", Value::I32(-2_000_000_000)),
        ("u64", Value::U64(1 << 63)),
        ("i64", Value::I64(-(1 << 62))),
        ("f32", Value::F32(0.5)),
        ("f64", Value::F64(0.1)),
        ("bool", Value::Bool(true)),
        ("string", Value::String("Größe".into())),
        ("array", Value::Array(vec![Value::I32(1), Value::I32(2), Value::I32(3)])),
        ("strings", Value::Array(["a", "", "c"].map(|s| Value::String(s.into())).to_vec())),
    ];
    for (key, value) in expected {
        assert_eq!(content.get(&format!("test.{key}")), Some(&value), "{key}");
    }
    assert_eq!(content.info("input").unwrap().shape, [3, 512]);
    assert_eq!(content.info("blocks.Q4_K").unwrap().shape, [1, 256]);
}
