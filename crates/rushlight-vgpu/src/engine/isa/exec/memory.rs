//! Memory instructions. Addresses are host addresses; every access is checked against the table of allocations first.
use super::watch::{Access, Found};
use super::*;
use crate::engine::isa::mem::{Act, Mem, Rmw};
use crate::engine::isa::types::Class;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst};

/// The memory that a grid may access.
pub(crate) struct Space {
    /// Start and end of each allocation, in order.
    pub blocks: Vec<(u64, u64)>,
    /// The arguments, which are read-only.
    pub arguments: (u64, u64),
}

impl Space {
    /// Returns the allocation that contains a range.
    fn find(&self, at: u64, len: u64) -> Option<(u64, u64)> {
        let n = self.blocks.partition_point(|b| b.0 <= at);
        let found = n.checked_sub(1).map(|n| self.blocks[n]);
        found.filter(|b| at.checked_add(len).is_some_and(|end| end <= b.1))
    }
}

/// The part of a memory element in one register.
type Word = u32;

impl<const L: usize> Wave<L> {
    /// Returns the host address of an access, or an error if it is invalid.
    #[inline(always)]
    fn reach(
        &mut self,
        at: u64,
        bytes: usize,
        lane: usize,
        write: bool,
        env: &mut Env<'_>,
    ) -> Outcome<*mut u8> {
        let fault = Fault { lane, why: Why::Memory { at, bytes, write } };
        if env.watch.is_some() {
            self.watched(at, bytes, lane, write, env)?;
        }
        let (space, lds) = (env.space, &mut *env.lds);
        let inside = |len: usize, offset: usize| offset <= len && bytes <= len - offset;
        let offset = at as u32 as usize;
        match at >> 48 {
            1 if inside(lds.len(), offset) => Ok(lds[offset..].as_mut_ptr()),
            2 if inside(self.scratch_lane, offset) => {
                Ok(self.scratch[lane * self.scratch_lane + offset..].as_mut_ptr())
            }
            1 | 2 => Err(fault),
            _ => {
                let end = at.wrapping_add(bytes as u64);
                if at >= self.near.0 && end <= self.near.1 && end > at {
                    return Ok(at as *mut u8);
                }
                let arguments = space.arguments;
                if !write && at >= arguments.0 && end <= arguments.1 && end > at {
                    return Ok(at as *mut u8);
                }
                match space.find(at, bytes as u64) {
                    Some(block) => {
                        self.near = block;
                        Ok(at as *mut u8)
                    }
                    None => Err(fault),
                }
            }
        }
    }

    /// Returns the offset from addresses to host addresses if all active lanes may access theirs. It looks up the
    /// range from the first to the last address, which is much faster than each alone; if that is not one allocation,
    /// `reach` checks each lane.
    #[inline(always)]
    fn reach_all(
        &mut self,
        at: &[u64; L],
        bytes: usize,
        exec: u64,
        write: bool,
        env: &mut Env<'_>,
    ) -> Option<u64> {
        if env.watch.is_some() {
            return None;
        }
        let (mut low, mut high) = (u64::MAX, 0);
        if exec == Self::FULL {
            for a in at {
                (low, high) = (low.min(*a), high.max(*a));
            }
        } else {
            for l in (0..L).filter(|l| exec >> l & 1 == 1) {
                (low, high) = (low.min(at[l]), high.max(at[l]));
            }
        }
        // Scratch memory is private to each lane.
        if low > high || low >> 48 == 2 {
            return None;
        }
        let span = usize::try_from(high - low).ok()?.checked_add(bytes)?;
        let to = self.reach(low, span, 0, write, env).ok()?;
        Some((to as u64).wrapping_sub(low))
    }

