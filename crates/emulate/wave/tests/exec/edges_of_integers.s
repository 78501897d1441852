; Integer arithmetic at its edges: the ends of the ranges, signs, what overflows, zero; one program per number of sources.
;! by spec, pseudocode of the CDNA2 and RDNA2 manuals

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
;! exec 0xfffffffffdffffff
;! in v4 = u32[0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 0x80000000, 0x7fffffff, 0xffffffff, 0x12345678, 0xffffff, 0x800000, 0xff7fffff, 0xffff8000, 0x8000ffff, 0x7fff7fff, 0x80008000, 0xdeadbeef, 0x10001, 5, 0xfffffff0]
v_not_b32 v20, v4
v_bfrev_b32 v21, v4
v_ffbh_u32 v22, v4
v_ffbl_b32 v23, v4
v_ffbh_i32 v24, v4
;= v20 = u32[0xffffffff, 0xfffffffe, 0, 0x7fffffff, 0x80000000, 0x7fffffff, 0x80000000, 0, 0xedcba987, 0xff000000, 0xff7fffff, 0x800000, 0x7fff, 0x7fff0000, 0x80008000, 0x7fff7fff, 0x21524110, 0xfffefffe, 0xfffffffa, 0xf]
;= v21 = u32[0, 0x80000000, 0xffffffff, 1, 0xfffffffe, 1, 0xfffffffe, 0xffffffff, 0x1e6a2c48, 0xffffff00, 0x100, 0xfffffeff, 0x1ffff, 0xffff0001, 0xfffefffe, 0x10001, 0xf77db57b, 0x80008000, 0xa0000000, 0xfffffff]
;= v22 = u32[0xffffffff, 0x1f, 0, 0, 1, 0, 1, 0, 3, 8, 8, 0, 0, 0, 1, 0, 0, 0xf, 0x1d, 0]
;= v23 = u32[0xffffffff, 0, 0, 0x1f, 0, 0x1f, 0, 0, 3, 0, 0x17, 0, 0xf, 0, 0, 0xf, 0, 0, 0, 4]
;= v24 = u32[0xffffffff, 0x1f, 0xffffffff, 1, 1, 1, 1, 0xffffffff, 3, 8, 8, 8, 0x11, 1, 1, 1, 2, 0xf, 0x1d, 0x1c]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
;! exec 0xfffffffffdffffff
;! in v4 = u32[0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 0x80000000, 0x7fffffff, 0xffffffff, 0x12345678, 0xffffff, 0x800000, 0xff7fffff, 0xffff8000, 0x8000ffff, 0x7fff7fff, 0x80008000, 0xdeadbeef, 0x10001, 5, 0xfffffff0]
;! in v8 = u32[0, 0xffffffff, 0xffffffff, 0x80000000, 0x7fffffff, 1, 1, 0x7fffffff, 0x9abcdef0, 0xffffff, 0x800000, 0x800001, 0x8000, 0x1ffff, 0x17fff, 0x80008000, 0xbadf00d, 0xffffffff, 0x80000005, 0x11]
v_mul_lo_u32 v20, v4, v8
v_mul_hi_u32 v21, v4, v8
v_mul_hi_i32 v22, v4, v8
v_mul_u32_u24 v23, v4, v8
v_mul_hi_u32_u24 v24, v4, v8
v_mul_i32_i24 v25, v4, v8
v_mul_hi_i32_i24 v26, v4, v8
v_min_i32 v27, v4, v8
v_max_i32 v28, v4, v8
v_min_u32 v29, v4, v8
v_max_u32 v30, v4, v8
v_and_b32 v31, v4, v8
;= v20 = u32[0, 0xffffffff, 1, 0, 1, 0x80000000, 0x7fffffff, 0x80000001, 0x242d2080, 0xfe000001, 0, 0xfeffffff, 0xc0000000, 0x7ffd0001, 0xbfff0001, 0x40000000, 0x7e55c223, 0xfffeffff, 0x80000019, 0xfffffef0]
;= v21 = u32[0, 0, 0xfffffffe, 0x40000000, 0x3fffffff, 0, 0, 0x7ffffffe, 0xb00ea4e, 0xffff, 0x4000, 0x7fc000, 0x7fff, 0x10001, 0xbffe, 0x40008000, 0xa28c36c, 0x10000, 2, 0x10]
;= v22 = u32[0, 0xffffffff, 0, 0x40000000, 0x3fffffff, 0xffffffff, 0, 0xffffffff, 0xf8cc93d6, 0xffff, 0x4000, 0xffffbfff, 0xffffffff, 0xffff0002, 0xbffe, 0x3fff8000, 0xfe7ad35f, 0xffffffff, 0xfffffffd, 0xffffffff]
;= v23 = u32[0, 0xffffff, 0xfe000001, 0, 0xfe000001, 0, 0xffffff, 0xfe000001, 0x142d2080, 0xfe000001, 0, 0xffffffff, 0xc0000000, 0xfffd0001, 0x3eff0001, 0x40000000, 0xf355c223, 0xfeffff, 0x19, 0x10fffef0]
;= v24 = u32[0, 0, 0xffff, 0, 0xffff, 0, 0, 0xffff, 0x269d, 0xffff, 0x4000, 0x3fff, 0x7f, 1, 0x17f, 0, 0x760c, 0x100, 0, 0]
;= v25 = u32[0, 0xffffffff, 1, 0, 1, 0, 0xffffffff, 1, 0x9c2d2080, 1, 0, 0xffffff, 0xc0000000, 0xfffd0001, 0x3fff0001, 0x40000000, 0xf755c223, 0xfffeffff, 0x19, 0xfffffef0]
;= v26 = u32[0, 0xffffffff, 0, 0, 0, 0, 0xffffffff, 0, 0xfffff246, 0, 0x4000, 0xffffc000, 0xffffffff, 1, 0xffffffff, 0, 0x1a5d, 0xffffffff, 0, 0xffffffff]
;= v27 = u32[0, 0xffffffff, 0xffffffff, 0x80000000, 0x7fffffff, 0x80000000, 1, 0xffffffff, 0x9abcdef0, 0xffffff, 0x800000, 0xff7fffff, 0xffff8000, 0x8000ffff, 0x17fff, 0x80008000, 0xdeadbeef, 0xffffffff, 0x80000005, 0xfffffff0]
;= v28 = u32[0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 1, 0x7fffffff, 0x7fffffff, 0x12345678, 0xffffff, 0x800000, 0x800001, 0x8000, 0x1ffff, 0x7fff7fff, 0x80008000, 0xbadf00d, 0x10001, 5, 0x11]
;= v29 = u32[0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 1, 1, 0x7fffffff, 0x12345678, 0xffffff, 0x800000, 0x800001, 0x8000, 0x1ffff, 0x17fff, 0x80008000, 0xbadf00d, 0x10001, 5, 0x11]
;= v30 = u32[0, 0xffffffff, 0xffffffff, 0x80000000, 0x7fffffff, 0x80000000, 0x7fffffff, 0xffffffff, 0x9abcdef0, 0xffffff, 0x800000, 0xff7fffff, 0xffff8000, 0x8000ffff, 0x7fff7fff, 0x80008000, 0xdeadbeef, 0xffffffff, 0x80000005, 0xfffffff0]
;= v31 = u32[0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 0, 1, 0x7fffffff, 0x12345670, 0xffffff, 0x800000, 1, 0x8000, 0xffff, 0x17fff, 0x80008000, 0xaadb00d, 0x10001, 5, 0x10]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
;! exec 0xfffffffffdffffff
;! in v4 = u32[0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 0x80000000, 0x7fffffff, 0xffffffff, 0x12345678, 0xffffff, 0x800000, 0xff7fffff, 0xffff8000, 0x8000ffff, 0x7fff7fff, 0x80008000, 0xdeadbeef, 0x10001, 5, 0xfffffff0]
;! in v8 = u32[0, 0xffffffff, 0xffffffff, 0x80000000, 0x7fffffff, 1, 1, 0x7fffffff, 0x9abcdef0, 0xffffff, 0x800000, 0x800001, 0x8000, 0x1ffff, 0x17fff, 0x80008000, 0xbadf00d, 0xffffffff, 0x80000005, 0x11]
v_or_b32 v20, v4, v8
v_xor_b32 v21, v4, v8
v_bcnt_u32_b32 v22, v4, v8
v_cvt_pk_u16_u32 v23, v4, v8
v_cvt_pk_i16_i32 v24, v4, v8
;= v20 = u32[0, 0xffffffff, 0xffffffff, 0x80000000, 0x7fffffff, 0x80000001, 0x7fffffff, 0xffffffff, 0x9abcdef8, 0xffffff, 0x800000, 0xffffffff, 0xffff8000, 0x8001ffff, 0x7fff7fff, 0x80008000, 0xdfadfeef, 0xffffffff, 0x80000005, 0xfffffff1]
;= v21 = u32[0, 0xfffffffe, 0, 0, 0, 0x80000001, 0x7ffffffe, 0x80000000, 0x88888888, 0, 0, 0xfffffffe, 0xffff0000, 0x80010000, 0x7ffe0000, 0, 0xd5004ee2, 0xfffefffe, 0x80000000, 0xffffffe1]
;= v22 = u32[0, 0, 0x1f, 0x80000001, 0x8000001e, 2, 0x20, 0x8000001f, 0x9abcdefd, 0x1000017, 0x800001, 0x800020, 0x8011, 0x20010, 0x1801d, 0x80008002, 0xbadf025, 1, 0x80000007, 0x2d]
;= v23 = u32[0, 0xffff0001, 0xffffffff, 0xffffffff, 0xffffffff, 0x1ffff, 0x1ffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x8000ffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffff0005, 0x11ffff]
;= v24 = u32[0, 0xffff0001, 0xffffffff, 0x80008000, 0x7fff7fff, 0x18000, 0x17fff, 0x7fffffff, 0x80007fff, 0x7fff7fff, 0x7fff7fff, 0x7fff8000, 0x7fff8000, 0x7fff8000, 0x7fff7fff, 0x80008000, 0x7fff8000, 0xffff7fff, 0x80000005, 0x11fff0]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
;! exec 0xfffffffffdffffff
;! in v4 = u32[0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 0x80000000, 0x7fffffff, 0xffffffff, 0x12345678, 0xffffff, 0x800000, 0xff7fffff, 0xffff8000, 0x8000ffff, 0x7fff7fff, 0x80008000, 0xdeadbeef, 0x10001, 5, 0xfffffff0]
;! in v8 = u32[0, 0xffffffff, 0xffffffff, 0x80000000, 0x7fffffff, 1, 1, 0x7fffffff, 0x9abcdef0, 0xffffff, 0x800000, 0x800001, 0x8000, 0x1ffff, 0x17fff, 0x80008000, 0xbadf00d, 0xffffffff, 0x80000005, 0x11]
;! in v12 = u32[0, 5, 1, 0xffffffff, 0x80000000, 0x7fffffff, 2, 3, 0xf0f0f0f, 1, 0xffffffff, 0x100, 0xffff0001, 0x8000, 0x7fff, 0xffffffff, 0x12345678, 0x55555555, 4, 0x80000000]
v_mad_u32_u24 v20, v4, v8, v12
v_mad_i32_i24 v21, v4, v8, v12
v_bfi_b32 v22, v4, v8, v12
v_perm_b32 v23, v4, v8, v12
v_add3_u32 v24, v4, v8, v12
v_and_or_b32 v25, v4, v8, v12
v_or3_b32 v26, v4, v8, v12
v_xad_u32 v27, v4, v8, v12
v_add_lshl_u32 v28, v4, v8, v12
v_min3_i32 v29, v4, v8, v12
v_max3_i32 v30, v4, v8, v12
v_med3_i32 v31, v4, v8, v12
;= v20 = u32[0, 0x1000004, 0xfe000002, 0xffffffff, 0x7e000001, 0x7fffffff, 0x1000001, 0xfe000004, 0x233c2f8f, 0xfe000002, 0xffffffff, 0xff, 0xbfff0001, 0xfffd8001, 0x3eff8000, 0x3fffffff, 0x58a189b, 0x56545554, 0x1d, 0x90fffef0]
;= v21 = u32[0, 4, 2, 0xffffffff, 0x80000001, 0x7fffffff, 1, 4, 0xab3c2f8f, 2, 0xffffffff, 0x10000ff, 0xbfff0001, 0xfffd8001, 0x3fff8000, 0x3fffffff, 0x98a189b, 0x55545554, 0x1d, 0x7ffffef0]
;= v22 = u32[0, 5, 0xffffffff, 0xffffffff, 0xffffffff, 0x7fffffff, 1, 0x7fffffff, 0x1f3f5f77, 0xffffff, 0xffffffff, 1, 0x8001, 0xffff, 0x17fff, 0xffffffff, 0xabdf01d, 0x55555555, 5, 0x10]
;= v23 = u32[0, 0xffffff00, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x1010100, 0xffffff7f, 0xffffffff, 0xffffffff, 0xffffffff, 0x1010001, 0xffff0080, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x5050505, 0xff111111]
;= v24 = u32[0, 5, 0xffffffff, 0xffffffff, 0x7ffffffe, 0, 0x80000002, 0x80000001, 0xbc004477, 0x1ffffff, 0xffffff, 0x100, 0xffff0001, 0x80037ffe, 0x80017ffd, 0xffff, 0xfc900574, 0x55565555, 0x8000000e, 0x80000001]
;= v25 = u32[0, 5, 0xffffffff, 0xffffffff, 0xffffffff, 0x7fffffff, 3, 0x7fffffff, 0x1f3f5f7f, 0xffffff, 0xffffffff, 0x101, 0xffff8001, 0xffff, 0x17fff, 0xffffffff, 0x1abdf67d, 0x55555555, 5, 0x80000010]
;= v26 = u32[0, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x7fffffff, 0xffffffff, 0x9fbfdfff, 0xffffff, 0xffffffff, 0xffffffff, 0xffff8001, 0x8001ffff, 0x7fff7fff, 0xffffffff, 0xdfbdfeff, 0xffffffff, 0x80000005, 0xfffffff1]
;= v27 = u32[0, 3, 1, 0xffffffff, 0x80000000, 0, 0x80000000, 0x80000003, 0x97979797, 1, 0xffffffff, 0xfe, 0xfffe0001, 0x80018000, 0x7ffe7fff, 0xffffffff, 0xe734a55a, 0x55545553, 0x80000004, 0x7fffffe1]
;= v28 = u32[0, 0, 0xfffffffc, 0, 0xfffffffe, 0x80000000, 0, 0xfffffff0, 0x9ab40000, 0x3fffffc, 0, 0, 0, 0x8002fffe, 0, 0, 0xfc000000, 0, 0xa0, 1]
;= v29 = u32[0, 0xffffffff, 0xffffffff, 0x80000000, 0x80000000, 0x80000000, 1, 0xffffffff, 0x9abcdef0, 1, 0xffffffff, 0xff7fffff, 0xffff0001, 0x8000ffff, 0x7fff, 0x80008000, 0xdeadbeef, 0xffffffff, 0x80000005, 0x80000000]
;= v30 = u32[0, 5, 1, 0xffffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff, 0x12345678, 0xffffff, 0x800000, 0x800001, 0x8000, 0x1ffff, 0x7fff7fff, 0xffffffff, 0x12345678, 0x55555555, 5, 0x11]
;= v31 = u32[0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 1, 2, 3, 0xf0f0f0f, 0xffffff, 0x800000, 0x100, 0xffff8000, 0x8000, 0x17fff, 0x80008000, 0xbadf00d, 0x10001, 4, 0xfffffff0]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
;! exec 0xfffffffffdffffff
;! in v4 = u32[0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 0x80000000, 0x7fffffff, 0xffffffff, 0x12345678, 0xffffff, 0x800000, 0xff7fffff, 0xffff8000, 0x8000ffff, 0x7fff7fff, 0x80008000, 0xdeadbeef, 0x10001, 5, 0xfffffff0]
;! in v8 = u32[0, 0xffffffff, 0xffffffff, 0x80000000, 0x7fffffff, 1, 1, 0x7fffffff, 0x9abcdef0, 0xffffff, 0x800000, 0x800001, 0x8000, 0x1ffff, 0x17fff, 0x80008000, 0xbadf00d, 0xffffffff, 0x80000005, 0x11]
;! in v12 = u32[0, 5, 1, 0xffffffff, 0x80000000, 0x7fffffff, 2, 3, 0xf0f0f0f, 1, 0xffffffff, 0x100, 0xffff0001, 0x8000, 0x7fff, 0xffffffff, 0x12345678, 0x55555555, 4, 0x80000000]
v_min3_u32 v20, v4, v8, v12
v_max3_u32 v21, v4, v8, v12
v_med3_u32 v22, v4, v8, v12
v_sad_u8 v23, v4, v8, v12
v_sad_hi_u8 v24, v4, v8, v12
v_sad_u16 v25, v4, v8, v12
v_sad_u32 v26, v4, v8, v12
v_msad_u8 v27, v4, v8, v12
v_lerp_u8 v28, v4, v8, v12
v_mad_u32_u16 v29, v4, v8, v12
v_mad_i32_i16 v30, v4, v8, v12
;= v20 = u32[0, 1, 1, 0x80000000, 0x7fffffff, 1, 1, 3, 0xf0f0f0f, 1, 0x800000, 0x100, 0x8000, 0x8000, 0x7fff, 0x80008000, 0xbadf00d, 0x10001, 4, 0x11]
;= v21 = u32[0, 0xffffffff, 0xffffffff, 0xffffffff, 0x80000000, 0x80000000, 0x7fffffff, 0xffffffff, 0x9abcdef0, 0xffffff, 0xffffffff, 0xff7fffff, 0xffff8000, 0x8000ffff, 0x7fff7fff, 0xffffffff, 0xdeadbeef, 0xffffffff, 0x80000005, 0xfffffff0]
;= v22 = u32[0, 5, 0xffffffff, 0x80000000, 0x7fffffff, 0x7fffffff, 2, 0x7fffffff, 0x12345678, 0xffffff, 0x800000, 0x800001, 0xffff0001, 0x1ffff, 0x17fff, 0x80008000, 0x12345678, 0x55555555, 5, 0x80000000]
;= v23 = u32[0, 0x400, 1, 0xffffffff, 0x80000000, 0x80000080, 0x37d, 0x83, 0xf0f111f, 1, 0xffffffff, 0x3fd, 0xffff01ff, 0x8081, 0x817c, 0xffffffff, 0x1234585f, 0x5555594f, 0x84, 0x800003dc]
;= v24 = u32[0, 0x3fb0005, 1, 0xffffffff, 0x80000000, 0x8080ffff, 0x37b0002, 0x800003, 0x111f0f0f, 1, 0xffffffff, 0x2fd0100, 0x1fd0001, 0x818000, 0x17d7fff, 0xffffffff, 0x141b5678, 0x594f5555, 0x800004, 0x83dc0000]
;= v25 = u32[0, 0x20002, 1, 0xffffffff, 0x80000000, 0x80008000, 0x17fff, 0x8003, 0xf10200f, 1, 0xffffffff, 0x1fffd, 0, 0xffff, 0xfffd, 0xffffffff, 0x12355a96, 0x55575551, 0x8004, 0x8001ffde]
;= v26 = u32[0, 3, 1, 0xffffffff, 0x80000000, 0xfffffffe, 0x80000000, 0x80000003, 0x97979787, 1, 0xffffffff, 0xff0000fe, 0xfffe0001, 0x7fff8000, 0x7ffe7fff, 0xffffffff, 0xe534255a, 0x55545553, 0x80000004, 0x7fffffdf]
;= v27 = u32[0, 0x400, 1, 0xffffffff, 0x80000000, 0x80000000, 0x100, 0x83, 0xf0f111f, 1, 0xffffffff, 0x1ff, 0xffff0001, 0x8001, 0x80fd, 0xffffffff, 0x1234585f, 0x5555594f, 0x84, 0x800000df]
;= v28 = u32[0, 0x7f7f7f80, 0xffffffff, 0x80000000, 0x7fffffff, 0x40000001, 0x3f7f7f80, 0xbfffffff, 0x56789ab4, 0xffffff, 0x800000, 0x7f7f8080, 0x80808000, 0x4000ffff, 0x3f807fff, 0x80008000, 0x74add77e, 0x80808080, 0x40000005, 0x7f7f7f80]
;= v29 = u32[0, 0x10004, 0xfffe0002, 0xffffffff, 0x7ffe0001, 0x7fffffff, 0x10001, 0xfffe0004, 0x5a5c2f8f, 0xfffe0002, 0xffffffff, 0x100ff, 0x3fff0001, 0xfffe8001, 0x3fff8000, 0x3fffffff, 0xc53e189b, 0x55565554, 0x1d, 0x8010fef0]
;= v30 = u32[0, 4, 2, 0xffffffff, 0x80000001, 0x7fffffff, 1, 4, 0x3e42f8f, 2, 0xffffffff, 0xff, 0x3fff0001, 0x8001, 0x3fff8000, 0x3fffffff, 0x1642189b, 0x55555554, 0x1d, 0x7ffffef0]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xfffffffffdffffff
;! in v4 = u32[0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 0x80000000, 0x7fffffff, 0xffffffff, 0x12345678, 0xffffff, 0x800000, 0xff7fffff, 0xffff8000, 0x8000ffff, 0x7fff7fff, 0x80008000, 0xdeadbeef, 0x10001, 5, 0xfffffff0]
;! in v8 = u32[0, 0xffffffff, 0xffffffff, 0x80000000, 0x7fffffff, 1, 1, 0x7fffffff, 0x9abcdef0, 0xffffff, 0x800000, 0x800001, 0x8000, 0x1ffff, 0x17fff, 0x80008000, 0xbadf00d, 0xffffffff, 0x80000005, 0x11]
v_add_u32 v20, v4, v8
v_sub_u32 v21, v4, v8
v_subrev_u32 v22, v4, v8
;= v20 = u32[0, 0, 0xfffffffe, 0, 0xfffffffe, 0x80000001, 0x80000000, 0x7ffffffe, 0xacf13568, 0x1fffffe, 0x1000000, 0, 0, 0x8002fffe, 0x8000fffe, 0x10000, 0xea5baefc, 0x10000, 0x8000000a, 1]
;= v21 = u32[0, 2, 0, 0, 0, 0x7fffffff, 0x7ffffffe, 0x80000000, 0x77777788, 0, 0, 0xfefffffe, 0xffff0000, 0x7fff0000, 0x7ffe0000, 0, 0xd2ffcee2, 0x10002, 0x80000000, 0xffffffdf]
;= v22 = u32[0, 0xfffffffe, 0, 0, 0, 0x80000001, 0x80000002, 0x80000000, 0x88888878, 0, 0, 0x1000002, 0x10000, 0x80010000, 0x80020000, 0, 0x2d00311e, 0xfffefffe, 0x80000000, 0x21]

