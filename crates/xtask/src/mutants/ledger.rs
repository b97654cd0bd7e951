//! The outcomes of drawn wrong kernels in `tests/parity/mutants.tsv`, which is written after each outcome.
use super::draw::Site;
use crate::{Outcome, tree};
use rushlight_parity::sweep::hash;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The outcome of a wrong kernel.
#[derive(Debug, Clone, PartialEq)]
pub enum End {
    /// The suite failed, with this message.
    Caught(String),
    /// The suite passed on both wave sizes.
    Survived,
    /// The kernel does not compile, so it is not counted.
    Stillborn,
}

const HEAD: &str = "# Wrong kernels that `cargo xtask mutants --drawn` drew and ran the parity suite on, and what came of them.\n\
# caught: by this case. equivalent: no result can differ, and why; these reasons are written by hand and kept.\n\
# stillborn: it does not compile, and the next one drawn is taken instead.\n";
const WHOLE: &str = "# The suite passes with the kernels as they are.";
const COLUMNS: &str = "seed\tnumber\tfile\toperator\tbefore\tafter\tend\tby";

/// A line's columns after the seed and the number.
type Line = [String; 6];

/// The list.
pub struct Ledger {
    /// The file that it is written to, if any.
    file: Option<PathBuf>,
    /// A hash of all sources, on which the draw depends.
    sources: String,
    /// Whether the suite passed with the sources as they are.
    whole: bool,
    lines: BTreeMap<(u64, usize), Line>,
    /// Mutants that are running.
    begun: BTreeSet<(u64, usize)>,
    /// Hand-written reasons why a mutant is equivalent, by file, original text and changed text.
    equivalent: BTreeMap<[String; 3], String>,
}

/// Converts a text to one that fits into a column.
fn plain(s: &str) -> String {
    s.trim().replace(['\t', '\n'], " ")
}

impl Ledger {
    /// Reads the list at `path`; of other sources only the reasons are kept.
    pub fn read(file: Option<PathBuf>, path: &Path, sources: &[(String, String)]) -> Outcome<Self> {
        let text = if path.exists() { tree::read(path)? } else { String::new() };
        Self::parse(file, &text, sources)
    }

    fn parse(file: Option<PathBuf>, text: &str, sources: &[(String, String)]) -> Outcome<Self> {
        let all: String = sources.iter().map(|(file, text)| format!("{file}\n{text}\n")).collect();
        let sources = format!("# sources: {:016x}", hash(&all));
        let same = text.lines().any(|l| l == sources);
        let mut read = Self {
            file,
            sources,
            whole: same && text.lines().any(|l| l == WHOLE),
            lines: BTreeMap::new(),
            begun: BTreeSet::new(),
            equivalent: BTreeMap::new(),
        };
        for line in text.lines().filter(|l| !l.starts_with('#') && *l != COLUMNS) {
            let columns: Vec<String> = line.split('\t').map(str::to_string).collect();
            let [seed, number, rest @ ..] = &columns[..] else {
                return Err(format!("no line of the list: {line}").into());
            };
            let rest: Line = rest.to_vec().try_into().map_err(|_| format!("not eight columns: {line}"))?;
            let [file, _, before, after, end, why] = &rest;
            if end == "equivalent" {
                read.equivalent.insert([file.clone(), before.clone(), after.clone()], why.clone());
            }
            if same {
                read.lines.insert((seed.parse()?, number.parse()?), rest);
            }
        }
        Ok(read)
    }

    /// Drops the outcomes of a seed whose numbers stand for other mutants now, because the operators have changed.
    pub fn hold_against(&mut self, seed: u64, drawn: &[Site]) {
        self.lines.retain(|(s, number), line| {
            let site = drawn.get(*number);
            *s != seed
                || site.is_some_and(|d| {
                    [&d.file, plain(&d.before).as_str(), &plain(&d.after)] == [&line[0], &line[2], &line[3]]
                })
        });
    }

    /// Drops the outcomes of seeds.
    pub fn forget(&mut self, seeds: &[u64]) {
        self.whole = false;
        self.lines.retain(|(seed, _), _| !seeds.contains(seed));
    }

