; Atomics with and without result in LDS, flat, global and buffer memory, of 32 and 64 bits. One cell per lane, of four lanes.
;! by spec, pseudocode of the CDNA2 and RDNA2 manuals, DS, FLAT, MUBUF

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
;! given exec 0xf
;! given memory v[2:3] step 4 = u32[5, 0xffffffff, 0x80000000, 0]
;! given in v8 = u32[3, 7, 0xffffffff, 9]
flat_atomic_add v[2:3], v8  ;= memory = u32[8, 6, 0x7fffffff, 9]
flat_atomic_add v0, v[2:3], v8 glc  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[8, 6, 0x7fffffff, 9]
global_atomic_add v[2:3], v8, off  ;= memory = u32[8, 6, 0x7fffffff, 9]
global_atomic_add v0, v[2:3], v8, off glc  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[8, 6, 0x7fffffff, 9]
;! given
;! given exec 0xf
;! given memory s[8:11] = u32[5, 0xffffffff, 0x80000000, 0]
;! given in v1 = u32[0, 4, 8, 0xc]
;! given in v8 = u32[3, 7, 0xffffffff, 9]
buffer_atomic_add v8, v1, s[8:11], 0 offen  ;= memory = u32[8, 6, 0x7fffffff, 9]
buffer_atomic_add v8, v1, s[8:11], 0 offen glc  ;= v8 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[8, 6, 0x7fffffff, 9]
;! given
;! given exec 0xf
;! given memory v[2:3] step 4 = u32[5, 0xffffffff, 0x80000000, 0]
;! given in v8 = u32[3, 7, 0xffffffff, 9]
flat_atomic_sub v[2:3], v8  ;= memory = u32[2, 0xfffffff8, 0x80000001, 0xfffffff7]
flat_atomic_sub v0, v[2:3], v8 glc  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[2, 0xfffffff8, 0x80000001, 0xfffffff7]
global_atomic_sub v[2:3], v8, off  ;= memory = u32[2, 0xfffffff8, 0x80000001, 0xfffffff7]
global_atomic_sub v0, v[2:3], v8, off glc  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[2, 0xfffffff8, 0x80000001, 0xfffffff7]
;! given
;! given exec 0xf
;! given memory s[8:11] = u32[5, 0xffffffff, 0x80000000, 0]
;! given in v1 = u32[0, 4, 8, 0xc]
;! given in v8 = u32[3, 7, 0xffffffff, 9]
buffer_atomic_sub v8, v1, s[8:11], 0 offen  ;= memory = u32[2, 0xfffffff8, 0x80000001, 0xfffffff7]
buffer_atomic_sub v8, v1, s[8:11], 0 offen glc  ;= v8 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[2, 0xfffffff8, 0x80000001, 0xfffffff7]
;! given
;! given exec 0xf
;! given memory v[2:3] step 4 = u32[5, 0xffffffff, 0x80000000, 0]
;! given in v8 = u32[3, 7, 0xffffffff, 9]
flat_atomic_smin v[2:3], v8  ;= memory = u32[3, 0xffffffff, 0x80000000, 0]
flat_atomic_smin v0, v[2:3], v8 glc  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[3, 0xffffffff, 0x80000000, 0]
global_atomic_smin v[2:3], v8, off  ;= memory = u32[3, 0xffffffff, 0x80000000, 0]
global_atomic_smin v0, v[2:3], v8, off glc  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[3, 0xffffffff, 0x80000000, 0]
;! given
;! given exec 0xf
;! given memory s[8:11] = u32[5, 0xffffffff, 0x80000000, 0]
;! given in v1 = u32[0, 4, 8, 0xc]
;! given in v8 = u32[3, 7, 0xffffffff, 9]
buffer_atomic_smin v8, v1, s[8:11], 0 offen  ;= memory = u32[3, 0xffffffff, 0x80000000, 0]
buffer_atomic_smin v8, v1, s[8:11], 0 offen glc  ;= v8 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[3, 0xffffffff, 0x80000000, 0]
;! given
;! given exec 0xf
;! given memory v[2:3] step 4 = u32[5, 0xffffffff, 0x80000000, 0]
;! given in v8 = u32[3, 7, 0xffffffff, 9]
flat_atomic_umin v[2:3], v8  ;= memory = u32[3, 7, 0x80000000, 0]
flat_atomic_umin v0, v[2:3], v8 glc  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[3, 7, 0x80000000, 0]
global_atomic_umin v[2:3], v8, off  ;= memory = u32[3, 7, 0x80000000, 0]
global_atomic_umin v0, v[2:3], v8, off glc  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[3, 7, 0x80000000, 0]
;! given
;! given exec 0xf
;! given memory s[8:11] = u32[5, 0xffffffff, 0x80000000, 0]
;! given in v1 = u32[0, 4, 8, 0xc]
;! given in v8 = u32[3, 7, 0xffffffff, 9]
buffer_atomic_umin v8, v1, s[8:11], 0 offen  ;= memory = u32[3, 7, 0x80000000, 0]
buffer_atomic_umin v8, v1, s[8:11], 0 offen glc  ;= v8 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[3, 7, 0x80000000, 0]
;! given
;! given exec 0xf
;! given memory v[2:3] step 4 = u32[5, 0xffffffff, 0x80000000, 0]
;! given in v8 = u32[3, 7, 0xffffffff, 9]
flat_atomic_smax v[2:3], v8  ;= memory = u32[5, 7, 0xffffffff, 9]
flat_atomic_smax v0, v[2:3], v8 glc  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[5, 7, 0xffffffff, 9]
global_atomic_smax v[2:3], v8, off  ;= memory = u32[5, 7, 0xffffffff, 9]
global_atomic_smax v0, v[2:3], v8, off glc  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[5, 7, 0xffffffff, 9]
;! given
;! given exec 0xf
;! given memory s[8:11] = u32[5, 0xffffffff, 0x80000000, 0]
;! given in v1 = u32[0, 4, 8, 0xc]
;! given in v8 = u32[3, 7, 0xffffffff, 9]
buffer_atomic_smax v8, v1, s[8:11], 0 offen  ;= memory = u32[5, 7, 0xffffffff, 9]
buffer_atomic_smax v8, v1, s[8:11], 0 offen glc  ;= v8 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[5, 7, 0xffffffff, 9]
;! given
;! given exec 0xf
;! given memory v[2:3] step 4 = u32[5, 0xffffffff, 0x80000000, 0]
;! given in v8 = u32[3, 7, 0xffffffff, 9]
flat_atomic_umax v[2:3], v8  ;= memory = u32[5, 0xffffffff, 0xffffffff, 9]
flat_atomic_umax v0, v[2:3], v8 glc  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[5, 0xffffffff, 0xffffffff, 9]
global_atomic_umax v[2:3], v8, off  ;= memory = u32[5, 0xffffffff, 0xffffffff, 9]
global_atomic_umax v0, v[2:3], v8, off glc  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[5, 0xffffffff, 0xffffffff, 9]
;! given
;! given exec 0xf
;! given memory s[8:11] = u32[5, 0xffffffff, 0x80000000, 0]
;! given in v1 = u32[0, 4, 8, 0xc]
;! given in v8 = u32[3, 7, 0xffffffff, 9]
buffer_atomic_umax v8, v1, s[8:11], 0 offen  ;= memory = u32[5, 0xffffffff, 0xffffffff, 9]
buffer_atomic_umax v8, v1, s[8:11], 0 offen glc  ;= v8 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[5, 0xffffffff, 0xffffffff, 9]
;! given
;! given exec 0xf
;! given memory v[2:3] step 4 = u32[5, 0xffffffff, 0x80000000, 0]
;! given in v8 = u32[3, 7, 0xffffffff, 9]
flat_atomic_and v[2:3], v8  ;= memory = u32[1, 7, 0x80000000, 0]
flat_atomic_and v0, v[2:3], v8 glc  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[1, 7, 0x80000000, 0]
global_atomic_and v[2:3], v8, off  ;= memory = u32[1, 7, 0x80000000, 0]
global_atomic_and v0, v[2:3], v8, off glc  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[1, 7, 0x80000000, 0]
;! given
;! given exec 0xf
;! given memory s[8:11] = u32[5, 0xffffffff, 0x80000000, 0]
;! given in v1 = u32[0, 4, 8, 0xc]
;! given in v8 = u32[3, 7, 0xffffffff, 9]
buffer_atomic_and v8, v1, s[8:11], 0 offen  ;= memory = u32[1, 7, 0x80000000, 0]
buffer_atomic_and v8, v1, s[8:11], 0 offen glc  ;= v8 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[1, 7, 0x80000000, 0]
;! given
;! given exec 0xf
;! given memory v[2:3] step 4 = u32[5, 0xffffffff, 0x80000000, 0]
;! given in v8 = u32[3, 7, 0xffffffff, 9]
flat_atomic_or v[2:3], v8  ;= memory = u32[7, 0xffffffff, 0xffffffff, 9]
flat_atomic_or v0, v[2:3], v8 glc  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[7, 0xffffffff, 0xffffffff, 9]
global_atomic_or v[2:3], v8, off  ;= memory = u32[7, 0xffffffff, 0xffffffff, 9]
global_atomic_or v0, v[2:3], v8, off glc  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[7, 0xffffffff, 0xffffffff, 9]
;! given
;! given exec 0xf
;! given memory s[8:11] = u32[5, 0xffffffff, 0x80000000, 0]
;! given in v1 = u32[0, 4, 8, 0xc]
;! given in v8 = u32[3, 7, 0xffffffff, 9]
buffer_atomic_or v8, v1, s[8:11], 0 offen  ;= memory = u32[7, 0xffffffff, 0xffffffff, 9]
buffer_atomic_or v8, v1, s[8:11], 0 offen glc  ;= v8 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[7, 0xffffffff, 0xffffffff, 9]
;! given
;! given exec 0xf
;! given memory v[2:3] step 4 = u32[5, 0xffffffff, 0x80000000, 0]
;! given in v8 = u32[3, 7, 0xffffffff, 9]
flat_atomic_xor v[2:3], v8  ;= memory = u32[6, 0xfffffff8, 0x7fffffff, 9]
flat_atomic_xor v0, v[2:3], v8 glc  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[6, 0xfffffff8, 0x7fffffff, 9]
global_atomic_xor v[2:3], v8, off  ;= memory = u32[6, 0xfffffff8, 0x7fffffff, 9]
global_atomic_xor v0, v[2:3], v8, off glc  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[6, 0xfffffff8, 0x7fffffff, 9]
;! given
;! given exec 0xf
;! given memory s[8:11] = u32[5, 0xffffffff, 0x80000000, 0]
;! given in v1 = u32[0, 4, 8, 0xc]
;! given in v8 = u32[3, 7, 0xffffffff, 9]
buffer_atomic_xor v8, v1, s[8:11], 0 offen  ;= memory = u32[6, 0xfffffff8, 0x7fffffff, 9]
buffer_atomic_xor v8, v1, s[8:11], 0 offen glc  ;= v8 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[6, 0xfffffff8, 0x7fffffff, 9]
;! given
;! given exec 0xf
;! given memory v[2:3] step 4 = u32[5, 0xffffffff, 0x80000000, 0]
;! given in v8 = u32[3, 7, 0xffffffff, 9]
flat_atomic_inc v[2:3], v8  ;= memory = u32[0, 0, 0x80000001, 1]
flat_atomic_inc v0, v[2:3], v8 glc  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[0, 0, 0x80000001, 1]
global_atomic_inc v[2:3], v8, off  ;= memory = u32[0, 0, 0x80000001, 1]
global_atomic_inc v0, v[2:3], v8, off glc  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[0, 0, 0x80000001, 1]
;! given
;! given exec 0xf
;! given memory s[8:11] = u32[5, 0xffffffff, 0x80000000, 0]
;! given in v1 = u32[0, 4, 8, 0xc]
;! given in v8 = u32[3, 7, 0xffffffff, 9]
buffer_atomic_inc v8, v1, s[8:11], 0 offen  ;= memory = u32[0, 0, 0x80000001, 1]
buffer_atomic_inc v8, v1, s[8:11], 0 offen glc  ;= v8 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[0, 0, 0x80000001, 1]
;! given
;! given exec 0xf
;! given memory v[2:3] step 4 = u32[5, 0xffffffff, 0x80000000, 0]
;! given in v8 = u32[3, 7, 0xffffffff, 9]
flat_atomic_dec v[2:3], v8  ;= memory = u32[3, 7, 0x7fffffff, 9]
flat_atomic_dec v0, v[2:3], v8 glc  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[3, 7, 0x7fffffff, 9]
global_atomic_dec v[2:3], v8, off  ;= memory = u32[3, 7, 0x7fffffff, 9]
global_atomic_dec v0, v[2:3], v8, off glc  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[3, 7, 0x7fffffff, 9]
;! given
;! given exec 0xf
;! given memory s[8:11] = u32[5, 0xffffffff, 0x80000000, 0]
;! given in v1 = u32[0, 4, 8, 0xc]
;! given in v8 = u32[3, 7, 0xffffffff, 9]
buffer_atomic_dec v8, v1, s[8:11], 0 offen  ;= memory = u32[3, 7, 0x7fffffff, 9]
buffer_atomic_dec v8, v1, s[8:11], 0 offen glc  ;= v8 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[3, 7, 0x7fffffff, 9]
;! given
;! given exec 0xf
;! given memory v[2:3] step 4 = u32[5, 0xffffffff, 0x80000000, 0]
;! given in v8 = u32[3, 7, 0xffffffff, 9]
flat_atomic_swap v[2:3], v8  ;= memory = u32[3, 7, 0xffffffff, 9]
flat_atomic_swap v0, v[2:3], v8 glc  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[3, 7, 0xffffffff, 9]
global_atomic_swap v[2:3], v8, off  ;= memory = u32[3, 7, 0xffffffff, 9]
global_atomic_swap v0, v[2:3], v8, off glc  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[3, 7, 0xffffffff, 9]
;! given
;! given exec 0xf
;! given memory s[8:11] = u32[5, 0xffffffff, 0x80000000, 0]
;! given in v1 = u32[0, 4, 8, 0xc]
;! given in v8 = u32[3, 7, 0xffffffff, 9]
buffer_atomic_swap v8, v1, s[8:11], 0 offen  ;= memory = u32[3, 7, 0xffffffff, 9]
buffer_atomic_swap v8, v1, s[8:11], 0 offen glc  ;= v8 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[3, 7, 0xffffffff, 9]
;! given
;! given exec 0xf
;! given memory v[2:3] step 4 = u32[5, 0xffffffff, 0x80000000, 0]
;! given in v8 = u32[3, 7, 0xffffffff, 9]
;! given in v9 = u32[5, 0, 0x80000000, 1]
flat_atomic_cmpswap v[2:3], v[8:9]  ;= memory = u32[3, 0xffffffff, 0xffffffff, 0]
flat_atomic_cmpswap v0, v[2:3], v[8:9] glc  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[3, 0xffffffff, 0xffffffff, 0]
global_atomic_cmpswap v[2:3], v[8:9], off  ;= memory = u32[3, 0xffffffff, 0xffffffff, 0]
global_atomic_cmpswap v0, v[2:3], v[8:9], off glc  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[3, 0xffffffff, 0xffffffff, 0]
;! given
;! given exec 0xf
;! given memory s[8:11] = u32[5, 0xffffffff, 0x80000000, 0]
;! given in v1 = u32[0, 4, 8, 0xc]
;! given in v8 = u32[3, 7, 0xffffffff, 9]
;! given in v9 = u32[5, 0, 0x80000000, 1]
buffer_atomic_cmpswap v[8:9], v1, s[8:11], 0 offen  ;= memory = u32[3, 0xffffffff, 0xffffffff, 0]
buffer_atomic_cmpswap v[8:9], v1, s[8:11], 0 offen glc  ;= v8 = u32[5, 0xffffffff, 0x80000000, 0]  ;= memory = u32[3, 0xffffffff, 0xffffffff, 0]
;! given
;! given exec 0xf
;! given lds = u32[5, 0xffffffff, 0x80000000, 0]
;! given in v1 = u32[0, 4, 8, 0xc]
;! given in v8 = u32[3, 7, 0xffffffff, 9]
ds_add_u32 v1, v8  ;= lds = u32[8, 6, 0x7fffffff, 9]
ds_add_rtn_u32 v0, v1, v8  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= lds = u32[8, 6, 0x7fffffff, 9]
ds_sub_u32 v1, v8  ;= lds = u32[2, 0xfffffff8, 0x80000001, 0xfffffff7]
ds_sub_rtn_u32 v0, v1, v8  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= lds = u32[2, 0xfffffff8, 0x80000001, 0xfffffff7]
ds_min_i32 v1, v8  ;= lds = u32[3, 0xffffffff, 0x80000000, 0]
ds_min_rtn_i32 v0, v1, v8  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= lds = u32[3, 0xffffffff, 0x80000000, 0]
ds_min_u32 v1, v8  ;= lds = u32[3, 7, 0x80000000, 0]
ds_min_rtn_u32 v0, v1, v8  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= lds = u32[3, 7, 0x80000000, 0]
ds_max_i32 v1, v8  ;= lds = u32[5, 7, 0xffffffff, 9]
ds_max_rtn_i32 v0, v1, v8  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= lds = u32[5, 7, 0xffffffff, 9]
ds_max_u32 v1, v8  ;= lds = u32[5, 0xffffffff, 0xffffffff, 9]
ds_max_rtn_u32 v0, v1, v8  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= lds = u32[5, 0xffffffff, 0xffffffff, 9]
ds_and_b32 v1, v8  ;= lds = u32[1, 7, 0x80000000, 0]
ds_and_rtn_b32 v0, v1, v8  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= lds = u32[1, 7, 0x80000000, 0]
ds_or_b32 v1, v8  ;= lds = u32[7, 0xffffffff, 0xffffffff, 9]
ds_or_rtn_b32 v0, v1, v8  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= lds = u32[7, 0xffffffff, 0xffffffff, 9]
ds_xor_b32 v1, v8  ;= lds = u32[6, 0xfffffff8, 0x7fffffff, 9]
ds_xor_rtn_b32 v0, v1, v8  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= lds = u32[6, 0xfffffff8, 0x7fffffff, 9]
ds_inc_u32 v1, v8  ;= lds = u32[0, 0, 0x80000001, 1]
ds_inc_rtn_u32 v0, v1, v8  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= lds = u32[0, 0, 0x80000001, 1]
ds_dec_u32 v1, v8  ;= lds = u32[3, 7, 0x7fffffff, 9]
ds_dec_rtn_u32 v0, v1, v8  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= lds = u32[3, 7, 0x7fffffff, 9]
ds_rsub_u32 v1, v8  ;= lds = u32[0xfffffffe, 8, 0x7fffffff, 9]
ds_rsub_rtn_u32 v0, v1, v8  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= lds = u32[0xfffffffe, 8, 0x7fffffff, 9]
;! given
;! given exec 0xf
;! given lds = u32[5, 0xffffffff, 0x80000000, 0]
;! given in v1 = u32[0, 4, 8, 0xc]
;! given in v8 = u32[5, 0, 0x80000000, 1]
;! given in v10 = u32[3, 7, 0xffffffff, 9]
ds_cmpst_b32 v1, v8, v10  ;= lds = u32[3, 0xffffffff, 0xffffffff, 0]
ds_cmpst_rtn_b32 v0, v1, v8, v10  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= lds = u32[3, 0xffffffff, 0xffffffff, 0]
ds_mskor_b32 v1, v8, v10  ;= lds = u32[3, 0xffffffff, 0xffffffff, 9]
ds_mskor_rtn_b32 v0, v1, v8, v10  ;= v0 = u32[5, 0xffffffff, 0x80000000, 0]  ;= lds = u32[3, 0xffffffff, 0xffffffff, 9]
;! given
;! given exec 0xf
;! lds = u32[0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x6b]
;! in v2 = u32[0, 8, 0x10, 0x18]
;! in v8 = u32[3, 7, 0xffffffff, 9]
;! in v10 = u32[5, 0, 0x80000000, 1]
ds_wrxchg2_rtn_b32 v[0:1], v2, v8, v10 offset0:0 offset1:1
;= v0 = u32[0x64, 0x66, 0x68, 0x6a]
;= v1 = u32[0x65, 0x67, 0x69, 0x6b]
;= lds = u32[3, 5, 7, 0, 0xffffffff, 0x80000000, 9, 1]

