; Shifts and fields with amounts from zero to beyond the width: vector and scalar shifts take the low bits of the amount.
;! by spec, pseudocode of the CDNA2 and RDNA2 manuals

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
;! exec 0xfffffffffffffffe
;! in v4 = u32[0, 1, 0xf, 0x10, 0x11, 0x1f, 0x20, 0x21, 0x3f, 0x40, 0xffffffff, 0x80000020]
;! in v8 = u32[0x89abcdef]
;! in v[10:11] = u64[0x89abcdef01234567]
v_lshlrev_b32_e32 v0, v4, v8
v_lshrrev_b32_e32 v1, v4, v8
v_ashrrev_i32_e32 v2, v4, v8
v_lshlrev_b64 v[12:13], v4, v[10:11]
v_lshrrev_b64 v[14:15], v4, v[10:11]
v_ashrrev_i64 v[16:17], v4, v[10:11]
v_bfe_u32 v18, v8, v4, 8
v_bfe_i32 v19, v8, v4, 8
v_bfe_u32 v20, v8, 4, v4
v_alignbit_b32 v21, v8, v10, v4
v_alignbyte_b32 v22, v8, v10, v4
v_lshl_add_u32 v23, v8, v4, 5
v_lshl_or_b32 v24, v8, v4, 5
v_bfm_b32 v25, v4, v4
;= v0 = u32[0x89abcdef, 0x13579bde, 0xe6f78000, 0xcdef0000, 0x9bde0000, 0x80000000, 0x89abcdef, 0x13579bde, 0x80000000, 0x89abcdef, 0x80000000, 0x89abcdef]
;= v1 = u32[0x89abcdef, 0x44d5e6f7, 0x11357, 0x89ab, 0x44d5, 1, 0x89abcdef, 0x44d5e6f7, 1, 0x89abcdef, 1, 0x89abcdef]
;= v2 = u32[0x89abcdef, 0xc4d5e6f7, 0xffff1357, 0xffff89ab, 0xffffc4d5, 0xffffffff, 0x89abcdef, 0xc4d5e6f7, 0xffffffff, 0x89abcdef, 0xffffffff, 0x89abcdef]
;= v[12:13] = u64[0x89abcdef01234567, 0x13579bde02468ace, 0xe6f78091a2b38000, 0xcdef012345670000, 0x9bde02468ace0000, 0x8091a2b380000000, 0x123456700000000, 0x2468ace00000000, 0x8000000000000000, 0x89abcdef01234567, 0x8000000000000000, 0x123456700000000]
;= v[14:15] = u64[0x89abcdef01234567, 0x44d5e6f78091a2b3, 0x113579bde0246, 0x89abcdef0123, 0x44d5e6f78091, 0x113579bde, 0x89abcdef, 0x44d5e6f7, 1, 0x89abcdef01234567, 1, 0x89abcdef]
;= v[16:17] = u64[0x89abcdef01234567, 0xc4d5e6f78091a2b3, 0xffff13579bde0246, 0xffff89abcdef0123, 0xffffc4d5e6f78091, 0xffffffff13579bde, 0xffffffff89abcdef, 0xffffffffc4d5e6f7, 0xffffffffffffffff, 0x89abcdef01234567, 0xffffffffffffffff, 0xffffffff89abcdef]
;= v18 = u32[0xef, 0xf7, 0x57, 0xab, 0xd5, 1, 0xef, 0xf7, 1, 0xef, 1, 0xef]
;= v19 = u32[0xffffffef, 0xfffffff7, 0x57, 0xffffffab, 0xffffffd5, 0xffffffff, 0xffffffef, 0xfffffff7, 0xffffffff, 0xffffffef, 0xffffffff, 0xffffffef]
;= v20 = u32[0, 0, 0x3cde, 0xbcde, 0xbcde, 0x89abcde, 0, 0, 0x89abcde, 0, 0x89abcde, 0]
;= v21 = u32[0x1234567, 0x8091a2b3, 0x9bde0246, 0xcdef0123, 0xe6f78091, 0x13579bde, 0x1234567, 0x8091a2b3, 0x13579bde, 0x1234567, 0x13579bde, 0x1234567]
;= v22 = u32[0x1234567, 0xef012345, 0xabcdef01, 0x1234567, 0xef012345, 0xabcdef01, 0x1234567, 0xef012345, 0xabcdef01, 0x1234567, 0xabcdef01, 0x1234567]
;= v23 = u32[0x89abcdf4, 0x13579be3, 0xe6f78005, 0xcdef0005, 0x9bde0005, 0x80000005, 0x89abcdf4, 0x13579be3, 0x80000005, 0x89abcdf4, 0x80000005, 0x89abcdf4]
;= v24 = u32[0x89abcdef, 0x13579bdf, 0xe6f78005, 0xcdef0005, 0x9bde0005, 0x80000005, 0x89abcdef, 0x13579bdf, 0x80000005, 0x89abcdef, 0x80000005, 0x89abcdef]
;= v25 = u32[0, 2, 0x3fff8000, 0xffff0000, 0xfffe0000, 0x80000000, 0, 2, 0x80000000, 0, 0x80000000, 0]

