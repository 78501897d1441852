; Scalar bits.
;! by spec, pseudocode of the CDNA2 and RDNA2 manuals, SOP1, SOP2, SOPC and SOPK

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
;! in s4 = u32[0xf0]
;! in s6 = u32[0xf]
;! in s0 = u32[0]
;! in scc = u32[1]
s_and_b32 s0, s4, s6
;= s0 = u32[0]
;= scc = u32[0]

;! in s4 = u32[0xf0]
;! in s6 = u32[0xf]
;! in s0 = u32[0]
s_or_b32 s0, s4, s6
;= s0 = u32[0xff]
;= scc = u32[1]

;! in s[4:5] = u64[0x8000000000000001]
;! in s[6:7] = u64[1]
;! in s[0:1] = u64[0]
s_xor_b64 s[0:1], s[4:5], s[6:7]
;= s[0:1] = u64[0x8000000000000000]
;= scc = u32[1]

;! in s4 = u32[0xff]
;! in s6 = u32[0xf]
;! in s0 = u32[0]
s_andn2_b32 s0, s4, s6
;= s0 = u32[0xf0]
;= scc = u32[1]

;! in s4 = u32[0]
;! in s6 = u32[0xfffffff0]
;! in s0 = u32[0]
s_orn2_b32 s0, s4, s6
;= s0 = u32[0xf]
;= scc = u32[1]

;! in s4 = u32[0xffffffff]
;! in s6 = u32[0xffffffff]
;! in s0 = u32[0]
;! in scc = u32[1]
s_nand_b32 s0, s4, s6
;= s0 = u32[0]
;= scc = u32[0]

;! in s4 = u32[0]
;! in s6 = u32[0]
;! in s0 = u32[0]
s_nor_b32 s0, s4, s6
;= s0 = u32[0xffffffff]
;= scc = u32[1]

;! in s[4:5] = u64[0x8000000000000001]
;! in s[6:7] = u64[0x8000000000000001]
;! in s[0:1] = u64[0]
s_xnor_b64 s[0:1], s[4:5], s[6:7]
;= s[0:1] = u64[0xffffffffffffffff]
;= scc = u32[1]

;! in s4 = u32[0xffffffff]
;! in s0 = u32[0]
;! in scc = u32[1]
s_not_b32 s0, s4
;= s0 = u32[0]
;= scc = u32[0]

;! in s4 = u32[3]
;! in s6 = u32[0x21]
;! in s0 = u32[0]
s_lshl_b32 s0, s4, s6
;= s0 = u32[6]
;= scc = u32[1]

;! in s[4:5] = u64[0x8000000000000001]
;! in s6 = u32[0x3f]
;! in s[0:1] = u64[0]
s_lshr_b64 s[0:1], s[4:5], s6
;= s[0:1] = u64[1]
;= scc = u32[1]

;! in s4 = u32[0x80000000]
;! in s6 = u32[0x1f]
;! in s0 = u32[0]
s_ashr_i32 s0, s4, s6
;= s0 = u32[0xffffffff]
;= scc = u32[1]

;! in s[4:5] = u64[0x8000000000000001]
;! in s6 = u32[0x3c]
;! in s[0:1] = u64[0]
s_ashr_i64 s[0:1], s[4:5], s6
;= s[0:1] = u64[0xfffffffffffffff8]
;= scc = u32[1]

;! in s4 = u32[5]
;! in s6 = u32[3]
;! in s0 = u32[0]
;! in scc = u32[1]
s_bfm_b32 s0, s4, s6
;= s0 = u32[0xf8]
;= scc = u32[1]

;! in s4 = u32[0x24]
;! in s6 = u32[4]
;! in s[0:1] = u64[0]
s_bfm_b64 s[0:1], s4, s6
;= s[0:1] = u64[0xfffffffff0]
;= scc = u32[0]

;! in s4 = u32[0xabcd]
;! in s0 = u32[0]
s_bfe_u32 s0, s4, 0x80004
;= s0 = u32[0xbc]
;= scc = u32[1]

;! in s4 = u32[0xabcd]
;! in s0 = u32[0]
s_bfe_i32 s0, s4, 0x40004
;= s0 = u32[0xfffffffc]
;= scc = u32[1]

;! in s4 = u32[0xffffabcd]
;! in s0 = u32[0]
s_bfe_u32 s0, s4, 0x200000
;= s0 = u32[0xffffabcd]
;= scc = u32[1]

;! in s[4:5] = u64[0x8000000000000001]
;! in s[0:1] = u64[0]
s_bfe_u64 s[0:1], s[4:5], 0x40003c
;= s[0:1] = u64[8]
;= scc = u32[1]

;! in s[4:5] = u64[0x8000000000000001]
;! in s[0:1] = u64[0]
s_bfe_i64 s[0:1], s[4:5], 0x40003c
;= s[0:1] = u64[0xfffffffffffffff8]
;= scc = u32[1]

;! in s4 = u32[1]
;! in s0 = u32[0]
;! in scc = u32[1]
s_brev_b32 s0, s4
;= s0 = u32[0x80000000]
;= scc = u32[1]

;! in s[4:5] = u64[2]
;! in s[0:1] = u64[0]
s_brev_b64 s[0:1], s[4:5]
;= s[0:1] = u64[0x4000000000000000]
;= scc = u32[0]

;! in s4 = u32[0xfffffff0]
;! in s0 = u32[0]
s_bcnt0_i32_b32 s0, s4
;= s0 = u32[4]
;= scc = u32[1]

