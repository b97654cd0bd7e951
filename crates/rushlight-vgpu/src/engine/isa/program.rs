//! The code of a module, decoded once.
use super::decode::decode;
use super::inst::Inst;
use super::types::Family;

const NONE: u32 = u32::MAX;

#[derive(Debug)]
pub(crate) struct Program {
    pub insts: Vec<Inst>,
    /// For each word of the code, the index of the instruction that starts there.
    starts: Vec<u32>,
    /// Offset of the code in the image.
    pub at: usize,
    /// Address of the code in memory, for instructions that read it.
    pub base: u64,
}

impl Program {
    /// Decodes code from the entry points of kernels, as far as possible. Words that are not instructions follow the
    /// ends of kernels; a wave that reaches one gets an error.
    pub fn new(family: Family, code: &[u8], at: usize, wave: u32, entries: &[usize]) -> Program {
        let mut p = Program { insts: Vec::new(), starts: vec![NONE; code.len() / 4], at, base: 0 };
        let mut starts: Vec<usize> = entries.iter().map(|e| e - at).collect();
        starts.push(0);
        starts.sort_unstable();
        for start in starts {
            p.sweep(family, code, start, wave);
        }
        p
    }

    /// Decodes from an offset to the next decoded instruction, or to the end.
    fn sweep(&mut self, family: Family, code: &[u8], mut at: usize, wave: u32) {
        while self.starts.get(at / 4) == Some(&NONE) {
            let Some(i) = decode(family, code, at, wave) else { break };
            self.starts[at / 4] = self.insts.len() as u32;
            at += i.size as usize;
            self.insts.push(i);
        }
    }

    /// Returns the index of the instruction at an offset of the code.
    pub fn index(&self, offset: i64) -> Option<usize> {
        let word = usize::try_from(offset).ok().filter(|o| o % 4 == 0)? / 4;
        self.starts.get(word).filter(|i| **i != NONE).map(|i| *i as usize)
    }
}
