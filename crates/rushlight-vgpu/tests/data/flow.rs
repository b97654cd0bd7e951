// Instructions that need more than a list of operands and a result: branches, masks of lanes, moves between lanes,
// quotients. `%V` is VCC in the wave's size, `%L` begins a label local to the case, s[60:61] and higher registers are
// free.

/// A quotient as compilers emit it: scaled, approximated, refined, scaled back, with special cases fixed.
macro_rules! quotient {
    ($ty:literal, $kind:expr, $d:literal, $n:literal, $r:literal, $q:literal, $e:literal, $one:literal, $a:expr, $b:expr, $value:expr) => {
        Case(
            concat!(
                "v_div_scale_", $ty, " ", $d, ", %V, %2, %2, %1\nv_div_scale_", $ty, " ", $n, ", %V, %1, %2, %1\n",
                "v_rcp_", $ty, " ", $r, ", ", $d, "\nv_fma_", $ty, " ", $e, ", -", $d, ", ", $r, ", ", $one, "\n",
                "v_fma_", $ty, " ", $r, ", ", $e, ", ", $r, ", ", $r, "\nv_fma_", $ty, " ", $e, ", -", $d, ", ", $r, ", ", $one,
                "\nv_fma_", $ty, " ", $r, ", ", $e, ", ", $r, ", ", $r, "\nv_mul_", $ty, " ", $q, ", ", $n, ", ", $r,
                "\nv_fma_", $ty, " ", $e, ", -", $d, ", ", $q, ", ", $n, "\nv_fma_", $ty, " ", $q, ", ", $e, ", ", $r, ", ", $q,
                "\nv_fma_", $ty, " ", $e, ", -", $d, ", ", $q, ", ", $n, "\nv_div_fmas_", $ty, " ", $q, ", ", $e, ", ", $r, ", ",
                $q, "\nv_div_fixup_", $ty, " %0, ", $q, ", %2, %1"
            ),
            $kind,
            &[$kind, $kind],
            [$a, $b, 0],
            $value,
        )
    };
}
macro_rules! single {
    ($a:expr, $b:expr) => {
        quotient!("f32", V, "v50", "v52", "v54", "v56", "v58", "1.0", f($a), f($b), f($a / $b))
    };
}
macro_rules! double {
    ($a:expr, $b:expr) => {
        quotient!("f64", W, "v[50:51]", "v[52:53]", "v[54:55]", "v[56:57]", "v[58:59]", "1.0", d($a), d($b), d($a / $b))
    };
}

const fn tiny(n: u32) -> f32 {
    f32::from_bits(n)
}
const fn least(n: u64) -> f64 {
    f64::from_bits(n)
}

