//! Buffer instructions, with which code for gfx90a accesses scratch memory.
use super::*;
use crate::engine::isa::mem::Act;

impl<const L: usize> Wave<L> {
    pub(super) fn buffer(&mut self, i: &Inst, env: &mut Env<'_>) -> Outcome {
        // The others control caches.
        let Some(mem) = i.row.mem else {
            return if i.op == Op::unknown { Err(refused(i)) } else { Ok(()) };
        };
        let descriptor = &self.s[i.base as usize..i.base as usize + 4];
        if i.cache & INDEX != 0 || descriptor[1..] != SCRATCH_BUFFER[1..] {
            return Err(Fault::other(format!("a buffer that is not scratch memory ({descriptor:x?})")));
        }
        // The words of all lanes are interleaved, so common offsets count L times.
        let common = descriptor[0].wrapping_add(self.s32(&i.src[0])) / L as u32 + i.imm as u32;
        let own = &self.v[i.addr as usize];
        let at = std::array::from_fn(|l| {
            let own = if i.cache & VADDR != 0 { own[l] } else { 0 };
            PRIVATE_BASE | common.wrapping_add(own) as u64
        });
        match mem.act {
            Act::Load => self.load(&mem, &at, i.dst, env),
            Act::Store => self.store(&mem, &at, i.data, env),
            _ => Err(refused(i)),
        }
    }
}
