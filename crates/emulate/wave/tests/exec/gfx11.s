; What gfx11 added: halves of registers as operands, logic on them, minima of maxima, VOPD, messages with an answer.
;! by spec, worked out by hand from the pseudocode of the RDNA3 and RDNA3.5 manuals

;! target gfx1100
;! given in v0 = u32[0xaaaa5555]
;! given in v4 = u32[0x12345678]
;! given in v8 = u32[0xff0f00f]
v_and_b16 v0.l, v4.l, v8.l  ;= v0 = u32[0xaaaa5008]
v_and_b16 v0.h, v4.l, v8.h  ;= v0 = u32[0x6705555]
v_or_b16 v0.l, v4.l, v8.l  ;= v0 = u32[0xaaaaf67f]
v_or_b16 v0.h, v4.l, v8.h  ;= v0 = u32[0x5ff85555]
v_xor_b16 v0.l, v4.l, v8.l  ;= v0 = u32[0xaaaaa677]
v_xor_b16 v0.h, v4.l, v8.h  ;= v0 = u32[0x59885555]
;! given
;! given in v0 = u32[0xaaaa5555]
;! given in v4 = u32[0x12345678]
v_not_b16_e32 v0.h, v4.h  ;= v0 = u32[0xedcb5555]
v_not_b16_e64 v0.l, v4.h  ;= v0 = u32[0xaaaaedcb]
v_mov_b16_e32 v0.h, v4.l  ;= v0 = u32[0x56785555]
;! given
;! given in v0 = u32[0xaaaa5555]
v_mov_b16_e32 v0.l, v0.h  ;= v0 = u32[0xaaaaaaaa]
v_mov_b16_e64 v0.l, v4.h  ;! in v4 = u32[0x12345678]  ;= v0 = u32[0xaaaa1234]
v_mov_b16_e32 v0.l, 0x1234  ;= v0 = u32[0xaaaa1234]
v_swap_b16 v0.l, v4.h  ;! in v4 = u32[0x12345678]  ;= v0 = u32[0xaaaa1234]  ;= v4 = u32[0x55555678]
v_swap_b16 v0.l, v0.h  ;= v0 = u32[0x5555aaaa]

;! given in v4 = u32[0x80017fff]
v_cvt_i32_i16_e32 v0, v4.h  ;= v0 = u32[0xffff8001]
v_cvt_i32_i16_e32 v0, v4.l  ;= v0 = u32[0x7fff]
v_cvt_u32_u16_e32 v0, v4.h  ;= v0 = u32[0x8001]
v_cvt_u32_u16_e64 v0, v4.h  ;= v0 = u32[0x8001]
;! given
;! given in v4 = u32[0x3e00c000]
v_cvt_f32_f16_e32 v0, v4.h  ;= v0 = u32[0x3fc00000]
v_cvt_f32_f16_e64 v0, -v4.h  ;= v0 = u32[0xbfc00000]
;! given
;! given in v0 = u32[0xaaaa5555]
v_cvt_f16_f32_e32 v0.h, v4  ;! in v4 = u32[0x3f400000]  ;= v0 = u32[0x3a005555]

;! given in v4 = u32[0x3e004200]
;! given in v8 = u32[0xc4003400]
v_add_f16_e32 v0.h, v4.l, v8.h  ;= v0 = u32[0xbc005555]
v_mul_f16_e32 v0.l, v4.h, v8.l  ;= v0 = u32[0xaaaa3600]
v_add_f16_e64 v0.h, v4.l, -v8.h  ;= v0 = u32[0x47005555]
;! given
;! given in v0 = u32[0x40004880]
;! given in v4 = u32[0x3e004200]
;! given in v8 = u32[0xc4003400]
v_fmac_f16_e32 v0.h, v4.l, v8.h  ;= v0 = u32[0xc9004880]
v_fmac_f16_e64 v0.h, v4.l, v8.h  ;= v0 = u32[0xc9004880]
;! given
;! given in v0 = u32[0xaaaa5555]
;! given in v4 = u32[0x3e004200]
;! given in v8 = u32[0xc4003400]
v_fmamk_f16 v0.h, v4.l, 0x4000, v8.h  ;= v0 = u32[0x40005555]
v_fmaak_f16 v0.l, v4.h, v8.l, 0x4000  ;= v0 = u32[0xaaaa40c0]
;! given
v_ldexp_f16_e32 v0.l, v4.h, v8.h  ;! in v0 = u32[0xaaaa5555]  ;! in v4 = u32[0x3e004200]  ;! in v8 = u32[0x29999]  ;= v0 = u32[0xaaaa4600]
;! target gfx1100/32
v_cmp_lt_f16_e32 vcc_lo, v4.h, v8.l  ;! in v4 = u32[0x3c004500, 0x45003c00]  ;! in v8 = u32[0x4000]  ;= vcc = u64[0x55555555]
v_cmp_class_f16_e32 vcc_lo, v4.h, v8.h  ;! in v4 = u32[0x7c004500, 0x45007c00]  ;! in v8 = u32[0x2000003]  ;= vcc = u64[0x55555555]
;! target gfx1100
;! target gfx1100/64
v_cmp_eq_u16_e64 s[4:5], v4.h, v8.l  ;! in v4 = u32[0x70001, 0x10007]  ;! in v8 = u32[0x7]  ;= s[4:5] = u64[0x5555555555555555]
;! target gfx1100
v_pack_b32_f16 v0, v4.h, v8.l  ;! in v4 = u32[0x3e004200]  ;! in v8 = u32[0xc4003400]  ;= v0 = u32[0x34003e00]
v_mad_u16 v0.h, v4.h, v8.l, v12.h  ;! in v0 = u32[0xaaaa5555]  ;! in v4 = u32[0x30005]  ;! in v8 = u32[0x7000b]  ;! in v12 = u32[0xd0011]  ;= v0 = u32[0x2e5555]
v_sat_pk_u8_i16_e32 v0.h, v4  ;! in v0 = u32[0xaaaa5555]  ;! in v4 = u32[0x123fff0]  ;= v0 = u32[0xff005555]
;! target gfx1100/64
v_cndmask_b16 v0.h, v4.l, v8.h, s[4:5]  ;! in v0 = u32[0xaaaa5555]  ;! in v4 = u32[0x12345678]  ;! in v8 = u32[0xff0f00f]  ;! in s[4:5] = u64[0xaaaaaaaaaaaaaaaa]  ;= v0 = u32[0x56785555, 0xff05555]
;! target gfx1100/32
v_cndmask_b16 v0.l, v4.h, v8.l, s4  ;! in v0 = u32[0xaaaa5555]  ;! in v4 = u32[0x12345678]  ;! in v8 = u32[0xff0f00f]  ;! in s4 = u32[0xaaaaaaaa]  ;= v0 = u32[0xaaaa1234, 0xaaaaf00f]
;! target gfx1100
;! in v4 = u32[0x3f800000, 0x3f800000, 0xc0e00000, 0x41100000]
;! in v8 = u32[0x40a00000, 0x40000000, 0x40900000, 0x41000000]
;! in v12 = u32[0x40400000, 0x40400000, 0x40800000, 0xbf800000]
v_maxmin_f32 v0, v4, v8, v12  ;= v0 = u32[0x40400000, 0x40000000, 0x40800000, 0xbf800000]

;! in v4 = u32[0x3f800000, 0x3f800000, 0xc0e00000, 0x41100000]
;! in v8 = u32[0x40a00000, 0x40000000, 0x40900000, 0x41000000]
;! in v12 = u32[0x40400000, 0x40400000, 0x40800000, 0xbf800000]
v_maxmin_f32 v0, v4, -|v8|, v12  ;= v0 = u32[0x3f800000, 0x3f800000, 0xc0900000, 0xbf800000]

;! in v0 = u32[0xaaaa5555]
;! in v4 = u32[0x3c00, 0x3c00, 0xc700, 0x4880]
;! in v8 = u32[0x45000000, 0x40000000, 0x44800000, 0x48000000]
;! in v12 = u32[0x4200, 0x4200, 0x4400, 0xbc00]
v_maxmin_f16 v0.l, v4.l, v8.h, v12.l  ;= v0 = u32[0xaaaa4200, 0xaaaa4000, 0xaaaa4400, 0xaaaabc00]

v_maxmin_u32 v0, v4, v8, v12  ;! in v4 = u32[0x1, 0x1, 0x80000000, 0xffffffff]  ;! in v8 = u32[0x5, 0x2, 0x4, 0x8]  ;! in v12 = u32[0x3, 0x3, 0x6, 0x7fffffff]  ;= v0 = u32[0x3, 0x2, 0x6, 0x7fffffff]
v_maxmin_i32 v0, v4, v8, v12  ;! in v4 = u32[0x1, 0x1, 0x80000000, 0xffffffff]  ;! in v8 = u32[0x5, 0x2, 0x4, 0x8]  ;! in v12 = u32[0x3, 0x3, 0x6, 0x7fffffff]  ;= v0 = u32[0x3, 0x2, 0x4, 0x8]

;! in v4 = u32[0x3f800000, 0x3f800000, 0xc0e00000, 0x41100000]
;! in v8 = u32[0x40a00000, 0x40000000, 0x40900000, 0x41000000]
;! in v12 = u32[0x40400000, 0x40400000, 0x40800000, 0xbf800000]
v_minmax_f32 v0, v4, v8, v12  ;= v0 = u32[0x40400000, 0x40400000, 0x40800000, 0x41000000]

;! in v4 = u32[0x3f800000, 0x3f800000, 0xc0e00000, 0x41100000]
;! in v8 = u32[0x40a00000, 0x40000000, 0x40900000, 0x41000000]
;! in v12 = u32[0x40400000, 0x40400000, 0x40800000, 0xbf800000]
v_minmax_f32 v0, v4, -|v8|, v12  ;= v0 = u32[0x40400000, 0x40400000, 0x40800000, 0xbf800000]

