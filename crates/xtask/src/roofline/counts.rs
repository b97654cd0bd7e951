//! The counts of kernels: the committed table, and the lines that the virtual GPU prints.
use crate::{Outcome, tree};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The committed table.
pub const TABLE: &str = "crates/xtask/roofline.tsv";
const HEAD: &str = "# What kernels execute on the virtual GPU's machine code, for each target. `cargo xtask roofline --count`\n\
                    # writes this file. `case`: name, family, what limits it at best, elements, bytes, operations, growth,\n\
                    # goal in percent. `launch`: case, kernel, blocks, threads of a block, lanes of a wave, counts.\n";

/// How a case grows with its size: powers of the factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// Instructions and accesses.
    pub work: i32,
    /// Distinct bytes.
    pub bytes: i32,
    /// Blocks.
    pub blocks: i32,
}

/// The limit of the best possible kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ideal {
    /// The bandwidth of memory.
    Memory,
    /// Products of f16.
    F16,
    /// Products of f32.
    F32,
    /// Products of integers of 8 bits.
    I8,
}

const IDEALS: [(Ideal, &str); 4] =
    [(Ideal::Memory, "memory"), (Ideal::F16, "f16"), (Ideal::F32, "f32"), (Ideal::I8, "i8")];

impl Ideal {
    /// Returns its name in the table.
    pub fn name(self) -> &'static str {
        IDEALS.iter().find(|i| i.0 == self).map_or("", |i| i.1)
    }
}

/// A kernel form at one size.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Its name, which differs from all others.
    pub name: String,
    /// The name of its family.
    pub family: String,
    /// The limit of the best kernel.
    pub ideal: Ideal,
    /// Elements (multiplications, for products) that counts are divided by.
    pub elements: f64,
    /// Bytes of the operands and results, each once.
    pub bytes: f64,
    /// Floating-point operations, where `ideal` counts them.
    pub operations: f64,
    /// How it grows.
    pub growth: Growth,
    /// The least fraction of the peak, in percent.
    pub goal: f64,
}

impl Case {
    /// Returns its line, which [`Case::parse`] reads.
    pub fn line(&self) -> String {
        let g = self.growth;
        format!(
            "case\t{}\t{}\t{}\t{}\t{}\t{}\t{},{},{}\t{}",
            self.name,
            self.family,
            self.ideal.name(),
            self.elements,
            self.bytes,
            self.operations,
            g.work,
            g.bytes,
            g.blocks,
            self.goal
        )
    }

    /// Reads a line.
    pub fn parse(line: &str) -> Option<Case> {
        let words: Vec<&str> = line.split('\t').collect();
        let ["case", name, family, ideal, elements, bytes, operations, growth, goal] = words[..] else {
            return None;
        };
        let powers: Vec<i32> = growth.split(',').map(|p| p.parse().ok()).collect::<Option<_>>()?;
        let [work, more, blocks] = powers[..] else { return None };
        Some(Case {
            name: name.into(),
            family: family.into(),
            ideal: IDEALS.iter().find(|i| i.1 == ideal)?.0,
            elements: elements.parse().ok()?,
            bytes: bytes.parse().ok()?,
            operations: operations.parse().ok()?,
            growth: Growth { work, bytes: more, blocks },
            goal: goal.parse().ok()?,
        })
    }
}

/// A launch of a case.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Launch {
    /// The case's name.
    pub case: String,
    /// The kernel's name.
    pub kernel: String,
    /// Blocks of the grid.
    pub blocks: u64,
    /// Threads of a block.
    pub threads: u64,
    /// Lanes of a wave.
    pub wave: u64,
    /// The printed counts by name; those that are 0 are left out.
    pub counts: BTreeMap<String, u64>,
}

impl Launch {
    /// Returns a count.
    pub fn get(&self, name: &str) -> f64 {
        self.counts.get(name).copied().unwrap_or(0) as f64
    }

    /// Returns the sum of the instructions of all classes.
    pub fn instructions(&self) -> f64 {
        CLASSES.iter().map(|c| self.get(c)).sum()
    }

    /// Returns the kinds of vector memory instructions, such as `flat_load_16`, with their numbers.
    pub fn kinds(&self) -> impl Iterator<Item = (&str, u64)> {
        let of = |name: &str| ["flat_", "global_", "scratch_"].iter().any(|k| name.starts_with(k));
        self.counts.iter().filter(move |(k, _)| of(k) && *k != "scratch_bytes").map(|(k, n)| (k.as_str(), *n))
    }

    /// Returns its line in the table.
    pub fn line(&self) -> String {
        let counts: Vec<String> = self.counts.iter().map(|(k, n)| format!("{k}={n}")).collect();
        let counts = counts.join(" ");
        let Launch { case, kernel, blocks, threads, wave, .. } = self;
        format!("launch\t{case}\t{kernel}\t{blocks}\t{threads}\t{wave}\t{counts}")
    }

    /// Reads a line of the table.
    pub fn parse(line: &str) -> Option<Launch> {
        let words: Vec<&str> = line.split('\t').collect();
        let ["launch", case, kernel, blocks, threads, wave, list] = words[..] else { return None };
        let (blocks, threads, wave) = (blocks.parse().ok()?, threads.parse().ok()?, wave.parse().ok()?);
        Some(Launch {
            case: case.into(),
            kernel: kernel.into(),
            blocks,
            threads,
            wave,
            counts: counts(list)?,
        })
    }

