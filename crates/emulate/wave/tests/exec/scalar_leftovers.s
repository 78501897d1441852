; Scalar logic of both widths, EXEC saves, comparisons with constants, branches and moves by index.
;! by spec, pseudocode of the CDNA2 and RDNA2 manuals, SOP1, SOP2, SOPC, SOPK and SOPP

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
s_and_b32 s0, s4, s6  ;! in s4 = u32[0x52e6b438]  ;! in s6 = u32[0xf2a74de4]  ;= s0 = u32[0x52a60420]  ;= scc = u32[1]
s_or_b32 s0, s4, s6  ;! in s4 = u32[0x269e0d37]  ;! in s6 = u32[0x6513270e]  ;= s0 = u32[0x679f2f3f]  ;= scc = u32[1]
s_xor_b32 s0, s4, s6  ;! in s4 = u32[0xa6a3a450]  ;! in s6 = u32[0xc5c7fd0]  ;= s0 = u32[0xaaffdb80]  ;= scc = u32[1]
s_andn2_b32 s0, s4, s6  ;! in s4 = u32[0x128b2f33]  ;! in s6 = u32[0xd23f0824]  ;= s0 = u32[0x802713]  ;= scc = u32[1]
s_orn2_b32 s0, s4, s6  ;! in s4 = u32[0x892f902b]  ;! in s6 = u32[0x1818e811]  ;= s0 = u32[0xefef97ef]  ;= scc = u32[1]
s_nand_b32 s0, s4, s6  ;! in s4 = u32[0x5d9dc9f8]  ;! in s6 = u32[0x9531985d]  ;= s0 = u32[0xeaee77a7]  ;= scc = u32[1]
s_nor_b32 s0, s4, s6  ;! in s4 = u32[0xed90475]  ;! in s6 = u32[0xe8e25d94]  ;= s0 = u32[0x1104a20a]  ;= scc = u32[1]
s_xnor_b32 s0, s4, s6  ;! in s4 = u32[0x81e74ef5]  ;! in s6 = u32[0x36f675cc]  ;= s0 = u32[0x48eec4c6]  ;= scc = u32[1]
s_not_b32 s0, s4  ;! in s4 = u32[0x99950d8]  ;= s0 = u32[0xf666af27]  ;= scc = u32[1]
s_and_b64 s[0:1], s[4:5], s[6:7]  ;! in s[4:5] = u64[0x6b0d549b6f03675a]  ;! in s[6:7] = u64[0x3d9c172411e20b8f]  ;= s[0:1] = u64[0x290c14000102030a]  ;= scc = u32[1]
s_or_b64 s[0:1], s[4:5], s[6:7]  ;! in s[4:5] = u64[0x8d116ece1738f7d9]  ;! in s[6:7] = u64[0xf21ddb66cad4a26]  ;= s[0:1] = u64[0x8f31fffe7fbdffff]  ;= scc = u32[1]
s_xor_b64 s[0:1], s[4:5], s[6:7]  ;! in s[4:5] = u64[0x90c192cfd3ac94af]  ;! in s[6:7] = u64[0xf28c105d1fb17c23]  ;= s[0:1] = u64[0x624d8292cc1de88c]  ;= scc = u32[1]
s_andn2_b64 s[0:1], s[4:5], s[6:7]  ;! in s[4:5] = u64[0xa170b33839263059]  ;! in s[6:7] = u64[0x953f48f1a09f76b5]  ;= s[0:1] = u64[0x2040b30819200048]  ;= scc = u32[1]
s_orn2_b64 s[0:1], s[4:5], s[6:7]  ;! in s[4:5] = u64[0xfd630f1f29d0da9]  ;! in s[6:7] = u64[0x95e60af593bd04cf]  ;= s[0:1] = u64[0x6fdff5fbfedfffb9]  ;= scc = u32[1]
s_nand_b64 s[0:1], s[4:5], s[6:7]  ;! in s[4:5] = u64[0xcb1e29c658cda14]  ;! in s[6:7] = u64[0x3898d190f9ebdacc]  ;= s[0:1] = u64[0xf76f3f6f9e7725fb]  ;= scc = u32[1]
s_nor_b64 s[0:1], s[4:5], s[6:7]  ;! in s[4:5] = u64[0x8e81973e0becd7b0]  ;! in s[6:7] = u64[0x2217beaddbc496cb]  ;= s[0:1] = u64[0x5168404024132804]  ;= scc = u32[1]
s_xnor_b64 s[0:1], s[4:5], s[6:7]  ;! in s[4:5] = u64[0x6b4cb2424a23d596]  ;! in s[6:7] = u64[0x8a6a63ec24ede6a4]  ;= s[0:1] = u64[0x1ed92e519131cccd]  ;= scc = u32[1]
s_not_b64 s[0:1], s[4:5]  ;! in s[4:5] = u64[0x922766581e27a1c0]  ;= s[0:1] = u64[0x6dd899a7e1d85e3f]  ;= scc = u32[1]
s_bcnt0_i32_b32 s0, s4  ;! in s4 = u32[0xd0eda82f]  ;= s0 = u32[0xf]  ;= scc = u32[1]
s_bcnt1_i32_b32 s0, s4  ;! in s4 = u32[0xd0eda82f]  ;= s0 = u32[0x11]  ;= scc = u32[1]
s_bcnt0_i32_b64 s0, s[4:5]  ;! in s[4:5] = u64[0x2e44158bae97ba94]  ;= s0 = u32[0x21]  ;= scc = u32[1]
s_bcnt1_i32_b64 s0, s[4:5]  ;! in s[4:5] = u64[0x2e44158bae97ba94]  ;= s0 = u32[0x1f]  ;= scc = u32[1]
s_ff0_i32_b64 s0, s[4:5]  ;! in s[4:5] = u64[0xffffff]  ;= s0 = u32[24]
s_ff0_i32_b64 s0, s[4:5]  ;! in s[4:5] = u64[-1]  ;= s0 = u32[0xffffffff]
s_lshl_b64 s[0:1], s[4:5], s6  ;! in s[4:5] = u64[0x8000000000000003]  ;! in s6 = u32[65]  ;= s[0:1] = u64[6]  ;= scc = u32[1]
s_lshr_b32 s0, s4, s6  ;! in s4 = u32[0x80000003]  ;! in s6 = u32[33]  ;= s0 = u32[0x40000001]  ;= scc = u32[1]
s_bitset0_b32 s0, s4  ;! in s0 = u32[0xff]  ;! in s4 = u32[35]  ;= s0 = u32[0xf7]
s_bitset1_b64 s[0:1], s4  ;! in s[0:1] = u64[0]  ;! in s4 = u32[100]  ;= s[0:1] = u64[0x1000000000]
s_quadmask_b64 s[0:1], s[4:5]  ;! in s[4:5] = u64[0x8000000000000f01]  ;= s[0:1] = u64[0x8005]  ;= scc = u32[1]
s_wqm_b64 s[0:1], s[4:5]  ;! in s[4:5] = u64[0x8000000000000f01]  ;= s[0:1] = u64[0xf000000000000f0f]  ;= scc = u32[1]
;! target gfx1030/32
;! given exec 0xf0f0f0f0
;! given in s4 = u32[0xff3c5a]
s_and_saveexec_b32 s0, s4  ;= s0 = u32[0xf0f0f0f0]  ;= exec = u64[0xf03050]  ;= scc = u32[1]
s_or_saveexec_b32 s0, s4  ;= s0 = u32[0xf0f0f0f0]  ;= exec = u64[0xf0fffcfa]  ;= scc = u32[1]
s_xor_saveexec_b32 s0, s4  ;= s0 = u32[0xf0f0f0f0]  ;= exec = u64[0xf00fccaa]  ;= scc = u32[1]
s_andn2_saveexec_b32 s0, s4  ;= s0 = u32[0xf0f0f0f0]  ;= exec = u64[0xf0c0a]  ;= scc = u32[1]
s_orn2_saveexec_b32 s0, s4  ;= s0 = u32[0xf0f0f0f0]  ;= exec = u64[0xfff3f5f]  ;= scc = u32[1]
s_nand_saveexec_b32 s0, s4  ;= s0 = u32[0xf0f0f0f0]  ;= exec = u64[0xff0fcfaf]  ;= scc = u32[1]
s_nor_saveexec_b32 s0, s4  ;= s0 = u32[0xf0f0f0f0]  ;= exec = u64[0xf000305]  ;= scc = u32[1]
s_xnor_saveexec_b32 s0, s4  ;= s0 = u32[0xf0f0f0f0]  ;= exec = u64[0xff03355]  ;= scc = u32[1]
s_andn1_saveexec_b32 s0, s4  ;= s0 = u32[0xf0f0f0f0]  ;= exec = u64[0xf000c0a0]  ;= scc = u32[1]
s_orn1_saveexec_b32 s0, s4  ;= s0 = u32[0xf0f0f0f0]  ;= exec = u64[0xfff0f3f5]  ;= scc = u32[1]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030/64
;! given
;! given exec 0xf0f0f0f0f0f0f0f0
;! given in s[4:5] = u64[0xff3c5a12345678]
s_and_saveexec_b64 s[0:1], s[4:5]  ;= s[0:1] = u64[0xf0f0f0f0f0f0f0f0]  ;= exec = u64[0xf0305010305070]  ;= scc = u32[1]
s_or_saveexec_b64 s[0:1], s[4:5]  ;= s[0:1] = u64[0xf0f0f0f0f0f0f0f0]  ;= exec = u64[0xf0fffcfaf2f4f6f8]  ;= scc = u32[1]
s_xor_saveexec_b64 s[0:1], s[4:5]  ;= s[0:1] = u64[0xf0f0f0f0f0f0f0f0]  ;= exec = u64[0xf00fccaae2c4a688]  ;= scc = u32[1]
s_andn2_saveexec_b64 s[0:1], s[4:5]  ;= s[0:1] = u64[0xf0f0f0f0f0f0f0f0]  ;= exec = u64[0xf0c0a02040608]  ;= scc = u32[1]
s_orn2_saveexec_b64 s[0:1], s[4:5]  ;= s[0:1] = u64[0xf0f0f0f0f0f0f0f0]  ;= exec = u64[0xfff3f5f1f3f5f7f]  ;= scc = u32[1]
s_nand_saveexec_b64 s[0:1], s[4:5]  ;= s[0:1] = u64[0xf0f0f0f0f0f0f0f0]  ;= exec = u64[0xff0fcfafefcfaf8f]  ;= scc = u32[1]
s_nor_saveexec_b64 s[0:1], s[4:5]  ;= s[0:1] = u64[0xf0f0f0f0f0f0f0f0]  ;= exec = u64[0xf0003050d0b0907]  ;= scc = u32[1]
s_xnor_saveexec_b64 s[0:1], s[4:5]  ;= s[0:1] = u64[0xf0f0f0f0f0f0f0f0]  ;= exec = u64[0xff033551d3b5977]  ;= scc = u32[1]
s_andn1_saveexec_b64 s[0:1], s[4:5]  ;= s[0:1] = u64[0xf0f0f0f0f0f0f0f0]  ;= exec = u64[0xf000c0a0e0c0a080]  ;= scc = u32[1]
s_orn1_saveexec_b64 s[0:1], s[4:5]  ;= s[0:1] = u64[0xf0f0f0f0f0f0f0f0]  ;= exec = u64[0xfff0f3f5fdfbf9f7]  ;= scc = u32[1]
s_andn1_wrexec_b64 s[0:1], s[4:5]  ;= s[0:1] = u64[0xf000c0a0e0c0a080]  ;= exec = u64[0xf000c0a0e0c0a080]  ;= scc = u32[1]
;! target gfx1030/32
;! given
s_andn1_wrexec_b32 s0, s4  ;! exec 0xf0f0f0f0  ;! in s4 = u32[0x12345678]  ;= s0 = u32[0xe0c0a080]  ;= exec = u64[0xe0c0a080]  ;= scc = u32[1]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030/64
s_andn2_wrexec_b64 s[0:1], s[4:5]  ;! exec 0xf0f0f0f0f0f0f0f0  ;! in s[4:5] = u64[0xff3c5a12345678]  ;= s[0:1] = u64[0xf0c0a02040608]  ;= exec = u64[0xf0c0a02040608]  ;= scc = u32[1]
;! target gfx1030/32
s_andn2_wrexec_b32 s0, s4  ;! exec 0xf0f0f0f0  ;! in s4 = u32[0x12345678]  ;= s0 = u32[0x2040608]  ;= exec = u64[0x2040608]  ;= scc = u32[1]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
s_cmpk_eq_i32 s4, 0x7  ;! in s4 = u32[5]  ;! in scc = u32[1]  ;= scc = u32[0]
s_cmpk_eq_i32 s4, 0x7  ;! in s4 = u32[7]  ;! in scc = u32[0]  ;= scc = u32[1]
s_cmpk_eq_i32 s4, 0x7  ;! in s4 = u32[0xfffffff0]  ;! in scc = u32[1]  ;= scc = u32[0]
s_cmpk_eq_u32 s4, 0x7  ;! in s4 = u32[5]  ;! in scc = u32[1]  ;= scc = u32[0]
s_cmpk_eq_u32 s4, 0x7  ;! in s4 = u32[7]  ;! in scc = u32[0]  ;= scc = u32[1]
s_cmpk_eq_u32 s4, 0x7  ;! in s4 = u32[0xfffffff0]  ;! in scc = u32[1]  ;= scc = u32[0]
s_cmpk_lg_i32 s4, 0x7  ;! in s4 = u32[5]  ;! in scc = u32[0]  ;= scc = u32[1]
s_cmpk_lg_i32 s4, 0x7  ;! in s4 = u32[7]  ;! in scc = u32[1]  ;= scc = u32[0]
s_cmpk_lg_i32 s4, 0x7  ;! in s4 = u32[0xfffffff0]  ;! in scc = u32[0]  ;= scc = u32[1]
s_cmpk_lg_u32 s4, 0x7  ;! in s4 = u32[5]  ;! in scc = u32[0]  ;= scc = u32[1]
s_cmpk_lg_u32 s4, 0x7  ;! in s4 = u32[7]  ;! in scc = u32[1]  ;= scc = u32[0]
s_cmpk_lg_u32 s4, 0x7  ;! in s4 = u32[0xfffffff0]  ;! in scc = u32[0]  ;= scc = u32[1]
s_cmpk_gt_i32 s4, 0x7  ;! in s4 = u32[5]  ;! in scc = u32[1]  ;= scc = u32[0]
s_cmpk_gt_i32 s4, 0x7  ;! in s4 = u32[7]  ;! in scc = u32[1]  ;= scc = u32[0]
s_cmpk_gt_i32 s4, 0x7  ;! in s4 = u32[0xfffffff0]  ;! in scc = u32[1]  ;= scc = u32[0]
s_cmpk_gt_u32 s4, 0x7  ;! in s4 = u32[5]  ;! in scc = u32[1]  ;= scc = u32[0]
s_cmpk_gt_u32 s4, 0x7  ;! in s4 = u32[7]  ;! in scc = u32[1]  ;= scc = u32[0]
s_cmpk_gt_u32 s4, 0x7  ;! in s4 = u32[0xfffffff0]  ;! in scc = u32[0]  ;= scc = u32[1]
s_cmpk_ge_i32 s4, 0x7  ;! in s4 = u32[5]  ;! in scc = u32[1]  ;= scc = u32[0]
s_cmpk_ge_i32 s4, 0x7  ;! in s4 = u32[7]  ;! in scc = u32[0]  ;= scc = u32[1]
s_cmpk_ge_i32 s4, 0x7  ;! in s4 = u32[0xfffffff0]  ;! in scc = u32[1]  ;= scc = u32[0]
s_cmpk_ge_u32 s4, 0x7  ;! in s4 = u32[5]  ;! in scc = u32[1]  ;= scc = u32[0]
s_cmpk_ge_u32 s4, 0x7  ;! in s4 = u32[7]  ;! in scc = u32[0]  ;= scc = u32[1]
s_cmpk_ge_u32 s4, 0x7  ;! in s4 = u32[0xfffffff0]  ;! in scc = u32[0]  ;= scc = u32[1]
s_cmpk_lt_i32 s4, 0x7  ;! in s4 = u32[5]  ;! in scc = u32[0]  ;= scc = u32[1]
s_cmpk_lt_i32 s4, 0x7  ;! in s4 = u32[7]  ;! in scc = u32[1]  ;= scc = u32[0]
s_cmpk_lt_i32 s4, 0x7  ;! in s4 = u32[0xfffffff0]  ;! in scc = u32[0]  ;= scc = u32[1]
s_cmpk_lt_u32 s4, 0x7  ;! in s4 = u32[5]  ;! in scc = u32[0]  ;= scc = u32[1]
s_cmpk_lt_u32 s4, 0x7  ;! in s4 = u32[7]  ;! in scc = u32[1]  ;= scc = u32[0]
s_cmpk_lt_u32 s4, 0x7  ;! in s4 = u32[0xfffffff0]  ;! in scc = u32[1]  ;= scc = u32[0]
s_cmpk_le_i32 s4, 0x7  ;! in s4 = u32[5]  ;! in scc = u32[0]  ;= scc = u32[1]
s_cmpk_le_i32 s4, 0x7  ;! in s4 = u32[7]  ;! in scc = u32[0]  ;= scc = u32[1]
s_cmpk_le_i32 s4, 0x7  ;! in s4 = u32[0xfffffff0]  ;! in scc = u32[0]  ;= scc = u32[1]
s_cmpk_le_u32 s4, 0x7  ;! in s4 = u32[5]  ;! in scc = u32[0]  ;= scc = u32[1]
s_cmpk_le_u32 s4, 0x7  ;! in s4 = u32[7]  ;! in scc = u32[0]  ;= scc = u32[1]
s_cmpk_le_u32 s4, 0x7  ;! in s4 = u32[0xfffffff0]  ;! in scc = u32[1]  ;= scc = u32[0]

