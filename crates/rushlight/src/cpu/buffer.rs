//! CPU memory: one buffer type, one allocation function, and counters of the memory in use.
#![allow(unsafe_code)]
use crate::dtype::{DType, Element};
use crate::free_list::FreeList;
use crate::{Error, Result};
use std::alloc::Layout as Alloc;
use std::any::Any;
use std::cell::Cell;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

/// Alignment of every block: one cache line, and the widest vector register.
pub const ALIGN: usize = 64;
/// Largest number of bytes of freed blocks that are kept for reuse, over all threads and classes.
const CACHE_LIMIT: usize = 1 << 30;
/// Number of size classes: four for each doubling, from 64 bytes.
const CLASSES: usize = 4 * 40;
/// Number of classes up to 4 KiB. Each thread keeps a few free blocks of these for itself.
const SMALL: usize = 4 * 6 + 1;
/// Number of blocks of a class that a thread keeps.
const KEPT: usize = 8;
/// Bytes of small blocks, taken or returned, that a thread may leave out of the shared counters.
const UNREPORTED: isize = 16 * 1024;

/// Bytes of blocks in buffers, as reported by the threads. Negative if one thread reports returned blocks before
/// another thread reports that it had taken them.
static LIVE: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);
/// Bytes of blocks obtained from the system, in buffers or kept for reuse.
static OWNED: AtomicUsize = AtomicUsize::new(0);
static FREE: [Mutex<Vec<usize>>; CLASSES] = [const { Mutex::new(Vec::new()) }; CLASSES];
/// Free blocks, none of them small, whose bytes are all 0 or 1: those of bool buffers. A new bool buffer need not clear them.
static FREE_BOOLS: [Mutex<Vec<usize>>; CLASSES] = [const { Mutex::new(Vec::new()) }; CLASSES];

thread_local! {
    static LOCAL: Local = const { Local::new() };
}

/// Free blocks and counts of one thread. Taking and returning these blocks needs neither a lock nor a shared counter. A
/// forked child inherits those of the thread that forked.
struct Local {
    lists: [FreeList<KEPT>; SMALL],
    /// Bytes of small blocks taken, minus bytes returned, since the thread's last report.
    unreported: Cell<isize>,
    /// The largest value of `unreported` since the last report.
    most: Cell<isize>,
}

impl Local {
    const fn new() -> Self {
        Self { lists: [const { FreeList::new() }; SMALL], unreported: Cell::new(0), most: Cell::new(0) }
    }

    fn count(&self, bytes: isize) {
        let unreported = self.unreported.get() + bytes;
        self.unreported.set(unreported);
        if unreported > self.most.get() {
            self.most.set(unreported);
        }
        if unreported.abs() > UNREPORTED {
            self.report();
        }
    }

    fn report(&self) {
        total(self.unreported.take(), self.most.take());
    }

    fn release(&self) {
        for (class, list) in self.lists.iter().enumerate() {
            while let Some(addr) = list.pop() {
                to_system(addr, class_size(class));
            }
        }
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        self.report();
        self.release();
    }
}

/// Bytes of CPU tensor memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryStats {
    /// Bytes in use by tensors.
    pub live: usize,
    /// The largest number of bytes in use at once, since the start or the last reset.
    pub peak: usize,
    /// Freed bytes that are kept for reuse.
    pub cached: usize,
}

/// Adds a thread's `bytes` to the live bytes. `most` is the largest sum that the thread had reached, which may be a new
/// peak.
fn total(bytes: isize, most: isize) {
    if (bytes, most) == (0, 0) {
        return;
    }
    let peak = LIVE.fetch_add(bytes, Relaxed) + most;
    if peak > PEAK.load(Relaxed) {
        PEAK.fetch_max(peak, Relaxed);
    }
}

