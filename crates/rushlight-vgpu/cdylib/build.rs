//! Sets the SONAME of the library that it replaces, and keeps it from being unloaded, because its threads run its code.
fn main() {
    let has = |v: &str| std::env::var_os(format!("CARGO_FEATURE_{v}")).is_some();
    let major = ["7", "6", "5"].into_iter().find(|v| has(&format!("HIP{v}"))).unwrap_or("7");
    let name = if has("CUDA") { "libcuda.so.1".to_string() } else { format!("libamdhip64.so.{major}") };
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,{name}");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