#[rustfmt::skip]
const FLOW: &[Case] = &[
    Case("s_mov_b32 %0, 1\ns_branch %La\ns_mov_b32 %0, 2\n%La:", S, &[], [0, 0, 0], 1),
    // Backwards, too: 3, 6, 9, 12.
    Case("s_mov_b32 %0, 0\n%La:\ns_add_u32 %0, %0, %1\ns_cmp_lt_u32 %0, %2\ns_cbranch_scc1 %La", S, &[S, S], [3, 10, 0], 12),
    Case("s_mov_b32 %0, 1\ns_cmp_eq_u32 %1, %2\ns_cbranch_scc1 %La\ns_mov_b32 %0, 2\n%La:", S, &[S, S], [3, 10, 0], 2),
    Case("s_mov_b32 %0, 1\ns_cmp_eq_u32 %1, %2\ns_cbranch_scc0 %La\ns_mov_b32 %0, 2\n%La:", S, &[S, S], [3, 10, 0], 1),
    Case("s_mov_b32 %0, 1\ns_cmp_eq_u32 %1, %2\ns_cbranch_scc0 %La\ns_mov_b32 %0, 2\n%La:", S, &[S, S], [3, 3, 0], 2),
    Case("s_mov_b32 %0, 1\ns_mov_b64 vcc, %1\ns_cbranch_vccz %La\ns_mov_b32 %0, 2\n%La:", S, &[D], [0, 0, 0], 1),
    Case("s_mov_b32 %0, 1\ns_mov_b64 vcc, %1\ns_cbranch_vccz %La\ns_mov_b32 %0, 2\n%La:", S, &[D], [4, 0, 0], 2),
    Case("s_mov_b32 %0, 1\ns_mov_b64 vcc, %1\ns_cbranch_vccnz %La\ns_mov_b32 %0, 2\n%La:", S, &[D], [0, 0, 0], 2),
    Case("s_mov_b32 %0, 1\ns_mov_b64 vcc, %1\ns_cbranch_vccnz %La\ns_mov_b32 %0, 2\n%La:", S, &[D], [4, 0, 0], 1),
    Case("s_mov_b64 s[60:61], exec\ns_mov_b32 %0, 1\ns_mov_b64 exec, %1\ns_cbranch_execz %La\ns_mov_b32 %0, 2\n%La:\ns_mov_b64 exec, s[60:61]", S, &[D], [0, 0, 0], 1),
    Case("s_mov_b64 s[60:61], exec\ns_mov_b32 %0, 1\ns_mov_b64 exec, %1\ns_cbranch_execz %La\ns_mov_b32 %0, 2\n%La:\ns_mov_b64 exec, s[60:61]", S, &[D], [8, 0, 0], 2),
    Case("s_mov_b64 s[60:61], exec\ns_mov_b32 %0, 1\ns_mov_b64 exec, %1\ns_cbranch_execnz %La\ns_mov_b32 %0, 2\n%La:\ns_mov_b64 exec, s[60:61]", S, &[D], [8, 0, 0], 1),
    Case("s_mov_b64 s[60:61], exec\ns_mov_b32 %0, 1\ns_mov_b64 exec, %1\ns_cbranch_execnz %La\ns_mov_b32 %0, 2\n%La:\ns_mov_b64 exec, s[60:61]", S, &[D], [0, 0, 0], 2),
    // Addresses of code: of the next instruction, to which the code returns.
    Case("s_getpc_b64 s[60:61]\n%La:\ns_add_u32 s60, s60, %Lb-%La\ns_addc_u32 s61, s61, 0\ns_mov_b32 %0, 1\ns_setpc_b64 s[60:61]\ns_mov_b32 %0, 2\n%Lb:", S, &[], [0, 0, 0], 1),
    Case("s_getpc_b64 s[60:61]\n%La:\ns_add_u32 s60, s60, %Lb-%La\ns_addc_u32 s61, s61, 0\ns_swappc_b64 s[62:63], s[60:61]\ns_nop 0\n%Lb:\ns_sub_u32 %0, s60, s62", S, &[], [0, 0, 0], 4),
    Case("s_call_b64 s[62:63], %La\ns_nop 0\n%La:\ns_getpc_b64 s[60:61]\ns_sub_u32 %0, s60, s62", S, &[], [0, 0, 0], 8),
    // Waits and hints, which change nothing.
    Case("s_mov_b32 %0, %1\ns_nop 15\ns_sleep 1\ns_setprio 2\ns_icache_inv\ns_wakeup\ns_sethalt 0\ns_sendmsg sendmsg(MSG_INTERRUPT)\nv_nop", S, &[S], [7, 0, 0], 7),
    // Lanes: lane 5 is checked; EXEC applies to instructions that write vectors, but not to readlane.
    Case("v_mbcnt_lo_u32_b32 v60, -1, 0\nv_readlane_b32 %0, v60, 9", S, &[], [0, 0, 0], 9),
    Case("v_mbcnt_lo_u32_b32 v60, -1, 0\nv_readlane_b32 %0, v60, %1", S, &[S], [70, 0, 0], 6),
    Case("v_mbcnt_lo_u32_b32 v60, -1, 0\ns_mov_b64 s[60:61], exec\ns_mov_b64 exec, 1\nv_readlane_b32 %0, v60, 9\ns_mov_b64 exec, s[60:61]", S, &[], [0, 0, 0], 9),
    Case("v_mbcnt_lo_u32_b32 v60, -1, 0\ns_mov_b64 s[60:61], exec\ns_mov_b64 exec, %1\nv_readfirstlane_b32 %0, v60\ns_mov_b64 exec, s[60:61]", S, &[D], [0xf0, 0, 0], 4),
    Case("v_mbcnt_lo_u32_b32 v60, -1, 3\ns_mov_b64 s[60:61], exec\ns_mov_b64 exec, 0\nv_readfirstlane_b32 %0, v60\ns_mov_b64 exec, s[60:61]", S, &[], [0, 0, 0], 3),
    Case("s_mov_b64 s[60:61], exec\ns_mov_b64 exec, 1\nv_writelane_b32 %0, %1, 5\ns_mov_b64 exec, s[60:61]", V, &[S], [79, 0, 0], 79),
    Case("s_mov_b32 m0, %2\nv_writelane_b32 %0, %1, m0\ns_mov_b32 m0, -1", V, &[S, S], [79, 64 + 5, 0], 79),
    Case("v_mbcnt_lo_u32_b32 %0, %1, %2", V, &[V, V], [0xffff_ffe0, 7, 0], 7),
    Case("v_mbcnt_hi_u32_b32 %0, %1, %2", V, &[V, V], [ONES, ONES, 0], ONES),
    Case("v_mov_b32 v60, 5\nv_mov_b32 v61, %1\nv_swap_b32 v60, v61\nv_lshl_add_u32 %0, v61, 8, v60", V, &[V], [9, 0, 0], 0x509),
    // A mixed fma with the variants of `op_sel`: halves are 1 and 2 (0x3c00, 0x4000) or 3 (0x4200).
    Case("v_fma_mix_f32 %0, %1, %2, %3 op_sel_hi:[1,0,0]", V, &[V, V, V], [0x4000_3c00, f(0.5), f(8.0)], f(8.5)),
    Case("v_fma_mix_f32 %0, %1, %2, %3 op_sel:[1,0,0] op_sel_hi:[1,0,0]", V, &[V, V, V], [0x4000_3c00, f(0.5), f(8.0)], f(9.0)),
    Case("v_fma_mix_f32 %0, %1, %2, %3 op_sel_hi:[0,0,1]", V, &[V, V, V], [f(5.0), f(0.5), 0x4000_3c00], f(3.5)),
    Case("v_fma_mix_f32 %0, %1, %2, %3 op_sel:[0,0,1] op_sel_hi:[0,0,1]", V, &[V, V, V], [f(5.0), f(0.5), 0x4000_3c00], f(4.5)),
    Case("v_fma_mix_f32 %0, %1, %2, %3 op_sel:[1,0,1] op_sel_hi:[1,0,1]", V, &[V, V, V], [0x4200_3c00, f(0.5), 0x4000_3c00], f(3.5)),
    Case("v_fma_mix_f32 %0, %1, %2, %3 op_sel_hi:[1,1,0]", V, &[V, V, V], [0x4000_3c00, 0x4000_4200, f(1.0)], f(4.0)),
    Case("v_fma_mix_f32 %0, -%1, |%2|, %3 op_sel_hi:[1,0,0]", V, &[V, V, V], [0x4000_3c00, f(-0.5), f(8.0)], f(7.5)),
    // Rounded once: 1 + 2^-12 squared, minus 1 + 2^-11; a subnormal half; NaN stays NaN.
    Case("v_fma_mix_f32 %0, %1, %2, %3", V, &[V, V, V], [0x3f80_0800, 0x3f80_0800, 0xbf80_1000], 0x3380_0000),
    Case("v_fma_mix_f32 %0, %1, 1.0, 0 op_sel_hi:[1,0,0]", V, &[V], [0x0001, 0, 0], 0x3380_0000),
    // Quotients are correctly rounded: at both ends of the range, subnormal, of zeros and infinities.
    single!(1.0f32, 3.0), single!(-2.0f32, 3.0), single!(1.0f32, 1.701_411_8e38), single!(3.0f32, 1.701_411_8e38), single!(1.0e-38f32, 3.0), single!(tiny(1), 3.0),
    single!(tiny(5), tiny(3)), single!(3.0f32, tiny(1)), single!(1.0f32, tiny(0x40_0000)), single!(f32::MAX, 3.0), single!(f32::MAX, tiny(1)), single!(f32::MAX, 0.5),
    single!(tiny(0x7f_ffff), f32::MAX), single!(1.3e-20f32, 1.7e20), single!(7.0f32, 1.0e38), single!(f32::MAX, f32::MAX), single!(0.0f32, -3.0), single!(-3.0f32, 0.0),
    single!(f32::INFINITY, -2.0), single!(2.0f32, f32::NEG_INFINITY), single!(1.0e30f32, 1.1), single!(1.1f32, 1.0e30), single!(tiny(0x80_0000), 1.999), single!(tiny(0x80_0003), 2.0),
    double!(1.0, 3.0), double!(-2.0, 3.0), double!(1.0, 8.98e307), double!(3.0, f64::MAX), double!(1.0e-308, 3.0), double!(least(1), 3.0), double!(least(5), least(3)),
    double!(3.0, least(1)), double!(1.0, least(1 << 51)), double!(f64::MAX, 3.0), double!(f64::MAX, least(1)), double!(f64::MAX, 0.5), double!(least((1 << 52) - 1), f64::MAX),
    double!(1.3e-160, 1.7e160), double!(f64::MAX, f64::MAX), double!(0.0, -3.0), double!(-3.0, 0.0), double!(f64::INFINITY, -2.0), double!(2.0, f64::NEG_INFINITY),
    double!(1.0e300, 1.1), double!(1.1, 1.0e300), double!(f64::MIN_POSITIVE, 1.999), double!(least((1 << 52) + 3), 2.0),
    // The first step, which scales the divisor or the dividend by 2^64, depending on the exponents.
    Case("v_div_scale_f32 %0, %V, %2, %2, %1", V, &[V, V], [f(3.0), f(5.0), 0], f(5.0)),
    Case("v_div_scale_f32 %0, %V, %1, %2, %1", V, &[V, V], [f(3.0), f(5.0), 0], f(3.0)),
    Case("v_div_scale_f32 v60, %V, %1, %2, %1\nv_cndmask_b32_e64 %0, 1, 2, %V", V, &[V, V], [f(3.0), f(5.0), 0], 1),
    Case("v_div_scale_f32 %0, %V, %2, %2, %1", V, &[V, V], [0x6f80_0000, f(1.0), 0], 0x5f80_0000),
    Case("v_div_scale_f32 v60, %V, %2, %2, %1\nv_cndmask_b32_e64 %0, 1, 2, %V", V, &[V, V], [0x6f80_0000, f(1.0), 0], 2),
    Case("v_div_scale_f32 v60, %V, %2, %2, %1\nv_cndmask_b32_e64 %0, 1, 2, %V", V, &[V, V], [0x6f00_0000, f(1.0), 0], 1),
    Case("v_div_scale_f32 %0, %V, %1, %2, %1", V, &[V, V], [0x6f80_0000, f(1.0), 0], 0x6f80_0000),
    Case("v_div_scale_f32 %0, %V, %2, %2, %1", V, &[V, V], [0x2180_0000, 0x0040_0000, 0], 0x2000_0000),
    Case("v_div_scale_f32 %0, %V, %1, %2, %1", V, &[V, V], [0x2180_0000, 0x0040_0000, 0], 0x4180_0000),
    Case("v_div_scale_f32 %0, %V, %2, %2, %1", V, &[V, V], [0x5f80_0000, 0x7f00_0000, 0], 0x5f00_0000),
    Case("v_div_scale_f32 %0, %V, %1, %2, %1", V, &[V, V], [0x0b80_0000, f(1.0), 0], 0x2b80_0000),
    Case("v_div_scale_f32 %0, %V, %1, %2, %1", V, &[V, V], [0x0c00_0000, f(1.0), 0], 0x0c00_0000),
    Case("v_div_scale_f32 v60, %V, %1, %2, %1\nv_cmp_u_f32_e64 %V, v60, v60\nv_cndmask_b32_e64 %0, 1, 2, %V", V, &[V, V], [f(1.0), f(-0.0), 0], 2),
    Case("v_div_scale_f64 %0, %V, %2, %2, %1", W, &[W, W], [0x6ff0_0000_0000_0000, d(1.0), 0], 0x47f0_0000_0000_0000),
    Case("v_div_scale_f64 v[60:61], %V, %2, %2, %1\nv_cndmask_b32_e64 %0, 1, 2, %V", V, &[W, W], [0x6ff0_0000_0000_0000, d(1.0), 0], 2),
    Case("v_div_scale_f64 v[60:61], %V, %2, %2, %1\nv_cndmask_b32_e64 %0, 1, 2, %V", V, &[W, W], [0x6fe0_0000_0000_0000, d(1.0), 0], 1),
    Case("v_div_scale_f64 %0, %V, %1, %2, %1", W, &[W, W], [0x0350_0000_0000_0000, d(1.0), 0], 0x0b50_0000_0000_0000),
    // The second last step, without scaling back.
    Case("s_mov_b64 vcc, 0\nv_div_fmas_f32 %0, %1, %2, %3", V, &[V, V, V], [0x3f80_0800, 0x3f80_0800, f(-1.0)], 0x3a00_0400),
    Case("s_mov_b64 vcc, 0\nv_div_fmas_f64 %0, %1, %2, %3", W, &[W, W, W], [d(1.0 + f64::EPSILON), d(1.0 - f64::EPSILON), d(-1.0)], d(-f64::EPSILON * f64::EPSILON)),
];

