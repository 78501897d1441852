; Scalar memory of gfx9 beyond loads: atomics, stores into buffers, scratch with its offset in units of 64 bytes.
;! by spec, pseudocode of the Vega and CDNA manuals, SMEM; the old value returns with GLC only

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1010
;! memory s[2:3] = u32[0x77777777, 0x77777777, 0x80000005, 0x77777777]
;! in s8 = u32[0x7fffffff]
s_atomic_swap s8, s[2:3], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0x7fffffff, 0x77777777]
;= s8 = u32[0x80000005]

;! memory s[2:3] = u32[0x77777777, 0x77777777, 5, 0x77777777]
;! in s8 = u32[9]
;! in s9 = u32[5]
s_atomic_cmpswap s[8:9], s[2:3], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 9, 0x77777777]
;= s8 = u32[5]

;! memory s[2:3] = u32[0x77777777, 0x77777777, 5, 0x77777777]
;! in s8 = u32[9]
;! in s9 = u32[6]
s_atomic_cmpswap s[8:9], s[2:3], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 5, 0x77777777]
;= s8 = u32[5]

;! memory s[2:3] = u32[0x77777777, 0x77777777, 0xffffffff, 0x77777777]
;! in s8 = u32[3]
s_atomic_add s8, s[2:3], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 2, 0x77777777]
;= s8 = u32[0xffffffff]

;! memory s[2:3] = u32[0x77777777, 0x77777777, 2, 0x77777777]
;! in s8 = u32[3]
s_atomic_sub s8, s[2:3], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0xffffffff, 0x77777777]
;= s8 = u32[2]

;! given memory s[2:3] = u32[0x77777777, 0x77777777, 0x80000005, 0x77777777]
;! given in s8 = u32[0x7fffffff]
s_atomic_smin s8, s[2:3], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0x80000005, 0x77777777]
;= s8 = u32[0x80000005]

s_atomic_umin s8, s[2:3], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0x7fffffff, 0x77777777]
;= s8 = u32[0x80000005]

s_atomic_smax s8, s[2:3], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0x7fffffff, 0x77777777]
;= s8 = u32[0x80000005]

s_atomic_umax s8, s[2:3], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0x80000005, 0x77777777]
;= s8 = u32[0x80000005]

s_atomic_and s8, s[2:3], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 5, 0x77777777]
;= s8 = u32[0x80000005]

s_atomic_or s8, s[2:3], 0x8
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0xffffffff, 0x77777777]

s_atomic_xor s8, s[2:3], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0xfffffffa, 0x77777777]
;= s8 = u32[0x80000005]

;! given
;! given in s8 = u32[0xa]
;! memory s[2:3] = u32[0x77777777, 0x77777777, 9, 0x77777777]
s_atomic_inc s8, s[2:3], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0xa, 0x77777777]
;= s8 = u32[9]

;! memory s[2:3] = u32[0x77777777, 0x77777777, 0xa, 0x77777777]
s_atomic_inc s8, s[2:3], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0, 0x77777777]
;= s8 = u32[0xa]

;! given
;! given in s8 = u32[7]
;! memory s[2:3] = u32[0x77777777, 0x77777777, 0, 0x77777777]
s_atomic_dec s8, s[2:3], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 7, 0x77777777]
;= s8 = u32[0]

;! memory s[2:3] = u32[0x77777777, 0x77777777, 8, 0x77777777]
s_atomic_dec s8, s[2:3], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 7, 0x77777777]
;= s8 = u32[8]

;! memory s[2:3] = u32[0x77777777, 0x77777777, 7, 0x77777777]
s_atomic_dec s8, s[2:3], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 6, 0x77777777]
;= s8 = u32[7]

;! given
;! memory s[2:3] = u32[0x77777777, 0x77777777, 5, 0x80000000, 0x77777777, 0x77777777]
;! in s8 = u32[0xffffffff]
;! in s9 = u32[0x7fffffff]
s_atomic_swap_x2 s[8:9], s[2:3], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0xffffffff, 0x7fffffff, 0x77777777, 0x77777777]
;= s8 = u32[5]
;= s9 = u32[0x80000000]

