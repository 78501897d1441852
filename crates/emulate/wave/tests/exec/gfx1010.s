; What gfx10.1 alone has.
;! by spec RDNA 1.0 "VOP2", "VOP3", "SMEM"; worked out by hand
;! target gfx1010

; Zero times anything is zero.
v_mac_legacy_f32_e32 v0, v4, v8  ;! in v0 = f32[1.0, 0.5, 2.0]  ;! in v4 = f32[0.0, 2.0, inf]  ;! in v8 = f32[inf, 3.0, -0.0]  ;= v0 = f32[1.0, 6.5, 2.0]
; The lower half of the product.
v_mul_lo_i32 v0, v4, v8  ;! in v4 = u32[0xfffffffd, 0x10000, 0x80000000]  ;! in v8 = u32[7, 0x10001, 3]  ;= v0 = u32[0xffffffeb, 0x10000, 0x80000000]

;! waves 3
s_get_waveid_in_workgroup s0
s_waitcnt lgkmcnt(0)
;= s0 = u32[2]
