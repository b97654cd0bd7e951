//! A reference-counted pointer: an `Arc` without weak references, for objects that every op makes and drops. Without
//! weak references, the last handle can tell that it is the last without an atomic write. Each thread keeps the memory
//! of dropped values for reuse.
#![allow(unsafe_code)]
use crate::free_list::FreeList;
use std::alloc::Layout;
use std::mem::{ManuallyDrop, size_of};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering, fence};

/// Block sizes are multiples of this number of bytes; blocks are aligned to 16.
const STEP: usize = 64;
/// Number of size classes of blocks that are kept.
const CLASSES: usize = 6;
/// Number of blocks of a class that a thread keeps.
const KEPT: usize = 64;

struct Spare([FreeList<KEPT>; CLASSES]);

thread_local! {
    static SPARE: Spare = const { Spare([const { FreeList::new() }; CLASSES]) };
}

impl Drop for Spare {
    fn drop(&mut self) {
        for (class, list) in self.0.iter().enumerate() {
            while let Some(addr) = list.pop() {
                // SAFETY: the list held memory of this class, and nothing else refers to it.
                unsafe { std::alloc::dealloc(addr as *mut u8, layout(class)) };
            }
        }
    }
}

const fn layout(class: usize) -> Layout {
    // SAFETY: 16 is a power of two, and the size is a small multiple of it.
    unsafe { Layout::from_size_align_unchecked((class + 1) * STEP, 16) }
}

struct Counted<T> {
    count: AtomicUsize,
    value: T,
}

impl<T> Counted<T> {
    const CLASS: usize = {
        assert!(align_of::<Self>() <= 16);
        let class = size_of::<Self>().div_ceil(STEP) - 1;
        assert!(class < CLASSES, "so large a value has no class");
        class
    };

    /// Returns memory for one value.
    #[inline(always)]
    fn memory() -> NonNull<Self> {
        let kept = SPARE.try_with(|s| s.0[Self::CLASS].pop()).ok().flatten();
        match kept.and_then(|addr| NonNull::new(addr as *mut Self)) {
            Some(p) => p,
            None => Self::fresh(),
        }
    }

    #[cold]
    fn fresh() -> NonNull<Self> {
        // SAFETY: the size is not 0.
        let p = unsafe { std::alloc::alloc(layout(Self::CLASS)) };
        NonNull::new(p.cast()).unwrap_or_else(|| std::alloc::handle_alloc_error(layout(Self::CLASS)))
    }

    /// Keeps memory for reuse, or frees it.
    ///
    /// # Safety
    /// `p` came from `memory`, holds no value, and nothing uses it any more.
    #[inline]
    unsafe fn free(p: NonNull<Self>) {
        let kept = SPARE.try_with(|s| s.0[Self::CLASS].push(p.as_ptr() as usize)).unwrap_or(false);
        if !kept {
            // SAFETY: the caller's condition; all memory of a class has this layout.
            unsafe { std::alloc::dealloc(p.as_ptr().cast(), layout(Self::CLASS)) };
        }
    }

    /// Drops the value and frees its memory.
    ///
    /// # Safety
    /// `p` came from `Slot::fill`, and no handle is left.
    #[inline]
    unsafe fn end(p: NonNull<Self>) {
        // SAFETY: the value was written, is dropped once, and its memory is not used after that.
        unsafe {
            std::ptr::drop_in_place(&raw mut (*p.as_ptr()).value);
            Self::free(p);
        }
    }
}

/// Shared ownership of a value.
pub(crate) struct Handle<T>(NonNull<Counted<T>>);

/// Memory for a value. If it is allocated before the value is built, the value can be written to its final memory.
pub(crate) struct Slot<T>(NonNull<Counted<T>>);

/// A value whose last handle was dropped.
pub(crate) struct Unique<T>(NonNull<Counted<T>>);

// SAFETY: as for `Arc`: any thread with a handle may read the value, and the last one drops it.
unsafe impl<T: Send + Sync> Send for Handle<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Handle<T> {}

impl<T> Slot<T> {
    #[inline(always)]
    pub fn new() -> Self {
        Self(Counted::memory())
    }

    #[inline(always)]
    pub fn fill(self, value: T) -> Handle<T> {
        let p = ManuallyDrop::new(self).0;
        // SAFETY: only this slot refers to the memory, which has the size and alignment of the value.
        unsafe { p.write(Counted { count: AtomicUsize::new(1), value }) };
        Handle(p)
    }
}

impl<T> Drop for Slot<T> {
    fn drop(&mut self) {
        // SAFETY: a slot that is dropped has not been filled, and only it refers to the memory.
        unsafe { Counted::free(self.0) };
    }
}

impl<T> Handle<T> {
    #[inline]
    pub fn new(value: T) -> Self {
        Slot::new().fill(value)
    }

    #[inline(always)]
    fn counted(&self) -> &Counted<T> {
        // SAFETY: the value lives as long as a handle does.
        unsafe { self.0.as_ref() }
    }