    /// Checks an access for races and uninitialized reads.
    #[cold]
    fn watched(&self, at: u64, bytes: usize, lane: usize, write: bool, env: &mut Env<'_>) -> Outcome {
        let arguments = env.space.arguments;
        let lds = at >> 48 == 1;
        let Some(watch) = env.watch.as_mut().filter(|_| at >> 48 != 2) else { return Ok(()) };
        if at >= arguments.0 && at < arguments.1 {
            return Ok(());
        }
        let access = Access {
            block: 0,
            epoch: 0,
            wave: self.number,
            atomic: self.atomic,
            write,
            pc: self.pc as u32 - 1,
        };
        let Some((byte, found)) = watch.access(at, bytes, lds, access) else { return Ok(()) };
        let location = if lds { format!("byte {} of LDS", byte as u32) } else { format!("{byte:#x}") };
        let text = match found {
            Found::Fresh => format!("it reads {location}, which nothing has written"),
            Found::Race(o) => {
                let i = &env.program.insts[o.pc as usize];
                let who = if o.block == watch.block {
                    format!("wave {} of the block", o.wave)
                } else {
                    format!("wave {} of block {}", o.wave, o.block)
                };
                let (did, does) =
                    (if o.write { "written" } else { "read" }, if write { "writes" } else { "reads" });
                let where_ = env.program.at + i.at as usize;
                format!(
                    "a race: it {does} {location}, which {who} has {did} (`{i}` at {where_:#x}) with no barrier between them"
                )
            }
        };
        Err(Fault { lane, why: Why::Other(text) })
    }

    pub(super) fn load_scalars(&mut self, i: &Inst, env: &mut Env<'_>) -> Outcome {
        let words = i.row.bits[0] as usize / 32;
        if !matches!(
            i.op,
            Op::s_load_b32 | Op::s_load_b64 | Op::s_load_b128 | Op::s_load_b256 | Op::s_load_b512
        ) {
            if i.op == Op::s_memtime {
                // A clock that advances only with this wave.
                let count = self.count;
                self.write_scalar64(i.dst, count);
                return Ok(());
            }
            // A cache instruction.
            return if words == 0 { Ok(()) } else { Err(refused(i)) };
        }
        let base = self.s[i.addr as usize] as u64 | (self.s[i.addr as usize + 1] as u64) << 32;
        let more = if i.base == NULL { 0 } else { self.s[i.base as usize] as u64 };
        // The lower two bits of each part are ignored.
        let at = (base & !3).wrapping_add(i.imm as i64 as u64 & !3).wrapping_add(more & !3);
        let from = self.reach(at, words * 4, 0, false, env)?;
        if let Some(tally) = &mut env.tally {
            tally.scalar(at, words * 4);
        }
        for n in 0..words {
            // SAFETY: `reach` checked these bytes.
            let v = unsafe { from.cast::<u32>().add(n).read_unaligned() };
            self.write_scalar(i.dst + n as u16, v);
        }
        Ok(())
    }

    /// Returns the address of each lane.
    fn addresses(&self, i: &Inst, offset: i32) -> [u64; L] {
        let v = &self.v[i.addr as usize];
        let pointer = |l: usize| v[l] as u64 | (self.v[i.addr as usize + 1][l] as u64) << 32;
        let more = offset as i64 as u64;
        match i.enc {
            Enc::Ds => std::array::from_fn(|l| SHARED_BASE | v[l].wrapping_add(offset as u32) as u64),
            Enc::Scratch => {
                let base =
                    if i.base == NULL { 0 } else { self.s[i.base as usize] }.wrapping_add(offset as u32);
                let own = i.cache & VADDR != 0;
                std::array::from_fn(|l| PRIVATE_BASE | base.wrapping_add(if own { v[l] } else { 0 }) as u64)
            }
            Enc::Global if i.base != NULL => {
                let base = self.s[i.base as usize] as u64 | (self.s[i.base as usize + 1] as u64) << 32;
                let base = base.wrapping_add(more);
                std::array::from_fn(|l| base.wrapping_add(v[l] as u64))
            }
            _ => std::array::from_fn(|l| pointer(l).wrapping_add(more)),
        }
    }

