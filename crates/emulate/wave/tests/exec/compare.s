; Comparisons to lane masks: each relation of a type in one case, sixteen value pairs twice or four times over, some lanes
; off, whose bits are zero. The values hold both zeros, denormals, infinities and NaNs, or the ends of the integer ranges.
;! by spec, pseudocode of the CDNA2 and RDNA2 manuals, VOPC; relations by IEEE 754

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030/64
;! given exec 0xfffe7ffffdfffbff
;! given in v4 = u32[0x0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x1, 0x7f800001, 0x800000, 0x3f800000, 0xbf800000, 0x7f7fffff, 0xff800000, 0x7fc00000, 0x80000001]
;! given in v8 = u32[0x80000000, 0xbf800000, 0x7fc00000, 0xbf800000, 0x7f800000, 0x1, 0x3f800000, 0xff800000, 0x7f800001, 0x7fffff, 0x3f800001, 0x3f800000, 0x7f800000, 0x0, 0x7fc00000, 0x80000002]
v_cmp_f_f32_e64 s[0:1], v4, v8
v_cmp_lt_f32_e64 s[2:3], v4, v8
v_cmp_eq_f32_e64 s[4:5], v4, v8
v_cmp_le_f32_e64 s[6:7], v4, v8
v_cmp_gt_f32_e64 s[8:9], v4, v8
v_cmp_lg_f32_e64 s[10:11], v4, v8
v_cmp_ge_f32_e64 s[12:13], v4, v8
v_cmp_o_f32_e64 s[14:15], v4, v8
v_cmp_o_f32_e32 vcc, v4, v8
;= s[0:1] = u64[0x0]
;= s[2:3] = u64[0x3c203c203c203820]
;= s[4:5] = u64[0x18001900190019]
;= s[6:7] = u64[0x3c383c393c393839]
;= s[8:9] = u64[0x8282028280828282]
;= s[10:11] = u64[0xbea23ea2bca2baa2]
;= s[12:13] = u64[0x829a029b809b829b]
;= s[14:15] = u64[0xbeba3ebbbcbbbabb]
;= vcc = u64[0xbeba3ebbbcbbbabb]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030/64
v_cmp_u_f32_e64 s[0:1], v4, v8
v_cmp_nge_f32_e64 s[2:3], v4, v8
v_cmp_nlg_f32_e64 s[4:5], v4, v8
v_cmp_ngt_f32_e64 s[6:7], v4, v8
v_cmp_nle_f32_e64 s[8:9], v4, v8
v_cmp_neq_f32_e64 s[10:11], v4, v8
v_cmp_nlt_f32_e64 s[12:13], v4, v8
v_cmp_tru_f32_e64 s[14:15], v4, v8
v_cmp_tru_f32_e32 vcc, v4, v8
;= s[0:1] = u64[0x4144414441444144]
;= s[2:3] = u64[0x7d647d647d647964]
;= s[4:5] = u64[0x415c415d415d415d]
;= s[6:7] = u64[0x7d7c7d7d7d7d797d]
;= s[8:9] = u64[0xc3c643c6c1c6c3c6]
;= s[10:11] = u64[0xffe67fe6fde6fbe6]
;= s[12:13] = u64[0xc3de43dfc1dfc3df]
;= s[14:15] = u64[0xfffe7ffffdfffbff]
;= vcc = u64[0xfffe7ffffdfffbff]

;! target gfx1030/32
v_cmp_f_f32_e64 s0, v4, v8
v_cmp_lt_f32_e64 s1, v4, v8
v_cmp_eq_f32_e64 s2, v4, v8
v_cmp_le_f32_e64 s3, v4, v8
v_cmp_gt_f32_e64 s4, v4, v8
v_cmp_lg_f32_e64 s5, v4, v8
v_cmp_ge_f32_e64 s6, v4, v8
v_cmp_o_f32_e64 s7, v4, v8
v_cmp_o_f32_e32 vcc_lo, v4, v8
;= s0 = u32[0x0]
;= s1 = u32[0x3c203820]
;= s2 = u32[0x190019]
;= s3 = u32[0x3c393839]
;= s4 = u32[0x80828282]
;= s5 = u32[0xbca2baa2]
;= s6 = u32[0x809b829b]
;= s7 = u32[0xbcbbbabb]
;= vcc = u64[0xbcbbbabb]

