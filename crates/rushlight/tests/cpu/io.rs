//! Files: round trips, files that NumPy, safetensors and PyTorch wrote (tests/fixtures/make.py), and broken files.
use proptest::prelude::*;
use rushlight::pickle::PthTensors;
use rushlight::safetensors::{self, BufferedSafetensors, Load, MmapedSafetensors, SliceSafetensors};
use rushlight::{DType, Device, Error, Result, Storage, Tensor, npy, pickle};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// A path in the temporary folder. Dropping it deletes the file.
struct Temp(PathBuf);

impl Temp {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("rushlight-io-{}-{name}", std::process::id())))
    }
    fn with(name: &str, bytes: &[u8]) -> Self {
        let t = Self::new(name);
        std::fs::write(&t.0, bytes).unwrap();
        t
    }
}

impl AsRef<Path> for Temp {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Returns 0, 1, .. in a shape.
fn arange(shape: &[usize], dtype: DType) -> Result<Tensor> {
    let count = shape.iter().product::<usize>();
    Tensor::arange(0f64, count as f64, &Device::Cpu)?.reshape(shape)?.to_dtype(dtype)
}

#[track_caller]
fn assert_same(got: &Tensor, want: &Tensor) {
    assert_eq!((got.dims(), got.dtype()), (want.dims(), want.dtype()));
    assert_eq!(got.to_cpu_storage().unwrap().as_bytes(), want.to_cpu_storage().unwrap().as_bytes());
}

/// Returns one tensor of every dtype, and one of every kind of layout.
fn samples() -> Result<HashMap<String, Tensor>> {
    let mut out: HashMap<String, Tensor> = DType::ALL
        .iter()
        .map(|d| Ok((d.as_str().to_string(), arange(&[2, 3], *d)?)))
        .collect::<Result<_>>()?;
    let base = arange(&[2, 3, 4], DType::F32)?;
    out.insert("transposed".to_string(), base.transpose(0, 2)?);
    out.insert("offset".to_string(), base.narrow(1, 1, 2)?);
    out.insert("stretched".to_string(), arange(&[1, 3], DType::BF16)?.broadcast_as((4, 3))?);
    out.insert("empty".to_string(), base.narrow(1, 0, 0)?);
    out.insert("scalar".to_string(), Tensor::new(7i16, &Device::Cpu)?);
    Ok(out)
}

/// Returns the samples without complex numbers of 128 bits, which safetensors does not have.
fn safetensors_samples() -> Result<HashMap<String, Tensor>> {
    let mut out = samples()?;
    let double = out.remove("c128").unwrap();
    let refused = safetensors::save_buffer(&HashMap::from([("x", double)]), None).unwrap_err().to_string();
    assert!(refused.contains("complex128"), "{refused}");
    Ok(out)
}

#[test]
fn safetensors_round_trip() -> Result<()> {
    let file = Temp::new("round.safetensors");
    let metadata = HashMap::from([("format".to_string(), "rushlight".to_string())]);
    let tensors = safetensors_samples()?;
    for device in [Device::Cpu, Device::new_testdev(0)] {
        let there =
            tensors.iter().map(|(k, t)| Ok((k, t.to_device(&device)?))).collect::<Result<HashMap<_, _>>>()?;
        safetensors::save_with_metadata(&there, &metadata, &file)?;
        let (back, texts) = safetensors::load_with_metadata(&file, &device)?;
        assert_eq!((back.len(), &texts), (tensors.len(), &metadata));
        let bytes = std::fs::read(&file)?;
        let slice = SliceSafetensors::new(&bytes)?;
        let owned = BufferedSafetensors::new(bytes.clone())?;
        assert_eq!((slice.metadata(), owned.metadata()), (&metadata, &metadata));
        let buffer = safetensors::load_buffer(&bytes, &device)?;
        for (name, want) in &tensors {
            assert!(back[name].device().same_device(&device));
            for got in [&back[name], &buffer[name], &slice.load(name, &device)?, &owned.load(name, &device)?]
            {
                assert_same(got, want);
            }
            assert_same(&slice.get(name)?.load(&device)?, want);
        }
        assert_eq!(safetensors::save_buffer(&there, Some(&metadata))?, bytes);
    }
    Ok(())
}

#[test]
fn safetensors_that_the_safetensors_package_wrote() -> Result<()> {
    let (tensors, metadata) = safetensors::load_with_metadata(fixture("all.safetensors"), &Device::Cpu)?;
    assert_eq!(tensors.len(), DType::ALL.len() - 1);
    for dtype in DType::ALL.iter().filter(|d| **d != DType::C128) {
        assert_same(&tensors[dtype.as_str()], &arange(&[2, 3], *dtype)?);
    }
    assert_eq!((metadata["made_by"].as_str(), metadata["empty"].as_str()), ("safetensors", ""));
    // The library writes the same bytes as the safetensors package, except for the order of the two metadata entries.
    let again = safetensors::save_buffer(&tensors, Some(&metadata))?;
    assert_eq!(again.len(), std::fs::read(fixture("all.safetensors"))?.len());
    Ok(())
}

fn address(t: &Tensor) -> *const u8 {
    match &*t.storage_and_layout().0 {
        Storage::Cpu(s) => s.as_ptr(),
        _ => panic!("not on the CPU"),
    }
}

#[test]
fn mapped_tensors_share_the_file_and_never_change_it() -> Result<()> {
    let file = Temp::new("map.safetensors");
    safetensors::save(&safetensors_samples()?, &file)?;
    // SAFETY: no other process uses the file.
    #[allow(unsafe_code)]
    let map = unsafe { MmapedSafetensors::new(&file) }?;
    let before = std::fs::read(&file)?;
    for (name, want) in safetensors_samples()? {
        let view = map.get(&name)?;
        let got = map.load(&name, &Device::Cpu)?;
        assert_same(&got, &want);
        let shared = address(&got) == view.data().as_ptr();
        assert_eq!(shared, want.dtype() != DType::Bool && want.elem_count() > 0, "{name}");
        got.assign(&got.zeros_like()?)?;
        assert_same(&got, &want.zeros_like()?.contiguous()?);
        assert_same(&map.load(&name, &Device::new_testdev(0))?, &want);
    }
    assert_eq!(std::fs::read(&file)?, before);
    let kept = map.load("f64", &Device::Cpu)?;
    drop(map);
    assert_same(&kept, &arange(&[2, 3], DType::F64)?);
    Ok(())
}

#[test]
fn mapped_tensors_that_are_not_aligned_are_copied() -> Result<()> {
    let header = br#"{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"F32","shape":[2],"data_offsets":[1,9]}}"#;
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header);
    bytes.push(3);
    bytes.extend([1.5f32, -2.0].iter().flat_map(|v| v.to_le_bytes()));
    // Of two adjacent addresses, one is not a multiple of 4.
    let file = Temp::with("odd.safetensors", &bytes);
    // SAFETY: no other process uses the file.
    #[allow(unsafe_code)]
    let map = unsafe { MmapedSafetensors::multi(&[&file]) }?;
    let b = map.load("b", &Device::Cpu)?;
    assert_eq!(b.to_vec1::<f32>()?, [1.5, -2.0]);
    let view = map.get("b")?;
    assert!(!(view.data().as_ptr() as usize).is_multiple_of(4) && address(&b) != view.data().as_ptr());
    Ok(())
}

