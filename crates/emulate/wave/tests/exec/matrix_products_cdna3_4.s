; Matrix multiply-add of gfx942 and gfx950. All lanes take part whatever EXEC says.
;! by spec, layouts of AMD's matrix instruction calculator and of AMD's article on programming matrix cores; sums of small integers, which are exact in every format

;! target gfx942 gfx950

;! exec 0xf0f0
;! matrix 32x32x1x2 f32
v_mfma_f32_32x32x1_2b_f32 a[0:31], v0, v16, a[0:31]
;= matrix

;! exec 0xf0f0
;! matrix 16x16x1x4 f32
v_mfma_f32_16x16x1_4b_f32 a[0:15], v0, v16, a[0:15]
;= matrix

;! exec 0xf0f0
;! matrix 4x4x1x16 f32
v_mfma_f32_4x4x1_16b_f32 a[0:3], v0, v16, a[0:3]
;= matrix

;! exec 0xf0f0
;! matrix 32x32x2 f32
v_mfma_f32_32x32x2_f32 a[0:15], v0, v16, a[0:15]
;= matrix

;! exec 0xf0f0
;! matrix 16x16x4 f32
v_mfma_f32_16x16x4_f32 a[0:3], v0, v16, a[0:3]
;= matrix

;! exec 0xf0f0
;! matrix 32x32x4x2 f16
v_mfma_f32_32x32x4_2b_f16 a[0:31], v[0:1], v[16:17], a[0:31]
;= matrix

;! exec 0xf0f0
;! matrix 16x16x4x4 f16
v_mfma_f32_16x16x4_4b_f16 a[0:15], v[0:1], v[16:17], a[0:15]
;= matrix

;! exec 0xf0f0
;! matrix 4x4x4x16 f16
v_mfma_f32_4x4x4_16b_f16 a[0:3], v[0:1], v[16:17], a[0:3]
;= matrix

;! exec 0xf0f0
;! matrix 32x32x8 f16
v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[16:17], a[0:15]
;= matrix

;! exec 0xf0f0
;! matrix 16x16x16 f16
v_mfma_f32_16x16x16_f16 a[0:3], v[0:1], v[16:17], a[0:3]
;= matrix

;! exec 0xf0f0
;! matrix 32x32x4x2 bf16
v_mfma_f32_32x32x4_2b_bf16 a[0:31], v[0:1], v[16:17], a[0:31]
;= matrix

;! exec 0xf0f0
;! matrix 16x16x4x4 bf16
v_mfma_f32_16x16x4_4b_bf16 a[0:15], v[0:1], v[16:17], a[0:15]
;= matrix

;! exec 0xf0f0
;! matrix 4x4x4x16 bf16
v_mfma_f32_4x4x4_16b_bf16 a[0:3], v[0:1], v[16:17], a[0:3]
;= matrix

;! exec 0xf0f0
;! matrix 32x32x8 bf16
v_mfma_f32_32x32x8_bf16 a[0:15], v[0:1], v[16:17], a[0:15]
;= matrix

;! exec 0xf0f0
;! matrix 16x16x16 bf16
v_mfma_f32_16x16x16_bf16 a[0:3], v[0:1], v[16:17], a[0:3]
;= matrix

;! exec 0xf0f0
;! matrix 32x32x4x2 i8
v_mfma_i32_32x32x4_2b_i8 a[0:31], v0, v16, a[0:31]
;= matrix

;! exec 0xf0f0
;! matrix 16x16x4x4 i8
v_mfma_i32_16x16x4_4b_i8 a[0:15], v0, v16, a[0:15]
;= matrix

;! exec 0xf0f0
;! matrix 4x4x4x16 i8
v_mfma_i32_4x4x4_16b_i8 a[0:3], v0, v16, a[0:3]
;= matrix

;! exec 0xf0f0
;! matrix 32x32x16 i8
v_mfma_i32_32x32x16_i8 a[0:15], v[0:1], v[16:17], a[0:15]
;= matrix

;! exec 0xf0f0
;! matrix 16x16x32 i8
v_mfma_i32_16x16x32_i8 a[0:3], v[0:1], v[16:17], a[0:3]
;= matrix

;! exec 0xf0f0
;! matrix 16x16x4 f64
v_mfma_f64_16x16x4_f64 a[0:7], v[0:1], v[16:17], a[0:7]
;= matrix

