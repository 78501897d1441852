; Program control: what ends, stops or delays a wave, messages, clocks, program counters, and hints without effect.
;! by spec, CDNA2 and RDNA2 manuals, SOP1, SOPP and SMEM

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
;! in s0 = u32[1]
s_endpgm
s_mov_b32 s0, 2
;= stop = End
;= s0 = u32[1]

s_endpgm_saved
s_mov_b32 s0, 2
;= stop = End

; A wave that waits has done nothing else yet.

s_mov_b32 s0, 1
s_barrier
s_mov_b32 s0, 2
;= stop = Barrier
;= s0 = u32[1]

s_mov_b32 s0, 1
s_sleep 7
s_mov_b32 s0, 2
;= stop = Sleep
;= s0 = u32[1]

s_mov_b32 s0, 1
s_trap 5
s_mov_b32 s0, 2
;= stop = Trap(5)
;= s0 = u32[1]

;! in m0 = u32[0x1234]
s_sendmsg sendmsg(MSG_INTERRUPT)
s_mov_b32 s0, 2
;= messages = u32[1, 0x1234]
;= s0 = u32[2]

;! in m0 = u32[7]
s_sendmsghalt sendmsg(MSG_INTERRUPT)
s_mov_b32 s0, 2
;= stop = End
;= messages = u32[1, 7]

; Clocks: the engine's goes as fast as the runtime is told, 17 cycles a tick of the constant-rate counter here.

;! time 0x0123456789abcdef
s_memtime s[0:1]
s_waitcnt lgkmcnt(0)
;= s[0:1] = u64[0x13579be02468acdf]

;! time 0xfedcba9876543210
s_memrealtime s[0:1]
s_waitcnt lgkmcnt(0)
;= s[0:1] = u64[0xfedcba9876543210]

; The address of the next instruction.

s_getpc_b64 s[0:1]
s_getpc_b64 s[2:3]
s_sub_u32 s4, s2, s0
s_subb_u32 s5, s3, s1
;= s[0:1] = any
;= s[2:3] = any
;= s[4:5] = u64[4]
;= scc = u32[0]

; A call through registers: 24 bytes from the first getpc's successor to the function, which returns behind the call.

s_getpc_b64 s[0:1]
s_add_u32 s2, s0, 24
s_addc_u32 s3, s1, 0
s_swappc_b64 s[4:5], s[2:3]
s_sub_u32 s6, s4, s0
s_mov_b32 s8, 3
s_endpgm
s_mov_b32 s7, 9
s_setpc_b64 s[4:5]
;= s[0:1] = any
;= s[2:3] = any
;= s[4:5] = any
;= s6 = u32[12]
;= s7 = u32[9]
;= s8 = u32[3]
;= scc = u32[0]

; Hints and cache controls: memory is coherent and instructions complete in order, so nothing is to be done.

s_setkill 0
s_wakeup
v_clrexcp
s_mov_b32 s0, 1
;= s0 = u32[1]

s_atc_probe 3, s[2:3], 0x0
s_atc_probe_buffer 3, s[4:7], 0x0
s_mov_b32 s0, 1
;= s0 = u32[1]

;! target gfx1010
s_dcache_wb
s_dcache_discard s[2:3], 0x0
s_dcache_discard_x2 s[2:3], 0x0
s_mov_b32 s0, 1
;= s0 = u32[1]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
s_dcache_wb
s_dcache_wb_vol
s_dcache_inv_vol
s_dcache_discard s[2:3], 0x0
s_dcache_discard_x2 s[2:3], 0x0
s_mov_b32 s0, 1
;= s0 = u32[1]

;! target gfx1030
s_code_end
s_wait_idle
v_pipeflush
s_mov_b32 s0, 1
;= s0 = u32[1]

; MODE bits 3:0 are the rounding, 7:4 the denormals; the rest of it stays.

;! not gfx12
s_round_mode 0x5
s_getreg_b32 s0, hwreg(HW_REG_MODE, 0, 12)
s_denorm_mode 0x6
s_getreg_b32 s1, hwreg(HW_REG_MODE, 0, 12)
;= s0 = u32[0x3f5]
;= s1 = u32[0x365]

; 1 + 2^-24 rounds up towards plus infinity (1), down towards minus infinity (2) and zero (3), and to even (0).

;! in v4 = f32[1.0, -1.0]
;! in v8 = u32[0x33800000, 0xb3800000]
s_round_mode 0x1
v_add_f32_e32 v0, v4, v8
s_round_mode 0x2
v_add_f32_e32 v1, v4, v8
s_round_mode 0x3
v_add_f32_e32 v2, v4, v8
s_round_mode 0x0
v_add_f32_e32 v3, v4, v8
;= v0 = u32[0x3f800001, 0xbf800000]
;= v1 = u32[0x3f800000, 0xbf800001]
;= v2 = u32[0x3f800000, 0xbf800000]
;= v3 = u32[0x3f800000, 0xbf800000]

; Denormals of f32 in bits 1:0: flushed in and out (0), in only allowed (1), out only allowed (2), kept (3).

;! in v4 = u32[0x400000]
;! in v8 = f32[2.0, 0.25]
s_denorm_mode 0xc
v_mul_f32_e32 v0, v4, v8
s_denorm_mode 0xd
v_mul_f32_e32 v1, v4, v8
s_denorm_mode 0xe
v_mul_f32_e32 v2, v4, v8
s_denorm_mode 0xf
v_mul_f32_e32 v3, v4, v8
;= v0 = u32[0]
;= v1 = u32[0x800000, 0]
;= v2 = u32[0]
;= v3 = u32[0x800000, 0x100000]

; Global wave sync: resource is M0 bits 21:16 plus the offset, the count comes from the first active lane.
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
;! exec 0x30
;! in m0 = u32[0x30000]
;! in v4 = u32[1, 2, 3, 4, 5, 6]
ds_gws_init v4 offset:1 gds
ds_gws_barrier v4 offset:1 gds
s_mov_b32 s0, 1
;= barriers = u32[4, 5, 4, 5]
;= s0 = u32[1]

; Its semaphores: a bulk release takes its count likewise, and the sum of base and offset has six bits.
;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
;! exec 0x30
;! in m0 = u32[0x3e0000]
;! in v4 = u32[1, 2, 3, 4, 5, 6]
ds_gws_sema_v offset:1 gds
ds_gws_sema_br v4 offset:2 gds
ds_gws_sema_p offset:3 gds
ds_gws_sema_release_all offset:1 gds
s_mov_b32 s0, 1
;= barriers = u32[63, 1, 0, 5, 1, 0, 63, 0]
;= s0 = u32[1]