#[test]
fn npy_and_npz_round_trip() -> Result<()> {
    let (one, many) = (Temp::new("one.npy"), Temp::new("many.npz"));
    let tensors: Vec<(String, Tensor)> = samples()?.into_iter().collect();
    for (_, t) in &tensors {
        t.write_npy(&one)?;
        assert_same(&Tensor::read_npy(&one)?, t);
        assert_same(&Tensor::read_npy_buffer(&std::fs::read(&one)?)?, t);
        t.to_device(&Device::new_testdev(0))?.write_npy(&one)?;
        assert_same(&Tensor::read_npy(&one)?, t);
    }
    Tensor::write_npz(&tensors, &many)?;
    let back = Tensor::read_npz(&many)?;
    let lazy = npy::NpzTensors::new(&many)?;
    assert_eq!((back.len(), lazy.names().len()), (tensors.len(), tensors.len()));
    for ((name, t), (got_name, got)) in tensors.iter().zip(&back) {
        assert_eq!(name, got_name);
        assert_same(got, t);
        assert_same(&Tensor::read_npz_by_name(&many, &[name])?[0], t);
        assert_same(&lazy.get(name)?.unwrap(), t);
        assert_eq!(lazy.get_shape_and_dtype(name)?, (t.shape().clone(), t.dtype()));
    }
    assert!(lazy.get("nothing")?.is_none());
    Ok(())
}