    pub(super) fn memory(&mut self, i: &Inst, env: &mut Env<'_>) -> Outcome {
        let Some(mem) = i.row.mem else {
            let r = self.permuted(i).ok_or_else(|| refused(i))?;
            self.put(i.dst, &r);
            return Ok(());
        };
        if i.cache & GDS != 0 {
            return Err(refused(i));
        }
        let words = mem.words() as u16;
        match mem.act {
            Act::Load => {
                let at = self.addresses(i, i.imm);
                self.load(&mem, &at, i.dst, env)
            }
            Act::Store => {
                let at = self.addresses(i, i.imm);
                self.store(&mem, &at, i.data, env)
            }
            Act::LoadTwo(step) => {
                let first = self.addresses(i, (i.imm & 255) * step as i32);
                let second = self.addresses(i, (i.imm >> 8) * step as i32);
                self.load(&mem, &first, i.dst, env)?;
                self.load(&mem, &second, i.dst + words, env)
            }
            Act::StoreTwo(step) => {
                let first = self.addresses(i, (i.imm & 255) * step as i32);
                let second = self.addresses(i, (i.imm >> 8) * step as i32);
                self.store(&mem, &first, i.data, env)?;
                self.store(&mem, &second, i.data1, env)
            }
            Act::Atomic(rmw) => {
                self.atomic = true;
                let done = self.atomic(i, &mem, rmw, env);
                self.atomic = false;
                done
            }
        }
    }

    pub(super) fn load(&mut self, mem: &Mem, at: &[u64; L], to: u16, env: &mut Env<'_>) -> Outcome {
        let (exec, bytes, to) = (self.exec(), mem.bytes(), to as usize);
        let signed = mem.ty.class == Class::Int;
        if let Some(tally) = &mut env.tally {
            tally.access(at, bytes, exec, false);
        }
        let all = self.reach_all(at, bytes, exec, false, env);
        if let Some(add) = all.filter(|_| exec == Self::FULL && bytes == 4) {
            // SAFETY: `reach_all` found them.
            self.v[to] = at.map(|a| unsafe { (a.wrapping_add(add) as *const Word).read_unaligned() });
            return Ok(());
        }
        for l in (0..L).filter(|l| exec >> l & 1 == 1) {
            let from = match all {
                Some(add) => at[l].wrapping_add(add) as *mut u8,
                None => self.reach(at[l], bytes, l, false, env)?,
            };
            if bytes >= 4 {
                for n in 0..bytes / 4 {
                    // SAFETY: `reach` checked these bytes.
                    self.v[to + n][l] = unsafe { from.cast::<Word>().add(n).read_unaligned() };
                }
                continue;
            }
            // SAFETY: as above.
            let value = unsafe {
                match (bytes, signed) {
                    (1, false) => from.read() as u32,
                    (1, true) => from.cast::<i8>().read() as u32,
                    (_, false) => from.cast::<u16>().read_unaligned() as u32,
                    _ => from.cast::<i16>().read_unaligned() as u32,
                }
            };
            let v = &mut self.v[to][l];
            *v = match mem.half {
                0 => value,
                1 => *v & 0xffff_0000 | value & 0xffff,
                _ => *v & 0xffff | value << 16,
            };
        }
        Ok(())
    }

    pub(super) fn store(&mut self, mem: &Mem, at: &[u64; L], data: u16, env: &mut Env<'_>) -> Outcome {
        let (exec, bytes, data) = (self.exec(), mem.bytes(), data as usize);
        if let Some(tally) = &mut env.tally {
            tally.access(at, bytes, exec, true);
        }
        let all = self.reach_all(at, bytes, exec, true, env);
        for l in (0..L).filter(|l| exec >> l & 1 == 1) {
            let to = match all {
                Some(add) => at[l].wrapping_add(add) as *mut u8,
                None => self.reach(at[l], bytes, l, true, env)?,
            };
            if bytes >= 4 {
                for n in 0..bytes / 4 {
                    // SAFETY: `reach` checked these bytes.
                    unsafe { to.cast::<Word>().add(n).write_unaligned(self.v[data + n][l]) };
                }
                continue;
            }
            let value = self.v[data][l] >> if mem.half == 2 { 16 } else { 0 };
            // SAFETY: as above.
            unsafe {
                match bytes {
                    1 => to.write(value as u8),
                    _ => to.cast::<u16>().write_unaligned(value as u16),
                }
            }
        }
        Ok(())
    }