; Sixteen bits: the low four of the amount.
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! in v4 = u32[0, 1, 0xf, 0x10, 0x11, 0x1f, 0x20, 0x21, 0x3f, 0x40, 0xffffffff, 0x80000020]
;! in v8 = u32[0x12349abc]
;! in v0 = u32[0]
;! in v1 = u32[0]
;! in v2 = u32[0]
v_lshlrev_b16_e32 v0, v4, v8
v_lshrrev_b16_e32 v1, v4, v8
v_ashrrev_i16_e32 v2, v4, v8
;= v0 = u32[0x9abc, 0x3578, 0, 0x9abc, 0x3578, 0, 0x9abc, 0x3578, 0, 0x9abc, 0, 0x9abc]
;= v1 = u32[0x9abc, 0x4d5e, 1, 0x9abc, 0x4d5e, 1, 0x9abc, 0x4d5e, 1, 0x9abc, 1, 0x9abc]
;= v2 = u32[0x9abc, 0xcd5e, 0xffff, 0x9abc, 0xcd5e, 0xffff, 0x9abc, 0xcd5e, 0xffff, 0x9abc, 0xffff, 0x9abc]

;! target gfx1030
;! in v4 = u32[0, 1, 0xf, 0x10, 0x11, 0x1f, 0x20, 0x21, 0x3f, 0x40, 0xffffffff, 0x80000020]
;! in v8 = u32[0x12349abc]
;! in v0 = u32[0]
;! in v1 = u32[0]
;! in v2 = u32[0]
v_lshlrev_b16 v0, v4, v8
v_lshrrev_b16 v1, v4, v8
v_ashrrev_i16 v2, v4, v8
;= v0 = u32[0x9abc, 0x3578, 0, 0x9abc, 0x3578, 0, 0x9abc, 0x3578, 0, 0x9abc, 0, 0x9abc]
;= v1 = u32[0x9abc, 0x4d5e, 1, 0x9abc, 0x4d5e, 1, 0x9abc, 0x4d5e, 1, 0x9abc, 1, 0x9abc]
;= v2 = u32[0x9abc, 0xcd5e, 0xffff, 0x9abc, 0xcd5e, 0xffff, 0x9abc, 0xcd5e, 0xffff, 0x9abc, 0xffff, 0x9abc]

; Scalar shifts, and fields whose width may exceed the word.
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
;! in s4 = u32[0x89abcdef]
;! in s[6:7] = u64[0x89abcdef01234567]
;! in s8 = u32[0]
s_lshl_b32 s10, s4, s8
s_lshr_b32 s11, s4, s8
s_ashr_i32 s12, s4, s8
s_lshl_b64 s[14:15], s[6:7], s8
s_lshr_b64 s[16:17], s[6:7], s8
s_ashr_i64 s[18:19], s[6:7], s8
s_bfm_b32 s20, s8, s8
s_bfm_b64 s[22:23], s8, 3
;= s10 = u32[0x89abcdef]
;= s11 = u32[0x89abcdef]
;= s12 = u32[0x89abcdef]
;= s[14:15] = u64[0x89abcdef01234567]
;= s[16:17] = u64[0x89abcdef01234567]
;= s[18:19] = u64[0x89abcdef01234567]
;= s20 = u32[0]
;= s[22:23] = u64[0]
;= scc = u32[1]

;! in s4 = u32[0x89abcdef]
;! in s[6:7] = u64[0x89abcdef01234567]
;! in s8 = u32[0x1f]
s_lshl_b32 s10, s4, s8
s_lshr_b32 s11, s4, s8
s_ashr_i32 s12, s4, s8
s_lshl_b64 s[14:15], s[6:7], s8
s_lshr_b64 s[16:17], s[6:7], s8
s_ashr_i64 s[18:19], s[6:7], s8
s_bfm_b32 s20, s8, s8
s_bfm_b64 s[22:23], s8, 3
;= s10 = u32[0x80000000]
;= s11 = u32[1]
;= s12 = u32[0xffffffff]
;= s[14:15] = u64[0x8091a2b380000000]
;= s[16:17] = u64[0x113579bde]
;= s[18:19] = u64[0xffffffff13579bde]
;= s20 = u32[0x80000000]
;= s[22:23] = u64[0x3fffffff8]
;= scc = u32[1]