#[rustfmt::skip]
const FLOW_RDNA3: &[Case] = &[
    // Waves of 32 use half of a mask: the other word does not count.
    Case("s_mov_b32 %0, 1\ns_mov_b64 vcc, %1\ns_cbranch_vccz %La\ns_mov_b32 %0, 2\n%La:", S, &[D], [1 << 40, 0, 0], 1),
    Case("s_mov_b64 s[60:61], exec\ns_mov_b32 %0, 1\ns_mov_b64 exec, %1\ns_cbranch_execz %La\ns_mov_b32 %0, 2\n%La:\ns_mov_b64 exec, s[60:61]", S, &[D], [1 << 40, 0, 0], 1),
    Case("v_mbcnt_lo_u32_b32 v60, -1, 0\nv_readlane_b32 %0, v60, %1", S, &[S], [37, 0, 0], 5),
    Case("s_mov_b32 %0, %1\ns_clause 0x1\ns_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_2)\ns_set_inst_prefetch_distance 0x1\ns_waitcnt_depctr 0xfff", S, &[S], [7, 0, 0], 7),
    Case("s_sendmsg_rtn_b64 s[60:61], sendmsg(MSG_RTN_GET_REALTIME)\ns_sendmsg_rtn_b64 s[62:63], sendmsg(MSG_RTN_GET_REALTIME)\ns_waitcnt lgkmcnt(0)\ns_cmp_lg_u64 s[60:61], s[62:63]\ns_cselect_b32 %0, 1, 2", S, &[], [0, 0, 0], 1),
    Case("v_mov_b32 v62, %1\ns_mov_b32 m0, 2\nv_movrels_b32 %0, v60\ns_mov_b32 m0, -1", V, &[V], [77, 0, 0], 77),
    Case("v_mov_b32 v61, 0\ns_mov_b32 m0, 3\nv_movreld_b32 v58, %1\ns_mov_b32 m0, -1\nv_mov_b32 %0, v61", V, &[V], [78, 0, 0], 78),
    Case("v_mbcnt_lo_u32_b32 v60, -1, 0\nv_permlane16_b32 %0, v60, %1, %2", V, &[S, S], [0x00a0_0000, 0, 0], 10),
    Case("v_mbcnt_lo_u32_b32 v60, -1, 0\nv_permlanex16_b32 %0, v60, %1, %2", V, &[S, S], [0x00a0_0000, 0, 0], 26),
    Case("v_mbcnt_lo_u32_b32 v60, -1, 0\nv_mov_b32_dpp %0, v60 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf", V, &[], [0, 0, 0], 6),
    Case("v_mbcnt_lo_u32_b32 v60, -1, 0\nv_mov_b32_dpp %0, v60 row_ror:2 row_mask:0xf bank_mask:0xf", V, &[], [0, 0, 0], 3),
    Case("v_mbcnt_lo_u32_b32 v60, -1, 0\nv_mov_b32_dpp %0, v60 row_mirror row_mask:0xf bank_mask:0xf", V, &[], [0, 0, 0], 10),
    Case("v_mbcnt_lo_u32_b32 v60, -1, 0\nv_mov_b32_dpp %0, v60 row_xmask:3 row_mask:0xf bank_mask:0xf", V, &[], [0, 0, 0], 6),
    Case("v_mbcnt_lo_u32_b32 v60, -1, 0\nv_mov_b32_dpp %0, v60 dpp8:[7,6,5,4,3,2,1,0]", V, &[], [0, 0, 0], 2),
];

