// The memory instructions in the kernels of hip/ for three targets, from `cargo xtask kernels` and `llvm-objdump -d`.
const KERNELS_GFX1100: &str = "
    buffer_gl0_inv buffer_gl1_inv ds_bpermute_b32 ds_load_2addr_b32 ds_load_2addr_b64 ds_load_2addr_stride64_b32
    ds_load_b128 ds_load_b32 ds_load_b64 ds_load_b96 ds_load_i8 ds_load_u16 ds_load_u8 ds_store_2addr_b32
    ds_store_2addr_b64 ds_store_2addr_stride64_b32 ds_store_b128 ds_store_b16 ds_store_b32 ds_store_b64 ds_store_b8
    flat_atomic_add_u32 flat_atomic_add_u64 flat_atomic_cmpswap_b32 flat_atomic_cmpswap_b64 flat_load_b128
    flat_load_b32 flat_load_b64 flat_load_b96 flat_load_d16_hi_b16 flat_load_i16 flat_load_i8 flat_load_u16
    flat_load_u8 flat_store_b128 flat_store_b16 flat_store_b32 flat_store_b64 flat_store_b8 flat_store_b96
    flat_store_d16_hi_b16 flat_store_d16_hi_b8 global_load_b64 s_barrier s_load_b128 s_load_b256 s_load_b32
    s_load_b512 s_load_b64 s_waitcnt s_waitcnt_depctr s_waitcnt_vscnt
";

const KERNELS_GFX90A: &str = "
    buffer_invl2 buffer_load_dword buffer_load_ubyte buffer_load_ushort buffer_store_byte buffer_store_dword
    buffer_store_short buffer_wbinvl1_vol buffer_wbl2 ds_bpermute_b32 ds_read2_b32 ds_read2_b64 ds_read2st64_b32
    ds_read_b128 ds_read_b32 ds_read_b64 ds_read_b96 ds_read_i8 ds_read_u16 ds_read_u8 ds_write2_b32 ds_write2_b64
    ds_write2st64_b32 ds_write_b128 ds_write_b16 ds_write_b32 ds_write_b64 ds_write_b8 flat_atomic_add
    flat_atomic_add_x2 flat_atomic_cmpswap flat_atomic_cmpswap_x2 flat_load_dword flat_load_dwordx2 flat_load_dwordx3
    flat_load_dwordx4 flat_load_sbyte flat_load_sshort flat_load_ubyte flat_load_ushort flat_store_byte
    flat_store_byte_d16_hi flat_store_dword flat_store_dwordx2 flat_store_dwordx3 flat_store_dwordx4 flat_store_short
    flat_store_short_d16_hi global_load_dwordx2 s_barrier s_load_dword s_load_dwordx16 s_load_dwordx2 s_load_dwordx4
    s_load_dwordx8 s_waitcnt
";

const KERNELS_GFX942: &str = "
    buffer_inv buffer_wbl2 ds_bpermute_b32 ds_read2_b32 ds_read2_b64 ds_read2st64_b32 ds_read_b128 ds_read_b32
    ds_read_b64 ds_read_b96 ds_read_i8 ds_read_u16 ds_read_u8 ds_write2_b32 ds_write2_b64 ds_write2st64_b32
    ds_write_b128 ds_write_b16 ds_write_b32 ds_write_b64 ds_write_b8 flat_atomic_add flat_atomic_add_f32
    flat_atomic_add_f64 flat_atomic_add_x2 flat_atomic_cmpswap_x2 flat_load_dword flat_load_dwordx2 flat_load_dwordx3
    flat_load_dwordx4 flat_load_sbyte flat_load_sshort flat_load_ubyte flat_load_ushort flat_store_byte
    flat_store_byte_d16_hi flat_store_dword flat_store_dwordx2 flat_store_dwordx3 flat_store_dwordx4 flat_store_short
    flat_store_short_d16_hi global_load_dwordx2 s_barrier s_load_dword s_load_dwordx16 s_load_dwordx2 s_load_dwordx4
    s_load_dwordx8 s_waitcnt scratch_load_dword scratch_load_ubyte scratch_load_ushort scratch_store_byte
    scratch_store_dword scratch_store_short
