//! Small blocks of device memory, cut from slabs. The smallest free chunk that is large enough is split, and a freed
//! chunk is merged with free neighbours at once. This module only does the bookkeeping; [`super::alloc`] calls the
//! device. Allocating and freeing access a few words, and allocate no host memory once the tables have grown.

/// Sizes and addresses of blocks are multiples of this number of bytes.
pub(crate) const UNIT: usize = 512;
/// Size of a slab in bytes.
pub(crate) const SLAB: usize = 2 << 20;
/// Number of units of a slab, which is the largest size of a chunk.
const UNITS: usize = SLAB / UNIT;
/// Index that stands for no chunk.
const NONE: u32 = u32::MAX;
const WORDS: usize = UNITS / 64 + 1;

/// Adjacent units of a slab, which are all free or all belong to one block.
#[derive(Debug, Clone, Copy)]
struct Chunk {
    slab: u32,
    /// Index of the first unit (`at`), and number of units (`len`).
    at: u32,
    len: u32,
    free: bool,
    /// The adjacent chunks in the slab.
    before: u32,
    after: u32,
    /// The adjacent entries in the list of free chunks of this length (or of unused records).
    prev: u32,
    next: u32,
}

#[derive(Debug, Clone, Copy)]
struct Slab {
    base: u64,
    units: u32,
    /// The chunk at unit 0.
    first: u32,
}

/// An allocated block: its address, and the chunk to free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cut {
    pub ptr: u64,
    pub chunk: u32,
}

/// Slabs and their chunks.
#[derive(Debug)]
pub(crate) struct Slabs {
    chunks: Vec<Chunk>,
    /// First of the list of unused records in `chunks`.
    unused: u32,
    slabs: Vec<Option<Slab>>,
    /// For each length, the first of the list of free chunks.
    heads: Box<[u32]>,
    /// Bitmap of the lengths that have a free chunk (`some`), and bitmap of the words of `some` that are not 0
    /// (`words`).
    some: [u64; WORDS],
    words: u128,
}

impl Default for Slabs {
    fn default() -> Self {
        let heads = vec![NONE; UNITS + 1].into_boxed_slice();
        Self { chunks: Vec::new(), unused: NONE, slabs: Vec::new(), heads, some: [0; WORDS], words: 0 }
    }
}

impl Slabs {
    /// Allocates a block of `units` from the smallest free chunk that is large enough.
    pub fn take(&mut self, units: usize) -> Option<Cut> {
        let len = self.shortest(units)?;
        let id = self.heads[len];
        self.unlink(id);
        let c = self.chunks[id as usize];
        if len > units {
            let (at, rest) = (c.at + units as u32, (len - units) as u32);
            let tail = self.record(Chunk { at, len: rest, before: id, after: c.after, ..c });
            if c.after != NONE {
                self.chunks[c.after as usize].before = tail;
            }
            let head = &mut self.chunks[id as usize];
            (head.len, head.after) = (units as u32, tail);
            self.link(tail);
        }
        let base = self.slabs[c.slab as usize].as_ref().map_or(0, |s| s.base);
        Some(Cut { ptr: base + u64::from(c.at) * UNIT as u64, chunk: id })
    }

    /// Frees a block.
    pub fn give(&mut self, mut id: u32) {
        let c = self.chunks[id as usize];
        if self.is_free(c.after) {
            self.unlink(c.after);
            self.join(id, c.after);
        }
        if self.is_free(c.before) {
            self.unlink(c.before);
            self.join(c.before, id);
            id = c.before;
        }
        self.link(id);
    }

    /// Adds a slab of `units` free units at an address.
    pub fn add(&mut self, base: u64, units: usize) {
        let place = self.slabs.iter().position(Option::is_none).unwrap_or_else(|| {
            self.slabs.push(None);
            self.slabs.len() - 1
        });
        let (slab, units) = (place as u32, units.min(UNITS) as u32);
        let chunk =
            Chunk { slab, at: 0, len: units, free: true, before: NONE, after: NONE, prev: NONE, next: NONE };
        let first = self.record(chunk);
        self.slabs[place] = Some(Slab { base, units, first });
        self.link(first);
    }