;! target gfx1030
;! exec 0xfffffffffdffffff
;! in v4 = u32[0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 0x80000000, 0x7fffffff, 0xffffffff, 0x12345678, 0xffffff, 0x800000, 0xff7fffff, 0xffff8000, 0x8000ffff, 0x7fff7fff, 0x80008000, 0xdeadbeef, 0x10001, 5, 0xfffffff0]
;! in v8 = u32[0, 0xffffffff, 0xffffffff, 0x80000000, 0x7fffffff, 1, 1, 0x7fffffff, 0x9abcdef0, 0xffffff, 0x800000, 0x800001, 0x8000, 0x1ffff, 0x17fff, 0x80008000, 0xbadf00d, 0xffffffff, 0x80000005, 0x11]
v_add_nc_u32 v20, v4, v8
v_sub_nc_u32 v21, v4, v8
v_subrev_nc_u32 v22, v4, v8
v_xnor_b32 v23, v4, v8
;= v20 = u32[0, 0, 0xfffffffe, 0, 0xfffffffe, 0x80000001, 0x80000000, 0x7ffffffe, 0xacf13568, 0x1fffffe, 0x1000000, 0, 0, 0x8002fffe, 0x8000fffe, 0x10000, 0xea5baefc, 0x10000, 0x8000000a, 1]
;= v21 = u32[0, 2, 0, 0, 0, 0x7fffffff, 0x7ffffffe, 0x80000000, 0x77777788, 0, 0, 0xfefffffe, 0xffff0000, 0x7fff0000, 0x7ffe0000, 0, 0xd2ffcee2, 0x10002, 0x80000000, 0xffffffdf]
;= v22 = u32[0, 0xfffffffe, 0, 0, 0, 0x80000001, 0x80000002, 0x80000000, 0x88888878, 0, 0, 0x1000002, 0x10000, 0x80010000, 0x80020000, 0, 0x2d00311e, 0xfffefffe, 0x80000000, 0x21]
;= v23 = u32[0xffffffff, 1, 0xffffffff, 0xffffffff, 0xffffffff, 0x7ffffffe, 0x80000001, 0x7fffffff, 0x77777777, 0xffffffff, 0xffffffff, 1, 0xffff, 0x7ffeffff, 0x8001ffff, 0xffffffff, 0x2affb11d, 0x10001, 0x7fffffff, 0x1e]