    /// Returns whether the suite passed with the sources as they are.
    pub const fn whole(&self) -> bool {
        self.whole
    }

    /// Records that the suite passed with unchanged sources.
    pub fn passes(&mut self) -> Outcome {
        self.whole = true;
        self.save()
    }

    fn of(&self, seed: u64) -> impl Iterator<Item = (usize, &Line)> {
        self.lines.range((seed, 0)..=(seed, usize::MAX)).map(|(k, v)| (k.1, v))
    }

    /// Returns the number of the next wrong kernel of a seed, until `count` of them have compiled or are still running.
    pub fn begin(&mut self, seed: u64, count: usize) -> Option<usize> {
        let compiled = self.of(seed).filter(|(_, l)| l[4] != "stillborn").count();
        let running = self.begun.iter().filter(|(s, _)| *s == seed).count();
        if compiled + running >= count {
            return None;
        }
        let taken = |n: &usize| self.lines.contains_key(&(seed, *n)) || self.begun.contains(&(seed, *n));
        let next = (0..).find(|n| !taken(n))?;
        self.begun.insert((seed, next));
        Some(next)
    }

    /// Records the outcome of a wrong kernel.
    pub fn put(&mut self, seed: u64, number: usize, site: &Site, end: End) -> Outcome {
        let (before, after) = (plain(&site.before), plain(&site.after));
        let why = self.equivalent.get(&[site.file.clone(), before.clone(), after.clone()]);
        let (end, by) = match (end, why) {
            (End::Caught(by), _) => ("caught", plain(&by)),
            (End::Stillborn, _) => ("stillborn", String::new()),
            (End::Survived, Some(why)) => ("equivalent", why.clone()),
            (End::Survived, None) => ("SURVIVED", String::new()),
        };
        let line = [site.file.clone(), site.operator.to_string(), before, after, end.to_string(), by];
        self.lines.insert((seed, number), line);
        self.begun.remove(&(seed, number));
        self.save()
    }

    fn save(&self) -> Outcome {
        self.file.as_ref().map_or(Ok(()), |file| tree::write(file, &self.text()?))
    }

    fn text(&self) -> Outcome<String> {
        let mut s = format!("{HEAD}{}\n", self.sources);
        if self.whole {
            writeln!(s, "{WHOLE}")?;
        }
        let seeds: BTreeSet<u64> = self.lines.keys().map(|k| k.0).collect();
        for seed in seeds {
            writeln!(s, "# {}", self.summary(seed))?;
        }
        writeln!(s, "{COLUMNS}")?;
        for ((seed, number), line) in &self.lines {
            writeln!(s, "{seed}\t{number}\t{}", line.join("\t"))?;
        }
        Ok(s)
    }

    /// Returns the number of a seed's wrong kernels with each outcome, as text.
    pub fn summary(&self, seed: u64) -> String {
        let count = |end: &str| self.of(seed).filter(|(_, l)| l[4] == end).count();
        let run = self.of(seed).count() - count("stillborn");
        let (caught, same, survived) = (count("caught"), count("equivalent"), count("SURVIVED"));
        format!(
            "seed {seed}: {run} wrong kernels run, {caught} caught, {same} equivalent, {survived} survived"
        )
    }