    /// Removes a slab without blocks, and returns its address and size in bytes.
    pub fn remove_free(&mut self) -> Option<(u64, usize)> {
        let whole = |s: &Slab| {
            let c = &self.chunks[s.first as usize];
            c.free && c.len == s.units
        };
        let place = self.slabs.iter().position(|s| s.as_ref().is_some_and(whole))?;
        let slab = self.slabs[place].take()?;
        self.unlink(slab.first);
        self.drop_record(slab.first);
        Some((slab.base, slab.units as usize * UNIT))
    }

    /// Returns the length of the shortest free chunk that has at least this number of units.
    fn shortest(&self, units: usize) -> Option<usize> {
        let word = units / 64;
        let here = self.some.get(word)? >> (units % 64);
        if here != 0 {
            return Some(units + here.trailing_zeros() as usize);
        }
        let above = self.words >> (word + 1);
        if above == 0 {
            return None;
        }
        let word = word + 1 + above.trailing_zeros() as usize;
        Some(word * 64 + self.some[word].trailing_zeros() as usize)
    }

    fn is_free(&self, id: u32) -> bool {
        id != NONE && self.chunks[id as usize].free
    }

    /// Merges a chunk with the one after it.
    fn join(&mut self, id: u32, after: u32) {
        let gone = self.chunks[after as usize];
        let c = &mut self.chunks[id as usize];
        c.len += gone.len;
        c.after = gone.after;
        if gone.after != NONE {
            self.chunks[gone.after as usize].before = id;
        }
        self.drop_record(after);
    }

    /// Inserts a chunk at the head of the list of its length.
    fn link(&mut self, id: u32) {
        let len = self.chunks[id as usize].len as usize;
        let head = self.heads[len];
        if head != NONE {
            self.chunks[head as usize].prev = id;
        }
        let c = &mut self.chunks[id as usize];
        (c.free, c.prev, c.next) = (true, NONE, head);
        self.heads[len] = id;
        self.some[len / 64] |= 1 << (len % 64);
        self.words |= 1 << (len / 64);
    }

    /// Removes a free chunk from its list.
    fn unlink(&mut self, id: u32) {
        let c = &mut self.chunks[id as usize];
        c.free = false;
        let (len, prev, next) = (c.len as usize, c.prev, c.next);
        if next != NONE {
            self.chunks[next as usize].prev = prev;
        }
        if prev != NONE {
            self.chunks[prev as usize].next = next;
            return;
        }
        self.heads[len] = next;
        if next == NONE {
            self.some[len / 64] &= !(1 << (len % 64));
            if self.some[len / 64] == 0 {
                self.words &= !(1 << (len / 64));
            }
        }
    }

    fn record(&mut self, chunk: Chunk) -> u32 {
        match self.chunks.get(self.unused as usize) {
            Some(old) => {
                let id = self.unused;
                self.unused = old.next;
                self.chunks[id as usize] = chunk;
                id
            }
            None => {
                self.chunks.push(chunk);
                self.chunks.len() as u32 - 1
            }
        }
    }

