//! A counted pointer: `Arc` without weak references, for what every op makes and drops. Nobody asks for weak ones here,
//! and without them the last handle needs no atomic write to know that it is the last.
#![allow(unsafe_code)]
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering, fence};

struct Counted<T> {
    count: AtomicUsize,
    value: T,
}

/// Shared ownership of a value.
pub(crate) struct Handle<T>(NonNull<Counted<T>>);

/// Memory for a value. Asked for before the value is put together, it lets the value be written where it stays.
pub(crate) struct Slot<T>(Box<MaybeUninit<Counted<T>>>);

/// What the last handle gave up.
pub(crate) struct Unique<T>(Box<Counted<T>>);

// SAFETY: as for `Arc`: any thread with a handle may read the value, and the last one drops it.
unsafe impl<T: Send + Sync> Send for Handle<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Handle<T> {}

impl<T> Slot<T> {
    #[inline(always)]
    pub fn new() -> Self {
        Self(Box::new_uninit())
    }

    #[inline(always)]
    pub fn fill(self, value: T) -> Handle<T> {
        let whole = Box::write(self.0, Counted { count: AtomicUsize::new(1), value });
        Handle(NonNull::from(Box::leak(whole)))
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

    /// How many handles there are.
    pub fn count(this: &Self) -> usize {
        this.counted().count.load(Ordering::Acquire)
    }

    /// Both are handles of one value.
    #[inline]
    pub fn same(a: &Self, b: &Self) -> bool {
        a.0 == b.0
    }

    /// Where the value is: an order of values.
    #[inline]
    pub fn address(this: &Self) -> usize {
        this.0.as_ptr() as usize
    }

    /// The value, if this is the last handle. Of several threads that give up the last handles at once, one gets it.
    #[inline]
    pub fn into_unique(this: Self) -> Option<Unique<T>> {
        let this = ManuallyDrop::new(this);
        // SAFETY: the pointer came from a box, and no handle is left to reach or free it.
        this.ends().then(|| Unique(unsafe { Box::from_raw(this.0.as_ptr()) }))
    }

    /// Gives this handle up; whether it was the last.
    #[inline(always)]
    fn ends(&self) -> bool {
        let count = &self.counted().count;
        // Where this is the only handle nobody else can make one.
        if count.load(Ordering::Acquire) == 1 {
            return true;
        }
        if count.fetch_sub(1, Ordering::Release) != 1 {
            return false;
        }
        // What others did to the value before they gave up their handles was before this.
        fence(Ordering::Acquire);
        true
    }
}

impl<T> Clone for Handle<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        // A handle is made of another one, so nothing has to be seen in order.
        if self.counted().count.fetch_add(1, Ordering::Relaxed) > isize::MAX as usize {
            // Only leaked handles can be as many; the count must not come round.
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

/// Drops a value that has no handle any more.
#[inline(never)]
fn end<T>(last: NonNull<Counted<T>>) {
    // SAFETY: as in `into_unique`.
    drop(unsafe { Box::from_raw(last.as_ptr()) });
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
    fn deref(&self) -> &T {
        &self.0.value
    }
}

impl<T> DerefMut for Unique<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0.value
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
        assert!(last.is_some_and(|u| u.0.value.0.load(Relaxed) == 1));
        assert_eq!(drops.load(Relaxed), 2);
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