;! in v0 = u32[0xaaaa5555]
;! in v4 = u32[0x3c00, 0x3c00, 0xc700, 0x4880]
;! in v8 = u32[0x45000000, 0x40000000, 0x44800000, 0x48000000]
;! in v12 = u32[0x4200, 0x4200, 0x4400, 0xbc00]
v_minmax_f16 v0.l, v4.l, v8.h, v12.l  ;= v0 = u32[0xaaaa4200, 0xaaaa4200, 0xaaaa4400, 0xaaaa4800]

v_minmax_u32 v0, v4, v8, v12  ;! in v4 = u32[0x1, 0x1, 0x80000000, 0xffffffff]  ;! in v8 = u32[0x5, 0x2, 0x4, 0x8]  ;! in v12 = u32[0x3, 0x3, 0x6, 0x7fffffff]  ;= v0 = u32[0x3, 0x3, 0x6, 0x7fffffff]
v_minmax_i32 v0, v4, v8, v12  ;! in v4 = u32[0x1, 0x1, 0x80000000, 0xffffffff]  ;! in v8 = u32[0x5, 0x2, 0x4, 0x8]  ;! in v12 = u32[0x3, 0x3, 0x6, 0x7fffffff]  ;= v0 = u32[0x3, 0x3, 0x6, 0x7fffffff]

;! in v4 = u32[0x3ff33333, 0xbff33333, 0x471c4000, 0xce6e6b28]
;! in v8 = u32[0xc0200000, 0x7fc00000, 0xc71c4000, 0x40400000]
v_cvt_pk_i16_f32 v0, v4, v8  ;= v0 = u32[0xfffe0001, 0xffff, 0x80007fff, 0x38000]

;! in v4 = u32[0x3ff33333, 0xbff33333, 0x4788b800, 0x477fff00]
;! in v8 = u32[0x40200000, 0x7fc00000, 0x471c4000, 0x40400000]
v_cvt_pk_u16_f32 v0, v4, v8  ;= v0 = u32[0x20001, 0x0, 0x9c40ffff, 0x3ffff]

v_dot2_f16_f16 v0.l, v4, v8, v12.h  ;! in v0 = u32[0xaaaa5555]  ;! in v4 = u32[0x3e004000]  ;! in v8 = u32[0xc4003400]  ;! in v12 = u32[0x49003c00]  ;= v0 = u32[0xaaaa4480]
v_dot2_f16_f16 v0.h, v4, v8, v12.l  ;! in v0 = u32[0xaaaa5555]  ;! in v4 = u32[0x3e004000]  ;! in v8 = u32[0xc4003400]  ;! in v12 = u32[0x49003c00]  ;= v0 = u32[0xc4805555]
v_dot2_bf16_bf16 v0.l, v4, v8, v12.h  ;! in v0 = u32[0xaaaa5555]  ;! in v4 = u32[0x3fc04000]  ;! in v8 = u32[0xc0803e80]  ;! in v12 = u32[0x41203f80]  ;= v0 = u32[0xaaaa4090]
; NEG and ABS of a pair are both of its halves': LLVM's selection makes them of the negation and the absolute value of a vector.

;! given in v0 = u32[0xaaaa5555]
;! given in v4 = u32[0x3e004000]
;! given in v8 = u32[0xc4003400]
;! given in v12 = u32[0x49003c00]
v_dot2_f16_f16 v0.l, -v4, v8, v12.h  ;= v0 = u32[0xaaaa4bc0]
v_dot2_f16_f16 v0.h, v4, |v8|, v12.h  ;= v0 = u32[0x4c205555]
v_dot2_f16_f16 v0.l, v4, -|v8|, v12.h  ;= v0 = u32[0xaaaa4300]
v_dot2_f16_f16 v0.l, -v4, v8, -v12.h  ;= v0 = u32[0xaaaac480]
;! given
;! given in v0 = u32[0xaaaa5555]
;! given in v4 = u32[0x3fc04000]
;! given in v8 = u32[0xc0803e80]
;! given in v12 = u32[0x41203f80]
v_dot2_bf16_bf16 v0.l, -v4, v8, v12.h  ;= v0 = u32[0xaaaa4178]
v_dot2_bf16_bf16 v0.l, v4, |v8|, v12.h  ;= v0 = u32[0xaaaa4184]
;! given
;! given in v4 = u32[0x3fc04000]
;! given in v8 = u32[0xc0803e80]
v_dot2_f32_bf16 v0, v4, v8, v12  ;! in v12 = u32[0x41200000]  ;= v0 = u32[0x40900000]
v_dot2_bf16_bf16 v0.h, v4, v8, -v12.l  ;! in v0 = u32[0xaaaa5555]  ;! in v12 = u32[0x41203f80]  ;= v0 = u32[0xc0d05555]
v_dot2_bf16_bf16 v0.l, v4, v8, 2.0  ;! in v0 = u32[0xaaaa5555]  ;= v0 = u32[0xaaaac060]

;! given in v12 = u32[0x41200000]
v_dot2_f32_bf16 v0, v4, v8, v12 neg_lo:[1,0,0]  ;= v0 = u32[0x40600000]
v_dot2_f32_bf16 v0, v4, v8, v12 neg_hi:[1,0,0]  ;= v0 = u32[0x41840000]
v_dot2_f32_bf16 v0, v4, v8, v12 op_sel:[1,0,0] op_sel_hi:[0,1,1]  ;= v0 = u32[0x40180000]
;! given
;! given in v4 = u32[0x3e004000]
;! given in v8 = u32[0xc4003400]
v_dot2_f32_f16 v0, v4, v8, v12 op_sel:[1,0,0] op_sel_hi:[0,1,1]  ;! in v12 = u32[0x41200000]  ;= v0 = u32[0x40180000]
v_dot2acc_f32_f16_e32 v0, v4, v8  ;! in v0 = u32[0x41200000]  ;= v0 = u32[0x40900000]
;! given
;! given in v4 = u32[0xff0280fe]
;! given in v8 = u32[0x81ff7f03]
;! given in v12 = u32[0xfffffff0]
v_dot4_i32_iu8 v0, v4, v8, v12 neg_lo:[0,0,0]  ;= v0 = u32[0xc4e7]
v_dot8_i32_iu4 v0, v4, v8, v12 neg_lo:[0,0,0]  ;= v0 = u32[0xf7]
v_dot4_i32_iu8 v0, v4, v8, v12 neg_lo:[0,1,0]  ;= v0 = u32[0xffffc3e7]
v_dot8_i32_iu4 v0, v4, v8, v12 neg_lo:[0,1,0]  ;= v0 = u32[0xffffffe7]
v_dot4_i32_iu8 v0, v4, v8, v12 neg_lo:[1,0,0]  ;= v0 = u32[0xffffc1e7]
v_dot8_i32_iu4 v0, v4, v8, v12 neg_lo:[1,0,0]  ;= v0 = u32[0xffffffc7]
v_dot4_i32_iu8 v0, v4, v8, v12 neg_lo:[1,1,0]  ;= v0 = u32[0xffffc0e7]
v_dot8_i32_iu4 v0, v4, v8, v12 neg_lo:[1,1,0]  ;= v0 = u32[0xffffffb7]
;! given
v_dot4_i32_iu8 v0, v4, v8, v12 clamp  ;! in v4 = u32[0xff0280fe]  ;! in v8 = u32[0x81ff7f03]  ;! in v12 = u32[0x7fffffff]  ;= v0 = u32[0x7fffffff]
s_pack_hl_b32_b16 s0, s4, s5  ;! in s4 = u32[0x12345678]  ;! in s5 = u32[0xff0f00f]  ;! in scc = u32[1]  ;= s0 = u32[0xf00f1234]

;! in s4 = u32[0x12345678]
;! in m0 = u32[0x77]
;! in s[6:7] = u64[1]
s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)
s_wait_event 0
s_set_inst_prefetch_distance 1
s_setkill 0
s_wakeup
s_mov_b32 s0, m0
s_mov_b32 m0, s4
s_mov_b32 null, s4
s_mov_b64 s[6:7], null
s_add_u32 s1, m0, null
;= s0 = u32[0x77]
;= m0 = u32[0x12345678]
;= s1 = u32[0x12345678]
;= s[6:7] = u64[0]
;= scc = any

;! time 0x123456789abcdef
s_sendmsg_rtn_b32 s0, sendmsg(MSG_RTN_GET_REALTIME)
s_waitcnt lgkmcnt(0)
;= s0 = u32[0x89abcdef]

;! time 0x123456789abcdef
s_sendmsg_rtn_b64 s[0:1], sendmsg(MSG_RTN_GET_REALTIME)
s_waitcnt lgkmcnt(0)
;= s[0:1] = u64[0x123456789abcdef]

;! target gfx1100/64
;! exec 0xfffffffffffffffe
;! in v0 = u32[0xaaaa5555]
;! in v4 = u32[0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f, 0x70, 0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x7b, 0x7c, 0x7d, 0x7e, 0x7f, 0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x8b, 0x8c, 0x8d, 0x8e, 0x8f, 0x90, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a, 0x9b, 0x9c, 0x9d, 0x9e, 0x9f, 0xa0, 0xa1, 0xa2, 0xa3]
v_permlane64_b32 v0, v4
;= v0 = u32[0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x8b, 0x8c, 0x8d, 0x8e, 0x8f, 0x90, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a, 0x9b, 0x9c, 0x9d, 0x9e, 0x9f, 0xa0, 0xa1, 0xa2, 0xa3, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f, 0x70, 0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x7b, 0x7c, 0x7d, 0x7e, 0x7f, 0x80, 0x81, 0x82, 0x83]

;! target gfx1100/32
;! in v0 = u32[0xaaaa5555]
;! in v4 = u32[0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f, 0x70, 0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x7b, 0x7c, 0x7d, 0x7e, 0x7f, 0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x8b, 0x8c, 0x8d, 0x8e, 0x8f, 0x90, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a, 0x9b, 0x9c, 0x9d, 0x9e, 0x9f, 0xa0, 0xa1, 0xa2, 0xa3]
v_permlane64_b32 v0, v4
s_mov_b32 s0, 1
;= s0 = u32[0x1]

