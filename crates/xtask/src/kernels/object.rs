//! Reads a code object's description of its kernels: the note that AMD's compiler writes (MessagePack) and the ELF header.
use crate::Outcome;
use serde_json::Value;

/// A kernel, as its note describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Kernel {
    pub name: String,
    /// Bytes of all arguments, including those that the runtime adds.
    pub arguments: u64,
    /// Kind and bytes of each argument.
    pub parameters: Vec<(String, u64)>,
    pub wave: u64,
    /// Most threads of a block.
    pub threads: u64,
    pub lds: u64,
    /// Bytes of scratch memory of each thread.
    pub scratch: u64,
    pub vgprs: u64,
    /// Vector registers spilled to scratch memory. Spilled scalar registers are not counted: they go to vector registers,
    /// which costs little.
    pub spills: u64,
    /// Whether the kernel calls functions that the compiler does not know, so that `scratch` is an estimate.
    pub dynamic: bool,
}

/// A code object.
#[derive(Debug, Clone, PartialEq)]
pub struct Object {
    /// The code object version: 4, 5 or 6.
    pub version: u32,
    /// For instance `amdgcn-amd-amdhsa--gfx1100`.
    pub target: String,
    pub kernels: Vec<Kernel>,
}

/// Reads a code object.
pub fn read(bytes: &[u8]) -> Outcome<Object> {
    let note = metadata(bytes).ok_or("not an AMDGPU code object with a note")?;
    let note = message(&mut &*note, 0).ok_or("its note is not MessagePack")?;
    let kernels = note["amdhsa.kernels"].as_array().ok_or("its note has no kernels")?;
    let kernels =
        kernels.iter().map(|k| kernel(k).ok_or_else(|| format!("its note lacks a field: {k}").into()));
    Ok(Object {
        version: u32::from(bytes[8]) + 2,
        target: note["amdhsa.target"].as_str().unwrap_or_default().to_string(),
        kernels: kernels.collect::<Outcome<_>>()?,
    })
}

fn kernel(k: &Value) -> Option<Kernel> {
    let number = |name: &str| k[name].as_u64();
    let parameters = k[".args"].as_array()?.iter();
    Some(Kernel {
        name: k[".name"].as_str()?.to_string(),
        arguments: number(".kernarg_segment_size")?,
        parameters: parameters
            .map(|a| Some((a[".value_kind"].as_str()?.to_string(), a[".size"].as_u64()?)))
            .collect::<Option<_>>()?,
        wave: number(".wavefront_size")?,
        threads: number(".max_flat_workgroup_size")?,
        lds: number(".group_segment_fixed_size")?,
        scratch: number(".private_segment_fixed_size")?,
        vgprs: number(".vgpr_count")?,
        spills: number(".vgpr_spill_count")?,
        dynamic: k[".uses_dynamic_stack"].as_bool()?,
    })
}

/// Reads a little-endian number of `len` bytes.
fn number(bytes: &[u8], at: usize, len: usize) -> Option<usize> {
    let field = bytes.get(at..at.checked_add(len)?)?;
    Some(field.iter().rev().fold(0, |n, b| n << 8 | usize::from(*b)))
}

/// Returns the contents of the note of type NT_AMDGPU_METADATA.
fn metadata(bytes: &[u8]) -> Option<&[u8]> {
    const AMDGPU: usize = 224;
    const HSA: u8 = 64;
    const METADATA: usize = 32;
    if !bytes.starts_with(b"\x7fELF\x02\x01") || number(bytes, 18, 2)? != AMDGPU || bytes[7] != HSA {
        return None;
    }
    let (at, size, count) = (number(bytes, 40, 8)?, number(bytes, 58, 2)?, number(bytes, 60, 2)?);
    (0..count).map(|i| at + i * size).find_map(|section| {
        const NOTE: usize = 7;
        let mut at = number(bytes, section + 24, 8)?;
        let end = at.checked_add(number(bytes, section + 32, 8)?)?;
        while number(bytes, section + 4, 4)? == NOTE && at < end {
            let (name, len) = (number(bytes, at, 4)?, number(bytes, at + 4, 4)?);
            let text = at + 12 + name.next_multiple_of(4);
            if number(bytes, at + 8, 4)? == METADATA {
                return bytes.get(text..text.checked_add(len)?);
            }
            at = text + len.next_multiple_of(4);
        }
        None
    })
}

/// Reads the value at the start of MessagePack bytes, and removes it from them. It supports the kinds of values that notes
/// use: texts, arrays, maps, booleans, nil and integers.
fn message(bytes: &mut &[u8], depth: usize) -> Option<Value> {
    // Notes are nested five levels deep.
    if depth > 16 {
        return None;
    }
    let first = take(bytes, 1)?[0];
    let count = |bytes: &mut &[u8], n: usize| -> Option<u64> {
        Some(take(bytes, n)?.iter().fold(0, |v, b| v << 8 | u64::from(*b)))
    };
    Some(match first {
        0..=0x7f => first.into(),
        0xe0..=0xff => (first as i8).into(),
        0xc0 => Value::Null,
        0xc2 | 0xc3 => (first == 0xc3).into(),
        0xcc..=0xcf => count(bytes, 1 << (first - 0xcc))?.into(),
        0xd0 => (count(bytes, 1)? as i8).into(),
        0xd1 => (count(bytes, 2)? as i16).into(),
        0xd2 => (count(bytes, 4)? as i32).into(),
        0xd3 => (count(bytes, 8)? as i64).into(),
        0xa0..=0xbf | 0xd9..=0xdb => {
            let n = if first < 0xc0 { u64::from(first & 31) } else { count(bytes, 1 << (first - 0xd9))? };
            std::str::from_utf8(take(bytes, n as usize)?).ok()?.into()
        }
        0x90..=0x9f | 0xdc | 0xdd => {
            let n = if first < 0xa0 { u64::from(first & 15) } else { count(bytes, 2 << (first - 0xdc))? };
            (0..n).map(|_| message(bytes, depth + 1)).collect::<Option<Vec<_>>>()?.into()
        }
        0x80..=0x8f | 0xde | 0xdf => {
            let n = if first < 0x90 { u64::from(first & 15) } else { count(bytes, 2 << (first - 0xde))? };
            let mut map = serde_json::Map::new();
            for _ in 0..n {
                let key = message(bytes, depth + 1)?.as_str()?.to_string();
                map.insert(key, message(bytes, depth + 1)?);
            }
            map.into()
        }
        _ => return None,
    })
}

fn take<'a>(bytes: &mut &'a [u8], n: usize) -> Option<&'a [u8]> {
    let (head, rest) = bytes.split_at_checked(n)?;
    *bytes = rest;
    Some(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_read_as_the_format_describes_them() {
        let bytes = b"\x83\xa1a\x92\x01\xff\xa1b\xcd\x01\x00\xa1c\xd9\x02hi";
        let want = serde_json::json!({"a": [1, -1], "b": 256, "c": "hi"});
        assert_eq!(message(&mut &bytes[..], 0), Some(want));
        assert_eq!(message(&mut &bytes[..bytes.len() - 1], 0), None, "cut short");
        assert_eq!(message(&mut &[0x91; 40][..], 0), None, "deeper than any note");
        assert!(read(b"\x7fELF\x02\x01").is_err() && read(&[0; 64]).is_err(), "no code object");
    }
}
