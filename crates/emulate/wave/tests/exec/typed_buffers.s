; Buffer loads and stores that convert: format in the resource (buffer_*) or in the instruction (tbuffer_*). Components that
; the format lacks read 0, 0, 1. Lanes read and write elements 1, 3, 0 and one beyond the end, and every fifth lane is off.
; What becomes of the unused half of a d16 load with SRAM ECC on is not published for converting loads: no cases there.
;! by spec, CDNA and RDNA manuals "Buffer data formats"; conversions by the rules of D3D and IEEE arithmetic

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x11fac = u32[0xd007bcf0, 0xb82e041b]
;! in v1 = u32[2, 6, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
buffer_load_format_x v4, v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0xbebfe580, 0xbf0fa51f, 0xbf06210c, 0]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31008fac = u32[0xd007bcf0, 0xb82e041b]
;! in v1 = u32[2, 6, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
buffer_load_format_x v4, v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0xbebfe580, 0xbf0fa51f, 0xbf06210c, 0]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x65fac = u32[0xad2bbcf0, 0x8e959e62, 0xc13ed007, 0x22a93271, 0x7552041b, 0x56bc6585, 0xa966b82e, 0x8ad09999]
;! in v1 = u32[8, 0x18, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
buffer_load_format_x v4, v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0xffffd007, 0xffffb82e, 0xffffbcf0, 0]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31046fac = u32[0xad2bbcf0, 0x8e959e62, 0xc13ed007, 0x22a93271, 0x7552041b, 0x56bc6585, 0xa966b82e, 0x8ad09999]
;! in v1 = u32[8, 0x18, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
buffer_load_format_x v4, v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0xffffd007, 0xffffb82e, 0xffffbcf0, 0]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x2bfac = u32[0xad2bbcf0, 0xc13ed007, 0x7552041b, 0xa966b82e]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
buffer_load_format_xy v[4:5], v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0xc63fe400, 0xc68fa400, 0xc6862000, 0]
;= v5 = u32[0xc67b0800, 0xc6ad3400, 0xc6a5aa00, 0]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x3101afac = u32[0xad2bbcf0, 0xc13ed007, 0x7552041b, 0xa966b82e]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
buffer_load_format_xy v[4:5], v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0xc63fe400, 0xc68fa400, 0xc6862000, 0]
;= v5 = u32[0xc67b0800, 0xc6ad3400, 0xc6a5aa00, 0]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x8fac = u32[0x71624e3b]
;! in v1 = u32[1, 3, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
buffer_load_format_xy v[4:5], v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x3e9c9c9d, 0x3ee2e2e3, 0x3e6ceced, 0]
;= v5 = u32[0, 0, 0, 0]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31001fac = u32[0x71624e3b]
;! in v1 = u32[1, 3, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
buffer_load_format_xy v[4:5], v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x3e9c9c9d, 0x3ee2e2e3, 0x3e6ceced, 0]
;= v5 = u32[0, 0, 0, 0]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x37fac = u32[0x841c03c0, 0x7a208000, 0x78230300, 0x210380]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
;! in v6 = u32[0x5555aaaa]
buffer_load_format_xyz v[4:6], v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0, 0x3f000000, 0x3f800000, 0]
;= v5 = u32[0x40200000, 0x40400000, 0x3f000000, 0]
;= v6 = u32[0x3fa00000, 0, 0x40400000, 0]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31024fac = u32[0x841c03c0, 0x7a208000, 0x78230300, 0x210380]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
;! in v6 = u32[0x5555aaaa]
buffer_load_format_xyz v[4:6], v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0, 0x3f000000, 0x3f800000, 0]
;= v5 = u32[0x40200000, 0x40400000, 0x3f000000, 0]
;= v6 = u32[0x3fa00000, 0, 0x40400000, 0]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x6dfac = u32[0x1734a966, 0x34d9999, 0xf828ad0, 0x1429dd75, 0x6ecdac, 0xca73ee7, 0x114a7089, 0x1d8361c0, 0x9d852fb, 0xe6ca49c, 0x1aa595d4, 0x6fa860f]
;! in v1 = u32[0xc, 0x24, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
;! in v6 = u32[0x5555aaaa]
buffer_load_format_xyz v[4:6], v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x1429dd75, 0xe6ca49c, 0x1734a966, 0]
;= v5 = u32[0x6ecdac, 0x1aa595d4, 0x34d9999, 0]
;= v6 = u32[0xca73ee7, 0x6fa860f, 0xf828ad0, 0]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31049fac = u32[0x1734a966, 0x34d9999, 0xf828ad0, 0x1429dd75, 0x6ecdac, 0xca73ee7, 0x114a7089, 0x1d8361c0, 0x9d852fb, 0xe6ca49c, 0x1aa595d4, 0x6fa860f]
;! in v1 = u32[0xc, 0x24, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
;! in v6 = u32[0x5555aaaa]
buffer_load_format_xyz v[4:6], v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x1429dd75, 0xe6ca49c, 0x1734a966, 0]
;= v5 = u32[0x6ecdac, 0x1aa595d4, 0x34d9999, 0]
;= v6 = u32[0xca73ee7, 0x6fa860f, 0xf828ad0, 0]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x50fac = u32[0xdca5723b, 0xf0b8814e, 0x7cc9562, 0x1be0a971]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
;! in v6 = u32[0x5555aaaa]
;! in v7 = u32[0x5555aaaa]
buffer_load_format_xyzw v[4:7], v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x3e9c9c9d, 0x3ee2e2e3, 0x3e6ceced, 0]
;= v5 = u32[0x3f018182, 0x3f29a9aa, 0x3ee4e4e5, 0]
;= v6 = u32[0x3f38b8b9, 0x3f60e0e1, 0x3f25a5a6, 0]
;= v7 = u32[0x3f70f0f1, 0x3dd8d8d9, 0x3f5cdcdd, 0]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31038fac = u32[0xdca5723b, 0xf0b8814e, 0x7cc9562, 0x1be0a971]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
;! in v6 = u32[0x5555aaaa]
;! in v7 = u32[0x5555aaaa]
buffer_load_format_xyzw v[4:7], v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x3e9c9c9d, 0x3ee2e2e3, 0x3e6ceced, 0]
;= v5 = u32[0x3f018182, 0x3f29a9aa, 0x3ee4e4e5, 0]
;= v6 = u32[0x3f38b8b9, 0x3f60e0e1, 0x3f25a5a6, 0]
;= v7 = u32[0x3f70f0f1, 0x3dd8d8d9, 0x3f5cdcdd, 0]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x48fac = u32[0x517373a5, 0x52b3c3b8, 0x13e01fcc, 0x15206fe0]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
;! in v6 = u32[0x5555aaaa]
;! in v7 = u32[0x5555aaaa]
buffer_load_format_xyzw v[4:7], v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x3f6e3b8f, 0x3f783e10, 0x3f697a5f, 0]
;= v5 = u32[0x3e703c0f, 0x3cd8360e, 0x3e5c370e, 0]
;= v6 = u32[0x3e95a569, 0x3ea92a4b, 0x3e8ba2e9, 0]
;= v7 = u32[0x3eaaaaab, 0, 0x3eaaaaab, 0]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31032fac = u32[0x517373a5, 0x52b3c3b8, 0x13e01fcc, 0x15206fe0]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
;! in v6 = u32[0x5555aaaa]
;! in v7 = u32[0x5555aaaa]
buffer_load_format_xyzw v[4:7], v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x3f6e3b8f, 0x3f783e10, 0x3f697a5f, 0]
;= v5 = u32[0x3e703c0f, 0x3cd8360e, 0x3e5c370e, 0]
;= v6 = u32[0x3e95a569, 0x3ea92a4b, 0x3e8ba2e9, 0]
;= v7 = u32[0x3eaaaaab, 0, 0x3eaaaaab, 0]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x67fac = u32[0xc0803e00, 0x80000000, 0x64008000, 0xfbff3554, 0x3800fbff, 0xc0803e00, 0xc080, 0x64008000]
;! in v1 = u32[8, 0x18, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
;! in v6 = u32[0x5555aaaa]
;! in v7 = u32[0x5555aaaa]
buffer_load_format_xyzw v[4:7], v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x80000000, 0xc0100000, 0x3fc00000, 0]
;= v5 = u32[0x44800000, 0, 0xc0100000, 0]
;= v6 = u32[0x3eaa8000, 0x80000000, 0, 0]
;= v7 = u32[0xc77fe000, 0x44800000, 0x80000000, 0]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31047fac = u32[0xc0803e00, 0x80000000, 0x64008000, 0xfbff3554, 0x3800fbff, 0xc0803e00, 0xc080, 0x64008000]
;! in v1 = u32[8, 0x18, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
;! in v6 = u32[0x5555aaaa]
;! in v7 = u32[0x5555aaaa]
buffer_load_format_xyzw v[4:7], v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x80000000, 0xc0100000, 0x3fc00000, 0]
;= v5 = u32[0x44800000, 0, 0xc0100000, 0]
;= v6 = u32[0x3eaa8000, 0x80000000, 0, 0]
;= v7 = u32[0xc77fe000, 0x44800000, 0x80000000, 0]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0xdfac = u32[0x71624e3b]
;! in v1 = u32[1, 3, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
;! in v6 = u32[0x5555aaaa]
;! in v7 = u32[0x5555aaaa]
buffer_load_format_xyzw v[4:7], v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x4e, 0x71, 0x3b, 0]
;= v5 = u32[0, 0, 0, 0]
;= v6 = u32[0, 0, 0, 0]
;= v7 = u32[1, 1, 1, 1]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31006fac = u32[0x71624e3b]
;! in v1 = u32[1, 3, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
;! in v6 = u32[0x5555aaaa]
;! in v7 = u32[0x5555aaaa]
buffer_load_format_xyzw v[4:7], v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x4e, 0x71, 0x3b, 0]
;= v5 = u32[0, 0, 0, 0]
;= v6 = u32[0, 0, 0, 0]
;= v7 = u32[1, 1, 1, 1]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x17fac = u32[0x77777777, 0x77777777]
;! in v1 = u32[2, 6, 0, 0x4000]
;! in v4 = u32[0x3fc00000, 0x3f000000, 0xbf800000, 0x3e000000]
buffer_store_format_x v4, v1, s[8:11], 0 offen  ;= memory = u32[0x3e00bc00, 0x38007777]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x3100dfac = u32[0x77777777, 0x77777777]
;! in v1 = u32[2, 6, 0, 0x4000]
;! in v4 = u32[0x3fc00000, 0x3f000000, 0xbf800000, 0x3e000000]
buffer_store_format_x v4, v1, s[8:11], 0 offen  ;= memory = u32[0x3e00bc00, 0x38007777]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x24fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[5, 0x3e8, 0xffffffb3, 1]
buffer_store_format_x v4, v1, s[8:11], 0 offen  ;= memory = u32[0xffffffb3, 5, 0x77777777, 0x3e8]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31014fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[5, 0x3e8, 0xffffffb3, 1]
buffer_store_format_x v4, v1, s[8:11], 0 offen  ;= memory = u32[0xffffffb3, 5, 0x77777777, 0x3e8]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x29fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x3fc00000, 0x3f000000, 0xbf800000, 0x3e000000]
;! in v5 = u32[0xbe800000, 0x3f800000, 0x3e4ccccd, 0xbf000000]
buffer_store_format_xy v[4:5], v1, s[8:11], 0 offen  ;= memory = u32[0x19998001, 0xe0007fff, 0x77777777, 0x7fff4000]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31018fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x3fc00000, 0x3f000000, 0xbf800000, 0x3e000000]
;! in v5 = u32[0xbe800000, 0x3f800000, 0x3e4ccccd, 0xbf000000]
buffer_store_format_xy v[4:5], v1, s[8:11], 0 offen  ;= memory = u32[0x19998001, 0xe0007fff, 0x77777777, 0x7fff4000]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x5ffac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[8, 0x18, 0, 0x4000]
;! in v4 = u32[0x3fc00000, 0x3f000000, 0xbf800000, 0x3e000000]
;! in v5 = u32[0xbe800000, 0x3f800000, 0x3e4ccccd, 0xbf000000]
buffer_store_format_xy v[4:5], v1, s[8:11], 0 offen
;= memory = u32[0xbf800000, 0x3e4ccccd, 0x3fc00000, 0xbe800000, 0x77777777, 0x77777777, 0x3f000000, 0x3f800000]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31040fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[8, 0x18, 0, 0x4000]
;! in v4 = u32[0x3fc00000, 0x3f000000, 0xbf800000, 0x3e000000]
;! in v5 = u32[0xbe800000, 0x3f800000, 0x3e4ccccd, 0xbf000000]
buffer_store_format_xy v[4:5], v1, s[8:11], 0 offen
;= memory = u32[0xbf800000, 0x3e4ccccd, 0x3fc00000, 0xbe800000, 0x77777777, 0x77777777, 0x3f000000, 0x3f800000]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x6ffac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[0xc, 0x24, 0, 0x4000]
;! in v4 = u32[0x3fc00000, 0x3f000000, 0xbf800000, 0x3e000000]
;! in v5 = u32[0xbe800000, 0x3f800000, 0x3e4ccccd, 0xbf000000]
;! in v6 = u32[0, 0xc0000000, 0x3f400000, 0x40000000]
buffer_store_format_xyz v[4:6], v1, s[8:11], 0 offen
;= memory = u32[0xbf800000, 0x3e4ccccd, 0x3f400000, 0x3fc00000, 0xbe800000, 0, 0x77777777, 0x77777777, 0x77777777, 0x3f000000, 0x3f800000, 0xc0000000]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x3104afac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[0xc, 0x24, 0, 0x4000]
;! in v4 = u32[0x3fc00000, 0x3f000000, 0xbf800000, 0x3e000000]
;! in v5 = u32[0xbe800000, 0x3f800000, 0x3e4ccccd, 0xbf000000]
;! in v6 = u32[0, 0xc0000000, 0x3f400000, 0x40000000]
buffer_store_format_xyz v[4:6], v1, s[8:11], 0 offen
;= memory = u32[0xbf800000, 0x3e4ccccd, 0x3f400000, 0x3fc00000, 0xbe800000, 0, 0x77777777, 0x77777777, 0x77777777, 0x3f000000, 0x3f800000, 0xc0000000]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x50fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x3fc00000, 0x3f000000, 0xbf800000, 0x3e000000]
;! in v5 = u32[0xbe800000, 0x3f800000, 0x3e4ccccd, 0xbf000000]
;! in v6 = u32[0, 0xc0000000, 0x3f400000, 0x40000000]
;! in v7 = u32[0x3f333333, 0x3e99999a, 0x40400000, 0x3dcccccd]
buffer_store_format_xyzw v[4:7], v1, s[8:11], 0 offen  ;= memory = u32[0xffbf3300, 0xb20000ff, 0x77777777, 0x4d00ff80]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31038fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x3fc00000, 0x3f000000, 0xbf800000, 0x3e000000]
;! in v5 = u32[0xbe800000, 0x3f800000, 0x3e4ccccd, 0xbf000000]
;! in v6 = u32[0, 0xc0000000, 0x3f400000, 0x40000000]
;! in v7 = u32[0x3f333333, 0x3e99999a, 0x40400000, 0x3dcccccd]
buffer_store_format_xyzw v[4:7], v1, s[8:11], 0 offen  ;= memory = u32[0xffbf3300, 0xb20000ff, 0x77777777, 0x4d00ff80]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x74fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[0x10, 0x30, 0, 0x4000]
;! in v4 = u32[5, 0x3e8, 0xffffffb3, 1]
;! in v5 = u32[0xfffffffd, 2, 0x41, 0xfffffffe]
;! in v6 = u32[0xc8, 0xffffffff, 3, 0x1234]
;! in v7 = u32[7, 9, 0x7fff, 0x37]
buffer_store_format_xyzw v[4:7], v1, s[8:11], 0 offen
;= memory = u32[0xffffffb3, 0x41, 3, 0x7fff, 5, 0xfffffffd, 0xc8, 7, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x3e8, 2, 0xffffffff, 9]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x3104bfac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[0x10, 0x30, 0, 0x4000]
;! in v4 = u32[5, 0x3e8, 0xffffffb3, 1]
;! in v5 = u32[0xfffffffd, 2, 0x41, 0xfffffffe]
;! in v6 = u32[0xc8, 0xffffffff, 3, 0x1234]
;! in v7 = u32[7, 9, 0x7fff, 0x37]
buffer_store_format_xyzw v[4:7], v1, s[8:11], 0 offen
;= memory = u32[0xffffffb3, 0x41, 3, 0x7fff, 5, 0xfffffffd, 0xc8, 7, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x3e8, 2, 0xffffffff, 9]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x67fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[8, 0x18, 0, 0x4000]
;! in v4 = u32[0x3fc00000, 0x3f000000, 0xbf800000, 0x3e000000]
;! in v5 = u32[0xbe800000, 0x3f800000, 0x3e4ccccd, 0xbf000000]
;! in v6 = u32[0, 0xc0000000, 0x3f400000, 0x40000000]
;! in v7 = u32[0x3f333333, 0x3e99999a, 0x40400000, 0x3dcccccd]
buffer_store_format_xyzw v[4:7], v1, s[8:11], 0 offen
;= memory = u32[0x3266bc00, 0x42003a00, 0xb4003e00, 0x399a0000, 0x77777777, 0x77777777, 0x3c003800, 0x34cdc000]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31047fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[8, 0x18, 0, 0x4000]
;! in v4 = u32[0x3fc00000, 0x3f000000, 0xbf800000, 0x3e000000]
;! in v5 = u32[0xbe800000, 0x3f800000, 0x3e4ccccd, 0xbf000000]
;! in v6 = u32[0, 0xc0000000, 0x3f400000, 0x40000000]
;! in v7 = u32[0x3f333333, 0x3e99999a, 0x40400000, 0x3dcccccd]
buffer_store_format_xyzw v[4:7], v1, s[8:11], 0 offen
;= memory = u32[0x3266bc00, 0x42003a00, 0xb4003e00, 0x399a0000, 0x77777777, 0x77777777, 0x3c003800, 0x34cdc000]

