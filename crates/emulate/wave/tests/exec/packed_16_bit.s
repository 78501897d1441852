; Packed 16 bit.
;! by spec, worked out by hand from the formulas of the CDNA2 and RDNA2 manuals

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
v_pk_add_u16 v0, v4, v8  ;! in v4 = u32[0xffff0001]  ;! in v8 = u32[0x10002]  ;= v0 = u32[3]
v_pk_add_u16 v0, v4, v8 clamp  ;! in v4 = u32[0xffff0001]  ;! in v8 = u32[0x10002]  ;= v0 = u32[0xffff0003]
v_pk_add_i16 v0, v4, v8 clamp  ;! in v4 = u32[0x7fff8000]  ;! in v8 = u32[0x1ffff]  ;= v0 = u32[0x7fff8000]
v_pk_sub_u16 v0, v4, v8 clamp  ;! in v4 = u32[0x10005]  ;! in v8 = u32[0x20003]  ;= v0 = u32[2]
v_pk_sub_i16 v0, v4, v8  ;! in v4 = u32[0x10005]  ;! in v8 = u32[0x20003]  ;= v0 = u32[0xffff0002]
v_pk_mul_lo_u16 v0, v4, v8  ;! in v4 = u32[0x1000003]  ;! in v8 = u32[0x1000005]  ;= v0 = u32[0xf]
v_pk_mad_u16 v0, v4, v8, v12  ;! in v4 = u32[0x20003]  ;! in v8 = u32[0x40005]  ;! in v12 = u32[0x10001]  ;= v0 = u32[0x90010]
v_pk_mad_i16 v0, v4, v8, v12  ;! in v4 = u32[0xffff0003]  ;! in v8 = u32[0x40005]  ;! in v12 = u32[0x10001]  ;= v0 = u32[0xfffd0010]
v_pk_lshlrev_b16 v0, v4, v8  ;! in v4 = u32[0x10011]  ;! in v8 = u32[0x80018001]  ;= v0 = u32[0x20002]
v_pk_lshrrev_b16 v0, v4, v8  ;! in v4 = u32[0x10000]  ;! in v8 = u32[0x80018001]  ;= v0 = u32[0x40008001]
v_pk_ashrrev_i16 v0, v4, v8  ;! in v4 = u32[0x10000]  ;! in v8 = u32[0x80018001]  ;= v0 = u32[0xc0008001]

;! given in v4 = u32[0xffff0001]
;! given in v8 = u32[0x1ffff]
v_pk_min_u16 v0, v4, v8  ;= v0 = u32[0x10001]
v_pk_max_u16 v0, v4, v8  ;= v0 = u32[0xffffffff]
v_pk_min_i16 v0, v4, v8  ;= v0 = u32[0xffffffff]
v_pk_max_i16 v0, v4, v8  ;= v0 = u32[0x10001]
; Half selection: op_sel for the low result, op_sel_hi for the high one.
;! given
;! given in v4 = u32[0x100001]
v_pk_add_u16 v0, v4, v8 op_sel:[1,0] op_sel_hi:[0,1]  ;! in v8 = u32[0x2000100]  ;= v0 = u32[0x2010110]
; An inline constant is a 32-bit value: its high half is zero, or ones when negative.
v_pk_add_u16 v0, v4, 1  ;= v0 = u32[0x100002]
v_pk_add_u16 v0, v4, 1 op_sel_hi:[1,0]  ;= v0 = u32[0x110002]
v_pk_sub_i16 v0, v4, -1  ;= v0 = u32[0x110002]
;! given
;! given in v4 = u32[0x3c004000]
;! given in v8 = u32[0x3c004200]
v_pk_add_f16 v0, v4, v8  ;= v0 = u32[0x40004500]
v_pk_add_f16 v0, v4, v8 neg_lo:[1,0] neg_hi:[0,1]  ;= v0 = u32[0x3c00]
;! given
;! given in v4 = u32[0x3c004000]
v_pk_add_f16 v0, v4, 1.0 op_sel_hi:[1,0]  ;= v0 = u32[0x40004200]
v_pk_mul_f16 v0, v4, v8  ;! in v8 = u32[0x3c004200]  ;= v0 = u32[0x3c004600]
;! given
;! given in v8 = u32[0x3c004200]
v_pk_mul_f16 v0, v4, v8 clamp  ;! in v4 = u32[0xbc004000]  ;= v0 = u32[0x3c00]
v_pk_fma_f16 v0, v4, v8, v12  ;! in v4 = u32[0x3c004000]  ;! in v12 = u32[0x3c003c00]  ;= v0 = u32[0x40004700]
;! given
;! given in v8 = u32[0x4200]
v_pk_min_f16 v0, v4, v8  ;! in v4 = u32[0x80004000]  ;= v0 = u32[0x80004000]
v_pk_max_f16 v0, v4, v8  ;! in v4 = u32[0x80007e00]  ;= v0 = u32[0x4200]
;! target gfx908 gfx90a gfx942 gfx950 gfx1030
;! given
v_pk_fmac_f16 v0, v4, v8  ;! in v0 = u32[0x3c003c00]  ;! in v4 = u32[0x3c004000]  ;! in v8 = u32[0x3c004200]  ;= v0 = u32[0x40004700]