/// Counts a block that is taken (`bytes` > 0) or returned (`bytes` < 0).
fn count(class: Option<usize>, bytes: isize) {
    let small = class.is_some_and(|c| c < SMALL);
    let counted = LOCAL.try_with(|l| if small { l.count(bytes) } else { l.report() });
    if !small || counted.is_err() {
        total(bytes, bytes.max(0));
    }
}

/// Returns the bytes in use by CPU tensors, their peak, and the bytes kept for reuse. Exact for the calling thread;
/// each other running thread may have up to 16 KiB of small blocks, taken or returned, that are not counted yet.
pub fn memory_stats() -> MemoryStats {
    let _ = LOCAL.try_with(Local::report);
    let live = LIVE.load(Relaxed).max(0) as usize;
    let peak = PEAK.load(Relaxed).max(0) as usize;
    MemoryStats { live, peak, cached: OWNED.load(Relaxed).saturating_sub(live) }
}

/// Sets the peak to the live bytes.
pub fn reset_peak() {
    let _ = LOCAL.try_with(Local::report);
    PEAK.store(LIVE.load(Relaxed), Relaxed);
}

/// Returns the blocks kept for reuse to the system, except the few small ones that other running threads keep.
pub fn empty_cache() {
    let _ = LOCAL.try_with(Local::release);
    for lists in [&FREE, &FREE_BOOLS] {
        for (class, list) in lists.iter().enumerate() {
            let blocks = lock(list).map(|mut list| std::mem::take(&mut *list));
            blocks.into_iter().flatten().for_each(|addr| to_system(addr, class_size(class)));
        }
    }
}

/// Returns a block to the system. The block is in no buffer and in no list.
fn to_system(addr: usize, size: usize) {
    OWNED.fetch_sub(size, Relaxed);
    // SAFETY: every block came from `alloc` with this size, and the caller has taken it from its only holder.
    unsafe { std::alloc::dealloc(addr as *mut u8, alloc_layout(size)) };
}

/// Locks a list, or returns `None` if it stays locked: in a forked child, the lock may be held by a thread that does
/// not exist there.
fn lock(list: &Mutex<Vec<usize>>) -> Option<MutexGuard<'_, Vec<usize>>> {
    for _ in 0..1000 {
        match list.try_lock() {
            Ok(guard) => return Some(guard),
            Err(TryLockError::Poisoned(e)) => return Some(e.into_inner()),
            Err(TryLockError::WouldBlock) => std::hint::spin_loop(),
        }
    }
    None
}

/// Takes a free block of a class, if one is kept, and returns whether it is known that its bytes are all 0 or 1. Prefers
/// such a block if `bools`, else one of the others.
fn reuse(class: usize, bools: bool) -> Option<(usize, bool)> {
    let take = |lists: &[Mutex<Vec<usize>>; CLASSES]| lock(&lists[class])?.pop();
    if class < SMALL {
        let own = LOCAL.try_with(|l| l.lists[class].pop()).ok().flatten();
        return Some((own.or_else(|| take(&FREE))?, false));
    }
    let (first, second) = if bools { (&FREE_BOOLS, &FREE) } else { (&FREE, &FREE_BOOLS) };
    match take(first) {
        Some(addr) => Some((addr, bools)),
        None => Some((take(second)?, !bools)),
    }
}

/// Keeps a free block of a class for reuse, and returns false if there is no room. (The limit does not apply to a
/// thread's own small blocks.) `bools` says that its bytes are all 0 or 1.
fn keep(class: usize, addr: usize, bools: bool) -> bool {
    if class < SMALL && LOCAL.try_with(|l| l.lists[class].push(addr)).unwrap_or(false) {
        return true;
    }
    let cached = OWNED.load(Relaxed).saturating_sub(LIVE.load(Relaxed).max(0) as usize);
    let lists = if bools && class >= SMALL { &FREE_BOOLS } else { &FREE };
    cached <= CACHE_LIMIT && lock(&lists[class]).map(|mut list| list.push(addr)).is_some()
}

fn class_size(class: usize) -> usize {
    let base = 64usize << (class / 4);
    base + base / 4 * (class % 4)
}

