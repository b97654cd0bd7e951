//! The GPUs that times are estimated for. Each assumption has its source in [`SOURCES`]; docs/ROOFLINE.md shows both.

/// The model's assumptions about a GPU.
#[derive(Debug)]
pub struct Gpu {
    /// Its name, as the list of reasons writes it.
    pub name: &'static str,
    /// The target whose machine code is counted.
    pub target: &'static str,
    /// Whether that target is another vendor's, so that the estimate is a rough one.
    pub foreign: bool,
    /// Compute units (SMs), SIMDs of each, and their clock in GHz.
    pub units: f64,
    pub simds: f64,
    pub clock: f64,
    /// Clocks in which a SIMD issues an instruction of one wave.
    pub slot: f64,
    /// The time of slower vector instructions, as a multiple of a slot.
    pub trans: f64,
    pub mul32: f64,
    pub f64: f64,
    /// Clocks of a matrix instruction (the usual one of f16), and of one of f32; 0 where there is none.
    pub matrix: f64,
    pub matrix32: f64,
    /// TB/s of memory and of the L2 cache.
    pub memory: f64,
    pub l2: f64,
    /// Nanoseconds from a load of memory, of the L2 cache, or of LDS and the scalar cache, to its value.
    pub far: f64,
    pub hit: f64,
    pub near: f64,
    /// Microseconds from the end of a kernel to the start of one that waits for it.
    pub launch: f64,
    /// Most waves of a SIMD; vector registers of a lane that all waves of a SIMD share, and the unit of their allocation.
    pub waves: u64,
    pub vgprs: u64,
    pub vgpr_unit: u64,
    /// The same of scalar registers; 0: they do not limit the waves.
    pub sgprs: u64,
    /// Bytes of LDS of a compute unit, and the unit of their allocation.
    pub lds: u64,
    pub lds_unit: u64,
    /// TFLOP/s of products of f16 with sums in f32, and of f32, on the fastest unit.
    pub f16: f64,
    pub f32: f64,
    /// TOP/s of products of integers of 8 bits with sums of 32.
    pub i8: f64,
}

/// All GPUs of the model.
pub const GPUS: [Gpu; 4] = [
    Gpu {
        name: "MI300X",
        target: "gfx942",
        foreign: false,
        units: 304.0,
        simds: 4.0,
        clock: 2.1,
        slot: 4.0,
        trans: 4.0,
        mul32: 4.0,
        f64: 1.0,
        matrix: 32.0,
        matrix32: 64.0,
        memory: 5.3,
        l2: 34.4,
        far: 700.0,
        hit: 250.0,
        near: 60.0,
        launch: 3.5,
        waves: 8,
        vgprs: 512,
        vgpr_unit: 8,
        sgprs: 800,
        lds: 64 << 10,
        lds_unit: 512,
        f16: 1307.4,
        f32: 163.4,
        i8: 2614.9,
    },
    // One of its two dies, which programs see as a device.
    Gpu {
        name: "MI250X",
        target: "gfx90a",
        foreign: false,
        units: 110.0,
        simds: 4.0,
        clock: 1.7,
        slot: 4.0,
        trans: 4.0,
        mul32: 4.0,
        f64: 1.0,
        matrix: 64.0,
        matrix32: 64.0,
        memory: 1.6,
        l2: 6.96,
        far: 600.0,
        hit: 250.0,
        near: 75.0,
        launch: 3.5,
        waves: 8,
        vgprs: 512,
        vgpr_unit: 8,
        sgprs: 800,
        lds: 64 << 10,
        lds_unit: 512,
        f16: 191.5,
        f32: 47.9,
        i8: 191.5,
    },
    Gpu {
        name: "7900XTX",
        target: "gfx1100",
        foreign: false,
        units: 96.0,
        simds: 2.0,
        clock: 2.5,
        slot: 1.0,
        trans: 4.0,
        mul32: 4.0,
        f64: 16.0,
        matrix: 32.0,
        matrix32: 0.0,
        memory: 0.96,
        l2: 5.1,
        far: 350.0,
        hit: 150.0,
        near: 50.0,
        launch: 3.5,
        waves: 16,
        vgprs: 1536,
        vgpr_unit: 24,
        sgprs: 0,
        lds: 64 << 10,
        lds_unit: 1024,
        f16: 122.8,
        f32: 61.4,
        i8: 122.8,
    },
    Gpu {
        name: "H100",
        target: "gfx1100",
        foreign: true,
        units: 132.0,
        simds: 4.0,
        clock: 1.98,
        slot: 1.0,
        trans: 8.0,
        mul32: 2.0,
        f64: 2.0,
        matrix: 8.0,
        matrix32: 0.0,
        memory: 3.35,
        l2: 5.5,
        far: 270.0,
        hit: 132.0,
        near: 17.0,
        launch: 3.5,
        waves: 16,
        vgprs: 512,
        vgpr_unit: 8,
        sgprs: 0,
        lds: 228 << 10,
        lds_unit: 1024,
        f16: 989.4,
        f32: 66.9,
        i8: 1978.9,
    },
];

