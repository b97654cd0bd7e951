//! Validation of the settings beyond their syntax, once, before the first use of a device.
use crate::device::record;
use crate::engine::{host::asan, isa};
use crate::support::config::{self, Config};
use crate::support::error;
use std::ffi::{CStr, CString};
use std::sync::OnceLock;

/// Returns why no device is offered, if a setting is invalid or unusable in this process. The first call prints it.
pub(crate) fn problem() -> Option<&'static str> {
    static PROBLEM: OnceLock<Option<String>> = OnceLock::new();
    let found = PROBLEM.get_or_init(|| {
        let c = config::get();
        let found = c.wrong.clone().or_else(|| unusable(c));
        if let Some(why) = found.as_ref().filter(|_| !config::is_preset()) {
            eprintln!("rushlight-vgpu: {why}; no device is offered");
        }
        found
    });
    found.as_deref()
}

/// Returns the first setting that is well-formed but unusable in this process.
fn unusable(c: &Config) -> Option<String> {
    let expected =
        |name: &str, value: &str, what: &str| Some(format!("RUSHLIGHT_VGPU_{name}={value}: expected {what}"));
    if c.address && !asan::present() {
        return expected(
            "SANITIZE",
            "2",
            "AddressSanitizer's runtime in LD_PRELOAD (`cargo xtask sanitize`)",
        );
    }
    if let Some(dir) = &c.record
        && let Err(why) = record::probe(dir)
    {
        return expected("RECORD", &dir.display().to_string(), &format!("a writable folder, got: {why}"));
    }
    if c.isa && (!isa::executes(c.arch.name) || c.wave != c.arch.wave) {
        let what =
            format!("a target whose machine code is executed, got {} with waves of {}", c.arch.name, c.wave);
        return expected("ENGINE", "isa", &what);
    }
    None
}

/// Returns the error text of "no device", followed by the setting that is the reason.
pub(crate) fn no_device() -> Option<&'static CStr> {
    static TEXT: OnceLock<Option<CString>> = OnceLock::new();
    let text = TEXT.get_or_init(|| {
        let text = error::text(error::NO_DEVICE).to_string_lossy();
        CString::new(format!("{text}: {}", problem()?)).ok()
    });
    text.as_deref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_code_needs_a_target_that_the_engine_executes() {
        let unusable_with = |cuda: bool, vars: &[(&str, &str)]| {
            let c = config::parse(cuda, |name| vars.iter().find(|v| v.0 == name).map(|v| v.1.to_string()));
            assert_eq!(c.wrong, None);
            unusable(&c)
        };
        assert_eq!(unusable_with(false, &[("ENGINE", "isa")]), None);
        assert_eq!(unusable_with(true, &[("ENGINE", "host")]), None);
        for (cuda, vars) in [
            (true, &[("ENGINE", "isa")][..]),
            (false, &[("ENGINE", "isa"), ("ARCH", "gfx1201")]),
            (false, &[("ENGINE", "isa"), ("WAVE", "64")]),
        ] {
            assert!(
                unusable_with(cuda, vars).is_some_and(|why| why.contains("ENGINE=isa")),
                "{cuda} {vars:?}"
            );
        }
    }
}