/// Returns the smallest class that holds `bytes`, or `None` if `bytes` is too large to cache.
fn class_of(bytes: usize) -> Option<usize> {
    if bytes <= 64 {
        return Some(0);
    }
    let log = (usize::BITS - 1 - (bytes - 1).leading_zeros()) as usize; // 2^log < bytes <= 2^(log+1)
    let quarter = (bytes - 1 - (1 << log)) >> (log - 2); // index of the quarter between these powers that holds the last byte
    let class = (log - 6) * 4 + quarter + 1;
    (class < CLASSES && class_size(class) <= CACHE_LIMIT).then_some(class)
}

fn alloc_layout(size: usize) -> Alloc {
    Alloc::from_size_align(size, ALIGN).unwrap_or(Alloc::new::<u8>())
}

/// Memory that this library did not allocate.
struct Foreign {
    /// Keeps the memory alive.
    keep: Arc<dyn Any + Send + Sync>,
    read_only: bool,
}

/// Returns the error of an allocation that failed.
pub(super) fn no_memory(bytes: usize) -> Error {
    Error::OutOfMemory { requested: bytes, live: memory_stats().live, device: "cpu".to_string() }.bt()
}

/// The one allocation function. The memory is initialized: new blocks are zeroed, reused ones hold old bytes; with `bools`,
/// all bytes are 0 or 1.
fn alloc(bytes: usize, bools: bool) -> Result<NonNull<u8>> {
    if bytes == 0 {
        return Ok(NonNull::<AlignedByte>::dangling().cast());
    }
    let class = class_of(bytes);
    let size = class.map_or(bytes, class_size);
    let ptr = match class.and_then(|class| reuse(class, bools)) {
        Some((addr, clean)) => {
            let block = NonNull::new(addr as *mut u8);
            if let Some(block) = block
                && bools
                && !clean
            {
                // SAFETY: the block has this size (all of it may be used by the next bool buffer), and nobody else uses it.
                unsafe { block.write_bytes(0, size) };
            }
            block
        }
        None if Alloc::from_size_align(size, ALIGN).is_err() => None,
        None => {
            // SAFETY: the layout has a size above 0 (checked above) and a valid alignment.
            let new = NonNull::new(unsafe { std::alloc::alloc_zeroed(alloc_layout(size)) });
            if new.is_some() {
                OWNED.fetch_add(size, Relaxed);
            }
            new
        }
    };
    let ptr = ptr.ok_or_else(|| no_memory(bytes))?;
    count(class, size as isize);
    Ok(ptr)
}