    /// Returns the wrong kernels that the suite did not catch.
    pub fn survivors(&self, seeds: &[u64]) -> Vec<String> {
        let of = self.lines.iter().filter(|((seed, _), l)| seeds.contains(seed) && l[4] == "SURVIVED");
        of.map(|((seed, n), l)| format!("{seed}/{n} {}: {}\n  {}\n  {}", l[0], l[1], l[2], l[3])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(n: usize) -> Site {
        let (before, after) = (format!("  x < {n};"), format!("  x <= {n};"));
        Site { file: "a.hip".to_string(), line: n, operator: "comparison", before, after }
    }

    #[test]
    fn a_run_goes_on_where_it_stopped() {
        let sources = [("a.hip".to_string(), "x".to_string())];
        let mut first = Ledger::parse(None, "", &sources).unwrap();
        assert_eq!((first.begin(1, 3), first.begin(1, 3)), (Some(0), Some(1)));
        first.put(1, 1, &site(1), End::Stillborn).unwrap();
        first.put(1, 0, &site(0), End::Caught("add#1\tf32".to_string())).unwrap();
        assert_eq!(first.begin(1, 3), Some(2));
        first.put(1, 2, &site(2), End::Survived).unwrap();
        assert_eq!(first.survivors(&[1]).len(), 1);
        let text = first.text().unwrap();
        // Number 3 was begun and has no outcome.
        assert_eq!((first.begin(1, 3), first.begin(1, 3)), (Some(3), None));
        let mut next = Ledger::parse(None, &text, &sources).unwrap();
        assert_eq!(next.text().unwrap(), text);
        assert_eq!((next.begin(1, 3), next.begin(2, 1)), (Some(3), Some(0)));
        next.forget(&[1]);
        assert_eq!(next.begin(1, 2), Some(0));
        first.passes().unwrap();
        let text = first.text().unwrap();
        assert!(!next.whole() && Ledger::parse(None, &text, &sources).unwrap().whole());
        // Mutants of other operators have other numbers.
        let mut moved = Ledger::parse(None, &text, &sources).unwrap();
        moved.hold_against(2, &[]);
        assert_eq!(moved.text().unwrap(), text);
        moved.hold_against(1, &[site(0), site(2), site(1)]);
        assert_eq!(moved.lines.keys().collect::<Vec<_>>(), [&(1, 0)]);
        // For other sources the numbers mean other mutants.
        let other = Ledger::parse(None, &text, &[("a.hip".to_string(), "y".to_string())]).unwrap();
        assert!(other.lines.is_empty() && !other.whole());
    }

    #[test]
    fn a_reason_written_by_hand_is_kept() {
        let sources = [("a.hip".to_string(), "x".to_string())];
        let mut first = Ledger::parse(None, "", &sources).unwrap();
        first.put(1, 0, &site(0), End::Survived).unwrap();
        let text = first.text().unwrap().replace("SURVIVED\t", "equivalent\tx is never 0");
        let mut next = Ledger::parse(None, &text, &[]).unwrap();
        next.put(2, 4, &site(0), End::Survived).unwrap();
        next.put(2, 5, &site(1), End::Survived).unwrap();
        assert!(
            next.text()
                .unwrap()
                .contains("2\t4\ta.hip\tcomparison\tx < 0;\tx <= 0;\tequivalent\tx is never 0\n")
        );
        assert_eq!(next.survivors(&[2]).len(), 1);
        // The mutant is caught now, so the written reason was wrong and is dropped.
        next.put(2, 4, &site(0), End::Caught("add".to_string())).unwrap();
        assert!(next.summary(2).contains("1 caught, 0 equivalent, 1 survived"));
    }

    #[test]
    fn the_committed_list_is_of_these_kernels_and_has_no_survivor() {
        let root = tree::root();
        let mut sources: Vec<(String, String)> = std::fs::read_dir(root.join("hip"))
            .unwrap()
            .map(|f| f.unwrap())
            .map(|f| (f.file_name().to_string_lossy().into_owned(), tree::read(&f.path()).unwrap()))
            .collect();
        sources.sort();
        let path = root.join("tests/parity/mutants.tsv");
        let mut ledger = Ledger::read(None, &path, &sources).unwrap();
        let lines =
            tree::read(&path).unwrap().lines().filter(|l| !l.starts_with('#') && *l != COLUMNS).count();
        for seed in [1, 2] {
            ledger.hold_against(seed, &crate::mutants::draw::draw(&sources, seed));
        }
        // If the kernels have changed since, the ledger has no outcomes until they are run again.
        assert!(ledger.lines.is_empty() || ledger.lines.len() == lines, "{} of {lines}", ledger.lines.len());
        assert!(ledger.survivors(&[1, 2]).is_empty());
        assert!(
            ledger.lines.values().all(|l| l[4] == "stillborn" || !l[5].is_empty()),
            "each has its case or reason"
        );
    }
}
