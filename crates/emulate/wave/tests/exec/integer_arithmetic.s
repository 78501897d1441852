; Integer arithmetic.
;! by spec, worked out by hand from the pseudocode of the CDNA2 and RDNA2 manuals

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_add_u32_e32 v0, v4, v8  ;! in v4 = u32[0xffffffff]  ;! in v8 = u32[2]  ;= v0 = u32[1]
v_add_u32_e64 v0, v4, v8 clamp  ;! in v4 = u32[0xffffffff]  ;! in v8 = u32[2]  ;= v0 = u32[0xffffffff]
v_sub_u32_e32 v0, v4, v8  ;! in v4 = u32[1]  ;! in v8 = u32[2]  ;= v0 = u32[0xffffffff]
v_subrev_u32_e32 v0, v4, v8  ;! in v4 = u32[1]  ;! in v8 = u32[2]  ;= v0 = u32[1]
v_add_i32 v0, v4, v8 clamp  ;! in v4 = u32[0x7fffffff]  ;! in v8 = u32[2]  ;= v0 = u32[0x7fffffff]
v_sub_i32 v0, v4, v8 clamp  ;! in v4 = u32[0x80000000]  ;! in v8 = u32[2]  ;= v0 = u32[0x80000000]
;! target gfx1030
v_add_nc_u32_e32 v0, v4, v8  ;! in v4 = u32[0xffffffff]  ;! in v8 = u32[2]  ;= v0 = u32[1]
v_sub_nc_u32_e64 v0, v4, v8 clamp  ;! in v4 = u32[1]  ;! in v8 = u32[2]  ;= v0 = u32[0]
v_subrev_nc_u32_e32 v0, v4, v8  ;! in v4 = u32[1]  ;! in v8 = u32[2]  ;= v0 = u32[1]
v_add_nc_i32 v0, v4, v8  ;! in v4 = u32[0x7fffffff]  ;! in v8 = u32[1]  ;= v0 = u32[0x80000000]
v_sub_nc_i32 v0, v4, v8  ;! in v4 = u32[0]  ;! in v8 = u32[1]  ;= v0 = u32[0xffffffff]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
v_add3_u32 v0, v4, v8, v12  ;! in v4 = u32[1]  ;! in v8 = u32[2]  ;! in v12 = u32[0xffffffff]  ;= v0 = u32[2]
v_lshl_add_u32 v0, v4, v8, v12  ;! in v4 = u32[3]  ;! in v8 = u32[4]  ;! in v12 = u32[1]  ;= v0 = u32[0x31]
v_add_lshl_u32 v0, v4, v8, v12  ;! in v4 = u32[3]  ;! in v8 = u32[4]  ;! in v12 = u32[1]  ;= v0 = u32[0xe]
v_xad_u32 v0, v4, v8, v12  ;! in v4 = u32[3]  ;! in v8 = u32[5]  ;! in v12 = u32[1]  ;= v0 = u32[7]
v_mul_lo_u32 v0, v4, v8  ;! in v4 = u32[0x10001]  ;! in v8 = u32[0x10001]  ;= v0 = u32[0x20001]
v_mul_hi_u32 v0, v4, v8  ;! in v4 = u32[0xffffffff]  ;! in v8 = u32[0xffffffff]  ;= v0 = u32[0xfffffffe]
v_mul_hi_i32 v0, v4, v8  ;! in v4 = u32[0xffffffff]  ;! in v8 = u32[5]  ;= v0 = u32[0xffffffff]
v_mul_u32_u24_e32 v0, v4, v8  ;! in v4 = u32[0xff000003]  ;! in v8 = u32[5]  ;= v0 = u32[0xf]
v_mul_i32_i24_e32 v0, v4, v8  ;! in v4 = u32[0xffffff]  ;! in v8 = u32[5]  ;= v0 = u32[0xfffffffb]
v_mul_hi_u32_u24_e32 v0, v4, v8  ;! in v4 = u32[0xffffff]  ;! in v8 = u32[0xffffff]  ;= v0 = u32[0xffff]
v_mul_hi_i32_i24_e32 v0, v4, v8  ;! in v4 = u32[0xffffff]  ;! in v8 = u32[5]  ;= v0 = u32[0xffffffff]
v_mad_u32_u24 v0, v4, v8, v12  ;! in v4 = u32[0xff000003]  ;! in v8 = u32[5]  ;! in v12 = u32[1]  ;= v0 = u32[0x10]
v_mad_i32_i24 v0, v4, v8, v12  ;! in v4 = u32[0xffffff]  ;! in v8 = u32[5]  ;! in v12 = u32[1]  ;= v0 = u32[0xfffffffc]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030/64
v_mad_u64_u32 v[0:1], s[8:9], v4, v8, v[12:13]  ;! in v4 = u32[0xffffffff]  ;! in v8 = u32[0xffffffff]  ;! in v[12:13] = u64[1]  ;= v[0:1] = u64[0xfffffffe00000002]  ;= s8 = any  ;= s9 = any
v_mad_i64_i32 v[0:1], s[8:9], v4, v8, v[12:13]  ;! in v4 = u32[0xffffffff]  ;! in v8 = u32[5]  ;! in v[12:13] = u64[1]  ;= v[0:1] = u64[0xfffffffffffffffc]  ;= s8 = any  ;= s9 = any
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
;! given in v4 = u32[1]
;! given in v8 = u32[0xffffffff]
v_min_u32_e32 v0, v4, v8  ;= v0 = u32[1]
v_max_u32_e32 v0, v4, v8  ;= v0 = u32[0xffffffff]
v_min_i32_e32 v0, v4, v8  ;= v0 = u32[0xffffffff]
v_max_i32_e32 v0, v4, v8  ;= v0 = u32[1]

;! given in v12 = u32[5]
v_min3_u32 v0, v4, v8, v12  ;= v0 = u32[1]
v_max3_u32 v0, v4, v8, v12  ;= v0 = u32[0xffffffff]
v_med3_u32 v0, v4, v8, v12  ;= v0 = u32[5]
v_min3_i32 v0, v4, v8, v12  ;= v0 = u32[0xffffffff]
v_max3_i32 v0, v4, v8, v12  ;= v0 = u32[5]
v_med3_i32 v0, v4, v8, v12  ;= v0 = u32[1]