;! in s4 = u32[0x89abcdef]
;! in s[6:7] = u64[0x89abcdef01234567]
;! in s8 = u32[0x20]
s_lshl_b32 s10, s4, s8
s_lshr_b32 s11, s4, s8
s_ashr_i32 s12, s4, s8
s_lshl_b64 s[14:15], s[6:7], s8
s_lshr_b64 s[16:17], s[6:7], s8
s_ashr_i64 s[18:19], s[6:7], s8
s_bfm_b32 s20, s8, s8
s_bfm_b64 s[22:23], s8, 3
;= s10 = u32[0x89abcdef]
;= s11 = u32[0x89abcdef]
;= s12 = u32[0x89abcdef]
;= s[14:15] = u64[0x123456700000000]
;= s[16:17] = u64[0x89abcdef]
;= s[18:19] = u64[0xffffffff89abcdef]
;= s20 = u32[0]
;= s[22:23] = u64[0x7fffffff8]
;= scc = u32[1]

;! in s4 = u32[0x89abcdef]
;! in s[6:7] = u64[0x89abcdef01234567]
;! in s8 = u32[0x21]
s_lshl_b32 s10, s4, s8
s_lshr_b32 s11, s4, s8
s_ashr_i32 s12, s4, s8
s_lshl_b64 s[14:15], s[6:7], s8
s_lshr_b64 s[16:17], s[6:7], s8
s_ashr_i64 s[18:19], s[6:7], s8
s_bfm_b32 s20, s8, s8
s_bfm_b64 s[22:23], s8, 3
;= s10 = u32[0x13579bde]
;= s11 = u32[0x44d5e6f7]
;= s12 = u32[0xc4d5e6f7]
;= s[14:15] = u64[0x2468ace00000000]
;= s[16:17] = u64[0x44d5e6f7]
;= s[18:19] = u64[0xffffffffc4d5e6f7]
;= s20 = u32[2]
;= s[22:23] = u64[0xffffffff8]
;= scc = u32[1]

;! in s4 = u32[0x89abcdef]
;! in s[6:7] = u64[0x89abcdef01234567]
;! in s8 = u32[0x3f]
s_lshl_b32 s10, s4, s8
s_lshr_b32 s11, s4, s8
s_ashr_i32 s12, s4, s8
s_lshl_b64 s[14:15], s[6:7], s8
s_lshr_b64 s[16:17], s[6:7], s8
s_ashr_i64 s[18:19], s[6:7], s8
s_bfm_b32 s20, s8, s8
s_bfm_b64 s[22:23], s8, 3
;= s10 = u32[0x80000000]
;= s11 = u32[1]
;= s12 = u32[0xffffffff]
;= s[14:15] = u64[0x8000000000000000]
;= s[16:17] = u64[1]
;= s[18:19] = u64[0xffffffffffffffff]
;= s20 = u32[0x80000000]
;= s[22:23] = u64[0xfffffffffffffff8]
;= scc = u32[1]

;! in s4 = u32[0x89abcdef]
;! in s[6:7] = u64[0x89abcdef01234567]
;! in s8 = u32[0x40]
s_lshl_b32 s10, s4, s8
s_lshr_b32 s11, s4, s8
s_ashr_i32 s12, s4, s8
s_lshl_b64 s[14:15], s[6:7], s8
s_lshr_b64 s[16:17], s[6:7], s8
s_ashr_i64 s[18:19], s[6:7], s8
s_bfm_b32 s20, s8, s8
s_bfm_b64 s[22:23], s8, 3
;= s10 = u32[0x89abcdef]
;= s11 = u32[0x89abcdef]
;= s12 = u32[0x89abcdef]
;= s[14:15] = u64[0x89abcdef01234567]
;= s[16:17] = u64[0x89abcdef01234567]
;= s[18:19] = u64[0x89abcdef01234567]
;= s20 = u32[0]
;= s[22:23] = u64[0]
;= scc = u32[1]

;! in s4 = u32[0x89abcdef]
;! in s[6:7] = u64[0x89abcdef01234567]
;! in s8 = u32[0xffffffff]
s_lshl_b32 s10, s4, s8
s_lshr_b32 s11, s4, s8
s_ashr_i32 s12, s4, s8
s_lshl_b64 s[14:15], s[6:7], s8
s_lshr_b64 s[16:17], s[6:7], s8
s_ashr_i64 s[18:19], s[6:7], s8
s_bfm_b32 s20, s8, s8
s_bfm_b64 s[22:23], s8, 3
;= s10 = u32[0x80000000]
;= s11 = u32[1]
;= s12 = u32[0xffffffff]
;= s[14:15] = u64[0x8000000000000000]
;= s[16:17] = u64[1]
;= s[18:19] = u64[0xffffffffffffffff]
;= s20 = u32[0x80000000]
;= s[22:23] = u64[0xfffffffffffffff8]
;= scc = u32[1]

