; Matrix multiply-add. All lanes take part whatever EXEC says.
;! by spec, layouts of AMD's matrix instruction calculator; sums of small integers, which are exact in every format

;! target gfx908 gfx90a
v_mfma_f32_32x32x1f32 a[0:31], v0, v16, a[0:31]  ;! exec 0xf0f0  ;! matrix 32x32x1x2 f32  ;= matrix
v_mfma_f32_16x16x1f32 a[0:15], v0, v16, a[0:15]  ;! exec 0xf0f0  ;! matrix 16x16x1x4 f32  ;= matrix
v_mfma_f32_4x4x1f32 a[0:3], v0, v16, a[0:3]  ;! exec 0xf0f0  ;! matrix 4x4x1x16 f32  ;= matrix
v_mfma_f32_32x32x2f32 a[0:15], v0, v16, a[0:15]  ;! exec 0xf0f0  ;! matrix 32x32x2 f32  ;= matrix
v_mfma_f32_16x16x4f32 a[0:3], v0, v16, a[0:3]  ;! exec 0xf0f0  ;! matrix 16x16x4 f32  ;= matrix
v_mfma_f32_32x32x4f16 a[0:31], v[0:1], v[16:17], a[0:31]  ;! exec 0xf0f0  ;! matrix 32x32x4x2 f16  ;= matrix
v_mfma_f32_16x16x4f16 a[0:15], v[0:1], v[16:17], a[0:15]  ;! exec 0xf0f0  ;! matrix 16x16x4x4 f16  ;= matrix
v_mfma_f32_4x4x4f16 a[0:3], v[0:1], v[16:17], a[0:3]  ;! exec 0xf0f0  ;! matrix 4x4x4x16 f16  ;= matrix
v_mfma_f32_32x32x8f16 a[0:15], v[0:1], v[16:17], a[0:15]  ;! exec 0xf0f0  ;! matrix 32x32x8 f16  ;= matrix
v_mfma_f32_16x16x16f16 a[0:3], v[0:1], v[16:17], a[0:3]  ;! exec 0xf0f0  ;! matrix 16x16x16 f16  ;= matrix
v_mfma_i32_32x32x4i8 a[0:31], v0, v16, a[0:31]  ;! exec 0xf0f0  ;! matrix 32x32x4x2 i8  ;= matrix
v_mfma_i32_16x16x4i8 a[0:15], v0, v16, a[0:15]  ;! exec 0xf0f0  ;! matrix 16x16x4x4 i8  ;= matrix
v_mfma_i32_4x4x4i8 a[0:3], v0, v16, a[0:3]  ;! exec 0xf0f0  ;! matrix 4x4x4x16 i8  ;= matrix
v_mfma_i32_32x32x8i8 a[0:15], v0, v16, a[0:15]  ;! exec 0xf0f0  ;! matrix 32x32x8 i8  ;= matrix
v_mfma_i32_16x16x16i8 a[0:3], v0, v16, a[0:3]  ;! exec 0xf0f0  ;! matrix 16x16x16 i8  ;= matrix
; Four registers of D may overlap C by a part (LLVM, VOP3PInstructions.td: only more than four may not).
;! target gfx908
;! matrix 16x16x16 i8
v_mfma_i32_16x16x16i8 a[1:4], v0, v16, a[0:3]
v_accvgpr_read_b32 v40, a1
v_accvgpr_read_b32 v41, a2
v_accvgpr_read_b32 v42, a3
v_accvgpr_read_b32 v43, a4
v_accvgpr_write_b32 a0, v40
v_accvgpr_write_b32 a1, v41
v_accvgpr_write_b32 a2, v42
v_accvgpr_write_b32 a3, v43
;= matrix
;= a4 = any
;= v[40:43] = any

;! target gfx908 gfx90a

