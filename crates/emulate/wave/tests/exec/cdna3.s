; What gfx942 added and gfx950 has too.
;! by spec CDNA3 "VOP3", "VOP1"; worked by hand
;! target gfx942 gfx950

v_lshl_add_u64 v[0:1], v[4:5], 3, v[6:7]  ;! in v[4:5] = u64[0x0000000180000000, 0xffffffffffffffff]  ;! in v[6:7] = u64[0x10, 0x1]  ;= v[0:1] = u64[0x0000000c00000010, 0xfffffffffffffff9]
v_lshl_add_u64 v[0:1], s[2:3], v4, v[6:7]  ;! in v4 = u32[4, 9]  ;! in s[2:3] = u64[0x8000000000000001]  ;! in v[6:7] = u64[0x5, 0x7]  ;= v[0:1] = u64[0x15, 0x9]
v_mov_b64_e32 v[0:1], v[4:5]  ;! in v[4:5] = u64[0x0123456789abcdef, 0xfedcba9876543210]  ;= v[0:1] = u64[0x0123456789abcdef, 0xfedcba9876543210]
v_mov_b64_e32 v[0:1], s[2:3]  ;! in s[2:3] = u64[0x8000000000000001]  ;= v[0:1] = u64[0x8000000000000001]
v_mov_b64_e32 v[0:1], -1  ;= v[0:1] = u64[0xffffffffffffffff]
v_mov_b64_e32 v[0:1], 1.0  ;= v[0:1] = u64[0x3ff0000000000000]
; Lane 1 of every row of sixteen.
v_mov_b64_dpp v[0:1], v[4:5] row_newbcast:1 row_mask:0xf bank_mask:0xf  ;! in v[4:5] = u64[0x0123456789abcdef, 0xfedcba9876543210]  ;= v[0:1] = u64[0xfedcba9876543210]
; Eight-bit floats: FNUZ on gfx942.
;! target gfx942
v_cvt_f32_fp8_e32 v0, v4  ;! in v4 = u32[0x5a5a5a40, 0x41, 0x01, 0xc0, 0x7f]  ;= v0 = f32[1.0, 1.125, 0.0009765625, -1.0, 240.0]
v_cvt_f32_bf8_e32 v0, v4  ;! in v4 = u32[0x5a5a5a40, 0x42, 0xc0, 0x7f]  ;= v0 = f32[1.0, 1.5, -1.0, 57344.0]
v_cvt_f32_fp8_sdwa v0, v4 src0_sel:BYTE_2  ;! in v4 = u32[0x5a405a5a, 0x5a415a5a]  ;= v0 = f32[1.0, 1.125]
v_cvt_pk_f32_fp8_e32 v[0:1], v4  ;! in v4 = u32[0x4041, 0xc07f]  ;= v0 = f32[1.125, 240.0]  ;= v1 = f32[1.0, -1.0]
v_cvt_pk_f32_fp8_sdwa v[0:1], v4 src0_sel:WORD_1  ;! in v4 = u32[0x40415a5a, 0xc07f5a5a]  ;= v0 = f32[1.125, 240.0]  ;= v1 = f32[1.0, -1.0]
v_cvt_pk_f32_bf8_e32 v[0:1], v4  ;! in v4 = u32[0x4042, 0xc07f]  ;= v0 = f32[1.5, 57344.0]  ;= v1 = f32[1.0, -1.0]
; 1.0625 is a tie, which goes to the even 1.0; beyond 248 there is NaN alone.
v_cvt_pk_fp8_f32 v0, v4, v5  ;! in v4 = f32[1.0, 1.0625, 240.0, 1000.0]  ;! in v5 = f32[-2.0, 1.1875, -0.0, 0.0009765625]  ;= v0 = u32[0xdeadc840, 0xdead4240, 0xdead007f, 0xdead0180]
v_cvt_pk_fp8_f32 v0, -v4, |v5| op_sel:[0,0,1]  ;! in v4 = f32[1.0, 1.0625]  ;! in v5 = f32[-2.0, 1.1875]  ;= v0 = u32[0x48c00bad, 0x42c00bad]
v_cvt_pk_bf8_f32 v0, v4, v5  ;! in v4 = f32[1.0, 1.125, 57344.0]  ;! in v5 = f32[-2.0, 1.375, 1.5]  ;= v0 = u32[0xdeadc440, 0xdead4240, 0xdead427f]
; Nothing to add, or almost one step more.

