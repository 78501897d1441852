//! Cases of instructions whose values before and after come from manuals, as text: what llvm-mc would read, with our lines as comments.
//!
//! The wavefront engine runs them as its tests, and `hardware` runs them on GPUs.
//!
//! ```text
//! ;! target gfx90a gfx1030/32        ; from here on; `/32` or `/64` picks a wave size, else the target has all of its own
//! ;! by spec CDNA3 "VOP2"            ; where the values below come from
//! ;! exec 0b1011                     ; this case only
//! ;! in v4 = f32[1.0, 2.0]           ; this case only: lane values, repeated to the end of the wave
//! ;! in s[4:5] = u64[7]
//! ;! not gfx11 gfx12                 ; this case only: what is alike (see below) but has another meaning there
//! v_add_f32_e32 v0, v4, v4
//! ;= v0 = f32[2.0, 4.0]
//!
//! ;! memory s[2:3] = u32[1, 2]       ; a buffer and where its address goes; four scalars get a raw buffer resource,
//! ;! memory v[2:3] step 8 = u32[..]  ; vector registers the address plus 8 times the lane
//! ;! memory s[4:7] word3 0x27fac = …  ; another last word of the resource
//! ;! memory s[8:15] image 0x10400000 0x7 = u32[..]  ; an image: its resource has these words behind the address, then zeros
//! ;! memory s[2:3] = u32[0x100..=0x147]  ; whole numbers in their order
//! ;! lds = u32[1, 2]
//! ;! scratch 64                      ; bytes per lane
//! s_store_dword s4, s[2:3], 0x4
//! ;= memory = u32[1, 0xdead0bad]
//!
//! ;! waves 3                         ; in the workgroup, of which this is the last
//! ;! time 0x123                      ; of the constant-rate counter
//! s_barrier
//! ;= stop = Barrier                  ; a `wave::Stop`, `End` if not said
//! ;= messages = u32[1, 7]            ; what was sent with `s_sendmsg`: id and M0 of each
//! ;= barriers = u32[1, 7]            ; resource and count of each `ds_gws_*`
//!
//! ;! matrix 32x32x8 f16              ; A in v0 and up, B in v16, C in a0; `product.rs` has their values
//! v_mfma_f32_32x32x8f16 a[0:15], v[0:1], v[16:17], a[0:15]
//! ;= matrix                          ; D = A B + C in a0 and up
//!
//! ;! wave-matrix                     ; A in v0, B in v16, index in v40, C in v48: `wave_product.rs` has their values
//! v_wmma_f32_16x16x16_f16 v[48:55], v[0:3], v[16:19], v[48:55]
//! ;= wave-matrix                     ; D = A B + C in v48 and up
//! ```
//!
//! A case whose line is short stands on one, with its directives and expectations behind the instruction. A common start of
//! several cases is written once:
//!
//! ```text
//! ;! given in v4 = u32[1, 2]         ; from here on
//! v_not_b32 v0, v4  ;= v0 = u32[0xfffffffe, 0xfffffffd]
//! v_add_u32 v0, v4, v8  ;! in v8 = u32[7]  ;= v0 = u32[8, 9]
//! ;! given                           ; no longer
//! ```
//!
//! A case for a target of `ALIKE` runs also on the targets behind it if it assembles there.
//!
//! A case ends where lines follow its `;=` lines. Registers that are not set hold poison, and whatever changes without being
//! named under `;=` is an error; `;= vcc = any` names what may change unseen. In lanes that EXEC turns off, vector registers
//! must keep their value.
#![forbid(unsafe_code)]

mod case;
mod files;
mod product;
mod registers;
mod spelling;
mod wave_product;

pub use case::{Buffer, Case, IMAGE, Location, parse, written};
pub use files::FILES;
pub use registers::{AGPR_BASE, POISON, Registers, SCALARS, VECTOR_ROWS};
pub use spelling::assemble;