;! given memory v[2:3] step 8 = u32[5, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
;! given in v[8:9] = u64[3, 7, 0xffffffffffffffff, 9]
flat_atomic_add_x2 v[2:3], v[8:9]  ;= memory = u32[8, 0, 6, 0, 0xffffffff, 0x7fffffff, 9, 0]
flat_atomic_add_x2 v[0:1], v[2:3], v[8:9] glc  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[8, 0, 6, 0, 0xffffffff, 0x7fffffff, 9, 0]
global_atomic_add_x2 v[2:3], v[8:9], off  ;= memory = u32[8, 0, 6, 0, 0xffffffff, 0x7fffffff, 9, 0]
global_atomic_add_x2 v[0:1], v[2:3], v[8:9], off glc  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[8, 0, 6, 0, 0xffffffff, 0x7fffffff, 9, 0]
;! given
;! given exec 0xf
;! given memory s[8:11] = u32[5, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
;! given in v1 = u32[0, 8, 0x10, 0x18]
;! given in v[8:9] = u64[3, 7, 0xffffffffffffffff, 9]
buffer_atomic_add_x2 v[8:9], v1, s[8:11], 0 offen  ;= memory = u32[8, 0, 6, 0, 0xffffffff, 0x7fffffff, 9, 0]
buffer_atomic_add_x2 v[8:9], v1, s[8:11], 0 offen glc  ;= v[8:9] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[8, 0, 6, 0, 0xffffffff, 0x7fffffff, 9, 0]
;! given
;! given exec 0xf
;! given memory v[2:3] step 8 = u32[5, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
;! given in v[8:9] = u64[3, 7, 0xffffffffffffffff, 9]
flat_atomic_sub_x2 v[2:3], v[8:9]  ;= memory = u32[2, 0, 0xfffffff8, 0xffffffff, 1, 0x80000000, 0xfffffff7, 0xffffffff]
flat_atomic_sub_x2 v[0:1], v[2:3], v[8:9] glc  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[2, 0, 0xfffffff8, 0xffffffff, 1, 0x80000000, 0xfffffff7, 0xffffffff]
global_atomic_sub_x2 v[2:3], v[8:9], off  ;= memory = u32[2, 0, 0xfffffff8, 0xffffffff, 1, 0x80000000, 0xfffffff7, 0xffffffff]

global_atomic_sub_x2 v[0:1], v[2:3], v[8:9], off glc
;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]
;= memory = u32[2, 0, 0xfffffff8, 0xffffffff, 1, 0x80000000, 0xfffffff7, 0xffffffff]

;! given
;! given exec 0xf
;! given memory s[8:11] = u32[5, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
;! given in v1 = u32[0, 8, 0x10, 0x18]
;! given in v[8:9] = u64[3, 7, 0xffffffffffffffff, 9]
buffer_atomic_sub_x2 v[8:9], v1, s[8:11], 0 offen  ;= memory = u32[2, 0, 0xfffffff8, 0xffffffff, 1, 0x80000000, 0xfffffff7, 0xffffffff]

buffer_atomic_sub_x2 v[8:9], v1, s[8:11], 0 offen glc
;= v[8:9] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]
;= memory = u32[2, 0, 0xfffffff8, 0xffffffff, 1, 0x80000000, 0xfffffff7, 0xffffffff]

;! given
;! given exec 0xf
;! given memory v[2:3] step 8 = u32[5, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
;! given in v[8:9] = u64[3, 7, 0xffffffffffffffff, 9]
flat_atomic_smin_x2 v[2:3], v[8:9]  ;= memory = u32[3, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
flat_atomic_smin_x2 v[0:1], v[2:3], v[8:9] glc  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[3, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
global_atomic_smin_x2 v[2:3], v[8:9], off  ;= memory = u32[3, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
global_atomic_smin_x2 v[0:1], v[2:3], v[8:9], off glc  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[3, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
;! given
;! given exec 0xf
;! given memory s[8:11] = u32[5, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
;! given in v1 = u32[0, 8, 0x10, 0x18]
;! given in v[8:9] = u64[3, 7, 0xffffffffffffffff, 9]
buffer_atomic_smin_x2 v[8:9], v1, s[8:11], 0 offen  ;= memory = u32[3, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
buffer_atomic_smin_x2 v[8:9], v1, s[8:11], 0 offen glc  ;= v[8:9] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[3, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
;! given
;! given exec 0xf
;! given memory v[2:3] step 8 = u32[5, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
;! given in v[8:9] = u64[3, 7, 0xffffffffffffffff, 9]
flat_atomic_umin_x2 v[2:3], v[8:9]  ;= memory = u32[3, 0, 7, 0, 0, 0x80000000, 0, 0]
flat_atomic_umin_x2 v[0:1], v[2:3], v[8:9] glc  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[3, 0, 7, 0, 0, 0x80000000, 0, 0]
global_atomic_umin_x2 v[2:3], v[8:9], off  ;= memory = u32[3, 0, 7, 0, 0, 0x80000000, 0, 0]
global_atomic_umin_x2 v[0:1], v[2:3], v[8:9], off glc  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[3, 0, 7, 0, 0, 0x80000000, 0, 0]
;! given
;! given exec 0xf
;! given memory s[8:11] = u32[5, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
;! given in v1 = u32[0, 8, 0x10, 0x18]
;! given in v[8:9] = u64[3, 7, 0xffffffffffffffff, 9]
buffer_atomic_umin_x2 v[8:9], v1, s[8:11], 0 offen  ;= memory = u32[3, 0, 7, 0, 0, 0x80000000, 0, 0]
buffer_atomic_umin_x2 v[8:9], v1, s[8:11], 0 offen glc  ;= v[8:9] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[3, 0, 7, 0, 0, 0x80000000, 0, 0]
;! given
;! given exec 0xf
;! given memory v[2:3] step 8 = u32[5, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
;! given in v[8:9] = u64[3, 7, 0xffffffffffffffff, 9]
flat_atomic_smax_x2 v[2:3], v[8:9]  ;= memory = u32[5, 0, 7, 0, 0xffffffff, 0xffffffff, 9, 0]
flat_atomic_smax_x2 v[0:1], v[2:3], v[8:9] glc  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[5, 0, 7, 0, 0xffffffff, 0xffffffff, 9, 0]
global_atomic_smax_x2 v[2:3], v[8:9], off  ;= memory = u32[5, 0, 7, 0, 0xffffffff, 0xffffffff, 9, 0]
global_atomic_smax_x2 v[0:1], v[2:3], v[8:9], off glc  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[5, 0, 7, 0, 0xffffffff, 0xffffffff, 9, 0]
;! given
;! given exec 0xf
;! given memory s[8:11] = u32[5, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
;! given in v1 = u32[0, 8, 0x10, 0x18]
;! given in v[8:9] = u64[3, 7, 0xffffffffffffffff, 9]
buffer_atomic_smax_x2 v[8:9], v1, s[8:11], 0 offen  ;= memory = u32[5, 0, 7, 0, 0xffffffff, 0xffffffff, 9, 0]
buffer_atomic_smax_x2 v[8:9], v1, s[8:11], 0 offen glc  ;= v[8:9] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[5, 0, 7, 0, 0xffffffff, 0xffffffff, 9, 0]
;! given
;! given exec 0xf
;! given memory v[2:3] step 8 = u32[5, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
;! given in v[8:9] = u64[3, 7, 0xffffffffffffffff, 9]
flat_atomic_umax_x2 v[2:3], v[8:9]  ;= memory = u32[5, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 9, 0]
flat_atomic_umax_x2 v[0:1], v[2:3], v[8:9] glc  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[5, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 9, 0]
global_atomic_umax_x2 v[2:3], v[8:9], off  ;= memory = u32[5, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 9, 0]
global_atomic_umax_x2 v[0:1], v[2:3], v[8:9], off glc  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[5, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 9, 0]
;! given
;! given exec 0xf
;! given memory s[8:11] = u32[5, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
;! given in v1 = u32[0, 8, 0x10, 0x18]
;! given in v[8:9] = u64[3, 7, 0xffffffffffffffff, 9]
buffer_atomic_umax_x2 v[8:9], v1, s[8:11], 0 offen  ;= memory = u32[5, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 9, 0]
buffer_atomic_umax_x2 v[8:9], v1, s[8:11], 0 offen glc  ;= v[8:9] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[5, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 9, 0]
;! given
;! given exec 0xf
;! given memory v[2:3] step 8 = u32[5, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
;! given in v[8:9] = u64[3, 7, 0xffffffffffffffff, 9]
flat_atomic_and_x2 v[2:3], v[8:9]  ;= memory = u32[1, 0, 7, 0, 0, 0x80000000, 0, 0]
flat_atomic_and_x2 v[0:1], v[2:3], v[8:9] glc  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[1, 0, 7, 0, 0, 0x80000000, 0, 0]
global_atomic_and_x2 v[2:3], v[8:9], off  ;= memory = u32[1, 0, 7, 0, 0, 0x80000000, 0, 0]
global_atomic_and_x2 v[0:1], v[2:3], v[8:9], off glc  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[1, 0, 7, 0, 0, 0x80000000, 0, 0]
;! given
;! given exec 0xf
;! given memory s[8:11] = u32[5, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
;! given in v1 = u32[0, 8, 0x10, 0x18]
;! given in v[8:9] = u64[3, 7, 0xffffffffffffffff, 9]
buffer_atomic_and_x2 v[8:9], v1, s[8:11], 0 offen  ;= memory = u32[1, 0, 7, 0, 0, 0x80000000, 0, 0]
buffer_atomic_and_x2 v[8:9], v1, s[8:11], 0 offen glc  ;= v[8:9] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[1, 0, 7, 0, 0, 0x80000000, 0, 0]
;! given
;! given exec 0xf
;! given memory v[2:3] step 8 = u32[5, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
;! given in v[8:9] = u64[3, 7, 0xffffffffffffffff, 9]
flat_atomic_or_x2 v[2:3], v[8:9]  ;= memory = u32[7, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 9, 0]
flat_atomic_or_x2 v[0:1], v[2:3], v[8:9] glc  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[7, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 9, 0]
global_atomic_or_x2 v[2:3], v[8:9], off  ;= memory = u32[7, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 9, 0]
global_atomic_or_x2 v[0:1], v[2:3], v[8:9], off glc  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[7, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 9, 0]
;! given
;! given exec 0xf
;! given memory s[8:11] = u32[5, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
;! given in v1 = u32[0, 8, 0x10, 0x18]
;! given in v[8:9] = u64[3, 7, 0xffffffffffffffff, 9]
buffer_atomic_or_x2 v[8:9], v1, s[8:11], 0 offen  ;= memory = u32[7, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 9, 0]
buffer_atomic_or_x2 v[8:9], v1, s[8:11], 0 offen glc  ;= v[8:9] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[7, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 9, 0]
;! given
;! given exec 0xf
;! given memory v[2:3] step 8 = u32[5, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
;! given in v[8:9] = u64[3, 7, 0xffffffffffffffff, 9]
flat_atomic_xor_x2 v[2:3], v[8:9]  ;= memory = u32[6, 0, 0xfffffff8, 0xffffffff, 0xffffffff, 0x7fffffff, 9, 0]
flat_atomic_xor_x2 v[0:1], v[2:3], v[8:9] glc  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[6, 0, 0xfffffff8, 0xffffffff, 0xffffffff, 0x7fffffff, 9, 0]
global_atomic_xor_x2 v[2:3], v[8:9], off  ;= memory = u32[6, 0, 0xfffffff8, 0xffffffff, 0xffffffff, 0x7fffffff, 9, 0]
global_atomic_xor_x2 v[0:1], v[2:3], v[8:9], off glc  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[6, 0, 0xfffffff8, 0xffffffff, 0xffffffff, 0x7fffffff, 9, 0]
;! given
;! given exec 0xf
;! given memory s[8:11] = u32[5, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
;! given in v1 = u32[0, 8, 0x10, 0x18]
;! given in v[8:9] = u64[3, 7, 0xffffffffffffffff, 9]
buffer_atomic_xor_x2 v[8:9], v1, s[8:11], 0 offen  ;= memory = u32[6, 0, 0xfffffff8, 0xffffffff, 0xffffffff, 0x7fffffff, 9, 0]
buffer_atomic_xor_x2 v[8:9], v1, s[8:11], 0 offen glc  ;= v[8:9] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[6, 0, 0xfffffff8, 0xffffffff, 0xffffffff, 0x7fffffff, 9, 0]
;! given
;! given exec 0xf
;! given memory v[2:3] step 8 = u32[5, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
;! given in v[8:9] = u64[3, 7, 0xffffffffffffffff, 9]
flat_atomic_inc_x2 v[2:3], v[8:9]  ;= memory = u32[0, 0, 0, 0, 1, 0x80000000, 1, 0]
flat_atomic_inc_x2 v[0:1], v[2:3], v[8:9] glc  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[0, 0, 0, 0, 1, 0x80000000, 1, 0]
global_atomic_inc_x2 v[2:3], v[8:9], off  ;= memory = u32[0, 0, 0, 0, 1, 0x80000000, 1, 0]
global_atomic_inc_x2 v[0:1], v[2:3], v[8:9], off glc  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[0, 0, 0, 0, 1, 0x80000000, 1, 0]
;! given
;! given exec 0xf
;! given memory s[8:11] = u32[5, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
;! given in v1 = u32[0, 8, 0x10, 0x18]
;! given in v[8:9] = u64[3, 7, 0xffffffffffffffff, 9]
buffer_atomic_inc_x2 v[8:9], v1, s[8:11], 0 offen  ;= memory = u32[0, 0, 0, 0, 1, 0x80000000, 1, 0]
buffer_atomic_inc_x2 v[8:9], v1, s[8:11], 0 offen glc  ;= v[8:9] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[0, 0, 0, 0, 1, 0x80000000, 1, 0]
;! given
;! given exec 0xf
;! given memory v[2:3] step 8 = u32[5, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
;! given in v[8:9] = u64[3, 7, 0xffffffffffffffff, 9]
flat_atomic_dec_x2 v[2:3], v[8:9]  ;= memory = u32[3, 0, 7, 0, 0xffffffff, 0x7fffffff, 9, 0]
flat_atomic_dec_x2 v[0:1], v[2:3], v[8:9] glc  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[3, 0, 7, 0, 0xffffffff, 0x7fffffff, 9, 0]
global_atomic_dec_x2 v[2:3], v[8:9], off  ;= memory = u32[3, 0, 7, 0, 0xffffffff, 0x7fffffff, 9, 0]
global_atomic_dec_x2 v[0:1], v[2:3], v[8:9], off glc  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[3, 0, 7, 0, 0xffffffff, 0x7fffffff, 9, 0]
;! given
;! given exec 0xf
;! given memory s[8:11] = u32[5, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
;! given in v1 = u32[0, 8, 0x10, 0x18]
;! given in v[8:9] = u64[3, 7, 0xffffffffffffffff, 9]
buffer_atomic_dec_x2 v[8:9], v1, s[8:11], 0 offen  ;= memory = u32[3, 0, 7, 0, 0xffffffff, 0x7fffffff, 9, 0]
buffer_atomic_dec_x2 v[8:9], v1, s[8:11], 0 offen glc  ;= v[8:9] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[3, 0, 7, 0, 0xffffffff, 0x7fffffff, 9, 0]
;! given
;! given exec 0xf
;! given memory v[2:3] step 8 = u32[5, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
;! given in v[8:9] = u64[3, 7, 0xffffffffffffffff, 9]
flat_atomic_swap_x2 v[2:3], v[8:9]  ;= memory = u32[3, 0, 7, 0, 0xffffffff, 0xffffffff, 9, 0]
flat_atomic_swap_x2 v[0:1], v[2:3], v[8:9] glc  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[3, 0, 7, 0, 0xffffffff, 0xffffffff, 9, 0]
global_atomic_swap_x2 v[2:3], v[8:9], off  ;= memory = u32[3, 0, 7, 0, 0xffffffff, 0xffffffff, 9, 0]
global_atomic_swap_x2 v[0:1], v[2:3], v[8:9], off glc  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[3, 0, 7, 0, 0xffffffff, 0xffffffff, 9, 0]
;! given
;! given exec 0xf
;! given memory s[8:11] = u32[5, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
;! given in v1 = u32[0, 8, 0x10, 0x18]
;! given in v[8:9] = u64[3, 7, 0xffffffffffffffff, 9]
buffer_atomic_swap_x2 v[8:9], v1, s[8:11], 0 offen  ;= memory = u32[3, 0, 7, 0, 0xffffffff, 0xffffffff, 9, 0]
buffer_atomic_swap_x2 v[8:9], v1, s[8:11], 0 offen glc  ;= v[8:9] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[3, 0, 7, 0, 0xffffffff, 0xffffffff, 9, 0]
;! given
;! given exec 0xf
;! given memory v[2:3] step 8 = u32[5, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
;! given in v[8:9] = u64[3, 7, 0xffffffffffffffff, 9]
;! given in v[10:11] = u64[5, 0, 0x8000000000000000, 1]
flat_atomic_cmpswap_x2 v[2:3], v[8:11]  ;= memory = u32[3, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0, 0]
flat_atomic_cmpswap_x2 v[0:1], v[2:3], v[8:11] glc  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[3, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0, 0]
global_atomic_cmpswap_x2 v[2:3], v[8:11], off  ;= memory = u32[3, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0, 0]
global_atomic_cmpswap_x2 v[0:1], v[2:3], v[8:11], off glc  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[3, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0, 0]
;! given
;! given exec 0xf
;! given memory s[8:11] = u32[5, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
;! given in v1 = u32[0, 8, 0x10, 0x18]
;! given in v[8:9] = u64[3, 7, 0xffffffffffffffff, 9]
;! given in v[10:11] = u64[5, 0, 0x8000000000000000, 1]
buffer_atomic_cmpswap_x2 v[8:11], v1, s[8:11], 0 offen  ;= memory = u32[3, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0, 0]
buffer_atomic_cmpswap_x2 v[8:11], v1, s[8:11], 0 offen glc  ;= v[8:9] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= memory = u32[3, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0, 0]
;! given
;! given exec 0xf
;! given lds = u32[5, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
;! given in v1 = u32[0, 8, 0x10, 0x18]
;! given in v[8:9] = u64[3, 7, 0xffffffffffffffff, 9]
ds_add_u64 v1, v[8:9]  ;= lds = u32[8, 0, 6, 0, 0xffffffff, 0x7fffffff, 9, 0]
ds_add_rtn_u64 v[0:1], v1, v[8:9]  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= lds = u32[8, 0, 6, 0, 0xffffffff, 0x7fffffff, 9, 0]
ds_sub_u64 v1, v[8:9]  ;= lds = u32[2, 0, 0xfffffff8, 0xffffffff, 1, 0x80000000, 0xfffffff7, 0xffffffff]
ds_sub_rtn_u64 v[0:1], v1, v[8:9]  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= lds = u32[2, 0, 0xfffffff8, 0xffffffff, 1, 0x80000000, 0xfffffff7, 0xffffffff]
ds_min_i64 v1, v[8:9]  ;= lds = u32[3, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
ds_min_rtn_i64 v[0:1], v1, v[8:9]  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= lds = u32[3, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
ds_min_u64 v1, v[8:9]  ;= lds = u32[3, 0, 7, 0, 0, 0x80000000, 0, 0]
ds_min_rtn_u64 v[0:1], v1, v[8:9]  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= lds = u32[3, 0, 7, 0, 0, 0x80000000, 0, 0]
ds_max_i64 v1, v[8:9]  ;= lds = u32[5, 0, 7, 0, 0xffffffff, 0xffffffff, 9, 0]
ds_max_rtn_i64 v[0:1], v1, v[8:9]  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= lds = u32[5, 0, 7, 0, 0xffffffff, 0xffffffff, 9, 0]
ds_max_u64 v1, v[8:9]  ;= lds = u32[5, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 9, 0]
ds_max_rtn_u64 v[0:1], v1, v[8:9]  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= lds = u32[5, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 9, 0]
ds_and_b64 v1, v[8:9]  ;= lds = u32[1, 0, 7, 0, 0, 0x80000000, 0, 0]
ds_and_rtn_b64 v[0:1], v1, v[8:9]  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= lds = u32[1, 0, 7, 0, 0, 0x80000000, 0, 0]
ds_or_b64 v1, v[8:9]  ;= lds = u32[7, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 9, 0]
ds_or_rtn_b64 v[0:1], v1, v[8:9]  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= lds = u32[7, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 9, 0]
ds_xor_b64 v1, v[8:9]  ;= lds = u32[6, 0, 0xfffffff8, 0xffffffff, 0xffffffff, 0x7fffffff, 9, 0]
ds_xor_rtn_b64 v[0:1], v1, v[8:9]  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= lds = u32[6, 0, 0xfffffff8, 0xffffffff, 0xffffffff, 0x7fffffff, 9, 0]
ds_inc_u64 v1, v[8:9]  ;= lds = u32[0, 0, 0, 0, 1, 0x80000000, 1, 0]
ds_inc_rtn_u64 v[0:1], v1, v[8:9]  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= lds = u32[0, 0, 0, 0, 1, 0x80000000, 1, 0]
ds_dec_u64 v1, v[8:9]  ;= lds = u32[3, 0, 7, 0, 0xffffffff, 0x7fffffff, 9, 0]
ds_dec_rtn_u64 v[0:1], v1, v[8:9]  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= lds = u32[3, 0, 7, 0, 0xffffffff, 0x7fffffff, 9, 0]
ds_rsub_u64 v1, v[8:9]  ;= lds = u32[0xfffffffe, 0xffffffff, 8, 0, 0xffffffff, 0x7fffffff, 9, 0]
ds_rsub_rtn_u64 v[0:1], v1, v[8:9]  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= lds = u32[0xfffffffe, 0xffffffff, 8, 0, 0xffffffff, 0x7fffffff, 9, 0]
;! given
;! given exec 0xf
;! given lds = u32[5, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 0, 0]
;! given in v1 = u32[0, 8, 0x10, 0x18]
;! given in v[8:9] = u64[5, 0, 0x8000000000000000, 1]
;! given in v[10:11] = u64[3, 7, 0xffffffffffffffff, 9]
ds_cmpst_b64 v1, v[8:9], v[10:11]  ;= lds = u32[3, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0, 0]
ds_cmpst_rtn_b64 v[0:1], v1, v[8:9], v[10:11]  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= lds = u32[3, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0, 0]
ds_mskor_b64 v1, v[8:9], v[10:11]  ;= lds = u32[3, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 9, 0]
ds_mskor_rtn_b64 v[0:1], v1, v[8:9], v[10:11]  ;= v[0:1] = u64[5, 0xffffffffffffffff, 0x8000000000000000, 0]  ;= lds = u32[3, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 9, 0]
;! given
;! given exec 0xf
;! lds = u32[0x64, 0, 0x65, 0, 0x66, 0, 0x67, 0, 0x68, 0, 0x69, 0, 0x6a, 0, 0x6b, 0]
;! in v1 = u32[0, 0x10, 0x20, 0x30]
;! in v[8:9] = u64[3, 7, 0xffffffffffffffff, 9]
;! in v[10:11] = u64[5, 0, 0x8000000000000000, 1]
ds_wrxchg2_rtn_b64 v[0:3], v1, v[8:9], v[10:11] offset0:0 offset1:1
;= v[0:1] = u64[0x64, 0x66, 0x68, 0x6a]
;= v[2:3] = u64[0x65, 0x67, 0x69, 0x6b]
;= lds = u32[3, 0, 5, 0, 7, 0, 0, 0, 0xffffffff, 0xffffffff, 0, 0x80000000, 9, 0, 1, 0]

;! lds = u32[0x3fc00000, 0xc0000000, 0x41000000, 0x3e800000]
;! in v1 = u32[0, 4, 8, 0xc]
;! in v8 = u32[0x40200000, 0xc0400000, 0xc1000000, 0x3f000000]
ds_add_f32 v1, v8  ;= lds = u32[0x40800000, 0xc0a00000, 0, 0x3f400000]

;! lds = u32[0x3fc00000, 0xc0000000, 0x41000000, 0x3e800000]
;! in v1 = u32[0, 4, 8, 0xc]
;! in v8 = u32[0x40200000, 0xc0400000, 0xc1000000, 0x3f000000]
ds_add_rtn_f32 v0, v1, v8  ;= v0 = u32[0x3fc00000, 0xc0000000, 0x41000000, 0x3e800000]  ;= lds = u32[0x40800000, 0xc0a00000, 0, 0x3f400000]

;! target gfx908 gfx90a gfx942 gfx950
;! memory v[2:3] step 4 = u32[0x3fc00000, 0xc0000000, 0x41000000, 0x3e800000]
;! in v8 = u32[0x40200000, 0xc0400000, 0xc1000000, 0x3f000000]
global_atomic_add_f32 v[2:3], v8, off  ;= memory = u32[0x40800000, 0xc0a00000, 0, 0x3f400000]

;! target gfx90a gfx942 gfx950
;! memory v[2:3] step 4 = u32[0x3fc00000, 0xc0000000, 0x41000000, 0x3e800000]
;! in v8 = u32[0x40200000, 0xc0400000, 0xc1000000, 0x3f000000]
global_atomic_add_f32 v0, v[2:3], v8, off glc
;= v0 = u32[0x3fc00000, 0xc0000000, 0x41000000, 0x3e800000]
;= memory = u32[0x40800000, 0xc0a00000, 0, 0x3f400000]

;! target gfx908 gfx90a gfx942 gfx950
;! memory s[8:11] = u32[0x3fc00000, 0xc0000000, 0x41000000, 0x3e800000]
;! in v1 = u32[0, 4, 8, 0xc]
;! in v8 = u32[0x40200000, 0xc0400000, 0xc1000000, 0x3f000000]
buffer_atomic_add_f32 v8, v1, s[8:11], 0 offen  ;= memory = u32[0x40800000, 0xc0a00000, 0, 0x3f400000]

;! target gfx90a gfx942 gfx950
;! memory s[8:11] = u32[0x3fc00000, 0xc0000000, 0x41000000, 0x3e800000]
;! in v1 = u32[0, 4, 8, 0xc]
;! in v8 = u32[0x40200000, 0xc0400000, 0xc1000000, 0x3f000000]
buffer_atomic_add_f32 v8, v1, s[8:11], 0 offen glc
;= v8 = u32[0x3fc00000, 0xc0000000, 0x41000000, 0x3e800000]
;= memory = u32[0x40800000, 0xc0a00000, 0, 0x3f400000]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
;! lds = u32[0x3fc00000, 0xc0000000, 0x41000000, 0x3e800000]
;! in v1 = u32[0, 4, 8, 0xc]
;! in v8 = u32[0x40200000, 0xc0400000, 0xc1000000, 0x3f000000]
ds_min_f32 v1, v8  ;= lds = u32[0x3fc00000, 0xc0400000, 0xc1000000, 0x3e800000]

;! lds = u32[0x3fc00000, 0xc0000000, 0x41000000, 0x3e800000]
;! in v1 = u32[0, 4, 8, 0xc]
;! in v8 = u32[0x40200000, 0xc0400000, 0xc1000000, 0x3f000000]
ds_min_rtn_f32 v0, v1, v8  ;= v0 = u32[0x3fc00000, 0xc0000000, 0x41000000, 0x3e800000]  ;= lds = u32[0x3fc00000, 0xc0400000, 0xc1000000, 0x3e800000]

;! target gfx1030
;! given memory v[2:3] step 4 = u32[0x3fc00000, 0xc0000000, 0x41000000, 0x3e800000]
;! given in v8 = u32[0x40200000, 0xc0400000, 0xc1000000, 0x3f000000]
flat_atomic_fmin v[2:3], v8  ;= memory = u32[0x3fc00000, 0xc0400000, 0xc1000000, 0x3e800000]
flat_atomic_fmin v0, v[2:3], v8 glc  ;= v0 = u32[0x3fc00000, 0xc0000000, 0x41000000, 0x3e800000]  ;= memory = u32[0x3fc00000, 0xc0400000, 0xc1000000, 0x3e800000]
global_atomic_fmin v[2:3], v8, off  ;= memory = u32[0x3fc00000, 0xc0400000, 0xc1000000, 0x3e800000]
global_atomic_fmin v0, v[2:3], v8, off glc  ;= v0 = u32[0x3fc00000, 0xc0000000, 0x41000000, 0x3e800000]  ;= memory = u32[0x3fc00000, 0xc0400000, 0xc1000000, 0x3e800000]
;! given
;! given exec 0xf
;! given memory s[8:11] = u32[0x3fc00000, 0xc0000000, 0x41000000, 0x3e800000]
;! given in v1 = u32[0, 4, 8, 0xc]
;! given in v8 = u32[0x40200000, 0xc0400000, 0xc1000000, 0x3f000000]
buffer_atomic_fmin v8, v1, s[8:11], 0 offen  ;= memory = u32[0x3fc00000, 0xc0400000, 0xc1000000, 0x3e800000]
buffer_atomic_fmin v8, v1, s[8:11], 0 offen glc  ;= v8 = u32[0x3fc00000, 0xc0000000, 0x41000000, 0x3e800000]  ;= memory = u32[0x3fc00000, 0xc0400000, 0xc1000000, 0x3e800000]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
;! given
;! given exec 0xf
;! given lds = u32[0x3fc00000, 0xc0000000, 0x41000000, 0x3e800000]
;! given in v1 = u32[0, 4, 8, 0xc]
;! given in v8 = u32[0x40200000, 0xc0400000, 0xc1000000, 0x3f000000]
ds_max_f32 v1, v8  ;= lds = u32[0x40200000, 0xc0000000, 0x41000000, 0x3f000000]
ds_max_rtn_f32 v0, v1, v8  ;= v0 = u32[0x3fc00000, 0xc0000000, 0x41000000, 0x3e800000]  ;= lds = u32[0x40200000, 0xc0000000, 0x41000000, 0x3f000000]
;! target gfx1030
;! given
;! given exec 0xf
;! given memory v[2:3] step 4 = u32[0x3fc00000, 0xc0000000, 0x41000000, 0x3e800000]
;! given in v8 = u32[0x40200000, 0xc0400000, 0xc1000000, 0x3f000000]
flat_atomic_fmax v[2:3], v8  ;= memory = u32[0x40200000, 0xc0000000, 0x41000000, 0x3f000000]
flat_atomic_fmax v0, v[2:3], v8 glc  ;= v0 = u32[0x3fc00000, 0xc0000000, 0x41000000, 0x3e800000]  ;= memory = u32[0x40200000, 0xc0000000, 0x41000000, 0x3f000000]
global_atomic_fmax v[2:3], v8, off  ;= memory = u32[0x40200000, 0xc0000000, 0x41000000, 0x3f000000]
global_atomic_fmax v0, v[2:3], v8, off glc  ;= v0 = u32[0x3fc00000, 0xc0000000, 0x41000000, 0x3e800000]  ;= memory = u32[0x40200000, 0xc0000000, 0x41000000, 0x3f000000]
;! given
;! given exec 0xf
;! given memory s[8:11] = u32[0x3fc00000, 0xc0000000, 0x41000000, 0x3e800000]
;! given in v1 = u32[0, 4, 8, 0xc]
;! given in v8 = u32[0x40200000, 0xc0400000, 0xc1000000, 0x3f000000]
buffer_atomic_fmax v8, v1, s[8:11], 0 offen  ;= memory = u32[0x40200000, 0xc0000000, 0x41000000, 0x3f000000]
buffer_atomic_fmax v8, v1, s[8:11], 0 offen glc  ;= v8 = u32[0x3fc00000, 0xc0000000, 0x41000000, 0x3e800000]  ;= memory = u32[0x40200000, 0xc0000000, 0x41000000, 0x3f000000]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
;! given
;! given exec 0xf
;! given lds = u32[0x3fc00000, 0xc0000000, 0x41000000, 0x3e800000]
;! given in v1 = u32[0, 4, 8, 0xc]
;! given in v8 = u32[0x3fc00000, 0, 0x41000000, 0x3f000000]
;! given in v10 = u32[0x40200000, 0xc0400000, 0xc1000000, 0x3f000000]
ds_cmpst_f32 v1, v8, v10  ;= lds = u32[0x40200000, 0xc0000000, 0xc1000000, 0x3e800000]
ds_cmpst_rtn_f32 v0, v1, v8, v10  ;= v0 = u32[0x3fc00000, 0xc0000000, 0x41000000, 0x3e800000]  ;= lds = u32[0x40200000, 0xc0000000, 0xc1000000, 0x3e800000]
;! target gfx1030
;! given
;! given exec 0xf
;! given memory v[2:3] step 4 = u32[0x3fc00000, 0xc0000000, 0x41000000, 0x3e800000]
;! given in v8 = u32[0x40200000, 0xc0400000, 0xc1000000, 0x3f000000]
;! given in v9 = u32[0x3fc00000, 0, 0x41000000, 0x3f000000]
flat_atomic_fcmpswap v[2:3], v[8:9]  ;= memory = u32[0x40200000, 0xc0000000, 0xc1000000, 0x3e800000]
global_atomic_fcmpswap v[2:3], v[8:9], off  ;= memory = u32[0x40200000, 0xc0000000, 0xc1000000, 0x3e800000]
;! given
;! given exec 0xf
;! memory s[8:11] = u32[0x3fc00000, 0xc0000000, 0x41000000, 0x3e800000]
;! in v1 = u32[0, 4, 8, 0xc]
;! in v8 = u32[0x40200000, 0xc0400000, 0xc1000000, 0x3f000000]
;! in v9 = u32[0x3fc00000, 0, 0x41000000, 0x3f000000]
buffer_atomic_fcmpswap v[8:9], v1, s[8:11], 0 offen  ;= memory = u32[0x40200000, 0xc0000000, 0xc1000000, 0x3e800000]

;! target gfx90a gfx942 gfx950
;! lds = u32[0, 0x3ff80000, 0, 0xc0000000, 0, 0x40200000, 0, 0x3fd00000]
;! in v1 = u32[0, 8, 0x10, 0x18]
;! in v[8:9] = u64[0x4004000000000000, 0xc008000000000000, 0xc020000000000000, 0x3fe0000000000000]
ds_add_f64 v1, v[8:9]  ;= lds = u32[0, 0x40100000, 0, 0xc0140000, 0, 0, 0, 0x3fe80000]

;! lds = u32[0, 0x3ff80000, 0, 0xc0000000, 0, 0x40200000, 0, 0x3fd00000]
;! in v1 = u32[0, 8, 0x10, 0x18]
;! in v[8:9] = u64[0x4004000000000000, 0xc008000000000000, 0xc020000000000000, 0x3fe0000000000000]
ds_add_rtn_f64 v[0:1], v1, v[8:9]
;= v[0:1] = u64[0x3ff8000000000000, 0xc000000000000000, 0x4020000000000000, 0x3fd0000000000000]
;= lds = u32[0, 0x40100000, 0, 0xc0140000, 0, 0, 0, 0x3fe80000]

;! given memory v[2:3] step 8 = u32[0, 0x3ff80000, 0, 0xc0000000, 0, 0x40200000, 0, 0x3fd00000]
;! given in v[8:9] = u64[0x4004000000000000, 0xc008000000000000, 0xc020000000000000, 0x3fe0000000000000]
flat_atomic_add_f64 v[2:3], v[8:9]  ;= memory = u32[0, 0x40100000, 0, 0xc0140000, 0, 0, 0, 0x3fe80000]

flat_atomic_add_f64 v[0:1], v[2:3], v[8:9] glc
;= v[0:1] = u64[0x3ff8000000000000, 0xc000000000000000, 0x4020000000000000, 0x3fd0000000000000]
;= memory = u32[0, 0x40100000, 0, 0xc0140000, 0, 0, 0, 0x3fe80000]

global_atomic_add_f64 v[2:3], v[8:9], off  ;= memory = u32[0, 0x40100000, 0, 0xc0140000, 0, 0, 0, 0x3fe80000]

global_atomic_add_f64 v[0:1], v[2:3], v[8:9], off glc
;= v[0:1] = u64[0x3ff8000000000000, 0xc000000000000000, 0x4020000000000000, 0x3fd0000000000000]
;= memory = u32[0, 0x40100000, 0, 0xc0140000, 0, 0, 0, 0x3fe80000]

;! given
;! given exec 0xf
;! given memory s[8:11] = u32[0, 0x3ff80000, 0, 0xc0000000, 0, 0x40200000, 0, 0x3fd00000]
;! given in v1 = u32[0, 8, 0x10, 0x18]
;! given in v[8:9] = u64[0x4004000000000000, 0xc008000000000000, 0xc020000000000000, 0x3fe0000000000000]
buffer_atomic_add_f64 v[8:9], v1, s[8:11], 0 offen  ;= memory = u32[0, 0x40100000, 0, 0xc0140000, 0, 0, 0, 0x3fe80000]

buffer_atomic_add_f64 v[8:9], v1, s[8:11], 0 offen glc
;= v[8:9] = u64[0x3ff8000000000000, 0xc000000000000000, 0x4020000000000000, 0x3fd0000000000000]
;= memory = u32[0, 0x40100000, 0, 0xc0140000, 0, 0, 0, 0x3fe80000]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
;! given
;! given exec 0xf
;! given lds = u32[0, 0x3ff80000, 0, 0xc0000000, 0, 0x40200000, 0, 0x3fd00000]
;! given in v1 = u32[0, 8, 0x10, 0x18]
;! given in v[8:9] = u64[0x4004000000000000, 0xc008000000000000, 0xc020000000000000, 0x3fe0000000000000]
ds_min_f64 v1, v[8:9]  ;= lds = u32[0, 0x3ff80000, 0, 0xc0080000, 0, 0xc0200000, 0, 0x3fd00000]

ds_min_rtn_f64 v[0:1], v1, v[8:9]
;= v[0:1] = u64[0x3ff8000000000000, 0xc000000000000000, 0x4020000000000000, 0x3fd0000000000000]
;= lds = u32[0, 0x3ff80000, 0, 0xc0080000, 0, 0xc0200000, 0, 0x3fd00000]

;! target gfx90a gfx942 gfx950
;! given
;! given exec 0xf
;! given memory v[2:3] step 8 = u32[0, 0x3ff80000, 0, 0xc0000000, 0, 0x40200000, 0, 0x3fd00000]
;! given in v[8:9] = u64[0x4004000000000000, 0xc008000000000000, 0xc020000000000000, 0x3fe0000000000000]
flat_atomic_min_f64 v[2:3], v[8:9]  ;= memory = u32[0, 0x3ff80000, 0, 0xc0080000, 0, 0xc0200000, 0, 0x3fd00000]

flat_atomic_min_f64 v[0:1], v[2:3], v[8:9] glc
;= v[0:1] = u64[0x3ff8000000000000, 0xc000000000000000, 0x4020000000000000, 0x3fd0000000000000]
;= memory = u32[0, 0x3ff80000, 0, 0xc0080000, 0, 0xc0200000, 0, 0x3fd00000]

;! target gfx1030
flat_atomic_fmin_x2 v[2:3], v[8:9]  ;= memory = u32[0, 0x3ff80000, 0, 0xc0080000, 0, 0xc0200000, 0, 0x3fd00000]

flat_atomic_fmin_x2 v[0:1], v[2:3], v[8:9] glc
;= v[0:1] = u64[0x3ff8000000000000, 0xc000000000000000, 0x4020000000000000, 0x3fd0000000000000]
;= memory = u32[0, 0x3ff80000, 0, 0xc0080000, 0, 0xc0200000, 0, 0x3fd00000]

;! target gfx90a gfx942 gfx950
global_atomic_min_f64 v[2:3], v[8:9], off  ;= memory = u32[0, 0x3ff80000, 0, 0xc0080000, 0, 0xc0200000, 0, 0x3fd00000]

global_atomic_min_f64 v[0:1], v[2:3], v[8:9], off glc
;= v[0:1] = u64[0x3ff8000000000000, 0xc000000000000000, 0x4020000000000000, 0x3fd0000000000000]
;= memory = u32[0, 0x3ff80000, 0, 0xc0080000, 0, 0xc0200000, 0, 0x3fd00000]

;! target gfx1030
global_atomic_fmin_x2 v[2:3], v[8:9], off  ;= memory = u32[0, 0x3ff80000, 0, 0xc0080000, 0, 0xc0200000, 0, 0x3fd00000]

global_atomic_fmin_x2 v[0:1], v[2:3], v[8:9], off glc
;= v[0:1] = u64[0x3ff8000000000000, 0xc000000000000000, 0x4020000000000000, 0x3fd0000000000000]
;= memory = u32[0, 0x3ff80000, 0, 0xc0080000, 0, 0xc0200000, 0, 0x3fd00000]

;! target gfx90a gfx942 gfx950
;! given
;! given exec 0xf
;! given memory s[8:11] = u32[0, 0x3ff80000, 0, 0xc0000000, 0, 0x40200000, 0, 0x3fd00000]
;! given in v1 = u32[0, 8, 0x10, 0x18]
;! given in v[8:9] = u64[0x4004000000000000, 0xc008000000000000, 0xc020000000000000, 0x3fe0000000000000]
buffer_atomic_min_f64 v[8:9], v1, s[8:11], 0 offen  ;= memory = u32[0, 0x3ff80000, 0, 0xc0080000, 0, 0xc0200000, 0, 0x3fd00000]

buffer_atomic_min_f64 v[8:9], v1, s[8:11], 0 offen glc
;= v[8:9] = u64[0x3ff8000000000000, 0xc000000000000000, 0x4020000000000000, 0x3fd0000000000000]
;= memory = u32[0, 0x3ff80000, 0, 0xc0080000, 0, 0xc0200000, 0, 0x3fd00000]

;! target gfx1030
buffer_atomic_fmin_x2 v[8:9], v1, s[8:11], 0 offen  ;= memory = u32[0, 0x3ff80000, 0, 0xc0080000, 0, 0xc0200000, 0, 0x3fd00000]

buffer_atomic_fmin_x2 v[8:9], v1, s[8:11], 0 offen glc
;= v[8:9] = u64[0x3ff8000000000000, 0xc000000000000000, 0x4020000000000000, 0x3fd0000000000000]
;= memory = u32[0, 0x3ff80000, 0, 0xc0080000, 0, 0xc0200000, 0, 0x3fd00000]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
;! given
;! given exec 0xf
;! given lds = u32[0, 0x3ff80000, 0, 0xc0000000, 0, 0x40200000, 0, 0x3fd00000]
;! given in v1 = u32[0, 8, 0x10, 0x18]
;! given in v[8:9] = u64[0x4004000000000000, 0xc008000000000000, 0xc020000000000000, 0x3fe0000000000000]
ds_max_f64 v1, v[8:9]  ;= lds = u32[0, 0x40040000, 0, 0xc0000000, 0, 0x40200000, 0, 0x3fe00000]

ds_max_rtn_f64 v[0:1], v1, v[8:9]
;= v[0:1] = u64[0x3ff8000000000000, 0xc000000000000000, 0x4020000000000000, 0x3fd0000000000000]
;= lds = u32[0, 0x40040000, 0, 0xc0000000, 0, 0x40200000, 0, 0x3fe00000]

;! target gfx90a gfx942 gfx950
;! given
;! given exec 0xf
;! given memory v[2:3] step 8 = u32[0, 0x3ff80000, 0, 0xc0000000, 0, 0x40200000, 0, 0x3fd00000]
;! given in v[8:9] = u64[0x4004000000000000, 0xc008000000000000, 0xc020000000000000, 0x3fe0000000000000]
flat_atomic_max_f64 v[2:3], v[8:9]  ;= memory = u32[0, 0x40040000, 0, 0xc0000000, 0, 0x40200000, 0, 0x3fe00000]

flat_atomic_max_f64 v[0:1], v[2:3], v[8:9] glc
;= v[0:1] = u64[0x3ff8000000000000, 0xc000000000000000, 0x4020000000000000, 0x3fd0000000000000]
;= memory = u32[0, 0x40040000, 0, 0xc0000000, 0, 0x40200000, 0, 0x3fe00000]

;! target gfx1030
flat_atomic_fmax_x2 v[2:3], v[8:9]  ;= memory = u32[0, 0x40040000, 0, 0xc0000000, 0, 0x40200000, 0, 0x3fe00000]

flat_atomic_fmax_x2 v[0:1], v[2:3], v[8:9] glc
;= v[0:1] = u64[0x3ff8000000000000, 0xc000000000000000, 0x4020000000000000, 0x3fd0000000000000]
;= memory = u32[0, 0x40040000, 0, 0xc0000000, 0, 0x40200000, 0, 0x3fe00000]

;! target gfx90a gfx942 gfx950
global_atomic_max_f64 v[2:3], v[8:9], off  ;= memory = u32[0, 0x40040000, 0, 0xc0000000, 0, 0x40200000, 0, 0x3fe00000]

global_atomic_max_f64 v[0:1], v[2:3], v[8:9], off glc
;= v[0:1] = u64[0x3ff8000000000000, 0xc000000000000000, 0x4020000000000000, 0x3fd0000000000000]
;= memory = u32[0, 0x40040000, 0, 0xc0000000, 0, 0x40200000, 0, 0x3fe00000]

;! target gfx1030
global_atomic_fmax_x2 v[2:3], v[8:9], off  ;= memory = u32[0, 0x40040000, 0, 0xc0000000, 0, 0x40200000, 0, 0x3fe00000]

global_atomic_fmax_x2 v[0:1], v[2:3], v[8:9], off glc
;= v[0:1] = u64[0x3ff8000000000000, 0xc000000000000000, 0x4020000000000000, 0x3fd0000000000000]
;= memory = u32[0, 0x40040000, 0, 0xc0000000, 0, 0x40200000, 0, 0x3fe00000]

;! target gfx90a gfx942 gfx950
;! given
;! given exec 0xf
;! given memory s[8:11] = u32[0, 0x3ff80000, 0, 0xc0000000, 0, 0x40200000, 0, 0x3fd00000]
;! given in v1 = u32[0, 8, 0x10, 0x18]
;! given in v[8:9] = u64[0x4004000000000000, 0xc008000000000000, 0xc020000000000000, 0x3fe0000000000000]
buffer_atomic_max_f64 v[8:9], v1, s[8:11], 0 offen  ;= memory = u32[0, 0x40040000, 0, 0xc0000000, 0, 0x40200000, 0, 0x3fe00000]

buffer_atomic_max_f64 v[8:9], v1, s[8:11], 0 offen glc
;= v[8:9] = u64[0x3ff8000000000000, 0xc000000000000000, 0x4020000000000000, 0x3fd0000000000000]
;= memory = u32[0, 0x40040000, 0, 0xc0000000, 0, 0x40200000, 0, 0x3fe00000]

;! target gfx1030
buffer_atomic_fmax_x2 v[8:9], v1, s[8:11], 0 offen  ;= memory = u32[0, 0x40040000, 0, 0xc0000000, 0, 0x40200000, 0, 0x3fe00000]

buffer_atomic_fmax_x2 v[8:9], v1, s[8:11], 0 offen glc
;= v[8:9] = u64[0x3ff8000000000000, 0xc000000000000000, 0x4020000000000000, 0x3fd0000000000000]
;= memory = u32[0, 0x40040000, 0, 0xc0000000, 0, 0x40200000, 0, 0x3fe00000]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
;! given
;! given exec 0xf
;! given lds = u32[0, 0x3ff80000, 0, 0xc0000000, 0, 0x40200000, 0, 0x3fd00000]
;! given in v1 = u32[0, 8, 0x10, 0x18]
;! given in v[8:9] = u64[0x3ff8000000000000, 0, 0x4020000000000000, 0x3fe0000000000000]
;! given in v[10:11] = u64[0x4004000000000000, 0xc008000000000000, 0xc020000000000000, 0x3fe0000000000000]
ds_cmpst_f64 v1, v[8:9], v[10:11]  ;= lds = u32[0, 0x40040000, 0, 0xc0000000, 0, 0xc0200000, 0, 0x3fd00000]

ds_cmpst_rtn_f64 v[0:1], v1, v[8:9], v[10:11]
;= v[0:1] = u64[0x3ff8000000000000, 0xc000000000000000, 0x4020000000000000, 0x3fd0000000000000]
;= lds = u32[0, 0x40040000, 0, 0xc0000000, 0, 0xc0200000, 0, 0x3fd00000]

;! target gfx1030
;! given
;! given exec 0xf
;! given memory v[2:3] step 8 = u32[0, 0x3ff80000, 0, 0xc0000000, 0, 0x40200000, 0, 0x3fd00000]
;! given in v[8:9] = u64[0x4004000000000000, 0xc008000000000000, 0xc020000000000000, 0x3fe0000000000000]
;! given in v[10:11] = u64[0x3ff8000000000000, 0, 0x4020000000000000, 0x3fe0000000000000]
flat_atomic_fcmpswap_x2 v[2:3], v[8:11]  ;= memory = u32[0, 0x40040000, 0, 0xc0000000, 0, 0xc0200000, 0, 0x3fd00000]
global_atomic_fcmpswap_x2 v[2:3], v[8:11], off  ;= memory = u32[0, 0x40040000, 0, 0xc0000000, 0, 0xc0200000, 0, 0x3fd00000]
;! given
;! given exec 0xf
;! memory s[8:11] = u32[0, 0x3ff80000, 0, 0xc0000000, 0, 0x40200000, 0, 0x3fd00000]
;! in v1 = u32[0, 8, 0x10, 0x18]
;! in v[8:9] = u64[0x4004000000000000, 0xc008000000000000, 0xc020000000000000, 0x3fe0000000000000]
;! in v[10:11] = u64[0x3ff8000000000000, 0, 0x4020000000000000, 0x3fe0000000000000]
buffer_atomic_fcmpswap_x2 v[8:11], v1, s[8:11], 0 offen  ;= memory = u32[0, 0x40040000, 0, 0xc0000000, 0, 0xc0200000, 0, 0x3fd00000]

;! target gfx908 gfx90a gfx942 gfx950
;! memory s[8:11] = u32[0xc0003e00, 0, 0x34004800, 0]
;! in v1 = u32[0, 4, 8, 12]
;! in v8 = u32[0xc2004100, 0x40003c00, 0x3800c800, 0]
buffer_atomic_pk_add_f16 v8, v1, s[8:11], 0 offen  ;= memory = u32[0xc5004400, 0x40003c00, 0x3a000000, 0]

;! memory v[2:3] step 4 = u32[0xc0003e00, 0, 0x34004800, 0]
;! in v8 = u32[0xc2004100, 0x40003c00, 0x3800c800, 0]
global_atomic_pk_add_f16 v[2:3], v8, off  ;= memory = u32[0xc5004400, 0x40003c00, 0x3a000000, 0]

;! target gfx1030
buffer_atomic_csub v8, v1, s[8:11], 0 offen glc  ;! memory s[8:11] = u32[5, 3, 0, 9]  ;! in v1 = u32[0, 4, 8, 12]  ;! in v8 = u32[3, 5, 1, 9]  ;= v8 = u32[5, 3, 0, 9]  ;= memory = u32[2, 0, 0, 0]