;! target gfx1030/32
v_cmp_u_f32_e64 s0, v4, v8
v_cmp_nge_f32_e64 s1, v4, v8
v_cmp_nlg_f32_e64 s2, v4, v8
v_cmp_ngt_f32_e64 s3, v4, v8
v_cmp_nle_f32_e64 s4, v4, v8
v_cmp_neq_f32_e64 s5, v4, v8
v_cmp_nlt_f32_e64 s6, v4, v8
v_cmp_tru_f32_e64 s7, v4, v8
v_cmp_tru_f32_e32 vcc_lo, v4, v8
;= s0 = u32[0x41444144]
;= s1 = u32[0x7d647964]
;= s2 = u32[0x415d415d]
;= s3 = u32[0x7d7d797d]
;= s4 = u32[0xc1c6c3c6]
;= s5 = u32[0xfde6fbe6]
;= s6 = u32[0xc1dfc3df]
;= s7 = u32[0xfdfffbff]
;= vcc = u64[0xfdfffbff]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030/64
;! given
;! given exec 0xfffe7ffffdfffbff
;! given in v[4:5] = u64[0x0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x1, 0x7ff0000000000001, 0x10000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7fefffffffffffff, 0xfff0000000000000, 0x7ff8000000000000, 0x8000000000000001]
;! given in v[8:9] = u64[0x8000000000000000, 0xbff0000000000000, 0x7ff8000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0x1, 0x3ff0000000000000, 0xfff0000000000000, 0x7ff0000000000001, 0xfffffffffffff, 0x3ff0000000000001, 0x3ff0000000000000, 0x7ff0000000000000, 0x0, 0x7ff8000000000000, 0x8000000000000002]
v_cmp_f_f64_e64 s[0:1], v[4:5], v[8:9]
v_cmp_lt_f64_e64 s[2:3], v[4:5], v[8:9]
v_cmp_eq_f64_e64 s[4:5], v[4:5], v[8:9]
v_cmp_le_f64_e64 s[6:7], v[4:5], v[8:9]
v_cmp_gt_f64_e64 s[8:9], v[4:5], v[8:9]
v_cmp_lg_f64_e64 s[10:11], v[4:5], v[8:9]
v_cmp_ge_f64_e64 s[12:13], v[4:5], v[8:9]
v_cmp_o_f64_e64 s[14:15], v[4:5], v[8:9]
v_cmp_o_f64_e32 vcc, v[4:5], v[8:9]
;= s[0:1] = u64[0x0]
;= s[2:3] = u64[0x3c203c203c203820]
;= s[4:5] = u64[0x18001900190019]
;= s[6:7] = u64[0x3c383c393c393839]
;= s[8:9] = u64[0x8282028280828282]
;= s[10:11] = u64[0xbea23ea2bca2baa2]
;= s[12:13] = u64[0x829a029b809b829b]
;= s[14:15] = u64[0xbeba3ebbbcbbbabb]
;= vcc = u64[0xbeba3ebbbcbbbabb]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030/64
v_cmp_u_f64_e64 s[0:1], v[4:5], v[8:9]
v_cmp_nge_f64_e64 s[2:3], v[4:5], v[8:9]
v_cmp_nlg_f64_e64 s[4:5], v[4:5], v[8:9]
v_cmp_ngt_f64_e64 s[6:7], v[4:5], v[8:9]
v_cmp_nle_f64_e64 s[8:9], v[4:5], v[8:9]
v_cmp_neq_f64_e64 s[10:11], v[4:5], v[8:9]
v_cmp_nlt_f64_e64 s[12:13], v[4:5], v[8:9]
v_cmp_tru_f64_e64 s[14:15], v[4:5], v[8:9]
v_cmp_tru_f64_e32 vcc, v[4:5], v[8:9]
;= s[0:1] = u64[0x4144414441444144]
;= s[2:3] = u64[0x7d647d647d647964]
;= s[4:5] = u64[0x415c415d415d415d]
;= s[6:7] = u64[0x7d7c7d7d7d7d797d]
;= s[8:9] = u64[0xc3c643c6c1c6c3c6]
;= s[10:11] = u64[0xffe67fe6fde6fbe6]
;= s[12:13] = u64[0xc3de43dfc1dfc3df]
;= s[14:15] = u64[0xfffe7ffffdfffbff]
;= vcc = u64[0xfffe7ffffdfffbff]