;! target gfx900
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x17fac = u32[0x80003e00, 0xc080fbff]
;! in v1 = u32[2, 6, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
buffer_load_format_d16_x v4, v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x55558000, 0x5555c080, 0x55553e00, 0x55550000]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x3100dfac = u32[0x80003e00, 0xc080fbff]
;! in v1 = u32[2, 6, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
buffer_load_format_d16_x v4, v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x55558000, 0x5555c080, 0x55553e00, 0x55550000]

;! target gfx900
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x8fac = u32[0x71624e3b]
;! in v1 = u32[1, 3, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
buffer_load_format_d16_x v4, v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x555534e5, 0x55553717, 0x55553367, 0x55550000]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31001fac = u32[0x71624e3b]
;! in v1 = u32[1, 3, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
buffer_load_format_d16_x v4, v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x555534e5, 0x55553717, 0x55553367, 0x55550000]

;! target gfx900
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x2ffac = u32[0xc0803e00, 0x64008000, 0x3800fbff, 0xc080]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
buffer_load_format_d16_xy v4, v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x64008000, 0xc080, 0xc0803e00, 0]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x3101dfac = u32[0xc0803e00, 0x64008000, 0x3800fbff, 0xc080]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
buffer_load_format_d16_xy v4, v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x64008000, 0xc080, 0xc0803e00, 0]

