//! The parts of ELF that loading a module needs.

/// A 64-bit little-endian ELF file.
pub(crate) struct Elf<'a> {
    bytes: &'a [u8],
    sections: Vec<Section>,
    names: usize,
}

/// A section header: type, the section's offset and length in the file, and its linked section.
pub(crate) struct Section {
    name: usize,
    pub kind: u32,
    pub at: usize,
    pub len: usize,
    pub link: usize,
}

pub(crate) struct Symbol<'a> {
    pub name: &'a str,
    pub kind: u8,
    pub size: usize,
    pub defined: bool,
}

pub(crate) const OBJECT: u8 = 1;
pub(crate) const TLS: u8 = 6;
const HEADER: usize = 64;

/// Reads a little-endian number of `len` bytes.
pub(crate) fn number(bytes: &[u8], at: usize, len: usize) -> Option<usize> {
    let field = bytes.get(at..at.checked_add(len)?)?;
    Some(field.iter().rev().fold(0, |n, b| n << 8 | *b as usize))
}

/// Returns the length of the image that a header describes: up to the end of its section headers, which linkers put
/// last.
pub(crate) fn image_len(header: &[u8]) -> Option<usize> {
    if header.len() < HEADER || !header.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let (at, size, count) = (number(header, 40, 8)?, number(header, 58, 2)?, number(header, 60, 2)?);
    at.checked_add(size * count).filter(|n| (HEADER..1 << 32).contains(n))
}

/// Returns the machine of a header.
pub(crate) fn machine(header: &[u8]) -> Option<usize> {
    number(header, 18, 2)
}

/// Returns the section headers of a file.
pub(crate) fn sections(bytes: &[u8]) -> Option<Vec<Section>> {
    let (at, size, count) = (number(bytes, 40, 8)?, number(bytes, 58, 2)?, number(bytes, 60, 2)?);
    (0..count)
        .map(|i| {
            let s = at + i * size;
            Some(Section {
                name: number(bytes, s, 4)?,
                kind: number(bytes, s + 4, 4)? as u32,
                at: number(bytes, s + 24, 8)?,
                len: number(bytes, s + 32, 8)?,
                link: number(bytes, s + 40, 4)?,
            })
        })
        .collect()
}

impl<'a> Elf<'a> {
    pub fn parse(bytes: &'a [u8]) -> Option<Elf<'a>> {
        image_len(bytes)?;
        let names = number(bytes, 62, 2)?;
        Some(Elf { bytes, sections: sections(bytes)?, names })
    }

    fn text(&self, section: usize, at: usize) -> Option<&'a str> {
        let s = self.sections.get(section)?;
        let rest = self.bytes.get(s.at.checked_add(at)?..s.at.checked_add(s.len)?)?;
        let end = rest.iter().position(|b| *b == 0)?;
        std::str::from_utf8(&rest[..end]).ok()
    }

    /// Returns the bytes of a section.
    pub fn section(&self, name: &str) -> Option<&'a [u8]> {
        let s = self.sections.iter().find(|s| self.text(self.names, s.name) == Some(name))?;
        self.bytes.get(s.at..s.at.checked_add(s.len)?)
    }

    /// Returns all symbols: of the symbol table, else of the dynamic one.
    pub fn symbols(&self) -> Vec<Symbol<'a>> {
        let table = |kind| self.sections.iter().find(|s| s.kind == kind);
        let Some(s) = table(2).or_else(|| table(11)) else { return Vec::new() };
        let symbol = |at: usize| {
            Some(Symbol {
                name: self.text(s.link, number(self.bytes, at, 4)?)?,
                kind: number(self.bytes, at + 4, 1)? as u8 & 15,
                size: number(self.bytes, at + 16, 8)?,
                defined: number(self.bytes, at + 6, 2)? != 0,
            })
        };
        (0..s.len / 24).filter_map(|i| symbol(s.at + i * 24)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_images_are_rejected() {
        assert!(image_len(b"").is_none());
        assert!(image_len(&[0; 64]).is_none());
        let mut header = [0u8; 64];
        header[..6].copy_from_slice(b"\x7fELF\x02\x01");
        assert!(image_len(&header).is_none(), "no section headers");
        header[40..48].copy_from_slice(&100u64.to_le_bytes());
        (header[58], header[60]) = (64, 2);
        assert_eq!(image_len(&header), Some(228));
        assert!(Elf::parse(&header).is_none(), "the headers are missing");
    }
}
