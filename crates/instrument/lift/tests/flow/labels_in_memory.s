; GCC's labels as values: their addresses go through lanes to memory and come back, and then a jump may go to any of them.
;! target gfx900 gfx90a
;! function main kernel
main:
  s_getpc_b64 s[2:3]
.Lhere = main+4
  s_add_u32 s2, s2, .La-.Lhere
  s_addc_u32 s3, s3, 0
  v_writelane_b32 v4, s2, 0
  v_writelane_b32 v5, s3, 0
  s_getpc_b64 s[2:3]
.Lthere = .Lhere+32
  s_add_u32 s2, s2, .Lb-.Lthere
  s_addc_u32 s3, s3, 0
  v_writelane_b32 v6, s2, 0
  v_writelane_b32 v7, s3, 0
  flat_store_dwordx4 v[0:1], v[4:7]
  flat_load_dwordx2 v[4:5], v[2:3]
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_readlane_b32 s12, v4, 0
  v_readlane_b32 s13, v5, 0
  s_setpc_b64 s[12:13]                  ;= succ 1 3 | leaves anywhere
.La:
  v_mov_b32 v0, 1                       ;= entered yes
  s_cbranch_scc0 .Lb
  v_mov_b32 v0, 2                       ;= entered no
.Lb:
  s_endpgm                              ;= entered yes
