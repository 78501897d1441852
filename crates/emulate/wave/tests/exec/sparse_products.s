; Products with a sparse A, whose indices lie in sets of a register; D is C.
;! by spec, CDNA3 "Sparse Matrices"; sums of small integers, which are exact in every format

;! target gfx942 gfx950

;! exec 0xf0f0
;! matrix 16x16x32 f16 sparse 0
v_smfmac_f32_16x16x32_f16 a[0:3], v[0:1], v[16:19], v40
;= matrix

;! exec 0xf0f0
;! matrix 16x16x32 f16 sparse 1
v_smfmac_f32_16x16x32_f16 a[0:3], v[0:1], v[16:19], v40 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x32 f16 sparse 2
v_smfmac_f32_16x16x32_f16 a[0:3], v[0:1], v[16:19], v40 abid:2
;= matrix

;! exec 0xf0f0
;! matrix 16x16x32 f16 sparse 3
v_smfmac_f32_16x16x32_f16 a[0:3], v[0:1], v[16:19], v40 abid:3
;= matrix

;! exec 0xf0f0
;! matrix 16x16x32 f16 sparse 0
v_smfmac_f32_16x16x32_f16 a[0:3], v[0:1], v[16:19], v40 cbsz:1 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x32 bf16 sparse 0
v_smfmac_f32_16x16x32_bf16 a[0:3], v[0:1], v[16:19], v40
;= matrix

;! exec 0xf0f0
;! matrix 16x16x32 bf16 sparse 1
v_smfmac_f32_16x16x32_bf16 a[0:3], v[0:1], v[16:19], v40 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x32 bf16 sparse 2
v_smfmac_f32_16x16x32_bf16 a[0:3], v[0:1], v[16:19], v40 abid:2
;= matrix

;! exec 0xf0f0
;! matrix 16x16x32 bf16 sparse 3
v_smfmac_f32_16x16x32_bf16 a[0:3], v[0:1], v[16:19], v40 abid:3
;= matrix

;! exec 0xf0f0
;! matrix 16x16x32 bf16 sparse 0
v_smfmac_f32_16x16x32_bf16 a[0:3], v[0:1], v[16:19], v40 cbsz:1 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x64 i8 sparse 0
v_smfmac_i32_16x16x64_i8 a[0:3], v[0:1], v[16:19], v40
;= matrix

;! exec 0xf0f0
;! matrix 16x16x64 i8 sparse 1
v_smfmac_i32_16x16x64_i8 a[0:3], v[0:1], v[16:19], v40 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x64 i8 sparse 0
v_smfmac_i32_16x16x64_i8 a[0:3], v[0:1], v[16:19], v40 cbsz:1 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x16 f16 sparse 0
v_smfmac_f32_32x32x16_f16 a[0:15], v[0:1], v[16:19], v40
;= matrix

;! exec 0xf0f0
;! matrix 32x32x16 f16 sparse 1
v_smfmac_f32_32x32x16_f16 a[0:15], v[0:1], v[16:19], v40 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x16 f16 sparse 2
v_smfmac_f32_32x32x16_f16 a[0:15], v[0:1], v[16:19], v40 abid:2
;= matrix

;! exec 0xf0f0
;! matrix 32x32x16 f16 sparse 3
v_smfmac_f32_32x32x16_f16 a[0:15], v[0:1], v[16:19], v40 abid:3
;= matrix

;! exec 0xf0f0
;! matrix 32x32x16 f16 sparse 0
v_smfmac_f32_32x32x16_f16 a[0:15], v[0:1], v[16:19], v40 cbsz:1 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x16 bf16 sparse 0
v_smfmac_f32_32x32x16_bf16 a[0:15], v[0:1], v[16:19], v40
;= matrix

;! exec 0xf0f0
;! matrix 32x32x16 bf16 sparse 1
v_smfmac_f32_32x32x16_bf16 a[0:15], v[0:1], v[16:19], v40 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x16 bf16 sparse 2
v_smfmac_f32_32x32x16_bf16 a[0:15], v[0:1], v[16:19], v40 abid:2
;= matrix

;! exec 0xf0f0
;! matrix 32x32x16 bf16 sparse 3
v_smfmac_f32_32x32x16_bf16 a[0:15], v[0:1], v[16:19], v40 abid:3
;= matrix

;! exec 0xf0f0
;! matrix 32x32x16 bf16 sparse 0
v_smfmac_f32_32x32x16_bf16 a[0:15], v[0:1], v[16:19], v40 cbsz:1 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x32 i8 sparse 0
v_smfmac_i32_32x32x32_i8 a[0:15], v[0:1], v[16:19], v40
;= matrix

