//! Translates GCN's instruction names to those of RDNA3.
use super::types::Enc;
use std::borrow::Cow;

/// Returns an instruction's name in RDNA3's naming.
pub(crate) fn renamed(enc: Enc, name: &str) -> Cow<'_, str> {
    match enc {
        Enc::Ds => lds(name).into(),
        Enc::Flat | Enc::Global | Enc::Scratch | Enc::Mubuf | Enc::Smem => memory(name).into(),
        _ => arithmetic(name).into(),
    }
}

/// GCN's and RDNA3's names of the same instruction.
const SAME: &[(&str, &str)] = &[
    ("s_ff1_i32_b32", "s_ctz_i32_b32"),
    ("s_ff1_i32_b64", "s_ctz_i32_b64"),
    ("s_flbit_i32_b32", "s_clz_i32_u32"),
    ("s_flbit_i32_b64", "s_clz_i32_u64"),
    ("s_flbit_i32", "s_cls_i32"),
    ("s_flbit_i32_i64", "s_cls_i32_i64"),
    ("s_andn2_b32", "s_and_not1_b32"),
    ("s_andn2_b64", "s_and_not1_b64"),
    ("s_orn2_b32", "s_or_not1_b32"),
    ("s_orn2_b64", "s_or_not1_b64"),
    ("s_andn1_saveexec_b64", "s_and_not0_saveexec_b64"),
    ("s_orn1_saveexec_b64", "s_or_not0_saveexec_b64"),
    ("s_andn2_saveexec_b64", "s_and_not1_saveexec_b64"),
    ("s_orn2_saveexec_b64", "s_or_not1_saveexec_b64"),
    ("v_add_u32", "v_add_nc_u32"),
    ("v_sub_u32", "v_sub_nc_u32"),
    ("v_subrev_u32", "v_subrev_nc_u32"),
    ("v_add_i32", "v_add_nc_i32"),
    ("v_sub_i32", "v_sub_nc_i32"),
    ("v_add_u16", "v_add_nc_u16"),
    ("v_sub_u16", "v_sub_nc_u16"),
    ("v_add_i16", "v_add_nc_i16"),
    ("v_sub_i16", "v_sub_nc_i16"),
    ("v_addc_co_u32", "v_add_co_ci_u32"),
    ("v_subb_co_u32", "v_sub_co_ci_u32"),
    ("v_subbrev_co_u32", "v_subrev_co_ci_u32"),
    ("v_ffbh_u32", "v_clz_i32_u32"),
    ("v_ffbl_b32", "v_ctz_i32_b32"),
    ("v_ffbh_i32", "v_cls_i32"),
    // CDNA2's names; CDNA3's have a line before the dtype.
    ("v_mfma_f32_32x32x2f32", "v_mfma_f32_32x32x2_f32"),
    ("v_mfma_f32_16x16x4f32", "v_mfma_f32_16x16x4_f32"),
    ("v_mfma_f32_32x32x8f16", "v_mfma_f32_32x32x8_f16"),
    ("v_mfma_f32_16x16x16f16", "v_mfma_f32_16x16x16_f16"),
    ("v_mfma_f32_32x32x8bf16_1k", "v_mfma_f32_32x32x8_bf16"),
    ("v_mfma_f32_16x16x16bf16_1k", "v_mfma_f32_16x16x16_bf16"),
    ("v_mfma_f64_16x16x4f64", "v_mfma_f64_16x16x4_f64"),
    ("v_mfma_i32_32x32x8i8", "v_mfma_i32_32x32x8_i8"),
    ("v_mfma_i32_16x16x16i8", "v_mfma_i32_16x16x16_i8"),
    ("v_cvt_pkrtz_f16_f32", "v_cvt_pk_rtz_f16_f32"),
    ("v_mul_legacy_f32", "v_mul_dx9_zero_f32"),
    // These clear the upper half of the register; `effects` decides that by the original names.
    ("v_mad_legacy_u16", "v_mad_u16"),
    ("v_mad_legacy_i16", "v_mad_i16"),
    ("v_mad_legacy_f16", "v_mad_f16"),
    ("v_fma_legacy_f16", "v_fma_f16"),
    ("v_div_fixup_legacy_f16", "v_div_fixup_f16"),
];

fn arithmetic(name: &str) -> &str {
    SAME.iter().find(|s| s.0 == name).map_or(name, |s| s.1)
}

/// `ds_read2st64_b32` is `ds_load_2addr_stride64_b32`.
fn lds(name: &str) -> String {
    let words = name.split('_').map(|w| match w {
        "read" => "load",
        "read2" => "load_2addr",
        "read2st64" => "load_2addr_stride64",
        "write" => "store",
        "write2" => "store_2addr",
        "write2st64" => "store_2addr_stride64",
        "wrxchg" => "storexchg",
        "cmpst" => "cmpstore",
        other => other,
    });
    words.collect::<Vec<_>>().join("_")
}

/// `global_load_dwordx2` is `global_load_b64`, `global_atomic_smin_x2` is `global_atomic_min_i64`.
fn memory(name: &str) -> String {
    if let Some((space, verb)) = name.split_once("_atomic_") {
        let (verb, bits) = verb.strip_suffix("_x2").map_or((verb, 32), |v| (v, 64));
        let verb = match verb {
            "swap" | "cmpswap" | "and" | "or" | "xor" => format!("{verb}_b{bits}"),
            "add" | "sub" | "inc" | "dec" => format!("{verb}_u{bits}"),
            "smin" | "smax" => format!("{}_i{bits}", &verb[1..]),
            "umin" | "umax" => format!("{}_u{bits}", &verb[1..]),
            other => other.to_string(),
        };
        return format!("{space}_atomic_{verb}");
    }
    let words = name.split('_').map(|w| match w {
        "dword" => "b32",
        "dwordx2" => "b64",
        "dwordx3" => "b96",
        "dwordx4" => "b128",
        "dwordx8" => "b256",
        "dwordx16" => "b512",
        "ubyte" => "u8",
        "sbyte" => "i8",
        "byte" => "b8",
        "ushort" => "u16",
        "sshort" => "i16",
        "short" => "b16",
        other => other,
    });
    words.collect::<Vec<_>>().join("_")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::isa::mem::Mem;

    #[test]
    fn names_of_memory_instructions() {
        for (enc, old, new) in [
            (Enc::Ds, "ds_read2st64_b64", "ds_load_2addr_stride64_b64"),
            (Enc::Ds, "ds_cmpst_rtn_b32", "ds_cmpstore_rtn_b32"),
            (Enc::Global, "global_load_sbyte_d16_hi", "global_load_i8_d16_hi"),
            (Enc::Flat, "flat_atomic_umax_x2", "flat_atomic_max_u64"),
            (Enc::Mubuf, "buffer_store_dwordx3", "buffer_store_b96"),
            (Enc::Smem, "s_load_dwordx16", "s_load_b512"),
            (Enc::Global, "global_atomic_add_f64", "global_atomic_add_f64"),
        ] {
            assert_eq!(renamed(enc, old), new);
            assert!(enc == Enc::Smem || Mem::of(enc, new).is_some(), "{new}");
        }
        assert_eq!(renamed(Enc::Vop2, "v_subbrev_co_u32"), "v_subrev_co_ci_u32");
    }
}