;! target gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x2ffac = u32[0xc0803e00, 0x64008000, 0x3800fbff, 0xc080]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
buffer_load_format_d16_xy v4, v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x64008000, 0xc080, 0xc0803e00, 0]

;! target gfx900
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x6ffac = u32[0x3fc00000, 0xc0100000, 0x43700000, 0x80000000, 0x3f800000, 0xbf000000, 0x3a800000, 0x40e00000, 0x3fc00000, 0xc0100000, 0x43700000, 0x80000000]
;! in v1 = u32[0xc, 0x24, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
buffer_load_format_d16_xyz v[4:5], v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x3c008000, 0x5b80c080, 0xc0803e00, 0]
;= v5 = u32[0x5555b800, 0x55558000, 0x55555b80, 0x55550000]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x3104afac = u32[0x3fc00000, 0xc0100000, 0x43700000, 0x80000000, 0x3f800000, 0xbf000000, 0x3a800000, 0x40e00000, 0x3fc00000, 0xc0100000, 0x43700000, 0x80000000]
;! in v1 = u32[0xc, 0x24, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
buffer_load_format_d16_xyz v[4:5], v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x3c008000, 0x5b80c080, 0xc0803e00, 0]
;= v5 = u32[0x5555b800, 0x55558000, 0x55555b80, 0x55550000]

;! target gfx900
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x54fac = u32[0xdca5723b, 0xf0b8814e, 0x7cc9562, 0x1be0a971]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
buffer_load_format_d16_xyzw v[4:5], v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x81004e, 0xa90071, 0x72003b, 0]
;= v5 = u32[0xf000b8, 0x1b00e0, 0xdc00a5, 0]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x3103cfac = u32[0xdca5723b, 0xf0b8814e, 0x7cc9562, 0x1be0a971]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
buffer_load_format_d16_xyzw v[4:5], v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x81004e, 0xa90071, 0x72003b, 0]
;= v5 = u32[0xf000b8, 0x1b00e0, 0xdc00a5, 0]

;! target gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x54fac = u32[0xdca5723b, 0xf0b8814e, 0x7cc9562, 0x1be0a971]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
buffer_load_format_d16_xyzw v[4:5], v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x81004e, 0xa90071, 0x72003b, 0]
;= v5 = u32[0xf000b8, 0x1b00e0, 0xdc00a5, 0]

;! target gfx900
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x67fac = u32[0xc0803e00, 0x80000000, 0x64008000, 0xfbff3554, 0x3800fbff, 0xc0803e00, 0xc080, 0x64008000]
;! in v1 = u32[8, 0x18, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
buffer_load_format_d16_xyzw v[4:5], v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x64008000, 0xc080, 0xc0803e00, 0]
;= v5 = u32[0xfbff3554, 0x64008000, 0x80000000, 0]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31047fac = u32[0xc0803e00, 0x80000000, 0x64008000, 0xfbff3554, 0x3800fbff, 0xc0803e00, 0xc080, 0x64008000]
;! in v1 = u32[8, 0x18, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
buffer_load_format_d16_xyzw v[4:5], v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x64008000, 0xc080, 0xc0803e00, 0]
;= v5 = u32[0xfbff3554, 0x64008000, 0x80000000, 0]