;! memory s[2:3] = u32[0x77777777, 0x77777777, 1, 5, 0x77777777, 0x77777777]
;! in s8 = u32[9]
;! in s9 = u32[0]
;! in s10 = u32[1]
;! in s11 = u32[5]
s_atomic_cmpswap_x2 s[8:11], s[2:3], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 9, 0, 0x77777777, 0x77777777]
;= s8 = u32[1]
;= s9 = u32[5]

;! memory s[2:3] = u32[0x77777777, 0x77777777, 1, 5, 0x77777777, 0x77777777]
;! in s8 = u32[9]
;! in s9 = u32[0]
;! in s10 = u32[1]
;! in s11 = u32[0]
s_atomic_cmpswap_x2 s[8:11], s[2:3], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 1, 5, 0x77777777, 0x77777777]
;= s8 = u32[1]
;= s9 = u32[5]

;! memory s[2:3] = u32[0x77777777, 0x77777777, 0xffffffff, 0xffffffff, 0x77777777, 0x77777777]
;! in s8 = u32[3]
;! in s9 = u32[0]
s_atomic_add_x2 s[8:9], s[2:3], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 2, 0, 0x77777777, 0x77777777]
;= s8 = u32[0xffffffff]
;= s9 = u32[0xffffffff]

;! memory s[2:3] = u32[0x77777777, 0x77777777, 0xffffffff, 0, 0x77777777, 0x77777777]
;! in s8 = u32[0]
;! in s9 = u32[1]
s_atomic_sub_x2 s[8:9], s[2:3], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0xffffffff, 0xffffffff, 0x77777777, 0x77777777]
;= s8 = u32[0xffffffff]
;= s9 = u32[0]

;! given memory s[2:3] = u32[0x77777777, 0x77777777, 5, 0x80000000, 0x77777777, 0x77777777]
;! given in s8 = u32[0xffffffff]
;! given in s9 = u32[0x7fffffff]
s_atomic_smin_x2 s[8:9], s[2:3], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 5, 0x80000000, 0x77777777, 0x77777777]
;= s8 = u32[5]
;= s9 = u32[0x80000000]

s_atomic_umin_x2 s[8:9], s[2:3], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0xffffffff, 0x7fffffff, 0x77777777, 0x77777777]
;= s8 = u32[5]
;= s9 = u32[0x80000000]

s_atomic_smax_x2 s[8:9], s[2:3], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0xffffffff, 0x7fffffff, 0x77777777, 0x77777777]
;= s8 = u32[5]
;= s9 = u32[0x80000000]

s_atomic_umax_x2 s[8:9], s[2:3], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 5, 0x80000000, 0x77777777, 0x77777777]
;= s8 = u32[5]
;= s9 = u32[0x80000000]

s_atomic_and_x2 s[8:9], s[2:3], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 5, 0, 0x77777777, 0x77777777]
;= s8 = u32[5]
;= s9 = u32[0x80000000]

s_atomic_or_x2 s[8:9], s[2:3], 0x8
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0xffffffff, 0xffffffff, 0x77777777, 0x77777777]

s_atomic_xor_x2 s[8:9], s[2:3], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0xfffffffa, 0xffffffff, 0x77777777, 0x77777777]
;= s8 = u32[5]
;= s9 = u32[0x80000000]

;! given
;! given in s8 = u32[0]
;! given in s9 = u32[1]
;! memory s[2:3] = u32[0x77777777, 0x77777777, 0xffffffff, 0, 0x77777777, 0x77777777]
s_atomic_inc_x2 s[8:9], s[2:3], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0, 1, 0x77777777, 0x77777777]
;= s8 = u32[0xffffffff]
;= s9 = u32[0]

;! memory s[2:3] = u32[0x77777777, 0x77777777, 0, 1, 0x77777777, 0x77777777]
s_atomic_inc_x2 s[8:9], s[2:3], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0, 0, 0x77777777, 0x77777777]
;= s8 = u32[0]
;= s9 = u32[1]

;! given
;! memory s[2:3] = u32[0x77777777, 0x77777777, 0, 0, 0x77777777, 0x77777777]
;! in s8 = u32[7]
;! in s9 = u32[0]
s_atomic_dec_x2 s[8:9], s[2:3], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 7, 0, 0x77777777, 0x77777777]
;= s8 = u32[0]
;= s9 = u32[0]