;! target gfx1100
;! in v4 = u32[0x3f800000, 0x40000000, 0x40400000, 0x40800000]
;! in v8 = u32[0xc1200000]
v_add_f32_e64_dpp v0, -v4, |v8| quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf  ;= v0 = u32[0x41000000, 0x41100000, 0x40c00000, 0x40e00000]

;! in v4 = u32[0x0, 0x3f800000, 0x40000000, 0x40400000, 0x40800000, 0x40a00000, 0x40c00000, 0x40e00000]
;! in v8 = u32[0xc1200000]
v_add_f32_e64_dpp v0, -v4, |v8| dpp8:[7,6,5,4,3,2,1,0]
;= v0 = u32[0x40400000, 0x40800000, 0x40a00000, 0x40c00000, 0x40e00000, 0x41000000, 0x41100000, 0x41200000]

;! in v4 = u32[0x0, 0x3f800000, 0x40000000, 0x40400000, 0x40800000, 0x40a00000, 0x40c00000, 0x40e00000, 0x41000000, 0x41100000, 0x41200000, 0x41300000, 0x41400000, 0x41500000, 0x41600000, 0x41700000]
;! in v8 = u32[0x40000000]
;! in v12 = u32[0x3f800000]
v_fma_f32_e64_dpp v0, v4, v8, v12 row_ror:1 row_mask:0xf bank_mask:0xf
;= v0 = u32[0x41f80000, 0x3f800000, 0x40400000, 0x40a00000, 0x40e00000, 0x41100000, 0x41300000, 0x41500000, 0x41700000, 0x41880000, 0x41980000, 0x41a80000, 0x41b80000, 0x41c80000, 0x41d80000, 0x41e80000]

v_mov_b16_dpp v0.h, v4.h quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf  ;! in v0 = u32[0xaaaa5555]  ;! in v4 = u32[0x10000, 0x20000, 0x30000, 0x40000]  ;= v0 = u32[0x25555, 0x15555, 0x45555, 0x35555]

;! in v0 = u32[0xaaaa5555]
;! in v4 = u32[0x0, 0x3c000000, 0x40000000, 0x42000000]
;! in v8 = u32[0x4900]
v_add_f16_dpp v0.l, v4.h, v8.l quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf  ;= v0 = u32[0xaaaa4980, 0xaaaa4900, 0xaaaa4a80, 0xaaaa4a00]

