//! The instructions of the host that stencils may have.
//!
//! Each of them computes a vector or a mask from registers and perhaps a constant, and has no other effect. All have encodings in which
//! each operand may be any of the 32 vector registers.

use iced_x86::{Code, EncodingKind, Instruction, Mnemonic, Register};

/// Instructions on vectors.
#[rustfmt::skip]
pub(crate) const VECTORS: &[Mnemonic] = &[
    // Moves, constants, choices.
    Mnemonic::Vmovdqa32, Mnemonic::Vmovdqa64, Mnemonic::Vmovdqu32, Mnemonic::Vmovdqu64, Mnemonic::Vmovaps, Mnemonic::Vmovapd,
    Mnemonic::Vmovups, Mnemonic::Vmovupd, Mnemonic::Vpbroadcastd, Mnemonic::Vpbroadcastq, Mnemonic::Vbroadcastss, Mnemonic::Vbroadcastsd,
    Mnemonic::Vpblendmd, Mnemonic::Vpblendmq, Mnemonic::Vblendmps,
    Mnemonic::Vpmovm2d,
    // Logic and shifts.
    Mnemonic::Vpandd, Mnemonic::Vpandq, Mnemonic::Vpandnd, Mnemonic::Vpandnq, Mnemonic::Vpord, Mnemonic::Vporq, Mnemonic::Vpxord, Mnemonic::Vpxorq,
    Mnemonic::Vandps, Mnemonic::Vandnps, Mnemonic::Vorps, Mnemonic::Vxorps,
    Mnemonic::Vpternlogd, Mnemonic::Vpternlogq,
    Mnemonic::Vpslld, Mnemonic::Vpsrld, Mnemonic::Vpsrad, Mnemonic::Vpsllq, Mnemonic::Vpsrlq, Mnemonic::Vpsraq,
    Mnemonic::Vpsllvd, Mnemonic::Vpsrlvd, Mnemonic::Vpsravd, Mnemonic::Vpsllvq, Mnemonic::Vpsrlvq, Mnemonic::Vpsravq,
    // Integers.
    Mnemonic::Vpaddd, Mnemonic::Vpaddq, Mnemonic::Vpsubd, Mnemonic::Vpsubq, Mnemonic::Vpmulld, Mnemonic::Vpmuludq, Mnemonic::Vpmuldq,
    Mnemonic::Vpminud, Mnemonic::Vpmaxud, Mnemonic::Vpminsd, Mnemonic::Vpmaxsd, Mnemonic::Vpabsd,
    // Singles.
    Mnemonic::Vaddps, Mnemonic::Vsubps, Mnemonic::Vmulps, Mnemonic::Vminps, Mnemonic::Vmaxps, Mnemonic::Vscalefps,
    Mnemonic::Vfmadd132ps, Mnemonic::Vfmadd213ps, Mnemonic::Vfmadd231ps,
    Mnemonic::Vcvtdq2ps, Mnemonic::Vcvtudq2ps, Mnemonic::Vrndscaleps,
    // Moves of words within a vector.
    Mnemonic::Vpshufd, Mnemonic::Vshufps, Mnemonic::Vpunpckldq, Mnemonic::Vpunpckhdq, Mnemonic::Vpermd, Mnemonic::Vpermq,
    Mnemonic::Vpermt2d, Mnemonic::Vpermi2d, Mnemonic::Vextracti32x4, Mnemonic::Vextracti64x4, Mnemonic::Vinserti64x4,
    Mnemonic::Vpmovzxdq, Mnemonic::Vpmovsxdq, Mnemonic::Vpmovqd,
    // To masks.
    Mnemonic::Vpcmpd, Mnemonic::Vpcmpud, Mnemonic::Vpcmpeqd, Mnemonic::Vpcmpgtd, Mnemonic::Vptestmd, Mnemonic::Vptestnmd,
    Mnemonic::Vcmpps, Mnemonic::Vpmovd2m,
];

/// Instructions on masks.
#[rustfmt::skip]
pub(crate) const MASKS: &[Mnemonic] = &[
    Mnemonic::Kmovw, Mnemonic::Kandw, Mnemonic::Kandnw, Mnemonic::Korw, Mnemonic::Kxorw, Mnemonic::Kxnorw, Mnemonic::Knotw,
];

/// Returns `true` if the table has `instruction`.
pub(crate) fn is_allowed(instruction: &Instruction) -> bool {
    let mnemonic = instruction.mnemonic();
    match instruction.encoding() {
        EncodingKind::EVEX => VECTORS.contains(&mnemonic),
        EncodingKind::VEX => MASKS.contains(&mnemonic),
        _ => false,
    }
}

/// The same in an encoding that can name every vector register: compilers make zeros with shorter ones.
pub(crate) fn normal(instruction: Instruction) -> Instruction {
    let makes_zeros = matches!(
        instruction.code(),
        Code::VEX_Vpxor_xmm_xmm_xmmm128 | Code::VEX_Vxorps_xmm_xmm_xmmm128
    ) && instruction.op1_register() == instruction.op2_register()
        && instruction.op1_register() != Register::None;
    if !makes_zeros {
        return instruction;
    }
    let vector = |register: Register| Register::ZMM0 + register.number() as u32;
    let code = Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32;
    let [to, from] = [instruction.op0_register(), instruction.op1_register()].map(vector);
    let zeros = Instruction::with3(code, to, from, from);
    zeros.unwrap_or(instruction)
}
