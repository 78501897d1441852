//! The shim keeps LLVM's objects for a processor for the next decoder of that processor. Threads that ask at once, for several processors, get theirs.

use llvm_shim::{DecodedInst, Mc, WINDOW, assemble};
use std::thread;

const PROCESSORS: [(&str, &str); 10] = [
    ("gfx900", ""),
    ("gfx906", ""),
    ("gfx908", ""),
    ("gfx90a", ""),
    ("gfx942", ""),
    ("gfx950", ""),
    ("gfx1030", "+wavefrontsize32"),
    ("gfx1030", "+wavefrontsize64"),
    ("gfx1100", "+wavefrontsize32"),
    ("gfx1201", "+wavefrontsize32"),
];

/// The object of an instruction, or the first message if the processor does not have it; and what the processor calls a word of code.
fn answers(cpu: &str, features: &str) -> Vec<String> {
    let texts = [
        "s_endpgm",
        "v_mov_b32 v0, v1",
        "v_mov_b32_dpp v0, v1 row_shr:1",
        "v_accvgpr_read_b32 v0, a0",
        "v_cmp_eq_u32 vcc_lo, v0, v1",
        "v_cmp_eq_u32 vcc, v0, v1",
    ];
    let mut answers: Vec<String> = texts
        .iter()
        .map(|text| match assemble(cpu, features, text) {
            Ok(object) => format!("{object:?}"),
            Err(error) => error.diagnostics[0].message.clone(),
        })
        .collect();
    let mut mc = Mc::new(cpu, features).expect("LLVM knows it");
    for word in [0xbf81_0000_u32, 0xbfb0_0000, 0x7e00_0301, 0xd3d8_4000] {
        let mut code = [0; WINDOW];
        code[..4].copy_from_slice(&word.to_le_bytes());
        let mut decoded = DecodedInst::new();
        let is = mc.decode(&code, 0, &mut decoded);
        let name = is.then(|| mc.opcode(decoded.opcode()).expect("an opcode").name);
        answers.push(format!("{name:?}"));
    }
    answers
}

#[test]
fn each_thread_gets_the_processor_that_it_asks_for() {
    let alone: Vec<_> = PROCESSORS
        .map(|(cpu, features)| answers(cpu, features))
        .into();
    let distinct: std::collections::BTreeSet<_> = alone.iter().collect();
    assert!(distinct.len() > 6, "{} kinds of answers", distinct.len());
    thread::scope(|scope| {
        for first in 0..4 {
            let alone = &alone;
            scope.spawn(move || {
                for turn in 0..2 * PROCESSORS.len() {
                    let at = (first * 3 + turn * 7) % PROCESSORS.len();
                    let (cpu, features) = PROCESSORS[at];
                    assert_eq!(answers(cpu, features), alone[at], "{cpu} {features}");
                }
            });
        }
    });
}

#[test]
fn an_unknown_processor_is_an_error_each_time() {
    for _ in 0..3 {
        let error = assemble("gfx9999", "", "s_endpgm").unwrap_err();
        assert!(
            error.diagnostics[0].message.contains("gfx9999"),
            "{error:?}"
        );
        assert!(Mc::new("gfx9999", "").is_err());
    }
}