;! target gfx1100/32
;! given in v4 = u32[0x1, 0x2, 0x3, 0x4]
;! given in v8 = u32[0x3]
v_cmp_lt_u32_dpp vcc_lo, v4, v8 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf  ;= vcc = u64[0x33333333]
v_cmp_lt_u32_e64_dpp s4, v4, v8 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf  ;= s4 = u32[0x33333333]
v_cmpx_lt_u32_dpp v4, v8 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf  ;= exec = u64[0x33333333]
v_cmpx_lt_u32_e64_dpp v4, v8 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf  ;= exec = u64[0x33333333]
; Dual instructions. Results of one are no sources of the other.
;! given
;! given in v4 = u32[0x3fc00000]
;! given in v5 = u32[0xc0400000]
;! given in v6 = u32[0x41000000]
;! given in v7 = u32[0x3e800000]
;! given in v0 = u32[0x41200000]
;! given in v1 = u32[0x41a00000]
;! given in vcc = u64[0xaaaaaaaa]
v_dual_fmac_f32 v0, v4, v5 :: v_dual_fmac_f32 v1, v7, v6  ;= v0 = u32[0x40b00000, 0x40b00000]  ;= v1 = u32[0x41b00000, 0x41b00000]
v_dual_fmac_f32 v0, v4, v5 :: v_dual_fmaak_f32 v1, v7, v6, 0x40000000  ;= v0 = u32[0x40b00000, 0x40b00000]  ;= v1 = u32[0x40800000, 0x40800000]
v_dual_fmac_f32 v0, v4, v5 :: v_dual_fmamk_f32 v1, v6, 0x40000000, v7  ;= v0 = u32[0x40b00000, 0x40b00000]  ;= v1 = u32[0x41820000, 0x41820000]
v_dual_fmac_f32 v0, v4, v5 :: v_dual_mul_f32 v1, v7, v6  ;= v0 = u32[0x40b00000, 0x40b00000]  ;= v1 = u32[0x40000000, 0x40000000]
v_dual_fmac_f32 v0, v4, v5 :: v_dual_add_f32 v1, v7, v6  ;= v0 = u32[0x40b00000, 0x40b00000]  ;= v1 = u32[0x41040000, 0x41040000]
v_dual_fmac_f32 v0, v4, v5 :: v_dual_sub_f32 v1, v7, v6  ;= v0 = u32[0x40b00000, 0x40b00000]  ;= v1 = u32[0xc0f80000, 0xc0f80000]
v_dual_fmac_f32 v0, v4, v5 :: v_dual_subrev_f32 v1, v7, v6  ;= v0 = u32[0x40b00000, 0x40b00000]  ;= v1 = u32[0x40f80000, 0x40f80000]
v_dual_fmac_f32 v0, v4, v5 :: v_dual_mul_dx9_zero_f32 v1, v7, v6  ;= v0 = u32[0x40b00000, 0x40b00000]  ;= v1 = u32[0x40000000, 0x40000000]
v_dual_fmac_f32 v0, v4, v5 :: v_dual_mov_b32 v1, v7  ;= v0 = u32[0x40b00000, 0x40b00000]  ;= v1 = u32[0x3e800000, 0x3e800000]
v_dual_fmac_f32 v0, v4, v5 :: v_dual_cndmask_b32 v1, v7, v6  ;= v0 = u32[0x40b00000, 0x40b00000]  ;= v1 = u32[0x3e800000, 0x41000000]
v_dual_fmac_f32 v0, v4, v5 :: v_dual_max_f32 v1, v7, v6  ;= v0 = u32[0x40b00000, 0x40b00000]  ;= v1 = u32[0x41000000, 0x41000000]
v_dual_fmac_f32 v0, v4, v5 :: v_dual_min_f32 v1, v7, v6  ;= v0 = u32[0x40b00000, 0x40b00000]  ;= v1 = u32[0x3e800000, 0x3e800000]
v_dual_fmac_f32 v0, v4, v5 :: v_dual_dot2acc_f32_f16 v1, v7, v6  ;= v0 = u32[0x40b00000, 0x40b00000]  ;= v1 = u32[0x41c08000, 0x41c08000]
v_dual_fmac_f32 v0, v4, v5 :: v_dual_dot2acc_f32_bf16 v1, v7, v6  ;= v0 = u32[0x40b00000, 0x40b00000]  ;= v1 = u32[0x41b00000, 0x41b00000]
v_dual_fmac_f32 v0, v4, v5 :: v_dual_add_nc_u32 v1, v7, v6  ;= v0 = u32[0x40b00000, 0x40b00000]  ;= v1 = u32[0x7f800000, 0x7f800000]
v_dual_fmac_f32 v0, v4, v5 :: v_dual_lshlrev_b32 v1, v7, v6  ;= v0 = u32[0x40b00000, 0x40b00000]  ;= v1 = u32[0x41000000, 0x41000000]
v_dual_fmac_f32 v0, v4, v5 :: v_dual_and_b32 v1, v7, v6  ;= v0 = u32[0x40b00000, 0x40b00000]  ;= v1 = u32[0x0, 0x0]
v_dual_fmaak_f32 v0, v4, v5, 0x40000000 :: v_dual_fmac_f32 v1, v7, v6  ;= v0 = u32[0xc0200000, 0xc0200000]  ;= v1 = u32[0x41b00000, 0x41b00000]
v_dual_fmaak_f32 v0, v4, v5, 0x40000000 :: v_dual_fmaak_f32 v1, v7, v6, 0x40000000  ;= v0 = u32[0xc0200000, 0xc0200000]  ;= v1 = u32[0x40800000, 0x40800000]
v_dual_fmaak_f32 v0, v4, v5, 0x40000000 :: v_dual_fmamk_f32 v1, v7, 0x40000000, v6  ;= v0 = u32[0xc0200000, 0xc0200000]  ;= v1 = u32[0x41080000, 0x41080000]
v_dual_fmaak_f32 v0, v4, v5, 0x40000000 :: v_dual_mul_f32 v1, v7, v6  ;= v0 = u32[0xc0200000, 0xc0200000]  ;= v1 = u32[0x40000000, 0x40000000]
v_dual_fmaak_f32 v0, v4, v5, 0x40000000 :: v_dual_add_f32 v1, v7, v6  ;= v0 = u32[0xc0200000, 0xc0200000]  ;= v1 = u32[0x41040000, 0x41040000]
v_dual_fmaak_f32 v0, v4, v5, 0x40000000 :: v_dual_sub_f32 v1, v7, v6  ;= v0 = u32[0xc0200000, 0xc0200000]  ;= v1 = u32[0xc0f80000, 0xc0f80000]
v_dual_fmaak_f32 v0, v4, v5, 0x40000000 :: v_dual_subrev_f32 v1, v7, v6  ;= v0 = u32[0xc0200000, 0xc0200000]  ;= v1 = u32[0x40f80000, 0x40f80000]
v_dual_fmaak_f32 v0, v4, v5, 0x40000000 :: v_dual_mul_dx9_zero_f32 v1, v7, v6  ;= v0 = u32[0xc0200000, 0xc0200000]  ;= v1 = u32[0x40000000, 0x40000000]
v_dual_fmaak_f32 v0, v4, v5, 0x40000000 :: v_dual_mov_b32 v1, v7  ;= v0 = u32[0xc0200000, 0xc0200000]  ;= v1 = u32[0x3e800000, 0x3e800000]
v_dual_fmaak_f32 v0, v4, v5, 0x40000000 :: v_dual_cndmask_b32 v1, v7, v6  ;= v0 = u32[0xc0200000, 0xc0200000]  ;= v1 = u32[0x3e800000, 0x41000000]
v_dual_fmaak_f32 v0, v4, v5, 0x40000000 :: v_dual_max_f32 v1, v7, v6  ;= v0 = u32[0xc0200000, 0xc0200000]  ;= v1 = u32[0x41000000, 0x41000000]
v_dual_fmaak_f32 v0, v4, v5, 0x40000000 :: v_dual_min_f32 v1, v7, v6  ;= v0 = u32[0xc0200000, 0xc0200000]  ;= v1 = u32[0x3e800000, 0x3e800000]
v_dual_fmaak_f32 v0, v4, v5, 0x40000000 :: v_dual_dot2acc_f32_f16 v1, v7, v6  ;= v0 = u32[0xc0200000, 0xc0200000]  ;= v1 = u32[0x41c08000, 0x41c08000]
v_dual_fmaak_f32 v0, v4, v5, 0x40000000 :: v_dual_dot2acc_f32_bf16 v1, v7, v6  ;= v0 = u32[0xc0200000, 0xc0200000]  ;= v1 = u32[0x41b00000, 0x41b00000]
v_dual_fmaak_f32 v0, v4, v5, 0x40000000 :: v_dual_add_nc_u32 v1, v7, v6  ;= v0 = u32[0xc0200000, 0xc0200000]  ;= v1 = u32[0x7f800000, 0x7f800000]
v_dual_fmaak_f32 v0, v4, v5, 0x40000000 :: v_dual_lshlrev_b32 v1, v7, v6  ;= v0 = u32[0xc0200000, 0xc0200000]  ;= v1 = u32[0x41000000, 0x41000000]
v_dual_fmaak_f32 v0, v4, v5, 0x40000000 :: v_dual_and_b32 v1, v7, v6  ;= v0 = u32[0xc0200000, 0xc0200000]  ;= v1 = u32[0x0, 0x0]
v_dual_fmamk_f32 v0, v5, 0x40000000, v4 :: v_dual_fmac_f32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x41b00000, 0x41b00000]
v_dual_fmamk_f32 v0, v4, 0x40000000, v5 :: v_dual_fmaak_f32 v1, v7, v6, 0x40000000  ;= v0 = u32[0x0, 0x0]  ;= v1 = u32[0x40800000, 0x40800000]
v_dual_fmamk_f32 v0, v4, 0x40000000, v5 :: v_dual_fmamk_f32 v1, v7, 0x40000000, v6  ;= v0 = u32[0x0, 0x0]  ;= v1 = u32[0x41080000, 0x41080000]
v_dual_fmamk_f32 v0, v4, 0x40000000, v5 :: v_dual_mul_f32 v1, v7, v6  ;= v0 = u32[0x0, 0x0]  ;= v1 = u32[0x40000000, 0x40000000]
v_dual_fmamk_f32 v0, v4, 0x40000000, v5 :: v_dual_add_f32 v1, v7, v6  ;= v0 = u32[0x0, 0x0]  ;= v1 = u32[0x41040000, 0x41040000]
v_dual_fmamk_f32 v0, v4, 0x40000000, v5 :: v_dual_sub_f32 v1, v7, v6  ;= v0 = u32[0x0, 0x0]  ;= v1 = u32[0xc0f80000, 0xc0f80000]
v_dual_fmamk_f32 v0, v4, 0x40000000, v5 :: v_dual_subrev_f32 v1, v7, v6  ;= v0 = u32[0x0, 0x0]  ;= v1 = u32[0x40f80000, 0x40f80000]
v_dual_fmamk_f32 v0, v4, 0x40000000, v5 :: v_dual_mul_dx9_zero_f32 v1, v7, v6  ;= v0 = u32[0x0, 0x0]  ;= v1 = u32[0x40000000, 0x40000000]
v_dual_fmamk_f32 v0, v4, 0x40000000, v5 :: v_dual_mov_b32 v1, v7  ;= v0 = u32[0x0, 0x0]  ;= v1 = u32[0x3e800000, 0x3e800000]
v_dual_fmamk_f32 v0, v4, 0x40000000, v5 :: v_dual_cndmask_b32 v1, v7, v6  ;= v0 = u32[0x0, 0x0]  ;= v1 = u32[0x3e800000, 0x41000000]
v_dual_fmamk_f32 v0, v4, 0x40000000, v5 :: v_dual_max_f32 v1, v7, v6  ;= v0 = u32[0x0, 0x0]  ;= v1 = u32[0x41000000, 0x41000000]
v_dual_fmamk_f32 v0, v4, 0x40000000, v5 :: v_dual_min_f32 v1, v7, v6  ;= v0 = u32[0x0, 0x0]  ;= v1 = u32[0x3e800000, 0x3e800000]
v_dual_fmamk_f32 v0, v5, 0x40000000, v4 :: v_dual_dot2acc_f32_f16 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x41c08000, 0x41c08000]
v_dual_fmamk_f32 v0, v5, 0x40000000, v4 :: v_dual_dot2acc_f32_bf16 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x41b00000, 0x41b00000]
v_dual_fmamk_f32 v0, v4, 0x40000000, v5 :: v_dual_add_nc_u32 v1, v7, v6  ;= v0 = u32[0x0, 0x0]  ;= v1 = u32[0x7f800000, 0x7f800000]
v_dual_fmamk_f32 v0, v4, 0x40000000, v5 :: v_dual_lshlrev_b32 v1, v7, v6  ;= v0 = u32[0x0, 0x0]  ;= v1 = u32[0x41000000, 0x41000000]
v_dual_fmamk_f32 v0, v4, 0x40000000, v5 :: v_dual_and_b32 v1, v7, v6  ;= v0 = u32[0x0, 0x0]  ;= v1 = u32[0x0, 0x0]
v_dual_mul_f32 v0, v4, v5 :: v_dual_fmac_f32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x41b00000, 0x41b00000]
v_dual_mul_f32 v0, v4, v5 :: v_dual_fmaak_f32 v1, v7, v6, 0x40000000  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x40800000, 0x40800000]
v_dual_mul_f32 v0, v4, v5 :: v_dual_fmamk_f32 v1, v7, 0x40000000, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x41080000, 0x41080000]
v_dual_mul_f32 v0, v4, v5 :: v_dual_mul_f32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x40000000, 0x40000000]
v_dual_mul_f32 v0, v4, v5 :: v_dual_add_f32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x41040000, 0x41040000]
v_dual_mul_f32 v0, v4, v5 :: v_dual_sub_f32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0xc0f80000, 0xc0f80000]
v_dual_mul_f32 v0, v4, v5 :: v_dual_subrev_f32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x40f80000, 0x40f80000]
v_dual_mul_f32 v0, v4, v5 :: v_dual_mul_dx9_zero_f32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x40000000, 0x40000000]
v_dual_mul_f32 v0, v4, v5 :: v_dual_mov_b32 v1, v7  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x3e800000, 0x3e800000]
v_dual_mul_f32 v0, v4, v5 :: v_dual_cndmask_b32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x3e800000, 0x41000000]
v_dual_mul_f32 v0, v4, v5 :: v_dual_max_f32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x41000000, 0x41000000]
v_dual_mul_f32 v0, v4, v5 :: v_dual_min_f32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x3e800000, 0x3e800000]
v_dual_mul_f32 v0, v4, v5 :: v_dual_dot2acc_f32_f16 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x41c08000, 0x41c08000]
v_dual_mul_f32 v0, v4, v5 :: v_dual_dot2acc_f32_bf16 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x41b00000, 0x41b00000]
v_dual_mul_f32 v0, v4, v5 :: v_dual_add_nc_u32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x7f800000, 0x7f800000]
v_dual_mul_f32 v0, v4, v5 :: v_dual_lshlrev_b32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x41000000, 0x41000000]
v_dual_mul_f32 v0, v4, v5 :: v_dual_and_b32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x0, 0x0]
v_dual_add_f32 v0, v4, v5 :: v_dual_fmac_f32 v1, v7, v6  ;= v0 = u32[0xbfc00000, 0xbfc00000]  ;= v1 = u32[0x41b00000, 0x41b00000]
v_dual_add_f32 v0, v4, v5 :: v_dual_fmaak_f32 v1, v7, v6, 0x40000000  ;= v0 = u32[0xbfc00000, 0xbfc00000]  ;= v1 = u32[0x40800000, 0x40800000]
v_dual_add_f32 v0, v4, v5 :: v_dual_fmamk_f32 v1, v7, 0x40000000, v6  ;= v0 = u32[0xbfc00000, 0xbfc00000]  ;= v1 = u32[0x41080000, 0x41080000]
v_dual_add_f32 v0, v4, v5 :: v_dual_mul_f32 v1, v7, v6  ;= v0 = u32[0xbfc00000, 0xbfc00000]  ;= v1 = u32[0x40000000, 0x40000000]
v_dual_add_f32 v0, v4, v5 :: v_dual_add_f32 v1, v7, v6  ;= v0 = u32[0xbfc00000, 0xbfc00000]  ;= v1 = u32[0x41040000, 0x41040000]
v_dual_add_f32 v0, v4, v5 :: v_dual_sub_f32 v1, v7, v6  ;= v0 = u32[0xbfc00000, 0xbfc00000]  ;= v1 = u32[0xc0f80000, 0xc0f80000]
v_dual_add_f32 v0, v4, v5 :: v_dual_subrev_f32 v1, v7, v6  ;= v0 = u32[0xbfc00000, 0xbfc00000]  ;= v1 = u32[0x40f80000, 0x40f80000]
v_dual_add_f32 v0, v4, v5 :: v_dual_mul_dx9_zero_f32 v1, v7, v6  ;= v0 = u32[0xbfc00000, 0xbfc00000]  ;= v1 = u32[0x40000000, 0x40000000]
v_dual_add_f32 v0, v4, v5 :: v_dual_mov_b32 v1, v7  ;= v0 = u32[0xbfc00000, 0xbfc00000]  ;= v1 = u32[0x3e800000, 0x3e800000]
v_dual_add_f32 v0, v4, v5 :: v_dual_cndmask_b32 v1, v7, v6  ;= v0 = u32[0xbfc00000, 0xbfc00000]  ;= v1 = u32[0x3e800000, 0x41000000]
v_dual_add_f32 v0, v4, v5 :: v_dual_max_f32 v1, v7, v6  ;= v0 = u32[0xbfc00000, 0xbfc00000]  ;= v1 = u32[0x41000000, 0x41000000]
v_dual_add_f32 v0, v4, v5 :: v_dual_min_f32 v1, v7, v6  ;= v0 = u32[0xbfc00000, 0xbfc00000]  ;= v1 = u32[0x3e800000, 0x3e800000]
v_dual_add_f32 v0, v4, v5 :: v_dual_dot2acc_f32_f16 v1, v7, v6  ;= v0 = u32[0xbfc00000, 0xbfc00000]  ;= v1 = u32[0x41c08000, 0x41c08000]
v_dual_add_f32 v0, v4, v5 :: v_dual_dot2acc_f32_bf16 v1, v7, v6  ;= v0 = u32[0xbfc00000, 0xbfc00000]  ;= v1 = u32[0x41b00000, 0x41b00000]
v_dual_add_f32 v0, v4, v5 :: v_dual_add_nc_u32 v1, v7, v6  ;= v0 = u32[0xbfc00000, 0xbfc00000]  ;= v1 = u32[0x7f800000, 0x7f800000]
v_dual_add_f32 v0, v4, v5 :: v_dual_lshlrev_b32 v1, v7, v6  ;= v0 = u32[0xbfc00000, 0xbfc00000]  ;= v1 = u32[0x41000000, 0x41000000]
v_dual_add_f32 v0, v4, v5 :: v_dual_and_b32 v1, v7, v6  ;= v0 = u32[0xbfc00000, 0xbfc00000]  ;= v1 = u32[0x0, 0x0]
v_dual_sub_f32 v0, v4, v5 :: v_dual_fmac_f32 v1, v7, v6  ;= v0 = u32[0x40900000, 0x40900000]  ;= v1 = u32[0x41b00000, 0x41b00000]
v_dual_sub_f32 v0, v4, v5 :: v_dual_fmaak_f32 v1, v7, v6, 0x40000000  ;= v0 = u32[0x40900000, 0x40900000]  ;= v1 = u32[0x40800000, 0x40800000]
v_dual_sub_f32 v0, v4, v5 :: v_dual_fmamk_f32 v1, v7, 0x40000000, v6  ;= v0 = u32[0x40900000, 0x40900000]  ;= v1 = u32[0x41080000, 0x41080000]
v_dual_sub_f32 v0, v4, v5 :: v_dual_mul_f32 v1, v7, v6  ;= v0 = u32[0x40900000, 0x40900000]  ;= v1 = u32[0x40000000, 0x40000000]
v_dual_sub_f32 v0, v4, v5 :: v_dual_add_f32 v1, v7, v6  ;= v0 = u32[0x40900000, 0x40900000]  ;= v1 = u32[0x41040000, 0x41040000]
v_dual_sub_f32 v0, v4, v5 :: v_dual_sub_f32 v1, v7, v6  ;= v0 = u32[0x40900000, 0x40900000]  ;= v1 = u32[0xc0f80000, 0xc0f80000]
v_dual_sub_f32 v0, v4, v5 :: v_dual_subrev_f32 v1, v7, v6  ;= v0 = u32[0x40900000, 0x40900000]  ;= v1 = u32[0x40f80000, 0x40f80000]
v_dual_sub_f32 v0, v4, v5 :: v_dual_mul_dx9_zero_f32 v1, v7, v6  ;= v0 = u32[0x40900000, 0x40900000]  ;= v1 = u32[0x40000000, 0x40000000]
v_dual_sub_f32 v0, v4, v5 :: v_dual_mov_b32 v1, v7  ;= v0 = u32[0x40900000, 0x40900000]  ;= v1 = u32[0x3e800000, 0x3e800000]
v_dual_sub_f32 v0, v4, v5 :: v_dual_cndmask_b32 v1, v7, v6  ;= v0 = u32[0x40900000, 0x40900000]  ;= v1 = u32[0x3e800000, 0x41000000]
v_dual_sub_f32 v0, v4, v5 :: v_dual_max_f32 v1, v7, v6  ;= v0 = u32[0x40900000, 0x40900000]  ;= v1 = u32[0x41000000, 0x41000000]
v_dual_sub_f32 v0, v4, v5 :: v_dual_min_f32 v1, v7, v6  ;= v0 = u32[0x40900000, 0x40900000]  ;= v1 = u32[0x3e800000, 0x3e800000]
v_dual_sub_f32 v0, v4, v5 :: v_dual_dot2acc_f32_f16 v1, v7, v6  ;= v0 = u32[0x40900000, 0x40900000]  ;= v1 = u32[0x41c08000, 0x41c08000]
v_dual_sub_f32 v0, v4, v5 :: v_dual_dot2acc_f32_bf16 v1, v7, v6  ;= v0 = u32[0x40900000, 0x40900000]  ;= v1 = u32[0x41b00000, 0x41b00000]
v_dual_sub_f32 v0, v4, v5 :: v_dual_add_nc_u32 v1, v7, v6  ;= v0 = u32[0x40900000, 0x40900000]  ;= v1 = u32[0x7f800000, 0x7f800000]
v_dual_sub_f32 v0, v4, v5 :: v_dual_lshlrev_b32 v1, v7, v6  ;= v0 = u32[0x40900000, 0x40900000]  ;= v1 = u32[0x41000000, 0x41000000]
v_dual_sub_f32 v0, v4, v5 :: v_dual_and_b32 v1, v7, v6  ;= v0 = u32[0x40900000, 0x40900000]  ;= v1 = u32[0x0, 0x0]
v_dual_subrev_f32 v0, v4, v5 :: v_dual_fmac_f32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x41b00000, 0x41b00000]
v_dual_subrev_f32 v0, v4, v5 :: v_dual_fmaak_f32 v1, v7, v6, 0x40000000  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x40800000, 0x40800000]
v_dual_subrev_f32 v0, v4, v5 :: v_dual_fmamk_f32 v1, v7, 0x40000000, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x41080000, 0x41080000]
v_dual_subrev_f32 v0, v4, v5 :: v_dual_mul_f32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x40000000, 0x40000000]
v_dual_subrev_f32 v0, v4, v5 :: v_dual_add_f32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x41040000, 0x41040000]
v_dual_subrev_f32 v0, v4, v5 :: v_dual_sub_f32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0xc0f80000, 0xc0f80000]
v_dual_subrev_f32 v0, v4, v5 :: v_dual_subrev_f32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x40f80000, 0x40f80000]
v_dual_subrev_f32 v0, v4, v5 :: v_dual_mul_dx9_zero_f32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x40000000, 0x40000000]
v_dual_subrev_f32 v0, v4, v5 :: v_dual_mov_b32 v1, v7  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x3e800000, 0x3e800000]
v_dual_subrev_f32 v0, v4, v5 :: v_dual_cndmask_b32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x3e800000, 0x41000000]
v_dual_subrev_f32 v0, v4, v5 :: v_dual_max_f32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x41000000, 0x41000000]
v_dual_subrev_f32 v0, v4, v5 :: v_dual_min_f32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x3e800000, 0x3e800000]
v_dual_subrev_f32 v0, v4, v5 :: v_dual_dot2acc_f32_f16 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x41c08000, 0x41c08000]
v_dual_subrev_f32 v0, v4, v5 :: v_dual_dot2acc_f32_bf16 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x41b00000, 0x41b00000]
v_dual_subrev_f32 v0, v4, v5 :: v_dual_add_nc_u32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x7f800000, 0x7f800000]
v_dual_subrev_f32 v0, v4, v5 :: v_dual_lshlrev_b32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x41000000, 0x41000000]
v_dual_subrev_f32 v0, v4, v5 :: v_dual_and_b32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x0, 0x0]
v_dual_mul_dx9_zero_f32 v0, v4, v5 :: v_dual_fmac_f32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x41b00000, 0x41b00000]
v_dual_mul_dx9_zero_f32 v0, v4, v5 :: v_dual_fmaak_f32 v1, v7, v6, 0x40000000  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x40800000, 0x40800000]
v_dual_mul_dx9_zero_f32 v0, v4, v5 :: v_dual_fmamk_f32 v1, v7, 0x40000000, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x41080000, 0x41080000]
v_dual_mul_dx9_zero_f32 v0, v4, v5 :: v_dual_mul_f32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x40000000, 0x40000000]
v_dual_mul_dx9_zero_f32 v0, v4, v5 :: v_dual_add_f32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x41040000, 0x41040000]
v_dual_mul_dx9_zero_f32 v0, v4, v5 :: v_dual_sub_f32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0xc0f80000, 0xc0f80000]
v_dual_mul_dx9_zero_f32 v0, v4, v5 :: v_dual_subrev_f32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x40f80000, 0x40f80000]
v_dual_mul_dx9_zero_f32 v0, v4, v5 :: v_dual_mul_dx9_zero_f32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x40000000, 0x40000000]
v_dual_mul_dx9_zero_f32 v0, v4, v5 :: v_dual_mov_b32 v1, v7  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x3e800000, 0x3e800000]
v_dual_mul_dx9_zero_f32 v0, v4, v5 :: v_dual_cndmask_b32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x3e800000, 0x41000000]
v_dual_mul_dx9_zero_f32 v0, v4, v5 :: v_dual_max_f32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x41000000, 0x41000000]
v_dual_mul_dx9_zero_f32 v0, v4, v5 :: v_dual_min_f32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x3e800000, 0x3e800000]
v_dual_mul_dx9_zero_f32 v0, v4, v5 :: v_dual_dot2acc_f32_f16 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x41c08000, 0x41c08000]
v_dual_mul_dx9_zero_f32 v0, v4, v5 :: v_dual_dot2acc_f32_bf16 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x41b00000, 0x41b00000]
v_dual_mul_dx9_zero_f32 v0, v4, v5 :: v_dual_add_nc_u32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x7f800000, 0x7f800000]
v_dual_mul_dx9_zero_f32 v0, v4, v5 :: v_dual_lshlrev_b32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x41000000, 0x41000000]
v_dual_mul_dx9_zero_f32 v0, v4, v5 :: v_dual_and_b32 v1, v7, v6  ;= v0 = u32[0xc0900000, 0xc0900000]  ;= v1 = u32[0x0, 0x0]
v_dual_mov_b32 v0, v4 :: v_dual_fmac_f32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0x3fc00000]  ;= v1 = u32[0x41b00000, 0x41b00000]
v_dual_mov_b32 v0, v4 :: v_dual_fmaak_f32 v1, v7, v6, 0x40000000  ;= v0 = u32[0x3fc00000, 0x3fc00000]  ;= v1 = u32[0x40800000, 0x40800000]
v_dual_mov_b32 v0, v4 :: v_dual_fmamk_f32 v1, v7, 0x40000000, v6  ;= v0 = u32[0x3fc00000, 0x3fc00000]  ;= v1 = u32[0x41080000, 0x41080000]
v_dual_mov_b32 v0, v4 :: v_dual_mul_f32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0x3fc00000]  ;= v1 = u32[0x40000000, 0x40000000]
v_dual_mov_b32 v0, v4 :: v_dual_add_f32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0x3fc00000]  ;= v1 = u32[0x41040000, 0x41040000]
v_dual_mov_b32 v0, v4 :: v_dual_sub_f32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0x3fc00000]  ;= v1 = u32[0xc0f80000, 0xc0f80000]
v_dual_mov_b32 v0, v4 :: v_dual_subrev_f32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0x3fc00000]  ;= v1 = u32[0x40f80000, 0x40f80000]
v_dual_mov_b32 v0, v4 :: v_dual_mul_dx9_zero_f32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0x3fc00000]  ;= v1 = u32[0x40000000, 0x40000000]
v_dual_mov_b32 v0, v4 :: v_dual_mov_b32 v1, v7  ;= v0 = u32[0x3fc00000, 0x3fc00000]  ;= v1 = u32[0x3e800000, 0x3e800000]
v_dual_mov_b32 v0, v4 :: v_dual_cndmask_b32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0x3fc00000]  ;= v1 = u32[0x3e800000, 0x41000000]
v_dual_mov_b32 v0, v4 :: v_dual_max_f32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0x3fc00000]  ;= v1 = u32[0x41000000, 0x41000000]
v_dual_mov_b32 v0, v4 :: v_dual_min_f32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0x3fc00000]  ;= v1 = u32[0x3e800000, 0x3e800000]
v_dual_mov_b32 v0, v4 :: v_dual_dot2acc_f32_f16 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0x3fc00000]  ;= v1 = u32[0x41c08000, 0x41c08000]
v_dual_mov_b32 v0, v4 :: v_dual_dot2acc_f32_bf16 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0x3fc00000]  ;= v1 = u32[0x41b00000, 0x41b00000]
v_dual_mov_b32 v0, v4 :: v_dual_add_nc_u32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0x3fc00000]  ;= v1 = u32[0x7f800000, 0x7f800000]
v_dual_mov_b32 v0, v4 :: v_dual_lshlrev_b32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0x3fc00000]  ;= v1 = u32[0x41000000, 0x41000000]
v_dual_mov_b32 v0, v4 :: v_dual_and_b32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0x3fc00000]  ;= v1 = u32[0x0, 0x0]
v_dual_cndmask_b32 v0, v4, v5 :: v_dual_fmac_f32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0xc0400000]  ;= v1 = u32[0x41b00000, 0x41b00000]
v_dual_cndmask_b32 v0, v4, v5 :: v_dual_fmaak_f32 v1, v7, v6, 0x40000000  ;= v0 = u32[0x3fc00000, 0xc0400000]  ;= v1 = u32[0x40800000, 0x40800000]
v_dual_cndmask_b32 v0, v4, v5 :: v_dual_fmamk_f32 v1, v7, 0x40000000, v6  ;= v0 = u32[0x3fc00000, 0xc0400000]  ;= v1 = u32[0x41080000, 0x41080000]
v_dual_cndmask_b32 v0, v4, v5 :: v_dual_mul_f32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0xc0400000]  ;= v1 = u32[0x40000000, 0x40000000]
v_dual_cndmask_b32 v0, v4, v5 :: v_dual_add_f32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0xc0400000]  ;= v1 = u32[0x41040000, 0x41040000]
v_dual_cndmask_b32 v0, v4, v5 :: v_dual_sub_f32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0xc0400000]  ;= v1 = u32[0xc0f80000, 0xc0f80000]
v_dual_cndmask_b32 v0, v4, v5 :: v_dual_subrev_f32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0xc0400000]  ;= v1 = u32[0x40f80000, 0x40f80000]
v_dual_cndmask_b32 v0, v4, v5 :: v_dual_mul_dx9_zero_f32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0xc0400000]  ;= v1 = u32[0x40000000, 0x40000000]
v_dual_cndmask_b32 v0, v4, v5 :: v_dual_mov_b32 v1, v7  ;= v0 = u32[0x3fc00000, 0xc0400000]  ;= v1 = u32[0x3e800000, 0x3e800000]
v_dual_cndmask_b32 v0, v4, v5 :: v_dual_cndmask_b32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0xc0400000]  ;= v1 = u32[0x3e800000, 0x41000000]
v_dual_cndmask_b32 v0, v4, v5 :: v_dual_max_f32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0xc0400000]  ;= v1 = u32[0x41000000, 0x41000000]
v_dual_cndmask_b32 v0, v4, v5 :: v_dual_min_f32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0xc0400000]  ;= v1 = u32[0x3e800000, 0x3e800000]
v_dual_cndmask_b32 v0, v4, v5 :: v_dual_dot2acc_f32_f16 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0xc0400000]  ;= v1 = u32[0x41c08000, 0x41c08000]
v_dual_cndmask_b32 v0, v4, v5 :: v_dual_dot2acc_f32_bf16 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0xc0400000]  ;= v1 = u32[0x41b00000, 0x41b00000]
v_dual_cndmask_b32 v0, v4, v5 :: v_dual_add_nc_u32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0xc0400000]  ;= v1 = u32[0x7f800000, 0x7f800000]
v_dual_cndmask_b32 v0, v4, v5 :: v_dual_lshlrev_b32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0xc0400000]  ;= v1 = u32[0x41000000, 0x41000000]
v_dual_cndmask_b32 v0, v4, v5 :: v_dual_and_b32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0xc0400000]  ;= v1 = u32[0x0, 0x0]
v_dual_max_f32 v0, v4, v5 :: v_dual_fmac_f32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0x3fc00000]  ;= v1 = u32[0x41b00000, 0x41b00000]
v_dual_max_f32 v0, v4, v5 :: v_dual_fmaak_f32 v1, v7, v6, 0x40000000  ;= v0 = u32[0x3fc00000, 0x3fc00000]  ;= v1 = u32[0x40800000, 0x40800000]
v_dual_max_f32 v0, v4, v5 :: v_dual_fmamk_f32 v1, v7, 0x40000000, v6  ;= v0 = u32[0x3fc00000, 0x3fc00000]  ;= v1 = u32[0x41080000, 0x41080000]
v_dual_max_f32 v0, v4, v5 :: v_dual_mul_f32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0x3fc00000]  ;= v1 = u32[0x40000000, 0x40000000]
v_dual_max_f32 v0, v4, v5 :: v_dual_add_f32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0x3fc00000]  ;= v1 = u32[0x41040000, 0x41040000]
v_dual_max_f32 v0, v4, v5 :: v_dual_sub_f32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0x3fc00000]  ;= v1 = u32[0xc0f80000, 0xc0f80000]
v_dual_max_f32 v0, v4, v5 :: v_dual_subrev_f32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0x3fc00000]  ;= v1 = u32[0x40f80000, 0x40f80000]
v_dual_max_f32 v0, v4, v5 :: v_dual_mul_dx9_zero_f32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0x3fc00000]  ;= v1 = u32[0x40000000, 0x40000000]
v_dual_max_f32 v0, v4, v5 :: v_dual_mov_b32 v1, v7  ;= v0 = u32[0x3fc00000, 0x3fc00000]  ;= v1 = u32[0x3e800000, 0x3e800000]
v_dual_max_f32 v0, v4, v5 :: v_dual_cndmask_b32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0x3fc00000]  ;= v1 = u32[0x3e800000, 0x41000000]
v_dual_max_f32 v0, v4, v5 :: v_dual_max_f32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0x3fc00000]  ;= v1 = u32[0x41000000, 0x41000000]
v_dual_max_f32 v0, v4, v5 :: v_dual_min_f32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0x3fc00000]  ;= v1 = u32[0x3e800000, 0x3e800000]
v_dual_max_f32 v0, v4, v5 :: v_dual_dot2acc_f32_f16 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0x3fc00000]  ;= v1 = u32[0x41c08000, 0x41c08000]
v_dual_max_f32 v0, v4, v5 :: v_dual_dot2acc_f32_bf16 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0x3fc00000]  ;= v1 = u32[0x41b00000, 0x41b00000]
v_dual_max_f32 v0, v4, v5 :: v_dual_add_nc_u32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0x3fc00000]  ;= v1 = u32[0x7f800000, 0x7f800000]
v_dual_max_f32 v0, v4, v5 :: v_dual_lshlrev_b32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0x3fc00000]  ;= v1 = u32[0x41000000, 0x41000000]
v_dual_max_f32 v0, v4, v5 :: v_dual_and_b32 v1, v7, v6  ;= v0 = u32[0x3fc00000, 0x3fc00000]  ;= v1 = u32[0x0, 0x0]
v_dual_min_f32 v0, v4, v5 :: v_dual_fmac_f32 v1, v7, v6  ;= v0 = u32[0xc0400000, 0xc0400000]  ;= v1 = u32[0x41b00000, 0x41b00000]
v_dual_min_f32 v0, v4, v5 :: v_dual_fmaak_f32 v1, v7, v6, 0x40000000  ;= v0 = u32[0xc0400000, 0xc0400000]  ;= v1 = u32[0x40800000, 0x40800000]
v_dual_min_f32 v0, v4, v5 :: v_dual_fmamk_f32 v1, v7, 0x40000000, v6  ;= v0 = u32[0xc0400000, 0xc0400000]  ;= v1 = u32[0x41080000, 0x41080000]
v_dual_min_f32 v0, v4, v5 :: v_dual_mul_f32 v1, v7, v6  ;= v0 = u32[0xc0400000, 0xc0400000]  ;= v1 = u32[0x40000000, 0x40000000]
v_dual_min_f32 v0, v4, v5 :: v_dual_add_f32 v1, v7, v6  ;= v0 = u32[0xc0400000, 0xc0400000]  ;= v1 = u32[0x41040000, 0x41040000]
v_dual_min_f32 v0, v4, v5 :: v_dual_sub_f32 v1, v7, v6  ;= v0 = u32[0xc0400000, 0xc0400000]  ;= v1 = u32[0xc0f80000, 0xc0f80000]
v_dual_min_f32 v0, v4, v5 :: v_dual_subrev_f32 v1, v7, v6  ;= v0 = u32[0xc0400000, 0xc0400000]  ;= v1 = u32[0x40f80000, 0x40f80000]
v_dual_min_f32 v0, v4, v5 :: v_dual_mul_dx9_zero_f32 v1, v7, v6  ;= v0 = u32[0xc0400000, 0xc0400000]  ;= v1 = u32[0x40000000, 0x40000000]
v_dual_min_f32 v0, v4, v5 :: v_dual_mov_b32 v1, v7  ;= v0 = u32[0xc0400000, 0xc0400000]  ;= v1 = u32[0x3e800000, 0x3e800000]
v_dual_min_f32 v0, v4, v5 :: v_dual_cndmask_b32 v1, v7, v6  ;= v0 = u32[0xc0400000, 0xc0400000]  ;= v1 = u32[0x3e800000, 0x41000000]
v_dual_min_f32 v0, v4, v5 :: v_dual_max_f32 v1, v7, v6  ;= v0 = u32[0xc0400000, 0xc0400000]  ;= v1 = u32[0x41000000, 0x41000000]
v_dual_min_f32 v0, v4, v5 :: v_dual_min_f32 v1, v7, v6  ;= v0 = u32[0xc0400000, 0xc0400000]  ;= v1 = u32[0x3e800000, 0x3e800000]
v_dual_min_f32 v0, v4, v5 :: v_dual_dot2acc_f32_f16 v1, v7, v6  ;= v0 = u32[0xc0400000, 0xc0400000]  ;= v1 = u32[0x41c08000, 0x41c08000]
v_dual_min_f32 v0, v4, v5 :: v_dual_dot2acc_f32_bf16 v1, v7, v6  ;= v0 = u32[0xc0400000, 0xc0400000]  ;= v1 = u32[0x41b00000, 0x41b00000]
v_dual_min_f32 v0, v4, v5 :: v_dual_add_nc_u32 v1, v7, v6  ;= v0 = u32[0xc0400000, 0xc0400000]  ;= v1 = u32[0x7f800000, 0x7f800000]
v_dual_min_f32 v0, v4, v5 :: v_dual_lshlrev_b32 v1, v7, v6  ;= v0 = u32[0xc0400000, 0xc0400000]  ;= v1 = u32[0x41000000, 0x41000000]
v_dual_min_f32 v0, v4, v5 :: v_dual_and_b32 v1, v7, v6  ;= v0 = u32[0xc0400000, 0xc0400000]  ;= v1 = u32[0x0, 0x0]
v_dual_dot2acc_f32_f16 v0, v4, v5 :: v_dual_fmac_f32 v1, v7, v6  ;= v0 = u32[0x40bc4000, 0x40bc4000]  ;= v1 = u32[0x41b00000, 0x41b00000]
v_dual_dot2acc_f32_f16 v0, v4, v5 :: v_dual_fmaak_f32 v1, v7, v6, 0x40000000  ;= v0 = u32[0x40bc4000, 0x40bc4000]  ;= v1 = u32[0x40800000, 0x40800000]
v_dual_dot2acc_f32_f16 v0, v4, v5 :: v_dual_fmamk_f32 v1, v6, 0x40000000, v7  ;= v0 = u32[0x40bc4000, 0x40bc4000]  ;= v1 = u32[0x41820000, 0x41820000]
v_dual_dot2acc_f32_f16 v0, v4, v5 :: v_dual_mul_f32 v1, v7, v6  ;= v0 = u32[0x40bc4000, 0x40bc4000]  ;= v1 = u32[0x40000000, 0x40000000]
v_dual_dot2acc_f32_f16 v0, v4, v5 :: v_dual_add_f32 v1, v7, v6  ;= v0 = u32[0x40bc4000, 0x40bc4000]  ;= v1 = u32[0x41040000, 0x41040000]
v_dual_dot2acc_f32_f16 v0, v4, v5 :: v_dual_sub_f32 v1, v7, v6  ;= v0 = u32[0x40bc4000, 0x40bc4000]  ;= v1 = u32[0xc0f80000, 0xc0f80000]
v_dual_dot2acc_f32_f16 v0, v4, v5 :: v_dual_subrev_f32 v1, v7, v6  ;= v0 = u32[0x40bc4000, 0x40bc4000]  ;= v1 = u32[0x40f80000, 0x40f80000]
v_dual_dot2acc_f32_f16 v0, v4, v5 :: v_dual_mul_dx9_zero_f32 v1, v7, v6  ;= v0 = u32[0x40bc4000, 0x40bc4000]  ;= v1 = u32[0x40000000, 0x40000000]
v_dual_dot2acc_f32_f16 v0, v4, v5 :: v_dual_mov_b32 v1, v7  ;= v0 = u32[0x40bc4000, 0x40bc4000]  ;= v1 = u32[0x3e800000, 0x3e800000]
v_dual_dot2acc_f32_f16 v0, v4, v5 :: v_dual_cndmask_b32 v1, v7, v6  ;= v0 = u32[0x40bc4000, 0x40bc4000]  ;= v1 = u32[0x3e800000, 0x41000000]
v_dual_dot2acc_f32_f16 v0, v4, v5 :: v_dual_max_f32 v1, v7, v6  ;= v0 = u32[0x40bc4000, 0x40bc4000]  ;= v1 = u32[0x41000000, 0x41000000]
v_dual_dot2acc_f32_f16 v0, v4, v5 :: v_dual_min_f32 v1, v7, v6  ;= v0 = u32[0x40bc4000, 0x40bc4000]  ;= v1 = u32[0x3e800000, 0x3e800000]
v_dual_dot2acc_f32_f16 v0, v4, v5 :: v_dual_dot2acc_f32_f16 v1, v7, v6  ;= v0 = u32[0x40bc4000, 0x40bc4000]  ;= v1 = u32[0x41c08000, 0x41c08000]
v_dual_dot2acc_f32_f16 v0, v4, v5 :: v_dual_dot2acc_f32_bf16 v1, v7, v6  ;= v0 = u32[0x40bc4000, 0x40bc4000]  ;= v1 = u32[0x41b00000, 0x41b00000]
v_dual_dot2acc_f32_f16 v0, v4, v5 :: v_dual_add_nc_u32 v1, v7, v6  ;= v0 = u32[0x40bc4000, 0x40bc4000]  ;= v1 = u32[0x7f800000, 0x7f800000]
v_dual_dot2acc_f32_f16 v0, v4, v5 :: v_dual_lshlrev_b32 v1, v7, v6  ;= v0 = u32[0x40bc4000, 0x40bc4000]  ;= v1 = u32[0x41000000, 0x41000000]
v_dual_dot2acc_f32_f16 v0, v4, v5 :: v_dual_and_b32 v1, v7, v6  ;= v0 = u32[0x40bc4000, 0x40bc4000]  ;= v1 = u32[0x0, 0x0]
v_dual_dot2acc_f32_bf16 v0, v4, v5 :: v_dual_fmac_f32 v1, v7, v6  ;= v0 = u32[0x40b00000, 0x40b00000]  ;= v1 = u32[0x41b00000, 0x41b00000]
v_dual_dot2acc_f32_bf16 v0, v4, v5 :: v_dual_fmaak_f32 v1, v7, v6, 0x40000000  ;= v0 = u32[0x40b00000, 0x40b00000]  ;= v1 = u32[0x40800000, 0x40800000]
v_dual_dot2acc_f32_bf16 v0, v4, v5 :: v_dual_fmamk_f32 v1, v6, 0x40000000, v7  ;= v0 = u32[0x40b00000, 0x40b00000]  ;= v1 = u32[0x41820000, 0x41820000]
v_dual_dot2acc_f32_bf16 v0, v4, v5 :: v_dual_mul_f32 v1, v7, v6  ;= v0 = u32[0x40b00000, 0x40b00000]  ;= v1 = u32[0x40000000, 0x40000000]
v_dual_dot2acc_f32_bf16 v0, v4, v5 :: v_dual_add_f32 v1, v7, v6  ;= v0 = u32[0x40b00000, 0x40b00000]  ;= v1 = u32[0x41040000, 0x41040000]
v_dual_dot2acc_f32_bf16 v0, v4, v5 :: v_dual_sub_f32 v1, v7, v6  ;= v0 = u32[0x40b00000, 0x40b00000]  ;= v1 = u32[0xc0f80000, 0xc0f80000]
v_dual_dot2acc_f32_bf16 v0, v4, v5 :: v_dual_subrev_f32 v1, v7, v6  ;= v0 = u32[0x40b00000, 0x40b00000]  ;= v1 = u32[0x40f80000, 0x40f80000]
v_dual_dot2acc_f32_bf16 v0, v4, v5 :: v_dual_mul_dx9_zero_f32 v1, v7, v6  ;= v0 = u32[0x40b00000, 0x40b00000]  ;= v1 = u32[0x40000000, 0x40000000]
v_dual_dot2acc_f32_bf16 v0, v4, v5 :: v_dual_mov_b32 v1, v7  ;= v0 = u32[0x40b00000, 0x40b00000]  ;= v1 = u32[0x3e800000, 0x3e800000]
v_dual_dot2acc_f32_bf16 v0, v4, v5 :: v_dual_cndmask_b32 v1, v7, v6  ;= v0 = u32[0x40b00000, 0x40b00000]  ;= v1 = u32[0x3e800000, 0x41000000]
v_dual_dot2acc_f32_bf16 v0, v4, v5 :: v_dual_max_f32 v1, v7, v6  ;= v0 = u32[0x40b00000, 0x40b00000]  ;= v1 = u32[0x41000000, 0x41000000]
v_dual_dot2acc_f32_bf16 v0, v4, v5 :: v_dual_min_f32 v1, v7, v6  ;= v0 = u32[0x40b00000, 0x40b00000]  ;= v1 = u32[0x3e800000, 0x3e800000]
v_dual_dot2acc_f32_bf16 v0, v4, v5 :: v_dual_dot2acc_f32_f16 v1, v7, v6  ;= v0 = u32[0x40b00000, 0x40b00000]  ;= v1 = u32[0x41c08000, 0x41c08000]
v_dual_dot2acc_f32_bf16 v0, v4, v5 :: v_dual_dot2acc_f32_bf16 v1, v7, v6  ;= v0 = u32[0x40b00000, 0x40b00000]  ;= v1 = u32[0x41b00000, 0x41b00000]
v_dual_dot2acc_f32_bf16 v0, v4, v5 :: v_dual_add_nc_u32 v1, v7, v6  ;= v0 = u32[0x40b00000, 0x40b00000]  ;= v1 = u32[0x7f800000, 0x7f800000]
v_dual_dot2acc_f32_bf16 v0, v4, v5 :: v_dual_lshlrev_b32 v1, v7, v6  ;= v0 = u32[0x40b00000, 0x40b00000]  ;= v1 = u32[0x41000000, 0x41000000]
v_dual_dot2acc_f32_bf16 v0, v4, v5 :: v_dual_and_b32 v1, v7, v6  ;= v0 = u32[0x40b00000, 0x40b00000]  ;= v1 = u32[0x0, 0x0]
;! given
v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v0  ;! in v0 = u32[0x12345678]  ;! in v1 = u32[0xff0f00f]  ;= v0 = u32[0xff0f00f]  ;= v1 = u32[0x12345678]

