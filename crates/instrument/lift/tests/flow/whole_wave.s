; A stretch with all lanes on overwrites the inactive lanes of v2 as well.
;! target gfx90a gfx942
;! function main kernel
main:
  s_or_saveexec_b64 s[4:5], -1          ;= live s[0:1],v0,v1 | inactive v0,v1
  v_mov_b32_e32 v2, 7                   ;= live s[0:1],s[4:5],v0,v1 | inactive
  v_mov_b32_dpp v2, v0 row_shr:1 row_mask:0xf bank_mask:0xf ;= live s[0:1],s[4:5],v0,v1,v2 | inactive
  s_mov_b64 exec, s[4:5]                ;= live s[0:1],s[4:5],v1,v2 | inactive
  global_store_dword v1, v2, s[0:1]     ;= inactive
  s_endpgm