;! target gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x67fac = u32[0xc0803e00, 0x80000000, 0x64008000, 0xfbff3554, 0x3800fbff, 0xc0803e00, 0xc080, 0x64008000]
;! in v1 = u32[8, 0x18, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
buffer_load_format_d16_xyzw v[4:5], v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x64008000, 0xc080, 0xc0803e00, 0]
;= v5 = u32[0xfbff3554, 0x64008000, 0x80000000, 0]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x17fac = u32[0x77777777, 0x77777777]
;! in v1 = u32[2, 6, 0, 0x4000]
;! in v4 = u32[0xabcd3e00, 0xabcd3800, 0xabcdbc00, 0xabcd3000]
buffer_store_format_d16_x v4, v1, s[8:11], 0 offen  ;= memory = u32[0x3e00bc00, 0x38007777]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x3100dfac = u32[0x77777777, 0x77777777]
;! in v1 = u32[2, 6, 0, 0x4000]
;! in v4 = u32[0xabcd3e00, 0xabcd3800, 0xabcdbc00, 0xabcd3000]
buffer_store_format_d16_x v4, v1, s[8:11], 0 offen  ;= memory = u32[0x3e00bc00, 0x38007777]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x29fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0xb4003e00, 0x3c003800, 0x3266bc00, 0xb8003000]
buffer_store_format_d16_xy v4, v1, s[8:11], 0 offen  ;= memory = u32[0x19988001, 0xe0007fff, 0x77777777, 0x7fff4000]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31018fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0xb4003e00, 0x3c003800, 0x3266bc00, 0xb8003000]
buffer_store_format_d16_xy v4, v1, s[8:11], 0 offen  ;= memory = u32[0x19988001, 0xe0007fff, 0x77777777, 0x7fff4000]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x6ffac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[0xc, 0x24, 0, 0x4000]
;! in v4 = u32[0xb4003e00, 0x3c003800, 0x3266bc00, 0xb8003000]
;! in v5 = u32[0xabcd0000, 0xabcdc000, 0xabcd3a00, 0xabcd4000]
buffer_store_format_d16_xyz v[4:5], v1, s[8:11], 0 offen
;= memory = u32[0xbf800000, 0x3e4cc000, 0x3f400000, 0x3fc00000, 0xbe800000, 0, 0x77777777, 0x77777777, 0x77777777, 0x3f000000, 0x3f800000, 0xc0000000]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x3104afac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[0xc, 0x24, 0, 0x4000]
;! in v4 = u32[0xb4003e00, 0x3c003800, 0x3266bc00, 0xb8003000]
;! in v5 = u32[0xabcd0000, 0xabcdc000, 0xabcd3a00, 0xabcd4000]
buffer_store_format_d16_xyz v[4:5], v1, s[8:11], 0 offen
;= memory = u32[0xbf800000, 0x3e4cc000, 0x3f400000, 0x3fc00000, 0xbe800000, 0, 0x77777777, 0x77777777, 0x77777777, 0x3f000000, 0x3f800000, 0xc0000000]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x67fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[8, 0x18, 0, 0x4000]
;! in v4 = u32[0xb4003e00, 0x3c003800, 0x3266bc00, 0xb8003000]
;! in v5 = u32[0x399a0000, 0x34cdc000, 0x42003a00, 0x2e664000]
buffer_store_format_d16_xyzw v[4:5], v1, s[8:11], 0 offen
;= memory = u32[0x3266bc00, 0x42003a00, 0xb4003e00, 0x399a0000, 0x77777777, 0x77777777, 0x3c003800, 0x34cdc000]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31047fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[8, 0x18, 0, 0x4000]
;! in v4 = u32[0xb4003e00, 0x3c003800, 0x3266bc00, 0xb8003000]
;! in v5 = u32[0x399a0000, 0x34cdc000, 0x42003a00, 0x2e664000]
buffer_store_format_d16_xyzw v[4:5], v1, s[8:11], 0 offen
;= memory = u32[0x3266bc00, 0x42003a00, 0xb4003e00, 0x399a0000, 0x77777777, 0x77777777, 0x3c003800, 0x34cdc000]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x50fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0xb4003e00, 0x3c003800, 0x3266bc00, 0xb8003000]
;! in v5 = u32[0x399a0000, 0x34cdc000, 0x42003a00, 0x2e664000]
buffer_store_format_d16_xyzw v[4:5], v1, s[8:11], 0 offen  ;= memory = u32[0xffbf3300, 0xb30000ff, 0x77777777, 0x4d00ff80]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31038fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0xb4003e00, 0x3c003800, 0x3266bc00, 0xb8003000]
;! in v5 = u32[0x399a0000, 0x34cdc000, 0x42003a00, 0x2e664000]
buffer_store_format_d16_xyzw v[4:5], v1, s[8:11], 0 offen  ;= memory = u32[0xffbf3300, 0xb30000ff, 0x77777777, 0x4d00ff80]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x24fac = u32[0x80003e00, 0xc080fbff]
;! in v1 = u32[2, 6, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
tbuffer_load_format_x v4, v1, s[8:11], 0 format:[BUF_DATA_FORMAT_16,BUF_NUM_FORMAT_FLOAT] offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x80000000, 0xc0100000, 0x3fc00000, 0]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31014fac = u32[0x80003e00, 0xc080fbff]
;! in v1 = u32[2, 6, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
tbuffer_load_format_x v4, v1, s[8:11], 0 format:[BUF_FMT_16_FLOAT] offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x80000000, 0xc0100000, 0x3fc00000, 0]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x24fac = u32[0xdca5723b, 0xf0b8814e, 0x7cc9562, 0x1be0a971]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
tbuffer_load_format_x v4, v1, s[8:11], 0 format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_USCALED] offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x429c0000, 0x42e20000, 0x426c0000, 0]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31014fac = u32[0xdca5723b, 0xf0b8814e, 0x7cc9562, 0x1be0a971]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
tbuffer_load_format_x v4, v1, s[8:11], 0 format:[BUF_FMT_8_8_8_8_USCALED] offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x429c0000, 0x42e20000, 0x426c0000, 0]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x24fac = u32[0xad2bbcf0, 0xc13ed007, 0x7552041b, 0xa966b82e]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
tbuffer_load_format_xy v[4:5], v1, s[8:11], 0 format:[BUF_DATA_FORMAT_16_16,BUF_NUM_FORMAT_SNORM] offen
s_waitcnt vmcnt(0)
;= v4 = u32[0xbebfe580, 0xbf0fa51f, 0xbf06210c, 0]
;= v5 = u32[0xbefb09f6, 0xbf2d355a, 0xbf25ab4b, 0]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31014fac = u32[0xad2bbcf0, 0xc13ed007, 0x7552041b, 0xa966b82e]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
tbuffer_load_format_xy v[4:5], v1, s[8:11], 0 format:[BUF_FMT_16_16_SNORM] offen
s_waitcnt vmcnt(0)
;= v4 = u32[0xbebfe580, 0xbf0fa51f, 0xbf06210c, 0]
;= v5 = u32[0xbefb09f6, 0xbf2d355a, 0xbf25ab4b, 0]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x24fac = u32[0x1734a966, 0x34d9999, 0x1429dd75, 0x6ecdac, 0x114a7089, 0x1d8361c0, 0xe6ca49c, 0x1aa595d4]
;! in v1 = u32[8, 0x18, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
tbuffer_load_format_xy v[4:5], v1, s[8:11], 0 format:[BUF_DATA_FORMAT_32_32,BUF_NUM_FORMAT_UINT] offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x1429dd75, 0xe6ca49c, 0x1734a966, 0]
;= v5 = u32[0x6ecdac, 0x1aa595d4, 0x34d9999, 0]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31014fac = u32[0x1734a966, 0x34d9999, 0x1429dd75, 0x6ecdac, 0x114a7089, 0x1d8361c0, 0xe6ca49c, 0x1aa595d4]
;! in v1 = u32[8, 0x18, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
tbuffer_load_format_xy v[4:5], v1, s[8:11], 0 format:[BUF_FMT_32_32_UINT] offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x1429dd75, 0xe6ca49c, 0x1734a966, 0]
;= v5 = u32[0x6ecdac, 0x1aa595d4, 0x34d9999, 0]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x24fac = u32[0x841c03c0, 0x7a208000, 0x78230300, 0x210380]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
;! in v6 = u32[0x5555aaaa]
tbuffer_load_format_xyz v[4:6], v1, s[8:11], 0 format:[BUF_DATA_FORMAT_10_11_11,BUF_NUM_FORMAT_FLOAT] offen
s_waitcnt vmcnt(0)
;= v4 = u32[0, 0x3f000000, 0x3f800000, 0]
;= v5 = u32[0x40200000, 0x40400000, 0x3f000000, 0]
;= v6 = u32[0x3fa00000, 0, 0x40400000, 0]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31014fac = u32[0x841c03c0, 0x7a208000, 0x78230300, 0x210380]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
;! in v6 = u32[0x5555aaaa]
tbuffer_load_format_xyz v[4:6], v1, s[8:11], 0 format:[BUF_FMT_10_11_11_FLOAT] offen
s_waitcnt vmcnt(0)
;= v4 = u32[0, 0x3f000000, 0x3f800000, 0]
;= v5 = u32[0x40200000, 0x40400000, 0x3f000000, 0]
;= v6 = u32[0x3fa00000, 0, 0x40400000, 0]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x24fac = u32[0xdca5723b, 0xf0b8814e, 0x7cc9562, 0x1be0a971]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
;! in v6 = u32[0x5555aaaa]
;! in v7 = u32[0x5555aaaa]
tbuffer_load_format_xyzw v[4:7], v1, s[8:11], 0 format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_SNORM] offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x3f1d3a75, 0x3f63c78f, 0x3eeddbb7, 0]
;= v5 = u32[0xbf800000, 0xbf2f5ebd, 0x3f65cb97, 0]
;= v6 = u32[0xbf112245, 0xbe810204, 0xbf376ede, 0]
;= v7 = u32[0xbe010204, 0x3e59b367, 0xbe912245, 0]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31014fac = u32[0xdca5723b, 0xf0b8814e, 0x7cc9562, 0x1be0a971]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
;! in v6 = u32[0x5555aaaa]
;! in v7 = u32[0x5555aaaa]
tbuffer_load_format_xyzw v[4:7], v1, s[8:11], 0 format:[BUF_FMT_8_8_8_8_SNORM] offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x3f1d3a75, 0x3f63c78f, 0x3eeddbb7, 0]
;= v5 = u32[0xbf800000, 0xbf2f5ebd, 0x3f65cb97, 0]
;= v6 = u32[0xbf112245, 0xbe810204, 0xbf376ede, 0]
;= v7 = u32[0xbe010204, 0x3e59b367, 0xbe912245, 0]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x24fac = u32[0x814e723b, 0xa9719562]
;! in v1 = u32[2, 6, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
;! in v6 = u32[0x5555aaaa]
;! in v7 = u32[0x5555aaaa]
tbuffer_load_format_xyzw v[4:7], v1, s[8:11], 0 format:[BUF_DATA_FORMAT_8_8,BUF_NUM_FORMAT_UNORM] offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x3e9c9c9d, 0x3ee2e2e3, 0x3e6ceced, 0]
;= v5 = u32[0x3f018182, 0x3f29a9aa, 0x3ee4e4e5, 0]
;= v6 = u32[0, 0, 0, 0]
;= v7 = u32[0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31014fac = u32[0x814e723b, 0xa9719562]
;! in v1 = u32[2, 6, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
;! in v6 = u32[0x5555aaaa]
;! in v7 = u32[0x5555aaaa]
tbuffer_load_format_xyzw v[4:7], v1, s[8:11], 0 format:[BUF_FMT_8_8_UNORM] offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x3e9c9c9d, 0x3ee2e2e3, 0x3e6ceced, 0]
;= v5 = u32[0x3f018182, 0x3f29a9aa, 0x3ee4e4e5, 0]
;= v6 = u32[0, 0, 0, 0]
;= v7 = u32[0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x24fac = u32[0x3fc00000, 0xc0100000, 0x43700000, 0x80000000, 0x80000000, 0x3f800000, 0xbf000000, 0x3a800000, 0x3a800000, 0x40e00000, 0x3fc00000, 0xc0100000, 0xc0100000, 0x43700000, 0x80000000, 0x3f800000]
;! in v1 = u32[0x10, 0x30, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
;! in v6 = u32[0x5555aaaa]
;! in v7 = u32[0x5555aaaa]
tbuffer_load_format_xyzw v[4:7], v1, s[8:11], 0 format:[BUF_DATA_FORMAT_32_32_32_32,BUF_NUM_FORMAT_FLOAT] offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x80000000, 0xc0100000, 0x3fc00000, 0]
;= v5 = u32[0x3f800000, 0x43700000, 0xc0100000, 0]
;= v6 = u32[0xbf000000, 0x80000000, 0x43700000, 0]
;= v7 = u32[0x3a800000, 0x3f800000, 0x80000000, 0]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31014fac = u32[0x3fc00000, 0xc0100000, 0x43700000, 0x80000000, 0x80000000, 0x3f800000, 0xbf000000, 0x3a800000, 0x3a800000, 0x40e00000, 0x3fc00000, 0xc0100000, 0xc0100000, 0x43700000, 0x80000000, 0x3f800000]
;! in v1 = u32[0x10, 0x30, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
;! in v6 = u32[0x5555aaaa]
;! in v7 = u32[0x5555aaaa]
tbuffer_load_format_xyzw v[4:7], v1, s[8:11], 0 format:[BUF_FMT_32_32_32_32_FLOAT] offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x80000000, 0xc0100000, 0x3fc00000, 0]
;= v5 = u32[0x3f800000, 0x43700000, 0xc0100000, 0]
;= v6 = u32[0xbf000000, 0x80000000, 0x43700000, 0]
;= v7 = u32[0x3a800000, 0x3f800000, 0x80000000, 0]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x24fac = u32[0x77777777, 0x77777777]
;! in v1 = u32[2, 6, 0, 0x4000]
;! in v4 = u32[0x3fc00000, 0x3f000000, 0xbf800000, 0x3e000000]
tbuffer_store_format_x v4, v1, s[8:11], 0 format:[BUF_DATA_FORMAT_16,BUF_NUM_FORMAT_FLOAT] offen  ;= memory = u32[0x3e00bc00, 0x38007777]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31014fac = u32[0x77777777, 0x77777777]
;! in v1 = u32[2, 6, 0, 0x4000]
;! in v4 = u32[0x3fc00000, 0x3f000000, 0xbf800000, 0x3e000000]
tbuffer_store_format_x v4, v1, s[8:11], 0 format:[BUF_FMT_16_FLOAT] offen  ;= memory = u32[0x3e00bc00, 0x38007777]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x24fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[5, 0x3e8, 0xffffffb3, 1]
tbuffer_store_format_x v4, v1, s[8:11], 0 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_UINT] offen  ;= memory = u32[0xffffffb3, 5, 0x77777777, 0x3e8]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31014fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[5, 0x3e8, 0xffffffb3, 1]
tbuffer_store_format_x v4, v1, s[8:11], 0 format:[BUF_FMT_32_UINT] offen  ;= memory = u32[0xffffffb3, 5, 0x77777777, 0x3e8]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x24fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x3fc00000, 0x3f000000, 0xbf800000, 0x3e000000]
;! in v5 = u32[0xbe800000, 0x3f800000, 0x3e4ccccd, 0xbf000000]
tbuffer_store_format_xy v[4:5], v1, s[8:11], 0 format:[BUF_DATA_FORMAT_16_16,BUF_NUM_FORMAT_SNORM] offen
;= memory = u32[0x19998001, 0xe0007fff, 0x77777777, 0x7fff4000]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31014fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x3fc00000, 0x3f000000, 0xbf800000, 0x3e000000]
;! in v5 = u32[0xbe800000, 0x3f800000, 0x3e4ccccd, 0xbf000000]
tbuffer_store_format_xy v[4:5], v1, s[8:11], 0 format:[BUF_FMT_16_16_SNORM] offen  ;= memory = u32[0x19998001, 0xe0007fff, 0x77777777, 0x7fff4000]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x24fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[8, 0x18, 0, 0x4000]
;! in v4 = u32[0x3fc00000, 0x3f000000, 0xbf800000, 0x3e000000]
;! in v5 = u32[0xbe800000, 0x3f800000, 0x3e4ccccd, 0xbf000000]
tbuffer_store_format_xy v[4:5], v1, s[8:11], 0 format:[BUF_DATA_FORMAT_32_32,BUF_NUM_FORMAT_FLOAT] offen
;= memory = u32[0xbf800000, 0x3e4ccccd, 0x3fc00000, 0xbe800000, 0x77777777, 0x77777777, 0x3f000000, 0x3f800000]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31014fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[8, 0x18, 0, 0x4000]
;! in v4 = u32[0x3fc00000, 0x3f000000, 0xbf800000, 0x3e000000]
;! in v5 = u32[0xbe800000, 0x3f800000, 0x3e4ccccd, 0xbf000000]
tbuffer_store_format_xy v[4:5], v1, s[8:11], 0 format:[BUF_FMT_32_32_FLOAT] offen
;= memory = u32[0xbf800000, 0x3e4ccccd, 0x3fc00000, 0xbe800000, 0x77777777, 0x77777777, 0x3f000000, 0x3f800000]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x24fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[0xc, 0x24, 0, 0x4000]
;! in v4 = u32[0x3fc00000, 0x3f000000, 0xbf800000, 0x3e000000]
;! in v5 = u32[0xbe800000, 0x3f800000, 0x3e4ccccd, 0xbf000000]
;! in v6 = u32[0, 0xc0000000, 0x3f400000, 0x40000000]
tbuffer_store_format_xyz v[4:6], v1, s[8:11], 0 format:[BUF_DATA_FORMAT_32_32_32,BUF_NUM_FORMAT_FLOAT] offen
;= memory = u32[0xbf800000, 0x3e4ccccd, 0x3f400000, 0x3fc00000, 0xbe800000, 0, 0x77777777, 0x77777777, 0x77777777, 0x3f000000, 0x3f800000, 0xc0000000]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31014fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[0xc, 0x24, 0, 0x4000]
;! in v4 = u32[0x3fc00000, 0x3f000000, 0xbf800000, 0x3e000000]
;! in v5 = u32[0xbe800000, 0x3f800000, 0x3e4ccccd, 0xbf000000]
;! in v6 = u32[0, 0xc0000000, 0x3f400000, 0x40000000]
tbuffer_store_format_xyz v[4:6], v1, s[8:11], 0 format:[BUF_FMT_32_32_32_FLOAT] offen
;= memory = u32[0xbf800000, 0x3e4ccccd, 0x3f400000, 0x3fc00000, 0xbe800000, 0, 0x77777777, 0x77777777, 0x77777777, 0x3f000000, 0x3f800000, 0xc0000000]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x24fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x3fc00000, 0x3f000000, 0xbf800000, 0x3e000000]
;! in v5 = u32[0xbe800000, 0x3f800000, 0x3e4ccccd, 0xbf000000]
;! in v6 = u32[0, 0xc0000000, 0x3f400000, 0x40000000]
;! in v7 = u32[0x3f333333, 0x3e99999a, 0x40400000, 0x3dcccccd]
tbuffer_store_format_xyzw v[4:7], v1, s[8:11], 0 format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_UNORM] offen
;= memory = u32[0xffbf3300, 0xb20000ff, 0x77777777, 0x4d00ff80]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31014fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x3fc00000, 0x3f000000, 0xbf800000, 0x3e000000]
;! in v5 = u32[0xbe800000, 0x3f800000, 0x3e4ccccd, 0xbf000000]
;! in v6 = u32[0, 0xc0000000, 0x3f400000, 0x40000000]
;! in v7 = u32[0x3f333333, 0x3e99999a, 0x40400000, 0x3dcccccd]
tbuffer_store_format_xyzw v[4:7], v1, s[8:11], 0 format:[BUF_FMT_8_8_8_8_UNORM] offen  ;= memory = u32[0xffbf3300, 0xb20000ff, 0x77777777, 0x4d00ff80]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x24fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[0x10, 0x30, 0, 0x4000]
;! in v4 = u32[5, 0x3e8, 0xffffffb3, 1]
;! in v5 = u32[0xfffffffd, 2, 0x41, 0xfffffffe]
;! in v6 = u32[0xc8, 0xffffffff, 3, 0x1234]
;! in v7 = u32[7, 9, 0x7fff, 0x37]
tbuffer_store_format_xyzw v[4:7], v1, s[8:11], 0 format:[BUF_DATA_FORMAT_32_32_32_32,BUF_NUM_FORMAT_UINT] offen
;= memory = u32[0xffffffb3, 0x41, 3, 0x7fff, 5, 0xfffffffd, 0xc8, 7, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x3e8, 2, 0xffffffff, 9]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31014fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[0x10, 0x30, 0, 0x4000]
;! in v4 = u32[5, 0x3e8, 0xffffffb3, 1]
;! in v5 = u32[0xfffffffd, 2, 0x41, 0xfffffffe]
;! in v6 = u32[0xc8, 0xffffffff, 3, 0x1234]
;! in v7 = u32[7, 9, 0x7fff, 0x37]
tbuffer_store_format_xyzw v[4:7], v1, s[8:11], 0 format:[BUF_FMT_32_32_32_32_UINT] offen
;= memory = u32[0xffffffb3, 0x41, 3, 0x7fff, 5, 0xfffffffd, 0xc8, 7, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x3e8, 2, 0xffffffff, 9]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x24fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[8, 0x18, 0, 0x4000]
;! in v4 = u32[0x3fc00000, 0x3f000000, 0xbf800000, 0x3e000000]
;! in v5 = u32[0xbe800000, 0x3f800000, 0x3e4ccccd, 0xbf000000]
;! in v6 = u32[0, 0xc0000000, 0x3f400000, 0x40000000]
;! in v7 = u32[0x3f333333, 0x3e99999a, 0x40400000, 0x3dcccccd]
tbuffer_store_format_xyzw v[4:7], v1, s[8:11], 0 format:[BUF_DATA_FORMAT_16_16_16_16,BUF_NUM_FORMAT_FLOAT] offen
;= memory = u32[0x3266bc00, 0x42003a00, 0xb4003e00, 0x399a0000, 0x77777777, 0x77777777, 0x3c003800, 0x34cdc000]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31014fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[8, 0x18, 0, 0x4000]
;! in v4 = u32[0x3fc00000, 0x3f000000, 0xbf800000, 0x3e000000]
;! in v5 = u32[0xbe800000, 0x3f800000, 0x3e4ccccd, 0xbf000000]
;! in v6 = u32[0, 0xc0000000, 0x3f400000, 0x40000000]
;! in v7 = u32[0x3f333333, 0x3e99999a, 0x40400000, 0x3dcccccd]
tbuffer_store_format_xyzw v[4:7], v1, s[8:11], 0 format:[BUF_FMT_16_16_16_16_FLOAT] offen
;= memory = u32[0x3266bc00, 0x42003a00, 0xb4003e00, 0x399a0000, 0x77777777, 0x77777777, 0x3c003800, 0x34cdc000]

