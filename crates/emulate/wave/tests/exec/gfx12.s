; Instructions and encodings that gfx12 added, besides scalar floats and matrices.
;! by spec, pseudocode of the RDNA 4 manual

;! target gfx1200 gfx1201

; Scalar loads of parts of dwords, at any address.

;! memory s[2:3] = u32[0x8382f180, 0x7f010203]
s_load_u8 s20, s[2:3], 0x1
s_load_i8 s21, s[2:3], 0x1
s_load_u16 s22, s[2:3], 0x3
s_load_i16 s23, s[2:3], 0x1
s_wait_kmcnt 0x0
;= s20 = u32[0xf1]
;= s21 = u32[0xfffffff1]
;= s22 = u32[0x0383]
;= s23 = u32[0xffff82f1]

;! memory s[2:3] = u32[1, 2, 3, 4, 5]
;! in s6 = u32[0xc]
s_load_b96 s[20:22], s[2:3], s6 offset:-0x8
s_wait_kmcnt 0x0
;= s20 = u32[2]
;= s21 = u32[3]
;= s22 = u32[4]

;! memory s[2:3] = u32[1, 2, 3, 4, 5]
s_load_b32 s20, s[2:3], 0x4
s_load_b64 s[22:23], s[2:3], 0x8
s_wait_kmcnt 0x0
;= s20 = u32[2]
;= s22 = u32[3]
;= s23 = u32[4]

; Buffers: what is not all in the buffer reads zero.

;! memory s[4:7] = u32[0x8382f180, 0x7f010203]
s_buffer_load_u8 s20, s[4:7], 0x1
s_buffer_load_i8 s21, s[4:7], 0x1
s_buffer_load_u16 s22, s[4:7], 0x3
s_buffer_load_i16 s23, s[4:7], 0x1
s_buffer_load_u16 s24, s[4:7], 0x7
s_buffer_load_b96 s[28:30], s[4:7], 0x0
s_wait_kmcnt 0x0
;= s20 = u32[0xf1]
;= s21 = u32[0xfffffff1]
;= s22 = u32[0x0383]
;= s23 = u32[0xffff82f1]
;= s24 = u32[0]
;= s28 = u32[0x8382f180]
;= s29 = u32[0x7f010203]
;= s30 = u32[0]

; Prefetches and waits change nothing.

;! in s[2:3] = u64[0x1000]
;! in s[4:5] = u64[0]
s_prefetch_data s[2:3], 0x64, s10, 7
s_prefetch_inst s[2:3], 0x64, null, 7
s_prefetch_data_pc_rel 0x64, null, 7
s_prefetch_inst_pc_rel 0x64, null, 7
s_buffer_prefetch_data s[4:7], 0x64, null, 7
s_wait_loadcnt 0x0
s_wait_storecnt 0x0
s_wait_samplecnt 0x0
s_wait_bvhcnt 0x0
s_wait_expcnt 0x0
s_wait_dscnt 0x0
s_wait_kmcnt 0x0
s_wait_loadcnt_dscnt 0x0
s_wait_storecnt_dscnt 0x0
s_wait_alu 0xfffe
s_wait_event 0x0
global_inv scope:SCOPE_SYS
global_wb scope:SCOPE_SYS
global_wbinv scope:SCOPE_SYS
s_mov_b32 s20, 1
;= s20 = u32[1]

; 64-bit sums and products leave SCC alone.

;! in s[4:5] = u64[0xffffffffffffffff]
;! in s[6:7] = u64[0x0000000300000002]
;! in scc = u32[1]
s_add_nc_u64 s[20:21], s[4:5], s[6:7]
s_sub_nc_u64 s[22:23], s[6:7], s[4:5]
s_mul_u64 s[24:25], s[4:5], s[6:7]
;= s[20:21] = u64[0x0000000300000001]
;= s[22:23] = u64[0x0000000300000003]
;= s[24:25] = u64[0xfffffffcfffffffe]

; Old sums under their new names.

;! in s4 = u32[0xffffffff]
;! in s6 = u32[2]
s_add_co_u32 s20, s4, s6
s_add_co_ci_u32 s21, s6, s6
s_sub_co_u32 s22, s6, s4
s_sub_co_ci_u32 s23, s6, s6
s_add_co_i32 s24, s4, s6
s_sub_co_i32 s25, s4, s6
s_movk_i32 s26, 0x7
s_addk_co_i32 s26, 0xfffe
;= s20 = u32[1]
;= s21 = u32[5]
;= s22 = u32[3]
;= s23 = u32[0xffffffff]
;= s24 = u32[1]
;= s25 = u32[0xfffffffd]
;= s26 = u32[5]
;= scc = u32[0]

; Barriers. A workgroup of one wave has none.

s_barrier_signal -1
s_barrier_wait -1
s_barrier_signal_isfirst -1
s_get_barrier_state s20, -1
;= scc = u32[0]
;= s20 = u32[0x10]