#[rustfmt::skip]
const FLOW_CDNA: &[Case] = &[
    Case("s_mov_b32 %0, 1\ns_mov_b64 vcc, %1\ns_cbranch_vccz %La\ns_mov_b32 %0, 2\n%La:", S, &[D], [1 << 40, 0, 0], 2),
    Case("s_mov_b64 s[60:61], exec\ns_mov_b32 %0, 1\ns_mov_b64 exec, %1\ns_cbranch_execz %La\ns_mov_b32 %0, 2\n%La:\ns_mov_b64 exec, s[60:61]", S, &[D], [1 << 40, 0, 0], 2),
    Case("v_mbcnt_lo_u32_b32 v60, -1, 0\nv_mbcnt_hi_u32_b32 v60, -1, v60\nv_readlane_b32 %0, v60, %1", S, &[S], [37, 0, 0], 37),
    Case("v_mbcnt_hi_u32_b32 v60, %1, %2\nv_readlane_b32 %0, v60, 40", S, &[V, V], [0x0fff_0ff1, 7, 0], 12),
    Case("v_mbcnt_lo_u32_b32 v60, -1, 0\nv_mov_b32_dpp %0, v60 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf", V, &[], [0, 0, 0], 6),
    Case("v_mbcnt_lo_u32_b32 v60, -1, 0\nv_mov_b32_dpp %0, v60 row_ror:2 row_mask:0xf bank_mask:0xf", V, &[], [0, 0, 0], 3),
    Case("v_mbcnt_lo_u32_b32 v60, -1, 0\nv_mov_b32_dpp %0, v60 row_mirror row_mask:0xf bank_mask:0xf", V, &[], [0, 0, 0], 10),
    Case("v_mbcnt_lo_u32_b32 v60, -1, 0\nv_mov_b32_dpp %0, v60 wave_shr:1 row_mask:0xf bank_mask:0xf", V, &[], [0, 0, 0], 4),
    // Bytes and halves, with their signs.
    Case("v_cvt_f32_i32_sdwa %0, sext(%1) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_2", V, &[V], [0x00fe_0000, 0, 0], f(-2.0)),
    Case("v_cvt_f32_ubyte0_sdwa %0, %1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3", V, &[V], [0xfe00_0000, 0, 0], f(254.0)),
    Case("v_lshrrev_b32_sdwa %0, %1, %2 dst_sel:BYTE_3 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD", V, &[V, V], [4, 0x1234, 0], 0x2300_0000),
    Case("v_ashrrev_i32_sdwa %0, %1, sext(%2) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:BYTE_2", V, &[V, V], [0x0002_0000, 0x00f0_0000, 0], 0xffff_fffc),
    Case("v_max_i16_sdwa %0, sext(%1), sext(%2) dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:BYTE_0", V, &[V, V], [0xf0, 0xf8, 0], 0xf800),
    Case("v_xor_b32_sdwa %0, %1, %2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_2 src1_sel:WORD_0", V, &[V, V], [0x11_0000, 0xffff_1234, 0], 0x1225),
    Case("v_cmp_lt_i16_sdwa %0, sext(%1), %2 src0_sel:BYTE_0 src1_sel:DWORD", D, &[V, V], [0x80, 0, 0], u64::MAX),
];