;! in scc = u32[0]
s_cbranch_scc0 over
s_mov_b32 s0, 1
over:
s_mov_b32 s1, 2
;= s1 = u32[2]

;! in scc = u32[1]
s_cbranch_scc0 over
s_mov_b32 s0, 1
over:
s_mov_b32 s1, 2
;= s0 = u32[1]
;= s1 = u32[2]

;! in scc = u32[1]
s_cbranch_scc1 over
s_mov_b32 s0, 1
over:
s_mov_b32 s1, 2
;= s1 = u32[2]

;! in scc = u32[0]
s_cbranch_scc1 over
s_mov_b32 s0, 1
over:
s_mov_b32 s1, 2
;= s0 = u32[1]
;= s1 = u32[2]

;! in vcc = u64[0]
s_cbranch_vccz over
s_mov_b32 s0, 1
over:
s_mov_b32 s1, 2
;= s1 = u32[2]

;! in vcc = u64[4]
s_cbranch_vccz over
s_mov_b32 s0, 1
over:
s_mov_b32 s1, 2
;= s0 = u32[1]
;= s1 = u32[2]

;! in vcc = u64[4]
s_cbranch_vccnz over
s_mov_b32 s0, 1
over:
s_mov_b32 s1, 2
;= s1 = u32[2]

