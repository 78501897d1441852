; Scalar comparisons.
;! by spec, pseudocode of the CDNA2 and RDNA2 manuals, SOP1, SOP2, SOPC and SOPK

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
;! in s4 = u32[5]
;! in s6 = u32[5]
s_cmp_eq_i32 s4, s6
;= scc = u32[1]

;! in s4 = u32[5]
;! in s6 = u32[5]
;! in scc = u32[1]
s_cmp_lg_i32 s4, s6
;= scc = u32[0]

;! in s4 = u32[0xffffffff]
;! in s6 = u32[5]
;! in scc = u32[1]
s_cmp_gt_i32 s4, s6
;= scc = u32[0]

;! in s4 = u32[5]
;! in s6 = u32[0xffffffff]
s_cmp_ge_i32 s4, s6
;= scc = u32[1]

;! in s4 = u32[0xffffffff]
;! in s6 = u32[5]
s_cmp_lt_i32 s4, s6
;= scc = u32[1]

;! in s4 = u32[6]
;! in s6 = u32[5]
;! in scc = u32[1]
s_cmp_le_i32 s4, s6
;= scc = u32[0]

;! in s4 = u32[5]
;! in s6 = u32[0xffffffff]
;! in scc = u32[1]
s_cmp_eq_u32 s4, s6
;= scc = u32[0]

;! in s4 = u32[5]
;! in s6 = u32[0xffffffff]
s_cmp_lg_u32 s4, s6
;= scc = u32[1]

;! in s4 = u32[0xffffffff]
;! in s6 = u32[5]
s_cmp_gt_u32 s4, s6
;= scc = u32[1]

;! in s4 = u32[5]
;! in s6 = u32[0xffffffff]
;! in scc = u32[1]
s_cmp_ge_u32 s4, s6
;= scc = u32[0]

;! in s4 = u32[0xffffffff]
;! in s6 = u32[5]
;! in scc = u32[1]
s_cmp_lt_u32 s4, s6
;= scc = u32[0]

;! in s4 = u32[5]
;! in s6 = u32[5]
s_cmp_le_u32 s4, s6
;= scc = u32[1]

;! in s[4:5] = u64[0x10000000000]
;! in s[6:7] = u64[0x10000000000]
s_cmp_eq_u64 s[4:5], s[6:7]
;= scc = u32[1]

;! in s[4:5] = u64[0x10000000000]
;! in s[6:7] = u64[0]
s_cmp_lg_u64 s[4:5], s[6:7]
;= scc = u32[1]

;! in s4 = u32[8]
;! in s6 = u32[3]
;! in scc = u32[1]
s_bitcmp0_b32 s4, s6
;= scc = u32[0]

;! in s4 = u32[8]
;! in s6 = u32[0x23]
s_bitcmp1_b32 s4, s6
;= scc = u32[1]

;! in s[4:5] = u64[0x10000000000]
;! in s6 = u32[0x28]
;! in scc = u32[1]
s_bitcmp0_b64 s[4:5], s6
;= scc = u32[0]

;! in s[4:5] = u64[0x10000000000]
;! in s6 = u32[0x28]
s_bitcmp1_b64 s[4:5], s6
;= scc = u32[1]

;! in s4 = u32[0xffffffff]
s_cmpk_eq_i32 s4, -1
;= scc = u32[1]

;! in s4 = u32[0xffffffff]
;! in scc = u32[1]
s_cmpk_eq_u32 s4, 0xffff
;= scc = u32[0]

;! in s4 = u32[0xffffffff]
s_cmpk_gt_u32 s4, 0xffff
;= scc = u32[1]

;! in s4 = u32[0xffffffff]
s_cmpk_lt_i32 s4, 0
;= scc = u32[1]