;! target gfx1030/32
v_cmp_f_f64_e64 s0, v[4:5], v[8:9]
v_cmp_lt_f64_e64 s1, v[4:5], v[8:9]
v_cmp_eq_f64_e64 s2, v[4:5], v[8:9]
v_cmp_le_f64_e64 s3, v[4:5], v[8:9]
v_cmp_gt_f64_e64 s4, v[4:5], v[8:9]
v_cmp_lg_f64_e64 s5, v[4:5], v[8:9]
v_cmp_ge_f64_e64 s6, v[4:5], v[8:9]
v_cmp_o_f64_e64 s7, v[4:5], v[8:9]
v_cmp_o_f64_e32 vcc_lo, v[4:5], v[8:9]
;= s0 = u32[0x0]
;= s1 = u32[0x3c203820]
;= s2 = u32[0x190019]
;= s3 = u32[0x3c393839]
;= s4 = u32[0x80828282]
;= s5 = u32[0xbca2baa2]
;= s6 = u32[0x809b829b]
;= s7 = u32[0xbcbbbabb]
;= vcc = u64[0xbcbbbabb]

;! target gfx1030/32
v_cmp_u_f64_e64 s0, v[4:5], v[8:9]
v_cmp_nge_f64_e64 s1, v[4:5], v[8:9]
v_cmp_nlg_f64_e64 s2, v[4:5], v[8:9]
v_cmp_ngt_f64_e64 s3, v[4:5], v[8:9]
v_cmp_nle_f64_e64 s4, v[4:5], v[8:9]
v_cmp_neq_f64_e64 s5, v[4:5], v[8:9]
v_cmp_nlt_f64_e64 s6, v[4:5], v[8:9]
v_cmp_tru_f64_e64 s7, v[4:5], v[8:9]
v_cmp_tru_f64_e32 vcc_lo, v[4:5], v[8:9]
;= s0 = u32[0x41444144]
;= s1 = u32[0x7d647964]
;= s2 = u32[0x415d415d]
;= s3 = u32[0x7d7d797d]
;= s4 = u32[0xc1c6c3c6]
;= s5 = u32[0xfde6fbe6]
;= s6 = u32[0xc1dfc3df]
;= s7 = u32[0xfdfffbff]
;= vcc = u64[0xfdfffbff]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030/64
;! given
;! given exec 0xfffe7ffffdfffbff
;! given in v4 = u32[0xabcd0000, 0xabcd8000, 0xabcd3c00, 0xabcdbc00, 0xabcd7c00, 0xabcdfc00, 0xabcd7e00, 0xabcd0001, 0xabcd7c01, 0xabcd0400, 0xabcd3c00, 0xabcdbc00, 0xabcd7bff, 0xabcdfc00, 0xabcd7e00, 0xabcd8001]
;! given in v8 = u32[0x12348000, 0x1234bc00, 0x12347e00, 0x1234bc00, 0x12347c00, 0x12340001, 0x12343c00, 0x1234fc00, 0x12347c01, 0x123403ff, 0x12343c01, 0x12343c00, 0x12347c00, 0x12340000, 0x12347e00, 0x12348002]
v_cmp_f_f16_e64 s[0:1], v4, v8
v_cmp_lt_f16_e64 s[2:3], v4, v8
v_cmp_eq_f16_e64 s[4:5], v4, v8
v_cmp_le_f16_e64 s[6:7], v4, v8
v_cmp_gt_f16_e64 s[8:9], v4, v8
v_cmp_lg_f16_e64 s[10:11], v4, v8
v_cmp_ge_f16_e64 s[12:13], v4, v8
v_cmp_o_f16_e64 s[14:15], v4, v8
v_cmp_o_f16_e32 vcc, v4, v8
;= s[0:1] = u64[0x0]
;= s[2:3] = u64[0x3c203c203c203820]
;= s[4:5] = u64[0x18001900190019]
;= s[6:7] = u64[0x3c383c393c393839]
;= s[8:9] = u64[0x8282028280828282]
;= s[10:11] = u64[0xbea23ea2bca2baa2]
;= s[12:13] = u64[0x829a029b809b829b]
;= s[14:15] = u64[0xbeba3ebbbcbbbabb]
;= vcc = u64[0xbeba3ebbbcbbbabb]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030/64
v_cmp_u_f16_e64 s[0:1], v4, v8
v_cmp_nge_f16_e64 s[2:3], v4, v8
v_cmp_nlg_f16_e64 s[4:5], v4, v8
v_cmp_ngt_f16_e64 s[6:7], v4, v8
v_cmp_nle_f16_e64 s[8:9], v4, v8
v_cmp_neq_f16_e64 s[10:11], v4, v8
v_cmp_nlt_f16_e64 s[12:13], v4, v8
v_cmp_tru_f16_e64 s[14:15], v4, v8
v_cmp_tru_f16_e32 vcc, v4, v8
;= s[0:1] = u64[0x4144414441444144]
;= s[2:3] = u64[0x7d647d647d647964]
;= s[4:5] = u64[0x415c415d415d415d]
;= s[6:7] = u64[0x7d7c7d7d7d7d797d]
;= s[8:9] = u64[0xc3c643c6c1c6c3c6]
;= s[10:11] = u64[0xffe67fe6fde6fbe6]
;= s[12:13] = u64[0xc3de43dfc1dfc3df]
;= s[14:15] = u64[0xfffe7ffffdfffbff]
;= vcc = u64[0xfffe7ffffdfffbff]