;! target gfx900
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x24fac = u32[0x80003e00, 0xc080fbff]
;! in v1 = u32[2, 6, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
tbuffer_load_format_d16_x v4, v1, s[8:11], 0 format:[BUF_DATA_FORMAT_16,BUF_NUM_FORMAT_FLOAT] offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x55558000, 0x5555c080, 0x55553e00, 0x55550000]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31014fac = u32[0x80003e00, 0xc080fbff]
;! in v1 = u32[2, 6, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
tbuffer_load_format_d16_x v4, v1, s[8:11], 0 format:[BUF_FMT_16_FLOAT] offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x55558000, 0x5555c080, 0x55553e00, 0x55550000]

;! target gfx900
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x24fac = u32[0x71624e3b]
;! in v1 = u32[1, 3, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
tbuffer_load_format_d16_x v4, v1, s[8:11], 0 format:[BUF_DATA_FORMAT_8,BUF_NUM_FORMAT_UNORM] offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x555534e5, 0x55553717, 0x55553367, 0x55550000]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31014fac = u32[0x71624e3b]
;! in v1 = u32[1, 3, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
tbuffer_load_format_d16_x v4, v1, s[8:11], 0 format:[BUF_FMT_8_UNORM] offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x555534e5, 0x55553717, 0x55553367, 0x55550000]