#[test]
fn arrays_that_numpy_wrote() -> Result<()> {
    let arrays: HashMap<_, _> = Tensor::read_npz(fixture("numpy.npz"))?.into_iter().collect();
    assert_eq!(arrays.len(), DType::ALL.len());
    for dtype in DType::ALL {
        assert_same(&arrays[dtype.as_str()], &arange(&[2, 3], *dtype)?);
    }
    for version in 1..=3 {
        let t = Tensor::read_npy(fixture(&format!("version{version}.npy")))?;
        assert_same(&t, &arange(&[2, 3], DType::I64)?);
    }
    let packed = npy::NpzTensors::new(fixture("compressed.npz"))?;
    assert_same(&packed.get("f32")?.unwrap(), &arange(&[2, 3], DType::F32)?);
    assert_same(&packed.get("zeros")?.unwrap(), &Tensor::zeros((100, 100), DType::F64, &Device::Cpu)?);
    let l: HashMap<_, _> = Tensor::read_npz(fixture("layouts.npz"))?.into_iter().collect();
    assert_same(&l["fortran"], &arange(&[2, 3, 4], DType::F32)?);
    assert_same(&l["big_f4"], &arange(&[2, 3], DType::F32)?);
    assert_same(&l["big_i2"], &arange(&[2, 3], DType::I16)?);
    assert_same(&l["big_fortran"], &arange(&[2, 3], DType::F64)?);
    assert_same(&l["scalar"], &Tensor::new(7i32, &Device::Cpu)?);
    assert_same(&l["empty"], &Tensor::zeros((0, 3), DType::F32, &Device::Cpu)?);
    let complex = l["big_c8"].to_cpu_storage()?;
    assert_eq!(complex.as_slice::<rushlight::C64>()?[4], rushlight::C64::new(4.0, 8.0));
    Ok(())
}

#[test]
fn checkpoints_that_pytorch_wrote() -> Result<()> {
    let file = fixture("torch.pth");
    let all: HashMap<_, _> = pickle::read_all(&file)?.into_iter().collect();
    let lazy = PthTensors::new(&file, None)?;
    assert_eq!((all.len(), lazy.tensor_infos().len()), (DType::ALL.len() + 6, DType::ALL.len() + 6));
    let base = arange(&[2, 3, 4], DType::F32)?;
    let rows = Tensor::cat(&[base.get(1)?.get(0)?, base.get(1)?.get(2)?], 0)?.reshape((2, 4))?;
    let mut want: Vec<(&str, Tensor)> = vec![
        ("transposed", base.transpose(0, 2)?),
        ("slice", rows.narrow(1, 1, 2)?),
        ("expanded", Tensor::full(5f32, (4, 3), &Device::Cpu)?),
        ("parameter", base.get(0)?),
        ("scalar", Tensor::new(7i32, &Device::Cpu)?),
        ("empty", Tensor::zeros((0, 3), DType::F32, &Device::Cpu)?),
    ];
    for dtype in DType::ALL {
        want.push((dtype.long_name(), arange(&[2, 3], *dtype)?));
    }
    for (name, want) in &want {
        assert_same(&all[*name], want);
        assert_same(&lazy.get(name)?.unwrap(), want);
        let info = &lazy.tensor_infos()[*name];
        assert_eq!((info.dtype, info.layout.dims()), (want.dtype(), want.dims()));
    }
    assert!(lazy.get("step")?.is_none() && lazy.get("text")?.is_none());
    // Views that shared a storage share one again.
    assert!(
        all["transposed"].shares_storage(&all["slice"]) && all["slice"].shares_storage(&all["parameter"])
    );

    assert_same(&pickle::read_all_with_key(fixture("nested.pth"), Some("model"))?[0].1, &base);
    assert!(pickle::read_all(fixture("nested.pth"))?.is_empty());
    let e = PthTensors::new(fixture("nested.pth"), Some("missing")).unwrap_err().to_string();
    assert!(e.contains("no key missing") && e.contains("nested.pth"), "{e}");
    let names: Vec<_> = pickle::read_all(fixture("linear.pth"))?.into_iter().map(|t| t.0).collect();
    assert_eq!(names, ["bias", "weight"]);
    assert_same(&pickle::read_all(fixture("big_endian.pth"))?[0].1, &arange(&[2, 3], DType::F32)?);
    Ok(())
}

