; LDS words changed by other LDS words: B = A + 4 * (offset1[7] ? {A[31], A[31:17]} : {offset1[6], offset1[6:0], offset0}).
;! by spec, pseudocode of the Vega manual, DS

;! target gfx900 gfx906 gfx908 gfx1010
; Four lanes; each A is followed by its B, three dwords further on.

;! given exec 0xd
;! given lds = u32[0x80000005, 0, 0, 7, 0, 0, 0, 0, 0, 9, 0, 0, 0xc, 0, 0, 0xc, 0, 0, 0xffffffff, 0, 0, 0x7fffffff, 0, 0]
;! given in v1 = u32[0, 0x18, 0x30, 0x48]
ds_add_src2_u32 v1 offset:3  ;= lds = u32[0x8000000c, 0, 0, 7, 0, 0, 0, 0, 0, 9, 0, 0, 0x18, 0, 0, 0xc, 0, 0, 0x7ffffffe, 0, 0, 0x7fffffff, 0, 0]
ds_sub_src2_u32 v1 offset:3  ;= lds = u32[0x7ffffffe, 0, 0, 7, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0xc, 0, 0, 0x80000000, 0, 0, 0x7fffffff, 0, 0]
ds_rsub_src2_u32 v1 offset:3  ;= lds = u32[0x80000002, 0, 0, 7, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0xc, 0, 0, 0x80000000, 0, 0, 0x7fffffff, 0, 0]
ds_inc_src2_u32 v1 offset:3  ;= lds = u32[0, 0, 0, 7, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0xc, 0, 0, 0, 0, 0, 0x7fffffff, 0, 0]
ds_dec_src2_u32 v1 offset:3  ;= lds = u32[7, 0, 0, 7, 0, 0, 0, 0, 0, 9, 0, 0, 0xb, 0, 0, 0xc, 0, 0, 0x7fffffff, 0, 0, 0x7fffffff, 0, 0]
ds_min_src2_i32 v1 offset:3  ;= lds = u32[0x80000005, 0, 0, 7, 0, 0, 0, 0, 0, 9, 0, 0, 0xc, 0, 0, 0xc, 0, 0, 0xffffffff, 0, 0, 0x7fffffff, 0, 0]
ds_max_src2_i32 v1 offset:3  ;= lds = u32[7, 0, 0, 7, 0, 0, 0, 0, 0, 9, 0, 0, 0xc, 0, 0, 0xc, 0, 0, 0x7fffffff, 0, 0, 0x7fffffff, 0, 0]
ds_min_src2_u32 v1 offset:3  ;= lds = u32[7, 0, 0, 7, 0, 0, 0, 0, 0, 9, 0, 0, 0xc, 0, 0, 0xc, 0, 0, 0x7fffffff, 0, 0, 0x7fffffff, 0, 0]
ds_max_src2_u32 v1 offset:3  ;= lds = u32[0x80000005, 0, 0, 7, 0, 0, 0, 0, 0, 9, 0, 0, 0xc, 0, 0, 0xc, 0, 0, 0xffffffff, 0, 0, 0x7fffffff, 0, 0]
ds_and_src2_b32 v1 offset:3  ;= lds = u32[5, 0, 0, 7, 0, 0, 0, 0, 0, 9, 0, 0, 0xc, 0, 0, 0xc, 0, 0, 0x7fffffff, 0, 0, 0x7fffffff, 0, 0]
ds_or_src2_b32 v1 offset:3  ;= lds = u32[0x80000007, 0, 0, 7, 0, 0, 0, 0, 0, 9, 0, 0, 0xc, 0, 0, 0xc, 0, 0, 0xffffffff, 0, 0, 0x7fffffff, 0, 0]
ds_xor_src2_b32 v1 offset:3  ;= lds = u32[0x80000002, 0, 0, 7, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0xc, 0, 0, 0x80000000, 0, 0, 0x7fffffff, 0, 0]
ds_write_src2_b32 v1 offset:3  ;= lds = u32[7, 0, 0, 7, 0, 0, 0, 0, 0, 9, 0, 0, 0xc, 0, 0, 0xc, 0, 0, 0x7fffffff, 0, 0, 0x7fffffff, 0, 0]
;! given
;! given exec 0xd
;! given lds = u32[0x3fc00000, 0, 0, 0xc0000000, 0, 0, 0xbf800000, 0, 0, 0x40800000, 0, 0, 0x40400000, 0, 0, 0x40400000, 0, 0, 0xc1000000, 0, 0, 0xbf000000, 0, 0]
;! given in v1 = u32[0, 0x18, 0x30, 0x48]
ds_min_src2_f32 v1 offset:3  ;= lds = u32[0xc0000000, 0, 0, 0xc0000000, 0, 0, 0xbf800000, 0, 0, 0x40800000, 0, 0, 0x40400000, 0, 0, 0x40400000, 0, 0, 0xc1000000, 0, 0, 0xbf000000, 0, 0]
ds_max_src2_f32 v1 offset:3  ;= lds = u32[0x3fc00000, 0, 0, 0xc0000000, 0, 0, 0xbf800000, 0, 0, 0x40800000, 0, 0, 0x40400000, 0, 0, 0x40400000, 0, 0, 0xbf000000, 0, 0, 0xbf000000, 0, 0]
ds_add_src2_f32 v1 offset:3  ;= lds = u32[0xbf000000, 0, 0, 0xc0000000, 0, 0, 0xbf800000, 0, 0, 0x40800000, 0, 0, 0x40c00000, 0, 0, 0x40400000, 0, 0, 0xc1080000, 0, 0, 0xbf000000, 0, 0]
;! given
;! given exec 0xd
;! given lds = u32[5, 0x80000000, 0, 7, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0xc, 0, 0, 0xc, 0, 0xffffffff, 0xffffffff, 0, 0xffffffff, 0x7fffffff, 0]
;! given in v1 = u32[0, 0x18, 0x30, 0x48]
ds_add_src2_u64 v1 offset:3  ;= lds = u32[0xc, 0x80000000, 0, 7, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0x18, 0, 0, 0xc, 0, 0xfffffffe, 0x7fffffff, 0, 0xffffffff, 0x7fffffff, 0]
ds_sub_src2_u64 v1 offset:3  ;= lds = u32[0xfffffffe, 0x7fffffff, 0, 7, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0xc, 0, 0, 0x80000000, 0, 0xffffffff, 0x7fffffff, 0]
ds_rsub_src2_u64 v1 offset:3  ;= lds = u32[2, 0x80000000, 0, 7, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0xc, 0, 0, 0x80000000, 0, 0xffffffff, 0x7fffffff, 0]
ds_inc_src2_u64 v1 offset:3  ;= lds = u32[0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0xc, 0, 0, 0, 0, 0xffffffff, 0x7fffffff, 0]
ds_dec_src2_u64 v1 offset:3  ;= lds = u32[7, 0, 0, 7, 0, 0, 0, 0, 0, 0, 9, 0, 0xffffffff, 0xb, 0, 0, 0xc, 0, 0xffffffff, 0x7fffffff, 0, 0xffffffff, 0x7fffffff, 0]
ds_min_src2_i64 v1 offset:3  ;= lds = u32[5, 0x80000000, 0, 7, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0xc, 0, 0, 0xc, 0, 0xffffffff, 0xffffffff, 0, 0xffffffff, 0x7fffffff, 0]
ds_max_src2_i64 v1 offset:3  ;= lds = u32[7, 0, 0, 7, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0xc, 0, 0, 0xc, 0, 0xffffffff, 0x7fffffff, 0, 0xffffffff, 0x7fffffff, 0]
ds_min_src2_u64 v1 offset:3  ;= lds = u32[7, 0, 0, 7, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0xc, 0, 0, 0xc, 0, 0xffffffff, 0x7fffffff, 0, 0xffffffff, 0x7fffffff, 0]
ds_max_src2_u64 v1 offset:3  ;= lds = u32[5, 0x80000000, 0, 7, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0xc, 0, 0, 0xc, 0, 0xffffffff, 0xffffffff, 0, 0xffffffff, 0x7fffffff, 0]
ds_and_src2_b64 v1 offset:3  ;= lds = u32[5, 0, 0, 7, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0xc, 0, 0, 0xc, 0, 0xffffffff, 0x7fffffff, 0, 0xffffffff, 0x7fffffff, 0]
ds_or_src2_b64 v1 offset:3  ;= lds = u32[7, 0x80000000, 0, 7, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0xc, 0, 0, 0xc, 0, 0xffffffff, 0xffffffff, 0, 0xffffffff, 0x7fffffff, 0]
ds_xor_src2_b64 v1 offset:3  ;= lds = u32[2, 0x80000000, 0, 7, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0xc, 0, 0, 0x80000000, 0, 0xffffffff, 0x7fffffff, 0]
ds_write_src2_b64 v1 offset:3  ;= lds = u32[7, 0, 0, 7, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0xc, 0, 0, 0xc, 0, 0xffffffff, 0x7fffffff, 0, 0xffffffff, 0x7fffffff, 0]
;! given
;! given exec 0xd
;! given lds = u32[0, 0x3ff80000, 0, 0, 0xc0000000, 0, 0, 0xbff00000, 0, 0, 0x40100000, 0, 0, 0x40080000, 0, 0, 0x40080000, 0, 0, 0xc0200000, 0, 0, 0xbfe00000, 0]
;! given in v1 = u32[0, 0x18, 0x30, 0x48]
ds_min_src2_f64 v1 offset:3  ;= lds = u32[0, 0xc0000000, 0, 0, 0xc0000000, 0, 0, 0xbff00000, 0, 0, 0x40100000, 0, 0, 0x40080000, 0, 0, 0x40080000, 0, 0, 0xc0200000, 0, 0, 0xbfe00000, 0]
ds_max_src2_f64 v1 offset:3  ;= lds = u32[0, 0x3ff80000, 0, 0, 0xc0000000, 0, 0, 0xbff00000, 0, 0, 0x40100000, 0, 0, 0x40080000, 0, 0, 0x40080000, 0, 0, 0xbfe00000, 0, 0, 0xbfe00000, 0]
; Backwards: an offset of -1 dword, then one in the address (-2 dwords, A = 12), then B outside, which reads zero.
;! given
;! given exec 1
;! given lds = u32[1, 10, 100, 1000]
ds_add_src2_u32 v1 offset:0x7fff  ;! in v1 = u32[8]  ;= lds = u32[1, 10, 110, 1000]
ds_add_src2_u32 v1 offset:0x8000  ;! in v1 = u32[0xfffc000c]  ;= lds = u32[1, 10, 100, 1010]
ds_and_src2_b32 v1 offset:5  ;! in v1 = u32[8]  ;= lds = u32[1, 10, 0, 1000]