;! memory s[2:3] = u32[0x77777777, 0x77777777, 0, 1, 0x77777777, 0x77777777]
;! in s8 = u32[0]
;! in s9 = u32[2]
s_atomic_dec_x2 s[8:9], s[2:3], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0xffffffff, 0, 0x77777777, 0x77777777]
;= s8 = u32[0]
;= s9 = u32[1]

;! memory s[2:3] = u32[0x77777777, 0x77777777, 0, 4, 0x77777777, 0x77777777]
;! in s8 = u32[0]
;! in s9 = u32[2]
s_atomic_dec_x2 s[8:9], s[2:3], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0, 2, 0x77777777, 0x77777777]
;= s8 = u32[0]
;= s9 = u32[4]

;! memory s[4:7] = u32[0x77777777, 0x77777777, 0x80000005, 0x77777777]
;! in s8 = u32[0x7fffffff]
s_buffer_atomic_swap s8, s[4:7], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0x7fffffff, 0x77777777]
;= s8 = u32[0x80000005]

;! memory s[4:7] = u32[0x77777777, 0x77777777, 5, 0x77777777]
;! in s8 = u32[9]
;! in s9 = u32[5]
s_buffer_atomic_cmpswap s[8:9], s[4:7], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 9, 0x77777777]
;= s8 = u32[5]

;! memory s[4:7] = u32[0x77777777, 0x77777777, 5, 0x77777777]
;! in s8 = u32[9]
;! in s9 = u32[6]
s_buffer_atomic_cmpswap s[8:9], s[4:7], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 5, 0x77777777]
;= s8 = u32[5]

;! memory s[4:7] = u32[0x77777777, 0x77777777, 0xffffffff, 0x77777777]
;! in s8 = u32[3]
s_buffer_atomic_add s8, s[4:7], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 2, 0x77777777]
;= s8 = u32[0xffffffff]

;! memory s[4:7] = u32[0x77777777, 0x77777777, 2, 0x77777777]
;! in s8 = u32[3]
s_buffer_atomic_sub s8, s[4:7], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0xffffffff, 0x77777777]
;= s8 = u32[2]

;! given memory s[4:7] = u32[0x77777777, 0x77777777, 0x80000005, 0x77777777]
;! given in s8 = u32[0x7fffffff]
s_buffer_atomic_smin s8, s[4:7], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0x80000005, 0x77777777]
;= s8 = u32[0x80000005]

s_buffer_atomic_umin s8, s[4:7], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0x7fffffff, 0x77777777]
;= s8 = u32[0x80000005]

s_buffer_atomic_smax s8, s[4:7], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0x7fffffff, 0x77777777]
;= s8 = u32[0x80000005]

s_buffer_atomic_umax s8, s[4:7], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0x80000005, 0x77777777]
;= s8 = u32[0x80000005]

s_buffer_atomic_and s8, s[4:7], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 5, 0x77777777]
;= s8 = u32[0x80000005]

s_buffer_atomic_or s8, s[4:7], 0x8
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0xffffffff, 0x77777777]

s_buffer_atomic_xor s8, s[4:7], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0xfffffffa, 0x77777777]
;= s8 = u32[0x80000005]

;! given
;! given in s8 = u32[0xa]
;! memory s[4:7] = u32[0x77777777, 0x77777777, 9, 0x77777777]
s_buffer_atomic_inc s8, s[4:7], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0xa, 0x77777777]
;= s8 = u32[9]

;! memory s[4:7] = u32[0x77777777, 0x77777777, 0xa, 0x77777777]
s_buffer_atomic_inc s8, s[4:7], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0, 0x77777777]
;= s8 = u32[0xa]

;! given
;! given in s8 = u32[7]
;! memory s[4:7] = u32[0x77777777, 0x77777777, 0, 0x77777777]
s_buffer_atomic_dec s8, s[4:7], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 7, 0x77777777]
;= s8 = u32[0]

;! memory s[4:7] = u32[0x77777777, 0x77777777, 8, 0x77777777]
s_buffer_atomic_dec s8, s[4:7], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 7, 0x77777777]
;= s8 = u32[8]

