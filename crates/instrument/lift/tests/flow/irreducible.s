; A cycle with two entries is no natural loop.
;! target gfx90a
;! function main kernel
main:
  s_cbranch_scc0 .Lb                    ;= succ 1 2 | ipdom 2
.La:
  s_nop 0                               ;= succ 2 | idom 0 | loop none
.Lb:
  s_cbranch_vccz .La                    ;= succ 1 3 | idom 0 | loop none | ipdom 3
  s_endpgm                              ;= idom 2