;! waves 3
;! in scc = u32[0]
s_barrier_signal_isfirst -1
s_cselect_b32 s20, 1, 0
s_barrier_signal_isfirst -1
s_cselect_b32 s21, 1, 0
s_get_barrier_state s22, -1
s_barrier_signal -2
s_mov_b32 m0, 0
s_barrier_signal m0
s_get_barrier_state s23, -1
s_barrier_signal -1
s_barrier_wait -1
s_get_barrier_state s24, -1
;= scc = u32[0]
;= m0 = u32[0]
;= s20 = u32[1]
;= s21 = u32[0]
;= s22 = u32[0x20031]
;= s23 = u32[0x20031]
;= s24 = u32[0x31]

;! waves 3
s_barrier_signal -1
s_barrier_wait -1
;= stop = Barrier

s_sleep_var 2  ;= stop = Sleep
; Offsets are 24 bits and signed everywhere.

;! memory v[2:3] step 0 = u32[1, 2, 3, 4, 5]
v_add_nc_u32 v2, 16, v2
global_load_b32 v8, v[2:3], off offset:-8 th:TH_LOAD_NT scope:SCOPE_SYS
flat_load_b32 v9, v[2:3] offset:-12
global_load_b64 v[10:11], v[2:3], off offset:-16
s_wait_loadcnt 0x0
;= v2 = any
;= v8 = u32[3]
;= v9 = u32[2]
;= v10 = u32[1]
;= v11 = u32[2]

;! memory s[2:3] = u32[1, 2, 3, 4]
;! in v4 = u32[8]
;! in v5 = u32[77]
;! exec 0x1
global_load_b32 v8, v4, s[2:3] offset:-4
global_store_b32 v4, v5, s[2:3] offset:4
s_wait_loadcnt 0x0
;= v8 = u32[2]
;= memory = u32[1, 2, 3, 77]

; An atomic returns what was there if its temporal hint says so.

;! memory s[2:3] = u32[10, 20, 5]
;! in v4 = u32[0]
;! in v5 = u32[7]
;! in v6 = u32[30]
;! exec 0x1
global_atomic_add_u32 v8, v4, v5, s[2:3] th:TH_ATOMIC_RETURN
global_atomic_add_u32 v4, v5, s[2:3]
global_atomic_cond_sub_u32 v9, v4, v5, s[2:3] offset:4 th:TH_ATOMIC_RETURN
global_atomic_cond_sub_u32 v10, v4, v6, s[2:3] offset:4 th:TH_ATOMIC_RETURN
global_atomic_sub_clamp_u32 v11, v4, v6, s[2:3] offset:8 th:TH_ATOMIC_RETURN
;= v8 = u32[10]
;= v9 = u32[20]
;= v10 = u32[13]
;= v11 = u32[5]
;= memory = u32[24, 13, 0]

;! memory v[2:3] step 0 = u32[20, 0x7f800001, 0x80000000, 5]
;! in v5 = u32[7]
;! in v6 = f32[-2.5]
;! in v7 = u32[0]
;! exec 0x1
flat_atomic_cond_sub_u32 v9, v[2:3], v5 th:TH_ATOMIC_RETURN
flat_atomic_sub_clamp_u32 v12, v[2:3], v5 offset:12 th:TH_ATOMIC_RETURN
flat_atomic_min_num_f32 v10, v[2:3], v6 offset:4 th:TH_ATOMIC_RETURN
flat_atomic_max_num_f32 v11, v[2:3], v7 offset:8 th:TH_ATOMIC_RETURN
;= v9 = u32[20]
;= v12 = u32[5]
;= v10 = u32[0x7f800001]
;= v11 = u32[0x80000000]
;= memory = u32[13, 0xc0200000, 0, 0]

;! memory s[2:3] = u32[0x3f800000, 0x3f800000]
;! in v4 = u32[0]
;! in v6 = f32[-2.5]
;! exec 0x1
global_atomic_min_num_f32 v8, v4, v6, s[2:3] th:TH_ATOMIC_RETURN
global_atomic_max_num_f32 v9, v4, v6, s[2:3] offset:4 th:TH_ATOMIC_RETURN
;= v8 = f32[1.0]
;= v9 = f32[1.0]
;= memory = u32[0xc0200000, 0x3f800000]

; Buffers.

;! memory s[4:7] = u32[10, 20, 5, 0x3f800000, 0x3f800000]
;! in v4 = u32[4]
;! in v5 = u32[7]
;! in v6 = u32[30]
;! in v7 = f32[-2.5]
;! in v9 = u32[0]
;! in v10 = u32[7]
;! in v11 = u32[7]
;! in v12 = f32[-2.5]
;! in v13 = f32[-2.5]
;! exec 0x1
buffer_load_b32 v8, v4, s[4:7], null offen offset:4
buffer_store_b32 v5, off, s[4:7], null
buffer_atomic_cond_sub_u32 v10, v4, s[4:7], null offen th:TH_ATOMIC_RETURN
buffer_atomic_sub_clamp_u32 v11, v4, s[4:7], null offen offset:4 th:TH_ATOMIC_RETURN
buffer_atomic_min_num_f32 v12, off, s[4:7], null offset:12 th:TH_ATOMIC_RETURN
buffer_atomic_max_num_f32 v13, off, s[4:7], null offset:16 th:TH_ATOMIC_RETURN
s_wait_loadcnt 0x0
;= v8 = u32[5]
;= v10 = u32[20]
;= v11 = u32[5]
;= v12 = f32[1.0]
;= v13 = f32[1.0]
;= memory = u32[7, 13, 0, 0xc0200000, 0x3f800000]