;! in vcc = u64[0]
s_cbranch_vccnz over
s_mov_b32 s0, 1
over:
s_mov_b32 s1, 2
;= s0 = u32[1]
;= s1 = u32[2]

;! exec 0
s_cbranch_execz over
s_mov_b32 s0, 1
over:
s_mov_b32 s1, 2
;= s1 = u32[2]

;! exec 8
s_cbranch_execz over
s_mov_b32 s0, 1
over:
s_mov_b32 s1, 2
;= s0 = u32[1]
;= s1 = u32[2]

;! exec 8
s_cbranch_execnz over
s_mov_b32 s0, 1
over:
s_mov_b32 s1, 2
;= s1 = u32[2]

;! exec 0
s_cbranch_execnz over
s_mov_b32 s0, 1
over:
s_mov_b32 s1, 2
;= s0 = u32[1]
;= s1 = u32[2]

s_branch over
s_mov_b32 s0, 1
over:
s_mov_b32 s1, 2
;= s1 = u32[2]

;! target gfx1030/32
;! in vcc = u64[0]
s_mov_b32 vcc_hi, 1
s_cbranch_vccz over
s_mov_b32 s0, 1
over:
;= scc = any

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
s_call_b64 s[4:5], over
s_mov_b32 s0, 1
s_branch end
over:
s_mov_b32 s1, 2
s_setpc_b64 s[4:5]
end:
;= s[4:5] = any
;= s0 = u32[1]
;= s1 = u32[2]