;! memory s[4:7] = u32[0x77777777, 0x77777777, 7, 0x77777777]
s_buffer_atomic_dec s8, s[4:7], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 6, 0x77777777]
;= s8 = u32[7]

;! given
;! memory s[4:7] = u32[0x77777777, 0x77777777, 5, 0x80000000, 0x77777777, 0x77777777]
;! in s8 = u32[0xffffffff]
;! in s9 = u32[0x7fffffff]
s_buffer_atomic_swap_x2 s[8:9], s[4:7], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0xffffffff, 0x7fffffff, 0x77777777, 0x77777777]
;= s8 = u32[5]
;= s9 = u32[0x80000000]

;! memory s[4:7] = u32[0x77777777, 0x77777777, 1, 5, 0x77777777, 0x77777777]
;! in s8 = u32[9]
;! in s9 = u32[0]
;! in s10 = u32[1]
;! in s11 = u32[5]
s_buffer_atomic_cmpswap_x2 s[8:11], s[4:7], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 9, 0, 0x77777777, 0x77777777]
;= s8 = u32[1]
;= s9 = u32[5]

;! memory s[4:7] = u32[0x77777777, 0x77777777, 1, 5, 0x77777777, 0x77777777]
;! in s8 = u32[9]
;! in s9 = u32[0]
;! in s10 = u32[1]
;! in s11 = u32[0]
s_buffer_atomic_cmpswap_x2 s[8:11], s[4:7], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 1, 5, 0x77777777, 0x77777777]
;= s8 = u32[1]
;= s9 = u32[5]

;! memory s[4:7] = u32[0x77777777, 0x77777777, 0xffffffff, 0xffffffff, 0x77777777, 0x77777777]
;! in s8 = u32[3]
;! in s9 = u32[0]
s_buffer_atomic_add_x2 s[8:9], s[4:7], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 2, 0, 0x77777777, 0x77777777]
;= s8 = u32[0xffffffff]
;= s9 = u32[0xffffffff]

;! memory s[4:7] = u32[0x77777777, 0x77777777, 0xffffffff, 0, 0x77777777, 0x77777777]
;! in s8 = u32[0]
;! in s9 = u32[1]
s_buffer_atomic_sub_x2 s[8:9], s[4:7], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0xffffffff, 0xffffffff, 0x77777777, 0x77777777]
;= s8 = u32[0xffffffff]
;= s9 = u32[0]

;! given memory s[4:7] = u32[0x77777777, 0x77777777, 5, 0x80000000, 0x77777777, 0x77777777]
;! given in s8 = u32[0xffffffff]
;! given in s9 = u32[0x7fffffff]
s_buffer_atomic_smin_x2 s[8:9], s[4:7], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 5, 0x80000000, 0x77777777, 0x77777777]
;= s8 = u32[5]
;= s9 = u32[0x80000000]

s_buffer_atomic_umin_x2 s[8:9], s[4:7], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0xffffffff, 0x7fffffff, 0x77777777, 0x77777777]
;= s8 = u32[5]
;= s9 = u32[0x80000000]

s_buffer_atomic_smax_x2 s[8:9], s[4:7], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0xffffffff, 0x7fffffff, 0x77777777, 0x77777777]
;= s8 = u32[5]
;= s9 = u32[0x80000000]

s_buffer_atomic_umax_x2 s[8:9], s[4:7], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 5, 0x80000000, 0x77777777, 0x77777777]
;= s8 = u32[5]
;= s9 = u32[0x80000000]

s_buffer_atomic_and_x2 s[8:9], s[4:7], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 5, 0, 0x77777777, 0x77777777]
;= s8 = u32[5]
;= s9 = u32[0x80000000]

s_buffer_atomic_or_x2 s[8:9], s[4:7], 0x8
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0xffffffff, 0xffffffff, 0x77777777, 0x77777777]

s_buffer_atomic_xor_x2 s[8:9], s[4:7], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0xfffffffa, 0xffffffff, 0x77777777, 0x77777777]
;= s8 = u32[5]
;= s9 = u32[0x80000000]

