//! The targets that the device can pose as.

pub(crate) struct Arch {
    pub name: &'static str,
    pub product: &'static str,
    pub wave: u32,
    pub major: i32,
    pub minor: i32,
    /// Compute units.
    pub units: i32,
    /// Bytes of LDS that a block may have.
    pub lds: usize,
}

const fn arch(
    name: &'static str,
    product: &'static str,
    wave: u32,
    v: (i32, i32),
    units: i32,
    kib: usize,
) -> Arch {
    Arch { name, product, wave, major: v.0, minor: v.1, units, lds: kib << 10 }
}

pub(crate) const ARCHS: &[Arch] = &[
    arch("gfx1100", "AMD Radeon RX 7900 XTX", 32, (11, 0), 48, 64),
    arch("gfx906", "AMD Radeon VII", 64, (9, 0), 60, 64),
    arch("gfx908", "AMD Instinct MI100", 64, (9, 0), 120, 64),
    arch("gfx90a", "AMD Instinct MI210", 64, (9, 0), 104, 64),
    arch("gfx942", "AMD Instinct MI300X", 64, (9, 4), 304, 64),
    arch("gfx950", "AMD Instinct MI350X", 64, (9, 5), 256, 160),
    arch("gfx1030", "AMD Radeon RX 6900 XT", 32, (10, 3), 40, 64),
    arch("gfx1101", "AMD Radeon RX 7800 XT", 32, (11, 0), 30, 64),
    arch("gfx1102", "AMD Radeon RX 7600", 32, (11, 0), 16, 64),
    arch("gfx1150", "AMD Radeon 890M", 32, (11, 5), 8, 64),
    arch("gfx1151", "AMD Radeon 8060S", 32, (11, 5), 20, 64),
    arch("gfx1200", "AMD Radeon RX 9060 XT", 32, (12, 0), 16, 64),
    arch("gfx1201", "AMD Radeon RX 9070 XT", 32, (12, 0), 32, 64),
];

/// The target of a name or target id (`gfx90a:sramecc+:xnack-`).
pub(crate) fn find(id: &str) -> Option<&'static Arch> {
    let name = id.split(':').next()?;
    ARCHS.iter().find(|a| a.name == name)
}

pub(crate) fn names() -> String {
    ARCHS.iter().map(|a| a.name).collect::<Vec<_>>().join(", ")
}

impl Arch {
    /// What the device calls itself.
    pub fn title(&self) -> String {
        let engine = if crate::config::get().isa { "isa" } else { "host" };
        format!("{} (virtual {}, {engine} engine)", self.product, self.name)
    }

    /// The macros by which a compiler for this target is known to kernels.
    pub fn macros(&self) -> Vec<String> {
        let family = match self.major {
            9 => "GFX9",
            10 => "GFX10",
            11 => "GFX11",
            _ => "GFX12",
        };
        vec![format!("__{}__", self.name), format!("__{family}__")]
    }
}