; Scratch with vector address, scalar address, both, and neither.

;! scratch 64
;! in v4 = u32[8]
;! in v5 = u32[77]
;! in v6 = u32[88]
;! in s2 = u32[4]
scratch_store_b32 v4, v5, off offset:4
scratch_store_b32 off, v6, s2 offset:12
scratch_load_b32 v8, v4, s2
scratch_load_b32 v9, off, off offset:16
s_wait_loadcnt 0x0
;= v8 = u32[77]
;= v9 = u32[88]

; Local data share.

;! lds = u32[10, 5, 0x3f800000, 0x3f800000, 20, 5, 0x3f800000, 0x3f800000]
;! in v4 = u32[0]
;! in v5 = u32[7]
;! in v6 = f32[-2.5]
;! exec 0x1
ds_cond_sub_u32 v4, v5
ds_sub_clamp_u32 v4, v5 offset:4
ds_min_num_f32 v4, v6 offset:8
ds_max_num_f32 v4, v6 offset:12
ds_cond_sub_rtn_u32 v8, v4, v5 offset:16
ds_sub_clamp_rtn_u32 v9, v4, v5 offset:20
ds_min_num_rtn_f32 v10, v4, v6 offset:24
ds_max_num_rtn_f32 v11, v4, v6 offset:28
;= lds = u32[3, 0, 0xc0200000, 0x3f800000, 13, 0, 0xc0200000, 0x3f800000]
;= v8 = u32[20]
;= v9 = u32[5]
;= v10 = f32[1.0]
;= v11 = f32[1.0]

; 1.0, -2.5 and a NaN in double precision.

;! lds = u32[0, 0x3ff00000, 1, 0x7ff00000, 0, 0x3ff00000, 1, 0x7ff00000]
;! in v4 = u32[0]
;! in v[6:7] = f64[-2.5]
;! exec 0x1
ds_min_num_f64 v4, v[6:7]
ds_max_num_f64 v4, v[6:7] offset:8
ds_min_num_rtn_f64 v[8:9], v4, v[6:7] offset:16
ds_max_num_rtn_f64 v[10:11], v4, v[6:7] offset:24
;= lds = u32[0, 0xc0040000, 0, 0xc0040000, 0, 0xc0040000, 0, 0xc0040000]
;= v[8:9] = f64[1.0]
;= v[10:11] = u64[0x7ff0000000000001]

; Lanes that are off can be read, too.

;! exec 0x5
;! in v4 = u32[4, 0, 4, 0]
;! in v5 = u32[10, 11, 12, 13]
ds_bpermute_fi_b32 v8, v4, v5
ds_bpermute_b32 v9, v4, v5
;= v8 = u32[11]
;= v9 = u32[0]

; All lanes of a wave permute among each other.
;! target gfx1200/64 gfx1201/64
;! in v4 = u32[160, 0]
;! in v5 = u32[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63]
ds_bpermute_b32 v8, v4, v5  ;= v8 = u32[40, 0]

; Lane 1 sends to lane 40 and all others to themselves.

;! in v4 = u32[0, 160, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64, 68, 72, 76, 80, 84, 88, 92, 96, 100, 104, 108, 112, 116, 120, 124, 128, 132, 136, 140, 144, 148, 152, 156, 160, 164, 168, 172, 176, 180, 184, 188, 192, 196, 200, 204, 208, 212, 216, 220, 224, 228, 232, 236, 240, 244, 248, 252]
;! in v5 = u32[100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163]
ds_permute_b32 v8, v4, v5
;= v8 = u32[100, 0, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163]

;! target gfx1200 gfx1201
;! in v4 = u32[10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45]
;! in v5 = u32[15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0xf0]
v_permlane16_var_b32 v8, v4, v5
v_permlanex16_var_b32 v9, v4, v5
;= v8 = u32[25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30]
;= v9 = u32[45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10]

; Minima and maxima: a number, -0 and +0, a signalling and a quiet NaN.

;! in v4 = u32[0x3f800000, 0x80000000, 0x00000000, 0x7f800001, 0xffc00005, 0x7f800001]
;! in v5 = u32[0xc0000000, 0x00000000, 0x80000000, 0x40400000, 0x7f800002, 0xffc00005]
v_min_num_f32 v8, v4, v5
v_max_num_f32 v9, v4, v5
v_minimum_f32 v10, v4, v5
v_maximum_f32 v11, v4, v5
;= v8 = u32[0xc0000000, 0x80000000, 0x80000000, 0x40400000, 0xffc00005, 0x7fc00001]
;= v9 = u32[0x3f800000, 0x00000000, 0x00000000, 0x40400000, 0xffc00005, 0x7fc00001]
;= v10 = u32[0xc0000000, 0x80000000, 0x80000000, 0x7fc00001, 0x7fc00002, 0x7fc00001]
;= v11 = u32[0x3f800000, 0x00000000, 0x00000000, 0x7fc00001, 0x7fc00002, 0x7fc00001]

; 1, 3 and 2; 1, a NaN and 2.