;! given in v4 = f32[1.9, 1.9, -1.9]
;! given in v5 = u32[0, 0xffffffff, 0]
v_cvt_sr_fp8_f32 v0, v4, v5  ;= v0 = u32[0xdead0b47, 0xdead0b48, 0xdead0bc7]
v_cvt_sr_fp8_f32 v0, v4, v5 op_sel:[0,0,1,1]  ;= v0 = u32[0x47ad0bad, 0x48ad0bad, 0xc7ad0bad]
v_cvt_sr_bf8_f32 v0, v4, v5 op_sel:[0,0,0,1]  ;= v0 = u32[0xde430bad, 0xde440bad, 0xdec30bad]
; OCP on gfx950.
;! target gfx950
;! given
v_cvt_f32_fp8_e32 v0, v4  ;! in v4 = u32[0x5a5a5a38, 0x39, 0x01, 0xb8, 0x7e]  ;= v0 = f32[1.0, 1.125, 0.001953125, -1.0, 448.0]
v_cvt_f32_bf8_e32 v0, v4  ;! in v4 = u32[0x5a5a5a3c, 0x3e, 0xbc, 0x7b]  ;= v0 = f32[1.0, 1.5, -1.0, 57344.0]
v_cvt_f32_fp8_sdwa v0, v4 src0_sel:BYTE_3  ;! in v4 = u32[0x385a5a5a, 0x395a5a5a]  ;= v0 = f32[1.0, 1.125]
v_cvt_pk_f32_fp8_e32 v[0:1], v4  ;! in v4 = u32[0x3839, 0xb87e]  ;= v0 = f32[1.125, 448.0]  ;= v1 = f32[1.0, -1.0]
v_cvt_pk_f32_bf8_e32 v[0:1], v4  ;! in v4 = u32[0x3c3e, 0xbc7b]  ;= v0 = f32[1.5, 57344.0]  ;= v1 = f32[1.0, -1.0]
v_cvt_pk_fp8_f32 v0, v4, v5  ;! in v4 = f32[1.0, 1.0625, 448.0, 1000.0]  ;! in v5 = f32[-2.0, 1.1875, -0.0, 0.001953125]  ;= v0 = u32[0xdeadc038, 0xdead3a38, 0xdead807e, 0xdead017f]
v_cvt_pk_bf8_f32 v0, v4, v5  ;! in v4 = f32[1.0, 1.125, 1e9]  ;! in v5 = f32[-2.0, 1.375, 1.5]  ;= v0 = u32[0xdeadc03c, 0xdead3e3c, 0xdead3e7c]
v_cvt_sr_fp8_f32 v0, v4, v5 op_sel:[0,0,1,0]  ;! in v4 = f32[1.9, 1.9, -1.9]  ;! in v5 = u32[0, 0xffffffff, 0]  ;= v0 = u32[0xdead3fad, 0xdead40ad, 0xdeadbfad]
v_cvt_sr_bf8_f32 v0, v4, v5  ;! in v4 = f32[1.9, 1.9, -1.9]  ;! in v5 = u32[0, 0xffffffff, 0]  ;= v0 = u32[0xdead0b3f, 0xdead0b40, 0xdead0bbf]
; Caches are no part of the model.
;! target gfx942 gfx950
;! in s0 = u32[1]
buffer_inv sc0 sc1
s_add_u32 s0, s0, s0
;= s0 = u32[2]
;= scc = any

;! in s0 = u32[1]
buffer_wbl2 sc1
s_add_u32 s0, s0, s0
;= s0 = u32[2]
;= scc = any

; Loads to LDS: at M0, the offset, and four bytes a lane; lanes that are off leave holes.

