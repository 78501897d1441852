; Approximations and division.
;! by spec, CDNA2 and RDNA2 manuals, IEEE 754, and published observations on silicon

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
v_rcp_f32_e32 v0, v4  ;! in v4 = f32[2.0, -0.0, inf, 0x7f000000, 0x400000]  ;= v0 = f32[0.5, -inf, 0.0, 0.0, inf]
v_rcp_iflag_f32_e32 v0, v4  ;! in v4 = f32[4.0]  ;= v0 = f32[0.25]
v_rsq_f32_e32 v0, v4  ;! in v4 = f32[4.0, 0.0, -1.0]  ;= v0 = f32[0.5, inf, 0x7fc00000]
v_sqrt_f32_e32 v0, v4  ;! in v4 = f32[9.0, -0.0]  ;= v0 = f32[3.0, -0.0]
v_exp_f32_e32 v0, v4  ;! in v4 = f32[3.0, -1.0, -inf, 2e+02]  ;= v0 = f32[8.0, 0.5, 0.0, inf]
v_log_f32_e32 v0, v4  ;! in v4 = f32[8.0, 0.0, -1.0]  ;= v0 = f32[3.0, -inf, 0x7fc00000]
v_sin_f32_e32 v0, v4  ;! in v4 = f32[0.25, -0.0, 0.5]  ;= v0 = f32[1.0, -0.0, 0.0]
v_cos_f32_e32 v0, v4  ;! in v4 = f32[0.5, 0.0]  ;= v0 = f32[-1.0, 1.0]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_sin_f32_e32 v0, v4  ;! in v4 = f32[300.25]  ;= v0 = f32[0.0]
v_cos_f32_e32 v0, v4  ;! in v4 = f32[300.5]  ;= v0 = f32[1.0]
;! target gfx1030
v_sin_f32_e32 v0, v4  ;! in v4 = f32[300.25]  ;= v0 = f32[1.0]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_exp_legacy_f32_e32 v0, v4  ;! in v4 = f32[3.0]  ;= v0 = f32[8.0]
v_log_legacy_f32_e32 v0, v4  ;! in v4 = f32[8.0]  ;= v0 = f32[3.0]
v_rcp_f16_e32 v0, v4  ;! in v4 = u32[0x4000, 0]  ;= v0 = u32[0x3800, 0x7c00]
v_rsq_f16_e32 v0, v4  ;! in v4 = u32[0x4400]  ;= v0 = u32[0x3800]
v_sqrt_f16_e32 v0, v4  ;! in v4 = u32[0x4400]  ;= v0 = u32[0x4000]
v_exp_f16_e32 v0, v4  ;! in v4 = u32[0x4200]  ;= v0 = u32[0x4800]
v_log_f16_e32 v0, v4  ;! in v4 = u32[0x4800]  ;= v0 = u32[0x4200]
v_sin_f16_e32 v0, v4  ;! in v4 = u32[0x3400]  ;= v0 = u32[0x3c00]
v_cos_f16_e32 v0, v4  ;! in v4 = u32[0x3800]  ;= v0 = u32[0xbc00]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
v_rcp_f64_e32 v[0:1], v[4:5]  ;! in v[4:5] = f64[2.0, -0.0]  ;= v[0:1] = f64[0.5, -inf]
v_rsq_f64_e32 v[0:1], v[4:5]  ;! in v[4:5] = f64[4.0]  ;= v[0:1] = f64[0.5]
v_sqrt_f64_e32 v[0:1], v[4:5]  ;! in v[4:5] = f64[16.0]  ;= v[0:1] = f64[4.0]
; Observed on silicon: 1/S1 denormal fires for 2^127 and leaves the numerator alone.
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_div_scale_f32 v0, vcc, v4, v8, v12  ;! in v4 = f32[1.0]  ;! in v8 = f32[3.0, 0.0]  ;! in v12 = f32[1.0]  ;= v0 = f32[1.0, 0x7fc00000]  ;= vcc = any
v_div_scale_f64 v[0:1], vcc, v[4:5], v[8:9], v[12:13]  ;! in v[4:5] = f64[1.0]  ;! in v[8:9] = f64[3.0]  ;! in v[12:13] = f64[1.0]  ;= v[0:1] = f64[1.0]  ;= vcc = any
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
v_div_fixup_f32 v0, v4, v8, v12  ;! in v4 = f32[0.5, 0.0, 0.0, 1.0]  ;! in v8 = f32[2.0, 0.0, 0.0, inf]  ;! in v12 = f32[-1.0, 0.0, -2.0, 3.0]  ;= v0 = f32[-0.5, 0xffc00000, -inf, 0.0]
v_div_fixup_f64 v[0:1], v[4:5], v[8:9], v[12:13]  ;! in v[4:5] = f64[0.5, 0.0]  ;! in v[8:9] = f64[2.0, 0.0]  ;! in v[12:13] = f64[-1.0, 0.0]  ;= v[0:1] = f64[-0.5, 0xfff8000000000000]
v_cubeid_f32 v0, v4, v8, v12  ;! in v4 = f32[1.0, 4.0, 1.0]  ;! in v8 = f32[2.0, 2.0, -5.0]  ;! in v12 = f32[-3.0]  ;= v0 = f32[5.0, 0.0, 3.0]

;! given in v4 = f32[1.0]
;! given in v8 = f32[2.0]
;! given in v12 = f32[-3.0]
v_cubema_f32 v0, v4, v8, v12  ;= v0 = f32[-6.0]
v_cubesc_f32 v0, v4, v8, v12  ;= v0 = f32[-1.0]
v_cubetc_f32 v0, v4, v8, v12  ;= v0 = f32[-2.0]
;! target gfx1030
;! given
v_mullit_f32 v0, v4, v8, v12  ;! in v4 = f32[2.0]  ;! in v8 = f32[3.0]  ;! in v12 = f32[1.0, -1.0]  ;= v0 = f32[6.0, 0xff7fffff]