;! target gfx1030/32
v_cmp_f_f16_e64 s0, v4, v8
v_cmp_lt_f16_e64 s1, v4, v8
v_cmp_eq_f16_e64 s2, v4, v8
v_cmp_le_f16_e64 s3, v4, v8
v_cmp_gt_f16_e64 s4, v4, v8
v_cmp_lg_f16_e64 s5, v4, v8
v_cmp_ge_f16_e64 s6, v4, v8
v_cmp_o_f16_e64 s7, v4, v8
v_cmp_o_f16_e32 vcc_lo, v4, v8
;= s0 = u32[0x0]
;= s1 = u32[0x3c203820]
;= s2 = u32[0x190019]
;= s3 = u32[0x3c393839]
;= s4 = u32[0x80828282]
;= s5 = u32[0xbca2baa2]
;= s6 = u32[0x809b829b]
;= s7 = u32[0xbcbbbabb]
;= vcc = u64[0xbcbbbabb]

;! target gfx1030/32
v_cmp_u_f16_e64 s0, v4, v8
v_cmp_nge_f16_e64 s1, v4, v8
v_cmp_nlg_f16_e64 s2, v4, v8
v_cmp_ngt_f16_e64 s3, v4, v8
v_cmp_nle_f16_e64 s4, v4, v8
v_cmp_neq_f16_e64 s5, v4, v8
v_cmp_nlt_f16_e64 s6, v4, v8
v_cmp_tru_f16_e64 s7, v4, v8
v_cmp_tru_f16_e32 vcc_lo, v4, v8
;= s0 = u32[0x41444144]
;= s1 = u32[0x7d647964]
;= s2 = u32[0x415d415d]
;= s3 = u32[0x7d7d797d]
;= s4 = u32[0xc1c6c3c6]
;= s5 = u32[0xfde6fbe6]
;= s6 = u32[0xc1dfc3df]
;= s7 = u32[0xfdfffbff]
;= vcc = u64[0xfdfffbff]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030/64
;! given
;! given exec 0xfffe7ffffdfffbff
;! given in v4 = u32[0x0, 0x1, 0xffffffff, 0x80000000, 0x7fffffff, 0x80000000, 0x5, 0xffffffff, 0x0, 0x80000001, 0x7, 0xfffffffe, 0x7fffffff, 0x2, 0x80000000, 0x3]
;! given in v8 = u32[0x0, 0xffffffff, 0x1, 0x7fffffff, 0x80000000, 0x80000000, 0x5, 0xffffffff, 0x80000000, 0x80000000, 0x8, 0xffffffff, 0x7fffffff, 0xfffffffe, 0x0, 0x3]
v_cmp_f_i32_e64 s[0:1], v4, v8
v_cmp_lt_i32_e64 s[2:3], v4, v8
v_cmp_eq_i32_e64 s[4:5], v4, v8
v_cmp_le_i32_e64 s[6:7], v4, v8
v_cmp_gt_i32_e64 s[8:9], v4, v8
v_cmp_ne_i32_e64 s[10:11], v4, v8
v_cmp_ge_i32_e64 s[12:13], v4, v8
v_cmp_t_i32_e64 s[14:15], v4, v8
v_cmp_t_i32_e32 vcc, v4, v8
;= s[0:1] = u64[0x0]
;= s[2:3] = u64[0x4c0c4c0c4c0c480c]
;= s[4:5] = u64[0x90e010e190e190e1]
;= s[6:7] = u64[0xdcec5ceddcedd8ed]
;= s[8:9] = u64[0x2312231221122312]
;= s[10:11] = u64[0x6f1e6f1e6d1e6b1e]
;= s[12:13] = u64[0xb3f233f3b1f3b3f3]
;= s[14:15] = u64[0xfffe7ffffdfffbff]
;= vcc = u64[0xfffe7ffffdfffbff]