s_movreld_b32 s0, s4  ;! in m0 = u32[3]  ;! in s4 = u32[7]  ;= s3 = u32[7]
s_movrels_b64 s[0:1], s[4:5]  ;! in m0 = u32[2]  ;! in s[6:7] = u64[0x123456789a]  ;= s[0:1] = u64[0x123456789a]
s_movrels_b32 s0, s4  ;! in m0 = u32[3]  ;! in s7 = u32[9]  ;= s0 = u32[9]
s_movreld_b64 s[0:1], s[4:5]  ;! in m0 = u32[2]  ;! in s[4:5] = u64[0x123456789a]  ;= s[2:3] = u64[0x123456789a]
;! target gfx1030
s_movrelsd_2_b32 s0, s4  ;! in m0 = u32[0x00020001]  ;! in s5 = u32[9]  ;= s2 = u32[9]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
;! in s4 = u32[2]
s_setreg_b32 hwreg(HW_REG_MODE, 0, 2), s4
s_getreg_b32 s0, hwreg(HW_REG_MODE, 0, 4)
s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0
;= s0 = u32[2]

s_nop 3
s_mov_b32 s0, 1
;= s0 = u32[1]

s_waitcnt vmcnt(0) lgkmcnt(0) expcnt(0)
s_mov_b32 s0, 1
;= s0 = u32[1]

