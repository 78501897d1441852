; Floating point in scalar registers. The high half of a half-precision result is zero.
;! by spec, pseudocode of the RDNA 3.5 and RDNA 4 manuals, SOP1, SOP2 and SOPC; sums and products by hand

;! target gfx1150 gfx1201
s_add_f32 s0, s4, s6  ;! in s4 = f32[1.5]  ;! in s6 = f32[2.25]  ;= s0 = f32[3.75]
s_sub_f32 s0, 1.0, s4  ;! in s4 = f32[1.5]  ;= s0 = f32[-0.5]
; One and half a unit in the last place rounds to even.
s_add_f32 s0, s4, s6  ;! in s4 = u32[0x3f800001]  ;! in s6 = u32[0x33800000]  ;= s0 = u32[0x3f800002]
; Toward zero: MODE.round for singles is 3.

;! in s4 = u32[0x3f800001]
;! in s6 = u32[0x33800000]
s_round_mode 0x3
s_add_f32 s0, s4, s6
;= s0 = u32[0x3f800001]

; Singles flush denormals in and out.

;! in s4 = u32[0x00400000]
s_denorm_mode 0xc
s_add_f32 s0, s4, s4
s_mul_f32 s1, s4, 4.0
;= s0 = u32[0]
;= s1 = u32[0]

s_add_f32 s0, s4, s4  ;! in s4 = u32[0x00400000]  ;= s0 = u32[0x00800000]
s_mul_f32 s0, s4, s6  ;! in s4 = f32[3.0]  ;! in s6 = f32[-7.0]  ;= s0 = f32[-21.0]
s_fmac_f32 s0, s4, s6  ;! in s4 = f32[3.0]  ;! in s6 = f32[-7.0]  ;! in s0 = f32[2.0]  ;= s0 = f32[-19.0]

;! in s4 = f32[3.0]
;! in s6 = f32[-7.0]
s_fmaak_f32 s0, s4, s6, 0x42c80000
s_fmamk_f32 s1, s4, 0x42c80000, s6
;= s0 = f32[79.0]
;= s1 = f32[293.0]