;! target gfx1030/32
v_cmp_f_i32_e64 s0, v4, v8
v_cmp_lt_i32_e64 s1, v4, v8
v_cmp_eq_i32_e64 s2, v4, v8
v_cmp_le_i32_e64 s3, v4, v8
v_cmp_gt_i32_e64 s4, v4, v8
v_cmp_ne_i32_e64 s5, v4, v8
v_cmp_ge_i32_e64 s6, v4, v8
v_cmp_t_i32_e64 s7, v4, v8
v_cmp_t_i32_e32 vcc_lo, v4, v8
;= s0 = u32[0x0]
;= s1 = u32[0x4c0c480c]
;= s2 = u32[0x90e190e1]
;= s3 = u32[0xdcedd8ed]
;= s4 = u32[0x21122312]
;= s5 = u32[0x6d1e6b1e]
;= s6 = u32[0xb1f3b3f3]
;= s7 = u32[0xfdfffbff]
;= vcc = u64[0xfdfffbff]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030/64
v_cmp_f_u32_e64 s[0:1], v4, v8
v_cmp_lt_u32_e64 s[2:3], v4, v8
v_cmp_eq_u32_e64 s[4:5], v4, v8
v_cmp_le_u32_e64 s[6:7], v4, v8
v_cmp_gt_u32_e64 s[8:9], v4, v8
v_cmp_ne_u32_e64 s[10:11], v4, v8
v_cmp_ge_u32_e64 s[12:13], v4, v8
v_cmp_t_u32_e64 s[14:15], v4, v8
v_cmp_t_u32_e32 vcc, v4, v8
;= s[0:1] = u64[0x0]
;= s[2:3] = u64[0x2d122d122d122912]
;= s[4:5] = u64[0x90e010e190e190e1]
;= s[6:7] = u64[0xbdf23df3bdf3b9f3]
;= s[8:9] = u64[0x420c420c400c420c]
;= s[10:11] = u64[0x6f1e6f1e6d1e6b1e]
;= s[12:13] = u64[0xd2ec52edd0edd2ed]
;= s[14:15] = u64[0xfffe7ffffdfffbff]
;= vcc = u64[0xfffe7ffffdfffbff]

;! target gfx1030/32
v_cmp_f_u32_e64 s0, v4, v8
v_cmp_lt_u32_e64 s1, v4, v8
v_cmp_eq_u32_e64 s2, v4, v8
v_cmp_le_u32_e64 s3, v4, v8
v_cmp_gt_u32_e64 s4, v4, v8
v_cmp_ne_u32_e64 s5, v4, v8
v_cmp_ge_u32_e64 s6, v4, v8
v_cmp_t_u32_e64 s7, v4, v8
v_cmp_t_u32_e32 vcc_lo, v4, v8
;= s0 = u32[0x0]
;= s1 = u32[0x2d122912]
;= s2 = u32[0x90e190e1]
;= s3 = u32[0xbdf3b9f3]
;= s4 = u32[0x400c420c]
;= s5 = u32[0x6d1e6b1e]
;= s6 = u32[0xd0edd2ed]
;= s7 = u32[0xfdfffbff]
;= vcc = u64[0xfdfffbff]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030/64
;! given
;! given exec 0xfffe7ffffdfffbff
;! given in v[4:5] = u64[0x0, 0x1, 0xffffffffffffffff, 0x8000000000000000, 0x7fffffffffffffff, 0x8000000000000000, 0x5, 0xffffffffffffffff, 0x0, 0x100000000, 0x100000005, 0xfffffffffffffffe, 0x7fffffffffffffff, 0x2, 0x8000000000000000, 0x3]
;! given in v[8:9] = u64[0x0, 0xffffffffffffffff, 0x1, 0x7fffffffffffffff, 0x8000000000000000, 0x8000000000000000, 0x5, 0xffffffffffffffff, 0x8000000000000000, 0xffffffff, 0x200000005, 0xffffffffffffffff, 0x7fffffffffffffff, 0xfffffffffffffffe, 0x0, 0x3]
v_cmp_f_i64_e64 s[0:1], v[4:5], v[8:9]
v_cmp_lt_i64_e64 s[2:3], v[4:5], v[8:9]
v_cmp_eq_i64_e64 s[4:5], v[4:5], v[8:9]
v_cmp_le_i64_e64 s[6:7], v[4:5], v[8:9]
v_cmp_gt_i64_e64 s[8:9], v[4:5], v[8:9]
v_cmp_ne_i64_e64 s[10:11], v[4:5], v[8:9]
v_cmp_ge_i64_e64 s[12:13], v[4:5], v[8:9]
v_cmp_t_i64_e64 s[14:15], v[4:5], v[8:9]
v_cmp_t_i64_e32 vcc, v[4:5], v[8:9]
;= s[0:1] = u64[0x0]
;= s[2:3] = u64[0x4c0c4c0c4c0c480c]
;= s[4:5] = u64[0x90e010e190e190e1]
;= s[6:7] = u64[0xdcec5ceddcedd8ed]
;= s[8:9] = u64[0x2312231221122312]
;= s[10:11] = u64[0x6f1e6f1e6d1e6b1e]
;= s[12:13] = u64[0xb3f233f3b1f3b3f3]
;= s[14:15] = u64[0xfffe7ffffdfffbff]
;= vcc = u64[0xfffe7ffffdfffbff]

