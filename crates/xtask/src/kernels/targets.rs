//! The targets kernels are compiled for.
use crate::Outcome;

/// A target of AMD's compiler.
#[derive(Debug)]
pub struct Target {
    pub name: &'static str,
    /// The number by which the device libraries know the target: major * 1000 + minor * 100 + step.
    pub isa: u32,
    /// Lanes of a wave.
    pub wave: u32,
    /// Code object version; that of generic targets differs.
    pub object: u32,
}

const fn target(name: &'static str, isa: u32, object: u32) -> Target {
    Target { name, isa, wave: if isa < 10_000 { 64 } else { 32 }, object }
}

/// Every target.
pub const TARGETS: &[Target] = &[
    target("gfx90a", 9_010, 5),
    target("gfx942", 9_402, 5),
    target("gfx950", 9_500, 5),
    target("gfx1030", 10_300, 5),
    target("gfx1100", 11_000, 5),
    target("gfx1101", 11_001, 5),
    target("gfx1102", 11_002, 5),
    target("gfx1150", 11_500, 5),
    target("gfx1151", 11_501, 5),
    target("gfx1200", 12_000, 5),
    target("gfx1201", 12_001, 5),
    target("gfx9-generic", 9_000, 6),
    target("gfx9-4-generic", 9_400, 6),
    target("gfx10-1-generic", 10_100, 6),
    target("gfx10-3-generic", 10_300, 6),
    target("gfx11-generic", 11_000, 6),
    target("gfx12-generic", 12_000, 6),
];

/// Returns the target with a name.
pub fn find(name: &str) -> Outcome<&'static Target> {
    let names: Vec<&str> = TARGETS.iter().map(|t| t.name).collect();
    let found = TARGETS.iter().find(|t| t.name == name);
    found.ok_or_else(|| format!("no target `{name}`: {}", names.join(", ")).into())
}