;! target gfx900
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x24fac = u32[0xc0803e00, 0x64008000, 0x3800fbff, 0xc080]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
tbuffer_load_format_d16_xy v4, v1, s[8:11], 0 format:[BUF_DATA_FORMAT_16_16,BUF_NUM_FORMAT_FLOAT] offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x64008000, 0xc080, 0xc0803e00, 0]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31014fac = u32[0xc0803e00, 0x64008000, 0x3800fbff, 0xc080]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
tbuffer_load_format_d16_xy v4, v1, s[8:11], 0 format:[BUF_FMT_16_16_FLOAT] offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x64008000, 0xc080, 0xc0803e00, 0]

;! target gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x24fac = u32[0xc0803e00, 0x64008000, 0x3800fbff, 0xc080]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
tbuffer_load_format_d16_xy v4, v1, s[8:11], 0 format:[BUF_DATA_FORMAT_16_16,BUF_NUM_FORMAT_FLOAT] offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x64008000, 0xc080, 0xc0803e00, 0]

;! target gfx900
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x24fac = u32[0x3fc00000, 0xc0100000, 0x43700000, 0x80000000, 0x3f800000, 0xbf000000, 0x3a800000, 0x40e00000, 0x3fc00000, 0xc0100000, 0x43700000, 0x80000000]
;! in v1 = u32[0xc, 0x24, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
tbuffer_load_format_d16_xyz v[4:5], v1, s[8:11], 0 format:[BUF_DATA_FORMAT_32_32_32,BUF_NUM_FORMAT_FLOAT] offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x3c008000, 0x5b80c080, 0xc0803e00, 0]
;= v5 = u32[0x5555b800, 0x55558000, 0x55555b80, 0x55550000]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31014fac = u32[0x3fc00000, 0xc0100000, 0x43700000, 0x80000000, 0x3f800000, 0xbf000000, 0x3a800000, 0x40e00000, 0x3fc00000, 0xc0100000, 0x43700000, 0x80000000]
;! in v1 = u32[0xc, 0x24, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
tbuffer_load_format_d16_xyz v[4:5], v1, s[8:11], 0 format:[BUF_FMT_32_32_32_FLOAT] offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x3c008000, 0x5b80c080, 0xc0803e00, 0]
;= v5 = u32[0x5555b800, 0x55558000, 0x55555b80, 0x55550000]