/// A mask operation with EXEC: the new EXEC, and the old EXEC plus the condition code.
macro_rules! masks {
    ($($text:literal $kind:ident $a:literal $exec:literal $after:literal $saved:literal)*) => {
        &[$(
            Case(
                concat!(
                    "s_mov_b64 s[60:61], exec\ns_mov_b64 exec, %2\n", $text, ", %1\ns_mov_b64 %0, exec\n",
                    "s_mov_b64 exec, s[60:61]"
                ),
                D,
                &[$kind, D],
                [$a, $exec, 0],
                $after,
            ),
            Case(
                concat!(
                    "s_mov_b64 s[60:61], exec\ns_mov_b64 s[62:63], 0\ns_mov_b64 exec, %2\n", $text, ", %1\n",
                    "s_cselect_b32 s58, 1, 0\ns_mov_b64 exec, s[60:61]\ns_add_u32 s62, s62, s58\n",
                    "s_mov_b64 %0, s[62:63]"
                ),
                D,
                &[$kind, D],
                [$a, $exec, 0],
                $saved,
            ),
        )*]
    };
}

#[rustfmt::skip]
const MASKS: &[Case] = masks! {
    "s_and_saveexec_b64 s[62:63]" D 0x00ff_00ff_f0f0_ffff 0x0f0f_3333_5555_ff00 0x000f_0033_5050_ff00 0x0f0f_3333_5555_ff01
    "s_and_saveexec_b64 s[62:63]" D 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff01
    "s_and_saveexec_b64 s[62:63]" D 0xf0f0_cccc_aaaa_00ff 0x0f0f_3333_5555_ff00 0x0000_0000_0000_0000 0x0f0f_3333_5555_ff00
    "s_and_saveexec_b64 s[62:63]" D 0x0000_0000_0000_0000 0x0f0f_3333_5555_ff00 0x0000_0000_0000_0000 0x0f0f_3333_5555_ff00
    "s_or_saveexec_b64 s[62:63]" D 0x00ff_00ff_f0f0_ffff 0x0f0f_3333_5555_ff00 0x0fff_33ff_f5f5_ffff 0x0f0f_3333_5555_ff01
    "s_or_saveexec_b64 s[62:63]" D 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff01
    "s_or_saveexec_b64 s[62:63]" D 0xf0f0_cccc_aaaa_00ff 0x0f0f_3333_5555_ff00 0xffff_ffff_ffff_ffff 0x0f0f_3333_5555_ff01
    "s_or_saveexec_b64 s[62:63]" D 0x0000_0000_0000_0000 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff01
    "s_xor_saveexec_b64 s[62:63]" D 0x00ff_00ff_f0f0_ffff 0x0f0f_3333_5555_ff00 0x0ff0_33cc_a5a5_00ff 0x0f0f_3333_5555_ff01
    "s_xor_saveexec_b64 s[62:63]" D 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff00 0x0000_0000_0000_0000 0x0f0f_3333_5555_ff00
    "s_xor_saveexec_b64 s[62:63]" D 0xf0f0_cccc_aaaa_00ff 0x0f0f_3333_5555_ff00 0xffff_ffff_ffff_ffff 0x0f0f_3333_5555_ff01
    "s_xor_saveexec_b64 s[62:63]" D 0x0000_0000_0000_0000 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff01
};