;! target gfx1030/32
v_cmp_f_i64_e64 s0, v[4:5], v[8:9]
v_cmp_lt_i64_e64 s1, v[4:5], v[8:9]
v_cmp_eq_i64_e64 s2, v[4:5], v[8:9]
v_cmp_le_i64_e64 s3, v[4:5], v[8:9]
v_cmp_gt_i64_e64 s4, v[4:5], v[8:9]
v_cmp_ne_i64_e64 s5, v[4:5], v[8:9]
v_cmp_ge_i64_e64 s6, v[4:5], v[8:9]
v_cmp_t_i64_e64 s7, v[4:5], v[8:9]
v_cmp_t_i64_e32 vcc_lo, v[4:5], v[8:9]
;= s0 = u32[0x0]
;= s1 = u32[0x4c0c480c]
;= s2 = u32[0x90e190e1]
;= s3 = u32[0xdcedd8ed]
;= s4 = u32[0x21122312]
;= s5 = u32[0x6d1e6b1e]
;= s6 = u32[0xb1f3b3f3]
;= s7 = u32[0xfdfffbff]
;= vcc = u64[0xfdfffbff]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030/64
v_cmp_f_u64_e64 s[0:1], v[4:5], v[8:9]
v_cmp_lt_u64_e64 s[2:3], v[4:5], v[8:9]
v_cmp_eq_u64_e64 s[4:5], v[4:5], v[8:9]
v_cmp_le_u64_e64 s[6:7], v[4:5], v[8:9]
v_cmp_gt_u64_e64 s[8:9], v[4:5], v[8:9]
v_cmp_ne_u64_e64 s[10:11], v[4:5], v[8:9]
v_cmp_ge_u64_e64 s[12:13], v[4:5], v[8:9]
v_cmp_t_u64_e64 s[14:15], v[4:5], v[8:9]
v_cmp_t_u64_e32 vcc, v[4:5], v[8:9]
;= s[0:1] = u64[0x0]
;= s[2:3] = u64[0x2d122d122d122912]
;= s[4:5] = u64[0x90e010e190e190e1]
;= s[6:7] = u64[0xbdf23df3bdf3b9f3]
;= s[8:9] = u64[0x420c420c400c420c]
;= s[10:11] = u64[0x6f1e6f1e6d1e6b1e]
;= s[12:13] = u64[0xd2ec52edd0edd2ed]
;= s[14:15] = u64[0xfffe7ffffdfffbff]
;= vcc = u64[0xfffe7ffffdfffbff]

;! target gfx1030/32
v_cmp_f_u64_e64 s0, v[4:5], v[8:9]
v_cmp_lt_u64_e64 s1, v[4:5], v[8:9]
v_cmp_eq_u64_e64 s2, v[4:5], v[8:9]
v_cmp_le_u64_e64 s3, v[4:5], v[8:9]
v_cmp_gt_u64_e64 s4, v[4:5], v[8:9]
v_cmp_ne_u64_e64 s5, v[4:5], v[8:9]
v_cmp_ge_u64_e64 s6, v[4:5], v[8:9]
v_cmp_t_u64_e64 s7, v[4:5], v[8:9]
v_cmp_t_u64_e32 vcc_lo, v[4:5], v[8:9]
;= s0 = u32[0x0]
;= s1 = u32[0x2d122912]
;= s2 = u32[0x90e190e1]
;= s3 = u32[0xbdf3b9f3]
;= s4 = u32[0x400c420c]
;= s5 = u32[0x6d1e6b1e]
;= s6 = u32[0xd0edd2ed]
;= s7 = u32[0xfdfffbff]
;= vcc = u64[0xfdfffbff]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given
;! given exec 0xfffe7ffffdfffbff
;! given in v4 = u32[0xabcd0000, 0xabcd0001, 0xabcdffff, 0xabcd8000, 0xabcd7fff, 0xabcd8000, 0xabcd0005, 0xabcdffff, 0xabcd0000, 0xabcd8001, 0xabcd0007, 0xabcdfffe, 0xabcd7fff, 0xabcd0002, 0xabcd8000, 0xabcd0003]
;! given in v8 = u32[0x12340000, 0x1234ffff, 0x12340001, 0x12347fff, 0x12348000, 0x12348000, 0x12340005, 0x1234ffff, 0x12348000, 0x12348000, 0x12340008, 0x1234ffff, 0x12347fff, 0x1234fffe, 0x12340000, 0x12340003]
v_cmp_f_i16_e64 s[0:1], v4, v8
v_cmp_lt_i16_e64 s[2:3], v4, v8
v_cmp_eq_i16_e64 s[4:5], v4, v8
v_cmp_le_i16_e64 s[6:7], v4, v8
v_cmp_gt_i16_e64 s[8:9], v4, v8
v_cmp_ne_i16_e64 s[10:11], v4, v8
v_cmp_ge_i16_e64 s[12:13], v4, v8
v_cmp_t_i16_e64 s[14:15], v4, v8
v_cmp_t_i16_e32 vcc, v4, v8
;= s[0:1] = u64[0x0]
;= s[2:3] = u64[0x4c0c4c0c4c0c480c]
;= s[4:5] = u64[0x90e010e190e190e1]
;= s[6:7] = u64[0xdcec5ceddcedd8ed]
;= s[8:9] = u64[0x2312231221122312]
;= s[10:11] = u64[0x6f1e6f1e6d1e6b1e]
;= s[12:13] = u64[0xb3f233f3b1f3b3f3]
;= s[14:15] = u64[0xfffe7ffffdfffbff]
;= vcc = u64[0xfffe7ffffdfffbff]

