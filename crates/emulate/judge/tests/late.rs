//! Results that come late are a second opinion on waits: a wait that protects a register changes what the kernel computes if
//! it is taken out.

use crate::common::{Judge, Launch, Told, compiled, launch, launches};
use codeobj::CodeObject;
use isa::{Decoded, Effects};
use judge::Conflict;
use lift::{Function, Module};
use std::sync::Arc;

const TARGETS: [&str; 5] = ["gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"];
/// `s_nop 0`.
const NOP: [u8; 4] = [0, 0, 0x80, 0xbf];

fn is_wait(inst: &Decoded) -> bool {
    let internal = ["s_wait_alu", "s_waitcnt_depctr"].contains(&inst.mnemonic());
    inst.effects.contains(Effects::WAIT) && !internal && inst.size == 4
}

/// The results of taking waits out.
#[derive(Debug, Default)]
struct Score {
    taken_out: usize,
    /// The kernel read, or overwrote, a register too early.
    protecting: usize,
    /// Cases among these in which the kernel computed something else, or failed.
    changed: usize,
    /// The kernel computed something else although nothing was found.
    unfound: Vec<String>,
    unchanged: Vec<String>,
}

fn take_out(bytes: &[u8], function: &Function, one: &Launch, score: &mut Score) {
    let object = CodeObject::parse(bytes).unwrap();
    let right = launch(bytes, one, Judge::Nobody, &Arc::default()).unwrap();
    for index in 0..function.insts.len() {
        let inst = function.insts.at(index);
        if !is_wait(&inst) {
            continue;
        }
        let mut changed = bytes.to_vec();
        let at = object.elf().file_offset_of(inst.pc).unwrap() as usize;
        assert_eq!(changed[at..at + 4], inst.words[0].to_le_bytes());
        changed[at..at + 4].copy_from_slice(&NOP);
        let place = format!("{}+{:#x}", one.kernel, inst.pc - function.entry);
        let told = Arc::new(Told::default());
        // With results that come at once, a wait is no more than a wait.
        let at_once = launch(&changed, one, Judge::Waits(1), &told);
        assert!(at_once.as_ref() == Ok(&right), "{place}");
        let in_register = |conflict| matches!(conflict, Conflict::Read | Conflict::Overwrite);
        let places = told.places();
        let protects = places.iter().any(|(found, _)| in_register(found.conflict));
        let late = launch(&changed, one, Judge::Late, &Arc::default());
        let differs = late.as_ref() != Ok(&right);
        score.taken_out += 1;
        score.protecting += usize::from(protects);
        score.changed += usize::from(protects && differs);
        match (protects, differs) {
            (false, true) => score.unfound.push(place),
            (true, false) => score.unchanged.push(place),
            _ => {}
        }
    }
}

fn judge_all(ways: &[&[&str]]) {
    for target in TARGETS {
        let mut score = Score::default();
        for way in ways {
            let Some(bytes) = compiled(target, way) else {
                return;
            };
            let object = CodeObject::parse(&bytes).unwrap();
            let module = Module::lift(&object).unwrap();
            for one in launches() {
                let mut functions = module.functions.iter();
                let function = functions.find(|function| function.name == one.kernel);
                take_out(&bytes, function.unwrap(), &one, &mut score);
            }
        }
        eprintln!(
            "{target}: {} waits taken out, {} protect a register, {} of them change the output",
            score.taken_out, score.protecting, score.changed
        );
        // Two opinions: what changes the output was found.
        assert!(score.unfound.is_empty(), "{target}: {score:#?}");
        assert!(
            score.protecting * 2 >= score.taken_out,
            "{target}: {score:#?}"
        );
        assert!(
            score.changed * 100 >= score.protecting * 80,
            "{target}: {score:#?}"
        );
    }
}

#[test]
fn waits_that_are_taken_out_change_the_output() {
    judge_all(&[&["-O2"]]);
}

#[test]
#[ignore = "minutes: the same in six ways to compile"]
fn waits_that_are_taken_out_change_the_output_of_all_builds() {
    judge_all(&[
        &["-O2"],
        &["-O1"],
        &["-O3"],
        &["-O3", "-mllvm", "-unroll-threshold=2000"],
        &[
            "-O2",
            "-fno-unroll-loops",
            "-mllvm",
            "-enable-post-misched=0",
        ],
        &["-Os", "-mllvm", "-enable-misched=0"],
    ]);
}
