; Vector instructions of fewer uses: carries, swaps, byte conversions, three operands of 16 bits, legacy forms.
;! by spec, pseudocode of the CDNA2 and RDNA2 manuals, computed in exact arithmetic

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
;! given in v4 = u32[0x12345678, 0xffffffff, 0x80000000, 0xff00fe]
v_cvt_f32_ubyte0_e32 v0, v4  ;= v0 = u32[0x42f00000, 0x437f0000, 0, 0x437e0000]
v_cvt_f32_ubyte1_e32 v0, v4  ;= v0 = u32[0x42ac0000, 0x437f0000, 0, 0]
v_cvt_f32_ubyte2_e32 v0, v4  ;= v0 = u32[0x42500000, 0x437f0000, 0, 0x437f0000]
v_cvt_f32_ubyte3_e32 v0, v4  ;= v0 = u32[0x41900000, 0x437f0000, 0x43000000, 0]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given
;! given in v4 = u32[0xffffffff, 5, 0x80000000, 0]
;! given in v8 = u32[1, 7, 0x80000000, 0]
v_add_co_u32_e32 v0, vcc, v4, v8  ;= v0 = u32[0, 0xc, 0, 0]  ;= vcc = u64[0x5555555555555555]
;! target gfx1030/64
v_add_co_u32_e64 v0, vcc, v4, v8  ;= v0 = u32[0, 0xc, 0, 0]  ;= vcc = u64[0x5555555555555555]
;! target gfx1030/32
v_add_co_u32_e64 v0, vcc_lo, v4, v8  ;= v0 = u32[0, 0xc, 0, 0]  ;= vcc = u64[0x5555555555555555]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_sub_co_u32_e32 v0, vcc, v4, v8  ;= v0 = u32[0xfffffffe, 0xfffffffe, 0, 0]  ;= vcc = u64[0x2222222222222222]
;! target gfx1030/64
v_sub_co_u32_e64 v0, vcc, v4, v8  ;= v0 = u32[0xfffffffe, 0xfffffffe, 0, 0]  ;= vcc = u64[0x2222222222222222]
;! target gfx1030/32
v_sub_co_u32_e64 v0, vcc_lo, v4, v8  ;= v0 = u32[0xfffffffe, 0xfffffffe, 0, 0]  ;= vcc = u64[0x2222222222222222]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_subrev_co_u32_e32 v0, vcc, v4, v8  ;= v0 = u32[2, 2, 0, 0]  ;= vcc = u64[0x1111111111111111]
;! target gfx1030/64
v_subrev_co_u32_e64 v0, vcc, v4, v8  ;= v0 = u32[2, 2, 0, 0]  ;= vcc = u64[0x1111111111111111]
;! target gfx1030/32
v_subrev_co_u32_e64 v0, vcc_lo, v4, v8  ;= v0 = u32[2, 2, 0, 0]  ;= vcc = u64[0x1111111111111111]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given in vcc = u64[0x6666666666666666]
v_addc_co_u32_e32 v0, vcc, v4, v8, vcc  ;= v0 = u32[0, 0xd, 1, 0]  ;= vcc = u64[0x5555555555555555]
;! target gfx1030/64
v_add_co_ci_u32_e32 v0, vcc, v4, v8, vcc  ;= v0 = u32[0, 0xd, 1, 0]  ;= vcc = u64[0x5555555555555555]
;! target gfx1030/32
v_add_co_ci_u32_e32 v0, vcc_lo, v4, v8, vcc_lo  ;= v0 = u32[0, 0xd, 1, 0]  ;= vcc = u64[0x5555555555555555]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_subb_co_u32_e32 v0, vcc, v4, v8, vcc  ;= v0 = u32[0xfffffffe, 0xfffffffd, 0xffffffff, 0]  ;= vcc = u64[0x6666666666666666]
;! target gfx1030/64
v_sub_co_ci_u32_e32 v0, vcc, v4, v8, vcc  ;= v0 = u32[0xfffffffe, 0xfffffffd, 0xffffffff, 0]  ;= vcc = u64[0x6666666666666666]
;! target gfx1030/32
v_sub_co_ci_u32_e32 v0, vcc_lo, v4, v8, vcc_lo  ;= v0 = u32[0xfffffffe, 0xfffffffd, 0xffffffff, 0]  ;= vcc = u64[0x6666666666666666]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_subbrev_co_u32_e32 v0, vcc, v4, v8, vcc  ;= v0 = u32[2, 1, 0xffffffff, 0]  ;= vcc = u64[0x5555555555555555]
;! target gfx1030/64
v_subrev_co_ci_u32_e32 v0, vcc, v4, v8, vcc  ;= v0 = u32[2, 1, 0xffffffff, 0]  ;= vcc = u64[0x5555555555555555]
;! target gfx1030/32
v_subrev_co_ci_u32_e32 v0, vcc_lo, v4, v8, vcc_lo  ;= v0 = u32[2, 1, 0xffffffff, 0]  ;= vcc = u64[0x5555555555555555]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given
v_sub_u16_e32 v0, v4, v8  ;! in v4 = u32[5, 0x12340001]  ;! in v8 = u32[7, 2]  ;= v0 = u32[0xfffe, 0xffff]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
v_swap_b32 v4, v8  ;! in v4 = u32[1, 2]  ;! in v8 = u32[3, 4]  ;= v4 = u32[3, 4]  ;= v8 = u32[1, 2]
;! target gfx1030
v_swaprel_b32 v4, v8  ;! in v4 = u32[1]  ;! in v5 = u32[2]  ;! in v8 = u32[3]  ;! in v9 = u32[4]  ;! in m0 = u32[0x00010001]  ;= v5 = u32[4]  ;= v9 = u32[2]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given in v4 = u32[5, 0x8000, 1, 0xffff]
;! given in v8 = u32[0xfffe, 0x7fff, 1, 0]
;! given in v12 = u32[7, 0, 2, 0x8001]
v_min3_i16 v0, v4, v8, v12  ;= v0 = u32[0xfffe, 0x8000, 1, 0x8001]
;! target gfx1030
v_min3_i16 v0, v4, v8, v12  ;= v0 = u32[0xdeadfffe, 0xdead8000, 0xdead0001, 0xdead8001]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_min3_u16 v0, v4, v8, v12  ;= v0 = u32[5, 0, 1, 0]
;! target gfx1030
v_min3_u16 v0, v4, v8, v12  ;= v0 = u32[0xdead0005, 0xdead0000, 0xdead0001, 0xdead0000]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_max3_i16 v0, v4, v8, v12  ;= v0 = u32[7, 0x7fff, 2, 0]
;! target gfx1030
v_max3_i16 v0, v4, v8, v12  ;= v0 = u32[0xdead0007, 0xdead7fff, 0xdead0002, 0xdead0000]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_max3_u16 v0, v4, v8, v12  ;= v0 = u32[0xfffe, 0x8000, 2, 0xffff]
;! target gfx1030
v_max3_u16 v0, v4, v8, v12  ;= v0 = u32[0xdeadfffe, 0xdead8000, 0xdead0002, 0xdeadffff]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given
v_mad_legacy_i16 v0, v4, v8, v12  ;! in v4 = u32[3, 0xffff]  ;! in v8 = u32[5, 2]  ;! in v12 = u32[7, 1]  ;= v0 = u32[22, 0xffff]
v_mad_legacy_f16 v0, v4, v8, v12  ;! in v4 = u32[0x4000]  ;! in v8 = u32[0x4200]  ;! in v12 = u32[0x3c00]  ;= v0 = u32[0x4700]
v_madak_f16 v0, v4, v8, 0x3c00  ;! in v4 = u32[0x4000]  ;! in v8 = u32[0x4200]  ;= v0 = u32[0x4700]
v_madmk_f16 v0, v4, 0x4200, v8  ;! in v4 = u32[0x4000]  ;! in v8 = u32[0x3c00]  ;= v0 = u32[0x4700]
;! target gfx1030
v_fmac_legacy_f32_e32 v0, v4, v8  ;! in v0 = f32[2.0, 1.0]  ;! in v4 = f32[3.0, 0.0]  ;! in v8 = f32[4.0, inf]  ;= v0 = f32[14.0, 1.0]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_div_fixup_legacy_f16 v0, v4, v8, v12  ;! in v4 = u32[0x4500]  ;! in v8 = u32[0x4000, 0]  ;! in v12 = u32[0x4900, 0x3c00]  ;= v0 = u32[0x4500, 0x7c00]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
v_nop  ;! in v0 = u32[1]  ;= v0 = u32[1]