;! in v0 = u32[0x40400000]
;! in v1 = u32[0x40a00000]
;! in v4 = u32[0x3f000000]
;! in v5 = u32[0x40e00000]
v_dual_add_f32 v0, v1, v4 :: v_dual_mul_f32 v1, v0, v5  ;= v0 = u32[0x40b00000]  ;= v1 = u32[0x41a80000]

;! in v0 = u32[0x40400000]
;! in v1 = u32[0x40a00000]
;! in v4 = u32[0x3f000000]
;! in v5 = u32[0x40e00000]
v_dual_fmac_f32 v0, v4, v1 :: v_dual_fmac_f32 v1, v5, v0  ;= v0 = u32[0x40b00000]  ;= v1 = u32[0x41d00000]

v_dual_mov_b32 v1, 0x12345678 :: v_dual_add_f32 v0, s4, v1  ;! in v1 = u32[0x40a00000]  ;! in s4 = u32[0x3f800000]  ;= v0 = u32[0x40c00000]  ;= v1 = u32[0x12345678]
v_dual_mov_b32 v3, 1.0 :: v_dual_lshlrev_b32 v2, 4, v3  ;! exec 0xffff00ff  ;! in v3 = u32[0x3]  ;! in v2 = u32[0x9]  ;= v2 = u32[0x30]  ;= v3 = u32[0x3f800000]
;! target gfx1100
lds_direct_load v0 wait_vdst:15  ;! lds = u32[0x11223344, 0xbbaa9988]  ;! in m0 = u32[0x4]  ;! in v0 = u32[0xaaaa5555]  ;= v0 = u32[0x88]
lds_direct_load v0 wait_vdst:15  ;! lds = u32[0x11223344, 0xbbaa9988]  ;! in m0 = u32[0x10004]  ;! in v0 = u32[0xaaaa5555]  ;= v0 = u32[0x9988]
lds_direct_load v0 wait_vdst:15  ;! lds = u32[0x11223344, 0xbbaa9988]  ;! in m0 = u32[0x20004]  ;! in v0 = u32[0xaaaa5555]  ;= v0 = u32[0xbbaa9988]
lds_direct_load v0 wait_vdst:15  ;! lds = u32[0x11223344, 0xbbaa9988]  ;! in m0 = u32[0x40004]  ;! in v0 = u32[0xaaaa5555]  ;= v0 = u32[0xffffff88]
lds_direct_load v0 wait_vdst:15  ;! lds = u32[0x11223344, 0xbbaa9988]  ;! in m0 = u32[0x50004]  ;! in v0 = u32[0xaaaa5555]  ;= v0 = u32[0xffff9988]

