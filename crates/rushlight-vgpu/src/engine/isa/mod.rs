//! The isa engine executes AMD machine code.
mod code;
mod decode;
pub(crate) mod engine;
mod exec;
mod gcn;
mod inst;
mod listing;
mod mem;
mod msgpack;
mod ops;
mod program;
mod table;
mod tally;
#[cfg(test)]
mod tested;
mod text;
pub(crate) mod trace;
mod types;

use types::Family;

/// An instruction of a code object, as [`Disassembler`] returns it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Address in the image.
    pub at: usize,
    /// Its size in bytes.
    pub len: usize,
    /// Its text in the syntax of LLVM's assembler.
    pub text: String,
    /// Whether the engine can execute it.
    pub executable: bool,
}

/// Disassembles a code object.
pub struct Disassembler<'a> {
    image: &'a [u8],
    object: code::CodeObject,
    family: Family,
}

impl<'a> Disassembler<'a> {
    /// Reads an ELF image.
    ///
    /// # Errors
    /// The reason why the image is invalid.
    pub fn new(image: &'a [u8]) -> Result<Disassembler<'a>, String> {
        let object = code::parse(image)?;
        let family =
            family(object.processor()).ok_or(format!("{}: the target is not supported", object.target))?;
        Ok(Disassembler { image, object, family })
    }

    /// Returns the instruction at an address.
    ///
    /// # Errors
    /// Bytes that are not a known instruction, with their address.
    pub fn at(&self, at: usize) -> Result<Line, String> {
        let segment = self.object.segments.iter().find(|s| s.executable && s.at <= at && at < s.at + s.len);
        let s = segment.ok_or(format!("{at:#x}: not an address of code"))?;
        let code = &self.image[s.file..s.file + s.len];
        let wave = self.object.kernels.first().map_or(32, |k| k.wave);
        match decode::decode(self.family, code, at - s.at, wave) {
            Some(i) => {
                let known = |i: &inst::Inst| i.op != ops::Op::unknown;
                let executable = known(&i) && i.dual.as_ref().is_none_or(|d| known(d));
                Ok(Line { at, len: i.size as usize, text: i.to_string(), executable })
            }
            None => {
                let bytes = &code[at - s.at..][..4.min(code.len() + s.at - at)];
                Err(format!("{at:#x}: unknown instruction {bytes:02x?}"))
            }
        }
    }
}

/// Returns the family of a processor.
fn family(processor: &str) -> Option<Family> {
    match processor {
        "gfx1100" | "gfx1101" | "gfx1102" | "gfx1103" | "gfx1150" | "gfx1151" => Some(Family::Rdna3),
        "gfx90a" => Some(Family::Cdna2),
        "gfx942" => Some(Family::Cdna3),
        _ => None,
    }
}

/// Returns whether the engine executes a processor's code.
pub(crate) fn executes(processor: &str) -> bool {
    family(processor).is_some()
}
