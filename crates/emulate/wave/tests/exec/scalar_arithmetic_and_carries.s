; Scalar arithmetic and carries.
;! by spec, pseudocode of the CDNA2 and RDNA2 manuals, SOP1, SOP2, SOPC and SOPK

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
s_add_u32 s0, s4, s6  ;! in s4 = u32[0xffffffff]  ;! in s6 = u32[2]  ;! in s0 = u32[0]  ;= s0 = u32[1]  ;= scc = u32[1]
s_add_u32 s0, s4, s6  ;! in s4 = u32[1]  ;! in s6 = u32[2]  ;! in s0 = u32[0]  ;! in scc = u32[1]  ;= s0 = u32[3]  ;= scc = u32[0]
s_sub_u32 s0, s4, s6  ;! in s4 = u32[1]  ;! in s6 = u32[2]  ;! in s0 = u32[0]  ;= s0 = u32[0xffffffff]  ;= scc = u32[1]
s_add_i32 s0, s4, s6  ;! in s4 = u32[0x7fffffff]  ;! in s6 = u32[1]  ;! in s0 = u32[0]  ;= s0 = u32[0x80000000]  ;= scc = u32[1]
s_add_i32 s0, s4, s6  ;! in s4 = u32[0xffffffff]  ;! in s6 = u32[1]  ;! in s0 = u32[0]  ;! in scc = u32[1]  ;= s0 = u32[0]  ;= scc = u32[0]
s_sub_i32 s0, s4, s6  ;! in s4 = u32[0x80000000]  ;! in s6 = u32[1]  ;! in s0 = u32[0]  ;= s0 = u32[0x7fffffff]  ;= scc = u32[1]
s_addc_u32 s0, s4, s6  ;! in s4 = u32[0xffffffff]  ;! in s6 = u32[0]  ;! in s0 = u32[0]  ;! in scc = u32[1]  ;= s0 = u32[0]  ;= scc = u32[1]
s_subb_u32 s0, s4, s6  ;! in s4 = u32[5]  ;! in s6 = u32[5]  ;! in s0 = u32[0]  ;! in scc = u32[1]  ;= s0 = u32[0xffffffff]  ;= scc = u32[1]
s_subb_u32 s0, s4, s6  ;! in s4 = u32[5]  ;! in s6 = u32[0xffffffff]  ;! in s0 = u32[0]  ;! in scc = u32[1]  ;= s0 = u32[5]  ;= scc = u32[1]
s_mul_i32 s0, s4, s6  ;! in s4 = u32[0xffffffff]  ;! in s6 = u32[7]  ;! in s0 = u32[0]  ;! in scc = u32[1]  ;= s0 = u32[0xfffffff9]  ;= scc = u32[1]
s_mul_hi_u32 s0, s4, s6  ;! in s4 = u32[0xffffffff]  ;! in s6 = u32[0xffffffff]  ;! in s0 = u32[0]  ;! in scc = u32[1]  ;= s0 = u32[0xfffffffe]  ;= scc = u32[1]
s_mul_hi_i32 s0, s4, s6  ;! in s4 = u32[0xffffffff]  ;! in s6 = u32[7]  ;! in s0 = u32[0]  ;= s0 = u32[0xffffffff]  ;= scc = u32[0]
s_min_i32 s0, s4, s6  ;! in s4 = u32[0xffffffff]  ;! in s6 = u32[7]  ;! in s0 = u32[0]  ;= s0 = u32[0xffffffff]  ;= scc = u32[1]
s_min_u32 s0, s4, s6  ;! in s4 = u32[0xffffffff]  ;! in s6 = u32[7]  ;! in s0 = u32[0]  ;! in scc = u32[1]  ;= s0 = u32[7]  ;= scc = u32[0]
s_max_i32 s0, s4, s6  ;! in s4 = u32[0xffffffff]  ;! in s6 = u32[7]  ;! in s0 = u32[0]  ;! in scc = u32[1]  ;= s0 = u32[7]  ;= scc = u32[0]
s_max_u32 s0, s4, s6  ;! in s4 = u32[0xffffffff]  ;! in s6 = u32[7]  ;! in s0 = u32[0]  ;= s0 = u32[0xffffffff]  ;= scc = u32[1]
s_absdiff_i32 s0, s4, s6  ;! in s4 = u32[3]  ;! in s6 = u32[0xa]  ;! in s0 = u32[0]  ;= s0 = u32[7]  ;= scc = u32[1]
s_abs_i32 s0, s4  ;! in s4 = u32[0x80000000]  ;! in s0 = u32[0]  ;= s0 = u32[0x80000000]  ;= scc = u32[1]
s_lshl1_add_u32 s0, s4, s6  ;! in s4 = u32[0x80000001]  ;! in s6 = u32[5]  ;! in s0 = u32[0]  ;= s0 = u32[7]  ;= scc = u32[1]

;! given in s4 = u32[3]
;! given in s6 = u32[5]
;! given in s0 = u32[0]
;! given in scc = u32[1]
s_lshl2_add_u32 s0, s4, s6  ;= s0 = u32[0x11]  ;= scc = u32[0]
s_lshl3_add_u32 s0, s4, s6  ;= s0 = u32[0x1d]  ;= scc = u32[0]
s_lshl4_add_u32 s0, s4, s6  ;= s0 = u32[0x35]  ;= scc = u32[0]
;! given
;! given in s0 = u32[0]
s_addk_i32 s0, 0x7fff  ;! in scc = u32[1]  ;= s0 = u32[0x7fff]  ;= scc = u32[0]

s_mov_b32 s0, 0x7fffffff
s_addk_i32 s0, 1
;= s0 = u32[0x80000000]
;= scc = u32[1]

;! given in scc = u32[1]
s_mov_b32 s0, 3
s_mulk_i32 s0, -2
;= s0 = u32[0xfffffffa]
;= scc = u32[1]

s_movk_i32 s0, -3  ;= s0 = u32[0xfffffffd]  ;= scc = u32[1]
s_cmovk_i32 s0, 9  ;= s0 = u32[9]  ;= scc = u32[1]
;! given
s_cmovk_i32 s0, 9  ;! in s0 = u32[0]  ;= s0 = u32[0]  ;= scc = u32[0]