s_setprio 2
s_mov_b32 s0, 1
;= s0 = u32[1]

s_icache_inv
s_mov_b32 s0, 1
;= s0 = u32[1]

s_dcache_inv
s_mov_b32 s0, 1
;= s0 = u32[1]

s_sethalt 0
s_mov_b32 s0, 1
;= s0 = u32[1]

s_incperflevel 1
s_mov_b32 s0, 1
;= s0 = u32[1]

s_decperflevel 1
s_mov_b32 s0, 1
;= s0 = u32[1]

s_ttracedata
s_mov_b32 s0, 1
;= s0 = u32[1]

s_nop 0
s_mov_b32 s0, 1
;= s0 = u32[1]

;! target gfx1030
s_clause 0x1
s_mov_b32 s0, 1
;= s0 = u32[1]

s_inst_prefetch 0x3
s_mov_b32 s0, 1
;= s0 = u32[1]

s_waitcnt_vscnt null, 0x0
s_mov_b32 s0, 1
;= s0 = u32[1]

s_waitcnt_vmcnt null, 0x0
s_mov_b32 s0, 1
;= s0 = u32[1]

s_waitcnt_expcnt null, 0x0
s_mov_b32 s0, 1
;= s0 = u32[1]

s_waitcnt_lgkmcnt null, 0x0
s_mov_b32 s0, 1
;= s0 = u32[1]