; Clamped: sums and differences that stop at the end of their range.
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! given in v4 = u32[0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 0x80000000, 0x7fffffff, 0xffffffff, 0x12345678, 0xffffff, 0x800000, 0xff7fffff, 0xffff8000, 0x8000ffff, 0x7fff7fff, 0x80008000, 0xdeadbeef, 0x10001, 5, 0xfffffff0]
;! given in v8 = u32[0, 0xffffffff, 0xffffffff, 0x80000000, 0x7fffffff, 1, 1, 0x7fffffff, 0x9abcdef0, 0xffffff, 0x800000, 0x800001, 0x8000, 0x1ffff, 0x17fff, 0x80008000, 0xbadf00d, 0xffffffff, 0x80000005, 0x11]
v_add_u32_e64 v20, v4, v8 clamp
v_sub_u32_e64 v21, v4, v8 clamp
v_add_i32 v22, v4, v8 clamp
v_sub_i32 v23, v4, v8 clamp
;= v20 = u32[0, 0xffffffff, 0xffffffff, 0xffffffff, 0xfffffffe, 0x80000001, 0x80000000, 0xffffffff, 0xacf13568, 0x1fffffe, 0x1000000, 0xffffffff, 0xffffffff, 0x8002fffe, 0x8000fffe, 0xffffffff, 0xea5baefc, 0xffffffff, 0x8000000a, 0xffffffff]
;= v21 = u32[0, 0, 0, 0, 0, 0x7fffffff, 0x7ffffffe, 0x80000000, 0, 0, 0, 0xfefffffe, 0xffff0000, 0x7fff0000, 0x7ffe0000, 0, 0xd2ffcee2, 0, 0, 0xffffffdf]
;= v22 = u32[0, 0, 0xfffffffe, 0x80000000, 0x7fffffff, 0x80000001, 0x7fffffff, 0x7ffffffe, 0xacf13568, 0x1fffffe, 0x1000000, 0, 0, 0x8002fffe, 0x7fffffff, 0x80000000, 0xea5baefc, 0x10000, 0x8000000a, 1]
;= v23 = u32[0, 2, 0, 0, 0, 0x80000000, 0x7ffffffe, 0x80000000, 0x77777788, 0, 0, 0xfefffffe, 0xffff0000, 0x80000000, 0x7ffe0000, 0, 0xd2ffcee2, 0x10002, 0x7fffffff, 0xffffffdf]

