//! Functions and variables of a module of machine code: direct, indirect and recursive calls, and variables that the
//! host reads and writes, in code objects of each version.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod common;
use common::isa::{object, targets};
use common::*;
use rushlight_vgpu::hip::*;
use rushlight_vgpu::{Disassembler, Out};

const SOURCE: &str = r#"
#define DEVICE __attribute__((device))
#define FUNCTION __attribute__((device, noinline))
#define KERNEL extern "C" __attribute__((global)) void
DEVICE int table[4] = {3, 5, 7, 11};
DEVICE unsigned counter;
__attribute__((constant)) float scale = 2.5f;
FUNCTION int twice(int v) { return 2 * v + table[v & 3]; }
FUNCTION int thrice(int v) { return 3 * v - table[v & 3]; }
typedef int (*Function)(int);
DEVICE Function functions[2] = {twice, thrice};
FUNCTION unsigned fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

KERNEL by_table(int* out, float* scaled) {
    unsigned i = __builtin_amdgcn_workitem_id_x();
    out[i] = functions[i & 1](i);
    scaled[i] = scale * i;
    __hip_atomic_fetch_add(&counter, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
KERNEL of_itself(unsigned* out) {
    unsigned i = __builtin_amdgcn_workitem_id_x();
    out[i] = fibonacci(i % 11);
}
"#;

/// Returns a variable's address and size.
fn variable(m: &Module, name: &std::ffi::CStr) -> (u64, usize) {
    let (mut at, mut size): (Ptr, usize) = (std::ptr::null_mut(), 0);
    assert_eq!(hipModuleGetGlobal(Out::to(&mut at), Out::to(&mut size), m.0, name.as_ptr()), 0, "{name:?}");
    (at as u64, size)
}

#[test]
fn functions_and_variables_of_every_version() {
    for arch in targets(&["gfx1100", "gfx90a", "gfx942"]) {
        child("functions_and_variables_of_every_version", &[("ARCH", arch)], || {
            for version in [4, 5, 6] {
                let image = object(SOURCE, &std::env::var("RUSHLIGHT_VGPU_ARCH").unwrap(), version);
                let code = Disassembler::new(&image).unwrap();
                let calls = |what: &str| {
                    (0..0x3000).step_by(4).any(|at| code.at(at).is_ok_and(|l| l.text.starts_with(what)))
                };
                assert!(
                    calls("s_getpc_b64") && calls("s_swappc_b64"),
                    "version {version}: nothing is called"
                );
                let mut m: Ptr = std::ptr::null_mut();
                assert_eq!(hipModuleLoadData(Out::to(&mut m), image.as_ptr().cast()), 0);
                let m = Module(m);

                let (table, size) = variable(&m, c"table");
                assert_eq!((download::<i32>(table, 4), size), (vec![3, 5, 7, 11], 16));
                let (out, scaled) = (malloc(4 * 100), malloc(4 * 100));
                let run = |first: i32, scale: f32| {
                    assert_eq!(m.launch("by_table", 1, 100, 0, &mut [out, scaled]), 0);
                    let entry = |i: i32| [first, 5, 7, 11][i as usize & 3];
                    for (i, got) in (0..).zip(download::<i32>(out, 100)) {
                        let want = if i & 1 == 0 { 2 * i + entry(i) } else { 3 * i - entry(i) };
                        assert_eq!(got, want, "version {version}, {i}");
                    }
                    let wrong = download::<f32>(scaled, 100)
                        .iter()
                        .zip(0..)
                        .position(|(v, i)| *v != scale * i as f32);
                    assert_eq!(wrong, None, "version {version}");
                };
                run(3, 2.5);
                assert_eq!(hipMemcpyHtoD(table as Ptr, (&raw const FIRST).cast_mut().cast(), 4), 0);
                let (scale, size) = variable(&m, c"scale");
                assert_eq!((download::<f32>(scale, 1), size), (vec![2.5], 4));
                assert_eq!(hipMemcpyHtoD(scale as Ptr, (&raw const SCALE).cast_mut().cast(), 4), 0);
                run(FIRST, SCALE);
                assert_eq!(download::<u32>(variable(&m, c"counter").0, 1), [200]);

                assert_eq!(m.launch("of_itself", 1, 100, 0, &mut [out]), 0);
                let fibonacci = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55];
                let got = download::<u32>(out, 100);
                let wrong = got.iter().enumerate().find(|(i, v)| **v != fibonacci[i % 11]);
                assert_eq!(wrong, None, "version {version}");
            }
        });
    }
}

static FIRST: i32 = 1000;
static SCALE: f32 = -0.25;