;! target gfx1030/64
v_cmp_lt_i16_e64 s[0:1], v4, v8
v_cmp_eq_i16_e64 s[2:3], v4, v8
v_cmp_le_i16_e64 s[4:5], v4, v8
v_cmp_gt_i16_e64 s[6:7], v4, v8
v_cmp_ne_i16_e64 s[8:9], v4, v8
v_cmp_ge_i16_e64 s[10:11], v4, v8
v_cmp_ge_i16_e32 vcc, v4, v8
;= s[0:1] = u64[0x4c0c4c0c4c0c480c]
;= s[2:3] = u64[0x90e010e190e190e1]
;= s[4:5] = u64[0xdcec5ceddcedd8ed]
;= s[6:7] = u64[0x2312231221122312]
;= s[8:9] = u64[0x6f1e6f1e6d1e6b1e]
;= s[10:11] = u64[0xb3f233f3b1f3b3f3]
;= vcc = u64[0xb3f233f3b1f3b3f3]

;! target gfx1030/32
v_cmp_lt_i16_e64 s0, v4, v8
v_cmp_eq_i16_e64 s1, v4, v8
v_cmp_le_i16_e64 s2, v4, v8
v_cmp_gt_i16_e64 s3, v4, v8
v_cmp_ne_i16_e64 s4, v4, v8
v_cmp_ge_i16_e64 s5, v4, v8
v_cmp_ge_i16_e32 vcc_lo, v4, v8
;= s0 = u32[0x4c0c480c]
;= s1 = u32[0x90e190e1]
;= s2 = u32[0xdcedd8ed]
;= s3 = u32[0x21122312]
;= s4 = u32[0x6d1e6b1e]
;= s5 = u32[0xb1f3b3f3]
;= vcc = u64[0xb1f3b3f3]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
v_cmp_f_u16_e64 s[0:1], v4, v8
v_cmp_lt_u16_e64 s[2:3], v4, v8
v_cmp_eq_u16_e64 s[4:5], v4, v8
v_cmp_le_u16_e64 s[6:7], v4, v8
v_cmp_gt_u16_e64 s[8:9], v4, v8
v_cmp_ne_u16_e64 s[10:11], v4, v8
v_cmp_ge_u16_e64 s[12:13], v4, v8
v_cmp_t_u16_e64 s[14:15], v4, v8
v_cmp_t_u16_e32 vcc, v4, v8
;= s[0:1] = u64[0x0]
;= s[2:3] = u64[0x2d122d122d122912]
;= s[4:5] = u64[0x90e010e190e190e1]
;= s[6:7] = u64[0xbdf23df3bdf3b9f3]
;= s[8:9] = u64[0x420c420c400c420c]
;= s[10:11] = u64[0x6f1e6f1e6d1e6b1e]
;= s[12:13] = u64[0xd2ec52edd0edd2ed]
;= s[14:15] = u64[0xfffe7ffffdfffbff]
;= vcc = u64[0xfffe7ffffdfffbff]

