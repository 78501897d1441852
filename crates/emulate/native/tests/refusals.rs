//! Functions that are no stencils.

use native::{Refusal, Stencil};

use crate::llvm;

/// The function, and what is said about it.
const CASES: &[(&str, &str)] = &[
    (
        "call rax",
        "the table of allowed instructions has no Call_rm64",
    ),
    (
        "jmp rax",
        "the table of allowed instructions has no Jmp_rm64",
    ),
    (
        "ret 8",
        "the table of allowed instructions has no Retnq_imm16",
    ),
    (
        "push rbx",
        "the table of allowed instructions has no Push_r64",
    ),
    (
        "mov eax, 1",
        "the table of allowed instructions has no Mov_r32_imm32",
    ),
    (
        "syscall",
        "the table of allowed instructions has no Syscall",
    ),
    (
        "vzeroupper",
        "the table of allowed instructions has no VEX_Vzeroupper",
    ),
    (
        "vpaddd xmm0, xmm0, xmm1",
        "the table of allowed instructions has no VEX_Vpaddd_xmm_xmm_xmmm128",
    ),
    (
        "vpconflictd zmm0, zmm1",
        "the table of allowed instructions has no EVEX_Vpconflictd_zmm_k1z_zmmm512b32",
    ),
    (
        "vmovdqu32 zmmword ptr [rsp - 64], zmm0",
        "vmovdqu32 uses memory that is no constant",
    ),
    (
        "vmovdqu32 zmm0, zmmword ptr [rsp - 64]",
        "vmovdqu32 uses memory that is no constant",
    ),
    (
        "vpaddd zmm0, zmm1, zmmword ptr [rdi]",
        "vpaddd uses memory that is no constant",
    ),
    (
        "vpaddd zmm0, zmm1, dword ptr [rdi]{1to16}",
        "vpaddd uses memory that is no constant",
    ),
    (
        "vpaddd zmm0, zmm1, zmm2",
        "vpaddd reads a register that nothing has set",
    ),
    (
        "vpmovm2d zmm0, k1",
        "vpmovm2d reads a register that nothing has set",
    ),
    (
        "vmovdqa32 zmm0 {k1} {z}, zmm1",
        "vmovdqa32 reads a register that nothing has set",
    ),
    (
        "vpaddd zmm2 {k1}, zmm0, zmm1",
        "vpaddd reads a register that nothing has set",
    ),
    (
        "vpmovd2m k7, zmm0",
        "vpmovd2m uses another register than those of vectors and masks",
    ),
    (
        "kmovw eax, k1",
        "kmovw reads a register that nothing has set",
    ),
    (
        "kmovw k1, eax",
        "kmovw uses another register than those of vectors and masks",
    ),
    (
        "vpbroadcastd zmm0, eax",
        "vpbroadcastd uses another register than those of vectors and masks",
    ),
];

#[test]
fn each_says_why() {
    if !llvm::is_there() {
        return;
    }
    let lines: Vec<String> = CASES.iter().map(|case| case.0.to_owned()).collect();
    for ((text, why), mut code) in CASES.iter().zip(llvm::assemble(&lines)) {
        code.extend([0xc3; 16]);
        // SAFETY: the bytes end in the end of a function, and more of them follow than are read.
        let refusal = unsafe { Stencil::read(code.as_ptr(), 2) }.expect_err(text);
        assert_eq!(refusal.to_string(), *why, "{text}");
    }
}

#[test]
fn branches_are_refused() {
    for (bytes, name) in [([0x75, 0], "Jne_rel8_64"), ([0xeb, 0], "Jmp_rel8_64")] {
        let mut code = bytes.to_vec();
        code.extend([0xc3; 16]);
        // SAFETY: the bytes end in the end of a function, and more of them follow than are read.
        let refusal = unsafe { Stencil::read(code.as_ptr(), 2) }.expect_err("a branch");
        assert_eq!(refusal, Refusal::NotAllowed(name.into()));
    }
}

#[test]
fn words_that_are_no_instruction_are_refused() {
    let code = [0x06; 16];
    // SAFETY: more bytes follow than are read.
    let refusal = unsafe { Stencil::read(code.as_ptr(), 2) }.expect_err("no instruction");
    assert_eq!(refusal, Refusal::NoInstruction);
}

#[test]
fn a_long_function_is_refused() {
    if !llvm::is_there() {
        return;
    }
    let mut code = llvm::assemble(&vec!["vpaddd zmm0, zmm0, zmm1".to_owned(); 60]).concat();
    code.extend([0xc3; 16]);
    // SAFETY: the bytes end in the end of a function.
    let refusal = unsafe { Stencil::read(code.as_ptr(), 2) }.expect_err("too long");
    assert_eq!(refusal, Refusal::TooLong);
}