#[rustfmt::skip]
const MASKS_CDNA: &[Case] = masks! {
    "s_andn1_saveexec_b64 s[62:63]" D 0x00ff_00ff_f0f0_ffff 0x0f0f_3333_5555_ff00 0x0f00_3300_0505_0000 0x0f0f_3333_5555_ff01
    "s_andn1_saveexec_b64 s[62:63]" D 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff00 0x0000_0000_0000_0000 0x0f0f_3333_5555_ff00
    "s_andn1_saveexec_b64 s[62:63]" D 0xf0f0_cccc_aaaa_00ff 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff01
    "s_andn1_saveexec_b64 s[62:63]" D 0x0000_0000_0000_0000 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff01
    "s_orn1_saveexec_b64 s[62:63]" D 0x00ff_00ff_f0f0_ffff 0x0f0f_3333_5555_ff00 0xff0f_ff33_5f5f_ff00 0x0f0f_3333_5555_ff01
    "s_orn1_saveexec_b64 s[62:63]" D 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff00 0xffff_ffff_ffff_ffff 0x0f0f_3333_5555_ff01
    "s_orn1_saveexec_b64 s[62:63]" D 0xf0f0_cccc_aaaa_00ff 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff01
    "s_orn1_saveexec_b64 s[62:63]" D 0x0000_0000_0000_0000 0x0f0f_3333_5555_ff00 0xffff_ffff_ffff_ffff 0x0f0f_3333_5555_ff01
    "s_andn2_saveexec_b64 s[62:63]" D 0x00ff_00ff_f0f0_ffff 0x0f0f_3333_5555_ff00 0x00f0_00cc_a0a0_00ff 0x0f0f_3333_5555_ff01
    "s_andn2_saveexec_b64 s[62:63]" D 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff00 0x0000_0000_0000_0000 0x0f0f_3333_5555_ff00
    "s_andn2_saveexec_b64 s[62:63]" D 0xf0f0_cccc_aaaa_00ff 0x0f0f_3333_5555_ff00 0xf0f0_cccc_aaaa_00ff 0x0f0f_3333_5555_ff01
    "s_andn2_saveexec_b64 s[62:63]" D 0x0000_0000_0000_0000 0x0f0f_3333_5555_ff00 0x0000_0000_0000_0000 0x0f0f_3333_5555_ff00
    "s_orn2_saveexec_b64 s[62:63]" D 0x00ff_00ff_f0f0_ffff 0x0f0f_3333_5555_ff00 0xf0ff_ccff_fafa_ffff 0x0f0f_3333_5555_ff01
    "s_orn2_saveexec_b64 s[62:63]" D 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff00 0xffff_ffff_ffff_ffff 0x0f0f_3333_5555_ff01
    "s_orn2_saveexec_b64 s[62:63]" D 0xf0f0_cccc_aaaa_00ff 0x0f0f_3333_5555_ff00 0xf0f0_cccc_aaaa_00ff 0x0f0f_3333_5555_ff01
    "s_orn2_saveexec_b64 s[62:63]" D 0x0000_0000_0000_0000 0x0f0f_3333_5555_ff00 0xf0f0_cccc_aaaa_00ff 0x0f0f_3333_5555_ff01
};