;! exec 0xf0f0
;! matrix 4x4x4x4 f64
v_mfma_f64_4x4x4_4b_f64 a[0:1], v[0:1], v[16:17], a[0:1]
;= matrix

;! target gfx942

;! exec 0xf0f0
;! matrix 16x16x32 bf8 bf8
v_mfma_f32_16x16x32_bf8_bf8 a[0:3], v[0:1], v[16:17], a[0:3]
;= matrix

;! exec 0xf0f0
;! matrix 16x16x32 bf8 fp8
v_mfma_f32_16x16x32_bf8_fp8 a[0:3], v[0:1], v[16:17], a[0:3]
;= matrix

;! exec 0xf0f0
;! matrix 16x16x32 fp8 bf8
v_mfma_f32_16x16x32_fp8_bf8 a[0:3], v[0:1], v[16:17], a[0:3]
;= matrix

;! exec 0xf0f0
;! matrix 16x16x32 fp8 fp8
v_mfma_f32_16x16x32_fp8_fp8 a[0:3], v[0:1], v[16:17], a[0:3]
;= matrix

;! exec 0xf0f0
;! matrix 32x32x16 bf8 bf8
v_mfma_f32_32x32x16_bf8_bf8 a[0:15], v[0:1], v[16:17], a[0:15]
;= matrix

;! exec 0xf0f0
;! matrix 32x32x16 bf8 fp8
v_mfma_f32_32x32x16_bf8_fp8 a[0:15], v[0:1], v[16:17], a[0:15]
;= matrix

;! exec 0xf0f0
;! matrix 32x32x16 fp8 bf8
v_mfma_f32_32x32x16_fp8_bf8 a[0:15], v[0:1], v[16:17], a[0:15]
;= matrix

;! exec 0xf0f0
;! matrix 32x32x16 fp8 fp8
v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[0:1], v[16:17], a[0:15]
;= matrix

;! exec 0xf0f0
;! matrix 16x16x8 f32
v_mfma_f32_16x16x8_xf32 a[0:3], v[0:1], v[16:17], a[0:3]
;= matrix

;! exec 0xf0f0
;! matrix 32x32x4 f32
v_mfma_f32_32x32x4_xf32 a[0:15], v[0:1], v[16:17], a[0:15]
;= matrix

;! target gfx950

;! exec 0xf0f0
;! matrix 16x16x32 e5m2 e5m2
v_mfma_f32_16x16x32_bf8_bf8 a[0:3], v[0:1], v[16:17], a[0:3]
;= matrix

;! exec 0xf0f0
;! matrix 16x16x32 e5m2 e4m3
v_mfma_f32_16x16x32_bf8_fp8 a[0:3], v[0:1], v[16:17], a[0:3]
;= matrix

;! exec 0xf0f0
;! matrix 16x16x32 e4m3 e5m2
v_mfma_f32_16x16x32_fp8_bf8 a[0:3], v[0:1], v[16:17], a[0:3]
;= matrix

;! exec 0xf0f0
;! matrix 16x16x32 e4m3 e4m3
v_mfma_f32_16x16x32_fp8_fp8 a[0:3], v[0:1], v[16:17], a[0:3]
;= matrix

;! exec 0xf0f0
;! matrix 32x32x16 e5m2 e5m2
v_mfma_f32_32x32x16_bf8_bf8 a[0:15], v[0:1], v[16:17], a[0:15]
;= matrix

;! exec 0xf0f0
;! matrix 32x32x16 e5m2 e4m3
v_mfma_f32_32x32x16_bf8_fp8 a[0:15], v[0:1], v[16:17], a[0:15]
;= matrix

;! exec 0xf0f0
;! matrix 32x32x16 e4m3 e5m2
v_mfma_f32_32x32x16_fp8_bf8 a[0:15], v[0:1], v[16:17], a[0:15]
;= matrix

;! exec 0xf0f0
;! matrix 32x32x16 e4m3 e4m3
v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[0:1], v[16:17], a[0:15]
;= matrix

;! exec 0xf0f0
;! matrix 16x16x32 f16
v_mfma_f32_16x16x32_f16 a[0:3], v[0:3], v[16:19], a[0:3]
;= matrix

;! exec 0xf0f0
;! matrix 32x32x16 f16
v_mfma_f32_32x32x16_f16 a[0:15], v[0:3], v[16:19], a[0:15]
;= matrix