v_mfma_f32_32x32x2bf16 a[0:31], v0, v16, a[0:31]  ;! exec 0xf0f0  ;! matrix 32x32x2x2 bf16  ;= matrix
v_mfma_f32_16x16x2bf16 a[0:15], v0, v16, a[0:15]  ;! exec 0xf0f0  ;! matrix 16x16x2x4 bf16  ;= matrix
v_mfma_f32_4x4x2bf16 a[0:3], v0, v16, a[0:3]  ;! exec 0xf0f0  ;! matrix 4x4x2x16 bf16  ;= matrix
v_mfma_f32_32x32x4bf16 a[0:15], v0, v16, a[0:15]  ;! exec 0xf0f0  ;! matrix 32x32x4 bf16  ;= matrix
v_mfma_f32_16x16x8bf16 a[0:3], v0, v16, a[0:3]  ;! exec 0xf0f0  ;! matrix 16x16x8 bf16  ;= matrix
;! target gfx90a
v_mfma_f32_32x32x4bf16_1k a[0:31], v[0:1], v[16:17], a[0:31]  ;! exec 0xf0f0  ;! matrix 32x32x4x2 bf16  ;= matrix
v_mfma_f32_16x16x4bf16_1k a[0:15], v[0:1], v[16:17], a[0:15]  ;! exec 0xf0f0  ;! matrix 16x16x4x4 bf16  ;= matrix
v_mfma_f32_4x4x4bf16_1k a[0:3], v[0:1], v[16:17], a[0:3]  ;! exec 0xf0f0  ;! matrix 4x4x4x16 bf16  ;= matrix
v_mfma_f32_32x32x8bf16_1k a[0:15], v[0:1], v[16:17], a[0:15]  ;! exec 0xf0f0  ;! matrix 32x32x8 bf16  ;= matrix
v_mfma_f32_16x16x16bf16_1k a[0:3], v[0:1], v[16:17], a[0:3]  ;! exec 0xf0f0  ;! matrix 16x16x16 bf16  ;= matrix
v_mfma_f64_16x16x4f64 a[0:7], v[0:1], v[16:17], a[0:7]  ;! exec 0xf0f0  ;! matrix 16x16x4 f64  ;= matrix
v_mfma_f64_4x4x4f64 a[0:1], v[0:1], v[16:17], a[0:1]  ;! exec 0xf0f0  ;! matrix 4x4x4x4 f64  ;= matrix
;! target gfx942
v_mfma_f32_16x16x8_xf32 a[0:3], v[0:1], v[16:17], a[0:3]  ;! exec 0xf0f0  ;! matrix 16x16x8 f32  ;= matrix
v_mfma_f32_32x32x4_xf32 a[0:15], v[0:1], v[16:17], a[0:15]  ;! exec 0xf0f0  ;! matrix 32x32x4 f32  ;= matrix
v_mfma_f32_32x32x1_2b_f32 a[0:31], v0, v16, a[0:31]  ;! exec 0xf0f0  ;! matrix 32x32x1x2 f32  ;= matrix
v_mfma_f32_16x16x1_4b_f32 a[0:15], v0, v16, a[0:15]  ;! exec 0xf0f0  ;! matrix 16x16x1x4 f32  ;= matrix
v_mfma_f32_4x4x1_16b_f32 a[0:3], v0, v16, a[0:3]  ;! exec 0xf0f0  ;! matrix 4x4x1x16 f32  ;= matrix
v_mfma_f32_32x32x2_f32 a[0:15], v0, v16, a[0:15]  ;! exec 0xf0f0  ;! matrix 32x32x2 f32  ;= matrix
v_mfma_f32_16x16x4_f32 a[0:3], v0, v16, a[0:3]  ;! exec 0xf0f0  ;! matrix 16x16x4 f32  ;= matrix
v_mfma_f32_32x32x4_2b_f16 a[0:31], v[0:1], v[16:17], a[0:31]  ;! exec 0xf0f0  ;! matrix 32x32x4x2 f16  ;= matrix
v_mfma_f32_16x16x4_4b_f16 a[0:15], v[0:1], v[16:17], a[0:15]  ;! exec 0xf0f0  ;! matrix 16x16x4x4 f16  ;= matrix
v_mfma_f32_4x4x4_16b_f16 a[0:3], v[0:1], v[16:17], a[0:3]  ;! exec 0xf0f0  ;! matrix 4x4x4x16 f16  ;= matrix
v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[16:17], a[0:15]  ;! exec 0xf0f0  ;! matrix 32x32x8 f16  ;= matrix
v_mfma_f32_16x16x16_f16 a[0:3], v[0:1], v[16:17], a[0:3]  ;! exec 0xf0f0  ;! matrix 16x16x16 f16  ;= matrix
v_mfma_i32_32x32x4_2b_i8 a[0:31], v0, v16, a[0:31]  ;! exec 0xf0f0  ;! matrix 32x32x4x2 i8  ;= matrix
v_mfma_i32_16x16x4_4b_i8 a[0:15], v0, v16, a[0:15]  ;! exec 0xf0f0  ;! matrix 16x16x4x4 i8  ;= matrix
v_mfma_i32_4x4x4_16b_i8 a[0:3], v0, v16, a[0:3]  ;! exec 0xf0f0  ;! matrix 4x4x4x16 i8  ;= matrix
v_mfma_i32_32x32x16_i8 a[0:15], v[0:1], v[16:17], a[0:15]  ;! exec 0xf0f0  ;! matrix 32x32x16 i8  ;= matrix
v_mfma_i32_16x16x32_i8 a[0:3], v[0:1], v[16:17], a[0:3]  ;! exec 0xf0f0  ;! matrix 16x16x32 i8  ;= matrix
v_mfma_f32_32x32x4_2b_bf16 a[0:31], v[0:1], v[16:17], a[0:31]  ;! exec 0xf0f0  ;! matrix 32x32x4x2 bf16  ;= matrix
v_mfma_f32_16x16x4_4b_bf16 a[0:15], v[0:1], v[16:17], a[0:15]  ;! exec 0xf0f0  ;! matrix 16x16x4x4 bf16  ;= matrix
v_mfma_f32_4x4x4_16b_bf16 a[0:3], v[0:1], v[16:17], a[0:3]  ;! exec 0xf0f0  ;! matrix 4x4x4x16 bf16  ;= matrix
v_mfma_f32_32x32x8_bf16 a[0:15], v[0:1], v[16:17], a[0:15]  ;! exec 0xf0f0  ;! matrix 32x32x8 bf16  ;= matrix
v_mfma_f32_16x16x16_bf16 a[0:3], v[0:1], v[16:17], a[0:3]  ;! exec 0xf0f0  ;! matrix 16x16x16 bf16  ;= matrix
v_mfma_f64_16x16x4_f64 a[0:7], v[0:1], v[16:17], a[0:7]  ;! exec 0xf0f0  ;! matrix 16x16x4 f64  ;= matrix
v_mfma_f64_4x4x4_4b_f64 a[0:1], v[0:1], v[16:17], a[0:1]  ;! exec 0xf0f0  ;! matrix 4x4x4x4 f64  ;= matrix
v_mfma_f32_16x16x32_bf8_bf8 a[0:3], v[0:1], v[16:17], a[0:3]  ;! exec 0xf0f0  ;! matrix 16x16x32 bf8  ;= matrix
v_mfma_f32_16x16x32_bf8_fp8 a[0:3], v[0:1], v[16:17], a[0:3]  ;! exec 0xf0f0  ;! matrix 16x16x32 bf8 fp8  ;= matrix
v_mfma_f32_16x16x32_fp8_bf8 a[0:3], v[0:1], v[16:17], a[0:3]  ;! exec 0xf0f0  ;! matrix 16x16x32 fp8 bf8  ;= matrix
v_mfma_f32_16x16x32_fp8_fp8 a[0:3], v[0:1], v[16:17], a[0:3]  ;! exec 0xf0f0  ;! matrix 16x16x32 fp8  ;= matrix
v_mfma_f32_32x32x16_bf8_bf8 a[0:15], v[0:1], v[16:17], a[0:15]  ;! exec 0xf0f0  ;! matrix 32x32x16 bf8  ;= matrix
v_mfma_f32_32x32x16_bf8_fp8 a[0:15], v[0:1], v[16:17], a[0:15]  ;! exec 0xf0f0  ;! matrix 32x32x16 bf8 fp8  ;= matrix
v_mfma_f32_32x32x16_fp8_bf8 a[0:15], v[0:1], v[16:17], a[0:15]  ;! exec 0xf0f0  ;! matrix 32x32x16 fp8 bf8  ;= matrix
v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[0:1], v[16:17], a[0:15]  ;! exec 0xf0f0  ;! matrix 32x32x16 fp8  ;= matrix