#[rustfmt::skip]
const MASKS_RDNA3: &[Case] = masks! {
    "s_and_not0_saveexec_b64 s[62:63]" D 0x00ff_00ff_f0f0_ffff 0x0f0f_3333_5555_ff00 0x0f00_3300_0505_0000 0x0f0f_3333_5555_ff01
    "s_and_not0_saveexec_b64 s[62:63]" D 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff00 0x0000_0000_0000_0000 0x0f0f_3333_5555_ff00
    "s_and_not0_saveexec_b64 s[62:63]" D 0xf0f0_cccc_aaaa_00ff 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff01
    "s_and_not0_saveexec_b64 s[62:63]" D 0x0000_0000_0000_0000 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff01
    "s_or_not0_saveexec_b64 s[62:63]" D 0x00ff_00ff_f0f0_ffff 0x0f0f_3333_5555_ff00 0xff0f_ff33_5f5f_ff00 0x0f0f_3333_5555_ff01
    "s_or_not0_saveexec_b64 s[62:63]" D 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff00 0xffff_ffff_ffff_ffff 0x0f0f_3333_5555_ff01
    "s_or_not0_saveexec_b64 s[62:63]" D 0xf0f0_cccc_aaaa_00ff 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff01
    "s_or_not0_saveexec_b64 s[62:63]" D 0x0000_0000_0000_0000 0x0f0f_3333_5555_ff00 0xffff_ffff_ffff_ffff 0x0f0f_3333_5555_ff01
    "s_and_not1_saveexec_b64 s[62:63]" D 0x00ff_00ff_f0f0_ffff 0x0f0f_3333_5555_ff00 0x00f0_00cc_a0a0_00ff 0x0f0f_3333_5555_ff01
    "s_and_not1_saveexec_b64 s[62:63]" D 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff00 0x0000_0000_0000_0000 0x0f0f_3333_5555_ff00
    "s_and_not1_saveexec_b64 s[62:63]" D 0xf0f0_cccc_aaaa_00ff 0x0f0f_3333_5555_ff00 0xf0f0_cccc_aaaa_00ff 0x0f0f_3333_5555_ff01
    "s_and_not1_saveexec_b64 s[62:63]" D 0x0000_0000_0000_0000 0x0f0f_3333_5555_ff00 0x0000_0000_0000_0000 0x0f0f_3333_5555_ff00
    "s_or_not1_saveexec_b64 s[62:63]" D 0x00ff_00ff_f0f0_ffff 0x0f0f_3333_5555_ff00 0xf0ff_ccff_fafa_ffff 0x0f0f_3333_5555_ff01
    "s_or_not1_saveexec_b64 s[62:63]" D 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff00 0xffff_ffff_ffff_ffff 0x0f0f_3333_5555_ff01
    "s_or_not1_saveexec_b64 s[62:63]" D 0xf0f0_cccc_aaaa_00ff 0x0f0f_3333_5555_ff00 0xf0f0_cccc_aaaa_00ff 0x0f0f_3333_5555_ff01
    "s_or_not1_saveexec_b64 s[62:63]" D 0x0000_0000_0000_0000 0x0f0f_3333_5555_ff00 0xf0f0_cccc_aaaa_00ff 0x0f0f_3333_5555_ff01
    "s_and_saveexec_b32 s62" S 0x00ff_00ff_f0f0_ffff 0x0f0f_3333_5555_ff00 0x0f0f_3333_5050_ff00 0x0000_0000_5555_ff01
    "s_and_saveexec_b32 s62" S 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff00 0x0000_0000_5555_ff01
    "s_and_saveexec_b32 s62" S 0xf0f0_cccc_aaaa_00ff 0x0f0f_3333_5555_ff00 0x0f0f_3333_0000_0000 0x0000_0000_5555_ff00
    "s_and_saveexec_b32 s62" S 0x0000_0000_0000_0000 0x0f0f_3333_5555_ff00 0x0f0f_3333_0000_0000 0x0000_0000_5555_ff00
    "s_or_saveexec_b32 s62" S 0x00ff_00ff_f0f0_ffff 0x0f0f_3333_5555_ff00 0x0f0f_3333_f5f5_ffff 0x0000_0000_5555_ff01
    "s_or_saveexec_b32 s62" S 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff00 0x0000_0000_5555_ff01
    "s_or_saveexec_b32 s62" S 0xf0f0_cccc_aaaa_00ff 0x0f0f_3333_5555_ff00 0x0f0f_3333_ffff_ffff 0x0000_0000_5555_ff01
    "s_or_saveexec_b32 s62" S 0x0000_0000_0000_0000 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff00 0x0000_0000_5555_ff01
    "s_xor_saveexec_b32 s62" S 0x00ff_00ff_f0f0_ffff 0x0f0f_3333_5555_ff00 0x0f0f_3333_a5a5_00ff 0x0000_0000_5555_ff01
    "s_xor_saveexec_b32 s62" S 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff00 0x0f0f_3333_0000_0000 0x0000_0000_5555_ff00
    "s_xor_saveexec_b32 s62" S 0xf0f0_cccc_aaaa_00ff 0x0f0f_3333_5555_ff00 0x0f0f_3333_ffff_ffff 0x0000_0000_5555_ff01
    "s_xor_saveexec_b32 s62" S 0x0000_0000_0000_0000 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff00 0x0000_0000_5555_ff01
    "s_and_not0_saveexec_b32 s62" S 0x00ff_00ff_f0f0_ffff 0x0f0f_3333_5555_ff00 0x0f0f_3333_0505_0000 0x0000_0000_5555_ff01
    "s_and_not0_saveexec_b32 s62" S 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff00 0x0f0f_3333_0000_0000 0x0000_0000_5555_ff00
    "s_and_not0_saveexec_b32 s62" S 0xf0f0_cccc_aaaa_00ff 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff00 0x0000_0000_5555_ff01
    "s_and_not0_saveexec_b32 s62" S 0x0000_0000_0000_0000 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff00 0x0000_0000_5555_ff01
    "s_or_not0_saveexec_b32 s62" S 0x00ff_00ff_f0f0_ffff 0x0f0f_3333_5555_ff00 0x0f0f_3333_5f5f_ff00 0x0000_0000_5555_ff01
    "s_or_not0_saveexec_b32 s62" S 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff00 0x0f0f_3333_ffff_ffff 0x0000_0000_5555_ff01
    "s_or_not0_saveexec_b32 s62" S 0xf0f0_cccc_aaaa_00ff 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff00 0x0000_0000_5555_ff01
    "s_or_not0_saveexec_b32 s62" S 0x0000_0000_0000_0000 0x0f0f_3333_5555_ff00 0x0f0f_3333_ffff_ffff 0x0000_0000_5555_ff01
    "s_and_not1_saveexec_b32 s62" S 0x00ff_00ff_f0f0_ffff 0x0f0f_3333_5555_ff00 0x0f0f_3333_a0a0_00ff 0x0000_0000_5555_ff01
    "s_and_not1_saveexec_b32 s62" S 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff00 0x0f0f_3333_0000_0000 0x0000_0000_5555_ff00
    "s_and_not1_saveexec_b32 s62" S 0xf0f0_cccc_aaaa_00ff 0x0f0f_3333_5555_ff00 0x0f0f_3333_aaaa_00ff 0x0000_0000_5555_ff01
    "s_and_not1_saveexec_b32 s62" S 0x0000_0000_0000_0000 0x0f0f_3333_5555_ff00 0x0f0f_3333_0000_0000 0x0000_0000_5555_ff00
    "s_or_not1_saveexec_b32 s62" S 0x00ff_00ff_f0f0_ffff 0x0f0f_3333_5555_ff00 0x0f0f_3333_fafa_ffff 0x0000_0000_5555_ff01
    "s_or_not1_saveexec_b32 s62" S 0x0f0f_3333_5555_ff00 0x0f0f_3333_5555_ff00 0x0f0f_3333_ffff_ffff 0x0000_0000_5555_ff01
    "s_or_not1_saveexec_b32 s62" S 0xf0f0_cccc_aaaa_00ff 0x0f0f_3333_5555_ff00 0x0f0f_3333_aaaa_00ff 0x0000_0000_5555_ff01
    "s_or_not1_saveexec_b32 s62" S 0x0000_0000_0000_0000 0x0f0f_3333_5555_ff00 0x0f0f_3333_aaaa_00ff 0x0000_0000_5555_ff01
};