;! given
;! given in s8 = u32[0]
;! given in s9 = u32[1]
;! memory s[4:7] = u32[0x77777777, 0x77777777, 0xffffffff, 0, 0x77777777, 0x77777777]
s_buffer_atomic_inc_x2 s[8:9], s[4:7], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0, 1, 0x77777777, 0x77777777]
;= s8 = u32[0xffffffff]
;= s9 = u32[0]

;! memory s[4:7] = u32[0x77777777, 0x77777777, 0, 1, 0x77777777, 0x77777777]
s_buffer_atomic_inc_x2 s[8:9], s[4:7], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0, 0, 0x77777777, 0x77777777]
;= s8 = u32[0]
;= s9 = u32[1]

;! given
;! memory s[4:7] = u32[0x77777777, 0x77777777, 0, 0, 0x77777777, 0x77777777]
;! in s8 = u32[7]
;! in s9 = u32[0]
s_buffer_atomic_dec_x2 s[8:9], s[4:7], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 7, 0, 0x77777777, 0x77777777]
;= s8 = u32[0]
;= s9 = u32[0]

;! memory s[4:7] = u32[0x77777777, 0x77777777, 0, 1, 0x77777777, 0x77777777]
;! in s8 = u32[0]
;! in s9 = u32[2]
s_buffer_atomic_dec_x2 s[8:9], s[4:7], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0xffffffff, 0, 0x77777777, 0x77777777]
;= s8 = u32[0]
;= s9 = u32[1]

;! memory s[4:7] = u32[0x77777777, 0x77777777, 0, 4, 0x77777777, 0x77777777]
;! in s8 = u32[0]
;! in s9 = u32[2]
s_buffer_atomic_dec_x2 s[8:9], s[4:7], 0x8 glc
s_waitcnt lgkmcnt(0)
;= memory = u32[0x77777777, 0x77777777, 0, 2, 0x77777777, 0x77777777]
;= s8 = u32[0]
;= s9 = u32[4]

; The offset in a register counts bytes; EXEC has no say.
s_atomic_add s8, s[2:3], s1 glc  ;! exec 0  ;! memory s[2:3] = u32[0x77777777, 5, 0x77777777]  ;! in s1 = u32[4]  ;! in s8 = u32[7]  ;= memory = u32[0x77777777, 0xc, 0x77777777]  ;= s8 = u32[5]
; Beyond the end of a buffer nothing is changed and zero returns.

;! memory s[4:7] = u32[0x77777777, 5]
;! in s8 = u32[7]
;! in s9 = u32[8]
s_buffer_atomic_add s8, s[4:7], 0x8 glc
s_buffer_atomic_swap_x2 s[8:9], s[4:7], 0x4
;= memory = u32[0x77777777, 5]
;= s8 = u32[0]

;! memory s[4:7] = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in s8 = u32[0x11111111]
s_buffer_store_dword s8, s[4:7], 0x4  ;= memory = u32[0x77777777, 0x11111111, 0x77777777, 0x77777777, 0x77777777, 0x77777777]

;! memory s[2:3] = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in s1 = u32[1]
;! in s8 = u32[0x11111111]
s_scratch_store_dword s8, s[2:3], s1
;= memory = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x11111111, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777]

;! memory s[2:3] = u32[0x100, 0x101, 0x102, 0x103, 0x104, 0x105, 0x106, 0x107, 0x108, 0x109, 0x10a, 0x10b, 0x10c, 0x10d, 0x10e, 0x10f, 0x110, 0x111, 0x112, 0x113, 0x114, 0x115, 0x116, 0x117]
;! in s1 = u32[1]
s_scratch_load_dword s8, s[2:3], s1
s_waitcnt lgkmcnt(0)
;= s8 = u32[0x110]

;! memory s[2:3] = u32[0x100, 0x101, 0x102, 0x103, 0x104, 0x105, 0x106, 0x107, 0x108, 0x109, 0x10a, 0x10b, 0x10c, 0x10d, 0x10e, 0x10f, 0x110, 0x111, 0x112, 0x113, 0x114, 0x115, 0x116, 0x117]
s_scratch_load_dword s8, s[2:3], 0x8
s_waitcnt lgkmcnt(0)
;= s8 = u32[0x102]