    /// Reads a line that the virtual GPU prints for RUSHLIGHT_VGPU_COUNT.
    pub fn printed(line: &str, case: &str) -> Option<Launch> {
        let (kernel, rest) = line.strip_prefix("rushlight-vgpu: kernel `")?.split_once("`, grid ")?;
        let (grid, rest) = rest.split_once(" of ")?;
        let (block, rest) = rest.split_once(": ")?;
        let (_, rest) = rest.split_once(" instructions by waves of ")?;
        let (wave, list) = rest.split_once(": ")?;
        let volume = |text: &str| {
            let inner = text.strip_prefix('(')?.strip_suffix(')')?;
            inner.split(',').map(|n| n.parse::<u64>().ok()).product::<Option<u64>>()
        };
        let mut counts = counts(list)?;
        counts.retain(|_, n| *n > 0);
        Some(Launch {
            case: case.into(),
            kernel: kernel.into(),
            blocks: volume(grid)?,
            threads: volume(block)?,
            wave: wave.parse().ok()?,
            counts,
        })
    }
}

/// The classes of instructions, as the virtual GPU names them.
pub const CLASSES: [&str; 13] = [
    "valu", "trans", "mul32", "f64", "matrix", "matrix32", "salu", "smem", "vmem", "lds", "branch",
    "barrier", "other",
];

fn counts(list: &str) -> Option<BTreeMap<String, u64>> {
    let one = |word: &str| {
        let (name, n) = word.split_once('=')?;
        Some((name.to_string(), n.parse().ok()?))
    };
    list.split(' ').map(one).collect()
}

/// The counts of one target.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Target {
    /// The compiler's version.
    pub compiler: String,
    /// All launches, in their order.
    pub launches: Vec<Launch>,
}

/// The whole table.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Table {
    /// The forms.
    pub cases: Vec<Case>,
    /// The counts of each target.
    pub targets: BTreeMap<String, Target>,
}

impl Table {
    /// Returns where the committed table is.
    pub fn path() -> PathBuf {
        tree::root().join(TABLE)
    }

    /// Reads the committed table.
    pub fn read() -> Outcome<Table> {
        Table::parse(&tree::read(&Table::path())?)
    }

    /// Reads a text.
    pub fn parse(text: &str) -> Outcome<Table> {
        let mut table = Table::default();
        let mut target = String::new();
        for line in text.lines().filter(|l| !l.starts_with('#') && !l.is_empty()) {
            let bad = || format!("{TABLE}: not a line of the table: {line}");
            match line.split('\t').next() {
                Some("case") => table.cases.push(Case::parse(line).ok_or_else(bad)?),
                Some("target") => {
                    let (name, compiler) =
                        line.trim_start_matches("target\t").split_once('\t').ok_or_else(bad)?;
                    target = name.into();
                    table.targets.entry(target.clone()).or_default().compiler = compiler.into();
                }
                _ => {
                    let launch = Launch::parse(line).ok_or_else(bad)?;
                    table.targets.get_mut(&target).ok_or_else(bad)?.launches.push(launch);
                }
            }
        }
        Ok(table)
    }

    /// Returns its text.
    pub fn text(&self) -> String {
        let mut text = HEAD.to_string();
        self.cases.iter().for_each(|c| text += &format!("{}\n", c.line()));
        for (name, target) in &self.targets {
            text += &format!("target\t{name}\t{}\n", target.compiler);
            target.launches.iter().for_each(|l| text += &format!("{}\n", l.line()));
        }
        text
    }

    /// Returns the launches of a case on a target.
    pub fn launches(&self, target: &str, case: &str) -> Vec<&Launch> {
        let all = self.targets.get(target).map_or(&[][..], |t| &t.launches);
        all.iter().filter(|l| l.case == case).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "rushlight-vgpu: kernel `add_f32_contig`, grid (4,2,1) of (256,1,1): 96 instructions by waves of 64: \
                           valu=64 trans=0 salu=16 vmem=12 branch=4 waves=32 vgprs=12 flat_load_16=8 flat_store_16=4";

    #[test]
    fn lines_of_the_virtual_gpu_become_rows_and_rows_are_read_again() {
        let l = Launch::printed(PRINTED, "add").unwrap();
        assert_eq!((l.blocks, l.threads, l.wave, l.instructions()), (8, 256, 64, 96.0));
        assert_eq!(l.kinds().collect::<Vec<_>>(), [("flat_load_16", 8), ("flat_store_16", 4)]);
        assert!(!l.counts.contains_key("trans"));
        let case = "case\tadd\telementwise\tmemory\t1024\t12288\t0\t1,1,1\t80";
        let text = format!("# a note\n{case}\ntarget\tgfx942\tclang 19\n{}\n", l.line());
        let table = Table::parse(&text).unwrap();
        assert_eq!((table.launches("gfx942", "add").len(), table.launches("gfx90a", "add").len()), (1, 0));
        assert_eq!(Table::parse(&table.text()).unwrap(), table);
        assert_eq!(table.cases[0].line(), case);
        for wrong in ["launch\tadd\tk", "case\tadd", "target", l.line().as_str()] {
            assert!(Table::parse(wrong).is_err(), "{wrong}");
        }
        assert_eq!(Launch::printed("rushlight-vgpu: hipMalloc", "add"), None);
    }
}
