; Conversions.
;! by spec, CDNA2 and RDNA2 manuals, IEEE 754, and published observations on silicon

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
v_cvt_f64_f32_e32 v[0:1], v4  ;! in v4 = f32[1.5, 0x80000001]  ;= v[0:1] = f64[1.5, 0xb6a0000000000000]
v_cvt_f32_f64_e32 v0, v[4:5]  ;! in v[4:5] = f64[1.5, 1e+300, 16777217.0]  ;= v0 = f32[1.5, inf, 16777216.0]
v_cvt_f64_i32_e32 v[0:1], v4  ;! in v4 = u32[0xfffffffe]  ;= v[0:1] = f64[-2.0]
v_cvt_f64_u32_e32 v[0:1], v4  ;! in v4 = u32[0xfffffffe]  ;= v[0:1] = f64[4294967294.0]
v_cvt_i32_f64_e32 v0, v[4:5]  ;! in v[4:5] = f64[-2.9, 0x4202a05f20000000, 0xc202a05f20000000, 0x7ff8000000000000]  ;= v0 = u32[0xfffffffe, 0x7fffffff, 0x80000000, 0]
v_cvt_u32_f64_e32 v0, v[4:5]  ;! in v[4:5] = f64[-2.9, 4294967295.5, 3000000000.0]  ;= v0 = u32[0, 0xffffffff, 0xb2d05e00]
v_cvt_i32_f32_e32 v0, v4  ;! in v4 = f32[-2.9, 1e+10, 0x7fc00000]  ;= v0 = u32[0xfffffffe, 0x7fffffff, 0]
v_cvt_u32_f32_e32 v0, v4  ;! in v4 = f32[-1.0, 1e+10, 3.99]  ;= v0 = u32[0, 0xffffffff, 3]
v_cvt_f32_i32_e32 v0, v4  ;! in v4 = u32[0xffffffff, 0x1000001]  ;= v0 = f32[-1.0, 16777216.0]
v_cvt_f32_u32_e32 v0, v4  ;! in v4 = u32[0xffffffff]  ;= v0 = f32[0x4f800000]
v_cvt_f32_ubyte2_e32 v0, v4  ;! in v4 = f32[0x12ab3456]  ;= v0 = f32[171.0]
v_cvt_flr_i32_f32_e32 v0, v4  ;! in v4 = f32[-1.5]  ;= v0 = u32[0xfffffffe]
v_cvt_rpi_i32_f32_e32 v0, v4  ;! in v4 = f32[1.5, -1.5]  ;= v0 = u32[2, 0xffffffff]
v_cvt_off_f32_i4_e32 v0, v4  ;! in v4 = u32[8, 7, 1]  ;= v0 = f32[-0.5, 0.4375, 0.0625]
v_cvt_pkrtz_f16_f32 v0, v4, v8  ;! in v4 = f32[1.0, 7e+04, 1.0009764]  ;! in v8 = f32[-2.0, 0.0, 0.0]  ;= v0 = u32[0xc0003c00, 0x7bff, 0x3c00]
v_cvt_pknorm_i16_f32 v0, v4, v8  ;! in v4 = f32[1.0, 2.0]  ;! in v8 = f32[-1.0, 0x7fc00000]  ;= v0 = u32[0x80017fff, 0x7fff]
v_cvt_pknorm_u16_f32 v0, v4, v8  ;! in v4 = f32[1.0, 0.5]  ;! in v8 = f32[-1.0, 2.0]  ;= v0 = u32[0xffff, 0xffff8000]
v_cvt_pknorm_i16_f16 v0, v4, v8  ;! in v4 = u32[0x3c00]  ;! in v8 = u32[0xbc00]  ;= v0 = u32[0x80017fff]
v_cvt_pknorm_u16_f16 v0, v4, v8  ;! in v4 = u32[0x3c00]  ;! in v8 = u32[0x4000]  ;= v0 = u32[0xffffffff]
v_cvt_pk_u16_u32 v0, v4, v8  ;! in v4 = u32[0x11170]  ;! in v8 = u32[5]  ;= v0 = u32[0x5ffff]
v_cvt_pk_i16_i32 v0, v4, v8  ;! in v4 = u32[0x11170]  ;! in v8 = u32[0xffff0000]  ;= v0 = u32[0x80007fff]
v_cvt_pk_u8_f32 v0, v4, v8, v12  ;! in v4 = u32[0x43480000, 0x43960000, 0xc0400000]  ;! in v8 = u32[1, 0, 3]  ;! in v12 = u32[0x11111111, 0, 0xffffffff]  ;= v0 = u32[0x1111c811, 0xff, 0xffffff]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_sat_pk_u8_i16_e32 v0, v4  ;! in v4 = u32[0xffff0123, 0x120034, 0x1008000]  ;= v0 = u32[0xff, 0x1234, 0xff00]
v_cvt_pkaccum_u8_f32 v0, v4, v8  ;! in v0 = u32[0xaaaaaaaa]  ;! in v4 = f32[7.0]  ;! in v8 = f32[0x2]  ;= v0 = u32[0xaa07aaaa]
