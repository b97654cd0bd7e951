//! The list of operations that the engine executes. Rows of the tables name them. An instruction with another name is
//! decoded and disassembled, and is an error when a kernel executes it.

macro_rules! ops {
    ($($name:ident)*) => {
        /// `memory` and `compare` are described by their row; the others are named after their instruction.
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u16)]
        pub(crate) enum Op { unknown, memory, compare, $($name),* }

        impl Op {
            #[cfg(test)]
            pub const ALL: &[Op] = &[Op::memory, Op::compare, $(Op::$name),*];

            /// Returns the operation of a name.
            pub fn of(name: &str) -> Op {
                match name {
                    $(stringify!($name) => Op::$name,)*
                    _ => Op::unknown,
                }
            }
        }
    };
}

ops! {
    s_code_end s_endpgm s_barrier s_nop s_sleep s_set_inst_prefetch_distance s_clause s_delay_alu s_waitcnt_depctr
    s_waitcnt s_branch s_cbranch_scc0 s_cbranch_scc1 s_cbranch_vccz s_cbranch_vccnz s_cbranch_execz s_cbranch_execnz
    s_setprio s_sendmsg s_trap s_sethalt s_icache_inv s_wakeup
    buffer_gl0_inv buffer_gl1_inv
    s_waitcnt_vscnt s_waitcnt_vmcnt s_waitcnt_expcnt s_waitcnt_lgkmcnt
    s_movk_i32 s_cmovk_i32 s_addk_i32 s_mulk_i32 s_call_b64
    s_load_b32 s_load_b64 s_load_b128 s_load_b256 s_load_b512
    s_mov_b32 s_mov_b64 s_cmov_b32 s_cmov_b64 s_brev_b32 s_brev_b64 s_ctz_i32_b32 s_ctz_i32_b64 s_clz_i32_u32
    s_clz_i32_u64 s_cls_i32 s_cls_i32_i64 s_sext_i32_i8 s_sext_i32_i16 s_bitset0_b32 s_bitset0_b64 s_bitset1_b32
    s_bitset1_b64 s_abs_i32 s_bcnt0_i32_b32 s_bcnt0_i32_b64 s_bcnt1_i32_b32 s_bcnt1_i32_b64 s_not_b32 s_not_b64
    s_and_saveexec_b32 s_and_saveexec_b64 s_or_saveexec_b32 s_or_saveexec_b64 s_xor_saveexec_b32 s_xor_saveexec_b64
    s_and_not0_saveexec_b32 s_and_not0_saveexec_b64 s_or_not0_saveexec_b32 s_or_not0_saveexec_b64
    s_and_not1_saveexec_b32 s_and_not1_saveexec_b64 s_or_not1_saveexec_b32 s_or_not1_saveexec_b64
    s_getpc_b64 s_setpc_b64 s_swappc_b64
    s_add_u32 s_sub_u32 s_add_i32 s_sub_i32 s_addc_u32 s_subb_u32 s_absdiff_i32 s_lshl_b32 s_lshl_b64 s_lshr_b32
    s_lshr_b64 s_ashr_i32 s_ashr_i64 s_lshl1_add_u32 s_lshl2_add_u32 s_lshl3_add_u32 s_lshl4_add_u32 s_min_i32
    s_min_u32 s_max_i32 s_max_u32 s_and_b32 s_and_b64 s_or_b32 s_or_b64 s_xor_b32 s_xor_b64 s_nand_b32 s_nand_b64
    s_nor_b32 s_nor_b64 s_xnor_b32 s_xnor_b64 s_and_not1_b32 s_and_not1_b64 s_or_not1_b32 s_or_not1_b64 s_bfe_u32
    s_bfe_i32 s_bfe_u64 s_bfe_i64 s_bfm_b32 s_bfm_b64 s_mul_i32 s_mul_hi_u32 s_mul_hi_i32 s_cselect_b32 s_cselect_b64
    s_pack_ll_b32_b16 s_pack_lh_b32_b16 s_pack_hh_b32_b16 s_pack_hl_b32_b16
    s_bitcmp0_b32 s_bitcmp1_b32 s_bitcmp0_b64 s_bitcmp1_b64
    v_nop v_mov_b32 v_readfirstlane_b32 v_readlane_b32 v_writelane_b32 v_movreld_b32 v_movrels_b32 v_swap_b32
    v_cvt_i32_f64 v_cvt_f64_i32 v_cvt_f32_i32 v_cvt_f32_u32 v_cvt_u32_f32 v_cvt_i32_f32 v_cvt_f16_f32 v_cvt_f32_f16
    v_cvt_f32_f64 v_cvt_f64_f32 v_cvt_f32_ubyte0 v_cvt_f32_ubyte1 v_cvt_f32_ubyte2 v_cvt_f32_ubyte3 v_cvt_u32_f64
    v_cvt_f64_u32 v_cvt_f16_u16 v_cvt_f16_i16 v_cvt_u16_f16 v_cvt_i16_f16 v_cvt_i32_i16 v_cvt_u32_u16
    v_trunc_f64 v_ceil_f64 v_rndne_f64 v_floor_f64 v_fract_f64 v_trunc_f32 v_ceil_f32 v_rndne_f32 v_floor_f32
    v_fract_f32 v_trunc_f16 v_ceil_f16 v_rndne_f16 v_floor_f16 v_fract_f16
    v_exp_f32 v_log_f32 v_rcp_f32 v_rcp_iflag_f32 v_rsq_f32 v_sqrt_f32 v_sin_f32 v_cos_f32 v_rcp_f64 v_rsq_f64
    v_sqrt_f64 v_rcp_f16 v_sqrt_f16 v_rsq_f16 v_log_f16 v_exp_f16 v_sin_f16 v_cos_f16
    v_not_b32 v_bfrev_b32 v_clz_i32_u32 v_ctz_i32_b32 v_cls_i32 v_not_b16
    v_frexp_exp_i32_f64 v_frexp_mant_f64 v_frexp_exp_i32_f32 v_frexp_mant_f32 v_frexp_mant_f16 v_frexp_exp_i16_f16
    v_cndmask_b32 v_add_f32 v_sub_f32 v_subrev_f32 v_mul_f32 v_mul_dx9_zero_f32 v_mul_i32_i24 v_mul_u32_u24
    v_min_f32 v_max_f32 v_min_i32 v_max_i32 v_min_u32 v_max_u32 v_lshlrev_b32 v_lshrrev_b32 v_ashrrev_i32 v_and_b32
    v_or_b32 v_xor_b32 v_xnor_b32 v_add_co_ci_u32 v_sub_co_ci_u32 v_subrev_co_ci_u32 v_add_nc_u32 v_sub_nc_u32
    v_subrev_nc_u32 v_fmac_f32 v_fmamk_f32 v_fmaak_f32 v_add_f16 v_sub_f16 v_subrev_f16 v_mul_f16 v_fmac_f16
    v_fmamk_f16 v_fmaak_f16 v_max_f16 v_min_f16 v_ldexp_f16 v_cvt_pk_rtz_f16_f32
    v_mad_i32_i24 v_mad_u32_u24 v_bfe_u32 v_bfe_i32 v_bfi_b32 v_fma_f32 v_fma_f64 v_lerp_u8 v_alignbit_b32
    v_alignbyte_b32 v_min3_f32 v_min3_i32 v_min3_u32 v_max3_f32 v_max3_i32 v_max3_u32 v_med3_f32 v_med3_i32 v_med3_u32
    v_sad_u32 v_div_fixup_f32 v_div_fixup_f64 v_div_fmas_f32 v_div_fmas_f64 v_mad_u16 v_mad_i16 v_perm_b32 v_xad_u32
    v_lshl_add_u32 v_add_lshl_u32 v_fma_f16 v_min3_f16 v_min3_i16 v_min3_u16 v_max3_f16 v_max3_i16 v_max3_u16
    v_maxmin_f32 v_minmax_f32 v_maxmin_f16 v_minmax_f16 v_maxmin_u32 v_minmax_u32 v_maxmin_i32 v_minmax_i32
    v_div_fixup_f16 v_add3_u32 v_lshl_or_b32 v_and_or_b32 v_or3_b32 v_xor3_b32 v_add_nc_u16 v_sub_nc_u16 v_mul_lo_u16
    v_cvt_pk_i16_f32 v_cvt_pk_u16_f32 v_max_u16 v_max_i16 v_min_u16 v_min_i16 v_add_nc_i16 v_sub_nc_i16 v_pack_b32_f16
    v_add_f64 v_mul_f64 v_min_f64 v_max_f64 v_ldexp_f64 v_mul_lo_u32 v_mul_hi_u32 v_mul_hi_i32 v_trig_preop_f64
    v_lshlrev_b16 v_lshrrev_b16 v_ashrrev_i16 v_lshlrev_b64 v_lshrrev_b64 v_ashrrev_i64 v_ldexp_f32 v_bfm_b32
    v_bcnt_u32_b32 v_mbcnt_lo_u32_b32 v_mbcnt_hi_u32_b32 v_add_nc_i32 v_sub_nc_i32 v_and_b16 v_or_b16 v_xor_b16
    v_permlane16_b32 v_permlanex16_b32 v_mad_u32_u16 v_mad_i32_i16
    v_div_scale_f32 v_div_scale_f64 v_mad_u64_u32 v_mad_i64_i32 v_add_co_u32 v_sub_co_u32 v_subrev_co_u32
    v_cmp_class_f16 v_cmp_class_f32 v_cmp_class_f64 v_cmpx_class_f16 v_cmpx_class_f32 v_cmpx_class_f64
    v_pk_mad_i16 v_pk_mul_lo_u16 v_pk_add_i16 v_pk_sub_i16 v_pk_lshlrev_b16 v_pk_lshrrev_b16 v_pk_ashrrev_i16
    v_pk_max_i16 v_pk_min_i16 v_pk_mad_u16 v_pk_add_u16 v_pk_sub_u16 v_pk_max_u16 v_pk_min_u16 v_pk_fma_f16
    v_pk_add_f16 v_pk_mul_f16 v_pk_min_f16 v_pk_max_f16 v_fma_mix_f32 v_fma_mixlo_f16 v_fma_mixhi_f16
    v_dot4_i32_i8 v_dot4c_i32_i8 v_dot4_i32_iu8 v_dot4_u32_u8
    ds_bpermute_b32 ds_permute_b32 ds_swizzle_b32
    v_mad_f32 v_mac_f32 v_madak_f32 v_madmk_f32 v_mac_f16 v_mad_f16 v_madak_f16 v_madmk_f16 v_subrev_u16 v_med3_f16
    v_med3_i16 v_med3_u16 v_mov_b64 v_lshl_add_u64 v_fmac_f64 v_pk_fma_f32 v_pk_mul_f32 v_pk_add_f32 v_pk_mov_b32
    s_set_gpr_idx_on s_set_gpr_idx_off s_set_gpr_idx_mode s_set_gpr_idx_idx
    v_accvgpr_read_b32 v_accvgpr_write_b32 v_accvgpr_mov_b32
    v_mfma_f32_32x32x2_f32 v_mfma_f32_16x16x4_f32 v_mfma_f32_32x32x8_f16 v_mfma_f32_16x16x16_f16 v_mfma_f32_32x32x8_bf16
    v_mfma_f32_16x16x16_bf16 v_mfma_f64_16x16x4_f64 v_mfma_i32_32x32x8_i8 v_mfma_i32_16x16x16_i8 v_mfma_i32_32x32x16_i8
    v_mfma_i32_16x16x32_i8 v_wmma_f32_16x16x16_f16 v_wmma_f32_16x16x16_bf16 v_wmma_i32_16x16x16_iu8
    s_sendmsg_rtn_b32 s_sendmsg_rtn_b64
    s_memtime s_gl1_inv s_dcache_inv s_dcache_wb s_dcache_inv_vol s_dcache_wb_vol
    buffer_wbl2 buffer_invl2 buffer_inv buffer_wbinvl1 buffer_wbinvl1_vol
}