/// Reads a file with every reader for its extension, and returns the size in bytes of all tensors.
fn read(path: &Path) -> Result<usize> {
    let bytes = |t: &Tensor| t.elem_count() * t.dtype().size_in_bytes();
    let ext = path.extension().and_then(|e| e.to_str());
    match ext {
        Some("npy") => Ok(bytes(&Tensor::read_npy(path)?)),
        Some("npz") => Ok(Tensor::read_npz(path)?.iter().map(|t| bytes(&t.1)).sum()),
        Some("safetensors") => {
            // SAFETY: no other process uses the file.
            #[allow(unsafe_code)]
            let map = unsafe { MmapedSafetensors::new(path) };
            let read = safetensors::load(path, &Device::Cpu);
            assert_eq!(
                map.is_ok(),
                safetensors::SliceSafetensors::new(&std::fs::read(path).unwrap_or_default()).is_ok()
            );
            Ok(read?.values().map(bytes).sum())
        }
        _ => {
            let lazy = PthTensors::new(path, None)?;
            for name in lazy.tensor_infos().keys() {
                let _ = lazy.get(name);
            }
            // A view of a small storage may have many elements, so the size of the storage counts.
            Ok(lazy
                .tensor_infos()
                .values()
                .map(|i| i.storage_size * i.dtype.size_in_bytes())
                .sum::<usize>()
                .min(pickle::read_all(path)?.len() << 20))
        }
    }
}

const FIXTURES: [&str; 6] =
    ["version1.npy", "numpy.npz", "compressed.npz", "layouts.npz", "all.safetensors", "torch.pth"];

