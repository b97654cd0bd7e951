//! Launches, copies and fills allocate nothing.
mod common;
use common::{Tree, passes};
use rushlight_hip::{Device, LaunchConfig};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;
static COUNT: AtomicUsize = AtomicUsize::new(0);

// SAFETY: the system's allocator, with a count.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's layout.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: what `alloc` returned.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn launches_and_copies_allocate_nothing() {
    let tree = Tree::new();
    tree.hip("libamdhip64.so.7", 70_051_831, &["R0600"]);
    for count in ["1", "2"] {
        passes("child_count", &[("RUSHLIGHT_ROCM_PATH", &tree.str("")), ("FAKE_COUNT", count)]);
    }
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_count() {
    let device = Device::new(0).unwrap();
    let stream = device.stream().unwrap();
    let mut elf = vec![0; 64];
    elf[..6].copy_from_slice(b"\x7fELF\x02\x01");
    let kernel = device.load_module(&elf).unwrap().function("kernel").unwrap();
    let ptr = device.alloc(64).unwrap();
    let (mut bytes, mut number) = ([1u8; 32], 7i32);
    let mut work = || {
        let mut args = [(&raw mut number).cast()];
        // SAFETY: the fake kernel reads one int.
        unsafe { kernel.launch(LaunchConfig::cover(256, 64), &stream, &mut args).unwrap() };
        device.memcpy_htod(ptr, &bytes, &stream).unwrap();
        device.memcpy_dtod(ptr + 32, ptr, 32, &stream).unwrap();
        device.memset_d8(ptr, 3, 16, &stream).unwrap();
        device.memcpy_dtoh(&mut bytes, ptr, &stream).unwrap();
        stream.synchronize().unwrap();
    };
    // The first time resolves the functions.
    work();
    let before = COUNT.load(Ordering::Relaxed);
    (0..100).for_each(|_| work());
    // The main thread of the test program sleeps meanwhile.
    assert_eq!(COUNT.load(Ordering::Relaxed) - before, 0);
}
