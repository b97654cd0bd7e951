use super::super::record::device;
use super::super::settings::Settings;
use super::super::{headers, instances};
use super::*;
use crate::{DType, Device, Result, Tensor};

/// The target of the recording device.
const TARGET: &str = "none";

/// The header of a code object of version 5, and some code. `tag` makes objects differ.
fn object(flags: u32, tag: u8) -> Vec<u8> {
    let mut code = vec![0; 4096];
    code[..9].copy_from_slice(b"\x7fELF\x02\x01\x01\x40\x03");
    code[18] = 224;
    code[48..52].copy_from_slice(&flags.to_le_bytes());
    code[64..].iter_mut().enumerate().for_each(|(i, b)| *b = (i as u8).wrapping_mul(tag));
    code
}

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Result<Self> {
        let path = std::env::temp_dir().join(format!("rushlight-archive-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path)?;
        Ok(Self(path))
    }
    fn write(&self, bytes: &[u8]) -> Result<PathBuf> {
        let file = self.0.join(format!("{TARGET}.zip"));
        std::fs::write(&file, bytes)?;
        Ok(file)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// An archive of the unit `binary` in f32 and f16, with code objects of these flags.
fn archive(target: &str, flags: u32) -> Result<Vec<u8>> {
    archive_of(target, |n| object(flags, n))
}

fn archive_of(target: &str, code: impl Fn(u8) -> Vec<u8>) -> Result<Vec<u8>> {
    let all = instances();
    let wanted = all.iter().filter(|i| i.unit == "binary" && matches!(i.dtype, DType::F32 | DType::F16));
    let packed = wanted.enumerate().map(|(n, i)| Packed {
        unit: i.unit,
        dtype: i.name,
        source: i.source_hash(),
        code: code(n as u8 + 3),
    });
    Ok(pack(target, "a compiler", &packed.collect::<Vec<_>>())?)
}

/// Adds tensors on a device that has this archive, and returns how often the unit was compiled.
fn compiled(folder: &Folder) -> Result<usize> {
    compiled_from(folder, None)
}

/// The same with kernel sources of a folder.
fn compiled_from(folder: &Folder, sources: Option<PathBuf>) -> Result<usize> {
    let settings = Settings { archives: vec![folder.0.clone()], sources, ..Settings::default() };
    let (dev, state) = device(1 << 20, settings);
    let ones = Tensor::ones(4, DType::F32, &Device::Record(dev))?;
    let _ = (&ones + &ones)?;
    let state = state.lock().expect("not poisoned");
    Ok(state.compiled.iter().filter(|c| c.0 == "binary.hip").count())
}

#[test]
fn code_comes_back_as_it_was_packed() -> Result<()> {
    let folder = Folder::new("same")?;
    let bytes = archive(TARGET, 0)?;
    assert_eq!(bytes, archive(TARGET, 0)?, "equal arguments give equal bytes");
    let file = folder.write(&bytes)?;
    let open = Archive::open(&file, TARGET).expect("a valid archive");
    assert_eq!((open.compiler.as_str(), open.objects.len()), ("a compiler", 2));
    for (n, o) in open.objects.iter().enumerate() {
        assert_eq!(open.code(o, "none").expect("valid code"), object(0, n as u8 + 3));
    }
    assert_eq!(compiled(&folder)?, 0, "an archive replaces the compiler");
    std::fs::remove_file(file)?;
    assert_eq!(compiled(&folder)?, 1, "without it the kernel is compiled");
    Ok(())
}

#[test]
fn damaged_archives_are_not_used() -> Result<()> {
    let folder = Folder::new("damaged")?;
    let whole = archive(TARGET, 0)?;
    let why = |bytes: &[u8]| -> Result<String> {
        let file = folder.write(bytes)?;
        assert_eq!(compiled(&folder)?, 1, "the kernel is compiled");
        let open = match Archive::open(&file, TARGET) {
            Ok(open) => open,
            Err(why) => return Ok(why),
        };
        let found = open.objects.iter().map(|o| open.code(o, TARGET).err());
        Ok(found.flatten().next().unwrap_or_default())
    };
    for len in [0, 10, whole.len() / 2, whole.len() - 1] {
        assert_eq!(why(&whole[..len])?, "it is not a complete ZIP file", "{len} bytes");
    }
    assert_eq!(why(&archive("gfx90a", 0)?)?, "its code is for gfx90a, not for none");
    // Each byte of the compressed code counts, and the checksums of the ZIP file find a changed one.
    let start = whole.windows(11).position(|w| w == b"binary.lzma").expect("the member's name") + 11;
    let mut changed = whole.clone();
    changed[start + 40] ^= 1;
    assert!(why(&changed)?.starts_with("binary.lzma"), "{}", why(&changed)?);
    let edit = |from: &str, to: &str| -> Result<Vec<u8>> {
        let mut zip = zip::ZipArchive::new(Cursor::new(whole.clone()))?;
        let mut out = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for name in ["binary.lzma", LIST] {
            let mut bytes = member(&mut zip, name).expect("a member");
            if name == LIST {
                let text = String::from_utf8(bytes).expect("text");
                assert!(text.contains(from), "{text}");
                bytes = text.replace(from, to).into_bytes();
            }
            out.start_file(name, zip::write::SimpleFileOptions::default())?;
            out.write_all(&bytes)?;
        }
        Ok(out.finish()?.into_inner())
    };
    let format = why(&edit("\"version\": 1", "\"version\": 2")?)?;
    assert_eq!(format, "its format is version 2, and this library reads 1");
    assert_eq!(why(&edit(FORMAT, "other objects")?)?, "archive.json is not a list of code objects");
    assert_eq!(why(&edit("\"size\": 4096", "\"size\": 4095")?)?, "binary.lzma is damaged");
    assert_eq!(
        why(&edit("\"offset\": 4096", "\"offset\": 18446744073709551615")?)?,
        "binary.lzma is damaged"
    );
    assert_eq!(why(&edit("\"offset\"", "\"begin\"")?)?, "the objects of archive.json lack a field");
    let all = instances();
    let binary = all.iter().find(|i| i.unit == "binary" && i.dtype == DType::F32).expect("the unit");
    let other = edit(&binary.source_hash(), &"0".repeat(32))?;
    assert_eq!(why(&other)?, "", "the code is whole, but is of other sources");
    Ok(())
}

#[test]
fn code_that_does_not_load_is_compiled() -> Result<()> {
    let folder = Folder::new("load")?;
    folder.write(&archive_of(TARGET, |n| [object(0, n), b"broken".to_vec()].concat())?)?;
    assert_eq!(compiled(&folder)?, 1);
    Ok(())
}

#[test]
fn edited_sources_are_compiled() -> Result<()> {
    let (folder, hip) = (Folder::new("edited")?, Folder::new("sources")?);
    folder.write(&archive(TARGET, 0)?)?;
    for (name, text) in headers() {
        std::fs::write(hip.0.join(name), text)?;
    }
    for i in instances() {
        std::fs::write(hip.0.join(format!("{}.hip", i.unit)), i.source)?;
    }
    assert_eq!(compiled_from(&folder, Some(hip.0.clone()))?, 0, "the same sources");
    let num = hip.0.join("num.h");
    std::fs::write(&num, std::fs::read_to_string(&num)? + "\n// edited\n")?;
    assert_eq!(compiled_from(&folder, Some(hip.0.clone()))?, 1);
    Ok(())
}

#[test]
fn code_for_other_devices_is_not_used() {
    let on = |flags: u32, arch: &str| runs_on(&object(flags, 1), arch);
    // The features of gfx90a: any, off, on.
    for (flags, arch, fits) in [
        (0x53f, "gfx90a", true),
        (0x53f, "gfx90a:sramecc+:xnack-", true),
        (0x23f, "gfx90a:sramecc+:xnack-", true),
        (0x33f, "gfx90a:sramecc+:xnack-", false),
        (0x23f, "gfx90a:sramecc+:xnack+", false),
        (0xc3f, "gfx90a:sramecc+:xnack-", true),
        (0x83f, "gfx90a:sramecc+:xnack-", false),
        (0x041, "gfx1100", true),
    ] {
        assert_eq!(on(flags, arch).is_ok(), fits, "{flags:#x} on {arch}: {:?}", on(flags, arch));
    }
    let mut old = object(0, 1);
    old[8] = 1;
    assert_eq!(runs_on(&old, "gfx90a").expect_err("version 3"), "has the code object version 3, not 4 to 6");
    let mut host = object(0, 1);
    host[18] = 62;
    assert!(runs_on(&host, "gfx90a").is_err() && runs_on(b"\x7fELF", "gfx90a").is_err());
}

#[test]
fn the_hash_covers_everything_that_the_compiler_reads() {
    let options = |o: &str| vec![o.to_string()];
    let first = source_hash(&[("a.h", "x")], "source", &options("-O3"));
    for other in [
        source_hash(&[("b.h", "x")], "source", &options("-O3")),
        source_hash(&[("a.h", "y")], "source", &options("-O3")),
        source_hash(&[("a.h", "x")], "sourcf", &options("-O3")),
        source_hash(&[("a.h", "x")], "source", &options("-O2")),
    ] {
        assert_ne!(first, other);
    }
    // FNV-1a of 128 bits of "a": the value that its authors publish.
    assert_eq!(sum(b"a"), "d228cb696f1a8caf78912b704e4a8964");
    let all = instances();
    let hashes: BTreeSet<String> = all.iter().map(|i| i.source_hash()).collect();
    assert_eq!((hashes.len(), headers().is_empty()), (all.len(), false));
}