s_waitcnt_depctr 0xfffe
s_mov_b32 s0, 1
;= s0 = u32[1]

s_gl1_inv
s_mov_b32 s0, 1
;= s0 = u32[1]

s_version 0x1
s_mov_b32 s0, 1
;= s0 = u32[1]

s_ttracedata_imm 0x1
s_mov_b32 s0, 1
;= s0 = u32[1]

buffer_gl0_inv
s_mov_b32 s0, 1
;= s0 = u32[1]

buffer_gl1_inv
s_mov_b32 s0, 1
;= s0 = u32[1]

;! target gfx900 gfx906 gfx908 gfx90a
buffer_wbinvl1
s_mov_b32 s0, 1
;= s0 = u32[1]

buffer_wbinvl1_vol
s_mov_b32 s0, 1
;= s0 = u32[1]

;! target gfx90a
buffer_wbl2
buffer_invl2
buffer_wbinvl1_vol
s_mov_b32 s0, 1
;= s0 = u32[1]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
s_cbranch_cdbgsys over
s_mov_b32 s0, 1
over:
;= s0 = u32[1]

s_cbranch_cdbguser over
s_mov_b32 s0, 1
over:
;= s0 = u32[1]

s_cbranch_cdbgsys_or_user over
s_mov_b32 s0, 1
over:
;= s0 = u32[1]

s_cbranch_cdbgsys_and_user over
s_mov_b32 s0, 1
over:
;= s0 = u32[1]
