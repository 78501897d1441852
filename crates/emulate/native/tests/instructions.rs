//! Every instruction that stencils may have, with other registers than it was written with, as LLVM reads it.

use native::{Assembler, MOST_RESULTS, Nans, Source, Stencil};

use crate::llvm;

/// Stencils: `A`, `B` and `C` are their sources, `D` is the result, `T` a temporary. A letter with `y` or `x` before it is the low part of
/// the register.
const CASES: &[&str] = &[
    "vmovdqa32 D, B",
    "vmovdqa64 D, B",
    "vmovdqu32 D, B",
    "vmovdqu64 D, B",
    "vmovaps D, B",
    "vmovapd D, B",
    "vmovups D, B",
    "vmovupd D, B",
    "vpbroadcastd D, xB",
    "vpbroadcastq D, xB",
    "vbroadcastss D, xB",
    "vbroadcastsd D, xB",
    "vpcmpeqd k1, A, B|vpblendmd D {k1}, B, C",
    "vpcmpeqd k1, A, B|vpblendmq D {k1}, B, C",
    "vpcmpgtd k2, A, B|vblendmps D {k2}, B, C",
    "vpcmpd k3, A, B, 2|vmovdqa32 D {k3} {z}, C",
    "vpcmpud k1, A, C, 6|vpmovm2d D, k1",
    "vptestmd k1, A, B|vpmovm2d D, k1",
    "vptestnmd k1, A, B|vpmovm2d D, k1",
    "vcmpps k1, A, B, 3|vpmovm2d D, k1",
    "vpmovd2m k1, B|vpmovm2d D, k1",
    "vpmovd2m k1, A|vpmovd2m k2, B|kandw k3, k1, k2|vpmovm2d D, k3",
    "vpmovd2m k1, A|vpmovd2m k2, B|kandnw k3, k1, k2|vpmovm2d D, k3",
    "vpmovd2m k1, A|vpmovd2m k2, B|korw k3, k1, k2|vpmovm2d D, k3",
    "vpmovd2m k1, A|vpmovd2m k2, B|kxorw k3, k1, k2|vpmovm2d D, k3",
    "vpmovd2m k1, A|vpmovd2m k2, B|kxnorw k3, k1, k2|vpmovm2d D, k3",
    "vpmovd2m k1, A|knotw k2, k1|vpmovm2d D, k2",
    "vpmovd2m k1, A|kmovw k2, k1|vpmovm2d D, k2",
    "vpandd D, A, B",
    "vpandq D, A, B",
    "vpandnd D, A, B",
    "vpandnq D, A, B",
    "vpord D, A, B",
    "vporq D, A, B",
    "vpxord D, A, B",
    "vpxorq D, A, B",
    "vandps D, A, B",
    "vandnps D, A, B",
    "vorps D, A, B",
    "vxorps D, A, B",
    "vpternlogd A=D, B, C, 0xca",
    "vpternlogq A=D, B, C, 0xe2",
    "vpslld D, B, 3",
    "vpsrld D, B, 3",
    "vpsrad D, B, 3",
    "vpsllq D, B, 3",
    "vpsrlq D, B, 3",
    "vpsraq D, B, 3",
    "vpsllvd D, A, B",
    "vpsrlvd D, A, B",
    "vpsravd D, A, B",
    "vpsllvq D, A, B",
    "vpsrlvq D, A, B",
    "vpsravq D, A, B",
    "vpaddd D, A, B",
    "vpaddq D, A, B",
    "vpsubd D, B, A",
    "vpsubq D, B, A",
    "vpmulld D, A, B",
    "vpmuludq D, A, B",
    "vpmuldq D, A, B",
    "vpminud D, A, B",
    "vpmaxud D, A, B",
    "vpminsd D, A, B",
    "vpmaxsd D, A, B",
    "vpabsd D, B",
    "vaddps D, A, B",
    "vsubps D, B, A",
    "vmulps D, A, B",
    "vminps D, A, B",
    "vmaxps D, B, A",
    "vscalefps D, A, B",
    "vfmadd132ps A=D, B, C",
    "vfmadd213ps A=D, B, C",
    "vfmadd231ps A=D, B, C",
    "vcvtdq2ps D, B",
    "vcvtudq2ps D, B",
    "vrndscaleps D, B, 1",
    "vpshufd D, B, 0xf5",
    "vshufps D, A, B, 0x88",
    "vpunpckldq D, A, B",
    "vpunpckhdq D, A, B",
    "vpermd D, A, B",
    "vpermq D, A, B",
    "vpermt2d A=D, B, C",
    "vpermi2d A=D, B, C",
    "vextracti32x4 xT, B, 1|vpbroadcastd D, xT",
    "vextracti64x4 yT, B, 1|vpmovzxdq D, yT",
    "vextracti64x4 yT, B, 1|vpmovsxdq D, yT",
    "vpmovqd yT, B|vinserti64x4 D, C, yT, 1",
    // A sum in some lanes only: the others keep what was there.
    "vpmovd2m k1, B|vpaddd A=D {k1}, B, C",
];

