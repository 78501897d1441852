; A loop, a diamond, a call, a jump through a register: what the block splitter has to tell apart.
	.text
	.globl	branches
	.p2align	8
	.type	branches,@function
branches:
	s_mov_b32 s4, 10
.Lloop:
	s_sub_u32 s4, s4, 1
	s_cmp_eq_u32 s4, 0
	s_cbranch_scc0 .Lloop
	s_cmp_lt_u32 s5, 3
	s_cbranch_scc1 .Lelse
	v_mov_b32 v0, 1
	s_branch .Ljoin
.Lelse:
	v_mov_b32 v0, 2
.Ljoin:
	s_swappc_b64 s[30:31], s[8:9]
	s_cbranch_vccz .Lexit
	s_setpc_b64 s[10:11]
.Lexit:
	s_endpgm
.Lend:
	.size	branches, .Lend-branches
	.section .rodata,"a",@progbits
	.p2align	6
	.amdhsa_kernel branches
		.amdhsa_next_free_vgpr 1
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 4
	.end_amdhsa_kernel
