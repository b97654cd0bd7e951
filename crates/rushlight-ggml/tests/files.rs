//! Files: what is written is read again, and damaged or hostile ones give errors with a position.
use rushlight_ggml::gguf::{Content, TensorData, Value, VersionedMagic, write};
use rushlight_ggml::{Error, GgmlDType, ggml, imatrix};
use std::io::Cursor;

fn header(tensors: u64, entries: u64) -> Vec<u8> {
    let mut file = b"GGUF\x03\0\0\0".to_vec();
    file.extend(tensors.to_le_bytes());
    file.extend(entries.to_le_bytes());
    file
}

fn string(text: &str) -> Vec<u8> {
    [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat()
}

fn tensor(name: &str, shape: &[u64], dtype: u32, offset: u64) -> Vec<u8> {
    let mut info = string(name);
    info.extend((shape.len() as u32).to_le_bytes());
    shape.iter().for_each(|d| info.extend(d.to_le_bytes()));
    info.extend(dtype.to_le_bytes());
    info.extend(offset.to_le_bytes());
    info
}

fn error(file: Vec<u8>) -> String {
    Content::read(&mut Cursor::new(file)).unwrap_err().to_string()
}

/// A file with one of everything.
fn small() -> Vec<u8> {
    let values = [
        ("a", Value::U8(7)),
        ("b", Value::String("text".into())),
        ("c", Value::Array(vec![Value::Array(vec![Value::F64(0.5)]), Value::Array(vec![])])),
        ("general.alignment", Value::U32(64)),
    ];
    let metadata: Vec<(&str, &Value)> = values.iter().map(|(k, v)| (*k, v)).collect();
    let (q, f) = ([3; 18 * 4], [5; 12]);
    let tensors = [
        TensorData { name: "q", ggml_dtype: GgmlDType::Q4_0, shape: &[2, 64], data: &q },
        TensorData { name: "f", ggml_dtype: GgmlDType::F32, shape: &[3], data: &f },
    ];
    let mut file = Vec::new();
    write(&mut file, &metadata, &tensors).unwrap();
    file
}

#[test]
fn gguf_that_is_written_is_read_again() {
    let file = small();
    let mut reader = Cursor::new(&file);
    let content = Content::read(&mut reader).unwrap();
    assert_eq!(content.magic, VersionedMagic::GgufV3);
    assert_eq!(content.get("a"), Some(&Value::U8(7)));
    assert_eq!(content.metadata.len(), 4);
    assert_eq!(content.tensor_data_offset % 64, 0);
    let q = content.info("q").unwrap();
    assert_eq!((q.ggml_dtype, q.shape.as_slice()), (GgmlDType::Q4_0, &[2, 64][..]));
    assert_eq!(q.read(&mut reader, content.tensor_data_offset).unwrap(), [3; 72]);
    let f = content.info("f").unwrap();
    assert_eq!(f.offset, 128);
    assert_eq!(f.read(&mut reader, content.tensor_data_offset).unwrap(), [5; 12]);
    assert!(matches!(content.info("x"), Err(Error::NoTensor(name)) if name == "x"));
}

#[test]
fn gguf_cut_anywhere_is_an_error_and_not_a_panic() {
    let file = small();
    let data = Content::read(&mut Cursor::new(&file)).unwrap().tensor_data_offset as usize;
    for len in 0..data - 64 {
        assert!(Content::read(&mut Cursor::new(&file[..len])).is_err(), "{len}");
    }
}

#[test]
fn gguf_with_any_byte_changed_does_not_panic() {
    let file = small();
    for at in 0..file.len() {
        for bits in [1, 0x80, 0xff] {
            let mut file = file.clone();
            file[at] ^= bits;
            let mut reader = Cursor::new(&file);
            if let Ok(content) = Content::read(&mut reader) {
                content.tensor_infos.iter().for_each(|t| {
                    let _ = t.read(&mut reader, content.tensor_data_offset);
                });
            }
        }
    }
}

#[test]
fn gguf_errors_say_the_position_and_what_was_expected() {
    let with =
        |parts: &[&[u8]], tensors, entries| [&[&header(tensors, entries)[..]], parts].concat().concat();
    let cases = [
        (b"GGML".to_vec(), "gguf: byte 0: unknown magic: expected GGUF, got \"GGML\""),
        (b"GGUF\x04\0\0\0".to_vec(), "gguf: byte 4: expected version 1, 2 or 3, got 4"),
        (b"GGUF\0\0\0\x03".to_vec(), "gguf: byte 4: files in big-endian order are not supported"),
        (header(1 << 31, 0), "gguf: byte 8: tensor_count: expected at most 1073741824, got 2147483648"),
        (header(0, 1 << 31), "gguf: byte 16: metadata_kv_count: expected at most 1073741824, got 2147483648"),
        (
            header(2, 3),
            "gguf: byte 24: 2 tensors and 3 metadata entries, which needs 87 bytes, only 0 remaining in the file",
        ),
        (
            with(&[&(1u64 << 20).to_le_bytes(), &[0; 64]], 1, 0),
            "gguf: byte 32: a string with string length 1048576 needs 1048576 bytes, only 64 remaining in the file",
        ),
        (
            with(
                &[
                    &string("k"),
                    &9u32.to_le_bytes(),
                    &10u32.to_le_bytes(),
                    &[9, 0, 0, 0, 0, 0, 0, 0],
                    &[0; 64],
                ],
                0,
                1,
            ),
            "gguf: byte 49: an array of 9 elements needs 72 bytes, only 64 remaining in the file",
        ),
        (
            with(&[&string("k"), &13u32.to_le_bytes(), &[0; 9]], 0, 1),
            "gguf: byte 33: expected the type of a value, 0 to 12, got 13",
        ),
        (
            with(&[&string("k"), &7u32.to_le_bytes(), &[2]], 0, 1),
            "gguf: byte 37: expected a bool, 0 or 1, got 2",
        ),
        (
            with(&[&string("k"), &[0; 5], &string("k"), &[0; 5]], 0, 2),
            "gguf: byte 38: the key \"k\" appears twice",
        ),
        (
            with(&[&tensor("t", &[1; 5], 0, 0)], 1, 0),
            "gguf: byte 33: tensor \"t\": expected at most 4 dimensions, got 5 dimensions",
        ),
        (
            with(&[&tensor("t", &[32], 17, 0)], 1, 0),
            "gguf: byte 45: tensor \"t\": the block type IQ2_XS (17) is not supported",
        ),
        (
            with(&[&tensor("t", &[32], 99, 0)], 1, 0),
            "gguf: byte 45: tensor \"t\": expected a block type, got 99",
        ),
        (
            with(&[&tensor("t", &[33, 32], 2, 0)], 1, 0),
            "gguf: byte 53: tensor \"t\": [32, 33]: Q4_0: expected a multiple of the block size 32, got 33 elements",
        ),
        (
            with(&[&string("general.alignment"), &4u32.to_le_bytes(), &[0; 4]], 0, 1),
            "gguf: byte 0: general.alignment: expected a power of two up to 1073741824, got U32(0)",
        ),
    ];
    for (file, message) in cases {
        assert_eq!(error(file), message);
    }
    let sizes = with(&[&tensor("t", &[1 << 40, 1 << 40], 0, 0)], 1, 0);
    assert!(error(sizes).contains("byte 53"));
}

#[test]
fn gguf_arrays_in_arrays_have_a_limit() {
    let nested = |depth: usize| {
        let mut file = header(0, 1);
        file.extend(string("k"));
        file.extend(9u32.to_le_bytes());
        for _ in 0..depth {
            file.extend(9u32.to_le_bytes());
            file.extend(1u64.to_le_bytes());
        }
        file.extend(0u32.to_le_bytes());
        file.extend(0u64.to_le_bytes());
        file
    };
    Content::read(&mut Cursor::new(nested(64))).unwrap();
    assert!(error(nested(65)).ends_with("nesting depth of arrays: expected at most 64"));
    assert!(error(nested(100_000)).contains("nesting depth"));
}

#[test]
fn gguf_tensor_beyond_the_end_is_an_error_without_memory_for_it() {
    let mut reader = Cursor::new([header(1, 0), tensor("t", &[1 << 40], 0, 32)].concat());
    let content = Content::read(&mut reader).unwrap();
    let error = content.tensor_infos[0].read(&mut reader, content.tensor_data_offset).unwrap_err();
    assert_eq!(
        error.to_string(),
        "gguf: byte 96: tensor \"t\" needs 4398046511104 bytes, only 0 remaining in the file"
    );
}

#[test]
fn gguf_version_1_has_short_lengths() {
    let mut file = b"GGUF\x01\0\0\0\x01\0\0\0\x01\0\0\0".to_vec();
    file.extend(b"\x03\0\0\0key\x08\0\0\0\x02\0\0\0ab");
    file.extend(b"\x01\0\0\0t\x02\0\0\0\x20\0\0\0\x02\0\0\0\x08\0\0\0\0\0\0\0\0\0\0\0");
    file.resize(file.len().next_multiple_of(32), 0);
    file.extend([1; 68]);
    let mut reader = Cursor::new(file);
    let content = Content::read(&mut reader).unwrap();
    assert_eq!(content.magic, VersionedMagic::GgufV1);
    assert_eq!(content.get("key"), Some(&Value::String("ab".into())));
    let t = content.info("t").unwrap();
    assert_eq!((t.ggml_dtype, &t.shape[..]), (GgmlDType::Q8_0, &[2, 32][..]));
    assert_eq!(t.read(&mut reader, content.tensor_data_offset).unwrap(), [1; 68]);
}

#[test]
fn gguf_refuses_to_write_what_cannot_be_read() {
    let mixed = Value::Array(vec![Value::U8(1), Value::I8(1)]);
    let error = write(&mut Vec::new(), &[("k", &mixed)], &[]).unwrap_err();
    assert_eq!(error.to_string(), "gguf: k: expected an array with values of one type, got U8 and I8");
    let short = TensorData { name: "t", ggml_dtype: GgmlDType::Q8_0, shape: &[32], data: &[0; 33] };
    let error = write(&mut Vec::new(), &[], &[short]).unwrap_err();
    assert_eq!(error.to_string(), "write: Q8_0: expected 34 bytes for 32 elements, got 33");
}

/// A file of the older format, `aligned` or not, with one token and one tensor.
fn old(magic: &[u8], aligned: bool) -> Vec<u8> {
    let mut file = magic.to_vec();
    [1u32, 2, 3, 4, 5, 6, 7].iter().for_each(|size| file.extend(size.to_le_bytes()));
    file.extend(b"\x02\0\0\0ab\0\0\x80\x3f");
    file.extend(b"\x02\0\0\0\x01\0\0\0\x02\0\0\0\x20\0\0\0\x02\0\0\0w");
    if aligned {
        file.resize(file.len().next_multiple_of(32), 0);
    }
    file.extend([9; 36]);
    file
}

#[test]
fn ggml_files_of_each_version_are_read() {
    let unversioned = old(b"lmgg", false);
    let versions = [(b"fmgg\x01\0\0\0", false), (b"tjgg\x01\0\0\0", true), (b"tjgg\x03\0\0\0", true)];
    let files = versions.iter().map(|(magic, aligned)| old(&magic[..], *aligned));
    for file in files.chain([unversioned]) {
        let mut reader = Cursor::new(file);
        let content = ggml::Content::read(&mut reader).unwrap();
        assert_eq!((content.hparams.n_vocab, content.hparams.ftype), (1, 7));
        assert_eq!(content.vocab.token_score_pairs, [(b"ab".to_vec(), 1.0)]);
        let [w] = &content.tensor_infos[..] else { panic!("{content:?}") };
        assert_eq!((w.name.as_str(), w.ggml_dtype, &w.shape[..]), ("w", GgmlDType::Q4_0, &[2, 32][..]));
        assert_eq!(w.read(&mut reader).unwrap(), [9; 36]);
    }
}

#[test]
fn ggml_files_that_are_damaged_give_errors() {
    let file = old(b"tjgg\x03\0\0\0", true);
    let whole = file.len();
    for len in 0..whole {
        let result = ggml::Content::read(&mut Cursor::new(&file[..len]));
        // A file may end after the vocabulary.
        assert!(result.is_err() || len == 46, "{len}");
    }
    for (at, byte, message) in [
        (0, b'x', "ggml: byte 0: unknown magic: expected ggml, ggmf or ggjt, got \"ggjx\""),
        (4, 4, "ggml: byte 4: unsupported magic/version: ggjt version 4"),
        (11, 1, "ggml: byte 36: a vocabulary of 16777217 tokens needs 134217736 bytes"),
        (39, 1, "ggml: byte 40: a token of 16777218 bytes needs 16777218 bytes"),
        (46, 5, "ggml: byte 46: expected at most 4 dimensions, got 5"),
        (54, 40, "ggml: byte 54: the block type NVFP4 (40) is not supported"),
        (61, 1, "ggml: byte 96: tensor \"w\" needs 18874404 bytes"),
    ] {
        let mut file = file.clone();
        file[at] = byte;
        let error = ggml::Content::read(&mut Cursor::new(file)).unwrap_err().to_string();
        assert!(error.starts_with(message), "{at}: {error}");
    }
}

#[test]
fn imatrix_files_are_read_as_means() {
    let mut file = b"\x01\0\0\0\x01\0\0\0w\x02\0\0\0\x02\0\0\0".to_vec();
    file.extend(3f32.to_le_bytes());
    file.extend(5f32.to_le_bytes());
    let weights = imatrix::read(&mut Cursor::new(&file)).unwrap();
    assert_eq!(weights, [("w".to_string(), vec![1.5, 2.5])]);
    for len in 0..file.len() {
        assert!(imatrix::read(&mut Cursor::new(&file[..len])).is_err(), "{len}");
    }
    file[3] = 0x80;
    let error = imatrix::read(&mut Cursor::new(&file)).unwrap_err().to_string();
    assert_eq!(error, "imatrix: byte 0: the number of entries: expected a positive number");
}