;! in s4 = u32[0x89abcdef]
;! in s[6:7] = u64[0x89abcdef01234567]
;! in s8 = u32[0x200000]
s_bfe_u32 s10, s4, s8
s_bfe_i32 s11, s4, s8
s_bfe_u64 s[12:13], s[6:7], s8
s_bfe_i64 s[14:15], s[6:7], s8
;= s10 = u32[0x89abcdef]
;= s11 = u32[0x89abcdef]
;= s[12:13] = u64[0x1234567]
;= s[14:15] = u64[0x1234567]
;= scc = u32[1]

;! in s4 = u32[0x89abcdef]
;! in s[6:7] = u64[0x89abcdef01234567]
;! in s8 = u32[0x7f0000]
s_bfe_u32 s10, s4, s8
s_bfe_i32 s11, s4, s8
s_bfe_u64 s[12:13], s[6:7], s8
s_bfe_i64 s[14:15], s[6:7], s8
;= s10 = u32[0x89abcdef]
;= s11 = u32[0x89abcdef]
;= s[12:13] = u64[0x89abcdef01234567]
;= s[14:15] = u64[0x89abcdef01234567]
;= scc = u32[1]

;! in s4 = u32[0x89abcdef]
;! in s[6:7] = u64[0x89abcdef01234567]
;! in s8 = u32[0x5001f]
s_bfe_u32 s10, s4, s8
s_bfe_i32 s11, s4, s8
s_bfe_u64 s[12:13], s[6:7], s8
s_bfe_i64 s[14:15], s[6:7], s8
;= s10 = u32[1]
;= s11 = u32[0xffffffff]
;= s[12:13] = u64[0x1e]
;= s[14:15] = u64[0xfffffffffffffffe]
;= scc = u32[1]

;! in s4 = u32[0x89abcdef]
;! in s[6:7] = u64[0x89abcdef01234567]
;! in s8 = u32[0x8001c]
s_bfe_u32 s10, s4, s8
s_bfe_i32 s11, s4, s8
s_bfe_u64 s[12:13], s[6:7], s8
s_bfe_i64 s[14:15], s[6:7], s8
;= s10 = u32[8]
;= s11 = u32[0xfffffff8]
;= s[12:13] = u64[0xf0]
;= s[14:15] = u64[0xfffffffffffffff0]
;= scc = u32[1]

;! in s4 = u32[0x89abcdef]
;! in s[6:7] = u64[0x89abcdef01234567]
;! in s8 = u32[0x10]
s_bfe_u32 s10, s4, s8
s_bfe_i32 s11, s4, s8
s_bfe_u64 s[12:13], s[6:7], s8
s_bfe_i64 s[14:15], s[6:7], s8
;= s10 = u32[0]
;= s11 = u32[0]
;= s[12:13] = u64[0]
;= s[14:15] = u64[0]
;= scc = u32[0]

;! in s4 = u32[0x89abcdef]
;! in s[6:7] = u64[0x89abcdef01234567]
;! in s8 = u32[0x1f0005]
s_bfe_u32 s10, s4, s8
s_bfe_i32 s11, s4, s8
s_bfe_u64 s[12:13], s[6:7], s8
s_bfe_i64 s[14:15], s[6:7], s8
;= s10 = u32[0x44d5e6f]
;= s11 = u32[0xfc4d5e6f]
;= s[12:13] = u64[0x78091a2b]
;= s[14:15] = u64[0xfffffffff8091a2b]
;= scc = u32[1]

; EXEC = 0: vector instructions change nothing, masks become zero, memory is not touched, addresses need not exist.

;! exec 0
;! memory v[2:3] = u32[1, 2]
;! lds = u32[3]
;! in v6 = u32[0xfffffffc]
;! in s8 = u32[9]
v_mul_u32_u24_e32 v0, 3, v1
global_store_dword v[6:7], v1, off
global_load_dword v0, v[6:7], off
global_atomic_add v[2:3], v1, off
flat_load_dwordx4 v[8:11], v[6:7]
ds_add_u32 v6, v1
ds_bpermute_b32 v0, v1, v1
s_mov_b32 s8, 1
;= s8 = u32[1]
