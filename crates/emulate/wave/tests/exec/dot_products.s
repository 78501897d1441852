; Dot products.
;! by spec, worked out by hand from the formulas of the CDNA2 and RDNA2 manuals

;! target gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
v_dot2_f32_f16 v0, v4, v8, v12  ;! in v4 = u32[0x40003c00]  ;! in v8 = u32[0x42004400]  ;! in v12 = u32[0x3f000000]  ;= v0 = f32[10.5]
v_dot2_i32_i16 v0, v4, v8, v12  ;! in v4 = u32[0xffff0002]  ;! in v8 = u32[0x30005]  ;! in v12 = u32[0x64]  ;= v0 = u32[0x6b]
v_dot2_u32_u16 v0, v4, v8, v12  ;! in v4 = u32[0xffff0002]  ;! in v8 = u32[0x30005]  ;! in v12 = u32[0x64]  ;= v0 = u32[0x3006b]
v_dot2_i32_i16 v0, v4, v8, v12 clamp  ;! in v4 = u32[0x7fff7fff]  ;! in v8 = u32[0x7fff7fff]  ;! in v12 = u32[0x7fffffff]  ;= v0 = u32[0x7fffffff]
v_dot4_i32_i8 v0, v4, v8, v12  ;! not gfx11 gfx12  ;! in v4 = u32[0xff020304]  ;! in v8 = u32[0x1010101]  ;! in v12 = u32[0xa]  ;= v0 = u32[0x12]
v_dot4_u32_u8 v0, v4, v8, v12  ;! in v4 = u32[0xff020304]  ;! in v8 = u32[0x1010101]  ;! in v12 = u32[0xa]  ;= v0 = u32[0x112]
v_dot4_u32_u8 v0, v4, v8, v12 clamp  ;! in v4 = u32[0xff020304]  ;! in v8 = u32[0x1010101]  ;! in v12 = u32[0xfffffff0]  ;= v0 = u32[0xffffffff]
v_dot8_i32_i4 v0, v4, v8, v12  ;! not gfx11 gfx12  ;! in v4 = u32[0xf1234567]  ;! in v8 = u32[0x11111111]  ;! in v12 = u32[0]  ;= v0 = u32[0x1b]
v_dot8_u32_u4 v0, v4, v8, v12  ;! in v4 = u32[0xf1234567]  ;! in v8 = u32[0x11111111]  ;! in v12 = u32[0]  ;= v0 = u32[0x2b]
;! target gfx908 gfx90a gfx942 gfx950 gfx1030
v_dot2c_f32_f16 v0, v4, v8  ;! in v0 = f32[0.5]  ;! in v4 = u32[0x40003c00]  ;! in v8 = u32[0x42004400]  ;= v0 = f32[10.5]
;! target gfx908 gfx90a gfx942 gfx950
v_dot2c_i32_i16 v0, v4, v8  ;! in v0 = u32[0x64]  ;! in v4 = u32[0xffff0002]  ;! in v8 = u32[0x30005]  ;= v0 = u32[0x6b]
;! target gfx908 gfx90a gfx942 gfx950 gfx1030
v_dot4c_i32_i8 v0, v4, v8  ;! in v0 = u32[0xa]  ;! in v4 = u32[0xff020304]  ;! in v8 = u32[0x1010101]  ;= v0 = u32[0x12]
;! target gfx908 gfx90a gfx942 gfx950
v_dot8c_i32_i4 v0, v4, v8  ;! in v0 = u32[1]  ;! in v4 = u32[0xf1234567]  ;! in v8 = u32[0x11111111]  ;= v0 = u32[0x1c]