;! exec 0xf0f0
;! matrix 32x32x32 i8 sparse 1
v_smfmac_i32_32x32x32_i8 a[0:15], v[0:1], v[16:19], v40 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x32 i8 sparse 0
v_smfmac_i32_32x32x32_i8 a[0:15], v[0:1], v[16:19], v40 cbsz:1 abid:1
;= matrix

;! target gfx942

;! exec 0xf0f0
;! matrix 16x16x64 bf8 bf8 sparse 0
v_smfmac_f32_16x16x64_bf8_bf8 a[0:3], v[0:1], v[16:19], v40
;= matrix

;! exec 0xf0f0
;! matrix 16x16x64 bf8 bf8 sparse 1
v_smfmac_f32_16x16x64_bf8_bf8 a[0:3], v[0:1], v[16:19], v40 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x64 bf8 bf8 sparse 0
v_smfmac_f32_16x16x64_bf8_bf8 a[0:3], v[0:1], v[16:19], v40 cbsz:1 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x64 bf8 fp8 sparse 0
v_smfmac_f32_16x16x64_bf8_fp8 a[0:3], v[0:1], v[16:19], v40
;= matrix

;! exec 0xf0f0
;! matrix 16x16x64 bf8 fp8 sparse 1
v_smfmac_f32_16x16x64_bf8_fp8 a[0:3], v[0:1], v[16:19], v40 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x64 bf8 fp8 sparse 0
v_smfmac_f32_16x16x64_bf8_fp8 a[0:3], v[0:1], v[16:19], v40 cbsz:1 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x64 fp8 bf8 sparse 0
v_smfmac_f32_16x16x64_fp8_bf8 a[0:3], v[0:1], v[16:19], v40
;= matrix

;! exec 0xf0f0
;! matrix 16x16x64 fp8 bf8 sparse 1
v_smfmac_f32_16x16x64_fp8_bf8 a[0:3], v[0:1], v[16:19], v40 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x64 fp8 bf8 sparse 0
v_smfmac_f32_16x16x64_fp8_bf8 a[0:3], v[0:1], v[16:19], v40 cbsz:1 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x64 fp8 fp8 sparse 0
v_smfmac_f32_16x16x64_fp8_fp8 a[0:3], v[0:1], v[16:19], v40
;= matrix

;! exec 0xf0f0
;! matrix 16x16x64 fp8 fp8 sparse 1
v_smfmac_f32_16x16x64_fp8_fp8 a[0:3], v[0:1], v[16:19], v40 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x64 fp8 fp8 sparse 0
v_smfmac_f32_16x16x64_fp8_fp8 a[0:3], v[0:1], v[16:19], v40 cbsz:1 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x32 bf8 bf8 sparse 0
v_smfmac_f32_32x32x32_bf8_bf8 a[0:15], v[0:1], v[16:19], v40
;= matrix

;! exec 0xf0f0
;! matrix 32x32x32 bf8 bf8 sparse 1
v_smfmac_f32_32x32x32_bf8_bf8 a[0:15], v[0:1], v[16:19], v40 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x32 bf8 bf8 sparse 0
v_smfmac_f32_32x32x32_bf8_bf8 a[0:15], v[0:1], v[16:19], v40 cbsz:1 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x32 bf8 fp8 sparse 0
v_smfmac_f32_32x32x32_bf8_fp8 a[0:15], v[0:1], v[16:19], v40
;= matrix

;! exec 0xf0f0
;! matrix 32x32x32 bf8 fp8 sparse 1
v_smfmac_f32_32x32x32_bf8_fp8 a[0:15], v[0:1], v[16:19], v40 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x32 bf8 fp8 sparse 0
v_smfmac_f32_32x32x32_bf8_fp8 a[0:15], v[0:1], v[16:19], v40 cbsz:1 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x32 fp8 bf8 sparse 0
v_smfmac_f32_32x32x32_fp8_bf8 a[0:15], v[0:1], v[16:19], v40
;= matrix

;! exec 0xf0f0
;! matrix 32x32x32 fp8 bf8 sparse 1
v_smfmac_f32_32x32x32_fp8_bf8 a[0:15], v[0:1], v[16:19], v40 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x32 fp8 bf8 sparse 0
v_smfmac_f32_32x32x32_fp8_bf8 a[0:15], v[0:1], v[16:19], v40 cbsz:1 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x32 fp8 fp8 sparse 0
v_smfmac_f32_32x32x32_fp8_fp8 a[0:15], v[0:1], v[16:19], v40
;= matrix