;! exec 0b1011
;! in m0 = u32[8]
;! memory s[2:3] = u32[0x11223344, 0x55667788, 0x99aabbcc, 0xddeeff00, 0x12345678]
;! in v4 = u32[0, 4, 8, 12]
;! lds = u32[1, 2, 3, 4, 5, 6, 7, 8]
global_load_lds_dword v4, s[2:3] offset:4  ;= lds = u32[1, 2, 3, 0x55667788, 0x99aabbcc, 6, 0x12345678, 8]

global_load_lds_ubyte v4, s[2:3]  ;! exec 0b11  ;! in m0 = u32[0]  ;! memory s[2:3] = u32[0x112233c4, 0x556677f8]  ;! in v4 = u32[0, 4]  ;! lds = u32[1, 2, 3, 4]  ;= lds = u32[0xc4, 0xf8, 3, 4]
global_load_lds_sbyte v4, s[2:3]  ;! exec 0b11  ;! in m0 = u32[0]  ;! memory s[2:3] = u32[0x112233c4, 0x55667778]  ;! in v4 = u32[0, 4]  ;! lds = u32[1, 2, 3, 4]  ;= lds = u32[0xffffffc4, 0x78, 3, 4]
global_load_lds_ushort v4, s[2:3]  ;! exec 0b11  ;! in m0 = u32[0]  ;! memory s[2:3] = u32[0x1122b3c4, 0x55667778]  ;! in v4 = u32[0, 4]  ;! lds = u32[1, 2, 3, 4]  ;= lds = u32[0xb3c4, 0x7778, 3, 4]

;! exec 0b11
;! in m0 = u32[4]
;! memory s[2:3] = u32[0x1122b3c4, 0x55667778]
;! in v4 = u32[0, 4]
;! lds = u32[1, 2, 3, 4]
global_load_lds_sshort v4, s[2:3]  ;= lds = u32[1, 0xffffb3c4, 0x7778, 4]

; Private memory: a vector address, a scalar one, or both.

;! scratch 32
;! exec 0b11
;! in m0 = u32[0]
;! in v4 = u32[8, 12]
;! in v5 = u32[0x11, 0x22]
;! in v6 = u32[0x33, 0x44]
;! in s2 = u32[4]
;! lds = u32[1, 2, 3, 4]
scratch_store_dword off, v5, off offset:8
scratch_store_dword off, v6, s2 offset:8
scratch_load_lds_dword v4, off
;= lds = u32[0x11, 0x44, 3, 4]

;! scratch 32
;! exec 0b11
;! in m0 = u32[4]
;! in v5 = u32[0x8011, 0x22]
;! in v6 = u32[0x33, 0x8084]
;! in s2 = u32[4]
;! lds = u32[1, 2, 3, 4]
scratch_store_dword off, v5, off offset:8
scratch_store_dword off, v6, s2 offset:8
scratch_load_lds_ushort off, s2 offset:4
;= lds = u32[1, 2, 0x8011, 0x22]

;! scratch 32
;! exec 0b11
;! in m0 = u32[0]
;! in v4 = u32[0, 4]
;! in v5 = u32[0x8011, 0x22]
;! in v6 = u32[0x33, 0x8084]
;! in s2 = u32[8]
;! lds = u32[1, 2, 3, 4]
scratch_store_dword off, v5, s2
scratch_store_dword off, v6, s2 offset:4
scratch_load_lds_sshort v4, s2
;= lds = u32[0xffff8011, 0xffff8084, 3, 4]

;! scratch 32
;! exec 0b11
;! in m0 = u32[0]
;! in v4 = u32[0, 4]
;! in v5 = u32[0x8091, 0x22]
;! in v6 = u32[0x33, 0x8084]
;! in s2 = u32[8]
;! lds = u32[1, 2, 3, 4]
scratch_store_dword off, v5, s2
scratch_store_dword off, v6, s2 offset:4
scratch_load_lds_sbyte v4, s2
;= lds = u32[0xffffff91, 0xffffff84, 3, 4]