;! exec 0xf0f0
;! matrix 16x16x32 bf16
v_mfma_f32_16x16x32_bf16 a[0:3], v[0:3], v[16:19], a[0:3]
;= matrix

;! exec 0xf0f0
;! matrix 32x32x16 bf16
v_mfma_f32_32x32x16_bf16 a[0:15], v[0:3], v[16:19], a[0:15]
;= matrix

;! exec 0xf0f0
;! matrix 16x16x64 i8
v_mfma_i32_16x16x64_i8 a[0:3], v[0:3], v[16:19], a[0:3]
;= matrix

;! exec 0xf0f0
;! matrix 32x32x32 i8
v_mfma_i32_32x32x32_i8 a[0:15], v[0:3], v[16:19], a[0:15]
;= matrix

; Products of microscaling formats, all pairs of them; with scales for every 32 of K in one byte of a register each.

;! exec 0xf0f0
;! matrix 16x16x128 e4m3 e4m3
v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:7], v[16:23], a[0:3]
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e4m3 e4m3 scaled
v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:7], v[16:23], a[0:3], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0]
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e4m3 e4m3
v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[0:7], v[16:23], a[0:15]
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e4m3 e4m3 scaled
v_mfma_scale_f32_32x32x64_f8f6f4 a[0:15], v[0:7], v[16:23], a[0:15], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0]
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e4m3 e5m2
v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:7], v[16:23], a[0:3] blgp:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e4m3 e5m2 scaled
v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:7], v[16:23], a[0:3], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] blgp:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e4m3 e5m2
v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[0:7], v[16:23], a[0:15] blgp:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e4m3 e5m2 scaled
v_mfma_scale_f32_32x32x64_f8f6f4 a[0:15], v[0:7], v[16:23], a[0:15], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] blgp:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e4m3 e2m3
v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:7], v[16:21], a[0:3] blgp:2
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e4m3 e2m3 scaled
v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:7], v[16:21], a[0:3], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] blgp:2
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e4m3 e2m3
v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[0:7], v[16:21], a[0:15] blgp:2
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e4m3 e2m3 scaled
v_mfma_scale_f32_32x32x64_f8f6f4 a[0:15], v[0:7], v[16:21], a[0:15], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] blgp:2
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e4m3 e3m2
v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:7], v[16:21], a[0:3] blgp:3
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e4m3 e3m2 scaled
v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:7], v[16:21], a[0:3], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] blgp:3
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e4m3 e3m2
v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[0:7], v[16:21], a[0:15] blgp:3
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e4m3 e3m2 scaled
v_mfma_scale_f32_32x32x64_f8f6f4 a[0:15], v[0:7], v[16:21], a[0:15], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] blgp:3
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e4m3 e2m1
v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:7], v[16:19], a[0:3] blgp:4
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e4m3 e2m1 scaled
v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:7], v[16:19], a[0:3], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] blgp:4
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e4m3 e2m1
v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[0:7], v[16:19], a[0:15] blgp:4
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e4m3 e2m1 scaled
v_mfma_scale_f32_32x32x64_f8f6f4 a[0:15], v[0:7], v[16:19], a[0:15], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] blgp:4
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e5m2 e4m3
v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:7], v[16:23], a[0:3] cbsz:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e5m2 e4m3 scaled
v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:7], v[16:23], a[0:3], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e5m2 e4m3
v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[0:7], v[16:23], a[0:15] cbsz:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e5m2 e4m3 scaled
v_mfma_scale_f32_32x32x64_f8f6f4 a[0:15], v[0:7], v[16:23], a[0:15], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e5m2 e5m2
v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:7], v[16:23], a[0:3] cbsz:1 blgp:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e5m2 e5m2 scaled
v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:7], v[16:23], a[0:3], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:1 blgp:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e5m2 e5m2
v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[0:7], v[16:23], a[0:15] cbsz:1 blgp:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e5m2 e5m2 scaled
v_mfma_scale_f32_32x32x64_f8f6f4 a[0:15], v[0:7], v[16:23], a[0:15], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:1 blgp:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e5m2 e2m3
v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:7], v[16:21], a[0:3] cbsz:1 blgp:2
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e5m2 e2m3 scaled
v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:7], v[16:21], a[0:3], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:1 blgp:2
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e5m2 e2m3
v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[0:7], v[16:21], a[0:15] cbsz:1 blgp:2
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e5m2 e2m3 scaled
v_mfma_scale_f32_32x32x64_f8f6f4 a[0:15], v[0:7], v[16:21], a[0:15], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:1 blgp:2
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e5m2 e3m2
v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:7], v[16:21], a[0:3] cbsz:1 blgp:3
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e5m2 e3m2 scaled
v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:7], v[16:21], a[0:3], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:1 blgp:3
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e5m2 e3m2
v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[0:7], v[16:21], a[0:15] cbsz:1 blgp:3
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e5m2 e3m2 scaled
v_mfma_scale_f32_32x32x64_f8f6f4 a[0:15], v[0:7], v[16:21], a[0:15], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:1 blgp:3
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e5m2 e2m1
v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:7], v[16:19], a[0:3] cbsz:1 blgp:4
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e5m2 e2m1 scaled
v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:7], v[16:19], a[0:3], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:1 blgp:4
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e5m2 e2m1
v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[0:7], v[16:19], a[0:15] cbsz:1 blgp:4
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e5m2 e2m1 scaled
v_mfma_scale_f32_32x32x64_f8f6f4 a[0:15], v[0:7], v[16:19], a[0:15], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:1 blgp:4
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e2m3 e4m3
v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:5], v[16:23], a[0:3] cbsz:2
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e2m3 e4m3 scaled
v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:5], v[16:23], a[0:3], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:2
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e2m3 e4m3
v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[0:5], v[16:23], a[0:15] cbsz:2
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e2m3 e4m3 scaled
v_mfma_scale_f32_32x32x64_f8f6f4 a[0:15], v[0:5], v[16:23], a[0:15], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:2
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e2m3 e5m2
v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:5], v[16:23], a[0:3] cbsz:2 blgp:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e2m3 e5m2 scaled
v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:5], v[16:23], a[0:3], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:2 blgp:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e2m3 e5m2
v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[0:5], v[16:23], a[0:15] cbsz:2 blgp:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e2m3 e5m2 scaled
v_mfma_scale_f32_32x32x64_f8f6f4 a[0:15], v[0:5], v[16:23], a[0:15], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:2 blgp:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e2m3 e2m3
v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:5], v[16:21], a[0:3] cbsz:2 blgp:2
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e2m3 e2m3 scaled
v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:5], v[16:21], a[0:3], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:2 blgp:2
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e2m3 e2m3
v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[0:5], v[16:21], a[0:15] cbsz:2 blgp:2
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e2m3 e2m3 scaled
v_mfma_scale_f32_32x32x64_f8f6f4 a[0:15], v[0:5], v[16:21], a[0:15], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:2 blgp:2
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e2m3 e3m2
v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:5], v[16:21], a[0:3] cbsz:2 blgp:3
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e2m3 e3m2 scaled
v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:5], v[16:21], a[0:3], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:2 blgp:3
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e2m3 e3m2
v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[0:5], v[16:21], a[0:15] cbsz:2 blgp:3
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e2m3 e3m2 scaled
v_mfma_scale_f32_32x32x64_f8f6f4 a[0:15], v[0:5], v[16:21], a[0:15], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:2 blgp:3
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e2m3 e2m1
v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:5], v[16:19], a[0:3] cbsz:2 blgp:4
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e2m3 e2m1 scaled
v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:5], v[16:19], a[0:3], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:2 blgp:4
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e2m3 e2m1
v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[0:5], v[16:19], a[0:15] cbsz:2 blgp:4
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e2m3 e2m1 scaled
v_mfma_scale_f32_32x32x64_f8f6f4 a[0:15], v[0:5], v[16:19], a[0:15], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:2 blgp:4
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e3m2 e4m3
v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:5], v[16:23], a[0:3] cbsz:3
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e3m2 e4m3 scaled
v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:5], v[16:23], a[0:3], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:3
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e3m2 e4m3
v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[0:5], v[16:23], a[0:15] cbsz:3
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e3m2 e4m3 scaled
v_mfma_scale_f32_32x32x64_f8f6f4 a[0:15], v[0:5], v[16:23], a[0:15], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:3
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e3m2 e5m2
v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:5], v[16:23], a[0:3] cbsz:3 blgp:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e3m2 e5m2 scaled
v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:5], v[16:23], a[0:3], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:3 blgp:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e3m2 e5m2
v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[0:5], v[16:23], a[0:15] cbsz:3 blgp:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e3m2 e5m2 scaled
v_mfma_scale_f32_32x32x64_f8f6f4 a[0:15], v[0:5], v[16:23], a[0:15], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:3 blgp:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e3m2 e2m3
v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:5], v[16:21], a[0:3] cbsz:3 blgp:2
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e3m2 e2m3 scaled
v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:5], v[16:21], a[0:3], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:3 blgp:2
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e3m2 e2m3
v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[0:5], v[16:21], a[0:15] cbsz:3 blgp:2
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e3m2 e2m3 scaled
v_mfma_scale_f32_32x32x64_f8f6f4 a[0:15], v[0:5], v[16:21], a[0:15], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:3 blgp:2
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e3m2 e3m2
v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:5], v[16:21], a[0:3] cbsz:3 blgp:3
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e3m2 e3m2 scaled
v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:5], v[16:21], a[0:3], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:3 blgp:3
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e3m2 e3m2
v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[0:5], v[16:21], a[0:15] cbsz:3 blgp:3
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e3m2 e3m2 scaled
v_mfma_scale_f32_32x32x64_f8f6f4 a[0:15], v[0:5], v[16:21], a[0:15], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:3 blgp:3
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e3m2 e2m1
v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:5], v[16:19], a[0:3] cbsz:3 blgp:4
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e3m2 e2m1 scaled
v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:5], v[16:19], a[0:3], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:3 blgp:4
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e3m2 e2m1
v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[0:5], v[16:19], a[0:15] cbsz:3 blgp:4
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e3m2 e2m1 scaled
v_mfma_scale_f32_32x32x64_f8f6f4 a[0:15], v[0:5], v[16:19], a[0:15], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:3 blgp:4
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e2m1 e4m3
v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:3], v[16:23], a[0:3] cbsz:4
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e2m1 e4m3 scaled
v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:3], v[16:23], a[0:3], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:4
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e2m1 e4m3
v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[0:3], v[16:23], a[0:15] cbsz:4
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e2m1 e4m3 scaled
v_mfma_scale_f32_32x32x64_f8f6f4 a[0:15], v[0:3], v[16:23], a[0:15], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:4
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e2m1 e5m2
v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:3], v[16:23], a[0:3] cbsz:4 blgp:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e2m1 e5m2 scaled
v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:3], v[16:23], a[0:3], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:4 blgp:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e2m1 e5m2
v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[0:3], v[16:23], a[0:15] cbsz:4 blgp:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e2m1 e5m2 scaled
v_mfma_scale_f32_32x32x64_f8f6f4 a[0:15], v[0:3], v[16:23], a[0:15], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:4 blgp:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e2m1 e2m3
v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:3], v[16:21], a[0:3] cbsz:4 blgp:2
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e2m1 e2m3 scaled
v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:3], v[16:21], a[0:3], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:4 blgp:2
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e2m1 e2m3
v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[0:3], v[16:21], a[0:15] cbsz:4 blgp:2
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e2m1 e2m3 scaled
v_mfma_scale_f32_32x32x64_f8f6f4 a[0:15], v[0:3], v[16:21], a[0:15], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:4 blgp:2
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e2m1 e3m2
v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:3], v[16:21], a[0:3] cbsz:4 blgp:3
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e2m1 e3m2 scaled
v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:3], v[16:21], a[0:3], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:4 blgp:3
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e2m1 e3m2
v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[0:3], v[16:21], a[0:15] cbsz:4 blgp:3
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e2m1 e3m2 scaled
v_mfma_scale_f32_32x32x64_f8f6f4 a[0:15], v[0:3], v[16:21], a[0:15], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:4 blgp:3
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e2m1 e2m1
v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:3], v[16:19], a[0:3] cbsz:4 blgp:4
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e2m1 e2m1 scaled
v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:3], v[16:19], a[0:3], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:4 blgp:4
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e2m1 e2m1
v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[0:3], v[16:19], a[0:15] cbsz:4 blgp:4
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e2m1 e2m1 scaled
v_mfma_scale_f32_32x32x64_f8f6f4 a[0:15], v[0:3], v[16:19], a[0:15], v40, v41 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:4 blgp:4
;= matrix