";

/// Loads and stores: the end of the name, and that of the LDS instruction.
#[rustfmt::skip]
const TRANSFERS: &[(Act, &str, &str)] = &[
    (Act::Load(1, false, 0), "ubyte", "u8"),
    (Act::Load(1, true, 0), "sbyte", "i8"),
    (Act::Load(2, false, 0), "ushort", "u16"),
    (Act::Load(2, true, 0), "sshort", "i16"),
    (Act::Load(4, false, 0), "dword", "b32"),
    (Act::Load(8, false, 0), "dwordx2", "b64"),
    (Act::Load(12, false, 0), "dwordx3", "b96"),
    (Act::Load(16, false, 0), "dwordx4", "b128"),
    (Act::Load(1, false, 1), "ubyte_d16", "u8_d16"),
    (Act::Load(1, false, 2), "ubyte_d16_hi", "u8_d16_hi"),
    (Act::Load(1, true, 1), "sbyte_d16", "i8_d16"),
    (Act::Load(1, true, 2), "sbyte_d16_hi", "i8_d16_hi"),
    (Act::Load(2, false, 1), "short_d16", "u16_d16"),
    (Act::Load(2, false, 2), "short_d16_hi", "u16_d16_hi"),
    (Act::Store(1, false), "byte", "b8"),
    (Act::Store(2, false), "short", "b16"),
    (Act::Store(4, false), "dword", "b32"),
    (Act::Store(8, false), "dwordx2", "b64"),
    (Act::Store(12, false), "dwordx3", "b96"),
    (Act::Store(16, false), "dwordx4", "b128"),
    (Act::Store(1, true), "byte_d16_hi", "b8_d16_hi"),
    (Act::Store(2, true), "short_d16_hi", "b16_d16_hi"),
];

/// Atomics: the name, and that of the LDS instruction with its type.
#[rustfmt::skip]
const ATOMICS: &[(Rmw, &str, &str)] = &[
    (Rmw::Swap, "swap", "wrxchg b"),
    (Rmw::CompareSwap, "cmpswap", "cmpst b"),
    (Rmw::Add, "add", "add u"),
    (Rmw::Sub, "sub", "sub u"),
    (Rmw::SMin, "smin", "min i"),
    (Rmw::UMin, "umin", "min u"),
    (Rmw::SMax, "smax", "max i"),
    (Rmw::UMax, "umax", "max u"),
    (Rmw::And, "and", "and b"),
    (Rmw::Or, "or", "or b"),
    (Rmw::Xor, "xor", "xor b"),
    (Rmw::Inc, "inc", "inc u"),
    (Rmw::Dec, "dec", "dec u"),
    (Rmw::FAdd, "add", "add f"),
    (Rmw::FMin, "fmin", "min f"),
    (Rmw::FMax, "fmax", "max f"),
];

/// An inactive lane reads as 0.
fn read(from: usize, data: &[u32], exec: u64) -> u32 {
    if exec >> from & 1 == 1 { data[from] } else { 0 }
}
/// The last lane that writes to `l`, by the byte index of each lane.
fn written(l: usize, index: &[u32], data: &[u32], exec: u64, plus: u32) -> u32 {
    let to = |s: usize| (index[s].wrapping_add(plus) >> 2) as usize % data.len();
    (0..data.len()).rev().find(|s| exec >> s & 1 == 1 && to(*s) == l).map_or(0, |s| data[s])
}