;! in v4 = f32[1.0, 1.0]
;! in v5 = u32[0x40400000, 0x7fc00000]
;! in v6 = f32[2.0, 2.0]
v_min3_num_f32 v8, v4, v5, v6
v_max3_num_f32 v9, v4, v5, v6
v_med3_num_f32 v10, v4, v5, v6
v_maxmin_num_f32 v11, v4, v5, v6
v_minmax_num_f32 v12, v4, v5, v6
v_minimummaximum_f32 v15, v4, v5, v6
v_maximumminimum_f32 v16, v4, v5, v6
;= v8 = f32[1.0, 1.0]
;= v9 = f32[3.0, 2.0]
;= v10 = f32[2.0, 1.0]
;= v11 = f32[2.0, 1.0]
;= v12 = f32[2.0, 2.0]
;= v15 = u32[0x40000000, 0x7fc00000]
;= v16 = u32[0x40000000, 0x7fc00000]

; Halves: 1 and -2; a signalling NaN and 2.

;! in v4 = u32[0x3c00, 0x7c01]
;! in v5 = u32[0xc000, 0x4000]
;! in v8 = u32[0]
;! in v9 = u32[0]
;! in v10 = u32[0]
;! in v11 = u32[0]
v_min_num_f16 v8, v4, v5
v_max_num_f16 v9, v4, v5
v_minimum_f16 v10, v4, v5
v_maximum_f16 v11, v4, v5
;= v8 = u32[0xc000, 0x4000]
;= v9 = u32[0x3c00, 0x4000]
;= v10 = u32[0xc000, 0x7e01]
;= v11 = u32[0x3c00, 0x7e01]

;! in v4 = u32[0x3c00, 0x3c00]
;! in v5 = u32[0x4200, 0x7e00]
;! in v6 = u32[0x4000, 0x4000]
;! in v8 = u32[0]
;! in v9 = u32[0]
;! in v10 = u32[0]
;! in v11 = u32[0]
;! in v12 = u32[0]
;! in v13 = u32[0]
;! in v14 = u32[0]
;! in v15 = u32[0]
;! in v16 = u32[0]
v_min3_num_f16 v8, v4, v5, v6
v_max3_num_f16 v9, v4, v5, v6
v_med3_num_f16 v10, v4, v5, v6
v_maxmin_num_f16 v11, v4, v5, v6
v_minmax_num_f16 v12, v4, v5, v6
v_minimum3_f16 v13, v4, v5, v6
v_maximum3_f16 v14, v4, v5, v6
v_minimummaximum_f16 v15, v4, v5, v6
v_maximumminimum_f16 v16, v4, v5, v6
;= v8 = u32[0x3c00, 0x3c00]
;= v9 = u32[0x4200, 0x4000]
;= v10 = u32[0x4000, 0x3c00]
;= v11 = u32[0x4000, 0x3c00]
;= v12 = u32[0x4000, 0x4000]
;= v13 = u32[0x3c00, 0x7e00]
;= v14 = u32[0x4200, 0x7e00]
;= v15 = u32[0x4000, 0x7e00]
;= v16 = u32[0x4000, 0x7e00]

;! in v4 = u32[0x7c013c00]
;! in v5 = u32[0x4000c000]
v_pk_min_num_f16 v8, v4, v5
v_pk_max_num_f16 v9, v4, v5
v_pk_minimum_f16 v10, v4, v5
v_pk_maximum_f16 v11, v4, v5
;= v8 = u32[0x4000c000]
;= v9 = u32[0x40003c00]
;= v10 = u32[0x7e01c000]
;= v11 = u32[0x7e013c00]

;! in v[4:5] = u64[0x3ff0000000000000, 0x7ff0000000000001]
;! in v[6:7] = u64[0xc000000000000000, 0x4000000000000000]
v_min_num_f64 v[8:9], v[4:5], v[6:7]
v_max_num_f64 v[10:11], v[4:5], v[6:7]
v_minimum_f64 v[12:13], v[4:5], v[6:7]
v_maximum_f64 v[14:15], v[4:5], v[6:7]
;= v[8:9] = u64[0xc000000000000000, 0x4000000000000000]
;= v[10:11] = u64[0x3ff0000000000000, 0x4000000000000000]
;= v[12:13] = u64[0xc000000000000000, 0x7ff8000000000001]
;= v[14:15] = u64[0x3ff0000000000000, 0x7ff8000000000001]

; Two-source encodings of doubles and of the 64-bit shift.

;! in v[4:5] = f64[1.5]
;! in v[6:7] = f64[-2.0]
;! in v2 = u32[4]
v_add_f64 v[8:9], v[4:5], v[6:7]
v_mul_f64 v[10:11], v[4:5], v[6:7]
v_lshlrev_b64 v[12:13], v2, v[4:5]
;= v[8:9] = f64[-0.5]
;= v[10:11] = f64[-3.0]
;= v[12:13] = u64[0xff80000000000000]

; OCP floats: E4M3 1.5 (0x3c), -448 (0xfe), its smallest denormal 2^-9 (0x01), NaN (0x7f); E5M2 1.5 (0x3e), infinity (0x7c).