    fn drop_record(&mut self, id: u32) {
        let c = &mut self.chunks[id as usize];
        (c.free, c.next) = (false, self.unused);
        self.unused = id;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Generator;

    /// Checks the invariants: chunks tile their slabs, free chunks are not adjacent, lists and bitmaps contain exactly
    /// the free chunks. Returns the number of free units.
    fn check(s: &Slabs) -> usize {
        let (mut listed, mut free) = (0, 0);
        for (len, &head) in s.heads.iter().enumerate() {
            let mut id = head;
            assert_eq!(head != NONE, s.some[len / 64] >> (len % 64) & 1 == 1, "bit of length {len}");
            while id != NONE {
                let c = &s.chunks[id as usize];
                assert!(c.free && c.len as usize == len, "{c:?} in the list of {len}");
                (listed, id) = (listed + 1, c.next);
            }
        }
        for (i, word) in s.some.iter().enumerate() {
            assert_eq!(*word != 0, s.words >> i & 1 == 1, "bit of word {i}");
        }
        for slab in s.slabs.iter().flatten() {
            let (mut id, mut at, mut before) = (slab.first, 0, NONE);
            while id != NONE {
                let c = &s.chunks[id as usize];
                assert_eq!((c.at, c.before), (at, before), "{c:?}");
                assert!(!(c.free && s.is_free(before)), "two free chunks touch");
                if c.free {
                    (listed, free) = (listed - 1, free + c.len as usize);
                }
                (at, before, id) = (at + c.len, id, c.after);
            }
            assert_eq!(at, slab.units);
        }
        assert_eq!(listed, 0, "a list holds a chunk of no slab, or lacks one");
        free
    }

    #[test]
    fn chunks_are_split_and_merged_whatever_the_order() {
        let mut rng = Generator::new(5);
        let mut random =
            |n: usize| (rng.next_draw().1.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33) as usize % n;
        let mut s = Slabs::default();
        let mut live: Vec<(Cut, usize)> = Vec::new();
        let mut slabs = 0;
        for round in 0..6000 {
            // The slabs fill up at first, and are emptied later.
            if random(10) < if round < 3000 { 7 } else { 4 } {
                let most = if random(8) == 0 { 2048 } else { 12 };
                let units = 1 + random(most);
                let cut = s.take(units).unwrap_or_else(|| {
                    slabs += 1;
                    s.add(slabs << 32, UNITS);
                    s.take(units).unwrap()
                });
                live.push((cut, units));
            } else if !live.is_empty() {
                let (cut, _) = live.swap_remove(random(live.len()));
                s.give(cut.chunk);
            }
            if round % 100 == 0 {
                let held: usize = live.iter().map(|l| l.1).sum();
                assert_eq!(check(&s) + held, slabs as usize * UNITS);
                let mut ranges: Vec<_> =
                    live.iter().map(|(c, n)| (c.ptr, c.ptr + (n * UNIT) as u64)).collect();
                ranges.sort_unstable();
                assert!(ranges.windows(2).all(|w| w[0].1 <= w[1].0), "two blocks overlap");
            }
        }
        assert!(slabs > 3 && !live.is_empty());
        live.drain(..).for_each(|(cut, _)| s.give(cut.chunk));
        assert_eq!(check(&s), slabs as usize * UNITS);
        let mut bases: Vec<u64> = std::iter::from_fn(|| s.remove_free()).map(|f| f.0).collect();
        bases.sort_unstable();
        assert_eq!(bases, (1..=slabs).map(|i| i << 32).collect::<Vec<_>>());
        assert_eq!((check(&s), s.words), (0, 0));
    }

    #[test]
    fn the_smallest_chunk_that_is_long_enough_is_cut() {
        let mut s = Slabs::default();
        s.add(1 << 32, UNITS);
        let cuts: Vec<Cut> = [10, 1, 300, 1, 20, 1].iter().map(|n| s.take(*n).unwrap()).collect();
        for i in [0, 2, 4] {
            s.give(cuts[i].chunk);
        }
        // Free chunks now: 10, 300 and 20 units, and the rest of the slab.
        let at = |c: &Cut| (c.ptr - (1 << 32)) / UNIT as u64;
        let fits: Vec<u64> = [11, 9, 64, 9, 400].iter().map(|n| at(&s.take(*n).unwrap())).collect();
        assert_eq!(fits, [312, 323, 11, 0, 333]);
        check(&s);
    }
}
