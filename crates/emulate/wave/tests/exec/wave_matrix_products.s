; Wave matrix multiply-add. Whoever changes this file: registers are those of `harness/wave_product.rs`, in the numbers that
; the instruction has on the target in the wave size.
;! by spec, layouts of AMD's matrix instruction calculator; sums of small integers, which are exact in every format

;! target gfx1100/32 gfx1151/32

;! wave-matrix
v_wmma_f32_16x16x16_f16 v[48:55], v[0:7], v[16:23], v[48:55]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_f16 v[48:55], v[0:7], v[16:23], v[48:55] neg_lo:[1,0,0] neg_hi:[0,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_f16 v[48:55], v[0:7], v[16:23], v[48:55] neg_lo:[0,1,0] neg_hi:[1,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_f16 v[48:55], v[0:7], v[16:23], v[48:55] neg_lo:[0,0,1] neg_hi:[0,0,1]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_f16 v[48:55], v[0:7], v[16:23], 1.0
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_bf16 v[48:55], v[0:7], v[16:23], v[48:55]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_bf16 v[48:55], v[0:7], v[16:23], v[48:55] neg_lo:[1,0,0] neg_hi:[0,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_bf16 v[48:55], v[0:7], v[16:23], v[48:55] neg_lo:[0,1,0] neg_hi:[1,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_bf16 v[48:55], v[0:7], v[16:23], v[48:55] neg_lo:[0,0,1] neg_hi:[0,0,1]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_bf16 v[48:55], v[0:7], v[16:23], 1.0
;= wave-matrix

;! wave-matrix
v_wmma_f16_16x16x16_f16 v[48:55], v[0:7], v[16:23], v[48:55]
;= wave-matrix

;! wave-matrix
v_wmma_f16_16x16x16_f16 v[48:55], v[0:7], v[16:23], v[48:55] neg_lo:[1,0,0] neg_hi:[0,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_f16_16x16x16_f16 v[48:55], v[0:7], v[16:23], v[48:55] neg_lo:[0,1,0] neg_hi:[1,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_f16_16x16x16_f16 v[48:55], v[0:7], v[16:23], v[48:55] neg_lo:[0,0,1] neg_hi:[0,0,1]
;= wave-matrix

;! wave-matrix
v_wmma_f16_16x16x16_f16 v[48:55], v[0:7], v[16:23], v[48:55] op_sel:[0,0,1]
;= wave-matrix

;! wave-matrix
v_wmma_bf16_16x16x16_bf16 v[48:55], v[0:7], v[16:23], v[48:55]
;= wave-matrix

;! wave-matrix
v_wmma_bf16_16x16x16_bf16 v[48:55], v[0:7], v[16:23], v[48:55] neg_lo:[1,0,0] neg_hi:[0,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_bf16_16x16x16_bf16 v[48:55], v[0:7], v[16:23], v[48:55] neg_lo:[0,1,0] neg_hi:[1,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_bf16_16x16x16_bf16 v[48:55], v[0:7], v[16:23], v[48:55] neg_lo:[0,0,1] neg_hi:[0,0,1]
;= wave-matrix

;! wave-matrix
v_wmma_bf16_16x16x16_bf16 v[48:55], v[0:7], v[16:23], v[48:55] op_sel:[0,0,1]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu8 v[48:55], v[0:3], v[16:19], v[48:55] neg_lo:[1,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu8 v[48:55], v[0:3], v[16:19], v[48:55]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu8 v[48:55], v[0:3], v[16:19], v[48:55] neg_lo:[1,0,0]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu8 v[48:55], v[0:3], v[16:19], v[48:55] neg_lo:[1,1,0] clamp
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu8 v[48:55], v[0:3], v[16:19], 7 neg_lo:[1,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu4 v[48:55], v[0:1], v[16:17], v[48:55] neg_lo:[1,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu4 v[48:55], v[0:1], v[16:17], v[48:55]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu4 v[48:55], v[0:1], v[16:17], v[48:55] neg_lo:[1,0,0]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu4 v[48:55], v[0:1], v[16:17], v[48:55] neg_lo:[1,1,0] clamp
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu4 v[48:55], v[0:1], v[16:17], 7 neg_lo:[1,1,0]
;= wave-matrix

;! target gfx1100/64 gfx1151/64

;! wave-matrix
v_wmma_f32_16x16x16_f16 v[48:51], v[0:7], v[16:23], v[48:51]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_f16 v[48:51], v[0:7], v[16:23], v[48:51] neg_lo:[1,0,0] neg_hi:[0,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_f16 v[48:51], v[0:7], v[16:23], v[48:51] neg_lo:[0,1,0] neg_hi:[1,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_f16 v[48:51], v[0:7], v[16:23], v[48:51] neg_lo:[0,0,1] neg_hi:[0,0,1]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_f16 v[48:51], v[0:7], v[16:23], 1.0
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_bf16 v[48:51], v[0:7], v[16:23], v[48:51]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_bf16 v[48:51], v[0:7], v[16:23], v[48:51] neg_lo:[1,0,0] neg_hi:[0,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_bf16 v[48:51], v[0:7], v[16:23], v[48:51] neg_lo:[0,1,0] neg_hi:[1,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_bf16 v[48:51], v[0:7], v[16:23], v[48:51] neg_lo:[0,0,1] neg_hi:[0,0,1]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_bf16 v[48:51], v[0:7], v[16:23], 1.0
;= wave-matrix

;! wave-matrix
v_wmma_f16_16x16x16_f16 v[48:51], v[0:7], v[16:23], v[48:51]
;= wave-matrix

;! wave-matrix
v_wmma_f16_16x16x16_f16 v[48:51], v[0:7], v[16:23], v[48:51] neg_lo:[1,0,0] neg_hi:[0,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_f16_16x16x16_f16 v[48:51], v[0:7], v[16:23], v[48:51] neg_lo:[0,1,0] neg_hi:[1,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_f16_16x16x16_f16 v[48:51], v[0:7], v[16:23], v[48:51] neg_lo:[0,0,1] neg_hi:[0,0,1]
;= wave-matrix

;! wave-matrix
v_wmma_f16_16x16x16_f16 v[48:51], v[0:7], v[16:23], v[48:51] op_sel:[0,0,1]
;= wave-matrix

;! wave-matrix
v_wmma_bf16_16x16x16_bf16 v[48:51], v[0:7], v[16:23], v[48:51]
;= wave-matrix

;! wave-matrix
v_wmma_bf16_16x16x16_bf16 v[48:51], v[0:7], v[16:23], v[48:51] neg_lo:[1,0,0] neg_hi:[0,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_bf16_16x16x16_bf16 v[48:51], v[0:7], v[16:23], v[48:51] neg_lo:[0,1,0] neg_hi:[1,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_bf16_16x16x16_bf16 v[48:51], v[0:7], v[16:23], v[48:51] neg_lo:[0,0,1] neg_hi:[0,0,1]
;= wave-matrix

;! wave-matrix
v_wmma_bf16_16x16x16_bf16 v[48:51], v[0:7], v[16:23], v[48:51] op_sel:[0,0,1]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu8 v[48:51], v[0:3], v[16:19], v[48:51] neg_lo:[1,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu8 v[48:51], v[0:3], v[16:19], v[48:51]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu8 v[48:51], v[0:3], v[16:19], v[48:51] neg_lo:[1,0,0]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu8 v[48:51], v[0:3], v[16:19], v[48:51] neg_lo:[1,1,0] clamp
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu8 v[48:51], v[0:3], v[16:19], 7 neg_lo:[1,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu4 v[48:51], v[0:1], v[16:17], v[48:51] neg_lo:[1,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu4 v[48:51], v[0:1], v[16:17], v[48:51]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu4 v[48:51], v[0:1], v[16:17], v[48:51] neg_lo:[1,0,0]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu4 v[48:51], v[0:1], v[16:17], v[48:51] neg_lo:[1,1,0] clamp
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu4 v[48:51], v[0:1], v[16:17], 7 neg_lo:[1,1,0]
;= wave-matrix

;! target gfx1200/32 gfx1201/32

;! wave-matrix
v_wmma_f32_16x16x16_f16 v[48:55], v[0:3], v[16:19], v[48:55]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_f16 v[48:55], v[0:3], v[16:19], v[48:55] neg_lo:[1,0,0] neg_hi:[0,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_f16 v[48:55], v[0:3], v[16:19], v[48:55] neg_lo:[0,1,0] neg_hi:[1,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_f16 v[48:55], v[0:3], v[16:19], v[48:55] neg_lo:[0,0,1] neg_hi:[0,0,1]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_f16 v[48:55], v[0:3], v[16:19], 1.0
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_bf16 v[48:55], v[0:3], v[16:19], v[48:55]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_bf16 v[48:55], v[0:3], v[16:19], v[48:55] neg_lo:[1,0,0] neg_hi:[0,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_bf16 v[48:55], v[0:3], v[16:19], v[48:55] neg_lo:[0,1,0] neg_hi:[1,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_bf16 v[48:55], v[0:3], v[16:19], v[48:55] neg_lo:[0,0,1] neg_hi:[0,0,1]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_bf16 v[48:55], v[0:3], v[16:19], 1.0
;= wave-matrix

;! wave-matrix
v_wmma_f16_16x16x16_f16 v[48:51], v[0:3], v[16:19], v[48:51]
;= wave-matrix

;! wave-matrix
v_wmma_f16_16x16x16_f16 v[48:51], v[0:3], v[16:19], v[48:51] neg_lo:[1,0,0] neg_hi:[0,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_f16_16x16x16_f16 v[48:51], v[0:3], v[16:19], v[48:51] neg_lo:[0,1,0] neg_hi:[1,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_f16_16x16x16_f16 v[48:51], v[0:3], v[16:19], v[48:51] neg_lo:[0,0,1] neg_hi:[0,0,1]
;= wave-matrix

;! wave-matrix
v_wmma_f16_16x16x16_f16 v[48:51], v[0:3], v[16:19], 1.0
;= wave-matrix

;! wave-matrix
v_wmma_bf16_16x16x16_bf16 v[48:51], v[0:3], v[16:19], v[48:51]
;= wave-matrix

;! wave-matrix
v_wmma_bf16_16x16x16_bf16 v[48:51], v[0:3], v[16:19], v[48:51] neg_lo:[1,0,0] neg_hi:[0,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_bf16_16x16x16_bf16 v[48:51], v[0:3], v[16:19], v[48:51] neg_lo:[0,1,0] neg_hi:[1,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_bf16_16x16x16_bf16 v[48:51], v[0:3], v[16:19], v[48:51] neg_lo:[0,0,1] neg_hi:[0,0,1]
;= wave-matrix

;! wave-matrix
v_wmma_bf16_16x16x16_bf16 v[48:51], v[0:3], v[16:19], 1.0
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu8 v[48:55], v[0:1], v[16:17], v[48:55] neg_lo:[1,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu8 v[48:55], v[0:1], v[16:17], v[48:55]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu8 v[48:55], v[0:1], v[16:17], v[48:55] neg_lo:[1,0,0]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu8 v[48:55], v[0:1], v[16:17], v[48:55] neg_lo:[1,1,0] clamp
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu8 v[48:55], v[0:1], v[16:17], 7 neg_lo:[1,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu4 v[48:55], v0, v16, v[48:55] neg_lo:[1,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu4 v[48:55], v0, v16, v[48:55]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu4 v[48:55], v0, v16, v[48:55] neg_lo:[1,0,0]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu4 v[48:55], v0, v16, v[48:55] neg_lo:[1,1,0] clamp
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu4 v[48:55], v0, v16, 7 neg_lo:[1,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x32_iu4 v[48:55], v[0:1], v[16:17], v[48:55] neg_lo:[1,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x32_iu4 v[48:55], v[0:1], v[16:17], v[48:55]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x32_iu4 v[48:55], v[0:1], v[16:17], v[48:55] neg_lo:[1,0,0]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x32_iu4 v[48:55], v[0:1], v[16:17], v[48:55] neg_lo:[1,1,0] clamp
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x32_iu4 v[48:55], v[0:1], v[16:17], 7 neg_lo:[1,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_fp8_fp8 v[48:55], v[0:1], v[16:17], v[48:55]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_fp8_bf8 v[48:55], v[0:1], v[16:17], v[48:55]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_bf8_fp8 v[48:55], v[0:1], v[16:17], v[48:55]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_bf8_bf8 v[48:55], v[0:1], v[16:17], v[48:55]
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_f16 v[48:55], v[0:3], v[16:23], v40
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_f16 v[48:55], v[0:3], v[16:23], v40 neg_lo:[1,0,0] neg_hi:[0,1,0]
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_f16 v[48:55], v[0:3], v[16:23], v40 neg_lo:[0,1,0] neg_hi:[1,1,0]
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_f16 v[48:55], v[0:3], v[16:23], v40 index_key:1
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_bf16 v[48:55], v[0:3], v[16:23], v40
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_bf16 v[48:55], v[0:3], v[16:23], v40 neg_lo:[1,0,0] neg_hi:[0,1,0]
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_bf16 v[48:55], v[0:3], v[16:23], v40 neg_lo:[0,1,0] neg_hi:[1,1,0]
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_bf16 v[48:55], v[0:3], v[16:23], v40 index_key:1
;= wave-matrix

;! wave-matrix
v_swmmac_f16_16x16x32_f16 v[48:51], v[0:3], v[16:23], v40
;= wave-matrix

;! wave-matrix
v_swmmac_f16_16x16x32_f16 v[48:51], v[0:3], v[16:23], v40 neg_lo:[1,0,0] neg_hi:[0,1,0]
;= wave-matrix

;! wave-matrix
v_swmmac_f16_16x16x32_f16 v[48:51], v[0:3], v[16:23], v40 neg_lo:[0,1,0] neg_hi:[1,1,0]
;= wave-matrix

;! wave-matrix
v_swmmac_f16_16x16x32_f16 v[48:51], v[0:3], v[16:23], v40 index_key:1
;= wave-matrix

;! wave-matrix
v_swmmac_bf16_16x16x32_bf16 v[48:51], v[0:3], v[16:23], v40
;= wave-matrix

;! wave-matrix
v_swmmac_bf16_16x16x32_bf16 v[48:51], v[0:3], v[16:23], v40 neg_lo:[1,0,0] neg_hi:[0,1,0]
;= wave-matrix

;! wave-matrix
v_swmmac_bf16_16x16x32_bf16 v[48:51], v[0:3], v[16:23], v40 neg_lo:[0,1,0] neg_hi:[1,1,0]
;= wave-matrix

;! wave-matrix
v_swmmac_bf16_16x16x32_bf16 v[48:51], v[0:3], v[16:23], v40 index_key:1
;= wave-matrix

;! wave-matrix
v_swmmac_i32_16x16x32_iu8 v[48:55], v[0:1], v[16:19], v40 neg_lo:[1,1,0]
;= wave-matrix

;! wave-matrix
v_swmmac_i32_16x16x32_iu8 v[48:55], v[0:1], v[16:19], v40
;= wave-matrix

;! wave-matrix
v_swmmac_i32_16x16x32_iu8 v[48:55], v[0:1], v[16:19], v40 neg_lo:[1,0,0]
;= wave-matrix

;! wave-matrix
v_swmmac_i32_16x16x32_iu8 v[48:55], v[0:1], v[16:19], v40 neg_lo:[1,1,0] clamp
;= wave-matrix

;! wave-matrix
v_swmmac_i32_16x16x32_iu8 v[48:55], v[0:1], v[16:19], v40 index_key:1 neg_lo:[1,1,0]
;= wave-matrix

;! wave-matrix
v_swmmac_i32_16x16x32_iu4 v[48:55], v0, v[16:17], v40 neg_lo:[1,1,0]
;= wave-matrix

;! wave-matrix
v_swmmac_i32_16x16x32_iu4 v[48:55], v0, v[16:17], v40
;= wave-matrix

;! wave-matrix
v_swmmac_i32_16x16x32_iu4 v[48:55], v0, v[16:17], v40 neg_lo:[1,0,0]
;= wave-matrix

;! wave-matrix
v_swmmac_i32_16x16x32_iu4 v[48:55], v0, v[16:17], v40 neg_lo:[1,1,0] clamp
;= wave-matrix

;! wave-matrix
v_swmmac_i32_16x16x32_iu4 v[48:55], v0, v[16:17], v40 index_key:1 neg_lo:[1,1,0]
;= wave-matrix

;! wave-matrix
v_swmmac_i32_16x16x64_iu4 v[48:55], v[0:1], v[16:19], v40 neg_lo:[1,1,0]
;= wave-matrix

;! wave-matrix
v_swmmac_i32_16x16x64_iu4 v[48:55], v[0:1], v[16:19], v40
;= wave-matrix

;! wave-matrix
v_swmmac_i32_16x16x64_iu4 v[48:55], v[0:1], v[16:19], v40 neg_lo:[1,0,0]
;= wave-matrix

;! wave-matrix
v_swmmac_i32_16x16x64_iu4 v[48:55], v[0:1], v[16:19], v40 neg_lo:[1,1,0] clamp
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_fp8_fp8 v[48:55], v[0:1], v[16:19], v40
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_fp8_fp8 v[48:55], v[0:1], v[16:19], v40 index_key:1
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_fp8_bf8 v[48:55], v[0:1], v[16:19], v40
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_fp8_bf8 v[48:55], v[0:1], v[16:19], v40 index_key:1
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_bf8_fp8 v[48:55], v[0:1], v[16:19], v40
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_bf8_fp8 v[48:55], v[0:1], v[16:19], v40 index_key:1
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_bf8_bf8 v[48:55], v[0:1], v[16:19], v40
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_bf8_bf8 v[48:55], v[0:1], v[16:19], v40 index_key:1
;= wave-matrix

;! target gfx1200/64 gfx1201/64

;! wave-matrix
v_wmma_f32_16x16x16_f16 v[48:51], v[0:1], v[16:17], v[48:51]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_f16 v[48:51], v[0:1], v[16:17], v[48:51] neg_lo:[1,0,0] neg_hi:[0,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_f16 v[48:51], v[0:1], v[16:17], v[48:51] neg_lo:[0,1,0] neg_hi:[1,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_f16 v[48:51], v[0:1], v[16:17], v[48:51] neg_lo:[0,0,1] neg_hi:[0,0,1]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_f16 v[48:51], v[0:1], v[16:17], 1.0
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_bf16 v[48:51], v[0:1], v[16:17], v[48:51]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_bf16 v[48:51], v[0:1], v[16:17], v[48:51] neg_lo:[1,0,0] neg_hi:[0,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_bf16 v[48:51], v[0:1], v[16:17], v[48:51] neg_lo:[0,1,0] neg_hi:[1,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_bf16 v[48:51], v[0:1], v[16:17], v[48:51] neg_lo:[0,0,1] neg_hi:[0,0,1]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_bf16 v[48:51], v[0:1], v[16:17], 1.0
;= wave-matrix

;! wave-matrix
v_wmma_f16_16x16x16_f16 v[48:49], v[0:1], v[16:17], v[48:49]
;= wave-matrix

;! wave-matrix
v_wmma_f16_16x16x16_f16 v[48:49], v[0:1], v[16:17], v[48:49] neg_lo:[1,0,0] neg_hi:[0,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_f16_16x16x16_f16 v[48:49], v[0:1], v[16:17], v[48:49] neg_lo:[0,1,0] neg_hi:[1,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_f16_16x16x16_f16 v[48:49], v[0:1], v[16:17], v[48:49] neg_lo:[0,0,1] neg_hi:[0,0,1]
;= wave-matrix

;! wave-matrix
v_wmma_f16_16x16x16_f16 v[48:49], v[0:1], v[16:17], 1.0
;= wave-matrix

;! wave-matrix
v_wmma_bf16_16x16x16_bf16 v[48:49], v[0:1], v[16:17], v[48:49]
;= wave-matrix

;! wave-matrix
v_wmma_bf16_16x16x16_bf16 v[48:49], v[0:1], v[16:17], v[48:49] neg_lo:[1,0,0] neg_hi:[0,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_bf16_16x16x16_bf16 v[48:49], v[0:1], v[16:17], v[48:49] neg_lo:[0,1,0] neg_hi:[1,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_bf16_16x16x16_bf16 v[48:49], v[0:1], v[16:17], v[48:49] neg_lo:[0,0,1] neg_hi:[0,0,1]
;= wave-matrix

;! wave-matrix
v_wmma_bf16_16x16x16_bf16 v[48:49], v[0:1], v[16:17], 1.0
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu8 v[48:51], v0, v16, v[48:51] neg_lo:[1,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu8 v[48:51], v0, v16, v[48:51]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu8 v[48:51], v0, v16, v[48:51] neg_lo:[1,0,0]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu8 v[48:51], v0, v16, v[48:51] neg_lo:[1,1,0] clamp
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu8 v[48:51], v0, v16, 7 neg_lo:[1,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu4 v[48:51], v0, v16, v[48:51] neg_lo:[1,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu4 v[48:51], v0, v16, v[48:51]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu4 v[48:51], v0, v16, v[48:51] neg_lo:[1,0,0]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu4 v[48:51], v0, v16, v[48:51] neg_lo:[1,1,0] clamp
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x16_iu4 v[48:51], v0, v16, 7 neg_lo:[1,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x32_iu4 v[48:51], v0, v16, v[48:51] neg_lo:[1,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x32_iu4 v[48:51], v0, v16, v[48:51]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x32_iu4 v[48:51], v0, v16, v[48:51] neg_lo:[1,0,0]
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x32_iu4 v[48:51], v0, v16, v[48:51] neg_lo:[1,1,0] clamp
;= wave-matrix

;! wave-matrix
v_wmma_i32_16x16x32_iu4 v[48:51], v0, v16, 7 neg_lo:[1,1,0]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_fp8_fp8 v[48:51], v0, v16, v[48:51]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_fp8_bf8 v[48:51], v0, v16, v[48:51]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_bf8_fp8 v[48:51], v0, v16, v[48:51]
;= wave-matrix

;! wave-matrix
v_wmma_f32_16x16x16_bf8_bf8 v[48:51], v0, v16, v[48:51]
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_f16 v[48:51], v[0:1], v[16:19], v40
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_f16 v[48:51], v[0:1], v[16:19], v40 neg_lo:[1,0,0] neg_hi:[0,1,0]
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_f16 v[48:51], v[0:1], v[16:19], v40 neg_lo:[0,1,0] neg_hi:[1,1,0]
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_f16 v[48:51], v[0:1], v[16:19], v40 index_key:1
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_f16 v[48:51], v[0:1], v[16:19], v40 index_key:2
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_f16 v[48:51], v[0:1], v[16:19], v40 index_key:3
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_bf16 v[48:51], v[0:1], v[16:19], v40
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_bf16 v[48:51], v[0:1], v[16:19], v40 neg_lo:[1,0,0] neg_hi:[0,1,0]
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_bf16 v[48:51], v[0:1], v[16:19], v40 neg_lo:[0,1,0] neg_hi:[1,1,0]
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_bf16 v[48:51], v[0:1], v[16:19], v40 index_key:1
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_bf16 v[48:51], v[0:1], v[16:19], v40 index_key:2
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_bf16 v[48:51], v[0:1], v[16:19], v40 index_key:3
;= wave-matrix

;! wave-matrix
v_swmmac_f16_16x16x32_f16 v[48:49], v[0:1], v[16:19], v40
;= wave-matrix

;! wave-matrix
v_swmmac_f16_16x16x32_f16 v[48:49], v[0:1], v[16:19], v40 neg_lo:[1,0,0] neg_hi:[0,1,0]
;= wave-matrix

;! wave-matrix
v_swmmac_f16_16x16x32_f16 v[48:49], v[0:1], v[16:19], v40 neg_lo:[0,1,0] neg_hi:[1,1,0]
;= wave-matrix

;! wave-matrix
v_swmmac_f16_16x16x32_f16 v[48:49], v[0:1], v[16:19], v40 index_key:1
;= wave-matrix

;! wave-matrix
v_swmmac_f16_16x16x32_f16 v[48:49], v[0:1], v[16:19], v40 index_key:2
;= wave-matrix

;! wave-matrix
v_swmmac_f16_16x16x32_f16 v[48:49], v[0:1], v[16:19], v40 index_key:3
;= wave-matrix

;! wave-matrix
v_swmmac_bf16_16x16x32_bf16 v[48:49], v[0:1], v[16:19], v40
;= wave-matrix

;! wave-matrix
v_swmmac_bf16_16x16x32_bf16 v[48:49], v[0:1], v[16:19], v40 neg_lo:[1,0,0] neg_hi:[0,1,0]
;= wave-matrix

;! wave-matrix
v_swmmac_bf16_16x16x32_bf16 v[48:49], v[0:1], v[16:19], v40 neg_lo:[0,1,0] neg_hi:[1,1,0]
;= wave-matrix

;! wave-matrix
v_swmmac_bf16_16x16x32_bf16 v[48:49], v[0:1], v[16:19], v40 index_key:1
;= wave-matrix

;! wave-matrix
v_swmmac_bf16_16x16x32_bf16 v[48:49], v[0:1], v[16:19], v40 index_key:2
;= wave-matrix

;! wave-matrix
v_swmmac_bf16_16x16x32_bf16 v[48:49], v[0:1], v[16:19], v40 index_key:3
;= wave-matrix

;! wave-matrix
v_swmmac_i32_16x16x32_iu8 v[48:51], v0, v[16:17], v40 neg_lo:[1,1,0]
;= wave-matrix

;! wave-matrix
v_swmmac_i32_16x16x32_iu8 v[48:51], v0, v[16:17], v40
;= wave-matrix

;! wave-matrix
v_swmmac_i32_16x16x32_iu8 v[48:51], v0, v[16:17], v40 neg_lo:[1,0,0]
;= wave-matrix

;! wave-matrix
v_swmmac_i32_16x16x32_iu8 v[48:51], v0, v[16:17], v40 neg_lo:[1,1,0] clamp
;= wave-matrix

;! wave-matrix
v_swmmac_i32_16x16x32_iu8 v[48:51], v0, v[16:17], v40 index_key:1 neg_lo:[1,1,0]
;= wave-matrix

;! wave-matrix
v_swmmac_i32_16x16x32_iu8 v[48:51], v0, v[16:17], v40 index_key:2 neg_lo:[1,1,0]
;= wave-matrix

;! wave-matrix
v_swmmac_i32_16x16x32_iu8 v[48:51], v0, v[16:17], v40 index_key:3 neg_lo:[1,1,0]
;= wave-matrix

;! wave-matrix
v_swmmac_i32_16x16x32_iu4 v[48:51], v0, v16, v40 neg_lo:[1,1,0]
;= wave-matrix

;! wave-matrix
v_swmmac_i32_16x16x32_iu4 v[48:51], v0, v16, v40
;= wave-matrix

;! wave-matrix
v_swmmac_i32_16x16x32_iu4 v[48:51], v0, v16, v40 neg_lo:[1,0,0]
;= wave-matrix

;! wave-matrix
v_swmmac_i32_16x16x32_iu4 v[48:51], v0, v16, v40 neg_lo:[1,1,0] clamp
;= wave-matrix

;! wave-matrix
v_swmmac_i32_16x16x32_iu4 v[48:51], v0, v16, v40 index_key:1 neg_lo:[1,1,0]
;= wave-matrix

;! wave-matrix
v_swmmac_i32_16x16x64_iu4 v[48:51], v0, v[16:17], v40 neg_lo:[1,1,0]
;= wave-matrix

;! wave-matrix
v_swmmac_i32_16x16x64_iu4 v[48:51], v0, v[16:17], v40
;= wave-matrix

;! wave-matrix
v_swmmac_i32_16x16x64_iu4 v[48:51], v0, v[16:17], v40 neg_lo:[1,0,0]
;= wave-matrix

;! wave-matrix
v_swmmac_i32_16x16x64_iu4 v[48:51], v0, v[16:17], v40 neg_lo:[1,1,0] clamp
;= wave-matrix

;! wave-matrix
v_swmmac_i32_16x16x64_iu4 v[48:51], v0, v[16:17], v40 index_key:1 neg_lo:[1,1,0]
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_fp8_fp8 v[48:51], v0, v[16:17], v40
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_fp8_fp8 v[48:51], v0, v[16:17], v40 index_key:1
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_fp8_fp8 v[48:51], v0, v[16:17], v40 index_key:2
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_fp8_fp8 v[48:51], v0, v[16:17], v40 index_key:3
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_fp8_bf8 v[48:51], v0, v[16:17], v40
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_fp8_bf8 v[48:51], v0, v[16:17], v40 index_key:1
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_fp8_bf8 v[48:51], v0, v[16:17], v40 index_key:2
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_fp8_bf8 v[48:51], v0, v[16:17], v40 index_key:3
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_bf8_fp8 v[48:51], v0, v[16:17], v40
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_bf8_fp8 v[48:51], v0, v[16:17], v40 index_key:1
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_bf8_fp8 v[48:51], v0, v[16:17], v40 index_key:2
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_bf8_fp8 v[48:51], v0, v[16:17], v40 index_key:3
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_bf8_bf8 v[48:51], v0, v[16:17], v40
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_bf8_bf8 v[48:51], v0, v[16:17], v40 index_key:1
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_bf8_bf8 v[48:51], v0, v[16:17], v40 index_key:2
;= wave-matrix

;! wave-matrix
v_swmmac_f32_16x16x32_bf8_bf8 v[48:51], v0, v[16:17], v40 index_key:3
;= wave-matrix