/// Exchanges of v30 with the lanes in v31.
#[rustfmt::skip]
const LANES: &[(&str, Exchange)] = &[
    ("ds_bpermute_b32 v20, v31, v30", |l, i, d, e| read((i[l] >> 2) as usize % d.len(), d, e)),
    ("ds_bpermute_b32 v20, v31, v30 offset:12", |l, i, d, e| read((i[l].wrapping_add(12) >> 2) as usize % d.len(), d, e)),
    ("ds_permute_b32 v20, v31, v30", |l, i, d, e| written(l, i, d, e, 0)),
    ("ds_permute_b32 v20, v31, v30 offset:20", |l, i, d, e| written(l, i, d, e, 20)),
    ("ds_swizzle_b32 v20, v30 offset:swizzle(QUAD_PERM, 2, 0, 3, 3)", |l, _, d, e| read(l / 4 * 4 + [2, 0, 3, 3][l % 4], d, e)),
    ("ds_swizzle_b32 v20, v30 offset:swizzle(BROADCAST, 8, 5)", |l, _, d, e| read(l / 8 * 8 + 5, d, e)),
    ("ds_swizzle_b32 v20, v30 offset:swizzle(REVERSE, 16)", |l, _, d, e| read(l / 16 * 16 + 15 - l % 16, d, e)),
    ("ds_swizzle_b32 v20, v30 offset:swizzle(SWAP, 4)", |l, _, d, e| read(if l % 8 < 4 { l + 4 } else { l - 4 }, d, e)),
];

/// Instructions that change neither registers nor memory.
const NOTHING: [&str; 9] = [
    "s_waitcnt vmcnt(0)",
    "s_waitcnt lgkmcnt(0)",
    "s_waitcnt expcnt(0)",
    "s_waitcnt vmcnt(3) expcnt(1) lgkmcnt(2)",
    "s_waitcnt 0",
    "s_barrier",
    "s_dcache_inv",
    "s_icache_inv",
    "s_nop 7",
];
const NOTHING_GFX1100: [&str; 8] = [
    "s_gl1_inv",
    "s_waitcnt_vscnt null, 0x0",
    "s_waitcnt_vmcnt null, 0x3",
    "s_waitcnt_expcnt null, 0x0",
    "s_waitcnt_lgkmcnt null, 0x1",
    "s_waitcnt_depctr 0xfffe",
    "buffer_gl0_inv",
    "buffer_gl1_inv",
];
const NOTHING_GFX90A: [&str; 5] =
    ["buffer_wbinvl1_vol", "buffer_wbinvl1", "buffer_wbl2", "buffer_invl2", "s_dcache_wb"];
const NOTHING_GFX942: [&str; 3] = ["buffer_inv sc1", "buffer_wbl2 sc0 sc1", "s_dcache_wb"];

/// Targets (all, if empty), an instruction, and the reported text.
#[rustfmt::skip]
const OUTSIDE: &[(&str, &str, &str)] = &[
    ("", "s_load_dwordx4 s[8:11], s[4:5], 0x54", "read of 0x"),
    ("", "global_load_dwordx4 v[20:23], v1, s[4:5] offset:4", "16 bytes by `global_load_"),
    ("", "global_store_dwordx3 v[2:3], v[20:22], off offset:8", "12 bytes by `global_store_"),
    ("", "flat_load_ushort v20, v[2:3] offset:15", "2 bytes by `flat_load_"),
    ("", "flat_store_byte v[2:3], v20 offset:16", ": 1 bytes by `flat_store_"),
    ("", "flat_store_dwordx2 v[4:5], v[20:21] offset:12", "write to byte 92 of LDS, past its end: 8 bytes by `flat_store_"),
    ("", "flat_atomic_add_x2 v[2:3], v[20:21] offset:16", "8 bytes by `flat_atomic_add_"),
    ("", "ds_read_b96 v[20:22], v1 offset:8", "read of byte 88 of LDS, past its end: 12 bytes by `ds_"),
    ("", "ds_write_b16 v1, v20 offset:15", "write to byte 95 of LDS, past its end: 2 bytes by `ds_"),
    ("", "s_mov_b32 exec_lo, 0x3f\nds_read2_b32 v[20:21], v1 offset0:0 offset1:4", "read of byte 96 of LDS, past its end: 4 bytes by `ds_"),
    ("", "ds_add_u32 v1, v20 offset:16", "write to byte 96 of LDS, past its end: 4 bytes by `ds_"),
    ("gfx90a", "buffer_store_dword v20, v1, s[0:3], 0 offen offset:16", "write to byte 96 of a lane's scratch memory, past its end: 4 bytes by `buffer_"),
    ("gfx1100 gfx942", "scratch_load_dwordx2 v[20:21], v1, off offset:12", "read of byte 92 of a lane's scratch memory, past its end: 8 bytes by `scratch_"),
];