/// Registers as the stencil has them, and those that the assembler has left when results fill the others: `A`, `B`, `C`, `D` and `T`.
const WRITTEN: [usize; 5] = [0, 1, 2, 0, 3];
const FIRST_LEFT: usize = MOST_RESULTS + 1;

/// The lines of a case with registers. Where the first operand is a source as well, `copied` puts a copy in front.
fn lines(case: &str, mut registers: [usize; 5], copied: bool) -> Vec<String> {
    if copied && !case.contains('T') {
        registers[3] = registers[4];
    }
    let mut lines = Vec::new();
    for line in case.split('|') {
        if copied && line.contains("A=D") {
            lines.push(format!(
                "vmovdqa64 zmm{}, zmm{}",
                registers[3], registers[0]
            ));
        }
        let mut text = line.replace("A=D", "D");
        for (name, number) in ["A", "B", "C", "D", "T"].iter().zip(registers) {
            for (part, width) in [("x", "xmm"), ("y", "ymm"), ("", "zmm")] {
                text = text.replace(&format!("{part}{name}"), &format!("{width}{number}"));
            }
        }
        lines.push(text);
    }
    lines
}

/// The code of a routine with `stencil` in it, when all but the last registers hold results.
fn routine(stencil: &Stencil, same: &Stencil) -> Vec<u8> {
    let mut assembler = Assembler::new();
    for row in 0..MOST_RESULTS as u16 {
        assembler
            .apply(same, &[Source::Constant(7)], row, Nans::None)
            .expect("a copy");
    }
    let sources = [Source::Row(50), Source::Row(51), Source::Row(52)];
    assembler
        .apply(stencil, &sources, 0, Nans::None)
        .expect("room");
    assembler.finish().expect("a routine").code().to_vec()
}

#[test]
fn all_have_the_registers_that_the_assembler_chose() {
    if !llvm::is_there() {
        return;
    }
    let ret = "ret".to_owned();
    let written: Vec<Vec<String>> = CASES
        .iter()
        .map(|case| [lines(case, WRITTEN, false), vec![ret.clone()]].concat())
        .collect();
    let mut encoded = llvm::assemble(&written.concat()).into_iter();
    let same = [0xc3; 16];
    // SAFETY: the bytes are a function that returns its source, and more of them follow than are read.
    let same = unsafe { Stencil::read(same.as_ptr(), 1) }.expect("a stencil");
    let mut routines = Vec::new();
    for (case, written) in CASES.iter().zip(&written) {
        let mut code: Vec<u8> = encoded.by_ref().take(written.len()).flatten().collect();
        code.extend([0xcc; 16]);
        // SAFETY: the bytes are instructions of the table and the end, and more of them follow than are read.
        let stencil = unsafe { Stencil::read(code.as_ptr(), 3) };
        let stencil = stencil.unwrap_or_else(|why| panic!("{case}: {why}"));
        routines.extend(routine(&stencil, &same));
    }
    let first = FIRST_LEFT;
    let left = [first, first + 1, first + 2, first + 4, first + 3];
    let expected: Vec<Vec<String>> = CASES.iter().map(|case| lines(case, left, true)).collect();
    let code = llvm::assemble(&expected.concat()).concat();
    let mut all_expected = llvm::disassemble(&code).into_iter();
    let found = llvm::disassemble(&routines);
    let mut found = found.split_inclusive(|line| line == "ret");
    for (case, lines) in CASES.iter().zip(&expected) {
        let expected: Vec<String> = all_expected.by_ref().take(lines.len()).collect();
        let found = found.next().expect("a routine");
        let is_there = found.windows(expected.len()).any(|lines| lines == expected);
        assert!(is_there, "{case}\nexpected {expected:#?}\nin {found:#?}");
    }
}

#[test]
fn the_cases_have_every_instruction_of_the_table() {
    for mnemonic in native::allowed_mnemonics() {
        let has_it = |case: &str| {
            case.split('|')
                .any(|line| line.split(' ').next() == Some(&mnemonic))
        };
        assert!(
            CASES.iter().any(|case| has_it(case)),
            "no case for {mnemonic}"
        );
    }
}