;! exec 0xf0f0
;! matrix 32x32x32 fp8 fp8 sparse 1
v_smfmac_f32_32x32x32_fp8_fp8 a[0:15], v[0:1], v[16:19], v40 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x32 fp8 fp8 sparse 0
v_smfmac_f32_32x32x32_fp8_fp8 a[0:15], v[0:1], v[16:19], v40 cbsz:1 abid:1
;= matrix

;! target gfx950

;! exec 0xf0f0
;! matrix 16x16x64 e5m2 e5m2 sparse 0
v_smfmac_f32_16x16x64_bf8_bf8 a[0:3], v[0:1], v[16:19], v40
;= matrix

;! exec 0xf0f0
;! matrix 16x16x64 e5m2 e5m2 sparse 1
v_smfmac_f32_16x16x64_bf8_bf8 a[0:3], v[0:1], v[16:19], v40 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x64 e5m2 e5m2 sparse 0
v_smfmac_f32_16x16x64_bf8_bf8 a[0:3], v[0:1], v[16:19], v40 cbsz:1 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x64 e5m2 e4m3 sparse 0
v_smfmac_f32_16x16x64_bf8_fp8 a[0:3], v[0:1], v[16:19], v40
;= matrix

;! exec 0xf0f0
;! matrix 16x16x64 e5m2 e4m3 sparse 1
v_smfmac_f32_16x16x64_bf8_fp8 a[0:3], v[0:1], v[16:19], v40 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x64 e5m2 e4m3 sparse 0
v_smfmac_f32_16x16x64_bf8_fp8 a[0:3], v[0:1], v[16:19], v40 cbsz:1 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x64 e4m3 e5m2 sparse 0
v_smfmac_f32_16x16x64_fp8_bf8 a[0:3], v[0:1], v[16:19], v40
;= matrix

;! exec 0xf0f0
;! matrix 16x16x64 e4m3 e5m2 sparse 1
v_smfmac_f32_16x16x64_fp8_bf8 a[0:3], v[0:1], v[16:19], v40 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x64 e4m3 e5m2 sparse 0
v_smfmac_f32_16x16x64_fp8_bf8 a[0:3], v[0:1], v[16:19], v40 cbsz:1 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x64 e4m3 e4m3 sparse 0
v_smfmac_f32_16x16x64_fp8_fp8 a[0:3], v[0:1], v[16:19], v40
;= matrix

;! exec 0xf0f0
;! matrix 16x16x64 e4m3 e4m3 sparse 1
v_smfmac_f32_16x16x64_fp8_fp8 a[0:3], v[0:1], v[16:19], v40 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x64 e4m3 e4m3 sparse 0
v_smfmac_f32_16x16x64_fp8_fp8 a[0:3], v[0:1], v[16:19], v40 cbsz:1 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x32 e5m2 e5m2 sparse 0
v_smfmac_f32_32x32x32_bf8_bf8 a[0:15], v[0:1], v[16:19], v40
;= matrix

;! exec 0xf0f0
;! matrix 32x32x32 e5m2 e5m2 sparse 1
v_smfmac_f32_32x32x32_bf8_bf8 a[0:15], v[0:1], v[16:19], v40 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x32 e5m2 e5m2 sparse 0
v_smfmac_f32_32x32x32_bf8_bf8 a[0:15], v[0:1], v[16:19], v40 cbsz:1 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x32 e5m2 e4m3 sparse 0
v_smfmac_f32_32x32x32_bf8_fp8 a[0:15], v[0:1], v[16:19], v40
;= matrix

;! exec 0xf0f0
;! matrix 32x32x32 e5m2 e4m3 sparse 1
v_smfmac_f32_32x32x32_bf8_fp8 a[0:15], v[0:1], v[16:19], v40 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x32 e5m2 e4m3 sparse 0
v_smfmac_f32_32x32x32_bf8_fp8 a[0:15], v[0:1], v[16:19], v40 cbsz:1 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x32 e4m3 e5m2 sparse 0
v_smfmac_f32_32x32x32_fp8_bf8 a[0:15], v[0:1], v[16:19], v40
;= matrix