;! target gfx1030
v_add_nc_u32_e64 v20, v4, v8 clamp
v_sub_nc_u32_e64 v21, v4, v8 clamp
v_add_nc_i32 v22, v4, v8 clamp
v_sub_nc_i32 v23, v4, v8 clamp
;= v20 = u32[0, 0xffffffff, 0xffffffff, 0xffffffff, 0xfffffffe, 0x80000001, 0x80000000, 0xffffffff, 0xacf13568, 0x1fffffe, 0x1000000, 0xffffffff, 0xffffffff, 0x8002fffe, 0x8000fffe, 0xffffffff, 0xea5baefc, 0xffffffff, 0x8000000a, 0xffffffff]
;= v21 = u32[0, 0, 0, 0, 0, 0x7fffffff, 0x7ffffffe, 0x80000000, 0, 0, 0, 0xfefffffe, 0xffff0000, 0x7fff0000, 0x7ffe0000, 0, 0xd2ffcee2, 0, 0, 0xffffffdf]
;= v22 = u32[0, 0, 0xfffffffe, 0x80000000, 0x7fffffff, 0x80000001, 0x7fffffff, 0x7ffffffe, 0xacf13568, 0x1fffffe, 0x1000000, 0, 0, 0x8002fffe, 0x7fffffff, 0x80000000, 0xea5baefc, 0x10000, 0x8000000a, 1]
;= v23 = u32[0, 2, 0, 0, 0, 0x80000000, 0x7ffffffe, 0x80000000, 0x77777788, 0, 0, 0xfefffffe, 0xffff0000, 0x80000000, 0x7ffe0000, 0, 0xd2ffcee2, 0x10002, 0x7fffffff, 0xffffffdf]