/// Returns the names of vector registers.
fn registers(first: usize, bytes: usize) -> String {
    match bytes.div_ceil(4) {
        1 => format!("v{first}"),
        n => format!("v[{first}:{}]", first + n - 1),
    }
}

/// Returns all cases of a target.
fn cases(arch: &str) -> Vec<Case> {
    let (rdna, old) = (arch == "gfx1100", arch == "gfx90a");
    let mut all = Vec::new();
    let mut add =
        |text: String, space, addressing, act, offset: i64, at: fn(usize, usize) -> usize, stride, moved| {
            let text = match offset {
                0 => text,
                n => format!("{text} offset:{n}"),
            };
            all.push(Case { text, space, addressing, act, offset, at, stride, moved });
        };
    // The operands; the address comes first for stores.
    let order = |name: &str, data: &str, address: &str, rest: &str, store: bool| match store {
        true => format!("{name} {address}, {data}{rest}"),
        false => format!("{name} {data}, {address}{rest}"),
    };
    let glc = if arch == "gfx942" { " sc0" } else { " glc" };

    for (act, suffix, lds) in TRANSFERS {
        let (store, size) = match act {
            Act::Store(size, _) => (true, *size),
            Act::Load(size, ..) => (false, *size),
            _ => unreachable!("a transfer"),
        };
        let data = registers(if store { 30 } else { 20 }, size);
        let verb = if store { "store" } else { "load" };
        let mut at = |segment: &str,
                      address: &str,
                      rest: &str,
                      space,
                      addressing,
                      offsets: &[i64],
                      which: fn(usize, usize) -> usize| {
            for (n, offset) in offsets.iter().enumerate() {
                let name = format!("{segment}_{verb}_{suffix}");
                // Every second case is unaligned.
                let moved = if addressing == Addressing::Fixed { 4 } else { n % 2 * (size.min(4) - 1) };
                add(
                    order(&name, &data, address, rest, store && segment != "buffer"),
                    space,
                    addressing,
                    *act,
                    *offset,
                    which,
                    size.max(4),
                    moved,
                );
            }
        };
        at("global", "v[2:3]", ", off", Space::Global, Addressing::Pointer, &[0, 4095, -4096], apart);
        at("global", "v4", ", s[20:21]", Space::Global, Addressing::Both, &[-1, 0, 4095, -4096], apart);
        at("flat", "v[2:3]", "", Space::Global, Addressing::Pointer, &[0, 4095], apart);
        at("flat", "v[2:3]", "", Space::Lds, Addressing::Pointer, &[0, 4095], apart);
        at("flat", "v[2:3]", "", Space::Scratch, Addressing::Pointer, &[0, 4000], apart);
        let fixed = (SCRATCH + size.max(4) + 4) as i64;
        if old {
            at("buffer", "v4", ", s[0:3], 0 offen", Space::Scratch, Addressing::Vector, &[0, 4000], apart);
            at("buffer", "v4", ", s[0:3], s22 offen", Space::Scratch, Addressing::Both, &[4, 3991], apart);
            at("buffer", "off", ", s[0:3], s22", Space::Scratch, Addressing::Scalar, &[0, 4000], same);
            at("buffer", "off", ", s[0:3], 0", Space::Scratch, Addressing::Fixed, &[fixed], same);
        } else {
            at("scratch", "v4", ", off", Space::Scratch, Addressing::Vector, &[0, 4000, -4096], apart);
            at("scratch", "v4", ", s22", Space::Scratch, Addressing::Both, &[4, -4096], apart);
            at("scratch", "off", ", s22", Space::Scratch, Addressing::Scalar, &[0, 4000, -4096], same);
            at("scratch", "off", ", off", Space::Scratch, Addressing::Fixed, &[fixed], same);
        }
        let name = format!("ds_{}_{lds}", if store { "write" } else { "read" });
        for (n, offset) in [0, 65535, 8191, 16].into_iter().enumerate() {
            let moved = n % 2 * (size.min(4) - 1);
            add(
                order(&name, &data, "v4", "", store),
                Space::Lds,
                Addressing::Vector,
                *act,
                offset,
                apart,
                size.max(4),
                moved,
            );
        }
    }
    // Two elements: adjacent, apart, the second one first.
    for (size, far) in [(4, 1), (8, 1), (4, 64), (8, 64)] {
        let name = format!("{}_b{}", if far == 1 { "2" } else { "2st64" }, 8 * size);
        for at in [[0, 1], [3, 250], [5, 2], [7, 7]]
            .map(|a: [usize; 2]| if far == 64 { a.map(|o| o.min(9) % 8) } else { a })
        {
            let (distances, moved) = (at.map(|o| o * size * far), if at[0] == 3 { 2 } else { 0 });
            let text =
                format!("ds_read{name} {}, v4 offset0:{} offset1:{}", registers(20, 2 * size), at[0], at[1]);
            add(text, Space::Lds, Addressing::Vector, Act::LoadTwo(size, distances), 0, apart, size, moved);
        }
        // The lanes' elements must not overlap.
        for at in if far == 1 { [[0, 64], [200, 100]] } else { [[1, 5], [6, 0]] } {
            let (x, y) = (registers(30, size), registers(34, size));
            let text = format!("ds_write{name} v4, {x}, {y} offset0:{} offset1:{}", at[0], at[1]);
            add(
                text,
                Space::Lds,
                Addressing::Vector,
                Act::StoreTwo(size, at.map(|o| o * size * far)),
                0,
                apart,
                size,
                0,
            );
        }
    }
    for (rmw, flat, lds) in ATOMICS {
        for size in [4, 8] {
            let float = matches!(rmw, Rmw::FAdd | Rmw::FMin | Rmw::FMax);
            let compares = *rmw == Rmw::CompareSwap;
            let orderly = !compares && !matches!(rmw, Rmw::Inc | Rmw::Dec | Rmw::Swap);
            let (x, y, d) = (registers(30, size), registers(34, size), registers(20, size));
            let words = size / 4;
            let suffix = match (float, size) {
                (true, _) if *rmw != Rmw::FAdd && size == 4 => "",
                (true, 4) => "_f32",
                (true, _) => "_f64",
                (_, 4) => "",
                _ => "_x2",
            };
            let flat = if float && size == 8 { flat.trim_start_matches("f") } else { flat };
            let data = registers(30, if compares { 2 * size } else { size });
            let mut one = |back: bool, which: fn(usize, usize) -> usize| {
                let (to, glc) = if back { (format!("{d}, "), glc) } else { (String::new(), "") };
                let act = Act::Atomic(*rmw, size, back, words);
                for (segment, address, rest, space, addressing, offset) in [
                    ("global", "v4", ", s[20:21]", Space::Global, Addressing::Both, -16),
                    ("global", "v[2:3]", ", off", Space::Global, Addressing::Pointer, 4088),
                    ("flat", "v[2:3]", "", Space::Global, Addressing::Pointer, 4088),
                    ("flat", "v[2:3]", "", Space::Lds, Addressing::Pointer, 0),
                ] {
                    // The targets with this floating-point atomic.
                    let has = match (float, size, *rmw) {
                        (false, ..) => true,
                        (_, 8, _) => !rdna,
                        (_, _, Rmw::FAdd) => !old || (segment == "global"),
                        _ => rdna,
                    };
                    if has {
                        let text = format!("{segment}_atomic_{flat}{suffix} {to}{address}, {data}{rest}");
                        let text = if offset == 0 { text } else { format!("{text} offset:{offset}") } + glc;
                        all.push(Case { text, space, addressing, act, offset, at: which, stride: size, moved: 0 });
                    }
                }
                let name = match (compares, *rmw == Rmw::Swap) {
                    (true, _) => {
                        if rdna {
                            "cmpstore"
                        } else {
                            "cmpst"
                        }
                    }
                    (_, true) => "wrxchg",
                    _ => lds.split(' ').next().unwrap(),
                };
                let has = !(float && size == 8 && *rmw == Rmw::FAdd && rdna) && (back || *rmw != Rmw::Swap);
                if has {
                    let class = lds.split(' ').nth(1).unwrap();
                    // The compared value comes first on GCN, last on RDNA3.
                    let data = match (compares, rdna) {
                        (true, true) => format!("{x}, {y}"),
                        (true, false) => format!("{y}, {x}"),
                        _ => x.clone(),
                    };
                    let rtn = if back { "_rtn" } else { "" };
                    let text = format!("ds_{name}{rtn}_{class}{} {to}v4, {data} offset:65528", 8 * size);
                    let act = Act::Atomic(*rmw, size, back, 4);
                    all.push(Case {
                        text,
                        space: Space::Lds,
                        addressing: Addressing::Vector,
                        act,
                        offset: 65528,
                        at: which,
                        stride: size,
                        moved: 0,
                    });
                }
            };
            one(true, apart);
            one(false, apart);
            one(true, shared);
            if orderly {
                one(false, shared);
            }
        }
    }
    let mut plain = |text: String, space, addressing, act, offset| {
        all.push(Case { text, space, addressing, act, offset, at: apart, stride: 4, moved: 0 });
    };
    for (n, suffix) in ["", "x2", "x4", "x8", "x16"].iter().enumerate() {
        let to = if n == 0 { "s32".into() } else { format!("s[32:{}]", 31 + (1 << n)) };
        for (addressing, rest, offset, at) in [
            (Addressing::Pointer, "0x40", 0, 0x40),
            (Addressing::Pointer, "0x13", 0, 0x10),
            (Addressing::Pointer, "-0x100000", -0x100020, 0x20),
            (Addressing::Pointer, "0xffffc", 0xffff0, 0xc),
            (Addressing::Scalar, "s22", 0, 0),
            (Addressing::Scalar, "s22 offset:0x102", 0, 0x100),
        ] {
            let text = format!("s_load_dword{suffix} {to}, s[20:21], {rest}");
            plain(text, Space::Global, addressing, Act::Scalars(1 << n, at), offset);
        }
    }
    // Results that overwrite the address register.
    for (text, space, act) in [
        (
            "v_mov_b32 v20, v2\nv_mov_b32 v21, v3\nglobal_load_dwordx4 v[20:23], v[20:21], off",
            Space::Global,
            Act::Load(16, false, 0),
        ),
        (
            "v_mov_b32 v20, v2\nv_mov_b32 v21, v3\nflat_load_dwordx2 v[20:21], v[20:21]",
            Space::Global,
            Act::Load(8, false, 0),
        ),
        ("v_mov_b32 v20, v4\nds_read_b96 v[20:22], v20", Space::Lds, Act::Load(12, false, 0)),
        ("v_mov_b32 v20, v4\nds_read2_b64 v[20:23], v20 offset1:9", Space::Lds, Act::LoadTwo(8, [0, 72])),
        (
            "s_mov_b64 s[32:33], s[20:21]\ns_load_dwordx4 s[32:35], s[32:33], 0x8",
            Space::Global,
            Act::Scalars(4, 8),
        ),
    ] {
        plain(text.to_string(), space, Addressing::Pointer, act, 0);
    }
    for (text, f) in LANES {
        plain(text.to_string(), Space::Global, Addressing::Pointer, Act::Lanes(*f), 0);
    }
    let own = match arch {
        "gfx1100" => &NOTHING_GFX1100[..],
        "gfx90a" => &NOTHING_GFX90A,
        _ => &NOTHING_GFX942,
    };
    for text in NOTHING.iter().chain(own) {
        plain(text.to_string(), Space::Lds, Addressing::Pointer, Act::Nothing, 0);
    }
    all
}
