//! The GPU targets that the device can report.

pub(crate) struct Arch {
    pub name: &'static str,
    pub product: &'static str,
    pub wave: u32,
    pub major: i32,
    pub minor: i32,
    /// Compute units.
    pub units: i32,
    /// Bytes of LDS available to a block.
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

const ARCHS: &[Arch] = &[
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

/// The targets of the virtual NVIDIA GPU; `lds` is NVIDIA's shared memory.
const NVIDIA: &[Arch] = &[
    arch("sm_80", "NVIDIA A100-SXM4-40GB", 32, (8, 0), 108, 48),
    arch("sm_75", "NVIDIA T4", 32, (7, 5), 40, 48),
    arch("sm_86", "NVIDIA GeForce RTX 3090", 32, (8, 6), 82, 48),
    arch("sm_89", "NVIDIA GeForce RTX 4090", 32, (8, 9), 128, 48),
    arch("sm_90", "NVIDIA H100 80GB HBM3", 32, (9, 0), 132, 48),
    arch("sm_100", "NVIDIA B200", 32, (10, 0), 148, 48),
    arch("sm_120", "NVIDIA GeForce RTX 5090", 32, (12, 0), 170, 48),
];

/// Returns the targets of a vendor, the default first.
pub(crate) fn all(cuda: bool) -> &'static [Arch] {
    if cuda { NVIDIA } else { ARCHS }
}

/// Returns the target of a name or target id (`gfx90a:sramecc+:xnack-`).
pub(crate) fn find(id: &str, cuda: bool) -> Option<&'static Arch> {
    let name = id.split(':').next()?;
    all(cuda).iter().find(|a| a.name == name)
}

pub(crate) fn names(cuda: bool) -> String {
    all(cuda).iter().map(|a| a.name).collect::<Vec<_>>().join(", ")
}

impl Arch {
    /// Returns the device name for an engine, `isa` or `host`.
    pub fn title(&self, engine: &str) -> String {
        format!("{} (virtual {}, {engine} engine)", self.product, self.name)
    }

    /// Returns NVIDIA's number of the target: 80 for sm_80.
    pub fn number(&self) -> i32 {
        10 * self.major + self.minor
    }

    /// Returns the macros that a compiler defines for this target.
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
