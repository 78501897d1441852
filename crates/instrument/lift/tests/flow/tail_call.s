; A jump to another function's start; an unresolved jump.
;! target gfx1030 gfx90a
;! function main kernel
;! function lost kernel
;! function other device
main:
  v_mov_b32_e32 v1, v0                  ;= live s[2:3],v0 | inactive
  s_branch other                        ;= leaves tail:other | live s[2:3],v1
lost:
  s_mov_b64 s[0:1], 0
  s_setpc_b64 s[2:3]                    ;= leaves anywhere
other:
  global_store_dword v1, v1, s[2:3]
  s_endpgm                              ;= leaves end