/// Where each number of [`GPUS`] is from: field, source.
pub const SOURCES: [(&str, &str); 20] = [
    (
        "compute units, clock",
        "data sheets: AMD Instinct MI300X (304 units, 2,100 MHz) and MI250X (220 units of two dies, 1,700 MHz), Radeon RX 7900 XTX \
         (96 units, 2,500 MHz boost), NVIDIA H100 SXM (132 SMs, 1,980 MHz boost)",
    ),
    (
        "SIMDs",
        "ROCm's documentation, \"Pipeline descriptions\": four SIMDs of 16 lanes a unit on CDNA; RDNA3 ISA guide: two of 32; H100: four \
         partitions of 32 lanes",
    ),
    (
        "slot",
        "the same: a SIMD of 16 lanes takes 4 clocks for a wave of 64 and is offered one issue in 4 clocks; RDNA3 and H100 issue in each",
    ),
    (
        "transcendental, 32-bit product, f64",
        "LLVM's AMDGPU schedules (quarter rate); f64 from the peaks of the data sheets; NVIDIA: CUDA programming guide, table of throughputs",
    ),
    ("matrix instruction", "f16 peak of the data sheet: 2,048, 1,024, 512 and 4,096 FLOP a clock and unit"),
    (
        "matrix instruction of f32",
        "f32 peak of the data sheet: 256 FLOP a clock and unit on CDNA; 4,096 FLOP an instruction",
    ),
    ("memory", "data sheets: 5.3, 3.2 (two dies), 0.96, 3.35 TB/s"),
    (
        "L2",
        "channels of 128 bytes a clock: CDNA3 white paper 8 x 16, CDNA2 32 (MI250X's die), RDNA3 2,048 bytes a clock (assumed); H100: 5.5 TB/s (assumed)",
    ),
    (
        "cache line, clocks of the first cache",
        "128 bytes; 64 bytes or one line a clock and unit: CDNA2, CDNA3 and RDNA3 ISA guides. 64 bytes are the smallest unit of memory \
         traffic",
    ),
    (
        "far",
        "assumed, of loaded memory: published measurements without load are lower (7900 XTX: 150 ns for the Infinity Cache alone, Chips and \
         Cheese 2023; H100: after arXiv 2402.13499)",
    ),
    ("hit", "assumed on AMD; H100: after arXiv 2402.13499"),
    ("near", "assumed: 128 clocks on AMD; H100: after arXiv 2402.13499"),
    (
        "launch",
        "assumed for all: 3.5 us a kernel in a batch, a measurement in AMD's forum (\"HSA kernel dispatch latencies\"). Only launches \
         after an op's first are charged",
    ),
    ("waves", "LLVM's AMDGPU target: 8 on gfx90a and gfx942, 16 on gfx11; H100: 64 warps an SM"),
    (
        "vector registers",
        "LLVM's AMDGPU target: 512 in units of 8 on gfx90a and gfx942, 1,536 in units of 24 on gfx1100; H100: 65,536 of an SM",
    ),
    (
        "scalar registers",
        "LLVM's AMDGPU target: 800 in units of 16 on gfx9; a full set for each wave on RDNA",
    ),
    ("LDS", "ISA guides: 64 KiB a unit, 32 banks of 4 bytes; H100: 228 KiB"),
    ("f16 peak", "data sheets, dense: 1,307.4, 383 (two dies), 122.8, 989.4 TFLOP/s"),
    (
        "f32 peak",
        "data sheets, on matrix units where they compute in f32: 163.4, 95.7 (two dies), 61.4 (dual issue), 66.9 TFLOP/s",
    ),
    (
        "i8 peak",
        "data sheets, dense: 2,614.9, 383 (two dies), 1,978.9 TOP/s; 7900 XTX: the rate of f16, of which an instruction has as many \
         products",
    ),
];
