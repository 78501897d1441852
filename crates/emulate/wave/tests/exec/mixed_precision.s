; Mixed precision.
;! by spec, worked out by hand from the formulas of the CDNA2 and RDNA2 manuals

;! target gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030
v_fma_mix_f32 v0, v4, v8, v12  ;! in v4 = u32[0x40000000]  ;! in v8 = u32[0x40400000]  ;! in v12 = u32[0x3f800000]  ;= v0 = f32[7.0]
v_fma_mix_f32 v0, v4, v8, v12 op_sel:[0,1,0] op_sel_hi:[1,1,0]  ;! in v4 = u32[0x99994000]  ;! in v8 = u32[0x42009999]  ;! in v12 = u32[0x3f800000]  ;= v0 = f32[7.0]
v_fma_mix_f32 v0, -v4, |v8|, v12 op_sel_hi:[1,0,0]  ;! in v4 = u32[0x4000]  ;! in v8 = u32[0xc0400000]  ;! in v12 = u32[0x3f800000]  ;= v0 = f32[-5.0]

;! given in v4 = u32[0x40000000]
;! given in v8 = u32[0x40400000]
;! given in v12 = u32[0x3f800000]
v_fma_mixlo_f16 v0, v4, v8, v12  ;= v0 = u32[0xdead4700]
v_fma_mixhi_f16 v0, v4, v8, v12  ;= v0 = u32[0x47000bad]
v_fma_mixlo_f16 v0, v4, v8, v12 clamp  ;= v0 = u32[0xdead3c00]
;! target gfx900
;! given
;! given in v8 = u32[0x40400000]
;! given in v12 = u32[0x3f800000]
v_mad_mix_f32 v0, v4, v8, v12 op_sel_hi:[1,0,0]  ;! in v4 = u32[0x4000]  ;= v0 = f32[7.0]
v_mad_mixlo_f16 v0, v4, v8, v12  ;! in v4 = u32[0x40000000]  ;= v0 = u32[0xdead4700]
v_mad_mixhi_f16 v0, v4, v8, v12  ;! in v4 = u32[0x40000000]  ;= v0 = u32[0x47000bad]