; Packed halves, plain and clamped; shift amounts take four bits.
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
v_pk_add_u16 v20, v4, v8
v_pk_sub_u16 v21, v4, v8
v_pk_add_i16 v22, v4, v8
v_pk_mul_lo_u16 v23, v4, v8
v_pk_min_i16 v24, v4, v8
v_pk_max_i16 v25, v4, v8
v_pk_min_u16 v26, v4, v8
v_pk_max_u16 v27, v4, v8
v_pk_lshlrev_b16 v28, v4, v8
v_pk_lshrrev_b16 v29, v4, v8
v_pk_ashrrev_i16 v30, v4, v8
;= v20 = u32[0, 0xffff0000, 0xfffefffe, 0, 0xfffefffe, 0x80000001, 0x7fff0000, 0x7ffefffe, 0xacf03568, 0x1fefffe, 0x1000000, 0xffff0000, 0xffff0000, 0x8001fffe, 0x8000fffe, 0, 0xea5aaefc, 0, 0x8000000a, 0xffff0001]
;= v21 = u32[0, 0x10002, 0, 0, 0, 0x8000ffff, 0x7ffffffe, 0x80000000, 0x77787788, 0, 0, 0xfefffffe, 0xffff0000, 0x7fff0000, 0x7ffe0000, 0, 0xd300cee2, 0x20002, 0x80000000, 0xffffffdf]
;= v22 = u32[0, 0xffff0000, 0xfffefffe, 0, 0xfffefffe, 0x80000001, 0x7fff0000, 0x7ffefffe, 0xacf03568, 0x1fefffe, 0x1000000, 0xffff0000, 0xffff0000, 0x8001fffe, 0x8000fffe, 0, 0xea5aaefc, 0, 0x8000000a, 0xffff0001]
;= v23 = u32[0, 0xffff, 0x10001, 0, 0x10001, 0, 0xffff, 0x80010001, 0xa6302080, 0xfe010001, 0x40000000, 0xbf80ffff, 0, 0x80000001, 0x7fff0001, 0, 0xe9e9c223, 0xffffffff, 0x19, 0xfef0]
;= v24 = u32[0, 0xffffffff, 0xffffffff, 0x80000000, 0x7fffffff, 0x80000000, 0xffff, 0xffffffff, 0x9abcdef0, 0xffffff, 0x800000, 0xff7fffff, 0xffff8000, 0x8000ffff, 0x17fff, 0x80008000, 0xdeadbeef, 0xffffffff, 0x80000005, 0xfffffff0]
;= v25 = u32[0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 1, 0x7fff0001, 0x7fffffff, 0x12345678, 0xffffff, 0x800000, 0x800001, 0x8000, 0x1ffff, 0x7fff7fff, 0x80008000, 0xbadf00d, 0x10001, 5, 0x11]
;= v26 = u32[0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 0, 1, 0x7fffffff, 0x12345678, 0xffffff, 0x800000, 0x800001, 0x8000, 0x1ffff, 0x17fff, 0x80008000, 0xbadbeef, 0x10001, 5, 0x11]
;= v27 = u32[0, 0xffffffff, 0xffffffff, 0x80000000, 0x7fffffff, 0x80000001, 0x7fffffff, 0xffffffff, 0x9abcdef0, 0xffffff, 0x800000, 0xff7fffff, 0xffff8000, 0x8000ffff, 0x7fff7fff, 0x80008000, 0xdeadf00d, 0xffffffff, 0x80000005, 0xfffffff0]
;= v28 = u32[0, 0xfffffffe, 0x80008000, 0x80000000, 0x80008000, 1, 0x8000, 0x80008000, 0xabc0f000, 0x80008000, 0x800000, 0x8000, 0x8000, 0x18000, 0x80008000, 0x80008000, 0xa0008000, 0xfffefffe, 0x800000a0, 0x11]
;= v29 = u32[0, 0xffff7fff, 0x10001, 0x80000000, 1, 1, 0, 1, 0x9ab00de, 1, 0x800000, 0, 0x8000, 0x10001, 0, 0x80008000, 1, 0x7fff7fff, 0x80000000, 0x11]
;= v30 = u32[0, 0xffffffff, 0xffffffff, 0x80000000, 0xffff, 1, 0, 0xffff, 0xf9abffde, 0xffff, 0x800000, 0, 0x8000, 0x1ffff, 0, 0x80008000, 0xffff, 0xffffffff, 0x80000000, 0x11]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
v_pk_add_u16 v20, v4, v8 clamp
v_pk_sub_u16 v21, v4, v8 clamp
v_pk_add_i16 v22, v4, v8 clamp
v_pk_sub_i16 v23, v4, v8 clamp
;= v20 = u32[0, 0xffffffff, 0xffffffff, 0xffff0000, 0xfffeffff, 0x80000001, 0x7fffffff, 0xffffffff, 0xacf0ffff, 0x1feffff, 0x1000000, 0xffffffff, 0xffffffff, 0x8001ffff, 0x8000fffe, 0xffffffff, 0xea5affff, 0xffffffff, 0x8000000a, 0xffffffff]
;= v21 = u32[0, 0, 0, 0, 0, 0x80000000, 0x7ffffffe, 0x80000000, 0, 0, 0, 0xfefffffe, 0xffff0000, 0x7fff0000, 0x7ffe0000, 0, 0xd3000000, 0, 0, 0xffffffdf]
;= v22 = u32[0, 0xffff0000, 0xfffefffe, 0x80000000, 0x7ffffffe, 0x80000001, 0x7fff0000, 0x7ffefffe, 0xacf03568, 0x1fefffe, 0x1000000, 0xffff0000, 0xffff8000, 0x8001fffe, 0x7fff7fff, 0x80008000, 0xea5aaefc, 0, 0x8000000a, 0xffff0001]
;= v23 = u32[0, 0x10002, 0, 0, 0, 0x8000ffff, 0x7ffffffe, 0x80000000, 0x77787788, 0, 0, 0xfefffffe, 0xffff0000, 0x80000000, 0x7ffe0000, 0, 0xd300cee2, 0x20002, 0x7fff0000, 0xffffffdf]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
;! in v12 = u32[0, 5, 1, 0xffffffff, 0x80000000, 0x7fffffff, 2, 3, 0xf0f0f0f, 1, 0xffffffff, 0x100, 0xffff0001, 0x8000, 0x7fff, 0xffffffff, 0x12345678, 0x55555555, 4, 0x80000000]
v_pk_mad_i16 v20, v4, v8, v12
v_pk_mad_u16 v21, v4, v8, v12 clamp
v_pk_mad_i16 v22, v4, v8, v12 clamp
v_pk_add_u16 v23, v4, v8 op_sel:[1,0] op_sel_hi:[0,1]
;= v20 = u32[0, 4, 0x10002, 0xffffffff, 0x80010001, 0x7fffffff, 1, 0x80010004, 0xb53f2f8f, 0xfe010002, 0x3fffffff, 0xbf8000ff, 0xffff0001, 0x80008001, 0x7fff8000, 0xffffffff, 0xfc1d189b, 0x55545554, 0x1d, 0x8000fef0]
;= v21 = u32[0, 0xffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x7fffffff, 0xffff, 0xffffffff, 0xffffffff, 0xfe01ffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x8000ffff, 0x7fffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x1d, 0x8000ffff]
;= v22 = u32[0, 4, 0x10002, 0x7fffffff, 0x7fff0001, 0x7fffffff, 1, 0x80010004, 0x80008000, 0x7fff0002, 0x3fffffff, 0xbf8000ff, 0xffff7fff, 0x80008001, 0x7fff7fff, 0x7fff7fff, 0x80007fff, 0x55545554, 0x1d, 0x8000fef0]
;= v23 = u32[0, 0xffff, 0xfffefffe, 0x80008000, 0x7ffe7ffe, 0x8001, 0xffff8000, 0x7ffefffe, 0xf134f124, 0xfe00fe, 0x800080, 0x7fff80, 0x80007fff, 0x7fff, 0x8000fffe, 0, 0xca9cceba, 0, 0x80050005, 0xfff00010]