;! memory s[4:7] = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in s8 = u32[0x11111111]
;! in s9 = u32[0x22222222]
s_buffer_store_dwordx2 s[8:9], s[4:7], 0x4  ;= memory = u32[0x77777777, 0x11111111, 0x22222222, 0x77777777, 0x77777777, 0x77777777]

;! memory s[2:3] = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in s1 = u32[1]
;! in s8 = u32[0x11111111]
;! in s9 = u32[0x22222222]
s_scratch_store_dwordx2 s[8:9], s[2:3], s1
;= memory = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x11111111, 0x22222222, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777]

;! memory s[2:3] = u32[0x100, 0x101, 0x102, 0x103, 0x104, 0x105, 0x106, 0x107, 0x108, 0x109, 0x10a, 0x10b, 0x10c, 0x10d, 0x10e, 0x10f, 0x110, 0x111, 0x112, 0x113, 0x114, 0x115, 0x116, 0x117]
;! in s1 = u32[1]
s_scratch_load_dwordx2 s[8:9], s[2:3], s1
s_waitcnt lgkmcnt(0)
;= s8 = u32[0x110]
;= s9 = u32[0x111]

;! memory s[2:3] = u32[0x100, 0x101, 0x102, 0x103, 0x104, 0x105, 0x106, 0x107, 0x108, 0x109, 0x10a, 0x10b, 0x10c, 0x10d, 0x10e, 0x10f, 0x110, 0x111, 0x112, 0x113, 0x114, 0x115, 0x116, 0x117]
s_scratch_load_dwordx2 s[8:9], s[2:3], 0x8
s_waitcnt lgkmcnt(0)
;= s8 = u32[0x102]
;= s9 = u32[0x103]

;! memory s[4:7] = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in s8 = u32[0x11111111]
;! in s9 = u32[0x22222222]
;! in s10 = u32[0x33333333]
;! in s11 = u32[0x44444444]
s_buffer_store_dwordx4 s[8:11], s[4:7], 0x4  ;= memory = u32[0x77777777, 0x11111111, 0x22222222, 0x33333333, 0x44444444, 0x77777777]

;! memory s[2:3] = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in s1 = u32[1]
;! in s8 = u32[0x11111111]
;! in s9 = u32[0x22222222]
;! in s10 = u32[0x33333333]
;! in s11 = u32[0x44444444]
s_scratch_store_dwordx4 s[8:11], s[2:3], s1
;= memory = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x11111111, 0x22222222, 0x33333333, 0x44444444, 0x77777777, 0x77777777, 0x77777777, 0x77777777]

;! memory s[2:3] = u32[0x100, 0x101, 0x102, 0x103, 0x104, 0x105, 0x106, 0x107, 0x108, 0x109, 0x10a, 0x10b, 0x10c, 0x10d, 0x10e, 0x10f, 0x110, 0x111, 0x112, 0x113, 0x114, 0x115, 0x116, 0x117]
;! in s1 = u32[1]
s_scratch_load_dwordx4 s[8:11], s[2:3], s1
s_waitcnt lgkmcnt(0)
;= s8 = u32[0x110]
;= s9 = u32[0x111]
;= s10 = u32[0x112]
;= s11 = u32[0x113]

;! memory s[2:3] = u32[0x100, 0x101, 0x102, 0x103, 0x104, 0x105, 0x106, 0x107, 0x108, 0x109, 0x10a, 0x10b, 0x10c, 0x10d, 0x10e, 0x10f, 0x110, 0x111, 0x112, 0x113, 0x114, 0x115, 0x116, 0x117]
s_scratch_load_dwordx4 s[8:11], s[2:3], 0x8
s_waitcnt lgkmcnt(0)
;= s8 = u32[0x102]
;= s9 = u32[0x103]
;= s10 = u32[0x104]
;= s11 = u32[0x105]

; Dwords beyond the end of a buffer are dropped.

;! memory s[4:7] = u32[0x77777777, 0x77777777, 0x77777777]
;! in s8 = u32[1]
;! in s9 = u32[2]
;! in s10 = u32[3]
;! in s11 = u32[4]
s_buffer_store_dwordx4 s[8:11], s[4:7], 0x4  ;= memory = u32[0x77777777, 1, 2]
