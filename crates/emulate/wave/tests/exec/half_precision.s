; Half precision.
;! by spec, CDNA2 and RDNA2 manuals, IEEE 754, and published observations on silicon

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_add_f16_e32 v0, v4, v8  ;! in v4 = u32[0x3c00, 0x7bff, 0x7c00, 0x7c01, 1]  ;! in v8 = u32[0x4000, 0x7bff, 0xfc00, 0, 1]  ;= v0 = u32[0x4200, 0x7c00, 0x7e00, 0x7e01, 2]
;! target gfx1030
v_add_f16_e32 v0, v4, v8  ;! in v4 = u32[0x3c00, 0x7bff, 0x7c00, 0x7c01, 1]  ;! in v8 = u32[0x4000, 0x7bff, 0xfc00, 0, 1]  ;= v0 = u32[0xdead4200, 0xdead7c00, 0xdead7e00, 0xdead7e01, 0xdead0002]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given in v4 = u32[0x3c00]
;! given in v8 = u32[0x4000]
v_sub_f16_e32 v0, v4, v8  ;= v0 = u32[0xbc00]
;! target gfx1030
v_sub_f16_e32 v0, v4, v8  ;= v0 = u32[0xdeadbc00]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_subrev_f16_e32 v0, v4, v8  ;= v0 = u32[0x3c00]
;! target gfx1030
v_subrev_f16_e32 v0, v4, v8  ;= v0 = u32[0xdead3c00]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given
;! given in v4 = u32[0x4200, 1, 3]
;! given in v8 = u32[0x4000, 0x3800, 0x3800]
v_mul_f16_e32 v0, v4, v8  ;= v0 = u32[0x4600, 0, 2]
;! target gfx1030
v_mul_f16_e32 v0, v4, v8  ;= v0 = u32[0xdead4600, 0xdead0000, 0xdead0002]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given
;! given in v4 = u32[0x4200]
;! given in v8 = u32[0xc000]
v_mul_f16_e64 v0, -v4, |v8|  ;= v0 = u32[0xc600]
;! target gfx1030
v_mul_f16_e64 v0, -v4, |v8|  ;= v0 = u32[0xdeadc600]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given
;! given in v4 = u32[0x4200, 0xc200, 0x7e00]
;! given in v8 = u32[0x4000]
v_mul_f16_e64 v0, v4, v8 clamp  ;= v0 = u32[0x3c00, 0, 0]
;! target gfx1030
v_mul_f16_e64 v0, v4, v8 clamp  ;= v0 = u32[0xdead3c00, 0xdead0000, 0xdead0000]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given
;! given in v8 = u32[0x4000]
v_mul_f16_e32 v0, 0.5, v8  ;= v0 = u32[0x3c00]
;! target gfx1030
v_mul_f16_e32 v0, 0.5, v8  ;= v0 = u32[0xdead3c00]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given
;! given in v4 = u32[0x8000, 0x7e00]
;! given in v8 = u32[0, 0x4000]
v_max_f16_e32 v0, v4, v8  ;= v0 = u32[0, 0x4000]
;! target gfx1030
v_max_f16_e32 v0, v4, v8  ;= v0 = u32[0xdead0000, 0xdead4000]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given
;! given in v4 = u32[0x8000]
;! given in v8 = u32[0]
v_min_f16_e32 v0, v4, v8  ;= v0 = u32[0x8000]
;! target gfx1030
v_min_f16_e32 v0, v4, v8  ;= v0 = u32[0xdead8000]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given
;! given in v4 = u32[0x4200]
;! given in v8 = u32[0x3c00]
;! given in v12 = u32[0x4000]
v_min3_f16 v0, v4, v8, v12  ;= v0 = u32[0x3c00]
;! target gfx1030
v_min3_f16 v0, v4, v8, v12  ;= v0 = u32[0xdead3c00]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_max3_f16 v0, v4, v8, v12  ;= v0 = u32[0x4200]
;! target gfx1030
v_max3_f16 v0, v4, v8, v12  ;= v0 = u32[0xdead4200]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_med3_f16 v0, v4, v8, v12  ;= v0 = u32[0x4000]
;! target gfx1030
v_med3_f16 v0, v4, v8, v12  ;= v0 = u32[0xdead4000]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given
;! given in v4 = u32[0xbe00]
v_floor_f16_e32 v0, v4  ;= v0 = u32[0xc000]
;! target gfx1030
v_floor_f16_e32 v0, v4  ;= v0 = u32[0xdeadc000]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_ceil_f16_e32 v0, v4  ;= v0 = u32[0xbc00]
;! target gfx1030
v_ceil_f16_e32 v0, v4  ;= v0 = u32[0xdeadbc00]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_trunc_f16_e32 v0, v4  ;= v0 = u32[0xbc00]
;! target gfx1030
v_trunc_f16_e32 v0, v4  ;= v0 = u32[0xdeadbc00]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given
;! given in v4 = u32[0x3e00, 0x4100]
v_rndne_f16_e32 v0, v4  ;= v0 = u32[0x4000]
;! target gfx1030
v_rndne_f16_e32 v0, v4  ;= v0 = u32[0xdead4000]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given
;! given in v4 = u32[0xbd00]
v_fract_f16_e32 v0, v4  ;= v0 = u32[0x3a00]
;! target gfx1030
v_fract_f16_e32 v0, v4  ;= v0 = u32[0xdead3a00]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given
;! given in v4 = u32[0x3c00]
;! given in v8 = u32[3, 0xffff]
v_ldexp_f16_e32 v0, v4, v8  ;= v0 = u32[0x4800, 0x3800]
;! target gfx1030
v_ldexp_f16_e32 v0, v4, v8  ;= v0 = u32[0xdead4800, 0xdead3800]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given
;! given in v4 = u32[0x4800]
v_frexp_mant_f16_e32 v0, v4  ;= v0 = u32[0x3800]
;! target gfx1030
v_frexp_mant_f16_e32 v0, v4  ;= v0 = u32[0xdead3800]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given
;! given in v4 = u32[0x4800, 1]
v_frexp_exp_i16_f16_e32 v0, v4  ;= v0 = u32[4, 0xffe9]
;! target gfx1030
v_frexp_exp_i16_f16_e32 v0, v4  ;= v0 = u32[0xdead0004, 0xdeadffe9]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given
;! given in v4 = f32[1.5, 6.552e+04, 65519.0]
v_cvt_f16_f32_e32 v0, v4  ;= v0 = u32[0x3e00, 0x7c00, 0x7bff]
;! target gfx1030
v_cvt_f16_f32_e32 v0, v4  ;= v0 = u32[0xdead3e00, 0xdead7c00, 0xdead7bff]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
;! given
v_cvt_f32_f16_e32 v0, v4  ;! in v4 = u32[0x3e00, 0xffff0001]  ;= v0 = f32[1.5, 0x33800000]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cvt_f16_u16_e32 v0, v4  ;! in v4 = u32[0x801, 0xffff]  ;= v0 = u32[0x6800, 0x7c00]
;! target gfx1030
v_cvt_f16_u16_e32 v0, v4  ;! in v4 = u32[0x801, 0xffff]  ;= v0 = u32[0xdead6800, 0xdead7c00]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cvt_f16_i16_e32 v0, v4  ;! in v4 = u32[0xffff]  ;= v0 = u32[0xbc00]
;! target gfx1030
v_cvt_f16_i16_e32 v0, v4  ;! in v4 = u32[0xffff]  ;= v0 = u32[0xdeadbc00]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cvt_u16_f16_e32 v0, v4  ;! in v4 = u32[0x4500, 0xbc00, 0x7c00]  ;= v0 = u32[5, 0, 0xffff]
;! target gfx1030
v_cvt_u16_f16_e32 v0, v4  ;! in v4 = u32[0x4500, 0xbc00, 0x7c00]  ;= v0 = u32[0xdead0005, 0xdead0000, 0xdeadffff]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cvt_i16_f16_e32 v0, v4  ;! in v4 = u32[0xc500, 0x7c00]  ;= v0 = u32[0xfffb, 0x7fff]
;! target gfx1030
v_cvt_i16_f16_e32 v0, v4  ;! in v4 = u32[0xc500, 0x7c00]  ;= v0 = u32[0xdeadfffb, 0xdead7fff]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given in v4 = u32[0x3c00, 0xbc00]
v_cvt_norm_i16_f16_e32 v0, v4  ;= v0 = u32[0x7fff, 0x8001]
;! target gfx1030
v_cvt_norm_i16_f16_e32 v0, v4  ;= v0 = u32[0xdead7fff, 0xdead8001]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cvt_norm_u16_f16_e32 v0, v4  ;= v0 = u32[0xffff, 0]
;! target gfx1030
v_cvt_norm_u16_f16_e32 v0, v4  ;= v0 = u32[0xdeadffff, 0xdead0000]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
;! given
;! given in v8 = u32[0x5678]
v_pack_b32_f16 v0, v4, v8  ;! in v4 = u32[0x1234]  ;= v0 = u32[0x56781234]
v_pack_b32_f16 v0, v4, v8 op_sel:[1,0,0]  ;! in v4 = u32[0x12349999]  ;= v0 = u32[0x56781234]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given
;! given in v4 = u32[0x12c]
;! given in v8 = u32[0x12c]
v_mul_lo_u16 v0, v4, v8  ;= v0 = u32[0x5f90]
;! target gfx1030
v_mul_lo_u16 v0, v4, v8  ;= v0 = u32[0xdead5f90]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given
;! given in v4 = u32[0x11]
;! given in v8 = u32[0x8001]
v_lshlrev_b16 v0, v4, v8  ;= v0 = u32[2]
;! target gfx1030
v_lshlrev_b16 v0, v4, v8  ;= v0 = u32[0xdead0002]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given
;! given in v4 = u32[1]
;! given in v8 = u32[0x8001]
v_lshrrev_b16 v0, v4, v8  ;= v0 = u32[0x4000]
;! target gfx1030
v_lshrrev_b16 v0, v4, v8  ;= v0 = u32[0xdead4000]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_ashrrev_i16 v0, v4, v8  ;= v0 = u32[0xc000]
;! target gfx1030
v_ashrrev_i16 v0, v4, v8  ;= v0 = u32[0xdeadc000]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given
;! given in v4 = u32[1]
;! given in v8 = u32[0xffff]
v_max_u16 v0, v4, v8  ;= v0 = u32[0xffff]
;! target gfx1030
v_max_u16 v0, v4, v8  ;= v0 = u32[0xdeadffff]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_max_i16 v0, v4, v8  ;= v0 = u32[1]
;! target gfx1030
v_max_i16 v0, v4, v8  ;= v0 = u32[0xdead0001]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_min_u16 v0, v4, v8  ;= v0 = u32[1]
;! target gfx1030
v_min_u16 v0, v4, v8  ;= v0 = u32[0xdead0001]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_min_i16 v0, v4, v8  ;= v0 = u32[0xffff]
;! target gfx1030
v_min_i16 v0, v4, v8  ;= v0 = u32[0xdeadffff]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given in v12 = u32[5]
v_med3_i16 v0, v4, v8, v12  ;= v0 = u32[1]
;! target gfx1030
v_med3_i16 v0, v4, v8, v12  ;= v0 = u32[0xdead0001]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_med3_u16 v0, v4, v8, v12  ;= v0 = u32[5]
;! target gfx1030
v_med3_u16 v0, v4, v8, v12  ;= v0 = u32[0xdead0005]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
;! given
;! given in v4 = u32[0xffff]
;! given in v12 = u32[1]
v_mad_u32_u16 v0, v4, v8, v12  ;! in v8 = u32[0xffff]  ;= v0 = u32[0xfffe0002]
v_mad_i32_i16 v0, v4, v8, v12  ;! in v8 = u32[2]  ;= v0 = u32[0xffffffff]
; These keep the other half on gfx9 too, and op_sel chooses halves.
;! given
;! given in v4 = u32[0x4000]
;! given in v12 = u32[0x3c00]
v_fma_f16 v0, v4, v8, v12  ;! in v8 = u32[0x4200]  ;= v0 = u32[0xdead4700]
v_fma_f16 v0, v4, v8, v12 op_sel:[0,1,0,1]  ;! in v8 = u32[0x42000000]  ;= v0 = u32[0x47000bad]
;! given
v_mad_u16 v0, v4, v8, v12  ;! in v4 = u32[0x12c]  ;! in v8 = u32[0x12c]  ;! in v12 = u32[7]  ;= v0 = u32[0xdead5f97]
v_mad_i16 v0, v4, v8, v12  ;! in v4 = u32[0xffff]  ;! in v8 = u32[3]  ;! in v12 = u32[1]  ;= v0 = u32[0xdeadfffe]
v_div_fixup_f16 v0, v4, v8, v12  ;! in v4 = u32[0x3c00, 0x3c00, 0xbc00]  ;! in v8 = u32[0, 0, 0x4000]  ;! in v12 = u32[0x3c00, 0, 0x4000]  ;= v0 = u32[0xdead7c00, 0xdeadfe00, 0xdead3c00]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_add_u16_e64 v0, v4, v8 clamp  ;! in v4 = u32[0xffff]  ;! in v8 = u32[2]  ;= v0 = u32[0xffff]
v_add_u16_e32 v0, v4, v8  ;! in v4 = u32[0xffffffff]  ;! in v8 = u32[2]  ;= v0 = u32[1]
v_subrev_u16_e32 v0, v4, v8  ;! in v4 = u32[1]  ;! in v8 = u32[3]  ;= v0 = u32[2]
v_add_i16 v0, v4, v8 clamp  ;! in v4 = u32[0x7fff]  ;! in v8 = u32[2]  ;= v0 = u32[0x7fff]
v_sub_i16 v0, v4, v8  ;! in v4 = u32[0x8000]  ;! in v8 = u32[1]  ;= v0 = u32[0x7fff]
;! target gfx1030
v_add_nc_u16 v0, v4, v8  ;! in v4 = u32[0xffff]  ;! in v8 = u32[2]  ;= v0 = u32[0xdead0001]
v_sub_nc_u16 v0, v4, v8 clamp  ;! in v4 = u32[1]  ;! in v8 = u32[2]  ;= v0 = u32[0xdead0000]
v_add_nc_i16 v0, v4, v8 clamp  ;! in v4 = u32[0x8000]  ;! in v8 = u32[0x8000]  ;= v0 = u32[0xdead8000]
v_sub_nc_i16 v0, v4, v8  ;! in v4 = u32[0x8000]  ;! in v8 = u32[1]  ;= v0 = u32[0xdead7fff]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_mad_legacy_u16 v0, v4, v8, v12  ;! in v4 = u32[0x12c]  ;! in v8 = u32[0x12c]  ;! in v12 = u32[7]  ;= v0 = u32[0x5f97]
v_fma_legacy_f16 v0, v4, v8, v12  ;! in v4 = u32[0x4000]  ;! in v8 = u32[0x4200]  ;! in v12 = u32[0x3c00]  ;= v0 = u32[0x4700]
;! target gfx1030
v_fmac_f16_e32 v0, v4, v8  ;! in v0 = u32[0x12343c00]  ;! in v4 = u32[0x4000]  ;! in v8 = u32[0x4200]  ;= v0 = u32[0x12344700]
v_fmaak_f16 v0, v4, v8, 0x3c00  ;! in v4 = u32[0x4000]  ;! in v8 = u32[0x4200]  ;= v0 = u32[0xdead4700]
v_fmamk_f16 v0, v4, 0x4200, v8  ;! in v4 = u32[0x4000]  ;! in v8 = u32[0x3c00]  ;= v0 = u32[0xdead4700]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_mac_f16_e32 v0, v4, v8  ;! in v0 = u32[0x12343c00]  ;! in v4 = u32[0x4000]  ;! in v8 = u32[0x4200]  ;= v0 = u32[0x4700]
v_mad_f16 v0, v4, v8, v12  ;! in v4 = u32[0x4000]  ;! in v8 = u32[0x4200]  ;! in v12 = u32[0x3c00]  ;= v0 = u32[0xdead4700]