; Dot products, plain and clamped to 32 bits.
;! target gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
;! in v12 = u32[0, 5, 1, 0xffffffff, 0x80000000, 0x7fffffff, 2, 3, 0xf0f0f0f, 1, 0xffffffff, 0x100, 0xffff0001, 0x8000, 0x7fff, 0xffffffff, 0x12345678, 0x55555555, 4, 0x80000000]
v_dot2_i32_i16 v20, v4, v8, v12
v_dot2_i32_i16 v21, v4, v8, v12 clamp
v_dot2_u32_u16 v22, v4, v8, v12
v_dot2_u32_u16 v23, v4, v8, v12 clamp
v_dot4_i32_i8 v24, v4, v8, v12
v_dot4_i32_i8 v25, v4, v8, v12 clamp
v_dot4_u32_u8 v26, v4, v8, v12
v_dot4_u32_u8 v27, v4, v8, v12 clamp
v_dot8_i32_i4 v28, v4, v8, v12
v_dot8_i32_i4 v29, v4, v8, v12 clamp
v_dot8_u32_u4 v30, v4, v8, v12
v_dot8_u32_u4 v31, v4, v8, v12 clamp
;= v20 = u32[0, 4, 3, 0x3fffffff, 0xbfff0002, 0x7fffffff, 1, 0xffff8005, 0xfcb0d5bf, 0xfe03, 0x3fff, 0xffffc07f, 0x3fff0001, 1, 0x3fffffff, 0x7fffffff, 0x14bd0284, 0x55555553, 0x1d, 0x7ffffef0]
;= v21 = u32[0, 4, 3, 0x3fffffff, 0xbfff0002, 0x7fffffff, 1, 0xffff8005, 0xfcb0d5bf, 0xfe03, 0x3fff, 0xffffc07f, 0x3fff0001, 1, 0x3fffffff, 0x7fffffff, 0x14bd0284, 0x55555553, 0x1d, 0x80000000]
;= v22 = u32[0, 0x10004, 0xfffc0003, 0x3fffffff, 0xbffd0002, 0x7fffffff, 0x10001, 0x7ffc8005, 0x655cd5bf, 0xfffefe03, 0x3fff, 0x80c07f, 0x3fff0001, 0xffff0001, 0x3fffffff, 0x7fffffff, 0xcf660284, 0x55575553, 0x1d, 0x8010fef0]
;= v23 = u32[0, 0x10004, 0xffffffff, 0xffffffff, 0xffffffff, 0x7fffffff, 0x10001, 0xffffffff, 0x655cd5bf, 0xfffefe03, 0xffffffff, 0x80c07f, 0xffffffff, 0xffff0001, 0x3fffffff, 0xffffffff, 0xcf660284, 0x55575553, 0x1d, 0x8010fef0]
;= v24 = u32[0, 4, 5, 0x3fff, 0x80003f04, 0x7fffffff, 1, 0xffffff87, 0xf0ee727, 4, 0x3fff, 0xffffc17f, 0xffff4001, 0x8002, 0xbf00, 0x7fff, 0x1234732e, 0x55555553, 0x1d, 0x7ffffef0]
;= v25 = u32[0, 4, 5, 0x3fff, 0x80003f04, 0x7fffffff, 1, 0xffffff87, 0xf0ee727, 4, 0x3fff, 0xffffc17f, 0xffff4001, 0x8002, 0xbf00, 0x7fff, 0x1234732e, 0x55555553, 0x1d, 0x80000000]
;= v26 = u32[0, 0x104, 0x3f805, 0x3fff, 0x80033904, 0x7fffffff, 0x101, 0x37887, 0xf0ffb27, 0x2fa04, 0x3fff, 0x417f, 0xffff4001, 0x27c02, 0x1be00, 0x7fff, 0x1235932e, 0x55555753, 0x1d, 0x80000ff0]
;= v27 = u32[0, 0x104, 0x3f805, 0xffffffff, 0x80033904, 0x7fffffff, 0x101, 0x37887, 0xf0ffb27, 0x2fa04, 0xffffffff, 0x417f, 0xffff4001, 0x27c02, 0x1be00, 0xffffffff, 0x1235932e, 0x55555753, 0x1d, 0x80000ff0]
;= v28 = u32[0, 4, 9, 0x3f, 0x80000038, 0x7fffffff, 1, 3, 0xf0f0ebb, 7, 0x3f, 0xc7, 0xffff0041, 0x8004, 0x8032, 0x7f, 0x123456b7, 0x55555553, 0x1d, 0x7fffffff]
;= v29 = u32[0, 4, 9, 0x3f, 0x80000038, 0x7fffffff, 1, 3, 0xf0f0ebb, 7, 0x3f, 0xc7, 0xffff0041, 0x8004, 0x8032, 0x7f, 0x123456b7, 0x55555553, 0x1d, 0x80000000]
;= v30 = u32[0, 0x14, 0x709, 0x3f, 0x80000658, 0x7fffffff, 0x11, 0x693, 0xf0f107b, 0x547, 0x3f, 0x147, 0xffff0041, 0x8384, 0x82e2, 0x7f, 0x12345987, 0x55555573, 0x1d, 0x8000000f]
;= v31 = u32[0, 0x14, 0x709, 0xffffffff, 0x80000658, 0x7fffffff, 0x11, 0x693, 0xf0f107b, 0x547, 0xffffffff, 0x147, 0xffff0041, 0x8384, 0x82e2, 0xffffffff, 0x12345987, 0x55555573, 0x1d, 0x8000000f]

; Scalar sums and products; SCC is the carry, the borrow or the signed overflow.
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
;! given
;! in s4 = u32[0]
;! in s5 = u32[0]
s_cmp_eq_u32 s4, s4
s_add_u32 s10, s4, s5
s_cselect_b32 s11, 1, 0
s_cmp_eq_u32 s4, s4
s_sub_u32 s12, s4, s5
s_cselect_b32 s13, 1, 0
s_cmp_eq_u32 s4, s4
s_add_i32 s14, s4, s5
s_cselect_b32 s15, 1, 0
s_cmp_eq_u32 s4, s4
s_sub_i32 s16, s4, s5
s_cselect_b32 s17, 1, 0
s_cmp_eq_u32 s4, s4
s_addc_u32 s18, s4, s5
s_cselect_b32 s19, 1, 0
s_cmp_eq_u32 s4, s4
s_subb_u32 s20, s4, s5
s_cselect_b32 s21, 1, 0
s_cmp_eq_u32 s4, s4
s_mul_i32 s22, s4, s5
s_cselect_b32 s23, 1, 0
;= s10 = u32[0]
;= s11 = u32[0]
;= s12 = u32[0]
;= s13 = u32[0]
;= s14 = u32[0]
;= s15 = u32[0]
;= s16 = u32[0]
;= s17 = u32[0]
;= s18 = u32[1]
;= s19 = u32[0]
;= s20 = u32[0xffffffff]
;= s21 = u32[1]
;= s22 = u32[0]
;= s23 = u32[1]
;= scc = u32[1]

;! in s4 = u32[1]
;! in s5 = u32[0xffffffff]
s_cmp_eq_u32 s4, s4
s_add_u32 s10, s4, s5
s_cselect_b32 s11, 1, 0
s_cmp_eq_u32 s4, s4
s_sub_u32 s12, s4, s5
s_cselect_b32 s13, 1, 0
s_cmp_eq_u32 s4, s4
s_add_i32 s14, s4, s5
s_cselect_b32 s15, 1, 0
s_cmp_eq_u32 s4, s4
s_sub_i32 s16, s4, s5
s_cselect_b32 s17, 1, 0
s_cmp_eq_u32 s4, s4
s_addc_u32 s18, s4, s5
s_cselect_b32 s19, 1, 0
s_cmp_eq_u32 s4, s4
s_subb_u32 s20, s4, s5
s_cselect_b32 s21, 1, 0
s_cmp_eq_u32 s4, s4
s_mul_i32 s22, s4, s5
s_cselect_b32 s23, 1, 0
;= s10 = u32[0]
;= s11 = u32[1]
;= s12 = u32[2]
;= s13 = u32[1]
;= s14 = u32[0]
;= s15 = u32[0]
;= s16 = u32[2]
;= s17 = u32[0]
;= s18 = u32[1]
;= s19 = u32[1]
;= s20 = u32[1]
;= s21 = u32[1]
;= s22 = u32[0xffffffff]
;= s23 = u32[1]
;= scc = u32[1]

;! in s4 = u32[0xffffffff]
;! in s5 = u32[0xffffffff]
s_cmp_eq_u32 s4, 0x7654321
s_add_u32 s10, s4, s5
s_cselect_b32 s11, 1, 0
s_cmp_eq_u32 s4, 0x7654321
s_sub_u32 s12, s4, s5
s_cselect_b32 s13, 1, 0
s_cmp_eq_u32 s4, 0x7654321
s_add_i32 s14, s4, s5
s_cselect_b32 s15, 1, 0
s_cmp_eq_u32 s4, 0x7654321
s_sub_i32 s16, s4, s5
s_cselect_b32 s17, 1, 0
s_cmp_eq_u32 s4, 0x7654321
s_addc_u32 s18, s4, s5
s_cselect_b32 s19, 1, 0
s_cmp_eq_u32 s4, 0x7654321
s_subb_u32 s20, s4, s5
s_cselect_b32 s21, 1, 0
s_cmp_eq_u32 s4, 0x7654321
s_mul_i32 s22, s4, s5
s_cselect_b32 s23, 1, 0
;= s10 = u32[0xfffffffe]
;= s11 = u32[1]
;= s12 = u32[0]
;= s13 = u32[0]
;= s14 = u32[0xfffffffe]
;= s15 = u32[0]
;= s16 = u32[0]
;= s17 = u32[0]
;= s18 = u32[0xfffffffe]
;= s19 = u32[1]
;= s20 = u32[0]
;= s21 = u32[0]
;= s22 = u32[1]
;= s23 = u32[0]
;= scc = u32[0]