;! target gfx900
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x24fac = u32[0xdca5723b, 0xf0b8814e, 0x7cc9562, 0x1be0a971]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
tbuffer_load_format_d16_xyzw v[4:5], v1, s[8:11], 0 format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_UINT] offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x81004e, 0xa90071, 0x72003b, 0]
;= v5 = u32[0xf000b8, 0x1b00e0, 0xdc00a5, 0]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31014fac = u32[0xdca5723b, 0xf0b8814e, 0x7cc9562, 0x1be0a971]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
tbuffer_load_format_d16_xyzw v[4:5], v1, s[8:11], 0 format:[BUF_FMT_8_8_8_8_UINT] offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x81004e, 0xa90071, 0x72003b, 0]
;= v5 = u32[0xf000b8, 0x1b00e0, 0xdc00a5, 0]

;! target gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x24fac = u32[0xdca5723b, 0xf0b8814e, 0x7cc9562, 0x1be0a971]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
tbuffer_load_format_d16_xyzw v[4:5], v1, s[8:11], 0 format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_UINT] offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x81004e, 0xa90071, 0x72003b, 0]
;= v5 = u32[0xf000b8, 0x1b00e0, 0xdc00a5, 0]

;! target gfx900
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x24fac = u32[0xc0803e00, 0x80000000, 0x64008000, 0xfbff3554, 0x3800fbff, 0xc0803e00, 0xc080, 0x64008000]
;! in v1 = u32[8, 0x18, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
tbuffer_load_format_d16_xyzw v[4:5], v1, s[8:11], 0 format:[BUF_DATA_FORMAT_16_16_16_16,BUF_NUM_FORMAT_FLOAT] offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x64008000, 0xc080, 0xc0803e00, 0]
;= v5 = u32[0xfbff3554, 0x64008000, 0x80000000, 0]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31014fac = u32[0xc0803e00, 0x80000000, 0x64008000, 0xfbff3554, 0x3800fbff, 0xc0803e00, 0xc080, 0x64008000]
;! in v1 = u32[8, 0x18, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
tbuffer_load_format_d16_xyzw v[4:5], v1, s[8:11], 0 format:[BUF_FMT_16_16_16_16_FLOAT] offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x64008000, 0xc080, 0xc0803e00, 0]
;= v5 = u32[0xfbff3554, 0x64008000, 0x80000000, 0]