;! scratch 32
;! exec 0b11
;! in m0 = u32[0]
;! in v4 = u32[0, 4]
;! in v5 = u32[0x8091, 0x22]
;! in v6 = u32[0x33, 0x8084]
;! in s2 = u32[8]
;! lds = u32[1, 2, 3, 4]
scratch_store_dword off, v5, s2
scratch_store_dword off, v6, s2 offset:4
scratch_load_lds_ubyte v4, s2
;= lds = u32[0x91, 0x84, 3, 4]

; A load with both addresses, and one with none.

;! scratch 32
;! exec 0b11
;! in v4 = u32[4, 0]
;! in v6 = u32[0x11, 0x22]
;! in v7 = u32[0x33, 0x44]
;! in s2 = u32[8]
scratch_store_dwordx2 off, v[6:7], off offset:8
scratch_load_dword v0, v4, s2
scratch_load_dword v1, off, off offset:12
;= v0 = u32[0x33, 0x22]
;= v1 = u32[0x33, 0x44]

; Atomics on pairs of halves and bfloat16 values: 1.5 + 2.0 and -1.0 + 0.5.
ds_pk_add_f16 v4, v5  ;! exec 0b1  ;! in v4 = u32[0]  ;! in v5 = u32[0x38004000]  ;! lds = u32[0xbc003e00, 7]  ;= lds = u32[0xb8004300, 7]
ds_pk_add_rtn_f16 v0, v4, v5  ;! exec 0b1  ;! in v4 = u32[0]  ;! in v5 = u32[0x38004000]  ;! lds = u32[0xbc003e00, 7]  ;= lds = u32[0xb8004300, 7]  ;= v0 = u32[0xbc003e00]
ds_pk_add_bf16 v4, v5  ;! exec 0b1  ;! in v4 = u32[4]  ;! in v5 = u32[0x3f004000]  ;! lds = u32[7, 0xbf803fc0]  ;= lds = u32[7, 0xbf004060]
ds_pk_add_rtn_bf16 v0, v4, v5  ;! exec 0b1  ;! in v4 = u32[4]  ;! in v5 = u32[0x3f004000]  ;! lds = u32[7, 0xbf803fc0]  ;= lds = u32[7, 0xbf004060]  ;= v0 = u32[0xbf803fc0]
global_atomic_pk_add_bf16 v0, v[4:5], v6, off sc0  ;! exec 0b1  ;! memory v[4:5] step 4 = u32[0xbf803fc0]  ;! in v6 = u32[0x3f004000]  ;= memory = u32[0xbf004060]  ;= v0 = u32[0xbf803fc0]
flat_atomic_pk_add_bf16 v0, v[4:5], v6 sc0  ;! exec 0b1  ;! memory v[4:5] step 4 = u32[0xbf803fc0]  ;! in v6 = u32[0x3f004000]  ;= memory = u32[0xbf004060]  ;= v0 = u32[0xbf803fc0]
flat_atomic_pk_add_f16 v[4:5], v6  ;! exec 0b11  ;! memory v[4:5] step 4 = u32[0xbc003e00, 0x00004000]  ;! in v6 = u32[0x38004000]  ;= memory = u32[0xb8004300, 0x38004400]
; Denormals stay.

;! exec 0b11
;! memory v[4:5] step 4 = u32[0x3f800000, 0x00000001]
;! in v6 = u32[0x40000000, 0x00000002]
flat_atomic_add_f32 v0, v[4:5], v6 sc0  ;= memory = u32[0x40400000, 0x00000003]  ;= v0 = u32[0x3f800000, 0x00000001]

global_atomic_add_f32 v[4:5], v6, off  ;! exec 0b11  ;! memory v[4:5] step 4 = u32[0x3f800000, 0x00000001]  ;! in v6 = u32[0x40000000, 0x00000002]  ;= memory = u32[0x40400000, 0x00000003]
; A wave by itself runs on the first die.
s_getreg_b32 s0, hwreg(HW_REG_XCC_ID)  ;= s0 = u32[0]