    /// Number of handles of the value.
    pub fn count(this: &Self) -> usize {
        this.counted().count.load(Ordering::Acquire)
    }

    /// Whether both are handles of one value.
    #[inline]
    pub fn same(a: &Self, b: &Self) -> bool {
        a.0 == b.0
    }

    /// Address of the value, which serves as an order of values.
    #[inline]
    pub fn address(this: &Self) -> usize {
        this.0.as_ptr() as usize
    }

    /// Returns the value, if this is the last handle. If several threads drop the last handles at the same time, one
    /// gets the value.
    #[inline]
    pub fn into_unique(this: Self) -> Option<Unique<T>> {
        let this = ManuallyDrop::new(this);
        this.ends().then(|| Unique(this.0))
    }

    /// Drops this handle's count, and returns whether it was the last.
    #[inline(always)]
    fn ends(&self) -> bool {
        let count = &self.counted().count;
        // If this is the only handle, no other thread can make one.
        if count.load(Ordering::Acquire) == 1 {
            return true;
        }
        if count.fetch_sub(1, Ordering::Release) != 1 {
            return false;
        }
        // Synchronizes with the other handles' drops, so that their threads' writes are visible here.
        fence(Ordering::Acquire);
        true
    }
}

impl<T> Clone for Handle<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        // A new handle is cloned from an existing one, so no ordering is needed.
        if self.counted().count.fetch_add(1, Ordering::Relaxed) > isize::MAX as usize {
            // Only leaked handles can reach this number; the count must not overflow.
            std::process::abort();
        }
        Self(self.0)
    }
}

impl<T> Drop for Handle<T> {
    #[inline(always)]
    fn drop(&mut self) {
        if self.ends() {
            end(self.0);
        }
    }
}

#[inline(never)]
fn end<T>(last: NonNull<Counted<T>>) {
    // SAFETY: called by the last handle, as it is dropped.
    unsafe { Counted::end(last) };
}

impl<T> Drop for Unique<T> {
    fn drop(&mut self) {
        // SAFETY: this was the last handle, so no other handle refers to the value.
        unsafe { Counted::end(self.0) };
    }
}

impl<T> Deref for Handle<T> {
    type Target = T;
    #[inline(always)]
    fn deref(&self) -> &T {
        &self.counted().value
    }
}

impl<T> Deref for Unique<T> {
    type Target = T;
    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: only this object refers to the value until it is dropped.
        unsafe { &self.0.as_ref().value }
    }
}

impl<T> DerefMut for Unique<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above.
        unsafe { &mut self.0.as_mut().value }
    }
}

impl<T: std::fmt::Debug> std::fmt::Debug for Handle<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering::Relaxed;

    struct Counter<'a>(&'a AtomicUsize);
    impl Drop for Counter<'_> {
        fn drop(&mut self) {
            self.0.fetch_add(1, Relaxed);
        }
    }

    #[test]
    fn the_last_handle_drops_the_value_once() {
        let drops = AtomicUsize::new(0);
        let a = Handle::new(Counter(&drops));
        let b = a.clone();
        assert!(Handle::same(&a, &b) && Handle::address(&a) == Handle::address(&b));
        assert_eq!(Handle::count(&a), 2);
        drop(a);
        assert_eq!((drops.load(Relaxed), Handle::count(&b)), (0, 1));
        drop(b);
        assert_eq!(drops.load(Relaxed), 1);
        let c = Handle::new(Counter(&drops));
        let d = c.clone();
        assert!(Handle::into_unique(c).is_none());
        let last = Handle::into_unique(d);
        assert_eq!(drops.load(Relaxed), 1);
        assert!(last.is_some_and(|u| u.deref().0.load(Relaxed) == 1));
        assert_eq!(drops.load(Relaxed), 2);
        // Memory is reused.
        let at = Handle::address(&Handle::new(Counter(&drops)));
        assert_eq!(at, Handle::address(&Handle::new(Counter(&drops))));
        assert_eq!(drops.swap(2, Relaxed), 4);
        // A slot that is not filled drops nothing.
        drop(Slot::<Counter<'_>>::new());
        assert_eq!(drops.load(Relaxed), 2);
    }

    #[test]
    fn threads_that_give_up_the_last_handles_at_once_drop_the_value_once() {
        for round in 0..200 {
            let drops = AtomicUsize::new(0);
            let taken = AtomicUsize::new(0);
            let first = Handle::new(Counter(&drops));
            std::thread::scope(|s| {
                for i in 0..4 {
                    let mine = first.clone();
                    let taken = &taken;
                    s.spawn(move || {
                        let other = mine.clone();
                        drop(mine);
                        if i % 2 == round % 2 {
                            drop(other);
                        } else if Handle::into_unique(other).is_some() {
                            taken.fetch_add(1, Relaxed);
                        }
                    });
                }
                drop(first);
            });
            assert_eq!(drops.load(Relaxed), 1);
            assert!(taken.load(Relaxed) <= 1);
        }
    }
}