;! given exec 3
;! given lds = u32[0x40000000, 0x40400000]
;! given in v1 = u32[0x0, 0x4]
;! given in v8 = u32[0x41100000]
;! given in v10 = u32[0x40000000]
ds_cmpstore_b32 v1, v8, v10
s_waitcnt lgkmcnt(0)
;= lds = u32[0x41100000, 0x40400000]

ds_cmpstore_rtn_b32 v0, v1, v8, v10
s_waitcnt lgkmcnt(0)
;= lds = u32[0x41100000, 0x40400000]
;= v0 = u32[0x40000000, 0x40400000]

ds_cmpstore_f32 v1, v8, v10
s_waitcnt lgkmcnt(0)
;= lds = u32[0x41100000, 0x40400000]

ds_cmpstore_rtn_f32 v0, v1, v8, v10
s_waitcnt lgkmcnt(0)
;= lds = u32[0x41100000, 0x40400000]
;= v0 = u32[0x40000000, 0x40400000]

;! given
;! given exec 3
;! given lds = u32[0x0, 0x40000000, 0x0, 0x40080000]
;! given in v1 = u32[0x0, 0x8]
;! given in v[8:9] = u64[0x4022000000000000]
;! given in v[10:11] = u64[0x4000000000000000]
ds_cmpstore_b64 v1, v[8:9], v[10:11]
s_waitcnt lgkmcnt(0)
;= lds = u32[0x0, 0x40220000, 0x0, 0x40080000]

