//! Gives the library the SONAME of its HIP version. It is never unloaded: its threads would lose their code.
fn main() {
    let has = |v: &str| std::env::var_os(format!("CARGO_FEATURE_HIP{v}")).is_some();
    let major = ["7", "6", "5"].into_iter().find(|v| has(v)).unwrap_or("7");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libamdhip64.so.{major}");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