;! in s[4:5] = u64[0x8000000000000001]
;! in s0 = u32[0]
s_bcnt1_i32_b64 s0, s[4:5]
;= s0 = u32[2]
;= scc = u32[1]

;! in s4 = u32[7]
;! in s0 = u32[0]
;! in scc = u32[1]
s_ff0_i32_b32 s0, s4
;= s0 = u32[3]
;= scc = u32[1]

;! in s4 = u32[0]
;! in s0 = u32[0]
s_ff1_i32_b32 s0, s4
;= s0 = u32[0xffffffff]
;= scc = u32[0]

;! in s[4:5] = u64[0x10000000000]
;! in s0 = u32[0]
s_ff1_i32_b64 s0, s[4:5]
;= s0 = u32[0x28]
;= scc = u32[0]

;! in s4 = u32[0x10000]
;! in s0 = u32[0]
;! in scc = u32[1]
s_flbit_i32_b32 s0, s4
;= s0 = u32[0xf]
;= scc = u32[1]

;! in s[4:5] = u64[1]
;! in s0 = u32[0]
;! in scc = u32[1]
s_flbit_i32_b64 s0, s[4:5]
;= s0 = u32[0x3f]
;= scc = u32[1]

;! in s4 = u32[0xffff0000]
;! in s0 = u32[0]
;! in scc = u32[1]
s_flbit_i32 s0, s4
;= s0 = u32[0x10]
;= scc = u32[1]

;! in s4 = u32[0xffffffff]
;! in s0 = u32[0]
;! in scc = u32[1]
s_flbit_i32 s0, s4
;= s0 = u32[0xffffffff]
;= scc = u32[1]

;! in s[4:5] = u64[0xff000000000000]
;! in s0 = u32[0]
;! in scc = u32[1]
s_flbit_i32_i64 s0, s[4:5]
;= s0 = u32[8]
;= scc = u32[1]

;! in s4 = u32[0x80]
;! in s0 = u32[0]
;! in scc = u32[1]
s_sext_i32_i8 s0, s4
;= s0 = u32[0xffffff80]
;= scc = u32[1]

;! in s4 = u32[0x8000]
;! in s0 = u32[0]
s_sext_i32_i16 s0, s4
;= s0 = u32[0xffff8000]
;= scc = u32[0]

;! in s4 = u32[0x23]
;! in s0 = u32[0]
;! in scc = u32[1]
s_bitset1_b32 s0, s4
;= s0 = u32[8]
;= scc = u32[1]

;! in s4 = u32[0x3f]
;! in s[0:1] = u64[0]
s_mov_b64 s[0:1], -1
s_bitset0_b64 s[0:1], s4
;= s[0:1] = u64[0x7fffffffffffffff]
;= scc = u32[0]

;! in s4 = u32[0xf010080]
;! in s0 = u32[0]
s_quadmask_b32 s0, s4
;= s0 = u32[0x52]
;= scc = u32[1]

;! in s4 = u32[0x1000080]
;! in s0 = u32[0]
s_wqm_b32 s0, s4
;= s0 = u32[0xf0000f0]
;= scc = u32[1]

;! in s4 = u32[0x80000005]
;! in s[0:1] = u64[0]
;! in scc = u32[1]
s_bitreplicate_b64_b32 s[0:1], s4
;= s[0:1] = u64[0xc000000000000033]
;= scc = u32[1]

;! in s4 = u32[0x11112222]
;! in s6 = u32[0x33334444]
;! in s0 = u32[0]
;! in scc = u32[1]
s_pack_ll_b32_b16 s0, s4, s6
;= s0 = u32[0x44442222]
;= scc = u32[1]

;! in s4 = u32[0x11112222]
;! in s6 = u32[0x33334444]
;! in s0 = u32[0]
s_pack_lh_b32_b16 s0, s4, s6
;= s0 = u32[0x33332222]
;= scc = u32[0]

;! in s4 = u32[0x11112222]
;! in s6 = u32[0x33334444]
;! in s0 = u32[0]
;! in scc = u32[1]
s_pack_hh_b32_b16 s0, s4, s6
;= s0 = u32[0x33331111]
;= scc = u32[1]

;! in s[0:1] = u64[0]
;! in scc = u32[1]
s_mov_b64 s[0:1], 0xffffffff
;= s[0:1] = u64[0xffffffff]
;= scc = u32[1]

;! in s[0:1] = u64[0]
;! in scc = u32[1]
s_mov_b64 s[0:1], -2
;= s[0:1] = u64[0xfffffffffffffffe]
;= scc = u32[1]

;! in s4 = u32[5]
;! in s0 = u32[0]
;! in scc = u32[1]
s_cmov_b32 s0, s4
;= s0 = u32[5]
;= scc = u32[1]

;! in s[4:5] = u64[0x8000000000000001]
;! in s[0:1] = u64[0]
s_cmov_b64 s[0:1], s[4:5]
;= s[0:1] = u64[0]
;= scc = u32[0]

;! in s4 = u32[5]
;! in s6 = u32[6]
;! in s0 = u32[0]
;! in scc = u32[1]
s_cselect_b32 s0, s4, s6
;= s0 = u32[5]
;= scc = u32[1]

;! in s[4:5] = u64[5]
;! in s[6:7] = u64[6]
;! in s[0:1] = u64[0]
s_cselect_b64 s[0:1], s[4:5], s[6:7]
;= s[0:1] = u64[6]
;= scc = u32[0]
