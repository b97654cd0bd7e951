//! Traces one wave of a kernel: each instruction that it executes, and the registers that it changed.
use super::exec::{Env, Fault, Outcome, State, Wave};
use super::inst::{EXEC, FLAT_SCRATCH, VCC, XNACK_MASK};
use crate::engine::types::Dim;
use std::fmt::Write as _;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Lanes of a vector register that are printed by default.
const LANES: usize = 4;
/// Vector registers that instructions can name.
const VECTORS: usize = 256;

/// The wave to trace, and where the trace is written.
pub(crate) struct Tracer {
    pub block: Dim,
    pub wave: usize,
    /// Print only this lane's values.
    pub lane: Option<usize>,
    /// The most instructions to print.
    limit: u64,
    sink: Mutex<Sink>,
    full: AtomicBool,
}

struct Sink {
    out: Box<dyn Write + Send>,
    printed: u64,
    failed: Option<std::io::Error>,
}

impl Tracer {
    pub fn new(
        block: Dim,
        wave: usize,
        lane: Option<usize>,
        limit: u64,
        out: Box<dyn Write + Send>,
    ) -> Tracer {
        let sink = Mutex::new(Sink { out, printed: 0, failed: None });
        Tracer { block, wave, lane, limit, sink, full: AtomicBool::new(false) }
    }

    pub fn watches(&self, block: Dim, wave: usize) -> bool {
        self.block == block && self.wave == wave && !self.full.load(Relaxed)
    }

    /// Returns how many instructions were printed, whether the kernel was stopped because the limit was reached, and
    /// the error of the output, if any.
    pub fn end(&self) -> (u64, bool, Option<std::io::Error>) {
        let mut sink = self.sink.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(e) = sink.out.flush() {
            sink.failed.get_or_insert(e);
        }
        (sink.printed, self.full.load(Relaxed), sink.failed.take())
    }

    /// Runs a wave as [`Wave::run`] does, and prints each instruction.
    pub fn run<const L: usize>(&self, w: &mut Wave<L>, env: &mut Env<'_>, slice: u64) -> Outcome {
        let mut sink = self.sink.lock().unwrap_or_else(PoisonError::into_inner);
        if w.count == 0 {
            self.print(&mut sink, &self.start(w));
        }
        let until = w.count + slice;
        while w.state == State::Runs && w.count < until {
            if sink.printed == self.limit || sink.failed.is_some() {
                // A traced kernel may never end by itself.
                self.full.store(true, Relaxed);
                return Err(Fault::other("the trace ends here"));
            }
            let (pc, scalars, scc, vectors) = (w.pc, w.s, w.scc, w.v[..VECTORS].to_vec());
            let done = w.run(env, 1);
            let program = env.program;
            let mut text = match program.insts.get(pc) {
                Some(i) => format!("  {:#06x}  {i}\n", program.at + i.at as usize),
                None => "  past the end of the code\n".into(),
            };
            changes(&mut text, &scalars, scc, w);
            for (n, old) in vectors.iter().enumerate() {
                self.vector(&mut text, n, old, &w.v[n]);
            }
            self.print(&mut sink, &text);
            sink.printed += 1;
            done?;
        }
        Ok(())
    }

    fn print(&self, sink: &mut Sink, text: &str) {
        if let Err(e) = sink.out.write_all(text.as_bytes()) {
            sink.failed.get_or_insert(e);
        }
    }

    /// Describes the initial registers.
    fn start<const L: usize>(&self, w: &Wave<L>) -> String {
        let mut text = format!("wave {} of block {}, {L} lanes\n", self.wave, self.block);
        let mut none = [u32::MAX; 144];
        none[EXEC as usize] = !w.s[EXEC as usize];
        none[EXEC as usize + 1] = w.s[EXEC as usize + 1];
        changes(&mut text, &none, false, w);
        self.vector(&mut text, 0, &[u32::MAX; L], &w.v[0]);
        text
    }

    /// Describes the lanes in which a register differs; lanes with the same value together.
    fn vector<const L: usize>(&self, text: &mut String, n: usize, old: &[u32; L], new: &[u32; L]) {
        if old == new {
            return;
        }
        if let Some(l) = self.lane {
            if old.get(l) != new.get(l) {
                let _ = writeln!(text, "            v{n} = {}", number(new[l]));
            }
            return;
        }
        let changed: Vec<usize> = (0..L).filter(|l| old[*l] != new[*l]).collect();
        let (first, last) = (changed[0], changed[changed.len() - 1]);
        let one = new[first];
        if changed.len() > 1 && changed.len() == last - first + 1 && changed.iter().all(|l| new[*l] == one) {
            let _ = writeln!(text, "            v{n}, lanes {first} to {last} = {}", number(one));
            return;
        }
        for l in changed.iter().take(LANES) {
            let _ = writeln!(text, "            v{n}, lane {l} = {}", number(new[*l]));
        }
        if changed.len() > LANES {
            let _ = writeln!(text, "            v{n}: {} lanes more", changed.len() - LANES);
        }
    }
}

/// Formats bits, and the f32 that they encode.
fn number(bits: u32) -> String {
    match f32::from_bits(bits) {
        f if f.is_normal() => format!("{bits:#010x} ({f:?})"),
        _ => format!("{bits:#010x}"),
    }
}

/// Describes scalar registers and the condition code that differ.
fn changes<const L: usize>(text: &mut String, old: &[u32; 144], scc: bool, w: &Wave<L>) {
    let masks = [("vcc", VCC), ("exec", EXEC), ("flat_scratch", FLAT_SCRATCH), ("xnack_mask", XNACK_MASK)];
    for (n, is) in w.s.iter().enumerate().filter(|(n, is)| old[*n] != **is) {
        let mask = masks.iter().find(|m| (n as u8) & !1 == m.1);
        let _ = match mask {
            // Both halves are printed together, with the lower one.
            Some((name, r)) if L == 64 => {
                let r = *r as usize;
                if n != r && old[r] != w.s[r] {
                    continue;
                }
                let both = w.s[r] as u64 | (w.s[r + 1] as u64) << 32;
                writeln!(text, "            {name} = {both:#018x}")
            }
            Some((name, r)) => {
                let half = if n == *r as usize { "lo" } else { "hi" };
                writeln!(text, "            {name}_{half} = {is:#010x}")
            }
            None => match n {
                108..=123 => writeln!(text, "            ttmp{} = {is:#010x}", n - 108),
                125 => writeln!(text, "            m0 = {is:#010x}"),
                _ => writeln!(text, "            s{n} = {}", number(*is)),
            },
        };
    }
    if scc != w.scc {
        let _ = writeln!(text, "            scc = {}", u32::from(w.scc));
    }
}