; One rounding: (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24.
s_fmac_f32 s0, s4, s4  ;! in s4 = u32[0x3f800800]  ;! in s0 = u32[0xbf801000]  ;= s0 = u32[0x33800000]

;! in s4 = f32[-2.5]
s_floor_f32 s0, s4
s_ceil_f32 s1, s4
s_trunc_f32 s2, s4
s_rndne_f32 s3, s4
;= s0 = f32[-3.0]
;= s1 = f32[-2.0]
;= s2 = f32[-2.0]
;= s3 = f32[-2.0]

;! in s4 = u32[0xfffffff9]
s_cvt_f32_i32 s0, s4
s_cvt_f32_u32 s1, s4
;= s0 = f32[-7.0]
;= s1 = u32[0x4f800000]

; 2^24 + 1 is between two singles.

;! in s4 = u32[0x01000001]
s_cvt_f32_i32 s0, s4
s_round_mode 0x1
s_cvt_f32_i32 s1, s4
;= s0 = u32[0x4b800000]
;= s1 = u32[0x4b800001]

;! in s4 = f32[-2.75]
;! in s6 = f32[3e9]
s_cvt_i32_f32 s0, s4
s_cvt_u32_f32 s1, s4
s_cvt_i32_f32 s2, s6
s_cvt_u32_f32 s3, s6
;= s0 = u32[0xfffffffe]
;= s1 = u32[0]
;= s2 = u32[0x7fffffff]
;= s3 = u32[0xb2d05e00]

s_cvt_f16_f32 s0, s4  ;! in s4 = f32[-2.75]  ;= s0 = u32[0xc180]

;! in s4 = u32[0xc1803c00]
s_cvt_f32_f16 s0, s4
s_cvt_hi_f32_f16 s1, s4
;= s0 = f32[1.0]
;= s1 = f32[-2.75]

; Toward zero whatever MODE says: 65535 stays finite, 1 + 2^-11 is cut.

;! in s4 = f32[65535.0]
;! in s6 = u32[0x3f801000]
s_round_mode 0xf
s_cvt_pk_rtz_f16_f32 s0, s4, s6
s_round_mode 0x0
s_cvt_pk_rtz_f16_f32 s1, s4, s6
;= s0 = u32[0x3c007bff]
;= s1 = u32[0x3c007bff]

; Halves: 1.5, 2.25, -7 and 3.

;! in s4 = u32[0xdead3e00]
;! in s6 = u32[0xbeef4080]
s_add_f16 s0, s4, s6
s_sub_f16 s1, s4, s6
s_mul_f16 s2, s4, s6
s_add_f16 s3, s4, 1.0
;= s0 = u32[0x4380]
;= s1 = u32[0xba00]
;= s2 = u32[0x42c0]
;= s3 = u32[0x4100]

s_fmac_f16 s0, s4, s6  ;! in s4 = u32[0xc700]  ;! in s6 = u32[0x4200]  ;! in s0 = u32[0xffff4000]  ;= s0 = u32[0xccc0]

;! in s4 = u32[0xffffc100]
s_floor_f16 s0, s4
s_ceil_f16 s1, s4
s_trunc_f16 s2, s4
s_rndne_f16 s3, s4
;= s0 = u32[0xc200]
;= s1 = u32[0xc000]
;= s2 = u32[0xc000]
;= s3 = u32[0xc000]

; Half overflow, and what FP16_OVFL (MODE bit 23) makes of it.

;! in s4 = u32[0x7bff]
s_add_f16 s0, s4, s4
s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1
s_add_f16 s1, s4, s4
;= s0 = u32[0x7c00]
;= s1 = u32[0x7bff]

; Comparisons: ordered, equal (zeros of both signs) and unordered operands.

;! in s4 = f32[1.0]
;! in s6 = f32[2.0]
s_cmp_lt_f32 s4, s6
s_cselect_b32 s0, 1, 0
s_cmp_eq_f32 s4, s6
s_cselect_b32 s1, 1, 0
s_cmp_le_f32 s4, s6
s_cselect_b32 s2, 1, 0
s_cmp_gt_f32 s4, s6
s_cselect_b32 s3, 1, 0
s_cmp_lg_f32 s4, s6
s_cselect_b32 s8, 1, 0
s_cmp_ge_f32 s4, s6
s_cselect_b32 s9, 1, 0
s_cmp_o_f32 s4, s6
s_cselect_b32 s10, 1, 0
s_cmp_u_f32 s4, s6
s_cselect_b32 s11, 1, 0
s_cmp_nge_f32 s4, s6
s_cselect_b32 s12, 1, 0
s_cmp_nlg_f32 s4, s6
s_cselect_b32 s13, 1, 0
s_cmp_ngt_f32 s4, s6
s_cselect_b32 s14, 1, 0
s_cmp_nle_f32 s4, s6
s_cselect_b32 s15, 1, 0
s_cmp_neq_f32 s4, s6
s_cselect_b32 s16, 1, 0
s_cmp_nlt_f32 s4, s6
s_cselect_b32 s17, 1, 0
;= scc = u32[0]
;= s0 = u32[1]
;= s1 = u32[0]
;= s2 = u32[1]
;= s3 = u32[0]
;= s8 = u32[1]
;= s9 = u32[0]
;= s10 = u32[1]
;= s11 = u32[0]
;= s12 = u32[1]
;= s13 = u32[0]
;= s14 = u32[1]
;= s15 = u32[0]
;= s16 = u32[1]
;= s17 = u32[0]

;! in s4 = u32[0x80000000]
;! in s6 = u32[0x7fc00000]
s_cmp_eq_f32 s4, 0
s_cselect_b32 s0, 1, 0
s_cmp_lt_f32 s4, 0
s_cselect_b32 s1, 1, 0
s_cmp_eq_f32 s6, s6
s_cselect_b32 s2, 1, 0
s_cmp_u_f32 s4, s6
s_cselect_b32 s3, 1, 0
s_cmp_lg_f32 s4, s6
s_cselect_b32 s8, 1, 0
s_cmp_neq_f32 s4, s6
s_cselect_b32 s9, 1, 0
s_cmp_nlt_f32 s4, s6
s_cselect_b32 s10, 1, 0
s_cmp_o_f32 s4, s6
;= scc = u32[0]
;= s0 = u32[1]
;= s1 = u32[0]
;= s2 = u32[0]
;= s3 = u32[1]
;= s8 = u32[0]
;= s9 = u32[1]
;= s10 = u32[1]

; Halves, with other bits above.

;! in s4 = u32[0x12343c00]
;! in s6 = u32[0x56784000]
s_cmp_lt_f16 s4, s6
s_cselect_b32 s0, 1, 0
s_cmp_eq_f16 s4, s6
s_cselect_b32 s1, 1, 0
s_cmp_le_f16 s4, s6
s_cselect_b32 s2, 1, 0
s_cmp_gt_f16 s4, s6
s_cselect_b32 s3, 1, 0
s_cmp_lg_f16 s4, s6
s_cselect_b32 s8, 1, 0
s_cmp_ge_f16 s4, s6
s_cselect_b32 s9, 1, 0
s_cmp_o_f16 s4, s6
s_cselect_b32 s10, 1, 0
s_cmp_u_f16 s4, s6
s_cselect_b32 s11, 1, 0
s_cmp_nge_f16 s4, s6
s_cselect_b32 s12, 1, 0
s_cmp_nlg_f16 s4, s6
s_cselect_b32 s13, 1, 0
s_cmp_ngt_f16 s4, s6
s_cselect_b32 s14, 1, 0
s_cmp_nle_f16 s4, s6
s_cselect_b32 s15, 1, 0
s_cmp_neq_f16 s4, s6
s_cselect_b32 s16, 1, 0
s_cmp_nlt_f16 s4, s6
s_cselect_b32 s17, 1, 0
;= scc = u32[0]
;= s0 = u32[1]
;= s1 = u32[0]
;= s2 = u32[1]
;= s3 = u32[0]
;= s8 = u32[1]
;= s9 = u32[0]
;= s10 = u32[1]
;= s11 = u32[0]
;= s12 = u32[1]
;= s13 = u32[0]
;= s14 = u32[1]
;= s15 = u32[0]
;= s16 = u32[1]
;= s17 = u32[0]

; gfx11.5: a signalling NaN wins (MODE.ieee is on), a quiet one loses; -0 is below +0.
;! target gfx1150
;! in s4 = f32[1.0]
;! in s6 = f32[-2.0]
;! in s8 = u32[0x7f800001]
;! in s10 = u32[0x7fc00000]
;! in s12 = u32[0x80000000]
s_min_f32 s0, s4, s6
s_max_f32 s1, s4, s6
s_min_f32 s2, s4, s8
s_max_f32 s3, s10, s4
s_min_f32 s14, 0, s12
s_max_f32 s15, s12, 0
;= s0 = f32[-2.0]
;= s1 = f32[1.0]
;= s2 = u32[0x7fc00001]
;= s3 = f32[1.0]
;= s14 = u32[0x80000000]
;= s15 = u32[0]

;! in s4 = u32[0xaaaa3c00]
;! in s6 = u32[0xbbbbc000]
;! in s8 = u32[0x7c01]
;! in s10 = u32[0x7e00]
s_min_f16 s0, s4, s6
s_max_f16 s1, s4, s6
s_min_f16 s2, s4, s8
s_max_f16 s3, s10, s4
;= s0 = u32[0xc000]
;= s1 = u32[0x3c00]
;= s2 = u32[0x7e01]
;= s3 = u32[0x3c00]

; gfx12: numbers win in `_num`, NaNs win in minimum and maximum, signalling ones first.
;! target gfx1200 gfx1201
;! in s4 = f32[1.0]
;! in s6 = f32[-2.0]
;! in s8 = u32[0x7f800001]
;! in s10 = u32[0xffc00005]
;! in s12 = u32[0x80000000]
s_min_num_f32 s0, s4, s6
s_max_num_f32 s1, s4, s6
s_min_num_f32 s2, s4, s8
s_max_num_f32 s3, s8, s10
s_minimum_f32 s14, s4, s6
s_maximum_f32 s15, s4, s6
s_minimum_f32 s16, s10, s8
s_maximum_f32 s17, s4, s10
s_minimum_f32 s18, 0, s12
s_maximum_f32 s19, s12, 0
;= s0 = f32[-2.0]
;= s1 = f32[1.0]
;= s2 = f32[1.0]
;= s3 = u32[0x7fc00001]
;= s14 = f32[-2.0]
;= s15 = f32[1.0]
;= s16 = u32[0x7fc00001]
;= s17 = u32[0xffc00005]
;= s18 = u32[0x80000000]
;= s19 = u32[0]

;! in s4 = u32[0xaaaa3c00]
;! in s6 = u32[0xbbbbc000]
;! in s8 = u32[0x7c01]
;! in s10 = u32[0xfe05]
s_min_num_f16 s0, s4, s6
s_max_num_f16 s1, s4, s6
s_min_num_f16 s2, s4, s8
s_max_num_f16 s3, s8, s10
s_minimum_f16 s14, s4, s6
s_maximum_f16 s15, s4, s6
s_minimum_f16 s16, s10, s8
s_maximum_f16 s17, s4, s10
;= s0 = u32[0xc000]
;= s1 = u32[0x3c00]
;= s2 = u32[0x3c00]
;= s3 = u32[0x7e01]
;= s14 = u32[0xc000]
;= s15 = u32[0x3c00]
;= s16 = u32[0x7e01]
;= s17 = u32[0xfe05]

; Functions of one scalar, whatever EXEC is. Exact results only.

;! exec 0x0
;! in s4 = f32[3.0]
;! in s6 = f32[0.25]
v_s_exp_f32 s0, s4
v_s_log_f32 s1, s6
v_s_rcp_f32 s2, -s6
v_s_rsq_f32 s3, s6
v_s_sqrt_f32 s8, |s6|
v_s_exp_f32 s9, s4 clamp
;= s0 = f32[8.0]
;= s1 = f32[-2.0]
;= s2 = f32[-4.0]
;= s3 = f32[2.0]
;= s8 = f32[0.5]
;= s9 = f32[1.0]

;! in s4 = u32[0xffff4200]
;! in s6 = u32[0x3400]
v_s_exp_f16 s0, s4
v_s_log_f16 s1, s6
v_s_rcp_f16 s2, -s6
v_s_rsq_f16 s3, s6
v_s_sqrt_f16 s8, |s6|
;= s0 = u32[0x4800]
;= s1 = u32[0xc000]
;= s2 = u32[0xc400]
;= s3 = u32[0x4000]
;= s8 = u32[0x3800]
