; Media.
;! by spec, worked out by hand from the formulas of the CDNA2 and RDNA2 manuals

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
v_sad_u8 v0, v4, v8, v12  ;! in v4 = u32[0x10203ff]  ;! in v8 = u32[0x2010300]  ;! in v12 = u32[5]  ;= v0 = u32[0x106]
v_sad_hi_u8 v0, v4, v8, v12  ;! in v4 = u32[0x10203ff]  ;! in v8 = u32[0x2010300]  ;! in v12 = u32[5]  ;= v0 = u32[0x1010005]
v_sad_u16 v0, v4, v8, v12  ;! in v4 = u32[0x1ffff]  ;! in v8 = u32[0x30000]  ;! in v12 = u32[5]  ;= v0 = u32[0x10006]
v_sad_u32 v0, v4, v8, v12  ;! in v4 = u32[3]  ;! in v8 = u32[0xffffffff]  ;! in v12 = u32[5]  ;= v0 = u32[1]
v_sad_u32 v0, v4, v8, v12 clamp  ;! in v4 = u32[3]  ;! in v8 = u32[0xffffffff]  ;! in v12 = u32[5]  ;= v0 = u32[0xffffffff]
; Bytes whose reference (S1) is zero do not count.
v_msad_u8 v0, v4, v8, v12  ;! in v4 = u32[0x10203ff]  ;! in v8 = u32[0x2010300]  ;! in v12 = u32[5]  ;= v0 = u32[7]
v_lerp_u8 v0, v4, v8, v12  ;! in v4 = u32[0x30507ff]  ;! in v8 = u32[0x4040801]  ;! in v12 = u32[0x1000001]  ;= v0 = u32[0x4040780]
v_perm_b32 v0, v4, v8, v12  ;! in v4 = u32[0x87665544]  ;! in v8 = u32[0x33221100]  ;! in v12 = u32[0x70400, 0xd0c0b09]  ;= v0 = u32[0x874400, 0xff00ff00]
v_alignbyte_b32 v0, v4, v8, v12  ;! in v4 = u32[0x11223344]  ;! in v8 = u32[0x55667788]  ;! in v12 = u32[5]  ;= v0 = u32[0x44556677]
v_alignbit_b32 v0, v4, v8, v12  ;! in v4 = u32[0x11223344]  ;! in v8 = u32[0x55667788]  ;! in v12 = u32[0x24]  ;= v0 = u32[0x45566778]
; Four sums over a sliding window: bytes 1,2,3,4 then 2,3,4,5 ... against 1,2,3,4.
v_qsad_pk_u16_u8 v[0:1], v[4:5], v8, v[12:13]  ;! in v[4:5] = u64[0x706050403020100]  ;! in v8 = u32[0x4030201]  ;! in v[12:13] = u64[0]  ;= v[0:1] = u64[0x8000400000004]
v_mqsad_pk_u16_u8 v[0:1], v[4:5], v8, v[12:13]  ;! in v[4:5] = u64[0x706050403020100]  ;! in v8 = u32[0x4030200]  ;! in v[12:13] = u64[0]  ;= v[0:1] = u64[0x6000300000003]
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
;! in v[4:5] = u64[0x0706050403020100]
;! in v8 = u32[0x04030200]
;! in v12 = u32[1200]
;! in v13 = u32[1300]
;! in v14 = u32[1400]
;! in v15 = u32[1500]
v_mqsad_u32_u8 v[0:3], v[4:5], v8, v[12:15]  ;= v0 = u32[1203]  ;= v1 = u32[1300]  ;= v2 = u32[1403]  ;= v3 = u32[1506]
