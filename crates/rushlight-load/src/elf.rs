//! Checks an ELF file before it is passed on: a truncated one causes a SIGBUS in the linker and an out-of-bounds read
//! in HIP.
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The ELF machine number of this CPU.
const HOST: u16 = if cfg!(target_arch = "x86_64") {
    62
} else if cfg!(target_arch = "aarch64") {
    183
} else {
    0
};

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
}

const PT_LOAD: u32 = 1;
const SHT_NOBITS: u32 = 8;

/// Checks that a file is a complete shared library for this CPU.
pub fn check_library(path: &Path) -> Result<(), String> {
    let io = |e: std::io::Error| e.to_string();
    let mut file = File::open(path).map_err(io)?;
    let size = file.metadata().map_err(io)?.len();
    let mut head = vec![0; usize::try_from(size.min(65_536)).unwrap_or(65_536)];
    file.read_exact(&mut head).map_err(io)?;
    check_head(&head)?;
    let machine = u16_at(&head, 18).unwrap_or(0);
    if HOST != 0 && machine != HOST {
        return Err(format!("made for another CPU (ELF machine {machine}, this is {HOST})"));
    }
    if u16_at(&head, 16) != Some(3) {
        return Err("an ELF file, but not a shared library".into());
    }
    check_extent(&head, size)
}

/// Checks that the bytes are a complete ELF file.
pub fn check_image(bytes: &[u8]) -> Result<(), String> {
    check_head(bytes)?;
    check_extent(bytes, bytes.len() as u64)?;
    let sections = u64_at(bytes, 40).unwrap_or(0);
    let (size, count) =
        (u64::from(u16_at(bytes, 58).unwrap_or(0)), u64::from(u16_at(bytes, 60).unwrap_or(0)));
    let cut = "truncated: its sections lie beyond its end";
    for i in 0..count {
        let at = usize::try_from(sections.saturating_add(i * size)).map_err(|_| cut)?;
        let kind = u32_at(bytes, at.saturating_add(4)).ok_or(cut)?;
        let offset = u64_at(bytes, at.saturating_add(24)).ok_or(cut)?;
        let length = u64_at(bytes, at.saturating_add(32)).ok_or(cut)?;
        let end = offset.checked_add(length).ok_or(cut)?;
        if kind != SHT_NOBITS && end > bytes.len() as u64 {
            return Err(cut.into());
        }
    }
    Ok(())
}

fn check_head(head: &[u8]) -> Result<(), String> {
    if head.len() < 64 {
        return Err(format!("truncated: {} bytes", head.len()));
    }
    if !head.starts_with(b"\x7fELF") {
        return Err("not an ELF file".into());
    }
    if head[4] != 2 || head[5] != 1 {
        return Err("not a 64-bit little-endian ELF file".into());
    }
    Ok(())
}

/// Checks that all mapped segments lie within the file.
fn check_extent(head: &[u8], size: u64) -> Result<(), String> {
    let cut = || format!("truncated: {size} bytes, but its segments reach beyond");
    let table = u64_at(head, 32).ok_or_else(cut)?;
    let (entry, count) = (u64::from(u16_at(head, 54).unwrap_or(0)), u64::from(u16_at(head, 56).unwrap_or(0)));
    for i in 0..count {
        let at = usize::try_from(table.saturating_add(i * entry)).map_err(|_| cut())?;
        let kind = u32_at(head, at).ok_or_else(cut)?;
        let offset = u64_at(head, at.saturating_add(8)).ok_or_else(cut)?;
        let length = u64_at(head, at.saturating_add(32)).ok_or_else(cut)?;
        if kind == PT_LOAD && offset.checked_add(length).is_none_or(|end| end > size) {
            return Err(cut());
        }
    }
    Ok(())
}