;! target gfx1030/64
v_cmp_lt_u16_e64 s[0:1], v4, v8
v_cmp_eq_u16_e64 s[2:3], v4, v8
v_cmp_le_u16_e64 s[4:5], v4, v8
v_cmp_gt_u16_e64 s[6:7], v4, v8
v_cmp_ne_u16_e64 s[8:9], v4, v8
v_cmp_ge_u16_e64 s[10:11], v4, v8
v_cmp_ge_u16_e32 vcc, v4, v8
;= s[0:1] = u64[0x2d122d122d122912]
;= s[2:3] = u64[0x90e010e190e190e1]
;= s[4:5] = u64[0xbdf23df3bdf3b9f3]
;= s[6:7] = u64[0x420c420c400c420c]
;= s[8:9] = u64[0x6f1e6f1e6d1e6b1e]
;= s[10:11] = u64[0xd2ec52edd0edd2ed]
;= vcc = u64[0xd2ec52edd0edd2ed]

;! target gfx1030/32
v_cmp_lt_u16_e64 s0, v4, v8
v_cmp_eq_u16_e64 s1, v4, v8
v_cmp_le_u16_e64 s2, v4, v8
v_cmp_gt_u16_e64 s3, v4, v8
v_cmp_ne_u16_e64 s4, v4, v8
v_cmp_ge_u16_e64 s5, v4, v8
v_cmp_ge_u16_e32 vcc_lo, v4, v8
;= s0 = u32[0x2d122912]
;= s1 = u32[0x90e190e1]
;= s2 = u32[0xbdf3b9f3]
;= s3 = u32[0x400c420c]
;= s4 = u32[0x6d1e6b1e]
;= s5 = u32[0xd0edd2ed]
;= vcc = u64[0xd0edd2ed]

; Magnitude and sign of floating-point sources; what is off stays zero.
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030/64
;! given
;! given in v4 = f32[1.0, -1.0, 2.0, -2.0]
;! given in v8 = f32[-1.5]
v_cmp_lt_f32_e64 s[0:1], |v4|, -v8
v_cmp_gt_f32_e64 s[2:3], -v4, v8
;= s[0:1] = u64[0x3333333333333333]
;= s[2:3] = u64[0xbbbbbbbbbbbbbbbb]

;! target gfx1030/32
v_cmp_lt_f32_e64 s0, |v4|, -v8
v_cmp_gt_f32_e64 s1, -v4, v8
;= s0 = u32[0x33333333]
;= s1 = u32[0xbbbbbbbb]

; With denormals flushed (MODE bits 5:4 and 7:6 zero), they equal zeros of either sign.
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030/64
;! given
;! given in v4 = u32[1, 0x807fffff, 0x800000, 0]
;! given in v[6:7] = u64[1, 0x800fffffffffffff, 0x10000000000000, 0]
;! given in v8 = u32[1, 0x83ff, 0x400, 0]
s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 0
v_cmp_eq_f32_e64 s[0:1], 0, v4
v_cmp_lg_f32_e64 s[2:3], 0, v4
v_cmp_eq_f64_e64 s[4:5], 0, v[6:7]
v_cmp_lt_f64_e64 s[6:7], 0, v[6:7]
v_cmp_eq_f16_e64 s[8:9], 0, v8
v_cmp_neq_f16_e64 s[10:11], 0, v8
;= s[0:1] = u64[0xbbbbbbbbbbbbbbbb]
;= s[2:3] = u64[0x4444444444444444]
;= s[4:5] = u64[0xbbbbbbbbbbbbbbbb]
;= s[6:7] = u64[0x4444444444444444]
;= s[8:9] = u64[0xbbbbbbbbbbbbbbbb]
;= s[10:11] = u64[0x4444444444444444]

;! target gfx1030/32
s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 0
v_cmp_eq_f32_e64 s0, 0, v4
v_cmp_lg_f32_e64 s1, 0, v4
v_cmp_eq_f64_e64 s2, 0, v[6:7]
v_cmp_lt_f64_e64 s3, 0, v[6:7]
v_cmp_eq_f16_e64 s4, 0, v8
v_cmp_neq_f16_e64 s5, 0, v8
;= s0 = u32[0xbbbbbbbb]
;= s1 = u32[0x44444444]
;= s2 = u32[0xbbbbbbbb]
;= s3 = u32[0x44444444]
;= s4 = u32[0xbbbbbbbb]
;= s5 = u32[0x44444444]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030/64
;! given
;! given exec 0
;! given in vcc = u64[0x5555555555555555]
v_cmp_tru_f32_e32 vcc, v4, v8  ;= vcc = u64[0]
;! target gfx1030/32
v_cmp_tru_f32_e32 vcc_lo, v4, v8  ;= vcc = u64[0]