;! in v4 = u32[0x7f01fe3c]
v_cvt_f32_fp8 v8, v4
v_cvt_f32_fp8_e64 v9, v4 byte_sel:1
v_cvt_f32_fp8_e64 v10, v4 byte_sel:2
v_cvt_f32_fp8_e64 v11, v4 byte_sel:3
v_cvt_pk_f32_fp8 v[12:13], v4
v_cvt_pk_f32_fp8_e64 v[14:15], v4 op_sel:[1,0]
;= v8 = f32[1.5]
;= v9 = f32[-448.0]
;= v10 = u32[0x3b000000]
;= v11 = u32[0x7fc00000]
;= v12 = f32[1.5]
;= v13 = f32[-448.0]
;= v14 = u32[0x3b000000]
;= v15 = u32[0x7fc00000]

;! in v4 = u32[0xc2017c3e]
v_cvt_f32_bf8 v8, v4
v_cvt_f32_bf8_e64 v9, v4 byte_sel:1
v_cvt_f32_bf8_e64 v10, v4 byte_sel:2
v_cvt_f32_bf8_e64 v11, v4 byte_sel:3
v_cvt_pk_f32_bf8 v[12:13], v4
v_cvt_pk_f32_bf8_e64 v[14:15], v4 op_sel:[1,0]
;= v8 = f32[1.5]
;= v9 = u32[0x7f800000]
;= v10 = u32[0x37800000]
;= v11 = f32[-3.0]
;= v12 = f32[1.5]
;= v13 = u32[0x7f800000]
;= v14 = u32[0x37800000]
;= v15 = f32[-3.0]

;! in v4 = f32[1.5]
;! in v5 = f32[-448.0]
;! in v6 = u32[0]
;! in v8 = u32[0xaaaabbbb]
;! in v9 = u32[0xaaaabbbb]
;! in v10 = u32[0xaaaabbbb]
;! in v11 = u32[0xaaaabbbb]
v_cvt_pk_fp8_f32 v8, v4, v5
v_cvt_pk_fp8_f32 v9, -v4, v5 op_sel:[0,0,1]
v_cvt_sr_fp8_f32 v10, v4, v6 byte_sel:2
v_cvt_sr_fp8_f32 v11, -v4, v6
;= v8 = u32[0xaaaafe3c]
;= v9 = u32[0xfebcbbbb]
;= v10 = u32[0xaa3cbbbb]
;= v11 = u32[0xaaaabbbc]

;! in v4 = f32[1.5]
;! in v5 = f32[-3.0]
;! in v6 = u32[0]
;! in v8 = u32[0xaaaabbbb]
;! in v9 = u32[0xaaaabbbb]
;! in v10 = u32[0xaaaabbbb]
;! in v11 = u32[0xaaaabbbb]
v_cvt_pk_bf8_f32 v8, v4, v5
v_cvt_pk_bf8_f32 v9, v4, v5 op_sel:[0,0,1]
v_cvt_sr_bf8_f32 v10, v5, v6 byte_sel:1
v_cvt_sr_bf8_f32 v11, |v5|, v6 byte_sel:3
;= v8 = u32[0xaaaac23e]
;= v9 = u32[0xc23ebbbb]
;= v10 = u32[0xaaaac2bb]
;= v11 = u32[0x42aabbbb]

; 1.5 * 2 + 1 * -3 + 0.5 * 4 + 2 * 1 + 10, in E4M3 and E5M2.

;! in v4 = u32[0x4030383c]
;! in v5 = u32[0x3848c440]
;! in v6 = u32[0x40383c3e]
;! in v7 = u32[0x3c44c240]
;! in v12 = f32[10.0]
v_dot4_f32_fp8_fp8 v8, v4, v5, v12
v_dot4_f32_fp8_bf8 v9, v4, v7, v12
v_dot4_f32_bf8_fp8 v10, v6, v5, v12
v_dot4_f32_bf8_bf8 v11, v6, v7, v12
;= v8 = f32[14.0]
;= v9 = f32[14.0]
;= v10 = f32[14.0]
;= v11 = f32[14.0]

; Blocks of registers in scratch.

;! scratch 64
;! in m0 = u32[0b101]
;! in v4 = u32[8]
;! in v5 = u32[77]
;! in v7 = u32[88]
scratch_store_block v4, v[5:36], off offset:4
scratch_load_block v[40:71], v4, off offset:4
s_wait_loadcnt 0x0
;= v40 = u32[77]
;= v42 = u32[88]

; One value of local memory for all lanes.
ds_direct_load v8  ;! lds = u32[1, 0x12345678]  ;! in m0 = u32[0x20004]  ;= v8 = u32[0x12345678]
; Blocks of registers that M0 names.

;! memory s[2:3] = u32[11, 12, 13, 14, 15]
;! in m0 = u32[0b10101]
;! in v4 = u32[0]
;! exec 0x1
global_load_block v[8:39], v4, s[2:3]
s_wait_loadcnt 0x0
;= v8 = u32[11]
;= v10 = u32[13]
;= v12 = u32[15]

;! memory s[2:3] = u32[11, 12, 13, 14, 15]
;! in m0 = u32[0b01010]
;! in v4 = u32[0]
;! in v9 = u32[92]
;! in v11 = u32[94]
;! exec 0x1
global_store_block v4, v[8:39], s[2:3]  ;= memory = u32[11, 92, 13, 94, 15]