;! in s4 = u32[0xffffffff]
;! in s5 = u32[0xffffffff]
s_cmp_eq_u32 s4, s4
s_add_u32 s10, s4, s5
s_cselect_b32 s11, 1, 0
s_cmp_eq_u32 s4, s4
s_sub_u32 s12, s4, s5
s_cselect_b32 s13, 1, 0
s_cmp_eq_u32 s4, s4
s_add_i32 s14, s4, s5
s_cselect_b32 s15, 1, 0
s_cmp_eq_u32 s4, s4
s_sub_i32 s16, s4, s5
s_cselect_b32 s17, 1, 0
s_cmp_eq_u32 s4, s4
s_addc_u32 s18, s4, s5
s_cselect_b32 s19, 1, 0
s_cmp_eq_u32 s4, s4
s_subb_u32 s20, s4, s5
s_cselect_b32 s21, 1, 0
s_cmp_eq_u32 s4, s4
s_mul_i32 s22, s4, s5
s_cselect_b32 s23, 1, 0
;= s10 = u32[0xfffffffe]
;= s11 = u32[1]
;= s12 = u32[0]
;= s13 = u32[0]
;= s14 = u32[0xfffffffe]
;= s15 = u32[0]
;= s16 = u32[0]
;= s17 = u32[0]
;= s18 = u32[0xffffffff]
;= s19 = u32[1]
;= s20 = u32[0xffffffff]
;= s21 = u32[1]
;= s22 = u32[1]
;= s23 = u32[1]
;= scc = u32[1]

;! in s4 = u32[0x80000000]
;! in s5 = u32[0x80000000]
s_cmp_eq_u32 s4, s4
s_add_u32 s10, s4, s5
s_cselect_b32 s11, 1, 0
s_cmp_eq_u32 s4, s4
s_sub_u32 s12, s4, s5
s_cselect_b32 s13, 1, 0
s_cmp_eq_u32 s4, s4
s_add_i32 s14, s4, s5
s_cselect_b32 s15, 1, 0
s_cmp_eq_u32 s4, s4
s_sub_i32 s16, s4, s5
s_cselect_b32 s17, 1, 0
s_cmp_eq_u32 s4, s4
s_addc_u32 s18, s4, s5
s_cselect_b32 s19, 1, 0
s_cmp_eq_u32 s4, s4
s_subb_u32 s20, s4, s5
s_cselect_b32 s21, 1, 0
s_cmp_eq_u32 s4, s4
s_mul_i32 s22, s4, s5
s_cselect_b32 s23, 1, 0
;= s10 = u32[0]
;= s11 = u32[1]
;= s12 = u32[0]
;= s13 = u32[0]
;= s14 = u32[0]
;= s15 = u32[1]
;= s16 = u32[0]
;= s17 = u32[0]
;= s18 = u32[1]
;= s19 = u32[1]
;= s20 = u32[0xffffffff]
;= s21 = u32[1]
;= s22 = u32[0]
;= s23 = u32[1]
;= scc = u32[1]

;! in s4 = u32[0x7fffffff]
;! in s5 = u32[0x7fffffff]
s_cmp_eq_u32 s4, s4
s_add_u32 s10, s4, s5
s_cselect_b32 s11, 1, 0
s_cmp_eq_u32 s4, s4
s_sub_u32 s12, s4, s5
s_cselect_b32 s13, 1, 0
s_cmp_eq_u32 s4, s4
s_add_i32 s14, s4, s5
s_cselect_b32 s15, 1, 0
s_cmp_eq_u32 s4, s4
s_sub_i32 s16, s4, s5
s_cselect_b32 s17, 1, 0
s_cmp_eq_u32 s4, s4
s_addc_u32 s18, s4, s5
s_cselect_b32 s19, 1, 0
s_cmp_eq_u32 s4, s4
s_subb_u32 s20, s4, s5
s_cselect_b32 s21, 1, 0
s_cmp_eq_u32 s4, s4
s_mul_i32 s22, s4, s5
s_cselect_b32 s23, 1, 0
;= s10 = u32[0xfffffffe]
;= s11 = u32[0]
;= s12 = u32[0]
;= s13 = u32[0]
;= s14 = u32[0xfffffffe]
;= s15 = u32[1]
;= s16 = u32[0]
;= s17 = u32[0]
;= s18 = u32[0xffffffff]
;= s19 = u32[0]
;= s20 = u32[0xffffffff]
;= s21 = u32[1]
;= s22 = u32[1]
;= s23 = u32[1]
;= scc = u32[1]

;! in s4 = u32[0x80000000]
;! in s5 = u32[1]
s_cmp_eq_u32 s4, s4
s_add_u32 s10, s4, s5
s_cselect_b32 s11, 1, 0
s_cmp_eq_u32 s4, s4
s_sub_u32 s12, s4, s5
s_cselect_b32 s13, 1, 0
s_cmp_eq_u32 s4, s4
s_add_i32 s14, s4, s5
s_cselect_b32 s15, 1, 0
s_cmp_eq_u32 s4, s4
s_sub_i32 s16, s4, s5
s_cselect_b32 s17, 1, 0
s_cmp_eq_u32 s4, s4
s_addc_u32 s18, s4, s5
s_cselect_b32 s19, 1, 0
s_cmp_eq_u32 s4, s4
s_subb_u32 s20, s4, s5
s_cselect_b32 s21, 1, 0
s_cmp_eq_u32 s4, s4
s_mul_i32 s22, s4, s5
s_cselect_b32 s23, 1, 0
;= s10 = u32[0x80000001]
;= s11 = u32[0]
;= s12 = u32[0x7fffffff]
;= s13 = u32[0]
;= s14 = u32[0x80000001]
;= s15 = u32[0]
;= s16 = u32[0x7fffffff]
;= s17 = u32[1]
;= s18 = u32[0x80000002]
;= s19 = u32[0]
;= s20 = u32[0x7ffffffe]
;= s21 = u32[0]
;= s22 = u32[0x80000000]
;= s23 = u32[1]
;= scc = u32[1]

;! in s4 = u32[0x7fffffff]
;! in s5 = u32[1]
s_cmp_eq_u32 s4, s4
s_add_u32 s10, s4, s5
s_cselect_b32 s11, 1, 0
s_cmp_eq_u32 s4, s4
s_sub_u32 s12, s4, s5
s_cselect_b32 s13, 1, 0
s_cmp_eq_u32 s4, s4
s_add_i32 s14, s4, s5
s_cselect_b32 s15, 1, 0
s_cmp_eq_u32 s4, s4
s_sub_i32 s16, s4, s5
s_cselect_b32 s17, 1, 0
s_cmp_eq_u32 s4, s4
s_addc_u32 s18, s4, s5
s_cselect_b32 s19, 1, 0
s_cmp_eq_u32 s4, s4
s_subb_u32 s20, s4, s5
s_cselect_b32 s21, 1, 0
s_cmp_eq_u32 s4, s4
s_mul_i32 s22, s4, s5
s_cselect_b32 s23, 1, 0
;= s10 = u32[0x80000000]
;= s11 = u32[0]
;= s12 = u32[0x7ffffffe]
;= s13 = u32[0]
;= s14 = u32[0x80000000]
;= s15 = u32[1]
;= s16 = u32[0x7ffffffe]
;= s17 = u32[0]
;= s18 = u32[0x80000001]
;= s19 = u32[0]
;= s20 = u32[0x7ffffffd]
;= s21 = u32[0]
;= s22 = u32[0x7fffffff]
;= s23 = u32[1]
;= scc = u32[1]

;! in s4 = u32[0xffffffff]
;! in s5 = u32[0x7fffffff]
s_cmp_eq_u32 s4, 0x7654321
s_add_u32 s10, s4, s5
s_cselect_b32 s11, 1, 0
s_cmp_eq_u32 s4, 0x7654321
s_sub_u32 s12, s4, s5
s_cselect_b32 s13, 1, 0
s_cmp_eq_u32 s4, 0x7654321
s_add_i32 s14, s4, s5
s_cselect_b32 s15, 1, 0
s_cmp_eq_u32 s4, 0x7654321
s_sub_i32 s16, s4, s5
s_cselect_b32 s17, 1, 0
s_cmp_eq_u32 s4, 0x7654321
s_addc_u32 s18, s4, s5
s_cselect_b32 s19, 1, 0
s_cmp_eq_u32 s4, 0x7654321
s_subb_u32 s20, s4, s5
s_cselect_b32 s21, 1, 0
s_cmp_eq_u32 s4, 0x7654321
s_mul_i32 s22, s4, s5
s_cselect_b32 s23, 1, 0
;= s10 = u32[0x7ffffffe]
;= s11 = u32[1]
;= s12 = u32[0x80000000]
;= s13 = u32[0]
;= s14 = u32[0x7ffffffe]
;= s15 = u32[0]
;= s16 = u32[0x80000000]
;= s17 = u32[0]
;= s18 = u32[0x7ffffffe]
;= s19 = u32[1]
;= s20 = u32[0x80000000]
;= s21 = u32[0]
;= s22 = u32[0x80000001]
;= s23 = u32[0]
;= scc = u32[0]