;! exec 0xf0f0
;! matrix 32x32x32 e4m3 e5m2 sparse 1
v_smfmac_f32_32x32x32_fp8_bf8 a[0:15], v[0:1], v[16:19], v40 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x32 e4m3 e5m2 sparse 0
v_smfmac_f32_32x32x32_fp8_bf8 a[0:15], v[0:1], v[16:19], v40 cbsz:1 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x32 e4m3 e4m3 sparse 0
v_smfmac_f32_32x32x32_fp8_fp8 a[0:15], v[0:1], v[16:19], v40
;= matrix

;! exec 0xf0f0
;! matrix 32x32x32 e4m3 e4m3 sparse 1
v_smfmac_f32_32x32x32_fp8_fp8 a[0:15], v[0:1], v[16:19], v40 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x32 e4m3 e4m3 sparse 0
v_smfmac_f32_32x32x32_fp8_fp8 a[0:15], v[0:1], v[16:19], v40 cbsz:1 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x64 f16 sparse 0
v_smfmac_f32_16x16x64_f16 a[0:3], v[0:3], v[16:23], v40
;= matrix

;! exec 0xf0f0
;! matrix 16x16x64 f16 sparse 1
v_smfmac_f32_16x16x64_f16 a[0:3], v[0:3], v[16:23], v40 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x64 f16 sparse 0
v_smfmac_f32_16x16x64_f16 a[0:3], v[0:3], v[16:23], v40 cbsz:1 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x64 bf16 sparse 0
v_smfmac_f32_16x16x64_bf16 a[0:3], v[0:3], v[16:23], v40
;= matrix

;! exec 0xf0f0
;! matrix 16x16x64 bf16 sparse 1
v_smfmac_f32_16x16x64_bf16 a[0:3], v[0:3], v[16:23], v40 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x64 bf16 sparse 0
v_smfmac_f32_16x16x64_bf16 a[0:3], v[0:3], v[16:23], v40 cbsz:1 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 i8 sparse 0
v_smfmac_i32_16x16x128_i8 a[0:3], v[0:3], v[16:23], v40
;= matrix

;! exec 0xf0f0
;! matrix 32x32x32 f16 sparse 0
v_smfmac_f32_32x32x32_f16 a[0:15], v[0:3], v[16:23], v40
;= matrix

;! exec 0xf0f0
;! matrix 32x32x32 f16 sparse 1
v_smfmac_f32_32x32x32_f16 a[0:15], v[0:3], v[16:23], v40 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x32 f16 sparse 0
v_smfmac_f32_32x32x32_f16 a[0:15], v[0:3], v[16:23], v40 cbsz:1 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x32 bf16 sparse 0
v_smfmac_f32_32x32x32_bf16 a[0:15], v[0:3], v[16:23], v40
;= matrix

;! exec 0xf0f0
;! matrix 32x32x32 bf16 sparse 1
v_smfmac_f32_32x32x32_bf16 a[0:15], v[0:3], v[16:23], v40 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x32 bf16 sparse 0
v_smfmac_f32_32x32x32_bf16 a[0:15], v[0:3], v[16:23], v40 cbsz:1 abid:1
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 i8 sparse 0
v_smfmac_i32_32x32x64_i8 a[0:15], v[0:3], v[16:23], v40
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e5m2 e5m2 sparse 0
v_smfmac_f32_16x16x128_bf8_bf8 a[0:3], v[0:3], v[16:23], v40
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e5m2 e4m3 sparse 0
v_smfmac_f32_16x16x128_bf8_fp8 a[0:3], v[0:3], v[16:23], v40
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e4m3 e5m2 sparse 0
v_smfmac_f32_16x16x128_fp8_bf8 a[0:3], v[0:3], v[16:23], v40
;= matrix

;! exec 0xf0f0
;! matrix 16x16x128 e4m3 e4m3 sparse 0
v_smfmac_f32_16x16x128_fp8_fp8 a[0:3], v[0:3], v[16:23], v40
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e5m2 e5m2 sparse 0
v_smfmac_f32_32x32x64_bf8_bf8 a[0:15], v[0:3], v[16:23], v40
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e5m2 e4m3 sparse 0
v_smfmac_f32_32x32x64_bf8_fp8 a[0:15], v[0:3], v[16:23], v40
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e4m3 e5m2 sparse 0
v_smfmac_f32_32x32x64_fp8_bf8 a[0:15], v[0:3], v[16:23], v40
;= matrix

;! exec 0xf0f0
;! matrix 32x32x64 e4m3 e4m3 sparse 0
v_smfmac_f32_32x32x64_fp8_fp8 a[0:15], v[0:3], v[16:23], v40
;= matrix
