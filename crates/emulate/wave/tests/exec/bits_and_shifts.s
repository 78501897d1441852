; Bits and shifts.
;! by spec, worked out by hand from the pseudocode of the CDNA2 and RDNA2 manuals

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
v_not_b32_e32 v0, v4  ;! in v4 = u32[0xffff0000]  ;= v0 = u32[0xffff]
v_bfrev_b32_e32 v0, v4  ;! in v4 = u32[1]  ;= v0 = u32[0x80000000]
v_ffbh_u32_e32 v0, v4  ;! in v4 = u32[0x10000, 0]  ;= v0 = u32[0xf, 0xffffffff]
v_ffbl_b32_e32 v0, v4  ;! in v4 = u32[0x10000, 0]  ;= v0 = u32[0x10, 0xffffffff]
v_ffbh_i32_e32 v0, v4  ;! in v4 = u32[0xffff0000, 0, 0xffffffff, 1]  ;= v0 = u32[0x10, 0xffffffff, 0xffffffff, 0x1f]

;! given in v4 = u32[0xff0f]
;! given in v8 = u32[0xff0]
v_and_b32_e32 v0, v4, v8  ;= v0 = u32[0xf00]
v_or_b32_e32 v0, v4, v8  ;= v0 = u32[0xffff]
v_xor_b32_e32 v0, v4, v8  ;= v0 = u32[0xf0ff]
;! target gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
v_xnor_b32_e32 v0, v4, v8  ;= v0 = u32[0xffff0f00]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
;! given
v_lshlrev_b32_e32 v0, v4, v8  ;! in v4 = u32[0x21]  ;! in v8 = u32[3]  ;= v0 = u32[6]
v_lshrrev_b32_e32 v0, v4, v8  ;! in v4 = u32[1]  ;! in v8 = u32[0x80000000]  ;= v0 = u32[0x40000000]
v_ashrrev_i32_e32 v0, v4, v8  ;! in v4 = u32[1]  ;! in v8 = u32[0x80000000]  ;= v0 = u32[0xc0000000]
v_lshlrev_b64 v[0:1], v4, v[8:9]  ;! in v4 = u32[0x28, 0x41]  ;! in v[8:9] = u64[3]  ;= v[0:1] = u64[0x30000000000, 6]
v_lshrrev_b64 v[0:1], v4, v[8:9]  ;! in v4 = u32[0x3f]  ;! in v[8:9] = u64[0x8000000000000000]  ;= v[0:1] = u64[1]
v_ashrrev_i64 v[0:1], v4, v[8:9]  ;! in v4 = u32[0x3f]  ;! in v[8:9] = u64[0x8000000000000000]  ;= v[0:1] = u64[0xffffffffffffffff]
; Width 32 is width 0, as five bits count.
v_bfe_u32 v0, v4, v8, v12  ;! in v4 = u32[0xabcd]  ;! in v8 = u32[4, 0, 0]  ;! in v12 = u32[8, 0x20, 0x21]  ;= v0 = u32[0xbc, 0, 1]
v_bfe_i32 v0, v4, v8, v12  ;! in v4 = u32[0xabcd, 0xabcd, 0x80000000]  ;! in v8 = u32[4, 0, 0x1c]  ;! in v12 = u32[8, 0x20, 8]  ;= v0 = u32[0xffffffbc, 0, 0xfffffff8]
v_bfi_b32 v0, v4, v8, v12  ;! in v4 = u32[0xff00]  ;! in v8 = u32[0x1234]  ;! in v12 = u32[0x5678]  ;= v0 = u32[0x1278]
v_bfm_b32 v0, v4, v8  ;! in v4 = u32[5]  ;! in v8 = u32[3]  ;= v0 = u32[0xf8]
v_and_or_b32 v0, v4, v8, v12  ;! in v4 = u32[0xff]  ;! in v8 = u32[0x3c]  ;! in v12 = u32[0x100]  ;= v0 = u32[0x13c]
v_or3_b32 v0, v4, v8, v12  ;! in v4 = u32[1]  ;! in v8 = u32[2]  ;! in v12 = u32[4]  ;= v0 = u32[7]
;! target gfx1030
v_xor3_b32 v0, v4, v8, v12  ;! in v4 = u32[1]  ;! in v8 = u32[3]  ;! in v12 = u32[4]  ;= v0 = u32[6]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
v_lshl_or_b32 v0, v4, v8, v12  ;! in v4 = u32[1]  ;! in v8 = u32[4]  ;! in v12 = u32[3]  ;= v0 = u32[0x13]
v_bcnt_u32_b32 v0, v4, v8  ;! in v4 = u32[0xff]  ;! in v8 = u32[5]  ;= v0 = u32[0xd]