#[test]
fn truncated_files_are_errors_that_name_the_file() -> Result<()> {
    for name in FIXTURES {
        let whole = std::fs::read(fixture(name))?;
        assert!(read(&fixture(name)).is_ok(), "{name}");
        let step = whole.len().div_ceil(300).max(1);
        for len in (0..whole.len()).step_by(step).chain([whole.len() - 1]) {
            let file = Temp::with(&format!("cut-{name}"), &whole[..len]);
            let e = read(file.as_ref()).expect_err(&format!("{name} cut to {len}"));
            assert!(matches!(e, Error::WithPath { .. }) && e.to_string().contains(name), "{e}");
        }
    }
    for missing in ["no.npy", "no.npz", "no.safetensors", "no.pth"] {
        assert!(matches!(read(Path::new(missing)).unwrap_err(), Error::WithPath { .. }), "{missing}");
        assert!(read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(missing)).is_err());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Changed bytes give an error, or tensors that are not larger than the file allows; never a panic.
    #[test]
    fn changed_files_do_no_harm(
        which in 0..FIXTURES.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let name = FIXTURES[which];
        let mut bytes = std::fs::read(fixture(name)).unwrap();
        for (at, to) in changes {
            let at = at.index(bytes.len());
            bytes[at] = to;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let file = Temp::with(&format!("changed-{name}"), &bytes);
        if let Ok(size) = read(file.as_ref()) {
            prop_assert!(size <= (bytes.len() + 64) * 1032 * 32, "{name}: {size} bytes");
        }
    }

    /// Arbitrary bytes after a valid beginning.
    #[test]
    fn random_headers_do_no_harm(tail in prop::collection::vec(any::<u8>(), 0..200), n in 0u64..220) {
        let npy = [&b"\x93NUMPY\x01\x00"[..], &(n as u16).to_le_bytes(), &tail].concat();
        prop_assert!(Tensor::read_npy_buffer(&npy).is_err());
        let st = [&n.to_le_bytes()[..], &tail].concat();
        let _ = safetensors::load_buffer(&st, &Device::Cpu);
    }
}

/// Headers with sizes larger than the file are rejected before memory is allocated.
#[test]
fn stated_sizes_are_checked_first() {
    let npy = |shape: &str| {
        let text = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n");
        [&b"\x93NUMPY\x01\x00"[..], &(text.len() as u16).to_le_bytes(), text.as_bytes()].concat()
    };
    for (shape, word) in [
        ("(1000000000000,)", "needs 4000000000000 bytes, the file has 0"),
        ("(4294967296, 4294967296)", "more elements or bytes"),
        ("(18446744073709551615,)", "more elements or bytes"),
        ("(3,)", "needs 12 bytes"),
    ] {
        let e = Tensor::read_npy_buffer(&npy(shape)).unwrap_err().to_string();
        assert!(e.contains(word), "{e}");
    }
    let st = |header: &str| [&(header.len() as u64).to_le_bytes()[..], header.as_bytes()].concat();
    for header in [
        r#"{"a":{"dtype":"F32","shape":[1099511627776],"data_offsets":[0,4398046511104]}}"#,
        r#"{"a":{"dtype":"F32","shape":[4294967296,4294967296,4294967296],"data_offsets":[0,0]}}"#,
        r#"{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}}"#,
        r#"{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,18446744073709551615]}}"#,
        r#"{"a":{"dtype":"F5","shape":[0],"data_offsets":[0,0]}}"#,
        "[]",
    ] {
        let e = safetensors::load_buffer(&st(header), &Device::Cpu).unwrap_err();
        assert!(matches!(e.root(), Error::SafeTensor(_)), "{e}");
    }
    let e = safetensors::load_buffer(&u64::MAX.to_le_bytes(), &Device::Cpu).unwrap_err();
    assert!(matches!(e.root(), Error::SafeTensor(_)), "{e}");
    // A bool that is neither 0 nor 1 would be undefined behaviour in Rust.
    let mut bad = st(r#"{"a":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]}}"#);
    bad.push(2);
    assert!(safetensors::load_buffer(&bad, &Device::Cpu).unwrap_err().to_string().contains("bool"));
}

#[test]
fn an_unsupported_dtype_and_a_taken_name_are_errors() -> Result<()> {
    let header = r#"{"a":{"dtype":"F8_E5M2","shape":[1],"data_offsets":[0,1]}}"#;
    let bytes = [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &[0]].concat();
    let e = safetensors::load_buffer(&bytes, &Device::Cpu).unwrap_err();
    assert!(matches!(e.root(), Error::UnsupportedSafeTensorDtype(_)), "{e}");
    let t = Tensor::new(1f32, &Device::Cpu)?;
    let file = Temp::new("taken.safetensors");
    let e = t.save_safetensors("__metadata__", &file).unwrap_err();
    assert!(e.to_string().contains("__metadata__") && !file.as_ref().exists(), "{e}");
    // A failed write leaves the old file unchanged.
    t.save_safetensors("t", &file)?;
    let before = std::fs::read(&file)?;
    assert!(t.save_safetensors("__metadata__", &file).is_err());
    assert_eq!(std::fs::read(&file)?, before);
    Ok(())
}