; Registers of the hardware: MODE has no bits 8 and 9 here.

s_getreg_b32 s20, hwreg(HW_REG_WAVE_MODE)
s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 0, 10), 0x0f5
s_getreg_b32 s21, hwreg(HW_REG_WAVE_MODE)
;= s20 = u32[0xf0]
;= s21 = u32[0xf5]

; 17 cycles a tick, so that 0x100000001 ticks are 0x1100000011 cycles.

;! time 0x100000001
s_getreg_b32 s20, hwreg(HW_REG_SHADER_CYCLES_LO)
s_getreg_b32 s21, hwreg(HW_REG_SHADER_CYCLES_HI)
;= s20 = u32[0x00000011]
;= s21 = u32[0x11]

; Transposing loads give each lane a column of its group's rows.
;! target gfx1200/32 gfx1201/32
;! memory s[2:3] = u32[0x10000, 0x30002, 0x50004, 0x70006, 0x90008, 0xb000a, 0xd000c, 0xf000e, 0x110010, 0x130012, 0x150014, 0x170016, 0x190018, 0x1b001a, 0x1d001c, 0x1f001e, 0x210020, 0x230022, 0x250024, 0x270026, 0x290028, 0x2b002a, 0x2d002c, 0x2f002e, 0x310030, 0x330032, 0x350034, 0x370036, 0x390038, 0x3b003a, 0x3d003c, 0x3f003e, 0x410040, 0x430042, 0x450044, 0x470046, 0x490048, 0x4b004a, 0x4d004c, 0x4f004e, 0x510050, 0x530052, 0x550054, 0x570056, 0x590058, 0x5b005a, 0x5d005c, 0x5f005e, 0x610060, 0x630062, 0x650064, 0x670066, 0x690068, 0x6b006a, 0x6d006c, 0x6f006e, 0x710070, 0x730072, 0x750074, 0x770076, 0x790078, 0x7b007a, 0x7d007c, 0x7f007e, 0x810080, 0x830082, 0x850084, 0x870086, 0x890088, 0x8b008a, 0x8d008c, 0x8f008e, 0x910090, 0x930092, 0x950094, 0x970096, 0x990098, 0x9b009a, 0x9d009c, 0x9f009e, 0xa100a0, 0xa300a2, 0xa500a4, 0xa700a6, 0xa900a8, 0xab00aa, 0xad00ac, 0xaf00ae, 0xb100b0, 0xb300b2, 0xb500b4, 0xb700b6, 0xb900b8, 0xbb00ba, 0xbd00bc, 0xbf00be, 0xc100c0, 0xc300c2, 0xc500c4, 0xc700c6, 0xc900c8, 0xcb00ca, 0xcd00cc, 0xcf00ce, 0xd100d0, 0xd300d2, 0xd500d4, 0xd700d6, 0xd900d8, 0xdb00da, 0xdd00dc, 0xdf00de, 0xe100e0, 0xe300e2, 0xe500e4, 0xe700e6, 0xe900e8, 0xeb00ea, 0xed00ec, 0xef00ee, 0xf100f0, 0xf300f2, 0xf500f4, 0xf700f6, 0xf900f8, 0xfb00fa, 0xfd00fc, 0xff00fe]
;! in v4 = u32[0, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256, 272, 288, 304, 320, 336, 352, 368, 384, 400, 416, 432, 448, 464, 480, 496]
global_load_tr_b128 v[8:11], v4, s[2:3]
s_wait_loadcnt 0x0
;= v8 = u32[0x80000, 0x90001, 0xa0002, 0xb0003, 0xc0004, 0xd0005, 0xe0006, 0xf0007, 0x480040, 0x490041, 0x4a0042, 0x4b0043, 0x4c0044, 0x4d0045, 0x4e0046, 0x4f0047, 0x880080, 0x890081, 0x8a0082, 0x8b0083, 0x8c0084, 0x8d0085, 0x8e0086, 0x8f0087, 0xc800c0, 0xc900c1, 0xca00c2, 0xcb00c3, 0xcc00c4, 0xcd00c5, 0xce00c6, 0xcf00c7]
;= v9 = u32[0x180010, 0x190011, 0x1a0012, 0x1b0013, 0x1c0014, 0x1d0015, 0x1e0016, 0x1f0017, 0x580050, 0x590051, 0x5a0052, 0x5b0053, 0x5c0054, 0x5d0055, 0x5e0056, 0x5f0057, 0x980090, 0x990091, 0x9a0092, 0x9b0093, 0x9c0094, 0x9d0095, 0x9e0096, 0x9f0097, 0xd800d0, 0xd900d1, 0xda00d2, 0xdb00d3, 0xdc00d4, 0xdd00d5, 0xde00d6, 0xdf00d7]
;= v10 = u32[0x280020, 0x290021, 0x2a0022, 0x2b0023, 0x2c0024, 0x2d0025, 0x2e0026, 0x2f0027, 0x680060, 0x690061, 0x6a0062, 0x6b0063, 0x6c0064, 0x6d0065, 0x6e0066, 0x6f0067, 0xa800a0, 0xa900a1, 0xaa00a2, 0xab00a3, 0xac00a4, 0xad00a5, 0xae00a6, 0xaf00a7, 0xe800e0, 0xe900e1, 0xea00e2, 0xeb00e3, 0xec00e4, 0xed00e5, 0xee00e6, 0xef00e7]
;= v11 = u32[0x380030, 0x390031, 0x3a0032, 0x3b0033, 0x3c0034, 0x3d0035, 0x3e0036, 0x3f0037, 0x780070, 0x790071, 0x7a0072, 0x7b0073, 0x7c0074, 0x7d0075, 0x7e0076, 0x7f0077, 0xb800b0, 0xb900b1, 0xba00b2, 0xbb00b3, 0xbc00b4, 0xbd00b5, 0xbe00b6, 0xbf00b7, 0xf800f0, 0xf900f1, 0xfa00f2, 0xfb00f3, 0xfc00f4, 0xfd00f5, 0xfe00f6, 0xff00f7]