    fn atomic(&mut self, i: &Inst, mem: &Mem, rmw: Rmw, env: &mut Env<'_>) -> Outcome {
        let at = self.addresses(i, i.imm);
        let (exec, bytes, words) = (self.exec(), mem.bytes(), mem.words());
        let returns = mem.returns || i.cache & GLC != 0;
        if let Some(tally) = &mut env.tally {
            tally.access(&at, bytes, exec, true);
        }
        let value = |w: &Self, register: usize, l: usize| match words {
            1 => w.v[register][l] as u64,
            _ => w.v[register][l] as u64 | (w.v[register + 1][l] as u64) << 32,
        };
        for l in (0..L).filter(|l| exec >> l & 1 == 1) {
            if !at[l].is_multiple_of(bytes as u64) {
                let location = match i.enc {
                    Enc::Ds => format!("byte {} of LDS", at[l] as u32),
                    _ => format!("{:#x}", at[l]),
                };
                let why = format!("an atomic of {bytes} bytes at {location}, which is not aligned");
                return Err(Fault { lane: l, why: Why::Other(why) });
            }
            let target = self.reach(at[l], bytes, l, true, env)?;
            let data = value(self, i.data as usize, l);
            let (data, expected) = match (rmw, i.enc) {
                (Rmw::CompareSwap, Enc::Ds) if mem.swapped => (value(self, i.data1 as usize, l), data),
                (Rmw::CompareSwap, Enc::Ds) => (data, value(self, i.data1 as usize, l)),
                (Rmw::CompareSwap, _) => (data, value(self, i.data as usize + words, l)),
                _ => (data, 0),
            };
            let new = |old: u64| combine(rmw, mem, old, data, expected);
            let old = if words == 1 {
                // SAFETY: `reach` found the bytes, and they are aligned.
                let a = unsafe { AtomicU32::from_ptr(target.cast()) };
                a.fetch_update(SeqCst, SeqCst, |old| Some(new(old as u64) as u32)).unwrap_or(0) as u64
            } else {
                // SAFETY: as above.
                let a = unsafe { AtomicU64::from_ptr(target.cast()) };
                a.fetch_update(SeqCst, SeqCst, |old| Some(new(old))).unwrap_or(0)
            };
            if returns {
                self.v[i.dst as usize][l] = old as u32;
                if words == 2 {
                    self.v[i.dst as usize + 1][l] = (old >> 32) as u32;
                }
            }
        }
        Ok(())
    }
}

/// Returns the new value of an atomic operation.
fn combine(rmw: Rmw, mem: &Mem, old: u64, data: u64, expected: u64) -> u64 {
    let is64 = mem.ty.bits == 64;
    let (a, b) = (old, data);
    // Maps signed numbers to a comparable order.
    let order = |v: u64| if is64 { v as i64 } else { v as u32 as i32 as i64 };
    match (rmw, mem.ty.class) {
        (Rmw::Add, Class::Float) if is64 => (f64::from_bits(a) + f64::from_bits(b)).to_bits(),
        (Rmw::Add, Class::Float) => (f32::from_bits(a as u32) + f32::from_bits(b as u32)).to_bits() as u64,
        (Rmw::Min | Rmw::Max, Class::Float) => {
            let least = rmw == Rmw::Min;
            let nans = number::Nans { ieee: false, second: false };
            match is64 {
                true => {
                    let (a, b) = (f64::from_bits(a), f64::from_bits(b));
                    if least { number::min64(a, b, nans) } else { number::max64(a, b, nans) }.to_bits()
                }
                false => {
                    let (a, b) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
                    if least { number::min32(a, b, nans) } else { number::max32(a, b, nans) }.to_bits() as u64
                }
            }
        }
        (Rmw::Swap, _) => b,
        (Rmw::CompareSwap, _) => {
            if a == expected {
                b
            } else {
                a
            }
        }
        (Rmw::Add, _) => a.wrapping_add(b),
        (Rmw::Sub, _) => a.wrapping_sub(b),
        (Rmw::Min, Class::Int) => {
            if order(b) < order(a) {
                b
            } else {
                a
            }
        }
        (Rmw::Max, Class::Int) => {
            if order(b) > order(a) {
                b
            } else {
                a
            }
        }
        (Rmw::Min, _) => a.min(b),
        (Rmw::Max, _) => a.max(b),
        (Rmw::And, _) => a & b,
        (Rmw::Or, _) => a | b,
        (Rmw::Xor, _) => a ^ b,
        (Rmw::Inc, _) => {
            if a >= b {
                0
            } else {
                a + 1
            }
        }
        (Rmw::Dec, _) => {
            if a == 0 || a > b {
                b
            } else {
                a - 1
            }
        }
    }
}