;! target gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x24fac = u32[0xc0803e00, 0x80000000, 0x64008000, 0xfbff3554, 0x3800fbff, 0xc0803e00, 0xc080, 0x64008000]
;! in v1 = u32[8, 0x18, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
;! in v5 = u32[0x5555aaaa]
tbuffer_load_format_d16_xyzw v[4:5], v1, s[8:11], 0 format:[BUF_DATA_FORMAT_16_16_16_16,BUF_NUM_FORMAT_FLOAT] offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x64008000, 0xc080, 0xc0803e00, 0]
;= v5 = u32[0xfbff3554, 0x64008000, 0x80000000, 0]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x24fac = u32[0x77777777, 0x77777777]
;! in v1 = u32[2, 6, 0, 0x4000]
;! in v4 = u32[0xabcd3e00, 0xabcd3800, 0xabcdbc00, 0xabcd3000]
tbuffer_store_format_d16_x v4, v1, s[8:11], 0 format:[BUF_DATA_FORMAT_16,BUF_NUM_FORMAT_FLOAT] offen  ;= memory = u32[0x3e00bc00, 0x38007777]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31014fac = u32[0x77777777, 0x77777777]
;! in v1 = u32[2, 6, 0, 0x4000]
;! in v4 = u32[0xabcd3e00, 0xabcd3800, 0xabcdbc00, 0xabcd3000]
tbuffer_store_format_d16_x v4, v1, s[8:11], 0 format:[BUF_FMT_16_FLOAT] offen  ;= memory = u32[0x3e00bc00, 0x38007777]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x24fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0xb4003e00, 0x3c003800, 0x3266bc00, 0xb8003000]
tbuffer_store_format_d16_xy v4, v1, s[8:11], 0 format:[BUF_DATA_FORMAT_16_16,BUF_NUM_FORMAT_SNORM] offen
;= memory = u32[0x19988001, 0xe0007fff, 0x77777777, 0x7fff4000]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31014fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0xb4003e00, 0x3c003800, 0x3266bc00, 0xb8003000]
tbuffer_store_format_d16_xy v4, v1, s[8:11], 0 format:[BUF_FMT_16_16_SNORM] offen  ;= memory = u32[0x19988001, 0xe0007fff, 0x77777777, 0x7fff4000]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x24fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[0xc, 0x24, 0, 0x4000]
;! in v4 = u32[0xb4003e00, 0x3c003800, 0x3266bc00, 0xb8003000]
;! in v5 = u32[0xabcd0000, 0xabcdc000, 0xabcd3a00, 0xabcd4000]
tbuffer_store_format_d16_xyz v[4:5], v1, s[8:11], 0 format:[BUF_DATA_FORMAT_32_32_32,BUF_NUM_FORMAT_FLOAT] offen
;= memory = u32[0xbf800000, 0x3e4cc000, 0x3f400000, 0x3fc00000, 0xbe800000, 0, 0x77777777, 0x77777777, 0x77777777, 0x3f000000, 0x3f800000, 0xc0000000]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31014fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[0xc, 0x24, 0, 0x4000]
;! in v4 = u32[0xb4003e00, 0x3c003800, 0x3266bc00, 0xb8003000]
;! in v5 = u32[0xabcd0000, 0xabcdc000, 0xabcd3a00, 0xabcd4000]
tbuffer_store_format_d16_xyz v[4:5], v1, s[8:11], 0 format:[BUF_FMT_32_32_32_FLOAT] offen
;= memory = u32[0xbf800000, 0x3e4cc000, 0x3f400000, 0x3fc00000, 0xbe800000, 0, 0x77777777, 0x77777777, 0x77777777, 0x3f000000, 0x3f800000, 0xc0000000]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x24fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[8, 0x18, 0, 0x4000]
;! in v4 = u32[0xb4003e00, 0x3c003800, 0x3266bc00, 0xb8003000]
;! in v5 = u32[0x399a0000, 0x34cdc000, 0x42003a00, 0x2e664000]
tbuffer_store_format_d16_xyzw v[4:5], v1, s[8:11], 0 format:[BUF_DATA_FORMAT_16_16_16_16,BUF_NUM_FORMAT_FLOAT] offen
;= memory = u32[0x3266bc00, 0x42003a00, 0xb4003e00, 0x399a0000, 0x77777777, 0x77777777, 0x3c003800, 0x34cdc000]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31014fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[8, 0x18, 0, 0x4000]
;! in v4 = u32[0xb4003e00, 0x3c003800, 0x3266bc00, 0xb8003000]
;! in v5 = u32[0x399a0000, 0x34cdc000, 0x42003a00, 0x2e664000]
tbuffer_store_format_d16_xyzw v[4:5], v1, s[8:11], 0 format:[BUF_FMT_16_16_16_16_FLOAT] offen
;= memory = u32[0x3266bc00, 0x42003a00, 0xb4003e00, 0x399a0000, 0x77777777, 0x77777777, 0x3c003800, 0x34cdc000]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x24fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0xb4003e00, 0x3c003800, 0x3266bc00, 0xb8003000]
;! in v5 = u32[0x399a0000, 0x34cdc000, 0x42003a00, 0x2e664000]
tbuffer_store_format_d16_xyzw v[4:5], v1, s[8:11], 0 format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_UNORM] offen
;= memory = u32[0xffbf3300, 0xb30000ff, 0x77777777, 0x4d00ff80]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x31014fac = u32[0x77777777, 0x77777777, 0x77777777, 0x77777777]
;! in v1 = u32[4, 0xc, 0, 0x4000]
;! in v4 = u32[0xb4003e00, 0x3c003800, 0x3266bc00, 0xb8003000]
;! in v5 = u32[0x399a0000, 0x34cdc000, 0x42003a00, 0x2e664000]
tbuffer_store_format_d16_xyzw v[4:5], v1, s[8:11], 0 format:[BUF_FMT_8_8_8_8_UNORM] offen  ;= memory = u32[0xffbf3300, 0xb30000ff, 0x77777777, 0x4d00ff80]

;! target gfx900
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x17fac = u32[0x80003e00, 0xc080fbff]
;! in v1 = u32[2, 6, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
buffer_load_format_d16_hi_x v4, v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x8000aaaa, 0xc080aaaa, 0x3e00aaaa, 0xaaaa]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x3100dfac = u32[0x80003e00, 0xc080fbff]
;! in v1 = u32[2, 6, 0, 0x4000]
;! in v4 = u32[0x5555aaaa]
buffer_load_format_d16_hi_x v4, v1, s[8:11], 0 offen
s_waitcnt vmcnt(0)
;= v4 = u32[0x8000aaaa, 0xc080aaaa, 0x3e00aaaa, 0xaaaa]

;! target gfx900 gfx906 gfx908 gfx90a gfx942 gfx950
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x17fac = u32[0x77777777, 0x77777777]
;! in v1 = u32[2, 6, 0, 0x4000]
;! in v4 = u32[0x3e001234, 0x38001234, 0xbc001234, 0x30001234]
buffer_store_format_d16_hi_x v4, v1, s[8:11], 0 offen  ;= memory = u32[0x3e00bc00, 0x38007777]

;! target gfx1030
;! exec 0xf7bdef7bdef7bdef
;! memory s[8:11] word3 0x3100dfac = u32[0x77777777, 0x77777777]
;! in v1 = u32[2, 6, 0, 0x4000]
;! in v4 = u32[0x3e001234, 0x38001234, 0xbc001234, 0x30001234]
buffer_store_format_d16_hi_x v4, v1, s[8:11], 0 offen  ;= memory = u32[0x3e00bc00, 0x38007777]