ds_cmpstore_rtn_b64 v[4:5], v1, v[8:9], v[10:11]
s_waitcnt lgkmcnt(0)
;= lds = u32[0x0, 0x40220000, 0x0, 0x40080000]
;= v[4:5] = u64[0x4000000000000000, 0x4008000000000000]

ds_cmpstore_f64 v1, v[8:9], v[10:11]
s_waitcnt lgkmcnt(0)
;= lds = u32[0x0, 0x40220000, 0x0, 0x40080000]

ds_cmpstore_rtn_f64 v[4:5], v1, v[8:9], v[10:11]
s_waitcnt lgkmcnt(0)
;= lds = u32[0x0, 0x40220000, 0x0, 0x40080000]
;= v[4:5] = u64[0x4000000000000000, 0x4008000000000000]

;! given
;! given scratch 64
;! given in v0 = u32[0xaaaa5555]
;! given in v1 = u32[0x4]
;! given in v4 = u32[0x12345678]
;! given in s4 = u32[0xc]
scratch_store_b32 v1, v4, s4 offset:-8
scratch_load_b32 v0, v1, s4 offset:-8
s_waitcnt vmcnt(0)
;= v0 = u32[0x12345678]

scratch_store_b32 off, v4, s4 offset:8
scratch_load_b32 v0, v1, off offset:16
s_waitcnt vmcnt(0)
;= v0 = u32[0x12345678]

