; The address of a function further up goes into vector registers: its low half alone lacks the borrow.
;! target gfx90a
;! function callee device
;! function bystander device
;! function main kernel
callee:
  s_setpc_b64 s[30:31]                  ;= leaves return
bystander:
  s_setpc_b64 s[30:31]
main:
  s_getpc_b64 s[2:3]
  s_add_u32 s2, s2, callee-.Lhere
.Lhere = main+4
  s_addc_u32 s3, s3, -1
  v_pk_mov_b32 v[0:1], s[2:3], s[2:3] op_sel:[0,1]      ;= taken callee
  global_store_dwordx2 v2, v[0:1], s[0:1]
  s_endpgm