;! memory s[2:3] = u32[0x7a55300b, 0xee9c49f, 0xa27d5833, 0x3611ecc7, 0xcaa5805b, 0x5e3914ef, 0xf2cda883, 0x86613c17, 0x1af5d0ab, 0xae89643f, 0x421df8d3, 0xd6b18c67, 0x6a4520fb, 0xfed9b48f, 0x926d4823, 0x2601dcb7, 0xba95704b, 0x4e2904df, 0xe2bd9873, 0x76512c07, 0xae5c09b, 0x9e79542f, 0x320de8c3, 0xc6a17c57, 0x5a3510eb, 0xeec9a47f, 0x825d3813, 0x16f1cca7, 0xaa85603b, 0x3e19f4cf, 0xd2ad8863, 0x66411cf7, 0xfad5b08b, 0x8e69441f, 0x22fdd8b3, 0xb6916c47, 0x4a2500db, 0xdeb9946f, 0x724d2803, 0x6e1bc97, 0x9a75502b, 0x2e09e4bf, 0xc29d7853, 0x56310ce7, 0xeac5a07b, 0x7e59340f, 0x12edc8a3, 0xa6815c37, 0x3a15f0cb, 0xcea9845f, 0x623d18f3, 0xf6d1ac87, 0x8a65401b, 0x1ef9d4af, 0xb28d6843, 0x4621fcd7, 0xdab5906b, 0x6e4924ff, 0x2ddb893, 0x96714c27, 0x2a05e0bb, 0xbe99744f, 0x522d08e3, 0xe6c19c77]
;! in v4 = u32[0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120, 128, 136, 144, 152, 160, 168, 176, 184, 192, 200, 208, 216, 224, 232, 240, 248]
global_load_tr_b64 v[8:9], v4, s[2:3]
s_wait_loadcnt 0x0
;= v8 = u32[0x835b330b, 0xa8805830, 0xcda57d55, 0xf2caa27a, 0x17efc79f, 0x3c14ecc4, 0x613911e9, 0x865e360e, 0x23fbd3ab, 0x4820f8d0, 0x6d451df5, 0x926a421a, 0xb78f673f, 0xdcb48c64, 0x1d9b189, 0x26fed6ae, 0x3dbb38b, 0x2800d8b0, 0x4d25fdd5, 0x724a22fa, 0x976f471f, 0xbc946c44, 0xe1b99169, 0x6deb68e, 0xa37b532b, 0xc8a07850, 0xedc59d75, 0x12eac29a, 0x370fe7bf, 0x5c340ce4, 0x81593109, 0xa67e562e]
;= v9 = u32[0xc39b734b, 0xe8c09870, 0xde5bd95, 0x320ae2ba, 0x572f07df, 0x7c542c04, 0xa1795129, 0xc69e764e, 0x633b13eb, 0x88603810, 0xad855d35, 0xd2aa825a, 0xf7cfa77f, 0x1cf4cca4, 0x4119f1c9, 0x663e16ee, 0x431bf3cb, 0x684018f0, 0x8d653d15, 0xb28a623a, 0xd7af875f, 0xfcd4ac84, 0x21f9d1a9, 0x461ef6ce, 0xe3bb936b, 0x8e0b890, 0x2d05ddb5, 0x522a02da, 0x774f27ff, 0x9c744c24, 0xc1997149, 0xe6be966e]

; Three operands in single precision: NaNs win.
;! target gfx1200 gfx1201
;! in v4 = f32[1.0, 1.0]
;! in v5 = u32[0x40400000, 0x7fc00000]
;! in v6 = f32[2.0, 2.0]
v_minimum3_f32 v13, v4, v5, v6
v_maximum3_f32 v14, v4, v5, v6
;= v13 = u32[0x3f800000, 0x7fc00000]
;= v14 = u32[0x40400000, 0x7fc00000]

; Sums of pairs: 1 + 2 and -2 + 0.5 in halves and in bfloat16.

;! lds = u32[0xc0003c00, 0xc0003f80, 0xc0003c00, 0xc0003f80]
;! in v4 = u32[0]
;! in v5 = u32[0x38004000]
;! in v6 = u32[0x3f004000]
;! exec 0x1
ds_pk_add_f16 v4, v5
ds_pk_add_bf16 v4, v6 offset:4
ds_pk_add_rtn_f16 v8, v4, v5 offset:8
ds_pk_add_rtn_bf16 v9, v4, v6 offset:12
;= lds = u32[0xbe004200, 0xbfc04040, 0xbe004200, 0xbfc04040]
;= v8 = u32[0xc0003c00]
;= v9 = u32[0xc0003f80]