;! given
;! given exec 3
;! given memory v[2:3] step 4 = u32[0x40000000, 0x3f800000]
;! given in v4 = u32[0x3fc00000, 0xc0000000]
global_atomic_add_f32 v[2:3], v4, off
s_waitcnt vmcnt(0) lgkmcnt(0)
;= memory = u32[0x40600000, 0xbf800000]

global_atomic_add_f32 v0, v[2:3], v4, off glc
s_waitcnt vmcnt(0) lgkmcnt(0)
;= memory = u32[0x40600000, 0xbf800000]
;= v0 = u32[0x40000000, 0x3f800000]

flat_atomic_add_f32 v[2:3], v4
s_waitcnt vmcnt(0) lgkmcnt(0)
;= memory = u32[0x40600000, 0xbf800000]

flat_atomic_add_f32 v0, v[2:3], v4 glc
s_waitcnt vmcnt(0) lgkmcnt(0)
;= memory = u32[0x40600000, 0xbf800000]
;= v0 = u32[0x40000000, 0x3f800000]

;! given
;! given exec 3
;! given memory s[8:11] = u32[0x40000000, 0x3f800000]
;! given in v1 = u32[0x0, 0x4]
;! given in v4 = u32[0x3fc00000, 0xc0000000]
buffer_atomic_add_f32 v4, v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= memory = u32[0x40600000, 0xbf800000]

buffer_atomic_add_f32 v4, v1, s[8:11], 0 offen glc
s_waitcnt vmcnt(0)
;= memory = u32[0x40600000, 0xbf800000]
;= v4 = u32[0x40000000, 0x3f800000]

; How far to shift is a half of a register.
;! target gfx1100 gfx1151 gfx1201
;! by spec RDNA3.5 "VOP3"; halves as LLVM has them
;! given
;! in v4 = u32[0x12345678]
;! in v5 = u32[0x9abcdef0]
;! in v6 = u32[0x00080004]
;! in v7 = u32[0x00010003]
v_alignbit_b32 v0, v4, v5, v6.l
v_alignbit_b32 v1, v4, v5, v6.h
v_alignbyte_b32 v2, v4, v5, v7.l
v_alignbyte_b32 v3, v4, v5, v7.h
;= v0 = u32[0x89abcdef]
;= v1 = u32[0x789abcde]
;= v2 = u32[0x3456789a]
;= v3 = u32[0x789abcde]
