; Single precision.
;! by spec, worked out by hand from the pseudocode of the CDNA2 and RDNA2 manuals

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
v_add_f32_e32 v0, v4, v8  ;! in v4 = f32[1.0, inf, 0x7f801234, 1.0]  ;! in v8 = f32[2.5, -inf, 1.0, 0xffc00001]  ;= v0 = f32[3.5, 0x7fc00000, 0x7fc01234, 0xffc00001]
v_sub_f32_e32 v0, v4, v8  ;! in v4 = f32[1.0]  ;! in v8 = f32[2.5]  ;= v0 = f32[-1.5]
v_subrev_f32_e32 v0, v4, v8  ;! in v4 = f32[1.0]  ;! in v8 = f32[2.5]  ;= v0 = f32[1.5]
v_mul_f32_e32 v0, v4, v8  ;! in v4 = f32[3.0, 0.0, 0x1, 0x3]  ;! in v8 = f32[-0.5, inf, 0.5, 0.5]  ;= v0 = f32[-1.5, 0x7fc00000, 0.0, 0x2]
v_mul_legacy_f32 v0, v4, v8  ;! in v4 = f32[-0.0, 3.0]  ;! in v8 = f32[inf, 2.0]  ;= v0 = f32[0.0, 6.0]
v_fma_f32 v0, v4, v8, v12  ;! in v4 = f32[1.0000001]  ;! in v8 = f32[0.9999999]  ;! in v12 = f32[-1.0]  ;= v0 = f32[0xa8800000]
;! target gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
v_fmac_f32_e32 v0, v4, v8  ;! in v0 = f32[1.0]  ;! in v4 = f32[3.0]  ;! in v8 = f32[4.0]  ;= v0 = f32[13.0]
;! target gfx942 gfx950 gfx1030
v_fmaak_f32 v0, v4, v8, 0x3f800000  ;! in v4 = f32[3.0]  ;! in v8 = f32[4.0]  ;= v0 = f32[13.0]
v_fmamk_f32 v0, v4, 0x40800000, v8  ;! in v4 = f32[3.0]  ;! in v8 = f32[1.0]  ;= v0 = f32[13.0]
; Two roundings: the product 1 - 2^-46 rounds to 1 first.
;! target gfx900 gfx906 gfx908 gfx90a gfx1010
v_mad_f32 v0, v4, v8, v12  ;! in v4 = f32[1.0000001, 0x1]  ;! in v8 = f32[0.9999999, 1.0]  ;! in v12 = f32[-1.0, 0x1]  ;= v0 = f32[0.0]
v_mac_f32_e32 v0, v4, v8  ;! in v0 = f32[1.0]  ;! in v4 = f32[3.0]  ;! in v8 = f32[4.0]  ;= v0 = f32[13.0]
v_madak_f32 v0, v4, v8, 0x3f800000  ;! in v4 = f32[3.0]  ;! in v8 = f32[4.0]  ;= v0 = f32[13.0]
v_madmk_f32 v0, v4, 0x40800000, v8  ;! in v4 = f32[3.0]  ;! in v8 = f32[1.0]  ;= v0 = f32[13.0]
v_mad_legacy_f32 v0, v4, v8, v12  ;! in v4 = f32[0.0]  ;! in v8 = f32[inf]  ;! in v12 = f32[2.0]  ;= v0 = f32[2.0]
;! target gfx1030
v_fma_legacy_f32 v0, v4, v8, v12  ;! in v4 = f32[0.0]  ;! in v8 = f32[inf]  ;! in v12 = f32[2.0]  ;= v0 = f32[2.0]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
v_max_f32_e32 v0, v4, v8  ;! in v4 = f32[0x7f8a5a5a, -0.0, 0x7fc00000]  ;! in v8 = f32[0x7f8a5a5a, 0.0, 1.0]  ;= v0 = f32[0x7fca5a5a, 0.0, 1.0]
v_min_f32_e32 v0, v4, v8  ;! in v4 = f32[0.0, 1.0]  ;! in v8 = f32[-0.0, 0x7fc00000]  ;= v0 = f32[-0.0, 1.0]
v_min3_f32 v0, v4, v8, v12  ;! in v4 = f32[3.0]  ;! in v8 = f32[1.0]  ;! in v12 = f32[2.0]  ;= v0 = f32[1.0]
v_max3_f32 v0, v4, v8, v12  ;! in v4 = f32[3.0]  ;! in v8 = f32[1.0]  ;! in v12 = f32[2.0]  ;= v0 = f32[3.0]
v_med3_f32 v0, v4, v8, v12  ;! in v4 = f32[3.0, 0x7fc00000, -0.0]  ;! in v8 = f32[1.0, 1.0, -0.0]  ;! in v12 = f32[2.0, 2.0, 0.0]  ;= v0 = f32[2.0, 1.0, -0.0]

;! given in v4 = f32[-1.5]
v_floor_f32_e32 v0, v4  ;= v0 = f32[-2.0]
v_ceil_f32_e32 v0, v4  ;= v0 = f32[-1.0]
v_trunc_f32_e32 v0, v4  ;= v0 = f32[-1.0]
;! given
v_rndne_f32_e32 v0, v4  ;! in v4 = f32[2.5, -0.4]  ;= v0 = f32[2.0, -0.0]
v_fract_f32_e32 v0, v4  ;! in v4 = f32[0xb0800000, -0.0, inf]  ;= v0 = f32[0.99999994, 0.0, 0x7fc00000]
v_frexp_mant_f32_e32 v0, v4  ;! in v4 = f32[-6.0, 0x1]  ;= v0 = f32[-0.75, 0.5]
v_frexp_exp_i32_f32_e32 v0, v4  ;! in v4 = f32[-6.0, 0x1]  ;= v0 = u32[3, 0xffffff6c]
v_ldexp_f32 v0, v4, v8  ;! in v4 = f32[1.5, 1.0]  ;! in v8 = u32[4, 0xffffff6b]  ;= v0 = f32[24.0, 0x1]
v_fma_f32 v0, v4, 2.0, 1.0  ;! in v4 = f32[3.0]  ;= v0 = f32[7.0]