#[repr(align(64))]
struct AlignedByte(#[allow(dead_code)] u8);

/// Frees the memory that `alloc` returned for this number of bytes.
fn free(ptr: NonNull<u8>, bytes: usize, bools: bool) {
    if bytes == 0 {
        return;
    }
    let class = class_of(bytes);
    let size = class.map_or(bytes, class_size);
    count(class, -(size as isize));
    let addr = ptr.as_ptr() as usize;
    match class {
        Some(class) if keep(class, addr, bools) => {}
        _ => to_system(addr, size),
    }
}

/// A run of elements in CPU memory: a pooled block, or foreign memory (NumPy, DLPack, a mapped file) with its owner.
///
/// ```
/// use rushlight::cpu::Buffer;
/// let mut b: Buffer<f32> = vec![1.0, 2.0].into();
/// b[1] = 5.0;
/// assert_eq!(&b[..], &[1.0, 5.0]);
/// ```
pub struct Buffer<T: Element> {
    ptr: NonNull<T>,
    len: usize,
    /// The owner, if the memory is not a pooled block. (The size of a block is computed from the length, not stored,
    /// because buffers are moved often and should stay small.)
    foreign: Option<Box<Foreign>>,
}

// SAFETY: a buffer owns its memory (or keeps its owner alive) and `T` is a plain number; access follows `&` and `&mut`.
unsafe impl<T: Element> Send for Buffer<T> {}
// SAFETY: as above; shared access only reads.
unsafe impl<T: Element> Sync for Buffer<T> {}

impl<T: Element> Drop for Buffer<T> {
    fn drop(&mut self) {
        if self.foreign.is_none() {
            free(self.ptr.cast(), self.len * std::mem::size_of::<T>(), T::DTYPE == DType::Bool);
        }
    }
}

impl<T: Element> Buffer<T> {
    /// A buffer of `len` elements whose values are unspecified (but valid).
    #[inline]
    pub fn uninit(len: usize) -> Result<Self> {
        let bytes = len.checked_mul(std::mem::size_of::<T>()).filter(|b| *b <= isize::MAX as usize);
        let ptr = alloc(bytes.unwrap_or(usize::MAX / 2), T::DTYPE == DType::Bool)?;
        Ok(Self { ptr: ptr.cast(), len, foreign: None })
    }

    /// A buffer of zeros.
    pub fn zeros(len: usize) -> Result<Self> {
        let mut b = Self::uninit(len)?;
        b.fill(T::default());
        Ok(b)
    }

    /// A copy of a slice. Aborts as `Vec` does when memory runs out.
    pub fn from_slice(data: &[T]) -> Self {
        Self::filled(data.len(), |to| to.copy_from_slice(data))
    }

    /// A buffer of `len` elements that `fill` writes. Aborts as `Vec` does when memory runs out.
    pub(crate) fn filled(len: usize, fill: impl FnOnce(&mut [T])) -> Self {
        match (Self::uninit(len), Alloc::array::<T>(len)) {
            (Ok(mut b), _) => {
                fill(&mut b);
                b
            }
            (Err(_), Ok(layout)) => std::alloc::handle_alloc_error(layout),
            (Err(_), Err(_)) => std::alloc::handle_alloc_error(Alloc::new::<T>()),
        }
    }

    /// Makes a buffer over memory with another owner. `keep` is dropped with the buffer; `read_only` memory is copied
    /// before its first write.
    ///
    /// # Safety
    /// `ptr` must be aligned to the size of `T` and valid for `len` initialized elements (and for writes, unless `read_only`) as
    /// long as `keep` lives, and nobody may write it while the buffer is read.
    pub unsafe fn foreign(
        ptr: NonNull<T>,
        len: usize,
        keep: Box<dyn Any + Send + Sync>,
        read_only: bool,
    ) -> Self {
        Self { ptr, len, foreign: Some(Box::new(Foreign { keep: keep.into(), read_only })) }
    }

    /// Returns the owner of foreign memory. The memory is valid as long as a clone of the owner lives, even after a
    /// write has copied it.
    pub fn owner(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        self.foreign.as_ref().map(|f| f.keep.clone())
    }

    /// Whether a write copies the memory first.
    #[inline]
    pub fn is_read_only(&self) -> bool {
        self.foreign.as_ref().is_some_and(|f| f.read_only)
    }

    /// Copies read-only foreign memory into a block of our own.
    pub fn make_writable(&mut self) -> Result<()> {
        if self.is_read_only() {
            let mut copy = Self::uninit(self.len)?;
            copy.copy_from_slice(self);
            *self = copy;
        }
        Ok(())
    }

    #[cold]
    fn own_or_abort(&mut self) {
        if self.make_writable().is_err() {
            std::alloc::handle_alloc_error(Alloc::for_value(&**self));
        }
    }

    /// Pointer to the first element, for reading.
    pub fn as_ptr(&self) -> *const T {
        self.ptr.as_ptr()
    }
}

impl<T: Element> Deref for Buffer<T> {
    type Target = [T];
    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: `ptr` is aligned and valid for `len` initialized elements for as long as the buffer lives.
        unsafe { std::slice::from_raw_parts(self.ptr.as_ptr(), self.len) }
    }
}