;! memory s[2:3] = u32[0xc0003c00, 0xc0003f80, 0x3f800000]
;! in v4 = u32[0]
;! in v5 = u32[0x38004000]
;! in v6 = u32[0x3f004000]
;! in v7 = f32[-2.5]
;! exec 0x1
global_atomic_pk_add_f16 v8, v4, v5, s[2:3] th:TH_ATOMIC_RETURN
global_atomic_pk_add_bf16 v9, v4, v6, s[2:3] offset:4 th:TH_ATOMIC_RETURN
global_atomic_add_f32 v10, v4, v7, s[2:3] offset:8 th:TH_ATOMIC_RETURN
;= memory = u32[0xbe004200, 0xbfc04040, 0xbfc00000]
;= v8 = u32[0xc0003c00]
;= v9 = u32[0xc0003f80]
;= v10 = f32[1.0]

;! memory v[2:3] step 0 = u32[0xc0003c00, 0xc0003f80, 0x3f800000]
;! in v5 = u32[0x38004000]
;! in v6 = u32[0x3f004000]
;! in v7 = f32[-2.5]
;! exec 0x1
flat_atomic_pk_add_f16 v8, v[2:3], v5 th:TH_ATOMIC_RETURN
flat_atomic_pk_add_bf16 v9, v[2:3], v6 offset:4 th:TH_ATOMIC_RETURN
flat_atomic_add_f32 v10, v[2:3], v7 offset:8 th:TH_ATOMIC_RETURN
;= memory = u32[0xbe004200, 0xbfc04040, 0xbfc00000]
;= v8 = u32[0xc0003c00]
;= v9 = u32[0xc0003f80]
;= v10 = f32[1.0]

;! memory s[4:7] = u32[0xc0003c00, 0xc0003f80, 0x3f800000]
;! in v5 = u32[0x38004000]
;! in v6 = u32[0x3f004000]
;! in v7 = f32[-2.5]
;! exec 0x1
buffer_atomic_pk_add_f16 v5, off, s[4:7], null th:TH_ATOMIC_RETURN
buffer_atomic_pk_add_bf16 v6, off, s[4:7], null offset:4 th:TH_ATOMIC_RETURN
buffer_atomic_add_f32 v7, off, s[4:7], null offset:8 th:TH_ATOMIC_RETURN
;= memory = u32[0xbe004200, 0xbfc04040, 0xbfc00000]
;= v5 = u32[0xc0003c00]
;= v6 = u32[0xc0003f80]
;= v7 = f32[1.0]

; Hints and waits that change nothing.

s_delay_alu instid0(VALU_DEP_1)
s_setkill 0
s_waitcnt 0x0
s_wakeup
s_mov_b32 s20, 1
;= s20 = u32[1]

; What transposing loads do in wave64 is not published.
;! target gfx1200/64 gfx1201/64
global_load_tr_b128 v[8:9], v4, s[2:3]  ;! in v4 = u32[0]  ;! in s[2:3] = u64[0]  ;= stop = Unsupported("transposing load in wave64, whose lanes AMD has not published")
global_load_tr_b64 v8, v4, s[2:3]  ;! in v4 = u32[0]  ;! in s[2:3] = u64[0]  ;= stop = Unsupported("transposing load in wave64, whose lanes AMD has not published")
;! target gfx1200/32 gfx1201/32
global_load_tr_b64 v[8:9], v4, s[2:3]  ;! exec 0x7fffffff  ;! in v4 = u32[0]  ;! in s[2:3] = u64[0]  ;= stop = Unsupported("transposing load with lanes off")
; Minima and maxima in pairs, of the same values as alone: a number, -0 and +0, a signalling and a quiet NaN.

;! in v4 = u32[0x3f800000, 0x80000000, 0x00000000, 0x7f800001, 0xffc00005, 0x7f800001]
;! in v5 = u32[0xc0000000, 0x00000000, 0x80000000, 0x40400000, 0x7f800002, 0xffc00005]
;! in v6 = u32[0x3f800000, 0x80000000, 0x00000000, 0x7f800001, 0xffc00005, 0x7f800001]
;! in v7 = u32[0xc0000000, 0x00000000, 0x80000000, 0x40400000, 0x7f800002, 0xffc00005]
v_dual_min_num_f32 v8, v4, v5 :: v_dual_max_num_f32 v9, v6, v7
;= v8 = u32[0xc0000000, 0x80000000, 0x80000000, 0x40400000, 0xffc00005, 0x7fc00001]
;= v9 = u32[0x3f800000, 0x00000000, 0x00000000, 0x40400000, 0xffc00005, 0x7fc00001]

; Neither half sees what the other writes.

;! in v4 = u32[0x3f800000, 0xc0400000]
;! in v5 = u32[0x40000000]
v_dual_max_num_f32 v4, v4, v5 :: v_dual_min_num_f32 v5, v5, v4  ;= v4 = u32[0x40000000, 0x40000000]  ;= v5 = u32[0x3f800000, 0xc0400000]
