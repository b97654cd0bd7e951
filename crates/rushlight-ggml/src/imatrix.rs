//! Files of importance weights, as llama.cpp's `imatrix` wrote them before it wrote GGUF.
use crate::Result;
use crate::source::Source;
use std::io::{Read, Seek};

/// Reads the weights of each tensor, in the file's order: the mean of the squared activations.
pub fn read<R: Read + Seek>(reader: &mut R) -> Result<Vec<(String, Vec<f32>)>> {
    let mut source = Source::new(reader, "imatrix", 0)?;
    let entries = positive(&mut source, "the number of entries")?;
    let mut all = Vec::new();
    for _ in 0..entries {
        let len = positive(&mut source, "the length of a name")?;
        let at = source.at();
        let name = String::from_utf8(source.bytes(len, format!("a name of {len} bytes"))?);
        let name = name.map_err(|_| source.invalid(at, "expected a name in UTF-8"))?;
        let calls = source.u32("the number of calls")? as i32;
        let len = positive(&mut source, "the number of weights")?;
        let bytes = source.bytes(len * 4, format!("{len} weights of {name:?}"))?;
        let weight = |b: &[u8; 4]| {
            let sum = f32::from_le_bytes(*b);
            if calls == 0 { sum } else { sum / calls as f32 }
        };
        all.push((name, bytes.as_chunks::<4>().0.iter().map(weight).collect()));
    }
    Ok(all)
}

fn positive<R: Read + Seek>(source: &mut Source<R>, what: &str) -> Result<u64> {
    let at = source.at();
    let number = source.u32(what)? as i32;
    let number = u64::try_from(number).ok().filter(|n| *n > 0);
    number.ok_or_else(|| source.invalid(at, format!("{what}: expected a positive number")))
}