impl<T: Element> DerefMut for Buffer<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        if self.is_read_only() {
            self.own_or_abort();
        }
        // SAFETY: as for `deref`, and `&mut self` makes the access unique; the memory is writable.
        unsafe { std::slice::from_raw_parts_mut(self.ptr.as_ptr(), self.len) }
    }
}

impl<T: Element> From<Vec<T>> for Buffer<T> {
    /// Takes over the elements. A large vector keeps its memory; a small one is copied to a pooled block.
    fn from(data: Vec<T>) -> Self {
        // Ops that move elements treat them as integers of their size, so memory must be aligned to that size.
        let aligned = (data.as_ptr() as usize).is_multiple_of(std::mem::size_of::<T>());
        if !aligned || data.len() * std::mem::size_of::<T>() < 1 << 16 {
            return Self::from_slice(&data);
        }
        let mut data = data;
        let (ptr, len) = (data.as_mut_ptr(), data.len());
        match NonNull::new(ptr) {
            // SAFETY: the vector is the owner, moves into `keep` without moving its elements, and nothing else uses it.
            Some(ptr) => unsafe { Self::foreign(ptr, len, Box::new(data), false) },
            None => Self::from_slice(&data),
        }
    }
}

impl<T: Element> Clone for Buffer<T> {
    fn clone(&self) -> Self {
        Self::from_slice(self)
    }
}

impl<T: Element> std::fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T: Element> PartialEq for Buffer<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Element> FromIterator<T> for Buffer<T> {
    fn from_iter<I: IntoIterator<Item = T>>(iter: I) -> Self {
        iter.into_iter().collect::<Vec<_>>().into()
    }
}

impl<T: Element> AsRef<[T]> for Buffer<T> {
    fn as_ref(&self) -> &[T] {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_hold_their_sizes() {
        for bytes in (1..5000).chain([1 << 20, (1 << 20) + 1, (1 << 29) - 3]) {
            let c = class_of(bytes).unwrap();
            assert!(class_size(c) >= bytes, "{bytes}");
            assert!(c == 0 || class_size(c - 1) < bytes, "{bytes}");
        }
        assert_eq!(class_of(CACHE_LIMIT + 1), None);
    }

    #[test]
    fn reused_blocks_of_bools_hold_bools() {
        // (A size that no other test takes, so that blocks come back.)
        const N: usize = 3_456_789;
        let bytes = |b: &Buffer<bool>| {
            // SAFETY: a buffer's bytes are initialized.
            unsafe { std::slice::from_raw_parts(b.as_ptr().cast::<u8>(), b.len()) }.iter().all(|v| *v < 2)
        };
        let mut numbers = Buffer::<u8>::uninit(N).unwrap();
        numbers.fill(0xff);
        let first = numbers.as_ptr();
        drop(numbers);
        let mut bools = Buffer::<bool>::uninit(N).unwrap();
        assert!(bytes(&bools));
        assert_eq!(bools.as_ptr().cast(), first);
        bools.fill(true);
        drop(bools);
        // A block of bools is taken as it is, and by other types, too.
        let bools = Buffer::<bool>::uninit(N).unwrap();
        assert!(bools.as_ptr().cast() == first && bools[N - 1]);
        drop(bools);
        assert_eq!(Buffer::<u8>::uninit(N).unwrap().as_ptr(), first);
        // It comes back as a block of numbers, and is cleared again.
        assert!(!Buffer::<bool>::uninit(N).unwrap()[N - 1]);
    }

    #[test]
    fn read_only_foreign_memory_is_copied_before_a_write() {
        let data: &'static [f32] = &[1.0, 2.0];
        let ptr = NonNull::new(data.as_ptr().cast_mut()).unwrap();
        // SAFETY: a static slice lives for ever and the buffer is read-only.
        let mut b = unsafe { Buffer::foreign(ptr, 2, Box::new(()), true) };
        assert_eq!(b.as_ptr(), data.as_ptr());
        b[0] = 7.0;
        assert_eq!((&b[..], data), (&[7.0, 2.0][..], &[1.0, 2.0][..]));
    }
}
