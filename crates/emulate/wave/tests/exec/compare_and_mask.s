; Comparisons that also write EXEC: sixteen lanes of values, twice or four times over, some of them off.
; On gfx9 the mask goes to VCC as well; on gfx10 to EXEC only.
;! by spec, pseudocode of the CDNA2 and RDNA2 manuals, VOPC; relations by IEEE 754

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given exec 0xfffe7ffffdfffbff
;! given in v4 = u32[0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 1, 0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 1]
;! given in v8 = u32[0, 0xbf800000, 0x7fc00000, 0x80000000, 0x7f800000, 1, 0x3f800000, 0xff800000, 0x80000000, 0x7f800000, 1, 0x3f800000, 0xff800000, 0, 0xbf800000, 0x7fc00000]
v_cmpx_f_f32_e32 vcc, v4, v8  ;= exec = u64[0x0]  ;= vcc = u64[0x0]
;! target gfx1030
v_cmpx_f_f32_e32 v4, v8  ;= exec = u64[0x0]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_lt_f32_e32 vcc, v4, v8  ;= exec = u64[0x2a282a2828282a28]  ;= vcc = u64[0x2a282a2828282a28]
;! target gfx1030
v_cmpx_lt_f32_e32 v4, v8  ;= exec = u64[0x2a282a2828282a28]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_eq_f32_e32 vcc, v4, v8  ;= exec = u64[0x110011101110111]  ;= vcc = u64[0x110011101110111]
;! target gfx1030
v_cmpx_eq_f32_e32 v4, v8  ;= exec = u64[0x110011101110111]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_le_f32_e32 vcc, v4, v8  ;= exec = u64[0x2b382b3929392b39]  ;= vcc = u64[0x2b382b3929392b39]
;! target gfx1030
v_cmpx_le_f32_e32 v4, v8  ;= exec = u64[0x2b382b3929392b39]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_gt_f32_e32 vcc, v4, v8  ;= exec = u64[0x1482148214821082]  ;= vcc = u64[0x1482148214821082]
;! target gfx1030
v_cmpx_gt_f32_e32 v4, v8  ;= exec = u64[0x1482148214821082]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_lg_f32_e32 vcc, v4, v8  ;= exec = u64[0x3eaa3eaa3caa3aaa]  ;= vcc = u64[0x3eaa3eaa3caa3aaa]
;! target gfx1030
v_cmpx_lg_f32_e32 v4, v8  ;= exec = u64[0x3eaa3eaa3caa3aaa]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_ge_f32_e32 vcc, v4, v8  ;= exec = u64[0x1592159315931193]  ;= vcc = u64[0x1592159315931193]
;! target gfx1030
v_cmpx_ge_f32_e32 v4, v8  ;= exec = u64[0x1592159315931193]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_o_f32_e32 vcc, v4, v8  ;= exec = u64[0x3fba3fbb3dbb3bbb]  ;= vcc = u64[0x3fba3fbb3dbb3bbb]
;! target gfx1030
v_cmpx_o_f32_e32 v4, v8  ;= exec = u64[0x3fba3fbb3dbb3bbb]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_u_f32_e32 vcc, v4, v8  ;= exec = u64[0xc0444044c044c044]  ;= vcc = u64[0xc0444044c044c044]
;! target gfx1030
v_cmpx_u_f32_e32 v4, v8  ;= exec = u64[0xc0444044c044c044]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_nge_f32_e32 vcc, v4, v8  ;= exec = u64[0xea6c6a6ce86cea6c]  ;= vcc = u64[0xea6c6a6ce86cea6c]
;! target gfx1030
v_cmpx_nge_f32_e32 v4, v8  ;= exec = u64[0xea6c6a6ce86cea6c]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_nlg_f32_e32 vcc, v4, v8  ;= exec = u64[0xc1544155c155c155]  ;= vcc = u64[0xc1544155c155c155]
;! target gfx1030
v_cmpx_nlg_f32_e32 v4, v8  ;= exec = u64[0xc1544155c155c155]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_ngt_f32_e32 vcc, v4, v8  ;= exec = u64[0xeb7c6b7de97deb7d]  ;= vcc = u64[0xeb7c6b7de97deb7d]
;! target gfx1030
v_cmpx_ngt_f32_e32 v4, v8  ;= exec = u64[0xeb7c6b7de97deb7d]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_nle_f32_e32 vcc, v4, v8  ;= exec = u64[0xd4c654c6d4c6d0c6]  ;= vcc = u64[0xd4c654c6d4c6d0c6]
;! target gfx1030
v_cmpx_nle_f32_e32 v4, v8  ;= exec = u64[0xd4c654c6d4c6d0c6]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_neq_f32_e32 vcc, v4, v8  ;= exec = u64[0xfeee7eeefceefaee]  ;= vcc = u64[0xfeee7eeefceefaee]
;! target gfx1030
v_cmpx_neq_f32_e32 v4, v8  ;= exec = u64[0xfeee7eeefceefaee]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_nlt_f32_e32 vcc, v4, v8  ;= exec = u64[0xd5d655d7d5d7d1d7]  ;= vcc = u64[0xd5d655d7d5d7d1d7]
;! target gfx1030
v_cmpx_nlt_f32_e32 v4, v8  ;= exec = u64[0xd5d655d7d5d7d1d7]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_tru_f32_e32 vcc, v4, v8  ;= exec = u64[0xfffe7ffffdfffbff]  ;= vcc = u64[0xfffe7ffffdfffbff]
;! target gfx1030
v_cmpx_tru_f32_e32 v4, v8  ;= exec = u64[0xfffe7ffffdfffbff]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given
;! given exec 0xfffe7ffffdfffbff
;! given in v[4:5] = u64[0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 1, 0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 1]
;! given in v[8:9] = u64[0, 0xbff0000000000000, 0x7ff8000000000000, 0x8000000000000000, 0x7ff0000000000000, 1, 0x3ff0000000000000, 0xfff0000000000000, 0x8000000000000000, 0x7ff0000000000000, 1, 0x3ff0000000000000, 0xfff0000000000000, 0, 0xbff0000000000000, 0x7ff8000000000000]
v_cmpx_f_f64_e32 vcc, v[4:5], v[8:9]  ;= exec = u64[0x0]  ;= vcc = u64[0x0]
;! target gfx1030
v_cmpx_f_f64_e32 v[4:5], v[8:9]  ;= exec = u64[0x0]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_lt_f64_e32 vcc, v[4:5], v[8:9]  ;= exec = u64[0x2a282a2828282a28]  ;= vcc = u64[0x2a282a2828282a28]
;! target gfx1030
v_cmpx_lt_f64_e32 v[4:5], v[8:9]  ;= exec = u64[0x2a282a2828282a28]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_eq_f64_e32 vcc, v[4:5], v[8:9]  ;= exec = u64[0x110011101110111]  ;= vcc = u64[0x110011101110111]
;! target gfx1030
v_cmpx_eq_f64_e32 v[4:5], v[8:9]  ;= exec = u64[0x110011101110111]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_le_f64_e32 vcc, v[4:5], v[8:9]  ;= exec = u64[0x2b382b3929392b39]  ;= vcc = u64[0x2b382b3929392b39]
;! target gfx1030
v_cmpx_le_f64_e32 v[4:5], v[8:9]  ;= exec = u64[0x2b382b3929392b39]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_gt_f64_e32 vcc, v[4:5], v[8:9]  ;= exec = u64[0x1482148214821082]  ;= vcc = u64[0x1482148214821082]
;! target gfx1030
v_cmpx_gt_f64_e32 v[4:5], v[8:9]  ;= exec = u64[0x1482148214821082]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_lg_f64_e32 vcc, v[4:5], v[8:9]  ;= exec = u64[0x3eaa3eaa3caa3aaa]  ;= vcc = u64[0x3eaa3eaa3caa3aaa]
;! target gfx1030
v_cmpx_lg_f64_e32 v[4:5], v[8:9]  ;= exec = u64[0x3eaa3eaa3caa3aaa]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_ge_f64_e32 vcc, v[4:5], v[8:9]  ;= exec = u64[0x1592159315931193]  ;= vcc = u64[0x1592159315931193]
;! target gfx1030
v_cmpx_ge_f64_e32 v[4:5], v[8:9]  ;= exec = u64[0x1592159315931193]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_o_f64_e32 vcc, v[4:5], v[8:9]  ;= exec = u64[0x3fba3fbb3dbb3bbb]  ;= vcc = u64[0x3fba3fbb3dbb3bbb]
;! target gfx1030
v_cmpx_o_f64_e32 v[4:5], v[8:9]  ;= exec = u64[0x3fba3fbb3dbb3bbb]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_u_f64_e32 vcc, v[4:5], v[8:9]  ;= exec = u64[0xc0444044c044c044]  ;= vcc = u64[0xc0444044c044c044]
;! target gfx1030
v_cmpx_u_f64_e32 v[4:5], v[8:9]  ;= exec = u64[0xc0444044c044c044]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_nge_f64_e32 vcc, v[4:5], v[8:9]  ;= exec = u64[0xea6c6a6ce86cea6c]  ;= vcc = u64[0xea6c6a6ce86cea6c]
;! target gfx1030
v_cmpx_nge_f64_e32 v[4:5], v[8:9]  ;= exec = u64[0xea6c6a6ce86cea6c]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_nlg_f64_e32 vcc, v[4:5], v[8:9]  ;= exec = u64[0xc1544155c155c155]  ;= vcc = u64[0xc1544155c155c155]
;! target gfx1030
v_cmpx_nlg_f64_e32 v[4:5], v[8:9]  ;= exec = u64[0xc1544155c155c155]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_ngt_f64_e32 vcc, v[4:5], v[8:9]  ;= exec = u64[0xeb7c6b7de97deb7d]  ;= vcc = u64[0xeb7c6b7de97deb7d]
;! target gfx1030
v_cmpx_ngt_f64_e32 v[4:5], v[8:9]  ;= exec = u64[0xeb7c6b7de97deb7d]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_nle_f64_e32 vcc, v[4:5], v[8:9]  ;= exec = u64[0xd4c654c6d4c6d0c6]  ;= vcc = u64[0xd4c654c6d4c6d0c6]
;! target gfx1030
v_cmpx_nle_f64_e32 v[4:5], v[8:9]  ;= exec = u64[0xd4c654c6d4c6d0c6]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_neq_f64_e32 vcc, v[4:5], v[8:9]  ;= exec = u64[0xfeee7eeefceefaee]  ;= vcc = u64[0xfeee7eeefceefaee]
;! target gfx1030
v_cmpx_neq_f64_e32 v[4:5], v[8:9]  ;= exec = u64[0xfeee7eeefceefaee]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_nlt_f64_e32 vcc, v[4:5], v[8:9]  ;= exec = u64[0xd5d655d7d5d7d1d7]  ;= vcc = u64[0xd5d655d7d5d7d1d7]
;! target gfx1030
v_cmpx_nlt_f64_e32 v[4:5], v[8:9]  ;= exec = u64[0xd5d655d7d5d7d1d7]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_tru_f64_e32 vcc, v[4:5], v[8:9]  ;= exec = u64[0xfffe7ffffdfffbff]  ;= vcc = u64[0xfffe7ffffdfffbff]
;! target gfx1030
v_cmpx_tru_f64_e32 v[4:5], v[8:9]  ;= exec = u64[0xfffe7ffffdfffbff]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given
;! given exec 0xfffe7ffffdfffbff
;! given in v4 = u32[0, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 1, 0, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 1]
;! given in v8 = u32[0, 0xbc00, 0x7e00, 0x8000, 0x7c00, 1, 0x3c00, 0xfc00, 0x8000, 0x7c00, 1, 0x3c00, 0xfc00, 0, 0xbc00, 0x7e00]
v_cmpx_f_f16_e32 vcc, v4, v8  ;= exec = u64[0x0]  ;= vcc = u64[0x0]
;! target gfx1030
v_cmpx_f_f16_e32 v4, v8  ;= exec = u64[0x0]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_lt_f16_e32 vcc, v4, v8  ;= exec = u64[0x2a282a2828282a28]  ;= vcc = u64[0x2a282a2828282a28]
;! target gfx1030
v_cmpx_lt_f16_e32 v4, v8  ;= exec = u64[0x2a282a2828282a28]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_eq_f16_e32 vcc, v4, v8  ;= exec = u64[0x110011101110111]  ;= vcc = u64[0x110011101110111]
;! target gfx1030
v_cmpx_eq_f16_e32 v4, v8  ;= exec = u64[0x110011101110111]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_le_f16_e32 vcc, v4, v8  ;= exec = u64[0x2b382b3929392b39]  ;= vcc = u64[0x2b382b3929392b39]
;! target gfx1030
v_cmpx_le_f16_e32 v4, v8  ;= exec = u64[0x2b382b3929392b39]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_gt_f16_e32 vcc, v4, v8  ;= exec = u64[0x1482148214821082]  ;= vcc = u64[0x1482148214821082]
;! target gfx1030
v_cmpx_gt_f16_e32 v4, v8  ;= exec = u64[0x1482148214821082]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_lg_f16_e32 vcc, v4, v8  ;= exec = u64[0x3eaa3eaa3caa3aaa]  ;= vcc = u64[0x3eaa3eaa3caa3aaa]
;! target gfx1030
v_cmpx_lg_f16_e32 v4, v8  ;= exec = u64[0x3eaa3eaa3caa3aaa]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_ge_f16_e32 vcc, v4, v8  ;= exec = u64[0x1592159315931193]  ;= vcc = u64[0x1592159315931193]
;! target gfx1030
v_cmpx_ge_f16_e32 v4, v8  ;= exec = u64[0x1592159315931193]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_o_f16_e32 vcc, v4, v8  ;= exec = u64[0x3fba3fbb3dbb3bbb]  ;= vcc = u64[0x3fba3fbb3dbb3bbb]
;! target gfx1030
v_cmpx_o_f16_e32 v4, v8  ;= exec = u64[0x3fba3fbb3dbb3bbb]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_u_f16_e32 vcc, v4, v8  ;= exec = u64[0xc0444044c044c044]  ;= vcc = u64[0xc0444044c044c044]
;! target gfx1030
v_cmpx_u_f16_e32 v4, v8  ;= exec = u64[0xc0444044c044c044]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_nge_f16_e32 vcc, v4, v8  ;= exec = u64[0xea6c6a6ce86cea6c]  ;= vcc = u64[0xea6c6a6ce86cea6c]
;! target gfx1030
v_cmpx_nge_f16_e32 v4, v8  ;= exec = u64[0xea6c6a6ce86cea6c]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_nlg_f16_e32 vcc, v4, v8  ;= exec = u64[0xc1544155c155c155]  ;= vcc = u64[0xc1544155c155c155]
;! target gfx1030
v_cmpx_nlg_f16_e32 v4, v8  ;= exec = u64[0xc1544155c155c155]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_ngt_f16_e32 vcc, v4, v8  ;= exec = u64[0xeb7c6b7de97deb7d]  ;= vcc = u64[0xeb7c6b7de97deb7d]
;! target gfx1030
v_cmpx_ngt_f16_e32 v4, v8  ;= exec = u64[0xeb7c6b7de97deb7d]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_nle_f16_e32 vcc, v4, v8  ;= exec = u64[0xd4c654c6d4c6d0c6]  ;= vcc = u64[0xd4c654c6d4c6d0c6]
;! target gfx1030
v_cmpx_nle_f16_e32 v4, v8  ;= exec = u64[0xd4c654c6d4c6d0c6]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_neq_f16_e32 vcc, v4, v8  ;= exec = u64[0xfeee7eeefceefaee]  ;= vcc = u64[0xfeee7eeefceefaee]
;! target gfx1030
v_cmpx_neq_f16_e32 v4, v8  ;= exec = u64[0xfeee7eeefceefaee]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_nlt_f16_e32 vcc, v4, v8  ;= exec = u64[0xd5d655d7d5d7d1d7]  ;= vcc = u64[0xd5d655d7d5d7d1d7]
;! target gfx1030
v_cmpx_nlt_f16_e32 v4, v8  ;= exec = u64[0xd5d655d7d5d7d1d7]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_tru_f16_e32 vcc, v4, v8  ;= exec = u64[0xfffe7ffffdfffbff]  ;= vcc = u64[0xfffe7ffffdfffbff]
;! target gfx1030
v_cmpx_tru_f16_e32 v4, v8  ;= exec = u64[0xfffe7ffffdfffbff]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given
;! given exec 0xfffe7ffffdfffbff
;! given in v4 = u32[0, 1, 0xffff, 0x7fff, 0x8000, 5, 5, 0xfffb, 0, 1, 0xffff, 0x7fff, 0x8000, 5, 5, 0xfffb]
;! given in v8 = u32[0, 0x7fff, 5, 1, 0x8000, 0xfffb, 0xffff, 5, 1, 0x8000, 0xfffb, 0xffff, 5, 0, 0x7fff, 5]
v_cmpx_f_i16_e32 vcc, v4, v8  ;= exec = u64[0x0]  ;= vcc = u64[0x0]
v_cmpx_lt_i16_e32 vcc, v4, v8  ;= exec = u64[0xd1865186d186d186]  ;= vcc = u64[0xd1865186d186d186]
;! target gfx1030
v_cmpx_lt_i16_e32 v4, v8  ;= exec = u64[0xd1865186d186d186]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_eq_i16_e32 vcc, v4, v8  ;= exec = u64[0x10001100110011]  ;= vcc = u64[0x10001100110011]
;! target gfx1030
v_cmpx_eq_i16_e32 v4, v8  ;= exec = u64[0x10001100110011]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_le_i16_e32 vcc, v4, v8  ;= exec = u64[0xd1965197d197d197]  ;= vcc = u64[0xd1965197d197d197]
;! target gfx1030
v_cmpx_le_i16_e32 v4, v8  ;= exec = u64[0xd1965197d197d197]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_gt_i16_e32 vcc, v4, v8  ;= exec = u64[0x2e682e682c682a68]  ;= vcc = u64[0x2e682e682c682a68]
;! target gfx1030
v_cmpx_gt_i16_e32 v4, v8  ;= exec = u64[0x2e682e682c682a68]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_ne_i16_e32 vcc, v4, v8  ;= exec = u64[0xffee7feefdeefbee]  ;= vcc = u64[0xffee7feefdeefbee]
;! target gfx1030
v_cmpx_ne_i16_e32 v4, v8  ;= exec = u64[0xffee7feefdeefbee]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_ge_i16_e32 vcc, v4, v8  ;= exec = u64[0x2e782e792c792a79]  ;= vcc = u64[0x2e782e792c792a79]
;! target gfx1030
v_cmpx_ge_i16_e32 v4, v8  ;= exec = u64[0x2e782e792c792a79]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_t_i16_e32 vcc, v4, v8  ;= exec = u64[0xfffe7ffffdfffbff]  ;= vcc = u64[0xfffe7ffffdfffbff]
v_cmpx_f_u16_e32 vcc, v4, v8  ;= exec = u64[0x0]  ;= vcc = u64[0x0]
v_cmpx_lt_u16_e32 vcc, v4, v8  ;= exec = u64[0x4b624b6249624b62]  ;= vcc = u64[0x4b624b6249624b62]
;! target gfx1030
v_cmpx_lt_u16_e32 v4, v8  ;= exec = u64[0x4b624b6249624b62]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_eq_u16_e32 vcc, v4, v8  ;= exec = u64[0x10001100110011]  ;= vcc = u64[0x10001100110011]
;! target gfx1030
v_cmpx_eq_u16_e32 v4, v8  ;= exec = u64[0x10001100110011]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_le_u16_e32 vcc, v4, v8  ;= exec = u64[0x4b724b7349734b73]  ;= vcc = u64[0x4b724b7349734b73]
;! target gfx1030
v_cmpx_le_u16_e32 v4, v8  ;= exec = u64[0x4b724b7349734b73]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_gt_u16_e32 vcc, v4, v8  ;= exec = u64[0xb48c348cb48cb08c]  ;= vcc = u64[0xb48c348cb48cb08c]
;! target gfx1030
v_cmpx_gt_u16_e32 v4, v8  ;= exec = u64[0xb48c348cb48cb08c]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_ne_u16_e32 vcc, v4, v8  ;= exec = u64[0xffee7feefdeefbee]  ;= vcc = u64[0xffee7feefdeefbee]
;! target gfx1030
v_cmpx_ne_u16_e32 v4, v8  ;= exec = u64[0xffee7feefdeefbee]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_ge_u16_e32 vcc, v4, v8  ;= exec = u64[0xb49c349db49db09d]  ;= vcc = u64[0xb49c349db49db09d]
;! target gfx1030
v_cmpx_ge_u16_e32 v4, v8  ;= exec = u64[0xb49c349db49db09d]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_t_u16_e32 vcc, v4, v8  ;= exec = u64[0xfffe7ffffdfffbff]  ;= vcc = u64[0xfffe7ffffdfffbff]
;! given
;! given exec 0xfffe7ffffdfffbff
;! given in v4 = u32[0, 1, 0xffffffff, 0x7fffffff, 0x80000000, 5, 5, 0xfffffffb, 0, 1, 0xffffffff, 0x7fffffff, 0x80000000, 5, 5, 0xfffffffb]
;! given in v8 = u32[0, 0x7fffffff, 5, 1, 0x80000000, 0xfffffffb, 0xffffffff, 5, 1, 0x80000000, 0xfffffffb, 0xffffffff, 5, 0, 0x7fffffff, 5]
v_cmpx_f_i32_e32 vcc, v4, v8  ;= exec = u64[0x0]  ;= vcc = u64[0x0]
;! target gfx1030
v_cmpx_f_i32_e32 v4, v8  ;= exec = u64[0x0]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_lt_i32_e32 vcc, v4, v8  ;= exec = u64[0xd1865186d186d186]  ;= vcc = u64[0xd1865186d186d186]
;! target gfx1030
v_cmpx_lt_i32_e32 v4, v8  ;= exec = u64[0xd1865186d186d186]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_eq_i32_e32 vcc, v4, v8  ;= exec = u64[0x10001100110011]  ;= vcc = u64[0x10001100110011]
;! target gfx1030
v_cmpx_eq_i32_e32 v4, v8  ;= exec = u64[0x10001100110011]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_le_i32_e32 vcc, v4, v8  ;= exec = u64[0xd1965197d197d197]  ;= vcc = u64[0xd1965197d197d197]
;! target gfx1030
v_cmpx_le_i32_e32 v4, v8  ;= exec = u64[0xd1965197d197d197]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_gt_i32_e32 vcc, v4, v8  ;= exec = u64[0x2e682e682c682a68]  ;= vcc = u64[0x2e682e682c682a68]
;! target gfx1030
v_cmpx_gt_i32_e32 v4, v8  ;= exec = u64[0x2e682e682c682a68]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_ne_i32_e32 vcc, v4, v8  ;= exec = u64[0xffee7feefdeefbee]  ;= vcc = u64[0xffee7feefdeefbee]
;! target gfx1030
v_cmpx_ne_i32_e32 v4, v8  ;= exec = u64[0xffee7feefdeefbee]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_ge_i32_e32 vcc, v4, v8  ;= exec = u64[0x2e782e792c792a79]  ;= vcc = u64[0x2e782e792c792a79]
;! target gfx1030
v_cmpx_ge_i32_e32 v4, v8  ;= exec = u64[0x2e782e792c792a79]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_t_i32_e32 vcc, v4, v8  ;= exec = u64[0xfffe7ffffdfffbff]  ;= vcc = u64[0xfffe7ffffdfffbff]
;! target gfx1030
v_cmpx_t_i32_e32 v4, v8  ;= exec = u64[0xfffe7ffffdfffbff]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_f_u32_e32 vcc, v4, v8  ;= exec = u64[0x0]  ;= vcc = u64[0x0]
;! target gfx1030
v_cmpx_f_u32_e32 v4, v8  ;= exec = u64[0x0]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_lt_u32_e32 vcc, v4, v8  ;= exec = u64[0x4b624b6249624b62]  ;= vcc = u64[0x4b624b6249624b62]
;! target gfx1030
v_cmpx_lt_u32_e32 v4, v8  ;= exec = u64[0x4b624b6249624b62]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_eq_u32_e32 vcc, v4, v8  ;= exec = u64[0x10001100110011]  ;= vcc = u64[0x10001100110011]
;! target gfx1030
v_cmpx_eq_u32_e32 v4, v8  ;= exec = u64[0x10001100110011]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_le_u32_e32 vcc, v4, v8  ;= exec = u64[0x4b724b7349734b73]  ;= vcc = u64[0x4b724b7349734b73]
;! target gfx1030
v_cmpx_le_u32_e32 v4, v8  ;= exec = u64[0x4b724b7349734b73]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_gt_u32_e32 vcc, v4, v8  ;= exec = u64[0xb48c348cb48cb08c]  ;= vcc = u64[0xb48c348cb48cb08c]
;! target gfx1030
v_cmpx_gt_u32_e32 v4, v8  ;= exec = u64[0xb48c348cb48cb08c]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_ne_u32_e32 vcc, v4, v8  ;= exec = u64[0xffee7feefdeefbee]  ;= vcc = u64[0xffee7feefdeefbee]
;! target gfx1030
v_cmpx_ne_u32_e32 v4, v8  ;= exec = u64[0xffee7feefdeefbee]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_ge_u32_e32 vcc, v4, v8  ;= exec = u64[0xb49c349db49db09d]  ;= vcc = u64[0xb49c349db49db09d]
;! target gfx1030
v_cmpx_ge_u32_e32 v4, v8  ;= exec = u64[0xb49c349db49db09d]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_t_u32_e32 vcc, v4, v8  ;= exec = u64[0xfffe7ffffdfffbff]  ;= vcc = u64[0xfffe7ffffdfffbff]
;! target gfx1030
v_cmpx_t_u32_e32 v4, v8  ;= exec = u64[0xfffe7ffffdfffbff]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given
;! given exec 0xfffe7ffffdfffbff
;! given in v[4:5] = u64[0, 1, 0xffffffffffffffff, 0x7fffffffffffffff, 0x8000000000000000, 5, 5, 0xfffffffffffffffb, 0, 1, 0xffffffffffffffff, 0x7fffffffffffffff, 0x8000000000000000, 5, 5, 0xfffffffffffffffb]
;! given in v[8:9] = u64[0, 0x7fffffffffffffff, 5, 1, 0x8000000000000000, 0xfffffffffffffffb, 0xffffffffffffffff, 5, 1, 0x8000000000000000, 0xfffffffffffffffb, 0xffffffffffffffff, 5, 0, 0x7fffffffffffffff, 5]
v_cmpx_f_i64_e32 vcc, v[4:5], v[8:9]  ;= exec = u64[0x0]  ;= vcc = u64[0x0]
;! target gfx1030
v_cmpx_f_i64_e32 v[4:5], v[8:9]  ;= exec = u64[0x0]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_lt_i64_e32 vcc, v[4:5], v[8:9]  ;= exec = u64[0xd1865186d186d186]  ;= vcc = u64[0xd1865186d186d186]
;! target gfx1030
v_cmpx_lt_i64_e32 v[4:5], v[8:9]  ;= exec = u64[0xd1865186d186d186]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_eq_i64_e32 vcc, v[4:5], v[8:9]  ;= exec = u64[0x10001100110011]  ;= vcc = u64[0x10001100110011]
;! target gfx1030
v_cmpx_eq_i64_e32 v[4:5], v[8:9]  ;= exec = u64[0x10001100110011]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_le_i64_e32 vcc, v[4:5], v[8:9]  ;= exec = u64[0xd1965197d197d197]  ;= vcc = u64[0xd1965197d197d197]
;! target gfx1030
v_cmpx_le_i64_e32 v[4:5], v[8:9]  ;= exec = u64[0xd1965197d197d197]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_gt_i64_e32 vcc, v[4:5], v[8:9]  ;= exec = u64[0x2e682e682c682a68]  ;= vcc = u64[0x2e682e682c682a68]
;! target gfx1030
v_cmpx_gt_i64_e32 v[4:5], v[8:9]  ;= exec = u64[0x2e682e682c682a68]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_ne_i64_e32 vcc, v[4:5], v[8:9]  ;= exec = u64[0xffee7feefdeefbee]  ;= vcc = u64[0xffee7feefdeefbee]
;! target gfx1030
v_cmpx_ne_i64_e32 v[4:5], v[8:9]  ;= exec = u64[0xffee7feefdeefbee]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_ge_i64_e32 vcc, v[4:5], v[8:9]  ;= exec = u64[0x2e782e792c792a79]  ;= vcc = u64[0x2e782e792c792a79]
;! target gfx1030
v_cmpx_ge_i64_e32 v[4:5], v[8:9]  ;= exec = u64[0x2e782e792c792a79]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_t_i64_e32 vcc, v[4:5], v[8:9]  ;= exec = u64[0xfffe7ffffdfffbff]  ;= vcc = u64[0xfffe7ffffdfffbff]
;! target gfx1030
v_cmpx_t_i64_e32 v[4:5], v[8:9]  ;= exec = u64[0xfffe7ffffdfffbff]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_f_u64_e32 vcc, v[4:5], v[8:9]  ;= exec = u64[0x0]  ;= vcc = u64[0x0]
;! target gfx1030
v_cmpx_f_u64_e32 v[4:5], v[8:9]  ;= exec = u64[0x0]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_lt_u64_e32 vcc, v[4:5], v[8:9]  ;= exec = u64[0x4b624b6249624b62]  ;= vcc = u64[0x4b624b6249624b62]
;! target gfx1030
v_cmpx_lt_u64_e32 v[4:5], v[8:9]  ;= exec = u64[0x4b624b6249624b62]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_eq_u64_e32 vcc, v[4:5], v[8:9]  ;= exec = u64[0x10001100110011]  ;= vcc = u64[0x10001100110011]
;! target gfx1030
v_cmpx_eq_u64_e32 v[4:5], v[8:9]  ;= exec = u64[0x10001100110011]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_le_u64_e32 vcc, v[4:5], v[8:9]  ;= exec = u64[0x4b724b7349734b73]  ;= vcc = u64[0x4b724b7349734b73]
;! target gfx1030
v_cmpx_le_u64_e32 v[4:5], v[8:9]  ;= exec = u64[0x4b724b7349734b73]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_gt_u64_e32 vcc, v[4:5], v[8:9]  ;= exec = u64[0xb48c348cb48cb08c]  ;= vcc = u64[0xb48c348cb48cb08c]
;! target gfx1030
v_cmpx_gt_u64_e32 v[4:5], v[8:9]  ;= exec = u64[0xb48c348cb48cb08c]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_ne_u64_e32 vcc, v[4:5], v[8:9]  ;= exec = u64[0xffee7feefdeefbee]  ;= vcc = u64[0xffee7feefdeefbee]
;! target gfx1030
v_cmpx_ne_u64_e32 v[4:5], v[8:9]  ;= exec = u64[0xffee7feefdeefbee]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_ge_u64_e32 vcc, v[4:5], v[8:9]  ;= exec = u64[0xb49c349db49db09d]  ;= vcc = u64[0xb49c349db49db09d]
;! target gfx1030
v_cmpx_ge_u64_e32 v[4:5], v[8:9]  ;= exec = u64[0xb49c349db49db09d]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmpx_t_u64_e32 vcc, v[4:5], v[8:9]  ;= exec = u64[0xfffe7ffffdfffbff]  ;= vcc = u64[0xfffe7ffffdfffbff]
;! target gfx1030
v_cmpx_t_u64_e32 v[4:5], v[8:9]  ;= exec = u64[0xfffe7ffffdfffbff]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given
;! given exec 0xfffe7ffffdfffbff
;! given in v4 = u32[0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 1, 0x7f800001, 0xbf800000, 0x80000001, 0x7f800000, 0x7f800001, 0x7fc00000, 0, 0x80000000]
;! given in v8 = u32[0x155, 0x2aa, 0x154, 0x155, 0x2aa, 0x154, 0x155, 0x2aa, 0x154, 0x155, 0x2aa, 0x154, 0x155, 0x2aa, 0x154, 0x155]
v_cmpx_class_f32_e32 vcc, v4, v8  ;= exec = u64[0x70b670b770b770b7]  ;= vcc = u64[0x70b670b770b770b7]
;! target gfx1030
v_cmpx_class_f32_e32 v4, v8  ;= exec = u64[0x70b670b770b770b7]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030/64
v_cmp_class_f32_e32 vcc, v4, v8  ;= vcc = u64[0x70b670b770b770b7]
;! target gfx1030/32
v_cmp_class_f32_e32 vcc_lo, v4, v8  ;= vcc = u64[0x70b670b770b770b7]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given
;! given exec 0xfffe7ffffdfffbff
;! given in v[4:5] = u64[0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 1, 0x7ff0000000000001, 0xbff0000000000000, 0x8000000000000001, 0x7ff0000000000000, 0x7ff0000000000001, 0x7ff8000000000000, 0, 0x8000000000000000]
;! given in v8 = u32[0x155, 0x2aa, 0x154, 0x155, 0x2aa, 0x154, 0x155, 0x2aa, 0x154, 0x155, 0x2aa, 0x154, 0x155, 0x2aa, 0x154, 0x155]
v_cmpx_class_f64_e32 vcc, v[4:5], v8  ;= exec = u64[0x70b670b770b770b7]  ;= vcc = u64[0x70b670b770b770b7]
;! target gfx1030
v_cmpx_class_f64_e32 v[4:5], v8  ;= exec = u64[0x70b670b770b770b7]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030/64
v_cmp_class_f64_e32 vcc, v[4:5], v8  ;= vcc = u64[0x70b670b770b770b7]
;! target gfx1030/32
v_cmp_class_f64_e32 vcc_lo, v[4:5], v8  ;= vcc = u64[0x70b670b770b770b7]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given
;! given exec 0xfffe7ffffdfffbff
;! given in v4 = u32[0, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 1, 0x7c01, 0xbc00, 0x8001, 0x7c00, 0x7c01, 0x7e00, 0, 0x8000]
;! given in v8 = u32[0x155, 0x2aa, 0x154, 0x155, 0x2aa, 0x154, 0x155, 0x2aa, 0x154, 0x155, 0x2aa, 0x154, 0x155, 0x2aa, 0x154, 0x155]
v_cmpx_class_f16_e32 vcc, v4, v8  ;= exec = u64[0x70b670b770b770b7]  ;= vcc = u64[0x70b670b770b770b7]
;! target gfx1030
v_cmpx_class_f16_e32 v4, v8  ;= exec = u64[0x70b670b770b770b7]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030/64
v_cmp_class_f16_e32 vcc, v4, v8  ;= vcc = u64[0x70b670b770b770b7]
;! target gfx1030/32
v_cmp_class_f16_e32 vcc_lo, v4, v8  ;= vcc = u64[0x70b670b770b770b7]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given
;! given in v4 = u32[1]
;! given in v8 = u32[2]
v_cmp_f_i16_e32 vcc, v4, v8  ;= vcc = u64[0]
v_cmp_t_i16_e32 vcc, v4, v8  ;= vcc = u64[-1]
v_cmp_f_u16_e32 vcc, v4, v8  ;= vcc = u64[0]
v_cmp_t_u16_e32 vcc, v4, v8  ;= vcc = u64[-1]