;! in s4 = u32[0xffffffff]
;! in s5 = u32[0x7fffffff]
s_cmp_eq_u32 s4, s4
s_add_u32 s10, s4, s5
s_cselect_b32 s11, 1, 0
s_cmp_eq_u32 s4, s4
s_sub_u32 s12, s4, s5
s_cselect_b32 s13, 1, 0
s_cmp_eq_u32 s4, s4
s_add_i32 s14, s4, s5
s_cselect_b32 s15, 1, 0
s_cmp_eq_u32 s4, s4
s_sub_i32 s16, s4, s5
s_cselect_b32 s17, 1, 0
s_cmp_eq_u32 s4, s4
s_addc_u32 s18, s4, s5
s_cselect_b32 s19, 1, 0
s_cmp_eq_u32 s4, s4
s_subb_u32 s20, s4, s5
s_cselect_b32 s21, 1, 0
s_cmp_eq_u32 s4, s4
s_mul_i32 s22, s4, s5
s_cselect_b32 s23, 1, 0
;= s10 = u32[0x7ffffffe]
;= s11 = u32[1]
;= s12 = u32[0x80000000]
;= s13 = u32[0]
;= s14 = u32[0x7ffffffe]
;= s15 = u32[0]
;= s16 = u32[0x80000000]
;= s17 = u32[0]
;= s18 = u32[0x7fffffff]
;= s19 = u32[1]
;= s20 = u32[0x7fffffff]
;= s21 = u32[0]
;= s22 = u32[0x80000001]
;= s23 = u32[1]
;= scc = u32[1]

;! in s4 = u32[0x12345678]
;! in s5 = u32[0x9abcdef0]
s_cmp_eq_u32 s4, s4
s_add_u32 s10, s4, s5
s_cselect_b32 s11, 1, 0
s_cmp_eq_u32 s4, s4
s_sub_u32 s12, s4, s5
s_cselect_b32 s13, 1, 0
s_cmp_eq_u32 s4, s4
s_add_i32 s14, s4, s5
s_cselect_b32 s15, 1, 0
s_cmp_eq_u32 s4, s4
s_sub_i32 s16, s4, s5
s_cselect_b32 s17, 1, 0
s_cmp_eq_u32 s4, s4
s_addc_u32 s18, s4, s5
s_cselect_b32 s19, 1, 0
s_cmp_eq_u32 s4, s4
s_subb_u32 s20, s4, s5
s_cselect_b32 s21, 1, 0
s_cmp_eq_u32 s4, s4
s_mul_i32 s22, s4, s5
s_cselect_b32 s23, 1, 0
;= s10 = u32[0xacf13568]
;= s11 = u32[0]
;= s12 = u32[0x77777788]
;= s13 = u32[1]
;= s14 = u32[0xacf13568]
;= s15 = u32[0]
;= s16 = u32[0x77777788]
;= s17 = u32[0]
;= s18 = u32[0xacf13569]
;= s19 = u32[0]
;= s20 = u32[0x77777787]
;= s21 = u32[1]
;= s22 = u32[0x242d2080]
;= s23 = u32[1]
;= scc = u32[1]

;! in s4 = u32[0xffffff]
;! in s5 = u32[0xffffff]
s_cmp_eq_u32 s4, s4
s_add_u32 s10, s4, s5
s_cselect_b32 s11, 1, 0
s_cmp_eq_u32 s4, s4
s_sub_u32 s12, s4, s5
s_cselect_b32 s13, 1, 0
s_cmp_eq_u32 s4, s4
s_add_i32 s14, s4, s5
s_cselect_b32 s15, 1, 0
s_cmp_eq_u32 s4, s4
s_sub_i32 s16, s4, s5
s_cselect_b32 s17, 1, 0
s_cmp_eq_u32 s4, s4
s_addc_u32 s18, s4, s5
s_cselect_b32 s19, 1, 0
s_cmp_eq_u32 s4, s4
s_subb_u32 s20, s4, s5
s_cselect_b32 s21, 1, 0
s_cmp_eq_u32 s4, s4
s_mul_i32 s22, s4, s5
s_cselect_b32 s23, 1, 0
;= s10 = u32[0x1fffffe]
;= s11 = u32[0]
;= s12 = u32[0]
;= s13 = u32[0]
;= s14 = u32[0x1fffffe]
;= s15 = u32[0]
;= s16 = u32[0]
;= s17 = u32[0]
;= s18 = u32[0x1ffffff]
;= s19 = u32[0]
;= s20 = u32[0xffffffff]
;= s21 = u32[1]
;= s22 = u32[0xfe000001]
;= s23 = u32[1]
;= scc = u32[1]

;! in s4 = u32[0x800000]
;! in s5 = u32[0x800000]
s_cmp_eq_u32 s4, s4
s_add_u32 s10, s4, s5
s_cselect_b32 s11, 1, 0
s_cmp_eq_u32 s4, s4
s_sub_u32 s12, s4, s5
s_cselect_b32 s13, 1, 0
s_cmp_eq_u32 s4, s4
s_add_i32 s14, s4, s5
s_cselect_b32 s15, 1, 0
s_cmp_eq_u32 s4, s4
s_sub_i32 s16, s4, s5
s_cselect_b32 s17, 1, 0
s_cmp_eq_u32 s4, s4
s_addc_u32 s18, s4, s5
s_cselect_b32 s19, 1, 0
s_cmp_eq_u32 s4, s4
s_subb_u32 s20, s4, s5
s_cselect_b32 s21, 1, 0
s_cmp_eq_u32 s4, s4
s_mul_i32 s22, s4, s5
s_cselect_b32 s23, 1, 0
;= s10 = u32[0x1000000]
;= s11 = u32[0]
;= s12 = u32[0]
;= s13 = u32[0]
;= s14 = u32[0x1000000]
;= s15 = u32[0]
;= s16 = u32[0]
;= s17 = u32[0]
;= s18 = u32[0x1000001]
;= s19 = u32[0]
;= s20 = u32[0xffffffff]
;= s21 = u32[1]
;= s22 = u32[0]
;= s23 = u32[1]
;= scc = u32[1]

;! in s4 = u32[0xff7fffff]
;! in s5 = u32[0x800001]
s_cmp_eq_u32 s4, s4
s_add_u32 s10, s4, s5
s_cselect_b32 s11, 1, 0
s_cmp_eq_u32 s4, s4
s_sub_u32 s12, s4, s5
s_cselect_b32 s13, 1, 0
s_cmp_eq_u32 s4, s4
s_add_i32 s14, s4, s5
s_cselect_b32 s15, 1, 0
s_cmp_eq_u32 s4, s4
s_sub_i32 s16, s4, s5
s_cselect_b32 s17, 1, 0
s_cmp_eq_u32 s4, s4
s_addc_u32 s18, s4, s5
s_cselect_b32 s19, 1, 0
s_cmp_eq_u32 s4, s4
s_subb_u32 s20, s4, s5
s_cselect_b32 s21, 1, 0
s_cmp_eq_u32 s4, s4
s_mul_i32 s22, s4, s5
s_cselect_b32 s23, 1, 0
;= s10 = u32[0]
;= s11 = u32[1]
;= s12 = u32[0xfefffffe]
;= s13 = u32[0]
;= s14 = u32[0]
;= s15 = u32[0]
;= s16 = u32[0xfefffffe]
;= s17 = u32[0]
;= s18 = u32[1]
;= s19 = u32[1]
;= s20 = u32[0xfefffffd]
;= s21 = u32[0]
;= s22 = u32[0xfeffffff]
;= s23 = u32[1]
;= scc = u32[1]
